/* SPDX-License-Identifier: MIT */
/* rig-check --stop and --kill: a person and a rig prove its stop chain; the proof is stored beside the case. */
#pragma once

#include "events.h"

#include <interfield/stop_chain.h>

typedef struct proof_target {
    const ifd_case *c;
    const ifd_rig_part *rig;
    const ifd_rig_check_options *o;
    double lag;    /* s, of the slowest actuator; 0: not known */
    double within; /* s, for each step of a person */
    bool simulated;
} proof_target;

/* Returns the exit status: failed if a row has not passed. */
int proof_make(app *a, const proof_target *t, ifd_proof_kind kind);
/* Writes the stored proofs of the case of a real rig to the log of its test. */
void proof_log(app *a, const ifd_case *c, events *log);
