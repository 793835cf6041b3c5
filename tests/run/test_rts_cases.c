/* SPDX-License-Identifier: MIT */
/* ctest: begins 24 of the first, not with sanitizers, unless every test is asked for */
/* The cases of substructuring by extrapolation against the reference on their assembled whole. Each folder
 * cases/rts-* has a list rts.json of
 *
 *     {"file": "pendulum", "set": ["coupling.rts.ahead=1"], "error": 5.8e-4, "below": 0.0425}
 *     {"file": "above", "diverges": true}
 *
 * error: the largest e = |Y - Y_reference| over the run, all displacements and velocities in SI units, as measured;
 * below: what it must not reach, from the paper. */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

#include "run/listed.h"

enum { MOST_SETS = 8, MOST_DOFS = 16 };

#define FOLDER IFD_SOURCE_DIR "/cases"

typedef struct entry {
    char path[512];
    const char *set[MOST_SETS];
    int sets;
    bool diverges;
    double error, below;
} entry;

static entry read_entry(const char *folder, const ifd__node *node, ifd_note *note)
{
    entry e = {.below = HUGE_VAL};
    const char *file = "";
    const ifd__node *set = ifd__yaml_get(node, "set"), *below = ifd__yaml_get(node, "below");
    ifd__yaml_keys(node, "file|set|diverges|error|below", "rts.json", note);
    ifd__yaml_text(ifd__yaml_need(node, "file", note), &file, note);
    snprintf(e.path, sizeof e.path, "%s/%s/%s.yaml", FOLDER, folder, file);
    for (const ifd__node *s = set ? set->first : NULL; s && e.sets < MOST_SETS; s = s->next)
        e.set[e.sets++] = s->text;
    if (ifd__yaml_get(node, "diverges"))
        ifd__yaml_flag(ifd__yaml_get(node, "diverges"), &e.diverges, note);
    else
        ifd__yaml_number(ifd__yaml_need(node, "error", note), IFD_DIM_NONE, IFD_RANGE_POSITIVE, &e.error, note);
    if (below)
        ifd__yaml_number(below, IFD_DIM_NONE, IFD_RANGE_POSITIVE, &e.below, note);
    if (note->errors)
        ifd_note_print(note, stderr, false);
    assert_int_equal(note->errors, 0);
    return e;
}

static ifd_run *make_run(ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    ifd_run *r = NULL;
    if (ifd_run_make(arena, opt, &r, note) != IFD_OK)
        ifd_note_print(note, stderr, false);
    assert_non_null(r);
    return r;
}

/* Columns of displacements and velocities; the whole names them as the parts do. */
static int pair_columns(const ifd_run *a, const ifd_run *b, int (*column)[2])
{
    int na, nb, count = 0;
    const ifd_column *ca = ifd_run_columns(a, &na), *cb = ifd_run_columns(b, &nb);
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            if (strcmp(ca[i].name, cb[k].name) == 0 &&
                (strcmp(ca[i].group, "displacement") == 0 || strcmp(ca[i].group, "velocity") == 0)) {
                assert_true(count < 2 * MOST_DOFS);
                column[count][0] = i;
                column[count++][1] = k;
            }
    return count;
}

/* NaN when the run diverged; a start that did not converge is no more than a note. */
static double largest_error(ifd_run *part, ifd_run *whole)
{
    int column[2 * MOST_DOFS][2];
    int count = pair_columns(part, whole, column);
    double worst = 0;
    for (bool going = true; going;) {
        going = ifd_run_tick(part) == IFD_RUN_GOING;
        (void)ifd_run_tick(whole);
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += pow(ifd_run_values(part)[column[i][0]] - ifd_run_values(whole)[column[i][1]], 2);
        worst = fmax(worst, sqrt(sum));
        ifd_fault fault = ifd_run_fault(part).fault;
        if (fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS)
            return (double)NAN;
    }
    assert_true(count >= 4);
    assert_near(ifd_run_time(part), ifd_run_time(whole), 1e-9, "both came to the end");
    return worst;
}

static int wrong;

static void check_entry(const entry *e)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, e->path, e->sets, e->set, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    ifd_run_options exact = {.model = c->run.model, .end = c->run.end};
    ifd_step_options_defaults(ifd_method_find("reference"), c->run.couple->h, &exact.step);
    ifd_run *part = make_run(arena, &c->run, &note), *whole = make_run(arena, &exact, &note);
    double error = largest_error(part, whole);
    bool fine = e->diverges ? isnan(error) : fabs(error - e->error) <= 0.05 * e->error && error < e->below;
    if (!fine || getenv("IFD_SHOW"))
        print_message("%s %s %s %s: error %.4g, expected %.4g within 5 %%, below %.3g\n",
                      e->path + strlen(FOLDER) + 1, e->sets > 0 ? e->set[0] : "", e->sets > 1 ? e->set[1] : "",
                      e->sets > 2 ? e->set[2] : "", error, e->error, e->below);
    wrong += !fine;
    ifd_run_close(part);
    ifd_run_close(whole);
    ifd_arena_close(arena);
}

static int check_folder(const char *folder)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    int count = 0;
    ifd_note_init(&note, arena);
    const ifd__node *list = listed(arena, folder, "rts.json", &note);
    if (!list)
        fail_msg("%s/%s/rts.json is missing", FOLDER, folder);
    for (const ifd__node *i = list->first; i; i = i->next, count++) {
        entry e = read_entry(folder, i, &note);
        if (!BRIEF || count % 4 == 0) /* all errors are checked by the build without sanitizers */
            check_entry(&e);
    }
    ifd_arena_close(arena);
    return count;
}

TEST(every_rts_case_has_the_error_its_page_names)
{
    DIR *dir = opendir(FOLDER);
    int count = 0;
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        if (strncmp(e->d_name, "rts-", 4) == 0)
            count += check_folder(e->d_name);
    closedir(dir);
    print_message("%d errors, %d wrong\n", count, wrong);
    assert_int_equal(wrong, 0);
    assert_true(count >= 30);
}

TESTS()
