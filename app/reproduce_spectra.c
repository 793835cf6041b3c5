/* SPDX-License-Identifier: MIT */
/* Spectral radii of methods, and roots of the couplings on the single mass split in two. */
#include "reproduce_split.h"

#include <string.h>

#include <interfield/method.h>

enum { OMEGAS = 161 };

typedef struct method_curve {
    const char *label, *method, *param;
    double value;
} method_curve;

static const method_curve curves[] = {
    {"LSRT2, gamma minus", "lsrt2", "gamma", 0.29289321881345247560},
    {"LSRT2, gamma plus", "lsrt2", "gamma", 1.70710678118654752440},
    {"generalized-alpha, rho 0.8", "generalized-alpha", "rho", 0.8},
    {"generalized-alpha, rho 0.5", "generalized-alpha", "rho", 0.5},
    {"Chang", "chang", NULL, 0},
    {"LSRT1", "lsrt1", NULL, 0},
};

enum { GAMMA_MINUS, GAMMA_PLUS, ALPHA_HIGH, ALPHA_LOW, CHANG, LSRT1, CURVES };

static ifd_status radii(scene *s, const method_curve *m, int count, const double *omega, ifd_spectrum_row *row)
{
    ifd_step_options opt;
    ifd_step_options_defaults(ifd_method_find(m->method), 1.0, &opt);
    if (m->param && !ifd_step_options_set(&opt, m->param, ifd_number(m->value)))
        return IFD_UNKNOWN_KEY;
    return ifd_spectrum(s->a->arena, &opt, 0.0, count, omega, row, &s->a->note);
}

/* sqrt(1 + (1 - 2 g)^2 w^2) / (1 + g^2 w^2), worked out by hand for the undamped oscillator. */
static double closed_form(double g, double w)
{
    return sqrt(1 + pow((1 - 2 * g) * w, 2)) / (1 + g * g * w * w);
}

static void judge_radii(scene *s, const sheet *t, int count)
{
    double worst = 0, low = 1, formula = 0, flat = 0;
    for (long r = 0; r < t->rows; r++) {
        double w = t->column[0][r];
        for (int g = 0; g < 2; g++) {
            double found = t->column[1 + g][r];
            worst = fmax(worst, found);
            formula = fmax(formula, fabs(found - closed_form(curves[g].value, w)));
            if (w <= 0.0101)
                low = fmin(low, found);
        }
        flat = fmax(flat, fabs(t->column[1 + CHANG][r] - 1));
    }
    long last = t->rows - 1;
    claim(s, worst, NONE, 1 + 1e-9, "LSRT2, both gammas: largest spectral radius, Omega from 0.01 to 1000");
    claim(s, fmax(t->column[1][last], t->column[2][last]), NONE, 0.01, "LSRT2: spectral radius at Omega = 1000");
    claim(s, low, 0.9999, NONE, "LSRT2: spectral radius at Omega = 0.01");
    claim(s, flat, NONE, 1e-9, "Chang: largest distance of the radius from one");
    if (count > LSRT1)
        claim(s, t->column[1 + LSRT1][last], NONE, 0.01, "LSRT1: spectral radius at Omega = 1000");
    claim(s, formula, NONE, 1e-10, "LSRT2: largest difference from the closed form of the radius");
    claim(s, t->column[1 + ALPHA_HIGH][last], 0.79, 0.81, "generalized-alpha, rho 0.8: radius at Omega = 1000");
}

ifd_status make_spectral_radii(scene *s)
{
    int count = strcmp(s->entry->id, "001-fig2") == 0 ? CURVES : LSRT1;
    const double *omega = logspace(s, 0.01, 1000, OMEGAS);
    ifd_spectrum_row *row = ifd_arena_array(s->a->arena, OMEGAS, sizeof *row);
    const char *head = "Omega";
    for (int k = 0; k < count && head; k++)
        head = ifd_arena_print(s->a->arena, "%s|%s", head, curves[k].label);
    sheet *t = head && omega && row ? sheet_make(s, "radius", head, OMEGAS) : NULL;
    if (!t)
        return IFD_NO_MEMORY;
    t->rows = OMEGAS;
    memcpy(t->column[0], omega, OMEGAS * sizeof *omega);
    plot_pane(s, &(pane){.x = "Omega = frequency x step",
                         .y = "spectral radius",
                         .extra = "set logscale x; set format x '10^{%T}'",
                         .low = 0,
                         .high = 1.05});
    for (int k = 0; k < count; k++) {
        IFD_TRY(radii(s, &curves[k], OMEGAS, omega, row));
        for (int i = 0; i < OMEGAS; i++)
            t->column[1 + k][i] = row[i].radius;
        plot_line(s, t, 0, 1 + k, curves[k].label);
    }
    chosen(s, "rho_inf of the generalized-alpha method, 0.8 and 0.5.");
    judge_radii(s, t, count);
    return IFD_OK;
}

