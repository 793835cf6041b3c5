/* SPDX-License-Identifier: MIT */
/* Spectral radii of methods, and eigenvalues of the couplings for the split-mass system. */
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

static void radii(scene *s, const method_curve *m, int count, const double *omega, ifd_spectrum_row *row)
{
    ifd_step_options opt;
    ifd_step_options_defaults(ifd_method_find(m->method), 1.0, &opt);
    bool known = !m->param || ifd_step_options_set(&opt, m->param, ifd_number(m->value));
    scene_try(s, known ? ifd_spectrum(&opt, 0.0, count, omega, row, &s->a->note) : IFD_UNKNOWN_KEY);
}

/* The most that one step of the undamped oscillator, step 1, multiplies its energy by: the largest singular value of
 * the amplification matrix in the coordinates omega u, v, squared. */
static double energy_gain(scene *s, double gamma, double omega)
{
    ifd_step_options opt;
    ifd_amplification_matrix a;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &opt);
    ifd_step_options_set(&opt, "gamma", ifd_number(gamma));
    scene_try(s, ifd_amplification(s->a->arena, &opt, oscillator(s, omega * omega, 0), &a, &s->a->note));
    scene_try(s, a.n == 2 ? IFD_OK : IFD_INTERNAL);
    double p = a.A[0], q = a.A[2] * omega, r = a.A[1] / omega, t = a.A[3]; /* rows (p q), (r t) */
    double trace = p * p + q * q + r * r + t * t, det = p * t - q * r;
    return 0.5 * (trace + sqrt(larger(trace * trace - 4 * det * det, 0)));
}

/* The order of convergence of a method for the damped oscillator, 16 ms to 2 ms. */
static double order_of(scene *s, const char *method)
{
    enum { LEVELS = 4 };
    double h[LEVELS], error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        h[k] = 0.016 / (1 << k);
        const char *set[] = {scene_print(s, "method=%s", method),
                             scene_print(s, "time={step: %g s, end: 1.6 s}", h[k]), NULL};
        long rows;
        history a = history_run(s, "oscillator/free", set);
        history exact = history_exact(s, "oscillator/free", set);
        const double *e = history_error(s, &a, &exact, &rows);
        error[k] = largest(e, rows);
    }
    return slope_of(LEVELS, h, error);
}

static void judge_orders(scene *s)
{
    double minus = order_of(s, "{lsrt2: {gamma: minus}}"), plus = order_of(s, "{lsrt2: {gamma: plus}}");
    found(s, "order LSRT1", order_of(s, "lsrt1"));
    found(s, "order LSRT2", smaller(minus, plus));
    found(s, "order Chang", order_of(s, "chang"));
}

