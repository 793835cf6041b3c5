/* SPDX-License-Identifier: MIT */
/* Members of a study with `ensemble`: those that share their matrices are stepped together (run/ensemble.h). Every
 * member has its own run, record and outcome, and the same bits alone. */
#include <string.h>

#include "algebra/factors.h"
#include "algebra/lanes.h"
#include "run/ensemble.h"
#include "study/computing.h"

typedef struct block {
    ifd_arena *arena;
    int count;
    ifd__computing member[IFD__LANES];
    ifd_status status[IFD__LANES];
    ifd_run *run[IFD__LANES];
    bool done[IFD__LANES];
} block;

/* The run of a member, or the reason why there is none. */
static void prepare(block *b, int k)
{
    ifd__computing *m = &b->member[k];
    ifd_status status = ifd__computing_read(m);
    if (status == IFD_OK)
        status = ifd__computing_make_run(m, &b->run[k]);
    const char *why = status == IFD_OK ? ifd__run_refuses(b->run[k]) : NULL;
    if (why)
        status = ifd_note_add(&m->note, IFD_UNSUPPORTED, NULL, "not possible with 'ensemble': %s", why);
    b->status[k] = status;
    b->done[k] = status != IFD_OK;
}

/* Steps the runs to their ends; false: no memory for histories. */
static void step_through(block *b, ifd__run_ensemble *e, ifd_run *const *lane)
{
    ifd_run_state state[IFD__LANES] = {IFD_RUN_GOING};
    bool going = true;
    for (int k = 0; k < b->count; k++)
        if (lane[k] && !ifd__computing_row(&b->member[k], lane[k]))
            b->status[k] = IFD_NO_MEMORY;
    while (going) {
        going = ifd__run_ensemble_tick(e, state);
        for (int k = 0; k < b->count && going; k++)
            if (lane[k] && !ifd__computing_row(&b->member[k], lane[k]))
                b->status[k] = IFD_NO_MEMORY;
    }
}

/* The first member that is not done, with all that may be in the same ensemble. */
static bool compute_next(block *b)
{
    ifd_run *lane[IFD__LANES] = {NULL};
    ifd__run_ensemble *e;
    int first = 0;
    while (first < b->count && b->done[first])
        first++;
    if (first == b->count)
        return false;
    for (int k = first; k < b->count; k++)
        if (!b->done[k] && (k == first || ifd__run_joins(b->run[first], b->run[k]))) {
            lane[k] = b->run[k];
            b->done[k] = true;
        }
    ifd_status status = ifd__run_ensemble_make(b->arena, lane, &e, &b->member[first].note);
    if (status == IFD_OK)
        step_through(b, e, lane);
    for (int k = 0; k < b->count; k++)
        if (lane[k] && status == IFD_OK)
            ifd__computing_finish_run(&b->member[k], lane[k]);
        else if (lane[k])
            b->status[k] = status;
    return true;
}

/* One arena for all, so that equal matrices are factored once. */
static bool begin(block *b, ifd_study_runner *r, const long *number, const double *const *value)
{
    b->arena = ifd_arena_open();
    bool good = b->arena && ifd__factors_make(b->arena);
    for (int k = 0; k < b->count && good; k++)
        good = ifd__computing_begin(&b->member[k], r, b->arena, number[k], value[k]);
    return good;
}

void ifd__study_compute_block(ifd_study_runner *r, int count, const long *number, const double *const *value,
                              void (*put)(void *self, const void *bytes, size_t length), void *self)
{
    block b = {.count = count};
    bool good = begin(&b, r, number, value);
    for (int k = 0; k < count && good; k++)
        prepare(&b, k);
    while (good && compute_next(&b))
        ;
    for (int k = 0; k < count; k++) {
        size_t length = 0;
        const void *bytes = good ? ifd__computing_end(&b.member[k], b.status[k], &length) : NULL;
        put(self, bytes, length);
        if (b.run[k])
            ifd_run_close(b.run[k]);
    }
    ifd_arena_close(b.arena);
}
