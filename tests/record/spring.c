/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "spring.h"

#include <string.h>
#include <unistd.h>

#include "files.h"

static const char text[] =
    "title: A spring on the rig\n"
    "time: {step: 2 ms, end: 1 s}\n"
    "method: lsrt2\n"
    "model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}\n"
    "initial: {displacement: {x: 10 mm}}\n"
    "specimen:\n"
    "  - name: spring\n"
    "    spring: {between: [ground, x], stiffness: 2e5 N/m}\n"
    "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 10 mm}\n"
    "test: {rig: virtual, ramp-in: 0.05 s, settle: 0.01 s, overrun: extrapolate, "
    "late-for: 1000 s}\n";

static void open_with(spring *s, const char *name, int count, const char *const *sets, bool lossless, bool waits)
{
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    s->books = ifd_arena_open();
    ifd_note_init(&s->note, s->books);
    snprintf(s->folder, sizeof s->folder, "%.200s", files_path(name));
    assert_int_equal(ifd_case_read(s->arena, files_write("spring.yaml", text), count, sets, &s->c, &s->note), IFD_OK);
    ifd_hybrid_options test = *s->c->test;
    test.wait_tripped = waits;
    assert_int_equal(ifd_hybrid_make(s->arena, &test, &s->test, &s->note), IFD_OK);
    const ifd_recorder_options o = {s->folder, s->c, s->test, {.lossless = lossless}};
    assert_int_equal(ifd_recorder_open(s->books, &o, &s->recorder, &s->note), IFD_OK);
}

void spring_open(spring *s, const char *name, int count, const char *const *sets)
{
    open_with(s, name, count, sets, true, false);
}

void spring_open_clocked(spring *s, const char *name, int count, const char *const *sets)
{
    open_with(s, name, count, sets, false, false);
}

void spring_open_waiting(spring *s, const char *name)
{
    open_with(s, name, 0, NULL, true, true);
}

void spring_run(spring *s)
{
    spring_run_ordered(s, NULL, 0);
}

void spring_run_ordered(spring *s, const ifd_order *order, int count)
{
    const uint64_t between = 300; /* ticks */
    ifd_executor_options o;
    ifd_executor *e;
    ifd_tick_record r;
    ifd_ticked t = ifd_hybrid_ticked(s->test);
    ifd_executor_defaults(&o);
    o.period = 0;
    o.lock_memory = false;
    o.ring = 64; /* so that an order comes soon after the tick it waited for */
    assert_int_equal(ifd_executor_open(s->arena, &o, &t, &e, &s->note), IFD_OK);
    for (bool last = false; !last; usleep(200)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r)) {
            ifd_recorder_add(s->recorder, &r);
            if (r.tick % between == 0 && r.tick / between <= (uint64_t)count)
                ifd_executor_order(e, order[r.tick / between - 1], IFD_SOURCE_HOLDER);
        }
    }
    ifd_executor_close(e, &s->report);
    const ifd_timing timing = {.wall = 1, .ticks = s->report.ticks};
    assert_int_equal(ifd_recorder_close(s->recorder, &s->report, &timing, &s->note), IFD_OK);
}

void spring_close(spring *s)
{
    ifd_hybrid_close(s->test);
    ifd_arena_close(s->books);
    ifd_arena_close(s->arena);
}
