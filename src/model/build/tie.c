/* SPDX-License-Identifier: MIT */
/* Ties u = T z, by substitution: a master may itself be a slave. The matrices become T^T A T before anything else uses
 * them, loads act through T^T, and the coordinates of elements are sums over masters. */
#include "model/build/making.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { FREE, ON_PATH, DONE, NAMES_OF_CYCLE = 4 };

typedef struct tying {
    ifd__making *k;
    const ifd_builder *b;
    int *tie;           /* by dof: its tie, -1: none */
    char *state;        /* by dof: FREE, ON_PATH, DONE */
    int *path;          /* slaves whose rows wait for those of their masters */
    int *from, *to;     /* by slave: its row among the terms */
    ifd__triplets term; /* columns are dofs of the builder */
    double *sum;        /* dense row, with the list of its entries */
    bool *in;
    int *at, count;
} tying;

void ifd_builder_tie(ifd_builder *b, const ifd_tie *tie)
{
    if (ifd__builder_failed(b))
        return;
    ifd_tie own = *tie;
    own.name = ifd_arena_text(b->arena, tie->name ? tie->name : ifd_builder_dof_name(b, tie->slave));
    own.of.ref = ifd__arena_copy(b->arena, tie->of.ref, tie->of.count, sizeof *tie->of.ref);
    own.of.coefficient = ifd__arena_copy(b->arena, tie->of.coefficient, tie->of.count, sizeof(double));
    ifd_tie *to = own.name && own.of.ref && own.of.coefficient ? ifd__builder_push(b, &b->tie, sizeof *to) : NULL;
    b->failed = !to;
    if (to)
        *to = own;
}

static const ifd_tie *tie_of(const tying *t, int dof)
{
    return &IFD__AT(t->b->tie, ifd_tie, t->tie[dof]);
}

/* "tie 'b.x = c.x' in line 12" */
static const char *described(const tying *t, const ifd_tie *tie)
{
    const char *text = tie->place.file
                           ? ifd_arena_print(t->k->arena, "tie '%s' in line %d", tie->name, tie->place.line)
                           : ifd_arena_print(t->k->arena, "tie '%s'", tie->name);
    return text ? text : "";
}

static ifd_status check_tie(const tying *t, const ifd_tie *tie)
{
    const ifd__dof *dof = &IFD__AT(t->b->dof, ifd__dof, tie->slave);
    ifd_note *note = t->k->note;
    if (t->tie[tie->slave] >= 0)
        return ifd_note_add(note, IFD_CONFLICT, &tie->place, "'%s' is the slave of two ties: of %s and of %s",
                            dof->name, described(t, tie), described(t, tie_of(t, tie->slave)));
    for (int i = 0; i < tie->of.count; i++)
        if (!isfinite(tie->of.coefficient[i]))
            return ifd_note_add(note, IFD_NOT_FINITE, &tie->place, "a coefficient of tie '%s' is not a finite number",
                                tie->name);
    if (dof->given || dof->u0 != 0.0 || dof->v0 != 0.0)
        return ifd_note_add(note, IFD_CONFLICT, &tie->place,
                            "'%s' is the slave of a tie: its initial state follows from its masters", dof->name);
    for (int i = 0; i < t->b->nkeep; i++)
        if (t->b->keep[i] == tie->slave)
            return ifd_note_about(note, IFD_CONFLICT, "condense", "'keep' has '%s', which is the slave of %s",
                                  dof->name, described(t, tie));
    return IFD_OK;
}

/* The slaves on the path from `dof` to its end depend on each other. */
static ifd_status refuse_cycle(const tying *t, int dof, int depth)
{
    int first = 0;
    const char *text = "", *name = ifd_builder_dof_name(t->b, dof);
    while (t->path[first] != dof)
        first++;
    for (int i = first; i < depth && i < first + NAMES_OF_CYCLE && text; i++)
        text = ifd_arena_print(t->k->arena, "%s'%s' (%s) needs ", text, ifd_builder_dof_name(t->b, t->path[i]),
                               described(t, tie_of(t, t->path[i])));
    return ifd_note_add(t->k->note, IFD_CONFLICT, &tie_of(t, dof)->place, "ties depend on each other: %s%s'%s'",
                        text ? text : "", depth - first > NAMES_OF_CYCLE ? "further ones, and in the end " : "",
                        name);
}

