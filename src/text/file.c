/* SPDX-License-Identifier: MIT */
#include "text/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ifd_status refuse(const char *path, const char *why, const ifd_place *place, ifd_note *note)
{
    return ifd_note_add(note, IFD_FILE, place, "cannot read '%s': %s", path, why);
}

static ifd_status fill(int fd, size_t length, char *text, const char *path, const ifd_place *place, ifd_note *note)
{
    for (size_t n = 0; n < length;) {
        ssize_t got = read(fd, text + n, length - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(path, strerrordesc_np(errno), place, note);
        if (got == 0)
            return refuse(path, "it became shorter while it was read", place, note);
        n += (size_t)got;
    }
    return IFD_OK;
}

static ifd_status read_open(ifd_arena *arena, int fd, const char *path, const ifd_place *place, ifd__file *out,
                            ifd_note *note)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return refuse(path, strerrordesc_np(errno), place, note);
    if (!S_ISREG(st.st_mode))
        return refuse(path, S_ISDIR(st.st_mode) ? "it is a folder" : "it is not a regular file", place, note);
    if (st.st_size > IFD__FILE_LIMIT)
        return ifd_note_add(note, IFD_TOO_LARGE, place, "'%s' has %lld bytes, the limit is %d", path,
                            (long long)st.st_size, IFD__FILE_LIMIT);
    size_t length = (size_t)st.st_size;
    char *text = ifd_arena_take(arena, length + 1);
    const char *name = ifd_arena_text(arena, path);
    if (!text || !name)
        return ifd_note_add(note, IFD_NO_MEMORY, place, "no memory to read '%s'", path);
    *out = (ifd__file){name, text, length, st.st_dev, st.st_ino};
    return fill(fd, length, text, path, place, note);
}

ifd_status ifd__file_read(ifd_arena *arena, const char *path, const ifd_place *place, ifd__file *out, ifd_note *note)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make this wait */
    if (fd < 0)
        return refuse(path, strerrordesc_np(errno), place, note);
    ifd_status status = read_open(arena, fd, path, place, out, note);
    close(fd);
    return status;
}

const char *ifd__file_beside(ifd_arena *arena, const ifd_place *place, const char *path)
{
    const char *slash = place && place->file ? strrchr(place->file, '/') : NULL;
    if (path[0] == '/' || !slash)
        return ifd_arena_text(arena, path);
    return ifd_arena_print(arena, "%.*s/%s", (int)(slash - place->file), place->file, path);
}

bool ifd__folder_sync(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = fsync(file) == 0 || errno == EINVAL; /* a file system that has nothing to sync */
    int error = errno;
    close(file);
    errno = error;
    return good;
}

void ifd__way_sync(const char *path)
{
    char folder[4096];
    for (const char *p = path; (p = strchr(p, '/')); p++) {
        size_t length = p == path ? 1 : (size_t)(p - path);
        if (length >= sizeof folder)
            return;
        memcpy(folder, path, length);
        folder[length] = '\0';
        (void)ifd__folder_sync(folder);
    }
    if (path[0] != '/')
        (void)ifd__folder_sync(".");
}

ifd__lines ifd__lines_of(const ifd__file *file)
{
    return (ifd__lines){file->text, file->text + file->length, 0};
}

bool ifd__lines_next(ifd__lines *lines, const char **first, const char **last)
{
    if (lines->next >= lines->end)
        return false;
    *first = lines->next;
    const char *feed = memchr(*first, '\n', (size_t)(lines->end - *first));
    *last = feed ? feed : lines->end;
    lines->next = feed ? feed + 1 : lines->end;
    if (*last > *first && (*last)[-1] == '\r')
        (*last)--;
    lines->number++;
    return true;
}
