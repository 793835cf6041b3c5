/* SPDX-License-Identifier: MIT */
/* The shape of a study as text, for its journal: a word and fields separated by tabs on each line, then the study
 * file. */
#include <stdlib.h>
#include <string.h>

#include <interfield/version.h>

#include "algebra/kernels.h"
#include "study/store.h"

/* A field: without tab and line end. */
static const char *field(ifd_arena *arena, const char *text)
{
    char *out = ifd_arena_text(arena, text ? text : "");
    for (char *p = out; p && *p; p++)
        if (*p == '\t' || *p == '\n')
            *p = ' ';
    return out ? out : "";
}

static void put_variables(FILE *to, ifd_arena *arena, const ifd_study *s)
{
    for (int i = 0; i < s->variables; i++) {
        fprintf(to, "variable\t%s\t%d\n", field(arena, s->shown[i].name), s->shown[i].choices);
        for (int k = 0; k < s->shown[i].choices; k++)
            fprintf(to, "choice\t%s\n", field(arena, s->shown[i].choice[k]));
    }
}

/* Whether a list of words contains a word. */
static bool contains(const char *list, const char *word, size_t length)
{
    for (const char *p = list; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n == length && strncmp(p, word, n) == 0)
            return true;
        p += n;
    }
    return false;
}

const char *ifd__kernels_join(ifd_arena *arena, const char *a, const char *b)
{
    const char *all = a;
    for (const char *p = b; *p && all; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (!contains(all, p, n)) {
            const char *after = all; /* the first word that is larger */
            while (*after && strncmp(after, p, n) < 0) {
                after += strcspn(after, " ");
                after += strspn(after, " ");
            }
            int before = (int)(after - all);
            all = *after ? ifd_arena_print(arena, "%.*s%.*s %s", before, all, (int)n, p, after)
                         : ifd_arena_print(arena, "%s %.*s", all, (int)n, p);
        }
        p += n;
    }
    return all;
}

static const char *own_kernels(const ifd_study *s)
{
    const char *name = ifd__kernels_best()->name;
    if (!s->ensemble)
        return name;
    return strcmp(name, "avx512") == 0 ? "ensemble-avx512"
           : strcmp(name, "avx2") == 0 ? "ensemble-avx2"
                                       : "ensemble-plain";
}

const char *ifd_study_kernels(const ifd_study *s)
{
    return s->kernels ? s->kernels : own_kernels(s);
}

ifd_status ifd_study_kernels_add(ifd_study *s, const char *names)
{
    const char *all = ifd__kernels_join(s->arena, ifd_study_kernels(s), names);
    s->kernels = all ? all : s->kernels;
    return all ? IFD_OK : IFD_NO_MEMORY;
}

uint64_t ifd_study_hash(const ifd_study *s)
{
    return s->hash;
}

const char *ifd__shape_write(ifd_arena *arena, const ifd_study *s)
{
    char *text IFD__FREED = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return NULL;
    fprintf(to, "version\t%s\npath\t%s\ntitle\t%s\n", s->version ? s->version : ifd_version(), field(arena, s->path),
            field(arena, s->title));
    fprintf(to, "every\t%d\nkernels\t%s\n", s->every, ifd_study_kernels(s));
    put_variables(to, arena, s);
    for (int i = 0; i < s->scalars; i++)
        fprintf(to, "scalar\t%s\t%s\t%s\t%s\n", field(arena, s->scalar[i].name), s->scalar[i].reduction,
                field(arena, s->scalar[i].column), field(arena, s->scalar[i].unit));
    for (int i = 0; i < s->histories; i++)
        fprintf(to, "history\t%s\t%s\n", field(arena, s->history[i].name), field(arena, s->history[i].unit));
    fprintf(to, "text\n%s", s->text);
    return fclose(to) == 0 ? ifd_arena_text_n(arena, text, length) : NULL;
}

/* One line, cut into fields in place; NULL at the end. */
typedef struct line {
    char *field[5];
    int fields;
} line;

static bool next_line(char **at, line *out)
{
    char *end = strchr(*at, '\n');
    if (!end)
        return false;
    *end = '\0';
    out->fields = 0;
    for (char *p = *at; p && out->fields < 5;) {
        char *tab = strchr(p, '\t');
        if (tab)
            *tab = '\0';
        out->field[out->fields++] = p;
        p = tab ? tab + 1 : NULL;
    }
    for (int i = out->fields; i < 5; i++)
        out->field[i] = end;
    *at = end + 1;
    return true;
}

static bool take_variable(ifd_arena *arena, ifd_study *s, const line *l, char **at)
{
    if (s->variables == IFD_STUDY_VARIABLES)
        return false;
    ifd_study_variable *v = &s->shown[s->variables++];
    *v = (ifd_study_variable){.name = l->field[1], .choices = atoi(l->field[2])};
    const char **choice =
        v->choices >= 0 && v->choices < 1 << 24 ? ifd_arena_array(arena, (size_t)v->choices, sizeof *choice) : NULL;
    line next;
    for (int k = 0; k < v->choices && choice; k++) {
        if (!next_line(at, &next) || strcmp(next.field[0], "choice") != 0)
            return false;
        choice[k] = next.field[1];
    }
    v->choice = choice;
    return choice != NULL;
}

static bool take(ifd_arena *arena, ifd_study *s, const line *l, char **at)
{
    const char *word = l->field[0];
    if (strcmp(word, "variable") == 0)
        return take_variable(arena, s, l, at);
    if (strcmp(word, "scalar") == 0 && s->scalars < IFD__STUDY_KEPT)
        s->scalar[s->scalars++] = (ifd_study_kept){l->field[1], l->field[2], l->field[3], l->field[4]};
    else if (strcmp(word, "history") == 0 && s->histories < IFD__STUDY_KEPT)
        s->history[s->histories++] = (ifd_study_kept){l->field[1], NULL, l->field[1], l->field[2]};
    else if (strcmp(word, "version") == 0)
        s->version = l->field[1];
    else if (strcmp(word, "kernels") == 0)
        s->kernels = l->field[1];
    else if (strcmp(word, "path") == 0)
        s->path = l->field[1];
    else if (strcmp(word, "title") == 0)
        s->title = l->field[1];
    else if (strcmp(word, "every") == 0)
        s->every = atoi(l->field[1]);
    else
        return false;
    return true;
}

bool ifd__shape_read(ifd_arena *arena, const char *text, ifd_study *s)
{
    char *at = ifd_arena_text(arena, text);
    line l;
    s->shown = ifd_arena_array(arena, IFD_STUDY_VARIABLES, sizeof *s->shown);
    s->scalar = ifd_arena_array(arena, IFD__STUDY_KEPT, sizeof *s->scalar);
    s->history = ifd_arena_array(arena, IFD__STUDY_KEPT, sizeof *s->history);
    s->version = s->path = s->title = s->kernels = "";
    if (!at || !s->shown || !s->scalar || !s->history)
        return false;
    while (next_line(&at, &l)) {
        if (strcmp(l.field[0], "text") == 0) {
            s->text = at;
            return true;
        }
        if (!take(arena, s, &l, &at))
            return false;
    }
    return false;
}
