/* SPDX-License-Identifier: MIT */
/* An FMU in a process of its own: every call as in ours, and what happens when it dies, hangs or looks around. */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <interfield/fmu.h>

#include "foreign_fmu.h"
#include "scratch.h"

typedef struct scene {
    char folder[SCRATCH_PATH], file[200];
    ifd_arena *arena;
    ifd_note note;
    ifd_fmu *f;
    int u, w, y;
} scene;

static void open_one(scene *s, int fault, bool isolated, double patience)
{
    const ifd_fmu_open_options o = {.isolated = isolated, .patience = patience};
    assert_true(scratch_make(s->folder));
    assert_int_equal(foreign_fmu(s->folder, fault, s->file, sizeof s->file), 0);
    s->arena = ifd_arena_open();
    ifd_note_init(&s->note, s->arena);
    ifd_status status = ifd_fmu_open_as(s->arena, s->file, &o, &s->f, &s->note);
    if (status != IFD_OK && s->note.first)
        print_error("%s\n", s->note.first->text);
    assert_int_equal(status, IFD_OK);
    s->u = ifd_fmu_find(s->f, "u");
    s->w = ifd_fmu_find(s->f, "w");
    s->y = ifd_fmu_find(s->f, "y");
}

static void close_one(scene *s)
{
    pid_t pid = (pid_t)ifd_fmu_process_of(s->f).pid;
    ifd_arena_close(s->arena);
    if (pid > 0) {
        assert_int_equal(kill(pid, 0), -1); /* gone and reaped */
        assert_int_equal(errno, ESRCH);
    }
    assert_int_equal(scratch_remove(s->folder), 0);
}

static double force(scene *s, double u, double now)
{
    double y = 0;
    assert_true(ifd_fmu_set(s->f, 1, &s->u, &u));
    assert_true(ifd_fmu_step(s->f, now, 1e-3));
    assert_true(ifd_fmu_get(s->f, 1, &s->y, &y));
    return y;
}

static bool steps_fail_within(scene *s, int steps)
{
    for (int k = 0; k < steps; k++)
        if (!ifd_fmu_step(s->f, 1e-3 * k, 1e-3))
            return true;
    return false;
}

TEST(every_call_does_in_another_process_what_it_does_in_ours)
{
    for (int isolated = 0; isolated < 2; isolated++) {
        scene s;
        double y, slope, bad = (double)NAN;
        open_one(&s, FOREIGN_FINE, isolated, 100);
        ifd_fmu_process p = ifd_fmu_process_of(s.f);
        assert_true(p.isolated == (bool)isolated && (p.pid > 0) == (bool)isolated && p.pid != (long)getpid());
        assert_int_equal(ifd_fmu_preset(s.f, ifd_fmu_find(s.f, "k"), 20.0, &s.note), IFD_OK);
        assert_int_equal(ifd_fmu_preset(s.f, s.u, 0.1, &s.note), IFD_OK);
        assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
        assert_true(ifd_fmu_get(s.f, 1, &s.y, &y));
        assert_near(y, 2.0, 0, "k u at the start");
        assert_true(ifd_fmu_save(s.f));
        assert_near(force(&s, 0.3, 0), 20.0 * 0.3, 0, "k u");
        assert_true(ifd_fmu_restore(s.f));
        assert_true(ifd_fmu_get(s.f, 1, &s.y, &y));
        assert_near(y, 2.0, 0, "gone back");
        assert_false(ifd_fmu_derivative(s.f, s.y, s.u, &slope)); /* it has none: by differences, and back again */
        assert_true(ifd_fmu_slope(s.f, s.y, s.u, 0, 1e-3, &slope));
        assert_near_rel(slope, 20.0, 1e-11, "k");
        assert_true(ifd_fmu_get(s.f, 1, &s.y, &y));
        assert_near(y, 2.0, 0, "where it was");
        assert_false(ifd_fmu_set(s.f, 1, &s.u, &bad));
        assert_false(ifd_fmu_set(s.f, 1, &s.y, &y)); /* it refuses to set its output, and continues */
        assert_non_null(strstr(ifd_fmu_why(s.f), "refuses a value"));
        assert_near(force(&s, 0.4, 1e-3), 20.0 * 0.4, 0, "after a refusal");
        assert_int_equal(ifd_fmu_again(s.f, &s.note), IFD_OK);
        assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
        assert_near(force(&s, 0.1, 0), 30.0 * 0.1, 0, "k is its own again");
        close_one(&s);
    }
}

