/* SPDX-License-Identifier: MIT */
/* Twins from frequency responses in closed form: U/X = (1 + 2 z s/w + s^2/w^2) e^(s td) s h / ((e^(s h) - 1) g), with
 * noise of 1e-4 of each value, 0.5 to 10 Hz. */
#include "check.h"

#include <complex.h>

#include "qualify/characterise.h"

enum { POINTS = 20 };
static const double two_pi = 6.28318530717958647693, h = 1e-3;
#define J ((double complex)I)

typedef struct truth {
    double frequency, ratio, td, gain; /* frequency 0: no lag */
    bool ramps;
    double transport, noise, kink; /* kink: relative, alternating from frequency to frequency */
} truth;

/* Uniform within +-1, of a generator of its own. */
static double draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1.0;
}

static ifd_found_twin find(const truth *t)
{
    double w[POINTS], re[POINTS], im[POINTS];
    unsigned seed = 12345;
    for (int i = 0; i < POINTS; i++) {
        w[i] = two_pi * 0.5 * (i + 1);
        double complex s = J * w[i], lag = 1.0;
        double w0 = two_pi * t->frequency;
        if (w0 > 0.0)
            lag = 1.0 + 2.0 * t->ratio * s / w0 + s * s / (w0 * w0);
        double complex held = t->ramps || !(w0 > 0.0) ? 1.0 : s * h / (cexp(s * h) - 1.0);
        double complex y = lag * held * cexp(s * t->td) / t->gain;
        y *= 1.0 + t->noise * (draw(&seed) + J * draw(&seed)) + (i % 2 ? t->kink : -t->kink);
        re[i] = creal(y);
        im[i] = cimag(y);
    }
    ifd_found_twin out;
    const ifd_motion_record r = {.period = h, .ramps = t->ramps, .transport = t->transport};
    ifd__find_twin(&(ifd__actuator_response){POINTS, w, re, im}, &r,
                   t->td + 2.0 * t->ratio / (two_pi * fmax(t->frequency, 1)), &out);
    return out;
}

/* Prototype: 15.00 Hz, 0.700, 6.002 ms. Noise of 1e-4 at 20 frequencies changes none of them by more than 2e-3. */
TEST(a_lag_of_second_order_with_a_delay_is_found)
{
    static const truth row[] = {{15.0, 0.7, 6e-3, 1.0, false, 0, 1e-4, 0},
                                {15.0, 0.7, 6e-3, 0.95, true, 0, 1e-4, 0},
                                {8.0, 1.3, 2e-3, 1.02, false, 0, 1e-4, 0},
                                {25.0, 0.4, 0.0, 1.0, false, 0, 1e-4, 0},
                                {15.0, 0.7, 6e-3, 1.0, false, h, 1e-4, 0.0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const ifd_found_twin t = find(&row[i]);
        assert_true(t.found && t.order == 2);
        assert_near_rel(t.frequency, row[i].frequency, 4e-3, "row %zu: frequency", i);
        assert_near_rel(t.damping_ratio, row[i].ratio, 4e-3, "row %zu: damping ratio", i);
        assert_near_rel(t.gain, row[i].gain, 3e-4, "row %zu: gain", i);
        assert_near(t.delay, row[i].td - row[i].transport, 3e-5, "row %zu: delay", i);
        assert_true(t.misfit < 2e-4);
    }
}

TEST(a_pure_delay_is_no_lag_and_never_negative)
{
    static const struct {
        truth t;
        double delay;
    } row[] = {{{.td = 20.3e-3, .gain = 1, .noise = 1e-4}, 20.3e-3},
               {{.td = 20.3e-3, .gain = 1, .noise = 1e-4, .transport = h}, 19.3e-3},
               {{.td = 0, .gain = 1, .noise = 1e-4}, 0.0},
               {{.td = -0.8e-3, .gain = 1}, 0.0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const ifd_found_twin t = find(&row[i].t);
        assert_near(t.delay, row[i].delay, 5e-6, "row %zu: delay", i);
        assert_true(t.delay >= 0.0);
        assert_true(i == 3 || (t.found && t.order == 0));
    }
}

/* A gain that a delay cannot have is kept by a lag. */
TEST(a_gain_is_not_lost)
{
    const ifd_found_twin t = find(&(truth){.frequency = 60, .ratio = 0.7, .td = 4e-3, .gain = 0.9, .noise = 1e-4});
    assert_true(t.found && t.order > 0);
    assert_near_rel(t.gain, 0.9, 1e-3, "gain");
    /* Within the misfit of an irregular delay a gain is not seen; above it, it is no delay. */
    const ifd_found_twin within = find(&(truth){.td = 20e-3, .gain = 0.992, .kink = 0.012}),
                         above = find(&(truth){.td = 20e-3, .gain = 0.98, .kink = 0.012});
    assert_true(within.found && within.order == 0);
    assert_false(above.found && above.order == 0);
}

/* Just above and below 5 %. */
TEST(an_irregular_answer_gives_no_twin)
{
    ifd_found_twin t = find(&(truth){.frequency = 15, .ratio = 0.7, .td = 6e-3, .gain = 1, .kink = 0.053});
    assert_false(t.found);
    assert_near_rel(t.misfit, 0.053, 0.05, "misfit");
    t = find(&(truth){.frequency = 15, .ratio = 0.7, .td = 6e-3, .gain = 1, .kink = 0.046});
    assert_true(t.found);
}

TEST(the_step_of_a_converter_is_found)
{
    double y[200];
    unsigned seed = 7;
    for (int i = 0; i < 200; i++)
        y[i] = 1e-6 * round(1e6 * (0.3 + 2e-5 * sin(0.1 * i)));
    assert_near_rel(ifd__find_resolution(y, 200), 1e-6, 1e-6, "1 um");
    for (int i = 0; i < 200; i++)
        y[i] += 1e-6 * draw(&seed);
    assert_near(ifd__find_resolution(y, 200), 0.0, 0.0, "noise");
    for (int i = 0; i < 200; i++)
        y[i] = 0.25;
    assert_near(ifd__find_resolution(y, 200), 0.0, 0.0, "a constant");
}

TESTS()
