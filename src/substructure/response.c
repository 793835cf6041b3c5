/* SPDX-License-Identifier: MIT */
/* The row of a response: one number per column, at the end of a step. */
#include "substructure/response.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "method/reference.h"
#include "model/dof_pair.h"
#include "model/gravity.h"

/* The energy balance of a numerical substructure, step by step.
 *
 * Work of loads and damping is the trapezoidal rule over steps of P . v and of the dissipated power; a step in which
 * a load or the motion of a support jumps is divided there. Kinetic and stored energy are exact at each instant. The
 * rest, input + joints - (kinetic + stored - start) - dissipated - specimens, is energy that the method (and the
 * quadrature, of second order in the step) creates or removes. */

/* Adds the power or energy of every model. */
static IFD_RT ifd__energy energy_now(const ifd__response *r, const double *x, double t)
{
    ifd__energy sum = {0.0, 0.0, 0.0, 0.0};
    for (int p = 0; p < r->s->models; p++) {
        const ifd__response_model *b = &r->model[p];
        const double *u = x + b->at;
        ifd__energy e;
        const ifd__point at = {.t = t, .u = u, .v = u + b->m->n, .s = u + 2 * b->m->n};
        ifd__model_energy(b->m, &b->forms, &at, &e, b->w);
        sum.kinetic += e.kinetic;
        sum.stored += e.stored;
        sum.dissipated += e.dissipated;
        sum.input += e.input;
    }
    return sum;
}

enum { MOST_CORNERS = 64 }; /* limit per step: a record with finer samples counts as smooth beyond it */

/* A time next to a jump: far above the round-off of times, far below a step. */
static IFD_RT double beside(const ifd__response *r, double t)
{
    const double of_step = 1e-6, of_time = 1e-11; /* signals treat times within 1e-12 as equal */
    return fmax(of_step * r->s->step, of_time * (1.0 + fabs(t)));
}

/* True if a signal, or one of the given number of derivatives, jumps at t. */
static IFD_RT bool signal_jumps(const ifd__response *r, const ifd_signal *s, double t, int derivatives)
{
    const double small = 1e-5; /* relative to the value: a smooth signal changes by less in that time, or passes
                                * zero */
    double a[3], b[3];
    if (!s)
        return false;
    ifd_signal_eval(s, t - beside(r, t), a);
    ifd_signal_eval(s, t + beside(r, t), b);
    for (int k = 0; k <= derivatives; k++)
        if (fabs(a[k] - b[k]) > small * (fabs(a[k]) + fabs(b[k])))
            return true;
    return false;
}

static IFD_RT bool loads_jump(const ifd__response *r, double t)
{
    bool jumps = false;
    for (int p = 0; p < r->s->models && !jumps; p++) {
        const ifd_model *m = r->model[p].m;
        for (int d = 0; d < 3 && !jumps; d++)
            jumps = signal_jumps(r, m->ground[d].signal, t, 0);
        for (int k = 0; k < m->nload && !jumps; k++)
            jumps = signal_jumps(r, m->load[k].signal, t, 0);
        for (int k = 0; k < m->nsupport && !jumps; k++)
            jumps = signal_jumps(r, m->support[k], t, 2);
    }
    return jumps;
}

/* The first jump after t and not after end; HUGE_VAL if there is none. The corner beyond `end` answers the questions
 * of the next steps, unless signals change with the motion. */
static IFD_RT double next_jump(const ifd__response *r, double t, double end)
{
    const double from = t;
    if (r->smooth && from >= r->smooth[0] && end < r->smooth[1])
        return HUGE_VAL;
    for (int k = 0; k < MOST_CORNERS; k++) {
        double corner = HUGE_VAL;
        for (int p = 0; p < r->s->models; p++)
            corner = fmin(corner, ifd__next_corner(r->model[p].m, t));
        if (corner > end && r->smooth) {
            r->smooth[0] = from;
            r->smooth[1] = corner;
        }
        if (corner > end)
            break;
        if (loads_jump(r, corner))
            return corner;
        t = corner;
    }
    return HUGE_VAL;
}

static IFD_RT void add_power(ifd__energy *sum, double share, ifd__energy e)
{
    sum->input += share * e.input;
    sum->dissipated += share * e.dissipated;
}

/* Power along a step is w0(t) p0(t) + w1(t) p1(t): loads at t with the motion of either end, w linear from 1 to 0 and
 * back. Returns the contribution of the current motion, that of the start or of the end, to twice its mean: `here`,
 * the current power, without jumps; otherwise by the trapezoidal rule between the jumps. */
