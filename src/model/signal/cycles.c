/* SPDX-License-Identifier: MIT */
/* Cycles of a loading protocol: swings between turning points, at rest at both ends of each.
 *
 * Swing of length D from p to q, in the time T:
 *
 *     sine:     x = p + (q - p) (1 - cos(pi t/T))/2,   T = pi D/(2 v)
 *     triangle: acceleration A for v/A, velocity v, deceleration A for v/A,   T = D/v + v/A, if D >= v^2/A
 *
 * A frequency f is that of the cycles of an amplitude, D = (1 - ratio) a: v = pi f D of a sine, and of a triangle the
 * smaller root of D/v + v/A = H = 1/(2 f). */
#include "model/signal/wave.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { MOST_SWINGS = 200000 };

typedef struct swing {
    double from, to;
    double start, length; /* s, of the motion; a rest may follow */
    double v, a;          /* of a triangle, with the sign of the motion; of a sine a is 0 */
} swing;

typedef struct cycles_data {
    int count;
    const swing *swing;
} cycles_data;

/* The last swing that has begun. A start within round-off counts as reached. */
static const swing *swing_at(const cycles_data *d, double s)
{
    double reached = s + 1e-12 * (1 + s);
    int low = 0;
    for (int high = d->count; high - low > 1;) {
        int middle = low + (high - low) / 2;
        if (d->swing[middle].start <= reached)
            low = middle;
        else
            high = middle;
    }
    return &d->swing[low];
}

static void triangle_eval(const swing *w, double t, double out[3])
{
    double rise = w->v / w->a, left = w->length - t;
    bool starts = t < rise, ends = left < rise;
    out[0] = starts ? w->from + 0.5 * w->a * t * t
             : ends ? w->to - 0.5 * w->a * left * left
                    : w->from + w->v * (t - 0.5 * rise);
    out[1] = starts ? w->a * t : ends ? w->a * left : w->v;
    out[2] = starts ? w->a : ends ? -w->a : 0;
}

static void cycles_eval(const void *data, double s, double out[3])
{
    const swing *w = swing_at(data, s);
    double t = fmax(0, s - w->start), omega = pi / w->length, half = 0.5 * (w->to - w->from);
    out[0] = w->to;
    out[1] = out[2] = 0;
    if (t >= w->length)
        return;
    if (w->a != 0) {
        triangle_eval(w, t, out);
        return;
    }
    double c = cos(omega * t);
    out[0] = w->from + half * (1 - c);
    out[1] = half * omega * sin(omega * t);
    out[2] = half * omega * omega * c;
}

/* The next jump of the acceleration. */
static double cycles_knot(const void *data, double s)
{
    const cycles_data *d = data;
    const swing *w = swing_at(d, s), *last = d->swing + d->count - 1;
    double rise = w->a != 0 ? w->v / w->a : 0, end = w->start + w->length;
    const double knot[] = {w->start + rise, end - rise, end, w < last ? w[1].start : HUGE_VAL};
    for (int i = 0; i < 4; i++)
        if (knot[i] > s)
            return knot[i];
    return HUGE_VAL;
}

/* The turning points after 0, with the entry of `velocity` of the swing to each and the length of its cycles. */
typedef struct turns {
    int count;
    double *at, *span;
    int *entry;
} turns;

static const ifd_value *value(const ifd__signal_ask *ask, const char *name)
{
    return ifd_param_get(ask->kind->params, ask->values, name);
}

static ifd_status refuse(const ifd__signal_ask *ask, const char *name, const char *why)
{
    return ifd_note_add(ask->note, IFD_CONFLICT, &value(ask, name)->place, "signal 'cycles': '%s' %s", name, why);
}

/* Exactly one of two parameters. */
static ifd_status one_of(const ifd__signal_ask *ask, const char *a, const char *b)
{
    if (ifd__ask_given(ask, a) != ifd__ask_given(ask, b))
        return IFD_OK;
    if (ifd__ask_given(ask, a))
        return ifd_note_add(ask->note, IFD_CONFLICT, &value(ask, b)->place,
                            "signal 'cycles' has '%s' and '%s'; expected one of them", a, b);
    return ifd_note_add(ask->note, IFD_MISSING_KEY, ask->place, "signal 'cycles' needs '%s' or '%s'", a, b);
}

