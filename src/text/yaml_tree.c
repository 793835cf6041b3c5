/* SPDX-License-Identifier: MIT */
/* Makes and joins nodes of YAML. */
#include "text/yaml_tree.h"

#include <string.h>

enum { NODE_BLOCK = 128, TEXT_BLOCK = 1 << 14 };

struct ifd__yaml_pool {
    ifd__node *node;
    int nodes_left;
    char *text;
    size_t text_left;
};

static struct ifd__yaml_pool *pool_of(ifd__yaml *doc)
{
    if (!doc->pool)
        doc->pool = ifd_arena_take(doc->arena, sizeof *doc->pool);
    return doc->pool;
}

ifd__node *ifd__node_make(ifd__yaml *doc, ifd__node_kind kind, const ifd_place *place)
{
    struct ifd__yaml_pool *pool = pool_of(doc);
    if (!pool || doc->nodes >= IFD__YAML_NODES)
        return NULL;
    if (pool->nodes_left == 0) {
        pool->node = ifd_arena_array(doc->arena, NODE_BLOCK, sizeof *pool->node);
        if (!pool->node)
            return NULL;
        pool->nodes_left = NODE_BLOCK;
    }
    pool->nodes_left--;
    doc->nodes++;
    ifd__node *node = pool->node++;
    node->kind = kind;
    node->text = "";
    node->place = *place;
    return node;
}

const char *ifd__node_text(ifd__yaml *doc, const char *text, size_t length)
{
    struct ifd__yaml_pool *pool = pool_of(doc);
    if (!pool)
        return NULL;
    if (length + 1 > TEXT_BLOCK / 8)
        return ifd_arena_text_n(doc->arena, text, length);
    if (pool->text_left < length + 1) {
        pool->text = ifd_arena_take(doc->arena, TEXT_BLOCK);
        pool->text_left = pool->text ? TEXT_BLOCK : 0;
        if (!pool->text)
            return NULL;
    }
    char *copy = pool->text;
    if (length)
        memcpy(copy, text, length);
    pool->text += length + 1;
    pool->text_left -= length + 1;
    return copy;
}

ifd__node *ifd__node_copy(ifd__yaml *doc, const ifd__node *node, int depth)
{
    ifd__node *copy = depth < IFD__YAML_DEPTH ? ifd__node_make(doc, node->kind, &node->place) : NULL;
    if (!copy)
        return NULL;
    copy->text = node->text;
    copy->quoted = node->quoted;
    for (const ifd__node *child = node->first; child; child = child->next) {
        ifd__node *c = ifd__node_copy(doc, child, depth + 1);
        if (!c)
            return NULL;
        c->key = child->key;
        c->key_place = child->key_place;
        ifd__node_append(copy, c);
    }
    return copy;
}

void ifd__node_append(ifd__node *parent, ifd__node *child)
{
    child->parent = parent;
    child->next = NULL;
    child->index = parent->count++;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

void ifd__node_remove(ifd__node *parent, ifd__node *child)
{
    ifd__node *before = NULL;
    for (ifd__node *c = parent->first; c && c != child; c = c->next)
        before = c;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child)
        parent->last = before;
    parent->count--;
    child->next = NULL;
    child->parent = NULL;
}

void ifd__node_absorb(ifd__node *map, ifd__node *from)
{
    for (ifd__node *child = from->first, *next; child; child = next) {
        next = child->next;
        if (!ifd__yaml_get(map, child->key))
            ifd__node_append(map, child);
    }
    from->first = from->last = NULL;
    from->count = 0;
}

ifd_status ifd__yaml_source(ifd__yaml *doc, const char *file, const char *text, size_t length)
{
    ifd__source *source = ifd_arena_take(doc->arena, sizeof *source);
    if (!source)
        return IFD_NO_MEMORY;
    *source = (ifd__source){doc->sources, file, text, length};
    doc->sources = source;
    return IFD_OK;
}

/* By address first: several overrides have the same name. */
static const ifd__source *source_of(const ifd__yaml *doc, const char *file)
{
    for (const ifd__source *s = doc->sources; s; s = s->next)
        if (s->file == file)
            return s;
    for (const ifd__source *s = doc->sources; s; s = s->next)
        if (strcmp(s->file, file) == 0)
            return s;
    return NULL;
}

/* One line of a source; NULL if it does not exist. */
static const char *line_of(const ifd__yaml *doc, const ifd_place *place)
{
    const ifd__source *s = source_of(doc, place->file);
    if (!s)
        return NULL;
    const ifd__file file = {.text = s->text, .length = s->length};
    ifd__lines lines = ifd__lines_of(&file);
    const char *first, *last;
    while (ifd__lines_next(&lines, &first, &last))
        if (lines.number == place->line)
            return ifd_arena_text_n(doc->arena, first, (size_t)(last - first));
    return NULL;
}

static void show_lines(const ifd__yaml *doc, ifd_finding *f)
{
    for (; f; f = f->next)
        if (!f->source && f->place.file && f->place.line > 0)
            f->source = line_of(doc, &f->place);
}

void ifd__yaml_source_lines(const ifd__yaml *doc, ifd_note *note)
{
    if (!note)
        return;
    show_lines(doc, note->first);
    show_lines(doc, note->remark_first);
}
