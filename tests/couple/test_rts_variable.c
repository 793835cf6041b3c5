/* SPDX-License-Identifier: MIT */
/* The variable step of substructuring by extrapolation, against cases/rts-variable/variable.py and uniform steps. */
#include "couple/rts_scenes.h"

#include "couple/rts.h"

/* A light upper mass of 100 rad/s, whose first vibration decays within a second. */
static const two_dof fast = {10, 0.1, 200, 1000, 2, 1, 0.01, 6};

static scene *variable_scene(ifd_arena *arena, int ahead, double tolerance, double h)
{
    scene *s = two_dof_scene(arena, &fast, NULL, h);
    scene_extrapolate(s, "lagrange", 4, ahead, 3, 0);
    s->rts.variable = tolerance;
    return s;
}

static ifd_rts_facts facts_after(const running *r)
{
    ifd_rts_facts f;
    ifd__rts_facts(r->c, r->x, &f);
    return f;
}

/* The expected values are printed by variable.py. Its start is the solution of the whole, and its substructures are
 * integrated by Runge-Kutta steps: differences are below 1e-9 m. */
TEST_IN_ARENA(steps_and_response_are_those_of_an_independent_program)
{
    static const struct {
        int ahead;
        long blocks, rejected, exceeded;
        double shortest, x, dx, y, dy;
    } expected[] = {
        {1, 494, 26, 2, 0.0003125, -0.00381839103723, -0.0813026748662, -0.00384138682258, -0.0815453745001},
        {3, 360, 21, 1, 0.000104166666667, -0.00381835629966, -0.0813026103923, -0.00384135199736, -0.0815453081787}};
    for (size_t k = 0; k < COUNT(expected); k++) {
        scene *s = variable_scene(*state, expected[k].ahead, 1e-3, 0.02);
        running r = cut_start(s->c);
        cut_cycles(&r, 150);
        ifd_rts_facts f = facts_after(&r);
        assert_int_equal(f.blocks, expected[k].blocks);
        assert_int_equal(f.rejected, expected[k].rejected);
        assert_int_equal(f.exceeded, expected[k].exceeded);
        assert_near_rel(f.shortest, expected[k].shortest, 1e-11, "shortest step, ahead %d", expected[k].ahead);
        const double *lower = cut_state(&r, 0), *upper = cut_state(&r, 1);
        assert_near(lower[0], expected[k].x, 2e-9, "x, ahead %d", expected[k].ahead);
        assert_near(lower[1], expected[k].dx, 2e-8, "x', ahead %d", expected[k].ahead);
        assert_near(upper[0], expected[k].y, 2e-9, "y, ahead %d", expected[k].ahead);
        assert_near(upper[1], expected[k].dy, 2e-8, "y', ahead %d", expected[k].ahead);
    }
}

/* Within the tolerance every block has the length of the step, and the polynomial is that of equal steps. */
TEST_IN_ARENA(a_large_tolerance_gives_the_uniform_step)
{
    scene *a = variable_scene(*state, 1, 1e9, 0.0025), *b = variable_scene(*state, 1, 0, 0.0025);
    running variable = cut_start(a->c), uniform = cut_start(b->c);
    cut_cycles(&variable, 400);
    cut_cycles(&uniform, 400);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 2; i++)
            assert_near_rel(cut_state(&variable, p)[i], cut_state(&uniform, p)[i], 1e-10, "part %d, %d", p, i);
    ifd_rts_facts f = facts_after(&variable);
    assert_int_equal(f.blocks, 400 - 3);
    assert_int_equal(f.rejected, 0);
    assert_int_equal(facts_after(&uniform).blocks, 0);
}

TEST_IN_ARENA(the_error_follows_the_tolerance)
{
    double uniform = error_norm(variable_scene(*state, 1, 0, 0.02), 3, NULL), before = uniform;
    for (double tolerance = 1e-2; tolerance > 5e-6; tolerance /= 10) {
        scene *s = variable_scene(*state, 1, tolerance, 0.02);
        s->rts.halvings = IFD_RTS_HALVINGS;
        double e = error_norm(s, 3, NULL);
        if (!(e < 0.5 * before))
            assert_near(e, 0, 0.5 * before, "error with a tolerance of %g", tolerance);
        before = e;
    }
    assert_true(before < 1e-3 * uniform);
}

/* A copy of the state in the middle of a run continues with the same bits. */
TEST_IN_ARENA(all_of_the_control_is_in_the_state)
{
    running a = cut_start(variable_scene(*state, 1, 1e-3, 0.02)->c),
            b = cut_start(variable_scene(*state, 1, 1e-3, 0.02)->c);
    cut_cycles(&a, 20);
    memcpy(b.x, a.x, sizeof(double) * (size_t)a.c->size);
    b.cycle = a.cycle;
    cut_cycles(&a, 50);
    cut_cycles(&b, 50);
    assert_memory_equal(a.x, b.x, sizeof(double) * (size_t)a.c->size);
}

static void refused(scene *s, const char *text)
{
    ifd__coupled *c;
    ifd_note note;
    ifd_note_init(&note, s->c->arena);
    assert_int_not_equal(ifd__coupled_make(s->c->arena, &s->c->opt, &c, &note), IFD_OK);
    assert_non_null(strstr(note.last->text, text));
}

TEST_IN_ARENA(what_cannot_vary_is_refused)
{
    scene *s = variable_scene(*state, 1, 1e-3, 0.02);
    s->rts.exchange = IFD_RTS_FORCE;
    refused(s, "equal steps");
    s = variable_scene(*state, 1, 1e-3, 0.02);
    scene_extrapolate(s, "reproducing-kernel", 10, 1, 4, 16);
    refused(s, "extrapolates by lagrange");
    s = variable_scene(*state, 1, 1e-3, 0.02);
    scene_extrapolate(s, "lagrange", 9, 1, 8, 0);
    refused(s, "degree of 0 to 7");
    s = variable_scene(*state, 1, 1e-3, 0.02);
    s->rts.halvings = 11;
    refused(s, "1 to 10 halvings");
    s = variable_scene(*state, 1, -1, 0.02);
    refused(s, "positive tolerance");
}

TESTS()
