/* SPDX-License-Identifier: MIT */
/* What a step of a script is: how much time passes in it, and how many displacements are tried.
 *
 * The messages do not say so. The element that connected first is listened to: a step ends with its commit. A
 * transient step asks for the damping in every residual, a static one never does; those who ask for no matrices at
 * all (OpenFresco, Matlab) are told by their velocities. The time of the first trial is compared from step to step,
 * not with the time of the commit, because schemes with an alpha try at t + alpha dt. */
#include "opensees/server.h"

#include <math.h>
#include <stdio.h>

/* Relative, of a time step: sums of 1e6 steps are off by 1e-10 of one. */
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

/* Whether time passes in the step that is under way, as far as its messages tell. */
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

/* Both at the same place in steps that follow each other, so that an alpha cancels. */
static void compare_time(ifd_opensees *s)
{
    ifd__os_step *st = &s->step;
    double dt = (st->first - st->before) / (double)(st->gap + 1);
    if (!st->timed || !st->tried || !st->dynamic || !passes(s) || !(dt > 0.0) || !(s->o.step > 0.0) ||
        same_step(s, dt))
        return;
    ifd__os_mismatch(s, dt, s->o.step,
                     "the time step of the script is %.9g s, 'time: {step}' of the case is %.9g s: make them equal",
                     dt, s->o.step);
}

/* Both numbers of trials. */
static void compare_trials(ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    if (s->o.trials > 1 && passes(s) && st->rounds > 0 && st->rounds != s->o.trials)
        ifd__os_mismatch(s, st->rounds, s->o.trials,
                         "the script tried %d displacements in a step, the case says 'trials: %d': use 'test "
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
    bool dynamic = st->tried ? passes(s) : st->dynamic; /* OpenFresco tries nothing in a step in which it rests */
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

/* Of those who never commit. */
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
        st->before = st->first = r->time; /* where it starts */
        return;
    }
    if (!st->tried) {
        st->first = r->time;
        /* An analysis that asks for forces or a stiffness before it moves is static, unless mass and damping come
         * into it, too: those ask for them first, or move first. */
        st->resting = st->asked && !st->damping && !st->mass && !st->dynamic;
    }
    st->tried = true;
}

static bool refused(ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    if (!s->o.rate_dependent || s->o.trials > 1 || st->rounds < 2 || st->resting || !(st->damping || st->moving))
        return false;
    ifd__os_mismatch(s, st->rounds, 1.0,
                     "the script tries several displacements in a step, and the specimens are rate-dependent. "
                     "Integrators that work: %s; or 'trials: N' in the case with ...HSFixedNumIter and test "
                     "FixedNumIter N",
                     INTEGRATORS);
    return true;
}

uint32_t ifd__os_step_target(ifd_opensees *s)
{
    ifd__os_step *st = &s->step;
    bool one = s->o.trials <= 1;
    if (s->target.number == 0) /* where the script starts */
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
