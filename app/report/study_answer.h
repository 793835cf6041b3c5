/* SPDX-License-Identifier: MIT */
/* The answer of a study (answer.json of its folder) as a page and as pictures: sentences, tables and charts, without
 * knowledge of the analysis. */
#pragma once

#include "page.h"

/* The answer in a folder; NULL: the folder is not that of a study, or has no answer yet. */
const ifd_json_node *study_answer_find(app *a, const char *folder);
/* Prints its sentences and tables. */
void study_answer_print(const ifd_json_node *answer);
/* Writes the whole page. */
void study_answer_page(app *a, const ifd_json_node *answer, const char *folder, FILE *out);
/* Draws its charts to a .png, .svg or .pdf file; false after an error message. */
bool study_answer_draw(app *a, const ifd_json_node *answer, const char *title, const canvas *to);
