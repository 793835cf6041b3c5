/* SPDX-License-Identifier: MIT */
/* Superelements from a file in the place of a new one, and what a new one needs to become a file. */
#include <string.h>

#include "model/build/reducing.h"

static ifd_status refuse(const ifd__reducing *x, const char *why, const char *what)
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

ifd_status ifd__stored_keep(ifd__reducing *x)
{
    const ifd_superelement *s = x->stored;
    const ifd_builder *b = x->k->b;
    int last = -1;
    bool *has = ifd_arena_array(x->k->scratch, (size_t)x->n, sizeof *has);
    if (!has)
        return IFD_NO_MEMORY;
    for (int c = 0; c < s->element.form.interfaces; c++) {
        int dof = dof_of(x, c), place = dof >= 0 ? x->place[dof] : -1;
        if (place <= last)
            return refuse(x, "the model does not have its interface ", s->label[c]);
        has[place] = true;
        last = place;
    }
    for (int i = 0; i < x->n; i++)
        if (x->number[i] >= 0 && !has[i])
            return refuse(x, "none of its interface dofs is ", ifd_builder_dof_name(b, x->k->s.dof[i]));
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

ifd_status ifd__stored_use(ifd__reducing *x)
{
    const ifd_superelement *s = x->stored;
    const ifd__linear_structure of = ifd__reducing_structure(x);
    int columns = x->inputs + x->watched, *to = ifd_arena_array(x->k->scratch, (size_t)columns, sizeof *to);
    if (!to)
        return IFD_NO_MEMORY;
    if (s->full != x->n || s->matrices != ifd__structure_hash(&of))
        return refuse(x, "it was made of other mass, damping or stiffness matrices", "");
    if (x->modal != ifd__stored_modal(s))
        return refuse(x, "it was made with another number of damped modes", "");
    for (int c = 0; c < columns; c++) {
        int found = ifd__stored_find(s, x->label[c]);
        if (found < x->p)
            return refuse(x, "it has no column for ", x->label[c]);
        if (s->hash[found] != ifd__column_hash(&of, x->p + c))
            return refuse(x, "another column belongs to ", x->label[c]);
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
            return refuse(x, "none of its interface dofs is ", dof->name);
        if (dof->u0 != 0.0 || dof->v0 != 0.0)
            return refuse(x, "it has no initial state of ", dof->name);
    }
    return IFD_OK;
}

ifd_status ifd__stored_alone(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd_superelement *s = x->stored;
    int all = k->b->dof.count, ns = k->s.nsupport;
    if (k->b->ray_m != s->ray_m || k->b->ray_k != s->ray_k)
        return refuse(x, "it has its own Rayleigh damping", "");
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
    const ifd__linear_structure of = ifd__reducing_structure(x);
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
    *of = ifd__reducing_structure(x);
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

ifd_status ifd__stored_name(ifd__reducing *x)
{
    const ifd__making *k = x->k;
    const ifd__linear_structure of = ifd__reducing_structure(x);
    size_t p = (size_t)x->p, columns = (size_t)(x->p + x->inputs + x->watched);
    ifd_superelement *s = ifd_arena_take(k->arena, sizeof *s);
    if (!s)
        return IFD_NO_MEMORY;
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
