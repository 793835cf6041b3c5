/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Elements under prescribed motion, against values of an independent computation (catalogue.h): one driver for laws
 * with rates, one for laws that remember reversals. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef enum motion {
    SINE,    /* 15 mm, 2.5 Hz */
    FIGURE,  /* x = 0.1 sin(pi t), y = 0.06 sin(2 pi t) */
    GROWING, /* 0.01 (1 + t/2) sin(pi t) */
    TURNS    /* through the points of a list; the first column counts them */
} motion;

typedef struct table {
    const char *name;
    sample of;
    motion motion;
    double step;          /* s */
    const double *turns;  /* m */
    const char *columns;  /* r0 r1 s0 s1 work; the first column is time or the turning point */
    const double *values; /* NAN is not compared */
    size_t count;
} table;

#include "catalogue.h"

static void move(motion which, double t, double *q, double *v)
{
    double w = which == SINE ? 5 * pi : pi, a = which == SINE ? 0.015 : which == FIGURE ? 0.1 : 0.01 * (1 + t / 2);
    q[0] = a * sin(w * t);
    v[0] = a * w * cos(w * t) + (which == GROWING ? 0.005 * sin(w * t) : 0);
    q[1] = 0.06 * sin(2 * pi * t);
    v[1] = 0.12 * pi * cos(2 * pi * t);
}

/* Element with its states, and the work done on it as the state after them. */
typedef struct bench {
    ifd_element e;
    motion motion;
    double t, q[SAMPLE_MAX], s[SAMPLE_MAX + 1], r[SAMPLE_MAX];
} bench;

static void look(const bench *b, double t, const double *s, double *r, double *g)
{
    double q[SAMPLE_MAX] = {0}, v[SAMPLE_MAX] = {0};
    move(b->motion, t, q, v);
    const ifd_element_in in = {.t = t, .q = q, .qd = v, .qdd = v, .s = s};
    memset(r, 0, sizeof *r * SAMPLE_MAX);
    memset(g, 0, sizeof *g * (SAMPLE_MAX + 1));
    b->e.ops->eval(&b->e, &in, &(ifd_element_out){.r = r, .g = g});
    for (int i = 0; i < b->e.nq; i++)
        g[b->e.ns] += r[i] * v[i];
}

/* Classical Runge-Kutta steps to t. */
static void go(bench *b, double t, double h)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    long steps = lround((t - b->t) / h);
    double from = b->t, g[SAMPLE_MAX + 1];
    for (long k = 0; k < steps; k++) {
        double s[SAMPLE_MAX + 1], sum[SAMPLE_MAX + 1] = {0}, at = from + (double)k * h;
        memset(g, 0, sizeof g);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j <= b->e.ns; j++)
                s[j] = b->s[j] + h * node[i] * g[j];
            look(b, at + node[i] * h, s, b->r, g);
            for (int j = 0; j <= b->e.ns; j++)
                sum[j] += h * weight[i] * g[j];
        }
        for (int j = 0; j <= b->e.ns; j++)
            b->s[j] += sum[j];
    }
    b->t = t;
    look(b, t, b->s, b->r, g);
}

/* Accepted steps to q; the work of a straight line is exact. */
static void turn(bench *b, double q, int steps)
{
    double from = b->q[0], zero = 0;
    for (int i = 1; i <= steps; i++) {
        double to = i == steps ? q : from + (q - from) * i / steps, before = b->r[0];
        const ifd_element_in in = {.q = &to, .qd = &zero, .qdd = &zero, .s = b->s};
        b->r[0] = 0;
        b->e.ops->eval(&b->e, &in, &(ifd_element_out){.r = b->r});
        b->e.ops->accept(&b->e, &in, b->s);
        b->s[b->e.ns] += 0.5 * (before + b->r[0]) * (to - b->q[0]);
        b->q[0] = to;
    }
}

static double column(const bench *b, const char *name)
{
    if (strncmp(name, "work", 4) == 0)
        return b->s[b->e.ns];
    return (name[0] == 'r' ? b->r : b->s)[atoi(name + 1)];
}

static int words(const char *text)
{
    int n = 1;
    for (; *text; text++)
        n += *text == ' ';
    return n;
}

static double largest(const table *t, int c, int width)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i += (size_t)width)
        most = fmax(most, fabs(t->values[i + (size_t)c]));
    return most;
}

/* One row: every column to 1e-6 of its largest value, and at least to the digits that are printed. */
static void compare(const bench *b, const table *t, const double *row, int width)
{
    const char *name = t->columns;
    for (int c = 1; c < width; c++, name += strcspn(name, " ") + 1)
        if (!isnan(row[c]))
            assert_near(column(b, name), row[c], 1e-6 * largest(t, c, width), "%s, %.4s at %g", t->name, name,
                        row[0]);
}

TEST(every_element_gives_its_table)
{
    make_load();
    for (size_t i = 0; i < COUNT(tables); i++) {
        const table *t = &tables[i];
        bench b = {.motion = t->motion};
        int width = 1 + words(t->columns), passed = 0;
        assert_int_equal(sample_make(&t->of, arena, &b.e, &note), IFD_OK);
        assert_int_equal(t->count % (size_t)width, 0);
        for (const double *row = t->values; row < t->values + t->count; row += width) {
            if (t->motion != TURNS)
                go(&b, row[0], t->step);
            while (t->motion == TURNS && passed <= (int)row[0])
                turn(&b, t->turns[passed++], 2000);
            compare(&b, t, row, width);
        }
    }
}

TESTS_WITH(open_arena, close_arena)
