/* SPDX-License-Identifier: MIT */
/* Search in the pages, line by line. */
#include "manual/search.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manual/terms.h"

enum { MOST_SUBJECTS = 16, WHOLE = 3 };

/* One or several words of the search that mean one thing. */
typedef struct subject {
    const char *own;
    const term *row; /* further words for it; NULL: none */
} subject;

typedef struct search {
    ifd_arena *arena;
    int subjects;
    subject subject[MOST_SUBJECTS];
    search_result *out;
    bool failed;
} search;

static bool separates(char c)
{
    return c == ' ' || c == '-' || c == '_';
}

/* Where a word occurs: at the start of a word of the line; up to WHOLE letters are a whole word. NULL: nowhere. */
static const char *occurs(const char *line, const char *word, size_t length)
{
    if (length > WHOLE + 1 && tolower((unsigned char)word[length - 1]) == 's')
        length--; /* bearings */
    for (const char *p = line; *p; p++) {
        size_t n = 0;
        if (p > line && isalnum((unsigned char)p[-1]))
            continue;
        while (n < length && p[n] &&
               (tolower((unsigned char)p[n]) == tolower((unsigned char)word[n]) ||
                (separates(p[n]) && separates(word[n]))))
            n++;
        if (n == length && (length > WHOLE || !isalnum((unsigned char)p[n])))
            return p;
    }
    return NULL;
}

/* 2: the words of the search; 1: others that mean the same; 0: neither. */
static int weight(const subject *s, const char *line)
{
    if (occurs(line, s->own, strlen(s->own)))
        return 2;
    for (const char *w = s->row ? s->row->words : ""; *w; w += strcspn(w, "|"), w += *w == '|')
        if (occurs(line, w, strcspn(w, "|")))
            return 1;
    return 0;
}

static bool is_filler(const char *word)
{
    static const char *const fillers[] = {"a",  "an", "and", "by",  "for", "how",  "in",  "is",
                                          "of", "on", "or",  "the", "to",  "what", "with"};
    for (size_t k = 0; k < sizeof fillers / sizeof *fillers; k++)
        if (strcmp(fillers[k], word) == 0)
            return true;
    return false;
}

/* Words that are a term together are one subject: "lead rubber". */
static void take_subjects(search *s, int words, const char *const *word)
{
    for (int i = 0; i < words && s->subjects < MOST_SUBJECTS;) {
        subject best = {.own = word[i], .row = term_find(word[i])};
        const char *joined = word[i];
        int taken = 1;
        for (int k = 1; i + k < words && joined; k++) {
            joined = ifd_arena_print(s->arena, "%s %s", joined, word[i + k]);
            const term *row = joined ? term_find(joined) : NULL;
            if (row) {
                best = (subject){.own = joined, .row = row};
                taken = k + 1;
            }
        }
        if (taken > 1 || words == 1 || !is_filler(word[i]))
            s->subject[s->subjects++] = best;
        i += taken;
    }
}

/* The line without the marks of headings, lists and tables at its ends. */
static const char *bare(ifd_arena *arena, char *line)
{
    char *text = line + strspn(line, "#|>-* \t");
    size_t n = strlen(text);
    while (n && strchr("| \t\r\n", text[n - 1]))
        n--;
    return ifd_arena_text_n(arena, text, n);
}

static void keep_place(search_page *page, search_place place)
{
    int at = page->places;
    while (at > 0 && page->place[at - 1].score < place.score)
        at--;
    if (at == SEARCH_PLACES)
        return;
    page->places += page->places < SEARCH_PLACES;
    for (int i = page->places - 1; i > at; i--)
        page->place[i] = page->place[i - 1];
    page->place[at] = place;
}

typedef struct tally {
    unsigned found; /* a bit for each subject */
    int title, heading, text, lines;
} tally;

/* A line of a page as it is read. */
typedef struct place_read {
    char *line;
    int number, level;   /* 0: text; 1: title; 2 and more: headings */
    const char *heading; /* above it, or itself */
} place_read;

