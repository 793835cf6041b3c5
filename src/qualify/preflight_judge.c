/* SPDX-License-Identifier: MIT */
/* Makes one check per line from the numbers, each with a remedy if it is not good. */
#include "qualify/preflight.h"
#include "substructure/loading_protocol.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits of caution. */
static const double head_room = 0.9;     /* of a limit */
static const double least_damping = 0.5; /* of that on an ideal rig */
static const double least_used = 0.01;   /* of the stroke; below it the unit may be wrong */
static const double few_governed = 0.01; /* of all ticks */
static const double most_bound = 0.01;   /* error of a transfer function of superelements */

/* An advice without its marks, and without what they enclose if the test must not be slower. */
static const char *permitted(ifd__judging *j, const char *advice)
{
    bool slower = !j->o->test->rate_dependent;
    char text[512];
    size_t used = 0;
    int inside = 0;
    if (!advice || !strstr(advice, "[["))
        return advice;
    for (const char *p = advice; *p && used + 1 < sizeof text; p++) {
        bool opens = p[0] == '[' && p[1] == '[', closes = p[0] == ']' && p[1] == ']';
        if (opens || closes) {
            inside = opens;
            p++;
        } else if (slower || !inside)
            text[used++] = *p;
    }
    text[used] = '\0';
    const char *kept = ifd_arena_text(j->arena, text);
    return kept ? kept : "";
}

void ifd__judge_add(ifd__judging *j, const char *topic, ifd_verdict verdict, const char *advice, const char *format,
                    ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ifd_preflight *p = j->out;
    p->verdict = verdict > p->verdict ? verdict : p->verdict; /* also without room for its line */
    if (p->checks == IFD_PREFLIGHT_CHECKS)
        return;
    const char *found = ifd_arena_text(j->arena, text);
    p->check[p->checks++] =
        (ifd_check){topic, found ? found : "", verdict == IFD_VERDICT_GO ? NULL : permitted(j, advice), verdict};
}

const char *ifd__judge_print(ifd__judging *j, const char *format, ...)
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
const char *ifd__judge_quantity(ifd__judging *j, double value, const char *unit)
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
            return ifd__judge_print(j, "%.3g %s%s", value * row[i].factor, row[i].prefix, unit);
    }
    return ifd__judge_print(j, "%.3g %s", value, unit);
}

/* A quantity of an interface; lengths of a rotation are angles, its forces moments. */
static const char *of_kind(ifd__judging *j, const ifd_preflight_interface *c, double value, const char *unit)
{
    static const char *const angular[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"},
                                             {"N", "N m"}, {"N/s", "N m/s"}, {"J", "J"}};
    for (size_t i = 0; c->angular && i < sizeof angular / sizeof *angular; i++)
        if (strcmp(angular[i][0], unit) == 0)
            return ifd__judge_print(j, "%.3g %s", value, angular[i][1]);
    return ifd__judge_quantity(j, value, unit);
}

/* What helps without a rig, and is not yet there. */
static const char *without_rig(const ifd_hybrid_options *test)
{
    const ifd_couple_options *couple = test->couple;
    int estimates = couple ? 0 : test->step.estimates;
    for (int p = 0; couple && p < couple->parts; p++)
        estimates += couple->part[p].step.estimates;
    if (!estimates)
        return "give the specimen an 'estimate' of its stiffness";
    if (couple && couple->joints)
        return "use another coupling, such as pg-alpha, or move the cut away from the specimen";
    return "use another method, or another 'estimate' of the stiffness of the specimen";
}

static const char *why_unstable(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->stable_perfect)
        return ifd__judge_print(
            j,
            "the rig is too late: an ideal one allows %s of pure delay; compensate the delay (interfield help "
            "compensation)[[ or test slower (test: lambda)]]",
            ifd__judge_quantity(j, p->pure_delay, "s"));
    const char *helps = without_rig(j->o->test);
    if (p->stable_step > 0.0)
        return ifd__judge_print(j, "also unstable on an ideal rig: a step of %s is stable; or %s",
                                ifd__judge_quantity(j, p->stable_step, "s"), helps);
    return ifd__judge_print(j, "unstable on an ideal rig at any step: %s", helps);
}

