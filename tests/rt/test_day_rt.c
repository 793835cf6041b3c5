/* SPDX-License-Identifier: MIT */
/* Functions of the day of a test allocate nothing on its ticks: preload with yielding elements, a rehearsal,
 * snapshots, a continued test, and the motions of characterisation. */
#include "check.h"

#include "alloc_count.h"

#include <interfield/case.h>

typedef struct scene {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
} scene;

static const char text[] =
    "time: {step: 4 ms, end: 0.4 s}\n"
    "ground: {signal: {sine: {amplitude: 2 m/s2, frequency: 2 Hz}}}\n"
    "model:\n"
    "  dofs: [x, y]\n"
    "  mass: [1000, 1000]\n"
    "  stiffness: [[6.0e+5, -2.0e+5], [-2.0e+5, 2.0e+5]]\n"
    "  elements:\n"
    "    - {name: pier, bilinear: {at: x, stiffness: 1e5 N/m, yield: 1 mm, ratio: 0.1}}\n"
    "    - {name: pad, bouc-wen: {between: [x, y], stiffness: 1e5 N/m, beta: 200, gamma: 100}}\n"
    "loads: [{at: y, force: 2 kN}]\n"
    "specimen:\n"
    "  - name: device\n"
    "    spring: {at: x, stiffness: 2e5 N/m}\n"
    "    estimate: {stiffness: 1.8e5 N/m}\n"
    "    force-offset: tare\n"
    "    actuator: {second-order: {frequency: 20 Hz}}\n"
    "    compensation: {polynomial: {delay: 11 ms, order: 3}}\n"
    "    position-sensor: {noise: 2 um}\n"
    "    force-sensor: {noise: 2 N, seed: 2}\n"
    "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}\n"
    "test: {preload: yes, ramp-in: 0.2 s, settle: 0.1 s, checkpoint-every: 0.05 s, brake: 0.05 s}\n";

static scene *scene_make(void)
{
    ifd_arena *arena = ifd_arena_open();
    scene *s = ifd_arena_take(arena, sizeof *s);
    ifd_note note;
    s->arena = arena;
    ifd_note_init(&note, arena);
    const ifd_case_source source = {.path = "day.yaml", .text = text};
    ifd_status status = ifd_case_read_source(arena, &source, &s->c, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    s->o = *s->c->test;
    s->o.automatic = true;
    return s;
}

static void scene_close(scene *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

/* To its end; with hold from the middle on to its snapshot. */
static long run(scene *s, bool hold, ifd_snapshot *kept)
{
    ifd_ticked t = ifd_hybrid_ticked(s->h);
    ifd_run_state state = IFD_RUN_GOING;
    bool there = false;
    long ticks = 0;
    alloc_arm();
    while (state == IFD_RUN_GOING && !there && ++ticks < 100000) {
        ifd_order order = hold && ifd_hybrid_time(s->h) >= 0.2 ? IFD_ORDER_HOLD : IFD_ORDER_NONE;
        if (!hold && ifd_hybrid_state(s->h) == IFD_MACHINE_HOLD)
            order = IFD_ORDER_RESUME;
        state = t.tick(t.self, &(ifd_tick_in){.order = order});
        if (ifd_hybrid_snapshot(s->h, kept)) {
            there = kept->state == IFD_MACHINE_HOLD;
            if (!there)
                ifd_hybrid_give_back(s->h);
        }
    }
    assert_int_equal(alloc_disarm(), 0);
    assert_true(hold ? there : state == IFD_RUN_DONE);
    return ticks;
}

TEST(preload_snapshots_and_what_follows_take_no_memory)
{
    scene *s = scene_make(), *later = scene_make();
    ifd_snapshot kept, ignored;
    assert_int_equal(ifd_hybrid_make(s->arena, &s->o, &s->h, NULL), IFD_OK);
    assert_true(run(s, true, &kept) > 500); /* at least two ramps before it */
    assert_int_equal(ifd_hybrid_make(later->arena, &later->o, &later->h, NULL), IFD_OK);
    assert_int_equal(ifd_hybrid_continue(later->h, &kept, NULL), IFD_OK);
    run(later, false, &ignored);
    assert_near(ifd_hybrid_time(later->h), 0.4, 1e-9, "the end");
    scene_close(s);
    scene_close(later);
}

TEST(a_rehearsal_takes_no_memory)
{
    scene *s = scene_make();
    ifd_snapshot ignored;
    s->o.rehearse = s->c->laboratory;
    assert_int_equal(ifd_hybrid_make(s->arena, &s->o, &s->h, NULL), IFD_OK);
    run(s, false, &ignored);
    scene_close(s);
}

TEST(the_motions_of_characterisation_take_no_memory)
{
    scene *s = scene_make();
    ifd_snapshot ignored;
    ifd_protocol *p = NULL;
    ifd_interface_options channel = s->o.interface[0];
    channel.from = IFD_GROUND;
    channel.to = 0;
    channel.compensator = NULL;
    const ifd_protocol_rig rig = {1, &channel, 1e-3};
    assert_int_equal(ifd_protocol_make(s->arena, &s->c->day.characterise, &rig, &p, NULL), IFD_OK);
    s->o.protocol = p;
    s->o.model = ifd_protocol_model(p);
    s->o.end = ifd_protocol_duration(p);
    s->o.interface = &channel;
    s->o.preload = false;
    assert_int_equal(ifd_hybrid_make(s->arena, &s->o, &s->h, NULL), IFD_OK);
    assert_true(run(s, false, &ignored) > 15000);
    scene_close(s);
}

TESTS()
