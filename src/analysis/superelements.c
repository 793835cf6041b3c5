/* SPDX-License-Identifier: MIT */
/* Replaces large substructures of an analysis by superelements. */
#include "analysis/superelements.h"

#include <math.h>

#include "algebra/dense.h"
#include "algebra/eigen.h"
#include "analysis/probe.h"
#include "model/build/derive.h"
#include "model/dof_pair.h"
#include "superelement/superelement.h"

enum { MOST_INTERFACE = 200, MOST_MODES = 200 };
static const double LEAST_RANGE = 50.0, RANGE = 10.0; /* Hz; of the lowest frequency */
static const double LARGE_BOUND = 1e-2, LEAST = 3.0;  /* of a transfer function; of the lowest frequency */
static const double TOLERANCE = 1e-4, SUPPOSED_RATIO = 0.02;

typedef struct reducing {
    ifd_arena *arena, *scratch;
    const ifd__connected *of;
    const ifd_model *m;
    int *interface; /* kept dofs */
    ifd_sparse K;   /* with springs on the kept dofs */
    double spring;  /* N/m */
    double ray_m, ray_k;
    double lowest, frequency; /* Hz */
    ifd__superelement element;
    ifd__superelements *out;
} reducing;

static ifd_status refuse(ifd__superelements *out, const char *why, const char *hint)
{
    out->why = why;
    out->hint = hint;
    return IFD_UNSUPPORTED;
}

/* Dofs with entries of C stay: a superelement has Rayleigh damping inside. */
static void keep_dashpots(const ifd_model *m, bool *keep)
{
    for (int j = 0; j < m->n && m->damped; j++)
        for (int l = m->C.p[j]; l < m->C.p[j + 1]; l++)
            if (m->C.x[l] != 0.0)
                keep[j] = keep[m->C.i[l]] = true;
}

static ifd_status check(const ifd__connected *c, int most, ifd__superelements *out)
{
    const ifd_model *m = c->m;
    if (!m->symmetric)
        return refuse(out, "its matrices are not symmetric", "use symmetric matrices");
    if (m->ray_m < 0.0 || m->ray_k < 0.0)
        return refuse(out, "a coefficient of its Rayleigh damping is negative", "use coefficients of zero or more");
    if (c->kept > MOST_INTERFACE || 2 * c->kept > most)
        return refuse(
            out, "too many of its dofs have elements, dashpots, joints or specimens",
            "use fewer joint dofs, Rayleigh damping instead of a damping matrix, and fewer nonlinear elements");
    return IFD_OK;
}

/* Springs on the kept dofs, as stiff as the structure there. */
static ifd_status add_springs(reducing *x)
{
    ifd__triplets t = {.arena = x->scratch};
    ifd_sparse S;
    x->spring = 0.0;
    for (int i = 0; i < x->of->kept; i++)
        x->spring += ifd__sparse_get(&x->m->K, x->interface[i], x->interface[i]) / x->of->kept;
    for (int i = 0; i < x->of->kept; i++)
        ifd__triplet(&t, x->interface[i], x->interface[i], x->spring);
    IFD_TRY(ifd__sparse_make(x->scratch, x->m->n, &t, true, &S));
    IFD_TRY(ifd__sparse_add(x->scratch, 1.0, &x->m->K, 1.0, &S, &x->K));
    x->out->held = true;
    return ifd__sparse_pack(x->scratch, &x->K);
}

