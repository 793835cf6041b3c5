/* SPDX-License-Identifier: MIT */
/* Real-time substructuring by extrapolation.
 *
 * A link imposes the motion of a dof of the leader on a support of the follower. The reaction f returns as the force
 * G = -(f - m a) on that dof (m: ghost mass). Leader and follower exchange nothing else.
 *
 *   start       over the first steps all substructures are solved repeatedly. G is the polynomial through its values
 *               on a sub-grid of the step, initially constant, until it no longer changes.
 *   afterwards  blocks of q steps: G at the next q instants is extrapolated from the last p. Leaders are solved under
 *               the polynomial through these and the last known values, followers under the motion of the leaders.
 *               Their reactions are the next known values. There is no iteration.
 *
 * A follower may be a specimen on a rig. Its force is measured at the displacement that the leaders reached in the
 * last step, and replaces the extrapolated force at the start of the next step. A specimen cannot repeat a single
 * step. Either there is no iterative start, and all forces before t = 0 are assumed equal to those at t = 0. Or the
 * first steps are rehearsed as a whole: all of them under assumed forces, first constant, then those measured in the
 * last rehearsal, always from the initial state. The test begins with the forces of the last rehearsal.
 *
 * Sajeeb, Roy, Manohar (2007), Int. J. Numer. Meth. Engng, sections 2, 3 and 5.3, with G added on the right side
 * throughout. */
#include "couple/rts.h"

#include <math.h>
#include <string.h>

#include "couple/coupled.h"
#include "method/stepper.h"
#include "model/gravity.h"

/* Weights at t of the basis polynomials of the nodes at given times. */
static IFD_RT void weights(int nodes, const double *time, double t, double *w)
{
    for (int i = 0; i < nodes; i++) {
        w[i] = 1.0;
        for (int k = 0; k < nodes; k++)
            w[i] *= k == i ? 1.0 : (t - time[k]) / (time[i] - time[k]);
    }
}

/* G := the forces at t. */
IFD_RT static void rts_force_at(const ifd__rts *r, const ifd__rts_force *f, double t, double *G)
{
    double w[IFD__RTS_NODES], steps[IFD__RTS_NODES];
    for (int i = 0; i < f->nodes; i++)
        steps[i] = i;
    if (f->time)
        weights(f->nodes, f->time, t, w);
    else
        weights(f->nodes, steps, (t - f->start) / f->unit - f->first, w);
    memset(G, 0, sizeof *G * (size_t)r->links);
    for (int i = 0; i < f->nodes; i++)
        for (int l = 0; l < r->links; l++)
            G[l] += w[i] * f->value[i * r->links + l];
}

static IFD_RT void add_forces(const ifd__rts *r, int p, const double *G, double *load)
{
    for (int l = 0; l < r->links; l++)
        if (r->opt.link[l].leader == p)
            load[r->opt.link[l].dof] += G[l];
}

bool ifd__rts_acceleration(ifd__rts *r, int p, double t, const ifd__rts_force *f, const double *x)
{
    ifd__rts_part *part = &r->part[p];
    const ifd_model *m = part->m;
    const double *u = x + part->at;
    const ifd__point at = {.t = t, .u = u, .v = u + m->n, .s = u + 2 * m->n};
    ifd__model_balance(m, &at, part->a, part->g, part->w);
    if (part->leads && f)
        rts_force_at(r, f, t, r->G);
    if (part->leads)
        add_forces(r, p, r->G, part->a);
    bool ok = ifd__tangent_update(part->mass, &at);
    ifd__tangent_solve(part->mass, part->a);
    return ok;
}

void ifd__rts_reaction(ifd__rts *r, int p, double t, const double *x)
{
    ifd__rts_part *part = &r->part[p];
    const double *u = x + part->at, *v = u + part->m->n, *s = v + part->m->n;
    ifd__model_reaction(part->m, &(ifd__point){.t = t, .u = u, .v = v, .s = s, .a = part->a}, part->reaction,
                        part->w);
}

