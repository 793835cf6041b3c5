/* SPDX-License-Identifier: MIT */
/* `load-of` of a sliding bearing in the model that names an actuator in force control. */
#include <math.h>
#include <string.h>

#include "case/element.h"
#include "case/reader.h"

typedef struct ifd__load_read {
    struct ifd__load_read *next;
    const char *element, *actuator;
    int part;
    ifd_place place;
} ifd__load_read;

bool ifd__force_named(const ifd__model_read *m, const char *name)
{
    const ifd__node *list = ifd__yaml_get(m->r->doc.root, "force-control");
    bool found = false;
    for (const ifd__node *i = list && list->kind == IFD__SEQUENCE ? list->first : NULL; i; i = i->next) {
        const ifd__node *its = i->kind == IFD__MAPPING ? ifd__yaml_get(i, "name") : NULL;
        found = found || (its && its->kind == IFD__SCALAR && strcmp(its->text, name) == 0);
    }
    return found && !m->mount;
}

bool ifd__load_of(ifd__model_read *m, const char *element, const char *actuator, const ifd_place *place)
{
    ifd__load_read *load = ifd_arena_take(m->arena, sizeof *load);
    if (!ifd__in_memory(m->r, load))
        return true;
    *load = (ifd__load_read){m->r->loads, element, actuator, m->index, *place};
    m->r->loads = load;
    return true;
}

static int interface_named(const ifd_hybrid_options *o, const char *name)
{
    for (int k = 0; k < o->interfaces; k++)
        if (o->interface[k].force && o->interface[k].name && strcmp(o->interface[k].name, name) == 0)
            return k;
    return -1;
}

static void read_one(ifd__reader *r, const ifd__load_read *load, ifd_measured_load *out)
{
    const ifd_hybrid_options *o = r->c->test;
    double y[3] = {0.0};
    *out = (ifd_measured_load){load->element, load->part, interface_named(o, load->actuator), 0.0};
    const ifd_force_control *force = out->interface < 0 ? NULL : o->interface[out->interface].force;
    if (!force || !force->target) /* reported with it */
        return;
    ifd_signal_eval(force->target, 0.0, y);
    out->reference = y[0];
    if (y[0] == 0.0)
        ifd_note_add(
            r->note, IFD_RANGE, &load->place,
            "element '%s': 'load-of' is '%s', whose force is 0 N at the start; expected another one, because "
            "the compression is 'load' times the measured force divided by it",
            load->element, load->actuator);
}

void ifd__read_loads_of(ifd__reader *r)
{
    ifd_hybrid_options *o = r->c->test;
    int count = 0;
    for (const ifd__load_read *i = r->loads; i; i = i->next)
        count++;
    if (!o || !count)
        return;
    ifd_measured_load *load = ifd_arena_array(r->arena, (size_t)count, sizeof *load);
    if (!ifd__in_memory(r, load))
        return;
    o->measured_load = load;
    o->measured_loads = count;
    for (const ifd__load_read *i = r->loads; i; i = i->next)
        read_one(r, i, &load[--count]);
}
