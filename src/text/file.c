/* SPDX-License-Identifier: MIT */
/* Reads and writes whole text files. */
#include "text/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/units.h"

static ifd_status refuse(const char *path, const char *why, const ifd_place *place, ifd_note *note)
{
    return ifd_note_add(note, IFD_FILE, place, "cannot read '%s': %s", path, why);
}

size_t ifd__file_get(int file, void *to, size_t bytes, uint64_t at)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pread(file, (char *)to + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n < 0 ? errno : 0;
            break;
        }
        done += (size_t)n;
    }
    return done;
}

bool ifd__file_put(int file, const void *from, size_t bytes, uint64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pwrite(file, (const char *)from + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n < 0 ? errno : ENOSPC;
            return false;
        }
        done += (size_t)n;
    }
    return true;
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
        return ifd_note_add(note, IFD_TOO_LARGE, place, "'%s' has %lld bytes; the limit is %d bytes", path,
                            (long long)st.st_size, IFD__FILE_LIMIT);
    size_t length = (size_t)st.st_size;
    char *text = ifd_arena_take(arena, length + 1);
    const char *name = ifd_arena_text(arena, path);
    if (!text || !name)
        return ifd_note_add(note, IFD_NO_MEMORY, place, "no memory to read '%s'", path);
    *out = (ifd__file){name, text, length, st.st_dev, st.st_ino};
    if (ifd__file_get(fd, text, length, 0) == length)
        return IFD_OK;
    return refuse(path, errno ? strerrordesc_np(errno) : "it became shorter during reading", place, note);
}

ifd_status ifd__file_read(ifd_arena *arena, const char *path, const ifd_place *place, ifd__file *out, ifd_note *note)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe must not block */
    if (fd < 0)
        return refuse(path, strerrordesc_np(errno), place, note);
    ifd_status status = read_open(arena, fd, path, place, out, note);
    close(fd);
    return status;
}

const char *ifd__file_relative(ifd_arena *arena, const ifd_place *place, const char *path)
{
    const char *slash = place && place->file ? strrchr(place->file, '/') : NULL;
    if (path[0] == '/' || !slash)
        return ifd_arena_text(arena, path);
    return ifd_arena_print(arena, "%.*s/%s", (int)(slash - place->file), place->file, path);
}

const char *ifd__file_inside(ifd_arena *arena, const char *path, const char *name)
{
    struct stat facts;
    bool folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    return folder ? ifd_arena_print(arena, "%s/%s", path, name) : path;
}

bool ifd__folder_sync(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = fsync(file) == 0 || errno == EINVAL; /* EINVAL: a file system without sync */
    int error = errno;
    close(file);
    errno = error;
    return good;
}

const char *ifd__folder_make(ifd_arena *arena, const char *folder)
{
    char *path = ifd_arena_text(arena, folder);
    for (char *p = path ? path + 1 : NULL; p; p = *p ? p + 1 : NULL) {
        char end = *p;
        if (end && end != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return path;
        *p = end;
    }
    return path ? NULL : folder;
}

ifd_status ifd__file_replace(ifd_arena *arena, const char *path, const char *bytes, size_t count, ifd_note *note)
{
    const char *beside = ifd_arena_print(arena, "%s.new", path), *slash = strrchr(path, '/');
    const char *folder = slash ? ifd_arena_text_n(arena, path, (size_t)(slash - path) + 1) : ".";
    if (!beside || !folder)
        return IFD_NO_MEMORY;
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0 && ifd__file_put(file, bytes, count, 0) && fsync(file) == 0;
    int error = errno;
    if (file >= 0 && close(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && (rename(beside, path) != 0 || !ifd__folder_sync(folder))) {
        good = false;
        error = errno;
    }
    return good ? IFD_OK : ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(error));
}

void ifd__path_sync(const char *path)
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
    while (*last > *first && (*last)[-1] == '\r') /* two of them: a text that was converted twice */
        (*last)--;
    lines->number++;
    return true;
}

size_t ifd__utf8_size(const unsigned char *p)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    if (n <= 1)
        return n;
    uint32_t code = p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

size_t ifd__control_size(const unsigned char *p)
{
    return p[0] < 0x20 || p[0] == 0x7f ? 1 : p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0 ? 2 : 0;
}

/* Recognises the kind of a file by its content. */

static bool begins(const ifd__file *file, const char *text)
{
    size_t length = strlen(text);
    return file->length >= length && strncasecmp(file->text, text, length) == 0;
}

bool ifd__lines_content(ifd__lines *lines, const char *comments, const char **first, const char **last)
{
    while (ifd__lines_next(lines, first, last)) {
        while (*first < *last && (**first == ' ' || **first == '\t'))
            (*first)++;
        if (*first < *last && (**first == '\0' || !strchr(comments, **first)))
            return true;
    }
    return false;
}

/* A table: its first line begins with a number, or has a comma or semicolon and a line below begins with one. Without
 * any such line text, or YAML if the first line is "key: ...". */
static ifd__file_kind text_kind(const ifd__file *file)
{
    ifd__lines lines = ifd__lines_of(file);
    const char *first, *last;
    double x;
    if (!ifd__lines_content(&lines, "#%", &first, &last))
        return IFD__KIND_TEXT;
    if (ifd__number_read(&first, last, &x))
        return IFD__KIND_NUMBERS;
    bool comma = memchr(first, ',', (size_t)(last - first)) || memchr(first, ';', (size_t)(last - first));
    const char *key = first;
    while (key < last && (isalnum((unsigned char)*key) || *key == '-' || *key == '_'))
        key++;
    bool yaml = key > first && key < last && *key == ':' && (key + 1 == last || strchr(" \t\r", key[1]));
    while (ifd__lines_content(&lines, "#%", &first, &last))
        if (ifd__number_read(&first, last, &x))
            return comma ? IFD__KIND_NUMBERS : IFD__KIND_TEXT;
    return yaml ? IFD__KIND_YAML : IFD__KIND_WORDS;
}

static bool is_record(const ifd__file *file)
{
    ifd__lines lines = ifd__lines_of(file);
    const char *first, *last;
    while (ifd__lines_next(&lines, &first, &last) && lines.number <= 20)
        for (; last - first >= 4; first++)
            if (strncasecmp(first, "NPTS", 4) == 0)
                return true;
    return false;
}

ifd__file_kind ifd__file_kind_of(const ifd__file *file)
{
    if (begins(file, "%%MatrixMarket"))
        return IFD__KIND_MATRIX;
    if (begins(file, "\x89HDF"))
        return IFD__KIND_HDF5;
    if (begins(file, "PK\3\4"))
        return IFD__KIND_ZIP;
    if (begins(file, "\x7f"
                     "ELF"))
        return IFD__KIND_PROGRAM;
    if (memchr(file->text, '\0', file->length))
        return IFD__KIND_BINARY;
    if (begins(file, "{"))
        return IFD__KIND_JSON;
    return is_record(file) ? IFD__KIND_RECORD : text_kind(file);
}

const char *ifd__file_kind_text(ifd__file_kind kind)
{
    static const char *const text[] = {"a text file",
                                       "a table of numbers (CSV)",
                                       "a ground-motion file (PEER)",
                                       "a text file without numbers",
                                       "a YAML file",
                                       "a JSON file",
                                       "a Matrix Market file",
                                       "an HDF5 file",
                                       "a ZIP archive",
                                       "a program or library",
                                       "a binary file"};
    return text[kind];
}
