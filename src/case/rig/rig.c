/* SPDX-License-Identifier: MIT */
/* A hybrid test: the rig, and what stands on it. Specimens are read before (specimen.c); here each gets its
 * limits, its actuator and sensors in the virtual laboratory, and its compensation. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <interfield/fmu.h>
#include <interfield/link.h>
#include <interfield/virtual.h>

#include "case/rig/channels.h"
#include "case/element.h"
#include "case/rig/mounted.h"
#include "case/code.h"
#include "text/file.h"
#include "text/bundle.h"
#include "case/rig/rigs.h"

static const ifd__key test_keys[] = {
    FORM("rig", false,
         "virtual, {udp: {...}}, {shm: {...}}, {plugin: {file: ...}}, {opensees-adapter: {...}}, {openfresco: {...}}",
         "virtual", "who moves the specimens"),
    WITHIN("lambda", NONE, 1e-3, 1e6, 1, NULL, "wall clock per simulated time: 1 real time, 50 to 200 pseudodynamic"),
    WITHIN("ticks-per-stage", NONE, 1, 1000, 1, NULL, "exchanges with the rig between two stages of the method"),
    WITHIN("ramp-in", TIME, 1e-6, 86400, 2, NULL, "time to the starting position"),
    WITHIN("settle", TIME, 1e-6, 600, 0.2, NULL, "rest at the end of a ramp"),
    WITHIN("brake", TIME, 1e-6, 3600, 0.2, NULL, "in which hold comes to rest; longer after a slow run"),
    WITHIN("creep", VELOCITY, 1e-9, 1e4, (double)INFINITY, "a tenth of the velocity limit", "of ramp-out"),
    WORD("leave", "stay|start|zero-force",
         "where ramp-out leaves the specimens; a yielded one must not go to its start"),
    WORD("overrun", "hold|extrapolate|stop", "what late ticks do"),
    WITHIN("late-limit", NONE, 1, 1e9, 5, NULL, "late ticks in a row that extrapolate tolerates"),
    WITHIN("stale-limit", NONE, 1, 1e9, 10, "10, and those of 10 ms at least", "silent ticks in a row before a trip"),
    WITHIN("frozen-limit", NONE, 1, 1e9, 200, NULL, "ticks in a row with one position or force before a trip"),
    WITHIN("arm-timeout", TIME, 0.01, 1e6, 60, NULL, "after which a test ends that cannot be armed"),
    WITHIN("arm-samples", NONE, 2, 1e6, 10, "10, and those of 0.1 s at least",
           "measured positions in a row that must agree before a test is armed"),
    WITHIN("arm-spread", NONE, 1e-6, 0.1, 0.005, NULL, "by which they may scatter, as a fraction of the stroke"),
    WORD("force-stuck", "noise|bits|off", "a force that stays the same in motion trips: after noise; always; never"),
    WITHIN("error-bound", NONE, 1e-9, 1e6, 0.1, NULL, "rms error that preflight may predict before it warns"),
    {.param = {.name = "allow-resume", .shape = IFD_SHAPE_FLAG, .doc = "after hold, with a rate-dependent specimen"},
     .preset = "no"},
    {.param = {.name = "rate-dependent", .shape = IFD_SHAPE_FLAG, .doc = "the specimens feel velocity"},
     .preset = "no"},
    WORD(
        "limits", "act|observe",
        "observe, on the virtual rig only: what would have tripped, held or been held back is counted, nothing acts"),
    TEXT("operator", false, "none", "who runs the test; for the record"),
    TEXT("specimen-id", false, "none", "which piece stands on the rig; for the record"),
    TEXT("notes", false, "none", "for the record"),
    WITHIN("scale", NONE, 1e-9, 1e6, 1, NULL,
           "factor on ground and support motions, loads and initial state, as of a shakedown; loads of "
           "preload stay as they are"),
    FORM("preload", false, "yes, no, or a mapping (help preload)", "no",
         "begins at the static equilibrium under the constant loads"),
    WITHIN("checkpoint-every", TIME, 1e-3, 1e7, (double)INFINITY, "on hold and on order only",
           "of wall clock: the state from which --continue goes on"),
    WITHIN("missed-deadlines", NONE, 0, 1e15, INFINITY, "any number",
           "late ticks that a completed test may have; above it the exit status is 3 (help exit)"),
    FORM("characterise", false, "a mapping (help characterise)", "presets",
         "the motions of `interfield characterise`"),
    END};
const ifd__section ifd__section_test = {
    "test", "test: the rig",
    "`interfield test` leads the specimens along their path on a rig, tick by tick, inside their limits; "
    "`interfield run`\n"
    "takes the same case with ideal specimens. The virtual rig is in this process; udp and shm reach `interfield "
    "rig`.",
    test_keys,
    "    specimen:\n"
    "      - name: bearing\n"
    "        sliders: {between: [pier, deck], sliders: [[6.67e7 N/m, 1.5 mm]], spring: 5e5 N/m}\n"
    "        estimate: {stiffness: 6.7e7 N/m}\n"
    "        devices: 2\n"
    "        actuator: {second-order: {frequency: 20 Hz}}\n"
    "        compensation: {polynomial: {delay: 8 ms}}\n"
    "        limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
    "    test: {lambda: 1, ticks-per-stage: 2, leave: zero-force}\n"};

static const ifd__key limits_keys[] = {
    WITHIN(
        "stroke", LENGTH, 1e-9, 1e3, 0, "low and high",
        "to either side of zero; or low and high. Where a specimen turns, lengths here are angles, forces moments"),
    WITHIN("low", LENGTH, -1e3, 1e3, 0, "-stroke", "lower end of the stroke"),
    WITHIN("high", LENGTH, -1e3, 1e3, 0, "stroke", "upper end of the stroke"),
    NUMBER("velocity", VELOCITY, 1e-9, 1e4, "of the command"),
    NUMBER("acceleration", ACCELERATION, 1e-9, 1e6, "of the command"),
    LIMIT("force", FORCE, 1e-9, 1e12, "none; required unless the rig is virtual", "measured; trips"),
    LIMIT("force-rate", ANY, 1e-9, 1e15, "none", "N/s, of the measured force; trips"),
    LIMIT("tracking", LENGTH, 1e-9, 1e3, "none; required unless the rig is virtual",
          "measured minus wanted position; trips"),
    LIMIT("energy", ENERGY, 1e-12, 1e15, "none", "that bad tracking puts in; holds"),
    LIMIT("measured-velocity", VELOCITY, 1e-9, 1e5, "none", "of the measured position; trips"),
    LIMIT("measured-acceleration", ACCELERATION, 1e-9, 1e7, "none", "of the measured position; trips"),
    END};
const ifd__section ifd__section_limits = {"limits", "specimen / limits", "", limits_keys,
                                          "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2}\n"};

const ifd__section ifd__section_actuator = {"actuator", "specimen / actuator: of the virtual rig", "", ifd__no_keys,
                                            "    actuator: {delay: {delay: 12 ms}}\n"};

const ifd__section ifd__section_compensation = {"compensation", "specimen / compensation", "", ifd__no_keys,
                                                "    compensation: {polynomial: {delay: 12 ms}}\n"};

const ifd__section ifd__section_sensor = {"sensor", "specimen / position-sensor, force-sensor: of the virtual rig",
                                          "", ifd__no_keys, "    force-sensor: {noise: 2 N, seed: 7}\n"};

/* Any table whose rows have a name and parameters, as a choice `name` or `{name: {parameters}}`. */
typedef struct row {
    const char *name;
    const ifd_param *params;
} row;

