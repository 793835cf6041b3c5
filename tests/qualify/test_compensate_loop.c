/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The table of compensators where several actuators move one specimen, and its noise gains against loops into which
 * noise is fed: rows against a preflight of the pasted lines, margins against responses in time. */
#include "check.h"
#include "scratch.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/compensate.h>
#include <interfield/characterised.h>
#include <interfield/report.h>

#include "analysis/loop.h"
#include "hybrid/hybrid.h"

static const char *const block = IFD_SOURCE_DIR "/cases/three-actuators/block.yaml";

static ifd_case *read_file(ifd_arena *arena, const char *path, int sets, const char *const *set)
{
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, path, sets, set, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    return c;
}

static ifd_preflight_options options_of(const ifd_case *c)
{
    ifd_preflight_options o;
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    return o;
}

static ifd_compensation row_of(ifd_arena *arena, const ifd_case *c, const char *name)
{
    const ifd_preflight_options o = options_of(c);
    ifd_compensation row;
    ifd_compensate *s = NULL;
    assert_int_equal(ifd_compensate_make(arena, &o, 0.0, &s, NULL), IFD_OK);
    assert_int_equal(ifd_compensate_row(s, ifd_compensator_find(name), &row, NULL), IFD_OK);
    return row;
}

/* The case with the line of a row in every specimen, as the case reader takes it. */
static ifd_case *paste(ifd_arena *arena, const ifd_compensation *row, int specimens, const char *end)
{
    const char *set[IFD_RIG_ACTUATORS + 1] = {end}, *before = "compensation: ";
    for (int k = 0; k < specimens; k++) {
        const char *line = ifd_fragment_compensation(arena, row->kind, row->values[k]);
        assert_memory_equal(line, before, strlen(before));
        set[k + 1] = ifd_arena_print(arena, "specimen.%d.compensation=%s", k, line + strlen(before));
    }
    return read_file(arena, block, specimens + 1, set);
}

/* Peak of the commands in the last of `seconds` over that at half time, after an impulse in the measured forces, with
 * so much more delay: in the code that ticks, without a root. */
static double growth(const ifd_case *c, double delay, int seconds)
{
    ifd__disturbance now = {{0.0}, {0.0}};
    const ifd__loop l = {c->test, c->laboratory};
    const ifd__variant v = {.delay = delay, .gain = 1.0, .disturbance = &now};
    ifd__probed_loop p = {.scratch = ifd_arena_open()};
    assert_int_equal(ifd__probed_loop_make(&p, &l, &v, NULL), IFD_OK);
    memcpy(p.h->x, p.rest, sizeof *p.rest * (size_t)p.h->size);
    ifd_ticked t = ifd_hybrid_ticked(p.h);
    int second = (int)round(1.0 / ifd_hybrid_period(p.h)), K = p.h->interfaces;
    double rest[IFD_RIG_ACTUATORS], first = 0.0, last = 0.0;
    for (int k = 0; k < K; k++) {
        rest[k] = ifd__interface_of(p.h, k)->command;
        now.force[k] = 1000.0;
    }
    for (int i = 0; i < seconds * second; i++) {
        assert_int_equal(t.tick(t.self, &(ifd_tick_in){0}), IFD_RUN_GOING);
        memset(&now, 0, sizeof now);
        for (int k = 0; k < K; k++) {
            double u = fabs(ifd__interface_of(p.h, k)->command - rest[k]);
            first = i / second == seconds / 2 ? fmax(first, u) : first;
            last = i >= (seconds - 1) * second ? fmax(last, u) : last;
        }
    }
    ifd_hybrid_close(p.h);
    ifd_arena_close(p.scratch);
    return last / first;
}

/* Margins and errors to the bit, with a drive between specimen and actuators. The delay at which the loop grows is
 * neither missed, nor found where there is none: a loop that has lost it decays without end. */
TEST(rows_of_a_drive_are_what_a_preflight_says_of_the_lines)
{
    static const char *const end = "time.end=1 s";
    ifd_arena *arena = ifd_arena_open();
    ifd_compensation row = row_of(arena, read_file(arena, block, 1, &end), "inverse-1");
    const ifd_case *c = paste(arena, &row, 3, end);
    const ifd_preflight_options o = options_of(c);
    ifd_preflight *p = ifd_arena_take(arena, sizeof *p);
    (void)state;
    assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
    assert_true(row.usable && row.delay.found && row.delay.value == p->initial.delay.value);
    assert_true(row.error_rms == p->error_rms && row.error_peak == p->error_peak && row.governed == p->governed);
    for (int k = 0; k < 3; k++)
        assert_true(row.acceleration / row.limit >=
                    p->interface[k].acceleration / c->test->interface[k].limits.acceleration);
    assert_near(row.noise_position, 0.0, 1e-9, "a compensator that does not read the position");
    assert_true(growth(c, 0.8 * row.delay.value, 12) < 0.9);
    assert_true(growth(c, 1.3 * row.delay.value, 12) > 1.1);
    ifd_arena_close(arena);
}

