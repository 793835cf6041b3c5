/* SPDX-License-Identifier: MIT */
/* interfield extrapolator: the matrix of an extrapolator, its properties, and its errors on a signal. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS = 32 };

/* A signal is a sum of sines, or samples from a file. */
typedef struct signal {
    int terms;
    double amplitude[MOST_TERMS], omega[MOST_TERMS];
    bool cosine[MOST_TERMS];
    double step; /* s */
    long count;  /* samples */
    double *sample;
} signal;

/* Over the windows of a signal, for one distance ahead. */
typedef struct errors {
    double last, wanted;  /* of the last window: extrapolated, actual */
    double largest, root; /* largest and root-mean-square error */
    double held;          /* root-mean-square error of holding the last value */
} errors;

static const ifd_extrapolator *find(app *a, const char *name)
{
    const ifd_extrapolator *e = ifd_extrapolator_find(name);
    if (e)
        return e;
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown extrapolator '%s'", name);
    ifd_choice_hint(&a->note, names_add_list(a->arena, "", "extrapolators"), name);
    return NULL;
}

/* The option "--name": a number, or a word in messages. */
static ifd_status set(app *a, ifd_extrapolate_options *opt, const char *word, const char *name)
{
    double value = 0;
    bool number = strcmp(name, "errors") != 0;
    if (!app_has(a, word))
        return IFD_OK;
    if (number && !app_number(a, word, IFD_DIM_NONE, 0.0, &value))
        return IFD_NUMBER;
    if (!ifd_extrapolate_options_set(opt, name, number ? ifd_number(value) : ifd_word(app_value(a, word))))
        return ifd_note_add(&a->note, IFD_UNKNOWN_KEY, NULL, "the extrapolator '%s' has no parameter %s",
                            opt->extrapolator->name, name);
    return IFD_OK;
}

