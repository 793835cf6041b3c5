/* SPDX-License-Identifier: MIT */
/* Follows the turning points of the target while rows arrive. Samples are kept since the turning point before the
 * present cycle, so that its crossings can be found when both of its turning points are known. */
#include "record/cycles.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "record/result.h"

static const double pi = 3.14159265358979323846;
static const double least_stiffness = 0.01; /* of the peak force: below it the stiffness is negligible */
static const double certain = 5.0;          /* standard deviations */

enum { BINS = 50 }; /* of the envelope */

typedef struct sample {
    double t, u, x, r, N;
} sample;

typedef struct cycle {
    double from, to, amplitude; /* s; m, of the target */
    double x1, r1, x2, r2;
    double energy, stiffness, damping, strength, friction; /* J, N/m, 1, N, 1; NAN: unknown */
    double peak_force, peak_velocity, travel;
    const char *why; /* damping is unknown; NULL: it is known */
    bool first;      /* of its amplitude */
} cycle;

typedef struct specimen {
    const char *name;
    int target, x, r, load; /* columns; load -1: no compression is known */
    sample *s;              /* since the turning point before the present cycle */
    long n, room;
    int direction;    /* of the target: 0 before its first motion */
    long extreme;     /* index of its farthest sample in this direction */
    long before, one; /* indices of the first turning point of the cycle, and of the one before it */
    long two, last;   /* of the second one, -1: not known, or the cycle is complete; of the last second one */
    bool half;        /* the next turning point is the second of a cycle */
    double largest;   /* abs target so far */
    cycle *cycle;
    int cycles, cycle_room;
    double energy, travel, peak_force, peak_velocity; /* of the whole motion */
    double rests, mean, squares;                      /* of the force at rest */
    double range, envelope[BINS];                     /* m; N, 0: not reached */
} specimen;

struct ifd__cycles {
    ifd_arena *own; /* grows with the record */
    int specimens;
    specimen *specimen;
    bool lost;
};

static double noise(const specimen *s)
{
    return s->rests > 1.0 ? sqrt(s->squares / (s->rests - 1.0)) : 0.0;
}

/* The position between samples i and i + 1 where the target is at m. */
static sample crossing(const specimen *s, long i, double m)
{
    const sample *a = &s->s[i], *b = a + 1;
    double f = b->u != a->u ? fmin(1.0, fmax(0.0, (m - a->u) / (b->u - a->u))) : 0.0;
    return (sample){a->t + f * (b->t - a->t), a->u + f * (b->u - a->u), a->x + f * (b->x - a->x),
                    a->r + f * (b->r - a->r), a->N + f * (b->N - a->N)};
}

static void add_piece(cycle *c, const sample *a, const sample *b, double *load)
{
    double dx = b->x - a->x, dt = b->t - a->t;
    c->energy += 0.5 * (a->r + b->r) * dx;
    c->travel += fabs(dx);
    c->peak_force = fmax(c->peak_force, fmax(fabs(a->r), fabs(b->r)));
    if (dt > 0.0)
        c->peak_velocity = fmax(c->peak_velocity, fabs(b->u - a->u) / dt);
    *load += 0.5 * (a->N + b->N) * dt;
}

static void find_extremes(cycle *c, const sample *s)
{
    if (s->x > c->x1) {
        c->x1 = s->x;
        c->r1 = s->r;
    }
    if (s->x < c->x2) {
        c->x2 = s->x;
        c->r2 = s->r;
    }
}

static void judge_damping(const specimen *s, cycle *c)
{
    double a = 0.5 * (c->x1 - c->x2), force = fabs(c->stiffness) * a;
    c->damping = c->energy / (2.0 * pi * c->stiffness * a * a);
    c->why = c->stiffness <= 0.0          ? "the secant stiffness is not positive"
             : force < certain * noise(s) ? "the force of the stiffness is below 5 standard deviations of the noise"
             : force < least_stiffness * c->peak_force ? "the force of the stiffness is below 1 % of the peak force"
                                                       : NULL;
    if (c->why)
        c->damping = (double)NAN;
}

static bool room_for(ifd_arena *arena, void **data, long used, long *room, size_t size)
{
    if (used < *room)
        return true;
    long more = *room ? 2 * *room : 1024;
    void *grown = ifd_arena_array(arena, (size_t)more, size);
    if (!grown)
        return false;
    if (used)
        memcpy(grown, *data, (size_t)used * size);
    *data = grown;
    *room = more;
    return true;
}

