/* SPDX-License-Identifier: MIT */
/* ctest: begins 32 of the first */
/* Substructuring by extrapolation: the numbers of Sajeeb, Roy and Manohar (2007), and what decides about them. */
#include "couple/rts_scenes.h"

#include "couple/rts.h"

static ifd_rts_facts facts_of(const running *r)
{
    ifd_rts_facts f;
    ifd__rts_facts(r->c, r->x, &f);
    return f;
}

static double last_order(ifd_arena *arena, ifd_rts_exchange exchange, int past, double h)
{
    double e[2];
    for (int level = 0; level < 2; level++) {
        scene *s = two_dof_scene(arena, &figures[0], NULL, h / (1 << level));
        scene_extrapolate(s, "lagrange", past, 1, past - 1, 0);
        s->rts.exchange = exchange;
        e[level] = error_norm(s, 4, NULL);
    }
    return log2(e[0] / e[1]);
}

TEST_IN_ARENA(four_past_forces_give_fourth_order)
{
    assert_near(last_order(*state, IFD_RTS_MOTION, 4, 0.02), 4, 0.05, "motion");
    assert_near(last_order(*state, IFD_RTS_FORCE, 4, 0.02), 4, 0.05, "force");
    assert_near(last_order(*state, IFD_RTS_EFFECTIVE, 4, 0.02), 4, 0.05, "effective force");
}

TEST_IN_ARENA(the_order_is_the_number_of_past_forces)
{
    for (int past = 1; past <= 3; past++)
        assert_near(last_order(*state, IFD_RTS_MOTION, past, 0.005), past, 0.05, "past %d", past);
}

/* h = 0.01, p = 4, from rest, the first 10 s: figures 9 to 13. */
TEST_IN_ARENA(two_masses_stay_within_the_papers_error)
{
    for (size_t k = 0; k < COUNT(figures); k++)
        for (int exchange = 0; exchange < 2; exchange++) {
            scene *s = two_dof_scene(*state, &figures[k], NULL, 0.01);
            s->rts.exchange = (ifd_rts_exchange)exchange;
            double e = error_norm(s, 10, NULL);
            if (!(e < 2e-4))
                assert_near(e, 0, 2e-4, "figure %d, exchange %d", 9 + (int)k, exchange);
        }
}

/* A sample of the white noise of figures 14 and 15 on the support, as a spline through its displacement. */
TEST_IN_ARENA(two_masses_under_random_support_motion_follow_the_whole)
{
    enum { SAMPLES = 1601 };
    double *u = ifd_arena_array(*state, SAMPLES, sizeof *u), v = 0, dt = 1.0 / 80, peak = 0;
    const ifd_signal *noise = signal_of(*state, "noise", "sigma", 0.981, "max-frequency", 30.0, "seed", 3.0, NULL);
    const ifd_signal *motion;
    for (int i = 1; i < SAMPLES; i++) {
        double a[2][3];
        ifd_signal_eval(noise, (i - 1) * dt, a[0]);
        ifd_signal_eval(noise, i * dt, a[1]);
        u[i] = u[i - 1] + dt * v + dt * dt * (a[0][0] / 3 + a[1][0] / 6);
        v += 0.5 * dt * (a[0][0] + a[1][0]);
        peak = fmax(peak, fabs(u[i]));
    }
    assert_true(peak > 0.005);
    ifd_samples samples = {.count = SAMPLES, .value = u, .dt = dt};
    assert_int_equal(ifd_signal_make_table(*state, &samples, IFD_INTERPOLATE_SPLINE, &motion, NULL), IFD_OK);
    const two_dof *pair_of[] = {&figures[0], &figures[4]};
    for (size_t k = 0; k < COUNT(pair_of); k++) {
        scene *s = two_dof_scene(*state, pair_of[k], motion, 0.0125 / 2);
        double e = error_norm(s, 20, NULL);
        if (!(e < 2e-4))
            assert_near(e, 0, 2e-4, "figure %d", 14 + (int)k);
    }
}

