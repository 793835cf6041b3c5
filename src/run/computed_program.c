/* SPDX-License-Identifier: MIT */
/* Prescribed motions in the place of a computed structure: forces are felt by nobody, one exchange per tick. The
 * state is displacement and velocity of every channel and where it stood when the motions began. */
#include "run/program.h"

#include <string.h>

static const ifd_program *program_of(const ifd__computed *s)
{
    return s->program;
}

static void initial(const ifd__computed *s, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)s->size);
}

/* The test has left in u where the channels stand. */
static void begin(const ifd__computed *s, double *x)
{
    int n = program_of(s)->channels;
    memcpy(x + 2 * n, x, sizeof(double) * (size_t)n);
}

static void exchange(const ifd__computed *s, int k, double *step, double *x)
{
    const ifd_program *p = program_of(s);
    int n = p->channels;
    (void)k;
    *step += 1.0;
    for (int i = 0; i < n; i++) {
        ifd__program_at(p, i, *step, &x[i], &x[n + i]);
        x[i] += x[2 * n + i];
    }
}

static void aim(const ifd__computed *s, int k, double step, const double *x)
{
    size_t n = (size_t)program_of(s)->channels;
    (void)k;
    (void)step;
    memcpy(s->piece[0].u, x, n * sizeof *x);
    memcpy(s->piece[0].v, x + n, n * sizeof *x);
}

static ifd_step_fault fault(const ifd__computed *s, const double *x)
{
    (void)s;
    (void)x;
    return IFD_STEP_OK;
}

static const ifd__computed_ops prescribed = {
    .name = "program",
    .initial = initial,
    .begin = begin,
    .exchange = exchange,
    .aim = aim,
    .fault = fault,
};

ifd_status ifd__computed_program(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *s)
{
    s->ops = &prescribed;
    s->program = opt->program;
    s->step = opt->program->tick;
    s->exchanges = 1;
    s->size = 3 * opt->program->channels;
    s->pieces = 1;
    s->piece = ifd_arena_take(arena, sizeof *s->piece);
    if (!s->piece)
        return IFD_NO_MEMORY;
    s->piece[0] = (ifd__computed_piece){.m = opt->program->model, .measured = true};
    return IFD_OK;
}
