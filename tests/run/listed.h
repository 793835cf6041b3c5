/* SPDX-License-Identifier: MIT */
/* The lists of expected results beside the cases: expected.json, hybrid.json, rts.json. */
#pragma once

#include <interfield/report.h>

#include "text/yaml.h"

/* The list in cases/<folder>/<name>, its rows from ->first on; NULL when there is no such file. */
const ifd__node *listed(ifd_arena *arena, const char *folder, const char *name, ifd_note *note);
