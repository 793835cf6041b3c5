/* SPDX-License-Identifier: MIT */
/* A master outside of this program, played by the test itself, tick by tick. */
#include "check.h"

#include <interfield/hybrid.h>
#include <interfield/structures.h>
#include <interfield/virtual.h>

#include <string.h>

#include "run/hybrid.h"

enum { TICKS = 10 };
static const double stiffness = 2e5, step = 0.01;

typedef struct stand {
    ifd_arena *arena;
    ifd_remote *remote;
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_value spring[8], compensation[8];
    double coefficient[3];
    ifd_virtual_channel bench;
    ifd_laboratory laboratory;
    ifd_channel_options channel;
    ifd_hybrid_options opt;
    ifd_remote_answer answer; /* the last one */
    ifd_run_state state;
    long ticks, answers;
    double before[2]; /* the last two commands */
    double fastest, sharpest;
} stand;

/* gain: of a compensator that makes every command larger; 0: none. */
static void compensate(stand *s, double gain)
{
    const ifd_compensator_kind *kind = ifd_compensator_find("inverse-2");
    if (gain == 0.0)
        return;
    s->coefficient[0] = gain;
    ifd_param_preset(kind->params, s->compensation);
    s->compensation[ifd_param_find(kind->params, "coefficients")] = ifd_list(s->coefficient, 3);
    s->channel.compensator = kind;
    s->channel.compensator_values = s->compensation;
}

static int stage_ticks = TICKS;

static void stand_open_with(stand *s, int order, bool paced, double gain)
{
    *s = (stand){.arena = ifd_arena_open()};
    ifd_builder *b = ifd_builder_make(s->arena);
    ifd_model *m;
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1.0);
    assert_int_equal(ifd_model_make(s->arena, b, &m, NULL), IFD_OK);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(stiffness);
    s->bench = (ifd_virtual_channel){.specimen = spring, .specimen_values = s->spring};
    s->laboratory = (ifd_laboratory){.channels = 1, .channel = &s->bench};
    ifd_channel_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = 0;
    s->channel.limits.low = -0.1;
    s->channel.limits.high = 0.1;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 50.0;
    compensate(s, gain);
    assert_int_equal(
        ifd_remote_make(s->arena, &(ifd_remote_options){.dofs = 1, .order = order, .paced = paced}, &s->remote, NULL),
        IFD_OK);
    ifd_hybrid_defaults(&s->opt);
    s->opt.model = m;
    s->opt.step = (ifd_step_options){.h = step};
    s->opt.remote = s->remote;
    s->opt.end = 10.0;
    s->opt.ticks_per_stage = stage_ticks;
    s->opt.channels = 1;
    s->opt.channel = &s->channel;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    s->opt.ramp_in = 0.1;
    s->opt.settle = 0.01;
    s->opt.automatic = true;
    assert_int_equal(ifd_hybrid_make(s->arena, &s->opt, &s->h, NULL), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static void stand_open(stand *s, int order, bool paced)
{
    stand_open_with(s, order, paced, 0.0);
}

static void stand_close(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

static double command(const stand *s)
{
    return *ifd__way_row(s->h, 0, CH_P);
}

/* One tick; whether an answer came with it. */
static bool tick(stand *s, ifd_order order)
{
    double p0 = s->before[0], p1 = s->before[1];
    s->state = s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
    s->ticks++;
    double p = command(s), dt = ifd_hybrid_period(s->h);
    s->fastest = fmax(s->fastest, fabs(p - p1) / dt);
    s->sharpest = fmax(s->sharpest, fabs(p - 2.0 * p1 + p0) / (dt * dt));
    s->before[0] = p1;
    s->before[1] = p;
    bool heard = ifd_remote_hear(s->remote, &s->answer);
    s->answers += heard;
    return heard;
}

static void say(stand *s, uint64_t number, double u)
{
    ifd_remote_target t = {.number = number, .step = number > 1, .time = step * (double)(number - 1)};
    t.u[0] = u;
    assert_true(ifd_remote_say(s->remote, &t));
}

static void until_answer(stand *s, uint64_t number)
{
    for (int i = 0; i < 5000; i++)
        if (tick(s, IFD_ORDER_NONE) && s->answer.number == number)
            return;
    fail_msg("no answer to target %lu", (unsigned long)number);
}

static double cubic(double tau)
{
    return 0.01 + 0.002 * tau - 0.0003 * tau * tau + 5e-6 * tau * tau * tau;
}

static void force_is_measured_at_the_target(void **state)
{
    (void)state;
    for (int paced = 0; paced < 2; paced++) {
        stand s;
        stand_open(&s, 3, paced);
        say(&s, 1, 0.02);
        until_answer(&s, 1);
        assert_near(s.answer.f[0], stiffness * 0.02, 1e-9, "start, paced %d", paced);
        for (uint64_t n = 2; n < 40; n++) {
            double u = 0.02 * cos(0.3 * (double)(n - 1));
            say(&s, n, u);
            until_answer(&s, n);
            assert_near(s.answer.f[0], stiffness * u, 1e-9, "target %d, paced %d", (int)n, paced);
            assert_near(s.answer.u[0], u, 1e-15, "target %d, paced %d", (int)n, paced);
        }
        assert_near(ifd_hybrid_time(s.h), 38 * step, 1e-12, "time");
        stand_close(&s);
    }
}

/* Prediction and correction of order 3 are exact for a cubic: command and cubic agree at every tick, whenever in the
 * first part of a step the target comes. */
static void cubic_motion_is_followed_without_error(void **state)
{
    (void)state;
    for (int wait = 0; wait < 6; wait++) {
        stand s;
        stand_open(&s, 3, true);
        say(&s, 1, cubic(0));
        until_answer(&s, 1);
        for (uint64_t n = 2; n < 16; n++) {
            long before = s.ticks;
            for (int k = 0; k < wait; k++)
                assert_false(tick(&s, IFD_ORDER_NONE));
            say(&s, n, cubic((double)(n - 1)));
            bool known = n > 6;
            for (bool heard = false; !heard;) {
                heard = tick(&s, IFD_ORDER_NONE) && s.answer.number == n;
                double tau = (double)(n - 2) + (double)(s.ticks - before + 1) / TICKS;
                if (known)
                    assert_near(command(&s), cubic(tau), 1e-14, "wait %d, target %d, tau %g", wait, (int)n, tau);
            }
            if (known)
                assert_int_equal(s.ticks - before, TICKS);
        }
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
        stand_close(&s);
    }
}

static void motion_never_stops_nor_jumps_when_the_master_is_in_time(void **state)
{
    (void)state;
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    const double w = 6.0, amplitude = 0.03;
    for (uint64_t n = 2; n < 300; n++) {
        for (int k = 0; k < (int)(n * 7 % 6); k++)
            tick(&s, IFD_ORDER_NONE);
        say(&s, n, amplitude * (1.0 - cos(w * step * (double)(n - 1))));
        until_answer(&s, n);
        if (n == 20)
            s.sharpest = s.fastest = 0.0;
    }
    assert_true(s.fastest < 1.01 * amplitude * w); /* the motion itself has 1.0 */
    assert_true(s.sharpest < 1.1 * amplitude * w * w);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_MASTER_LATE), 0);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
    stand_close(&s);
}

