/* SPDX-License-Identifier: MIT */
#include "hybrid/hybrid_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

#include "hybrid/hybrid.h"

enum { FINER = 8, MOST_TICKS = 2000000 };

typedef struct history {
    int dofs, count, room;
    int column[HYBRID_DOFS];
    double *u; /* dofs per complete step */
} history;

static void keep(history *h, const double *v)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 1024;
        h->u = realloc(h->u, sizeof *h->u * (size_t)(h->room * h->dofs));
    }
    for (int i = 0; i < h->dofs; i++)
        h->u[h->count * h->dofs + i] = v[h->column[i]];
    h->count++;
}

static ifd_case *read_case(ifd_arena *arena, const char *path, int sets, const char *const *set, ifd_note *note)
{
    ifd_case *c = NULL;
    if (ifd_case_read(arena, path, sets, set, &c, note) == IFD_OK)
        return c;
    ifd_note_print(note, stderr, false);
    return NULL;
}

static int column_of(const ifd_column *c, int count, const char *dof)
{
    char name[100];
    snprintf(name, sizeof name, "%s displacement", dof);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return i;
    return -1;
}

/* The published displacements of the test are compared. */
static void list_dofs(const ifd_hybrid *h, hybrid_outcome *out, history *seen)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(h, &count);
    for (int i = 0; i < count && seen->dofs < HYBRID_DOFS; i++)
        if (strcmp(c[i].group, "displacement") == 0) {
            snprintf(out->name[seen->dofs], sizeof out->name[0], "%.*s", (int)strcspn(c[i].name, " "), c[i].name);
            seen->column[seen->dofs++] = i;
        }
    out->dofs = seen->dofs;
}

/* Stroke, velocity and acceleration of the command of channel k, from three successive ticks. */
static bool breaks(const ifd_hybrid_options *o, int k, double period, const double p[3])
{
    const double slack = 1.0 + 1e-9;
    const ifd_limits *l = &o->interface[k].limits;
    double v = (p[0] - p[1]) / period, a = (p[0] - 2.0 * p[1] + p[2]) / (period * period);
    return p[0] > l->high || p[0] < l->low || fabs(v) > slack * l->velocity ||
           fabs(a) > slack * l->acceleration + 1e-12 / (period * period);
}

static void go(ifd_hybrid *h, const ifd_hybrid_options *o, hybrid_outcome *out, history *seen)
{
    enum { TIME = 0, COMMANDED = 4, COMMAND = 9, PER_CHANNEL = 6 }; /* columns of the record of a test */
    ifd_ticked t = ifd_hybrid_ticked(h);
    double last[IFD_RIG_ACTUATORS][3] = {{0}}, before = 0.0;
    bool commanded = false;
    ifd_run_state s = IFD_RUN_GOING;
    for (long n = 0; s == IFD_RUN_GOING && n < MOST_TICKS; n++) {
        s = t.tick(t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        const double *v = t.values(t.self);
        for (int k = 0; k < o->interfaces; k++) {
            double p = v[COMMAND + PER_CHANNEL * k], *q = last[k];
            bool first = v[COMMANDED] == 0.0 || !commanded;
            q[2] = first ? p : q[1];
            q[1] = first ? p : q[0];
            q[0] = p;
            out->outside += v[COMMANDED] > 0.0 && breaks(o, k, ifd_hybrid_period(h), q);
        }
        commanded = v[COMMANDED] > 0.0;
        if (v[TIME] > before)
            keep(seen, v);
        before = v[TIME];
    }
}

static bool test_it(const hybrid_run *r, hybrid_outcome *out, history *seen, double *step)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_hybrid *h = NULL;
    ifd_note_init(&note, arena);
    ifd_case *c = read_case(arena, r->path, r->sets, r->set, &note);
    if (c && c->test) /* for other noise: the same generators at a later time */
        c->test->arm_time += r->later;
    if (c && c->test)
        c->test->what = IFD_RECORD_DISPLACEMENT; /* other columns are not compared */
    bool ok = c && c->test && ifd_hybrid_make(arena, c->test, &h, &note) == IFD_OK;
    if (ok) {
        ifd__hybrid_untraced(h); /* what is compared are columns */
        *step = c->run.step.h;
        list_dofs(h, out, seen);
        go(h, c->test, out, seen);
        out->state = ifd_hybrid_state(h);
        out->trip = ifd_hybrid_trip(h).trip;
        out->late = ifd_hybrid_count(h, IFD_TRIP_LATE);
        out->governed = ifd_hybrid_count(h, IFD_TRIP_GOVERNED);
        out->end = ifd_hybrid_time(h);
        for (int k = 0; k < c->test->interfaces; k++) {
            double peak[3];
            ifd_hybrid_peaks(h, k, peak);
            out->tracking[k] = peak[0];
        }
        ifd_hybrid_close(h);
    } else
        ifd_note_print(&note, stderr, false);
    ifd_arena_close(arena);
    return ok;
}

