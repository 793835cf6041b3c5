/* SPDX-License-Identifier: MIT */
/* Characterisation of virtual rigs whose plant is known. A command is held for the tick before the instant it is
 * meant for, which leads by (e^{sh} - 1)/(sh); with the plant G the inverse is
 *
 *     U/X = (1/G(s)) (1 - sh/2 + s^2 h^2/12 - ...) */
#include "check.h"

#include <string.h>

#include <interfield/characterise.h>
#include <interfield/virtual.h>

#include "substructure/loading_protocol.h"

/* The defaults of the case file. */
static ifd_characterise_options defaults(void)
{
    return (ifd_characterise_options){.stroke_fraction = 0.02,
                                      .velocity_fraction = 0.3,
                                      .acceleration_fraction = 0.5,
                                      .slowest = 0.5,
                                      .fastest = 10.0,
                                      .periods = 4,
                                      .quiet = 1.0,
                                      .cycle = 4.0};
}

typedef struct lab {
    ifd_arena *arena;
    double h;
    ifd_value actuator[IFD_RIG_PARAMS], position[IFD_RIG_PARAMS], force[IFD_RIG_PARAMS];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_characterise_options o;
    ifd_protocol *program;
    ifd_hybrid *h_test;
    double *u, *x, *f;
    ifd_motion_record r;
    ifd_characterisation found;
} lab;

static void set(const ifd_param *params, ifd_value *values, const char *name, double value)
{
    int i = ifd_param_find(params, name);
    assert_true(i >= 0);
    values[i] = ifd_number(value);
}

static lab *lab_make(const char *actuator, double h)
{
    ifd_arena *arena = ifd_arena_open();
    lab *l = ifd_arena_take(arena, sizeof *l);
    l->arena = arena;
    l->h = h;
    l->bench.actuator = ifd_actuator_find(actuator);
    ifd_param_preset(l->bench.actuator->params, l->actuator);
    ifd_param_preset(ifd_sensor_params, l->position);
    ifd_param_preset(ifd_sensor_params, l->force);
    l->bench.actuator_values = l->actuator;
    l->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &l->bench};
    ifd_interface_defaults(&l->channel);
    l->channel.name = "s";
    l->channel.from = IFD_GROUND;
    l->channel.to = 0;
    l->channel.limits.low = -0.05;
    l->channel.limits.high = 0.05;
    l->channel.limits.velocity = 0.5;
    l->channel.limits.acceleration = 20.0;
    l->channel.limits.force = 1e5;
    l->channel.limits.tracking = 0.01;
    l->o = defaults();
    return l;
}

static void tell(lab *l, const char *name, double value)
{
    set(l->bench.actuator->params, l->actuator, name, value);
}

static void noisy(lab *l, double position, double force)
{
    set(ifd_sensor_params, l->position, "noise", position);
    set(ifd_sensor_params, l->force, "noise", force);
    set(ifd_sensor_params, l->force, "seed", 2.0);
    l->bench.position_sensor = l->position;
    l->bench.force_sensor = l->force;
}

static int column(const ifd_hybrid *h, const char *name)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(h, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return i;
    fail_msg("no column '%s'", name);
    return -1;
}

static void lab_open(lab *l)
{
    assert_int_equal(ifd_protocol_make(l->arena, &l->o, &(ifd_protocol_rig){1, &l->channel, l->h}, &l->program, NULL),
                     IFD_OK);
    ifd_hybrid_options opt;
    ifd_hybrid_defaults(&opt);
    opt.protocol = l->program;
    opt.model = ifd_protocol_model(l->program);
    opt.end = ifd_protocol_duration(l->program);
    opt.interfaces = 1;
    opt.interface = &l->channel;
    opt.rig = &ifd_virtual_rig;
    opt.rig_setup = &l->laboratory;
    opt.ramp_out_end = IFD_RAMP_OUT_START;
    opt.automatic = true;
    assert_int_equal(ifd_hybrid_make(l->arena, &opt, &l->h_test, NULL), IFD_OK);
}