/* Motion of the leading dofs of substructure p, from its state and its acceleration. */
static IFD_RT void motion_of(const ifd__rts *r, int p, const double *x, double *motion)
{
    const ifd__rts_part *part = &r->part[p];
    for (int l = 0; l < r->links; l++) {
        const ifd_rts_link *link = &r->opt.link[l];
        if (link->leader != p)
            continue;
        motion[3 * l] = x[part->at + link->dof];
        motion[3 * l + 1] = x[part->at + part->m->n + link->dof];
        motion[3 * l + 2] = part->a[link->dof];
    }
}

/* Reactions of the followers of p at an instant, as forces on their leaders. to: motion of the leaders at that
 * instant. */
static IFD_RT void answers(const ifd__rts *r, int p, const double *to, double *answer)
{
    for (int l = 0; l < r->links; l++) {
        const ifd_rts_link *link = &r->opt.link[l];
        if (link->follower == p)
            answer[l] = link->ghost * to[3 * l + 2] - r->part[p].reaction[link->support];
    }
}

/* Prescribes the supports that follow substructure p over the step from t. kept: the last motions for the form
 * `force`, otherwise NULL. */
static IFD_RT void lead(const ifd__rts *r, int p, double t, double h, const double *kept)
{
    for (int l = 0; l < r->links; l++) {
        const ifd_rts_link *link = &r->opt.link[l];
        if (link->leader != p || link->follower < 0)
            continue;
        ifd__support_motion *slot = r->part[link->follower].slot[link->support];
        if (kept)
            ifd__support_motion_lagrange(slot, t, h, r->kept, kept + 3 * l, 3 * r->links);
        else
            ifd__support_motion_hermite(slot, t, h, r->from + 3 * l, r->to + 3 * l);
    }
}

/* u, v += sign (rest x_s, rest x_s'): converts between absolute displacements and those relative to the supports. */
static IFD_RT void relate(const ifd__rts_part *part, double t, double sign, double *x)
{
    const ifd_model *m = part->m;
    double motion[3];
    for (int j = 0; j < m->nsupport; j++) {
        ifd_signal_eval(m->support[j], t, motion);
        for (int i = 0; i < m->n; i++) {
            x[part->at + i] += sign * motion[0] * part->rest[j * m->n + i];
            x[part->at + m->n + i] += sign * motion[1] * part->rest[j * m->n + i];
        }
    }
}

static IFD_RT void load_at(ifd__rts *r, int p, double t, const ifd__rts_force *f, double *load)
{
    ifd__rts_part *part = &r->part[p];
    const ifd_model *m = part->m;
    double motion[3];
    memset(load, 0, sizeof *load * (size_t)m->n);
    if (part->leads) {
        rts_force_at(r, f, t, r->G);
        add_forces(r, p, r->G, load);
    }
    for (int j = 0; part->rest && j < m->nsupport; j++) {
        ifd_signal_eval(m->support[j], t, motion);
        for (int i = 0; i < m->n; i++)
            load[i] -= motion[2] * part->inertia[j * m->n + i];
    }
}

/* Advances one substructure by one step of its stepper. */
static IFD_RT void step_part(ifd__rts *r, int p, const ifd_stepper *stepper, double t, const ifd__rts_force *f,
                             double *x)
{
    ifd__rts_part *part = &r->part[p];
    int grid = ifd__exponential_grid(stepper);
    double h = ifd_stepper_step(stepper);
    for (int k = 0; k <= grid; k++)
        load_at(r, p, t + h * k / grid, f, part->load + k * part->m->n);
    if (part->rest)
        relate(part, t, -1.0, x);
    ifd__exponential_step(stepper, t, part->load, x + part->at);
    if (part->rest)
        relate(part, t + h, 1.0, x);
    ifd__stepper_accept(stepper, t + h, x + part->at);
}

/* Advances all substructures from t under the forces f by one of the steps above. Returns their reactions at the
 * end. */
