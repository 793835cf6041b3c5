/* SPDX-License-Identifier: MIT */
/* An embedded simulation allocates nothing while it is stepped, saved and loaded. */
#include "check.h"

#include <interfield/embed.h>

#include "alloc_count.h"

static double force_of(void *self, double t, double stretch, double rate)
{
    (void)self, (void)t;
    return 80.0 * stretch + 0.1 * rate;
}

TEST(stepping_and_going_back_take_no_memory)
{
    const double M[] = {2, 0.1, 0.1, 3}, ground[] = {0, 1, 0, -1, 0};
    double kept[256], row[64], time;
    ifd_sim *s = ifd_sim_open();
    assert_non_null(s);
    ifd_sim_dof(s, "x1", "x");
    ifd_sim_dof(s, "x2", "x");
    ifd_sim_matrix(s, IFD_MASS, 2, M);
    ifd_sim_ground(s, "x", 5, 0.5, ground);
    ifd_sim_specimen(s, "low", "ground", "x1", 80.0, 0.1);
    ifd_sim_specimen(s, "high", "x1", "x2", 80.0, 0.1);
    ifd_sim_answer(s, "high", force_of, NULL);
    ifd_sim_method(s, "lsrt2", 0.001, 5.0);
    if (ifd_sim_make(s) != IFD_OK)
        fail_msg("%s", ifd_sim_message(s));
    assert_true(ifd_sim_size(s) <= 256 && ifd_sim_columns(s) <= 64);
    alloc_arm();
    for (int k = 0; k < 4000; k++) {
        if (k == 1000)
            ifd_sim_save(s, kept);
        if (k == 3000)
            ifd_sim_load(s, kept);
        ifd_sim_take(s, 1, &time, row);
    }
    long calls = alloc_disarm();
    assert_int_equal(calls, 0);
    assert_int_equal(alloc_elsewhere(), 0);
    assert_near(time, 1.998, 1e-9, "");
    ifd_sim_close(s);
}

TESTS()
