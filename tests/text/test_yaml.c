/* SPDX-License-Identifier: MIT */
#include "case/parsed.h"

#include <interfield/report.h>

#include "text/file.h"
#include "record/files.h"

#include <stdlib.h>
#include <string.h>

/* The note printed as a person sees it. */
static const char *printed(void)
{
    static char text[4000];
    FILE *f = fmemopen(text, sizeof text, "w");
    ifd__yaml_source_lines(&doc, &note);
    ifd_note_print(&note, f, false);
    fclose(f);
    return text;
}

TEST_WITH(nodes_know_their_kind_text_and_place, each, close_arena)
{
    const ifd__node *root = parse("a: {b: [1, 2 mm], c: \"x\"}\nd:\n  - e\n  - f: 'g h'\nk:\nl: |\n  two\n  lines\n");
    assert_int_equal(root->kind, IFD__MAPPING);
    assert_int_equal(root->count, 4);
    const ifd__node *b = ifd__yaml_get(ifd__yaml_get(root, "a"), "b");
    assert_int_equal(b->kind, IFD__SEQUENCE);
    assert_int_equal(b->count, 2);
    const ifd__node *item = ifd__yaml_item(b, 1);
    assert_string_equal(item->text, "2 mm");
    assert_string_equal(item->place.file, "a.yaml");
    assert_int_equal(item->place.line, 1);
    assert_int_equal(item->place.column, 12);
    assert_int_equal(item->place.width, 4);
    assert_int_equal(item->index, 1);
    const ifd__node *c = ifd__yaml_get(ifd__yaml_get(root, "a"), "c");
    assert_true(c->quoted);
    assert_int_equal(c->place.column, 22);
    assert_int_equal(c->place.width, 3);
    const ifd__node *f = ifd__yaml_get(ifd__yaml_item(ifd__yaml_get(root, "d"), 1), "f");
    assert_string_equal(f->text, "g h");
    assert_int_equal(f->key_place.line, 4);
    assert_int_equal(f->key_place.column, 5);
    assert_true(ifd__yaml_empty(ifd__yaml_get(root, "k")));
    assert_string_equal(ifd__yaml_get(root, "l")->text, "two\nlines\n");
    assert_null(ifd__yaml_get(root, "z"));
    assert_null(ifd__yaml_get(NULL, "z"));
    assert_null(ifd__yaml_item(b, 2));
}

TEST_WITH(aliases_are_copies_and_merge_keys_merge, each, close_arena)
{
    const ifd__node *root =
        parse("base: &b {k: 1, m: [1, 2]}\none: *b\ntwo: {<<: *b, k: 5}\nthree: {<<: [{x: 1}, *b]}\n");
    const ifd__node *one = ifd__yaml_get(root, "one"), *two = ifd__yaml_get(root, "two");
    assert_string_equal(ifd__yaml_get(one, "k")->text, "1");
    assert_ptr_not_equal(one->first, ifd__yaml_get(root, "base")->first);
    assert_int_equal(two->count, 2);
    assert_string_equal(ifd__yaml_get(two, "k")->text, "5");
    assert_int_equal(ifd__yaml_get(two, "m")->count, 2);
    assert_int_equal(ifd__yaml_get(root, "three")->count, 3);
}

