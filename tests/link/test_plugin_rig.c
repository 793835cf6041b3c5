/* SPDX-License-Identifier: MIT */
/* ctest: waits 20 s */
#include "check.h"
#include "fixture.h"

#include "link/calm.h"
#include "link/stand.h"

#include <interfield/rig_check.h>

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "base/os_linux.h"

static void objects_that_are_no_rig_are_refused_with_what_to_do(void **state)
{
    (void)state;
    const char *bad[][3] = {
        {IFD_PLUGIN_DIR "/nowhere.so", "cannot be loaded", "cc -shared"},
        {IFD_PLUGIN_DIR "/plugin_empty.so", "does not export 'ifd_user_rig'", "not hidden"},
        {IFD_PLUGIN_DIR "/plugin_rig_old_abi.so", "built for rig interface", "compile it with"},
        {IFD_PLUGIN_DIR "/plugin_rig_without_sense.so", "has no sense function", "sense"},
        {IFD_PLUGIN_DIR "/plugin_rig_named_virtual.so", "has the name 'virtual' of a built-in rig", "name"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_note_init(&note, arena);
        const ifd_rig_ops *ops = NULL;
        ifd_place place = {.file = "case.yaml", .line = 3, .column = 5, .width = 2};
        assert_int_equal(ifd_rig_plugin_open(bad[i][0], arena, &ops, &note, &place), IFD_PLUGIN);
        assert_null(ops);
        assert_int_equal(note.errors, 1);
        assert_int_equal(note.first->place.line, 3);
        assert_non_null(strstr(note.first->text, bad[i][1]));
        assert_non_null(strstr(note.first->hint, bad[i][2]));
    }
}

/* The hardware of the example is a separate thread. On a shared machine its ticks are longer; all requirements are
 * per tick. */
static void set_times(ifd_rig_check_options *o)
{
    o->tick = 2e-3 * sqrt(patience);
    o->duration = 0.5 * sqrt(patience);
    o->watchdog = 0.5 * sqrt(patience);
}

static void set_watchdog(const ifd_rig_ops *rig, ifd_value *values, double seconds)
{
    int at = ifd_param_find(rig->params, "watchdog");
    if (at >= 0)
        values[at] = ifd_number(seconds);
}

static int check(const char *file, double move, ifd_rig_check_row *row)
{
    ifd_rig_check_options o;
    ifd_value values[8];
    int failed = -1;
    ifd_rig_check_defaults(&o);
    assert_int_equal(ifd_rig_plugin_open(file, arena, &o.rig, NULL, NULL), IFD_OK);
    ifd_param_preset(o.rig->params, values);
    set_watchdog(o.rig, values, 0.1 * sqrt(patience));
    set_times(&o);
    o.values = values;
    o.move = move;
    ifd__thread_schedule(10); /* with this right, inherited by the thread of the rig, other programs do not disturb */
    assert_int_equal(ifd_rig_check(arena, &o, row, &failed, NULL), IFD_OK);
    ifd__thread_schedule(0);
    for (int i = 0; i < IFD_RIG_CHECKS; i++)
        print_message("%d %s: %s\n", (int)row[i].verdict, row[i].what, row[i].text);
    return failed;
}

static void the_example_does_all_that_is_asked_of_a_rig(void **state)
{
    (void)state;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    assert_int_equal(check(IFD_PLUGIN_DIR "/plugin_rig_example.so", 0.01, row), 0);
    for (int i = 0; i < IFD_RIG_CHECKS; i++)
        if (i != IFD_RIG_CHECK_FRUGAL && i != IFD_RIG_CHECK_OWN && i != IFD_RIG_CHECK_WAITS)
            /* sanitizers hide allocations; a busy machine; it has no clock for a test */
            assert_int_equal(row[i].verdict, IFD_RIG_PASSED);
}

static void nothing_moves_unless_told_how_far(void **state)
{
    (void)state;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    assert_int_equal(check(IFD_PLUGIN_DIR "/plugin_rig_example.so", 0.0, row), 0);
    for (int i = IFD_RIG_CHECK_FOLLOWS; i <= IFD_RIG_CHECK_REPORTS; i++)
        assert_int_equal(row[i].verdict, IFD_RIG_SKIPPED);
}

static void a_bad_rig_is_told_what_it_does_wrong(void **state)
{
    (void)state;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    const int wrong[] = {IFD_RIG_CHECK_NEWS, IFD_RIG_CHECK_HEARS, IFD_RIG_CHECK_FOLLOWS, IFD_RIG_CHECK_REPORTS};
    assert_true(check(IFD_PLUGIN_DIR "/plugin_rig_bad.so", 0.01, row) >= (int)COUNT(wrong));
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(row[wrong[i]].verdict, IFD_RIG_FAILED);
    assert_int_not_equal(row[IFD_RIG_CHECK_FRUGAL].verdict, IFD_RIG_PASSED);
}

/* A rig that moves without a command, and one with a wrong first sample. */
static void motion_without_a_command_and_a_wrong_first_sample_are_found(void **state)
{
    (void)state;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    assert_true(check(IFD_PLUGIN_DIR "/plugin_rig_restless.so", 0.01, row) > 0);
    assert_int_equal(row[IFD_RIG_CHECK_IGNORES].verdict, IFD_RIG_FAILED);
    assert_non_null(strstr(row[IFD_RIG_CHECK_IGNORES].text, "moves although"));
    assert_int_equal(row[IFD_RIG_CHECK_AGREES].verdict, IFD_RIG_FAILED);
    assert_int_equal(row[IFD_RIG_CHECK_HEARS].verdict, IFD_RIG_FAILED);
}

/* A rig with a clock: a new measurement in each of its ticks, and the command of the previous tick. */
static uint64_t heard;
static int64_t shown;

static ifd_status clocked_open(ifd_rig *r, const ifd_value *values, ifd_arena *memory, ifd_note *said)
{
    (void)r, (void)values, (void)memory, (void)said;
    return IFD_OK;
}

static bool clocked_sense(ifd_rig *r, ifd_measure *out, double *x)
{
    int64_t now = (int64_t)(1e-9 * (double)ifd__clock_now() / r->tick);
    (void)x;
    if (now == shown)
        return false;
    shown = now;
    *out = (ifd_measure){.tick = heard,
                         .time = (double)now * r->tick,
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .actuators = 1};
    return true;
}

static void clocked_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)x;
    heard = c->tick;
}