/* "10*sin(70)", "5*cos(10)", "sin(3)": false for other texts. */
static bool term(const char *text, size_t length, double *amplitude, double *omega, bool *cosine)
{
    char word[64], *end, *p = word;
    if (length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    *amplitude = strtod(p, &end);
    if (end == p)
        *amplitude = 1.0;
    p = *end == '*' ? end + 1 : end;
    *cosine = strncmp(p, "cos(", 4) == 0;
    if (!*cosine && strncmp(p, "sin(", 4) != 0)
        return false;
    *omega = strtod(p + 4, &end);
    return end > p + 4 && strcmp(end, ")") == 0 && isfinite(*amplitude) && isfinite(*omega);
}

static bool sum_of_sines(const char *text, signal *s)
{
    for (const char *p = text; s->terms < MOST_TERMS; p++) {
        size_t length = strcspn(p, ",");
        int k = s->terms;
        if (!term(p, length, &s->amplitude[k], &s->omega[k], &s->cosine[k]))
            return false;
        s->terms++;
        p += length;
        if (!*p)
            return true;
    }
    return false;
}

/* The last word of a line before a comment; NULL: none. */
static char *last_word(char *line)
{
    char *last = NULL;
    for (char *word = strtok(line, " \t\r\n,;"); word && *word != '#'; word = strtok(NULL, " \t\r\n,;"))
        last = word;
    return last;
}

/* One sample per line, its last word. Empty lines, comments and one header line are skipped. */
static ifd_status read_samples(app *a, const char *path, signal *s)
{
    enum { MOST = 1000000 };
    FILE *in = fopen(path, "r");
    char line[512];
    if (!in)
        return ifd_note_add(&a->note, IFD_FILE, NULL,
                            "--signal: found '%s', expected terms such as '10*sin(70),5*cos(10)', or a file", path);
    s->sample = ifd_arena_array(a->arena, MOST, sizeof *s->sample);
    ifd_status status = s->sample ? IFD_OK : IFD_NO_MEMORY;
    int words = 0;
    for (int number = 1; status == IFD_OK && s->count < MOST && fgets(line, sizeof line, in); number++) {
        const char *text = last_word(line);
        if (!text)
            continue;
        if (ifd_quantity_read(text, IFD_DIM_NONE, path, &s->sample[s->count], QUIET(a)) == IFD_OK)
            s->count++;
        else if (words++ > 0 || s->count > 0)
            status = ifd_note_add(&a->note, IFD_SYNTAX, &(ifd_place){.file = path, .line = number},
                                  "found '%.60s', expected a number", text);
    }
    fclose(in);
    return status;
}

/* The signal as samples: of a sum of sines, one window from t = 0. */
static ifd_status make_signal(app *a, const ifd_extrapolation *e, signal *s)
{
    const char *text = app_value(a, "--signal");
    if (!sum_of_sines(text, s)) {
        s->terms = 0;
        IFD_TRY(read_samples(a, text, s));
    } else {
        s->count = e->past + e->ahead;
        s->sample = ifd_arena_array(a->arena, (size_t)s->count, sizeof *s->sample);
        if (!s->sample)
            return IFD_NO_MEMORY;
        for (long i = 0; i < s->count; i++)
            for (int k = 0; k < s->terms; k++) {
                double x = s->omega[k] * s->step * (double)i;
                s->sample[i] += s->amplitude[k] * (s->cosine[k] ? cos(x) : sin(x));
            }
    }
    if (s->count < e->past + e->ahead)
        return ifd_note_add(&a->note, IFD_RANGE, NULL,
                            "the signal has %ld samples; %d past values and %d steps ahead need %d", s->count,
                            e->past, e->ahead, e->past + e->ahead);
    return IFD_OK;
}

static void measure(const ifd_extrapolation *e, const signal *s, errors *out)
{
    double ahead[IFD_EXTRAPOLATE_AHEAD];
    long windows = s->count - e->past - e->ahead + 1;
    for (long k = 0; k < windows; k++) {
        const double *past = s->sample + k, *wanted = past + e->past;
        ifd_extrapolate(e, 1, past, ahead);
        for (int j = 0; j < e->ahead; j++) {
            double error = fabs(ahead[j] - wanted[j]), held = past[e->past - 1] - wanted[j];
            out[j].last = ahead[j];
            out[j].wanted = wanted[j];
            out[j].largest = fmax(out[j].largest, error);
            out[j].root += error * error / (double)windows;
            out[j].held += held * held / (double)windows;
        }
    }
    for (int j = 0; j < e->ahead; j++) {
        out[j].root = sqrt(out[j].root);
        out[j].held = sqrt(out[j].held);
    }
}

static int put(app *a, const ifd_extrapolation *e, const errors *error)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("extrapolator", e->extrapolator->name), IFD_JSON("past", e->past),
                 IFD_JSON("ahead", e->ahead), IFD_JSON("degree", e->degree));
    ifd_json_list(&j, "matrix");
    for (int i = 0; i < e->ahead; i++)
        ifd_json_numbers(&j, NULL, e->past, e->C + i * e->past);
    ifd_json_end(&j);
    IFD_JSON_PUT(&j, IFD_JSON("noise_gain", e->noise_gain), IFD_JSON("worst_gain", e->worst_gain),
                 IFD_JSON("reproduction_error", e->reproduction),
                 IFD_JSON("added_mass_limit", isfinite(e->added_mass) ? e->added_mass : (double)NAN));
    if (error) {
        ifd_json_list(&j, "signal");
        for (int i = 0; i < e->ahead; i++)
            IFD_JSON_OBJECT(&j, NULL, IFD_JSON("extrapolated", error[i].last), IFD_JSON("true", error[i].wanted),
                            IFD_JSON("largest_error", error[i].largest), IFD_JSON("rms_error", error[i].root),
                            IFD_JSON("rms_error_of_holding", error[i].held));
        ifd_json_end(&j);
    }
    return app_put_json(a, &j, EXIT_FINE);
}

