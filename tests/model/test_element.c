/* SPDX-License-Identifier: MIT */
/* What every element has to keep, checked for every row of the table. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <string.h>

enum { FEW = BRIEF ? 5 : 1 }; /* divides the random trials */

static ifd_element made(const sample *s)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    return e;
}

static int restart(void **state);

TEST_WITH(every_row_has_a_sample_a_text_and_a_name_of_its_own, restart, NULL)
{
    for (int i = 0; i < ifd_element_count; i++) {
        const ifd_element_ops *ops = ifd_elements[i];
        int found = 0;
        for (int k = 0; k < sample_count; k++)
            found += strcmp(samples[k].element, ops->name) == 0;
        if (!found)
            fail_msg("element '%s' has no sample in element_samples.c", ops->name);
        assert_int_equal(ops->abi, IFD_ELEMENT_ABI);
        assert_non_null(ops->summary);
        assert_non_null(ops->equation);
        assert_ptr_equal(ifd_element_find(ops->name), ops);
        for (const ifd_param *p = ops->params; p->name; p++)
            assert_non_null(p->doc);
    }
    assert_null(ifd_element_find("sprung"));
}

TEST_WITH(no_two_parameters_are_stored_in_one_member, restart, NULL)
{
    static const size_t size[] = {0, sizeof(double), sizeof(int), sizeof(bool)}; /* by ifd_member */
    for (int i = 0; i < ifd_element_count; i++) {
        const ifd_element_ops *ops = ifd_elements[i];
        for (const ifd_param *p = ops->params; p->name; p++) {
            bool whole = p->at + size[p->as] <= ops->bytes && p->as != IFD_MEMBER_NONE;
            if (ops->bytes && !whole)
                fail_msg("'%s' of %s is not stored within its %zu bytes", p->name, ops->name, ops->bytes);
            for (const ifd_param *q = ops->params; q < p; q++)
                if (p->as && q->as && p->at < q->at + size[q->as] && q->at < p->at + size[p->as])
                    fail_msg("'%s' and '%s' of %s are stored in one member", q->name, p->name, ops->name);
        }
    }
}

/* Whether a root function changes sign, or is zero, between two points. */
static bool kink_between(const ifd_element *e, const point *a, const point *b)
{
    if (!e->nroot)
        return false;
    double at_a[SAMPLE_MAX], at_b[SAMPLE_MAX];
    ifd_element_in in_a = point_in(a), in_b = point_in(b);
    e->ops->events(e, &in_a, at_a);
    e->ops->events(e, &in_b, at_b);
    for (int i = 0; i < e->nroot; i++)
        if (!(at_a[i] * at_b[i] > 0))
            return true;
    return false;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* One column of a derivative against (high - low) / (2 h); the scale is the larger of the matrix and value / size. */
static void compare_column(const char *name, const char *which, int rows, int column, const double *exact,
                           const double *low, const double *high, double h, double scale)
{
    for (int i = 0; i < rows; i++)
        assert_near(exact[i + column * rows], (high[i] - low[i]) / (2 * h), 1e-6 * scale, "%s %s(%d, %d)", name,
                    which, i, column);
}

/* The product of m(q) with p's acceleration. */
static void inertia(const answer *a, const point *p, int nq, double *f)
{
    for (int i = 0; i < nq; i++) {
        f[i] = 0;
        for (int j = 0; j < nq; j++)
            f[i] += a->m[i + j * nq] * p->a[j];
    }
}

typedef struct pair {
    const char *r_name, *g_name;
    const double *r, *g; /* exact derivatives */
    const double *m;     /* d(m a)/dq when the variable is q */
} pair;

/* Moves the variable x[column] of a point and compares every derivative with respect to it. False at a kink. */
static bool check_variable(const ifd_element *e, const point *p, size_t offset, int column, double size, pair exact)
{
    point low = *p, high = *p;
    double h = 1e-5 * size;
    ((double *)((char *)&low + offset))[column] -= h;
    ((double *)((char *)&high + offset))[column] += h;
    if (kink_between(e, &low, &high))
        return false;
    answer a = answer_at(e, p), l = answer_at(e, &low), u = answer_at(e, &high);
    int nq = e->nq, ns = e->ops->accept ? 0 : e->ns;
    double r_scale = fmax(largest(exact.r, nq * SAMPLE_MAX), largest(a.r, nq) / size);
    double g_scale = fmax(largest(exact.g, ns * SAMPLE_MAX), largest(a.g, ns) / size);
    compare_column(e->name, exact.r_name, nq, column, exact.r, l.r, u.r, h, r_scale);
    compare_column(e->name, exact.g_name, ns, column, exact.g, l.g, u.g, h, g_scale);
    if (exact.m) {
        double fl[SAMPLE_MAX], fu[SAMPLE_MAX];
        inertia(&l, p, nq, fl);
        inertia(&u, p, nq, fu);
        compare_column(e->name, "m_q", nq, column, exact.m, fl, fu, h,
                       fmax(largest(exact.m, nq * SAMPLE_MAX), largest(fl, nq) / size));
    }
    return true;
}

TEST_WITH(every_tangent_equals_central_differences, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        int checked = 0;
        for (int trial = 0; trial < 200 / FEW; trial++) {
            point p;
            point_random(&samples[k], &e, &p);
            answer a = answer_at(&e, &p);
            for (int j = 0; j < e.nq; j++) {
                pair q = {"r_q", "g_q", a.r_q, a.g_q, a.m_q}, v = {"r_v", "g_v", a.r_v, a.g_v, NULL};
                checked += check_variable(&e, &p, offsetof(point, q), j, samples[k].q, q);
                checked += check_variable(&e, &p, offsetof(point, v), j, samples[k].v, v);
            }
            for (int j = 0; j < e.ns && !e.ops->accept; j++) /* what is remembered does not change within a step */
                checked += check_variable(&e, &p, offsetof(point, s), j, samples[k].s,
                                          (pair){"r_s", "g_s", a.r_s, a.g_s, NULL});
        }
        assert_true(checked > 150 / FEW * (2 * e.nq + (e.ops->accept ? 0 : e.ns)));
    }
}

