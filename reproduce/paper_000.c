/* SPDX-License-Identifier: MIT */
/* Jia, Li, Liu, Yang, Wu (2012): building with a pendulum, frame, hybrid tests, and the beam in two substructures. */
#include "reproduce.h"

static double failure_time(const history *h)
{
    return h->fault.fault == IFD_FAULT_NONE ? (double)NAN : h->fault.time;
}

static const char x1[] = "x1 displacement";
static const char two_methods[] = "t [s]|LSRT2 [m]|average acceleration [m]|reference [m]";

static void plot_methods(scene *s, const sheet *t, const char *title)
{
    plot_pane(s, &(pane){.title = title, .x = "time [s]", .y = "first floor [mm]", .fy = 1e3});
    plot_styled(s, t, 0, 3, STYLE_FAINT, "reference");
    plot_line(s, t, 0, 1, "LSRT2, 1 ms");
    plot_styled(s, t, 0, 2, STYLE_DASHED, "average acceleration, 1 ms");
}

/* Sum of kinetic and stored energy, for each row. */
static double *energy_of(scene *s, const history *h)
{
    const double *kinetic = history_get(s, h, "energy kinetic"), *stored = history_get(s, h, "energy stored");
    double *e = scene_array(s, h->rows, sizeof *e);
    for (long r = 0; r < h->rows; r++)
        e[r] = kinetic[r] + stored[r];
    return e;
}

static void free_vibration(scene *s)
{
    static const char *const newmark[] = {"method=newmark", NULL};
    static const char *const free_key[] = {"free LSRT2", "free CAAM"}, *const energy_key[] = {"energy LSRT2",
                                                                                              "energy CAAM"};
    history h[2];
    h[0] = history_run(s, "shear-pendulum/free", NULL);
    h[1] = history_run(s, "shear-pendulum/free", newmark);
    history exact = history_exact(s, "shear-pendulum/free", NULL);
    sheet *t = history_sheet(s, "free", two_methods, 3, (cell[]){{&h[0], x1, 0}, {&h[1], x1, 0}, {&exact, x1, 0}});
    sheet *e = sheet_make(s, "energy", "t [s]|LSRT2 [J]|average acceleration [J]|reference [J]", exact.rows);
    const double *energy[] = {energy_of(s, &h[0]), energy_of(s, &h[1]), energy_of(s, &exact)};
    for (long r = 0; r < t->rows && r < exact.rows && r < h[1].rows; r++)
        sheet_add(e, (double[]){t->column[0][r], energy[0][r], energy[1][r], energy[2][r]});
    for (int k = 0; k < 2; k++) { /* rows of 1 ms */
        found(s, free_key[k], rms_error(t->column[1 + k], t->column[3], t->rows));
        tried(s, free_key[k], rms_error(t->column[1 + k], t->column[3], 10001), "the first 10 s of 20 s");
        tried(s, free_key[k], rms_error(t->column[1 + k], t->column[3], 5001), "the first 5 s of 20 s");
        found(s, energy_key[k], peak_error(e->column[1 + k], e->column[3], e->rows));
    }
    double rise = 0;
    for (long r = 1; r < e->rows; r++)
        rise = larger(rise, e->column[1][r] / e->column[1][r - 1]);
    found(s, "decay", rise);
    s->across = 2;
    plot_methods(s, t, "(a) free vibration");
    plot_pane(
        s,
        &(pane){.title = "energy, free vibration", .x = "time [s]", .y = "kinetic + stored energy [mJ]", .fy = 1e3});
    plot_styled(s, e, 0, 3, STYLE_FAINT, "reference");
    plot_line(s, e, 0, 1, "LSRT2, 1 ms");
    plot_styled(s, e, 0, 2, STYLE_DASHED, "average acceleration, 1 ms");
    chosen(s, "Duration of the free vibration: 20 s.");
    remarked(s, "The growing error is a phase error of the third mode, 11.85 Hz. At 1 ms, average acceleration "
                "lengthens the period of this mode by (omega h)^2/12 = 0.05 %%, and LSRT2 by half of that.");
}

