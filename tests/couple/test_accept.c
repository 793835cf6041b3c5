/* SPDX-License-Identifier: MIT */
/* In every coupling that takes elements, each step and subcycle of a part is accepted once. */
#include "method/witness.h"

#include "couple/rts_scenes.h"

/* A mass of 1 with k = 40, half of it each; the elements are in the fine part. */
static cut *split(ifd_arena *arena, const char *coupling, const char *method, double h, int ss)
{
    const ifd_step_options step = options(method, h, NULL);
    ifd_builder *b = oscillator_builder(arena, 0.5, 0.1, 10, 0, 0.4);
    add_witness(b, IFD_GROUND, 0, 10);
    ifd_builder_force(b, 0, signal_of(arena, "sine", "amplitude", 2.0, "frequency", 0.8, NULL));
    cut *c = cut_make(arena, coupling, h);
    cut_part(c, "A", oscillator(arena, 0.5, 0.1, 20, 0, 0.4), step, 1);
    cut_part(c, "B", made(arena, b), step, ss);
    c->part[0].coarse = true;
    cut_joint(c, "middle", 0, 0, 1, 0);
    return c;
}

static const struct {
    const char *coupling, *method;
} rows[] = {{"staggered", "lsrt1"}, {"staggered", "lsrt2"}, {"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"}};

TEST_IN_ARENA(every_subcycle_is_accepted_once)
{
    const int cycles = 50, sss[] = {1, 2, 10};
    for (size_t k = 0; k < COUNT(rows); k++)
        for (size_t i = 0; i < COUNT(sss); i++) {
            running r = cut_start(split(*state, rows[k].coupling, rows[k].method, 0.01, sss[i]));
            const double *y = cut_state(&r, 1);
            int start = strcmp(rows[k].coupling, "parallel") == 0 ? 2 : 0; /* cycles of one step */
            for (int j = 0; j < cycles; j++) {
                cut_cycles(&r, 1);
                assert_near(y[2], y[0], 0, "%s %s, %d: where", rows[k].coupling, rows[k].method, sss[i]);
            }
            assert_near(y[3], (cycles - start) * sss[i] + start, 0, "%s %s, %d: how often", rows[k].coupling,
                        rows[k].method, sss[i]);
        }
}

TEST_IN_ARENA(followers_and_their_iterated_start_are_accepted)
{
    const double h = 0.01;
    const int cycles = 30;
    scene *s = scene_make(*state, h);
    ifd_builder *lower = ifd_builder_make(*state), *upper = ifd_builder_make(*state);
    const ifd_signal *motion = signal_of(*state, "sine", "amplitude", 0.01, "frequency", 1.0, NULL);
    int x = mass(lower, "x", 10), y = mass(upper, "y", 1);
    spring_and_dashpot(lower, ifd_builder_support(lower, "u", motion), x, 800, 2);
    int support = ifd_builder_support(upper, "x", nothing(*state));
    spring_and_dashpot(upper, support, y, 60, 0.5);
    add_witness(upper, support, y, 40);
    cut_part(s->c, "lower", made(*state, lower), options("exponential", h, NULL), 0);
    cut_part(s->c, "upper", made(*state, upper), options("exponential", h, NULL), 2);
    scene_link(s, "x", 0, 0, 1, 0);
    running r = cut_run(s->c, cycles * h);
    const double *a = cut_state(&r, 0), *b = cut_state(&r, 1);
    assert_near(b[2], b[0] - a[0], 1e-15, "where: the deformation between follower and leader");
    assert_near(b[3], 3 * 4 + 2 * (cycles - 3), 0, "how often: three steps of the start in four parts each");
}

enum { INSTANTS = 25 };

/* Steel in the fine part against the reference of the whole, at 25 instants. */
TEST_IN_ARENA(steel_in_a_part_converges_to_the_whole)
{
    ifd_builder *whole = oscillator_builder(*state, 1000, 500, 3e5, 0, 0);
    const ifd_signal *force = signal_of(*state, "sine", "amplitude", 15e3, "frequency", 4.0, NULL);
    add_pair(whole, "steel", IFD_GROUND, 0, "stiffness", 2e6, "yield-force", 6e3, "hardening", 0.02, NULL);
    ifd_builder_force(whole, 0, force);
    ifd_step_options opt = options("reference", 0.02, NULL);
    ifd_stepper *reference = stepper_of(*state, &opt, made(*state, whole));
    double exact[INSTANTS], peak = 0, *x = state_of(*state, reference);
    for (int i = 0; i < INSTANTS; i++) {
        advance_steps(reference, i, 1, x);
        exact[i] = x[0];
        peak = fmax(peak, fabs(x[0]));
    }
    for (size_t k = 0; k < COUNT(rows); k++) {
        double error[2] = {0};
        for (int fine = 0; fine < 2; fine++) {
            double h = fine ? 0.00025 : 0.001;
            const ifd_step_options step = options(rows[k].method, h, NULL);
            ifd_builder *b = oscillator_builder(*state, 400, 200, 0, 0, 0);
            add_pair(b, "steel", IFD_GROUND, 0, "stiffness", 2e6, "yield-force", 6e3, "hardening", 0.02, NULL);
            ifd_builder_force(b, 0, force);
            cut *c = cut_make(*state, rows[k].coupling, h);
            cut_part(c, "A", oscillator(*state, 600, 300, 3e5, 0, 0), step, 1);
            cut_part(c, "B", made(*state, b), step, 2);
            c->part[0].coarse = true;
            cut_joint(c, "middle", 0, 0, 1, 0);
            running r = cut_start(c);
            for (int i = 0; i < INSTANTS; i++) {
                cut_cycles(&r, lround(0.02 / h));
                error[fine] = fmax(error[fine], fabs(cut_state(&r, 1)[0] - exact[i]) / peak);
            }
        }
        double least = strcmp(rows[k].method, "lsrt1") == 0 ? 3.0 : 8.0; /* as in method.accept */
        if (!(error[0] < 0.1 && error[1] < error[0] / least))
            fail_msg("%s %s: error %g, four times finer %g", rows[k].coupling, rows[k].method, error[0], error[1]);
    }
}

TESTS()
