/* SPDX-License-Identifier: MIT */
/* Sajeeb, Roy, Manohar (2007), sections 4 and 5: the alpha form of the exponential, and extrapolation of a signal. */
#include "reproduce.h"

#include <string.h>

#include <interfield/analysis.h>

enum { ALPHAS = 121, ORDERS = 5, SHOWN_ORDERS = 4, FREQUENCIES = 121 };

static const char orders_head[] = "alpha|order 1|order 2|order 3|order 4|order 5";

typedef struct alpha_form {
    double h, alpha;
    int order;
} alpha_form;

/* The spectral radius of one step of the real code; infinite where its matrix is singular. */
static double radius_of(scene *s, const ifd_model *m, const alpha_form *p)
{
    enum { MOST = 64 };
    ifd_amplification_matrix a;
    double real[MOST], imag[MOST];
    ifd_step_options opt;
    ifd_note note = {.arena = s->a->arena};
    ifd_step_options_defaults(ifd_method_find("exponential-alpha"), p->h, &opt);
    ifd_step_options_set(&opt, "order", ifd_number(p->order));
    ifd_step_options_set(&opt, "alpha", ifd_number(p->alpha));
    ifd_status status = ifd_amplification(s->a->arena, &opt, m, &a, &note);
    if (status == IFD_SINGULAR)
        return HUGE_VAL;
    if (status != IFD_OK)
        scene_try(s, ifd_note_add(&s->a->note, status, NULL, "order %d, alpha %g: %s", p->order, p->alpha,
                                  note.first ? note.first->text : ifd_status_text(status)));
    scene_try(s, a.n > MOST ? IFD_TOO_LARGE : ifd_roots(a.n, a.A, real, imag, &note));
    return hypot(real[0], imag[0]);
}

static void product(const float a[4], const float b[4], float c[4])
{
    const float t[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                        a[2] * b[1] + a[3] * b[3]};
    memcpy(c, t, sizeof t);
}

static float largest_root(const float q[4])
{
    float half = (q[0] + q[3]) / 2, d = q[0] * q[3] - q[1] * q[2], s = half * half - d;
    return s < 0 ? sqrtf(fabsf(d)) : fabsf(half) + sqrtf(s);
}

/* The same form with every number rounded to single precision, powers of A taken one after the other. */
static double single_radius(float omega2, float eta, const alpha_form *p)
{
    const float A[4] = {0, 1, -omega2, -2 * eta * sqrtf(omega2)};
    float power[4] = {1, 0, 0, 1}, left[4] = {1, 0, 0, 1}, right[4] = {1, 0, 0, 1}, q[4];
    float factor = 1, alpha = (float)p->alpha;
    for (int k = 1; k <= p->order; k++) {
        product(power, A, power);
        factor *= (float)p->h / (float)k;
        for (int i = 0; i < 4; i++) {
            right[i] += (k < p->order ? 1 : 1 - alpha) * power[i] * factor;
            left[i] -= k < p->order ? 0 : alpha * power[i] * factor;
        }
    }
    float det = left[0] * left[3] - left[1] * left[2];
    if (det == 0)
        return HUGE_VAL;
    const float inverse[4] = {left[3] / det, -left[1] / det, -left[2] / det, left[0] / det};
    product(inverse, right, q);
    return (double)largest_root(q);
}

/* Radius over alpha from 0 to 3 for orders 1 to 5; single: with every number rounded to single precision. */
static sheet *over_alpha(scene *s, const char *name, double omega2, double eta, double h, bool single)
{
    const ifd_model *m = oscillator(s, omega2, eta);
    sheet *t = sheet_make(s, name, orders_head, ALPHAS);
    for (int i = 0; i < ALPHAS; i++) {
        double row[1 + ORDERS] = {3.0 * i / (ALPHAS - 1)};
        for (int p = 1; p <= ORDERS; p++) {
            const alpha_form form = {h, row[0], p};
            row[p] = single ? single_radius((float)omega2, (float)eta, &form) : radius_of(s, m, &form);
        }
        sheet_add(t, row);
    }
    return t;
}

static void plot_alpha(scene *s, const sheet *t, const char *title)
{
    static const char *const name[] = {"p = 1", "p = 2", "p = 3", "p = 4"};
    plot_pane(s, &(pane){.title = title, .x = "alpha", .y = "spectral radius", .low = 0, .high = 2.5});
    for (int p = 1; p <= SHOWN_ORDERS; p++)
        plot_line(s, t, 0, p, name[p - 1]);
}

