/* SPDX-License-Identifier: MIT */
/* The columns of a response: names and sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/frame.h"
#include "model/fibre/element.h"
#include "base/arena.h"
#include "model/equilibrium/relax.h"
#include "substructure/response_fibres.h"

/* Gauges: numbers of a row that are linear in the motion. Springs, dashpots, storeys and members of frames are in the
 * matrices and have no element with a force. Their deformation is a sum over displacements of dofs, massless dofs and
 * supports, and their force a sum over deformations and their rates.
 *
 * A gauge is a row of terms value * z[at], with z of its model
 *
 *     u, v | supports, their velocities, first-order states, their rates, loads, first states of fibre members |
 *     earlier gauges
 *
 * Loads deform the springs of condensed dofs (model.h). */

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

static bool dof_rotates(ifd_dof_kind kind)
{
    return kind != IFD_DOF_X && kind != IFD_DOF_Y && kind != IFD_DOF_Z && kind != IFD_DOF_DEFORMATION;
}

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
    named *all;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(all, (size_t)names_of(m))));
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
    return gone >= 0 ? dof_rotates(m->gone_kind[gone]) : at >= 0 && at < m->n && dof_rotates(m->dof_kind[at]);
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
        int found = 0;
        while (found < d->terms && find_qualified(k, p, d->term[found]) >= 0)
            found++;
        if ((d->to && to < 0) || (d->from && from < 0) || found < d->terms)
            continue;
        ifd__response_drift *out = &r->drift[r->drifts++];
        *out = (ifd__response_drift){d, p, .turns = turns(r->model[p].m, to) || turns(r->model[p].m, from)};
        for (int rate = 0; rate < (d->folded && d->damping != 0.0 ? 2 : 1); rate++) {
            int row = begin(k, p);
            out->deformation = rate ? out->deformation : row;
            if (to >= 0)
                term_of(k, p, to, 1.0, rate != 0);
            if (from >= 0)
                term_of(k, p, from, -1.0, rate != 0);
            for (int i = 0; i < d->terms; i++)
                term_of(k, p, find_qualified(k, p, d->term[i]), d->coefficient[i], rate != 0);
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
    return at >= k->r->model[p].m->n && at < k->r->model[p].m->n + k->r->model[p].m->nsupport;
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

/* Where the basic forces of the fibre member with this name begin among the variables of a gauge; -1: none. */
static int basic_forces(const ifd_model *m, const char *name)
{
    int at = 2 * m->n + 2 * m->nsupport + 2 * m->relaxing + m->nload;
    for (int e = 0; e < m->ne; e++) {
        const ifd__fibre_member *fibres = ifd__fibre_member_of(&m->element[e]);
        if (fibres && strcmp(m->element[e].name, name) == 0)
            return at;
        at += fibres ? ifd__fibre_first(fibres) : 0;
    }
    return -1;
}

/* End force e of a fibre member, from equilibrium; about the axis it turns as an elastic member. */
static void put_fibre_force(making *k, const ifd__response_member *out, const ifd__member_rows *rows, int from, int e)
{
    static const int basic[IFD__MEMBER_DEFORMATIONS] = {0, -1, 1, 2, 3, 4};
    for (int d = 0; d < IFD__MEMBER_DEFORMATIONS; d++)
        if (basic[d] >= 0)
            term(k, from + basic[d], rows->statics[d][e]);
        else if (!out->planar)
            term_of_gauge(k, out->deformation + d, rows->force[e][d]);
}

/* The load of members among those of a model; -1: none. */
static int weight_of(const ifd_model *m)
{
    int l = m->nload - 1;
    while (l >= 0 && !m->load[l].weight)
        l--;
    return l;
}

static ifd_status put_member(making *k, const ifd_recorded_frame *f, int member)
{
    const char *own = ifd__frame_member_name(k->arena, f->frame, member);
    int end[IFD__MEMBER_ENDS], watched[IFD__MEMBER_DEFORMATIONS], p = model_of(k, f, member, end);
    bool known = p >= 0;
    ifd__member_rows rows;
    if (!own || !(k->r->opt.what & IFD_RECORD_ELEMENTS || ifd__frame_names(f, own)))
        return own ? IFD_OK : IFD_NO_MEMORY;
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
    const ifd_model *m = k->r->model[p].m;
    int fibres = f->frame->member[member].section.fibres ? basic_forces(m, own) : -1;
    out->large = ifd__large_element(m, own);
    if (out->large >= 0) {
        for (int i = 0; i < out->deformations + out->forces; i++) {
            int gauge = begin(k, p);
            out->deformation = i ? out->deformation : gauge;
        }
        out->force = out->deformation + out->deformations;
        return out->name ? IFD_OK : IFD_NO_MEMORY;
    }
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
        int gauge = begin(k, p), weight = weight_of(m);
        out->force = e ? out->force : gauge;
        if (fibres >= 0)
            put_fibre_force(k, out, &rows, fibres, planar ? planar_end[e] : e);
        for (int d = 0; d < out->deformations && fibres < 0; d++)
            term_of_gauge(k, out->deformation + d, row[planar ? ifd__planar_deformation[d] : d]);
        if (weight >= 0)
            term(k, 2 * m->n + 2 * m->nsupport + 2 * m->relaxing + weight, -rows.load[planar ? planar_end[e] : e]);
    }
    return out->name ? IFD_OK : IFD_NO_MEMORY;
}

