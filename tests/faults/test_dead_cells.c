/* SPDX-License-Identifier: MIT */
/* Load cells that die in any state at a random instant and keep their noise. What happens then is counted: the test
 * reacts, the fault is only noted, or nobody sees it. docs/guide/sensor-faults.md has these counts for 1,000 tests
 * (IFD_DEAD=200 in each state); in every test the commands keep their rules. */
#include "check.h"

#include <stdlib.h>

#include "faults/scene.h"

enum { STATES = 5, SHORT = BRIEF ? 4 : 20 };
enum { ACTED, NOTED, UNSEEN, RESULTS };

static const ifd_machine from[STATES] = {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, IFD_MACHINE_HOLD,
                                         IFD_MACHINE_RAMP_OUT};
static uint64_t weather;

static int dice(int n)
{
    uint64_t z = weather += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

/* Into the state, at any instant of it. */
static void bring(scene *s, ifd_machine state)
{
    scene_ticks(s, 5);
    scene_tick(s, IFD_ORDER_ARM);
    scene_ticks(s, dice(60));
    if (state == IFD_MACHINE_READY)
        return;
    scene_tick(s, IFD_ORDER_RUN);
    if (state == IFD_MACHINE_RAMP_IN) {
        scene_ticks(s, dice(400));
        return;
    }
    scene_until(s, IFD_MACHINE_RUN);
    scene_ticks(s, 20 + dice(2000));
    if (state == IFD_MACHINE_HOLD) {
        scene_tick(s, IFD_ORDER_HOLD);
        scene_ticks(s, dice(300));
    } else if (state == IFD_MACHINE_RAMP_OUT) {
        scene_tick(s, IFD_ORDER_STOP);
        scene_until(s, IFD_MACHINE_RAMP_OUT);
        scene_ticks(s, dice(150));
    }
}

/* To the end of the test, or to a reaction. */
static int lead(scene *s)
{
    const ifd_trip seen[] = {IFD_TRIP_STIFFNESS, IFD_TRIP_NO_FORCE, IFD_TRIP_FORCE_STUCK, IFD_TRIP_UNLOADING};
    for (int i = 0; i < 40000 && ifd_hybrid_state(s->h) != IFD_MACHINE_STOPPED; i++) {
        ifd_machine state = ifd_hybrid_state(s->h);
        ifd_order order = state == IFD_MACHINE_READY              ? IFD_ORDER_RUN
                          : state == IFD_MACHINE_HOLD && bad.rest ? IFD_ORDER_RESUME
                                                                  : IFD_ORDER_NONE;
        scene_tick(s, order);
        if (ifd_hybrid_trip(s->h).trip != IFD_TRIP_NONE)
            return ACTED;
    }
    for (size_t i = 0; i < COUNT(seen); i++)
        if (ifd_hybrid_count(s->h, seen[i]) > 0)
            return NOTED;
    return UNSEEN;
}

static int one(ifd_machine state, bool dies)
{
    static const char *const set[] = {"time.end=10 s",
                                      "model.damping=[[100, 0], [0, 100]]",
                                      "test.leave=zero-force",
                                      "specimen.0.limits.force=5 kN",
                                      "specimen.1.limits.force=5 kN",
                                      "specimen.0.force-sensor={noise: 3 N}",
                                      "specimen.1.force-sensor={noise: 3 N}",
                                      NULL};
    scene s;
    scene_open(&s, SPRINGS, set);
    bring(&s, state);
    const trouble t = {.who = dice(2), .dead = 5.0};
    if (dies)
        scene_break(&s, &t);
    int result = lead(&s);
    assert_string_equal(bad.broke, "");
    assert_string_equal(bad.eye.broke, "");
    scene_close(&s);
    return result;
}

TEST(a_dead_cell_is_seen_or_counted)
{
    const char *more = getenv("IFD_DEAD");
    int runs = more ? atoi(more) : SHORT, sum[STATES][RESULTS] = {{0}}, unseen = 0;
    for (int m = 0; m < STATES; m++) {
        for (int i = 0; i < runs; i++) {
            weather = (uint64_t)(1000003 * m + i);
            sum[m][one(from[m], true)]++;
        }
        print_message("| %s | %d | %d | %d |\n", ifd_machine_name(from[m]), sum[m][ACTED], sum[m][NOTED],
                      sum[m][UNSEEN]);
        unseen += sum[m][UNSEEN];
    }
    print_message("%d of %d not seen\n", unseen, STATES * runs);
    assert_int_equal(sum[0][UNSEEN], 0); /* dead before the motion */
    assert_true(sum[2][ACTED] >= runs * 3 / 4);
    assert_true(sum[3][ACTED] >= runs * 3 / 4);
}

TEST(a_sound_cell_never_is)
{
    for (int m = 0; m < STATES; m++)
        for (int i = 0; i < (BRIEF ? 1 : 4); i++) {
            weather = (uint64_t)(1000003 * m + i);
            assert_int_equal(one(from[m], false), UNSEEN);
        }
}

TESTS()
