/* SPDX-License-Identifier: MIT */
/* The rules of a commanded force one by one, each against its closed form: the swing of the specimen, what a new
 * start forgets, the effective force of the ground motion, the lead of a command in each state, and the columns. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/columns.h"
#include "hybrid/chain/effective_force.h"
#include "hybrid/laboratory.h"
#include "hybrid/own_rig.h"

/* Each input has a value of its own. */
static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    *m = (ifd_measure){.inputs = 3, .actuators = (uint32_t)r->actuators, .aux = 3};
    for (int i = 0; i < 3; i++)
        m->auxiliary[i] = 1e-3 * (i + 1);
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)c, (void)x;
}

static const ifd_rig_ops rig_ops = OWN_RIG("virtual", rig_sense, rig_command);

static lab *storey(const char *set_1, const char *set_2)
{
    const char *set[] = {set_1, set_2, NULL};
    lab *l = lab_make("effective-force/rig", set, &rig_ops);
    l->h->measure.aux = 1;
    l->h->io.renewed[0] = true;
    return l;
}

static ifd__pushed *begun(lab *l)
{
    ifd__pushed *s = l->h->io.pushed[0];
    s->x = 0.0;
    ifd__push_begin(&l->h->io, 0);
    return s;
}

/* The distance from the mean counts, on both sides. A command at rest has the force of the spring: 1024 N at a swing
 * of 2^-12 m, exactly, with these powers of two. */
TEST(a_swing_is_a_distance_beyond_the_tolerance_of_the_force)
{
    lab *l = storey("specimen.0.force-command.spring=4194304 N/m", "specimen.0.force-command.tolerance=1024 N");
    ifd__pushed *s = l->h->io.pushed[0];
    double swing[2];
    assert_null(l->h->io.walled[0]); /* no state of a wall */
    for (int side = 0; side < 2; side++) {
        (void)begun(l);
        l->h->measure.auxiliary[0] = side ? -2e-3 : 2e-3;
        for (int i = 0; i < 200; i++)
            ifd__chain_sense(&l->h->io);
        swing[side] = s->swing;
    }
    assert_true(swing[0] > 1e-3);
    assert_near(swing[1], swing[0], 1e-15, "swing to the other side");
    s->swing = 1.0 / 4096.0;
    assert_false(ifd__push_swings(&l->h->io, 0));
    s->swing = 1.0 / 4096.0 + 1e-15;
    assert_true(ifd__push_swings(&l->h->io, 0));
    lab_close(l);
}

/* A position that is absent or not a number changes nothing of the specimen. */
TEST(a_position_that_is_not_known_is_not_used)
{
    lab *l = storey(NULL, NULL);
    ifd__pushed *s = begun(l), before;
    for (int absent = 0; absent < 2; absent++) {
        l->h->measure.aux = 1;
        l->h->measure.auxiliary[0] = 2e-3;
        ifd__chain_sense(&l->h->io);
        before = *s;
        assert_true(s->x == 2e-3);
        l->h->measure.aux = !absent;
        l->h->measure.auxiliary[0] = absent ? 5e-3 : (double)NAN;
        ifd__chain_sense(&l->h->io);
        assert_memory_equal(s, &before, sizeof before);
    }
    lab_close(l);
}

/* A start keeps the measured position only: everything else is 0, bit by bit. */
TEST(a_start_forgets_the_last_motion)
{
    lab *l = storey(NULL, NULL);
    ifd__pushed *s = l->h->io.pushed[0];
    ifd__pushed due = {.x = 3e-3, .led_x = 3e-3, .mean = 3e-3, .specimen = {.x = 3e-3}};
    ifd__interface_of(l->h, 0)->to_u = due.dof.x = -5e-3;
    double *all = (double *)s;
    for (size_t i = 0; i < sizeof *s / sizeof *all; i++)
        all[i] = 3e-3;
    ifd__push_begin(&l->h->io, 0);
    assert_memory_equal(s, &due, sizeof due);
    lab_close(l);
}

static const double amplitude = 2.0, omega = 2.0 * 3.14159265358979323846 * 3.0; /* m/s2, rad/s */
static const char *const shaking = "ground={signal: {sine: {amplitude: 2 m/s2, frequency: 3 Hz}}}";

