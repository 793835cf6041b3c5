/* SPDX-License-Identifier: MIT */
/* Answers from results whose scalars are known functions, so that every number has a closed form or an independent
 * value. */
#include "check.h"
#include "fixture.h"
#include "record/files.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/json.h>
#include <interfield/study.h>

static const char base_case[] = "time: {step: 10 ms, end: 0.1 s}\n"
                                "ground: {motion: kanai-tajimi, seed: 1, peak: 1 m/s2}\n"
                                "model: {dofs: [x], mass: 1 kg, damping: 1 N s/m, stiffness: 100 N/m}\n";

static ifd_study *study_of(const char *text)
{
    ifd_study *s = NULL;
    char path[512];
    files_write("case.yaml", base_case);
    snprintf(path, sizeof path, "%s", files_write("study.yaml", text));
    ifd_status status = ifd_study_read(arena, path, NULL, &s, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%d:%d: %s\n", f->place.line, f->place.column, f->text);
    assert_int_equal(status, IFD_OK);
    return s;
}

typedef double (*response)(const double *value);

/* The answer if every member completes with scalar 0 = f(values). A response that is infinite is a trip. */
static const ifd_json_node *answer_of(ifd_study *s, response f)
{
    long members = ifd_study_members(s);
    int variables;
    ifd_study_variables(s, &variables);
    ifd_study_result *r = ifd_arena_array(arena, (size_t)members, sizeof *r);
    const ifd_study_result **list = ifd_arena_array(arena, (size_t)members, sizeof *list);
    for (long i = 0; i < members; i++) {
        double *value = ifd_arena_array(arena, (size_t)variables + 1, sizeof *value), *scalar = value + variables;
        assert_true(ifd_study_values(s, i, value));
        *scalar = f(value);
        r[i] = (ifd_study_result){.number = i, .value = value, .scalar = scalar, .reason = ""};
        if (isinf(*scalar)) {
            r[i].outcome = IFD_STUDY_TRIPPED;
            r[i].reason = "stroke";
        }
        list[members - 1 - i] = &r[i]; /* any order */
    }
    const char *json;
    ifd_json_node *root;
    assert_int_equal(ifd_study_answer(arena, s, members, list, &json, &note), IFD_OK);
    assert_int_equal(ifd_json_read(arena, "answer", json, strlen(json), &root, &note), IFD_OK);
    return root;
}

static double item(const ifd_json_node *list, int index)
{
    const ifd_json_node *i = list ? list->first : NULL;
    for (; i && index > 0; index--)
        i = i->next;
    return i && i->kind == IFD_JSON_NUMBER ? i->number : (double)NAN;
}

/* Cell of the first table: row by its name, column from 0. */
static double cell(const ifd_json_node *root, const char *row, int column)
{
    const ifd_json_node *table = ifd_json_at(root, "tables")->first, *i = ifd_json_at(table, "rows")->first;
    while (i && strcmp(i->first->text, row) != 0)
        i = i->next;
    return item(i, column);
}

static const char *sentence(const ifd_json_node *root, int index)
{
    const ifd_json_node *i = ifd_json_at(root, "sentences")->first;
    for (; i && index > 0; index--)
        i = i->next;
    return i && i->text ? i->text : "";
}

/* Motion m of 40 exceeds at stripe i if m < k[i]. */
static double counted(const double *value)
{
    static const int k[] = {0, 1, 5, 11, 19, 26, 33, 36};
    int stripe = (int)lround(value[1] / 0.2) - 1;
    return value[0] < k[stripe] ? 2.0 : 0.5;
}

TEST_IN_ARENA(stripes_have_the_fragility_of_their_counts)
{
    const char *text = "case: case.yaml\n"
                       "vary:\n"
                       "  motion: {key: ground.seed, range: {from: 0, to: 39, count: 40}}\n"
                       "  scale: {key: ground.peak, list: [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6]}\n"
                       "keep: {peak: {peak: x displacement}}\n"
                       "analysis: {stripes: {intensity: scale, demand: peak, limits: [1, 100], bootstrap: 50, "
                       "intensity-unit: m/s2, demand-unit: mm}}\n";
    const ifd_json_node *root = answer_of(study_of(text), counted);
    const ifd_json_node *first = ifd_json_at(root, "values/limits")->first;
    assert_near(ifd_json_number_at(first, "fragility/theta", 0), 0.991380306232593, 1e-11, "theta");
    assert_near(ifd_json_number_at(first, "fragility/beta", 0), 0.413325397863711, 1e-11, "beta");
    assert_near(ifd_json_number_at(first, "fragility/log_likelihood", 0), -12.7252196683154, 1e-10, "");
    assert_near(ifd_json_number_at(first, "fragility/replicates", 0), 50, 0, "");
    assert_near(item(ifd_json_at(first, "exceed"), 3), 11, 0, "");
    assert_non_null(strstr(sentence(root, 0), "above 1000 mm: median 0.991 m/s2"));
    assert_non_null(strstr(sentence(root, 1), "no maximum"));
    assert_near(cell(root, "0.8", 1), 40, 0, "motions");
    assert_near(cell(root, "0.8", 3), 500, 1e-9, "median demand, 11 of 40 exceed");
}

/* ln d = ln 0.3 + 1.2 ln x, with residuals of equal size and alternating sign. */
static double power_law(const double *value)
{
    long i = lround(value[1]);
    return 0.3 * pow(value[0], 1.2) * exp(i % 2 ? 0.25 : -0.25);
}

TEST_IN_ARENA(a_cloud_has_the_fragility_of_its_regression)
{
    const char *text = "case: case.yaml\n"
                       "vary:\n"
                       "  scale: {key: ground.peak, range: {from: 0.1, to: 10, count: 50, spacing: logarithmic}}\n"
                       "  motion: {key: ground.seed, range: {from: 0, to: 7, count: 8}}\n"
                       "keep: {peak: {peak: x displacement}}\n"
                       "analysis: {cloud: {intensity: scale, demand: peak, limits: 0.6}}\n";
    const ifd_json_node *root = answer_of(study_of(text), power_law);
    double s = 0.25 * sqrt(400.0 / 398); /* n - 2 */
    assert_near(ifd_json_number_at(root, "values/b", 0), 1.2, 1e-12, "");
    assert_near(ifd_json_number_at(root, "values/deviation", 0), s, 1e-12, "");
    const ifd_json_node *f = ifd_json_at(ifd_json_at(root, "values/limits")->first, "fragility");
    assert_near(ifd_json_number_at(f, "theta", 0), pow(2, 1 / 1.2), 1e-12, "");
    assert_near(ifd_json_number_at(f, "beta", 0), s / 1.2, 1e-12, "");
}

static double ishigami(const double *x)
{
    return sin(x[0]) + 7 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

#define THREE_UNIFORM                                                                                                \
    "case: case.yaml\n"                                                                                              \
    "vary:\n"                                                                                                        \
    "  x1: {key: model.damping, uniform: {from: -3.141592653589793, to: 3.141592653589793}}\n"                       \
    "  x2: {key: model.stiffness, uniform: {from: -3.141592653589793, to: 3.141592653589793}}\n"                     \
    "  x3: {key: ground.peak, uniform: {from: -3.141592653589793, to: 3.141592653589793}}\n"                         \
    "keep: {f: {peak: x displacement}}\n"

/* 2^14 samples of the sequence of the program, five members each. */
TEST_IN_ARENA(sobol_indices_of_the_ishigami_function_agree_with_the_closed_form)
{
    static const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
    static const char *const name[] = {"x1", "x2", "x3"};
    ifd_study *s = study_of(THREE_UNIFORM "sample: {method: sobol, members: 16384, seed: 1}\n"
                                          "analysis: {sobol: {bootstrap: 20}}\n");
    assert_int_equal(ifd_study_members(s), 5 * 16384);
    const ifd_json_node *root = answer_of(s, ishigami);
    for (int i = 0; i < 3; i++) {
        assert_near(cell(root, name[i], 1), first[i], 0.01, "first %d", i);
        assert_near(cell(root, name[i], 4), total[i], 0.01, "total %d", i);
        assert_true(cell(root, name[i], 5) < total[i] && total[i] < cell(root, name[i], 6));
    }
    assert_non_null(strstr(sentence(root, 0), "of x1"));
}

/* x over the range of probability from 1 to 99 %: effects 2 R, -3 R and none, with R = 0.98 (2 pi). */
static double linear(const double *x)
{
    return 2 * x[0] - 3 * x[1];
}

TEST_IN_ARENA(elementary_effects_and_swings_of_a_linear_function_are_exact)
{
    double R = 0.98 * 2 * M_PI;
    const ifd_json_node *root =
        answer_of(study_of(THREE_UNIFORM
                           "sample: {method: monte-carlo, members: 6, seed: 1}\nanalysis: {morris: {levels: 4}}\n"),
                  linear);
    assert_near(cell(root, "x1", 1), 2 * R, 1e-9, "");
    assert_near(cell(root, "x2", 1), 3 * R, 1e-9, "");
    assert_near(cell(root, "x2", 2), -3 * R, 1e-9, "mean");
    assert_near(cell(root, "x3", 1), 0, 1e-9, "");
    assert_near(cell(root, "x2", 3), 0, 1e-9, "deviation");
    root = answer_of(study_of(THREE_UNIFORM "analysis: {tornado: {low: 10 %, high: 90 %}}\n"), linear);
    assert_near(cell(root, "x1", 4), 2 * 0.8 * 2 * M_PI, 1e-9, "swing");
    assert_near(cell(root, "x2", 4), -3 * 0.8 * 2 * M_PI, 1e-9, "");
    assert_near(cell(root, "x1", 2), 0, 1e-9, "median");
    assert_non_null(strstr(sentence(root, 0), "most sensitive to x2"));
}

/* 30 of 10,000 trip; the error depends on the square of x2, which has no rank correlation, and slightly on x1. */
static long asked;

static double virtual_test(const double *x)
{
    return asked++ % 333 == 0 && asked < 333 * 30 ? (double)INFINITY : 0.01 * x[1] * x[1] + 0.002 * x[0];
}

TEST_IN_ARENA(virtual_tests_have_exact_intervals_and_name_their_variable)
{
    asked = 0;
    const ifd_json_node *root =
        answer_of(study_of(THREE_UNIFORM "sample: {method: monte-carlo, members: 10000, seed: 4}\n"
                                         "analysis: {virtual-tests: {error: f, bound: 5 %}}\n"),
                  virtual_test);
    const ifd_json_node *trip = ifd_json_at(root, "values/trip"), *below = ifd_json_at(root, "values/error_below");
    assert_near(ifd_json_number_at(trip, "tests", 0), 30, 0, "");
    assert_near(item(ifd_json_at(trip, "interval"), 0), 0.002024975, 0.5e-9, "");
    assert_near(item(ifd_json_at(trip, "interval"), 1), 0.004279939, 0.5e-9, "");
    /* x2^2 < 5 for a fraction of sqrt(5) / pi; the term of x1 is symmetric. Deviation of a count: 0.5 %. */
    assert_near(ifd_json_number_at(below, "probability", 0), sqrt(5) / M_PI * 0.997, 0.02, "");
    assert_near(cell(root, "x2", 1), 0.98, 0.02, "explained: 7.79e-4 of 7.79e-4 + 1.3e-5");
    assert_near(cell(root, "x2", 2), 0, 0.05, "rank correlation");
    assert_non_null(strstr(sentence(root, 0), "Probability of a trip 0.3 % (95 % interval 0.2 to 0.43 %)."));
    assert_non_null(strstr(sentence(root, 2), "most sensitive to x2"));
}

typedef struct mistake {
    const char *text, *message;
} mistake;

TEST_IN_ARENA(mistakes_are_reported)
{
    static const mistake list[] = {
        {"analysis: {ida: {intensity: x1, demand: f, first: 0.1, step: 0.1}}\n", "expected one number in its list"},
        {"analysis: {stripes: {intensity: x9, demand: f, limits: 1}}\n", "'vary' has no variable 'x9'"},
        {"analysis: {stripes: {intensity: x1, demand: g, limits: 1}}\n", "'keep' has no scalar 'g'"},
        {"analysis: {stripes: {intensity: x1, demand: f, limits: 1}}\n", "needs a list or range"},
        {"analysis: {cloud: {intensity: x1, demand: f, limits: [a]}}\n", "not a number or a list of numbers"},
        {"analysis: {cloud: {intensity: x1, demand: f, limits: 1, demand-unit: parsec}}\n", "'parsec' is not a unit"},
        {"analysis: {wind: {}}\n", "there is no analysis 'wind'"},
        {"analysis: {morris: {}, sobol: {}}\n", "has 2 keys"},
        {"analysis: {morris: {levels: 3}}\n", "expected an even number"},
        {"analysis: {sobol: {}}\ncorrelation: [{between: [x1, x2], value: 0.5}]\n", "independent variables"},
        {"analysis: {virtual-tests: {error: g}}\n", "'keep' has no scalar 'g'"},
    };
    files_write("case.yaml", base_case);
    for (size_t i = 0; i < COUNT(list); i++) {
        char text[2000], path[512];
        ifd_study *s;
        snprintf(text, sizeof text, THREE_UNIFORM "sample: {method: monte-carlo, members: 3, seed: 1}\n%s",
                 list[i].text);
        snprintf(path, sizeof path, "%s", files_write("study.yaml", text));
        ifd_note_init(&note, arena);
        assert_int_not_equal(ifd_study_read(arena, path, NULL, &s, &note), IFD_OK);
        if (!note.first || !strstr(note.first->text, list[i].message))
            print_error("found: %s\n", note.first ? note.first->text : "");
        assert_non_null(strstr(note.first->text, list[i].message));
    }
}

TESTS_WITH(files_open, files_close)
