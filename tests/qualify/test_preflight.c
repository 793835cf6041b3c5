/* SPDX-License-Identifier: MIT */
/* Margins found by probing, against what time simulation with another rig finds: the loop with a pure delay 2 % below
 * the margin dies out, 2 % above it grows. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/preflight.h>
#include <interfield/report.h>

#include "qualify/preflight.h"
#include "analysis/loop.h"

static ifd_case *read_case(ifd_arena *arena, const char *name, int sets, const char *const *set)
{
    char path[512];
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    snprintf(path, sizeof path, IFD_SOURCE_DIR "/cases/%s.yaml", name);
    if (ifd_case_read(arena, path, sets, set, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    return c;
}

/* The test on the ordinary virtual rig, each actuator a pure delay of so much. */
static ifd_hybrid *later_test(ifd_arena *arena, const ifd_case *c, double delay)
{
    ifd_laboratory *lab = ifd_arena_take(arena, sizeof *lab);
    ifd_virtual_actuator *bench = ifd_arena_array(arena, (size_t)c->laboratory->actuators, sizeof *bench);
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    *lab = *c->laboratory;
    lab->actuator = bench;
    for (int k = 0; k < lab->actuators; k++) {
        const ifd_param *p = c->laboratory->actuator[k].actuator->params;
        bench[k] = c->laboratory->actuator[k];
        assert_string_equal(bench[k].actuator->name, "delay");
        bench[k].actuator_values = ifd_arena_array(arena, IFD_RIG_PARAMS, sizeof(ifd_value));
        memcpy(bench[k].actuator_values, c->laboratory->actuator[k].actuator_values,
               sizeof(ifd_value) * (size_t)ifd_param_count(p));
        bench[k].actuator_values[ifd_param_find(p, "delay")] = ifd_number(delay);
    }
    o.rig_setup = lab;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, NULL), IFD_OK);
    return h;
}

/* Size of a channel's measured motion in the last fifth of the test over that in the third:
 * the largest of all channels. */
static double growth(const ifd_case *c, double delay)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid *h = later_test(arena, c, delay);
    ifd_ticked t = ifd_hybrid_ticked(h);
    int columns, measured[IFD_RIG_ACTUATORS], count = 0;
    const ifd_column *channel = ifd_hybrid_columns(h, &columns);
    for (int i = 0; i < columns; i++)
        if (channel[i].quantity == IFD_COLUMN_INTERFACE_DEFORMATION)
            measured[count++] = i;
    double early[IFD_RIG_ACTUATORS] = {0.0}, late[IFD_RIG_ACTUATORS] = {0.0}, most = 0.0;
    while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING) {
        double share = ifd_hybrid_time(h) / c->run.end;
        for (int k = 0; k < count && ifd_hybrid_state(h) == IFD_MACHINE_RUN; k++) {
            double x = fabs(t.values(t.self)[measured[k]]);
            if (share >= 0.4 && share < 0.6)
                early[k] = fmax(early[k], x);
            if (share >= 0.8)
                late[k] = fmax(late[k], x);
        }
    }
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(h).trip), ifd_trip_name(IFD_TRIP_NONE));
    for (int k = 0; k < count; k++)
        most = fmax(most, late[k] / early[k]);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return most;
}

static double margin(const ifd_case *c, double tick)
{
    const ifd__loop loop = {c->test, c->laboratory};
    const ifd__variant v = {0};
    const ifd__search s = {
        .member = offsetof(ifd__variant, delay), .from = 0.25 * tick, .most = 300.0 * tick, .added = true};
    ifd__reach found;
    assert_int_equal(ifd__loop_reach(&loop, &v, &s, &found, NULL), IFD_OK);
    assert_true(found.found);
    return found.value;
}

static void check_margin(const ifd_case *c, double assumed, double m, const char *name)
{
    double below = growth(c, assumed + 0.98 * m), above = growth(c, assumed + 1.02 * m);
    print_message("%-26s margin %.4g ms; size of motion 2 %% below it x %.4f, 2 %% above it x %.4f\n", name, 1e3 * m,
                  below, above);
    assert_true(below < 1.0);
    assert_true(above > 1.0);
}

