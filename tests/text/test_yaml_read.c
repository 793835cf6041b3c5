/* SPDX-License-Identifier: MIT */
#include "case/parsed.h"

#include <string.h>

/* The last error. */
static void expect(ifd_status code, int line, int column, const char *says)
{
    const ifd_finding *f = note.last;
    if (!f || f->code != code || f->place.line != line || f->place.column != column || !strstr(f->text, says))
        fail_msg("found %s at %d:%d, '%s'; expected %s at %d:%d, '%s'", f ? ifd_status_name(f->code) : "nothing",
                 f ? f->place.line : 0, f ? f->place.column : 0, f ? f->text : "", ifd_status_name(code), line,
                 column, says);
}

TEST_WITH(numbers_are_read_in_si, each, close_arena)
{
    const ifd__node *root = parse("step: 2 ms\nlevels: 5\non: yes\nname: x\n");
    double step = 0;
    long levels = 0;
    bool on = false;
    const char *name = NULL;
    assert_int_equal(
        ifd__yaml_number(ifd__yaml_need(root, "step", &note), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &step, &note),
        IFD_OK);
    assert_int_equal(ifd__yaml_integer(ifd__yaml_get(root, "levels"), 1, 9, &levels, &note), IFD_OK);
    assert_int_equal(ifd__yaml_flag(ifd__yaml_get(root, "on"), &on, &note), IFD_OK);
    assert_int_equal(ifd__yaml_text(ifd__yaml_get(root, "name"), &name, &note), IFD_OK);
    assert_near(step, 0.002, 0, "step");
    assert_int_equal(levels, 5);
    assert_true(on);
    assert_string_equal(name, "x");
    step = 7; /* an absent key leaves the preset */
    assert_int_equal(ifd__yaml_number(ifd__yaml_get(root, "end"), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &step, &note),
                     IFD_OK);
    assert_near(step, 7, 0, "preset");
    assert_int_equal(note.errors, 0);
}

TEST_WITH(wrong_values_are_refused_at_their_place, each, close_arena)
{
    const ifd__node *root =
        parse("time: {step: -1 ms, end: [1]}\nlevels: 2.5\nmany: 99\nflag: maybe\nlist: [1 m, 2 s, x]\n"
              "nothing:\nname: {a: b}\n");
    const ifd__node *time = ifd__yaml_get(root, "time");
    double x = 0;
    long n = 0;
    bool b = false;
    int count = 0;
    const char *text = NULL;
    const double *data = NULL;
    ifd__yaml_need(time, "method", &note);
    expect(IFD_MISSING_KEY, 1, 1, "'time' needs the key 'method'");
    ifd__yaml_need(root, "ground", &note);
    expect(IFD_MISSING_KEY, 1, 1, "the file needs the key 'ground'");
    ifd__yaml_number(ifd__yaml_get(time, "step"), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &x, &note);
    expect(IFD_RANGE, 1, 14, "'step' is -1 ms, expected more than zero");
    ifd__yaml_number(ifd__yaml_get(time, "step"), IFD_DIM_TIME, IFD_RANGE_NOT_NEGATIVE, &x, &note);
    expect(IFD_RANGE, 1, 14, "'step' is -1 ms, expected zero or more");
    ifd__yaml_number(ifd__yaml_get(time, "step"), IFD_DIM_FORCE, IFD_RANGE_FREE, &x, &note);
    expect(IFD_UNIT, 1, 14, "'step': found a time (ms), expected a force (N, kN, MN)");
    ifd__yaml_number(ifd__yaml_get(time, "end"), IFD_DIM_TIME, IFD_RANGE_FREE, &x, &note);
    expect(IFD_SHAPE, 1, 21, "'end': found a list, expected a time");
    ifd__yaml_number(ifd__yaml_get(root, "nothing"), IFD_DIM_TIME, IFD_RANGE_FREE, &x, &note);
    expect(IFD_SHAPE, 6, 1, "'nothing': found nothing, expected a time");
    ifd__yaml_integer(ifd__yaml_get(root, "levels"), 1, 9, &n, &note);
    expect(IFD_NUMBER, 2, 9, "'levels' is 2.5, expected a whole number");
    ifd__yaml_integer(ifd__yaml_get(root, "many"), 1, 9, &n, &note);
    expect(IFD_RANGE, 3, 7, "'many' is 99, expected 1 to 9");
    ifd__yaml_flag(ifd__yaml_get(root, "flag"), &b, &note);
    expect(IFD_SHAPE, 4, 7, "'flag': found 'maybe', expected yes or no");
    ifd__yaml_text(ifd__yaml_get(root, "name"), &text, &note);
    expect(IFD_SHAPE, 7, 1, "'name': found a mapping, expected a text");
    int before = note.errors;
    ifd__yaml_list(arena, ifd__yaml_get(root, "list"), IFD_DIM_LENGTH, &data, &count, &note);
    expect(IFD_NUMBER, 5, 18, "item 3 of 'list': found 'x'");
    assert_int_equal(note.errors, before + 2); /* both bad items are reported */
    assert_null(data);
}

