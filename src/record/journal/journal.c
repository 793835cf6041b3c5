/* SPDX-License-Identifier: MIT */
/* Records and head of a journal as bytes. */
#include "record/journal/journal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"

/* Reads the head of a journal. */

typedef struct scan {
    ifd_arena *arena;
    char *next, *end;
    ifd_journal_facts *f;
    ifd_column *column;
    int columns;
} scan;

static bool take_column(scan *s, char *text)
{
    char *unit = strchr(text, '\t'), *group = unit ? strchr(unit + 1, '\t') : NULL;
    if (!group || s->columns >= s->f->columns)
        return false;
    *unit = *group = '\0';
    return ifd_column_read(s->arena, text, unit + 1, group + 1, &s->column[s->columns++]) == IFD_OK;
}

static void take_remote(ifd_journal_facts *f, char *value)
{
    f->remote.order = (int)strtol(value, &value, 10);
    f->remote.paced = strtol(value, &value, 10) != 0;
    f->remote.trials = (int)strtol(value, NULL, 10);
}

/* One line of the facts; the bundle is the remaining text. */
static bool take_line(scan *s, const char *key, char *value)
{
    ifd_journal_facts *f = s->f;
    if (strcmp(key, "interfield") == 0)
        f->version = value;
    else if (strcmp(key, "kernels") == 0)
        f->kernels = value;
    else if (strcmp(key, "cpu") == 0)
        f->cpu = value;
    else if (strcmp(key, "started") == 0)
        f->started = value;
    else if (strcmp(key, "program") == 0)
        f->program = strtoull(value, NULL, 16);
    else if (strcmp(key, "period") == 0)
        f->period = strtod(value, NULL);
    else if (strcmp(key, "operator") == 0)
        f->by = value;
    else if (strcmp(key, "note") == 0)
        f->notes = f->notes ? ifd_arena_print(s->arena, "%s\n%s", f->notes, value) : value;
    else if (strcmp(key, "rehearsal") == 0)
        f->rehearsal = true;
    else if (strcmp(key, "characterisation") == 0)
        f->characterisation = true;
    else if (strcmp(key, "remote") == 0)
        take_remote(f, value);
    else if (strcmp(key, "column") == 0)
        return take_column(s, value);
    else if (strcmp(key, "bundle") == 0) {
        f->bundle_length = strtoull(value, NULL, 10);
        f->bundle = s->next;
        return f->bundle_length == (size_t)(s->end - s->next);
    }
    return true;
}

static bool take_text(scan *s)
{
    while (s->next < s->end && !s->f->bundle) {
        char *line = s->next, *feed = memchr(line, '\n', (size_t)(s->end - line));
        char *blank = feed ? memchr(line, ' ', (size_t)(feed - line)) : NULL;
        if (!blank)
            return false;
        *feed = *blank = '\0';
        s->next = feed + 1;
        if (!take_line(s, line, blank + 1))
            return false;
    }
    return s->f->bundle && s->columns == s->f->columns && s->f->period > 0 && isfinite(s->f->period);
}

static ifd__layout layout_of(const ifd__journal_head *h)
{
    return (ifd__layout){.id = h->id,
                         .head = h->bytes,
                         .record = h->record,
                         .sensed = h->sensed,
                         .aux = h->aux,
                         .targets = (int)h->targets,
                         .columns = (int)h->columns};
}

static const char *check(const ifd__journal_head *h, size_t bytes, const unsigned char *p)
{
    if (bytes < sizeof *h || memcmp(h->magic, IFD__JOURNAL_MAGIC, sizeof h->magic) != 0)
        return "it does not begin like a journal";
    if (h->order != IFD__JOURNAL_ORDER || h->schema != IFD_JOURNAL_SCHEMA)
        return "it was written by another version of interfield, or its head is damaged";
    if (h->bytes > bytes)
        return "it ends within its head";
    ifd__layout l = layout_of(h);
    if (h->bytes < sizeof *h || h->text > h->bytes - sizeof *h || h->sensed > IFD_RIG_ACTUATORS ||
        h->aux > IFD_RIG_AUX || h->targets > IFD_REMOTE_DOFS || h->columns > 1u << 20 ||
        h->record != ifd__frame_size(&l))
        return "its head is damaged";
    return ifd__head_checksum(p, (size_t)h->text) == h->checksum ? NULL : "its head is damaged";
}

