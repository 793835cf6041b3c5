/* SPDX-License-Identifier: MIT */
/* Bounded tangent: the base S0 holds the stiffest tangent of every element, and an update corrects only the elements
 * whose tangent differs most from it.
 *
 * LSRT methods keep their order with any Jacobian, so an element that is not corrected costs accuracy, not order. It
 * costs stability only where its tangent is stiffer than its base: the method is stable while the largest eigenvalue
 * of D F over the elements left out stays below 0.10 (scalar test equation, worst h^2 k/m), and the sum of pi_e,
 *
 *     pi_e = sum_i max(0, D_ii + sum_j |D_ij|) F_ii >= largest eigenvalue of the positive part of D_e F_ee,
 *
 * bounds it. An update takes, in this order and as long as `cap` coordinates allow: elements that are always active;
 * where the sum exceeds BUDGET, those with the largest pi_e; those with mu_e = sum_ij |D_ij| |F_ij| above the
 * tolerance, largest first. The sum of the rest is then formed with F of the corrected matrix; more than BUDGET is
 * reported to the caller.
 *
 * States of an element left out, z' = g_s z + ..., are advanced explicitly: stable for h |g_s| <= 2. Beyond
 * STATE_LIMIT such an element alone exceeds the budget. For a Bouc-Wen element that is a motion of about one yield
 * deformation in a step.
 *
 * Always active: elements without a known stiffest tangent, such as viscous ones (a Jacobian with more damping than
 * the element may be unstable), and those with an unsymmetric base. Never corrected: contact. Its exact tangent is
 * that of the wrong side of the gap in the step where the gap closes. */
#include <math.h>
#include <string.h>

#include "method/tangent_inside.h"

#define BUDGET 0.05 /* half of the smallest limit */

#define STATE_LIMIT 1.0 /* half of the limit of the explicit midpoint rule on the real axis */

#define ROUNDING 1e-12

/* Tolerance of an element that was corrected in the last step: the choice does not flicker. */
#define KEEP 0.5

ifd_status ifd__bound_classes(ifd__tangent *T, ifd_arena *arena, bool *ok)
{
    ifd__bound *B = ifd_arena_take(arena, sizeof *B);
    if (!B)
        return IFD_NO_MEMORY;
    T->bound = B;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(B->kind, T->ne), IFD__ARRAY(B->base, T->ne), IFD__ARRAY(B->mu, T->ne),
                      IFD__ARRAY(B->pi, T->ne), IFD__ARRAY(B->before, T->ne), IFD__ARRAY(B->key, T->ne)));
    int always = 0;
    for (int e = 0; e < T->ne; e++) {
        const ifd_element *el = &T->m->element[e];
        B->kind[e] = BOUND_ALWAYS;
        if (el->stiffest) {
            B->kind[e] = el->ops->flags & IFD_ELEMENT_CONTACT ? BOUND_HELD : BOUND_FREE;
            *ok = ifd__tangent_element_at(T, e, el->stiffest) && *ok;
        }
        if (!ifd__tangent_symmetric(T->block[e].nq, T->block[e].D))
            B->kind[e] = BOUND_ALWAYS;
        always += B->kind[e] == BOUND_ALWAYS ? T->block[e].nq : 0;
    }
    B->capacity = always > T->opt.cap ? always : T->opt.cap < T->m->nq ? T->opt.cap : T->m->nq;
    return IFD_OK;
}

ifd_status ifd__bound_keep(ifd__tangent *T, ifd_arena *arena)
{
    if (!(T->bound->F = ifd_arena_array(arena, (size_t)T->m->mm_of[T->ne], sizeof *T->bound->F)))
        return IFD_NO_MEMORY;
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *from = &T->block[e];
        ifd__block *b = &T->bound->base[e];
        for (int j = 0; j < from->nq; j++)
            memcpy(T->bound->F + T->m->mm_of[e] + j * from->nq,
                   T->F + (size_t)(from->q + j) * (size_t)T->m->nq + from->q, (size_t)from->nq * sizeof(double));
        if (T->bound->kind[e] == BOUND_ALWAYS)
            continue;
        IFD_TRY(ifd__tangent_block(b, T->m, e, arena));
        size_t nn = (size_t)(b->nq * b->nq), ns = (size_t)b->ns;
        memcpy(b->r_q, from->r_q, b->raw_count * sizeof(double));
        memcpy(b->N, from->N, ns * ns * sizeof(double));
        memcpy(b->X, from->X, 2 * (size_t)b->nq * ns * sizeof(double));
        memcpy(b->pivot, from->pivot, ns * sizeof(int));
        memcpy(b->K, from->K, nn * sizeof(double));
        memcpy(b->C, from->C, nn * sizeof(double));
        b->followed = from->followed;
        T->used[e] = b;
    }
    T->actives = T->na = 0; /* nothing is factored before the first choice */
    return IFD_OK;
}

