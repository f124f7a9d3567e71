/* Is a task of Slurm a rank? It is where srun starts every rank; where it starts a launcher on each node, task 1 is
 * the second node's launcher and rank 1 is somebody on the first. NCCL's own lines tell on which host a rank is: one
 * task that ended on another shows that the tasks of the job are no ranks, and then none is taken for one. So does
 * SLURM_NTASKS where there are fewer tasks than ranks. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

#define RANKS_OF_A_LIST 65536u

typedef struct seat { /* a rank of the widest communicator of a job */
    ff_bytes job, host;
    int32_t rank;
} seat;

typedef struct seats {
    FF_VEC(seat) at;
    FF_VEC(ff_bytes) launched; /* jobs whose tasks are no ranks */
    int64_t world;             /* ranks of the widest communicator */
    int64_t highest;           /* number of a task that ended by itself */
} seats;

static int by_rank(const void *left, const void *right)
{
    const seat *a = left, *b = right;
    int order = ff_compare(a->job, b->job);
    order = order ? order : (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : ff_compare(a->host, b->host);
}

/* "task 5" is a rank of its own; "tasks 4-7,9" are a list. */
static const ff_field *list_of(const ff_signal *s)
{
    const ff_field *tasks = ff_signal_field(s, "tasks");
    return tasks && tasks->type == FF_FIELD_TEXT && s->who.host.n ? tasks : NULL;
}

static bool names_task(const ff_signal *s)
{
    const ff_field *task = ff_signal_field(s, "task");
    return task && task->type == FF_FIELD_RANK && s->who.rank >= 0 && s->who.host.n;
}

static bool names_seat(const ff_signal *s, int64_t world)
{
    return (s->stream & FF_STREAM_NCCL) && s->who.rank >= 0 && s->who.host.n && ff_record_world(s) == world;
}

static void find_seats(seats *s, const ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_who *who = &e->signals[i].who;
        if (names_seat(&e->signals[i], s->world))
            FF_PUSH(&s->at, ((seat){ .job = who->job, .host = ff_short_host(who->host), .rank = who->rank }));
    }
    if (s->at.n)
        qsort(s->at.at, s->at.n, sizeof *s->at.at, by_rank);
}

/* Is the rank of that number known to be on other hosts only? */
static bool sits_elsewhere(const seats *s, const ff_who *task, int32_t rank)
{
    seat key = { .job = task->job, .rank = rank };
    bool known = false;
    for (uint32_t i = ff_sorted_slot(&key, s->at.at, s->at.n, sizeof key, by_rank); i < s->at.n; i++) {
        const seat *one = &s->at.at[i];
        if (one->rank != key.rank || !ff_equal(one->job, key.job))
            break;
        if (ff_equal(one->host, ff_short_host(task->host)))
            return false;
        known = true;
    }
    return known;
}

static bool list_sits_elsewhere(const seats *s, const ff_who *tasks, ff_bytes list)
{
    uint32_t asked = 0;
    while (list.n) {
        uint64_t first = 0, last = 0;
        if (!ff_take_uint(&list, &first))
            return false;
        last = first;
        if (ff_take_lit(&list, FF_LIT("-")) && !ff_take_uint(&list, &last))
            return false;
        for (uint64_t rank = first; rank <= last && rank < INT32_MAX && asked < RANKS_OF_A_LIST; rank++, asked++)
            if (sits_elsewhere(s, tasks, (int32_t)rank))
                return true;
        (void)ff_take_lit(&list, FF_LIT(","));
    }
    return false;
}

/* A job that has said how many tasks it has, and it is fewer than its widest communicator has ranks. The batch
 * script's own number is not that of a step which was asked for more: no task of such a number may have ended. */
static bool says_fewer(const seats *s, const ff_signal *line)
{
    int64_t tasks = ff_signal_int(line, "own_tasks", 0);
    bool fewer = tasks > 0 && tasks < s->world && s->highest < tasks;
    seat key = { .job = line->who.job };
    uint32_t i = fewer ? ff_sorted_slot(&key, s->at.at, s->at.n, sizeof key, by_rank) : s->at.n;
    return i < s->at.n && ff_equal(s->at.at[i].job, key.job);
}

static bool shows_launchers(const seats *s, const ff_signal *line)
{
    const ff_field *list = list_of(line);
    return says_fewer(s, line) || (names_task(line) && sits_elsewhere(s, &line->who, line->who.rank)) ||
           (list && list_sits_elsewhere(s, &line->who, list->s));
}

static bool is_launched(const seats *s, ff_bytes job)
{
    for (uint32_t i = 0; i < s->launched.n; i++)
        if (ff_equal(s->launched.at[i], job))
            return true;
    return false;
}

/* A rule that reads `tasks` reads ranks: the list goes on as what it is. */
static void take_off(ff_signal *s)
{
    if (names_task(s))
        s->who.rank = FF_NO_NUMBER;
    for (uint32_t i = 0; list_of(s) && i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, FF_LIT("tasks")))
            s->fields[i].name = FF_LIT("launchers");
}

void ff_tasks_check(ff_evidence *e)
{
    seats s = { .world = ff_record_widest(e) };
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *line = &e->signals[i];
        tasks += names_task(line) || list_of(line);
        s.highest = names_task(line) && line->who.rank > s.highest ? line->who.rank : s.highest;
    }
    if (tasks)
        find_seats(&s, e);
    for (uint32_t i = 0; i < e->n_signals && s.at.n; i++) {
        const ff_signal *line = &e->signals[i];
        if (!is_launched(&s, line->who.job) && shows_launchers(&s, line))
            FF_PUSH(&s.launched, line->who.job);
    }
    for (uint32_t i = 0; i < e->n_signals && s.launched.n; i++)
        if (is_launched(&s, e->signals[i].who.job))
            take_off(&e->signals[i]);
    ff_free(s.at.at);
    ff_free(s.launched.at);
}
