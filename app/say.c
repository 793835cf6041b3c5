/* SPDX-License-Identifier: MIT */
/* Output of labels, errors and quantities. */
#include "app.h"
#include "terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/catalogue.h>
#include <interfield/report.h>

enum { LABEL = 9 }; /* column of the text after a label */

bool app_talks(const app *a)
{
    return !a->json && !a->quiet;
}

void app_complain(app *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->complaint, sizeof a->complaint, format, args);
    va_end(args);
    fprintf(stderr, "%sinterfield:%s ", a->colour_err ? "\033[1;31m" : "", a->colour_err ? "\033[0m" : "");
    ifd_text_print(a->complaint, stderr);
    fputc('\n', stderr);
}

int app_refuse_unknown(app *a, const char *what, const char *word, const char *names, const char *more)
{
    char near[64];
    if (ifd_choice_nearest(names, word, near, sizeof near))
        return app_refuse(a, "%s '%s': did you mean '%s'?", what, word, near);
    return app_refuse(a, "%s '%s' (%s)", what, word, more);
}

const char *names_add(ifd_arena *arena, const char *names, const char *name)
{
    const char *longer = ifd_arena_print(arena, "%s%s%s", names, *names ? "|" : "", name);
    return longer ? longer : names;
}

const char *names_add_list(ifd_arena *arena, const char *names, const char *list)
{
    int count = 0;
    const ifd_catalogue_row *row = ifd_catalogue(arena, list, &count);
    for (int i = 0; row && i < count; i++)
        names = names_add(arena, names, row[i].name);
    return names;
}

/* A terminal may have become narrower. */
static int width_now(const app *a)
{
    int width = a->width ? terminal_width(stdout) : 0;
    return width ? width : a->width;
}

/* Without control characters; in lines of `width` columns, the first from column `at`, the others from `hang`. */
static void print_tamed(int at, int hang, int width, const char *format, va_list args)
{
    char *text = NULL, *tame = NULL;
    size_t size = 0;
    FILE *out = width ? open_memstream(&tame, &size) : stdout;
    if (out && vasprintf(&text, format, args) >= 0)
        ifd_text_print(text, out);
    if (out && out != stdout && fclose(out) == 0)
        terminal_wrap(stdout, tame, at, hang, width);
    free(text);
    free(tame);
}

void app_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_tamed(0, 0, 0, format, args);
    va_end(args);
}

void app_cell(const app *a, int at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_tamed(at, at, width_now(a), format, args);
    va_end(args);
}

void app_say(const app *a, const char *label, const char *format, ...)
{
    if (!app_talks(a))
        return;
    int length = (int)strlen(label), at = length < LABEL ? LABEL : length + 1;
    printf("%s%-*s%s ", a->colour_out ? "\033[36m" : "", LABEL - 1, label, a->colour_out ? "\033[0m" : "");
    va_list args;
    va_start(args, format);
    print_tamed(at, LABEL, width_now(a), format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

void app_remarks_after(app *a, const ifd_finding *before)
{
    for (const ifd_finding *f = before ? before->next : a->note.remark_first; f; f = f->next) {
        app_say(a, "note", "%s", f->text);
        a->remarked = f;
    }
}

void app_remarks(app *a)
{
    app_remarks_after(a, a->remarked); /* each once */
}

static int exit_of(ifd_status status)
{
    static const ifd_status failed[] = {IFD_NO_MEMORY,   IFD_OUTPUT,   IFD_PEER,   IFD_DIVERGED,
                                        IFD_INTERRUPTED, IFD_INTERNAL, IFD_DAMAGED};
    for (size_t k = 0; k < sizeof failed / sizeof *failed; k++)
        if (status == failed[k])
            return EXIT_RUN_FAILED;
    return status == IFD_OK ? EXIT_FINE : EXIT_BAD_INPUT;
}

/* An object about a failed command. */
static ifd_json failure(const app *a, int exit_status, const char *error)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("outcome", exit_status == EXIT_BAD_INPUT ? "bad input" : "failed"),
                 IFD_JSON("error", error));
    return j;
}

int app_fail(app *a, ifd_status status)
{
    suggest_result(a);
    ifd_note unsaid = a->note;
    for (const ifd_finding *f = a->note.remark_first; f; f = f->next)
        if (f == a->remarked) /* up to here printed as notes */
            unsaid.remark_first = f->next;
    if (a->note.first)
        ifd_note_print(&unsaid, stderr, a->colour_err);
    else
        app_complain(a, "%s", ifd_status_text(status));
    if (!a->json || a->put)
        return exit_of(status);
    ifd_json j = failure(a, exit_of(status), ifd_status_name(status));
    ifd_json_list(&j, "findings");
    for (const ifd_finding *f = a->note.first; f; f = f->next)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("code", ifd_status_name(f->code)), IFD_JSON("file", f->place.file),
                        IFD_JSON("line", f->place.line), IFD_JSON("column", f->place.column),
                        IFD_JSON("text", f->text), IFD_JSON("hint", f->hint));
    app_put_json(a, &j, EXIT_BAD_INPUT);
    return exit_of(status);
}

