/* SPDX-License-Identifier: MIT */
/* I/O channels of the hardware, and their tares. */
#include "case/rig/channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/variant.h"
#include "model/rate.h"
#include "text/bundle.h"
#include "text/units.h"

/* Whether the force of a specimen depends on velocity. */

static bool element_depends(const ifd_virtual_actuator *c, ifd_arena *scratch)
{
    ifd_element e = {.ops = c->specimen, .name = "specimen", .nq = 1};
    if (!c->specimen)
        return false;
    if (c->specimen->carry || c->specimen->flags & IFD_ELEMENT_INERTIAL ||
        c->specimen->make(&e, c->specimen_values, scratch, NULL) != IFD_OK)
        return true;
    return ifd__element_rate_dependent(&e, scratch);
}

void ifd__find_rate(ifd__reader *r, const ifd_value *stated, const ifd_laboratory *lab, ifd_hybrid_options *o)
{
    o->rate_dependent = stated->number > 0.0;
    if (r->note->errors) /* values that were refused are not used */
        return;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    if (!scratch)
        return;
    for (int k = 0; k < lab->actuators && k < r->c->run.specimens && !o->rate_from; k++)
        if (element_depends(&lab->actuator[k], scratch))
            o->rate_from = r->c->run.specimen[k].name;
    for (int i = 0; i < lab->models && !o->rate_from; i++)
        if (lab->model[i].model && ifd__model_rate_dependent(lab->model[i].model, scratch))
            o->rate_from = lab->model[i].name;

    if (!stated->given)
        o->rate_dependent = o->rate_from != NULL;
}

/* Lag of the actuator of each interface, from what the case states about it: the model of its actuator, else its
 * compensation. */

static const double two_pi = 6.28318530717958647693;

/* The number of a parameter; a negative one: there is none. */
static double number_of(const ifd_param *params, const ifd_value *values, const char *name)
{
    int i = params && values ? ifd_param_find(params, name) : -1;
    return i < 0 ? -1.0 : values[i].number;
}

/* s; a negative number: not known, as for a servo with its own preset. */
static double of_actuator(const ifd_virtual_actuator *bench)
{
    if (!bench->actuator)
        return -1.0;
    const ifd_param *params = bench->actuator->params;
    const ifd_value *values = bench->actuator_values;
    double delay = number_of(params, values, "delay"), constant = number_of(params, values, "time-constant");
    double frequency = number_of(params, values, "frequency"), ratio = number_of(params, values, "damping-ratio");
    if (delay >= 0.0)
        return delay;
    if (constant >= 0.0)
        return constant;
    return frequency > 0.0 && ratio > 0.0 ? 2.0 * ratio / (two_pi * frequency) : -1.0;
}

static double of_compensation(const ifd_interface_options *c)
{
    const ifd_param *params = c->compensator ? c->compensator->params : NULL;
    return fmax(number_of(params, c->compensator_values, "delay"), number_of(params, c->compensator_values, "bound"));
}

/* An interface keeps the lag of an unknown actuator if the case has none. Actuators of the rig are counted in the
 * order of the interfaces, those of a drive at the place of its first one. */
static void read_lags(ifd__reader *r)
{
    const ifd_laboratory *rig = r->c->twin ? r->c->twin : r->c->laboratory;
    const ifd_hybrid_options *o = r->c->test;
    ifd_interface_options *c = r->interface;
    double driven[IFD_RIG_ACTUATORS];
    int next = 0;
    for (int d = 0; d < IFD_RIG_ACTUATORS; d++)
        driven[d] = -2.0;
    for (int k = 0; k < o->interfaces; k++) {
        int dof, d = ifd__drive_of(o, k, &dof),
                 count = d < 0              ? 1
                         : driven[d] < -1.0 ? o->drive[d].drive.actuators
                                            : 0;
        double lag = -1.0;
        for (int i = 0; i < count && next < rig->actuators; i++)
            lag = fmax(lag, of_actuator(&rig->actuator[next++]));
        if (d >= 0)
            lag = driven[d] = fmax(driven[d], lag);
        if (lag < 0.0)
            lag = of_compensation(&c[k]);
        if (lag >= 0.0)
            c[k].lag = lag + r->c->twin_delay;
    }
}

