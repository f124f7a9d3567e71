/* Members of a team that did the same walk as one: what is asked of turns need only be asked once a lane, and only
 * times are each seat's own. */
#include "align_private.h"

#define LOOK_BACK 32u /* lanes that a seat is compared with; one more than needed is slower, not wrong */

static bool is_lane(const seat *a, const seat *b)
{
    return a->turns == b->turns && a->n_turns == b->n_turns && a->sheet->dump->truncated == b->sheet->dump->truncated;
}

static uint32_t find_lane(const lanes *l, const seat *s)
{
    for (uint32_t k = l->n; k-- > 0 && l->n - k <= LOOK_BACK;)
        if (is_lane(l->t->seats[l->first[k]], s))
            return k;
    return FF_NONE;
}

lanes ff_team_lanes(const team *t, ff_arena *arena)
{
    uint32_t room = t->n_seats ? t->n_seats : 1;
    lanes l = { .t = t,
                .of = FF_NEW_N(arena, uint32_t, room),
                .first = FF_NEW_N(arena, uint32_t, room),
                .at = FF_NEW_N(arena, uint32_t, room) };
    for (uint32_t i = 0; i < t->n_seats; i++) {
        uint32_t k = find_lane(&l, t->seats[i]);
        if (k == FF_NONE) {
            k = l.n++;
            l.first[k] = i;
        }
        l.of[i] = k;
    }
    return l;
}

bool ff_lanes_next(const lanes *l, int64_t *seq)
{
    bool any = false;
    for (uint32_t k = 0; k < l->n; k++) {
        const seat *s = l->t->seats[l->first[k]];
        if (l->at[k] == s->n_turns)
            continue;
        int64_t here = s->turns[l->at[k]].seq;
        *seq = !any || here < *seq ? here : *seq;
        any = true;
    }
    return any;
}

void ff_lanes_pass(lanes *l, int64_t seq)
{
    for (uint32_t k = 0; k < l->n; k++) {
        const seat *s = l->t->seats[l->first[k]];
        while (l->at[k] < s->n_turns && s->turns[l->at[k]].seq <= seq)
            l->at[k]++;
    }
}
