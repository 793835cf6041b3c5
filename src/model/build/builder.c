/* SPDX-License-Identifier: MIT */
/* Takes dofs, supports and names of a model; its growing lists. */
#include "model/build/builder.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "model/gravity.h"
#include "model/model.h"
#include "superelement/stored.h"

static void *push(ifd_builder *b, ifd_arena *arena, ifd__list *list, size_t size)
{
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 16;
        void *data = arena ? ifd_arena_array(arena, (size_t)room, size) : NULL;
        if (!data) {
            b->failed = true;
            return NULL;
        }
        if (list->count)
            memcpy(data, list->data, (size_t)list->count * size);
        list->data = data;
        list->room = room;
    }
    return (char *)list->data + (size_t)list->count++ * size;
}

void *ifd__builder_push(ifd_builder *b, ifd__list *list, size_t size)
{
    return push(b, b->arena, list, size);
}

static void close_bulk(void *builder)
{
    ifd_builder *b = builder;
    ifd_arena_close(b->bulk);
    b->bulk = NULL;
}

/* Entries are by far the largest lists. They have memory of their own, which ends before that of the model. */
static ifd_arena *bulk_of(ifd_builder *b)
{
    if (!b->bulk && (b->bulk = ifd_arena_open()) && !ifd_arena_on_close(b->arena, close_bulk, b))
        close_bulk(b);
    return b->bulk;
}

void ifd__builder_release(ifd_builder *b)
{
    for (int which = 0; which < 3; which++)
        b->entry[which] = b->held[which] = (ifd__list){0};
    if (b->bulk)
        close_bulk(b);
}

ifd_builder *ifd_builder_make(ifd_arena *arena)
{
    ifd_builder *b = ifd_arena_take(arena, sizeof *b);
    if (b)
        b->arena = arena;
    return b;
}