static const double m17[] = {2e4, 1.5e4, 1.2e4, 3e3, 2.5e3}, k17[] = {2.4e7, 1.6e7, 1.6e7, 9.6e6, 1.04e7, 1.04e7};
static const double m18[] = {2.4e4, 1.5e4, 1.2e4, 1e4, 1e4}, k18[] = {2.4e7, 1.6e7, 1.6e7, 1.6e7, 1.6e7, 1.6e7};
static const double c17[] = {6.959e4, 4.6395e4, 4.6395e4, 2.7837e4, 3.0157e4, 3.0157e4};

/* A subsystem between two floors and one on the third: figures 17 and 18, h = 2.5 ms. */
TEST_IN_ARENA(a_building_with_two_subsystems_stays_within_the_papers_error)
{
    for (int exchange = 0; exchange < 3; exchange++) {
        scene *a = five_dof_scene(*state, m17, k17, c17, 0.026, 35, 0.0025);
        scene *b = five_dof_scene(*state, m18, k18, c17, 0.026, 20, 0.0025);
        a->rts.exchange = b->rts.exchange = (ifd_rts_exchange)exchange;
        double e[] = {error_norm(a, 10, NULL), error_norm(b, 10, NULL)};
        for (int k = 0; k < 2; k++)
            if (!(e[k] < 2e-4))
                assert_near(e[k], 0, 2e-4, "figure %d, exchange %d", 17 + k, exchange);
    }
}

/* At the paper's h = 10 ms the subsystem of figure 17, 83 rad/s, turns by 0.83 in a step: a
 * cubic does not reach that far. */
TEST_IN_ARENA(the_papers_step_is_too_long_for_the_building)
{
    double e = error_norm(five_dof_scene(*state, m17, k17, c17, 0.026, 35, 0.01), 10, NULL);
    assert_near(e, 0.0218, 1e-4, "figure 17");
}

TEST_IN_ARENA(the_effective_force_is_the_imposed_motion_seen_from_the_floor)
{
    scene *a = five_dof_scene(*state, m18, k18, c17, 0.026, 20, 0.005);
    running r = cut_run(a->c, 2);
    double motion[4] = {cut_state(&r, 1)[0], cut_state(&r, 1)[1], cut_state(&r, 2)[0], cut_state(&r, 2)[1]};
    a->rts.exchange = IFD_RTS_EFFECTIVE;
    r = cut_run(a->c, 2);
    double effective[4] = {cut_state(&r, 1)[0], cut_state(&r, 1)[1], cut_state(&r, 2)[0], cut_state(&r, 2)[1]};
    /* Both integrate a polynomial in place of the force: of k u + c u', and of m u''. */
    assert_near(gap_of(4, motion, effective), 0, 2e-7, "states of the followers");
}

/* Errors of both velocities after some passes over the first step, of length h. */
static void first_step(ifd_arena *arena, double c2, int passes, double h, double error[2])
{
    two_dof d = figures[0];
    d.amplitude = 0;
    d.c2 = c2;
    scene *s = two_dof_scene(arena, &d, NULL, h);
    double *v0[] = {(double *)s->c->part[0].model->v0,
                    (double *)s->whole->v0}; /* set in motion after they were made */
    *v0[0] = *v0[1] = 1;
    s->rts.iterations = passes;
    s->rts.start_grid = 8;
    s->rts.tolerance = 1e-300;
    running r = cut_start(s->c);
    cut_cycles(&r, 1);
    ifd_step_options exact = options("reference", h, NULL);
    double *y = run_to(arena, &exact, s->whole, h);
    error[0] = fabs(cut_state(&r, 0)[1] - y[2]);
    error[1] = fabs(cut_state(&r, 1)[1] - y[3]);
}

/* The force holds the leader's own displacement, which is an order better than its velocity: each pass gains two
 * orders, as the paper estimates for forces that depend on the follower alone (eq. 22, figure 9d). */