const ifd__section ifd__section_channels = {
    "channels", "channels: channels of the hardware", "channels",
    "A channel converts a raw number of the hardware: value = sign sensitivity raw + offset - zero, in the unit of "
    "the channel, where zero is the tare. The program converts commands with the channel of the position. "
    "`interfield channels` displays the channels live, and `interfield zero` tares them. Every key except `zero` is "
    "a name that you choose for a channel (help channel).",
    KEYS(TEXT("zero", false, "no tares", "file of `interfield zero` with the tares; it need not exist yet"))};

const ifd__section ifd__section_channel = {
    "channel", "channel: one channel of the hardware", "channels.*", "",
    KEYS(TEXT("input", true, NULL,
              "'position N', 'force N' or 'aux N' of the rig, N from 1; with several rigs 'RIG position N' and so "
              "on"),
         TEXT("measures", false, "none; the channel is only recorded",
              "'position of ACTUATOR' or 'force of ACTUATOR', where ACTUATOR is a specimen or an actuator of a "
              "drive"),
         TEXT("unit", false, "m or N, of a rotation rad or N m; none if only recorded",
              "unit of value, offset, range and zero"),
         WITHIN("sensitivity", ANY, -1e12, 1e12, 1, NULL, "channel units per raw unit"),
         WITHIN("offset", ANY, -1e12, 1e12, 0, NULL,
                "value at raw 0, from the calibration, in the unit of the channel"),
         WITHIN("sign", NONE, -1, 1, 1, NULL, "1 or -1; a positive force resists a positive position"),
         FORM("range", false, "[low, high]", "none",
              "permitted values in the unit of the channel; a value outside trips the test"),
         FORM("arm-range", false, "[low, high]", "none",
              "values at which the test may be armed, in the unit of the channel: an interlock, such as a door"),
         WITHIN("zero-limit", ANY, 0, 1e12, 0, "never tared", "largest tare, in the unit of the channel"),
         FLAG("closes-loop", 1, "yes",
              "position: yes if the controller uses this sensor; a tare then also shifts the commands"),
         TEXT("calibrated", false, "unknown", "date of the calibration"),
         TEXT("valid-until", false, "unknown; a caution of preflight for a position or force of a real rig",
              "last day of the calibration, as 2027-09-01; a real rig is not armed after this day"),
         TEXT("twin", false, "0",
              "signal of the virtual rig, if the channel is only recorded: 'position|velocity|acceleration|force of "
              "ACTUATOR'"))};

enum { NAMES = IFD_RIG_ACTUATORS + IFD_DRIVE_ACTUATORS };

typedef struct actuators {
    int count;
    const char *name[NAMES];
    bool turns[NAMES]; /* a rotation: its position is an angle, its force a moment */
    bool known;        /* the sources of the names have no errors: the names are complete */
} actuators;

/* The actuators of the rig in the order of the interfaces, a drive at the position of its first one. */
static int actuator_names(const ifd_hybrid_options *o, const char **name, bool *turns)
{
    int n = 0;
    bool seated[IFD_RIG_ACTUATORS] = {false};
    for (int k = 0; k < o->interfaces; k++) {
        int dof, g = ifd__drive_of(o, k, &dof);
        if (g < 0) {
            turns[n] = o->interface[k].turns;
            name[n++] = o->interface[k].name;
        }
        if (g < 0 || seated[g])
            continue;
        seated[g] = true;
        for (int j = 0; j < o->drive[g].drive.actuators && n < NAMES; j++)
            name[n++] = o->drive[g].name[j];
    }
    return n;
}

/* "WORD of ACTUATOR": the index of the word among choices, and the actuator. False after an error. */
static bool read_quantity(ifd__reader *r, const actuators *a, const ifd_value *v, const char *key, int *which,
                          int *actuator)
{
    const char *of = strstr(v->word, " of "),
               *choices = strcmp(key, "twin") ? "position|force" : "position|velocity|acceleration|force";
    const char *word = of ? ifd_arena_text_n(r->arena, v->word, (size_t)(of - v->word)) : v->word;
    *which = word ? ifd_choice_find(choices, word) : -1;
    if (!of || *which < 0) {
        ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &v->place,
                     "'%s: %s': expected one of %s, then 'of' and an actuator", key, v->word, choices);
        return false;
    }
    for (*actuator = 0; *actuator < a->count && a->known; (*actuator)++)
        if (strcmp(a->name[*actuator], of + 4) == 0)
            return true;
    if (!a->known)
        return true;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &v->place, "no actuator has the name '%s'", of + 4);
    ifd_choice_hint(r->note, ifd__join(r->arena, a->count, a->name), of + 4);
    return false;
}

