/* SPDX-License-Identifier: MIT */
/* Makes a test on its virtual rig and probes it in the state run. */
#include "analysis/loop.h"
#include "model/linearised.h"
#include "analysis/krylov.h"
#include "base/random.h"
#include "hybrid/chain/effective_force.h"
#include "hybrid/update.h"
#include "analysis/verdict.h"
#include "analysis/windows.h"
#include "hybrid/hybrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cblas.h> /* last: it defines I */

/* Up to FEW state variables all roots are computed; above, the largest ones. If that leaves a doubt, all roots are
 * computed up to SOME; if it fails, up to MOST. Above MOST a larger space is tried. */
enum { FEW = 400, SOME = 800, MOST = 2000 };
enum { MOST_START = 50000 }; /* ticks to the state run: force control takes time */

static bool at_start_of_cycle(const ifd_hybrid *h)
{
    return ifd_hybrid_state(h) == IFD_MACHINE_RUN && h->pace->due(h) && ifd__test_of(h)->exchange == 0.0;
}

/* Idle, ready, ramp-in, run, and past the start-up of methods that remember more than one step. */
static bool bring_to_run(ifd_hybrid *h)
{
    const double warm = 12.0; /* steps */
    ifd_ticked t = ifd_hybrid_ticked(h);
    for (int k = 0; k < MOST_START; k++) {
        if (t.tick(t.self, &(ifd_tick_in){0}) != IFD_RUN_GOING)
            return false;
        if (ifd__state_of(h) == IFD_MACHINE_RUN && at_start_of_cycle(h) &&
            ifd__test_of(h)->step >= warm + h->numerical.rehearsed)
            return true;
    }
    return false;
}

static bool cycle(void *what, double *x)
{
    ifd__probed_loop *p = what;
    ifd_ticked t = ifd_hybrid_ticked(p->h);
    memcpy(p->h->x, x, sizeof *x * (size_t)p->h->size);
    for (int k = 0; k < p->ticks; k++)
        if (t.tick(t.self, &(ifd_tick_in){0}) != IFD_RUN_GOING)
            return false;
    memcpy(x, p->h->x, sizeof *x * (size_t)p->h->size);
    return ifd_hybrid_state(p->h) == IFD_MACHINE_RUN;
}

enum { MOST_COORDINATES = 16 };

/* Whether springs and elements without states or damping are all that holds dof i. */
static bool only_stiffness(const ifd_model *m, int i)
{
    double zero[MOST_COORDINATES] = {0.0}, r_v[MOST_COORDINATES * MOST_COORDINATES];
    bool only = m->ray_k == 0.0 && ifd__sparse_get(&m->C, i, i) == 0.0;
    for (int e = 0; e < m->ne && only; e++) {
        const ifd_element *element = &m->element[e];
        int nq = element->nq;
        bool touches = false;
        for (int k = m->b_start[m->q_of[e]]; k < m->b_start[m->q_of[e + 1]]; k++)
            touches = touches || m->b_dof[k] == i;
        if (!touches)
            continue;
        only = nq <= MOST_COORDINATES && element->ns == 0;
        memset(r_v, 0, sizeof r_v);
        if (only)
            element->ops->eval(element, &(ifd_element_in){.q = zero, .qd = zero, .qdd = zero, .s = zero},
                               &(ifd_element_out){.r_v = r_v});
        for (int k = 0; k < nq * nq && only; k++)
            only = r_v[k] == 0.0;
    }
    return only;
}

/* A dof without mass is in the subspace of the roots at infinity of E y' = J y with its velocity, and with its
 * displacement if only stiffness holds it. A method with the Jacobian J maps this subspace into itself by roots of
 * zero, and nothing else depends on it. Its columns would contain nothing but rounding, which is large: velocities
 * there are displacements over the step. */
static int drop_massless(const ifd_model *m, int at, int count, int *state)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        int i = state[k] - at, dof = i < m->n ? i : i - m->n;
        bool own = m->massless && i >= 0 && i < 2 * m->n && m->massless[dof];
        if (!own || (i < m->n && !only_stiffness(m, dof)))
            state[kept++] = state[k];
    }
    return kept;
}

/* State variables that the next cycle depends on. The position of the governor does not count: without limits it
 * follows at once. */