static void earthquake(scene *s)
{
    const motion_wanted wenchuan = {"wenchuan", "0.2 g", "x", "Wenchuan, recorded at Shifang", "NS", true};
    const char *ground = ground_of(s, &wenchuan), *whole = "time.end=105 s"; /* both bursts */
    const char *forced[] = {ground, whole, NULL}, *newmark[] = {ground, whole, "method=newmark", NULL};
    history a = history_run(s, "shear-pendulum/forced", forced);
    history b = history_run(s, "shear-pendulum/forced", newmark);
    history exact = history_exact(s, "shear-pendulum/forced", forced);
    sheet *t = history_sheet(s, "earthquake", two_methods, 3, (cell[]){{&a, x1, 0}, {&b, x1, 0}, {&exact, x1, 0}});
    plot_methods(s, t, "(b) earthquake of 0.2 g");
    plot_quoted(s, QUOTE_INSTANT, 7, "average acceleration fails");
    found(s, "earthquake", a.whole && a.fault.fault == IFD_FAULT_NONE);
    found(s, "failure", failure_time(&b));
    const char *const tries[][3] = {
        {ground_scaled(s, &wenchuan, "1 g"), "method=newmark", "peak of 1 g"},
        {ground, "method={newmark: {iterations: 3}}", "at most three iterations"},
    };
    for (int k = 0; k < 2; k++) {
        const char *set[] = {tries[k][0], whole, tries[k][1], NULL};
        history other = history_run(s, "shear-pendulum/forced", set);
        tried(s, "failure", failure_time(&other), "%s", tries[k][2]);
    }
    remarked(s,
             "At 0.2 g Newton's method (tolerance 1e-10 of the displacements) needs at most three iterations. Under "
             "the earthquake, average acceleration deviates from the reference by %.2g of the peak, LSRT2 by %.2g. "
             "With a convergence tolerance below rounding error, Newton's method would fail within seconds. This "
             "does not count as a setting.",
             peak_error(t->column[2], t->column[3], t->rows), peak_error(t->column[1], t->column[3], t->rows));
}

void make_000_fig3(scene *s)
{
    free_vibration(s);
    earthquake(s);
}

/* Rows of 1 ms; half a period of the third mode, 11.85 Hz. */
enum { SECOND = 1000, HALF_PERIOD = 42 };

/* Root mean square of the fourth difference over half periods of w rows, over 16, of the spread: passes a sine of
 * period 2 w whole, and 0.7 % of one five times slower. */
static double fast_fraction(const double *x, long a, long b)
{
    const long w = HALF_PERIOD;
    double fast = 0, mean = 0, sum = 0;
    for (long r = a + 2 * w; r < b - 2 * w; r++)
        fast += pow((x[r - 2 * w] - 4 * x[r - w] + 6 * x[r] - 4 * x[r + w] + x[r + 2 * w]) / 16, 2);
    for (long r = a; r < b; r++)
        mean += x[r] / (double)(b - a);
    for (long r = a; r < b; r++)
        sum += pow(x[r] - mean, 2);
    return sqrt(fast / (double)(b - a - 4 * w)) / sqrt(sum / (double)(b - a));
}

