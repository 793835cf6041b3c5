/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Hybrid tests of coupled substructures. */
#include "hybrid/hybrid_chain.h"
#include "hybrid/watch.h"

static void assert_states_equal(stand *s, const running *truth, double tolerance, const char *what, int ss)
{
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 4; i++)
            assert_near(part_state(s, p)[i], cut_state(truth, p)[i], (i < 2 ? 1.0 : 10.0) * tolerance,
                        "%s, ss %d: %s %d of part %d", what, ss, i < 2 ? "displacement" : "velocity", i % 2, p);
}

TEST(an_ideal_rig_gives_the_response_of_the_numerical_parts)
{
    for (size_t i = 0; i < COUNT(schemes); i++)
        for (int ticks = 1; ticks <= 3; ticks += 2) {
            stand s;
            stand_prepare(&s, &schemes[i]);
            s.opt.ticks_per_stage = ticks;
            stand_make(&s);
            assert_int_equal(run_out(&s), IFD_RUN_DONE);
            assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
            running truth = cut_run(s.whole, end);
            assert_states_equal(&s, &truth, 1e-13, schemes[i].coupling, schemes[i].ss);
            stand_close(&s);
        }
}

/* The largest difference of displacements over the largest displacement, during the run. */
static double difference(stand *s, running *truth)
{
    double most = 0.0, size = 0.0;
    for (long done = 0; ifd_hybrid_state(s->h) <= IFD_MACHINE_RUN;) {
        tick(s, IFD_ORDER_NONE);
        long step = lround(ifd_hybrid_time(s->h) / s->test->opt.h);
        if (step == done)
            continue;
        cut_cycles(truth, step - done);
        done = step;
        for (int p = 0; p < 2; p++)
            for (int i = 0; i < 2; i++) {
                most = fmax(most, fabs(part_state(s, p)[i] - cut_state(truth, p)[i]));
                size = fmax(size, fabs(cut_state(truth, p)[i]));
            }
    }
    assert_int_equal((int)truth->cycle, lround(end / s->test->opt.h));
    return most / size;
}

/* The specimen moves along its path, the element of the reference is integrated: they differ where a slider starts to
 * slip. LSRT1 is excluded: while the specimen slips, the error h K of its estimated stiffness K is that of a dashpot
 * (its order is 1). */
TEST(a_specimen_that_slips_is_close_to_the_numerical_one)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        stand s;
        if (strcmp(schemes[i].method, "lsrt1") == 0)
            continue;
        stand_prepare(&s, &schemes[i]);
        stand_slide(&s, &schemes[i]);
        stand_make(&s);
        running truth = cut_start(s.whole);
        double d = difference(&s, &truth), peaks[3];
        ifd_hybrid_peaks(s.h, 0, peaks);
        assert_near(peaks[1], slider_row[0] * slider_row[1], 1e-6, "largest force: it slipped");
        assert_true(peaks[2] > 2.0 * slider_row[1]);
        assert_near(d, 0.0, 0.002, "%s, ss %d: largest difference over largest displacement", schemes[i].coupling,
                    schemes[i].ss);
        stand_close(&s);
    }
}

/* Hash of all published values, in every tick (Fowler, Noll, Vo). */
static uint64_t fingerprint(stand *s)
{
    uint64_t hash = 14695981039346656037u;
    for (ifd_run_state r = IFD_RUN_GOING; r == IFD_RUN_GOING;) {
        r = tick(s, IFD_ORDER_NONE);
        const unsigned char *byte = (const unsigned char *)s->t.values(s->t.self);
        for (size_t k = 0; k < sizeof(double) * (size_t)s->t.count; k++)
            hash = (hash ^ byte[k]) * 1099511628211u;
    }
    return hash;
}

TEST(the_number_of_threads_changes_no_bit)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        uint64_t seen[2];
        for (int threads = 1; threads <= 2; threads++) {
            stand s;
            stand_prepare(&s, &schemes[i]);
            s.test->opt.threads = threads;
            stand_make(&s);
            seen[threads - 1] = fingerprint(&s);
            assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
            stand_close(&s);
        }
        assert_true(seen[0] == seen[1]);
    }
}

