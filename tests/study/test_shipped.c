/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The shipped study against the closed form of its members. */
#include "check.h"

#include <interfield/study.h>

#include "fixture.h"
#include "study/study.h"

static const double pi = 3.14159265358979323846;

/* The step of 1 ms and rows every 5 ms: a sampled crest is lower by (w dt)^2 / 8 at most, 3.2e-4 at 1.6 Hz. After
 * 36 s the free vibration has decayed to exp(-0.3 36) = 2e-5 of its start. */
TEST_IN_ARENA(amplitudes_of_the_resonance_study)
{
    ifd_study *s;
    ifd_study_runner *runner;
    double value[IFD_STUDY_VARIABLES];
    assert_int_equal(ifd_study_read(arena, IFD_SOURCE_DIR "/cases/oscillator/resonance.study.yaml", NULL, &s, &note),
                     IFD_OK);
    assert_int_equal(ifd_study_members(s), 33);
    assert_int_equal(ifd_study_runner_open(arena, s, &runner), IFD_OK);
    for (long number = 0; number < 33; number += 4) {
        size_t length;
        ifd_study_result r;
        const char *series;
        assert_true(ifd_study_values(s, number, value));
        const void *bytes = ifd_study_compute(runner, number, value, &length);
        assert_true(ifd__result_unpack(arena, s, bytes, length, &r, &series));
        assert_int_equal(r.outcome, IFD_STUDY_COMPLETED);
        double c = number < 11 ? 1.2 : number < 22 ? 2.4 : 4.8, f = 0.6 + 0.1 * (double)(number % 11), w = 2 * pi * f;
        assert_near_rel(value[0], c, 1e-15, "damping of member %ld", number);
        assert_near_rel(value[1], f, 1e-12, "frequency of member %ld", number);
        double expected = 3.0 / sqrt((80 - 2 * w * w) * (80 - 2 * w * w) + c * w * c * w);
        assert_near_rel(r.scalar[0], expected, 5e-4, "amplitude of member %ld", number);
        assert_true(r.scalar[1] >= r.scalar[0]);
    }
}

TESTS()
