/* SPDX-License-Identifier: MIT */
/* A specimen with relaxation on hold: the bound hold_relaxation, on both sides, affects only a resume. */
#include "hybrid/hold_scene.h"

#include "hybrid/checkpoint.h"
#include "hybrid/observe.h"
#include "hybrid/hold_force.h"
#include "hybrid/units.h"
#include "hybrid/states.h"

/* No relaxation: an actuator with a lag, and noise. */
static const char lagging[] = HOLD_MODEL "  - name: spring\n"
                                         "    spring: {between: [ground, x], stiffness: 60000}\n"
                                         "    actuator: {second-order: {frequency: 5 Hz, damping-ratio: 0.7}}\n"
                                         "    force-sensor: {noise: 2}\n" HOLD_LIMITS HOLD_TEST;
/* The second of two specimens relaxes; it represents two devices. */
static const char two[] =
    HOLD_MODEL "  - name: spring\n"
               "    spring: {between: [ground, x], stiffness: 10000}\n" HOLD_LIMITS "  - name: damper\n"
               "    maxwell: {between: [ground, x], branches: [[60000, 300000]]}\n"
               "    devices: 2\n" HOLD_LIMITS HOLD_TEST;

/* 1 - e^(-t/tau) reaches 0.1 after 0.527 s, between the middles of the two means: the first starts after the lag, the
 * running mean of the newest is as old as its ticks. */
TEST(a_resume_beyond_the_bound_is_refused)
{
    static const char *const set = "test.hold-relaxation=10 %";
    const double edge = -tau * log(1.0 - 0.1);
    stand s;
    hold_damper(&s, set, 0.0);
    double middles = 1.5 * mean_ticks * ifd_hybrid_period(s.h) + settling_lags * ifd__observed_lag(&s.h->io, 0);
    unmake(&s);
    hold_damper(&s, set, 0.95 * edge + middles);
    assert_near_rel(ifd__interface_of(s.h, 0)->measured_f, began * exp(-(0.95 * edge + middles) / tau), 2e-3,
                    "Maxwell");
    play(&s.p, "resume: NONE");
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    unmake(&s);
    hold_damper(&s, set, 1.05 * edge + middles);
    play(&s.p, "resume: RELAXED");
    assert_true(ifd_answer_refuses(IFD_ANSWER_RELAXED));
    play(&s.p, "is hold; 100");
    play(&s.p, "resume: RELAXED"); /* it does not become the reference */
    const ifd_tick_trace *t = s.t.trace(s.t.self);
    assert_int_equal(t->answer_owner, 0);
    assert_true(fabs(t->answer_value) > t->answer_limit && t->answer_value * began < 0.0);
    assert_near_rel(t->answer_limit, 0.1 * fabs(began), 0.03, "what is permitted");
    play(&s.p, "ramp-out; is ramp-out");
    unmake(&s);
}

/* The remaining motion of an actuator after its command, and noise, are not relaxation. */
TEST(an_actuator_that_arrives_late_is_no_relaxation)
{
    stand s;
    hold_of(&s, lagging, "test.hold-relaxation=2 %", 0.0);
    for (int i = 0; i < 2000; i++) {
        player_tick(&s.p, IFD_ORDER_NONE);
        assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    }
    assert_true(ifd__rest_known(&s.h->io));
    assert_true(fabs(s.h->io.hold[0].first - began) > 0.02 * fabs(began)); /* it still had to move */
    ifd__hold_force *rest = &s.h->io.hold[0], before = *rest;
    assert_near(rest->newest, rest->first, 2.0, "means behind the lag"); /* N, the noise of one tick */
    s.h->io.renewed[0] = false;                                          /* no new measurement */
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(rest->newest == before.newest && rest->newests == before.newests);
    double f = ifd__interface_of(s.h, 0)->measured_f;
    ifd__interface_of(s.h, 0)->measured_f = (double)NAN;
    s.h->io.renewed[0] = true;
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(rest->newest == before.newest);
    ifd__interface_of(s.h, 0)->measured_f = f;
    play(&s.p, "resume: NONE");
    unmake(&s);
}

