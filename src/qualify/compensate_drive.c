/* SPDX-License-Identifier: MIT */
/* Settings of compensation for several actuators on one specimen. */
#include "qualify/compensate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "qualify/preflight.h"

enum { TERMS = 3, DOFS = IFD_DRIVE_DOFS };

double ifd__compensate_rounded(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.7g", x);
    return strtod(text, NULL);
}

double ifd__compensate_noise(const ifd_preflight_options *o, int k)
{
    const ifd__movers m = ifd__movers_of(o->test, k);
    double bound = 0.0;
    for (int j = 0; j < m.count; j++) {
        const ifd_value *sensor = o->twin->channel[m.first + j].position_sensor;
        bound += fabs(m.weight[j]) * (sensor ? ifd__value_of(ifd_sensor_params, sensor, "noise", 0.0) : 0.0);
    }
    return bound;
}

/* J at the pose zero, by rows; without a drive one. */
static ifd_status find_jacobian(const ifd_driven *d, double *J)
{
    const double rest[DOFS] = {0.0};
    ifd_drive *drive = NULL;
    J[0] = 1.0;
    if (!d)
        return IFD_OK;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? ifd_drive_make(scratch, &d->drive, &drive, NULL) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        ifd_drive_jacobian(drive, rest, J);
    ifd_arena_close(scratch);
    return status;
}

static const char *refusal(const ifd_hybrid_options *test, const ifd_driven *d)
{
    if (test->drives == 0)
        return "there is no drive: it couples the actuators of a drive";
    for (int i = 0; d && i < d->drive.dofs; i++)
        if (test->interface[d->interface[i]].force)
            return "a dof of its drive is in force control";
    return NULL;
}

ifd_status ifd__compensate_couple(ifd_arena *arena, const ifd_preflight_options *o,
                                  const ifd_compensate_actuator *actuator, int k, ifd_value *v, const char **why)
{
    static const char *const name[TERMS] = {"position", "velocity", "acceleration"};
    const ifd_param *params = ifd_compensator_find("decoupling")->params;
    const ifd__movers own = ifd__movers_of(o->test, k);
    const ifd_driven *d = own.drive >= 0 ? &o->test->drive[own.drive] : NULL;
    int n = d ? d->drive.dofs : 1, row = 1;
    double J[DOFS * IFD_DRIVE_ACTUATORS], *A, *noise, most = 0.0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(A, TERMS * n * n), IFD__ARRAY(noise, n)));
    IFD_TRY(find_jacobian(d, J));
    *why = refusal(o->test, d);
    for (int r = 0; r < n; r++) {
        int interface = d ? d->interface[r] : k;
        const ifd__movers m = ifd__movers_of(o->test, interface);
        row = interface == k ? r + 1 : row;
        noise[r] = ifd__compensate_rounded(ifd__compensate_noise(o, interface));
        most = fmax(most, noise[r]);
        for (int c = 0; c < n * TERMS; c++) {
            double sum = 0.0;
            for (int j = 0; j < m.count; j++)
                sum += m.weight[j] * actuator[m.first + j].a[c / n] * J[j * n + c % n];
            A[(c / n * n + r) * n + c % n] = ifd__compensate_rounded(fabs(sum) > 1e-12 ? sum : 0.0);
        }
    }
    for (int i = 0; i < TERMS; i++)
        v[ifd_param_find(params, name[i])] = ifd_matrix(A + i * n * n, n, n);
    for (int r = 0; r < n; r++)
        noise[r] = fmax(noise[r], 1e-12);
    if (most > 0.0)
        v[ifd_param_find(params, "noise")] = ifd_list(noise, n);
    v[ifd_param_find(params, "row")] = ifd_number(row);
    return IFD_OK;
}
