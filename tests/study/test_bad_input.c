/* SPDX-License-Identifier: MIT */
/* Wrong study files: each is refused with the line of the error and a message. */
#include "check.h"

#include <string.h>

#include <interfield/study.h>

#include "files.h"

#define HEAD "case: oscillator.yaml\n"
#define KEEP "keep: {peak: {peak: x displacement}}\n"
#define VARY "vary: {y: {key: model.elements.0.bilinear.yield, "
#define THREE                                                                                                        \
    "vary:\n  a: {key: model.mass, uniform: {from: 1, to: 2}}\n"                                                     \
    "  b: {key: model.damping, uniform: {from: 1, to: 2}}\n  c: {key: time.end, uniform: {from: 1, to: 2}}\n"
#define CORRELATION                                                                                                  \
    "correlation: [{between: [a, b], value: 0.9}, {between: [b, c], value: 0.9}, "                                   \
    "{between: [a, c], value: -0.9}]\n"
#define SAMPLE "sample: {method: monte-carlo, members: 4}\n"

static const struct {
    const char *text;
    int line;
    const char *message;
} bad[] = {
    {HEAD VARY "list: []}}\n" KEEP, 2, "empty list"},
    {HEAD VARY "files: []}}\n" KEEP, 2, "empty list"},
    {HEAD VARY "files: [nowhere.csv]}}\n" KEEP, 2, "there is no file 'nowhere.csv'"},
    {HEAD VARY "files: \"motions/*.csv\"}}\n" KEEP, 2, "there is no file 'motions/*.csv'"},
    {HEAD "vary: {}\n" KEEP, 2, "'vary' has 0 variables"},
    {HEAD VARY "normal: {mean: 1 mm, deviation: -1 mm}}}\n" SAMPLE KEEP, 2, "expected a number above 0"},
    {HEAD VARY "normal: {mean: 1 mm}}}\n" SAMPLE KEEP, 2, "needs either 'deviation' or 'cov'"},
    {HEAD VARY "normal: {mean: 1 mm, deviation: 1 kN}}}\n" SAMPLE KEEP, 2, "expected equal dimensions"},
    {HEAD VARY "normal: {mean: 1 mm, cov: 0.1, low: 9 mm, high: 8 mm}}}\n" SAMPLE KEEP, 2, "above 'low'"},
    {HEAD VARY "normal: {mean: 1 mm, cov: 0.1, low: 9 mm}}}\n" SAMPLE KEEP, 2, "leave a probability"},
    {HEAD VARY "lognormal: {median: 0, dispersion: 0.2}}}\n" SAMPLE KEEP, 2, "expected a number above 0"},
    {HEAD VARY "lognormal: {median: 1 mm, cov: 0.2}}}\n" SAMPLE KEEP, 2, "median and dispersion, or mean and cov"},
    {HEAD VARY "uniform: {from: 2 mm, to: 1 mm}}}\n" SAMPLE KEEP, 2, "above 'from'"},
    {HEAD VARY "range: {from: -1, to: 1, count: 3, spacing: logarithmic}}}\n" KEEP, 2, "same sign"},
    {HEAD VARY "list: [1, 2], range: {from: 1, to: 2, count: 3}}}\n" KEEP, 2, "has both 'list' and 'range'"},
    {HEAD VARY "lists: [1, 2]}}\n" KEEP, 2, "unknown key 'lists'"},
    {HEAD VARY "uniform: {from: 1 mm, to: 2 mm}}}\n" KEEP, 2, "random variables need 'sample'"},
    {HEAD VARY "list: [1 mm]}}\n" SAMPLE KEEP, 3, "needs a random variable"},
    {HEAD VARY "list: [1 mm, 10 kg]}}\n" KEEP, 2, "'10 kg' has another dimension than '20 mm'"},
    {HEAD VARY "range: {from: 1 kg, to: 2 kg, count: 3}}}\n" KEEP, 2, "'1 kg' has another dimension than '20 mm'"},
    {HEAD VARY "normal: {mean: 20 kN, cov: 10 %}}}\n" SAMPLE KEEP, 2, "'20 kN' has another dimension"},
    {HEAD VARY "list: [1 mm, 20 parsec]}}\n" KEEP, 2, "unknown unit 'parsec', expected a length"},
    {HEAD VARY "list: [1 mm, ten]}}\n" KEEP, 2, "found 'ten', expected a length"},
    {HEAD VARY "list: [1 mm, .inf]}}\n" KEEP, 2, "not a finite number"},
    {HEAD VARY "as: factor, list: [1 mm]}}\n" KEEP, 2, "'1 mm' is a factor, expected a number without unit"},
    {HEAD VARY "as: offset, list: [1 kg]}}\n" KEEP, 2, "'1 kg' has another dimension"},
    {HEAD "vary: {y: {key: model.elements.0.bilinear.ratio, uniform: {from: 1 kg, to: 2 kg}}}\n" SAMPLE KEEP, 2,
     "(kg), expected"},
    {HEAD "vary: {y: {key: method, list: [lsrt2, euler]}}\n" KEEP, 2, "unknown method 'euler'"},
    {HEAD "vary: {y: {key: [model.elements.0.bilinear.yield, time.end], list: [1 mm]}}\n" KEEP, 2,
     "'1 mm' has another dimension"},
    {HEAD "vary:\n  y: {key: time.end, list: [1 s]}\n  z: {key: time.end, list: [2 s]}\n" KEEP, 4,
     "'y' and 'z' both set 'time.end'"},
    {HEAD "vary: {y: {key: model.elements.3.bilinear.yield, list: [1 mm]}}\n" KEEP, 2, "there is no item 3"},
    {HEAD "vary: {y: {key: modell.mass, list: [1 kg]}}\n" KEEP, 2, "there is no 'modell'"},
    {HEAD "vary: {y: {key: method, as: factor, list: [1, 2]}}\n" KEEP, 2, "has none there"},
    {HEAD VARY "list: [1 mm]}}\nkeep: {peak: {peak: z displacement}}\n", 3, "there is no column 'z displacement'"},
    {HEAD VARY "list: [1 mm]}}\nkeep: {peak: {peek: x displacement}}\n", 3, "unknown key 'peek'"},
    {HEAD VARY "list: [1 mm]}}\nkeep: {j2: {tracking-nrms: x displacement}}\n", 3, "it needs 'compute: test'"},
    {HEAD VARY "list: [1 mm]}}\nkeep: {j4: {error-nrms: x displacement}}\n", 3, "it needs 'compute: test'"},
    {HEAD VARY "list: [1 mm]}}\nkeep: {}\n", 3, "'keep' has 0 scalars"},
    {HEAD VARY "list: [1 mm]}}\n" KEEP "histories: [speed]\n", 4, "there is no column 'speed'"},
    {HEAD VARY "list: [1 mm]}}\n" KEEP "colour: red\n", 4, "unknown key 'colour'"},
    {"case: nowhere.yaml\n" VARY "list: [1 mm]}}\n" KEEP, 1, "nowhere.yaml"},
    {HEAD "set: {tim.end: 1 s}\n" VARY "list: [1 mm]}}\n" KEEP, 2, "there is no 'tim'"},
    {HEAD THREE SAMPLE CORRELATION KEEP, 7, "not positive definite"},
    {HEAD THREE SAMPLE "correlation: [{between: [a, q], value: 0.9}]\n" KEEP, 7, "there is no variable 'q'"},
    {HEAD "vary:\n  a: {key: model.mass, list: [1, 2]}\n  b: {key: model.damping, list: [1, 2, 3], with: a}\n" KEEP,
     4, "expected equal numbers"},
    {HEAD VARY "uniform: {from: 1 mm, to: 2 mm}}}\nsample: {method: monte-carlo, members: 0}\n" KEEP, 3, "members"},
};