/* Remainders v - v_r, and at each point the forces b p + s_p. */
static void put_fibres(making *k, ifd__response_fibres *out)
{
    const ifd_element *e = &k->r->model[out->model].m->element[out->element];
    const ifd__fibre_member *f = ifd__fibre_member_of(e);
    int nb = ifd__fibre_basic(f), at = basic_forces(k->r->model[out->model].m, e->name);
    for (int d = 0; d < nb; d++) {
        int gauge = begin(k, out->model);
        out->remainder = d ? out->remainder : gauge;
        term(k, at + 2 * nb + d, 1.0);
        term(k, at + nb + d, -1.0);
    }
    out->force = k->r->gauge.count;
    for (int i = 0; k->r->opt.what & IFD_RECORD_SECTIONS && i < f->points; i++)
        for (int a = 0; a < f->section->size; a++) {
            double row[IFD__BASIC], load = ifd__fibre_row(f, i, a, row);
            (void)begin(k, out->model);
            for (int d = 0; d < nb; d++)
                term(k, at + d, row[d]);
            term(k, at + 3 * nb, load);
        }
}

static bool member_deformation_turns(const ifd__response_member *m, int i)
{
    return (m->planar ? ifd__planar_deformation[i] : i) > 0;
}

/* True if deformation or end force i of a member is a rotation or a moment. */
static bool member_force_turns(const ifd__response_member *m, int i)
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
    for (int p = 0; p < r->s->models; p++)
        for (int e = 0; e < r->model[p].m->ne; e++)
            r->fibred += ifd__fibres_recorded(r, p, e);
    for (int p = 0; p < r->s->models && *drifts + *members + (size_t)r->fibred; p++) {
        const ifd_model *m = r->model[p].m;
        r->model[p].extras = 2 * m->nsupport + 2 * m->relaxing + m->nload;
        for (int e = 0; e < m->ne; e++)
            if (ifd__fibre_member_of(&m->element[e]))
                r->model[p].extras += ifd__fibre_first(ifd__fibre_member_of(&m->element[e]));
        IFD_TRY(sort_names(k, p));
    }
    size_t rows = 3 * *drifts + (IFD__MEMBER_ENDS + IFD__MEMBER_DEFORMATIONS) * *members;
    rows += (IFD__BASIC + IFD__SECTION_FORCES * IFD__FIBRE_POINTS) * (size_t)r->fibred;
    return IFD__TAKE(k->arena, IFD__ARRAY(r->fibres, r->fibred), IFD__ARRAY(r->drift, *drifts),
                     IFD__ARRAY(r->member, *members), IFD__ARRAY(r->gauge.model, rows),
                     IFD__ARRAY(r->gauge.now, rows));
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

static ifd_status gauges_make(ifd__response *r, ifd_arena *arena)
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
    for (int p = 0, i = 0; i < r->fibred; p++)
        for (int e = 0; e < r->model[p].m->ne; e++)
            if (ifd__fibres_recorded(r, p, e)) {
                r->fibres[i] = (ifd__response_fibres){.model = p, .element = e};
                put_fibres(&k, &r->fibres[i++]);
            }
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
    e += m->nload;
    for (int i = 0; i < m->ne; i++) {
        const ifd__fibre_member *fibres = ifd__fibre_member_of(&m->element[i]);
        for (int d = 0; fibres && d < ifd__fibre_first(fibres); d++)
            *e++ = x[b->at + 2 * m->n + m->s_of[i] + d];
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
    ifd__large_gauges(r);
}

