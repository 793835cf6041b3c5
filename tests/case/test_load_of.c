/* SPDX-License-Identifier: MIT */
/* The compression of a friction pendulum from the force of another spring: the same forces as with its own vertical
 * spring, while it is pressed; and energy that balances. */
#include "case/texts.h"

#include <interfield/model.h>

#include "model/model.h"

#define TIME "time: {step: 1 ms, end: 1 s}\n"

static const char text[] = TIME "model:\n"
                                "  dofs: [x, y]\n"
                                "  mass: [1000 kg, 1000 kg]\n"
                                "  elements:\n"
                                "%s";

TEST_IN_ARENA(the_force_of_a_named_spring_presses)
{
    static const char *const ways[] = {
        "    - friction-pendulum: {between: [[ground, x], [ground, y]], load: 1 MN, vertical-stiffness: 100 MN/m, "
        "radius: 2 m, friction: 0.1}\n",
        "    - friction-pendulum: {between: [ground, x], load: 1 MN, load-of: post, radius: 2 m, friction: 0.1}\n"
        "    - {name: post, spring: {between: [ground, y], stiffness: 100 MN/m}}\n"};
    for (int k = 0; k < 3; k++) {
        double u[2] = {0.04, k == 2 ? 0.011 : k ? 0.003 : -0.002}, v[2] = {0.2, 0.1}, s[1] = {0.6}, F[2][2], g[1];
        for (int way = 0; way < 2; way++) {
            const ifd_model *m = read(ifd_arena_print(arena, text, ways[way]))->run.model;
            double *w = ifd_arena_array(arena, ifd__model_work(m), sizeof *w);
            ifd__model_balance(m, &(ifd__point){.u = u, .v = v, .s = s}, F[way], g, w);
        }
        double N = 1e6 - 1e8 * u[1];
        if (N > 0)
            assert_near_rel(F[1][1], F[0][1], 1e-12, "y");
        assert_near(F[1][0], N > 0 ? -N * (0.04 / 2 + 0.1 * 0.6) : 0, 1e-6, "x");
        assert_near(F[0][0], F[1][0], 1e-6, "x, both ways");
    }
}

TESTS_WITH(files_open, files_close)