/* A list has one number, or `count`. */
static ifd_status as_long(const ifd__signal_ask *ask, const char *name, int count, const char *each)
{
    const ifd_value *v = value(ask, name);
    if (!v->given || v->cols == 1 || v->cols == count)
        return IFD_OK;
    return ifd_note_add(ask->note, IFD_SHAPE, &v->place,
                        "signal 'cycles': '%s' has %d numbers, expected 1 or %d: one for each %s", name, v->cols,
                        count, each);
}

static double entry_of(const ifd_value *v, int i)
{
    return v->data[v->cols == 1 ? 0 : i];
}

static void put_turn(turns *t, double at, double span, int entry)
{
    t->at[t->count] = at;
    t->span[t->count] = span;
    t->entry[t->count++] = entry;
}

static ifd_status take_turns(const ifd__signal_ask *ask, double swings, turns *t)
{
    if (swings > MOST_SWINGS)
        return ifd_note_add(ask->note, IFD_TOO_LARGE, ask->place, "signal 'cycles' has %.0f swings, at most %d",
                            swings, MOST_SWINGS);
    size_t n = (size_t)swings;
    t->at = ifd_arena_array(ask->arena, n, sizeof *t->at);
    t->span = ifd_arena_array(ask->arena, n, sizeof *t->span);
    t->entry = ifd_arena_array(ask->arena, n, sizeof *t->entry);
    return t->at && t->span && t->entry ? IFD_OK : ifd__ask_no_memory(ask);
}

static ifd_status turns_of_points(const ifd__signal_ask *ask, turns *t)
{
    static const char *const no[] = {"each", "ratio", "first", "frequency"};
    const ifd_value *p = value(ask, "points");
    for (int i = 0; i < 4; i++)
        if (ifd__ask_given(ask, no[i]))
            return refuse(ask, no[i], "is for 'amplitudes', not for 'points'");
    IFD_TRY(as_long(ask, "velocity", p->cols + 1, "swing"));
    IFD_TRY(take_turns(ask, p->cols + 1.0, t));
    for (int i = 0; i < p->cols; i++)
        put_turn(t, p->data[i], 0, i);
    put_turn(t, 0, 0, p->cols);
    return IFD_OK;
}

static ifd_status turns_of_amplitudes(const ifd__signal_ask *ask, turns *t)
{
    const ifd_value *a = value(ask, "amplitudes"), *each = value(ask, "each");
    double ratio = ifd__ask_number(ask, "ratio"), swings = 1;
    double sign = ifd__ask_number(ask, "first") > 0 ? -1 : 1;
    static const char *const lists[] = {"each", "velocity", "frequency"};
    for (int i = 0; i < 3; i++)
        IFD_TRY(as_long(ask, lists[i], a->cols, "amplitude"));
    for (int i = 0; i < a->cols; i++) {
        double cycles = each->given ? entry_of(each, i) : 1;
        if (cycles != floor(cycles))
            return ifd_note_add(ask->note, IFD_NUMBER, &each->place,
                                "signal 'cycles': 'each' is %g, expected a whole number", cycles);
        swings += 2 * cycles;
    }
    IFD_TRY(take_turns(ask, swings, t));
    for (int i = 0; i < a->cols; i++)
        for (int k = 0; k < (each->given ? (int)entry_of(each, i) : 1); k++) {
            put_turn(t, sign * a->data[i], (1 - ratio) * a->data[i], i);
            put_turn(t, sign * ratio * a->data[i], (1 - ratio) * a->data[i], i);
        }
    put_turn(t, 0, t->span[t->count - 1], a->cols - 1);
    return IFD_OK;
}

/* The velocity of a swing; not above 0: no real root. A: acceleration of a triangle, 0: a sine. */
static double velocity(const ifd__signal_ask *ask, const turns *t, int i, double A)
{
    const ifd_value *f = value(ask, "frequency");
    if (!f->given)
        return entry_of(value(ask, "velocity"), t->entry[i]);
    double D = t->span[i], frequency = entry_of(f, t->entry[i]), AH = 0.5 * A / frequency;
    if (A == 0)
        return pi * frequency * D;
    double root = AH * AH - 4 * D * A;
    return root < 0 ? 0 : 2 * D * A / (AH + sqrt(root)); /* (AH - sqrt(root))/2 without cancellation */
}