static void keep_cycle(ifd__cycles *all, specimen *s, cycle c)
{
    void *data = s->cycle;
    long room = s->cycle_room;
    c.first = true;
    for (int i = 0; i < s->cycles; i++)
        c.first = c.first && fabs(s->cycle[i].amplitude - c.amplitude) > 0.005 * c.amplitude;
    all->lost = all->lost || !room_for(all->own, &data, s->cycles, &room, sizeof c);
    if (all->lost)
        return;
    s->cycle = data;
    s->cycle_room = (int)room;
    s->cycle[s->cycles++] = c;
}

/* The cycle from the crossing after sample `from` to that after sample `to`; both turning points are known. */
static void measure(ifd__cycles *all, specimen *s, long from, long to)
{
    double m = 0.5 * (s->s[s->one].u + s->s[s->two].u), load = 0.0, way = s->s[s->one].u > m ? 1.0 : -1.0;
    long middle = s->one;
    while (middle + 1 < s->two && (s->s[middle + 1].u - m) * way > 0.0)
        middle++;
    const sample begin = crossing(s, from, m), end = crossing(s, to, m), back = crossing(s, middle, m);
    cycle c = {.from = begin.t,
               .to = end.t,
               .amplitude = 0.5 * fabs(s->s[s->one].u - s->s[s->two].u),
               .x1 = -HUGE_VAL,
               .x2 = HUGE_VAL,
               .friction = (double)NAN};
    const sample *last = &begin;
    for (long i = from + 1; i <= to; last = &s->s[i++]) {
        add_piece(&c, last, &s->s[i], &load);
        find_extremes(&c, &s->s[i]);
    }
    add_piece(&c, last, &end, &load);
    c.stiffness = (c.r1 - c.r2) / (c.x1 - c.x2);
    c.strength = 0.5 * way * (end.r - back.r);
    if (s->load >= 0 && c.to > c.from)
        c.friction = c.energy / (fabs(load) / (c.to - c.from) * c.travel);
    judge_damping(s, &c);
    keep_cycle(all, s, c);
}

/* Ends the cycle whose turning points are known, if sample i crosses its mean; ended: the record ends there, to
 * within a thousandth. */
static void try_end(ifd__cycles *all, specimen *s, long i, bool ended)
{
    double one = s->s[s->one].u, two = s->s[s->two].u, m = 0.5 * (one + two), way = one > m ? 1.0 : -1.0;
    double near = (ended ? 1e-3 : 1e-9) * fabs(one - two);
    long from = s->one;
    if (i <= s->two || (s->s[i].u - m) * way < -near)
        return;
    while (from > s->before && (s->s[from].u - m) * way > 1e-9 * fabs(one - two))
        from--;
    if ((s->s[from].u - m) * way <= near && from < s->one)
        measure(all, s, from, i - 1);
    s->two = -1;
}

/* Samples before the last turning point belong to complete cycles. */
static void forget(specimen *s)
{
    long gone = s->last;
    memmove(s->s, s->s + gone, (size_t)(s->n - gone) * sizeof *s->s);
    s->n -= gone;
    s->before = s->last = 0;
    s->one -= gone;
    s->extreme -= gone;
}

/* The target has turned at s->extreme. */
static void turn(ifd__cycles *all, specimen *s)
{
    if (s->half) {
        s->two = s->last = s->extreme;
        for (long i = s->two + 1; i < s->n && s->two >= 0; i++)
            try_end(all, s, i, false);
        s->half = false;
        return;
    }
    s->two = -1; /* a cycle that did not return to its mean is not complete */
    s->one = s->extreme;
    s->half = true;
    forget(s);
}

static void follow(ifd__cycles *all, specimen *s)
{
    long i = s->n - 1;
    double u = s->s[i].u, near;
    s->largest = fmax(s->largest, fabs(u));
    near = 1e-6 * s->largest + 1e-15;
    if (s->two >= 0)
        try_end(all, s, i, false);
    double moved = u - s->s[s->extreme].u;
    if (s->direction == 0 && fabs(moved) > near)
        s->direction = moved > 0.0 ? 1 : -1;
    if (moved * s->direction > 0.0)
        s->extreme = i;
    else if (-moved * s->direction > near) {
        turn(all, s);
        s->direction = -s->direction;
        s->extreme = s->n - 1;
    }
}

