/* SPDX-License-Identifier: MIT */
/* One model with its method: stages by the schedule. */
#include "run/computed.h"

static void initial(const ifd__computed *s, double *x)
{
    ifd_stepper_initial(s->stepper, x);
}

static void begin(const ifd__computed *s, double *x)
{
    const double *load = s->piece[0].load;
    s->part.ops->begin(&s->part, 0.0, load, x);
    for (int i = 0; i < s->schedule.lead_in; i++)
        s->part.ops->stage(&s->part, i, 0.0, load, x);
}

static void exchange(const ifd__computed *s, int k, double *step, double *x)
{
    const ifd__due *due = &s->schedule.due[k];
    int stage = due->stage;
    for (int i = 0; i < due->count; i++) {
        s->part.ops->stage(&s->part, stage, s->step * *step, s->piece[0].load, x);
        if (++stage == s->schedule.stages) {
            stage = 0;
            *step += 1.0;
        }
    }
}

static void aim(const ifd__computed *s, int k, double step, const double *x)
{
    s->part.ops->aim(&s->part, s->schedule.due[k].stage, s->step * step, x, s->piece[0].u, s->piece[0].v);
}

static ifd_step_fault fault(const ifd__computed *s, const double *x)
{
    return s->part.ops->fault(&s->part, x);
}

static const ifd__computed_ops one_model = {
    .name = "model",
    .initial = initial,
    .begin = begin,
    .exchange = exchange,
    .aim = aim,
    .fault = fault,
};

ifd_status ifd__computed_one(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *s, ifd_note *note)
{
    IFD_TRY(ifd_stepper_make(arena, &opt->step, opt->model, &s->stepper, note));
    s->part = ifd__part_of_stepper(s->stepper);
    ifd_status status = ifd__schedule_make(arena, &s->part, true, &s->schedule);
    if (status == IFD_UNSUPPORTED)
        return ifd_note_add(note, status, NULL, "method %s iterates on the force and cannot work with a specimen",
                            opt->step.method->name);
    IFD_TRY(status);
    s->ops = &one_model;
    s->step = ifd_stepper_step(s->stepper);
    s->exchanges = s->schedule.ticks;
    s->lead_in = s->schedule.lead_in > 0;
    s->size = s->part.ops->size(&s->part);
    s->pieces = 1;
    s->piece = ifd_arena_take(arena, sizeof *s->piece);
    if (!s->piece)
        return IFD_NO_MEMORY;
    s->piece[0] = (ifd__computed_piece){.m = opt->model, .measured = true};
    return IFD_OK;
}
