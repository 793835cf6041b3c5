/* SPDX-License-Identifier: MIT */
/* Recognises the steps of a script: the time that passes in a step, and the number of displacements tried.
 *
 * The messages do not contain them. The element that connected first is observed: its commit ends a step. A
 * transient step requests the damping in every residual, a static step never does. Clients that request no matrices
 * (OpenFresco, Matlab) are identified by their velocities. The times of the first trials of successive steps are
 * compared, not the times of commits, because schemes with an alpha try at t + alpha dt. */
#include "opensees/server.h"

#include <math.h>
#include <stdio.h>

/* Relative to a time step: sums of 1e6 steps deviate by 1e-10 of a step. */
static const double SAME_STEP = 1e-6;

static const char INTEGRATORS[] =
    "NewmarkExplicit, CentralDifference, HHTExplicit, KRAlphaExplicit, AlphaOS (without -updateElemDisp), "
    "each with algorithm Linear";

static bool same_step(const ifd_opensees *s, double dt)
{
    return fabs(dt - s->o.step) <= SAME_STEP * s->o.step;
}

static bool any(const ifd__osw_sizes *sizes, const ifd__osw_request *r, int quantity)
{
    bool found = false;
    for (int i = 0; i < sizes->ctrl[quantity]; i++)
        found = found || r->q[quantity][i] != 0.0;
    return found;
}

/* Whether time advances in the current step, as far as its messages show. */
static bool passes(const ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    if (st->matrices)
        return st->damping;
    return !st->timed || st->moving || (st->tried && same_step(s, st->first - st->before));
}

void ifd__os_step_asks(ifd_opensees *s, const ifd__os_peer *p, ifd__osw_code code)
{
    ifd__os_step *st = &s->step;
    if (p->element != 0)
        return;
    st->matrices = st->matrices || (code >= IFD__OSW_GET_INITIAL && code <= IFD__OSW_GET_MASS);
    st->damping = st->damping || code == IFD__OSW_GET_DAMP;
    st->mass = st->mass || code == IFD__OSW_GET_MASS;
    st->asked =
        st->asked || code == IFD__OSW_GET_INITIAL || code == IFD__OSW_GET_TANGENT || code == IFD__OSW_GET_FORCE;
}

/* Compares the same instant of successive steps, so that an alpha cancels. */
static void compare_time(ifd_opensees *s)
{
    ifd__os_step *st = &s->step;
    double dt = (st->first - st->before) / (double)(st->gap + 1);
    if (!st->timed || !st->tried || !st->dynamic || !passes(s) || !(dt > 0.0) || !(s->o.step > 0.0) ||
        same_step(s, dt))
        return;
    ifd__os_mismatch(s, dt, s->o.step,
                     "the time step of the script is %.9g s, but 'time: {step}' of the case is %.9g s: make them "
                     "equal",
                     dt, s->o.step);
}

/* Compares the numbers of trials of script and case. */
static void compare_trials(ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    if (s->o.trials > 1 && passes(s) && st->rounds > 0 && st->rounds != s->o.trials)
        ifd__os_mismatch(s, st->rounds, s->o.trials,
                         "the script tried %d displacements in a step, but the case has 'trials: %d': use 'test "
                         "FixedNumIter %d' and an integrator ...HSFixedNumIter",
                         st->rounds, s->o.trials, s->o.trials);
}

void ifd__os_step_commit(ifd_opensees *s, const ifd__os_peer *p)
{
    ifd__os_step *st = &s->step;
    if (p && p->element != 0)
        return;
    compare_time(s);
    compare_trials(s);
    bool dynamic = st->tried ? passes(s) : st->dynamic; /* OpenFresco tries nothing in a step without motion */
    st->passed += dynamic;
    if (st->tried) {
        st->before = st->first;
        st->dynamic = dynamic;
        st->gap = 0;
    } else {
        st->gap++;
    }
    st->tried = st->damping = st->mass = st->asked = st->moving = false;
    st->rounds = 0;
}