/* The smallest alpha from which on the radius stays at or below one, up to 3; NaN: never. */
static double stable_from(const sheet *t, int column)
{
    double from = (double)NAN;
    for (long r = t->rows - 1; r >= 0 && t->column[column][r] <= 1 + 1e-6; r--)
        from = t->column[0][r];
    return from;
}

/* The largest second difference of a column for alpha from 1 on: the roughness of the curve. */
static double noise(const sheet *t, int column)
{
    double most = 0;
    for (long r = 1; r + 1 < t->rows; r++)
        if (t->column[0][r] >= 1)
            most = larger(most, fabs(t->column[column][r + 1] - 2 * t->column[column][r] + t->column[column][r - 1]));
    for (long r = 0; r < t->rows; r++)
        if (t->column[0][r] >= 1 && isinf(t->column[column][r]))
            return HUGE_VAL; /* a singular matrix */
    return most;
}

/* The smallest radius of a column for alpha above a and up to b. */
static double least_radius(const sheet *t, int column, double a, double b)
{
    double least = HUGE_VAL;
    for (long r = 0; r < t->rows; r++)
        if (t->column[0][r] > a && t->column[0][r] <= b + 1e-9)
            least = smaller(least, t->column[column][r]);
    return least;
}

void make_004_fig3(scene *s)
{
    const sheet *t = over_alpha(s, "radius", 200, 20, 0.01, false);
    plot_alpha(s, t, "omega^2 = 200, eta = 20, h = 0.01");
    double zero = HUGE_VAL, around = HUGE_VAL, first = HUGE_VAL, last = 0;
    for (int p = 1; p <= SHOWN_ORDERS; p++) {
        zero = smaller(zero, t->column[p][0]);
        around = smaller(around, least_radius(t, p, -1, 0.1));
        first = smaller(first, stable_from(t, p));
        last = larger(last, stable_from(t, p));
    }
    found(s, "zero", zero);
    found(s, "around", around);
    found(s, "similar", (last - first) / 3);
    chosen(s, "alpha from 0 to 3.");
}

/* Figures 3, 4(a), 4(b), and the frequency of figure 3 with the step of 4(b); once in double, once in single. */
typedef struct curves {
    sheet *low, *a, *b, *low_b;
} curves;

static double least_noise(const curves *c)
{
    return smaller(smaller(noise(c->low, 4), noise(c->low_b, 4)), smaller(noise(c->a, 4), noise(c->b, 4)));
}

static void judge_fig4(scene *s, const curves *c, const curves *single)
{
    static const char in_single[] = "in single precision";
    double shift = 0;
    for (int p = 1; p <= 3; p += 2)
        shift = larger(shift, fabs(stable_from(c->a, p) - stable_from(c->low, p)) / 3);
    found(s, "range", shift);
    found(s, "second", least_radius(c->a, 2, 1.8, 3));
    tried(s, "second", least_radius(single->a, 2, 1.8, 3), in_single);
    found(s, "noisy", noise(c->a, 4));
    tried(s, "noisy", noise(single->a, 4), in_single);
    found(s, "grows", noise(c->b, 4) - noise(c->a, 4));
    tried(s, "grows", noise(single->b, 4) - noise(single->a, 4), in_single);
    found(s, "third",
          larger(fabs(stable_from(c->b, 3) - stable_from(c->a, 3)),
                 fabs(stable_from(c->low_b, 3) - stable_from(c->low, 3))) /
              3);
    found(s, "fourth", least_noise(c));
    tried(s, "fourth", least_noise(single), in_single);
    found(s, "beyond", noise(c->a, 5) / noise(c->a, 4));
    tried(s, "beyond", noise(single->a, 5) / noise(single->a, 4), in_single);
}

