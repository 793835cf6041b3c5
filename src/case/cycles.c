/* SPDX-License-Identifier: MIT */
/* The cycles of standards, as amplitudes of the signal `cycles`. */
#include "case/reader.h"

#include <math.h>
#include <string.h>

const ifd__section ifd__section_presets = {
    "presets", "presets: cycles of standards", "protocol.displacement.cycles.amplitudes",
    "The key `amplitudes` may name a standard instead of a list.",
    KEYS(FORM("fema-461", false, "mapping (help fema-461)", NULL, "FEMA 461: quasi-static cycles of drift"),
         FORM("atc-24", false, "mapping (help atc-24)", NULL, "ATC-24: steel components, multiples of yield"),
         FORM("curee", false, "mapping (help curee)", NULL,
              "CUREE (ASTM E2126 method C): wood, primary and trailing cycles"),
         FORM("aisc-341", false, "mapping (help aisc-341)", NULL,
              "AISC 341 K2: beam-to-column connections, storey drift angles"))};

const ifd__section ifd__section_fema_461 = {
    "fema-461", "fema-461: cycles of FEMA 461", "protocol.displacement.cycles.amplitudes.fema-461",
    "The signal has two cycles at each amplitude last/1.4^(steps - i), i = 1 ... steps.",
    KEYS(NUMBER("last", LENGTH, 1e-9, 1e6, "amplitude of the last step"),
         WITHIN("steps", NONE, 1, 100, 10, NULL, "number of amplitudes"),
         WITHIN("beyond", NONE, 0, 1000, 0, NULL, "further steps, each larger by 0.3 `last` than the one before"))};

const ifd__section ifd__section_atc_24 = {
    "atc-24", "atc-24: cycles of ATC-24", "protocol.displacement.cycles.amplitudes.atc-24",
    "The signal has three cycles at each of 0.5, 0.75, 1, 2 and 3 times yield, then two at each of 4, 5 ... times "
    "yield.",
    KEYS(NUMBER("yield", LENGTH, 1e-9, 1e6, "displacement at yield"),
         NUMBER("last", NONE, 1, 1000, "last amplitude in multiples of yield, a whole number"))};

const ifd__section ifd__section_curee = {
    "curee", "curee: cycles of CUREE", "protocol.displacement.cycles.amplitudes.curee",
    "The signal has six cycles at 0.05 of the reference, then primary cycles at 0.075, 0.1, 0.2, 0.3, 0.4, 0.7, 1, "
    "1.5, 2 ... of it. After each of these, it has 6, 6, 3, 3, 2, 2, 2, 2 ... trailing cycles at 0.75 of the primary "
    "amplitude.",
    KEYS(NUMBER("reference", LENGTH, 1e-9, 1e6, "reference deformation"),
         WITHIN("last", NONE, 0.05, 1000, 1, NULL, "last primary cycle in multiples of the reference"))};

const ifd__section ifd__section_aisc_341 = {
    "aisc-341", "aisc-341: cycles of AISC 341", "protocol.displacement.cycles.amplitudes.aisc-341",
    "The signal has six cycles at each of 0.00375, 0.005 and 0.0075 rad, four at 0.01, and two at each of 0.015, "
    "0.02, 0.03, 0.04 ... Each angle times `height` is an amplitude.",
    KEYS(NUMBER("height", LENGTH, 1e-9, 1e6, "height over which the drift angle acts; 1 for an angle"),
         NUMBER("last", NONE, 0.00375, 10, "last drift angle, rad"))};

/* Amplitudes with their numbers of cycles, as lists of the case. */
typedef struct cycles {
    ifd__reader *r;
    const ifd__node *at;
    ifd__node *amplitudes, *each;
} cycles;

static void put_number(const cycles *c, ifd__node *list, double number)
{
    const char *text = ifd_arena_print(c->r->arena, "%.17g", number);
    ifd__put_node(list, ifd__write_node(c->r, IFD__SCALAR, NULL, text ? text : "", c->at));
}

static void put(const cycles *c, double amplitude, int each)
{
    put_number(c, c->amplitudes, amplitude);
    put_number(c, c->each, each);
}

/* A primary amplitude, or one whose cycles follow each other: number of it, of trailing ones. */
typedef struct step {
    double at;
    int each, trailing;
} step;

/* The steps of a table times `unit` up to `last`; behind the table they grow by `more`, with the counts of its last
 * row. */
static void put_steps(const cycles *c, const step *table, int rows, double more, double unit, const ifd_value *last)
{
    double at = 0, near = last->number * (1 + 1e-9);
    for (int i = 0; i < rows || at + more <= near; i++) {
        const step *s = &table[i < rows ? i : rows - 1];
        double next = i < rows ? s->at : s->at + more * (i - rows + 1);
        if (next > near)
            break;
        at = next;
        put(c, at * unit, s->each);
        if (s->trailing)
            put(c, 0.75 * at * unit, s->trailing);
    }
    if (fabs(at - last->number) > 1e-9 * last->number)
        ifd_note_add(c->r->note, IFD_RANGE, &last->place,
                     "'last' is %g, but the standard has no such step; the step before it is %g", last->number, at);
}