TEST_WITH(every_output_may_be_asked_for_alone, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        point p;
        point_random(&samples[k], &e, &p);
        answer all = answer_at(&e, &p), one;
        ifd_element_in in = point_in(&p);
        ifd_element_out full = answer_out(&one), none = {0};
        e.ops->eval(&e, &in, &none);
        for (size_t i = 0; i < sizeof full / sizeof(double *); i++) {
            ifd_element_out out = {0};
            memset(&one, 0, sizeof one);
            memcpy((double **)&out + i, (double **)&full + i, sizeof(double *));
            e.ops->eval(&e, &in, &out);
            double *got = ((double **)&full)[i];
            ptrdiff_t where = (char *)got - (char *)&one;
            size_t bytes = (i < 2 ? SAMPLE_MAX : SAMPLE_MAX * SAMPLE_MAX) * sizeof(double);
            if (memcmp(got, (char *)&all + where, bytes) != 0)
                fail_msg("%s: output %zu differs when asked for alone", e.name, i);
        }
    }
}

TEST_WITH(linear_rows_have_constant_tangents_and_no_states, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        if (!(e.ops->flags & IFD_ELEMENT_LINEAR))
            continue;
        assert_int_equal(e.ns, 0);
        point p = {0}, q;
        point_random(&samples[k], &e, &q);
        answer a = answer_at(&e, &p), b = answer_at(&e, &q);
        assert_memory_equal(a.r_q, b.r_q, sizeof a.r_q);
        assert_memory_equal(a.r_v, b.r_v, sizeof a.r_v);
        assert_memory_equal(a.m, b.m, sizeof a.m);
        assert_near(a.r[0], 0, 0, "%s at rest", e.name);
    }
}

/* The smallest pivot of m by symmetric elimination with the largest diagonal first. */
static double smallest_pivot(const double *m, int n)
{
    double a[SAMPLE_MAX * SAMPLE_MAX], least = HUGE_VAL;
    bool done[SAMPLE_MAX] = {false};
    memcpy(a, m, sizeof a);
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (best < 0 || a[i + i * n] > a[best + best * n]))
                best = i;
        double pivot = a[best + best * n];
        least = fmin(least, pivot);
        done[best] = true;
        if (!(pivot > 1e-12 * largest(m, n * n)))
            continue;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (!done[i] && !done[j])
                    a[i + j * n] -= a[i + best * n] * a[best + j * n] / pivot;
    }
    return least;
}

TEST_WITH(every_mass_is_symmetric_and_not_negative, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        for (int trial = 0; trial < 50 / FEW; trial++) {
            point p;
            point_random(&samples[k], &e, &p);
            answer a = answer_at(&e, &p);
            double scale = largest(a.m, e.nq * e.nq);
            for (int i = 0; i < e.nq; i++)
                for (int j = 0; j < e.nq; j++)
                    assert_near(a.m[i + j * e.nq], a.m[j + i * e.nq], 0, "%s m(%d, %d)", e.name, i, j);
            assert_true(smallest_pivot(a.m, e.nq) >= -1e-12 * scale);
            if (e.ops->flags & IFD_ELEMENT_INERTIAL)
                assert_true(scale > 0);
        }
    }
}