static const char *const spring =
    "time: {step: 2 ms, end: 200 s}\n"
    "method: lsrt2\n"
    "model: {dofs: [x], mass: [1000], damping: [4000], stiffness: [4.0e+5]}\n"
    "specimen:\n"
    "  - name: spring\n"
    "    spring: {between: [ground, x], stiffness: 2e5 N/m}\n"
    "    limits: {stroke: 50 mm, velocity: 2 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 40 mm}\n"
    "    actuator: {second-order: {frequency: 20 Hz, damping-ratio: 0.7}}\n"
    "    compensation: {pi-lead: {lead: 10, pole: 400, proportional: 0.2, integral: 40}}\n"
    "test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate}\n";

/* Two of them, which do not affect each other: the second actuator moves three times as far as its spring. */
static const char *const pair =
    "time: {step: 4 ms, end: 1 s}\n"
    "method: lsrt2\n"
    "model:\n"
    "  dofs: [x, y]\n"
    "  mass: [[1000, 0], [0, 1000]]\n"
    "  damping: [[4000, 0], [0, 4000]]\n"
    "  stiffness: [[4.0e+5, 0], [0, 4.0e+5]]\n"
    "initial: {displacement: {x: 10 mm, y: 10 mm}}\n"
    "specimen:\n"
    "  - name: sway\n"
    "    spring: {at: x, stiffness: 2e5 N/m}\n"
    "    limits: &dof {stroke: 50 mm, velocity: 2 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 40 mm}\n"
    "    compensation: &lead {pi-lead: {lead: 10, pole: 400, proportional: 0.2, integral: 40}}\n"
    "  - {name: heave, spring: {at: y, stiffness: 2e5 N/m}, limits: *dof, compensation: *lead}\n"
    "drives:\n"
    "  - name: pair\n"
    "    dofs: [sway, heave]\n"
    "    matrix: [[1, 0], [0, 3]]\n"
    "    actuators:\n"
    "      - name: near\n"
    "        actuator: {second-order: {frequency: 40 Hz, damping-ratio: 0.7}}\n"
    "        position-sensor: {noise: 10 um}\n"
    "        limits: &far {stroke: 0.3 m, velocity: 9 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 90 mm}\n"
    "      - name: far\n"
    "        actuator: {second-order: {frequency: 20 Hz, damping-ratio: 0.7}}\n"
    "        position-sensor: {noise: 60 um}\n"
    "        limits: *far\n"
    "test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, leave: stay}\n";

static ifd_case *read_text(ifd_arena *arena, const char *text, int sets, const char *const *set)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 16];
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    ifd_case *c = read_file(arena, path, sets, set);
    assert_int_equal(scratch_remove(folder), 0);
    return c;
}

static ifd_case *read_spring(ifd_arena *arena, int sets, const char *const *set)
{
    return read_text(arena, spring, sets, set);
}

/* RMS of the command in a whole test, from tick to tick. */
static double rms(const ifd_case *c)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    double sum = 0.0;
    long count = 0;
    o.automatic = true;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING)
        if (ifd_hybrid_state(h) == IFD_MACHINE_RUN && ifd_hybrid_time(h) > 2.0) {
            double u = ifd__interface_of(h, 0)->command;
            sum += u * u;
            count++;
        }
    assert_true(ifd_hybrid_time(h) >= 199.9);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return sqrt(sum / (double)count);
}

/* Sensors of the ordinary virtual rig make the noise, and the whole test is run. What is recorded of an oscillator
 * that forgets at the rate n over a time T has an RMS of which the standard deviation is 1/(2 sqrt(n T)): 2.5 % here,
 * of which four are allowed. */
TEST(noise_of_a_test_is_that_of_the_gains)
{
    static const double tolerance = 4.0 * 0.025;
    ifd_arena *arena = ifd_arena_open();
    static const char *const quiet = "time.end=0.1 s", *const force = "specimen.0.force-sensor={noise: 10 N}",
                             *const position = "specimen.0.position-sensor={noise: 20 um}";
    ifd_compensation row = row_of(arena, read_spring(arena, 1, &quiet), "pi-lead");
    (void)state;
    assert_true(row.own && row.stable);
    assert_near_rel(rms(read_spring(arena, 1, &force)), 10.0 * row.noise_force, tolerance, "force");
    assert_near_rel(rms(read_spring(arena, 1, &position)), 2e-5 * row.noise_position, tolerance, "position");
    ifd_arena_close(arena);
}

