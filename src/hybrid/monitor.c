/* SPDX-License-Identifier: MIT */
#include "hybrid/monitor.h"
#include "hybrid/columns.h"

#include <math.h>
#include <string.h>

#include "hybrid/monitor_actions.h"
#include "hybrid/response.h"
#include "hybrid/simulated_time.h"
#include "hybrid/unit.h"

/* Levels: of the ratio of energies, of the delay over its margin, of the energy that a specimen seems to deliver over
 * the largest stored energy, of the growth in three periods. */
static const double levels[IFD__RULES][IFD__LEVELS] = {{0.5, 0.85, 1.0},
                                                       {0.5, 0.75, 0.9},
                                                       {0.1, (double)INFINITY, (double)INFINITY},
                                                       {(double)INFINITY, (double)INFINITY, IFD__GROWTH}};
enum { ENERGY, DELAY, PASSIVITY, GROWTH };
static const ifd_trip faults[IFD__RULES] = {IFD_TRIP_LOOP_ENERGY, IFD_TRIP_LOOP_DELAY, IFD_TRIP_LOOP_PASSIVITY,
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

static IFD_RT ifd__watching *state_of(const ifd_hybrid *h)
{
    return (ifd__watching *)(h->x + h->watch_at);
}

static IFD_RT double *monitor_of(const ifd_hybrid *h, int k)
{
    return h->x + h->interface[k].monitor_at;
}

static IFD_RT const ifd__monitored *seen(const ifd_hybrid *h, int k)
{
    return (const ifd__monitored *)monitor_of(h, k);
}

static ifd_status check(const ifd_hybrid *h, ifd_note *note)
{
    const ifd_monitor_options *o = h->opt.monitor;
    bool slows = o->caution == IFD_MONITOR_SLOW || o->act == IFD_MONITOR_SLOW || o->hold == IFD_MONITOR_SLOW ||
                 o->passivity == IFD_MONITOR_SLOW;
    if (!(o->window > 0.0) || !(o->persist >= 0.0) || !(o->level >= 0.0) || !(o->delay_margin > 0.0) ||
        !(o->frequency >= 0.0) || o->caution == IFD_MONITOR_NONE || o->act == IFD_MONITOR_NONE ||
        o->hold == IFD_MONITOR_NONE ||
        !isfinite(o->window + o->persist + o->level + o->expected_delay + o->frequency))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "monitor: a number is out of range. Initialise with ifd_monitor_defaults()");
    if (!h->numerical.stepper && !h->numerical.coupled)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "monitor: the energy of the structure is needed, and another program computes it");
    IFD_TRY(ifd__remedy_make(h, note));
    if (slows && !ifd_hybrid_may_resume(&h->opt))
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "monitor: 'slow' would change the rate of a rate-dependent specimen: expected hold or "
                            "trip, or `test: {allow-resume: yes}`");
    return IFD_OK;
}

/* A method of second order integrates the force as it varies over a tick. */
static bool holds_force(const ifd_hybrid *h)
{
    return !h->opt.couple && h->opt.step.method && h->opt.step.method->order < 2;
}

static ifd_status make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(check(h, note));
    double window = h->opt.monitor->window * h->opt.lambda;
    int every = (int)fmax(1.0, fmin(round(window / (SLOTS * h->period)), 1e6));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->monitor, h->interfaces)));
    double most = fmin(index_to / h->opt.lambda, 0.4 / h->period), lines;
    const double band[] = {h->period, index_window * h->opt.lambda, index_from / h->opt.lambda, most};
    ifd__fei fei;
    IFD_TRY(ifd__fei_make(arena, band, &fei, &lines));
    for (int k = 0; k < h->interfaces; k++) {
        h->monitor[k] = (ifd__monitor){.h = h->period,
                                       .turn = 2.0 * M_PI * h->opt.monitor->frequency * h->period / h->opt.lambda,
                                       .fei = fei,
                                       .forget = exp(-h->period / (memory * h->opt.lambda)),
                                       .stiffness = h->interface[k].stiffness,
                                       .factor = h->interface[k].factor,
                                       .held = holds_force(h),
                                       .slots = SLOTS,
                                       .every = every};
        h->interface[k].monitor_at = h->size;
        h->size += ifd__monitor_size(&h->monitor[k]);
    }
    h->watch_at = h->size;
    h->size += IFD__DOUBLES(ifd__watching);
    ifd__remedy_layout(h);
    return IFD_OK;
}