TEST_WITH(words_must_be_among_the_choices, each, close_arena)
{
    const ifd__node *root = parse("method: lsrt1\nbad: lsrt3\n");
    int i = -1;
    assert_int_equal(ifd__yaml_word(ifd__yaml_get(root, "method"), "lsrt2|lsrt1", &i, &note), IFD_OK);
    assert_int_equal(i, 1);
    ifd__yaml_word(ifd__yaml_get(root, "bad"), "lsrt1|newmark", &i, &note);
    expect(IFD_UNKNOWN_CHOICE, 2, 6, "unknown bad 'lsrt3'");
    assert_string_equal(note.last->hint, "did you mean 'lsrt1'?\nknown: lsrt1, newmark");
}

TEST_WITH(lists_and_matrices_are_read_by_rows, each, close_arena)
{
    const ifd__node *root = parse("list: [1 mm, 2 m]\none: 5 kN\nm: [[1, 2, 3], [4, 5, 6]]\nragged: [[1, 2], [3]]\n"
                                  "flat: [1, 2]\nempty: []\nnames: [a, b c]\nname: d\n");
    const double *x = NULL;
    ifd_value matrix = {0};
    int n = 0;
    assert_int_equal(ifd__yaml_list(arena, ifd__yaml_get(root, "list"), IFD_DIM_LENGTH, &x, &n, &note), IFD_OK);
    assert_int_equal(n, 2);
    assert_near(x[0], 0.001, 0, "first");
    assert_int_equal(ifd__yaml_list(arena, ifd__yaml_get(root, "one"), IFD_DIM_FORCE, &x, &n, &note), IFD_OK);
    assert_int_equal(n, 1);
    assert_near(x[0], 5000, 0, "a number is a list of one");
    assert_int_equal(ifd__yaml_list(arena, ifd__yaml_get(root, "empty"), IFD_DIM_FORCE, &x, &n, &note), IFD_OK);
    assert_int_equal(n, 0);
    assert_int_equal(ifd__yaml_matrix(arena, ifd__yaml_get(root, "m"), IFD_DIM_NONE, &matrix, &note), IFD_OK);
    assert_int_equal(matrix.rows, 2);
    assert_int_equal(matrix.cols, 3);
    for (int k = 0; k < 6; k++)
        assert_near(matrix.data[k], k + 1, 0, "entry %d", k);
    ifd__yaml_matrix(arena, ifd__yaml_get(root, "ragged"), IFD_DIM_NONE, &matrix, &note);
    expect(IFD_SHAPE, 4, 18, "item 2 of 'ragged' has 1 numbers, expected 2 as in the first row");
    ifd__yaml_matrix(arena, ifd__yaml_get(root, "flat"), IFD_DIM_NONE, &matrix, &note);
    expect(IFD_SHAPE, 5, 8, "expected a row");
    const char *const *name = NULL;
    assert_int_equal(ifd__yaml_names(arena, ifd__yaml_get(root, "names"), &name, &n, &note), IFD_OK);
    assert_int_equal(n, 2);
    assert_string_equal(name[1], "b c");
    assert_int_equal(ifd__yaml_names(arena, ifd__yaml_get(root, "name"), &name, &n, &note), IFD_OK);
    assert_string_equal(name[0], "d");
}

