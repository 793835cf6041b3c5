/* SPDX-License-Identifier: MIT */
/* Gauges: numbers of a row that are linear in the motion. Springs, dashpots, storeys and members of frames are in the
 * matrices and have no element with a force. Their deformation is a sum over displacements of dofs, massless dofs and
 * supports, and their force a sum over deformations and their rates.
 *
 * A gauge is a row of terms value * z[at], with z of its model
 *
 *     u, v | supports, their velocities, first-order states, their rates, loads | earlier gauges
 *
 * Loads deform the springs of condensed dofs (model.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/frame.h"
#include "substructure/response.h"

enum { PLANAR_ENDS = 6, PLANAR_DEFORMATIONS = IFD__PLANAR_DEFORMATIONS };
static const int planar_end[PLANAR_ENDS] = {0, 1, 5, 6, 7, 11};

/* A name of a model: dof i is i, support j n + j, condensed dof k n + nsupport + k. */
typedef struct named {
    const char *name;
    int at;
} named;

typedef struct making {
    ifd__response *r;
    ifd_arena *arena;
    ifd__triplets term; /* row: the gauge */
    named **name;       /* of each model, sorted */
} making;

static int names_of(const ifd_model *m)
{
    return m->n + m->nsupport + m->ngone;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static ifd_status sort_names(making *k, int p)
{
    const ifd_model *m = k->r->model[p].m;
    int count = 0;
    named *all = ifd_arena_array(k->arena, (size_t)names_of(m), sizeof *all);
    if (!all)
        return IFD_NO_MEMORY;
    for (int i = 0; i < m->n; i++)
        all[count++] = (named){m->dof_name[i], i};
    for (int j = 0; j < m->nsupport; j++)
        all[count++] = (named){m->support_name ? m->support_name[j] : "", m->n + j};
    for (int i = 0; i < m->ngone; i++)
        all[count++] = (named){m->gone[i], m->n + m->nsupport + i};
    qsort(all, (size_t)count, sizeof *all, by_name);
    k->name[p] = all;
    return IFD_OK;
}

static int find(const making *k, int p, const char *name)
{
    const named key = {.name = name};
    const named *found = bsearch(&key, k->name[p], (size_t)names_of(k->r->model[p].m), sizeof key, by_name);
    return found ? found->at : -1;
}

/* The same for a name with the name of the substructure as prefix. */
static int find_qualified(const making *k, int p, const char *name)
{
    const char *part = k->r->model[p].name;
    size_t length = part ? strlen(part) : 0;
    if (part && (strncmp(name, part, length) != 0 || name[length] != '.'))
        return -1;
    return find(k, p, part ? name + length + 1 : name);
}

static bool turns(const ifd_model *m, int at)
{
    int gone = at - m->n - m->nsupport;
    return gone >= 0 ? ifd__dof_rotates(m->gone_kind[gone])
                     : at >= 0 && at < m->n && ifd__dof_rotates(m->dof_kind[at]);
}

static int begin(making *k, int p)
{
    ifd__gauges *g = &k->r->gauge;
    g->model[g->count] = p;
    return g->count++;
}

static void term(making *k, int at, double value)
{
    if (value != 0.0)
        ifd__triplet(&k->term, k->r->gauge.count - 1, at, value);
}

static void term_of_gauge(making *k, int gauge, double value)
{
    const ifd__response_model *b = &k->r->model[k->r->gauge.model[k->r->gauge.count - 1]];
    term(k, 2 * b->m->n + b->extras + gauge, value);
}

/* value times the displacement, or its rate, of a name. The rate of deformations by loads is omitted: the force of
 * proportional damping does not contain it. */
static void term_of(making *k, int p, int at, double value, bool rate)
{
    const ifd_model *m = k->r->model[p].m;
    int n = m->n, S = m->nsupport, Y = m->relaxing, gone = at - n - S;
    if (at < n)
        term(k, rate ? n + at : at, value);
    else if (gone < 0)
        term(k, 2 * n + (rate ? S : 0) + at - n, value);
    for (int i = gone < 0 ? 0 : m->gone_start[gone]; gone >= 0 && i < m->gone_start[gone + 1]; i++) {
        int of = m->gone_dof[i], state = of - n - S;
        double x = value * m->gone_value[i];
        if (of < n)
            term(k, rate ? n + of : of, x);
        else if (state < 0)
            term(k, 2 * n + (rate ? S : 0) + of - n, x);
        else if (state < Y)
            term(k, 2 * n + 2 * S + (rate ? Y : 0) + state, x);
        else if (!rate)
            term(k, 2 * n + 2 * S + 2 * Y + state - Y, x);
    }
}

/* A spring with both ends in one model; the ground belongs to all. */
static bool put_drift(making *k, const ifd_storey_drift *d)
{
    ifd__response *r = k->r;
    for (int p = 0; p < r->s->models; p++) {
        int to = d->to ? find_qualified(k, p, d->to) : -1, from = d->from ? find_qualified(k, p, d->from) : -1;
        if ((d->to && to < 0) || (d->from && from < 0))
            continue;
        const ifd_model *m = r->model[p].m;
        ifd__response_drift *out = &r->drift[r->drifts++];
        *out = (ifd__response_drift){.of = d, .model = p, .turns = turns(m, to) || turns(m, from)};
        for (int rate = 0; rate < (d->folded && d->damping != 0.0 ? 2 : 1); rate++) {
            int row = begin(k, p);
            out->deformation = rate ? out->deformation : row;
            if (to >= 0)
                term_of(k, p, to, 1.0, rate != 0);
            if (from >= 0)
                term_of(k, p, from, -1.0, rate != 0);
        }
        out->force = d->folded ? begin(k, p) : -1;
        if (d->folded) {
            term_of_gauge(k, out->deformation, d->stiffness);
            term_of_gauge(k, out->force - 1, d->damping);
        }
        return true;
    }
    return false;
}

enum { HELD = -1, UNKNOWN = -2 };

static bool is_support(const making *k, int p, int at)
{
    const ifd_model *m = k->r->model[p].m;
    return at >= m->n && at < m->n + m->nsupport;
}

/* A direction of a node: its dof, the support that moves it, HELD, or UNKNOWN to this model. */
static int end_of(const making *k, int p, const ifd_frame *f, int node, int direction)
{
    char name[160];
    snprintf(name, sizeof name, "%s.%s", f->node[node].name, ifd__frame_suffix[direction]);
    if (!ifd__frame_held(f, node, direction)) {
        int at = find(k, p, name);
        return at < 0 ? UNKNOWN : at;
    }
    for (int i = 0; i < f->motions; i++)
        if (f->motion[i].node == node && (int)f->motion[i].direction == direction)
            return k->r->model[p].m->n + IFD_SUPPORT(0) - f->motion[i].support;
    return HELD;
}

/* The first model that has both ends of a member; -1: none, where a reduction has removed dofs. */
static int model_of(const making *k, const ifd_recorded_frame *f, int member, int end[IFD__MEMBER_ENDS])
{
    const ifd_frame_member *m = &f->frame->member[member];
    for (int p = 0; p < k->r->s->models; p++) {
        const char *part = k->r->model[p].name;
        bool known = !f->part || (part && strcmp(part, f->part) == 0);
        for (int i = 0; known && i < IFD__MEMBER_ENDS; i++) {
            end[i] = end_of(k, p, f->frame, i < 6 ? m->from : m->to, i % 6);
            known = end[i] != UNKNOWN;
        }
        if (known)
            return p;
    }
    return -1;
}

static const char *member_name(ifd_arena *arena, const ifd_recorded_frame *of, int member)
{
    const char *own = ifd__frame_member_name(arena, of->frame, member);
    return of->part && own ? ifd_arena_print(arena, "%s.%s", of->part, own) : own;
}

/* The watched rows of a member, in a model that does not have its dofs (ifd__member_row_name); -1: none. */
static int model_with_rows(const making *k, const ifd_recorded_frame *f, int member, int *row)
{
    const char *name = ifd__frame_member_name(k->arena, f->frame, member);
    for (int p = 0; p < k->r->s->models; p++) {
        const char *part = k->r->model[p].name;
        bool known = k->r->model[p].m->reduced && (!f->part || (part && strcmp(part, f->part) == 0));
        for (int d = 0; known && d < (f->frame->planar ? PLANAR_DEFORMATIONS : IFD__MEMBER_DEFORMATIONS); d++) {
            row[d] = find(k, p, ifd__member_row_name(k->arena, name, d));
            known = row[d] >= 0;
        }
        if (known)
            return p;
    }
    return -1;
}

static ifd_status put_member(making *k, const ifd_recorded_frame *f, int member)
{
    int end[IFD__MEMBER_ENDS], watched[IFD__MEMBER_DEFORMATIONS], p = model_of(k, f, member, end);
    ifd__member_rows rows;
    bool known = p >= 0;
    p = known ? p : model_with_rows(k, f, member, watched);
    if (p < 0)
        return IFD_OK;
    for (int i = 0; i < IFD__MEMBER_ENDS && !known; i++)
        end[i] = end_of(k, p, f->frame, i < 6 ? f->frame->member[member].from : f->frame->member[member].to, i % 6);
    ifd__response_member *out = &k->r->member[k->r->members++];
    bool planar = f->frame->planar;
    *out = (ifd__response_member){.name = member_name(k->arena, f, member), .model = p, .planar = planar};
    out->deformations = planar ? PLANAR_DEFORMATIONS : IFD__MEMBER_DEFORMATIONS;
    out->forces = planar ? PLANAR_ENDS : IFD__MEMBER_ENDS;
    ifd__frame_member(f->frame, member, &rows);
    for (int d = 0; d < out->deformations; d++) {
        const double *row = rows.deformation[planar ? ifd__planar_deformation[d] : d];
        int gauge = begin(k, p);
        out->deformation = d ? out->deformation : gauge;
        if (!known)
            term_of(k, p, watched[d], 1.0, false);
        for (int i = 0; i < IFD__MEMBER_ENDS; i++)
            if (end[i] >= 0 && row[i] != 0.0 && (known || is_support(k, p, end[i])))
                term_of(k, p, end[i], row[i], false);
    }
    for (int e = 0; e < out->forces; e++) {
        const double *row = rows.force[planar ? planar_end[e] : e];
        int gauge = begin(k, p);
        out->force = e ? out->force : gauge;
        for (int d = 0; d < out->deformations; d++)
            term_of_gauge(k, out->deformation + d, row[planar ? ifd__planar_deformation[d] : d]);
    }
    return out->name ? IFD_OK : IFD_NO_MEMORY;
}

bool ifd__member_deformation_turns(const ifd__response_member *m, int i)
{
    return (m->planar ? ifd__planar_deformation[i] : i) > 0;
}

bool ifd__member_force_turns(const ifd__response_member *m, int i)
{
    return (m->planar ? planar_end[i] : i) % 6 >= 3;
}

static ifd_status make_room(making *k, size_t *drifts, size_t *members)
{
    ifd__response *r = k->r;
    unsigned what = r->opt.what;
    *drifts = *members = 0;
    for (const ifd_storey_drift *d = r->opt.drift; what & (IFD_RECORD_DRIFT | IFD_RECORD_ELEMENTS) && d; d = d->next)
        ++*drifts;
    for (const ifd_recorded_frame *f = r->opt.frame; what & IFD_RECORD_MEMBERS && f; f = f->next)
        *members += (size_t)f->frame->members;
    for (int p = 0; p < r->s->models && *drifts + *members; p++) {
        const ifd_model *m = r->model[p].m;
        r->model[p].extras = 2 * m->nsupport + 2 * m->relaxing + m->nload;
        IFD_TRY(sort_names(k, p));
    }
    size_t rows = 3 * *drifts + (IFD__MEMBER_ENDS + IFD__MEMBER_DEFORMATIONS) * *members;
    return IFD__TAKE(k->arena, IFD__ARRAY(r->drift, *drifts), IFD__ARRAY(r->member, *members),
                     IFD__ARRAY(r->gauge.model, rows), IFD__ARRAY(r->gauge.now, rows));
}

/* Sorts the terms by gauge; determines which models need more than u and v. */
static ifd_status finish(making *k)
{
    ifd__response *r = k->r;
    ifd__gauges *g = &r->gauge;
    const ifd__triplets *t = &k->term;
    if (t->failed)
        return IFD_NO_MEMORY;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(g->start, (size_t)g->count + 1)));
    g->at = t->column;
    g->value = t->value;
    for (int i = 0; i < t->count; i++) {
        ifd__response_model *b = &r->model[g->model[t->row[i]]];
        int extra = t->column[i] - 2 * b->m->n;
        g->start[t->row[i] + 1]++;
        if (extra >= 0 && extra < b->extras && !b->extra &&
            !(b->extra = ifd_arena_array(k->arena, (size_t)b->extras, sizeof *b->extra)))
            return IFD_NO_MEMORY;
    }
    for (int i = 0; i < g->count; i++)
        g->start[i + 1] += g->start[i];
    return IFD_OK;
}