TEST_WITH(syntax_errors_have_code_place_and_hint, each, close_arena)
{
    static const struct {
        const char *text;
        ifd_status code;
        int line;
        const char *says, *hint;
    } row[] = {
        {"a: [1, 2\nb: 3\n", IFD_SYNTAX, 2, "closing bracket", NULL},
        {"a: 1\n\tb: 3\n", IFD_SYNTAX, 1, "not valid YAML", "a tab cannot indent"},
        {"a: 1\n  b: 2\n", IFD_SYNTAX, 1, "not valid YAML", "indented too far"},
        {"title:Three storeys\na: 1\n", IFD_SYNTAX, 1, "a blank is missing after ':'", NULL},
        {"a: 1\nb:\n  - c:2 ms\n    d: 1 s\n", IFD_SYNTAX, 3, "a blank is missing after ':'", NULL},
        {"a: b: c\n", IFD_SYNTAX, 1, "not valid YAML", "must be in quotes"},
        {"a: \"xx\n", IFD_SYNTAX, 1, "closing quote", NULL},
        {"a: {b: 1\n", IFD_SYNTAX, 1, "not valid YAML", NULL},
        {"a: %x\n", IFD_SYNTAX, 1, "not valid YAML", NULL},
        {"ok: 1\na: \xff\xfe\n", IFD_SYNTAX, 2, "byte 0xff is not text", NULL},
        {"a: \xc3\n", IFD_SYNTAX, 1, "byte 0xc3 is not text", NULL},
        {"a: 1\n---\nb: 2\n", IFD_SYNTAX, 2, "second document", NULL},
        {"a: !tag 1\n", IFD_SYNTAX, 1, "tags", NULL},
        {"a: !!str {}\n", IFD_SYNTAX, 1, "tags", NULL},
        {"[1, 2]: 3\n", IFD_SYNTAX, 1, "a key must be a word", NULL},
        {"? {a: b}\n: 3\n", IFD_SYNTAX, 1, "a key must be a word", NULL},
        {"a: *b\n", IFD_UNKNOWN_NAME, 1, "no anchor '&b'", NULL},
        {"a: &b [*b]\n", IFD_SYNTAX, 1, "inside its own anchor", NULL},
        {"a: {<<: 5}\n", IFD_SHAPE, 1, "merges mappings", NULL},
        {"a: {<<: [5]}\n", IFD_SHAPE, 1, "merges mappings", NULL},
        {"", IFD_SHAPE, 1, "empty", NULL},
        {"# only a comment\n", IFD_SHAPE, 1, "empty", NULL},
        {"a: 1\nb: 2\na: 3\n", IFD_DUPLICATE, 3, "key 'a' appears twice", "the first one is in line 1"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_note_init(&note, arena);
        ifd_status s = yaml_text(arena, "a.yaml", row[i].text, strlen(row[i].text), &doc, &note);
        if (s != row[i].code || note.errors != 1 || !strstr(note.first->text, row[i].says) ||
            note.first->place.line != row[i].line)
            fail_msg("row %zu: %s, %d errors, line %d, '%s'", i, ifd_status_name(s), note.errors,
                     note.first ? note.first->place.line : -1, note.first ? note.first->text : "");
        if (row[i].hint && (!note.first->hint || !strstr(note.first->hint, row[i].hint)))
            fail_msg("row %zu: hint '%s'", i, note.first->hint);
    }
}

TEST_WITH(every_duplicate_is_reported, each, close_arena)
{
    const char *text = "a: {x: 1, x: 2}\nb: {y: 1, y: 2, y: 3}\n";
    assert_int_equal(yaml_text(arena, "a.yaml", text, strlen(text), &doc, &note), IFD_DUPLICATE);
    assert_int_equal(note.errors, 3);
}

TEST_WITH(depth_and_size_are_bounded, each, close_arena)
{
    char text[200];
    for (int depth = 64; depth <= 65; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        ifd_note_init(&note, arena);
        ifd_status s = yaml_text(arena, "a.yaml", text, 2 * (size_t)depth, &doc, &note);
        assert_int_equal(s, depth == 64 ? IFD_OK : IFD_TOO_LARGE);
    }
    /* Nine levels of nine aliases would be 387 million nodes. */
    char bomb[1000] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 9; i++) {
        size_t n = strlen(bomb);
        n += (size_t)snprintf(bomb + n, sizeof bomb - n, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            n += (size_t)snprintf(bomb + n, sizeof bomb - n, "*a%d%s", i - 1, k < 8 ? ", " : "]\n");
    }
    ifd_note_init(&note, arena);
    assert_int_equal(yaml_text(arena, "a.yaml", bomb, strlen(bomb), &doc, &note), IFD_TOO_LARGE);
}

TEST_WITH(includes_add_the_keys_that_are_missing, each, close_arena)
{
    files_write("leaf.yaml", "stiffness: 5\nfile: x.mtx\n");
    files_write("model.yaml", "mass: 1\nstiffness: 2\ninner: {include: leaf.yaml, own: 1}\n");
    files_write("other.yaml", "mass: 7\nextra: 8\n");
    char path[200];
    snprintf(path, sizeof path, "%s",
             files_write("main.yaml", "structure:\n  include: [model.yaml, other.yaml]\n  stiffness: 3\n"));
    assert_int_equal(ifd__yaml_read_from(NULL, arena, path, &doc, &note), IFD_OK);
    const ifd__node *s = ifd__yaml_get(doc.root, "structure");
    assert_int_equal(s->count, 4);
    assert_string_equal(ifd__yaml_get(s, "stiffness")->text, "3");
    assert_string_equal(ifd__yaml_get(s, "mass")->text, "1");
    assert_string_equal(ifd__yaml_get(s, "extra")->text, "8");
    const ifd__node *file = ifd__yaml_get(ifd__yaml_get(s, "inner"), "file");
    assert_string_equal(file->text, "x.mtx");
    assert_string_equal(file->place.file, files_path("leaf.yaml"));
    assert_string_equal(ifd__file_relative(arena, &file->place, file->text), files_path("x.mtx"));
    assert_string_equal(ifd__file_relative(arena, &file->place, "/abs/x"), "/abs/x");
}

TEST_WITH(bad_includes_say_why, each, close_arena)
{
    files_write("loop1.yaml", "a: {include: loop2.yaml}\n");
    files_write("loop2.yaml", "b: {include: loop1.yaml}\n");
    files_write("self.yaml", "include: self.yaml\n");
    files_write("list.yaml", "[1, 2]\n");
    files_write("bad.yaml", "a: [1\n");
    static const struct {
        const char *text;
        ifd_status code;
        const char *says;
    } row[] = {
        {"include: loop1.yaml\n", IFD_INCLUDE, "form a circle"},
        {"include: self.yaml\n", IFD_INCLUDE, "form a circle"},
        {"x: {include: missing.yaml}\n", IFD_INCLUDE, "No such file"},
        {"x: {include: list.yaml}\n", IFD_SHAPE, "it is not a mapping"},
        {"x: {include: {a: 1}}\n", IFD_SHAPE, "needs the name of a file"},
        {"x: {include: }\n", IFD_SHAPE, "needs the name of a file"},
        {"x: {include: bad.yaml}\n", IFD_SYNTAX, "not valid YAML"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_note_init(&note, arena);
        ifd_status s = ifd__yaml_read_from(NULL, arena, files_write("main.yaml", row[i].text), &doc, &note);
        if (s != row[i].code || note.errors != 1 || !strstr(note.first->text, row[i].says))
            fail_msg("row %zu: %s, %d errors, '%s'", i, ifd_status_name(s), note.errors,
                     note.first ? note.first->text : "");
    }
    assert_non_null(note.first->source); /* the line of the included file that is wrong */
    assert_string_equal(note.first->place.file, files_path("bad.yaml"));
}

TEST_WITH(files_that_cannot_be_read_say_why, each, close_arena)
{
    assert_int_equal(ifd__yaml_read_from(NULL, arena, files_path("missing.yaml"), &doc, &note), IFD_FILE);
    assert_non_null(strstr(note.first->text, "No such file"));
    assert_int_equal(ifd__yaml_read_from(NULL, arena, files_path("."), &doc, &note), IFD_FILE);
    assert_non_null(strstr(note.last->text, "folder"));
}

TEST_WITH(cut_and_spoiled_files_never_crash, each, close_arena)
{
    static const char whole[] = "title: \"Two-pier, bridge\"\ntime: {step: 2 ms, end: 20 s}\nbase: &b {k: [1, 2]}\n"
                                "list:\n  - *b\n  - {<<: *b, x: 'y'}\nblock: |\n  text\n";
    srand(3);
    for (size_t n = 0; n < sizeof whole; n++)
        for (int spoil = 0; spoil < 5; spoil++) {
            char text[sizeof whole];
            memcpy(text, whole, n);
            for (int j = 0; j < spoil && n > 0; j++)
                text[(size_t)rand() % n] = "abc:{}[],&*'\"\n\t #|>-?!%@`<\xc3\x01"[rand() % 28];
            ifd_note_init(&note, arena);
            if (yaml_text(arena, "a.yaml", text, n, &doc, &note) != IFD_OK)
                assert_true(note.errors > 0);
        }
}

TEST_WITH(memory_running_out_is_a_status, each, close_arena)
{
    static const char text[] = "a: {b: [1, 2]}\nc: &x d\ne: *x\n";
    for (long n = 1;; n++) {
        ifd_arena_fail_at(arena, n);
        ifd_status s = yaml_text(arena, "a.yaml", text, strlen(text), &doc, NULL);
        if (s == IFD_OK)
            break;
        assert_int_equal(s, IFD_NO_MEMORY);
        assert_true(n < 100);
    }
    ifd_arena_fail_at(arena, 0);
}

TEST_WITH(notes_are_printed_with_line_caret_and_hint, each, close_arena)
{
    const ifd__node *root = parse("x: 1\nbridge:\n    compensation: {adaptive-modle: {look-ahead: 2 ms}}\n");
    ifd__yaml_keys(ifd__yaml_get(ifd__yaml_get(root, "bridge"), "compensation"), "none|adaptive-model",
                   "compensation", &note);
    ifd_note_remark(&note, NULL, "dof 'x' has no mass and was condensed");
    assert_string_equal(printed(), "a.yaml:3:20: unknown key 'adaptive-modle' in compensation\n"
                                   "     3 |     compensation: {adaptive-modle: {look-ahead: 2 ms}}\n"
                                   "       |                    ^~~~~~~~~~~~~~ did you mean 'adaptive-model'?\n"
                                   "known: none, adaptive-model\n"
                                   "note: dof 'x' has no mass and was condensed\n");
}

TEST_WITH(notes_without_a_line_are_printed_plainly, each, close_arena)
{
    ifd_note_add(&note, IFD_RECORD, &(ifd_place){"m.AT2", 5, 0, 0}, "NPTS says 3");
    ifd_note_hint(&note, "count\nagain");
    ifd_note_add(&note, IFD_RANGE, NULL, "step is zero");
    assert_string_equal(printed(), "m.AT2:5: NPTS says 3\ncount\nagain\nstep is zero\n");
    char text[500] = "";
    FILE *f = fmemopen(text, sizeof text, "w");
    ifd_note_print(&note, f, true);
    fclose(f);
    assert_non_null(strstr(text, "\033[1;31mNPTS says 3\033[0m"));
}

TESTS_WITH(files_open, files_close)
