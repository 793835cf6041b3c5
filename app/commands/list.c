/* SPDX-License-Identifier: MIT */
/* interfield list: cases, methods, elements and every other list of the program. */
#include "app.h"

#include <glob.h>
#include <string.h>

#include <interfield/catalogue.h>

/* Every list with what it contains, in the order of `interfield list`. */
static const ifd_catalogue_row lists[] = {
    {"cases", "shipped cases"},
    {"studies", "shipped studies"},
    {"papers", "figures of papers that interfield reproduce computes"},
    {"methods", "integration methods"},
    {"couplings", "couplings of substructures"},
    {"extrapolators", "extrapolations of forces"},
    {"elements", "elements of models and specimens"},
    {"signals", "time functions"},
    {"actuators", "actuators of the virtual rig"},
    {"compensators", "delay compensators"},
    {"rigs", "connections to a laboratory"},
    {"topics", "sections of the case file"},
    {"states", "states of a test"},
    {"faults", "faults of a run or a test"},
    {"errors", "errors of input"},
};
enum { LISTS = sizeof lists / sizeof *lists };

static const ifd_catalogue_row none = {"", ""};

static const ifd_catalogue_row *cases(app *a, int *count)
{
    for (const char *const *folder = case_folders(); *folder; folder++) {
        const ifd_catalogue_row *row = ifd_catalogue_cases(a->arena, *folder, count);
        if (row && *count)
            return row;
    }
    *count = 0;
    return &none;
}

/* The text after "title:" at the start of a line of the file; "": none. */
static const char *study_title(app *a, const char *path)
{
    char line[512];
    const char *title = "";
    FILE *in = fopen(path, "r");
    while (in && title && !*title && fgets(line, sizeof line, in))
        if (strncmp(line, "title: ", 7) == 0)
            title = ifd_arena_text_n(a->arena, line + 7, strcspn(line + 7, "\n"));
    if (in)
        fclose(in);
    return title;
}

/* "bridge/stroke" of cases/bridge/stroke.study.yaml. */
static const ifd_catalogue_row *studies(app *a, int *count)
{
    static const char end[] = ".study.yaml";
    for (const char *const *folder = case_folders(); *folder; folder++) {
        glob_t found;
        const char *pattern = ifd_arena_print(a->arena, "%s/*/*%s", *folder, end);
        if (!pattern || glob(pattern, 0, NULL, &found) != 0)
            continue;
        ifd_catalogue_row *row = ifd_arena_array(a->arena, found.gl_pathc, sizeof *row);
        size_t before = strlen(*folder) + 1, after = sizeof end - 1;
        for (size_t i = 0; row && i < found.gl_pathc; i++) {
            const char *path = found.gl_pathv[i];
            row[i].name = ifd_arena_text_n(a->arena, path + before, strlen(path) - before - after);
            row[i].summary = study_title(a, path);
        }
        *count = row ? (int)found.gl_pathc : 0;
        globfree(&found);
        return row ? row : &none;
    }
    *count = 0;
    return &none;
}

/* What interfield-reproduce computes; that program has the functions. */
static const struct {
    const char *number, *authors;
} papers[] = {
#define PAPER(number, authors, note) {number, authors},
#include "reproduce/papers.def"
#undef PAPER
};

static const struct {
    const char *id, *title, *example;
} figures[] = {
#define ENTRY(id, title, nearest, make) {id, title, nearest},
#include "reproduce/entries.def"
#undef ENTRY
};
enum { PAPERS = sizeof papers / sizeof *papers, FIGURES = sizeof figures / sizeof *figures };

/* Each paper, then its figures: all are arguments of `interfield reproduce`. */
static const ifd_catalogue_row *published(app *a, int *count)
{
    ifd_catalogue_row *row = ifd_arena_array(a->arena, PAPERS + FIGURES, sizeof *row);
    *count = 0;
    for (int p = 0; row && p < PAPERS; p++) {
        row[(*count)++] = (ifd_catalogue_row){papers[p].number, papers[p].authors};
        for (int f = 0; f < FIGURES; f++)
            if (strncmp(figures[f].id, papers[p].number, strlen(papers[p].number)) == 0)
                row[(*count)++] = (ifd_catalogue_row){
                    figures[f].id, *figures[f].example
                                       ? ifd_arena_print(a->arena, "%s (%s)", figures[f].title, figures[f].example)
                                       : figures[f].title};
    }
    return row ? row : &none;
}

