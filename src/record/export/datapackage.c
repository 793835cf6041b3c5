/* SPDX-License-Identifier: MIT */
/* datapackage.json: a Data Package of the Frictionless specifications, version 1. It describes the columns of a
 * table, which DataCite metadata do not, and contains the data that DataCite requires; a repository adds the rest,
 * such as its DOI. `unit` of a field and `sensors` are additional members, which the specification permits. */
#include "record/export/export.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/json.h>
#include <interfield/version.h>

#include "record/result.h"

/* A name of lower-case letters, digits, dots and dashes, as the specification requires. */
static const char *package_name(ifd_arena *arena, const char *name)
{
    char *text = ifd_arena_text(arena, name && *name ? name : "result");
    for (char *p = text; p && *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : strchr("._-", *p) ? *p : '-';
    return text ? text : "result";
}

static void put_known(ifd_json *j, const char *key, const char *text)
{
    if (text && *text)
        ifd_json_text(j, key, text);
}

static void put_authors(ifd_json *j, ifd_arena *arena, const ifd_publication *p)
{
    ifd_json_list(j, "contributors");
    for (int i = 0; i < p->authors; i++) {
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("title", p->author[i].name), IFD_JSON("role", "author"));
        put_known(j, "organization", p->author[i].affiliation);
        if (p->author[i].orcid)
            put_known(j, "path", ifd_arena_print(arena, "https://orcid.org/%s", p->author[i].orcid));
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static void put_licence(ifd_json *j, const char *id)
{
    const ifd_licence *known = ifd_licence_find(id);
    ifd_json_list(j, "licenses");
    ifd_json_object(j, NULL);
    ifd_json_text(j, "name", id);
    put_known(j, "title", known ? known->title : NULL);
    put_known(j, "path", known ? known->url : NULL);
    ifd_json_end(j);
    ifd_json_end(j);
}

static void put_publication(ifd_json *j, ifd_arena *arena, const ifd_publication *p)
{
    put_known(j, "description", p->description);
    if (p->doi)
        put_known(j, "id", ifd_arena_print(arena, "https://doi.org/%s", p->doi));
    if (p->authors)
        put_authors(j, arena, p);
    if (p->licence)
        put_licence(j, p->licence);
    if (p->keywords)
        ifd_json_list(j, "keywords");
    for (int i = 0; i < p->keywords; i++)
        ifd_json_text(j, NULL, p->keyword[i]);
    if (p->keywords)
        ifd_json_end(j);
}

/* Meanings of the codes of a column. */
static void put_codes(ifd_json *j, ifd__legend legend)
{
    if (legend.count)
        ifd_json_object(j, "codes");
    for (int k = 0; k < legend.count; k++) {
        char code[12];
        snprintf(code, sizeof code, "%d", k);
        ifd_json_text(j, code, legend.word[k]);
    }
    if (legend.count)
        ifd_json_end(j);
}

static void put_field(ifd_json *j, const char *name, const ifd_column *c)
{
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("name", name), IFD_JSON("title", c->name), IFD_JSON("type", "number"),
                 IFD_JSON("unit", *c->unit ? c->unit : "1"));
    put_known(j, "group", c->group);
    put_known(j, "description", ifd_column_description(c->quantity));
    put_codes(j, ifd__legend_of(c->quantity));
    ifd_json_end(j);
}

/* One field for each column, time first, with the names of the file. */
static void put_fields(ifd_json *j, ifd_arena *arena, const ifd_table *t, const char *const *variable, bool csv)
{
    static const ifd_column time = {
        .name = "time", .unit = "s", .group = "time", .owner = "", .quantity = IFD_COLUMN_TIME};
    put_field(j, csv ? "time [s]" : "time", &time);
    for (int i = 0; i < t->columns; i++) {
        const ifd_column *c = &t->column[i];
        const char *header = ifd_arena_print(arena, "%s [%s]", c->name, *c->unit ? c->unit : "1");
        put_field(j, csv ? header : variable[i], c);
    }
}

static void put_resource(ifd_json *j, ifd_arena *arena, const ifd_table *t, const ifd_export_options *o,
                         const char *const *variable)
{
    bool csv = o->kind == IFD_EXPORT_CSV;
    const char *file = ifd__export_file(o->kind), *path = ifd_arena_print(arena, "%s/%s", o->folder, file);
    struct stat facts;
    ifd_json_list(j, "resources");
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("name", csv ? "columns" : "result"), IFD_JSON("path", file),
                 IFD_JSON("profile", csv ? "tabular-data-resource" : "data-resource"),
                 IFD_JSON("format", csv ? "csv" : "mat"),
                 IFD_JSON("mediatype", csv ? "text/csv" : "application/x-matlab-data"));
    if (path && stat(path, &facts) == 0)
        ifd_json_integer(j, "bytes", (long)facts.st_size);
    if (csv) {
        ifd_json_text(j, "encoding", "utf-8");
        ifd_json_object(j, "schema");
    }
    ifd_json_list(j, csv ? "fields" : "variables");
    put_fields(j, arena, t, variable, csv);
    ifd_json_end(j);
    if (csv) {
        ifd_json_list(j, "missingValues");
        for (int i = 0; i < 3; i++) /* words for numbers that are not finite */
            ifd_json_text(j, NULL, i == 0 ? "" : i == 1 ? "nan" : "-nan");
        ifd_json_end(j);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    ifd_json_end(j);
}

/* value = sign sensitivity raw + offset - zero (<interfield/channels.h>). */
static void put_sensor(ifd_json *j, const ifd_channel_row *row)
{
    static const char *const source[] = {"position", "force", "aux"}, *const means[] = {NULL, "position", "force"};
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("name", row->name), IFD_JSON("input", source[row->source]),
                 IFD_JSON("input_number", row->input + 1));
    if (row->meaning != IFD_MEANS_RECORD)
        IFD_JSON_PUT(j, IFD_JSON("measures", means[row->meaning]), IFD_JSON("actuator", row->actuator + 1));
    IFD_JSON_PUT(j, IFD_JSON("unit", row->unit), IFD_JSON("sensitivity", row->sensitivity),
                 IFD_JSON("sign", row->sign), IFD_JSON("offset", row->offset), IFD_JSON("zero", row->zero));
    if (isfinite(row->low) && isfinite(row->high))
        ifd_json_numbers(j, "range", 2, (double[]){row->low, row->high});
    put_known(j, "calibrated", row->calibrated);
    put_known(j, "tared", row->tared);
    ifd_json_end(j);
}

bool ifd__export_package(ifd_arena *arena, FILE *out, const ifd_table *t, const ifd_export_options *o,
                         const char *const *variable)
{
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    IFD_JSON_PUT(&j, IFD_JSON("profile", o->kind == IFD_EXPORT_CSV ? "tabular-data-package" : "data-package"),
                 IFD_JSON("name", package_name(arena, o->name)), IFD_JSON("title", t->title));
    if (o->publication)
        put_publication(&j, arena, o->publication);
    put_known(&j, "created", o->started);
    put_known(&j, "operator", o->operated);
    put_known(&j, "specimen", o->specimen);
    IFD_JSON_PUT(&j, IFD_JSON("kind", t->test ? "hybrid test" : "numerical simulation"),
                 IFD_JSON("method", t->method), IFD_JSON("outcome", t->outcome),
                 IFD_JSON("software", "interfield " IFD_VERSION));
    put_resource(&j, arena, t, o, variable);
    if (o->sensors) {
        ifd_json_list(&j, "sensors");
        for (int i = 0; i < o->sensors->rows; i++)
            put_sensor(&j, &o->sensors->row[i]);
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    const char *text = ifd_json_done(&j);
    return text && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
}