/* ", 9.23 Hz damped 0.0423 % (0.0308 % on an ideal rig)" */
static const char *oscillation(ifd__judging *j, const ifd_margins *m)
{
    if (!isfinite(m->damping) || !isfinite(m->frequency))
        return "";
    const char *perfect = isfinite(m->perfect_damping)
                              ? ifd__judge_print(j, " (%.3g %% on an ideal rig)", 100.0 * m->perfect_damping)
                              : "";
    return ifd__judge_print(j, ", %.3g Hz damped %.3g %%%s", m->frequency, 100.0 * m->damping, perfect);
}

/* Of the specimens that are not linear: one that relaxes before one that yields; the largest stiffness in a fast
 * motion (N/m). */
static ifd__softening softening(const ifd__judging *j, double *fast)
{
    ifd__softening most = IFD__SOFTENS;
    *fast = 0.0;
    for (int k = 0; k < j->out->interfaces; k++) {
        const ifd_virtual_actuator bench = ifd__bench_of(j->o->test, j->o->twin, k);
        double stiffness;
        ifd__softening how = ifd__specimen_softening(&bench, &stiffness);
        if (j->out->interface[k].linear)
            continue;
        *fast = how == IFD__RELAXES ? fmax(*fast, stiffness) : *fast;
        most = how > most ? how : most;
    }
    return most;
}

/* Growth that a specimen bounds by yielding gives CAUTION on the virtual rig, but NO-GO on a real rig. An
 * oscillation that grows only while the motion is too small to yield gives CAUTION on both. */
static void judge_unstable(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    bool bounded = !p->linear && p->finished && !p->diverged, small = !p->initial.stable && p->secant.stable;
    const ifd_margins *m = p->initial.stable ? &p->secant : &p->initial;
    double fast;
    const ifd__softening how = softening(j, &fast);
    const char *with = p->linear           ? ""
                       : p->initial.stable ? " with the secant stiffness"
                                           : " with the initial stiffness";
    const char *but = small ? "; stable with the secant stiffness" : "";
    const char *advice =
        p->initial.stable  ? "improve the compensation[[, or test slower (test: lambda)]]"
        : small && bounded ? ifd__judge_print(j, "expect a small oscillation%s; %s",
                                              how == IFD__YIELDS ? " until the specimen yields" : "", why_unstable(j))
                           : why_unstable(j);
    const char *ends = bounded ? "; bounded in the dry run" : "";
    const ifd_verdict verdict = bounded && (small || !j->o->real) ? IFD_VERDICT_CAUTION : IFD_VERDICT_NO_GO;
    if (how == IFD__RELAXES && !p->initial.stable && isfinite(m->frequency))
        ifd__judge_add(j, "stability", verdict, advice,
                       "UNSTABLE with the stiffness of a fast motion (%s): the loop oscillates at %.3g Hz, rho "
                       "%.6g%s%s",
                       ifd__judge_quantity(j, fast, "N/m"), m->frequency, m->radius, but, ends);
    else
        ifd__judge_add(j, "stability", verdict, advice, "UNSTABLE%s: rho %.6g%s%s%s", with, m->radius,
                       oscillation(j, m), but, ends);
}

