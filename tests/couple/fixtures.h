/* SPDX-License-Identifier: MIT */
/* Coupled substructures, for the tests of couplings. Everything lives in the arena of the test. */
#pragma once

#include "method/fixtures.h"

#include "couple/coupled.h"

enum { PARTS = 8, JOINTS = 12, TERMS = 4 };

/* A coupling under construction; opt points into it. */
typedef struct cut {
    ifd_arena *arena;
    ifd_couple_options opt;
    ifd_part_options part[PARTS];
    ifd_joint joint[JOINTS];
    ifd_joint_term term[JOINTS][TERMS];
} cut;

UNUSED static cut *cut_make(ifd_arena *arena, const char *coupling, double h)
{
    cut *c = ifd_arena_take(arena, sizeof *c);
    assert_non_null(c);
    c->arena = arena;
    c->opt =
        (ifd_couple_options){.coupling = ifd_coupling_find(coupling), .h = h, .part = c->part, .joint = c->joint};
    assert_non_null(c->opt.coupling);
    return c;
}

UNUSED static int cut_part(cut *c, const char *name, const ifd_model *m, ifd_step_options step, int subcycles)
{
    int p = c->opt.parts++;
    c->part[p] = (ifd_part_options){.name = name, .model = m, .step = step, .subcycles = subcycles};
    return p;
}

/* u of (part a, dof i) = u of (part b, dof j) */
UNUSED static int cut_joint(cut *c, const char *name, int a, int i, int b, int j)
{
    int row = c->opt.joints++;
    c->term[row][0] = (ifd_joint_term){a, i, 1.0};
    c->term[row][1] = (ifd_joint_term){b, j, -1.0};
    c->joint[row] = (ifd_joint){.name = name, .terms = 2, .term = c->term[row]};
    return row;
}

typedef struct running {
    ifd__coupled *c;
    double *x;
    long cycle;
} running;

UNUSED static running cut_start(cut *c)
{
    running r = {0};
    ifd_note note;
    ifd_note_init(&note, c->arena);
    assert_ok(ifd__coupled_make(c->arena, &c->opt, &r.c, &note), &note);
    r.x = ifd_arena_array(c->arena, (size_t)r.c->size, sizeof *r.x);
    assert_non_null(r.x);
    ifd__coupled_initial(r.c, r.x);
    ifd__coupled_start(r.c, 0.0, r.x);
    return r;
}

UNUSED static void cut_cycles(running *r, long count)
{
    for (long end = r->cycle + count; r->cycle < end; r->cycle++)
        for (int k = 0; k < r->c->ticks; k++)
            ifd__coupled_tick(r->c, k, r->c->h * (double)r->cycle, r->x);
}

/* The state (u, v, s) of a part. */
UNUSED static double *cut_state(const running *r, int p)
{
    return r->x + r->c->member[p].at;
}

UNUSED static running cut_run(cut *c, double end)
{
    running r = cut_start(c);
    cut_cycles(&r, lround(end / c->opt.h));
    assert_int_equal((int)r.x[r.c->fault], IFD_STEP_OK);
    return r;
}

/* The refusal of a cut: its status and the text of the first finding. */
UNUSED static ifd_status cut_refusal(cut *c, const char **text)
{
    ifd__coupled *made_anyway = NULL;
    ifd_note note;
    ifd_note_init(&note, c->arena);
    ifd_status status = ifd__coupled_make(c->arena, &c->opt, &made_anyway, &note);
    *text = note.first ? note.first->text : "";
    return status;
}

/* The single-dof problem of the papers: m_A + m_B = 1, k_A + k_B = k, b1 = m_A/m_B = k_B/k_A, from u = v = 1. */
UNUSED static cut *split_mass(ifd_arena *arena, const char *coupling, double b1, double k, double h, int ss,
                              const ifd_step_options *step)
{
    double share = 1.0 / (1.0 + b1);
    cut *c = cut_make(arena, coupling, h);
    cut_part(c, "A", oscillator(arena, b1 * share, 0.0, k * share, 1.0, 1.0), *step, 1);
    cut_part(c, "B", oscillator(arena, share, 0.0, k * b1 * share, 1.0, 1.0), *step, ss);
    c->part[0].coarse = true;
    cut_joint(c, "middle", 0, 0, 1, 0);
    return c;
}

/* One cycle from every unit state, less the answer to zero: the amplification matrix (column-major) and its size. */
UNUSED static double *cut_probe(cut *c, int *size)
{
    running r = cut_start(c);
    ifd__coupled *d = r.c;
    int n = 0, *state = ifd_arena_array(c->arena, (size_t)d->size, sizeof *state);
    cut_cycles(&r, 3); /* past the start-up of `parallel` */
    for (int k = 0; k < d->rows; k++)
        for (int i = 0; i < d->row[k].count; i++)
            if (d->row[k].kind == IFD_STATE_REAL || d->row[k].kind == IFD_STATE_HISTORY)
                state[n++] = d->row[k].offset + i;
    double *A = ifd_arena_array(c->arena, (size_t)(n * n), sizeof *A);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            r.x[state[i]] = i == j ? 1.0 : 0.0;
        cut_cycles(&r, 1);
        for (int i = 0; i < n; i++)
            A[i + j * n] = r.x[state[i]];
    }
    *size = n;
    return A;
}

/* y' = f(t, y) by the classical Runge-Kutta method: the reference of nonlinear problems, with small steps. */
typedef void (*rate_of)(double t, const double *y, double *f);

UNUSED static void runge_kutta(rate_of rate, int n, double end, long steps, double *y)
{
    double h = end / (double)steps, k[4][16], z[16];
    assert_true(n <= 16);
    for (long s = 0; s < steps; s++) {
        double t = h * (double)s;
        rate(t, y, k[0]);
        for (int i = 1; i < 4; i++) {
            double a = i == 3 ? h : 0.5 * h;
            for (int j = 0; j < n; j++)
                z[j] = y[j] + a * k[i - 1][j];
            rate(t + a, z, k[i]);
        }
        for (int j = 0; j < n; j++)
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
}
