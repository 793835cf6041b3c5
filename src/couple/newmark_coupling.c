/* SPDX-License-Identifier: MIT */
/* Two couplings of linear substructures with Newmark's rules, implicit or explicit in each, with velocity continuity.
 *
 * A step h of a substructure, from the predictions up = u + h v + h^2 (1/2 - beta) a, vp = v + h (1 - gamma) a:
 *
 *     S a1 = P(t1) + G^T Lam - C vp - K up,   S = M + gamma h C + beta h^2 K,
 *     u1 = up + beta h^2 a1,   v1 = vp + gamma h a1.
 *
 * gc: velocities are equal at every fine step j. Coarse and fine substructures first step without multipliers; the
 *     free velocity of the coarse ones is interpolated linearly, w_j = (1 - j/ss) (G_A v_A(0) - H_A Lam_n) + (j/ss)
 *     G_A v_A,free(ss), then Lam_j = -H^-1 (w_j + G_B v_B,free), H the sum of G S^-1 G^T gamma h, each substructure
 *     with its h, H_A the coarse contribution. Fine substructures are corrected with Lam_j at once, coarse ones with
 *     Lam_ss. The free velocity at the start is the velocity before the last correction: with v_A(0) itself the
 *     error of Lam_j would be as large as Lam_j. Dissipates at the joint and is of first order if ss > 1.
 * ph: velocities are equal at coarse instants only; between them Lam is linear. Free steps under Lam_n, links under
 *     the ramp j/ss, dLam = -H^-1 sum G v_free with H = sum G v_link. Conserves the energy norm of Newmark's method:
 *     over a coarse step the work of linear multipliers is dLam . sum G dv / h = 0. (In the paper the fine side also
 *     receives the deviation of the coarse loads from linear between its instants; of second order, omitted.)
 *
 * Gravouil, Combescure (2001), Int. J. Numer. Methods Engng 50:199-225; Prakash, Hjelmstad (2004), 61:2183-2204. */

#include <string.h>

#include "algebra/dense.h"
#include "couple/coupled.h"
#include "method/stepper.h"

typedef struct substructure {
    int at, ss;
    double h, beta, gamma;
    ifd__tangent *T;
    const ifd_solver *mass;
    double *link;                   /* rows columns of u, v, a: 3 n */
    double *load, *F, *up, *vp, *w; /* n each; scratch of the model */
} substructure;

typedef struct joined {
    substructure *substructure;
    int ss; /* gc: subcycles of the fine substructures */
    double *LU, *gap;
    double *HA, *before, *after; /* gc: H of the coarse side; its free velocities */
    int *pivot;
} joined;

/* Refuses a substructure with elements, with the name of the first. central-difference is beta = 0, gamma = 1/2. */
static ifd_status linear_rule(const ifd_couple_options *opt, int p, substructure *out, ifd_note *note)
{
    const ifd_part_options *part = &opt->part[p];
    if (part->model->ne)
        return ifd_note_add(note, IFD_UNSUPPORTED, &part->place,
                            "substructure '%s' has element '%s'; coupling %s is for comparison and supports linear "
                            "substructures only",
                            part->name, part->model->element[0].name, opt->coupling->name);
    bool explicit_rule = part->step.method->explicit_step;
    out->beta = explicit_rule ? 0.0 : ifd__step_value(&part->step, "beta")->number;
    out->gamma = explicit_rule ? 0.5 : ifd__step_value(&part->step, "gamma")->number;
    return IFD_OK;
}

/* One step of y = (u, v, a) to t1 under `load`, and also under the loads of the model if `loaded`. */
IFD_RT static void step(const substructure *l, const ifd_model *m, bool loaded, double t1, const double *load,
                        double *y)
{
    int n = m->n;
    double *u = y, *v = y + n, *a = y + 2 * n, h = l->h;
    memset(l->F, 0, sizeof(double) * (size_t)n);
    if (loaded)
        ifd__model_load(m, t1, l->F);
    for (int i = 0; i < n; i++) {
        l->F[i] += load ? load[i] : 0.0;
        l->up[i] = u[i] + h * v[i] + h * h * (0.5 - l->beta) * a[i];
        l->vp[i] = v[i] + h * (1.0 - l->gamma) * a[i];
    }
    ifd__model_linear(m, -1.0, l->up, l->vp, l->w, l->F);
    ifd__tangent_solve(l->T, l->F);
    for (int i = 0; i < n; i++) {
        u[i] = l->up[i] + l->beta * h * h * l->F[i];
        v[i] = l->vp[i] + l->gamma * h * l->F[i];
        a[i] = l->F[i];
    }
}

