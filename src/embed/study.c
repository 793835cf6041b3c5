/* SPDX-License-Identifier: MIT */
/* The members of a study for other languages. */
#include <stdio.h>
#include <stdlib.h>

#include <interfield/embed.h>
#include <interfield/report.h>
#include <interfield/study.h>

struct ifd_variants {
    ifd_arena *arena, *chosen; /* chosen: of the last member asked for */
    ifd_note note;
    ifd_study *study;
    double value[IFD_STUDY_VARIABLES];
    const char *const *setting;
    int settings;
    char *message; /* allocated with malloc */
};

ifd_variants *ifd_variants_open(const char *path, int count, const char *const *sets)
{
    ifd_variants *v = calloc(1, sizeof *v);
    if (!v || !(v->arena = ifd_arena_open())) {
        free(v);
        return NULL;
    }
    ifd_note_init(&v->note, v->arena);
    const char **set = ifd_arena_array(v->arena, (size_t)count + 1, sizeof *set);
    for (int i = 0; i < count && set; i++)
        set[i] = sets[i];
    if (!set || ifd_study_read(v->arena, path, set, &v->study, &v->note) != IFD_OK)
        v->study = NULL;
    return v;
}

void ifd_variants_close(ifd_variants *v)
{
    if (!v)
        return;
    ifd_arena_close(v->chosen);
    ifd_arena_close(v->arena);
    free(v->message);
    free(v);
}

const char *ifd_variants_message(ifd_variants *v)
{
    size_t length = 0;
    free(v->message);
    v->message = NULL;
    FILE *f = open_memstream(&v->message, &length);
    if (!f)
        return ifd_status_text(IFD_NO_MEMORY);
    ifd_note_print(&v->note, f, false);
    return fclose(f) == 0 ? v->message : ifd_status_text(IFD_NO_MEMORY);
}

long ifd_variants_count(const ifd_variants *v)
{
    return v->study ? ifd_study_members(v->study) : -1;
}

const char *ifd_variants_base(const ifd_variants *v)
{
    return v->study ? ifd_study_base(v->study) : NULL;
}

const char *ifd_variants_variable(const ifd_variants *v, int variable)
{
    int count = 0;
    const ifd_study_variable *all = v->study ? ifd_study_variables(v->study, &count) : NULL;
    return all && variable >= 0 && variable < count ? all[variable].name : NULL;
}

const char *ifd_variants_choice(const ifd_variants *v, int variable, int index)
{
    int count = 0;
    const ifd_study_variable *all = v->study ? ifd_study_variables(v->study, &count) : NULL;
    return all && variable >= 0 && variable < count && index >= 0 && index < all[variable].choices
               ? all[variable].choice[index]
               : NULL;
}

int ifd_variants_choose(ifd_variants *v, long number)
{
    v->settings = 0;
    ifd_arena_close(v->chosen);
    v->chosen = ifd_arena_open();
    if (!v->study || !v->chosen || !ifd_study_values(v->study, number, v->value))
        return -1;
    v->setting = ifd_study_settings(v->chosen, v->study, v->value, &v->settings);
    return v->setting ? v->settings : -1;
}

double ifd_variants_value(const ifd_variants *v, int variable)
{
    return ifd_variants_variable(v, variable) ? v->value[variable] : 0.0;
}

const char *ifd_variants_setting(const ifd_variants *v, int index)
{
    return index >= 0 && index < v->settings ? v->setting[index] : NULL;
}
