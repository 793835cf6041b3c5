/* SPDX-License-Identifier: MIT */
/* Data of the day of a test: operator and specimen, scale of a shakedown test, preload, checkpoints,
 * characterisation. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "case/reader.h"
#include "text/file.h"

const ifd__section ifd__section_preload = {
    "preload", "preload: static equilibrium before the start", "test.preload",
    "The test starts from the equilibrium under constant loads and ground accelerations, which are plain numbers. "
    "The program computes this equilibrium with the estimates and moves the specimens there. The program then "
    "corrects these positions with the measured forces until the corrections are below `tolerance`.",
    KEYS(
        WITHIN("tolerance", LENGTH, 1e-12, 10, 0, "1e-6 of the stroke",
               "largest remaining correction, besides three standard errors of the measured force"),
        WITHIN("iterations", NONE, 1, 1000, 20, NULL, "maximum number of corrections, each with a ramp and a rest"))};

const ifd__section ifd__section_characterise = {
    "characterise", "characterise: motions of the characterisation", "test.characterise",
    "The characterisation subjects one specimen after the other to a rest, three cycles, a step and a periodic "
    "sweep, within its limits (docs/guide/characterisation.md).",
    KEYS(
        WITHIN("stroke-share", NONE, 1e-4, 0.5, 0.02, NULL, "amplitude as a fraction of half the stroke"),
        WITHIN("velocity-share", NONE, 1e-3, 0.9, 0.3, NULL, "peak velocity as a fraction of its limit"),
        WITHIN("acceleration-share", NONE, 1e-3, 0.9, 0.5, NULL, "peak acceleration as a fraction of its limit"),
        WITHIN("slowest", FREQUENCY, 1e-4, 1e4, 0.5, NULL, "lowest frequency of the sweep; it determines the period"),
        WITHIN("fastest", FREQUENCY, 1e-3, 1e5, 10, NULL, "highest frequency of the sweep"),
        WITHIN("periods", NONE, 2, 100, 4, NULL,
               "periods of the sweep that are evaluated, after one that is discarded"),
        WITHIN("quiet", TIME, 1e-3, 1e5, 1, NULL, "duration of the rest in which the noise is measured"),
        WITHIN("cycle", TIME, 1e-3, 1e5, 4, NULL, "period of the slow cycle; the fast one has a quarter of it"),
        WORD("compensation", "polynomial|taylor|inverse-1|inverse-2|inverse-3|none",
             "compensator in the written fragment"))};

/* `yes`, `no` or a mapping, which means yes. */
static bool preloaded(const ifd__node *node, ifd_note *note)
{
    bool on = node != NULL;
    if (node && node->kind == IFD__SCALAR && ifd__yaml_flag(node, &on, note) != IFD_OK)
        return false;
    return on;
}

/* The tick of a structure that is not divided; with subcycles a tick is shorter. */
static double tick_of(const ifd__reader *r, const ifd__fields *test)
{
    const ifd_method *method = r->c->run.step.method;
    int exchanges = 0;
    for (unsigned left = method ? method->measures : 0; left; left >>= 1)
        exchanges += (int)(left & 1u);
    double stages = fmax(exchanges, 1) * fmax(ifd__field(test, "ticks-per-stage")->number, 1.0);
    return ifd__field(test, "lambda")->number * r->step / stages;
}

/* Late ticks in a row, as the test counts them. */
static int tolerated(const ifd__reader *r, const ifd__fields *test)
{
    ifd_hybrid_options o;
    const ifd_value *time = ifd__field(test, "late-for");
    ifd_hybrid_defaults(&o);
    if (!(r->test.tick > 0.0))
        return o.late_limit;
    return (int)fmin(
        ifd_rig_ticks(time->given ? time->number : o.late_time, r->test.tick, time->given ? 1 : o.late_limit),
        INT_MAX);
}

void ifd__read_scale(ifd__reader *r, const ifd__fields *top)
{
    const ifd__node *test = ifd__part(top, "test");
    ifd__fields f;
    ifd_note quiet; /* errors are reported later, with `test` */
    ifd__reader silent = *r;
    ifd_note_init(&quiet, r->arena);
    silent.note = &quiet;
    ifd__fields_read(&silent, test, &ifd__section_test, "test", &f);
    const ifd_value *scale = ifd__field(&f, "scale");
    r->c->day.scale = scale->number > 0.0 ? scale->number : 1.0;
    r->test.preload = preloaded(ifd__yaml_get(test, "preload"), &quiet);
    r->test.tick = tick_of(r, &f);
    if (test || ifd__is_adapter(ifd__part(top, "coupling")))
        r->test.late = ifd__field_word(&f, "overrun") == IFD_OVERRUN_STOP ? 1 : tolerated(r, &f);
}

