/* SPDX-License-Identifier: MIT */
/* The results of a study in memory and in its journal, and the queue of members. */
#include "study/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/os_linux.h"
#include "study/study.h"
#include "text/file.h"

/* A result of a member as bytes. */

static const char *const words[] = {
#define WORD_OF(name, word) word,
    IFD_STUDY_OUTCOMES(WORD_OF)
#undef WORD_OF
};

const char *ifd_study_outcome_name(ifd_study_outcome outcome)
{
    return outcome >= 0 && outcome < IFD_STUDY_OUTCOME_COUNT ? words[outcome] : "unknown";
}

size_t ifd__result_bytes(const ifd_study *s, const ifd__result_head *h)
{
    const int64_t most = (int64_t)1 << 40;
    if (h->rows < 0 || h->reason < 0 || h->reason > IFD_STUDY_REASON || h->rows > most / (8 * (2 + s->histories)))
        return 0;
    size_t numbers = (size_t)(s->variables + s->scalars) + (size_t)h->rows * (size_t)(1 + s->histories);
    return sizeof *h + numbers * sizeof(double) + (size_t)h->reason;
}

void ifd__result_pack(const ifd_study *s, const ifd_study_result *r, const double *series, char *to)
{
    const ifd__result_head head = {.number = r->number,
                                   .hash = r->hash,
                                   .reached = r->reached,
                                   .duration = r->duration,
                                   .outcome = (int32_t)r->outcome,
                                   .reason = (int32_t)strnlen(r->reason, IFD_STUDY_REASON),
                                   .rows = r->rows};
    size_t bytes = (size_t)r->rows * (size_t)(1 + s->histories) * sizeof *series;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    memcpy(to, r->value, (size_t)s->variables * sizeof *r->value);
    to += (size_t)s->variables * sizeof *r->value;
    memcpy(to, r->scalar, (size_t)s->scalars * sizeof *r->scalar);
    to += (size_t)s->scalars * sizeof *r->scalar;
    if (bytes)
        memcpy(to, series, bytes);
    memcpy(to + bytes, r->reason, (size_t)head.reason);
}

bool ifd__result_unpack(ifd_arena *arena, const ifd_study *s, const void *bytes, size_t length, ifd_study_result *out,
                        const char **series)
{
    ifd__result_head h;
    const char *at = bytes;
    if (length < sizeof h)
        return false;
    memcpy(&h, at, sizeof h);
    at += sizeof h;
    size_t values = (size_t)(s->variables + s->scalars) * sizeof(double);
    if (h.outcome < 0 || h.outcome >= IFD_STUDY_OUTCOME_COUNT || ifd__result_bytes(s, &h) != length)
        return false;
    double *number = ifd_arena_take(arena, values);
    if (!number)
        return false;
    memcpy(number, at, values);
    at += values;
    *series = at;
    *out = (ifd_study_result){.number = (long)h.number,
                              .outcome = (ifd_study_outcome)h.outcome,
                              .hash = h.hash,
                              .reached = h.reached,
                              .duration = h.duration,
                              .value = number,
                              .scalar = number + s->variables,
                              .reason = "",
                              .rows = (long)h.rows};
    if (h.reason)
        out->reason = ifd_arena_text_n(arena, (const char *)bytes + length - h.reason, (size_t)h.reason);
    return out->reason != NULL;
}

static long *slot_of(const ifd_study_store *s, long number)
{
    uint64_t spread = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15), mask = (uint64_t)s->slots - 1;
    uint64_t at = (spread >> 20) & mask;
    while (s->slot[at] && s->row[s->slot[at] - 1]->number != number)
        at = (at + 1) & mask;
    return &s->slot[at];
}

const ifd_study_result *ifd__store_find(const ifd_study_store *s, long number)
{
    long at = s->slots ? *slot_of(s, number) : 0;
    return at ? s->row[at - 1] : NULL;
}

bool ifd__store_finished(const ifd_study_store *s, long number)
{
    long at = s->slots ? *slot_of(s, number) : 0;
    return at && (s->row[at - 1]->outcome != IFD_STUDY_CRASHED || at > s->loaded);
}

/* Room for one more row; the table of numbers is at most half full. */
static bool grow(ifd_study_store *s)
{
    if (s->rows < s->room)
        return true;
    long room = s->room ? 2 * s->room : 256;
    ifd_study_result **row = realloc(s->row, (size_t)room * sizeof *row);
    s->row = row ? row : s->row;
    uint64_t *series = realloc(s->series, (size_t)room * sizeof *series);
    s->series = series ? series : s->series;
    long *slot = calloc((size_t)(2 * room), sizeof *slot);
    if (!row || !series || !slot) {
        free(slot);
        return false;
    }
    free(s->slot);
    s->slot = slot;
    s->slots = 2 * room;
    s->room = room;
    for (long i = 0; i < s->rows; i++)
        *slot_of(s, s->row[i]->number) = i + 1;
    return true;
}