TEST_IN_ARENA(each_pass_of_the_start_gains_two_orders_across_a_spring)
{
    const double h[] = {0.02, 0.1};
    for (int passes = 1; passes <= 2; passes++) {
        double e[2][2];
        for (int level = 0; level < 2; level++)
            first_step(*state, 0, passes, h[passes - 1] / (1 << level), e[level]);
        assert_near(log2(e[0][0] / e[1][0]), 2 * passes, 0.1, "leader, %d passes", passes);
        assert_near(log2(e[0][1] / e[1][1]), 2 * passes + 2, 0.1, "follower, %d passes", passes);
    }
}

/* A dashpot hands the leader's own velocity back, with its error: one order per pass. */
TEST_IN_ARENA(each_pass_of_the_start_gains_one_order_across_a_dashpot)
{
    const double h[] = {0.002, 0.004, 0.008};
    for (int passes = 1; passes <= 3; passes++) {
        double e[2][2];
        for (int level = 0; level < 2; level++)
            first_step(*state, 20, passes, h[passes - 1] / (1 << level), e[level]);
        assert_near(log2(e[0][0] / e[1][0]), passes + 1, 0.1, "leader, %d passes", passes);
        assert_near(log2(e[0][1] / e[1][1]), passes + 2, 0.1, "follower, %d passes", passes);
    }
}

TEST_IN_ARENA(the_start_says_how_often_it_iterated)
{
    scene *s = two_dof_scene(*state, &figures[0], NULL, 0.01);
    running r = cut_start(s->c);
    cut_cycles(&r, 20);
    ifd_rts_facts f = facts_of(&r);
    assert_int_equal(f.start_steps, 3);
    assert_in_range(f.most_iterations, 2, 6);
    assert_in_range(f.iterations, 6, 18);
    assert_int_equal((int)r.x[r.c->fault], IFD_STEP_OK);
    s->rts.iterations = 1;
    r = cut_start(s->c);
    cut_cycles(&r, 1);
    assert_int_equal((int)r.x[r.c->fault], IFD_STEP_ITERATIONS);
}

/* p = 10, h = 0.01, start of nine steps, the first 10 s: figure 21. */
TEST_IN_ARENA(the_spring_mass_pendulum_beats_the_papers_errors)
{
    scene *s = pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "reproducing-kernel", 10, 3, 4, 16);
    double kernel = error_norm(s, 10, NULL);
    assert_near(kernel, 0.00665, 1e-4, "reproducing kernel; the paper has 0.0425");
    scene_extrapolate(s, "lagrange", 10, 3, 3, 0);
    double lagrange = error_norm(s, 10, NULL);
    assert_near(lagrange, 0.0198, 1e-4, "Lagrange; the paper has 0.0934");
    scene_extrapolate(s, "reproducing-kernel", 10, 1, 4, 16);
    double one = error_norm(s, 10, NULL);
    assert_true(one < 1e-3);
}

/* The pendulum's mu reaches 0.25, above the limit of both: blocks that fall elsewhere end elsewhere. */
TEST_IN_ARENA(one_step_more_of_start_makes_lagrange_five_times_worse)
{
    scene *s = pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "lagrange", 10, 3, 3, 0);
    s->rts.start_steps = 10;
    assert_near(error_norm(s, 10, NULL), 0.105, 1e-3, "ten steps");
    running r = cut_start(s->c);
    ifd_rts_facts f = facts_of(&r);
    assert_near(f.added_mass, 0.25, 1e-9, "mu: (m/M) sin^2 60 deg");
    assert_near(f.added_mass_limit, 0.0649842, 5e-8, "mu*");
    assert_true(f.radius > 2);
}

/* A ghost near the middle of what the pendulum's inertia does, 0 to m sin^2 60 deg. */
TEST_IN_ARENA(a_ghost_mass_keeps_the_pendulum_where_it_diverged)
{
    scene *s = pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "lagrange", 10, 2, 3, 0);
    assert_true(isnan(error_norm(s, 10, NULL)));
    s->link[0].ghost = 1.5;
    double e = error_norm(s, 10, NULL);
    assert_true(e < 0.0934); /* the paper's, without a ghost */
    scene_extrapolate(s, "lagrange", 10, 3, 3, 0);
    assert_near(error_norm(s, 10, NULL), 0.00188, 2e-5, "three steps ahead, a tenth of what it was");
}

