/* SPDX-License-Identifier: MIT */
/* Replaces the dofs of a model by a superelement while it is made. */
#include "model/build/making.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/build/reducing.h"
#include "model/damping.h"
#include "model/element.h"

/* Superelements from a file in the place of a new one, and what a new one needs to become a file. */

/* The structure with its columns. */
static ifd__linear_structure reducing_structure(const ifd__reducing *x)
{
    return (ifd__linear_structure){.M = &x->M,
                                   .C = &x->C,
                                   .K = &x->K,
                                   .ray_m = x->k->b->ray_m,
                                   .ray_k = x->k->b->ray_k + x->background,
                                   .interfaces = x->p,
                                   .interface = x->interface,
                                   .inputs = x->inputs,
                                   .watched = x->watched,
                                   .modal = x->modal,
                                   .input = x->column,
                                   .row = x->column + (size_t)x->n * (size_t)x->inputs};
}

static ifd_status refuse_stored(const ifd__reducing *x, const char *why, const char *what)
{
    ifd_note_about(x->k->note, IFD_CONFLICT, "reduce", "the stored superelement does not fit: %s%s", why, what);
    ifd_note_hint(x->k->note, "make its file again: interfield reduce CASE --out FILE");
    return IFD_CONFLICT;
}

/* The dof of the builder in a column; -1: none. */
static int dof_of(const ifd__reducing *x, int column)
{
    int ref;
    const char *name = ifd__stored_dof(x->stored, column);
    return name && ifd_builder_find(x->k->b, name, &ref) && ref >= 0 ? ref : -1;
}

static ifd_status stored_keep(ifd__reducing *x)
{
    const ifd_superelement *s = x->stored;
    const ifd_builder *b = x->k->b;
    int last = -1;
    bool *has;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(has, x->n)));
    for (int c = 0; c < s->element.form.interfaces; c++) {
        int dof = dof_of(x, c), place = dof >= 0 ? x->place[dof] : -1;
        if (place <= last)
            return refuse_stored(x, "the model does not have its interface ", s->label[c]);
        has[place] = true;
        last = place;
    }
    for (int i = 0; i < x->n; i++)
        if (x->number[i] >= 0 && !has[i])
            return refuse_stored(x, "none of its interface dofs is ", ifd_builder_dof_name(b, x->k->s.dof[i]));
    for (int i = 0; i < x->n; i++)
        x->number[i] = has[i] ? 0 : -1;
    return IFD_OK;
}

static void use(ifd__reducing *x)
{
    x->element = x->stored->element;
    x->k->m->superelement = x->stored;
}

static void move(int *column, const int *to)
{
    if (*column >= 0)
        *column = to[*column];
}

/* The columns of the model by those of the file. */
static void renumber(ifd__reducing *x, const int *to)
{
    for (int d = 0; d < 3; d++) {
        move(&x->ground[d], to);
        move(&x->base[d], to);
    }
    for (int i = 0; i < x->k->b->dof.count; i++)
        move(&x->row_of[i], to);
    for (int i = 0; i < x->k->b->row.count; i++)
        move(&x->own_row[i], to);
    for (int j = 0; j < x->k->s.nsupport; j++) {
        move(&x->support_k[j], to);
        move(&x->support_m[j], to);
    }
    move(&x->start, to);
    move(&x->motion, to);
    x->inputs = x->stored->inputs;
    x->watched = x->stored->watched;
}

static ifd_status stored_use(ifd__reducing *x)
{
    const ifd_superelement *s = x->stored;
    const ifd__linear_structure of = reducing_structure(x);
    int columns = x->inputs + x->watched, *to;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(to, columns)));
    if (s->full != x->n || s->matrices != ifd__structure_hash(&of))
        return refuse_stored(x, "it was made of other mass, damping or stiffness matrices", "");
    if (x->modal != ifd__stored_modal(s))
        return refuse_stored(x, "it was made with another number of damped modes", "");
    for (int c = 0; c < columns; c++) {
        int found = ifd__stored_find(s, x->label[c]);
        if (found < x->p)
            return refuse_stored(x, "it has no column for ", x->label[c]);
        if (s->hash[found] != ifd__column_hash(&of, x->p + c))
            return refuse_stored(x, "another column belongs to ", x->label[c]);
        to[c] = found - x->p;
    }
    renumber(x, to);
    use(x);
    return IFD_OK;
}

