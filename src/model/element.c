/* SPDX-License-Identifier: MIT */
/* Finds rows of the element table, and moves elements for tests of their laws. */
#include "model/element.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ELEMENT(x) extern const ifd_element_ops ifd__element_##x;
#include "base/arena.h"
#include "model/element/elements.def"

const ifd_element_ops *const ifd_elements[] = {
#define ELEMENT(x) &ifd__element_##x,
#include "model/element/elements.def"
};

const int ifd_element_count = (int)(sizeof ifd_elements / sizeof *ifd_elements);

const ifd_element_ops *ifd_element_find(const char *name)
{
    for (int i = 0; i < ifd_element_count; i++)
        if (strcmp(ifd_elements[i]->name, name) == 0)
            return ifd_elements[i];
    return NULL;
}

ifd_dimension ifd__dimension_rotational(ifd_dimension dim)
{
    switch (dim) {
    case IFD_DIM_LENGTH:
        return IFD_DIM_ANGLE;
    case IFD_DIM_VELOCITY:
        return IFD_DIM_ANGULAR_RATE;
    case IFD_DIM_ACCELERATION:
        return IFD_DIM_ANGULAR_ACCELERATION;
    case IFD_DIM_MASS:
        return IFD_DIM_ROTATIONAL_INERTIA;
    case IFD_DIM_DAMPING:
        return IFD_DIM_ROTATIONAL_DAMPING;
    case IFD_DIM_STIFFNESS:
        return IFD_DIM_ROTATIONAL_STIFFNESS;
    case IFD_DIM_FORCE:
        return IFD_DIM_MOMENT;
    default:
        return dim;
    }
}

double ifd__move_at(const ifd_element_move *move, int c, double x)
{
    double h = move->to - move->from, dq = move->q1[c] - move->q0[c], y = 1.0 - x;
    return move->q0[c] + x * x * (3.0 - 2.0 * x) * dq + h * x * y * (y * move->v0[c] - x * move->v1[c]);
}

void ifd__element_stiffest_at_rest(ifd_element *e)
{
    static const double zero[64];
    static const ifd_element_in rest = {.q = zero, .qd = zero, .qdd = zero, .s = zero};
    if (e->nq == 1 && e->ns <= 64)
        e->stiffest = &rest;
}

ifd_status ifd__element_stiffest_at(ifd_element *e, ifd_arena *arena, double q, double qd, double s)
{
    ifd_element_in *in;
    double *x;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(in, 1), IFD__ARRAY(x, 4)));
    x[0] = q;
    x[1] = copysign(DBL_MIN, qd); /* a direction: what depends on the magnitude of the rate vanishes */
    x[2] = s;
    *in = (ifd_element_in){.q = x, .qd = x + 1, .s = x + 2, .qdd = x + 3};
    e->stiffest = in;
    return IFD_OK;
}

ifd_status ifd__element_keep(ifd_element *e, ifd_arena *arena, const void *data, size_t bytes)
{
    void *copy = ifd_arena_take(arena, bytes);
    if (!copy)
        return IFD_NO_MEMORY;
    memcpy(copy, data, bytes);
    e->data = copy;
    return IFD_OK;
}

ifd_status ifd_element_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    void *data = ifd_arena_take(arena, e->ops->bytes);
    if (!data)
        return IFD_NO_MEMORY;
    ifd_param_store(e->ops->params, values, data);
    e->data = data;
    return IFD_OK;
}

double ifd__element_number(const ifd_param *params, const ifd_value *values, const char *name)
{
    return ifd_param_get(params, values, name)->number;
}