const ifd_signal *ifd__scaled(ifd__reader *r, const ifd_signal *s)
{
    const ifd_signal *scaled = NULL;
    if (!s || r->c->day.scale == 1.0 || (r->test.preload && ifd_signal_end(s) <= 0.0))
        return s;
    ifd_status status = ifd_signal_make_sum(r->arena, 1, &s, &r->c->day.scale, NULL, &scaled);
    return ifd__in_memory(r, status == IFD_OK) ? scaled : s;
}

static const char *text(const ifd__fields *f, const char *name)
{
    const ifd_value *v = ifd__field(f, name);
    return v->given && v->word ? v->word : "";
}

/* With a preload, only the laboratory can decide whether the remaining force in a load cell belongs to the test. */
static void read_offset(ifd__reader *r, const ifd__node *item, bool preload, ifd_interface_options *c)
{
    const ifd__node *node = ifd__yaml_get(item, "force-offset");
    if (node)
        c->tare = ifd__read_word(r, node, "keep|tare", "force-offset") == 1;
    if (!node && preload)
        ifd_note_advise(
            r->note, IFD_MISSING_KEY, &item->place,
            "keep: the force at the static position counts; tare: it is subtracted, for example a sensor bias or a "
            "weight that the model does not contain",
            "specimen '%s' needs 'force-offset', because the test has a preload", c->name);
    if (node && !preload)
        ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "'force-offset' requires a test with 'preload'");
}

static void read_preload(ifd__reader *r, const ifd__node *node, const ifd__node *specimens, ifd_hybrid_options *o,
                         ifd_interface_options *channel)
{
    ifd__fields f;
    int k = 0;
    o->preload = preloaded(node, r->note);
    ifd__fields_read(r, node && node->kind == IFD__MAPPING ? node : NULL, &ifd__section_preload, "preload", &f);
    const ifd_value *tolerance = ifd__field(&f, "tolerance");
    if (tolerance->given) {
        o->preload_tolerance = tolerance->number;
        o->preload_fraction = 0.0;
    }
    o->preload_iterations = ifd__field_whole(r, &f, "iterations", "preload: ");
    const ifd__node *initial = ifd__yaml_get(r->doc.root, "initial");
    if (o->preload && initial)
        ifd_note_add(r->note, IFD_CONFLICT, &initial->key_place,
                     "'initial' and 'preload' both define the initial state: expected one of them");
    for (const ifd__node *item = specimens->first; item && k < r->c->run.specimens; item = item->next, k++) {
        if (channel[k].name)
            read_offset(r, item, o->preload, &channel[k]);
        if (o->preload && channel[k].name && ifd__on_support(r->c->run.specimen[k].from, r->c->run.specimen[k].row))
            ifd_note_advise(r->note, IFD_UNSUPPORTED, &item->place,
                            "attach it to the ground and excite the structure by 'ground', or remove 'preload'",
                            "specimen '%s' is attached to a moving support: a preload requires the ground at rest",
                            channel[k].name);
    }
    r->c->run.preload = o->preload;
    for (k = 0; k < r->c->run.specimens; k++)
        r->c->run.tared = r->c->run.tared || channel[k].tare;
}

/* Of the second record of a characterisation. */
static void read_bursts(ifd__reader *r, const ifd__fields *test, ifd_characterise_options *o)
{
    const ifd_value *burst = ifd__field(test, "burst-velocity"), *often = ifd__field(test, "burst-frequency");
    if (burst->given && often->given && burst->cols == often->cols) {
        o->burst_velocity = burst->data;
        o->burst_frequency = often->data;
        o->bursts = burst->cols;
    } else if (burst->given || often->given)
        ifd_note_add(r->note, IFD_SHAPE, burst->given ? &burst->place : &often->place,
                     "'burst-velocity' and 'burst-frequency' belong together, one number per specimen");
    for (int i = 0; i < o->bursts; i++)
        if (!(o->burst_velocity[i] >= 0.0 && o->burst_frequency[i] > 0.0))
            ifd_note_add(r->note, IFD_RANGE, &burst->place,
                         "a burst of %g m/s at %g Hz, expected a velocity of at least zero and a frequency above it",
                         o->burst_velocity[i], o->burst_frequency[i]);
}