void make_000_fig4(scene *s)
{
    static const char one[] = "shear-pendulum/bouc-wen-one";
    const char *ground = ground_of(s, &(motion_wanted){"kobe", "1 g", "x", "the Kobe earthquake", "EW", false});
    const char *minus[] = {ground, NULL}, *half[] = {ground, "method={lsrt2: {gamma: 0.5}}", NULL};
    const char *push[] = {ground, "initial={velocity: {x1: 0.2 m/s, x2: 0.1 m/s, theta: 0.1 rad/s}}", NULL};
    history a = history_run(s, one, minus);
    history b = history_run(s, one, half);
    history both = history_run(s, "shear-pendulum/bouc-wen-both", half);
    history pushed = history_run(s, one, push);
    sheet *t = history_sheet(s, "displacement", "t [s]|gamma minus [m]|gamma 1/2 [m]|gamma 1/2, both storeys [m]", 3,
                             (cell[]){{&a, x1, 0}, {&b, x1, 0}, {&both, x1, 0}});
    const double *x = history_get(s, &a, x1), *y = history_get(s, &pushed, x1), *z = history_get(s, &b, x1);
    plot_pane(s, &(pane){.x = "time [s]", .y = "first floor [mm]", .fy = 1e3});
    plot_line(s, t, 0, 1, "LSRT2, gamma minus");
    plot_styled(s, t, 0, 2, STYLE_DASHED, "gamma = 1/2");
    double peak = largest(x, a.rows);
    found(s, "stable", a.whole && a.fault.fault == IFD_FAULT_NONE);
    found(s, "before", fast_fraction(x, 0, SECOND));
    tried(s, "before", fast_fraction(y, 0, SECOND), "initial velocities of figure 3");
    found(s, "after", fast_fraction(x, SECOND, a.rows));
    tried(s, "after", fast_fraction(y, SECOND, pushed.rows), "initial velocities of figure 3");
    found(s, "half", b.whole ? largest(z, b.rows) / peak : HUGE_VAL);
    tried(s, "half", both.whole ? largest(history_get(s, &both, x1), both.rows) / peak : HUGE_VAL,
          "hysteresis in both storeys");
    remarked(s,
             "gamma = 1/2 and gamma minus give nearly the same result: their displacements differ by %.2g of the "
             "peak. At 1 ms neither of them damps the mode of 11.85 Hz (gamma minus: 0.01 %% of the amplitude in 1 "
             "s). The damping comes from the hysteresis.",
             peak_error(z, x, b.rows < a.rows ? b.rows : a.rows));
}

void make_000_fig5(scene *s)
{
    const char *sets[] = {ground_of(s, &(motion_wanted){"kobe", "1 g", "x", "the Kobe earthquake", "EW", false}),
                          NULL};
    history h = history_run(s, "shear-pendulum/bouc-wen-one", sets);
    const double *u = history_get(s, &h, "storey1 deformation"), *f = history_get(s, &h, "storey1 force"),
                 *ground = history_get(s, &h, "ground acceleration x");
    double *path = scene_array(s, h.rows, sizeof *path), work = 0;
    double *law = scene_array(s, h.rows, sizeof *law);
    sheet *t = sheet_make(
        s, "loop", "t [s]|deformation [m]|force [N]|independent deformation [m]|independent force [N]", h.rows);
    building_alone(ground, h.rows, 1e-3, path, law);
    for (long r = 0; r < h.rows; r++) {
        sheet_add(t, (double[]){h.time[r], u[r], f[r], path[r], law[r]});
        work += r ? 0.5 * (f[r] + f[r - 1]) * (u[r] - u[r - 1]) : 0;
    }
    plot_pane(s, &(pane){.x = "deformation of the first storey [mm]", .y = "force [N]", .fx = 1e3});
    plot_styled(s, t, 3, 4, STYLE_FAINT, "independent integration");
    plot_line(s, t, 1, 2, "LSRT2");
    plot_quoted(s, QUOTE_LEVEL, 500, "K0/(beta + gamma) = 500 N");
    found(s, "path", peak_error(u, path, h.rows));
    found(s, "loop", peak_error(f, law, h.rows));
    long early = h.rows < 5001 ? h.rows : 5001; /* rows of 1 ms */
    tried(s, "path", peak_error(u, path, early), "the first 5 s of 20 s");
    tried(s, "loop", peak_error(f, law, early), "the first 5 s of 20 s");
    found(s, "limit", largest(f, h.rows));
    found(s, "hysteresis", work / (4 * largest(f, h.rows) * largest(u, h.rows)));
    remarked(
        s, "At 1 g the pendulum passes over the top and the response is sensitive: after about 10 s even the results "
           "with steps of 0.1 ms and 0.02 ms differ.");
    chosen(s, "Hysteresis in the first storey only (in both: cases/shear-pendulum/bouc-wen-both).");
}

