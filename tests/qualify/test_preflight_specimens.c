/* SPDX-License-Identifier: MIT */
/* ctest: begins 12 of the first, not with sanitizers, unless every test is asked for */
/* Margins of specimens that are not linear: with the initial stiffness those of the linear spring, whatever kink the
 * law has at rest, and both against the characteristic equation and against time simulation. And what follows from
 * numbers that only some machines or some rigs show. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

#include "qualify/preflight.h"

/* m x'' + c x' + k x + ke x(t - tau) = 0 */
static const double m = 1000.0, c = 638.0, k = 4e5, ke = 2e5;
#define STRUCTURE "model={dofs: [floor1], mass: [1000], damping: [638], stiffness: [4.0e+5]}"
#define LIMITS "limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}"

/* At the critical delay s = i w is a root: m w^2 - k = ke cos(w tau), c w = ke sin(w tau). The squares give w. */
static double critical_delay(void)
{
    double b = c * c / (m * m) - 2.0 * k / m, q = (k * k - ke * ke) / (m * m);
    double w = sqrt(0.5 * (-b + sqrt(b * b - 4.0 * q)));
    return atan2(c * w, m * w * w - k) / w;
}

static ifd_case *case_with(ifd_arena *arena, const char *specimen, double delay, const char *start)
{
    char text[512], path[512];
    snprintf(text, sizeof text, "specimen=[{name: s, %s, actuator: {delay: {delay: %.17g s}}, " LIMITS "}]", specimen,
             delay);
    const char *const set[] = {
        STRUCTURE, "ground.peak=1e-9 g",   "time={step: 1 ms, end: 1 s}", "method=lsrt2", start, "test.ramp-in=0.1 s",
        text,      "test.frozen-for=2000s"};
    ifd_note note;
    ifd_case *read = NULL;
    ifd_note_init(&note, arena);
    snprintf(path, sizeof path, IFD_SOURCE_DIR "/cases/rths-frame/building-1.yaml");
    if (ifd_case_read(arena, path, COUNT(set), set, &read, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(read);
    return read;
}

static void preflight_of(ifd_arena *arena, const char *specimen, double delay, ifd_preflight *p)
{
    const ifd_case *read = case_with(arena, specimen, delay, "initial={displacement: {floor1: 10 mm}}");
    ifd_preflight_options o;
    ifd_preflight_defaults(&o);
    o.test = read->test;
    o.twin = read->laboratory;
    assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
}

static const char spring[] = "spring: {between: [ground, floor1], stiffness: 2e5 N/m}";

/* All of initial stiffness 2e5 N/m. A probe of 1 um is wrong by beta times that, 5e-3 of the first; a step damps
 * its motion by 2e-4. */
static const char *const yielding[] = {
    "bouc-wen: {between: [ground, floor1], stiffness: 2e5 N/m, alpha: 0.1, beta: 5000, gamma: 5000}",
    "bouc-wen: {between: [ground, floor1], stiffness: 2e5 N/m, beta: 300, gamma: -200}",
    "bouc-wen: {between: [ground, floor1], stiffness: 2e5 N/m, beta: 1e5, gamma: 1e5, n: 2}",
    "bilinear: {between: [ground, floor1], stiffness: 2e5 N/m, ratio: 0.1, yield: 0.1 um}",
    "sliders: {between: [ground, floor1], sliders: [[1.5e5 N/m, 1 um], [4e4 N/m, 5 mm]], spring: 1e4 N/m}",
    "cubic-spring: {between: [ground, floor1], stiffness: 2e5 N/m, epsilon: 1000}",
};

/* The margin is found to 0.1 %; the damping of the method at w h = 0.025 is of the order (w h)^3. */
TEST(a_linear_spring_has_the_delay_of_its_characteristic_equation)
{
    ifd_preflight *p = test_malloc(sizeof *p);
    (void)state;
    for (int ms = 0; ms <= 3; ms++) {
        ifd_arena *arena = ifd_arena_open();
        preflight_of(arena, spring, 1e-3 * ms, p);
        assert_true(p->linear && p->initial.stable && p->initial.delay.found);
        assert_near_rel(1e-3 * ms + p->initial.delay.value, critical_delay(), 5e-3, "%d ms assumed", ms);
        ifd_arena_close(arena);
    }
    test_free(p);
}

TEST(small_motion_of_a_yielding_specimen_is_that_of_its_spring)
{
    ifd_preflight *linear = test_malloc(sizeof *linear), *p = test_malloc(sizeof *p);
    (void)state;
    for (int late = 0; late < 2; late++) { /* 1 ms and 3 ms, of 3.19 */
        ifd_arena *arena = ifd_arena_open();
        preflight_of(arena, spring, late ? 3e-3 : 1e-3, linear);
        for (size_t i = 0; i < COUNT(yielding); i++) {
            preflight_of(arena, yielding[i], late ? 3e-3 : 1e-3, p);
            assert_true(!p->linear && p->initial.stable);
            assert_near_rel(p->interface[0].stiffness, 2e5, 1e-12, "%s", yielding[i]);
            assert_near_rel(p->initial.radius, linear->initial.radius, 1e-9, "%s", yielding[i]);
            assert_near_rel(p->initial.delay.value, linear->initial.delay.value, 1e-9, "%s", yielding[i]);
            assert_near_rel(p->initial.gain.value, linear->initial.gain.value, 1e-9, "%s", yielding[i]);
            assert_near_rel(p->initial.stiffer.value, linear->initial.stiffer.value, 1e-9, "%s", yielding[i]);
            if (!strstr(yielding[i], "cubic"))
                assert_true(p->secant.stable && p->secant.delay.value > p->initial.delay.value);
        }
        ifd_arena_close(arena);
    }
    test_free(linear);
    test_free(p);
}

/* The secant of a bilinear spring with yield d and ratio a at x: k (a + (1 - a) d / x). */
TEST(the_secant_stiffness_is_that_at_the_largest_deformation)
{
    ifd_preflight *p = test_malloc(sizeof *p);
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    preflight_of(arena, "bilinear: {between: [ground, floor1], stiffness: 2e5 N/m, ratio: 0.1, yield: 2 mm}", 1e-3,
                 p);
    double x = fmax(p->interface[0].high, -p->interface[0].low);
    assert_near_rel(p->interface[0].secant, 2e5 * (0.1 + 0.9 * 2e-3 / x), 1e-3, "at %g m", x);
    /* A damper has none: it is one over the largest velocity. */
    preflight_of(arena, "power-dashpot: {between: [ground, floor1], coefficient: 50, exponent: 0.5}", 1e-3, p);
    assert_near(p->interface[0].secant, 0.0, 0.0, "a damper");
    assert_true(p->interface[0].viscous > 0.0);
    ifd_arena_close(arena);
    test_free(p);
}

/* Largest measured position in the last fifth of the run over that in its second fifth. */
static double growth(const char *specimen, double delay)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *read = case_with(arena, specimen, delay, "initial={displacement: {floor1: 1 um}}");
    ifd_hybrid_options o = *read->test;
    ifd_hybrid *h = NULL;
    o.end = 6.0;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    int columns, column = -1;
    const ifd_column *channel = ifd_hybrid_columns(h, &columns);
    for (int i = 0; i < columns; i++)
        column = channel[i].quantity == IFD_COLUMN_INTERFACE_DEFORMATION && column < 0 ? i : column;
    double early = 0.0, late = 0.0;
    while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING) {
        double x = fabs(t.values(t.self)[column]), part = ifd_hybrid_time(h) / o.end;
        if (ifd_hybrid_state(h) != IFD_MACHINE_RUN)
            continue;
        early = part > 0.2 && part < 0.4 ? fmax(early, x) : early;
        late = part > 0.8 ? fmax(late, x) : late;
    }
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return late / early;
}

