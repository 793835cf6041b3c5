/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* METIS catches SIGTERM while it works; the process must still end, by the signal itself. */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <interfield/arena.h>

#include "algebra/matrices.h"
#include "algebra/supernodes.h"

enum { SIDE = 120, NODES = SIDE * SIDE, ROUNDS = 24, LITTLE = 20 };

/* The graph of a square grid. */
static ifd__pattern grid(int side)
{
    ifd__pattern g = {.n = side * side};
    g.p = calloc((size_t)g.n + 1, sizeof *g.p);
    g.i = calloc(4 * (size_t)g.n, sizeof *g.i);
    assert_true(g.p && g.i);
    for (int y = 0, k = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const int at = y * side + x;
            if (y > 0)
                g.i[k++] = at - side;
            if (x > 0)
                g.i[k++] = at - 1;
            if (x < side - 1)
                g.i[k++] = at + 1;
            if (y < side - 1)
                g.i[k++] = at + side;
            g.p[at + 1] = k;
        }
    return g;
}

/* Orders without end; reports once that it has begun, and ends with another status when METIS gives up. */
static void order_for_ever(const ifd__pattern *g, int told)
{
    for (;;) {
        ifd_arena *scratch = ifd_arena_open();
        ifd__ordering o;
        assert_int_equal(write(told, "x", 1), 1);
        if (ifd__ordering_make(scratch, g, true, &o) != IFD_OK)
            _exit(7);
        ifd_arena_close(scratch);
    }
}

static void ends_by_the_signal(int side)
{
    ifd__pattern g = grid(side);
    for (int k = 0; k < ROUNDS; k++) {
        int told[2], status = 0;
        char byte;
        assert_int_equal(pipe(told), 0);
        pid_t child = fork();
        if (child == 0)
            order_for_ever(&g, told[1]);
        assert_int_equal(read(told[0], &byte, 1), 1);
        nanosleep(&(struct timespec){.tv_nsec = 700000 * k}, NULL);
        assert_int_equal(kill(child, SIGTERM), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM)
            fail_msg("round %d: wait status %d, expected the end by SIGTERM", k, status);
        close(told[0]);
        close(told[1]);
    }
    free(g.p);
    free(g.i);
}

TEST(sigterm_ends_an_ordering_of_metis)
{
    ends_by_the_signal(SIDE);
    ends_by_the_signal(LITTLE);
}

TEST(a_child_gives_the_same_order_each_time)
{
    ifd__pattern g = grid(SIDE);
    ifd_arena *scratch = ifd_arena_open();
    ifd__ordering a, b;
    assert_int_equal(ifd__ordering_make(scratch, &g, true, &a), IFD_OK);
    assert_int_equal(ifd__ordering_make(scratch, &g, true, &b), IFD_OK);
    assert_string_equal(a.name, "metis");
    assert_memory_equal(a.perm, b.perm, NODES * sizeof *a.perm);
    char *seen = calloc(NODES, 1);
    for (int k = 0; k < NODES; k++) {
        assert_true(a.perm[k] >= 0 && a.perm[k] < NODES && !seen[a.perm[k]]);
        seen[a.perm[k]] = 1;
    }
    free(seen);
    ifd_arena_close(scratch);
    free(g.p);
    free(g.i);
}

/* Several options of METIS: never more fill than with the first one, and the same order each time. */
TEST(the_order_of_blocks_has_the_least_fill_of_its_trials)
{
    uint64_t seed = 13;
    ifd_arena *arena = ifd_arena_open();
    ifd_sparse A = matrix_frame(arena, &seed, (const int[]){9, 9, 12}, 1);
    ifd__pattern g;
    ifd__ordering one, best, again;
    int *start = ifd_arena_array(arena, (size_t)A.n + 1, sizeof *start);
    for (int k = 0; k <= A.n; k++)
        start[k] = k;
    assert_int_equal(ifd__pattern_make(arena, &A, &g), IFD_OK);
    assert_int_equal(ifd__ordering_make(arena, &g, true, &one), IFD_OK);
    assert_int_equal(ifd__ordering_of_blocks(arena, &g, &g, start, &best), IFD_OK);
    assert_int_equal(ifd__ordering_of_blocks(arena, &g, &g, start, &again), IFD_OK);
    assert_true(best.nonzeros < one.nonzeros); /* here one of the others is better */
    assert_memory_equal(best.perm, again.perm, sizeof(int) * (size_t)A.n);
    ifd_arena_close(arena);
}

TESTS()