static void judge_stability(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = &p->initial;
    if (p->undecided || p->undecided_secant) {
        char text[256];
        ifd__judge_add(
            j, "stability", IFD_VERDICT_NO_GO,
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
    ifd__judge_add(j, "stability", weak ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                   "the rig removes much of the damping: improve the compensation[[, or test slower (test: lambda)]]",
                   "rho %.6g%s", m->radius, oscillation(j, m));
}

/* "19.5 ms", "at least 200 ms". */
static const char *time_margin(ifd__judging *j, const ifd_reach *r)
{
    return ifd__judge_print(j, "%s%s", r->found ? "" : "at least ", ifd__judge_quantity(j, r->value, "s"));
}

static const char *percent_margin(ifd__judging *j, const ifd_reach *r)
{
    return ifd__judge_print(j, "%s%.3g %%", r->found ? "" : "at least ", 100.0 * (r->value - 1.0));
}

static const char *range_margin(ifd__judging *j, const ifd_margins *m)
{
    return ifd__judge_print(j, "from %s%.3g to %s%.3g", m->softer.found ? "" : "below ", m->softer.value,
                            m->stiffer.found ? "" : "above ", m->stiffer.value);
}

static const char *joint_margin(ifd__judging *j, const ifd_margins *m)
{
    double s = m->together.value;
    return ifd__judge_print(j, "%s%s of delay, %.3g %% of gain and %.3g %% of stiffness",
                            m->together.found ? "" : "at least ",
                            ifd__judge_quantity(j, s * j->out->together_delay, "s"),
                            100.0 * (pow(IFD__LEAST_GAIN, s) - 1.0), 100.0 * (pow(IFD__LEAST_FACTOR, s) - 1.0));
}

/* The decisive margins: with the initial stiffness; if that is unstable, with the secant stiffness. */
static const ifd_margins *decisive(const ifd_preflight *p)
{
    return p->initial.stable ? &p->initial : &p->secant;
}

/* "; 31.5 ms with the secant stiffness", "" for linear specimens. */
static const char *and_secant(ifd__judging *j, const char *margin)
{
    const ifd_preflight *p = j->out;
    if (p->linear || !p->initial.stable)
        return "";
    return p->secant.stable ? ifd__judge_print(j, "; %s with the secant stiffness", margin)
                            : "; none with the secant stiffness";
}

static const char *stiffness_name(const ifd_preflight *p)
{
    return p->linear ? "" : p->initial.stable ? "initial stiffness" : "secant stiffness; none with the initial";
}

static void judge_delay(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = decisive(p);
    ifd__judge_add(
        j, "delay", ifd__preflight_little(p, &m->delay) ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "measure the delay before the test; a better compensation[[ or a slower test (test: lambda)]] widens the "
        "margin",
        "margin %s (assumed delay %s%s%s)%s", time_margin(j, &m->delay),
        ifd__judge_quantity(j, ifd__preflight_assumed(p), "s"), p->linear ? "" : ", ", stiffness_name(p),
        and_secant(j, time_margin(j, &p->secant.delay)));
    if (ifd__preflight_vast(p))
        return;
    bool steep = m->gain.found && m->gain.value < IFD__LEAST_GAIN;
    ifd__judge_add(j, "gain", steep ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                   "calibrate the gain of the actuator before the test", "margin %s%s%s%s%s",
                   percent_margin(j, &m->gain), p->linear ? "" : " (", stiffness_name(p), p->linear ? "" : ")",
                   and_secant(j, percent_margin(j, &p->secant.gain)));
}

static void judge_specimen(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = decisive(p);
    if (ifd__preflight_vast(p))
        return;
    bool narrow = (m->stiffer.found && m->stiffer.value < IFD__LEAST_FACTOR) ||
                  (m->softer.found && m->softer.value > 1.0 / IFD__LEAST_FACTOR);
    ifd__judge_add(
        j, "specimen", narrow ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
        "measure its stiffness at small amplitude first; an 'estimate' or a better compensation widens the margin",
        "stable %s times its %s%s", range_margin(j, m),
        p->linear           ? "assumed stiffness"
        : p->initial.stable ? "initial stiffness"
                            : "secant stiffness",
        and_secant(j, range_margin(j, &p->secant)));
    if (m->heavier.value == 0.0)
        return;
    bool heavy = m->heavier.found && m->heavier.value < IFD__LEAST_FACTOR;
    ifd__judge_add(j, "mass", heavy ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                   "determine the mass that the actuator moves; assign more of the mass to the model",
                   "stable up to %s%.3g times its mass", m->heavier.found ? "" : "more than ", m->heavier.value);
}

static void judge_together(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = decisive(p);
    bool little = m->together.found && m->together.value < 1.0;
    ifd__judge_add(j, "together", little ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                   "small errors of delay, gain and stiffness add up: measure all three before the test",
                   "margin %s at once%s%s%s%s", joint_margin(j, m), p->linear ? "" : " (", stiffness_name(p),
                   p->linear ? "" : ")", and_secant(j, joint_margin(j, &p->secant)));
}

/* Probing needs a loop that does not change. */
static void judge_adaptation(ifd__judging *j)
{
    for (int k = 0; k < j->o->test->interfaces; k++) {
        const ifd_compensator_kind *kind = j->o->test->interface[k].compensator;
        if (kind && kind->adapts) {
            ifd__judge_add(j, "adaptation", IFD_VERDICT_GO, NULL,
                           "%s was frozen at its initial values for stability and margins; only the dry run adapts",
                           kind->name);
            return;
        }
    }
}

/* Copies that updates may move. */
static void judge_copies(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    static const char narrower[] =
        "narrow 'range' of 'identify', or improve the compensation[[, or test slower (test: lambda)]]";
    if (!p->corners)
        return;
    const char *where =
        ifd__judge_print(j, "copies from %.3g to %.3g times their stiffness at the start (%d corners)",
                         p->corner_softest, p->corner_stiffest, p->corners);
    if (p->corners_stable)
        ifd__judge_add(j, "copies",
                       ifd__preflight_little(p, &p->corners_delay) ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO, narrower,
                       "stable with %s, delay margin %s", where, time_margin(j, &p->corners_delay));
    else
        ifd__judge_add(j, "copies", j->o->real ? IFD_VERDICT_NO_GO : IFD_VERDICT_CAUTION, narrower,
                       "NOT STABLE for %s: rho %.6g", where, p->corners_radius);
}

static const char *of_channel(ifd__judging *j, int k)
{
    return j->out->interfaces > 1 ? ifd__judge_print(j, "%s ", j->out->interface[k].name) : "";
}

typedef struct limit {
    const char *topic, *unit;
    size_t found, limit; /* offsets in ifd_preflight_interface and ifd_limits */
    bool held;           /* the governor reduces the command to it; other limits trip */
    const char *advice;
} limit;

static const limit limits[] = {
    {"velocity", "m/s", offsetof(ifd_preflight_interface, velocity), offsetof(ifd_limits, velocity), true,
     "scale the motion, [[test slower (test: lambda), ]]or raise the limit"},
    {"acceleration", "m/s2", offsetof(ifd_preflight_interface, acceleration), offsetof(ifd_limits, acceleration),
     true, "scale the motion, [[test slower (test: lambda), ]]compensate less, or raise the limit"},
    {"force", "N", offsetof(ifd_preflight_interface, force), offsetof(ifd_limits, force), false,
     "scale the motion, or raise the limit if rig and specimen tolerate it"},
    {"force rate", "N/s", offsetof(ifd_preflight_interface, force_rate), offsetof(ifd_limits, force_rate), false,
     "[[test slower (test: lambda), or ]]raise the limit"},
    {"tracking", "m", offsetof(ifd_preflight_interface, tracking), offsetof(ifd_limits, tracking), false,
     "improve the compensation, [[test slower (test: lambda), ]]or raise the limit"},
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

/* An interface or an actuator of a drive: its demand, its limits, and its name in a line. */
typedef struct judged {
    const ifd_preflight_interface *demand;
    const ifd_limits *limits;
    const char *who;
} judged;

/* Force and tracking limits protect a specimen from all other errors: a real rig does not start without them. */
static void judge_missing(ifd__judging *j, const judged *c, const limit *l)
{
    if (l->limit == offsetof(ifd_limits, force) || l->limit == offsetof(ifd_limits, tracking))
        ifd__judge_add(j, l->topic, IFD_VERDICT_CAUTION,
                       "add this limit (interfield help limits); a real rig is refused without it",
                       "%sno limit: nothing stops the test if it grows", c->who);
}

static void judge_limit(ifd__judging *j, const judged *c, const limit *l)
{
    double found, most;
    memcpy(&found, (const char *)c->demand + l->found, sizeof found);
    memcpy(&most, (const char *)c->limits + l->limit, sizeof most);
    bool follows = l->limit == offsetof(ifd_limits, tracking) || l->limit == offsetof(ifd_limits, energy);
    if (j->o->test->elastic && follows)
        return; /* the prediction contains its delay, the test does not */
    if (!isfinite(most)) {
        judge_missing(j, c, l);
        return;
    }
    ifd__judge_add(j, l->topic, beyond(j->out, l, found / most), l->advice, "%spredicted %s of %s", c->who,
                   of_kind(j, c->demand, found, l->unit), of_kind(j, c->demand, most, l->unit));
}

/* Used fraction of the distance from the middle to either end. */
static void judge_stroke(ifd__judging *j, const judged *of)
{
    const ifd_preflight_interface *c = of->demand;
    const ifd_limits *l = of->limits;
    double middle = 0.5 * (l->low + l->high), half = 0.5 * (l->high - l->low);
    bool up = c->high - middle >= middle - c->low;
    double share = (up ? c->high - middle : middle - c->low) / half;
    bool idle = share > 0.0 && share < least_used;
    ifd__judge_add(j, "stroke",
                   share > 1.0                 ? IFD_VERDICT_NO_GO
                   : share > head_room || idle ? IFD_VERDICT_CAUTION
                                               : IFD_VERDICT_GO,
                   idle ? "this limit is over 100 times the motion and hardly protects: check its unit"
                        : "scale the motion, or use an actuator with more stroke",
                   "%spredicted %s of %s", of->who, of_kind(j, c, up ? c->high : c->low, "m"),
                   of_kind(j, c, up ? l->high : l->low, "m"));
}

static void judge_limits(ifd__judging *j, const judged *c)
{
    judge_stroke(j, c);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        judge_limit(j, c, &limits[i]);
}

/* Dofs, then actuators of drives. */
static void judge_all_limits(ifd__judging *j)
{
    const ifd_hybrid_options *test = j->o->test;
    const ifd_preflight *p = j->out;
    for (int k = 0; k < p->interfaces; k++)
        judge_limits(j, &(judged){&p->interface[k], &test->interface[k].limits, of_channel(j, k)});
    for (int d = 0; d < test->drives; d++) {
        const ifd__movers m = ifd__movers_of(test, test->drive[d].interface[0]);
        for (int i = 0; i < m.count; i++)
            judge_limits(j, &(judged){&p->actuator[m.first + i], &test->drive[d].limits[i],
                                      ifd__judge_print(j, "%s ", p->actuator[m.first + i].name)});
    }
}

/* Name of the interface or the actuator of a fault; NULL: none. */
static const char *name_of(const ifd_preflight *p, int channel)
{
    int a = channel - p->interfaces;
    if (channel >= 0 && a < 0)
        return p->interface[channel].name;
    return channel >= 0 && a < IFD_RIG_ACTUATORS ? p->actuator[a].name : NULL;
}

/* What to do when the dry run has ended early. */
static const char *advice(ifd_trip trip)
{
    return trip == IFD_TRIP_STANDSTILL
               ? "a force that is to settle needs a 'tolerance' above its noise, load sharing a lower 'bandwidth', "
                 "answers of the rig 'patience'"
               : "see the other checks";
}

static void judge_run(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->finished) {
        double share = (double)p->governed / (double)(p->ticks > 0 ? p->ticks : 1);
        ifd__judge_add(j, "dry run", share > few_governed ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                       "limits change the path: scale the motion, or raise the limits that act",
                       "finished, a limit reduced %ld of %ld commands", p->governed, p->ticks);
        return;
    }
    const char *name = name_of(p, p->trip.owner);
    ifd__judge_add(j, "dry run", IFD_VERDICT_NO_GO, advice(p->trip.trip), "ended at %.4g s: %s%s%s", p->reached,
                   p->trip.trip != IFD_TRIP_NONE ? ifd_trip_text(p->trip.trip)
                   : p->diverged                 ? "it diverged"
                                                 : "it did not start",
                   name ? ", " : "", name ? name : "");
}

static void judge_ramp_out(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    static const char *const where[] = {"at rest", "back at the start", "force returns to zero"};
    if (!p->finished)
        return;
    if (!p->out_done) {
        ifd__judge_add(j, "ramp-out", IFD_VERDICT_NO_GO,
                       "use another end of ramp-out (test: leave), or a better estimate of the stiffness",
                       "does not end within %.3g s: %s", p->out_time, ifd_trip_text(p->out_trip.trip));
        return;
    }
    bool zero = j->o->test->ramp_out_end == IFD_RAMP_OUT_ZERO_FORCE;
    ifd__judge_add(j, "ramp-out", p->out_rougher > 1.0 ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                   "rougher than the run: use a lower creep speed (test: creep)",
                   "peak command acceleration %.2g m/s2, %s within %.2g s%s", p->out_acceleration,
                   where[j->o->test->ramp_out_end], p->out_time,
                   zero ? ifd__judge_print(j, ", overshoot %.2g %%", 100.0 * p->out_overshoot) : "");
}

/* The force that an axis without power would release. */
static void judge_power(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const double released = 0.01; /* of its limit */
    int worst = -1;
    if (j->o->end == IFD_END_UNKNOWN || !p->finished || !p->out_done)
        return;
    for (int a = 0; a < p->actuators; a++)
        if (j->o->free_at_end >> a & 1u && fabs(p->last_force[a]) > released * p->last_limit[a] &&
            (worst < 0 || fabs(p->last_force[a]) > fabs(p->last_force[worst])))
            worst = a;
    if (worst >= 0)
        ifd__judge_add(j, "power", IFD_VERDICT_NO_GO,
                       "use test: {leave: zero-force}, at-end: brake, or a rig server (interfield rig)",
                       "axis %d is switched off at the end with %s, which are released", worst + 1,
                       ifd__judge_quantity(j, fabs(p->last_force[worst]), "N"));
    else
        ifd__judge_add(j, "power", IFD_VERDICT_GO, NULL, "%s",
                       j->o->end == IFD_END_SERVED ? "the rig server holds the specimen after the end"
                       : j->o->free_at_end         ? "axes are switched off at the end, without load"
                                                   : "brakes hold the axes after the end");
}

/* A stop that trips is stopped, but where it must not be: at a limit. */
static void judge_stops(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const char *name = name_of(p, p->stop_trip.owner);
    if (p->stop_trip.trip != IFD_TRIP_NONE)
        ifd__judge_add(j, "stop", IFD_VERDICT_NO_GO,
                       "use a longer ramp-in or brake (test: ramp-in, brake), or scale it",
                       "in %s at %.3g s it trips: %s%s%s", p->stop_runs ? "run" : "ramp-in", p->stop_time,
                       ifd_trip_text(p->stop_trip.trip), name ? ", " : "", name ? name : "");
    for (int k = 0; k < p->interfaces && p->stops && p->stop_trip.trip == IFD_TRIP_NONE; k++)
        ifd__judge_add(j, "stop", IFD_VERDICT_GO, NULL, "%sat %d instants: up to %s, %s", of_channel(j, k), p->stops,
                       of_kind(j, &p->interface[k], p->stop_position[k], "m"),
                       of_kind(j, &p->interface[k], p->stop_force[k], "N"));
}

/* "3.1 %", "240 %". */
static const char *percent(ifd__judging *j, double share)
{
    return ifd__judge_print(j, share >= 0.995 ? "%.0f %%" : "%.2g %%", 100.0 * share);
}

static void judge_error(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    if (!isfinite(p->error_rms)) {
        ifd__judge_add(j, "error", IFD_VERDICT_CAUTION, "there is no comparison: the error of the test is unknown",
                       "unknown: %s", p->finished ? "no ideal rig to compare with" : "the dry run did not finish");
        return;
    }
    ifd_verdict above = j->o->real ? IFD_VERDICT_NO_GO : IFD_VERDICT_CAUTION;
    ifd__judge_add(j, "error", p->error_rms > p->error_bound ? above : IFD_VERDICT_GO,
                   "improve the compensation, [[test slower (test: lambda), ]]or allow more (test: error-bound)",
                   "%s rms, %s peak, relative to an ideal rig%s at step h/4 (bound %.3g %% rms); worst: %s",
                   percent(j, p->error_rms), percent(j, p->error_peak),
                   j->o->test->lambda != 1.0 ? " in real time" : "", 100.0 * p->error_bound, p->error_of);
}

/* A specimen whose force depends on velocity is another one in a slow test, on every rig. */
static void judge_rate(ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const char *who = t->rate_from ? t->rate_from : "a specimen";
    double times = t->lambda > 1.0 ? t->lambda : 1.0 / t->lambda;
    if (t->rate_dependent && t->lambda != 1.0)
        ifd__judge_add(j, "rate", IFD_VERDICT_NO_GO,
                       "use lambda: 1; or test: {rate-dependent: no}, if its force does not depend on velocity",
                       "%s depends on velocity, but moves %.4g times too %s", who, times,
                       t->lambda > 1.0 ? "slowly" : "fast");
    if (!t->rate_dependent && t->rate_from)
        ifd__judge_add(j, "rate", IFD_VERDICT_CAUTION, "remove 'rate-dependent: no', or correct the element",
                       "%s does not depend on velocity by 'rate-dependent: no', but its element does", who);
}

/* Only checks that do not depend on the structure, because another program computes it. */
static void judge_led(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    ifd__judge_add(j, "stability", IFD_VERDICT_CAUTION,
                   "serve the script on the virtual rig first (--set test.rig=virtual --as-fast-as-possible)",
                   "not examined, nor are error and margins: another program computes the structure");
    if (p->finished)
        ifd__judge_add(j, "dry run", IFD_VERDICT_GO, NULL,
                       "two cycles at a quarter of the limits, and ramp-out: %ld ticks", p->ticks);
    else
        ifd__judge_add(j, "dry run", IFD_VERDICT_NO_GO,
                       "see `interfield help` of that limit, and the twin of the specimen",
                       "two cycles at a quarter of the limits ended by %s: %s", ifd_trip_name(p->trip.trip),
                       ifd_trip_text(p->trip.trip));
    for (int k = 0; k < p->interfaces; k++)
        ifd__judge_add(j, "tracking", IFD_VERDICT_GO, NULL, "%sup to %s behind in these cycles", of_channel(j, k),
                       of_kind(j, &p->interface[k], p->interface[k].tracking, "m"));
    ifd__preflight_machine(j);
}

/* The error bound of superelements, and whether the critical frequency lies in its range. */
static void judge_reduction(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    if (p->examined && ifd__preflight_vast(p))
        ifd__judge_add(j, "reduction", IFD_VERDICT_CAUTION, p->unreduced_hint,
                       "not possible: %s. The verdict is that of the largest roots of %d state variables, from two "
                       "random states; margins beyond these are not searched",
                       p->unreduced, p->states);
    if (!p->examined || !*p->reduction)
        return;
    double frequency = fmax(p->initial.frequency, p->secant.frequency);
    bool fine = p->reduced_bound <= most_bound && !(frequency > p->reduced_range);
    ifd__judge_add(j, "reduction", fine ? IFD_VERDICT_GO : IFD_VERDICT_CAUTION,
                   "set 'reduce' of the model with a frequency above the least damped one, and a larger 'most'",
                   "%s; stability and margins are those of this model", p->reduction);
}

/* The peaks of the signals against the limits, and what they do to the specimens by their elements. */
static void judge_protocol(ifd__judging *j)
{
    const ifd_hybrid_options *o = j->o->test;
    const ifd_preflight *p = j->out;
    for (int k = 0; k < p->interfaces; k++) {
        const ifd_preflight_interface *c = &p->interface[k];
        ifd__demand d = {0};
        const char *beyond = ifd__protocol_beyond(o, k, &d);
        if (o->interface[k].force)
            continue;
        ifd__judge_add(j, "protocol", beyond ? IFD_VERDICT_NO_GO : IFD_VERDICT_GO,
                       "lower amplitude, velocity or acceleration of the protocol[[, or test slower (test: lambda)]]",
                       "%s%s to %s, %s, %s%s%s", of_channel(j, k), of_kind(j, c, d.low, "m"),
                       of_kind(j, c, d.high, "m"), of_kind(j, c, d.velocity, "m/s"),
                       of_kind(j, c, d.acceleration, "m/s2"), beyond ? ": above the limit of the " : "",
                       beyond ? beyond : "");
        ifd__judge_add(j, "work", IFD_VERDICT_GO, NULL, "%sabsorbs %s, tracking error up to %s", of_channel(j, k),
                       of_kind(j, c, c->absorbed, "J"), of_kind(j, c, c->tracking, "m"));
    }
    if (p->governed > 0)
        ifd__judge_add(j, "governor", IFD_VERDICT_NO_GO, "raise the limits, or compensate less",
                       "limits reduce %ld of %ld commands: they would shape the protocol", p->governed, p->ticks);
    ifd__judge_add(j, "duration", IFD_VERDICT_GO, NULL, "%s", ifd__judge_quantity(j, p->duration, "s"));
}

/* Stability and margins of a computed structure. */
static void judge_loop(ifd__judging *j)
{
    const ifd_preflight *out = j->out;
    if (out->examined)
        judge_stability(j);
    else
        ifd__judge_add(
            j, "stability", IFD_VERDICT_CAUTION,
            out->unreduced_hint ? out->unreduced_hint : "reduce the model (interfield help reduce) to examine it",
            "not decided: the largest root of too many state variables did not converge%s%s; only the dry run shows "
            "stability",
            out->unreduced ? ", and a substructure cannot be reduced: " : "", out->unreduced ? out->unreduced : "");
    judge_reduction(j);
    if (out->examined && (out->initial.stable || out->secant.stable)) {
        judge_delay(j);
        judge_specimen(j);
        judge_together(j);
    }
    if (out->examined)
        judge_adaptation(j);
    judge_copies(j);
    if (ifd__preflight_bounded(j->o->test))
        ifd__judge_add(j, "jacobian", IFD_VERDICT_CAUTION,
                       "compare with a dry run with 'jacobian: refactor', or use that",
                       "stability and margins are those of the exact Jacobian; the test uses a bounded one");
}

void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out)
{
    ifd__judging j = {arena, o, out};
    ifd__judge_rig(&j);
    for (int i = 0; i < o->proofs; i++)
        ifd__judge_add(&j, o->proof[i].topic, o->proof[i].verdict, o->proof[i].advice, "%s", o->proof[i].found);
    judge_rate(&j);
    if (o->master) {
        judge_led(&j);
        return;
    }
    if (o->test->protocol)
        judge_protocol(&j);
    else
        judge_loop(&j);
    judge_run(&j);
    judge_ramp_out(&j);
    judge_power(&j);
    judge_stops(&j);
    ifd__preflight_stopping(&j);
    ifd__preflight_cells(&j);
    judge_all_limits(&j);
    if (!o->test->protocol)
        judge_error(&j);
    ifd__preflight_network(&j);
    ifd__preflight_machine(&j);
}
