/* SPDX-License-Identifier: MIT */
/* Chords: the elongation of the line between two nodes of a frame, or between a point of the ground and a node,
 *
 *     X = x_b - x_a,      L0 = |X|,      n = X/L0,      q = n . (u_b - u_a)
 *
 * as a sum over their translations. It does not change when both ends are exchanged, nor when the ground
 * translates. */
#include <math.h>
#include <string.h>

#include "case/element.h"
#include "model/build/builder.h"
#include "model/build/frame.h"

enum { AXES = 3, TERMS = 2 * AXES };

static const double shortest = 1e-6;  /* of the size of the frame */
static const double parallel = 1e-12; /* smaller components of n are errors of rounding */

/* One end: a node, or a point of the ground. */
typedef struct end {
    int node; /* -1: a point */
    double x[AXES];
    const char *name;
} end;

static int find_node(const ifd__model_read *m, const char *name)
{
    size_t own = m->part ? strlen(m->part) : 0;
    if (own && strncmp(name, m->part, own) == 0 && name[own] == '.')
        name += own + 1;
    for (int i = 0; m->frame && i < m->frame->nodes; i++)
        if (strcmp(m->frame->node[i].name, name) == 0)
            return i;
    return -1;
}

bool ifd__is_node(const ifd__model_read *m, const char *name)
{
    int ref;
    return !(m->b && ifd_builder_find(m->b, name, &ref)) && find_node(m, name) >= 0;
}

bool ifd__is_chord(const ifd__model_read *m, const ifd__node *between)
{
    if (!between || between->kind != IFD__SEQUENCE || between->count != 2)
        return false;
    const ifd__node *a = between->first, *b = between->last;
    bool points = (a->kind == IFD__SEQUENCE) != (b->kind == IFD__SEQUENCE);
    return points || (a->kind == IFD__SCALAR && b->kind == IFD__SCALAR &&
                      (ifd__is_node(m, a->text) || ifd__is_node(m, b->text)));
}

bool ifd__has_chord(const ifd__model_read *m, const ifd__node *between)
{
    bool has = ifd__is_chord(m, between);
    for (const ifd__node *n = between->first; n && has; n = n->next) {
        int node = n->kind == IFD__SCALAR ? find_node(m, n->text) : -1;
        has = node >= 0 || n->kind == IFD__SEQUENCE;
        for (int d = 0; d < (m->frame->planar ? 2 : AXES) && node >= 0; d++)
            has = has && ifd__frame_ref(m->b, m->frame, node, d) != IFD__NOWHERE;
    }
    return has;
}

static end end_at(const ifd__model_read *m, int node)
{
    const ifd_frame_node *at = &m->frame->node[node];
    return (end){node, {at->x, at->y, at->z}, at->name};
}

/* The other end is a node or a point: this one is meant to be a node. */
static bool unknown_node(const ifd__model_read *m, const char *name, const ifd_place *place)
{
    const char **known = ifd_arena_array(m->arena, (size_t)m->frame->nodes, sizeof *known);
    if (!ifd__unknown_name(m, name) || !ifd__in_memory(m->r, known))
        return false;
    for (int i = 0; i < m->frame->nodes; i++)
        known[i] = m->frame->node[i].name;
    ifd_note_add(m->note, IFD_UNKNOWN_NAME, place, "no node has the name '%s'", name);
    ifd_choice_hint(m->note, ifd__join(m->arena, m->frame->nodes, known), name);
    return false;
}

