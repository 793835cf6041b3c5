/* SPDX-License-Identifier: MIT */
/* The case in a result, read by a child process. */
#include "text/child.h"
#include "record/result.h"

#include <sys/stat.h>

typedef struct bundle {
    ifd_arena *arena;
    const char *path;
    ifd__hdf5_found found;
    char *text;
    uint64_t length;
} bundle;

/* In the child. */
static void fetch(bundle *b, hid_t file)
{
    hid_t set = H5Lexists(file, "bundle", H5P_DEFAULT) > 0 ? H5Dopen2(file, "bundle", H5P_DEFAULT) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    hsize_t size = 0;
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
        size <= b->found.bytes)
        b->text = ifd_arena_take(b->arena, (size_t)size + 1);
    if (b->text && H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, b->text) < 0)
        b->text = NULL;
    b->length = size;
    b->found.why = b->text ? NULL : "it does not hold its case";
}

static void read_apart(void *data, ifd__child_pipe *to)
{
    bundle *b = data;
    hid_t file = ifd__hdf5_read(b->arena, b->path, &b->found);
    if (file >= 0)
        fetch(b, file);
    ifd__child_put(to, &b->found.status, sizeof b->found.status);
    ifd__child_put_text(to, b->found.why);
    ifd__child_put(to, &b->length, sizeof b->length);
    if (!b->found.why)
        ifd__child_put(to, b->text, (size_t)b->length);
}

/* The bytes of /bundle; NULL, with the reason, when it has none. */
static char *read_bundle(bundle *b)
{
    enum { LONGEST_REASON = 1 << 12 };
    ifd__child c;
    struct stat facts;
    if (!ifd__child_open(&c, read_apart, b, ifd__hdf5_seconds(b->path))) {
        b->found = (ifd__hdf5_found){.status = IFD_NO_MEMORY, .why = "no process can be made to read it"};
        return NULL;
    }
    char *text = NULL;
    bool said = ifd__child_get(&c, &b->found.status, sizeof b->found.status) &&
                (b->found.why = ifd__child_get_text(&c, b->arena, LONGEST_REASON)) &&
                ifd__child_get(&c, &b->length, sizeof b->length);
    if (said && !*b->found.why && stat(b->path, &facts) == 0 && b->length <= (uint64_t)facts.st_size)
        text = ifd_arena_take(b->arena, (size_t)b->length + 1);
    if (text && !ifd__child_get(&c, text, (size_t)b->length))
        text = NULL;
    const char *why = ifd__child_close(&c);
    if (!text && !(said && *b->found.why))
        b->found = (ifd__hdf5_found){.status = IFD_DAMAGED, .why = why ? why : "memory ran out"};
    return text;
}

ifd_status ifd_result_case(ifd_arena *arena, const char *path, ifd_case **out, ifd_note *note)
{
    return ifd__result_case_as(arena, path, NULL, out, note);
}

ifd_status ifd__result_case_as(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_case **out,
                               ifd_note *note)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && !(path = ifd_arena_print(arena, "%s/result.h5", path)))
        return IFD_NO_MEMORY;
    bundle b = {.arena = arena, .path = path};
    const char *text = read_bundle(&b);
    if (!text)
        return ifd_note_add(note, b.found.status, NULL, "the case of '%s' cannot be read: %s", path, b.found.why);
    return ifd_case_read_bundle_as(arena, text, (size_t)b.length, code, out, note);
}
