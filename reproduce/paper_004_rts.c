/* SPDX-License-Identifier: MIT */
/* Sajeeb, Roy, Manohar (2007), section 6, linear examples: substructures that exchange extrapolated forces. */
#include "rts.h"

#include <stdlib.h>
#include <string.h>

rts_run rts_make(scene *s, const char *name, settings sets)
{
    rts_run r = {.h = history_run(s, name, sets), .exact = history_exact(s, name, sets)};
    r.error = history_error(s, &r.h, &r.exact, &r.rows);
    ifd_fault fault = r.h.fault.fault;
    bool failed = fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS;
    r.worst = failed ? (double)NAN : largest(r.error, r.rows);
    long rows;
    const double *norm = history_error(s, &r.exact, NULL, &rows);
    r.size = largest(norm, rows);
    return r;
}

double rts_growth(const rts_run *r)
{
    long part = r->rows - r->rows / 4;
    return isnan(r->worst) ? r->worst : largest(r->error + part, r->rows - part) / largest(r->error, part);
}

sheet *rts_sheet(scene *s, const char *name, const rts_run *r, int count, const char *const *channel)
{
    const char *head = "t [s]";
    for (int k = 0; k < count; k++)
        head = scene_print(s, "%s|%s|exact %s", head, channel[k], channel[k]);
    sheet *t = sheet_make(s, name, scene_print(s, "%s|error norm", head), r->rows);
    for (long i = 0; i < r->rows; i++) {
        double row[20] = {r->h.time[i]};
        for (int k = 0; k < count; k++) {
            row[1 + 2 * k] = history_get(s, &r->h, channel[k])[i];
            row[2 + 2 * k] = history_get(s, &r->exact, channel[k])[i];
        }
        row[1 + 2 * count] = r->error[i];
        sheet_add(t, row);
    }
    return t;
}

void rts_plot_pair(scene *s, const sheet *t, int k, const char *title, const char *y, double factor)
{
    plot_pane(s, &(pane){.title = title, .x = "time [s]", .y = y, .fy = factor});
    plot_styled(s, t, 0, 2 + 2 * k, STYLE_FAINT, "exact, monolithic");
    plot_line(s, t, 0, 1 + 2 * k, "RTS");
}

static void plot_error(scene *s, const sheet *t, const char *title)
{
    plot_pane(s, &(pane){.title = title, .x = "time [s]", .y = "|e|", .extra = "set format y '%.1e'"});
    plot_line(s, t, 0, t->width - 1, "error norm");
}

static const char *figure_number(const scene *s)
{
    return strstr(s->entry->id, "fig") + 3;
}

/* Errors of both substructures in the first step after a number of iterations, relative to the converged step; step h
 * (ms). */
static void first_step(scene *s, const char *name, double h, int passes, double error[2])
{
    const char *end = scene_print(s, "time={step: %g ms, end: %g ms}", h, 5 * h);
    const char *converged[] = {end, NULL};
    const char *set[] = {end, scene_print(s, "coupling.rts.start={iterations: %d}", passes), NULL};
    static const char *const motion[] = {"lower.x displacement", "lower.x velocity", "upper.y displacement",
                                         "upper.y velocity"};
    history best = history_run(s, name, converged);
    history one = history_run(s, name, set);
    scene_try(s, best.rows < 2 || one.rows < 2 ? IFD_INTERNAL : IFD_OK);
    for (int k = 0; k < 2; k++)
        error[k] = hypot(history_get(s, &one, motion[2 * k])[1] - history_get(s, &best, motion[2 * k])[1],
                         history_get(s, &one, motion[2 * k + 1])[1] - history_get(s, &best, motion[2 * k + 1])[1]);
}

/* Figure 9(d) and equation 22: convergence of the first step with the iterations, and with h. */
static void iteration_errors(scene *s, const char *name)
{
    enum { PASSES = 6, STEPS = 3 };
    static const double h[2 * STEPS] = {40, 20, 10, 10, 5, 2.5}; /* ms */
    sheet *t = sheet_make(s, "iterations", "iterations|error of the first step", PASSES);
    double e[2], order[2][2 * STEPS], gain[2 * STEPS];
    for (int k = 1; k <= PASSES; k++) {
        first_step(s, name, 10, k, e);
        sheet_add(t, (double[]){k, 0.5 * (e[0] + e[1])}); /* equation 82 */
    }
    for (int i = 0; i < 2 * STEPS; i++) {
        double again[2];
        first_step(s, name, h[i], 1, e);
        first_step(s, name, h[i], 2, again);
        order[0][i] = e[0];
        order[1][i] = e[1];
        gain[i] = (again[0] + again[1]) / (e[0] + e[1]);
    }
    plot_pane(s, &(pane){.title = "(d) first step",
                         .x = "iterations",
                         .y = "|e| of the first step",
                         .extra = "set logscale y; set format y '10^{%T}'; set xtics 1"});
    plot_styled(s, t, 0, 1, STYLE_POINTS, "difference from the converged step");
    found(s, "three", t->column[1][2]);
    found(s, "drops", t->column[1][1] / t->column[1][0]);
    found(s, "equation 22, I", slope_of(STEPS, h, order[0]));
    found(s, "equation 22, II", slope_of(STEPS, h, order[1]));
    found(s, "gain", slope_of(STEPS, h, gain));
    tried(s, "gain", slope_of(STEPS, h + STEPS, gain + STEPS), "h = 10, 5, 2.5 ms in place of 40, 20, 10 ms");
    remarked(
        s,
        "Equation 75a contains feedback of the motion of the lower mass, k2 (y - x) + c2 (y' - x'): an iteration "
        "reduces the error by h^2 through the spring, but only by h through the dashpot, which dominates for small "
        "h.");
}