TEST_IN_ARENA(hardening_springs_are_followed_up_to_three_steps_ahead)
{
    const ifd_signal *shake = signal_of(*state, "kanai-tajimi", "seed", 4.0, "peak", 1.25, NULL);
    static const double most[] = {2e-4, 6e-4, 1.5e-3};
    for (int q = 1; q <= 3; q++)
        for (int kernel = 0; kernel < 2; kernel++) {
            scene *s = hardening_scene(*state, shake, 0.01);
            if (kernel)
                scene_extrapolate(s, "reproducing-kernel", 10, q, 4, 16);
            else
                scene_extrapolate(s, "lagrange", 10, q, 3, 0);
            double e = error_norm(s, 15, NULL);
            if (!(e < most[q - 1]))
                assert_near(e, 0, most[q - 1], "%s, q = %d", s->rts.extrapolate.extrapolator->name, q);
        }
}

TEST_IN_ARENA(the_double_pendulum_is_accurate_one_step_ahead)
{
    scene *s = double_pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "reproducing-kernel", 10, 1, 4, 16);
    assert_near(error_norm(s, 10, NULL), 0.00355, 1e-4, "reproducing kernel");
}

/* The largest angle of a run of the double pendulum; 30 degrees at the start. */
static double largest_angle(scene *s, double end)
{
    running r = cut_start(s->c);
    double most = 0;
    for (long k = 0; k < lround(end / s->c->opt.h); k++) {
        cut_cycles(&r, 1);
        for (int p = 0; p < 2; p++) {
            double angle = fabs(cut_state(&r, p)[0]);
            most = angle > most || isnan(angle) ? angle : most;
        }
    }
    return most;
}

/* Lagrange of degree 2 with q = 3 tolerates any mass below that of the leader: it stays bounded
 * for a minute, though not exact. */
TEST_IN_ARENA(the_double_pendulum_three_steps_ahead_needs_a_low_degree)
{
    scene *s = double_pendulum_scene(*state, 0.01);
    scene_extrapolate(s, "reproducing-kernel", 10, 3, 4, 16);
    assert_false(largest_angle(s, 2) < 3); /* diverges */
    scene_extrapolate(s, "lagrange", 10, 3, 2, 0);
    double angle = largest_angle(s, 60);
    if (!(angle < 0.9))
        assert_near(angle, 0, 0.9, "largest angle");
}

/* A mass on the support itself, a spring and a mass above it: mu is known. */
static scene *heavy_follower(ifd_arena *arena, double mu, double h)
{
    scene *s = scene_make(arena, h);
    ifd_builder *b[3];
    const ifd_signal *force = signal_of(arena, "sine", "amplitude", 3.0, "frequency", 0.7, NULL);
    for (int i = 0; i < 3; i++) {
        b[i] = ifd_builder_make(arena);
        int x = i == 1 ? ifd_builder_support(b[i], "x", nothing(arena)) : mass(b[i], "x", 2);
        if (i != 1) {
            ifd_builder_spring(b[i], IFD_STIFFNESS, IFD_GROUND, x, 150);
            ifd_builder_spring(b[i], IFD_DAMPING, IFD_GROUND, x, 1);
            ifd_builder_force(b[i], x, force);
        }
        if (i != 0) {
            ifd_builder_add(b[i], IFD_MASS, x, x, 2 * mu);
            spring_and_dashpot(b[i], x, mass(b[i], "y", 0.5), 40, 0.3);
        }
    }
    cut_part(s->c, "light", made(arena, b[0]), options("exponential", h, NULL), 0);
    cut_part(s->c, "heavy", made(arena, b[1]), options("exponential", h, NULL), 0);
    scene_link(s, "x", 0, 0, 1, 0);
    s->whole = made(arena, b[2]);
    return s;
}

