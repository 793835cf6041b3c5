/* SPDX-License-Identifier: MIT */
/* The observers of rig/monitor.h in a test: levels, and what the test does when one is reached.
 *
 * Four rules judge the loop in the state run: the energy that the tracking errors of all interfaces add, over what is
 * dissipated; the delay of each interface over the delay margin of preflight; energy that a specimen seems to
 * deliver; growth of the oscillation with the least damping. A rule has the levels caution, act and hold, or some of
 * them. A level that lasts for `persist` is latched until the next resume or reset, and its action is taken once: a
 * note, half of the rate of simulated time, a hold, or a trip. Nothing is judged while the motion is small. */
#include <math.h>
#include <string.h>

#include "hybrid/monitor_actions.h"
#include "hybrid/unit.h"
#include "rig/monitor.h"

enum { LEVELS = 3, RULES = 4 };

#define WATCHING(ONE, MANY, BLOCK)                                                                                   \
    ONE(ratio, "", OF_TEST)                 /* of energies; 0: no verdict */                                         \
    MANY(time, RULES *LEVELS, "s", OF_TEST) /* of wall clock at each level of each rule */                           \
    ONE(level, "", OF_TEST)                 /* largest latched level, 0 to LEVELS */
IFD__STATE_BLOCK(watching, WATCHING);

/* Levels: of the ratio of energies, of the delay over its margin, of the energy that a specimen seems to deliver over
 * the largest stored energy, of the growth in three periods. */
static const double levels[RULES][LEVELS] = {{0.5, 0.85, 1.0},
                                             {0.5, 0.75, 0.9},
                                             {0.1, (double)INFINITY, (double)INFINITY},
                                             {(double)INFINITY, (double)INFINITY, IFD__GROWTH}};
enum { ENERGY, DELAY, PASSIVITY, GROWTH };
static const ifd_trip faults[RULES] = {IFD_TRIP_LOOP_ENERGY, IFD_TRIP_LOOP_DELAY, IFD_TRIP_LOOP_PASSIVITY,
                                       IFD_TRIP_LOOP_GROWTH};
/* Where less than this fraction of the largest stored energy is dissipated in a window, the energy that is added is
 * compared with a fraction of the stored energy instead: an undamped loop has no other bound. */
static const double least = 1e-4, undamped = 1e-2;
enum { SLOTS = 64 };
/* s, memory of the estimate of delay and amplitude, scaled with the time scale of the test. */
static const double memory = 0.5;
/* s and Hz of simulated time: window and band of the frequency evaluation index. */
static const double index_window = 2.0, index_from = 0.5, index_to = 10.0;
static const double slowed = 0.5; /* rate of simulated time */

void ifd_monitor_defaults(ifd_monitor_options *o)
{
    *o = (ifd_monitor_options){.caution = IFD_MONITOR_NOTE,
                               .act = IFD_MONITOR_NOTE,
                               .hold = IFD_MONITOR_HOLD,
                               .window = 1.0,
                               .persist = 0.1,
                               .level = 0.01,
                               .delay_margin = (double)INFINITY,
                               .passivity = IFD_MONITOR_NONE,
                               .most_lead = 5e-3,
                               .damp_energy = 0.05};
}

/* The monitor in a tick. Its state: a block of monitor_actions.h of each interface, that of all, then the observers
 * of each interface. */
typedef struct loop {
    const ifd__io *io;
    const ifd__facts *f;
    const ifd__monitor *monitor; /* of each interface */
    ifd__remedy *remedy;
    watching *all;
    double *observers;
} loop;

static IFD_RT loop loop_of(const ifd__io *io, const void *data, void *own)
{
    double *x = own;
    int remedies = io->f->interfaces * IFD__DOUBLES(ifd__remedy);
    return (loop){.io = io,
                  .f = io->f,
                  .monitor = data,
                  .remedy = (ifd__remedy *)x,
                  .all = (watching *)(x + remedies),
                  .observers = x + remedies + IFD__DOUBLES(watching)};
}

static IFD_RT double *observer_of(const loop *l, int k)
{
    return l->observers + k * ifd__monitor_size(l->monitor);
}

static IFD_RT const ifd__monitored *seen(const loop *l, int k)
{
    return (const ifd__monitored *)observer_of(l, k);
}