static IFD_RT ifd__energy step_power(const ifd__response *r, const double *x, double from, bool at_end,
                                     ifd__energy here)
{
    double h = r->s->step, to = from + h, at = from, near = beside(r, to);
    double corner = next_jump(r, from + near, to + near);
    ifd__energy sum = {0.0, 0.0, 0.0, 0.0}, after = here;
    if (corner == HUGE_VAL)
        return here;
    for (int k = 0; k < MOST_CORNERS; k++) {
        bool last = corner > to - near || k == MOST_CORNERS - 1;
        double end = last ? to : corner;
        double begins = at_end ? at - from : to - at, ends = at_end ? end - from : to - end;
        add_power(&sum, (end - at) * begins / (h * h), after);
        add_power(&sum, (end - at) * ends / (h * h), corner < HUGE_VAL ? energy_now(r, x, end - near) : here);
        if (last)
            break;
        after = energy_now(r, x, end + near);
        at = end;
        corner = next_jump(r, end + near, to + near);
    }
    return sum;
}

/* Gaps at the joints, and the power created there. */
static IFD_RT double joints_now(const ifd__response *r, double *x, double t)
{
    double gap[4];
    ifd__energy_state *s = ifd__energy_state_of(r, x);
    if (!r->s->coupled)
        return 0.0;
    ifd__coupled_gap(r->s->coupled, t, x, gap);
    for (int k = 0; k < 3; k++) {
        s->gap[k] = gap[k];
        s->worst[k] = gap[k] > s->worst[k] ? gap[k] : s->worst[k];
    }
    return gap[3];
}

enum { POINTS = 3 };

/* Integrals of a and of (1 - x) a over one interval, x from 0 to 1. */
static IFD_RT void integrate_interval(const ifd_signal *s, double t, double h, double out[2])
{
    static const double x[POINTS] = {0.11270166537925831148, 0.5, 0.88729833462074168852}; /* (1 -+ sqrt(3/5))/2 */
    static const double w[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    out[0] = out[1] = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double y[3];
        ifd_signal_eval(s, t + x[i] * h, y);
        out[0] += w[i] * y[0];
        out[1] += w[i] * (1.0 - x[i]) * y[0];
    }
}

void ifd__ground_integrate(const ifd_signal *s, double t, double T, int pieces, double motion[2])
{
    double *u = &motion[0], *v = &motion[1], h = T / pieces, a[2];
    for (int j = 0; j < pieces; j++) {
        integrate_interval(s, t + j * h, h, a);
        *u += h * (*v + h * a[1]);
        *v += h * a[0];
    }
}

/* Motion of the ground over the step that ends at t, if its velocity is needed. */
static IFD_RT void move_ground(const ifd__response *r, double *x, double t)
{
    ifd__energy_state *s = ifd__energy_state_of(r, x);
    for (int d = 0; d < 3 && r->opt.what & IFD_RECORD_VELOCITY; d++)
        for (int p = 0; p < r->s->models; p++)
            if (r->model[p].m->ground[d].signal) {
                ifd__ground_integrate(r->model[p].m->ground[d].signal, t - r->s->step, r->s->step, 1,
                                      &s->ground[2 * d]);
                break;
            }
}

void ifd__response_energy(const ifd__response *r, double *x, double t, bool first)
{
    ifd__energy_state *s = ifd__energy_state_of(r, x);
    double h = r->s->step, joints = r->opt.gapless ? 0.0 : joints_now(r, x, t);
    if (!first)
        move_ground(r, x, t);
    if (!r->opt.balanced)
        return;
    ifd__energy e = energy_now(r, x, t);
    if (first) {
        s->energy_start = e.kinetic + e.stored;
    } else {
        ifd__energy end = step_power(r, x, t - h, true, e);
        s->input += 0.5 * h * (s->input_power + end.input);
        s->dissipated += 0.5 * h * (s->dissipated_power + end.dissipated);
        s->joints += 0.5 * h * (s->joint_power + joints);
    }
    ifd__energy next = step_power(r, x, t, false, e);
    s->input_power = next.input;
    s->dissipated_power = next.dissipated;
    s->joint_power = joints;
    s->kinetic = e.kinetic;
    s->stored = e.stored;
    const double sizes[] = {fabs(s->input), e.kinetic + fabs(e.stored), fabs(s->dissipated)};
    for (int i = 0; i < 3; i++)
        s->scale = sizes[i] > s->scale ? sizes[i] : s->scale;
}