TEST(the_benchmarks_margins_are_those_of_time_simulation)
{
    /* Pure delays of the loop by its frequency response, less a sample and a half: the force is
     * used one sample late, and held. */
    static const double known[] = {14.28e-3, 11.86e-3, 9.56e-3, 8.36e-3};
    static const char *const set[] = {"ground.peak=1e-9 g",
                                      "initial={displacement: {floor1: 0.5 mm, floor2: 0.8 mm, floor3: 1 mm}}",
                                      "time.end=6 s",
                                      "test.ramp-in=0.1 s",
                                      "specimen.0.limits.force=none",
                                      "test.frozen-for=200s"};
    const double tick = 1.0 / 4096.0;
    (void)state;
    for (int b = 0; b < (BRIEF ? 1 : 4); b++) { /* the others are other numbers in the same code */
        char name[64];
        ifd_arena *arena = ifd_arena_open();
        snprintf(name, sizeof name, "rths-frame/building-%d", b + 1);
        ifd_case *c = read_case(arena, name, COUNT(set), set);
        double m = margin(c, tick);
        assert_near_rel(m, known[b], 0.02, "building %d", b + 1);
        check_margin(c, tick, m, name);
        ifd_arena_close(arena);
    }
}

TEST(a_compensated_delay_has_the_margin_of_time_simulation)
{
    static const char *const set[] = {"loads=[]",
                                      "initial={displacement: {x: 5 mm}}",
                                      "specimen.0.actuator={delay: {delay: 14.85 ms}}",
                                      "specimen.0.position-sensor.noise=0",
                                      "specimen.0.force-sensor.noise=0",
                                      "time.end=4 s",
                                      "test.frozen-for=200s"};
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    ifd_case *c = read_case(arena, "split-mass-rig/rig", COUNT(set), set);
    check_margin(c, 14.85e-3, margin(c, 2e-4), "split-mass-rig");
    ifd_arena_close(arena);
}

TEST(parts_with_two_channels_have_the_margin_of_time_simulation)
{
    static const char *const set[] = {"specimen.0.position-sensor.noise=0",
                                      "specimen.0.force-sensor.noise=0",
                                      "specimen.1.position-sensor.noise=0",
                                      "specimen.1.force-sensor.noise=0",
                                      "time.end=12 s",
                                      "specimen.0.limits.tracking=none",
                                      "specimen.1.limits.tracking=none"};
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    ifd_case *c = read_case(arena, "two-dof/hybrid", COUNT(set), set);
    check_margin(c, 20e-3, margin(c, 1e-3), "two-dof");
    ifd_arena_close(arena);
}

static ifd_preflight preflight_of(ifd_arena *arena, const char *name, int sets, const char *const *set)
{
    ifd_case *c = read_case(arena, name, sets, set);
    ifd_preflight_options o;
    ifd_preflight p;
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    assert_int_equal(ifd_preflight_run(arena, &o, &p, NULL), IFD_OK);
    return p;
}

static const char one_spring[] = "specimen=[{name: s, spring: {at: floor1, stiffness: 2e5 N/m}, "
                                 "limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2}}]";
static const char late_spring[] = "specimen=[{name: s, spring: {at: floor1, stiffness: 2e5 N/m}, "
                                  "actuator: {delay: {delay: 2 ms}}, "
                                  "limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2}}]";

