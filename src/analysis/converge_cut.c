/* SPDX-License-Identifier: MIT */
/* Observed order of coupled substructures against the reference solution of the assembled structure, per substructure
 * and at the joints.
 *
 * The multipliers of the reference follow from its states: they make the accelerations of the substructures, M_p a_p
 * = P_p - R_p + G_p^T Lam, equal at the joints, as those of the whole are. They are compared over the second half of
 * the run: generalized-alpha methods start with an error of first order in them that decays within a number of steps,
 * not of seconds (Arnold, Bruls, Cardona 2015). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge.h"

enum { U, V, S, L, KINDS };

/* One number of a track: u, v, s of each substructure, then the multipliers. */
typedef struct number {
    int part, kind;
    bool joint; /* of a dof in a joint, or a multiplier */
    int group;  /* numbers of one group have a common scale, their largest value */
    double scale;
} number;

typedef struct comparing {
    ifd_arena *arena;
    const ifd_run_options *opt;
    const ifd_couple_options *couple;
    int parts, levels;
    int *first; /* first number of each substructure in a track */
    number *number;
    int size;
    long instants;
    ifd_converge_row *row; /* levels of the whole, of each substructure, of the joints */
    ifd_note *note;
} comparing;

static bool is_length(ifd_dof_kind k)
{
    return k == IFD_DOF_X || k == IFD_DOF_Y || k == IFD_DOF_Z || k == IFD_DOF_DEFORMATION;
}

static bool in_joint(const ifd_couple_options *c, int part, int dof)
{
    for (int j = 0; j < c->joints; j++)
        for (int k = 0; k < c->joint[j].terms; k++)
            if (c->joint[j].term[k].part == part && c->joint[j].term[k].dof == dof)
                return true;
    return false;
}

/* A joint row transmits a force if its first dof is a length, otherwise a moment. */
static bool passes_force(const ifd_couple_options *c, int j)
{
    const ifd_joint *joint = &c->joint[j];
    return joint->terms == 0 || is_length(c->part[joint->term[0].part].model->dof_kind[joint->term[0].dof]);
}

/* Groups 0 to 3 of every substructure are its lengths, angles and their rates; each state is a separate group
 * (-1). */
static bool make_numbers(comparing *x)
{
    const ifd_couple_options *c = x->couple;
    x->first = ifd_arena_array(x->arena, (size_t)x->parts + 1, sizeof *x->first);
    if (!x->first)
        return false;
    for (int p = 0; p < x->parts; p++)
        x->first[p + 1] = x->first[p] + 2 * c->part[p].model->n + c->part[p].model->ns;
    x->size = x->first[x->parts] + c->joints;
    x->number = ifd_arena_array(x->arena, (size_t)x->size, sizeof *x->number);
    for (int p = 0; x->number && p < x->parts; p++) {
        const ifd_model *m = c->part[p].model;
        for (int i = 0; i < 2 * m->n + m->ns; i++) {
            int kind = i < m->n ? U : i < 2 * m->n ? V : S, dof = i % m->n;
            number *n = &x->number[x->first[p] + i];
            *n = (number){.part = p, .kind = kind, .group = -1};
            if (kind == S) {
                n->scale = ifd__model_remembers(m, i - 2 * m->n) ? HUGE_VAL : 0.0; /* as in converge.c */
                continue;
            }
            n->joint = in_joint(c, p, dof);
            n->group = 4 * p + 2 * (kind == V) + !is_length(m->dof_kind[dof]);
        }
    }
    for (int j = 0; x->number && j < c->joints; j++)
        x->number[x->first[x->parts] + j] =
            (number){.part = -1, .kind = L, .joint = true, .group = 4 * x->parts + !passes_force(c, j)};
    return x->number != NULL;
}

