/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "ticks.h"

#include <string.h>

uint64_t ticks_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Any bits, those that are no number included. */
static double any(uint64_t *state)
{
    uint64_t bits = ticks_random(state);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

const ifd_tick_record *ticks_make(ticks *t, uint64_t k)
{
    uint64_t s = k;
    memset(t, 0, sizeof *t);
    ifd_tick_trace *r = &t->trace;
    for (int i = 0; i < TICKS_COLUMNS; i++)
        t->values[i] = any(&s);
    for (int i = 0; i < TICKS_SENSED; i++) {
        r->measure.position[i] = any(&s);
        r->measure.force[i] = any(&s);
    }
    for (int i = 0; i < TICKS_AUX; i++)
        r->measure.auxiliary[i] = any(&s);
    for (int i = 0; i < IFD_STAGES; i++)
        r->stage_ns[i] = (uint32_t)ticks_random(&s);
    r->hash = ticks_random(&s);
    r->faults = ticks_random(&s);
    r->fault_value = any(&s);
    r->fault_limit = any(&s);
    r->fault_owner = (int32_t)(k % 5) - 1;
    r->fresh = k % 3 != 0;
    r->measure.tick = k - k % 2;
    r->measure.time = any(&s);
    r->measure.inputs = (uint32_t)ticks_random(&s);
    r->measure.actuators = TICKS_SENSED;
    r->measure.aux = TICKS_AUX;
    r->took = k % 4 == 0;
    if (r->took)
        r->target = (ifd_remote_target){
            .number = k, .kind = (uint32_t)(k % 3), .step = 1, .time = any(&s), .u = {any(&s), any(&s)}};
    t->record = (ifd_tick_record){.tick = k,
                                  .wall = 1e-3 * (double)k,
                                  .late = any(&s),
                                  .duration = any(&s),
                                  .skipped = k % 11 == 0,
                                  .order = (ifd_order)(k % IFD_ORDER_COUNT),
                                  .values = t->values,
                                  .trace = r};
    return &t->record;
}

static void same(const void *a, const void *b, size_t bytes, const char *what, uint64_t k)
{
    if (memcmp(a, b, bytes) == 0)
        return;
    print_error("tick %llu: %s differs\n", (unsigned long long)k, what);
    fail();
}

void ticks_check(const ifd_tick_record *r, uint64_t k)
{
    ticks t;
    const ifd_tick_record *e = ticks_make(&t, k);
    assert_int_equal(r->tick, k);
    assert_int_equal(r->order, e->order);
    same(&r->wall, &e->wall, sizeof r->wall, "wall", k);
    same(&r->late, &e->late, sizeof r->late, "late", k);
    same(&r->duration, &e->duration, sizeof r->duration, "duration", k);
    same(r->values, e->values, sizeof t.values, "a value", k);
    same(r->trace, e->trace, sizeof *r->trace, "its trace", k);
}

ifd_journal_facts ticks_facts(double period)
{
    static const ifd_column column[TICKS_COLUMNS] = {
        {"simulated time", "s", "test", "", IFD_COLUMN_TEST_TIME, 0},
        {"state", "", "test", "", IFD_COLUMN_TEST_STATE, 0},
        {"fault", "", "test", "", IFD_COLUMN_TEST_FAULT, 0},
        {"spring target", "m", "rig", "spring", IFD_COLUMN_INTERFACE_TARGET, 0},
        {"x displacement", "m", "displacement", "x", IFD_COLUMN_DISPLACEMENT, 0}};
    return (ifd_journal_facts){.version = "0.0.0",
                               .kernels = "plain",
                               .cpu = "a processor, of some kind",
                               .started = "2026-01-01T00:00:00Z",
                               .program = 0x0123456789abcdefu,
                               .period = period,
                               .sensed = TICKS_SENSED,
                               .aux = TICKS_AUX,
                               .remote = {.dofs = TICKS_TARGETS, .order = 3, .paced = true},
                               .by = "the operator",
                               .notes = "first\nsecond",
                               .columns = TICKS_COLUMNS,
                               .column = column,
                               .bundle = "interfield case 1\nfile 3 a.yaml\na:\n\n",
                               .bundle_length = 37};
}
