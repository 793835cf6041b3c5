/* SPDX-License-Identifier: MIT */
/* Another process that looks at a result while it is written, for HDF5 opens a file only once in each. Start it
 * before a recorder has threads: a child that is forked while one of them is inside HDF5 finds its lock taken for
 * ever. */
#pragma once

#include <sys/types.h>

typedef struct onlooker {
    pid_t pid;
    int ask, answer;
} onlooker;

onlooker onlooker_start(void);
/* Rows of a set of result.h5 in a folder; -1: it cannot be read. */
long onlooker_rows(const onlooker *o, const char *folder, const char *set);
void onlooker_end(onlooker *o);
