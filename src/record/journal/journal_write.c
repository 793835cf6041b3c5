/* SPDX-License-Identifier: MIT */
/* Writes a journal. Two threads are between the caller and the disk. One takes records from a queue and passes them
 * to the system every few ms, so that they survive the program. The other requests a sync to the disk every 100 ms,
 * so that they survive a power failure. A long sync therefore does not delay the first thread.
 *
 * Space is claimed in advance. If no more can be claimed, the caller is informed while there is still room for the
 * time in which a test comes to rest. */
#include "record/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "text/file.h"
#include "base/os_linux.h"
#include "base/arena.h"

enum { BUFFER = 1 << 20, LEAST_CHUNK = 1 << 20, MOST_CHUNK = 64 << 20, MOST_QUEUE = 64 << 20, LEAST_RECORDS = 256 };
static const double AHEAD = 10.0; /* s of records claimed at a time */
static const int64_t millisecond = 1000000;

struct ifd_journal {
    ifd__layout l;
    ifd_journal_options o;
    const char *path;
    int file;
    ifd__ring *queue;
    ifd__journal_hook hook;

    /* of the adding thread */
    uint64_t sequence;                   /* of the last record added */
    uint64_t lost, lost_skipped, passed; /* since that record */
    uint64_t seen, thinned;              /* in total */

    /* of the writing thread */
    unsigned char *buffer;
    uint64_t at, claimed, chunk, queued; /* bytes; queued: a full queue */

    pthread_t writer, syncer;
    bool open;
    atomic_bool stop, stop_sync;
    _Atomic uint64_t written, dropped;
    _Atomic int scarce, broken; /* errno: no more space can be claimed; writing has failed */
};

static int claim(ifd_journal *j)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < j->claimed + j->chunk)
        return EFBIG;
    if (fallocate(j->file, 0, (off_t)j->claimed, (off_t)j->chunk) == 0) {
        j->claimed += j->chunk;
        return 0;
    }
    if (errno == EINTR)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return errno;
    j->claimed = UINT64_MAX / 2; /* the file system cannot claim space: the file grows during writing */
    return 0;
}

/* The queue may be full when the caller is informed; the ramp-out follows after it. */
static void claim_ahead(ifd_journal *j, uint64_t end)
{
    int why = 0;
    while (!why && !atomic_load(&j->scarce) && end + j->queued + j->chunk / 2 > j->claimed)
        why = claim(j);
    if (why)
        atomic_store(&j->scarce, why);
}

/* Moves records from the queue into the buffer; returns their number. *rest: the queue may have more. */
static size_t gather(ifd_journal *j, bool *rest)
{
    size_t most = BUFFER > j->l.record ? BUFFER / j->l.record : 1, n = 0;
    const void *p;
    for (; n < most && (p = ifd__ring_front(j->queue, NULL)); n++) {
        memcpy(j->buffer + n * j->l.record, p, j->l.record);
        ifd__ring_pop(j->queue);
    }
    *rest = n == most;
    return n;
}

/* After a failed write, further records are only counted: a gap in the middle would make them useless. */
static void write_out(ifd_journal *j, size_t count)
{
    size_t bytes = count * j->l.record;
    if (j->hook.call)
        j->hook.call(j->hook.self);
    if (!atomic_load(&j->broken)) {
        claim_ahead(j, j->at + bytes);
        if (!ifd__file_put(j->file, j->buffer, bytes, j->at))
            atomic_store(&j->broken, errno);
    }
    if (atomic_load(&j->broken)) {
        atomic_fetch_add(&j->dropped, count);
        return;
    }
    j->at += bytes;
    atomic_fetch_add_explicit(&j->written, count, memory_order_release);
}

/* What is added during a write waits for the next one: a test without a clock would write each record by itself. */
static void *serve_writer(void *journal)
{
    ifd_journal *j = journal;
    for (bool last = false; !last;) {
        last = atomic_load(&j->stop); /* read first, so that no record added meanwhile is missed */
        for (bool rest = true; rest;) {
            size_t count = gather(j, &rest);
            if (count)
                write_out(j, count);
        }
        if (!last)
            ifd__clock_sleep(ifd__clock_now() + (j->o.lossless ? 1 : 10) * millisecond);
    }
    return NULL;
}

static void *serve_syncer(void *journal)
{
    ifd_journal *j = journal;
    int64_t between = (int64_t)(1e9 * j->o.sync), due = ifd__clock_now();
    uint64_t synced = 0;
    while (!atomic_load(&j->stop_sync)) {
        uint64_t written = atomic_load_explicit(&j->written, memory_order_acquire);
        if (written != synced && fdatasync(j->file) != 0 && errno != EINVAL && errno != EROFS)
            atomic_store(&j->broken, errno);
        synced = written;
        for (due += between; ifd__clock_now() < due && !atomic_load(&j->stop_sync);) {
            int64_t soon = ifd__clock_now() + 10 * millisecond; /* to notice the end */
            ifd__clock_sleep(soon < due ? soon : due);
        }
        due = ifd__clock_now() > due ? ifd__clock_now() : due;
    }
    return NULL;
}

static void join(ifd_journal *j)
{
    if (!j->open)
        return;
    j->open = false;
    atomic_store(&j->stop, true);
    (void)pthread_join(j->writer, NULL);
    atomic_store(&j->stop_sync, true);
    (void)pthread_join(j->syncer, NULL);
}

static void leave(void *journal)
{
    ifd_journal *j = journal;
    join(j);
    if (j->file >= 0)
        close(j->file);
    j->file = -1;
}

