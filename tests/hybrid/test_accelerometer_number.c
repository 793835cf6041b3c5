/* SPDX-License-Identifier: MIT */
/* An accelerometer without an `input` has the number of its actuator, also behind a drive with more actuators than
 * dofs. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "hybrid/case_stand.h"

#define LIMITS "limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2}"
#define TAKEN_OUT ", mass-on-rig: {mass: 1 t, handled: taken-out}"
#define DRIVE                                                                                                        \
    "drives: [{name: pair, dofs: [one], matrix: [[1], [1]], actuators: [{name: left, " LIMITS                        \
    "}, {name: right, " LIMITS "}]}]\n"

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    return ifd_virtual_rig.sense(r, out, x);
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    ifd_virtual_rig.command(r, c, x);
}

static void open_pair(stand *s, const char *mass, const char *drive)
{
    char text[2048];
    snprintf(text, sizeof text,
             "time: {step: 2 ms, end: 0.5 s}\n"
             "model: {dofs: [a, b], mass: [8 t, 8 t], stiffness: [[2e6, 0], [0, 3e6]]}\n"
             "initial: {displacement: {a: 5 mm, b: 5 mm}}\n"
             "specimen:\n"
             "  - {name: one, spring: {at: a, stiffness: 100 kN/m}, " LIMITS "}\n"
             "  - {name: two, spring: {at: b, stiffness: 100 kN/m}, " LIMITS "%s}\n"
             "%stest: {leave: stay, ramp-in: 0.1 s, settle: 0.02 s}\n",
             mass, drive);
    const ifd_case_source source = {.path = "number.yaml", .text = text};
    stand_open(s, &source, sense, command);
}

/* m, largest difference of specimen 'two' in two tests, and its largest displacement. */
static double apart(stand *s, stand *other, double *size)
{
    double most = *size = 0.0;
    while (s->t.tick(s->t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING) {
        (void)other->t.tick(other->t.self, &(ifd_tick_in){0});
        most = fmax(most, fabs(column(s, "two target") - column(other, "two target")));
        *size = fmax(*size, fabs(column(s, "two target")));
    }
    unmake(s);
    unmake(other);
    return most;
}

TEST(a_drive_before_it_changes_no_acceleration)
{
    stand with, without, unread;
    double size;
    open_pair(&without, TAKEN_OUT, "");
    open_pair(&with, TAKEN_OUT, DRIVE);
    assert_near(apart(&without, &with, &size), 0.0, 1e-12, "on a rig with two or three actuators");
    assert_true(size > 4e-3);
    open_pair(&with, TAKEN_OUT, DRIVE);
    open_pair(&unread, "", DRIVE);
    assert_true(apart(&with, &unread, &size) > 0.01 * size);
}

/* The accelerometer is the last of all auxiliary inputs: those before it do not hide it. */
TEST(a_position_before_it_hides_no_acceleration)
{
    static const char text[] =
        "time: {step: 2 ms, end: 0.5 s}\n"
        "model: {dofs: [a, b], mass: [8 t, 8 t], stiffness: [[2e6, 0], [0, 3e6]]}\n"
        "specimen:\n"
        "  - name: storey\n"
        "    model: {dofs: [s], mass: [1 t], supports: {above: {follows: a}},\n"
        "            elements: [{spring: {between: [ground, s], stiffness: 1 MN/m}}]}\n"
        "    force-command: {on: s, connection: {stiffness: 1 MN/m}, spring: 2 MN/m, error: 5 kN}\n"
        "    estimate: {stiffness: 1 MN/m}\n"
        "    limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2, force: 50 kN}\n"
        "  - {name: two, spring: {at: b, stiffness: 100 kN/m}, " LIMITS TAKEN_OUT "}\n"
        "test: {ramp-in: 0.1 s, settle: 0.02 s}\n";
    const ifd_case_source source = {.path = "hidden.yaml", .text = text};
    stand s;
    stand_open(&s, &source, sense, command);
    for (int i = 0; i < 2000 && ifd_hybrid_state(s.h) < IFD_MACHINE_RUN; i++)
        (void)s.t.tick(s.t.self, &(ifd_tick_in){0});
    play(&s.p, "is run; count.NOT_FINITE = 0");
    unmake(&s);
}

TESTS()
