/* SPDX-License-Identifier: MIT */
/* The bytes of a result: on the way from a worker, and as a record of the journal. Numbers are in the byte order
 * of the machine, which the head of the journal records. */
#pragma once

#include "study/study.h"

/* Followed by the values, the scalars, the histories (rows by rows) and the reason. */
typedef struct ifd__result_head {
    int64_t number;
    uint64_t hash;
    double reached, duration;
    int32_t outcome, reason; /* length of the reason */
    int64_t rows;
} ifd__result_head;

/* Length of the bytes of a result; 0: too large. */
size_t ifd__result_bytes(const ifd_study *s, const ifd__result_head *head);
/* Writes them. series: rows x (1 + histories). */
void ifd__result_pack(const ifd_study *s, const ifd_study_result *r, const double *series, char *to);
/* Reads them; value, scalar and reason of *out are copies in the arena, *series points into the bytes. False: the
 * bytes are damaged. */
bool ifd__result_unpack(ifd_arena *arena, const ifd_study *s, const void *bytes, size_t length, ifd_study_result *out,
                        const char **series);
