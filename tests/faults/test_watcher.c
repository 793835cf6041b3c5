/* SPDX-License-Identifier: MIT */
/* The watcher of the campaign detects each violated rule, and nothing else. */
#include "check.h"

#include <string.h>

#include "faults/watcher.h"

enum { IDLE, READY, RAMP_IN, RUN, HOLD, RAMP_OUT, STOPPED, TRIPPED, RETURN };

/* The first command of scene 0 (two actuators), on ticks of 2 ms with 0.5 m/s and 10 m/s2. */
typedef struct told {
    uint32_t state, commanded;
    double position; /* of actuator 1, within 40 mm */
    double velocity;
    uint64_t skip; /* ticks omitted before it */
} told;

static const char *broken(const told *c, int count, double measured, bool hydraulics)
{
    static watcher w;
    uint64_t tick = 0;
    watcher_begin(&w, 0, false);
    for (int i = 0; i < count; i++) {
        double at[2] = {0.0, measured}, p[2] = {0.0, c[i].position}, v[2] = {0.0, c[i].velocity};
        tick += 1 + c[i].skip;
        watcher_said(&w, 2, at, hydraulics);
        watcher_see(&w, &(watcher_command){tick, c[i].state, (uint32_t)tick, 2, c[i].commanded, p, v});
    }
    return w.broke;
}

TEST(what_is_right_passes)
{
    const told fine[] = {{IDLE, 0, 0.0, 0.0, 0},       {READY, 1, 0.01, 0.0, 0},       {RAMP_IN, 1, 0.01004, 0.02, 0},
                         {RUN, 1, 0.01012, 0.04, 0},   {TRIPPED, 1, 0.01016, 0.02, 0}, {TRIPPED, 1, 0.01016, 0.0, 0},
                         {TRIPPED, 0, 0.01016, 0.0, 0}};
    assert_string_equal(broken(fine, COUNT(fine), 0.01, true), "");
    const told back[] = {{IDLE, 0, 0.0, 0.0, 0}, {RETURN, 1, 0.06, 0.0, 0}, {RETURN, 1, 0.05999, 0.0, 0}};
    assert_string_equal(broken(back, COUNT(back), 0.06, true), "");
    const told ordered[] = {{TRIPPED, 0, 0.0, 0.0, 0}, {TRIPPED, 0, 0.0, 0.0, 0}, {IDLE, 0, 0.0, 0.0, 0}};
    assert_string_equal(broken(ordered, COUNT(ordered), 0.0, true), "");
}

TEST(each_rule_is_noticed)
{
    static const struct {
        const char *words;
        double measured;
        bool hydraulics;
        told c[3];
    } rows[] = {
        {"begins in this state", 0.0, true, {{READY, 1, 0.0, 0.0, 0}}},
        {"begins to command in this state", 0.0, true, {{TRIPPED, 1, 0.0, 0.0, 0}}},
        {"idle, and yet commanded", 0.0, true, {{IDLE, 1, 0.0, 0.0, 0}}},
        {"hydraulics off", 0.0, false, {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, 0.0, 0.0, 0}}},
        {"the first command is 0.01", 0.0, true, {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, 0.01, 0.0, 0}}},
        {"outside [-0.04, 0.04]", -0.041, true, {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, -0.041, 0.0, 0}}},
        {"this state after idle", 0.0, true, {{IDLE, 0, 0.0, 0.0, 0}, {RUN, 1, 0.0, 0.0, 0}}},
        {"tick 3", 0.0, true, {{IDLE, 0, 0.0, 0.0, 0}, {IDLE, 0, 0.0, 0.0, 1}}},
        {"no command, and yet 0.01", 0.0, true, {{IDLE, 0, 0.0, 0.0, 0}, {IDLE, 0, 0.01, 0.0, 0}}},
        {"no command, and yet 1 per s", 0.0, true, {{IDLE, 0, 0.0, 1.0, 0}}},
        {"nan m", 0.0, true, {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, (double)NAN, 0.0, 0}}},
        {"position 0.04001",
         0.04,
         true,
         {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, 0.04, 0.0, 0}, {RAMP_IN, 1, 0.04001, 0.0, 0}}},
        {"position -0.04001",
         -0.04,
         true,
         {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, -0.04, 0.0, 0}, {RAMP_IN, 1, -0.04001, 0.0, 0}}},
        {"velocity 0.55",
         0.0,
         true,
         {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, 0.0, 0.0, 0}, {RAMP_IN, 1, -0.0011, 0.0, 0}}},
        {"acceleration 10.00",
         0.0,
         true,
         {{IDLE, 0, 0.0, 0.0, 0}, {READY, 1, 0.0, 0.0, 0}, {RAMP_IN, 1, 0.000040001, 0.0, 0}}},
        {"moves outward",
         0.06,
         true,
         {{IDLE, 0, 0.0, 0.0, 0}, {RETURN, 1, 0.06, 0.0, 0}, {RETURN, 1, 0.06001, 0.0, 0}}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int count = 1; /* a row of zeros is no command in idle: it ends the list */
        while (count < 3 && (rows[i].c[count].state || rows[i].c[count].skip || rows[i].c[count].position != 0.0))
            count++;
        const char *said = broken(rows[i].c, count, rows[i].measured, rows[i].hydraulics);
        if (!strstr(said, rows[i].words))
            fail_msg("row %d: '%s', expected '%s'", (int)i, said, rows[i].words);
    }
}

TESTS()
