/* SPDX-License-Identifier: MIT */
/* What is gathered of a test record by record: edges of the trigger, holds. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "record/result.h"

enum { TIME, STATE, RATE, FORCE, COMMAND, COMMANDED, COLUMNS };

typedef struct scene {
    ifd_result res;
    ifd__test_facts facts;
    double wall;
} scene;

static void begin(scene *s)
{
    memset(s, 0, sizeof *s);
    s->res.facts = &s->facts;
    ifd__facts_find(&s->res, NULL, 0);
    s->facts.interfaces = 1;
    s->res.at.time = TIME;
    s->res.at.state = STATE;
    s->res.at.rate = RATE;
    s->res.at.force[0] = FORCE;
    s->res.at.command[0] = s->res.at.tracking[0] = s->res.at.relaxation[0] = -1;
}

static void add(scene *s, ifd_machine state, double rate, double force)
{
    const double values[COLUMNS] = {[STATE] = (double)state, [RATE] = rate, [FORCE] = force};
    s->wall += 1.0;
    ifd__facts_add(&s->res, &(ifd_tick_record){.values = values}, s->wall);
}

/* After a reset the edges belong to the last run; while it runs there is no falling edge. */
TEST(edges_are_those_of_the_last_run)
{
    scene s;
    (void)state;
    begin(&s);
    add(&s, IFD_MACHINE_RAMP_IN, 1, 0);
    assert_true(isnan(s.facts.trigger_rose) && isnan(s.facts.trigger_fell));
    add(&s, IFD_MACHINE_RUN, 1, 0); /* 2 */
    add(&s, IFD_MACHINE_HOLD, 0, 0);
    add(&s, IFD_MACHINE_RUN, 1, 0);
    add(&s, IFD_MACHINE_TRIPPED, 1, 0); /* 5 */
    add(&s, IFD_MACHINE_IDLE, 1, 0);
    assert_true(s.facts.trigger_rose == 2 && s.facts.trigger_fell == 5);
    add(&s, IFD_MACHINE_RUN, 1, 0); /* 7 */
    assert_true(s.facts.trigger_rose == 7 && isnan(s.facts.trigger_fell));
    add(&s, IFD_MACHINE_HOLD, 0, 0);
    add(&s, IFD_MACHINE_RAMP_OUT, 1, 0); /* 9 */
    add(&s, IFD_MACHINE_STOPPED, 1, 0);
    assert_true(s.facts.trigger_rose == 7 && s.facts.trigger_fell == 9);
}

/* The first IFD__HOLDS holds are listed, and no later one changes them. */
TEST(a_hold_too_many_changes_none)
{
    scene s;
    (void)state;
    begin(&s);
    for (int i = 0; i < IFD__HOLDS + 8; i++) {
        add(&s, IFD_MACHINE_RUN, 1, 0);
        add(&s, IFD_MACHINE_HOLD, 0.5, 1000);
        add(&s, IFD_MACHINE_HOLD, 0, 100 + i);
        add(&s, IFD_MACHINE_HOLD, 0, 90 + i);
        add(&s, IFD_MACHINE_HOLD, 0, 95 + i);
    }
    assert_int_equal(s.facts.holds, IFD__HOLDS + 8);
    for (int i = 0; i < IFD__HOLDS; i++) {
        const ifd__hold_facts *h = &s.facts.hold[i];
        assert_true(h->began[0] == 100 + i && h->now[0] == 95 + i);
        assert_near_rel(h->relaxation[0], 5.0 / (100 + i), 1e-12, "at the end; a tenth of the largest force is 100");
        assert_true(h->wall == 5 * i + 3 && h->duration == 2);
    }
}

static void move(scene *s, double command, bool commanded, uint64_t thinned)
{
    const double values[COLUMNS] = {[STATE] = (double)IFD_MACHINE_RUN, [COMMAND] = command, [COMMANDED] = commanded};
    s->wall += 1.0;
    ifd__facts_add(&s->res, &(ifd_tick_record){.values = values, .thinned = thinned, .skipped = 3}, s->wall);
}

/* Ticks of 0.5 s. Positions that are not commanded, and ticks that are not in the record, separate motions. */
TEST(the_command_is_differentiated_over_ticks)
{
    scene s;
    (void)state;
    begin(&s);
    s.facts.period = 0.5;
    s.res.at.command[0] = COMMAND;
    s.res.at.commanded = COMMANDED;
    const ifd__command_facts *c = &s.facts.command[0];
    move(&s, 100, false, 0);
    move(&s, 0, true, 0);
    assert_true(c->velocity == 0 && c->acceleration == 0);
    move(&s, 1, true, 0);
    assert_true(c->velocity == 2 && c->acceleration == 0);
    move(&s, -2, true, 0); /* steps 1, -3 */
    assert_true(c->velocity == 6 && c->acceleration == 16);
    move(&s, 50, true, 4);
    move(&s, 51, true, 0);
    assert_true(c->velocity == 6 && c->acceleration == 16);
    move(&s, 52, true, 0);
    move(&s, 90, false, 0);
    move(&s, 95, true, 0);
    assert_true(c->velocity == 6 && c->acceleration == 16);
}

static void answer(scene *s, ifd_order order, ifd_answer what)
{
    const double values[COLUMNS] = {[STATE] = (double)IFD_MACHINE_HOLD};
    const ifd_tick_trace trace = {.answer = (uint32_t)what};
    s->wall += 1.0;
    ifd__facts_add(&s->res, &(ifd_tick_record){.values = values, .order = order, .trace = &trace}, s->wall);
}

TEST(a_hold_has_its_refusals_and_the_state_after_it)
{
    scene s;
    (void)state;
    begin(&s);
    answer(&s, IFD_ORDER_RESUME, IFD_ANSWER_RELAXED);
    answer(&s, IFD_ORDER_RESUME, IFD_ANSWER_FORCE_NOT_FRESH);
    answer(&s, IFD_ORDER_HOLD, IFD_ANSWER_RELAXED); /* another order */
    assert_int_equal(s.facts.hold[0].next, -1);
    answer(&s, IFD_ORDER_RESUME, IFD_ANSWER_NONE);
    add(&s, IFD_MACHINE_RUN, 0.1, 0);
    add(&s, IFD_MACHINE_HOLD, 0, 0);
    add(&s, IFD_MACHINE_TRIPPED, 0, 0);
    add(&s, IFD_MACHINE_HOLD, 0, 0);
    assert_int_equal(s.facts.holds, 3);
    assert_int_equal(s.facts.hold[0].refused, 2);
    assert_int_equal(s.facts.hold[0].next, IFD_MACHINE_RUN);
    assert_int_equal(s.facts.hold[1].refused, 0);
    assert_int_equal(s.facts.hold[1].next, IFD_MACHINE_TRIPPED);
    assert_int_equal(s.facts.hold[2].next, -1);
}

TESTS()