/* RMS of x of an oscillator under white noise of RMS one that is held for a tick T. From tick to tick it is exactly
 * y := A y + b w with y = (x, x'), and P = A P A' + b b' has three unknowns. */
static double held_noise(double m, double c, double k, double T)
{
    double n = c / (2.0 * m), w = sqrt(k / m - n * n), e = exp(-n * T), co = e * cos(w * T), si = e * sin(w * T) / w;
    const double A[2][2] = {{co + n * si, si}, {-k / m * si, co - n * si}};
    const double b[2] = {(1.0 - A[0][0]) / k, -A[1][0] / k}; /* from a force that stays: x tends to 1/k */
    double M[3][4] = {
        {1.0 - A[0][0] * A[0][0], -2.0 * A[0][0] * A[0][1], -A[0][1] * A[0][1], b[0] * b[0]},
        {-A[0][0] * A[1][0], 1.0 - A[0][0] * A[1][1] - A[0][1] * A[1][0], -A[0][1] * A[1][1], b[0] * b[1]},
        {-A[1][0] * A[1][0], -2.0 * A[1][0] * A[1][1], 1.0 - A[1][1] * A[1][1], b[1] * b[1]}};
    for (int p = 2; p > 0; p--) /* eliminates the last unknowns: the first remains */
        for (int i = 0; i < p; i++) {
            double f = M[i][p] / M[p][p];
            for (int j = 0; j < 4; j++)
                M[i][j] -= f * M[p][j];
        }
    return sqrt(M[0][3] / M[0][0]);
}

/* The specimen, late by a tick, has too little stiffness to count. The second oscillator takes 42 minutes until its
 * energy has fallen to a third, which no response is followed for: 600,000 ticks are ten. */
TEST(force_noise_of_an_oscillator_is_exact)
{
    static const double damping[] = {4000.0, 0.4}, k = 4e5;
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *set[] = {"specimen.0.spring.stiffness=1e-6",
                             "specimen.0.actuator=ideal",
                             "specimen.0.compensation=none",
                             "method={exponential: {past: 1}}",
                             "time.end=1 s",
                             ifd_arena_print(arena, "model.damping=[%g]", damping[i])};
        ifd_compensation row = row_of(arena, read_spring(arena, 6, set), "none");
        double exact = held_noise(1000.0, damping[i], k, 2e-3);
        assert_near_rel(exact, sqrt(2e-3 / (2.0 * damping[i] * k)), 0.02, "closed form, a short tick");
        assert_near_rel(row.noise_force, exact, 1e-6, "held for a tick of 2 ms, damping %g", damping[i]);
    }
    ifd_arena_close(arena);
}

/* The other way, of loops with very many numbers: the squares of the responses to impulses. */
TEST(both_ways_find_the_same_noise)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *c = read_spring(arena, 0, NULL);
    const ifd__loop l = {c->test, c->laboratory};
    const ifd__variant v = {.gain = 1.0};
    ifd__noise_gains one, two;
    (void)state;
    assert_int_equal(ifd__loop_noise(&l, &v, IFD__NOISE_COVARIANCE, &one, NULL), IFD_OK);
    assert_int_equal(ifd__loop_noise(&l, &v, IFD__NOISE_RESPONSES, &two, NULL), IFD_OK);
    assert_near_rel(one.force[0], two.force[0], 1e-6, "force");
    assert_near_rel(one.position[0], two.position[0], 1e-6, "position");
    ifd_arena_close(arena);
}

static ifd_compensate *make(ifd_arena *arena, const ifd_case *c)
{
    const ifd_preflight_options o = options_of(c);
    ifd_compensate *s = NULL;
    assert_int_equal(ifd_compensate_make(arena, &o, 0.0, &s, NULL), IFD_OK);
    return s;
}

static const char *const mixed = "drives.0.matrix=[[1, 1], [1, -1]]"; /* both actuators move both springs */

