/* SPDX-License-Identifier: MIT */
/* The state machine and its answers, for every state, order and condition. */
#include "hybrid/states.h"

#include <string.h>

#include "check.h"

typedef void visit(ifd_machine now, const ifd__machine_in *in);

static void walk(visit *see)
{
    for (int now = 0; now < IFD_MACHINE_COUNT; now++)
        for (int order = IFD_ORDER_NONE + 1; order < IFD_ORDER_COUNT; order++)
            for (int action = IFD_ACTION_NOTE; action <= IFD_ACTION_TRIP; action++)
                for (unsigned flags = 0; flags < 128; flags++) {
                    const ifd__machine_in in = {.order = (ifd_order)order,
                                                .action = (ifd_action)action,
                                                .finished = flags & 1,
                                                .ready = flags & 2,
                                                .may_resume = flags & 4,
                                                .rests = flags & 8,
                                                .still = flags & 16,
                                                .remote = flags & 32,
                                                .may_return = flags & 64};
                    see((ifd_machine)now, &in);
                }
}

/* The next state without an order. */
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
    /* the state would have changed without the order in this tick */
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

/* The state machine of the documentation. Columns: the states in the order of the letters. A capital letter is the
 * state after an order, a small one the state under its condition, a point: no change. */
static const char letters[] =
    "IRNUHOTSB"; /* idle, ready, ramp-in, run, hold, ramp-out, tripped, stopped, return (back) */
static const ifd_machine states[] = {IFD_MACHINE_IDLE,    IFD_MACHINE_READY,   IFD_MACHINE_RAMP_IN,
                                     IFD_MACHINE_RUN,     IFD_MACHINE_HOLD,    IFD_MACHINE_RAMP_OUT,
                                     IFD_MACHINE_TRIPPED, IFD_MACHINE_STOPPED, IFD_MACHINE_RETURN};
enum { STATES = 9 };
enum {
    READY = 1,
    MAY_RESUME = 2,
    RESTS = 4,
    STILL = 8,
    ARRIVED = 16,
    FINISHED = 32,
    REMOTE = 64,
    MAY_RETURN = 128,
    UNDER_WAY = 256,
    FLAGS = 512
};

#define A(name) IFD_ANSWER_##name
/* Answers, by state. */
static const struct {
    ifd_order order;
    unsigned condition;
    const char *leads;
    ifd_answer answer[STATES], unmet; /* unmet: if the condition does not hold */
} drawn[] = {
    {IFD_ORDER_NONE, 0, ".........", {A(NONE)}, A(NONE)},
    {IFD_ORDER_ARM,
     READY,
     "r........",
     {A(NONE), A(ARMED_ALREADY), A(ARMED_ALREADY), A(ARMED_ALREADY), A(ARMED_ALREADY), A(ENDING), A(TRIPPED),
      A(ENDING), A(RETURNING)},
     A(RIG_NOT_READY)},
    {IFD_ORDER_RUN,
     0,
     ".N.......",
     {A(NOT_ARMED), A(NONE), A(RUNS_ALREADY), A(RUNS_ALREADY), A(HELD_ALREADY), A(ENDING), A(TRIPPED), A(ENDING),
      A(RETURNING)},
     A(NONE)},
    {IFD_ORDER_HOLD,
     0,
     "..OH.....",
     {A(NOT_STARTED), A(NOT_STARTED), A(RAMP_IN_ENDS), A(NONE), A(HELD_ALREADY), A(ENDING), A(TRIPPED), A(ENDING),
      A(RETURNING)},
     A(NONE)},
    {IFD_ORDER_RESUME,
     MAY_RESUME,
     "....u....",
     {A(NOT_STARTED), A(NOT_STARTED), A(NOT_HELD), A(NOT_HELD), A(NONE), A(ENDING), A(TRIPPED), A(ENDING),
      A(RETURNING)},
     A(RATE_DEPENDENT)},
    {IFD_ORDER_RAMP_OUT,
     0,
     ".SOOO....",
     {A(NOT_STARTED), A(NONE), A(NONE), A(NONE), A(NONE), A(ENDING), A(TRIPPED), A(ENDING), A(RETURNING)},
     A(NONE)},
    {IFD_ORDER_PARK,
     RESTS,
     "....s....",
     {A(NOT_STARTED), A(NOT_STARTED), A(NOT_HELD), A(NOT_HELD), A(NONE), A(ENDING), A(TRIPPED), A(ENDING),
      A(RETURNING)},
     A(STILL_MOVING)},
    {IFD_ORDER_TRIP,
     0,
     "TTTTTTTTT",
     {A(NONE), A(NONE), A(NONE), A(NONE), A(NONE), A(NONE), A(TRIPPED), A(NONE), A(NONE)},
     A(NONE)},
    {IFD_ORDER_RESET,
     STILL,
     "......i..",
     {A(NOT_TRIPPED), A(NOT_TRIPPED), A(NOT_TRIPPED), A(NOT_TRIPPED), A(NOT_TRIPPED), A(NOT_TRIPPED), A(NONE),
      A(NOT_TRIPPED), A(NOT_TRIPPED)},
     A(STILL_MOVING)},
    {IFD_ORDER_QUIT,
     STILL,
     ".S....t..",
     {A(NONE), A(NONE), A(UNDER_WAY), A(UNDER_WAY), A(UNDER_WAY), A(ENDING), A(NONE), A(ENDING), A(RETURNING)},
     A(STILL_MOVING)},
    {IFD_ORDER_RETURN,
     MAY_RETURN,
     "b........",
     {A(NONE), A(ARMED_ALREADY), A(UNDER_WAY), A(UNDER_WAY), A(UNDER_WAY), A(ENDING), A(TRIPPED), A(ENDING),
      A(RETURNING)},
     A(NOT_OUTSIDE)},
    {IFD_ORDER_CHECKPOINT, 0, ".........", {A(NONE)}, A(NONE)},
};
/* State after a fault; it has priority over any order except a trip. */
static const char *const faults[] = {[IFD_ACTION_NOTE] = ".........",
                                     [IFD_ACTION_HOLD] = "...H.....",
                                     [IFD_ACTION_RAMP_OUT] = "..OOO....",
                                     [IFD_ACTION_TRIP] = ".TTTTT..T"};
