/* SPDX-License-Identifier: MIT */
/* Makes nodes from the events of libfyaml. Only this file uses types of libfyaml. */
#include <ctype.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "text/bundle.h"
#include "base/arena.h"
#include "text/yaml.h"

/* Makes and joins nodes of YAML. */

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

static void node_remove(ifd__node *parent, ifd__node *child)
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

/* Moves the children of from into map if map does not have their keys. */
static void node_absorb(ifd__node *map, ifd__node *from)
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
    ifd__source *source;
    IFD_TRY(IFD__TAKE(doc->arena, IFD__ARRAY(source, 1)));
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

typedef struct anchor {
    struct anchor *next;
    const char *name;
    const ifd__node *node;
    bool complete; /* the end of the container has been read */
} anchor;

typedef struct builder {
    ifd__yaml *doc;
    const ifd__source *source;
    ifd_note *note;
    ifd__node *open[IFD__YAML_DEPTH]; /* containers that have not ended, outermost first */
    int depth;
    ifd__node *root;
    const char *key; /* its value has not been read yet */
    ifd_place key_place;
    anchor *anchors;
    bool ended;        /* the document has ended */
    ifd_status status; /* of the first error that does not stop reading */
} builder;

static ifd_place place_of(const builder *b, struct fy_token *token)
{
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
    ifd_place place = {b->source->file, 1, 1, 1};
    if (!start)
        return b->key ? b->key_place : b->depth ? b->open[b->depth - 1]->place : place;
    place.line = start->line + 1;
    place.column = start->column + 1;
    if (end && end->line == start->line && end->column > start->column)
        place.width = end->column - start->column;
    return place;
}

static ifd_status no_memory(builder *b, const ifd_place *place)
{
    if (b->doc->nodes >= IFD__YAML_NODES)
        return ifd_note_add(b->note, IFD_TOO_LARGE, place, "the file has more than %d values", IFD__YAML_NODES);
    return ifd_note_add(b->note, IFD_NO_MEMORY, place, "no memory for the values of a file");
}

static const char *token_text(builder *b, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : "";
    return text ? ifd__node_text(b->doc, text, length) : "";
}

/* Adds a node at the position of the parser: as root, as the value of the last key, or after the last item. */
static ifd_status put(builder *b, ifd__node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return IFD_OK;
    }
    ifd__node *parent = b->open[b->depth - 1];
    if (parent->kind == IFD__MAPPING) {
        node->key = b->key;
        node->key_place = b->key_place;
        if (node->kind != IFD__SCALAR)
            node->place = b->key_place;
        b->key = NULL;
    }
    ifd__node_append(parent, node);
    return IFD_OK;
}

static ifd_status remember(builder *b, struct fy_token *name, const ifd__node *node, bool complete)
{
    if (!name)
        return IFD_OK;
    anchor *a = ifd_arena_take(b->doc->arena, sizeof *a);
    const char *text = token_text(b, name);
    if (!a || !text)
        return no_memory(b, &node->place);
    *a = (anchor){b->anchors, text, node, complete};
    b->anchors = a;
    return IFD_OK;
}

static bool wants_key(const builder *b)
{
    return b->depth && b->open[b->depth - 1]->kind == IFD__MAPPING && !b->key;
}

static ifd_status no_tag(builder *b, struct fy_token *tag)
{
    if (!tag)
        return IFD_OK;
    ifd_place place = place_of(b, tag);
    return ifd_note_add(b->note, IFD_SYNTAX, &place, "tags (!name) are not used in case files");
}

/* Escapes such as "\e" could write control characters to the terminal that shows a name or title. */
static bool controls(const char *text)
{
    for (const unsigned char *u = (const unsigned char *)text; *u; u++)
        if (*u != '\n' && *u != '\t' && ifd__control_size(u))
            return true;
    return false;
}

