/* Members on their way from the thread that reads and unpacks to those that scan.
 * The reader fills buffers of a small pool and hangs them on the job of the member at hand; a scanning thread takes
 * the oldest job that nobody has, works it off to its end, and gives each buffer back at once. Jobs are taken in the
 * order in which they were begun, so the pool can never be full of buffers that nobody will come for. */
#include "intake_private.h"

#define MOST_SCANS 4u   /* one stream never keeps more of them busy */
#define BUFFERS 4u      /* and two more for each further scan */
#define JOBS_AHEAD 256u /* members begun and not yet taken: bounds memory for a bundle of empty files */

typedef struct job {
    struct job *next;
    ff_result *result;
    ff_buffer *first, *last;
    bool ended, truncated;
} job;

struct ff_pipe {
    ff_shared *shared;
    unsigned n_scans;
    ff_scan *scans[MOST_SCANS];
    pthread_t threads[MOST_SCANS];
    pthread_mutex_t lock;
    pthread_cond_t changed; /* for scans: a job, a buffer in a job, the end */
    pthread_cond_t freed;   /* for the reader: a buffer, or a job was taken */
    ff_buffer *pool;
    job *first, *last; /* jobs not yet taken */
    job *current;      /* the one that the reader fills */
    unsigned n_waiting, n_started;
    bool closing;
};

typedef struct worker {
    ff_pipe *pipe;
    ff_scan *scan;
} worker;

static job *take_job(ff_pipe *p)
{
    pthread_mutex_lock(&p->lock);
    while (!p->first && !p->closing)
        pthread_cond_wait(&p->changed, &p->lock);
    job *j = p->first;
    if (j) {
        p->first = j->next;
        if (!p->first)
            p->last = NULL;
        p->n_waiting--;
        pthread_cond_signal(&p->freed);
    }
    pthread_mutex_unlock(&p->lock);
    return j;
}

static ff_buffer *take_filled(ff_pipe *p, job *j)
{
    pthread_mutex_lock(&p->lock);
    while (!j->first && !j->ended)
        pthread_cond_wait(&p->changed, &p->lock);
    ff_buffer *b = j->first;
    if (b)
        j->first = b->next;
    pthread_mutex_unlock(&p->lock);
    return b;
}

static void put_back(ff_pipe *p, ff_buffer *b)
{
    pthread_mutex_lock(&p->lock);
    b->next = p->pool;
    p->pool = b;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *argument)
{
    worker *w = argument;
    job *j;
    while ((j = take_job(w->pipe)) != NULL) {
        ff_scan_begin(w->scan, j->result);
        ff_buffer *b;
        while ((b = take_filled(w->pipe, j)) != NULL) {
            ff_scan_add(w->scan, b);
            put_back(w->pipe, b);
        }
        ff_scan_end(w->scan, j->truncated);
        ff_free(j);
    }
    ff_free(w);
    return NULL;
}

static bool start(ff_pipe *p, unsigned i, ff_error *error)
{
    p->scans[i] = ff_scan_open(p->shared, error);
    if (!p->scans[i])
        return false;
    if (p->n_scans == 0)
        return true;
    worker *w = ff_alloc(sizeof *w);
    *w = (worker){ .pipe = p, .scan = p->scans[i] };
    if (pthread_create(&p->threads[i], NULL, work, w) != 0) {
        ff_free(w);
        ff_scan_close(p->scans[i]);
        p->scans[i] = NULL;
        (void)ff_fail(error, "cannot start a thread");
        return false;
    }
    p->n_started++;
    return true;
}

ff_pipe *ff_pipe_open(ff_shared *sh, unsigned n_scans, ff_error *error)
{
    n_scans = n_scans > MOST_SCANS ? MOST_SCANS : n_scans;
    ff_pipe *p = ff_alloc(sizeof *p);
    *p = (ff_pipe){ .shared = sh, .n_scans = n_scans };
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    pthread_cond_init(&p->freed, NULL);
    unsigned n_buffers = n_scans ? BUFFERS + 2 * (n_scans - 1) : 1;
    for (unsigned i = 0; i < n_buffers; i++) {
        ff_buffer *b = ff_buffer_open();
        b->next = p->pool;
        p->pool = b;
    }
    bool ok = start(p, 0, error);
    /* Fewer threads than wanted are slower, not wrong. */
    for (unsigned i = 1; ok && i < n_scans && start(p, i, NULL); i++)
        ;
    if (ok)
        return p;
    ff_pipe_close(p);
    return NULL;
}

void ff_pipe_close(ff_pipe *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->n_started; i++)
        pthread_join(p->threads[i], NULL);
    for (unsigned i = 0; i < MOST_SCANS; i++)
        ff_scan_close(p->scans[i]);
    while (p->pool) {
        ff_buffer *b = p->pool;
        p->pool = b->next;
        ff_buffer_close(b);
    }
    pthread_cond_destroy(&p->freed);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    ff_free(p);
}

ff_buffer *ff_pipe_buffer(ff_pipe *p)
{
    pthread_mutex_lock(&p->lock);
    while (!p->pool)
        pthread_cond_wait(&p->freed, &p->lock);
    ff_buffer *b = p->pool;
    p->pool = b->next;
    pthread_mutex_unlock(&p->lock);
    b->next = NULL;
    b->n = 0;
    return b;
}

void ff_pipe_give_back(ff_pipe *p, ff_buffer *b) { put_back(p, b); }

void ff_pipe_begin(ff_pipe *p, ff_result *r)
{
    if (p->n_scans == 0) {
        ff_scan_begin(p->scans[0], r);
        return;
    }
    job *j = ff_alloc(sizeof *j);
    *j = (job){ .result = r };
    pthread_mutex_lock(&p->lock);
    while (p->n_waiting >= JOBS_AHEAD)
        pthread_cond_wait(&p->freed, &p->lock);
    if (p->last)
        p->last->next = j;
    else
        p->first = j;
    p->last = j;
    p->current = j;
    p->n_waiting++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void ff_pipe_push(ff_pipe *p, ff_buffer *b)
{
    if (p->n_scans == 0) {
        ff_scan_add(p->scans[0], b);
        put_back(p, b);
        return;
    }
    job *j = p->current;
    pthread_mutex_lock(&p->lock);
    b->next = NULL;
    if (j->first)
        j->last->next = b;
    else
        j->first = b;
    j->last = b;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void ff_pipe_end(ff_pipe *p, bool truncated)
{
    if (p->n_scans == 0) {
        ff_scan_end(p->scans[0], truncated);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->current->truncated = truncated;
    p->current->ended = true;
    p->current = NULL;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}
