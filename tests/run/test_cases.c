/* SPDX-License-Identifier: MIT */
/* ctest: begins 16 of the first */
/* Every shipped case against the numbers of its expected.json, a list of
 *
 *     {"file": "free", "set": ["method=reference"], "quantity": "peak x1 displacement", "value": 1, "tolerance": 1,
 *      "source": "independent"}
 *
 * Quantities: peak CHANNEL (its size), final CHANNEL, frequency N (Hz), loop ELEMENT T0 T1 (J, work between
 * instants). Sources: independent (tests/run/independent.c), independent solver (a script in the folder), closed
 * form, published, exact exponential, bound (the tolerance is what the case promises). */
#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

#include "run/listed.h"
#include "run/independent.h"

enum { MOST_SETS = 8, MOST_ENTRIES = 64 };

#define FOLDER IFD_SOURCE_DIR "/cases"

typedef struct expected {
    const char *file, *quantity, *source;
    const char *set[MOST_SETS];
    int sets;
    double value, tolerance;
} expected;

/* count entries of one file with the same settings: one run gives all their numbers. */
typedef void visit(const char *name, const expected *e, int count);

static expected read_entry(const ifd__node *node, ifd_note *note)
{
    expected e = {0};
    const ifd__node *set = ifd__yaml_get(node, "set");
    ifd__yaml_keys(node, "file|set|quantity|value|tolerance|source", "expected.json", note);
    ifd__yaml_text(ifd__yaml_need(node, "file", note), &e.file, note);
    ifd__yaml_text(ifd__yaml_need(node, "quantity", note), &e.quantity, note);
    ifd__yaml_text(ifd__yaml_need(node, "source", note), &e.source, note);
    ifd__yaml_number(ifd__yaml_need(node, "value", note), IFD_DIM_NONE, IFD_RANGE_FREE, &e.value, note);
    ifd__yaml_number(ifd__yaml_need(node, "tolerance", note), IFD_DIM_NONE, IFD_RANGE_POSITIVE, &e.tolerance, note);
    for (const ifd__node *s = set ? set->first : NULL; s && e.sets < MOST_SETS; s = s->next)
        e.set[e.sets++] = s->text;
    if (note->errors)
        ifd_note_print(note, stderr, false);
    assert_int_equal(note->errors, 0);
    return e;
}

static bool same_run(const expected *a, const expected *b)
{
    bool same = strcmp(a->file, b->file) == 0 && a->sets == b->sets;
    for (int i = 0; same && i < a->sets; i++)
        same = strcmp(a->set[i], b->set[i]) == 0;
    return same;
}

/* Brings entries of the same run together, in the order of their first, and calls see for each run. */
static void visit_runs(const char *folder, const expected *all, int count, visit *see)
{
    expected group[MOST_ENTRIES];
    bool seen[MOST_ENTRIES] = {false};
    for (int i = 0; i < count; i++) {
        int n = 0;
        char name[256];
        for (int k = i; k < count; k++)
            if (!seen[k] && same_run(&all[i], &all[k])) {
                group[n++] = all[k];
                seen[k] = true;
            }
        snprintf(name, sizeof name, "%s/%s", folder, all[i].file);
        if (n && !(BRIEF && i)) /* other runs of a folder use the same code; their numbers need no sanitizer */
            see(name, group, n);
    }
}

/* Calls see for each run of a folder's expected.json; how many numbers there are. */
static int visit_folder(const char *folder, visit *see)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    int count = 0;
    ifd_note_init(&note, arena);
    expected all[MOST_ENTRIES];
    const ifd__node *list = listed(arena, folder, "expected.json", &note);
    if (!list)
        fail_msg("%s/%s/expected.json is missing", FOLDER, folder);
    for (const ifd__node *i = list->first; i; i = i->next) {
        assert_true(count < MOST_ENTRIES);
        all[count++] = read_entry(i, &note);
    }
    visit_runs(folder, all, count, see);
    ifd_arena_close(arena);
    return count;
}

static int visit_all(visit *see)
{
    DIR *dir = opendir(FOLDER);
    int count = 0;
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            count += visit_folder(e->d_name, see);
    closedir(dir);
    return count;
}

typedef struct followed {
    int channel, force, deformation;
    double peak, final, work, t0, t1;
    double last_force, last_deformation;
} followed;

static int find_channel(const ifd_run *r, const char *name)
{
    int count;
    const ifd_column *c = ifd_run_columns(r, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return i;
    fail_msg("there is no channel '%s'", name);
    return -1;
}

static void follow(followed *f, const double *v, double t)
{
    const double slack = 1e-9;
    if (f->channel >= 0) {
        f->final = v[f->channel];
        f->peak = fmax(f->peak, fabs(v[f->channel]));
        return;
    }
    double force = v[f->force], q = v[f->deformation];
    if (t > f->t0 + slack && t < f->t1 + slack)
        f->work += 0.5 * (force + f->last_force) * (q - f->last_deformation);
    f->last_force = force;
    f->last_deformation = q;
}

static ifd_case *read_case(ifd_arena *arena, const char *name, const expected *e, ifd_note *note)
{
    char path[512];
    ifd_case *c = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", FOLDER, name);
    if (ifd_case_read(arena, path, e->sets, e->set, &c, note) != IFD_OK)
        ifd_note_print(note, stderr, false);
    assert_non_null(c);
    return c;
}

static double frequency(ifd_arena *arena, const ifd_case *c, int number, ifd_note *note)
{
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(c->run.model, c->direction, number, arena, &modes, note), IFD_OK);
    return modes.frequency[number - 1];
}

