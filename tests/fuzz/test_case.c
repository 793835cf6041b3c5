/* SPDX-License-Identifier: MIT */
#include "../../fuzz/fuzz_case.c"
#include "check.h"
#include "replay.h"

TEST(inputs_that_once_failed_are_refused_with_a_reason)
{
    assert_true(replay("case", LLVMFuzzerTestOneInput) > 0);
}

TESTS()