void make_000_fig6(scene *s)
{
    static const char top[] = "s10c1.x displacement";
    const char *sets[] = {ground_of(s, &(motion_wanted){"elcentro", "1 g", "x", "El Centro", "EW", false}), NULL};
    history a = history_run(s, "frame-10/frame", sets);
    history exact = history_exact(s, "frame-10/frame", sets);
    sheet *t = history_sheet(s, "top", "t [s]|LSRT2 [m]|exact [m]", 2, (cell[]){{&a, top, 0}, {&exact, top, 0}});
    plot_pane(s, &(pane){.x = "time [s]", .y = "top displacement [mm]", .fy = 1e3});
    plot_styled(s, t, 0, 2, STYLE_FAINT, "exact");
    plot_line(s, t, 0, 1, "LSRT2, 2 ms");
    found(s, "stable", a.whole && a.fault.fault == IFD_FAULT_NONE);
    found(s, "agrees", peak_error(t->column[1], t->column[2], t->rows));
    chosen(s, "Bay 6 m, storey 3 m, columns 0.5 x 0.5 m, beams 0.3 x 0.6 m, step 2 ms, no damping.");
}

/* One dof of a test on the rig and of the reference, from the case and the dof's names in both. */
typedef struct tested {
    const char *name, *test, *reference, *column;
} tested;

/* The largest errors of the tests so far. */
typedef struct tests_worst {
    bool whole;
    double error, growth;
} tests_worst;

static void compare_test(scene *s, const tested *d, double factor, const char *y, tests_worst *w)
{
    static const char *const fine[] = {"time.step=0.25 ms", "time.record-every=8", NULL};
    history test = history_test(s, d->name, NULL);
    history reference = history_run(s, d->name, fine);
    const char *columns = scene_print(s, "t [s]|%s, test|%s, reference", d->column, d->column);
    sheet *t = history_sheet(s, d->column, columns, 2, /* the reference has the row of t = 0 as well */
                             (cell[]){{&test, d->test, 0}, {&reference, d->reference, 1}});
    plot_pane(s, &(pane){.title = scene_print(s, "cases/%s", d->name), .x = "time [s]", .y = y, .fy = factor});
    plot_styled(s, t, 0, 2, STYLE_FAINT, "monolithic simulation");
    plot_line(s, t, 0, 1, "test on the virtual rig");
    long part = t->rows - t->rows / 4;
    w->whole = w->whole && test.whole;
    w->error = larger(w->error, rms_error(t->column[1], t->column[2], t->rows));
    w->growth = larger(w->growth, largest(t->column[1] + part, t->rows - part) / largest(t->column[1], part));
}

/* The frequency (Hz) at which a column's peak of the last half is largest. */
static double resonance(scene *s, const char *set, const char *column)
{
    double most = 0, at = (double)NAN;
    for (int k = 0; k <= 28; k++) {
        double f = 0.6 + 0.05 * k;
        const char *sets[] = {scene_print(s, "loads.0.force.sine.frequency=%g Hz", f), set, NULL};
        history h = history_run(s, "spring-pendulum-rig/rig", sets);
        double peak = largest(history_get(s, &h, column) + h.rows / 2, h.rows - h.rows / 2);
        if (peak > most) {
            most = peak;
            at = f;
        }
    }
    return at;
}

void make_000_fig8(scene *s)
{
    static const tested dof[] = {
        {"spring-pendulum-rig/rig", "x displacement", "x displacement", "x"},
        {"spring-pendulum-rig/spring", "theta displacement", "theta displacement", "theta"},
        {"spring-pendulum-rig/spring", "e displacement", "e displacement", "e"},
    };
    static const char nothing[] =
        "specimen=[{name: nothing, spring: {at: x, stiffness: 1e-9 N/m}, limits: {stroke: 1 m, "
        "velocity: 1 m/s, acceleration: 1 g}}]";
    tests_worst w = {.whole = true};
    compare_test(s, &dof[0], 1e3, "x [mm]", &w);
    compare_test(s, &dof[1], 180 / acos(-1.0), "theta [deg]", &w);
    compare_test(s, &dof[2], 1e3, "elongation of the rod [mm]", &w);
    found(s, "completes", w.whole);
    found(s, "stable", w.growth);
    found(s, "agrees", w.error);
    found(s, "resonance", resonance(s, nothing, "x displacement"));
    tried(s, "resonance", resonance(s, NULL, "theta displacement"),
          "angle of the pendulum in place of the displacement of the NS");
    changed(s, "test on the virtual rig: lag 14.85 ms, cubic compensation, noise");
    chosen(s, "Step 2 ms; K z remains below 10 N. For x, the pendulum is the specimen, as in the laboratory. No "
              "sensor of that rig measures theta and e; for these the hysteretic spring is the specimen.");
}