ifd_status ifd__store_add(ifd_study_store *s, const void *bytes, size_t length, uint64_t at)
{
    const char *series;
    ifd_study_result *row = ifd_arena_take(s->arena, sizeof *row);
    IFD__HAVE(row && grow(s));
    if (!ifd__result_unpack(s->arena, s->study, bytes, length, row, &series))
        return IFD_DAMAGED;
    long *slot = slot_of(s, row->number);
    if (*slot) { /* only a crashed one is replaced, by its later computation */
        long known = *slot - 1;
        if (s->row[known]->outcome == IFD_STUDY_CRASHED) {
            s->row[known] = row;
            s->series[known] = at + (uint64_t)(series - (const char *)bytes);
        }
        return IFD_OK;
    }
    s->series[s->rows] = at + (uint64_t)(series - (const char *)bytes);
    s->row[s->rows++] = row;
    *slot = s->rows;
    return IFD_OK;
}

long ifd_study_count(const ifd_study_store *s)
{
    return s->rows;
}

const ifd_study_result *ifd_study_at(const ifd_study_store *s, long index)
{
    return s->row[index];
}

long ifd_study_expected(const ifd_study_store *s)
{
    const ifd_study_plan *p = s->study->plan;
    if (p->steps > 1)
        return s->rows + s->handed + s->waiting.count;
    return (p->chains - s->shard.index + s->shard.count) / s->shard.count * p->width;
}

/* Processes of a study that was killed may take an instant to end. */
static bool lock(int fd)
{
    int64_t began = ifd__clock_now();
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || ifd__clock_now() - began > 2000000000)
            return false;
        ifd__clock_sleep(ifd__clock_now() + 20000000);
    }
    return true;
}

static ifd_status open_journal(ifd_study_store *s, ifd_note *note)
{
    const char *path = ifd_arena_print(s->arena, "%s/" IFD__STUDY_JOURNAL, s->folder);
    if (!path || ifd__folder_make(s->arena, s->folder))
        return ifd_note_add(note, IFD_OUTPUT, NULL, "the folder '%s' cannot be made: %s", s->folder, strerror(errno));
    s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->fd < 0)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be opened: %s", path, strerror(errno));
    if (!lock(s->fd))
        return ifd_note_add(note, IFD_CONFLICT, NULL, "another program computes the study in '%s'", s->folder);
    ifd_status status = ifd__journal_begun(s) ? ifd__journal_load(s, note) : ifd__journal_begin(s, note);
    ifd__path_sync(path);
    return status;
}

static void leave(void *store)
{
    ifd_study_store_close(store);
}

ifd_status ifd_study_store_open(ifd_arena *arena, ifd_study *study, const char *folder, const ifd_study_shard *shard,
                                ifd_study_store **out, ifd_note *note)
{
    const ifd_study_plan *p = study->plan;
    ifd_study_store *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->arena = arena;
    s->study = study;
    s->fd = -1;
    s->shard = shard ? *shard : (ifd_study_shard){1, 1};
    s->cursor = s->shard.index - 1;
    s->folder = ifd_arena_text(arena, folder);
    s->scratch = ifd_arena_array(arena, (size_t)p->width * (size_t)study->variables, sizeof *s->scratch);
    if (p->steps > 1)
        s->chain = ifd_arena_array(arena, (size_t)p->chains, sizeof *s->chain);
    if (!s->folder || !s->scratch || (p->steps > 1 && !s->chain) || !ifd_arena_on_close(arena, leave, s))
        return IFD_NO_MEMORY;
    if (s->shard.count < 1 || s->shard.index < 1 || s->shard.index > s->shard.count)
        return ifd_note_add(note, IFD_RANGE, NULL, "shard %d of %d does not exist", s->shard.index, s->shard.count);
    IFD_TRY(open_journal(s, note));
    *out = s;
    return IFD_OK;
}

void ifd_study_store_close(ifd_study_store *s)
{
    if (s->fd >= 0) {
        (void)fdatasync(s->fd);
        close(s->fd);
    }
    s->fd = -1;
    free(s->row);
    free(s->series);
    free(s->slot);
    free(s->waiting.number);
    free(s->waiting.value);
    s->row = NULL;
    s->series = NULL;
    s->slot = NULL;
    s->waiting = (ifd__waiting){0};
    s->rows = s->room = s->slots = 0;
}