/* The smallest peak of a period of the support, 6 rad/s, over the largest. */
static double beating(const double *y, long rows)
{
    const long period = 105; /* rows of 10 ms */
    double least = HUGE_VAL, most = 0;
    for (long r = 0; r + period <= rows; r += period) {
        least = smaller(least, largest(y + r, period));
        most = larger(most, largest(y + r, period));
    }
    return least / most;
}

/* Root mean square of the second difference of the error over that of the error. */
static double raggedness(const rts_run *r)
{
    double sum = 0, square = 0;
    for (long i = 1; i + 1 < r->rows; i++) {
        sum += pow(r->error[i + 1] - 2 * r->error[i] + r->error[i - 1], 2);
        square += r->error[i] * r->error[i];
    }
    return sqrt(sum / square);
}

/* The part of x(t) from row a to b that is not a sine of 6 rad/s, divided by the whole (root mean squares). */
static double beside_sine(const double *time, const double *x, long a, long b)
{
    double c = 0, s = 0, rest = 0, square = 0, n = (double)(b - a);
    for (long r = a; r < b; r++) {
        c += 2 / n * x[r] * cos(6 * time[r]);
        s += 2 / n * x[r] * sin(6 * time[r]);
    }
    for (long r = a; r < b; r++) {
        rest += pow(x[r] - c * cos(6 * time[r]) - s * sin(6 * time[r]), 2);
        square += x[r] * x[r];
    }
    return sqrt(rest / square);
}

static void judge_fig9(scene *s, const char *name, const rts_run *r)
{
    static const char *const thousand[] = {"time.end=1000 s", NULL};
    found(s, "error", r->worst);
    found(s, "beating", beating(history_get(s, &r->exact, "upper.y displacement"), r->exact.rows));
    found(s, "decreases", rts_growth(r));
    rts_run longest = rts_make(s, name, thousand);
    tried(s, "decreases", rts_growth(&longest), "1000 s in place of 10 s");
    iteration_errors(s, name);
}

static void judge_fig13(scene *s, const char *name)
{
    static const char *const hundred[] = {"time.end=100 s", NULL};
    rts_run r = rts_make(s, name, hundred);
    long part = r.rows - 1047; /* ten periods of the support, 10.47 s */
    const double *x = history_get(s, &r.h, "lower.x displacement"), *y = history_get(s, &r.h, "upper.y displacement");
    found(s, "zero", largest(r.error + part, r.rows - part) / r.worst);
    found(s, "sinusoidal", larger(beside_sine(r.h.time, x, part, r.rows), beside_sine(r.h.time, y, part, r.rows)));
}

void make_004_oscillator(scene *s)
{
    static const char *const channel[] = {"lower.x displacement", "upper.y displacement", "lower.x velocity",
                                          "upper.y velocity"};
    int number = atoi(figure_number(s));
    const char *name = scene_print(s, "rts-oscillator/figure-%d", number);
    rts_run r = rts_make(s, name, NULL);
    sheet *t = rts_sheet(s, "response", &r, 4, channel);
    s->across = 2;
    rts_plot_pair(s, t, 0, "(a) lower mass", "x [mm]", 1e3);
    rts_plot_pair(s, t, 1, "(a) upper mass", "y [mm]", 1e3);
    if (number == 9)
        rts_plot_pair(s, t, 3, "(b) upper mass", "velocity [mm/s]", 1e3);
    plot_error(s, t, number == 9 ? "(c) error norm" : "(b) error norm");
    found(s, "agrees", r.worst / r.size);
    chosen(s, "Initially at rest; the first 10 s.");
    if (number == 9) {
        judge_fig9(s, name, &r);
        return;
    }
    rts_run before = rts_make(s, scene_print(s, "rts-oscillator/figure-%d", number - 1), NULL);
    found(s, "noisier", raggedness(&r) / raggedness(&before));
    if (number == 13)
        judge_fig13(s, name);
}

