/* SPDX-License-Identifier: MIT */
/* Incremental dynamic analysis through the engine: members that depend on earlier ones. */
#include "check.h"
#include "fixture.h"
#include "record/files.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/json.h>
#include <interfield/study.h>

static char folder[400];

static long stop_after;

static bool watch(void *self, const ifd_study_store *store)
{
    (void)self;
    return stop_after > 0 && ifd_study_count(store) >= stop_after;
}

/* Computes the study with that number of processes into a folder; stops after `stop` results (0: never). */
static ifd_study_store *compute(const char *study, const char *name, int jobs, long stop)
{
    ifd_study *s;
    ifd_study_store *store;
    char path[512];
    snprintf(path, sizeof path, "%s", files_write("study.yaml", study));
    snprintf(folder, sizeof folder, "%s", files_path(name));
    ifd_status status = ifd_study_read(arena, path, NULL, &s, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%d:%d: %s\n", f->place.line, f->place.column, f->text);
    assert_int_equal(status, IFD_OK);
    assert_int_equal(ifd_study_store_open(arena, s, folder, NULL, &store, &note), IFD_OK);
    stop_after = stop;
    status = ifd_study_run(store, &(ifd_study_options){.jobs = jobs, .unpin = true, .watch = watch}, &note);
    assert_int_equal(status, stop ? IFD_INTERRUPTED : IFD_OK);
    return store;
}

static const ifd_json_node *answer_of(ifd_study_store *store)
{
    const char *text;
    ifd_json_node *root;
    assert_int_equal(ifd_study_store_answer(store, &text, &note), IFD_OK);
    assert_int_equal(ifd_json_read(arena, "answer", text, strlen(text), &root, &note), IFD_OK);
    return root;
}

static const char motions[] = "title: IDA\n"
                              "case: case.yaml\n"
                              "vary:\n"
                              "  motion: {key: ground.seed, range: {from: 1, to: 5, count: 5}}\n"
                              "  peak: {key: ground.peak, list: [1 m/s2]}\n"
                              "keep: {drift: {peak: x displacement}}\n"
                              "analysis: {ida: {intensity: peak, demand: drift, first: 1 m/s2, step: 1 m/s2, "
                              "limit: 0.1 m, resolution: 2 %, fill: 2, demands: 0.05 m}}\n";

/* A linear oscillator: its peak is proportional to the intensity, so that it collapses at limit / peak(1 m/s2),
 * within half of the resolution, and reaches 50 mm at half of that. */
TEST_IN_ARENA(capacities_of_a_linear_oscillator_are_proportional_to_the_limit)
{
    files_write("case.yaml", "time: {step: 5 ms, end: 12 s}\n"
                             "ground: {motion: kanai-tajimi, seed: 1, peak: 1 m/s2, duration: 12 s, decay: 6 s}\n"
                             "model: {dofs: [x], mass: 1 kg, damping: 0.8 N s/m, stiffness: 60 N/m}\n");
    ifd_study_store *store = compute(motions, "linear", 2, 0);
    const ifd_json_node *root = answer_of(store), *c = ifd_json_at(root, "values/curves")->first;
    assert_near(ifd_json_number_at(root, "values/collapsed", 0), 5, 0, "");
    for (int m = 0; m < 5; m++, c = c->next) {
        double unit = 0, low = ifd_json_number_at(c, "low", 0), high = ifd_json_number_at(c, "high", 0);
        for (long i = 0; i < ifd_study_count(store); i++)
            if (ifd_study_at(store, i)->number == m)
                unit = ifd_study_at(store, i)->scalar[0] / ifd_study_at(store, i)->value[1];
        double capacity = 0.1 / unit;
        assert_true(low <= capacity * (1 + 1e-9) && high >= capacity * (1 - 1e-9));
        assert_true(high - low <= 0.02 * low * 1.0001);
    }
    const ifd_json_node *d = ifd_json_at(root, "values/demands")->first;
    assert_near_rel(ifd_json_number_at(d, "median", 0), 0.5 * ifd_json_number_at(root, "values/capacity/theta", 0),
                    0.02, "half of the limit");
    assert_near(ifd_json_number_at(d, "dispersion", 0), ifd_json_number_at(root, "values/capacity/beta", 0), 0.02,
                "");
}

/* With the intensity at the period and damping of the oscillator itself, its peak is Sa / w^2 for every motion: all
 * collapse at limit w^2 = 6 m/s2. The spectrum takes the spline of the motion as linear every 5 ms: 0.2 %. */
TEST_IN_ARENA(spectral_intensity_of_the_oscillator_itself_has_no_dispersion)
{
    files_write("case.yaml", "time: {step: 5 ms, end: 12 s}\n"
                             "ground: {motion: kanai-tajimi, seed: 1, peak: 1 m/s2, duration: 12 s, decay: 6 s}\n"
                             "model: {dofs: [x], mass: 1 kg, damping: 0.8 N s/m, stiffness: 60 N/m}\n");
    char text[1200];
    snprintf(text, sizeof text,
             "case: case.yaml\n"
             "vary:\n"
             "  motion: {key: ground.seed, range: {from: 1, to: 4, count: 4}}\n"
             "  peak: {key: ground.peak, list: [1 m/s2]}\n"
             "keep: {drift: {peak: x displacement}}\n"
             "analysis: {ida: {intensity: peak, demand: drift, first: 1 m/s2, step: 1 m/s2, limit: 0.1 m, slope: 0, "
             "resolution: 0.5 %%, fill: 0, runs: 30, period: %.12g s, damping: %.12g}}\n",
             2 * M_PI / sqrt(60), 0.4 / sqrt(60));
    const ifd_json_node *root = answer_of(compute(text, "spectral", 2, 0));
    const ifd_json_node *c = ifd_json_at(root, "values/curves")->first;
    for (int m = 0; m < 4; m++, c = c->next)
        assert_near(ifd_json_number_at(c, "capacity", 0), 6, 6 * (0.0025 + 0.002), "motion %d", m);
}

static char *whole(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(f);
    assert_true(getdelim(&text, &size, '\0', f) > 0);
    fclose(f);
    return text;
}

/* One process; several; stopped twice and continued: the same bytes, although each run depends on the ones before. */
TEST_IN_ARENA(an_interrupted_search_continues_with_the_same_answer)
{
    files_write("case.yaml",
                "time: {step: 5 ms, end: 12 s}\n"
                "ground: {motion: kanai-tajimi, seed: 1, peak: 1 m/s2, duration: 12 s, decay: 6 s}\n"
                "model:\n"
                "  dofs: [x]\n"
                "  mass: 1 kg\n"
                "  damping: 0.8 N s/m\n"
                "  elements:\n"
                "    - {name: c, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}\n");
    char *text[3];
    for (int k = 0; k < 3; k++) {
        static const char *const name[] = {"one", "three", "stopped"};
        for (int part = 0; k == 2 && part < 2; part++)
            ifd_study_store_close(compute(motions, name[k], 2, 4 + 11 * part));
        ifd_study_store *store = compute(motions, name[k], k == 1 ? 3 : 1, 0);
        answer_of(store);
        char path[512];
        snprintf(path, sizeof path, "%s/answer.json", folder);
        text[k] = whole(path);
        ifd_study_store_close(store);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
    for (int k = 0; k < 3; k++)
        free(text[k]);
}

/* The oscillator of 0.8 s with yield at 0.15 g under El Centro; converged values of an independent computation. */
TEST_IN_ARENA(a_hysteretic_oscillator_has_the_tabulated_demands)
{
    static const double expected[][2] = {
        {0.0197384, -0.0000583}, {0.0360105, -0.0067991}, {0.0611314, -0.0102868}, {0.0881297, -0.0099251}};
    const char *record = files_data("elcentro_1940_ns.csv");
    char text[1200];
    if (!record) {
        print_message("the folder of records is not here (INTERFIELD_DATA)\n");
        skip();
    }
    double w = 2 * M_PI / 0.8, step = BRIEF ? 1e-3 : 2e-4;
    snprintf(text, sizeof text,
             "time: {step: %.9g s, end: 41.18 s}\n"
             "ground: {record: \"%s\", scale: 1}\n"
             "model:\n"
             "  dofs: [x]\n"
             "  mass: 1 kg\n"
             "  damping: %.17g N s/m\n"
             "  elements:\n"
             "    - {name: c, bilinear: {between: [ground, x], stiffness: %.17g N/m, yield: %.17g m, ratio: 0.03}}\n",
             step, record, 0.1 * w, w * w, 0.15 * 9.80665 / (w * w));
    files_write("case.yaml", text);
    ifd_study_store *store = compute("case: case.yaml\n"
                                     "vary: {scale: {key: ground.scale, list: [0.25, 0.5, 0.75, 1]}}\n"
                                     "keep: {peak: {peak: x displacement}, end: {final: x displacement}}\n",
                                     "table", 2, 0);
    for (long i = 0; i < 4; i++) {
        const ifd_study_result *r = ifd_study_at(store, i);
        assert_near(r->scalar[0], expected[r->number][0], BRIEF ? 2e-6 : 1e-7, "peak of member %ld", r->number);
        assert_near(r->scalar[1], expected[r->number][1], BRIEF ? 2e-6 : 1e-7, "end of member %ld", r->number);
    }
}

TESTS_WITH(files_open, files_close)
