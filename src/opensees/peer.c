/* SPDX-License-Identifier: MIT */
/* Interprets the messages of clients and prepares the answers. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/os_linux.h"
#include "opensees/server.h"

/* Reasons to refuse clients and to end a test. */

static const double nothing[2] = {0.0, 0.0};

/* Only the first message counts, with its reason: later ones are consequences. So is any of them after the end of the
 * test, whose own reason is then the first. */
void ifd__os_say(ifd_opensees *s, ifd_remote_kind kind, const double value[2], const char *why)
{
    if (s->last_word != IFD_REMOTE_TARGET)
        return;
    if (s->measured.over && kind != IFD_REMOTE_END) {
        kind = IFD_REMOTE_END;
        value = nothing;
        why = "the test ended before the script";
    }
    s->last_word = kind;
    s->word_value[0] = value[0];
    s->word_value[1] = value[1];
    s->report.ended = kind == IFD_REMOTE_END;
    s->report.lost = kind != IFD_REMOTE_END;
    s->report.word = kind;
    snprintf(s->report.why, sizeof s->report.why, "%s", why);
    if (*why)
        snprintf(s->report.last, sizeof s->report.last, "%s", why);
}

/* More than IFD_OPENSEES_REASONS different reasons are only counted. */
static void note_refusal(ifd_opensees *s, const char *text)
{
    ifd_opensees_report *r = &s->report;
    int i = 0;
    snprintf(r->last, sizeof r->last, "%s", text);
    while (i < r->reasons && strcmp(r->reason[i], text) != 0)
        i++;
    r->refused++;
    if (i == IFD_OPENSEES_REASONS)
        return;
    if (i == r->reasons)
        snprintf(r->reason[r->reasons++], sizeof r->reason[i], "%s", text);
    r->times[i]++;
}