enum { ENERGIES = IFD_COLUMN_ENERGY_NUMERICAL - IFD_COLUMN_ENERGY_INPUT + 2, DIRECTIONS = 3 }; /* and gravity */

bool ifd__link_rotates(const ifd__substructure *s, const ifd__specimen_link *link)
{
    int dof = link->to >= 0 ? link->to : link->from;
    return dof >= 0 && dof_rotates(s->model[link->part].m->dof_kind[dof]);
}

ifd_status ifd__response_column(ifd__response *r, ifd_arena *arena, const char *owner, ifd_quantity quantity,
                                bool rotates, ifd__column_place place)
{
    r->place[r->columns] = place;
    return owner ? ifd_column_make(arena, owner, quantity, 0, rotates, &r->column[r->columns++]) : IFD_NO_MEMORY;
}

static ifd__column_place gauged(int model, int gauge)
{
    return (ifd__column_place){.model = model, .index = gauge, .gauged = true};
}

/* "floor1", "tower.floor1". */
const char *ifd__response_owner(ifd_arena *arena, const ifd__response_model *b, const char *what)
{
    return b->name ? ifd_arena_print(arena, "%s.%s", b->name, what) : what;
}

static const struct motion {
    ifd_quantity quantity;
    unsigned what;
} motions[] = {{IFD_COLUMN_DISPLACEMENT, IFD_RECORD_DISPLACEMENT},
               {IFD_COLUMN_VELOCITY, IFD_RECORD_VELOCITY},
               {IFD_COLUMN_ACCELERATION, IFD_RECORD_ACCELERATION},
               {IFD_COLUMN_ABSOLUTE_VELOCITY, IFD_RECORD_VELOCITY},
               {IFD_COLUMN_ABSOLUTE_ACCELERATION, IFD_RECORD_ACCELERATION}};
enum { MOTIONS = sizeof motions / sizeof *motions };

static bool driven(const ifd_model *m, ifd_dof_kind kind)
{
    return kind <= IFD_DOF_Z && m->ground[kind].signal;
}

bool ifd__response_selects(const ifd__response *r, int dof)
{
    for (int k = 0; k < r->opt.dofs; k++)
        if (r->opt.dof[k] == dof)
            return true;
    return r->opt.dofs == 0;
}

static ifd_status motion_columns(ifd__response *r, ifd_arena *arena, ifd_quantity quantity)
{
    bool absolute = quantity == IFD_COLUMN_ABSOLUTE_VELOCITY || quantity == IFD_COLUMN_ABSOLUTE_ACCELERATION;
    bool accelerates = quantity == IFD_COLUMN_ACCELERATION || quantity == IFD_COLUMN_ABSOLUTE_ACCELERATION;
    for (int p = 0; p < r->s->models; p++)
        for (int dof = 0; dof < r->model[p].m->n; dof++) {
            const ifd__response_model *b = &r->model[p];
            ifd_dof_kind kind = b->m->dof_kind[dof];
            bool none = accelerates && b->m->massless && b->m->massless[dof];
            if (!none && ifd__response_selects(r, b->first_dof + dof) && (!absolute || driven(b->m, kind)))
                IFD_TRY(ifd__response_column(r, arena, ifd__response_owner(arena, b, b->m->dof_name[dof]), quantity,
                                             dof_rotates(kind), (ifd__column_place){.model = p, .index = dof}));
        }
    return IFD_OK;
}

/* Slaves of ties; and displacements of dofs without mass that depend on a first-order state, which do not follow from
 * the others. */
static ifd_status gone_columns(ifd__response *r, ifd_arena *arena, ifd_quantity quantity)
{
    bool absolute = quantity == IFD_COLUMN_ABSOLUTE_VELOCITY || quantity == IFD_COLUMN_ABSOLUTE_ACCELERATION;
    for (int p = 0, number = IFD__RECORD_GONE; p < r->s->models; p++)
        for (int i = 0; i < r->model[p].m->ngone; i++, number++) {
            const ifd__response_model *b = &r->model[p];
            bool known = quantity == IFD_COLUMN_DISPLACEMENT ? ifd__model_gone_recorded(b->m, i)
                                                             : ifd__model_gone_follows(b->m, i);
            ifd_dof_kind kind = b->m->gone_kind[i];
            if (known && ifd__response_selects(r, number) && (!absolute || driven(b->m, kind)))
                IFD_TRY(ifd__response_column(r, arena, ifd__response_owner(arena, b, b->m->gone[i]), quantity,
                                             dof_rotates(kind),
                                             (ifd__column_place){.model = p, .index = i, .condensed = true}));
        }
    return IFD_OK;
}

