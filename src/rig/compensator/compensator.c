/* SPDX-License-Identifier: MIT */
/* Finds, makes and steps compensators by their rows. */
#include "rig/compensator/compensator.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "rig/virtual/servo.h"

const ifd_compensator_kind *const ifd_compensators[] = {
#define COMPENSATOR(x) &ifd__compensator_##x,
#include "rig/compensator/compensators.def"
};
const int ifd_compensator_count = sizeof ifd_compensators / sizeof *ifd_compensators;

const ifd_compensator_kind *ifd_compensator_find(const char *name)
{
    for (int i = 0; i < ifd_compensator_count; i++)
        if (strcmp(ifd_compensators[i]->name, name) == 0)
            return ifd_compensators[i];
    return NULL;
}

double ifd__compensator_number(const ifd_compensator *c, const ifd_value *values, const char *name)
{
    return ifd_param_get(c->kind->params, values, name)->number;
}

int ifd__compensator_states(ifd_compensator *c, const char *name, int count, ifd_state_kind kind)
{
    int offset = c->size;
    assert(c->rows < IFD_RIG_ROWS);
    c->row[c->rows++] = (ifd_state_row){name, offset, count, kind};
    c->size += count;
    return offset;
}

ifd_status ifd_compensator_make(ifd_arena *arena, const ifd_compensator_kind *kind, ifd_value *values, double h,
                                ifd_compensator **out, ifd_note *note)
{
    IFD_TRY(ifd_param_check(kind->params, values, kind->name, NULL, note));
    if (!(h > 0) || !isfinite(h))
        return ifd_note_add(note, IFD_RANGE, NULL, "compensation '%s': the tick is %g s, expected a positive time",
                            kind->name, h);
    ifd_compensator *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    c->kind = kind;
    c->h = h;
    c->look_ahead = ifd__compensator_number(c, values, "look-ahead");
    c->converter = (ifd_converter){ifd__compensator_number(c, values, "resolution"),
                                   ifd__compensator_number(c, values, "range")};
    ifd__compensator_states(c, "command", IFD_COMPENSATOR_TICKS, IFD_STATE_HISTORY);
    ifd__compensator_states(c, "ticks", 1, IFD_STATE_INTEGER);
    if (kind->make)
        IFD_TRY(kind->make(c, values, arena, note));
    *out = c;
    return IFD_OK;
}

void ifd_compensator_begin(const ifd_compensator *c, double x, double *s)
{
    memset(s, 0, sizeof *s * (size_t)c->size);
    s[IFD_COMPENSATOR_U] = x;
    if (c->kind->begin)
        c->kind->begin(c, x, s);
}

void ifd_compensator_correct(const ifd_compensator *c, const ifd_compensator_in *in, double *s)
{
    s[IFD_COMPENSATOR_F] = c->kind->correct ? c->kind->correct(c, in, s) : in->fm;
}

double ifd_compensator_step(const ifd_compensator *c, const ifd_compensator_in *in, double *s)
{
    double jerk = s[IFD_COMPENSATOR_TICKS] > 0 ? (in->a - s[IFD_COMPENSATOR_A]) / c->h : 0.0;
    const double target[4] = {in->x, in->v, in->a, jerk};
    if (!in->next || !c->kind->correct)
        ifd_compensator_correct(c, in, s);
    s[IFD_COMPENSATOR_A] = in->a;
    s[IFD_COMPENSATOR_TICKS] += 1.0;
    double u = c->kind->step(c, in, target, s);
    if (!in->frozen)
        u = ifd_converter_out(c->converter, u);
    if (c->kind->learn && !in->frozen)
        c->kind->learn(c, in, u, s);
    return s[IFD_COMPENSATOR_U] = u;
}

ifd_status ifd__compensator_plant(const ifd_compensator *c, const ifd_value *values, int count, double *a,
                                  ifd_note *note)
{
    const ifd_value *given = ifd_param_get(c->kind->params, values, "coefficients");
    if (given->given) {
        if (given->cols != count)
            return ifd_note_add(note, IFD_SHAPE, &given->place,
                                "compensation '%s': 'coefficients' has %d numbers, expected %d", c->kind->name,
                                given->cols, count);
        memcpy(a, given->data, sizeof *a * (size_t)count);
        return IFD_OK;
    }
    ifd__servo_plant plant = ifd__servo_benchmark;
    const ifd_param *params = c->kind->params;
    int bare = ifd_choice_find(params[ifd_param_find(params, "plant")].words, "bare");
    if (ifd__compensator_number(c, values, "plant") == bare)
        plant.e = (ifd__specimen){0, 0, 0};
    double all[6];
    ifd__servo_inverse(&plant, all);
    memcpy(a, all, sizeof *a * (size_t)count);
    return IFD_OK;
}

void ifd__ahead(int count, const double *a, double T, double *b)
{
    for (int j = 0; j < count; j++) {
        double term = 1.0;
        b[j] = 0.0;
        for (int i = j; i >= 0; i--) {
            b[j] += a[i] * term;
            term *= T / (j - i + 1);
        }
    }
}

double ifd__compensator_inverse(const ifd_compensator *c, int count, const double target[4], const double *s)
{
    double a[4], b[4], u = 0.0;
    c->kind->coefficients(c, s, a);
    ifd__ahead(count, a, c->look_ahead, b);
    for (int i = 0; i < count; i++)
        u += b[i] * target[i];
    return u;
}

double ifd__compensator_ahead(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4],
                              double *s)
{
    (void)in, (void)s;
    return ifd__target_ahead(target, c->look_ahead);
}

double ifd__target_ahead(const double target[4], double T)
{
    return target[0] + T * (target[1] + T / 2 * (target[2] + T / 3 * target[3]));
}