ifd_status ifd__gauges_make(ifd__response *r, ifd_arena *arena)
{
    making k = {.r = r, .arena = arena, .term = {.arena = arena}};
    size_t drifts, members;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(k.name, r->s->models)));
    IFD_TRY(make_room(&k, &drifts, &members));
    for (const ifd_storey_drift *d = drifts ? r->opt.drift : NULL; d; d = d->next)
        put_drift(&k, d);
    for (const ifd_recorded_frame *f = members ? r->opt.frame : NULL; f; f = f->next)
        for (int i = 0; i < f->frame->members; i++)
            IFD_TRY(put_member(&k, f, i));
    return finish(&k);
}

static IFD_RT void watch(const ifd__response_model *b, const double *x, double t)
{
    const ifd_model *m = b->m;
    double y[3], *e = b->extra;
    const double *s = x + b->at + 2 * m->n + m->first_state;
    for (int j = 0; j < m->nsupport; j++) {
        ifd_signal_eval(m->support[j], t, y);
        e[j] = y[0];
        e[m->nsupport + j] = y[1];
    }
    e += 2 * m->nsupport;
    for (int j = 0; j < m->relaxing; j++) {
        e[j] = s[j];
        e[m->relaxing + j] = b->g[m->first_state + j];
    }
    e += 2 * m->relaxing;
    for (int l = 0; l < m->nload; l++) {
        ifd_signal_eval(m->load[l].signal, t, y);
        e[l] = y[0];
    }
}

void ifd__gauges_eval(const ifd__response *r, const double *x, double t)
{
    const ifd__gauges *g = &r->gauge;
    for (int p = 0; p < r->s->models && g->count; p++)
        if (r->model[p].extra)
            watch(&r->model[p], x, t);
    for (int i = 0; i < g->count; i++) {
        const ifd__response_model *b = &r->model[g->model[i]];
        const int moves = 2 * b->m->n, gauges = moves + b->extras;
        double sum = 0.0;
        for (int k = g->start[i]; k < g->start[i + 1]; k++) {
            int at = g->at[k];
            sum += g->value[k] * (at < moves    ? x[b->at + at]
                                  : at < gauges ? b->extra[at - moves]
                                                : g->now[at - gauges]);
        }
        g->now[i] = sum;
    }
}