/* The index of the row chosen, -1 after an error; values (most of them) are filled. */
static int read_row(ifd__reader *r, const ifd__node *node, const char *noun, int count, const row *rows,
                    ifd_value *values)
{
    const char *name = NULL, *names[64];
    const ifd__node *settings = NULL;
    ifd_place place = {0};
    if (ifd__yaml_choice(node, &name, &place, &settings, r->note) != IFD_OK)
        return -1;
    for (int i = 0; i < count; i++) {
        names[i] = rows[i].name;
        if (ifd_choice_find(rows[i].name, name) != 0)
            continue;
        const char *what = ifd_arena_print(r->arena, "%s '%s'", noun, name);
        ifd__settings ask = {.map = settings,
                             .params = rows[i].params,
                             .any = IFD_DIM_ANY,
                             .what = what ? what : name,
                             .place = place};
        return ifd__yaml_params(r->arena, &ask, values, r->note) == IFD_OK ? i : -1;
    }
    ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &place, "unknown %s '%s'", noun, name);
    ifd_choice_hint(r->note, ifd__join(r->arena, count, names), name);
    return -1;
}

static void read_actuator(ifd__reader *r, const ifd__node *node, ifd_virtual_channel *bench)
{
    row rows[32];
    ifd_value *values = ifd_arena_array(r->arena, IFD_RIG_PARAMS, sizeof *values);
    for (int i = 0; i < ifd_actuator_count; i++)
        rows[i] = (row){ifd_actuators[i]->name, ifd_actuators[i]->params};
    rows[ifd_actuator_count] = (row){ifd_fmu_actuator.name, ifd_fmu_actuator.params};
    int which = values ? read_row(r, node, "actuator", ifd_actuator_count + 1, rows, values) : -1;
    if (which < 0)
        return;
    if (which == ifd_actuator_count) {
        ifd_value *file = &values[ifd_param_find(ifd_fmu_actuator.params, "file")];
        ifd__code_value(r, file);
        ifd__fmu_ticks(r, ifd_fmu_actuator.params, values);
    }
    bench->actuator = which < ifd_actuator_count ? ifd_actuators[which] : &ifd_fmu_actuator;
    bench->actuator_values = values;
}