/* True if the matrices have an entry besides the unit at this dof, which the superelement cannot carry. */
static bool carries(const ifd__reducing *x, int place)
{
    for (int which = 0; which < 3; which++) {
        const ifd_sparse *A = &x->k->s.A[which];
        double unit = which == IFD_DAMPING ? 0.0 : 1.0;
        for (int l = A->p[place]; l < A->p[place + 1]; l++)
            if (A->x[l] != (A->i[l] == place ? unit : 0.0))
                return true;
    }
    return false;
}

/* The builder holds a unit mass and stiffness for each dof; the rest of its load and mass was added. */
static ifd_status take_added(ifd__reducing *x)
{
    ifd__making *k = x->k;
    const ifd_builder *b = k->b;
    size_t all = (size_t)b->dof.count;
    for (size_t d = 0; d < 3; d++) {
        for (size_t i = 0; i < all; i++)
            if ((size_t)IFD__AT(b->dof, ifd__dof, i).kind == d) {
                k->ground[d * all + i] += 1.0;
                k->ground_mass[d] -= 1.0;
            }
        k->ground_mass[d] += x->stored->mass[d];
    }
    for (int i = 0; i < x->n; i++) {
        const ifd__dof *dof = &IFD__AT(b->dof, ifd__dof, k->s.dof[i]);
        if (x->number[i] < 0 && carries(x, i))
            return refuse_stored(x, "none of its interface dofs is ", dof->name);
        if (dof->u0 != 0.0 || dof->v0 != 0.0)
            return refuse_stored(x, "it has no initial state of ", dof->name);
    }
    return IFD_OK;
}

static ifd_status stored_alone(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_superelement *s = x->stored;
    int all = k->b->dof.count, ns = k->s.nsupport;
    if (k->b->ray_m != s->ray_m || k->b->ray_k != s->ray_k)
        return refuse_stored(x, "it has its own Rayleigh damping", "");
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(x->row_of, all), IFD__ARRAY(x->support_k, ns),
                      IFD__ARRAY(x->support_m, ns)));
    for (int i = 0; i < all; i++)
        x->row_of[i] = -1;
    for (int j = 0; j < ns; j++)
        x->support_k[j] = x->support_m[j] = -1;
    x->start = x->motion = -1;
    x->inputs = s->inputs;
    x->watched = s->watched;
    x->modal = ifd__stored_modal(s);
    for (int c = x->p; c < ifd__stored_columns(s); c++)
        if (dof_of(x, c) >= 0)
            x->row_of[dof_of(x, c)] = c - x->p;
    for (int d = 0; d < 3; d++) {
        const char ground[] = {'g', 'r', 'o', 'u', 'n', 'd', ' ', (char)('x' + d), '\0'};
        const char base[] = {'b', 'a', 's', 'e', ' ', (char)('x' + d), '\0'};
        int a = ifd__stored_find(s, ground), b = ifd__stored_find(s, base);
        x->ground[d] = a < 0 ? -1 : a - x->p;
        x->base[d] = b < 0 ? -1 : b - x->p;
    }
    use(x);
    return take_added(x);
}

/* Labels and hashes of the columns. */
static ifd_status name_columns(const ifd__reducing *x, ifd_superelement *s)
{
    const ifd__linear_structure of = reducing_structure(x);
    const ifd_builder *b = x->k->b;
    for (int c = 0; c < x->p + x->inputs + x->watched; c++) {
        int dof = c < x->p ? x->k->s.dof[x->interface[c]] : -1;
        s->label[c] =
            c < x->p ? ifd_arena_print(x->k->arena, "dof %s", ifd_builder_dof_name(b, dof)) : x->label[c - x->p];
        if (!s->label[c])
            return IFD_NO_MEMORY;
        const char *name = ifd__stored_dof(s, c);
        bool known = name && ifd_builder_find(b, name, &dof) && dof >= 0;
        s->kind[c] = known ? (int)IFD__AT(b->dof, ifd__dof, dof).kind : -1;
        s->hash[c] = ifd__column_hash(&of, c);
    }
    return IFD_OK;
}

