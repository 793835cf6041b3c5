/* SPDX-License-Identifier: MIT */
/* Gives elements their coordinates and their mass while a model is made. */
#include "model/build/attach.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

static const ifd__attached *attached(const ifd_builder *b, int e)
{
    return &IFD__AT(b->element, ifd__attached, e);
}

static bool inertial(const ifd__attached *a)
{
    return (a->element.ops->flags & IFD_ELEMENT_INERTIAL) != 0;
}

static double start_of(const ifd_builder *b, int ref)
{
    double motion[3] = {0.0};
    if (ref >= 0)
        return IFD__AT(b->dof, ifd__dof, ref).u0;
    if (ref != IFD_GROUND)
        ifd_signal_eval(IFD__AT(b->support, ifd__support, -2 - ref).signal, 0.0, motion);
    return motion[0];
}

static void start_mass(const ifd_builder *b, const ifd__attached *a, const double *s, double *m)
{
    double q[IFD__INERTIAL_COORDINATES] = {0.0}, zero[IFD__INERTIAL_COORDINATES] = {0.0};
    for (int c = 0; c < a->element.nq; c++)
        for (int k = a->start[c]; k < a->start[c + 1]; k++)
            q[c] += a->coefficient[k] * start_of(b, a->ref[k]);
    ifd_element_in in = {.q = q, .qd = zero, .qdd = zero, .s = s};
    ifd_element_out out = {.m = m};
    a->element.ops->eval(&a->element, &in, &out);
}

ifd_status ifd__start_mass_make(ifd_arena *arena, const ifd_builder *b, ifd__start_mass *out)
{
    int ne = b->element.count, most = 0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->mm_of, (size_t)ne + 1)));
    for (int e = 0; e < ne; e++) {
        const ifd_element *element = &attached(b, e)->element;
        out->mm_of[e + 1] = out->mm_of[e] + element->nq * element->nq;
        most = element->ns > most ? element->ns : most;
    }
    double *zero;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->m, out->mm_of[ne]), IFD__ARRAY(zero, most)));
    for (int e = 0; e < ne; e++) {
        const ifd__attached *a = attached(b, e);
        if (inertial(a))
            start_mass(b, a, a->element.s0 ? a->element.s0 : zero, out->m + out->mm_of[e]);
    }
    return IFD_OK;
}

void ifd__start_mass_mark(const ifd_builder *b, const ifd__start_mass *mass, bool *has)
{
    for (int e = 0; e < b->element.count; e++) {
        const ifd__attached *a = attached(b, e);
        for (int c = 0; c < a->element.nq; c++)
            for (int k = a->start[c]; k < a->start[c + 1]; k++)
                if (a->ref[k] >= 0 && a->coefficient[k] != 0.0 &&
                    mass->m[mass->mm_of[e] + c * (a->element.nq + 1)] > 0.0)
                    has[a->ref[k]] = true;
    }
}

static const char *what_to_do(ifd_status code)
{
    return code == IFD_MASSLESS ? "give this dof mass" : "keep this dof";
}

