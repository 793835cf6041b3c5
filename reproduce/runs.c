/* SPDX-License-Identifier: MIT */
/* Runs and tests of shipped cases; all recorded rows are kept. */
#include "reproduce.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

ifd_status scene_case(scene *s, const char *name, settings sets, ifd_case **out)
{
    int count = 0;
    while (sets && sets[count])
        count++;
    const char *path = case_find(s->a, name);
    return path ? ifd_case_read(s->a->arena, path, count, sets, out, &s->a->note) : IFD_FILE;
}

static history history_make(scene *s, int columns, const ifd_column *head, long room)
{
    history h = {.room = room, .columns = columns, .head = head};
    h.time = scene_array(s, room, sizeof *h.time);
    h.column = scene_array(s, columns, sizeof *h.column);
    for (int i = 0; i < columns; i++)
        h.column[i] = scene_array(s, room, sizeof **h.column);
    return h;
}

static void history_keep(history *h, double t, const double *values)
{
    if (h->rows == h->room)
        return;
    h->time[h->rows] = t;
    for (int i = 0; i < h->columns; i++)
        h->column[i][h->rows] = values[i];
    h->rows++;
}

static history run_options(scene *s, const ifd_run_options *opt)
{
    ifd_run *r = NULL;
    int columns = 0;
    scene_try(s, ifd_run_make(s->a->arena, opt, &r, &s->a->note));
    const ifd_column *head = ifd_run_columns(r, &columns);
    history h = history_make(s, columns, head, ifd_run_steps(r) / (opt->every > 1 ? opt->every : 1) + 2);
    ifd_run_state state = IFD_RUN_GOING;
    if (ifd_run_fresh(r))
        history_keep(&h, ifd_run_time(r), ifd_run_values(r));
    while (state == IFD_RUN_GOING) {
        state = ifd_run_tick(r);
        if (ifd_run_fresh(r))
            history_keep(&h, ifd_run_time(r), ifd_run_values(r));
    }
    h.whole = state == IFD_RUN_DONE;
    h.fault = ifd_run_fault(r);
    ifd_run_gaps(r, h.gap);
    ifd_run_close(r);
    return h;
}

history history_run(scene *s, const char *name, settings sets)
{
    ifd_case *c = NULL;
    scene_try(s, scene_case(s, name, sets, &c));
    return run_options(s, &c->run);
}

history history_exact(scene *s, const char *name, settings sets)
{
    ifd_case *c = NULL;
    scene_try(s, scene_case(s, name, sets, &c));
    const ifd_model *whole = case_whole(s->a, c);
    scene_try(s, whole ? IFD_OK : IFD_UNSUPPORTED);
    ifd_run_options opt = {.model = whole, .end = c->run.end, .every = c->run.every};
    if (!c->run.couple) { /* coupled substructures count dofs differently: all are kept */
        opt.what = c->run.what;
        opt.dofs = c->run.dofs;
        opt.dof = c->run.dof;
    }
    ifd_step_options_defaults(ifd_method_find("reference"), c->run.couple ? c->run.couple->h : c->run.step.h,
                              &opt.step);
    return run_options(s, &opt);
}

history history_test(scene *s, const char *name, settings sets)
{
    ifd_case *c = NULL;
    ifd_hybrid *test = NULL;
    int columns = 0;
    scene_try(s, scene_case(s, name, sets, &c));
    if (!c->test)
        scene_try(s,
                  ifd_note_add(&s->a->note, IFD_UNSUPPORTED, NULL, "the case '%s' has no specimen on a rig", name));
    c->test->automatic = true;
    scene_try(s, ifd_hybrid_make(s->a->arena, c->test, &test, &s->a->note));
    const ifd_column *head = ifd_hybrid_columns(test, &columns);
    double step = c->run.couple ? c->run.couple->h : c->run.step.h, before = 0;
    history h = history_make(s, columns, head, (long)(c->run.end / step) + 2);
    ifd_ticked t = ifd_hybrid_ticked(test);
    for (ifd_run_state state = IFD_RUN_GOING; state == IFD_RUN_GOING;) {
        state = t.tick(t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        const double *v = t.values(t.self);
        if (v[0] > before) /* the first column is the simulated time of the last whole step */
            history_keep(&h, v[0], v);
        before = v[0];
    }
    h.trip = (int)ifd_hybrid_trip(test).trip;
    h.whole = h.trip == IFD_TRIP_NONE && ifd_hybrid_time(test) > c->run.end - 1.5 * step;
    ifd_hybrid_close(test);
    return h;
}

const double *history_find(const history *h, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < h->columns; i++)
        if (strcmp(h->head[i].name, name) == 0)
            return h->column[i];
    for (int i = 0; i < h->columns; i++) {
        size_t n = strlen(h->head[i].name);
        if (n > length && h->head[i].name[n - length - 1] == '.' && strcmp(h->head[i].name + n - length, name) == 0)
            return h->column[i];
    }
    return NULL;
}