TEST_WITH(unknown_keys_name_the_nearest, each, close_arena)
{
    const ifd__node *root = parse("title: x\ntiem: {step: 1}\nfoo: 1\n");
    assert_int_equal(ifd__yaml_keys(root, "title|time|ground", "the case", &note), IFD_UNKNOWN_KEY);
    assert_int_equal(note.errors, 2);
    assert_string_equal(note.first->text, "unknown key 'tiem' in the case");
    assert_string_equal(note.first->hint, "did you mean 'time'?\nknown: title, time, ground");
    expect(IFD_UNKNOWN_KEY, 3, 1, "unknown key 'foo'");
    assert_string_equal(note.last->hint, "known: title, time, ground");
    ifd__yaml_keys(ifd__yaml_get(root, "title"), "a", "the title", &note);
    expect(IFD_SHAPE, 1, 8, "found 'x', expected a mapping");
}

TEST_WITH(a_choice_has_a_name_and_perhaps_settings, each, close_arena)
{
    const ifd__node *root = parse("a: lsrt2\nb: {mg-alpha: {rho: 0.8}}\nc: {hht: }\nd: {x: 1, y: 2}\ne: {f: 5}\n");
    const char *name = NULL;
    ifd_place place;
    const ifd__node *settings;
    assert_int_equal(ifd__yaml_choice(ifd__yaml_get(root, "a"), &name, &place, &settings, &note), IFD_OK);
    assert_string_equal(name, "lsrt2");
    assert_null(settings);
    assert_int_equal(ifd__yaml_choice(ifd__yaml_get(root, "b"), &name, &place, &settings, &note), IFD_OK);
    assert_string_equal(name, "mg-alpha");
    assert_int_equal(place.column, 5);
    assert_string_equal(ifd__yaml_get(settings, "rho")->text, "0.8");
    assert_int_equal(ifd__yaml_choice(ifd__yaml_get(root, "c"), &name, &place, &settings, &note), IFD_OK);
    assert_string_equal(name, "hht");
    assert_null(settings);
    assert_int_equal(ifd__yaml_choice(ifd__yaml_get(root, "d"), &name, &place, &settings, &note), IFD_SHAPE);
    assert_int_equal(ifd__yaml_choice(ifd__yaml_get(root, "e"), &name, &place, &settings, &note), IFD_SHAPE);
}

static const ifd_param params[] = {
    {.name = "stiffness", .dim = IFD_DIM_STIFFNESS, .required = true, .range = IFD_RANGE_POSITIVE, .doc = "k"},
    {.name = "amplitude", .dim = IFD_DIM_ANY, .preset = 3},
    {.name = "shape", .shape = IFD_SHAPE_WORD, .words = "round|square"},
    {.name = "weights", .shape = IFD_SHAPE_LIST, .range = IFD_RANGE_NOT_NEGATIVE},
    {.name = "gamma", .shape = IFD_SHAPE_CHOICE, .words = "minus|plus", .range = IFD_RANGE_POSITIVE},
    {.name = "fast", .shape = IFD_SHAPE_FLAG},
    {.name = "matrix", .shape = IFD_SHAPE_MATRIX},
    {.name = "file", .shape = IFD_SHAPE_TEXT},
    {0}};

static ifd_status read_params(const char *text, ifd_value *v)
{
    ifd__settings ask = {.map = text ? ifd__yaml_get(parse(text), "e") : NULL,
                         .params = params,
                         .any = IFD_DIM_LENGTH,
                         .also = "at|between",
                         .what = "element 'e'",
                         .place = {"a.yaml", 9, 9, 1}};
    if (!text)
        ifd_note_init(&note, arena);
    return ifd__yaml_params(arena, &ask, v, &note);
}

TEST_WITH(settings_are_read_by_their_parameter_list, each, close_arena)
{
    ifd_value v[8];
    assert_int_equal(
        read_params("e: {stiffness: 2 kN/m, amplitude: 5 mm, shape: square, weights: [1, 2], gamma: plus,\n"
                    "    fast: on, matrix: [[1, 2]], file: a b.csv, at: x}\n",
                    v),
        IFD_OK);
    assert_near(v[0].number, 2000, 0, "stiffness");
    assert_near(v[1].number, 0.005, 0, "amplitude, of the dimension put in");
    assert_near(v[2].number, 1, 0, "index of square");
    assert_int_equal(v[3].cols, 2);
    assert_string_equal(v[4].word, "plus");
    assert_near(v[5].number, 1, 0, "flag");
    assert_int_equal(v[6].rows * 10 + v[6].cols, 12);
    assert_string_equal(v[7].word, "a b.csv");
    assert_int_equal(v[7].place.line, 2);
    assert_int_equal(read_params("e: {stiffness: 1, gamma: 0.5}\n", v), IFD_OK);
    assert_null(v[4].word);
    assert_near(v[4].number, 0.5, 0, "a number instead of a word");
    assert_near(v[1].number, 3, 0, "preset");
    assert_false(v[1].given);
}