/* Reference of the next tick with the time of the ground motion, from the same motion of structure and specimen. */
static double reference_at(lab *l, double time, double scale, ifd__pushed *after)
{
    ifd__pushed *s = l->h->io.pushed[0], before = *s;
    ifd__interface_of(l->h, 0)->force_time = time;
    double r = ifd__push_reference(&l->h->io, 0, scale);
    *after = *s;
    *s = before;
    return r;
}

/* -m a_g at simulated time t; the lead is its change within the delay of 7.43 ms, in which simulated time advances by
 * the rate times the delay. Accelerations of wall-clock time have the square of the rate. Before 0 no ground moves:
 * the difference to that reference is the ground's part. */
TEST(the_ground_motion_is_an_effective_force_with_a_lead)
{
    lab *l = storey(shaking, NULL);
    begun(l)->specimen = (ifd__tracked){1e-3, -0.02, 0.3};
    const double m = 5e3, delay = 7.43e-3, rates[] = {1.0, 0.5, 0.0};
    for (size_t i = 0; i < COUNT(rates); i++)
        for (double t = 0.05; t < 0.4; t += 0.07) {
            ifd__pushed with, none;
            double rate = rates[i], now = -m * rate * rate * amplitude * sin(omega * t);
            double later = -m * rate * rate * amplitude * sin(omega * (t + rate * delay));
            double r = reference_at(l, t, rate, &with) - reference_at(l, -1.0, rate, &none);
            assert_near(r, now, 1e-7, "effective force");
            assert_near(with.next_own, now, 1e-7, "its part");
            assert_true(none.next_own == 0.0);
            assert_near(with.lead - none.lead, later - now, 1e-7, "change within the delay");
        }
    lab_close(l);
}

/* A ground motion acts along its own direction: on a dof along z, the last one, that of z, and not that of x. */
TEST(the_ground_motion_of_the_direction_of_the_dof_acts)
{
    static const char *const along[] = {
        "ground=[{signal: {sine: {amplitude: 2 m/s2, frequency: 3 Hz}}, direction: z}]",
        "ground=[{signal: {sine: {amplitude: 2 m/s2, frequency: 3 Hz}}, direction: x}]"};
    for (int i = 0; i < 2; i++) {
        const char *set[] = {along[i], "model.kinds={s2: z, s3: z}", "specimen.0.model.kinds={s1: z}", NULL};
        lab *l = lab_make("effective-force/rig", set, &rig_ops);
        ifd__pushed s;
        (void)begun(l);
        (void)reference_at(l, 0.05, 1.0, &s);
        assert_near(s.next_own, i ? 0.0 : -5e3 * amplitude * sin(omega * 0.05), 1e-7, "%s", along[i]);
        lab_close(l);
    }
}

/* A path that is not a number does not spoil the estimate of the motion: it continues. */
TEST(a_path_that_is_no_number_is_not_followed)
{
    lab *l = storey(NULL, NULL);
    ifd__pushed *s = begun(l);
    s->dof = (ifd__tracked){1e-3, 0.2, 3.0};
    ifd__interface_of(l->h, 0)->to_u = ifd__interface_of(l->h, 0)->from_u = (double)NAN;
    (void)ifd__push_reference(&l->h->io, 0, 1.0);
    double dt = l->h->period;
    assert_near(s->dof.x, 1e-3 + dt * 0.2 + 0.5 * dt * dt * 3.0, 1e-15, "displacement");
    assert_near(s->dof.v, 0.2 + dt * 3.0, 1e-15, "velocity");
    assert_true(s->dof.a == 3.0);
    lab_close(l);
}

/* The lead is that of the reference; in ramp-out what the release leaves of it. The position of the specimen leads in
 * ramp-out less and less: by 1 - 3 y^2 + 2 y^3 of the delay, y the part of the ramp-in time. */
