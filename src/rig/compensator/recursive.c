/* SPDX-License-Identifier: MIT */
/* Recursive least squares with an instrument and forgetting. */
#include "rig/compensator/recursive.h"

#include <math.h>

void ifd__recursive_step(const ifd__recursive *r, const double *phi, const double *z, double e, double *th, double *P)
{
    int n = r->count;
    double Pz[IFD__RECURSIVE_MOST] = {0}, phiP[IFD__RECURSIVE_MOST] = {0}, gain = r->forget;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            Pz[i] += P[i + j * n] * z[j];
            phiP[j] += phi[i] * P[i + j * n];
        }
    for (int i = 0; i < n; i++)
        gain += phi[i] * Pz[i];
    if (!(gain >= r->forget)) /* the instrument is opposed to the measurement: no information */
        return;
    double grow = 1.0 / r->forget;
    for (int i = 0; i < n; i++) {
        th[i] += Pz[i] / gain * e;
        if (r->bounded)
            th[i] = fmin(fmax(th[i], r->start[i] - r->bound[i]), r->start[i] + r->bound[i]);
        if (P[i * (n + 1)] > r->prior[i])
            grow = 1.0;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            P[i + j * n] = (P[i + j * n] - Pz[i] * phiP[j] / gain) * grow;
}
