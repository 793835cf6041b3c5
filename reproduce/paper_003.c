/* SPDX-License-Identifier: MIT */
/* Abbiati, Lanese, Pavese, Bursi (2019): the triple concave bearing, alone and in the bridge. */
#include "reproduce.h"

/* k, d of the sliders and the spring beside them, as printed. */
static const double k0 = 6.67e7, d0 = 1.5e-3, k1 = 1.15e6, d1 = 0.07, k2 = 5e5;

/* Energy of a full cycle of amplitude A, exact for sliders under any path. */
static double cycle_energy(double A)
{
    return 4 * k0 * d0 * larger(A - d0, 0) + 4 * k1 * d1 * larger(A - d1, 0);
}

static double clamped(double s, double d)
{
    return smaller(larger(s, -d), d);
}

/* Direct evaluation of the law, independent of the library: slips follow the displacement and stop at d. */
static void exact_force(const double *u, long n, double *f)
{
    double s0 = 0, s1 = 0;
    for (long i = 0; i < n; i++) {
        double du = i ? u[i] - u[i - 1] : 0;
        s0 = clamped(s0 + du, d0);
        s1 = clamped(s1 + du, d1);
        f[i] = k0 * s0 + k1 * s1 + k2 * u[i];
    }
}

static double work(const double *u, const double *f, long a, long b)
{
    double sum = 0;
    for (long i = a + 1; i <= b; i++)
        sum += 0.5 * (f[i] + f[i - 1]) * (u[i] - u[i - 1]);
    return sum;
}

/* The last row at or before t. */
static long row_at(const sheet *t, double time)
{
    long r = 0;
    while (r + 1 < t->rows && t->column[0][r + 1] <= time + 1e-9)
        r++;
    return r;
}

void make_003_fig5(scene *s)
{
    static const double amplitude[] = {0.1, 0.05};
    double energy = 1, force = 1;
    plot_pane(s, &(pane){.x = "displacement [mm]", .y = "force [kN]", .fx = 1e3, .fy = 1e-3});
    for (int k = 0; k < 2; k++) {
        const char *set[] = {scene_print(s, "model.supports.actuator.displacement.table.peak=%g m", amplitude[k]),
                             NULL};
        history h = history_run(s, "bearing/cyclic", set);
        sheet *t = history_sheet(s, k ? "loop-50mm" : "loop-100mm", "t [s]|bearing deformation [m]|bearing force [N]",
                                 2, (cell[]){{&h, "bearing deformation", 0}, {&h, "bearing force", 0}});
        plot_line(s, t, 1, 2, k ? "50 mm" : "100 mm");
        double cycle = work(t->column[1], t->column[2], row_at(t, 0.1), row_at(t, 0.5));
        energy = odder(energy, cycle / cycle_energy(amplitude[k]));
        force = odder(force, largest(t->column[2], t->rows) /
                                 (k0 * d0 + k1 * smaller(d1, amplitude[k]) + k2 * amplitude[k]));
    }
    found(s, "energy", energy);
    found(s, "force", force);
    chosen(s, "Amplitudes 100 mm and 50 mm, triangular waves of 1 m/s and 0.5 m/s; the model is rate-independent.");
}

void make_003_fig6(scene *s)
{
    const char *set[] = {"time={step: 1 ms, end: 20 s}",
                         "model.supports.actuator.displacement={sine: {amplitude: 0.1 m, frequency: 1 rad/s}}", NULL};
    history h = history_run(s, "bearing/cyclic", set);
    const double *u = history_get(s, &h, "bearing deformation"), *f = history_get(s, &h, "bearing force");
    sheet *t = sheet_make(
        s, "loop", "t [s]|displacement [m]|force [N]|force, law [N]|dissipated [J]|dissipated, law [J]", h.rows);
    double *exact = scene_array(s, h.rows, sizeof *exact);
    exact_force(u, h.rows, exact);
    double e = 0, ee = 0;
    for (long r = 0; r < h.rows; r++) {
        e += r ? 0.5 * (f[r] + f[r - 1]) * (u[r] - u[r - 1]) : 0;
        ee += r ? 0.5 * (exact[r] + exact[r - 1]) * (u[r] - u[r - 1]) : 0;
        sheet_add(t, (double[]){h.time[r], u[r], f[r], exact[r], e, ee});
    }
    s->across = 2;
    plot_pane(s, &(pane){.title = "(a) loop", .x = "displacement [mm]", .y = "force [kN]", .fx = 1e3, .fy = 1e-3});
    plot_styled(s, t, 1, 3, STYLE_FAINT, "direct evaluation of the law");
    plot_line(s, t, 1, 2, "state-space model");
    plot_pane(s, &(pane){.title = "(b) work done on the bearing", .x = "time [s]", .y = "energy [kJ]", .fy = 1e-3});
    plot_styled(s, t, 0, 5, STYLE_FAINT, "direct evaluation of the law");
    plot_line(s, t, 0, 4, "state-space model");
    double turn = 2 * acos(-1.0);
    long a = row_at(t, turn), b = row_at(t, 2 * turn);
    found(s, "loop", peak_error(f, exact, h.rows));
    found(s, "energy", (t->column[4][b] - t->column[4][a]) / cycle_energy(0.1));
    changed(s, "only the emulated loop; the paper gives no laboratory data for the measured loop");
    chosen(s, "Sine of 0.1 m with a largest velocity of 0.1 m/s.");
}