static void read_input(ifd__reader *r, const actuators *a, const ifd_value *v, ifd_channel_row *row)
{
    char kind[16] = "";
    int number = 0, used = 0;
    static const char *const words = "position|force|aux";
    if (r->rigs) {
        ifd__read_rig_input(r, v, a->known, row);
        return;
    }
    bool good = v->word && sscanf(v->word, "%15s %d%n", kind, &number, &used) == 2 && v->word[used] == '\0';
    int which = good ? ifd_choice_find(words, kind) : -1, most = which == IFD_SOURCE_AUX ? IFD_RIG_AUX : a->count;
    if (which < 0) {
        ifd_note_add(r->note, IFD_SYNTAX, &v->place, "input '%s': expected 'position N', 'force N' or 'aux N'",
                     v->word ? v->word : "");
        return;
    }
    row->source = (ifd_source)which;
    if (number >= 1 && number <= most)
        row->input = number - 1;
    else if (a->known || which == IFD_SOURCE_AUX)
        ifd_note_add(r->note, IFD_RANGE, &v->place, "input '%s': the rig of this test has %s 1 to %d", v->word, kind,
                     most);
}

/* The factor to SI of a position or force; the unit of a channel that is only recorded is arbitrary. */
static void read_unit(ifd__reader *r, const ifd_value *v, bool turns, ifd_channel_row *row)
{
    static const char *const usuals[2][3] = {{"", "m", "N"}, {"", "rad", "N m"}};
    static const char *const nouns[2][3] = {{"", "a position", "a force"}, {"", "an angle", "a moment"}};
    static const ifd_dimension dims[2][3] = {{IFD_DIM_ANY, IFD_DIM_LENGTH, IFD_DIM_FORCE},
                                             {IFD_DIM_ANY, IFD_DIM_ANGLE, IFD_DIM_MOMENT}};
    const char *const *usual = usuals[turns];
    const ifd_dimension *dim = dims[turns];
    ifd__unit unit;
    char bad[64];
    row->si = 1.0;
    row->unit = v->given && v->word ? v->word : usual[row->meaning];
    if (row->meaning == IFD_MEANS_RECORD) {
        if (ifd__unit_parse(row->unit, &unit, bad)) /* strain, degrees Celsius and others are only recorded */
            row->si = unit.factor;
        return;
    }
    if (!ifd__unit_parse(row->unit, &unit, bad) || !ifd__unit_fits(&unit, dim[row->meaning], &row->si))
        ifd_note_add(r->note, IFD_UNIT, &v->place, "channel '%s' measures %s: its unit is '%s', expected %s",
                     row->name, nouns[turns][row->meaning], row->unit, ifd_dimension_units(dim[row->meaning]));
}

/* "range" or "arm-range". */
static void read_range(ifd__reader *r, const ifd__node *node, const char *name, double *low, double *high)
{
    const double *x = NULL;
    int n = 0;
    if (!node || ifd__yaml_list(r->arena, node, IFD_DIM_NONE, &x, &n, r->note) != IFD_OK)
        return;
    if (n != 2 || !(x[0] < x[1])) {
        ifd_note_add(r->note, IFD_RANGE, &node->place,
                     "%s of channel '%s': expected [low, high], plain numbers in its unit", node->key, name);
        return;
    }
    *low = x[0];
    *high = x[1];
}

/* The end of a day, in s since 1970, UTC; false: the text is no date as 2027-09-01. */
static bool day_read(const char *text, int64_t *end)
{
    int year, month, day, used = 0;
    if (strspn(text, "0123456789-") != 10 || sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 ||
        used != 10 || text[used])
        return false;
    struct tm utc = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
    *end = (int64_t)timegm(&utc) + 86400;
    return utc.tm_mon == month - 1 && utc.tm_mday == day; /* otherwise a day such as 31 February */
}

