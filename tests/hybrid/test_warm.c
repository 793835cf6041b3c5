/* SPDX-License-Identifier: MIT */
/* A rig before the first tick, and the reason of its stop. Every command that leaves is stored by the scene. */
#include "find_scene.h"

#include <interfield/executor.h>

static struct {
    long calls, ready_at; /* the call that answers 1; 0: never ready */
    long never_at;        /* the call that answers -1 */
    long stops_at;        /* sample without a measurement that reports a stop; 0: none */
    const char *why;
} hardware;

static int warm(ifd_rig *r, ifd_note *note)
{
    (void)r;
    long k = ++hardware.calls;
    assert_int_equal(rig.samples, 0); /* before the first tick */
    if (k == hardware.never_at) {
        ifd_note_add(note, IFD_PEER, NULL, "device 2 has another product code");
        return -1;
    }
    return k == hardware.ready_at;
}

static const char *why(const ifd_rig *r)
{
    (void)r;
    return hardware.why;
}

static bool sense(ifd_rig *r, ifd_measure *m, double *x)
{
    if (hardware.stops_at && rig.samples + 1 >= hardware.stops_at) {
        rig.samples++;
        hardware.why = "the cable behind device 1 is cut";
        m->inputs |= IFD_INPUT_RIG_STOPPED;
        return false;
    }
    return rig_sense(r, m, x);
}

static const ifd_rig_ops warming = {.abi = IFD_RIG_ABI,
                                    .name = "virtual",
                                    .open = own_rig_open,
                                    .sense = sense,
                                    .command = rig_command,
                                    .warm = warm,
                                    .why = why};

static void prepare(bench *b)
{
    bench_prepare(b, ONE);
    memset(&hardware, 0, sizeof hardware);
    b->s.opt.rig = &warming;
    b->s.opt.automatic = false;
}

static ifd_executor_report execute(bench *b, ifd_order order)
{
    ifd_executor_options o;
    ifd_executor_report report;
    ifd_executor *e = NULL;
    ifd_executor_defaults(&o);
    o.period = 0.0;
    o.lossless = false;
    stand_make(&b->s);
    assert_int_equal(ifd_executor_open(b->s.arena, &o, &b->s.t, &e, NULL), IFD_OK);
    if (order)
        ifd_executor_order(e, order, IFD_SOURCE_HOLDER);
    ifd_executor_close(e, &report);
    return report;
}

static void nothing_was_commanded(void)
{
    for (long k = 0; k < rig.commands; k++)
        assert_false(rig.commanded[k]);
}

TEST(the_first_tick_follows_when_the_rig_is_ready)
{
    bench b;
    prepare(&b);
    hardware.ready_at = 4;
    b.s.opt.automatic = true;
    b.s.opt.end = 4.0 * period;
    b.s.opt.ramp_in = b.s.opt.settle = 2.0 * period;
    rig.follows = true;
    ifd_executor_report r = execute(&b, IFD_ORDER_NONE);
    assert_int_equal(hardware.calls, 4);
    assert_false(r.cold);
    assert_true(r.ticks > SERIES);
    assert_int_equal(r.end, IFD_RUN_DONE);
    assert_null(ifd_hybrid_cold(b.s.h));
    bench_close(&b);
}

TEST(a_rig_that_gives_up_ends_the_test_before_it_commands)
{
    bench b;
    prepare(&b);
    hardware.never_at = 3;
    ifd_executor_report r = execute(&b, IFD_ORDER_NONE);
    assert_true(r.cold);
    assert_int_equal(r.ticks, 1);
    assert_int_equal(hardware.calls, 3);
    assert_string_equal(ifd_hybrid_cold(b.s.h)->first->text, "device 2 has another product code");
    nothing_was_commanded();
    bench_close(&b);
}

TEST(a_rig_that_is_never_ready_ends_the_test_in_time_with_its_reason)
{
    bench b;
    prepare(&b);
    hardware.why = "axis 1 is not enabled";
    b.s.opt.arm_timeout = 0.01;
    ifd_executor_report r = execute(&b, IFD_ORDER_NONE);
    assert_true(r.cold);
    assert_true(hardware.calls >= 2);
    assert_string_equal(ifd_hybrid_cold(b.s.h)->first->text,
                        "rig 'virtual' does not become ready: axis 1 is not enabled");
    nothing_was_commanded();
    bench_close(&b);
}

/* The operator quits meanwhile: the test ends, although the rig is not ready and the order could be replaced. */
TEST(an_order_to_end_ends_the_preparation)
{
    static const ifd_order ends[] = {IFD_ORDER_QUIT, IFD_ORDER_TRIP, IFD_ORDER_PARK, IFD_ORDER_RAMP_OUT};
    for (size_t k = 0; k < COUNT(ends); k++) {
        bench b;
        prepare(&b);
        b.s.opt.automatic = true;
        ifd_executor_report r = execute(&b, ends[k]);
        assert_true(r.cold);
        assert_int_equal(r.ticks, 1);
        assert_null(ifd_hybrid_cold(b.s.h));
        nothing_was_commanded();
        bench_close(&b);
    }
}

/* The tick in which the rig stops is the tick of the trip, although there is no measurement. */
TEST(a_stop_without_a_measurement_trips_in_the_same_tick)
{
    bench b;
    prepare(&b);
    rig.follows = true;
    b.s.opt.automatic = true;
    stand_make(&b.s);
    for (int k = 0; k < 4 * SERIES; k++)
        assert_int_equal(tick(&b, IFD_ORDER_NONE), IFD_RUN_GOING);
    assert_int_equal(ifd_hybrid_state(b.s.h), IFD_MACHINE_RAMP_IN);
    assert_null(ifd_hybrid_why(b.s.h));
    hardware.stops_at = rig.samples + 1;
    play(&b.s.p, "1; is tripped");
    ifd_trip_facts f = ifd_hybrid_trip(b.s.h);
    assert_int_equal(f.trip, IFD_TRIP_RIG_STOPPED);
    assert_int_equal(f.tick, 4 * SERIES + 1);
    assert_string_equal(ifd_hybrid_why(b.s.h), "the cable behind device 1 is cut");
    hardware.why = "something later";
    assert_string_equal(ifd_hybrid_why(b.s.h), "the cable behind device 1 is cut");
    const ifd_tick_trace *trace = b.s.t.trace(b.s.t.self);
    assert_int_equal(trace->fresh, 0);
    assert_true(trace->measure.inputs & IFD_INPUT_RIG_STOPPED); /* recorded, for replay */
    bench_close(&b);
}

TESTS()