/* Row i of the symmetric part of D: diagonal plus the magnitudes beside it. */
static double row_bound(const ifd__block *b, int i)
{
    double sum = b->D[i + i * b->nq];
    for (int j = 0; j < b->nq; j++)
        if (j != i)
            sum += 0.5 * fabs(b->D[i + j * b->nq] + b->D[j + i * b->nq]);
    return sum;
}

double ifd__bound_change(const ifd__block *b, const double *F, double *pi)
{
    double mu = 0.0;
    *pi = 0.0;
    for (int i = 0; i < b->nq; i++) {
        for (int j = 0; j < b->nq; j++)
            mu += fabs(b->D[i + j * b->nq]) * fabs(F[i + j * b->nq]);
        double g = row_bound(b, i);
        *pi += g > 0.0 ? g * F[i + i * b->nq] : 0.0;
    }
    return mu;
}

/* Larger values first, then the smaller index; never zero. */
static uint64_t key_of(double value, int e)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint64_t)bits << 32 | (uint32_t)~e;
}

/* The key below which elements no longer fit into `room` coordinates: the largest key that does not fit, 0 when all
 * do. Eight passes over the keys, whatever they are; a key of 0 is no candidate. */
static uint64_t threshold(const ifd__tangent *T, int room)
{
    const uint64_t *key = T->bound->key;
    uint64_t prefix = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        int count[256] = {0};
        uint64_t mask = shift == 56 ? 0 : ~UINT64_C(0) << (shift + 8);
        for (int e = 0; e < T->ne; e++)
            if (key[e] && (key[e] & mask) == prefix)
                count[key[e] >> shift & 255] += T->block[e].nq;
        int digit = 255;
        while (digit >= 0 && count[digit] <= room)
            room -= count[digit--];
        if (digit < 0)
            return prefix; /* of the first pass: all fit */
        prefix |= (uint64_t)digit << shift;
    }
    return prefix;
}

/* active[e] := 1 for candidates that fit; returns the coordinates they take. */
static int take(const ifd__tangent *T, int room, double *active)
{
    const ifd__bound *B = T->bound;
    uint64_t limit = threshold(T, room);
    int taken = 0;
    for (int e = 0; e < T->ne; e++)
        if (B->key[e] > limit) {
            active[e] = 1.0;
            taken += T->block[e].nq;
        }
    return taken;
}

/* Largest sum of a row of h |g_s - g_s of the base|. */
static double state_change(const ifd__tangent *T, int e)
{
    const ifd__block *b = &T->block[e], *base = &T->bound->base[e];
    double most = 0.0;
    for (int i = 0; i < b->ns; i++) {
        double sum = 0.0;
        for (int j = 0; j < b->ns; j++)
            sum += fabs(b->g_s[i + j * b->ns] - base->g_s[i + j * b->ns]);
        most = sum > most ? sum : most;
    }
    return T->opt.step * most;
}

static double left_out(const ifd__tangent *T, const double *active)
{
    double sum = 0.0;
    for (int e = 0; e < T->ne; e++)
        if (active[e] == 0.0)
            sum += T->bound->pi[e];
    return sum;
}

/* Measures all elements; returns the coordinates of those that are always active. */
static int begin(ifd__tangent *T, double *active)
{
    const ifd__bound *B = T->bound;
    int taken = 0;
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = &T->block[e];
        bool always = B->kind[e] == BOUND_ALWAYS;
        B->mu[e] = ifd__bound_change(b, B->F + T->m->mm_of[e], &B->pi[e]);
        if (!always && state_change(T, e) > STATE_LIMIT)
            B->pi[e] += 2.0 * BUDGET;
        active[e] = always ? 1.0 : 0.0;
        taken += always ? b->nq : 0;
    }
    return taken;
}

static void use(ifd__tangent *T, const double *active)
{
    T->actives = T->na = 0;
    for (int e = 0; e < T->ne; e++) {
        T->used[e] = active[e] != 0.0 ? &T->block[e] : &T->bound->base[e];
        if (active[e] != 0.0)
            ifd__tangent_activate(T, e);
    }
}

/* Candidates: elements that are left out and stiffer than their base. The others together have at most half the
 * budget. */
static void stiffer(const ifd__tangent *T, const double *active)
{
    const ifd__bound *B = T->bound;
    for (int e = 0; e < T->ne; e++) {
        bool candidate = active[e] == 0.0 && B->kind[e] == BOUND_FREE && B->pi[e] > 0.5 * BUDGET / T->ne;
        B->key[e] = candidate ? key_of(B->pi[e], e) : 0;
    }
}

