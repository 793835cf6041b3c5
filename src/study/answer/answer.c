/* SPDX-License-Identifier: MIT */
/* The section `analysis`, and the summary of every study. */
#include "study/answer/answer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/motion.h>
#include <interfield/version.h>

#include "model/model.h"
#include "study/member.h"
#include "study/store.h"
#include "text/units.h"

#define ANALYSIS(name) &ifd__analysis_##name,
static const ifd__analysis *const analyses[] = {
#include "study/answer/analyses.def"
};
#undef ANALYSIS
enum { ANALYSES = sizeof analyses / sizeof *analyses };

const ifd__section ifd__study_section_analysis = {
    "analysis", "analysis: the question of the study", "analysis",
    "The section has one key, the analysis, with its settings. The file answer.json of the result folder contains "
    "the answer; `interfield report` and `interfield plot` show it. Without `analysis`, the answer is a summary of "
    "the scalars.",
    KEYS(FORM("ida", false, "mapping (help ida)", NULL, "incremental dynamic analysis"),
         FORM("stripes", false, "mapping (help stripes)", NULL, "multiple-stripe analysis with fragilities"),
         FORM("cloud", false, "mapping (help cloud)", NULL, "cloud analysis with fragilities"),
         FORM("tornado", false, "mapping (help tornado)", NULL, "sensitivity: one variable at a time"),
         FORM("morris", false, "mapping (help morris)", NULL, "sensitivity: elementary effects"),
         FORM("sobol", false, "mapping (help sobol)", NULL, "sensitivity: fractions of the variance"),
         FORM("virtual-tests", false, "mapping (help virtual-tests)", NULL,
              "probability of a trip and of a small error"))};

void ifd__analysis_read(ifd__reader *r, ifd_study *s, const ifd__node *node)
{
    if (!node || ifd__yaml_expect(node, IFD__MAPPING, r->note) != IFD_OK)
        return;
    const char *name[ANALYSES];
    for (int i = 0; i < ANALYSES; i++)
        name[i] = analyses[i]->section->topic;
    const char *words = ifd__join(r->arena, ANALYSES, name);
    if (node->count != 1) {
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'analysis' has %d keys, expected one of %s", node->count,
                     words);
        return;
    }
    int which = ifd_choice_find(words, node->first->key);
    if (which < 0) {
        ifd_note_add(r->note, IFD_UNKNOWN_KEY, &node->first->key_place, "there is no analysis '%s'",
                     node->first->key);
        ifd_choice_hint(r->note, words, node->first->key);
        return;
    }
    ifd__fields f;
    int errors = r->note->errors;
    ifd__fields_read(r, node->first, analyses[which]->section, name[which], &f);
    if (r->note->errors != errors || node->first->kind != IFD__MAPPING)
        return;
    s->analysis = analyses[which];
    s->asked = analyses[which]->read(r, s, &f);
}

int ifd__find_variable(ifd__reader *r, const ifd_study *s, const ifd_value *name)
{
    int i = ifd__variable_named(s, name->word);
    if (i < 0)
        ifd_note_add(r->note, IFD_UNKNOWN_NAME, &name->place, "'vary' has no variable '%s'", name->word);
    return i;
}

int ifd__find_scalar(ifd__reader *r, const ifd_study *s, const ifd_value *name)
{
    for (int i = 0; i < s->scalars; i++)
        if (strcmp(s->scalar[i].name, name->word) == 0)
            return i;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &name->place, "'keep' has no scalar '%s'", name->word);
    return -1;
}

int ifd__read_numbers(ifd__reader *r, const ifd__node *node, const double **out)
{
    int count = !node ? 0 : node->kind == IFD__SCALAR ? 1 : node->kind == IFD__SEQUENCE ? node->count : -1;
    if (count == 0 && !node)
        return 0;
    double *number = ifd_arena_array(r->arena, (size_t)(count > 0 ? count : 0), sizeof *number);
    const ifd__node *at = count > 0 && node->kind == IFD__SEQUENCE ? node->first : node;
    for (int i = 0; i < count && ifd__in_memory(r, number); i++, at = at->next)
        if (at->kind != IFD__SCALAR || !ifd__quantity_of(at, &number[i]))
            count = -1;
    if (count <= 0) {
        ifd_note_add(r->note, IFD_NUMBER, &node->place, "'%s' is not a number or a list of numbers", node->key);
        return 0;
    }
    *out = number;
    return count;
}

double ifd__demand_of(const ifd_study_result *r, int scalar)
{
    if (r->outcome == IFD_STUDY_FAILED || r->outcome == IFD_STUDY_TRIPPED)
        return INFINITY;
    return r->outcome == IFD_STUDY_COMPLETED ? r->scalar[scalar] : (double)NAN;
}

ifd__shown ifd__shown_as(ifd__reader *r, const char *name, const ifd_value *unit, const char *si)
{
    ifd__unit u;
    char bad[32];
    ifd__shown out = {.name = name, .label = name, .unit = "", .factor = 1};
    bool stated = unit->given && unit->word;
    if (!stated && (!*si || strcmp(si, "1") == 0))
        return out;
    if (!stated) {
        out.label = ifd_arena_print(r->arena, "%s [%s]", name, si);
        out.unit = ifd_arena_print(r->arena, " %s", si);
        ifd__in_memory(r, out.label && out.unit);
        return out;
    }
    if (!ifd__unit_parse(unit->word, &u, bad)) {
        ifd_note_add(r->note, IFD_UNIT, &unit->place, "'%s' is not a unit", unit->word);
        return out;
    }
    out.label = ifd_arena_print(r->arena, "%s [%s]", name, unit->word);
    out.unit = ifd_arena_print(r->arena, " %s", unit->word);
    out.factor = 1 / u.factor;
    ifd__in_memory(r, out.label && out.unit);
    return out;
}

