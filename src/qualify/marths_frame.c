/* SPDX-License-Identifier: MIT */
/* The frame of the multi-axial benchmark: three storeys, three bays, 29 dofs (one sway per floor; a vertical
 * displacement and a rotation per joint; two rotations of pinned bases). Units: m, rad, N, kg. */
#include "qualify/benchmark.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

enum { N = IFD__FRAME_DOFS };

const int ifd__frame_shown[IFD__FRAME_SHOWN] = {26, 20, 25, 21, 12, 2};

/* Masses (kg) and their dofs; other dofs have none. */
static const struct {
    double kg;
    const char *dofs;
} masses[] = {
    {1921.04971948877, "1 12 16 23"}, {1913.47704943351, "4 8"}, {3826.95409886702, "6 25"},
    {3819.38142881177, "9 15"},       {11465.7169564906, "13"},  {1919.40173917339, "20 28"},
    {11496.0076367116, "26"},         {7680.90291732432, "27"},
};

/* Entries of the symmetric stiffness: value and pairs of dofs. */
static const struct {
    double value;
    const char *at;
} stiffness[] = {
    {1914845669.19659, "6-6 25-25"},
    {1914245902.15877, "1-1 12-12 16-16 23-23"},
    {1297037968.17492, "20-20 28-28"},
    {958022601.636114, "9-9 15-15"},
    {957422834.598294, "4-4 8-8"},
    {-956823067.560474, "1-12 4-23 6-15 6-28 8-12 9-25 16-23 20-25"},
    {353595890.3081, "26-26"},
    {275653872.372854, "27-27"},
    {176797945.15405, "13-13"},
    {-176797945.15405, "13-26 26-27"},
    {14755027.9306316, "5-5 24-24"},
    {14637834.018362, "2-2 11-11 17-17 22-22"},
    {-14033336.8966027, "2-26 3-13 5-13 7-13 10-13 11-13 13-14 13-22 13-24 17-26 21-26 26-29"},
    {14033336.8966027, "3-26 5-27 7-26 10-26 11-27 14-26 22-27 24-27"},
    {13958386.8196963, "27-29"},
    {11546032.4301324, "21-27"},
    {8962902.44950061, "21-21"},
    {7847668.94732387, "29-29"},
    {7494707.87758539, "10-10 14-14"},
    {7377513.96531581, "3-3 7-7"},
    {-2487304.46647036, "18-27"},
    {-2390877.23927914, "20-28"},
    {1650848.8762965, "2-11 3-22 5-14 5-29 7-11 10-24 17-22 21-24"},
    {-1590607.18768206, "19-27"},
    {1117375.20062434, "18-18"},
    {964583.963790092, "19-19"},
    {910924.228165352, "20-29"},
    {-910924.228165352, "21-28"},
    {682412.986755986, "20-21"},
    {-682412.986755986, "28-29"},
    {-599767.037819857, "1-28 4-9 6-12 6-25 8-15 9-15 16-20 23-25"},
    {462063.13558434, "18-21"},
    {-228511.241409366, "1-2 1-29 3-9 5-12 6-24 7-8 8-14 10-15 11-12 17-20 22-25"},
    {228511.241409366, "2-28 3-4 4-10 5-25 6-11 7-15 9-14 16-17 16-21 22-23 23-24"},
    {226110.978301546, "21-29"},
    {56931.6536843576, "2-29 3-10 5-11 5-24 7-14 10-14 17-21 22-24"},
    {45451.6003880148, "19-29"},
};

/* 5 % at 13.493 and 165.125 rad/s: C = alpha M + beta K. */
static const double alpha = 2 * 0.05 * 13.493 * 165.125 / (13.493 + 165.125), beta = 2 * 0.05 / (13.493 + 165.125);

/* The idealised specimen, which is taken out: sway, rotations 29 and 21. KP with E = 200 GPa, columns of 0.635 m and
 * 2.52 in^4, a beam of 0.762 m and 0.6132 in^4; masses of a hundred times steel, as distributed. */
static const int specimen[3] = {IFD__FRAME_SWAY, IFD__FRAME_OTHER, IFD__FRAME_NODE};
static const double KP[9] = {4915814.4,      -1560771.072, -1560771.072,   -1560771.072,  1259050.901248,
                             -133980.635264, -1560771.072, -133980.635264, 1259050.901248};
static const double MP[3] = {902.527382038, 17.8650615997, 17.8650615997};
static const double alpha_P = 2.25591114492, beta_P = 0.000329183259318; /* 5 % at its modes 1 and 3 */

/* The specimen of the rig, K5 T, C5 T and M5 T: a frame of five dofs with tuned properties; T eliminates the rotation
 * of the other node and of the bases statically, so that the other node has no static moment. */
