/* SPDX-License-Identifier: MIT */
/* A member as an ordinary case file. */
#include <stdlib.h>
#include <string.h>

#include "study/study.h"

/* "key: value" of a setting "key=value". */
static void put_setting(FILE *to, const char *setting)
{
    const char *equals = strchr(setting, '=');
    fprintf(to, "  %.*s: %s\n", (int)(equals - setting), setting, equals + 1);
}

/* Files of variables by their full paths: the case may be in any folder. */
static const char *setting_of(ifd_arena *arena, const ifd_study *s, int i, int k, double value)
{
    ifd__variable v = s->variable[i];
    int index = v.file && value >= 0 && value < v.items ? (int)value : 0;
    char *full = v.file ? realpath(v.file[index], NULL) : NULL;
    const char *text = full ? ifd_arena_print(arena, "%s=%s", v.key[k], ifd__quoted(arena, full))
                            : ifd__variable_setting(arena, &v, k, value);
    free(full);
    return text;
}

const char *ifd_study_case(ifd_arena *arena, const ifd_study *s, long number, const double *value, const char *path)
{
    char *text = NULL, *base = realpath(s->base, NULL);
    size_t length;
    FILE *to = base ? open_memstream(&text, &length) : NULL;
    (void)path;
    bool good = to != NULL;
    if (to) {
        const char *title = ifd_arena_print(arena, "%s, member %ld", s->title, number);
        fprintf(to, "# Member %ld of the study %s\n", number, s->path);
        fprintf(to, "title: %s\n", title ? ifd__quoted(arena, title) : "");
        fprintf(to, "include: %s\nset:\n", ifd__quoted(arena, base));
        for (int i = 0; i < s->sets; i++)
            put_setting(to, s->set[i]);
        for (int i = 0; i < s->variables && good; i++)
            for (int k = 0; k < s->variable[i].keys && good; k++) {
                const char *setting = setting_of(arena, s, i, k, value[i]);
                good = setting != NULL;
                if (good)
                    put_setting(to, setting);
            }
        good = fclose(to) == 0 && good;
    }
    const char *copy = good ? ifd_arena_text_n(arena, text, length) : NULL;
    free(text);
    free(base);
    return copy;
}
