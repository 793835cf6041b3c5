/* SPDX-License-Identifier: MIT */
/* A block with two actuators: one of its dofs loads a specimen by a force that the computed part commands, the other
 * deforms a brace. Judged on the extensions that the rig receives. The rig has no common code with the library: the
 * end of both actuators is the intersection of two circles, the specimen a mass on a spring behind the spring of the
 * block, and the forces of the actuators balance both. The structure is cases/effective-force/block without ground
 * motion, with a displacement of its upper storeys at the start and an elastic brace. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/laboratory.h"
#include "hybrid/own_rig.h"

enum { MOST = 30000, SUBSTEPS = 20 };

static const double mass = 5e3, columns = 3e6, dashpot = 8e3, spring = 5e6, brace = 1e6; /* of the case, elastic */
static const double stroke = 0.12, velocity = 1.2, acceleration = 150.0;
static const double base[2][2] = {{-2.0, 0.0}, {-1.2, -1.6}}, rest = 2.0; /* m; both have the same length at rest */

typedef enum fault { NONE, LOST, CELL_ZERO, STUCK, POSITION_OFF } fault;

static struct {
    fault fault;
    long after, senses, commands; /* ticks of run before the fault */
    uint64_t tick;
    double s[2], x, v, at[2], f[2], shown; /* extensions; specimen; end of the actuators; forces; stuck position */
    double sent[MOST][2];
} rig;

/* The end of two actuators of these extensions: on the line of equal powers, on the side of the start (0, 0). */
static void meet(const double s[2], double at[2])
{
    double r0 = rest + s[0], r1 = rest + s[1], dx = base[1][0] - base[0][0], dy = base[1][1] - base[0][1];
    double d = sqrt(dx * dx + dy * dy), a = (r0 * r0 - r1 * r1 + d * d) / (2.0 * d), h = sqrt(r0 * r0 - a * a);
    at[0] = base[0][0] + (a * dx - h * dy) / d;
    at[1] = base[0][1] + (a * dy + h * dx) / d;
}

/* Forces along both actuators that hold these forces of the block, by Cramer's rule. */
static void balance(void)
{
    double e[2][2], fx = spring * (rig.at[0] - rig.x), fy = brace * rig.at[1];
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            e[j][i] = (rig.at[i] - base[j][i]) / (rest + rig.s[j]);
    double det = e[0][0] * e[1][1] - e[1][0] * e[0][1];
    rig.f[0] = (fx * e[1][1] - fy * e[1][0]) / det;
    rig.f[1] = (fy * e[0][0] - fx * e[0][1]) / det;
}

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    fault now = rig.senses > rig.after ? rig.fault : NONE;
    rig.senses += rig.senses > 0;
    *m = (ifd_measure){.tick = rig.tick, .inputs = 3, .actuators = (uint32_t)r->actuators, .aux = 2};
    rig.shown = now == STUCK ? rig.shown : rig.x;
    for (int j = 0; j < 2; j++) {
        m->position[j] = rig.s[j] + (rig.tick % 2 ? 1e-9 : 0.0); /* a sensor has noise: otherwise it seems stuck */
        m->force[j] = now == CELL_ZERO && j == 0 ? 0.0 : rig.f[j];
    }
    m->position[0] += now == POSITION_OFF ? 0.03 : 0.0;
    m->auxiliary[1] = now == LOST ? (double)NAN : rig.shown;
    return true;
}

/* Both actuators move linearly to their commands within the tick. */
static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    double from[2] = {rig.s[0], rig.s[1]}, dt = r->tick / SUBSTEPS;
    if (rig.senses == 0 && c->state == IFD_MACHINE_RUN)
        rig.senses = 1;
    assert_true(rig.commands < MOST);
    for (int j = 0; j < 2; j++)
        rig.sent[rig.commands][j] = c->commanded ? c->position[j] : from[j];
    for (int i = 1; i <= SUBSTEPS; i++) {
        for (int j = 0; j < 2; j++)
            rig.s[j] = from[j] + (rig.sent[rig.commands][j] - from[j]) * i / SUBSTEPS;
        meet(rig.s, rig.at);
        rig.v += dt * (spring * (rig.at[0] - rig.x) - columns * rig.x - dashpot * rig.v) / mass;
        rig.x += dt * rig.v;
    }
    balance();
    rig.commands++;
    rig.tick = c->tick;
}

