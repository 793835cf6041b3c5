/* SPDX-License-Identifier: MIT */
/* hold_relaxation: the reference in every tick, the limits of the bound, conditions of a resume, and a key that
 * changes between sessions of a test. */
#include "hybrid/chain/chain.h"
#include "hybrid/hold_scene.h"

#include "hybrid/observe.h"
#include "hybrid/hold_force.h"
#include "hybrid/units.h"

/* The reference is the mean of exactly 50 measurements. */
TEST(the_reference_is_a_mean_of_fifty_ticks)
{
    stand s;
    double sum = 0.0;
    int ticks = 0;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.0);
    const ifd__hold_force *r = &s.h->io.hold[0];
    for (int i = 0; i < 1000 && r->firsts == 0.0; i++)
        player_tick(&s.p, IFD_ORDER_NONE);
    for (; ticks < (int)mean_ticks; ticks++) {
        if (ticks)
            player_tick(&s.p, IFD_ORDER_NONE);
        sum += ifd__interface_of(s.h, 0)->measured_f;
        assert_true(r->firsts == ticks + 1 && r->newests == ticks + 1);
        assert_int_equal(ifd__rest_known(&s.h->io), ticks + 1 == (int)mean_ticks);
    }
    double first = r->first, newest = r->newest;
    assert_near_rel(first, sum / mean_ticks, 1e-12, "the mean");
    assert_true(newest == first);
    player_tick(&s.p, IFD_ORDER_NONE);
    assert_true(r->first == first && r->firsts == mean_ticks && r->newests == mean_ticks);
    assert_near_rel(r->newest, newest + (ifd__interface_of(s.h, 0)->measured_f - newest) / mean_ticks, 1e-12,
                    "the running mean");
    unmake(&s);
}

/* What is recorded and shown is what a resume judges: above the bound it is refused, up to it permitted. */
TEST(the_recorded_relaxation_is_that_of_the_bound)
{
    stand s;
    int refused = 0, permitted = 0;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.0);
    for (int i = 0; i < 4000 && refused < 100; i++) {
        player_tick(&s.p, IFD_ORDER_NONE);
        double relaxation = ifd__rest_relaxation(&s.h->io, 0);
        int count;
        const ifd_column *column = ifd_hybrid_columns(s.h, &count);
        int at = ifd_column_find(column, count, s.h->interface[0].o->name, IFD_COLUMN_HOLD_RELAXATION);
        assert_true(at >= 0 && s.h->values[at] == relaxation);
        assert_int_equal(ifd__rest_changed(&s.h->io).interface == 0, relaxation > 0.1);
        refused += relaxation > 0.1;
        permitted += relaxation > 0.01 && relaxation <= 0.1;
    }
    assert_true(refused == 100 && permitted > 10);
    /* In both directions; noise reduces a change and permits it. */
    ifd__hold_force *r = &s.h->io.hold[0];
    double change = fabs(r->newest - r->first), before = INFINITY;
    refused = permitted = 0;
    for (int i = 0; i < 60; i++) {
        double relaxation[2];
        ifd__interface_of(s.h, 0)->seen.noise_f = i ? pow(change * pow(1.2, i - 50), 2.0) : 0.0;
        for (int sign = 0; sign < 2; sign++) {
            r->newest = r->first + (sign ? -change : change);
            relaxation[sign] = ifd__rest_relaxation(&s.h->io, 0);
            assert_int_equal(ifd__rest_changed(&s.h->io).interface == 0, relaxation[sign] > 0.1);
        }
        assert_near(relaxation[1], relaxation[0], 1e-12, "the other direction");
        assert_true(relaxation[0] <= before);
        before = relaxation[0];
        refused += relaxation[0] > 0.1;
        permitted += relaxation[0] <= 0.1;
    }
    assert_true(refused > 0 && permitted > 0);
    unmake(&s);
}

/* Time at rest counts from the tick in which every command could stop; the mean starts after more than four lags. */
TEST(the_mean_begins_when_commands_rest_and_the_lag_has_passed)
{
    stand s;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.0);
    ifd__hold_force *r = &s.h->io.hold[0];
    ifd__interface_state *x = ifd__interface_of(s.h, 0);
    const ifd__bounds *b = &s.h->interface[0].bounds;
    double step = x->step;
    x->step = b->acceleration * b->dt * b->dt; /* the largest step that can stop within a tick */
    assert_true(ifd__io_slower(&s.h->io, 1.0));
    x->step *= 1.004; /* beyond 1, within 1.01 */
    assert_false(ifd__io_slower(&s.h->io, 1.0));
    *r = (ifd__hold_force){0};
    s.h->io.renewed[0] = true;
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(r->rested == 0.0 && r->firsts == 0.0);
    x->step /= 1.004;
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(r->rested == s.h->period);
    x->step = 1.0; /* a correction of the compensator does not restart it */
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(r->rested == s.h->period + s.h->period);
    x->step = step;

    const double lag = 0.03125; /* s */
    ifd__interface_of(s.h, 0)->seen.lag_sum = lag;
    ifd__interface_of(s.h, 0)->seen.lag_size = 1.0;
    assert_true(ifd__observed_lag(&s.h->io, 0) == lag);
    double before = settling_lags * lag - s.h->period;
    for (int i = 0; i < 8 && before + s.h->period != settling_lags * lag; i++)
        before = nextafter(before, 1.0);
    assert_true(before + s.h->period == settling_lags * lag);
    *r = (ifd__hold_force){.rested = before};
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(r->rested == settling_lags * lag && r->firsts == 0.0 && r->newests == 0.0);
    *r = (ifd__hold_force){.rested = 1.005 * before};
    ifd__unit_hold_force.observe(&s.h->io, NULL, s.h->io.hold);
    assert_true(r->firsts == 1.0 && r->newests == 1.0);
    unmake(&s);
}

