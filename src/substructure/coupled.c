/* SPDX-License-Identifier: MIT */
/* A coupled set: ticks of its coupling. Substructures with a specimen are measured. */
#include "couple/rts.h"
#include "couple/worker.h"
#include "substructure/substructure.h"

static void set_measured_loads(const ifd__substructure *s)
{
    for (int p = 0; p < s->models; p++)
        if (s->model[p].measured)
            ifd__coupled_measured(s->coupled, p, s->model[p].load);
}

static void initial(const ifd__substructure *s, double *x)
{
    ifd__coupled_initial(s->coupled, x);
}

static void begin(const ifd__substructure *s, double *x)
{
    set_measured_loads(s);
    ifd__coupled_start(s->coupled, 0.0, x);
}

static void exchange(const ifd__substructure *s, int k, double *step, double *x)
{
    set_measured_loads(s);
    ifd__coupled_tick(s->coupled, k, s->step * *step, x);
    if (k == s->exchanges - 1)
        *step += 1.0;
}

/* The first exchange is at the start of the step, or one later with a lead-in. */
static double target(const ifd__substructure *s, int k, double step, const double *x)
{
    for (int p = 0; p < s->models; p++)
        if (s->model[p].measured)
            ifd__coupled_aim(s->coupled, k, x, p, s->model[p].u, s->model[p].v);
    return s->step * (step + (double)(k + s->lead_in) / s->exchanges);
}

/* A job begins at the first exchange of a step; the last exchange waits for it. */
static bool ready(const ifd__substructure *s, int k, double seconds)
{
    const double mercy = 100.0; /* a job that begins and ends within one exchange is waited for inside it */
    ifd__coupled *c = s->coupled;
    bool clocked = seconds > 0.0;
    c->patience = !clocked ? IFD__JOB_PATIENCE : s->exchanges == 1 ? mercy * seconds : seconds;
    return k < s->exchanges - 1 || ifd__coupled_jobs_wait(c);
}

static bool whole(const ifd__substructure *s, int k)
{
    (void)s;
    return k == 0;
}

static ifd_fault fault(const ifd__substructure *s, const double *x)
{
    return ifd__fault_of_step((ifd_step_fault)(int)x[s->coupled->fault]);
}

static double rehearsed(const ifd__substructure *s, double tolerance, const double *noise, double *x)
{
    set_measured_loads(s);
    return ifd__rts_rehearsed(s->coupled, tolerance, noise, x);
}

static const ifd__substructure_ops coupled_set = {.name = "coupled",
                                                  .initial = initial,
                                                  .begin = begin,
                                                  .exchange = exchange,
                                                  .target = target,
                                                  .ready = ready,
                                                  .whole = whole,
                                                  .fault = fault,
                                                  .rehearsed = rehearsed};

ifd_status ifd__substructure_coupled(ifd_arena *arena, const ifd__substructure_options *opt, ifd__substructure *s,
                                     ifd_note *note)
{
    ifd_couple_options couple;
    IFD_TRY(ifd__couple_linked(arena, opt->couple, opt->links, opt->link, &couple, note));
    IFD_TRY(ifd__coupled_make(arena, &couple, &s->coupled, note));
    IFD_TRY(ifd__numerical_models(arena, s, couple.parts));
    s->ops = &coupled_set;
    s->step = couple.h;
    s->exchanges = s->coupled->ticks;
    s->lead_in = s->coupled->lead_in;
    s->period = s->coupled->period;
    s->rehearsed = s->coupled->rehearsed;
    s->size = s->coupled->size;
    s->row = s->coupled->row;
    s->rows = s->coupled->rows;
    for (int p = 0; p < couple.parts; p++) {
        const ifd__member *m = &s->coupled->member[p];
        s->model[p] = (ifd__numerical_model){.name = m->name, .m = m->model, .at = m->at, .measured = m->measured};
    }
    return IFD_OK;
}