/* y += link Lam */
IFD_RT static void add_links(const ifd__coupled *c, int p, const double *lambda, double *y)
{
    const substructure *l = &((const joined *)c->data)->substructure[p];
    ifd__mul_add(3 * c->member[p].model->n, c->I.rows, 1.0, l->link, lambda, y);
}

IFD_RT static void add_velocity(const ifd__coupled *c, int p, const double *x, double *gap)
{
    ifd__interface_gap(&c->I, p, x + c->member[p].at + c->member[p].model->n, gap);
}

/* gap := -H^-1 gap */
IFD_RT static void solve(const ifd__coupled *c, double *gap)
{
    const joined *d = c->data;
    ifd__lu_solve(c->I.rows, d->LU, d->pivot, 1, gap);
    for (int j = 0; j < c->I.rows; j++)
        gap[j] = -gap[j];
}

IFD_RT static void end(ifd__coupled *c, double *x)
{
    if (c->drift == IFD_DRIFT_PROJECT)
        ifd__coupled_project(c, 0, x); /* velocities are already equal */
}

static void ph_tick(ifd__coupled *c, int k, double t, double *x)
{
    const joined *d = c->data;
    memset(d->gap, 0, sizeof(double) * (size_t)c->I.rows);
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &d->substructure[p];
        ifd__interface_load(&c->I, p, x + c->lambda, l->load);
        for (int j = 1; j <= l->ss; j++)
            step(l, c->member[p].model, true, t + j * l->h, l->load, x + l->at);
        add_velocity(c, p, x, d->gap);
    }
    solve(c, d->gap);
    for (int p = 0; p < c->parts; p++)
        add_links(c, p, d->gap, x + d->substructure[p].at);
    for (int j = 0; j < c->I.rows; j++)
        x[c->lambda + j] += d->gap[j];
    end(c, x);
}

/* Free step of the coarse side, and the free velocities at both ends. */
IFD_RT static void gc_coarse(ifd__coupled *c, double t, double *x)
{
    const joined *d = c->data;
    memset(d->before, 0, sizeof(double) * (size_t)c->I.rows);
    memset(d->after, 0, sizeof(double) * (size_t)c->I.rows);
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &d->substructure[p];
        if (l->ss != 1)
            continue;
        add_velocity(c, p, x, d->before);
        step(l, c->member[p].model, true, t + l->h, NULL, x + l->at);
        add_velocity(c, p, x, d->after);
    }
    ifd__mul_add(c->I.rows, c->I.rows, -1.0, d->HA, x + c->lambda, d->before);
}

static void gc_tick(ifd__coupled *c, int k, double t, double *x)
{
    const joined *d = c->data;
    double *lambda = x + c->lambda;
    gc_coarse(c, t, x);
    for (int j = 1; j <= d->ss; j++) {
        double theta = (double)j / d->ss;
        for (int r = 0; r < c->I.rows; r++)
            lambda[r] = (1.0 - theta) * d->before[r] + theta * d->after[r];
        for (int p = 0; p < c->parts; p++) {
            const substructure *l = &d->substructure[p];
            if (l->ss == 1)
                continue;
            step(l, c->member[p].model, true, t + j * l->h, NULL, x + l->at);
            add_velocity(c, p, x, lambda);
        }
        solve(c, lambda);
        for (int p = 0; p < c->parts; p++)
            if (d->substructure[p].ss != 1 || j == d->ss)
                add_links(c, p, lambda, x + d->substructure[p].at);
    }
    end(c, x);
}

/* Compatible accelerations at the start. */
static void begin(ifd__coupled *c, double t, double *x)
{
    const joined *d = c->data;
    ifd__coupled_multipliers(c, t, x);
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &d->substructure[p];
        const ifd_model *m = c->member[p].model;
        double *y = x + l->at, *a = y + 2 * m->n;
        ifd__interface_load(&c->I, p, x + c->lambda, l->load);
        ifd__model_load_with(m, t, l->load, a);
        ifd__model_linear(m, -1.0, y, y + m->n, l->w, a);
        ifd__solver_solve(l->mass, a, l->w);
    }
}

