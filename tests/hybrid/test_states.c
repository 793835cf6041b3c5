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
                                                .may_return = flags & 64,
                                                .unready = IFD_ANSWER_RIG_NOT_READY};
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
    bool latches = now == IFD_MACHINE_HOLD && next == IFD_MACHINE_HOLD; /* until the test is at rest */
    if (latches && (in->order == IFD_ORDER_STOP || in->order == IFD_ORDER_PARK))
        return true;
    if (in->order == IFD_ORDER_OFF && now != IFD_MACHINE_STOPPED)
        return true;
    if (now == IFD_MACHINE_IDLE &&
        (in->order == IFD_ORDER_LOW || in->order == IFD_ORDER_HIGH || in->order == IFD_ORDER_STOP))
        return true;
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
    bool stops = in->order == IFD_ORDER_STOP &&
                 (by_itself(now, in) == IFD_MACHINE_RAMP_OUT || by_itself(now, in) == IFD_MACHINE_HOLD);
    bool same =
        (in->order == IFD_ORDER_RAMP_OUT && by_itself(now, in) == IFD_MACHINE_RAMP_OUT) || stops ||
        ((in->order == IFD_ORDER_TRIP || in->order == IFD_ORDER_STOP) && by_itself(now, in) == IFD_MACHINE_TRIPPED);
    if (!ifd_answer_refuses(answer) && !changes && !acts_otherwise(now, in) && !same)
        fail_msg("%s in %s changes nothing and is not answered", order, state);
    if (answer == IFD_ANSWER_RAMP_IN_ENDS)
        assert_int_equal(ifd__machine_next(now, in), IFD_MACHINE_RAMP_OUT);
    else if (in->order != IFD_ORDER_STOP && in->order != IFD_ORDER_PARK)
        assert_true(answer == IFD_ANSWER_NONE || ifd_answer_refuses(answer));
    assert_true((answer == IFD_ANSWER_NONE) == (*ifd_answer_text(answer) == '\0'));
}

TEST(every_order_that_changes_nothing_is_refused_with_a_reason)
{
    walk(see_answer);
}

static void see_trip(ifd_machine now, const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_TRIP)
        assert_int_equal(ifd__machine_next(now, in), IFD_MACHINE_TRIPPED);
}

TEST(a_trip_is_never_refused_in_a_state_that_moves)
{
    walk(see_trip);
}

TEST(the_answer_to_resume_names_the_key)
{
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
     "...Hs....",
     {A(NOT_STARTED), A(NOT_STARTED), A(NOT_HELD), A(PARKS), A(NONE), A(ENDING), A(TRIPPED), A(ENDING), A(RETURNING)},
     A(PARKS)},
    {IFD_ORDER_STOP, /* the first one, of the holder */
     RESTS,
     ".SOHoT..T",
     {A(NONE), A(NONE), A(STOPS_RAMP), A(STOPS), A(STOPS_AT_REST), A(STOP_TRIPS), A(NOTHING_MOVES), A(ENDING),
      A(STOP_TRIPS)},
     A(STOPS_AT_REST)},
    {IFD_ORDER_UNLOAD,
     0,
     ".O..O....",
     {A(NOT_ARMED), A(NONE), A(NOT_HELD), A(NOT_HELD), A(NONE), A(ENDING), A(TRIPPED), A(ENDING), A(RETURNING)},
     A(NONE)},
    {IFD_ORDER_OFF,
     0,
     ".TTTTT..T",
     {A(NONE), A(NONE), A(NONE), A(NONE), A(NONE), A(NONE), A(NONE), A(ENDING), A(NONE)},
     A(NONE)},
    {IFD_ORDER_LOW,
     0,
     ".........",
     {A(NONE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE),
      A(ONLY_IDLE)},
     A(NONE)},
    {IFD_ORDER_HIGH,
     0,
     ".........",
     {A(NONE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE), A(ONLY_IDLE),
      A(ONLY_IDLE)},
     A(NONE)},
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

/* Orders that no fault of the same tick overtakes. */
static bool trips(int now, size_t i)
{
    return drawn[i].order == IFD_ORDER_TRIP || (drawn[i].leads[now] == 'T' && letters[now] != 'T');
}

