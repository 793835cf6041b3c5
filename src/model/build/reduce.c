/* SPDX-License-Identifier: MIT */
#include "model/build/reduce.h"

#include <math.h>
#include <string.h>

#include "superelement/superelement.h"

enum { LARGEST_INTERFACE = 200 };

typedef struct reducing {
    ifd__making *k;
    const ifd_reduction *how;
    int n, p;       /* dofs of the system, interface dofs */
    int *place;     /* by dof of the builder: its dof of the system, -1: condensed */
    int *number;    /* n: index among the interface dofs, -1: reduced */
    int *interface; /* p dofs of the system */
    int inputs, watched, room;
    double *column;             /* n x (inputs, watched) */
    int ground[3];              /* the input of each direction, -1: none */
    int *row_of;                /* by dof of the builder: its column, -1: none */
    int *support_k, *support_m; /* by support: input of its stiffness and mass, -1: none */
    int start, motion;          /* inputs K u0, M v0, -1: none */
    ifd_sparse M, C, K;
    ifd__superelement element;
} reducing;

static ifd_status refuse(const ifd__making *k, ifd_status code, const char *why, const char *hint)
{
    ifd_note_about(k->note, code, "reduce", "the model cannot be reduced: %s", why);
    ifd_note_hint(k->note, "%s", hint);
    return code;
}

static ifd_status check(const reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_reduction *how = x->how;
    if (!(how->frequency > 0.0) || !isfinite(how->frequency))
        return ifd_note_about(k->note, IFD_RANGE, "reduce",
                              "the highest frequency of the reduction is %.9g Hz; it "
                              "must be positive",
                              how->frequency);
    if (!(how->tolerance > 0.0) || !(how->tolerance < 1.0))
        return ifd_note_about(k->note, IFD_RANGE, "reduce",
                              "the tolerance of the reduction is %.9g; it must lie between 0 and 1", how->tolerance);
    if (k->b->condense)
        return refuse(k, IFD_CONFLICT, "it is condensed as well", "leave out one of 'condense' and 'reduce'");
    if (k->b->nzeta)
        return refuse(k, IFD_UNSUPPORTED, "it has modal damping", "use Rayleigh damping");
    if (!(k->b->ray_m >= 0.0) || !(k->b->ray_k >= 0.0) || k->b->ray_m + k->b->ray_k == 0.0)
        return refuse(k, IFD_UNSUPPORTED,
                      "the error bound needs Rayleigh damping with coefficients that are not "
                      "negative",
                      "add Rayleigh damping");
    if (k->relaxed.count)
        return refuse(k, IFD_UNSUPPORTED, "dashpots hold dofs without mass", "give these dofs mass");
    for (int a = 0; a < 3; a++)
        if (!k->s.symmetric[a])
            return ifd__system_unsymmetric(k->b, &k->s, a, k->note);
    return IFD_OK;
}

static void keep(reducing *x, int dof)
{
    x->number[dof] = 0;
}

/* Numbers what is kept, in the order of the builder. */
static void number_interface(reducing *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->number[i] >= 0) {
            x->number[i] = x->p;
            x->interface[x->p++] = i;
        }
}

/* Dofs that the reduction names, elements act on or dashpots hold. */
static ifd_status find_interface(reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_sparse *C = &k->s.A[IFD_DAMPING];
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(x->number, x->n), IFD__ARRAY(x->interface, x->n),
                      IFD__ARRAY(x->place, k->b->dof.count)));
    for (int i = 0; i < k->b->dof.count; i++)
        x->place[i] = -1;
    for (int i = 0; i < x->n; i++) {
        x->number[i] = -1;
        x->place[k->s.dof[i]] = i;
    }
    for (int i = 0; i < x->how->interfaces; i++) {
        int dof = x->place[x->how->interface[i]];
        if (dof < 0)
            return ifd_note_about(k->note, IFD_MASSLESS, "reduce",
                                  "dof '%s' has no mass and cannot be an interface dof of a reduced model",
                                  ifd_builder_dof_name(k->b, x->how->interface[i]));
        keep(x, dof);
    }
    for (int e = 0; e < k->b->element.count; e++) {
        const ifd__attached *a = &IFD__AT(k->b->element, ifd__attached, e);
        for (int l = 0; l < a->start[a->element.nq]; l++)
            if (a->ref[l] >= 0 && a->coefficient[l] != 0.0)
                keep(x, x->place[a->ref[l]]);
    }
    for (int j = 0; j < C->n; j++)
        for (int l = C->p[j]; l < C->p[j + 1]; l++)
            if (C->x[l] != 0.0)
                keep(x, C->i[l]);
    number_interface(x);
    if (x->p <= LARGEST_INTERFACE)
        return IFD_OK;
    ifd_note_about(k->note, IFD_TOO_LARGE, "reduce",
                   "the reduced model would keep %d dofs as they are; the limit is %d", x->p, LARGEST_INTERFACE);
    ifd_note_hint(k->note, "couplings, elements and dashpots keep the dofs they act on; use Rayleigh damping instead "
                           "of a damping matrix");
    return IFD_TOO_LARGE;
}

