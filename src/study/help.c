/* SPDX-License-Identifier: MIT */
/* Documentation of the study file, from the tables that read it. */
#include <string.h>

#include "case/reference.h"
#include "study/study.h"

#define SECTION(name) extern const ifd__section ifd__study_section_##name;
#include "study/sections.def"
#undef SECTION
#define SECTION(name) &ifd__study_section_##name,
static const ifd__section *const sections[] = {
#include "study/sections.def"
    NULL};
#undef SECTION

/* The sections of the analyses have a page of their own. */
static void print_page(FILE *out, ifd_arena *arena, bool analyses)
{
    bool within = false;
    fputs(analyses ? "# Analyses of the study file" : "# Study file", out);
    fputs("\n\n[Studies](../guide/studies.md) explains the use of studies. The tables have the columns of the "
          "[case file](case.md).\n",
          out);
    fputs(analyses ? "[Answers of studies](../guide/study-answers.md) explains the analyses.\n"
                   : "[Analyses of the study file](study-analysis.md) lists the keys of `analysis`.\n",
          out);
    for (int i = 0; sections[i]; i++) {
        within = within || strcmp(sections[i]->topic, "analysis") == 0;
        if (within == analyses)
            ifd__page_section(out, arena, sections[i]);
    }
}

static bool print_topic(FILE *out, ifd_arena *arena, const char *topic)
{
    bool analyses = strcmp(topic, "study-analysis.md") == 0;
    if (analyses || strcmp(topic, "study-file.md") == 0) {
        print_page(out, arena, analyses);
        return true;
    }
    for (int i = 0; sections[i]; i++)
        if (strcmp(sections[i]->topic, topic) == 0) {
            ifd__section_help(out, arena, sections[i]);
            return true;
        }
    return false;
}

const char *ifd_study_help(ifd_arena *arena, const char *topic)
{
    return ifd__help_text(arena, topic, print_topic);
}
