/* SPDX-License-Identifier: MIT */
/* The case in a result. */
#include "io/result.h"

#include <sys/stat.h>

/* The bytes of /bundle; NULL, with the reason in *why, when it has none. */
static char *read_bundle(ifd_arena *arena, const char *path, size_t *length, const char **why, ifd_status *status)
{
    char *text = NULL;
    hsize_t size = 0;
    ifd__hdf5_quiet quiet;
    ifd__hdf5_quiet_begin(&quiet);
    *why = NULL;
    hid_t file = ifd__hdf5_read(arena, path, why, status);
    hid_t set = file >= 0 && H5Lexists(file, "bundle", H5P_DEFAULT) > 0 ? H5Dopen2(file, "bundle", H5P_DEFAULT) : -1;
    *why = *why ? *why : "it does not hold its case";
    if (set >= 0) {
        hid_t space = H5Dget_space(set);
        if (H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1)
            text = ifd_arena_take(arena, (size_t)size + 1);
        if (text && H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
            text = NULL;
        H5Sclose(space);
        H5Dclose(set);
    }
    if (file >= 0)
        H5Fclose(file);
    ifd__hdf5_quiet_end(&quiet);
    *length = (size_t)size;
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
    size_t length;
    const char *why;
    ifd_status status;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && !(path = ifd_arena_print(arena, "%s/result.h5", path)))
        return IFD_NO_MEMORY;
    char *bundle = read_bundle(arena, path, &length, &why, &status);
    if (!bundle)
        return ifd_note_add(note, status, NULL, "the case of '%s' cannot be read: %s", path, why);
    return ifd_case_read_bundle_as(arena, bundle, length, code, out, note);
}