static void judge_radii(scene *s, const sheet *t)
{
    double worst = 0, low = 1, flat = 0, gain = 0;
    bool of_2012 = strcmp(s->entry->id, "000-fig1") == 0, of_2009 = strcmp(s->entry->id, "001-fig2") == 0;
    long last = t->rows - 1;
    for (long r = 0; r < t->rows; r++) {
        for (int g = 0; g < 2; g++) {
            worst = larger(worst, t->column[1 + g][r]);
            low = smaller(low, r == 0 ? t->column[1 + g][r] : 1);
            if (of_2012)
                gain = larger(gain, energy_gain(s, curves[g].value, t->column[0][r]));
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
        return;
    found(s, "LSRT1", t->column[1 + LSRT1][last]);
    found(s, "Chang", flat);
    judge_orders(s);
}

void make_spectral_radii(scene *s)
{
    int count = strcmp(s->entry->id, "001-fig2") == 0 ? CURVES : LSRT1;
    const double *omega = logspace(s, 0.01, 1000, OMEGAS);
    ifd_spectrum_row *row = scene_array(s, OMEGAS, sizeof *row);
    const char *head = "Omega";
    for (int k = 0; k < count; k++)
        head = scene_print(s, "%s|%s", head, curves[k].label);
    sheet *t = sheet_make(s, "radius", head, OMEGAS);
    t->rows = OMEGAS;
    memcpy(t->column[0], omega, OMEGAS * sizeof *omega);
    plot_pane(s, &(pane){.x = "Omega = frequency x step",
                         .y = "spectral radius",
                         .extra = "set logscale x; set format x '10^{%T}'",
                         .low = 0,
                         .high = 1.05});
    for (int k = 0; k < count; k++) {
        radii(s, &curves[k], OMEGAS, omega, row);
        for (int i = 0; i < OMEGAS; i++)
            t->column[1 + k][i] = row[i].radius;
        plot_line(s, t, 0, 1 + k, curves[k].label);
    }
    chosen(s, "rho_inf of the generalized-alpha method, 0.8 and 0.5.");
    judge_radii(s, t);
}

settings split_sets(scene *s, const split *p)
{
    const char **set = scene_array(s, 8, sizeof *set);
    double a = p->b1 / (1 + p->b1), b = 1 / (1 + p->b1);
    set[0] = scene_print(s, "substructures.A.model={dofs: [u], mass: %.17g, stiffness: %.17g}", a, b);
    set[1] = scene_print(s, "substructures.B.model={dofs: [u], mass: %.17g, stiffness: %.17g}", b, a);
    set[2] = scene_print(s, "substructures.B.subcycles=%d", p->ss);
    set[3] = strcmp(p->coupling, "midpoint") == 0 ? "method=newmark"
                                                  : scene_print(s, "method={lsrt2: {gamma: %s}}", p->gamma);
    set[4] = scene_print(s, "coupling=%s", p->coupling);
    if (p->step > 0) {
        set[5] = scene_print(s, "time.step=%.17g s", p->step);
        set[6] = scene_print(s, "time.end=%.17g s", p->end);
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

/* Columns of the sheet: Omega, the principal pair, a root equal to one, spurious roots. Roots that are zero, and
 * those that are not there, are empty. */
enum { PRINCIPAL = 1, ONE = 3, FIRST_SPURIOUS = 4 };

static void add_roots(sheet *t, double omega, const ifd_stability *v)
{
    double row[32];
    int principal = PRINCIPAL, spurious = FIRST_SPURIOUS;
    for (int i = 0; i < 32; i++)
        row[i] = (double)NAN;
    row[0] = omega;
    for (int k = 0; k < v->states; k++) {
        double size = hypot(v->root[k].real, v->root[k].imag);
        bool one = hypot(v->root[k].real - 1, v->root[k].imag) < 1e-6;
        if (v->root[k].mode >= 0 && principal < ONE)
            row[principal++] = size;
        else if (one && isnan(row[ONE]))
            row[ONE] = size;
        else if (size > 1e-6 && spurious < t->width)
            row[spurious++] = size;
    }
    sheet_add(t, row);
}

split_facts split_roots(scene *s, const split *p, const char *name, int roots, double high)
{
    ifd_case *c = NULL;
    const double *omega = logspace(s, 0.01, high, OMEGAS);
    const char *head = "Omega|principal 1|principal 2|equal to one";
    scene_try(s, scene_case(s, "split-mass/staggered", split_sets(s, p), &c));
    for (int i = 0; i + FIRST_SPURIOUS <= roots; i++)
        head = scene_print(s, "%s|spurious %d", head, i + 1);
    sheet *t = name ? sheet_make(s, name, head, OMEGAS) : NULL;
    split_facts facts = {.sheet = t, .least_ones = 1000};
    double coarse = strcmp(p->coupling, "parallel") == 0 ? 4 : 1, nearest = HUGE_VAL;
    for (int i = 0; i < OMEGAS; i++) {
        ifd_couple_options couple = *c->run.couple;
        ifd_run_options opt = c->run;
        ifd_stability v;
        couple.h = opt.step.h = omega[i] / coarse; /* the mass and the spring are one */
        opt.couple = &couple;
        scene_try(s, ifd_stability_find(s->a->arena, &opt, &v, &s->a->note));
        if (t)
            add_roots(t, omega[i], &v);
        facts.radius = larger(facts.radius, v.radius);
        if (!v.stable && facts.first_unstable == 0)
            facts.first_unstable = omega[i];
        int nonzero = v.states - v.zeros;
        facts.most_nonzero = nonzero > facts.most_nonzero ? nonzero : facts.most_nonzero;
        facts.least_ones = v.ones < facts.least_ones ? v.ones : facts.least_ones;
        facts.states = v.states;
        count_kinds(&v, omega[i], fabs(log(omega[i])) < nearest, &facts);
        nearest = smaller(nearest, fabs(log(omega[i])));
    }
    return facts;
}

void split_plot(scene *s, const split_facts *f, const char *title)
{
    plot_pane(s, &(pane){.title = title,
                         .x = "Omega = frequency x coarse step",
                         .y = "|root|",
                         .extra = "set logscale x; set format x '10^{%T}'",
                         .low = 0,
                         .high = 1.6});
    plot_styled(s, f->sheet, 0, PRINCIPAL, STYLE_BULLETS, "principal roots");
    plot_styled(s, f->sheet, 0, PRINCIPAL + 1, STYLE_BULLETS, "");
    plot_styled(s, f->sheet, 0, ONE, STYLE_DASHED, "spurious, equal to one");
    for (int i = FIRST_SPURIOUS; i < f->sheet->width; i++)
        plot_styled(s, f->sheet, 0, i, STYLE_CROSSES,
                    i == FIRST_SPURIOUS ? "spurious, or principal with Omega > pi" : "");
}