static int find_states(const ifd_hybrid *h, int *state)
{
    static const int path[] = {
        IFD__MEMBER_AT(ifd__interface_state, from_u), IFD__MEMBER_AT(ifd__interface_state, from_v),
        IFD__MEMBER_AT(ifd__interface_state, to_u), IFD__MEMBER_AT(ifd__interface_state, to_v)};
    static const int governed[] = {IFD__MEMBER_AT(ifd__interface_state, command),
                                   IFD__MEMBER_AT(ifd__interface_state, step)};
    const ifd__substructure *s = &h->numerical;
    int count = ifd__probe_rows(s->rows, s->row, true, state);
    for (int p = 0; p < s->models; p++)
        count = drop_massless(s->model[p].m, s->model[p].at, count, state);
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__test_interface *w = &h->interface[k];
        const int at = ifd__place_of(h, h->each[k]);
        for (size_t i = 0; i < sizeof path / sizeof *path; i++)
            state[count++] = at + path[i];
        for (int i = 0; i < 2 && w->o->force; i++) /* an outer loop integrates */
            state[count++] = at + governed[i];
        for (int i = 0; i < IFD__MEMBER_AT(ifd__pushed, spring) && h->io.pushed[k]; i++) /* the fit is only judged */
            state[count++] = ifd__place_of(h, h->io.pushed[k]) + i;
        for (int i = 0; i < IFD__DOUBLES(ifd__walled) && h->io.walled[k]; i++)
            state[count++] = ifd__place_of(h, h->io.walled[k]) + i;
        if (h->io.pushed[k])
            state[count++] = at + IFD__MEMBER_AT(ifd__interface_state, force_target);
        if (!w->compensator)
            continue;
        int own = ifd__probe_rows(w->compensator->rows, w->compensator->row, false, state + count);
        for (int i = 0; i < own; i++)
            state[count + i] += at + IFD__DOUBLES(ifd__interface_state);
        count += own;
    }
    return count + ifd__late_states(&h->rig, h->rig_at, state + count);
}

static bool linear_models(const ifd_hybrid *h)
{
    for (int p = 0; p < h->numerical.models; p++)
        if (!ifd__probe_exact(h->numerical.model[p].m))
            return false;
    return true;
}

/* The geometry of a drive is nonlinear, and so is a model on the rig with pendulums. */
static bool linear_specimens(const ifd__loop *l)
{
    if (l->test->drives > 0 || l->laboratory->models > 0)
        return false;
    for (int k = 0; k < l->test->interfaces; k++) {
        ifd_virtual_actuator bench = ifd__bench_of(l->test, l->laboratory, k);
        if (!ifd__specimen_linear(&bench) && !ifd__linearisable(bench.specimen))
            return false;
    }
    return true;
}

/* A controlled force rests at its target, meganewtons perhaps: beside it a change by one small unit of every number
 * is rounding, also in a loop that is linear. */
static bool holds_force(const ifd_hybrid_options *test)
{
    for (int k = 0; k < test->interfaces; k++)
        if (test->interface[k].force)
            return true;
    return false;
}

/* True if a number depends on others and others depend on it. */
static bool in_loop(int n, const double *A, int j)
{
    bool reads = false, is_read = false;
    for (int i = 0; i < n; i++) {
        reads = reads || A[(size_t)j + (size_t)i * (size_t)n] != 0.0;
        is_read = is_read || A[(size_t)i + (size_t)j * (size_t)n] != 0.0;
    }
    return reads && is_read;
}

/* Differences are accurate if they are large relative to rounding, which is 4e-16 m for a length of 3 m. A unit state
 * of every kind should move the specimens equally. The scales are those that balance a first probe with unit scales.
 * The smallest of them, a displacement, is kept. */
static ifd_status size_units(ifd__probed_loop *p)
{
    int n = p->probe.n;
    double *A IFD__FREED = malloc(((size_t)n * (size_t)n + 1) * sizeof *A), *unit, least = (double)INFINITY;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(unit, (size_t)n + 1)));
    IFD_TRY(A ? ifd__probe_matrix(&p->probe, A) : IFD_NO_MEMORY);
    for (int i = 0; i < n; i++)
        A[(size_t)i * ((size_t)n + 1)] = 0.0;
    IFD_TRY(ifd__balance(n, A, unit));
    for (int j = 0; j < n; j++)
        if (in_loop(n, A, j))
            least = fmin(least, unit[j]);
    for (int j = 0; j < n; j++)
        unit[j] = in_loop(n, A, j) ? unit[j] / least : 1.0;
    p->probe.unit = unit;
    return IFD_OK;
}

