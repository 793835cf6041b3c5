/* SPDX-License-Identifier: MIT */
/* Detects slow divergence of joined FMUs without a guarantee of stability at the start. Size alone does not
 * distinguish it from a motion that loads drive; energy does.
 *
 * A joint that satisfies its rule g = -S Lam never adds energy: Lam . (g_n - g_{n-1}) sums up to at most -1/2
 * Lam.S.Lam (join.c). The rule does not hold where an FMU is predicted. The energy that the joints have added is
 * then the sum, with the energy of the softness. A run is driven by its joints if they have added more than half of
 * the largest energy that entered one of the FMUs, and if its motion has outgrown that of its first steps.
 *
 * An FMU with a memory of forces adds energy internally, where it is not observed. The growing motion is then the
 * fastest that the exchange resolves: joint forces that change their sign within two steps. Physical forces are
 * smooth over a step, or the step is too long. */
#include <math.h>
#include <string.h>

#include "fmi/join/joined.h"

static const double made_most = 0.5, /* of the energy that entered an FMU */
    outgrown = 4.0,                  /* times the largest displacement of the first steps: 16 times their energy */
    fade = 1.0 - 1.0 / 64.0,         /* of the sums, per step */
    kinked = 4.0,       /* second differences over forces: below four steps per cycle, (2 sin 45 deg)^4 */
    kinks_grown = 64.0; /* times their energy in the first steps: 8 times their size */

/* Lam.B.Lam with the diagonal of B: an energy, so that joints of different units can be added. */
static double weigh(const ifd_fmu_joined *j, int k, double force)
{
    return fabs(j->B[k + k * j->joints]) * force * force;
}

static void account_forces(ifd_fmu_joined *j)
{
    j->forces *= fade;
    j->kinks *= fade;
    for (int k = 0; k < j->joints; k++) {
        j->forces += weigh(j, k, j->lambda[k]);
        j->kinks += weigh(j, k, j->lambda[k] - 2.0 * j->last[k] + j->before[k]);
    }
    if (j->step < IFD__JOINED_FIRST)
        j->early_kinks = fmax(j->early_kinks, j->kinks);
}

static double softness_energy(const ifd_fmu_joined *j)
{
    double sum = 0.0;
    for (int k = 0; k < j->joints; k++)
        for (int l = 0; l < j->joints; l++)
            sum += 0.5 * j->lambda[k] * j->S[k + l * j->joints] * j->lambda[l];
    return sum;
}

const char *ifd__joined_account(ifd_fmu_joined *j, double size)
{
    account_forces(j);
    for (int k = 0; k < j->joints; k++) {
        j->made += j->lambda[k] * (j->gap[k] - j->gap_last[k]);
        j->gap_last[k] = j->gap[k];
    }
    for (int i = 0; i < j->rows; i++) {
        ifd__joined_part *part = &j->part[j->row[i].fmu];
        part->work += j->row[i].F * (j->row[i].u - j->row[i].kept_u);
        j->through = fmax(j->through, fabs(part->work));
    }
    if (j->step < IFD__JOINED_FIRST || !*j->caution)
        return NULL;
    if (j->made + softness_energy(j) > made_most * j->through && size > outgrown * j->early)
        return "the joined run diverged: its joints added more than half of the energy that entered an FMU";
    if (j->kinks > kinked * j->forces && j->kinks > kinks_grown * j->early_kinks && j->kinks > 0.0)
        return "the joined run diverged: joint forces that alternate from step to step have outgrown all others";
    return NULL;
}
