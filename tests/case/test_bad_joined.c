/* SPDX-License-Identifier: MIT */
/* Mistakes of several files of tests/cases-bad in one file: each is reported as it is alone, and nothing besides. A
 * file is taken apart into the blocks of its top-level keys. A guest lends the blocks that contain its errors to a
 * host which has all the rest that the guest's own file has, word for word, so that they mean there what they mean at
 * home; blocks that refer to nothing else need no such company. */
#include "check.h"

#include "case/bad_cases.h"

#include "text/yaml.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 16, MOST_TEXT = 1 << 16, JOINED = 3, DRAWS = 1500 };

typedef struct block {
    char key[40], *text;
    int line, lines; /* the first, from 1 */
    bool wrong;      /* it contains an error of the file */
} block;

typedef struct file {
    const bad_case *c;
    block block[MOST_BLOCKS];
    int blocks;
    bool whole;   /* it could be divided, and every error is in one of its blocks */
    bool at_once; /* its mistakes are found by reading the file; others by making its run */
} file;

/* Blocks that refer to nothing else in the file. */
static bool alone(const char *key)
{
    static const char *const keys[] = {"title", "time", "method", "ground", "output"};
    for (size_t i = 0; i < COUNT(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void add_line(file *f, const char *text, int line)
{
    size_t length = strcspn(text, ":"), before;
    block *b = f->blocks ? &f->block[f->blocks - 1] : NULL;
    if (text[0] >= 'a' && text[0] <= 'z' && text[length] == ':' && length < sizeof b->key) {
        assert_true(f->blocks < MOST_BLOCKS);
        b = &f->block[f->blocks++];
        *b = (block){.text = calloc(MOST_TEXT, 1), .line = line};
        snprintf(b->key, sizeof b->key, "%.*s", (int)length, text);
    } else if (!b || strchr(text, '\t') || !strchr(" -]}\n", text[0])) {
        f->whole = false;
        return;
    }
    before = strlen(b->text);
    snprintf(b->text + before, MOST_TEXT - before, "%s", text);
    b->lines = line - b->line + 1;
}

/* Reads it alone: a text that is no YAML has no blocks, and an error may be in another file. */
static void examine(file *f)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd__yaml doc;
    ifd_case *made = NULL;
    ifd_note_init(&note, arena);
    f->whole = f->whole && ifd__yaml_read_from(NULL, arena, f->c->path, &doc, &note) == IFD_OK;
    ifd_note_init(&note, arena);
    f->at_once = ifd_case_read(arena, f->c->path, 0, NULL, &made, &note) != IFD_OK;
    for (const ifd_finding *e = note.first; e; e = e->next)
        f->whole = f->whole && strcmp(e->place.file, f->c->path) == 0;
    ifd_arena_close(arena);
}

static void take_apart(const bad_case *c, file *f)
{
    char text[4000];
    FILE *in = fopen(c->path, "r");
    int line = 0;
    *f = (file){.c = c, .whole = c->sets == 0};
    assert_non_null(in);
    while (fgets(text, sizeof text, in) && f->whole) {
        line++;
        if (text[0] != '#')
            add_line(f, text, line);
    }
    fclose(in);
    examine(f);
    for (int i = 0; i < c->expects; i++) {
        bool found = false;
        for (int k = 0; k < f->blocks; k++)
            if (c->expect[i].line >= f->block[k].line && c->expect[i].line < f->block[k].line + f->block[k].lines)
                found = f->block[k].wrong = true;
        f->whole = f->whole && found;
    }
}

static const block *find(const file *f, const char *key)
{
    for (int k = 0; k < f->blocks; k++)
        if (strcmp(f->block[k].key, key) == 0)
            return &f->block[k];
    return NULL;
}

/* Mistakes that consist in the absence of what the other file may have, or that are found with the model made. */
static bool lacks(const file *f)
{
    static const char *const names[] = {
        "adapter-alone",    "channels-alone",      "coupling-alone", "fmu-alone",     "fmu-ground-none",
        "joints-alone",     "master-without-test", "no-model",       "no-time",       "rts-none",
        "test-no-specimen", "factor-refactor",     "factor-small",   "factor-stiff",  "identify-copy",
        "identify-twice",   "/protocol-",          "large-frame-f",  "large-frame-d", "large-frame-method",
        "large-frame-sub"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strstr(f->c->path, names[i]))
            return true;
    return false;
}

static bool wrong(const file *f, const char *key)
{
    const block *b = find(f, key);
    return b && b->wrong;
}

static bool named(const file *f, const char *part)
{
    return strstr(strrchr(f->c->path, '/'), part) != NULL;
}

/* Whether a mistake of one file can be seen only when a block of the other is right. */
static bool depends(const file *on, const file *f)
{
    bool clock = wrong(on, "time") || wrong(on, "method"),
         rig = wrong(on, "specimen") || wrong(on, "drives") || wrong(on, "force-control"),
         ticks = named(f, "late-limit") || named(f, "stale-limit") || named(f, "frozen-limit"); /* as times */
    return (clock && ticks) || (clock && (!f->at_once || named(f, "part-step") || named(f, "rts-dilation"))) ||
           (wrong(on, "method") && (named(f, "specimen-method") || named(f, "massless-with-hysteresis"))) ||
           (wrong(on, "ground") && named(f, "specimen-model-")) ||
           (named(on, "rigs-drive") && named(f, "rigs-other-input")) || /* the rig of an actuator is unknown */
           (rig && (named(f, "channels-input") || named(f, "channels-names") || named(f, "channels-twice")));
}

/* Whether both have a block, of the same words, or neither has. */
static bool same(const file *a, const file *b, const char *key)
{
    const block *p = find(a, key), *q = find(b, key);
    return !p == !q && (!p || strcmp(p->text, q->text) == 0);
}

/* Whether the errors of a guest can be put into the file of a host. */
static bool fits(const file *host, const file *guest)
{
    static const char *const structure[] = {"model", "substructures", "cut", "master", "method", "ground"};
    bool free = true;
    if (lacks(guest) || lacks(host) || depends(host, guest) || depends(guest, host))
        return false;
    for (int k = 0; k < guest->blocks; k++) {
        const block *b = &guest->block[k], *at = find(host, b->key);
        if (b->wrong && at && (at->wrong || !alone(b->key)))
            return false;
        if (b->wrong)
            free = free && alone(b->key);
    }
    if (free)
        return !find(host, "master") || !(find(guest, "ground") || find(guest, "method"));
    for (size_t i = 0; i < COUNT(structure); i++)
        if (!find(host, structure[i]) != !find(guest, structure[i]))
            return false;
    for (int k = 0; k < guest->blocks; k++) {
        const char *key = guest->block[k].key;
        bool company = !alone(key) || strcmp(key, "method") == 0 || strcmp(key, "ground") == 0;
        if (!guest->block[k].wrong && company && !same(host, guest, key))
            return false;
    }
    return true;
}

typedef struct joint {
    char text[MOST_TEXT];
    int lines, expects;
    expectation expect[JOINED * MOST_LINES];
} joint;

/* The lines that a text mentions move with its block: what comes before them is compared. */
static void cut_lines(char *text)
{
    char *at = strstr(text, "line ");
    while (at && !(at[5] >= '0' && at[5] <= '9'))
        at = strstr(at + 1, "line ");
    if (at)
        *at = '\0';
}

static void put(joint *j, const file *from, const block *b)
{
    for (int i = 0; b->wrong && i < from->c->expects; i++) {
        const expectation *e = &from->c->expect[i];
        if (e->line < b->line || e->line >= b->line + b->lines)
            continue;
        j->expect[j->expects] = *e;
        cut_lines(j->expect[j->expects].part);
        j->expect[j->expects++].line = j->lines + e->line - b->line + 1;
    }
    strcat(j->text, b->text);
    j->lines += b->lines;
}

static void join(int files, file *const *f, joint *j)
{
    *j = (joint){.lines = 0};
    for (int k = 0; k < f[0]->blocks; k++) {
        const block *b = &f[0]->block[k];
        const file *from = f[0];
        for (int g = 1; g < files; g++)
            if (find(f[g], b->key) && find(f[g], b->key)->wrong) {
                from = f[g];
                b = find(f[g], b->key);
            }
        put(j, from, b);
    }
    for (int g = 1; g < files; g++)
        for (int k = 0; k < f[g]->blocks; k++)
            if (f[g]->block[k].wrong && !find(f[0], f[g]->block[k].key))
                put(j, f[g], &f[g]->block[k]);
}

static int check_joint(int files, file *const *f)
{
    static joint j;
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *made = NULL;
    int n = 0;
    bool ok = true, seen[JOINED * MOST_LINES] = {false};
    join(files, f, &j);
    ifd_note_init(&note, arena);
    const ifd_case_source source = {.path = BAD_CASES "/joined.yaml", .text = j.text};
    ifd_status status = ifd_case_read_source(arena, &source, &made, &note);
    for (const ifd_finding *e = note.first; e; e = e->next, n++) {
        int i = 0;
        while (i < j.expects && (seen[i] || !bad_case_agrees(&j.expect[i], e)))
            i++;
        ok = ok && i < j.expects;
        if (i < j.expects)
            seen[i] = true;
    }
    ok = ok && n == j.expects && status == note.first->code;
    if (!ok) {
        for (int i = 0; i < files; i++)
            print_error("%s%s", i ? " + " : "", strrchr(f[i]->c->path, '/') + 1);
        print_error(": expected %d findings, found %d, status %s\n", j.expects, n, ifd_status_name(status));
        for (int i = 0; i < j.expects; i++)
            if (!seen[i])
                print_error("  not found: %s %d %s\n", j.expect[i].code, j.expect[i].line, j.expect[i].part);
        for (const ifd_finding *e = note.first; e; e = e->next) {
            bool known = false;
            for (int i = 0; i < j.expects; i++)
                known = known || bad_case_agrees(&j.expect[i], e);
            if (!known)
                print_error("  besides:   %s %d %s\n", ifd_status_name(e->code), e->place.line, e->text);
        }
    }
    ifd_arena_close(arena);
    return ok ? 0 : 1;
}

static void clear(file *f)
{
    for (int k = 0; k < f->blocks; k++)
        free(f->block[k].text);
}

static file *all_files(int *count)
{
    int cases = 0;
    const bad_case *c = bad_cases(&cases);
    file *f = calloc((size_t)cases, sizeof *f);
    assert_non_null(f);
    for (int i = 0; i < cases; i++) {
        take_apart(&c[i], &f[*count]);
        if (f[*count].whole)
            ++*count;
        else
            clear(&f[*count]);
    }
    return f;
}

/* Whether the errors of two guests of one host can be combined. */
static bool go_together(const file *a, const file *b)
{
    if (depends(a, b) || depends(b, a))
        return false;
    for (int k = 0; k < a->blocks; k++)
        if (a->block[k].wrong && find(b, a->block[k].key) && (wrong(b, a->block[k].key) || !alone(a->block[k].key)))
            return false;
    return true;
}

/* Not rand(): a library that reads YAML may seed it. */
static int random_below(int count)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)count);
}

