/* SPDX-License-Identifier: MIT */
/* A hybrid test: the rig and its specimens. Specimens are read before (specimen.c); here each receives its limits,
 * its actuator and sensors in the virtual rig, and its compensation. */
#include <math.h>
#include <string.h>

#include <interfield/fmu.h>
#include <interfield/several.h>

#include "case/rig/channels.h"
#include "case/rig/mounted.h"
#include "case/code.h"
#include "text/file.h"
#include "case/rig/rigs.h"
#include "rig/compensator/compensator.h"

const ifd__section ifd__section_test = {
    "test", "test: rig, time scale and tolerances", "test",
    "`interfield test` moves the specimens on a rig, tick by tick, within their limits. The rigs udp and shm connect "
    "to `interfield rig`.",
    KEYS(
        FORM("rig", false,
             "virtual, {udp: {...}}, {shm: {...}}, {plugin: {file: ...}}, {opensees-adapter: {...}}, {openfresco: "
             "{...}}",
             "virtual", "rig that moves the specimens"),
        FORM("rigs", false, "list (help rigs)", "one rig",
             "several rigs, instead of 'rig', each with some of the specimens"),
        WITHIN("lambda", NONE, 1e-3, 1e6, 1, NULL, "wall-clock time per simulated time; 1: real time"),
        WITHIN("ticks-per-stage", NONE, 1, 1000, 1, NULL, "exchanges with the rig between two stages of the method"),
        WITHIN("ramp-in", TIME, 1e-6, 86400, 2, NULL, "duration of the motion to the starting position"),
        WITHIN("settle", TIME, 1e-6, 600, 0.2, NULL, "rest at the end of a ramp"),
        WITHIN("brake", TIME, 1e-6, 3600, 0.2, NULL, "time in which a hold brings the specimens to rest"),
        WITHIN("creep", VELOCITY, 1e-9, 1e4, (double)INFINITY, "a tenth of the velocity limit",
               "velocity of ramp-out"),
        WORD("leave", "stay|start|zero-force",
             "where ramp-out ends: present position, starting position or zero force. Use zero-force for a specimen "
             "that yields"),
        CHOICE("overrun", "hold|extrapolate|stop", "hold; virtual rig: extrapolate", "reaction to late ticks"),
        WITHIN("late-after", TIME, 1e-7, 3600, 0, "half a tick, or what a bus with SYNC0 permits if that is less",
               "lateness above which a tick counts as late"),
        WITHIN("late-for", TIME, 1e-6, 1e6, 0, "5 ms, 3 ticks or more; virtual rig: 0.4 s",
               "with extrapolate: tolerated duration of late ticks in a row"),
        WITHIN("stale-for", TIME, 1e-6, 1e6, 0, "10 ms, 10 ticks or more",
               "time without a measurement or an acknowledged command after which the test trips"),
        WITHIN(
            "stale-share", NONE, 1e-6, 1, 0.05, "5 %",
            "permitted fraction of ticks without a new measurement, in the last second before arming and in the run; "
            "not with elastic"),
        WITHIN("frozen-for", TIME, 1e-6, 1e6, 0, "0.2 s, 20 ticks or more",
               "time with an unchanged position or force during motion after which the test trips"),
        WITHIN("arm-timeout", TIME, 0.01, 1e6, 60, NULL, "time after which a test that cannot be armed ends"),
        WITHIN("arm-samples", NONE, 2, 1e6, 10, "10, or those of 0.1 s if more",
               "number of measured positions that must agree before a test is armed"),
        WITHIN("arm-spread", NONE, 1e-6, 0.1, 0.005, NULL,
               "permitted scatter of these positions, as a fraction of the stroke"),
        WORD("force-stuck", "noise|bits|off",
             "when an unchanged force during motion trips. noise: if it had noise before; bits: always; off: never"),
        WITHIN("error-bound", NONE, 1e-9, 1e6, 0.1, NULL, "rms error above which preflight warns"),
        WITHIN("hold-relaxation", NONE, 1e-6, 1, 0, "unlimited",
               "largest relative change of a force during hold with which resume is permitted"),
        FLAG("allow-resume", 0, "no", "permits resume with a rate-dependent specimen"),
        FLAG("rate-dependent", 0, "as the elements of the specimens",
             "whether the force of a specimen depends on its velocity"),
        WORD("limits", "act|observe", "observe: violations of limits are only counted (virtual rig only)"),
        TEXT("operator", false, "none", "operator of the test"),
        TEXT("specimen-id", false, "none", "identifier of the tested specimen"),
        TEXT("notes", false, "none", "notes for the record"),
        WITHIN("scale", NONE, 1e-9, 1e6, 1, NULL,
               "factor on motions, loads and initial state, but not on preload, for example for a shakedown"),
        FORM("preload", false, "yes, no, or a mapping (help preload)", "no",
             "the test starts in static equilibrium under the constant loads"),
        WITHIN("checkpoint-every", TIME, 1e-3, 1e7, (double)INFINITY, "on hold and on order only",
               "wall-clock time between two checkpoints"),
        WITHIN("missed-deadlines", NONE, 0, 1e15, INFINITY, "any number",
               "late ticks that a completed test may have; with more, the exit status is 3"),
        WORD("pace", "own|rig", "clock of the ticks: that of this computer, or of the rig"),
        TEXT("start-at", false, "as soon as the rig is ready",
             "instant of t = 0 in UTC, or next:10s for the next multiple of 10 s"),
        WITHIN("start-tolerance", TIME, 1e-9, 10, 1e-4, NULL,
               "start-at: largest error of the clock, as the kernel estimates it"),
        WORD("start-clock", "synchronised|realtime",
             "start-at: requires a clock that the kernel reports as synchronised, or accepts any clock"),
        TEXT("stop-chain", false, "CASE.stop-chain.json beside the case",
             "file with the proofs of the stop chain (rig-check --stop, --kill)"),
        WITHIN("stop-chain-days", NONE, 1, 366, 30, NULL, "days for which a proof of the stop chain is valid"),
        FLAG("stop-keeps-power", 0, "no", "yes: the emergency stop leaves power or pressure on"),
        FORM("checklist", false, "list of lines", "none",
             "lines that the operator of a real rig confirms between arm and run"),
        WITHIN("second-person", NONE, 0, 1e6, INFINITY, "never",
               "scale from which on a second person must confirm the run of a real rig"),
        FORM("monitor", false, "yes, no, or a mapping (help monitor)", "no", "supervision of stability"),
        FORM("thresholds", false, "mapping (help thresholds)", "of the certificate",
             "numbers of preflight for `monitor`"),
        LIST("characterised-stiffness", NONE, false, "of the characterisation",
             "measured stiffness of one device of each specimen (0: unknown); written by a test"),
        LIST("characterised-loss", NONE, false, "of the characterisation",
             "measured loss of each specimen at rest, N or N m; written by a test"),
        LIST("burst-velocity", NONE, false, "of the characterisation",
             "peak velocity of the burst of each specimen (0: none); `interfield characterise` writes it into its "
             "second record"),
        LIST("burst-frequency", NONE, false, "of the characterisation",
             "frequency of these bursts, Hz; written in the same way"),
        FORM("elastic", false, "mapping (help elastic)", "simulated time has a constant rate",
             "simulated time waits for late answers of a distant rig"),
        FORM("characterise", false, "mapping (help characterise)", "defaults",
             "motions of `interfield characterise`"))};