/* A saved state has its reference: `stop` and the checkpoint of a rest wait for it. Without a bound nothing waits. */
TEST(a_test_that_is_kept_has_its_reference)
{
    ifd_snapshot kept;
    stand s;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.0);
    assert_false(ifd__checkpoint_rests(s.h));
    assert_false(ifd_hybrid_snapshot(s.h, &kept));
    for (int i = 0; i < 1000 && !ifd__rest_known(&s.h->io); i++)
        player_tick(&s.p, IFD_ORDER_NONE);
    assert_true(ifd__checkpoint_rests(s.h));
    player_tick(&s.p, IFD_ORDER_NONE);
    assert_true(ifd_hybrid_snapshot(s.h, &kept));
    double first = s.h->io.hold[0].first;
    stand next = {0};
    (void)stand_case(&next, hold_damper_text, "test.hold-relaxation=10 %", NULL, NULL);
    assert_int_equal(ifd_hybrid_continue(next.h, &kept, NULL), IFD_OK);
    play(&next.p, "until hold within 10000");
    ifd__hold_force *x = &next.h->io.hold[0];
    assert_true(x->first == first);
    assert_int_equal((int)x->newests, 0); /* of this day */
    x->first = 2.0 * first;               /* half of it relaxed since */
    play(&next.p, "resume: RELAXED");
    x->first = first;
    play(&next.p, "resume: NONE");
    unmake(&next);
    unmake(&s);
    hold_damper(&s, NULL, 0.0);
    play(&s.p, "10");
    assert_true(ifd__checkpoint_rests(s.h));
    unmake(&s);
}

/* Every interface dof has its own force, times its devices, without its tare; one in force control is excluded. */
TEST(the_second_of_two_specimens_is_judged)
{
    stand s;
    hold_of(&s, two, "test.hold-relaxation=10 %", 1.0);
    ifd__rest_change c = ifd__rest_changed(&s.h->io);
    assert_int_equal(c.interface, 1);
    ifd__interface_state *x = ifd__interface_of(s.h, 1);
    ifd__hold_force *rest = &s.h->io.hold[1];
    assert_ptr_equal(rest, &s.h->io.hold[0] + 1);
    assert_true((double *)(rest + 1) <= s.h->x + s.h->rig_at); /* inside its own state */
    assert_near_rel(rest->first, 2.0 * x->measured_f * exp(0.94 / tau), 0.02, "the force of two devices");
    assert_near_rel(c.limit, 0.1 * fabs(rest->first), 0.01, "of the force of two");
    double peak = ifd__interface_of(s.h, 1)->seen.peak_f;
    rest->first = 0.0;
    x->force_offset = 0.25 * peak;
    assert_near_rel(ifd__rest_changed(&s.h->io).limit, 0.1 * 0.1 * 2.0 * 0.75 * peak, 0.1, "without the tare");
    double limit = ifd__rest_changed(&s.h->io).limit;
    x->force_offset = -0.25 * peak;
    assert_true(ifd__rest_changed(&s.h->io).limit == limit);
    s.h->interface[1].factor = -2.0; /* of a force with reversed sign */
    assert_true(ifd__rest_changed(&s.h->io).limit == limit);
    s.h->interface[1].factor = 2.0;
    x->force_offset = 2.0 * peak;
    assert_true(ifd__rest_changed(&s.h->io).limit >= 0.0);
    ifd_interface_options controlled = *s.h->interface[1].o;
    const ifd_interface_options *own = s.h->interface[1].o;
    controlled.force = &(ifd_force_control){0};
    s.h->interface[1].o = &controlled;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    s.h->interface[1].o = own;
    play(&s.p, "resume: RELAXED");
    assert_int_equal(s.t.trace(s.t.self)->answer_owner, 1);
    unmake(&s);
}

