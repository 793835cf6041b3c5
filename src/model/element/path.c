/* SPDX-License-Identifier: MIT */
/* Follows straight branches between reversals, for laws that remember them. */
#include "model/element/path.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BRANCHES = 6 };

static IFD_RT const ifd__path_law *law_of(const ifd_element *e)
{
    return *(const ifd__path_law *const *)e->data;
}

static IFD_RT double way_to(const double *m, double q)
{
    return q > m[IFD__PATH_Q] ? 1.0 : q < m[IFD__PATH_Q] ? -1.0 : m[IFD__PATH_WAY] < 0.0 ? -1.0 : 1.0;
}

/* m := memory after a move to q; returns the slope there, in the direction of the move. */
static IFD_RT double move(const ifd_element *e, double q, double *m)
{
    const ifd__path_law *law = law_of(e);
    double g = way_to(m, q), k = 0.0;
    if (q != m[IFD__PATH_Q] && g * m[IFD__PATH_WAY] <= 0.0) {
        if (law->reverse && m[IFD__PATH_WAY] != 0.0)
            law->reverse(e->data, g, m);
        m[IFD__PATH_WAY] = g;
    }
    for (int i = 0; i < BRANCHES; i++) {
        const ifd__branch b = law->next(e->data, m, g);
        bool end = g * (q - b.q) > 0.0;
        k = b.k;
        if (q != m[IFD__PATH_Q]) {
            m[IFD__PATH_R] = end ? b.r : m[IFD__PATH_R] + b.k * (q - m[IFD__PATH_Q]);
            m[IFD__PATH_Q] = end ? b.q : q;
            if (law->moved)
                law->moved(e->data, g, end, m);
        }
        if (!end)
            break;
    }
    m[IFD__PATH_Q] = q;
    return k;
}

static IFD_RT double moved(const ifd_element *e, const ifd_element_in *in, double *m)
{
    memcpy(m, in->s, sizeof *m * (size_t)e->ns);
    return move(e, in->q[0], m);
}

void ifd__path_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    double m[IFD__PATH_STATES], k = moved(e, in, m);
    if (out->r)
        out->r[0] = m[IFD__PATH_R];
    if (out->r_q)
        out->r_q[0] = k;
}

void ifd__path_accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    double m[IFD__PATH_STATES];
    (void)moved(e, in, m);
    memcpy(s, m, sizeof *m * (size_t)e->ns);
}

/* Unloading returns r^2/(2 ku). Hardening and self-centring return more, so that only a closed cycle must
 * dissipate. */
void ifd__path_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    double m[IFD__PATH_STATES], change = 0.0, k = moved(e, in, m), r = m[IFD__PATH_R];
    double ku = law_of(e)->unloading(e->data, m, k, &change);
    *stored = 0.5 * r * r / ku;
    *dissipated = in->qd[0] * (r - r * k / ku + 0.5 * r * r * change / (ku * ku));
}

/* A reversal; and the end of the branch on which the last accepted point is, negative before it in both
 * directions. */
void ifd__path_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    double m[IFD__PATH_STATES], q = in->q[0];
    memcpy(m, in->s, sizeof *m * (size_t)e->ns);
    double g = q != m[IFD__PATH_Q] ? way_to(m, q) : in->qd[0] < 0.0 ? -1.0 : 1.0;
    const ifd__path_law *law = law_of(e);
    if (law->reverse && g * m[IFD__PATH_WAY] < 0.0)
        law->reverse(e->data, g, m);
    const ifd__branch b = law->next(e->data, m, g);
    root[0] = in->qd[0];
    root[1] = isfinite(b.q) ? g * (q - b.q) : -1.0;
}

ifd_status ifd__path_keep(ifd_element *e, ifd_arena *arena, const ifd__path_law *law, const void *data, size_t bytes)
{
    assert(law->states <= IFD__PATH_STATES);
    e->ns = law->states;
    e->nroot = 2;
    return ifd__element_keep(e, arena, data, bytes);
}

double ifd__backbone_at(const ifd__backbone *b, double x)
{
    return x < b->dy ? b->k0 * x : b->fy + b->p * b->k0 * (x - b->dy);
}

ifd__branch ifd__backbone_follow(const ifd__backbone *b, double x)
{
    if (x < b->dy)
        return (ifd__branch){b->k0, b->dy, b->fy};
    return (ifd__branch){b->p * b->k0, HUGE_VAL, HUGE_VAL};
}

ifd__branch ifd__backbone_meet(const ifd__backbone *b, double x, double y, double k)
{
    double hard = b->p * b->k0, end = HUGE_VAL;
    if (x < b->dy && y + k * (b->dy - x) > b->fy && k < b->k0) /* on its elastic part */
        end = (y - k * x) / (b->k0 - k);
    else if (k > hard)
        end = (b->fy - hard * b->dy - y + k * x) / (k - hard);
    return (ifd__branch){k, end, isfinite(end) ? ifd__backbone_at(b, end) : HUGE_VAL};
}