const ifd__section ifd__section_limits = {
    "limits", "limits: limits of an actuator", "specimen.limits",
    "Each limit of a measured value may have two levels: `force: {warn: 45 kN, trip: 60 kN, action: trip}`. Beyond "
    "`warn` the test notes the fault NEAR; with `warn-action: hold` it also enters the state hold. `action` is trip "
    "or power-off (a trip in which the drives lose their power at once); for `energy`, `action` is hold, ramp-out or "
    "trip.",
    KEYS(WITHIN("stroke", LENGTH, 1e-9, 1e3, 0, "low and high",
                "permitted positions are -stroke to stroke; alternative: low and high"),
         WITHIN("low", LENGTH, -1e3, 1e3, 0, "-stroke", "lower limit of the position"),
         WITHIN("high", LENGTH, -1e3, 1e3, 0, "stroke", "upper limit of the position"),
         NUMBER("velocity", VELOCITY, 1e-9, 1e4, "limit of the command"),
         NUMBER("acceleration", ACCELERATION, 1e-9, 1e6, "limit of the command"),
         LIMIT("force", FORCE, 1e-9, 1e12, "none; required unless the rig is virtual",
               "limit of the measured force; trips"),
         LIMIT("force-rate", ANY, 1e-9, 1e15, "none", "limit of the rate of the measured force, in N/s; trips"),
         LIMIT("tracking", LENGTH, 1e-9, 1e3, "none; required unless the rig is virtual",
               "limit of the tracking error; trips"),
         LIMIT("energy", ENERGY, 1e-12, 1e15, "none", "limit of the energy that the tracking error adds; holds"),
         LIMIT("measured-velocity", VELOCITY, 1e-9, 1e5, "none", "limit of the value from measured positions; trips"),
         LIMIT("measured-acceleration", ACCELERATION, 1e-9, 1e7, "none",
               "limit of the value from measured positions; trips"))};