static void lab_record(lab *l)
{
    size_t most = (size_t)lround(ifd_protocol_duration(l->program) / l->h) + 2;
    l->u = ifd_arena_array(l->arena, most, sizeof(double));
    l->x = ifd_arena_array(l->arena, most, sizeof(double));
    l->f = ifd_arena_array(l->arena, most, sizeof(double));
    ifd_ticked t = ifd_hybrid_ticked(l->h_test);
    int state = column(l->h_test, "state"), u = column(l->h_test, "s command");
    int x = column(l->h_test, "s deformation"), f = column(l->h_test, "s force");
    l->r = (ifd_motion_record){.period = l->h, .command = l->u, .position = l->x, .force = l->f};
    for (long i = 0; i < 10000000 && t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING; i++) {
        const double *v = t.values(t.self);
        if ((ifd_machine)(int)v[state] != IFD_MACHINE_RUN)
            continue;
        l->u[l->r.ticks] = v[u];
        l->x[l->r.ticks] = v[x];
        l->f[l->r.ticks++] = v[f];
    }
    assert_int_equal(ifd_hybrid_trip(l->h_test).trip, IFD_TRIP_NONE);
}

static void lab_judge(lab *l)
{
    ifd_note note;
    ifd_note_init(&note, l->arena);
    assert_int_equal(ifd_characterise(l->arena, l->program, 0, &l->r, &l->found, &note), IFD_OK);
}

static void lab_run(lab *l)
{
    lab_open(l);
    lab_record(l);
    lab_judge(l);
}

static void lab_close(lab *l)
{
    ifd_hybrid_close(l->h_test);
    ifd_arena_close(l->arena);
}

/* s. Over 20 realisations of the noise, drawn by arming 10 ms later each, the delay was off by 5 us in the mean, with
 * a standard deviation of 10 us: mean and four deviations. */
static const double delay_bound = 45e-6;

TEST(a_delay_of_a_fraction_of_a_tick_is_found)
{
    static const double tau[] = {0.0, 0.0123, 0.0207};
    for (size_t i = 0; i < COUNT(tau); i++) {
        lab *l = lab_make("delay", 1e-3);
        tell(l, "delay", tau[i]);
        tell(l, "stiffness", 4e4);
        noisy(l, 5e-6, 2.0);
        lab_run(l);
        assert_near(l->found.delay, tau[i], delay_bound, "delay of %g s", tau[i]);
        assert_near(l->found.gain, 1.0, 2e-3, "its gain");
        assert_near_rel(l->found.stiffness, 4e4, 5e-3, "stiffness behind it");
        lab_close(l);
    }
}

TEST(a_lag_of_first_order_gives_its_time_constant)
{
    const double T = 0.01, h = 1e-3;
    lab *l = lab_make("first-order", h);
    tell(l, "time-constant", T);
    tell(l, "stiffness", 2e5);
    noisy(l, 5e-6, 5.0);
    lab_run(l);
    double slope = h / (exp(h / T) - 1.0); /* of (1 - e z^-1)/(1 - e), the exact inverse of the held lag */
    assert_near(l->found.delay, slope, delay_bound, "delay");
    assert_near_rel(l->found.first[1], slope, 5e-3, "first-order inverse");
    assert_near_rel(l->found.third[1], slope, 5e-3, "third-order inverse");
    assert_near_rel(l->found.stiffness, 2e5, 5e-3, "stiffness");
    lab_close(l);
}

/* Also with a gain that is not one, and a mass that must not be taken for stiffness. */
TEST(a_lag_of_second_order_gives_its_coefficients)
{
    const double f = 11.141, z = 0.7, g = 0.97, h = 5e-4, w = 2.0 * 3.14159265358979323846 * f;
    lab *l = lab_make("second-order", h);
    tell(l, "frequency", f);
    tell(l, "damping-ratio", z);
    tell(l, "gain", g);
    tell(l, "mass", 500.0);
    tell(l, "stiffness", 4e4);
    noisy(l, 5e-6, 2.0);
    lab_run(l);
    double a1 = 2.0 * z / w, a2 = 1.0 / (w * w);
    assert_near(l->found.delay, a1 - 0.5 * h, 5e-5, "delay");
    assert_near_rel(l->found.gain, g, 2e-3, "gain");
    assert_near_rel(l->found.second[0], 1.0 / g, 2e-3, "a0");
    assert_near_rel(l->found.second[1], (a1 - 0.5 * h) / g, 1e-2, "a1 without the hold's share of third order");
    assert_near_rel(l->found.third[1], (a1 - 0.5 * h) / g, 3e-3, "a1");
    assert_near_rel(l->found.second[2], (a2 - 0.5 * h * a1 + h * h / 12.0) / g, 1e-2, "a2");
    assert_true(l->found.misfit[1] < 5e-3 && l->found.misfit[0] > 0.1);
    assert_near_rel(l->found.stiffness, 4e4, 1e-2, "stiffness");
    assert_near_rel(l->found.mass, 500.0, 0.05, "mass");
    assert_true(fabs(l->found.stiffness - 4e4) < 5.0 * l->found.stiffness_error + 40.0);
    lab_close(l);
}

