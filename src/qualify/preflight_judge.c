/* SPDX-License-Identifier: MIT */
/* Makes one check per line from the numbers, each with a remedy if it is not good. */
#include "qualify/preflight.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits of caution. */
static const double head_room = 0.9;                   /* of a limit */
static const double least_damping = 0.5;               /* of that on an ideal rig */
static const double half_tick = 0.5, whole_tick = 0.9; /* of a period, duration of a tick */
static const double late_caution = 0.5;  /* of a period: a tick that starts later has half of its time left */
static const double few_governed = 0.01; /* of all ticks */

typedef struct judging {
    ifd_arena *arena;
    const ifd_preflight_options *o;
    ifd_preflight *out;
} judging;

static void add(judging *j, const char *topic, ifd_verdict verdict, const char *advice, const char *format, ...)
    IFD_PRINTF(5, 6);

static void add(judging *j, const char *topic, ifd_verdict verdict, const char *advice, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ifd_preflight *p = j->out;
    if (p->checks == IFD_PREFLIGHT_CHECKS)
        return;
    const char *found = ifd_arena_text(j->arena, text);
    p->check[p->checks++] =
        (ifd_check){topic, found ? found : "", verdict == IFD_VERDICT_GO ? NULL : advice, verdict};
    p->verdict = verdict > p->verdict ? verdict : p->verdict;
}

static const char *print(judging *j, const char *format, ...) IFD_PRINTF(2, 3);

static const char *print(judging *j, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = ifd_arena_text(j->arena, text);
    return kept ? kept : "";
}

/* "12.3 ms", "84 mm/s", "1.5 MN": three digits and a prefix. */
static const char *quantity(judging *j, double value, const char *unit)
{
    static const struct {
        double above, factor;
        const char *prefix;
    } row[] = {{1e9, 1e-9, "G"}, {1e6, 1e-6, "M"}, {1e3, 1e-3, "k"}, {1.0, 1.0, ""},
               {1e-3, 1e3, "m"}, {1e-6, 1e6, "u"}, {1e-9, 1e9, "n"}};
    bool kilo = strcmp(unit, "N") == 0 || strcmp(unit, "N/s") == 0 || strcmp(unit, "J") == 0 ||
                strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0 || strcmp(unit, "N/m") == 0;
    bool milli = unit[0] == 'm' || strcmp(unit, "s") == 0;
    const double rounds_up = 0.9995; /* of one, in three digits: 0.9999 ms is 1 ms, not 1e+03 us */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool usual = row[i].factor == 1.0 || (row[i].factor < 1.0 ? kilo : milli);
        if (usual && fabs(value) >= rounds_up * row[i].above)
            return print(j, "%.3g %s%s", value * row[i].factor, row[i].prefix, unit);
    }
    return print(j, "%.3g %s", value, unit);
}

/* A quantity of an interface; lengths of a rotation are angles, its forces moments. */
static const char *of_kind(judging *j, const ifd_preflight_interface *c, double value, const char *unit)
{
    static const char *const angular[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"},
                                             {"N", "N m"}, {"N/s", "N m/s"}, {"J", "J"}};
    for (size_t i = 0; c->angular && i < sizeof angular / sizeof *angular; i++)
        if (strcmp(angular[i][0], unit) == 0)
            return print(j, "%.3g %s", value, angular[i][1]);
    return quantity(j, value, unit);
}

static const char *why_unstable(judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->stable_perfect)
        return print(
            j,
            "the rig is too late: an ideal one allows %s of pure delay; compensate the delay (interfield help "
            "compensation) or test slower (test: lambda)",
            quantity(j, p->pure_delay, "s"));
    if (p->stable_step > 0.0)
        return print(j, "also unstable on an ideal rig: a step of %s is stable; or give the specimen an 'estimate'",
                     quantity(j, p->stable_step, "s"));
    return "unstable on an ideal rig at any step: use another method, or an 'estimate' of the stiffness of the "
           "specimen";
}

/* ", 9.23 Hz damped 0.0423 % (0.0308 % on an ideal rig)" */
static const char *oscillation(judging *j, const ifd_margins *m)
{
    if (!isfinite(m->damping) || !isfinite(m->frequency))
        return "";
    const char *perfect =
        isfinite(m->perfect_damping) ? print(j, " (%.3g %% on an ideal rig)", 100.0 * m->perfect_damping) : "";
    return print(j, ", %.3g Hz damped %.3g %%%s", m->frequency, 100.0 * m->damping, perfect);
}

/* Growth that a specimen bounds by yielding gives CAUTION on the virtual rig, but NO-GO on a real rig. An
 * oscillation that grows only while the motion is too small to yield gives CAUTION on both. */