const ifd__section ifd__section_capacity = {
    "capacity", "capacity: what a specimen tolerates", "specimen.capacity",
    "After a trip, the actuator still travels before it rests. Preflight compares position and force at rest with "
    "the numbers below (docs/guide/preflight.md, stopping).",
    KEYS(WITHIN("stroke", LENGTH, 1e-9, 1e3, (double)INFINITY, "not stated", "largest position, in both directions"),
         WITHIN("force", FORCE, 1e-9, 1e12, (double)INFINITY, "not stated", "largest force, in both directions"))};

const ifd__section ifd__section_actuator = {"actuator", "actuator: actuators of the virtual rig", "specimen.actuator",
                                            "", NO_KEYS};

const ifd__section ifd__section_compensation = {
    "compensation", "compensation: delay compensation", "specimen.compensation",
    "docs/reference/compensation.md defines and compares the compensators.", NO_KEYS};

const ifd__section ifd__section_sensor = {"sensor", "sensor: sensors of the virtual rig", "specimen.force-sensor", "",
                                          NO_KEYS};

/* Any table with name and parameters in each row, as a choice `name` or `{name: {parameters}}`. */
typedef struct row {
    const char *name;
    const ifd_param *params;
} row;

/* The index of the chosen row, -1 after an error; sets values. */
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
        const ifd__settings ask = {.map = settings, .params = rows[i].params, .any = IFD_DIM_ANY, .place = place};
        return ifd__row_settings(r, noun, name, ask, values) ? i : -1;
    }
    ifd__unknown_choice(r, noun, name, &place, ifd__join(r->arena, count, names));
    return -1;
}

static void read_actuator(ifd__reader *r, const ifd__node *node, ifd_virtual_actuator *bench)
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

bool ifd__read_compensation(ifd__reader *r, const ifd__node *node, ifd_interface_options *c)
{
    row rows[32];
    ifd_value *values = ifd_arena_array(r->arena, IFD_COMPENSATOR_PARAMS, sizeof *values);
    for (int i = 0; i < ifd_compensator_count; i++)
        rows[i] = (row){ifd_compensators[i]->name, ifd_compensators[i]->params};
    int which = values ? read_row(r, node, "compensation", ifd_compensator_count, rows, values) : -1;
    if (which < 0)
        return false;
    c->compensator = ifd_compensators[which];
    c->compensator_values = values;
    const ifd_compensator bare = {.kind = c->compensator};
    return !bare.kind->refuse || bare.kind->refuse(&bare, values, r->note) == IFD_OK;
}

ifd_value *ifd__read_sensor(ifd__reader *r, const ifd__node *node, const char *what)
{
    ifd_value *values = ifd_arena_array(r->arena, IFD_RIG_PARAMS, sizeof *values);
    ifd__settings ask = {
        .map = node, .params = ifd_sensor_params, .any = IFD_DIM_ANY, .what = what, .place = node->place};
    return values && ifd__yaml_params(r->arena, &ask, values, r->note) == IFD_OK ? values : NULL;
}