TEST(damping_is_told_with_its_error_or_not_at_all)
{
    static const struct {
        double damping, noise;
        bool seen;
    } row[] = {{800.0, 2.0, true}, {800.0, 0.0, true}, {0.0, 2.0, false}, {5.0, 20.0, false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        lab *l = lab_make("second-order", 1e-3);
        tell(l, "frequency", 11.141);
        l->laboratory.ramps = true; /* a held command makes the acceleration jump at every tick */
        tell(l, "mass", 500.0);     /* inertia and stiffness cancel at 1.4 Hz, within the sweep */
        tell(l, "stiffness", 4e4);
        tell(l, "damping", row[i].damping);
        noisy(l, row[i].noise > 0.0 ? 5e-6 : 0.0, row[i].noise);
        lab_run(l);
        assert_int_equal(l->found.damping_seen, row[i].seen);
        assert_near(l->found.damping, row[i].damping, 4.0 * l->found.damping_error + 1e-3 * row[i].damping,
                    "row %zu: damping, error %g", i, l->found.damping_error);
        assert_near(l->found.mass, 500.0, 4.0 * l->found.mass_error + 0.1, "row %zu: mass", i);
        /* Of 20 realisations: mass 1.15 +- 0.12 kg at 20 N, damping 15.3 +- 2.0 N s/m at 2 N. */
        assert_true(l->found.mass_error < 1.15 + 4.0 * 0.12);
        assert_true(l->found.damping_error < 15.3 + 4.0 * 2.0 || !row[i].seen);
        lab_close(l);
    }
}

TEST(noise_and_offsets_are_those_of_the_sensors)
{
    lab *l = lab_make("ideal", 1e-3);
    tell(l, "stiffness", 1e5);
    noisy(l, 2e-5, 30.0);
    set(ifd_sensor_params, l->force, "bias", 250.0);
    l->o.quiet = 4.0;
    lab_run(l);
    assert_near_rel(l->found.position_noise, 2e-5, 0.05, "of position");
    assert_near_rel(l->found.force_noise, 30.0, 0.05, "of force");
    assert_near(l->found.force_offset, 250.0, 6.0,
                "bias of the load cell"); /* 3 x 30 N / sqrt(4000), 2 um x 1e5 N/m */
    /* 30 N in each of 8000 ticks of a cycle of 1 mm, whose mean square follows from its smooth beginning and end. */
    ifd_motions m = ifd_protocol_motions(l->program, 0);
    double square = 0.0;
    for (long i = m.cycle; i < m.fast; i++)
        square += l->u[i] * l->u[i];
    assert_near_rel(l->found.stiffness_error, 30.0 / sqrt(square), 0.1, "standard error");
    assert_near(l->found.stiffness, 1e5, 3.0 * l->found.stiffness_error, "stiffness under noise");
    lab_close(l);
}

/* Friction is a force that goes with the direction of motion: no stiffness. */
TEST(friction_is_not_taken_for_stiffness)
{
    const ifd_element_ops *ops = ifd_element_find("bilinear");
    ifd_value values[IFD_RIG_PARAMS];
    lab *l = lab_make("ideal", 1e-3);
    ifd_param_preset(ops->params, values);
    set(ops->params, values, "stiffness", 1e8);
    set(ops->params, values, "yield", 2e-7);
    set(ops->params, values, "ratio", 0.0);
    l->bench.specimen = ops;
    l->bench.specimen_values = values;
    tell(l, "stiffness", 1e5);
    lab_run(l);
    assert_near_rel(l->found.stiffness, 1e5, 2e-2, "stiffness beside friction of a fifth of the force");
    assert_false(l->found.damping_seen);
    lab_close(l);
}

TEST(no_motion_goes_beyond_its_share_of_the_limits)
{
    lab *l = lab_make("ideal", 1e-3);
    lab_run(l);
    ifd_motions m = ifd_protocol_motions(l->program, 0);
    double v = 0.0, a = 0.0, x = 0.0;
    for (long i = m.sweep + 1; i < m.end - 2; i++) {
        x = fmax(x, fabs(l->u[i]));
        v = fmax(v, fabs(l->u[i] - l->u[i - 1]) / l->h);
        a = fmax(a, fabs(l->u[i + 1] - 2.0 * l->u[i] + l->u[i - 1]) / (l->h * l->h));
    }
    assert_true(x <= 0.02 * 0.05 * (1.0 + 1e-9));
    assert_true(v <= 0.3 * 0.5 && v <= 0.5 * 0.01 / 0.05 && a <= 0.5 * 20.0);
    assert_true(m.amplitude <= 0.02 * 0.05 && m.step_size <= m.amplitude);
    lab_close(l);
}

TEST(a_sweep_of_too_few_frequencies_is_refused)
{
    lab *l = lab_make("ideal", 0.1);
    ifd_note note;
    ifd_note_init(&note, l->arena);
    assert_int_equal(
        ifd_protocol_make(l->arena, &l->o, &(ifd_protocol_rig){1, &l->channel, l->h}, &l->program, &note), IFD_RANGE);
    assert_non_null(strstr(note.first->text, "frequencies"));
    ifd_arena_close(l->arena);
}

TEST(motions_begin_where_the_specimen_was_found)
{
    lab *l = lab_make("ideal", 1e-3);
    l->bench.start = 0.004;
    lab_open(l);
    ifd_ticked t = ifd_hybrid_ticked(l->h_test);
    int u = column(l->h_test, "s command");
    long ramp = 0;
    for (long i = 0; i < 100000 && ifd_hybrid_state(l->h_test) != IFD_MACHINE_RUN; i++) {
        t.tick(t.self, &(ifd_tick_in){0});
        if (ifd_hybrid_state(l->h_test) == IFD_MACHINE_RAMP_IN) {
            assert_near(t.values(t.self)[u], 0.004, 0.0, "m, tick %ld", i);
            ramp++;
        }
    }
    assert_true(ramp > 100);
    for (long i = 0; i < 100000 && fabs(t.values(t.self)[u] - 0.004) < 0.0005; i++)
        t.tick(t.self, &(ifd_tick_in){0});
    for (int i = 0; i < 200; i++)
        t.tick(t.self, &(ifd_tick_in){.order = i == 0 ? IFD_ORDER_HOLD : IFD_ORDER_NONE});
    assert_int_equal(ifd_hybrid_state(l->h_test), IFD_MACHINE_HOLD); /* on its path: they began once */
    assert_int_equal(ifd_hybrid_count(l->h_test, IFD_TRIP_GOVERNED), 0);
    lab_close(l);
}

/* Values of an independent computation: 6e5 N/m, 2.4 mm, 4 s and 1 s. lag in ms, rest in mrad. */
typedef struct plant_row {
    double stiffness, damping, friction, backlash, filter, late; /* late: s, of the force */
    double lag, rest;
} plant_row;

/* Play, filter and delay behind the position sensor, in the record: the virtual rig has play before it. The filter is
 * exact for a force that varies linearly over a tick. */
static void spoil(const plant_row *row, double h, long ticks, double *x, double *f)
{
    double y = x[0], shown = f[0], before = f[0], T = row->filter, fades = T > 0.0 ? exp(-h / T) : 0.0;
    for (long i = 0; i < ticks; i++) {
        double half = 0.5 * row->backlash;
        y = fmax(x[i] - half, fmin(x[i] + half, y));
        double truth = f[i] - row->stiffness * (x[i] - y);
        if (T > 0.0)
            shown = fades * shown + (1.0 - fades) * before + (truth - before) * (1.0 - T / h * (1.0 - fades));
        else
            shown = truth;
        before = truth;
        f[i] = shown;
    }
    for (long n = lround(row->late / h), i = ticks - 1; n > 0 && i >= 0; i--)
        f[i] = f[i >= n ? i - n : 0];
}

TEST(lag_and_losses_are_told_apart)
{
    static const plant_row row[] = {{6e5, 0, 0, 0, 0, 0, 0.03, 0.03},      {6e5, 0, 0, 0, 4e-3, 0, 3.96, 0.0},
                                    {6e5, 0, 0, 0, 8e-3, 0, 7.93, 0.0},    {6e5, 0, 0, 0, 0, 3e-3, 3.02, 0.0},
                                    {6e5, 2400, 0, 0, 0, 0, -4.0, 0.05},   {6e5, 0, 100, 0, 0, 0, 0.0, 88.2},
                                    {6e5, 0, 100, 0, 4e-3, 0, 3.92, 88.1}, {6e5, 0, 0, 0.2e-3, 0, 0, 0.0, -51.6},
                                    {-6e5, 0, 0, 0, 4e-3, 0, 3.96, 0.0}}; /* a device of negative stiffness */
    for (size_t i = 0; i < COUNT(row); i++) {
        lab *l = lab_make("ideal", 1e-3);
        l->channel.limits.low = -0.12;
        l->channel.limits.high = 0.12;
        l->channel.limits.tracking = 0.05;
        tell(l, "stiffness", fabs(row[i].stiffness));
        tell(l, "damping", row[i].damping);
        tell(l, "friction", row[i].friction);
        tell(l, "friction-speed", 1e-6);
        lab_open(l);
        lab_record(l);
        spoil(&row[i], l->h, l->r.ticks, l->x, l->f);
        for (long n = 0; n < l->r.ticks && row[i].stiffness < 0.0; n++)
            l->f[n] = -l->f[n];
        lab_judge(l);
        const ifd_characterisation *f = &l->found;
        assert_near(1e3 * f->force_lag, row[i].lag, 0.1, "row %zu: lag, ms", i);
        assert_near(1e3 * f->rest, row[i].rest, 0.9, "row %zu: rest, mrad", i);
        assert_int_equal(f->force_late, row[i].lag > 0.5);
        assert_near(f->friction, row[i].friction, 1.5, "row %zu: loss, N", i);
        assert_near(f->play, row[i].backlash > 0.0 ? 0.194e-3 : 0.0, 0.004e-3, "row %zu: play, m", i);
        if (!(row[i].backlash > 0.0))
            assert_near(f->clearance, 0.0, 5e-6 + (row[i].friction > 0.0 ? 10e-6 : 0.0), "row %zu: clearance, m", i);
        assert_false(f->yields);
        lab_close(l);
    }
}

/* A twentieth of the slowest harmonic in quadrature is 16 ms of its lag: the misfit of 1 % hides that a lag of 1.5 ms
 * is not known. */
TEST(a_lag_that_scatters_by_more_than_itself_has_no_twin)
{
    lab *l = lab_make("first-order", 1e-3);
    tell(l, "time-constant", 2e-3);
    lab_run(l);
    assert_false(l->found.scatters);
    assert_true(l->found.twin.found && l->found.lag_scatter < 0.1 * l->found.delay);
    const ifd_motions at = ifd_protocol_motions(l->program, 0);
    double w = 6.28318530717958647693 / (double)at.period, re = 0.0, im = 0.0;
    for (long i = 0; i < at.period; i++) {
        double u = l->u[at.sweep + at.period - 1 + i] * 2.0 / (double)at.period;
        re += u * cos(w * (double)i);
        im += u * sin(w * (double)i);
    }
    for (long i = 0; at.sweep + i < at.end - 1; i++)
        l->x[at.sweep + i] += 0.05 * (re * sin(w * (double)i) - im * cos(w * (double)i));
    lab_judge(l);
    assert_true(l->found.twin.misfit < 0.03);
    assert_true(l->found.scatters);
    assert_true(l->found.lag_scatter > fabs(l->found.delay));
    assert_false(l->found.twin.found);
    lab_close(l);
}

/* A burst of 0.2 m/s at 5 Hz, in a record: followed, or with velocities of at most 0.15 m/s. */
TEST(a_burst_shows_saturation)
{
    static const double velocity[] = {0.2}, frequency[] = {5.0};
    static const double most[] = {1.0, 0.15};
    for (size_t i = 0; i < COUNT(most); i++) {
        ifd_characterise_options o;
        ifd_arena *arena = ifd_arena_open();
        ifd_protocol *p;
        enum { TICKS = 4000 };
        static double u[TICKS], x[TICKS], f[TICKS];
        const double h = 1e-3;
        const ifd_interface_options channel = {.name = "a", .limits = {.low = -0.1, .high = 0.1, .velocity = 1.0}};
        o = defaults();
        o.burst_velocity = velocity;
        o.burst_frequency = frequency;
        o.bursts = 1;
        assert_int_equal(ifd_protocol_make(arena, &o, &(ifd_protocol_rig){1, &channel, h}, &p, NULL), IFD_OK);
        const ifd_motions at = ifd_protocol_motions(p, 0);
        assert_int_equal(at.period, 200);
        assert_near(at.amplitude, 0.2 / (6.28318530717958647693 * 5.0), 1e-12, "amplitude, m");
        double peak = 0.0, v;
        for (long n = 0; n < TICKS; n++) {
            ifd__protocol_at(p, 0, (double)(n + 1), &u[n], &v);
            peak = fmax(peak, fabs(v));
            double step = n ? u[n - 1] - x[n - 1] : 0.0, limit = most[i] * h;
            x[n] = n ? x[n - 1] + fmax(-limit, fmin(limit, step)) : 0.0;
        }
        assert_near(peak, 0.2, 2e-3, "peak velocity, m/s");
        ifd_burst b = {.needed = 0.2, .velocity = 0.2, .frequency = 5.0, .gain = 1.0};
        const ifd_motion_record r = {.ticks = TICKS, .period = h, .command = u, .position = x, .force = f};
        for (long n = at.burst + 2 * at.period; n < at.burst + 3 * at.period; n += 10)
            x[n] = x[n - 1]; /* measurements that are late, in one of the periods */
        ifd_burst_judge(p, 0, &r, &b);
        assert_near(b.share, i ? 0.75 : 1.0, i ? 0.01 : 1e-3, "row %zu: share", i); /* over a sixteenth of a period */
        assert_int_equal(ifd_burst_saturates(&b), i == 1);
        if (i)
            assert_near(b.reached, 0.15, 1e-3, "reached, m/s");
        ifd_burst short_one = {.gain = 1.0};
        ifd_burst_judge(p, 0, &(ifd_motion_record){.ticks = at.end - 2, .period = h, .command = u, .position = x},
                        &short_one);
        assert_near(short_one.share, 0.0, 0.0, "an incomplete burst is not judged");
        assert_false(ifd_burst_saturates(&short_one));
        ifd_arena_close(arena);
    }
}

/* Of two uniform numbers within +-1: a triangle with the standard deviation s. */
static double noise(unsigned *seed, double s)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        sum += (double)*seed / 2147483648.0 - 1.0;
    }
    return s * sqrt(1.5) * sum;
}