settings split_sets(scene *s, const split *p)
{
    ifd_arena *arena = s->a->arena;
    const char **set = ifd_arena_array(arena, 8, sizeof *set);
    double a = p->b1 / (1 + p->b1), b = 1 / (1 + p->b1);
    if (!set)
        return NULL;
    set[0] = ifd_arena_print(arena, "substructures.A.model={dofs: [u], mass: %.17g, stiffness: %.17g}", a, b);
    set[1] = ifd_arena_print(arena, "substructures.B.model={dofs: [u], mass: %.17g, stiffness: %.17g}", b, a);
    set[2] = ifd_arena_print(arena, "substructures.B.subcycles=%d", p->ss);
    set[3] = strcmp(p->coupling, "midpoint") == 0 ? "method=newmark"
                                                  : ifd_arena_print(arena, "method={lsrt2: {gamma: %s}}", p->gamma);
    set[4] = ifd_arena_print(arena, "coupling=%s", p->coupling);
    if (p->step > 0) {
        set[5] = ifd_arena_print(arena, "time.step=%.17g s", p->step);
        set[6] = ifd_arena_print(arena, "time.end=%.17g s", p->end);
    }
    return set;
}

ifd_status split_roots(scene *s, const split *p, const char *name, int roots, double high, split_facts *facts)
{
    ifd_case *c = NULL;
    const double *omega = logspace(s, 0.01, high, OMEGAS);
    const char *head = "Omega";
    IFD_TRY(scene_case(s, "split-mass/staggered", split_sets(s, p), &c));
    for (int i = 0; i < roots && head; i++)
        head = ifd_arena_print(s->a->arena, "%s|root %d", head, i + 1);
    sheet *t = head && omega ? sheet_make(s, name, head, OMEGAS) : NULL;
    if (!t)
        return IFD_NO_MEMORY;
    *facts = (split_facts){.sheet = t, .least_nonzero = 1000, .least_ones = 1000};
    double coarse = strcmp(p->coupling, "parallel") == 0 ? 4 : 1;
    for (int i = 0; i < OMEGAS; i++) {
        ifd_couple_options couple = *c->run.couple;
        ifd_run_options opt = c->run;
        ifd_stability v;
        couple.h = opt.step.h = omega[i] / coarse; /* the mass and the spring are one */
        opt.couple = &couple;
        IFD_TRY(ifd_stability_find(s->a->arena, &opt, &v, &s->a->note));
        double row[32] = {omega[i]};
        for (int k = 0; k < roots && k < v.states; k++)
            row[k + 1] = hypot(v.root[k].real, v.root[k].imag);
        sheet_add(t, row);
        if (v.radius > facts->radius) {
            facts->radius = v.radius;
            facts->worst_at = omega[i];
        }
        if (!v.stable && facts->first_unstable == 0)
            facts->first_unstable = omega[i];
        int nonzero = v.states - v.zeros;
        facts->least_nonzero = nonzero < facts->least_nonzero ? nonzero : facts->least_nonzero;
        facts->most_nonzero = nonzero > facts->most_nonzero ? nonzero : facts->most_nonzero;
        facts->least_ones = v.ones < facts->least_ones ? v.ones : facts->least_ones;
        facts->states = v.states;
    }
    return IFD_OK;
}

void split_plot(scene *s, const split_facts *f, const char *title)
{
    plot_pane(s, &(pane){.title = title,
                         .x = "Omega = frequency x coarse step",
                         .y = "|root|",
                         .extra = "set logscale x; set format x '10^{%T}'",
                         .low = 0,
                         .high = 1.6});
    for (int i = 1; i < f->sheet->width && i <= MOST_LINES; i++)
        plot_line(s, f->sheet, 0, i, "");
}
