/* SPDX-License-Identifier: MIT */
/* A complete hybrid test allocates nothing from its first tick to its last: the bridge with a bearing on the rig,
 * from rest over ramp-in, run, hold, resume and ramp-out, with every compensation. */
#include "check.h"

#include "alloc_count.h"

#include <interfield/case.h>

#include <string.h>

typedef struct outcome {
    long ticks, calls;
    ifd_machine state;
} outcome;

/* Holds at tick 4000 and resumes at tick 5000; changes: the end of the test, and two settings. */
static outcome run_case(const char *file, const char *end, const char *first, const char *second)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    ifd_note_init(&note, arena);
    const char *sets[] = {end, first, second};
    ifd_status status = ifd_case_read(arena, file, 3, sets, &c, &note);
    if (status == IFD_OK)
        status = ifd_hybrid_make(arena, c->test, &h, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    outcome out = {0};
    ifd_run_state state = IFD_RUN_GOING;
    alloc_arm();
    while (state == IFD_RUN_GOING && ++out.ticks < 100000) {
        ifd_tick_in in = {.order = out.ticks == 4000   ? IFD_ORDER_HOLD
                                   : out.ticks == 5000 ? IFD_ORDER_RESUME
                                                       : IFD_ORDER_NONE};
        state = t.tick(t.self, &in);
    }
    out.calls = alloc_disarm();
    out.state = ifd_hybrid_state(h);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return out;
}

static outcome run(const char *compensation)
{
    char set[200];
    snprintf(set, sizeof set, "specimen.0.compensation=%s", compensation);
    return run_case(IFD_SOURCE_DIR "/cases/bridge/hybrid.yaml", "time.end=6s", "test.allow-resume=yes", set);
}

/* Every other required parameter is a time: the delay of the actuator, or a bound of it. */
static const char *settings(const ifd_compensator_kind *kind, char *out, size_t size)
{
    static const char *const other[][2] = {
        {"inverse-2", "{inverse-2: {coefficients: [1, 0.014854, 1.12579e-4]}}"},
        {"lqg", "{lqg: {coefficients: [1, 0.014854, 1.12579e-4]}}"},
        {"predictive", "{predictive: {coefficients: [1, 0.014854, 1.12579e-4]}}"},
        {"tracking-adaptive", "{tracking-adaptive: {delay: 15 ms, amplitude: 100 mm}}"},
        {"tadc", "{tadc: {delay: 15 ms}}"},
        {"energy-damping", "{energy-damping: {stiffness: 1 MN/m, most: 10 kN s/m, look-ahead: 15 ms}}"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(kind->name, other[i][0]) == 0)
            return other[i][1];
    for (int i = 0; kind->params[i].name; i++)
        if (kind->params[i].required) {
            snprintf(out, size, "{%s: {%s: 15 ms}}", kind->name, kind->params[i].name);
            return out;
        }
    return kind->name;
}

TEST(no_test_allocates_whatever_compensates_its_delay)
{
    int finished = 0;
    for (int k = 0; k < ifd_compensator_count; k++) {
        char text[100];
        outcome o = run(settings(ifd_compensators[k], text, sizeof text));
        if (o.calls)
            print_error("%s: %ld calls\n", ifd_compensators[k]->name, o.calls);
        assert_int_equal(o.calls, 0);
        assert_true(o.state == IFD_MACHINE_STOPPED || o.state == IFD_MACHINE_TRIPPED);
        finished += o.state == IFD_MACHINE_STOPPED;
        if (strcmp(ifd_compensators[k]->name, "inverse-2") == 0) {
            assert_int_equal(o.state, IFD_MACHINE_STOPPED);
            assert_true(o.ticks > 7000); /* ramp-in, 6 s, a second on hold */
        }
    }
    assert_true(finished > 0);
}

TEST(no_test_allocates_with_a_coupled_adaptive_inverse)
{
    outcome o = run_case(IFD_SOURCE_DIR "/cases/compensators/platform.yaml", "time.end=8s",
                         "drives.0.compensation.decoupling.doubt=0.1", "drives.0.actuators.0.actuator=ideal");
    assert_int_equal(o.calls, 0);
    assert_int_equal(o.state, IFD_MACHINE_STOPPED);
    assert_true(o.ticks > 5000); /* a second of it on hold */
}

TESTS()