IFD_RT static bool rts_advance(ifd__coupled *c, int step, double t, const ifd__rts_force *f, double *x,
                               double *answer)
{
    ifd__rts *r = c->data;
    double h = r->length[step];
    bool ok = true, fine = step == IFD__RTS_FINE, kept = !fine && r->opt.exchange == IFD_RTS_FORCE;
    size_t row = 3 * (size_t)r->links;
    double *past = x + r->motion;
    if (kept)
        memmove(past, past + row, sizeof *past * row * (size_t)(r->kept - 1));
    for (int p = 0; p < c->parts; p++) {
        ifd__rts_part *part = &r->part[p];
        if (part->leads) {
            ok = ifd__rts_acceleration(r, p, t, f, x) && ok;
            motion_of(r, p, x, r->from);
        }
        int steps = fine ? 1 : part->subcycles;
        for (int k = 0; k < steps; k++)
            step_part(r, p, part->stepper[step], t + h * k / steps, f, x);
        ok = ifd__rts_acceleration(r, p, t + h, f, x) && ok;
        if (part->leads) {
            motion_of(r, p, x, r->to);
            if (kept)
                motion_of(r, p, x, past + (size_t)(r->kept - 1) * row);
            lead(r, p, t, h, kept ? past : NULL);
        }
        if (part->follows) {
            ifd__rts_reaction(r, p, t + h, x);
            answers(r, p, r->to, answer);
        }
    }
    return ok;
}

/* Largest change of a force on the sub-grid, relative to the largest force of its link. */
static IFD_RT double change(const ifd__rts *r)
{
    int rows = r->opt.start_grid + 1;
    double worst = 0.0;
    for (int l = 0; l < r->links; l++) {
        double most = 0.0, size = 0.0;
        for (int i = 0; i < rows; i++) {
            most = fmax(most, fabs(r->answer[i * r->links + l] - r->guess[i * r->links + l]));
            size = fmax(size, fabs(r->answer[i * r->links + l]));
        }
        worst = most > 0.0 ? fmax(worst, most / size) : worst;
    }
    return worst;
}

/* The newest known forces. */
static double *newest(const ifd__rts *r, double *x)
{
    return x + r->forces + (r->opt.extrapolate.past - 1) * r->links;
}

/* Without the contribution of ghost masses G is the force of followers on leaders. */
IFD_RT static void rts_remember(const ifd__coupled *c, double t, const double *G, double *x)
{
    const ifd__rts *r = c->data;
    double *past = x + r->forces, *times = x + r->times;
    size_t row = (size_t)r->links, older = (size_t)r->opt.extrapolate.past - 1;
    memmove(past, past + row, sizeof *past * row * older);
    memcpy(newest(r, x), G, sizeof *past * row);
    if (r->times) {
        memmove(times, times + 1, sizeof *times * older);
        times[older] = t;
    }
    for (int l = 0; l < c->pulls; l++)
        x[c->pulled + l] = G[l] - r->opt.link[l].ghost * r->to[3 * l + 2];
}

static IFD_RT void count_iterations(const ifd__rts *r, int passes, double *x)
{
    x[r->most] = fmax(x[r->most], passes);
    x[r->all] += passes;
}

/* One step of the iterative start. */
static IFD_RT bool iterate(ifd__coupled *c, double t, double *x)
{
    ifd__rts *r = c->data;
    int grid = r->opt.start_grid, pass = 0;
    double h = c->h / grid;
    size_t row = sizeof(double) * (size_t)r->links;
    bool ok = true;
    for (int i = 0; i <= grid; i++)
        memcpy(r->guess + i * r->links, newest(r, x), row);
    memcpy(r->answer, r->guess, row);
    memcpy(r->saved, x, sizeof *x * (size_t)r->forces);
    ifd__rts_force f = {.nodes = grid + 1, .start = t, .unit = h, .value = r->guess};
    for (double moved = HUGE_VAL; pass < r->opt.iterations && !(moved <= r->opt.tolerance); pass++) {
        memcpy(x, r->saved, sizeof *x * (size_t)r->forces);
        for (int i = 0; i < grid; i++)
            ok = rts_advance(c, IFD__RTS_FINE, t + i * h, &f, x, r->answer + (i + 1) * r->links) && ok;
        moved = change(r);
        memcpy(r->guess, r->answer, row * (size_t)(grid + 1));
        if (!(moved <= r->opt.tolerance) && pass == r->opt.iterations - 1)
            ifd__raise(&x[c->fault], IFD_STEP_ITERATIONS);
    }
    count_iterations(r, pass, x);
    rts_remember(c, t + c->h, r->answer + grid * r->links, x);
    if (r->opt.exchange == IFD_RTS_FORCE) {
        memmove(x + r->motion, x + r->motion + 3 * r->links, 3 * row * (size_t)(r->kept - 1));
        memcpy(x + r->motion + 3 * (r->kept - 1) * r->links, r->to, 3 * row);
    }
    return ok;
}