ifd_energy ifd__balance_energy(const ifd__energy_state *s)
{
    ifd_energy e = {.input = s->input,
                    .kinetic = s->kinetic,
                    .stored = s->stored,
                    .dissipated = s->dissipated,
                    .specimens = s->specimens,
                    .joints = s->joints,
                    .scale = s->scale,
                    .start = s->energy_start,
                    .updates = s->updates};
    e.numerical =
        e.input + e.joints + e.updates - (e.kinetic + e.stored - s->energy_start) - e.dissipated - e.specimens;
    return e;
}

/* Accelerations at the end of a step. A constant symmetric mass matrix and few recorded dofs: rows of its inverse,
 * made at set-up, each one a sum over the dofs. Otherwise a solution with the mass matrix. */

/* Recorded, or needed for the base shear, from which the inertia of mass on the rig is subtracted. */
static bool needs(const ifd__response *r, int p, int dof)
{
    bool some = r->opt.what & IFD_RECORD_ACCELERATION && ifd__response_selects(r, r->model[p].first_dof + dof);
    for (int k = 0; k < r->opt.links && r->opt.what & IFD_RECORD_BASE_SHEAR; k++) {
        const ifd__specimen_link *l = &r->opt.link[k];
        some = some || (l->part == p && l->mass != 0.0 && ifd__ends_have(IFD__ENDS(l), dof));
    }
    return some;
}

/* The masters of recorded slaves. */
static void mark_masters(const ifd__response *r, int p, bool *needed)
{
    const ifd_model *m = r->model[p].m;
    int number = IFD__RECORD_GONE;
    for (int other = 0; other < p; other++)
        number += r->model[other].m->ngone;
    for (int i = 0; r->opt.what & IFD_RECORD_ACCELERATION && i < m->ngone; i++)
        for (int k = m->gone_start[i]; ifd__response_selects(r, number + i) && k < m->gone_start[i + 1]; k++)
            if (ifd__model_gone_follows(m, i))
                needed[m->gone_dof[k]] = true;
}

/* The row of each listed dof, which is the column of the symmetric inverse. */
static ifd_status make_rows(ifd__response_model *b, ifd_arena *arena)
{
    size_t n = (size_t)b->m->n;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->inverse, (size_t)b->inverted * n)));
    for (int k = 0; k < b->inverted; k++) {
        double *row = b->inverse + (size_t)k * n;
        row[b->inverted_dof[k]] = 1.0;
        ifd__tangent_solve(b->mass, row);
    }
    return IFD_OK;
}

ifd_status ifd__response_inertia(ifd__response *r, ifd_arena *arena, int p, ifd_note *note)
{
    ifd__response_model *b = &r->model[p];
    int needed = 0;
    bool *masters;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->inverted_dof, b->m->n), IFD__ARRAY(masters, b->m->n)));
    mark_masters(r, p, masters);
    for (int dof = 0; dof < b->m->n; dof++)
        if ((needs(r, p, dof) || masters[dof]) && !(b->m->massless && b->m->massless[dof]))
            b->inverted_dof[needed++] = dof;
    if (!needed)
        return IFD_OK;
    IFD_TRY(ifd__tangent_make(arena, b->m, &(ifd__tangent_options){.cm = 1.0}, &b->mass, note));
    if (b->m->M.symmetric && (long)needed * b->m->n < ifd__tangent_reads(b->mass)) {
        b->inverted = needed;
        IFD_TRY(make_rows(b, arena));
    }
    return IFD_OK;
}

static IFD_RT void apply_rows(const ifd__response_model *b)
{
    for (int k = 0; k < b->inverted; k++)
        b->w[k] = ifd__dot(b->m->n, b->inverse + (size_t)k * (size_t)b->m->n, b->a);
    for (int k = 0; k < b->inverted; k++)
        b->a[b->inverted_dof[k]] = b->w[k];
}

/* a := M(u)^-1 (P - R + measured forces or multipliers), the accelerations of a model. With rows of the inverse only
 * those of their dofs. */
