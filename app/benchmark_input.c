/* SPDX-License-Identifier: MIT */
/* Input of both benchmarks: ground motions, and settings of compensators; their end. */
#include "benchmark.h"

#include <math.h>
#include <string.h>

/* The motions of the benchmark; the criteria can be compared with published ones only for these. */
static const struct {
    const char *name, *file;
    long samples;
    double peak; /* m/s2 */
} published[] = {
    {"El Centro", "elcentro_1940_ns.csv", 168674, 3.134930},
    {"Kobe", "kobe_1995.csv", 208651, 6.329845},
    {"Morgan Hill", "morgan_hill_1984.csv", 163718, 2.389171},
};
enum { PUBLISHED = sizeof published / sizeof *published };

static void recognise(motion *m)
{
    long samples = (long)floor(IFD_RTHS_RATE * m->end) + 1;
    double peak = ifd_signal_peak(m->signal, m->end, 1.0 / IFD_RTHS_RATE);
    for (int i = 0; i < PUBLISHED; i++)
        if (samples == published[i].samples && fabs(peak - published[i].peak) < 1e-5 * peak) {
            m->name = published[i].name;
            m->comparable = true;
        }
}

static ifd_status read_motion(app *a, motions *b, const char *path)
{
    if (b->count == MOST_RECORDS)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "too many ground motions; at most %d are possible",
                            (int)MOST_RECORDS);
    motion *m = &b->motion[b->count++];
    const char *slash = strrchr(path, '/');
    m->name = slash ? slash + 1 : path;
    IFD_TRY(ifd_rths_record_read(a->arena, path, &m->signal, &m->end, &a->note));
    recognise(m);
    return IFD_OK;
}

static ifd_status generate_motion(app *a, motions *b)
{
    const ifd_signal_kind *kind = ifd_signal_find("kanai-tajimi");
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    motion *m = &b->motion[b->count++];
    m->name = "generated (kanai-tajimi, 0.3 g)";
    m->end = 25.0;
    return ifd_signal_make(a->arena, kind, v, NULL, &m->signal, &a->note);
}

ifd_status motions_get(app *a, motions *b)
{
    const char *folder = app_value(a, "--records"), *given[MOST_OPTIONS];
    int count = app_values(a, "--record", given);
    for (int i = 0; i < count; i++)
        IFD_TRY(read_motion(a, b, given[i]));
    for (int i = 0; folder && i < PUBLISHED; i++) {
        const char *path = ifd_arena_print(a->arena, "%s/%s", folder, published[i].file);
        if (!path)
            return IFD_NO_MEMORY;
        IFD_TRY(read_motion(a, b, path));
    }
    return b->count ? IFD_OK : generate_motion(a, b);
}

/* A number with its unit, or a word, by the first compensator with this parameter. */
static ifd_status get_setting(app *a, int kinds, const char *const *kind, const char *name, const char *text,
                              ifd_rths_setting *out)
{
    for (int k = 0; k < kinds; k++) {
        const ifd_param *params = ifd_compensator_find(kind[k])->params;
        int i = ifd_param_find(params, name);
        if (i < 0)
            continue;
        ifd_value v;
        IFD_TRY(ifd_param_read(&params[i], text, name, &v, &a->note));
        *out = (ifd_rths_setting){name, v.number, v.word};
        return IFD_OK;
    }
    *out = (ifd_rths_setting){name, 0.0, text};
    return IFD_OK;
}

ifd_status settings_get(app *a, int kinds, const char *const *kind, ifd_rths_setting *out)
{
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--set", given);
    if (count > MOST_SETTINGS)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "too many settings; at most %d are possible",
                            (int)MOST_SETTINGS);
    for (int i = 0; i < count; i++) {
        const char *name, *value;
        IFD_TRY(app_assignment(a, "--set", given[i], &name, &value));
        IFD_TRY(get_setting(a, kinds, kind, name, value, &out[i]));
    }
    return IFD_OK;
}

int benchmark_end(app *a, ifd_status status, ifd_json *j, bool unstable)
{
    APP_TRY(a, status);
    int exit_status = unstable ? EXIT_RUN_FAILED : EXIT_FINE;
    return a->json ? app_put_json(a, j, exit_status) : exit_status;
}
