/* SPDX-License-Identifier: MIT */
/* The channel that a fault names: of those that have it in the same tick, the one farthest beyond its limit. */
#include "check.h"

#include "hybrid/hybrid.h"

static double own[IFD__DOUBLES(ifd__test_state)];
static ifd_hybrid h;

static void note(ifd_trip trip, int channel, double value, double limit)
{
    (void)ifd__guard_note(&h, trip, channel, value, limit, IFD_ACTION_NOTE);
}

static void assert_named(ifd_trip trip, int channel, double value)
{
    const ifd__test_state *t = ifd__test_of(&h);
    assert_int_equal((int)t->fault, trip);
    assert_int_equal((int)t->fault_owner, channel);
    assert_near(t->fault_value, value, 0.0, "value");
}

static void the_worst_channel_is_named(void **state)
{
    (void)state;
    h.x = own;
    ifd__test_of(&h)->state = IFD_MACHINE_RUN;
    ifd__test_of(&h)->tick = 7.0;
    note(IFD_TRIP_FORCE, 0, 110.0, 100.0);
    assert_named(IFD_TRIP_FORCE, 0, 110.0);
    note(IFD_TRIP_FORCE, 1, -3000.0, 1000.0);
    assert_named(IFD_TRIP_FORCE, 1, -3000.0);
    note(IFD_TRIP_FORCE, 2, 200.0, 100.0); /* less */
    note(IFD_TRIP_FORCE, 3, 300.0, 100.0); /* as much */
    note(IFD_TRIP_POSITION, 4, 9.0, 1.0);  /* another fault of the same action: the first one counts */
    assert_named(IFD_TRIP_FORCE, 1, -3000.0);
    ifd__test_of(&h)->tick = 8.0;
    note(IFD_TRIP_FORCE, 0, 900.0, 100.0); /* later */
    assert_named(IFD_TRIP_FORCE, 1, -3000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_worst_channel_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
