/* SPDX-License-Identifier: MIT */
/* The journal: a line of text, then records of length, checksum and bytes. Records are only appended, by one
 * process. A record that is cut or damaged ends the journal. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include <interfield/version.h>

#include "base/os_linux.h"
#include "study/store.h"
#include "text/file.h"

static const char title[] = "interfield study journal 1\n";
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

typedef struct frame {
    uint64_t length;
    uint32_t crc, mark;
} frame;
enum { MARK = 0x53545544 };

static uint32_t crc_of(const void *bytes, size_t length)
{
    return (uint32_t)crc32_z(0, bytes, length);
}

/* Syncs about every five seconds: a stopped machine then loses no more. */
static void sync_now_and_then(ifd_study_store *s)
{
    double now = 1e-9 * (double)ifd__clock_now();
    if (now - s->synced < 5.0)
        return;
    s->synced = now;
    (void)fdatasync(s->fd);
}

ifd_status ifd__journal_append(ifd_study_store *s, const void *bytes, size_t length, uint64_t *at, ifd_note *note)
{
    const frame f = {length, crc_of(bytes, length), MARK};
    char whole[1024]; /* a small record is one write */
    size_t first = sizeof f + (length <= sizeof whole - sizeof f ? length : 0);
    memcpy(whole, &f, sizeof f);
    memcpy(whole + sizeof f, bytes, first - sizeof f);
    if (!ifd__file_put(s->fd, whole, first, s->end) ||
        (first == sizeof f && !ifd__file_put(s->fd, bytes, length, s->end + sizeof f))) {
        int why = errno;
        (void)!ftruncate(s->fd, (off_t)s->end);
        return ifd_note_advise(note, IFD_OUTPUT, NULL,
                               "all finished members are stored; the same command continues the study",
                               "'%s/" IFD__STUDY_JOURNAL "' could not be written: %s", s->folder, strerror(why));
    }
    *at = s->end + sizeof f;
    s->end += sizeof f + length;
    sync_now_and_then(s);
    return IFD_OK;
}

/* The next record; bytes are allocated with malloc. False: the end of the complete records. */
static bool read_record(ifd_study_store *s, char **bytes, size_t *length)
{
    frame f;
    struct stat facts;
    *bytes = NULL;
    if (ifd__file_get(s->fd, &f, sizeof f, s->end) != sizeof f || f.mark != MARK || fstat(s->fd, &facts) != 0 ||
        f.length > (uint64_t)facts.st_size)
        return false;
    *bytes = malloc(f.length ? f.length : 1);
    *length = f.length;
    if (*bytes && ifd__file_get(s->fd, *bytes, f.length, s->end + sizeof f) == f.length &&
        crc_of(*bytes, f.length) == f.crc)
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

ifd_status ifd__journal_begin(ifd_study_store *s, ifd_note *note)
{
    const ifd__journal_head head = {.order = byte_order,
                                    .hash = s->study->hash,
                                    .expected = ifd_study_expected(s),
                                    .shard = s->shard.index,
                                    .shards = s->shard.count,
                                    .bytes = sizeof(ifd__result_head)};
    const char *shape = ifd__shape_write(s->arena, s->study);
    size_t length = shape ? sizeof head + strlen(shape) : 0;
    char *all = shape ? ifd_arena_take(s->arena, length) : NULL;
    uint64_t at;
    IFD__HAVE(all);
    memcpy(all, &head, sizeof head);
    memcpy(all + sizeof head, shape, length - sizeof head);
    if (ftruncate(s->fd, 0) != 0 || !ifd__file_put(s->fd, title, sizeof title - 1, 0))
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s/" IFD__STUDY_JOURNAL "' could not be written: %s", s->folder,
                            strerror(errno));
    s->end = sizeof title - 1;
    IFD_TRY(ifd__journal_append(s, all, length, &at, note));
    (void)fdatasync(s->fd);
    return IFD_OK;
}

