/* SPDX-License-Identifier: MIT */
/* One case whose sections refer to each other many times. A mistake in it is one finding: names that a wrong section
 * would have brought are not missed elsewhere, and an unknown name is reported once. Several mistakes are as
 * many findings. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>

enum { MOST_TEXT = 8000, DRAWS = 500 };

static const char good[] =
    "time: {step: 1 ms, end: 1 s, record-every: 2}\n"
    "method: {lsrt2: {gamma: plus}}\n"
    "ground: {motion: kanai-tajimi, seed: 7, peak: 0.1 g}\n"
    "model:\n"
    "  supports:\n"
    "    table: {displacement: {cosine: {amplitude: 1 mm, frequency: 5 rad/s}}}\n"
    "  dofs: [x1, x2]\n"
    "  mass: [1 t, 2 t]\n"
    "  stiffness: [[3 MN/m, -1 MN/m], [-1 MN/m, 1 MN/m]]\n"
    "  shear-building:\n"
    "    mass: [2 t, 2 t]\n"
    "    stiffness: [4 MN/m, 3 MN/m]\n"
    "    names: [low, high]\n"
    "  frame:\n"
    "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
    "    grid: {bays: 2 x 6 m, storeys: 2 x 3 m, columns: column, beams: beam}\n"
    "  masses: {low: 1 t, s1c1: 2 t}\n"
    "  elements:\n"
    "    - name: swing\n"
    "      pendulum: {at: x1, mass: 1 kg, length: 0.5 m, angle: theta}\n"
    "    - bouc-wen: {between: [table, x2], stiffness: 4 kN/m, beta: 5, gamma: 3}\n"
    "    - spring: {between: [high, s2c1.x], stiffness: 1 kN/m}\n"
    "    - low-pass: {read: [velocity theta], apply: [x2], gain: -50, cutoff: 5 Hz}\n"
    "  rayleigh: {mass: 0.1, stiffness: 1 ms}\n"
    "loads:\n"
    "  - {at: x1, force: {sine: {amplitude: 10 N, frequency: 3 Hz}}}\n"
    "  - {at: s2c2.x, force: 10 kN}\n"
    "initial: {displacement: {x2: 1 mm, theta: 0.1 rad}, velocity: {high: 1 mm/s}}\n"
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, high], stiffness: 1 MN/m}\n"
    "    estimate: {stiffness: 1 MN/m}\n"
    "    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 20 m/s2}\n"
    "  - name: joint\n"
    "    bilinear: {between: [low, s1c1.x], stiffness: 1 MN/m, yield: 5 mm, ratio: 0.1}\n"
    "    actuator: {delay: {delay: 12 ms}}\n"
    "    compensation: {polynomial: {delay: 12 ms}}\n"
    "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 20 m/s2}\n"
    "test: {lambda: 1, ticks-per-stage: 2, leave: start}\n"
    "channels:\n"
    "  stroke: {input: position 1, measures: position of bearing, unit: mm, sensitivity: 25}\n"
    "  cell: {input: force 2, measures: force of joint, unit: kN, sensitivity: 10}\n"
    "record: [displacement, x1, theta, high, s2c1.x]\n"
    "output: {csv: yes}\n";

/* A text of the case, its replacement, and the single error that follows, at its line. */
static const struct mistake {
    const char *right, *wrong;
    ifd_status code;
    const char *part;
} mistakes[] = {
    {"record-every: 2", "record-every: 2.5", IFD_RANGE, "whole number"},
    {"gamma: plus", "gamma: pluss", IFD_UNKNOWN_CHOICE, "plus"},
    {"motion: kanai-tajimi", "motion: kanai", IFD_UNKNOWN_CHOICE, "unknown signal 'kanai'"},
    {"frequency: 5 rad/s", "frequency: 5 kg", IFD_UNIT, "frequency"},
    {"dofs: [x1, x2]", "dofs: [x1, x 2]", IFD_SYNTAX, "is not a valid name of a dof"},
    {"mass: [1 t, 2 t]", "mass: [1 t, 2 m]", IFD_UNIT, "item 2 of 'mass'"},
    {"[-1 MN/m, 1 MN/m]]", "[-1 MN/m]]", IFD_SHAPE, "row 2 of 'stiffness'"},
    {"stiffness: [4 MN/m, 3 MN/m]", "stiffness: [4 MN/m]", IFD_SHAPE, "'stiffness' has 1 numbers, expected 2"},
    {"names: [low, high]", "names: [low]", IFD_SHAPE, "'names' has 1 names"},
    {"young: 30 GPa", "young: 30 kN", IFD_UNIT, "young"},
    {"bays: 2 x 6 m", "bays: 2 x 6 s", IFD_UNIT, "bays"},
    {"columns: column", "columns: colum", IFD_UNKNOWN_NAME, "no section has the name 'colum'"},
    {"s1c1: 2 t", "s1c9: 2 t", IFD_UNKNOWN_NAME, "no dof has the name 's1c9'"},
    {"pendulum: {at", "pendulm: {at", IFD_UNKNOWN_CHOICE, "unknown element 'pendulm'"},
    {"length: 0.5 m, angle", "length: 0.5 kg, angle", IFD_UNIT, "length"},
    {"beta: 5", "beta: five", IFD_NUMBER, "beta"},
    {"between: [high, s2c1.x]", "between: [hihg, s2c1.x]", IFD_UNKNOWN_NAME, "'hihg'"},
    {"velocity theta", "speed theta", IFD_UNKNOWN_CHOICE, "a block cannot read 'speed'"},
    {"rayleigh: {mass: 0.1", "rayleigh: {mas: 0.1", IFD_UNKNOWN_KEY, "'mas'"},
    {"at: s2c2.x", "at: s2c7.x", IFD_UNKNOWN_NAME, "'s2c7.x'"},
    {"frequency: 3 Hz", "frequency: 3 kg", IFD_UNIT, "frequency"},
    {"x2: 1 mm", "x2: 1 kg", IFD_UNIT, "'x2'"},
    {"velocity: {high", "velocity: {hgih", IFD_UNKNOWN_NAME, "'hgih'"},
    {"between: [ground, high]", "between: [ground, higher]", IFD_UNKNOWN_NAME, "'higher'"},
    {"estimate: {stiffness", "estimate: {stifness", IFD_UNKNOWN_KEY, "'stifness'"},
    {"stroke: 100 mm, velocity: 1 m/s", "stroke: 100 mm, velocity: 1 m", IFD_UNIT, "velocity"},
    {"bilinear: {between", "bilinea: {between", IFD_UNKNOWN_CHOICE, "'bilinea'"},
    {"actuator: {delay", "actuator: {delai", IFD_UNKNOWN_CHOICE, "'delai'"},
    {"compensation: {polynomial", "compensation: {polynom", IFD_UNKNOWN_CHOICE, "'polynom'"},
    {"stroke: 50 mm, ", "", IFD_RANGE, "leaves no stroke"},
    {"lambda: 1,", "lambda: -1,", IFD_RANGE, "'lambda' is -1"},
    {"leave: start", "leave: home", IFD_UNKNOWN_CHOICE, "home"},
    {"position of bearing", "position of baring", IFD_UNKNOWN_NAME, "no actuator has the name 'baring'"},
    {"unit: kN", "unit: mm", IFD_UNIT, "measures a force"},
    {"record: [displacement", "record: [displacemnt", IFD_UNKNOWN_NAME, "'displacemnt' cannot be recorded"},
    {"csv: yes", "csv: perhaps", IFD_SHAPE, "csv"},
};