static void read_compensation(ifd__reader *r, const ifd__node *node, ifd_interface_options *c)
{
    row rows[32];
    ifd_value *values = ifd_arena_array(r->arena, IFD_COMPENSATOR_PARAMS, sizeof *values);
    for (int i = 0; i < ifd_compensator_count; i++)
        rows[i] = (row){ifd_compensators[i]->name, ifd_compensators[i]->params};
    int which = values ? read_row(r, node, "compensation", ifd_compensator_count, rows, values) : -1;
    if (which < 0)
        return;
    c->compensator = ifd_compensators[which];
    c->compensator_values = values;
}

ifd_value *ifd__read_sensor(ifd__reader *r, const ifd__node *node, const char *what)
{
    ifd_value *values = ifd_arena_array(r->arena, IFD_RIG_PARAMS, sizeof *values);
    ifd__settings ask = {
        .map = node, .params = ifd_sensor_params, .any = IFD_DIM_ANY, .what = what, .place = node->place};
    return values && ifd__yaml_params(r->arena, &ask, values, r->note) == IFD_OK ? values : NULL;
}

void ifd__read_limits(ifd__reader *r, const ifd__node *node, bool turns, ifd_limits *out)
{
    ifd__fields f;
    ifd__fields_read_at(r, node, &ifd__section_limits, turns, &f);
    double stroke = ifd__field(&f, "stroke")->number;
    const ifd_value *low = ifd__field(&f, "low"), *high = ifd__field(&f, "high");
    *out = (ifd_limits){.low = low->given ? low->number : 0.0 - stroke,
                        .high = high->given ? high->number : stroke,
                        .velocity = ifd__field(&f, "velocity")->number,
                        .acceleration = ifd__field(&f, "acceleration")->number,
                        .force = ifd__field_limit(&f, "force"),
                        .force_rate = ifd__field_limit(&f, "force-rate"),
                        .tracking = ifd__field_limit(&f, "tracking"),
                        .energy = ifd__field_limit(&f, "energy"),
                        .measured_velocity = ifd__field_limit(&f, "measured-velocity"),
                        .measured_acceleration = ifd__field_limit(&f, "measured-acceleration")};
    if (!(out->high > out->low))
        ifd_note_add(r->note, IFD_RANGE, &node->place,
                     "limits: from %g to %g is no room to move; give 'stroke', or 'low' and 'high'", out->low,
                     out->high);
}

