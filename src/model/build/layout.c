/* SPDX-License-Identifier: MIT */
/* Orders dofs, supports and loads of a model that is made. */
#include "model/build/making.h"

#include <string.h>

#include "base/arena.h"

/* The block of the supports alone: as it was given, and what condensed dofs add to it. */
static ifd_status make_held(ifd__making *k)
{
    ifd_model *m = k->m;
    size_t ns = (size_t)m->nsupport;
    double *held[3];
    for (int a = 0; a < 3; a++) {
        held[a] = ifd_arena_array(k->arena, ns * ns, sizeof(double));
        if (!held[a])
            return IFD_NO_MEMORY;
        for (int e = 0; e < k->b->held[a].count; e++) {
            const ifd__entry *entry = &IFD__AT(k->b->held[a], ifd__entry, e);
            held[a][(size_t)(-2 - entry->i) + (size_t)(-2 - entry->j) * ns] += entry->value;
        }
        for (size_t i = 0; k->s.own[a] && i < ns * ns; i++)
            held[a][i] += k->s.own[a][i];
    }
    for (size_t i = 0; i < ns * ns; i++)
        held[IFD_DAMPING][i] += k->b->ray_m * held[IFD_MASS][i] + k->b->ray_k * held[IFD_STIFFNESS][i];
    m->Mss = held[IFD_MASS];
    m->Css = held[IFD_DAMPING];
    m->Kss = held[IFD_STIFFNESS];
    return IFD_OK;
}

static ifd_status make_supports(ifd__making *k)
{
    ifd_model *m = k->m;
    int n = m->n, ns = k->s.nsupport;
    const ifd_signal **signal;
    const char **name;
    double *columns[3];
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(signal, ns), IFD__ARRAY(name, ns)));
    for (int a = 0; a < 3; a++) {
        columns[a] = ifd_arena_array(k->arena, (size_t)n * (size_t)ns, sizeof(double));
        if (!columns[a])
            return IFD_NO_MEMORY;
        const ifd_sparse *A = &k->s.A[a];
        for (int j = 0; j < ns; j++)
            for (int l = A->p[n + j]; l < A->p[n + j + 1]; l++)
                if (A->i[l] < n)
                    columns[a][(size_t)A->i[l] + (size_t)j * (size_t)n] = -A->x[l];
    }
    for (size_t i = 0; i < (size_t)n * (size_t)ns; i++)
        columns[IFD_DAMPING][i] += k->b->ray_m * columns[IFD_MASS][i] + k->b->ray_k * columns[IFD_STIFFNESS][i];
    for (int j = 0; j < ns; j++) {
        signal[j] = IFD__AT(k->b->support, ifd__support, j).signal;
        name[j] = IFD__AT(k->b->support, ifd__support, j).name;
    }
    m->nsupport = ns;
    m->support_name = name;
    m->support = signal;
    m->Ms = columns[IFD_MASS];
    m->Cs = columns[IFD_DAMPING];
    m->Ks = columns[IFD_STIFFNESS];
    return make_held(k);
}

/* -(M_ff r + M_fs iota): r is 1 for a dof that moves with the ground; mass coupled to fixed points adds the second
 * term. */
ifd_status ifd__making_ground(ifd__making *k)
{
    const ifd_builder *b = k->b;
    const ifd_sparse *M = &k->s.A[IFD_MASS];
    size_t n = (size_t)k->s.n;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(k->ground, 3 * n)));
    for (int j = 0; j < k->s.n; j++) {
        size_t d = (size_t)IFD__AT(b->dof, ifd__dof, j).kind;
        for (int l = M->p[j]; d <= IFD_DOF_Z && l < M->p[j + 1]; l++)
            k->ground[d * n + (size_t)M->i[l]] -= M->x[l];
    }
    for (int i = 0; i < b->grounded.count; i++) {
        const ifd__grounded *g = &IFD__AT(b->grounded, ifd__grounded, i);
        k->ground[(size_t)g->direction * n + (size_t)g->dof] += g->load;
        k->ground_mass[g->direction] += g->mass;
    }
    for (size_t i = 0; i < n; i++) {
        size_t d = (size_t)IFD__AT(b->dof, ifd__dof, i).kind;
        if (d <= IFD_DOF_Z)
            k->ground_mass[d] -= k->ground[d * n + i];
    }
    return IFD_OK;
}

static ifd_status make_ground(ifd__making *k)
{
    for (int d = 0; d < 3; d++) {
        double *p;
        IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(p, k->s.n)));
        ifd__system_project(&k->s, k->ground + (size_t)d * (size_t)k->b->dof.count, p);
        k->m->ground[d].p = p;
        k->m->ground[d].mass = k->ground_mass[d];
        k->m->ground[d].along = k->along[d];
        k->m->ground[d].signal = k->b->ground[d];
    }
    return IFD_OK;
}

/* Equilibrium of the whole structure: the part of a unit force that acts on the supports and not on kept dofs. */
static void make_past(const ifd__making *k, const ifd__force *f, ifd__load *load)
{
    ifd_dof_kind kind;
    memcpy(load->past, f->past, sizeof load->past);
    for (int i = 0; i < f->count; i++)
        if ((kind = IFD__AT(k->b->dof, ifd__dof, f->dof[i]).kind) <= IFD_DOF_Z)
            load->past[kind] += f->value[i];
    for (int l = 0; l < load->count; l++) {
        kind = IFD__AT(k->b->dof, ifd__dof, k->s.dof[load->dof[l]]).kind;
        for (int d = 0; d < 3; d++)
            load->past[d] -= load->value[l] * (k->along[d] ? k->along[d][load->dof[l]] : (double)((int)kind == d));
    }
}