/* 5 % beside the margin the damping ratio is 6.5e-4 of either sign: over 3.6 s at 3.9 Hz a factor of 0.94 or 1.06.
 * The Bouc-Wen law adds a damping of the order beta x = 5e-5 at 1 um. */
TEST(time_simulation_decays_below_the_margin_and_grows_above)
{
    static const char *const both[] = {spring,
                                       "bouc-wen: {between: [ground, floor1], stiffness: 2e5 N/m, alpha: 0.1, "
                                       "beta: 50, gamma: 50}"};
    ifd_preflight *p = test_malloc(sizeof *p);
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++) {
        ifd_arena *arena = ifd_arena_open();
        preflight_of(arena, both[i], 0.0, p);
        double margin = p->initial.delay.value, below = growth(both[i], 0.95 * margin),
               above = growth(both[i], 1.05 * margin);
        print_message("margin %.4g ms: motion x %.4f 5 %% below, x %.4f 5 %% above\n", 1e3 * margin, below, above);
        assert_true(below < 1.0);
        assert_true(above > 1.0);
        ifd_arena_close(arena);
    }
    test_free(p);
}

static double most_late = 5e-3; /* s, late-for */

/* The verdict of one topic, for a preflight that found these numbers. */
static ifd_verdict verdict_of(const ifd_case *read, bool real, ifd_overrun overrun, double error, double late,
                              const char *topic)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_preflight *p = test_calloc(1, sizeof *p);
    ifd_hybrid_options test = *read->test;
    ifd_preflight_options o;
    ifd_preflight_defaults(&o);
    test.overrun = overrun;
    test.late_limit = 1;
    test.late_time = most_late;
    o.test = &test;
    o.twin = read->laboratory;
    o.real = real;
    p->period = 1e-3;
    p->gain = 1.0;
    p->finished = true;
    p->error_rms = p->error_peak = error;
    p->error_bound = o.error_bound;
    p->granted.fifo = true;
    p->granted.late_max = late;
    ifd__preflight_judge(arena, &o, p);
    ifd_verdict found = IFD_VERDICT_COUNT;
    for (int i = 0; i < p->checks; i++)
        if (strcmp(p->check[i].topic, topic) == 0)
            found = p->check[i].verdict;
    assert_true(found != IFD_VERDICT_COUNT && p->verdict >= found);
    test_free(p);
    ifd_arena_close(arena);
    return found;
}