void ifd__read_bench(ifd__reader *r, const ifd__node *item, ifd_virtual_channel *bench)
{
    const ifd__node *part;
    if ((part = ifd__yaml_get(item, "actuator")))
        read_actuator(r, part, bench);
    if ((part = ifd__yaml_get(item, "position-sensor")))
        bench->position_sensor = ifd__read_sensor(r, part, "position-sensor");
    if ((part = ifd__yaml_get(item, "force-sensor")))
        bench->force_sensor = ifd__read_sensor(r, part, "force-sensor");
}

void ifd__need_limits(ifd__reader *r, const char *what, const ifd__node *limits, const ifd_limits *l)
{
    const struct {
        const char *key, *text;
        double most;
    } needed[] = {{"force", "force", l->force},
                  {"tracking", "distance between measured and wanted position", l->tracking}};
    const ifd_rig_ops *rig = r->c->test->rig;
    if (!limits || limits->kind != IFD__MAPPING || r->doc.bundle->closed || rig == &ifd_virtual_rig)
        return;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!isfinite(needed[i].most)) {
            ifd_note_add(r->note, IFD_MISSING_KEY, &limits->place, "%s: limits need '%s': rig '%s' is not virtual",
                         what ? what : "it", needed[i].key, rig->name);
            ifd_note_hint(r->note, "give the largest %s that rig and specimen bear; the test trips beyond it",
                          needed[i].text);
        }
}

/* What belongs to one specimen; its name and ends are known already. */
static void read_channel(ifd__reader *r, const ifd__structure *st, const ifd__node *item, const ifd_specimen *s,
                         ifd_interface_options *c, ifd_virtual_channel *bench)
{
    const char *what = ifd_arena_print(r->arena, "specimen '%s'", s->name);
    const ifd__node *limits = ifd__yaml_get(item, "limits");
    c->name = s->name;
    c->from = s->from;
    c->to = s->to;
    *bench = (ifd_virtual_channel){.specimen = s->ops, .specimen_values = s->values};
    if (limits)
        ifd__read_limits(r, limits, ifd__specimen_turns(st, s), &c->limits);
    else
        ifd_note_add(r->note, IFD_MISSING_KEY, &item->place,
                     "%s needs 'limits' (stroke, velocity, acceleration): nothing is commanded without them",
                     what ? what : "it");
    if (s->factor > 0.0)
        c->force_factor = s->factor;
}

/* {plugin: {file: ./my_rig.so, ...}}: what else stands there are the parameters of the rig in the file. */
static bool read_plugin_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o)
{
    const ifd__node *settings = node->kind == IFD__MAPPING ? ifd__yaml_get(node, "plugin") : NULL;
    if (!settings || settings->kind != IFD__MAPPING)
        return false;
    const ifd__node *file = ifd__yaml_get(settings, "file");
    const char *path = NULL;
    o->rig_setup = NULL;
    if (!file) {
        ifd_note_add(r->note, IFD_MISSING_KEY, &settings->place, "rig 'plugin' needs 'file', the shared object");
        return true;
    }
    if (ifd__yaml_text(file, &path, r->note) != IFD_OK)
        return true;
    path = ifd__file_relative(r->arena, &file->place, path);
    int errors = r->note->errors;
    ifd__code_file code = ifd__code_rig(r, path, &file->place);
    if (!code.path && r->note->errors == errors)
        o->rig = &ifd__unloaded_rig;
    if (!code.path || ifd__rig_plugin_load(code.fd, code.path, &o->rig, r->note, &file->place) != IFD_OK)
        return true;
    ifd_value *values = ifd_arena_array(r->arena, (size_t)ifd_param_count(o->rig->params) + 1, sizeof *values);
    const char *what = ifd_arena_print(r->arena, "rig '%s'", o->rig->name);
    ifd__settings ask = {.map = settings,
                         .params = o->rig->params,
                         .any = IFD_DIM_ANY,
                         .also = "file",
                         .what = what ? what : "rig",
                         .place = settings->place};
    if (values)
        (void)ifd__yaml_params(r->arena, &ask, values, r->note);
    o->rig_values = values;
    return true;
}

