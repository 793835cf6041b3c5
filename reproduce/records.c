/* SPDX-License-Identifier: MIT */
/* Recorded ground motions: none are shipped; the user may supply a folder with them. */
#include "reproduce.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
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

/* Whether a line has the word among its words: "ELCENTRO_1940_NS.AT2" has "NS"; "N-S" is "NS" too. */
static bool has_word(const char *in, const char *word)
{
    for (const char *p = in; *p;) {
        char text[64];
        size_t n = strcspn(p, " _.,;:()/\t\r\n");
        const char *one = p;
        char copy[128];
        snprintf(copy, sizeof copy, "%.*s", (int)n, one);
        plain(copy, text, sizeof text);
        if (strcasecmp(text, word) == 0)
            return true;
        p += n + (p[n] != '\0');
    }
    return false;
}

/* "NS", "EW" from the file's name or its first four lines; "" when neither tells. */
static const char *component_of(const char *path, const char *name)
{
    static const char *const known[] = {"NS", "EW", "UD", NULL};
    char head[512];
    FILE *f = fopen(path, "r");
    for (int i = 0; i < 5; i++) {
        const char *text = i == 0 ? name : f ? fgets(head, sizeof head, f) : NULL;
        for (int k = 0; text && known[k]; k++)
            if (has_word(text, known[k])) {
                if (f)
                    fclose(f);
                return known[k];
            }
    }
    if (f)
        fclose(f);
    return "";
}

static void judge_component(scene *s, const motion_wanted *m, const char *file, const char *component)
{
    const char *of = m->component ? scene_print(s, "the %c-%c component of ", m->component[0], m->component[1]) : "";
    if (!m->component || strcmp(component, m->component) == 0)
        chosen(s, "Ground motion: the record '%s' scaled to %s; in the paper: %s%s.", file, m->peak, of, m->printed);
    else
        changed(s, "the record '%s' (%s%s) in place of %s%s", file, *component ? "component " : "component not named",
                component, of, m->printed);
}

/* Burst k of two. The second begins 45 s later with 0.68 of the peak: the peak of the sum is that of the first. */
static const char *burst(scene *s, const char *peak, int k)
{
    char *unit;
    double size = strtod(peak, &unit) * (k ? 0.68 : 1.0);
    return scene_print(s,
                       "{kanai-tajimi: {seed: %d, peak: %g%s, duration: 60 s, rise: 10 s, decay: 30 s, "
                       "ground-frequency: 3 Hz, ground-damping: 0.6, filter-frequency: 0.2 Hz, filter-damping: 0.6, "
                       "correlation: 0.3, correlated-with: %d, start: %d s}}",
                       k ? 4 : 2, size, unit, k ? 3 : 1, k ? 45 : 0);
}

static const char *generated(scene *s, const motion_wanted *m, const char *peak)
{
    if (!m->bursts)
        return scene_print(s, "ground={motion: kanai-tajimi, peak: %s, direction: %s}", peak, m->direction);
    return scene_print(s, "ground={direction: %s, signal: [%s, %s]}", m->direction, burst(s, peak, 0),
                       burst(s, peak, 1));
}

const char *ground_scaled(scene *s, const motion_wanted *m, const char *peak)
{
    const char *file = find_record(s, m->word);
    if (!file)
        return generated(s, m, peak);
    char *whole = realpath(scene_print(s, "%s/%s", s->records, file), NULL);
    const char *set =
        whole ? scene_print(s, "ground={record: \"%s\", peak: %s, direction: %s}", whole, peak, m->direction) : NULL;
    free(whole);
    return set;
}

const char *ground_of(scene *s, const motion_wanted *m)
{
    const char *file = find_record(s, m->word), *set = ground_scaled(s, m, m->peak);
    if (!file)
        changed(s, "a generated ground motion%s in place of %s%s%s%s",
                m->bursts ? " of two bursts, 105 s (cases/two-components, N-S)" : "", m->printed,
                m->component ? " (component " : "", m->component ? m->component : "", m->component ? ")" : "");
    else if (set)
        judge_component(s, m, file, component_of(scene_print(s, "%s/%s", s->records, file), file));
    s->out->recorded = s->out->recorded || (file && set);
    return set;
}
