/* SPDX-License-Identifier: MIT */
/* Bursi, Jia, Wang (2009): the staggered and the parallel procedure on a single mass split in two. The paper of 2013
 * shares some of it. */
#include "split.h"

#include <string.h>

enum { LEVELS = 9, ASYMPTOTIC = 4, OMEGAS = 61 };

/* |u - (cos t + sin t)| and |v - (cos t - sin t)| at the end of a run, larger value of the two sides. */
static void end_error(scene *s, const split *p, double *eu, double *ev)
{
    history h = history_run(s, "split-mass/staggered", split_sets(s, p));
    static const char *const side[] = {"A", "B"};
    double t = h.time[h.rows - 1];
    *eu = *ev = 0;
    for (int k = 0; k < 2; k++) {
        const char *u = scene_print(s, "%s.u displacement", side[k]);
        const char *v = scene_print(s, "%s.u velocity", side[k]);
        const double *x = history_get(s, &h, u), *y = history_get(s, &h, v);
        *eu = larger(*eu, fabs(x[h.rows - 1] - cos(t) - sin(t)));
        *ev = larger(*ev, fabs(y[h.rows - 1] - cos(t) + sin(t)));
    }
}

/* Error of both sides at 0.5 s over the coarse step, as a sheet; the order fitted over all of them. */
typedef struct split_order {
    const sheet *sheet;
    double order; /* the lower of displacement and velocity */
} split_order;

split_order split_errors(scene *s, const split *p, const char *name)
{
    sheet *t = sheet_make(s, name, "coarse step [s]|error of u [m]|error of v [m/s]", LEVELS);
    split one = *p;
    one.end = 0.5;
    int coarse = strcmp(p->coupling, "parallel") == 0 ? 4 : 1;
    for (int k = 0; k < LEVELS; k++) {
        double row[3];
        one.step = 0.5 / (10 << k) / (coarse == 4 ? 2 : 1);
        end_error(s, &one, &row[1], &row[2]);
        row[0] = one.step * coarse;
        sheet_add(t, row);
    }
    double order[2]; /* of the finest steps */
    for (int i = 0; i < 2; i++)
        order[i] = slope_of(ASYMPTOTIC, t->column[0] + LEVELS - ASYMPTOTIC, t->column[1 + i] + LEVELS - ASYMPTOTIC);
    return (split_order){t, smaller(order[0], order[1])};
}

/* printed: the order that the paper gives; 0: none. */
static void split_plot_errors(scene *s, const split_order *o, const char *title, int printed)
{
    plot_pane(s, &(pane){.title = title,
                         .x = "coarse step [s]",
                         .y = "error at 0.5 s",
                         .extra = "set logscale xy; set format xy '10^{%T}'"});
    plot_styled(s, o->sheet, 0, 1, STYLE_POINTS, "displacement [m]");
    plot_styled(s, o->sheet, 0, 2, STYLE_POINTS, "velocity [m/s]");
    if (printed > 0)
        plot_quoted(s, QUOTE_ORDER, printed, scene_print(s, "order %d", printed));
}

/* The largest spectral radius over b1 = 0.5 and 1, ss = 2 and 10; inverse: the inverse ratio. */
static double worst_radius(scene *s, const char *coupling, const char *gamma, bool inverse)
{
    static const double b1[] = {0.5, 1};
    static const int ss[] = {2, 10};
    double radius = 0;
    for (int k = 0; k < 4; k++) {
        split p = {coupling, inverse ? 1 / b1[k / 2] : b1[k / 2], ss[k % 2], gamma, 0, 0};
        split_facts f = split_roots(s, &p, NULL, 0, 1000);
        radius = larger(radius, f.radius);
    }
    return radius;
}