IFD_RT static void response_accelerations(const ifd__response *r, int p, const double *x, double t,
                                          const double *force)
{
    const ifd__response_model *b = &r->model[p];
    const ifd__point at = ifd__response_point(b, x, t);
    ifd__model_balance(b->m, &at, b->a, b->g, b->w);
    if (r->s->coupled) { /* measured forces are in its load; without a lead-in the specimens are at the end of the
                          * step */
        if (r->s->model[p].measured && !r->s->coupled->lead_in)
            ifd__coupled_measured(r->s->coupled, p, r->s->model[p].load);
        ifd__coupled_load(r->s->coupled, p, x, b->load);
        for (int i = 0; i < b->m->n; i++)
            b->a[i] += b->load[i];
    }
    for (int k = 0; !r->s->coupled && k < r->opt.links; k++)
        ifd__add_restoring_force(IFD__ENDS(&r->opt.link[k]), force[k], b->a);
    if (b->inverted) {
        apply_rows(b);
        return;
    }
    ifd__tangent_update(b->mass, &at);
    ifd__tangent_solve(b->mass, b->a);
}

/* Deformations and forces of the elements of a model. */
static IFD_RT void elements(const ifd__response *r, int p, const double *x, double t)
{
    const ifd__response_model *b = &r->model[p];
    const ifd__point at = ifd__response_point(b, x, t);
    if (!b->m->ne)
        return;
    ifd__model_coordinates(b->m, t, at.u, at.v, b->q, b->qd);
    ifd__model_forces(b->m, &(ifd_element_in){.t = t, .q = b->q, .qd = b->qd, .s = at.s}, b->r, b->g);
}

/* load := K u + C v + B r minus the contribution of moved supports: all resisting forces without inertia. Forces of
 * inertial elements are included: they act on dofs. */
static IFD_RT void resistance(const ifd__response_model *b, const double *x, double t)
{
    const ifd_model *m = b->m;
    const ifd__point at = ifd__response_point(b, x, t);
    memset(b->load, 0, (size_t)m->n * sizeof *b->load);
    ifd__model_linear(m, 1.0, at.u, at.v, b->w, b->load);
    for (int j = 0; j < m->nsupport; j++) {
        double y[3];
        const size_t column = (size_t)j * (size_t)m->n;
        ifd_signal_eval(m->support[j], t, y);
        for (int i = 0; i < m->n; i++)
            b->load[i] -= y[0] * m->Ks[column + (size_t)i] + y[1] * m->Cs[column + (size_t)i];
    }
    for (int e = 0; e < m->ne; e++)
        for (int c = m->q_of[e]; !(m->element[e].ops->flags & IFD_ELEMENT_INERTIAL) && c < m->q_of[e + 1]; c++)
            for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
                b->load[m->b_dof[k]] += m->b_value[k] * b->r[c];
}

/* Additional effect of a force on a condensed dof on the supports: the sum over dofs does not contain it. */
static IFD_RT double past_dofs(const ifd_model *m, int direction, double t)
{
    double sum = 0.0, y[3];
    for (int l = 0; l < m->nload; l++)
        if (m->load[l].past[direction] != 0.0) {
            ifd_signal_eval(m->load[l].signal, t, y);
            sum += m->load[l].past[direction] * y[0];
        }
    return sum;
}

static IFD_RT double along(const ifd_model *m, int dof, int direction, double f)
{
    return dof >= 0 && (int)m->dof_kind[dof] == direction ? f : 0.0;
}

/* Force without inertia of a support that follows a dof of another substructure. */
static IFD_RT double followed(const ifd__response_model *b, int support, const double *x, double t)
{
    const ifd_model *m = b->m;
    const ifd__point at = ifd__response_point(b, x, t);
    const size_t column = (size_t)support * (size_t)m->n;
    double f = -ifd__dot(m->n, m->Ks + column, at.u) - ifd__dot(m->n, m->Cs + column, at.v), y[3];
    for (int j = 0; j < m->nsupport; j++) {
        const size_t own = (size_t)j * (size_t)m->nsupport + (size_t)support;
        ifd_signal_eval(m->support[j], t, y);
        f += m->Kss[own] * y[0] + m->Css[own] * y[1];
    }
    for (int e = 0; e < m->ne; e++)
        for (int c = m->q_of[e]; !(m->element[e].ops->flags & IFD_ELEMENT_INERTIAL) && c < m->q_of[e + 1]; c++)
            for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
                f += m->bs_support[k] == support ? m->bs_value[k] * b->r[c] : 0.0;
    return f;
}

/* These supports act between two substructures: the sum over the dofs of the follower contains the opposite. */
static IFD_RT double between(const ifd__response *r, int direction, const double *x, double t)
{
    const ifd_rts_options *rts = r->opt.couple ? r->opt.couple->rts : NULL;
    double sum = 0.0;
    for (int l = 0; rts && l < rts->links; l++) {
        const ifd_rts_link *link = &rts->link[l];
        if (link->follower >= 0 && (int)r->model[link->leader].m->dof_kind[link->dof] == direction)
            sum += followed(&r->model[link->follower], link->support, x, t);
    }
    return sum;
}

