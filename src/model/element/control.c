/* SPDX-License-Identifier: MIT */
/* A linear control law that sets the voltage of a damper. */
#include "model/element/control.h"

#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"

static size_t numbers(int nin, int ns)
{
    return (size_t)(3 + 2 * nin + ns * (ns + nin + 2));
}

ifd_status ifd__control_make(const ifd_element *e, const ifd_value *given, int own, ifd_arena *arena,
                             ifd__control *out, ifd_note *note)
{
    *out = (ifd__control){.first = own};
    int nin = given->given && given->cols > 2 ? (int)given->data[0] : 0, ns = nin ? (int)given->data[1] : 0;
    if (nin < 0 || nin > IFD__CONTROL_INPUTS || ns < 0 || ns > IFD__CONTROL_STATES || e->nq != 1 + nin ||
        (given->given && (size_t)given->cols != numbers(nin, ns)))
        return ifd_note_add(
            note, IFD_SHAPE, &given->place,
            "element '%s' has %d coordinates and a control law with %d inputs and %d states; expected "
            "one coordinate and one for each input, at most %d inputs and %d states",
            e->name, e->nq, nin, ns, (int)IFD__CONTROL_INPUTS, (int)IFD__CONTROL_STATES);
    if (!nin)
        return IFD_OK;
    double *copy;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(copy, numbers(nin, ns))));
    memcpy(copy, given->data, sizeof *copy * numbers(nin, ns));
    out->nin = nin;
    out->ns = ns;
    out->kinds = copy + 2;
    out->A = out->kinds + nin;
    out->B = out->A + ns * ns;
    out->C = out->B + ns * nin;
    out->D = out->C + ns;
    out->g0 = out->D + nin;
    out->f0 = out->g0 + ns;
    return IFD_OK;
}

static IFD_RT double input(const ifd__control *d, const ifd_element_in *in, int j)
{
    return d->kinds[j] > 0.5 ? in->qd[1 + j] : in->q[1 + j];
}

double ifd__control_output(const ifd__control *d, const ifd_element_in *in)
{
    double V = *d->f0 + ifd__dot(d->ns, d->C, in->s + d->first);
    for (int j = 0; j < d->nin; j++)
        V += d->D[j] * input(d, in, j);
    return V;
}

void ifd__control_rates(const ifd__control *d, const ifd_element *e, const ifd_element_in *in,
                        const ifd_element_out *out)
{
    int n = d->ns, rows = e->ns;
    if (out->g && n) {
        memcpy(out->g + d->first, d->g0, sizeof *out->g * (size_t)n);
        ifd__mul_add(n, n, 1.0, d->A, in->s + d->first, out->g + d->first);
    }
    for (int j = 0; j < d->nin; j++) {
        double *g_y = d->kinds[j] > 0.5 ? out->g_v : out->g_q;
        for (int i = 0; i < n; i++) {
            if (out->g)
                out->g[d->first + i] += d->B[i + j * n] * input(d, in, j);
            if (g_y)
                g_y[d->first + i + (1 + j) * rows] = d->B[i + j * n];
        }
    }
    for (int j = 0; out->g_s && j < n; j++)
        for (int i = 0; i < n; i++)
            out->g_s[d->first + i + (d->first + j) * rows] = d->A[i + j * n];
}

void ifd__control_gradient(const ifd__control *d, const ifd_element *e, int row, double gain,
                           const ifd_element_out *out)
{
    for (int j = 0; j < d->nin; j++) {
        double *g_y = d->kinds[j] > 0.5 ? out->g_v : out->g_q;
        if (g_y)
            g_y[row + (1 + j) * e->ns] = gain * d->D[j];
    }
    for (int j = 0; out->g_s && j < d->ns; j++)
        out->g_s[row + (d->first + j) * e->ns] = gain * d->C[j];
}

double ifd__control_follow(const ifd__control *d, const ifd_element_move *move, double a, double b, double *s)
{
    double h = (b - a) * (move->to - move->from), N[IFD__CONTROL_STATES * IFD__CONTROL_STATES],
           change[IFD__CONTROL_STATES];
    double V = *d->f0, *z = s + d->first;
    int n = d->ns, pivot[IFD__CONTROL_STATES];
    for (int i = 0; i < n; i++)
        change[i] = h * d->g0[i];
    if (n)
        ifd__mul_add(n, n, h, d->A, z, change);
    for (int j = 0; j < d->nin; j++) {
        double y = ifd__move_at(move, 1 + j, 0.5 * (a + b));
        if (d->kinds[j] > 0.5)
            y = (ifd__move_at(move, 1 + j, b) - ifd__move_at(move, 1 + j, a)) / h;
        V += d->D[j] * y;
        for (int i = 0; i < n; i++)
            change[i] += h * d->B[i + j * n] * y;
    }
    for (int i = 0; i < n * n; i++)
        N[i] = (i % (n + 1) == 0) - 0.5 * h * d->A[i];
    if (n && ifd__lu_factor(n, N, pivot))
        ifd__lu_solve(n, N, pivot, 1, change);
    for (int i = 0; i < n; i++) {
        V += d->C[i] * (z[i] + 0.5 * change[i]);
        z[i] += change[i];
    }
    return V;
}
