/* SPDX-License-Identifier: MIT */
/* Margins of a loop that is unstable in a window and stable behind it. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

#include "method/fixtures.h"
#include "analysis/loop.h"
#include "scratch.h"

static const double mass = 1000.0, stiffness = 986000.0, delayed = 50000.0, dashpot = 1563.0, tick = 0.5e-3;

static ifd_case *read_loop(ifd_arena *arena, const char *folder)
{
    char path[SCRATCH_PATH + 16];
    ifd_note note;
    ifd_case *c = NULL;
    snprintf(path, sizeof path, "%s/loop.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "title: A damped oscillator, a twentieth of its stiffness on a late rig\n"
            "time: {step: %g s, end: 1 s}\n"
            "method: {exponential: {past: 1}}\n"
            "model: {dofs: [x], mass: %g kg, damping: %g N s/m, stiffness: %g N/m}\n"
            "specimen:\n"
            "  - name: spring\n"
            "    spring: {between: [ground, x], stiffness: %g N/m}\n"
            "    actuator: {delay: {delay: %g s}}\n"
            "    limits: {stroke: 1 m, velocity: 100 m/s, acceleration: 1e5 m/s2, force: 1 MN}\n"
            "test: {leave: start}\n",
            tick, mass, dashpot, stiffness, delayed, tick);
    fclose(f);
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, path, 0, NULL, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    return c;
}

/* m x'' + c x' + k x + d x(t - tau) = 0 has a root i w where d exp(-i w tau) = m w^2 - k - i c w: w^2 solves
 * m^2 w^4 - (2 k m - c^2) w^2 + k^2 - d^2 = 0, cos(w tau) = (m w^2 - k) / d and sin(w tau) = c w / d. The larger w
 * opens the window, the smaller one closes it. */
static void window_of(double edge[2])
{
    double b = 2 * stiffness * mass - dashpot * dashpot,
           root = sqrt(b * b - 4 * mass * mass * (stiffness * stiffness - delayed * delayed));
    for (int i = 0; i < 2; i++) {
        double w = sqrt((b + (i ? -root : root)) / (2 * mass * mass));
        edge[i] = atan2(dashpot * w / delayed, (mass * w * w - stiffness) / delayed) / w;
    }
}

static void a_window_in_the_middle_of_stable_delays_is_found(void **state)
{
    char folder[SCRATCH_PATH];
    double edge[2];
    assert_true(scratch_make(folder));
    ifd_case *c = read_loop(*state, folder);
    const ifd__loop loop = {c->test, c->laboratory};
    window_of(edge);
    assert_true(edge[1] / edge[0] < 1.3); /* a scan by 1.5 may jump over it */
    for (int i = 0; i < 2; i++) {
        /* Force one sample late and held: a sample and a half, of which the case's actuator has none more. */
        double added = (i ? edge[1] : edge[0]) - 1.5 * tick;
        for (int side = -1; side <= 1; side += 2) {
            ifd__loop_roots roots;
            const ifd__variant v = {.delay = added * (1.0 + 0.02 * side)};
            assert_int_equal(ifd__loop_probe(&loop, &v, NULL, &roots, NULL), IFD_OK);
            assert_int_equal(roots.stable, (side < 0) == (i == 0));
        }
    }
    ifd__reach found;
    /* From beginnings whose multiples by 1.5 lie on both sides of the window. */
    for (int k = 1; k <= 2; k++) {
        const ifd__search s = {.member = offsetof(ifd__variant, delay),
                               .from = 0.25 * tick * (1.0 + 0.08 * k),
                               .most = 200.0 * tick,
                               .added = true};
        assert_int_equal(ifd__loop_reach(&loop, &(ifd__variant){0}, &s, &found, NULL), IFD_OK);
        print_message("from %.3g ms: unstable from %.4g ms on (closed form %.4g to %.4g), %d probes\n", 1e3 * s.from,
                      1e3 * found.value, 1e3 * (edge[0] - 1.5 * tick), 1e3 * (edge[1] - 1.5 * tick), found.probes);
        assert_true(found.found);
        assert_near_rel(found.value, edge[0] - 1.5 * tick, 0.01, "delay margin");
    }
    assert_int_equal(scratch_remove(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {in_arena(a_window_in_the_middle_of_stable_delays_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