/* Limits of the check: the bound itself is permitted; without newest forces the present one is used; in other states
 * there is no check. */
TEST(the_bound_itself_is_permitted)
{
    stand s;
    hold_damper(&s, "test.hold-relaxation=10 %", 0.5);
    ifd__hold_force *r = &s.h->io.hold[0];
    r->first = 0.0;
    r->newest = 1e6;
    ifd__rest_change c = ifd__rest_changed(&s.h->io);
    assert_int_equal(c.interface, 0);
    double noise = ifd__observed_force_noise(&s.h->io, 0);
    assert_near_rel(c.limit, 0.01 * ifd__interface_of(s.h, 0)->seen.peak_f + 3.0 * noise, 1e-12,
                    "without a reference");
    ifd__interface_of(s.h, 0)->seen.noise_f = 1.0;
    noise = ifd__observed_force_noise(&s.h->io, 0);
    assert_near_rel(ifd__rest_changed(&s.h->io).limit, 0.01 * ifd__interface_of(s.h, 0)->seen.peak_f + 3.0 * noise,
                    1e-12, "with noise");
    r->newest = ifd__rest_changed(&s.h->io).limit;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    r->newest = nextafter(r->newest, 1e9);
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, 0);
    ifd__test_of(s.h)->state = IFD_MACHINE_RUN;
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    ifd__test_of(s.h)->state = IFD_MACHINE_HOLD;
    r->first = ifd__chain_force(&s.h->io, 0);
    ifd__rest_again(&s.h->io);
    assert_true(r->newests == 0.0 && fabs(r->first) > 0.0);
    assert_int_equal(ifd__rest_changed(&s.h->io).interface, -1);
    unmake(&s);
}

/* The force for the structure on resume is from this tick, with or without a complete reference. One tick later it is
 * available, and the test continues. */
TEST(a_resume_needs_a_measurement_of_this_tick)
{
    static const double rest[] = {0.0, 0.5};
    for (int i = 0; i < 2; i++) {
        stand s;
        hold_damper(&s, "test.hold-relaxation=20 %", rest[i]);
        assert_true(ifd__rest_fresh(&s.h->io));
        hold_silence(&s);
        play(&s.p, "resume: FORCE_NOT_FRESH");
        assert_int_equal(s.t.trace(s.t.self)->answer_owner, -1);
        assert_true(ifd_answer_refuses(IFD_ANSWER_FORCE_NOT_FRESH));
        assert_non_null(strstr(ifd_answer_text(IFD_ANSWER_FORCE_NOT_FRESH), "no new measurement"));
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
        play(&s.p, "resume: NONE");
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
        player_tick(&s.p, IFD_ORDER_HOLD); /* brake: the structure continues with its present force */
        assert_false(ifd__time_rests(s.h));
        hold_silence(&s);
        play(&s.p, "resume: NONE");
        unmake(&s);
    }
}

/* Every other order is accepted without a measurement. */
TEST(a_silent_rig_keeps_nothing_but_a_resume_back)
{
    stand s;
    hold_damper(&s, "test.hold-relaxation=20 %", 0.5);
    hold_silence(&s);
    play(&s.p, "ramp-out; is ramp-out");
    unmake(&s);
}

/* A test with the bound has more numbers. The refusal names the key. */
TEST(the_key_is_neither_added_nor_removed)
{
    static const struct {
        const char *kept, *now, *words, *hint;
    } way[] = {{"test.hold-relaxation=10 %", NULL, "with `test: {hold-relaxation", "add the key"},
               {NULL, "test.hold-relaxation=10 %", "without `test: {hold-relaxation", "remove the key"}};
    for (int i = 0; i < 2; i++) {
        ifd_snapshot kept;
        ifd_note note;
        stand s, next = {0};
        hold_damper(&s, way[i].kept, 0.5);
        assert_true(ifd_hybrid_snapshot(s.h, &kept));
        (void)stand_case(&next, hold_damper_text, way[i].now, NULL, NULL);
        ifd_note_init(&note, next.arena);
        assert_int_equal(ifd_hybrid_continue(next.h, &kept, &note), IFD_CONFLICT);
        assert_non_null(strstr(note.first->text, way[i].words));
        assert_non_null(strstr(note.first->hint, way[i].hint));
        ifd_snapshot other = kept;
        other.count += 1; /* not due to the key */
        ifd_note_init(&note, next.arena);
        assert_int_equal(ifd_hybrid_continue(next.h, &other, &note), IFD_CONFLICT);
        assert_non_null(strstr(note.first->text, "other dimensions"));
        unmake(&next);
        unmake(&s);
    }
}

TESTS()