static void accumulate(tying *t, int dof, double value)
{
    if (!t->in[dof]) {
        t->in[dof] = true;
        t->at[t->count++] = dof;
    }
    t->sum[dof] += value;
}

/* value times the displacement of a dof, by masters. */
static void accumulate_row(tying *t, int dof, double value)
{
    if (t->tie[dof] < 0)
        accumulate(t, dof, value);
    for (int l = t->from[dof]; l < t->to[dof]; l++)
        accumulate(t, t->term.column[l], value * t->term.value[l]);
}

/* Ends the sum with its entries that are not zero, in the order of the dofs that came. */
static void flush(tying *t, ifd__triplets *out)
{
    for (int i = 0; i < t->count; i++) {
        int dof = t->at[i];
        if (t->sum[dof] != 0.0)
            ifd__triplet(out, 0, dof, t->sum[dof]);
        t->sum[dof] = 0.0;
        t->in[dof] = false;
    }
    t->count = 0;
}

static void make_row(tying *t, int dof)
{
    const ifd_coordinate *of = &tie_of(t, dof)->of;
    for (int i = 0; i < of->count; i++)
        accumulate_row(t, of->ref[i], of->coefficient[i]);
    t->from[dof] = t->term.count;
    flush(t, &t->term);
    t->to[dof] = t->term.count;
    t->state[dof] = DONE;
}

/* A slave on the right side of the tie of `dof` that has no row yet; -1: none. */
static int waiting(const tying *t, int dof)
{
    const ifd_coordinate *of = &tie_of(t, dof)->of;
    for (int i = 0; i < of->count; i++)
        if (t->tie[of->ref[i]] >= 0 && t->state[of->ref[i]] != DONE)
            return of->ref[i];
    return -1;
}

static ifd_status substitute(tying *t, int dof)
{
    int depth = 0;
    for (int next = dof; depth > 0 || next >= 0;) {
        if (next >= 0 && t->state[next] == ON_PATH)
            return refuse_cycle(t, next, depth);
        if (next >= 0) {
            t->state[next] = ON_PATH;
            t->path[depth++] = next;
        } else
            make_row(t, t->path[--depth]);
        next = depth > 0 ? waiting(t, t->path[depth - 1]) : -1;
    }
    return IFD_OK;
}

static ifd_status read_ties(tying *t)
{
    size_t n = (size_t)t->b->dof.count;
    IFD_TRY(IFD__TAKE(t->k->scratch, IFD__ARRAY(t->tie, n), IFD__ARRAY(t->state, n), IFD__ARRAY(t->path, n),
                      IFD__ARRAY(t->from, n), IFD__ARRAY(t->to, n), IFD__ARRAY(t->sum, n), IFD__ARRAY(t->in, n),
                      IFD__ARRAY(t->at, n)));
    memset(t->tie, 0xff, n * sizeof *t->tie);
    for (int i = 0; i < t->b->tie.count; i++) {
        const ifd_tie *tie = &IFD__AT(t->b->tie, ifd_tie, i);
        IFD_TRY(check_tie(t, tie));
        t->tie[tie->slave] = i;
    }
    for (size_t i = 0; i < n; i++)
        if (t->tie[i] >= 0 && t->state[i] == FREE)
            IFD_TRY(substitute(t, (int)i));
    return t->term.failed ? IFD_NO_MEMORY : IFD_OK;
}

/* Rows of T over the masters, which are the dofs of the system. */
static ifd_status make_T(tying *t, ifd__rows *T, int **master, int *masters)
{
    int n = t->b->dof.count, at = 0, *number;
    IFD_TRY(IFD__TAKE(t->k->scratch, IFD__ARRAY(number, n), IFD__ARRAY(*master, n)));
    IFD_TRY(ifd__rows_take(t->k->scratch, n, (size_t)(n + t->term.count), T));
    for (int i = 0; i < n; i++)
        if (t->tie[i] < 0) {
            (*master)[*masters] = i;
            number[i] = (*masters)++;
        }
    for (int i = 0; i < n; i++) {
        if (t->tie[i] < 0) {
            T->column[at] = number[i];
            T->value[at++] = 1.0;
        }
        for (int l = t->from[i]; l < t->to[i]; l++) {
            T->column[at] = number[t->term.column[l]];
            T->value[at++] = t->term.value[l];
        }
        T->start[i + 1] = at;
    }
    return IFD_OK;
}

