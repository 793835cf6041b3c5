/* SPDX-License-Identifier: MIT */
/* The layout of a journal, for its writer and its reader (docs/reference/record.md).
 *
 *     head      64 bytes, then text: facts line by line, the columns, the bundle of the case; zeros up to the page
 *     records   all of one size; record k, counted from 1, begins at head + (k - 1) size
 *
 * All numbers are little-endian. A record begins with a checksum of its other bytes. The identifier of the journal
 * seeds the checksum, so that data of an earlier file on the disk are never read as a record. */
#pragma once

#include <interfield/journal.h>

#include "base/ring.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the journal is written in the byte order of the processor, which must be little-endian"
#endif

#define IFD__JOURNAL_MAGIC "ifdjrnl\n"
enum { IFD__JOURNAL_ORDER = 0x01020304, IFD__JOURNAL_PAGE = 4096, IFD__JOURNAL_ENDING = 26 /* numbers */ };
enum { IFD__JOURNAL_SOURCE = 16 };

typedef struct ifd__journal_head {
    char magic[8];
    uint32_t order, schema; /* order: 0x01020304 */
    uint64_t id;            /* different in every journal */
    uint64_t bytes;         /* of the whole head, zeros included */
    uint64_t text;          /* of its text */
    uint32_t record;        /* bytes of a record */
    uint16_t sensed, aux;
    uint32_t targets, columns;
    uint64_t checksum; /* of all bytes before it and of the text */
} ifd__journal_head;

enum { IFD__JOURNAL_TICK = 1, IFD__JOURNAL_END = 2 };

/* Followed by sensed positions, sensed forces, auxiliary inputs, a target, and the values. An end is followed by the
 * numbers of the ending. */
typedef struct ifd__frame {
    uint64_t checksum; /* of the following words */
    uint64_t sequence; /* from 1 */
    uint32_t kind;
    uint32_t order; /* ifd_order; its source from bit IFD__JOURNAL_SOURCE on */
    uint64_t tick, skipped, dropped;
    double wall, late, duration;
    uint64_t hash, faults;
    double fault_value, fault_limit;
    int32_t fault_owner;
    uint32_t fresh;
    uint32_t stage_ns[IFD_STAGES];
    uint64_t measure_tick;
    double measure_time;
    uint32_t inputs, actuators, aux;
    uint32_t took; /* a target of a remote master arrived */
    uint64_t target;
    double target_time;
    uint32_t target_kind, target_step;
    uint64_t thinned;     /* ticks before it that were omitted to limit the size */
    uint32_t answer;      /* to the order */
    uint32_t start;       /* word `sequence` mod IFD__JOURNAL_START of the start */
    int64_t taken;        /* ns, of the measurement */
    uint32_t clock, gate; /* of taken; IFD_GATE_... */
} ifd__frame;

/* Words of the start of a test, spread over as many records: UTC (ns, low and high word), TAI minus UTC (s),
 * CLOCK_MONOTONIC (ns, low and high word). It is known only after the head has been written. */
enum { IFD__JOURNAL_START = 5 };

_Static_assert(sizeof(ifd__journal_head) == 64 && sizeof(ifd__frame) == 216, "no gaps, the same on every machine");

typedef struct ifd__layout {
    uint64_t id, head; /* bytes */
    size_t record;
    int sensed, aux, targets, columns;
} ifd__layout;

/* Size of a record of layout l. */
size_t ifd__frame_size(const ifd__layout *l);
/* p: room for a record, aligned to 8. */
void ifd__frame_encode(const ifd__layout *l, uint64_t sequence, const ifd_tick_record *r, void *p);
void ifd__frame_encode_end(const ifd__layout *l, uint64_t sequence, const ifd_journal_ending *e, void *p);
/* Whether this is a complete record with that number. */
bool ifd__frame_sound(const ifd__layout *l, uint64_t sequence, const void *p);
/* values point into the record; trace is filled. */
void ifd__frame_decode(const ifd__layout *l, const void *p, ifd_tick_record *out, ifd_tick_trace *trace);
/* The word of the start in this record, and its number. */
uint32_t ifd__frame_start(const void *p, int *number);
/* Sets the start of a report, TAI to the second. */
void ifd__start_decode(const uint32_t word[IFD__JOURNAL_START], ifd_executor_report *out);
void ifd__frame_decode_end(const void *p, ifd_journal_ending *out);

/* p: the head in the file, with `text` bytes of text. */
uint64_t ifd__head_checksum(const unsigned char *p, size_t text);
/* The head of a journal in the file, l->head bytes. NULL: no memory. */
unsigned char *ifd__head_encode(ifd_arena *arena, const ifd_journal_facts *f, ifd__layout *l);
/* The error in the head, NULL: none. p: l->head bytes, or as many as the file has. */
const char *ifd__head_decode(ifd_arena *arena, const unsigned char *p, size_t bytes, ifd__layout *l,
                             ifd_journal_facts *out);

/* The writing thread calls it before each write; for tests that stall the disk. */
typedef struct ifd__journal_hook {
    void (*call)(void *self);
    void *self;
} ifd__journal_hook;
void ifd__journal_hook_set(ifd_journal *j, ifd__journal_hook hook);

/* Of a recorder, for tests that count. */
struct ifd_recorder;
const ifd_journal *ifd__recorder_journal(const struct ifd_recorder *r);

/* Sets the start of a report when five records in a row were read that have it. */
void ifd__journal_start(const ifd_journal_reader *r, ifd_executor_report *out);

/* Stops reading after that number of records: the others are being written. */
void ifd__journal_bound(ifd_journal_reader *r, uint64_t records);
