/* SPDX-License-Identifier: MIT */
/* Factors over all processes by MUMPS: rank 0 orders, the others serve. */
#pragma once

#include <mpi.h>

#include <interfield/factoriser.h>

/* Of rank 0; its solve ends all processes if MUMPS fails. */
extern const ifd_factoriser mumps_factoriser;

void mumps_open(MPI_Comm comm);
/* Other ranks: carries out orders until rank 0 closes. */
void mumps_serve(void);
/* Rank 0: ends the service. */
void mumps_close(void);