static void judge_unstable(judging *j)
{
    const ifd_preflight *p = j->out;
    bool bounded = !p->linear && p->finished && !p->diverged, small = !p->initial.stable && p->secant.stable;
    const ifd_margins *m = p->initial.stable ? &p->secant : &p->initial;
    const char *with = p->linear           ? ""
                       : p->initial.stable ? " with the secant stiffness"
                                           : " with the initial stiffness";
    const char *but = small ? "; stable with the secant stiffness" : "";
    const char *advice = p->initial.stable ? "improve the compensation, or test slower (test: lambda)"
                         : small && bounded
                             ? print(j, "expect a small oscillation until the specimen yields; %s", why_unstable(j))
                             : why_unstable(j);
    add(j, "stability", bounded && (small || !j->o->real) ? IFD_VERDICT_CAUTION : IFD_VERDICT_NO_GO, advice,
        "UNSTABLE%s: rho %.6g%s%s%s", with, m->radius, oscillation(j, m), but,
        bounded ? "; bounded in the dry run" : "");
}

static void judge_stability(judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = &p->initial;
    if (p->undecided || p->undecided_secant) {
        char text[256];
        add(j, "stability", IFD_VERDICT_NO_GO,
            "restrain motion without stiffness (a spring, a support), or give a nonlinear specimen a simpler twin",
            "%s", ifd__preflight_undecided(p, text, sizeof text));
        return;
    }
    if (!m->stable || !p->secant.stable) {
        judge_unstable(j);
        return;
    }
    bool weak =
        isfinite(m->perfect_damping) && m->perfect_damping > 0.0 && m->damping < least_damping * m->perfect_damping;
    add(j, "stability", weak ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "the rig removes much of the damping: improve the compensation, or test slower (test: lambda)", "rho %.6g%s",
        m->radius, oscillation(j, m));
}

/* "19.5 ms", "at least 200 ms". */
static const char *time_margin(judging *j, const ifd_reach *r)
{
    return print(j, "%s%s", r->found ? "" : "at least ", quantity(j, r->value, "s"));
}

static const char *percent_margin(judging *j, const ifd_reach *r)
{
    return print(j, "%s%.3g %%", r->found ? "" : "at least ", 100.0 * (r->value - 1.0));
}

static const char *range_margin(judging *j, const ifd_margins *m)
{
    return print(j, "from %s%.3g to %s%.3g", m->softer.found ? "" : "below ", m->softer.value,
                 m->stiffer.found ? "" : "above ", m->stiffer.value);
}

static const char *joint_margin(judging *j, const ifd_margins *m)
{
    double s = m->together.value;
    return print(j, "%s%s of delay, %.3g %% of gain and %.3g %% of stiffness", m->together.found ? "" : "at least ",
                 quantity(j, s * j->out->together_delay, "s"), 100.0 * (pow(IFD__LEAST_GAIN, s) - 1.0),
                 100.0 * (pow(IFD__LEAST_FACTOR, s) - 1.0));
}

/* The decisive margins: with the initial stiffness; if that is unstable, with the secant stiffness. */
static const ifd_margins *decisive(const ifd_preflight *p)
{
    return p->initial.stable ? &p->initial : &p->secant;
}

/* "; 31.5 ms with the secant stiffness", "" for linear specimens. */
static const char *and_secant(judging *j, const char *margin)
{
    const ifd_preflight *p = j->out;
    if (p->linear || !p->initial.stable)
        return "";
    return p->secant.stable ? print(j, "; %s with the secant stiffness", margin) : "; none with the secant stiffness";
}

static const char *stiffness_name(const ifd_preflight *p)
{
    return p->linear ? "" : p->initial.stable ? "initial stiffness" : "secant stiffness; none with the initial";
}

static void judge_delay(judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = decisive(p);
    double assumed = 0.0;
    for (int k = 0; k < p->interfaces; k++)
        assumed = fmax(assumed, p->interface[k].assumed);
    assumed += p->delay;
    add(j, "delay", ifd__preflight_little(p, &m->delay) ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "measure the delay before the test; a better compensation or a slower test (test: lambda) widens the margin",
        "margin %s (assumed delay %s%s%s)%s", time_margin(j, &m->delay), quantity(j, assumed, "s"),
        p->linear ? "" : ", ", stiffness_name(p), and_secant(j, time_margin(j, &p->secant.delay)));
    bool steep = m->gain.found && m->gain.value < IFD__LEAST_GAIN;
    add(j, "gain", steep ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO, "calibrate the gain of the actuator before the test",
        "margin %s%s%s%s%s", percent_margin(j, &m->gain), p->linear ? "" : " (", stiffness_name(p),
        p->linear ? "" : ")", and_secant(j, percent_margin(j, &p->secant.gain)));
}

