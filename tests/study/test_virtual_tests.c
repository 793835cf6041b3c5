/* SPDX-License-Identifier: MIT */
/* Virtual hybrid tests in ensembles: tests with different rigs, motions and strengths have the same bits alone, in
 * any block and beside one that trips; they agree with tests that are computed one at a time. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/hybrid.h>
#include <interfield/study.h>

#include "algebra/lanes.h"
#include "blocks.h"
#include "files.h"
#include "study/study.h"

enum { L = IFD__LANES };

static const char rig[] =
    "title: three storeys, the brace on a virtual rig\n"
    "time: {step: 4 ms, end: 1.2 s}\n"
    "method: {lsrt2: {jacobian: frozen}}\n"
    "ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.1 Hz}\n"
    "model:\n"
    "  dofs: [x, y, z]\n"
    "  mass: [1 t, 1 t, 0.8 t]\n"
    "  stiffness: [[300000, -150000, 0], [-150000, 300000, -150000], [0, -150000, 150000]]\n"
    "  damping: [[800, 0, 0], [0, 800, 0], [0, 0, 800]]\n"
    "  elements:\n"
    "    - {name: column, bilinear: {between: [ground, x], stiffness: 60 kN/m, yield: 20 mm, ratio: 0.05}}\n"
    "specimen:\n"
    "  - name: brace\n"
    "    bouc-wen: {between: [x, y], stiffness: 90 kN/m, beta: 60, gamma: 30}\n"
    "    estimate: {stiffness: 90 kN/m}\n"
    "    limits: {stroke: 200 mm, velocity: 2 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 20 mm}\n"
    "    actuator: {delay: {delay: 8 ms}}\n"
    "    compensation: {polynomial: {delay: 8 ms, order: 3}}\n"
    "    position-sensor: {noise: 5 um, seed: 3}\n"
    "    force-sensor: {noise: 5 N, seed: 2}\n"
    "test: {rig: virtual, lambda: 1, leave: start, overrun: extrapolate, late-for: 0.4 s, ramp-in: 0.2 s}\n";

/* lambda: the exchanges of these tests are at different ticks. */
#define STUDY(ensemble, amplitudes)                                                                                  \
    "title: rigs\n"                                                                                                  \
    "case: rig.yaml\n"                                                                                               \
    "compute: test\n" ensemble "vary:\n"                                                                             \
    "  lambda: {key: test.lambda, list: [1, 2]}\n"                                                                   \
    "  amplitude: {key: ground.amplitude, list: [" amplitudes "]}\n"                                                 \
    "  delay: {key: specimen.0.actuator.delay.delay, uniform: {from: 4 ms, to: 12 ms}}\n"                            \
    "  gain: {key: specimen.0.position-sensor.gain, normal: {mean: 1, deviation: 0.5 %}}\n"                          \
    "  seed: {key: specimen.0.force-sensor.seed, choice: [1, 2, 3]}\n"                                               \
    "  strength: {key: specimen.0.bouc-wen.beta, uniform: {from: 40, to: 80}}\n"                                     \
    "  yield: {key: model.elements.0.bilinear.yield, uniform: {from: 10 mm, to: 30 mm}}\n"                           \
    "sample: {method: monte-carlo, members: 4, seed: 5}\n"                                                           \
    "keep:\n"                                                                                                        \
    "  error: {error: y displacement}\n"                                                                             \
    "  stroke: {peak: brace deformation}\n"                                                                          \
    "  lost: {final: energy dissipated}\n"                                                                           \
    "histories: [x displacement, brace force, brace command]\n"
#define USUAL "1 m/s2, 2 m/s2"

static int with_rig(void **state);

TEST_WITH(a_test_has_the_same_bits_in_every_block, with_rig, folder_close)
{
    results first, next;
    open_results(&first, STUDY("ensemble: true\n", USUAL));
    compute_blocks(&first, 1, 1);
    for (unsigned seed = 2; seed < 5; seed++) {
        open_results(&next, STUDY("ensemble: true\n", USUAL));
        compute_blocks(&next, (const int[]){L, 5, MEMBERS}[seed % 3], seed);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(result_of(&next, k).outcome, IFD_STUDY_COMPLETED);
            assert_same_member(&first, &next, k);
        }
        ifd_arena_close(next.arena);
    }
    ifd_arena_close(first.arena);
}

