/* SPDX-License-Identifier: MIT */
/* Memory for full matrices. Linux promises more memory than there is and ends the program when it is used, so that a
 * large allocation must be compared with what is available first. Set-up only.
 *
 *     IFD_TRY(ifd__memory_check(8.0 * n * n, "the factor of an unsymmetric matrix", note)); */
#pragma once

#include <interfield/status.h>

/* Bytes that a process can still use, of the machine and of its control group; INFINITY if this is not known. */
double ifd__memory_available(void);

/* IFD_NO_MEMORY, with both numbers in the note, if `what` needs more bytes than are available. */
ifd_status ifd__memory_check(double bytes, const char *what, ifd_note *note);
