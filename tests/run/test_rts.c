/* SPDX-License-Identifier: MIT */
/* Coupling `rts` in a run: its record, its energy, its repeatability, and its analyses. */
#include "couple/rts_scenes.h"

#include <interfield/analysis.h>

static ifd_run *run_of(scene *s, double end)
{
    ifd_note note;
    ifd_note_init(&note, s->c->arena);
    ifd_run_options opt = {.couple = &s->c->opt, .end = end};
    ifd_run *r = NULL;
    assert_ok(ifd_run_make(s->c->arena, &opt, &r, &note), &note);
    return r;
}

static int channel(const ifd_run *r, const char *name)
{
    int count;
    const ifd_column *c = ifd_run_columns(r, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return i;
    print_error("no channel '%s'\n", name);
    for (int i = 0; i < count; i++)
        print_error("  '%s'\n", c[i].name);
    fail();
    return -1;
}

static void run_to_end(ifd_run *r)
{
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        ;
    assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
}

static const double m18[] = {2.4e4, 1.5e4, 1.2e4, 1e4, 1e4}, k18[] = {2.4e7, 1.6e7, 1.6e7, 1.6e7, 1.6e7, 1.6e7};
static const double c18[] = {6.959e4, 4.6395e4, 4.6395e4, 2.7837e4, 3.0157e4, 3.0157e4};

/* The whole as its parts make it, against the whole as it was built. */
static void same_whole(ifd_arena *arena, scene *s, const char *what)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_assembly a;
    assert_ok(ifd_couple_assemble(arena, &s->c->opt, &a, &note), &note);
    int n = ifd_model_dofs(s->whole);
    assert_int_equal(ifd_model_dofs(a.model), n);
    ifd_step_options opt = options("mtl", 0.005, (pair[]){{"order", 6, NULL}, {0}});
    double *x = run_to(arena, &opt, a.model, 1), *y = run_to(arena, &opt, s->whole, 1), most = 0;
    for (int i = 0; i < 2 * n; i++)
        most = fmax(most, fabs(y[i]));
    assert_true(most > 1e-4);
    assert_near(gap_of(2 * n, x, y), 0, 1e-10 * most, "%s", what);
}

TEST_IN_ARENA(the_whole_is_assembled_from_linked_parts)
{
    same_whole(*state, two_dof_scene(*state, &figures[0], NULL, 0.01), "two masses");
    same_whole(*state, five_dof_scene(*state, m18, k18, c18, 0.026, 20, 0.01), "building");
    same_whole(*state, pendulum_scene(*state, 0.01), "pendulum");
    const ifd_signal *shake = signal_of(*state, "kanai-tajimi", "seed", 4.0, NULL);
    same_whole(*state, hardening_scene(*state, shake, 0.01), "hardening springs");
}

/* The ground motion acts on a pendulum through the link at its pivot. */
TEST_IN_ARENA(a_pendulum_on_a_link_feels_the_ground)
{
    scene *s = scene_make(*state, 0.005);
    const ifd_signal *shake = signal_of(*state, "sine", "amplitude", 2.0, "frequency", 0.8, NULL);
    ifd_builder *b[3];
    for (int i = 0; i < 3; i++) {
        b[i] = ifd_builder_make(*state);
        ifd_builder_ground(b[i], IFD_DOF_X, shake);
        int pivot = i == 1 ? ifd_builder_support(b[i], "pivot", nothing(*state)) : mass(b[i], "x", 20);
        if (i != 1)
            spring_and_dashpot(b[i], IFD_GROUND, pivot, 900, 5);
        if (i != 0)
            add_element(b[i], "pendulum", 2, (int[]){pivot, ifd_builder_dof(b[i], "th", IFD_DOF_ANGLE)}, "mass", 1.0,
                        "length", 0.6, "damping", 0.05, NULL);
    }
    cut_part(s->c, "mass", made(*state, b[0]), options("exponential", 0.005, NULL), 0);
    cut_part(s->c, "pendulum", made(*state, b[1]), options("mtl", 0.005, NULL), 0);
    scene_link(s, "pivot", 0, 0, 1, 0);
    s->whole = made(*state, b[2]);
    same_whole(*state, s, "pendulum over the ground");
    assert_near(error_norm(s, 5, NULL), 0, 2e-6, "angle and displacement");
    ifd_builder *still = ifd_builder_make(*state);
    add_element(
        still, "pendulum", 2,
        (int[]){ifd_builder_support(still, "pivot", nothing(*state)), ifd_builder_dof(still, "th", IFD_DOF_ANGLE)},
        "mass", 1.0, "length", 0.6, NULL);
    s->c->part[1].model = made(*state, still);
    ifd_run_options opt = {.couple = &s->c->opt, .end = 1};
    ifd_run *r;
    assert_int_equal(ifd_run_make(*state, &opt, &r, NULL), IFD_CONFLICT);
}

TEST_IN_ARENA(the_record_holds_link_forces_and_true_accelerations)
{
    scene *s = two_dof_scene(*state, &figures[0], NULL, 0.005);
    s->link[0].ghost = 0.3; /* must not be seen */
    ifd_run *r = run_of(s, 2);
    run_to_end(r);
    const double *v = ifd_run_values(r);
    double x = v[channel(r, "lower.x displacement")], y = v[channel(r, "upper.y displacement")];
    double xd = v[channel(r, "lower.x velocity")], yd = v[channel(r, "upper.y velocity")];
    double f = v[channel(r, "x force")], u = 0.01 * cos(12), ud = -0.06 * sin(12);
    assert_near(f, 100 * (y - x) + 0.06 * (yd - xd), 1e-12, "force on the leader");
    assert_near(v[channel(r, "lower.x acceleration")], (200 * (u - x) + 0.05 * (ud - xd) + f) / 10, 1e-12, "leader");
    assert_near(v[channel(r, "upper.y acceleration")], -f / 5, 1e-12, "follower");
    ifd_rts_facts facts;
    assert_true(ifd_run_rts(r, &facts));
    assert_int_equal(facts.start_steps, 3);
}

