/* SPDX-License-Identifier: MIT */
/* The largest change of a force on hold, from the records. */
#include "rest.h"

#include <math.h>

void rest_add(rest_watch *w, ifd_machine state, double rate, int channels, const double *force)
{
    bool rests = state == IFD_MACHINE_HOLD && rate == 0;
    for (int k = 0; k < channels; k++) {
        w->now[k] = force[k];
        w->began[k] = rests && w->rests ? w->began[k] : force[k];
        w->peak[k] = state == IFD_MACHINE_IDLE ? 0 : fmax(w->peak[k], fabs(force[k]));
    }
    w->rests = rests;
}

void rest_judged(rest_watch *w, int k, double relaxation)
{
    w->judged[k] = true;
    w->relaxation[k] = relaxation;
}

double rest_compared(const rest_watch *w, int k)
{
    const double least = 0.1;
    return fmax(fabs(w->began[k]), least * w->peak[k]);
}

double rest_relaxation(const rest_watch *w, int k)
{
    double of = rest_compared(w, k);
    if (w->judged[k])
        return w->relaxation[k];
    return of > 0 ? fabs(w->now[k] - w->began[k]) / of : (double)NAN;
}