/* Harmonic n over one period, by its definition. */
static void harmonic_of(const double *y, long P, int n, double out[2])
{
    out[0] = out[1] = 0.0;
    for (long i = 0; i < P; i++) {
        double turn = 6.28318530717958647693 * (double)(n * i) / (double)P;
        out[0] += y[i] * cos(turn);
        out[1] -= y[i] * sin(turn);
    }
}

/* |Sux|^2 / (Suu Sxx) over the periods, of command and position as recorded; a poor rig reads far below 1. */
TEST(coherence_is_that_of_command_and_position)
{
    unsigned seed = 1;
    lab *l = lab_make("first-order", 1e-3);
    tell(l, "time-constant", 5e-3);
    lab_open(l);
    lab_record(l);
    for (long t = 0; t < l->r.ticks; t++)
        l->x[t] += noise(&seed, 300e-6);
    lab_judge(l);
    const ifd_motions at = ifd_protocol_motions(l->program, 0);
    double least = 1.0;
    for (int k = 0; k < l->found.points; k++) {
        double cross[2] = {0}, uu = 0.0, xx = 0.0, u[2], x[2];
        for (long from = at.sweep + at.period; from + at.period <= at.end; from += at.period) {
            harmonic_of(l->u + from - 1, at.period, k + 1, u);
            harmonic_of(l->x + from, at.period, k + 1, x);
            cross[0] += u[0] * x[0] + u[1] * x[1];
            cross[1] += u[0] * x[1] - u[1] * x[0];
            uu += u[0] * u[0] + u[1] * u[1];
            xx += x[0] * x[0] + x[1] * x[1];
        }
        double expected = (cross[0] * cross[0] + cross[1] * cross[1]) / (uu * xx);
        assert_near(l->found.coherence_at[k], expected, 1e-9, "harmonic %d", k + 1);
        least = fmin(least, expected);
    }
    assert_near(l->found.coherence, least, 1e-9, "the smallest");
    assert_true(least < 0.99);
    lab_close(l);
}