TEST(an_error_above_its_bound_stops_a_real_rig_and_warns_a_virtual_one)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *read = case_with(arena, spring, 0.0, "initial={}");
    (void)state;
    assert_int_equal(verdict_of(read, false, IFD_OVERRUN_HOLD, 0.09, 0.0, "error"), IFD_VERDICT_GO);
    assert_int_equal(verdict_of(read, false, IFD_OVERRUN_HOLD, 0.11, 0.0, "error"), IFD_VERDICT_CAUTION);
    assert_int_equal(verdict_of(read, true, IFD_OVERRUN_HOLD, 0.09, 0.0, "error"), IFD_VERDICT_GO);
    assert_int_equal(verdict_of(read, true, IFD_OVERRUN_HOLD, 0.11, 0.0, "error"), IFD_VERDICT_NO_GO);
    ifd_arena_close(arena);
}

/* With every other number as good as it can be: nothing moves while stability is not decided. */
TEST(a_loop_that_is_not_decided_is_a_no_go_with_its_resolution)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *read = case_with(arena, spring, 0.0, "initial={}");
    (void)state;
    for (int secant = 0; secant < 2; secant++)
        for (int bounded = 0; bounded < 2; bounded++) {
            ifd_preflight *p = test_calloc(1, sizeof *p);
            ifd_preflight_options o;
            ifd_preflight_defaults(&o);
            o.test = read->test;
            o.twin = read->laboratory;
            p->examined = p->finished = true;
            p->initial = (ifd_margins){.stable = secant == 1, .radius = 1.0};
            p->secant = (ifd_margins){.stable = secant == 0, .radius = 1.0};
            p->undecided = secant == 0;
            p->undecided_secant = secant == 1;
            *(secant ? &p->resolution_secant : &p->resolution) = bounded ? 2.3e-3 : HUGE_VAL;
            ifd__preflight_judge(arena, &o, p);
            assert_int_equal(p->verdict, IFD_VERDICT_NO_GO);
            const ifd_check *line = NULL;
            for (int i = 0; i < p->checks && !line; i++)
                line = strcmp(p->check[i].topic, "stability") == 0 ? &p->check[i] : NULL;
            assert_non_null(line);
            assert_int_equal(line->verdict, IFD_VERDICT_NO_GO);
            assert_non_null(strstr(line->found, secant ? "NOT DECIDED with the secant stiffness: rho"
                                                       : "NOT DECIDED with the initial stiffness: rho"));
            assert_int_equal(strstr(line->found, "up to 0.0023 per cycle; 1e-06 is required") != NULL, bounded);
            assert_non_null(line->advice);
            test_free(p);
        }
    ifd_arena_close(arena);
}

/* Only a specimen that yields ends a small oscillation by yielding; the 40 MN/m are those of the branch and of the
 * spring beside it. */