/* Response to unit multipliers: one step (gc), or the ramp over all subcycles (ph). */
static void links(ifd__coupled *c, int p, int steps)
{
    joined *d = c->data;
    substructure *l = &d->substructure[p];
    const ifd__lists *G = &c->I.part[p].G;
    size_t size = 3 * (size_t)c->member[p].model->n, rows = (size_t)c->I.rows;
    for (size_t row = 0; row < rows; row++) {
        double *y = l->link + row * size;
        for (int j = 1; j <= steps; j++) {
            memset(l->load, 0, sizeof(double) * (size_t)c->member[p].model->n);
            for (int k = G->start[row]; k < G->start[row + 1]; k++)
                l->load[G->dof[k]] = G->value[k] * j / steps;
            step(l, c->member[p].model, false, 0.0, l->load, y);
        }
        ifd__interface_gap(&c->I, p, y + size / 3, d->LU + row * rows);
        if (l->ss == 1)
            ifd__interface_gap(&c->I, p, y + size / 3, d->HA + row * rows);
    }
}

static ifd_status make_substructure(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, int p,
                                    ifd_note *note)
{
    substructure *l = &((joined *)c->data)->substructure[p];
    const ifd_model *m = opt->part[p].model;
    IFD_TRY(ifd__model_mass(arena, m, &l->mass, note));
    size_t n = (size_t)m->n, work = ifd__model_work(m) + ifd__solver_work(l->mass);
    IFD_TRY(linear_rule(opt, p, l, note));
    l->ss = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
    l->h = c->member[p].h = opt->h / l->ss;
    l->at = c->member[p].at = ifd__coupled_row(c, "u", m->n, IFD_STATE_REAL);
    ifd__coupled_row(c, "v", m->n, IFD_STATE_REAL);
    if (opt->coupling != &ifd__coupling_midpoint)
        ifd__coupled_row(c, "a", m->n, IFD_STATE_HISTORY);
    IFD_TRY(ifd__tangent_make(arena, m,
                              &(ifd__tangent_options){.cm = 1.0, .cv = l->gamma * l->h, .cu = l->beta * l->h * l->h},
                              &l->T, note));
    return IFD__TAKE(arena, IFD__ARRAY(l->w, work), IFD__ARRAY(l->load, n), IFD__ARRAY(l->F, n), IFD__ARRAY(l->up, n),
                     IFD__ARRAY(l->vp, n));
}

/* Subcycles of the fine substructures, which must be equal. */
static ifd_status common_subcycles(const ifd_couple_options *opt, int *ss, ifd_note *note)
{
    *ss = 1;
    for (int p = 0; p < opt->parts; p++) {
        int own = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
        if (own > 1 && *ss > 1 && own != *ss)
            return ifd_note_add(note, IFD_UNSUPPORTED, &opt->part[p].place,
                                "substructure '%s' has %d subcycles and another one %d; coupling gc needs the "
                                "same number in all fine substructures",
                                opt->part[p].name, own, *ss);
        *ss = own > 1 ? own : *ss;
    }
    return IFD_OK;
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    bool every = opt->coupling == &ifd__coupling_gc;
    joined *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    c->data = d;
    IFD_TRY(ifd__coupled_interface(c, arena, opt, 0.0, note));
    size_t rows = (size_t)c->I.rows;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->substructure, opt->parts), IFD__ARRAY(d->LU, rows * (2 * rows + 3)),
                      IFD__ARRAY(d->pivot, rows)));
    d->HA = d->LU + rows * rows;
    d->gap = d->HA + rows * rows;
    d->before = d->gap + rows;
    d->after = d->before + rows;
    if (every)
        IFD_TRY(common_subcycles(opt, &d->ss, note));
    for (int p = 0; p < opt->parts; p++) {
        IFD_TRY(make_substructure(c, arena, opt, p, note));
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->substructure[p].link, 3 * (size_t)opt->part[p].model->n * rows)));
        links(c, p, every ? 1 : d->substructure[p].ss);
    }
    if (rows && !ifd__lu_factor(c->I.rows, d->LU, d->pivot))
        return ifd_note_add(note, IFD_SINGULAR, &opt->place, "the equations of the joints are singular");
    c->ticks = 1;
    c->multipliers_are_state = true;
    return IFD_OK;
}

