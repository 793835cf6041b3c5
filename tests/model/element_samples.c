/* SPDX-License-Identifier: MIT */
#include "element_samples.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define NUM(which, x)                                                                                                \
    {                                                                                                                \
        .name = (which), .number = (x)                                                                               \
    }
#define WORD(which, w)                                                                                               \
    {                                                                                                                \
        .name = (which), .word = (w)                                                                                 \
    }
#define ROWS(which, array, r, c)                                                                                     \
    {                                                                                                                \
        .name = (which), .data = (array), .rows = (r), .cols = (c)                                                   \
    }

static const double bearing[] = {6.67e7, 1.5e-3, 1.15e6, 0.07};
static const double three[] = {3e4, 0.01, 2e4, 0.02, 1e4, 0.05};
static const double A3[] = {-1, 2, 0, 0.5, -3, 1, 0, 0.25, -4};
static const double B3[] = {1, 0, -2, 0.5, 0, 3};
static const double C3[] = {10, 20, 30};
static const double D3[] = {100, -5};
static const double A2[] = {0, 1, -9, -2}, B2[] = {0, 1}, C2[] = {1, 2, 3, 4}, D2[] = {7, 8};
static const double mixed[] = {0, 1}, rate[] = {1}, started[] = {0.1, 0.2, 0.3};
static const double gain[] = {3, 4};
static const double cubic[] = {14000, 69500, -900, 40}, three_c0[] = {2100, 350, 12}, one_c1[] = {28300};
/* A filtered velocity; a displacement and a velocity with two states. */
static const double law[] = {1, 1, 1, -30, 25, 2, 0.5, 0.1, 0.4};
static const double law_two[] = {2, 2, 0, 1, -3, 1, 2, -40, 5, 0, 0, 7, 30, 2, 4, 0.5, 0, 0.2, 0.9};
static const double later[] = {0, 0.5, 0.5, 2.25};
static const double branches[] = {2e6, 5e4, 5e5, 1e5}, powers[] = {2e6, 2e5, 0.4, 4e5, 3e4, 0.8, 1e6, 2e4, 1};

static const double sand[] = {0.61, 1e4, 2.2e7}, clay[] = {4e4, 8e3, 0.01, 0.5};
static const double curve[] = {0.01, 1e5, 0.03, 2e5}, both[] = {-0.03, -2e5, -0.01, -1e5, 0.01, 1e5, 0.03, 2e5};

static const double two_radii[] = {1, 2}, outer_inner[] = {1.5, 0.3}, three_mu[] = {0.02, 0.06, 0.1};