/* Stored plus kinetic energy of the element's own mass. */
static double total(const ifd_element *e, const point *p)
{
    answer a = answer_at(e, p);
    ifd_element_in in = point_in(p);
    double energy, power;
    e->ops->energy(e, &in, &energy, &power);
    for (int i = 0; i < e->nq; i++)
        for (int j = 0; j < e->nq; j++)
            energy += 0.5 * p->v[i] * a.m[i + j * e->nq] * p->v[j];
    return energy;
}

/* The point after a short time, to first order. */
static point later(const ifd_element *e, const point *p, const answer *a, double dt)
{
    point next = *p;
    for (int i = 0; i < e->nq; i++) {
        next.q[i] += dt * p->v[i];
        next.v[i] += dt * p->a[i];
    }
    for (int i = 0; i < e->ns; i++)
        next.s[i] += dt * a->g[i];
    return next;
}

/* Whatever the acceleration: (r + m q'') . qd = d(stored + kinetic)/dt + dissipated. */
TEST_WITH(every_force_works_into_stored_kinetic_or_dissipated_energy, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        int checked = 0;
        for (int trial = 0; trial < 100 / FEW; trial++) {
            point p;
            point_random(&samples[k], &e, &p);
            answer a = answer_at(&e, &p);
            double dt = 1e-5 * samples[k].q / samples[k].v;
            point before = later(&e, &p, &a, -dt), after = later(&e, &p, &a, dt);
            if (kink_between(&e, &before, &after))
                continue;
            double f[SAMPLE_MAX], work = 0, stored, dissipated, size = 0;
            inertia(&a, &p, e.nq, f);
            for (int i = 0; i < e.nq; i++) {
                work += (a.r[i] + f[i]) * p.v[i];
                size += (fabs(a.r[i]) + fabs(f[i])) * samples[k].v;
            }
            ifd_element_in in = point_in(&p);
            e.ops->energy(&e, &in, &stored, &dissipated);
            double growth = (total(&e, &after) - total(&e, &before)) / (2 * dt);
            assert_near(growth + dissipated, work, 1e-6 * size, "power of %s", e.name);
            checked++;
        }
        assert_true(checked > 50 / FEW);
    }
}

TEST_WITH(nothing_is_stored_and_nothing_pulls_at_rest, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        point p = {0};
        if (e.ops->accept && e.s0)
            memcpy(p.s, e.s0, sizeof *p.s * (size_t)e.ns);
        if (strcmp(e.name, "spring-pendulum") == 0)
            p.q[2] = 2 * 9.8 / 800; /* hangs at m g / k */
        if (strcmp(e.name, "pid") == 0)
            p.q[0] = 0.01; /* its target */
        answer a = answer_at(&e, &p);
        ifd_element_in in = point_in(&p);
        double stored, dissipated;
        e.ops->energy(&e, &in, &stored, &dissipated);
        assert_near(stored, 0, 1e-14, "stored in %s", e.name);
        assert_near(dissipated, 0, 0, "dissipated in %s", e.name);
        if (strcmp(e.name, "pid") != 0)
            assert_near(largest(a.r, e.nq), 0, 1e-13, "force of %s", e.name);
    }
}

static point between(const point *a, const point *b, double x)
{
    point p;
    const double *from = (const double *)a, *to = (const double *)b;
    double *into = (double *)&p;
    for (size_t i = 0; i < sizeof p / sizeof(double); i++)
        into[i] = from[i] + x * (to[i] - from[i]);
    return p;
}

/* Largest difference of any tangent or value, in units of scale. */
static double leap(const ifd_element *e, const point *a, const point *b, const answer *scale)
{
    answer at_a = answer_at(e, a), at_b = answer_at(e, b);
    const double *x = (const double *)&at_a, *y = (const double *)&at_b, *z = (const double *)scale;
    double most = 0;
    for (size_t i = 0; i < offsetof(answer, m) / sizeof(double); i++)
        if (z[i] > 0)
            most = fmax(most, fabs(x[i] - y[i]) / z[i]);
    return most;
}

/* The reference solution stops at roots only: a jump elsewhere would go unseen. */
TEST_WITH(every_jump_of_a_value_or_tangent_lies_at_a_root, restart, NULL)
{
    int jumps = 0;
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        assert_true(e.nroot == 0 || e.ops->events);
        /* An element that remembers reversals has a kink at its present point, which only a reversal crosses. */
        for (int trial = 0; trial < 100 / FEW && !e.ops->accept; trial++) {
            point a, b;
            point_random(&samples[k], &e, &a);
            point_random(&samples[k], &e, &b);
            answer scale = answer_at(&e, &a), other = answer_at(&e, &b);
            for (size_t i = 0; i < sizeof scale / sizeof(double); i++)
                ((double *)&scale)[i] = fmax(fabs(((double *)&scale)[i]), fabs(((double *)&other)[i]));
            for (int i = 0; i < 50; i++) {
                /* follow the half with the larger change: a jump stays, a steep slope fades */
                double lo = i / 50.0, hi = (i + 1) / 50.0;
                point p = between(&a, &b, lo), q = between(&a, &b, hi);
                for (int deep = 0; deep < 30 && leap(&e, &p, &q, &scale) > 0.02; deep++) {
                    point mid = between(&a, &b, 0.5 * (lo + hi));
                    bool left = leap(&e, &p, &mid, &scale) > leap(&e, &mid, &q, &scale);
                    *(left ? &hi : &lo) = 0.5 * (lo + hi);
                    *(left ? &q : &p) = mid;
                }
                if (!(leap(&e, &p, &q, &scale) > 0.02))
                    continue;
                jumps++;
                if (!kink_between(&e, &p, &q))
                    fail_msg("%s jumps where no root function changes sign", e.name);
            }
        }
    }
    assert_true(jumps > 100 / FEW);
}

