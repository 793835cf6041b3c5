/* SPDX-License-Identifier: MIT */
/* The coupled compensator against values of an independent computation: open loop, ticks of 1/1024 s, two coupled
 * actuators A2 x'' + A1 x' + x = u. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "algebra/discretisation.h"
#include "base/random.h"
#include "rig/compensator/compensator.h"

static const double tick = 1.0 / 1024, two_pi = 6.28318530717958647693;
static const double A0[4] = {1, 0, 0, 1}, A1[4] = {0.012, 0.002, 0.0015, 0.014},
                    A2[4] = {4.5e-5, 1.2e-5, 0.8e-5, 5.5e-5}; /* by rows */

static void target(double t, double share, ifd_compensator_in *in)
{
    const double a[] = {0.01, 0.005, 0.0025}, f[] = {1.3, 3.1, 5.7}, phase[] = {0, 0.7, 1.9};
    in->x = in->v = in->a = 0.0;
    for (int i = 0; i < 3; i++) {
        double w = two_pi * f[i], at = w * t + phase[i];
        in->x += share * a[i] * sin(at);
        in->v += share * a[i] * w * cos(at);
        in->a -= share * a[i] * w * w * sin(at);
    }
}

/* x'' = A2^-1 (u - A1 x' - x), states x, x'. */
static ifd__discretisation plant(void)
{
    const double det = A2[0] * A2[3] - A2[1] * A2[2];
    const double inverse[4] = {A2[3] / det, -A2[1] / det, -A2[2] / det, A2[0] / det};
    double A[16] = {0}, B[8] = {0};
    for (int i = 0; i < 2; i++) {
        A[i + 4 * (2 + i)] = 1.0;
        for (int j = 0; j < 2; j++) {
            A[2 + i + 4 * j] = -inverse[2 * i + j];
            A[2 + i + 4 * (2 + j)] = -(inverse[2 * i] * A1[j] + inverse[2 * i + 1] * A1[2 + j]);
            B[2 + i + 4 * j] = inverse[2 * i + j];
        }
    }
    ifd__discretisation out;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){4, 2, A, B}, tick, &out), IFD_OK);
    return out;
}

typedef struct settings {
    double wrong;      /* relative error of the given A1 */
    double look_ahead; /* s */
    double doubt, lag;
    bool none;
    bool next; /* each command is for the next tick */
} settings;

static ifd_compensator *make(const settings *s, int row)
{
    static const double sigma[2] = {1e-7, 1e-7};
    static double given[4], L[4];
    const ifd_compensator_kind *kind = ifd_compensator_find("decoupling");
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    ifd_compensator *c;
    ifd_param_preset(kind->params, v);
    for (int i = 0; i < 4; i++) {
        given[i] = A1[i] * (1.0 + s->wrong);
        L[i] = s->lag * A0[i];
    }
    double first[4] = {1 - s->lag, 0, 0, 1 - s->lag};
    v[ifd_param_find(kind->params, "position")] = ifd_matrix(first, 2, 2);
    v[ifd_param_find(kind->params, "velocity")] = ifd_matrix(given, 2, 2);
    v[ifd_param_find(kind->params, "acceleration")] = ifd_matrix(A2, 2, 2);
    v[ifd_param_find(kind->params, "lag")] = ifd_matrix(L, 2, 2);
    v[ifd_param_find(kind->params, "corner")] = ifd_number(1e5);
    v[ifd_param_find(kind->params, "noise")] = ifd_list(sigma, 2);
    v[ifd_param_find(kind->params, "doubt")] = ifd_number(s->doubt);
    v[ifd_param_find(kind->params, "memory")] = ifd_number(0.4); /* the start of the filters is forgotten at 4 s */
    v[ifd_param_find(kind->params, "look-ahead")] = ifd_number(s->look_ahead);
    v[ifd_param_find(kind->params, "row")] = ifd_number(row + 1);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, &note), IFD_OK);
    return c;
}

typedef struct found {
    double error[2], at3[2]; /* relative rms error over the window; x_m at 3 s */
    double A1[2];            /* identified, diagonal */
} found;

/* On hold, noise changes nothing. */
static void stand(const ifd_compensator *c, double *s)
{
    ifd__random random;
    ifd__random_seed(&random, 7);
    for (int k = 0; k < 2000; k++) {
        ifd_compensator_in in[2];
        for (int i = 0; i < 2; i++)
            in[i] = (ifd_compensator_in){.x = 5e-3,
                                         .xm = 5e-3 + 1e-4 * ifd__random_normal(&random),
                                         .now_x = 5e-3,
                                         .now_u = 5e-3,
                                         .rests = true,
                                         .next = true,
                                         .axes = 2,
                                         .axis = in};
        ifd_compensator_step(c, &in[0], s);
    }
}