/* A new column of zeros. */
static double *next_column(reducing *x)
{
    return x->column + (size_t)x->n * (size_t)(x->inputs + x->watched);
}

static bool empty(const double *column, int n)
{
    for (int i = 0; i < n; i++)
        if (column[i] != 0.0)
            return false;
    return true;
}

/* The column at hand becomes an input unless it is zero; returns its number or -1. */
static int add_input(reducing *x)
{
    return empty(next_column(x), x->n) ? -1 : x->inputs++;
}

/* column := row of T of a dof of the builder; supports have no part of it. */
static void take_row(const reducing *x, int dof, double *column)
{
    const ifd__rows *T = &x->k->s.T;
    for (int l = T->start[dof]; l < T->start[dof + 1]; l++)
        if (T->column[l] < x->n)
            column[T->column[l]] += T->value[l];
}

static int add_support(reducing *x, int which, int support)
{
    const ifd_sparse *A = &x->k->s.A[which];
    double *column = next_column(x);
    for (int l = A->p[x->n + support]; l < A->p[x->n + support + 1]; l++)
        if (A->i[l] < x->n)
            column[A->i[l]] = A->x[l];
    return add_input(x);
}

/* y := A x over the dofs, A stored whole. */
static void multiply(const ifd_sparse *A, int n, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        for (int l = A->p[j]; l < A->p[j + 1]; l++)
            if (A->i[l] < n)
                y[A->i[l]] += A->x[l] * x[j];
}

static ifd_status add_start(reducing *x)
{
    double *u, *v;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(u, x->n), IFD__ARRAY(v, x->n)));
    for (int i = 0; i < x->n; i++) {
        const ifd__dof *dof = &IFD__AT(x->k->b->dof, ifd__dof, x->k->s.dof[i]);
        u[i] = dof->u0;
        v[i] = dof->v0;
    }
    multiply(&x->k->s.A[IFD_STIFFNESS], x->n, u, next_column(x));
    x->start = add_input(x);
    multiply(&x->k->s.A[IFD_MASS], x->n, v, next_column(x));
    x->motion = add_input(x);
    return IFD_OK;
}

/* Whether a dof of the builder stays as it is, or has a column. */
static bool has_row(const reducing *x, int dof)
{
    int place = x->place[dof];
    return (place >= 0 && x->number[place] >= 0) || x->row_of[dof] >= 0;
}

/* Inputs: ground, supports, initial state, forces. Then the watched rows. */
static ifd_status find_columns(reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_builder *b = k->b;
    int ns = k->s.nsupport, all = b->dof.count;
    x->room = 3 + 2 * ns + 2 + b->force.count + x->how->watched;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(x->column, (size_t)x->n * (size_t)x->room), IFD__ARRAY(x->row_of, all),
                      IFD__ARRAY(x->support_k, ns), IFD__ARRAY(x->support_m, ns)));
    for (int i = 0; i < all; i++)
        x->row_of[i] = -1;
    for (int d = 0; d < 3; d++) {
        ifd__system_project(&k->s, k->ground + (size_t)d * (size_t)all, next_column(x));
        x->ground[d] = add_input(x);
    }
    for (int j = 0; j < ns; j++) {
        x->support_k[j] = add_support(x, IFD_STIFFNESS, j);
        x->support_m[j] = add_support(x, IFD_MASS, j);
    }
    IFD_TRY(add_start(x));
    for (int i = 0; i < b->force.count; i++) {
        int dof = IFD__AT(b->force, ifd__force, i).dof;
        if (has_row(x, dof))
            continue;
        take_row(x, dof, next_column(x));
        x->row_of[dof] = add_input(x);
    }
    for (int i = 0; i < x->how->watched; i++) {
        int dof = x->how->watch[i];
        if (has_row(x, dof))
            continue;
        take_row(x, dof, next_column(x));
        x->row_of[dof] = x->inputs + x->watched++;
    }
    return IFD_OK;
}