/* Trips of stroke and tracking error, and cases that are refused. */
TEST_WITH(a_test_that_trips_disturbs_nobody, with_rig, folder_close)
{
    static const char *const amplitudes[] = {STUDY("ensemble: true\n", "1 m/s2, 40 m/s2"),
                                             STUDY("ensemble: true\n", "1 m/s2, 1e12 m/s2")};
    static const ifd_study_outcome outcomes[] = {IFD_STUDY_TRIPPED, IFD_STUDY_REFUSED};
    results good;
    open_results(&good, STUDY("ensemble: true\n", USUAL));
    compute_blocks(&good, L, 3);
    for (size_t c = 0; c < COUNT(amplitudes); c++) {
        results mixed;
        int failed = 0;
        open_results(&mixed, amplitudes[c]);
        compute_blocks(&mixed, L, 4);
        for (int k = 0; k < MEMBERS; k++) {
            ifd_study_result a = result_of(&good, k), b = result_of(&mixed, k);
            bool fails = b.value[1] > 10.0;
            assert_int_equal(b.number, k);
            if (fails) {
                failed++;
                assert_int_equal(b.outcome, outcomes[c]);
                assert_true(strlen(b.reason) > 0);
            } else if (a.value[1] == b.value[1]) {
                assert_int_equal(b.outcome, IFD_STUDY_COMPLETED);
                assert_memory_equal(a.scalar, b.scalar, 3 * sizeof *a.scalar);
            }
        }
        assert_int_equal(failed, MEMBERS / 2);
        ifd_arena_close(mixed.arena);
    }
    ifd_arena_close(good.arena);
}

TEST_WITH(tests_agree_with_tests_one_at_a_time, with_rig, folder_close)
{
    results with, without;
    open_results(&with, STUDY("ensemble: true\n", USUAL));
    compute_blocks(&with, L, 5);
    open_results(&without, STUDY("", USUAL));
    for (int k = 0; k < MEMBERS; k++) {
        double value[IFD_STUDY_VARIABLES];
        size_t length;
        assert_true(ifd_study_values(without.study, k, value));
        const void *bytes = ifd_study_compute(without.runner, k, value, &length);
        put_result(&without, bytes, length);
        ifd_study_result a = result_of(&with, k), b = result_of(&without, k);
        assert_int_equal(a.outcome, b.outcome);
        assert_int_equal(a.rows, b.rows);
        for (int i = 0; i < 3; i++)
            assert_near_rel(a.scalar[i], b.scalar[i], 1e-8, "member %d, scalar %d", k, i);
    }
    ifd_arena_close(with.arena);
    ifd_arena_close(without.arena);
}

/* One member of `text`, and the row of its histories: time, then the columns. */
static const double *histories_of(results *r, const char *text, ifd_study_result *out)
{
    double value[IFD_STUDY_VARIABLES];
    const char *series;
    size_t length;
    open_study(r, text);
    assert_true(ifd_study_values(r->study, 0, value));
    const void *bytes = ifd_study_compute(r->runner, 0, value, &length);
    put_result(r, bytes, length);
    assert_true(ifd__result_unpack(r->arena, r->study, r->bytes[0], r->length[0], out, &series));
    size_t numbers = (size_t)out->rows * (1 + (size_t)r->study->histories);
    double *row = ifd_arena_array(r->arena, numbers, sizeof *row);
    memcpy(row, series, numbers * sizeof *row);
    return row;
}

/* Place of a column in a row of histories. */
static int place_of(const results *r, const char *name)
{
    int at = 0;
    while (at < r->study->histories && strcmp(r->study->history[at].name, name) != 0)
        at++;
    assert_true(at < r->study->histories);
    return 1 + at;
}

#define ONE "vary: {delay: {key: specimen.0.actuator.delay.delay, list: [7 ms]}}\n"

/* Sums of x, y, their squares and their product; maxima of |x - y| and |y|. */
typedef struct sums {
    double n, x, y, xx, yy, xy, dd, most, peak;
} sums;

static void add(sums *s, double x, double y)
{
    s->n += 1.0;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->yy += y * y;
    s->xy += x * y;
    s->dd += (x - y) * (x - y);
    s->most = fmax(s->most, fabs(x - y));
    s->peak = fmax(s->peak, fabs(y));
}

static double nrms(const sums *s)
{
    double d = (s->x - s->y) / s->n, y = s->y / s->n;
    return sqrt((s->dd / s->n - d * d) / (s->yy / s->n - y * y));
}