/* A copy of a small structure with its columns. */
static ifd_status keep_structure(const ifd__reducing *x, ifd_superelement *s)
{
    ifd_arena *arena = x->k->arena;
    size_t n = (size_t)x->n, p = (size_t)x->p, columns = (size_t)(x->inputs + x->watched);
    ifd__linear_structure *of;
    ifd_sparse *A;
    int *interface;
    double *column;
    if (x->n > IFD__KEPT_STRUCTURE)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(of, 1), IFD__ARRAY(A, 3), IFD__ARRAY(interface, p),
                      IFD__ARRAY(column, n * columns)));
    *of = reducing_structure(x);
    A[0] = x->M;
    A[1] = x->C;
    A[2] = x->K;
    of->M = &A[0];
    of->C = &A[1];
    of->K = &A[2];
    if (p)
        memcpy(interface, x->interface, p * sizeof *interface);
    if (columns)
        memcpy(column, x->column, n * columns * sizeof *column);
    of->interface = interface;
    of->input = column;
    of->row = column + n * (size_t)x->inputs;
    s->of = of;
    return IFD_OK;
}

/* Stored superelements. keep: interface dofs of the file; use: its columns in the place of new ones, after a
 * comparison of the structure; alone: the same without a full structure. name: a new superelement gets its labels and
 * hashes and belongs to the model. */
static ifd_status stored_name(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd__linear_structure of = reducing_structure(x);
    size_t p = (size_t)x->p, columns = (size_t)(x->p + x->inputs + x->watched);
    ifd_superelement *s;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(s, 1)));
    *s = (ifd_superelement){.element = x->element,
                            .full = x->n,
                            .frequency = x->how->frequency,
                            .tolerance = x->how->tolerance,
                            .ray_m = k->b->ray_m,
                            .ray_k = of.ray_k,
                            .matrices = ifd__structure_hash(&of),
                            .inputs = x->inputs,
                            .watched = x->watched};
    memcpy(s->mass, k->ground_mass, sizeof s->mass);
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(s->damping, p * p), IFD__ARRAY(s->label, columns),
                      IFD__ARRAY(s->kind, columns), IFD__ARRAY(s->hash, columns)));
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p; i++)
            s->damping[i + j * p] = ifd__sparse_get(&k->s.A[IFD_DAMPING], x->interface[i], x->interface[j]);
    k->m->superelement = s;
    IFD_TRY(keep_structure(x, s));
    return name_columns(x, s);
}

enum { LEAST_BLOCKS = 2 }; /* static shapes of the interface, and one block of the space for the motion */

static ifd_status refuse(const ifd__making *k, ifd_status code, const char *why, const char *hint)
{
    ifd_note_about(k->note, code, "reduce", "the model cannot be reduced: %s", why);
    ifd_note_hint(k->note, "%s", hint);
    return code;
}

/* A pendulum holds its angle by its weight, which is in the element: the matrices have no stiffness there. */
static ifd_status refuse_pendulums(const ifd__making *k)
{
    const ifd_sparse *K = &k->s.A[IFD_STIFFNESS];
    for (int e = 0; e < k->b->element.count; e++) {
        const ifd__attached *a = &IFD__AT(k->b->element, ifd__attached, e);
        for (int l = 0; a->element.ops->flags & IFD_ELEMENT_INERTIAL && l < a->start[a->element.nq]; l++)
            for (int i = 0; i < k->s.n; i++)
                if (k->s.dof[i] == a->ref[l] && ifd__sparse_get(K, i, i) == 0.0)
                    return refuse(k, IFD_UNSUPPORTED,
                                  ifd_arena_print(k->arena,
                                                  "dof '%s' of element '%s' (%s) is held by the weight of the "
                                                  "element only, not by a stiffness of the structure",
                                                  ifd_builder_dof_name(k->b, a->ref[l]), a->element.name,
                                                  a->element.ops->name),
                                  "put the element into a substructure of its own, joined to the reduced one");
    }
    return IFD_OK;
}