static ifd_status on_scalar(builder *b, const struct fy_event *e)
{
    struct fy_token *value = e->scalar.value;
    ifd_place place = place_of(b, value);
    enum fy_scalar_style style = value ? fy_token_scalar_style(value) : FYSS_PLAIN;
    IFD_TRY(no_tag(b, e->scalar.tag));
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) { /* the mark is past the quote */
        place.column -= place.column > 1;
        place.width += 2;
    }
    const char *text = token_text(b, value);
    if (!text)
        return no_memory(b, &place);
    if (controls(text))
        return ifd_note_add(b->note, IFD_SYNTAX, &place,
                            "a control character in a text: expected letters, digits, signs, tabs and line ends");
    if (style == FYSS_PLAIN && !*text) /* since libfyaml 0.8 an empty value has a token after the colon */
        place = place_of(b, NULL);
    if (wants_key(b)) {
        b->key = text;
        b->key_place = place;
        return IFD_OK;
    }
    ifd__node *node = ifd__node_make(b->doc, IFD__SCALAR, &place);
    if (!node)
        return no_memory(b, &place);
    node->text = text;
    node->quoted = style != FYSS_PLAIN;
    IFD_TRY(remember(b, e->scalar.anchor, node, true));
    return put(b, node);
}

static ifd_status on_start(builder *b, ifd__node_kind kind, struct fy_token *start, struct fy_token *tag,
                           struct fy_token *name)
{
    ifd_place place = place_of(b, start);
    IFD_TRY(no_tag(b, tag));
    if (wants_key(b))
        return ifd_note_add(b->note, IFD_SYNTAX, &place, "a key must be a word, not a list or a mapping");
    if (b->depth == IFD__YAML_DEPTH)
        return ifd_note_add(b->note, IFD_TOO_LARGE, &place, "nesting is deeper than %d levels", IFD__YAML_DEPTH);
    ifd__node *node = ifd__node_make(b->doc, kind, &place);
    if (!node)
        return no_memory(b, &place);
    IFD_TRY(remember(b, name, node, false));
    IFD_TRY(put(b, node));
    b->open[b->depth++] = node;
    return IFD_OK;
}

static int by_key(const void *a, const void *b)
{
    const ifd__node *x = *(const ifd__node *const *)a, *y = *(const ifd__node *const *)b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->index - y->index;
}

/* Sorted, because a mapping of nodes may have thousands of keys. */
static ifd_status check_duplicates(builder *b, const ifd__node *map)
{
    const ifd__node **child = ifd_arena_array(b->doc->arena, (size_t)map->count, sizeof *child);
    if (!child)
        return no_memory(b, &map->place);
    for (const ifd__node *c = map->first; c; c = c->next)
        child[c->index] = c;
    qsort(child, (size_t)map->count, sizeof *child, by_key);
    for (int i = 1; i < map->count; i++)
        if (strcmp(child[i - 1]->key, child[i]->key) == 0) {
            b->status =
                ifd_note_add(b->note, IFD_DUPLICATE, &child[i]->key_place, "key '%s' appears twice", child[i]->key);
            ifd_note_hint(b->note, "the first one is in line %d", child[i - 1]->key_place.line);
        }
    return IFD_OK;
}

/* `<<: *base`, or a list of such. */
static ifd_status merge(builder *b, ifd__node *map)
{
    ifd__node *from = NULL;
    for (ifd__node *c = map->first; c; c = c->next)
        if (strcmp(c->key, "<<") == 0)
            from = c;
    if (!from)
        return IFD_OK;
    node_remove(map, from);
    if (from->kind == IFD__MAPPING) {
        node_absorb(map, from);
        return IFD_OK;
    }
    for (ifd__node *c = from->first; c; c = c->next) {
        if (c->kind != IFD__MAPPING)
            return ifd_note_add(b->note, IFD_SHAPE, &c->place, "'<<' merges mappings, but this is not a mapping");
        node_absorb(map, c);
    }
    if (from->kind == IFD__SCALAR)
        return ifd_note_add(b->note, IFD_SHAPE, &from->place, "'<<' merges mappings, but '%s' is not a mapping",
                            from->text);
    return IFD_OK;
}

static ifd_status on_end(builder *b)
{
    ifd__node *node = b->open[--b->depth];
    for (anchor *a = b->anchors; a; a = a->next)
        a->complete = a->complete || a->node == node;
    if (node->kind != IFD__MAPPING)
        return IFD_OK;
    IFD_TRY(check_duplicates(b, node));
    return merge(b, node);
}