TEST(the_lead_of_a_command_in_each_state)
{
    static const struct {
        ifd_machine state;
        double part; /* of the ramp-in time */
        double lead, ahead;
    } rows[] = {{IFD_MACHINE_RUN, 0.5, 1.0, 1.0},        {IFD_MACHINE_HOLD, 0.5, 1.0, 1.0},
                {IFD_MACHINE_RAMP_IN, 0.5, 1.0, 1.0},    {IFD_MACHINE_RAMP_OUT, 0.0, 1.0, 1.0},
                {IFD_MACHINE_RAMP_OUT, 0.3, 1.0, 0.784}, {IFD_MACHINE_RAMP_OUT, 0.5, 1.0, 0.5},
                {IFD_MACHINE_RAMP_OUT, 1.0, 1.0, 0.0},   {IFD_MACHINE_RAMP_OUT, 7.0, 1.0, 0.0}};
    lab *l = storey(NULL, NULL);
    const double delay = 7.43e-3, x = 2e-3, v = -0.04, a = 1.5, force = 900.0, stiffness = 5e6;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__pushed *s = begun(l);
        s->specimen = (ifd__tracked){x, v, a};
        s->led_x = 0.5e-3;
        s->led_f = 100.0;
        s->lead = force;
        ifd__test_of(l->h)->state = (double)rows[i].state;
        ifd__test_of(l->h)->state_time = rows[i].part * l->o.ramp_in;
        double d = rows[i].ahead * delay, there = x + d * v + 0.5 * d * d * a, lead = rows[i].lead * force;
        double step = ifd__push_follow(&l->h->io, 0, stiffness);
        assert_near(step, there - 0.5e-3 + (lead - 100.0) / stiffness, 1e-15, "%s", ifd_machine_name(rows[i].state));
        assert_near(s->led_x, there, 1e-15, "position of this command");
        assert_true(s->led_f == lead);
    }
    lab_close(l);
}

/* In ramp-in the connection to the dof at rest, which damps, and its change within the delay, both by the applied
 * share. */
TEST(the_reference_of_ramp_in_leads_by_the_delay)
{
    lab *l = storey(NULL, NULL);
    const double delay = 7.43e-3, x = 2e-3, v = -0.04, a = 1.5, u = 3e-3, stiffness = 2.5e6, damping = 7e3;
    double now = stiffness * (u - x) - damping * v, later_v = v + delay * a;
    double later = stiffness * (u - x - delay * v - 0.5 * delay * delay * a) - damping * later_v;
    for (int i = 0; i < 3; i++) {
        ifd__pushed *s = begun(l);
        s->specimen = (ifd__tracked){x, v, a};
        s->dof = (ifd__tracked){7.0, 7.0, 7.0}; /* of an earlier test */
        ifd__interface_of(l->h, 0)->to_u = u;
        assert_near(ifd__push_rest(&l->h->io, 0, 0.5 * i), now, 1e-9, "reference");
        assert_near(s->lead, 0.5 * i * (later - now), 1e-9, "lead");
    }
    lab_close(l);
}

/* At a wall it is the force of the spring between the dof at rest and the specimen, which does not lead. */
TEST(the_reference_of_ramp_in_at_a_wall_does_not_lead)
{
    const char *none[] = {NULL};
    lab *l = lab_make("rts-building/wall", none, &rig_ops);
    (void)l->t.tick(l->t.self, &(ifd_tick_in){0});
    ifd__pushed *s = l->h->io.pushed[0];
    s->specimen = (ifd__tracked){2e-3, -0.04, 1.5};
    s->lead = 77.0;
    ifd__interface_of(l->h, 0)->to_u = 3e-3;
    double stiffness = l->o.interface[0].force->computed->stiffness;
    assert_near(ifd__push_rest(&l->h->io, 0, 1.0), stiffness * (3e-3 - 2e-3), 1e-12 * stiffness, "reference");
    assert_near(s->lead, 0.0, 0.0, "lead");
    lab_close(l);
}

/* The commanded force is led_f ahead of the reference and comes to rest after four more of its last changes, within
 * the limit of 80 kN. From there on it approaches a constant force by 1/5 in a tick, and the reference follows it
 * by 1 ms/(1 ms + 7.43 ms), no faster than its rate. */
