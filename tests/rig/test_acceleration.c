/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Compensator of a shaking table, on a table of this file: valve, oil column, platform and a specimen on it,
 * integrated by Runge-Kutta. The coefficients of its inverse are the closed form of the same equations. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/compensator.h>

static const double tick = 1e-3, two_pi = 6.28318530717958647693;

/* Q'' + b1 Q' + b2 Q = a1b0 (u - x),  F' + a3 F = Q - a2 x',  m x'' + c x' = F - f;  specimen: ms, cs, ks. */
typedef struct table {
    double a1b0, a2, a3, b1, b2, m, c, ms, cs, ks;
} table;

static const table usual = {3.3666e14, 53.296e6, 60, 703.7, 252.66e3, 1500, 2000, 3000, 6e3, 1.2e6};
enum { QD, Q, F, X, V, XS, VS, STATES };

static double shear(const table *p, const double *z)
{
    return p->ks * (z[X] - z[XS]) + p->cs * (z[V] - z[VS]);
}

static double acceleration(const table *p, const double *z)
{
    return (z[F] - p->c * z[V] - shear(p, z)) / p->m;
}

static void rates(const table *p, double u, const double *z, double *d)
{
    d[QD] = p->a1b0 * (u - z[X]) - p->b1 * z[QD] - p->b2 * z[Q];
    d[Q] = z[QD];
    d[F] = z[Q] - p->a3 * z[F] - p->a2 * z[V];
    d[X] = z[V];
    d[V] = acceleration(p, z);
    d[XS] = z[VS];
    d[VS] = p->ms > 0 ? shear(p, z) / p->ms : 0;
}

static void advance(const table *p, double from, double to, double *z)
{
    enum { PARTS = 20 };
    for (int i = 0; i < PARTS; i++) {
        double h = tick / PARTS, u[3], k[4][STATES], y[STATES];
        for (int j = 0; j < 3; j++)
            u[j] = from + (to - from) * (i + 0.5 * j) / PARTS;
        rates(p, u[0], z, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int j = 0; j < STATES; j++)
                y[j] = z[j] + h * (s == 3 ? 1.0 : 0.5) * k[s - 1][j];
            rates(p, u[s == 3 ? 2 : 1], y, k[s]);
        }
        for (int j = 0; j < STATES; j++)
            z[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

/* The inverse of the table: coefficients of x and of the base shear f. */
static void inverse(const table *p, double a[4], double c[2])
{
    double s = p->c * p->a3 + p->a2, r = p->c + p->m * p->a3;
    a[0] = 1;
    a[1] = s * p->b2 / p->a1b0;
    a[2] = (s * p->b1 + r * p->b2) / p->a1b0;
    a[3] = (s + r * p->b1 + p->m * p->b2) / p->a1b0;
    c[0] = p->a3 * p->b2 / p->a1b0;
    c[1] = (p->b2 + p->a3 * p->b1) / p->a1b0;
}

typedef struct settings {
    double a[4], c[2], doubt, bound, bias; /* bias: of the accelerometer, m/s2 */
} settings;

static ifd_value *values_of(const settings *o)
{
    const ifd_compensator_kind *kind = ifd_compensator_find("acceleration");
    ifd_value *v = ifd_arena_array(arena, IFD_COMPENSATOR_PARAMS, sizeof *v);
    double *list = ifd_arena_array(arena, 6, sizeof *list);
    memcpy(list, o->a, sizeof o->a);
    memcpy(list + 4, o->c, sizeof o->c);
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "coefficients")] = (ifd_value){.given = true, .cols = 4, .rows = 1, .data = list};
    v[ifd_param_find(kind->params, "compliance")] =
        (ifd_value){.given = true, .cols = 2, .rows = 1, .data = list + 4};
    v[ifd_param_find(kind->params, "doubt")] = ifd_number(o->doubt);
    v[ifd_param_find(kind->params, "bound")] = ifd_number(o->bound);
    v[ifd_param_find(kind->params, "mass")] = ifd_number(usual.m);
    return v;
}

typedef struct found {
    double error;    /* of the acceleration in the last third, rms, relative */
    double a[4];     /* coefficients at the end */
    double furthest; /* m, largest command */
} found;

/* Three sines that begin at rest, with continuous derivatives up to the fourth. */
static double target(double t)
{
    const double a[] = {0.02, 0.006, 0.002}, f[] = {0.7, 2.3, 4.9};
    double s = fmin(t / 2, 1), rise = pow(s, 5) * (126 - 420 * s + 540 * s * s - 315 * pow(s, 3) + 70 * pow(s, 4));
    double x = 0.0;
    for (int i = 0; i < 3; i++)
        x += a[i] * sin(two_pi * f[i] * t);
    return x * rise;
}

