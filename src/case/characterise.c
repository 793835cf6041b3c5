/* SPDX-License-Identifier: MIT */
/* Turns the case of a test into that of its characterisation. */
#include <interfield/case.h>

#include <limits.h>

/* The tick of the test follows from its method; the virtual rig is used to find it. */
static ifd_status find_tick(ifd_arena *arena, const ifd_case *c, double *period, ifd_note *note)
{
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    o.rig = &ifd_virtual_rig;
    o.rig_setup = c->laboratory;
    o.rig_values = NULL;
    ifd_status status = ifd_hybrid_make(arena, &o, &h, note);
    if (status == IFD_OK)
        *period = ifd_hybrid_period(h);
    ifd_hybrid_close(h);
    return status;
}

/* Whether the motion of interface k of a test is a rotation. */
static bool turns(const ifd_hybrid_options *test, int k)
{
    const ifd_interface_options *o = &test->interface[k];
    const ifd_model *m = test->couple ? test->couple->part[o->part].model : test->model;
    int dof = o->to >= 0 ? o->to : o->from;
    ifd_dof_kind kind = m && dof >= 0 ? ifd_model_dof_kind(m, dof) : IFD_DOF_X;
    return kind >= IFD_DOF_RX && kind <= IFD_DOF_RZ;
}

static ifd_interface_options *channels_of(ifd_arena *arena, const ifd_hybrid_options *test)
{
    ifd_interface_options *channel = ifd_arena_array(arena, (size_t)test->interfaces, sizeof *channel);
    for (int k = 0; channel && k < test->interfaces; k++) {
        channel[k] = test->interface[k];
        channel[k].turns = turns(test, k);
        channel[k].part = 0;
        channel[k].from = IFD_GROUND;
        channel[k].to = k;
        channel[k].row = NULL;
        channel[k].origin = NULL;
        channel[k].compensator = NULL;
        channel[k].floor_motion = false; /* no ground motion */
        channel[k].mass = 0;             /* without a numerical model the rig carries no mass of it */
        channel[k].force = NULL;         /* displacement control, to identify the stiffness for the force loop */
    }
    return channel;
}

static void lead(ifd_hybrid_options *o, const ifd_interface_options *channel, const ifd_protocol *program)
{
    o->interface = channel;
    if (ifd_rigs_are_virtual(o->rig, o->rig_setup)) { /* a rig in this process waits for a late tick */
        o->overrun = IFD_OVERRUN_EXTRAPOLATE;
        o->late_limit = INT_MAX;
    }
    o->model = ifd_protocol_model(program);
    o->step.estimates = 0; /* they belong to dofs of the structure */
    o->couple = NULL;
    o->protocol = program;
    o->end = ifd_protocol_duration(program);
    o->lambda = 1;
    o->ticks_per_stage = 1;
    o->preload = false;
    o->elastic = NULL;
    o->characterised = NULL; /* it is measured again */
    o->ramp_out_end = IFD_RAMP_OUT_START;
    o->automatic = true;
}

ifd_status ifd_case_characterise(ifd_arena *arena, const ifd_case *c, ifd_case **out, ifd_note *note)
{
    ifd_case *own = ifd_arena_take(arena, sizeof *own);
    ifd_hybrid_options *test = ifd_arena_take(arena, sizeof *test);
    ifd_interface_options *channel = channels_of(arena, c->test);
    ifd_protocol_rig rig = {c->test->interfaces, channel, 0.0};
    ifd_protocol *program = NULL;
    if (!own || !test || !channel)
        return IFD_NO_MEMORY;
    IFD_TRY(find_tick(arena, c, &rig.period, note));
    IFD_TRY(ifd_protocol_make(arena, &c->day.characterise, &rig, &program, note));
    *test = *c->test;
    lead(test, channel, program);
    *own = *c;
    own->test = test;
    own->title = ifd_arena_print(arena, "Characterisation: %s", c->title);
    own->run.couple = NULL;
    own->run.model = test->model;
    own->run.step.h = rig.period;
    own->run.end = test->end;
    own->run.every = 1;
    *out = own;
    return own->title ? IFD_OK : IFD_NO_MEMORY;
}