/* A coordinate is an angle if its dofs are rotations. */
static bool coordinate_rotates(const ifd_model *m, int q)
{
    return m->b_start[q + 1] > m->b_start[q] && dof_rotates(m->dof_kind[m->b_dof[m->b_start[q]]]);
}

static ifd_status element_columns(ifd__response *r, ifd_arena *arena, int p)
{
    const ifd__response_model *b = &r->model[p];
    const ifd_model *m = b->m;
    for (int e = 0; e < m->ne; e++)
        for (ifd_quantity what = IFD_COLUMN_ELEMENT_DEFORMATION; what <= IFD_COLUMN_ELEMENT_STATE; what++) {
            const int *start = what == IFD_COLUMN_ELEMENT_STATE ? m->s_of : m->q_of;
            const char *owner = ifd__response_owner(arena, b, m->element[e].name);
            int count = ifd__has_column(r, &m->element[e], what) ? start[e + 1] - start[e] : 0;
            for (int i = 0; i < count; i++) {
                bool angle = what != IFD_COLUMN_ELEMENT_STATE && coordinate_rotates(m, start[e] + i);
                r->place[r->columns] = (ifd__column_place){.model = p, .index = start[e] + i};
                if (!owner)
                    return IFD_NO_MEMORY;
                IFD_TRY(ifd_column_make(arena, owner, what, count > 1 ? i + 1 : 0, angle, &r->column[r->columns++]));
            }
        }
    return IFD_OK;
}

/* Springs and dashpots in the matrices. */
static ifd_status spring_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->drifts; i++) {
        const ifd__response_drift *d = &r->drift[i];
        for (int force = 0; d->of->folded && force < 2; force++)
            IFD_TRY(ifd__response_column(r, arena, d->of->name,
                                         force ? IFD_COLUMN_ELEMENT_FORCE : IFD_COLUMN_ELEMENT_DEFORMATION, d->turns,
                                         gauged(d->model, force ? d->force : d->deformation)));
    }
    return IFD_OK;
}

static ifd_status member_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->members; i++) {
        const ifd__response_member *m = &r->member[i];
        for (int k = 0; k < m->deformations + m->forces; k++) {
            int force = k - m->deformations;
            bool turns = force < 0 ? member_deformation_turns(m, k) : member_force_turns(m, force);
            ifd_quantity what = force < 0 ? IFD_COLUMN_ELEMENT_DEFORMATION : IFD_COLUMN_ELEMENT_FORCE;
            r->place[r->columns] = gauged(m->model, force < 0 ? m->deformation + k : m->force + force);
            IFD_TRY(
                ifd_column_make(arena, m->name, what, (force < 0 ? k : force) + 1, turns, &r->column[r->columns++]));
        }
    }
    return IFD_OK;
}

static ifd_status drift_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->drifts; i++)
        if (r->drift[i].of->storey)
            IFD_TRY(ifd__response_column(r, arena, r->drift[i].of->name, IFD_COLUMN_STOREY_DRIFT, r->drift[i].turns,
                                         gauged(r->drift[i].model, r->drift[i].deformation)));
    return IFD_OK;
}

/* A column with its value in the state array. */
static ifd_status state_column(ifd__response *r, ifd_arena *arena, const ifd__state_column *c)
{
    return ifd__response_column(r, arena, c->owner, c->quantity, c->rotates, (ifd__column_place){.index = c->at});
}

/* The multiplier of rotations is a moment; a lever arm, which makes a length of a rotation, connects it to a
 * displacement. */
static bool joint_rotates(const ifd__response *r, const ifd_joint *joint)
{
    for (int k = 0; k < joint->terms; k++)
        if (!dof_rotates(r->model[joint->term[k].part].m->dof_kind[joint->term[k].dof]))
            return false;
    return true;
}

