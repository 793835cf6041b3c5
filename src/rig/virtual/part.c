/* SPDX-License-Identifier: MIT */
/* One of several rigs in the laboratory and in the channel map of all actuators of a test. */

#include <interfield/several.h>

#include "base/arena.h"

/* The channel of an actuator of the test; -1: on another rig. */
static int channel_of(const ifd_rig_part *p, int actuator)
{
    for (int j = 0; j < p->actuators; j++)
        if (p->actuator[j] == actuator)
            return j;
    return -1;
}

static ifd_status refuse(const char *what, const char *name, ifd_note *note)
{
    return ifd_note_add(note, IFD_CONFLICT, NULL, "%s '%s' has actuators on several rigs, expected one", what, name);
}

static ifd_status part_of_model(ifd_arena *arena, const ifd_virtual_model *m, const ifd_rig_part *p,
                                ifd_laboratory *out, ifd_virtual_model *to, ifd_note *note)
{
    int *channel, here = 0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(channel, m->drives)));
    for (int k = 0; k < m->drives; k++) {
        channel[k] = channel_of(p, m->actuator[k]);
        here += channel[k] >= 0;
    }
    if (here > 0 && here < m->drives)
        return refuse("specimen", m->name, note);
    if (here == 0)
        return IFD_OK;
    *to = *m;
    to->actuator = channel;
    out->models++;
    return IFD_OK;
}

static ifd_status part_of_block(const ifd_virtual_block *b, const ifd_rig_part *p, ifd_laboratory *out,
                                ifd_virtual_block *to, ifd_note *note)
{
    int first = channel_of(p, b->first);
    for (int j = 0; j < b->drive->actuators; j++)
        if (channel_of(p, b->first + j) != (first < 0 ? -1 : first + j))
            return refuse("drive", b->drive->name, note);
    if (first < 0)
        return IFD_OK;
    *to = *b;
    to->first = first;
    out->blocks++;
    return IFD_OK;
}

static void part_of_aux(const ifd_virtual_aux *all, const ifd_rig_part *p, ifd_virtual_aux *to)
{
    for (int i = 0; i < p->aux; i++) {
        to[i] = all[p->input[i]];
        to[i].actuator = channel_of(p, to[i].actuator);
        if (to[i].actuator < 0)
            to[i] = (ifd_virtual_aux){.what = IFD_VIRTUAL_NOTHING};
    }
}

ifd_status ifd_laboratory_part(ifd_arena *arena, const ifd_laboratory *all, const ifd_rig_part *p,
                               ifd_laboratory **out, ifd_note *note)
{
    ifd_laboratory *lab;
    ifd_virtual_actuator *channel;
    ifd_virtual_model *model;
    ifd_virtual_block *block;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(lab, 1), IFD__ARRAY(channel, p->actuators), IFD__ARRAY(model, all->models),
                      IFD__ARRAY(block, all->blocks)));
    *lab = (ifd_laboratory){
        .actuators = p->actuators, .actuator = channel, .model = model, .block = block, .ramps = all->ramps};
    for (int j = 0; j < p->actuators; j++)
        channel[j] = all->actuator[p->actuator[j]];
    for (int i = 0; i < all->models; i++)
        IFD_TRY(part_of_model(arena, &all->model[i], p, lab, &model[lab->models], note));
    for (int i = 0; i < all->blocks; i++)
        IFD_TRY(part_of_block(&all->block[i], p, lab, &block[lab->blocks], note));
    if (all->aux) {
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(lab->aux, IFD_RIG_AUX)));
        part_of_aux(all->aux, p, lab->aux);
    }
    if (all->map)
        IFD_TRY(ifd_channel_map_part(arena, all->map, p, &lab->map));
    *out = lab;
    return IFD_OK;
}

static int aux_of(const ifd_rig_part *p, int input)
{
    for (int i = 0; i < p->aux; i++)
        if (p->input[i] == input)
            return i;
    return -1;
}

ifd_status ifd_channel_map_part(ifd_arena *arena, const ifd_channel_map *all, const ifd_rig_part *p,
                                const ifd_channel_map **out)
{
    ifd_channel_map *map;
    ifd_channel_row *row;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(map, 1), IFD__ARRAY(row, all->rows)));
    *map = (ifd_channel_map){.row = row};
    for (int i = 0; i < all->rows; i++) {
        ifd_channel_row one = all->row[i];
        one.input = (one.source == IFD_SOURCE_AUX ? aux_of : channel_of)(p, one.input);
        one.actuator = one.meaning == IFD_MEANS_RECORD ? -1 : channel_of(p, one.actuator);
        if (one.input >= 0)
            row[map->rows++] = one;
    }
    *out = map;
    return IFD_OK;
}
