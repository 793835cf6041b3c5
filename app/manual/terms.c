/* SPDX-License-Identifier: MIT */
/* Finds words in the table of terms, and words near a wrong one. */
#include "manual/terms.h"

#include <ctype.h>
#include <string.h>

enum { SHORTEST = 5 }; /* letters of a word that is compared with others */

static const term terms[] = {
#define TERM(words, text, topic, pages, example) {words, text, topic, pages, example},
#include "manual/terms.def"
#undef TERM
    {NULL, NULL, NULL, NULL, NULL},
};

/* The next letter that matters; '\0' at the end of a word. */
static int letter(const char **at)
{
    while (**at && **at != '|' && strchr(" -_", **at))
        ++*at;
    int c = **at && **at != '|' ? tolower((unsigned char)**at) : '\0';
    *at += c != '\0';
    return c;
}

static bool alike(const char *a, const char *b)
{
    int c, d;
    do {
        c = letter(&a);
        d = letter(&b);
    } while (c == d && c);
    return c == d;
}

static const char *next(const char *words)
{
    words += strcspn(words, "|");
    return *words ? words + 1 : NULL;
}

const term *term_find(const char *word)
{
    const char *first = word;
    if (!letter(&first))
        return NULL;
    for (const term *t = terms; t->words; t++)
        for (const char *w = t->words; w; w = next(w))
            if (alike(w, word))
                return t;
    return NULL;
}

const char *term_text(ifd_arena *arena, const term *t)
{
    const char *words = t->words, *text = "", *comma = "";
    for (const char *w = words; w && text; w = next(w), comma = ", ")
        text = ifd_arena_print(arena, "%s%s%.*s", text, comma, (int)strcspn(w, "|"), w);
    if (text)
        text = ifd_arena_print(arena, "%s:\n    %s\n\n", text, t->text);
    if (text && *t->topic)
        text = ifd_arena_print(arena, "%s    interfield help %s\n", text, t->topic);
    for (const char *page = t->pages; *page && text; page += strspn(page, " ")) {
        int length = (int)strcspn(page, " ");
        text = ifd_arena_print(arena, "%s    interfield docs %.*s\n", text, length, page);
        page += length;
    }
    if (text && *t->example)
        text = ifd_arena_print(arena, "%s    shipped case: %s\n", text, t->example);
    return text;
}

/* Whether one slip separates two words. */
static bool one_slip(const char *a, int na, const char *b, int nb)
{
    int before = 0, after = 0, least = na < nb ? na : nb;
    while (before < least && tolower((unsigned char)a[before]) == tolower((unsigned char)b[before]))
        before++;
    while (after < least - before &&
           tolower((unsigned char)a[na - 1 - after]) == tolower((unsigned char)b[nb - 1 - after]))
        after++;
    na -= before + after;
    nb -= before + after;
    a += before;
    b += before;
    return (na <= 1 && nb <= 1) ||
           (na == 2 && nb == 2 && tolower((unsigned char)a[0]) == tolower((unsigned char)b[1]) &&
            tolower((unsigned char)a[1]) == tolower((unsigned char)b[0]));
}

static int letters(const char *word, int length)
{
    int n = 0;
    for (int i = 0; i < length; i++)
        n += isalnum((unsigned char)word[i]) != 0;
    return n;
}

static const char *near_in(ifd_arena *arena, const char *names, const char *word)
{
    int length = (int)strlen(word);
    for (const char *w = *names ? names : NULL; w; w = next(w)) {
        int n = (int)strcspn(w, "|");
        if (letters(word, length) >= SHORTEST && letters(w, n) >= SHORTEST && one_slip(word, length, w, n))
            return ifd_arena_text_n(arena, w, (size_t)n);
    }
    return NULL;
}

const char *term_near(ifd_arena *arena, const char *names, const char *word)
{
    const char *near = near_in(arena, names, word);
    for (const term *t = terms; t->words && !near; t++)
        near = near_in(arena, t->words, word);
    return near;
}
