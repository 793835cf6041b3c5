/* SPDX-License-Identifier: MIT */
/* The table of compensators: a row against a preflight of the case with the line pasted in, against
 * a free-running test and the closed form of its structure, and noise gains against the theory of white noise. */
#include "check.h"
#include "scratch.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/compensate.h>
#include <interfield/characterised.h>
#include <interfield/report.h>

#include "analysis/loop.h"

/* m, c, k of the computed part, the specimen's spring, N/m; and the start, m. */
#define MASS 1000.0
#define DAMPING 4000.0
#define STIFFNESS 4e5
#define SPRING 2e5
#define START 0.01

static const char *const text =
    "time: {step: 2 ms, end: 1 s}\n"
    "method: lsrt2\n"
    "model: {dofs: [x], mass: [1000], damping: [4000], stiffness: [4.0e+5]}\n"
    "initial: {displacement: {x: 10 mm}}\n"
    "specimen:\n"
    "  - name: spring\n"
    "    spring: {between: [ground, x], stiffness: 2e5 N/m}\n"
    "    limits: {stroke: 50 mm, velocity: 2 m/s, acceleration: 2000 m/s2, force: 5 kN, tracking: 40 mm}\n"
    "    actuator: {second-order: {frequency: 20 Hz, damping-ratio: 0.7}}\n"
    "test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s}\n";

static ifd_case *read_case(ifd_arena *arena, int sets, const char *const *set)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 16];
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    if (ifd_case_read(arena, path, sets, set, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_int_equal(scratch_remove(folder), 0);
    assert_non_null(c);
    return c;
}

static ifd_compensate *make(ifd_arena *arena, const ifd_case *c)
{
    ifd_preflight_options o;
    ifd_compensate *s = NULL;
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    assert_int_equal(ifd_compensate_make(arena, &o, 0.0, &s, NULL), IFD_OK);
    return s;
}

static ifd_compensation row_in(ifd_compensate *s, const char *name)
{
    ifd_compensation row;
    assert_int_equal(ifd_compensate_row(s, ifd_compensator_find(name), &row, NULL), IFD_OK);
    return row;
}

static ifd_compensation row_of(ifd_arena *arena, const ifd_case *c, const char *name)
{
    return row_in(make(arena, c), name);
}

/* The case with the line of a row, as the case reader takes it. */
static ifd_case *paste(ifd_arena *arena, const ifd_compensation *row)
{
    const char *line = ifd_fragment_compensation(arena, row->kind, row->values[0]), *before = "compensation: ";
    assert_memory_equal(line, before, strlen(before));
    const char *set = ifd_arena_print(arena, "specimen.0.compensation=%s", line + strlen(before));
    return read_case(arena, 1, &set);
}

/* A command that is held for the tick h before its instant: times (e^{sh} - 1)/(sh), whose inverse is 1 - sh/2 +
 * (sh)^2/12 ...; frequencies above that of the ticks, which fold, add less than 1e-3 of h. The tick is 1 ms, one for
 * each of two stages. */
TEST(the_inverse_plant_is_that_of_the_actuator)
{
    const double w = 2.0 * M_PI * 20.0, tau = 0.009, h = 1e-3, b = 1.4 / w, c = 1 / (w * w);
    const struct {
        const char *set;
        double a[4];
    } is[] = {
        {"specimen.0.actuator={second-order: {frequency: 20 Hz, damping-ratio: 0.7}}",
         {1, b - h / 2, c - b * h / 2 + h * h / 12, -c * h / 2 + b * h * h / 12}},
        {"specimen.0.actuator={delay: {delay: 9 ms}}", {1, tau, tau * tau / 2, tau * tau * tau / 6}},
        {"specimen.0.actuator=ideal", {1, 0, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        ifd_arena *arena = ifd_arena_open();
        double a[4];
        assert_true(ifd_compensate_plant(make(arena, read_case(arena, 1, &is[i].set)), 0, a));
        for (int k = 0; k < 4; k++)
            assert_near(a[k], is[i].a[k], i == 0 ? 1e-3 * h * pow(tau, k - 1) : 1e-9 * pow(tau, k),
                        "actuator %zu, a%d", i, k);
        ifd_arena_close(arena);
    }
}

/* Margins and errors to the bit: the line holds what was examined, and both are found by the same probes. */
TEST(a_row_is_what_a_preflight_says_of_the_line)
{
    static const char *const name[] = {"pi-lead", "adaptive-model"};
    ifd_arena *whole = ifd_arena_open();
    ifd_compensate *s = make(whole, read_case(whole, 0, NULL));
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_compensation row = row_in(s, name[i]);
        assert_true(row.usable);
        const ifd_case *c = paste(arena, &row);
        ifd_preflight_options o;
        ifd_preflight *p = ifd_arena_take(arena, sizeof *p);
        ifd_preflight_defaults(&o);
        o.test = c->test;
        o.twin = c->laboratory;
        assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
        assert_true(row.delay.value > 0.0 && row.delay.value == p->initial.delay.value);
        assert_true(row.error_rms == p->error_rms && row.error_peak == p->error_peak);
        assert_true(row.acceleration == p->interface[0].acceleration && row.governed == p->governed);
        ifd_arena_close(arena);
    }
    ifd_arena_close(whole);
}

/* Of the free vibration with the spring where it should be: x'' + 2 z w x' + w^2 x = 0. */
static double closed_form(double t)
{
    double n = DAMPING / (2.0 * MASS), w = sqrt((STIFFNESS + SPRING) / MASS - n * n);
    return START * exp(-n * t) * (cos(w * t) + n / w * sin(w * t));
}

/* RMS of the difference over that of the closed form, at the whole steps of a test on the ordinary virtual rig. What
 * separates both ideals is the error of the method at h/4, some 1e-4 of the motion. */
TEST(the_predicted_error_is_that_of_a_free_running_test)
{
    static const char *const name[] = {"none", "polynomial", "inverse-2", "pi-lead"};
    ifd_arena *whole = ifd_arena_open();
    ifd_compensate *s = make(whole, read_case(whole, 0, NULL));
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_compensation row = row_in(s, name[i]);
        ifd_hybrid_options o = *paste(arena, &row)->test;
        ifd_hybrid *h = NULL;
        int columns;
        o.automatic = true;
        assert_int_equal(ifd_hybrid_make(arena, &o, &h, NULL), IFD_OK);
        const ifd_column *column = ifd_hybrid_columns(h, &columns);
        int x = ifd_column_find(column, columns, "x", IFD_COLUMN_DISPLACEMENT);
        int when = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_TIME);
        assert_true(x >= 0 && when >= 0);
        ifd_ticked t = ifd_hybrid_ticked(h);
        double off = 0.0, sum = 0.0, peak = 0.0;
        while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING && ifd_hybrid_state(h) != IFD_MACHINE_STOPPED) {
            double time = t.values(t.self)[when], steps = time / o.step.h;
            if (ifd_hybrid_state(h) != IFD_MACHINE_RUN || fabs(steps - round(steps)) > 1e-6)
                continue;
            double y = closed_form(time), e = t.values(t.self)[x] - y;
            off += e * e;
            sum += y * y;
            peak = fmax(peak, fabs(e) / START);
        }
        assert_near(row.error_rms, sqrt(off / sum), 2e-3 + 0.01 * row.error_rms, "%s", name[i]);
        assert_near(row.error_peak, peak, 2e-3 + 0.01 * row.error_peak, "%s", name[i]);
        ifd_hybrid_close(h);
        ifd_arena_close(arena);
    }
    ifd_arena_close(whole);
}

