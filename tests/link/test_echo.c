/* SPDX-License-Identifier: MIT */
/* Age of the answers of a rig, as preflight --echo measures it: against a rig that answers each command a known
 * number of ticks later, and some of them never. */
#include "check.h"

#include <interfield/link.h>

static const double tick = 1e-4; /* s */

typedef struct answering {
    int later;  /* ticks */
    int missed; /* of so many answers the last one is missing; 0: none */
    uint64_t sent, newest;
    bool moved; /* a command contained a position, or another state than idle */
    int opened, closed;
} answering;

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    rig->size = 0;
    ((answering *)rig->data)->opened++;
    return IFD_OK;
}

/* In tick k, k - 1 commands were sent. */
static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    answering *r = rig->data;
    (void)x;
    if (r->later < 0 || r->sent <= (uint64_t)r->later)
        return false;
    uint64_t answer = r->sent - (uint64_t)r->later;
    if (r->missed && answer % (uint64_t)r->missed == 0)
        return false;
    r->newest = answer;
    *out = (ifd_measure){.tick = r->newest, .actuators = 1};
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    answering *r = rig->data;
    (void)x;
    r->moved = r->moved || c->commanded || c->state != IFD_MACHINE_IDLE;
    r->sent = c->tick;
}

static void close_rig(ifd_rig *rig)
{
    ((answering *)rig->data)->closed++;
}

static const ifd_rig_ops ops = {.abi = IFD_RIG_ABI,
                                .name = "answering",
                                .open = open_rig,
                                .sense = sense,
                                .command = command,
                                .close = close_rig};

TEST(ages_are_those_of_the_answered_commands)
{
    static const struct {
        int later, missed;
        double median, p99, most; /* ticks */
    } rows[] = {{0, 0, 1, 1, 1}, {3, 0, 4, 4, 4}, {3, 10, 4, 5, 5}, {7, 2, 9, 9, 9}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        answering r = {.later = rows[i].later, .missed = rows[i].missed};
        const ifd_rig rig = {.ops = &ops, .actuators = 1, .tick = tick, .data = &r};
        ifd_echo e = {0};
        assert_int_equal(ifd_rig_echo(&rig, NULL, 501 * tick, &e, NULL), IFD_OK);
        assert_true(e.ticks >= 500 && e.ticks <= 501);
        assert_near(e.median, rows[i].median * tick, 1e-12, "median");
        assert_near(e.p99, rows[i].p99 * tick, 1e-12, "p99");
        assert_near(e.most, rows[i].most * tick, 1e-12, "oldest");
        assert_true(e.loss == 0.0); /* a driver has no messages to count */
        assert_false(r.moved);
        assert_int_equal(r.opened, 1);
        assert_int_equal(r.closed, 1);
    }
}

TESTS()
