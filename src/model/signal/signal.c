/* SPDX-License-Identifier: MIT */
/* Makes and evaluates signals by the rows of their table. */
#include "model/signal/wave.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/wide.h"

double ifd__ask_number(const ifd__signal_ask *ask, const char *name)
{
    return ifd_param_get(ask->kind->params, ask->values, name)->number;
}

bool ifd__ask_given(const ifd__signal_ask *ask, const char *name)
{
    return ifd_param_get(ask->kind->params, ask->values, name)->given;
}

ifd_status ifd__ask_no_memory(const ifd__signal_ask *ask)
{
    return ifd_note_add(ask->note, IFD_NO_MEMORY, ask->place, "no memory for signal '%s'", ask->kind->name);
}

const ifd_signal_kind *const ifd_signal_kinds[] = {
#define SIGNAL(x) &ifd__signal_##x,
#include "model/signal/signals.def"
};

const int ifd_signal_kind_count = (int)(sizeof ifd_signal_kinds / sizeof *ifd_signal_kinds);

const ifd_signal_kind *ifd_signal_find(const char *name)
{
    for (int i = 0; i < ifd_signal_kind_count; i++)
        if (strcmp(ifd_signal_kinds[i]->name, name) == 0)
            return ifd_signal_kinds[i];
    return NULL;
}

static const ifd_signal *finish(ifd_signal *signal, const ifd__wave *wave)
{
    signal->wave = wave;
    for (int i = 0; i < signal->count; i++) {
        double end = wave[i].start + wave[i].length, interval = wave[i].interval;
        if (i == 0 || end > signal->end)
            signal->end = end;
        if (interval > 0 && (signal->interval <= 0 || interval < signal->interval))
            signal->interval = interval;
    }
    return signal;
}

static ifd_status wrap(ifd_arena *arena, const ifd__wave *wave, const ifd_signal **out)
{
    ifd_signal *signal;
    ifd__wave *copy;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(signal, 1), IFD__ARRAY(copy, 1)));
    *copy = *wave;
    signal->count = 1;
    *out = finish(signal, copy);
    return IFD_OK;
}

ifd_status ifd_signal_make(ifd_arena *arena, const ifd_signal_kind *kind, ifd_value *values, const ifd_place *place,
                           const ifd_signal **out, ifd_note *note)
{
    const char *what = ifd_arena_print(arena, "signal '%s'", kind->name);
    IFD_TRY(ifd_param_check(kind->params, values, what ? what : kind->name, place, note));
    if (!kind->make)
        return ifd_note_add(note, IFD_UNSUPPORTED, place, "signal '%s' is made from a file: use it in a case file",
                            kind->name);
    ifd__signal_ask ask = {arena, kind, values, place, note};
    ifd__wave wave = {.factor = 1, .length = HUGE_VAL};
    IFD_TRY(kind->make(&ask, &wave));
    ifd__wave_recipe *recipe = ifd_arena_take(arena, sizeof *recipe);
    if (!recipe || !(recipe->values = ifd__values_copy(arena, kind->params, values)))
        return IFD_NO_MEMORY;
    recipe->kind = kind;
    wave.recipe = recipe;
    return wrap(arena, &wave, out);
}

ifd_status ifd_signal_make_table(ifd_arena *arena, const ifd_samples *samples, ifd_interpolation how,
                                 const ifd_signal **out, ifd_note *note)
{
    ifd__wave wave = {.factor = 1};
    IFD_TRY(ifd__wave_table(arena, samples, how, &wave, note));
    ifd__wave_recipe *recipe = ifd_arena_take(arena, sizeof *recipe);
    double *time = samples->time ? ifd_arena_array(arena, (size_t)samples->count, sizeof *time) : NULL;
    int count;
    if (!recipe || (samples->time && !time))
        return IFD_NO_MEMORY;
    *recipe = (ifd__wave_recipe){.samples = *samples, .how = how};
    recipe->samples.value = ifd__wave_samples(&wave, &count);
    recipe->samples.time = time;
    if (time)
        memcpy(time, samples->time, sizeof *time * (size_t)count);
    wave.recipe = recipe;
    return wrap(arena, &wave, out);
}

ifd_status ifd_signal_make_sum(ifd_arena *arena, int count, const ifd_signal *const *terms, const double *factor,
                               const double *delay, const ifd_signal **out)
{
    int waves = 0, k = 0;
    for (int i = 0; i < count; i++)
        waves += terms[i]->count;
    ifd_signal *signal;
    ifd__wave *wave;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(signal, 1), IFD__ARRAY(wave, waves)));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < terms[i]->count; j++, k++) {
            assert(!delay || delay[i] >= 0);
            wave[k] = terms[i]->wave[j];
            wave[k].factor *= factor ? factor[i] : 1;
            wave[k].start += delay ? delay[i] : 0;
        }
    signal->count = waves;
    *out = finish(signal, wave);
    return IFD_OK;
}

/* Times are multiples of a step, so round-off may miss a start: a time this near counts as reached. */
static double since(double t, double start)
{
    double s = t - start;
    return s < 0 && s > -1e-12 * (1 + fabs(start)) ? 0 : s;
}

IFD__SCALAR void ifd_signal_eval(const ifd_signal *signal, double t, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < signal->count; i++) {
        const ifd__wave *w = &signal->wave[i];
        double s = since(t, w->start), y[3] = {0, 0, 0};
        if (!(s >= 0))
            continue;
        w->eval(w->data, s, y);
        for (int k = 0; k < 3; k++)
            out[k] += w->factor * y[k];
    }
}

void ifd__signal_values(const ifd_signal *signal, int count, const double *t, double *out)
{
    const ifd__wave *w = signal->wave;
    for (int k = 0; k < count && signal->count == 1; k++)
        out[k] = since(t[k], w->start);
    bool table = signal->count == 1 && ifd__wave_values(w, count, out, out);
    for (int k = 0; k < count; k++) {
        double y[3];
        if (!table)
            ifd_signal_eval(signal, t[k], y);
        out[k] = table ? 0 + w->factor * out[k] : y[0];
    }
}

double ifd_signal_peak(const ifd_signal *signal, double end, double dt)
{
    double peak = 0, out[3];
    int samples = 0;
    const double *value = signal->count == 1 ? ifd__wave_samples(signal->wave, &samples) : NULL;
    for (int i = 0; i < samples; i++)
        peak = fmax(peak, fabs(signal->wave->factor * value[i]));
    for (long i = 0; !value && (double)i * dt <= end * (1 + 1e-12); i++) {
        ifd_signal_eval(signal, (double)i * dt, out);
        peak = fmax(peak, fabs(out[0]));
    }
    return peak;
}

double ifd_signal_interval(const ifd_signal *signal)
{
    return signal->interval;
}

double ifd_signal_end(const ifd_signal *signal)
{
    return signal->end;
}
