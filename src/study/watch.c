/* SPDX-License-Identifier: MIT */
/* Reduction of recorded columns to scalars, row by row, and histories. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/hybrid.h>
#include <interfield/run.h>

#include "run/ensemble.h"
#include "statistics/statistics.h"
#include "study/member.h"

bool ifd__matches(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else
            return false;
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* Columns of one pattern; out may be NULL. */
static int find(const ifd__watch *w, const char *pattern, int *out)
{
    int count = 0;
    for (int i = 0; i < w->columns; i++)
        if (ifd__matches(pattern, w->column[i].name)) {
            if (out)
                out[count] = i;
            count++;
        }
    return count;
}

static void start(ifd__reduction how, double *state)
{
    bool low = how == IFD__REDUCE_MINIMUM || how == IFD__REDUCE_AMPLITUDE;
    state[0] = how == IFD__REDUCE_MAXIMUM ? -(double)INFINITY : low ? (double)INFINITY : 0.0;
    state[1] = how == IFD__REDUCE_AMPLITUDE ? -(double)INFINITY : 0.0;
}

/* The target of the specimen whose measured position a column is; -1: it is another column. */
static int target_of(const ifd__watch *w, int source)
{
    const ifd_column *c = &w->column[source];
    return c->quantity == IFD_COLUMN_INTERFACE_DEFORMATION
               ? ifd_column_find(w->column, w->columns, c->owner, IFD_COLUMN_INTERFACE_TARGET)
               : -1;
}

ifd_status ifd__watch_make(ifd_arena *arena, const ifd_study *s, const ifd_column *column, int columns, double end,
                           ifd__watch *w)
{
    *w = (ifd__watch){.study = s, .column = column, .columns = columns, .end = end};
    w->clock = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_TIME);
    w->state_of_test = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_STATE);
    int sources = 0;
    for (int k = 0; k < s->scalars; k++)
        sources += find(w, s->scalar[k].column, NULL);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(w->first, s->scalars + 1), IFD__ARRAY(w->source, sources),
                      IFD__ARRAY(w->state, 2 * sources), IFD__ARRAY(w->compared, sources),
                      IFD__ARRAY(w->history, s->histories)));
    for (int k = 0; k < s->scalars; k++) {
        w->first[k + 1] = w->first[k] + find(w, s->scalar[k].column, w->source + w->first[k]);
        for (int i = w->first[k]; i < w->first[k + 1]; i++) {
            start(s->reduction[k], w->state + 2 * i);
            w->compared[i].other = ifd__reduces_tracking(s->reduction[k]) ? target_of(w, w->source[i]) : -1;
        }
    }
    for (int h = 0; h < s->histories; h++) {
        w->history[h] = -1;
        for (int i = columns - 1; i >= 0; i--)
            if (ifd__matches(s->history[h].column, column[i].name))
                w->history[h] = i;
    }
    return IFD_OK;
}

/* The larger number; the first one if the other is not a number. */
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

static void add(ifd__reduction how, double *state, double time, double x)
{
    switch (how) {
    case IFD__REDUCE_PEAK:
        state[0] = larger(state[0], fabs(x));
        break;
    case IFD__REDUCE_MAXIMUM:
        state[0] = larger(state[0], x);
        break;
    case IFD__REDUCE_MINIMUM:
        state[0] = -larger(-state[0], -x);
        break;
    case IFD__REDUCE_FINAL:
        state[0] = x;
        break;
    case IFD__REDUCE_MEAN:
        state[0] += x;
        break;
    case IFD__REDUCE_RMS:
        state[0] += x * x;
        break;
    case IFD__REDUCE_TIME_OF_PEAK:
        if (fabs(x) > state[1]) {
            state[1] = fabs(x);
            state[0] = time;
        }
        break;
    case IFD__REDUCE_RESIDUAL: /* these only in the last tenth */
        state[0] += x;
        break;
    case IFD__REDUCE_AMPLITUDE:
        state[0] = -larger(-state[0], -x);
        state[1] = larger(state[1], x);
        break;
    default: /* a comparison: added by its caller */
        break;
    }
}

