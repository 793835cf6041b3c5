/* SPDX-License-Identifier: MIT */
/* Results of a study with `ensemble`, computed in blocks. */
#pragma once

#include <interfield/study.h>

enum { MEMBERS = 16 };

typedef struct results {
    ifd_arena *arena;
    ifd_study *study;
    ifd_study_runner *runner;
    char *bytes[MEMBERS]; /* of each member, without the duration of its computation */
    size_t length[MEMBERS];
} results;

/* Reads a study; and one of MEMBERS members. */
void open_study(results *r, const char *text);
void open_results(results *r, const char *text);
void put_result(void *self, const void *bytes, size_t length);
/* All members in an order that the seed decides, in blocks of this size. */
void compute_blocks(results *r, int size, unsigned seed);
ifd_study_result result_of(results *r, int k);
/* Fails unless member k has the same bytes in both. */
void assert_same_member(const results *a, const results *b, int k);
