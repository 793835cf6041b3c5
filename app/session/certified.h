/* SPDX-License-Identifier: MIT */
/* The preflight certificate of a case, and the proof test of its rig: their check before a test. */
#pragma once

#include "app.h"
#include "events.h"

#include <interfield/certificate.h>
#include <interfield/stop_chain.h>

/* The path of its certificate without ".certificate.json": beside the case, or in --out of a preflight. */
const char *certificate_stem(app *a, const ifd_case *c);

/* The path of its characterisation without ".characterisation.json": beside the case, of a shipped case here. */
const char *characterised_stem(app *a, const ifd_case *c);

/* Before a test: finds the certificate, also by --certificate, and reports its errors. A test that moves a real rig
 * needs a valid one or --without-preflight; false if it must not start. The finding is stored in the notes of the
 * case. Its numbers that the monitor uses become part of the case and of o, the options of the test. */
bool certified(app *a, ifd_case *c, ifd_hybrid_options *o, ifd_certificate *out);
/* Writes its verdict to the log and prints its cautions. */
void certified_log(app *a, ifd_case *c, const ifd_certificate *certificate, events *log);
/* Copies it to the result folder. */
bool certified_store(app *a, const ifd_certificate *certificate, const char *folder);

/* rig-check --stop and --kill: a person and a rig prove its stop chain; the proof is stored beside the case. */

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
