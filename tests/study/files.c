/* SPDX-License-Identifier: MIT */
#include "files.h"

#include "check.h"

#include <string.h>

#include "scratch.h"

char place[160];

const char oscillator[] =
    "title: oscillator\n"
    "time: {step: 10 ms, end: 4 s}\n"
    "ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.1 Hz}\n"
    "model:\n"
    "  dofs: [x]\n"
    "  mass: 1 kg\n"
    "  damping: 0.8 N s/m\n"
    "  elements:\n"
    "    - {name: column, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}\n";

const char parameters[] =
    "title: strength\n"
    "case: oscillator.yaml\n"
    "vary:\n"
    "  amplitude: {key: ground.amplitude, list: [1 m/s2, 2 m/s2, 0.3 g]}\n"
    "  stiffness: {key: model.elements.0.bilinear.stiffness, as: factor, normal: {mean: 1, cov: 0.1}}\n"
    "  yield: {key: model.elements.0.bilinear.yield, lognormal: {median: 20 mm, dispersion: 0.3}}\n"
    "sample: {method: latin-hypercube, members: 8, seed: 2}\n"
    "keep:\n"
    "  peak: {peak: x displacement}\n"
    "  left: {residual: x displacement}\n"
    "  lost: {final: energy dissipated}\n"
    "histories: [x displacement]\n"
    "history-every: 20\n";

int folder_open(void **state)
{
    (void)state;
    if (!scratch_make(place))
        return -1;
    put_file("oscillator.yaml", oscillator);
    put_file("study.yaml", parameters);
    return 0;
}

int folder_close(void **state)
{
    (void)state;
    return scratch_remove(place);
}

const char *in(const char *name)
{
    static char text[4][400];
    static int next;
    char *out = text[next++ % 4];
    snprintf(out, sizeof text[0], "%s/%s", place, name);
    return out;
}

void put_file(const char *name, const char *text)
{
    FILE *f = fopen(in(name), "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

bool same_files(const char *a, const char *b)
{
    FILE *x = fopen(a, "re"), *y = fopen(b, "re");
    bool same = x && y;
    int left = 0, right = 0;
    while (same && left != EOF) {
        left = fgetc(x);
        right = fgetc(y);
        same = left == right;
    }
    if (x)
        fclose(x);
    if (y)
        fclose(y);
    return same;
}
