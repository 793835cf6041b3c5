/* SPDX-License-Identifier: MIT */
/* A simulation after its run is made: steps, columns, saved states, analyses. */
#include "embed/embed.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <interfield/certificate.h>
#include <interfield/characterised.h>
#include <interfield/stop_chain.h>

#include "run/run.h"

ifd_run_state ifd_sim_tick(ifd_sim *s)
{
    assert(s->r);
    s->state = ifd_run_tick(s->r);
    s->pending = ifd_run_fresh(s->r);
    return s->state;
}

ifd_run_state ifd_sim_step(ifd_sim *s)
{
    do
        ifd_sim_tick(s);
    while (s->state == IFD_RUN_GOING && !s->pending);
    return s->state;
}

long ifd_sim_take(ifd_sim *s, long rows, double *time, double *values)
{
    long n = 0;
    int channels = ifd_sim_columns(s);
    while (n < rows && (s->pending || s->state == IFD_RUN_GOING)) {
        if (!s->pending)
            ifd_sim_step(s);
        if (!s->pending)
            break;
        time[n] = ifd_run_time(s->r);
        memcpy(values + (size_t)n * (size_t)channels, ifd_run_values(s->r), (size_t)channels * sizeof *values);
        s->pending = false;
        n++;
    }
    return n;
}

int ifd_sim_columns(const ifd_sim *s)
{
    int count = 0;
    if (s->r)
        ifd_run_columns(s->r, &count);
    return count;
}

const ifd_column *ifd_sim_column(const ifd_sim *s, int channel)
{
    int count;
    const ifd_column *c = s->r ? ifd_run_columns(s->r, &count) : NULL;
    return c && channel >= 0 && channel < count ? &c[channel] : NULL;
}

const double *ifd_sim_values(const ifd_sim *s)
{
    assert(s->r);
    return ifd_run_values(s->r);
}

double ifd_sim_time(const ifd_sim *s)
{
    assert(s->r);
    return ifd_run_time(s->r);
}

long ifd_sim_rows(const ifd_sim *s)
{
    assert(s->r);
    return ifd_run_steps(s->r) / (s->run.every > 0 ? s->run.every : 1) + 1;
}

const char *ifd_sim_fault(ifd_sim *s)
{
    ifd_fault_facts f = s->r ? ifd_run_fault(s->r) : (ifd_fault_facts){.fault = IFD_FAULT_NONE};
    if (f.fault == IFD_FAULT_NONE || f.fault == IFD_FAULT_ITERATIONS)
        return NULL;
    int n = snprintf(s->fault, sizeof s->fault, "%s, at %g s", ifd_fault_text(f.fault), f.time);
    if (f.dof_name && n > 0 && n < (int)sizeof s->fault)
        snprintf(s->fault + n, sizeof s->fault - (size_t)n, ", dof '%s': %g", f.dof_name, f.value);
    return s->fault;
}

const char *ifd_sim_cautions(ifd_sim *s)
{
    ifd__doubts d = {0};
    size_t used = 0;
    s->caution[0] = 0;
    if (s->r)
        ifd__run_doubts(s->r, &d);
    for (int k = 0; k < IFD__CAUTION_COUNT; k++) {
        char text[400];
        if (!s->r || !ifd__caution_print(&d, (ifd__caution)k, text, sizeof text))
            continue;
        snprintf(s->caution + used, sizeof s->caution - used, "%s%s", used ? "\n" : "", text);
        used = strlen(s->caution);
    }
    return s->caution;
}

int ifd_sim_size(const ifd_sim *s)
{
    assert(s->r);
    return s->r->size;
}

void ifd_sim_save(const ifd_sim *s, double *out)
{
    assert(s->r);
    memcpy(out, s->r->x, (size_t)s->r->size * sizeof *out);
}

static bool keeps_elsewhere(const ifd_sim *s)
{
    if (!s->run.couple)
        return s->run.step.method->offline;
    for (int p = 0; p < s->run.couple->parts; p++)
        if (s->run.couple->part[p].step.method->offline)
            return true;
    return false;
}