void make_001_fig5(scene *s)
{
    static const struct {
        split p;
        const char *name, *title;
    } shown[] = {{{"staggered", 0.5, 1, "minus", 0, 0}, "a", "(a) b1 = 0.5, ss = 1, gamma minus"},
                 {{"staggered", 0.5, 1, "plus", 0, 0}, "b", "(b) b1 = 0.5, ss = 1, gamma plus"},
                 {{"staggered", 1.0, 10, "plus", 0, 0}, "c", "(c) b1 = 1, ss = 10, gamma plus"}};
    split_facts f[3];
    s->across = 2;
    for (int k = 0; k < 3; k++) {
        f[k] = split_roots(s, &shown[k].p, shown[k].name, 4, 1000);
        split_plot(s, &f[k], shown[k].title);
    }
    found(s, "states", larger(f[0].states, larger(f[1].states, f[2].states)));
    found(s, "nonzero", larger(f[0].most_nonzero, larger(f[1].most_nonzero, f[2].most_nonzero)));
    found(s, "unitary", smaller(f[0].least_ones, smaller(f[1].least_ones, f[2].least_ones)));
    found(s, "ss = 1", larger(f[0].radius, f[1].radius));
    found(s, "shown", f[2].radius);
    double plus = worst_radius(s, "staggered", "plus", false);
    found(s, "ss > 1", larger(plus, worst_radius(s, "staggered", "minus", false)));
    tried(s, "ss > 1", plus, "gamma plus only");
    split_facts other = split_roots(s, &(split){"staggered", 1, 2, "minus", 0, 0}, "minus-2", 4, 1000);
    split_plot(s, &other, "b1 = 1, ss = 2, gamma minus");
    chosen(s, "Cases examined: the mass ratios and numbers of subcycles in other figures of the paper.");
}

static void sweep(scene *s, const split *p, sheet *t, int column)
{
    ifd_case *c = NULL;
    ifd_stability_row row[OMEGAS];
    scene_try(s, scene_case(s, "split-mass/staggered", split_sets(s, p), &c));
    scene_try(s, ifd_stability_sweep(&c->run, "omega", OMEGAS, t->column[0], row, &s->a->note));
    for (int i = 0; i < OMEGAS; i++) {
        t->column[column][i] = row[i].damping;
        t->column[column + 1][i] = row[i].frequency_error;
    }
}

static void progenitor(scene *s, double gamma, sheet *t, int column)
{
    ifd_step_options opt;
    ifd_spectrum_row row[OMEGAS];
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &opt);
    ifd_step_options_set(&opt, "gamma", ifd_number(gamma));
    scene_try(s, ifd_spectrum(&opt, 0.0, OMEGAS, t->column[0], row, &s->a->note));
    for (int i = 0; i < OMEGAS; i++) {
        t->column[column][i] = row[i].oscillates ? row[i].damping : (double)NAN;
        t->column[column + 1][i] = row[i].oscillates ? row[i].frequency_error : (double)NAN;
    }
}

static long row_near(const sheet *t, double x)
{
    long best = 0;
    for (long r = 0; r < t->rows; r++)
        best = fabs(t->column[0][r] - x) < fabs(t->column[0][best] - x) ? r : best;
    return best;
}

/* Answers the claims for one ss: columns of damping and frequency error, gamma minus and plus, then those of
 * monolithic LSRT2. Returns the order at which the frequency error vanishes. */
static double judge_damping(scene *s, const sheet *t, int ss)
{
    long low = row_near(t, 0.1), high = t->rows - 1, a = row_near(t, 0.05), b = row_near(t, 0.2);
    double rises = HUGE_VAL, as_one = 1, apart = 0, order = HUGE_VAL;
    for (int g = 0; g < 2; g++) {
        const double *damping = t->column[1 + 2 * g], *error = t->column[2 + 2 * g];
        double part[OMEGAS];
        rises = smaller(rises, damping[high] / damping[low]);
        as_one = odder(as_one, damping[high] / t->column[5 + 2 * g][high]);
        for (long r = 0; r < t->rows; r++) {
            apart = larger(apart, fabs(error[r] - t->column[6 + 2 * g][r]));
            part[r] = fabs(error[r]);
        }
        order = smaller(order, slope_of((int)(b - a + 1), t->column[0] + a, part + a));
    }
    found(s, ss == 1 ? "rises, ss = 1" : "rises, ss = 10", rises);
    found(s, ss == 1 ? "ratio to monolithic, ss = 1" : "ratio to monolithic, ss = 10", as_one);
    found(s, ss == 1 ? "frequency, ss = 1" : "frequency, ss = 10", apart);
    return order;
}

