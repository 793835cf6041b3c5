/* SPDX-License-Identifier: MIT */
/* Every example of the reference is read as a case, and every key and parameter occurs in one. */
#include "case/texts.h"

#include <string.h>

#include <interfield/virtual.h>

#include "case/reference.h"

/* Files that examples name. */
static void write_files(void)
{
    files_write("motion.AT2", "PEER NGA STRONG MOTION DATABASE RECORD\nTest\nACCELERATION TIME SERIES IN UNITS OF G\n"
                              "NPTS=   5, DT=   .0100 SEC\n  .0 .1 .0 -.1 .0\n");
    files_write("motion.csv", "0\n0.1\n0\n-0.1\n0\n");
    files_write("my_damper.so", "");
}

static bool has(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && line[n] == ':')
            return true;
    }
    return false;
}

/* An example with what it leaves out. */
static const char *completed(const char *example)
{
    bool structure =
        has(example, "model") || has(example, "substructures") || has(example, "master") || has(example, "protocol");
    bool coupled = has(example, "coupling") && !structure;
    bool lab = has(example, "test") && !has(example, "specimen");
    return ifd_arena_print(
        arena, "%s%s%s%s", example, has(example, "time") ? "" : "time: {step: 1 ms, end: 20 ms}\n",
        structure ? ""
        : coupled ? "substructures:\n"
                    "  cart: {model: {dofs: [x], mass: [15 kg], stiffness: [1 kN/m]}, method: mtl}\n"
                    "  pendulum:\n    method: mtl\n    model:\n      supports: {pivot: {follows: cart.x}}\n"
                    "      elements: [{pendulum: {at: pivot, mass: 1 kg, length: 0.5 m}}]\n"
                  : "model: {dofs: [x1, x2], mass: [1 t, 1 t], stiffness: [[8e6, -4e6], [-4e6, 4e6]]}\n",
        lab ? "specimen:\n  - name: bearing\n    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
              "    limits: {stroke: 0.3 m, velocity: 1 m/s, acceleration: 20 m/s2, force: 1 MN, tracking: 20 mm}\n"
            : "");
}

/* Read without loading code: an FMU or a plug-in that the example names leaves the case incomplete, without error. */
static void read_one(const char *what, const char *example)
{
    ifd_case *c = NULL;
    ifd_note n;
    ifd_note_init(&n, arena);
    const char *text = completed(example);
    ifd_case_source source = {.path = files_write("case.yaml", text), .text = text};
    ifd_status status = ifd_case_read_source(arena, &source, &c, &n);
    if (n.errors == 0 && (status == IFD_OK || (status == IFD_UNLOADED && c && c->unloaded)))
        return;
    ifd_note_print(&n, stderr, false);
    fail_msg("the example of %s is refused (%s):\n%s", what, ifd_status_name(status), text);
}

TEST_IN_ARENA(every_example_of_a_section_is_read)
{
    int count = 0;
    write_files();
    for (int i = 0; ifd__sections[i]; i++)
        for (const char *text = ifd__section_example(ifd__sections[i]); *text; count++) {
            const char *end = strstr(text, "\n\n");
            read_one(ifd__sections[i]->topic,
                     ifd_arena_text_n(arena, text, end ? (size_t)(end + 1 - text) : strlen(text)));
            text = end ? end + 2 : "";
        }
    print_message("%d examples of sections\n", count);
    assert_true(count > 60);
}