static void print(const ifd_extrapolation *e, const errors *error)
{
    printf("%s, %d past, %d ahead, polynomials to degree %d\n", e->extrapolator->title, e->past, e->ahead, e->degree);
    printf("rows: steps ahead; columns: past values, the newest last\n");
    for (int i = 0; i < e->ahead; i++) {
        printf("%4d ", i + 1);
        for (int k = 0; k < e->past; k++)
            printf(" %15.10g", e->C[i * e->past + k]);
        putchar('\n');
    }
    printf("noise gain      %.6g (standard deviation), %.6g (largest)\n", e->noise_gain, e->worst_gain);
    printf("polynomials     continued up to degree %d within %.1e\n", e->degree, e->reproduction);
    if (isfinite(e->added_mass))
        printf("added mass      stable up to %.7g times the inertia of the leading substructure\n", e->added_mass);
    else
        printf("added mass      stable up to 10 times the inertia of the leading substructure, or more\n");
    if (!error)
        return;
    printf("ahead    extrapolated           exact   largest error      rms error   rms with hold\n");
    for (int i = 0; i < e->ahead; i++)
        printf("%5d %15.8g %15.8g %15.6e %14.6e %15.6e\n", i + 1, error[i].last, error[i].wanted, error[i].largest,
               error[i].root, error[i].held);
}

static ifd_status compute(app *a, ifd_extrapolation **e, errors **error)
{
    int past = 10, ahead = 3;
    const ifd_extrapolator *row = find(a, a->word[0]);
    if (!row)
        return IFD_UNKNOWN_NAME;
    if (!app_integer(a, "--past", 1, IFD_EXTRAPOLATE_PAST, &past) ||
        !app_integer(a, "--ahead", 1, IFD_EXTRAPOLATE_AHEAD, &ahead))
        return IFD_NUMBER;
    ifd_extrapolate_options opt;
    ifd_extrapolate_options_defaults(row, past, ahead, &opt);
    IFD_TRY(set(a, &opt, "--degree", "degree"));
    IFD_TRY(set(a, &opt, "--dilation", "dilation"));
    IFD_TRY(set(a, &opt, "--errors", "errors"));
    IFD_TRY(ifd_extrapolation_make(a->arena, &opt, e, &a->note));
    signal s = {0};
    if (!app_number(a, "--step", IFD_DIM_TIME, 0.01, &s.step))
        return IFD_NUMBER;
    if (!(s.step > 0))
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "--step: found %g, expected a positive time", s.step);
    if (!app_has(a, "--signal"))
        return IFD_OK;
    IFD_TRY(make_signal(a, *e, &s));
    *error = ifd_arena_array(a->arena, (size_t)ahead, sizeof **error);
    if (!*error)
        return IFD_NO_MEMORY;
    measure(*e, &s, *error);
    return IFD_OK;
}

static int run_command(app *a)
{
    ifd_extrapolation *e = NULL;
    errors *error = NULL;
    ifd_status status = compute(a, &e, &error);
    if (status == IFD_NUMBER)
        return EXIT_BAD_INPUT; /* error already printed */
    APP_TRY(a, status);
    if (a->json)
        return put(a, e, error);
    if (!a->quiet)
        print(e, error);
    return EXIT_FINE;
}

const command command_extrapolator = {
    .name = "extrapolator",
    .words = "NAME",
    .summary = "print matrix, noise gain and added-mass limit of an extrapolator",
    .details = "NAME is hold, lagrange, least-squares or reproducing-kernel. The added-mass limit is the largest "
               "ratio of the inertia of a specimen to the inertia of the substructure that moves it. Above this "
               "limit coupling rts is unstable.",
    .options = {{"--past", "P", "number of past values (default 10)"},
                {"--ahead", "Q", "number of steps ahead (default 3)"},
                {"--degree", "N",
                 "degree of polynomials that are continued exactly (default 3; reproducing-kernel: 4)"},
                {"--dilation", "A", "reproducing-kernel: half the support of the kernel, in steps (default 16)"},
                {"--errors", "WHOSE",
                 "reproducing-kernel: minimise the nodal errors of 'past' (default) or of 'all' values"},
                {"--signal", "S",
                 "print the errors for a signal: '10*sin(70),5*cos(10)' in rad/s, or a file with one value per line"},
                {"--step", "H", "sampling interval of a signal of sines, in s (default 0.01)"}},
    .examples = "interfield extrapolator reproducing-kernel --past 12 --ahead 4",
    .see = "stability extrapolation.md",
    .run = run_command,
};