/* s := the difference of the cycles of +a v and -a v, over 2 a and in unit states. */
static bool difference(const ifd__probe *p, const double *v, double a, double *x, double *s)
{
    for (int side = 0; side < 2; side++) {
        double sign = side ? -1.0 : 1.0;
        memcpy(x, p->rest, sizeof *x * (size_t)p->size);
        for (int i = 0; i < p->n; i++)
            x[p->state[i]] += sign * a * p->unit[i] * v[i];
        if (!p->step(p->what, x))
            return false;
        for (int i = 0; i < p->n; i++)
            s[i] = (side ? s[i] : 0.0) + sign * x[p->state[i]] / (2.0 * a * p->unit[i]);
    }
    return true;
}

/* Distance between differences of the widths a and 2 a; INFINITY if a cycle failed. */
static double defect(const ifd__probe *p, const double *v, double a, double *x, double *work)
{
    double sum = 0.0, *wide = work, *narrow = work + p->n;
    if (!difference(p, v, 2.0 * a, x, wide) || !difference(p, v, a, x, narrow))
        return (double)INFINITY;
    for (int i = 0; i < p->n; i++)
        sum += (wide[i] - narrow[i]) * (wide[i] - narrow[i]);
    return sqrt(sum);
}

/* Differences have an error of curvature, which falls with the square of the amplitude, and one of rounding, which
 * rises as it falls (a factor of 32: 1000 and 32). The amplitude with the smallest sum, for a random state. */
static ifd_status choose_amplitude(ifd__probed_loop *p)
{
    ifd__probe *q = &p->probe;
    double *x, *v, least = (double)INFINITY, best = q->amplitude;
    ifd__random random;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(x, q->size), IFD__ARRAY(v, 3 * (size_t)q->n + 1)));
    ifd__random_seed(&random, 3);
    for (int i = 0; i < q->n; i++)
        v[i] = ifd__random_normal(&random);
    for (int k = 0; k < 3; k++) {
        double a = ldexp(IFD__LOOP_SMALL, -5 * k), found = defect(q, v, a, x, v + q->n);
        best = found < least ? a : best;
        least = fmin(least, found);
    }
    q->amplitude = best;
    return IFD_OK;
}

/* The copies of identified specimens with other parameters. What the method computed from the start values
 * remains, as in a test. */
static ifd_status move_copies(const ifd__probed_loop *p, const ifd__loop *l, const double *deviation)
{
    const ifd_model *m = p->h->numerical.model[0].m, *whole = l->test->model;
    double *q;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(q, whole->nq)));
    if (whole->settled)
        ifd__model_start(whole, q);
    for (int i = 0; i < l->test->identified; i++)
        for (int k = 0; k < l->test->identify[i].copies; k++) {
            double s[1 + IFD__LAW_PARAMS] = {0.0};
            const char *name = l->test->identify[i].copy[k];
            int from = ifd__update_element(whole, name), e = ifd__update_element(m, name);
            memcpy(s + 1, deviation + i * IFD__LAW_PARAMS, sizeof *s * IFD__LAW_PARAMS);
            if (from < 0 || e < 0 || !ifd__linearised(&m->element[e]))
                return IFD_UNSUPPORTED;
            s[0] = whole->s0[whole->s_of[from]];
            IFD_TRY(ifd__linearised_at(p->scratch, &whole->element[from], q + whole->q_of[from], s, &m->element[e]));
        }
    return IFD_OK;
}

ifd_status ifd__probed_loop_make(ifd__probed_loop *p, const ifd__loop *l, const ifd__variant *v, ifd_note *note)
{
    ifd__variant probed = *v;
    probed.unlimited = probed.linear = probed.still = probed.quiet = true;
    ifd_hybrid_options options;
    IFD_TRY(ifd__variant_make(p->scratch, l->test, l->laboratory, &probed, &options));
    options.what = IFD_RECORD_GROUND; /* rows are not used: the least costly choice */
    IFD_TRY(ifd_hybrid_make(p->scratch, &options, &p->h, note));
    ifd_hybrid *h = p->h;
    h->facts.frozen = true;
    ifd__hybrid_untraced(h);
    if (v->deviation)
        IFD_TRY(move_copies(p, l, v->deviation));
    int cycles = h->numerical.period;
    p->ticks = h->opt.ticks_per_stage * h->numerical.exchanges * cycles;
    p->cycle = h->numerical.step * cycles;
    int *state;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(state, h->size), IFD__ARRAY(p->rest, h->size)));
    if (!bring_to_run(h))
        return IFD_DIVERGED;
    memcpy(p->rest, h->x, sizeof *p->rest * (size_t)h->size);
    p->probe = (ifd__probe){.size = h->size,
                            .n = find_states(h, state),
                            .state = state,
                            .rest = p->rest,
                            .amplitude = IFD__LOOP_SMALL,
                            .central = !linear_models(h) || !linear_specimens(l),
                            .step = cycle,
                            .what = p};
    if (!(p->probe.central || holds_force(l->test)) || p->probe.n > MOST)
        return IFD_OK;
    IFD_TRY(size_units(p));
    return choose_amplitude(p);
}