void ifd__judge_again(ifd_hybrid *h)
{
    if (!h->opt.monitor)
        return;
    for (int k = 0; k < h->interfaces; k++)
        ifd__monitor_begin(&h->monitor[k], monitor_of(h, k));
    memset(state_of(h), 0, sizeof(ifd__watching));
    ifd__remedy_again(h);
}

static IFD_RT bool moves(const ifd_hybrid *h, int k)
{
    const ifd_limits *l = &h->interface[k].o->limits;
    double level = h->opt.monitor->level * 0.5 * (l->high - l->low);
    return seen(h, k)->square > level * level;
}

/* Of all interfaces together; 0: no verdict. */
static IFD_RT double ratio_of(const ifd_hybrid *h)
{
    double added = 0.0, lost = 0.0, stored = 0.0;
    bool known = true, any = false;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__monitored *m = seen(h, k);
        if (h->interface[k].o->force)
            continue;
        known = known && m->known > 0.0;
        any = any || moves(h, k);
        added += m->added;
        lost = m->dissipated;
        stored += m->stored;
    }
    for (int k = 0; k < h->interfaces; k++)
        lost += h->interface[k].o->force ? 0.0 : seen(h, k)->specimen;
    double bound = lost > least * stored ? lost : undamped * stored;
    return known && any && bound > 0.0 ? added / bound : 0.0;
}

/* s, of the measured position beyond what is expected; negative: early. */
static IFD_RT double late_by(const ifd_hybrid *h, int k)
{
    const ifd_monitor_options *o = h->opt.monitor;
    return seen(h, k)->delay - (o->expected_delays ? o->expected_delays[k] : o->expected_delay);
}

static IFD_RT double delay_of(const ifd_hybrid *h, int *who)
{
    double worst = 0.0;
    for (int k = 0; k < h->interfaces; k++) {
        double over = late_by(h, k) / h->opt.monitor->delay_margin; /* early: no delay */
        if (h->interface[k].o->force || !moves(h, k) || !(over > worst))
            continue;
        worst = over;
        *who = k;
    }
    return worst;
}

/* Energy that a specimen seems to deliver, over the largest stored energy. */
static IFD_RT double lack_of(const ifd_hybrid *h, int *who)
{
    double worst = 0.0;
    for (int k = 0; k < h->interfaces && h->opt.monitor->passivity != IFD_MONITOR_NONE; k++) {
        const ifd__monitored *m = seen(h, k);
        double over = m->stored > 0.0 ? -h->interface[k].factor * m->lack / m->stored : 0.0;
        if (h->interface[k].o->force || !moves(h, k) || !(over > worst))
            continue;
        worst = over;
        *who = k;
    }
    return worst;
}

/* Growth that was seen twice running; 0: none. */
static IFD_RT double growth_of(const ifd_hybrid *h, int *who)
{
    double worst = 0.0;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__monitored *m = seen(h, k);
        if (h->interface[k].o->force || !moves(h, k) || m->grown < 2.0 || !(m->growth > worst))
            continue;
        worst = m->growth;
        *who = k;
    }
    return worst;
}