/* For clients that never commit. */
void ifd__os_step_over(ifd_opensees *s)
{
    if (!s->ever_committed && s->step.tried)
        ifd__os_step_commit(s, NULL);
}

void ifd__os_step_trial(ifd_opensees *s, const ifd__os_peer *p, const ifd__osw_request *r)
{
    ifd__os_step *st = &s->step;
    const ifd__osw_sizes *sizes = &p->in.sizes;
    if (p->element != 0)
        return;
    st->timed = sizes->ctrl[IFD__OSW_TIME] > 0;
    if (!s->ever_committed && (!st->timed || r->time > st->first))
        ifd__os_step_over(s);
    st->moving = st->moving || any(sizes, r, IFD__OSW_VEL) || any(sizes, r, IFD__OSW_ACC);
    if (!p->begun) {
        st->before = st->first = r->time; /* start of the script */
        return;
    }
    if (!st->tried) {
        st->first = r->time;
        /* An analysis that requests forces or a stiffness before it moves is static, unless it also uses mass or
         * damping: those are requested first, or it moves first. */
        st->resting = st->asked && !st->damping && !st->mass && !st->dynamic;
    }
    st->tried = true;
}

/* The trials of schemes with an alpha or theta belong to an instant before or after the end of the step, while their
 * path is spread over the step: velocities would be wrong. The first step shows it; later, only the step is compared.
 * A time far from that of the step before was set by the script, mostly to zero. */
static bool trials_elsewhere(ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    double h = s->o.step, since = (st->first - st->before) / (double)(st->gap + 1);
    if (!s->o.rate_dependent || s->o.trials <= 1 || !st->timed || st->resting || !(st->damping || st->moving) ||
        !(h > 0.0))
        return false;
    if (!(since > 0.0) || since > 3.0 * h)
        since = st->first < 3.0 * h ? st->first : st->first - h * (round(st->first / h) - 1.0);
    if (same_step(s, since))
        return false;
    ifd__os_mismatch(s, since, h,
                     "the trials of the script are at %.6g s of a step, expected its end, %.6g s: the specimens are "
                     "rate-dependent, and their velocities would be wrong. Use NewmarkHSFixedNumIter, "
                     "HHTHSFixedNumIter_TP, or CollocationHSFixedNumIter with theta 1",
                     since, h);
    return true;
}

static bool refused(ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    if (trials_elsewhere(s))
        return true;
    if (!s->o.rate_dependent || s->o.trials > 1 || st->rounds < 2 || st->resting || !(st->damping || st->moving))
        return false;
    ifd__os_mismatch(s, st->rounds, 1.0,
                     "the script tries several displacements in a step, and the specimens are rate-dependent. Use "
                     "one of these integrators: %s; or 'trials: N' in the case with ...HSFixedNumIter and test "
                     "FixedNumIter N; or test: {rate-dependent: no} if they are not",
                     INTEGRATORS);
    return true;
}

uint32_t ifd__os_step_target(ifd_opensees *s)
{
    ifd__os_step *st = &s->step;
    bool one = s->o.trials <= 1;
    if (s->target.number == 0) /* start of the script */
        return 0;
    st->rounds++;
    if (refused(s))
        return 0;
    bool last = one || st->rounds >= s->o.trials;
    uint64_t now = st->passed + (last && !st->resting);
    uint64_t more = now > st->said ? now - st->said : 0;
    bool begins = st->rounds == 1;
    st->said += more;
    uint32_t steps = more < IFD_REMOTE_STEPS ? (uint32_t)more : IFD_REMOTE_STEPS;
    if (st->resting)
        return steps | IFD_REMOTE_STATIC;
    if (!one)
        return steps | IFD_REMOTE_POINT;
    return begins && !steps ? (uint32_t)IFD_REMOTE_POINT : steps;
}

double ifd__os_step_time(const ifd_opensees *s)
{
    return s->o.step * (double)s->step.passed;
}
