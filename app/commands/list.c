/* SPDX-License-Identifier: MIT */
/* interfield list: cases, methods, elements and every other list of the program. */
#include "app.h"

#include <string.h>

#include <interfield/catalogue.h>

static const ifd_catalogue_row *rows_of(app *a, const char *what, int *count)
{
    *count = 0;
    if (strcmp(what, "cases") != 0)
        return ifd_catalogue(a->arena, what, count);
    for (const char *const *folder = case_folders(); *folder; folder++) {
        const ifd_catalogue_row *row = ifd_catalogue_cases(a->arena, *folder, count);
        if (row && *count)
            return row;
    }
    static const ifd_catalogue_row none = {"", ""};
    *count = 0;
    return &none;
}

static void print_rows(const app *a, const ifd_catalogue_row *row, int count)
{
    int width = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(row[i].name);
        width = length > width ? length : width;
    }
    const char *bold = a->colour_out ? "\033[1m" : "", *plain = a->colour_out ? "\033[0m" : "";
    for (int i = 0; i < count; i++) {
        fputs(bold, stdout);
        app_print("%-*s", width, row[i].name);
        fputs(plain, stdout);
        app_print("  %s\n", row[i].summary ? row[i].summary : "");
    }
}

static int run_command(app *a)
{
    static const char choices[] = IFD_CATALOGUE_LISTS "|cases";
    const char *what = a->word[0];
    int count = 0;
    const ifd_catalogue_row *row = rows_of(a, what, &count);
    if (!row) {
        ifd_note_add(&a->note, IFD_UNKNOWN_CHOICE, NULL, "unknown list '%s'", what);
        ifd_choice_hint(&a->note, choices, what);
        return app_fail(a, IFD_UNKNOWN_CHOICE);
    }
    if (a->json) {
        ifd_json j = app_json(a);
        ifd_json_list(&j, what);
        for (int i = 0; i < count; i++)
            IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", row[i].name), IFD_JSON("summary", row[i].summary));
        return app_put_json(a, &j, EXIT_FINE);
    }
    if (!a->quiet)
        print_rows(a, row, count);
    return EXIT_FINE;
}

const command command_list = {
    .name = "list",
    .words = "WHAT",
    .summary = "list cases, methods, elements, signals, rigs, faults and more",
    .details = "WHAT is methods, couplings, extrapolators, elements, signals, actuators, compensators, rigs, "
               "states (of a test), faults (during a test), errors (of input), topics (of the case file) or "
               "cases. `interfield help NAME` explains most entries.",
    .examples = "interfield list cases\n"
                "interfield list elements",
    .see = "help docs",
    .run = run_command,
};