/* The first direction with a motion, sampled at its own interval, a spline at 5 ms. */
double ifd__ground_response(const ifd_study *s, const double *value, double period, double damping)
{
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    if (!arena || ifd__member_case(arena, s, value, &c, &note) != IFD_OK)
        return (double)NAN;
    const ifd_model *m = c->run.model ? c->run.model : c->run.couple ? c->run.couple->part[0].model : NULL;
    const ifd_signal *signal = NULL;
    for (int k = 0; m && k < 3 && !signal; k++)
        signal = m->ground[k].signal;
    double interval = signal ? ifd_signal_interval(signal) : 0, end = signal ? ifd_signal_end(signal) : 0;
    ifd_motion motion;
    ifd_motion_response response;
    end = end < c->run.end ? end : c->run.end;
    bool known = signal &&
                 ifd_motion_sample(arena, signal, end, interval > 0 ? interval : 0.005, &motion) == IFD_OK &&
                 ifd_motion_spectrum(&motion, damping, 1, &period, &response) == IFD_OK;
    return known ? response.psa : (double)NAN;
}

static void put_outcomes(ifd__answer *a)
{
    long count[IFD_STUDY_OUTCOME_COUNT] = {0};
    for (long i = 0; i < a->count; i++)
        count[a->result[i]->outcome]++;
    ifd_json_integer(&a->json, "members", a->count);
    ifd_json_object(&a->json, "outcomes");
    for (int k = 0; k < IFD_STUDY_OUTCOME_COUNT; k++)
        ifd_json_integer(&a->json, ifd_study_outcome_name((ifd_study_outcome)k), count[k]);
    ifd_json_end(&a->json);
}

/* Mean, deviation and quantiles of every scalar over the members that have it. */
static ifd_status put_scalars(ifd__answer *a)
{
    static const char *const column[] = {"scalar", "members", "mean", "deviation", "minimum",
                                         "16 %",   "50 %",    "84 %", "maximum"};
    double *x;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(x, a->count)));
    ifd__table_begin(&a->json, "Scalars", 9, column);
    for (int k = 0; k < a->study->scalars; k++) {
        int n = 0;
        for (long i = 0; i < a->count; i++)
            if (isfinite(a->result[i]->scalar[k]))
                x[n++] = a->result[i]->scalar[k];
        if (n == 0)
            continue;
        ifd__sort(n, x);
        const char *unit = a->study->scalar[k].unit, *name = a->study->scalar[k].name;
        const char *shown = unit && *unit ? ifd_arena_print(a->arena, "%s [%s]", name, unit) : name;
        IFD__HAVE(shown);
        ifd__table_row(&a->json, shown, 8,
                       (double[]){n, ifd__mean(n, x), ifd__deviation(n, x), x[0], ifd__quantile(n, x, 0.16),
                                  ifd__quantile(n, x, 0.5), ifd__quantile(n, x, 0.84), x[n - 1]});
    }
    ifd__table_end(&a->json);
    return IFD_OK;
}

static int by_number(const void *a, const void *b)
{
    long x = (*(const ifd_study_result *const *)a)->number, y = (*(const ifd_study_result *const *)b)->number;
    return (x > y) - (x < y);
}

ifd_status ifd_study_answer(ifd_arena *arena, const ifd_study *s, long count, const ifd_study_result *const *result,
                            const char **json, ifd_note *note)
{
    const ifd_study_result **ordered;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(ordered, count)));
    for (long i = 0; i < count; i++)
        ordered[i] = result[i];
    qsort(ordered, (size_t)count, sizeof *ordered, by_number);
    ifd__answer a = {.arena = arena, .study = s, .count = count, .result = ordered, .note = note};
    ifd_json_init(&a.json, arena);
    ifd_json_object(&a.json, NULL);
    IFD_JSON_PUT(&a.json, IFD_JSON("format", "interfield study answer 1"), IFD_JSON("title", s->title),
                 IFD_JSON("interfield", ifd_version()),
                 IFD_JSON("analysis", s->analysis ? s->analysis->section->topic : "summary"));
    put_outcomes(&a);
    if (s->analysis)
        IFD_TRY(s->analysis->answer(&a, s->asked));
    ifd_json_list(&a.json, "summary");
    IFD_TRY(put_scalars(&a));
    ifd_json_end(&a.json);
    ifd_json_end(&a.json);
    *json = ifd_json_done(&a.json);
    return *json ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd_study_store_answer(ifd_study_store *store, const char **json, ifd_note *note)
{
    const char *text, *path = ifd_arena_print(store->arena, "%s/answer.json", store->folder);
    IFD_TRY(ifd_study_answer(store->arena, store->study, store->rows, (const ifd_study_result *const *)store->row,
                             &text, note));
    FILE *file = path ? fopen(path, "we") : NULL;
    if (!file)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path ? path : "answer.json",
                            strerror(errno));
    bool failed = fprintf(file, "%s\n", text) < 0;
    if (fclose(file) != 0 || failed)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written", path);
    if (json)
        *json = text;
    return IFD_OK;
}
