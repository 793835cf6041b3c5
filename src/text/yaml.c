/* SPDX-License-Identifier: MIT */
/* Makes nodes from the events of libfyaml. Only this file uses types of libfyaml. */
#include "text/yaml_tree.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

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
    ifd__node_remove(map, from);
    if (from->kind == IFD__MAPPING) {
        ifd__node_absorb(map, from);
        return IFD_OK;
    }
    for (ifd__node *c = from->first; c; c = c->next) {
        if (c->kind != IFD__MAPPING)
            return ifd_note_add(b->note, IFD_SHAPE, &c->place, "'<<' merges mappings, but this is not a mapping");
        ifd__node_absorb(map, c);
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

static ifd_status syntax_error(builder *b, struct fy_diag *diag)
{
    void *at = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
    if (!error)
        return ifd_note_add(b->note, IFD_SYNTAX, &(ifd_place){b->source->file, 1, 1, 1}, "this is not valid YAML");
    ifd_place place = {b->source->file, error->line, error->column, 1};
    stay_inside(b->source, &place);
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
