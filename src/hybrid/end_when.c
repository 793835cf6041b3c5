/* SPDX-License-Identifier: MIT */
/* End criteria of a loading protocol, each direction of x by itself, with the mean r of the last forces:
 *
 *     force-drop D: abs r < (1 - D) F, F above a tenth of the force limit,
 *       at a turning point of the target with at least 0.98 of the largest abs x so far; F: largest abs r at these,
 *       while abs x is larger than ever and the target moves outward with at least half the peak velocity of its
 *       swing; F: largest abs r under this condition
 *     force, displacement, energy: abs r, abs x or the absorbed energy reaches the value
 *
 * Trailing cycles, and forces that fall with the velocity, are no drop. The swings are known beforehand: their ends
 * and peak velocities are those of the signal at the steps. */
#include "hybrid/end_when.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <interfield/characterise.h>

#include "hybrid/unit.h"

static const double outer = 0.98, fast = 0.5, loaded = 0.1;

enum { MEAN = 5 }; /* forces */

#define ENDING(ONE, MANY, BLOCK)                                                                                     \
    MANY(force, MEAN, "N", OF_TEST) /* the last ones */                                                              \
    ONE(forces, "", OF_TEST)        /* their number so far */                                                        \
    MANY(far, 2, "m", OF_TEST)      /* largest x, and -x */                                                          \
    MANY(at_turn, 2, "N", OF_TEST)  /* F at turning points */                                                        \
    MANY(on_way, 2, "N", OF_TEST)   /* F on new ways outward */                                                      \
    ONE(energy, "J", OF_TEST)       /* absorbed */                                                                   \
    ONE(x, "m", OF_TEST)                                                                                             \
    ONE(r, "N", OF_TEST)    /* of the last tick */                                                                   \
    ONE(swing, "", OF_TEST) /* number of the present one */
IFD__STATE_BLOCK(ending, ENDING);

/* The swings of a signal: from one turning point to the next. */
typedef struct swings {
    int count;
    double *end, *velocity; /* s, simulated; m/s: peak */
} swings;

typedef struct criteria {
    swings swing[IFD_RIG_ACTUATORS];
} criteria;

static const ifd_end_when *of(const ifd__facts *f, int k)
{
    return f->opt->interface[k].end;
}

static bool asked(const ifd__facts *f)
{
    bool any = false;
    for (int k = 0; k < f->interfaces; k++)
        any = any || of(f, k);
    return any && f->opt->protocol;
}

static int doubles(const ifd__facts *f, const void *data)
{
    (void)data;
    return f->interfaces * IFD__DOUBLES(ending);
}

/* Counts the swings; with arrays also fills them. */
static int find_swings(const ifd_signal *s, double step, double end, swings *out)
{
    double way = 0.0, peak = 0.0, y[3];
    int n = 0;
    for (long i = 0; i <= lround(end / step); i++) {
        ifd_signal_eval(s, step * (double)i, y);
        bool turns = y[1] * way < 0.0;
        if (turns && out->end) {
            out->end[n] = step * (double)i;
            out->velocity[n] = peak;
        }
        n += turns;
        peak = turns ? fabs(y[1]) : fmax(peak, fabs(y[1]));
        way = y[1] != 0.0 ? y[1] : way;
    }
    if (out->end) {
        out->end[n] = HUGE_VAL;
        out->velocity[n] = peak;
    }
    return n + 1;
}

static ifd_status make(const ifd__facts *f, ifd_arena *arena, const void **data, ifd_note *note)
{
    criteria *c;
    (void)note;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    for (int k = 0; k < f->interfaces; k++) {
        const ifd_signal *s = of(f, k) ? ifd_protocol_signal(f->opt->protocol, f->opt->interface[k].to) : NULL;
        swings *w = &c->swing[k];
        if (!s)
            continue;
        int count = find_swings(s, f->numerical->step, f->opt->end, w);
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(w->end, count), IFD__ARRAY(w->velocity, count)));
        w->count = find_swings(s, f->numerical->step, f->opt->end, w);
    }
    *data = c;
    return IFD_OK;
}

static void restart(const ifd__io *io, const void *data, void *own)
{
    memset(own, 0, sizeof(double) * (size_t)doubles(io->f, data));
}

static double mean_force(ending *e, double r)
{
    double sum = 0.0;
    e->force[(int)e->forces % MEAN] = r;
    e->forces += 1.0;
    const int count = (int)fmin(e->forces, MEAN);
    for (int i = 0; i < count; i++)
        sum += e->force[i];
    return sum / count;
}

