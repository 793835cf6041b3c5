/* SPDX-License-Identifier: MIT */
/* No method allocates or frees memory while it steps: hundreds of steps, several periods, on a model with every kind
 * of element, small and large enough for both corrections of a factor, and on a linear one. */
#include "method/fixtures.h"

#include <interfield/case.h>
#include <interfield/structures.h>

#include "alloc_count.h"
#include "model/build/builder.h"
#include "model/model.h"

typedef struct spec {
    const char *method;
    pair set[4];
} spec;

/* In addition to every row of the table with its presets. */
static const spec specs[] = {
    {"lsrt2", {{"gamma", 0, "plus"}, {"jacobian", 0, "frozen"}}},
    {"lsrt2", {{"jacobian", 0, "bounded"}, {"tangent-cap", 3, NULL}}},
    {"lsrt2", {{"jacobian", 0, "refactor"}}},
    {"mg-alpha", {{"solve", 0, "newton"}}},
    {"mtl", {{"order", 3, NULL}}},
};

/* For models whose factor is made once. */
static const spec rounded[] = {
    {"lsrt1", {{"factor", 0, "single"}}},
    {"lsrt2", {{"factor", 0, "single"}, {"jacobian", 0, "bounded"}, {"tangent-cap", 3, NULL}}},
};

static void step_one(ifd_arena *arena, const ifd_model *m, const ifd_step_options *opt, long steps)
{
    ifd_stepper *s = stepper_of(arena, opt, m);
    double *x = state_of(arena, s), u[128], v[128], load[128] = {0};
    assert_true(ifd_model_dofs(m) <= 128);
    alloc_arm();
    ifd_stepper_initial(s, x);
    ifd_stepper_start(s, 0, NULL, x);
    for (long i = 0; i < steps; i++)
        for (int j = 0; j < ifd_stepper_stages(s); j++) {
            ifd_stepper_aim(s, j, opt->h * (double)i, x, u, v);
            ifd_stepper_stage(s, j, opt->h * (double)i, load, x);
        }
    long calls = alloc_disarm();
    if (calls)
        print_error("%s: %ld calls\n", opt->method->name, calls);
    assert_int_equal(calls, 0);
    for (int i = 0; i < 2 * ifd_model_dofs(m); i++)
        assert_true(isfinite(x[i]));
}

static void step_without_memory(ifd_arena *arena, const ifd_model *m, double h, long steps)
{
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_step_options opt = options(ifd_methods[k]->name, h, NULL);
        if (!ifd_methods[k]->offline)
            step_one(arena, m, &opt, steps);
    }
    for (size_t k = 0; k < COUNT(specs); k++) {
        ifd_step_options opt = options(specs[k].method, h, specs[k].set);
        step_one(arena, m, &opt, steps);
    }
    for (size_t k = 0; k < COUNT(rounded) && ifd_model_dofs(m) > 64; k++) {
        ifd_step_options opt = options(rounded[k].method, h, rounded[k].set);
        step_one(arena, m, &opt, steps);
    }
    assert_int_equal(alloc_elsewhere(), 0);
}

/* The linear kinds are assembled; all others must appear. */
TEST_IN_ARENA(the_model_holds_every_kind_of_element)
{
    ifd_model *m = made(*state, catalogue_builder(*state, 5));
    for (int k = 0; k < ifd_element_count; k++) {
        bool found = ifd_elements[k]->flags & IFD_ELEMENT_LINEAR;
        for (int e = 0; e < ifd_model_elements(m); e++)
            found = found || ifd_model_element(m, e)->ops == ifd_elements[k];
        if (!found)
            print_error("no %s in the model\n", ifd_elements[k]->name);
        assert_true(found);
    }
}

TEST_IN_ARENA(no_method_allocates_with_every_element)
{
    step_without_memory(*state, made(*state, catalogue_builder(*state, 5)), 0.002, 1000);
}

TEST_IN_ARENA(no_method_allocates_when_a_large_factor_is_corrected)
{
    step_without_memory(*state, made(*state, catalogue_builder(*state, 70)), 0.002, 200);
}

TEST_IN_ARENA(no_method_allocates_on_a_linear_model)
{
    ifd_builder *b = chain_builder(*state, 100, 1, 0.5, 80);
    ifd_builder_rayleigh(b, 0.1, 0.001);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(*state, "kanai-tajimi", NULL));
    step_without_memory(*state, made(*state, b), 0.01, 2000);
}

/* A cantilever of elastic members that turn, moved sideways. */
static const ifd_model *cantilever(ifd_arena *arena, int members)
{
    ifd_frame f;
    ifd_builder *b = ifd_builder_make(arena);
    ifd_frame_node *node = ifd_arena_array(arena, (size_t)members + 1, sizeof *node);
    ifd_frame_member *member = ifd_arena_array(arena, (size_t)members, sizeof *member);
    ifd_frame_defaults(&f);
    f.lumped = f.large = true;
    f.nodes = members + 1;
    f.members = members;
    f.supports = 1;
    f.node = node;
    f.member = member;
    f.support = &(ifd_frame_support){0, IFD_FIX_ALL};
    for (int i = 0; i <= members; i++)
        node[i] = (ifd_frame_node){ifd_arena_print(arena, "n%d", i), 0.5 * i, 0, 0};
    for (int i = 0; i < members; i++) {
        ifd_frame_member_defaults(&member[i]);
        member[i].from = i;
        member[i].to = i + 1;
    }
    b->stay = true;
    assert_int_equal(ifd_builder_frame(b, &f, NULL), IFD_OK);
    ifd_builder_ground(b, IFD_DOF_Y, signal_of(arena, "kanai-tajimi", NULL));
    return made(arena, b);
}

/* Elastic members, with the matrix in full and with its factor, and one of fibres. */
TEST_IN_ARENA(a_frame_that_turns_allocates_nothing)
{
    static const char *const set[] = {"model.frame.geometry=large", "model.frame.mass=lumped"};
    static const pair anew[] = {{"jacobian", 0, "refactor"}, {0}};
    ifd_case *c;
    assert_int_equal(ifd_case_read(*state, IFD_SOURCE_DIR "/cases/rc-frame/column.yaml", 2, set, &c, NULL), IFD_OK);
    const ifd_model *m[] = {cantilever(*state, 8), cantilever(*state, 30), c->run.model};
    for (size_t k = 0; k < COUNT(m); k++)
        for (int i = 0; i < 3; i++) {
            ifd_step_options opt = options(i == 1 ? "lsrt1" : "lsrt2", 0.001, i == 2 || m[k]->n > 64 ? anew : NULL);
            step_one(*state, m[k], &opt, 1000);
        }
    assert_int_equal(alloc_elsewhere(), 0);
}

TESTS()
