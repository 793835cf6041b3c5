/* SPDX-License-Identifier: MIT */
/* The queue: hands out the members of a plan that have no result yet. A chain opens its next step when all results
 * of the present one are there. */
#include <stdlib.h>
#include <string.h>

#include "study/store.h"

static bool push(ifd_study_store *s, long number, const double *value)
{
    ifd__waiting *w = &s->waiting;
    size_t variables = (size_t)s->study->variables;
    if (w->count == 0)
        w->first = 0;
    if (w->first + w->count == w->room) {
        if (w->first > w->room / 2) { /* the handed ones make room */
            memmove(w->number, w->number + w->first, (size_t)w->count * sizeof *w->number);
            memmove(w->value, w->value + (size_t)w->first * variables,
                    (size_t)w->count * variables * sizeof *w->value);
            w->first = 0;
        } else {
            long room = w->room ? 2 * w->room : 64;
            long *number_of = realloc(w->number, (size_t)room * sizeof *number_of);
            w->number = number_of ? number_of : w->number;
            double *value_of = realloc(w->value, (size_t)room * variables * sizeof *value_of);
            w->value = value_of ? value_of : w->value;
            if (!number_of || !value_of)
                return false;
            w->room = room;
        }
    }
    long at = w->first + w->count++;
    w->number[at] = number;
    memcpy(w->value + (size_t)at * variables, value, variables * sizeof *value);
    return true;
}

/* Results of the earlier steps of a chain; the caller frees them. */
static const ifd_study_result **earlier_of(const ifd_study_store *s, long chain, int step)
{
    const ifd_study_plan *p = s->study->plan;
    const ifd_study_result **all = malloc(((size_t)step * (size_t)p->width + 1) * sizeof *all);
    for (int t = 0; t < step && all; t++)
        for (int i = 0; i < p->width; i++)
            all[t * p->width + i] = ifd__store_find(s, ((long)t * p->chains + chain) * p->width + i);
    return all;
}

/* Opens steps from this one on until one has members without result; false: out of memory. */
static bool open_step(ifd_study_store *s, long chain, int step)
{
    const ifd_study_plan *p = s->study->plan;
    for (; step < p->steps; step++) {
        const ifd_study_result **earlier = earlier_of(s, chain, step);
        bool more = earlier && p->next(p->self, chain, step, earlier, s->scratch);
        free((void *)earlier);
        if (!more)
            return earlier != NULL;
        int left = 0;
        for (int i = 0; i < p->width; i++) {
            long number = ((long)step * p->chains + chain) * p->width + i;
            if (ifd__store_finished(s, number))
                continue;
            if (!push(s, number, s->scratch + (size_t)i * (size_t)s->study->variables))
                return false;
            left++;
        }
        if (s->chain)
            s->chain[chain] = (ifd__chain){step, left};
        if (left)
            return true;
    }
    return true;
}

ifd_study_queue ifd_study_next(ifd_study_store *s, double *value, long *number)
{
    const ifd_study_plan *p = s->study->plan;
    ifd__waiting *w = &s->waiting;
    for (; w->count == 0 && s->cursor < p->chains; s->cursor += s->shard.count)
        if (!open_step(s, s->cursor, 0))
            return IFD_STUDY_WAIT;
    if (w->count == 0)
        return s->handed ? IFD_STUDY_WAIT : IFD_STUDY_END;
    *number = w->number[w->first];
    memcpy(value, w->value + (size_t)w->first * (size_t)s->study->variables,
           (size_t)s->study->variables * sizeof *value);
    w->first++;
    w->count--;
    s->handed++;
    return IFD_STUDY_MEMBER;
}

ifd_status ifd_study_put(ifd_study_store *s, const void *bytes, size_t length, ifd_note *note)
{
    const ifd_study_plan *p = s->study->plan;
    ifd__result_head head;
    uint64_t at;
    if (length < sizeof head)
        return ifd_note_add(note, IFD_DAMAGED, NULL, "the result of a member is damaged");
    memcpy(&head, bytes, sizeof head);
    if (head.number < 0 || ifd__store_finished(s, (long)head.number))
        return IFD_OK;
    IFD_TRY(ifd__journal_append(s, bytes, length, &at, note));
    ifd_status status = ifd__store_add(s, bytes, length, at);
    if (status != IFD_OK)
        return ifd_note_add(note, status, NULL, "the result of member %ld: %s", (long)head.number,
                            ifd_status_text(status));
    s->handed -= s->handed > 0;
    if (!s->chain)
        return IFD_OK;
    long chain = (long)head.number / p->width % p->chains;
    if (--s->chain[chain].left > 0)
        return IFD_OK;
    return open_step(s, chain, s->chain[chain].step + 1) ? IFD_OK : IFD_NO_MEMORY;
}
