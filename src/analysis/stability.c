/* SPDX-License-Identifier: MIT */
/* Stability of a run as configured: probing of its tick code, roots and their classification. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/stepper.h"
#include "run/run.h"
#include "analysis/krylov.h"
#include "analysis/superelements.h"
#include "analysis/verdict.h"

enum { DENSE = 4000, WITH_VECTORS = 1200, REDUCED_TO = 600, WITH_BOUND = 1000 };
/* Steps that a coupling remembers; the smallest growth of a random state that counts, ln per step: that of a power of
 * time up to the third is below it. */
enum { HISTORY = 6 };
static const double LEAST_RATE = 2.5e-3;
static const double zero = 1e-6; /* modulus of a root that counts as zero */

typedef struct examining {
    ifd_arena *arena, *scratch;
    ifd_run_options rest;
    ifd__probed_run p;
    double *A, *scale;
    ifd__exact exact;
    ifd_assembly map;
    ifd__view view;
    ifd__roots roots;
    bool largest; /* only the largest roots are computed */
    ifd_stability *out;
    ifd_note *note;
} examining;

static ifd_status reduce_to_modes(examining *x, const ifd__superelements *s)
{
    int states = x->p.probe.n, before;
    ifd_status status = ifd__reduce_parts(x->scratch, &x->rest, states, REDUCED_TO, &before, NULL);
    if (status == IFD_TOO_LARGE || status == IFD_SINGULAR) {
        ifd_note_remark(x->note, NULL,
                        "%d state variables: a substructure cannot be reduced, because %s; only the largest roots "
                        "are computed, and no modes; to compute all, %s",
                        states, s->why, s->hint);
        x->largest = true;
        return IFD_OK;
    }
    IFD_TRY(status);
    x->out->reduced = before;
    ifd_run_close(x->p.run);
    IFD_TRY(ifd__probe_run(x->scratch, &x->rest, &x->p, x->note));
    ifd_note_remark(x->note, NULL,
                    "%d state variables: every substructure is reduced to its joints, its elements and its "
                    "lowest modes, %d numbers in all; the effect of the highest modes is not included",
                    states, x->p.probe.n);
    return IFD_OK;
}

/* Superelements, which have an error bound; otherwise the lowest modes. */
static ifd_status reduce(examining *x)
{
    ifd__superelements s;
    int parts = ifd__parts_of(&x->rest), states = x->p.probe.n, dofs = 0;
    for (int p = 0; p < parts; p++)
        dofs += ifd__part_model(&x->rest, p)->n;
    int most = (int)((double)WITH_BOUND * dofs / states / parts);
    ifd_status status = ifd__superelements_make(x->scratch, &x->rest, most, &s);
    if (status == IFD_UNSUPPORTED)
        return reduce_to_modes(x, &s);
    IFD_TRY(status);
    ifd_run_close(x->p.run);
    IFD_TRY(ifd__probe_run(x->scratch, &x->rest, &x->p, x->note));
    x->out->reduced = s.before;
    x->out->reduced_bound = s.bound;
    x->out->reduced_range = s.frequency;
    ifd_note_remark(x->note, NULL,
                    "%d state variables: %s; %d numbers remain, and the effect of the highest modes is not included",
                    states, ifd__superelements_text(x->scratch, &s), x->p.probe.n);
    return IFD_OK;
}