static void judge_specimen(judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = decisive(p);
    bool narrow = (m->stiffer.found && m->stiffer.value < IFD__LEAST_FACTOR) ||
                  (m->softer.found && m->softer.value > 1.0 / IFD__LEAST_FACTOR);
    add(j, "specimen", narrow ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "measure its stiffness at small amplitude first; an 'estimate' or a better compensation widens the margin",
        "stable %s times its %s%s", range_margin(j, m),
        p->linear           ? "assumed stiffness"
        : p->initial.stable ? "initial stiffness"
                            : "secant stiffness",
        and_secant(j, range_margin(j, &p->secant)));
    if (m->heavier.value == 0.0)
        return;
    bool heavy = m->heavier.found && m->heavier.value < IFD__LEAST_FACTOR;
    add(j, "mass", heavy ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "determine the mass that the actuator moves; assign more of the mass to the model",
        "stable up to %s%.3g times its mass", m->heavier.found ? "" : "more than ", m->heavier.value);
}

static void judge_together(judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = decisive(p);
    bool little = m->together.found && m->together.value < 1.0;
    add(j, "together", little ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "small errors of delay, gain and stiffness add up: measure all three before the test",
        "margin %s at once%s%s%s%s", joint_margin(j, m), p->linear ? "" : " (", stiffness_name(p),
        p->linear ? "" : ")", and_secant(j, joint_margin(j, &p->secant)));
}

static const char *of_channel(judging *j, int k)
{
    return j->out->interfaces > 1 ? print(j, "%s ", j->out->interface[k].name) : "";
}

typedef struct limit {
    const char *topic, *unit;
    size_t found, limit; /* offsets in ifd_preflight_interface and ifd_limits */
    bool held;           /* the governor reduces the command to it; other limits trip */
    const char *advice;
} limit;

static const limit limits[] = {
    {"velocity", "m/s", offsetof(ifd_preflight_interface, velocity), offsetof(ifd_limits, velocity), true,
     "scale the motion, test slower (test: lambda), or raise the limit"},
    {"acceleration", "m/s2", offsetof(ifd_preflight_interface, acceleration), offsetof(ifd_limits, acceleration),
     true, "scale the motion, test slower (test: lambda), compensate less, or raise the limit"},
    {"force", "N", offsetof(ifd_preflight_interface, force), offsetof(ifd_limits, force), false,
     "scale the motion, or raise the limit if rig and specimen tolerate it"},
    {"force rate", "N/s", offsetof(ifd_preflight_interface, force_rate), offsetof(ifd_limits, force_rate), false,
     "test slower (test: lambda), or raise the limit"},
    {"tracking", "m", offsetof(ifd_preflight_interface, tracking), offsetof(ifd_limits, tracking), false,
     "improve the compensation, test slower (test: lambda), or raise the limit"},
    {"energy", "J", offsetof(ifd_preflight_interface, energy), offsetof(ifd_limits, energy), false,
     "improve the compensation, or raise the limit"},
};

/* Above a limit of the governor the test continues on a changed path; the dry run shows the effect. */
static ifd_verdict beyond(const ifd_preflight *p, const limit *l, double share)
{
    if (share > 1.0) {
        bool harmless = l->held && p->finished && p->error_rms <= p->error_bound;
        return harmless ? IFD_VERDICT_CAUTION : IFD_VERDICT_NO_GO;
    }
    return share > head_room ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO;
}

/* Force and tracking limits protect a specimen from all other errors: a real rig does not start without them. */
static void judge_missing(judging *j, int k, const limit *l)
{
    if (l->limit == offsetof(ifd_limits, force) || l->limit == offsetof(ifd_limits, tracking))
        add(j, l->topic, IFD_VERDICT_CAUTION,
            "give the specimen this limit (interfield help limits); a real rig is refused without it",
            "%sno limit: nothing stops the test if it grows", of_channel(j, k));
}

static void judge_limit(judging *j, int k, const limit *l)
{
    const ifd_preflight_interface *c = &j->out->interface[k];
    double found, most;
    memcpy(&found, (const char *)c + l->found, sizeof found);
    memcpy(&most, (const char *)&j->o->test->interface[k].limits + l->limit, sizeof most);
    if (!isfinite(most)) {
        judge_missing(j, k, l);
        return;
    }
    add(j, l->topic, beyond(j->out, l, found / most), l->advice, "%spredicted %s of %s", of_channel(j, k),
        of_kind(j, c, found, l->unit), of_kind(j, c, most, l->unit));
}