typedef struct pair {
    double frequency, damping;
} pair;

static int by_damping(const void *a, const void *b)
{
    double x = ((const pair *)a)->damping, y = ((const pair *)b)->damping;
    return x < y ? -1 : x > y;
}

/* Oscillating roots that do not decay within a few cycles. */
static void sort_roots(const ifd__roots *r, ifd_arena *arena, ifd__loop_roots *out)
{
    double period = out->cycle;
    out->stable = ifd__roots_stable(r) && !out->undecided;
    pair *found IFD__FREED = malloc(((size_t)r->n + 1) * sizeof *found);
    for (int i = 0; i < r->n; i++) {
        double size = hypot(r->real[i], r->imag[i]), angle = atan2(r->imag[i], r->real[i]);
        out->radius = fmax(out->radius, ifd__root_modulus(r, i));
        if (found && angle > 1e-9 && size > 0.05)
            found[out->count++] = (pair){angle / (2.0 * M_PI * period), -log(size) / angle};
    }
    if (out->count) {
        qsort(found, (size_t)out->count, sizeof *found, by_damping);
        out->frequency = found[0].frequency;
        out->damping = found[0].damping;
    }
    out->at = arena ? ifd_arena_array(arena, (size_t)out->count, sizeof *out->at) : NULL;
    out->ratio = arena ? ifd_arena_array(arena, (size_t)out->count, sizeof *out->ratio) : NULL;
    for (int i = 0; i < out->count && out->at && out->ratio; i++) {
        out->at[i] = found[i].frequency;
        out->ratio[i] = found[i].damping;
    }
}

static ifd_status all_roots(ifd__probed_loop *p, ifd_arena *arena, ifd__decision *decision, ifd__roots *roots,
                            ifd_note *note)
{
    size_t n = (size_t)p->probe.n;
    double *A, *scale;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(A, n * n), IFD__ARRAY(scale, n)));
    return ifd__verdict_of(&p->probe, arena, &(ifd__balanced){A, scale, decision}, false, roots, note);
}

static ifd_status find_roots(ifd__probed_loop *p, ifd_arena *arena, ifd__decision *decision, ifd__roots *roots,
                             ifd_note *note)
{
    ifd_status status = IFD_UNSUPPORTED;
    int lines = p->h->hashed - p->h->numerical.size + p->h->rig.size; /* past values shift every tick */
    if (p->probe.n > FEW)
        status = ifd__krylov_roots(arena, &p->probe, lines / p->ticks + 2, roots, note);
    if (status == IFD_UNSUPPORTED && p->probe.n > MOST)
        status = ifd__krylov_radius(arena, &p->probe, lines / p->ticks + 2, 0.0, roots, note);
    if (status == IFD_OK && p->probe.n > FEW && p->probe.n <= SOME && ifd__roots_doubtful(roots))
        status = IFD_UNSUPPORTED;
    if (status == IFD_UNSUPPORTED && p->probe.n > MOST)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL,
                            "the loop has %d state variables and its largest root could not be computed", p->probe.n);
    if (status == IFD_OK && decision)
        ifd__roots_decide(roots, decision);
    return status == IFD_UNSUPPORTED ? all_roots(p, arena, decision, roots, note) : status;
}

