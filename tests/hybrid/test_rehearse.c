/* SPDX-License-Identifier: MIT */
/* A rehearsal: all components run, no position is commanded to the rig, its twin supplies the response; and the scale
 * of a shakedown test. */
#include "hybrid/case_stand.h"
#include "hybrid/laboratory.h"
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
    *out = (ifd_measure){.tick = rig.heard + rig.lead, .inputs = rig.inputs, .actuators = (uint32_t)r->actuators};
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

static player *scene_make(stand *s, const char *set, bool rehearse)
{
    char sets[200];
    snprintf(sets, sizeof sets,
             "time.end=0.5s; specimen.0.position-sensor.noise=0; specimen.0.force-sensor.noise=0; %s",
             set ? set : "");
    *s = (stand){0};
    (void)stand_case(s, IFD_SOURCE_DIR "/cases/split-mass-rig/rig.yaml", sets, NULL, NULL);
    s->c->test->automatic = true;
    if (rehearse) {
        s->c->test->rehearse = s->c->laboratory;
        s->c->test->rig = &staying;
        s->c->test->rig_setup = NULL;
    }
    stand_again(s);
    return &s->p;
}

/* m: largest target deformation in the run. */
static double scene_run(stand *s, const char *set, bool rehearse)
{
    double peak = 0.0;
    scene_make(s, set, rehearse);
    while (player_tick(&s->p, IFD_ORDER_NONE) == IFD_RUN_GOING)
        peak = fmax(peak, fabs(column(s, "spring target")));
    return peak;
}

TEST(the_rig_stays_and_the_twin_answers)
{
    stand real, rehearsed;
    memset(&rig, 0, sizeof rig);
    double peak = scene_run(&real, NULL, false);
    assert_near(scene_run(&rehearsed, NULL, true), peak, 0.0, "the same numbers as on the virtual rig");
    play(&rehearsed.p, "is stopped; fault NONE");
    assert_true(rig.commands > 2000);
    assert_int_equal(rig.commanded, 0);
    assert_int_equal(rig.states, 1u << IFD_MACHINE_IDLE);
    assert_int_equal(rig.outputs, 0);
    unmake(&real);
    unmake(&rehearsed);
}

TEST(a_rig_that_falls_silent_is_noticed_in_the_rehearsal)
{
    stand s;
    memset(&rig, 0, sizeof rig);
    rig.silent_from = 3000;
    (void)scene_run(&s, NULL, true);
    play(&s.p, "fault LOST");
    unmake(&s);
}

TEST(a_scale_makes_motions_and_loads_smaller_and_nothing_else)
{
    stand whole, part;
    double peak = scene_run(&whole, NULL, false), reduced = scene_run(&part, "test.scale=0.05", false);
    assert_near(part.c->day.scale, 0.05, 0.0, "as recorded");
    assert_near(reduced / peak, 0.05, 5e-4, "of a linear structure"); /* the noise of its sensors is not scaled */
    unmake(&whole);
    unmake(&part);
}

/* The twin continues with its saved state and tick count; the rig has received fewer or more commands. */
TEST(a_rehearsal_that_goes_on_is_not_taken_for_lost)
{
    const char *const ramp_in[] = {"test.ramp-in=1s", "test.ramp-in=4s", "test.ramp-in=1s"};
    for (int later = 1; later < 3; later++) {
        stand a, b;
        ifd_snapshot s = {0};
        memset(&rig, 0, sizeof rig);
        scene_make(&a, ramp_in[0], true);
        while (!ifd_hybrid_snapshot(a.h, &s)) {
            ifd_order order = ifd_hybrid_time(a.h) > 0.1 ? IFD_ORDER_HOLD : IFD_ORDER_NONE;
            assert_int_equal(player_tick(&a.p, order), IFD_RUN_GOING);
        }
        ifd_snapshot *kept = snapshot_copy(&s);
        unmake(&a);
        memset(&rig, 0, sizeof rig);
        scene_make(&b, ramp_in[later], true);
        assert_int_equal(ifd_hybrid_continue(b.h, kept, NULL), IFD_OK);
        play(&b.p, "until hold; 30; result GOING");
        assert_true(later == 1 ? rig.heard > kept->tick + 100 : rig.heard < kept->tick - 100);
        play(&b.p, "resume; result GOING; count.LOST = 0");
        rig.lead = 1; /* from now on a wrong number is an error again */
        play(&b.p, "1; fault LOST");
        snapshot_free(kept);
        unmake(&b);
    }
}

TEST(a_rig_that_stops_itself_ends_the_rehearsal)
{
    stand s;
    memset(&rig, 0, sizeof rig);
    play(scene_make(&s, NULL, true), "until time > 0.1; result GOING");
    rig.inputs = IFD_INPUT_RIG_STOPPED;
    play(&s.p, "1; fault RIG_STOPPED");
    unmake(&s);
}

TESTS()