static ifd_status check(const ifd__facts *f, ifd_note *note)
{
    const ifd_monitor_options *o = f->opt->monitor;
    bool slows = o->caution == IFD_MONITOR_SLOW || o->act == IFD_MONITOR_SLOW || o->hold == IFD_MONITOR_SLOW ||
                 o->passivity == IFD_MONITOR_SLOW;
    if (!(o->window > 0.0) || !(o->persist >= 0.0) || !(o->level >= 0.0) || !(o->delay_margin > 0.0) ||
        !(o->frequency >= 0.0) || o->caution == IFD_MONITOR_NONE || o->act == IFD_MONITOR_NONE ||
        o->hold == IFD_MONITOR_NONE ||
        !isfinite(o->window + o->persist + o->level + o->expected_delay + o->frequency))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "monitor: a number is out of range. Initialise with ifd_monitor_defaults()");
    if (!f->numerical->stepper && !f->numerical->coupled)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "monitor: the energy of the structure is needed, and another program computes it");
    IFD_TRY(ifd__remedy_check(f, note));
    if (slows && !ifd_hybrid_may_resume(f->opt))
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "monitor: 'slow' would change the rate of a rate-dependent specimen: expected hold or "
                            "trip, or `test: {allow-resume: yes}`");
    return IFD_OK;
}

/* A method of second order integrates the force as it varies over a tick. */
static bool holds_force(const ifd_hybrid_options *o)
{
    return !o->couple && o->step.method && o->step.method->order < 2;
}

static ifd_status make(const ifd__facts *f, ifd_arena *arena, const void **data, ifd_note *note)
{
    const double lambda = f->opt->lambda, window = f->opt->monitor->window * lambda;
    ifd__monitor *m;
    IFD_TRY(check(f, note));
    int every = (int)fmax(1.0, fmin(round(window / (SLOTS * f->period)), 1e6));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m, f->interfaces)));
    double most = fmin(index_to / lambda, 0.4 / f->period), lines;
    const double band[] = {f->period, index_window * lambda, index_from / lambda, most};
    ifd__fei fei;
    IFD_TRY(ifd__fei_make(arena, band, &fei, &lines));
    for (int k = 0; k < f->interfaces; k++)
        m[k] = (ifd__monitor){.h = f->period,
                              .turn = 2.0 * M_PI * f->opt->monitor->frequency * f->period / lambda,
                              .fei = fei,
                              .forget = exp(-f->period / (memory * lambda)),
                              .stiffness = f->interface[k].stiffness,
                              .factor = f->interface[k].factor,
                              .held = holds_force(f->opt),
                              .slots = SLOTS,
                              .every = every};
    *data = m;
    return IFD_OK;
}

static int doubles(const ifd__facts *f, const void *data)
{
    return f->interfaces * (IFD__DOUBLES(ifd__remedy) + ifd__monitor_size(data)) + IFD__DOUBLES(watching);
}

/* At the start of a run and on resume everything is judged anew. */
static IFD_RT void resume(const ifd__io *io, const void *data, void *own)
{
    const loop l = loop_of(io, data, own);
    for (int k = 0; k < io->f->interfaces; k++)
        ifd__monitor_begin(&l.monitor[k], observer_of(&l, k));
    memset(l.all, 0, sizeof *l.all);
    ifd__remedy_again(io->f, l.remedy);
}

static IFD_RT bool moves(const loop *l, int k)
{
    const ifd_limits *limits = &l->f->interface[k].o->limits;
    double level = l->f->opt->monitor->level * 0.5 * (limits->high - limits->low);
    return seen(l, k)->square > level * level;
}

/* Of all interfaces together; 0: no verdict. */
static IFD_RT double ratio_of(const loop *l)
{
    double added = 0.0, lost = 0.0, stored = 0.0;
    bool known = true, any = false;
    for (int k = 0; k < l->f->interfaces; k++) {
        const ifd__monitored *m = seen(l, k);
        if (l->f->interface[k].o->force)
            continue;
        known = known && m->known > 0.0;
        any = any || moves(l, k);
        added += m->added;
        lost = m->dissipated;
        stored += m->stored;
    }
    for (int k = 0; k < l->f->interfaces; k++)
        lost += l->f->interface[k].o->force ? 0.0 : seen(l, k)->specimen;
    double bound = lost > least * stored ? lost : undamped * stored;
    return known && any && bound > 0.0 ? added / bound : 0.0;
}

/* s, of the measured position beyond what is expected; negative: early. */
static IFD_RT double late_by(const loop *l, int k)
{
    const ifd_monitor_options *o = l->f->opt->monitor;
    return seen(l, k)->delay - (o->expected_delays ? o->expected_delays[k] : o->expected_delay);
}

/* Delay over its margin; early: no delay. */
static IFD_RT double delay_of(const loop *l, int k)
{
    return late_by(l, k) / l->f->opt->monitor->delay_margin;
}

/* Energy that a specimen seems to deliver, over the largest stored energy. */
static IFD_RT double lack_of(const loop *l, int k)
{
    const ifd__monitored *m = seen(l, k);
    bool judged = l->f->opt->monitor->passivity != IFD_MONITOR_NONE && m->stored > 0.0;
    return judged ? -l->f->interface[k].factor * m->lack / m->stored : 0.0;
}

