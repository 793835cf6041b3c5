/* SPDX-License-Identifier: MIT */
/* Files are written only below the folder: names are checked before the first byte is written, links are refused,
 * and the sizes in the archive are not trusted. */
#include "fmi/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <interfield/fmu.h>

#include "base/object.h"

enum { MOST_ENTRIES = 10000 };
static const zip_uint64_t most_bytes = (zip_uint64_t)512 << 20;

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

void ifd_fmu_folder_remove(void *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *bad_name(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\') || strchr(name, ':'))
        return "is absolute, or not a plain path";
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return "has control characters in its name";
    for (const char *p = name, *slash; p; p = slash ? slash + 1 : NULL) {
        slash = strchr(p, '/');
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
            return "leaves the folder";
    }
    return strlen(name) > 500 ? "is too long" : NULL;
}

static bool is_link(zip_t *z, zip_uint64_t i)
{
    zip_uint8_t system;
    zip_uint32_t attributes;
    return zip_file_get_external_attributes(z, i, 0, &system, &attributes) == 0 && system == ZIP_OPSYS_UNIX &&
           (attributes >> 16 & S_IFMT) == S_IFLNK;
}

/* Makes the folders above a file. */
static bool make_folders(char *path, size_t from)
{
    for (char *p = path + from; (p = strchr(p, '/')); p++) {
        *p = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *p = '/';
        if (!made)
            return false;
    }
    return true;
}

/* The reason to refuse an entry by its data in the archive; NULL: accepted. */
static const char *bad_entry(zip_t *z, zip_uint64_t i, const zip_stat_t *facts, zip_uint64_t room)
{
    const zip_uint64_t wanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((facts->valid & wanted) != wanted)
        return "is damaged";
    const char *bad = bad_name(facts->name);
    if (bad)
        return bad;
    if (is_link(z, i))
        return "is a link";
    if (facts->encryption_method != ZIP_EM_NONE)
        return "is encrypted";
    if (facts->comp_method != ZIP_CM_STORE && facts->comp_method != ZIP_CM_DEFLATE)
        return "has a compression that FMI does not permit: expected stored or deflated";
    static const char description[] = "modelDescription.xml";
    bool largest = strcmp(facts->name, description) == 0;
    return facts->size > (largest ? IFD__FMU_LARGEST_XML : room) ? "is too large" : NULL;
}

/* Copies exactly the announced number of bytes; more bytes are an error. */
static bool copy_out(zip_file_t *from, int to, zip_uint64_t size)
{
    char buffer[65536];
    zip_int64_t n;
    for (; (n = zip_fread(from, buffer, sizeof buffer)) > 0; size -= (zip_uint64_t)n)
        if ((zip_uint64_t)n > size || write(to, buffer, (size_t)n) != n)
            return false;
    return n == 0 && size == 0;
}

static const char *take_out(zip_t *z, zip_uint64_t i, const char *folder, zip_uint64_t *room)
{
    char path[1024];
    zip_stat_t facts = {0};
    const char *bad =
        zip_stat_index(z, i, ZIP_FL_ENC_RAW, &facts) == 0 ? bad_entry(z, i, &facts, *room) : "is damaged";
    if (bad)
        return bad;
    int length = snprintf(path, sizeof path, "%s/%s", folder, facts.name);
    if (length < 0 || length >= (int)sizeof path || !make_folders(path, strlen(folder) + 1))
        return "cannot be written";
    if (path[length - 1] == '/')
        return NULL;
    zip_file_t *from = zip_fopen_index(z, i, 0);
    int to = from ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool twice = from && to < 0 && errno == EEXIST, good = to >= 0 && copy_out(from, to, facts.size);
    *room -= facts.size;
    if (to >= 0)
        close(to);
    if (from)
        zip_fclose(from);
    return good ? NULL : twice ? "appears twice" : "is damaged or cannot be written";
}

/* A printable name: control characters do not reach a terminal. */
static const char *shown(ifd_arena *arena, const char *name)
{
    char *text = ifd_arena_print(arena, "%.200s", name ? name : "");
    for (char *p = text; p && *p; p++)
        *p = (unsigned char)*p < ' ' || *p == 0x7f ? '?' : *p;
    return text ? text : "";
}

char *ifd_fmu_folder(ifd_arena *arena, const char *word)
{
    const char *base = getenv("TMPDIR");
    char *made = ifd_arena_print(arena, "%s/interfield-%s-XXXXXX", base && *base ? base : "/tmp", word);
    return made && mkdtemp(made) ? made : NULL;
}

ifd_status ifd__fmu_unpack(ifd_arena *arena, const char *path, const int *file, const char **folder, ifd_note *note)
{
    int code = 0, fd = file ? ifd__object_again(*file) : -1;
    if (file ? fd < 0 : access(path, F_OK) != 0)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' cannot be read as an FMU: there is no such file", path);
    if (!file)
        IFD_TRY(ifd__object_examine(path, &fd, note, NULL));
    zip_t *z = zip_fdopen(fd, 0, &code); /* the examined file; takes over the descriptor */
    if (!z) {
        close(fd);
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' cannot be read as an FMU: it is not a ZIP archive", path);
    }
    char *made = ifd_fmu_folder(arena, "fmu");
    ifd_status status = IFD_OK;
    zip_int64_t entries = zip_get_num_entries(z, 0);
    zip_uint64_t room = most_bytes;
    if (!made)
        status = ifd_note_add(note, IFD_OUTPUT, NULL, "a folder for '%s' cannot be made: %s", path, strerror(errno));
    else if (!ifd_arena_on_close(arena, ifd_fmu_folder_remove, made)) {
        ifd_fmu_folder_remove(made);
        status = IFD_NO_MEMORY;
    } else if (entries > MOST_ENTRIES)
        status = ifd_note_add(note, IFD_FILE, NULL, "'%s' contains %lld files; the limit is %d", path,
                              (long long)entries, MOST_ENTRIES);
    for (zip_int64_t i = 0; status == IFD_OK && i < entries; i++) {
        const char *why = take_out(z, (zip_uint64_t)i, made, &room);
        if (why)
            status = ifd_note_add(note, IFD_FILE, NULL, "'%s' is refused: its entry '%s' %s", path,
                                  shown(arena, zip_get_name(z, (zip_uint64_t)i, ZIP_FL_ENC_RAW)), why);
    }
    zip_discard(z);
    *folder = made;
    return status;
}
