/* SPDX-License-Identifier: MIT */
/* The work that joint forces can extract from FMUs, from their responses to pulses. A force Lam_k held over exchange
 * step k does the work Lam_k . (g_k - g_{k-1}); with the increments D_1, D_2, ... of the gap after a unit pulse this
 * is Lam . W Lam, W block lower triangular and Toeplitz. The softness adds Lam_k . S (Lam_k - Lam_{k-1}), J = S (I -
 * Z). If sym(W) + sym(J) is positive semidefinite, no sequence of forces gains energy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "fmi/join/joined.h"

/* Increment of gap k in step `step` by a unit joint force l in step 0; for one FMU, or for all (-1). */
static double gap_answer(const ifd_fmu_joined *j, const double *D, int step, int part, int k, int l)
{
    double sum = 0.0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            int i = j->end[2 * k + a];
            const ifd__joined_row *by = &j->row[j->end[2 * l + b]];
            if (j->row[i].fmu == by->fmu && (part < 0 || by->fmu == part))
                sum += (a == b ? 1.0 : -1.0) * D[(size_t)(step * j->most + by->rank) * (size_t)j->rows + (size_t)i];
        }
    return sum;
}

/* Lower triangle of sym(W), with joints scaled so that B has ones on its diagonal; soft: with sym(J). */
static void build(const ifd_fmu_joined *j, int steps, const double *D, int part, bool soft, double *W)
{
    int n = j->joints;
    size_t N = (size_t)n * (size_t)steps;
    for (int s = 0; s < steps; s++)
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) {
                double scale = 1.0 / sqrt(j->B[k + k * n] * j->B[l + l * n]), w = gap_answer(j, D, s, part, k, l);
                if (s == 0)
                    w = 0.5 * (w + gap_answer(j, D, s, part, l, k));
                if (soft && s < 2)
                    w += (s == 0 ? 1.0 : -1.0) * j->S[k + l * n];
                for (int t = 0; t + s < steps; t++)
                    W[(size_t)((t + s) * n + k) + N * (size_t)(t * n + l)] = (s == 0 ? 1.0 : 0.5) * scale * w;
            }
}

static ifd_status extremes(int n, double *A, double *least, double *most)
{
    double *root = malloc(sizeof *root * (size_t)n);
    int info = root ? LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, root) : -1;
    if (info == 0) {
        *least = root[0];
        *most = root[n - 1];
    }
    free(root);
    return info == 0 ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__joined_work_find(const ifd_fmu_joined *j, int steps, const double *D, ifd__joined_work *out)
{
    int N = j->joints * steps;
    double least, most, soft_most;
    double *W = malloc(sizeof *W * (size_t)N * (size_t)N);
    if (!W)
        return IFD_NO_MEMORY;
    *out = (ifd__joined_work){.part = -1};
    build(j, steps, D, -1, false, W);
    ifd_status status = extremes(N, W, &least, &most);
    if (status == IFD_OK) {
        build(j, steps, D, -1, true, W);
        status = extremes(N, W, &out->least, &soft_most);
        out->least /= most;
    }
    for (int p = 0; p < j->fmus && status == IFD_OK; p++) {
        build(j, steps, D, p, false, W);
        status = extremes(N, W, &least, &most);
        if (status == IFD_OK && least < out->part_least * most) {
            out->part = p;
            out->part_least = least / most;
        }
    }
    free(W);
    return status;
}

/* sym(B) may be nearly singular where joints act on one rigid body: the eigenvalues of its correlation form are
 * raised to 1e-6. */
ifd_status ifd__joined_soften(ifd_fmu_joined *j)
{
    const double least = 1e-6;
    int n = j->joints;
    double *C = malloc(sizeof *C * (size_t)n * ((size_t)n + 1)), *root = C + n * n;
    if (!C)
        return IFD_NO_MEMORY;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            C[k + l * n] = 0.5 * (j->B[k + l * n] + j->B[l + k * n]) / sqrt(j->B[k + k * n] * j->B[l + l * n]);
    int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, C, n, root);
    for (int k = 0; k < n && info == 0; k++)
        for (int l = 0; l <= k; l++) {
            double sum = 0.0;
            for (int r = 0; r < n; r++)
                sum += fmax(root[r], least) * C[k + r * n] * C[l + r * n];
            j->S[k + l * n] = j->S[l + k * n] = j->softness * sum * sqrt(j->B[k + k * n] * j->B[l + l * n]);
        }
    free(C);
    return info == 0 ? IFD_OK : IFD_NO_MEMORY;
}
