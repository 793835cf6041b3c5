/* SPDX-License-Identifier: MIT */
/* Tests whether an FMU can restore an earlier state. The test uses a separate instance and, for a file, a separate
 * process, because some FMUs crash when a state is set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/os_linux.h"
#include "fmi/archive.h"
#include "statistics/statistics.h"

enum { PORTS = 32 };

/* The real inputs and outputs of an FMU in a trial. */
typedef struct ports {
    int in[PORTS], out[PORTS], ins, outs;
    int time; /* the variable of its time, -1: none */
} ports;

static ports fmu_ports_of(const ifd_fmu *f)
{
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    ports p = {.time = -1};
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        if (v->real && v->role == IFD_FMU_INPUT && p.ins < PORTS)
            p.in[p.ins++] = i;
        if (v->real && v->role == IFD_FMU_OUTPUT && p.outs < PORTS)
            p.out[p.outs++] = i;
        if (v->real && v->role == IFD_FMU_INDEPENDENT)
            p.time = i;
    }
    return p;
}

/* Set, step, get. */
static bool fmu_once(ifd_fmu *f, const ports *p, double now, double h, const double *in, double *out)
{
    return ifd_fmu_set(f, p->ins, p->in, in) && ifd_fmu_step(f, now, h) && ifd_fmu_get(f, p->outs, p->out, out);
}

/* Inputs of step k: each alternates between +-amplitude. */
static void fmu_swing(const ports *p, double amplitude, long k, double *in)
{
    for (int i = 0; i < p->ins; i++)
        in[i] = amplitude * sin(0.05 * (double)k + i);
}

static bool failed(ifd_fmu_back_quality *out, const ifd_fmu *f, const char *call)
{
    out->verdict = IFD_FMU_BACK_FAILS;
    snprintf(out->why, sizeof out->why, "%s: %.300s", call, ifd_fmu_why(f));
    return false;
}

typedef struct trial {
    ifd_fmu *f;
    ports ports;
    double h, amplitude;
    long (*count)(void); /* allocations, or NULL */
} trial;

static long allocated(const trial *t)
{
    return t->count ? t->count() : 0;
}

/* Step k, restoration of the state before it, and the step again. */
static bool repeat(const trial *t, long k, long *allocations, ifd_fmu_back_quality *out)
{
    ifd_fmu *f = t->f;
    const ports *p = &t->ports;
    double in[PORTS], first[PORTS], again[PORTS], now = t->h * (double)k;
    fmu_swing(p, t->amplitude, k, in);
    long before = allocated(t);
    bool good = ifd_fmu_save(f);
    *allocations += allocated(t) - before;
    if (!good)
        return failed(out, f, "get-state");
    good = fmu_once(f, p, now, t->h, in, first);
    before = allocated(t);
    if (good && !ifd_fmu_restore(f))
        return failed(out, f, "set-state");
    *allocations += allocated(t) - before;
    if (!good || !fmu_once(f, p, now, t->h, in, again))
        return failed(out, f, good ? "a step after set-state" : "a step");
    if (memcmp(first, again, sizeof *first * (size_t)p->outs) != 0)
        out->verdict = IFD_FMU_BACK_OTHER;
    return true;
}

void ifd_fmu_qualify_back(ifd_fmu *f, double h, double amplitude, long (*count)(void), ifd_fmu_back_quality *out)
{
    enum { FIRST = 4 /* these steps may allocate memory permanently */, REPEATS = 64 };
    const trial t = {f, fmu_ports_of(f), h, amplitude, count};
    long first = 0, later = 0;
    *out = (ifd_fmu_back_quality){.verdict = IFD_FMU_BACK_EXACT, .allocations = -1};
    if (!ifd_fmu_facts_of(f)->rolls_back) {
        out->verdict = IFD_FMU_BACK_ABSENT;
        return;
    }
    for (long k = 0; k < REPEATS; k++)
        if (!repeat(&t, k, k < FIRST ? &first : &later, out))
            return;
    out->allocations = count ? later : -1;
}

static ifd_status try_back(const char *path, const ifd_fmu_open_options *apart, const char *parameters, double h,
                           ifd_fmu_back_quality *out, ifd_note *note)
{
    const double amplitude = 1e-3; /* m or N: small compared with displacements and forces of structures */
    ifd_fmu *f = NULL;
    *out = (ifd_fmu_back_quality){.allocations = -1};
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd_note unheard; /* remarks about the process of a trial are not shown */
    ifd_note_init(&unheard, arena);
    ifd_status status = ifd_fmu_open_as(arena, path, apart, &f, &unheard);
    if (status == IFD_OK)
        status = ifd_fmu_preset_text(f, parameters, NULL, &unheard);
    if (status == IFD_OK)
        status = ifd_fmu_begin(f, 0.0, &unheard);
    if (status == IFD_OK)
        ifd_fmu_qualify_back(f, h, amplitude, NULL, out);
    else
        (void)ifd_note_add(note, status, NULL, "'%s' could not be tried in a separate process: %s", path,
                           f && *ifd_fmu_why(f) ? ifd_fmu_why(f) : ifd_status_text(status));
    return status;
}