static ifd_status joint_columns(ifd__response *r, ifd_arena *arena)
{
    const ifd_couple_options *couple = r->opt.couple;
    const ifd__coupled *c = r->s->coupled;
    for (int j = 0; j < couple->joints; j++) {
        const ifd_joint *joint = &couple->joint[j];
        IFD_TRY(state_column(
            r, arena,
            &(ifd__state_column){joint->name, IFD_COLUMN_JOINT_MULTIPLIER, c->lambda + j, joint_rotates(r, joint)}));
    }
    for (int l = 0; l < c->pulls; l++) {
        const ifd_rts_link *link = &couple->rts->link[l];
        bool turns = dof_rotates(r->model[link->leader].m->dof_kind[link->dof]);
        IFD_TRY(
            state_column(r, arena, &(ifd__state_column){link->name, IFD_COLUMN_JOINT_FORCE, c->pulled + l, turns}));
    }
    for (int k = 0; k < 3; k++)
        IFD_TRY(
            state_column(r, arena,
                         &(ifd__state_column){"", (ifd_quantity)(IFD_COLUMN_GAP_DISPLACEMENT + k),
                                              r->opt.balance + IFD__MEMBER_AT(ifd__energy_state, gap) + k, false}));
    return IFD_OK;
}

static ifd_status ground_columns(ifd__response *r, ifd_arena *arena)
{
    for (int d = 0; d < DIRECTIONS; d++)
        for (int p = 0; p < r->s->models; p++)
            if (r->model[p].m->ground[d].signal) {
                IFD_TRY(ifd__response_column(r, arena, "", (ifd_quantity)(IFD_COLUMN_GROUND_X + d), false,
                                             (ifd__column_place){.model = p, .index = d}));
                break;
            }
    return IFD_OK;
}

static ifd_status support_columns(ifd__response *r, ifd_arena *arena)
{
    for (int p = 0; p < r->s->models; p++) {
        const ifd__response_model *b = &r->model[p];
        for (int j = 0; b->m->support_name && j < b->m->nsupport; j++)
            for (ifd_quantity q = IFD_COLUMN_SUPPORT_DISPLACEMENT; q <= IFD_COLUMN_SUPPORT_ACCELERATION; q++)
                IFD_TRY(ifd__response_column(r, arena, ifd__response_owner(arena, b, b->m->support_name[j]), q, false,
                                             (ifd__column_place){.model = p, .index = j}));
    }
    return IFD_OK;
}