static const ifd_rig_ops rig_ops = OWN_RIG("virtual", rig_sense, rig_command);

static lab *begin(fault which, double after)
{
    const char *set[] = {"ground={motion: kanai-tajimi, seed: 5, peak: 1e-9 g, duration: 12 s}",
                         "initial={displacement: {s2: 12 mm, s3: 15 mm}}",
                         "specimen.0={name: brace, spring: {between: [s2, s3], stiffness: 1 MN/m}, "
                         "estimate: {stiffness: 1 MN/m}, limits: {stroke: 60 mm, velocity: 1 m/s, "
                         "acceleration: 100 m/s2, force: 40 kN, tracking: 5 mm}}",
                         "specimen.1.force-command.delay=0",
                         "time.end=2 s",
                         NULL};
    memset(&rig, 0, sizeof rig);
    rig.fault = which;
    rig.after = lround(after / 1e-3);
    return lab_make("effective-force/block", set, &rig_ops);
}

static void assert_commands_within_limits(void)
{
    double w[2] = {0.0};
    for (long i = 1; i < rig.commands; i++)
        for (int j = 0; j < 2; j++) {
            double step = rig.sent[i][j] - rig.sent[i - 1][j];
            if (fabs(rig.sent[i][j]) > stroke || fabs(step) > velocity * 1e-3 * (1.0 + 1e-9) ||
                fabs(step - w[j]) > acceleration * 1e-6 * (1.0 + 1e-6))
                fail_msg("command %ld of actuator %d: %g m, %g m/s, %g m/s2", i, j + 1, rig.sent[i][j], step / 1e-3,
                         (step - w[j]) / 1e-6);
            w[j] = step;
        }
}

static ifd_run_state tick(lab *l)
{
    return l->t.tick(l->t.self, &(ifd_tick_in){0});
}

/* The whole structure: three masses, fourth-order Runge-Kutta. */
static void rates(const double y[6], double out[6])
{
    double f1 = columns * y[0] + dashpot * y[3], f2 = 2.5e6 * (y[1] - y[0]) + 7e3 * (y[4] - y[3]),
           f3 = (2e6 + brace) * (y[2] - y[1]) + 6e3 * (y[5] - y[4]);
    memcpy(out, y + 3, 3 * sizeof *out);
    out[3] = (f2 - f1) / mass;
    out[4] = (f3 - f2) / 4e3;
    out[5] = -f3 / 4e3;
}

static void whole(double y[6], double h)
{
    double k[4][6], z[6];
    const double part[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 6; i++)
            z[i] = y[i] + (s ? part[s] * h * k[s - 1][i] : 0.0);
        rates(z, k[s]);
    }
    for (int i = 0; i < 6; i++)
        y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* s3 of the structure within 1 %; the specimen, and the brace that the block deforms, within their motion in a tick.
 * The whole begins where the static force of ramp-in moves the specimen. In the end the block releases both. */
TEST(one_block_loads_one_specimen_and_moves_another)
{
    lab *l = begin(NONE, 0.0);
    play(&l->script, "until run");
    double y[6] = {rig.x, 0.012, 0.015, rig.v, 0.0, 0.0}, error[3] = {0.0}, size = 0.0, step[3] = {0.0}, at = 0.0;
    assert_near(rig.x, 2.5e6 * 0.012 / (columns + 2.5e6), 2e-4, "static position");
    assert_near(rig.at[1], 3e-3, 2e-5, "brace");
    while (ifd_hybrid_state(l->h) == IFD_MACHINE_RUN) {
        const double x = rig.x, bent = rig.at[1]; /* as this tick measures them */
        (void)tick(l);
        for (; at < lab_value(l, "simulated time") - 1e-9; at += 1e-3)
            whole(y, 1e-3);
        const double off[] = {lab_value(l, "s3 displacement") - y[2], x - y[0], bent - (y[2] - y[1])},
                     way[] = {0.0, 1e-3 * y[3], 1e-3 * (y[5] - y[4])};
        size += y[2] * y[2];
        for (int i = 0; i < 3; i++) {
            error[i] += off[i] * off[i];
            step[i] += way[i] * way[i];
        }
    }
    assert_true(at > 1.9);
    print_message("error of s3 %.4f; of the specimen %.2f and of the brace %.2f of a tick\n", sqrt(error[0] / size),
                  sqrt(error[1] / step[1]), sqrt(error[2] / step[2]));
    assert_near(sqrt(error[0] / size), 0.0, 0.01, "error of s3");
    assert_true(error[1] < step[1] && error[2] < step[2]);
    play(&l->script, "until is != ramp-out; is stopped");
    assert_near(spring * (rig.at[0] - rig.x), 0.0, 1600.0, "released: within twice the tolerance");
    assert_commands_within_limits();
    lab_close(l);
}

