/* SPDX-License-Identifier: MIT */
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

#include "couple/coupled.h"

typedef struct substructure {
    int at, ss;
    double h;
    ifd__tangent *T;
    double *load, *F, *z, *w; /* n, n, n, scratch of the model */
} substructure;

IFD_RT static void substep(const substructure *l, const ifd_model *m, double t, double *y)
{
    double *u = y, *v = y + m->n, h = l->h;
    ifd__model_load(m, t + 0.5 * h, l->F);
    for (int i = 0; i < m->n; i++) {
        l->F[i] += l->load[i];
        l->z[i] = u[i] + 0.5 * h * v[i];
    }
    ifd__model_linear(m, -1.0, l->z, v, l->w, l->F);
    ifd__tangent_solve(l->T, l->F);
    for (int i = 0; i < m->n; i++) {
        u[i] += h * v[i] + 0.5 * h * h * l->F[i];
        v[i] += h * l->F[i];
    }
}

static void tick(ifd__coupled *c, int k, double t, double *x)
{
    const substructure *substructures = c->data;
    (void)k;
    ifd__coupled_multipliers(c, t, x); /* they follow from the state alone, also after probing or restoring it */
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &substructures[p];
        ifd__interface_load(&c->I, p, x + c->lambda, l->load);
        for (int j = 0; j < l->ss; j++)
            substep(l, c->member[p].model, t + j * l->h, x + l->at);
    }
    ifd__coupled_synchronise(c, t + c->h, x);
}

static ifd_status make_substructure(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, int p,
                                    ifd_note *note)
{
    substructure *l = &((substructure *)c->data)[p];
    const ifd_model *m = opt->part[p].model;
    size_t n = (size_t)m->n;
    ifd__newmark_rule rule;
    IFD_TRY(ifd__linear_substructure(opt, p, &rule, note));
    if (rule.beta != 0.25 || rule.gamma != 0.5)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, &opt->part[p].place,
            "substructure '%s' has beta %g, gamma %g; the midpoint rule needs newmark with beta 1/4 and gamma 1/2",
            opt->part[p].name, rule.beta, rule.gamma);
    l->ss = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
    l->h = c->member[p].h = opt->h / l->ss;
    l->at = c->member[p].at = ifd__coupled_row(c, "u", m->n, IFD_STATE_REAL);
    ifd__coupled_row(c, "v", m->n, IFD_STATE_REAL);
    IFD_TRY(ifd__tangent_make(
        arena, m, &(ifd__tangent_options){.cm = 1.0, .cv = 0.5 * l->h, .cu = 0.25 * l->h * l->h}, &l->T, note));
    return IFD__TAKE(arena, IFD__ARRAY(l->load, n), IFD__ARRAY(l->F, n), IFD__ARRAY(l->z, n),
                     IFD__ARRAY(l->w, ifd__model_work(m)));
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    c->data = ifd_arena_array(arena, (size_t)opt->parts, sizeof(substructure));
    if (!c->data)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__coupled_interface(c, arena, opt, opt->h, note));
    for (int p = 0; p < opt->parts; p++)
        IFD_TRY(make_substructure(c, arena, opt, p, note));
    c->ticks = 1;
    return IFD_OK;
}

const ifd_coupling ifd__coupling_midpoint = {
    .name = "midpoint",
    .title = "midpoint rule with index-1 joints",
    .citation = "Nakshatrala, Hjelmstad, Tortorelli (2008)",
    .summary = "Linear substructures; the multipliers are computed at the start of a coarse step and constant "
               "over it. First order.",
    .order = 1,
    .methods = "newmark",
    .comparison = true,
    .make = make,
    .begin = ifd__coupled_multipliers,
    .tick = tick,
};
