/* SPDX-License-Identifier: MIT */
/* Overrides: "a.b.2.c=value" is put into the tree before the tree is interpreted. */
#include "text/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct path {
    const char *what; /* "--set", or "set" of a file, in messages */
    ifd_place start;  /* of the assignment; the file "--set" is a copy for each, so that their addresses differ */
    const char *all;  /* the assignment */
    const char *step; /* the present step */
    int length;       /* of the step */
} path;

static ifd_place place_of(const path *p)
{
    return (ifd_place){p->start.file, p->start.line, p->start.column + (int)(p->step - p->all),
                       p->length > 0 ? p->length : 1};
}

/* "a|b|c" of the keys of a mapping; as many as fit. */
static void spell_keys(const ifd__node *map, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (const ifd__node *c = map->first; c && n < size; c = c->next)
        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "|" : "", c->key);
}

/* "write --set 'test.rig={udp: {port: 5000}}'": suggests an assignment of the whole value from `from` on. */
static void suggest(const path *p, const char *from, ifd_note *note)
{
    const char *equals = strchr(p->all, '=');
    char text[600];
    size_t n = 0, depth = 0;
    if (!equals || strlen(p->all) > 200)
        return;
    n += (size_t)snprintf(text, sizeof text, "%.*s=", (int)(from - p->all) - 1, p->all);
    for (const char *step = from, *end; step < equals; step = end + 1, depth++) {
        const char *dot = memchr(step, '.', (size_t)(equals - step));
        end = dot ? dot : equals;
        n += (size_t)snprintf(text + n, sizeof text - n, "{%.*s: ", (int)(end - step), step);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", equals + 1);
    for (; depth > 0; depth--)
        n += (size_t)snprintf(text + n, sizeof text - n, "}");
    ifd_note_hint(note, "write --set '%s'", text);
}

static ifd_status no_such_key(const path *p, const ifd__node *map, ifd_note *note)
{
    char keys[1500], key[64];
    ifd_place place = place_of(p);
    spell_keys(map, keys, sizeof keys);
    snprintf(key, sizeof key, "%.*s", p->length, p->step);
    ifd_note_add(note, IFD_UNKNOWN_NAME, &place, "%s: there is no '%.*s' in the case", p->what,
                 (int)(p->step - p->all) + p->length, p->all);
    ifd_choice_hint(note, keys, key);
    return IFD_UNKNOWN_NAME;
}

/* The item of a list with this name; NULL: none. */
static ifd__node *find_named(const path *p, const ifd__node *list)
{
    for (ifd__node *c = list->first; c; c = c->next) {
        const ifd__node *name = c->kind == IFD__MAPPING ? ifd__yaml_get(c, "name") : NULL;
        if (name && name->kind == IFD__SCALAR && strlen(name->text) == (size_t)p->length &&
            strncmp(name->text, p->step, (size_t)p->length) == 0)
            return c;
    }
    return NULL;
}

static ifd_status find_item(const path *p, const ifd__node *list, ifd__node **out, ifd_note *note)
{
    ifd_place place = place_of(p);
    int index = 0;
    for (int i = 0; i < p->length; i++) {
        if (!isdigit((unsigned char)p->step[i]) || index > 100000000) {
            *out = find_named(p, list);
            return *out ? IFD_OK
                        : ifd_note_add(note, IFD_UNKNOWN_NAME, &place,
                                       "%s: '%.*s' refers to a list and must be a number from 0 to %d, or the name "
                                       "of an item",
                                       p->what, p->length, p->step, list->count - 1);
        }
        index = 10 * index + (p->step[i] - '0');
    }
    ifd__node *c = list->first;
    for (int i = 0; c && i < index; i++)
        c = c->next;
    *out = c;
    if (!c)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, &place,
                            "%s: there is no item %d; the list has %d items, counted from 0", p->what, index,
                            list->count);
    return IFD_OK;
}

/* The child that the step names; *out is NULL if a mapping does not have it. */
static ifd_status find_child(const path *p, ifd__node *node, ifd__node **out, ifd_note *note)
{
    ifd_place place = place_of(p);
    *out = NULL;
    if (p->length == 0)
        return ifd_note_add(note, IFD_SYNTAX, &place, "%s: a name is missing between the dots", p->what);
    if (node->kind == IFD__SEQUENCE)
        return find_item(p, node, out, note);
    if (node->kind == IFD__SCALAR) {
        ifd_note_add(note, IFD_SHAPE, &place, "%s: '%.*s' is the value '%.60s' and contains nothing", p->what,
                     (int)(p->step - p->all) - 1, p->all, node->text);
        suggest(p, p->step, note);
        return IFD_SHAPE;
    }
    for (ifd__node *c = node->first; c; c = c->next)
        if (strlen(c->key) == (size_t)p->length && strncmp(c->key, p->step, (size_t)p->length) == 0)
            *out = c;
    return IFD_OK;
}

/* Moves the positions of a separately parsed value to its position in the assignment. */
static void shift(ifd__node *node, int columns, int depth)
{
    if (node->place.line == 1)
        node->place.column += columns;
    if (node->key_place.line == 1)
        node->key_place.column += columns;
    for (ifd__node *c = node->first; c && depth < IFD__YAML_DEPTH; c = c->next)
        shift(c, columns, depth + 1);
}

