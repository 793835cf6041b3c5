/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* 001-fig3, whose map of 72 points takes a quarter of a minute: the points that its page shows, with the numbers of
 * the page. The program's own file is read here; of its frame only the case is needed. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing is drawn or told here: what the whole figure calls may be missing. */
#pragma weak scene_try
#pragma weak sheet_make
#pragma weak sheet_add
#pragma weak found
#pragma weak tried
#pragma weak changed
#pragma weak chosen
#pragma weak remarked
#pragma weak plot_pane
#pragma weak plot_line

#include "reproduce/rig_map.c"

ifd_status scene_case(scene *s, const char *name, settings sets, ifd_case **out)
{
    char path[512];
    int count = 0;
    while (sets[count])
        count++;
    snprintf(path, sizeof path, "%s/cases/%s.yaml", IFD_SOURCE_DIR, name);
    return ifd_case_read(s->a->arena, path, count, sets, out, &s->a->note);
}

static double share_of(const point *p)
{
    app a = {.arena = ifd_arena_open()};
    scene s = {.a = &a};
    double share = NAN;
    ifd_note_init(&a.note, a.arena);
    assert_int_equal(try_point(&s, p, NULL, &share), IFD_OK);
    ifd_arena_close(a.arena);
    return share;
}

/* The part of the page on this figure. */
static void read_page(char *text, size_t size)
{
    FILE *file = fopen(IFD_SOURCE_DIR "/docs/evidence/reproduction-001.md", "r");
    assert_non_null(file);
    char *whole = malloc(1 << 20), *from;
    assert_non_null(whole);
    whole[fread(whole, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    from = strstr(whole, "\n## 001-fig3");
    assert_non_null(from);
    snprintf(text, size, "%.*s", (int)(strstr(from + 3, "\n## ") - from), from);
    free(whole);
}

/* A row of the page: quantity, bound, result with its deviation, verdict. */
static void page_says(const char *words, const char *bound, double share, const char *after)
{
    static char page[16384];
    char row[400];
    read_page(page, sizeof page);
    snprintf(row, sizeof row, "| %s | %s%s%.4g ", words, bound, *bound ? " | " : "| ", share);
    const char *at = strstr(page, row), *end = at ? strchr(at, '\n') : NULL;
    if (!end || (size_t)(end - at) < strlen(after) || strncmp(end - strlen(after), after, strlen(after)) != 0)
        fail_msg("docs/evidence/reproduction-001.md lacks '%s... %s': make reproduce writes it", row, after);
}

TEST(the_contrast_of_the_paper_shows_where_the_lag_is_the_step)
{
    point p = contrast;
    double chang = share_of(&p);
    p.method = 1;
    double plus = share_of(&p);
    assert_true(chang > 1 && plus < 1);
    page_says("*with* step 10 ms and lag 10 ms", "", chang, "| holds |");
    page_says("*with* step 10 ms and lag 10 ms", "", plus, "| holds |");
}

TEST(as_shipped_both_methods_fail_and_a_fast_actuator_does_not_help)
{
    point p = shipped;
    double chang = share_of(&p);
    p.method = 1;
    double plus = share_of(&p);
    p = shipped;
    p.lag = 1;
    double fast = share_of(&p);
    assert_true(chang > 1 && plus > 1 && fast > 1);
    page_says("peak of the last 2 s of 10 s divided by three times the amplitude of the monolithic structure",
              "at least 1 (more)", chang, "| holds |");
    page_says("gamma plus: the same quantity", "at most 1 (less)", plus, "| **fails** |");
    page_says("Chang with a lag of 1 ms: the same quantity", "at most 1 (less)", fast, "| **fails** |");
}

TESTS()