/* The range of the bound, from the lowest frequency with the springs; the damping of the bound. */
static ifd_status choose_range(reducing *x)
{
    const double pi = acos(-1.0);
    ifd_model held = *x->m;
    ifd_modes modes;
    held.K = x->K;
    held.ne = held.nq = 0;
    held.inertial = false;
    IFD_TRY(ifd_model_modes(&held, IFD_DOF_X, 1, x->scratch, &modes, NULL));
    if (!(modes.frequency[0] > 0.0))
        return IFD_NOT_POSITIVE;
    x->lowest = modes.frequency[0];
    x->frequency = fmax(LEAST_RANGE, RANGE * modes.frequency[0]);
    x->ray_m = x->m->ray_m;
    x->ray_k = x->m->ray_k;
    if (x->ray_m + x->ray_k > 0.0)
        return IFD_OK;
    x->out->undamped = true;
    double low = 2.0 * pi * modes.frequency[0], high = 2.0 * pi * x->frequency;
    x->ray_m = 2.0 * SUPPOSED_RATIO * low * high / (low + high);
    x->ray_k = 2.0 * SUPPOSED_RATIO / (low + high);
    return IFD_OK;
}

static ifd_status make_for_range(reducing *x, int most)
{
    const ifd__superelement_goal goal = {.frequency = x->frequency, .tolerance = TOLERANCE, .most = most};
    ifd_sparse C = x->m->C;
    C.rank = 0;
    const ifd__linear_structure of = {.M = &x->m->M,
                                      .C = &C,
                                      .K = &x->K,
                                      .ray_m = x->ray_m,
                                      .ray_k = x->ray_k,
                                      .interfaces = x->of->kept,
                                      .interface = x->interface,
                                      .watched = x->m->C.rank,
                                      .modal = x->m->C.rank,
                                      .row = x->m->C.Z};
    return ifd__superelement_make(x->scratch, &of, &goal, &x->element, NULL);
}

/* Halves the range while the bound is large and the range holds more than the lowest frequencies. */
static ifd_status make_element(reducing *x, int most)
{
    for (;; x->frequency *= 0.5) {
        IFD_TRY(make_for_range(x, most));
        if (x->element.certificate.bound <= LARGE_BOUND || 0.5 * x->frequency < LEAST * x->lowest)
            return IFD_OK;
    }
}

/* Names and kinds of the kept dofs, "mode" for the others. */
static ifd_status name_dofs(const reducing *x, ifd__derivation *how)
{
    const char **name;
    ifd_dof_kind *kind;
    double *zero;
    IFD_TRY(IFD__TAKE(x->arena, IFD__ARRAY(name, how->n), IFD__ARRAY(kind, how->n), IFD__ARRAY(zero, how->n)));
    for (int j = 0; j < how->n; j++) {
        bool kept = j < x->of->kept;
        name[j] = kept ? x->m->dof_name[x->interface[j]] : "mode";
        kind[j] = kept ? x->m->dof_kind[x->interface[j]] : IFD_DOF_DEFORMATION;
    }
    how->dof_name = name;
    how->dof_kind = kind;
    how->u0 = how->v0 = zero;
    return IFD_OK;
}

static ifd_status make_model(const reducing *x, ifd_model **out)
{
    const ifd__physical *f = &x->element.form;
    ifd__derivation how = {.substructures = 1, .substructure = &x->m, .n = f->order};
    ifd__triplets M = {.arena = x->scratch}, K = M;
    ifd_sparse *matrix;
    ifd__physical_triplets(f, &M, &K);
    for (int i = 0; i < x->of->kept; i++)
        ifd__triplet(&K, i, i, -x->spring);
    IFD_TRY(IFD__TAKE(x->arena, IFD__ARRAY(matrix, 2)));
    IFD_TRY(ifd__sparse_make(x->arena, f->order, &M, true, &matrix[0]));
    IFD_TRY(ifd__sparse_make(x->arena, f->order, &K, true, &matrix[1]));
    how.M = &matrix[0];
    how.K = &matrix[1];
    how.Z = f->P ? f->P + (size_t)f->order * (size_t)x->of->kept : NULL;
    IFD_TRY(ifd__rows_take(x->scratch, x->m->n, (size_t)x->of->kept, &how.T));
    for (int i = 0, at = 0; i < x->m->n; i++) {
        if (x->of->keep[i]) {
            how.T.column[at] = x->of->number[i];
            how.T.value[at++] = 1.0;
        }
        how.T.start[i + 1] = at;
    }
    IFD_TRY(name_dofs(x, &how));
    return ifd__model_derive(x->arena, &how, out, NULL);
}

