/* SPDX-License-Identifier: MIT */
/* interfield zero: tares sensors of a rig and stores the offsets in a file named by the case, without motion. */
#include "outcome.h"
#include "session/channel_watch.h"
#include "session/start.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct tare {
    channel_watch l;
    bool chosen[IFD_CHANNEL_ROWS];
    double zero[IFD_CHANNEL_ROWS]; /* unit, total */
    char when[40];
    const char *path;
} tare;

static bool choose_named(tare *t, const char *list)
{
    for (const char *p = list; *p;) {
        size_t length = strcspn(p, ",");
        int i = 0, rows = t->l.map->rows;
        const ifd_channel_row *row = t->l.map->row;
        while (i < rows && !(strlen(row[i].name) == length && strncmp(row[i].name, p, length) == 0))
            i++;
        if (i == rows || row[i].zero_limit == 0)
            return app_reject(t->l.a,
                              i == rows ? "unknown channel '%.*s'"
                                        : "channel '%.*s' has no zero-limit and cannot be zeroed",
                              (int)length, p);
        t->chosen[i] = true;
        p += length + (p[length] == ',');
    }
    return true;
}

static bool choose(tare *t)
{
    const char *list = app_value(t->l.a, "--channels");
    int count = 0;
    if (list && !choose_named(t, list))
        return false;
    for (int i = 0; i < t->l.map->rows; i++) {
        if (!list)
            t->chosen[i] = t->l.map->row[i].zero_limit > 0;
        count += t->chosen[i];
    }
    if (!count)
        app_complain(t->l.a,
                     "no channel of this case has a zero-limit; no channel can be zeroed (interfield help channels)");
    return count > 0;
}

/* All or none: a sensor beyond its limit is faulty, or is loaded. */
static bool weigh(tare *t)
{
    bool good = true;
    for (int i = 0; i < t->l.map->rows; i++) {
        const ifd_channel_row *row = &t->l.map->row[i];
        const channel_reading *s = &t->l.now[i];
        t->zero[i] = t->chosen[i] ? row->zero + s->mean : row->zero;
        if (!t->chosen[i])
            continue;
        if (!s->count || !isfinite(s->mean)) {
            app_complain(t->l.a, "channel '%s' returns no value", row->name);
            good = false;
        } else if (fabs(t->zero[i]) > row->zero_limit) {
            app_complain(t->l.a,
                         "channel '%s' needs a total offset of %.6g %s, above its zero-limit of %.6g %s; "
                         "no channel was zeroed",
                         row->name, t->zero[i], row->unit, row->zero_limit, row->unit);
            good = false;
        }
    }
    return good;
}

/* The file that the case names; otherwise NAME.zero.yaml in the folder of the case. */
static const char *choose_path(const tare *t)
{
    const char *path = t->l.c->zero_file, *of = t->l.c->path;
    if (path)
        return path;
    size_t length = strlen(of);
    if (length > 5 && strcmp(of + length - 5, ".yaml") == 0)
        length -= 5;
    return ifd_arena_print(t->l.a->arena, "%.*s.zero.yaml", (int)length, of);
}

/* Keeps the previous file under the first free number. */
static bool keep_old(const tare *t)
{
    if (access(t->path, F_OK) != 0)
        return true;
    for (int n = 1; n < 10000; n++) {
        const char *old = ifd_arena_print(t->l.a->arena, "%s.%d", t->path, n);
        if (old && link(t->path, old) == 0) {
            app_say(t->l.a, "previous", "%s", old);
            return true;
        }
        if (!old || errno != EEXIST)
            break;
    }
    return app_reject(t->l.a, "'%s' cannot be renamed: %s", t->path, strerror(errno));
}

static bool write_rows(const tare *t, FILE *f)
{
    const char *by = app_value(t->l.a, "--operator");
    fprintf(f, "# Zero offsets of %s; interfield zero, %s%s%.*s\n", t->l.c->path, t->when, by ? ", " : "",
            (int)strcspn(by ? by : "", "\r\n"), by ? by : "");
    for (int i = 0; i < t->l.map->rows; i++) {
        const ifd_channel_row *row = &t->l.map->row[i];
        const char *when = t->chosen[i] ? t->when : row->tared;
        if (when)
            fprintf(f, "%s: {zero: %.17g, tared: \"%s\"} # %s\n", row->name, t->zero[i], when, row->unit);
    }
    return fflush(f) == 0 && fsync(fileno(f)) == 0 && !ferror(f);
}