const double *history_get(scene *s, const history *h, const char *name)
{
    const double *found = history_find(h, name);
    if (!found)
        scene_try(s, ifd_note_add(&s->a->note, IFD_UNKNOWN_NAME, NULL, "the run has no column '%s'", name));
    return found;
}

double *history_error(scene *s, const history *a, const history *b, long *rows)
{
    *rows = b && b->rows < a->rows ? b->rows : a->rows;
    double *e = scene_array(s, *rows + 1, sizeof *e);
    for (int i = 0; i < a->columns; i++) {
        ifd_quantity q = a->head[i].quantity;
        int k = b ? b->columns - 1 : 0;
        if (q != IFD_COLUMN_DISPLACEMENT && q != IFD_COLUMN_VELOCITY)
            continue;
        while (b && k >= 0 && strcmp(a->head[i].name, b->head[k].name) != 0)
            k--;
        for (long r = 0; r < *rows && k >= 0; r++)
            e[r] += pow(a->column[i][r] - (b ? b->column[k][r] : 0), 2);
    }
    for (long r = 0; r < *rows; r++)
        e[r] = sqrt(e[r]);
    return e;
}

sheet *history_sheet(scene *s, const char *name, const char *columns, int cells, const cell *c)
{
    sheet *t = sheet_make(s, name, columns, c->h->rows);
    t->rows = c->h->rows;
    memcpy(t->column[0], c->h->time, (size_t)t->rows * sizeof **t->column);
    for (int k = 0; k < cells; k++) {
        const double *x = history_get(s, c[k].h, c[k].column);
        for (long r = 0; r < t->rows; r++)
            t->column[1 + k][r] = r + c[k].later < c[k].h->rows ? x[r + c[k].later] : (double)NAN;
    }
    return t;
}

const ifd_model *oscillator(scene *s, double omega2, double eta)
{
    ifd_model *m = NULL;
    ifd_builder *b = ifd_builder_make(s->a->arena);
    scene_try(s, b ? IFD_OK : IFD_NO_MEMORY);
    int x = ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, 1);
    ifd_builder_add(b, IFD_DAMPING, x, x, 2 * eta * sqrt(omega2));
    ifd_builder_add(b, IFD_STIFFNESS, x, x, omega2);
    scene_try(s, ifd_model_make(s->a->arena, b, &m, &s->a->note));
    return m;
}

double largest(const double *x, long n)
{
    double most = 0;
    for (long i = 0; i < n; i++)
        most = larger(most, fabs(x[i]));
    return most;
}

double rms_error(const double *a, const double *b, long n)
{
    double sum = 0, square = 0;
    for (long i = 0; i < n; i++) {
        sum += pow(a[i] - b[i], 2);
        square += b[i] * b[i];
    }
    return sqrt(sum / square);
}

double peak_error(const double *a, const double *b, long n)
{
    double most = 0;
    for (long i = 0; i < n; i++)
        most = larger(most, fabs(a[i] - b[i]));
    return most / largest(b, n);
}

double *logspace(scene *s, double low, double high, int count)
{
    double *x = scene_array(s, count, sizeof *x);
    for (int i = 0; i < count; i++)
        x[i] = low * pow(high / low, i / (double)(count - 1));
    return x;
}

double slope_of(int n, const double *x, const double *y)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* Recorded ground motions: none are shipped; the user may supply a folder with them. */

