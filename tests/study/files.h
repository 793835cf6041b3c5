/* SPDX-License-Identifier: MIT */
/* A small study in a folder of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

extern char place[160];

int folder_open(void **state);
int folder_close(void **state);
/* Writes folder/name. */
void put_file(const char *name, const char *text);
/* "folder/name"; valid until the fourth next call. */
const char *in(const char *name);
/* Whether two files have the same bytes. */
bool same_files(const char *a, const char *b);

/* A hysteretic oscillator under a harmonic motion, and a study of 24 members of it. */
extern const char oscillator[], parameters[];
