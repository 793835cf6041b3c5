/* SPDX-License-Identifier: MIT */
/* Sums over the fibres of a section. */
#include "model/fibre/section.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { FORCES = IFD__SECTION_FORCES, ENTRIES = IFD__SECTION_ENTRIES };

int ifd__fibre_states(const ifd__fibre_law *law)
{
    switch (law->kind) {
    case IFD__FIBRE_STEEL:
        return IFD__STEEL_STATES;
    case IFD__FIBRE_CONCRETE:
        return IFD__CONCRETE_STATES;
    case IFD__FIBRE_MULTILINEAR:
        return ifd__multilinear_states(&law->multilinear);
    default:
        return IFD__FIBRE_STRESS + 1;
    }
}

double ifd__fibre_move(const ifd__fibre_law *law, const double *s, double e, double *k, double *s1)
{
    switch (law->kind) {
    case IFD__FIBRE_STEEL:
        return ifd__steel_move(&law->steel, s, e, k, s1);
    case IFD__FIBRE_CONCRETE:
        return ifd__concrete_move(&law->concrete, s, e, k, s1);
    case IFD__FIBRE_MULTILINEAR:
        return ifd__multilinear_move(&law->multilinear, s, e, k, s1);
    default:
        break;
    }
    *k = law->young;
    if (s1) {
        s1[IFD__FIBRE_STRAIN] = e;
        s1[IFD__FIBRE_STRESS] = law->young * e;
    }
    return law->young * e;
}

/* K += k b b^T for the fibre at b = (1, -y, z). */
static IFD_RT void add_stiffness(int size, double y, double z, double k, double *K)
{
    K[0] += k;
    K[1] -= y * k;
    K[2] += y * y * k;
    if (size < FORCES)
        return;
    K[3] += z * k;
    K[4] -= y * z * k;
    K[5] += z * z * k;
}

void ifd__fibre_section_move(const ifd__fibre_section *c, const double *memory, const double *d, double *keep,
                             double *s, double *K)
{
    double N = 0.0, Mz = 0.0, My = 0.0, ky = c->size == FORCES ? d[2] : 0.0;
    memset(K, 0, ENTRIES * sizeof *K);
    for (int j = 0, at = 0; j < c->fibres; j++) {
        const ifd__fibre *b = &c->fibre[j];
        const ifd__fibre_law *law = &c->law[b->law];
        double k, e = d[0] - b->y * d[1] + b->z * ky;
        double f = b->area * ifd__fibre_move(law, memory + at, e, &k, keep ? keep + at : NULL);
        N += f;
        Mz -= b->y * f;
        My += b->z * f;
        add_stiffness(c->size, b->y, b->z, b->area * k, K);
        at += ifd__fibre_states(law);
    }
    s[0] = N;
    s[1] = Mz;
    if (c->size == FORCES)
        s[2] = My;
}

void ifd__fibre_section_forces(const ifd__fibre_section *c, const double *memory, double *s)
{
    memset(s, 0, (size_t)c->size * sizeof *s);
    for (int j = 0, at = 0; j < c->fibres; j++) {
        const ifd__fibre *b = &c->fibre[j];
        double f = b->area * memory[at + IFD__FIBRE_STRESS];
        s[0] += f;
        s[1] -= b->y * f;
        if (c->size == FORCES)
            s[2] += b->z * f;
        at += ifd__fibre_states(&c->law[b->law]);
    }
}

/* Adjugate of K; returns its determinant. */
static IFD_RT double adjugate(int size, const double *K, double *a)
{
    if (size < FORCES) {
        a[0] = K[2];
        a[1] = -K[1];
        a[2] = K[0];
        return K[0] * K[2] - K[1] * K[1];
    }
    a[0] = K[2] * K[5] - K[4] * K[4];
    a[1] = K[3] * K[4] - K[1] * K[5];
    a[2] = K[0] * K[5] - K[3] * K[3];
    a[3] = K[1] * K[4] - K[2] * K[3];
    a[4] = K[1] * K[3] - K[0] * K[4];
    a[5] = K[0] * K[2] - K[1] * K[1];
    return K[0] * a[0] + K[1] * a[1] + K[3] * a[3];
}

bool ifd__fibre_section_flexibility(const ifd__fibre_section *c, const double *K, double *f)
{
    double a[ENTRIES] = {0.0}, det = adjugate(c->size, K, a);
    if (!(fabs(det) >= c->least))
        return false;
    for (int i = 0; i < c->size * (c->size + 1) / 2; i++)
        f[i] = a[i] / det;
    return true;
}

/* K is positive definite, but for rounding. */
static bool bends(int size, const double *K)
{
    double a[ENTRIES], plane = adjugate(2, K, a), det = adjugate(size, K, a), scale = K[0] * K[2];
    return K[0] > 0.0 && plane > 1e-12 * scale && (size < FORCES || det > 1e-12 * scale * K[5]);
}

ifd_status ifd__fibre_section_make(ifd_arena *arena, ifd__fibre_section *c)
{
    ifd__fibre *fibre;
    ifd__fibre_law *law;
    double tough[ENTRIES] = {0.0}, a[ENTRIES];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(fibre, c->fibres), IFD__ARRAY(law, c->laws)));
    memcpy(fibre, c->fibre, (size_t)c->fibres * sizeof *fibre);
    memcpy(law, c->law, (size_t)c->laws * sizeof *law);
    c->fibre = fibre;
    c->law = law;
    for (int j = 0; j < c->fibres; j++) {
        const ifd__fibre_law *l = &law[fibre[j].law];
        double k = l->young * fibre[j].area;
        c->states += ifd__fibre_states(l);
        add_stiffness(c->size, fibre[j].y, fibre[j].z, k, c->rest);
        if (l->kind == IFD__FIBRE_ELASTIC || l->kind == IFD__FIBRE_STEEL)
            add_stiffness(c->size, fibre[j].y, fibre[j].z, k, tough);
    }
    c->least = 1e-9 * adjugate(c->size, c->rest, a);
    return bends(c->size, tough) ? IFD_OK : IFD_NOT_POSITIVE;
}