/* A device of the bridge, made of friction sliders beside a spring. */
typedef struct device {
    const char *name;
    int sliders;
    double k[2], d[2], spring;
} device;

enum { TRIPLE, DOUBLE, RUBBER, DEVICES };

#define LABORATORY "495 mm"

/* The paper does not describe the other two devices. They are dimensioned for the same force and energy as the triple
 * device in a cycle of 100 mm, as in figure 6. Double: one surface slides at a time, so one slider that yields where
 * the
 * triple one does at first. Lead rubber: elastic stiffness ten times that after yielding, as is usual. */
static void dimension(device out[DEVICES])
{
    const double A = 0.1, F = k0 * d0 + k1 * d1 + k2 * A, E = cycle_energy(A);
    out[TRIPLE] = (device){"triple", 2, {k0, k1}, {d0, d1}, k2};
    double Q = E / (4 * (A - d0));
    out[DOUBLE] = (device){"double", 1, {Q / d0, 0}, {d0, 0}, (F - Q) / A};
    double yield = d0, spring = 0;
    for (int i = 0; i < 200; i++) { /* a contraction */
        Q = E / (4 * (A - yield));
        spring = (F - Q) / A;
        yield = 0.5 * (yield + Q / (9 * spring));
    }
    out[RUBBER] = (device){"rubber", 1, {Q / yield, 0}, {yield, 0}, spring};
}

/* "sliders: {between: [...], sliders: [...], spring: ...}" of so many devices. */
static const char *sliders_text(scene *s, const device *d, double count, const char *between)
{
    const char *list = scene_print(s, "[%.9g, %.9g]", count * d->k[0], d->d[0]);
    if (d->sliders == 2)
        list = scene_print(s, "%s, [%.9g, %.9g]", list, count * d->k[1], d->d[1]);
    return scene_print(s, "sliders: {between: [%s], sliders: [%s], spring: %.9g}", between, list, count * d->spring);
}

/* All four pairs of the bridge are that device; stroke: one of it is on the rig, whose other limits
 * are those of the laboratory; NULL: no test. */
static settings device_sets(scene *s, const device *d, const char *ground, const char *stroke)
{
    const char **set = scene_array(s, 6, sizeof *set);
    set[0] = ground;
    set[1] = scene_print(s,
                         "substructures.numerical.model.elements=[{name: abutment1, %s}, {name: bearing2, %s}, "
                         "{name: abutment2, %s}]",
                         sliders_text(s, d, 2, "ground, d1.y"), sliders_text(s, d, 2, "p2, d11.y"),
                         sliders_text(s, d, 2, "ground, d16.y"));
    if (!stroke) {
        set[2] = scene_print(s, "substructures.physical.model.elements=[{name: bearing1, %s}]",
                             sliders_text(s, d, 2, "base, top"));
        return set;
    }
    const char *one = sliders_text(s, d, 1, "physical.base, physical.top");
    set[2] = scene_print(s, "specimen.0.%.7s=%s", one, one + 9);
    set[3] = scene_print(s,
                         "specimen.0.limits={stroke: %s, velocity: 2.2 m/s, acceleration: 200 m/s2, force: 2.8 MN, "
                         "tracking: 20 mm}",
                         stroke);
    return set;
}

typedef struct tested_bridge {
    bool whole;
    double force, range, error; /* peaks of the device; error against a fine simulation, where it was asked for */
} tested_bridge;