/* One step of a block; its first one extrapolates. */
static IFD_RT bool extrapolate(ifd__coupled *c, int step, double t, double *x)
{
    ifd__rts *r = c->data;
    int q = r->opt.extrapolate.ahead, place = (step - r->opt.start_steps) % q, known = r->back + 1;
    size_t row = (size_t)r->links;
    if (place == 0) {
        memcpy(x + r->nodes, newest(r, x) - (size_t)r->back * row, sizeof *x * row * (size_t)known);
        ifd_extrapolate(r->e, r->links, x + r->forces, x + r->nodes + (size_t)known * row);
    }
    ifd__rts_force f = {
        .nodes = known + q, .start = t - place * c->h, .first = -r->back, .unit = c->h, .value = x + r->nodes};
    bool ok = rts_advance(c, IFD__RTS_WHOLE, t, &f, x, r->answer);
    if (r->measured) { /* replaced by the measured value */
        rts_force_at(r, &f, t + c->h, r->G);
        memcpy(r->answer + c->pulls, r->G + c->pulls, sizeof(double) * (size_t)r->measured);
    }
    rts_remember(c, t + c->h, r->answer, x);
    return ok;
}

/* Stores the measured forces of this instant as the newest values of their links. */
static IFD_RT void take_measured(ifd__coupled *c, double *G)
{
    const ifd__rts *r = c->data;
    for (int l = c->pulls; l < r->links; l++)
        G[l] = c->I.part[r->opt.link[l].leader].measured[r->opt.link[l].dof];
}

/* One step of a start that is rehearsed, or that begins the test: the force is the cubic through the nearest values
 * of the last rehearsal. */
static IFD_RT bool rehearse(ifd__coupled *c, int step, double t, double *x)
{
    enum { CUBIC = 4 };
    ifd__rts *r = c->data;
    int rows = r->opt.start_steps + 1, nodes = rows < CUBIC ? rows : CUBIC, first = step > 0 ? step - 1 : 0;
    size_t row = (size_t)r->links;
    first = first + nodes > rows ? rows - nodes : first;
    memcpy(x + r->answered + (size_t)step * row, newest(r, x), sizeof *x * row);
    const ifd__rts_force f = {
        .nodes = nodes, .first = first, .unit = c->h, .value = x + r->guessed + (size_t)first * row};
    bool ok = rts_advance(c, IFD__RTS_WHOLE, t, &f, x, r->answer);
    rts_force_at(r, &f, t + c->h, r->G); /* replaced by the measured value */
    memcpy(r->answer + c->pulls, r->G + c->pulls, sizeof(double) * (size_t)r->measured);
    rts_remember(c, t + c->h, r->answer, x);
    return ok;
}

/* Largest change of the force of a link; *size: its largest force. */
static IFD_RT double change_of_start(const ifd__rts *r, int link, const double *x, double *size)
{
    double most = *size = 0.0;
    for (int i = 0; i <= r->opt.start_steps; i++) {
        double now = x[r->answered + i * r->links + link];
        most = fmax(most, fabs(now - x[r->guessed + i * r->links + link]));
        *size = fmax(*size, fabs(now));
    }
    return most;
}

