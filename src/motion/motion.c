/* SPDX-License-Identifier: MIT */
/* Motions from files and signals, and to files. */
#include <interfield/motion.h>

#include "text/motion_file.h"
#include "base/arena.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const double GRAVITY = 9.80665; /* m/s2 */

static const char *base_name(ifd_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *first = slash ? slash + 1 : path, *dot = strrchr(first, '.');
    return ifd_arena_text_n(arena, first, dot && dot > first ? (size_t)(dot - first) : strlen(first));
}

/* Linear interpolation of given times at a constant interval, from the first time. */
static ifd_status spread(ifd_arena *arena, const ifd_samples *s, double step, ifd_motion *out)
{
    double span = s->time[s->count - 1] - s->time[0];
    out->count = (int)floor(span / step + 1e-9) + 1;
    out->dt = step;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->a, out->count)));
    for (int i = 0, k = 0; i < out->count; i++) {
        double t = s->time[0] + i * step;
        while (k + 2 < s->count && s->time[k + 1] < t)
            k++;
        double weight = (t - s->time[k]) / (s->time[k + 1] - s->time[k]);
        out->a[i] = s->value[k] + fmin(weight, 1) * (s->value[k + 1] - s->value[k]);
    }
    return IFD_OK;
}

ifd_status ifd_motion_read(ifd_arena *arena, const char *path, const ifd_motion_options *options, ifd_motion *out,
                           ifd_note *note)
{
    ifd_motion_options o = options ? *options : (ifd_motion_options){0};
    ifd__record_options ask = {.unit = o.unit, .dt = o.dt, .dim = IFD_DIM_ACCELERATION};
    ifd__record r;
    IFD_TRY(ifd__record_read(arena, path, &ask, &r, note));
    const ifd_samples *s = &r.samples;
    *out = (ifd_motion){.name = base_name(arena, path), .count = s->count, .dt = s->dt};
    if (s->time && !(o.step > 0)) {
        ifd_note_add(note, IFD_RECORD, &(ifd_place){.file = path}, "the times are not equally spaced");
        ifd_note_hint(note, "state an interval; the values between the times are interpolated");
        return IFD_RECORD;
    }
    if (s->time)
        return spread(arena, s, o.step, out);
    out->a = ifd_arena_array(arena, (size_t)s->count, sizeof *out->a);
    if (!out->a || !out->name)
        return IFD_NO_MEMORY;
    memcpy(out->a, s->value, (size_t)s->count * sizeof *out->a);
    return IFD_OK;
}

ifd_status ifd_motion_sample(ifd_arena *arena, const ifd_signal *signal, double end, double dt, ifd_motion *out)
{
    *out = (ifd_motion){.name = "", .count = (int)floor(end / dt + 1e-9) + 1, .dt = dt};
    if (out->count < 2)
        return IFD_RANGE;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->a, out->count)));
    for (int i = 0; i < out->count; i++) {
        double y[3];
        ifd_signal_eval(signal, i * dt, y);
        out->a[i] = y[0];
    }
    return IFD_OK;
}

void ifd_motion_scale(ifd_motion *m, double factor)
{
    for (int i = 0; i < m->count; i++)
        m->a[i] *= factor;
}

static void put_at2(const ifd_motion *m, FILE *file)
{
    fprintf(file, "INTERFIELD\n%s\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= %d, DT= %.9g SEC\n", m->name,
            m->count, m->dt);
    for (int i = 0; i < m->count; i++)
        fprintf(file, "%17.9E%s", m->a[i] / GRAVITY, i % 5 == 4 || i == m->count - 1 ? "\n" : "");
}

static void put_csv(const ifd_motion *m, FILE *file)
{
    fputs("time [s],acceleration [m/s2]\n", file);
    for (int i = 0; i < m->count; i++)
        fprintf(file, "%.9g,%.12g\n", i * m->dt, m->a[i]);
}

ifd_status ifd_motion_write(const ifd_motion *m, const char *path, ifd_note *note)
{
    const char *dot = strrchr(path, '.');
    FILE *file = fopen(path, "we");
    if (!file)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
    if (dot && strcasecmp(dot, ".at2") == 0)
        put_at2(m, file);
    else
        put_csv(m, file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written", path);
    return IFD_OK;
}