static ifd_status check(const ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_reduction *how = x->how;
    if (!x->stored && (!(how->frequency > 0.0) || !isfinite(how->frequency)))
        return ifd_note_about(k->note, IFD_RANGE, "reduce",
                              "the highest frequency of the reduction is %.9g Hz; it "
                              "must be positive",
                              how->frequency);
    if (!x->stored && (!(how->tolerance > 0.0) || !(how->tolerance < 1.0)))
        return ifd_note_about(k->note, IFD_RANGE, "reduce",
                              "the tolerance of the reduction is %.9g; it must lie between 0 and 1", how->tolerance);
    if (k->b->condense)
        return refuse(k, IFD_CONFLICT, "it is condensed as well", "leave out one of 'condense' and 'reduce'");
    IFD_TRY(ifd__modal_check(k->b, k->note));
    if (!(k->b->ray_m >= 0.0) || !(k->b->ray_k >= 0.0) || (!k->b->nzeta && k->b->ray_m + k->b->ray_k == 0.0))
        return refuse(k, IFD_UNSUPPORTED,
                      "the error bound needs Rayleigh damping with coefficients that are not "
                      "negative",
                      "add Rayleigh damping");
    if (k->relaxed.count)
        return refuse(k, IFD_UNSUPPORTED, "dashpots hold dofs without mass", "give these dofs mass");
    for (int a = 0; a < 3; a++)
        if (!k->s.symmetric[a])
            return ifd__system_unsymmetric(k->b, &k->s, a, k->note);
    return x->stored ? IFD_OK : refuse_pendulums(k);
}

static void keep(ifd__reducing *x, int dof)
{
    x->number[dof] = 0;
}

/* Numbers what is kept, in the order of the builder. */
static void number_interface(ifd__reducing *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->number[i] >= 0) {
            x->number[i] = x->p;
            x->interface[x->p++] = i;
        }
}

/* Dofs that the reduction names, elements act on or dashpots hold. */
static ifd_status find_interface(ifd__reducing *x)
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
            return ifd_note_about(
                k->note, IFD_MASSLESS, "reduce", "dof '%s' %s and cannot be an interface dof of a reduced model",
                ifd_builder_dof_name(k->b, x->how->interface[i]),
                IFD__AT(k->b->dof, ifd__dof, x->how->interface[i]).tied ? "is the slave of a tie" : "has no mass");
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
    if (x->stored)
        IFD_TRY(stored_keep(x));
    number_interface(x);
    int most = x->how->order > x->how->most ? x->how->order : x->how->most;
    if (LEAST_BLOCKS * x->p <= most || x->stored)
        return IFD_OK;
    const char *limit = x->how->order ? "order" : "most";
    ifd_note_about(k->note, IFD_TOO_LARGE, "reduce",
                   "the reduced model would keep %d dofs as they are, and needs at least %d dofs in all; '%s' is %d",
                   x->p, LEAST_BLOCKS * x->p, limit, x->how->order ? x->how->order : most);
    ifd_note_hint(k->note,
                  "couplings, elements and dashpots keep the dofs they act on: use Rayleigh damping instead of a "
                  "damping matrix, or set a larger '%s'",
                  limit);
    return IFD_TOO_LARGE;
}

/* A new column of zeros. */
static double *next_column(ifd__reducing *x)
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
static int add_input(ifd__reducing *x, const char *label)
{
    x->label[x->inputs] = label;
    return empty(next_column(x), x->n) ? -1 : x->inputs++;
}

static int add_row(ifd__reducing *x, const char *label)
{
    int c = x->inputs + x->watched++;
    x->label[c] = label;
    return c;
}

static const char *label_of(const ifd__reducing *x, int dof)
{
    return ifd_arena_print(x->k->arena, "dof %s", ifd_builder_dof_name(x->k->b, dof));
}

