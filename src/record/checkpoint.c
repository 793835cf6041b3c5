/* SPDX-License-Identifier: MIT */
/* Writes and reads the file of a checkpoint. */
#include <interfield/checkpoint.h>

#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/result.h"
#include "text/bundle.h"
#include "text/file.h"

/* Whether a checkpoint belongs to a case, by a hash of all sources of the case: its files, the files that they name,
 * and the overrides. The hash excludes `test: {allow-resume: ..., hold-relaxation: ...}`, which only permits an
 * order and changes no number: a test on hold must be able to resume when its operator permits it. It also excludes
 * `test.thresholds`, the numbers of a certificate, and those of a characterisation, which are made anew for the rest
 * of a test. */

static const char *const keys[] = {"allow-resume", "hold-relaxation", "thresholds", "characterised-stiffness",
                                   "characterised-loss"};
enum { KEYS = sizeof keys / sizeof *keys };
static const char OF_TEST[] = "test.";

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* The end of "allow-resume: yes" or "hold-relaxation: 2.5 %" at p, or p if no such key begins there. */
static const char *behind_key(const char *key, const char *p, const char *end)
{
    size_t length = strlen(key);
    const char *q = p + length;
    if ((size_t)(end - p) <= length || memcmp(p, key, length) != 0)
        return p;
    for (; q < end && *q == ' '; q++) {
    }
    if (q == end || *q != ':')
        return p;
    for (q++; q < end && *q == ' '; q++) {
    }
    while (q < end && (is_word(*q) || *q == '.' || *q == '+'))
        q++;
    const char *sign = q;
    for (; sign < end && *sign == ' '; sign++) {
    }
    return sign < end && *sign == '%' ? sign + 1 : q;
}

static const char *behind(const char *begin, const char *p, const char *end)
{
    const char *q = p;
    for (int k = 0; k < KEYS && q == p && (p == begin || !is_word(p[-1])); k++)
        q = behind_key(keys[k], p, end);
    return q;
}

static bool sets_key(const char *set)
{
    bool found = false;
    for (int k = 0; k < KEYS && strncmp(set, OF_TEST, sizeof OF_TEST - 1) == 0; k++) {
        const char *word = set + sizeof OF_TEST - 1;
        size_t length = strlen(keys[k]);
        found = found || (strncmp(word, keys[k], length) == 0 && word[length] == '=');
    }
    return found;
}

/* The key is removed with its separator: the one before it or, at the head of a list in braces, the one after it. */
static size_t without_key(const char *text, size_t length, char *out)
{
    const char *end = text + length;
    char *to = out;
    for (const char *p = text; p < end;) {
        const char *q = behind(text, p, end);
        if (q == p) {
            *to++ = *p++;
            continue;
        }
        while (to > out && (to[-1] == ' ' || to[-1] == ',' || to[-1] == '\n'))
            to--;
        while (to > out && to[-1] == '{' && q < end && (*q == ' ' || *q == ','))
            q++;
        p = q;
    }
    return (size_t)(to - out);
}

static bool copy(ifd_arena *arena, const ifd__bundle *from, ifd__bundle *to)
{
    const char **set = ifd_arena_array(arena, (size_t)from->sets + 1, sizeof *set);
    ifd__source_file **next = &to->first;
    *to = (ifd__bundle){.code = from->code, .set = set};
    for (int i = 0; set && i < from->sets; i++)
        if (!sets_key(from->set[i]))
            set[to->sets++] = from->set[i];
    for (const ifd__source_file *b = from->first; b && set; b = b->next) {
        ifd__source_file *mine = ifd_arena_take(arena, sizeof *mine);
        char *text = b->file.text ? ifd_arena_take(arena, b->file.length + 1) : NULL;
        if (!mine || (b->file.text && !text))
            return false;
        *mine = *b;
        mine->next = NULL;
        if (text) {
            mine->file.length = without_key(b->file.text, b->file.length, text);
            mine->file.text = text;
        }
        *next = mine;
        next = &mine->next;
    }
    return set != NULL;
}