/* The beam for one step and one drift setting: the run, the exact solution, and the claims of the papers. */
typedef struct beam {
    const char *step, *drift, *setting;
    history h, exact;
    double u2, gap, energy, lag;
} beam;

/* By how many rows a follows b, found by the best correlation within a period; and the period of b in rows. */
static double lag_of(const double *a, const double *b, long n)
{
    long crossings = 0, best = 0;
    double most = -HUGE_VAL;
    for (long r = 1; r < n; r++)
        crossings += (b[r] > 0) != (b[r - 1] > 0);
    double period = 2 * (double)n / (double)(crossings ? crossings : 1);
    long span = (long)(period / 2) < n / 4 ? (long)(period / 2) : n / 4;
    for (long d = -span; d <= span; d++) {
        double sum = 0;
        for (long r = span; r < n - span; r++)
            sum += a[r + d] * b[r];
        if (sum > most) {
            most = sum;
            best = d;
        }
    }
    return fabs((double)best) / period;
}

static void run_beam(scene *s, beam *b)
{
    const char *set[] = {scene_print(s, "time.step=%s", b->step),
                         scene_print(s, "coupling={parallel: {drift: %s}}", b->drift), NULL};
    b->h = history_run(s, "split-beam/parallel", set);
    b->exact = history_exact(s, "split-beam/parallel", set);
    const double *u2 = history_get(s, &b->h, "u2 displacement"), *e2 = history_get(s, &b->exact, "u2 displacement");
    const double *u1 = history_get(s, &b->exact, "u1 displacement");
    const double *p = history_get(s, &b->h, "A.u1 displacement"), *q = history_get(s, &b->h, "B.u1 displacement");
    long rows = b->h.rows < b->exact.rows ? b->h.rows : b->exact.rows, last = rows - rows / 4;
    double gap = 0, square = 0, exact = 0;
    for (long r = 0; r < rows; r++)
        gap = larger(gap, fabs(p[r] - q[r]));
    for (long r = last; r < rows; r++) {
        square += u2[r] * u2[r];
        exact += e2[r] * e2[r];
    }
    b->u2 = peak_error(u2, e2, rows);
    b->gap = gap / largest(u1, rows);
    b->energy = sqrt(square / exact);
    b->lag = lag_of(u2 + last, e2 + last, rows - last);
}

static sheet *beam_sheet(scene *s, const char *name, const beam *b)
{
    static const char u2[] = "u2 displacement";
    return history_sheet(s, name, "t [s]|u2 [m]|A.u1 [m]|B.u1 [m]|exact u2 [m]|exact u1 [m]", 5,
                         (cell[]){{&b->h, u2, 0},
                                  {&b->h, "A.u1 displacement", 0},
                                  {&b->h, "B.u1 displacement", 0},
                                  {&b->exact, u2, 0},
                                  {&b->exact, "u1 displacement", 0}});
}

static void plot_beam(scene *s, const sheet *t, const sheet *closed)
{
    plot_pane(s, &(pane){.title = "outer mass", .x = "time [s]", .y = "u2 [mm]", .fy = 1e3});
    plot_styled(s, t, 0, 4, STYLE_FAINT, "exact");
    plot_line(s, t, 0, 1, "10 ms, as in the paper");
    plot_styled(s, closed, 0, 1, STYLE_DASHED, "2.5 ms, drift feedback");
    plot_pane(s, &(pane){.title = "both sides of the joint", .x = "time [s]", .y = "u1 [mm]", .fy = 1e3});
    plot_styled(s, t, 0, 5, STYLE_FAINT, "exact");
    plot_line(s, t, 0, 2, "A, 10 ms");
    plot_line(s, t, 0, 3, "B, 10 ms");
    plot_styled(s, closed, 0, 2, STYLE_DASHED, "A, 2.5 ms, drift feedback");
}