/* Sizes: coordinate, rate, state. */
const sample samples[] = {
    {"spring", 1, 0.1, 1, 1, {NUM("stiffness", 4e3)}},
    {"spring", 1, 0.1, 1, 1, {NUM("stiffness", -50)}},
    {"dashpot", 1, 0.1, 1, 1, {NUM("damping", 250)}},
    {"mass", 1, 0.1, 1, 1, {NUM("mass", 12)}},
    {"cubic-spring", 1, 0.1, 1, 1, {NUM("stiffness", 200), NUM("epsilon", 1000)}},
    {"power-dashpot", 1, 0.1, 1, 1, {NUM("coefficient", 900), NUM("exponent", 0.35), NUM("smoothing", 0.02)}},
    {"power-dashpot", 1, 0.1, 1, 1, {NUM("coefficient", 900), NUM("exponent", 1)}},
    {"power-dashpot", 1, 0.1, 1, 1, {NUM("coefficient", 900), NUM("exponent", 1.7)}},
    {"gap", 1, 0.05, 1, 1, {NUM("stiffness", 1e6), NUM("gap", 0.01)}},
    {"gap", 1, 0.05, 1, 1, {NUM("stiffness", 1e6), NUM("gap", 0.01), WORD("side", "below")}},
    {"gap", 1, 0.05, 1, 1, {NUM("stiffness", 1e6), NUM("gap", 0.02), WORD("side", "both")}},
    {"bilinear", 1, 0.02, 1, 0.004, {NUM("stiffness", 4e8), NUM("ratio", 0.05), NUM("yield", 0.003)}},
    {"sliders", 1, 0.1, 1, 0.1, {ROWS("sliders", bearing, 2, 2), NUM("spring", 5e5)}},
    {"sliders", 1, 0.1, 1, 0.06, {ROWS("sliders", three, 3, 2), NUM("scale", 2)}},
    {"bouc-wen", 1, 0.05, 1, 0.02, {NUM("stiffness", 1e5), NUM("beta", 40), NUM("gamma", 10)}},
    {"bouc-wen", 1, 0.05, 1, 0.02, {NUM("stiffness", 1e5), NUM("alpha", 0.1), NUM("beta", 40), NUM("gamma", -40)}},
    {"bouc-wen",
     1,
     0.05,
     1,
     0.02,
     {NUM("stiffness", 1e5), NUM("alpha", 0.2), NUM("beta", 1500), NUM("gamma", 1000), NUM("n", 2)}},
    {"bouc-wen",
     1,
     0.05,
     1,
     0.02,
     {NUM("stiffness", 1e5), NUM("alpha", 0.1), NUM("beta", 300), NUM("gamma", 200), NUM("n", 1.6)}},
    {"bouc-wen", 1, 0.05, 1, 0.02, {NUM("stiffness", 1e5), NUM("beta", 1e8), NUM("gamma", -5e7), NUM("n", 4.5)}},
    {"pendulum", 2, 2, 3, 1, {NUM("mass", 2), NUM("length", 0.7), NUM("damping", 0.3)}},
    {"spring-pendulum",
     3,
     0.5,
     3,
     1,
     {NUM("mass", 2), NUM("length", 0.7), NUM("stiffness", 800), NUM("damping", 0.3), NUM("stretch-damping", 5),
      NUM("gravity", 9.8)}},
    {"double-pendulum",
     3,
     2,
     3,
     1,
     {NUM("mass", 2), NUM("length", 0.7), NUM("mass2", 1.3), NUM("length2", 1.1), NUM("damping", 0.3),
      NUM("damping2", 0.2)}},
    {"block",
     3,
     0.1,
     1,
     1,
     {ROWS("A", A3, 3, 3), ROWS("B", B3, 3, 2), ROWS("C", C3, 1, 3), ROWS("D", D3, 1, 2),
      ROWS("initial", started, 1, 3), NUM("reads", 2), ROWS("kinds", mixed, 1, 2)}},
    {"block",
     3,
     0.1,
     1,
     1,
     {ROWS("A", A2, 2, 2), ROWS("B", B2, 2, 1), ROWS("C", C2, 2, 2), ROWS("D", D2, 2, 1), ROWS("kinds", rate, 1, 1)}},
    {"block", 3, 0.1, 1, 1, {ROWS("D", gain, 1, 2), NUM("reads", 2)}},
    {"pid", 2, 0.1, 1, 1, {NUM("kp", 100), NUM("ki", 30), NUM("kd", 5), NUM("filter", 0.02), NUM("target", 0.01)}},
    {"pid", 2, 0.1, 1, 1, {NUM("kp", 100), NUM("ki", 30), ROWS("kinds", rate, 1, 1)}},
    {"low-pass", 2, 0.1, 1, 1, {NUM("gain", 50), NUM("cutoff", 3)}},
    {"low-pass", 2, 0.1, 1, 1, {NUM("gain", 50), NUM("cutoff", 3), NUM("order", 2), NUM("damping-ratio", 0.4)}},
    {"high-pass", 2, 0.1, 1, 1, {NUM("gain", 50), NUM("cutoff", 3), ROWS("kinds", rate, 1, 1)}},
    {"high-pass", 2, 0.1, 1, 1, {NUM("gain", 50), NUM("cutoff", 3), NUM("order", 2)}},
    {"washout", 2, 0.1, 1, 1, {NUM("gain", 50), NUM("time", 0.3)}},
    {"lead-lag", 2, 0.1, 1, 1, {NUM("gain", 50), NUM("lead", 0.3), NUM("lag", 0.05)}},
    {"mr-damper", 1, 0.01, 0.5, 0.005, {NUM("x0", 0), NUM("voltage", 1.5)}},
    {"mr-damper",
     1,
     0.01,
     0.5,
     0.005,
     {NUM("x0", 0), ROWS("alpha", cubic, 1, 4), ROWS("c0", three_c0, 1, 3), ROWS("c1", one_c1, 1, 1), NUM("n", 1.6),
      NUM("beta", 2e5), NUM("gamma", 3e5), ROWS("schedule", later, 2, 2)}},
    {"mr-damper", 2, 0.01, 0.5, 0.005, {NUM("x0", 0), ROWS("law", law, 1, 9)}},
    {"mr-damper", 3, 0.01, 0.5, 0.005, {NUM("x0", 0), ROWS("law", law_two, 1, 19)}},
    {"bingham",
     2,
     0.02,
     0.005,
     1,
     {NUM("friction-force", 600), NUM("friction-per-volt", 200), NUM("eta", 20), ROWS("law", law, 1, 9)}},
    {"maxwell", 1, 0.02, 0.1, 2e3, {ROWS("branches", branches, 2, 2), NUM("stiffness", 3e5), NUM("damping", 400)}},
    {"maxwell", 1, 0.02, 0.1, 2e3, {ROWS("branches", powers, 3, 3)}},
    {"steel", 1, 0.02, 0.5, 1, {NUM("stiffness", 2e7), NUM("yield-force", 3e4)}},
    {"steel",
     1,
     0.02,
     0.5,
     1,
     {NUM("stiffness", 2e7), NUM("yield-force", 3e4), NUM("hardening", 0.03), NUM("r0", 12), NUM("c1", 0.5),
      NUM("a1", 0.05), NUM("a3", 0.02), NUM("a4", 2)}},
    {"lead-rubber", 1, 0.05, 0.5, 0.7, {NUM("yield-force", 1e4), NUM("yield-displacement", 0.01)}},
    {"lead-rubber",
     1,
     0.05,
     0.5,
     0.7,
     {NUM("yield-force", 1e4), NUM("yield-displacement", 0.01), NUM("b", 0.2), NUM("n", 3.4), NUM("damping", 300)}},
    {"lead-rubber",
     2,
     0.05,
     0.5,
     0.7,
     {NUM("yield-force", 1e4), NUM("yield-displacement", 0.01), NUM("n", 4.5), NUM("heating", 1),
      NUM("lead-volume", 1e-5)}},
    {"lead-rubber",
     2,
     0.05,
     0.5,
     0.7,
     {NUM("yield-force", 1e4), NUM("yield-displacement", 0.01), WORD("form", "park-wen"), NUM("b", 0.3)}},
    {"friction-pendulum", 1, 0.1, 0.5, 0.7, {NUM("load", 1e5), NUM("friction", 0.1), NUM("radius", 2)}},
    {"friction-pendulum",
     2,
     0.1,
     0.05,
     0.7,
     {NUM("load", 1e5), NUM("friction", 0.12), NUM("friction-slow", 0.04), NUM("friction-high-pressure", 0.06),
      NUM("pressure-rate", 1.5e-8), NUM("area", 2e-3), NUM("yield-displacement", 0.02)}},
    {"friction-pendulum",
     3,
     0.1,
     0.05,
     0.7,
     {NUM("load", 1e5), NUM("friction", 0.12), NUM("friction-slow", 0.04), NUM("friction-high-pressure", 0.06),
      NUM("pressure-rate", 1.5e-8), NUM("area", 2e-3), NUM("yield-displacement", 0.02), NUM("radius", 1.5),
      NUM("vertical-stiffness", 2e6)}},
    {"hinge", 1, 0.05, 0.5, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5)}},
    {"hinge",
     1,
     0.05,
     0.5,
     1,
     {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("yield-force-negative", 7e4), NUM("unloading", 0.5),
      NUM("reloading", 0.3)}},
    {"pivot", 1, 0.05, 0.5, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("beta", 0.4)}},
    {"pivot", 1, 0.05, 0.5, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("alpha", 5)}},
    {"self-centring",
     1,
     0.03,
     0.5,
     1,
     {NUM("stiffness", 2e7), NUM("stiffness-after", 1e6), NUM("activation-force", 1e5), NUM("dissipation", 0.7)}},
    {"bouc-wen-degrading",
     1,
     0.02,
     0.5,
     0.008,
     {NUM("stiffness", 4e6), NUM("alpha", 0.04), NUM("beta", 600), NUM("gamma", 400), NUM("n", 1.5),
      NUM("slope-degradation", 0.02), NUM("strength-degradation", 0.01), NUM("stiffness-degradation", 0.02),
      NUM("pinching", 0.9), NUM("pinching-rate", 0.8), NUM("psi0", 0.002), NUM("dpsi", 2e-5), NUM("yield-force", 4e4),
      NUM("yield-displacement", 0.01)}},
    {"brb",
     1,
     0.02,
     0.5,
     0.01,
     {NUM("stiffness", 1.5e8), NUM("hardening", 2.5e6), NUM("yield-force", 4.5e5), NUM("final-force", 5.5e5),
      NUM("final-force-compression", 6.2e5)}},
    {"brb", 1, 0.02, 0.5, 0.01, {NUM("stiffness", 1.5e8), NUM("yield-force", 4.5e5), NUM("n", 1.4)}},
    {"bingham", 1, 0.02, 0.005, 1, {NUM("friction-force", 670), NUM("damping", 5000)}},
    {"bingham",
     1,
     0.02,
     0.005,
     1,
     {NUM("friction-force", 200), NUM("friction-per-volt", 300), NUM("damping", 500), NUM("smoothing", 2e-3)}},
    {"mr-tanh",
     1,
     1e-3,
     0.05,
     1,
     {NUM("damping", 1200), NUM("stiffness", 800), NUM("amplitude", 600), NUM("slope", 40), NUM("width", 0.3),
      NUM("smoothing", 1e-3)}},
    {"double-pendulum-bearing",
     1,
     0.1,
     1,
     0.05,
     {ROWS("radii", two_radii, 1, 2), ROWS("friction", three_mu, 1, 2), NUM("load", 1e6), NUM("stiffness", 3e7)}},
    {"triple-pendulum-bearing",
     1,
     0.1,
     1,
     0.1,
     {ROWS("radii", outer_inner, 1, 2), ROWS("friction", three_mu, 1, 3), NUM("load", 1e6), NUM("stiffness", 3e7)}},
    {"leaning-column", 1, 0.1, 1, 1, {NUM("load", 1e5), NUM("height", 3)}},
    {"p-delta-member",
     6,
     0.1,
     1,
     1,
     {NUM("length", 2), NUM("angle", 0.6), NUM("axial-force", -1e5), NUM("axial-stiffness", 1e6)}},
    {"fibre-beam",
     6,
     0.01,
     0.5,
     1,
     {NUM("length", 2), NUM("angle", 0.6), NUM("width", 0.2), NUM("depth", 0.4), NUM("layers", 4), NUM("young", 2e11),
      NUM("yield-stress", 3.5e8), NUM("hardening", 0.02), WORD("formulation", "displacement")}},
    {"fibre-beam",
     6,
     5e-4,
     0.5,
     1,
     {NUM("length", 2), NUM("width", 0.2), NUM("depth", 0.4), NUM("layers", 2), NUM("young", 2e11),
      NUM("yield-stress", 3.5e8), NUM("hardening", 0.02), NUM("passes", 8)}},
    {"friction-pendulum",
     2,
     0.05,
     0.05,
     0.7,
     {NUM("load", 1e6), NUM("radius", 2), NUM("friction", 0.12), NUM("friction-slow", 0.04), NUM("watched", 5e6)}},
    {"friction-pendulum",
     1,
     0.05,
     0.05,
     0.7,
     {NUM("load", 1e6), NUM("radius", 2), NUM("friction", 0.12), NUM("friction-slow", 0.04),
      NUM("friction-high-pressure", 0.06), NUM("pressure-rate", 1.5e-8), NUM("area", 0.05), NUM("measured", 1)}},
    {"p-y", 1, 0.01, 0.5, 1, {NUM("depth", 1.5), NUM("diameter", 0.6), NUM("rows", 4), ROWS("soil", sand, 1, 3)}},
    {"p-y",
     1,
     0.05,
     0.5,
     1,
     {NUM("depth", 1.5), NUM("diameter", 0.6), NUM("rows", 2), NUM("drag", 0.3), NUM("damping", 1e3),
      ROWS("soil", clay, 1, 4)}},
    {"t-z", 1, 0.005, 0.5, 1, {NUM("diameter", 0.6), NUM("friction", 4e4)}},
    {"t-z", 1, 0.005, 0.5, 1, {NUM("diameter", 0.6), NUM("friction", 4e4), WORD("soil", "sand")}},
    {"q-z", 1, 0.05, 0.5, 1, {NUM("diameter", 0.6), NUM("resistance", 8e5), WORD("side", "above")}},
    {"multilinear", 1, 0.05, 0.5, 1, {ROWS("points", curve, 2, 2)}},
    {"multilinear", 1, 0.05, 0.5, 1, {ROWS("points", both, 4, 2), WORD("rule", "elastic")}},
    {"multilinear", 1, 0.05, 0.5, 1, {ROWS("points", curve, 2, 2), WORD("rule", "uplift"), WORD("side", "below")}},
    {"multilinear", 1, 0.05, 0.5, 1, {ROWS("points", curve, 1, 2), WORD("rule", "gapping"), NUM("drag", 0.4)}},
};

