/* SPDX-License-Identifier: MIT */
/* A hybrid test of coupled substructures allocates nothing from its first tick to its last, on its thread or on its
 * worker. */
#include "hybrid/hybrid_chain.h"

#include "rt/alloc_count.h"

TEST(no_coupling_with_a_specimen_takes_memory)
{
    for (size_t i = 0; i < COUNT(schemes); i++)
        for (int threads = 1; threads <= 2; threads++) {
            stand s;
            stand_prepare(&s, &schemes[i]);
            s.test->opt.threads = threads;
            stand_slide(&s, &schemes[i]);
            stand_make(&s);
            ifd_arena_seal(s.arena);
            long elsewhere = alloc_elsewhere();
            alloc_arm();
            ifd_run_state outcome = run_out(&s);
            long calls = alloc_disarm();
            elsewhere = alloc_elsewhere() - elsewhere;
            if (calls || elsewhere)
                print_error("%s, ss %d: %ld calls, %ld on other threads\n", schemes[i].coupling, schemes[i].ss, calls,
                            elsewhere);
            assert_int_equal(outcome, IFD_RUN_DONE);
            assert_int_equal(calls, 0);
            assert_int_equal(elsewhere, 0);
            stand_close(&s);
        }
}

TESTS()
