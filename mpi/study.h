/* SPDX-License-Identifier: MIT */
/* The members of a study over all processes: rank 0 deals and writes, every rank computes. */
#pragma once

#include <mpi.h>

#include <interfield/study_carrier.h>

void study_open(MPI_Comm comm);
/* Rank 0: computes all remaining members. It ends when every other rank has left study_serve. */
ifd_status study_deal(void *self, ifd_study_store *store, const ifd_study *s, const ifd_study_options *o,
                      ifd_note *note);
/* Other ranks: computes until rank 0 ends it. */
ifd_status study_serve(void *self, const ifd_study *s, const ifd_study_options *o, ifd_note *note);
/* Ranks that have ended, as far as this one knows; MPI can then not be finalised. */
int study_gone(void);
