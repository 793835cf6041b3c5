/* SPDX-License-Identifier: MIT */
/* Scripts of scenarios: what holds passes, and every wrong expectation fails, with both values. */
#include "hybrid/hybrid_stand.h"

#include <sys/wait.h>
#include <unistd.h>

static struct {
    double shift;
    bool silent;
    int count;
    long calls;
    uint32_t clear;
    uint64_t heard;
} rig;
static ifd_rig_ops ops;
static stand s;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    rig.calls++;
    out->position[0] += rig.shift;
    out->inputs &= ~rig.clear;
    return fresh && !rig.silent;
}

static double twice_the_state(const ifd_hybrid *h)
{
    return 2.0 * (int)ifd_hybrid_state(h);
}

static const quantity own[] = {QUANTITY(rig, shift),
                               QUANTITY(rig, silent),
                               QUANTITY(rig, count),
                               QUANTITY(rig, calls),
                               QUANTITY(rig, clear),
                               QUANTITY(rig, heard),
                               {"twice", 'f', NULL, twice_the_state},
                               {0}};

static player *open(const char *set)
{
    stand_prepare(&s, 4e5, 2e5);
    stand_set(&s, set);
    memset(&rig, 0, sizeof rig);
    ops = ifd_virtual_rig;
    ops.sense = sense;
    s.opt.rig = &ops;
    s.own = own;
    stand_make(&s);
    return &s.p;
}

static void close_it(void)
{
    stand_close(&s);
}

static const scenario rows[] = {
    {"a script brings a test from idle to its end", NULL,
     "is idle; wait NO_MEASUREMENT; 3 quiet; wait ORDER; arm: NONE; is ready; run; until run\n"
     "passed ready ramp-in run; until time >= 0.5 within 1000; hold; is hold; hold: HELD_ALREADY\n"
     "answer.order hold; until [rate] = 0 within 400; resume: NONE; until the end; result DONE\n"
     "passed hold run ramp-out stopped; fault NONE"},
    {"an automatic test needs no order", "automatic := 1; end := 1",
     "until the end; passed ready ramp-in run ramp-out stopped; time = 1 +- 1e-12"},
    {"quantities of each type are set and read", NULL,
     "shift := 0.5; shift = 0.5; silent := 1; silent = 1; count := -7; count = -7; calls := 4; 2; calls = 6\n"
     "clear := NO_STOP + HYDRAULICS; clear = 3; heard := 9; heard = 9; twice = 0; kept := 2 + calls * 3\n"
     "kept = 20 + 4; kept := kept / 8 - 1; kept = 2; shift := nan; shift = nan; shift != 0; kept != 3\n"
     "kept in -2..2.5; kept >= 2; kept > 1.99; kept <= 2; kept < 0x1.8p+1; kept = 2.125 +- 0.125\n"
     "wall := 3; wall = 3; gate := CHECKS; gate = 512"},
    {"a fault and its numbers are seen", NULL,
     "3; arm; run; until run; tick := ticks; clear := HYDRAULICS; 1; fault HYDRAULICS; is tripped\n"
     "fault.channel = -1; fault.tick = tick + 1; count.HYDRAULICS = 1; count.LOST = 0; clear := 0\n"
     "200 with is tripped; 0.4 s; ticks = tick + 401; reset; is idle; period = 0.002"},
    {"orders have sources", NULL, "2; stop by viewer; result DONE; answer NONE; hold; answer NOT_STARTED"},
};
SCENARIOS(rows, open, close_it)