ifd_status ifd__watch_copy(ifd_arena *arena, const ifd__watch *from, ifd__watch *out)
{
    int sources = from->first[from->study->scalars];
    *out = *from;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->state, 2 * sources), IFD__ARRAY(out->compared, sources)));
    memcpy(out->state, from->state, 2 * (size_t)sources * sizeof *out->state);
    return IFD_OK;
}

static bool keep_row(ifd__watch *w, double time, const double *value)
{
    int columns = 1 + w->study->histories;
    if (w->kept == w->room) {
        long room = w->room ? 2 * w->room : 256;
        double *more = realloc(w->series, (size_t)room * (size_t)columns * sizeof *more);
        if (!more)
            return false;
        w->series = more;
        w->room = room;
    }
    double *row = w->series + w->kept++ * columns;
    *row++ = time;
    for (int h = 0; h < w->study->histories; h++)
        *row++ = w->history[h] < 0 ? (double)NAN : value[w->history[h]];
    return true;
}

static bool only_late(ifd__reduction how)
{
    return how == IFD__REDUCE_RESIDUAL || how == IFD__REDUCE_AMPLITUDE;
}

static bool grow(ifd__compared *c)
{
    long room = c->room ? 2 * c->room : 1024;
    double *x = realloc(c->x, (size_t)room * sizeof *x);
    c->x = x ? x : c->x;
    double *y = x ? realloc(c->y, (size_t)room * sizeof *y) : NULL;
    c->y = y ? y : c->y;
    c->room = y ? room : c->room;
    return y != NULL;
}

static bool add_pair(ifd__compared *c, double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return true;
    if (c->rows == c->room && !grow(c))
        return false;
    c->x[c->rows] = x;
    c->y[c->rows++] = y;
    return true;
}

/* Sums of the squares of the difference and of the ideal value. */
static void add_error(double *state, double x, double ideal)
{
    if (isnan(ideal))
        return;
    state[0] += (x - ideal) * (x - ideal);
    state[1] += ideal * ideal;
}

/* A comparison of source i. Rows of a test at which no step ends repeat; tracking counts while the test runs. */
static bool compare(const ifd__watch *w, ifd__reduction how, int i, const double *value, bool stepped)
{
    double x = value[w->source[i]];
    ifd__compared *c = &w->compared[i];
    if (ifd__reduces_tracking(how)) {
        bool runs = w->state_of_test >= 0 && (int)value[w->state_of_test] == IFD_MACHINE_RUN;
        return !runs || c->other < 0 || add_pair(c, x, value[c->other]);
    }
    if (!stepped)
        return true;
    double ideal = ifd__ideal_run_at(w->ideal, w->source[i], value[w->clock]);
    if (how == IFD__REDUCE_ERROR)
        add_error(w->state + 2 * i, x, ideal);
    return how == IFD__REDUCE_ERROR || add_pair(c, x, ideal);
}

bool ifd__watch_row(ifd__watch *w, double time, const double *value)
{
    const ifd_study *s = w->study;
    bool late = time >= 0.9 * w->end, stepped = w->ideal && w->clock >= 0 && value[w->clock] > w->last, room = true;
    for (int k = 0; k < s->scalars; k++)
        for (int i = w->first[k]; i < w->first[k + 1]; i++) {
            ifd__reduction how = s->reduction[k];
            if (ifd__reduces_ideal(how) || ifd__reduces_tracking(how))
                room = compare(w, how, i, value, stepped) && room;
            else if (late || !only_late(how))
                add(how, w->state + 2 * i, time, value[w->source[i]]);
        }
    w->late += late;
    w->last = stepped ? value[w->clock] : w->last;
    return (w->rows++ % s->every != 0 || s->histories == 0 || keep_row(w, time, value)) && room;
}

