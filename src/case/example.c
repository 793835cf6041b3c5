/* SPDX-License-Identifier: MIT */
/* Values of keys in the examples of the reference. */
#include <string.h>

#include "case/reference.h"
#include "text/bundle.h"

static const char *file_text(const char *name)
{
    for (const ifd__example_file *f = ifd__example_files; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f->text;
    return "";
}

const char *ifd__section_example(const ifd__section *s)
{
    return file_text(s->topic);
}

/* Lines as one; further lines are indented. */
static const char *joined(ifd_arena *arena, const char *text, size_t length)
{
    char *out = ifd_arena_text_n(arena, text, length), *to = out;
    for (const char *from = out; from && *from; to++) {
        char c = *from++;
        from += c == '\n' ? strspn(from, " ") : 0;
        *to = c == '\n' ? ' ' : c;
    }
    if (out)
        *to = '\0';
    return out;
}

/* A file has a list, "- NAME: SETTINGS", in which a name may occur several times. */
const char *ifd__row_example(ifd_arena *arena, const ifd__row *r)
{
    char file[40], head[64];
    const char *out = NULL;
    snprintf(file, sizeof file, "rows/%s", r->noun);
    snprintf(head, sizeof head, "- %s: ", r->name);
    for (const char *at = file_text(file), *end; *at; at = end) {
        for (end = at + strcspn(at, "\n"); strncmp(end, "\n ", 2) == 0; end += 1 + strcspn(end + 1, "\n"))
            ;
        if (strncmp(at, head, strlen(head)) == 0) {
            const char *one = joined(arena, at + strlen(head), (size_t)(end - at) - strlen(head));
            out = out && one ? ifd_arena_print(arena, "%s\n\n%s", out, one) : one;
        }
        end += *end == '\n';
    }
    return out;
}

static const ifd__node *parse(ifd_arena *arena, const char *text)
{
    ifd__bundle bundle = {0};
    ifd__yaml doc = {.arena = arena};
    ifd_note note;
    ifd_note_init(&note, arena);
    if (!ifd__bundle_put(&bundle, arena, "example.yaml", text) ||
        ifd__yaml_read_from(&bundle, arena, "example.yaml", &doc, &note) != IFD_OK)
        return NULL;
    return doc.root;
}

void ifd__examples_read(ifd_arena *arena, const char *text, ifd__examples *out)
{
    *out = (ifd__examples){0};
    while (text && *text && out->count < IFD__EXAMPLES) {
        const char *end = strstr(text, "\n\n");
        const char *one = ifd_arena_text_n(arena, text, end ? (size_t)(end + 1 - text) : strlen(text));
        const ifd__node *root = one ? parse(arena, one) : NULL;
        if (root)
            out->root[out->count++] = root;
        text = end ? end + 2 : NULL;
    }
}

typedef struct place {
    char *text;
    size_t size, used;
} place;

static void put(place *out, const char *text)
{
    size_t n = strlen(text);
    if (out->used + n < out->size)
        memcpy(out->text + out->used, text, n + 1);
    out->used += n;
}

static void put_scalar(place *out, const ifd__node *n)
{
    bool plain = n->text[0] && !n->quoted;
    put(out, plain ? "" : "'");
    put(out, n->text);
    put(out, plain ? "" : "'");
}

/* In flow style, on one line. The recursion depth is that of the examples. */
static void put_node(place *out, const ifd__node *n)
{
    if (n->kind == IFD__SCALAR) {
        put_scalar(out, n);
        return;
    }
    put(out, n->kind == IFD__MAPPING ? "{" : "[");
    for (const ifd__node *c = n->first; c; c = c->next) {
        if (c->key) {
            put(out, c->key);
            put(out, ": ");
        }
        put_node(out, c);
        put(out, c->next ? ", " : "");
    }
    put(out, n->kind == IFD__MAPPING ? "}" : "]");
}

/* The key in the mappings at the path below a node; all items of a list are searched, and * is any key. */
static const ifd__node *find(const ifd__node *n, const char *path, const char *key)
{
    if (!n || n->kind == IFD__SCALAR)
        return NULL;
    size_t word = strcspn(path, ".");
    const char *rest = path + word + (path[word] == '.');
    bool any = word == 1 && path[0] == '*';
    if (n->kind == IFD__MAPPING && !*path)
        return ifd__yaml_get(n, key);
    for (const ifd__node *c = n->first; c; c = c->next) {
        const ifd__node *found = NULL;
        if (n->kind == IFD__SEQUENCE)
            found = find(c, path, key);
        else if (any || (strlen(c->key) == word && strncmp(c->key, path, word) == 0))
            found = find(c, rest, key);
        if (found)
            return found;
    }
    return NULL;
}

/* The same below any node: the path can begin at any level. */
static const ifd__node *find_below(const ifd__node *n, const char *path, const char *key)
{
    const ifd__node *found = find(n, path, key);
    if (!*path)
        return found;
    for (const ifd__node *c = n->first; c && !found; c = c->next)
        found = find_below(c, path, key);
    return found;
}

/* In the mapping itself, or in the settings of the chosen row: `coupling: {parallel: {...}}`. */
static const ifd__node *find_value(const ifd__node *n, const char *path, const char *key)
{
    char below[80];
    const ifd__node *found = find_below(n, path, key);
    snprintf(below, sizeof below, "%s.*", path);
    return found || !*path ? found : find_below(n, below, key);
}

bool ifd__examples_value(const ifd__examples *e, const char *path, const char *key, char *text, size_t size)
{
    for (int i = 0; i < e->count; i++) {
        const ifd__node *n = find_value(e->root[i], path, key);
        place out = {text, size, 0};
        if (!n)
            continue;
        text[0] = '\0';
        put_node(&out, n);
        if (out.used >= size)
            text[0] = '\0';
        return true;
    }
    return false;
}