const ifd_coupling ifd__coupling_gc = {
    .name = "gc",
    .title = "Gravouil-Combescure coupling",
    .citation = "Gravouil, Combescure (2001)",
    .summary = "The substructures must be linear. The velocities at a joint are equal at every fine step. With "
               "subcycles the coupling dissipates energy.",
    .order = 1,
    .methods = "newmark|central-difference",
    .comparison = true,
    .make = make,
    .begin = begin,
    .tick = gc_tick,
};

const ifd_coupling ifd__coupling_ph = {
    .name = "ph",
    .title = "Prakash-Hjelmstad coupling",
    .citation = "Prakash, Hjelmstad (2004)",
    .summary = "The substructures must be linear. The velocities at a joint are equal at every coarse step. The "
               "coupling conserves energy.",
    .order = 2,
    .methods = "newmark|central-difference",
    .comparison = true,
    .make = make,
    .begin = begin,
    .tick = ph_tick,
};

/* The midpoint rule with index-1 joints, a partitioned scheme for comparison with the LSRT couplings.
 *
 *     Lam_k from acceleration continuity at t_k, constant over the coarse step;
 *     every substructure takes its subcycles with the midpoint rule on the first-order form,
 *     M a = P(t_m) - C v_m - K u_m + G^T Lam_k,   v_m = v + h/2 a,   u_m = u + h/2 v_m,   v += h a,   u += h v_m,
 *     that is (M + h/2 C + h^2/4 K) a = P(t_m) + G^T Lam_k - C v - K (u + h/2 v).
 *
 * The multipliers are computed first and the substructures follow, as in the paper. Since Lam_k does not depend on
 * the motion after t_k, the coupling is of first order although the rule is of second. For a linear substructure the
 * rule is that of Newmark with beta = 1/4, gamma = 1/2, which the method of each substructure must be.
 *
 * Nakshatrala, Hjelmstad, Tortorelli (2008), Int. J. Numer. Methods Engng 75:1385-1415. */

IFD_RT static void substep(const substructure *l, const ifd_model *m, double t, double *y)
{
    double *u = y, *v = y + m->n, h = l->h;
    ifd__model_load(m, t + 0.5 * h, l->F);
    for (int i = 0; i < m->n; i++) {
        l->F[i] += l->load[i];
        l->up[i] = u[i] + 0.5 * h * v[i];
    }
    ifd__model_linear(m, -1.0, l->up, v, l->w, l->F);
    ifd__tangent_solve(l->T, l->F);
    for (int i = 0; i < m->n; i++) {
        u[i] += h * v[i] + 0.5 * h * h * l->F[i];
        v[i] += h * l->F[i];
    }
}

static void midpoint_tick(ifd__coupled *c, int k, double t, double *x)
{
    const joined *d = c->data;
    ifd__coupled_multipliers(c, t, x); /* they follow from the state alone, also after probing or restoring it */
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &d->substructure[p];
        ifd__interface_load(&c->I, p, x + c->lambda, l->load);
        for (int j = 0; j < l->ss; j++)
            substep(l, c->member[p].model, t + j * l->h, x + l->at);
    }
    ifd__coupled_synchronise(c, t + c->h, x);
}

static ifd_status make_midpoint(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    joined *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    c->data = d;
    IFD_TRY(ifd__coupled_interface(c, arena, opt, opt->h, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->substructure, opt->parts)));
    for (int p = 0; p < opt->parts; p++) {
        const substructure *l = &d->substructure[p];
        IFD_TRY(make_substructure(c, arena, opt, p, note));
        if (l->beta != 0.25 || l->gamma != 0.5)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, &opt->part[p].place,
                "substructure '%s' has beta %g, gamma %g; the midpoint rule needs newmark with beta 1/4 and "
                "gamma 1/2",
                opt->part[p].name, l->beta, l->gamma);
    }
    c->ticks = 1;
    return IFD_OK;
}

const ifd_coupling ifd__coupling_midpoint = {
    .name = "midpoint",
    .title = "midpoint rule with index-1 joints",
    .citation = "Nakshatrala, Hjelmstad, Tortorelli (2008)",
    .summary = "The substructures must be linear. The joint forces are computed at the start of a coarse step "
               "and are constant during this step.",
    .order = 1,
    .methods = "newmark",
    .comparison = true,
    .make = make_midpoint,
    .begin = ifd__coupled_multipliers,
    .tick = midpoint_tick,
};