static void test_bridge(scene *s, const device *d, settings sets, const char *name, tested_bridge *out)
{
    history test = history_test(s, "bridge/pg-alpha-hybrid", sets);
    const double *u = history_get(s, &test, "bearing1 deformation"), *f = history_get(s, &test, "bearing1 force");
    sheet *t = name ? sheet_make(s, name, "t [s]|measured [m]|force [N]", test.rows) : NULL;
    for (long r = 0; t && r < test.rows; r++)
        sheet_add(t, (double[]){test.time[r], u[r], f[r]});
    if (t)
        plot_line(s, t, 1, 2, d->name);
    *out = (tested_bridge){.whole = test.whole, .force = largest(f, test.rows), .range = largest(u, test.rows)};
    if (!name || d->sliders != 2)
        return;
    settings ideal = device_sets(s, d, sets[0], NULL);
    const char *fine[] = {sets[0], ideal[1], ideal[2], "time.step=0.5 ms", "time.record-every=4", NULL};
    history reference = history_run(s, "bridge/pg-alpha", fine);
    const double *v = history_get(s, &reference, "physical.bearing1 deformation");
    long rows = test.rows < reference.rows - 1 ? test.rows : reference.rows - 1;
    out->error = rms_error(u, v + 1, rows); /* the reference has the row of t = 0 as well */
}

static const char *ground_at(scene *s, const char *peak)
{
    return ground_of(s, &(motion_wanted){"rexel", peak, "y", "a record chosen by the REXEL program", NULL, false});
}

/* Figure 9: the three devices at one level. */
static void compare_devices(scene *s, const device *d, const char *peak, const char *level, double *error,
                            bool *whole)
{
    const char *ground = ground_at(s, peak);
    double most_force = 0, least_force = HUGE_VAL, most_range = 0, least_range = HUGE_VAL;
    plot_pane(s, &(pane){.title = peak,
                         .x = "displacement of the device [mm]",
                         .y = "force of one device [kN]",
                         .fx = 1e3,
                         .fy = 1e-3});
    for (int k = 0; k < DEVICES; k++) {
        tested_bridge b;
        test_bridge(s, &d[k], device_sets(s, &d[k], ground, LABORATORY), scene_print(s, "%s-%s", d[k].name, level),
                    &b);
        most_force = larger(most_force, b.force);
        least_force = smaller(least_force, b.force);
        most_range = larger(most_range, b.range);
        least_range = smaller(least_range, b.range);
        *whole = *whole && b.whole;
        *error = larger(*error, b.error);
    }
    found(s, scene_print(s, "force, %s", peak), most_force / least_force);
    found(s, scene_print(s, "range, %s", peak), most_range / least_range);
}

/* The design criteria of the devices at the ultimate limit state. */
static void protect_piers(scene *s, const device *d)
{
    double shear = 0, moved = 0;
    const char *ground = ground_at(s, "0.30 g");
    for (int k = 0; k < DEVICES; k++) {
        history h = history_run(s, "bridge/pg-alpha", device_sets(s, &d[k], ground, NULL));
        shear = larger(shear, largest(history_get(s, &h, "physical.bearing1 force"), h.rows));
        shear = larger(shear, largest(history_get(s, &h, "numerical.bearing2 force"), h.rows));
        moved = larger(moved, largest(history_get(s, &h, "numerical.p1 displacement"), h.rows));
        moved = larger(moved, largest(history_get(s, &h, "numerical.p2 displacement"), h.rows));
    }
    found(s, "shear", shear);
    found(s, "pier", moved);
}

void make_003_fig9(scene *s)
{
    static const char *const level[] = {"0.12 g", "0.30 g", "0.85 g"};
    device d[DEVICES];
    double error = 0;
    bool whole = true;
    dimension(d);
    s->across = 2;
    compare_devices(s, d, "0.35 g", "035g", &error, &whole);
    compare_devices(s, d, "0.50 g", "050g", &error, &whole);
    found(s, "devices", whole);
    found(s, "agrees", error);
    protect_piers(s, d);
    for (int k = 0; k < 3; k++) {
        tested_bridge b;
        test_bridge(s, &d[TRIPLE], device_sets(s, &d[TRIPLE], ground_at(s, level[k]), LABORATORY), NULL, &b);
        found(s, level[k], b.whole);
    }
    tested_bridge longer;
    test_bridge(s, &d[TRIPLE], device_sets(s, &d[TRIPLE], ground_at(s, "0.85 g"), "1 m"), NULL, &longer);
    tried(s, "0.85 g", longer.whole, "a stroke of 1 m in place of 495 mm (%.0f mm are needed)", 1e3 * longer.range);
    changed(s, "tests on the virtual rig (lag 14.85 ms, cubic compensation), time scale 1 in place of 2 to 20");
    chosen(s,
           "Double device and lead rubber bearing: same force and energy in a cycle of 100 mm as the triple device.");
    chosen(s,
           "Deck, piers and masses of the bridge (cases/bridge); only the data of the bearing are from the paper.");
}
