/* SPDX-License-Identifier: MIT */
/* ctest: begins 2 of the first, not with sanitizers, unless every test is asked for */
/* Hold and ramp-out at the rig: commanded positions by their differences, and the actual force of the virtual
 * specimens, recorded by a rig of the test. No internal state of the engine is used. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/hybrid.h"
#include "hybrid/laboratory.h"

/* Commands to one actuator. */
typedef struct told {
    double p[4];                                                     /* m, newest first */
    double acceleration[IFD_MACHINE_COUNT], jerk[IFD_MACHINE_COUNT]; /* largest, per state */
    double taken_over; /* m/s3, largest of the first commands of a state */
    double velocity;   /* m/s, largest in the run */
    double rested;     /* s in ramp-out without a motion */
    double moved;      /* m, commanded in ramp-out */
    double after;      /* m, part of it after the brake */
    bool braked;
} told;

/* Actual forces of one interface. */
typedef struct felt {
    double largest[IFD_MACHINE_COUNT]; /* N, per state */
    double first, across, last;        /* N: at the end of the brake of ramp-out; the largest of opposite sign; now */
    bool begun;
} felt;

static struct {
    told actuator[IFD_RIG_ACTUATORS];
    felt interface[IFD_RIG_ACTUATORS];
    const ifd_drive *drive; /* of all actuators; NULL: one per interface */
    double q[IFD_DRIVE_DOFS];
    int state;                          /* of the previous command */
    bool controlled[IFD_RIG_ACTUATORS]; /* in force control, with constant force until the others are released */
    long commands;
    int actuators, interfaces;
    double tick;                      /* s */
    double out;                       /* s in ramp-out */
    bool resumed;                     /* for a while now */
    double resume[IFD_RIG_ACTUATORS]; /* m/s2, largest then */
    double gain, held;                /* measured force: value shown for 1 N, constant value; NaN: actual */
    bool stuck;
} rig;

static ifd_rig_ops ops;

static void note(told *s, double p, int state, double dt)
{
    memmove(s->p + 1, s->p, 3 * sizeof *s->p);
    s->p[0] = p;
    double w = s->p[0] - s->p[1], a = w - (s->p[1] - s->p[2]), j = a - (s->p[1] - 2.0 * s->p[2] + s->p[3]);
    if (rig.commands > 4) {
        s->acceleration[state] = fmax(s->acceleration[state], fabs(a) / (dt * dt));
        double *most = state == rig.state ? &s->jerk[state] : &s->taken_over;
        *most = fmax(*most, fabs(j) / (dt * dt * dt));
    }
    if (state == IFD_MACHINE_RUN)
        s->velocity = fmax(s->velocity, fabs(w) / dt);
    if (rig.resumed)
        rig.resume[s - rig.actuator] = fmax(rig.resume[s - rig.actuator], fabs(a) / (dt * dt));
    if (state != IFD_MACHINE_RAMP_OUT && state != IFD_MACHINE_STOPPED)
        return;
    s->moved += fabs(w);
    s->after += s->braked ? fabs(w) : 0.0;
    s->rested = w == 0.0 ? s->rested + dt : 0.0;
    s->braked = s->braked || s->rested > 0.1;
}

