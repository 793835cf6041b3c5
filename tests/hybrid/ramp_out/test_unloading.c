/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Unloading of random specimens: stiffness, yield, hardening, wrong estimates, noise and resolution of both sensors,
 * lag of the actuator, time. Checked by the actual force of the virtual specimen. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"

typedef enum fault { SOUND, STUCK_AT_REST, REVERSED_AT_REST, STUCK, REVERSED, FAULTS } fault;

static struct {
    double position, force; /* m, N: actual, now */
    double p;               /* m, the last command */
    double first, across;   /* N: at rest in ramp-out; the largest beyond zero since */
    double start, travel;   /* m: the position then; the largest distance from it */
    double rested, out;     /* s without a motion; in ramp-out */
    double most, largest;   /* N: since it was at rest; overall */
    double gain, held;      /* of the measured force; N shown if it is stuck */
    bool braked, goes, stuck;
} rig;

static ifd_rig_ops ops;

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    ifd_virtual_rig.command(r, c, x);
    ifd_virtual_actual(r, x, 0, &rig.position, &rig.force);
    bool moved = c->position[0] != rig.p;
    rig.p = c->position[0];
    rig.largest = fmax(rig.largest, fabs(rig.force));
    if (c->state != IFD_MACHINE_RAMP_OUT)
        return;
    rig.out += r->tick;
    rig.rested = moved ? 0.0 : rig.rested + r->tick;
    if (!rig.braked && rig.rested > 0.15) {
        rig.braked = true;
        rig.first = rig.force;
        rig.start = rig.position;
    }
    if (!rig.braked)
        return;
    rig.goes = rig.goes || moved;
    rig.across = fmax(rig.across, -rig.force * copysign(1.0, rig.first));
    rig.most = fmax(rig.most, fabs(rig.force));
    rig.travel = fmax(rig.travel, fabs(rig.position - rig.start));
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    if (!rig.stuck)
        rig.held = out->force[0];
    out->force[0] = rig.stuck ? rig.held : rig.gain * out->force[0];
    return fresh;
}

/* A separate generator: the same specimens on all machines. */
static uint64_t seed;

static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static double spread(double low, double high) /* uniform in its logarithm */
{
    return low * pow(high / low, uniform(0.0, 1.0));
}

enum { SETTINGS = 16, LONGEST = 200 };

typedef struct drawn {
    char text[SETTINGS][LONGEST];
    const char *set[SETTINGS + 1];
    int count;
    double noise, resolution; /* N */
} drawn;

#define SET(d, ...) snprintf((d)->text[(d)->count++], LONGEST, __VA_ARGS__)

static void draw(drawn *d, uint64_t number)
{
    seed = number * 2654435761u + 12345u;
    for (int i = 0; i < 8; i++)
        (void)uniform(0.0, 1.0);
    d->count = 0;
    double x = spread(0.5e-3, 30e-3), k = spread(1e4, 1e9), hard = uniform(0.0, 1.0) < 0.3 ? 0.0 : uniform(0.0, 0.5);
    double yield = x * spread(0.1, 3.0), w = 2.0 * M_PI * uniform(0.5, 2.0), k0 = k * uniform(1.0, 5.0);
    double peak = k * (hard * x + (1.0 - hard) * fmin(x, yield)), lag = spread(4e-3, 30e-3);
    d->noise = peak * spread(1e-4, 3e-2);
    d->resolution = uniform(0.0, 1.0) < 0.4 ? 0.0 : d->noise * spread(0.1, 10.0);
    double noise_x = x * spread(1e-5, 2e-3),
           resolution_x = uniform(0.0, 1.0) < 0.5 ? 0.0 : noise_x * spread(0.1, 5.0);
    double f = 1.4 / (2.0 * M_PI * lag);
    SET(d, "time.end=%.4g s", uniform(1.5, 4.0));
    SET(d, "model.stiffness=[[%.6g]]", k0);
    SET(d, "model.mass=[%.6g]", (k0 + k) / (w * w));
    SET(d, "model.damping=[[%.6g]]", 0.3 * (k0 + k) / w);
    SET(d, "loads.0.force={sine: {amplitude: %.6g, frequency: %.6g}}", 0.7 * (k0 + k) * x, 0.7 * w / (2.0 * M_PI));
    SET(d, "specimen.0.sliders={between: [ground, x], sliders: [[%.6g, %.6g]], spring: %.6g}", (1.0 - hard) * k,
        yield, hard * k + 1e-6 * k);
    SET(d, "specimen.0.estimate={stiffness: %.6g}", k * spread(0.5, 2.0));
    SET(d, "specimen.0.limits={stroke: %.6g, velocity: %.6g, acceleration: %.6g, force: %.6g, tracking: %.6g}",
        5.0 * x, 20.0 * w * x, 200.0 * w * w * x, 20.0 * k * x, 5.0 * x);
    if (uniform(0.0, 1.0) < 0.5)
        SET(d, "specimen.0.actuator={second-order: {frequency: %.6g, damping-ratio: 0.7}}", f);
    else
        SET(d, "specimen.0.actuator={delay: {delay: %.6g}}", 1e-3 * round(1e3 * lag));
    SET(d, "specimen.0.compensation={polynomial: {delay: %.6g, order: 3}}", lag);
    SET(d, "specimen.0.position-sensor={noise: %.6g, resolution: %.6g, seed: %d}", noise_x, resolution_x,
        (int)number % 1000 + 1);
    SET(d, "specimen.0.force-sensor={noise: %.6g, resolution: %.6g, seed: %d}", d->noise, d->resolution,
        (int)number % 1000 + 2000);
    for (int i = 0; i < d->count; i++)
        d->set[i] = d->text[i];
    d->set[d->count] = NULL;
}