static found drive(const settings *o, double from, double to)
{
    ifd__discretisation p = plant();
    ifd_compensator *c[2];
    double *s[2], z[4] = {0}, error[2] = {0}, square[2] = {0}, u[2];
    found r;
    for (int i = 0; i < 2; i++) {
        c[i] = make(o, i);
        s[i] = ifd_arena_array(arena, (size_t)c[i]->size, sizeof **s);
        ifd_compensator_begin(c[i], 0.0, s[i]);
        ifd_compensator_in start = {0};
        target(0.4 * i, i ? 0.6 : 1.0, &start);
        z[i] = o->doubt > 0.0 ? start.x : 0.0; /* adaptation begins in motion, without a jump */
        z[2 + i] = o->doubt > 0.0 ? start.v : 0.0;
    }
    for (int k = 0; k <= (int)(to * 1024); k++) {
        ifd_compensator_in in[2];
        double t = k * tick;
        for (int i = 0; i < 2; i++) {
            ifd_compensator_in now = {0};
            in[i] = (ifd_compensator_in){.xm = z[i], .axes = 2, .axis = in, .next = o->next};
            target(t + 0.4 * i, i ? 0.6 : 1.0, &now);
            target(t + 0.4 * i + (o->next ? tick : 0.0), i ? 0.6 : 1.0, &in[i]);
            in[i].now_x = now.x;
            in[i].now_u = k ? u[i] : now.x;
            if (k == 3 * 1024)
                r.at3[i] = z[i];
            if (t >= from) {
                error[i] += (z[i] - now.x) * (z[i] - now.x);
                square[i] += now.x * now.x;
            }
        }
        for (int i = 0; i < 2; i++) {
            u[i] = ifd_compensator_step(c[i], &in[i], s[i]);
            u[i] = o->none ? in[i].x : u[i];
        }
        ifd__discretisation_step(&p, u, u, z);
    }
    for (int i = 0; i < 2; i++) {
        double a[4], rested[4];
        r.error[i] = sqrt(error[i] / square[i]);
        c[i]->kind->coefficients(c[i], s[i], a);
        r.A1[i] = a[1];
        stand(c[i], s[i]);
        c[i]->kind->coefficients(c[i], s[i], rested);
        assert_memory_equal(a, rested, sizeof a);
    }
    return r;
}

/* Errors over 1 to 6 s. */
TEST(tracking_is_that_of_the_catalogue)
{
    static const struct {
        settings s;
        double error[2], at3[2];
    } row[] = {{{.none = true}, {0.166150413, 0.177731871}, {-0.000752964567, 0.000829106777}},
               {{.none = false}, {0.00662491935, 0.00662655815}, {-0.00175384725, -0.000869993968}},
               {{.look_ahead = 0.5 / 1024}, {0.000241956027, 0.000254937499}, {-0.00179966124, -0.000920818836}}};
    for (size_t i = 0; i < COUNT(row); i++) {
        found r = drive(&row[i].s, 1, 6);
        for (int j = 0; j < 2; j++) {
            assert_near_rel(r.error[j], row[i].error[j], 1e-7, "row %zu, error %d", i, j);
            assert_near_rel(r.at3[j], row[i].at3[j], 1e-7, "row %zu, x_m%d(3 s)", i, j);
        }
    }
}

/* A lag far above the motion is the motion itself. */
TEST(a_fast_lag_is_a_part_of_the_position)
{
    found with = drive(&(settings){.lag = 0.25}, 1, 2), without = drive(&(settings){.lag = 0.0}, 1, 2);
    assert_near(with.error[0], without.error[0], 1e-5, "error");
}

/* A tenth too large, the velocity terms are corrected, with targets of this tick and of the next one. */
TEST(adaptation_finds_the_actuators)
{
    for (int next = 0; next < 2; next++) {
        settings s = {.wrong = 0.1, .doubt = 0.1, .next = next};
        found learns = drive(&s, 4, 6);
        s.doubt = 0.0;
        found fixed = drive(&s, 4, 6);
        for (int j = 0; j < 2; j++) {
            assert_true(fixed.error[j] > 5e-3);
            assert_near(learns.error[j], 0.0, 2e-3, "next %d, error %d", next, j); /* a tick is 1.5 % */
        }
        /* the half tick by which a held command is late is identified too */
        assert_near_rel(learns.A1[0], 0.012 + (next ? -0.5 : 0.5) * tick, 0.02, "next %d, A1", next);
    }
}

TEST(wrong_matrices_are_refused)
{
    const ifd_compensator_kind *kind = ifd_compensator_find("decoupling");
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    ifd_compensator *c;
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "position")] = ifd_matrix(A0, 2, 2);
    v[ifd_param_find(kind->params, "velocity")] = ifd_matrix(A0, 1, 4);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, NULL), IFD_SHAPE);
    v[ifd_param_find(kind->params, "velocity")] = ifd_matrix(A1, 2, 2);
    v[ifd_param_find(kind->params, "noise")] = ifd_list(A1, 1);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, NULL), IFD_SHAPE);
    v[ifd_param_find(kind->params, "noise")] = ifd_list(A1, 2);
    v[ifd_param_find(kind->params, "row")] = ifd_number(3);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, NULL), IFD_RANGE);
    v[ifd_param_find(kind->params, "row")] = ifd_number(2);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, NULL), IFD_OK);
}

TESTS_WITH(open_arena, close_arena)