/* begins: ramp-out has braked; of a controlled force, its release begins. */
static void feel(felt *s, double f, int state, bool begins)
{
    s->last = f;
    s->largest[state] = fmax(s->largest[state], fabs(f));
    if (state != IFD_MACHINE_RAMP_OUT && state != IFD_MACHINE_STOPPED)
        return;
    if (!s->begun && begins) {
        s->begun = true;
        s->first = f;
    }
    if (s->begun)
        s->across = fmax(s->across, -f * copysign(1.0, s->first));
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    double position[IFD_RIG_ACTUATORS], force[IFD_RIG_ACTUATORS], own[IFD_RIG_ACTUATORS];
    ifd_virtual_rig.command(r, c, x);
    rig.commands++;
    rig.tick = r->tick;
    rig.actuators = r->actuators;
    if (c->state == IFD_MACHINE_RAMP_OUT)
        rig.out += r->tick;
    for (int k = 0; k < r->actuators; k++) {
        ifd_virtual_actual(r, x, k, &position[k], &force[k]);
        note(&rig.actuator[k], c->position[k], (int)c->state, r->tick);
    }
    if (rig.drive) { /* the force of a dof of a block is that of its specimen, without forces between actuators */
        assert_true(ifd_drive_pose(rig.drive, position, rig.q));
        ifd_drive_force(rig.drive, rig.q, force, own);
    } else
        memcpy(own, force, sizeof own);
    for (int k = 0; k < rig.interfaces; k++)
        feel(&rig.interface[k], own[k], (int)c->state, rig.controlled[k] || rig.actuator[rig.drive ? 0 : k].braked);
    rig.state = (int)c->state;
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    if (!rig.stuck)
        rig.held = out->force[0];
    out->force[0] = rig.stuck ? rig.held : rig.gain * out->force[0];
    return fresh;
}

static lab *make(const char *name, const char *const *set)
{
    memset(&rig, 0, sizeof rig);
    rig.gain = 1.0;
    ops = ifd_virtual_rig;
    ops.command = command;
    ops.sense = sense;
    lab *l = lab_make(name, set, &ops);
    ifd__hybrid_untraced(l->h); /* commands and forces are judged, not the record */
    rig.interfaces = l->o.interfaces;
    for (int k = 0; k < l->o.interfaces; k++)
        rig.controlled[k] = l->o.interface[k].force != NULL;
    if (l->o.drives) {
        ifd_drive *drive;
        ifd_note why;
        ifd_note_init(&why, l->arena);
        assert_int_equal(ifd_drive_make(l->arena, &l->o.drive[0].drive, &drive, &why), IFD_OK);
        for (int k = 0; k < l->o.interfaces; k++)
            assert_int_equal(l->o.drive[0].interface[k], k);
        rig.drive = drive;
    }
    return l;
}

static void until(lab *l, ifd_machine state)
{
    for (long i = 0; i < 4000000 && ifd_hybrid_state(l->h) != state && l->last == IFD_RUN_GOING; i++)
        lab_tick(l, IFD_ORDER_NONE);
}

/* State before ramp-out. */
typedef enum from { FROM_END, FROM_RUN, FROM_HOLD, FROM_RESUMED, FROM_RAMP_IN } from;
static const char *const from_name[] = {"the end", "run", "hold", "run after a hold", "ramp-in"};
static const char *const leaves[] = {"test.leave=stay", "test.leave=start", "test.leave=zero-force"};
enum { ZERO_FORCE = 2 };

static double well_in = 1.6; /* s, simulated time of the order of hold or ramp-out */

static void lead_out(lab *l, from f)
{
    until(l, f == FROM_RAMP_IN ? IFD_MACHINE_RAMP_IN : IFD_MACHINE_RUN);
    if (f == FROM_RAMP_IN)
        lab_go_for(l, 0.9);
    for (long i = 0; f != FROM_END && f != FROM_RAMP_IN && i < 4000000 && ifd_hybrid_time(l->h) < well_in; i++)
        lab_tick(l, IFD_ORDER_NONE);
    if (f == FROM_HOLD || f == FROM_RESUMED) {
        lab_tick(l, IFD_ORDER_HOLD);
        lab_go_for(l, 3.0);
    }
    if (f == FROM_RESUMED && ifd_hybrid_may_resume(&l->o)) {
        play(&l->script, "resume; is run");
        rig.resumed = true;
        lab_go_for(l, l->o.brake);
        rig.resumed = false;
    }
    if (f != FROM_END)
        lab_tick(l, f == FROM_RAMP_IN ? IFD_ORDER_HOLD : IFD_ORDER_RAMP_OUT);
    until(l, IFD_MACHINE_STOPPED);
}

/* A shipped case. */
typedef struct shipped {
    const char *name;
    double noise; /* N, of its load cells */
} shipped;