static bool begins(const struct mistake *m, int count, const char *const *texts)
{
    for (int i = 0; i < count; i++)
        if (strncmp(m->right, texts[i], strlen(texts[i])) == 0)
            return true;
    return false;
}

/* Whether b is not known to be a mistake as long as a is one: which names there are; units and actuators that follow
 * from the ends of a specimen; the size of a matrix; the parameters of an element of no known kind. */
static bool hides(const struct mistake *a, const struct mistake *b)
{
    static const char *const
        brings[] = {"stiffness: [4", "names: [low", "young", "bays", "columns", "dofs", "pendulum"},
        *const names[] = {"s1c1: 2 t",        "between: [high, s2c1",  "at: s2c2", "velocity: {high",
                          "between: [ground", "record: [displacement", "x2: 1 mm"},
        *const ends[] = {"between: [ground", "bilinear"},
        *const specimen[] = {"estimate", "stroke: 100", "stroke: 50", "position of"}, *const dofs[] = {"dofs"},
        *const matrices[] = {"mass: [1 t", "[-1"}, *const kind[] = {"pendulum"}, *const length[] = {"length: 0.5"};
    return (begins(a, 7, brings) && begins(b, 7, names)) || (begins(a, 5, brings) && begins(b, 4, specimen)) ||
           (begins(a, 2, ends) && begins(b, 4, specimen)) || (begins(a, 1, dofs) && begins(b, 2, matrices)) ||
           (begins(a, 1, kind) && begins(b, 1, length));
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static void replace(char *text, const struct mistake *m)
{
    static char rest[MOST_TEXT];
    char *at = strstr(text, m->right);
    if (!at)
        fail_msg("'%s' is not in the case", m->right);
    snprintf(rest, sizeof rest, "%s", at + strlen(m->right));
    snprintf(at, MOST_TEXT - (size_t)(at - text), "%s%s", m->wrong, rest);
}

/* How many findings of the case with these mistakes are missing or too many. */
static int check(int count, const struct mistake *const *m)
{
    static char text[MOST_TEXT];
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    int off = 0;
    ifd_note_init(&note, arena);
    memcpy(text, good, sizeof good);
    for (int i = 0; i < count; i++)
        replace(text, m[i]);
    const ifd_case_source source = {.path = "once.yaml", .text = text};
    ifd_status status = ifd_case_read_source(arena, &source, &c, &note);
    for (int i = 0; i < count; i++) {
        int found = 0, line = line_of(good, strstr(good, m[i]->right));
        for (const ifd_finding *f = note.first; f; f = f->next)
            found += f->code == m[i]->code && (f->place.line == line || m[i]->wrong[0] == '\0') &&
                     (strstr(f->text, m[i]->part) || (f->hint && strstr(f->hint, m[i]->part)));
        off += found != 1;
        if (found != 1)
            print_error("'%s': %d findings\n", m[i]->wrong, found);
    }
    off += note.errors != count || (status == IFD_OK) != (count == 0);
    for (const ifd_finding *f = note.first; f && off; f = f->next)
        print_error("    %d: %s: %s\n", f->place.line, ifd_status_name(f->code), f->text);
    ifd_arena_close(arena);
    return off;
}

TEST(the_case_itself_is_right)
{
    assert_int_equal(check(0, NULL), 0);
}

TEST(each_mistake_is_one_finding)
{
    int off = 0;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        const struct mistake *one = &mistakes[i];
        off += check(1, &one);
    }
    assert_int_equal(off, 0);
}

