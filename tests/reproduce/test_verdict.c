/* SPDX-License-Identifier: MIT */
/* The verdict on a figure follows from its numbers: move one, and it changes. */
#include "check.h"

#include <string.h>

#include "../../app/reproduce.h"

static outcome fresh(void)
{
    outcome o;
    memset(&o, 0, sizeof o);
    o.state = OUTCOME_DONE;
    return o;
}

static void add(outcome *o, check_role role, double found, double low, double high)
{
    o->check[o->checks++] = (check){.role = role, .found = found, .low = low, .high = high};
}

static void a_bound_is_met_at_its_edge_and_not_beyond(void **state)
{
    (void)state;
    assert_true(check_holds(&(check){.found = 2e-4, .low = NONE, .high = 2e-4}));
    assert_false(check_holds(&(check){.found = 2.0001e-4, .low = NONE, .high = 2e-4}));
    assert_true(check_holds(&(check){.found = 1.9, .low = 1.9, .high = 2.1}));
    assert_false(check_holds(&(check){.found = 1.8999, .low = 1.9, .high = 2.1}));
    assert_true(check_holds(&(check){.found = HUGE_VAL, .low = 1, .high = NONE}));
    assert_false(check_holds(&(check){.found = HUGE_VAL, .low = 1, .high = 2}));
}

static void what_is_not_a_number_or_has_no_bound_holds_nothing(void **state)
{
    (void)state;
    assert_false(check_holds(&(check){.found = (double)NAN, .low = NONE, .high = 1}));
    assert_false(check_holds(&(check){.found = (double)NAN, .low = 0, .high = NONE}));
    assert_false(check_holds(&(check){.found = 1, .low = NONE, .high = NONE}));
}

static void all_claims_must_hold(void **state)
{
    (void)state;
    outcome o = fresh();
    assert_int_equal(verdict_of(&o), NOT_MADE); /* nothing was claimed */
    add(&o, CHECK_PRINTED, 1, NONE, 2);
    add(&o, CHECK_PRINTED, 1.99, 1.9, 2.1);
    assert_int_equal(verdict_of(&o), REPRODUCED);
    o.check[1].found = 1.5; /* one number is off */
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
    o.state = OUTCOME_FAILED;
    assert_int_equal(verdict_of(&o), NOT_MADE);
}

static void another_setting_answers_only_the_claim_before_it(void **state)
{
    (void)state;
    outcome o = fresh();
    add(&o, CHECK_PRINTED, 0.022, NONE, 2e-4);
    add(&o, CHECK_OTHERWISE, 1.5e-3, NONE, 2e-4);
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
    add(&o, CHECK_OTHERWISE, 9.5e-5, NONE, 2e-4);
    add(&o, CHECK_OTHERWISE, 9.0e-5, NONE, 2e-4);
    assert_int_equal(verdict_of(&o), REPRODUCED_OTHERWISE);
    assert_int_equal(tally_of(&o).otherwise, 1);
    add(&o, CHECK_PRINTED, 0.016, NONE, 2e-4); /* a second claim, which nothing answers */
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
    assert_int_equal(tally_of(&o).claims, 2);
    o.check[4].found = 1e-4;
    assert_int_equal(verdict_of(&o), REPRODUCED_OTHERWISE);
}

static void a_changed_setting_is_said(void **state)
{
    (void)state;
    outcome o = fresh();
    add(&o, CHECK_PRINTED, 1, NONE, 2);
    o.choices = 1;
    assert_int_equal(verdict_of(&o), REPRODUCED);
    o.changes = 1;
    assert_int_equal(verdict_of(&o), REPRODUCED_OTHERWISE);
}

static void what_stands_beside_a_figure_does_not_count(void **state)
{
    (void)state;
    outcome o = fresh();
    add(&o, CHECK_PRINTED, 1, NONE, 2);
    add(&o, CHECK_BESIDE, 3, NONE, 2);
    assert_int_equal(verdict_of(&o), REPRODUCED);
    assert_int_equal(tally_of(&o).claims, 1);
    o.check[0].found = 3;
    add(&o, CHECK_BESIDE, 1, NONE, 2);
    assert_int_equal(verdict_of(&o), NOT_REPRODUCED);
}

static void bounds_are_said_as_people_say_them(void **state)
{
    (void)state;
    char text[80];
    bound_print(text, sizeof text, &(check){.low = NONE, .high = 2e-4});
    assert_string_equal(text, "at most 0.0002");
    bound_print(text, sizeof text, &(check){.low = 1, .high = NONE});
    assert_string_equal(text, "at least 1");
    bound_print(text, sizeof text, &(check){.low = 1.9, .high = 2.1});
    assert_string_equal(text, "1.9 to 2.1");
    bound_print(text, sizeof text, &(check){.low = 14, .high = 14});
    assert_string_equal(text, "14");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_bound_is_met_at_its_edge_and_not_beyond),
                                       cmocka_unit_test(what_is_not_a_number_or_has_no_bound_holds_nothing),
                                       cmocka_unit_test(all_claims_must_hold),
                                       cmocka_unit_test(another_setting_answers_only_the_claim_before_it),
                                       cmocka_unit_test(a_changed_setting_is_said),
                                       cmocka_unit_test(what_stands_beside_a_figure_does_not_count),
                                       cmocka_unit_test(bounds_are_said_as_people_say_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
