/* SPDX-License-Identifier: MIT */
/* ctest: begins 30 of the first, not with sanitizers, unless every test is asked for */
/* Every hybrid case compared with a reference. hybrid.json of a folder is a list of
 *
 *     {"file": "rig", "what": "as shipped", "set": [], "truth": "whole", "truth-set": [], "bounds": {"x": 0.07}}
 *
 * bounds: of the root mean square of the difference over that of the reference, for each dof. truth: the case with
 * the specimens in its model; without it the same file, with ideal specimens. Both at an eighth of the step.
 *
 * Errors depend on the noise. Bounds determined by noise are the mean plus four standard deviations of 20
 * realisations (8 for bridge), or 1.2 times the largest if that is more; realisations differ by arming 10 ms later
 * each. `IFD_REALISATIONS=20 build/gcc/tests/hybrid.cases` prints them. */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hybrid/hybrid_error.h"
#include "run/listed.h"

#define FOLDER IFD_SOURCE_DIR "/cases"

static int wrong; /* counted, so that all of them are shown */

static int read_sets(const ifd__node *node, const char **set)
{
    int count = 0;
    for (const ifd__node *s = node ? node->first : NULL; s; s = s->next) {
        assert_true(count < HYBRID_SETS);
        set[count++] = s->text;
    }
    return count;
}

static void complain(const char *name, const char *what, const char *text)
{
    print_error("%s, %s: %s\n", name, what, text);
    wrong++;
}

static void check_bounds(const char *name, const char *what, const ifd__node *bounds, const hybrid_outcome *o)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    char line[400] = "";
    ifd_note_init(&note, arena);
    for (int i = 0; i < o->dofs; i++) {
        double bound = 0.0;
        ifd__yaml_number(ifd__yaml_need(bounds, o->name[i], &note), IFD_DIM_NONE, IFD_RANGE_POSITIVE, &bound, &note);
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "  %s %.2f %%", o->name[i], 100.0 * o->error[i]);
        if (!(o->error[i] <= bound)) {
            print_error("%s, %s: error of %s is %.5g, bound %.5g\n", name, what, o->name[i], o->error[i], bound);
            wrong++;
        }
    }
    print_message("%-24s %-46s%s\n", name, what, line);
    assert_int_equal(note.errors, 0);
    ifd_arena_close(arena);
}

/* Mean and standard deviation over other noise, for the choice of bounds. */
static void show_realisations(const char *name, const char *what, hybrid_run r, int count)
{
    double sum[HYBRID_DOFS] = {0}, squares[HYBRID_DOFS] = {0}, most[HYBRID_DOFS] = {0};
    hybrid_outcome o;
    for (int i = 0; i < count; i++) {
        r.later = 0.01 * i;
        assert_true(hybrid_error(&r, &o));
        for (int k = 0; k < o.dofs; k++) {
            sum[k] += o.error[k];
            squares[k] += o.error[k] * o.error[k];
            most[k] = fmax(most[k], o.error[k]);
        }
    }
    for (int k = 0; k < o.dofs; k++) {
        double mean = sum[k] / count, deviation = sqrt(fmax(0.0, squares[k] / count - mean * mean));
        print_message("%s|%s|%s|mean %.6g|deviation %.3g|largest %.6g\n", name, what, o.name[k], mean, deviation,
                      most[k]);
    }
}

static void check_entry(const char *folder, const ifd__node *e, ifd_note *note)
{
    const char *file = "", *what = "", *truth = NULL;
    char path[512], truth_path[512], name[128];
    ifd__yaml_keys(e, "file|what|set|truth|truth-set|bounds", "hybrid.json", note);
    ifd__yaml_text(ifd__yaml_need(e, "file", note), &file, note);
    ifd__yaml_text(ifd__yaml_need(e, "what", note), &what, note);
    if (ifd__yaml_get(e, "truth"))
        ifd__yaml_text(ifd__yaml_get(e, "truth"), &truth, note);
    assert_int_equal(note->errors, 0);
    snprintf(name, sizeof name, "%s/%s", folder, file);
    snprintf(path, sizeof path, "%s/%s.yaml", FOLDER, name);
    snprintf(truth_path, sizeof truth_path, "%s/%s/%s.yaml", FOLDER, folder, truth ? truth : "");
    hybrid_run r = {.path = path, .truth = truth ? truth_path : NULL};
    r.sets = read_sets(ifd__yaml_get(e, "set"), r.set);
    r.truth_sets = read_sets(ifd__yaml_get(e, "truth-set"), r.truth_set);
    hybrid_outcome o;
    const char *realisations = getenv("IFD_REALISATIONS");
    if (realisations)
        show_realisations(name, what, r, atoi(realisations));
    assert_true(hybrid_error(&r, &o));
    if (o.state != IFD_MACHINE_STOPPED)
        complain(name, what, ifd_trip_text(o.trip));
    if (o.outside)
        complain(name, what, "a command is outside its limits");
    if (o.late)
        complain(name, what, "ticks are late although no clock goes");
    check_bounds(name, what, ifd__yaml_get(e, "bounds"), &o);
}

/* With sanitizers only the first row of each folder: the others use the same code. */
static int check_folder(const char *folder)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    int count = 0;
    ifd_note_init(&note, arena);
    const ifd__node *list = listed(arena, folder, "hybrid.json", &note);
    for (const ifd__node *e = list ? list->first : NULL; e; e = e->next)
        if (count++ == 0 || !BRIEF)
            check_entry(folder, e, &note);
    ifd_arena_close(arena);
    return count;
}

TEST(every_hybrid_case_ends_stopped_and_near_the_truth)
{
    DIR *dir = opendir(FOLDER);
    int count = 0;
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            count += check_folder(e->d_name);
    closedir(dir);
    print_message("%d runs, %d wrong\n", count, wrong);
    hybrid_error_end();
    assert_int_equal(wrong, 0);
    assert_true(count >= 30);
}

/* The measure itself: a case with an ideal rig differs from the reference by its step only. */
TEST(an_ideal_rig_makes_no_error)
{
    const hybrid_run r = {.path = FOLDER "/spring-pendulum-rig/spring.yaml",
                          .sets = 4,
                          .set = {"specimen.0.actuator=ideal", "specimen.0.compensation=none",
                                  "specimen.0.position-sensor={}", "specimen.0.force-sensor={}"}};
    hybrid_outcome o;
    assert_true(hybrid_error(&r, &o));
    assert_int_equal(o.state, IFD_MACHINE_STOPPED);
    for (int i = 0; i < o.dofs; i++)
        assert_near(o.error[i], 0.0, 5e-4, "error of %s", o.name[i]);
}

TESTS()