const char *ifd__head_decode(ifd_arena *arena, const unsigned char *p, size_t bytes, ifd__layout *l,
                             ifd_journal_facts *out)
{
    ifd__journal_head h = {0};
    if (bytes >= sizeof h)
        memcpy(&h, p, sizeof h);
    const char *wrong = check(&h, bytes, p);
    if (wrong)
        return wrong;
    *l = layout_of(&h);
    *out = (ifd_journal_facts){.version = "",
                               .kernels = "",
                               .cpu = "",
                               .started = "",
                               .sensed = h.sensed,
                               .aux = h.aux,
                               .remote = {.dofs = (int)h.targets},
                               .columns = (int)h.columns};
    char *text = ifd_arena_text_n(arena, (const char *)p + sizeof h, (size_t)h.text);
    scan s = {.arena = arena, .next = text, .end = text ? text + h.text : NULL, .f = out};
    s.column = ifd_arena_array(arena, h.columns, sizeof *s.column);
    if (!text || !s.column)
        return "no memory";
    out->column = s.column;
    return take_text(&s) ? NULL : "its head is damaged";
}

enum { WORD = sizeof(double) };

/* Number of values after the frame of a tick. */
static size_t numbers(const ifd__layout *l)
{
    return 2 * (size_t)l->sensed + (size_t)l->aux + (size_t)l->targets + (size_t)l->columns;
}

size_t ifd__frame_size(const ifd__layout *l)
{
    size_t most = numbers(l) > IFD__JOURNAL_ENDING ? numbers(l) : IFD__JOURNAL_ENDING;
    return sizeof(ifd__frame) + WORD * most;
}

static ifd__frame frame_of(const void *p)
{
    ifd__frame f;
    memcpy(&f, p, sizeof f);
    return f;
}

static uint64_t checksum(const ifd__layout *l, const void *p)
{
    return ifd__hash(l->id, (const double *)p + 1, l->record / WORD - 1);
}

static void put_numbers(const ifd__layout *l, const ifd_tick_record *r, const ifd_tick_trace *t, double *p)
{
    size_t sensed = (size_t)l->sensed, aux = (size_t)l->aux, targets = (size_t)l->targets;
    memset(p, 0, l->record - sizeof(ifd__frame));
    memcpy(p, t->measure.position, sensed * WORD);
    memcpy(p + sensed, t->measure.force, sensed * WORD);
    memcpy(p + 2 * sensed, t->measure.auxiliary, aux * WORD);
    if (t->took)
        memcpy(p + 2 * sensed + aux, t->target.u, targets * WORD);
    memcpy(p + 2 * sensed + aux + targets, r->values, (size_t)l->columns * WORD);
}

static uint32_t start_word(const ifd_tick_record *r, int number)
{
    const int64_t second = 1000000000;
    const uint32_t word[IFD__JOURNAL_START] = {(uint32_t)r->start_utc, (uint32_t)(r->start_utc >> 32),
                                               (uint32_t)((r->start_tai - r->start_utc + second / 2) / second),
                                               (uint32_t)r->start_monotonic, (uint32_t)(r->start_monotonic >> 32)};
    return word[number];
}

void ifd__start_decode(const uint32_t word[IFD__JOURNAL_START], ifd_executor_report *out)
{
    if (word[1] >= 1u << 30)
        return; /* later than the year 2116: not a time */
    out->start_utc = (int64_t)((uint64_t)word[1] << 32 | word[0]);
    out->start_tai = out->start_utc + (int64_t)(int32_t)word[2] * 1000000000;
    out->start_monotonic = (int64_t)((uint64_t)word[4] << 32 | word[3]);
}

uint32_t ifd__frame_start(const void *p, int *number)
{
    ifd__frame f = frame_of(p);
    *number = (int)(f.sequence % IFD__JOURNAL_START);
    return f.start;
}

/* What a frame holds as it is: of a record, of its trace, and of its measurement. */
#define OF_RECORD(X) X(tick) X(skipped) X(dropped) X(wall) X(late) X(duration) X(thinned)
#define OF_TRACE(X) X(hash) X(faults) X(fault_value) X(fault_limit) X(fault_owner) X(fresh) X(answer)
#define OF_MEASURE(X) X(inputs) X(actuators) X(aux) X(taken) X(clock)
#define FROM_RECORD(m) .m = r->m,
#define FROM_TRACE(m) .m = t->m,
#define FROM_MEASURE(m) .m = t->measure.m,
#define FROM_FRAME(m) .m = f.m,