/* In every direction in which a dof moves, or a force acts on a condensed dof; not where ties hold the structure. */
static ifd_status base_columns(ifd__response *r, ifd_arena *arena)
{
    bool moves[DIRECTIONS] = {false}, held[DIRECTIONS] = {false};
    for (int p = 0; p < r->s->models; p++) {
        const ifd_model *m = r->model[p].m;
        for (int d = 0; d < DIRECTIONS; d++)
            moves[d] = moves[d] || m->ground[d].along;
        for (int d = 0; d < DIRECTIONS; d++)
            held[d] = held[d] || m->ground[d].held;
        for (int i = 0; i < m->n; i++)
            if (m->dof_kind[i] <= IFD_DOF_Z)
                moves[m->dof_kind[i]] = true;
        for (int l = 0; l < m->nload; l++)
            for (int d = 0; d < DIRECTIONS; d++)
                moves[d] = moves[d] || m->load[l].past[d] != 0.0;
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (moves[d] && !held[d])
            IFD_TRY(ifd__response_column(r, arena, "", (ifd_quantity)(IFD_COLUMN_BASE_SHEAR_X + d), false,
                                         (ifd__column_place){.index = d}));
    return IFD_OK;
}

static ifd_status energy_columns(ifd__response *r, ifd_arena *arena)
{
    for (ifd_quantity e = IFD_COLUMN_ENERGY_INPUT; e <= IFD_COLUMN_ENERGY_NUMERICAL; e++)
        if ((e != IFD_COLUMN_ENERGY_SPECIMENS || r->opt.links) && (e != IFD_COLUMN_ENERGY_JOINTS || r->s->coupled))
            IFD_TRY(ifd__response_column(r, arena, "", e, false, (ifd__column_place){0}));
    for (int p = 0; p < r->s->models; p++)
        if (r->model[p].m->gravity)
            return ifd__response_column(r, arena, "", IFD_COLUMN_ENERGY_GRAVITY, false, (ifd__column_place){0});
    return IFD_OK;
}

static ifd_status columns(ifd__response *r, ifd_arena *arena)
{
    unsigned what = r->opt.what;
    for (int k = 0; k < MOTIONS; k++)
        if (what & motions[k].what)
            IFD_TRY(motion_columns(r, arena, motions[k].quantity));
    for (int k = 0; k < MOTIONS; k++)
        if (what & motions[k].what)
            IFD_TRY(gone_columns(r, arena, motions[k].quantity));
    if (what & IFD_RECORD_DRIFT)
        IFD_TRY(drift_columns(r, arena));
    for (int p = 0; p < r->s->models && what & IFD_RECORD_ELEMENTS; p++)
        IFD_TRY(element_columns(r, arena, p));
    if (what & IFD_RECORD_ELEMENTS)
        IFD_TRY(spring_columns(r, arena));
    IFD_TRY(member_columns(r, arena));
    IFD_TRY(ifd__fibre_columns(r, arena));
    for (int i = 0; i < r->opt.states; i++)
        IFD_TRY(state_column(r, arena, &r->opt.state[i]));
    if (r->s->coupled && what & IFD_RECORD_JOINTS)
        IFD_TRY(joint_columns(r, arena));
    if (what & IFD_RECORD_GROUND)
        IFD_TRY(ground_columns(r, arena));
    if (what & IFD_RECORD_GROUND)
        IFD_TRY(support_columns(r, arena));
    if (what & IFD_RECORD_BASE_SHEAR)
        IFD_TRY(base_columns(r, arena));
    if (what & IFD_RECORD_ENERGY)
        IFD_TRY(energy_columns(r, arena));
    return ifd__factor_columns(r, arena);
}

unsigned ifd__response_what(const ifd__substructure *s, unsigned asked, unsigned large)
{
    enum { LARGE = 50 };
    int dofs = 0;
    for (int p = 0; p < s->models; p++)
        dofs += s->model[p].m->n;
    if (asked != IFD_RECORD_AUTO)
        return asked;
    return dofs <= LARGE ? IFD_RECORD_EVERYTHING & ~(unsigned)IFD_RECORD_STATES : large;
}

static ifd_status make_model(ifd__response *r, ifd_arena *arena, int p, int first_dof, ifd_note *note)
{
    const ifd__numerical_model *of = &r->s->model[p];
    const ifd_model *m = of->m;
    ifd__response_model *b = &r->model[p];
    size_t n = (size_t)m->n, nq = (size_t)m->nq, ns = (size_t)m->ns;
    *b = (ifd__response_model){.name = of->name, .m = m, .at = of->at, .first_dof = first_dof};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->a, n), IFD__ARRAY(b->load, n), IFD__ARRAY(b->q, nq), IFD__ARRAY(b->qd, nq),
                      IFD__ARRAY(b->r, nq), IFD__ARRAY(b->g, ns), IFD__ARRAY(b->w, ifd__model_work(m))));
    if (r->opt.balanced)
        IFD_TRY(ifd__forms_make(arena, m, &b->forms));
    return ifd__response_inertia(r, arena, p, note);
}

ifd_status ifd__response_make(ifd_arena *arena, const ifd__substructure *s, const ifd__response_options *opt,
                              ifd__response *r, ifd_note *note)
{
    *r = (ifd__response){.s = s, .opt = *opt};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->model, s->models)));
    size_t most = (size_t)opt->states + 3 + 2 * DIRECTIONS + ENERGIES +
                  (size_t)(opt->couple ? opt->couple->joints + s->coupled->pulls : 0);
    for (int p = 0, dof = 0; p < s->models; p++) {
        const ifd_model *m = s->model[p].m;
        IFD_TRY(make_model(r, arena, p, dof, note));
        most += 1 + MOTIONS * (size_t)(m->n + m->ngone) + 2 * (size_t)m->nq + (size_t)m->ns + 3 * (size_t)m->nsupport;
        dof += m->n;
    }
    IFD_TRY(gauges_make(r, arena));
    most += (size_t)(r->drifts + r->gauge.count) + ifd__fibre_columns_most(r);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->column, most), IFD__ARRAY(r->place, most)));
    bool supported = false;
    for (int p = 0; p < s->models; p++)
        supported = supported || s->model[p].m->nsupport > 0;
    if (!supported)
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->smooth, 2)));
    return columns(r, arena);
}
