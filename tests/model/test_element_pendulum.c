/* SPDX-License-Identifier: MIT */
/* Pendulums against the same bodies written in Cartesian coordinates, and against conservation of energy. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <string.h>

static const double g = 9.81, M = 3, m1 = 2, l1 = 0.7, m2 = 1.3, l2 = 1.1, k = 300;

static ifd_element made(const char *name, int nq)
{
    sample s = {name, nq, 1, 1, 1, {{.name = "mass", .number = m1}, {.name = "length", .number = l1}}};
    if (strcmp(name, "spring-pendulum") == 0)
        s.set[2] = (setting){.name = "stiffness", .number = k};
    if (strcmp(name, "double-pendulum") == 0) {
        s.set[2] = (setting){.name = "mass2", .number = m2};
        s.set[3] = (setting){.name = "length2", .number = l2};
    }
    ifd_element e;
    assert_int_equal(sample_make(&s, arena, &e, NULL), IFD_OK);
    return e;
}

/* Accelerations of the free motion with a cart of mass M at the pivot. */
static void accelerations(const ifd_element *e, point *p)
{
    answer a = answer_at(e, p);
    a.m[0] += M;
    for (int i = 0; i < e->nq; i++)
        p->a[i] = -a.r[i];
    solve_small(e->nq, a.m, p->a);
}

static point random_point(int nq, double size)
{
    point p = {0};
    for (int i = 0; i < nq; i++) {
        p.q[i] = size * random_unit();
        p.v[i] = 3 * random_unit();
    }
    return p;
}

/* Rods as constraints between the cart (X) and two bobs: unknown X'', bob accelerations, two rod forces. */
static void rods(const point *p, double *bob1, double *bob2, double *cart)
{
    double n1[2] = {sin(p->q[1]), -cos(p->q[1])}, n2[2] = {sin(p->q[2]), -cos(p->q[2])};
    double w1 = p->v[1], w2 = p->v[2];
    /* x = (X'', a1x, a1y, a2x, a2y, T1, T2); T pulls along the rod */
    double A[49] = {0}, b[7] = {0, 0, -m1 * g, 0, -m2 * g, -l1 * w1 * w1, -l2 * w2 * w2};
#define AT(i, j) A[(i) + (j)*7]
    AT(0, 0) = M, AT(0, 5) = -n1[0];
    for (int i = 0; i < 2; i++) {
        AT(1 + i, 1 + i) = m1, AT(1 + i, 5) = n1[i], AT(1 + i, 6) = -n2[i];
        AT(3 + i, 3 + i) = m2, AT(3 + i, 6) = n2[i];
        AT(5, 1 + i) = n1[i];
        AT(6, 3 + i) = n2[i], AT(6, 1 + i) = -n2[i];
    }
    AT(5, 0) = -n1[0];
#undef AT
    solve_small(7, A, b);
    *cart = b[0];
    memcpy(bob1, b + 1, 2 * sizeof(double));
    memcpy(bob2, b + 3, 2 * sizeof(double));
}

TEST(the_double_pendulum_equals_two_rods_in_cartesian_coordinates)
{
    ifd_element e = made("double-pendulum", 3);
    for (int trial = 0; trial < 200; trial++) {
        point p = random_point(3, 3);
        accelerations(&e, &p);
        double a1[2], a2[2], cart;
        rods(&p, a1, a2, &cart);
        double s1 = sin(p.q[1]), c1 = cos(p.q[1]), s2 = sin(p.q[2]), c2 = cos(p.q[2]);
        double x1 = p.a[0] + l1 * (c1 * p.a[1] - s1 * p.v[1] * p.v[1]);
        double y1 = l1 * (s1 * p.a[1] + c1 * p.v[1] * p.v[1]);
        assert_near(p.a[0], cart, 1e-9, "cart");
        assert_near(x1, a1[0], 1e-9, "upper bob, x");
        assert_near(y1, a1[1], 1e-9, "upper bob, y");
        assert_near(x1 + l2 * (c2 * p.a[2] - s2 * p.v[2] * p.v[2]), a2[0], 1e-9, "lower bob, x");
        assert_near(y1 + l2 * (s2 * p.a[2] + c2 * p.v[2] * p.v[2]), a2[1], 1e-9, "lower bob, y");
    }
}

/* Only gravity and the force k e along the spring act on the bob. */
TEST(the_spring_pendulum_equals_a_bob_on_a_spring_in_cartesian_coordinates)
{
    ifd_element e = made("spring-pendulum", 3);
    for (int trial = 0; trial < 200; trial++) {
        point p = random_point(3, 0.5);
        p.q[1] *= 6;
        accelerations(&e, &p);
        double sn = sin(p.q[1]), cs = cos(p.q[1]), l = l1 + p.q[2], w = p.v[1], u = p.v[2];
        double pull = k * p.q[2];
        double ax = p.a[0] + p.a[2] * sn + 2 * u * w * cs + l * (p.a[1] * cs - w * w * sn);
        double ay = -p.a[2] * cs + 2 * u * w * sn + l * (p.a[1] * sn + w * w * cs);
        assert_near(m1 * ax, -pull * sn, 1e-9, "bob, x");
        assert_near(m1 * ay, pull * cs - m1 * g, 1e-9, "bob, y");
        assert_near(M * p.a[0], pull * sn, 1e-9, "cart");
    }
}