static const shipped cases[] = {
    {"bridge/hybrid", 200.0},       {"bridge/hybrid-slow", 200.0},     {"bridge/pg-alpha-hybrid", 200.0},
    {"carried-damper/rig", 20.0},   {"column-mixed/column", 0.0},      {"four-dof-rig/between", 2.0},
    {"four-dof-rig/ground", 2.0},   {"rths-frame/building-1", 0.0},    {"rts-rig/rig", 0.01},
    {"split-mass-rig/rig", 0.05},   {"spring-pendulum-rig/rig", 0.02}, {"spring-pendulum-rig/spring", 0.02},
    {"three-actuators/block", 0.0}, {"two-dof-rig/rig", 2.0},          {"two-dof/hybrid", 2.0},
};

#define demand(condition, ...)                                                                                       \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            print_error("%s from %s, %s, actuator %d: ", c->name, from_name[f], leave, k);                           \
            print_error(__VA_ARGS__);                                                                                \
            print_error("\n");                                                                                       \
            bad++;                                                                                                   \
        }                                                                                                            \
    } while (0)

/* m/s2, m/s3: the largest of a complete run of the present case; m/s2: the limit of each actuator. */
static double whole_run[IFD_RIG_ACTUATORS], whole_jerk[IFD_RIG_ACTUATORS], limit[IFD_RIG_ACTUATORS];

static int check_actuator(const shipped *c, from f, const char *leave, int k)
{
    const told *s = &rig.actuator[k];
    int bad = 0;
    double most = whole_run[k];
    demand(s->acceleration[IFD_MACHINE_RAMP_IN] <= most, "%.4g m/s2 in ramp-in, %.4g in the run",
           s->acceleration[IFD_MACHINE_RAMP_IN], most);
    /* The brake of a ramp-in on its path takes B = 5 v/A, four ticks or more: it adds 0.3 A, with a jerk of 6 v/B^2,
     * at most 1.2 A/B. */
    bool ramp = f == FROM_RAMP_IN;
    double braked = ramp ? s->acceleration[IFD_MACHINE_RAMP_IN] + 0.3 * limit[k] : 0.0;
    double brake_jerk = ramp ? 1.2 * limit[k] / (4.0 * rig.tick) : 0.0;
    demand(s->acceleration[IFD_MACHINE_RAMP_OUT] <= fmax(most, braked), "%.4g m/s2 in ramp-out, %.4g in the run",
           s->acceleration[IFD_MACHINE_RAMP_OUT], most);
    demand(s->acceleration[IFD_MACHINE_HOLD] <= most, "%.4g m/s2 on hold at %g s, %.4g in the run",
           s->acceleration[IFD_MACHINE_HOLD], well_in, most);
    demand(rig.resume[k] <= most, "%.4g m/s2 when resumed at %g s, %.4g in the run", rig.resume[k], well_in, most);
    /* A brake from (v, a) has a jerk of 4 a/T + 6 v/T^2; ramp_out.c limits each term to 2 A^2/V: an oscillation with
     * the peaks A and V has A^2/V. */
    double A = s->acceleration[IFD_MACHINE_RUN], swing = s->velocity > 0.0 ? 4.0 * A * A / s->velocity : 0.0;
    static const ifd_machine jerked[] = {IFD_MACHINE_HOLD, IFD_MACHINE_RAMP_OUT};
    for (size_t i = 0; i < COUNT(jerked); i++)
        demand(s->jerk[jerked[i]] <= fmax(fmax(whole_jerk[k], swing), brake_jerk), "%.4g m/s3 in %s, %.4g in the run",
               s->jerk[jerked[i]], ifd_machine_name(jerked[i]), whole_jerk[k]);
    /* The first command of a state continues from the last acceleration of the previous state: both are at most
     * `most`. */
    demand(s->taken_over <= 2.0 * fmax(most, braked) / rig.tick,
           "%.4g m/s3 in the first command of a state, %.4g m/s2 in the run", s->taken_over, most);
    return bad;
}

/* A force can oscillate through zero without commands: that of a pendulum or of a mass on the specimen. */
static bool commanded_after_brake(void)
{
    double moved = 0.0;
    for (int k = 0; k < rig.actuators; k++)
        moved += rig.actuator[k].after;
    return moved > 0.0;
}