/* A sensor that fails trips the test within the limits, and both actuators come to rest. */
TEST(a_failed_sensor_trips_within_the_limits)
{
    static const struct {
        fault fault;
        ifd_trip trip;
    } rows[] = {{LOST, IFD_TRIP_NOT_FINITE},
                {CELL_ZERO, IFD_TRIP_FORCE_ERROR},
                {STUCK, IFD_TRIP_FORCE_ERROR},
                {POSITION_OFF, IFD_TRIP_TRACKING}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        lab *l = begin(rows[i].fault, 0.1);
        ifd_run_state s = IFD_RUN_GOING;
        while (s == IFD_RUN_GOING)
            s = tick(l);
        assert_int_equal(s, IFD_RUN_FAULT);
        assert_string_equal(ifd_trip_name(ifd_hybrid_trip(l->h).trip), ifd_trip_name(rows[i].trip));
        for (long n = 1; n < 200; n++)
            assert_memory_equal(rig.sent[rig.commands - n], rig.sent[rig.commands - 1], sizeof rig.sent[0]);
        assert_commands_within_limits();
        lab_close(l);
    }
}

/* The virtual rig: a drive with one actuator has the numbers of that actuator, to rounding, with all noise. For a
 * specimen that is loaded by a force, and a model whose support is moved. */
#define ALONE(dof, more)                                                                                             \
    "drives=[{name: d, dofs: [" dof                                                                                  \
    "], matrix: [[1]], actuators: [{name: a, limits: {stroke: 1 m, velocity: 10 m/s, "                               \
    "acceleration: 1e4 m/s2}" more "}]}]"

/* cases/effective-force/storey.model.yaml: the drive has the actuator and the sensors. */
#define WITHOUT_ACTUATOR                                                                                             \
    "specimen=[{name: storey, model: {dofs: [s1], masses: {s1: 5 t}, supports: {above: {follows: s2}}, elements: "   \
    "[{bouc-wen: {between: [ground, s1], stiffness: 3 MN/m, alpha: 0.2, beta: 40, gamma: 30}}, {dashpot: {between: " \
    "[ground, s1], damping: 8 kN s/m}}]}, force-command: {on: s1, connection: {stiffness: 2.5 MN/m, damping: 7 kN "  \
    "s/m}, mass: 5 t, spring: 5 MN/m, delay: 7.43 ms, error: 8 kN, sensor: {noise: 2 um, seed: 3}}, estimate: "      \
    "{stiffness: 2.5 MN/m, damping: 7 kN s/m}, limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 100 m/s2, "   \
    "force: 80 kN, tracking: 10 mm}}]"