/* The roots in arena; out: all other results of the loop, with a decision if `decide` is set. */
static ifd_status probe_roots(const ifd__loop *l, const ifd__variant *v, ifd_arena *arena, ifd__roots *roots,
                              ifd__loop_roots *out, ifd_note *note)
{
    ifd__probed_loop p = {.scratch = ifd_arena_open()};
    ifd__decision decision = {.stable = true};
    bool decide = out->decide;
    *out = (ifd__loop_roots){.decide = decide, .frequency = (double)NAN, .damping = (double)NAN};
    ifd_status status = p.scratch ? ifd__probed_loop_make(&p, l, v, note) : IFD_NO_MEMORY;
    if (status == IFD_OK) {
        out->states = p.probe.n;
        out->cycle = p.cycle;
        status = find_roots(&p, arena, decide ? &decision : NULL, roots, note);
        ifd__roots_distrust(roots);
        out->undecided = decision.undecided;
        out->resolution = decision.resolution;
    }
    ifd_hybrid_close(p.h);
    ifd_arena_close(p.scratch);
    return status;
}

ifd_status ifd__loop_probe(const ifd__loop *l, const ifd__variant *v, ifd_arena *arena, ifd__loop_roots *out,
                           ifd_note *note)
{
    ifd__roots roots = {0};
    ifd_arena *own IFD__CLOSED = ifd_arena_open();
    IFD_TRY(own ? probe_roots(l, v, own, &roots, out, note) : IFD_NO_MEMORY);
    sort_roots(&roots, arena, out);
    return IFD_OK;
}

typedef struct reaching {
    const ifd__loop *l;
    const ifd__variant *v;
    const ifd__search *s;
    ifd_note *note;
} reaching;

static ifd__variant moved_by(const ifd__variant *v, const ifd__search *s, double value)
{
    ifd__variant moved = *v;
    if (!s->unit) {
        memcpy((char *)&moved + s->member, &value, sizeof value);
        return moved;
    }
    moved.delay += value * s->unit->delay;
    moved.gain = (v->gain > 0.0 ? v->gain : 1.0) * pow(s->unit->gain, value);
    moved.stiffness = (v->stiffness > 0.0 ? v->stiffness : 1.0) * pow(s->unit->stiffness, value);
    return moved;
}

/* x grows from `from` to `most`, in either direction. */
static double sign_of(const ifd__search *s)
{
    return !s->added && s->most < s->start ? -1.0 : 1.0;
}

static double x_of(const ifd__search *s, double value)
{
    return sign_of(s) * log(fabs(value - (s->added ? s->start : 0.0)));
}

static double value_of(const ifd__search *s, double x)
{
    double size = exp(sign_of(s) * x);
    return s->added ? s->start + (s->most < s->start ? -size : size) : size;
}

static ifd_status roots_at(void *what, double x, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    const reaching *q = what;
    ifd__variant moved = moved_by(q->v, q->s, value_of(q->s, x));
    ifd__loop_roots unused = {0};
    IFD_TRY(probe_roots(q->l, &moved, arena, out, &unused, note));
    ifd__roots_join(out);
    return IFD_OK;
}

/* True if the loop with that value is stable; sharp: its roots are inside the circle beyond doubt. */
static ifd_status stable_at(const reaching *q, double value, bool sharp, bool *stable)
{
    ifd__variant moved = moved_by(q->v, q->s, value);
    ifd__loop_roots unused = {0};
    ifd__roots roots = {0};
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd_status status = arena ? probe_roots(q->l, &moved, arena, &roots, &unused, q->note) : IFD_NO_MEMORY;
    *stable = status == IFD_OK && (sharp ? ifd__roots_inside(&roots) : ifd__roots_stable(&roots));
    return status == IFD_DIVERGED ? IFD_OK : status;
}

/* The first value is unstable: searches between it and the stable start. */
static ifd_status within_first(const reaching *q, double fine, bool sharp, ifd__reach *out)
{
    double good = q->s->start, bad = q->s->from;
    while (fabs(bad - good) > fine * fmax(fabs(good), fabs(q->s->from - q->s->start))) {
        double middle = 0.5 * (good + bad);
        bool stable;
        IFD_TRY(stable_at(q, middle, sharp, &stable));
        *(stable ? &good : &bad) = middle;
        out->probes++;
    }
    out->value = good;
    return IFD_OK;
}

