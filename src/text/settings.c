/* SPDX-License-Identifier: MIT */
/* A setting is a node of YAML. */
#include <interfield/settings.h>

#include <errno.h>
#include <stdlib.h>

#include "text/yaml.h"
#include "base/arena.h"

struct ifd_settings {
    ifd__yaml doc;
    const ifd_finding *before; /* the last finding of the note when the file was read */
};

static const ifd__node *node_of(const ifd_setting *s)
{
    return (const ifd__node *)s;
}

static const ifd_setting *setting_of(const ifd__node *n)
{
    return (const ifd_setting *)n;
}

ifd_status ifd_settings_read(ifd_arena *arena, const char *path, ifd_settings **out, ifd_note *note)
{
    ifd_settings *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->before = note ? note->last : NULL;
    *out = s;
    return ifd__yaml_read_from(NULL, arena, path, &s->doc, note);
}

const ifd_setting *ifd_settings_root(const ifd_settings *s)
{
    return setting_of(s->doc.root);
}

ifd_status ifd_settings_end(const ifd_settings *s, ifd_note *note)
{
    const ifd_finding *f = note ? s->before ? s->before->next : note->first : NULL;
    if (note)
        ifd__yaml_source_lines(&s->doc, note);
    return f ? f->code : IFD_OK;
}

ifd_setting_kind ifd_setting_kind_of(const ifd_setting *s)
{
    static const ifd_setting_kind kind[] = {
        [IFD__SCALAR] = IFD_SETTING_SCALAR, [IFD__SEQUENCE] = IFD_SETTING_LIST, [IFD__MAPPING] = IFD_SETTING_MAP};
    return s ? kind[node_of(s)->kind] : IFD_SETTING_SCALAR;
}

const ifd_setting *ifd_setting_get(const ifd_setting *map, const char *key)
{
    return setting_of(ifd__yaml_get(node_of(map), key));
}

const ifd_setting *ifd_setting_first(const ifd_setting *s)
{
    return s ? setting_of(node_of(s)->first) : NULL;
}

const ifd_setting *ifd_setting_next(const ifd_setting *s)
{
    return s ? setting_of(node_of(s)->next) : NULL;
}

int ifd_setting_count(const ifd_setting *s)
{
    return s ? node_of(s)->count : 0;
}

const char *ifd_setting_key(const ifd_setting *s)
{
    return s ? node_of(s)->key : NULL;
}

const char *ifd_setting_text(const ifd_setting *s)
{
    return s && node_of(s)->kind == IFD__SCALAR ? node_of(s)->text : "";
}

ifd_place ifd_setting_place(const ifd_setting *s)
{
    return s ? node_of(s)->place : (ifd_place){0};
}

ifd_status ifd_setting_integer(const ifd_setting *s, long min, long max, long *out, ifd_note *note)
{
    if (!s)
        return IFD_OK;
    const ifd__node *n = node_of(s);
    const char *text = ifd_setting_text(s);
    char *end = NULL;
    errno = 0;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    long value = strtol(text, &end, hexadecimal ? 16 : 10);
    if (end == text || *end)
        return ifd_note_add(note, IFD_NUMBER, &n->place,
                            "'%s' is not a whole number, expected one such as 12 or 0x1f", text);
    if (errno || value < min || value > max)
        return ifd_note_add(note, IFD_RANGE, &n->place, "'%s' is outside %ld to %ld", text, min, max);
    *out = value;
    return IFD_OK;
}

ifd_status ifd_setting_params(ifd_arena *arena, const ifd_setting *map, ifd_setting_ask ask, ifd_value *values,
                              ifd_note *note)
{
    const ifd__settings how = {.map = node_of(map),
                               .params = ask.params,
                               .any = IFD_DIM_ANY,
                               .also = ask.also,
                               .what = ask.what,
                               .place = ifd_setting_place(map)};
    return ifd__yaml_params(arena, &how, values, note);
}
