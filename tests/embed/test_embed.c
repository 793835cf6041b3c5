/* SPDX-License-Identifier: MIT */
/* A simulation in the hands of a program: against closed forms, and against the same thing said by a case. */
#include "check.h"

#include <string.h>

#include <interfield/embed.h>

#include "embed/embed.h"

enum { ROWS = 1001 };
static const double pi = 3.14159265358979323846;

/* m = 2 kg, c = 1.2 N s/m, k = 80 N/m, of which the spring is a specimen; released from 10 mm. */
static const char *const case_text = "time: {step: 1 ms, end: 1 s}\n"
                                     "method: lsrt2\n"
                                     "model: {dofs: [x], mass: 2 kg, damping: 1.2 N s/m}\n"
                                     "initial: {displacement: {x: 10 mm}}\n"
                                     "specimen:\n"
                                     "  - name: spring\n"
                                     "    spring: {between: [ground, x], stiffness: 80 N/m}\n"
                                     "    estimate: {stiffness: 80 N/m}\n";

typedef struct device {
    double stiffness, last;
    long calls;
    bool backwards, spoilt;
} device;

static double force_of(void *self, double t, double stretch, double rate)
{
    device *d = self;
    (void)rate;
    d->backwards = d->backwards || (d->calls > 0 && t < d->last);
    d->last = t;
    d->calls++;
    return d->spoilt && t > 0.5 ? (double)NAN : d->stiffness * stretch;
}

static ifd_sim *oscillator(device *d)
{
    const double m = 2.0, c = 1.2;
    ifd_sim *s = ifd_sim_open();
    assert_non_null(s);
    assert_int_equal(ifd_sim_dof(s, "x", "x"), IFD_OK);
    assert_int_equal(ifd_sim_matrix(s, IFD_MASS, 1, &m), IFD_OK);
    assert_int_equal(ifd_sim_entries(s, IFD_DAMPING, 1, (const int[]){0}, (const int[]){0}, &c), IFD_OK);
    assert_int_equal(ifd_sim_initial(s, "x", 0.01, 0.0), IFD_OK);
    assert_int_equal(ifd_sim_specimen(s, "spring", "ground", "x", 80.0, 0.0), IFD_OK);
    assert_int_equal(ifd_sim_method(s, "lsrt2", 0.001, 1.0), IFD_OK);
    if (d)
        assert_int_equal(ifd_sim_answer(s, "spring", force_of, d), IFD_OK);
    return s;
}

static void make(ifd_sim *s)
{
    if (ifd_sim_make(s) != IFD_OK)
        fail_msg("%s", ifd_sim_message(s));
}

static int find(const ifd_sim *s, const char *name)
{
    for (int k = 0; k < ifd_sim_columns(s); k++)
        if (strcmp(ifd_sim_column(s, k)->name, name) == 0)
            return k;
    fail_msg("no channel '%s'", name);
    return -1;
}

static double x[ROWS], y[ROWS];

static long displacements(ifd_sim *s, double *out)
{
    int k = find(s, "x displacement");
    long n = 0;
    double time, row[64];
    assert_true(ifd_sim_columns(s) <= 64);
    while (n < ROWS && ifd_sim_take(s, 1, &time, row) == 1)
        out[n++] = row[k];
    return n;
}

TEST(arrays_with_a_specimen_that_answers_follow_the_closed_form)
{
    device d = {.stiffness = 80.0};
    ifd_sim *s = oscillator(&d);
    make(s);
    assert_int_equal(ifd_sim_rows(s), ROWS);
    assert_int_equal(displacements(s, x), ROWS);
    double w = sqrt(40.0), zeta = 0.3 / w, wd = w * sqrt(1 - zeta * zeta);
    for (int i = 0; i < ROWS; i++) {
        double t = 1e-3 * i;
        double exact = 0.01 * exp(-0.3 * t) * (cos(wd * t) + 0.3 / wd * sin(wd * t));
        /* Second order: the phase error of LSRT2 is below (w h)^2 w t / 6. */
        assert_near(x[i], exact, 0.01 * w * 1e-3 * w * 1e-3 * w / 6, "t = %g", t);
    }
    /* Once for each of the two stages of a step; at the start for the initial state, and for the stage that leads
     * in. */
    assert_int_equal(d.calls, 2 * (ROWS - 1) + 2);
    assert_false(d.backwards);
    ifd_sim_close(s);
}