ifd_status ifd__loop_reach(const ifd__loop *l, const ifd__variant *v, const ifd__search *s, ifd__reach *out,
                           ifd_note *note)
{
    reaching q = {.l = l, .v = v, .s = s, .note = note};
    double fine = s->coarse ? 1e-2 : 1e-3;
    const ifd__window_search search = {.probe = roots_at,
                                       .what = &q,
                                       .from = x_of(s, s->from),
                                       .to = x_of(s, s->most),
                                       .width = log(s->coarse ? 1.25 : 1.05),
                                       .base = log(1.5),
                                       .edge = fine,
                                       .uniform = s->coarse,
                                       .crossing = true,
                                       .note = note};
    ifd__window found;
    IFD_TRY(ifd__windows_first(&search, &found));
    *out = (ifd__reach){.value = s->most, .found = found.found, .probes = found.probes};
    if (!found.found)
        return IFD_OK;
    bool first = isnan(found.stable), sharp = false;
    if (first || found.before)
        IFD_TRY(stable_at(&q, s->start, true, &sharp));
    if (first || (found.before && sharp))
        return within_first(&q, fine, sharp, out);
    out->value = value_of(s, found.stable);
    return IFD_OK;
}

/* Noise gains of a loop.
 *
 * One cycle of the loop is z := A z + B w with commands u = C z + D w: z its state, w the noise of every sensor at
 * every tick of the cycle, u all commands of the cycle. White noise of RMS one gives
 *
 *     P = A P A' + B B',     E u u' = C P C' + D D',
 *
 * and P is the sum of A^i B B' A'^i. Doubling, P := P + A P A', A := A A, computes it: each turn covers as many
 * cycles as all turns before, so a decay over a million cycles takes twenty turns. The remainder is about the square
 * of the last contribution. A, B, C and D are probed in the same way as for roots. */

/* 2^30 cycles are days of a test: a longer response counts as not decaying. */
enum { MOST_TURNS = 30 };
/* Relative contribution of the last turn to the square of a gain. */
static const double settled = 1e-9;
/* Above this number of state variables, matrix products take longer than stepping the responses. */
enum { MANY = 300 };

typedef struct noise {
    const ifd__probed_loop *p;
    int n, outs, ins; /* state variables; commands of a cycle; sensors of one kind, times the ticks of a cycle */
    double *u[2];     /* commands of a cycle, after a disturbance of either sign */
    double *A, *B, *C, *D;
    double *P, *W;
} noise;

/* Command of an actuator of the rig: of a drive, or of its interface. */
static double command_of(const ifd_hybrid *h, int a)
{
    const ifd__owner o = ifd__owner_of(h, h->interfaces + a);
    return o.drive ? ifd__actuator_of(h, o.drive, o.j)->command : ifd__interface_of(h, o.interface)->command;
}

/* A cycle with `size` added to *of in tick `phase`; returns the commands. */
static bool cycle_with(const ifd__probed_loop *p, double *of, double size, int phase, double *u)
{
    ifd_hybrid *h = p->h;
    ifd_ticked t = ifd_hybrid_ticked(h);
    bool good = true;
    for (int i = 0; i < p->ticks && good; i++) {
        *of = i == phase ? size : 0.0;
        good = t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING;
        for (int a = 0; a < h->actuators; a++)
            *u++ = command_of(h, a);
    }
    *of = 0.0;
    return good && ifd_hybrid_state(h) == IFD_MACHINE_RUN;
}

/* Effect of a change at *of on the state (a column of A or B) and on the commands (of C or D), by central
 * differences. phase: the tick in which it acts; -1: a state variable, changed at the start. */
static bool probe(const noise *s, double *of, double size, int phase, double *state, double *command)
{
    const ifd__probe *q = &s->p->probe;
    double *x = s->p->h->x, unused = 0.0;
    bool good = true;
    for (int side = 0; side < 2 && good; side++) {
        double sign = side ? -1.0 : 1.0;
        memcpy(x, s->p->rest, sizeof *x * (size_t)q->size);
        if (phase < 0)
            *of += sign * size;
        good = cycle_with(s->p, phase < 0 ? &unused : of, sign * size, phase, s->u[side]);
        for (int i = 0; i < s->n; i++)
            state[i] = side ? (state[i] - x[q->state[i]]) / (2.0 * size) : x[q->state[i]];
    }
    for (int i = 0; i < s->outs; i++)
        command[i] = (s->u[0][i] - s->u[1][i]) / (2.0 * size);
    return good;
}

static bool probe_states(const noise *s)
{
    const ifd__probe *q = &s->p->probe;
    for (int j = 0; j < s->n; j++)
        if (!probe(s, &s->p->h->x[q->state[j]], q->amplitude * (q->unit ? q->unit[j] : 1.0), -1,
                   s->A + (size_t)j * (size_t)s->n, s->C + (size_t)j * (size_t)s->outs))
            return false;
    return true;
}

