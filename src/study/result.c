/* SPDX-License-Identifier: MIT */
/* A result of a member as bytes. */
#include "study/study.h"

#include <string.h>

static const char *const words[] = {
#define WORD_OF(name, word) word,
    IFD_STUDY_OUTCOMES(WORD_OF)
#undef WORD_OF
};

const char *ifd_study_outcome_name(ifd_study_outcome outcome)
{
    return outcome >= 0 && outcome < IFD_STUDY_OUTCOME_COUNT ? words[outcome] : "unknown";
}

static size_t numbers_of(const ifd_study *s, int64_t rows)
{
    return (size_t)(s->variables + s->scalars) + (size_t)rows * (size_t)(1 + s->histories);
}

size_t ifd__result_bytes(const ifd_study *s, const ifd__result_head *h)
{
    const int64_t most = (int64_t)1 << 40;
    if (h->rows < 0 || h->reason < 0 || h->reason > IFD_STUDY_REASON || h->rows > most / (8 * (2 + s->histories)))
        return 0;
    return sizeof *h + numbers_of(s, h->rows) * sizeof(double) + (size_t)h->reason;
}

void ifd__result_pack(const ifd_study *s, const ifd_study_result *r, const double *series, char *to)
{
    const ifd__result_head head = {.number = r->number,
                                   .hash = r->hash,
                                   .reached = r->reached,
                                   .duration = r->duration,
                                   .outcome = (int32_t)r->outcome,
                                   .reason = (int32_t)strnlen(r->reason, IFD_STUDY_REASON),
                                   .rows = r->rows};
    size_t bytes = (size_t)r->rows * (size_t)(1 + s->histories) * sizeof *series;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    memcpy(to, r->value, (size_t)s->variables * sizeof *r->value);
    to += (size_t)s->variables * sizeof *r->value;
    memcpy(to, r->scalar, (size_t)s->scalars * sizeof *r->scalar);
    to += (size_t)s->scalars * sizeof *r->scalar;
    if (bytes)
        memcpy(to, series, bytes);
    memcpy(to + bytes, r->reason, (size_t)head.reason);
}

bool ifd__result_unpack(ifd_arena *arena, const ifd_study *s, const void *bytes, size_t length, ifd_study_result *out,
                        const char **series)
{
    ifd__result_head h;
    const char *at = bytes;
    if (length < sizeof h)
        return false;
    memcpy(&h, at, sizeof h);
    at += sizeof h;
    size_t values = (size_t)(s->variables + s->scalars) * sizeof(double);
    if (h.outcome < 0 || h.outcome >= IFD_STUDY_OUTCOME_COUNT || ifd__result_bytes(s, &h) != length)
        return false;
    double *number = ifd_arena_take(arena, values);
    if (!number)
        return false;
    memcpy(number, at, values);
    at += values;
    *series = at;
    *out = (ifd_study_result){.number = (long)h.number,
                              .outcome = (ifd_study_outcome)h.outcome,
                              .hash = h.hash,
                              .reached = h.reached,
                              .duration = h.duration,
                              .value = number,
                              .scalar = number + s->variables,
                              .reason = "",
                              .rows = (long)h.rows};
    if (h.reason)
        out->reason = ifd_arena_text_n(arena, (const char *)bytes + length - h.reason, (size_t)h.reason);
    return out->reason != NULL;
}