void make_001_fig6(scene *s)
{
    static const char *const gamma[] = {"minus", "plus"};
    static const char head[] =
        "Omega|minus damping|minus frequency error|plus damping|plus frequency error|LSRT2 minus damping|LSRT2 minus "
        "frequency error|LSRT2 plus damping|LSRT2 plus frequency error";
    double order = HUGE_VAL;
    s->across = 2;
    for (int k = 0; k < 2; k++) {
        int ss = k ? 10 : 1;
        sheet *t = sheet_make(s, k ? "ss-10" : "ss-1", head, OMEGAS);
        const double *omega = logspace(s, 0.01, 3, OMEGAS);
        t->rows = OMEGAS;
        memcpy(t->column[0], omega, OMEGAS * sizeof *omega);
        for (int g = 0; g < 2; g++) {
            sweep(s, &(split){"staggered", 0.5, ss, gamma[g], 0, 0}, t, 1 + 2 * g);
            progenitor(s, g ? 1 + sqrt(0.5) : 1 - sqrt(0.5), t, 5 + 2 * g);
        }
        for (int what = 0; what < 2; what++) {
            plot_pane(s, &(pane){.title = scene_print(s, "ss = %d", ss),
                                 .x = "Omega = frequency x coarse step",
                                 .y = what ? "relative frequency error" : "algorithmic damping ratio",
                                 .extra = what ? NULL : "set logscale y; set format y '10^{%T}'",
                                 .low = what ? 0 : 1e-9,
                                 .high = what ? 0 : 2});
            plot_line(s, t, 0, 1 + what, "gamma minus");
            plot_line(s, t, 0, 3 + what, "gamma plus");
            plot_styled(s, t, 0, 5 + what, STYLE_DASHED, "monolithic, gamma minus");
            plot_styled(s, t, 0, 7 + what, STYLE_DASHED, "monolithic, gamma plus");
        }
        order = smaller(order, judge_damping(s, t, ss));
    }
    found(s, "vanishes", order);
    chosen(s, "b1 = 0.5, both gammas, Omega from 0.01 to 3.");
}

void make_001_fig7(scene *s)
{
    split_order lsrt2 = split_errors(s, &(split){"staggered", 0.5, 10, "minus", 0, 0}, "lsrt2");
    split_order midpoint = split_errors(s, &(split){"midpoint", 0.5, 10, "", 0, 0}, "midpoint");
    s->across = 2;
    split_plot_errors(s, &lsrt2, "(a) LSRT2, gamma minus", 2);
    split_plot_errors(s, &midpoint, "(b) midpoint rule", 0);
    found(s, "LSRT2", lsrt2.order);
    found(s, "midpoint", midpoint.order);
    chosen(s, "Initial displacement and velocity 1, error at 0.5 s.");
}

static void remark_ratio(scene *s, const split_facts *printed)
{
    if (printed->first_unstable > 0)
        remarked(
            s,
            "With the ratio defined as in the paper, gamma plus and ss = 10, the spectral radius exceeds one above "
            "Omega = %.3g, by at most %.3g. The stability of gamma plus depends on which substructure is in the "
            "numerator of the ratio.",
            printed->first_unstable, printed->radius - 1);
    remarked(
        s, "Largest radius at b1 = 0.5 and 0.1 of other interpretations: stage value stored as y_i 1.035 and 1.021, "
           "second multiplier from the stored y_i 1.054 and 1.038, Jacobians with the coupling 1.241 and 1.241, A "
           "constant over a step of B 1.016 and 1.000, A parabolic 1.000 and 1.008. Only the inverse ratio is stable "
           "in both.");
}

static const char inverse_ratio[] = "the ratio taken as m_B/m_A = k_A/k_B";

void make_001_fig8(scene *s)
{
    split_facts plus = split_roots(s, &(split){"parallel", 0.5, 10, "plus", 0, 0}, "plus", 14, 1000);
    split_order o = split_errors(s, &(split){"parallel", 0.5, 10, "plus", 0, 0}, "error");
    s->across = 2;
    split_plot(s, &plus, "(a) b1 = 0.5, ss = 10, gamma plus");
    split_plot_errors(s, &o, "(b) global error", 2);
    found(s, "plus", worst_radius(s, "parallel", "plus", false));
    tried(s, "plus", worst_radius(s, "parallel", "plus", true), inverse_ratio);
    found(s, "minus", worst_radius(s, "parallel", "minus", false));
    found(s, "order", o.order);
    remark_ratio(s, &plus);
}