/* Sum of all resisting forces over the dofs of a direction: forces between two dofs cancel, and the supports carry
 * the rest. Multipliers of joints act between two substructures. The force of a specimen that the structure alone
 * supports is the inertia of its mass. Mass of the structure that is on the rig accelerates with its dof, and the
 * measured force contains that inertia too. Neither is a force of supports. */
static IFD_RT double base_shear(const ifd__response *r, int direction, const double *x, double t, const double *force)
{
    double sum = between(r, direction, x, t);
    for (int p = 0; p < r->s->models; p++) {
        const ifd__response_model *b = &r->model[p];
        const double *share = b->m->ground[direction].along;
        for (int i = 0; i < b->m->n; i++)
            sum += share ? share[i] * b->load[i] : along(b->m, i, direction, b->load[i]);
        sum += past_dofs(b->m, direction, t);
    }
    for (int k = 0; k < r->opt.links; k++) {
        const ifd__specimen_link *l = &r->opt.link[k];
        const ifd__response_model *b = &r->model[l->part];
        double f = l->mass != 0.0 ? force[k] - l->mass * ifd__deformation(IFD__ENDS(l), b->a) : force[k];
        if (!l->carried && !l->row)
            sum += along(b->m, l->to, direction, f) - along(b->m, l->from, direction, f);
        for (int i = 0; !l->carried && l->row && i < l->row->count; i++)
            sum += along(b->m, l->row->ref[i], direction, l->row->coefficient[i] * f);
    }
    return sum;
}

static IFD_RT void ground(ifd__response_model *b, double t)
{
    for (int d = 0; d < 3; d++) {
        double y[3] = {0.0, 0.0, 0.0};
        if (b->m->ground[d].signal)
            ifd_signal_eval(b->m->ground[d].signal, t, y);
        b->ground[d] = y[0];
    }
}

/* A derivative of the prescribed motion of a support. */
static IFD_RT double support_value(const ifd__response_model *b, int support, int derivative, double t)
{
    double y[3];
    ifd_signal_eval(b->m->support[support], t, y);
    return y[derivative];
}

/* What a row is computed from. */
enum { ENERGIES = IFD_COLUMN_ENERGY_NUMERICAL - IFD_COLUMN_ENERGY_INPUT + 1 };
typedef struct instant {
    double *x, t;
    const double *force;
    double energy[ENERGIES];
} instant;

static IFD_RT void energies(const ifd__response *r, instant *now)
{
    const ifd_energy e = ifd__balance_energy(ifd__energy_state_of(r, now->x));
    const double all[ENERGIES] = {e.input, e.kinetic, e.stored, e.dissipated, e.specimens, e.joints, e.numerical};
    memcpy(now->energy, all, sizeof all);
}

static IFD_RT double gravity_value(const ifd__response *r, const double *x, double t)
{
    double sum = 0.0;
    for (int p = 0; p < r->s->models; p++) {
        const ifd__point now = ifd__response_point(&r->model[p], x, t);
        if (r->model[p].m->gravity)
            sum += ifd__gravity_work(r->model[p].m, t, now.u, now.s);
    }
    return sum;
}

/* x (n) of a dof, or of the slave of a tie. */
static IFD_RT double component(const ifd_model *m, const ifd__column_place *at, const double *x)
{
    return at->condensed ? ifd__model_gone_sum(m, at->index, x) : x[at->index];
}

static IFD_RT ifd_dof_kind kind_of(const ifd_model *m, const ifd__column_place *at)
{
    return at->condensed ? m->gone_kind[at->index] : m->dof_kind[at->index];
}

