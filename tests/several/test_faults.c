/* SPDX-License-Identifier: MIT */
/* Each fault on each of three rigs in each state: all rigs are tripped, or held, in the same tick. Judged on the
 * commands that each rig received: state, tick, and the brake of every actuator. */
#include "check.h"

#include <string.h>

#include "several/bench.h"

typedef struct fault {
    const char *what; /* the fault, for benches_strike */
    ifd_trip trip;
    bool of_rig;    /* the message names the rig, not its specimen */
    ifd_machine to; /* state of all rigs */
    int after;      /* ticks from the fault to the command with that state; -1, -2: after silence, a command later */
    const char *states;
} fault;

/* Letters: ready, ramp-in, run (u), hold, ramp-out. */
static const fault faults[] = {
    {"silent := 1", IFD_TRIP_LOST, true, IFD_MACHINE_TRIPPED, -1, "rnuho"},
    {"deaf := 1", IFD_TRIP_LOST, true, IFD_MACHINE_TRIPPED, -2, "rnuho"},
    {"clear := NO_STOP", IFD_TRIP_STOP_PRESSED, true, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"clear := HYDRAULICS", IFD_TRIP_HYDRAULICS, true, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"set := RIG_STOPPED", IFD_TRIP_RIG_STOPPED, true, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"stops := 1", IFD_TRIP_RIG_STOPPED, true, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"position_off := nan", IFD_TRIP_NOT_FINITE, false, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"force_off := nan", IFD_TRIP_NOT_FINITE, false, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"position_off := 0.2", IFD_TRIP_POSITION, false, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"force_off := 5e4", IFD_TRIP_FORCE, false, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"tick_off := 1000", IFD_TRIP_LOST, true, IFD_MACHINE_TRIPPED, 0, "rnuho"},
    {"position_off := 0.009", IFD_TRIP_ENERGY, false, IFD_MACHINE_HOLD, 0, "u"},
};

/* After a trip: slower in every tick, within the acceleration limit, in the same direction. */
static void check_brake(const bench *b, int from, double dt)
{
    const double a = 20.0 * dt * dt * (1.0 + 1e-6);
    for (int k = from; k < b->commands; k++) {
        double step = b->seen[k].position - b->seen[k - 1].position,
               before = b->seen[k - 1].position - b->seen[k - 2].position;
        if (!b->seen[k].commanded || !b->seen[k - 1].commanded || !b->seen[k - 2].commanded)
            continue;
        assert_true(isfinite(b->seen[k].position));
        if (fabs(step - before) > a)
            fail_msg("acceleration %g m/s2 after the fault", fabs(step - before) / (dt * dt));
        if (fabs(step) > fabs(before) + 1e-12 || step * before < -1e-18)
            fail_msg("not a brake: %g m after %g m a tick", step, before);
    }
}

static ifd_machine of_letter(char letter)
{
    return letter == 'r'   ? IFD_MACHINE_READY
           : letter == 'n' ? IFD_MACHINE_RAMP_IN
           : letter == 'u' ? IFD_MACHINE_RUN
           : letter == 'h' ? IFD_MACHINE_HOLD
                           : IFD_MACHINE_RAMP_OUT;
}