static ifd_machine drawn_next(int now, size_t i, int action, unsigned flags)
{
    char to = drawn[i].leads[now];
    if (!trips(now, i) && faults[action][now] != '.')
        to = faults[action][now];
    else if (finishes[now] != '.' && flags & FINISHED)
        to = trips(now, i) ? to : finishes[now];
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
    bool stop = drawn[i].order == IFD_ORDER_STOP, off = drawn[i].order == IFD_ORDER_OFF;
    bool overtaken = !trips(now, i) && faults[action][now] != '.';
    if (overtaken && !off && !(stop && faults[action][now] != 'T')) /* a stop is not lost with a hold by a fault */
        return IFD_ANSWER_OVERTAKEN;
    bool holds = drawn[i].order == IFD_ORDER_HOLD || drawn[i].order == IFD_ORDER_PARK;
    if ((holds || stop) && letters[now] == 'U' && flags & FINISHED)
        return stop ? IFD_ANSWER_NONE : IFD_ANSWER_ENDING;
    bool asked = drawn[i].leads[now] >= 'a' && drawn[i].leads[now] <= 'z';
    return asked && !(flags & drawn[i].condition) ? drawn[i].unmet : drawn[i].answer[now];
}

TEST(the_machine_is_the_one_that_is_drawn)
{
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
                                                .unready = IFD_ANSWER_RIG_NOT_READY,
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

/* Who gives a stop, and what is latched: `ends` has the state after it in ramp-in, run, hold at rest, ramp-out,
 * return and tripped, `gives` the answers. */
TEST(a_stop_depends_on_its_source_and_on_the_first_one)
{
    static const ifd_machine in_state[] = {IFD_MACHINE_RAMP_IN,  IFD_MACHINE_RUN,    IFD_MACHINE_HOLD,
                                           IFD_MACHINE_RAMP_OUT, IFD_MACHINE_RETURN, IFD_MACHINE_TRIPPED};
    static const struct {
        ifd__from from;
        ifd__wants wants;
        bool again, second, simulated;
        const char *ends, *gives;
    } rows[] = {
        /*                                                                     NUHOBT */
        {IFD__FROM_HOLDER, IFD__WANTS_NOTHING, false, false, false, /*     */ "OHOTTT", "RUATTN"},
        {IFD__FROM_VIEWER, IFD__WANTS_NOTHING, false, false, false, /*     */ "OHHTTT", "RUVTTN"},
        {IFD__FROM_ITSELF, IFD__WANTS_NOTHING, false, false, false, /*     */ "OHHOBT", "RULGGN"},
        {IFD__FROM_ITSELF, IFD__WANTS_NOTHING, false, false, true, /*      */ "OHOOBT", "RUAGGN"},
        {IFD__FROM_ITSELF, IFD__WANTS_STOP, true, false, false, /*         */ "OHHOBT", "RUSGGN"},
        {IFD__FROM_ITSELF, IFD__WANTS_LATER, false, false, false, /*       */ "OHHOBT", "RUSGGN"},
        {IFD__FROM_HOLDER, IFD__WANTS_STOP, true, false, false, /* 0.4 s   */ "OHHOBT", "RUSSSN"},
        {IFD__FROM_HOLDER, IFD__WANTS_STOP, true, true, false, /*  0.5 s   */ "TTTTTT", "TTTTTN"},
        {IFD__FROM_VIEWER, IFD__WANTS_STOP, true, false, false, /* another */ "OHHOBT", "RUSSSN"},
        {IFD__FROM_VIEWER, IFD__WANTS_STOP, true, true, false, /*  first   */ "TTTTTT", "TTTTTN"},
        {IFD__FROM_VIEWER, IFD__WANTS_LATER, false, false, false, /*       */ "OHHTTT", "RUVTTN"},
        {IFD__FROM_HOLDER, IFD__WANTS_LATER, false, false, false, /*       */ "OHOTTT", "RUATTN"},
    };
    static const ifd_answer answer_of[] = {
        ['R'] = IFD_ANSWER_STOPS_RAMP, ['U'] = IFD_ANSWER_STOPS,        ['A'] = IFD_ANSWER_STOPS_AT_REST,
        ['L'] = IFD_ANSWER_STOP_LATER, ['S'] = IFD_ANSWER_STOP_SAME,    ['G'] = IFD_ANSWER_GOES_ON,
        ['T'] = IFD_ANSWER_STOP_TRIPS, ['V'] = IFD_ANSWER_STOP_REFUSED, ['N'] = IFD_ANSWER_NOTHING_MOVES};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 6; k++) {
            const ifd__machine_in in = {.order = IFD_ORDER_STOP,
                                        .from = rows[i].from,
                                        .wants = rows[i].wants,
                                        .again = rows[i].again,
                                        .second = rows[i].second,
                                        .simulated = rows[i].simulated,
                                        .rests = true,
                                        .still = true};
            ifd_machine due = states[strchr(letters, rows[i].ends[k]) - letters];
            if (ifd__machine_next(in_state[k], &in) != due)
                fail_msg("row %d: a stop in %s leads to %s", (int)i, ifd_machine_name(in_state[k]),
                         ifd_machine_name(ifd__machine_next(in_state[k], &in)));
            ifd_answer said = ifd__machine_answer(in_state[k], &in);
            if (said != answer_of[(int)rows[i].gives[k]])
                fail_msg("row %d: the answer to a stop in %s is '%s'", (int)i, ifd_machine_name(in_state[k]),
                         ifd_answer_text(said));
        }
}