void ifd__read_capacity(ifd__reader *r, const ifd__node *node, bool turns, ifd_capacity *out)
{
    ifd__fields f;
    if (!node)
        return;
    ifd__fields_read_at(r, node, &ifd__section_capacity, turns, &f);
    out->stroke = ifd__field(&f, "stroke")->number;
    out->force = ifd__field(&f, "force")->number;
}

void ifd__read_limits(ifd__reader *r, const ifd__node *node, bool turns, ifd_limits *out)
{
    ifd__fields f;
    ifd_limits levels = {0};
    const ifd__node *given = node;
    node = ifd__read_levels(r, node, &levels);
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
    memcpy(out->action, levels.action, sizeof out->action);
    memcpy(out->warn_holds, levels.warn_holds, sizeof out->warn_holds);
    ifd__read_warnings(r, given, &ifd__section_limits, turns, out);
    if (!(out->high > out->low))
        ifd_note_add(r->note, IFD_RANGE, &node->place,
                     "limits: %g to %g leaves no stroke; give 'stroke', or 'low' and 'high'", out->low, out->high);
}

void ifd__read_bench(ifd__reader *r, const ifd__node *item, ifd_virtual_actuator *bench)
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
    } needed[] = {{"force", "force", l->force}, {"tracking", "tracking error", l->tracking}};
    const ifd_rig_ops *rig = r->c->test->rig;
    if (!limits || limits->kind != IFD__MAPPING || r->doc.bundle->closed ||
        ifd_rigs_are_virtual(rig, r->c->test->rig_setup))
        return;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!isfinite(needed[i].most)) {
            ifd_note_add(r->note, IFD_MISSING_KEY, &limits->place,
                         "%s: 'limits' needs '%s', because rig '%s' is not virtual", what ? what : "it",
                         needed[i].key, ifd__real_rig(r));
            ifd_note_hint(r->note, "give the largest %s that rig and specimen tolerate; the test trips above it",
                          needed[i].text);
        }
}

/* Data of one specimen; its name and ends are already known. */
static void read_channel(ifd__reader *r, const ifd__structure *st, const ifd__node *item, const ifd_specimen *s,
                         ifd_interface_options *c, ifd_virtual_actuator *bench)
{
    const char *what = ifd_arena_print(r->arena, "specimen '%s'", s->name);
    const ifd__node *limits = ifd__yaml_get(item, "limits");
    c->name = s->name;
    c->part = s->part;
    c->from = s->from;
    c->to = s->to;
    c->row = s->row;
    c->origin = s->origin;
    ifd__refer_ends(r, st, s, &c->from, &c->to);
    c->turns = ifd__specimen_turns(st, s);
    c->loose = s->ops && s->ops->flags & IFD_ELEMENT_CONTACT;
    *bench = (ifd_virtual_actuator){.specimen = s->ops, .specimen_values = s->values};
    ifd__read_capacity(r, ifd__yaml_get(item, "capacity"), ifd__specimen_turns(st, s), &c->capacity);
    if (limits)
        ifd__read_limits(r, limits, ifd__specimen_turns(st, s), &c->limits);
    else
        ifd_note_add(r->note, IFD_MISSING_KEY, &item->place,
                     "%s needs 'limits' (stroke, velocity, acceleration): nothing is commanded without limits",
                     what ? what : "it");
    if (s->factor > 0.0)
        c->force_factor = s->factor;
}

void ifd__read_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o, ifd_laboratory *laboratory)
{
    static const ifd_param plugin_params[] = {IFD_TEXT("file", "the shared object", .required = true), {0}};
    ifd__driver driver[IFD__DRIVERS];
    row rows[16 + IFD__DRIVERS];
    int rigs = 0;
    for (; ifd__rigs[rigs]; rigs++)
        rows[rigs] = (row){ifd__rigs[rigs]->name, ifd__rigs[rigs]->params};
    rows[rigs] = (row){"plugin", plugin_params};
    int drivers = ifd__drivers(r->arena, driver); /* read elsewhere; here for the list of known rigs */
    for (int i = 0; i < drivers; i++)
        rows[rigs + 1 + i] = (row){driver[i].name, plugin_params};
    ifd_value *values = ifd_arena_array(r->arena, IFD_RIG_PARAMS, sizeof *values);
    o->rig = &ifd_virtual_rig;
    o->rig_setup = laboratory;
    if (node && ifd__read_object_rig(r, node, o))
        return;
    int which = node && values ? read_row(r, node, "rig", rigs + 1 + drivers, rows, values) : 0;
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
    o->rig = which < rigs ? ifd__rigs[which] : o->rig;
    ifd__adapter_lockstep(r, o->rig, values);
}

