/* SPDX-License-Identifier: MIT */
/* Runs that are stepped together and keep only motions of dofs: the states stay in the lanes, the ground motion is
 * evaluated for many steps at once, and the energy balance is omitted. Its verdict, that the method creates energy,
 * cannot occur: LSRT2 is A-stable for linear models, and stable with elements whose initial tangent, which the
 * Jacobian has, is their stiffest. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "method/ensemble.h"
#include "base/arena.h"
#include "model/element.h"
#include "model/signal/wave.h"
#include "run/ensemble.h"
#include "run/run.h"
#include "substructure/lockstep.h"

enum { L = IFD__LANES, STEPS = 64 }; /* ground motion of this many steps at once */

typedef struct half {
    ifd__ensemble *lanes;
    ifd_run *run[L]; /* NULL: idle, or at its end */
    const ifd__sweep *ask;
    double *ground[3]; /* STEPS x stages x L; NULL: no motion in this direction */
    double *out;       /* STEPS x 2 x L: displacement and velocity of models with one dof */
} half;

typedef struct sweep {
    int count;
    half half[2];
    ifd__ensemble *lanes[2];
    int direction; /* of models with one dof, which are advanced by many steps; -1: others */
    double h;
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

static void times(double h, long k, double *t)
{
    double second = ifd__ensemble_second() * h;
    for (int i = 0; i < STEPS; i++) {
        t[2 * i] = h * (double)(k + i);
        t[2 * i + 1] = t[2 * i] + second;
    }
}

static const ifd_signal *signal_of(const ifd_run *r, int d)
{
    return r->response.model[0].m->ground[d].signal;
}

/* The ground motion of all lanes in the steps from k on. */
static void fill(sweep *s, half *g, long k)
{
    times(s->h, k, s->t);
    for (int l = 0; l < L; l++)
        for (int d = 0; d < 3 && g->run[l]; d++) {
            const ifd__run_motion *m = &g->ask->ground[l];
            if (!signal_of(g->run[l], d))
                continue;
            if (!m->values)
                ifd__signal_values(signal_of(g->run[l], d), 2 * STEPS, s->t, s->a);
            for (int i = 0; i < 2 * STEPS; i++)
                g->ground[d][L * i + l] = m->values ? 0 + m->factor * m->values[2 * k + i] : s->a[i];
        }
}

static void give(half *g, int lane)
{
    double *x[L] = {NULL};
    x[lane] = g->run[lane]->x;
    ifd__ensemble_give(g->lanes, x);
}

static bool is_velocity(const ifd_run *r, int column)
{
    return r->column[column].quantity == IFD_COLUMN_VELOCITY;
}

/* The kept columns of a lane. */
static void publish(half *g, int lane, double t)
{
    const ifd_run *r = g->run[lane];
    for (int k = 0; k < g->ask->columns[lane]; k++) {
        int column = g->ask->column[lane][k];
        r->values[column] =
            ifd__ensemble_row(g->lanes, r->response.place[column].index, is_velocity(r, column))[lane];
    }
    g->ask->row(g->ask->self, lane, t, r->values);
}

/* The run of a lane has made k steps. */
static void note_step(half *g, int lane, long k)
{
    ifd__run_own(g->run[lane])->step = (double)k;
    give(g, lane);
}

/* The end of step k, counted from 1, in a lane. */
static void finish_step(const sweep *s, half *g, int lane, long k, bool large)
{
    ifd_run *r = g->run[lane];
    bool ends = k >= r->steps;
    if (large || ends)
        note_step(g, lane, k);
    if (large && ifd__run_check(r))
        ends = true;
    else if (k % r->every == 0)
        publish(g, lane, s->h * (double)k);
    if (ends)
        g->run[lane] = NULL;
}

static void step(sweep *s, half *g, long k)
{
    const double limit = IFD__RUN_SIZE_LIMIT * IFD__RUN_SIZE_LIMIT;
    const double *given[3] = {NULL};
    double square[L];
    for (int d = 0; d < 3; d++)
        given[d] = g->ground[d] ? g->ground[d] + 2 * L * (k % STEPS) : NULL;
    ifd__ensemble_advance(g->lanes, given);
    ifd__ensemble_squares(g->lanes, square);
    for (int l = 0; l < L; l++)
        if (g->run[l])
            finish_step(s, g, l, k + 1, !(square[l] <= limit));
}

static bool any_left(const sweep *s)
{
    bool any = false;
    for (int g = 0; g < s->count; g++)
        for (int l = 0; l < L; l++)
            any = any || s->half[g].run[l];
    return any;
}

/* The rows of steps k + 1 to k + count of a lane. */
static void deliver(const sweep *s, half *g, int lane, long k, int count)
{
    const ifd_run *r = g->run[lane];
    const ifd__sweep *ask = g->ask;
    enum { MOST = 64 };
    const double *value[MOST];
    bool whole = ask->piece && r->every == 1 && ask->columns[lane] <= MOST;
    for (int c = 0; whole && c < ask->columns[lane]; c++)
        value[c] = g->out + (is_velocity(r, ask->column[lane][c]) ? L : 0) + lane;
    if (whole)
        ask->piece(ask->self, lane, &(ifd__swept){count, k + 1, s->h, value, 2 * L});
    for (int i = 0; i < count && !whole; i++) {
        if ((k + 1 + i) % r->every != 0)
            continue;
        for (int c = 0; c < ask->columns[lane]; c++)
            r->values[ask->column[lane][c]] =
                g->out[2 * L * i + (is_velocity(r, ask->column[lane][c]) ? L : 0) + lane];
        ask->row(ask->self, lane, s->h * (double)(k + 1 + i), r->values);
    }
    if (k + count >= r->steps) {
        note_step(g, lane, k + count);
        g->run[lane] = NULL;
    }
}

/* Steps of models with one dof, up to the next end of a run; their number, 0: to be made one by one. */
static int leap(sweep *s, long k)
{
    const double limit = IFD__RUN_SIZE_LIMIT * IFD__RUN_SIZE_LIMIT;
    ifd__lane_piece piece[2];
    int count = STEPS - (int)(k % STEPS);
    for (int g = 0; g < s->count; g++) {
        const half *f = &s->half[g];
        piece[g] =
            (ifd__lane_piece){.ground = f->ground[s->direction] + 2 * L * (k % STEPS), .out = f->out, .most = limit};
        for (int l = 0; l < L; l++) {
            piece[g].used[l] = f->run[l] != NULL;
            if (f->run[l] && f->run[l]->steps - k < count)
                count = (int)(f->run[l]->steps - k);
        }
    }
    if (!ifd__ensemble_oscillate(s->lanes, s->count, count, piece))
        return 0;
    for (int g = 0; g < s->count; g++)
        for (int l = 0; l < L; l++)
            if (s->half[g].run[l])
                deliver(s, &s->half[g], l, k, count);
    return count;
}

static ifd_status begin(sweep *s, half *g, ifd_arena *arena)
{
    double *x[L] = {NULL};
    for (int l = 0; l < L; l++) {
        const ifd_run *r = g->run[l];
        if (!r)
            continue;
        x[l] = r->x;
        s->h = r->numerical.step;
        for (int d = 0; d < 3; d++)
            if (signal_of(r, d) && !g->ground[d])
                IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(g->ground[d], (size_t)2 * STEPS * L)));
        g->ask->row(g->ask->self, l, 0.0, r->values);
        g->run[l] = r->steps > 0 ? g->run[l] : NULL;
    }
    ifd__ensemble_begin(g->lanes, x);
    return s->direction < 0 ? IFD_OK : IFD__TAKE(arena, IFD__ARRAY(g->out, (size_t)2 * STEPS * L));
}