static uint64_t checkpoint_case(ifd_arena *arena, const ifd_case *c)
{
    ifd__bundle neutral;
    size_t length = 0;
    const char *bundle = copy(arena, c->bundle, &neutral) ? ifd__bundle_make(arena, &neutral, &length) : NULL;
    return bundle ? ifd__hash_bytes(IFD__HASH_START, bundle, length) : 0;
}

/* Head, then raw and measure as in the ABI, x, values, and the hash of all bytes before it. Numbers are in the
 * format of the machine, because a checkpoint is for the same program. */
typedef struct head {
    char magic[8];
    uint64_t schema, of_case, of_program, rehearsal, tick;
    double time;
    int64_t state, interfaces, count, rig_at, rig_size, columns, measure;
} head;

enum { SCHEMA = 1 };
static const char MAGIC[8] = "ifd-chk";

#define SNAPSHOT(X) X(tick) X(time) X(state) X(interfaces) X(count) X(rig_at) X(rig_size) X(columns)
#define FROM_SNAPSHOT(m) .m = s->m,
#define FROM_HEAD(m) .m = (__typeof__(s->m))h->m,

static head head_of(ifd_arena *arena, const ifd_case *c, const ifd_snapshot *s)
{
    head h = {SNAPSHOT(FROM_SNAPSHOT).schema = SCHEMA, .of_case = checkpoint_case(arena, c),
              .of_program = ifd__program_hash(), .rehearsal = c->day.rehearsal, .measure = sizeof(ifd_measure)};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    return h;
}

static size_t length_of(const head *h)
{
    return sizeof *h + 2 * (size_t)h->measure + (size_t)(h->count + h->columns) * sizeof(double) + sizeof(uint64_t);
}

ifd_status ifd_checkpoint_write(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_snapshot *s,
                                ifd_note *note)
{
    head h = head_of(arena, c, s);
    size_t length = length_of(&h), x = (size_t)s->count * sizeof(double),
           values = (size_t)s->columns * sizeof(double);
    char *bytes = ifd_arena_take(arena, length), *p = bytes;
    IFD__HAVE(bytes && h.of_case);
    p = (char *)memcpy(p, &h, sizeof h) + sizeof h;
    p = (char *)memcpy(p, &s->raw, sizeof s->raw) + sizeof s->raw;
    p = (char *)memcpy(p, &s->measure, sizeof s->measure) + sizeof s->measure;
    p = (char *)memcpy(p, s->x, x) + x;
    p = (char *)memcpy(p, s->values, values) + values;
    uint64_t sum = ifd__hash_bytes(IFD__HASH_START, bytes, (size_t)(p - bytes));
    memcpy(p, &sum, sizeof sum);
    const char *path = ifd_arena_print(arena, "%s/" IFD_CHECKPOINT_FILE, folder);
    return path ? ifd__file_replace(arena, path, bytes, length, note) : IFD_NO_MEMORY;
}

static ifd_status missing(const char *path, ifd_note *note)
{
    return ifd_note_advise(note, IFD_FILE, NULL,
                           "a checkpoint is written when a test has come to rest on hold, on the order `checkpoint`, "
                           "and at the interval of `test: {checkpoint-every: ...}`",
                           "'%s' contains no checkpoint", path);
}

static bool sound(const ifd__file *f, head *h)
{
    uint64_t sum;
    if (f->length < sizeof *h)
        return false;
    memcpy(h, f->text, sizeof *h);
    if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0 || h->schema != SCHEMA || h->measure != sizeof(ifd_measure) ||
        h->count < 0 || h->columns < 0 || h->count > 1 << 28 || h->columns > 1 << 20 || f->length != length_of(h))
        return false;
    memcpy(&sum, f->text + f->length - sizeof sum, sizeof sum);
    return sum == ifd__hash_bytes(IFD__HASH_START, f->text, f->length - sizeof sum) && h->rig_at >= 0 &&
           h->rig_size >= 0 && h->rig_at <= h->count && h->rig_size <= h->count - h->rig_at;
}