TEST(a_drive_with_one_actuator_is_that_actuator)
{
    static const struct {
        const char *file, *set[3], *drive, *specimen, *column;
    } rows[] = {{"cases/effective-force/rig",
                 {"time.end=3 s", NULL},
                 ALONE("storey", ", actuator: {second-order: {frequency: 30 Hz, damping-ratio: 0.7}}, "
                                 "position-sensor: {noise: 5 um}, force-sensor: {noise: 20 N, seed: 2}"),
                 WITHOUT_ACTUATOR,
                 "s3 displacement"},
                {"tests/hybrid/mounted", {"time.end=1 s", NULL}, ALONE("damper", ""), NULL, "upper.y displacement"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double size = 0.0;
        char path[256];
        snprintf(path, sizeof path, "../%s", rows[i].file);
        const char *set[] = {rows[i].set[0], rows[i].drive, rows[i].specimen, NULL};
        lab *own = lab_make(path, rows[i].set, NULL), *driven = lab_make(path, set, NULL);
        ifd_run_state s = IFD_RUN_GOING;
        while (s == IFD_RUN_GOING) {
            s = tick(own);
            assert_int_equal(tick(driven), s);
            double due = lab_value(own, rows[i].column);
            size = fmax(size, fabs(due));
            assert_near(lab_value(driven, rows[i].column), due, 1e-9 * size, "%s", rows[i].file);
        }
        assert_int_equal(s, IFD_RUN_DONE);
        assert_true(size > 1e-3);
        lab_close(own);
        lab_close(driven);
    }
}

/* Actuators that cannot follow the noise of the position are late at all times, which is no progress: 30 s, a stage
 * of 1 ms at 1/32 of the full rate, ten brakes, settling; 240 mm with 1.2 m/s, 2.5 times the time to brake, four
 * ticks. The ramp-out does not wait for them: the release takes as long as the ramp-in, then the block settles. */
TEST(a_force_that_noise_keeps_from_settling_is_ended)
{
    const char *set[] = {"drives.0.actuators.0.limits.acceleration=0.5 m/s2",
                         "specimen.1.force-command.sensor.noise=10 um",
                         "specimen.1.force-command.error=80 kN",
                         "specimen.0.limits.tracking=1 m",
                         "specimen.1.limits.tracking=1 m",
                         "drives.0.actuators.0.limits.tracking=1 m",
                         NULL};
    lab *l = lab_make("effective-force/block", set, NULL);
    double bound = 30.0 + 32e-3 + 10.0 * l->o.brake + l->o.settle + 0.24 / 1.2 + 2.5 * 1.2 / 0.5 + 4e-3;
    long most = lround((l->o.ramp_in + bound) / 1e-3), out = lround((l->o.ramp_in + l->o.settle + 1.0) / 1e-3);
    play(&l->script, "until ramp-in; until is != ramp-in; is ramp-out; fault STANDSTILL; waited in %ld..%ld", most,
         most + 2);
    play(&l->script, "until is != ramp-out; is stopped; waited in 1..%ld", out); /* 1 s: memory of a swing */
    lab_close(l);
}

/* Noise keeps another drive, with load sharing, from its end at all times. The force is released without a wait for
 * it. After the bound the test trips, without force on the specimen and with nothing in motion. */
TEST(a_force_does_not_wait_for_another_drive)
{
    const char *set[] = {"drives.0.sharing={stiffness: 50 kN/m, bandwidth: 1 Hz, limit: 2 mm}",
                         "drives.0.actuators.0.limits={stroke: 60 mm, velocity: 0.1 m/s, acceleration: 0.02 m/s2}",
                         "drives.0.actuators.1.limits={stroke: 60 mm, velocity: 0.1 m/s, acceleration: 0.02 m/s2}",
                         "initial={displacement: {s2: 12 mm, s3: 12 mm}}", /* 30 kN on the storey */
                         NULL};
    lab *l = lab_make("effective-force/driven", set, NULL);
    double bound = 30.0 + 32e-3 + 10.0 * l->o.brake + l->o.settle + 0.12 / 0.1 + 2.5 * 0.1 / 0.02 + 4e-3;
    long most = lround(bound / 1e-3);
    play(&l->script, "until ramp-out");
    assert_true(fabs(lab_value(l, "storey commanded force")) > 1e4);
    /* before it the release, 2 s, and up to 5 s of rest of the brace; released: within the tolerance */
    play(&l->script, "until is != ramp-out; is tripped; fault STANDSTILL; waited in %ld..%ld", most, most + 7000);
    play(&l->script, "[storey force] = 0 +- 800; until the end; result FAULT");
    lab_close(l);
}

/* Ramp-out in the fastest change of the force, beside a specimen that is moved: the force stops where the command,
 * one delay ahead and four ticks to its rest, would be, and never exceeds that. The specimen moves less than in the
 * test. rate in N per tick, from the recorded forces before the order. */
TEST(a_ramp_out_does_not_continue_the_change_of_the_force)
{
    static const char *const files[] = {"effective-force/rig", "effective-force/mixed", "effective-force/block"};
    for (size_t i = 0; i < COUNT(files); i++) {
        lab *l = lab_make(files[i], (const char *const[]){NULL}, NULL);
        double f = 0.0, last = 0.0, moved = 0.0, off = 0.0, after = 0.0, far = 0.0;
        while (!(lab_value(l, "simulated time") > 3.25)) {
            (void)tick(l);
            last = f;
            f = lab_value(l, "storey commanded force");
            moved = fmax(moved, fabs(lab_value(l, "storey specimen position")));
        }
        double most = fabs(f) + fabs(f - last) * (1.0 + 7.43 + 4.0);
        (void)l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_RAMP_OUT});
        while (ifd_hybrid_state(l->h) == IFD_MACHINE_RAMP_OUT) {
            (void)tick(l);
            off = fmax(off, fabs(lab_value(l, "storey force") - lab_value(l, "storey commanded force")));
            after = fmax(after, fabs(lab_value(l, "storey commanded force")));
            far = fmax(far, fabs(lab_value(l, "storey specimen position")));
        }
        print_message(
            "%s: %.1f kN, changing by %.2f kN in a tick, at most %.1f kN after; %.1f and %.1f mm; error %.2f kN\n",
            files[i], 1e-3 * f, 1e-3 * (f - last), 1e-3 * after, 1e3 * moved, 1e3 * far, 1e-3 * off);
        assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
        assert_true(fabs(f - last) > 400.0);
        assert_true(after < most && far < moved && off < 1e3);
        lab_close(l);
    }
}

