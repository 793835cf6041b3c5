/* SPDX-License-Identifier: MIT */
/* Unloading on the way out, at both sides of each number: when a force is taken off, how fast, when that ends, and
 * what is not borne. Judged by commands and faults; what it is like with specimens is in test_unloading.c. */
#include "leave_scene.h"

#include "run/supervise.h"

static const double period = 1.0 / 512.0;

/* A command at rest is braked after three ticks; then the force rests. */
static void rest(double F)
{
    *row(CH_FM) = F;
    ifd__leave_begin(&h, 1);
    for (int n = 0; n < 3; n++)
        assert_false(ifd__leave_step(&h, 1));
}

/* Ticks of rest, until the command moves: the first of unloading, not among them. 0: it does not. */
static long rested(long most)
{
    for (long n = 0; n < most; n++) {
        if (ifd__leave_step(&h, 1))
            return 0;
        if (*row(CH_W) != 0.0)
            return n;
    }
    return 0;
}

/* After `settle`, or eight lags, whichever is longer, a force must not change for 0.3 s: 154 ticks, the first of them
 * at the end of that time. */
static void a_force_is_taken_off_when_it_has_settled(void **state)
{
    (void)state;
    static const struct {
        double settle, lag;
        long ticks;
    } rows[] = {{0.125, 1.0 / 128.0, 64 + 153}, {0.0625, 1.0 / 64.0, 64 + 153}, {0.25, 1.0 / 64.0, 128 + 153}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            scene(period, IFD_LEAVE_ZERO_FORCE);
            h.opt.settle = rows[i].settle;
            *seen(SEEN_LAG_SUM) = 64.0 * rows[i].lag;
            rest(sign * 1000.0);
            assert_int_equal(rested(2000), rows[i].ticks);
        }
    scene(0.15, IFD_LEAVE_ZERO_FORCE); /* twice that is 0.3 s to the bit; the brake takes a tick more */
    *seen(SEEN_LAG_SUM) = 0.0;
    rest(1000.0);
    assert_int_equal(rested(100), 1 + 8 + 1);
}

/* What still changes by more than a fiftieth between its means, and by more than six deviations, is waited for, not
 * longer than 5 s. Its slow mean is what it is unloaded from when it has settled. */
static void a_force_that_changes_is_waited_for(void **state)
{
    (void)state;
    static const struct {
        double slow, variance;
        bool waits;
    } rows[] = {{98.0, 0.0, false},  {97.999, 0.0, true}, {102.0, 0.0, false}, {102.001, 0.0, true},
                {94.0, 16.0, false}, {93.99, 16.0, true}, {106.0, 16.0, false}};
    for (size_t j = 0; j < 2 * COUNT(rows); j++) {
        double sign = j < COUNT(rows) ? 1.0 : -1.0;
        size_t i = j % COUNT(rows);
        scene(period, IFD_LEAVE_ZERO_FORCE);
        *seen(SEEN_LAG_SUM) = 4.0; /* 1/16 s: a mean over 8 ticks leaves a quarter of the noise; 256 ticks of rest */
        *seen(SEEN_NOISE_F) = rows[i].variance;
        *seen(SEEN_STIFFNESS) = 1e6;
        rest(sign * 100.0);
        for (int n = 0; n < 200; n++)
            assert_false(ifd__leave_step(&h, 1));
        *out(OUT_SLOW) = sign * rows[i].slow;
        long n = rested(3000);
        if (n != (rows[i].waits ? 2561 - 200 : 256 + 153 - 200))
            fail_msg("row %d: %ld ticks", (int)i, n);
        double T = 5.0 * (1.0 / 16.0 + 8.0 * dt + 2.0 * dt), s = dt / T,
               from = sign * (rows[i].waits ? 100.0 : rows[i].slow);
        if (rows[i].variance == 0.0)
            assert_near_rel(*row(CH_W), -s * s * (3.0 - 2.0 * s) * from / (1e6 * T) * dt, 1e-12, "row %d", (int)i);
    }
}