const ifd__specimen_law ifd__marths_specimen = {
    {2324116.6705, 861232.488394, 0.0, 861232.488394, 1085953.95337, 0.0},
    {352.074627439, 53.5561437739, -30.0322791408, 33.7860638216, 95.0106875718, -10.3884695003},
    {8.45398899573, 0.0, -0.844500781795, 0.0, 0.890444486249, -0.174411954922},
};

static void put_stiffness(double value, const char *at, double *K)
{
    for (char *rest; *at; at = *rest ? rest + 1 : rest) {
        long i = strtol(at, &rest, 10) - 1, j = strtol(rest + 1, &rest, 10) - 1;
        K[i + N * j] = K[j + N * i] = value;
    }
}

static void put_mass(double kg, const char *dofs, double *M)
{
    for (char *rest; *dofs; dofs = *rest ? rest + 1 : rest) {
        long i = strtol(dofs, &rest, 10) - 1;
        M[i + N * i] = kg;
    }
}

/* The ground acts on the sways. */
static void put_ground(ifd__frame *f)
{
    static const int sway[3] = {12, 25, IFD__FRAME_SWAY};
    for (int i = 0; i < 3; i++)
        f->ground[sway[i]] = -f->M[sway[i] * (N + 1)];
}

void ifd__frame_reference(ifd__frame *f)
{
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++)
        put_mass(masses[i].kg, masses[i].dofs, f->M);
    for (size_t i = 0; i < sizeof stiffness / sizeof *stiffness; i++)
        put_stiffness(stiffness[i].value, stiffness[i].at, f->K);
    for (int i = 0; i < IFD__FRAME_SQUARE; i++)
        f->C[i] = alpha * f->M[i] + beta * f->K[i];
    put_ground(f);
}

/* Rotational masses are not taken out, but are part of the damping that is. */
void ifd__frame_numerical(ifd__frame *f)
{
    ifd__frame_reference(f);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int at = specimen[i] + N * specimen[j];
            f->K[at] -= KP[i + 3 * j];
            f->C[at] -= beta_P * KP[i + 3 * j] + (i == j ? alpha_P * MP[i] : 0.0);
        }
    f->M[IFD__FRAME_SWAY * (N + 1)] -= MP[0];
    put_ground(f);
}

/* The rotation axes of the specimen are opposite to those of the frame. */
void ifd__frame_glued(ifd__frame *f)
{
    static const int row[3] = {IFD__FRAME_SWAY, IFD__FRAME_NODE, IFD__FRAME_OTHER};
    static const double sign[3] = {1.0, -1.0, -1.0};
    const ifd__specimen_law *law = &ifd__marths_specimen;
    ifd__frame_numerical(f);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++) {
            int at = row[i] + N * row[j];
            f->K[at] += sign[i] * sign[j] * law->K[i + 3 * j];
            f->C[at] += sign[i] * sign[j] * law->C[i + 3 * j];
            f->M[at] += sign[i] * sign[j] * law->M[i + 3 * j];
        }
}

static const double a0 = 4.0 * IFD_MARTHS_RATE * IFD_MARTHS_RATE, a1 = 2.0 * IFD_MARTHS_RATE,
                    a2 = 4.0 * IFD_MARTHS_RATE;

ifd_status ifd__frame_begin(ifd__frame_steps *s)
{
    for (int i = 0; i < IFD__FRAME_SQUARE; i++)
        s->lu[i] = s->of.K[i] + a0 * s->of.M[i] + a1 * s->of.C[i];
    memset(s->U, 0, sizeof s->U);
    memset(s->V, 0, sizeof s->V);
    memset(s->A, 0, sizeof s->A);
    return ifd__lu_factor(N, s->lu, s->pivot) ? IFD_OK : IFD_SINGULAR;
}

/* The acceleration of dofs without mass alternates, without effect: it enters only through M. */
void ifd__frame_step(ifd__frame_steps *s, double ag, const double *F)
{
    static const int row[3] = {IFD__FRAME_SWAY, IFD__FRAME_NODE, IFD__FRAME_OTHER};
    double R[N], inertia[N], viscous[N];
    for (int i = 0; i < N; i++) {
        inertia[i] = a0 * s->U[i] + a2 * s->V[i] + s->A[i];
        viscous[i] = a1 * s->U[i] + s->V[i];
        R[i] = s->of.ground[i] * ag;
    }
    for (int i = 0; F && i < 3; i++)
        R[row[i]] -= F[i];
    ifd__mul_add(N, N, 1.0, s->of.M, inertia, R);
    ifd__mul_add(N, N, 1.0, s->of.C, viscous, R);
    ifd__lu_solve(N, s->lu, s->pivot, 1, R);
    for (int i = 0; i < N; i++) {
        double A = a0 * (R[i] - s->U[i]) - a2 * s->V[i] - s->A[i];
        s->V[i] += 0.5 / IFD_MARTHS_RATE * (s->A[i] + A);
        s->A[i] = A;
        s->U[i] = R[i];
    }
}