static void late_master_finds_the_specimen_braked_and_at_rest(void **state)
{
    (void)state;
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    for (uint64_t n = 2; n < 30; n++) {
        bool late = n % 10 == 9;
        for (int k = 0; k < (late ? 60 : 2); k++)
            tick(&s, IFD_ORDER_NONE);
        if (late) {
            double p = command(&s);
            tick(&s, IFD_ORDER_NONE);
            assert_true(command(&s) == p);
        }
        say(&s, n, 0.001 * (double)(n - 1));
        until_answer(&s, n);
        assert_near(s.answer.f[0], stiffness * 0.001 * (double)(n - 1), 1e-9, "target %d", (int)n);
    }
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_MASTER_LATE), 3);
    assert_true(s.fastest <= 1.0 && s.sharpest <= 50.0);
    stand_close(&s);
}

static void jump_of_the_target_is_a_ramp_of_the_specimen(void **state)
{
    (void)state;
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    say(&s, 2, 0.09);
    s.fastest = s.sharpest = 0.0;
    until_answer(&s, 2);
    double p = command(&s);
    for (int k = 0; k < 50; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_near(command(&s), p, 0.0, "nothing is extrapolated from a jump");
    assert_near(p, 0.09, 1e-15, "end");
    assert_true(s.fastest <= 1.0 && s.sharpest <= 50.0);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
    stand_close(&s);
}

/* Even motion, v a tick. A brake evenly spread would change the acceleration by v/N at once, N being half a step;
 * the quintic changes it by 6 v/N^2 a tick at most, and by a little more where a target under way is reached. */
static void a_hold_changes_the_acceleration_without_a_jump(void **state)
{
    (void)state;
    stage_ticks = 100;
    for (int early = 0; early < 2; early++) { /* the next target is known already, or never comes */
        stand s;
        stand_open(&s, 1, true);
        say(&s, 1, 0.0);
        until_answer(&s, 1);
        for (uint64_t n = 2; n < 12; n++) {
            say(&s, n, 0.002 * (double)(n - 1));
            until_answer(&s, n);
        }
        const double v = 0.002 / stage_ticks, N = 0.5 * stage_ticks;
        if (early)
            say(&s, 12, 0.022);
        for (int k = 0; k < (early ? 30 : 20); k++)
            tick(&s, IFD_ORDER_NONE);
        double p[4] = {0.0}, worst = 0.0;
        for (int k = 0; k < 400; k++) {
            memmove(p + 1, p, sizeof p - sizeof *p);
            p[0] = command(&s);
            if (k >= 3)
                worst = fmax(worst, fabs(p[0] - 3.0 * p[1] + 3.0 * p[2] - p[3]));
            tick(&s, k == 5 ? IFD_ORDER_HOLD : IFD_ORDER_NONE);
        }
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
        assert_near(p[0], p[1], 0.0, "at rest");
        if (worst > (early ? 0.75 * v / N : 6.3 * v / (N * N)))
            fail_msg("early %d: %g of v/N at once", early, worst / (v / N));
        stand_close(&s);
    }
    stage_ticks = TICKS;
}

static void hold_rests_at_the_target_and_resume_goes_on(void **state)
{
    (void)state;
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    for (uint64_t n = 2; n < 12; n++) {
        say(&s, n, 0.002 * (double)(n - 1));
        until_answer(&s, n);
    }
    say(&s, 12, 0.022);
    tick(&s, IFD_ORDER_NONE);
    tick(&s, IFD_ORDER_HOLD);
    until_answer(&s, 12);
    for (int k = 0; k < 30; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    assert_near(command(&s), 0.022, 1e-15, "held at the target");
    say(&s, 13, 0.024);
    for (int k = 0; k < 30; k++)
        assert_false(tick(&s, IFD_ORDER_NONE));
    tick(&s, IFD_ORDER_RESUME);
    until_answer(&s, 13);
    assert_near(s.answer.f[0], stiffness * 0.024, 1e-9, "after hold");
    stand_close(&s);
}

/* Ticks until the test is over. */
static void to_the_end(stand *s)
{
    for (int i = 0; i < 20000 && s->state == IFD_RUN_GOING; i++)
        tick(s, IFD_ORDER_NONE);
    assert_int_not_equal(s->state, IFD_RUN_GOING);
}

static void last_word(ifd_remote_kind kind, double u, ifd_trip trip, bool complete)
{
    for (int paced = 0; paced < 2; paced++) {
        stand s;
        stand_open(&s, 3, paced);
        say(&s, 1, 0.0);
        until_answer(&s, 1);
        say(&s, 2, 0.001);
        until_answer(&s, 2);
        ifd_remote_target t = {.number = 3, .kind = kind, .u = {u}};
        assert_true(ifd_remote_say(s.remote, &t));
        to_the_end(&s);
        assert_true(s.answer.over);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, trip);
        assert_int_equal(ifd_hybrid_complete(s.h), complete);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
        assert_true(fabs(command(&s)) <= 0.1);
        stand_close(&s);
    }
}

static void the_end_of_the_master_is_the_end_of_the_test(void **state)
{
    (void)state;
    last_word(IFD_REMOTE_END, 0.0, IFD_TRIP_NONE, true);
}

static void lost_master_leads_the_test_out(void **state)
{
    (void)state;
    last_word(IFD_REMOTE_LOST, 0.0, IFD_TRIP_MASTER_LOST, false);
}

static void target_outside_the_stroke_or_no_number_is_refused(void **state)
{
    (void)state;
    last_word(IFD_REMOTE_TARGET, 0.2, IFD_TRIP_MASTER_WRONG, false);
    last_word(IFD_REMOTE_TARGET, (double)NAN, IFD_TRIP_MASTER_WRONG, false);
    last_word(IFD_REMOTE_WRONG, 0.0, IFD_TRIP_MASTER_WRONG, false);
}

/* 95 mm are inside the stroke of 100 mm; what a compensator of gain 1.1 asks for is not. */
static void target_that_compensation_cannot_reach_ends_the_test(void **state)
{
    (void)state;
    for (int paced = 0; paced < 2; paced++) {
        stand s;
        stand_open_with(&s, 3, paced, 1.1);
        say(&s, 1, 0.0);
        until_answer(&s, 1);
        say(&s, 2, 0.08);
        until_answer(&s, 2);
        assert_near(s.answer.u[0], 1.1 * 0.08, 1e-12, "within reach");
        say(&s, 3, 0.095);
        long before = s.ticks;
        to_the_end(&s);
        ifd_trip_facts f = ifd_hybrid_trip(s.h);
        assert_true(s.answer.over && s.answer.number == 3);
        assert_int_equal(f.trip, IFD_TRIP_UNREACHED);
        assert_int_equal(f.channel, 0);
        assert_near(f.value, 1.1 * 0.095, 1e-15, "what was asked for");
        assert_near(f.limit, 0.1, 0.0, "the end of the stroke");
        assert_true(f.tick - before < 30 * TICKS);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
        assert_true(s.fastest <= 1.0 + 1e-9 && s.sharpest <= 50.0 * (1.0 + 1e-6));
        stand_close(&s);
    }
}

static void start_outside_the_stroke_ends_before_anything_moves(void **state)
{
    (void)state;
    stand s;
    stand_open(&s, 3, true);
    say(&s, 1, 0.2);
    to_the_end(&s);
    assert_int_equal(s.state, IFD_RUN_FAULT);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_MASTER_WRONG);
    assert_true(s.answer.over);
    assert_near(s.fastest, 0.0, 0.0, "nothing moved");
    stand_close(&s);
}