void make_split_beam(scene *s)
{
    beam b[] = {{.step = "10 ms", .drift = "none"},
                {.step = "2.5 ms", .drift = "none", .setting = "10 ms taken as the coarse step"},
                {.step = "2.5 ms", .drift = "feedback", .setting = "10 ms taken as the coarse step, drift feedback"}};
    bool of_2013 = s->entry->id[2] == '2';
    for (int k = 0; k < 3; k++)
        run_beam(s, &b[k]);
    sheet *t = beam_sheet(s, "beam", &b[0]), *closed = beam_sheet(s, "beam-closed", &b[2]);
    plot_beam(s, t, closed);
    for (int k = 0; k < 3; k++) {
        const char *const key[] = {"u2", "gap", "energy", "lag"};
        const double value[] = {b[k].u2, b[k].gap, b[k].energy, b[k].lag};
        for (int i = 0; i < (of_2013 ? 4 : 2); i++)
            if (k == 0)
                found(s, key[i], value[i]);
            else
                tried(s, key[i], value[i], "%s", b[k].setting);
    }
    if (!of_2013)
        remarked(s, "The joint enforces equal accelerations, not equal displacements: at 10 ms and ss = 10 the step "
                    "exceeds the critical step of the scheme with gamma minus, and the joint opens. Drift feedback "
                    "needs one small linear solve per step.");
    chosen(s, "l_A = l_B = l; initial velocities 0.001 m/s and 0.01 rad/s, gamma minus and ss = 10 as in the paper "
              "of 2013.");
}

void make_000_fig15(scene *s)
{
    static const char *const fine[] = {"time.step=0.5 ms", "time.record-every=8", NULL};
    static const char *const dof[] = {"x", "theta"};
    static const char x[] = "physical.x displacement", theta[] = "physical.theta displacement";
    history test = history_test(s, "two-dof/hybrid", NULL);
    history reference = history_run(s, "two-dof/parallel", fine);
    history same = history_run(s, "two-dof/parallel", NULL);
    sheet *t = history_sheet(
        s, "dofs",
        "t [s]|numerical x [m]|physical x [m]|numerical theta [rad]|physical theta [rad]|reference x [m]|reference "
        "theta [rad]|same steps x [m]|same steps theta [rad]",
        8,
        (cell[]){{&test, "numerical.x displacement", 0},
                 {&test, x, 0},
                 {&test, "numerical.theta displacement", 0},
                 {&test, theta, 0},
                 {&reference, x, 1},
                 {&reference, theta, 1},
                 {&same, x, 1},
                 {&same, theta, 1}});
    double drift = 0;
    for (int k = 0; k < 2; k++) {
        plot_pane(s, &(pane){.x = "time [s]", .y = k ? "rotation [mrad]" : "translation [mm]", .fy = 1e3});
        plot_styled(s, t, 0, 5 + k, STYLE_FAINT, "numerical simulation");
        plot_line(s, t, 0, 1 + 2 * k, "test, numerical substructure");
        plot_styled(s, t, 0, 2 + 2 * k, STYLE_DASHED, "test, physical substructure");
        found(s, dof[k], rms_error(t->column[2 + 2 * k], t->column[5 + k], t->rows));
        tried(s, dof[k], rms_error(t->column[2 + 2 * k], t->column[7 + k], t->rows),
              "a simulation with the same steps as the test");
        drift = larger(drift, peak_error(t->column[1 + 2 * k], t->column[2 + 2 * k], t->rows));
    }
    found(s, "drift", drift);
    found(s, "completes", test.whole);
    changed(s, "test on the virtual rig: delay 20 ms, mass of the specimen computed, drift feedback");
    chosen(s,
           "Free vibration from 5 mm and 10 mrad (the paper gives no excitation); rotational stiffnesses as in the "
           "parts of the table.");
}