void ifd__frame_encode(const ifd__layout *l, uint64_t sequence, const ifd_tick_record *r, void *p)
{
    static const ifd_tick_trace none;
    const ifd_tick_trace *t = r->trace ? r->trace : &none;
    ifd__frame f = {OF_RECORD(FROM_RECORD) OF_TRACE(FROM_TRACE) OF_MEASURE(FROM_MEASURE).sequence = sequence,
                    .kind = IFD__JOURNAL_TICK,
                    .order = (uint32_t)r->order | r->source << IFD__JOURNAL_SOURCE,
                    .measure_tick = t->measure.tick,
                    .measure_time = t->measure.time,
                    .gate = (uint32_t)t->gate,
                    .start = start_word(r, (int)(sequence % IFD__JOURNAL_START))};
    memcpy(f.stage_ns, t->stage_ns, sizeof f.stage_ns);
    if (t->took) {
        f.took = 1;
        f.target = t->target.number;
        f.target_time = t->target.time;
        f.target_kind = t->target.kind;
        f.target_step = t->target.step;
    }
    memcpy(p, &f, sizeof f);
    put_numbers(l, r, t, (double *)((unsigned char *)p + sizeof f));
    f.checksum = checksum(l, p);
    memcpy(p, &f.checksum, sizeof f.checksum);
}

/* The numbers of an ending in their order in the file, each with its kind. */
#define ENDING_LIST(X)                                                                                               \
    X(FLAG, report.fifo)                                                                                             \
    X(FLAG, report.locked)                                                                                           \
    X(FLAG, report.pinned)                                                                                           \
    X(FLAG, report.isolated)                                                                                         \
    X(FLAG, report.awake)                                                                                            \
    X(WHOLE, report.ticks)                                                                                           \
    X(WHOLE, report.late_ticks)                                                                                      \
    X(WHOLE, report.skipped)                                                                                         \
    X(WHOLE, report.dropped)                                                                                         \
    X(WHOLE, report.faults)                                                                                          \
    X(WHOLE, report.preempted)                                                                                       \
    X(REAL, report.late_p50)                                                                                         \
    X(REAL, report.late_p99)                                                                                         \
    X(REAL, report.late_p999)                                                                                        \
    X(REAL, report.late_max)                                                                                         \
    X(REAL, report.duration_p50)                                                                                     \
    X(REAL, report.duration_p99)                                                                                     \
    X(REAL, report.duration_p999)                                                                                    \
    X(REAL, report.duration_max)                                                                                     \
    X(STATE, report.end)                                                                                             \
    X(REAL, wall)                                                                                                    \
    X(REAL, setup)                                                                                                   \
    X(FLAG, interrupted)                                                                                             \
    X(FLAG, report.deadline)                                                                                         \
    X(COUNT, seen)                                                                                                   \
    X(COUNT, thinned)

static void ending_numbers(const ifd_journal_ending *e, double out[IFD__JOURNAL_ENDING])
{
#define NUMBER(kind, member) (double)e->member,
    const double numbers[IFD__JOURNAL_ENDING] = {ENDING_LIST(NUMBER)};
#undef NUMBER
    memcpy(out, numbers, sizeof numbers);
}

void ifd__frame_encode_end(const ifd__layout *l, uint64_t sequence, const ifd_journal_ending *e, void *p)
{
    ifd__frame f = {.sequence = sequence, .kind = IFD__JOURNAL_END};
    double numbers[IFD__JOURNAL_ENDING];
    ending_numbers(e, numbers);
    memset(p, 0, l->record);
    memcpy(p, &f, sizeof f);
    memcpy((unsigned char *)p + sizeof f, numbers, sizeof numbers);
    f.checksum = checksum(l, p);
    memcpy(p, &f.checksum, sizeof f.checksum);
}

bool ifd__frame_sound(const ifd__layout *l, uint64_t sequence, const void *p)
{
    ifd__frame f = frame_of(p);
    return f.sequence == sequence && f.checksum == checksum(l, p);
}

void ifd__frame_decode(const ifd__layout *l, const void *p, ifd_tick_record *out, ifd_tick_trace *trace)
{
    ifd__frame f = frame_of(p);
    const double *after = (const double *)((const unsigned char *)p + sizeof f);
    size_t sensed = (size_t)l->sensed, aux = (size_t)l->aux, targets = (size_t)l->targets;
    *trace = (ifd_tick_trace){OF_TRACE(FROM_FRAME).gate = f.gate};
    trace->measure = (ifd_measure){OF_MEASURE(FROM_FRAME).tick = f.measure_tick, .time = f.measure_time};
    memcpy(trace->stage_ns, f.stage_ns, sizeof f.stage_ns);
    memcpy(trace->measure.position, after, sensed * WORD);
    memcpy(trace->measure.force, after + sensed, sensed * WORD);
    memcpy(trace->measure.auxiliary, after + 2 * sensed, aux * WORD);
    trace->took = f.took;
    trace->target =
        (ifd_remote_target){.number = f.target, .kind = f.target_kind, .step = f.target_step, .time = f.target_time};
    memcpy(trace->target.u, after + 2 * sensed + aux, targets * WORD);
    *out = (ifd_tick_record){OF_RECORD(FROM_FRAME).order = (ifd_order)(f.order & ((1u << IFD__JOURNAL_SOURCE) - 1)),
                             .source = f.order >> IFD__JOURNAL_SOURCE, .values = after + 2 * sensed + aux + targets,
                             .trace = trace};
}

