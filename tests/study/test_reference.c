/* SPDX-License-Identifier: MIT */
/* The reference of the study file: its page is up to date, and every key has a value in an example. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/study.h>

#include "case/reference.h"
#include "fixture.h"
#include "study/store.h"

#define SECTION(name) extern const ifd__section ifd__study_section_##name;
#include "study/sections.def"
#undef SECTION
#define SECTION(name) &ifd__study_section_##name,
static const ifd__section *const sections[] = {
#include "study/sections.def"
};
#undef SECTION

TEST_IN_ARENA(every_key_occurs_in_an_example_of_its_section)
{
    int missing = 0;
    for (size_t i = 0; i < COUNT(sections); i++) {
        ifd__examples e;
        char value[96];
        ifd__examples_read(arena, ifd__section_example(sections[i]), &e);
        assert_true(e.count > 0);
        for (const ifd__key *k = sections[i]->keys; k->param.name; k++)
            if (!ifd__examples_value(&e, sections[i]->path, k->param.name, value, sizeof value)) {
                print_error("key '%s' of section '%s' has no example\n", k->param.name, sections[i]->topic);
                missing++;
            }
    }
    assert_int_equal(missing, 0);
}

TEST_IN_ARENA(the_page_is_up_to_date)
{
    const char *page = ifd_study_help(arena, "study-file.md");
    FILE *f = fopen(IFD_SOURCE_DIR "/docs/reference/study-file.md", "re");
    assert_non_null(page);
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    assert_true(length > 0);
    if (strcmp(text, page) != 0)
        print_error("docs/reference/study-file.md differs from the tables: make reference\n");
    assert_string_equal(text, page);
    free(text);
}

TEST_IN_ARENA(every_section_has_help)
{
    for (size_t i = 0; i < COUNT(sections); i++)
        assert_non_null(strstr(ifd_study_help(arena, sections[i]->topic), sections[i]->title));
    assert_null(ifd_study_help(arena, "nothing"));
}

TEST_IN_ARENA(variants_of_the_kernels_are_joined_in_order)
{
    assert_string_equal(ifd__kernels_join(arena, "avx2", "avx2"), "avx2");
    assert_string_equal(ifd__kernels_join(arena, "plain", "avx512"), "avx512 plain");
    assert_string_equal(ifd__kernels_join(arena, "avx2 plain", "avx512 avx2"), "avx2 avx512 plain");
}

TESTS()