static void judge_line(search *s, search_page *page, tally *t, const place_read *r)
{
    int score = 0;
    for (int i = 0; i < s->subjects; i++) {
        int w = weight(&s->subject[i], r->line);
        t->found |= w ? 1u << i : 0u;
        score += w;
    }
    int *best = r->level == 1 ? &t->title : r->level ? &t->heading : &t->text;
    *best = score > *best ? score : *best;
    if (!score)
        return;
    t->lines++;
    const char *text = bare(s->arena, r->line);
    s->failed = s->failed || !text;
    keep_place(page, (search_place){.line = r->number,
                                    .score = score * (r->level == 1 ? 4
                                                      : r->level    ? 3
                                                                    : 2),
                                    .is_heading = r->level > 0,
                                    .heading = r->heading,
                                    .text = text});
}

static void judge_lines(search *s, search_page *page, tally *t, FILE *in)
{
    place_read r = {.number = 1, .heading = ""};
    size_t size = 0;
    bool block = false;
    for (; getline(&r.line, &size, in) >= 0; r.number++) {
        block = block != (strncmp(r.line, "```", 3) == 0);
        r.level = block ? 0 : (int)strspn(r.line, "#");
        if (r.level)
            r.heading = bare(s->arena, r.line);
        judge_line(s, page, t, &r);
    }
    free(r.line);
}

/* Whether a subject has the page in its row. */
static bool named_by_terms(const search *s, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < s->subjects; i++)
        for (const char *p = s->subject[i].row ? s->subject[i].row->pages : ""; *p;
             p += strcspn(p, " "), p += *p == ' ')
            if (strcspn(p, " ") == length && strncmp(p, name, length) == 0)
                return true;
    return false;
}

static void keep_page(search_result *out, const search_page *page)
{
    int at = out->pages;
    out->found++;
    while (at > 0 && out->page[at - 1].score < page->score)
        at--;
    if (at == SEARCH_PAGES)
        return;
    out->pages += out->pages < SEARCH_PAGES;
    for (int i = out->pages - 1; i > at; i--)
        out->page[i] = out->page[i - 1];
    out->page[at] = *page;
}

/* Each sum is smaller than the next larger weight: all words before any, a title before headings before text. */
static void judge_page(void *data, const char *group, const char *name, const char *path)
{
    search *s = data;
    search_page page = {.group = group, .name = ifd_arena_text(s->arena, name)};
    tally t = {0};
    FILE *in = fopen(path, "r");
    s->failed = s->failed || !in || !page.name;
    if (!in || !page.name)
        return;
    page.title = page_title(s->arena, path);
    s->failed = s->failed || !page.title;
    judge_lines(s, &page, &t, in);
    fclose(in);
    bool named = named_by_terms(s, name);
    int subjects = 0, most = 2 * MOST_SUBJECTS + 1, lines = t.lines < most ? t.lines : most - 1;
    for (int i = 0; i < s->subjects; i++)
        subjects += (t.found & 1u << i) != 0;
    if (!t.found && !named)
        return;
    if (!page.places) /* only its row of terms.def names it */
        keep_place(&page, (search_place){.line = 1, .is_heading = true, .heading = page.title, .text = page.title});
    page.all = subjects == s->subjects;
    page.score = subjects + (page.all ? 1 : 0);
    page.score = page.score * 2 + named;
    page.score = page.score * most + t.title;
    page.score = page.score * most + t.heading;
    page.score = page.score * most + t.text;
    page.score = page.score * most + lines;
    keep_page(s->out, &page);
}

bool search_pages(ifd_arena *arena, const char *folder, int words, const char *const *word, search_result *out)
{
    search s = {.arena = arena, .out = out};
    *out = (search_result){0};
    take_subjects(&s, words, word);
    errno = 0;
    return pages_walk(folder, judge_page, &s) && !s.failed;
}

const char *search_excerpt(ifd_arena *arena, const char *text, int words, const char *const *word, int most)
{
    const char *at = NULL, *start = text;
    for (int i = 0; i < words && !at; i++)
        at = is_filler(word[i]) ? NULL : occurs(text, word[i], strlen(word[i]));
    if ((int)strlen(text) <= most)
        return text;
    while (at && at - start > most / 3) {
        const char *blank = strchr(start, ' ');
        if (!blank || blank >= at)
            break;
        start = blank + 1;
    }
    int n = (int)strlen(start);
    if (n > most)
        for (n = most; n > most / 2 && start[n] != ' '; n--)
            ;
    return ifd_arena_print(arena, "%s%.*s%s", start > text ? "... " : "", n, start, start[n] ? " ..." : "");
}