static bool drops(double drop, double least, double r, double *F)
{
    bool less = *F > least && r < (1.0 - drop) * *F;
    *F = fmax(*F, r);
    return less;
}

/* Whether the target has turned since the last tick. */
static bool turned(const swings *w, ending *e, double time)
{
    int before = (int)e->swing, now = before;
    while (now + 1 < w->count && time >= w->end[now])
        now++;
    e->swing = now;
    return now > before;
}

/* The value that reaches a criterion, and the criterion; false: none. */
static bool reached(const ifd__io *io, int k, const swings *w, ending *e, double out[2])
{
    const ifd__interface_state *s = io->interface[k];
    const ifd_end_when *end = of(io->f, k);
    double x = s->measured_x, r = fabs(mean_force(e, s->measured_f)), far = fabs(x);
    double least = loaded * io->f->opt->interface[k].limits.force, F = 0.0;
    int way = x < 0.0;
    bool drop = false, turn = turned(w, e, io->f->numerical->step * io->test->step);
    if (e->forces > 1.0)
        e->energy += 0.5 * (s->measured_f + e->r) * (x - e->x);
    e->x = x;
    e->r = s->measured_f;
    if (turn && far >= outer * e->far[way]) {
        drop = drops(end->force_drop, least, r, &e->at_turn[way]);
        F = e->at_turn[way];
    }
    bool outward =
        s->target_v * x > 0.0 && fabs(s->target_v) >= fast * w->velocity[(int)e->swing] / io->f->opt->lambda;
    if (!drop && far > e->far[way] && outward) {
        drop = drops(end->force_drop, least, r, &e->on_way[way]);
        F = e->on_way[way];
    }
    e->far[way] = fmax(e->far[way], far);
    const double row[][2] = {{r, end->force}, {far, end->displacement}, {e->energy, end->energy}};
    out[0] = r;
    out[1] = (1.0 - end->force_drop) * F;
    if (drop && end->force_drop > 0.0)
        return true;
    for (int i = 0; i < 3; i++)
        if (row[i][0] >= row[i][1]) {
            memcpy(out, row[i], sizeof row[i]);
            return true;
        }
    return false;
}

static ifd_action judge(const ifd__io *io, const void *data, void *own)
{
    const criteria *c = data;
    ending *e = own;
    ifd_action worst = IFD_ACTION_NOTE;
    for (int k = 0; k < io->f->interfaces; k++) {
        const ifd__interface_state *s = io->interface[k];
        double found[2];
        if (!of(io->f, k) || !c->swing[k].count || !isfinite(s->measured_x) || !isfinite(s->measured_f))
            continue;
        if (reached(io, k, &c->swing[k], &e[k], found))
            worst = ifd__fault_note(io->faults, IFD_TRIP_END_WHEN, k, found[0], found[1], worst);
    }
    return worst;
}

/* The criterion is the one with the limit of the fault; F is not a setting. */
bool ifd__end_when_print(const ifd_hybrid_options *o, const ifd_trip_facts *t, double time, char *out, size_t size)
{
    const ifd_interface_options *c = t->owner >= 0 && t->owner < o->interfaces ? &o->interface[t->owner] : NULL;
    const ifd_end_when *end = c ? c->end : NULL;
    const ifd_signal *s = end && o->protocol ? ifd_protocol_signal(o->protocol, c->to) : NULL;
    if (!s)
        return false;
    const struct {
        const char *name, *unit;
        double value, limit;
    } row[] = {{"force", c->turns ? "N m" : "N", end->force, end->force},
               {"displacement", c->turns ? "rad" : "m", end->displacement, end->displacement},
               {"energy", "J", end->energy, end->energy},
               {"force-drop", "%", 100.0 * end->force_drop, t->limit}};
    int which = 0, before = find_swings(s, o->step.h, time, &(swings){0}) - 1;
    while (which < 3 && row[which].limit != t->limit)
        which++;
    snprintf(out, size, "end-when: %s of %g %s in cycle %d of '%s'", row[which].name, row[which].value,
             row[which].unit, 1 + before / 2, c->name);
    return true;
}

const ifd__unit ifd__unit_end_when = {.name = "end-when",
                                      .about = "end criteria of a loading protocol",
                                      .asked = asked,
                                      .in = 1u << IFD_MACHINE_RUN,
                                      .make = make,
                                      .doubles = doubles,
                                      .restart = restart,
                                      .judge = judge};
