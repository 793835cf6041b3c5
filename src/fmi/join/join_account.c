/* SPDX-License-Identifier: MIT */
/* Slow divergence of joined FMUs, of which the start made no promise. Size alone cannot tell it from a motion that
 * loads drive up; energy can.
 *
 * A joint whose rule g = -S Lam holds never makes energy: Lam . (g_n - g_{n-1}) sums up to no more than
 * -1/2 Lam.S.Lam (join.c). Where an FMU is predicted the rule does not hold, and what the joints have made is
 * known: the sum, with the energy of the softness. A run in which they have made more than half of the most that went
 * into one of the FMUs, and whose motion has outgrown that of its first steps, is driven by its joints.
 *
 * An FMU with a memory of forces makes energy inside, where nobody sees it. What grows then is the fastest that the
 * exchange can show: joint forces that change their sign within two steps. Physical ones are smooth over a step, or
 * the step is too long. */
#include <math.h>
#include <string.h>

#include "fmi/join/joined.h"

static const double made_most = 0.5, /* of the energy that went into an FMU */
    outgrown = 4.0,                  /* times the largest displacement of the first steps: 16 times their energy */
    fade = 1.0 - 1.0 / 64.0,         /* of the sums, per step */
    kinked = 4.0,       /* kinks over forces: less than four exchange steps per cycle, (2 sin 45 deg)^4 */
    kinks_grown = 64.0; /* times their energy of the first steps: 8 times their size */

/* Lam.B.Lam with the diagonal of B: an energy, so that joints of different units add up. */
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
        return "the joined run diverged: its joints made more than half of the energy that went into an FMU";
    if (j->kinks > kinked * j->forces && j->kinks > kinks_grown * j->early_kinks && j->kinks > 0.0)
        return "the joined run diverged: joint forces that alternate from step to step have outgrown all others";
    return NULL;
}