/* The object with the remarks of reading and set-up. */
static const char *with_notes(app *a, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (!length || !a->note.remark_first || strstr(text, "\"setup_notes\"") || text[length - 1] != '}')
        return text;
    ifd_json j = app_json(a);
    ifd_json_list(&j, "setup_notes");
    for (const ifd_finding *f = a->note.remark_first; f; f = f->next)
        ifd_json_text(&j, NULL, f->text);
    ifd_json_end(&j);
    ifd_json_end(&j);
    const char *notes = ifd_json_done(&j), *open = notes ? strchr(notes, '{') : NULL;
    while (length && strchr("} \n", text[length - 1]))
        if (text[--length] == '}')
            break;
    while (length && strchr(" \n", text[length - 1]))
        length--;
    if (!open)
        return NULL;
    return ifd_arena_print(a->arena, "%.*s%s%s", (int)length, text, text[length - 1] == '{' ? "" : ",", open + 1);
}

ifd_json app_json(const app *a)
{
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    return j;
}

int app_put_json(app *a, ifd_json *j, int exit_status)
{
    while (j->depth > 0)
        ifd_json_end(j);
    const char *text = with_notes(a, ifd_json_done(j));
    if (!text)
        return app_give_up(a, "%s", ifd_status_text(IFD_NO_MEMORY));
    app_put_text(a, text);
    return exit_status;
}

void app_put_text(app *a, const char *json)
{
    puts(json);
    a->put = true;
}

int app_put_made(app *a, const char *key, const char *label, const char *text, int exit_status)
{
    ifd_json j = app_json(a);
    if (text)
        app_say(a, label, "%s", text);
    ifd_json_text(&j, key, text);
    return a->json ? app_put_json(a, &j, exit_status) : exit_status;
}

void app_put_complaint(app *a, int exit_status)
{
    if (!a->json || a->put || exit_status == EXIT_FINE)
        return;
    ifd_json j = failure(a, exit_status, a->complaint);
    app_put_json(a, &j, exit_status);
}

typedef struct scale {
    const char *unit, *shown;
    double above, factor; /* used from |value| >= above on */
} scale;

/* By unit, largest first; the last row of a unit is for the remaining values. */
static const scale scales[] = {
    {"m", "m", 1.0, 1.0},       {"m", "mm", 1e-4, 1e3}, {"m", "um", 1e-7, 1e6},
    {"m", "nm", 1e-10, 1e9},    {"m", "m", 0, 1.0},     {"rad", "deg", 0, 180.0 / 3.14159265358979323846},
    {"s", "s", 1.0, 1.0},       {"s", "ms", 1e-3, 1e3}, {"s", "us", 1e-6, 1e6},
    {"s", "ns", 1e-10, 1e9},    {"s", "s", 0, 1.0},     {"N", "MN", 1e6, 1e-6},
    {"N", "kN", 1e3, 1e-3},     {"N", "N", 0, 1.0},     {"N m", "MN m", 1e6, 1e-6},
    {"N m", "kN m", 1e3, 1e-3}, {"N m", "N m", 0, 1.0}, {"J", "MJ", 1e6, 1e-6},
    {"J", "kJ", 1e3, 1e-3},     {"J", "J", 0, 1.0},
};

readable quantity(double value, const char *unit)
{
    readable out;
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (strcmp(scales[i].unit, unit) == 0 && fabs(value) >= scales[i].above) {
            value *= scales[i].factor;
            unit = scales[i].shown;
            break;
        }
    if (fabs(value) >= 999.5 && fabs(value) < 1e6)
        snprintf(out.text, sizeof out.text, "%.0f %s", value, unit);
    else
        snprintf(out.text, sizeof out.text, "%.3g %s", value, unit);
    return out;
}

const char *trip_unit(const char *fault)
{
    static const char *const unit[][2] = {
        {"POSITION", "m"},     {"TRACKING", "m"},  {"VELOCITY", "m/s"},      {"FORCE", "N"}, {"FORCE_ERROR", "N"},
        {"FORCE_RATE", "N/s"}, {"ENERGY", "J"},    {"ACCELERATION", "m/s2"}, {"LATE", "s"},  {"LATE_JOB", "s"},
        {"MASTER_EARLY", "s"}, {"STIFFNESS", "N"}, {"NO_FORCE", "s"},        {"SPRING", "m"}};
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (strcmp(unit[i][0], fault) == 0)
            return unit[i][1];
    return "";
}

const char *unit_of_turn(const char *unit, bool turns)
{
    static const char *const turned[][2] = {{"m", "rad"},           {"m/s", "rad/s"}, {"m/s2", "rad/s2"},
                                            {"N", "N m"},           {"N/s", "N m/s"}, {"N/m", "N m/rad"},
                                            {"N s/m", "N m s/rad"}, {"kg", "kg m2"}};
    for (size_t i = 0; turns && i < sizeof turned / sizeof *turned; i++)
        if (strcmp(turned[i][0], unit) == 0)
            return turned[i][1];
    return unit;
}

readable thousands(long value)
{
    readable out;
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%ld", value), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out.text[at++] = ' ';
        out.text[at++] = digits[i];
    }
    out.text[at] = '\0';
    return out;
}

wording phrase(const char *format, ...)
{
    wording out;
    va_list args;
    va_start(args, format);
    vsnprintf(out.text, sizeof out.text, format, args);
    va_end(args);
    return out;
}

wording method_text(const ifd_step_options *step)
{
    const ifd_param *p = step->method->params;
    wording out = phrase("%s", step->method->name);
    for (int i = 0; p && p[i].name; i++) {
        const ifd_value *v = &step->value[i];
        if (v->word)
            text_add(out.text, sizeof out.text, " %s %s", p[i].name, v->word);
        else if (v->given)
            text_add(out.text, sizeof out.text, " %s %.6g", p[i].name, v->number);
    }
    return out;
}
