/* SPDX-License-Identifier: MIT */
/* Manual pages and shell completion, generated from the table of commands. The build installs them. */
#pragma once

#include "app.h"

/* interfield-<command>(1) in troff; for NULL interfield(1), the page of the program. */
void manual_print(FILE *out, const command *c);
/* The completion scripts for bash and zsh. */
void completion_bash(FILE *out, const command *none);
void completion_zsh(FILE *out, const command *none);
