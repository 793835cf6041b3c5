/* SPDX-License-Identifier: MIT */
/* What follows from the numbers: one check per line, each with what to change when it is not well. */
#include "run/preflight.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where caution begins. */
static const double head_room = 0.9;     /* of a limit */
static const double least_damping = 0.5; /* of that on a perfect rig */
static const double most_error = 0.1;    /* rms */
static const double half_tick = 0.5, whole_tick = 0.9;
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
    double size = fabs(value);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool usual = row[i].factor == 1.0 || (row[i].factor < 1.0 ? kilo : milli);
        if (usual && size >= row[i].above)
            return print(j, "%.3g %s%s", value * row[i].factor, row[i].prefix, unit);
    }
    return print(j, "%.3g %s", value, unit);
}

/* A quantity of a channel; lengths of a rotation are angles, its forces moments. */
static const char *of_kind(judging *j, const ifd_preflight_channel *c, double value, const char *unit)
{
    static const char *const angular[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"},
                                             {"N", "N m"}, {"N/s", "N m/s"}, {"J", "J"}};
    for (size_t i = 0; c->angular && i < sizeof angular / sizeof *angular; i++)
        if (strcmp(angular[i][0], unit) == 0)
            return print(j, "%.3g %s", value, angular[i][1]);
    return quantity(j, value, unit);
}

static bool linear(const ifd_preflight *p)
{
    for (int k = 0; k < p->channels; k++)
        if (!p->channel[k].linear)
            return false;
    return true;
}

static const char *why_unstable(judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->stable_perfect)
        return print(
            j,
            "the rig is too late: a perfect one stands %s of pure delay; compensate the delay (interfield help "
            "compensation) or test slower (test: lambda)",
            quantity(j, p->pure_delay, "s"));
    if (p->stable_step > 0.0)
        return print(j, "unstable on a perfect rig too: a step of %s is stable; or give the specimen an 'estimate'",
                     quantity(j, p->stable_step, "s"));
    return "unstable on a perfect rig at any step: another method, or an 'estimate' of the specimen's stiffness";
}

static void judge_stability(judging *j)
{
    const ifd_preflight *p = j->out;
    char more[160] = "";
    if (isfinite(p->damping) && isfinite(p->frequency))
        snprintf(more, sizeof more, ", %.3g Hz damped %.3g %%", p->frequency, 100.0 * p->damping);
    size_t used = strlen(more);
    if (used && isfinite(p->perfect_damping))
        snprintf(more + used, sizeof more - used, " (%.3g %% on a perfect rig)", 100.0 * p->perfect_damping);
    if (!p->stable) {
        bool bounded = !linear(p) && p->finished && !p->diverged;
        add(j, "stability", bounded ? IFD_VERDICT_CAUTION : IFD_VERDICT_NO_GO, why_unstable(j),
            "UNSTABLE: rho %.6g%s%s", p->radius, more, bounded ? "; bounded in the dry run" : "");
        return;
    }
    bool weak =
        isfinite(p->perfect_damping) && p->perfect_damping > 0.0 && p->damping < least_damping * p->perfect_damping;
    add(j, "stability", weak ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "the rig takes much of the damping: improve the compensation, or test slower (test: lambda)", "rho %.6g%s",
        p->radius, more);
    if (!p->stable_at_rest)
        add(j, "at rest", IFD_VERDICT_CAUTION,
            "expect a small oscillation until it yields; improve the compensation, or give an 'estimate' of the "
            "first stiffness",
            "unstable while a specimen does not yield; bounded in the dry run: %s", p->finished ? "yes" : "no");
}

static void judge_delay(judging *j)
{
    const ifd_preflight *p = j->out;
    double assumed = 0.0;
    for (int k = 0; k < p->channels; k++)
        assumed = fmax(assumed, p->channel[k].assumed);
    assumed += p->delay;
    bool little = p->extra_delay.found && p->extra_delay.value < fmax(IFD__LEAST_DELAY * assumed, p->period);
    add(j, "delay", little ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "measure the delay before the test; a better compensation or a slower test (test: lambda) widens the margin",
        "assumed %s, stands %s%s more", quantity(j, assumed, "s"), p->extra_delay.found ? "" : "at least ",
        quantity(j, p->extra_delay.value, "s"));
    bool steep = p->extra_gain.found && p->extra_gain.value < IFD__LEAST_GAIN;
    add(j, "gain", steep ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO, "calibrate the actuator's gain before the test",
        "stands a motion %s%.3g %% too large", p->extra_gain.found ? "" : "at least ",
        100.0 * (p->extra_gain.value - 1.0));
}