/* Each fails in its last statement; the report has the words. */
TEST(every_wrong_expectation_fails_with_both_values)
{
    static const struct {
        const char *script, *says;
    } wrong[] = {
        {"3; is ready", "'is ready', in idle (NONE) after 3 ticks:\n    is is idle, expected = ready"},
        {"3; arm: NO_HIGH", "the answer is NONE, expected NO_HIGH"},
        {"run: NONE", "the answer is NOT_ARMED, expected NONE"},
        {"3; 4 hold: NONE; 1", "'4 hold: NONE'"},
        {"3; hold; 5 quiet; arm; hold; fault NONE; wait ORDER", "expected = ORDER"},
        {"3; arm; 3; stop; 1 quiet; trip; 2; fault ORDERED; fault LOST", "is ORDERED, expected = LOST"},
        {"count := 3; count = 4", "count is 3, expected = 4"},
        {"count := 3; count != 3", "count is 3, expected != 3"},
        {"count < 0", "expected < 0"},
        {"count <= -1", "expected <= -1"},
        {"count > 0", "expected > 0"},
        {"count >= 1", "expected >= 1"},
        {"shift := 0.5; shift = 0.75 +- 0.2", "shift is 0.5, expected = 0.75"},
        {"shift := nan; shift = 0 +- 1e9", "shift is nan"},
        {"shift := nan; shift < 1", "shift is nan"},
        {"shift := 2.5; shift in 1..2", "shift is 2.5, expected 1 to 2"},
        {"until run within 30", "not within 30 ticks"},
        {"until count > 0 within 30", "count is 0, expected > 0"},
        {"until answer within 5", "not within 5 ticks"},
        {"until the end within 5", "not within 5 ticks"},
        {"10 with calls < 8", "'10 with calls < 8', in idle (NONE) after 8 ticks:\n    calls is 8, expected < 8"},
        {"0 with calls = 0", "a condition of no tick"},
        {"0 quiet", "a condition of no tick"},
        {"3; arm; passed ready run", "state 2 is none, expected run"},
        {"3; arm; run; passed ready", "then also ramp-in"},
        {"3; arm; passed ramp-in", "state 1 is ready, expected ramp-in"},
        {"result DONE", "result is GOING, expected = DONE"},
        {"[no such column] = 0", "there is no column [no such column]"},
        {"nothing = 0", "'nothing' is no word"},
        {"is nowhere", "'nowhere' is no word"},
        {"arm: SOMETHING", "no answer of that name"},
        {"arm by nobody", "no source"},
        {"5 dance", "no order at"},
        {"count", "not followed by a comparison"},
        {"count = 0 0", "nothing is known of '0'"},
        {"count in 1", "no bounds"},
        {"count = ", "no value"},
        {"passed anywhere", "no state"},
        {"fault := 4", "cannot be set"},
        {"twice := 4", "read only"},
        {"a_name_of_more_letters_than_fit := 4", "cannot be set"},
        {"= 4", "no statement begins"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        player *p = open(NULL);
        if (play_holds(p, wrong[i].script) || !strstr(p->report, wrong[i].says))
            fail_msg("'%s' reports '%s', expected '%s'", wrong[i].script, p->report, wrong[i].says);
        close_it();
    }
}

TEST(nothing_is_played_after_the_first_failure)
{
    player *p = open(NULL);
    assert_false(play_holds(p, "3; is run; 50; count := 9"));
    assert_int_equal(p->ticks, 3);
    assert_int_equal(rig.count, 0);
    close_it();
}

TEST(the_value_of_an_expression_is_that_of_the_test)
{
    player *p = open(NULL);
    play(p, "%d; ticks = %g", 7, 7.0);
    assert_near(play_value(p, "ticks * period + 1"), 7 * 0.002 + 1.0, 1e-15, "");
    close_it();
}

static const scenario wrong_row[] = {{"a wrong row", NULL, "3; is run"}};
static void play_wrong_row(void **state)
{
    (void)state;
    play(open(wrong_row->set), "%s", wrong_row->script);
}

/* The failure of a row is the failure of its test. */
TEST(a_wrong_row_fails_its_test)
{
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        const struct CMUnitTest one = {wrong_row->name, play_wrong_row, NULL, NULL, NULL};
        (void)!freopen("/dev/null", "w", stderr);
        (void)!freopen("/dev/null", "w", stdout);
        _exit(_cmocka_run_group_tests("wrong", &one, 1, NULL, NULL));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

TESTS()
