/* SPDX-License-Identifier: MIT */
/* Reads a journal, complete or truncated, during writing or after. A record counts only if its checksum is correct
 * and its number matches its position; all data between two such records are bad. */
#include "record/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/result.h"
#include "text/file.h"

enum { BUFFER = 1 << 20 };
static const uint64_t MOST_HEAD = (uint64_t)1 << 31;

struct ifd_journal_reader {
    int file;
    ifd__layout l;
    ifd_journal_facts facts;
    uint64_t next, bound; /* records examined; limit */
    unsigned char *buffer;
    size_t room;    /* records of the buffer */
    uint64_t first; /* number of its first record, counted from 0 */
    size_t held;
    ifd_tick_trace trace;
    uint32_t start[IFD__JOURNAL_START]; /* words of the start that were found */
    unsigned found;                     /* bit k: word k */
    ifd_journal_end end;
};

static void leave(void *reader)
{
    ifd_journal_reader *r = reader;
    if (r->file >= 0)
        close(r->file);
    r->file = -1;
}

static ifd_status refuse(const char *path, const char *why, ifd_note *note)
{
    return ifd_note_add(note, IFD_FILE, NULL, "'%s' cannot be read as a journal: %s", path, why);
}

static ifd_status read_head(ifd_journal_reader *r, ifd_arena *arena, const char *path, ifd_note *note)
{
    ifd__journal_head h = {0};
    size_t got = ifd__file_get(r->file, &h, sizeof h, 0);
    uint64_t bytes = got == sizeof h && h.bytes > got && h.bytes < MOST_HEAD ? h.bytes : sizeof h;
    struct stat facts;
    if (fstat(r->file, &facts) == 0 && bytes > (uint64_t)facts.st_size)
        bytes = (uint64_t)facts.st_size;
    unsigned char *p = ifd_arena_take(arena, (size_t)bytes + 1);
    IFD__HAVE(p);
    got = ifd__file_get(r->file, p, (size_t)bytes, 0);
    if (got == 0 && fstat(r->file, &facts) == 0 && S_ISREG(facts.st_mode))
        return refuse(path, "it is empty; the program ended before the first tick, and nothing was recorded", note);
    const char *wrong = ifd__head_decode(arena, p, got, &r->l, &r->facts);
    return wrong ? refuse(path, wrong, note) : IFD_OK;
}

/* A program that is killed during set-up leaves a folder with the mark of an incomplete result, possibly a result.h5
 * that was never closed, and no journal or an empty one. */
static const char *why_not(ifd_arena *arena, const char *path, int error)
{
    const char *beside = ifd__file_relative(arena, &(ifd_place){.file = path}, "result.h5");
    if (error == ENOENT && beside && (access(beside, F_OK) == 0 || ifd__unfinished_beside(arena, path)))
        return "there is none; the program ended before the first tick, and nothing was recorded";
    return strerrordesc_np(error);
}

ifd_status ifd_journal_read(ifd_arena *arena, const char *path, ifd_journal_reader **out, ifd_note *note)
{
    ifd_journal_reader *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    r->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->file < 0)
        return refuse(path, why_not(arena, path, errno), note);
    if (!ifd_arena_on_close(arena, leave, r)) {
        leave(r);
        return IFD_NO_MEMORY;
    }
    IFD_TRY(read_head(r, arena, path, note));
    r->bound = UINT64_MAX;
    r->room = BUFFER / r->l.record ? BUFFER / r->l.record : 1;
    r->buffer = ifd_arena_array(arena, r->room, r->l.record);
    IFD__HAVE(r->buffer);
    *out = r;
    return IFD_OK;
}

const ifd_journal_facts *ifd_journal_head(const ifd_journal_reader *r)
{
    return &r->facts;
}

void ifd__journal_bound(ifd_journal_reader *r, uint64_t records)
{
    r->bound = records;
}

/* Record k, counted from 0; NULL after the end of the file. */
static const unsigned char *record(ifd_journal_reader *r, uint64_t k)
{
    if (k < r->first || k >= r->first + r->held) {
        uint64_t most = r->bound - k < r->room ? r->bound - k : r->room;
        r->first = k;
        r->held =
            ifd__file_get(r->file, r->buffer, (size_t)most * r->l.record, r->l.head + k * r->l.record) / r->l.record;
    }
    return k < r->first + r->held ? r->buffer + (size_t)(k - r->first) * r->l.record : NULL;
}