static void add_sums(specimen *s, const sample *last, const sample *now)
{
    int bin = (int)(BINS * fabs(now->x) / s->range);
    if (bin < BINS)
        s->envelope[bin] = fmax(s->envelope[bin], fabs(now->r));
    s->peak_force = fmax(s->peak_force, fabs(now->r));
    if (!last)
        return;
    s->energy += 0.5 * (last->r + now->r) * (now->x - last->x);
    s->travel += fabs(now->x - last->x);
    if (now->t > last->t)
        s->peak_velocity = fmax(s->peak_velocity, fabs(now->u - last->u) / (now->t - last->t));
}

static void add_rest(specimen *s, double r)
{
    double off = r - s->mean;
    s->rests += 1.0;
    s->mean += off / s->rests;
    s->squares += off * (r - s->mean);
}

void ifd__cycles_add(ifd__cycles *c, double time, bool moves, bool rests, const double *values)
{
    for (int k = 0; k < c->specimens && !c->lost; k++) {
        specimen *s = &c->specimen[k];
        void *data = s->s;
        const sample now = {time, values[s->target], values[s->x], values[s->r], s->load < 0 ? 0.0 : values[s->load]};
        if (rests && isfinite(now.r))
            add_rest(s, now.r);
        if (!moves || !isfinite(now.u) || !isfinite(now.x) || !isfinite(now.r))
            continue;
        c->lost = !room_for(c->own, &data, s->n, &s->room, sizeof now);
        if (c->lost)
            return;
        s->s = data;
        add_sums(s, s->n ? &s->s[s->n - 1] : NULL, &now);
        s->s[s->n++] = now;
        follow(c, s);
    }
}

ifd_status ifd__cycles_close(ifd__cycles *c)
{
    for (int k = 0; k < c->specimens && !c->lost; k++)
        if (c->specimen[k].two >= 0)
            try_end(c, &c->specimen[k], c->specimen[k].n - 1, true);
    return c->lost ? IFD_NO_MEMORY : IFD_OK;
}

static void leave(void *cycles)
{
    ifd_arena_close(((ifd__cycles *)cycles)->own);
}

/* The force that compresses interface k, -1: none. */
static int load_of(const ifd_case *c, int k, const ifd_column *column, int columns)
{
    int by = c->laboratory && k < c->laboratory->actuators ? abs(c->laboratory->actuator[k].pressed_by) - 1 : -1;
    return by < 0 || !c->test || by >= c->test->interfaces
               ? -1
               : ifd_column_find(column, columns, c->test->interface[by].name, IFD_COLUMN_INTERFACE_FORCE);
}

/* Interface k of a test, or specimen k of a run: a specimen that is a model is only among the former. */
static const ifd_signal *signal_of(const ifd_case *c, int k)
{
    int dof = c->test ? c->test->interface[k].to : c->run.specimen[k].to;
    bool moves = dof >= 0 && !(c->test && c->test->interface[k].force);
    return moves ? ifd_protocol_signal(c->run.protocol, dof) : NULL;
}

static void find_columns(const ifd_case *c, int k, const ifd_column *column, int columns, specimen *s)
{
    const char *name = c->test ? c->test->interface[k].name : c->run.specimen[k].name;
    double peak = ifd_signal_peak(signal_of(c, k), c->run.end, c->run.step.h);
    s->name = name;
    s->x = ifd_column_find(column, columns, name, IFD_COLUMN_INTERFACE_DEFORMATION);
    s->r = ifd_column_find(column, columns, name, IFD_COLUMN_INTERFACE_FORCE);
    s->target = ifd_column_find(column, columns, name, IFD_COLUMN_INTERFACE_TARGET);
    s->target = s->target < 0 ? s->x : s->target; /* a run is at its target */
    s->load = load_of(c, k, column, columns);
    s->two = -1;
    s->range = 1.1 * fmax(peak, 1e-12);
}

