/* SPDX-License-Identifier: MIT */
/* README.txt of an export: information for people before they load the files. */
#include "record/export/export.h"

#include "record/result.h"

static void put_use(FILE *out, ifd_export_kind kind)
{
    if (kind == IFD_EXPORT_CSV)
        fputs("columns.csv: the first line contains the names and units of the columns; then one row per instant. "
              "Numbers have 17\nsignificant digits, so that reading gives the same doubles.\n\n    Octave, MATLAB   "
              "data = dlmread('columns.csv', ',', 1, 0);\n    Python           numpy.genfromtxt('columns.csv', "
              "delimiter=',', skip_header=1)\n",
              out);
    else
        fputs("result.mat: a MATLAB file of level 5. `time` and every variable below are columns of equal length; "
              "the cell arrays\n`variables`, `names` and `units` also list them.\n\n    Octave, MATLAB   r = "
              "load('result.mat'); plot(r.time, r.VARIABLE)\n    Python           scipy.io.loadmat('result.mat')\n",
              out);
    fputs("\ndatapackage.json: the same data for programs, a Data Package (specs.frictionlessdata.io).\n", out);
}

static void put_fact(FILE *out, const char *label, const char *text)
{
    if (text && *text)
        fprintf(out, "%-9s  %s\n", label, text);
}

static void put_authors(FILE *out, const ifd_publication *p)
{
    for (int i = 0; i < p->authors; i++) {
        const ifd_author *a = &p->author[i];
        fprintf(out, "%-9s  %s", i ? "" : "authors", a->name);
        if (a->affiliation)
            fprintf(out, ", %s", a->affiliation);
        if (a->orcid)
            fprintf(out, " (https://orcid.org/%s)", a->orcid);
        fputc('\n', out);
    }
}

static void put_publication(FILE *out, const ifd_publication *p)
{
    static const ifd_publication none;
    p = p ? p : &none;
    if (p->description)
        fprintf(out, "%s\n\n", p->description);
    put_authors(out, p);
    if (!p->authors)
        put_fact(out, "authors", "not given");
    const ifd_licence *known = p->licence ? ifd_licence_find(p->licence) : NULL;
    fprintf(out, "%-9s  %s%s%s\n", "licence",
            p->licence ? p->licence : "not given: ask the authors before you use the data", known ? ", " : "",
            known ? known->url : "");
    put_fact(out, "doi", p->doi);
    for (int i = 0; i < p->keywords; i++)
        fprintf(out, "%s%s%s", i ? ", " : "keywords   ", p->keyword[i], i + 1 < p->keywords ? "" : "\n");
}

static void put_sensors(FILE *out, const ifd_channel_map *map)
{
    static const char *const source[] = {"position", "force", "aux"};
    fputs("\nSensors: value = sign * sensitivity * raw + offset - zero, in the unit of the row.\n\n", out);
    fprintf(out, "%-20s  %-11s  %-6s  %12s  %5s  %12s  %12s  %s\n", "sensor", "input", "unit", "sensitivity", "sign",
            "offset", "zero", "calibrated");
    for (int i = 0; i < map->rows; i++) {
        const ifd_channel_row *r = &map->row[i];
        fprintf(out, "%-20s  %-8s %2d  %-6s  %12.6g  %5g  %12.6g  %12.6g  %s\n", r->name, source[r->source],
                r->input + 1, *r->unit ? r->unit : "1", r->sensitivity, r->sign, r->offset, r->zero,
                r->calibrated ? r->calibrated : "date not given");
    }
}

static void put_columns(FILE *out, const ifd_table *t, bool mat, const char *const *name)
{
    fprintf(out, "\n%-6s  %-40s  %-8s  %s\n", "column", mat ? "variable" : "group", "unit", "name");
    fprintf(out, "%-6d  %-40s  %-8s  %s\n", 1, "time", "s", "time (simulated)");
    for (int i = 0; i < t->columns; i++)
        fprintf(out, "%-6d  %-40s  %-8s  %s\n", i + 2, mat ? name[i] : t->column[i].group,
                *t->column[i].unit ? t->column[i].unit : "1", t->column[i].name);
}

/* Meanings of the numbers in columns with codes. */
static void put_codes(FILE *out, const ifd_table *t)
{
    for (int i = 0; i < t->columns; i++) {
        ifd__legend legend = ifd__legend_of(t->column[i].quantity);
        if (legend.count)
            fprintf(out, "\nCodes of column `%s`:\n", t->column[i].name);
        for (int k = 0; k < legend.count; k++)
            fprintf(out, "%6d  %s%s%s\n", k, legend.word[k], legend.text ? ": " : "",
                    legend.text ? legend.text[k] : "");
    }
}

bool ifd__export_readme(FILE *out, const ifd_table *t, const ifd_export_options *o, const char *const *name)
{
    fprintf(out, "%s\n\n", t->title);
    put_publication(out, o->publication);
    put_fact(out, "kind", t->test ? "hybrid test" : "numerical simulation");
    put_fact(out, "started", o->started);
    put_fact(out, "operator", o->operated);
    put_fact(out, "specimen", o->specimen);
    put_fact(out, "method", t->method);
    put_fact(out, "outcome", t->outcome);
    fprintf(out, "%-9s  %ld, at the times in column `time` (s)\n", "rows", t->rows);
    put_fact(out, "time",
             t->test ? "simulated time; `wall time` is wall-clock time since the first tick" : "simulated time");
    put_fact(out, "units", o->sensors ? "SI, except for the sensors listed below" : "SI");
    fputc('\n', out);
    put_use(out, o->kind);
    if (o->sensors && o->sensors->rows)
        put_sensors(out, o->sensors);
    put_columns(out, t, o->kind == IFD_EXPORT_MAT, name);
    put_codes(out, t);
    return !ferror(out);
}