/* The bound applies up to the smallest range of a substructure. */
static void limit_range(ifd__superelements *out, double frequency)
{
    out->frequency = out->frequency > 0.0 ? fmin(out->frequency, frequency) : frequency;
}

/* Nothing is connected: the lowest modes, which are exact. */
static ifd_status take_modes(reducing *x, int most)
{
    ifd_sparse K = x->m->K, M = x->m->M;
    ifd__eigenpairs pairs;
    IFD_TRY(ifd__sparse_pack(x->scratch, &K));
    IFD_TRY(ifd__sparse_pack(x->scratch, &M));
    int count = most < MOST_MODES ? most : MOST_MODES;
    count = count < x->m->n / 4 ? count : x->m->n / 4;
    IFD_TRY(ifd__eigenpairs_lowest(x->scratch, &(ifd__pencil){&K, &M}, count, &pairs, NULL));
    x->element.form = (ifd__physical){.order = count, .lambda = pairs.lambda};
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(x->element.form.P, (size_t)count * (size_t)x->m->C.rank)));
    for (size_t k = 0; k < (size_t)x->m->C.rank; k++)
        for (size_t i = 0; i < (size_t)count; i++)
            x->element.form.P[i + k * (size_t)count] =
                ifd__dot(x->m->n, pairs.shape + i * (size_t)x->m->n, x->m->C.Z + k * (size_t)x->m->n);
    limit_range(x->out, sqrt(fmax(0.0, pairs.lambda[count - 1])) / (2.0 * acos(-1.0)));
    return IFD_OK;
}

static ifd_status reduce(reducing *x, int most, ifd_model **out)
{
    if (x->of->kept == 0) {
        IFD_TRY(take_modes(x, most));
        return make_model(x, out);
    }
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(x->interface, x->of->kept)));
    for (int i = 0; i < x->m->n; i++)
        if (x->of->keep[i])
            x->interface[x->of->number[i]] = i;
    x->K = x->m->K;
    ifd_status status = choose_range(x);
    if (status == IFD_OK)
        status = make_element(x, most);
    if (status == IFD_NOT_POSITIVE || status == IFD_SINGULAR) {
        IFD_TRY(add_springs(x));
        IFD_TRY(choose_range(x));
        status = make_element(x, most);
    }
    if (status == IFD_NOT_POSITIVE || status == IFD_SINGULAR)
        return refuse(x->out, "it can move freely even if its joints are held", "support it");
    if (status == IFD_UNSUPPORTED)
        return refuse(x->out, "its modal damping is not that of its own modes", "use Rayleigh damping");
    IFD_TRY(status);
    const ifd__certificate *c = &x->element.certificate;
    limit_range(x->out, x->frequency);
    if (!(c->bound <= x->out->bound)) {
        x->out->bound = c->bound;
        x->out->at = c->frequency;
    }
    return make_model(x, out);
}

/* The model itself where it is small. */
static ifd_status reduce_part(ifd_arena *arena, ifd__connected *c, int most, ifd__superelements *out,
                              const ifd_model **small)
{
    reducing x = {.arena = arena, .of = c, .m = c->m, .out = out};
    ifd_model *made = NULL;
    *small = c->m;
    out->before += c->m->n;
    if (c->m->n <= IFD__SMALL_PART) {
        for (int i = 0; i < c->m->n; i++)
            c->number[i] = i;
        out->after += c->m->n;
        return IFD_OK;
    }
    IFD_TRY(check(c, most, out));
    ifd_arena *scratch IFD__CLOSED = x.scratch = ifd_arena_open();
    IFD_TRY(scratch ? reduce(&x, most, &made) : IFD_NO_MEMORY);
    out->after += made->n;
    *small = made;
    return IFD_OK;
}