/* Figure 9: both configurations of the rig, the largest error of the four dofs. */
void make_001_fig9(scene *s)
{
    static const char *const name[] = {"between", "ground"}, *const agrees[] = {"agrees, between", "agrees, ground"};
    static const char *const fine[] = {"time.step=0.25 ms", "time.record-every=8", NULL};
    static const char *const dof[] = {"x1 displacement", "theta1 displacement", "x2 displacement",
                                      "theta2 displacement"};
    s->across = 2;
    for (int k = 0; k < 2; k++) {
        const char *of = scene_print(s, "four-dof-rig/%s", name[k]);
        double error = 0;
        history test = history_test(s, of, NULL);
        history reference = history_run(s, of, fine);
        sheet *t = sheet_make(
            s, name[k],
            "t [s]|x1 [m]|theta1 [rad]|x2 [m]|theta2 [rad]|reference x1 [m]|reference theta1 [rad]|reference x2 "
            "[m]|reference theta2 [rad]",
            test.rows);
        for (long r = 0; r < test.rows && r + 1 < reference.rows;
             r++) { /* the reference has the row of t = 0 as well */
            double row[9] = {test.time[r]};
            for (int i = 0; i < 4; i++) {
                row[1 + i] = history_get(s, &test, dof[i])[r];
                row[5 + i] = history_get(s, &reference, dof[i])[r + 1];
            }
            sheet_add(t, row);
        }
        for (int i = 0; i < 4; i++)
            error = larger(error, rms_error(t->column[1 + i], t->column[5 + i], t->rows));
        for (int i = 0; i < 2; i++) {
            plot_pane(s, &(pane){.title = of, .x = "time [s]", .y = i ? "theta1 [mrad]" : "x1 [mm]", .fy = 1e3});
            plot_styled(s, t, 0, 5 + i, STYLE_FAINT, "monolithic simulation");
            plot_line(s, t, 0, 1 + i, "test on the virtual rig");
        }
        found(s, name[k], test.whole);
        found(s, agrees[k], error);
    }
    changed(s, "test on the virtual rig, monolithic method: lag 14.85 ms, cubic compensation, noise");
    chosen(
        s,
        "The paper gives no data of the rig. Masses and springs: those of the two-dof rig (2012); stops and loads: "
        "chosen.");
}

void make_002_fig8(scene *s)
{
    split_facts plus = split_roots(s, &(split){"parallel", 0.1, 10, "plus", 0, 0}, "plus", 14, 1000);
    split_facts minus = split_roots(s, &(split){"parallel", 0.1, 10, "minus", 0, 0}, "minus", 14, 1000);
    split_facts inverse = split_roots(s, &(split){"parallel", 10, 10, "plus", 0, 0}, "inverse-plus", 14, 1000);
    s->across = 2;
    split_plot(s, &plus, "(a) gamma plus");
    split_plot(s, &minus, "(b) gamma minus");
    split_plot(s, &inverse, "gamma plus, b1 = m_B/m_A");
    found(s, "states", plus.states);
    found(s, "nonzero", plus.most_nonzero);
    found(s, "one", plus.least_ones);
    found(s, "pairs", plus.pairs);
    tried(s, "pairs", plus.most_pairs,
          "eigenvalues counted at Omega = %.3g, where the number of conjugate pairs is largest", plus.most_at);
    found(s, "real", plus.real);
    tried(s, "real", plus.least_real,
          "eigenvalues counted at Omega = %.3g, where the number of conjugate pairs is largest", plus.most_at);
    found(s, "plus", plus.radius);
    tried(s, "plus", inverse.radius, inverse_ratio);
    found(s, "minus", minus.radius);
    remark_ratio(s, &plus);
}

void make_002_fig9(scene *s)
{
    split_order plus = split_errors(s, &(split){"parallel", 0.1, 10, "plus", 0, 0}, "plus");
    split_order minus = split_errors(s, &(split){"parallel", 0.1, 10, "minus", 0, 0}, "minus");
    s->across = 2;
    split_plot_errors(s, &plus, "gamma plus", 2);
    split_plot_errors(s, &minus, "gamma minus", 2);
    found(s, "plus", plus.order);
    found(s, "minus", minus.order);
    chosen(s, "b1 = 0.1, ss = 10, as in figure 8.");
}