TEST(without_a_bound_every_hold_is_resumed)
{
    stand s;
    hold_damper(&s, NULL, 0.5 * tau);
    hold_silence(&s);
    play(&s.p, "resume: NONE");
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    unmake(&s);
}

/* During the brake the force changes because the specimen moves. */
TEST(a_hold_that_is_still_braking_is_resumed)
{
    stand s;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.0);
    play(&s.p, "resume: NONE; 400");
    double before = ifd__interface_of(s.h, 0)->measured_f;
    player_tick(&s.p, IFD_ORDER_HOLD);
    for (int i = 0; i < 10000 && fabs(ifd__interface_of(s.h, 0)->measured_f - before) < 0.2 * fabs(before); i++)
        player_tick(&s.p, IFD_ORDER_NONE);
    assert_false(ifd__time_rests(s.h));
    play(&s.p, "resume: NONE");
    unmake(&s);
}

/* A fraction of a very small force is noise: at least 0.1 of the largest force since arming, and three standard
 * deviations of the noise, are used. Values before arming do not count. */
TEST(a_force_near_zero_is_measured_by_the_largest)
{
    stand s;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.0);
    for (int i = 0; i < 1000 && !ifd__rest_known(&s.h->io); i++)
        player_tick(&s.p, IFD_ORDER_NONE);
    ifd__interface_state *x = ifd__interface_of(s.h, 0);
    ifd__hold_force *rest = &s.h->io.hold[0];
    double peak = ifd__interface_of(s.h, 0)->seen.peak_f, noise = 3.0 * ifd__observed_force_noise(&s.h->io, 0);
    assert_true(peak > 0.0 && noise < 1e-3 * peak);
    x->peak_force = 100.0 * peak; /* in idle */
    rest->first = 0.0;
    rest->newest = 0.0099 * peak + noise; /* 0.1 of 0.1 of the peak */
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    rest->newest = 0.0101 * peak + noise;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, 0);
    rest->newest = -0.0101 * peak - noise;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, 0);
    rest->newest = 0.0;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    x->seen.noise_f = 1e-4 * peak * peak;
    rest->newest = 0.039 * peak;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    rest->newest = 0.041 * peak;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, 0);
    rest->newest = 0.0;
    x->measured_f = (double)NAN;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, 0);
    unmake(&s);
}

/* Of all orders in all states, `relaxed` and `silent` affect only a resume on hold. */
TEST(a_relaxed_force_keeps_only_a_resume_back)
{
    for (int now = 0; now < IFD_MACHINE_COUNT; now++)
        for (int order = 0; order < IFD_ORDER_COUNT; order++)
            for (int action = IFD_ACTION_NOTE; action <= IFD_ACTION_TRIP; action++)
                for (unsigned flags = 0; flags < 16; flags++) {
                    ifd__machine_in in = {.order = (ifd_order)order,
                                          .action = (ifd_action)action,
                                          .may_resume = flags & 1,
                                          .rests = flags & 2,
                                          .ready = flags & 4};
                    ifd_machine before = ifd__machine_next((ifd_machine)now, &in);
                    ifd_answer said = ifd__machine_answer((ifd_machine)now, &in);
                    in.relaxed = flags & 8;
                    in.silent = !in.relaxed;
                    ifd_answer refusal = in.relaxed ? IFD_ANSWER_RELAXED : IFD_ANSWER_FORCE_NOT_FRESH;
                    bool resumes = now == IFD_MACHINE_HOLD && before == IFD_MACHINE_RUN;
                    assert_int_equal(ifd__machine_next((ifd_machine)now, &in), resumes ? IFD_MACHINE_HOLD : before);
                    assert_int_equal(ifd__machine_answer((ifd_machine)now, &in), resumes ? refusal : said);
                }
}

TESTS()
