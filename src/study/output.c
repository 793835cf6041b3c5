/* SPDX-License-Identifier: MIT */
/* study.csv, and the order of the rows in both result files. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/store.h"
#include "text/file.h"

typedef struct numbered {
    long number, row;
} numbered;

static int by_number(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

long *ifd__store_order(ifd_arena *arena, const ifd_study_store *s)
{
    long *order = ifd_arena_array(arena, (size_t)s->rows, sizeof *order);
    numbered *all IFD__FREED = malloc(((size_t)s->rows + 1) * sizeof *all);
    if (!all || !order)
        return NULL;
    for (long i = 0; i < s->rows; i++)
        all[i] = (numbered){s->row[i]->number, i};
    qsort(all, (size_t)s->rows, sizeof *all, by_number);
    for (long i = 0; i < s->rows; i++)
        order[i] = all[i].row;
    return order;
}

/* A field of CSV: in quotes where it needs them. */
static void put_text(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

/* The last number of a column with its text: many rows repeat it. */
typedef struct printed {
    double x;
    char text[40];
} printed;

/* The shortest text that reads back as the same number. */
static void put_number(FILE *to, double x, printed *last)
{
    static const char *const form[] = {"%.15g", "%.16g", "%.17g"};
    if (!*last->text || memcmp(&x, &last->x, sizeof x) != 0) {
        for (int k = 0; k < 3; k++) {
            snprintf(last->text, sizeof last->text, form[k], x);
            if (strtod(last->text, NULL) == x || isnan(x))
                break;
        }
        last->x = x;
    }
    fputs(isnan(x) ? "nan" : last->text, to);
}

/* last: of the variables, the time and the scalars. */
static void put_row(FILE *to, const ifd_study *study, const ifd_study_result *r, printed *last)
{
    fprintf(to, "%ld", r->number);
    for (int i = 0; i < study->variables; i++) {
        const ifd_study_variable *v = &study->shown[i];
        fputc(',', to);
        if (v->choices && r->value[i] >= 0 && r->value[i] < v->choices)
            put_text(to, v->choice[(int)r->value[i]]);
        else
            put_number(to, r->value[i], last + i);
    }
    fprintf(to, ",%s,", ifd_study_outcome_name(r->outcome));
    put_text(to, r->outcome == IFD_STUDY_COMPLETED ? "" : r->reason);
    fputc(',', to);
    last += study->variables;
    put_number(to, r->reached, last++);
    for (int i = 0; i < study->scalars; i++) {
        fputc(',', to);
        put_number(to, r->scalar[i], last + i);
    }
    fprintf(to, ",%016llx,", (unsigned long long)r->hash);
    put_text(to, r->outcome == IFD_STUDY_COMPLETED ? r->reason : "");
    fputc('\n', to);
}

ifd_status ifd__store_write_csv(const ifd_study_store *s, const long *order, const char *path, ifd_note *note)
{
    const ifd_study *study = s->study;
    printed *last;
    IFD_TRY(IFD__TAKE(s->arena, IFD__ARRAY(last, (size_t)(study->variables + study->scalars) + 1)));
    FILE *to = fopen(path, "we");
    if (!to)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno));
    fputs("member", to);
    for (int i = 0; i < study->variables; i++) {
        fputc(',', to);
        put_text(to, study->shown[i].name);
    }
    fputs(",outcome,reason,time", to);
    for (int i = 0; i < study->scalars; i++) {
        fputc(',', to);
        put_text(to, study->scalar[i].name);
    }
    fputs(",hash,caution\n", to);
    for (long i = 0; i < s->rows; i++)
        put_row(to, study, s->row[order[i]], last);
    bool good = !ferror(to) && fflush(to) == 0 && fsync(fileno(to)) == 0;
    int why = errno;
    good = fclose(to) == 0 && good;
    return good ? IFD_OK : ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(why));
}

/* Both files are written under another name and renamed, so that each is complete or absent. */
ifd_status ifd_study_store_finish(ifd_study_store *s, ifd_note *note)
{
    static const char *const name[2] = {"study.csv", "study.h5"};
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    long *order = arena ? ifd__store_order(arena, s) : NULL;
    ifd_status status = order ? IFD_OK : IFD_NO_MEMORY;
    for (int k = 0; k < 2 && status == IFD_OK; k++) {
        const char *path = ifd_arena_print(arena, "%s/%s", s->folder, name[k]);
        const char *part = ifd_arena_print(arena, "%s/.%s.part", s->folder, name[k]);
        if (!path || !part)
            status = IFD_NO_MEMORY;
        else
            status =
                k == 0 ? ifd__store_write_csv(s, order, part, note) : ifd__store_write_hdf5(s, order, part, note);
        if (status == IFD_OK && rename(part, path) != 0)
            status = ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno));
        if (status != IFD_OK && part)
            (void)unlink(part);
    }
    if (status == IFD_OK)
        (void)ifd__folder_sync(s->folder);

    return status;
}
