/* SPDX-License-Identifier: MIT */
/* Recorded ground motions: none are shipped; a folder of the user's may hold them. */
#include "reproduce.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Letters and digits only, lower case: "El_Centro 1940.AT2" is elcentro1940at2. */
static void plain(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; *name && n + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

static bool is_record(const char *name, const char *word)
{
    char text[256];
    const char *dot = strrchr(name, '.');
    plain(name, text, sizeof text);
    return dot && (strcasecmp(dot, ".at2") == 0 || strcasecmp(dot, ".csv") == 0) && strstr(text, word);
}

/* The first by name, so that the choice does not depend on the file system. */
static const char *find_record(scene *s, const char *word)
{
    const char *best = NULL;
    DIR *dir = s->records ? opendir(s->records) : NULL;
    if (!dir)
        return NULL;
    for (const struct dirent *e; (e = readdir(dir));)
        if (is_record(e->d_name, word) && (!best || strcmp(e->d_name, best) < 0))
            best = ifd_arena_text(s->a->arena, e->d_name);
    closedir(dir);
    return best;
}

const char *ground_of(scene *s, const char *word, const char *peak, const char *direction, const char *printed)
{
    const char *file = find_record(s, word);
    if (!file) {
        changed(s, "Ground motion: a generated one (Kanai-Tajimi) scaled to %s, in place of %s.", peak, printed);
        return ifd_arena_print(s->a->arena, "ground={motion: kanai-tajimi, peak: %s, direction: %s}", peak,
                               direction);
    }
    const char *path = ifd_arena_print(s->a->arena, "%s/%s", s->records, file);
    char *whole = path ? realpath(path, NULL) : NULL;
    const char *set = whole ? ifd_arena_print(s->a->arena, "ground={record: \"%s\", peak: %s, direction: %s}", whole,
                                              peak, direction)
                            : NULL;
    free(whole);
    chosen(s, "Ground motion: the record '%s' scaled to %s; the paper: %s.", file, peak, printed);
    return set;
}