/* Used fraction of the distance from the middle to either end. */
static void judge_stroke(judging *j, int k)
{
    const ifd_preflight_interface *c = &j->out->interface[k];
    const ifd_limits *l = &j->o->test->interface[k].limits;
    double middle = 0.5 * (l->low + l->high), half = 0.5 * (l->high - l->low);
    bool up = c->high - middle >= middle - c->low;
    double share = (up ? c->high - middle : middle - c->low) / half;
    add(j, "stroke",
        share > 1.0         ? IFD_VERDICT_NO_GO
        : share > head_room ? IFD_VERDICT_CAUTION
                            : IFD_VERDICT_GO,
        "scale the motion, or use an actuator with more stroke", "%spredicted %s of %s", of_channel(j, k),
        of_kind(j, c, up ? c->high : c->low, "m"), of_kind(j, c, up ? l->high : l->low, "m"));
}

static void judge_run(judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->finished) {
        double share = (double)p->governed / (double)(p->ticks > 0 ? p->ticks : 1);
        add(j, "dry run", share > few_governed ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
            "limits change the path: scale the motion, or raise the limits that act",
            "finished, a limit reduced %ld of %ld commands", p->governed, p->ticks);
        return;
    }
    const char *name =
        p->trip.channel >= 0 && p->trip.channel < p->interfaces ? p->interface[p->trip.channel].name : NULL;
    add(j, "dry run", IFD_VERDICT_NO_GO, "see the other checks", "ended at %.4g s: %s%s%s", p->reached,
        p->trip.trip != IFD_TRIP_NONE ? ifd_trip_text(p->trip.trip)
        : p->diverged                 ? "it diverged"
                                      : "it did not start",
        name ? ", channel " : "", name ? name : "");
}

static void judge_ramp_out(judging *j)
{
    const ifd_preflight *p = j->out;
    static const char *const where[] = {"at rest", "back at the start", "force returns to zero"};
    if (!p->finished)
        return;
    if (!p->out_done) {
        add(j, "ramp-out", IFD_VERDICT_NO_GO,
            "use another end of ramp-out (test: leave), or a better estimate of the stiffness",
            "does not end within %.3g s: %s", p->out_time, ifd_trip_text(p->out_trip.trip));
        return;
    }
    bool zero = j->o->test->ramp_out_end == IFD_RAMP_OUT_ZERO_FORCE;
    add(j, "ramp-out", p->out_rougher > 1.0 ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "rougher than the run: use a lower creep speed (test: creep)",
        "peak command acceleration %.2g m/s2, %s within %.2g s%s", p->out_acceleration,
        where[j->o->test->ramp_out_end], p->out_time,
        zero ? print(j, ", overshoot %.2g %%", 100.0 * p->out_overshoot) : "");
}

static void judge_error(judging *j)
{
    const ifd_preflight *p = j->out;
    if (!isfinite(p->error_rms)) {
        add(j, "error", IFD_VERDICT_CAUTION, "there is no comparison: the error of the test is unknown",
            "unknown: %s", p->finished ? "no ideal rig to compare with" : "the dry run did not finish");
        return;
    }
    ifd_verdict above = j->o->real ? IFD_VERDICT_NO_GO : IFD_VERDICT_CAUTION;
    add(j, "error", p->error_rms > p->error_bound ? above : IFD_VERDICT_GO,
        "improve the compensation, test slower (test: lambda), or allow more (test: error-bound)",
        "%.2g %% rms, %.2g %% peak, relative to an ideal rig at step h/4 (bound %.3g %% rms)", 100.0 * p->error_rms,
        100.0 * p->error_peak, 100.0 * p->error_bound);
}

/* Permitted lateness in periods before the test stops, by `overrun`. */
static double most_late(const ifd_hybrid_options *o)
{
    int allowed = o->late_limit > 0 ? o->late_limit : 5;
    return o->overrun == IFD_OVERRUN_EXTRAPOLATE ? allowed : 1.0;
}

/* NO-GO on a real rig if the test would stop because of the lateness measured on this machine. CAUTION on a real rig
 * from half a period on, or without priority; on the virtual rig from a whole period on, which is a missed
 * deadline. */
static ifd_verdict judge_lateness(const judging *j)
{
    const ifd_executor_report *g = &j->out->granted;
    double late = g->late_max / j->out->period;
    if (!j->o->real)
        return late > 1.0 ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO;
    if (late > most_late(j->o->test))
        return IFD_VERDICT_NO_GO;
    return late > late_caution || !g->fifo ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO;
}