TEST(a_case_in_a_text_gives_the_same_bits_as_arrays)
{
    ifd_sim *a = oscillator(NULL), *b = ifd_sim_open();
    make(a);
    if (ifd_sim_read_text(b, case_text, "nowhere.yaml", 0, NULL) != IFD_OK)
        fail_msg("%s", ifd_sim_message(b));
    make(b);
    assert_int_equal(displacements(a, x), ROWS);
    assert_int_equal(displacements(b, y), ROWS);
    assert_memory_equal(x, y, sizeof x);
    ifd_sim_close(a);
    ifd_sim_close(b);
}

TEST(somebody_answers_for_the_specimen_of_a_case)
{
    const char *sets[] = {"time.end=0.5 s"};
    device d = {.stiffness = 0.0};
    ifd_sim *s = ifd_sim_open();
    assert_int_equal(ifd_sim_read_text(s, case_text, "nowhere.yaml", 1, sets), IFD_OK);
    assert_int_equal(ifd_sim_answer(s, "spring", force_of, &d), IFD_OK);
    make(s);
    assert_int_equal(displacements(s, x), 501);
    assert_near(x[500], 0.01, 1e-15, "no force, no motion");
    ifd_sim_close(s);
}

TEST(a_state_that_was_saved_goes_on_bit_for_bit)
{
    ifd_sim *s = oscillator(NULL);
    make(s);
    double kept[64], time, row[64];
    int k = find(s, "x displacement");
    assert_true(ifd_sim_size(s) <= 64);
    for (int i = 0; i < 300; i++)
        assert_int_equal(ifd_sim_step(s), IFD_RUN_GOING);
    ifd_sim_save(s, kept);
    double now = ifd_sim_values(s)[k];
    long n = displacements(s, x);
    assert_int_equal(n, ROWS - 300);
    assert_int_equal(ifd_sim_load(s, kept), IFD_OK);
    assert_int_equal(ifd_sim_take(s, 1, &time, row), 1);
    assert_near(time, 0.3, 1e-12, "");
    assert_near(row[k], now, 0, "the row of the saved state");
    assert_int_equal(displacements(s, y), n - 1);
    assert_memory_equal(x + 1, y, (size_t)(n - 1) * sizeof *x);
    ifd_sim_close(s);
}

TEST(an_answer_that_is_no_number_ends_the_run)
{
    device d = {.stiffness = 80.0, .spoilt = true};
    ifd_sim *s = oscillator(&d);
    make(s);
    while (ifd_sim_step(s) == IFD_RUN_GOING)
        continue;
    assert_int_equal(ifd_sim_tick(s), IFD_RUN_FAULT);
    assert_non_null(strstr(ifd_sim_fault(s), "specimen"));
    assert_near(ifd_sim_time(s), 0.5, 2e-3, "");
    ifd_sim_close(s);
}

TEST(matrices_come_back_as_they_were_given)
{
    const double M[] = {3, 0.5, 0.5, 2}, K[] = {50, -20, -20, 20};
    double got[4];
    ifd_sim *s = ifd_sim_open();
    ifd_sim_dof(s, "x1", "x");
    ifd_sim_dof(s, "x2", "x");
    ifd_sim_matrix(s, IFD_MASS, 2, M);
    ifd_sim_matrix(s, IFD_STIFFNESS, 2, K);
    ifd_sim_method(s, "lsrt2", 0.01, 1);
    ifd_sim_parameter(s, "gamma", 0, "plus");
    make(s);
    assert_int_equal(ifd_sim_dense(s, 0, IFD_MASS, false, got), IFD_OK);
    assert_memory_equal(got, M, sizeof M);
    assert_int_equal(ifd_sim_dense(s, 0, IFD_STIFFNESS, true, got), IFD_OK);
    assert_memory_equal(got, K, sizeof K);
    assert_string_equal(ifd_sim_dof_name(s, 0, 1), "x2");
    assert_null(ifd_sim_dof_name(s, 0, 2));
    ifd_sim_close(s);
}