/* The block of the dofs, lower triangle. */
static ifd_status take_block(const reducing *x, int which, ifd_sparse *out)
{
    ifd__triplets t = {.arena = x->k->scratch};
    ifd__triplet_columns(&t, 0, x->n, 1.0, &x->k->s.A[which]);
    IFD_TRY(ifd__sparse_make(x->k->scratch, x->n, &t, true, out));
    return ifd__sparse_pack(x->k->scratch, out);
}

static ifd_status make_element(reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_reduction *how = x->how;
    IFD_TRY(take_block(x, IFD_MASS, &x->M));
    IFD_TRY(take_block(x, IFD_DAMPING, &x->C));
    IFD_TRY(take_block(x, IFD_STIFFNESS, &x->K));
    ifd__linear_structure of = {.M = &x->M,
                                .C = &x->C,
                                .K = &x->K,
                                .ray_m = k->b->ray_m,
                                .ray_k = k->b->ray_k,
                                .interfaces = x->p,
                                .interface = x->interface,
                                .inputs = x->inputs,
                                .watched = x->watched,
                                .input = x->column,
                                .row = x->column + (size_t)x->n * (size_t)x->inputs};
    ifd__superelement_goal goal = {.frequency = how->frequency,
                                   .tolerance = how->tolerance,
                                   .shift = how->shift,
                                   .order = how->order,
                                   .most = how->order > how->most ? how->order : how->most};
    if (!x->p && !x->inputs)
        return refuse(k, IFD_CONFLICT, "nothing drives it", "couple it, load it, or remove 'reduce'");
    return ifd__superelement_make(k->scratch, &of, &goal, &x->element, k->note);
}

/* Column of T^T W; c: interface dofs, inputs, watched rows. */
static const double *reduced_column(const reducing *x, int c)
{
    return x->element.form.P + (size_t)c * (size_t)x->element.form.order;
}

/* A (r + supports): its dofs are set in t; adds the columns of the supports. */
static ifd_status finish_matrix(reducing *x, int which, ifd__triplets *t)
{
    ifd__system *s = &x->k->s;
    const ifd_sparse *A = &s->A[which];
    int r = x->element.form.order;
    for (int j = 0; j < s->nsupport; j++) {
        int input = which == IFD_STIFFNESS ? x->support_k[j] : which == IFD_MASS ? x->support_m[j] : -1;
        for (int i = 0; i < r && input >= 0; i++)
            ifd__triplet(t, i, r + j, reduced_column(x, x->p + input)[i]);
        for (int l = A->p[x->n + j]; l < A->p[x->n + j + 1] && which == IFD_DAMPING; l++)
            if (A->i[l] < x->n && A->x[l] != 0.0)
                ifd__triplet(t, x->number[A->i[l]], r + j, A->x[l]);
    }
    ifd_sparse out;
    IFD_TRY(ifd__sparse_make(x->k->scratch, r + s->nsupport, t, false, &out));
    s->A[which] = out;
    return IFD_OK;
}

