/* SPDX-License-Identifier: MIT */
/* Where the points and members of a structure are on the page of a picture, displaced or not. */
#include "displaced.h"

#include <math.h>

void structure_project(const structure *s, const double at[3], double out[2])
{
    out[0] = s->space ? at[0] + 0.42 * at[1] : at[0];
    out[1] = s->space ? at[2] + 0.28 * at[1] : at[1];
}

static bool displacement(const displaced *d, const char *part, const char *name, int direction, double *out)
{
    static const char *const suffix[] = {"x", "y", "z", "rx", "ry", "rz"};
    char dof[300];
    *out = 0.0;
    snprintf(dof, sizeof dof, "%s.%s", name, suffix[direction]);
    return d->value(d->data, part, dof, out);
}

unsigned displaced_at(const structure *s, const displaced *d, int at, double out[6])
{
    const spot *p = &s->spot[at];
    unsigned known = 0;
    memset(out, 0, 6 * sizeof *out);
    for (int k = 0; k < 6 && p->kind == SPOT_NODE; k++)
        known |= displacement(d, p->part, p->name, k, &out[k]) ? 1u << k : 0u;
    if (p->kind != SPOT_NODE && *p->name && d->value(d->data, p->part, p->name, &out[0]))
        known = IFD_FIX_ALL;
    return known;
}

unsigned structure_translations(const structure *s)
{
    return IFD_FIX_X | IFD_FIX_Y | (s->space ? IFD_FIX_Z : 0u);
}

bool displaced_follows(const structure *s, const displaced *d, int at)
{
    double u[6];
    return displaced_at(s, d, at, u) & 7u ||
           (s->spot[at].fixed & structure_translations(s)) == structure_translations(s);
}

int displaced_lost(const structure *s, const displaced *d)
{
    int lost = 0;
    for (int i = 0; i < s->spots; i++)
        lost += !displaced_follows(s, d, i);
    return lost;
}

double displaced_largest(const structure *s, const displaced *d, const spot **where)
{
    double most = 0.0, u[6];
    if (where)
        *where = NULL;
    for (int i = 0; i < s->spots; i++)
        if (displaced_at(s, d, i, u)) {
            double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            if (size > most && where)
                *where = &s->spot[i];
            most = fmax(most, size);
        }
    return most;
}

void displaced_place(const structure *s, const displaced *d, int at, double out[3])
{
    double u[6];
    memcpy(out, s->spot[at].at, 3 * sizeof *out);
    for (int i = 0; d && i < 3 && displaced_at(s, d, at, u); i++)
        out[i] += d->factor * u[i];
}

void displaced_extent(const structure *s, const displaced *d, double low[2], double top[2])
{
    low[0] = low[1] = HUGE_VAL;
    top[0] = top[1] = -HUGE_VAL;
    for (int i = 0; i < 2 * s->spots; i++) {
        double at[2], point[3];
        displaced_place(s, i % 2 ? d : NULL, i / 2, point);
        structure_project(s, point, at);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            top[k] = fmax(top[k], at[k]);
        }
    }
}

double displaced_factor(const structure *s, const displaced *d)
{
    double low[2], top[2], most = displaced_largest(s, d, NULL);
    displaced_extent(s, NULL, low, top);
    double size = fmax(fmax(top[0] - low[0], top[1] - low[1]), 1.0), wish = most > 0.0 ? 0.1 * size / most : 1.0;
    double ten = pow(10.0, floor(log10(wish)));
    return wish >= 5.0 * ten ? 5.0 * ten : wish >= 2.0 * ten ? 2.0 * ten : ten;
}

void displaced_member(const structure *s, const line *l, const double u[2][6], const unsigned known[2], double x,
                      double out[3])
{
    const double *a = s->spot[l->from].at, *b = s->spot[l->to].at;
    double e[3], L = 0.0, turn[2][3], chord[3], along = 0.0;
    for (int i = 0; i < 3; i++)
        L += (b[i] - a[i]) * (b[i] - a[i]);
    L = sqrt(L);
    for (int i = 0; i < 3; i++) {
        e[i] = L > 0.0 ? (b[i] - a[i]) / L : 0.0;
        chord[i] = u[1][i] - u[0][i];
        along += e[i] * chord[i];
    }
    for (int end = 0; end < 2; end++) /* slope of the axis: rotation x e */
        for (int i = 0; i < 3; i++)
            turn[end][i] = L * (u[end][3 + (i + 1) % 3] * e[(i + 2) % 3] - u[end][3 + (i + 2) % 3] * e[(i + 1) % 3]);
    unsigned bends = s->space ? IFD_FIX_RY | IFD_FIX_RZ : IFD_FIX_RZ;
    bool free[2] = {false, false};
    for (int end = 0; end < 2 && l->member; end++)
        free[end] = ((l->member->released[end] & bends) == bends && l->member->spring[end][2] == 0.0) ||
                    !((known[end] | s->spot[end ? l->to : l->from].fixed) & bends);
    for (int i = 0; i < 3; i++) {
        double psi = chord[i] - along * e[i], t0 = turn[0][i], t1 = turn[1][i];
        double own0 = free[0] ? (free[1] ? psi : 1.5 * psi - 0.5 * t1) : t0;
        double own1 = free[1] ? (free[0] ? psi : 1.5 * psi - 0.5 * t0) : t1;
        out[i] = a[i] + x * (b[i] - a[i]) + u[0][i] + x * along * e[i];
        out[i] += psi * x * x * (3.0 - 2.0 * x) + own0 * x * (1.0 - x) * (1.0 - x) - own1 * x * x * (1.0 - x);
    }
}