static ifd_status make_run(examining *x, const ifd_run_options *opt)
{
    IFD_TRY(ifd__probe_options(x->scratch, opt, &x->rest));
    IFD_TRY(ifd__probe_run(x->scratch, &x->rest, &x->p, x->note));
    x->out->reduced_bound = (double)NAN;
    return x->p.probe.n <= DENSE ? IFD_OK : reduce(x);
}
/* Displacements and element states among the state variables; where[i]: index of x[i] in them, -1 for others. */
static ifd_status make_view(examining *x)
{
    const ifd_run *r = x->p.run;
    const ifd__probe *p = &x->p.probe;
    for (int k = 0; k < r->models; k++) {
        x->view.dofs += r->response.model[k].m->n;
        x->view.states += r->response.model[k].m->ns;
    }
    int *where, *at;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(where, p->size), IFD__ARRAY(at, x->view.dofs + x->view.states)));
    for (int i = 0; i < p->n; i++)
        where[p->state[i]] = i;
    int u = 0, s = x->view.dofs;
    for (int k = 0; k < r->models; k++) {
        const ifd__response_model *b = &r->response.model[k];
        for (int i = 0; i < b->m->n; i++)
            at[u++] = where[b->at + i];
        for (int i = 0; i < b->m->ns; i++)
            at[s++] = where[b->at + 2 * b->m->n + i];
    }
    x->view.at = at;
    x->view.scale = x->scale;
    x->view.map = x->rest.couple ? &x->map : NULL;
    return IFD_OK;
}

static ifd_status find_exact(examining *x)
{
    const ifd_model *m = x->rest.model;
    const ifd_run *r = x->p.run;
    if (x->rest.couple) {
        IFD_TRY(ifd_couple_assemble(x->scratch, x->rest.couple, &x->map, x->note));
        m = x->map.model;
    }
    ifd__linear_specimens specimens = {.count = r->specimens, .specimen = r->specimen, .rig = r->rig};
    return ifd__exact_make(x->scratch, m, &specimens, &x->exact, x->note);
}

/* Arnoldi's method has not converged: only growth is a verdict. A random state may decay although a motion that it
 * hardly contains grows. */
static ifd_status judge_growth(examining *x, const ifd__growth *g)
{
    ifd__roots *r = &x->roots;
    if (!(g->rate > LEAST_RATE))
        return ifd_note_advise(
            x->note, IFD_UNSUPPORTED, NULL,
            "examine a smaller structure of the same kind, use fewer joint dofs, or watch the "
            "energy balance of a long run without loads",
            "the stability is not decided: the largest root did not converge. Known is only that a random "
            "state changed by a factor of %.6f per step over %d steps, which excludes growth above %.2g %% "
            "per step",
            exp(g->rate), IFD__GROWTH_STEPS, 100.0 * expm1(fmax(0.0, g->excluded)));
    ifd_note_remark(x->note, NULL, "the largest root did not converge; its modulus is the growth over %d steps",
                    IFD__GROWTH_STEPS);
    r->n = 1;
    r->real[0] = exp(g->rate);
    r->imag[0] = 0.0;
    r->blur = NULL;
    return IFD_OK;
}

/* The largest roots by Arnoldi's method or, if it does not converge, the growth of a random state. */
static ifd_status probe_largest(examining *x)
{
    ifd__growth g;
    ifd__roots *r = &x->roots;
    ifd_status status = ifd__krylov_roots(x->scratch, &x->p.probe, HISTORY, r, x->note);
    if (status == IFD_UNSUPPORTED)
        status = ifd__krylov_radius(x->scratch, &x->p.probe, HISTORY, 0.0, r, x->note);
    if (status != IFD_UNSUPPORTED && (status != IFD_OK || !ifd__roots_stable(r)))
        return status;
    IFD_TRY(ifd__krylov_growth(x->scratch, &x->p.probe, IFD__GROWTH_STEPS, &g));
    if (status == IFD_UNSUPPORTED || g.rate > LEAST_RATE)
        return judge_growth(x, &g);
    ifd_note_remark(x->note, NULL,
                    "the roots are the largest ones that two random states contain; %d steps of a third one exclude "
                    "growth above %.2g %% per step (probability of error %g). Slower growth is excluded only for "
                    "motions that these states contain",
                    IFD__GROWTH_STEPS, 100.0 * expm1(fmax(0.0, g.excluded)), IFD__GROWTH_DOUBT);
    return IFD_OK;
}

