/* SPDX-License-Identifier: MIT */
/* A rehearsal: all components run, no position is commanded to the rig, its twin supplies the response; and the scale
 * of a shakedown test. */
#include "check.h"

#include <string.h>

#include "laboratory.h"
#include "hybrid/own_rig.h"

/* Commands to the rig, and its measurements. */
static struct {
    long senses, commands, silent_from;
    uint32_t states, outputs, commanded;
    uint32_t inputs; /* 0: stop pressed, pumps off */
    uint64_t heard, lead;
} rig;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)x;
    *out = (ifd_measure){.tick = rig.heard + rig.lead, .inputs = rig.inputs, .channels = (uint32_t)r->channels};
    out->position[0] = 0.0123;
    return ++rig.senses < rig.silent_from || rig.silent_from == 0;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r;
    (void)x;
    rig.commands++;
    rig.commanded |= c->commanded;
    rig.states |= 1u << c->state;
    rig.outputs |= c->outputs;
    rig.heard = c->tick;
}

static const ifd_rig_ops staying = OWN_RIG("staying", sense, command);

typedef struct scene {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
    ifd_ticked t;
    double peak; /* m, of the target deformation in the run */
} scene;

static void scene_make(scene *s, const char *set, bool rehearse)
{
    s->arena = ifd_arena_open();
    const char *sets[] = {"time.end=0.5s", "specimen.0.position-sensor.noise=0", "specimen.0.force-sensor.noise=0",
                          set};
    assert_int_equal(
        ifd_case_read(s->arena, IFD_SOURCE_DIR "/cases/split-mass-rig/rig.yaml", set ? 4 : 3, sets, &s->c, NULL),
        IFD_OK);
    s->o = *s->c->test;
    s->o.automatic = true;
    if (rehearse) {
        s->o.rehearse = s->c->laboratory;
        s->o.rig = &staying;
        s->o.rig_setup = NULL;
    }
    assert_int_equal(ifd_hybrid_make(s->arena, &s->o, &s->h, NULL), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static void scene_run(scene *s, const char *set, bool rehearse)
{
    scene_make(s, set, rehearse);
    ifd_ticked t = s->t;
    int count, wanted = -1;
    const ifd_column *c = ifd_hybrid_columns(s->h, &count);
    for (int i = 0; i < count; i++)
        wanted = strcmp(c[i].name, "spring target") == 0 ? i : wanted;
    s->peak = 0.0;
    while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING)
        s->peak = fmax(s->peak, fabs(t.values(t.self)[wanted]));
}

static void scene_close(scene *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

TEST(the_rig_stays_and_the_twin_answers)
{
    scene real, rehearsed;
    memset(&rig, 0, sizeof rig);
    scene_run(&real, NULL, false);
    scene_run(&rehearsed, NULL, true);
    assert_int_equal(ifd_hybrid_state(rehearsed.h), IFD_MACHINE_STOPPED);
    assert_int_equal(ifd_hybrid_trip(rehearsed.h).trip, IFD_TRIP_NONE);
    assert_near(rehearsed.peak, real.peak, 0.0, "the same numbers as on the virtual rig");
    assert_true(rig.commands > 2000);
    assert_int_equal(rig.commanded, 0);
    assert_int_equal(rig.states, 1u << IFD_MACHINE_IDLE);
    assert_int_equal(rig.outputs, 0);
    scene_close(&real);
    scene_close(&rehearsed);
}

TEST(a_rig_that_falls_silent_is_noticed_in_the_rehearsal)
{
    scene s;
    memset(&rig, 0, sizeof rig);
    rig.silent_from = 3000;
    scene_run(&s, NULL, true);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_LOST);
    scene_close(&s);
}

TEST(a_scale_makes_motions_and_loads_smaller_and_nothing_else)
{
    scene whole, part;
    scene_run(&whole, NULL, false);
    scene_run(&part, "test.scale=0.05", false);
    assert_near(part.c->day.scale, 0.05, 0.0, "as recorded");
    assert_near(part.peak / whole.peak, 0.05, 5e-4,
                "of a linear structure"); /* the noise of its sensors is not scaled */
    scene_close(&whole);
    scene_close(&part);
}

/* The twin continues with its saved state and tick count; the rig has received fewer or more commands. */
TEST(a_rehearsal_that_goes_on_is_not_taken_for_lost)
{
    const char *const ramp_in[] = {"test.ramp-in=1s", "test.ramp-in=4s", "test.ramp-in=1s"};
    for (int later = 1; later < 3; later++) {
        scene a, b;
        ifd_snapshot s = {0};
        memset(&rig, 0, sizeof rig);
        scene_make(&a, ramp_in[0], true);
        while (!ifd_hybrid_snapshot(a.h, &s)) {
            ifd_order order = ifd_hybrid_time(a.h) > 0.1 ? IFD_ORDER_HOLD : IFD_ORDER_NONE;
            assert_int_equal(a.t.tick(a.t.self, &(ifd_tick_in){.order = order}), IFD_RUN_GOING);
        }
        ifd_snapshot *kept = snapshot_copy(&s);
        scene_close(&a);
        memset(&rig, 0, sizeof rig);
        scene_make(&b, ramp_in[later], true);
        assert_int_equal(ifd_hybrid_continue(b.h, kept, NULL), IFD_OK);
        while (ifd_hybrid_state(b.h) != IFD_MACHINE_HOLD)
            assert_int_equal(b.t.tick(b.t.self, &(ifd_tick_in){0}), IFD_RUN_GOING);
        for (int i = 0; i < 30; i++)
            assert_int_equal(b.t.tick(b.t.self, &(ifd_tick_in){0}), IFD_RUN_GOING);
        assert_true(later == 1 ? rig.heard > kept->tick + 100 : rig.heard < kept->tick - 100);
        assert_int_equal(b.t.tick(b.t.self, &(ifd_tick_in){.order = IFD_ORDER_RESUME}), IFD_RUN_GOING);
        assert_int_equal(ifd_hybrid_count(b.h, IFD_TRIP_LOST), 0);
        rig.lead = 1; /* from now on a wrong number is an error again */
        (void)b.t.tick(b.t.self, &(ifd_tick_in){0});
        assert_int_equal(ifd_hybrid_trip(b.h).trip, IFD_TRIP_LOST);
        snapshot_free(kept);
        scene_close(&b);
    }
}

TEST(a_rig_that_stops_itself_ends_the_rehearsal)
{
    scene s;
    memset(&rig, 0, sizeof rig);
    scene_make(&s, NULL, true);
    while (ifd_hybrid_time(s.h) <= 0.1)
        assert_int_equal(s.t.tick(s.t.self, &(ifd_tick_in){0}), IFD_RUN_GOING);
    rig.inputs = IFD_INPUT_RIG_STOPPED;
    (void)s.t.tick(s.t.self, &(ifd_tick_in){0});
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_RIG_STOPPED);
    scene_close(&s);
}

TESTS()