void make_004_fig4(scene *s)
{
    const double omega2 = 35530.6, eta = 200;
    curves c, d;
    c.a = over_alpha(s, "radius-h001", omega2, eta, 0.01, false);
    c.b = over_alpha(s, "radius-h01", omega2, eta, 0.1, false);
    c.low = over_alpha(s, "low-h001", 200, 20, 0.01, false);
    c.low_b = over_alpha(s, "low-h01", 200, 20, 0.1, false);
    d.a = over_alpha(s, "single-h001", omega2, eta, 0.01, true);
    d.b = over_alpha(s, "single-h01", omega2, eta, 0.1, true);
    d.low = over_alpha(s, "single-low-h001", 200, 20, 0.01, true);
    d.low_b = over_alpha(s, "single-low-h01", 200, 20, 0.1, true);
    s->across = 2;
    plot_alpha(s, c.a, "(a) h = 0.01");
    plot_alpha(s, c.b, "(b) h = 0.1");
    plot_alpha(s, d.a, "(a) in single precision");
    plot_alpha(s, d.b, "(b) in single precision");
    judge_fig4(s, &c, &d);
    const sheet *e = over_alpha(s, "radius-eta1.27", omega2, 1.27, 0.01, false);
    tried(s, "second", least_radius(e, 2, 1.8, 3), "eta = 1.27, for which a root has lambda h = -0.91");
    remarked(s, "The roughness is the largest second difference of the curve between neighbouring values of "
                "alpha.");
    remarked(s, "The noise of order 4 is rounding error: the last power of A h is 1e10 at h = 0.01 and 1e14 at h = "
                "0.1. In double precision this error affects the tenth digit. Single precision gives the noisy curve "
                "of the paper.");
    remarked(
        s, "Order 2 is unstable above a limit of alpha only for a real root with -2 < lambda h < 0: alpha > 2/z^2 - "
           "1/z + 1/2, z = |lambda h|. A limit of 1.8 requires z = 0.91; the roots here have z = 0.0047 and 754.");
    remarked(s, "These variants of the damping were tried without success: eta omega, 2 eta, eta, 2 eta "
                "omega^2 and eta in per cent. Other variants were powers of the elements, no factorials, 1 + "
                "alpha, alpha on every power, and the complete explicit part. Each variant in which order 2 is "
                "unstable above 1.8 contradicts figure 3 or makes order 3 unstable too.");
}

void make_004_fig5(scene *s)
{
    static const double eta[] = {0, 0.02, 0.05, 1, 20, 200};
    enum { ETAS = sizeof eta / sizeof *eta };
    const double *omega2 = logspace(s, 1, 1e6, FREQUENCIES);
    sheet *t = sheet_make(s, "radius", "omega^2|eta 0|eta 0.02|eta 0.05|eta 1|eta 20|eta 200", FREQUENCIES);
    double light = 0, heavy = 0;
    for (int i = 0; i < FREQUENCIES; i++) {
        double row[1 + ETAS] = {omega2[i]};
        for (int k = 0; k < ETAS; k++) {
            row[1 + k] = radius_of(s, oscillator(s, omega2[i], eta[k]), &(alpha_form){0.01, 0.7, 3});
            if (eta[k] < 1)
                light = larger(light, row[1 + k]);
            else
                heavy = larger(heavy, row[1 + k]);
        }
        sheet_add(t, row);
    }
    static const char *const name[] = {"eta = 0", "eta = 0.02", "eta = 0.05", "eta = 1", "eta = 20", "eta = 200"};
    plot_pane(s, &(pane){.x = "omega^2 [rad^2/s^2]", .y = "spectral radius", .log_x = true, .low = 0, .high = 1.6});
    for (int k = 0; k < ETAS; k++)
        plot_line(s, t, 0, 1 + k, name[k]);
    found(s, "omega", light);
    tried(s, "omega", heavy, "eta = 1, 20, 200, damping as in figures 3 and 4");
    chosen(s, "Values of eta; the legend of the figure is not in the available text of the paper.");
    remarked(s, "The stability of the third-order form depends on the frequency: the motion of lightly damped "
                "oscillators grows. With orders 1 and 2 and alpha >= 1/2 it does not grow.");
}

static double signal_at(double t)
{
    return 10 * sin(70 * t) + 5 * cos(10 * t);
}

typedef struct attempt {
    const char *name;
    int past;
    double degree, dilation; /* in steps; 0: it has none */
    bool all;                /* least squares over all nodes, not only over the past ones */
    double error, ahead[3];  /* the largest error over the three steps; what was extrapolated */
} attempt;

static void try_extrapolator(scene *s, attempt *x)
{
    enum { P = 10, Q = 3 };
    ifd_extrapolate_options opt;
    ifd_extrapolation *e = NULL;
    ifd_note note = {.arena = s->a->arena};
    double samples[P];
    ifd_extrapolate_options_defaults(ifd_extrapolator_find(x->name), x->past, Q, &opt);
    ifd_extrapolate_options_set(&opt, "degree", ifd_number(x->degree));
    if (x->dilation > 0) {
        ifd_extrapolate_options_set(&opt, "dilation", ifd_number(x->dilation));
        ifd_extrapolate_options_set(&opt, "errors", ifd_word(x->all ? "all" : "past"));
    }
    x->error = (double)NAN;
    if (ifd_extrapolation_make(s->a->arena, &opt, &e, &note) != IFD_OK)
        return; /* the kernel does not reach enough points */
    for (int i = 0; i < x->past; i++)
        samples[i] = signal_at(0.01 * (P - x->past + i));
    ifd_extrapolate(e, 1, samples, x->ahead);
    x->error = 0;
    for (int j = 0; j < Q; j++)
        x->error = larger(x->error, fabs(x->ahead[j] - signal_at(0.01 * (P + j))));
}