static bool probe_sensors(const noise *s, double *of, double size)
{
    double *B = s->B, *D = s->D;
    for (int a = 0; a < s->p->h->rig.actuators; a++)
        for (int phase = 0; phase < s->p->ticks; phase++, B += s->n, D += s->outs)
            if (!probe(s, &of[a], size, phase, B, D))
                return false;
    return true;
}

static void multiply(const noise *s, const double *X, const double *Y, CBLAS_TRANSPOSE of_y, double *Z)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, of_y, s->n, s->n, s->n, 1.0, X, s->n, Y, s->n, 0.0, Z, s->n);
}

/* The diagonal of C P C': squares of commands, per actuator as a mean over the ticks of a cycle. */
static void squares(const noise *s, const double *P, double *out)
{
    int K = s->p->h->actuators;
    memset(out, 0, sizeof *out * (size_t)K);
    for (int i = 0; i < s->outs; i++) {
        double sum = 0.0;
        for (int j = 0; j < s->n; j++)
            sum += s->C[i + j * s->outs] * cblas_ddot(s->n, P + (size_t)j * (size_t)s->n, 1, s->C + i, s->outs);
        out[i % K] += sum / s->p->ticks;
    }
}

/* Turns until the square of no command grows. W contains A P A', the contribution of a turn. */
static bool sum_up(const noise *s, double *A, double *square)
{
    size_t bytes = sizeof *s->P * (size_t)s->n * (size_t)s->n;
    double *V = s->W + (size_t)s->n * (size_t)s->n;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, s->n, s->n, s->ins, 1.0, s->B, s->n, s->B, s->n, 0.0, s->P,
                s->n);
    memcpy(A, s->A, bytes);
    squares(s, s->P, square);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        double more[IFD_RIG_ACTUATORS];
        bool grows = false;
        multiply(s, A, s->P, CblasNoTrans, V);
        multiply(s, V, A, CblasTrans, s->W);
        squares(s, s->W, more);
        for (int k = 0; k < s->p->h->actuators; k++) {
            square[k] += more[k];
            grows = grows || !(fabs(more[k]) <= settled * fabs(square[k])); /* not-a-number ends the loop too */
        }
        if (!grows)
            return true;
        cblas_daxpy(s->n * s->n, 1.0, s->W, 1, s->P, 1);
        multiply(s, A, A, CblasNoTrans, V);
        memcpy(A, V, bytes);
    }
    return false;
}

/* An impulse that changes no state variable by more than its unit state: 1 N may be large for a pendulum. */
static double small_impulse(const noise *s, double tried)
{
    const ifd__probe *q = &s->p->probe;
    double most = 0.0;
    for (int i = 0; i < s->n * s->ins; i++)
        most = fmax(most, fabs(s->B[i]) / (q->unit ? q->unit[i % s->n] : 1.0));
    return most > 0.0 ? exp2(floor(log2(q->amplitude / most))) : tried;
}

/* Gain of one kind of sensor. power: storage for a power of A. */
static void by_covariance(const noise *s, double *of, double size, double *power, double *gain)
{
    double square[IFD_RIG_ACTUATORS];
    int K = s->p->h->actuators;
    bool found = probe_sensors(s, of, size);
    if (found && s->p->probe.central)
        found = probe_sensors(s, of, small_impulse(s, size));
    found = found && sum_up(s, power, square);
    for (int i = 0; i < s->ins && found; i++)
        for (int j = 0; j < s->outs; j++) {
            double d = s->D[j + i * s->outs];
            square[j % K] += d * d / s->p->ticks;
        }
    for (int k = 0; k < K; k++)
        gain[k] = found && isfinite(square[k]) ? sqrt(fmax(square[k], 0.0)) : (double)NAN;
}