TEST(an_unstable_loop_is_said_as_its_specimen_softens)
{
    static const struct {
        const char *specimen, *found, *advice;
    } rows[] = {
        {"bouc-wen: {between: [ground, floor1], stiffness: 2e5 N/m, alpha: 0.1, beta: 5000, gamma: 5000}",
         "UNSTABLE with the initial stiffness: rho 1.1", "oscillation until the specimen yields;"},
        {"bouc-wen: {between: [ground, floor1], stiffness: 2e5 N/m, beta: 1e5, gamma: 1e5, n: 2}",
         "UNSTABLE with the initial stiffness: rho 1.1", "oscillation until the specimen yields;"},
        {"bilinear: {between: [ground, floor1], stiffness: 2e5 N/m, ratio: 0.1, yield: 0.1 um}",
         "UNSTABLE with the initial stiffness: rho 1.1", "oscillation until the specimen yields;"},
        {"sliders: {between: [ground, floor1], sliders: [[1.5e5 N/m, 1 um], [4e4 N/m, 5 mm]], spring: 1e4 N/m}",
         "UNSTABLE with the initial stiffness: rho 1.1", "oscillation until the specimen yields;"},
        {"cubic-spring: {between: [ground, floor1], stiffness: 2e5 N/m, epsilon: 1000}",
         "UNSTABLE with the initial stiffness: rho 1.1", "expect a small oscillation; "},
        {"maxwell: {between: [ground, floor1], stiffness: 10 MN/m, branches: [[30 MN/m, 2 MN s/m, 0.4]]}",
         "UNSTABLE with the stiffness of a fast motion (40 MN/m): the loop oscillates at 8.7 Hz, rho 1.1; "
         "stable with the secant stiffness; bounded in the dry run",
         "expect a small oscillation; "}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_preflight *p = test_calloc(1, sizeof *p);
        const ifd_case *read = case_with(arena, rows[i].specimen, 0.0, "initial={}");
        ifd_preflight_options o;
        ifd_preflight_defaults(&o);
        o.test = read->test;
        o.twin = read->laboratory;
        p->examined = p->finished = true;
        p->interfaces = 1;
        p->interface[0] = (ifd_preflight_interface){.name = "s"};
        p->initial = (ifd_margins){.radius = 1.1, .frequency = 8.7, .damping = -0.1};
        p->secant = (ifd_margins){.stable = true, .radius = 1.0};
        ifd__preflight_judge(arena, &o, p);
        const ifd_check *line = NULL;
        for (int n = 0; n < p->checks && !line; n++)
            line = strcmp(p->check[n].topic, "stability") == 0 ? &p->check[n] : NULL;
        assert_non_null(line);
        if (!strstr(line->found, rows[i].found) || !strstr(line->advice, rows[i].advice))
            fail_msg("%s: '%s': '%s'", rows[i].specimen, line->found, line->advice);
        test_free(p);
        ifd_arena_close(arena);
    }
}

/* The limit is late-after, half a tick of 1 ms; a case that extrapolates and names a late-for above 5 ms accepts that
 * lateness. */
TEST(a_late_clock_is_a_caution_on_every_rig_and_a_no_go_on_a_real_one)
{
    static const struct {
        bool real;
        ifd_overrun overrun;
        int late_for; /* ms */
        double late;
        ifd_verdict verdict;
    } rows[] = {{false, IFD_OVERRUN_HOLD, 5, 0.5e-3, IFD_VERDICT_GO},
                {false, IFD_OVERRUN_HOLD, 5, 0.51e-3, IFD_VERDICT_CAUTION},
                {false, IFD_OVERRUN_EXTRAPOLATE, 5, 3.77e-3, IFD_VERDICT_CAUTION},
                {true, IFD_OVERRUN_HOLD, 5, 0.1e-3, IFD_VERDICT_GO},
                {true, IFD_OVERRUN_HOLD, 5, 0.5e-3, IFD_VERDICT_GO},
                {true, IFD_OVERRUN_EXTRAPOLATE, 5, 0.11e-3, IFD_VERDICT_GO},
                {true, IFD_OVERRUN_EXTRAPOLATE, 5, 0.5e-3, IFD_VERDICT_GO},
                {true, IFD_OVERRUN_HOLD, 5, 0.51e-3, IFD_VERDICT_NO_GO},
                {true, IFD_OVERRUN_EXTRAPOLATE, 5, 0.51e-3, IFD_VERDICT_NO_GO},
                {true, IFD_OVERRUN_EXTRAPOLATE, 5, 3.77e-3, IFD_VERDICT_NO_GO},
                {true, IFD_OVERRUN_EXTRAPOLATE, 6, 5.9e-3, IFD_VERDICT_CAUTION},
                {true, IFD_OVERRUN_EXTRAPOLATE, 6, 6.1e-3, IFD_VERDICT_NO_GO},
                {true, IFD_OVERRUN_HOLD, 6, 3.77e-3, IFD_VERDICT_NO_GO}};
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *read = case_with(arena, spring, 0.0, "initial={}");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        most_late = 1e-3 * rows[i].late_for;
        assert_int_equal(verdict_of(read, rows[i].real, rows[i].overrun, 0.0, rows[i].late, "clock"),
                         rows[i].verdict);
    }
    assert_int_equal(verdict_of(read, false, IFD_OVERRUN_HOLD, 0.0, 0.0, "machine"), IFD_VERDICT_GO);
    ifd_arena_close(arena);
}

TEST(a_bound_of_zero_is_refused)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *read = case_with(arena, spring, 0.0, "initial={}");
    const ifd_preflight_options o = {.test = read->test, .twin = read->laboratory};
    ifd_preflight *p = test_malloc(sizeof *p);
    ifd_note note;
    (void)state;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_preflight_run(arena, &o, p, &note), IFD_RANGE);
    test_free(p);
    ifd_arena_close(arena);
}

TESTS()