static void strikes_all(const fault *f, int rig, ifd_machine state)
{
    static const int limit[BENCHES] = {10, 30, 10}; /* ticks of 2 ms: stale-for of the test; 60 ms */
    benches b;
    benches_read(&b);
    benches_make(&b);
    benches_bring(&b, state);
    int from = b.bench[0].commands, expected = f->after == -1 ? limit[rig] : f->after == -2 ? limit[rig] + 2 : 0;
    benches_strike(&b, rig, f->what);
    for (int k = 0; k <= expected + (f->trip == IFD_TRIP_ENERGY ? 200 : 30); k++)
        benches_tick(&b, IFD_ORDER_NONE);
    for (int r = 0; r < BENCHES; r++) {
        const bench *one = &b.bench[r];
        assert_int_equal(one->commands, b.bench[0].commands);
        for (int k = from; k < one->commands; k++) { /* the same state in the same tick */
            assert_int_equal(one->seen[k].tick, b.bench[0].seen[k].tick);
            assert_int_equal(one->seen[k].state, b.bench[0].seen[k].state);
            assert_int_equal(one->seen[k].commanded, b.bench[0].seen[k].commanded);
        }
        if (f->to == IFD_MACHINE_TRIPPED) {
            if (one->seen[from + expected].state != IFD_MACHINE_TRIPPED)
                fail_msg("%s on rig %d in %s: not tripped after %d ticks", f->what, rig, ifd_machine_name(state),
                         expected);
            assert_true(expected == 0 || one->seen[from + expected - 1].state != IFD_MACHINE_TRIPPED);
            check_brake(one, from + expected, 2e-3);
        }
        assert_int_equal(one->seen[one->commands - 1].state, f->to);
    }
    ifd_trip_facts facts = ifd_hybrid_trip(b.h);
    assert_string_equal(ifd_trip_name(facts.trip), ifd_trip_name(f->trip));
    assert_string_equal(ifd_hybrid_rig_name(b.h, facts.owner), b.part[rig].name);
    assert_int_equal(strcmp(ifd_hybrid_owner_name(b.h, facts.owner), b.part[rig].name) == 0, f->of_rig);
    assert_int_equal(ifd_hybrid_faulty(b.h), facts.owner); /* as seen by another thread */
    if (f->trip == IFD_TRIP_RIG_STOPPED)
        assert_string_equal(ifd_hybrid_why(b.h), "its oil is hot");
    benches_replay(&b);
    benches_close(&b);
    for (int r = 0; r < BENCHES; r++)
        assert_int_equal(b.bench[r].closed, 1); /* farewell to all */
}

TEST(a_fault_of_one_rig_stops_all_in_the_same_tick)
{
    for (size_t i = 0; i < COUNT(faults); i++)
        for (int rig = 0; rig < BENCHES; rig++)
            for (const char *s = faults[i].states; *s; s++)
                strikes_all(&faults[i], rig, of_letter(*s));
}

/* A pause below the limit of its rig has no consequence but is counted, and its last values remain in use. */
TEST(a_pause_of_one_rig_is_counted_for_this_rig_only)
{
    benches b;
    benches_read(&b);
    benches_make(&b);
    benches_bring(&b, IFD_MACHINE_RUN);
    int count;
    const ifd_column *column = ifd_hybrid_columns(b.h, &count);
    int lost[BENCHES], age[BENCHES],
        measured = ifd_column_find(column, count, "middle", IFD_COLUMN_INTERFACE_DEFORMATION);
    for (int r = 0; r < BENCHES; r++) {
        lost[r] = ifd_column_find(column, count, b.part[r].name, IFD_COLUMN_RIG_LOST);
        age[r] = ifd_column_find(column, count, b.part[r].name, IFD_COLUMN_RIG_AGE);
    }
    double last = b.t.values(b.t.self)[measured];
    b.bench[1].silent = true;
    play(&b.p, "29");
    const double *v = b.t.values(b.t.self);
    assert_int_equal(ifd_hybrid_state(b.h), IFD_MACHINE_RUN);
    assert_true(v[measured] == last);
    assert_true(v[lost[0]] == 0.0 && v[lost[1]] == 29.0 && v[lost[2]] == 0.0);
    assert_near(v[age[0]], 2e-3, 1e-12, "age of a rig that answers");
    assert_near(v[age[1]], 30 * 2e-3, 1e-12, "age of a silent rig");
    b.bench[1].silent = false;
    benches_tick(&b, IFD_ORDER_NONE);
    assert_near(b.t.values(b.t.self)[age[1]], 2e-3, 1e-12, "age after the pause");
    assert_int_equal(ifd_hybrid_state(b.h), IFD_MACHINE_RUN);
    benches_until(&b, IFD_MACHINE_STOPPED);
    assert_int_equal(ifd_hybrid_count(b.h, IFD_TRIP_STALE), 29);
    benches_replay(&b);
    benches_close(&b);
}

TESTS()
