/* SPDX-License-Identifier: MIT */
/* State of a folder, and the union of shards. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "study/store.h"
#include "text/file.h"

ifd_status ifd_study_status(ifd_arena *arena, const char *folder, ifd_study_state *out, ifd_note *note)
{
    ifd_study_store *s;
    ifd__journal_head head = {0};
    IFD_TRY(ifd__journal_open(arena, folder, &s, &head, note));
    *out = (ifd_study_state){.title = s->study->title,
                             .version = s->study->version,
                             .path = s->study->path,
                             .shard = s->shard,
                             .expected = (long)head.expected > s->rows ? (long)head.expected : s->rows,
                             .finished = s->rows};
    for (long i = 0; i < s->rows; i++) {
        out->outcome[s->row[i]->outcome]++;
        out->duration += s->row[i]->duration;
    }
    return IFD_OK;
}

/* Whether two results of one member are the same, apart from their durations. */
static bool equal(const ifd_study *s, const ifd_study_result *a, const ifd_study_result *b)
{
    return a->outcome == b->outcome && a->hash == b->hash && a->rows == b->rows &&
           memcmp(a->value, b->value, (size_t)s->variables * sizeof *a->value) == 0 &&
           memcmp(a->scalar, b->scalar, (size_t)s->scalars * sizeof *a->scalar) == 0;
}

/* Copies a row of a shard to the end of the new journal. Its duration is not content. */
static ifd_status copy_row(ifd_study_store *to, const ifd_study_store *from, long row, ifd_note *note)
{
    ifd_study_result r = *from->row[row];
    const ifd__result_head head = {.rows = r.rows, .reason = (int32_t)strlen(r.reason)};
    size_t length = ifd__result_bytes(to->study, &head),
           bytes = (size_t)r.rows * (size_t)(1 + to->study->histories) * sizeof(double);
    char *all IFD__FREED = malloc(length);
    double *series IFD__FREED = malloc(bytes ? bytes : 1);
    IFD__HAVE(all && series);
    if (ifd__file_get(from->fd, series, bytes, from->series[row]) != bytes)
        return ifd_note_add(note, IFD_DAMAGED, NULL, "the journal in '%s' is damaged", from->folder);
    r.duration = 0;
    ifd__result_pack(to->study, &r, series, all);
    return ifd_study_put(to, all, length, note);
}

typedef struct source {
    ifd_study_store *store;
    long row, number;
} source;

static int by_number(const void *left, const void *right)
{
    const source *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static ifd_status check_pair(const ifd_study_store *first, const ifd_study_store *other, ifd_note *note)
{
    if (other->study->hash == first->study->hash && strcmp(other->study->version, first->study->version) == 0)
        return IFD_OK;
    return ifd_note_add(note, IFD_CONFLICT, NULL,
                        "'%s' and '%s' hold different studies, or were computed by different versions", first->folder,
                        other->folder);
}

/* All rows of all shards in the order of their numbers; equal ones once. */
static ifd_status copy_all(ifd_study_store *to, int count, ifd_study_store *const *from, ifd_note *note)
{
    long rows = 0, n = 0;
    for (int i = 0; i < count; i++)
        rows += from[i]->rows;
    source *all IFD__FREED = malloc(((size_t)rows + 1) * sizeof *all);
    IFD__HAVE(all);
    for (int i = 0; i < count; i++)
        for (long k = 0; k < from[i]->rows; k++)
            all[n++] = (source){from[i], k, from[i]->row[k]->number};
    qsort(all, (size_t)rows, sizeof *all, by_number);
    for (long k = 0; k < rows; k++) {
        const ifd_study_result *known = ifd__store_find(to, all[k].number), *r = all[k].store->row[all[k].row];
        if (known && !equal(to->study, known, r))
            return ifd_note_add(note, IFD_CONFLICT, NULL, "member %ld has two different results, one of them in '%s'",
                                r->number, all[k].store->folder);
        if (!known)
            IFD_TRY(copy_row(to, all[k].store, all[k].row, note));
    }
    return IFD_OK;
}

ifd_status ifd_study_merge(ifd_arena *arena, int count, const char *const *folders, const char *into, ifd_note *note)
{
    ifd_study_store **from = ifd_arena_array(arena, (size_t)count, sizeof *from), *to;
    ifd__journal_head head = {0};
    int64_t expected = 0;
    IFD__HAVE(from);
    for (int i = 0; i < count; i++) {
        IFD_TRY(ifd__journal_open(arena, folders[i], &from[i], &head, note));
        IFD_TRY(check_pair(from[0], from[i], note));
        expected += head.expected;
        from[0]->study->kernels = ifd__kernels_join(arena, from[0]->study->kernels, from[i]->study->kernels);
        IFD__HAVE(from[0]->study->kernels);
    }
    ifd_study *study = from[0]->study;
    study->own = (ifd_study_plan){.self = study, .chains = (long)expected, .width = 1, .steps = 1};
    study->plan = &study->own;
    struct stat facts;
    const char *journal = ifd_arena_print(arena, "%s/" IFD__STUDY_JOURNAL, into);
    IFD__HAVE(journal);
    if (stat(journal, &facts) == 0)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "'%s' holds a study already", into);
    IFD_TRY(ifd_study_store_open(arena, study, into, NULL, &to, note));
    ifd_status status = copy_all(to, count, from, note);
    if (status == IFD_OK)
        status = ifd_study_store_finish(to, note);
    ifd_study_store_close(to);
    return status;
}