/* Atomic: written under a temporary name, then renamed. */
static bool write_file(const tare *t)
{
    const char *beside = ifd_arena_print(t->l.a->arena, "%s.new", t->path);
    FILE *f = beside ? fopen(beside, "w") : NULL;
    bool good = f && write_rows(t, f);
    if (f && fclose(f) != 0)
        good = false;
    good = good && keep_old(t) && rename(beside, t->path) == 0;
    if (!good)
        app_complain(t->l.a, "'%s' cannot be written: %s", t->path, strerror(errno));
    return good;
}

static int put_json(tare *t)
{
    ifd_json j = app_json(t->l.a);
    IFD_JSON_PUT(&j, IFD_JSON("file", t->path), IFD_JSON("tared", t->when));
    ifd_json_object(&j, "zero");
    for (int i = 0; i < t->l.map->rows; i++)
        if (t->chosen[i])
            ifd_json_number(&j, t->l.map->row[i].name, t->zero[i]);
    return app_put_json(t->l.a, &j, EXIT_FINE);
}

static void say_all(const tare *t)
{
    for (int i = 0; i < t->l.map->rows; i++) {
        const ifd_channel_row *row = &t->l.map->row[i];
        if (t->chosen[i])
            app_say(t->l.a, "zeroed", "%s: offset %.6g %s, total %.6g, limit %.6g (noise %.3g)", row->name,
                    t->l.now[i].mean, row->unit, t->zero[i], row->zero_limit, channel_watch_deviation(&t->l.now[i]));
    }
    app_say(t->l.a, "file", "%s", t->path);
    if (!t->l.c->zero_file) {
        const char *name = strrchr(t->path, '/');
        app_say(t->l.a, "next", "the case does not use this file yet; add 'channels: {zero: %s, ...}' to the case",
                name ? name + 1 : t->path);
    }
}

static int tare_all(void *watch)
{
    tare *t = watch;
    double seconds = 1;
    time_t now = time(NULL);
    if (!start_named(t->l.a, !ifd_hybrid_simulated(t->l.h)))
        return EXIT_BAD_INPUT;
    if (!app_number(t->l.a, "--for", IFD_DIM_TIME, 1, &seconds) || !choose(t))
        return EXIT_BAD_INPUT;
    if (!(seconds > 0 && seconds <= 3600))
        return app_refuse(t->l.a, "--for: expected a time above 0 and up to 3600 s");
    channel_watch_collect(&t->l, seconds, NULL);
    if (!t->l.heard)
        app_complain(t->l.a, "the rig '%s' returns no measurements", t->l.o.rig->name);
    if (!t->l.heard || !weigh(t))
        return EXIT_RUN_FAILED;
    struct tm utc;
    strftime(t->when, sizeof t->when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    t->path = choose_path(t);
    if (!t->path || !write_file(t))
        return EXIT_RUN_FAILED;
    if (t->l.a->json)
        return put_json(t);
    say_all(t);
    return EXIT_FINE;
}

static int run_command(app *a)
{
    return channel_watch_run(a, sizeof(tare), tare_all);
}

const command command_zero = {
    .name = "zero",
    .words = "CASE",
    .summary = "zero (tare) the sensors of a rig within their limits",
    .details = "Averages the sensor values and writes the offsets to the file of `channels: {zero: FILE}` in the "
               "case, or to CASE.zero.yaml. The previous file is kept with a number added to its name. No "
               "actuator moves.",
    .options = {{"--channels", "NAME,NAME,...", "sensors to zero (default: all with a zero-limit)"},
                {"--for", "T", "averaging time, in s, at most 3600 (default 1)"},
                {"--operator", "NAME", "name of the operator, required on a real rig; stored in the file"},
                OPTION_SET,
                OPTION_LOAD},
    .examples = "interfield zero my-case.yaml --channels load-cell --for 5",
    .see = "channels channels.md",
    .run = run_command,
    .code = CODE_ASKED,
    .outcomes = OUTCOME_BIT(HUNG),
    .failed = "an offset exceeds its zero-limit, or a sensor returns no value; in both cases no sensor is zeroed",
};
