/* SPDX-License-Identifier: MIT */
/* What the terminal prints about a state of a test: what holds, and the words that the operator may type next. */
#pragma once

#include "progress.h"
#include "start.h"

/* "bearing 12.31 mm, 4.2 kN", of every specimen, separated by "; ". apart: with the distance of the command. */
void places_print(const progress *l, bool apart, char *out, size_t size);
/* The lines about the present state, after its name as label; false: its name is enough. asked: a person can answer.
 */
bool state_print(const progress *l, const start_rules *start, bool asked, char *out, size_t size);