/* Force noise of RMS one, held for a tick T, is white to a slow oscillator: E x^2 = T / (2 c k), E v^2 = T / (2 c m),
 * and x and v are uncorrelated. u = x + a v. A specimen of next to no stiffness leaves the structure alone. */
TEST(noise_of_the_force_reaches_the_command_as_theory_says)
{
    static const char *const set[] = {"specimen.0.spring.stiffness=1e-3", "specimen.0.actuator=ideal",
                                      "specimen.0.compensation={inverse-2: {coefficients: [1, 0.05, 0]}}",
                                      "method=exponential"};
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_case(arena, 4, set);
    ifd_compensation row = row_of(arena, c, "inverse-2"), none = row_of(arena, c, "none");
    ifd_hybrid *h = NULL;
    (void)state;
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    double held = ifd_hybrid_period(h), x = held / (2.0 * DAMPING * STIFFNESS), v = held / (2.0 * DAMPING * MASS);
    assert_true(row.own && row.usable);
    assert_near_rel(none.noise_force, sqrt(x), 5e-3, "none");
    assert_near_rel(row.noise_force, sqrt(x + 0.05 * 0.05 * v), 5e-3, "inverse-2");
    assert_near(row.noise_position, 0.0, 1e-12, "position");
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TEST(what_cannot_be_used_is_listed_with_the_reason)
{
    static const char *const late = "specimen.0.actuator={delay: {delay: 60 ms}}", *const ideal =
                                                                                       "specimen.0.actuator=ideal";
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    ifd_compensation row[2] = {row_of(arena, read_case(arena, 1, &late), "none"),
                               row_of(arena, read_case(arena, 1, &ideal), "taylor")};
    assert_false(row[0].usable || row[0].stable || row[1].usable);
    assert_non_null(strstr(row[0].why, "unstable"));
    assert_non_null(strstr(row[1].why, "no delay"));
    assert_int_equal(ifd_compensate_best(row, 2), -1);
    ifd_arena_close(arena);
}

/* A row that needs attention is never the best, whatever its error; nor is one without an error. */
TEST(the_best_needs_no_attention_and_has_the_smallest_error)
{
    const ifd_compensation row[] = {{.usable = true, .error_rms = 0.03},
                                    {.usable = true, .careful = true, .error_rms = 0.01},
                                    {.usable = true, .error_rms = 0.02},
                                    {.usable = false, .error_rms = 0.001},
                                    {.usable = true, .error_rms = (double)NAN}};
    (void)state;
    assert_int_equal(ifd_compensate_best(row, 5), 2);
    assert_int_equal(ifd_compensate_best(row + 1, 1), -1);
    assert_int_equal(ifd_compensate_best(row + 3, 2), -1);
}

TESTS()