static void read_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o, ifd_laboratory *laboratory)
{
    static const ifd_param plugin_params[] = {
        {.name = "file", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "the shared object"}, {0}};
    row rows[32];
    int rigs = 0;
    for (; ifd__rigs[rigs]; rigs++)
        rows[rigs] = (row){ifd__rigs[rigs]->name, ifd__rigs[rigs]->params};
    rows[rigs] = (row){"plugin", plugin_params};
    ifd_value *values = ifd_arena_array(r->arena, IFD_RIG_PARAMS, sizeof *values);
    o->rig = &ifd_virtual_rig;
    o->rig_setup = laboratory;
    if (node && read_plugin_rig(r, node, o))
        return;
    int which = node && values ? read_row(r, node, "rig", rigs + 1, rows, values) : 0;
    int commands = which >= 0 && node ? ifd_param_find(rows[which].params, "commands") : -1;
    if (commands >= 0)
        laboratory->ramps = values[commands].number > 0.0;
    if (which <= 0)
        return;
    int key = ifd_param_find(rows[which].params, "key");
    if (key >= 0 && values[key].word && values[key].word[0])
        values[key].word = ifd__file_relative(r->arena, &values[key].place, values[key].word);
    static const char *const counts[] = {"port", "tag"};
    for (int i = 0; i < 2; i++) {
        int at = ifd_param_find(rows[which].params, counts[i]);
        if (at >= 0 && values[at].number != floor(values[at].number))
            ifd_note_add(r->note, IFD_RANGE, &values[at].place, "rig '%s': '%s' is %g, expected a whole number",
                         rows[which].name, counts[i], values[at].number);
    }
    o->rig_setup = NULL;
    o->rig_values = values;
    o->rig = ifd__rigs[which] ? ifd__rigs[which] : o->rig;
    ifd__adapter_lockstep(r, o->rig, values);
}

static int whole(ifd__reader *r, const ifd__fields *f, const char *name)
{
    const ifd_value *v = ifd__field(f, name);
    if (v->number != floor(v->number) || v->number > INT_MAX)
        ifd_note_add(r->note, IFD_RANGE, &v->place, "test: '%s' is %g, expected a whole number", name, v->number);
    return v->number < INT_MAX ? (int)v->number : INT_MAX;
}

static void read_settings(ifd__reader *r, const ifd__fields *f, ifd_hybrid_options *o)
{
    o->lambda = ifd__field(f, "lambda")->number;
    o->ticks_per_stage = whole(r, f, "ticks-per-stage");
    o->ramp_in = ifd__field(f, "ramp-in")->number;
    o->settle = ifd__field(f, "settle")->number;
    o->brake = ifd__field(f, "brake")->number;
    o->creep = ifd__field(f, "creep")->number;
    o->creep_fraction = isfinite(o->creep) ? 1.0 : o->creep_fraction;
    o->ramp_out_end = (ifd_ramp_out_end)ifd__field_word(f, "leave");
    o->overrun = (ifd_overrun)ifd__field_word(f, "overrun");
    o->late_limit = whole(r, f, "late-limit");
    o->stale_limit = whole(r, f, "stale-limit");
    o->stale_time = ifd__field(f, "stale-limit")->given ? 0.0 : o->stale_time;
    o->stuck_limit = whole(r, f, "frozen-limit");
    o->force_stuck = (ifd_stuck)ifd__field_word(f, "force-stuck");
    o->arm_timeout = ifd__field(f, "arm-timeout")->number;
    o->arm_samples = whole(r, f, "arm-samples");
    o->arm_time = ifd__field(f, "arm-samples")->given ? 0.0 : o->arm_time;
    o->arm_spread = ifd__field(f, "arm-spread")->number;
    o->allow_resume = ifd__field(f, "allow-resume")->number > 0.0;
    o->rate_dependent = ifd__field(f, "rate-dependent")->number > 0.0;
    o->observe = ifd__field_word(f, "limits") == 1;
    o->automatic = true;
    r->c->error_bound = ifd__field(f, "error-bound")->number;
}