/* An independent computation: 0.5 mm gives 0.499, with friction of 100 N and 20 um of noise 0.474 mm; 0.1 mm 0.101;
 * friction alone -0.001. tolerance: um. */
TEST(clearance_is_found_beside_friction)
{
    static const struct {
        double gap, friction, noise, expected, tolerance;
    } row[] = {{0.5e-3, 0, 0, 0.499e-3, 2e-6},
               {0.5e-3, 100, 20e-6, 0.474e-3, 40e-6},
               {0.1e-3, 0, 0, 0.101e-3, 2e-6},
               {0.0, 100, 0, -0.001e-3, 10e-6}};
    for (size_t i = 0; i < COUNT(row); i++) {
        unsigned seed = 12345;
        lab *l = lab_make("delay", 1e-3);
        tell(l, "delay", 5e-3);
        l->channel.limits.low = -0.12;
        l->channel.limits.high = 0.12;
        l->channel.limits.tracking = 0.05;
        tell(l, "stiffness", 6e5);
        lab_open(l);
        lab_record(l);
        double before = l->x[0];
        for (long t = 0; t < l->r.ticks; t++) {
            double half = 0.5 * row[i].gap, x = l->x[t], v = x - before;
            before = x;
            l->f[t] = 6e5 * (x > half    ? x - half
                             : x < -half ? x + half
                                         : 0.0) +
                      row[i].friction * (v > 1e-12    ? 1.0
                                         : v < -1e-12 ? -1.0
                                                      : 0.0);
            l->x[t] += noise(&seed, row[i].noise);
        }
        lab_judge(l);
        assert_near(l->found.clearance, row[i].expected, row[i].tolerance, "row %zu: clearance, m", i);
        assert_int_equal(l->found.loose, row[i].gap > 0.0); /* friction alone is none */
        /* Of the whole cycle it is 5.11e5 with a clearance of 0.5 mm. */
        assert_near_rel(l->found.stiffness, 6e5, 5e-3, "row %zu: stiffness", i);
        /* The sweep across a clearance of 0.5 mm looks like a mass of 26 kg, times (2 pi / 4 s)^2. */
        assert_near(l->found.stiffness, 6e5, 3.0 * l->found.stiffness_error + 100.0, "row %zu: its error", i);
        assert_near(l->found.force_offset, 0.0, 20.0, "row %zu: force at zero, N", i);
        lab_close(l);
    }
}