/* Until half of eight lags are over the actuator arrives: no change of the force then is one. */
static void the_slow_mean_begins_when_the_actuator_has_arrived(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        scene(period, IFD_LEAVE_ZERO_FORCE);
        rest(1000.0);
        for (int n = 1; n < 32; n++)
            (void)ifd__leave_step(&h, 1);
        if (late)
            (void)ifd__leave_step(&h, 1);
        *out(OUT_FORCE) = 500.0; /* in the 32nd tick of rest, and in the 33rd */
        (void)ifd__leave_step(&h, 1);
        *out(OUT_FORCE) = late ? 1000.0 : 500.0;
        assert_int_equal(rested(3000), 64 + 153 - 32 - late);
    }
}

/* A force within three deviations of its noise, or 0.002 of the largest, is none. One that a load cell cannot show to
 * be unloaded is left on, and noted. */
static void a_force_within_its_dead_band_is_left(void **state)
{
    (void)state;
    static const struct {
        double F, variance, peak, step;
        bool shown, unloads, noted;
    } rows[] = {{2.0, 0.0, 1000.0, 0.0, true, false, false},   {-2.0, 0.0, 1000.0, 0.0, true, false, false},
                {2.001, 0.0, 1000.0, 0.0, true, true, false},  {12.0, 16.0, 1000.0, 0.0, true, false, false},
                {12.01, 16.0, 1000.0, 0.0, true, false, true}, {18.7, 16.0, 1000.0, 0.0, true, false, true},
                {18.8, 16.0, 1000.0, 0.0, true, true, false},  {-18.8, 16.0, 1000.0, 0.0, true, true, false},
                {29.9, 16.0, 1000.0, 0.0, false, false, true}, {30.1, 16.0, 1000.0, 0.0, false, true, false},
                {13.8, 0.0, 0.0, 1.0, true, false, true},      {13.9, 0.0, 0.0, 1.0, true, true, false},
                {-13.8, 0.0, 0.0, 1.0, true, false, true},     {0.5, 0.0, 1000.0, 0.0, false, false, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene(period, IFD_LEAVE_ZERO_FORCE);
        *seen(SEEN_NOISE_F) = rows[i].variance;
        *seen(SEEN_PEAK_F) = rows[i].peak;
        *seen(SEEN_STEP_F) = rows[i].step;
        *seen(SEEN_STIFFNESS) = rows[i].shown ? 1e6 : 0.0;
        rest(rows[i].F);
        long n = rested(3000);
        if ((n > 0) != rows[i].unloads || (noted(IFD_TRIP_NOT_UNLOADED) > 0.0) != rows[i].noted)
            fail_msg("row %d: %ld ticks, %g notes", (int)i, n, noted(IFD_TRIP_NOT_UNLOADED));
    }
    scene(period, IFD_LEAVE_ZERO_FORCE); /* the very least */
    *seen(SEEN_NOISE_F) = 16.0;
    rest(ifd__supervisable(ifd__certain_change(4.0 * sqrt(dt), 0.0), false));
    assert_int_equal(rested(3000), 0);
    for (int waits = 0; waits < 2; waits++) { /* within it, but it changes */
        scene(period, IFD_LEAVE_ZERO_FORCE);
        *seen(SEEN_PEAK_F) = 1000.0;
        rest(2.0);
        for (int n = 0; n < 40; n++)
            (void)ifd__leave_step(&h, 1);
        *out(OUT_SLOW) = waits ? 1.0 : 2.0;
        assert_int_equal(arrives(3000), waits ? 2561 + 1 - 40 : 64 + 1 - 40);
    }
}

/* One that changes its sign twice, and is more than six deviations away from zero each time, swings by itself. */
static void a_force_that_swings_is_left(void **state)
{
    (void)state;
    static const struct {
        double F[3];
        bool left;
    } rows[] = {{{100.0, -100.0, 100.0}, true}, {{-100.0, 100.0, -100.0}, true}, {{100.0, 100.0, -100.0}, false},
                {{100.0, -6.0, 100.0}, false},  {{100.0, -6.001, 100.0}, true},  {{-100.0, 6.001, -100.0}, true},
                {{-100.0, 6.0, -100.0}, false}, {{6.0, -100.0, 100.0}, false},   {{100.0, -100.0, -100.0}, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene(period, IFD_LEAVE_ZERO_FORCE);
        *seen(SEEN_LAG_SUM) = 4.0;
        *seen(SEEN_NOISE_F) = 16.0; /* a quarter of 4 N is left */
        *seen(SEEN_STIFFNESS) = 1e6;
        rest(100.0);
        for (int n = 0; n < 128; n++) { /* it passes zero while the actuator arrives */
            *out(OUT_FORCE) = n % 2 ? 100.0 : -100.0;
            (void)ifd__leave_step(&h, 1);
        }
        for (int k = 0; k < 3; k++) {
            *out(OUT_FORCE) = *out(OUT_SLOW) = rows[i].F[k];
            (void)ifd__leave_step(&h, 1);
        }
        *out(OUT_FORCE) = *out(OUT_SLOW) = copysign(100.0, rows[i].F[2]);
        assert_int_equal(arrives(400) > 0, rows[i].left);
    }
}

static double smooth(double s)
{
    s = fmin(s, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

typedef struct unloading {
    double F, k, lag, variance, mass;
    int others; /* unloaded beside it */
    bool shown;
} unloading;

/* s: the largest of 0.1; five lags there and back, three for each of several channels; sqrt(3.75 F/(k A)); that of a
 * mass. The lag of the smoothed force is a quarter of the actuator's, four ticks, what calms the noise or what shows
 * that it is unloaded; 0.5 s at most. */
static double time_constant(const unloading *u)
{
    double noise = sqrt(u->variance), calm = fmin(sqrt(2.4 * noise / (u->k * 8.0)), 0.5);
    calm = fmax(calm, ifd__supervising_time(u->F, noise, 0.0, u->shown, dt));
    double smoothing = fmax(fmax(4.0 * dt, 0.25 * u->lag), calm);
    double T = fmax(0.1, (u->lag + smoothing + 2.0 * dt) * fmax(5.0, 3.0 * (1 + u->others)));
    return fmax(T, fmax(sqrt(3.75 * fabs(u->F) / (u->k * 8.0)), sqrt(30.0 * u->mass / (2.0 * u->k))));
}

static void unload(const unloading *u)
{
    scene(period, IFD_LEAVE_ZERO_FORCE);
    option[0].force = u->others ? NULL : &force;
    option[1].mass = u->mass;
    way[1].factor = 2.0;
    way[1].stiffness = u->k;
    *seen(SEEN_LAG_SUM) = 64.0 * u->lag;
    *seen(SEEN_NOISE_F) = u->variance;
    *seen(SEEN_STIFFNESS) = u->shown ? u->k : 0.0;
    rest(u->F);
    assert_true(rested(5000) > 0);
}

static const unloading plain = {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true};

/* x' = -g F/(k T), at most creep; g engages within T, or 20 T where no motion has shown the stiffness. */
static void unloading_goes_by_force_stiffness_and_time(void **state)
{
    (void)state;
    static const unloading rows[] = {
        {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},  {-1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},
        {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, false}, {1000.0, 1e6, 1.0 / 512.0, 0.0, 0.0, 0, true},
        {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 1, true},  {1e5, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},
        {-1e5, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true},    {1000.0, 1e6, 1.0 / 64.0, 0.0, 1e4, 0, true},
        {1000.0, 1e6, 0.125, 0.0, 0.0, 0, true},       {1e6, 1e8, 1.0 / 64.0, 1e10, 0.0, 0, true},
        {1e6, 1e6, 1.0 / 64.0, 1e10, 0.0, 0, true},    {-1e7, 1e6, 1.0 / 64.0, 1e12, 0.0, 0, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        unload(&rows[i]);
        double T = time_constant(&rows[i]), slow = rows[i].shown ? 1.0 : 20.0;
        long last = lround(1.2 * T / dt);
        *seen(SEEN_NOISE_F) = 0.0; /* its time constant stays that of the noise from its start */
        for (long n = 1; n <= last; n++) {
            double speed = -smooth((double)n * dt / (slow * T)) * rows[i].F / (rows[i].k * T);
            speed = fmax(-0.5, fmin(speed, 0.5));
            assert_near_rel(*row(CH_W), speed * dt, 1e-9, "row %d, tick %ld", (int)i, n);
            assert_false(ifd__leave_step(&h, 1));
        }
    }
    for (int sign = -1; sign < 2; sign += 2) { /* unknown stiffness: a hundredth of the stroke of 16 m */
        unloading unknown = {sign * 1000.0, 0.0, 1.0 / 64.0, 0.0, 0.0, 0, false};
        unload(&unknown);
        unknown.k = 1000.0 / 0.16;
        double T = time_constant(&unknown);
        assert_near_rel(*row(CH_W), -sign * smooth(dt / (20.0 * T)) * 0.16 / T * dt, 1e-9, "unknown stiffness");
    }
}

/* The gain rises by 2 dt/T a tick at most, and never falls; the stiffness follows what is learnt within T. */
static void unloading_follows_what_it_learns(void **state)
{
    (void)state;
    unloading u = plain;
    u.shown = false;
    unload(&u);
    double T = time_constant(&u);
    for (int n = 1; n < 200; n++)
        (void)ifd__leave_step(&h, 1);
    double gain = smooth(200.0 * dt / (20.0 * T));
    *seen(SEEN_STIFFNESS) = 1e6;
    for (int n = 1; n < 20; n++) {
        (void)ifd__leave_step(&h, 1);
        assert_near_rel(*row(CH_W), -(gain + 2.0 * n * dt / T) * 1e-3 / T * dt, 1e-9, "shown, tick %d", n);
    }
    unload(&plain);
    for (int n = 1; n < 40; n++)
        (void)ifd__leave_step(&h, 1);
    u = plain;
    u.lag = 0.125;
    *seen(SEEN_LAG_SUM) = 8.0;
    (void)ifd__leave_step(&h, 1);
    assert_near_rel(*row(CH_W), -smooth(40.0 * dt / T) * 1e-3 / time_constant(&u) * dt, 1e-9, "it never falls");
    unload(&plain);
    *out(OUT_TOWARDS) = 2e6;
    double k = 1e6;
    for (int n = 2; n < 40; n++) {
        (void)ifd__leave_step(&h, 1);
        k = 2e6 - (2e6 - k) / (1.0 + dt / T);
        assert_near_rel(*row(CH_W), -smooth(n * dt / T) * 1000.0 / (k * T) * dt, 1e-9, "learnt, tick %d", n);
    }
}

/* At half the dead band, or beyond zero, it brakes: by the cubic of the velocity, in this very tick. */
static void unloading_ends_in_a_brake(void **state)
{
    (void)state;
    static const struct {
        double F, variance;
        bool ends;
    } rows[] = {{1.0, 0.0, true},  {1.001, 0.0, false}, {-500.0, 0.0, true}, {0.0, 0.0, true},
                {6.0, 16.0, true}, {6.01, 16.0, false}, {-6.01, 16.0, true}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            u.F = sign * 1000.0;
            unload(&u);
            *seen(SEEN_PEAK_F) = 1000.0;
            *seen(SEEN_NOISE_F) = rows[i].variance;
            for (int n = 1; n < 40; n++)
                (void)ifd__leave_step(&h, 1);
            double p = *row(CH_P), v = *row(CH_W) / dt;
            *out(OUT_FORCE) = sign * rows[i].F;
            (void)ifd__leave_step(&h, 1);
            double T = fmax(2.1 * fabs(v) / 8.0, 2.0 * dt), s = dt / T;
            double brakes = p + v * T * (s - s * s * s + 0.5 * s * s * s * s);
            assert_int_equal(fabs(*row(CH_P) - brakes) < 1e-15, rows[i].ends);
            if (rows[i].ends) {
                *out(OUT_FORCE) = *out(OUT_SLOW) = 0.0;
                assert_int_equal(arrives(1000), 2 + 64 + 1 - 1 + 1); /* its last tick, one at its end, rest, there */
            }
        }
}

/* Of unloading from 1000 N: the force is F and the position x since; a fault with a value and a limit, or none. */
static void guard(double F, double at, double value, double limit, const char *name)
{
    double before = noted(IFD_TRIP_UNLOADING);
    *row(CH_FM) = *out(OUT_FORCE) = F;
    *row(CH_XM) = *out(OUT_X) = at;
    x[HYB_TRIP] = IFD_TRIP_NONE;
    x[HYB_STATE] = IFD_MACHINE_RAMP_OUT;
    ifd_action action = ifd__leave_guard(&h, 1, IFD_ACTION_NOTE);
    bool raised = noted(IFD_TRIP_UNLOADING) > before;
    if (raised != (limit > 0.0))
        fail_msg("%s: %s", name, raised ? "a fault" : "no fault");
    assert_int_equal(action, raised ? ifd_trip_action(IFD_TRIP_UNLOADING) : IFD_ACTION_NOTE);
    if (raised && x[HYB_TRIP] != IFD_TRIP_NONE) {
        assert_near_rel(x[HYB_TRIP_VALUE], value, 1e-12, "%s: value", name);
        assert_near_rel(x[HYB_TRIP_LIMIT], limit, 1e-12, "%s: limit", name);
    }
}

/* Beyond a twentieth more than it began with, or what is certain; either sign. */
static void a_force_that_grows_is_not_unloaded(void **state)
{
    (void)state;
    for (int sign = -1; sign < 2; sign += 2) {
        unloading u = plain;
        u.F = sign * 1000.0;
        unload(&u);
        guard(sign * 1050.0, 0.0, 0.0, 0.0, "a twentieth");
        guard(sign * 1050.001, 0.0, sign * 1050.001, 1050.0, "more");
        guard(-sign * 1050.001, 0.0, -sign * 1050.001, 1050.0, "the other way");
        *seen(SEEN_STEP_F) = 200.0; /* of a coarse converter: one step; smoothed over 0.5 s, which does not help */
        double certain = 200.0 + 6.0 * sqrt(2.0) * 200.0 / sqrt(12.0) * sqrt(dt);
        guard(sign * (999.999 + certain), 0.0, 0.0, 0.0, "what is not certain");
        guard(sign * (1000.001 + certain), 0.0, sign * (1000.001 + certain), 1000.0 + certain, "what is");
    }
}

/* The same force over 2 F/(1.25 k) is a fault where a motion has shown k; over 2 F/(2 k), a hundredth of the
 * stroke of 16 m at most, where none has. At least over what a force ten times softer takes to show twice what is
 * certain, 2 N, and twice what is certain of the position. Same is what stays within it, or to the bit. */
static void a_force_that_stays_is_not_unloaded(void **state)
{
    (void)state;
    static const struct {
        bool shown;
        double F, k, step_x, travel;
    } rows[] = {{true, 1000.0, 1e6, 0.0, 1.6e-3},
                {false, 1000.0, 1e6, 0.0, 1e-3},
                {false, 1000.0, 1e3, 0.0, 0.16},
                {true, 1000.0, 1e3, 0.0, 1.6},
                {true, 1000.0, 1e6, 0.125, 0.4665}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            u.shown = rows[i].shown;
            u.k = rows[i].k;
            u.F = sign * rows[i].F;
            unload(&u);
            *seen(SEEN_STEP_X) = rows[i].step_x;
            double travel = rows[i].travel;
            if (rows[i].step_x > 0.0) {
                travel = 2.0 * (rows[i].step_x + 6.0 * sqrt(2.0) * rows[i].step_x / sqrt(12.0) * sqrt(0.125));
                assert_near(travel, rows[i].travel, 1e-3, "row %d", (int)i);
            }
            *row(CH_FM_OLD) = 0.0;
            guard(u.F, -sign * travel * (1.0 - 1e-9), 0.0, 0.0, "within");
            guard(u.F, -sign * travel * (1.0 + 1e-9), travel * (1.0 + 1e-9), travel, "beyond");
            guard(u.F, sign * travel * (1.0 + 1e-9), travel * (1.0 + 1e-9), travel, "the other way");
            guard(u.F - sign * 1.999, -sign * travel * (1.0 + 1e-9), travel * (1.0 + 1e-9), travel, "within 2 N");
            guard(u.F - sign * 2.001, -sign * travel * (1.0 + 1e-9), 0.0, 0.0, "beyond 2 N");
        }
    unload(&plain); /* to the bit, wherever the force was when its piece began */
    guard(950.0, 0.0, 0.0, 0.0, "it changes");
    *row(CH_FM_OLD) = 950.0;
    guard(950.0, -1.599e-3, 0.0, 0.0, "then the same to the bit");
    guard(950.0, -1.601e-3, 1.601e-3, 1.6e-3, "farther");
    *row(CH_FM_OLD) = 949.0;
    guard(950.0, -2e-3, 0.0, 0.0, "another reading");
    *row(CH_FM_OLD) = 950.0;
    guard(950.0, -3.1e-3, 0.0, 0.0, "counts anew"); /* and a piece was learnt at 1.599 mm */
    unload(&plain);                                 /* soft: what was learnt since makes the travel longer */
    *out(OUT_TOWARDS) = 1e4;
    *row(CH_FM_OLD) = 0.0;
    guard(1000.0, -3.99e-3, 0.0, 0.0, "within 2 x 10 x 2 N over what it tends to");
    guard(1000.0, -4.01e-3, 4.01e-3, 4e-3, "beyond");
}

/* A secant over a piece of a twentieth, 50 N, or over 3 pieces that were due and 2 N that were seen. A softer one
 * only beyond six deviations and a step of a single reading. */
static void secants_of_whole_pieces_are_learnt(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double df, dx, variance, learnt; /* N/m; 0: none */
    } rows[] = {{"a piece", -50.0, -1e-4, 0.0, 5e5},
                {"less", -49.9, -1e-4, 0.0, 0.0},
                {"stiffer", -50.0, -1e-5, 0.0, 5e6},
                {"against the motion", -50.0, 1e-4, 0.0, 0.0},
                {"three were due", -2.0, -1.501e-4, 0.0, 2.0 / 1.501e-4},
                {"not yet three", -2.0, -1.499e-4, 0.0, 0.0},
                {"nothing seen", -1.999, -1.501e-4, 0.0, 0.0},
                {"loading", 49.9, 1.501e-4, 0.0, 49.9 / 1.501e-4},
                {"no single reading", -121.0, -2e-4, 400.0, 6.05e5},
                {"a single reading", -119.0, -2e-4, 400.0, 0.0},
                {"a single reading, as stiff", -119.0, -1.19e-4, 400.0, 0.0},
                {"a single reading, stiffer", -119.0, -1.18e-4, 400.0, 119.0 / 1.18e-4}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sign = -1; sign < 2; sign += 2) {
            unloading u = plain;
            u.F = sign * 1000.0;
            u.variance = rows[i].variance;
            unload(&u);
            *seen(SEEN_NOISE_F) = 0.0;
            *row(CH_FM_OLD) = 0.0;
            guard(sign * (1000.0 + rows[i].df), sign * rows[i].dx, 0.0, 0.0, rows[i].name);
            assert_near_rel(*seen(SEEN_STIFFNESS), rows[i].learnt > 0.0 ? rows[i].learnt : 1e6, 1e-9, "%s",
                            rows[i].name);
            assert_near_rel(*out(OUT_TOWARDS), *seen(SEEN_STIFFNESS), 1e-12, "%s", rows[i].name);
            bool marked = rows[i].learnt > 0.0 || rows[i].dx > 0.0;
            assert_near(*out(OUT_MARK_F), sign * (1000.0 + (marked ? rows[i].df : 0.0)), 1e-9, "%s", rows[i].name);
            assert_near(*out(OUT_MARK_X), sign * (marked ? rows[i].dx : 0.0), 1e-15, "%s", rows[i].name);
        }
    unload(&plain); /* positions that are not certain tell nothing */
    *seen(SEEN_STEP_X) = 1e-5;
    double certain = 2.0 * (1e-5 + 6.0 * sqrt(2.0) * 1e-5 / sqrt(12.0) * sqrt(0.125));
    guard(900.0, -certain * 0.999, 0.0, 0.0, "near");
    assert_near(*seen(SEEN_STIFFNESS), 1e6, 0.0, "near");
    guard(900.0, -certain * 1.001, 0.0, 0.0, "far");
    assert_near_rel(*seen(SEEN_STIFFNESS), 100.0 / (certain * 1.001), 1e-9, "far");
}

/* 25 s, and twice what the way takes at creep, 0.5 m/s: 1000 N over the softer of what was known and what is
 * reckoned with, the stroke at most. While it rests before: 25 s. A controlled force: beside its time, counted
 * from its turn. */
static void unloading_is_given_up(void **state)
{
    (void)state;
    static const struct {
        double known, now, most;
    } rows[] = {{1e6, 1e6, 25.004}, {1e3, 1e6, 29.0}, {1e6, 1e3, 29.0}, {1.0, 1e6, 89.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        unload(&plain);
        *out(OUT_KNOWN) = rows[i].known;
        *out(OUT_STIFFNESS) = rows[i].now;
        x[HYB_RAMP] = rows[i].most - 1e-9;
        guard(1000.0, 0.0, 0.0, 0.0, "in time");
        x[HYB_RAMP] = rows[i].most + 1e-9;
        guard(1000.0, 0.0, rows[i].most + 1e-9, rows[i].most, "too late");
    }
    scene(period, IFD_LEAVE_ZERO_FORCE);
    rest(1000.0);
    x[HYB_RAMP] = 25.0;
    guard(1000.0, 0.0, 0.0, 0.0, "at rest");
    x[HYB_RAMP] = nextafter(25.0, 26.0);
    guard(1000.0, 0.0, x[HYB_RAMP], 25.0, "at rest, too late");
    scene(period, IFD_LEAVE_STAY);
    rest(1000.0);
    x[HYB_RAMP] = 1000.0;
    guard(1000.0, 0.0, 0.0, 0.0, "who stays has all time");
    scene(period, IFD_LEAVE_ZERO_FORCE);
    option[1].force = &force;
    ifd__leave_begin(&h, 1);
    *row(CH_FORCE_AIM) = 128.0; /* 1.875 x 128/64 = 3.75 s */
    (void)ifd__leave_step(&h, 1);
    *row(CH_FORCE_AIM) = 128.0;
    x[HYB_RAMP] = 1000.0;
    *out(OUT_TIME) = 28.75;
    guard(128.0, 0.0, 0.0, 0.0, "released");
    *out(OUT_TIME) = nextafter(28.75, 29.0);
    guard(128.0, 0.0, *out(OUT_TIME), 28.75, "released, too late");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_is_taken_off_when_it_has_settled),
        cmocka_unit_test(a_force_that_changes_is_waited_for),
        cmocka_unit_test(the_slow_mean_begins_when_the_actuator_has_arrived),
        cmocka_unit_test(a_force_within_its_dead_band_is_left),
        cmocka_unit_test(a_force_that_swings_is_left),
        cmocka_unit_test(unloading_goes_by_force_stiffness_and_time),
        cmocka_unit_test(unloading_follows_what_it_learns),
        cmocka_unit_test(unloading_ends_in_a_brake),
        cmocka_unit_test(a_force_that_grows_is_not_unloaded),
        cmocka_unit_test(a_force_that_stays_is_not_unloaded),
        cmocka_unit_test(secants_of_whole_pieces_are_learnt),
        cmocka_unit_test(unloading_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
