/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/catalogue.h>

#include "case/reference.h"
#include "case/rig/rigs.h"

#define DOCS IFD_SOURCE_DIR "/docs/"

static int open_arena(void **state)
{
    *state = ifd_arena_open();
    return *state ? 0 : -1;
}

static int close_arena(void **state)
{
    ifd_arena_close(*state);
    return 0;
}

static char *whole_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!in || getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

TEST_IN_ARENA(the_pages_about_case_files_are_those_of_the_tables)
{
    int pages = 0;
    char *index = whole_file(DOCS "index.md");
    assert_non_null(index);
    for (const ifd__page *p = ifd__pages; p->name || p->section; p++) {
        char name[64], path[512], link[80];
        if (!p->name)
            continue;
        snprintf(name, sizeof name, "%s.md", p->name);
        snprintf(path, sizeof path, DOCS "reference/%s", name);
        snprintf(link, sizeof link, "](reference/%s)", name);
        const char *made = ifd_case_help(*state, name);
        char *page = whole_file(path);
        assert_non_null(made);
        if (!page || strcmp(page, made) != 0)
            fail_msg("docs/reference/%s is out of date: write the pages again with `make reference`", name);
        if (!strstr(index, link))
            fail_msg("docs/index.md has no link to %s", name);
        free(page);
        pages++;
    }
    free(index);
    assert_true(pages > 15);
}

TEST_IN_ARENA(every_section_is_on_one_page)
{
    int sections = 0, on_pages = 0;
    while (ifd__sections[sections])
        sections++;
    for (const ifd__page *p = ifd__pages; p->name || p->section; p++)
        if (p->section)
            assert_ptr_equal(p->section, ifd__sections[on_pages++]);
    assert_int_equal(on_pages, sections);
    assert_null(ifd_case_help(*state, "case-none.md"));
}

TEST_IN_ARENA(lines_of_the_help_fit_a_terminal)
{
    for (const char *line = ifd_case_help(*state, "all"); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strcspn(line, "\n") > 118)
            fail_msg("a line of the help has more than 118 columns: %.*s", (int)strcspn(line, "\n"), line);
    }
}

TEST_IN_ARENA(a_key_is_a_topic_wherever_it_occurs)
{
    const char *text = ifd_case_help(*state, "lambda");
    assert_non_null(text);
    assert_non_null(strstr(text, "key of `test`"));
    assert_non_null(strstr(text, "range 0.001 to 1e+06; default 1"));
    text = ifd_case_help(*state, "stiffness");
    assert_non_null(strstr(text, "key of `specimen.estimate`"));
    assert_non_null(strstr(text, "parameter of element `spring`"));
    assert_non_null(strstr(ifd_case_help(*state, "limits"), "The key `limits` occurs in: specimen, test"));
}

/* Whether the help about a topic has a text, but for line ends and its first letter. */
static bool tells(ifd_arena *arena, const char *topic, const char *text)
{
    const char *help = ifd_case_help(arena, topic);
    for (const char *start = help; start && *start; start++) {
        const char *a = start, *b = text + 1;
        while (*a && *b && (*a == *b || (isspace((unsigned char)*a) && *b == ' '))) {
            a += isspace((unsigned char)*a) ? strspn(a, " \n") : 1;
            b++;
        }
        if (!*b)
            return true;
    }
    return false;
}

TEST_IN_ARENA(every_section_method_element_and_signal_is_a_topic)
{
    for (int i = 0; ifd__sections[i]; i++)
        assert_non_null(ifd_case_help(*state, ifd__sections[i]->topic));
    for (int i = 0; i < ifd_method_count; i++)
        assert_true(tells(*state, ifd_methods[i]->name, ifd_methods[i]->citation));
    for (int i = 0; i < ifd_coupling_count; i++)
        assert_true(tells(*state, ifd_couplings[i]->name, ifd_couplings[i]->citation));
    for (int i = 0; i < ifd_element_count; i++)
        assert_true(tells(*state, ifd_elements[i]->name, ifd_elements[i]->equation));
    for (int i = 0; i < ifd_signal_kind_count; i++)
        assert_non_null(ifd_case_help(*state, ifd_signal_kinds[i]->name));
    for (int i = 0; i < ifd_actuator_count; i++)
        assert_true(tells(*state, ifd_actuators[i]->name, ifd_actuators[i]->summary));
    for (int i = 0; i < ifd_compensator_count; i++)
        assert_true(tells(*state, ifd_compensators[i]->name, ifd_compensators[i]->summary));
    for (int i = 0; ifd__rigs[i]; i++)
        assert_true(tells(*state, ifd__rigs[i]->name, ifd__rigs[i]->summary));
    assert_null(ifd_case_help(*state, "no such topic"));
}

