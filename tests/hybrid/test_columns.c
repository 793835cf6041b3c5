/* SPDX-License-Identifier: MIT */
/* Columns of a test: names and values come from the same row of a table, whatever other columns there are. */
#include "hybrid/case_stand.h"

static const char *const text =
    "time: {step: 4 ms, end: 1 s}\n"
    "method: lsrt2\n"
    "model: {dofs: [x, y], mass: [1000, 800], damping: [300, 200], stiffness: [[4e5, 0], [0, 3e5]]}\n"
    "initial: {displacement: {x: 10 mm, y: 6 mm}}\n"
    "specimen:\n"
    "  - {name: first, spring: {at: x, stiffness: 2e5 N/m}, estimate: {stiffness: 2e5 N/m}, limits: &wide {stroke: "
    "50 mm, velocity: 2 m/s, acceleration: 80 m/s2, force: 10 kN, tracking: 10 mm}}\n"
    "  - {name: second, spring: {at: y, stiffness: 1e5 N/m}, estimate: {stiffness: 1e5 N/m}, limits: *wide}\n"
    "test: {rig: virtual, leave: start, settle: 0.02 s, ramp-in: 0.2 s, ticks-per-stage: 4}\n";

enum { MOST = 128 };

/* The newest command and measurement of the rig. */
static double commanded[2], measured[2], force[2];

static bool sense(ifd_rig *r, ifd_measure *m, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, m, x);
    for (int k = 0; k < 2; k++) {
        m->position[k] += k ? 3e-5 : -2e-5; /* not at its command */
        measured[k] = m->position[k];
        force[k] = m->force[k];
    }
    return fresh;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    memcpy(commanded, c->position, sizeof commanded);
    ifd_virtual_rig.command(r, c, x);
}

static void open(stand *s, const char *set)
{
    *s = (stand){0};
    (void)stand_case(s, text, set, sense, command);
    assert_in_range(s->columns, 20, MOST);
}

static int find(const stand *s, const ifd_column *c)
{
    return ifd_column_find(s->channel, s->columns, c->owner, c->quantity);
}

#define MONITOR "test.monitor={caution: note, act: note, hold: note}"

/* What adds columns in the middle, and no force: every other column has the same name and value in each tick. */
TEST(a_row_in_the_middle_changes_no_other_column)
{
    static const struct {
        const char *without, *with;
        int more, behind;
    } rows[] = {{"record=[displacement, energy]", "record=[displacement, velocity, energy]", 2, 12},
                {MONITOR, MONITOR "; test.hold-relaxation=10 %", 2, 14},
                {NULL, MONITOR, 14, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand before, after;
        open(&before, rows[i].without);
        open(&after, rows[i].with);
        assert_int_equal(after.columns, before.columns + rows[i].more);
        int at[MOST], moved = 0;
        for (int k = 0; k < before.columns; k++) {
            at[k] = find(&after, &before.channel[k]);
            assert_true(at[k] >= 0 && find(&before, &before.channel[k]) == k);
            assert_string_equal(after.channel[at[k]].name, before.channel[k].name);
            assert_string_equal(after.channel[at[k]].unit, before.channel[k].unit);
            moved += at[k] != k;
        }
        assert_int_equal(moved, rows[i].behind);
        for (int n = 0; n < 1500; n++) {
            player_tick(&before.p, IFD_ORDER_NONE);
            player_tick(&after.p, IFD_ORDER_NONE);
            const double *b = before.t.values(before.t.self), *a = after.t.values(after.t.self);
            for (int k = 0; k < before.columns; k++)
                if (memcmp(&a[at[k]], &b[k], sizeof *b) != 0)
                    fail_msg("%s, tick %d: '%s' is %.17g, without it %.17g", rows[i].with, n + 1,
                             before.channel[k].name, a[at[k]], b[k]);
        }
        play(&before.p, "is run");
        unmake(&after);
        unmake(&before);
    }
}

/* Members of a block and functions of it, each of its own interface. */
TEST(a_column_has_the_value_of_its_name)
{
    stand s;
    open(&s, NULL);
    play(&s.p, "[x displacement] = 0; 1; [x displacement] = 0.01; [y displacement] = 0.006; [x velocity] = 0; 50");
    play(&s.p, "[x displacement] = 0.01; [y displacement] = 0.006; until run; 100");
    for (int n = 0; n < 200; n++) {
        player_tick(&s.p, IFD_ORDER_NONE);
        play(&s.p, "[first deformation] = %.17g; [second deformation] = %.17g", measured[0], measured[1]);
        play(&s.p, "[first force] = %.17g; [second force] = %.17g", force[0], force[1]);
        play(&s.p,
             "[first command] = %.17g; [second command] = %.17g\n"
             "error := [first deformation] - [first target]; [first tracking error] = error\n"
             "error := [second deformation] - [second target]; [second tracking error] = error\n"
             "[state] = 3; [fault] = 0; [rate] = 1; [x displacement] != [y displacement]\n"
             "[x velocity] != 0; [x acceleration] != 0",
             commanded[0], commanded[1]);
    }
    unmake(&s);
}

/* What a step writes stays until the next one. */
TEST(a_column_of_a_step_is_kept)
{
    stand s;
    int changes = 0, ticks = 0;
    open(&s, NULL);
    play(&s.p, "until run; 100");
    double last = column(&s, "x displacement");
    for (; ticks < 800; ticks++) {
        player_tick(&s.p, IFD_ORDER_NONE);
        double now = column(&s, "x displacement");
        changes += now != last;
        last = now;
    }
    assert_int_equal(changes, ticks / 8); /* of 0.5 ms in a step of 4 ms */
    unmake(&s);
}

TESTS()