static void begin(followed *f, const ifd_run *r, const char *quantity)
{
    char name[128], channel[160];
    *f = (followed){.channel = -1};
    if (sscanf(quantity, "loop %127s %lf %lf", name, &f->t0, &f->t1) == 3) {
        snprintf(channel, sizeof channel, "%s force", name);
        f->force = find_channel(r, channel);
        snprintf(channel, sizeof channel, "%s deformation", name);
        f->deformation = find_channel(r, channel);
    } else
        f->channel = find_channel(r, strchr(quantity, ' ') + 1);
}

static bool is_frequency(const expected *e)
{
    return strncmp(e->quantity, "frequency ", 10) == 0;
}

static void run_to_end(ifd_run *r, const expected *e, int count, followed *f)
{
    for (int i = 0; i < count; i++)
        if (!is_frequency(&e[i]))
            begin(&f[i], r, e[i].quantity);
    for (ifd_run_state s = IFD_RUN_GOING;; s = ifd_run_tick(r)) {
        for (int i = 0; ifd_run_fresh(r) && i < count; i++)
            if (!is_frequency(&e[i]))
                follow(&f[i], ifd_run_values(r), ifd_run_time(r));
        if (s != IFD_RUN_GOING)
            break;
    }
    assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
}

static int wrong; /* numbers that differ, so that all of them are shown */

static void compare(const char *name, const expected *e, double actual)
{
    if (!(fabs(actual - e->value) <= e->tolerance)) {
        print_error("%s %s, %s: found %.12g, expected %.12g, difference %.3g, tolerance %.3g\n", name,
                    e->sets ? e->set[0] : "", e->quantity, actual, e->value, actual - e->value, e->tolerance);
        wrong++;
    }
}

static void check_runs(const char *name, const expected *e, int count)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_run *r;
    followed f[MOST_ENTRIES];
    bool runs = false;
    ifd_note_init(&note, arena);
    ifd_case *c = read_case(arena, name, e, &note);
    for (int i = 0; i < count; i++)
        runs = runs || !is_frequency(&e[i]);
    if (runs) {
        if (ifd_run_make(arena, &c->run, &r, &note) != IFD_OK)
            ifd_note_print(&note, stderr, false);
        assert_int_equal(note.errors, 0);
        run_to_end(r, e, count, f);
        ifd_run_close(r);
    }
    for (int i = 0; i < count; i++) {
        if (is_frequency(&e[i]))
            compare(name, &e[i], frequency(arena, c, atoi(e[i].quantity + 10), &note));
        else
            compare(name, &e[i],
                    f[i].channel < 0                          ? f[i].work
                    : strncmp(e[i].quantity, "peak ", 5) == 0 ? f[i].peak
                                                              : f[i].final);
    }
    ifd_arena_close(arena);
}

TEST(every_shipped_case_gives_its_expected_numbers)
{
    int count = visit_all(check_runs);
    print_message("%d numbers, %d wrong\n", count, wrong);
    assert_int_equal(wrong, 0);
    assert_true(count >= 30);
}

static void check_source(const char *name, const expected *e, const independent_result *s)
{
    const char *channel = strchr(e->quantity, ' ') + 1;
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->channel[i], channel) == 0) {
            double value = strncmp(e->quantity, "peak ", 5) == 0 ? fabs(s->peak[i]) : s->final[i];
            assert_near_rel(value, e->value, 1e-7, "%s, %s", name, e->quantity);
            return;
        }
    fail_msg("%s: no independent value of '%s'", name, channel);
}

/* The numbers themselves, from the equations written out in independent.c. */
static void check_sources(const char *name, const expected *e, int count)
{
    independent_result s = {0};
    int refine = strncmp(name, "bearing", 7) == 0 ? 200 : 20;
    for (int i = 0; i < count; i++)
        if (strcmp(e[i].source, "independent") == 0) {
            if (!s.count)
                assert_true(independent_solve(name, refine, &s));
            check_source(name, &e[i], &s);
        }
}

TEST(expected_numbers_that_claim_independence_have_it)
{
    if (!BRIEF) /* arithmetic of the test itself needs no sanitizer */
        visit_all(check_sources);
}

TEST(every_shipped_case_reads_and_has_a_page)
{
    DIR *dir = opendir(FOLDER);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        char path[512];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/README.md", FOLDER, e->d_name);
        FILE *page = fopen(path, "r");
        if (!page)
            fail_msg("%s is missing", path);
        fclose(page);
    }
    closedir(dir);
}

TESTS()