TEST(a_crash_over_there_is_a_failed_step_here)
{
    scene s;
    double y;
    open_one(&s, FOREIGN_CRASHES, true, 30);
    assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
    assert_true(steps_fail_within(&s, 100));
    assert_non_null(strstr(ifd_fmu_why(s.f), "its process ended (Segmentation fault)"));
    assert_false(ifd_fmu_get(s.f, 1, &s.y, &y));
    assert_int_equal(ifd_fmu_again(s.f, &s.note), IFD_PLUGIN);
    close_one(&s);
}

TEST(one_that_hangs_is_left_after_our_patience)
{
    scene s;
    double y;
    open_one(&s, FOREIGN_HANGS, true, 0.5);
    assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
    assert_true(steps_fail_within(&s, 100));
    assert_non_null(strstr(ifd_fmu_why(s.f), "did not answer within 0.5 s"));
    time_t now = time(NULL);
    for (int k = 0; k < 100; k++)
        assert_false(ifd_fmu_get(s.f, 1, &s.y, &y));
    assert_true(time(NULL) - now < 40); /* a hundred patiences would be 50 s: the first was the last */
    close_one(&s);
}

typedef struct hurry {
    scene *s;
    bool fifo, answered;
    ifd_fmu_process process;
} hurry;

/* A thread as the tick's is, as far as the kernel grants it; at its sixtieth step the FMU sleeps for 0.3 s. */
static void *ask_in_a_hurry(void *self)
{
    hurry *h = self;
    const struct sched_param wish = {.sched_priority = 10};
    h->fifo = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wish) == 0;
    h->answered = true;
    for (int k = 0; k < 60 && h->answered; k++) {
        ifd_fmu_allow(h->s->f, k < 59 ? 20.0 : 0.05);
        h->answered = ifd_fmu_step(h->s->f, 1e-3 * k, 1e-3);
        h->process = ifd_fmu_process_of(h->s->f);
    }
    return NULL;
}

static hurry hurried(double patience)
{
    scene s;
    hurry h = {.s = &s};
    pthread_t thread;
    open_one(&s, FOREIGN_SLEEPS, true, patience);
    assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
    assert_int_equal(ifd_fmu_process_of(s.f).priority, 0); /* set-up is nobody's hurry */
    assert_int_equal(pthread_create(&thread, NULL, ask_in_a_hurry, &h), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (!h.answered)
        assert_non_null(strstr(ifd_fmu_why(s.f), "did not answer"));
    close_one(&s);
    return h;
}

TEST(it_follows_the_thread_that_asks_and_is_given_up_after_its_allowance)
{
    hurry h = hurried(0);
    if (!h.fifo)
        print_message("FIFO is refused here: an ordinary thread waits 10 s, whatever its allowance\n");
    assert_int_equal(h.process.priority, h.fifo ? 9 : 0);
    assert_true(h.answered == !h.fifo);
    assert_true(hurried(30).answered); /* what was asked for holds */
}

TEST(it_has_no_descriptor_of_ours_and_no_network)
{
    scene s;
    FILE *ours = fopen("/dev/null", "r"); /* inheritable, as fopen makes it */
    assert_non_null(ours);
    open_one(&s, FOREIGN_LOOKS_AROUND, true, 100);
    assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
    double seen = force(&s, 0, 0), networks = floor(seen / 1e3);
    assert_near(seen - 1e3 * networks, 3, 0, "three descriptors to nowhere");
    if (ifd_fmu_process_of(s.f).network_gone)
        assert_near(networks, 1, 0, "a loopback that is down");
    else
        assert_non_null(s.note.remark_first);
    close_one(&s);
    fclose(ours);
}

TEST(it_cannot_end_the_process_that_asks)
{
    scene s;
    open_one(&s, FOREIGN_ATTACKS, true, 100);
    assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
    assert_near(force(&s, 0, 0), 0.0, 0, "attempts that were granted");
    close_one(&s);
}

static void *open_on_a_thread(void *s)
{
    open_one(s, FOREIGN_FINE, true, 100);
    return NULL;
}

TEST(it_outlives_the_thread_that_opened_it)
{
    scene s;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_on_a_thread, &s), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(ifd_fmu_begin(s.f, 0, &s.note), IFD_OK);
    assert_near(force(&s, 0.1, 0), 30.0 * 0.1, 0, "k u");
    close_one(&s);
}

TEST(a_missing_host_is_said)
{
    scene s;
    open_one(&s, FOREIGN_FINE, false, 0);
    ifd_fmu *f;
    const ifd_fmu_open_options o = {.isolated = true, .host = "/nowhere/fmu_host"};
    assert_int_equal(ifd_fmu_open_as(s.arena, s.file, &o, &f, &s.note), IFD_PLUGIN);
    assert_int_equal(s.note.errors, 1);
    assert_non_null(strstr(s.note.first->text, "fmu_host"));
    close_one(&s);
}

TESTS()