ifd_status ifd_fmu_try_back(const char *path, const char *parameters, double h, double patience,
                            ifd_fmu_back_quality *out, ifd_note *note)
{
    const ifd_fmu_open_options apart = {.isolated = true, .patience = patience};
    return try_back(path, &apart, parameters, h, out, note);
}

ifd_status ifd_fmu_join_check(ifd_fmu *f, const char *path, const char *parameters, double h, bool predict,
                              ifd_note *note)
{
    ifd_fmu_back_quality q;
    if (!ifd_fmu_facts_of(f)->rolls_back || ifd_fmu_process_of(f).isolated)
        return IFD_OK;
    const ifd_fmu_open_options apart = {.isolated = true, .file = ifd__fmu_file(f)};
    IFD_TRY(try_back(path, &apart, parameters, h > 0.0 ? h : 1e-3, &q, note));
    if (q.verdict != IFD_FMU_BACK_FAILS)
        return IFD_OK;
    if (predict) {
        ifd__fmu_renounce_back(f);
        ifd_note_remark(note, NULL,
                        "the FMU '%s' declares that it can restore a state, but this fails (%s): its "
                        "motion is predicted instead",
                        path, q.why);
        return IFD_OK;
    }
    return ifd_note_advise(note, IFD_UNSUPPORTED, NULL,
                           "use it as a specimen (force out), which never restores a state; no-rollback: predict "
                           "(join: --predict) joins it without a guarantee of stability",
                           "the FMU '%s' cannot be joined, because restoring a state fails (%s)", path, q.why);
}

/* Measures properties without a flag in FMI: the duration of a step, and whether it allocates. */

enum { KEPT = 1 << 16, WARM = 16 /* the first steps may allocate memory permanently */ };

static void times_of(double *time, long kept, ifd_fmu_quality *q)
{
    ifd__sort((int)kept, time);
    q->p50 = time[kept / 2];
    q->p999 = time[(long)(0.999 * (double)(kept - 1))];
    q->worst = fmax(q->worst, time[kept - 1]);
}

/* A step in which the kernel preempted the thread gives no information about the FMU. Only long steps are checked:
 * the check takes longer than a short step. */
static bool disturbed(double took, long *seen)
{
    const double brief = 20e-6;
    long faults, now = *seen;
    if (took > brief)
        ifd__thread_disturbances(&faults, &now);
    bool more = now > *seen;
    *seen = now;
    return more;
}

void ifd_fmu_qualify(ifd_fmu *f, long steps, double h, double amplitude, long (*count)(void), ifd_fmu_quality *out)
{
    const ports p = fmu_ports_of(f);
    double *time = malloc(sizeof *time * KEPT), in[PORTS], values[PORTS];
    long before = 0, kept = 0, seen = 0;
    (void)disturbed(HUGE_VAL, &seen);
    *out = (ifd_fmu_quality){.finite = true, .allocations = count ? 0 : -1, .inputs = p.ins, .outputs = p.outs};
    for (long k = 0; k < steps && time; k++) {
        fmu_swing(&p, amplitude, k, in);
        if (k == WARM && count)
            before = count();
        int64_t began = ifd__clock_now();
        bool good = fmu_once(f, &p, h * (double)k, h, in, values);
        double took = 1e-9 * (double)(ifd__clock_now() - began);
        if (disturbed(took, &seen))
            out->preempted++;
        else {
            time[kept++ % KEPT] = took;
            out->worst = k >= WARM ? fmax(out->worst, took) : out->worst;
        }
        out->steps = k + 1;
        if (!good) {
            out->finite = false;
            break;
        }
    }
    if (count && out->steps > WARM)
        out->allocations = count() - before;
    if (time && kept > 0)
        times_of(time, kept < KEPT ? kept : KEPT, out);
    if (p.time >= 0 && out->finite && ifd_fmu_get(f, 1, &p.time, values))
        out->drift = values[0] - h * (double)out->steps;
    bool judged = 20 * out->preempted <= out->steps; /* preemption must not hide long steps */
    out->fit = p.ins > 0 && p.outs > 0 && out->finite && out->steps == steps && out->allocations == 0 &&
               out->worst < h && judged;
    free(time);
}
