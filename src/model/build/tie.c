/* SPDX-License-Identifier: MIT */
/* Ties u = T z, by substitution: a master may itself be a slave. The matrices become T^T A T before anything else
 * uses them, loads act through T^T, and the coordinates of elements are sums over masters.
 *
 * A master without mass, and one slave that has mass beside it, would have a singular mass: translation and rotation
 * move the same point. Then both change places, u_m = u_s - theta x r, and the rotation is a dof without mass as any
 * other. */
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
    double *sum, *size; /* dense row, the sum of its magnitudes, and the list of its entries */
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
    if (!to)
        return;
    *to = own;
    IFD__AT(b->dof, ifd__dof, tie->slave).tied = true;
}

void ifd__builder_hub(ifd_builder *b, const ifd__hub *hub)
{
    ifd__hub *to = !ifd__builder_failed(b) && hub->why ? ifd__builder_push(b, &b->hub, sizeof *to) : NULL;
    b->failed = !to;
    if (to)
        *to = *hub;
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
        text = ifd_arena_print(t->k->arena, "%s'%s' (line %d) needs ", text, ifd_builder_dof_name(t->b, t->path[i]),
                               tie_of(t, t->path[i])->place.line);
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
    t->size[dof] += fabs(value);
}

/* value times the displacement of a dof, by masters. */
static void accumulate_row(tying *t, int dof, double value)
{
    if (t->tie[dof] < 0)
        accumulate(t, dof, value);
    for (int l = t->from[dof]; l < t->to[dof]; l++)
        accumulate(t, t->term.column[l], value * t->term.value[l]);
}