/* column += factor times the row of T of a dof of the builder; supports have no part of it. */
static void add_row_of_dof(const ifd__reducing *x, int dof, double factor, double *column)
{
    const ifd__rows *T = &x->k->s.T;
    for (int l = T->start[dof]; l < T->start[dof + 1]; l++)
        if (T->column[l] < x->n)
            column[T->column[l]] += factor * T->value[l];
}

static int add_support(ifd__reducing *x, int which, int support)
{
    const ifd_sparse *A = &x->k->s.A[which];
    double *column = next_column(x);
    for (int l = A->p[x->n + support]; l < A->p[x->n + support + 1]; l++)
        if (A->i[l] < x->n)
            column[A->i[l]] = A->x[l];
    return add_input(x, ifd_arena_print(x->k->arena, "support %s %s",
                                        IFD__AT(x->k->b->support, ifd__support, support).name,
                                        which == IFD_MASS ? "mass" : "stiffness"));
}

/* y := A x over the dofs, A stored whole. */
static void multiply(const ifd_sparse *A, int n, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        for (int l = A->p[j]; l < A->p[j + 1]; l++)
            if (A->i[l] < n)
                y[A->i[l]] += A->x[l] * x[j];
}

static ifd_status add_start(ifd__reducing *x)
{
    double *u, *v;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(u, x->n), IFD__ARRAY(v, x->n)));
    for (int i = 0; i < x->n; i++) {
        const ifd__dof *dof = &IFD__AT(x->k->b->dof, ifd__dof, x->k->s.dof[i]);
        u[i] = dof->u0;
        v[i] = dof->v0;
    }
    multiply(&x->k->s.A[IFD_STIFFNESS], x->n, u, next_column(x));
    x->start = add_input(x, "initial displacement");
    multiply(&x->k->s.A[IFD_MASS], x->n, v, next_column(x));
    x->motion = add_input(x, "initial velocity");
    return IFD_OK;
}

/* Base shear: the row iota^T K of a uniform motion iota. Its static shape is iota, which the basis contains then. */
static ifd_status add_base(ifd__reducing *x)
{
    double *iota;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(iota, x->n)));
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < x->n; i++)
            iota[i] = (int)IFD__AT(x->k->b->dof, ifd__dof, x->k->s.dof[i]).kind == d;
        multiply(&x->k->s.A[IFD_STIFFNESS], x->n, iota, next_column(x));
        x->base[d] = empty(next_column(x), x->n) ? -1 : add_row(x, ifd_arena_print(x->k->arena, "base %c", 'x' + d));
    }
    return IFD_OK;
}

/* Watched rows Z of modal damping, and the damping of all other modes. */
static ifd_status add_modal(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    ifd__modal_part part;
    if (!k->b->nzeta)
        return IFD_OK;
    ifd__eigenpairs pairs = {.count = ifd__modal_own(k->b, x->n, true) + 1};
    double *shape;
    IFD_TRY(
        IFD__TAKE(k->scratch, IFD__ARRAY(pairs.lambda, x->n), IFD__ARRAY(shape, (size_t)x->n * (size_t)pairs.count)));
    IFD_TRY(ifd__pencil_modes(k->scratch, &(ifd__pencil){&x->K, &x->M}, pairs.count, pairs.lambda, shape, k->note));
    pairs.shape = shape;
    IFD_TRY(ifd__modal_part_make(k->scratch, k->b, &x->M, &pairs, &part));
    x->background = part.b;
    if (!(k->b->ray_m + k->b->ray_k + part.b > 0.0))
        return refuse(k, IFD_UNSUPPORTED, "its higher modes have no damping, so that no error bound exists",
                      "give every mode a ratio above zero, or add Rayleigh damping");
    for (int i = 0; i < part.count; i++) {
        memcpy(next_column(x), part.Z + (size_t)i * (size_t)x->n, (size_t)x->n * sizeof *part.Z);
        add_row(x, ifd_arena_print(k->arena, IFD__MODAL_LABEL "%d", i + 1));
    }
    x->modal = part.count;
    ifd__modal_remark(&part, k->note);
    return IFD_OK;
}