/* A time that is given replaces the preset and its number of ticks. */
static void take_time(const ifd_value *v, int *ticks, double *time)
{
    if (!v->given)
        return;
    *ticks = 1;
    *time = v->number;
}

/* Nobody waits for a rig in this process: a late tick does no harm. */
static void tolerate_lateness(const ifd__fields *f, ifd_hybrid_options *o)
{
    const double most = 0.4; /* s */
    if (!ifd_rigs_are_virtual(o->rig, o->rig_setup))
        return;
    if (!ifd__field(f, "overrun")->given)
        o->overrun = IFD_OVERRUN_EXTRAPOLATE;
    if (!ifd__field(f, "late-for")->given)
        o->late_time = most;
}

static void read_settings(ifd__reader *r, const ifd__fields *f, ifd_hybrid_options *o)
{
    o->lambda = ifd__field(f, "lambda")->number;
    o->ticks_per_stage = ifd__field_whole(r, f, "ticks-per-stage", "test: ");
    o->ramp_in = ifd__field(f, "ramp-in")->number;
    o->settle = ifd__field(f, "settle")->number;
    o->brake = ifd__field(f, "brake")->number;
    o->creep = ifd__field(f, "creep")->number;
    o->creep_fraction = isfinite(o->creep) ? 1.0 : o->creep_fraction;
    o->ramp_out_end = (ifd_ramp_out_end)ifd__field_word(f, "leave");
    o->overrun = (ifd_overrun)ifd__field_word(f, "overrun");
    o->late_after = ifd__field(f, "late-after")->number;
    take_time(ifd__field(f, "late-for"), &o->late_limit, &o->late_time);
    take_time(ifd__field(f, "stale-for"), &o->stale_limit, &o->stale_time);
    o->stale_fraction = ifd__field(f, "stale-share")->number;
    take_time(ifd__field(f, "frozen-for"), &o->stuck_limit, &o->stuck_time);
    o->force_stuck = (ifd_stuck)ifd__field_word(f, "force-stuck");
    o->arm_timeout = ifd__field(f, "arm-timeout")->number;
    o->arm_samples = ifd__field_whole(r, f, "arm-samples", "test: ");
    o->arm_time = ifd__field(f, "arm-samples")->given ? 0.0 : o->arm_time;
    o->arm_spread = ifd__field(f, "arm-spread")->number;
    o->hold_relaxation = ifd__field(f, "hold-relaxation")->number;
    o->allow_resume = ifd__field(f, "allow-resume")->number > 0.0;
    o->observe = ifd__field_word(f, "limits") == 1;
    o->automatic = true;
    o->rig_leads = ifd__field_word(f, "pace") == 1;
    r->c->error_bound = ifd__field(f, "error-bound")->number;
}

/* One number per specimen; NULL: none. */
static const double *read_measured(ifd__reader *r, const ifd__fields *f, const char *name, int specimens)
{
    const ifd_value *v = ifd__field(f, name);
    if (!v->given || v->cols == specimens)
        return v->given ? v->data : NULL;
    ifd_note_add(r->note, IFD_SHAPE, &v->place, "'%s' has %d numbers, expected one per specimen: %d", name, v->cols,
                 specimens);
    return NULL;
}