static void go(lab *l)
{
    l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
}

static lab *lead_out(const drawn *d, fault f)
{
    memset(&rig, 0, sizeof rig);
    rig.gain = 1.0;
    ops = ifd_virtual_rig;
    ops.command = command;
    ops.sense = sense;
    lab *l = lab_make("../tests/hybrid/ramp_out/unloaded", d->set, &ops);
    for (long i = 0; i < 400000 && ifd_hybrid_state(l->h) != IFD_MACHINE_STOPPED && l->last == IFD_RUN_GOING; i++) {
        go(l);
        rig.stuck = (rig.braked && f == STUCK_AT_REST) || (rig.goes && f == STUCK);
        rig.gain = (rig.braked && f == REVERSED_AT_REST) || (rig.goes && f == REVERSED) ? -1.0 : 1.0;
    }
    return l;
}

typedef struct counts {
    int runs, invalid, smooth, across, slow, tripped, caught, missed, quiet, far, left, silent;
} counts;

static void tell(const drawn *d, const char *what)
{
    print_error("%s: first %.4g N, across %.4g N, noise %.3g N, resolution %.3g N, %.3g s, travel %.3g m\n", what,
                rig.first, rig.across, d->noise, d->resolution, rig.out, rig.travel);
}

static double deviation(const drawn *d)
{
    return sqrt(d->noise * d->noise + d->resolution * d->resolution / 12.0);
}

/* N: permitted remainder: three standard deviations, 0.002 of the largest force. A converter that toggles between two
 * values adds up to half a step to the deviation, and to the reading; the error of a mean over four ticks is at most
 * one deviation. */
static double dead_band(const drawn *d)
{
    double noise = sqrt(d->noise * d->noise + d->resolution * d->resolution * (1.0 / 4.0 + 1.0 / 12.0));
    return fmax(4.0 * noise + 0.5 * d->resolution, 0.005 * rig.largest);
}

/* N: significant change of a mean over 0.5 s: six standard deviations of a difference, plus a step. */
static double certain(const drawn *d, double dt)
{
    double noise = sqrt(d->noise * d->noise + d->resolution * d->resolution * (1.0 / 4.0 + 1.0 / 12.0));
    return 6.0 * sqrt(2.0) * noise * sqrt(dt / (2.0 * 0.5)) + d->resolution;
}

/* N: force that may remain because the load cell cannot supervise its unloading (ramp_out.h): twenty times that, if
 * the stiffness is an estimate; read half a step too low. */
static double unsupervised(const drawn *d, double dt)
{
    return 20.0 * certain(d, dt) + 0.5 * d->resolution;
}