TEST_IN_ARENA(the_added_mass_limit_decides_about_an_inertial_follower)
{
    const struct {
        const char *name;
        int past, ahead;
        double degree, dilation;
    } by[] = {{"lagrange", 4, 1, 3, 0}, {"lagrange", 10, 3, 3, 0}, {"reproducing-kernel", 10, 3, 4, 16}};
    for (size_t k = 0; k < COUNT(by); k++) {
        scene *s = heavy_follower(*state, 0.01, 0.01);
        scene_extrapolate(s, by[k].name, by[k].past, by[k].ahead, by[k].degree, by[k].dilation);
        running r = cut_start(s->c);
        double limit = facts_of(&r).added_mass_limit;
        for (int above = 0; above < 2; above++) {
            s = heavy_follower(*state, (above ? 1.2 : 0.9) * limit, 0.01);
            scene_extrapolate(s, by[k].name, by[k].past, by[k].ahead, by[k].degree, by[k].dilation);
            double e = error_norm(s, 8, NULL);
            if (above ? e < 1 : !(e < 1e-4))
                assert_near(e, 0, 0, "%s, p %d, q %d, %s the limit", by[k].name, by[k].past, by[k].ahead,
                            above ? "above" : "below");
        }
    }
}

/* Its limit is 1, but the roots there are repeated: what springs and damping add splits them, and it takes less. */
TEST_IN_ARENA(a_low_degree_stands_most_of_the_leaders_mass)
{
    for (int q = 2; q <= 3; q++) {
        scene *s = heavy_follower(*state, 0.75, 0.01);
        scene_extrapolate(s, "lagrange", q, q, q - 1, 0);
        double e = error_norm(s, 8, NULL);
        if (!(e < 5e-3))
            assert_near(e, 0, 5e-3, "q = %d", q);
    }
}

TEST_IN_ARENA(a_ghost_of_the_followers_mass_removes_the_limit)
{
    scene *s = heavy_follower(*state, 0.8, 0.01);
    assert_false(error_norm(s, 8, NULL) < 1);
    s->link[0].ghost = 1.6;
    double e = error_norm(s, 8, NULL);
    if (!(e < 1e-4))
        assert_near(e, 0, 1e-4, "ghost of the follower's mass");
    running r = cut_start(s->c);
    assert_near(facts_of(&r).added_mass, 0, 1e-12, "what is left of mu");
}

TEST_IN_ARENA(an_inertial_follower_beyond_the_limit_is_remarked_on)
{
    for (int heavy = 0; heavy < 2; heavy++) {
        ifd_note note;
        ifd_note_init(&note, *state);
        scene *s = heavy_follower(*state, heavy ? 0.5 : 0.01, 0.01);
        s->rts.duration[0] = 0.001;
        s->rts.duration[1] = heavy ? 0.008 : 0.004;
        s->rts.duration[2] = 0.003;
        ifd__coupled *c;
        assert_ok(ifd__coupled_make(*state, &s->c->opt, &c, &note), &note);
        int remarks = 0;
        for (const ifd_finding *f = note.remark_first; f; f = f->next)
            remarks++;
        assert_int_equal(remarks, heavy ? 2 : 0); /* the mass, and the time */
        double *x = ifd_arena_array(*state, (size_t)c->size, sizeof *x);
        ifd_rts_facts facts;
        ifd__rts_facts(c, x, &facts);
        assert_near(facts.spare, heavy ? -0.002 : 0.002, 1e-15, "what the step leaves");
    }
}

