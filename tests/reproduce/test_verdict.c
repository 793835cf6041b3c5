/* SPDX-License-Identifier: MIT */
/* The verdict on a figure follows from its numbers: move one, and it changes. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "reproduce/reproduce.h"

static sentence row(rule r, double low, double high)
{
    return (sentence){"000-fig0", "key", "said", "where", "what", r, low, high};
}

static bool in(rule r, double low, double high, double found_)
{
    sentence one = row(r, low, high);
    return holds(&one, found_);
}

static const sentence most_two = {"000-fig0", "two", "said", "where", "what", READING, NONE, 2},
                      order_two = {"000-fig0", "order", "said", "where", "what", ORDER, 2, 0};

/* A figure with two sentences that hold. */
static outcome fresh(void)
{
    outcome o;
    memset(&o, 0, sizeof o);
    o.state = OUTCOME_DONE;
    o.claims = 2;
    o.claim[0] = (claim){.row = &most_two, .found = 1, .answered = true};
    o.claim[1] = (claim){.row = &order_two, .found = 1.99, .answered = true};
    return o;
}

static void try_with(outcome *o, int c, double value, const char *setting)
{
    trial *t = &o->trial[o->trials++];
    *t = (trial){.claim = c, .found = value};
    snprintf(t->setting, sizeof t->setting, "%s", setting);
}

TEST(a_bound_is_met_at_its_edge_and_not_beyond)
{
    assert_true(in(READING, NONE, 2e-4, 2e-4));
    assert_false(in(READING, NONE, 2e-4, 2.0001e-4));
    assert_true(in(PRINTED, 1.9, 2.1, 1.9));
    assert_false(in(PRINTED, 1.9, 2.1, 1.8999));
    assert_true(in(READING, 1, NONE, HUGE_VAL));
    assert_false(in(READING, 1, 2, HUGE_VAL));
}

TEST(a_rule_is_the_same_for_all_figures)
{
    assert_true(in(AGREES, 0, 0, 0.05) && !in(AGREES, 0, 0, 0.0501));
    assert_true(in(AGREES, 7, 9, 0.05) && !in(AGREES, 7, 9, 8)); /* its row cannot widen it */
    assert_true(in(STABLE, 0, 0, 1 + 1e-7) && !in(STABLE, 0, 0, 1 + 2e-6));
    assert_true(in(UNSTABLE, 0, 0, 1 + 2e-6) && !in(UNSTABLE, 0, 0, 1));
    assert_true(in(YES, 0, 0, 1) && !in(YES, 0, 0, 0));
    assert_true(in(LESS, 0, 0, 1) && !in(LESS, 0, 0, 1.01) && in(MORE, 0, 0, 1) && !in(MORE, 0, 0, 0.99));
    assert_true(in(ORDER, 2, 0, 1.91) && in(ORDER, 2, 0, 3) && !in(ORDER, 2, 0, 1.89));
    assert_true(in(NUMBER, 7, 0.5, 6.51) && in(NUMBER, 7, 0.5, 7.49) && !in(NUMBER, 7, 0.5, 7.51)); /* "around 7 s" */
    assert_true(in(NUMBER, 0.0425, 5e-5, 0.0405) && !in(NUMBER, 0.0425, 5e-5, 0.0067)); /* 5 % is more here */
}

TEST(what_is_not_a_number_or_has_no_bound_holds_nothing)
{
    for (rule r = YES; r < RULES; r++)
        assert_false(in(r, 0, 1, (double)NAN));
    assert_false(in(READING, NONE, NONE, 1));
    outcome o = fresh();
    o.claim[0].found = (double)NAN;
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
    try_with(&o, 0, (double)NAN, "another");
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
}

TEST(a_number_that_is_none_is_not_hidden_by_others)
{
    const double none = (double)NAN;
    assert_true(isnan(larger(none, 1)) && isnan(larger(1, none)));
    assert_true(isnan(smaller(none, 1)) && isnan(smaller(1, none)));
    assert_true(isnan(odder(none, 2)) && isnan(odder(2, none)));
    assert_near(larger(1, 2), 2, 0, "larger");
    assert_near(smaller(1, 2), 1, 0, "smaller");
    assert_near(odder(0.25, 2), 0.25, 0, "a quarter is further from one than two");
}

TEST(a_sentence_that_is_not_answered_does_not_hold)
{
    outcome o;
    memset(&o, 0, sizeof o);
    outcome_init(&o, "000-fig3");
    o.state = OUTCOME_DONE;
    assert_true(o.claims >= 7);
    assert_int_equal(tally_of(&o).printed, 0);
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
}