static ifd_status on_alias(builder *b, const struct fy_event *e)
{
    ifd_place place = place_of(b, e->alias.anchor);
    const char *name = token_text(b, e->alias.anchor);
    const anchor *a = b->anchors;
    while (a && name && strcmp(a->name, name) != 0)
        a = a->next;
    if (!name)
        return no_memory(b, &place);
    if (!a)
        return ifd_note_add(b->note, IFD_UNKNOWN_NAME, &place, "alias '*%s' has no anchor '&%s' before it", name,
                            name);
    if (!a->complete)
        return ifd_note_add(b->note, IFD_SYNTAX, &place, "alias '*%s' is inside its own anchor", name);
    if (wants_key(b))
        return ifd_note_add(b->note, IFD_SYNTAX, &place, "a key must be a word, not an alias");
    ifd__node *copy = ifd__node_copy(b->doc, a->node, b->depth);
    return copy ? put(b, copy) : no_memory(b, &place);
}

static ifd_status on_document(builder *b, const struct fy_event *e)
{
    ifd_place place = place_of(b, e->document_start.document_start);
    if (b->ended)
        return ifd_note_add(b->note, IFD_SYNTAX, &place,
                            "a second document begins here; a file contains one document");
    b->ended = true;
    return IFD_OK;
}

static ifd_status on_event(builder *b, const struct fy_event *e)
{
    switch (e->type) {
    case FYET_DOCUMENT_START:
        return on_document(b, e);
    case FYET_SCALAR:
        return on_scalar(b, e);
    case FYET_ALIAS:
        return on_alias(b, e);
    case FYET_SEQUENCE_START:
        return on_start(b, IFD__SEQUENCE, e->sequence_start.sequence_start, e->sequence_start.tag,
                        e->sequence_start.anchor);
    case FYET_MAPPING_START:
        return on_start(b, IFD__MAPPING, e->mapping_start.mapping_start, e->mapping_start.tag,
                        e->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return on_end(b);
    default:
        return IFD_OK;
    }
}

static bool tab_indents(const ifd__source *source, int line)
{
    const ifd__file file = {.text = source->text, .length = source->length};
    ifd__lines lines = ifd__lines_of(&file);
    const char *first, *last;
    while (ifd__lines_next(&lines, &first, &last))
        if (lines.number >= line && lines.number <= line + 1 && memchr(first, '\t', strspn(first, " \t")))
            return true;
    return false;
}

/* An error at the end of a text may be located after its last line; then the place is the end of the last line. */
static void stay_inside(const ifd__source *source, ifd_place *place)
{
    const ifd__file file = {.text = source->text, .length = source->length};
    ifd__lines lines = ifd__lines_of(&file);
    const char *first, *last;
    int line = 1, end = 1;
    while (ifd__lines_next(&lines, &first, &last))
        if (last > first) {
            line = lines.number;
            end = (int)(last - first) + 1;
        }
    if (place->line > line)
        *place = (ifd_place){place->file, line, end, 1};
}

/* The column after the first ':' of a line that begins as "key:value"; 0: it does not. */
static int blank_missing(const ifd__source *source, int line)
{
    const ifd__file file = {.text = source->text, .length = source->length};
    ifd__lines lines = ifd__lines_of(&file);
    const char *first, *last;
    while (ifd__lines_next(&lines, &first, &last) && lines.number < line)
        ;
    if (lines.number != line)
        return 0;
    const char *key = first + strspn(first, " -"), *end = key;
    while (end < last && (isalnum((unsigned char)*end) || *end == '-' || *end == '_'))
        end++;
    bool joined = end > key && end + 1 < last && end[0] == ':' && !isspace((unsigned char)end[1]);
    return joined ? (int)(end - first) + 2 : 0;
}

static ifd_status syntax_error(builder *b, struct fy_diag *diag)
{
    void *at = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
    if (!error)
        return ifd_note_add(b->note, IFD_SYNTAX, &(ifd_place){b->source->file, 1, 1, 1}, "this is not valid YAML");
    ifd_place place = {b->source->file, error->line, error->column, 1};
    stay_inside(b->source, &place);
    int joined = blank_missing(b->source, place.line);
    if (joined) {
        place.column = joined;
        return ifd_note_add(b->note, IFD_SYNTAX, &place, "not valid YAML: a blank is missing after ':'");
    }
    ifd_note_add(b->note, IFD_SYNTAX, &place, "not valid YAML: %s", error->msg);
    if (tab_indents(b->source, error->line))
        ifd_note_hint(b->note, "a tab cannot indent; use blanks");
    else if (strstr(error->msg, "multiline plain key"))
        ifd_note_hint(b->note, "is the line after it indented too far?");
    else if (strstr(error->msg, "nested block mapping"))
        ifd_note_hint(b->note, "a text that contains ': ' must be in quotes");
    else if (strstr(error->msg, "in flow "))
        ifd_note_hint(b->note, "a comma is missing, or a '{' or '[' before it is not closed");
    return IFD_SYNTAX;
}

/* The parser ignores bytes that are not UTF-8, and zero bytes; they are detected here. */
static ifd_status check_text(const builder *b)
{
    const unsigned char *p = (const unsigned char *)b->source->text, *end = p + b->source->length;
    ifd_place place = {b->source->file, 1, 1, 1};
    while (p < end) {
        size_t size = *p ? ifd__utf8_size(p) : 0;
        if (size == 0)
            return ifd_note_add(b->note, IFD_SYNTAX, &place, "byte 0x%02x is not text (UTF-8)", (unsigned)*p);
        place.column++;
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        }
        p += size;
    }
    return IFD_OK;
}