static ifd_status refuse(const ifd_journal *j, int why, ifd_note *note)
{
    return ifd_note_add(note, IFD_OUTPUT, NULL, "the journal '%s' could not be written: %s", j->path, strerror(why));
}

static ifd_status make_queue(ifd_journal *j, ifd_arena *arena, double period)
{
    size_t records = LEAST_RECORDS;
    while ((double)records * period < j->o.queue && records * 2 * j->l.record <= MOST_QUEUE)
        records *= 2;
    j->queued = records * j->l.record;
    j->buffer = ifd_arena_take(arena, BUFFER > j->l.record ? BUFFER : j->l.record);
    IFD__HAVE(j->buffer);
    return ifd__ring_make(arena, j->l.record, records, &j->queue);
}

static ifd_status begin(ifd_journal *j, const unsigned char *head, double period, ifd_note *note)
{
    double ahead = AHEAD / period * (double)j->l.record;
    j->chunk = ahead < LEAST_CHUNK ? LEAST_CHUNK : ahead > MOST_CHUNK ? MOST_CHUNK : (uint64_t)ahead;
    j->file = open(j->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (j->file < 0)
        return refuse(j, errno, note);
    int why = ifd__file_put(j->file, head, j->l.head, 0) ? 0 : errno;
    j->at = j->claimed = j->l.head;
    if (!why)
        why = claim(j);
    if (!why && fsync(j->file) != 0)
        why = errno == EINVAL ? 0 : errno;
    if (why)
        return refuse(j, why, note);
    ifd__path_sync(j->path);
    why = ifd__thread_start(&j->writer, serve_writer, j);
    if (!why && (why = ifd__thread_start(&j->syncer, serve_syncer, j))) {
        atomic_store(&j->stop, true);
        (void)pthread_join(j->writer, NULL);
    }
    j->open = !why;
    return why ? refuse(j, why, note) : IFD_OK;
}

ifd_status ifd_journal_open(ifd_arena *arena, const char *path, const ifd_journal_facts *facts,
                            const ifd_journal_options *options, ifd_journal **out, ifd_note *note)
{
    ifd_journal *j;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(j, 1)));
    j->o = options ? *options : (ifd_journal_options){0};
    j->o.queue = j->o.queue > 0 ? j->o.queue : 4.0;
    j->o.sync = j->o.sync > 0 ? j->o.sync : 0.1;
    j->file = -1;
    j->path = ifd_arena_text(arena, path);
    const unsigned char *head = ifd__head_encode(arena, facts, &j->l);
    IFD__HAVE(j->path && head && ifd_arena_on_close(arena, leave, j));
    IFD_TRY(make_queue(j, arena, facts->period));
    IFD_TRY(begin(j, head, facts->period, note));
    *out = j;
    return IFD_OK;
}

void ifd__journal_hook_set(ifd_journal *j, ifd__journal_hook hook)
{
    j->hook = hook;
}

void ifd_journal_add(ifd_journal *j, const ifd_tick_record *record)
{
    j->seen += 1 + record->dropped + record->thinned;
    j->thinned += record->thinned;
    while (j->o.lossless && ifd__ring_full(j->queue))
        ifd__clock_sleep(ifd__clock_now() + millisecond / 10);
    void *p = ifd__ring_claim(j->queue);
    if (!p) {
        j->lost += 1 + record->dropped;
        j->lost_skipped += record->skipped;
        j->passed += record->thinned;
        atomic_fetch_add_explicit(&j->dropped, 1, memory_order_relaxed);
        return;
    }
    ifd_tick_record r = *record;
    r.dropped += j->lost;
    r.skipped += j->lost_skipped;
    r.thinned += j->passed;
    j->lost = j->lost_skipped = j->passed = 0;
    ifd__frame_encode(&j->l, ++j->sequence, &r, p);
    ifd__ring_commit(j->queue);
}

void ifd_journal_pass(ifd_journal *j, const ifd_tick_record *record)
{
    j->seen += 1 + record->dropped + record->thinned;
    j->thinned += 1 + record->thinned;
    j->passed += 1 + record->thinned;
    j->lost += record->dropped;
    j->lost_skipped += record->skipped;
}

uint64_t ifd_journal_written(const ifd_journal *j)
{
    return atomic_load_explicit(&j->written, memory_order_acquire);
}

uint64_t ifd_journal_dropped(const ifd_journal *j)
{
    return atomic_load_explicit(&j->dropped, memory_order_relaxed);
}

ifd_status ifd_journal_status(const ifd_journal *j)
{
    return atomic_load(&j->broken) || atomic_load(&j->scarce) ? IFD_OUTPUT : IFD_OK;
}

ifd_status ifd_journal_close(ifd_journal *j, const ifd_journal_ending *ending, ifd_note *note)
{
    if (j->file < 0)
        return IFD_OK;
    join(j);
    int why = atomic_load(&j->broken);
    if (!why && ending) {
        ifd_journal_ending all = *ending;
        all.seen = j->seen;
        all.thinned = j->thinned;
        all.recorded = j->sequence;
        ifd__frame_encode_end(&j->l, ++j->sequence, &all, j->buffer);
        why = ifd__file_put(j->file, j->buffer, j->l.record, j->at) ? 0 : errno;
        j->at += why ? 0 : j->l.record;
    }
    if (ftruncate(j->file, (off_t)j->at) != 0 && !why)
        why = errno;
    if (fsync(j->file) != 0 && errno != EINVAL && !why)
        why = errno;
    if (close(j->file) != 0 && !why)
        why = errno;
    j->file = -1;
    return why ? refuse(j, why, note) : IFD_OK;
}
