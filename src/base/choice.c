/* SPDX-License-Identifier: MIT */
/* Choices are one constant string, such as "half-sine|rectangle". */
#include <interfield/param.h>

#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 }; /* longer words are not compared for suggestions */

static size_t choice_length(const char *choice)
{
    return strcspn(choice, "|");
}

static const char *choice_next(const char *choice)
{
    choice += choice_length(choice);
    return *choice ? choice + 1 : NULL;
}

int ifd_choice_find(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int i = 0;
    for (const char *c = choices; c; c = choice_next(c), i++)
        if (length && choice_length(c) == length && strncmp(c, word, length) == 0)
            return i;
    return -1;
}

static int least(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static bool same(char a, char b)
{
    if (a >= 'A' && a <= 'Z')
        a = (char)(a + ('a' - 'A'));
    if (b >= 'A' && b <= 'Z')
        b = (char)(b + ('a' - 'A'));
    return a == b || ((a == '_' || a == ' ') && b == '-');
}

/* Number of edits (insert, remove, replace, swap of neighbours) from a to b. Differences of case and kind of dash
 * count zero. */
static int distance(const char *a, int na, const char *b, int nb)
{
    int row[3][LONGEST + 1];
    for (int j = 0; j <= nb; j++)
        row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            now[j] = least(last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

/* A choice is near if at most a third of its letters must change. If one word is the beginning of the other (stiff,
 * stiffness) and has three letters or more, the distance counts as one edit. */
static int nearness(const char *choice, int nc, const char *word, int nw)
{
    if (nc > LONGEST || nw > LONGEST || nc == 0 || nw == 0)
        return -1;
    int d = distance(word, nw, choice, nc), common = nw < nc ? nw : nc;
    if (common >= 3 && strncmp(choice, word, (size_t)common) == 0 && d > 1)
        return 1;
    int limit = nw < nc ? nc : nw;
    limit = limit < 3 ? 1 : (limit + 1) / 3;
    return d <= limit && d < nc ? d : -1;
}

bool ifd_choice_nearest(const char *choices, const char *word, char *out, int out_size)
{
    int best = LONGEST + 1;
    out[0] = '\0';
    for (const char *c = choices; c; c = choice_next(c)) {
        int nc = (int)choice_length(c), d = nearness(c, nc, word, (int)strlen(word));
        if (d >= 0 && d < best && nc < out_size) {
            best = d;
            snprintf(out, (size_t)out_size, "%.*s", nc, c);
        }
    }
    return out[0] != '\0';
}

/* Writes "a|b" as "a, b", truncated if it does not fit. */
static void spell(const char *choices, char *out, size_t size)
{
    size_t n = 0;
    for (const char *c = choices; *c && n + 2 < size; c++) {
        out[n++] = *c == '|' ? ',' : *c;
        if (*c == '|')
            out[n++] = ' ';
    }
    out[n] = '\0';
}

void ifd_choice_hint(ifd_note *note, const char *choices, const char *word)
{
    char near[LONGEST + 2], known[1600];
    spell(choices, known, sizeof known);
    if (ifd_choice_nearest(choices, word, near, (int)sizeof near))
        ifd_note_hint(note, "did you mean '%s'?\nknown: %s", near, known);
    else
        ifd_note_hint(note, "known: %s", known);
}

ifd_status ifd_choice_note(ifd_note *note, const ifd_place *place, const char *what, const char *name,
                           const char *choices, const char *word)
{
    ifd_note_add(note, IFD_UNKNOWN_CHOICE, place, "%s: '%s' is '%s', which is not among the choices", what, name,
                 word);
    ifd_choice_hint(note, choices, word);
    return IFD_UNKNOWN_CHOICE;
}
