/* SPDX-License-Identifier: MIT */
/* Tests whether an FMU can restore an earlier state. The test uses a separate instance and, for a file, a separate
 * process, because some FMUs crash when a state is set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/ports.h"

ifd__fmu_ports ifd__fmu_ports_of(const ifd_fmu *f)
{
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    ifd__fmu_ports p = {.time = -1};
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        if (v->real && v->role == IFD_FMU_INPUT && p.ins < IFD__FMU_PORTS)
            p.in[p.ins++] = i;
        if (v->real && v->role == IFD_FMU_OUTPUT && p.outs < IFD__FMU_PORTS)
            p.out[p.outs++] = i;
        if (v->real && v->role == IFD_FMU_INDEPENDENT)
            p.time = i;
    }
    return p;
}

bool ifd__fmu_once(ifd_fmu *f, const ifd__fmu_ports *p, double now, double h, const double *in, double *out)
{
    return ifd_fmu_set(f, p->ins, p->in, in) && ifd_fmu_step(f, now, h) && ifd_fmu_get(f, p->outs, p->out, out);
}

void ifd__fmu_swing(const ifd__fmu_ports *p, double amplitude, long k, double *in)
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
    ifd__fmu_ports ports;
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
    const ifd__fmu_ports *p = &t->ports;
    double in[IFD__FMU_PORTS], first[IFD__FMU_PORTS], again[IFD__FMU_PORTS], now = t->h * (double)k;
    ifd__fmu_swing(p, t->amplitude, k, in);
    long before = allocated(t);
    bool good = ifd_fmu_save(f);
    *allocations += allocated(t) - before;
    if (!good)
        return failed(out, f, "get-state");
    good = ifd__fmu_once(f, p, now, t->h, in, first);
    before = allocated(t);
    if (good && !ifd_fmu_restore(f))
        return failed(out, f, "set-state");
    *allocations += allocated(t) - before;
    if (!good || !ifd__fmu_once(f, p, now, t->h, in, again))
        return failed(out, f, good ? "a step after set-state" : "a step");
    if (memcmp(first, again, sizeof *first * (size_t)p->outs) != 0)
        out->verdict = IFD_FMU_BACK_OTHER;
    return true;
}

void ifd_fmu_qualify_back(ifd_fmu *f, double h, double amplitude, long (*count)(void), ifd_fmu_back_quality *out)
{
    enum { FIRST = 4 /* these steps may allocate memory permanently */, REPEATS = 64 };
    const trial t = {f, ifd__fmu_ports_of(f), h, amplitude, count};
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
    ifd_arena *arena = ifd_arena_open();
    if (!arena)
        return IFD_NO_MEMORY;
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
    ifd_arena_close(arena);
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
    ifd_note_add(note, IFD_UNSUPPORTED, NULL, "the FMU '%s' cannot be joined, because restoring a state fails (%s)",
                 path, q.why);
    ifd_note_hint(note, "use it as a specimen (force out), which never restores a state; no-rollback: predict "
                        "(join: --predict) joins it without a guarantee of stability");
    return IFD_UNSUPPORTED;
}
