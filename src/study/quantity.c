/* SPDX-License-Identifier: MIT */
/* Reads numbers of any unit, and writes values as YAML. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "study/study.h"

/* A member as an ordinary case file. */

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
    char *full IFD__FREED = v.file ? realpath(v.file[index], NULL) : NULL;
    return full ? ifd_arena_print(arena, "%s=%s", v.key[k], ifd__quoted(arena, full))
                : ifd__variable_setting(arena, &v, k, value);
}

const char *ifd_study_case(ifd_arena *arena, const ifd_study *s, long number, const double *value, const char *path)
{
    char *text IFD__FREED = NULL, *base IFD__FREED = realpath(s->base, NULL);
    size_t length;
    FILE *to = base ? open_memstream(&text, &length) : NULL;
    (void)path;
    bool good = true;
    if (!to)
        return NULL;
    const char *title = ifd_arena_print(arena, "%s, member %ld", s->title, number);
    fprintf(to, "# Member %ld of the study %s\n", number, s->path);
    fprintf(to, "title: %s\n", title ? ifd__quoted(arena, title) : "");
    fprintf(to, "include: %s\nset:\n", ifd__quoted(arena, base));
    for (int i = 0; i < s->sets; i++)
        put_setting(to, s->set[i]);
    for (int i = 0; i < s->variables; i++)
        for (int k = 0; k < s->variable[i].keys && good; k++) {
            const char *setting = setting_of(arena, s, i, k, value[i]);
            good = setting != NULL;
            if (good)
                put_setting(to, setting);
        }
    return fclose(to) == 0 && good ? ifd_arena_text_n(arena, text, length) : NULL;
}

/* The number at the start of a text, and its unit. */
static bool split(const char *text, double *number, const char **rest, ifd__unit *unit)
{
    const char *at = text;
    char bad[64];
    if (!ifd__number_read(&at, text + strlen(text), number))
        return false;
    *rest = at;
    while (isspace((unsigned char)*at))
        at++;
    return ifd__unit_parse(at, unit, bad);
}

bool ifd__quantity_of(const ifd__node *node, double *out)
{
    ifd__unit unit;
    const char *rest;
    if (node->kind != IFD__SCALAR || node->quoted || !split(node->text, out, &rest, &unit))
        return false;
    *out *= unit.factor;
    return true;
}

ifd__with_unit ifd__unit_of(const ifd__node *node, ifd__unit *out)
{
    const char *rest;
    double number;
    if (node->kind != IFD__SCALAR || node->quoted || !split(node->text, &number, &rest, out))
        return IFD__NO_NUMBER;
    return rest[strspn(rest, " \t")] ? IFD__WITH_UNIT : IFD__NO_UNIT;
}

static const char *suffix_of(const ifd__unit *u)
{
    bool rate = u->m == 0 && u->kg == 0 && u->s == -1;
    return rate && u->rad == 1 ? " rad/s" : rate && u->cycle == 1 ? " Hz" : "";
}

bool ifd__base_read(ifd_arena *arena, const ifd__node *node, ifd__base_number *out)
{
    ifd__unit unit;
    const char *rest;
    if (!node || node->kind != IFD__SCALAR || !split(node->text, &out->number, &rest, &unit))
        return false;
    out->si = out->number * unit.factor;
    out->unit = ifd_arena_text(arena, rest);
    out->suffix = suffix_of(&unit);
    return out->unit != NULL;
}

const char *ifd__unit_suffix(const ifd__node *node)
{
    ifd__unit unit;
    const char *rest;
    double number;
    if (node->kind == IFD__SCALAR)
        return split(node->text, &number, &rest, &unit) ? suffix_of(&unit) : "";
    for (const ifd__node *i = node->first; i; i = i->next)
        if (i->kind == IFD__SCALAR && *ifd__unit_suffix(i))
            return ifd__unit_suffix(i);
    return "";
}

void ifd__same_units(ifd__reader *r, const ifd__node *map, const char *keys)
{
    ifd__unit first = {0}, unit;
    const char *rest, *of = NULL;
    double number;
    for (const ifd__node *i = map->first; i; i = i->next) {
        if (ifd_choice_find(keys, i->key) < 0 || i->kind != IFD__SCALAR || !split(i->text, &number, &rest, &unit))
            continue;
        if (of && (unit.m != first.m || unit.kg != first.kg || unit.s != first.s))
            ifd_note_add(r->note, IFD_UNIT, &i->place,
                         "'%s' is %s and '%s' has another unit: expected equal dimensions", i->key, i->text, of);
        first = of ? first : unit;
        of = of ? of : i->key;
    }
}

const char *ifd__quoted(ifd_arena *arena, const char *text)
{
    char *out = ifd_arena_take(arena, 2 * strlen(text) + 3), *p = out;
    if (!out)
        return NULL;
    *p++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *p++ = '\\';
        *p++ = *text;
    }
    *p++ = '"';
    return out;
}

static const char *scalar_text(ifd_arena *arena, const ifd__node *node)
{
    bool plain = !node->quoted && node->text[0] && !strpbrk(node->text, ":#{}[],&*!|>'\"%@`\n\\") &&
                 !strchr("-? ", node->text[0]);
    double number;
    return plain || ifd__quantity_of(node, &number) ? node->text : ifd__quoted(arena, node->text);
}

const char *ifd__flow_text(ifd_arena *arena, const ifd__node *node)
{
    if (node->kind == IFD__SCALAR)
        return scalar_text(arena, node);
    bool map = node->kind == IFD__MAPPING;
    const char *text = map ? "{" : "[";
    for (const ifd__node *i = node->first; i && text; i = i->next) {
        const char *value = ifd__flow_text(arena, i);
        text = value ? ifd_arena_print(arena, "%s%s%s%s%s", text, i == node->first ? "" : ", ", map ? i->key : "",
                                       map ? ": " : "", value)
                     : NULL;
    }
    return text ? ifd_arena_print(arena, "%s%s", text, map ? "}" : "]") : NULL;
}

const ifd__node *ifd__at_path(const ifd__node *root, const char *path)
{
    char step[128];
    for (const ifd__node *node = root;; path++) {
        size_t n = strcspn(path, ".");
        if (!node || n == 0 || n >= sizeof step)
            return NULL;
        memcpy(step, path, n);
        step[n] = '\0';
        char *end;
        long index = strtol(step, &end, 10);
        node = node->kind == IFD__MAPPING             ? ifd__yaml_get(node, step)
               : node->kind == IFD__SEQUENCE && !*end ? ifd__yaml_item(node, (int)index)
                                                      : NULL;
        path += n;
        if (!*path)
            return node;
    }
}