static int check_interface(const shipped *c, from f, const char *leave, int k)
{
    const felt *s = &rig.interface[k];
    int bad = 0;
    double largest =
        0.0; /* N: without noise a load cell of 20 bits shows 2^-20 of it, and coupled dofs have a similar effect */
    for (int i = 0; i < rig.interfaces; i++)
        for (int j = 0; j < IFD_MACHINE_COUNT; j++)
            largest = fmax(largest, rig.interface[i].largest[j]);
    double little = fmax(0.05 * fabs(s->first), fmax(3.0 * c->noise, ldexp(largest, -20)));
    demand(s->across <= little || !commanded_after_brake(), "true force %.4g N, then %.4g N the other way", s->first,
           s->across);
    /* A remaining force was inside the dead band, three deviations or 0.002 of the largest force, as a mean over at
     * least four ticks: the error of that mean is at most three times sqrt(1/8) deviations. */
    double band = fmax((3.0 + 3.0 * sqrt(0.125)) * c->noise, 0.002 * s->largest[IFD_MACHINE_RUN]);
    demand(fabs(s->last) <= fmax(little, band) || !commanded_after_brake(), "true force %.4g N, of which %.4g N stay",
           s->first, s->last);
    return bad;
}

static int check_way_out(const shipped *c, from f, const char *leave)
{
    const char *set[] = {leave, NULL};
    int bad = 0, k = -1;
    lab *l = make(c->name, set);
    lead_out(l, f);
    ifd_trip_facts facts = ifd_hybrid_trip(l->h);
    demand(ifd_hybrid_state(l->h) == IFD_MACHINE_STOPPED, "%s, %s of channel %d, %.4g of %.4g after %.4g s",
           ifd_machine_name(ifd_hybrid_state(l->h)), ifd_trip_name(facts.trip), facts.owner, facts.value, facts.limit,
           rig.out);
    demand(rig.out < 30.0, "%.3g s in ramp-out", rig.out);
    for (k = 0; k < rig.actuators && f == FROM_END; k++) {
        whole_run[k] = rig.actuator[k].acceleration[IFD_MACHINE_RUN];
        whole_jerk[k] = rig.actuator[k].jerk[IFD_MACHINE_RUN];
    }
    for (k = 0; k < rig.actuators; k++) {
        ifd_limits of_rig;
        ifd_hybrid_rig_limits(l->h, k, &of_rig);
        limit[k] = of_rig.acceleration;
        bad += check_actuator(c, f, leave, k);
    }
    for (k = 0; k < rig.interfaces && leave == leaves[ZERO_FORCE]; k++)
        bad += check_interface(c, f, leave, k);
    lab_close(l);
    return bad;
}

/* First a complete run: it determines the permitted values of every ramp-out. Then every ramp-out, and those of a
 * hold and after it at other instants. */
static int check_case(const shipped *c)
{
    static const double at[] = {0.9, 0.5, 1.3, 1.9, 2.1, 2.5}; /* s; 1.6 is included above */
    int bad = 0;
    for (from f = FROM_END; f <= FROM_RAMP_IN; f++)
        for (size_t j = f == FROM_RAMP_IN ? ZERO_FORCE : 0; j < COUNT(leaves); j++)
            bad += check_way_out(c, f, leaves[j]);
    for (size_t j = 0; j < (BRIEF ? 1 : COUNT(at)); j++) {
        well_in = at[j];
        bad += check_way_out(c, FROM_RESUMED, leaves[0]);
    }
    well_in = 1.6;
    return bad;
}

TEST(neither_a_way_out_of_a_shipped_case_nor_a_hold_at_any_instant_is_rougher_than_its_run)
{
    int bad = 0;
    for (size_t i = 0; i < COUNT(cases);
         i += BRIEF ? 2 : 1) /* the numbers are those of the build without sanitizers */
        bad += check_case(&cases[i]);
    assert_int_equal(bad, 0);
}