/* Whether a dof of the builder stays as it is, or has a column. */
static bool has_row(const ifd__reducing *x, int dof)
{
    int place = x->place[dof];
    return (place >= 0 && x->number[place] >= 0) || x->row_of[dof] >= 0;
}

/* Watched rows that are sums over dofs. */
static ifd_status add_sums(ifd__reducing *x)
{
    const ifd__list *rows = &x->k->b->row;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(x->own_row, rows->count)));
    for (int i = 0; i < rows->count; i++) {
        const ifd__watched_row *row = &IFD__AT(*rows, ifd__watched_row, i);
        double *column = next_column(x);
        for (int t = 0; t < row->count; t++)
            add_row_of_dof(x, row->ref[t], row->coefficient[t], column);
        x->own_row[i] = add_row(x, ifd_arena_print(x->k->arena, "row %s", row->name));
    }
    return IFD_OK;
}

/* Inputs: ground, supports, initial state, forces. Then the watched rows. */
static ifd_status find_columns(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_builder *b = k->b;
    int ns = k->s.nsupport, all = b->dof.count;
    x->room = 3 + 2 * ns + 2 + b->force.count + x->how->watched + 4; /* base shear, and a column at hand */
    x->room += b->row.count;
    x->room += b->nzeta ? ifd__modal_own(b, x->n, true) : 0;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(x->column, (size_t)x->n * (size_t)x->room), IFD__ARRAY(x->row_of, all),
                      IFD__ARRAY(x->label, x->room), IFD__ARRAY(x->support_k, ns), IFD__ARRAY(x->support_m, ns)));
    for (int i = 0; i < all; i++)
        x->row_of[i] = -1;
    for (int d = 0; d < 3; d++) {
        ifd__system_project(&k->s, k->ground + (size_t)d * (size_t)all, next_column(x));
        x->ground[d] = add_input(x, ifd_arena_print(k->arena, "ground %c", 'x' + d));
    }
    for (int j = 0; j < ns; j++) {
        x->support_k[j] = add_support(x, IFD_STIFFNESS, j);
        x->support_m[j] = add_support(x, IFD_MASS, j);
    }
    IFD_TRY(add_start(x));
    for (int i = 0; i < b->force.count; i++) {
        int dof = IFD__AT(b->force, ifd__force, i).dof[0];
        if (has_row(x, dof))
            continue;
        add_row_of_dof(x, dof, 1.0, next_column(x));
        x->row_of[dof] = add_input(x, label_of(x, dof));
    }
    for (int i = 0; i < x->how->watched; i++) {
        int dof = x->how->watch[i];
        if (has_row(x, dof))
            continue;
        add_row_of_dof(x, dof, 1.0, next_column(x));
        x->row_of[dof] = add_row(x, label_of(x, dof));
    }
    IFD_TRY(add_sums(x));
    if (!x->p && !x->watched)
        return refuse(k, IFD_CONFLICT, "none of its dofs is used", "name dofs in 'record', or couple the model");
    IFD_TRY(add_base(x));
    return add_modal(x);
}

/* The block of the dofs, lower triangle. */
static ifd_status take_block(const ifd__reducing *x, int which, ifd_sparse *out)
{
    ifd_arena *arena = x->n <= IFD__KEPT_STRUCTURE ? x->k->arena : x->k->scratch;
    ifd__triplets t = {.arena = x->k->scratch};
    ifd__triplet_columns(&t, 0, x->n, 1.0, &x->k->s.A[which]);
    IFD_TRY(ifd__sparse_make(arena, x->n, &t, true, out));
    return ifd__sparse_pack(arena, out);
}

/* From the file, or a new one. */
static ifd_status make_element(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_reduction *how = x->how;
    if (k->b->alone)
        return stored_alone(x);
    IFD_TRY(take_block(x, IFD_MASS, &x->M));
    IFD_TRY(take_block(x, IFD_DAMPING, &x->C));
    IFD_TRY(take_block(x, IFD_STIFFNESS, &x->K));
    IFD_TRY(find_columns(x));
    if (x->stored)
        return stored_use(x);
    const ifd__linear_structure of = reducing_structure(x);
    ifd__superelement_goal goal = {.frequency = how->frequency,
                                   .tolerance = how->tolerance,
                                   .shift = how->shift,
                                   .order = how->order,
                                   .most = how->order > how->most ? how->order : how->most};
    IFD_TRY(ifd__superelement_make(k->arena, &of, &goal, &x->element, k->note));
    return stored_name(x);
}

