/* SPDX-License-Identifier: MIT */
/* The whole structure from its coupled substructures: the joint rows sum c u = 0 are solved for one dof each, u = T
 * z.
 *
 * Gauss-Jordan elimination with complete pivoting over the dofs in joints; every row is first scaled by its largest
 * coefficient. A row that vanishes depends on others and is omitted. Among equal pivots the last dof is eliminated,
 * so that the names of the earlier substructures remain. */
#include <interfield/analysis.h>
#include <math.h>
#include <string.h>

#include "model/build/derive.h"
#include "base/arena.h"
#include "model/equilibrium/release.h"
#include "model/gravity.h"

typedef struct assembling {
    ifd_arena *arena, *scratch;
    const ifd_couple_options *opt;
    int *first;      /* parts + 1: first dof of each substructure */
    int touched;     /* number of dofs in joints */
    int *dof;        /* touched: index over all substructures */
    int *pivot;      /* touched: row solved for this dof, -1 if it is kept */
    double *G;       /* rows x touched, by rows */
    double *u0, *v0; /* of the whole structure */
    ifd_note *note;
} assembling;

static ifd_status begin(assembling *a)
{
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(a->first, (size_t)a->opt->parts + 1)));
    for (int p = 0; p < a->opt->parts; p++)
        a->first[p + 1] = a->first[p] + a->opt->part[p].model->n;
    return IFD_OK;
}

/* The whole structure of models whose dofs are T z. number: index in z of each dof of the substructures, -1 if it has
 * none; NULL: the same. */
static ifd_status derive(assembling *a, const ifd_model **model, const int *number, int n, ifd__rows T,
                         ifd_model **whole)
{
    const ifd_couple_options *opt = a->opt;
    const char **name, **part;
    ifd_dof_kind *kind;
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(part, opt->parts)));
    IFD_TRY(
        IFD__TAKE(a->arena, IFD__ARRAY(name, n), IFD__ARRAY(kind, n), IFD__ARRAY(a->u0, n), IFD__ARRAY(a->v0, n)));
    for (int p = 0; p < opt->parts; p++) {
        const ifd_model *m = opt->part[p].model;
        part[p] = opt->part[p].name;
        for (int i = 0; i < m->n; i++) {
            int z = number ? number[a->first[p] + i] : a->first[p] + i;
            if (z < 0)
                continue;
            name[z] = *part[p] ? ifd_arena_print(a->arena, "%s.%s", part[p], m->dof_name[i]) : m->dof_name[i];
            if (!name[z])
                return IFD_NO_MEMORY;
            kind[z] = m->dof_kind[i];
            a->u0[z] = m->u0[i];
            a->v0[z] = m->v0[i];
        }
    }
    const ifd__derivation how = {.substructures = opt->parts,
                                 .substructure = model,
                                 .substructure_name = part,
                                 .T = T,
                                 .n = n,
                                 .dof_name = name,
                                 .dof_kind = kind,
                                 .u0 = a->u0,
                                 .v0 = a->v0};
    return ifd__model_derive(a->arena, &how, whole, a->note);
}

/* Rows of one entry each, with the coefficient 1. */
static ifd_status rows_of_one(ifd_arena *arena, int count, ifd__rows *T)
{
    IFD_TRY(ifd__rows_take(arena, count, (size_t)count, T));
    for (int i = 0; i < count; i++) {
        T->start[i + 1] = i + 1;
        T->column[i] = i;
        T->value[i] = 1.0;
    }
    return IFD_OK;
}

