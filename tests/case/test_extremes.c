/* SPDX-License-Identifier: MIT */
/* Every numeric key of the tables at both ends of its range; and every number of the shipped cases, one key after the
 * other, with extreme values: each is accepted or gets its message, soon; an accepted case runs or reports
 * why not. */
#include <interfield/case.h>
#include <interfield/catalogue.h>
#include <interfield/run.h>

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "fixture.h"
#include "record/files.h"
#include "case/reader.h"
#include "text/yaml.h"
#include "base/os_linux.h"

#define CASES IFD_SOURCE_DIR "/cases"
enum { MOST = 4000 };
static const double patience = 20.0; /* s for one reading, on a busy machine and with sanitizers */

static const char *const extremes[] = {"1e-300", "1e300", "-1", "0", ".nan", ".inf", "2e9"};

typedef struct walk {
    ifd_arena *own; /* of the paths */
    char seen[MOST][64];
    int keys, readings, accepted, stepped, bad;
    const char *file;
} walk;

/* A few steps of a case that was accepted: a run that continues or has completed must contain only finite numbers. */
static void step_it(walk *w, const ifd_case *c, const char *set)
{
    enum { STEPS = 20 };
    ifd_arena *a = ifd_arena_open();
    ifd_run *run = NULL;
    int channels = 0;
    ifd_note n;
    ifd_note_init(&n, a);
    int64_t began = ifd__clock_now();
    if (!c->run.model || c->run.couple || ifd_run_make(a, &c->run, &run, &n) != IFD_OK) {
        ifd_arena_close(a);
        return;
    }
    (void)ifd_run_columns(run, &channels);
    ifd_run_state state = IFD_RUN_GOING;
    for (int k = 0; k < STEPS && state == IFD_RUN_GOING && ifd__clock_now() - began < 2000000000; k++) {
        state = ifd_run_tick(run);
        const double *x = ifd_run_values(run);
        for (int i = 0; i < channels && (state == IFD_RUN_GOING || state == IFD_RUN_DONE); i++)
            if (!isfinite(x[i])) {
                print_error("%s with %s: channel %d is %g in step %d, and the run continues\n", w->file, set, i, x[i],
                            k);
                w->bad++;
                state = IFD_RUN_FAULT;
            }
    }
    w->stepped++;
    ifd_run_close(run);
    ifd_arena_close(a);
}

/* One case with one number replaced. */
static void try_all(walk *w, const char *path)
{
    for (size_t i = BRIEF ? (size_t)w->keys % 3 : 0; i < COUNT(extremes); i += BRIEF ? 3 : 1) { /* in turns */
        ifd_arena *a = ifd_arena_open();
        ifd_note n;
        ifd_case *c = NULL;
        ifd_note_init(&n, a);
        const char *set = ifd_arena_print(a, "%s=%s", path, extremes[i]);
        clock_t began = clock(); /* of the processor: the machine may be busy with others */
        ifd_status status = ifd_case_read(a, w->file, 1, &set, &c, &n);
        double took = (double)(clock() - began) / CLOCKS_PER_SEC;
        if (took > patience || (status != IFD_OK && n.errors == 0))
            print_error("%s with %s: status %d, %d errors, %g s\n", w->file, set, status, n.errors, took);
        assert_true(took <= patience);
        assert_true(status == IFD_OK || n.errors > 0);
        if ((i == 4 || i == 5) && status == IFD_OK)
            print_error("%s with %s was accepted\n", w->file, set), w->bad++;
        w->readings++;
        w->accepted += status == IFD_OK;
        if (status == IFD_OK)
            step_it(w, c, set);
        ifd_arena_close(a);
    }
}

/* By the key, its mapping's key and the file's folder of cases: the same key elsewhere is read by the same code. */
static bool known(walk *w, const char *parent, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%.30s.%.30s", parent, key);
    for (int i = 0; i < w->keys; i++)
        if (strcmp(w->seen[i], name) == 0)
            return true;
    assert_true(w->keys < MOST);
    memcpy(w->seen[w->keys++], name, sizeof name);
    return false;
}

static bool is_number(const ifd__node *n)
{
    const char *t = n->text + (n->text[0] == '-');
    return n->kind == IFD__SCALAR && !n->quoted && (isdigit((unsigned char)*t) || *t == '.');
}