/* of[p].keep: further dofs that stay, or NULL. */
static ifd_status reduce_all(ifd_arena *arena, ifd_run_options *at_rest, int most, ifd__connected *of,
                             ifd__superelements *out)
{
    int parts = ifd__parts_of(at_rest);
    const ifd_model **small;
    *out = (ifd__superelements){.bound = (double)NAN};
    if (at_rest->couple && at_rest->couple->rts)
        return refuse(out, "the coupling 'rts' has links", "use another coupling");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(small, parts)));
    for (int p = 0; p < parts; p++) {
        const ifd_model *m = ifd__part_model(at_rest, p);
        if (!of[p].keep)
            IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(of[p].keep, m->n)));
        keep_dashpots(m, of[p].keep);
    }
    IFD_TRY(ifd__connected_find(arena, at_rest, of));
    for (int p = 0; p < parts; p++)
        IFD_TRY(reduce_part(arena, &of[p], most, out, &small[p]));
    return ifd__connected_replace(arena, of, small, at_rest);
}

ifd_status ifd__superelements_make(ifd_arena *arena, ifd_run_options *at_rest, int most, ifd__superelements *out)
{
    ifd__connected *of;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(of, ifd__parts_of(at_rest))));
    return reduce_all(arena, at_rest, most, of, out);
}

static ifd_status keep_interfaces(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_run_options *at_rest,
                                  ifd__connected *of)
{
    for (int p = 0; p < ifd__parts_of(at_rest); p++)
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(of[p].keep, ifd__part_model(at_rest, p)->n)));
    for (int k = 0; k < test->interfaces; k++) {
        const ifd_interface_options *c = &test->interface[k];
        for (int i = 0; i < ifd__ends_count(IFD__ENDS(c)); i++) {
            double value;
            int dof = ifd__end(IFD__ENDS(c), i, &value);
            if (dof >= 0)
                of[at_rest->couple ? c->part : 0].keep[dof] = true;
        }
    }
    return IFD_OK;
}

ifd_status ifd__superelements_test(ifd_arena *arena, const ifd_hybrid_options *test, int most, ifd_hybrid_options *to,
                                   ifd__superelements *out)
{
    const ifd_run_options whole = {.model = test->model, .couple = test->couple, .step = test->step};
    ifd_run_options o;
    ifd__connected *of;
    ifd_interface_options *interface;
    if (test->remote || test->protocol)
        return refuse(out, "it is not computed here", "examine it where it is computed");
    IFD_TRY(ifd__probe_options(arena, &whole, &o));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(of, ifd__parts_of(&o)), IFD__ARRAY(interface, test->interfaces)));
    IFD_TRY(keep_interfaces(arena, test, &o, of));
    IFD_TRY(reduce_all(arena, &o, most, of, out));
    for (int k = 0; k < test->interfaces; k++) {
        interface[k] = test->interface[k];
        const ifd__connected *c = &of[o.couple ? interface[k].part : 0];
        interface[k].from = interface[k].from >= 0 ? c->number[interface[k].from] : interface[k].from;
        interface[k].to = interface[k].to >= 0 ? c->number[interface[k].to] : interface[k].to;
        IFD__HAVE(ifd__renumber_row(arena, c->number, &interface[k].row));
    }
    *to = *test;
    to->model = o.model;
    to->couple = o.couple;
    to->step = o.step;
    to->interface = interface;
    to->dofs = 0;
    to->dof = NULL;
    to->drift = NULL;
    to->frame = NULL;
    to->what = IFD_RECORD_GROUND;
    return IFD_OK;
}

const char *ifd__superelements_text(ifd_arena *arena, const ifd__superelements *s)
{
    if (isnan(s->bound))
        return ifd_arena_print(arena, "%d dofs reduced to %d, the lowest modes up to %.4g Hz", s->before, s->after,
                               s->frequency);
    const char *with = s->undamped ? " (with a damping ratio of 2 %)"
                       : s->held   ? " (with springs on its joints)"
                                   : "";
    return ifd_arena_print(arena, "%d dofs reduced to %d; error at most %.2g of the peak up to %.4g Hz%s", s->before,
                           s->after, s->bound, s->frequency, with);
}
