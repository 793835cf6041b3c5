/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* A substructure on a worker that is not ready in time. An element blocks the worker until the test releases it, so
 * that the load of the machine has no effect. */
#include "hybrid/hybrid_chain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <math.h>
#include <time.h>

#include "hybrid/pace/scaled.h"

static atomic_bool kept;      /* the worker waits while this is true */
static pthread_t tick_thread; /* which never waits */
static ifd_element_ops slow;  /* a gap that never closes */
static const ifd_element_ops *gap;

static void slow_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    while (atomic_load(&kept) && !pthread_equal(pthread_self(), tick_thread))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    gap->eval(e, in, out);
}

static ifd_model *slow_a(ifd_arena *arena)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_value v[8];
    gap = ifd_element_find("gap");
    slow = *gap;
    slow.name = "slow";
    slow.eval = slow_eval;
    ifd_param_preset(gap->params, v);
    v[ifd_param_find(gap->params, "stiffness")] = ifd_number(1.0);
    v[ifd_param_find(gap->params, "gap")] = ifd_number(10.0);
    for (int i = 0; i < 2; i++)
        ifd_builder_dof(b, i ? "a1" : "a0", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1000.0);
    ifd_builder_add(b, IFD_MASS, 1, 1, 800.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 4e5);
    ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, 3e5);
    const int dof = 0;
    const double one = 1.0;
    const ifd_coordinate q = {.count = 1, .ref = &dof, .coefficient = &one};
    assert_int_equal(ifd_builder_element(b, &slow, "slow", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
    ifd_builder_initial(b, 0, 0.004, 0.0);
    ifd_builder_initial(b, 1, 0.008, 0.05);
    return made(arena, b);
}

static ifd_run_state patient(void *scene, const ifd_tick_in *in)
{
    stand *s = scene;
    ifd_tick_in own = *in;
    own.patience = kept ? 1e-4 : 0.0;
    return s->t.tick(s->t.self, &own);
}

static player *prepare(stand *s, const scheme *how, ifd_overrun overrun)
{
    stand_prepare(s, how);
    tick_thread = pthread_self();
    atomic_store(&kept, false);
    s->test->part[0].model = slow_a(s->arena);
    s->test->opt.threads = 2;
    s->opt.ticks_per_stage = 4;
    s->opt.overrun = overrun;
    s->opt.late_limit = 6;
    s->opt.late_time = 0.0;
    s->p.tick = patient;
    s->p.scene = s;
    stand_make(s);
    return &s->p;
}

/* Into the run, then the worker is blocked until its substructure is late for the first time. */
static void until_late(stand *s)
{
    play(&s->p, "until time >= 0.5");
    atomic_store(&kept, true);
    play(&s->p, "until count.LATE_JOB > 0 within 1000; count.LATE_JOB = 1");
}

#define FINISH "until the end; result DONE"

/* The final state of a run without lateness. */
static void undisturbed(const scheme *how, double out[4])
{
    stand s;
    play(prepare(&s, how, IFD_OVERRUN_HOLD), FINISH);
    memcpy(out, part_state(&s, 1), sizeof(double) * 4);
    stand_close(&s);
}

static const scheme how[] = {{"pg-alpha", "mg-alpha", 0.004, 4}, {"parallel", "lsrt2", 0.002, 2}};

static void assert_undisturbed(const stand *s, const double *truth, double tolerance, const char *what)
{
    assert_near(ifd_hybrid_time(s->h), end, 1e-9, "%s: simulated time", what);
    for (int k = 0; k < 4; k++)
        assert_near(part_state(s, 1)[k], truth[k], tolerance, "%s: number %d", what, k);
}

/* A stage at which the specimen reverses between two ticks is interpolated in time. */
TEST(hold_waits_for_the_part_and_resume_goes_on)
{
    for (size_t i = 0; i < COUNT(how); i++) {
        stand s;
        double truth[4];
        undisturbed(&how[i], truth);
        prepare(&s, &how[i], IFD_OVERRUN_HOLD);
        until_late(&s);
        play(&s.p, "is hold; fault LATE_JOB; before := time");
        for (int k = 0; k < 10000 && s.h->command.velocity[0] != 0.0; k++)
            player_tick(&s.p, IFD_ORDER_NONE);
        play(&s.p, "50; time = before"); /* while the part is missed */
        assert_near(s.h->command.velocity[0], 0.0, 0.0, "speed of the command while the part is missed");
        atomic_store(&kept, false);
        play(&s.p, "2000; is hold; resume; " FINISH);
        assert_undisturbed(&s, truth, 1e-10, how[i].coupling);
        stand_close(&s);
    }
}

TEST(extrapolate_bears_some_ticks_and_then_holds)
{
    for (size_t i = 0; i < COUNT(how); i++) {
        stand s;
        double truth[4];
        undisturbed(&how[i], truth);
        prepare(&s, &how[i], IFD_OVERRUN_EXTRAPOLATE);
        until_late(&s);
        play(&s.p, "3; is run");
        atomic_store(&kept, false);
        play(&s.p, FINISH "; fault NONE");
        assert_undisturbed(&s, truth, 1e-12, how[i].coupling);
        stand_close(&s);
        prepare(&s, &how[i], IFD_OVERRUN_EXTRAPOLATE);
        until_late(&s);
        play(&s.p, "7; is hold");
        atomic_store(&kept, false);
        stand_close(&s);
    }
}

TEST(stop_ramps_out_at_once)
{
    stand s;
    prepare(&s, &how[0], IFD_OVERRUN_STOP);
    until_late(&s);
    play(&s.p, "is ramp-out");
    atomic_store(&kept, false);
    play(&s.p, FINISH "; fault LATE_JOB");
    stand_close(&s);
}

/* As in a replay: the late ticks are given. */
TEST(a_late_part_can_be_repeated)
{
    stand s;
    double truth[4];
    undisturbed(&how[0], truth);
    play(prepare(&s, &how[0], IFD_OVERRUN_EXTRAPOLATE), "until time >= 0.5; job_late := 1");
    play(&s.p, "until count.LATE_JOB >= 3 within 40; count.LATE_JOB = 3; job_late := 0; " FINISH);
    assert_undisturbed(&s, truth, 1e-12, "told");
    stand_close(&s);
}

/* Simulated time is the sum of the rates of the ticks: a rate is that at the end of its tick, so that the sum is off
 * by half a tick times each change of the rate. */
TEST(simulated_time_waits_with_the_part)
{
    enum { RATE = 2, LATE = 5 };
    stand s;
    double simulated = 0.0, from = 0.0; /* from a tick with the end of a step to another such tick */
    prepare(&s, &how[1], IFD_OVERRUN_EXTRAPOLATE);
    for (int k = 0; k < 100000 && ifd_hybrid_time(s.h) < 0.6; k++) {
        bool late = ifd_hybrid_time(s.h) >= 0.5 && ifd_hybrid_count(s.h, IFD_TRIP_LATE_JOB) < LATE;
        s.t.tick(s.t.self, &(ifd_tick_in){.job_late = late});
        if (from > 0.0)
            simulated += s.t.values(s.t.self)[RATE] * s.h->period;
        else if (ifd_hybrid_time(s.h) > 0.1)
            from = ifd_hybrid_time(s.h);
    }
    int columns;
    assert_string_equal(ifd_hybrid_columns(s.h, &columns)[RATE].name, "rate");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LATE_JOB), LATE);
    assert_near(simulated, ifd_hybrid_time(s.h) - from, 0.51 * s.h->period, "sum of the rates");
    stand_close(&s);
}