ifd_status ifd__cycles_open(ifd_arena *arena, const ifd_case *c, const ifd_column *column, int columns,
                            ifd__cycles **out)
{
    const ifd_protocol *p = c->run.protocol;
    bool tested = c->test && c->test->protocol != p; /* a characterisation */
    ifd__cycles *all;
    *out = NULL;
    if (!p || tested)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(all, 1)));
    const int count = c->test ? c->test->interfaces : c->run.specimens;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(all->specimen, count)));
    IFD__HAVE(all->own = ifd_arena_open());
    if (!ifd_arena_on_close(arena, leave, all)) {
        leave(all);
        return IFD_NO_MEMORY;
    }
    for (int k = 0; k < count; k++) {
        specimen *s = &all->specimen[all->specimens];
        if (!signal_of(c, k))
            continue;
        find_columns(c, k, column, columns, s);
        all->specimens += s->x >= 0 && s->r >= 0;
    }
    *out = all;
    return IFD_OK;
}

static void put_point(ifd_json *j, double x, double r)
{
    IFD_JSON_OBJECT(j, NULL, IFD_JSON("x", x), IFD_JSON("r", r));
}

static void put_cycle(ifd_json *j, const cycle *c)
{
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("from", c->from), IFD_JSON("to", c->to), IFD_JSON("amplitude", c->amplitude),
                 IFD_JSON("x1", c->x1), IFD_JSON("r1", c->r1), IFD_JSON("x2", c->x2), IFD_JSON("r2", c->r2),
                 IFD_JSON("energy", c->energy), IFD_JSON("stiffness", c->stiffness), IFD_JSON("damping", c->damping));
    if (c->why)
        ifd_json_text(j, "no_damping", c->why);
    IFD_JSON_PUT(j, IFD_JSON("strength", c->strength), IFD_JSON("friction", c->friction),
                 IFD_JSON("peak_force", c->peak_force), IFD_JSON("peak_velocity", c->peak_velocity),
                 IFD_JSON("travel", c->travel));
    ifd_json_end(j);
}

static void put_curves(ifd_json *j, const specimen *s)
{
    ifd_json_list(j, "backbone");
    for (int i = 0; i < s->cycles; i++)
        if (s->cycle[i].first) {
            put_point(j, s->cycle[i].x1, s->cycle[i].r1);
            put_point(j, s->cycle[i].x2, s->cycle[i].r2);
        }
    ifd_json_end(j);
    ifd_json_list(j, "envelope");
    for (int i = 0; i < BINS; i++)
        if (s->envelope[i] > 0.0)
            put_point(j, s->range * (i + 0.5) / BINS, s->envelope[i]);
    ifd_json_end(j);
}

void ifd__cycles_summary(ifd_json *j, const ifd__cycles *c)
{
    ifd_json_object(j, "cycles");
    for (int k = 0; k < c->specimens; k++) {
        const specimen *s = &c->specimen[k];
        ifd_json_object(j, s->name);
        IFD_JSON_PUT(j, IFD_JSON("energy", s->energy), IFD_JSON("travel", s->travel),
                     IFD_JSON("peak_force", s->peak_force), IFD_JSON("peak_velocity", s->peak_velocity),
                     IFD_JSON("force_noise", noise(s)));
        ifd_json_list(j, "table");
        for (int i = 0; i < s->cycles; i++)
            put_cycle(j, &s->cycle[i]);
        ifd_json_end(j);
        put_curves(j, s);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

int ifd__cycles_write(const ifd__cycles *c, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return errno;
    fputs("specimen,cycle,from [s],to [s],amplitude [m],x1 [m],r1 [N],x2 [m],r2 [N],energy [J],stiffness [N/m],"
          "damping,strength [N],friction,peak force [N],peak velocity [m/s],travel [m]\n",
          file); /* of a rotation: rad, N m */
    for (int k = 0; k < c->specimens; k++)
        for (int i = 0; i < c->specimen[k].cycles; i++) {
            const cycle *y = &c->specimen[k].cycle[i];
            const double number[] = {
                y->from,   y->to,        y->amplitude, y->x1,       y->r1,       y->x2,         y->r2,
                y->energy, y->stiffness, y->damping,   y->strength, y->friction, y->peak_force, y->peak_velocity,
                y->travel};
            fprintf(file, "%s,%d", c->specimen[k].name, i + 1);
            for (size_t n = 0; n < sizeof number / sizeof *number; n++) {
                fputc(',', file);
                if (isfinite(number[n]))
                    ifd__csv_number(file, number[n]);
            }
            fputc('\n', file);
        }
    bool good = !ferror(file);
    return fclose(file) == 0 && good ? 0 : errno ? errno : EIO;
}