void ifd__read_test(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, const ifd__node *node,
                    const ifd__node *specimens)
{
    const ifd__node *adapter = ifd__adapter(r);
    if (!node && !adapter)
        return;
    ifd__fields f;
    ifd__fields_read(r, node, &ifd__section_test, "test", &f);
    if (!node)
        node = adapter;
    int count = r->c->run.specimens, k = 0;
    if (!count) {
        if (!specimens || (specimens->kind == IFD__SEQUENCE && specimens->count == 0))
            ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "'test' needs a 'specimen' to be tested");
        return;
    }
    if (count > IFD_RIG_CHANNELS) {
        ifd_note_add(r->note, IFD_TOO_LARGE, &specimens->place, "%d specimens; a rig has %d channels at most", count,
                     IFD_RIG_CHANNELS);
        return;
    }
    ifd_hybrid_options *o = ifd_arena_take(r->arena, sizeof *o);
    ifd_laboratory *laboratory = ifd_arena_take(r->arena, sizeof *laboratory);
    ifd_interface_options *channel = ifd_arena_array(r->arena, (size_t)count, sizeof *channel);
    ifd_virtual_channel *bench = ifd_arena_array(r->arena, (size_t)count, sizeof *bench);
    if (!o || !laboratory || !channel || !bench)
        return;
    for (const ifd__node *item = specimens->first; item && k < count; item = item->next, k++) {
        const ifd__node *compensation = ifd__yaml_get(item, "compensation");
        ifd_interface_defaults(&channel[k]);
        if (r->c->run.specimen[k].name)
            read_channel(r, st, item, &r->c->run.specimen[k], &channel[k], &bench[k]);
        if (compensation)
            read_compensation(r, compensation, &channel[k]);
        ifd__read_bench(r, item, &bench[k]);
        if (r->c->run.specimen[k].name)
            ifd__read_mass(r, item, k, &channel[k], &bench[k]);
    }
    ifd_hybrid_defaults(o);
    *laboratory = (ifd_laboratory){.channels = count, .channel = bench};
    ifd__place_mounted(r, st, lab, laboratory, channel);
    read_settings(r, &f, o);
    ifd__read_day(r, &f, specimens, o, channel);
    read_rig(r, ifd__adapter_rig(r, ifd__part(&f, "rig")), o, laboratory);
    if (o->observe && o->rig != &ifd_virtual_rig)
        ifd_note_add(r->note, IFD_CONFLICT, &node->place,
                     "'limits: observe' is for the virtual rig only: a real one acts on its limits");
    o->interfaces = count;
    o->interface = channel;
    r->c->test = o;
    r->c->laboratory = laboratory;
    k = 0;
    for (const ifd__node *item = specimens->first; item && k < count; item = item->next, k++)
        if (channel[k].name)
            ifd__need_limits(r, ifd_arena_print(r->arena, "specimen '%s'", channel[k].name),
                             ifd__yaml_get(item, "limits"), &channel[k].limits);
}

void ifd__finish_test(ifd__reader *r, const ifd__structure *st)
{
    ifd_hybrid_options *o = r->c->test;
    if (!o)
        return;
    ifd_interface_options *channel = ifd_arena_array(r->arena, (size_t)o->interfaces, sizeof *channel);
    if (!ifd__in_memory(r, channel))
        return;
    memcpy(channel, o->interface, (size_t)o->interfaces * sizeof *channel);
    for (int k = 0; k < r->c->run.specimens; k++) { /* others are controlled in force */
        channel[k].part = r->c->run.specimen[k].part;
        channel[k].from = r->c->run.specimen[k].from;
        channel[k].to = r->c->run.specimen[k].to;
    }
    o->interface = channel;
    o->model = r->c->run.model;
    o->couple = r->c->run.couple;
    o->step = r->c->run.step;
    o->end = r->c->run.end;
    o->dofs = r->c->run.dofs;
    o->dof = r->c->run.dof;
    ifd__finish_master(r, st);
}
