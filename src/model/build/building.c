/* SPDX-License-Identifier: MIT */
/* Makes a shear building from storeys. */
#include <interfield/structures.h>

#include <math.h>
#include <stdio.h>

#include "model/build/builder.h"

void ifd_building_defaults(ifd_building *building)
{
    *building = (ifd_building){.direction = IFD_DOF_X, .base = IFD_GROUND, .prefix = "floor"};
}

static ifd_status check(const ifd_storey *s, int number, ifd_note *note)
{
    const struct {
        const char *what;
        double value;
    } field[] = {{"mass", s->mass}, {"stiffness", s->stiffness}, {"damping", s->damping}};
    for (int i = 0; i < 3; i++)
        if (!(field[i].value >= 0.0) || !isfinite(field[i].value))
            return ifd_note_add(note, IFD_RANGE, NULL, "storey %d: the %s is %.9g; expected zero or more", number,
                                field[i].what, field[i].value);
    return IFD_OK;
}

ifd_status ifd_builder_building(ifd_builder *b, const ifd_building *building, int *dof, ifd_note *note)
{
    int below = building->base;
    const char *prefix = building->prefix ? building->prefix : "floor";
    if (building->storeys < 1)
        return ifd_note_add(note, IFD_RANGE, NULL, "a building needs at least one storey");
    for (int i = 0; i < building->storeys; i++) {
        const ifd_storey *s = &building->storey[i];
        char numbered[128];
        snprintf(numbered, sizeof numbered, "%s%d", prefix, i + 1);
        const char *name = s->name ? s->name : numbered;
        IFD_TRY(check(s, i + 1, note));
        int floor = ifd_builder_dof(b, name, building->direction);
        if (ifd__builder_failed(b))
            return IFD_NO_MEMORY;
        if (floor < 0)
            return ifd_note_add(note, IFD_DUPLICATE, NULL,
                                "storey %d: dof '%s' is defined twice; give each dof a unique name", i + 1, name);
        ifd_builder_add(b, IFD_MASS, floor, floor, s->mass);
        ifd_builder_spring(b, IFD_STIFFNESS, below, floor, s->stiffness);
        ifd_builder_spring(b, IFD_DAMPING, below, floor, s->damping);
        if (dof)
            dof[i] = floor;
        below = floor;
    }
    return ifd__builder_failed(b) ? IFD_NO_MEMORY : IFD_OK;
}
