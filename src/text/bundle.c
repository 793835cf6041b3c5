/* SPDX-License-Identifier: MIT */
/* Reads files of a case once and keeps them with it. */
#include "text/bundle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/arena.h"
#include "base/hash.h"

enum { MOST_KEPT = 16 << 20 /* bytes per file */, MOST_SETS = 1024 };
static const char title[] = "interfield case 1\n";

ifd__source_file *ifd__bundle_find(const ifd__bundle *bundle, const char *path)
{
    for (ifd__source_file *b = bundle->first; b; b = b->next)
        if (strcmp(b->file.path, path) == 0)
            return b;
    return NULL;
}

/* Files that were never on this disk are identified by their position in the bundle. */
static ifd__source_file *put(ifd__bundle *bundle, ifd_arena *arena, const ifd__file *file)
{
    ifd__source_file *b = ifd_arena_take(arena, sizeof *b);
    if (!b)
        return NULL;
    b->file = *file;
    bundle->count++;
    if (!b->file.inode)
        b->file.inode = (unsigned long long)bundle->count;
    *(bundle->last ? &bundle->last->next : &bundle->first) = b;
    bundle->last = b;
    return b;
}

ifd_status ifd__bundle_read(ifd__bundle *bundle, ifd_arena *arena, const char *path, const ifd_place *place,
                            ifd__file *out, ifd_note *note)
{
    ifd__source_file *b = bundle ? ifd__bundle_find(bundle, path) : NULL;
    if (bundle && bundle->keeper)
        arena = bundle->keeper;
    if (b && b->file.text) {
        b->used = bundle->reading;
        *out = b->file;
        return IFD_OK;
    }
    IFD_TRY(ifd__file_read(arena, path, place, out, note));
    if (!bundle)
        return IFD_OK;
    uint64_t hash = ifd__hash_bytes(IFD__HASH_START, out->text, out->length);
    if (b && b->hash != hash)
        return ifd_note_add(note, IFD_FILE, place, "'%s' has changed since this record was made", path);
    if (!b)
        b = put(bundle, arena, out);
    IFD__HAVE(b);
    b->file = *out;
    b->hash = hash;
    b->used = bundle->reading;
    return IFD_OK;
}

bool ifd__bundle_put(ifd__bundle *bundle, ifd_arena *arena, const char *path, const char *text)
{
    ifd__file file = {
        .path = ifd_arena_text(arena, path), .text = ifd_arena_text(arena, text), .length = strlen(text)};
    ifd__source_file *b = file.path && file.text ? put(bundle, arena, &file) : NULL;
    if (b)
        b->hash = ifd__hash_bytes(IFD__HASH_START, file.text, file.length);
    return b != NULL;
}

const char *ifd__bundle_make(ifd_arena *arena, const ifd__bundle *bundle, size_t *length)
{
    size_t bytes = sizeof title;
    for (int i = 0; i < bundle->sets; i++)
        bytes += strlen(bundle->set[i]) + 8;
    for (const ifd__source_file *b = bundle->first; b; b = b->next)
        bytes += strlen(b->file.path) + 64 + (b->file.length <= MOST_KEPT ? b->file.length : 0);
    for (const ifd__code_kept *k = bundle->code; k; k = k->next)
        bytes += strlen(k->path) + 2 * IFD__CODE_HASH + 8;
    char *text = ifd_arena_take(arena, bytes), *p = text;
    if (!text)
        return NULL;
    p += sprintf(p, "%s", title);
    for (int i = 0; i < bundle->sets; i++)
        p += sprintf(p, "set %s\n", bundle->set[i]);
    for (const ifd__source_file *b = bundle->first; b; b = b->next) {
        if (b->file.length > MOST_KEPT) {
            p += sprintf(p, "elsewhere %016" PRIx64 " %s\n", b->hash, b->file.path);
            continue;
        }
        p += sprintf(p, "file %zu %s\n", b->file.length, b->file.path);
        memcpy(p, b->file.text, b->file.length);
        p += b->file.length;
        *p++ = '\n';
    }
    for (const ifd__code_kept *k = bundle->code; k; k = k->next) {
        char digits[2 * IFD__CODE_HASH + 1];
        p += sprintf(p, "code %s %s\n", sodium_bin2hex(digits, sizeof digits, k->hash, sizeof k->hash), k->path);
    }
    *length = (size_t)(p - text);
    return text;
}

typedef struct opening {
    ifd_arena *arena;
    const char *p, *end;
    ifd__bundle *bundle;
    const char **set;
} opening;

/* The next line as text; p moves past it. NULL at the end. */
static const char *line(opening *o)
{
    const char *feed = o->p < o->end ? memchr(o->p, '\n', (size_t)(o->end - o->p)) : NULL;
    const char *text = feed ? ifd_arena_text_n(o->arena, o->p, (size_t)(feed - o->p)) : NULL;
    if (feed)
        o->p = feed + 1;
    return text;
}

static bool take_set(opening *o, const char *text)
{
    if (o->bundle->sets == MOST_SETS)
        return false;
    o->set[o->bundle->sets++] = text;
    return true;
}

static bool take_file(opening *o, const char *text)
{
    char *path;
    unsigned long long length = strtoull(text, &path, 10);
    if (*path != ' ' || length >= (unsigned long long)(o->end - o->p) || o->p[length] != '\n')
        return false;
    ifd__file file = {
        .path = path + 1, .text = ifd_arena_text_n(o->arena, o->p, (size_t)length), .length = (size_t)length};
    o->p += length + 1;
    return file.text && put(o->bundle, o->arena, &file);
}

static bool take_elsewhere(opening *o, const char *text)
{
    char *path;
    uint64_t hash = strtoull(text, &path, 16);
    ifd__source_file *b = *path == ' ' ? put(o->bundle, o->arena, &(ifd__file){.path = path + 1}) : NULL;
    if (b)
        b->hash = hash;
    return b != NULL;
}

static bool take_code(opening *o, const char *text)
{
    const char *path;
    size_t length;
    ifd__code_kept *k = ifd_arena_take(o->arena, sizeof *k);
    if (!k || sodium_hex2bin(k->hash, sizeof k->hash, text, strlen(text), NULL, &length, &path) != 0 ||
        length != sizeof k->hash || *path != ' ')
        return false;
    k->path = path + 1;
    k->next = o->bundle->code;
    o->bundle->code = k;
    return true;
}

static bool take(opening *o, const char *text)
{
    if (strncmp(text, "set ", 4) == 0)
        return take_set(o, text + 4);
    if (strncmp(text, "file ", 5) == 0)
        return take_file(o, text + 5);
    if (strncmp(text, "code ", 5) == 0)
        return take_code(o, text + 5);
    return strncmp(text, "elsewhere ", 10) == 0 && take_elsewhere(o, text + 10);
}

ifd_status ifd__bundle_open(ifd_arena *arena, const char *text, size_t length, ifd__bundle *out, ifd_note *note)
{
    *out = (ifd__bundle){.closed = true};
    opening o = {.arena = arena, .p = text, .end = text + length, .bundle = out};
    o.set = ifd_arena_array(arena, MOST_SETS, sizeof *o.set);
    size_t head = sizeof title - 1;
    IFD__HAVE(o.set);
    bool good = length >= head && memcmp(text, title, head) == 0;
    o.p += good ? head : 0;
    while (good && o.p < o.end) {
        const char *next = line(&o);
        good = next && take(&o, next);
    }
    out->set = o.set;
    if (!good || !out->first)
        return ifd_note_add(note, IFD_FILE, NULL, "the case in this record is damaged");
    return IFD_OK;
}
