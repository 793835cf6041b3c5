/* SPDX-License-Identifier: MIT */
/* Every number of the shipped cases, one key after the other, with values that nobody means: each is accepted or gets
 * its message, soon. */
#include <interfield/case.h>
#include <interfield/catalogue.h>

#include <ctype.h>
#include <string.h>

#include "check.h"
#include "fixture.h"
#include "io/yaml.h"
#include "run/os_linux.h"

#define CASES IFD_SOURCE_DIR "/cases"
enum { MOST = 4000 };
static const double patience = 20.0; /* s for one reading, on a busy machine and with sanitizers */

static const char *const extremes[] = {"1e-300", "1e300", "-1", "0", ".nan", ".inf", "2e9"};

typedef struct walk {
    ifd_arena *own; /* of the paths */
    char seen[MOST][64];
    int keys, readings, accepted, bad;
    const char *file;
} walk;

/* One case with one number replaced. */
static void try_all(walk *w, const char *path)
{
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        ifd_arena *a = ifd_arena_open();
        ifd_note n;
        ifd_case *c = NULL;
        ifd_note_init(&n, a);
        const char *set = ifd_arena_print(a, "%s=%s", path, extremes[i]);
        int64_t began = ifd__clock_now();
        ifd_status status = ifd_case_read(a, w->file, 1, &set, &c, &n);
        double took = 1e-9 * (double)(ifd__clock_now() - began);
        if (took > patience || (status != IFD_OK && n.errors == 0))
            print_error("%s with %s: status %d, %d errors, %g s\n", w->file, set, status, n.errors, took);
        assert_true(took <= patience);
        assert_true(status == IFD_OK || n.errors > 0);
        if ((i == 4 || i == 5) && status == IFD_OK)
            print_error("%s with %s was accepted\n", w->file, set), w->bad++;
        w->readings++;
        w->accepted += status == IFD_OK;
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

static void every_number_with_extremes_gets_a_sane_answer_soon(void **state)
{
    (void)state;
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
            if (ifd__yaml_read(arena, w.file, &doc, &note) == IFD_OK)
                visit(&w, doc.root, "", "case");
        }
    }
    print_message("%d keys, %d readings, %d accepted\n", w.keys, w.readings, w.accepted);
    assert_true(w.keys > 80);
    assert_int_equal(w.bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_number_with_extremes_gets_a_sane_answer_soon, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