/* A force on a condensed dof acts through its row of T. */
static ifd_status make_load(const ifd__making *k, const ifd__force *f, ifd__load *load)
{
    const ifd__rows *T = &k->s.T;
    size_t n = (size_t)k->s.n, room = 0;
    int *dof, *place;
    double *value;
    for (int i = 0; i < f->count; i++)
        room += (size_t)(T->start[f->dof[i] + 1] - T->start[f->dof[i]]);
    room = room < n ? room : n;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(dof, room), IFD__ARRAY(value, room)));
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(place, n)));
    *load = (ifd__load){.signal = f->signal, .dof = dof, .value = value, .weight = f->weight};
    for (int i = 0; i < f->count; i++)
        for (int l = T->start[f->dof[i]]; l < T->start[f->dof[i] + 1]; l++) {
            int at = T->column[l];
            if (at >= k->s.n)
                continue;
            if (!place[at]) {
                dof[load->count] = at;
                place[at] = ++load->count;
            }
            value[place[at] - 1] += f->value[i] * T->value[l];
        }
    make_past(k, f, load);
    return IFD_OK;
}

static ifd_status make_loads(ifd__making *k)
{
    int count = k->b->force.count;
    ifd__load *load;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(load, count)));
    for (int i = 0; i < count; i++)
        IFD_TRY(make_load(k, &IFD__AT(k->b->force, ifd__force, i), &load[i]));
    k->m->load = load;
    k->m->nload = count;
    return IFD_OK;
}

static ifd_status make_dofs(ifd__making *k)
{
    size_t n = (size_t)k->s.n;
    const char **name;
    ifd_dof_kind *kind;
    double *u0, *v0;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(name, n), IFD__ARRAY(kind, n), IFD__ARRAY(u0, n), IFD__ARRAY(v0, n)));
    for (size_t i = 0; i < n; i++) {
        const ifd__dof *dof = &IFD__AT(k->b->dof, ifd__dof, k->s.dof[i]);
        name[i] = dof->name;
        kind[i] = dof->kind;
        u0[i] = dof->u0;
        v0[i] = dof->v0;
    }
    k->m->n = k->s.n;
    k->m->dof_name = name;
    k->m->dof_kind = kind;
    k->m->u0 = u0;
    k->m->v0 = v0;
    return IFD_OK;
}

/* Appends row i of T, Y or F to the rows of the condensed dofs; first: number of its column 0. */
static int put_gone(const ifd__rows *rows, int i, int first, int at, ifd__rows *out)
{
    for (int l = rows->count ? rows->start[i] : 0; rows->count && l < rows->start[i + 1]; l++, at++) {
        out->column[at] = first + rows->column[l];
        out->value[at] = rows->value[l];
    }
    return at;
}

/* Names of the condensed dofs, their rows of T, and their shares of first-order states and of forces. */
static ifd_status make_gone(ifd__making *k)
{
    const ifd__rows *T = &k->s.T, *Y = &k->relaxed.Y, *F = &k->flexibility;
    int ngone = 0, at = 0, row = 0, states = k->s.n + k->s.nsupport;
    size_t room = (size_t)(T->start[T->count] - k->s.n + (Y->count ? Y->start[Y->count] : 0) +
                           (F->count ? F->start[F->count] : 0));
    ifd_dof_kind *kind;
    const char **gone;
    ifd__rows rows;
    bool *kept, *slave, *tied;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(kept, T->count), IFD__ARRAY(slave, T->count)));
    for (int i = 0; i < k->s.n; i++)
        kept[k->s.dof[i]] = true;
    for (int i = 0; i < T->count; i++)
        ngone += !kept[i] && !(k->lost && k->lost[i]);
    for (int i = 0; i < k->b->tie.count; i++)
        slave[IFD__AT(k->b->tie, ifd_tie, i).slave] = true;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(kind, ngone), IFD__ARRAY(gone, ngone), IFD__ARRAY(tied, ngone)));
    IFD_TRY(ifd__rows_take(k->arena, ngone, room, &rows));
    for (int i = 0; i < T->count; i++) {
        if (kept[i] || (k->lost && k->lost[i]))
            continue;
        gone[row] = ifd_builder_dof_name(k->b, i);
        kind[row] = IFD__AT(k->b->dof, ifd__dof, i).kind;
        tied[row] = slave[i];
        at = put_gone(T, i, 0, at, &rows);
        at = put_gone(Y, i, states, at, &rows);
        at = put_gone(F, i, states + k->relaxed.count, at, &rows);
        rows.start[++row] = at;
    }
    k->m->gone = gone;
    k->m->ngone = ngone;
    k->m->gone_start = rows.start;
    k->m->gone_dof = rows.column;
    k->m->gone_value = rows.value;
    k->m->gone_kind = kind;
    k->m->gone_tied = tied;
    return IFD_OK;
}

ifd_status ifd__making_layout(ifd__making *k)
{
    IFD_TRY(make_dofs(k));
    IFD_TRY(make_supports(k));
    IFD_TRY(make_ground(k));
    IFD_TRY(make_loads(k));
    return make_gone(k);
}
