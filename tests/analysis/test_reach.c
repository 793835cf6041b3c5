/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Margins of a loop that is unstable in a window and stable behind it, and of slow modes with little damping. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

#include "method/fixtures.h"
#include "analysis/loop.h"
#include "scratch.h"

/* m x'' + c x' + k x + d x(t - tau) = 0 */
typedef struct delayed_loop {
    double m, c, k, d, tick;
} delayed_loop;

static const delayed_loop windowed = {1000.0, 1563.0, 986000.0, 50000.0, 0.5e-3};

static ifd_case *read_loop(ifd_arena *arena, const delayed_loop *l, const char *method, double delay)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 16];
    ifd_note note;
    ifd_case *c = NULL;
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/loop.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "title: A damped oscillator, a part of its stiffness on a late rig\n"
            "time: {step: %.17g s, end: 1 s}\n"
            "method: %s\n"
            "model: {dofs: [x], mass: %.17g kg, damping: %.17g N s/m, stiffness: %.17g N/m}\n"
            "specimen:\n"
            "  - name: spring\n"
            "    spring: {between: [ground, x], stiffness: %.17g N/m}\n"
            "    actuator: {delay: {delay: %.17g s}}\n"
            "    limits: {stroke: 1 m, velocity: 100 m/s, acceleration: 1e5 m/s2, force: 1 MN}\n"
            "test: {leave: start}\n",
            l->tick, method, l->m, l->c, l->k, l->d, delay);
    fclose(f);
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, path, 0, NULL, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    assert_int_equal(scratch_remove(folder), 0);
    return c;
}

/* m x'' + c x' + k x + d x(t - tau) = 0 has a root i w where d exp(-i w tau) = m w^2 - k - i c w: w^2 solves
 * m^2 w^4 - (2 k m - c^2) w^2 + k^2 - d^2 = 0, cos(w tau) = (m w^2 - k) / d and sin(w tau) = c w / d. The larger w
 * opens the window, the smaller one closes it. */
static void window_of(const delayed_loop *l, double edge[2])
{
    double b = 2 * l->k * l->m - l->c * l->c, root = sqrt(b * b - 4 * l->m * l->m * (l->k * l->k - l->d * l->d));
    for (int i = 0; i < 2; i++) {
        double w = sqrt((b + (i ? -root : root)) / (2 * l->m * l->m));
        edge[i] = atan2(l->c * w / l->d, (l->m * w * w - l->k) / l->d) / w;
    }
}

