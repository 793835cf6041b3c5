/* SPDX-License-Identifier: MIT */
/* Motion of a support by polynomials that another substructure sets. */
#include "model/support_motion.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/relative.h"
#include "model/signal/wave.h"

static IFD_RT void eval(const void *data, double t, double out[3])
{
    const ifd__support_motion *motion = data;
    double x = (t - motion->start) / motion->length;
    for (int k = 0; k < 3; k++) {
        out[k] = 0.0;
        for (int i = IFD__SUPPORT_TERMS - 1; i >= 0; i--)
            out[k] = out[k] * x + motion->c[k][i];
    }
}

ifd_status ifd__support_motion_make(ifd_arena *arena, ifd__support_motion **motion, const ifd_signal **signal)
{
    ifd__support_motion *s;
    ifd__wave *wave;
    ifd_signal *out;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1), IFD__ARRAY(wave, 1), IFD__ARRAY(out, 1)));
    s->length = 1.0;
    *wave = (ifd__wave){.eval = eval, .data = s, .factor = 1.0, .length = HUGE_VAL};
    *out = (ifd_signal){.count = 1, .end = HUGE_VAL, .wave = wave};
    *motion = s;
    *signal = out;
    return IFD_OK;
}

void ifd__support_motion_point(ifd__support_motion *motion, const double y[3])
{
    memset(motion->c, 0, sizeof motion->c);
    motion->start = 0.0;
    motion->length = 1.0;
    for (int k = 0; k < 3; k++)
        motion->c[k][0] = y[k];
}

void ifd__support_motion_hermite(ifd__support_motion *motion, double start, double length, const double from[3],
                                 const double to[3])
{
    double h = length, *c = motion->c[0], d = to[0] - from[0] - h * from[1] - 0.5 * h * h * from[2];
    double v = h * (to[1] - from[1] - h * from[2]), a = h * h * (to[2] - from[2]);
    memset(motion->c, 0, sizeof motion->c);
    motion->start = start;
    motion->length = length;
    c[0] = from[0];
    c[1] = h * from[1];
    c[2] = 0.5 * h * h * from[2];
    c[3] = 10.0 * d - 4.0 * v + 0.5 * a;
    c[4] = -15.0 * d + 7.0 * v - a;
    c[5] = 6.0 * d - 3.0 * v + 0.5 * a;
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < 6 - k; i++)
            motion->c[k][i] = (i + 1.0) * motion->c[k - 1][i + 1] / h;
}

/* Newton's form through equidistant values, expanded into powers. */
void ifd__support_motion_lagrange(ifd__support_motion *motion, double start, double length, int count,
                                  const double *values, int stride)
{
    assert(count >= 1 && count <= IFD__SUPPORT_TERMS);
    memset(motion->c, 0, sizeof motion->c);
    motion->start = start;
    motion->length = length;
    for (int k = 0; k < 3; k++) {
        double divided[IFD__SUPPORT_TERMS], *c = motion->c[k];
        for (int i = 0; i < count; i++)
            divided[i] = values[i * stride + k];
        for (int order = 1; order < count; order++)
            for (int i = count - 1; i >= order; i--)
                divided[i] = (divided[i] - divided[i - 1]) / order;
        for (int i = count - 1; i >= 0; i--) { /* c := c (x - x_i) + divided_i, x_i = 2 - count + i */
            double node = 2.0 - count + i;
            for (int j = count - 1; j > 0; j--)
                c[j] = c[j - 1] - node * c[j];
            c[0] = divided[i] - node * c[0];
        }
    }
}

ifd_status ifd__model_with_supports(ifd_arena *arena, const ifd_model *m, const ifd_signal *const *signal,
                                    ifd_model **out)
{
    ifd_model *copy;
    const ifd_signal **support;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(copy, 1), IFD__ARRAY(support, m->nsupport)));
    *copy = *m;
    for (int j = 0; j < m->nsupport; j++)
        support[j] = signal[j] ? signal[j] : m->support[j];
    copy->support = support;
    *out = copy;
    bool *follows = ifd_arena_array(arena, (size_t)m->nsupport, sizeof *follows);
    for (int j = 0; follows && j < m->nsupport; j++)
        follows[j] = signal[j] != NULL;
    return follows ? ifd__absolute_damping(arena, copy, follows) : IFD_NO_MEMORY;
}

ifd_status ifd__model_with_mass(ifd_arena *arena, const ifd_model *m, int dof, double mass, ifd_model **out,
                                ifd_note *note)
{
    ifd_model *copy = ifd_arena_take(arena, sizeof *copy);
    ifd_sparse extra;
    if (!copy)
        return IFD_NO_MEMORY;
    *copy = *m;
    ifd__triplets t = {.arena = arena};
    ifd__triplet(&t, dof, dof, mass);
    IFD_TRY(ifd__sparse_make(arena, m->n, &t, true, &extra));
    IFD_TRY(ifd__sparse_add(arena, 1.0, &m->M, 1.0, &extra, &copy->M));
    if (m->ray_m != 0.0) { /* the added mass has no Rayleigh damping */
        IFD_TRY(ifd__sparse_add(arena, 1.0, &m->C, m->ray_m, &m->M, &copy->C));
        copy->ray_m = 0.0;
        copy->damped = true;
    }
    *out = copy;
    const ifd_solver *factor; /* the mass may be negative: the factor tests the sum */
    IFD_TRY(ifd__model_mass_later(arena, copy));
    return ifd__model_mass(arena, copy, &factor, note);
}
