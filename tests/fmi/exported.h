/* SPDX-License-Identifier: MIT */
/* Cases exported for a test, unpacked, loaded and instantiated as any other program would do it. */
#pragma once

#include <interfield/case.h>
#include <interfield/fmi.h>

#include "peer.h"
#include "scratch.h"

extern char exported_folder[SCRATCH_PATH];
extern ifd_arena *exported_arena;
extern ifd_note exported_note;

/* Before and after each test. */
int exported_begin(void **state);
int exported_end(void **state);
/* Whether there is a runtime to export; prints a note if not. */
bool exported_runtime(void);

ifd_case *exported_case(const char *name, int sets, const char *const *set_list);
void exported_open(const ifd_case *c, int version, int rows, const ifd_fmu_row *row, peer *p);
/* The value reference of a name, and of the displacement of a dof, in the last one that was opened. */
uint32_t exported_reference(const char *name);
uint32_t exported_channel(const ifd_model *m, int dof);
