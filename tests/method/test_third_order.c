/* SPDX-License-Identifier: MIT */
/* Why there is no LSRT3: three stages have no third order with a Jacobian that is not exact
 * (docs/reference/methods.md). The conditions are those of W-methods, Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.7; alpha_i and g_i are the sums of rows of A and Gamma. */
#include "check.h"

enum { N = 3 };

typedef struct tableau {
    double b[N], A[N][N], G[N][N]; /* G with gamma on its diagonal */
} tableau;

static void rows(double M[N][N], const double *x, double *out)
{
    for (int i = 0; i < N; i++) {
        out[i] = 0.0;
        for (int j = 0; j < N; j++)
            out[i] += M[i][j] * x[j];
    }
}

static double weighted(const double *b, const double *x)
{
    return b[0] * x[0] + b[1] * x[1] + b[2] * x[2];
}

/* The only coefficients that meet all conditions but the last, for given nodes and gamma. */
static tableau solved(double a2, double a3, double gamma)
{
    tableau t = {.G = {{gamma, 0, 0}, {0, gamma, 0}, {0, 0, gamma}}};
    t.b[1] = (a3 / 2 - 1.0 / 3) / (a2 * (a3 - a2));
    t.b[2] = (1.0 / 3 - a2 / 2) / (a3 * (a3 - a2));
    t.b[0] = 1 - t.b[1] - t.b[2];
    t.A[1][0] = a2;
    t.A[2][1] = 1 / (6 * a2 * t.b[2]);
    t.A[2][0] = a3 - t.A[2][1];
    t.G[1][0] = -gamma / (2 * t.b[2] * t.A[2][1]);
    t.G[2][1] = -gamma / (2 * t.b[2] * a2);
    t.G[2][0] = -(gamma + t.b[1] * t.G[1][0]) / t.b[2] - t.G[2][1];
    return t;
}

TEST(three_stages_miss_the_last_condition_of_order_three_with_any_jacobian)
{
    const double node[][2] = {{1.0 / 3, 2.0 / 3}, {0.5, 1}, {0.2, 0.9}, {0.7, 0.3}}, one[N] = {1, 1, 1};
    const double gamma[] = {0.43586652150845899942, 0.2928932188134524756, 1};
    (void)state;
    for (size_t i = 0; i < COUNT(node); i++)
        for (size_t k = 0; k < COUNT(gamma); k++) {
            tableau t = solved(node[i][0], node[i][1], gamma[k]);
            double alpha[N], g[N], x[N], square[N];
            rows(t.A, one, alpha);
            rows(t.G, one, g);
            for (int j = 0; j < N; j++)
                square[j] = alpha[j] * alpha[j];
            assert_near(weighted(t.b, one), 1, 1e-14, "order 1");
            assert_near(weighted(t.b, alpha), 0.5, 1e-14, "order 2");
            assert_near(weighted(t.b, g), 0, 1e-13, "order 2, any J");
            assert_near(weighted(t.b, square), 1.0 / 3, 1e-13, "order 3");
            rows(t.A, alpha, x);
            assert_near(weighted(t.b, x), 1.0 / 6, 1e-13, "order 3");
            rows(t.A, g, x);
            assert_near(weighted(t.b, x), 0, 1e-13, "order 3, any J");
            rows(t.G, alpha, x);
            assert_near(weighted(t.b, x), 0, 1e-13, "order 3, any J");
            rows(t.G, g, x); /* zero for order 3 */
            assert_near(weighted(t.b, x), gamma[k] * gamma[k] / 2, 1e-12, "what is left");
        }
}

/* L-stable where the numerator of degree 3 vanishes; the page gives the number. */
TEST(the_page_gives_the_gamma_of_three_stages)
{
    const double g = 0.43586652150845899942;
    (void)state;
    assert_near(g * g * g - 3 * g * g + 1.5 * g - 1.0 / 6, 0, 1e-15, "numerator");
    assert_near(g * g / 2, 0.095, 5e-4, "what is left");
}

TESTS()