/* Rows of a run that follow each other, column by column: what ifd__watch_row does with each. */
void ifd__watch_piece(ifd__watch *w, const ifd__swept *p)
{
    const ifd_study *s = w->study;
    int late = p->rows;
    while (late > 0 && p->h * (double)(p->first + late - 1) >= 0.9 * w->end)
        late--;
    for (int k = 0; k < s->scalars; k++)
        for (int i = w->first[k]; i < w->first[k + 1]; i++) {
            const double *x = p->value[i];
            double *state = w->state + 2 * i, peak = state[0];
            if (s->reduction[k] == IFD__REDUCE_PEAK) {
                for (long j = 0; j < p->rows; j++)
                    peak = larger(peak, fabs(x[j * p->stride]));
                state[0] = peak;
                continue;
            }
            for (long j = only_late(s->reduction[k]) ? late : 0; j < p->rows; j++)
                add(s->reduction[k], state, p->h * (double)(p->first + j), x[j * p->stride]);
        }
    w->late += p->rows - late;
    w->rows += p->rows;
}

/* The criterion of two series. */
static double criterion(const ifd__watch *w, ifd__reduction how, const ifd__compared *c)
{
    if (c->rows < 2)
        return (double)NAN;
    if (how == IFD__REDUCE_TRACKING_DELAY)
        return w->interval * ifd__series_lag(c->rows, c->x, c->y);
    return (how == IFD__REDUCE_TRACKING_NRMS || how == IFD__REDUCE_ERROR_NRMS ? ifd__series_nrms : ifd__series_peak)(
        c->rows, c->x, c->y);
}

static double finish(const ifd__watch *w, ifd__reduction how, int i)
{
    double rows = (double)w->rows;
    const double *state = w->state + 2 * i;
    if (how != IFD__REDUCE_ERROR && (ifd__reduces_ideal(how) || ifd__reduces_tracking(how)))
        return criterion(w, how, &w->compared[i]);
    switch (how) {
    case IFD__REDUCE_MEAN:
        return state[0] / rows;
    case IFD__REDUCE_RMS:
        return sqrt(state[0] / rows);
    case IFD__REDUCE_ERROR:
        return state[1] > 0 ? sqrt(state[0] / state[1]) : (double)NAN;
    case IFD__REDUCE_RESIDUAL:
        return w->late ? state[0] / (double)w->late : (double)NAN;
    case IFD__REDUCE_AMPLITUDE:
        return w->late ? 0.5 * (state[1] - state[0]) : (double)NAN;
    default:
        return state[0];
    }
}

/* The one number of several columns. */
static double combine(ifd__reduction how, double a, double b)
{
    if (isnan(a))
        return b;
    if (how == IFD__REDUCE_MINIMUM)
        return fmin(a, b);
    if (how == IFD__REDUCE_FINAL || how == IFD__REDUCE_RESIDUAL)
        return fabs(b) > fabs(a) ? b : a;
    return fmax(a, b);
}

/* The time of the largest of several peaks. */
static double time_of_peak(const ifd__watch *w, int k)
{
    double most = -1.0, time = (double)NAN;
    for (int i = w->first[k]; i < w->first[k + 1]; i++)
        if (w->state[2 * i + 1] > most) {
            most = w->state[2 * i + 1];
            time = w->state[2 * i];
        }
    return time;
}

void ifd__watch_reduce(const ifd__watch *w, double *scalar)
{
    const ifd_study *s = w->study;
    for (int k = 0; k < s->scalars; k++) {
        scalar[k] = (double)NAN;
        for (int i = w->first[k]; i < w->first[k + 1] && w->rows; i++)
            scalar[k] = combine(s->reduction[k], scalar[k], finish(w, s->reduction[k], i));
        if (s->reduction[k] == IFD__REDUCE_TIME_OF_PEAK)
            scalar[k] = time_of_peak(w, k);
    }
}

