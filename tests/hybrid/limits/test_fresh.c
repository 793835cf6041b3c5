/* SPDX-License-Identifier: MIT */
/* The share of ticks without a measurement, of the last second and of run, against its closed form. */
#include "check.h"

#include "hybrid/bare.h"

static void begin(double period)
{
    (void)bare_begin();
    bare.period = period;
    ifd__test_of(&bare)->rig.heard = 1.0;
}

static void ticks(long n, ifd_machine state, bool stale)
{
    bare_state(state);
    ifd__test_of(&bare)->rig.stale = stale ? 3.0 : 0.0;
    for (long i = 0; i < n; i++)
        ifd__fresh_count(&bare);
}

static void assert_missed(double stale, double of)
{
    assert_near(ifd__fresh_missed(&bare), stale / of, 1e-15, "share of stale ticks");
}

/* Tenths of n ticks: the first of them stale. It counts until ten later ones are complete. */
TEST(the_last_second_is_counted_in_tenths)
{
    static const struct {
        double period;
        long n;
    } rows[] = {{0.001, 100}, {0.5, 1}, {0.0999, 2}, {0.1 / (100.0 * (1.0 + 1.005e-12)), 101}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double n = (double)rows[i].n;
        begin(rows[i].period);
        assert_near(ifd__fresh_missed(&bare), 0.0, 0.0, "nothing yet");
        ticks(rows[i].n, IFD_MACHINE_IDLE, true);
        assert_missed(n, n);
        for (long k = 1; k <= 10 * rows[i].n; k++) {
            ticks(1, IFD_MACHINE_IDLE, false);
            assert_missed(n, n + (double)k);
        }
        ticks(1, IFD_MACHINE_IDLE, false);
        assert_missed(0.0, 1.0);
        ticks(1, IFD_MACHINE_IDLE, true);
        assert_missed(1.0, 10.0 * n + (rows[i].n > 1 ? 2.0 : 1.0));
    }
}

TEST(ticks_before_the_first_measurement_do_not_count)
{
    begin(0.001);
    ifd__test_of(&bare)->rig.heard = 0.0;
    ticks(5, IFD_MACHINE_RUN, true);
    assert_near(ifd__fresh_missed(&bare), 0.0, 0.0, "share");
    assert_near(ifd_hybrid_stale_fraction(&bare), 0.0, 0.0, "share of run");
    ifd__test_of(&bare)->rig.heard = 1.0;
    ticks(3, IFD_MACHINE_RUN, false);
    ticks(1, IFD_MACHINE_RUN, true);
    ticks(6, IFD_MACHINE_HOLD, true);
    assert_near(ifd_hybrid_stale_fraction(&bare), 0.25, 0.0, "share of run");
    assert_missed(7.0, 10.0);
}

TEST(the_permitted_share_is_enough)
{
    begin(0.001);
    bare.opt.stale_fraction = 0.25;
    ticks(3, IFD_MACHINE_IDLE, false);
    ticks(1, IFD_MACHINE_IDLE, true);
    assert_true(ifd__fresh_enough(&bare));
    ticks(1, IFD_MACHINE_IDLE, true);
    assert_false(ifd__fresh_enough(&bare));
    bare.pace = &ifd__pace_elastic;
    assert_true(ifd__fresh_enough(&bare));
}

TESTS()
