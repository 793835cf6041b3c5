/* SPDX-License-Identifier: MIT */
/* Native code that a case names: plug-ins and FMUs. Whether it may be loaded is decided here, before anybody opens
 * it; what was loaded is kept with the case by its BLAKE2b hash, so that a replay can demand the same file. */
#ifndef IFD_CASE_CODE_H
#define IFD_CASE_CODE_H

#include "case/reader.h"
#include "text/bundle.h"

/* A file that may be loaded, open: what was examined and hashed is what is loaded, by its descriptor. */
typedef struct ifd__code_file {
    const char *path; /* NULL: it is not loaded */
    int fd;           /* the caller's; -1 without path */
} ifd__code_file;

/* The file to load for the one that the case names at place. None: either an error was noted, or
 * the case is read without code and c->unloaded names it. structure: the model cannot be made without it. */
ifd__code_file ifd__code_admit(ifd__reader *r, const char *path, const ifd_place *place, bool structure);

/* The same for an FMU, which is unpacked later, once or several times: its descriptor stays open as long as the case.
 * The path is "", which nobody can open, and fd NULL, when it is not loaded. */
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

#endif