static bool find_scales(comparing *x, const ifd__track *exact)
{
    double *group = calloc(4 * (size_t)x->parts + 2, sizeof *group);
    if (!group)
        return false;
    for (int i = 0; i < x->size; i++)
        for (long k = 0; k <= x->instants; k++)
            x->number[i].scale = fmax(x->number[i].scale, fabs(exact->y[k * x->size + i]));
    for (int i = 0; i < x->size; i++)
        if (x->number[i].group >= 0)
            group[x->number[i].group] = fmax(group[x->number[i].group], x->number[i].scale);
    for (int i = 0; i < x->size; i++) {
        number *n = &x->number[i];
        n->scale = n->group >= 0 ? group[n->group] : n->scale;
        n->scale = n->scale > 0.0 ? n->scale : 1.0;
    }
    free(group);
    return true;
}

/* Exact states of the substructures from those of the whole. */
static void expand(const comparing *x, const ifd_assembly *a, const double *z, double *y, double *u)
{
    int n = a->model->n, s = 2 * n;
    for (int derivative = 0; derivative < 2; derivative++) {
        ifd_assembly_expand(a, z + derivative * n, u);
        for (int p = 0, at = 0; p < x->parts; at += x->couple->part[p].model->n, p++)
            memcpy(y + x->first[p] + derivative * x->couple->part[p].model->n, u + at,
                   sizeof *u * (size_t)x->couple->part[p].model->n);
    }
    for (int p = 0; p < x->parts; p++) {
        const ifd_model *m = x->couple->part[p].model;
        memcpy(y + x->first[p] + 2 * m->n, z + s, sizeof *u * (size_t)m->ns);
        s += m->ns;
    }
}

/* The multipliers at every instant, at the end of each row. */
static ifd_status exact_multipliers(comparing *x, ifd_arena *scratch, ifd__track *exact)
{
    ifd__interface I;
    size_t parts = (size_t)x->parts;
    ifd__sight *sight;
    const ifd__sight **seen;
    double *theta;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(sight, parts), IFD__ARRAY(seen, parts), IFD__ARRAY(theta, parts)));
    IFD_TRY(ifd__interface_make(scratch, x->couple, 0.0, NULL, &I, x->note));
    for (int p = 0; p < x->parts; p++) {
        IFD_TRY(ifd__sight_make(scratch, &I, p, &sight[p]));
        seen[p] = &sight[p];
    }
    for (long k = 0; k <= x->instants; k++) {
        double *row = exact->y + k * x->size;
        for (int p = 0; p < x->parts; p++) {
            const double *y = row + x->first[p];
            int n = x->couple->part[p].model->n;
            ifd__interface_see(&I, p, y, y + n, y + 2 * n, &sight[p]);
        }
        if (!ifd__interface_solve(&I, (double)k * x->couple->h, seen, seen, theta, row + x->first[x->parts]))
            return ifd_note_add(x->note, IFD_SINGULAR, NULL, "the equations of the joints are singular at t = %g s",
                                (double)k * x->couple->h);
    }
    return IFD_OK;
}

static ifd_status reference(comparing *x, ifd_arena *scratch, ifd__track *exact, ifd_convergence *out)
{
    ifd_assembly a;
    IFD_TRY(ifd_couple_assemble(scratch, x->couple, &a, x->note));
    ifd__track whole = {.size = 2 * a.model->n + a.model->ns, .instants = x->instants};
    size_t numbers = (size_t)whole.size * (size_t)(whole.instants + 1);
    double *u;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(u, a.dofs), IFD__ARRAY(whole.y, numbers)));
    IFD_TRY(ifd__converge_reference(a.model, x->couple->h, x->levels, &whole, out, x->note));
    for (long k = 0; k <= x->instants; k++)
        expand(x, &a, whole.y + k * whole.size, exact->y + k * x->size, u);
    return exact_multipliers(x, scratch, exact);
}

static ifd_status run_level(const comparing *x, int divide, ifd__track *t)
{
    ifd_couple_options couple = *x->couple;
    couple.h /= divide;
    return ifd__converge_run(&(ifd__substructure_options){.couple = &couple}, divide, t, x->note);
}

static double *error_of(ifd_converge_row *row, int kind)
{
    double *const of[KINDS] = {&row->error_u, &row->error_v, &row->error_s, &row->error_l};
    return of[kind];
}

static void raise(double *most, double e)
{
    *most = e > *most || isnan(e) ? e : *most;
}

