/* SPDX-License-Identifier: MIT */
/* A structure cut into parts: ticks of its coupling. Parts on which a channel acts are measured ones. */
#include "couple/worker.h"
#include "run/program.h"
#include "run/remote.h"
#include "run/touch.h"

static void take_loads(const ifd__computed *s)
{
    for (int p = 0; p < s->pieces; p++)
        if (s->piece[p].measured)
            ifd__coupled_measured(s->coupled, p, s->piece[p].load);
}

static void initial(const ifd__computed *s, double *x)
{
    ifd__coupled_initial(s->coupled, x);
}

static void begin(const ifd__computed *s, double *x)
{
    take_loads(s);
    ifd__coupled_start(s->coupled, 0.0, x);
}

static void exchange(const ifd__computed *s, int k, double *step, double *x)
{
    take_loads(s);
    ifd__coupled_tick(s->coupled, k, s->step * *step, x);
    if (k == s->exchanges - 1)
        *step += 1.0;
}

static void aim(const ifd__computed *s, int k, double step, const double *x)
{
    (void)step;
    for (int p = 0; p < s->pieces; p++)
        if (s->piece[p].measured)
            ifd__coupled_aim(s->coupled, k, x, p, s->piece[p].u, s->piece[p].v);
}

/* A job begins with the first exchange of a step and is collected by the last. */
static bool ready(const ifd__computed *s, int k, double seconds)
{
    const double mercy = 100.0; /* a job that begins and ends in one exchange is waited for in the middle of it */
    ifd__coupled *c = s->coupled;
    bool clocked = seconds > 0.0;
    c->patience = !clocked ? IFD__JOB_PATIENCE : s->exchanges == 1 ? mercy * seconds : seconds;
    return k < s->exchanges - 1 || ifd__coupled_job_wait(c);
}

static ifd_step_fault fault(const ifd__computed *s, const double *x)
{
    return (ifd_step_fault)(int)x[s->coupled->fault];
}

static const ifd__computed_ops parts_coupled = {
    .name = "parts",
    .initial = initial,
    .begin = begin,
    .exchange = exchange,
    .aim = aim,
    .ready = ready,
    .fault = fault,
};

static ifd_status make_parts(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *s, ifd_note *note)
{
    ifd_couple_options couple;
    ifd__touch touch[IFD_RIG_CHANNELS];
    for (int k = 0; k < opt->channels; k++)
        touch[k] = (ifd__touch){opt->channel[k].part, opt->channel[k].from, opt->channel[k].to};
    IFD_TRY(ifd__couple_touched(arena, opt->couple, opt->channels, touch, &couple, note));
    const ifd_part_options *part = couple.part;
    s->piece = ifd_arena_array(arena, (size_t)couple.parts, sizeof *s->piece);
    if (!s->piece)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__coupled_make(arena, &couple, &s->coupled, note));
    s->ops = &parts_coupled;
    s->step = couple.h;
    s->exchanges = s->coupled->ticks;
    s->lead_in = s->coupled->lead_in;
    s->size = s->coupled->size;
    s->pieces = couple.parts;
    for (int p = 0; p < couple.parts; p++)
        s->piece[p] = (ifd__computed_piece){
            .name = part[p].name, .m = part[p].model, .at = s->coupled->member[p].at, .measured = part[p].measured};
    return IFD_OK;
}

ifd_status ifd__computed_make(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *s, ifd_note *note)
{
    *s = (ifd__computed){0};
    if (opt->remote)
        IFD_TRY(ifd__computed_remote(arena, opt, s, note));
    else if (opt->program)
        IFD_TRY(ifd__computed_program(arena, opt, s));
    else
        IFD_TRY(opt->couple ? make_parts(arena, opt, s, note) : ifd__computed_one(arena, opt, s, note));
    for (int p = 0; p < s->pieces; p++) {
        ifd__computed_piece *piece = &s->piece[p];
        size_t n = (size_t)piece->m->n;
        double *pool = ifd_arena_array(arena, 3 * n, sizeof *pool);
        if (!pool)
            return IFD_NO_MEMORY;
        piece->load = pool;
        piece->u = pool + n;
        piece->v = pool + 2 * n;
    }
    return IFD_OK;
}

void ifd__computed_close(ifd__computed *s)
{
    ifd__coupled_close(s->coupled);
}
