/* SPDX-License-Identifier: MIT */
/* A model as specimen on the virtual rig. */
#include "rig/virtual/mounted.h"

#include <math.h>
#include <string.h>

#include "model/gravity.h"

static ifd_status check(const ifd_virtual_model *s, ifd_note *note)
{
    if (s->drives < 1 || s->drives > IFD_RIG_ACTUATORS)
        return ifd_note_add(note, IFD_RANGE, NULL, "specimen '%s' has %d actuators, expected 1 to %d", s->name,
                            s->drives, IFD_RIG_ACTUATORS);
    if (s->observed < 0 || (s->observed > 0 && s->observed >= s->model->n))
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "specimen '%s' has no dof %d", s->name, s->observed);
    for (int k = 0; k < s->drives; k++)
        if (s->support[k] < 0 || s->support[k] >= s->model->nsupport)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "specimen '%s' has no support %d", s->name,
                                s->support[k]);
    for (int i = 0; i < 2; i++)
        if (s->wall[i] < 0 || s->wall[i] > s->model->nsupport)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "specimen '%s' has no support %d", s->name,
                                s->wall[i] - 1);
    if (s->step.method->offline)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "specimen '%s': method %s cannot be used in real time",
                            s->name, s->step.method->name);
    return ifd__model_reaction_check(s->model, s->name, note);
}

/* Damping relative to prescribed supports remains relative. */
static ifd_status make_model(ifd__mounted *b, ifd_arena *arena)
{
    const ifd_virtual_model *s = b->setup;
    ifd_model *copy;
    const ifd_signal **driven, **all;
    size_t supports = (size_t)s->model->nsupport;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(driven, supports), IFD__ARRAY(all, supports), IFD__ARRAY(b->slot, supports),
                      IFD__ARRAY(b->motion, supports)));
    for (int k = 0; k < s->drives; k++)
        IFD_TRY(ifd__support_motion_make(arena, &b->slot[k], &driven[s->support[k]]));
    IFD_TRY(ifd__model_with_supports(arena, s->model, driven, &copy));
    for (int j = 0; j < s->model->nsupport; j++) {
        all[j] = driven[j];
        if (driven[j])
            continue;
        b->motion[b->prescribed] = s->model->support[j];
        IFD_TRY(ifd__support_motion_make(arena, &b->slot[s->drives + b->prescribed++], &all[j]));
    }
    copy->support = all;
    b->m = copy;
    return IFD_OK;
}

ifd_status ifd__mounted_make(ifd__mounted *b, ifd_arena *arena, const ifd_virtual_model *setup, double tick,
                             ifd_note *note)
{
    IFD_TRY(check(setup, note));
    ifd_step_options step = setup->step;
    *b = (ifd__mounted){.setup = setup,
                        .tick = tick,
                        .substeps = setup->substeps > 0 ? setup->substeps : 1,
                        .scale = setup->scale > 0.0 ? setup->scale : 1.0};
    IFD_TRY(make_model(b, arena));
    step.h = tick / b->substeps;
    IFD_TRY(ifd_stepper_make(arena, &step, b->m, &b->stepper, note));
    IFD_TRY(ifd__tangent_make(arena, b->m, &(ifd__tangent_options){.cm = 1.0}, &b->mass, note));
    size_t work = ifd__model_work(b->m), more = ifd__model_reaction_work(b->m);
    b->size = ifd__mounted_stepper_at(b) + ifd_stepper_size(b->stepper);
    b->wall_at = b->size;
    b->size += (setup->wall[0] > 0) + (setup->wall[1] > 0) + (b->prescribed > 0);
    return IFD__TAKE(arena, IFD__ARRAY(b->a, b->m->n), IFD__ARRAY(b->reaction, b->m->nsupport),
                     IFD__ARRAY(b->g, b->m->ns + 1), IFD__ARRAY(b->w, work > more ? work : more));
}

static double *motion_of(const ifd__mounted *b, double *x)
{
    return x + b->setup->drives;
}

static double *state_of(const ifd__mounted *b, double *x)
{
    return motion_of(b, x) + IFD__MOTION * b->setup->drives;
}

/* Prescribed supports move from the simulated time `from` to `to` (s) during a tick that begins at t. */
static IFD_RT void move_prescribed(const ifd__mounted *b, double t, double from, double to)
{
    double rate = (to - from) / b->tick, y[2][IFD__MOTION];
    for (int k = 0; k < b->prescribed; k++) {
        for (int end = 0; end < 2; end++) {
            ifd_signal_eval(b->motion[k], end ? to : from, y[end]);
            y[end][1] *= rate;
            y[end][2] *= rate * rate;
        }
        ifd__support_motion_hermite(b->slot[b->setup->drives + k], t, b->tick, y[0], y[1]);
    }
}

/* Forces of the load cells at t: accelerations from equilibrium, then the reactions. */
static void measure(const ifd__mounted *b, double t, double *x)
{
    const ifd_model *m = b->m;
    const double *u = state_of(b, x);
    ifd__point at = {.t = t, .u = u, .v = u + m->n, .s = u + 2 * m->n};
    ifd__model_balance(m, &at, b->a, b->g, b->w);
    (void)ifd__tangent_update(b->mass, &at);
    ifd__tangent_solve(b->mass, b->a);
    at.a = b->a;
    ifd__model_reaction(m, &at, b->reaction, b->w);
    for (int k = 0; k < b->setup->drives; k++)
        ifd__mounted_force(x)[k] = b->scale * b->reaction[b->setup->support[k]];
    for (int i = 0; i < 2 && b->setup->wall[i]; i++)
        x[b->wall_at + i] = b->scale * b->reaction[b->setup->wall[i] - 1];
}

void ifd__mounted_begin(const ifd__mounted *b, const double *at, double *x)
{
    double *motion = motion_of(b, x);
    memset(x, 0, sizeof *x * (size_t)b->size);
    for (int k = 0; k < b->setup->drives; k++) {
        motion[IFD__MOTION * k] = at[k];
        ifd__support_motion_point(b->slot[k], motion + IFD__MOTION * k);
    }
    move_prescribed(b, 0.0, 0.0, 0.0);
    ifd_stepper_initial(b->stepper, state_of(b, x));
    ifd_stepper_start(b->stepper, 0.0, NULL, state_of(b, x));
    measure(b, 0.0, x);
}

/* Before the run the tick ends at simulated time 0. Supports have no motion at negative times, so it begins there. */
void ifd__mounted_step(const ifd__mounted *b, double simulated_from, const double *to, double *x)
{
    double *motion = motion_of(b, x), h = b->tick / b->substeps, t = fmax(simulated_from, 0.0);
    for (int k = 0; k < b->setup->drives; k++)
        ifd__support_motion_hermite(b->slot[k], t, b->tick, motion + IFD__MOTION * k, to + IFD__MOTION * k);
    if (b->prescribed) {
        double *simulated = x + b->size - 1;
        move_prescribed(b, t, *simulated, simulated_from + b->tick);
        *simulated = simulated_from + b->tick;
    }
    for (int i = 0; i < b->substeps; i++)
        for (int stage = 0; stage < ifd_stepper_stages(b->stepper); stage++)
            ifd_stepper_stage(b->stepper, stage, t + i * h, NULL, state_of(b, x));
    memcpy(motion, to, sizeof *to * (size_t)(IFD__MOTION * b->setup->drives));
    measure(b, t + b->tick, x);
}
