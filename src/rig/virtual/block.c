/* SPDX-License-Identifier: MIT */
/* A rigid block between several actuators and its specimens. */
#include "rig/virtual/block.h"

#include <string.h>

#include "rig/drive.h"

enum { SHARE = IFD__BLOCK_SHARE, POSE = IFD__BLOCK_POSE, SPECIMENS = POSE + IFD_DRIVE_DOFS };

ifd_status ifd__block_make(ifd__block *b, ifd_arena *arena, const ifd_virtual_block *setup, ifd_note *note)
{
    b->setup = setup;
    b->size = SPECIMENS;
    IFD_TRY(ifd_drive_make(arena, setup->drive, &b->drive, note));
    for (int i = 0; i < IFD_DRIVE_DOFS; i++) {
        b->specimen_at[i] = -1;
        if (i >= setup->drive->dofs || !setup->specimen[i])
            continue;
        IFD_TRY(
            ifd__ideal_make(&b->specimen[i], arena, setup->specimen[i], "specimen", setup->specimen_values[i], note));
        b->specimen_at[i] = b->size;
        b->size += ifd__ideal_size(&b->specimen[i]);
    }
    return IFD_OK;
}

/* If it is singular, the last distribution remains. Extensions that are inconsistent with a rigid block add forces
 * between the actuators. */
void ifd__block_share(const ifd__block *b, const double *s, const double *model, double *x)
{
    double f[IFD_DRIVE_DOFS], fits[IFD_DRIVE_ACTUATORS];
    memcpy(f, model, sizeof f);
    for (int i = 0; i < b->setup->drive->dofs; i++)
        if (b->specimen_at[i] >= 0)
            f[i] += ((const ifd__ideal_state *)(x + b->specimen_at[i]))->f;
    if (!ifd_drive_share(b->drive, x + POSE, f, x + SHARE) || b->setup->stiffness == 0.0)
        return;
    ifd_drive_reach(b->drive, x + POSE, fits);
    for (int j = 0; j < b->setup->drive->actuators; j++)
        x[SHARE + j] += b->setup->stiffness * (s[j] - fits[j]);
}

void ifd__block_begin(const ifd__block *b, const double *s, double *x)
{
    (void)ifd_drive_pose(b->drive, s, x + POSE);
    for (int i = 0; i < b->setup->drive->dofs; i++)
        if (b->specimen_at[i] >= 0)
            ifd__ideal_begin(&b->specimen[i], 0.0, x[POSE + i], 0.0, x + b->specimen_at[i]);
}

void ifd__block_move(const ifd__block *b, ifd__instant at, const double *s, double *x)
{
    double before[IFD_DRIVE_DOFS];
    memcpy(before, x + POSE, sizeof before);
    (void)ifd_drive_pose(b->drive, s, x + POSE);
    for (int i = 0; i < b->setup->drive->dofs; i++)
        if (b->specimen_at[i] >= 0)
            ifd__ideal_tick(&b->specimen[i], at, x[POSE + i], (x[POSE + i] - before[i]) / at.tick,
                            x + b->specimen_at[i]);
}

void ifd__block_motion(const ifd__block *b, int dof, const double *vs, const double *as, const double *x, double *out)
{
    double v[IFD_DRIVE_DOFS], a[IFD_DRIVE_DOFS];
    bool known = ifd__drive_rates(b->drive, x + POSE, vs, as, v, a);
    out[0] = x[POSE + dof];
    out[1] = known ? v[dof] : 0.0;
    out[2] = known ? a[dof] : 0.0;
}