/* Substructure p with its linked supports released, in the order of links. */
static ifd_status release_part(const assembling *a, int p, const ifd_model **out)
{
    const ifd_rts_options *rts = a->opt->rts;
    const ifd_model *m = *out = a->opt->part[p].model;
    int count = 0, *support;
    ifd_model *copy, *released;
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(support, rts->links)));
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(copy, 1)));
    *copy = *m;
    for (int l = 0; l < rts->links; l++)
        if (rts->link[l].follower == p) {
            const ifd_rts_link *link = &rts->link[l];
            support[count++] = link->support;
            /* a chord is the same where the ground moves */
            IFD_TRY(ifd__model_share_ground(a->arena, copy, link->support,
                                            link->row ? IFD_DOF_DEFORMATION
                                                      : a->opt->part[link->leader].model->dof_kind[link->dof]));
        }
    if (!count)
        return IFD_OK;
    IFD_TRY(ifd__model_reaction_check(m, a->opt->part[p].name, a->note));
    IFD_TRY(ifd__model_release(a->arena, copy, count, support, &released));
    *out = released;
    return IFD_OK;
}

/* Memory for the rows of all dofs and linked supports. */
static ifd_status take_rows(const assembling *a, int n, ifd__rows *T)
{
    const ifd_rts_options *rts = a->opt->rts;
    size_t entries = (size_t)n;
    for (int l = 0; l < rts->links; l++)
        entries += rts->link[l].row ? (size_t)rts->link[l].row->count : 1;
    return ifd__rows_take(a->arena, n + rts->links, entries, T);
}

/* Row `at`: one dof, or those of a chord counted from `first`. */
static void put_row(ifd__rows *T, int at, int first, int count, const ifd_coordinate *row)
{
    T->start[at + 1] = T->start[at] + count;
    for (int k = 0; k < count; k++) {
        T->column[T->start[at] + k] = first + (row ? row->ref[k] : 0);
        T->value[T->start[at] + k] = row ? row->coefficient[k] : 1.0;
    }
}

/* The whole of a structure with substructures linked by coupling `rts`: a linked support becomes the dof that moves
 * it. */
static ifd_status assemble_links(assembling *a, ifd_assembly *out)
{
    const ifd_couple_options *opt = a->opt;
    for (int l = 0; l < opt->rts->links; l++) {
        const ifd_rts_link *link = &opt->rts->link[l];
        if (link->leader < 0 || link->leader >= opt->parts || link->follower < 0 || link->follower >= opt->parts ||
            link->dof < 0 || link->dof >= opt->part[link->leader].model->n || link->support < 0 ||
            link->support >= opt->part[link->follower].model->nsupport)
            return ifd_note_add(a->note, IFD_UNKNOWN_NAME, NULL,
                                "link '%s' refers to a dof or support that does not exist", link->name);
    }
    const ifd_model **model;
    ifd_model *whole;
    ifd__rows own, T;
    IFD_TRY(begin(a));
    int at = 0, n = a->first[opt->parts];
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(model, opt->parts)));
    IFD_TRY(rows_of_one(a->arena, n, &own));
    IFD_TRY(take_rows(a, n, &T));
    for (int p = 0; p < opt->parts; p++) { /* its dofs, then its released supports: the dofs that move them */
        IFD_TRY(release_part(a, p, &model[p]));
        for (int i = a->first[p]; i < a->first[p + 1]; i++)
            put_row(&T, at++, i, 1, NULL);
        for (int l = 0; l < opt->rts->links; l++)
            if (opt->rts->link[l].follower == p) {
                const ifd_rts_link *link = &opt->rts->link[l];
                int first = a->first[link->leader];
                put_row(&T, at++, first + (link->row ? 0 : link->dof), link->row ? link->row->count : 1, link->row);
            }
    }
    IFD_TRY(derive(a, model, NULL, n, T, &whole));
    *out = (ifd_assembly){.model = whole, .dofs = n, .start = own.start, .dof = own.column, .value = own.value};
    return IFD_OK;
}

static ifd_status check_terms(const ifd_couple_options *opt, ifd_note *note)
{
    for (int j = 0; j < opt->joints; j++)
        for (int k = 0; k < opt->joint[j].terms; k++) {
            const ifd_joint_term *t = &opt->joint[j].term[k];
            if (t->part < 0 || t->part >= opt->parts || t->dof < 0 || t->dof >= opt->part[t->part].model->n)
                return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "joint '%s' refers to a dof that does not exist",
                                    opt->joint[j].name);
        }
    return IFD_OK;
}

