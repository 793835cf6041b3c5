/* SPDX-License-Identifier: MIT */
/* Native code of a case: plug-ins and FMUs. This module decides whether a file may be loaded, before it is opened.
 * The case keeps the BLAKE2b hash of loaded code, so that a replay can require the same file. */
#pragma once

#include "case/reader.h"
#include "text/bundle.h"

/* A file that may be loaded. It is open: examination, hash and loading use the same descriptor. */
typedef struct ifd__code_file {
    const char *path; /* NULL: it is not loaded */
    int fd;           /* the caller's; -1 without path */
} ifd__code_file;

/* The file to load for the one that the case names at place. None: either an error was noted, or
 * the case is read without code and c->unloaded names it. structure: the model cannot be made without it. */
ifd__code_file ifd__code_admit(ifd__reader *r, const char *path, const ifd_place *place, bool structure);

/* The same for an FMU, which is unpacked later, once or several times: its descriptor stays open as long as the case.
 * If it is not loaded, the path is "", which cannot be opened, and fd is NULL. */
typedef struct ifd__code_archive {
    const char *path;
    const int *fd;
} ifd__code_archive;

ifd__code_archive ifd__code_fmu(ifd__reader *r, const char *path, const ifd_place *place);
/* That of a specimen or an actuator: a value is changed to it. */
void ifd__code_value(ifd__reader *r, ifd_value *file);
/* The same for a rig. Of a record it is never loaded. */
ifd__code_file ifd__code_rig(ifd__reader *r, const char *path, const ifd_place *place);

/* The hash of an open file; false when it cannot be read. */
bool ifd__code_hash(int fd, unsigned char out[IFD__CODE_HASH]);

/* A rig of which only the name is known: it cannot be opened. */
extern const ifd_rig_ops ifd__unloaded_rig;