static ifd_status make_matrices(reducing *x)
{
    const ifd__physical *f = &x->element.form;
    int r = f->order, p = x->p;
    ifd__triplets M = {.arena = x->k->scratch}, C = M, K = M;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            int a = x->interface[i], b = x->interface[j];
            ifd__triplet(&M, i, j, 0.5 * (f->mass[i + j * p] + f->mass[j + i * p]));
            ifd__triplet(&K, i, j, 0.5 * (f->stiffness[i + j * p] + f->stiffness[j + i * p]));
            ifd__triplet(&C, i, j, ifd__sparse_get(&x->k->s.A[IFD_DAMPING], a, b));
        }
    for (int j = p; j < r; j++) {
        for (int i = 0; i < p; i++) {
            ifd__triplet(&M, i, j, f->coupling[i + (j - p) * p]);
            ifd__triplet(&M, j, i, f->coupling[i + (j - p) * p]);
        }
        ifd__triplet(&M, j, j, 1.0);
        ifd__triplet(&K, j, j, f->lambda[j - p]);
    }
    IFD_TRY(finish_matrix(x, IFD_MASS, &M));
    IFD_TRY(finish_matrix(x, IFD_STIFFNESS, &K));
    return finish_matrix(x, IFD_DAMPING, &C);
}

/* Rows of T: units of what stays, dense ones of watched and loaded dofs, none of the others, units of the modes. */
static ifd_status make_rows(reducing *x, bool *lost)
{
    ifd__system *s = &x->k->s;
    const ifd__rows *old = &s->T;
    int r = x->element.form.order, all = old->count, at = 0;
    size_t room = (size_t)(all + r) + (size_t)old->start[all] + (size_t)(x->inputs + x->watched) * (size_t)r;
    ifd__rows T;
    IFD_TRY(ifd__rows_take(x->k->scratch, all + r - x->p, room, &T));
    for (int i = 0; i < all; i++) {
        int place = x->place[i], c = x->row_of[i];
        bool stays = place >= 0 && x->number[place] >= 0;
        lost[i] = !stays && c < 0;
        if (stays) {
            T.column[at] = x->number[place];
            T.value[at++] = 1.0;
        }
        for (int l = 0; l < r && c >= 0 && !stays; l++, at++) {
            T.column[at] = l;
            T.value[at] = reduced_column(x, x->p + c)[l];
        }
        for (int l = old->start[i]; l < old->start[i + 1] && c >= 0 && !stays; l++)
            if (old->column[l] >= x->n) {
                T.column[at] = old->column[l] - x->n + r;
                T.value[at++] = old->value[l];
            }
        T.start[i + 1] = at;
    }
    for (int j = x->p; j < r; j++, at++) {
        T.column[at] = j;
        T.value[at] = 1.0;
        T.start[all + j - x->p + 1] = at + 1;
    }
    s->T = T;
    return IFD_OK;
}

/* Initial state: u0 in the norm of K, v0 in that of M. */
static ifd_status start_state(const reducing *x, double *u, double *v)
{
    int r = x->element.form.order;
    ifd_sparse A;
    ifd_solver *solver;
    for (int k = 0; k < 2; k++) {
        int input = k ? x->motion : x->start;
        double *to = k ? v : u;
        if (input < 0)
            continue;
        ifd__triplets t = {.arena = x->k->scratch};
        ifd__triplet_columns(&t, 0, r, 1.0, &x->k->s.A[k ? IFD_MASS : IFD_STIFFNESS]);
        IFD_TRY(ifd__sparse_make(x->k->scratch, r, &t, true, &A));
        IFD_TRY(ifd__solver_make(x->k->scratch, &A, IFD__SOLVER_AUTO, &solver, NULL));
        double *w = ifd_arena_array(x->k->scratch, ifd__solver_work(solver), sizeof *w);
        if (!w)
            return IFD_NO_MEMORY;
        memcpy(to, reduced_column(x, x->p + input), (size_t)r * sizeof *to);
        ifd__solver_solve(solver, to, w);
    }
    return IFD_OK;
}

/* "mode1", or with more underscores where a dof has that name. */
static const char *prefix_of(const ifd_builder *b, ifd_arena *arena)
{
    int ref;
    char *name = ifd_arena_text(arena, "mode1");
    while (name && ifd_builder_find(b, name, &ref))
        name = ifd_arena_print(arena, "_%s", name);
    if (name)
        name[strlen(name) - 1] = '\0';
    return name;
}