/* Ends the sum with its entries that are not zero but for rounding, in the order of the dofs that came. */
static void flush(tying *t, ifd__triplets *out)
{
    for (int i = 0; i < t->count; i++) {
        int dof = t->at[i];
        if (fabs(t->sum[dof]) > 1e-14 * t->size[dof])
            ifd__triplet(out, 0, dof, t->sum[dof]);
        t->sum[dof] = t->size[dof] = 0.0;
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
    t->term.count = 0;
    IFD_TRY(IFD__TAKE(t->k->scratch, IFD__ARRAY(t->tie, n), IFD__ARRAY(t->state, n), IFD__ARRAY(t->path, n),
                      IFD__ARRAY(t->from, n), IFD__ARRAY(t->to, n), IFD__ARRAY(t->sum, n), IFD__ARRAY(t->size, n),
                      IFD__ARRAY(t->in, n), IFD__ARRAY(t->at, n)));
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
    *masters = 0;
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

/* Masters that change places with slaves. */

enum { MOST_MASTERS = 12 };

typedef struct swapping {
    tying *t;
    const ifd_sparse *own, *mass; /* before ties; T^T M T */
    int *carrier;                 /* by dof: its only slave with mass, -1: none, -2: several */
    int *number;                  /* by master: its number in T */
    int count, of[MOST_MASTERS];  /* a group of masters */
} swapping;

static bool heavy(const swapping *x, int dof)
{
    return ifd__sparse_get(x->own, dof, dof) != 0.0;
}

static double coefficient_of(const tying *t, int slave, int dof)
{
    const ifd_coordinate *of = &tie_of(t, slave)->of;
    double sum = 0.0;
    for (int i = 0; i < of->count; i++)
        sum += of->ref[i] == dof ? of->coefficient[i] : 0.0;
    return sum;
}

static bool in_group(const swapping *x, int dof)
{
    for (int i = 0; i < x->count; i++)
        if (x->of[i] == dof)
            return true;
    return false;
}

/* Adds the masters of all slaves with mass that share one with the group; false: there are none, or too many. */
static bool grow_group(swapping *x)
{
    const tying *t = x->t;
    int before = x->count;
    for (int s = 0; s < t->b->dof.count; s++) {
        bool shares = false;
        for (int l = t->from[s]; heavy(x, s) && l < t->to[s]; l++)
            shares = shares || in_group(x, t->term.column[l]);
        for (int l = t->from[s]; shares && l < t->to[s]; l++) {
            if (!in_group(x, t->term.column[l]) && x->count == MOST_MASTERS)
                return false;
            if (!in_group(x, t->term.column[l]))
                x->of[x->count++] = t->term.column[l];
        }
    }
    return x->count > before;
}

/* Whether T^T M T is singular on the group of a master, by elimination. */
static bool is_singular(swapping *x, int master)
{
    double a[MOST_MASTERS][MOST_MASTERS];
    x->of[0] = master;
    x->count = 1;
    while (grow_group(x))
        ;
    for (int j = 0; j < x->count; j++)
        for (int i = 0; i < x->count; i++)
            a[i][j] = ifd__sparse_get(x->mass, x->number[x->of[i]], x->number[x->of[j]]);
    for (int j = 0; j < x->count; j++) {
        if (!(a[j][j] > 1e-12 * ifd__sparse_get(x->mass, x->number[x->of[j]], x->number[x->of[j]])))
            return true;
        for (int i = j + 1; i < x->count; i++)
            for (int l = j + 1; l < x->count; l++)
                a[i][l] -= a[i][j] * a[j][l] / a[j][j];
    }
    return false;
}

static bool is_hub(const tying *t, int dof)
{
    for (int h = 0; h < t->b->hub.count; h++)
        if (IFD__AT(t->b->hub, ifd__hub, h).dof == dof)
            return true;
    return false;
}

/* u_m = (u_s - the other terms)/c instead of u_s = c u_m + the other terms. */
static ifd_status swap(const swapping *x, int m, ifd_tie *tie)
{
    const tying *t = x->t;
    const ifd_tie old = *tie;
    double c = coefficient_of(t, old.slave, m), *coefficient;
    int *ref;
    IFD_TRY(IFD__TAKE(t->k->arena, IFD__ARRAY(ref, old.of.count + 1), IFD__ARRAY(coefficient, old.of.count + 1)));
    ref[0] = old.slave;
    coefficient[0] = 1.0 / c;
    *tie = (ifd_tie){old.name, m, {1, ref, coefficient}, old.place};
    for (int i = 0; i < old.of.count; i++)
        if (old.of.ref[i] != m) {
            ref[tie->of.count] = old.of.ref[i];
            coefficient[tie->of.count++] = -old.of.coefficient[i] / c;
        }
    ifd_note_remark(t->k->note, &old.place, "'%s' has no mass of its own and follows '%s', which has mass",
                    ifd_builder_dof_name(t->b, m), ifd_builder_dof_name(t->b, old.slave));
    return IFD_OK;
}

/* The slave with which a master changes places; -1: none. */
static int partner_of(const swapping *x, int m)
{
    const tying *t = x->t;
    int s = x->carrier[m];
    if (t->tie[m] >= 0 || heavy(x, m) || is_hub(t, m) || s < 0)
        return -1;
    bool alike = IFD__AT(t->b->dof, ifd__dof, m).kind == IFD__AT(t->b->dof, ifd__dof, s).kind;
    return alike && t->to[s] - t->from[s] > 1 && coefficient_of(t, s, m) != 0.0 ? s : -1;
}

/* Each slave changes places once. */
static ifd_status swap_masters(const swapping *from, ifd_builder *out, bool *some)
{
    swapping x = *from;
    int n = x.t->b->dof.count, count = x.t->b->tie.count;
    ifd_tie *all;
    IFD_TRY(IFD__TAKE(x.t->k->arena, IFD__ARRAY(all, count)));
    memcpy(all, x.t->b->tie.data, (size_t)count * sizeof *all);
    for (int m = 0; m < n; m++) {
        int s = partner_of(&x, m);
        if (s < 0 || all[x.t->tie[s]].slave != s || !is_singular(&x, m))
            continue;
        IFD_TRY(swap(&x, m, &all[x.t->tie[s]]));
        *some = true;
    }
    *out = *x.t->b;
    out->tie = (ifd__list){.count = count, .room = count, .data = all};
    return IFD_OK;
}

/* Changes the ties in t->b; true in *some then. */
static ifd_status move_masters(tying *t, const ifd__rows *T, int masters, int *master, bool *some)
{
    int n = t->b->dof.count;
    bool candidates = false;
    ifd__system tied = t->k->s;
    ifd_builder *copy;
    swapping x = {.t = t, .own = &t->k->s.A[IFD_MASS], .mass = &tied.A[IFD_MASS]};
    IFD_TRY(IFD__TAKE(t->k->scratch, IFD__ARRAY(x.carrier, n), IFD__ARRAY(x.number, n)));
    memset(x.carrier, 0xff, (size_t)n * sizeof *x.carrier);
    for (int s = 0; s < n; s++)
        for (int l = t->from[s]; t->tie[s] >= 0 && heavy(&x, s) && l < t->to[s]; l++) {
            int *of = &x.carrier[t->term.column[l]];
            *of = *of == -1 ? s : -2;
        }
    for (int z = 0; z < masters; z++) {
        x.number[master[z]] = z;
        candidates = candidates || partner_of(&x, master[z]) >= 0;
    }
    if (!candidates)
        return IFD_OK;
    IFD_TRY(ifd__system_tie(t->k->scratch, T, masters, master, &tied));
    IFD_TRY(IFD__TAKE(t->k->arena, IFD__ARRAY(copy, 1)));
    IFD_TRY(swap_masters(&x, copy, some));
    t->b = copy;
    return IFD_OK;
}

/* A motion of the ground along d moves all dofs of this direction. Where ties do not permit this of the structure,
 * they hold it: the base shear is then no sum over dofs. */
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

/* The sum of the coefficients from *range on at dofs of direction d. */
static double along(const tying *t, const int *ref, const double *coefficient, const int *range, int d)
{
    double sum = 0.0;
    for (int l = range[0]; l < range[1]; l++)
        sum += ref[l] >= 0 && (int)IFD__AT(t->b->dof, ifd__dof, ref[l]).kind == d ? coefficient[l] : 0.0;
    return sum;
}

/* The coordinates of an element as sums over masters, supports and the ground. Some of them may be zero, such as
 * the elongation of a beam in a rigid floor, not all. The ground moves all dofs: on a slope it moves a coordinate
 * otherwise than by its masters. */
static ifd_status rewrite(tying *t, ifd__attached *a)
{
    int nq = a->element.nq, *start;
    bool moves = false;
    double *share;
    ifd__triplets all = {.arena = t->k->arena};
    IFD_TRY(IFD__TAKE(t->k->arena, IFD__ARRAY(start, (size_t)nq + 1), IFD__ARRAY(share, 3 * (size_t)nq)));
    for (int c = 0; c < nq; c++) {
        for (int l = a->start[c]; l < a->start[c + 1]; l++)
            if (a->ref[l] >= 0)
                accumulate_row(t, a->ref[l], a->coefficient[l]);
        flush(t, &all);
        moves = moves || all.count > start[c];
        for (int l = a->start[c]; l < a->start[c + 1]; l++)
            if (a->ref[l] < 0) {
                moves = moves || a->ref[l] != IFD_GROUND;
                ifd__triplet(&all, 0, a->ref[l], a->coefficient[l]);
            }
        start[c + 1] = all.count;
        for (int d = 0; d < 3; d++)
            share[3 * c + d] = (a->share ? a->share[3 * c + d] : 0.0) +
                               along(t, a->ref, a->coefficient, a->start + c, d) -
                               along(t, all.column, all.value, start + c, d);
    }
    if (!moves)
        return ifd_note_about(t->k->note, IFD_CONFLICT, "elements",
                              "element '%s' cannot deform: ties connect its ends", a->element.name);
    a->start = start;
    a->ref = all.column;
    a->coefficient = all.value;
    a->share = share;
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

/* A rotation without inertia. */
static ifd_status check_hubs(const ifd__making *k)
{
    for (int h = 0; h < k->b->hub.count; h++) {
        const ifd__hub *hub = &IFD__AT(k->b->hub, ifd__hub, h);
        for (int i = 0; i < k->s.n; i++)
            if (k->s.dof[i] == hub->dof && ifd__sparse_get(&k->s.A[IFD_MASS], i, i) == 0.0)
                return ifd_note_advise(k->note, IFD_MASSLESS, &hub->place, "give 'inertia'",
                                       "the rotation '%s' has no inertia; %s", ifd_builder_dof_name(k->b, hub->dof),
                                       hub->why);
    }
    return IFD_OK;
}

/* The rows of all slaves, and T. */
static ifd_status find_ties(tying *t, ifd__rows *T, int **master, int *masters)
{
    bool moved = false;
    IFD_TRY(read_ties(t));
    IFD_TRY(make_T(t, T, master, masters));
    IFD_TRY(move_masters(t, T, *masters, *master, &moved));
    if (!moved)
        return IFD_OK;
    IFD_TRY(read_ties(t));
    return make_T(t, T, master, masters);
}

ifd_status ifd__making_tie(ifd__making *k)
{
    tying t = {.k = k, .b = k->b, .term = {.arena = k->scratch}};
    ifd__rows T;
    int *master, masters;
    if (k->b->tie.count == 0)
        return IFD_OK;
    if (k->b->alone)
        return ifd_note_about(k->note, IFD_UNSUPPORTED, "ties", "a superelement from a file cannot have ties");
    IFD_TRY(find_ties(&t, &T, &master, &masters));
    find_held(&t, &T, master);
    IFD_TRY(rewrite_elements(&t));
    IFD_TRY(ifd__system_tie(k->scratch, &T, masters, master, &k->s));
    return check_hubs(k);
}

ifd_status ifd__tied_rows(ifd_arena *arena, const ifd_builder *b, ifd__rows *T, int **master)
{
    ifd__making k = {.arena = arena, .scratch = arena, .b = b};
    tying t = {.k = &k, .b = b, .term = {.arena = arena}};
    int masters;
    IFD_TRY(ifd__system_make(arena, b, &k.s, NULL));
    return find_ties(&t, T, master, &masters);
}

ifd_status ifd__tied_row(ifd_arena *arena, const ifd_builder *b, const ifd_coordinate *in, ifd_coordinate *out)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__making k = {.arena = scratch, .scratch = scratch, .b = b};
    tying t = {.k = &k, .b = b, .term = {.arena = scratch}};
    ifd__triplets row = {.arena = arena};
    ifd__rows T;
    int *master, masters;
    IFD_TRY(scratch ? ifd__system_make(scratch, b, &k.s, NULL) : IFD_NO_MEMORY);
    IFD_TRY(find_ties(&t, &T, &master, &masters));
    for (int i = 0; i < in->count; i++)
        if (in->ref[i] >= 0)
            accumulate_row(&t, in->ref[i], in->coefficient[i]);
    flush(&t, &row);
    for (int i = 0; i < in->count; i++)
        if (in->ref[i] < IFD_GROUND)
            ifd__triplet(&row, 0, in->ref[i], in->coefficient[i]);
    *out = (ifd_coordinate){row.count, row.column, row.value};
    return row.failed ? IFD_NO_MEMORY : IFD_OK;
}
