/* SPDX-License-Identifier: MIT */
/* Reads a file and the files that it includes. */
#include "text/bundle.h"
#include "text/yaml_tree.h"

#include <string.h>

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
        ifd__node_absorb(map, root);
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
    ifd__node_remove(node, list);
    ifd_status s = include_all(doc, node, list, files, note);
    return status == IFD_OK ? s : status;
}

static ifd_status empty(const ifd__file *file, ifd_note *note)
{
    ifd_note_add(note, IFD_SHAPE, &(ifd_place){file->path, 1, 1, 1}, "the file is empty");
    ifd_note_hint(note, "interfield help case describes its content");
    return IFD_SHAPE;
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
