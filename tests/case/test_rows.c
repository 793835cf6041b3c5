/* SPDX-License-Identifier: MIT */
/* Every row of every table is documented, and occurs in an example that is read here: a shipped case, the settings of
 * tests/app/extremes.py, or one that is made of the row. */
#include "case/texts.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/compensator.h>

#include "case/rig/rigs.h"

/* The text of all files that match, one after the other. */
static char *text_of(const char *pattern)
{
    glob_t found;
    size_t size = 0;
    char *text = calloc(1, 1);
    assert_int_equal(glob(pattern, GLOB_BRACE, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *in = fopen(found.gl_pathv[i], "r");
        assert_non_null(in);
        assert_int_equal(fseek(in, 0, SEEK_END), 0);
        size_t more = (size_t)ftell(in);
        rewind(in);
        text = realloc(text, size + more + 1);
        assert_non_null(text);
        assert_int_equal(fread(text + size, 1, more, in), more);
        size += more;
        text[size] = '\0';
        fclose(in);
    }
    globfree(&found);
    return text;
}

/* Whether name occurs in text as a whole word. */
static bool word_in(const char *text, const char *name)
{
    const char *around = " \n\t,:;{}[]()\"'`=|/";
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p += n)
        if ((p == text || strchr(around, p[-1])) && strchr(around, p[n]))
            return true;
    return false;
}

typedef struct library {
    char *reference, *pages, *cases, *settings;
} library;

static library *lib;

static int open_library(void **state)
{
    (void)state;
    static library l;
    l = (library){.reference = text_of(IFD_SOURCE_DIR "/docs/reference/case*.md"),
                  .pages =
                      text_of(IFD_SOURCE_DIR "/docs/{reference/methods,guide/coupling,reference/extrapolation}.md"),
                  .cases = text_of(IFD_SOURCE_DIR "/cases/*/*.yaml"),
                  .settings = text_of(IFD_SOURCE_DIR "/tests/app/extremes.py")};
    lib = &l;
    return files_open(state) == 0 ? open_arena(state) : -1;
}

static int close_library(void **state)
{
    free(lib->reference);
    free(lib->pages);
    free(lib->cases);
    free(lib->settings);
    return files_close(state) == 0 ? close_arena(state) : -1;
}

/* The reference is printed from the tables, with a capital at the beginning of a summary. Another test compares the
 * pages with it. */
static void documented(const char *noun, const char *name, const char *summary)
{
    char heading[128];
    snprintf(heading, sizeof heading, "\n### %s `%s`\n", noun, name);
    if (!strstr(lib->reference, heading) || !summary || !strstr(lib->reference, summary + 1))
        fail_msg("%s '%s' has no section in docs/reference/case*.md", noun, name);
}

static void in_an_example(const char *noun, const char *name)
{
    char setting[128];
    snprintf(setting, sizeof setting, "\"%s\":", name);
    if (!word_in(lib->cases, name) && !strstr(lib->settings, setting))
        fail_msg("%s '%s' occurs in no case and in no settings of tests/app/extremes.py", noun, name);
}

TEST(every_method_is_derived_on_a_page_and_reads_a_case)
{
    for (int i = 0; i < ifd_method_count; i++) {
        const ifd_method *m = ifd_methods[i];
        char text[512];
        documented("method", m->name, m->summary);
        if (!word_in(lib->pages, m->name))
            fail_msg("method '%s' is on no page besides docs/reference/case*.md", m->name);
        snprintf(text, sizeof text,
                 "title: t\ntime: {step: 1 ms, end: 0.1 s}\nmethod: {%s: {}}\nmodel: {dofs: [x], mass: [1], "
                 "stiffness: [100]}\n",
                 m->name);
        assert_ptr_equal(read(text)->run.step.method, m);
    }
}

TEST(every_coupling_is_derived_on_a_page_and_reads_a_case)
{
    for (int i = 0; i < ifd_coupling_count; i++) {
        const ifd_coupling *c = ifd_couplings[i];
        char text[1024];
        documented("coupling", c->name, c->summary);
        if (!word_in(lib->pages, c->name))
            fail_msg("coupling '%s' is on no page besides docs/reference/case*.md", c->name);
        if (word_in(lib->cases, c->name))
            continue;
        snprintf(text, sizeof text,
                 "title: t\ntime: {step: 1 ms, end: 0.1 s}\ncoupling: %s\nmethod: %.*s\nsubstructures:\n"
                 "  A: {model: {dofs: [x], mass: [1], stiffness: [100]}}\n"
                 "  B: {model: {dofs: [x], mass: [1], stiffness: [50]}}\n"
                 "joints: [A.x = B.x]\n",
                 c->name, (int)strcspn(c->methods, "|"), c->methods);
        assert_ptr_equal(read(text)->run.couple->coupling, c);
    }
}

TEST(every_other_row_is_documented_and_stands_in_an_example)
{
    for (int i = 0; i < ifd_element_count; i++) {
        documented("element", ifd_elements[i]->name, ifd_elements[i]->equation);
        in_an_example("element", ifd_elements[i]->name);
    }
    for (int i = 0; i < ifd_signal_kind_count; i++) {
        documented("signal", ifd_signal_kinds[i]->name, ifd_signal_kinds[i]->summary);
        in_an_example("signal", ifd_signal_kinds[i]->name);
    }
    for (int i = 0; i < ifd_compensator_count; i++) {
        documented("compensation", ifd_compensators[i]->name, ifd_compensators[i]->summary);
        in_an_example("compensation", ifd_compensators[i]->name);
    }
    for (int i = 0; i < ifd_actuator_count; i++) {
        documented("actuator", ifd_actuators[i]->name, ifd_actuators[i]->summary);
        in_an_example("actuator", ifd_actuators[i]->name);
    }
    for (int i = 0; i < ifd_extrapolator_count; i++) {
        documented("extrapolator", ifd_extrapolators[i]->name, ifd_extrapolators[i]->summary);
        in_an_example("extrapolator", ifd_extrapolators[i]->name);
    }
    for (int i = 0; ifd__rigs[i]; i++) {
        documented("rig", ifd__rigs[i]->name, ifd__rigs[i]->summary);
        in_an_example("rig", ifd__rigs[i]->name);
    }
}

TESTS_WITH(open_library, close_library)