TEST_IN_ARENA(a_window_in_the_middle_of_stable_delays_is_found)
{
    const double tick = windowed.tick;
    double edge[2];
    ifd_case *c = read_loop(*state, &windowed, "{exponential: {past: 1}}", tick);
    const ifd__loop loop = {c->test, c->laboratory};
    window_of(&windowed, edge);
    assert_true(edge[1] / edge[0] < 1.3); /* a scan by 1.5 may jump over it */
    for (int i = 0; i < 2; i++) {
        /* Force one sample late and held: a sample and a half, of which the case's actuator has none more. */
        double added = (i ? edge[1] : edge[0]) - 1.5 * tick;
        for (int side = -1; side <= 1; side += 2) {
            ifd__loop_roots roots = {0};
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
}

/* The power of both factors at which the loop is at its limit, later by s times `later`, its specimen factor^s
 * times as stiff. */
static double limit_of(const delayed_loop *l, double delay, double later, double factor)
{
    double low = 0.0, high = 8.0;
    for (int i = 0; i < 60; i++) {
        double s = 0.5 * (low + high), edge[2];
        delayed_loop stiffer = *l;
        stiffer.d *= pow(factor, s);
        window_of(&stiffer, edge); /* d > k or not: the larger w has the smaller delay */
        *(delay + s * later < edge[0] ? &low : &high) = s;
    }
    return low;
}

/* Below the limit, and by no more than the search's own steps: 1e-3 of the distance from the start, or of a gain
 * of one. */
static void check_reach(const ifd__loop *loop, const ifd__search *s, double limit, const char *name)
{
    ifd__reach found;
    assert_int_equal(ifd__loop_reach(loop, &(ifd__variant){0}, s, &found, NULL), IFD_OK);
    print_message("  %s: %.6g of %.6g, %d probes\n", name, found.value, limit, found.probes);
    assert_true(found.found);
    assert_true(found.value <= limit + 1e-5 * (limit - s->start));
    assert_true(found.value >= limit - 2e-3 * fmax(limit - s->start, s->start));
}

/* Modes of 3.6 and 10 s that lose 3e-7 to 2e-9 of their size in a step: growth behind the limit is as slow. LSRT2
 * is so accurate there that the loop is the continuous one. */
TEST_IN_ARENA(margins_of_slow_modes_with_little_damping_are_not_too_large)
{
    static const struct {
        double period, damping, tick, share;
    } row[] = {{3.6, 2e-3, 1e-3, 0.5}, {10.0, 5e-4, 1e-3, 0.9}, {10.0, 1e-4, 2.5e-4, 0.9}};
    for (size_t i = 0; i < COUNT(row); i++) {
        double w = 2 * acos(-1.0) / row[i].period, all = 1000.0 * w * w, edge[2];
        const delayed_loop l = {1000.0, 2 * row[i].damping * w * 1000.0, 0.7 * all, 0.3 * all, row[i].tick};
        window_of(&l, edge);
        double delay = row[i].share * edge[0];
        ifd_case *c = read_loop(*state, &l, "lsrt2", delay);
        const ifd__loop loop = {c->test, c->laboratory};
        print_message("%g s, %g %%, tick %g ms\n", row[i].period, 100 * row[i].damping, 1e3 * l.tick);
        check_reach(&loop,
                    &(ifd__search){.member = offsetof(ifd__variant, delay),
                                   .from = 0.25 * l.tick,
                                   .most = 200.0 * l.tick,
                                   .added = true},
                    edge[0] - delay, "delay");
        double factor = exp(limit_of(&l, delay, 0.0, exp(1.0)));
        check_reach(&loop,
                    &(ifd__search){.member = offsetof(ifd__variant, gain), .start = 1.0, .from = 1.02, .most = 10.0},
                    factor, "gain");
        check_reach(
            &loop,
            &(ifd__search){.member = offsetof(ifd__variant, stiffness), .start = 1.0, .from = 1.02, .most = 10.0},
            factor, "stiffness");
        const ifd__variant unit = {.delay = 0.1 * delay, .gain = 1.05, .stiffness = 1.2};
        check_reach(&loop, &(ifd__search){.unit = &unit, .from = 0.25, .most = 8.0, .added = true},
                    limit_of(&l, delay, unit.delay, 1.05 * 1.2), "together");
    }
}

/* The verdict on both sides of the limit, one per cent beside it: growth of 1.7e-8 in a step. */
TEST_IN_ARENA(the_verdict_on_a_slow_mode_is_that_of_its_characteristic_equation)
{
    double w = 2 * acos(-1.0) / 3.6, all = 1000.0 * w * w, edge[2];
    const delayed_loop l = {1000.0, 4e-3 * w * 1000.0, 0.7 * all, 0.3 * all, 1e-3};
    window_of(&l, edge);
    for (int side = -1; side <= 1; side += 2) {
        ifd_case *c = read_loop(*state, &l, "lsrt2", edge[0] * (1.0 + 0.01 * side));
        const ifd__loop loop = {c->test, c->laboratory};
        ifd__loop_roots roots = {0};
        assert_int_equal(ifd__loop_probe(&loop, &(ifd__variant){0}, NULL, &roots, NULL), IFD_OK);
        assert_near(roots.radius - 1.0, 3.5e-8 * side, 0.1e-8, "side %d", side);
        assert_int_equal(roots.stable, side < 0);
    }
}

TESTS()
