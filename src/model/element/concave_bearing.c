/* SPDX-License-Identifier: MIT */
/* Bearings with several concave surfaces and constant friction: Fenz and Constantinou (2008), EESD 37, regimes I to
 * III. Surfaces in series slide one after the other, at the forces F_i = mu_i N in ascending order; between F_i and
 * F_(i+1) the tangent is S_i. This is a Masing system: it equals sliders in parallel with the same backbone,
 *
 *     u_1 = F_1/k_e,   u_(i+1) = u_i + (F_(i+1) - F_i)/S_i,   k_i = S_(i-1) - S_i at the slip u_i,   S_0 = k_e,
 *
 * and a spring of the last S. Limits of displacement (regimes IV and V) are additional elements `gap`. */
#include "model/element/sliders.h"

#include <stdio.h>

enum { SURFACES = 3 };

#define SHARED_PARAMS                                                                                                \
    {.name = "load",                                                                                                 \
     .dim = IFD_DIM_FORCE,                                                                                           \
     .required = true,                                                                                               \
     IFD_WITHIN(1e-9, 1e15),                                                                                         \
     .doc = "N, constant compression"},                                                                              \
    {                                                                                                                \
        .name = "stiffness", .dim = IFD_DIM_STIFFNESS, .required = true, IFD_WITHIN(1e-9, 1e18),                     \
        .doc = "k_e, stiffness before sliding"                                                                       \
    }

static const ifd_param double_params[] = {
    IFD_LIST("radii", LENGTH, 1e-6, 1e6, "[R1, R2], effective radii; R1 of the surface with less friction",
             .required = true),
    IFD_LIST("friction", NONE, 1e-9, 1, "[mu1, mu2], coefficients of friction, ascending", .required = true),
    SHARED_PARAMS,
    {0}};

static const ifd_param triple_params[] = {
    IFD_LIST("radii", LENGTH, 1e-6, 1e6, "[outer, inner], effective radii: R1 = R4 and R2 = R3", .required = true),
    IFD_LIST("friction", NONE, 1e-9, 1, "[mu2, mu1, mu4], of the inner surfaces and of the two outer ones, ascending",
             .required = true),
    SHARED_PARAMS,
    {0}};

static ifd_status check_lists(const ifd_element *e, const ifd_value *radii, const ifd_value *friction, int surfaces,
                              ifd_note *note)
{
    if (radii->cols != 2)
        return ifd_note_add(note, IFD_SHAPE, &radii->place, "element '%s': 'radii' has %d numbers; expected 2",
                            e->name, radii->cols);
    if (friction->cols != surfaces)
        return ifd_note_add(note, IFD_SHAPE, &friction->place, "element '%s': 'friction' has %d numbers; expected %d",
                            e->name, friction->cols, surfaces);
    for (int i = 1; i < surfaces; i++)
        if (!(friction->data[i] > friction->data[i - 1]))
            return ifd_note_add(note, IFD_RANGE, &friction->place,
                                "element '%s': the coefficients of 'friction' are not ascending (%g after %g)",
                                e->name, friction->data[i], friction->data[i - 1]);
    return IFD_OK;
}

/* S[0] is k_e, S[i] the tangent after surface i slides. */
static ifd_status expand(ifd_element *e, ifd_arena *arena, int n, const double *S, const double *force,
                         ifd_note *note)
{
    double pairs[2 * SURFACES], u = force[0] / S[0];
    char text[200];
    int used = 0;
    for (int i = 0; i < n; i++) {
        pairs[2 * i] = S[i] - S[i + 1];
        pairs[2 * i + 1] = u;
        if (!(pairs[2 * i] > 0.0))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "element '%s': the stiffness rises from %g to %g N/m where surface %d slides; "
                                "expected a decrease: increase 'stiffness', or correct 'radii'",
                                e->name, S[i], S[i + 1], i + 1);
        used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.9g, %.9g]", i ? ", " : "", pairs[2 * i], u);
        if (i + 1 < n)
            u += (force[i + 1] - force[i]) / S[i + 1];
    }
    ifd_note_remark(note, NULL, "'%s' is computed as sliders: [%s], spring: %.9g N/m", e->name, text, S[n]);
    return ifd__sliders_keep(e, arena, n, S[n], pairs, 1.0);
}

static ifd_status make(ifd_element *e, const ifd_param *p, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_value *radii = ifd_param_get(p, values, "radii"), *friction = ifd_param_get(p, values, "friction");
    int n = p == triple_params ? 3 : 2;
    double N = ifd__element_number(p, values, "load"), S[SURFACES + 1], force[SURFACES];
    IFD_TRY(check_lists(e, radii, friction, n, note));
    double a = radii->data[0], b = radii->data[1];
    S[0] = ifd__element_number(p, values, "stiffness");
    S[1] = n == 2 ? N / a : N / (2.0 * b);
    S[2] = N / (a + b);
    S[3] = N / (2.0 * a);
    for (int i = 0; i < n; i++)
        force[i] = friction->data[i] * N;
    return expand(e, arena, n, S, force, note);
}

static ifd_status double_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    return make(e, double_params, values, arena, note);
}

static ifd_status triple_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    return make(e, triple_params, values, arena, note);
}

#define ROW(its_name, its_summary, its_equation, its_params, its_make)                                               \
    {                                                                                                                \
        .abi = IFD_ELEMENT_ABI, .name = (its_name), .summary = (its_summary), .equation = (its_equation),            \
        .params = (its_params), .attach = IFD_ATTACH_PAIR, .make = (its_make), .eval = ifd__sliders_eval,            \
        .energy = ifd__sliders_energy, .settle = ifd__sliders_settle, .advance = ifd__sliders_advance,               \
        .events = ifd__sliders_events, .flags = IFD_ELEMENT_STOREY                                                   \
    }

const ifd_element_ops ifd__element_double_pendulum_bearing =
    ROW("double-pendulum-bearing", "bearing with two concave surfaces and constant friction, computed as sliders",
        "k_e to mu1 N, then N/R1 to mu2 N, then N/(R1 + R2)", double_params, double_make);

const ifd_element_ops ifd__element_triple_pendulum_bearing =
    ROW("triple-pendulum-bearing", "bearing with four concave surfaces and constant friction, computed as sliders",
        "k_e to mu2 N, then N/(2 R2) to mu1 N, then N/(R1 + R2) to mu4 N, then N/(2 R1); R1 outer, R2 inner",
        triple_params, triple_make);