/* s after dq by many small steps of g at unit speed, settled as a method would. */
static void creep(const ifd_element *e, double dq, int steps, double *s)
{
    point p = {.v = {dq < 0 ? -1 : 1}};
    double h = fabs(dq) / steps;
    for (int k = 0; k < steps; k++) {
        memcpy(p.s, s, sizeof(double) * (size_t)e->ns);
        answer k1 = answer_at(e, &p);
        for (int i = 0; i < e->ns; i++)
            p.s[i] = s[i] + 0.5 * h * k1.g[i];
        answer k2 = answer_at(e, &p);
        for (int i = 0; i < e->ns; i++)
            p.s[i] = s[i] + 0.5 * h * k2.g[i];
        answer k3 = answer_at(e, &p);
        for (int i = 0; i < e->ns; i++)
            p.s[i] = s[i] + h * k3.g[i];
        answer k4 = answer_at(e, &p);
        for (int i = 0; i < e->ns; i++)
            s[i] += h / 6 * (k1.g[i] + 2 * k2.g[i] + 2 * k3.g[i] + k4.g[i]);
        if (e->ops->settle)
            e->ops->settle(e, s, NULL, NULL);
    }
}

/* 1e-9: what the pieces of a Bouc-Wen path without closed form reach when it moves half its limit at once. */
TEST_WITH(advancing_equals_creeping_along_the_same_path, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        for (int trial = 0; e.ops->advance && trial < 20 / FEW; trial++) {
            point p;
            point_random(&samples[k], &e, &p);
            double dq = 0.2 * samples[k].q * random_unit(), exact[SAMPLE_MAX], slow[SAMPLE_MAX];
            if (e.ops->settle)
                e.ops->settle(&e, p.s, NULL, NULL);
            memcpy(exact, p.s, sizeof exact);
            memcpy(slow, p.s, sizeof slow);
            e.ops->advance(&e, &dq, exact, NULL);
            creep(&e, dq, 5000, slow);
            for (int i = 0; i < e.ns; i++)
                assert_near(exact[i], slow[i], 1e-9 * samples[k].s, "%s[%d] state %d", e.name, k, i);
        }
    }
}

TEST_WITH(the_derivative_of_advance_equals_differences, restart, NULL)
{
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        for (int trial = 0; e.ops->advance && trial < 100 / FEW; trial++) {
            point p;
            point_random(&samples[k], &e, &p);
            if (e.ops->settle)
                e.ops->settle(&e, p.s, NULL, NULL);
            double h = 1e-6 * samples[k].q, dq = 0.2 * samples[k].q * random_unit();
            double move[3] = {dq - h, dq, dq + h}, s[3][SAMPLE_MAX], s_q[3][SAMPLE_MAX];
            for (int i = 0; i < 3; i++) {
                memcpy(s[i], p.s, sizeof s[i]);
                e.ops->advance(&e, &move[i], s[i], s_q[i]);
            }
            for (int i = 0; i < e.ns && fabs(dq) > h; i++)
                if (fabs(s_q[0][i] - s_q[2][i]) < 0.5) /* not across a slider's limit */
                    assert_near(s_q[1][i], (s[2][i] - s[0][i]) / (2 * h), 1e-6, "%s[%d] state %d", e.name, k, i);
        }
    }
}

TEST_WITH(an_element_without_memory_says_so, restart, NULL)
{
    for (int k = 0; k < sample_count; k++)
        for (long n = 1;; n++) {
            ifd_arena *small = ifd_arena_open();
            ifd_arena_fail_at(small, n);
            ifd_element e;
            ifd_status status = sample_make(&samples[k], small, &e, NULL);
            ifd_arena_close(small);
            if (status == IFD_OK) {
                assert_true(n > 1);
                break;
            }
            assert_int_equal(status, IFD_NO_MEMORY);
        }
}

static int restart(void **state)
{
    (void)state;
    random_restart();
    return 0;
}

TESTS_WITH(open_arena, close_arena)