/* Equations of the shear building with pendulum, with the storey's stiffness and mass left to the cart. */
TEST(the_pendulum_has_the_printed_equations)
{
    ifd_element e = made("pendulum", 2);
    for (int trial = 0; trial < 100; trial++) {
        point p = random_point(2, 3);
        p.a[0] = random_unit(), p.a[1] = random_unit();
        answer a = answer_at(&e, &p);
        double th = p.q[1], w = p.v[1], x2 = p.a[0], th2 = p.a[1];
        double on_x = a.r[0] + a.m[0] * x2 + a.m[2] * th2, on_th = a.r[1] + a.m[1] * x2 + a.m[3] * th2;
        assert_near(on_x, m1 * x2 + m1 * l1 * (th2 * cos(th) - w * w * sin(th)), 1e-12, "");
        assert_near(on_th, m1 * l1 * l1 * th2 + m1 * l1 * x2 * cos(th) + m1 * g * l1 * sin(th), 1e-12, "");
    }
}

/* Equation (90) of Sajeeb, Roy and Manohar with the pivot held. */
TEST(the_double_pendulum_has_the_printed_equations)
{
    ifd_element e = made("double-pendulum", 3);
    for (int trial = 0; trial < 100; trial++) {
        point p = random_point(3, 3);
        p.a[1] = random_unit(), p.a[2] = random_unit();
        answer a = answer_at(&e, &p);
        double d = p.q[1] - p.q[2], j = m2 * l1 * l2, first = a.r[1], second = a.r[2];
        for (int i = 1; i < 3; i++) {
            first += a.m[1 + 3 * i] * p.a[i];
            second += a.m[2 + 3 * i] * p.a[i];
        }
        assert_near(first,
                    (m1 + m2) * l1 * l1 * p.a[1] + j * p.a[2] * cos(d) + j * p.v[2] * p.v[2] * sin(d) +
                        (m1 + m2) * g * l1 * sin(p.q[1]),
                    1e-12, "upper");
        assert_near(second,
                    m2 * l2 * l2 * p.a[2] + j * p.a[1] * cos(d) - j * p.v[1] * p.v[1] * sin(d) +
                        m2 * g * l2 * sin(p.q[2]),
                    1e-12, "lower");
    }
}

static double energy(const ifd_element *e, const point *p)
{
    answer a = answer_at(e, p);
    ifd_element_in in = point_in(p);
    double total, lost;
    e->ops->energy(e, &in, &total, &lost);
    a.m[0] += M;
    for (int i = 0; i < e->nq; i++)
        for (int j = 0; j < e->nq; j++)
            total += 0.5 * p->v[i] * a.m[i + j * e->nq] * p->v[j];
    return total;
}

/* One step of the classical Runge-Kutta method. */
static void march(const ifd_element *e, point *p, double h)
{
    static const double node[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    point sum = *p, at = *p;
    for (int stage = 0; stage < 4; stage++) {
        if (stage > 0)
            for (int i = 0; i < e->nq; i++) {
                double v = at.v[i], a = at.a[i];
                at.q[i] = p->q[i] + node[stage] * h * v;
                at.v[i] = p->v[i] + node[stage] * h * a;
            }
        accelerations(e, &at);
        for (int i = 0; i < e->nq; i++) {
            sum.q[i] += weight[stage] * h * at.v[i];
            sum.v[i] += weight[stage] * h * at.a[i];
        }
    }
    *p = sum;
}

TEST(undamped_pendulums_on_a_cart_keep_their_energy_and_momentum)
{
    const char *name[] = {"pendulum", "spring-pendulum", "double-pendulum"};
    for (size_t i = 0; i < COUNT(name); i++) {
        ifd_element e = made(name[i], i == 0 ? 2 : 3);
        point p = {.q = {0, 1.2}};
        double start = energy(&e, &p);
        for (int n = 0; n < 20000; n++)
            march(&e, &p, 1e-4);
        assert_true(start > 1);
        assert_near_rel(energy(&e, &p), start, 1e-10, "%s after 2 s", name[i]);
        answer a = answer_at(&e, &p);
        double momentum = M * p.v[0];
        for (int j = 0; j < e.nq; j++)
            momentum += a.m[j * e.nq] * p.v[j];
        assert_near(momentum, 0, 1e-10, "%s after 2 s", name[i]);
    }
}

TEST(names_of_own_dofs_match_the_coordinates)
{
    for (int i = 0; i < sample_count; i++) {
        const ifd_element_ops *ops = ifd_element_find(samples[i].element);
        if (ops->attach != IFD_ATTACH_PIVOT)
            continue;
        int own = 0;
        while (ops->own[own])
            own++;
        assert_int_equal(samples[i].nq, own + 1);
        assert_true(ops->flags & IFD_ELEMENT_INERTIAL);
    }
}

TESTS_WITH(open_arena, close_arena)