TEST(all_sentences_must_hold)
{
    outcome o = fresh();
    assert_int_equal(verdict_of(&o), REPRODUCED);
    o.claim[1].found = 1.5; /* one number is off */
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
    o.state = OUTCOME_FAILED;
    assert_int_equal(verdict_of(&o), NOT_MADE);
    o = fresh();
    o.claims = 0; /* nothing was said */
    assert_int_equal(verdict_of(&o), NOT_MADE);
}

TEST(another_setting_answers_only_its_own_sentence_and_is_named)
{
    char said[200];
    outcome o = fresh();
    o.claim[0].found = 3;
    try_with(&o, 0, 2.5, "half the step");
    try_with(&o, 1, 2, "a window");
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
    verdict_print(said, sizeof said, &o);
    assert_string_equal(said, "not reproduced: two");
    try_with(&o, 0, 1.5, "a quarter of the step");
    assert_int_equal(verdict_of(&o), REPRODUCED_OTHERWISE);
    assert_int_equal(tally_of(&o).otherwise, 1);
    verdict_print(said, sizeof said, &o);
    assert_string_equal(said, "reproduced with a different setting: a quarter of the step");
    o.claim[1].found = 1; /* the second sentence has its window */
    verdict_print(said, sizeof said, &o);
    assert_string_equal(said, "reproduced with a different setting: a quarter of the step; a window");
}

TEST(a_changed_setting_is_named)
{
    char said[200];
    outcome o = fresh();
    o.choices = 1;
    assert_int_equal(verdict_of(&o), REPRODUCED);
    snprintf(o.change[o.changes++], sizeof o.change[0], "another motion");
    assert_int_equal(verdict_of(&o), REPRODUCED_OTHERWISE);
    verdict_print(said, sizeof said, &o);
    assert_string_equal(said, "reproduced with a different setting: another motion");
}

TEST(bounds_are_said_as_people_say_them)
{
    char text[80];
    sentence one = row(READING, NONE, 2e-4);
    bound_print(text, sizeof text, &one);
    assert_string_equal(text, "at most 0.0002");
    one = row(ORDER, 2, 0);
    bound_print(text, sizeof text, &one);
    assert_string_equal(text, "at least 1.9");
    one = row(PRINTED, 14, 14);
    bound_print(text, sizeof text, &one);
    assert_string_equal(text, "14");
}

TEST(deviations_have_a_unit_and_a_sign)
{
    static const struct {
        sentence row;
        double value;
        const char *text;
    } rows[] = {
        {{.rule = NUMBER, .low = 7, .high = 0.5}, 7.35, "+5 %"},
        {{.rule = NUMBER, .low = -4, .high = 0.5}, -4.4, "-10 %"},
        {{.rule = NUMBER, .low = 0, .high = 0.5}, 0.25, "+0.25"},
        {{.rule = ORDER, .low = 2}, 1.95, "-0.05"},
        {{.rule = AGREES}, 0.04, "none"},
        {{.rule = AGREES}, 0.06, "+20 %"},
        {{.rule = MORE}, 0.75, "-25 %"},
        {{.rule = PRINTED, .low = (double)NAN, .high = 0}, 0.5, "+0.5"},
        {{.rule = YES}, 1, "none"},
        {{.rule = YES}, 0, "not true"},
        {{.rule = LESS}, (double)NAN, "not finite"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[80];
        deviation_print(text, sizeof text, &rows[k].row, rows[k].value);
        assert_string_equal(text, rows[k].text);
    }
}

/* Every row has claim, place and bound; a figure's keys differ; a table on the page has no bars in its cells. */
TEST(every_sentence_is_whole)
{
    for (const sentence *r = sentences; r->figures; r++) {
        double low, high;
        assert_true(*r->key && *r->said && *r->where && *r->what);
        assert_null(strchr(r->said, '|'));
        assert_null(strchr(r->what, '|'));
        bounds_of(r, &low, &high);
        assert_false(isnan(low) && isnan(high));
        assert_false(low > high);
        outcome o;
        char figure[16];
        memset(&o, 0, sizeof o);
        snprintf(figure, sizeof figure, "%.*s", (int)strcspn(r->figures, " "), r->figures);
        outcome_init(&o, figure);
        assert_true(o.claims < MOST_CLAIMS);
        int same = 0;
        for (int i = 0; i < o.claims; i++)
            same += strcmp(o.claim[i].row->key, r->key) == 0;
        if (same != 1)
            fail_msg("%s has the key '%s' %d times", figure, r->key, same);
    }
    assert_true(sentence_of(&(sentence){.figures = "004-fig10 004-fig1"}, "004-fig1"));
    assert_false(sentence_of(&(sentence){.figures = "004-fig10 004-fig11"}, "004-fig1"));
}

TESTS()