const int sample_count = (int)(sizeof samples / sizeof *samples);

ifd_status sample_make(const sample *from, ifd_arena *arena, ifd_element *out, ifd_note *note)
{
    const ifd_element_ops *ops = ifd_element_find(from->element);
    assert(ops);
    ifd_value values[24];
    assert(ifd_param_count(ops->params) <= 24);
    ifd_param_preset(ops->params, values);
    for (const setting *s = from->set; s->name; s++) {
        int i = ifd_param_find(ops->params, s->name);
        assert(i >= 0);
        values[i] = s->word   ? ifd_word(s->word)
                    : s->data ? ifd_matrix(s->data, s->rows, s->cols)
                              : ifd_number(s->number);
    }
    IFD_TRY(ifd_param_check(ops->params, values, from->element, NULL, note));
    *out = (ifd_element){.ops = ops, .name = from->element, .nq = from->nq};
    IFD_TRY(ops->make(out, values, arena, note));
    assert(out->nq <= SAMPLE_MAX && out->nroot <= SAMPLE_MAX);
    assert(out->ns <= (ops->accept ? (int)SAMPLE_STATES : (int)SAMPLE_MAX)); /* what is remembered has no tangent */
    return IFD_OK;
}

ifd_element_in point_in(const point *p)
{
    return (ifd_element_in){.t = 0, .q = p->q, .qd = p->v, .qdd = p->a, .s = p->s};
}