static void visit(walk *w, const ifd__node *node, const char *path, const char *parent)
{
    int index = 0;
    for (const ifd__node *c = node->first; c; c = c->next, index++) {
        char number[16];
        snprintf(number, sizeof number, "%d", index);
        const char *step = c->key ? c->key : number;
        const char *here = *path ? ifd_arena_print(w->own, "%s.%s", path, step) : step;
        const char *name = c->key ? c->key : parent;
        if (strchr(step, '.'))
            continue;
        if (c->kind != IFD__SCALAR)
            visit(w, c, ifd_arena_text(w->own, here), name);
        else if (is_number(c) && strcmp(step, "title") != 0 && !known(w, parent, c->key ? c->key : "item"))
            try_all(w, here);
    }
}

TEST_IN_ARENA(every_number_with_extremes_gets_a_sane_answer_soon)
{
    static walk w;
    int count = 0;
    const ifd_catalogue_row *row = ifd_catalogue_cases(arena, CASES, &count);
    assert_true(row && count > 20);
    w.own = arena;
    for (int i = 0; i < count; i++) {
        ifd__yaml doc;
        for (int k = 0; k < 2; k++) {
            w.file = ifd_arena_print(arena, k ? "%s/%s/case.yaml" : "%s/%s.yaml", CASES, row[i].name);
            FILE *there = fopen(w.file, "r");
            if (!there)
                continue;
            fclose(there);
            if (ifd__yaml_read_from(NULL, arena, w.file, &doc, &note) == IFD_OK)
                visit(&w, doc.root, "", "case");
        }
    }
    print_message("%d keys, %d readings, %d accepted, %d stepped\n", w.keys, w.readings, w.accepted, w.stepped);
    assert_true(w.keys > 80 && w.stepped > 50);
    assert_int_equal(w.bad, 0);
}

/* The message about {key: number} in a section; NULL: none. */
static const char *said_of(ifd_arena *a, const char *topic, const char *key, double number, ifd_finding **found)
{
    ifd_note n;
    ifd__yaml doc;
    ifd__fields f;
    ifd_note_init(&n, a);
    ifd__reader r = {.arena = a, .note = &n};
    const char *path = files_write("key.yaml", ifd_arena_print(a, "# a comment\n%s: %.17g\n", key, number));
    assert_int_equal(ifd__yaml_read_from(NULL, a, path, &doc, &n), IFD_OK);
    ifd__fields_read(&r, doc.root, ifd__section_find(topic), topic, &f);
    const char *quoted = ifd_arena_print(a, "'%s' is ", key);
    for (ifd_finding *e = n.first; e; e = e->next)
        if (strstr(e->text, quoted)) {
            *found = e;
            return e->text;
        }
    return NULL;
}

static double beyond(double x, double direction)
{
    return x == 0 ? direction : x + direction * 1e-6 * fabs(x);
}

static void try_range(const char *topic, const ifd_param *p)
{
    ifd_arena *a = ifd_arena_open();
    ifd_finding *e = NULL;
    const char *expected = ifd_arena_print(a, "expected %g to %g", p->min, p->max), *said;
    for (int side = 0; side < 2; side++) {
        double end = side ? p->max : p->min, outside = beyond(end, side ? 1 : -1);
        said = said_of(a, topic, p->name, end, &e);
        if (said)
            fail_msg("%s: '%s' at the end of its range: %s", topic, p->name, said);
        said = said_of(a, topic, p->name, outside, &e);
        if (!said || !strstr(said, expected))
            fail_msg("%s: '%s: %g' gives '%s', expected '%s'", topic, p->name, outside, said ? said : "nothing",
                     expected);
        assert_int_equal(e->place.line, 2);
        assert_non_null(strstr(e->place.file, "key.yaml"));
    }
    ifd_arena_close(a);
}

TEST(every_number_of_every_section_has_a_range_with_two_ends)
{
    int numbers = 0;
    for (int i = 0; ifd__sections[i]; i++)
        for (const ifd__key *k = ifd__sections[i]->keys; k->param.name; k++) {
            const ifd__section *s = ifd__sections[i];
            const ifd_param *p = &k->param;
            if (k->form || (p->shape != IFD_SHAPE_SCALAR && p->shape != IFD_SHAPE_CHOICE))
                continue;
            if (p->range != IFD_RANGE_WITHIN || !(p->min < p->max))
                fail_msg("%s: '%s' has no range of its own", s->topic, p->name);
            try_range(s->topic, p);
            numbers++;
        }
    print_message("%d numbers\n", numbers);
    assert_true(numbers > 90);
}

TESTS_WITH(files_open, files_close)