static void read_characterise(ifd__reader *r, const ifd__node *node, ifd_characterise_options *o)
{
    ifd__fields f;
    ifd__fields_read(r, node, &ifd__section_characterise, "characterise", &f);
    *o = (ifd_characterise_options){.stroke_fraction = ifd__field(&f, "stroke-share")->number,
                                    .velocity_fraction = ifd__field(&f, "velocity-share")->number,
                                    .acceleration_fraction = ifd__field(&f, "acceleration-share")->number,
                                    .slowest = ifd__field(&f, "slowest")->number,
                                    .fastest = ifd__field(&f, "fastest")->number,
                                    .periods = ifd__field_whole(r, &f, "periods", "characterise: "),
                                    .quiet = ifd__field(&f, "quiet")->number,
                                    .cycle = ifd__field(&f, "cycle")->number,
                                    .compensation = ifd__field_word(&f, "compensation")};
    const ifd_value *fast = ifd__field(&f, "fastest");
    if (fast->number < o->slowest)
        ifd_note_add(r->note, IFD_RANGE, &fast->place, "'fastest' is %g Hz, expected at least 'slowest', %g Hz",
                     fast->number, o->slowest);
}

static void read_start(const ifd__fields *test, ifd_day *day)
{
    const char *at = text(test, "start-at");
    day->start_at = at && *at ? at : NULL;
    day->start_tolerance = ifd__field(test, "start-tolerance")->number;
    day->start_any_clock = ifd__field_word(test, "start-clock") == 1;
}

static void read_stop_chain(ifd__reader *r, const ifd__fields *test, ifd_day *day)
{
    const ifd_value *file = ifd__field(test, "stop-chain");
    day->stop_chain = file->word && *file->word ? ifd__file_relative(r->arena, &file->place, file->word) : NULL;
    day->stop_chain_days = ifd__field(test, "stop-chain-days")->number;
    day->stop_keeps_power = ifd__field(test, "stop-keeps-power")->number > 0.0;
}

/* Lines of text without control characters, which the reader of the file refuses. */
static void read_checklist(ifd__reader *r, const ifd__fields *test, ifd_day *day)
{
    enum { LINES = 64, LONGEST = 200 };
    const ifd__node *list = ifd__part(test, "checklist");
    day->second_person = ifd__field(test, "second-person")->number;
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (list->count > LINES) {
        ifd_note_add(r->note, IFD_RANGE, &list->place, "'checklist' has %d lines, expected at most %d", list->count,
                     LINES);
        return;
    }
    const char **line = ifd_arena_array(r->arena, (size_t)list->count, sizeof *line);
    if (!ifd__in_memory(r, line != NULL))
        return;
    for (const ifd__node *item = list->first; item; item = item->next) {
        const char *text = "";
        if (ifd__yaml_text(item, &text, r->note) != IFD_OK)
            return;
        if (!*text || strlen(text) > LONGEST)
            ifd_note_add(r->note, IFD_RANGE, &item->place,
                         "a line of 'checklist' has %d characters, expected 1 to %d", (int)strlen(text), LONGEST);
        line[day->checks++] = text;
    }
    day->check = line;
}

void ifd__read_day(ifd__reader *r, const ifd__fields *test, const ifd__node *specimens, ifd_hybrid_options *o,
                   ifd_interface_options *channel)
{
    ifd_day *day = &r->c->day;
    day->by = text(test, "operator");
    day->specimen = text(test, "specimen-id");
    day->notes = text(test, "notes");
    read_stop_chain(r, test, day);
    read_checklist(r, test, day);
    day->missed_deadlines = ifd__field(test, "missed-deadlines")->number;
    read_start(test, day);
    o->checkpoint_every = ifd__field(test, "checkpoint-every")->number;
    read_preload(r, ifd__part(test, "preload"), specimens, o, channel);
    read_characterise(r, ifd__part(test, "characterise"), &day->characterise);
    read_bursts(r, test, &day->characterise);
}
