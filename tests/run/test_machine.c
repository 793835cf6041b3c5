/* SPDX-License-Identifier: MIT */
/* The state machine and its answers, walked through every state, order and circumstance. */
#include "run/machine.h"

#include <string.h>

#include "check.h"

typedef void visit(ifd_machine now, const ifd__machine_in *in);

static void walk(visit *see)
{
    for (int now = 0; now < IFD_MACHINE_COUNT; now++)
        for (int order = IFD_ORDER_NONE + 1; order < IFD_ORDER_COUNT; order++)
            for (int action = IFD_ACTION_NOTE; action <= IFD_ACTION_TRIP; action++)
                for (unsigned flags = 0; flags < 64; flags++) {
                    const ifd__machine_in in = {.order = (ifd_order)order,
                                                .action = (ifd_action)action,
                                                .finished = flags & 1,
                                                .ready = flags & 2,
                                                .may_resume = flags & 4,
                                                .rests = flags & 8,
                                                .still = flags & 16,
                                                .remote = flags & 32};
                    see((ifd_machine)now, &in);
                }
}

/* Where the machine would go if nobody had ordered anything. */
static ifd_machine by_itself(ifd_machine now, const ifd__machine_in *in)
{
    ifd__machine_in alone = *in;
    alone.order = IFD_ORDER_NONE;
    return ifd__machine_next(now, &alone);
}

/* Orders that act without a change of state. */
static bool acts_otherwise(ifd_machine now, const ifd__machine_in *in)
{
    ifd_machine next = ifd__machine_next(now, in);
    bool whole = next == IFD_MACHINE_RUN || next == IFD_MACHINE_HOLD;
    return (in->order == IFD_ORDER_CHECKPOINT && whole && !in->remote) ||
           (in->order == IFD_ORDER_QUIT && (now == IFD_MACHINE_IDLE || (now == IFD_MACHINE_TRIPPED && in->still)));
}

static void see_answer(ifd_machine now, const ifd__machine_in *in)
{
    ifd_answer answer = ifd__machine_answer(now, in);
    bool changes = ifd__machine_next(now, in) != by_itself(now, in);
    const char *order = ifd_order_name(in->order), *state = ifd_machine_name(now);
    if (ifd_answer_refuses(answer) && (changes || acts_otherwise(now, in)))
        fail_msg("%s in %s is refused (%s) and acts", order, state, ifd_answer_text(answer));
    /* what the state would have done by itself in this tick is what was ordered */
    bool same = (in->order == IFD_ORDER_RAMP_OUT && by_itself(now, in) == IFD_MACHINE_RAMP_OUT) ||
                (in->order == IFD_ORDER_TRIP && by_itself(now, in) == IFD_MACHINE_TRIPPED);
    if (!ifd_answer_refuses(answer) && !changes && !acts_otherwise(now, in) && !same)
        fail_msg("%s in %s changes nothing and is not answered", order, state);
    if (answer == IFD_ANSWER_RAMP_IN_ENDS)
        assert_int_equal(ifd__machine_next(now, in), IFD_MACHINE_RAMP_OUT);
    else
        assert_true(answer == IFD_ANSWER_NONE || ifd_answer_refuses(answer));
    assert_true((answer == IFD_ANSWER_NONE) == (*ifd_answer_text(answer) == '\0'));
}

static void every_order_that_changes_nothing_is_refused_with_a_reason(void **state)
{
    (void)state;
    walk(see_answer);
}

static void see_trip(ifd_machine now, const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_TRIP)
        assert_int_equal(ifd__machine_next(now, in), IFD_MACHINE_TRIPPED);
}

static void a_trip_is_never_refused_in_a_state_that_moves(void **state)
{
    (void)state;
    walk(see_trip);
}

static void the_answer_to_resume_names_the_key(void **state)
{
    (void)state;
    const ifd__machine_in in = {.order = IFD_ORDER_RESUME, .rests = true};
    ifd_answer answer = ifd__machine_answer(IFD_MACHINE_HOLD, &in);
    assert_int_equal(answer, IFD_ANSWER_RATE_DEPENDENT);
    assert_non_null(strstr(ifd_answer_text(answer), "test: {allow-resume: yes}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_that_changes_nothing_is_refused_with_a_reason),
        cmocka_unit_test(a_trip_is_never_refused_in_a_state_that_moves),
        cmocka_unit_test(the_answer_to_resume_names_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
