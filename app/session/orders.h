/* SPDX-License-Identifier: MIT */
/* Answers of a test to orders. */
#pragma once

#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

/* The message about the order of a record of test o: "refused: ..."; false if it was executed without remark. */
bool answer_print(const ifd_tick_record *r, const ifd_hybrid_options *o, char *out, size_t size);
