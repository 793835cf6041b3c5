/* SPDX-License-Identifier: MIT */
/* Finds the rig that a case names, alone or one of several. */
#include "rig_of_case.h"

#include <string.h>

ifd_status rig_of_case_find(app *a, const ifd_case *c, rig_of_case *out)
{
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    o.rig = &ifd_virtual_rig;
    o.rig_setup = c->laboratory;
    o.rig_values = NULL;
    ifd_status status = IFD_OK;
    if (c->opensees) {
        const ifd_remote_options master = {.dofs = c->opensees->dofs, .paced = true, .trials = c->opensees->trials};
        status = ifd_remote_make(a->arena, &master, &o.remote, &a->note);
    }
    if (status == IFD_OK)
        status = ifd_hybrid_make(a->arena, &o, &h, &a->note);
    *out = (rig_of_case){0};
    if (status == IFD_OK)
        *out = (rig_of_case){.tick = ifd_hybrid_period(h), .actuators = ifd_hybrid_actuators(h)};
    for (int k = 0; k < out->actuators; k++)
        ifd_hybrid_rig_limits(h, k, &out->limits[k]);
    ifd_hybrid_close(h);
    return status;
}

bool rig_of_case_named(app *a, const ifd_case *c, const ifd_rig_part **out)
{
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    const char *name = app_value(a, "--rig");
    char known[400] = "";
    *out = NULL;
    if (!s)
        return !name || app_reject(a, "--rig %s: this case has one rig, without a name", name);
    for (int r = 0; r < s->rigs; r++) {
        if (name && strcmp(s->rig[r].name, name) == 0)
            *out = &s->rig[r];
        text_add(known, sizeof known, "%s%s", r ? ", " : "", s->rig[r].name);
    }
    if (!name)
        return app_reject(a, "this case has several rigs: --rig NAME is missing, expected one of %s", known);
    return *out || app_reject(a, "--rig %s: no rig of this case has this name, expected one of %s", name, known);
}

void rig_of_case_part(rig_of_case *facts, const ifd_rig_part *part)
{
    const rig_of_case all = *facts;
    facts->actuators = part->actuators;
    for (int j = 0; j < part->actuators; j++)
        facts->limits[j] = all.limits[part->actuator[j]];
}

/* Facts of the bus file of an EtherCAT rig for messages, before the driver is opened. */

const ifd_setting *bus_facts(const app *a, const ifd_rig_ops *rig, const ifd_value *values)
{
    int at = ifd_param_find(rig->params, "bus");
    ifd_settings *s;
    if (strcmp(rig->name, "ethercat") != 0 || at < 0 || !values || !values[at].word ||
        ifd_settings_read(a->arena, values[at].word, &s, QUIET(a)) != IFD_OK)
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
         x && k < IFD_RIG_ACTUATORS; x = ifd_setting_next(x), k++) {
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