/* Central difference: w h = 2 with w^2 = (k_n + k_e) / m, h = 81.65 ms. */
TEST(a_step_beyond_the_critical_one_is_seen_and_blamed_on_the_step)
{
    static const char *const rows[][2] = {{"time.step=80 ms", "method=central-difference"},
                                          {"time.step=83 ms", "method=central-difference"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const set[] = {rows[i][0],
                                   rows[i][1],
                                   "ground.peak=1e-9 g",
                                   "time.end=4 s",
                                   "model={dofs: [floor1], mass: [1000], damping: [0], stiffness: [4.0e+5]}",
                                   one_spring};
        ifd_arena *arena = ifd_arena_open();
        ifd_preflight p = preflight_of(arena, "rths-frame/building-1", COUNT(set), set);
        assert_int_equal(p.initial.stable, i == 0);
        assert_int_equal(p.stable_perfect, i == 0);
        if (i == 1) {
            assert_int_equal(p.verdict, IFD_VERDICT_NO_GO);
            assert_near(p.stable_step, 0.0415, 1e-12, "half of the step");
        }
        ifd_arena_close(arena);
    }
}

/* A spring k_e behind a delay tau is a spring and a damper of -k_e tau: the loop loses all damping at tau = c / k_e,
 * but for terms of the order (w tau)^2. */
TEST(delay_takes_damping_as_a_negative_damper_does)
{
    const char *const set[] = {"model={dofs: [floor1], mass: [1000], damping: [800], stiffness: [4.0e+5]}",
                               "ground.peak=0.01 g", "time={step: 1 ms, end: 2 s}", "method=lsrt2", late_spring};
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    ifd_preflight p = preflight_of(arena, "rths-frame/building-1", COUNT(set), set);
    double w = sqrt(6e5 / 1000.0);
    assert_true(p.initial.stable && p.initial.delay.found);
    assert_near(p.initial.delay.value + 2e-3, 800.0 / 2e5, 0.005 * 4e-3, "delay margin");
    /* All at once: 800 = 2e5 (1.05 1.2)^s (2 ms + s tick), by halving. */
    double low = 0.0, high = 8.0;
    while (high - low > 1e-6) {
        double s = 0.5 * (low + high);
        *(2e5 * pow(1.05 * 1.2, s) * (2e-3 + s * 5e-4) < 800.0 ? &low : &high) = s;
    }
    assert_near(p.together_delay, 5e-4, 1e-12, "one tick, more than a tenth of the assumed delay");
    assert_true(p.initial.together.found);
    assert_near(p.initial.together.value, low, 0.02, "delay, gain and stiffness at once");
    assert_near(p.initial.damping, (800.0 - 2e5 * 2e-3) / (2.0 * 1000.0 * w), 1e-4, "half of the damping is left");
    assert_near(p.initial.perfect_damping, 800.0 / (2.0 * 1000.0 * w), 1e-4, "damping of a perfect rig");
    assert_near(p.interface[0].assumed, 2e-3, 1e-12, "assumed delay");
    assert_near(p.interface[0].delay, 2e-3, 1e-4, "delay that the dry run shows");
    ifd_arena_close(arena);
}

/* A specimen and a dof are off by 1 of 10. The others rest and are off by 1e-8: a specimen of the 1e-2 that it counts
 * for, a dof of 1, an angle beside lengths of 1e-2. An angle that moves is no part of the lengths. */
TEST(what_hardly_moves_has_no_endless_error)
{
    const ifd__dry_column kind[] = {{.name = "brace", .specimen = true},
                                    {.name = "x"},
                                    {.name = "strut", .specimen = true},
                                    {.name = "y"},
                                    {.name = "r", .turns = true}};
    const double share[] = {0.1, 0.1, 1e-6, 1e-8, 1e-6}, one[] = {1.0, 1.0, 1e-8, 1e-8, 1e-8};
    double with[10], without[10];
    ifd__dry a = {.rows = 2, .columns = 5, .series = with}, b = {.rows = 2, .columns = 5, .series = without};
    ifd__dry_error e;
    a.column = b.column = (ifd__dry_column *)kind;
    for (int c = 0; c < 5; c++) {
        for (int i = 0; i < 10; i++)
            with[i] = without[i] = i % 5 < 2 ? (i < 5 ? 10.0 : -10.0) : 0.0;
        with[c] += one[c];
        with[5 + c] += one[c];
        assert_true(ifd__dry_compare(&a, &b, &e));
        assert_near_rel(e.peak, share[c], 1e-8, "%s", kind[c].name);
        assert_near_rel(e.rms, share[c], 1e-8, "%s", kind[c].name);
        assert_int_equal(e.column, c);
    }
    without[4] = without[9] = 1e-3;
    with[4] = with[9] = 1.1e-3;
    assert_true(ifd__dry_compare(&a, &b, &e));
    assert_near_rel(e.rms, 1e-4 / 1e-2, 1e-8, "an angle below a thousandth of the lengths");
    without[4] = without[9] = 0.1;
    with[4] = with[9] = 0.11;
    assert_true(ifd__dry_compare(&a, &b, &e));
    assert_near_rel(e.rms, 0.1, 1e-8, "an angle among angles");
}

/* A force that never settles ends the dry run after 30 s, and what to do is said. With a tick of 2 ms the ramp-in of
 * 2 s and its settling precede a run of 15 s: it does not take longer. */
TEST(a_dry_run_without_progress_ends)
{
    ifd_arena *arena = ifd_arena_open();
    const char *noise = "specimen.0.force-command.tolerance=1 N", *slow = "test.ticks-per-stage=1";
    ifd_preflight p = preflight_of(arena, "effective-force/rig", 1, &noise);
    assert_false(p.finished);
    assert_int_equal(p.trip.trip, IFD_TRIP_STANDSTILL);
    assert_true(p.ticks > 30000 && p.ticks < 40000);
    const ifd_check *line = NULL;
    for (int i = 0; i < p.checks; i++)
        line = strcmp(p.check[i].topic, "dry run") == 0 ? &p.check[i] : line;
    assert_non_null(line);
    assert_int_equal(line->verdict, IFD_VERDICT_NO_GO);
    assert_non_null(strstr(line->advice, "'tolerance'"));
    p = preflight_of(arena, "effective-force/extrapolated", 1, &slow);
    assert_true(p.finished);
    assert_true(p.ticks >= 7500 + 1000 && p.ticks < 7500 + 1300);
    ifd_arena_close(arena);
}

static const ifd_check *line_of(const ifd_preflight *p, const char *topic)
{
    const ifd_check *line = NULL;
    for (int i = 0; i < p->checks; i++)
        line = strcmp(p->check[i].topic, topic) == 0 ? &p->check[i] : line;
    return line;
}

/* Above 2,000 state variables without a reduction the lines name what was tried, and no margin that was not. */
static void a_loop_of_very_many_numbers_claims_no_margin_that_was_not_searched(ifd_arena *arena,
                                                                               const ifd_preflight_options *o,
                                                                               const ifd_preflight *found)
{
    for (int states = 2000; states <= 2001; states++) {
        ifd_preflight p = *found;
        p.checks = 0;
        p.verdict = IFD_VERDICT_GO;
        p.states = states;
        p.unreduced = "too many joints";
        p.unreduced_hint = "use fewer";
        ifd__preflight_judge(arena, o, &p);
        const ifd_check *line = line_of(&p, "reduction");
        assert_non_null(line_of(&p, "stability"));
        assert_non_null(line_of(&p, "delay"));
        assert_non_null(line_of(&p, "together"));
        assert_int_equal(line != NULL, states == 2001);
        assert_int_equal(line_of(&p, "gain") == NULL, states == 2001);
        assert_int_equal(line_of(&p, "specimen") == NULL, states == 2001);
        if (line) {
            assert_int_equal(line->verdict, IFD_VERDICT_CAUTION);
            assert_non_null(strstr(line->found, "too many joints"));
            assert_non_null(strstr(line->found, "2001 state variables"));
        }
    }
}

TEST(ramp_out_is_part_of_the_dry_run)
{
    ifd_arena *arena = ifd_arena_open();
    const char *set[] = {"time.end=3s"};
    const ifd_case *c = read_case(arena, "bridge/hybrid", 1, set);
    ifd_preflight_options o;
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    ifd_preflight p;
    assert_int_equal(ifd_preflight_run(arena, &o, &p, NULL), IFD_OK);
    const ifd_check *line = line_of(&p, "ramp-out");
    assert_non_null(line);
    assert_non_null(strstr(line->found, "force returns to zero within"));
    assert_int_equal(line->verdict, IFD_VERDICT_GO);
    a_loop_of_very_many_numbers_claims_no_margin_that_was_not_searched(arena, &o, &p);
    assert_true(p.out_done && p.out_time > 0.3 && p.out_time < 30.0);
    assert_true(p.out_acceleration > 0.0 && p.out_acceleration < p.interface[0].acceleration);
    assert_true(p.out_overshoot <= 0.05);
    ifd_arena_close(arena);
}

/* Largest acceleration of the first channel's command in ramp-out, by differences of what the test commands. */
static double acceleration_of_way_out(ifd_arena *arena, const ifd_case *c)
{
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    o.rig_setup = c->laboratory;
    o.automatic = true;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    int columns, at = -1;
    const ifd_column *channel = ifd_hybrid_columns(h, &columns);
    for (int i = 0; i < columns; i++)
        at = strstr(channel[i].name, " command") && at < 0 ? i : at;
    double p[3] = {0}, dt = ifd_hybrid_period(h), most = 0.0;
    while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING) {
        memmove(p + 1, p, 2 * sizeof *p);
        p[0] = t.values(t.self)[at];
        if (ifd_hybrid_state(h) == IFD_MACHINE_RAMP_OUT)
            most = fmax(most, fabs(p[0] - 2.0 * p[1] + p[2]) / (dt * dt));
    }
    ifd_hybrid_close(h);
    return most;
}

TEST(ramp_out_is_as_rough_as_preflight_says)
{
    ifd_arena *arena = ifd_arena_open();
    const char *set[] = {"time.end=2.7s", "test.leave=stay"};
    const ifd_case *c = read_case(arena, "bridge/hybrid", 2, set);
    ifd_preflight_options o;
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    ifd_preflight p;
    assert_int_equal(ifd_preflight_run(arena, &o, &p, NULL), IFD_OK);
    assert_near(p.out_acceleration / acceleration_of_way_out(arena, c), 1.0, 0.1, "predicted and made");
    ifd_arena_close(arena);
}

TESTS()