/* Sum of the time functions that excite the structure now. */
static IFD_RT double excitation(const ifd_hybrid *h)
{
    double sum = 0.0, y[3], t = ifd_hybrid_time(h);
    for (int p = 0; p < h->numerical.models; p++) {
        const ifd_model *m = h->numerical.model[p].m;
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

static IFD_RT ifd_monitor_action action_at(const ifd_hybrid *h, int rule, int level)
{
    const ifd_monitor_options *o = h->opt.monitor;
    const ifd_monitor_action of[IFD__LEVELS] = {rule == PASSIVITY ? o->passivity : o->caution, o->act, o->hold};
    return of[level];
}

/* More lead for the interface, or for all; specimens that hardly move have no known delay. */
static IFD_RT ifd__retuning retune(ifd_hybrid *h, int who)
{
    double late[IFD_RIG_CHANNELS] = {0.0};
    for (int k = 0; k < h->interfaces; k++)
        late[k] = moves(h, k) ? late_by(h, k) : 0.0;
    return ifd__remedy_retune(h, late, who);
}

static IFD_RT ifd_action take(ifd_hybrid *h, int rule, int level, int who, double value, ifd_action worst)
{
    ifd_monitor_action what = action_at(h, rule, level);
    double limit = levels[rule][level];
    ifd_trip trip = faults[rule];
    if (what == IFD_MONITOR_NOTE || what == IFD_MONITOR_RETUNE) /* no lead is left */
        return ifd__fault_note(&h->faults, IFD_TRIP_LOOP_CAUTION, who, value, limit, worst);
    if (what == IFD_MONITOR_SLOW)
        return ifd__fault_note(&h->faults, ifd__time_slow(h, slowed) ? IFD_TRIP_LOOP_SLOWED : IFD_TRIP_LOOP_CAUTION,
                               who, value, limit, worst);
    if (what == IFD_MONITOR_DAMP)
        return ifd__fault_note(&h->faults, ifd__remedy_damp(h, who) ? IFD_TRIP_LOOP_DAMPED : IFD_TRIP_LOOP_CAUTION,
                               who, value, limit, worst);
    ifd__test_of(h)->watch_action = what == IFD_MONITOR_TRIP ? IFD_ACTION_TRIP : IFD_ACTION_HOLD;
    return ifd__fault_note(&h->faults, trip, who, value, limit, worst);
}

/* Retunes again and again until nothing is left to do; true: the level is not latched. */
static IFD_RT bool retuning(ifd_hybrid *h, int rule, int level, int who, double value)
{
    ifd__retuning done = retune(h, who);
    if (done == IFD__RETUNED)
        (void)ifd__fault_note(&h->faults, IFD_TRIP_LOOP_RETUNED, who, value, levels[rule][level], IFD_ACTION_NOTE);
    return done != IFD__RETUNE_SPENT;
}

static IFD_RT ifd_action judge(ifd_hybrid *h, int rule, double value, int who, ifd_action worst)
{
    ifd__watching *w = state_of(h);
    for (int level = 0; level < IFD__LEVELS; level++) {
        double *time = &w->time[rule * IFD__LEVELS + level];
        bool latched = *time < 0.0;
        if (latched)
            continue;
        *time = value > levels[rule][level] ? *time + h->period : 0.0;
        if (*time <= (rule == GROWTH ? 0.0 : h->opt.monitor->persist))
            continue;
        w->level = fmax(w->level, level + 1.0);
        if (action_at(h, rule, level) == IFD_MONITOR_RETUNE && retuning(h, rule, level, who, value))
            continue;
        *time = -1.0;
        worst = take(h, rule, level, who, value, worst);
    }
    return worst;
}

static IFD_RT ifd_action judge_all(ifd_hybrid *h, bool fresh, ifd_action worst)
{
    double excited = h->opt.monitor->frequency > 0.0 ? excitation(h) : 0.0;
    double dissipated = ifd__response_state_of(h)->balance.dissipated + ifd__remedy_work(h);
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        const ifd__monitor_in in = {.excitation = excited,
                                    .x = s->target,
                                    .v = s->target_v,
                                    .xm = s->measured_x,
                                    .f = s->measured_f - s->force_offset - ifd__rig_mass_force(h, k),
                                    .rate = ifd__time_rate(h),
                                    .dissipated = dissipated};
        if (ifd__rigs_fresh(h, k, fresh) && isfinite(in.xm) && isfinite(in.f))
            ifd__monitor_step(&h->monitor[k], &in, monitor_of(h, k));
    }
    int late = -1, lacks = -1, grows = -1;
    double over = delay_of(h, &late), lack = lack_of(h, &lacks), growth = growth_of(h, &grows);
    state_of(h)->ratio = ratio_of(h);
    worst = judge(h, ENERGY, state_of(h)->ratio, -1, worst);
    worst = judge(h, DELAY, over, late, worst);
    worst = judge(h, PASSIVITY, lack, lacks, worst);
    return judge(h, GROWTH, growth, grows, worst);
}

ifd_action ifd__judge_tick(ifd_hybrid *h, bool fresh, ifd_action worst)
{
    ifd_machine state = ifd__state_of(h);
    bool judges = state == IFD_MACHINE_RUN && fresh;
    double lack[IFD_RIG_CHANNELS] = {0.0};
    if (!h->opt.monitor || h->facts.frozen)
        return worst;
    if (state != IFD_MACHINE_RUN && state != IFD_MACHINE_HOLD) {
        ifd__remedy_stop(h);
        return worst;
    }
    if (judges)
        worst = judge_all(h, fresh, worst);
    for (int k = 0; k < h->interfaces; k++)
        lack[k] = seen(h, k)->lack;
    int spent = ifd__remedy_tick(h, judges ? lack : NULL);
    return spent < 0 ? worst
                     : ifd__fault_note(&h->faults, IFD_TRIP_LOOP_CAUTION, spent, h->opt.monitor->damp_energy,
                                       h->opt.monitor->damp_energy, worst);
}

static const ifd__column_row of_interface[] = {IFD__COLUMN(LOOP_DELAY, ifd__monitored, delay),
                                               IFD__COLUMN(LOOP_AMPLITUDE, ifd__monitored, amplitude),
                                               IFD__COLUMN(LOOP_DEFICIT, ifd__monitored, deficit),
                                               IFD__COLUMN(LOOP_FEI_DELAY, ifd__monitored, fei_delay),
                                               IFD__COLUMN(LOOP_FEI_AMPLITUDE, ifd__monitored, fei_amplitude),
                                               IFD__COLUMN(LOOP_GROWTH, ifd__monitored, growth)},
                             of_all[] = {IFD__COLUMN(LOOP_RATIO, ifd__watching, ratio),
                                         IFD__COLUMN(LOOP_LEVEL, ifd__watching, level)};

static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__column_set set = {.owner = h->interface[k].o->name,
                                     .block = seen(h, k),
                                     .row = of_interface,
                                     .rows = sizeof of_interface / sizeof *of_interface};
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    IFD_TRY(
        ifd__columns_add(h, arena, &(ifd__column_set){.owner = "", .block = state_of(h), .row = of_all, .rows = 2}));
    for (int k = 0; k < h->interfaces; k++)
        IFD_TRY(ifd__remedy_columns(h, arena, k));
    return IFD_OK;
}

static bool asked(const ifd_hybrid *h)
{
    return h->opt.monitor != NULL;
}

static IFD_RT void begin(ifd_hybrid *h)
{
    ifd__judge_again(h);
    ifd__remedy_begin(h);
}

static IFD_RT void judge_loop(ifd_hybrid *h, const ifd_tick_in *in, bool fresh, ifd_action *worst)
{
    (void)in;
    *worst = ifd__judge_tick(h, fresh, *worst);
}

static IFD_RT void aim(const ifd_hybrid *h, ifd_compensator_in *in)
{
    for (int k = 0; k < h->interfaces; k++)
        if (!h->interface[k].o->force)
            ifd__remedy_lead(h, k, &in[k]);
}

const ifd__unit ifd__unit_monitor = {.name = "monitor",
                                     .about = "stability of the loop, and actions on it",
                                     .h.asked = asked,
                                     .h.make = make,
                                     .h.columns = columns,
                                     .h.restart = begin,
                                     .h.judge = judge_loop,
                                     .h.begin = begin,
                                     .h.resume = ifd__judge_again,
                                     .h.aim = aim};