static void put_fema(const cycles *c, const ifd__fields *f)
{
    double last = ifd__field(f, "last")->number;
    int steps = ifd__field_whole(c->r, f, "steps", "fema-461: "),
        more = ifd__field_whole(c->r, f, "beyond", "fema-461: ");
    for (int i = 1; i <= steps; i++)
        put(c, last / pow(1.4, steps - i), 2);
    for (int i = 1; i <= more; i++)
        put(c, last * (1 + 0.3 * i), 2);
}

static void put_atc(const cycles *c, const ifd__fields *f)
{
    static const step table[] = {{0.5, 3, 0}, {0.75, 3, 0}, {1, 3, 0}, {2, 3, 0}, {3, 3, 0}, {4, 2, 0}};
    put_steps(c, table, 6, 1, ifd__field(f, "yield")->number, ifd__field(f, "last"));
}

static void put_curee(const cycles *c, const ifd__fields *f)
{
    static const step table[] = {{0.05, 6, 0}, {0.075, 1, 6}, {0.1, 1, 6}, {0.2, 1, 3}, {0.3, 1, 3},
                                 {0.4, 1, 2},  {0.7, 1, 2},   {1, 1, 2},   {1.5, 1, 2}};
    put_steps(c, table, 9, 0.5, ifd__field(f, "reference")->number, ifd__field(f, "last"));
}

static void put_aisc(const cycles *c, const ifd__fields *f)
{
    static const step table[] = {{0.00375, 6, 0}, {0.005, 6, 0}, {0.0075, 6, 0}, {0.01, 4, 0},
                                 {0.015, 2, 0},   {0.02, 2, 0},  {0.03, 2, 0}};
    put_steps(c, table, 7, 0.01, ifd__field(f, "height")->number, ifd__field(f, "last"));
}

static void read_preset(const cycles *c, const ifd__node *node, ifd_dimension any)
{
    static const struct {
        const ifd__section *section;
        void (*put)(const cycles *c, const ifd__fields *f);
    } presets[] = {{&ifd__section_fema_461, put_fema},
                   {&ifd__section_atc_24, put_atc},
                   {&ifd__section_curee, put_curee},
                   {&ifd__section_aisc_341, put_aisc}};
    const char *name = NULL;
    const ifd__node *settings = NULL;
    ifd_place place;
    if (ifd__yaml_choice(node, &name, &place, &settings, c->r->note) != IFD_OK)
        return;
    for (int i = 0; i < 4; i++) {
        ifd__fields f;
        int errors = c->r->note->errors;
        if (strcmp(presets[i].section->topic, name) != 0)
            continue;
        ifd__fields_read_at(c->r, settings, presets[i].section, any == IFD_DIM_ANGLE, &f);
        if (c->r->note->errors == errors)
            presets[i].put(c, &f);
        return;
    }
    ifd__unknown_choice(c->r, "preset", name, &place, "fema-461|atc-24|curee|aisc-341");
}

const ifd__node *ifd__expand_presets(ifd__reader *r, const ifd__node *map, ifd_dimension any)
{
    const ifd__node *amplitudes = ifd__yaml_get(map, "amplitudes"), *each = ifd__yaml_get(map, "each");
    if (!amplitudes || amplitudes->kind != IFD__MAPPING)
        return map;
    if (any != IFD_DIM_LENGTH && any != IFD_DIM_ANGLE)
        ifd_note_add(r->note, IFD_CONFLICT, &amplitudes->place,
                     "a preset of 'amplitudes' is for displacements: expected a list");
    if (each)
        ifd_note_add(r->note, IFD_CONFLICT, &each->key_place,
                     "'each' is given by the preset of 'amplitudes': expected only one of them");
    ifd__node *out = ifd__copy_node(r, map);
    cycles c = {.r = r,
                .at = amplitudes,
                .amplitudes = ifd__write_node(r, IFD__SEQUENCE, "amplitudes", NULL, amplitudes),
                .each = ifd__write_node(r, IFD__SEQUENCE, "each", NULL, amplitudes)};
    if (!ifd__in_memory(r, out && c.amplitudes && c.each))
        return NULL;
    read_preset(&c, amplitudes, any);
    out->first = out->last = NULL;
    out->count = 0;
    for (const ifd__node *i = map->first; i; i = i->next)
        if (i != amplitudes && i != each)
            ifd__put_node(out, ifd__copy_node(r, i));
    ifd__put_node(out, c.amplitudes);
    ifd__put_node(out, c.each);
    return out;
}