/* A compensator that couples dofs: a specimen of its own actuator has one. */
static void check_rows(ifd__reader *r, const ifd__node *node, const ifd_interface_options *c)
{
    bool couples = c->compensator && ifd_param_find(c->compensator->params, "row") >= 0;
    int rows = couples ? ifd__decoupling_size(c->compensator_values) : 1;
    if (rows <= 1 || ifd__yaml_get(r->doc.root, "drives"))
        return;
    ifd_note_add(r->note, IFD_SHAPE, &node->key_place,
                 "compensation '%s': the matrices have %d rows, but the case has no 'drives': expected 1 x 1",
                 c->compensator->name, rows);
    ifd_note_hint(r->note, "several actuators on one specimen are 'drives' (help drives)");
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
    if (!count && !ifd__yaml_get(r->doc.root, "protocol")) { /* which may be one of forces */
        if (!specimens || (specimens->kind == IFD__SEQUENCE && specimens->count == 0))
            ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "'test' needs a 'specimen'");
        return;
    }
    if (count > IFD_RIG_ACTUATORS) {
        ifd_note_add(r->note, IFD_TOO_LARGE, &specimens->place, "%d specimens, a rig has at most %d actuators", count,
                     IFD_RIG_ACTUATORS);
        return;
    }
    ifd_hybrid_options *o = ifd_arena_take(r->arena, sizeof *o);
    ifd_laboratory *laboratory = ifd_arena_take(r->arena, sizeof *laboratory);
    ifd_interface_options *channel = ifd_arena_array(r->arena, IFD_RIG_ACTUATORS, sizeof *channel);
    ifd_virtual_actuator *bench = ifd_arena_array(r->arena, (size_t)count + 1, sizeof *bench);
    if (!o || !laboratory || !channel || !bench)
        return;
    for (const ifd__node *item = specimens->first; item && k < count; item = item->next, k++) {
        const ifd__node *compensation = ifd__yaml_get(item, "compensation");
        ifd_interface_defaults(&channel[k]);
        if (r->c->run.specimen[k].name)
            read_channel(r, st, item, &r->c->run.specimen[k], &channel[k], &bench[k]);
        if (compensation && ifd__read_compensation(r, compensation, &channel[k]))
            check_rows(r, compensation, &channel[k]);
        ifd__read_bench(r, item, &bench[k]);
        if (r->c->run.specimen[k].name) {
            ifd__read_mass(r, item, k, &channel[k], &bench[k]);
            ifd__take_push(r, lab, item, k, &channel[k], &bench[k]);
        }
    }
    ifd_hybrid_defaults(o);
    o->folder = ifd__file_relative(r->arena, &(ifd_place){.file = r->c->path}, ".");
    *laboratory = (ifd_laboratory){.actuators = count, .actuator = bench};
    ifd__place_mounted(r, st, lab, laboratory, channel);
    read_settings(r, &f, o);
    ifd__find_rate(r, ifd__field(&f, "rate-dependent"), laboratory, o);
    ifd__read_day(r, &f, specimens, o, channel);
    const ifd__node *const watched[] = {ifd__part(&f, "monitor"), ifd__part(&f, "thresholds")};
    ifd__read_monitor(r, watched, count, o);
    o->characterised = read_measured(r, &f, "characterised-stiffness", count);
    o->characterised_loss = read_measured(r, &f, "characterised-loss", count);
    ifd__read_elastic(r, ifd__part(&f, "elastic"), ifd__field(&f, "stale-for"), o);
    if (ifd__part(&f, "rigs"))
        ifd__read_rigs(r, &f, o, laboratory);
    else
        ifd__read_rig(r, ifd__adapter_rig(r, ifd__part(&f, "rig")), o, laboratory);
    tolerate_lateness(&f, o);
    if (o->observe && !ifd_rigs_are_virtual(o->rig, o->rig_setup))
        ifd_note_add(r->note, IFD_CONFLICT, &node->place,
                     "'limits: observe' is for the virtual rig only: a real rig enforces its limits");
    if (o->hold_relaxation > 0.0 && (adapter || st->master))
        ifd_note_add(
            r->note, IFD_CONFLICT, &node->place,
            "'hold-relaxation' limits the effect of a hold on a computed structure: here another program computes "
            "the structure and must check this");
    o->interfaces = count;
    o->interface = r->interface = channel;
    r->c->test = o;
    r->c->laboratory = laboratory;
    k = 0;
    for (const ifd__node *item = specimens->first; item && k < count; item = item->next, k++)
        if (channel[k].name)
            ifd__need_limits(r, ifd_arena_print(r->arena, "specimen '%s'", channel[k].name),
                             ifd__yaml_get(item, "limits"), &channel[k].limits);
}