TEST_IN_ARENA(every_key_is_explained)
{
    for (int i = 0; ifd__sections[i]; i++) {
        const ifd__section *s = ifd__sections[i];
        const char *text = ifd_case_help(*state, s->topic);
        for (const ifd__key *k = s->keys; k->param.name; k++) {
            char key[80];
            snprintf(key, sizeof key, "\n  %s ", k->param.name);
            assert_non_null(strstr(text, key));
            assert_true(k->param.doc && strlen(k->param.doc) > 2);
        }
    }
}

TEST_IN_ARENA(parameters_that_the_reader_sets_are_not_shown)
{
    assert_null(strstr(ifd_case_help(*state, "low-pass"), "\n  reads "));
    assert_non_null(strstr(ifd_case_help(*state, "low-pass"), "\n  cutoff "));
}

TEST_IN_ARENA(the_catalogue_has_every_row_of_every_table)
{
    int count = 0;
    const ifd_catalogue_row *row = ifd_catalogue(*state, "methods", &count);
    assert_non_null(row);
    assert_int_equal(count, ifd_method_count);
    row = ifd_catalogue(*state, "elements", &count);
    assert_int_equal(count, ifd_element_count);
    row = ifd_catalogue(*state, "errors", &count);
    assert_int_equal(count, IFD_STATUS_COUNT - 1);
    assert_string_equal(row[0].name, "NO_MEMORY");
    assert_non_null(ifd_catalogue(*state, "signals", &count));
    row = ifd_catalogue(*state, "faults", &count);
    assert_int_equal(count, IFD_FAULT_COUNT - 1 + IFD_TRIP_COUNT - 1);
    assert_string_equal(row[count - 1].name, ifd_trip_name(IFD_TRIP_COUNT - 1));
    row = ifd_catalogue(*state, "rigs", &count);
    assert_true(count >= 7); /* drivers, which depend on the build, after the built-in ones */
    assert_string_equal(row[5].name, "plugin");
    row = ifd_catalogue(*state, "states", &count);
    assert_int_equal(count, IFD_MACHINE_COUNT);
    assert_string_equal(row[IFD_MACHINE_HOLD].name, "hold");
    row = ifd_catalogue(*state, "couplings", &count);
    assert_int_equal(count, ifd_coupling_count);
    row = ifd_catalogue(*state, "topics", &count);
    assert_non_null(row);
    for (int i = 0; i < count; i++)
        assert_true(row[i].name[0] && row[i].summary[0]);
    assert_null(ifd_catalogue(*state, "method", &count));
}

TEST_IN_ARENA(the_shipped_cases_are_listed_by_name_with_their_titles)
{
    int count = 0;
    bool found = false;
    const ifd_catalogue_row *row = ifd_catalogue_cases(*state, IFD_SOURCE_DIR "/cases", &count);
    assert_non_null(row);
    for (int i = 0; i < count; i++) {
        if (strcmp(row[i].name, "shear-pendulum/free") == 0)
            found = strcmp(row[i].summary, "Shear building with pendulum, free vibration") == 0;
        assert_true(row[i].summary[0] != '\0');
        assert_null(strstr(row[i].name, ".model"));
        assert_true(i == 0 || strcmp(row[i - 1].name, row[i].name) < 0);
    }
    assert_true(found);
    assert_null(ifd_catalogue_cases(*state, IFD_SOURCE_DIR "/nowhere", &count));
}

TESTS()