double ifd__rts_rehearsed(ifd__coupled *c, double tolerance, const double *noise, double *x)
{
    ifd__rts *r = c->data;
    size_t row = (size_t)r->links, all = row * (size_t)(r->opt.start_steps + 1);
    double worst = 0.0;
    take_measured(c, newest(r, x));
    memcpy(x + r->answered + all - row, newest(r, x), sizeof *x * row);
    for (int l = 0; l < r->links; l++) {
        double size, most = change_of_start(r, l, x, &size);
        double permitted = tolerance * size + (l < c->pulls ? 0.0 : noise[l - c->pulls]);
        worst = most > 0.0 ? fmax(worst, most / permitted) : worst;
    }
    memcpy(x + r->guessed, x + r->answered, sizeof *x * all);
    count_iterations(r, 1, x);
    x[r->most] = x[r->rehearsals] += 1.0;
    for (int p = 0; p < c->parts; p++) {
        memset(x + r->part[p].at, 0, sizeof *x * (size_t)ifd_stepper_size(r->part[p].stepper[IFD__RTS_WHOLE]));
        ifd__model_initial(r->part[p].m, x + r->part[p].at);
    }
    return worst;
}

/* Variable step of coupling `rts`.
 *
 * A step h of the coupling is solved in blocks of q steps. A block lasts h / 2^k. Its forces are the polynomial
 * through the last known ones, which are at any instants (Sajeeb, Roy, Manohar 2007, eqs 27 and 28 with steps h_i).
 * The paper leaves the choice of h_i open. Here the error of the extrapolation decides: the difference between the
 * force with which a block was solved and the reaction at its end.
 *
 *   error > tolerance                   the block is repeated from its start with k + 1
 *   error < tolerance / 2^(degree + 2)  the next block has k - 1 if it then ends on the grid of its own length:
 *                                       the error of a block twice as long is 2^(degree + 1) as large
 *
 * A step that is repeated needs more computations than others, and a specimen cannot repeat it: this is for
 * computed substructures only. */

/* Row "variable step" in x. */
enum { HALVED, BLOCKS, REJECTED, EXCEEDED, MOST, CONTROLS };

ifd_status ifd__rts_variable_check(const ifd__rts *r, const ifd_couple_options *opt, ifd_note *note)
{
    const ifd_rts_options *o = &r->opt;
    if (o->variable == 0.0)
        return IFD_OK;
    if (!(o->variable > 0.0) || o->halvings < 1 || o->halvings > IFD_RTS_HALVINGS)
        return ifd_note_add(
            note, IFD_RANGE, &opt->place,
            "a variable step has a tolerance of %g and %d halvings; expected a positive tolerance and "
            "1 to %d halvings",
            o->variable, o->halvings, IFD_RTS_HALVINGS);
    if (!r->e->extrapolator->shortest || r->e->degree > IFD_RTS_VARIABLE_DEGREE)
        return ifd_note_advise(
            note, IFD_UNSUPPORTED, &opt->place, "use 'extrapolator: {lagrange: {degree: 3}}', or remove 'variable'",
            "a variable step extrapolates by lagrange with a degree of 0 to %d; this coupling uses %s with "
            "degree %d",
            IFD_RTS_VARIABLE_DEGREE, r->e->extrapolator->name, r->e->degree);
    if (o->exchange == IFD_RTS_FORCE)
        return ifd_note_advise(note, IFD_UNSUPPORTED, &opt->place, "use 'exchange: motion', or remove 'variable'",
                               "'exchange: force' interpolates over equal steps, but the step is variable");
    if (r->measured)
        return ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                            "the step is variable, but a specimen cannot repeat a step: remove 'variable'");
    return IFD_OK;
}

ifd_status ifd__rts_variable_make(ifd__coupled *c, ifd_arena *arena)
{
    ifd__rts *r = c->data;
    size_t nodes = (size_t)r->e->degree + 1;
    r->times = ifd__coupled_row(c, "times of forces", r->opt.extrapolate.past, IFD_STATE_HISTORY);
    r->largest = ifd__coupled_row(c, "largest forces", r->links, IFD_STATE_HISTORY);
    r->control = ifd__coupled_row(c, "variable step", CONTROLS, IFD_STATE_INTEGER);
    return IFD__TAKE(arena, IFD__ARRAY(r->known, nodes * (size_t)r->links), IFD__ARRAY(r->instant, nodes));
}