ifd_status ifd__refuse_slaves(const ifd_builder *b, const ifd__system *s, const bool *slave, ifd_status code,
                              const char *why, ifd_note *note)
{
    const char *subject = code == IFD_MASSLESS ? "mass" : "condense";
    ifd_status found = IFD_OK;
    for (int i = 0; i < s->n; i++) {
        const ifd__dof *dof = &IFD__AT(b->dof, ifd__dof, s->dof[i]);
        if (!slave[i])
            continue;
        if (dof->u0 != 0.0 && code != IFD_MASSLESS) /* it is not yet known which of these have a state */
            ifd_note_remark(note, NULL, "dof '%s' %s: its initial displacement follows from the others", dof->name,
                            why);
        if (dof->v0 != 0.0) {
            found = ifd_note_about(note, code, subject, "dof '%s' %s and cannot have an initial velocity", dof->name,
                                   why);
            ifd_note_hint(note, "%s", what_to_do(code));
        }
        for (int e = 0; e < b->element.count; e++) {
            const ifd__attached *a = attached(b, e);
            bool acts = false;
            for (int k = 0; k < a->start[a->element.nq]; k++)
                acts = acts || (a->ref[k] == s->dof[i] && a->coefficient[k] != 0.0);
            if (!acts)
                continue;
            found = ifd_note_about(note, code, subject, "dof '%s' %s, but element '%s' (%s) acts on it", dof->name,
                                   why, a->element.name, a->element.ops->name);
            ifd_note_hint(
                note, "%s%s", what_to_do(code),
                code != IFD_MASSLESS ? ""
                : a->element.ops->flags & IFD_ELEMENT_FIBRES
                    ? ", for example by 'mass: consistent', or use the method lsrt1 or lsrt2, which needs none"
                    : ", or use an element 'maxwell' for a spring and a dashpot in series");
        }
    }
    return found;
}

static ifd_status make_offsets(ifd_arena *arena, const ifd_builder *b, const ifd__start_mass *mass, ifd_model *m)
{
    int ne = b->element.count;
    ifd_element *element;
    const ifd_value **values;
    int *q_of, *s_of, *mm_of;
    double *m0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(element, ne), IFD__ARRAY(values, ne), IFD__ARRAY(q_of, (size_t)ne + 1),
                      IFD__ARRAY(s_of, (size_t)ne + 1), IFD__ARRAY(mm_of, (size_t)ne + 1),
                      IFD__ARRAY(m0, mass->mm_of[ne])));
    for (int e = 0; e < ne; e++) {
        element[e] = attached(b, e)->element;
        values[e] = attached(b, e)->values;
        q_of[e + 1] = q_of[e] + element[e].nq;
        s_of[e + 1] = s_of[e] + element[e].ns;
        mm_of[e + 1] = mass->mm_of[e + 1];
        m->inertial = m->inertial || inertial(attached(b, e));
        for (int c = 0; c < element[e].nq; c++)
            m0[mm_of[e] + c * (element[e].nq + 1)] = mass->m[mm_of[e] + c * (element[e].nq + 1)];
    }
    double *s0, *origin = NULL;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, (size_t)s_of[ne])));
    for (int e = 0; e < ne; e++) {
        if (attached(b, e)->later && !origin)
            IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(origin, q_of[ne])));
        for (int c = q_of[e]; attached(b, e)->later && c < q_of[e + 1]; c++)
            origin[c] = NAN;
    }
    for (int e = 0; e < ne; e++)
        if (element[e].s0 && element[e].ns)
            memcpy(s0 + s_of[e], element[e].s0, (size_t)element[e].ns * sizeof *s0);
    m->ne = ne;
    m->nq = q_of[ne];
    m->ns = s_of[ne];
    m->element = element;
    m->values = values;
    m->q_of = q_of;
    m->s_of = s_of;
    m->mm_of = mm_of;
    m->m0 = m0;
    m->s0 = s0;
    m->origin = origin;
    return IFD_OK;
}

ifd_status ifd__coordinates_begin(ifd_arena *arena, int nq, ifd__coordinates *out)
{
    ifd__triplets none = {.arena = arena};
    *out = (ifd__coordinates){.dof = none, .support = none};
    return IFD__TAKE(arena, IFD__ARRAY(out->dof_start, (size_t)nq + 1),
                     IFD__ARRAY(out->support_start, (size_t)nq + 1), IFD__ARRAY(out->dof.row, 0),
                     IFD__ARRAY(out->dof.value, 0), IFD__ARRAY(out->support.row, 0),
                     IFD__ARRAY(out->support.value, 0));
}

void ifd__coordinate_end(ifd__coordinates *c)
{
    c->dof_start[++c->count] = c->dof.count;
    c->support_start[c->count] = c->support.count;
}