/* A checkpoint is for the program that wrote it: one of another schema may be complete but is not readable here. */
static ifd_status refuse(const char *name, const ifd__file *f, ifd_note *note)
{
    head h = {0};
    memcpy(&h, f->text, f->length < sizeof h ? f->length : sizeof h);
    if (memcmp(h.magic, MAGIC, sizeof h.magic) != 0)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' is not a checkpoint", name);
    if (h.schema == SCHEMA || h.schema == 0 || h.schema > 1000)
        return ifd_note_add(note, IFD_FILE, NULL, "the checkpoint '%s' is damaged: its checksum is wrong", name);
    return ifd_note_advise(
        note, IFD_FILE, NULL, "resume with the version that wrote it, or start the test again",
        "the checkpoint '%s' was written by another version of interfield (schema %d; this version reads schema %d)",
        name, (int)h.schema, SCHEMA);
}

/* Checks case, build and kind of test; reports which one differs. */
static ifd_status belongs(ifd_arena *arena, const char *path, const head *h, const ifd_case *c, ifd_note *note)
{
    uint64_t program = ifd__program_hash();
    if (h->of_case != checkpoint_case(arena, c))
        return ifd_note_advise(
            note, IFD_CONFLICT, NULL,
            "the case file, a file that it includes or names, or a --set has changed: restore the original, "
            "or start the test again. Only `test: {allow-resume: ..., hold-relaxation: ...}` may differ",
            "the checkpoint '%s' belongs to another case, or '%s' has changed", path, c->path);
    if (h->of_program && program && h->of_program != program)
        return ifd_note_advise(note, IFD_CONFLICT, NULL,
                               "another build may give other numbers: resume with the build that started the test",
                               "the checkpoint '%s' was written by another build of interfield", path);
    if (h->rehearsal || c->day.rehearsal)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "the checkpoint '%s': a test cannot resume from a rehearsal, nor a rehearsal from a test",
                            path);
    return IFD_OK;
}

static ifd_status unpack(ifd_arena *arena, const ifd__file *f, const head *h, ifd_snapshot **out)
{
    ifd_snapshot *s;
    double *x, *values;
    const char *p = f->text + sizeof *h;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1), IFD__ARRAY(x, h->count), IFD__ARRAY(values, h->columns)));
    *s = (ifd_snapshot){SNAPSHOT(FROM_HEAD).x = x, .values = values};
    memcpy(&s->raw, p, sizeof s->raw);
    memcpy(&s->measure, p + sizeof s->raw, sizeof s->measure);
    p += 2 * sizeof s->raw;
    memcpy(x, p, (size_t)h->count * sizeof *x);
    memcpy(values, p + (size_t)h->count * sizeof *x, (size_t)h->columns * sizeof *values);
    *out = s;
    return IFD_OK;
}

ifd_status ifd_checkpoint_read(ifd_arena *arena, const char *path, const ifd_case *c, ifd_snapshot **out,
                               ifd_note *note)
{
    const char *name = ifd__file_inside(arena, path, IFD_CHECKPOINT_FILE);
    ifd__file file;
    head h;
    IFD__HAVE(name);
    if (access(name, R_OK) != 0)
        return missing(path, note);
    IFD_TRY(ifd__file_read(arena, name, NULL, &file, note));
    if (!sound(&file, &h))
        return refuse(name, &file, note);
    if (c)
        IFD_TRY(belongs(arena, name, &h, c, note));
    return unpack(arena, &file, &h, out);
}

ifd_status ifd_checkpoint_keep(ifd_arena *arena, const char *path, const char *folder, ifd_note *note)
{
    const char *name = ifd__file_inside(arena, path, IFD_CHECKPOINT_FILE);
    ifd__file file;
    const char *start = ifd_arena_print(arena, "%s/" IFD_CHECKPOINT_START, folder);
    IFD__HAVE(name && start);
    IFD_TRY(ifd__file_read(arena, name, NULL, &file, note));
    return ifd__file_replace(arena, start, file.text, file.length, note);
}
