/* SPDX-License-Identifier: MIT */
/* A drive with an actuator that is much slower than its dofs: the ramp-in takes as long as it needs. Without
 * progress the test ends. */
#include "check.h"

#include <math.h>

#include "hybrid/driven_stand.h"
#include "hybrid/drives/drives.h"
#include "hybrid/simulated_time.h"
#include "hybrid/standstill.h"

static double far, last, fastest; /* m, of the second actuator: its command, and the largest difference */

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    return ifd_virtual_rig.sense(r, out, x);
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->commanded && c->state == IFD_MACHINE_RAMP_IN)
        fastest = fmax(fastest, fabs(c->position[1] - last));
    far = last = c->commanded ? c->position[1] : last;
    ifd_virtual_rig.command(r, c, x);
}

/* 5 mm with 0.1 mm/s: 50 s; the bound is 30 s, a stage of 2 ms at 1/32 of the full rate, ten brakes, settling. */
static const char pair[] =
    "time: {step: 2 ms, end: 0.1 s}\n"
    "model: {dofs: [x], mass: [8 t], damping: [4000]}\n"
    "initial: {displacement: {x: 5 mm}}\n"
    "specimen:\n"
    "  - {name: sway, spring: {at: x, stiffness: 160 kN/m},\n"
    "     limits: {stroke: 0.4 m, velocity: 2 m/s, acceleration: 60 m/s2}}\n"
    "drives:\n"
    "  - name: pair\n"
    "    dofs: [sway]\n"
    "    matrix: [[1], [1]]\n"
    "    actuators:\n"
    "      - {name: left, limits: {stroke: 0.9 m, velocity: 4 m/s, acceleration: 150 m/s2}}\n"
    "      - {name: right, limits: {stroke: 0.9 m, velocity: 0.1 mm/s, acceleration: 150 m/s2}}\n"
    "test: {leave: stay, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.1 s}\n";

static void open_pair(stand *s)
{
    const ifd_case_source source = {.path = "slow.yaml", .text = pair};
    far = last = fastest = 0.0;
    stand_open(s, &source, sense, command);
}

/* Ticks in ramp-in. */
static long ramp_in(stand *s, long most)
{
    long n = 0;
    while (ifd_hybrid_state(s->h) < IFD_MACHINE_RAMP_IN)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
    for (; n < most && ifd_hybrid_state(s->h) == IFD_MACHINE_RAMP_IN; n++)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
    return n;
}

static void a_slow_actuator_has_its_time(void **state)
{
    (void)state;
    stand s;
    open_pair(&s);
    assert_near(s.h->standstill, 30.0 + 32.0 * 1e-3 + 10.0 * 0.1 + 0.05, 1e-9, "bound");
    long n = ramp_in(&s, 60000);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_in_range(n, 50000, 50400);
    assert_near(far, 5e-3, 1e-9, "its end");
    assert_near(column(&s, "right measured"), far, 1e-6, "there");
    assert_near(fastest, 1e-4 * 1e-3, 1e-12, "its velocity");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_STANDSTILL), 0);
    unmake(&s);
}

/* After the planned motion: an actuator at its extension that moves with the noise of load sharing, one that moves to
 * it, one at rest before it. */
static void only_the_way_to_its_extension_is_progress(void **state)
{
    (void)state;
    static const struct {
        double command, step, stands; /* m, m, ticks; 2 mm are requested */
    } rows[] = {{2e-3, 0.0, 6.0},  {2e-3, 1e-7, 6.0},  {2e-3 + 1e-15, -1e-7, 6.0},
                {1e-3, 1e-7, 0.0}, {3e-3, -1e-7, 0.0}, {1e-3, 0.0, 6.0}};
    stand s;
    open_pair(&s);
    (void)ramp_in(&s, 1000);
    const ifd__driven *d = &s.h->drive[0];
    for (int j = 0; j < 2; j++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            *ifd__actuator_of(s.h, d, 1 - j) = (ifd__actuator_state){.command = 2e-3, .requested = 2e-3};
            *ifd__actuator_of(s.h, d, j) =
                (ifd__actuator_state){.command = rows[i].command, .requested = 2e-3, .step = rows[i].step};
            ifd__interface_of(s.h, 0)->step = 0.0;
            ifd__time_of(s.h)->stands = 5.0;
            (void)ifd__standstill_tick(s.h, false, IFD_ACTION_NOTE);
            assert_near(ifd__time_of(s.h)->stands, rows[i].stands, 0.0, "actuator %d, row %d", j, (int)i);
            assert_int_equal(ifd__drives_met(s.h), i < 3);
        }
    unmake(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_actuator_has_its_time),
        cmocka_unit_test(only_the_way_to_its_extension_is_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