static ifd_status parse_value(ifd__yaml *doc, const path *p, const char *value, ifd__node **out, ifd_note *note)
{
    const ifd__source source = {NULL, p->start.file, value, strlen(value)};
    int column = (int)(value - p->all) + 1;
    ifd_place place = {p->start.file, 1, column, 1};
    ifd_finding *before = note ? note->last : NULL;
    ifd_status status = ifd__yaml_parse(doc, &source, out, note);
    ifd_finding *added = note ? (before ? before->next : note->first) : NULL;
    for (; added; added = added->next)
        added->place.column += column - 1;
    IFD_TRY(status);
    if (*out)
        shift(*out, column - 1, 0);
    else
        *out = ifd__node_make(doc, IFD__SCALAR, &place);
    return *out ? IFD_OK : ifd_note_add(note, IFD_NO_MEMORY, &place, "no memory for --set");
}

/* Replaces the value of old by that of node. */
static void replace(ifd__node *old, const ifd__node *node)
{
    const ifd__node where = *old;
    *old = *node;
    old->key = where.key;
    old->key_place = node->place;
    old->index = where.index;
    old->parent = where.parent;
    old->next = where.next;
    for (ifd__node *c = old->first; c; c = c->next)
        c->parent = old;
}

static ifd_status add(ifd__yaml *doc, const path *p, ifd__node *map, ifd__node *node, ifd_note *note)
{
    node->key = ifd__node_text(doc, p->step, (size_t)p->length);
    node->key_place = place_of(p);
    if (!node->key)
        return ifd_note_add(note, IFD_NO_MEMORY, &node->key_place, "no memory for --set");
    if (node->kind != IFD__SCALAR)
        node->place = node->key_place;
    ifd__node_append(map, node);
    return IFD_OK;
}

/* `method: lsrt2` becomes `method: {lsrt2: {}}` if method.lsrt2.gamma is set. */
static ifd_status open_name(ifd__yaml *doc, const path *p, ifd__node *node, ifd_note *note)
{
    bool named = node->kind == IFD__SCALAR && !node->quoted && p->length > 0 &&
                 strlen(node->text) == (size_t)p->length && strncmp(node->text, p->step, (size_t)p->length) == 0;
    if (!named || p->step[p->length] != '.')
        return IFD_OK;
    ifd__node *inner = ifd__node_make(doc, IFD__MAPPING, &node->place);
    if (!inner)
        return ifd_note_add(note, IFD_NO_MEMORY, &node->place, "no memory for --set");
    inner->key = node->text;
    inner->key_place = node->place;
    node->kind = IFD__MAPPING;
    node->text = "";
    ifd__node_append(node, inner);
    return IFD_OK;
}

/* Walks to the last step; *child is NULL if the last step is a new key of *map. */
static ifd_status walk(ifd__yaml *doc, path *p, const char *end, ifd__node **map, ifd__node **child, ifd_note *note)
{
    ifd__node *node = doc->root;
    for (p->step = p->all;; p->step += p->length + 1) {
        const char *dot = memchr(p->step, '.', (size_t)(end - p->step));
        p->length = (int)((dot ? dot : end) - p->step);
        *map = node;
        IFD_TRY(open_name(doc, p, node, note));
        IFD_TRY(find_child(p, node, child, note));
        if (!dot)
            return IFD_OK;
        if (!*child)
            return no_such_key(p, node, note);
        node = *child;
    }
}

ifd_status ifd__yaml_set(ifd__yaml *doc, const char *assignment, ifd_note *note)
{
    path p = {.what = "--set",
              .start = {ifd_arena_text(doc->arena, "--set"), 1, 1, 1},
              .all = ifd_arena_text(doc->arena, assignment)};
    if (!p.start.file || !p.all || ifd__yaml_source(doc, p.start.file, p.all, strlen(p.all)) != IFD_OK)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "no memory for --set");
    const char *equals = strchr(p.all, '=');
    ifd__node *map, *child, *value;
    if (!equals || equals == p.all)
        return ifd_note_add(note, IFD_SYNTAX, &(ifd_place){p.start.file, 1, 1, (int)strlen(p.all)},
                            "--set '%s' does not have the form key.sub=value", assignment);
    IFD_TRY(walk(doc, &p, equals, &map, &child, note));
    IFD_TRY(parse_value(doc, &p, equals + 1, &value, note));
    if (!child)
        return add(doc, &p, map, value, note);
    replace(child, value);
    return IFD_OK;
}

ifd_status ifd__yaml_set_node(ifd__yaml *doc, const ifd__node *item, ifd_note *note)
{
    path p = {.what = "set", .start = item->key_place, .all = item->key};
    ifd__node *map, *child, *value = ifd__node_copy(doc, item, 0);
    if (!value)
        return ifd_note_add(note, IFD_NO_MEMORY, &item->place, "no memory for 'set'");
    IFD_TRY(walk(doc, &p, item->key + strlen(item->key), &map, &child, note));
    if (!child)
        return add(doc, &p, map, value, note);
    replace(child, value);
    return IFD_OK;
}
