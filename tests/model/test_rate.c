/* SPDX-License-Identifier: MIT */
/* Which forces depend on the rate of the motion: every element is moved along one path at two speeds. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"
#include "model/rate.h"

#include <string.h>

enum { STEPS = 2000, PERIODS = 2 };

typedef struct moved {
    const ifd_element *e;
    double q0[SAMPLE_MAX], q1[SAMPLE_MAX], v0[SAMPLE_MAX], v1[SAMPLE_MAX], s[SAMPLE_STATES];
} moved;

static void force(const moved *m, double t, double *r)
{
    const double zero[SAMPLE_MAX] = {0};
    memset(r, 0, SAMPLE_MAX * sizeof *r);
    m->e->ops->eval(m->e, &(ifd_element_in){.t = t, .q = m->q1, .qd = m->v1, .qdd = zero, .s = m->s},
                    &(ifd_element_out){.r = r});
}

/* The rates at the fraction x of the step, along a straight line. */
static void rates(const moved *m, double t, double x, double h, const double *s, double *g)
{
    double q[SAMPLE_MAX], v[SAMPLE_MAX];
    const double zero[SAMPLE_MAX] = {0};
    for (int i = 0; i < m->e->nq; i++) {
        v[i] = (m->q1[i] - m->q0[i]) / h;
        q[i] = m->q0[i] + x * (m->q1[i] - m->q0[i]);
    }
    memset(g, 0, SAMPLE_STATES * sizeof *g);
    m->e->ops->eval(m->e, &(ifd_element_in){.t = t, .q = q, .qd = v, .qdd = zero, .s = s},
                    &(ifd_element_out){.g = g});
}

/* Heun's method, which is second order. */
static void integrate(moved *m, double t, double h)
{
    double a[SAMPLE_STATES], b[SAMPLE_STATES], s[SAMPLE_STATES];
    rates(m, t, 0.0, h, m->s, a);
    for (int i = 0; i < m->e->ns; i++)
        s[i] = m->s[i] + h * a[i];
    rates(m, t, 1.0, h, s, b);
    for (int i = 0; i < m->e->ns; i++)
        m->s[i] += 0.5 * h * (a[i] + b[i]);
    if (m->e->ops->settle)
        m->e->ops->settle(m->e, m->s, NULL, NULL);
}

static void step(moved *m, double t, double h)
{
    const ifd_element_ops *ops = m->e->ops;
    double dq[SAMPLE_MAX];
    for (int i = 0; i < m->e->nq; i++)
        dq[i] = m->q1[i] - m->q0[i];
    if (ops->accept)
        ops->accept(m->e, &(ifd_element_in){.t = t, .q = m->q1, .qd = m->v1, .qdd = m->v1, .s = m->s}, m->s);
    else if (m->e->ns && ops->advance)
        ops->advance(m->e, dq, m->s, NULL);
    else if (m->e->ns && ops->follow)
        ops->follow(m->e,
                    &(ifd_element_move){.from = t - h, .to = t, .q0 = m->q0, .v0 = m->v0, .q1 = m->q1, .v1 = m->v1},
                    m->s);
    else if (m->e->ns)
        integrate(m, t, h);
}

/* Forces along sines of the size of the sample; faster: than its rate. Time as the element sees it is that of the
 * motion in both cases, as in a slow test. */
static void along(const sample *of, const ifd_element *e, double faster, double (*r)[SAMPLE_MAX])
{
    moved m = {.e = e};
    double w = of->v / of->q, h = 2 * M_PI * PERIODS / w / STEPS;
    for (int i = 0; i < e->ns; i++)
        m.s[i] = e->s0 ? e->s0[i] : 0.0;
    for (int k = 1; k <= STEPS; k++) {
        double t = k * h;
        for (int i = 0; i < e->nq; i++) {
            double a = of->q * (1.0 - 0.2 * i);
            m.q0[i] = m.q1[i];
            m.v0[i] = m.v1[i];
            m.q1[i] = a * sin(w * t);
            m.v1[i] = faster * w * a * cos(w * t);
        }
        if (e->ops->accept) /* the force of the move, then its memory */
            force(&m, t, r[k - 1]);
        step(&m, t, h / faster);
        if (!e->ops->accept)
            force(&m, t, r[k - 1]);
    }
}

static bool depends(const sample *of, const ifd_element *e)
{
    static double slow[STEPS][SAMPLE_MAX], fast[STEPS][SAMPLE_MAX];
    double peak = 0.0, off = 0.0;
    along(of, e, 1.0, slow);
    along(of, e, 4.0, fast);
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < e->nq; i++) {
            peak = fmax(peak, fabs(slow[k][i]));
            off = fmax(off, fabs(slow[k][i] - fast[k][i]));
        }
    return !(off <= 1e-6 * peak);
}

TEST_IN_ARENA(every_element_is_told_from_its_motion_at_two_speeds)
{
    int both[2] = {0, 0};
    for (int i = 0; i < sample_count; i++) {
        ifd_element e;
        assert_int_equal(sample_make(&samples[i], arena, &e, &note), IFD_OK);
        if (e.ops->carry || e.ops->flags & IFD_ELEMENT_INERTIAL || strcmp(e.ops->name, "mass") == 0) {
            assert_true(ifd__element_rate_dependent(&e, arena));
            continue;
        }
        bool expected = depends(&samples[i], &e), found = ifd__element_rate_dependent(&e, arena);
        if (found != expected)
            fail_msg("sample %d, %s: found %d, its motion says %d", i, samples[i].element, found, expected);
        both[expected]++;
    }
    print_message("%d depend on the rate, %d do not\n", both[1], both[0]);
    assert_true(both[0] > 20 && both[1] > 20);
}

TESTS()