/* A node, with `other` as the other end in messages. */
static bool named_end(const ifd__model_read *m, const char *what, const char *name, const char *other,
                      const ifd_place *place, end *out)
{
    int ref, node = ifd__is_node(m, name) ? find_node(m, name) : -1;
    if (node >= 0) {
        *out = end_at(m, node);
        return true;
    }
    if (!ifd_builder_find(m->b, name, &ref))
        return m->frame ? unknown_node(m, name, place) : ifd__find_ref(m, name, place, IFD__REF_ANY, &ref) && false;
    const char *kind = ref >= 0 ? "dof" : "support";
    const char *found = ref == IFD_GROUND ? "the ground" : ifd_arena_print(m->arena, "the %s '%s'", kind, name);
    ifd_note_add(m->note, IFD_CONFLICT, place, "%s connects %s and %s: expected two nodes, or two dofs", what, found,
                 other);
    ifd_note_hint(m->note, ref == IFD_GROUND ? "give a point of the ground: [0 m, 0 m%s]" : "a dof of a node: %s",
                  ref == IFD_GROUND ? (m->frame && !m->frame->planar ? ", 0 m" : "") : "'NODE.x'");
    return false;
}

static bool point_end(const ifd__model_read *m, const char *what, const ifd__node *node, end *out)
{
    const double *at = NULL;
    int count = 0, size = m->frame->planar ? 2 : AXES;
    if (ifd__yaml_list(m->arena, node, IFD_DIM_LENGTH, &at, &count, m->note) != IFD_OK)
        return false;
    *out = (end){.node = -1};
    for (int d = 0; d < count && d < AXES; d++)
        out->x[d] = at[d];
    if (count == size)
        return true;
    ifd_note_add(m->note, IFD_SHAPE, &node->place, "%s begins at a point of %d coordinates; expected %d", what, count,
                 size);
    return false;
}