TEST_WITH(wrong_studies_are_refused_at_their_place, folder_open, folder_close)
{
    int wrong = 0;
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        ifd_study *s;
        ifd_note_init(&note, arena);
        put_file("bad.yaml", bad[i].text);
        ifd_status status = ifd_study_read(arena, in("bad.yaml"), NULL, &s, &note);
        bool found = false;
        for (const ifd_finding *f = note.first; f; f = f->next)
            found = found || (f->place.line == bad[i].line && strstr(f->text, bad[i].message));
        if (status == IFD_OK || !found) {
            print_error("%s  expected in line %d: %s\n", bad[i].text, bad[i].line, bad[i].message);
            for (const ifd_finding *f = note.first; f; f = f->next)
                print_error("  line %d: %s\n", f->place.line, f->text);
            wrong++;
        }
        ifd_arena_close(arena);
    }
    assert_int_equal(wrong, 0);
}

/* A value outside its range refuses its own member only. */
TEST_WITH(a_refused_member_does_not_stop_the_study, folder_open, folder_close)
{
    put_file("some.yaml", HEAD VARY "list: [20 mm, -5 mm, 30 mm]}}\n" KEEP);
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study *s;
    ifd_study_store *store;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_study_read(arena, in("some.yaml"), NULL, &s, &note), IFD_OK);
    assert_int_equal(ifd_study_store_open(arena, s, in("some"), NULL, &store, &note), IFD_OK);
    assert_int_equal(ifd_study_run(store, NULL, &note), IFD_OK);
    assert_int_equal(ifd_study_count(store), 3);
    for (long i = 0; i < 3; i++) {
        const ifd_study_result *r = ifd_study_at(store, i);
        assert_int_equal(r->outcome, r->number == 1 ? IFD_STUDY_REFUSED : IFD_STUDY_COMPLETED);
        if (r->number == 1)
            assert_non_null(strstr(r->reason, "yield"));
    }
    ifd_arena_close(arena);
}

TESTS()
