/* SPDX-License-Identifier: MIT */
/* library: all
 * seeds: json in cases
 * runs: 60000
 *
 * Checkpoints, certificates and summaries as files, selected by the first byte; checkpoints with a valid checksum.
 * Every input is refused with a reason, or read. Built and run by tools/fuzz. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <interfield/certificate.h>
#include <interfield/checkpoint.h>

#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

/* Sets length and checksum of a checkpoint by its numbers: head, two measurements, the numbers. */
static size_t mend(uint8_t *p, size_t size, size_t most)
{
    int64_t head[14] = {0};
    memcpy(head, p, size < sizeof head ? size : sizeof head);
    memcpy(head, "ifd-chk", 8);
    head[1] = 1; /* schema */
    head[13] = (int64_t)sizeof(ifd_measure);
    head[9] &= 255;
    head[12] &= 255;
    size_t length = sizeof head + 2 * sizeof(ifd_measure) + (size_t)(head[9] + head[12]) * 8;
    if (length + 8 > most)
        return size;
    memcpy(p, head, sizeof head);
    uint64_t sum = ifd__hash_bytes(IFD__HASH_START, p, length);
    memcpy(p + length, &sum, sizeof sum);
    return length + 8;
}

static void read_one(ifd_arena *arena, int kind, const char *path)
{
    ifd_note note;
    ifd_snapshot *s = NULL;
    ifd_certificate c;
    double delay, amplitude;
    ifd_status status = IFD_OK;
    ifd_note_init(&note, arena);
    if (kind == 0)
        status = ifd_checkpoint_read(arena, path, NULL, &s, &note);
    else if (kind == 1)
        status = ifd_certificate_read(arena, path, &c, &note);
    else
        (void)ifd_summary_tracking(arena, path, "spring", &delay, &amplitude);
    demand(status == IFD_OK || (note.errors > 0 && note.first->text[0]));
    for (int i = 0; s && i < s->count; i++) { /* the sanitizer checks every read */
        volatile double touched = s->x[i];
        (void)touched;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[1 << 16];
    ifd_arena *arena = ifd_arena_open();
    char path[64];
    demand(arena != NULL);
    if (size < 1 || size > 1 << 15) {
        ifd_arena_close(arena);
        return 0;
    }
    memset(file, 0, sizeof file);
    memcpy(file, data + 1, size - 1);
    size_t length = data[0] & 4 ? mend(file, size - 1, sizeof file) : size - 1;
    int memory = memfd_create("fuzz", MFD_CLOEXEC);
    demand(memory >= 0 && write(memory, file, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    read_one(arena, data[0] & 4 ? 0 : data[0] % 3, path);
    ifd_arena_close(arena);
    close(memory);
    return 0;
}