static void judge_specimen(judging *j)
{
    const ifd_preflight *p = j->out;
    bool narrow = (p->stiffer.found && p->stiffer.value < IFD__LEAST_FACTOR) ||
                  (p->softer.found && p->softer.value > 1.0 / IFD__LEAST_FACTOR);
    add(j, "specimen", narrow ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "measure its stiffness at small amplitude first; an 'estimate' or a better compensation widens the margin",
        "stable from %s%.3g to %s%.3g x the twin's %sstiffness", p->softer.found ? "" : "below ", p->softer.value,
        p->stiffer.found ? "" : "above ", p->stiffer.value, linear(p) ? "" : "effective ");
    if (p->heavier.value == 0.0)
        return;
    bool heavy = p->heavier.found && p->heavier.value < IFD__LEAST_FACTOR;
    add(j, "mass", heavy ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "weigh what the actuator moves; give more of the mass to the model", "stable up to %s%.3g x the twin's mass",
        p->heavier.found ? "" : "more than ", p->heavier.value);
}

static void judge_together(judging *j)
{
    const ifd_preflight *p = j->out;
    double s = p->together.value;
    bool little = p->together.found && s < 1.0;
    add(j, "together", little ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "small errors of delay, gain and stiffness add up: measure all three before the test",
        "stands %s%s of delay, %.3g %% of gain and %.3g %% of stiffness at once",
        p->together.found ? "" : "at least ", quantity(j, s * p->together_delay, "s"),
        100.0 * (pow(IFD__LEAST_GAIN, s) - 1.0), 100.0 * (pow(IFD__LEAST_FACTOR, s) - 1.0));
}

static const char *of_channel(judging *j, int k)
{
    return j->out->channels > 1 ? print(j, "%s ", j->out->channel[k].name) : "";
}

typedef struct limit {
    const char *topic, *unit;
    size_t found, limit; /* offsets in ifd_preflight_channel and ifd_limits */
    bool held;           /* the governor keeps it by holding the command back; others trip */
    const char *advice;
} limit;

static const limit limits[] = {
    {"velocity", "m/s", offsetof(ifd_preflight_channel, velocity), offsetof(ifd_limits, velocity), true,
     "scale the motion, test slower (test: lambda), or raise the limit"},
    {"acceleration", "m/s2", offsetof(ifd_preflight_channel, acceleration), offsetof(ifd_limits, acceleration), true,
     "scale the motion, test slower (test: lambda), compensate less, or raise the limit"},
    {"force", "N", offsetof(ifd_preflight_channel, force), offsetof(ifd_limits, force), false,
     "scale the motion, or raise the limit if rig and specimen bear it"},
    {"force rate", "N/s", offsetof(ifd_preflight_channel, force_rate), offsetof(ifd_limits, force_rate), false,
     "test slower (test: lambda), or raise the limit"},
    {"tracking", "m", offsetof(ifd_preflight_channel, tracking), offsetof(ifd_limits, tracking), false,
     "improve the compensation, test slower (test: lambda), or raise the limit"},
    {"energy", "J", offsetof(ifd_preflight_channel, energy), offsetof(ifd_limits, energy), false,
     "improve the compensation, or raise the limit"},
};

/* Beyond a limit that is held the test goes on, on a path that is bent: how much that
 * matters the dry run has shown. */
static ifd_verdict beyond(const ifd_preflight *p, const limit *l, double share)
{
    if (share > 1.0) {
        bool harmless = l->held && p->finished && p->error_rms <= most_error;
        return harmless ? IFD_VERDICT_CAUTION : IFD_VERDICT_NO_GO;
    }
    return share > head_room ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO;
}

/* Force and tracking limits protect a specimen when all else is right: a real rig does not start without. */
static void judge_missing(judging *j, int k, const limit *l)
{
    if (l->limit == offsetof(ifd_limits, force) || l->limit == offsetof(ifd_limits, tracking))
        add(j, l->topic, IFD_VERDICT_CAUTION,
            "give the specimen this limit (interfield help limits); a real rig is refused without it",
            "%sno limit: nothing stops the test when it grows", of_channel(j, k));
}

static void judge_limit(judging *j, int k, const limit *l)
{
    const ifd_preflight_channel *c = &j->out->channel[k];
    double found, most;
    memcpy(&found, (const char *)c + l->found, sizeof found);
    memcpy(&most, (const char *)&j->o->test->channel[k].limits + l->limit, sizeof most);
    if (!isfinite(most)) {
        judge_missing(j, k, l);
        return;
    }
    add(j, l->topic, beyond(j->out, l, found / most), l->advice, "%spredicted %s of %s", of_channel(j, k),
        of_kind(j, c, found, l->unit), of_kind(j, c, most, l->unit));
}

/* Used of the way from the middle to either end. */
static void judge_stroke(judging *j, int k)
{
    const ifd_preflight_channel *c = &j->out->channel[k];
    const ifd_limits *l = &j->o->test->channel[k].limits;
    double middle = 0.5 * (l->low + l->high), half = 0.5 * (l->high - l->low);
    bool up = c->high - middle >= middle - c->low;
    double share = (up ? c->high - middle : middle - c->low) / half;
    add(j, "stroke",
        share > 1.0         ? IFD_VERDICT_NO_GO
        : share > head_room ? IFD_VERDICT_CAUTION
                            : IFD_VERDICT_GO,
        "scale the motion, or take an actuator with more stroke", "%spredicted %s of %s", of_channel(j, k),
        of_kind(j, c, up ? c->high : c->low, "m"), of_kind(j, c, up ? l->high : l->low, "m"));
}

