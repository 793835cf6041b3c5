/* SPDX-License-Identifier: MIT */
/* Intensity measures and response spectra. */
#include <interfield/motion.h>

#include "algebra/discretisation.h"

#include <math.h>

static const double GRAVITY = 9.80665; /* m/s2 */

/* The time at which the integral of a^2 reaches `part` of its end value, linear between samples. */
static double time_of_part(const ifd_motion *m, double whole, double part)
{
    double sum = 0;
    for (int i = 1; i < m->count; i++) {
        double add = 0.5 * m->dt * (m->a[i - 1] * m->a[i - 1] + m->a[i] * m->a[i]);
        if (sum + add >= part * whole && add > 0)
            return m->dt * (i - 1 + (part * whole - sum) / add);
        sum += add;
    }
    return m->dt * (m->count - 1);
}

void ifd_motion_intensity(const ifd_motion *m, ifd_motion_measures *out)
{
    double v = 0, d = 0, square = 0;
    *out = (ifd_motion_measures){.pga = fabs(m->a[0])};
    for (int i = 1; i < m->count; i++) {
        double a0 = m->a[i - 1], a1 = m->a[i];
        d += m->dt * v + m->dt * m->dt * (2 * a0 + a1) / 6;
        v += 0.5 * m->dt * (a0 + a1);
        square += 0.5 * m->dt * (a0 * a0 + a1 * a1);
        out->cav += 0.5 * m->dt * (fabs(a0) + fabs(a1));
        out->pga = fmax(out->pga, fabs(a1));
        out->pgv = fmax(out->pgv, fabs(v));
        out->pgd = fmax(out->pgd, fabs(d));
    }
    out->end_v = v;
    out->end_d = d;
    out->arias = M_PI / (2 * GRAVITY) * square;
    double start = time_of_part(m, square, 0.05);
    out->d5_75 = time_of_part(m, square, 0.75) - start;
    out->d5_95 = time_of_part(m, square, 0.95) - start;
}

typedef struct oscillator {
    double w, damping;
    double sd, sa; /* maxima so far */
} oscillator;

static void note_peak(oscillator *o, const double z[2])
{
    o->sd = fmax(o->sd, fabs(z[0]));
    o->sa = fmax(o->sa, fabs(o->w * o->w * z[0] + 2 * o->damping * o->w * z[1]));
}

/* z = (u, u'): u'' + 2 damping w u' + w^2 u = -a, with `parts` points in each interval of the motion. */
static ifd_status respond(const ifd_motion *m, int parts, oscillator *o)
{
    ifd_arena *arena = ifd_arena_open();
    if (!arena)
        return IFD_NO_MEMORY;
    const double A[4] = {0, -o->w * o->w, 1, -2 * o->damping * o->w}, B[2] = {0, -1};
    ifd__discretisation step;
    ifd_status status = ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, m->dt / parts, &step);
    double z[2] = {0, 0};
    for (int i = 1; status == IFD_OK && i < m->count; i++) {
        double slope = (m->a[i] - m->a[i - 1]) / parts, before = m->a[i - 1];
        for (int k = 1; k <= parts; k++) {
            double after = k == parts ? m->a[i] : m->a[i - 1] + k * slope;
            ifd__discretisation_step(&step, &before, &after, z);
            note_peak(o, z);
            before = after;
        }
    }
    ifd_arena_close(arena);
    return status;
}

ifd_status ifd_motion_spectrum(const ifd_motion *m, double damping, int count, const double *period,
                               ifd_motion_response *out)
{
    if (!(damping >= 0 && damping < 1))
        return IFD_RANGE;
    ifd_motion_measures ground;
    ifd_motion_intensity(m, &ground);
    for (int i = 0; i < count; i++) {
        double T = period[i];
        if (!(T >= 0) || !isfinite(T))
            return IFD_RANGE;
        out[i] = (ifd_motion_response){T, 0, ground.pga, ground.pga, 0, ground.pga, ground.pga};
        if (T == 0)
            continue;
        oscillator own = {.w = 2 * M_PI / T, .damping = damping}, fine = own;
        double parts = fmin(fmax(8, ceil(100 * m->dt / T)), 1e6);
        IFD_TRY(respond(m, 1, &own));
        IFD_TRY(respond(m, (int)parts, &fine));
        double w2 = own.w * own.w;
        out[i] = (ifd_motion_response){T, own.sd, w2 * own.sd, own.sa, fine.sd, w2 * fine.sd, fine.sa};
    }
    return IFD_OK;
}
