/* SPDX-License-Identifier: MIT */
/* Abbiati, Lanese, Pavese, Bursi (2019): the triple concave bearing, alone and in the bridge. */
#include "reproduce.h"

/* k, d of the sliders and the spring beside them, as printed. */
static const double k0 = 6.67e7, d0 = 1.5e-3, k1 = 1.15e6, d1 = 0.07, k2 = 5e5;

/* Energy of a full cycle of amplitude A, exact for sliders under any path. */
static double cycle_energy(double A)
{
    return 4 * k0 * d0 * fmax(A - d0, 0) + 4 * k1 * d1 * fmax(A - d1, 0);
}

static double clamped(double s, double d)
{
    return fmin(fmax(s, -d), d);
}

/* The law by itself: slips follow the displacement and stop at d. Nothing of the library is used. */
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

ifd_status make_003_fig5(scene *s)
{
    static const double amplitude[] = {0.1, 0.05};
    plot_pane(s, &(pane){.x = "displacement [mm]", .y = "force [kN]", .fx = 1e3, .fy = 1e-3});
    for (int k = 0; k < 2; k++) {
        const char *set[] = {
            ifd_arena_print(s->a->arena, "model.supports.actuator.displacement.table.peak=%g m", amplitude[k]), NULL};
        history h;
        IFD_TRY(history_run(s, "bearing/cyclic", set, &h));
        sheet *t = history_sheet(s, k ? "loop-50mm" : "loop-100mm", &h, "bearing deformation|bearing force", 1);
        if (!t)
            return IFD_UNKNOWN_NAME;
        plot_line(s, t, 1, 2, k ? "50 mm" : "100 mm");
        double found = work(t->column[1], t->column[2], row_at(t, 0.1), row_at(t, 0.5)),
               exact = cycle_energy(amplitude[k]);
        claim(s, found, exact * (1 - 1e-3), exact * (1 + 1e-3), "energy of a cycle of %g mm (J); closed form %.1f",
              1e3 * amplitude[k], exact);
        claim(s, largest(t->column[2], t->rows), 0.999, NONE, "largest force (N)");
        s->out->check[s->out->checks - 1].low = 0.999 * (k0 * d0 + k1 * fmin(d1, amplitude[k]) + k2 * amplitude[k]);
        s->out->check[s->out->checks - 1].high = 1.001 * (k0 * d0 + k1 * fmin(d1, amplitude[k]) + k2 * amplitude[k]);
    }
    chosen(s, "Amplitudes 100 mm and 50 mm, triangles of 1 m/s and 0.5 m/s; the model does not know the speed.");
    return IFD_OK;
}

ifd_status make_003_fig6(scene *s)
{
    const char *set[] = {"time={step: 1 ms, end: 20 s}",
                         "model.supports.actuator.displacement={sine: {amplitude: 0.1 m, frequency: 1 rad/s}}", NULL};
    history h;
    IFD_TRY(history_run(s, "bearing/cyclic", set, &h));
    const double *u = history_get(s, &h, "bearing deformation"), *f = history_get(s, &h, "bearing force");
    sheet *t = sheet_make(
        s, "loop", "t [s]|displacement [m]|force [N]|force of the law itself [N]|dissipated [J]|dissipated, law [J]",
        h.rows);
    double *exact = ifd_arena_array(s->a->arena, (size_t)h.rows, sizeof *exact);
    if (!u || !f || !t || !exact)
        return IFD_NO_MEMORY;
    exact_force(u, h.rows, exact);
    double e = 0, ee = 0;
    for (long r = 0; r < h.rows; r++) {
        e += r ? 0.5 * (f[r] + f[r - 1]) * (u[r] - u[r - 1]) : 0;
        ee += r ? 0.5 * (exact[r] + exact[r - 1]) * (u[r] - u[r - 1]) : 0;
        sheet_add(t, (double[]){h.time[r], u[r], f[r], exact[r], e, ee});
    }
    s->across = 2;
    plot_pane(s, &(pane){.title = "(a) loop", .x = "displacement [mm]", .y = "force [kN]", .fx = 1e3, .fy = 1e-3});
    plot_styled(s, t, 1, 3, STYLE_FAINT, "law by itself");
    plot_line(s, t, 1, 2, "state-space model");
    plot_pane(s, &(pane){.title = "(b) work done on the bearing", .x = "time [s]", .y = "energy [kJ]", .fy = 1e-3});
    plot_styled(s, t, 0, 5, STYLE_FAINT, "law by itself");
    plot_line(s, t, 0, 4, "state-space model");
    double turn = 2 * acos(-1.0);
    long a = row_at(t, turn), b = row_at(t, 2 * turn);
    claim(s, peak_error(f, exact, h.rows), NONE, 1e-3,
          "force: largest difference of the model from the law over the peak");
    claim(s, (t->column[4][b] - t->column[4][a]) / cycle_energy(0.1), 0.999, 1.001,
          "energy of the second cycle over its closed form");
    changed(s, "In place of the measured loop stands the law of the sliders integrated by itself: laboratory data is "
               "not printed.");
    chosen(s, "A sine of 0.1 m, whose largest velocity is 0.1 m/s.");
    return IFD_OK;
}