/* The dofs in joints, in order, and the rows over them. */
static bool collect(assembling *a)
{
    const ifd_couple_options *opt = a->opt;
    size_t dofs = (size_t)a->first[opt->parts];
    int *column = ifd_arena_array(a->scratch, dofs, sizeof *column);
    a->dof = ifd_arena_array(a->scratch, dofs, sizeof *a->dof);
    a->pivot = ifd_arena_array(a->scratch, dofs, sizeof *a->pivot);
    if (!column || !a->dof || !a->pivot)
        return false;
    for (int j = 0; j < opt->joints; j++)
        for (int k = 0; k < opt->joint[j].terms; k++)
            column[a->first[opt->joint[j].term[k].part] + opt->joint[j].term[k].dof] = 1;
    for (size_t i = 0; i < dofs; i++)
        if (column[i]) {
            a->pivot[a->touched] = -1;
            a->dof[a->touched] = (int)i;
            column[i] = a->touched++;
        }
    a->G = ifd_arena_array(a->scratch, (size_t)opt->joints * (size_t)a->touched, sizeof *a->G);
    for (int j = 0; a->G && j < opt->joints; j++)
        for (int k = 0; k < opt->joint[j].terms; k++) {
            const ifd_joint_term *t = &opt->joint[j].term[k];
            a->G[(size_t)j * (size_t)a->touched + (size_t)column[a->first[t->part] + t->dof]] += t->coefficient;
        }
    return a->G != NULL;
}

static void scale_rows(assembling *a)
{
    for (int j = 0; j < a->opt->joints; j++) {
        double *row = a->G + (size_t)j * (size_t)a->touched, most = 0.0;
        for (int c = 0; c < a->touched; c++)
            most = fmax(most, fabs(row[c]));
        for (int c = 0; c < a->touched && most > 0.0; c++)
            row[c] /= most;
    }
}

/* Largest entry of the unused rows; false if only round-off is left. */
static bool find_pivot(const assembling *a, const bool *used, int *row, int *column)
{
    double most = 1e-10;
    for (int j = 0; j < a->opt->joints; j++)
        for (int c = 0; c < a->touched && !used[j]; c++) {
            double x = fabs(a->G[(size_t)j * (size_t)a->touched + (size_t)c]);
            bool later = x == most && *column >= 0 && c > *column;
            if (x > most || later) {
                most = x;
                *row = j;
                *column = c;
            }
        }
    return most > 1e-10;
}

static ifd_status eliminate(assembling *a)
{
    size_t width = (size_t)a->touched;
    bool *used;
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(used, a->opt->joints)));
    scale_rows(a);
    for (int row = -1, column = -1; find_pivot(a, used, &row, &column); row = column = -1) {
        double *pivot = a->G + (size_t)row * width, inverse = 1.0 / pivot[column];
        used[row] = true;
        a->pivot[column] = row;
        for (size_t c = 0; c < width; c++)
            pivot[c] *= inverse;
        pivot[column] = 1.0;
        for (int j = 0; j < a->opt->joints; j++) {
            double *other = a->G + (size_t)j * width, factor = other[column];
            if (j == row || factor == 0.0)
                continue;
            for (size_t c = 0; c < width; c++)
                if (pivot[c] != 0.0) {
                    other[c] -= factor * pivot[c];
                    other[c] =
                        fabs(other[c]) < 1e-14 ? 0.0 : other[c]; /* rows are scaled to one: this is round-off */
                }
            other[column] = 0.0;
        }
    }
    return IFD_OK;
}

/* number[i]: index of dof i in z, -1 if a joint determines it. */
static void number_kept(const assembling *a, int *number, int *n)
{
    int dofs = a->first[a->opt->parts];
    *n = 0;
    memset(number, 0, sizeof *number * (size_t)dofs);
    for (int c = 0; c < a->touched; c++)
        number[a->dof[c]] = a->pivot[c] >= 0 ? -1 : 0;
    for (int i = 0; i < dofs; i++)
        number[i] = number[i] < 0 ? -1 : (*n)++;
}