/* Largest difference between the forces of a block and the reactions at one of its instants, relative to the
 * tolerated one. */
static IFD_RT double miss(ifd__rts *r, double *x)
{
    double worst = 0.0;
    for (int l = 0; l < r->links; l++) {
        double *largest = &x[r->largest + l], by = fabs(r->answer[l] - r->G[l]);
        *largest = fmax(*largest, fabs(r->answer[l]));
        if (by == 0.0)
            continue;
        double ratio = by / (r->opt.variable * *largest);
        worst = isfinite(ratio) ? fmax(worst, ratio) : HUGE_VAL;
    }
    return worst;
}

/* One block from t, halved k times. */
static IFD_RT bool block(ifd__coupled *c, int k, double t, double *x, double *error)
{
    ifd__rts *r = c->data;
    int nodes = r->e->degree + 1, old = r->opt.extrapolate.past - nodes, step = IFD__RTS_SHORT + k;
    double h = r->length[step];
    bool ok = true;
    memcpy(r->known, x + r->forces + old * r->links, sizeof *x * (size_t)(nodes * r->links));
    memcpy(r->instant, x + r->times + old, sizeof *x * (size_t)nodes);
    const ifd__rts_force f = {.nodes = nodes, .value = r->known, .time = r->instant};
    *error = 0.0;
    for (int i = 0; i < r->opt.extrapolate.ahead; i++) {
        ok = rts_advance(c, step, t + i * h, &f, x, r->answer) && ok;
        rts_force_at(r, &f, t + (i + 1) * h, r->G);
        *error = fmax(*error, miss(r, x));
        rts_remember(c, t + (i + 1) * h, r->answer, x);
    }
    return ok;
}

IFD_RT static bool rts_variable(ifd__coupled *c, double t, double *x)
{
    ifd__rts *r = c->data;
    const int whole = 1 << r->opt.halvings; /* a step, in units of the shortest block */
    const double grows = ldexp(1.0, -(r->e->degree + 2));
    double *count = x + r->control, error;
    size_t state = sizeof *x * (size_t)r->state;
    bool ok = true;
    for (int at = 0; at < whole;) {
        int k = (int)count[HALVED], units = whole >> k;
        memcpy(r->saved, x, state);
        bool good = block(c, k, t + c->h * at / whole, x, &error);
        if (!(error <= 1.0) && k < r->opt.halvings) {
            memcpy(x, r->saved, state);
            count[HALVED] = k + 1;
            count[REJECTED] += 1.0;
            continue;
        }
        ok = good && ok;
        at += units;
        count[BLOCKS] += 1.0;
        count[EXCEEDED] += error <= 1.0 ? 0.0 : 1.0;
        count[MOST] = fmax(count[MOST], k);
        if (k > 0 && error < grows && at % (2 * units) == 0)
            count[HALVED] = k - 1;
    }
    return ok;
}

static void rts_variable_facts(const ifd__coupled *c, const double *x, ifd_rts_facts *out)
{
    const ifd__rts *r = c->data;
    if (!r->times)
        return;
    const double *count = x + r->control;
    out->blocks = (long)count[BLOCKS];
    out->rejected = (long)count[REJECTED];
    out->exceeded = (long)count[EXCEEDED];
    out->shortest = r->length[IFD__RTS_SHORT + (int)count[MOST]];
}

static void latch_parts(ifd__coupled *c, double *x)
{
    ifd__rts *r = c->data;
    for (int p = 0; p < c->parts; p++)
        ifd__raise(&x[c->fault], ifd_stepper_fault(r->part[p].stepper[IFD__RTS_WHOLE], x + r->part[p].at));
}

static void tick(ifd__coupled *c, int k, double t, double *x)
{
    ifd__rts *r = c->data;
    int step = (int)x[r->step];
    take_measured(c, newest(r, x));
    bool starts = step < r->opt.start_steps;
    bool ok = starts     ? r->rehearsals ? rehearse(c, step, t, x) : iterate(c, t, x)
                  : r->times ? rts_variable(c, t, x)
                         : extrapolate(c, step, t, x);
    if (!ok)
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
    latch_parts(c, x);
    x[r->step] += 1.0;
}