static found drive(const table *p, const settings *o, int ticks)
{
    ifd_compensator *c;
    assert_int_equal(ifd_compensator_make(arena, ifd_compensator_find("acceleration"), values_of(o), tick, &c, &note),
                     IFD_OK);
    double *s = ifd_arena_array(arena, (size_t)c->size, sizeof *s), z[STATES] = {0}, last = 0, square = 0, error = 0;
    found out = {0};
    ifd_compensator_begin(c, 0.0, s);
    for (int k = 0; k < ticks; k++) {
        double t = (k + 1) * tick, e = 1e-4, x = target(t), before = target(t - e), after = target(t + e);
        double v = (after - before) / (2 * e), a = (after - 2 * x + before) / (e * e);
        const ifd_compensator_in in = {.x = x,
                                       .v = v,
                                       .a = a,
                                       .xm = z[X],
                                       .fm = z[F] - p->c * z[V],
                                       .am = acceleration(p, z) + o->bias,
                                       .now_u = last,
                                       .next = true};
        double u = ifd_compensator_step(c, &in, s);
        advance(p, last, u, z);
        last = u;
        out.furthest = fmax(out.furthest, fabs(u));
        if (3 * k > 2 * ticks) {
            error += pow(acceleration(p, z) - a, 2);
            square += a * a;
        }
    }
    out.error = sqrt(error / square);
    c->kind->coefficients(c, s, out.a);
    return out;
}

static settings exact(void)
{
    settings o = {.bound = 0.3};
    inverse(&usual, o.a, o.c);
    return o;
}

/* What remains are the terms of fourth and fifth order, the filter of the force and the tick. */
TEST_IN_ARENA(the_inverse_of_the_table_tracks_the_acceleration)
{
    settings o = exact(), bare = o;
    table empty = usual;
    bare.c[0] = bare.c[1] = 0.0;
    empty.ms = empty.cs = empty.ks = 0.0;
    assert_true(drive(&usual, &o, 9000).error < 0.005);
    assert_true(drive(&usual, &bare, 9000).error > 0.05);
    assert_true(drive(&empty, &bare, 9000).error < 0.006);
}

TEST_IN_ARENA(wrong_coefficients_are_identified_from_the_acceleration)
{
    const settings o = exact();
    settings wrong = o;
    for (int i = 1; i < 4; i++)
        wrong.a[i] *= i == 1 ? 0.85 : 1.2;
    assert_true(drive(&usual, &wrong, 20000).error > 0.05);
    wrong.doubt = 0.1;
    found f = drive(&usual, &wrong, 20000);
    assert_true(f.error < 0.005);
    assert_near(f.a[0], 1.0, 0.0, "a0 is not identified");
    assert_near_rel(f.a[1], o.a[1], 0.005, "a1");
    assert_near_rel(f.a[2], o.a[2], 0.03, "a2");
    assert_near_rel(f.a[3], o.a[3], 0.05, "a3");
}

/* A constant error of the accelerometer is never integrated: the command leaves the target by no more than the bound
 * of its coefficients allows, plus the force -m b that it seems to carry. */
TEST_IN_ARENA(the_table_does_not_drift)
{
    settings o = exact();
    o.doubt = 0.1;
    double usual_reach = drive(&usual, &o, 20000).furthest;
    for (int side = -1; side <= 1; side += 2) {
        o.bias = side * 2.0;
        found f = drive(&usual, &o, 20000), longer = drive(&usual, &o, 60000);
        assert_true(f.furthest < 1.3 * usual_reach + 2.0 * usual.m * o.c[0] + 1e-4);
        assert_true(longer.furthest < 1.3 * usual_reach + 2.0 * usual.m * o.c[0] + 1e-4);
        for (int i = 0; i < 4; i++)
            assert_near_rel(f.a[i], o.a[i], i ? 0.3 + 1e-9 : 0.0, "a%d", i);
    }
    o.bias = 0.0;
    o.bound = 0.0;
    for (int i = 1; i < 4; i++)
        o.a[i] *= 0.9;
    found f = drive(&usual, &o, 5000);
    for (int i = 0; i < 4; i++)
        assert_near(f.a[i], o.a[i], 1e-12 * o.a[i], "bound 0: a%d", i);
}

static ifd_status refusal(const char *name, double number, int cols)
{
    const settings o = exact();
    const ifd_compensator_kind *kind = ifd_compensator_find("acceleration");
    ifd_value *v = values_of(&o), *one = &v[ifd_param_find(kind->params, name)];
    ifd_compensator *c;
    if (cols)
        one->cols = cols;
    else
        *one = ifd_number(number);
    return ifd_compensator_make(arena, kind, v, tick, &c, &note);
}

TEST_IN_ARENA(wrong_settings_are_refused)
{
    assert_int_equal(refusal("coefficients", 0, 3), IFD_SHAPE);
    assert_int_equal(refusal("compliance", 0, 1), IFD_SHAPE);
    assert_int_equal(refusal("input", 0.5, 0), IFD_RANGE);
    assert_int_equal(refusal("input", 32, 0), IFD_RANGE);
    assert_int_equal(refusal("bound", 1.5, 0), IFD_RANGE);
    assert_int_equal(refusal("input", 31, 0), IFD_OK);
}

TESTS()
