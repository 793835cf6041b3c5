/* SPDX-License-Identifier: MIT */
/* interfield export: plain files of a result with a description for data repositories. */
#include "report/ran.h"
#include "working.h"

#include <string.h>
#include <sys/stat.h>

#include <interfield/export.h>

/* Metadata of a result. */
typedef struct about {
    ifd_publication publication;
    ifd_author author[MOST_OPTIONS];
    const char *keyword[MOST_OPTIONS];
} about;

/* The next part of "NAME; AFFILIATION; ORCID", without surrounding blanks; NULL: none. */
static const char *next_part(app *a, const char **rest)
{
    const char *from = *rest + strspn(*rest, " ");
    size_t length = strcspn(from, ";");
    *rest = from + length + (from[length] == ';');
    while (length && from[length - 1] == ' ')
        length--;
    return length ? ifd_arena_text_n(a->arena, from, length) : NULL;
}

/* Options of the command line override the case. */
static ifd_status read_options(app *a, about *out)
{
    ifd_publication *p = &out->publication;
    const char *text[MOST_OPTIONS];
    int authors = app_values(a, "--author", text), keywords = app_values(a, "--keyword", out->keyword);
    for (int i = 0; i < authors; i++) {
        const char *rest = text[i];
        out->author[i].name = next_part(a, &rest);
        out->author[i].affiliation = next_part(a, &rest);
        out->author[i].orcid = next_part(a, &rest);
        if (!out->author[i].name)
            return ifd_note_add(&a->note, IFD_SYNTAX, NULL,
                                "--author: found '%s', expected 'NAME; AFFILIATION; ORCID'", text[i]);
    }
    if (authors)
        *p = (ifd_publication){p->description, p->licence, p->doi, authors, out->author, p->keywords, p->keyword};
    if (keywords)
        *p = (ifd_publication){p->description, p->licence, p->doi, p->authors, p->author, keywords, out->keyword};
    p->licence = app_has(a, "--licence") ? app_value(a, "--licence") : p->licence;
    p->description = app_has(a, "--description") ? app_value(a, "--description") : p->description;
    return ifd_publication_check(p, NULL, &a->note);
}

/* Metadata that a repository requires. */
static int put_missing(app *a, const ifd_publication *p, ifd_json *j)
{
    const char *const missing[] = {p->authors ? NULL : "authors", p->licence ? NULL : "licence"};
    int count = 0;
    ifd_json_list(j, "missing");
    for (int i = 0; i < 2; i++)
        if (missing[i]) {
            ifd_json_text(j, NULL, missing[i]);
            count++;
        }
    ifd_json_end(j);
    if (count)
        app_say(a, "note",
                "%s%s%s: data repositories require this; use `publication` in the case, or --author and --licence",
                missing[0] ? "no authors" : "", count == 2 ? " and " : "", missing[1] ? "no licence" : "");
    return count;
}

static void put_files(app *a, const ifd_export_options *o, const ifd_table *t, ifd_json *j)
{
    const char *file = o->kind == IFD_EXPORT_MAT ? "result.mat" : "columns.csv";
    app_say(a, "files", "%s/  %s  datapackage.json  README.txt \xc2\xb7 %ld rows, %d columns", o->folder, file,
            t->rows, t->columns);
    IFD_JSON_PUT(j, IFD_JSON("folder", o->folder), IFD_JSON("file", file), IFD_JSON("metadata", "datapackage.json"),
                 IFD_JSON("rows", t->rows), IFD_JSON("columns", t->columns),
                 IFD_JSON("sensors", o->sensors ? o->sensors->rows : 0));
}

/* -o is the folder of one format; of several the folder that contains those. */
static const char *folder_for(app *a, const char *format, bool several)
{
    const char *given = app_value(a, "-o");
    if (given && !several)
        return given;
    if (given)
        (void)mkdir(given, 0777); /* why it cannot be made is reported for the folder in it */
    return ifd_arena_print(a->arena, "%s/%s", given ? given : folder_of(a, a->word[0]), format);
}

static int run_command(app *a)
{
    bool csv = app_has(a, "--csv"), mat = app_has(a, "--mat");
    ifd_table t;
    ifd_export_options o;
    about *facts = ifd_arena_take(a->arena, sizeof *facts);
    if (!csv && !mat)
        return app_refuse(a, "export needs --csv, --mat or both");
    APP_TRY(a, facts ? IFD_OK : IFD_NO_MEMORY);
    APP_TRY(a, missing_read(a, a->word[0], &t));
    const ifd_case *c = result_case(a, a->word[0], true); /* for authors and sensors */
    if (c)
        facts->publication = c->publication;
    const ifd_finding *before = a->note.remark_last;
    APP_TRY(a, read_options(a, facts));
    app_remarks_after(a, before);
    ifd_export_defaults(&o);
    o.name = folder_name(a, folder_of(a, a->word[0]));
    o.publication = &facts->publication;
    o.sensors = c && c->test && t.test ? c->test->map : NULL;
    const ifd_json_node *summary = summary_read(a, a->word[0]);
    o.started = ifd_json_text_at(summary, "started", NULL);
    o.operated = ifd_json_text_at(summary, "operator", NULL);
    o.specimen = ifd_json_text_at(summary, "specimen_id", NULL);
    ifd_json j = app_json(a);
    if (csv && mat)
        ifd_json_list(&j, "exports");
    for (int kind = 0; kind < 2; kind++) {
        if (!(kind ? mat : csv))
            continue;
        o.kind = kind ? IFD_EXPORT_MAT : IFD_EXPORT_CSV;
        o.folder = folder_for(a, kind ? "mat" : "csv", csv && mat);
        APP_TRY(a, o.folder ? IFD_OK : IFD_NO_MEMORY);
        APP_TRY(a, WORK(a, "writing the files", ifd_export(a->arena, &t, &o, &a->note)));
        if (csv && mat)
            ifd_json_object(&j, NULL);
        put_files(a, &o, &t, &j);
        if (csv && mat)
            ifd_json_end(&j);
    }
    if (csv && mat)
        ifd_json_end(&j);
    put_missing(a, o.publication, &j);
    int exit_status = missing_say(a, a->word[0], &t);
    return a->json ? app_put_json(a, &j, exit_status) : exit_status;
}

const command command_export = {
    .name = "export",
    .words = "RESULT",
    .summary = "export a result for other programs and data repositories",
    .details = "RESULT is the folder of a run or a test. README.txt and datapackage.json (a Data Package) "
               "describe the data: title, authors, licence, keywords, every column with its unit, and the "
               "calibration of the channels. Authors, licence and keywords come from `publication` of the case; "
               "the options below replace them. Time is simulated time; a test also has a column of wall-clock "
               "time. No file is overwritten.",
    .options = {{"--csv", NULL, "write columns.csv"},
                {"--mat", NULL, "write result.mat (MATLAB level 5) for MATLAB, Octave and SciPy"},
                {"--author", "NAME", "author: 'NAME' or 'NAME; AFFILIATION; ORCID'; may be repeated"},
                {"--licence", "ID", "licence of the data, an SPDX identifier such as CC-BY-4.0"},
                {"--keyword", "WORD", "keyword for searches; may be repeated"},
                {"--description", "TEXT", "description of the test and its purpose"},
                {"-o", "DIR", "folder; of both formats the folder of csv and mat (default: that of the result)"}},
    .examples = "interfield export runs/bridge-hybrid-001 --csv --mat\n"
                "interfield export runs/bridge-hybrid-001 --mat --author 'A. Smith' --licence CC-BY-4.0",
    .see = "report python.md results.md",
    .run = run_command,
};