static bool is_zero(const unsigned char *p, size_t bytes)
{
    return p[0] == 0 && memcmp(p, p + 1, bytes - 1) == 0;
}

/* The first valid record from k on; NULL: none. */
static const unsigned char *find_sound(ifd_journal_reader *r, uint64_t *k)
{
    const unsigned char *p = NULL;
    while (*k < r->bound && (p = record(r, *k)) && !ifd__frame_sound(&r->l, *k + 1, p))
        ++*k;
    return *k < r->bound ? p : NULL;
}

static void note_bad(ifd_journal_reader *r, uint64_t from, uint64_t count)
{
    ifd_journal_end *e = &r->end;
    if (!e->bad_record) {
        e->bad_record = from + 1;
        e->bad_offset = r->l.head + from * r->l.record;
        e->bad_tick = e->last + 1;
    }
    e->bad += count;
}

/* Whether the last record is incomplete: a program that is killed during a write leaves the pages before that
 * instant, followed by zeros of claimed space. */
static bool unfinished(const ifd_journal_reader *r, const unsigned char *p)
{
    enum { PAGE = 4096 };
    uint64_t from = r->l.head + r->next * r->l.record, to = from + r->l.record, page = (to - 1) / PAGE * PAGE;
    return page > from && is_zero(p + (page - from), (size_t)(to - page));
}

/* The end without a mark. Zeros are claimed space; other data are an incomplete or damaged record. */
static void cut(ifd_journal_reader *r)
{
    const unsigned char *p = record(r, r->next);
    r->end.state = r->end.bad ? IFD_JOURNAL_DAMAGED : IFD_JOURNAL_CUT;
    if (p && !is_zero(p, r->l.record) && !unfinished(r, p))
        note_bad(r, r->next, 1);
}

/* Each record contains the number of missing ticks before it. For ticks missing at the end there is none, and the
 * number in a damaged record is lost: the executed ticks minus all known ones are also missing. */
static void account(ifd_journal_end *e)
{
    const ifd_journal_ending *last = &e->ending;
    uint64_t ticks = (uint64_t)last->report.ticks > last->seen ? (uint64_t)last->report.ticks : last->seen;
    e->ticks = ticks > e->last ? ticks : e->last;
    e->thinned = last->thinned > e->thinned ? last->thinned : e->thinned;
    uint64_t known = e->records + e->bad + e->thinned;
    if (e->ticks > known && e->ticks - known > e->dropped)
        e->dropped = e->ticks - known;
}

static void closed(ifd_journal_reader *r, const unsigned char *p)
{
    ifd_journal_end *e = &r->end;
    e->has_ending = true;
    ifd__frame_decode_end(p, &e->ending);
    account(e);
    e->state = e->bad ? IFD_JOURNAL_DAMAGED : e->dropped ? IFD_JOURNAL_INCOMPLETE : IFD_JOURNAL_CLOSED;
}

static void take_start(ifd_journal_reader *r, const unsigned char *p)
{
    int number;
    uint32_t word = ifd__frame_start(p, &number);
    r->start[number] = word;
    r->found |= 1u << number;
}

void ifd__journal_start(const ifd_journal_reader *r, ifd_executor_report *out)
{
    const unsigned all = (1u << IFD__JOURNAL_START) - 1;
    if (r->found == all)
        ifd__start_decode(r->start, out);
}

bool ifd_journal_next(ifd_journal_reader *r, ifd_tick_record *out)
{
    if (r->end.state != IFD_JOURNAL_OPEN || r->next >= r->bound)
        return false;
    uint64_t k = r->next;
    const unsigned char *p = find_sound(r, &k);
    if (!p) {
        if (r->bound == UINT64_MAX)
            cut(r);
        return false;
    }
    if (k > r->next)
        note_bad(r, r->next, k - r->next);
    r->next = k + 1;
    ifd__frame f;
    memcpy(&f, p, sizeof f);
    if (f.kind == IFD__JOURNAL_END) {
        closed(r, p);
        return false;
    }
    ifd__frame_decode(&r->l, p, out, &r->trace);
    take_start(r, p);
    r->end.last = r->end.ticks = out->tick;
    r->end.records++;
    r->end.dropped += out->dropped;
    r->end.thinned += out->thinned;
    return true;
}

ifd_journal_end ifd_journal_ended(const ifd_journal_reader *r)
{
    return r->end;
}
