/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Every method of the table reports each accepted step once to elements that remember reversals. */
#include "method/witness.h"

#include "model/model.h"

/* Two masses, forced; the witness is between them. */
static ifd_model *watched(ifd_arena *arena)
{
    ifd_builder *b = chain_builder(arena, 2, 1, 0.2, 30);
    ifd_builder_initial(b, 0, 0, 0.3);
    ifd_builder_initial(b, 1, 0, 0);
    add_witness(b, 0, 1, 10);
    ifd_builder_force(b, 1, signal_of(arena, "sine", "amplitude", 2.0, "frequency", 1.1, NULL));
    return made(arena, b);
}

TEST_IN_ARENA(every_method_accepts_every_step_once)
{
    const long steps = 200;
    ifd_model *m = watched(*state);
    for (int k = 0; k < ifd_method_count; k++) {
        const ifd_method *method = ifd_methods[k];
        ifd_step_options opt = options(method->name, 0.01, NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        double *x = state_of(*state, s);
        const double *memory = x + 2 * m->n;
        assert_near(memory[1], 0, 0, "%s: it has not moved", method->name);
        for (long i = 0; i < steps; i++) {
            advance_steps(s, i, 1, x);
            assert_near(memory[0], x[1] - x[0], 0, "%s: where it was accepted", method->name);
        }
        if (method->offline) /* accepts at reversals, and what it hands out from the last one on */
            assert_near(memory[1], 1, 0, "%s: how often", method->name);
        else
            assert_near(memory[1], (double)steps, 0, "%s: how often", method->name);
    }
}

/* A start at another place is a move that was accepted. */
TEST_IN_ARENA(the_start_is_accepted)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0, 5, 0.2, 0);
    add_witness(b, IFD_GROUND, 0, 3);
    ifd_model *m = made(*state, b);
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_step_options opt = options(ifd_methods[k]->name, 0.01, NULL);
        const double *x = state_of(*state, stepper_of(*state, &opt, m));
        assert_near(x[2], 0.2, 0, "%s", ifd_methods[k]->name);
        assert_near(x[3], 1, 0, "%s", ifd_methods[k]->name);
    }
}

/* A steel brace that yields in every cycle. */
static ifd_model *braced(ifd_arena *arena)
{
    ifd_builder *b = oscillator_builder(arena, 1000, 500, 0, 0, 0);
    add_pair(b, "steel", IFD_GROUND, 0, "stiffness", 2e6, "yield-force", 6e3, "hardening", 0.02, NULL);
    ifd_builder_force(b, 0, signal_of(arena, "sine", "amplitude", 15e3, "frequency", 4.0, NULL));
    return made(arena, b);
}

TEST_IN_ARENA(going_back_forgets_what_came_after)
{
    ifd_model *m = braced(*state);
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_step_options opt = options(ifd_methods[k]->name, 0.002, NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        size_t bytes = sizeof(double) * (size_t)ifd_stepper_size(s);
        double *x = state_of(*state, s), *saved = ifd_arena_take(*state, bytes),
               *once = ifd_arena_take(*state, bytes);
        advance_steps(s, 0, 70, x);
        memcpy(saved, x, bytes);
        advance_steps(s, 70, 50, x);
        memcpy(once, x, bytes);
        memcpy(x, saved, bytes);
        advance_steps(s, 70, 50, x);
        if (ifd_methods[k]->offline) /* its own integrator starts afresh: to its tolerance */
            assert_near(gap_of(2, x, once), 0, 1e-8, "%s", ifd_methods[k]->name);
        else
            assert_memory_equal(x, once, bytes);
    }
}

enum { INSTANTS = 25 };

/* u at INSTANTS instants, 0.02 s apart. */
static void track(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *m, double *u)
{
    ifd_stepper *s = stepper_of(arena, opt, m);
    double *x = state_of(arena, s);
    long each = lround(0.02 / opt->h);
    for (int i = 0; i < INSTANTS; i++) {
        advance_steps(s, i * each, each, x);
        u[i] = x[0];
    }
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

/* Every method comes to the reference, which stops at every reversal. */
TEST_IN_ARENA(every_method_converges_on_steel)
{
    ifd_model *m = braced(*state);
    ifd_step_options opt = options("reference", 0.01, NULL);
    double exact[INSTANTS], u[INSTANTS], zero[INSTANTS] = {0};
    track(*state, &opt, m, exact);
    double peak = gap_of(INSTANTS, exact, zero);
    assert_true(peak > 5 * 6e3 / 2e6); /* far beyond yielding */
    for (int k = 0; k < ifd_method_count; k++) {
        double error[2];
        for (int fine = 0; fine < 2 && !ifd_methods[k]->offline; fine++) {
            opt = options(ifd_methods[k]->name, fine ? 0.00025 : 0.001, NULL);
            track(*state, &opt, m, u);
            error[fine] = gap_of(INSTANTS, u, exact) / peak;
        }
        /* four times finer: 4 and 16 times better, less where a reversal falls inside a step */
        double least = ifd_methods[k]->order == 1 ? 3.0 : 8.0;
        if (!ifd_methods[k]->offline && !(error[0] < 0.1 && error[1] < error[0] / least))
            fail_msg("%s: error %g, four times finer %g", ifd_methods[k]->name, error[0], error[1]);
    }
}

TESTS()