/* Errors of level k: set 0 is the whole, set p + 1 substructure p, the last one the joints. */
static void compare(const comparing *x, int level, const ifd__track *t, const ifd__track *exact)
{
    int levels = x->levels;
    for (int set = 0; set < x->parts + 2; set++)
        x->row[set * levels + level].h = ldexp(x->couple->h, -level);
    for (int i = 0; i < x->size; i++) {
        const number *n = &x->number[i];
        double e = 0.0;
        for (long k = n->kind == L ? x->instants / 2 : 0; k <= x->instants; k++)
            raise(&e, fabs(t->y[k * x->size + i] - exact->y[k * x->size + i]) / n->scale);
        raise(error_of(&x->row[level], n->kind), e);
        if (n->part >= 0)
            raise(error_of(&x->row[(n->part + 1) * levels + level], n->kind), e);
        if (n->joint)
            raise(error_of(&x->row[(x->parts + 1) * levels + level], n->kind), e);
    }
}

static void fill_orders(int levels, ifd_converge_row *row)
{
    for (int k = 1; k < levels; k++) {
        row[k].order_u = ifd__converge_order(row[k - 1].error_u, row[k].error_u);
        row[k].order_v = ifd__converge_order(row[k - 1].error_v, row[k].error_v);
        row[k].order_s = ifd__converge_order(row[k - 1].error_s, row[k].error_s);
        row[k].order_l = ifd__converge_order(row[k - 1].error_l, row[k].error_l);
    }
}

static ifd_status report(comparing *x, ifd_convergence *out)
{
    int levels = x->levels;
    ifd_converge_part *part = ifd_arena_array(x->arena, (size_t)x->parts + 2, sizeof *part);
    if (!part)
        return IFD_NO_MEMORY;
    for (int set = 0; set < x->parts + 2; set++) {
        ifd_converge_row *row = x->row + set * levels;
        fill_orders(levels, row);
        part[set] = (ifd_converge_part){.row = row};
        part[set].name =
            set > 0 && set <= x->parts ? ifd_arena_text(x->arena, x->couple->part[set - 1].name) : "joints";
        part[set].order_u = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_u), out->opinion_u,
                                              set ? NULL : &out->used_u);
        part[set].order_v = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_v), out->opinion_v,
                                              set ? NULL : &out->used_v);
        part[set].order_s = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_s), out->opinion_s,
                                              set ? NULL : &out->used_s);
        part[set].order_l = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_l), 0.0, NULL);
    }
    out->levels = levels;
    out->row = x->row;
    out->order_u = part[0].order_u;
    out->order_v = part[0].order_v;
    out->order_s = part[0].order_s;
    out->order_l = part[0].order_l;
    out->parts = x->parts + 1;
    out->part = part + 1;
    return IFD_OK;
}

ifd_status ifd__converge_cut(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                             ifd_note *note)
{
    comparing x = {.arena = arena,
                   .opt = opt,
                   .couple = opt->couple,
                   .parts = opt->couple->parts,
                   .levels = levels,
                   .instants = lround(opt->end / opt->couple->h),
                   .note = note};
    x.row = ifd_arena_array(arena, (size_t)(x.parts + 2) * (size_t)levels, sizeof *x.row);
    if (!x.row || !make_numbers(&x))
        return IFD_NO_MEMORY;
    ifd_arena *scratch = ifd_arena_open();
    ifd__track exact = {.size = x.size, .instants = x.instants}, t = exact;
    size_t numbers = (size_t)x.size * (size_t)(x.instants + 1);
    exact.y = calloc(numbers, sizeof *exact.y);
    t.y = calloc(numbers, sizeof *t.y);
    ifd_status status = scratch && exact.y && t.y ? reference(&x, scratch, &exact, out) : IFD_NO_MEMORY;
    if (status == IFD_OK && !find_scales(&x, &exact))
        status = IFD_NO_MEMORY;
    for (int k = 0; status == IFD_OK && k < levels; k++) {
        status = run_level(&x, 1 << k, &t);
        if (status == IFD_OK)
            compare(&x, k, &t, &exact);
    }
    free(exact.y);
    free(t.y);
    ifd_arena_close(scratch);
    return status == IFD_OK ? report(&x, out) : status;
}
