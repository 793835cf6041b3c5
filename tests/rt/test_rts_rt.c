/* SPDX-License-Identifier: MIT */
/* Substructuring by extrapolation allocates and frees nothing from its first step on: iterative start, blocks,
 * record. */
#include "couple/rts_scenes.h"

#include <interfield/run.h>

#include "alloc_count.h"

static void run_without_memory(scene *s, long steps, const char *what)
{
    ifd_note note;
    ifd_note_init(&note, s->c->arena);
    ifd_run_options opt = {.couple = &s->c->opt, .end = s->c->opt.h * (double)(steps + 10)};
    ifd_run *r = NULL;
    assert_ok(ifd_run_make(s->c->arena, &opt, &r, &note), &note);
    alloc_arm();
    for (long k = 0; k < steps; k++)
        ifd_run_tick(r);
    long calls = alloc_disarm();
    if (calls)
        print_error("%s: %ld calls\n", what, calls);
    assert_int_equal(calls, 0);
    assert_int_equal(alloc_elsewhere(), 0);
    assert_int_equal(ifd_run_step(r), steps);
}

TEST_IN_ARENA(linear_parts_allocate_nothing_in_any_exchange)
{
    for (int exchange = 0; exchange < 3; exchange++) {
        scene *s = two_dof_scene(*state, &figures[0], NULL, 0.01);
        s->rts.exchange = (ifd_rts_exchange)exchange;
        run_without_memory(s, 10000, "two masses");
    }
}

TEST_IN_ARENA(nonlinear_parts_allocate_nothing)
{
    scene *s = pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "reproducing-kernel", 10, 1, 4, 16);
    run_without_memory(s, 3000, "pendulum");
    s = double_pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "lagrange", 10, 3, 2, 0);
    s->link[0].ghost = 0.1;
    run_without_memory(s, 3000, "double pendulum");
}

TEST_IN_ARENA(the_solution_inside_a_step_allocates_nothing)
{
    ifd_model *m = made(*state, chain_builder(*state, 8, 1, 0.4, 60));
    const char *const family[] = {"exponential", "taylor", "exponential-alpha", "mtl"};
    for (size_t k = 0; k < COUNT(family); k++) {
        ifd_step_options opt = options(family[k], 0.02, NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        double *x = state_of(*state, s), u[8], v[8];
        alloc_arm();
        for (long i = 0; i < 1000; i++) {
            ifd_stepper_stage(s, 0, 0.02 * (double)i, NULL, x);
            ifd_stepper_inside(s, 0.3, x, u, v);
        }
        assert_int_equal(alloc_disarm(), 0);
    }
}

TESTS()