void ifd__os_refuse(ifd_opensees *s, ifd__os_peer *p, const char *format, ...)
{
    char text[IFD_OPENSEES_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    note_refusal(s, text);
    if (p)
        ifd__os_lost(s, p, text);
}

/* The script does not match the case: ends the test, with the reason. */
IFD_PRINTF(4, 5) static void os_mismatch(ifd_opensees *s, double value, double expected, const char *format, ...)
{
    char text[IFD_OPENSEES_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    ifd__os_say(s, IFD_REMOTE_MISMATCH, (double[]){value, expected}, text);
}

void ifd__os_lost(ifd_opensees *s, ifd__os_peer *p, const char *why)
{
    bool matters = p->element >= 0;
    ifd__os_hang_up(s, p);
    if (matters)
        ifd__os_say(s, IFD_REMOTE_LOST, nothing, why);
}

/* Sends its out. */
static void os_reply(ifd_opensees *s, ifd__os_peer *p)
{
    p->out_size = 8 * (size_t)p->in.sizes.n;
    p->out_at = 0;
    ifd__os_send(s, p);
}

/* OpenSees does not notice that a connection is closed: it continues to read at full processor load. A client that
 * cannot be served stays connected if its messages can be separated, and receives NaN for every request until it
 * leaves. */
IFD_PRINTF(3, 4) static void os_dismiss(ifd_opensees *s, ifd__os_peer *p, const char *format, ...)
{
    char text[IFD_OPENSEES_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    note_refusal(s, text);
    p->dismissed = true;
    s->report.dismissed++;
}

/* Every request with a reply is answered with NaN; no message reaches the test. */
static void os_dismissed_message(ifd_opensees *s, ifd__os_peer *p, ifd__osw_event event)
{
    ifd__osw_code code;
    if (event == IFD__OSW_TEXT)
        return;
    if (event != IFD__OSW_VECTOR || ifd__osw_code_read(p->in.bytes, &code) != IFD__OSW_BAD_FINE ||
        code == IFD__OSW_DIE) {
        ifd__os_hang_up(s, p);
        return;
    }
    const double no_number = (double)NAN;
    for (int i = 0; i < p->in.sizes.n; i++)
        ifd__osw_doubles_write(&no_number, 1, p->out + 8 * i);
    if (code >= IFD__OSW_GET_DAQ)
        os_reply(s, p);
}

/* Recognises the steps of a script: the time that passes in a step, and the number of displacements tried.
 *
 * The messages do not contain them. The element that connected first is observed: its commit ends a step. A
 * transient step requests the damping in every residual, a static step never does. Clients that request no matrices
 * (OpenFresco, Matlab) are identified by their velocities. The times of the first trials of successive steps are
 * compared, not the times of commits, because schemes with an alpha try at t + alpha dt. */

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

static void os_step_asks(ifd_opensees *s, const ifd__os_peer *p, ifd__osw_code code)
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
    os_mismatch(s, dt, s->o.step,
                "the time step of the script is %.9g s, but 'time: {step}' of the case is %.9g s: make them "
                "equal",
                dt, s->o.step);
}

/* Compares the numbers of trials of script and case. */
static void compare_trials(ifd_opensees *s)
{
    const ifd__os_step *st = &s->step;
    if (s->o.trials > 1 && passes(s) && st->rounds > 0 && st->rounds != s->o.trials)
        os_mismatch(s, st->rounds, s->o.trials,
                    "the script tried %d displacements in a step, but the case has 'trials: %d': use 'test "
                    "FixedNumIter %d' and an integrator ...HSFixedNumIter",
                    st->rounds, s->o.trials, s->o.trials);
}

static void os_step_commit(ifd_opensees *s, const ifd__os_peer *p)
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
static void os_step_over(ifd_opensees *s)
{
    if (!s->ever_committed && s->step.tried)
        os_step_commit(s, NULL);
}

static void os_step_trial(ifd_opensees *s, const ifd__os_peer *p, const ifd__osw_request *r)
{
    ifd__os_step *st = &s->step;
    const ifd__osw_sizes *sizes = &p->in.sizes;
    if (p->element != 0)
        return;
    st->timed = sizes->ctrl[IFD__OSW_TIME] > 0;
    if (!s->ever_committed && (!st->timed || r->time > st->first))
        os_step_over(s);
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
    os_mismatch(s, since, h,
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
    os_mismatch(s, st->rounds, 1.0,
                "the script tries several displacements in a step, and the specimens are rate-dependent. Use "
                "one of these integrators: %s; or 'trials: N' in the case with ...HSFixedNumIter and test "
                "FixedNumIter N; or test: {rate-dependent: no} if they are not",
                INTEGRATORS);
    return true;
}

static uint32_t os_step_target(ifd_opensees *s)
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

/* Steps: requests, trials and commits of a client; target: `step` of the target that follows from its trial. */
static double os_step_time(const ifd_opensees *s)
{
    return s->o.step * (double)s->step.passed;
}

static const int64_t GRACE = 5000000, LONG_GRACE = 2000000000; /* ns */

bool ifd__os_over(const ifd_opensees *s)
{
    return s->measured.over || s->last_word != IFD_REMOTE_TARGET || atomic_load(&s->given_up);
}

static double unit_of(const ifd_opensees *s, int dof)
{
    return s->o.rotation && s->o.rotation[dof] ? 1.0 : s->o.length;
}

/* Unit of the force of a dof of the script; a moment for a rotation. */
static double force_unit(const ifd_opensees *s, int dof)
{
    return s->o.force * (s->o.rotation && s->o.rotation[dof] ? s->o.length : 1.0);
}

/* Handles a header. Elements connect in the order of the script. */
static void greet(ifd_opensees *s, ifd__os_peer *p)
{
    int e = 0;
    while (e < s->o.elements && s->owner[e] != IFD__OS_NOBODY)
        e++;
    int dofs = p->in.sizes.ctrl[IFD__OSW_DISP];
    if (e == s->o.elements) {
        os_dismiss(s, p, "more clients than elements: the case has %d element%s", e, e == 1 ? "" : "s");
        /* Before its first commit a script still creates elements: this client is one of these elements. */
        if (!s->ever_committed && s->step.passed == 0)
            os_mismatch(s, e + 1.0, e, "the script has more genericClient elements than the case, which has %d", e);
        return;
    }
    if (dofs != s->o.element[e].dofs) {
        os_dismiss(s, p, "a client announced %d dof%s, but element %d of the case has %d", dofs, dofs == 1 ? "" : "s",
                   e + 1, s->o.element[e].dofs);
        return;
    }
    p->element = e;
    p->counted = true;
    s->owner[e] = (int)(p - s->peer);
    s->report.connected++;
}

/* Whether every element has sent a trial, since the last target or ever. An element that has left keeps its
 * displacement. */
static bool all_tried(const ifd_opensees *s, bool ever)
{
    bool all = true;
    for (int e = 0; e < s->o.elements; e++) {
        const ifd__os_peer *p = s->owner[e] >= 0 ? &s->peer[s->owner[e]] : NULL;
        all = all && (s->owner[e] == IFD__OS_LEFT || (p && (ever ? p->begun : p->told)));
    }
    return all;
}

/* Makes one target of the displacements of all elements. */
static void aim(ifd_opensees *s)
{
    double time = 0.0;
    bool timed = false;
    for (int e = 0; e < s->o.elements; e++) {
        if (s->owner[e] < 0)
            continue;
        ifd__os_peer *p = &s->peer[s->owner[e]];
        p->told = false;
        if (p->in.sizes.ctrl[IFD__OSW_TIME] > 0) /* the time may decrease: loadConst -time 0.0 */
            time = timed ? fmax(time, p->trial.time) : p->trial.time;
        timed = timed || p->in.sizes.ctrl[IFD__OSW_TIME] > 0;
    }
    if (!s->fresh)
        return;
    s->target.step = os_step_target(s);
    s->target.time = timed ? time : s->target.time;
    s->target.number++;
    s->fresh = false;
    s->pending = true;
    s->report.targets++;
    s->report.steps += s->target.step != 0 && s->step.rounds == 1;
    s->report.ready = true;
}

/* Moves only if the displacement changes: explicit schemes send the same displacement again with the final
 * velocity. */
static void trial(ifd_opensees *s, ifd__os_peer *p, ifd__osw_request *r)
{
    const ifd_opensees_element *e = &s->o.element[p->element];
    bool changed = !p->begun;
    for (int i = 0; i < e->dofs; i++) {
        double d = r->q[IFD__OSW_DISP][i];
        if (!isfinite(d)) {
            ifd__os_say(s, IFD_REMOTE_WRONG, (double[]){0.0, 0.0},
                        "a client sent a displacement that is not a number");
            return;
        }
        changed = changed || fabs(d - p->trial.q[IFD__OSW_DISP][i]) > DBL_EPSILON;
    }
    if (!changed) /* changes below the threshold must not accumulate */
        for (int i = 0; i < e->dofs; i++)
            r->q[IFD__OSW_DISP][i] = p->trial.q[IFD__OSW_DISP][i];
    os_step_trial(s, p, r);
    p->trial = *r;
    p->told = p->begun = true;
    if (changed || s->o.trials > 1) { /* each of several trials has a time, even if it repeats another one */
        s->fresh = true;
        for (int i = 0; i < e->dofs; i++)
            s->target.u[e->dof[i]] = unit_of(s, e->dof[i]) * r->q[IFD__OSW_DISP][i];
    }
    if (all_tried(s, false))
        aim(s);
}

/* Position and force as measured; velocity, acceleration and time as commanded, because no rig measures them. */
static void answer(ifd_opensees *s, ifd__os_peer *p)
{
    const ifd_opensees_element *e = &s->o.element[p->element];
    ifd__osw_request r = p->trial;
    for (int i = 0; i < e->dofs; i++) {
        int dof = e->dof[i];
        r.q[IFD__OSW_DISP][i] = s->measured.u[dof] / unit_of(s, dof);
        r.q[IFD__OSW_FORCE][i] = ifd__os_over(s) ? (double)NAN : s->measured.f[dof] / force_unit(s, dof);
    }
    ifd__osw_response_write(&p->in.sizes, &r, p->out);
    os_reply(s, p);
    if (p->asked) {
        double waited = 1e-9 * (double)(ifd__clock_now() - p->asked_at);
        s->answers++;
        s->waited += waited;
        s->report.answer_mean = s->waited / (double)s->answers;
        s->report.answer_max = fmax(s->report.answer_max, waited);
    }
    p->asked = 0;
}

bool ifd__os_all_heard(const ifd_opensees *s, const ifd__os_peer *p)
{
    return s->o.elements == 1 || s->turn > p->asked_turn + 1;
}

/* Whether trials have arrived that are not yet part of a target. */
static bool round_begun(const ifd_opensees *s)
{
    bool begun = s->fresh;
    for (int i = 0; i < IFD__OS_PEERS; i++)
        begun = begun || (s->peer[i].used && s->peer[i].told);
    return begun;
}

static bool measured(const ifd_opensees *s)
{
    return ifd__os_over(s) || (!round_begun(s) && s->target.number > 0 && s->measured.number == s->target.number);
}

static void ask(ifd_opensees *s, ifd__os_peer *p, ifd__osw_code code)
{
    if (!p->begun && !ifd__os_over(s)) { /* no measurement can ever belong to this request */
        ifd__os_refuse(s, p, "a client requested a measurement before it sent a displacement");
        return;
    }
    p->asked = (int)code;
    p->asked_at = ifd__clock_now();
    p->asked_turn = s->turn;
    if (measured(s) && ifd__os_all_heard(s, p))
        answer(s, p);
}

static void put_matrix(ifd_opensees *s, ifd__os_peer *p, ifd__osw_code code)
{
    const ifd_opensees_element *e = &s->o.element[p->element];
    const double *of[] = {e->stiffness, e->stiffness, e->damping, e->mass}, *given = of[code - IFD__OSW_GET_INITIAL];
    double rows[IFD__OSW_DOFS * IFD__OSW_DOFS];
    bool missing = !given && code <= IFD__OSW_GET_TANGENT;
    if (missing)
        os_mismatch(s, 0.0, 0.0,
                    "the script requests the stiffness of element %d, which has no estimate: give each of its "
                    "specimens 'estimate: {stiffness: ...}', or the element a 'stiffness'",
                    p->element + 1);
    for (int i = 0; i < e->dofs; i++)
        for (int j = 0; j < e->dofs; j++)
            rows[i * e->dofs + j] = given ? given[i * e->dofs + j] * unit_of(s, e->dof[j]) / force_unit(s, e->dof[i])
                                    : missing ? (double)NAN
                                              : 0.0;
    if (!ifd__osw_matrix_write(&p->in.sizes, e->dofs, rows, p->out))
        ifd__os_lost(s, p, ifd__osw_text(IFD__OSW_BAD_MATRIX));
    else
        os_reply(s, p);
}

static void end(ifd_opensees *s)
{
    char text[IFD_OPENSEES_TEXT];
    os_step_over(s);
    double time = os_step_time(s);
    if (!(s->o.end > 0.0) || time >= s->o.end - 0.5 * s->o.step) {
        ifd__os_say(s, IFD_REMOTE_END, (double[]){0.0, 0.0}, "");
        return;
    }
    snprintf(text, sizeof text,
             "the script ended at %.9g s, but the case ends at %.9g s: change 'time: {end}', or use --until-close",
             time, s->o.end);
    ifd__os_say(s, IFD_REMOTE_EARLY, (double[]){time, s->o.end}, text);
}

/* Handles the closing message; the last client ends the test. */
static void leave(ifd_opensees *s, ifd__os_peer *p)
{
    bool all = true;
    s->owner[p->element] = IFD__OS_LEFT;
    for (int e = 0; e < s->o.elements; e++)
        all = all && s->owner[e] == IFD__OS_LEFT;
    p->element = -1;
    ifd__os_hang_up(s, p);
    if (all)
        end(s);
}

/* A second trial of an element belongs to the next round: connections are read in any order and may contain several
 * messages. */
static void hear_trial(ifd_opensees *s, ifd__os_peer *p, ifd__osw_request *r)
{
    p->held = p->told;
    p->asked_at = ifd__clock_now();
    if (p->held)
        p->next = *r;
    else
        trial(s, p, r);
}

/* Waiting time for missing trials. Clients of OpenFresco, identified by the displacements that they request, send a
 * trial only if it differs from the last one. genericClient always sends it: a missing trial is still in transit, at
 * worst in a retransmission of TCP, and a target without it would be wrong. */
static int64_t grace(const ifd_opensees *s)
{
    for (int e = 0; e < s->o.elements; e++) {
        const ifd__os_peer *p = s->owner[e] >= 0 ? &s->peer[s->owner[e]] : NULL;
        if (p && !p->told && p->in.sizes.daq[IFD__OSW_DISP] == 0)
            return LONG_GRACE;
    }
    return GRACE;
}

static void end_round(ifd_opensees *s)
{
    int64_t now = ifd__clock_now(), most = grace(s);
    bool waited = false, begun = round_begun(s);
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        const ifd__os_peer *p = &s->peer[i];
        waited = waited || (p->used && (p->held || (p->asked && begun)) && now - p->asked_at > most);
    }
    if (waited && all_tried(s, true))
        aim(s);
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        ifd__os_peer *p = &s->peer[i];
        bool alone = waited && !all_tried(s, true); /* the other elements have not connected yet */
        if (!p->used || !p->held || (p->told && !alone))
            continue;
        p->held = false;
        trial(s, p, &p->next);
    }
}

static void serve(ifd_opensees *s, ifd__os_peer *p, ifd__osw_request *r)
{
    s->report.count[r->code == IFD__OSW_DIE ? IFD_OPENSEES_CODES - 1 : (int)r->code]++;
    s->report.time = os_step_time(s);
    os_step_asks(s, p, r->code);
    switch (r->code) {
    case IFD__OSW_TRIAL:
        hear_trial(s, p, r);
        break;
    case IFD__OSW_COMMIT:
        s->ever_committed = true;
        os_step_commit(s, p);
        break;
    case IFD__OSW_GET_DAQ:
    case IFD__OSW_GET_DISP:
    case IFD__OSW_GET_VEL:
    case IFD__OSW_GET_ACC:
    case IFD__OSW_GET_FORCE:
    case IFD__OSW_GET_TIME:
        ask(s, p, r->code);
        break;
    case IFD__OSW_GET_INITIAL:
    case IFD__OSW_GET_TANGENT:
    case IFD__OSW_GET_DAMP:
    case IFD__OSW_GET_MASS:
        put_matrix(s, p, r->code);
        break;
    case IFD__OSW_DIE:
        leave(s, p);
        break;
    case IFD__OSW_OPEN:
    case IFD__OSW_SETUP:
    case IFD__OSW_EXECUTE:
        break;
    }
}

void ifd__os_message(ifd_opensees *s, ifd__os_peer *p, ifd__osw_event event, ifd__osw_bad why)
{
    ifd__osw_request r;
    if (p->dismissed) {
        os_dismissed_message(s, p, event);
        return;
    }
    s->heard = ifd__clock_now();
    if (event == IFD__OSW_GREETING) {
        greet(s, p);
    } else if (event == IFD__OSW_TEXT) {
        s->report.lines++;
    } else if (event == IFD__OSW_VECTOR) {
        why = ifd__osw_request_read(&p->in.sizes, p->in.bytes, &r);
        if (why == IFD__OSW_BAD_FINE)
            serve(s, p, &r);
        else
            ifd__os_refuse(s, p, "%s", ifd__osw_text(why));
    } else if (event == IFD__OSW_BAD && why == IFD__OSW_BAD_COUNT && p->in.greeted) { /* it can be answered */
        os_dismiss(s, p, "a client announced %d dofs; the limit is %d", (int)p->in.sizes.ctrl[IFD__OSW_DISP],
                   IFD__OSW_DOFS);
    } else if (event == IFD__OSW_BAD) {
        ifd__os_refuse(s, p, "%s", ifd__osw_text(why));
    }
}

void ifd__os_publish(ifd_opensees *s)
{
    pthread_mutex_lock(&s->lock);
    s->published = s->report;
    pthread_mutex_unlock(&s->lock);
}

static void push(ifd_opensees *s)
{
    if (s->pending && !ifd__os_over(s)) {
        s->target.kind = IFD_REMOTE_TARGET;
        s->pending = !ifd_remote_say(s->remote, &s->target);
    }
    if (s->last_word != IFD_REMOTE_TARGET && !s->word_said) {
        const ifd_remote_target word = {
            .number = s->target.number + 1, .kind = s->last_word, .time = s->word_value[1], .u = {s->word_value[0]}};
        s->word_said = ifd_remote_say(s->remote, &word);
    }
}

void ifd__os_catch_up(ifd_opensees *s)
{
    ifd_remote_answer a;
    end_round(s);
    ifd__os_publish(s); /* the reason of a message before the message */
    push(s);
    while (ifd_remote_hear(s->remote, &a)) {
        if (!a.over)
            s->measured = a;
        s->measured.over = s->measured.over || a.over;
    }
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (s->peer[i].used && s->peer[i].asked && measured(s) && ifd__os_all_heard(s, &s->peer[i]))
            answer(s, &s->peer[i]);
    s->report.over = ifd__os_over(s);
    ifd__os_publish(s);
}
