/* SPDX-License-Identifier: MIT */
/* Scaling to a target spectrum. */
#include <interfield/motion.h>

#include "text/motion_file.h"

#include <math.h>

enum { PERIODS = 100 };

ifd_status ifd_target_spectrum_read(ifd_arena *arena, const char *path, const char *unit, ifd_target_spectrum *out,
                                    ifd_note *note)
{
    ifd__record_options ask = {.unit = unit, .dim = IFD_DIM_ACCELERATION};
    ifd__record r;
    IFD_TRY(ifd__record_read(arena, path, &ask, &r, note));
    double *period = ifd_arena_array(arena, (size_t)r.samples.count, sizeof *period);
    if (!period)
        return IFD_NO_MEMORY;
    for (int i = 0; i < r.samples.count; i++) {
        period[i] = r.samples.time ? r.samples.time[i] : r.samples.start + i * r.samples.dt;
        if (!(period[i] >= 0) || !(r.samples.value[i] > 0))
            return ifd_note_add(note, IFD_RANGE, &(ifd_place){.file = path},
                                "period %g s with %g m/s2, expected a period of at least 0 and a positive value",
                                period[i], r.samples.value[i]);
    }
    *out = (ifd_target_spectrum){r.samples.count, period, r.samples.value};
    return IFD_OK;
}

double ifd_target_spectrum_at(const ifd_target_spectrum *t, double period)
{
    for (int i = 1; i < t->count; i++) {
        double T0 = t->period[i - 1], T1 = t->period[i], y0 = t->psa[i - 1], y1 = t->psa[i];
        if (period < T0 || period > T1)
            continue;
        if (!(T0 > 0)) /* no logarithm of period 0 */
            return y0 + (y1 - y0) * (period - T0) / (T1 - T0);
        return y0 * exp(log(y1 / y0) * log(period / T0) / log(T1 / T0));
    }
    return NAN;
}

ifd_status ifd_motion_fit(const ifd_motion *m, const ifd_target_spectrum *t, ifd_spectrum_fit *fit, ifd_note *note)
{
    double sum = 0, square = 0;
    if (!(fit->from > 0) || !(fit->to >= fit->from))
        return ifd_note_add(note, IFD_RANGE, NULL, "periods from %g s to %g s, expected 0 < from <= to", fit->from,
                            fit->to);
    for (int i = 0; i < PERIODS; i++) {
        double T = fit->from * pow(fit->to / fit->from, i / (PERIODS - 1.0)), target = ifd_target_spectrum_at(t, T);
        if (i == PERIODS - 1)
            target = ifd_target_spectrum_at(t, T = fit->to);
        if (!isfinite(target))
            return ifd_note_add(note, IFD_RANGE, NULL, "the target spectrum has periods from %g s to %g s, not %g s",
                                t->period[0], t->period[t->count - 1], T);
        ifd_motion_response r;
        IFD_TRY(ifd_motion_spectrum(m, fit->damping, 1, &T, &r));
        double d = log(target / r.psa);
        if (!isfinite(d))
            return ifd_note_add(note, IFD_RANGE, NULL, "the motion has no response at a period of %g s", T);
        sum += d;
        square += d * d;
    }
    double mean = sum / PERIODS;
    fit->factor = exp(mean);
    fit->misfit = sqrt(fmax(0, square / PERIODS - mean * mean));
    return IFD_OK;
}