static ifd_status probe(examining *x)
{
    size_t n = (size_t)x->p.probe.n;
    if (x->largest)
        return probe_largest(x);
    x->A = malloc((n * n + 1) * sizeof *x->A);
    x->scale = ifd_arena_array(x->scratch, n, sizeof *x->scale);
    IFD__HAVE(x->A && x->scale);
    const ifd__balanced into = {x->A, x->scale, NULL};
    ifd_status status = ifd__verdict_of(&x->p.probe, x->scratch, &into, n <= WITH_VECTORS, &x->roots, x->note);
    if (status != IFD_DIVERGED)
        return status;
    if (ifd_run_fault(x->p.run).fault == IFD_FAULT_NONE)
        return ifd_note_add(x->note, IFD_NOT_FINITE, NULL, "the amplification matrix is not finite");
    return ifd_note_add(x->note, status, NULL, "a step from a unit state failed: %s",
                        ifd_fault_text(ifd_run_fault(x->p.run).fault));
}

static ifd_root *copy_roots(examining *x)
{
    ifd_stability *out = x->out;
    int n = x->roots.n;
    ifd_root *root = ifd_arena_array(x->arena, (size_t)n, sizeof *root);
    for (int k = 0; root && k < n; k++) {
        double re = x->roots.real[k], im = x->roots.imag[k];
        root[k] = (ifd_root){.real = re, .imag = im, .mode = -1};
        out->radius = fmax(out->radius, ifd__root_modulus(&x->roots, k));
        out->ones += ifd__root_is_one(&x->roots, k);
        out->zeros += hypot(re, im) < zero;
    }
    out->states = n;
    out->root = root;
    out->stable = ifd__roots_stable(&x->roots);
    return root;
}

static void find_spurious(const ifd__roots *roots, ifd_stability *out)
{
    for (int k = 0; k < out->states; k++) {
        const ifd_root *r = &out->root[k];
        if (r->mode < 0 && !ifd__root_is_one(roots, k))
            out->spurious = fmax(out->spurious, hypot(r->real, r->imag));
    }
}

static bool bounded(const ifd_run_options *opt)
{
    bool some = !opt->couple && ifd__step_bounded(&opt->step);
    for (int p = 0; opt->couple && p < opt->couple->parts; p++)
        some = some || ifd__step_bounded(&opt->couple->part[p].step);
    return some;
}

static ifd_status examine(examining *x, const ifd_run_options *opt)
{
    IFD_TRY(make_run(x, opt));
    x->out->step = x->p.step;
    x->out->coarse = x->p.coarse;
    x->out->linearised = !x->p.linear;
    x->out->bounded = x->out->linearised && bounded(opt);
    IFD_TRY(probe(x));
    ifd_root *root = copy_roots(x);
    IFD__HAVE(root);
    x->out->defective = -1;
    if (x->largest)
        return IFD_OK;
    IFD_TRY(make_view(x));
    IFD_TRY(find_exact(x));
    IFD_TRY(ifd__match_modes(x->arena, &x->exact, &x->roots, &x->view, root, x->out));
    find_spurious(&x->roots, x->out);
    /* Probing of a linear step is exact except for rounding; differences of a nonlinear step are not. */
    return ifd__count_defective(&x->roots, x->A, x->p.linear ? 1e-10 : 1e-6, &x->out->defective);
}

static ifd_status close_examining(examining *x, ifd_status status)
{
    free(x->A);
    if (x->p.run)
        ifd_run_close(x->p.run);
    ifd_arena_close(x->scratch);
    return status;
}

ifd_status ifd_stability_find(ifd_arena *arena, const ifd_run_options *opt, ifd_stability *out, ifd_note *note)
{
    examining x = {.arena = arena, .scratch = ifd_arena_open(), .out = out, .note = note};
    memset(out, 0, sizeof *out);
    return close_examining(&x, x.scratch ? examine(&x, opt) : IFD_NO_MEMORY);
}
