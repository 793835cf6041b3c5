/* SPDX-License-Identifier: MIT */
/* A case whose test is the characterisation of its specimens: two actuators that one specimen couples. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>

#include "record/files.h"

/* Springs k1, k2 to the ground and k12 between: K = [[k1 + k12, -k12], [-k12, k2 + k12]]. */
static const double k1 = 3e5, k2 = 5e5, k12 = 2e5;
static const char text[] =
    "time: {step: 4 ms, end: 1 s}\n"
    "model: {dofs: [a, b], mass: [2 t, 2 t], damping: [900, 900]}\n"
    "specimen:\n"
    "  - name: pair\n"
    "    model:\n"
    "      dofs: [idle]\n" /* a model moves; this one is not attached to anything */
    "      mass: [1 kg]\n"
    "      stiffness: [1e4]\n"
    "      supports: {left: {follows: a}, right: {follows: b}}\n"
    "      elements:\n"
    "        - {spring: {between: [ground, left], stiffness: 3e5 N/m}}\n"
    "        - {spring: {between: [ground, right], stiffness: 5e5 N/m}}\n"
    "        - {spring: {between: [left, right], stiffness: 2e5 N/m}}\n"
    "    estimate: {stiffness: 8e5 N/m}\n"
    "    actuator: {second-order: {frequency: 20 Hz, damping-ratio: 0.7, gain: 0.98}}\n"
    "    limits: {stroke: 50 mm, velocity: 0.5 m/s, acceleration: 20 m/s2, force: 60 kN, tracking: 10 mm}\n"
    "    position-sensor: {noise: 2 um}\n"
    "    force-sensor: {noise: 2 N, seed: 2}\n"
    "  - name: pair2\n"
    "    of: pair\n"
    "    estimate: {stiffness: 8e5 N/m}\n"
    "    actuator: {second-order: {frequency: 15 Hz, damping-ratio: 0.7}}\n"
    "    limits: {stroke: 50 mm, velocity: 0.5 m/s, acceleration: 20 m/s2, force: 60 kN, tracking: 10 mm}\n"
    "    position-sensor: {noise: 2 um, seed: 3}\n"
    "    force-sensor: {noise: 2 N, seed: 4}\n"
    "test: {rig: virtual, characterise: {quiet: 0.2 s, cycle: 1 s, slowest: 1 Hz, periods: 2, stroke-share: 4 %}}\n";

typedef struct lab {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid *h;
    ifd_motion_record record[2];
} lab;

static int column(const ifd_hybrid *h, const char *name, const char *what)
{
    int count;
    char wanted[100];
    const ifd_column *c = ifd_hybrid_columns(h, &count);
    snprintf(wanted, sizeof wanted, "%s %s", name, what);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, wanted) == 0)
            return i;
    fail_msg("no column '%s'", wanted);
    return -1;
}

static void lab_open(lab *l)
{
    ifd_case *c;
    ifd_note note;
    l->arena = ifd_arena_open();
    ifd_note_init(&note, l->arena);
    if (ifd_case_read(l->arena, files_write("pair.yaml", text), 0, NULL, &c, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    assert_int_equal(ifd_case_characterise(l->arena, c, &l->c, &note), IFD_OK);
    assert_null(c->test->protocol); /* the case itself stays what it was */
    assert_int_equal(ifd_hybrid_make(l->arena, l->c->test, &l->h, &note), IFD_OK);
    assert_int_equal(l->c->test->interfaces, 2);
}

static void lab_run(lab *l)
{
    ifd_ticked t = ifd_hybrid_ticked(l->h);
    int state = 0, count, at[2][3];
    double *kept[2][3];
    size_t most = (size_t)lround(l->c->test->end / ifd_hybrid_period(l->h)) + 2;
    for (const ifd_column *c = ifd_hybrid_columns(l->h, &count); strcmp(c[state].name, "state") != 0;)
        state++;
    static const char *const what[] = {"command", "deformation", "force"};
    for (int k = 0; k < 2; k++)
        for (int q = 0; q < 3; q++) {
            at[k][q] = column(l->h, l->c->test->interface[k].name, what[q]);
            kept[k][q] = ifd_arena_array(l->arena, most, sizeof(double));
        }
    long ticks = 0;
    for (long i = 0; i < 1000000 && t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING; i++) {
        const double *v = t.values(t.self);
        if ((ifd_machine)(int)v[state] != IFD_MACHINE_RUN)
            continue;
        for (int k = 0; k < 2; k++)
            for (int q = 0; q < 3; q++)
                kept[k][q][ticks] = v[at[k][q]];
        ticks++;
    }
    assert_int_equal(ifd_hybrid_trip(l->h).trip, IFD_TRIP_NONE);
    for (int k = 0; k < 2; k++)
        l->record[k] = (ifd_motion_record){.ticks = ticks,
                                           .period = ifd_hybrid_period(l->h),
                                           .command = kept[k][0],
                                           .position = kept[k][1],
                                           .force = kept[k][2]};
}

TEST(the_stiffness_matrix_of_coupled_actuators_is_found)
{
    lab l;
    ifd_stiffness_matrix found;
    lab_open(&l);
    lab_run(&l);
    const double truth[] = {k1 + k12, -k12, -k12, k2 + k12}, mass[] = {0.0, 0.0};
    assert_int_equal(ifd_characterise_stiffness(l.arena, l.c->test->protocol, l.record, mass, &found), IFD_OK);
    const double *K = found.K, *error = found.error, symmetry = found.symmetry;
    assert_int_equal(found.n, 2);
    for (int i = 0; i < 4; i++) {
        assert_true(error[i] > 0.0 && error[i] < 2e-3 * k1);
        assert_near(K[i], truth[i], 4.0 * error[i], "number %d of the matrix", i);
    }
    assert_near(symmetry, fabs(K[1] - K[2]) / sqrt(K[0] * K[3]), 1e-12, "of the matrix that was found");
    assert_true(symmetry < 4e-3);
    ifd_hybrid_close(l.h);
    ifd_arena_close(l.arena);
}

TESTS_WITH(files_open, files_close)