typedef struct scanned {
    attempt best;
    int tried, better; /* kernels, and those with errors below the bound */
} scanned;

/* Every kernel of a lower degree than the polynomial through all points, its dilation by tenths of a step. */
static void scan_kernels(scene *s, const char *name, bool all, double bound, scanned *out)
{
    enum { DILATIONS = 82, MOST = 300 };
    sheet *scan = sheet_make(s, name, "degree|dilation [steps]|largest error", 8 * DILATIONS);
    *out = (scanned){.best.error = HUGE_VAL};
    for (int n = 1; n <= 8; n++)
        for (int i = 10; i <= MOST; i += i < 80 ? 1 : 20) {
            attempt x = {"reproducing-kernel", 10, n, 0.1 * i, all, 0, {0}};
            try_extrapolator(s, &x);
            sheet_add(scan, (double[]){n, x.dilation, x.error});
            out->tried += !isnan(x.error);
            out->better += x.error < bound;
            if (x.error < out->best.error)
                out->best = x;
        }
}

static void plot_signal(scene *s, int count, const attempt *x, const char *const *name)
{
    sheet *u = sheet_make(s, "signal", "t [s]|u", 121);
    sheet *t = sheet_make(s, "extrapolated", "t [s]|known|kernel|kernel, all nodes|Lagrange 4|Lagrange 9", 13);
    for (int i = 0; i <= 120; i++)
        sheet_add(u, (double[]){0.001 * i, signal_at(0.001 * i)});
    for (int i = 0; i < 13; i++) { /* ten known values; lines begin at the last of them */
        double known = signal_at(0.01 * i), row[8] = {0.01 * i, i < 10 ? known : (double)NAN};
        for (int k = 0; k < count; k++)
            row[2 + k] = i < 9 ? (double)NAN : i == 9 ? known : x[k].ahead[i - 10];
        sheet_add(t, row);
    }
    s->across = 2;
    for (int near = 0; near < 2; near++) {
        plot_pane(s, &(pane){.title = near ? "(c) enlarged" : "(a) the function",
                             .x = "time [s]",
                             .y = "u",
                             .from = near ? 0.085 : 0,
                             .to = near ? 0.1225 : 0,
                             .low = -30,
                             .high = 30});
        plot_styled(s, u, 0, 1, STYLE_FAINT, "u(t)");
        plot_styled(s, t, 0, 1, STYLE_POINTS, "known");
        for (int k = 0; k < count; k++)
            plot_styled(s, t, 0, 2 + k, STYLE_POINTS, name[k]);
    }
}

void make_004_fig7(scene *s)
{
    attempt x[4] = {[2] = {"lagrange", 5, 4, 0, false, 0, {0}}, [3] = {"lagrange", 10, 9, 0, false, 0, {0}}};
    attempt usual = {"reproducing-kernel", 10, 4, 16, false, 0, {0}};
    scanned past, all;
    try_extrapolator(s, &x[2]);
    try_extrapolator(s, &x[3]);
    try_extrapolator(s, &usual);
    double bound = smaller(x[2].error, x[3].error);
    scan_kernels(s, "kernels", false, bound, &past);
    scan_kernels(s, "kernels-all", true, bound, &all);
    x[0] = past.best;
    x[1] = all.best;
    static const char *const name[] = {"kernel", "kernel, all nodes", "Lagrange 4", "Lagrange 9"};
    plot_signal(s, 4, x, name);
    for (int k = 0; k < 2; k++) {
        const char *key = k ? "Lagrange 9" : "Lagrange 4";
        found(s, key, usual.error / x[2 + k].error);
        tried(s, key, x[0].error / x[2 + k].error,
              "degree %g, dilation %g h: the best of %d kernels tried; the claim holds for %d of them", x[0].degree,
              x[0].dilation, past.tried, past.better);
        tried(s, key, x[1].error / x[2 + k].error,
              "least squares over all nodes, degree %g, dilation %g h: best of %d kernels", x[1].degree,
              x[1].dilation, all.tried);
    }
    chosen(s, "Degree 4 and dilation 16 h, as in figures 21 to 23; the paper gives neither.");
    remarked(s,
             "Few kernels are better than both polynomials: %d of %d tried, and %d of %d with least squares over all "
             "nodes (according to the text \"over Omega\"; equation 69 sums over the past nodes). The phase of the "
             "signal advances by 0.7 rad in a step; at degree 9 the kernel equals the polynomial of order 9.",
             past.better, past.tried, all.better, all.tried);
}