/* A prescribed force beside a specimen at rest, which has nothing to wait for. Ramp-out in ramp-in, and in the
 * fastest change of a force that is a time function: it remains within what is prescribed, and in the end nothing
 * moves. */
TEST(a_ramp_out_keeps_a_prescribed_force_within_its_target)
{
    static const struct {
        const char *set;
        double ramps, runs, low, high; /* s of ramp-in, of run; N */
    } rows[] = {{"test.leave=stay", 0.6, 0.0, -404e3, 4e3},
                {"test.leave=stay", 1.2, 0.0, -404e3, 4e3},
                {"test.leave=stay", 1.6, 0.0, -404e3, 4e3},
                {"test.leave=zero-force", 1.2, 0.0, -404e3, 4e3},
                {"test.leave=stay", 9.0, 0.5, -510e3, -190e3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *set[] = {"ground={motion: kanai-tajimi, peak: 1e-9 g}", rows[i].set,
                             "force-control.0.force=[-400 kN]", "force-control.0.rate=4e6", NULL};
        if (rows[i].runs > 0.0)
            set[2] = "force-control.0.force=[-350 kN, {sine: {amplitude: 150 kN, frequency: 2 Hz}}]";
        lab *l = lab_make("column-mixed/column", set, NULL);
        double low = 0.0, high = -1e9, ramps = 0.0, runs = 0.0, p[2] = {0.0}, dt = ifd_hybrid_period(l->h);
        ifd_run_state s = IFD_RUN_GOING;
        while (s == IFD_RUN_GOING) {
            ramps += dt * (ifd_hybrid_state(l->h) == IFD_MACHINE_RAMP_IN);
            runs += dt * (ifd_hybrid_state(l->h) == IFD_MACHINE_RUN);
            bool ends = ramps >= rows[i].ramps || (rows[i].runs > 0.0 && runs >= rows[i].runs);
            p[0] = p[1];
            s = l->t.tick(l->t.self, &(ifd_tick_in){.order = ends ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE});
            p[1] = lab_value(l, "gravity command");
            if (runs > 0.4 || rows[i].runs == 0.0) {
                low = fmin(low, lab_value(l, "gravity force"));
                high = fmax(high, lab_value(l, "gravity force"));
            }
        }
        print_message("row %d: %.1f to %.1f kN\n", (int)i, 1e-3 * low, 1e-3 * high);
        assert_int_equal(s, IFD_RUN_DONE);
        assert_true(low > rows[i].low && high < rows[i].high);
        assert_true(p[0] == p[1]);
        lab_close(l);
    }
}

/* The position of the specimen is an auxiliary input of its own rig. */
TEST(on_two_rigs_it_is_the_same_test)
{
    const char *one[] = {"time.end=1 s", NULL},
               *two[] = {"time.end=1 s",
                         "test={rigs: [{name: a, specimens: [brace], virtual: {commands: linear}}, {name: b, "
                         "specimens: [storey], virtual: {commands: linear}}]}",
                         NULL};
    lab *whole = lab_make("effective-force/mixed", one, NULL), *apart = lab_make("effective-force/mixed", two, NULL);
    ifd_run_state s = IFD_RUN_GOING;
    while (s == IFD_RUN_GOING) {
        s = tick(whole);
        assert_int_equal(tick(apart), s);
        assert_near(lab_value(apart, "storey command"), lab_value(whole, "storey command"), 0.0, "command");
    }
    assert_int_equal(s, IFD_RUN_DONE);
    assert_true(lab_value(whole, "simulated time") > 0.9);
    lab_close(whole);
    lab_close(apart);
}

TESTS()
