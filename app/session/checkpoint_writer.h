/* SPDX-License-Identifier: MIT */
/* Writes the checkpoints of a test to disk and continues a test: --continue RESULT resumes
 * automatically if the rig is at its previous position; --until T holds at that simulated time, saves the state and
 * ends, while the rig keeps its position. */
#pragma once

#include "events.h"
#include "progress.h"

typedef struct checkpoint_writer checkpoint_writer;

/* Before the test is set up: reads --continue, and --until into its options. NULL after an error message. */
checkpoint_writer *checkpoint_writer_make(app *a, ifd_case *c, ifd_hybrid_options *o);
/* After the test is set up: loads the checkpoint of --continue. */
ifd_status checkpoint_writer_continue(checkpoint_writer *k, ifd_hybrid *h);
/* Stores a copy of the initial checkpoint in the folder of this test. */
ifd_status checkpoint_writer_open(checkpoint_writer *k, const char *folder, events *log, const progress *shown);
/* Sets the executor that receives orders. */
void checkpoint_writer_attach(checkpoint_writer *k, ifd_executor *e);
/* Whether the order resume of --continue was refused: the test waits on hold for its operator. */
bool checkpoint_writer_refused(const checkpoint_writer *k);
/* Every record; every few ms; after the last record. */
void checkpoint_writer_add(checkpoint_writer *k, const ifd_tick_record *r);
void checkpoint_writer_poll(checkpoint_writer *k);
void checkpoint_writer_finish(checkpoint_writer *k);
