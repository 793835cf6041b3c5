/* SPDX-License-Identifier: MIT */
#include "../../fuzz/fuzz_case.c"
#include "check.h"
#include "replay.h"

static void inputs_that_once_failed_are_refused_with_a_reason(void **state)
{
    (void)state;
    assert_true(replay("case", LLVMFuzzerTestOneInput) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inputs_that_once_failed_are_refused_with_a_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