static void judge_clock(judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_executor_report *g = &p->granted;
    ifd_verdict verdict = p->tick_p99 > whole_tick * p->period  ? IFD_VERDICT_NO_GO
                          : p->tick_max > half_tick * p->period ? IFD_VERDICT_CAUTION
                                                                : IFD_VERDICT_GO;
    add(j, "time", verdict, "use a longer step, fewer dofs, a slower test (test: lambda) or a faster machine",
        "worst tick %s of %s on this machine, p99 %s%s", quantity(j, p->tick_max, "s"), quantity(j, p->period, "s"),
        quantity(j, p->tick_p99, "s"), p->threads ? " (on one thread)" : "");
    add(j, "clock", judge_lateness(j),
        "expect late ticks: give the program its rights and the tick a core (docs/realtime.md)",
        "FIFO %s, memory %s, core %s; an idle tick is up to %s late (period %s)", g->fifo ? "granted" : "refused",
        g->locked ? "locked" : "not locked", g->isolated ? "isolated" : "shared", quantity(j, g->late_max, "s"),
        quantity(j, p->period, "s"));
}

static void judge_machine(judging *j)
{
    const ifd_preflight *p = j->out;
    if (!j->o->free_running)
        judge_clock(j);
    else
        add(j, "clock", IFD_VERDICT_GO, NULL, "free-running: lateness and duration of ticks are not assessed");
    if (p->room > 0.0)
        add(j, "data",
            p->bytes > p->room         ? IFD_VERDICT_NO_GO
            : p->bytes > 0.5 * p->room ? IFD_VERDICT_CAUTION
                                       : IFD_VERDICT_GO,
            "record less (time: record-every), or to another disk", "%s, %s in total, %s free",
            quantity(j, p->rate, "B/s"), quantity(j, p->bytes, "B"), quantity(j, p->room, "B"));
    else
        add(j, "data", IFD_VERDICT_GO, NULL, "%s, %s in total", quantity(j, p->rate, "B/s"),
            quantity(j, p->bytes, "B"));
}

static void judge_rig(judging *j)
{
    const ifd_preflight *p = j->out;
    if (j->o->real)
        add(j, "twin", j->o->stated ? IFD_VERDICT_GO : IFD_VERDICT_CAUTION,
            "give every specimen its 'twin' (interfield help twin): without it these numbers belong to another rig",
            j->o->stated ? "the case describes the rig" : "the case does not describe the rig");
    if (p->delay > 0.0 || p->gain != 1.0)
        add(j, "corrected", IFD_VERDICT_GO, NULL,
            "the rig is assumed %s later than its twin, with a motion %.4g times as large",
            quantity(j, p->delay, "s"), p->gain);
}

/* Only checks that do not depend on the structure, because another program computes it. */
static void judge_led(judging *j)
{
    const ifd_preflight *p = j->out;
    add(j, "stability", IFD_VERDICT_CAUTION,
        "serve the script on the virtual rig first (--set test.rig=virtual --as-fast-as-possible)",
        "not examined, nor are error and margins: another program computes the structure");
    if (p->finished)
        add(j, "dry run", IFD_VERDICT_GO, NULL, "two cycles at a quarter of the limits, and ramp-out: %ld ticks",
            p->ticks);
    else
        add(j, "dry run", IFD_VERDICT_NO_GO, "see `interfield help` of that limit, and the twin of the specimen",
            "two cycles at a quarter of the limits ended by %s: %s", ifd_trip_name(p->trip.trip),
            ifd_trip_text(p->trip.trip));
    for (int k = 0; k < p->interfaces; k++)
        add(j, "tracking", IFD_VERDICT_GO, NULL, "%sup to %s behind in these cycles", of_channel(j, k),
            of_kind(j, &p->interface[k], p->interface[k].tracking, "m"));
    judge_machine(j);
}

void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out)
{
    judging j = {arena, o, out};
    judge_rig(&j);
    if (o->master) {
        judge_led(&j);
        return;
    }
    if (out->examined)
        judge_stability(&j);
    else
        add(&j, "stability", IFD_VERDICT_CAUTION, "reduce the model (interfield help condense) to examine it",
            "not examined: too many state numbers; only the dry run shows stability");
    if (out->examined && (out->initial.stable || out->secant.stable)) {
        judge_delay(&j);
        judge_specimen(&j);
        judge_together(&j);
    }
    judge_run(&j);
    judge_ramp_out(&j);
    for (int k = 0; k < out->interfaces; k++) {
        judge_stroke(&j, k);
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
            judge_limit(&j, k, &limits[i]);
    }
    judge_error(&j);
    judge_machine(&j);
}
