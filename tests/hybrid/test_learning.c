/* SPDX-License-Identifier: MIT */
/* What compensators learn from in a test: not from a measurement that is kept because none arrived, and from the
 * commands that left the program. */
#include "hybrid/case_stand.h"
#include "hybrid/hybrid.h"

#define FOLDER IFD_SOURCE_DIR "/cases/compensators/"

static struct {
    int every; /* measurements of which one is lost; 0: none */
    long ticks;
    bool lost; /* the last one */
    double sent[IFD_RIG_ACTUATORS];
} spy;

static bool spy_sense(ifd_rig *r, ifd_measure *out, double *x)
{
    ifd_measure m = *out;
    bool fresh = ifd_virtual_rig.sense(r, &m, x);
    spy.ticks++;
    spy.lost = spy.every && spy.ticks % spy.every == 0;
    if (!spy.lost)
        *out = m;
    return fresh && !spy.lost;
}

static void spy_command(ifd_rig *r, const ifd_command *c, double *x)
{
    memcpy(spy.sent, c->position, sizeof spy.sent);
    ifd_virtual_rig.command(r, c, x);
}

static void tick(stand *s)
{
    s->t.tick(s->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
}

static void begin(stand *s, const char *name, int every, int count, const char *const *sets)
{
    char path[300];
    snprintf(path, sizeof path, FOLDER "%s.yaml", name);
    memset(&spy, 0, sizeof spy);
    stand_open(s, &(ifd_case_source){.path = path, .sets = count, .set = sets}, spy_sense, spy_command);
    while (ifd_hybrid_state(s->h) != IFD_MACHINE_RUN)
        tick(s);
    spy.every = every;
    spy.ticks = 0;
}

static void coefficients(const stand *s, int k, double out[4])
{
    const ifd_compensator *c = s->h->interface[k].compensator;
    c->kind->coefficients(c, ifd__compensator_of(s->h, k), out);
}

static const char *const adaptive[] = {"adaptive-model", "cats", "tadc", "tracking-adaptive", "frequency-adaptive"};

/* In the tick of a loss the coefficients keep their bits; between losses they change. */
TEST(a_lost_measurement_changes_no_coefficient)
{
    for (size_t i = 0; i < COUNT(adaptive); i++) {
        stand s;
        int losses = 0, changes = 0;
        begin(&s, adaptive[i], 307, 0, NULL); /* 0.6 s */
        for (long k = 0; k < 3000; k++) {
            double before[4], after[4];
            coefficients(&s, 0, before);
            tick(&s);
            coefficients(&s, 0, after);
            bool same = memcmp(before, after, sizeof before) == 0;
            losses += spy.lost;
            changes += !same;
            assert_true(same || !spy.lost);
        }
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
        assert_int_equal(losses, 9);
        assert_true(changes > 0);
        unmake(&s);
    }
}

/* The acceleration limit of one actuator reduces its extensions; both dofs move differently than commanded.
 * Both actuators have a lag of 18 Hz and 0.7: A1 = 2 0.7/(2 pi 18 Hz) = 12.38 ms less the half tick by which the
 * command is early, for each dof, without coupling. */
TEST(drives_learn_from_what_left_for_each_actuator)
{
    static const char *const sets[] = {
        "drives.0.compensation={adaptive-series: {coefficients: [1, 0.009, 5e-5], noise: 10 um, bound: 1}}",
        "drives.0.actuators.1.actuator.second-order.frequency=18",
        "drives.0.actuators.1.limits.acceleration=10 m/s2",
        "specimen.0.limits.tracking=1 m",
        "specimen.1.limits.tracking=1",
        "drives.0.actuators.0.limits.tracking=1 m",
        "drives.0.actuators.1.limits.tracking=1 m"};
    stand s;
    double apart = 0.0;
    begin(&s, "platform", 0, COUNT(sets), sets);
    for (long k = 0; k < 3000 && ifd_hybrid_state(s.h) == IFD_MACHINE_RUN; k++) { /* until a limit trips */
        tick(&s);
        apart = fmax(apart, fabs(column(&s, "heave command") - column(&s, "heave deformation")));
    }
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED) > 100);
    for (int k = 0; k < 2; k++) {
        double a[4];
        coefficients(&s, k, a);
        print_message("dof %d: a0 %.5f, a1 %.3f ms; %ld commands reduced, %.1f mm apart\n", k, a[0], 1e3 * a[1],
                      ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 1e3 * apart);
        assert_near(a[0], 1.0, 1e-3, "a0 of dof %d", k);
        assert_near(a[1], 2 * 0.7 / (2 * M_PI * 18) - 1e-3, 1e-4, "a1 of dof %d", k);
    }
    unmake(&s);
}

TESTS()