static ifd_status build(builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
    if (fy_parser_set_string(parser, b->source->text, b->source->length) != 0)
        return ifd_note_add(b->note, IFD_NO_MEMORY, NULL, "no memory to read '%s'", b->source->file);
    ifd_status status = IFD_OK;
    for (struct fy_event *e; status == IFD_OK && (e = fy_parser_parse(parser));) {
        status = on_event(b, e);
        fy_parser_event_free(parser, e);
    }
    if (status == IFD_OK && fy_parser_get_stream_error(parser))
        status = syntax_error(b, diag);
    return status == IFD_OK ? b->status : status;
}

ifd_status ifd__yaml_parse(ifd__yaml *doc, const ifd__source *source, ifd__node **root, ifd_note *note)
{
    builder b = {.doc = doc, .source = source, .note = note};
    *root = NULL;
    IFD_TRY(check_text(&b));
    const struct fy_diag_cfg quiet = {.level = FYET_ERROR, .module_mask = ~0u};
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag)
        return no_memory(&b, NULL);
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DISABLE_DEPTH_LIMIT |
                                              FYPCF_ALLOW_DUPLICATE_KEYS,
                                     .diag = diag};
    struct fy_parser *parser = fy_parser_create(&cfg);
    ifd_status status = parser ? build(&b, parser, diag) : no_memory(&b, NULL);
    if (parser)
        fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    *root = b.root;
    return status;
}

/* Reads a file and the files that it includes. */

enum { CHAIN = 16, MOST_INCLUDES = 1000, MOST_BYTES = 64 << 20 /* of all files together */ };

/* The files that are being read, to detect a circle. */
typedef struct chain {
    const ifd__file *file[CHAIN];
    int length;
    int includes; /* so far: a few files that include each other twice would give billions of includes */
    size_t bytes;
} chain;

static ifd_status resolve(ifd__yaml *doc, ifd__node *node, chain *files, ifd_note *note);

static ifd_status refuse(const ifd__node *at, const char *path, const char *why, ifd_note *note)
{
    return ifd_note_add(note, IFD_INCLUDE, &at->place, "cannot include '%s': %s", path, why);
}