/* Growth that was seen twice running; 0: none. */
static IFD_RT double growth_of(const loop *l, int k)
{
    return seen(l, k)->grown < 2.0 ? 0.0 : seen(l, k)->growth;
}

/* The largest value of an interface that moves; 0: none. */
static IFD_RT double worst_of(const loop *l, double (*value_of)(const loop *l, int k), int *who)
{
    double worst = 0.0;
    for (int k = 0; k < l->f->interfaces; k++) {
        double value = l->f->interface[k].o->force || !moves(l, k) ? 0.0 : value_of(l, k);
        if (!(value > worst))
            continue;
        worst = value;
        *who = k;
    }
    return worst;
}

/* Sum of the time functions that excite the structure now. */
static IFD_RT double excitation(const loop *l)
{
    double sum = 0.0, y[3], t = l->f->numerical->step * l->io->test->step;
    for (int p = 0; p < l->f->numerical->models; p++) {
        const ifd_model *m = l->f->numerical->model[p].m;
        for (int d = 0; d < 3; d++)
            if (m->ground[d].signal) {
                ifd_signal_eval(m->ground[d].signal, t, y);
                sum += y[0];
            }
        for (int i = 0; i < m->nload; i++) {
            ifd_signal_eval(m->load[i].signal, t, y);
            sum += y[0];
        }
    }
    return sum;
}

static IFD_RT ifd_monitor_action action_at(const loop *l, int rule, int level)
{
    const ifd_monitor_options *o = l->f->opt->monitor;
    const ifd_monitor_action of[LEVELS] = {rule == PASSIVITY ? o->passivity : o->caution, o->act, o->hold};
    return of[level];
}

/* More lead for the interface, or for all; specimens that hardly move have no known delay. */
static IFD_RT ifd__retuning retune(const loop *l, int who)
{
    double late[IFD_RIG_ACTUATORS] = {0.0};
    for (int k = 0; k < l->f->interfaces; k++)
        late[k] = moves(l, k) ? late_by(l, k) : 0.0;
    return ifd__remedy_retune(l->f, l->remedy, late, who);
}

static IFD_RT ifd_action take(const loop *l, int rule, int level, int who, double value, ifd_action worst)
{
    ifd_monitor_action what = action_at(l, rule, level);
    double limit = levels[rule][level];
    if (what == IFD_MONITOR_NOTE || what == IFD_MONITOR_RETUNE) /* no lead is left */
        return ifd__fault_note(l->io->faults, IFD_TRIP_LOOP_CAUTION, who, value, limit, worst);
    if (what == IFD_MONITOR_SLOW)
        return ifd__fault_note(l->io->faults,
                               ifd__faults_slow(l->io->faults, slowed) ? IFD_TRIP_LOOP_SLOWED : IFD_TRIP_LOOP_CAUTION,
                               who, value, limit, worst);
    if (what == IFD_MONITOR_DAMP)
        return ifd__fault_note(l->io->faults,
                               ifd__remedy_damp(l->f, l->remedy, who) ? IFD_TRIP_LOOP_DAMPED : IFD_TRIP_LOOP_CAUTION,
                               who, value, limit, worst);
    ifd_action action = what == IFD_MONITOR_TRIP ? IFD_ACTION_TRIP : IFD_ACTION_HOLD;
    return ifd__fault_of_monitor(l->io->faults, faults[rule], action, who, (const double[]){value, limit}, worst);
}

/* Retunes again and again until nothing is left to do; true: the level is not latched. */
static IFD_RT bool retuning(const loop *l, int rule, int level, int who, double value)
{
    ifd__retuning done = retune(l, who);
    if (done == IFD__RETUNED)
        (void)ifd__fault_note(l->io->faults, IFD_TRIP_LOOP_RETUNED, who, value, levels[rule][level], IFD_ACTION_NOTE);
    return done != IFD__RETUNE_SPENT;
}

static IFD_RT ifd_action judge(const loop *l, int rule, double value, int who, ifd_action worst)
{
    watching *w = l->all;
    for (int level = 0; level < LEVELS; level++) {
        double *time = &w->time[rule * LEVELS + level];
        bool latched = *time < 0.0;
        if (latched)
            continue;
        *time = value > levels[rule][level] ? *time + l->f->period : 0.0;
        if (*time <= (rule == GROWTH ? 0.0 : l->f->opt->monitor->persist))
            continue;
        w->level = fmax(w->level, level + 1.0);
        if (action_at(l, rule, level) == IFD_MONITOR_RETUNE && retuning(l, rule, level, who, value))
            continue;
        *time = -1.0;
        worst = take(l, rule, level, who, value, worst);
    }
    return worst;
}