/* FNV-1a. */
static unsigned hash(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static const char *name_in(const ifd_builder *b, int held)
{
    return held > 0 ? IFD__AT(b->dof, ifd__dof, held - 1).name : IFD__AT(b->support, ifd__support, -held - 1).name;
}

/* The entry of name in the hash table, or the free entry for it. */
static int *slot_of(const ifd_builder *b, const char *name)
{
    unsigned mask = (unsigned)b->slots - 1;
    for (unsigned i = hash(name) & mask;; i = (i + 1) & mask)
        if (!b->slot[i] || strcmp(name_in(b, b->slot[i]), name) == 0)
            return &b->slot[i];
}

static bool make_room_for_name(ifd_builder *b)
{
    int old = b->slots;
    const int *held = b->slot;
    if (2 * (b->dof.count + b->support.count + 1) <= old)
        return true;
    int *slot = ifd_arena_array(b->arena, (size_t)(old ? 2 * old : 32), sizeof *slot);
    if (!slot) {
        b->failed = true;
        return false;
    }
    b->slot = slot;
    b->slots = old ? 2 * old : 32;
    for (int i = 0; i < old; i++)
        if (held[i])
            *slot_of(b, name_in(b, held[i])) = held[i];
    return true;
}

bool ifd_builder_find(const ifd_builder *b, const char *name, int *ref)
{
    if (strcmp(name, "ground") == 0) {
        *ref = IFD_GROUND;
        return true;
    }
    int held = b && b->slots ? *slot_of(b, name) : 0;
    if (held)
        *ref = held > 0 ? held - 1 : IFD_SUPPORT(-held - 1);
    return held != 0;
}

/* A copy of an unused name; NULL if it is taken (failed is then unset) or without memory. */
static const char *new_name(ifd_builder *b, const char *name, bool *taken)
{
    int ref;
    *taken = ifd_builder_find(b, name, &ref);
    if (*taken || !make_room_for_name(b))
        return NULL;
    const char *copy = ifd_arena_text(b->arena, name);
    b->failed = !copy;
    return copy;
}

int ifd_builder_dof(ifd_builder *b, const char *name, ifd_dof_kind kind)
{
    bool taken;
    if (ifd__builder_failed(b))
        return 0;
    const char *copy = new_name(b, name, &taken);
    if (taken)
        return -1;
    ifd__dof *dof = copy ? ifd__builder_push(b, &b->dof, sizeof *dof) : NULL;
    if (!dof)
        return 0;
    *dof = (ifd__dof){.name = copy, .kind = kind};
    *slot_of(b, copy) = b->dof.count;
    return b->dof.count - 1;
}

int ifd_builder_support(ifd_builder *b, const char *name, const ifd_signal *displacement)
{
    bool taken;
    if (ifd__builder_failed(b))
        return IFD_SUPPORT(0);
    const char *copy = new_name(b, name, &taken);
    if (taken)
        return IFD_GROUND;
    ifd__support *support = copy ? ifd__builder_push(b, &b->support, sizeof *support) : NULL;
    if (!support)
        return IFD_SUPPORT(0);
    *support = (ifd__support){.name = copy, .signal = displacement};
    *slot_of(b, copy) = -b->support.count;
    return IFD_SUPPORT(b->support.count - 1);
}

int ifd_builder_dofs(const ifd_builder *b)
{
    return b ? b->dof.count : 0;
}

const char *ifd_builder_dof_name(const ifd_builder *b, int dof)
{
    if (!b || dof < 0 || dof >= b->dof.count)
        return "";
    return IFD__AT(b->dof, ifd__dof, dof).name;
}

const char *ifd__builder_name(const ifd_builder *b, int ref)
{
    int support = IFD_SUPPORT(0) - ref;
    return b && support >= 0 && support < b->support.count ? IFD__AT(b->support, ifd__support, support).name
                                                           : ifd_builder_dof_name(b, ref);
}

void ifd_builder_add(ifd_builder *b, ifd_matrix_kind which, int i, int j, double value)
{
    bool held = i < IFD_GROUND && j < IFD_GROUND;
    if (ifd__builder_failed(b) || (i < 0 && !held) || j == IFD_GROUND || value == 0.0)
        return;
    assert(i < b->dof.count && j < b->dof.count && -2 - j < b->support.count && -2 - i < b->support.count);
    ifd__entry *entry = push(b, bulk_of(b), held ? &b->held[which] : &b->entry[which], sizeof *entry);
    if (entry)
        *entry = (ifd__entry){i, j, value, b->group};
}

/* Only a translation follows the ground. */
void ifd__builder_grounded(ifd_builder *b, int dof, int direction, double load, double mass)
{
    if (ifd__builder_failed(b) || dof < 0 || direction > IFD_DOF_Z || (load == 0.0 && mass == 0.0))
        return;
    ifd__grounded *g = ifd__builder_push(b, &b->grounded, sizeof *g);
    if (g)
        *g = (ifd__grounded){dof, direction, load, mass, b->group};
}

void ifd_builder_spring(ifd_builder *b, ifd_matrix_kind which, int from, int to, double value)
{
    if (ifd__builder_failed(b))
        return;
    ifd__builder_group(b, true);
    ifd_builder_add(b, which, from, from, value);
    ifd_builder_add(b, which, to, to, value);
    ifd_builder_add(b, which, from, to, -value);
    ifd_builder_add(b, which, to, from, -value);
    int dof = from == IFD_GROUND ? to : from;
    if (which == IFD_MASS && (from == IFD_GROUND || to == IFD_GROUND) && dof >= 0)
        ifd__builder_grounded(b, dof, (int)IFD__AT(b->dof, ifd__dof, dof).kind, value, 0.0);
    ifd__builder_group(b, false);
}

void ifd_builder_rayleigh(ifd_builder *b, double alpha, double beta)
{
    if (ifd__builder_failed(b))
        return;
    b->ray_m += alpha;
    b->ray_k += beta;
}

static void *copy_of(ifd_builder *b, const void *from, int count, size_t size)
{
    void *copy = ifd__arena_copy(b->arena, from, count, size);
    b->failed = b->failed || !copy;
    return copy;
}

void ifd_builder_modal(ifd_builder *b, int count, const double *zeta, bool rest)
{
    if (ifd__builder_failed(b))
        return;
    b->zeta = copy_of(b, zeta, count, sizeof *zeta);
    b->nzeta = count;
    b->zeta_rest = rest;
}

void ifd__builder_watch(ifd_builder *b, const ifd__watched_row *row)
{
    for (int i = 0; i < b->row.count; i++)
        if (strcmp(IFD__AT(b->row, ifd__watched_row, i).name, row->name) == 0)
            return;
    ifd__watched_row *to = ifd__builder_push(b, &b->row, sizeof *to);
    if (to)
        *to = *row;
}

void ifd_builder_modal_count(ifd_builder *b, int count)
{
    b->modal_count = count;
}

void ifd_builder_ground(ifd_builder *b, ifd_dof_kind direction, const ifd_signal *acceleration)
{
    assert(direction <= IFD_DOF_Z);
    if (!ifd__builder_failed(b))
        b->ground[direction] = acceleration;
}

void ifd_builder_force(ifd_builder *b, int dof, const ifd_signal *force)
{
    if (ifd__builder_failed(b))
        return;
    assert(dof >= 0 && dof < b->dof.count);
    const double unit = 1.0;
    const ifd__force one = {.signal = force,
                            .count = 1,
                            .dof = copy_of(b, &dof, 1, sizeof dof),
                            .value = copy_of(b, &unit, 1, sizeof unit)};
    ifd__force *f = ifd__builder_push(b, &b->force, sizeof *f);
    if (f)
        *f = one;
}

void ifd__builder_weight(ifd_builder *b, int ref, int direction, double value)
{
    if (ifd__builder_failed(b))
        return;
    b->weighs = true;
    ifd__weight *w = ref >= 0 ? ifd__builder_push(b, &b->weight, sizeof *w) : NULL;
    if (w)
        *w = (ifd__weight){ref, value};
    else if (ref < 0 && direction < 3)
        b->weight_past[direction] += value;
}

ifd_status ifd__builder_weigh(ifd_builder *b)
{
    int *dof, count = 0;
    double *sum, *value;
    const ifd_signal_kind *kind = ifd_signal_find("step");
    ifd_value values[IFD_SIGNAL_PARAMS];
    if (!b->weighs || b->failed)
        return b->failed ? IFD_NO_MEMORY : IFD_OK;
    IFD_TRY(IFD__TAKE(b->arena, IFD__ARRAY(sum, b->dof.count), IFD__ARRAY(dof, b->dof.count),
                      IFD__ARRAY(value, b->dof.count)));
    for (int i = 0; i < b->weight.count; i++)
        sum[IFD__AT(b->weight, ifd__weight, i).dof] += IFD__AT(b->weight, ifd__weight, i).value;
    for (int i = 0; i < b->dof.count; i++)
        if (sum[i] != 0.0) {
            dof[count] = i;
            value[count++] = sum[i];
        }
    ifd__force *f = ifd__builder_push(b, &b->force, sizeof *f);
    if (!f)
        return IFD_NO_MEMORY;
    *f = (ifd__force){.count = count, .dof = dof, .value = value, .weight = true};
    memcpy(f->past, b->weight_past, sizeof f->past);
    b->weight.count = 0;
    b->weighs = false;
    memset(b->weight_past, 0, sizeof b->weight_past);
    ifd_param_preset(kind->params, values);
    values[ifd_param_find(kind->params, "amplitude")] = ifd_number(1.0);
    return ifd_signal_make(b->arena, kind, values, NULL, &f->signal, NULL);
}

void ifd_builder_initial(ifd_builder *b, int dof, double displacement, double velocity)
{
    if (ifd__builder_failed(b))
        return;
    assert(dof >= 0 && dof < b->dof.count);
    IFD__AT(b->dof, ifd__dof, dof).u0 = displacement;
    IFD__AT(b->dof, ifd__dof, dof).v0 = velocity;
    IFD__AT(b->dof, ifd__dof, dof).given = true;
}

void ifd_builder_keep(ifd_builder *b, int count, const int *dof)
{
    if (ifd__builder_failed(b))
        return;
    b->keep = copy_of(b, dof, count, sizeof *dof);
    b->nkeep = count;
    b->condense = true;
}

void ifd_reduction_defaults(ifd_reduction *how)
{
    *how = (ifd_reduction){.frequency = 50.0, .tolerance = 1e-3, .most = 2000};
}

void ifd_builder_reduce(ifd_builder *b, const ifd_reduction *how)
{
    if (ifd__builder_failed(b))
        return;
    for (int i = 0; i < how->interfaces; i++)
        assert(how->interface[i] >= 0 && how->interface[i] < b->dof.count);
    for (int i = 0; i < how->watched; i++)
        assert(how->watch[i] >= 0 && how->watch[i] < b->dof.count);
    ifd_reduction own = *how;
    own.interface = copy_of(b, how->interface, how->interfaces, sizeof *how->interface);
    own.watch = copy_of(b, how->watch, how->watched, sizeof *how->watch);
    b->reduction = copy_of(b, &own, 1, sizeof own);
}

void ifd_builder_superelement(ifd_builder *b, const ifd_superelement *s)
{
    for (int c = 0; c < ifd__stored_columns(s) && !ifd__builder_failed(b); c++) {
        const char *name = ifd__stored_dof(s, c);
        bool known = s->kind[c] >= IFD_DOF_X && s->kind[c] <= IFD_DOF_DEFORMATION;
        int dof = name ? ifd_builder_dof(b, name, known ? (ifd_dof_kind)s->kind[c] : IFD_DOF_DEFORMATION) : -1;
        if (dof < 0)
            continue;
        ifd_builder_add(b, IFD_MASS, dof, dof, 1.0);
        ifd_builder_add(b, IFD_STIFFNESS, dof, dof, 1.0);
    }
    ifd_builder_rayleigh(b, s->ray_m, s->ray_k);
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    how.stored = s;
    ifd_builder_reduce(b, &how);
    b->alone = true;
}

/* Without its direction, the ground contributes along that of the first translational dof of the coordinate, or along
 * x if it is connected to the ground only, and nothing to a coordinate of rotations. */
static void ground_along(const ifd_builder *b, const ifd_coordinate *q, double share[3])
{
    double sum = 0.0;
    int direction = -1;
    bool turns = false;
    for (int k = 0; k < q->count; k++) {
        int ref = q->ref[k];
        if (ref == IFD_GROUND)
            sum += q->coefficient[k];
        else if (ref <= IFD__GROUND_ALONG(IFD_DOF_Z))
            share[ref - IFD__GROUND_ALONG(0)] += q->coefficient[k];
        else if (ref >= 0 && IFD__AT(b->dof, ifd__dof, ref).kind > IFD_DOF_Z)
            turns = true;
        else if (ref >= 0 && direction < 0)
            direction = (int)IFD__AT(b->dof, ifd__dof, ref).kind;
    }
    if (direction >= 0 || !turns)
        share[direction < 0 ? IFD_DOF_X : direction] += sum;
}

static bool copy_coordinates(ifd_builder *b, int nq, const ifd_coordinate *q, ifd__attached *a)
{
    int total = 0;
    for (int c = 0; c < nq; c++)
        total += q[c].count;
    int *start = ifd_arena_array(b->arena, (size_t)nq + 1, sizeof *start);
    int *ref = ifd_arena_array(b->arena, (size_t)total, sizeof *ref);
    double *coefficient = ifd_arena_array(b->arena, (size_t)total, sizeof *coefficient);
    double *share = ifd_arena_array(b->arena, 3 * (size_t)nq, sizeof *share);
    if (!start || !ref || !coefficient || !share)
        return false;
    for (int c = 0; c < nq; c++) {
        start[c + 1] = start[c];
        for (int k = 0; k < q[c].count; k++) {
            int r = q[c].ref[k] > IFD__GROUND_ALONG(IFD_DOF_Z) ? q[c].ref[k] : IFD_GROUND;
            assert(r < b->dof.count && -2 - r < b->support.count);
            ref[start[c + 1]] = r;
            coefficient[start[c + 1]++] = q[c].coefficient[k];
        }
        ground_along(b, &q[c], share + 3 * (size_t)c);
    }
    a->start = start;
    a->ref = ref;
    a->coefficient = coefficient;
    a->share = share;
    return true;
}

/* Adds B A B^T of a linear element, A nq x nq by columns. */
static void add_block(ifd_builder *b, ifd_matrix_kind which, const ifd__attached *a, const double *A)
{
    int nq = a->element.nq;
    for (int d = 0; d < nq; d++) {
        const double *share = a->share + 3 * (size_t)d;
        for (int c = 0; c < nq; c++)
            for (int k = a->start[c]; k < a->start[c + 1]; k++) {
                double left = a->coefficient[k] * A[c + d * nq];
                for (int l = a->start[d]; l < a->start[d + 1]; l++)
                    ifd_builder_add(b, which, a->ref[k], a->ref[l], left * a->coefficient[l]);
                for (int direction = 0; direction < 3 && which == IFD_MASS; direction++)
                    ifd__builder_grounded(b, a->ref[k], direction, -left * share[direction], 0.0);
            }
    }
}

static void add_gravity(ifd_builder *b, const ifd__attached *a, const double *A)
{
    int nq = a->element.nq;
    for (int c = 0; c < nq; c++)
        for (int d = 0; d < nq; d++)
            for (int k = a->start[c]; k < a->start[c + 1]; k++)
                for (int l = a->start[d]; l < a->start[d + 1]; l++)
                    ifd__builder_gravity(b, a->ref[k], a->ref[l],
                                         a->coefficient[k] * A[c + d * nq] * a->coefficient[l]);
}

/* A linear element has constant derivatives, so any point is valid. */
static ifd_status assemble(ifd_builder *b, const ifd__attached *a)
{
    size_t nq = (size_t)a->element.nq;
    double *zero, *A;
    IFD_TRY(IFD__TAKE(b->arena, IFD__ARRAY(zero, 4 * nq), IFD__ARRAY(A, 4 * nq * nq)));
    ifd_element_in in = {.q = zero, .qd = zero, .qdd = zero, .s = zero};
    ifd_element_out out = {.r = zero + 3 * nq, .r_q = A, .r_v = A + nq * nq, .m = A + 2 * nq * nq};
    a->element.ops->eval(&a->element, &in, &out);
    ifd__builder_group(b, true);
    add_block(b, IFD_STIFFNESS, a, out.r_q);
    if (a->element.ops->flags & IFD_ELEMENT_GRAVITY)
        add_gravity(b, a, out.r_q);
    add_block(b, IFD_DAMPING, a, out.r_v);
    add_block(b, IFD_MASS, a, out.m);
    ifd__builder_group(b, false);
    return b->failed ? IFD_NO_MEMORY : IFD_OK;
}

ifd_status ifd_builder_element(ifd_builder *b, const ifd_element_ops *ops, const char *name,
                               const ifd_coordinates *of, const ifd_value *values, ifd_note *note)
{
    int nq = of->count;
    if (ifd__builder_failed(b))
        return IFD_NO_MEMORY;
    if ((ops->flags & IFD_ELEMENT_INERTIAL) && nq > IFD__INERTIAL_COORDINATES)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "element '%s' has %d coordinates with mass; the limit is %d",
                            name, nq, IFD__INERTIAL_COORDINATES);
    ifd__attached a = {.element = {.ops = ops, .nq = nq, .name = ifd_arena_text(b->arena, name)}, .later = b->later};
    if (!a.element.name || !copy_coordinates(b, nq, of->q, &a)) {
        b->failed = true;
        return IFD_NO_MEMORY;
    }
    ifd_status made = ops->make(&a.element, values, b->arena, note);
    if (made == IFD_OK && (ops->flags & IFD_ELEMENT_LINEAR) && !b->later)
        made = assemble(b, &a);
    else if (made == IFD_OK) {
        ifd__attached *place = ifd__builder_push(b, &b->element, sizeof *place);
        a.values = ifd__values_copy(b->arena, ops->params, values);
        if (place)
            *place = a;
        made = place && a.values ? IFD_OK : IFD_NO_MEMORY;
    }
    b->failed = b->failed || made == IFD_NO_MEMORY;
    return made;
}