static void trials_within_a_step_are_not_extrapolated(void **state)
{
    (void)state;
    stand s;
    stand_open(&s, 0, true);
    say(&s, 1, 0.0);
    until_answer(&s, 1);
    for (uint64_t n = 2; n < 10; n++) {
        ifd_remote_target t = {.number = n, .step = n % 2 == 0, .u = {0.01 + 0.001 * (double)(n % 3)}};
        assert_true(ifd_remote_say(s.remote, &t));
        until_answer(&s, n);
        double p = command(&s);
        tick(&s, IFD_ORDER_NONE);
        assert_near(command(&s), p, 0.0, "rests at target %d", (int)n);
    }
    assert_near(ifd_hybrid_time(s.h), 4 * step, 1e-12, "four steps");
    assert_true(s.fastest <= 1.0 && s.sharpest <= 50.0);
    stand_close(&s);
}

static void same_targets_at_the_same_ticks_give_the_same_bits(void **state)
{
    (void)state;
    double last[2];
    for (int round = 0; round < 2; round++) {
        stand s;
        int count;
        stand_open(&s, 3, true);
        say(&s, 1, 0.001);
        until_answer(&s, 1);
        uint64_t taken = 0;
        for (uint64_t n = 2; n < 50; n++) {
            for (int k = 0; k < (int)(n % 9); k++)
                tick(&s, IFD_ORDER_NONE);
            say(&s, n, 0.03 * sin(0.2 * (double)n));
            until_answer(&s, n);
            taken += ifd_hybrid_taken(s.h) != NULL;
        }
        const double *x = ifd_hybrid_save_area(s.h, &count);
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum = 1.0000001 * sum + x[i];
        last[round] = sum;
        assert_int_equal(taken, 0); /* the tick of an answer takes the next target only when it is there */
        stand_close(&s);
    }
    assert_true(last[0] == last[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_measured_at_the_target),
        cmocka_unit_test(cubic_motion_is_followed_without_error),
        cmocka_unit_test(motion_never_stops_nor_jumps_when_the_master_is_in_time),
        cmocka_unit_test(late_master_finds_the_specimen_braked_and_at_rest),
        cmocka_unit_test(jump_of_the_target_is_a_ramp_of_the_specimen),
        cmocka_unit_test(a_hold_changes_the_acceleration_without_a_jump),
        cmocka_unit_test(hold_rests_at_the_target_and_resume_goes_on),
        cmocka_unit_test(the_end_of_the_master_is_the_end_of_the_test),
        cmocka_unit_test(lost_master_leads_the_test_out),
        cmocka_unit_test(target_outside_the_stroke_or_no_number_is_refused),
        cmocka_unit_test(target_that_compensation_cannot_reach_ends_the_test),
        cmocka_unit_test(start_outside_the_stroke_ends_before_anything_moves),
        cmocka_unit_test(trials_within_a_step_are_not_extrapolated),
        cmocka_unit_test(same_targets_at_the_same_ticks_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