/* Three parts in a row, the middle one following and leading; and one that follows two. */
TEST_IN_ARENA(parts_may_follow_and_lead_in_any_arrangement)
{
    double h = 0.005;
    scene *s = scene_make(*state, h);
    ifd_builder *b[5];
    for (int i = 0; i < 5; i++)
        b[i] = ifd_builder_make(*state);
    const char *name[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        mass(b[i], name[i], 4 - 0.8 * i);
        mass(b[4], name[i], 4 - 0.8 * i);
    }
    spring_and_dashpot(b[0], IFD_GROUND, 0, 600, 2);
    spring_and_dashpot(b[4], IFD_GROUND, 0, 600, 2);
    for (int i = 1; i < 4; i++) {
        spring_and_dashpot(b[i], ifd_builder_support(b[i], "below", nothing(*state)), 0, 100 + 40 * i, 0.5);
        spring_and_dashpot(b[4], i - 1, i, 100 + 40 * i, 0.5);
    }
    spring_and_dashpot(b[3], ifd_builder_support(b[3], "far", nothing(*state)), 0, 70, 0.4);
    spring_and_dashpot(b[4], 0, 3, 70, 0.4);
    ifd_builder_initial(b[0], 0, 0.1, 0);
    ifd_builder_initial(b[4], 0, 0.1, 0);
    ifd_builder_initial(b[3], 0, 0, 0.5);
    ifd_builder_initial(b[4], 3, 0, 0.5);
    for (int i = 0; i < 4; i++)
        cut_part(s->c, name[i], made(*state, b[i]), options(i % 2 ? "mtl" : "exponential", h, NULL), i == 2 ? 2 : 0);
    scene_link(s, "ab", 0, 0, 1, 0);
    scene_link(s, "bc", 1, 0, 2, 0);
    scene_link(s, "cd", 2, 0, 3, 0);
    scene_link(s, "ad", 0, 0, 3, 1);
    s->whole = made(*state, b[4]);
    double e = error_norm(s, 10, NULL);
    if (!(e < 1e-4))
        assert_near(e, 0, 1e-4, "four parts");
}

TEST_IN_ARENA(what_cannot_be_linked_is_refused)
{
    static const struct {
        ifd_rts_link link;
        ifd_status code;
    } bad[] = {
        {{.name = "l", .leader = 2, .follower = 1}, IFD_UNKNOWN_NAME},
        {{.name = "l", .leader = 0, .dof = 1, .follower = 1}, IFD_UNKNOWN_NAME},
        {{.name = "l", .leader = 0, .follower = 1, .support = 1}, IFD_UNKNOWN_NAME},
        {{.name = "l", .leader = 1, .follower = 0}, IFD_CONFLICT},
        {{.name = "l", .leader = 0, .follower = 1, .ghost = -1}, IFD_RANGE},
    };
    for (size_t k = 0; k < COUNT(bad); k++) {
        scene *s = two_dof_scene(*state, &figures[0], NULL, 0.01);
        ifd__coupled *c;
        s->link[0] = bad[k].link;
        assert_int_equal(ifd__coupled_make(*state, &s->c->opt, &c, NULL), bad[k].code);
    }
    scene *s = two_dof_scene(*state, &figures[0], NULL, 0.01);
    ifd__coupled *c;
    s->rts.start_steps = 2;
    assert_int_equal(ifd__coupled_make(*state, &s->c->opt, &c, NULL), IFD_RANGE);
    s->rts.start_steps = 0;
    s->link[s->rts.links++] = s->link[0];
    assert_int_equal(ifd__coupled_make(*state, &s->c->opt, &c, NULL), IFD_CONFLICT);
    s->rts.links = 0;
    assert_int_equal(ifd__coupled_make(*state, &s->c->opt, &c, NULL), IFD_RANGE);
    s = two_dof_scene(*state, &figures[0], NULL, 0.01);
    s->c->part[1].step = options("lsrt2", 0.01, NULL);
    assert_int_equal(ifd__coupled_make(*state, &s->c->opt, &c, NULL), IFD_UNSUPPORTED);
    s = pendulum_scene(*state, 0.01);
    s->rts.exchange = IFD_RTS_EFFECTIVE;
    assert_int_equal(ifd__coupled_make(*state, &s->c->opt, &c, NULL), IFD_UNSUPPORTED);
}

TESTS()