/* Not rand(): a library that reads YAML may seed it. */
static size_t draw(uint64_t *random, size_t count)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(*random >> 33) % count;
}

TEST(several_mistakes_are_as_many_findings)
{
    int off = 0, tried = 0;
    uint64_t random = 1;
    while (tried < DRAWS) {
        const struct mistake *m[4];
        int count = 2 + (int)draw(&random, 3);
        bool apart = true;
        for (int i = 0; i < count; i++) {
            m[i] = &mistakes[draw(&random, COUNT(mistakes))];
            for (int k = 0; k < i; k++)
                apart = apart && m[i] != m[k] && !hides(m[i], m[k]) && !hides(m[k], m[i]);
        }
        if (!apart)
            continue;
        tried++;
        off += check(count, m);
    }
    assert_int_equal(off, 0);
}

TEST(a_name_that_nobody_knows_is_reported_once)
{
    static const struct mistake dof = {"dofs: [x1, x2]", "dofs: [x1, y2]", IFD_OK, ""};
    static char text[MOST_TEXT];
    ifd_note note;
    ifd_case *c = NULL;
    ifd_arena *arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    memcpy(text, good, sizeof good);
    replace(text, &dof);
    const ifd_case_source source = {.path = "once.yaml", .text = text};
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_UNKNOWN_NAME);
    assert_int_equal(note.errors, 1);
    assert_int_equal(note.first->place.line, 22);
    assert_non_null(strstr(note.first->text, "'x2'"));
    ifd_arena_close(arena);
}

TESTS()