/* Returns at a measurement, or at the latest instant. */
static int64_t clocked_wait(ifd_rig *r, int64_t latest)
{
    int64_t tick = (int64_t)(1e9 * r->tick), next = (ifd__clock_now() / tick + 1) * tick;
    ifd__clock_sleep(next < latest ? next : latest);
    return next <= latest ? next : -1;
}

/* Returns three ticks after the latest instant. */
static int64_t lazy_wait(ifd_rig *r, int64_t latest)
{
    ifd__clock_sleep(latest + (int64_t)(3e9 * r->tick));
    return latest;
}

/* Delays the thread for three of four ticks, like a busy machine. */
static void delay(int number)
{
    int64_t until = ifd__clock_now() + 6000000;
    (void)number;
    while (ifd__clock_now() < until) {
    }
}

/* After a late tick no tick may follow immediately, as no rig can have a new measurement in it. */
static void late_ticks_of_this_program_are_no_fault_of_the_rig(void **state)
{
    (void)state;
    static const ifd_param none[] = {{0}};
    static const ifd_rig_ops clocked = {.abi = IFD_RIG_ABI,
                                        .name = "clocked",
                                        .params = none,
                                        .open = clocked_open,
                                        .sense = clocked_sense,
                                        .command = clocked_command,
                                        .wait = clocked_wait};
    ifd_rig_check_options o;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    int failed = -1;
    struct sigaction action = {.sa_handler = delay, .sa_flags = SA_RESTART}, before;
    const struct itimerval often = {{0, 8000}, {0, 8000}}, never = {{0, 0}, {0, 0}};
    ifd_rig_check_defaults(&o);
    o.rig = &clocked;
    o.tick = 2e-3;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    ifd_status status = ifd_rig_check(arena, &o, row, &failed, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(status, IFD_OK);
    for (int i = 0; i < IFD_RIG_CHECKS; i++)
        print_message("%d %s: %s\n", (int)row[i].verdict, row[i].what, row[i].text);
    assert_int_equal(row[IFD_RIG_CHECK_PUNCTUAL].verdict, IFD_RIG_PASSED);
    assert_int_equal(row[IFD_RIG_CHECK_NEWS].verdict, IFD_RIG_PASSED);
    assert_int_equal(row[IFD_RIG_CHECK_OWN].verdict, IFD_RIG_SKIPPED);
    assert_true(strncmp(row[IFD_RIG_CHECK_OWN].text, "0 of ", 5) != 0);
    assert_int_not_equal(row[IFD_RIG_CHECK_WAITS].verdict, IFD_RIG_FAILED);
    if (row[IFD_RIG_CHECK_WAITS].verdict == IFD_RIG_SKIPPED) /* half of its waits were late */
        assert_non_null(strstr(row[IFD_RIG_CHECK_WAITS].text, "this machine ends"));
}

static void a_wait_beyond_its_deadline_is_a_fault_of_the_rig(void **state)
{
    (void)state;
    static const ifd_param none[] = {{0}};
    static const ifd_rig_ops lazy = {.abi = IFD_RIG_ABI,
                                     .name = "lazy",
                                     .params = none,
                                     .open = clocked_open,
                                     .sense = clocked_sense,
                                     .command = clocked_command,
                                     .wait = lazy_wait};
    ifd_rig_check_options o;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    int failed = -1;
    ifd_rig_check_defaults(&o);
    o.rig = &lazy;
    set_times(&o);
    assert_int_equal(ifd_rig_check(arena, &o, row, &failed, NULL), IFD_OK);
    print_message("%s\n", row[IFD_RIG_CHECK_WAITS].text);
    assert_int_equal(row[IFD_RIG_CHECK_WAITS].verdict, IFD_RIG_FAILED);
}

static void the_virtual_rig_conforms_too(void **state)
{
    (void)state;
    lab l;
    ifd_rig_check_options o;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    int failed = -1;
    lab_prepare(&l, NULL);
    ifd_rig_check_defaults(&o);
    o.rig = &ifd_virtual_rig;
    o.setup = &l.laboratory;
    set_times(&o);
    o.move = 0.01;
    assert_int_equal(ifd_rig_check(arena, &o, row, &failed, NULL), IFD_OK);
    assert_int_equal(failed, 0);
    assert_int_equal(row[IFD_RIG_CHECK_WATCHES].verdict, IFD_RIG_SKIPPED);
}

/* A complete test on the plug-in: slow, because its hardware has a clock. */
static void a_test_runs_on_a_users_rig(void **state)
{
    (void)state;
    stand *s = stand_take();
    stand_near(s, false);
    ifd_value values[8];
    assert_int_equal(ifd_rig_plugin_open(IFD_PLUGIN_DIR "/plugin_rig_example.so", s->arena, &s->opt.rig, NULL, NULL),
                     IFD_OK);
    ifd_param_preset(s->opt.rig->params, values);
    set_watchdog(s->opt.rig, values, 100.0); /* not used by the test */
    s->opt.rig_values = values;
    s->opt.rig_setup = NULL;
    s->opt.end = 0.3;
    assert_int_equal(stand_make(s), IFD_OK);
    assert_int_equal(stand_run(s, 100000, true), IFD_RUN_DONE);
    double peaks[3];
    ifd_hybrid_peaks(s->h, 0, peaks);
    print_message("tracking %.2g m, force %.0f N\n", peaks[0], peaks[1]);
    assert_near(peaks[1], tested * start, 0.3 * tested * start, "largest force");
    assert_true(peaks[0] > 1e-5); /* the lag is visible */
    stand_leave(s);
}

#define in_arena(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_arena(objects_that_are_no_rig_are_refused_with_what_to_do),
        in_arena(the_example_does_all_that_is_asked_of_a_rig),
        in_arena(nothing_moves_unless_told_how_far),
        in_arena(a_bad_rig_is_told_what_it_does_wrong),
        in_arena(motion_without_a_command_and_a_wrong_first_sample_are_found),
        in_arena(late_ticks_of_this_program_are_no_fault_of_the_rig),
        in_arena(a_wait_beyond_its_deadline_is_a_fault_of_the_rig),
        in_arena(the_virtual_rig_conforms_too),
        in_arena(a_test_runs_on_a_users_rig),
    };
    return calm_run(tests, COUNT(tests), NULL);
}