static void read_valid(ifd__reader *r, const ifd_value *v, ifd_channel_row *row)
{
    if (!v->given || !v->word)
        return;
    row->valid_until = v->word;
    if (!day_read(v->word, &row->expires))
        ifd_note_add(r->note, IFD_SYNTAX, &v->place,
                     "valid-until of channel '%s' is '%s', expected a date as 2027-09-01", row->name, v->word);
}

static void read_twin(ifd__reader *r, const actuators *a, const ifd_value *v, const ifd_channel_row *row)
{
    int what = 0, actuator = 0;
    if (!v->given)
        return;
    if (row->source != IFD_SOURCE_AUX) {
        ifd_note_add(r->note, IFD_CONFLICT, &v->place,
                     "channel '%s' reads a position or force: 'twin' is only for recorded channels", row->name);
        return;
    }
    if (read_quantity(r, a, v, "twin", &what, &actuator))
        r->c->laboratory->aux[row->input] =
            (ifd_virtual_aux){.what = (ifd_virtual_quantity)(what + 1), .actuator = actuator};
}

static void read_row(ifd__reader *r, const actuators *a, const ifd__node *item, ifd_channel_row *row)
{
    ifd__fields f;
    ifd__fields_read(r, item, &ifd__section_channel, ifd_arena_print(r->arena, "channel '%s'", item->key), &f);
    const ifd_value *measures = ifd__field(&f, "measures"), *sign = ifd__field(&f, "sign");
    int meaning = 0, actuator = -1;
    ifd_channel_row_defaults(row);
    row->name = item->key;
    row->sensitivity = ifd__field(&f, "sensitivity")->number;
    row->offset = ifd__field(&f, "offset")->number;
    row->sign = sign->number;
    row->zero_limit = ifd__field(&f, "zero-limit")->number;
    row->loop = ifd__field(&f, "closes-loop")->number > 0.0;
    row->calibrated = ifd__field(&f, "calibrated")->word;
    read_input(r, a, ifd__field(&f, "input"), row);
    if (measures->given && read_quantity(r, a, measures, "measures", &meaning, &actuator)) {
        row->meaning = (ifd_meaning)(meaning + 1);
        row->actuator = actuator;
        if (a->known && r->rigs)
            ifd__check_rig_input(r, measures, row);
    }
    read_unit(r, ifd__field(&f, "unit"), a->known && actuator >= 0 && a->turns[actuator], row);
    read_range(r, ifd__part(&f, "range"), row->name, &row->low, &row->high);
    read_range(r, ifd__part(&f, "arm-range"), row->name, &row->arm_low, &row->arm_high);
    read_valid(r, ifd__field(&f, "valid-until"), row);
    read_twin(r, a, ifd__field(&f, "twin"), row);
    if (row->sign > -1.0 && row->sign < 1.0) /* other values are refused by its range */
        ifd_note_add(r->note, IFD_RANGE, &sign->place, "sign of channel '%s' is %g, expected 1 or -1", row->name,
                     row->sign);
    if (row->sensitivity == 0.0)
        ifd_note_add(r->note, IFD_RANGE, &item->place, "sensitivity of channel '%s' is 0, expected another value",
                     row->name);
}

/* One tare of the file: {zero: 0.12, tared: "..."}. */
static void take_tare(ifd__reader *r, const ifd__node *item, ifd_channel_row *row)
{
    if (ifd__yaml_keys(item, "zero|tared", "a tare", r->note) != IFD_OK)
        return;
    ifd__yaml_number(ifd__yaml_need(item, "zero", r->note), IFD_DIM_NONE, IFD_RANGE_FREE, &row->zero, r->note);
    row->tared = "at an unknown time";
    ifd__yaml_text(ifd__yaml_get(item, "tared"), &row->tared, r->note);
    if (fabs(row->zero) > row->zero_limit)
        ifd_note_add(r->note, IFD_RANGE, &item->place, "channel '%s' has a tare of %g %s, above its zero-limit of %g",
                     row->name, row->zero, row->unit, row->zero_limit);
}

