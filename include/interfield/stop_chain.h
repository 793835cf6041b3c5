/* SPDX-License-Identifier: MIT */
/* Stop chain: stored proofs that the emergency stop and the watchdog of a rig work (docs/start/before-first-test.md).
 *
 *     IFD_TRY(ifd_stop_check(arena, &o, &s, row, &failed, note));            // rig_check.h
 *     ifd_proof proof = {.kind = IFD_PROOF_STOP, .by = "A. Smith", .rows = IFD_STOP_CHECKS, .row = row, ...};
 *     IFD_TRY(ifd_proof_write(arena, c, &rig, &proof, &path, note));         // STEM.stop-chain.json
 *     ...
 *     IFD_TRY(ifd_proof_judge(arena, c, check, &checks, note));              // the lines of preflight
 *
 * A proof has a mark of the settings of its rig. Proofs of other settings do not count. */
#ifndef INTERFIELD_STOP_CHAIN_H
#define INTERFIELD_STOP_CHAIN_H

#include <interfield/certificate.h>
#include <interfield/rig_check.h>
#include <interfield/several.h>

IFD_BEGIN_DECLS

typedef enum ifd_proof_kind { IFD_PROOF_STOP, IFD_PROOF_KILL, IFD_PROOF_KINDS } ifd_proof_kind;

typedef struct ifd_proof {
    ifd_proof_kind kind;
    const char *by; /* name of the operator */
    bool simulated; /* the rig declared itself simulated */
    int rows;       /* all must have passed */
    const ifd_rig_check_row *row;
} ifd_proof;

enum { IFD_PROOF_CHECKS = 10 };

/* The rig of a case with one rig, as a part. */
IFD_API ifd_rig_part ifd_proof_rig(const ifd_case *c, int actuators);

/* Adds a proof of this rig to the file of the case, instead of an earlier one of the same kind and settings. path:
 * the file. */
IFD_API ifd_status ifd_proof_write(ifd_arena *arena, const ifd_case *c, const ifd_rig_part *rig,
                                   const ifd_proof *proof, const char **path, ifd_note *note);

/* The checks of preflight, with that of the calibration: none for rigs that are virtual, in lockstep or declare
 * themselves simulated. A rig without a valid proof is opened for reading and asked. count: 0 to IFD_PROOF_CHECKS. */
IFD_API ifd_status ifd_proof_judge(ifd_arena *arena, const ifd_case *c, ifd_check check[IFD_PROOF_CHECKS], int *count,
                                   ifd_note *note);

/* The file of proofs of a case, which need not exist; NULL: no memory. */
IFD_API const char *ifd_proof_path(ifd_arena *arena, const ifd_case *c);

/* The channel whose calibration has ended at `now` (s since 1970, UTC); NULL: none. */
IFD_API const ifd_channel_row *ifd_calibration_ended(const ifd_channel_map *map, int64_t now);

IFD_END_DECLS
#endif
