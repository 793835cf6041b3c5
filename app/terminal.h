/* SPDX-License-Identifier: MIT */
/* The terminal of the program: its width, lines that fit into it, and what is typed beside a status line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TERMINAL_DEFAULT = 80 }; /* columns of tables and help in a file or pipe */

/* Columns of the terminal of a file, now; COLUMNS of the environment precedes. 0: a file or pipe. */
int terminal_width(FILE *file);
/* Whether a file is a terminal that knows escape sequences (TERM is set, and is not dumb). */
bool terminal_draws(FILE *file);
/* Columns of a text in UTF-8. */
int terminal_columns(const char *text);
/* Bytes of a text that fit into some columns. */
size_t terminal_fits(const char *text, int columns);
/* Prints text, which begins at column `at`, in lines of at most `width` columns, broken at blanks; the second line
 * and those after it begin at column `hang`. 0: no limit. Each line of the text is broken by itself. */
void terminal_wrap(FILE *file, const char *text, int at, int hang, int width);
/* The same for a table or an indented text: a long line continues below its last cell, which follows two blanks. */
void terminal_wrap_table(FILE *file, const char *text, int width);

/* Words that are typed while a status line is shown. The terminal neither echoes them nor waits for the end of the
 * line, so that they have their place in the status line; edited by backspace and Ctrl-U. */

/* false: standard input is no terminal, or the terminal cannot draw: it stays as it is. */
bool terminal_type(void);
/* The terminal as it was; may be called often and in a signal handler. */
void terminal_restore(void);
/* Takes typed bytes; returns the bytes of complete lines in out (length + 256 bytes), with their ends. *closed:
 * Ctrl-D in an empty line. */
size_t terminal_typed(const char *typed, size_t length, char *out, bool *closed);
/* The line as far as it is typed, and the number of its changes. Neither of them waits for the terminal. */
void terminal_line(char *out, size_t size);
unsigned terminal_edits(void);
