/* SPDX-License-Identifier: MIT */
/* Finds, makes and steps actuators of the virtual rig. */
#include "rig/virtual/actuator.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"

const ifd_actuator_kind *const ifd_actuators[] = {
#define ACTUATOR(x) &ifd__actuator_##x,
#include "rig/virtual/actuators.def"
};
const int ifd_actuator_count = sizeof ifd_actuators / sizeof *ifd_actuators;

const ifd_actuator_kind *ifd_actuator_find(const char *name)
{
    for (int i = 0; i < ifd_actuator_count; i++)
        if (strcmp(ifd_actuators[i]->name, name) == 0)
            return ifd_actuators[i];
    return NULL;
}

/* Motion of a loose specimen, and its position before the clearance. */
enum { CARRIED = 3, SPECIMEN_ROWS };

int ifd__actuator_states(ifd_actuator *a, const char *name, int count, ifd_state_kind kind)
{
    int offset = a->size;
    a->row[a->rows++] = (ifd_state_row){name, offset, count, kind};
    a->size += count;
    return offset;
}

ifd_status ifd_actuator_make(ifd_arena *arena, const ifd_actuator_kind *kind, ifd_value *values, double h,
                             ifd_actuator **out, ifd_note *note)
{
    IFD_TRY(ifd_param_check(kind->params, values, kind->name, NULL, note));
    if (!(h > 0) || !isfinite(h))
        return ifd_note_add(note, IFD_RANGE, NULL, "actuator '%s': the tick is %g s, expected a positive time",
                            kind->name, h);
    ifd_actuator *a;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, 1)));
    a->kind = kind;
    a->h = h;
    ifd__actuator_states(a, "motion", IFD_ACTUATOR_OWN, IFD_STATE_REAL);
    a->play = ifd__rig_number(kind->params, values, "play");
    a->clearance = ifd__rig_number(kind->params, values, "clearance");
    IFD_TRY(kind->make(a, values, arena, note));
    if (a->play > 0 || a->clearance > 0)
        a->loose = ifd__actuator_states(a, "specimen", SPECIMEN_ROWS, IFD_STATE_HISTORY);
    *out = a;
    return IFD_OK;
}

void ifd_actuator_begin(const ifd_actuator *a, double x, double *s)
{
    memset(s, 0, sizeof *s * (size_t)a->size);
    s[IFD_ACTUATOR_X] = x;
    if (a->loose)
        s[a->loose + CARRIED] = x;
    ifd__actuator_loosen(a, false, s);
    a->kind->begin(a, x, s);
}

const double *ifd_actuator_specimen(const ifd_actuator *a, const double *s)
{
    return s + (a->loose ? a->loose : IFD_ACTUATOR_X);
}

/* It moves with the actuator at either end of the play, on the side to which the actuator moves, and beyond the
 * clearance; otherwise it rests. */
void ifd__actuator_loosen(const ifd_actuator *a, bool linear, double *s)
{
    const double at_end = 1.0 - 1e-9;
    double x = s[IFD_ACTUATOR_X], v = s[IFD_ACTUATOR_V], *to = s + a->loose;
    if (!a->loose)
        return;
    double at = linear ? x : ifd__play(a->play, x, to[CARRIED]), off = x - at,
           band = linear ? 0.0 : 0.5 * a->clearance;
    bool moves = !(fabs(off) < 0.5 * a->play * at_end) && !(off * v < 0);
    moves = linear || (moves && !(fabs(at) < band));
    to[CARRIED] = at;
    to[0] = at - fmin(fmax(at, -band), band);
    to[1] = moves ? v : 0.0;
    to[2] = moves ? s[IFD_ACTUATOR_A] : 0.0;
}

void ifd_actuator_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s)
{
    a->kind->step(a, in, s);
}

void ifd_actuator_response(const ifd_actuator *a, double w, double out[2])
{
    a->kind->response(a, w, out);
}

double ifd__rig_number(const ifd_param *params, const ifd_value *values, const char *name)
{
    return ifd_param_get(params, values, name)->number;
}

double ifd__friction(const ifd__limits *l, double v)
{
    return l->friction > 0 ? l->friction * tanh(v / l->friction_speed) : 0.0;
}

double ifd__play(double backlash, double p, double x)
{
    double half = 0.5 * backlash;
    return fmin(fmax(x, p - half), p + half);
}

ifd_status ifd__mover_make(ifd_actuator *a, const ifd_value *values, ifd__mover *m)
{
    ifd_param_store(a->kind->params, values, m); /* at the start of the data */
    m->limited = m->limits.stroke > 0 || m->limits.velocity > 0 || m->limits.backlash > 0;
    ifd__actuator_states(a, "piston", 1, IFD_STATE_HISTORY);
    return IFD_OK;
}

void ifd__mover_begin(const ifd_actuator *a, double x, double *s)
{
    const ifd__mover *m = a->data;
    s[IFD__MOVER_PISTON] = x;
    s[IFD_ACTUATOR_F] = m->specimen.k * *ifd_actuator_specimen(a, s);
}

void ifd__mover_rates(const ifd_actuator *a, double x, const double *s, double target[3])
{
    target[0] = x;
    target[1] = (x - s[IFD_ACTUATOR_X]) / a->h;
    target[2] = (target[1] - s[IFD_ACTUATOR_V]) / a->h;
}

double ifd__clip(double x, double most)
{
    return most > 0 ? fmin(fmax(x, -most), most) : x;
}

void ifd__mover_settle(const ifd_actuator *a, const double target[3], const ifd_actuator_in *in, double *s)
{
    const ifd__mover *m = a->data;
    const ifd__specimen *e = &m->specimen;
    double now[3] = {target[0], target[1], target[2]}, piston = target[0];
    if (m->limited && !in->linear) {
        double last = s[IFD__MOVER_PISTON];
        piston = last + ifd__clip(target[0] - last, m->limits.velocity * a->h);
        piston = ifd__clip(piston, m->limits.stroke);
        ifd__mover_rates(a, ifd__play(m->limits.backlash, piston, s[IFD_ACTUATOR_X]), s, now);
    }
    s[IFD__MOVER_PISTON] = piston;
    s[IFD_ACTUATOR_X] = now[0];
    s[IFD_ACTUATOR_V] = now[1];
    s[IFD_ACTUATOR_A] = now[2];
    ifd__actuator_loosen(a, in->linear, s);
    const double *q = ifd_actuator_specimen(a, s);
    s[IFD_ACTUATOR_F] =
        e->m * q[2] + e->c * q[1] + e->k * q[0] + in->load + (in->linear ? 0.0 : ifd__friction(&m->limits, now[1]));
}

/* As a real system of twice the size: [-A, -w; w, -A] [re; im] = [B; 0]. */
void ifd__core_response(int n, const double *A, const double *B, int x, double w, double out[2])
{
    enum { MOST = 2 * IFD__DISCRETISATION_MOST };
    double S[MOST * MOST] = {0}, b[MOST] = {0};
    int pivot[MOST], N = 2 * n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            S[i + j * N] = S[n + i + (n + j) * N] = -A[i + j * n];
        S[n + j + j * N] = w;
        S[j + (n + j) * N] = -w;
        b[j] = B[j];
    }
    out[0] = out[1] = (double)NAN;
    if (!ifd__lu_factor(N, S, pivot))
        return;
    ifd__lu_solve(N, S, pivot, 1, b);
    out[0] = b[x];
    out[1] = b[n + x];
}