TEST_WITH(each_mistake_in_settings_is_reported_once, each, close_arena)
{
    ifd_value v[8];
    assert_int_equal(read_params("e: {stiffness: 2 kg, amplitude: 5 N, shape: squre, weights: [1, x], gamma: pluss,\n"
                                 "    fast: maybe, matrix: [1], file: {}, stifness: 5}\n",
                                 v),
                     IFD_UNIT);
    static const ifd_status code[] = {IFD_UNIT,  IFD_UNIT,  IFD_UNKNOWN_CHOICE, IFD_NUMBER,     IFD_UNKNOWN_CHOICE,
                                      IFD_SHAPE, IFD_SHAPE, IFD_SHAPE,          IFD_UNKNOWN_KEY};
    assert_int_equal(note.errors, (int)COUNT(code));
    const ifd_finding *f = note.first;
    for (size_t i = 0; i < COUNT(code); i++, f = f->next)
        assert_int_equal(f->code, code[i]);
    assert_non_null(strstr(note.last->hint, "did you mean 'stiffness'?\nknown: stiffness, amplitude"));
    assert_non_null(strstr(note.last->hint, "file, at, between"));
    assert_int_equal(read_params("e: {stiffness: -2, weights: [1, -1], gamma: -1}\n", v), IFD_RANGE);
    assert_int_equal(note.errors, 3);
    read_params("e: {shape: round}\n", v);
    expect(IFD_MISSING_KEY, 1, 1, "element 'e' needs 'stiffness' (k)");
    read_params(NULL, v);
    expect(IFD_MISSING_KEY, 9, 9, "element 'e' needs 'stiffness'");
    assert_int_equal(read_params("e: 5\n", v), IFD_SHAPE);
    assert_int_equal(note.errors, 1);
}

TEST_WITH(overrides_replace_and_add, each, close_arena)
{
    parse("time: {step: 1 ms}\nlist: [{k: 1}, {k: 2}]\nshared: &s {x: 1}\ncopy: *s\n");
    assert_int_equal(ifd__yaml_set(&doc, "time.step=2 ms", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "time.end=5 s", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "list.1.k={a: [7, 8]}", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "title=a = b", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "copy.x=9", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "empty=", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "list.0=[3]", &note), IFD_OK);
    const ifd__node *time = ifd__yaml_get(doc.root, "time"), *list = ifd__yaml_get(doc.root, "list");
    assert_int_equal(time->count, 2);
    assert_string_equal(ifd__yaml_get(time, "step")->text, "2 ms");
    assert_string_equal(ifd__yaml_get(time, "step")->place.file, "--set");
    assert_int_equal(ifd__yaml_get(time, "step")->place.column, 11);
    assert_string_equal(ifd__yaml_get(time, "end")->text, "5 s");
    const ifd__node *a = ifd__yaml_get(ifd__yaml_get(ifd__yaml_item(list, 1), "k"), "a");
    assert_string_equal(ifd__yaml_item(a, 1)->text, "8");
    assert_int_equal(ifd__yaml_item(list, 0)->kind, IFD__SEQUENCE);
    assert_int_equal(list->count, 2);
    assert_string_equal(ifd__yaml_get(doc.root, "title")->text, "a = b");
    assert_string_equal(ifd__yaml_get(ifd__yaml_get(doc.root, "shared"), "x")->text, "1");
    assert_string_equal(ifd__yaml_get(ifd__yaml_get(doc.root, "copy"), "x")->text, "9");
    assert_true(ifd__yaml_empty(ifd__yaml_get(doc.root, "empty")));
}

/* An item of a list that has a name goes by it and by its number. */
TEST_WITH(an_override_may_name_an_item, each, close_arena)
{
    parse("list: [{name: left, k: 1}, {name: right, k: 2}, {name: '0', k: 3}]\n");
    assert_int_equal(ifd__yaml_set(&doc, "list.right.k=5", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "list.left.m=6", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "list.1.n=7", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "list.0.l=8", &note), IFD_OK);
    assert_int_equal(ifd__yaml_set(&doc, "list.lef.k=5", &note), IFD_UNKNOWN_NAME);
    const ifd__node *list = ifd__yaml_get(doc.root, "list"), *right = ifd__yaml_item(list, 1);
    assert_string_equal(ifd__yaml_get(right, "k")->text, "5");
    assert_string_equal(ifd__yaml_get(right, "n")->text, "7");
    assert_string_equal(ifd__yaml_get(ifd__yaml_item(list, 0), "m")->text, "6");
    assert_string_equal(ifd__yaml_get(ifd__yaml_item(list, 0), "l")->text, "8");
}