TEST(a_release_begins_with_what_is_commanded)
{
    lab *l = storey(NULL, NULL);
    ifd__interface_state *c = ifd__interface_of(l->h, 0);
    ifd__pushed *s = begun(l);
    static const struct {
        double aim, led, step, rests;
    } rows[] = {{10e3, 2e3, 500.0, 14e3},
                {-10e3, -2e3, -500.0, -14e3},
                {10e3, -2e3, 0.0, 8e3},
                {78e3, 3e3, 0.0, 80e3},
                {-78e3, 0.0, -600.0, -80e3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        c->force_target = rows[i].aim;
        s->led_f = rows[i].led;
        c->force_step = rows[i].step;
        assert_near(rows[i].aim + ifd__push_led(&l->h->io, 0), rows[i].rests, 1e-9, "row %d", (int)i);
    }
    double sent = -8e3, aim = c->force_target = -10e3, most = l->o.interface[0].force->rate * 1e-3;
    s->led_f = sent - aim;
    for (int n = 0; n < 100; n++) {
        double to = n < 50 ? -6e3 : 1e9;
        sent += (to - sent) / 5.0;
        aim += fmin((sent - aim) / 8.43, most);
        assert_near(ifd__push_lag(&l->h->io, 0, to), aim, 1e-9 * fabs(aim), "tick %d", n);
        assert_near(s->lead, sent - aim, 1e-9 * fabs(sent), "lead");
        c->force_target = aim;
        s->led_f = s->lead;
    }
    lab_close(l);
}

typedef struct shown {
    const char *name, *unit;
    double value;
} shown;

/* The columns that follow each other from the first of them, and none else with their words. */
static void assert_columns(const lab *l, int rows, const shown *row)
{
    int count, first = 0, found = 0;
    const ifd_column *c = ifd_hybrid_columns(l->h, &count);
    for (; first < count && strcmp(c[first].name, row[0].name) != 0; first++)
        continue;
    assert_true(first + rows <= count);
    for (int i = 0; i < rows; i++) {
        assert_string_equal(c[first + i].name, row[i].name);
        assert_string_equal(c[first + i].unit, row[i].unit);
        assert_near(l->t.values(l->t.self)[first + i], row[i].value, 0.0, "%s", row[i].name);
    }
    for (int i = 0; i < count; i++)
        found += strstr(c[i].name, " commanded force") || strstr(c[i].name, " specimen position") ||
                 strstr(c[i].name, " wall force");
    assert_int_equal(found, rows);
}

/* A specimen that is moved, before or after one that is loaded, has none of these columns and inputs; one between two
 * walls has the force of each. */
TEST(each_loaded_specimen_has_its_columns)
{
    static const shown first[] = {{"storey commanded force", "N", 77.0}, {"storey specimen position", "m", 1e-3}},
                       second[] = {{"storey commanded force", "N", 77.0}, {"storey specimen position", "m", 2e-3}},
                       wall[] = {{"above commanded force", "N", 77.0},
                                 {"above specimen position", "m", 1e-3},
                                 {"above wall force", "N", 2e-3}},
                       walls[] = {{"between commanded force", "N", 77.0},
                                  {"between specimen position", "m", 1e-3},
                                  {"between wall force", "N", 2e-3},
                                  {"between second wall force", "N", 3e-3}};
    static const struct {
        const char *file;
        int loaded, moved; /* interfaces; -1: none */
        int inputs, rows;
        const shown *row;
    } cases[] = {{"effective-force/mixed", 0, 1, 1, COUNT(first), first},
                 {"effective-force/driven", 1, 0, 2, COUNT(second), second},
                 {"rts-building/wall", 0, -1, 2, COUNT(wall), wall},
                 {"rts-building/walls", 0, -1, 3, COUNT(walls), walls}};
    const char *none[] = {NULL};
    for (size_t i = 0; i < COUNT(cases); i++) {
        lab *l = lab_make(cases[i].file, none, &rig_ops);
        int aux = 0;
        (void)l->t.tick(l->t.self, &(ifd_tick_in){0});
        l->h->io.pushed[cases[i].loaded]->aim = 77.0;
        ifd__columns_record(l->h);
        assert_columns(l, cases[i].rows, cases[i].row);
        (void)ifd_hybrid_sensed(l->h, &aux);
        assert_int_equal(aux, cases[i].inputs);
        if (cases[i].moved >= 0) {
            assert_int_equal(ifd__push_input(&l->h->io, cases[i].moved), -1);
            assert_true(ifd__push_known(&l->h->io, cases[i].moved));
            assert_near(ifd__push_led(&l->h->io, cases[i].moved), 0.0, 0.0, "lead");
            assert_near(ifd__push_lag(&l->h->io, cases[i].moved, 77.0), 77.0, 0.0, "force");
        }
        lab_close(l);
    }
}

TESTS()