/* The elements for this update: those that stability needs, then those that accuracy needs. */
static void choose(ifd__tangent *T, double *active)
{
    const ifd__bound *B = T->bound;
    double *before = B->before;
    memcpy(before, active, sizeof *before * (size_t)T->ne);
    int room = B->capacity - begin(T, active);
    if (left_out(T, active) > BUDGET) {
        stiffer(T, active);
        room -= take(T, room, active);
    }
    for (int e = 0; e < T->ne; e++) {
        double limit = before[e] != 0.0 ? KEEP * T->opt.tolerance : T->opt.tolerance;
        bool candidate = active[e] == 0.0 && B->kind[e] == BOUND_FREE && B->mu[e] >= limit;
        B->key[e] = candidate ? key_of(fmax(B->mu[e], 2.0 * B->pi[e]), e) : 0;
    }
    take(T, room, active);
}

/* pi_e of a left-out element with F of the corrected matrix, F - F B (I + D F)^-1 D B^T F: where active elements have
 * softened, it is larger than F of the base. */
static double pi_corrected(ifd__tangent *T, const ifd__block *b)
{
    size_t nq = (size_t)T->m->nq;
    double pi = 0.0;
    for (int i = 0; i < b->nq; i++) {
        const double *f = T->F + (size_t)(b->q + i) * nq;
        double g = row_bound(b, i), F = f[b->q + i];
        if (!(g > 0.0))
            continue;
        for (int k = 0; k < T->na; k++)
            T->wq[k] = f[T->aq[k]];
        ifd__tangent_capacitance(T);
        for (int k = 0; k < T->na; k++)
            F -= f[T->aq[k]] * T->wq2[k];
        pi += g * F;
    }
    return pi;
}

/* Whether the elements left out are within the budget. At most `capacity` of them are examined with the corrected
 * matrix, a bounded number of operations; more stiffened elements than that are beyond it. pi below ROUNDING is the
 * rounding of an unchanged tangent. */
static bool within_budget(ifd__tangent *T, const double *active)
{
    const ifd__bound *B = T->bound;
    double sum = 0.0;
    int examined = 0;
    for (int e = 0; e < T->ne; e++) {
        if (active[e] != 0.0 || !(B->pi[e] > ROUNDING || isnan(B->pi[e])))
            continue;
        double pi = B->pi[e];
        if (T->na && ++examined > B->capacity)
            return false;
        sum += T->na ? fmax(pi, pi_corrected(T, &T->block[e])) : pi;
    }
    return sum <= BUDGET;
}

bool ifd__tangent_resume(ifd__tangent *T, const ifd__point *p, const double *active)
{
    bool positive;
    if (!T->bound)
        return ifd__tangent_update(T, p);
    bool good = ifd__tangent_elements(T, p);
    use(T, active);
    return (T->na == 0 || ifd__tangent_refactor(T, &positive)) && good;
}

/* A base above 10 times the initial stiffness changes frequencies noticeably from omega h = 0.1 on. For one dof the
 * change of the matrix relative to its initial value is then (10 - 1) gamma^2 0.1^2 = 0.0077, and the frequency falls
 * by about two thirds of the change. */
void ifd__bound_remark(ifd__tangent *T, const ifd__point *initial, ifd_note *note)
{
    const double stiff = 10.0, small = 7.7e-3, of_frequency = 0.68;
    double worst = small, pi;
    int at = -1;
    if (!ifd__tangent_elements(T, initial))
        return;
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = &T->block[e], *base = &T->bound->base[e];
        if (T->bound->kind[e] == BOUND_ALWAYS || b->nq != 1 || base->K[0] <= stiff * b->K[0])
            continue;
        double mu = ifd__bound_change(b, T->bound->F + T->m->mm_of[e], &pi);
        double change = mu < 1.0 ? mu / (1.0 - mu) : HUGE_VAL;
        if (change > worst) {
            worst = change;
            at = e;
        }
    }
    if (at >= 0)
        ifd_note_remark(note, NULL,
                        "'jacobian: bounded' holds element '%s' at more than %g times its initial stiffness, which "
                        "lowers frequencies of its motion by up to %.2g %% at this step: use a smaller step or "
                        "'jacobian: refactor'",
                        T->m->element[at].name, stiff, 100.0 * fmin(of_frequency * worst, 1.0));
}

ifd__choice ifd__tangent_choose(ifd__tangent *T, const ifd__point *p, double *active)
{
    if (T->mode == TANGENT_LINEAR)
        return IFD__CHOICE_OK;
    bool positive = true;
    if (!ifd__tangent_elements(T, p))
        return IFD__CHOICE_SINGULAR;
    choose(T, active);
    use(T, active);
    if (T->na && !ifd__tangent_refactor(T, &positive))
        return IFD__CHOICE_SINGULAR;
    if (positive && within_budget(T, active))
        return IFD__CHOICE_OK;
    if (!T->opt.all_beyond)
        return IFD__CHOICE_BEYOND;
    for (int e = 0; e < T->ne; e++)
        active[e] = T->bound->kind[e] == BOUND_HELD ? 0.0 : 1.0;
    use(T, active);
    return T->na && !ifd__tangent_refactor(T, &positive) ? IFD__CHOICE_SINGULAR : IFD__CHOICE_ALL;
}