static void put_published(ifd_json *j)
{
    for (int f = 0; f < FIGURES; f++)
        for (int p = 0; p < PAPERS; p++)
            if (strncmp(figures[f].id, papers[p].number, strlen(papers[p].number)) == 0)
                IFD_JSON_OBJECT(j, NULL, IFD_JSON("name", figures[f].id), IFD_JSON("summary", figures[f].title),
                                IFD_JSON("paper", papers[p].authors),
                                IFD_JSON("case", *figures[f].example ? figures[f].example : NULL),
                                IFD_JSON("command", phrase("interfield reproduce %s", figures[f].id).text));
}

static const ifd_catalogue_row *rows_of(app *a, const char *what, int *count)
{
    *count = 0;
    return strcmp(what, "cases") == 0     ? cases(a, count)
           : strcmp(what, "studies") == 0 ? studies(a, count)
           : strcmp(what, "papers") == 0  ? published(a, count)
                                          : ifd_catalogue(a->arena, what, count);
}

/* The lists with their numbers of entries. */
static int put_lists(app *a)
{
    ifd_json j = app_json(a);
    ifd_json_list(&j, "lists");
    for (int i = 0; i < LISTS; i++) {
        int count = 0;
        if (!rows_of(a, lists[i].name, &count))
            return app_fail(a, IFD_NO_MEMORY);
        if (strcmp(lists[i].name, "papers") == 0)
            count = FIGURES;
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", lists[i].name), IFD_JSON("entries", count),
                        IFD_JSON("summary", lists[i].summary));
        if (app_talks(a))
            app_print("%-13s  %3d  %s\n", lists[i].name, count, lists[i].summary);
    }
    return a->json ? app_put_json(a, &j, EXIT_FINE) : EXIT_FINE;
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

/* The rows with a word in their name or summary; their number. */
static int keep(ifd_arena *arena, const ifd_catalogue_row **row, int count, const char *word)
{
    ifd_catalogue_row *kept = ifd_arena_array(arena, (size_t)count + 1, sizeof *kept);
    int n = 0;
    for (int i = 0; i < count && kept; i++)
        if (strcasestr((*row)[i].name, word) || ((*row)[i].summary && strcasestr((*row)[i].summary, word)))
            kept[n++] = (*row)[i];
    *row = kept ? kept : *row;
    return n;
}

static int run_command(app *a)
{
    if (!a->words)
        return put_lists(a);
    static const char choices[] = IFD_CATALOGUE_LISTS "|" APP_LISTS;
    const char *what = a->word[0];
    int count = 0;
    const ifd_catalogue_row *row = rows_of(a, what, &count);
    if (!row) {
        ifd_note_add(&a->note, IFD_UNKNOWN_CHOICE, NULL, "unknown list '%s'", what);
        ifd_choice_hint(&a->note, choices, what);
        return app_fail(a, IFD_UNKNOWN_CHOICE);
    }
    if (a->words > 1 && (count = keep(a->arena, &row, count, a->word[1])) == 0)
        return app_refuse(a, "the list %s has no entry with '%s'", what, a->word[1]);
    if (a->json) {
        ifd_json j = app_json(a);
        ifd_json_list(&j, what);
        bool published_all = strcmp(what, "papers") == 0 && a->words == 1;
        if (published_all)
            put_published(&j);
        for (int i = 0; i < count && !published_all; i++)
            IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", row[i].name), IFD_JSON("summary", row[i].summary));
        return app_put_json(a, &j, EXIT_FINE);
    }
    if (!a->quiet)
        print_rows(a, row, count);
    return EXIT_FINE;
}

const command command_list = {
    .name = "list",
    .words = "[WHAT] [WORD]",
    .summary = "list cases, studies, methods, elements, signals, rigs, faults and more",
    .details =
        "WHAT is methods, couplings, extrapolators, elements, signals, actuators, compensators, rigs, "
        "states (of a test), faults (during a test), errors (of input), topics (of the case file), "
        "cases, studies (for interfield study) or papers (figures for interfield reproduce, with the nearest "
        "shipped case). With WORD: the entries that contain it. Without WHAT: every list with its number of entries. "
        "`interfield help NAME` explains most entries.",
    .examples = "interfield list\n"
                "interfield list cases brace\n"
                "interfield list elements",
    .see = "help docs",
    .run = run_command,
};
