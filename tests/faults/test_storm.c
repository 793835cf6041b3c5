/* SPDX-License-Identifier: MIT */
/* Combined faults: named pairs, and random sequences. IFD_DAYS: factor on the number of days (1; `make soak` has
 * more). */
#include "check.h"

#include <stdlib.h>

#include "faults/table.h"

enum { LOWER, UPPER };

/* Two faults in sequence, the second after the reaction to the first, or in the same tick. */
typedef struct pair {
    const char *what;
    ifd_machine state;
    trouble first, second;
    ifd_machine end;
    ifd_trip latched;
} pair;

static const pair pairs[] = {
    {"a hold that a force ends: the force is named",
     IFD_MACHINE_RUN,
     {.ticks = 1, .late = 2.0},
     {.who = UPPER, .force = 5e4},
     IFD_MACHINE_TRIPPED,
     IFD_TRIP_FORCE},
    {"a way out on which the rig is lost: that is named",
     IFD_MACHINE_RUN,
     {.ticks = 1, .order = IFD_ORDER_RAMP_OUT},
     {.silent = true},
     IFD_MACHINE_TRIPPED,
     IFD_TRIP_LOST},
    {"late and no number in one tick: the worse is named",
     IFD_MACHINE_RUN,
     {.late = 2.0, .who = UPPER, .force = (double)NAN},
     {0},
     IFD_MACHINE_TRIPPED,
     IFD_TRIP_NOT_FINITE},
    {"a trip on top of a trip: the first is named",
     IFD_MACHINE_RUN,
     {.who = UPPER, .force = 5e4},
     {.who = LOWER, .position = (double)NAN},
     IFD_MACHINE_TRIPPED,
     IFD_TRIP_FORCE},
    {"a trip that the operator confirms: the first is named",
     IFD_MACHINE_RUN,
     {.clear = IFD_INPUT_NO_STOP},
     {.ticks = 1, .order = IFD_ORDER_TRIP},
     IFD_MACHINE_TRIPPED,
     IFD_TRIP_STOP_PRESSED},
    {"a late tick in a hold that was ordered, then out: no fault",
     IFD_MACHINE_HOLD,
     {.ticks = 1, .late = 2.0},
     {.ticks = 1, .order = IFD_ORDER_RAMP_OUT},
     IFD_MACHINE_RAMP_OUT,
     IFD_TRIP_NONE},
    {"a late tick before the run, then a force: the force is named",
     IFD_MACHINE_RAMP_IN,
     {.ticks = 1, .late = 2.0},
     {.who = UPPER, .force = 5e4},
     IFD_MACHINE_TRIPPED,
     IFD_TRIP_FORCE},
    {"a hold that is resumed is forgotten",
     IFD_MACHINE_RUN,
     {.ticks = 1, .late = 2.0},
     {.ticks = 1, .order = IFD_ORDER_RESUME},
     IFD_MACHINE_RUN,
     IFD_TRIP_NONE},
};

TEST(of_two_faults_the_one_that_decided_is_named)
{
    static const char *const set[] = {"specimen.1.limits.force=3 kN", NULL};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const pair *p = &pairs[i];
        scene s;
        scene_open(&s, SPRINGS, set);
        scene_bring(&s, p->state);
        scene_break(&s, &p->first);
        scene_ticks(&s, 5);
        scene_break(&s, &p->second);
        scene_ticks(&s, 15);
        if (ifd_hybrid_state(s.h) != p->end || ifd_hybrid_trip(s.h).trip != p->latched)
            fail_msg("%s: %s, %s", p->what, ifd_machine_name(ifd_hybrid_state(s.h)),
                     ifd_trip_name(ifd_hybrid_trip(s.h).trip));
        assert_string_equal(bad.broke, "");
        scene_replays(&s);
        scene_close(&s);
    }
}

static uint64_t weather;

/* A number below n; splitmix64. */
static int dice(int n)
{
    uint64_t z = weather += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

/* Faults possible in any test; the channel is random. */
static bool may_break(const scene *s, const fault_row *r)
{
    return r->t.master == MASTER_FINE && (r->scene == SPRINGS || r->scene == s->kind);
}

/* Occasionally a fault occurs for a while, an order is given, or both. */
static void gust(scene *s)
{
    if (dice(60) == 0) {
        const fault_row *r = &fault_rows[dice(fault_row_count)];
        trouble t = r->t;
        t.who = dice(ifd_hybrid_actuators(s->h));
        t.ticks = 1 + dice(40);
        if (may_break(s, r))
            scene_break(s, &t);
    }
    static const ifd_order likely[] = {IFD_ORDER_ARM,   IFD_ORDER_RUN, IFD_ORDER_RESUME,
                                       IFD_ORDER_RESET, IFD_ORDER_ARM, IFD_ORDER_RUN};
    ifd_order any = dice(4) ? likely[dice(COUNT(likely))] : (ifd_order)dice(IFD_ORDER_COUNT);
    scene_tick(s, dice(15) ? IFD_ORDER_NONE : any);
}

/* For any sequence: no command violates a rule, and the record replays every tick. */
static void weather_of(scene_kind kind, int days, const char *const *set, long *seen)
{
    const char *more = getenv("IFD_DAYS");
    days *= more ? atoi(more) : 1;
    for (int day = 1; day <= days; day++) {
        scene s;
        scene_open(&s, kind, set);
        weather = (uint64_t)(1000000 * (int)kind + day);
        while (s.ticks < 2000) {
            gust(&s);
            seen[ifd_hybrid_state(s.h)]++;
        }
        if (bad.broke[0] || bad.eye.broke[0])
            fail_msg("test %d, day %d: %s %s", (int)kind, day, bad.broke, bad.eye.broke);
        scene_replays(&s);
        scene_close(&s);
    }
}

TEST(no_command_breaks_a_rule_in_any_weather)
{
    static const char *const set[] = {"test.ramp-in=0.1s", "specimen.1.limits.force=3 kN",
                                      "specimen.0.limits.tracking=4 mm", NULL};
    long seen[IFD_MACHINE_COUNT] = {0};
    weather_of(SPRINGS, 20, set, seen);
    for (int m = 0; m <= IFD_MACHINE_TRIPPED; m++)
        if (seen[m] < 20)
            fail_msg("the weather is too mild: only %ld ticks in state %s", seen[m],
                     ifd_machine_name((ifd_machine)m));
}

TEST(nor_with_blocks_parts_preload_channel_maps_or_masters)
{
    static const char *const set[] = {"test.ramp-in=0.1s", NULL};
    static const scene_kind kinds[] = {RAW, COLUMN, BLOCK, PARTS, LOADED, REMOTE};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        long seen[IFD_MACHINE_COUNT] = {0};
        weather_of(kinds[i], 6, set, seen);
        assert_true(seen[IFD_MACHINE_RAMP_IN] > 20 && seen[IFD_MACHINE_TRIPPED] > 20);
    }
}

TESTS()