/* J1 to J5 and J7 against their definitions, computed from the histories of the test and of the run without a rig. */
TEST_WITH(criteria_of_the_benchmark_agree_with_their_definitions, with_rig, folder_close)
{
    results test, run;
    ifd_study_result t, i;
    const double *rows = histories_of(&test,
                                      "case: rig.yaml\ncompute: test\n" ONE "keep:\n"
                                      "  j1: {tracking-delay: brace deformation}\n"
                                      "  j2: {tracking-nrms: brace deformation}\n"
                                      "  j3: {tracking-peak: brace deformation}\n"
                                      "  j4: {error-nrms: brace deformation}\n"
                                      "  j5: {error-peak: brace deformation}\n"
                                      "  j7: {error-nrms: z displacement}\n"
                                      "  j9: {error-peak: z displacement}\n"
                                      "histories: [state, simulated time, brace target, brace deformation, "
                                      "z displacement]\n",
                                      &t);
    const double *ideal = histories_of(&run,
                                       "case: rig.yaml\n" ONE "keep: {peak: {peak: z displacement}}\n"
                                       "histories: [brace deformation, z displacement]\n",
                                       &i);
    enum { COLUMNS = 6, LAGS = 50 };
    const double tick = 2e-3, h = 4e-3;
    int running = place_of(&test, "state"), now = place_of(&test, "simulated time");
    int y = place_of(&test, "brace target"), x = place_of(&test, "brace deformation"),
        z = place_of(&test, "z displacement");
    int ideal_x = place_of(&run, "brace deformation"), ideal_z = place_of(&run, "z displacement");
    sums tracking = {0}, j4 = {0}, j7 = {0}, lag[LAGS] = {{0}};
    double last = 0.0;
    for (long k = 0; k < t.rows; k++) {
        const double *row = rows + k * COLUMNS;
        bool runs = (int)row[running] == IFD_MACHINE_RUN;
        if (runs)
            add(&tracking, row[x], row[y]);
        for (long j = 0; j < LAGS && runs && j <= k; j++)
            if ((int)row[running - j * COLUMNS] == IFD_MACHINE_RUN)
                add(&lag[j], row[x], row[y - j * COLUMNS]);
        if (row[now] > last) {
            const double *at = ideal + 3 * lround(row[now] / h);
            add(&j4, row[x], at[ideal_x]);
            add(&j7, row[z], at[ideal_z]);
            last = row[now];
        }
    }
    int best = 0;
    double most = -2.0;
    for (int j = 0; j < LAGS; j++) {
        const sums *s = &lag[j];
        double r = (s->xy - s->x * s->y / s->n) / sqrt((s->xx - s->x * s->x / s->n) * (s->yy - s->y * s->y / s->n));
        best = r > most ? j : best;
        most = fmax(r, most);
    }
    assert_true(tracking.n > 500 && j4.n > 250);
    assert_near(t.scalar[0], tick * best, 1e-12, "J1");
    assert_near_rel(t.scalar[1], nrms(&tracking), 1e-9, "J2");
    assert_near_rel(t.scalar[2], tracking.most / tracking.peak, 1e-12, "J3");
    assert_near_rel(t.scalar[3], nrms(&j4), 1e-9, "J4");
    assert_near_rel(t.scalar[4], j4.most / j4.peak, 1e-12, "J5");
    assert_near_rel(t.scalar[5], nrms(&j7), 1e-9, "J7");
    assert_near_rel(t.scalar[6], j7.most / j7.peak, 1e-12, "J9");
    ifd_arena_close(test.arena);
    ifd_arena_close(run.arena);
}

TEST_WITH(tests_that_cannot_share_are_refused, with_rig, folder_close)
{
    static const struct {
        const char *set, *reason;
    } wrong[] = {{"set: {method.lsrt2.jacobian: exact}\n", "use 'jacobian: frozen'"},
                 {"set: {method: kr-alpha}\n", "the method is not lsrt2"}};
    for (size_t c = 0; c < COUNT(wrong); c++) {
        char text[2000];
        results r;
        snprintf(text, sizeof text, "%s%s", STUDY("ensemble: true\n", USUAL), wrong[c].set);
        open_results(&r, text);
        compute_blocks(&r, L, 7);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(result_of(&r, k).outcome, IFD_STUDY_REFUSED);
            assert_non_null(strstr(result_of(&r, k).reason, wrong[c].reason));
        }
        ifd_arena_close(r.arena);
    }
}

TEST_WITH(a_tracking_criterion_needs_a_measured_position, with_rig, folder_close)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study *s;
    ifd_note_init(&note, arena);
    put_file("study.yaml", "case: rig.yaml\ncompute: test\n" ONE "keep:\n  j1: {tracking-delay: brace command}\n");
    assert_int_not_equal(ifd_study_read(arena, in("study.yaml"), NULL, &s, &note), IFD_OK);
    assert_non_null(note.first);
    assert_int_equal(note.first->place.line, 5);
    assert_non_null(strstr(note.first->text, "expected the deformation of a specimen in a test"));
    ifd_arena_close(arena);
}

static int with_rig(void **state)
{
    int status = folder_open(state);
    put_file("rig.yaml", rig);
    return status;
}

TESTS()