/* 2 z / w of an actuator of second order, less half of the tick of 2 ms. What folds adds less than 1e-3 of a tick. */
TEST(the_slowest_actuator_of_a_drive_is_compensated)
{
    const double h = 2e-3, near = 1.4 / (2.0 * M_PI * 40.0) - h / 2, far = 1.4 / (2.0 * M_PI * 20.0) - h / 2;
    static const char *const endless = "={second-order: {frequency: 0.01 Hz, damping-ratio: 0.001}}";
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *c = read_text(arena, pair, 1, &mixed);
    const ifd_preflight_options o = options_of(c);
    const ifd_compensate_actuator *is;
    ifd_compensate *s = make(arena, c);
    ifd_preflight *p = ifd_arena_take(arena, sizeof *p);
    double a[4];
    (void)state;
    assert_int_equal(ifd_compensate_actuators(s, &is), 2);
    assert_string_equal(is[0].name, "near");
    assert_string_equal(is[1].name, "far");
    assert_string_equal(is[0].drive, "pair");
    assert_true(is[0].known && is[1].known && !is[0].used && is[1].used);
    assert_near(is[0].a[1], near, 1e-3 * h, "near");
    assert_near(is[1].a[1], far, 1e-3 * h, "far");
    for (int k = 0; k < 2; k++) {
        assert_true(ifd_compensate_plant(s, k, a));
        assert_true(a[1] == is[1].a[1]);
    }
    assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
    double r = p->initial.frequency / 20.0, lag = atan2(1.4 * r, 1.0 - r * r) / (2.0 * M_PI * 20.0 * r);
    assert_near(p->interface[0].assumed, lag, h, "lag of the slowest actuator at its frequency");
    for (int j = 0; j < 2; j++) {
        const char *set[] = {mixed, ifd_arena_print(arena, "drives.0.actuators.%d.actuator%s", j, endless)};
        assert_false(ifd_compensate_plant(make(arena, read_text(arena, pair, 2, set)), 1, a));
    }
    s = make(arena, read_text(arena, pair, 0, NULL)); /* each actuator moves one spring */
    assert_true(ifd_compensate_plant(s, 0, a) && a[1] == is[0].a[1]);
    assert_true(ifd_compensate_plant(s, 1, a) && a[1] == is[1].a[1]);
    ifd_arena_close(arena);
}

TEST(the_actuator_nearest_to_its_limit_has_the_acceleration)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *c = read_text(arena, pair, 0, NULL);
    const ifd_preflight_options o = options_of(c);
    ifd_compensation row = row_of(arena, c, "pi-lead");
    ifd_preflight *p = ifd_arena_take(arena, sizeof *p);
    (void)state;
    assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
    assert_string_equal(row.hardest_actuator, "far");
    assert_int_equal(row.hardest, 0);
    assert_near_rel(row.acceleration, 3.0 * p->interface[1].acceleration, 1e-9, "three times as far");
    assert_true(row.limit == 2000.0);
    ifd_arena_close(arena);
}

/* s = 3 q: forces at the spring and commands of the actuator are three times those of an actuator on the spring. */
TEST(the_noise_of_a_drive_is_that_of_its_worst_actuator)
{
    static const char *const slow[] = {"time.step=4 ms", "time.end=1 s"},
                             *const fast[] = {"time.step=4 ms", "time.end=1 s",
                                              "specimen.0.actuator.second-order.frequency=40 Hz"};
    ifd_arena *arena = ifd_arena_open();
    ifd_compensation both = row_of(arena, read_text(arena, pair, 0, NULL), "pi-lead"),
                     far = row_of(arena, read_spring(arena, 2, slow), "pi-lead"),
                     near = row_of(arena, read_spring(arena, 3, fast), "pi-lead");
    (void)state;
    assert_true(both.own && both.stable);
    assert_string_equal(both.noisiest_actuator, "far");
    assert_null(far.noisiest_actuator);
    assert_near_rel(both.noise_force, 9.0 * far.noise_force, 2e-6, "force");
    assert_near_rel(both.noise_position, fmax(near.noise_position, far.noise_position), 2e-6, "position");
    ifd_arena_close(arena);
}

/* q = s / 3, and q = (s1 +- s2) / 2: 10 and 60 um. */
TEST(the_expected_noise_is_a_bound_over_the_actuators)
{
    const double bound[2][2] = {{10e-6, 20e-6}, {35e-6, 35e-6}};
    const ifd_compensator_kind *kind = ifd_compensator_find("adaptive-model");
    int noise = ifd_param_find(kind->params, "noise");
    (void)state;
    for (int i = 0; i < 2; i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_compensation row = row_of(arena, read_text(arena, pair, i, &mixed), kind->name);
        for (int k = 0; k < 2; k++)
            assert_near_rel(row.values[k][noise].number, bound[i][k], 1e-6, "drive %d, dof %d", i, k);
        ifd_arena_close(arena);
    }
}

TEST(an_unknown_noise_gain_stays_unknown)
{
    const double known[] = {1.0, 3.0, 2.0}, first[] = {(double)NAN, 1.0}, between[] = {1.0, (double)NAN, 2.0};
    int at;
    (void)state;
    assert_true(ifd__noise_worst(known, 3, &at) == 3.0 && at == 1);
    assert_true(isnan(ifd__noise_worst(first, 2, &at)) && at == 0);
    assert_true(isnan(ifd__noise_worst(between, 3, &at)) && at == 1);
}

TESTS()