/* Clearance 0.5 and 0.1 mm of an element with a gap on both sides; and a specimen that yields at 0.8 mm. */
TEST(clearance_and_yield_are_found)
{
    static const double gap[] = {0.5e-3, 0.1e-3, 0.0};
    for (size_t i = 0; i < COUNT(gap); i++) {
        lab *l = lab_make("ideal", 1e-3);
        l->channel.limits.low = -0.12;
        l->channel.limits.high = 0.12;
        l->channel.limits.tracking = 0.05;
        tell(l, "stiffness", i == 2 ? 0.0 : 6e5);
        const ifd_element_ops *ops = ifd_element_find("bilinear");
        ifd_value values[IFD_RIG_PARAMS];
        ifd_param_preset(ops->params, values);
        set(ops->params, values, "stiffness", 6e5);
        set(ops->params, values, "yield", 0.8e-3);
        set(ops->params, values, "ratio", 0.02);
        if (i == 2) {
            l->bench.specimen = ops;
            l->bench.specimen_values = values;
        }
        lab_open(l);
        lab_record(l);
        for (long t = 0; t < l->r.ticks && gap[i] > 0.0; t++) {
            double half = 0.5 * gap[i], x = l->x[t];
            l->f[t] = 6e5 * (x > half ? x - half : x < -half ? x + half : 0.0);
        }
        lab_judge(l);
        if (i < 2)
            assert_near(l->found.clearance, gap[i], 2e-6, "row %zu: clearance", i);
        assert_int_equal(l->found.yields, i == 2);
        if (i == 2)
            assert_near_rel(l->found.stiffness, 6e5, 3e-3,
                            "stiffness before it yields"); /* the sweep yields: its mass */
        lab_close(l);
    }
}

TESTS()
