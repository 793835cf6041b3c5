/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
#include "hybrid/hybrid_stand.h"
#include "hybrid/watch.h"

/* One mass on a spring, a second spring tested: m u'' + c u' + k u + f = 0 from u = 10 mm. */
static const double mass = 1000.0, stiffness = 4e5, damping = 800.0, tested = 2e5;

static stand s;
static ifd_model *whole;
static ifd_value compensator[IFD_COMPENSATOR_PARAMS];
static ifd_estimate estimate;

static ifd_model *oscillator(ifd_arena *arena, double k, double u0)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, mass);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, k);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, 0, damping);
    ifd_builder_initial(b, 0, u0, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(arena, b, &m, NULL), IFD_OK);
    return m;
}

/* All set-up except make, so that a test can change options. */
static void prepare(const char *method, const char *set)
{
    stand_prepare(&s, stiffness, tested);
    s.opt.model = oscillator(s.arena, stiffness, 0.010);
    whole = oscillator(s.arena, stiffness + tested, 0.010);
    s.opt.automatic = true;
    ifd_step_options_defaults(ifd_method_find(method), 0.004, &s.opt.step);
    estimate = (ifd_estimate){.from = IFD_GROUND, .to = 0, .stiffness = tested};
    s.opt.step.estimates = 1;
    s.opt.step.estimate = &estimate;
    stand_set(&s, set);
}

static player *made(void)
{
    stand_make(&s);
    return &s.p;
}

static double displacement(void)
{
    int count;
    const double *x = ifd_hybrid_save_area(s.h, &count);
    return x[0];
}

/* u and v of the complete structure after the same number of steps. */
static void monolithic(double out[2])
{
    ifd_step_options step = s.opt.step;
    step.estimates = 0;
    ifd_stepper *m;
    assert_int_equal(ifd_stepper_make(s.arena, &step, whole, &m, NULL), IFD_OK);
    double *x = ifd_arena_array(s.arena, (size_t)ifd_stepper_size(m), sizeof *x);
    ifd_stepper_initial(m, x);
    ifd_stepper_start(m, 0.0, NULL, x);
    for (int k = 0; k < 500; k++)
        for (int i = 0; i < ifd_stepper_stages(m); i++)
            ifd_stepper_stage(m, i, step.h * k, NULL, x);
    out[0] = x[0];
    out[1] = x[1];
}

/* Measurements of the rig, with changes. */
static struct {
    bool silent, poison, stops; /* stops: without a measurement */
} spoilt;
static ifd_rig_ops spy_ops;

static bool spy_sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    if (spoilt.poison)
        out->force[0] = (double)NAN;
    if (spoilt.stops)
        out->inputs |= IFD_INPUT_RIG_STOPPED;
    return fresh && !spoilt.silent && !spoilt.stops;
}

static double peak(const ifd_hybrid *h)
{
    double peaks[3];
    ifd_hybrid_peaks(h, 0, peaks);
    return peaks[2];
}

static const quantity own[] = {
    QUANTITY(spoilt, silent), QUANTITY(spoilt, poison), QUANTITY(spoilt, stops), {.name = "peak", .of = peak}, {0}};

static void spy(void)
{
    memset(&watch, 0, sizeof watch);
    memset(&spoilt, 0, sizeof spoilt);
    spy_ops = ifd_virtual_rig;
    spy_ops.command = watch_command;
    spy_ops.sense = spy_sense;
    s.opt.rig = &spy_ops;
    s.own = own;
}

static player *open(const char *set)
{
    prepare("lsrt2", set);
    spy();
    return made();
}

static void end(void)
{
    stand_close(&s);
}

static void end_within_limits(void)
{
    assert_limits_kept(&s.channel.limits);
    end();
}

static const scenario rows[] = {
    {"states follow each other in order", NULL, "until stopped; passed ready ramp-in run ramp-out stopped"},
    {"nothing moves without an order", "automatic := 0", "1000; is idle; peak = 0"},
    {"a rate dependent specimen is not resumed at full speed", "rate_dependent := 1",
     "until run; hold; 100 resume; is hold"},
    /* Half of the force at 10 mm. */
    {"a trip is latched, named and ends at rest", "force := 1000",
     "until the end; result FAULT; fault FORCE; fault.channel = 0; fault.limit = 1000; fault.value > 1000\n"
     "fault.tick > 0; run; is tripped; reset; is idle"},
};
SCENARIOS(rows, open, end)