/* What leaves the program: the largest first and second difference of the command, and its farthest distance from the
 * place at which the substructure was late. */
typedef struct leaves {
    double p[3], place, v, a, away, far;
    int known;
} leaves;

static leaves w; /* since it was reset */

static void see(void *scene)
{
    const stand *s = scene;
    double dt = s->h->period;
    w.p[0] = w.p[1];
    w.p[1] = w.p[2];
    w.p[2] = s->h->command.position[0];
    w.known++;
    if (w.known >= 2)
        w.v = fmax(w.v, fabs(w.p[2] - w.p[1]) / dt);
    if (w.known >= 3)
        w.a = fmax(w.a, fabs(w.p[2] - 2.0 * w.p[1] + w.p[0]) / (dt * dt));
    w.away = fmax(w.away, fabs(w.p[2] - w.place));
    w.far = fmax(w.far, fabs(w.p[2]));
}

static player *watched(stand *s, const scheme *which, ifd_overrun overrun)
{
    w = (leaves){0};
    (void)prepare(s, which, overrun);
    s->p.after = see;
    return &s->p;
}

/* The place to rest. A run of peaks V and A: no command is faster than V, its acceleration is below 2 A in addition
 * to that of the run, and it leaves the place by at most 0.198 v 2 `brake` and the range of the run by a tenth. It
 * comes to rest there, whether the substructure is ready at once, on the way or much later, and continues from
 * rest. */
