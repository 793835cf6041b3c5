/* SPDX-License-Identifier: MIT */
/* Facts of the bus file of an EtherCAT rig for messages, before the driver is opened. */
#include "bus_facts.h"

#include <string.h>

#include <interfield/several.h>

const ifd_setting *bus_facts(const app *a, const ifd_rig_ops *rig, const ifd_value *values)
{
    int at = ifd_param_find(rig->params, "bus");
    ifd_note ignored;
    ifd_settings *s;
    ifd_note_init(&ignored, a->arena);
    if (strcmp(rig->name, "ethercat") != 0 || at < 0 || !values || !values[at].word ||
        ifd_settings_read(a->arena, values[at].word, &s, &ignored) != IFD_OK)
        return NULL;
    return ifd_settings_root(s);
}

/* actuator: of each of its channels; NULL: in order. */
static void add(const app *a, const ifd_rig_ops *rig, const ifd_value *values, const int *actuator,
                ifd_preflight_options *o)
{
    const ifd_setting *bus = bus_facts(a, rig, values);
    int k = 0;
    if (strcmp(rig->name, "udp") == 0 || strcmp(rig->name, "shm") == 0)
        o->end = o->end == IFD_END_UNKNOWN ? IFD_END_SERVED : o->end;
    for (const ifd_setting *x = ifd_setting_first(bus ? ifd_setting_get(bus, "axes") : NULL);
         x && k < IFD_RIG_CHANNELS; x = ifd_setting_next(x), k++) {
        const ifd_setting *end = ifd_setting_get(x, "at-end");
        o->end = IFD_END_STATED;
        if (end && strcmp(ifd_setting_text(end), "off") == 0)
            o->free_at_end |= 1u << (actuator ? actuator[k] : k);
    }
}

void bus_facts_end(const app *a, const ifd_case *c, ifd_preflight_options *o)
{
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    for (int r = 0; s && r < s->rigs; r++)
        add(a, s->rig[r].ops, s->rig[r].values, s->rig[r].actuator, o);
    if (!s)
        add(a, c->test->rig, c->test->rig_values, NULL, o);
}