void make_004_random(scene *s)
{
    static const char *const channel[] = {"lower.x displacement", "lower.x velocity"};
    const char *name = scene_print(s, "rts-oscillator/figure-%s", figure_number(s));
    static const char *const step[] = {"time.step=10 ms", NULL};
    rts_run r = rts_make(s, name, step);
    history ground = history_exact(s, name, NULL);
    sheet *t = rts_sheet(s, "response", &r, 2, channel);
    sheet *g = history_sheet(s, "ground", &ground, "ground acceleration x", 1);
    plot_pane(s, &(pane){.title = "(a) ground acceleration", .x = "time [s]", .y = "a [m/s2]"});
    plot_line(s, g, 0, 1, "");
    rts_plot_pair(s, t, 0, "(b) lower mass", "x [mm]", 1e3);
    plot_error(s, t, "(c) error norm");
    double square = 0;
    for (long i = 0; i < g->rows; i++)
        square += g->column[1][i] * g->column[1][i] / (double)g->rows;
    found(s, "agrees", r.worst / r.size);
    found(s, "sigma", sqrt(square));
    chosen(s, "A different sample of the same noise; x and y relative to the ground, initially at rest, 20 s.");
}

/* Figure 16(g), (h): subsystems on fixed supports, loaded by effective forces, h = 10 ms. */
void make_004_effective(scene *s)
{
    static const char *const moved[] = {"time.step=10 ms", NULL};
    static const char *const still[] = {"time.step=10 ms", "coupling.rts.exchange=effective", NULL};
    static const char *const channel[] = {"between.x4 displacement", "above.x5 displacement"}, *const key[] = {"h",
                                                                                                               "g"};
    double apart[2] = {0}, worst = 0;
    s->across = 2;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "rts-building/figure-18" : "rts-building/figure-17";
        rts_run a = rts_make(s, name, moved);
        rts_run b = rts_make(s, name, still);
        sheet *t = rts_sheet(s, k ? "figure-18" : "figure-17", &b, 2, channel);
        rts_plot_pair(s, t, 0, scene_print(s, "(h) x4, data of figure %d", 17 + k), "x4 [mm]", 1e3);
        rts_plot_pair(s, t, 1, scene_print(s, "(g) x5, data of figure %d", 17 + k), "x5 [mm]", 1e3);
        long rows = a.rows < b.rows ? a.rows : b.rows;
        for (int i = 0; i < 2; i++)
            apart[i] = larger(apart[i],
                              peak_error(history_get(s, &b.h, channel[i]), history_get(s, &a.h, channel[i]), rows));
        worst = larger(worst, b.worst / b.size);
    }
    for (int i = 0; i < 2; i++)
        found(s, key[i], apart[i]);
    found(s, "possible", worst);
    chosen(s, "Data of figures 17 and 18, initially at rest, 10 s.");
}

void make_004_building(scene *s)
{
    static const char *const channel[] = {"frame.x1 displacement", "frame.x1 velocity"};
    static const char *const setting[] = {"h = 10 ms", "h = 5 ms", "h = 2.5 ms", "h = 5 ms, degree 6 in place of 3"};
    static const char *const sheets[] = {"response-10ms", "response-5ms", "response-2.5ms", "response-degree-6"};
    static const char *const set[][3] = {
        {"time.step=10 ms", NULL, NULL},
        {"time.step=5 ms", NULL, NULL},
        {"time.step=2.5 ms", NULL, NULL},
        {"time.step=5 ms", "coupling={rts: {past: 7, ahead: 1, extrapolator: {lagrange: {degree: 6}}}}", NULL}};
    const char *name = scene_print(s, "rts-building/figure-%s", figure_number(s));
    s->across = 2;
    for (int k = 0; k < 4; k++) {
        rts_run r = rts_make(s, name, set[k]);
        sheet *t = rts_sheet(s, sheets[k], &r, 2, channel);
        if (k == 0) {
            rts_plot_pair(s, t, 0, "(a) first floor, 10 ms", "x1 [mm]", 1e3);
            rts_plot_pair(s, t, 1, "(b) first floor, 10 ms", "velocity of x1 [m/s]", 1);
            found(s, "agrees", r.worst / r.size);
            found(s, "error", r.worst);
        } else {
            tried(s, "agrees", r.worst / r.size, "%s", setting[k]);
            tried(s, "error", r.worst, "%s", setting[k]);
        }
        if (k % 2 == 0)
            plot_error(s, t, k ? "(c) error norm, 2.5 ms" : "(c) error norm, 10 ms");
    }
    chosen(s, "Initially at rest; the first 10 s.");
    remarked(s,
             "At 10 ms the phase of the fastest subsystem advances by up to 0.83 rad in a step, too much for a cubic "
             "polynomial through four past forces.");
}