void point_random(const sample *of, const ifd_element *e, point *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < e->nq; i++) {
        p->q[i] = of->q * random_unit();
        p->v[i] = of->v * random_unit();
        p->a[i] = 10 * of->v * random_unit();
    }
    for (int i = 0; i < e->ns && !e->ops->accept; i++)
        p->s[i] = of->s * random_unit();
    if (e->ops->accept && e->s0)
        memcpy(p->s, e->s0, sizeof *p->s * (size_t)e->ns);
    for (int i = 0; i < 5 && e->ops->accept; i++) { /* what it remembers of some reversals */
        point at = *p;
        for (int j = 0; j < e->nq; j++)
            at.q[j] = of->q * random_unit();
        const ifd_element_in in = point_in(&at);
        e->ops->accept(e, &in, p->s);
    }
}

ifd_element_out answer_out(answer *a)
{
    return (ifd_element_out){a->r, a->g, a->r_q, a->r_v, a->r_s, a->g_q, a->g_v, a->g_s, a->m, a->m_q};
}

answer answer_at(const ifd_element *e, const point *p)
{
    answer a;
    memset(&a, 0, sizeof a);
    ifd_element_in in = point_in(p);
    ifd_element_out out = answer_out(&a);
    e->ops->eval(e, &in, &out);
    return a;
}

/* xorshift64* */
static uint64_t x = 88172645463325252u;

void random_restart(void)
{
    x = 88172645463325252u;
}

double random_unit(void)
{
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return 2 * ((double)((x * 2685821657736338717u) >> 11) / 9007199254740992.0) - 1;
}

void solve_small(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i + k * n]) > fabs(A[best + k * n]))
                best = i;
        for (int j = 0; j < n; j++) {
            double keep = A[k + j * n];
            A[k + j * n] = A[best + j * n];
            A[best + j * n] = keep;
        }
        double keep = b[k];
        b[k] = b[best];
        b[best] = keep;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : A[i + k * n] / A[k + k * n];
            for (int j = k; j < n; j++)
                A[i + j * n] -= f * A[k + j * n];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= A[k + k * n];
}