static void aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    const ifd__rts_part *part = &((const ifd__rts *)c->data)->part[p];
    size_t n = (size_t)part->m->n;
    memcpy(u, x + part->at, n * sizeof *u);
    memcpy(v, x + part->at + n, n * sizeof *v);
}

/* Forces at the start: leaders and followers in turn until they agree. */
static void begin(ifd__coupled *c, double t, double *x)
{
    ifd__rts *r = c->data;
    double moved = HUGE_VAL;
    int pass = 0;
    memset(r->guess, 0, sizeof(double) * (size_t)r->links);
    take_measured(c, r->guess);
    take_measured(c, r->answer);
    for (; pass < r->opt.iterations && !(moved <= r->opt.tolerance); pass++) {
        moved = 0.0;
        for (int p = 0; p < c->parts; p++) {
            memcpy(r->G, r->guess, sizeof(double) * (size_t)r->links);
            if (!ifd__rts_acceleration(r, p, t, NULL, x))
                ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
            motion_of(r, p, x, r->to);
            for (int l = 0; l < r->links; l++)
                if (r->opt.link[l].leader == p && r->opt.link[l].follower >= 0)
                    ifd__support_motion_point(r->part[r->opt.link[l].follower].slot[r->opt.link[l].support],
                                              r->to + 3 * l);
            ifd__rts_reaction(r, p, t, x);
            answers(r, p, r->to, r->answer);
        }
        for (int l = 0; l < r->links; l++)
            if (r->answer[l] != r->guess[l])
                moved = fmax(moved, fabs(r->answer[l] - r->guess[l]) / fmax(fabs(r->answer[l]), fabs(r->guess[l])));
        memcpy(r->guess, r->answer, sizeof(double) * (size_t)r->links);
    }
    if (!(moved <= r->opt.tolerance))
        ifd__raise(&x[c->fault], IFD_STEP_ITERATIONS);
    for (int i = r->measured ? r->opt.extrapolate.past : 1; i > 0; i--)
        rts_remember(c, t, r->guess, x);
    x[r->step] = r->measured && !r->rehearsals ? r->opt.start_steps : 0;
    for (int i = 0; r->rehearsals && i <= (x[r->rehearsals] > 0.0 ? 0 : r->opt.start_steps); i++)
        memcpy(x + r->guessed + i * r->links, r->guess, sizeof(double) * (size_t)r->links);
    for (int i = 0; i < r->kept; i++)
        memcpy(x + r->motion + 3 * i * r->links, r->to, sizeof(double) * 3 * (size_t)r->links);
}

void ifd__rts_facts(const ifd__coupled *c, const double *x, ifd_rts_facts *out)
{
    const ifd__rts *r = c->data;
    const double *d = r->opt.duration;
    *out = (ifd_rts_facts){.start_steps = r->opt.start_steps,
                           .most_iterations = (int)x[r->most],
                           .iterations = (long)x[r->all],
                           .added_mass_limit = r->e->added_mass,
                           .added_mass = r->added_mass,
                           .radius = r->radius,
                           .spare = c->h - d[0] - d[1] - d[2],
                           .spare_ahead = c->h * r->e->ahead - d[0] - d[1] - d[2]};
    rts_variable_facts(c, x, out);
}

void ifd_rts_options_defaults(ifd_rts_options *opt)
{
    memset(opt, 0, sizeof *opt);
    ifd_extrapolate_options_defaults(ifd_extrapolator_find("lagrange"), 4, 1, &opt->extrapolate);
}

const ifd_coupling ifd__coupling_rts = {
    .name = "rts",
    .title = "real-time substructuring by extrapolation",
    .citation = "Sajeeb, Roy, Manohar (2007)",
    .summary = "The motion of one substructure is imposed on supports of other substructures, and the coupling "
               "extrapolates their reactions. The coupling needs no estimate of the specimen.",
    .order = 4,
    .methods = "exponential|taylor|exponential-alpha|mtl",
    .make = ifd__rts_make,
    .begin = begin,
    .tick = tick,
    .aim = aim,
};