TEST(stability_sees_the_estimate_of_who_answers)
{
    device d = {.stiffness = 80.0};
    ifd_sim *s = oscillator(&d);
    ifd_stability v;
    make(s);
    long calls = d.calls;
    assert_int_equal(ifd_sim_stability(s, &v), IFD_OK);
    assert_int_equal(d.calls, calls);
    assert_true(v.stable);
    assert_int_equal(v.modes, 1);
    assert_near_rel(v.mode[0].frequency, sqrt(40.0 - 0.09) / (2 * pi), 1e-9, "");
    ifd_sim_close(s);
}

static void expect_refusal(ifd_sim *s, ifd_status want, ifd_status got, const char *words)
{
    assert_int_equal(got, want);
    if (!strstr(ifd_sim_message(s), words))
        fail_msg("said: %s", ifd_sim_message(s));
    assert_int_equal(ifd_sim_make(s), want);
    ifd_sim_close(s);
}

TEST(what_is_wrong_is_said)
{
    const double one = 1;
    ifd_sim *s = ifd_sim_open();
    expect_refusal(s, IFD_MISSING_KEY, ifd_sim_make(s), "there is no structure");
    s = oscillator(NULL);
    expect_refusal(s, IFD_DUPLICATE, ifd_sim_dof(s, "x", "x"), "already exists");
    s = oscillator(NULL);
    expect_refusal(s, IFD_UNKNOWN_CHOICE, ifd_sim_dof(s, "y", "sideways"), "unknown direction 'sideways'");
    s = oscillator(NULL);
    expect_refusal(s, IFD_SHAPE, ifd_sim_matrix(s, IFD_MASS, 2, &one), "expected 1 x 1");
    s = oscillator(NULL);
    expect_refusal(s, IFD_UNKNOWN_CHOICE, ifd_sim_method(s, "euler", 1, 1), "no method 'euler'");
    s = oscillator(NULL);
    expect_refusal(s, IFD_RANGE, ifd_sim_method(s, "lsrt2", -1, 1), "0 < step");
    s = oscillator(NULL);
    expect_refusal(s, IFD_UNKNOWN_KEY, ifd_sim_parameter(s, "speed", 1, NULL), "no parameter 'speed'");
    s = oscillator(NULL);
    expect_refusal(s, IFD_UNKNOWN_NAME, ifd_sim_answer(s, "damper", force_of, NULL), "no specimen 'damper'");
    s = oscillator(NULL);
    expect_refusal(s, IFD_UNKNOWN_NAME, ifd_sim_force(s, "z", 1, 1, &one), "no dof 'z'");
    s = oscillator(NULL);
    expect_refusal(s, IFD_CONFLICT, ifd_sim_read(s, "a.yaml", 0, NULL), "already has a structure");
    s = ifd_sim_open();
    expect_refusal(s, IFD_UNKNOWN_KEY, ifd_sim_read_text(s, "time: {stop: 1 s}\n", "inline.yaml", 0, NULL),
                   "inline.yaml:1:8: unknown key 'stop'");
}

static bool succeeds_with(long takes)
{
    const double M[] = {3, 0, 0, 2}, ground[] = {0, 1, 0};
    double K[4];
    ifd_sim *s = ifd_sim_open();
    assert_non_null(s);
    ifd_arena_fail_at(s->arena, takes);
    ifd_sim_dof(s, "x1", "x");
    ifd_sim_dof(s, "x2", "x");
    ifd_sim_matrix(s, IFD_MASS, 2, M);
    ifd_sim_ground(s, "x", 3, 0.1, ground);
    ifd_sim_specimen(s, "spring", "ground", "x1", 80.0, 0.0);
    ifd_sim_specimen(s, "brace", "x1", "x2", 80.0, 0.0);
    ifd_sim_method(s, "lsrt2", 0.01, 1.0);
    bool made = ifd_sim_make(s) == IFD_OK;
    assert_true(made || *ifd_sim_message(s));
    if (made)
        assert_int_equal(ifd_sim_dense(s, 0, IFD_STIFFNESS, false, K), IFD_OK);
    ifd_sim_close(s);
    return made;
}

TEST(set_up_survives_memory_running_out_anywhere)
{
    long takes = 1;
    while (!succeeds_with(takes))
        takes++;
    assert_true(takes > 30);
}

TESTS()