/* A motion of the ground along d moves all dofs of this direction. Where ties do not permit this of the structure, they
 * hold it: the base shear is then no sum over dofs. */
static void find_held(const tying *t, const ifd__rows *T, const int *master)
{
    for (int i = 0; i < T->count; i++)
        for (int d = 0; d < 3; d++) {
            double off = (int)IFD__AT(t->b->dof, ifd__dof, i).kind == d ? -1.0 : 0.0;
            for (int l = T->start[i]; l < T->start[i + 1]; l++)
                off += (int)IFD__AT(t->b->dof, ifd__dof, master[T->column[l]]).kind == d ? T->value[l] : 0.0;
            t->k->m->ground[d].held = t->k->m->ground[d].held || fabs(off) > 1e-9;
        }
}

static bool acts_on_slave(const tying *t, const ifd__attached *a)
{
    bool some = false;
    for (int l = 0; l < a->start[a->element.nq]; l++)
        some = some || (a->ref[l] >= 0 && t->tie[a->ref[l]] >= 0);
    return some;
}

/* The coordinates of an element as sums over masters, supports and the ground. */
static ifd_status rewrite(tying *t, ifd__attached *a)
{
    int nq = a->element.nq, *start;
    ifd__triplets all = {.arena = t->k->arena};
    IFD_TRY(IFD__TAKE(t->k->arena, IFD__ARRAY(start, (size_t)nq + 1)));
    for (int c = 0; c < nq; c++) {
        for (int l = a->start[c]; l < a->start[c + 1]; l++)
            if (a->ref[l] >= 0)
                accumulate_row(t, a->ref[l], a->coefficient[l]);
        flush(t, &all);
        bool dofs = all.count > start[c], supports = false;
        for (int l = a->start[c]; l < a->start[c + 1]; l++)
            if (a->ref[l] < 0) {
                supports = supports || a->ref[l] != IFD_GROUND;
                ifd__triplet(&all, 0, a->ref[l], a->coefficient[l]);
            }
        if (!dofs && !supports)
            return ifd_note_about(t->k->note, IFD_CONFLICT, "elements",
                                  "element '%s' cannot deform: ties connect its ends", a->element.name);
        start[c + 1] = all.count;
    }
    a->start = start;
    a->ref = all.column;
    a->coefficient = all.value;
    return all.failed ? IFD_NO_MEMORY : IFD_OK;
}

/* A copy of the builder whose elements act on masters. */
static ifd_status rewrite_elements(tying *t)
{
    int count = t->b->element.count;
    ifd_builder *copy;
    ifd__attached *all;
    IFD_TRY(IFD__TAKE(t->k->arena, IFD__ARRAY(copy, 1), IFD__ARRAY(all, count)));
    for (int e = 0; e < count; e++) {
        all[e] = IFD__AT(t->b->element, ifd__attached, e);
        if (acts_on_slave(t, &all[e]))
            IFD_TRY(rewrite(t, &all[e]));
    }
    *copy = *t->b;
    copy->element = (ifd__list){.count = count, .room = count, .data = all};
    t->k->b = copy;
    return IFD_OK;
}

ifd_status ifd__making_tie(ifd__making *k)
{
    tying t = {.k = k, .b = k->b, .term = {.arena = k->scratch}};
    ifd__rows T;
    int *master, masters = 0;
    if (k->b->tie.count == 0)
        return IFD_OK;
    if (k->b->alone)
        return ifd_note_about(k->note, IFD_UNSUPPORTED, "ties", "a superelement from a file cannot have ties");
    IFD_TRY(read_ties(&t));
    IFD_TRY(make_T(&t, &T, &master, &masters));
    find_held(&t, &T, master);
    IFD_TRY(rewrite_elements(&t));
    return ifd__system_tie(k->scratch, &T, masters, master, &k->s);
}
