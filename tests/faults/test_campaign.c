/* SPDX-License-Identifier: MIT */
/* ctest: begins 13 of the first */
/* Every row of the table in every possible state. Each of them is one test: the fault occurs, leads to the state of
 * the table, and is reported with channel, value, limit and tick. No command exceeds a limit, and a stop is smooth.
 * After the repair the test can be completed, and the record replays every tick. */
#include "check.h"

#include <string.h>

#include "faults/table.h"

enum { WINDOW = 160 }; /* ticks for the detection of a fault */

typedef struct strike {
    const fault_row *row;
    ifd_machine state;
} strike;

static ifd_machine of_letter(char letter)
{
    return (ifd_machine)(strchr(FAULT_LETTERS, letter) - FAULT_LETTERS);
}

/* The expected latched fault: the one with an action. A test that was tripped before keeps the first reason. */
static ifd_trip to_be_latched(const strike *c)
{
    const fault_row *r = c->row;
    bool alone = r->scene == REMOTE && c->state == IFD_MACHINE_IDLE; /* where the test ends immediately */
    if (c->state == IFD_MACHINE_TRIPPED)
        return IFD_TRIP_ORDERED;
    return alone || of_letter(r->ends[c->state]) != c->state ? r->fault : IFD_TRIP_NONE;
}

static int window_of(const fault_row *r)
{
    return r->window > 0 ? r->window : WINDOW;
}

static void check_named(const scene *s, const strike *c, uint64_t struck)
{
    ifd_trip_facts facts = ifd_hybrid_trip(s->h);
    const fault_row *r = c->row;
    assert_string_equal(ifd_trip_name(facts.trip), ifd_trip_name(to_be_latched(c)));
    if (facts.trip != r->fault || c->state == IFD_MACHINE_TRIPPED || facts.trip == IFD_TRIP_NONE)
        return;
    assert_int_equal(facts.owner, r->channel);
    assert_true(facts.tick > (long)struck && facts.tick <= (long)struck + window_of(r));
    if (!isnan(r->limit))
        assert_near_rel(facts.limit, r->limit, 1e-12, "limit");
    if (facts.limit != 0.0 && r->t.master < MASTER_DOES_NOT_FIT) /* these report their value, larger or smaller */
        assert_true(fabs(facts.value) > fabs(facts.limit));
}

/* The first new state within the window; at the end of ramp-out it may already be stopped. */
static ifd_machine watch(scene *s, const fault_row *r, ifd_machine state)
{
    ifd_machine first = ifd_hybrid_state(s->h);
    for (int k = 1; k < window_of(r); k++) {
        scene_tick(s, IFD_ORDER_NONE);
        if (first == state)
            first = ifd_hybrid_state(s->h);
    }
    return first;
}

/* While the cause is present a test cannot move: arming is refused, or trips before motion. */
static void check_arming(scene *s, const strike *c)
{
    if (c->state != IFD_MACHINE_IDLE || ifd_trip_action(c->row->fault) != IFD_ACTION_TRIP || s->left == 0)
        return;
    scene_tick(s, IFD_ORDER_ARM);
    scene_ticks(s, 2);
    ifd_machine now = ifd_hybrid_state(s->h);
    assert_true(now == IFD_MACHINE_IDLE || now == IFD_MACHINE_TRIPPED);
}

static ifd_order way_on(const scene *s, const fault_row *r)
{
    switch (ifd_hybrid_state(s->h)) {
    case IFD_MACHINE_IDLE:
        return IFD_ORDER_ARM;
    case IFD_MACHINE_READY:
        return IFD_ORDER_RUN;
    case IFD_MACHINE_RUN:
        return s->kind == REMOTE ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE;
    case IFD_MACHINE_HOLD:
        return r->after ? r->after : IFD_ORDER_RESUME;
    case IFD_MACHINE_TRIPPED:
        return IFD_ORDER_RESET;
    default:
        return IFD_ORDER_NONE;
    }
}

static void lead_to_the_end(scene *s, const fault_row *r)
{
    const int most = s->kind == WALL ? 24000 : 6000; /* shorter ticks */
    for (int k = 0; k < most && ifd_hybrid_state(s->h) != IFD_MACHINE_STOPPED; k++)
        scene_tick(s, k % 10 ? IFD_ORDER_NONE : way_on(s, r));
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), "stopped");
    scene_ticks(s, 5);
    assert_int_equal(s->last, IFD_RUN_DONE);
    assert_true(bad.rest);
    for (int i = 0; i < s->t.count; i++)
        assert_true(isfinite(s->t.values(s->t.self)[i])); /* no effect of values that are not finite remains */
}

static void a_fault_ends_as_documented(void **state)
{
    const strike *c = *state;
    const fault_row *r = c->row;
    scene s;
    scene_open(&s, r->scene, r->set);
    scene_bring(&s, c->state);
    long before = ifd_hybrid_count(s.h, r->fault);
    uint64_t struck = s.ticks;
    scene_break(&s, &r->t);
    ifd_machine end = watch(&s, r, c->state);
    assert_string_equal(ifd_machine_name(end), ifd_machine_name(of_letter(r->ends[c->state])));
    if (r->fault != IFD_TRIP_NONE)
        assert_true(ifd_hybrid_count(s.h, r->fault) > before);
    check_named(&s, c, struck);
    if (end == IFD_MACHINE_TRIPPED || end == IFD_MACHINE_HOLD || end == IFD_MACHINE_STOPPED)
        assert_true(bad.rest);
    check_arming(&s, c);
    scene_repair(&s);
    if (s.last != IFD_RUN_FAULT)
        lead_to_the_end(&s, r);
    assert_string_equal(bad.broke, "");
    assert_string_equal(bad.eye.broke, "");
    scene_replays(&s);
    scene_close(&s);
}

/* One test per row and state; with sanitizers per row and a third of the states, each row with others. Returns their
 * number. */
static size_t collect(struct CMUnitTest *tests, strike *strikes, char (*names)[120])
{
    size_t n = 0;
    for (int i = 0; i < fault_row_count; i++)
        for (int m = 0; m < FAULT_STATES; m++) {
            const fault_row *r = &fault_rows[i];
            if (r->ends[m] == '-' || (BRIEF && (i + m) % 3))
                continue;
            strikes[n] = (strike){r, (ifd_machine)m};
            snprintf(names[n], sizeof names[n], "%s: %s in state %s ends in %s", ifd_trip_name(r->fault), r->what,
                     ifd_machine_name((ifd_machine)m), ifd_machine_name(of_letter(r->ends[m])));
            tests[n] = (struct CMUnitTest){
                .name = names[n], .test_func = a_fault_ends_as_documented, .initial_state = &strikes[n]};
            n++;
        }
    return n;
}

int main(void)
{
    enum { MOST = 400 };
    static struct CMUnitTest tests[MOST];
    static strike strikes[MOST];
    static char names[MOST][120];
    size_t n = collect(tests, strikes, names);
    return _cmocka_run_group_tests("faults", tests, n, NULL, NULL);
}