/* Changes without an order: at arrival, and at the end of the time. */
static const char arrives[] = "..U..S..I", finishes[] = "...O.....";

static ifd_machine drawn_next(int now, size_t i, int action, unsigned flags)
{
    char to = drawn[i].leads[now];
    if (drawn[i].order != IFD_ORDER_TRIP && faults[action][now] != '.')
        to = faults[action][now];
    else if (finishes[now] != '.' && flags & FINISHED)
        to = drawn[i].order == IFD_ORDER_TRIP ? to : finishes[now];
    else if (to >= 'a' && to <= 'z')
        to = flags & drawn[i].condition ? (char)(to - 'a' + 'A') : '.';
    if (to == '.' && flags & ARRIVED)
        to = arrives[now];
    return to == '.' ? states[now] : states[strchr(letters, to) - letters];
}

static ifd_answer drawn_answer(int now, size_t i, int action, unsigned flags)
{
    ifd_machine next = drawn_next(now, i, action, flags);
    if (drawn[i].order == IFD_ORDER_CHECKPOINT) {
        if (next != IFD_MACHINE_RUN && next != IFD_MACHINE_HOLD)
            return IFD_ANSWER_NO_CHECKPOINT;
        if (next == IFD_MACHINE_RUN && flags & UNDER_WAY)
            return IFD_ANSWER_NOT_HELD;
        return flags & REMOTE ? IFD_ANSWER_NO_STATE : IFD_ANSWER_NONE;
    }
    if (drawn[i].order != IFD_ORDER_TRIP && faults[action][now] != '.')
        return IFD_ANSWER_OVERTAKEN;
    if (drawn[i].order == IFD_ORDER_HOLD && letters[now] == 'U' && flags & FINISHED)
        return IFD_ANSWER_ENDING;
    bool asked = drawn[i].leads[now] >= 'a' && drawn[i].leads[now] <= 'z';
    return asked && !(flags & drawn[i].condition) ? drawn[i].unmet : drawn[i].answer[now];
}

