/* SPDX-License-Identifier: MIT */
/* Runs that are stepped together and keep only motions of dofs: the states stay in the lanes, the ground motion is
 * evaluated for many steps at once, and the energy balance is omitted. Its verdict, that the method creates energy,
 * cannot occur: LSRT2 is A-stable for linear models, and stable with elements whose initial tangent, which the
 * Jacobian has, is their stiffest. */
#include <math.h>
#include <string.h>

#include "method/ensemble.h"
#include "model/element.h"
#include "model/signal/wave.h"
#include "run/ensemble.h"
#include "run/run.h"
#include "substructure/lockstep.h"

enum { L = IFD__LANES, STEPS = 128 }; /* ground motion of this many steps at once */

typedef struct sweep {
    ifd__ensemble *lanes;
    ifd_run *run[L]; /* NULL: idle, or at its end */
    const ifd__sweep *ask;
    double h;
    double *ground[3]; /* STEPS x stages x L; NULL: no motion in this direction */
    double t[2 * STEPS], a[2 * STEPS];
} sweep;

static bool never_stiffens(const ifd_element *e)
{
    double p[5];
    if (ifd__element_is_slider(e, p))
        return p[0] >= 0.0 && p[1] >= 0.0;
    return ifd__element_is_bouc_wen(e, p) && p[0] >= 0.0 && p[1] >= 0.0 && p[2] >= fabs(p[3]);
}

bool ifd__run_sweeps(const ifd_run *r, int columns, const int *column)
{
    const ifd_model *m = r->models == 1 ? r->response.model[0].m : NULL;
    if (!m || r->specimens || m->nload || !r->numerical.stepper)
        return false;
    for (int e = 0; e < m->ne; e++)
        if (!never_stiffens(&m->element[e]))
            return false;
    for (int k = 0; k < columns; k++) {
        ifd_quantity q = r->column[column[k]].quantity;
        bool moves = q == IFD_COLUMN_DISPLACEMENT || q == IFD_COLUMN_VELOCITY;
        if (!moves || r->response.place[column[k]].condensed)
            return false;
    }
    return true;
}

/* The ground motion of all lanes in the steps from k on. */
static void fill(sweep *s, long k)
{
    double second = ifd__ensemble_second() * s->h;
    for (int i = 0; i < STEPS; i++) {
        double t = s->h * (double)(k + i);
        s->t[2 * i] = t;
        s->t[2 * i + 1] = t + second;
    }
    for (int l = 0; l < L; l++)
        for (int d = 0; d < 3 && s->run[l]; d++) {
            const ifd_signal *signal = s->run[l]->response.model[0].m->ground[d].signal;
            if (!signal)
                continue;
            ifd__signal_values(signal, 2 * STEPS, s->t, s->a);
            for (int i = 0; i < 2 * STEPS; i++)
                s->ground[d][L * i + l] = s->a[i];
        }
}

static void give(sweep *s, int lane)
{
    double *x[L] = {NULL};
    x[lane] = s->run[lane]->x;
    ifd__ensemble_give(s->lanes, x);
}

/* The kept columns of a lane. */
static void publish(sweep *s, int lane, double t)
{
    const ifd_run *r = s->run[lane];
    for (int k = 0; k < s->ask->columns[lane]; k++) {
        int column = s->ask->column[lane][k];
        bool velocity = r->column[column].quantity == IFD_COLUMN_VELOCITY;
        r->values[column] = ifd__ensemble_row(s->lanes, r->response.place[column].index, velocity)[lane];
    }
    s->ask->row(s->ask->self, lane, t, r->values);
}

/* The end of step k, counted from 1, in a lane. */
static void finish_step(sweep *s, int lane, long k, bool large)
{
    ifd_run *r = s->run[lane];
    bool ends = k >= r->steps;
    if (large || ends) {
        ifd__run_own(r)->step = (double)k;
        give(s, lane);
    }
    if (large && ifd__run_check(r))
        ends = true;
    else if (k % r->every == 0)
        publish(s, lane, s->h * (double)k);
    if (ends)
        s->run[lane] = NULL;
}

static bool step(sweep *s, long k)
{
    const double limit = IFD__RUN_SIZE_LIMIT * IFD__RUN_SIZE_LIMIT;
    const double *given[3] = {NULL};
    double square[L];
    bool any = false;
    if (k % STEPS == 0)
        fill(s, k);
    for (int d = 0; d < 3; d++)
        given[d] = s->ground[d] ? s->ground[d] + 2 * L * (k % STEPS) : NULL;
    ifd__ensemble_advance(s->lanes, given);
    ifd__ensemble_squares(s->lanes, square);
    for (int l = 0; l < L; l++) {
        if (s->run[l])
            finish_step(s, l, k + 1, !(square[l] <= limit));
        any = any || s->run[l];
    }
    return any;
}

static ifd_status begin(sweep *s, ifd_arena *arena)
{
    double *x[L] = {NULL};
    for (int l = 0; l < L; l++) {
        const ifd_run *r = s->run[l];
        if (!r)
            continue;
        x[l] = r->x;
        s->h = r->numerical.step;
        for (int d = 0; d < 3; d++)
            if (r->response.model[0].m->ground[d].signal && !s->ground[d])
                IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->ground[d], (size_t)2 * STEPS * L)));
        s->ask->row(s->ask->self, l, 0.0, r->values);
        s->run[l] = r->steps > 0 ? s->run[l] : NULL;
    }
    ifd__ensemble_begin(s->lanes, x);
    return IFD_OK;
}

ifd_status ifd__run_ensemble_sweep(ifd__run_ensemble *e, ifd_arena *arena, const ifd__sweep *ask)
{
    sweep *s = ifd_arena_take(arena, sizeof *s);
    bool any = false;
    if (!s)
        return IFD_NO_MEMORY;
    s->lanes = ifd__lockstep_lanes(e->numerical);
    s->ask = ask;
    memcpy(s->run, e->run, sizeof s->run);
    IFD_TRY(begin(s, arena));
    for (int l = 0; l < L; l++)
        any = any || s->run[l];
    for (long k = 0; any; k++)
        any = step(s, k);
    return IFD_OK;
}