static IFD_RT ifd_action judge_all(const loop *l)
{
    const ifd__io *io = l->io;
    double excited = l->f->opt->monitor->frequency > 0.0 ? excitation(l) : 0.0;
    double dissipated = io->balance->dissipated + ifd__remedy_work(l->f, l->remedy);
    for (int k = 0; k < l->f->interfaces; k++) {
        const ifd__interface_state *s = io->interface[k];
        const ifd__monitor_in in = {.excitation = excited,
                                    .x = s->target,
                                    .v = s->target_v,
                                    .xm = s->measured_x,
                                    .f = s->measured_f - s->force_offset - ifd__io_mass_force(io, k),
                                    .rate = ifd__io_rate(io),
                                    .dissipated = dissipated};
        if (io->renewed[k] && isfinite(in.xm) && isfinite(in.f))
            ifd__monitor_step(&l->monitor[k], &in, observer_of(l, k));
    }
    int late = -1, lacks = -1, grows = -1;
    double over = worst_of(l, delay_of, &late), lack = worst_of(l, lack_of, &lacks);
    double growth = worst_of(l, growth_of, &grows);
    l->all->ratio = ratio_of(l);
    ifd_action worst = judge(l, ENERGY, l->all->ratio, -1, IFD_ACTION_NOTE);
    worst = judge(l, DELAY, over, late, worst);
    worst = judge(l, PASSIVITY, lack, lacks, worst);
    return judge(l, GROWTH, growth, grows, worst);
}

static IFD_RT ifd_action judge_loop(const ifd__io *io, const void *data, void *own)
{
    const loop l = loop_of(io, data, own);
    bool judges = ifd__io_state(io) == IFD_MACHINE_RUN && io->fresh;
    double lack[IFD_RIG_ACTUATORS] = {0.0}, most = io->f->opt->monitor->damp_energy;
    if (io->f->frozen)
        return IFD_ACTION_NOTE;
    if (!ifd__io_simulates(io)) {
        ifd__remedy_stop(io->f, l.remedy);
        return IFD_ACTION_NOTE;
    }
    ifd_action worst = judges ? judge_all(&l) : IFD_ACTION_NOTE;
    for (int k = 0; k < io->f->interfaces; k++)
        lack[k] = seen(&l, k)->lack;
    int spent = ifd__remedy_tick(io, l.remedy, judges ? lack : NULL);
    return spent < 0 ? worst : ifd__fault_note(io->faults, IFD_TRIP_LOOP_CAUTION, spent, most, most, worst);
}

static const ifd__column_row of_interface[] = {IFD__COLUMN(LOOP_DELAY, ifd__monitored, delay),
                                               IFD__COLUMN(LOOP_AMPLITUDE, ifd__monitored, amplitude),
                                               IFD__COLUMN(LOOP_DEFICIT, ifd__monitored, deficit),
                                               IFD__COLUMN(LOOP_FEI_DELAY, ifd__monitored, fei_delay),
                                               IFD__COLUMN(LOOP_FEI_AMPLITUDE, ifd__monitored, fei_amplitude),
                                               IFD__COLUMN(LOOP_GROWTH, ifd__monitored, growth)},
                             of_all[] = {IFD__COLUMN(LOOP_RATIO, watching, ratio),
                                         IFD__COLUMN(LOOP_LEVEL, watching, level)};

static ifd_status columns(const ifd__unit_columns *to, const ifd__facts *f, const void *data, void *own)
{
    const loop l = loop_of(to->io, data, own);
    IFD_TRY(ifd__columns_of_interfaces(to, l.observers, ifd__monitor_size(l.monitor), of_interface,
                                       sizeof of_interface / sizeof *of_interface));
    IFD_TRY(ifd__columns_of_unit(to, &(ifd__column_set){.owner = "", .block = l.all, .row = of_all, .rows = 2}));
    return ifd__remedy_columns(to, f, l.remedy);
}

static bool asked(const ifd__facts *f)
{
    return f->opt->monitor != NULL;
}

static IFD_RT void begin(const ifd__io *io, const void *data, void *own)
{
    resume(io, data, own);
    memset(own, 0, sizeof(ifd__remedy) * (size_t)io->f->interfaces);
}

static IFD_RT void aim(const ifd__io *io, const void *data, const void *own, ifd_compensator_in *in)
{
    const ifd__remedy *r = own;
    (void)data;
    for (int k = 0; k < io->f->interfaces; k++)
        if (!io->f->interface[k].o->force && r[k].lead > 0.0)
            in[k].x += r[k].lead * in[k].v;
}

const ifd__unit ifd__unit_monitor = {.name = "monitor",
                                     .about = "stability of the loop, and actions on it",
                                     .asked = asked,
                                     .make = make,
                                     .doubles = doubles,
                                     .shown = offsetof(ifd__io, remedy),
                                     .columns = columns,
                                     .restart = begin,
                                     .judge = judge_loop,
                                     .begin = begin,
                                     .resume = resume,
                                     .aim = aim};