void ifd__watch_end(ifd__watch *w)
{
    for (int i = 0; w->first && i < w->first[w->study->scalars]; i++) {
        free(w->compared[i].x);
        free(w->compared[i].y);
        w->compared[i].x = w->compared[i].y = NULL;
    }
    free(w->series);
    w->series = NULL;
}

/* Columns of the rig, the test and the specimens are always there: they need only the cheapest group. */
unsigned ifd__watch_group(ifd_quantity q)
{
    if (q < IFD_COLUMN_DISPLACEMENT || q == IFD_COLUMN_HOLD_RELAXATION ||
        (q >= IFD_COLUMN_IDENTIFIED && q <= IFD_COLUMN_LOOP_LEVEL) ||
        (q >= IFD_COLUMN_LOOP_FEI_DELAY && q <= IFD_COLUMN_LOOP_GROWTH))
        return IFD_RECORD_GROUND;
    switch (q) {
    case IFD_COLUMN_DISPLACEMENT:
        return IFD_RECORD_DISPLACEMENT;
    case IFD_COLUMN_VELOCITY:
    case IFD_COLUMN_ABSOLUTE_VELOCITY:
        return IFD_RECORD_VELOCITY;
    case IFD_COLUMN_ACCELERATION:
    case IFD_COLUMN_ABSOLUTE_ACCELERATION:
        return IFD_RECORD_ACCELERATION;
    case IFD_COLUMN_STOREY_DRIFT:
        return IFD_RECORD_DRIFT;
    case IFD_COLUMN_ELEMENT_DEFORMATION:
    case IFD_COLUMN_ELEMENT_FORCE:
        return IFD_RECORD_ELEMENTS | IFD_RECORD_MEMBERS;
    case IFD_COLUMN_ELEMENT_STATE:
        return IFD_RECORD_ELEMENTS | IFD_RECORD_MEMBERS | IFD_RECORD_STATES;
    case IFD_COLUMN_GROUND_X:
    case IFD_COLUMN_GROUND_Y:
    case IFD_COLUMN_GROUND_Z:
        return IFD_RECORD_GROUND;
    case IFD_COLUMN_BASE_SHEAR_X:
    case IFD_COLUMN_BASE_SHEAR_Y:
    case IFD_COLUMN_BASE_SHEAR_Z:
        return IFD_RECORD_BASE_SHEAR;
    default:
        return q >= IFD_COLUMN_ENERGY_INPUT && q <= IFD_COLUMN_ENERGY_NUMERICAL ? IFD_RECORD_ENERGY
                                                                                : IFD_RECORD_EVERYTHING;
    }
}

unsigned ifd__watch_groups(const ifd__watch *w)
{
    unsigned groups = 0;
    for (int i = 0; i < w->first[w->study->scalars]; i++)
        groups |= ifd__watch_group(w->column[w->source[i]].quantity);
    for (int h = 0; h < w->study->histories; h++)
        groups |=
            w->history[h] < 0 ? (unsigned)IFD_RECORD_EVERYTHING : ifd__watch_group(w->column[w->history[h]].quantity);
    return groups;
}

int ifd__watch_columns(const ifd__watch *w, ifd_arena *arena, const int **out)
{
    int count = w->first[w->study->scalars], all = count + w->study->histories;
    int *column = ifd_arena_array(arena, (size_t)all + 1, sizeof *column);
    *out = column;
    if (!column)
        return -1;
    memcpy(column, w->source, (size_t)count * sizeof *column);
    for (int h = 0; h < w->study->histories; h++)
        if (w->history[h] >= 0)
            column[count++] = w->history[h];
    return count;
}

bool ifd__watch_misses(const ifd__watch *w)
{
    for (int k = 0; k < w->study->scalars; k++)
        if (w->first[k] == w->first[k + 1])
            return true;
    for (int h = 0; h < w->study->histories; h++)
        if (w->history[h] < 0)
            return true;
    return false;
}