TEST(a_late_part_brakes_smoothly_and_returns_to_its_place)
{
    for (size_t i = 0; i < COUNT(how); i++) {
        double truth[4];
        undisturbed(&how[i], truth);
        for (int late = 1; late <= 1000; late = late * 5 + 1) {
            stand s;
            bool holds = late % 2 || late > 6;
            play(watched(&s, &how[i], late % 2 ? IFD_OVERRUN_HOLD : IFD_OVERRUN_EXTRAPOLATE), "until time >= 0.5");
            const leaves run = w;
            w.a = w.v = 0.0;
            s.p.in.job_late = true;
            for (int k = 0; k < 1000 && !ifd_hybrid_count(s.h, IFD_TRIP_LATE_JOB); k++) {
                double before = s.h->command.position[0];
                player_tick(&s.p, IFD_ORDER_NONE);
                w.place = before;
                w.away = 0.0;
            }
            play(&s.p, "count.LATE_JOB = 1");
            double v = fabs(w.p[2] - w.p[1]) / s.h->period, most = 0.198 * v * 2.0 * s.opt.brake;
            play(&s.p, "%d; job_late := 0", late - 1);
            for (int k = 0; k < 100000 && holds && !ifd__time_rests(s.h); k++)
                player_tick(&s.p, IFD_ORDER_NONE);
            play(&s.p, holds ? "is hold" : "is run");
            if (w.v > 1.001 * run.v || w.a > 3.0 * run.a || (holds && w.away > most) || w.far > 1.1 * run.far)
                fail_msg("%s, %d ticks late: v %g of %g, a %g of %g, away %g of %g", how[i].coupling, late, w.v,
                         run.v, w.a, run.a, w.away, most);
            if (holds) {
                assert_near(w.p[2], w.place, 1e-9, "%s, %d ticks late: place to rest", how[i].coupling, late);
                play(&s.p, "resume");
            }
            play(&s.p, "3000");
            if (w.a > 3.0 * run.a)
                fail_msg("%s, %d ticks late: a %g of %g after it", how[i].coupling, late, w.a, run.a);
            play(&s.p, "count.GOVERNED = 0; " FINISH);
            assert_undisturbed(&s, truth, 1e-10, how[i].coupling);
            stand_close(&s);
        }
    }
}

/* The monitor has slowed the test before the substructure is late, or during it: the slower rate remains. */
TEST(a_late_part_does_not_undo_the_monitor)
{
    for (int late = 2; late <= 6; late += 4)
        for (int before = 0; before < 2; before++) {
            stand s;
            play(prepare(&s, &how[0], IFD_OVERRUN_EXTRAPOLATE), "until time >= 0.5");
            if (before)
                assert_true(ifd__time_slow(s.h, 0.5));
            play(&s.p, "job_late := 1; until count.LATE_JOB >= %d within 1000; job_late := 0", late);
            if (!before)
                assert_true(ifd__time_slow(s.h, 0.5));
            play(&s.p, "1000; is run; [rate] = 0.5");
            stand_close(&s);
        }
}

TESTS()