/* The head, and the shape as text in the arena; NULL: damaged. */
static const char *read_head(ifd_study_store *s, ifd__journal_head *head)
{
    char start[sizeof title], *bytes;
    size_t length;
    if (ifd__file_get(s->fd, start, sizeof title - 1, 0) != sizeof title - 1 ||
        memcmp(start, title, sizeof title - 1) != 0)
        return NULL;
    s->end = sizeof title - 1;
    if (!read_record(s, &bytes, &length))
        return NULL;
    const char *shape = NULL;
    if (length >= sizeof *head) {
        memcpy(head, bytes, sizeof *head);
        shape = ifd_arena_text_n(s->arena, bytes + sizeof *head, length - sizeof *head);
    }
    free(bytes);
    s->end += sizeof(frame) + length;
    return head->order == byte_order && head->bytes == (int32_t)sizeof(ifd__result_head) ? shape : NULL;
}

static ifd_status load_rows(ifd_study_store *s)
{
    char *bytes;
    size_t length;
    ifd_status status = IFD_OK;
    while (status == IFD_OK && read_record(s, &bytes, &length)) {
        status = ifd__store_add(s, bytes, length, s->end + sizeof(frame));
        free(bytes);
        if (status == IFD_DAMAGED)
            return IFD_OK; /* as if it were cut there */
        s->end += sizeof(frame) + length;
    }
    return status;
}

bool ifd__journal_begun(ifd_study_store *s)
{
    char start[sizeof title] = "";
    frame f;
    struct stat facts;
    size_t n = ifd__file_get(s->fd, start, sizeof title - 1, 0);
    if (memcmp(start, title, n) != 0 || fstat(s->fd, &facts) != 0)
        return true; /* something else */
    return n == sizeof title - 1 && ifd__file_get(s->fd, &f, sizeof f, n) == sizeof f &&
           (uint64_t)facts.st_size >= n + sizeof f + f.length;
}

ifd_status ifd__journal_load(ifd_study_store *s, ifd_note *note)
{
    ifd__journal_head head = {0};
    ifd_study kept = {0};
    const char *shape = read_head(s, &head);
    if (!shape || !ifd__shape_read(s->arena, shape, &kept))
        return ifd_note_add(note, IFD_DAMAGED, NULL, "'%s/" IFD__STUDY_JOURNAL "' is not the journal of a study",
                            s->folder);
    const char *other = head.hash != s->study->hash                ? "another study, or an earlier form of it"
                        : strcmp(kept.version, ifd_version()) != 0 ? "this study, computed by another version"
                        : head.shard != s->shard.index || head.shards != s->shard.count
                            ? "another shard of this study"
                            : NULL;
    if (other)
        return ifd_note_advise(note, IFD_CONFLICT, NULL,
                               "choose another folder with --out, or begin again with --force", "'%s' holds %s",
                               s->folder, other);
    s->study->kernels = ifd__kernels_join(s->arena, kept.kernels, ifd_study_kernels(s->study));
    IFD__HAVE(s->study->kernels);
    if (strcmp(s->study->kernels, kept.kernels) != 0)
        ifd_note_remark(note, NULL,
                        "this study began on another kind of processor (%s); last bits may differ between members",
                        kept.kernels);
    IFD_TRY(load_rows(s));
    s->loaded = s->rows;
    if (ftruncate(s->fd, (off_t)s->end) != 0)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s/" IFD__STUDY_JOURNAL "' could not be written: %s", s->folder,
                            strerror(errno));
    return IFD_OK;
}

static void leave(void *store)
{
    ifd_study_store_close(store);
}

ifd_status ifd__journal_open(ifd_arena *arena, const char *folder, ifd_study_store **out, ifd__journal_head *head,
                             ifd_note *note)
{
    ifd_study_store *s = ifd_arena_take(arena, sizeof *s);
    ifd_study *study = ifd_arena_take(arena, sizeof *study);
    const char *path = ifd_arena_print(arena, "%s/" IFD__STUDY_JOURNAL, folder);
    IFD__HAVE(s && study && path);
    s->arena = study->arena = arena;
    s->study = study;
    s->folder = ifd_arena_text(arena, folder);
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' holds no study: %s", folder, strerror(errno));
    if (!s->folder || !ifd_arena_on_close(arena, leave, s)) {
        close(s->fd);
        return IFD_NO_MEMORY;
    }
    const char *shape = read_head(s, head);
    if (!shape || !ifd__shape_read(arena, shape, study))
        return ifd_note_add(note, IFD_DAMAGED, NULL, "'%s' is not the journal of a study", path);
    study->hash = head->hash;
    s->shard = (ifd_study_shard){head->shard, head->shards};
    IFD_TRY(load_rows(s));
    *out = s;
    return IFD_OK;
}
