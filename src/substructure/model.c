/* SPDX-License-Identifier: MIT */
/* One model with its method: stages according to the schedule. */
#include "method/stepper.h"
#include "substructure/substructure.h"

static void initial(const ifd__substructure *s, double *x)
{
    ifd_stepper_initial(s->stepper, x);
}

static void begin(const ifd__substructure *s, double *x)
{
    const double *load = s->model[0].load;
    ifd_stepper_start(s->stepper, 0.0, load, x);
    for (int i = 0; i < s->schedule.lead_in; i++)
        ifd_stepper_stage(s->stepper, i, 0.0, load, x);
}

/* A stage of the next step may run after the end of this one: it writes stage rows only. */
static void exchange(const ifd__substructure *s, int k, double *step, double *x)
{
    const ifd__due *due = &s->schedule.due[k];
    int stage = due->stage;
    for (int i = 0; i < due->count; i++) {
        ifd_stepper_stage(s->stepper, stage, s->step * *step, s->model[0].load, x);
        if (++stage == s->schedule.stages) {
            stage = 0;
            *step += 1.0;
        }
    }
}

static double target(const ifd__substructure *s, int k, double step, const double *x)
{
    int stage = s->schedule.due[k].stage;
    ifd_stepper_aim(s->stepper, stage, s->step * step, x, s->model[0].u, s->model[0].v);
    return s->step * step + s->step * s->stepper->method->at[stage];
}

static ifd_fault fault(const ifd__substructure *s, const double *x)
{
    return ifd__fault_of_step(ifd_stepper_fault(s->stepper, x));
}

static const ifd__substructure_ops one_model = {
    .name = "model", .initial = initial, .begin = begin, .exchange = exchange, .target = target, .fault = fault};

ifd_status ifd__substructure_model(ifd_arena *arena, const ifd__substructure_options *opt, ifd__substructure *s,
                                   ifd_note *note)
{
    bool measured = opt->links > 0;
    IFD_TRY(ifd_stepper_make(arena, opt->step, opt->model, &s->stepper, note));
    ifd_status status = ifd__schedule_make(arena, s->stepper, measured, &s->schedule);
    if (status == IFD_UNSUPPORTED)
        return ifd_note_add(note, status, NULL,
                            "method %s iterates on the force and does not support a specimen: use another method",
                            opt->step->method->name);
    IFD_TRY(status);
    IFD_TRY(ifd__numerical_models(arena, s, 1));
    s->ops = &one_model;
    s->step = ifd_stepper_step(s->stepper);
    s->exchanges = s->schedule.ticks;
    s->lead_in = s->schedule.lead_in > 0;
    s->size = ifd_stepper_size(s->stepper);
    s->row = ifd_stepper_states(s->stepper, &s->rows);
    s->model[0] = (ifd__numerical_model){.m = opt->model, .measured = measured};
    return IFD_OK;
}