static ifd_status covariances(const ifd__probed_loop *p, ifd__disturbance *now, ifd__noise_gains *out)
{
    noise s = {.p = p, .n = p->probe.n, .outs = p->ticks * p->h->actuators, .ins = p->ticks * p->h->rig.actuators};
    size_t n = (size_t)s.n, outs = (size_t)s.outs, ins = (size_t)s.ins;
    double *power;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(s.u[0], outs), IFD__ARRAY(s.u[1], outs), IFD__ARRAY(s.A, n * n + 1),
                      IFD__ARRAY(s.B, n * ins + 1), IFD__ARRAY(s.C, n * outs + 1), IFD__ARRAY(s.D, outs * ins),
                      IFD__ARRAY(s.P, n * n + 1), IFD__ARRAY(s.W, 2 * n * n + 1), IFD__ARRAY(power, n * n + 1)));
    if (!probe_states(&s))
        return IFD_DIVERGED;
    by_covariance(&s, now->force, 1.0, power, out->force);
    by_covariance(&s, now->position, IFD__LOOP_SMALL, power, out->position);
    return IFD_OK;
}

/* A response is stepped in blocks of ticks until the expected remainder is below `dead` of the total. The expectation
 * assumes that the energies decrease as those of the last two blocks. */
enum { BLOCK = 1000, MOST_BLOCKS = 600 };
static const double dead = 1e-6;

/* Adds the squares of the deviations of all commands from rest over some ticks; their sum. False if a tick failed. */
static bool add_squares(ifd_hybrid *h, const double *command, int ticks, double *sum, double *all)
{
    ifd_ticked t = ifd_hybrid_ticked(h);
    *all = 0.0;
    for (int i = 0; i < ticks; i++) {
        if (t.tick(t.self, &(ifd_tick_in){0}) != IFD_RUN_GOING)
            return false;
        for (int a = 0; a < h->actuators; a++) {
            double u = command_of(h, a) - command[a];
            sum[a] += u * u;
            *all += u * u;
        }
    }
    return ifd_hybrid_state(h) == IFD_MACHINE_RUN && isfinite(*all);
}

/* One impulse in the measurement *of, in tick `phase` of a cycle. */
static bool respond(const ifd__probed_loop *p, double *of, double size, int phase, double *sum)
{
    ifd_hybrid *h = p->h;
    double command[IFD_RIG_ACTUATORS], ignored[IFD_RIG_ACTUATORS] = {0.0}, block, last = 0.0, total;
    memcpy(h->x, p->rest, sizeof *p->rest * (size_t)h->size);
    for (int a = 0; a < h->actuators; a++)
        command[a] = command_of(h, a);
    bool good = add_squares(h, command, phase, ignored, &block);
    *of = size;
    good = good && add_squares(h, command, 1, sum, &total);
    *of = 0.0;
    for (int i = 0; good && i < MOST_BLOCKS; i++, last = block) {
        good = add_squares(h, command, BLOCK, sum, &block);
        total += block;
        if (good && (block == 0.0 || (block < last && block * block <= dead * total * (last - block))))
            return true;
    }
    return false;
}

static void by_responses(const ifd__probed_loop *p, double *of, double size, double *gain)
{
    double sum[IFD_RIG_ACTUATORS] = {0.0};
    bool found = true;
    for (int a = 0; a < p->h->rig.actuators && found; a++)
        for (int phase = 0; phase < p->ticks && found; phase++)
            found = respond(p, &of[a], size, phase, sum);
    for (int k = 0; k < p->h->actuators; k++)
        gain[k] = found ? sqrt(sum[k] / p->ticks) / size : (double)NAN;
}

double ifd__noise_worst(const double *gain, int count, int *at)
{
    *at = 0;
    for (int a = 1; a < count && !isnan(gain[*at]); a++)
        if (!(gain[a] <= gain[*at]))
            *at = a;
    return gain[*at];
}

ifd_status ifd__loop_noise(const ifd__loop *l, const ifd__variant *v, ifd__noise_way way, ifd__noise_gains *out,
                           ifd_note *note)
{
    ifd__disturbance now = {{0.0}, {0.0}};
    ifd__variant disturbed = *v;
    ifd__probed_loop p = {.scratch = ifd_arena_open()};
    disturbed.disturbance = &now;
    memset(out, 0, sizeof *out);
    ifd_status status = p.scratch ? ifd__probed_loop_make(&p, l, &disturbed, note) : IFD_NO_MEMORY;
    if (status == IFD_OK && (way == IFD__NOISE_COVARIANCE || (way == IFD__NOISE_QUICKER && p.probe.n <= MANY)))
        status = covariances(&p, &now, out);
    else if (status == IFD_OK) {
        by_responses(&p, now.force, 1.0, out->force);
        by_responses(&p, now.position, IFD__LOOP_SMALL, out->position);
    }
    ifd_hybrid_close(p.h);
    ifd_arena_close(p.scratch);
    return status;
}