static const scenario spoils[] = {
    {"silence of the rig trips within limits", NULL,
     "until run; 100; silent := 1; until the end; result FAULT; fault LOST; count.ORDERED = 0"},
    {"a rig that stops without a measurement trips at once", NULL,
     "until run; 100; stops := 1; 1; is tripped; fault RIG_STOPPED; until the end; result FAULT"},
    {"nonsense from the rig trips within limits", NULL,
     "until run; 100; poison := 1; until the end; result FAULT; fault NOT_FINITE"},
};
SCENARIOS(spoils, open, end_within_limits)

TEST(an_ideal_rig_gives_the_monolithic_response)
{
    const char *methods[] = {"lsrt1", "lsrt2", "mg-alpha", "chang", "central-difference"};
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int ticks = 1; ticks <= 5; ticks += 4) {
            prepare(methods[i], NULL);
            s.opt.ticks_per_stage = ticks;
            play(made(), "until the end; result DONE; count.GOVERNED = 0");
            double y[2];
            monolithic(y);
            int count;
            const double *x = ifd_hybrid_save_area(s.h, &count);
            assert_near(x[0], y[0], 1e-14, "%s, %d ticks per stage: displacement", methods[i], ticks);
            assert_near(x[1], y[1], 1e-12, "%s, %d ticks per stage: velocity", methods[i], ticks);
            end();
        }
}

/* Hold stops simulated time, resume continues; the response is that of the test without it (ideal rig, no rate
 * effects). */
TEST(hold_and_resume_change_nothing_but_the_wall_clock)
{
    double u[2];
    for (int with = 0; with < 2; with++) {
        play(open("ticks_per_stage := 4"), "until run; 700");
        if (with)
            play(&s.p, "hold; 3000; is hold; before := time; 500; time = before; resume");
        play(&s.p, "until the end; result DONE");
        u[with] = displacement();
        end();
    }
    assert_near(u[1], u[0], 1e-14, "displacement at the end");
}

/* A diverging solver (far too large a step) never causes a command beyond a limit. */
TEST(a_diverging_solver_breaks_no_limit)
{
    prepare("central-difference", "h := 0.2; ticks_per_stage := 100; end := 100");
    spy();
    play(made(), "until the end; count.GOVERNED > 0");
    end_within_limits();
}

TEST(ramp_out_to_zero_force_leaves_a_slipped_slider_where_it_is_free)
{
    prepare("lsrt2", "end := 0.3");
    const ifd_element_ops *sliders = ifd_element_find("sliders");
    const double row[] = {4e5, 0.002};
    ifd_value v[8];
    ifd_param_preset(sliders->params, v);
    v[ifd_param_find(sliders->params, "sliders")] = ifd_matrix(row, 1, 2);
    s.bench.specimen = sliders;
    s.bench.specimen_values = v;
    s.opt.ramp_out_end = IFD_RAMP_OUT_ZERO_FORCE;
    spy();
    play(made(), "until the end; result DONE; 1");
    double peaks[3];
    ifd_hybrid_peaks(s.h, 0, peaks);
    const double *values = s.t.values(s.t.self);
    assert_near(values[7], 0.0, 0.01 * peaks[1], "force left; largest was %g", peaks[1]);
    assert_true(fabs(values[6]) > 1e-4); /* it slipped: its free position is not its initial position */
    end_within_limits();
}

TEST(a_channel_without_limits_is_refused)
{
    prepare("lsrt2", NULL);
    s.channel.limits = (ifd_limits){0};
    ifd_note note;
    ifd_note_init(&note, s.arena);
    assert_int_not_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, &note), IFD_OK);
    assert_int_equal(note.errors, 9);
    ifd_arena_close(s.arena);
}

/* A delay of the actuator adds energy; with compensation it does not. */
TEST(compensation_removes_the_damping_error_of_a_delay)
{
    double error[2], exact[2];
    for (int with = 0; with < 2; with++) {
        prepare("lsrt2", NULL);
        s.bench.actuator = ifd_actuator_find("delay");
        ifd_param_preset(s.bench.actuator->params, s.actuator);
        s.actuator[ifd_param_find(s.bench.actuator->params, "delay")] = ifd_number(0.008);
        s.bench.actuator_values = s.actuator;
        if (with) {
            s.channel.compensator = ifd_compensator_find("polynomial");
            ifd_param_preset(s.channel.compensator->params, compensator);
            compensator[ifd_param_find(s.channel.compensator->params, "delay")] = ifd_number(0.008);
            s.channel.compensator_values = compensator;
        }
        play(made(), "until the end; result DONE");
        monolithic(exact);
        error[with] = fabs(displacement() - exact[0]);
        end();
    }
    assert_true(error[0] > 1e-3); /* a delay of 8 ms on a 3.9 Hz structure is visible */
    assert_true(error[1] < 0.1 * error[0]);
}

TESTS()
