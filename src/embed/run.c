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

/* Makes a run from the data of the caller: the model, its specimens and the functions that compute their forces. */

static const ifd_param no_params[] = {{0}};
static const ifd_value no_values[1];

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    e->ns = e->nroot = 0;
    return IFD_OK;
}

static void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const ifd__answerer *a = (const void *)e->ops; /* its first member */
    if (out->r)
        out->r[0] = a->force_of ? a->force_of(a->self, in->t, in->q[0], in->qd[0])
                                : a->stiffness * in->q[0] + a->damping * in->qd[0];
    if (out->r_q)
        out->r_q[0] = a->stiffness;
    if (out->r_v)
        out->r_v[0] = a->damping;
}

void ifd__answerer_init(ifd__answerer *a, const char *name)
{
    *a = (ifd__answerer){.ops = {.abi = IFD_ELEMENT_ABI,
                                 .name = "answering",
                                 .summary = "a specimen with a force that another program computes",
                                 .equation = "r = answer(t, q, qd)",
                                 .params = no_params,
                                 .attach = IFD_ATTACH_PAIR,
                                 .make = make,
                                 .eval = eval},
                         .name = name};
}

/* Index of a dof of the model; IFD_GROUND for "ground". */
static ifd_status number(ifd_sim *s, const ifd__answerer *a, const char *name, int *out)
{
    int ref;
    *out = IFD_GROUND;
    if (ifd_builder_find(s->b, name, &ref) && ref == IFD_GROUND)
        return IFD_OK;
    *out = ifd_model_find_dof(s->run.model, name);
    if (*out >= 0)
        return IFD_OK;
    return ifd_note_add(&s->note, IFD_MASSLESS, NULL, "specimen '%s' acts on dof '%s', which has no mass", a->name,
                        name);
}

/* Specimens of a structure from arrays. Each has the force of its estimate until the caller assigns a function. */
static ifd_status make_specimens(ifd_sim *s)
{
    size_t count = (size_t)s->specimens;
    ifd_estimate *estimate;
    ifd_specimen *specimen;
    ifd__answerer *quiet;
    IFD_TRY(IFD__TAKE(s->arena, IFD__ARRAY(estimate, count), IFD__ARRAY(specimen, count), IFD__ARRAY(quiet, count)));
    for (int k = 0; k < s->specimens; k++) {
        const ifd__answerer *a = &s->specimen[k];
        quiet[k] = *a;
        quiet[k].force_of = NULL;
        specimen[k] = (ifd_specimen){.name = a->name, .ops = &quiet[k].ops, .values = no_values};
        IFD_TRY(number(s, a, a->from, &specimen[k].from));
        IFD_TRY(number(s, a, a->to, &specimen[k].to));
        estimate[k] = (ifd_estimate){specimen[k].from, specimen[k].to, a->stiffness, a->damping, NULL};
    }
    s->run.specimens = s->run.step.estimates = s->specimens;
    s->run.specimen = specimen;
    s->run.step.estimate = estimate;
    return IFD_OK;
}

static ifd_status make_arrays(ifd_sim *s)
{
    ifd_model *m = NULL;
    if (!s->b || ifd_builder_dofs(s->b) == 0)
        return ifd_note_add(&s->note, IFD_MISSING_KEY, NULL,
                            "there is no structure: read a case, or give dofs and matrices");
    if (!s->run.step.method)
        return ifd_note_add(&s->note, IFD_MISSING_KEY, NULL, "there is no method: give its name, step and end");
    IFD_TRY(ifd_model_make(s->arena, s->b, &m, &s->note));
    s->run.model = m;
    return make_specimens(s);
}

/* Analyses keep the original specimens; the run uses specimens with the functions of the caller. */
static ifd_status let_answer(ifd_sim *s)
{
    ifd_specimen *loud;
    IFD_TRY(IFD__TAKE(s->arena, IFD__ARRAY(loud, s->run.specimens)));
    for (int k = 0; k < s->run.specimens; k++) {
        loud[k] = s->run.specimen[k];
        if (!s->specimen[k].force_of)
            continue;
        loud[k].ops = &s->specimen[k].ops;
        loud[k].values = no_values;
    }
    s->quiet = s->run.specimen;
    s->run.specimen = loud;
    return IFD_OK;
}

ifd_status ifd_sim_make(ifd_sim *s)
{
    if (s->failed != IFD_OK || s->r)
        return s->failed;
    ifd_status status = s->c ? IFD_OK : make_arrays(s);
    if (status == IFD_OK)
        status = let_answer(s);
    if (status == IFD_OK)
        status = ifd_run_make(s->arena, &s->run, &s->r, &s->note);
    if (status != IFD_OK) {
        s->r = NULL;
        if (s->c)
            ifd_case_quote(s->c, &s->note);
        return ifd__sim_latch(s, status);
    }
    s->state = ifd_run_steps(s->r) > 0 ? IFD_RUN_GOING : IFD_RUN_DONE;
    s->pending = ifd_run_fresh(s->r);
    return IFD_OK;
}

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
    int columns = ifd_sim_columns(s);
    while (n < rows && (s->pending || s->state == IFD_RUN_GOING)) {
        if (!s->pending)
            ifd_sim_step(s);
        if (!s->pending)
            break;
        time[n] = ifd_run_time(s->r);
        memcpy(values + (size_t)n * (size_t)columns, ifd_run_values(s->r), (size_t)columns * sizeof *values);
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

const ifd_column *ifd_sim_column(const ifd_sim *s, int column)
{
    int count;
    const ifd_column *c = s->r ? ifd_run_columns(s->r, &count) : NULL;
    return c && column >= 0 && column < count ? &c[column] : NULL;
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
    ifd_arena *scratch IFD__CLOSED = m ? ifd_arena_open() : NULL;
    ifd_triplets t = {0};
    if (!scratch)
        return m ? IFD_NO_MEMORY : IFD_UNKNOWN_NAME;
    IFD_TRY(ifd_model_matrix(scratch, m, which, tangent, &t, &s->note));
    size_t n = (size_t)t.n;
    memset(out, 0, n * n * sizeof *out);
    for (int k = 0; k < t.count; k++)
        out[(size_t)t.row[k] + n * (size_t)t.column[k]] = t.value[k];
    return IFD_OK;
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
    ifd_characterised found[IFD_RIG_ACTUATORS];
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
