/* SPDX-License-Identifier: MIT */
/* Spectral radii of methods, and roots of the couplings on the single mass split in two. */
#include "split.h"

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

/* The most that one step of the undamped oscillator, step 1, multiplies its energy by: the largest singular value of
 * the amplification matrix in the coordinates omega u, v, squared. */
static ifd_status energy_gain(scene *s, double gamma, double omega, double *gain)
{
    ifd_step_options opt;
    ifd_amplification_matrix a;
    ifd_model *m = NULL;
    ifd_builder *b = ifd_builder_make(s->a->arena);
    if (!b)
        return IFD_NO_MEMORY;
    int x = ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, 1);
    ifd_builder_add(b, IFD_STIFFNESS, x, x, omega * omega);
    IFD_TRY(ifd_model_make(s->a->arena, b, &m, &s->a->note));
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &opt);
    ifd_step_options_set(&opt, "gamma", ifd_number(gamma));
    IFD_TRY(ifd_amplification(s->a->arena, &opt, m, &a, &s->a->note));
    if (a.n != 2)
        return IFD_INTERNAL;
    double p = a.A[0], q = a.A[2] * omega, r = a.A[1] / omega, t = a.A[3]; /* rows (p q), (r t) */
    double trace = p * p + q * q + r * r + t * t, det = p * t - q * r;
    *gain = 0.5 * (trace + sqrt(larger(trace * trace - 4 * det * det, 0)));
    return IFD_OK;
}

/* The order with which a method converges on the damped oscillator, 16 ms to 2 ms. */
static ifd_status order_of(scene *s, const char *method, double *order)
{
    enum { LEVELS = 4 };
    double h[LEVELS], error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        h[k] = 0.016 / (1 << k);
        const char *set[] = {ifd_arena_print(s->a->arena, "method=%s", method),
                             ifd_arena_print(s->a->arena, "time={step: %g s, end: 1.6 s}", h[k]), NULL};
        history a, exact;
        long rows;
        IFD_TRY(history_run(s, "oscillator/free", set, &a));
        IFD_TRY(history_exact(s, "oscillator/free", set, &exact));
        const double *e = history_error(s, &a, &exact, &rows);
        if (!e)
            return IFD_NO_MEMORY;
        error[k] = largest(e, rows);
    }
    *order = slope_of(LEVELS, h, error);
    return IFD_OK;
}

static ifd_status judge_orders(scene *s)
{
    double minus, plus, lsrt1, chang;
    IFD_TRY(order_of(s, "{lsrt2: {gamma: minus}}", &minus));
    IFD_TRY(order_of(s, "{lsrt2: {gamma: plus}}", &plus));
    IFD_TRY(order_of(s, "lsrt1", &lsrt1));
    IFD_TRY(order_of(s, "chang", &chang));
    found(s, "order LSRT1", lsrt1);
    found(s, "order LSRT2", smaller(minus, plus));
    found(s, "order Chang", chang);
    return IFD_OK;
}

static ifd_status judge_radii(scene *s, const sheet *t)
{
    double worst = 0, low = 1, flat = 0, gain = 0;
    bool of_2012 = strcmp(s->entry->id, "000-fig1") == 0, of_2009 = strcmp(s->entry->id, "001-fig2") == 0;
    long last = t->rows - 1;
    for (long r = 0; r < t->rows; r++) {
        for (int g = 0; g < 2; g++) {
            double once = 0;
            worst = larger(worst, t->column[1 + g][r]);
            low = smaller(low, r == 0 ? t->column[1 + g][r] : 1);
            if (of_2012)
                IFD_TRY(energy_gain(s, curves[g].value, t->column[0][r], &once));
            gain = larger(gain, once);
        }
        flat = larger(flat, fabs(t->column[1 + CHANG][r] - 1));
    }
    double high = larger(t->column[1][last], t->column[2][last]);
    found(s, "stable", worst);
    found(s, "high", high);
    found(s, "low", 1 - low);
    if (of_2012 || of_2009)
        found(s, "alpha", high / t->column[1 + ALPHA_LOW][last]);
    if (of_2012)
        found(s, "decay", gain);
    if (!of_2009)
        return IFD_OK;
    found(s, "LSRT1", t->column[1 + LSRT1][last]);
    found(s, "Chang", flat);
    return judge_orders(s);
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
    return judge_radii(s, t);
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

static void count_kinds(const ifd_stability *v, double omega, bool nearest, split_facts *facts)
{
    int complex_ones = 0;
    for (int k = 0; k < v->states; k++)
        complex_ones += fabs(v->root[k].imag) > 1e-9 && hypot(v->root[k].real, v->root[k].imag) > 1e-6;
    int pairs = complex_ones / 2, real = v->states - v->zeros - complex_ones;
    if (nearest) {
        facts->pairs = pairs;
        facts->real = real;
    }
    if (pairs > facts->most_pairs) {
        facts->most_pairs = pairs;
        facts->least_real = real;
        facts->most_at = omega;
    }
}

ifd_status split_roots(scene *s, const split *p, const char *name, int roots, double high, split_facts *facts)
{
    ifd_case *c = NULL;
    const double *omega = logspace(s, 0.01, high, OMEGAS);
    const char *head = "Omega";
    IFD_TRY(scene_case(s, "split-mass/staggered", split_sets(s, p), &c));
    for (int i = 0; i < roots && head; i++)
        head = ifd_arena_print(s->a->arena, "%s|root %d", head, i + 1);
    sheet *t = name && head && omega ? sheet_make(s, name, head, OMEGAS) : NULL;
    if (!omega || (name && !t))
        return IFD_NO_MEMORY;
    *facts = (split_facts){.sheet = t, .least_ones = 1000};
    double coarse = strcmp(p->coupling, "parallel") == 0 ? 4 : 1, nearest = HUGE_VAL;
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
        if (t)
            sheet_add(t, row);
        facts->radius = larger(facts->radius, v.radius);
        if (!v.stable && facts->first_unstable == 0)
            facts->first_unstable = omega[i];
        int nonzero = v.states - v.zeros;
        facts->most_nonzero = nonzero > facts->most_nonzero ? nonzero : facts->most_nonzero;
        facts->least_ones = v.ones < facts->least_ones ? v.ones : facts->least_ones;
        facts->states = v.states;
        count_kinds(&v, omega[i], fabs(log(omega[i])) < nearest, facts);
        nearest = smaller(nearest, fabs(log(omega[i])));
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