/* The swing from the last turning point to t->at[i]. */
static ifd_status put_swing(const ifd__signal_ask *ask, const turns *t, int i, double A, swing *w)
{
    double from = i ? t->at[i - 1] : 0, D = fabs(t->at[i] - from), v = velocity(ask, t, i, A);
    double sign = t->at[i] > from ? 1 : -1;
    if (A > 0 && v <= 0)
        return ifd_note_add(ask->note, IFD_RANGE, &value(ask, "frequency")->place,
                            "signal 'cycles': a triangle of %g between its peaks cannot have this frequency with "
                            "the acceleration %g; expected at most %.6g Hz",
                            t->span[i], A, 0.25 * sqrt(A / t->span[i]));
    if (A > 0 && D < v * v / A * (1 - 1e-12))
        return ifd_note_add(ask->note, IFD_RANGE, ask->place,
                            "signal 'cycles': the swing from %g to %g is too short for the velocity %g and the "
                            "acceleration %g; expected at most the velocity %.6g",
                            from, t->at[i], v, A, sqrt(D * A));
    *w = (swing){.from = from,
                 .to = t->at[i],
                 .start = w->start,
                 .length = A > 0 ? fmax(D / v + v / A, 2 * v / A) : 0.5 * pi * D / v,
                 .v = sign * v,
                 .a = sign * A};
    return IFD_OK;
}

static ifd_status cycles_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    bool sine = ifd__ask_number(ask, "shape") > 0, given = ifd__ask_given(ask, "acceleration");
    double A = sine ? 0 : ifd__ask_number(ask, "acceleration"), now = 0, dwell = ifd__ask_number(ask, "dwell");
    turns t = {0};
    IFD_TRY(one_of(ask, "amplitudes", "points"));
    IFD_TRY(one_of(ask, "velocity", "frequency"));
    if (sine && given)
        return refuse(ask, "acceleration", "is for the shape triangle, not for a sine");
    if (!sine && !given)
        return ifd_note_add(ask->note, IFD_MISSING_KEY, ask->place,
                            "signal 'cycles' of the shape triangle needs 'acceleration'");
    IFD_TRY(ifd__ask_given(ask, "points") ? turns_of_points(ask, &t) : turns_of_amplitudes(ask, &t));
    cycles_data *d = ifd_arena_take(ask->arena, sizeof *d);
    swing *w = ifd_arena_array(ask->arena, (size_t)t.count, sizeof *w);
    if (!d || !w)
        return ifd__ask_no_memory(ask);
    *d = (cycles_data){.swing = w};
    for (int i = 0; i < t.count; i++) {
        if (t.at[i] == (i ? t.at[i - 1] : 0))
            continue;
        w[d->count].start = now;
        IFD_TRY(put_swing(ask, &t, i, A, &w[d->count]));
        now += w[d->count++].length;
        wave->length = now;
        now += dwell;
    }
    if (!d->count)
        return ifd_note_add(ask->note, IFD_RANGE, ask->place, "signal 'cycles' has no swing: all its points are 0");
    wave->data = d;
    wave->eval = cycles_eval;
    wave->knot = cycles_knot;
    wave->start = ifd__ask_number(ask, "start");
    return IFD_OK;
}

static const ifd_param cycles_params[] = {
    IFD_LIST("amplitudes", ANY, 1e-12, 1e12,
             "amplitudes, or the cycles of a standard (help presets); alternative: points"),
    IFD_LIST("points", ANY, -1e12, 1e12, "turning points; alternative: amplitudes"),
    IFD_LIST("each", NONE, 1, 1e5, "cycles of each amplitude, one number or a list; 1 if absent"),
    IFD_OPTION("ratio", NONE, -1e3, 0.999, -1, "lower peak over upper peak; -1: symmetric, 0: one-sided"),
    IFD_WORD("first", "positive|negative", "direction of the first swing"),
    IFD_WORD("shape", "triangle|sine", "shape of a swing; a triangle has constant velocity"),
    IFD_LIST("velocity", VELOCITY, 1e-9, 1e6,
             "velocity of a triangle, peak velocity of a sine; one number, or one for each amplitude or swing"),
    IFD_LIST("frequency", FREQUENCY, 1e-7, 1e6,
             "cycles per second, one number or one for each amplitude; alternative: velocity"),
    IFD_OPTION("acceleration", ACCELERATION, 1e-9, 1e9, 0,
               "acceleration of a triangle at its turning points; in `protocol` half the limit if absent"),
    IFD_OPTION("dwell", TIME, 0, 1e6, 0, "rest at every turning point except the ends"),
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_cycles = {
    "cycles", "a series of cycles between turning points, from 0 to 0, with triangular or sinusoidal swings",
    cycles_params, cycles_make};