static ifd_status test_bridge(scene *s, const char *peak, const char *name)
{
    char fine_step[] = "time.step=0.5 ms", every[] = "time.record-every=4";
    const char *ground = ground_of(s, "rexel", peak, "y", "a record chosen by the REXEL program");
    const char *sets[] = {ground, NULL}, *fine[] = {ground, fine_step, every, NULL};
    history test, truth;
    IFD_TRY(history_test(s, "bridge/pg-alpha-hybrid", sets, &test));
    IFD_TRY(history_run(s, "bridge/pg-alpha", fine, &truth));
    const double *u = history_get(s, &test, "bearing1 measured"), *f = history_get(s, &test, "bearing1 force");
    const double *v = history_get(s, &truth, "physical.bearing1 deformation"),
                 *g = history_get(s, &truth, "physical.bearing1 force");
    sheet *t = sheet_make(s, name, "t [s]|measured [m]|force [N]|true deformation [m]|true force of one device [N]",
                          test.rows);
    if (!u || !f || !v || !g || !t)
        return ifd_note_add(&s->a->note, IFD_INTERNAL, NULL, "a channel of the bridge is missing");
    for (long r = 0; r < test.rows && r + 1 < truth.rows; r++)
        sheet_add(t, (double[]){test.time[r], u[r], f[r], v[r + 1], 0.5 * g[r + 1]});
    plot_pane(s, &(pane){.title = peak,
                         .x = "displacement of the bearing [mm]",
                         .y = "force of one device [kN]",
                         .fx = 1e3,
                         .fy = 1e-3});
    plot_styled(s, t, 3, 4, STYLE_FAINT, "ideal");
    plot_line(s, t, 1, 2, "test on the virtual rig");
    claim(s, test.whole, 1, 1, "%s: the test completes without a fault (1: yes)", peak);
    claim(s, rms_error(t->column[1], t->column[3], t->rows), NONE, AGREEMENT,
          "%s: deformation of the bearing against the simulation (root mean square)", peak);
    double tested = work(t->column[1], t->column[2], 0, t->rows - 1),
           wanted = work(t->column[3], t->column[4], 0, t->rows - 1);
    claim(s, tested / wanted, 0.9, 1.1, "%s: energy of the measured loops over that of the simulation", peak);
    const double *p1 = history_get(s, &truth, "numerical.p1 displacement");
    if (p1)
        beside(s, largest(p1, truth.rows), NONE, 3e-3,
               "%s: displacement of pier 1 (m); the devices were to keep it below 3 mm", peak);
    return IFD_OK;
}

ifd_status make_003_fig9(scene *s)
{
    s->across = 2;
    IFD_TRY(test_bridge(s, "0.35 g", "loop-035g"));
    IFD_TRY(test_bridge(s, "0.5 g", "loop-050g"));
    changed(s, "Test on the virtual rig (lag 14.85 ms, cubic compensation); only the triple concave device, the "
               "other two are not described.");
    chosen(s, "All of the bridge but the bearing: deck, piers, masses (cases/bridge); lambda = 1.");
    return IFD_OK;
}