static void judge_run(judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->finished) {
        double share = (double)p->governed / (double)(p->ticks > 0 ? p->ticks : 1);
        add(j, "dry run", share > few_governed ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
            "limits bend the path: scale the motion, or raise those that are in the way",
            "finished, %ld of %ld commands held back by a limit", p->governed, p->ticks);
        return;
    }
    const char *name =
        p->trip.channel >= 0 && p->trip.channel < p->channels ? p->channel[p->trip.channel].name : NULL;
    add(j, "dry run", IFD_VERDICT_NO_GO, "see what the checks above and below say about it",
        "ended at %.4g s: %s%s%s", p->reached,
        p->trip.trip != IFD_TRIP_NONE ? ifd_trip_text(p->trip.trip)
        : p->diverged                 ? "it diverged"
                                      : "it did not start",
        name ? ", channel " : "", name ? name : "");
}

static void judge_error(judging *j)
{
    const ifd_preflight *p = j->out;
    if (!isfinite(p->error_rms)) {
        add(j, "error", IFD_VERDICT_CAUTION, "nothing to compare with: the error of the test is not known",
            "unknown: %s", p->finished ? "no perfect rig to compare with" : "the dry run did not finish");
        return;
    }
    add(j, "error", p->error_rms > most_error ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "improve the compensation, or test slower (test: lambda)",
        "%.2g %% rms, %.2g %% peak, against a perfect rig at h/4", 100.0 * p->error_rms, 100.0 * p->error_peak);
}

static void judge_time(judging *j)
{
    const ifd_preflight *p = j->out;
    ifd_verdict verdict = p->tick_p99 > whole_tick * p->period  ? IFD_VERDICT_NO_GO
                          : p->tick_max > half_tick * p->period ? IFD_VERDICT_CAUTION
                                                                : IFD_VERDICT_GO;
    add(j, "time", verdict, "a longer step, fewer dofs, a slower test (test: lambda) or a faster machine",
        "worst tick %s of %s on this machine, p99 %s%s", quantity(j, p->tick_max, "s"), quantity(j, p->period, "s"),
        quantity(j, p->tick_p99, "s"), p->threads ? " (on one thread)" : "");
    const ifd_executor_report *g = &p->granted;
    bool late = g->late_max > half_tick * p->period || !g->fifo;
    add(j, "clock", late && j->o->real ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "expect late ticks: give the program its rights and the tick a core (docs/realtime.md)",
        "FIFO %s, memory %s, core %s; an idle tick is up to %s late", g->fifo ? "granted" : "refused",
        g->locked ? "locked" : "not locked", g->isolated ? "isolated" : "shared", quantity(j, g->late_max, "s"));
    if (p->room > 0.0)
        add(j, "data",
            p->bytes > p->room         ? IFD_VERDICT_NO_GO
            : p->bytes > 0.5 * p->room ? IFD_VERDICT_CAUTION
                                       : IFD_VERDICT_GO,
            "record less (time: record-every), or to another disk", "%s, %s in all, %s free",
            quantity(j, p->rate, "B/s"), quantity(j, p->bytes, "B"), quantity(j, p->room, "B"));
    else
        add(j, "data", IFD_VERDICT_GO, NULL, "%s, %s in all", quantity(j, p->rate, "B/s"),
            quantity(j, p->bytes, "B"));
}

static void judge_rig(judging *j)
{
    const ifd_preflight *p = j->out;
    if (j->o->real)
        add(j, "twin", j->o->stated ? IFD_VERDICT_GO : IFD_VERDICT_CAUTION,
            "give every specimen its 'twin' (interfield help twin): without one these numbers are those of another "
            "rig",
            j->o->stated ? "the case says what the rig is like" : "the case does not say what the rig is like");
    if (p->delay > 0.0 || p->gain != 1.0)
        add(j, "corrected", IFD_VERDICT_GO, NULL,
            "the rig is taken %s later than its twin, its motion %.4g times as large", quantity(j, p->delay, "s"),
            p->gain);
}

void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out)
{
    judging j = {arena, o, out};
    judge_rig(&j);
    if (out->examined)
        judge_stability(&j);
    else
        add(&j, "stability", IFD_VERDICT_CAUTION, "reduce the model (interfield help condense) to know",
            "not examined: too many state numbers; only the dry run speaks for it");
    if (out->examined && out->stable) {
        judge_delay(&j);
        judge_specimen(&j);
        judge_together(&j);
    }
    judge_run(&j);
    for (int k = 0; k < out->channels; k++) {
        judge_stroke(&j, k);
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
            judge_limit(&j, k, &limits[i]);
    }
    judge_error(&j);
    judge_time(&j);
}