static void the_machine_is_the_one_that_is_drawn(void **state)
{
    (void)state;
    for (int now = 0; now < STATES; now++)
        for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
            for (int action = IFD_ACTION_NOTE; action <= IFD_ACTION_TRIP; action++)
                for (unsigned flags = 0; flags < FLAGS; flags++) {
                    const ifd__machine_in in = {.order = drawn[i].order,
                                                .action = (ifd_action)action,
                                                .ready = flags & READY,
                                                .may_resume = flags & MAY_RESUME,
                                                .rests = flags & RESTS,
                                                .still = flags & STILL,
                                                .arrived = flags & ARRIVED,
                                                .finished = flags & FINISHED,
                                                .remote = flags & REMOTE,
                                                .may_return = flags & MAY_RETURN,
                                                .under_way = flags & UNDER_WAY};
                    ifd_machine next = ifd__machine_next(states[now], &in), due = drawn_next(now, i, action, flags);
                    if (next != due)
                        fail_msg("%s in %s, fault %d, flags %#x: %s, expected %s", ifd_order_name(in.order),
                                 ifd_machine_name(states[now]), action, flags, ifd_machine_name(next),
                                 ifd_machine_name(due));
                    ifd_answer said = ifd__machine_answer(states[now], &in),
                               right = drawn_answer(now, i, action, flags);
                    if (said != right && in.order != IFD_ORDER_NONE)
                        fail_msg("%s in %s, fault %d, flags %#x: '%s', expected '%s'", ifd_order_name(in.order),
                                 ifd_machine_name(states[now]), action, flags, ifd_answer_text(said),
                                 ifd_answer_text(right));
                }
}

/* Numbers of a damaged record, or of a later version, also have a name. */
static void numbers_that_mean_nothing_are_called_unknown(void **state)
{
    (void)state;
    static const int beyond[] = {0, 1, 1000};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_string_equal(ifd_machine_name((ifd_machine)(IFD_MACHINE_COUNT + beyond[i])), "unknown");
        assert_string_equal(ifd_order_name((ifd_order)(IFD_ORDER_COUNT + beyond[i])), "unknown");
        assert_string_equal(ifd_trip_name((ifd_trip)(IFD_TRIP_COUNT + beyond[i])), "UNKNOWN");
        assert_string_equal(ifd_trip_text((ifd_trip)(IFD_TRIP_COUNT + beyond[i])), "unknown fault");
        assert_int_equal(ifd_trip_action((ifd_trip)(IFD_TRIP_COUNT + beyond[i])), IFD_ACTION_TRIP);
        assert_string_equal(ifd_answer_text((ifd_answer)(IFD_ANSWER_COUNT + beyond[i])), "");
        assert_false(ifd_answer_refuses((ifd_answer)(IFD_ANSWER_COUNT + beyond[i])));
    }
    assert_string_equal(ifd_machine_name(IFD_MACHINE_STOPPED), "stopped");
    assert_string_equal(ifd_order_name(IFD_ORDER_RAMP_OUT), "ramp-out");
    assert_string_equal(ifd_trip_name(IFD_TRIP_FORCE_STUCK), "FORCE_STUCK");
    assert_non_null(strstr(ifd_trip_text(IFD_TRIP_SOLVER), "cannot be solved"));
    assert_int_equal(ifd_trip_action(IFD_TRIP_ENERGY), IFD_ACTION_HOLD);
    assert_int_equal(ifd_trip_action(IFD_TRIP_NONE), IFD_ACTION_NOTE);
}

static void only_a_rate_dependent_specimen_at_full_rate_is_not_resumed(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 1.005, 2.0};
    for (int i = 0; i < 3; i++)
        for (int allow = 0; allow < 2; allow++)
            for (int depends = 0; depends < 2; depends++) {
                const ifd_hybrid_options o = {
                    .allow_resume = allow != 0, .rate_dependent = depends != 0, .lambda = scales[i]};
                assert_int_equal(ifd_hybrid_may_resume(&o), !(depends && !allow && i == 0));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_that_changes_nothing_is_refused_with_a_reason),
        cmocka_unit_test(a_trip_is_never_refused_in_a_state_that_moves),
        cmocka_unit_test(the_answer_to_resume_names_the_key),
        cmocka_unit_test(the_machine_is_the_one_that_is_drawn),
        cmocka_unit_test(numbers_that_mean_nothing_are_called_unknown),
        cmocka_unit_test(only_a_rate_dependent_specimen_at_full_rate_is_not_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