static double size_of(const ifd_frame *f)
{
    double far = (double)INFINITY, low[AXES] = {far, far, far}, high[AXES] = {-far, -far, -far};
    for (int i = 0; i < f->nodes; i++) {
        const double x[AXES] = {f->node[i].x, f->node[i].y, f->node[i].z};
        for (int d = 0; d < AXES; d++) {
            low[d] = fmin(low[d], x[d]);
            high[d] = fmax(high[d], x[d]);
        }
    }
    return hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

/* Along one direction: the difference of two dofs, in the order in which it is the elongation. */
static bool as_pair(ifd__chord *c, const int *ref, const double *coefficient)
{
    int to = coefficient[0] > 0.0 ? ref[0] : ref[1], from = coefficient[0] > 0.0 ? ref[1] : ref[0];
    const int ground = IFD__GROUND_ALONG(IFD_DOF_Z);
    c->to = to > ground ? to : IFD_GROUND;
    c->from = from > ground ? from : IFD_GROUND;
    return c->to >= 0 || (c->to == IFD_GROUND && c->from >= 0);
}

/* The terms along the directions that n has; false if no dof is among them. */
static bool find_row(const ifd__model_read *m, const end e[2], const double *n, ifd__chord *out)
{
    int *ref = ifd_arena_array(m->arena, TERMS, sizeof *ref), count = 0, dof = -1;
    double *coefficient = ifd_arena_array(m->arena, TERMS, sizeof *coefficient), most = 0.0;
    if (!ref || !coefficient)
        return false;
    for (int d = 0; d < AXES; d++)
        for (int i = 1; i >= 0 && n[d] != 0.0; i--, count++) {
            ref[count] = e[i].node < 0 ? IFD__GROUND_ALONG(d) : ifd__frame_ref(m->b, m->frame, e[i].node, d);
            coefficient[count] = i ? n[d] : -n[d];
            if (ref[count] >= 0 && fabs(n[d]) > most) {
                dof = ref[count];
                most = fabs(n[d]);
            }
        }
    out->row = (ifd_coordinate){count, ref, coefficient};
    out->from = IFD_GROUND;
    out->to = dof;
    if (count != 2 || dof < 0)
        return dof >= 0;
    ifd__chord pair = *out;
    if (as_pair(&pair, ref, coefficient)) {
        *out = pair;
        out->row.count = 0;
    }
    return true;
}

static bool find_chord(const ifd__model_read *m, const char *what, const end e[2], const ifd_place *place,
                       ifd__chord *out)
{
    double n[AXES], L = 0.0;
    for (int d = 0; d < AXES; d++) {
        n[d] = d < 2 || !m->frame->planar ? e[1].x[d] - e[0].x[d] : 0.0;
        L += n[d] * n[d];
    }
    L = sqrt(L);
    *out = (ifd__chord){.length = L, .end = {e[0].name, e[1].name}};
    for (int d = 0; d < AXES; d++) {
        out->X[d] = n[d];
        out->at[0][d] = e[0].x[d];
        out->at[1][d] = e[1].x[d];
    }
    const char *const a = e[0].name ? e[0].name : "a point of the ground", *const b = e[1].name ? e[1].name : a;
    if (!(L >= shortest * size_of(m->frame)) || !isfinite(L)) {
        ifd_note_add(m->note, IFD_RANGE, place,
                     "%s: the chord from %s to %s has a length of %g m; expected at least %g m", what, a, b, L,
                     shortest * size_of(m->frame));
        return false;
    }
    for (int d = 0; d < AXES; d++)
        n[d] = fabs(n[d]) > parallel * L ? n[d] / L : 0.0;
    if (find_row(m, e, n, out))
        return true;
    ifd_note_add(m->note, IFD_CONFLICT, place,
                 "%s: both ends of the chord from %s to %s are fixed along it: expected a node that can move", what,
                 a, b);
    return false;
}

bool ifd__node_chord(const ifd__model_read *m, const char *what, const char *const name[2], const ifd_place *place,
                     ifd__chord *out)
{
    end e[2];
    for (int i = 0; i < 2; i++)
        if (!named_end(m, what, name[i], ifd_arena_print(m->arena, "the node '%s'", name[1 - i]), place, &e[i]))
            return false;
    if (e[0].node != e[1].node)
        return find_chord(m, what, e, place, out);
    ifd_note_add(m->note, IFD_CONFLICT, place, "%s connects '%s' with itself", what, name[0]);
    return false;
}

bool ifd__read_chord(const ifd__model_read *m, const char *what, const ifd__node *between, ifd__chord *out)
{
    const ifd__node *const node[2] = {between->first, between->last};
    const char *const name[2] = {node[0]->text, node[1]->text};
    end e[2];
    if (node[0]->kind == IFD__SCALAR && node[1]->kind == IFD__SCALAR)
        return ifd__node_chord(m, what, name, &between->place, out);
    if (!m->frame) {
        if (!m->nameless)
            ifd_note_add(m->note, IFD_CONFLICT, &between->place,
                         "%s begins at a point, but its model has no frame: expected two dofs", what);
        return false;
    }
    for (int i = 0; i < 2; i++)
        if (!(node[i]->kind == IFD__SCALAR
                  ? named_end(m, what, name[i], "a point of the ground", &node[i]->place, &e[i])
                  : point_end(m, what, node[i], &e[i])))
            return false;
    return find_chord(m, what, e, &between->place, out);
}

int ifd__chord_axes(const ifd__model_read *m, const ifd__node *between, ifd_coordinate *q)
{
    static const double one[2] = {1.0, -1.0};
    int axes = m->frame->planar ? 2 : AXES, *ref = ifd_arena_array(m->arena, 2 * AXES, sizeof *ref);
    if (!ifd__in_memory(m->r, ref))
        return 0;
    for (int d = 0; d < axes; d++) {
        const ifd__node *const ends[2] = {between->last, between->first};
        for (int i = 0; i < 2; i++) {
            int node = ends[i]->kind == IFD__SCALAR ? find_node(m, ends[i]->text) : -1;
            ref[2 * d + i] = node < 0 ? IFD__GROUND_ALONG(d) : ifd__frame_ref(m->b, m->frame, node, d);
        }
        q[d] = (ifd_coordinate){2, ref + 2 * d, one};
    }
    return axes;
}

const ifd_coordinate *ifd__chord_row(const ifd__model_read *m, const ifd__chord *c)
{
    ifd_coordinate *row = ifd_arena_take(m->arena, sizeof *row);
    int *ref = ifd_arena_array(m->arena, (size_t)c->row.count, sizeof *ref);
    double *coefficient = ifd_arena_array(m->arena, (size_t)c->row.count, sizeof *coefficient);
    if (!c->row.count || !ifd__in_memory(m->r, row && ref && coefficient))
        return NULL;
    for (int k = 0; k < c->row.count; k++)
        if (c->row.ref[k] > IFD__GROUND_ALONG(IFD_DOF_Z)) {
            ref[row->count] = c->row.ref[k];
            coefficient[row->count++] = c->row.coefficient[k];
        }
    row->ref = ref;
    row->coefficient = coefficient;
    return row;
}

static const char *name_of(const ifd__model_read *m, int ref)
{
    return ref > IFD__GROUND_ALONG(IFD_DOF_Z) && ref != IFD_GROUND ? ifd__builder_name(m->b, ref) : NULL;
}

/* The dofs and supports of a chord by name, with their coefficients; their number. */
static int terms_of(const ifd__model_read *m, const ifd__chord *c, const char ***term, double **coefficient)
{
    const int pair[2] = {c->to, c->from}, *ref = c->row.count ? c->row.ref : pair;
    const double one[2] = {1.0, -1.0}, *value = c->row.count ? c->row.coefficient : one;
    int terms = 0;
    *term = ifd_arena_array(m->arena, TERMS, sizeof **term);
    *coefficient = ifd_arena_array(m->arena, TERMS, sizeof **coefficient);
    for (int k = 0; *term && *coefficient && k < (c->row.count ? c->row.count : 2); k++)
        if (name_of(m, ref[k])) {
            (*term)[terms] = name_of(m, ref[k]);
            (*coefficient)[terms++] = value[k];
        }
    return ifd__in_memory(m->r, *term && *coefficient) ? terms : 0;
}

/* "0.8 c.x - 0.6 a.y" */
static const char *row_text(ifd_arena *arena, const ifd_case_chord *c)
{
    const char *text = "";
    for (int k = 0; k < c->terms && text; k++) {
        double value = fabs(c->coefficient[k]);
        const char *sign = c->coefficient[k] < 0.0 ? (*text ? " - " : "-") : *text ? " + " : "";
        text = value == 1.0 ? ifd_arena_print(arena, "%s%s%s", text, sign, c->term[k])
                            : ifd_arena_print(arena, "%s%s%.9g %s", text, sign, value, c->term[k]);
    }
    return text;
}

const double *ifd__keep_chord(const ifd__model_read *m, const char *name, const ifd__chord *c)
{
    ifd_case_chord *kept = ifd_arena_take(m->arena, sizeof *kept);
    const char **term;
    double *coefficient;
    int terms = terms_of(m, c, &term, &coefficient);
    if (!ifd__in_memory(m->r, kept))
        return NULL;
    *kept = (ifd_case_chord){.next = m->r->c->chord,
                             .part = m->part,
                             .name = name,
                             .from = c->end[0],
                             .to = c->end[1],
                             .length = c->length,
                             .terms = terms,
                             .term = term,
                             .coefficient = coefficient,
                             .loaded = c->loaded,
                             .place = c->place};
    memcpy(kept->at, c->at, sizeof kept->at);
    kept->row = row_text(m->arena, kept);
    if (!ifd__in_memory(m->r, kept->row))
        return NULL;
    m->r->c->chord = kept;
    return c->loaded ? &kept->start : NULL;
}

void ifd__chord_drift(const ifd__model_read *m, const ifd__chord *c, ifd_storey_drift *d)
{
    const char **term;
    double *coefficient;
    d->terms = terms_of(m, c, &term, &coefficient);
    d->term = term;
    d->coefficient = coefficient;
}
