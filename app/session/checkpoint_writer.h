/* SPDX-License-Identifier: MIT */
/* Keeps the checkpoints of a test on the disk, and leads a test that is to be continued: --continue RESULT goes on
 * by itself when the rig stands where it was left; --until T holds at that simulated time, keeps the state and
 * ends, the rig staying where it is. */
#ifndef APP_CHECKPOINT_WRITER_H
#define APP_CHECKPOINT_WRITER_H

#include "events.h"
#include "listener.h"

typedef struct checkpoint_writer checkpoint_writer;

/* Before the test is made: reads --continue, and --until into its options. NULL after saying what is wrong. */
checkpoint_writer *checkpoint_writer_make(app *a, ifd_case *c, ifd_hybrid_options *o);
/* After: takes over the checkpoint of --continue. */
ifd_status checkpoint_writer_continue(checkpoint_writer *k, ifd_hybrid *h);
/* The folder of this test is known: a copy of where it begins is kept there. */
ifd_status checkpoint_writer_open(checkpoint_writer *k, const char *folder, events *log, const progress *shown);
/* The executor gives ears to orders. */
void checkpoint_writer_attach(checkpoint_writer *k, ifd_executor *e);
listener checkpoint_writer_listener(checkpoint_writer *k);

#endif