/* Noise of the position sensor gives ramp-in a small error, which is a force in a specimen of this stiffness. */
TEST(a_hold_in_ramp_in_loads_no_stiff_specimen)
{
    lab *l = make("../tests/hybrid/ramp_out/stiff", (const char *const[]){NULL});
    lead_out(l, FROM_RAMP_IN);
    const felt *s = &rig.interface[0];
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_true(s->largest[IFD_MACHINE_RAMP_OUT] <= 1.05 * s->largest[IFD_MACHINE_RAMP_IN]);
    assert_true(fabs(s->last) <= 2000.0); /* four standard deviations */
    lab_close(l);
}

TEST(a_way_out_from_rest_without_force_moves_nothing)
{
    lab *l = make("../tests/hybrid/ramp_out/stiff",
                  (const char *const[]){"specimen.0.position-sensor={noise: 0 m}", NULL});
    lead_out(l, FROM_RAMP_IN);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_near(rig.actuator[0].moved, 0.0, 0.0, "commanded in ramp-out");
    lab_close(l);
}

/* For a load cell that fails after the brake of ramp-out. */
static void check_bad_load_cell(bool stuck, double gain)
{
    lab *l =
        make("bridge/hybrid", (const char *const[]){"time.end=2s", "specimen.0.force-sensor={noise: 0 N}", NULL});
    until(l, IFD_MACHINE_RAMP_OUT);
    lab_go_for(l, 0.2);
    const felt *s = &rig.interface[0];
    rig.stuck = stuck;
    rig.gain = gain;
    double began = fabs(s->last);
    assert_true(began > 1e4);
    play(&l->script, "until the end; is tripped");
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(l->h).trip), "UNLOADING");
    assert_int_equal(l->last, IFD_RUN_FAULT);
    assert_true(s->across <= 1.1 * began && fabs(s->last) <= 1.1 * began);
    lab_close(l);
}

TEST(unloading_that_does_not_unload_trips)
{
    check_bad_load_cell(true, 1.0);
    check_bad_load_cell(false, -1.0);
}

/* The bearing slips where the last newtons are unloaded: its secant changes by less than the load cell can tell. */
TEST(a_bearing_that_slips_inside_the_dead_band_is_no_fault)
{
    lab *l = make("bridge/hybrid", (const char *const[]){"test.ramp-in=0.3s", "time.end=1.86s", NULL});
    lead_out(l, FROM_END);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_true(fabs(rig.interface[0].last) < 600.0 && rig.out < 25.0); /* three standard deviations */
    lab_close(l);
}

static ifd_trip plastic(const char *sensor, bool stuck, const char *rule)
{
    lab *l = make("../tests/hybrid/ramp_out/plastic", (const char *const[]){sensor, rule, NULL});
    until(l, IFD_MACHINE_RUN);
    lab_go_for(l, 1.0);
    rig.stuck = stuck;
    until(l, IFD_MACHINE_STOPPED);
    ifd_trip trip = ifd_hybrid_trip(l->h).trip;
    lab_close(l);
    return trip;
}

TEST(a_force_that_stays_the_same_is_told_from_a_stuck_load_cell)
{
    static const char *const noise = "test.force-stuck=noise", *const bits = "test.force-stuck=bits";
    static const char *const silent = "specimen.0.force-sensor={noise: 0 N}",
                             *const noisy = "specimen.0.force-sensor={noise: 5 N}",
                             *const coarse = "specimen.0.force-sensor={noise: 5 N, resolution: 400 N}";
    assert_int_equal(plastic(silent, false, noise), IFD_TRIP_NONE);
    assert_int_equal(plastic(noisy, false, noise), IFD_TRIP_NONE);
    assert_int_equal(plastic(noisy, false, bits), IFD_TRIP_NONE);
    assert_int_equal(plastic(coarse, false, noise), IFD_TRIP_NONE);
    assert_int_equal(plastic(noisy, true, noise), IFD_TRIP_FORCE_STUCK);
    assert_int_equal(plastic(silent, true, bits), IFD_TRIP_FORCE_STUCK);
}

TESTS()
