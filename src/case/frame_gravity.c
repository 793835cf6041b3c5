/* SPDX-License-Identifier: MIT */
/* Gravity of a frame: the state in which it starts, and P-Delta. */
#include "case/framing.h"

#include <string.h>

#include "base/arena.h"
#include "model/build/builder.h"
#include "model/build/frame.h"
#include "model/build/p_delta.h"

static int down_of(const ifd__framing *k)
{
    return k->frame.planar ? IFD_DOF_Y : IFD_DOF_Z;
}

static bool add_weight(ifd__framing *k, double gravity)
{
    ifd_frame_member *own = ifd__arena_copy(k->m->arena, k->frame.member, k->frame.members, sizeof *own);
    if (!ifd__in_memory(k->m->r, own))
        return false;
    for (int i = 0; i < k->frame.members; i++)
        own[i].load[down_of(k)] -= gravity * (own[i].material.density * own[i].section.A + own[i].added_mass);
    k->frame.member = own;
    return true;
}

bool ifd__framing_state(ifd__framing *k)
{
    const ifd_value *state = ifd__field(&k->f, "gravity-state");
    int loaded = 0;
    while (loaded < k->frame.members && !ifd__frame_loaded(&k->frame.member[loaded]))
        loaded++;
    bool some = loaded < k->frame.members;
    k->state = state->given ? ifd__field_word(&k->f, "gravity-state") : some ? IFD__GRAVITY_LOADS : IFD__GRAVITY_NONE;
    if (k->state == IFD__GRAVITY_NONE && some) {
        ifd_note_add(k->m->note, IFD_CONFLICT, &state->place,
                     "member '%s' has a load without effect, because 'gravity-state' is none",
                     ifd__frame_member_name(k->m->arena, &k->frame, loaded));
        return false;
    }
    if (k->state != IFD__GRAVITY_NONE && k->m->mount) {
        ifd_note_add(k->m->note, IFD_UNSUPPORTED, state->given ? &state->place : &k->node->place,
                     "the frame of a specimen cannot have a gravity state; remove the loads of its members");
        return false;
    }
    return k->state != IFD__GRAVITY_WEIGHT || add_weight(k, ifd__field(&k->f, "gravity")->number);
}

void ifd__frame_mass_added(const ifd__model_read *m, int dof, double mass)
{
    if (m->framing && m->framing->added && dof >= 0 && dof < m->framing->dofs)
        m->framing->added[dof] += mass;
}

/* Keys that have no effect: false after that error. */
static bool has_effect(const ifd__framing *k, bool p_delta, const ifd__node *loads)
{
    const ifd_value *g = ifd__field(&k->f, "gravity"), *axial = ifd__field(&k->f, "axial");
    bool gravity = g->given && k->state != IFD__GRAVITY_WEIGHT, further = loads && k->state == IFD__GRAVITY_NONE;
    if (p_delta || !(further || gravity || axial->given))
        return true;
    ifd_note_add(k->m->note, IFD_CONFLICT,
                 further   ? &loads->key_place
                 : gravity ? &g->place
                           : &axial->place,
                 further || gravity ? "the frame has a gravity load without effect: expected 'geometry: p-delta' or "
                                      "'gravity-state' beside it"
                                    : "the frame has 'axial' without effect: expected 'geometry: p-delta' beside it");
    return false;
}

/* load (N, downwards, by node): `gravity-loads`, and the weight of `masses`. */
static bool read_loads(ifd__framing *k, const ifd__node *list, double *load)
{
    double g = ifd__field(&k->f, "gravity")->number;
    int errors = k->m->note->errors, ref;
    if (list && ifd__yaml_expect(list, IFD__MAPPING, k->m->note) != IFD_OK)
        return false;
    for (const ifd__node *i = list ? list->first : NULL; i; i = i->next) {
        int node = ifd__framing_node(k, i->key, &i->key_place);
        if (k->m->note->errors != errors ||
            ifd__yaml_number(i, IFD_DIM_FORCE, IFD_RANGE_FREE, &load[node], k->m->note) != IFD_OK)
            return false;
    }
    for (int i = 0; i < k->frame.nodes && k->state != IFD__GRAVITY_NONE; i++) {
        const char *name =
            ifd_arena_print(k->m->arena, "%s.%s", k->frame.node[i].name, ifd__frame_suffix[down_of(k)]);
        if (!ifd__in_memory(k->m->r, name))
            return false;
        if (!ifd_builder_find(k->m->b, name, &ref))
            ref = IFD_GROUND;
        load[i] += k->added && ref >= 0 ? g * k->added[ref] : 0.0;
        if (load[i] != 0.0)
            ifd__builder_weight(k->m->b, ref, down_of(k), -load[i]);
    }
    return true;
}

static bool add_p_delta(ifd__framing *k, const double *load)
{
    const ifd_value *g = ifd__field(&k->f, "gravity"), *axial = ifd__field(&k->f, "axial");
    bool given = ifd__field(&k->f, "gravity-state")->given, state = k->state != IFD__GRAVITY_NONE;
    bool weight = !state || !given; /* of the members; with a state of weight it is in their loads */
    const ifd__frame_gravity gravity = {weight ? g->number : 0.0, load, state, ifd__field_word(&k->f, "axial") == 1};
    for (int i = 0; gravity.current && i < k->frame.members; i++)
        if (state || k->frame.member[i].released[0] || k->frame.member[i].released[1]) {
            ifd_note_add(k->m->note, IFD_CONFLICT, &axial->place,
                         state
                             ? "'axial: current' is not supported with a gravity state: its displacements count from "
                               "the state without axial forces"
                             : "'axial: current' is not supported with released members; member %d has a release",
                         i + 1);
            return false;
        }
    if (state)
        ifd_note_remark(k->m->note, &k->node->place, "p-delta: the axial forces are those of %s%s",
                        weight || k->state == IFD__GRAVITY_WEIGHT ? "the weight of the members, " : "",
                        k->state == IFD__GRAVITY_WEIGHT ? "the masses, loads of members and 'gravity-loads'"
                                                        : "loads of members and 'gravity-loads'");
    return ifd__frame_p_delta(k->m->b, &k->frame, &gravity, k->m->note) == IFD_OK;
}

void ifd__read_frame_gravity(ifd__model_read *m)
{
    ifd__framing *k = m->framing;
    if (!k)
        return;
    const ifd_finding *before = m->note->last;
    const ifd__node *list = ifd__part(&k->f, "gravity-loads");
    bool p_delta = ifd__field_word(&k->f, "geometry") == IFD__GEOMETRY_P_DELTA;
    double *load = k->weight;
    if (ifd__in_memory(m->r, load) && has_effect(k, p_delta, list) && read_loads(k, list, load) && p_delta)
        add_p_delta(k, load);
    ifd__place_findings(m->r, before, &k->node->place);
}