ifd_status ifd_sim_load(ifd_sim *s, const double *from)
{
    assert(s->r);
    if (keeps_elsewhere(s))
        return ifd_note_add(&s->note, IFD_UNSUPPORTED, NULL,
                            "this method has internal state that cannot be restored");
    memcpy(s->r->x, from, (size_t)s->r->size * sizeof *from);
    ifd__run_publish(s->r, ifd_run_time(s->r));
    s->state = ifd_run_step(s->r) < ifd_run_steps(s->r) ? IFD_RUN_GOING : IFD_RUN_DONE;
    s->pending = ifd_run_step(s->r) % s->r->every == 0;
    return IFD_OK;
}

int ifd_sim_parts(const ifd_sim *s)
{
    return s->run.couple ? s->run.couple->parts : s->run.model ? 1 : 0;
}

static const ifd_model *model_of(const ifd_sim *s, int part)
{
    if (part < 0 || part >= ifd_sim_parts(s))
        return NULL;
    return s->run.couple ? s->run.couple->part[part].model : s->run.model;
}

const char *ifd_sim_part(const ifd_sim *s, int part)
{
    if (!model_of(s, part))
        return NULL;
    return s->run.couple ? s->run.couple->part[part].name : "";
}

int ifd_sim_dofs(const ifd_sim *s, int part)
{
    const ifd_model *m = model_of(s, part);
    return m ? ifd_model_dofs(m) : 0;
}

const char *ifd_sim_dof_name(const ifd_sim *s, int part, int dof)
{
    return dof >= 0 && dof < ifd_sim_dofs(s, part) ? ifd_model_dof_name(model_of(s, part), dof) : NULL;
}

ifd_status ifd_sim_dense(ifd_sim *s, int part, ifd_matrix_kind which, bool tangent, double *out)
{
    const ifd_model *m = model_of(s, part);
    ifd_arena *scratch = m ? ifd_arena_open() : NULL;
    ifd_triplets t = {0};
    if (!scratch)
        return m ? IFD_NO_MEMORY : IFD_UNKNOWN_NAME;
    ifd_status status = ifd_model_matrix(scratch, m, which, tangent, &t, &s->note);
    size_t n = (size_t)t.n;
    if (status == IFD_OK)
        memset(out, 0, n * n * sizeof *out);
    for (int k = 0; k < t.count; k++)
        out[(size_t)t.row[k] + n * (size_t)t.column[k]] = t.value[k];
    ifd_arena_close(scratch);
    return status;
}

ifd_status ifd_sim_stability(ifd_sim *s, ifd_stability *out)
{
    ifd_run_options run = s->run;
    if (!s->r)
        return s->failed != IFD_OK ? s->failed
                                   : ifd_note_add(&s->note, IFD_MISSING_KEY, NULL, "the run has not been made yet");
    run.specimen = s->quiet;
    return ifd_stability_find(s->arena, &run, out, &s->note);
}

ifd_status ifd_sim_preflight(ifd_sim *s, const char **verdict, int *checks)
{
    const ifd_case *c = s->c;
    if (!c || !c->test)
        return ifd_note_add(&s->note, IFD_UNSUPPORTED, NULL,
                            "there is no test for a preflight: expected a case with 'specimen' and 'test'");
    ifd_preflight_options o = ifd_preflight_of(c);
    ifd_check proof[IFD_PROOF_CHECKS];
    IFD_TRY(ifd_proof_judge(s->arena, c, proof, &o.proofs, &s->note));
    o.proof = proof;
    ifd_characterised found[IFD_RIG_CHANNELS];
    o.characterised = ifd_characterised_read(s->arena, c, NULL, found) ? found : NULL;
    if (!s->preflight && !(s->preflight = ifd_arena_take(s->arena, sizeof *s->preflight)))
        return IFD_NO_MEMORY;
    IFD_TRY(ifd_preflight_run(s->arena, &o, s->preflight, &s->note));
    *verdict = ifd_verdict_name(s->preflight->verdict);
    *checks = s->preflight->checks;
    return IFD_OK;
}

const char *ifd_sim_check(const ifd_sim *s, int check, int what)
{
    const ifd_check *c =
        s->preflight && check >= 0 && check < s->preflight->checks ? &s->preflight->check[check] : NULL;
    if (!c)
        return NULL;
    const char *const text[] = {[IFD_SIM_TOPIC] = c->topic,
                                [IFD_SIM_FOUND] = c->found,
                                [IFD_SIM_VERDICT] = ifd_verdict_name(c->verdict),
                                [IFD_SIM_ADVICE] = c->advice};
    return what >= 0 && what < (int)(sizeof text / sizeof *text) ? text[what] : NULL;
}
