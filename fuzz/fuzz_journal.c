/* SPDX-License-Identifier: MIT */
/* library: all
 * runs: 20000
 *
 * Journals. The seed is a small journal, made here; the input changes its bytes. With its first bit set the checksums
 * of head and records are corrected, so that the code behind them is reached. The file is refused with a reason, or
 * read to its end with consistent counts. Built and run by tools/fuzz. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/journal/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TICKS = 4, MOST = 1 << 16 };

static void demand(int holds)
{
    if (!holds)
        abort();
}

/* A journal; returns its length. */
static size_t make(ifd_arena *arena, unsigned char *out)
{
    static const ifd_column column[2] = {{"state", "", "test", "", IFD_COLUMN_TEST_STATE, 0},
                                         {"spring force", "N", "rig", "spring", IFD_COLUMN_INTERFACE_FORCE, 0}};
    const ifd_journal_facts f = {.version = "0",
                                 .kernels = "plain",
                                 .cpu = "some",
                                 .started = "2026-01-01T00:00:00Z",
                                 .period = 1e-3,
                                 .sensed = 1,
                                 .remote = {.dofs = 1, .order = 2},
                                 .notes = "one\ntwo",
                                 .columns = 2,
                                 .column = column,
                                 .bundle = "a: 1\n",
                                 .bundle_length = 5};
    ifd__layout l;
    const double values[2] = {3, -1684};
    const unsigned char *head = ifd__head_encode(arena, &f, &l);
    demand(head != NULL);
    memcpy(out, head, (size_t)l.head);
    size_t at = (size_t)l.head;
    for (uint64_t k = 1; k <= TICKS; k++, at += l.record) {
        double room[128] = {0};
        if (k < TICKS)
            ifd__frame_encode(&l, k, &(ifd_tick_record){.tick = k, .values = values}, room);
        else
            ifd__frame_encode_end(&l, k, &(ifd_journal_ending){.report = {.ticks = TICKS - 1}}, room);
        memcpy(out + at, room, l.record);
    }
    return at;
}

static void mend(unsigned char *p, size_t length)
{
    ifd__journal_head h;
    memcpy(&h, p, sizeof h);
    if (h.text <= length - sizeof h) {
        h.checksum = ifd__head_checksum(p, (size_t)h.text);
        memcpy(p, &h, sizeof h);
    }
    for (size_t at = (size_t)h.bytes, k = 1; h.record >= 16 && h.record % 8 == 0 && at < length; k++) {
        if (h.record > length - at)
            return;
        double room[MOST / 8];
        memcpy(room, p + at, h.record);
        uint64_t number = k, sum;
        memcpy(room + 1, &number, sizeof number);
        sum = ifd__hash(h.id, room + 1, h.record / 8 - 1);
        memcpy(room, &sum, sizeof sum);
        memcpy(p + at, room, h.record);
        at += h.record;
    }
}

static void read_all(ifd_arena *arena, const char *path)
{
    ifd_note note;
    ifd_journal_reader *r = NULL;
    ifd_tick_record record;
    uint64_t ticks = 0;
    double sum = 0;
    ifd_note_init(&note, arena);
    if (ifd_journal_read(arena, path, &r, &note) != IFD_OK) {
        demand(note.errors > 0 && note.first->text[0]);
        return;
    }
    const ifd_journal_facts *f = ifd_journal_head(r);
    demand(f->columns >= 0 && f->period > 0);
    for (int i = 0; i < f->columns; i++)
        demand(f->column[i].name && f->column[i].unit && f->column[i].group);
    for (; ifd_journal_next(r, &record); ticks++)
        for (int i = 0; i < f->columns; i++)
            sum += record.values[i] > 0;
    ifd_journal_end e = ifd_journal_ended(r);
    demand(e.records == ticks && e.state != IFD_JOURNAL_OPEN && sum >= 0);
    demand(e.state != IFD_JOURNAL_CLOSED || (e.has_ending && !e.bad && !e.dropped));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char file[MOST];
    ifd_arena *arena = ifd_arena_open();
    char path[64];
    demand(arena != NULL);
    if (size < 4) {
        ifd_arena_close(arena);
        return 0;
    }
    size_t length = make(arena, file);
    for (size_t i = 1; i + 3 <= size; i += 3) /* two bytes: position, mostly in the head; one: value */
        file[((size_t)data[i] << 8 | data[i + 1]) % (data[0] & 4 ? length : 400)] = data[i + 2];
    if (data[0] & 1)
        mend(file, length);
    if (data[0] & 8)
        length = ((size_t)data[1] << 8 | data[2]) % length;
    int memory = memfd_create("fuzz", MFD_CLOEXEC);
    demand(memory >= 0 && write(memory, file, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    read_all(arena, path);
    ifd_arena_close(arena);
    close(memory);
    return 0;
}
