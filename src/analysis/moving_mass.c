/* SPDX-License-Identifier: MIT */
/* Mass of a specimen that moves with its interface, as part of the structure. */
#include "analysis/moving_mass.h"

#include <math.h>

#include "model/build/derive.h"
#include "analysis/variant.h"

typedef struct moving_mass {
    const ifd_interface_options *channel;
    double m, c, k;
} moving_mass;

double ifd__moving_mass(const ifd_hybrid_options *test, const ifd_laboratory *l, int k)
{
    const ifd_virtual_channel *bench = &l->channel[k];
    if (!bench->actuator || test->drives > 0 || k >= test->interfaces)
        return 0.0;
    double all = ifd__value_of(bench->actuator->params, bench->actuator_values, "mass", 0.0);
    return fmax(all - test->interface[k].mass, 0.0);
}

static moving_mass moved_by(const ifd_hybrid_options *o, const ifd_laboratory *l, int k)
{
    const ifd_virtual_channel *bench = &l->channel[k];
    const ifd_interface_options *channel = &o->interface[k];
    double devices = channel->force_factor;
    if (!bench->actuator)
        return (moving_mass){.channel = channel};
    const ifd_param *p = bench->actuator->params;
    const ifd_value *v = bench->actuator_values;
    return (moving_mass){channel, devices * ifd__moving_mass(o, l, k), devices * ifd__value_of(p, v, "damping", 0.0),
                         devices * ifd__value_of(p, v, "stiffness", 0.0)};
}

/* One dof per interface: its deformation. */
static ifd_status make_addition(ifd_arena *arena, int count, const moving_mass *list, ifd_model **out)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; b && i < count; i++) {
        int dof = ifd_builder_dof(b, ifd_arena_print(arena, "carried%d", i), IFD_DOF_DEFORMATION);
        ifd_builder_add(b, IFD_MASS, dof, dof, list[i].m);
        ifd_builder_add(b, IFD_DAMPING, dof, dof, list[i].c);
        ifd_builder_add(b, IFD_STIFFNESS, dof, dof, list[i].k);
    }
    return b ? ifd_model_make(arena, b, out, NULL) : IFD_NO_MEMORY;
}

static void put(ifd__rows *T, int column, double value)
{
    int at = T->start[T->count + 1]++;
    T->column[at] = column;
    T->value[at] = value;
}

static bool make_rows(ifd_arena *arena, int n, int count, const moving_mass *list, ifd__rows *T)
{
    size_t entries = (size_t)n + 2 * (size_t)count;
    T->start = ifd_arena_array(arena, (size_t)(n + count) + 1, sizeof *T->start);
    T->column = ifd_arena_array(arena, entries, sizeof *T->column);
    T->value = ifd_arena_array(arena, entries, sizeof *T->value);
    if (!T->start || !T->column || !T->value)
        return false;
    for (int i = 0; i < n + count; i++, T->count++) {
        T->start[i + 1] = T->start[i];
        if (i < n) {
            put(T, i, 1.0);
            continue;
        }
        const ifd_interface_options *c = list[i - n].channel;
        if (c->from >= 0)
            put(T, c->from, -1.0);
        if (c->to >= 0)
            put(T, c->to, 1.0);
    }
    return true;
}

static ifd_status add_to(ifd_arena *arena, const ifd_model *m, int count, const moving_mass *list,
                         const ifd_model **out)
{
    ifd_model *addition, *sum;
    IFD_TRY(make_addition(arena, count, list, &addition));
    const ifd_model **piece = ifd_arena_array(arena, 2, sizeof *piece);
    ifd__derivation how = {.substructures = 2,
                           .substructure = piece,
                           .n = m->n,
                           .dof_name = (const char *const *)m->dof_name,
                           .dof_kind = m->dof_kind,
                           .u0 = m->u0,
                           .v0 = m->v0};
    if (!piece || !make_rows(arena, m->n, count, list, &how.T))
        return IFD_NO_MEMORY;
    piece[0] = m;
    piece[1] = addition;
    IFD_TRY(ifd__model_derive(arena, &how, &sum, NULL));
    *out = sum;
    return IFD_OK;
}

/* Moving masses on substructure p; returns their number. Without mass nothing is added: the rig also measures damping
 * and stiffness. */
static int list_of(const ifd_hybrid_options *o, const ifd_laboratory *l, int p, moving_mass *list)
{
    int count = 0;
    for (int k = 0; k < o->interfaces && k < l->channels && o->drives == 0; k++) {
        moving_mass c = moved_by(o, l, k);
        if (o->interface[k].part == p && c.m > 0.0 && (c.channel->from >= 0 || c.channel->to >= 0))
            list[count++] = c;
    }
    return count;
}

ifd_status ifd__carry(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                      ifd_hybrid_options *out)
{
    moving_mass list[IFD_RIG_CHANNELS];
    int parts = out->couple ? out->couple->parts : 1;
    ifd_part_options *part = out->couple ? ifd_arena_array(arena, (size_t)parts, sizeof *part) : NULL;
    ifd_couple_options *couple = out->couple ? ifd_arena_take(arena, sizeof *couple) : NULL;
    if (out->couple && (!part || !couple))
        return IFD_NO_MEMORY;
    for (int p = 0; p < parts; p++) {
        int count = list_of(test, laboratory, p, list);
        if (part)
            part[p] = out->couple->part[p];
        const ifd_model **model = part ? &part[p].model : &out->model;
        if (count)
            IFD_TRY(add_to(arena, *model, count, list, model));
    }
    if (couple) {
        *couple = *out->couple;
        couple->part = part;
        out->couple = couple;
    }
    return IFD_OK;
}
