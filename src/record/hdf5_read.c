/* SPDX-License-Identifier: MIT */
/* Opens a finished HDF5 file for reading, in a child process. HDF5 is not called before the seal of the file is
 * checked. A file is never opened as one that is being written (SWMR): HDF5 then repeats reads until a checksum is
 * correct, which never happens in a damaged file. */
#include "record/result.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keeps HDF5 quiet and turns its errors into one sentence. */

void ifd__hdf5_quiet_begin(ifd__hdf5_quiet *q)
{
    H5Eget_auto2(H5E_DEFAULT, &q->function, &q->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void ifd__hdf5_quiet_end(const ifd__hdf5_quiet *q)
{
    H5Eset_auto2(H5E_DEFAULT, q->function, q->data);
}

/* Called from the innermost error outwards: the message with the text of the operating system has priority over the
 * first one. */
static herr_t visit(unsigned n, const H5E_error2_t *error, void *data)
{
    char *text = data;
    const char *words = error->desc ? strstr(error->desc, "error message = '") : NULL;
    if (words) {
        words += strlen("error message = '");
        size_t length = strcspn(words, "'");
        snprintf(text, 200, "%.*s", (int)(length < 190 ? length : 190), words);
        return 1;
    }
    if (n == 0 && error->desc)
        snprintf(text, 200, "%.190s", error->desc);
    return 0;
}

const char *ifd__hdf5_reason(ifd_arena *arena)
{
    char text[200] = "the file could not be read or written";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, text);
    if (strcmp(text, "file signature not found") == 0)
        snprintf(text, sizeof text, "it is not an HDF5 file");
    const char *copy = ifd_arena_text(arena, text);
    return copy ? copy : "no memory";
}

enum { VERSION = 8, FLAGS = 11, HEAD = 12 };

/* The first bytes of the superblock, and the number of correct bytes of its signature; 0 if it cannot be read. */
static int signature_of(const char *path, unsigned char head[HEAD])
{
    static const unsigned char signature[VERSION] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    int same = 0, file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return 0;
    ssize_t got = pread(file, head, HEAD, 0);
    close(file);
    for (int i = 0; got == HEAD && i < VERSION; i++)
        same += head[i] == signature[i];
    return same;
}

/* A signature with one or two wrong bits belongs to a damaged file; other kinds of files share fewer bytes. */
static bool was_hdf5(const char *path)
{
    enum { MOST_OF_IT = 5 };
    unsigned char head[HEAD];
    return signature_of(path, head) >= MOST_OF_IT;
}

/* From version 3 on the superblock states whether the file is open for writing, and whether others may read it
 * meanwhile. */
bool ifd__hdf5_unfinished(const char *path)
{
    enum { WRITING = 1, SHARED = 4 };
    unsigned char head[HEAD];
    return signature_of(path, head) == VERSION && head[VERSION] == 3 && (head[FLAGS] & (WRITING | SHARED)) != 0;
}

/* The reason not to open it; NULL: it may be opened. */
static const char *examine(ifd_arena *arena, const char *path, ifd__hdf5_found *found)
{
    struct stat facts;
    bool there = stat(path, &facts) == 0;
    *found = (ifd__hdf5_found){.status = IFD_FILE, .bytes = there ? (uint64_t)facts.st_size : 0};
    if (there && !S_ISREG(facts.st_mode))
        return "it is not a file";
    if (!there && ifd__unfinished_beside(arena, path))
        return "there is none; the program ended before anything was recorded (see " IFD__UNFINISHED ")";
    ifd__seal seal = ifd__seal_check(path);
    if (seal == IFD__SEAL_BROKEN) {
        found->status = IFD_DAMAGED;
        return "it is damaged: its checksum is wrong";
    }
    found->sealed = seal == IFD__SEAL_HOLDS;
    return ifd__hdf5_unfinished(path) ? "its test has not ended, or was interrupted" : NULL;
}

static hid_t open_finished(ifd_arena *arena, const char *path, ifd__hdf5_found *found)
{
    ifd__hdf5_quiet quiet; /* never undone: the process ends after reading */
    found->why = examine(arena, path, found);
    if (found->why)
        return -1;
    ifd__hdf5_quiet_begin(&quiet);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(access, 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0) { /* before any other call, which would clear the reason */
        found->why = ifd__hdf5_reason(arena);
        found->status = was_hdf5(path) ? IFD_DAMAGED : IFD_FILE;
    }
    H5Pclose(access);
    return file;
}

/* A file of 100 MB takes less than a second; HDF5 loops on a damaged file if it takes ten times as long. */
static unsigned seconds_for(uint64_t bytes)
{
    enum { LEAST = 3, BYTES_PER_SECOND = 4 << 20 };
    return LEAST + (unsigned)(bytes / BYTES_PER_SECOND);
}

typedef struct reading {
    ifd_arena *arena;
    const char *path;
    const ifd__hdf5_reader *by;
    void *self;
    ifd__hdf5_found *found;
} reading;

/* Runs in the child. */
static void read_apart(void *data, ifd__child_pipe *to)
{
    const reading *r = data;
    ifd__hdf5_found *found = r->found;
    hid_t file = open_finished(r->arena, r->path, found);
    if (file >= 0)
        found->why = r->by->read(r->self, file, found);
    const int64_t first[] = {found->status, found->sealed};
    ifd__child_put(to, first, sizeof first);
    ifd__child_put_text(to, found->why);
    if (!found->why)
        r->by->send(r->self, to);
}

bool ifd__hdf5_read(ifd_arena *arena, const char *path, const ifd__hdf5_reader *by, void *self,
                    ifd__hdf5_found *found)
{
    enum { LONGEST_REASON = 1 << 12 };
    struct stat facts;
    ifd__child c;
    int64_t first[2];
    *found = (ifd__hdf5_found){.bytes = stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0};
    reading r = {arena, path, by, self, found};
    if (!ifd__child_open(&c, read_apart, &r, by->times * seconds_for(found->bytes))) {
        *found = (ifd__hdf5_found){.status = IFD_NO_MEMORY, .why = "no process can be started to read it"};
        return false;
    }
    const char *refused = NULL;
    bool said = ifd__child_get(&c, first, sizeof first) && first[0] >= 0 && first[0] < IFD_STATUS_COUNT &&
                (refused = ifd__child_get_text(&c, arena, LONGEST_REASON));
    found->status = said ? (ifd_status)first[0] : IFD_DAMAGED;
    found->sealed = said && first[1] != 0;
    bool good = said && !*refused && by->receive(self, &c, found->bytes);
    const char *why = ifd__child_close(&c);
    if (good)
        return true;
    found->why = said && *refused && found->status != IFD_OK ? refused
                 : why                                       ? ifd_arena_print(arena, "it is damaged: %s", why)
                                                             : "no memory";
    found->status = found->why == refused ? found->status : IFD_DAMAGED;
    return false;
}

void ifd__hdf5_unsealed(const char *path, ifd_note *note)
{
    ifd_note_remark(note, NULL,
                    "'%s' has no seal: another program changed it, or its end is missing. A wrong number or text in "
                    "it cannot be detected",
                    path);
}

const char *ifd__hdf5_text(ifd_arena *arena, hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0)
        return "";
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    char *text = NULL;
    const char *copy = NULL;
    if (H5Aread(attribute, type, &text) >= 0 && text) {
        copy = ifd_arena_text(arena, text);
        H5free_memory(text);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return copy ? copy : "";
}

long ifd__hdf5_integer(hid_t object, const char *name, long otherwise)
{
    long value = otherwise;
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0)
        return otherwise;
    if (H5Aread(attribute, H5T_NATIVE_LONG, &value) < 0)
        value = otherwise;
    H5Aclose(attribute);
    return value;
}

bool ifd__hdf5_length(hid_t set, hsize_t *length)
{
    hid_t space = H5Dget_space(set);
    *length = 0;
    bool flat =
        space >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, length, NULL) == 1;
    if (space >= 0)
        H5Sclose(space);
    return flat;
}

char *ifd__hdf5_bundle(ifd_arena *arena, hid_t file, uint64_t most, uint64_t *length)
{
    hid_t set = H5Lexists(file, "bundle", H5P_DEFAULT) > 0 ? H5Dopen2(file, "bundle", H5P_DEFAULT) : -1;
    hsize_t size = 0;
    char *text =
        set >= 0 && ifd__hdf5_length(set, &size) && size <= most ? ifd_arena_take(arena, (size_t)size + 1) : NULL;
    if (text && H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        text = NULL;
    *length = size;
    return text;
}