/* A gap, an impact or friction excites motions at all frequencies, which the bound does not cover. */
static const char *with_kinks(const ifd_builder *b)
{
    for (int e = 0; e < b->element.count; e++) {
        const ifd_element *el = &IFD__AT(b->element, ifd__attached, e).element;
        if (el->nroot > 0 || el->ops->flags & IFD_ELEMENT_CONTACT || ifd__element_stops(el))
            return el->name;
    }
    return NULL;
}

/* What the bound does not cover, and whether the reduction is worth it. */
static void remark_limits(const ifd__reducing *x, const ifd_reduced *r)
{
    const char *kinks = with_kinks(x->k->b);
    if (kinks)
        ifd_note_remark(
            x->k->note, NULL,
            "superelement: the bound is that of the linear transfer functions up to %.6g Hz. Element '%s' "
            "has contact, friction or kinks and excites higher frequencies, for which nothing is "
            "promised: compare with 'reduce: none', or increase the frequency",
            r->frequency, kinks);
    if (10 * r->order >= 9 * r->full)
        ifd_note_remark(x->k->note, NULL,
                        "superelement: it keeps %d of %d dofs, so that nothing is gained: lower the frequency, keep "
                        "fewer interface dofs, or omit 'reduce'",
                        r->order, r->full);
}

static ifd_status report(const ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd__superelement *e = &x->element;
    const ifd__certificate *c = &e->certificate;
    ifd_reduced *out;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(out, 1)));
    const ifd_superelement *s = k->m->superelement;
    *out = (ifd_reduced){.full = s->full,
                         .order = e->form.order,
                         .interfaces = x->p,
                         .frequency = s->frequency,
                         .tolerance = s->tolerance,
                         .bound = c->bound,
                         .at = c->frequency,
                         .shift = e->shift,
                         .alone = k->b->alone,
                         .hash = s->matrices};
    k->m->reduced = out;
    if (!x->stored && !x->how->order && c->bound > x->how->tolerance) {
        ifd_note_about(k->note, IFD_TOO_LARGE, "reduce",
                       "a reduced model of %d dofs has an error bound of %.2g at %.4g Hz; the tolerance is %.2g",
                       e->form.order, c->bound, c->frequency, x->how->tolerance);
        ifd_note_hint(k->note, "lower the highest frequency, or allow a larger tolerance or more than %d dofs",
                      x->how->most);
        return IFD_TOO_LARGE;
    }
    const char *accuracy = c->bound > 1.0 ? "its accuracy is not proven, because the error bound exceeds the peak"
                                          : ifd_arena_print(k->arena, "error at most %.2g of the peak", c->bound);
    ifd_note_remark(k->note, NULL,
                    "superelement: %d dofs reduced to %d, of which %d are interface dofs; %s up to %.6g Hz", s->full,
                    e->form.order, x->p, accuracy ? accuracy : "", s->frequency);
    remark_limits(x, out);
    return IFD_OK;
}

ifd_status ifd__making_reduce(ifd__making *k)
{
    ifd__reducing x = {.k = k, .how = k->b->reduction, .n = k->s.n};
    if (!x.how)
        return IFD_OK;
    for (int i = 0; i < k->b->force.count; i++)
        if (IFD__AT(k->b->force, ifd__force, i).weight)
            return ifd_note_about(
                k->note, IFD_UNSUPPORTED, "reduce",
                "a structure with a gravity state cannot be reduced; remove 'reduce', or the loads of "
                "its members");
    x.stored = x.how->stored;
    IFD_TRY(check(&x));
    IFD_TRY(find_interface(&x));
    IFD_TRY(make_element(&x));
    IFD_TRY(report(&x));
    return ifd__reduced_system(&x);
}