/* A guest of the host, -1 when ten that were drawn do not fit. */
static int draw(file *const *f, int files, file *all, int count)
{
    for (int tries = 0; tries < 10; tries++) {
        int g = random_below(count);
        bool good = &all[g] != f[0] && fits(f[0], &all[g]);
        for (int i = 1; i < files; i++)
            good = good && &all[g] != f[i] && go_together(f[i], &all[g]) && go_together(&all[g], f[i]);
        if (good)
            return g;
    }
    return -1;
}

TEST(mistakes_joined_at_random_are_all_reported_and_nothing_besides)
{
    int count = 0, wrong_ones = 0, joined[JOINED + 1] = {0};
    file *all = all_files(&count);
    for (int i = 0; i < DRAWS; i++) {
        file *f[JOINED] = {&all[random_below(count)]};
        int files = 1, most = 2 + random_below(JOINED - 1);
        for (int g; files < most && (g = draw(f, files, all, count)) >= 0;)
            f[files++] = &all[g];
        if (files > 1)
            wrong_ones += check_joint(files, f);
        joined[files]++;
    }
    for (int i = 0; i < count; i++)
        clear(&all[i]);
    free(all);
    print_message("%d files; %d times two joined, %d times three\n", count, joined[2], joined[3]);
    assert_int_equal(wrong_ones, 0);
    assert_true(joined[2] > 300 && joined[3] > 100);
}

TESTS()
