/* SPDX-License-Identifier: MIT */
/* A factor in single precision: its numbers are those of the factor in double precision, rounded, and everything else
 * is in double precision. */
#include "check.h"

#include <float.h>
#include <string.h>

#include "algebra/crew.h"
#include "algebra/kernels.h"
#include "algebra/matrices.h"
#include "algebra/solver_parts.h"

static const char *const names[] = {"plain", "avx2", "avx512"};

/* The numbers of a factor in double precision, rounded where they are: the sums must then have the same bits. */
static void round_numbers(ifd_solver *s)
{
    const ifd__panels *P = &s->panels;
    for (int p = 0; p < P->count; p++) {
        const ifd__panel *J = &P->panel[p];
        for (size_t k = 0; k < ifd__block_size(J->width, J->width, P); k++)
            P->square[J->square + k] = (double)(float)P->square[J->square + k];
        for (size_t k = 0; k < J->size; k++)
            P->below[J->below + k] = (double)(float)P->below[J->below + k];
    }
}

static void check_bits(ifd_arena *arena, const ifd_sparse *A, const ifd__kernels *kernels, int threads)
{
    uint64_t seed = 5;
    ifd_solver *rounded, *single;
    size_t n = (size_t)A->n;
    assert_int_equal(ifd__solver_make_with(arena, A, IFD__SOLVER_SPARSE, kernels, &rounded, NULL), IFD_OK);
    assert_int_equal(ifd__solver_make_single(arena, A, kernels, &single, NULL), IFD_OK);
    assert_true(ifd__solver_facts_of(single).single && !ifd__solver_facts_of(rounded).single);
    assert_int_equal(ifd__solver_share(arena, single, threads), IFD_OK);
    round_numbers(rounded);
    double *w = ifd_arena_array(arena, ifd__solver_block_work(rounded), sizeof *w);
    double *x = ifd_arena_array(arena, 4 * n, sizeof *x), *y = ifd_arena_array(arena, 4 * n, sizeof *y);
    matrix_random_vector(&seed, 4 * A->n, x);
    memcpy(y, x, 4 * n * sizeof *x);
    for (int c = 0; c < 4; c++)
        ifd__solver_solve(rounded, x + (size_t)c * n, w);
    for (int c = 0; c < 2; c++)
        ifd__solver_solve(single, y + (size_t)c * n, w);
    ifd__solver_solve_block(single, 2, y + 2 * n, w);
    assert_memory_equal(x, y, 4 * n * sizeof *x);
}

TEST(solutions_have_the_bits_of_a_rounded_factor)
{
    uint64_t seed = 3;
    for (size_t k = 0; k < COUNT(names); k++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_sparse frame = matrix_frame(arena, &seed, (const int[]){3, 3, 5}, 6);
        ifd_sparse any = matrix_spd(arena, &seed, 61, 150);
        for (int large = 0; large < 2 && ifd__kernels_pick(names[k]); large++)
            check_bits(arena, large ? &frame : &any, ifd__kernels_pick(names[k]), 1);
        ifd_arena_close(arena);
    }
}

TEST(threads_share_them_with_the_same_bits)
{
    uint64_t seed = 7;
    ifd_arena *arena = ifd_arena_open();
    ifd_sparse A = matrix_frame(arena, &seed, (const int[]){8, 8, 14}, 6);
    for (int threads = 2; threads <= 3; threads++)
        check_bits(arena, &A, ifd__kernels_best(), threads);
    ifd_arena_close(arena);
}

/* Half the memory: that of the arena, and none of the factor in double precision stays. */
TEST(it_takes_half_the_memory)
{
    uint64_t seed = 9;
    size_t used[2];
    for (int single = 0; single < 2; single++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_sparse A = matrix_frame(arena, &seed, (const int[]){5, 5, 8}, 6);
        ifd_solver *s;
        size_t before = ifd_arena_used(arena);
        assert_int_equal(single ? ifd__solver_make_single(arena, &A, ifd__kernels_best(), &s, NULL)
                                : ifd__solver_make(arena, &A, IFD__SOLVER_SPARSE, &s, NULL),
                         IFD_OK);
        used[single] =
            ifd_arena_used(arena) - before - 8 * (size_t)ifd__solver_facts_of(s).stored / (1 + (size_t)single);
        seed = 9;
        ifd_arena_close(arena);
    }
    assert_near((double)used[1], (double)used[0], 0.02 * (double)used[0], "all but the numbers");
}

TEST(numbers_out_of_range_are_refused_and_tiny_ones_are_zero)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_solver *s;
    for (int small = 0; small < 2; small++) {
        double d = small ? 1.0 / (2.0 * (double)FLT_MAX) : 2.0 / (double)FLT_MIN; /* the factor holds 1 / d */
        ifd_sparse A = matrix_of(arena, 2, 2, (const int[]){0, 1}, (const int[]){0, 1}, (const double[]){d, d}, true);
        assert_int_equal(ifd__solver_make_single(arena, &A, ifd__kernels_best(), &s, &note),
                         small ? IFD_RANGE : IFD_OK);
        if (!small)
            assert_true(s->panels.square_single[0] == 0.0f);
    }
    assert_non_null(strstr(note.first->text, "exceed the range of single precision"));
    ifd_arena_close(arena);
}

TEST(no_memory_is_reported_wherever_it_ends)
{
    uint64_t seed = 11;
    ifd_status status = IFD_NO_MEMORY;
    for (long fail = 1; status == IFD_NO_MEMORY; fail++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_solver *s;
        ifd_sparse A = matrix_spd(arena, &seed, 40, 90);
        ifd_arena_fail_at(arena, fail);
        status = ifd__solver_make_single(arena, &A, ifd__kernels_best(), &s, NULL);
        assert_true(status == IFD_NO_MEMORY || (status == IFD_OK && fail > 4));
        ifd_arena_close(arena);
        seed = 11;
    }
}

TESTS()
