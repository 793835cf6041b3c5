/* SPDX-License-Identifier: MIT */
/* Makes a run from the data of the caller: the model, its specimens and the functions that compute their forces. */
#include "embed/embed.h"
#include "base/arena.h"

static const ifd_param no_params[] = {{0}};
static const ifd_value no_values[1];

/* The ops are the first member of an answerer. */
static const ifd__answerer *behind(const ifd_element *e)
{
    return (const ifd__answerer *)(const void *)e->ops;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    e->ns = e->nroot = 0;
    return IFD_OK;
}

static void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const ifd__answerer *a = behind(e);
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
        estimate[k] = (ifd_estimate){specimen[k].from, specimen[k].to, a->stiffness, a->damping};
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