ifd_status ifd__coordinates_give(const ifd__coordinates *c, ifd_model *m)
{
    m->b_start = c->dof_start;
    m->b_dof = c->dof.row;
    m->b_value = c->dof.value;
    m->bs_start = c->support_start;
    m->bs_support = c->support.row;
    m->bs_value = c->support.value;
    return c->dof.failed || c->support.failed ? IFD_NO_MEMORY : IFD_OK;
}

/* number: index in the system of each dof of the builder. */
static ifd_status make_coordinates(ifd_arena *arena, const ifd_builder *b, const int *number, ifd_model *m)
{
    ifd__coordinates list;
    IFD_TRY(ifd__coordinates_begin(arena, m->nq, &list));
    for (int e = 0; e < m->ne; e++)
        for (int c = 0; c < m->element[e].nq; c++) {
            const ifd__attached *a = attached(b, e);
            for (int k = a->start[c]; k < a->start[c + 1]; k++)
                if (a->ref[k] >= 0 && a->coefficient[k] != 0.0)
                    ifd__triplet(&list.dof, number[a->ref[k]], 0, a->coefficient[k]);
                else if (a->ref[k] < IFD_GROUND)
                    ifd__triplet(&list.support, -2 - a->ref[k], 0, a->coefficient[k]);
            ifd__coordinate_end(&list);
        }
    return ifd__coordinates_give(&list, m);
}

static ifd_status make_ground(ifd_arena *arena, const ifd_builder *b, ifd_model *m)
{
    double *q[3];
    for (int d = 0; d < 3; d++) {
        m->ground[d].q = q[d] = ifd_arena_array(arena, (size_t)m->nq, sizeof *q[d]);
        if (!q[d])
            return IFD_NO_MEMORY;
        for (int c = 0; c < m->nq; c++)
            for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
                if ((int)m->dof_kind[m->b_dof[k]] == d)
                    q[d][c] += m->b_value[k];
    }
    for (int e = 0; e < m->ne; e++)
        for (int i = 0; i < 3 * m->element[e].nq; i++)
            q[i % 3][m->q_of[e] + i / 3] += attached(b, e)->share ? attached(b, e)->share[i] : 0.0;
    return IFD_OK;
}

ifd_status ifd__attach(ifd_arena *arena, const ifd_builder *b, const ifd__system *s, const ifd__start_mass *mass,
                       ifd_model *m)
{
    int *number;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(number, b->dof.count)));
    for (int i = 0; i < s->n; i++)
        number[s->dof[i]] = i;
    IFD_TRY(make_offsets(arena, b, mass, m));
    IFD_TRY(make_coordinates(arena, b, number, m));
    return make_ground(arena, b, m);
}

/* Appends B m B^T of element e. */
static void put_element(const ifd_model *m, int e, const double *mm, ifd__triplets *t)
{
    int nq = m->element[e].nq;
    for (int d = 0; d < nq; d++)
        for (int c = 0; c < nq; c++)
            for (int k = m->b_start[m->q_of[e] + c]; k < m->b_start[m->q_of[e] + c + 1]; k++)
                for (int l = m->b_start[m->q_of[e] + d]; l < m->b_start[m->q_of[e] + d + 1]; l++)
                    ifd__triplet(t, m->b_dof[k], m->b_dof[l], m->b_value[k] * mm[c + d * nq] * m->b_value[l]);
}

ifd_status ifd__mass_with_elements(ifd_arena *arena, ifd_arena *scratch, const ifd__system *s, const ifd_model *m,
                                   const double *block, ifd_sparse *out)
{
    ifd__triplets t = {.arena = scratch};
    ifd__triplet_columns(&t, 0, s->n, 1.0, &s->A[IFD_MASS]);
    for (int e = 0; e < m->ne; e++)
        put_element(m, e, block + m->mm_of[e], &t);
    return ifd__sparse_make(arena, s->n, &t, true, out);
}