static bool compute(ifd_arena *arena, const ifd_case *c, const hybrid_outcome *out, history *truth, ifd_note *note)
{
    ifd_run *run;
    ifd_run_options options = c->run;
    int count;
    options.what = IFD_RECORD_DISPLACEMENT;
    if (ifd_run_make(arena, &options, &run, note) != IFD_OK)
        return false;
    const ifd_column *channel = ifd_run_columns(run, &count);
    truth->dofs = out->dofs;
    for (int i = 0; i < out->dofs; i++)
        if ((truth->column[i] = column_of(channel, count, out->name[i])) < 0)
            return false;
    long steps = 0;
    for (ifd_run_state s = IFD_RUN_GOING; s == IFD_RUN_GOING;) {
        s = ifd_run_tick(run);
        if (ifd_run_fresh(run) && ++steps % FINER == 0)
            keep(truth, ifd_run_values(run));
    }
    ifd_run_close(run);
    return true;
}

static bool find_truth(const hybrid_run *r, double step, const hybrid_outcome *out, history *truth)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    char finer[64];
    const char *set[HYBRID_SETS + 1];
    int sets = r->truth ? r->truth_sets : r->sets;
    ifd_note_init(&note, arena);
    memcpy(set, r->truth ? r->truth_set : r->set, sizeof *set * (size_t)sets);
    snprintf(finer, sizeof finer, "time.step=%.17g s", step / FINER);
    set[sets] = finer;
    ifd_case *c = read_case(arena, r->truth ? r->truth : r->path, sets + 1, set, &note);
    bool ok = c && compute(arena, c, out, truth, &note);
    if (!ok)
        ifd_note_print(&note, stderr, false);
    ifd_arena_close(arena);
    return ok;
}

/* The last computed reference, for reuse. */
static struct {
    char key[2000];
    history truth;
} kept;

/* Inputs of a reference in a separate file; false: it is the tested file itself, with its settings. */
static bool key_of(const hybrid_run *r, double step, const hybrid_outcome *out, char *key, size_t size)
{
    if (!r->truth)
        return false;
    int used = snprintf(key, size, "%s %.17g", r->truth, step);
    for (int i = 0; i < r->truth_sets; i++)
        used += snprintf(key + used, size - (size_t)used, " %s", r->truth_set[i]);
    for (int i = 0; i < out->dofs; i++)
        used += snprintf(key + used, size - (size_t)used, " %s", out->name[i]);
    return (size_t)used < size;
}

static bool recall_truth(const hybrid_run *r, double step, const hybrid_outcome *out, history *truth)
{
    char key[sizeof kept.key];
    bool keeps = key_of(r, step, out, key, sizeof key);
    if (keeps && strcmp(key, kept.key) == 0) {
        *truth = kept.truth;
        return true;
    }
    free(kept.truth.u);
    kept.truth = (history){0};
    *kept.key = '\0';
    if (!find_truth(r, step, out, truth))
        return false;
    kept.truth = *truth;
    if (keeps)
        memcpy(kept.key, key, sizeof key);
    return true;
}

void hybrid_error_end(void)
{
    free(kept.truth.u);
    kept.truth = (history){0};
    *kept.key = '\0';
}

static void compare(const history *seen, const history *truth, hybrid_outcome *out)
{
    int count = seen->count < truth->count ? seen->count : truth->count;
    for (int i = 0; i < out->dofs; i++) {
        double square = 0, sum = 0, most = 0, peak = 0;
        for (int n = 0; n < count; n++) {
            double u = truth->u[n * out->dofs + i], e = seen->u[n * out->dofs + i] - u;
            square += u * u;
            sum += e * e;
            peak = fmax(peak, fabs(u));
            most = fmax(most, fabs(e));
        }
        out->error[i] = sqrt(sum / square);
        out->peak[i] = most / peak;
    }
}

bool hybrid_error(const hybrid_run *r, hybrid_outcome *out)
{
    history seen = {0}, truth = {0};
    double step = 0.0;
    memset(out, 0, sizeof *out);
    bool ok = test_it(r, out, &seen, &step) && recall_truth(r, step, out, &truth);
    if (ok)
        compare(&seen, &truth, out);
    free(seen.u);
    return ok;
}