/* A copy of the builder that has the modes as dofs too. */
static ifd_status make_builder(reducing *x, const double *u, const double *v)
{
    ifd__making *k = x->k;
    int all = k->b->dof.count, r = x->element.form.order, p = x->p;
    ifd_builder *copy;
    ifd__dof *dof;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(copy, 1), IFD__ARRAY(dof, all + r - p)));
    memcpy(dof, k->b->dof.data, (size_t)all * sizeof *dof);
    const char *prefix = prefix_of(k->b, k->scratch);
    for (int j = 0; j < r && prefix; j++) {
        ifd__dof *to = j < p ? &dof[k->s.dof[x->interface[j]]] : &dof[all + j - p];
        if (j >= p)
            *to =
                (ifd__dof){.name = ifd_arena_print(k->arena, "%s%d", prefix, j - p + 1), .kind = IFD_DOF_DEFORMATION};
        if (!to->name)
            return IFD_NO_MEMORY;
        to->u0 = u[j];
        to->v0 = v[j];
    }
    *copy = *k->b;
    copy->dof = (ifd__list){.count = all + r - p, .room = all + r - p, .data = dof};
    k->b = copy;
    return prefix ? IFD_OK : IFD_NO_MEMORY;
}

/* The dofs of the system and the ground's load, now by dof of the enlarged builder. */
static ifd_status make_dofs(reducing *x, int all)
{
    ifd__making *k = x->k;
    int r = x->element.form.order, p = x->p;
    size_t stride = (size_t)k->b->dof.count;
    double *ground;
    int *dof;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(ground, 3 * stride), IFD__ARRAY(dof, r)));
    for (int j = 0; j < r; j++) {
        dof[j] = j < p ? k->s.dof[x->interface[j]] : all + j - p;
        for (size_t d = 0; d < 3; d++)
            if (x->ground[d] >= 0)
                ground[d * stride + (size_t)dof[j]] = reduced_column(x, p + x->ground[d])[j];
    }
    k->ground = ground;
    k->s.dof = dof;
    k->s.n = r;
    return IFD_OK;
}

static ifd_status report(const reducing *x)
{
    const ifd__making *k = x->k;
    const ifd__superelement *e = &x->element;
    const ifd__certificate *c = &e->certificate;
    ifd_reduced *out = ifd_arena_take(k->arena, sizeof *out);
    if (!out)
        return IFD_NO_MEMORY;
    *out = (ifd_reduced){.full = x->n,
                         .order = e->form.order,
                         .interfaces = x->p,
                         .frequency = x->how->frequency,
                         .tolerance = x->how->tolerance,
                         .bound = c->bound,
                         .at = c->frequency,
                         .shift = e->shift};
    k->m->reduced = out;
    if (!x->how->order && c->bound > x->how->tolerance) {
        ifd_note_about(k->note, IFD_TOO_LARGE, "reduce",
                       "a reduced model of %d dofs has an error bound of %.2g at %.4g Hz; the tolerance is %.2g",
                       e->form.order, c->bound, c->frequency, x->how->tolerance);
        ifd_note_hint(k->note, "lower the highest frequency, or allow a larger tolerance or more than %d dofs",
                      x->how->most);
        return IFD_TOO_LARGE;
    }
    ifd_note_remark(k->note, NULL,
                    "superelement: %d dofs reduced to %d, of which %d are interface dofs; error at most %.2g of the "
                    "peak up to %.6g Hz",
                    x->n, e->form.order, x->p, c->bound, x->how->frequency);
    return IFD_OK;
}

ifd_status ifd__making_reduce(ifd__making *k)
{
    reducing x = {.k = k, .how = k->b->reduction, .n = k->s.n};
    int all = k->b->dof.count;
    double *u, *v;
    if (!x.how)
        return IFD_OK;
    IFD_TRY(check(&x));
    IFD_TRY(find_interface(&x));
    IFD_TRY(find_columns(&x));
    IFD_TRY(make_element(&x));
    IFD_TRY(report(&x));
    int r = x.element.form.order;
    bool *lost = ifd_arena_array(k->scratch, (size_t)(all + r), sizeof *lost);
    if (!lost)
        return IFD_NO_MEMORY;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(u, r), IFD__ARRAY(v, r)));
    IFD_TRY(make_matrices(&x));
    IFD_TRY(make_rows(&x, lost));
    IFD_TRY(start_state(&x, u, v));
    IFD_TRY(make_builder(&x, u, v));
    k->lost = lost;
    return make_dofs(&x, all);
}