/* A number from a file; 0 if it is not a valid count. */
static long whole(double n)
{
    return n >= 0 && n <= 0x1p53 ? (long)n : 0;
}

static ifd_run_state state_of(double n)
{
    return n == IFD_RUN_DONE ? IFD_RUN_DONE : n == IFD_RUN_FAULT ? IFD_RUN_FAULT : IFD_RUN_GOING;
}

#define FLAG(n) ((n) != 0)
#define WHOLE(n) whole(n)
#define COUNT(n) (uint64_t) whole(n)
#define REAL(n) (n)
#define STATE(n) state_of(n)

void ifd__frame_decode_end(const void *p, ifd_journal_ending *out)
{
    double number[IFD__JOURNAL_ENDING];
    const double *n = number;
    memcpy(number, (const unsigned char *)p + sizeof(ifd__frame), sizeof number);
    *out = (ifd_journal_ending){.recorded = frame_of(p).sequence - 1};
#define MEMBER(kind, member) out->member = kind(*n++);
    ENDING_LIST(MEMBER)
#undef MEMBER
}

static uint64_t new_id(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const double seed[] = {(double)now.tv_sec, (double)now.tv_nsec, (double)getpid()};
    return ifd__hash(IFD__HASH_START, seed, sizeof seed / sizeof *seed);
}

/* The facts, one per line, up to the bundle. */
static const char *facts_text(ifd_arena *arena, const ifd_journal_facts *f)
{
    char *text IFD__FREED = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    fprintf(out, "interfield %s\nkernels %s\ncpu %s\nstarted %s\nprogram %016" PRIx64 "\nperiod %.17g\n", f->version,
            f->kernels, f->cpu, f->started, f->program, f->period);
    if (f->remote.dofs)
        fprintf(out, "remote %d %d %d\n", f->remote.order, f->remote.paced, f->remote.trials);
    if (f->by && *f->by)
        fprintf(out, "operator %.*s\n", (int)strcspn(f->by, "\n"), f->by);
    for (const char *p = f->notes; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        fprintf(out, "note %.*s\n", (int)strcspn(p, "\n"), p);
    if (f->rehearsal)
        fprintf(out, "rehearsal yes\n");
    if (f->characterisation)
        fprintf(out, "characterisation yes\n");
    for (int i = 0; i < f->columns; i++)
        fprintf(out, "column %s\t%s\t%s\n", f->column[i].name, f->column[i].unit, f->column[i].group);
    fprintf(out, "bundle %zu\n", f->bundle_length);
    return fclose(out) == 0 ? ifd_arena_text_n(arena, text, length) : NULL;
}

uint64_t ifd__head_checksum(const unsigned char *p, size_t text)
{
    uint64_t h = ifd__hash_bytes(IFD__HASH_START, p, offsetof(ifd__journal_head, checksum));
    return ifd__hash_bytes(h, p + sizeof(ifd__journal_head), text);
}

unsigned char *ifd__head_encode(ifd_arena *arena, const ifd_journal_facts *f, ifd__layout *l)
{
    const char *facts = facts_text(arena, f);
    if (!facts)
        return NULL;
    size_t length = strlen(facts), text = length + f->bundle_length;
    size_t bytes = (sizeof(ifd__journal_head) + text + IFD__JOURNAL_PAGE) / IFD__JOURNAL_PAGE * IFD__JOURNAL_PAGE;
    unsigned char *p = ifd_arena_take(arena, bytes);
    if (!p)
        return NULL;
    *l = (ifd__layout){.id = new_id(),
                       .head = bytes,
                       .sensed = f->sensed,
                       .aux = f->aux,
                       .targets = f->remote.dofs,
                       .columns = f->columns};
    l->record = ifd__frame_size(l);
    ifd__journal_head h = {.order = IFD__JOURNAL_ORDER,
                           .schema = IFD_JOURNAL_SCHEMA,
                           .id = l->id,
                           .bytes = bytes,
                           .text = text,
                           .record = (uint32_t)l->record,
                           .sensed = (uint16_t)f->sensed,
                           .aux = (uint16_t)f->aux,
                           .targets = (uint32_t)f->remote.dofs,
                           .columns = (uint32_t)f->columns};
    memcpy(h.magic, IFD__JOURNAL_MAGIC, sizeof h.magic);
    memset(p, 0, bytes);
    memcpy(p + sizeof h, facts, length);
    memcpy(p + sizeof h + length, f->bundle, f->bundle_length);
    memcpy(p, &h, sizeof h);
    h.checksum = ifd__head_checksum(p, text);
    memcpy(p, &h, sizeof h);
    return p;
}