/* Displacements and quantities that follow from them. */
static IFD_RT double motion_value(const ifd__response *r, int column, double *x, double t)
{
    const ifd__column_place at = r->place[column];
    const ifd__response_model *b = &r->model[at.model];
    const ifd__point now = ifd__response_point(b, x, t);
    switch ((int)r->column[column].quantity) {
    case IFD_COLUMN_DISPLACEMENT:
        return at.condensed ? ifd__model_gone(b->m, at.index, t, now.u, now.s) : now.u[at.index];
    case IFD_COLUMN_VELOCITY:
        return component(b->m, &at, now.v);
    case IFD_COLUMN_ELEMENT_DEFORMATION:
        return at.gauged ? r->gauge.now[at.index] : b->q[at.index];
    case IFD_COLUMN_ELEMENT_FORCE:
        return at.gauged ? r->gauge.now[at.index] : b->r[at.index];
    case IFD_COLUMN_ELEMENT_STATE:
        return now.s[at.index];
    case IFD_COLUMN_STOREY_DRIFT:
        return r->gauge.now[at.index];
    case IFD_COLUMN_SUPPORT_DISPLACEMENT:
    case IFD_COLUMN_SUPPORT_VELOCITY:
    case IFD_COLUMN_SUPPORT_ACCELERATION:
        return support_value(b, at.index, (int)(r->column[column].quantity - IFD_COLUMN_SUPPORT_DISPLACEMENT), t);
    default:
        return at.gauged ? r->gauge.now[at.index] : x[at.index];
    }
}

static IFD_RT double value_of(const ifd__response *r, int column, const instant *now)
{
    double *x = now->x, t = now->t;
    const ifd__column_place at = r->place[column];
    const ifd__response_model *b = &r->model[at.model];
    ifd_quantity quantity = r->column[column].quantity;
    switch ((int)quantity) {
    case IFD_COLUMN_ACCELERATION:
        return component(b->m, &at, b->a);
    case IFD_COLUMN_ABSOLUTE_VELOCITY:
        return component(b->m, &at, x + b->at + b->m->n) +
               ifd__energy_state_of(r, x)->ground[2 * kind_of(b->m, &at) + 1];
    case IFD_COLUMN_ABSOLUTE_ACCELERATION:
        return component(b->m, &at, b->a) + b->ground[kind_of(b->m, &at)];
    case IFD_COLUMN_GROUND_X:
    case IFD_COLUMN_GROUND_Y:
    case IFD_COLUMN_GROUND_Z:
        return b->ground[at.index];
    case IFD_COLUMN_BASE_SHEAR_X:
    case IFD_COLUMN_BASE_SHEAR_Y:
    case IFD_COLUMN_BASE_SHEAR_Z:
        return base_shear(r, at.index, x, t, now->force);
    case IFD_COLUMN_ENERGY_GRAVITY:
        return gravity_value(r, x, t);
    default:
        return quantity >= IFD_COLUMN_ENERGY_INPUT && quantity <= IFD_COLUMN_ENERGY_NUMERICAL
                   ? now->energy[quantity - IFD_COLUMN_ENERGY_INPUT]
                   : motion_value(r, column, x, t);
    }
}

void ifd__response_values(const ifd__response *r, double *x, double t, const double *force, double *values)
{
    for (int p = 0; p < r->s->models; p++) {
        if (r->model[p].mass)
            response_accelerations(r, p, x, t, force);
        if (r->opt.what & (IFD_RECORD_ELEMENTS | IFD_RECORD_BASE_SHEAR))
            elements(r, p, x, t);
        if (r->opt.what & IFD_RECORD_BASE_SHEAR)
            resistance(&r->model[p], x, t);
        if (r->opt.what & (IFD_RECORD_ACCELERATION | IFD_RECORD_GROUND))
            ground(&r->model[p], t);
    }
    ifd__gauges_eval(r, x, t);
    instant now = {.x = x, .t = t, .force = force};
    if (r->opt.what & IFD_RECORD_ENERGY)
        energies(r, &now);
    for (int k = 0; k < r->columns; k++)
        values[k] = value_of(r, k, &now);
}

static IFD_RT bool stands(ifd_quantity q)
{
    return q == IFD_COLUMN_DISPLACEMENT || q == IFD_COLUMN_VELOCITY || q == IFD_COLUMN_STOREY_DRIFT ||
           q == IFD_COLUMN_SUPPORT_DISPLACEMENT ||
           (q >= IFD_COLUMN_ELEMENT_DEFORMATION && q <= IFD_COLUMN_ELEMENT_STATE) ||
           (q >= IFD_COLUMN_MEMBER_REMAINDER && q <= IFD_COLUMN_FIBRE_STRESS);
}

void ifd__response_rest(const ifd__response *r, double *x, double *values)
{
    for (int p = 0; p < r->s->models && r->opt.what & IFD_RECORD_ELEMENTS; p++)
        elements(r, p, x, 0.0);
    ifd__gauges_eval(r, x, 0.0);
    for (int k = 0; k < r->columns; k++)
        values[k] = stands(r->column[k].quantity) ? motion_value(r, k, x, 0.0) : 0.0;
}
