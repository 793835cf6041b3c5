/* SPDX-License-Identifier: MIT */
/* The case in a result, read by a child process. */
#include "text/file.h"
#include "record/result.h"

typedef struct bundle {
    ifd_arena *arena;
    char *text;
    uint64_t length;
} bundle;

static const char *take_out(void *self, hid_t file, ifd__hdf5_found *found)
{
    bundle *b = self;
    b->text = ifd__hdf5_bundle(b->arena, file, found->bytes, &b->length);
    return b->text ? NULL : "it does not contain its case";
}

static void send(void *self, ifd__child_pipe *to)
{
    const bundle *b = self;
    ifd__child_put(to, &b->length, sizeof b->length);
    ifd__child_put(to, b->text, (size_t)b->length);
}

static bool receive(void *self, ifd__child *from, uint64_t bytes)
{
    bundle *b = self;
    b->text = ifd__child_get(from, &b->length, sizeof b->length) && b->length <= bytes
                  ? ifd_arena_take(b->arena, (size_t)b->length + 1)
                  : NULL;
    return b->text && ifd__child_get(from, b->text, (size_t)b->length);
}

ifd_status ifd_result_case(ifd_arena *arena, const char *path, ifd_case **out, ifd_note *note)
{
    return ifd__result_case_as(arena, path, NULL, out, note);
}

ifd_status ifd__result_case_as(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_case **out,
                               ifd_note *note)
{
    static const ifd__hdf5_reader reader = {take_out, send, receive, 1};
    bundle b = {.arena = arena};
    ifd__hdf5_found found;
    path = ifd__file_inside(arena, path, "result.h5");
    if (!path)
        return IFD_NO_MEMORY;
    if (!ifd__hdf5_read(arena, path, &reader, &b, &found))
        return ifd_note_add(note, found.status, NULL, "the case of '%s' cannot be read: %s", path, found.why);
    return ifd_case_read_bundle_as(arena, b.text, (size_t)b.length, code, out, note);
}