/* What is latched on hold acts when it is due, and a stop or a park is not resumed. An announced stop is: the order
 * of a person wins, also in the tick in which it is due. */
TEST(a_latched_order_acts_when_it_is_due)
{
    static const struct {
        ifd__wants wants;
        ifd_order order;
        bool due;
        char ends;
    } rows[] = {
        {IFD__WANTS_STOP, IFD_ORDER_NONE, false, 'H'},   {IFD__WANTS_STOP, IFD_ORDER_NONE, true, 'O'},
        {IFD__WANTS_PARK, IFD_ORDER_NONE, true, 'S'},    {IFD__WANTS_LATER, IFD_ORDER_NONE, true, 'O'},
        {IFD__WANTS_STOP, IFD_ORDER_RESUME, false, 'H'}, {IFD__WANTS_PARK, IFD_ORDER_RESUME, false, 'H'},
        {IFD__WANTS_STOP, IFD_ORDER_PARK, false, 'H'},   {IFD__WANTS_STOP, IFD_ORDER_UNLOAD, false, 'H'},
        {IFD__WANTS_LATER, IFD_ORDER_RESUME, true, 'U'}, {IFD__WANTS_LATER, IFD_ORDER_HOLD, true, 'H'},
        {IFD__WANTS_LATER, IFD_ORDER_PARK, true, 'S'},   {IFD__WANTS_LATER, IFD_ORDER_UNLOAD, false, 'O'},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ifd__machine_in in = {.order = rows[i].order,
                                    .wants = rows[i].wants,
                                    .due = rows[i].due,
                                    .may_resume = true,
                                    .rests = rows[i].wants != IFD__WANTS_STOP || rows[i].due};
        ifd_machine next = ifd__machine_next(IFD_MACHINE_HOLD, &in);
        if (next != states[strchr(letters, rows[i].ends) - letters])
            fail_msg("row %d leads to %s", (int)i, ifd_machine_name(next));
        bool forgotten = next == IFD_MACHINE_HOLD && rows[i].order && rows[i].wants != IFD__WANTS_LATER;
        assert_int_equal(ifd_answer_refuses(ifd__machine_answer(IFD_MACHINE_HOLD, &in)), forgotten);
    }
}