/* A piece in which a motion becomes large is made step by step. */
static void go(sweep *s)
{
    long slow = s->direction < 0 ? LONG_MAX : 0;
    int made = 1;
    for (long k = 0; any_left(s); k += made) {
        for (int g = 0; g < s->count && k % STEPS == 0; g++)
            fill(s, &s->half[g], k);
        made = k < slow ? 0 : leap(s, k);
        if (made)
            continue;
        slow = k < slow ? slow : k - k % STEPS + STEPS;
        for (int g = 0; g < s->count; g++)
            step(s, &s->half[g], k);
        made = 1;
    }
}

ifd_status ifd__run_ensemble_sweep(ifd__run_ensemble *const *e, int count, ifd_arena *arena, const ifd__sweep *ask)
{
    sweep *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->count = count;
    for (int g = 0; g < count; g++)
        s->lanes[g] = s->half[g].lanes = ifd__lockstep_lanes(e[g]->numerical);
    s->direction = ifd__ensemble_oscillates(s->lanes, count);
    for (int g = 0; g < count; g++) {
        s->half[g].ask = &ask[g];
        memcpy(s->half[g].run, e[g]->run, sizeof s->half[g].run);
        IFD_TRY(begin(s, &s->half[g], arena));
    }
    go(s);
    return IFD_OK;
}

bool ifd__run_single(const ifd_run *r)
{
    return r->models == 1 && r->response.model[0].m->n == 1;
}

/* The direction of the ground motion, if there is one only; -1: none, or several. */
static int direction_of(const ifd_run *r)
{
    int found = -1, count = 0;
    for (int d = 0; d < 3; d++)
        if (signal_of(r, d)) {
            found = d;
            count++;
        }
    return count == 1 ? found : -1;
}

ifd__run_motion ifd__run_ground(ifd_arena *arena, const ifd_run *r)
{
    enum { MOST = 1 << 17 };
    int d = ifd__run_single(r) ? direction_of(r) : -1;
    size_t pieces = (size_t)(r->steps / STEPS + 1);
    if (d < 0 || r->steps > MOST)
        return (ifd__run_motion){NULL, 0.0};
    ifd_signal signal = *signal_of(r, d);
    ifd__wave wave = *signal.wave;
    double t[2 * STEPS], *out = ifd_arena_array(arena, 2 * STEPS * pieces, sizeof *out);
    if (signal.count == 1) {
        wave.factor = 1.0;
        signal.wave = &wave;
    }
    for (size_t k = 0; out && k < pieces; k++) {
        times(r->numerical.step, (long)(k * STEPS), t);
        ifd__signal_values(&signal, 2 * STEPS, t, out + 2 * STEPS * k);
    }
    return (ifd__run_motion){out, signal.count == 1 ? signal_of(r, d)->wave->factor : 1.0};
}

ifd_run *ifd__run_copy(ifd_arena *arena, const ifd_run *r)
{
    ifd_run *copy;
    double *x, *values;
    if (IFD__TAKE(arena, IFD__ARRAY(copy, 1), IFD__ARRAY(x, r->size), IFD__ARRAY(values, r->columns)) != IFD_OK)
        return NULL;
    memcpy(x, r->x, (size_t)r->size * sizeof *x);
    memcpy(values, r->values, (size_t)r->columns * sizeof *values);
    *copy = *r;
    copy->x = x;
    copy->values = values;
    return copy;
}