/* Whether the file exists; for a bundle, whether it existed. */
static bool exists(const ifd__reader *r, const char *path)
{
    for (const ifd__source_file *b = r->doc.bundle->first; b; b = b->next)
        if (strcmp(b->file.path, path) == 0)
            return true;
    return !r->doc.bundle->closed && access(path, F_OK) == 0;
}

static void read_tares(ifd__reader *r, const ifd__node *node, int count, ifd_channel_row *row)
{
    const char *path = NULL;
    ifd__yaml *doc = ifd_arena_take(r->arena, sizeof *doc);
    if (!doc || ifd__yaml_text(node, &path, r->note) != IFD_OK)
        return;
    path = ifd__file_relative(r->arena, &node->place, path);
    r->c->zero_file = path;
    if (!path || !exists(r, path)) {
        ifd_note_remark(r->note, &node->place, "'%s' does not exist yet: no channel is tared (interfield zero)",
                        node->text);
        return;
    }
    if (ifd__yaml_read_from(r->doc.bundle, r->arena, path, doc, r->note) != IFD_OK ||
        ifd__yaml_expect(doc->root, IFD__MAPPING, r->note) != IFD_OK)
        return;
    for (const ifd__node *item = doc->root->first; item; item = item->next) {
        int i = 0;
        while (i < count && strcmp(row[i].name, item->key) != 0)
            i++;
        if (i < count)
            take_tare(r, item, &row[i]);
        else
            ifd_note_add(r->note, IFD_UNKNOWN_NAME, &item->key_place,
                         "'%s' has a tare here, but is not a channel of the case", item->key);
    }
    ifd__yaml_source_lines(doc, r->note);
}

static void read_channels(ifd__reader *r, const ifd__node *map, bool known)
{
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, r->note) != IFD_OK)
        return;
    ifd_channel_row *row = ifd_arena_array(r->arena, (size_t)map->count, sizeof *row);
    ifd_channel_map *out = ifd_arena_take(r->arena, sizeof *out);
    if (!r->c->laboratory->aux)
        r->c->laboratory->aux = ifd_arena_array(r->arena, IFD_RIG_AUX, sizeof *r->c->laboratory->aux);
    const ifd__node *zero = ifd__yaml_get(map, "zero");
    int n = 0, errors = r->note->errors;
    actuators a = {.known = known};
    a.count = actuator_names(r->c->test, a.name, a.turns);
    if (!row || !out || !r->c->laboratory->aux)
        return;
    for (const ifd__node *item = map->first; item; item = item->next)
        if (item != zero)
            read_row(r, &a, item, &row[n++]);
    if (zero)
        read_tares(r, zero, n, row);
    *out = (ifd_channel_map){.rows = n, .row = row};
    const ifd_finding *before = r->note->last;
    if (known && r->note->errors == errors && ifd_channel_map_check(out, a.count, r->note) != IFD_OK)
        ifd__place_findings(r, before, &map->key_place);
    r->c->test->map = r->c->laboratory->map = out;
}

void ifd__read_hardware(ifd__reader *r, const ifd__fields *top)
{
    static const char *const keys[] = {"force-control", "drives", "channels"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !r->c->test; i++)
        if (ifd__part(top, keys[i]) && !ifd__part(top, "test"))
            ifd_note_add(r->note, IFD_CONFLICT, &ifd__part(top, keys[i])->key_place,
                         "'%s' requires a rig: expected 'test'", keys[i]);
    if (!r->c->test || !r->c->laboratory)
        return;
    int errors = r->note->errors;
    ifd__read_forces(r, ifd__part(top, "force-control"));
    ifd__read_drives(r, ifd__part(top, "drives"));
    ifd__assign_rigs(r, r->note->errors == errors, ifd__part(top, "channels"));
    if (r->note->errors == errors)
        ifd__check_inputs(r);
    bool named = r->note->errors == errors;
    for (int k = 0; k < r->c->test->interfaces; k++)
        named = named && r->c->test->interface[k].name;
    read_channels(r, ifd__part(top, "channels"), named);
    if (named && r->note->errors == errors) /* otherwise no specimen has a place on a rig */
        ifd__make_laboratories(r);
    ifd__read_twins(r);
    if (r->note->errors == errors)
        read_lags(r);
}