static ifd_status fill_map(const assembling *a, const int *number, ifd__rows *T)
{
    int dofs = a->first[a->opt->parts], entries = dofs, at = 0, next = 0;
    for (int c = 0; c < a->touched; c++)
        for (int d = 0; d < a->touched && a->pivot[c] >= 0; d++)
            entries += a->G[(size_t)a->pivot[c] * (size_t)a->touched + (size_t)d] != 0.0;
    IFD_TRY(ifd__rows_take(a->arena, dofs, (size_t)entries, T));
    for (int i = 0; i < dofs; i++) {
        int c = next < a->touched && a->dof[next] == i ? next++ : -1;
        const double *row = c >= 0 && a->pivot[c] >= 0 ? a->G + (size_t)a->pivot[c] * (size_t)a->touched : NULL;
        for (int d = 0; row && d < a->touched; d++)
            if (d != c && row[d] != 0.0) {
                T->column[at] = number[a->dof[d]];
                T->value[at++] = -row[d];
            }
        if (!row) {
            T->column[at] = number[i];
            T->value[at++] = 1.0;
        }
        T->start[i + 1] = at;
    }
    return IFD_OK;
}

/* z of initial displacements or velocities: those of the kept dofs. If substructures may disagree, the nearest values
 * in the metric of the mass, M z = T^T M_p u_p. */
static ifd_status project_start(const assembling *a, const ifd__rows *T, const ifd_model *whole, bool velocity,
                                double *z)
{
    const ifd_couple_options *opt = a->opt;
    double *w, *y;
    const ifd_solver *mass;
    IFD_TRY(ifd__model_mass(a->scratch, whole, &mass, NULL));
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(w, ifd__solver_work(mass)), IFD__ARRAY(y, a->first[opt->parts])));
    memset(z, 0, sizeof *z * (size_t)whole->n);
    for (int p = 0; p < opt->parts; p++) {
        const ifd_model *m = opt->part[p].model;
        ifd__sparse_mul_add(&m->M, 1.0, velocity ? m->v0 : m->u0, y + a->first[p]);
    }
    for (int i = 0; i < T->count; i++)
        for (int k = T->start[i]; k < T->start[i + 1]; k++)
            z[T->column[k]] += T->value[k] * y[i];
    ifd__solver_solve(mass, z, w);
    return IFD_OK;
}

static ifd_status build(assembling *a, const int *number, int n, ifd__rows T, ifd_assembly *out)
{
    const ifd_model **model;
    ifd_model *whole;
    IFD_TRY(IFD__TAKE(a->scratch, IFD__ARRAY(model, a->opt->parts)));
    for (int p = 0; p < a->opt->parts; p++)
        model[p] = a->opt->part[p].model;
    IFD_TRY(derive(a, model, number, n, T, &whole));
    if (a->opt->project_start) {
        IFD_TRY(project_start(a, &T, whole, false, a->u0));
        IFD_TRY(project_start(a, &T, whole, true, a->v0));
    }
    *out = (ifd_assembly){.model = whole, .dofs = T.count, .start = T.start, .dof = T.column, .value = T.value};
    return IFD_OK;
}

ifd_status ifd_couple_assemble(ifd_arena *arena, const ifd_couple_options *opt, ifd_assembly *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    assembling a = {.arena = arena, .scratch = scratch, .opt = opt, .note = note};
    if (opt->rts && opt->rts->links)
        return assemble_links(&a, out);
    IFD_TRY(check_terms(opt, note));
    IFD_TRY(begin(&a));
    if (!collect(&a))
        return IFD_NO_MEMORY;
    IFD_TRY(eliminate(&a));
    int n, *number;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(number, (size_t)a.first[opt->parts])));
    number_kept(&a, number, &n);
    ifd__rows T;
    IFD_TRY(fill_map(&a, number, &T));
    return build(&a, number, n, T, out);
}

void ifd_assembly_expand(const ifd_assembly *a, const double *z, double *u)
{
    for (int i = 0; i < a->dofs; i++) {
        u[i] = 0.0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            u[i] += a->value[k] * z[a->dof[k]];
    }
}
