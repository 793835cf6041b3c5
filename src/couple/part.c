/* SPDX-License-Identifier: MIT */
#include "couple/part.h"

static int size(const ifd__part *p)
{
    return ifd_stepper_size(p->stepper);
}

static int stages(const ifd__part *p)
{
    return ifd_stepper_stages(p->stepper);
}

static bool measures(const ifd__part *p, int stage)
{
    return ifd_stepper_method(p->stepper)->measures >> stage & 1u;
}

static void begin(const ifd__part *p, double t, const double *load, double *x)
{
    ifd_stepper_start(p->stepper, t, load, x);
}

static void stage(const ifd__part *p, int i, double t, const double *load, double *x)
{
    ifd_stepper_stage(p->stepper, i, t, load, x);
}

static void aim(const ifd__part *p, int i, double t, const double *x, double *u, double *v)
{
    ifd_stepper_aim(p->stepper, i, t, x, u, v);
}

static ifd_step_fault fault(const ifd__part *p, const double *x)
{
    return ifd_stepper_fault(p->stepper, x);
}

static const ifd__part_ops model_with_method = {
    .name = "model",
    .size = size,
    .stages = stages,
    .measures = measures,
    .begin = begin,
    .stage = stage,
    .aim = aim,
    .fault = fault,
};

ifd__part ifd__part_of_stepper(const ifd_stepper *stepper)
{
    return (ifd__part){.ops = &model_with_method, .stepper = stepper};
}