/* A name is a mapping with nothing in it for who sets what is below it. */
TEST_WITH(an_override_may_go_below_a_name, each, close_arena)
{
    parse("method: lsrt2\nrig: virtual\n");
    assert_int_equal(ifd__yaml_set(&doc, "method.lsrt2.gamma=plus", &note), IFD_OK);
    const ifd__node *lsrt2 = ifd__yaml_get(ifd__yaml_get(doc.root, "method"), "lsrt2");
    assert_non_null(lsrt2);
    assert_string_equal(ifd__yaml_get(lsrt2, "gamma")->text, "plus");
    assert_int_equal(ifd__yaml_set(&doc, "rig.udp.port=5000", &note), IFD_SHAPE);
    assert_non_null(strstr(note.last->hint, "write --set 'rig={udp: {port: 5000}}'"));
    assert_int_equal(ifd__yaml_set(&doc, "rig={udp: {port: 5000}}", &note), IFD_OK);
    assert_string_equal(ifd__yaml_get(ifd__yaml_get(ifd__yaml_get(doc.root, "rig"), "udp"), "port")->text, "5000");
}

TEST_WITH(wrong_overrides_say_what_is_wrong, each, close_arena)
{
    static const struct {
        const char *set;
        ifd_status code;
        int column;
        const char *says, *hint;
    } row[] = {
        {"nonsense", IFD_SYNTAX, 1, "does not have the form", NULL},
        {"=5", IFD_SYNTAX, 1, "does not have the form", NULL},
        {"tiem.step=5", IFD_UNKNOWN_NAME, 1, "there is no 'tiem' in the case", "did you mean 'time'?"},
        {"time.stepp.x=5", IFD_UNKNOWN_NAME, 6, "there is no 'time.stepp'", "did you mean 'step'?"},
        {"time.step.x=5", IFD_SHAPE, 11, "'time.step' is the value '1 ms'", "write --set 'time.step={x: 5}'"},
        {"time.step.a.b.c=5 kN", IFD_SHAPE, 11, "is the value", "--set 'time.step={a: {b: {c: 5 kN}}}'"},
        {"list.2.k=5", IFD_UNKNOWN_NAME, 6, "no item 2; the list has 2", NULL},
        {"list.a=5", IFD_UNKNOWN_NAME, 6, "must be a number from 0 to 1, or the name of an item", NULL},
        {"time..x=5", IFD_SYNTAX, 6, "a name is missing", NULL},
        {"time.=5", IFD_SYNTAX, 6, "a name is missing", NULL},
        {"time.step=[5", IFD_SYNTAX, 13, "not valid YAML", NULL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        parse("time: {step: 1 ms}\nlist: [{k: 1}, {k: 2}]\n");
        assert_int_equal(ifd__yaml_set(&doc, row[i].set, &note), row[i].code);
        ifd__yaml_source_lines(&doc, &note);
        assert_int_equal(note.errors, 1);
        expect(row[i].code, 1, row[i].column, row[i].says);
        assert_string_equal(note.first->place.file, "--set");
        assert_string_equal(note.first->source, row[i].set);
        if (row[i].hint)
            assert_non_null(strstr(note.first->hint, row[i].hint));
    }
}

TEST_WITH(each_override_keeps_its_own_line, each, close_arena)
{
    parse("time: {step: 1 ms}\n");
    ifd__yaml_set(&doc, "tme.step=1", &note);
    ifd__yaml_set(&doc, "time.step=2 mm", &note);
    ifd__yaml_set(&doc, "time.end=3", &note);
    double x;
    ifd__yaml_number(ifd__yaml_get(ifd__yaml_get(doc.root, "time"), "step"), IFD_DIM_TIME, IFD_RANGE_FREE, &x, &note);
    ifd__yaml_source_lines(&doc, &note);
    assert_string_equal(note.first->source, "tme.step=1");
    assert_string_equal(note.last->source, "time.step=2 mm");
}

TESTS()