/* A test that is tripped within a cycle and reset repeats its first results. */
TEST(a_test_can_be_run_again_after_a_trip_in_the_middle_of_a_cycle)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        stand s;
        stand_prepare(&s, &schemes[i]);
        s.test->opt.threads = 2;
        stand_make(&s);
        for (long k = 0; ifd_hybrid_time(s.h) < 0.5 * end && k < 1000000; k++)
            tick(&s, IFD_ORDER_NONE);
        tick(&s, IFD_ORDER_NONE);
        tick(&s, IFD_ORDER_TRIP);
        for (long k = 0; ifd_hybrid_state(s.h) != IFD_MACHINE_IDLE && k < 100000; k++)
            tick(&s, IFD_ORDER_RESET);
        for (long k = 0; ifd_hybrid_state(s.h) != IFD_MACHINE_READY && k < 100000; k++)
            tick(&s, IFD_ORDER_ARM);
        tick(&s, IFD_ORDER_RUN);
        assert_int_equal(run_out(&s), IFD_RUN_DONE);
        running truth = cut_run(s.whole, end);
        assert_states_equal(&s, &truth, 1e-13, schemes[i].coupling, schemes[i].ss);
        stand_close(&s);
    }
}

/* If the specimen reverses between two ticks, the force of a stage there is interpolated in time, with an error below
 * k a tick^2/8, 0.9 N for one stage: at most 3e-7 m. Elsewhere it is exact. */
TEST(hold_and_resume_change_nothing_but_the_wall_clock)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        stand s;
        stand_prepare(&s, &schemes[i]);
        stand_make(&s);
        for (long k = 0; ifd_hybrid_time(s.h) < 0.5 * end && k < 1000000; k++)
            tick(&s, IFD_ORDER_NONE);
        tick(&s, IFD_ORDER_HOLD);
        for (int k = 0; k < 5000; k++)
            tick(&s, IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
        tick(&s, IFD_ORDER_RESUME);
        assert_int_equal(run_out(&s), IFD_RUN_DONE);
        running truth = cut_run(s.whole, end);
        assert_states_equal(&s, &truth, 3e-7, schemes[i].coupling, schemes[i].ss);
        stand_close(&s);
    }
}

TEST(compensation_removes_the_error_of_a_delay)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        double error[2];
        for (int with = 0; with < 2; with++) {
            stand s;
            stand_prepare(&s, &schemes[i]);
            s.bench.actuator = ifd_actuator_find("delay");
            ifd_param_preset(s.bench.actuator->params, s.actuator);
            s.actuator[ifd_param_find(s.bench.actuator->params, "delay")] = ifd_number(0.008);
            s.bench.actuator_values = s.actuator;
            if (with) {
                s.channel.compensator = ifd_compensator_find("polynomial");
                ifd_param_preset(s.channel.compensator->params, s.compensator);
                s.compensator[ifd_param_find(s.channel.compensator->params, "delay")] = ifd_number(0.008);
                s.channel.compensator_values = s.compensator;
            }
            stand_make(&s);
            running truth = cut_start(s.whole);
            error[with] = difference(&s, &truth);
            stand_close(&s);
        }
        assert_true(error[0] > 0.02);
        assert_true(error[1] < 0.05 * error[0]);
    }
}

/* A specimen 100,000 times as stiff as estimated makes the substructures diverge: no command exceeds a limit. */
TEST(diverging_parts_break_no_limit)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        stand s;
        stand_prepare(&s, &schemes[i]);
        s.spring[ifd_param_find(s.bench.specimen->params, "stiffness")] = ifd_number(1e5 * tested);
        memset(&watch, 0, sizeof watch);
        ifd_rig_ops watched = ifd_virtual_rig;
        watched.command = watch_command;
        s.opt.rig = &watched;
        stand_make(&s);
        run_out(&s);
        assert_limits_kept(&s.channel.limits);
        assert_true(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED) > 0);
        stand_close(&s);
    }
}

static ifd_status refusal(stand *s)
{
    ifd_note note;
    ifd_note_init(&note, s->arena);
    ifd_status status = ifd_hybrid_make(s->arena, &s->opt, &s->h, &note);
    ifd_arena_close(s->arena);
    return status;
}

TEST(specimens_where_no_force_can_be_measured_are_refused)
{
    stand s;
    stand_prepare(&s, &schemes[1]);
    s.channel.part = 0; /* B has stages between those of A */
    s.test->part[0].step.estimates = 0;
    assert_int_equal(refusal(&s), IFD_CONFLICT);
    stand_prepare(&s, &schemes[4]);
    s.channel.part = 0;
    assert_int_equal(refusal(&s), IFD_UNSUPPORTED);
    stand_prepare(&s, &(scheme){"midpoint", "newmark", 0.004, 1});
    assert_int_equal(refusal(&s), IFD_UNSUPPORTED);
    stand_prepare(&s, &schemes[1]);
    s.channel.part = 2;
    assert_int_equal(refusal(&s), IFD_UNKNOWN_NAME);
    stand_prepare(&s, &schemes[1]);
    s.channel.to = 2;
    assert_int_equal(refusal(&s), IFD_UNKNOWN_NAME);
}

TESTS()
