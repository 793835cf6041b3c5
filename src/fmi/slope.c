/* SPDX-License-Identifier: MIT */
/* Derivative of an output with respect to an input: from the FMU, or by repeated steps. */
#include <math.h>

#include <interfield/fmu.h>

/* Central difference of two steps from the stored state: exact for linear FMUs, without the first-order error for
 * others. */
static bool by_differences(ifd_fmu *f, int output, int input, double now, double h, double *slope)
{
    double u, y[2];
    if (!ifd_fmu_save(f) || !ifd_fmu_get(f, 1, &input, &u))
        return false;
    const double reach = 1e-4 * fmax(fabs(u), 1e-2);
    bool good = true;
    for (int side = 1; side >= 0 && good; side--) {
        const double to = side ? u + reach : u - reach;
        good = ifd_fmu_restore(f) && ifd_fmu_set(f, 1, &input, &to) && ifd_fmu_step(f, now, h) &&
               ifd_fmu_get(f, 1, &output, &y[side]);
    }
    good = ifd_fmu_restore(f) && good;
    *slope = good ? (y[1] - y[0]) / (2.0 * reach) : 0.0;
    return good;
}

bool ifd_fmu_slope(ifd_fmu *f, int output, int input, double now, double h, double *slope)
{
    const ifd_fmu_variable *y = &ifd_fmu_facts_of(f)->variable[output], *u = &ifd_fmu_facts_of(f)->variable[input];
    bool plain = y->elements == 1 && u->elements == 1 && !y->single && !u->single;
    if (ifd_fmu_facts_of(f)->derivatives && plain)
        return ifd_fmu_derivative(f, output, input, slope);
    return by_differences(f, output, input, now, h, slope);
}