static ifd_status include_file(ifd__yaml *doc, ifd__node *map, const ifd__node *at, chain *files, ifd_note *note)
{
    if (at->kind != IFD__SCALAR || !at->text[0])
        return ifd_note_add(note, IFD_SHAPE, &at->place, "'include' needs the name of a file, or a list of names");
    const char *path = ifd__file_relative(doc->arena, &at->place, at->text);
    ifd__file *file = ifd_arena_take(doc->arena, sizeof *file);
    if (!path || !file)
        return ifd_note_add(note, IFD_NO_MEMORY, &at->place, "no memory to include '%s'", at->text);
    ifd_note own; /* the reason becomes part of a message about the include */
    ifd_note_init(&own, doc->arena);
    if (ifd__bundle_read(doc->bundle, doc->arena, path, &at->place, file, &own) != IFD_OK)
        return ifd_note_add(note, IFD_INCLUDE, &at->place, "include: %s", own.first ? own.first->text : path);
    for (int i = 0; i < files->length; i++)
        if (files->file[i]->device == file->device && files->file[i]->inode == file->inode)
            return refuse(at, path, "the includes form a circle", note);
    if (files->length == CHAIN)
        return refuse(at, path, "the includes are nested too deep", note);
    files->bytes += file->length;
    if (++files->includes > MOST_INCLUDES || files->bytes > MOST_BYTES)
        return refuse(at, path, "the case includes more than 1000 files, or more than 64 MB", note);
    ifd__node *root;
    IFD_TRY(ifd__yaml_source(doc, file->path, file->text, file->length));
    IFD_TRY(ifd__yaml_parse(doc, doc->sources, &root, note));
    if (!root || root->kind != IFD__MAPPING)
        return ifd_note_add(note, IFD_SHAPE, &at->place, "'%s' cannot be included: it is not a mapping", path);
    files->file[files->length++] = file;
    ifd_status status = resolve(doc, root, files, note);
    files->length--;
    if (status == IFD_OK)
        node_absorb(map, root);
    return status;
}

static ifd_status include_all(ifd__yaml *doc, ifd__node *map, ifd__node *list, chain *files, ifd_note *note)
{
    ifd_status status = IFD_OK;
    if (list->kind != IFD__SEQUENCE)
        return include_file(doc, map, list, files, note);
    for (ifd__node *at = list->first; at && files->includes <= MOST_INCLUDES; at = at->next) {
        ifd_status s = include_file(doc, map, at, files, note);
        status = status == IFD_OK ? s : status;
    }
    return status;
}

/* Children first: added keys have been resolved already. */
static ifd_status resolve(ifd__yaml *doc, ifd__node *node, chain *files, ifd_note *note)
{
    ifd__node *list = NULL;
    ifd_status status = IFD_OK;
    for (ifd__node *c = node->first; c; c = c->next) {
        if (c->key && strcmp(c->key, "include") == 0) {
            list = c;
            continue;
        }
        ifd_status s = c->kind == IFD__SCALAR ? IFD_OK : resolve(doc, c, files, note);
        status = status == IFD_OK ? s : status;
    }
    if (!list)
        return status;
    node_remove(node, list);
    ifd_status s = include_all(doc, node, list, files, note);
    return status == IFD_OK ? s : status;
}

static ifd_status empty(const ifd__file *file, ifd_note *note)
{
    return ifd_note_advise(note, IFD_SHAPE, &(ifd_place){file->path, 1, 1, 1},
                           "interfield help case describes its content", "the file is empty");
}

static ifd_status read_source(ifd__yaml *doc, const ifd__file *file, ifd_note *note)
{
    chain files = {.file = {file}, .length = 1};
    if (ifd__yaml_source(doc, file->path, file->text, file->length) != IFD_OK)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "no memory to read '%s'", file->path);
    IFD_TRY(ifd__yaml_parse(doc, doc->sources, &doc->root, note));
    if (!doc->root || ifd__yaml_empty(doc->root))
        return empty(file, note);
    return resolve(doc, doc->root, &files, note);
}

ifd_status ifd__yaml_read_from(struct ifd__bundle *bundle, ifd_arena *arena, const char *path, ifd__yaml *doc,
                               ifd_note *note)
{
    ifd__file file;
    *doc = (ifd__yaml){.arena = arena, .bundle = bundle};
    IFD_TRY(ifd__bundle_read(bundle, arena, path, NULL, &file, note));
    ifd_status status = read_source(doc, &file, note);
    ifd__yaml_source_lines(doc, note);
    return status;
}