/* The words that terminal and page offer: those of the specification, per state. */
TEST(permitted_words_are_those_of_the_state)
{
    static const struct {
        ifd_machine state;
        const char *words;
    } rows[] = {
        {IFD_MACHINE_IDLE, " arm trip quit return update-off update-on stop low high off"},
        {IFD_MACHINE_READY, " run ramp-out trip quit update-off update-on stop unload off"},
        {IFD_MACHINE_RAMP_IN, " hold ramp-out trip update-off update-on stop off"},
        {IFD_MACHINE_RUN, " hold ramp-out trip checkpoint park update-off update-on slower faster stop off"},
        {IFD_MACHINE_HOLD,
         " resume ramp-out trip checkpoint park update-off update-on slower faster stop unload off"},
        {IFD_MACHINE_RAMP_OUT, " trip update-off update-on stop off"},
        {IFD_MACHINE_RETURN, " trip update-off update-on stop off"},
        {IFD_MACHINE_TRIPPED, " reset quit update-off update-on off"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[200] = "";
        for (int order = 0; order <= IFD_ORDER_COUNT; order++)
            if (ifd_order_permitted(rows[i].state, (ifd_order)order)) {
                strcat(words, " ");
                strcat(words, ifd_order_name((ifd_order)order));
            }
        assert_string_equal(words, rows[i].words);
    }
}

TEST(an_answer_is_printed_with_its_numbers)
{
    char line[160];
    ifd_tick_trace t = {.answer = IFD_ANSWER_PRESSURE_BACK, .answer_value = 0.4};
    ifd_answer_print(&t, line, sizeof line);
    assert_string_equal(line, "pressure is back since 0.4 s; type arm again after 1 s");
    t = (ifd_tick_trace){.answer = IFD_ANSWER_CHANGED_POSITION, .answer_value = 0.0, .answer_limit = 0.0046};
    ifd_answer_print(&t, line, sizeof line);
    assert_non_null(strstr(line, "at 0 mm, the checkpoint at 4.6 mm"));
    ifd_answer_print(&t, line, 20);
    assert_int_equal(strlen(line), 19);
    t = (ifd_tick_trace){.answer = IFD_ANSWER_NOT_ARMED};
    ifd_answer_print(&t, line, sizeof line);
    assert_string_equal(line, "not armed. Type arm first");
}

/* Numbers of a damaged record, or of a later version, also have a name. */
TEST(numbers_that_mean_nothing_are_called_unknown)
{
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

TEST(only_a_rate_dependent_specimen_is_not_resumed)
{
    static const double scales[] = {1.0, 1.005, 2.0};
    for (int i = 0; i < 3; i++)
        for (int allow = 0; allow < 2; allow++)
            for (int depends = 0; depends < 2; depends++) {
                const ifd_hybrid_options o = {
                    .allow_resume = allow != 0, .rate_dependent = depends != 0, .lambda = scales[i]};
                assert_int_equal(ifd_hybrid_may_resume(&o), !(depends && !allow));
            }
}

/* Orders that wait for other people: the operator of a rig server, the script that computes the structure. */
TEST(nothing_begins_without_those_who_belong_to_it)
{
    static const ifd_order power[] = {IFD_ORDER_LOW, IFD_ORDER_HIGH, IFD_ORDER_RETURN};
    for (int forbidden = 0; forbidden < 2; forbidden++)
        for (int k = 0; k < 3; k++) {
            const ifd__machine_in in = {.order = power[k], .forbidden = forbidden, .may_return = !forbidden};
            assert_int_equal(ifd__machine_answer(IFD_MACHINE_IDLE, &in),
                             forbidden ? IFD_ANSWER_NOT_ALLOWED : IFD_ANSWER_NONE);
        }
    for (int k = 0; k < 3; k++) {
        const ifd__machine_in in = {.order = power[k], .unsteady = true, .may_return = true};
        assert_int_equal(ifd__machine_answer(IFD_MACHINE_IDLE, &in),
                         power[k] == IFD_ORDER_HIGH ? IFD_ANSWER_NO_LOW : IFD_ANSWER_NONE);
    }
    for (int alone = 0; alone < 2; alone++) {
        const ifd__machine_in in = {.order = IFD_ORDER_RUN, .alone = alone};
        assert_int_equal(ifd__machine_next(IFD_MACHINE_READY, &in), alone ? IFD_MACHINE_READY : IFD_MACHINE_RAMP_IN);
        assert_int_equal(ifd__machine_answer(IFD_MACHINE_READY, &in), alone ? IFD_ANSWER_NO_MASTER : IFD_ANSWER_NONE);
        assert_int_equal(ifd__machine_answer(IFD_MACHINE_IDLE, &in), IFD_ANSWER_NOT_ARMED);
    }
}

/* A sentence with two numbers in a buffer of any size: its beginning, with an end. */
TEST(an_answer_is_cut_at_the_end_of_its_buffer)
{
    const ifd_tick_trace t = {.answer = IFD_ANSWER_QUIT_FREES, .answer_value = 2.0, .answer_limit = 4.25};
    char whole[200], out[200];
    ifd_answer_print(&t, whole, sizeof whole);
    assert_string_equal(whole, "switches axis 2 off: 4.2 kN are released. Type quit again");
    for (size_t size = 0; size <= strlen(whole) + 2; size++) {
        memset(out, '~', sizeof out);
        ifd_answer_print(&t, out, size);
        size_t length = size == 0 ? 0 : size - 1 < strlen(whole) ? size - 1 : strlen(whole);
        assert_memory_equal(out, whole, length);
        assert_int_equal(out[length], size == 0 ? '~' : '\0');
        assert_int_equal(out[size], '~');
    }
    const ifd_tick_trace plain = {.answer = IFD_ANSWER_NOT_ALLOWED, .answer_value = 2.0};
    ifd_answer_print(&plain, out, sizeof out);
    assert_string_equal(out, ifd_answer_text(IFD_ANSWER_NOT_ALLOWED));
}

TESTS()