/* Letters and digits only, lower case: "El_Centro 1940.AT2" is elcentro1940at2. */
static void plain(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; *name && n + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

static bool is_record(const char *name, const char *word)
{
    char text[256];
    const char *dot = strrchr(name, '.');
    plain(name, text, sizeof text);
    return dot && (strcasecmp(dot, ".at2") == 0 || strcasecmp(dot, ".csv") == 0) && strstr(text, word);
}

/* The first by name, so that the choice does not depend on the file system. */
static const char *find_record(scene *s, const char *word)
{
    const char *best = NULL;
    DIR *dir = s->records ? opendir(s->records) : NULL;
    if (!dir)
        return NULL;
    for (const struct dirent *e; (e = readdir(dir));)
        if (is_record(e->d_name, word) && (!best || strcmp(e->d_name, best) < 0))
            best = ifd_arena_text(s->a->arena, e->d_name);
    closedir(dir);
    return best;
}

/* Whether a line has the word among its words: "ELCENTRO_1940_NS.AT2" has "NS"; "N-S" is "NS" too. */
static bool has_word(const char *in, const char *word)
{
    for (const char *p = in; *p;) {
        char text[64];
        size_t n = strcspn(p, " _.,;:()/\t\r\n");
        const char *one = p;
        char copy[128];
        snprintf(copy, sizeof copy, "%.*s", (int)n, one);
        plain(copy, text, sizeof text);
        if (strcasecmp(text, word) == 0)
            return true;
        p += n + (p[n] != '\0');
    }
    return false;
}

/* "NS", "EW" from the file's name or its first four lines; "" when neither tells. */
static const char *component_of(const char *path, const char *name)
{
    static const char *const known[] = {"NS", "EW", "UD", NULL};
    char head[512];
    FILE *f = fopen(path, "r");
    for (int i = 0; i < 5; i++) {
        const char *text = i == 0 ? name : f ? fgets(head, sizeof head, f) : NULL;
        for (int k = 0; text && known[k]; k++)
            if (has_word(text, known[k])) {
                if (f)
                    fclose(f);
                return known[k];
            }
    }
    if (f)
        fclose(f);
    return "";
}

/* Burst k of two. The second begins 45 s later with 0.68 of the peak: the peak of the sum is that of the first. */
static const char *burst(scene *s, const char *peak, int k)
{
    char *unit;
    double size = strtod(peak, &unit) * (k ? 0.68 : 1.0);
    return scene_print(s,
                       "{kanai-tajimi: {seed: %d, peak: %g%s, duration: 60 s, rise: 10 s, decay: 30 s, "
                       "ground-frequency: 3 Hz, ground-damping: 0.6, filter-frequency: 0.2 Hz, filter-damping: 0.6, "
                       "correlation: 0.3, correlated-with: %d, start: %d s}}",
                       k ? 4 : 2, size, unit, k ? 3 : 1, k ? 45 : 0);
}

static const char *generated(scene *s, const motion_wanted *m, const char *peak)
{
    if (!m->bursts)
        return scene_print(s, "ground={motion: kanai-tajimi, peak: %s, direction: %s}", peak, m->direction);
    return scene_print(s, "ground={direction: %s, signal: [%s, %s]}", m->direction, burst(s, peak, 0),
                       burst(s, peak, 1));
}

const char *ground_scaled(scene *s, const motion_wanted *m, const char *peak)
{
    const char *file = find_record(s, m->word);
    if (!file)
        return generated(s, m, peak);
    char *whole = realpath(scene_print(s, "%s/%s", s->records, file), NULL);
    const char *set =
        whole ? scene_print(s, "ground={record: \"%s\", peak: %s, direction: %s}", whole, peak, m->direction) : NULL;
    free(whole);
    return set;
}

const char *ground_of(scene *s, const motion_wanted *m)
{
    const char *file = find_record(s, m->word), *set = ground_scaled(s, m, m->peak);
    if (!file)
        changed(s, "a generated ground motion%s in place of %s%s%s%s",
                m->bursts ? " of two bursts, 105 s (cases/two-components, N-S)" : "", m->printed,
                m->component ? " (component " : "", m->component ? m->component : "", m->component ? ")" : "");
    const char *component = file && set ? component_of(scene_print(s, "%s/%s", s->records, file), file) : NULL;
    const char *of = m->component ? scene_print(s, "the %c-%c component of ", m->component[0], m->component[1]) : "";
    if (component && (!m->component || strcmp(component, m->component) == 0))
        chosen(s, "Ground motion: the record '%s' scaled to %s; in the paper: %s%s.", file, m->peak, of, m->printed);
    else if (component)
        changed(s, "the record '%s' (%s%s) in place of %s%s", file, *component ? "component " : "component not named",
                component, of, m->printed);
    s->out->recorded = s->out->recorded || (file && set);
    return set;
}
