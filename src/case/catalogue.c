/* SPDX-License-Identifier: MIT */
/* The lists of rows of all layers. */
#include <interfield/catalogue.h>

#include <interfield/compensator.h>
#include <interfield/hybrid.h>
#include <interfield/link.h>
#include <interfield/run.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/reader.h"
#include "case/rig/rigs.h"

enum { MOST = 1024 };

typedef struct rows {
    ifd_arena *arena;
    ifd_catalogue_row *row;
    int count;
    bool failed;
} rows;

static void add(rows *r, const char *name, const char *summary)
{
    if (r->count == MOST)
        return;
    r->row[r->count++] = (ifd_catalogue_row){name, summary};
}

/* Tables with name and summary in each row. */
#define TABLES(X)                                                                                                    \
    X(methods, ifd_method_count, ifd_methods)                                                                        \
    X(couplings, ifd_coupling_count, ifd_couplings)                                                                  \
    X(elements, ifd_element_count, ifd_elements)                                                                     \
    X(signals, ifd_signal_kind_count, ifd_signal_kinds)                                                              \
    X(extrapolators, ifd_extrapolator_count, ifd_extrapolators)                                                      \
    X(actuators, ifd_actuator_count, ifd_actuators)                                                                  \
    X(compensators, ifd_compensator_count, ifd_compensators)

#define ADDER(list, count, table)                                                                                    \
    static void add_##list(rows *r)                                                                                  \
    {                                                                                                                \
        for (int i = 0; i < (count); i++)                                                                            \
            add(r, (table)[i]->name, (table)[i]->summary);                                                           \
    }
TABLES(ADDER)
#undef ADDER

/* Faults of a run, then faults of a test with their actions. */
static void add_faults(rows *r)
{
    static const char *const action[] = {"noted", "hold", "ramp-out", "trip"};
    for (int i = IFD_FAULT_NONE + 1; i < IFD_FAULT_COUNT; i++)
        add(r, ifd_fault_name((ifd_fault)i), ifd_arena_print(r->arena, "run: %s", ifd_fault_text((ifd_fault)i)));
    for (int i = IFD_TRIP_NONE + 1; i < IFD_TRIP_COUNT; i++)
        add(r, ifd_trip_name((ifd_trip)i),
            ifd_arena_print(r->arena, "test, %s: %s", action[ifd_trip_action((ifd_trip)i)],
                            ifd_trip_text((ifd_trip)i)));
}

static void add_states(rows *r)
{
#define STATE(name, word, text) add(r, word, text);
    IFD_MACHINE_LIST(STATE)
#undef STATE
}

static void add_errors(rows *r)
{
    for (int i = IFD_OK + 1; i < IFD_STATUS_COUNT; i++)
        add(r, ifd_status_name((ifd_status)i), ifd_status_text((ifd_status)i));
}

static void add_topics(rows *r)
{
    for (int i = 0; ifd__sections[i]; i++)
        add(r, ifd__sections[i]->topic, ifd__sections[i]->title);
}

/* A driver is loaded for its summary. */
static void add_driver(rows *r, const ifd__driver *d)
{
    const ifd_rig_ops *ops = NULL;
    if (!d->path)
        add(r, d->name, ifd_arena_print(r->arena, "not built: %s", d->missing));
    else if (ifd_rig_named_open(d->name, r->arena, &ops, NULL, NULL) == IFD_OK)
        add(r, d->name, ops->summary ? ops->summary : "");
    else
        add(r, d->name, "cannot be loaded: `interfield rig-check` reports the reason");
}

static void add_rigs(rows *r)
{
    for (int i = 0; ifd__rigs[i]; i++)
        add(r, ifd__rigs[i]->name, ifd__rigs[i]->summary);
    add(r, "plugin", "rig of a laboratory, in a shared object that exports ifd_user_rig");
    ifd__driver driver[IFD__DRIVERS];
    int count = ifd__drivers(r->arena, driver);
    for (int i = 0; i < count; i++)
        add_driver(r, &driver[i]);
}

const ifd_catalogue_row *ifd_catalogue(ifd_arena *arena, const char *list, int *count)
{
    /* In the order of IFD_CATALOGUE_LISTS. */
    static void (*const adder[])(rows *) = {add_methods,      add_elements,      add_signals,   add_faults,
                                            add_errors,       add_topics,        add_couplings, add_actuators,
                                            add_compensators, add_extrapolators, add_rigs,      add_states};
    int which = ifd_choice_find(IFD_CATALOGUE_LISTS, list);
    rows r = {.arena = arena, .row = ifd_arena_array(arena, MOST, sizeof *r.row)};
    *count = 0;
    if (which < 0 || !r.row)
        return NULL;
    adder[which](&r);
    for (int i = 0; i < r.count; i++)
        if (!r.row[i].summary)
            return NULL;
    *count = r.count;
    return r.row;
}

const char *ifd__names_of(ifd_arena *arena, const char *list)
{
    int count;
    const ifd_catalogue_row *row = ifd_catalogue(arena, list, &count);
    const char **name = ifd_arena_array(arena, (size_t)count, sizeof *name);
    for (int i = 0; i < count && name; i++)
        name[i] = row[i].name;
    return name ? ifd__join(arena, count, name) : "";
}

/* The text after "title:" at the start of a line of the file; "": none. */
static const char *title_of(ifd_arena *arena, const char *path)
{
    FILE *in = fopen(path, "r");
    char line[512];
    const char *title = "";
    while (in && !*title && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "title:", 6) == 0)
            title = ifd_arena_text(arena, line + 6 + strspn(line + 6, " "));
    }
    if (in)
        fclose(in);
    return title;
}

static bool is_case(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".yaml") == 0 && !strstr(name, ".model.") && !strstr(name, ".study.");
}

static void add_case(rows *r, const char *folder, const char *sub, const char *file)
{
    char *path = ifd_arena_print(r->arena, "%s/%s/%s", folder, sub, file);
    char *name = ifd_arena_print(r->arena, "%s/%.*s", sub, (int)strlen(file) - 5, file);
    const char *title = path ? title_of(r->arena, path) : NULL;
    if (path && name && title)
        add(r, name, title);
    else
        r->failed = true;
}

static void add_folder(rows *r, const char *folder, const char *sub)
{
    char *path = ifd_arena_print(r->arena, "%s/%s", folder, sub);
    DIR *dir = path ? opendir(path) : NULL;
    r->failed = r->failed || !path;
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (is_case(e->d_name))
            add_case(r, folder, sub, e->d_name);
    if (dir)
        closedir(dir);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ifd_catalogue_row *)a)->name, ((const ifd_catalogue_row *)b)->name);
}

const ifd_catalogue_row *ifd_catalogue_cases(ifd_arena *arena, const char *folder, int *count)
{
    rows r = {.arena = arena, .row = ifd_arena_array(arena, MOST, sizeof *r.row)};
    DIR *dir = opendir(folder);
    *count = 0;
    for (const struct dirent *e; dir && r.row && (e = readdir(dir));)
        if (e->d_name[0] != '.')
            add_folder(&r, folder, e->d_name);
    bool there = dir != NULL;
    if (dir)
        closedir(dir);
    if (!there || !r.row || r.failed)
        return NULL;
    qsort(r.row, (size_t)r.count, sizeof *r.row, by_name);
    *count = r.count;
    return r.row;
}