TEST_IN_ARENA(the_energy_balance_closes)
{
    double left[2];
    for (int level = 0; level < 2; level++) {
        scene *s = pendulum_scene(*state, 0.005 / (1 << level));
        scene_extrapolate(s, "reproducing-kernel", 10, 1, 4, 16);
        ifd_run *r = run_of(s, 3);
        run_to_end(r);
        ifd_energy e = ifd_run_energy(r);
        left[level] = fabs(e.numerical) / e.scale;
    }
    assert_true(left[0] < 2e-3);
    assert_near(log2(left[0] / left[1]), 2, 0.2, "the quadrature's: %g, %g", left[0], left[1]);
}

TEST_IN_ARENA(a_restored_run_repeats_itself_bit_for_bit)
{
    for (int exchange = 0; exchange < 3; exchange++) {
        scene *s = five_dof_scene(*state, m18, k18, c18, 0.026, 20, 0.005);
        scene_extrapolate(s, "reproducing-kernel", 8, 3, 3, 16);
        s->rts.exchange = (ifd_rts_exchange)exchange;
        ifd_run *r = run_of(s, 1);
        for (int k = 0; k < 50; k++) /* in the middle of a block */
            ifd_run_tick(r);
        int count;
        double *x = ifd_run_save_area(r, &count);
        size_t bytes = (size_t)count * sizeof *x;
        double *saved = ifd_arena_array(*state, (size_t)count, sizeof *x);
        double *first = ifd_arena_array(*state, (size_t)count, sizeof *x);
        memcpy(saved, x, bytes);
        run_to_end(r);
        memcpy(first, x, bytes);
        memcpy(x, saved, bytes);
        run_to_end(r);
        assert_memory_equal(first, x, bytes);
    }
}

static ifd_stability stability_of(scene *s)
{
    ifd_note note;
    ifd_note_init(&note, s->c->arena);
    ifd_run_options opt = {.couple = &s->c->opt, .end = 1};
    ifd_stability v;
    assert_ok(ifd_stability_find(s->c->arena, &opt, &v, &note), &note);
    return v;
}

/* One period of the recurrence is a block of q steps. */
TEST_IN_ARENA(probing_finds_the_growth_that_a_run_shows)
{
    for (int q = 1; q <= 3; q++)
        for (int stiff = 0; stiff < 2; stiff++) {
            two_dof d = figures[0];
            d.k2 = stiff ? 102400 : 100; /* 143 rad/s: 1.4 in a step */
            d.amplitude = 0;
            scene *s = two_dof_scene(*state, &d, NULL, 0.01);
            scene_extrapolate(s, "lagrange", 5, q, 3, 0);
            ifd_stability v = stability_of(s);
            assert_int_equal(v.stable, !stiff);
            if (!stiff)
                continue;
            ((double *)s->c->part[0].model->v0)[0] = 1; /* set in motion after it was made */
            running r = cut_start(s->c);
            double size[2];
            cut_cycles(&r, 4 + 30 * q);
            for (int k = 0; k < 2; k++) {
                cut_cycles(&r, 20 * q);
                size[k] = hypot(cut_state(&r, 0)[1], 10 * cut_state(&r, 0)[0]) +
                          hypot(cut_state(&r, 1)[1], 10 * cut_state(&r, 1)[0]);
            }
            assert_near(log(size[1] / size[0]) / 20, log(v.radius), 0.1 * log(v.radius), "q = %d, growth of a block",
                        q);
        }
}

TEST_IN_ARENA(a_heavy_follower_is_found_unstable_beyond_the_limit)
{
    for (int above = 0; above < 2; above++) {
        scene *s = scene_make(*state, 0.01);
        ifd_builder *leader = ifd_builder_make(*state), *follower = ifd_builder_make(*state);
        spring_and_dashpot(leader, IFD_GROUND, mass(leader, "x", 2), 150, 1);
        int support = ifd_builder_support(follower, "x", nothing(*state));
        ifd_builder_add(follower, IFD_MASS, support, support, 2 * (above ? 1.1 : 0.9) / 15); /* mu* = 1/15 */
        spring_and_dashpot(follower, support, mass(follower, "y", 0.5), 40, 0.3);
        cut_part(s->c, "leader", made(*state, leader), options("exponential", 0.01, NULL), 0);
        cut_part(s->c, "follower", made(*state, follower), options("exponential", 0.01, NULL), 0);
        scene_link(s, "x", 0, 0, 1, 0);
        assert_int_equal(stability_of(s).stable, !above);
    }
}

TEST_IN_ARENA(convergence_is_measured_against_the_linked_whole)
{
    ifd_note note;
    ifd_note_init(&note, *state);
    scene *s = two_dof_scene(*state, &figures[0], NULL, 0.02);
    ifd_run_options opt = {.couple = &s->c->opt, .end = 2};
    ifd_convergence c;
    assert_ok(ifd_converge(*state, &opt, 3, &c, &note), &note);
    assert_near(c.row[2].order_u, 4, 0.05, "u");
    assert_near(c.row[2].order_v, 4, 0.05, "v");
}

TESTS()