static void judge(const drawn *d, lab *l, fault f, int number, counts *c)
{
    ifd_trip_facts t = ifd_hybrid_trip(l->h);
    char what[160];
    snprintf(what, sizeof what, "specimen %d, fault %d, %s, %s %.4g of %.4g", number, (int)f,
             ifd_machine_name(ifd_hybrid_state(l->h)), ifd_trip_name(t.trip), t.value, t.limit);
    c->runs++;
    bool tripped = ifd_hybrid_state(l->h) != IFD_MACHINE_STOPPED;
    if (!rig.braked) {
        c->invalid++;
        tell(d, what);
        return;
    }
    double little = fmax(0.05 * fabs(rig.first), 3.0 * deviation(d));
    bool left = ifd_hybrid_count(l->h, IFD_TRIP_NOT_UNLOADED) > 0;
    c->left += left;
    bool silent = !tripped && !left && !rig.goes && fabs(rig.first) > dead_band(d);
    c->silent += silent;
    if (silent)
        tell(d, what);
    if (f == SOUND) {
        bool across = rig.across > little, slow = rig.out > 30.0;
        c->across += across;
        c->slow += slow;
        c->tripped += tripped;
        c->smooth += !across && !slow && !tripped;
        if (across || slow || tripped)
            tell(d, what);
        return;
    }
    c->caught += tripped;
    bool none = fabs(rig.first) <= (left ? unsupervised(d, ifd_hybrid_period(l->h)) : dead_band(d));
    c->quiet += !tripped && none;
    c->missed += !tripped && !none;
    /* A stuck cell is detected at the same force of opposite sign; a reversed one after growth by 0.05 or by the
     * significant change, 0.1; both later by lag and smoothing, a fifth of the travel. */
    bool far = rig.most > 1.3 * fabs(rig.first) + 4.0 * deviation(d);
    c->far += far;
    if ((!tripped && !none) || far)
        tell(d, what);
}

/* For larger numbers: build/gcc/tests/ramp_out.unloading FIRST END. */
static int first = 0, end = 30;
/* Load cells with coarse steps (205, 466, 1554, 1731), a reversal within a segment (314), specimens that slip during
 * unloading (314, 1747), a secant that is too small (1318, 1754). */
static const int taught[] = {205, 314, 466, 1318, 1554, 1731, 1747, 1754};

static void try_all(fault f, counts *c)
{
    int more = end <= 30 ? (int)COUNT(taught) : 0;
    for (int i = first; i < end + more; i++) {
        drawn d;
        int number = i < end ? i : taught[i - end];
        draw(&d, (uint64_t)number);
        lab *l = lead_out(&d, f);
        judge(&d, l, f, number, c);
        lab_close(l);
    }
    print_message("%d specimens: %d unloaded; %d caught, %d had nothing to unload, %d of them left on\n", c->runs,
                  c->smooth, c->caught, c->quiet, c->left);
}

static void a_specimen_is_unloaded_without_swinging_past_zero(void **state)
{
    (void)state;
    counts c = {0};
    try_all(SOUND, &c);
    assert_int_equal(c.invalid, 0);
    assert_int_equal(c.across, 0);
    assert_int_equal(c.slow, 0);
    assert_int_equal(c.tripped, 0);
    assert_int_equal(c.silent, 0);
    assert_int_equal(c.smooth, c.runs);
}

static void check_fault(fault f)
{
    counts c = {0};
    try_all(f, &c);
    assert_int_equal(c.invalid, 0);
    assert_int_equal(c.missed, 0);
    assert_int_equal(c.far, 0);
    assert_int_equal(c.silent, 0);
    assert_int_equal(c.caught + c.quiet, c.runs);
    assert_true(c.caught > c.quiet);
}

static void a_load_cell_that_sticks_at_rest_is_noticed(void **state)
{
    (void)state;
    check_fault(STUCK_AT_REST);
}

static void a_load_cell_that_is_reversed_at_rest_is_noticed(void **state)
{
    (void)state;
    check_fault(REVERSED_AT_REST);
}

static void a_load_cell_that_sticks_during_unloading_is_noticed(void **state)
{
    (void)state;
    check_fault(STUCK);
}

static void a_load_cell_that_is_reversed_during_unloading_is_noticed(void **state)
{
    (void)state;
    check_fault(REVERSED);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        first = atoi(argv[1]);
        end = atoi(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_specimen_is_unloaded_without_swinging_past_zero),
        cmocka_unit_test(a_load_cell_that_sticks_at_rest_is_noticed),
        cmocka_unit_test(a_load_cell_that_is_reversed_at_rest_is_noticed),
        cmocka_unit_test(a_load_cell_that_sticks_during_unloading_is_noticed),
        cmocka_unit_test(a_load_cell_that_is_reversed_during_unloading_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