static const char *row_case(const ifd__row *r, const char *settings)
{
    static const char limits[] =
        "limits: {stroke: 0.3 m, velocity: 1 m/s, acceleration: 20 m/s2, force: 1 MN, tracking: 20 mm}";
    if (strcmp(r->noun, "method") == 0)
        return ifd_arena_print(arena, "method: {%s: %s}\n", r->name, settings);
    if (strcmp(r->noun, "signal") == 0)
        return ifd_arena_print(arena, "ground: {signal: {%s: %s}}\n", r->name, settings);
    if (strcmp(r->noun, "element") == 0 && strcmp(r->topic, "specimen") == 0)
        return ifd_arena_print(arena, "specimen: [{%s: %s}]\n", r->name, settings);
    if (strcmp(r->noun, "element") == 0)
        return ifd_arena_print(
            arena,
            "model:\n  dofs: [x1, x2]\n  mass: [1 t, 1 t]\n  stiffness: [[8e6, -4e6], [-4e6, 4e6]]\n"
            "  elements: [{%s: %s}]\n",
            r->name, settings);
    if (strcmp(r->noun, "rig") == 0)
        return ifd_arena_print(arena, "test: {rig: {%s: %s}}\n", r->name, settings);
    if (strcmp(r->noun, "extrapolator") == 0)
        return ifd_arena_print(
            arena,
            "substructures:\n"
            "  cart: {model: {dofs: [x], mass: [15 kg], stiffness: [1 kN/m]}, method: mtl}\n"
            "  pendulum:\n    method: mtl\n    model:\n      supports: {pivot: {follows: cart.x}}\n"
            "      elements: [{pendulum: {at: pivot, mass: 1 kg, length: 0.5 m}}]\n"
            "coupling: {rts: {extrapolator: {%s: %s}}}\n",
            r->name, settings);
    return ifd_arena_print(arena,
                           "specimen:\n  - name: bearing\n    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
                           "    %s: {%s: %s}\n    %s\ntest: {rig: virtual}\n",
                           r->noun, r->name, settings, limits);
}

TEST_IN_ARENA(every_example_of_a_row_is_read)
{
    ifd__row row[IFD__ROWS];
    int count = ifd__rows(row), read = 0;
    write_files();
    for (int i = 0; i < count; i++)
        for (const char *text = ifd__row_example(arena, &row[i]); text && *text; read++) {
            const char *end = strstr(text, "\n\n");
            const char *one = ifd_arena_text_n(arena, text, end ? (size_t)(end - text) : strlen(text));
            read_one(ifd_arena_print(arena, "%s '%s'", row[i].noun, row[i].name), row_case(&row[i], one));
            text = end ? end + 2 : "";
        }
    print_message("%d examples of rows\n", read);
    assert_true(read > 60);
}

/* Whether the form or the meaning of a key refers to a section, which has the example. */
static bool refers(const ifd__key *k)
{
    const char *at = k->form ? strstr(k->form, "(help ") : NULL;
    at = at ? at : strstr(k->param.doc, "(help ");
    if (!at)
        return false;
    char topic[40] = "";
    snprintf(topic, sizeof topic, "%.*s", (int)strcspn(at + 6, ")"), at + 6);
    if (!ifd__section_find(topic))
        fail_msg("key '%s' refers to 'help %s', which is no section", k->param.name, topic);
    return true;
}

TEST_IN_ARENA(every_key_occurs_in_an_example_of_its_section)
{
    int missing = 0;
    char value[96];
    for (int i = 0; ifd__sections[i]; i++) {
        const ifd__section *s = ifd__sections[i];
        ifd__examples e;
        ifd__examples_read(arena, ifd__section_example(s), &e);
        for (const ifd__key *k = s->keys; k->param.name; k++)
            if (!ifd__examples_value(&e, s->path, k->param.name, value, sizeof value) && !refers(k)) {
                print_error("key '%s' of section '%s' has no example\n", k->param.name, s->topic);
                missing++;
            }
        for (const ifd_param *p = ifd_sensor_params; p->name && s == &ifd__section_sensor; p++)
            assert_true(ifd__examples_value(&e, s->path, p->name, value, sizeof value));
    }
    assert_int_equal(missing, 0);
}

/* Of parameters that several rows share, one row has the example. */
TEST_IN_ARENA(every_parameter_occurs_in_an_example)
{
    ifd__row row[IFD__ROWS];
    int count = ifd__rows(row), missing = 0;
    char value[96];
    for (int i = 0; i < count; i++)
        for (const ifd_param *p = row[i].params; p->name; p++) {
            bool found = ifd__param_hidden(p);
            for (int j = 0; j < count && !found; j++) {
                ifd__examples e;
                int k = ifd_param_find(row[j].params, p->name);
                if (k < 0 || !ifd__same_param(&row[j].params[k], p) || strcmp(row[j].noun, row[i].noun) != 0)
                    continue;
                ifd__examples_read(arena, ifd__row_example(arena, &row[j]), &e);
                found = ifd__examples_value(&e, "", p->name, value, sizeof value);
            }
            if (!found) {
                print_error("parameter '%s' of %s '%s' has no example\n", p->name, row[i].noun, row[i].name);
                missing++;
            }
        }
    assert_int_equal(missing, 0);
}

TESTS_WITH(files_open, files_close)
