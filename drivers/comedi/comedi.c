/* SPDX-License-Identifier: MIT */
/* Rig: analogue and digital lines of a converter card, by libcomedi. It works in volts; `channels` of the case define
 * their meaning. docs/guide/comedi.md describes the wiring.
 *
 * A card has no watchdog. The heartbeat line changes in every tick while commands arrive, and a relay that needs this
 * change cuts the hydraulics: nothing else stops the actuators when this program ends. */
#include <comedilib.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include <interfield/exchange.h>

enum {
    DEVICE,
    POSITION,
    FORCE,
    COMMAND,
    AUX,
    RANGE_IN,
    RANGE_OUT,
    REFERENCE,
    INPUT,
    OUTPUT,
    CALIBRATION,
    DIGITAL,
    DIGITAL_DEVICE,
    STOP_LINE,
    STOP_LEVEL,
    PRESSURE_LINE,
    PRESSURE_LEVEL,
    START_LINE,
    HEARTBEAT_LINE,
    TRIGGER_LINE,
    RUNNING_LINE,
    ENABLE_LINE,
    LOW_LINE,
    HIGH_LINE,
    KEEP_DIRECTION,
    STOP_INPUT,
    STOP_ABOVE,
    WITHOUT_STOP,
    WATCHDOG,
    SILENT_FOR,
};

static const ifd_param params[] = {
    IFD_TEXT("device", "the card (default /dev/comedi0)"),
    IFD_LIST("position", NONE, 0, 255, "input line of the position of each actuator (default 0, 2, ...)"),
    IFD_LIST("force", NONE, 0, 255, "input line of the force of each actuator (default 1, 3, ...)"),
    IFD_LIST("command", NONE, 0, 255, "output line of each actuator (default 0, 1, ...)"),
    IFD_LIST("aux", NONE, 0, 255, "input lines of auxiliary sensors (default none)"),
    IFD_OPTION("range-in", NONE, 1e-3, 100, 10, "V; the narrowest input range of the card that contains it is used"),
    IFD_OPTION("range-out", NONE, 1e-3, 100, 10, "V; the same for the outputs"),
    IFD_WORD("reference", "differential|ground|common", "how the inputs are connected"),
    IFD_OPTION("input", NONE, -1, 255, -1, "subdevice of the analogue inputs (-1: the first)"),
    IFD_OPTION("output", NONE, -1, 255, -1, "subdevice of the analogue outputs (-1: the first)"),
    IFD_TEXT("calibration", "file of comedi_soft_calibrate (default: nominal ranges)", .file = true),
    IFD_OPTION("digital", NONE, -1, 255, -1, "subdevice of the digital lines (-1: none)"),
    IFD_TEXT("digital-device", "card of the digital lines, if it is another one; it costs a second system call"),
    IFD_OPTION("stop-line", NONE, -1, 31, 0,
               "digital line of the emergency stop, normally closed: current flows if it is released"),
    IFD_WORD("stop-level", "high|low",
             "level of stop-line while current flows (released). Required: an open input with a pull-up reads high"),
    IFD_OPTION("pressure-line", NONE, -1, 31, 1,
               "digital line of power or pressure, normally closed: current flows if it is on; -1: none"),
    IFD_WORD("pressure-level", "high|low",
             "level of pressure-line while current flows (on); required, as stop-level"),
    IFD_OPTION("start-line", NONE, -1, 31, -1,
               "digital line that is high while the start button is pressed; -1: none"),
    IFD_OPTION("heartbeat-line", NONE, -1, 31, -1,
               "digital output that changes in every tick, for a watchdog relay; -1: none"),
    IFD_OPTION("trigger-line", NONE, -1, 31, -1, "digital output: from t = 0 to ramp-out; -1: none"),
    IFD_OPTION("running-line", NONE, -1, 31, -1, "digital output: in the state run; -1: none"),
    IFD_OPTION("enable-line", NONE, -1, 31, -1,
               "digital output: request of power, from arm to the end of motion; -1: none"),
    IFD_OPTION("low-line", NONE, -1, 31, -1, "digital output: request of low pressure; -1: none"),
    IFD_OPTION("high-line", NONE, -1, 31, -1, "digital output: request of high pressure; -1: none"),
    IFD_FLAG("keep-direction", "do not set the direction of the digital lines, for cards with fixed ports"),
    IFD_OPTION("stop-input", NONE, -1, 255, -1,
               "analogue input line of the emergency stop, for cards without digital lines; -1: none"),
    IFD_OPTION("stop-above", NONE, -100, 100, 2.5, "V; the emergency stop is released if stop-input is above it"),
    IFD_FLAG("without-stop", "no emergency stop is connected: only for trials without power"),
    IFD_OPTION("watchdog", TIME, 1e-3, 10, 0.1, "time without commands after which the rig stops"),
    IFD_OPTION("silent-for", TIME, 1e-5, 60, 5e-3,
               "time without an answer of the card after which the rig stops; if not given, at least 3 ticks"),
    {0}};

/* A converter card by libcomedi, in volts. All inputs of a tick are one system call, all outputs another. */
enum { CARD_INPUTS = 2 * IFD_RIG_ACTUATORS + IFD_RIG_AUX + 2, CARD_OUTPUTS = IFD_RIG_ACTUATORS };

typedef struct card {
    const char *name;
    comedi_t *device, *lines;         /* lines: NULL unless they are on another card */
    int digital;                      /* subdevice of digital lines; -1: none */
    unsigned read_lines, write_lines; /* bits in use */
    int inputs, outputs;              /* number of analogue lines, and which */
    unsigned input[CARD_INPUTS], output[CARD_OUTPUTS];
    comedi_insn read[CARD_INPUTS + 1], write[CARD_OUTPUTS], lamps; /* lamps: the digital outputs */
    comedi_insnlist reads, writes, switches;
    lsampl_t raw[CARD_INPUTS], set[CARD_OUTPUTS], bits[2], out[2];
    lsampl_t full[CARD_INPUTS], full_out; /* largest codes */
    comedi_polynomial_t from[CARD_INPUTS], to[CARD_OUTPUTS];
    double low, high; /* V, of the outputs */
} card;

/* Straight line through the ends of the range. */
static void nominal(comedi_polynomial_t *p, const comedi_range *r, lsampl_t full, bool to)
{
    double span = r->max - r->min;
    memset(p, 0, sizeof *p);
    p->order = 1;
    p->expansion_origin = to ? r->min : 0.0;
    p->coefficients[0] = to ? 0.0 : r->min;
    p->coefficients[1] = to ? full / span : span / full;
}

/* The subdevice of a kind, and whether it has it at all. */
static int subdevice(comedi_t *device, int given, int kind)
{
    if (given < 0)
        return comedi_find_subdevice_by_type(device, kind, 0);
    return comedi_get_subdevice_type(device, (unsigned)given) == kind ? given : -1;
}

/* The analogue inputs, or the outputs. */
static ifd_status add_analogue(card *c, const ifd_value *v, bool out, const comedi_calibration_t *calibration,
                               ifd_note *note)
{
    static const unsigned references[] = {AREF_DIFF, AREF_GROUND, AREF_COMMON};
    const char *word = out ? "output" : "input";
    int given = (int)v[out ? OUTPUT : INPUT].number, count = out ? c->outputs : c->inputs;
    int found = subdevice(c->device, given, out ? COMEDI_SUBD_AO : COMEDI_SUBD_AI);
    if (found < 0)
        return ifd_note_add(note, IFD_PEER, NULL, "%s has no analogue %ss%s", c->name, word,
                            given < 0 ? "" : " at this subdevice");
    unsigned sub = (unsigned)found;
    int lines = comedi_get_n_channels(c->device, sub);
    double volts = v[out ? RANGE_OUT : RANGE_IN].number;
    for (int k = 0; k < count; k++) {
        unsigned line = out ? c->output[k] : c->input[k];
        comedi_polynomial_t *polynomial = out ? &c->to[k] : &c->from[k];
        if ((int)line >= lines)
            return ifd_note_add(note, IFD_RANGE, NULL, "%s has no %s line %u; expected 0 to %d", c->name, word, line,
                                lines - 1);
        int range = comedi_find_range(c->device, sub, line, UNIT_volt, -volts, volts);
        const comedi_range *ends = range < 0 ? NULL : comedi_get_range(c->device, sub, line, (unsigned)range);
        if (!ends)
            return ifd_note_add(note, IFD_RANGE, NULL, "%s has no %s range that contains +-%g V", c->name, word,
                                volts);
        lsampl_t full = comedi_get_maxdata(c->device, sub, line);
        *(out ? &c->full_out : &c->full[k]) = full;
        if (out) {
            c->low = k == 0 || ends->min > c->low ? ends->min : c->low;
            c->high = k == 0 || ends->max < c->high ? ends->max : c->high;
        }
        *(out ? &c->write[k] : &c->read[k]) = (comedi_insn){
            .insn = out ? INSN_WRITE : INSN_READ,
            .n = 1,
            .data = out ? &c->set[k] : &c->raw[k],
            .subdev = sub,
            .chanspec = CR_PACK(line, (unsigned)range, out ? AREF_GROUND : references[(int)v[REFERENCE].number])};
        if (!calibration ||
            comedi_get_softcal_converter(sub, line, (unsigned)range, out ? COMEDI_FROM_PHYSICAL : COMEDI_TO_PHYSICAL,
                                         calibration, polynomial) < 0)
            nominal(polynomial, ends, full, out);
    }
    *(out ? &c->writes : &c->reads) =
        (comedi_insnlist){.n_insns = (unsigned)count, .insns = out ? c->write : c->read};
    return IFD_OK;
}

/* Lines that may be configured become inputs and outputs: a line that another program left as an output would report
 * its own value as the state of the emergency stop. */
static bool direct(comedi_t *device, const card *c, bool keep)
{
    if (keep || comedi_get_subdevice_type(device, (unsigned)c->digital) != COMEDI_SUBD_DIO)
        return true;
    for (unsigned line = 0; line < 32; line++) {
        if (c->read_lines >> line & 1u && comedi_dio_config(device, (unsigned)c->digital, line, COMEDI_INPUT) < 0)
            return false;
        if (c->write_lines >> line & 1u && comedi_dio_config(device, (unsigned)c->digital, line, COMEDI_OUTPUT) < 0)
            return false;
    }
    return true;
}

static ifd_status add_lines(card *c, const ifd_value *v, ifd_note *note)
{
    bool other = v[DIGITAL_DEVICE].given;
    const char *name = other ? v[DIGITAL_DEVICE].word : c->name;
    if (c->digital < 0)
        return IFD_OK;
    if (other && !(c->lines = comedi_open(name)))
        return ifd_note_add(note, IFD_PEER, NULL, "%s: %s", name, comedi_strerror(comedi_errno()));
    comedi_t *device = c->lines ? c->lines : c->device;
    int kind = comedi_get_subdevice_type(device, (unsigned)c->digital);
    if (kind != COMEDI_SUBD_DIO && kind != COMEDI_SUBD_DI)
        return ifd_note_add(note, IFD_RANGE, NULL, "%s: subdevice %d has no digital lines", name, c->digital);
    int lines = comedi_get_n_channels(device, (unsigned)c->digital);
    if (lines < 32 && (c->read_lines | c->write_lines) >> lines)
        return ifd_note_add(note, IFD_RANGE, NULL, "%s: subdevice %d has %d digital lines; a line above is given",
                            name, c->digital, lines);
    if (!direct(device, c, v[KEEP_DIRECTION].number != 0.0))
        return ifd_note_add(note, IFD_PEER, NULL, "%s: the direction of the digital lines cannot be set: %s", name,
                            comedi_strerror(comedi_errno()));
    if (!c->lines) { /* in the same system call as the inputs */
        c->read[c->inputs] =
            (comedi_insn){.insn = INSN_BITS, .n = 2, .data = c->bits, .subdev = (unsigned)c->digital};
        c->reads.n_insns++;
        c->lamps = (comedi_insn){.insn = INSN_BITS, .n = 2, .data = c->out, .subdev = (unsigned)c->digital};
        c->switches = (comedi_insnlist){.n_insns = 1, .insns = &c->lamps};
    }
    return IFD_OK;
}

/* A transfer over USB takes about a millisecond. */
static bool slow(const char *driver)
{
    static const char *const known[] = {"usbdux", "usb", "ni_usb", "ni6501", "vmk80xx", "dt9812"};
    for (size_t i = 0; driver && i < sizeof known / sizeof *known; i++)
        if (strncmp(driver, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* Refuses what the card does not have, with what it has instead. */
static ifd_status card_open(card *c, const ifd_value *v, double tick, ifd_note *note)
{
    const double least_usb = 5e-3;
    const char *file = v[CALIBRATION].given ? v[CALIBRATION].word : NULL;
    comedi_loglevel(0);
    c->name = v[DEVICE].given ? v[DEVICE].word : "/dev/comedi0";
    c->device = comedi_open(c->name);
    if (!c->device)
        return ifd_note_add(note, IFD_PEER, NULL, "%s: %s; the user needs the right to read and write it", c->name,
                            comedi_strerror(comedi_errno()));
    const char *driver = comedi_get_driver_name(c->device);
    if (slow(driver) && tick < least_usb)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "%s is a USB card (driver %s), which takes about 1 ms for each transfer; "
                            "the tick is %g ms, expected 5 ms or more",
                            c->name, driver, 1e3 * tick);
    comedi_calibration_t *calibration = file ? comedi_parse_calibration_file(file) : NULL;
    if (file && !calibration)
        return ifd_note_add(note, IFD_FILE, NULL, "the calibration file %s cannot be read", file);
    ifd_status status = add_analogue(c, v, false, calibration, note);
    if (status == IFD_OK)
        status = add_analogue(c, v, true, calibration, note);
    if (calibration)
        comedi_cleanup_calibration(calibration);
    return status == IFD_OK ? add_lines(c, v, note) : status;
}

static void card_close(card *c)
{
    if (c->lines)
        comedi_close(c->lines);
    if (c->device)
        comedi_close(c->device);
}

static double evaluate(const comedi_polynomial_t *p, double x)
{
    double sum = 0.0, z = x - p->expansion_origin;
    for (unsigned k = p->order + 1; k-- > 0;)
        sum = sum * z + p->coefficients[k];
    return sum;
}

/* Volts of the inputs; NAN for a converter at either end of its range. lines: digital inputs. False: the card does
 * not answer. */
IFD_RT static bool card_read(card *c, double *volts, unsigned *lines)
{
    c->bits[0] = c->bits[1] = 0;
    if (comedi_do_insnlist(c->device, &c->reads) < (int)c->reads.n_insns)
        return false;
    if (c->lines && comedi_dio_bitfield2(c->lines, (unsigned)c->digital, c->bits[0], &c->bits[1], 0) < 0)
        return false;
    for (int k = 0; k < c->inputs; k++) {
        bool saturated = c->raw[k] == 0 || c->raw[k] >= c->full[k];
        volts[k] = saturated ? (double)NAN : evaluate(&c->from[k], c->raw[k]);
    }
    *lines = c->digital >= 0 ? c->bits[1] : 0;
    return true;
}

IFD_RT static bool card_holds(const card *c, double volts)
{
    return volts >= c->low && volts <= c->high;
}

/* False: the card does not answer, or a value is outside its range; nothing is written then. */
IFD_RT static bool card_write(card *c, const double *volts)
{
    for (int k = 0; k < c->outputs; k++) {
        if (!card_holds(c, volts[k]))
            return false;
        double code = floor(evaluate(&c->to[k], volts[k]) + 0.5);
        c->set[k] = (lsampl_t)fmin(fmax(code, 0.0), c->full_out); /* the calibration may shift the ends by a code */
    }
    return comedi_do_insnlist(c->device, &c->writes) >= (int)c->writes.n_insns;
}

typedef struct comedi_rig {
    card card;
    int axes, aux;
    unsigned stop, pressure;                       /* bits of the lines; 0: none */
    unsigned inverted;                             /* lines that are low while current flows */
    unsigned start;                                /* bit of the start button; 0: none */
    unsigned lamp[6];                              /* bits of the outputs, in the order of IFD_OUTPUT_... */
    bool reads;                                    /* nothing may be written */
    int stop_at;                                   /* place of stop-input among the inputs; -1: none */
    double stop_above, tick, watchdog, silent_for; /* silent_for: ticks */
    double set[IFD_RIG_ACTUATORS], velocity[IFD_RIG_ACTUATORS]; /* V, V/s */
    bool moved;                                                 /* a position was commanded */
    bool commanded;                                             /* since the last sense */
    bool stopped;
    double quiet; /* s without commands */
    int failures; /* of the card, in a row */
    uint64_t heard;
    _Atomic(const char *) reason;
    const char *saturated[CARD_INPUTS];
} comedi_rig;

static unsigned line_of(const ifd_value *v, int k, int preset)
{
    return (unsigned)(v->given && k < v->cols ? v->data[k] : preset);
}

static unsigned bit(double line)
{
    return line < 0.0 ? 0u : 1u << (unsigned)line;
}

/* An input with a pull-up floats high: only a stated level makes an open wire read "pressed". */
static ifd_status check_levels(const ifd_value *v, ifd_note *note)
{
    static const int lines[][2] = {{STOP_LINE, STOP_LEVEL}, {PRESSURE_LINE, PRESSURE_LEVEL}};
    for (int i = 0; i < 2 && v[DIGITAL].number >= 0.0; i++)
        if (v[lines[i][0]].number >= 0.0 && !v[lines[i][1]].given)
            return ifd_note_add(
                note, IFD_MISSING_KEY, NULL,
                "'%s' is missing: the level of '%s' while current flows (released, on), high or low; an "
                "open wire must read the other one",
                params[lines[i][1]].name, params[lines[i][0]].name);
    return IFD_OK;
}

static ifd_status check_lists(const ifd_rig *rig, const ifd_value *v, ifd_note *note)
{
    static const int lists[] = {POSITION, FORCE, COMMAND};
    for (int i = 0; i < 3; i++)
        if (v[lists[i]].given && v[lists[i]].cols != rig->actuators)
            return ifd_note_add(note, IFD_SHAPE, NULL, "'%s' has %d lines; expected %d, one for each actuator",
                                params[lists[i]].name, v[lists[i]].cols, rig->actuators);
    if (v[AUX].given && v[AUX].cols > IFD_RIG_AUX)
        return ifd_note_add(note, IFD_SHAPE, NULL, "'aux' has %d lines; at most %d are possible", v[AUX].cols,
                            IFD_RIG_AUX);
    bool lines = v[DIGITAL].number >= 0.0 && v[STOP_LINE].number >= 0.0, input = v[STOP_INPUT].number >= 0.0;
    if (!lines && !input && v[WITHOUT_STOP].number == 0.0)
        return ifd_note_add(
            note, IFD_MISSING_KEY, NULL,
            "the emergency stop is not connected; expected 'digital' with 'stop-line', or 'stop-input' "
            "(or 'without-stop: yes' for a trial without power)");
    for (int i = START_LINE; i <= HIGH_LINE; i++)
        if (v[i].number >= 0.0 && v[DIGITAL].number < 0.0)
            return ifd_note_add(note, IFD_CONFLICT, NULL, "'%s' needs 'digital', the subdevice of its line",
                                params[i].name);
    return check_levels(v, note);
}

static void choose_lines(const ifd_value *v, comedi_rig *r)
{
    card *c = &r->card;
    c->digital = (int)v[DIGITAL].number;
    for (int k = 0; k < r->axes; k++) {
        c->input[c->inputs++] = line_of(&v[POSITION], k, 2 * k);
        c->input[c->inputs++] = line_of(&v[FORCE], k, 2 * k + 1);
        c->output[c->outputs++] = line_of(&v[COMMAND], k, k);
    }
    for (int k = 0; k < r->aux; k++)
        c->input[c->inputs++] = line_of(&v[AUX], k, 0);
    r->stop_at = v[STOP_INPUT].number >= 0.0 ? c->inputs : -1;
    if (r->stop_at >= 0)
        c->input[c->inputs++] = (unsigned)v[STOP_INPUT].number;
    if (c->digital >= 0) {
        static const int lamps[] = {TRIGGER_LINE, RUNNING_LINE, ENABLE_LINE, LOW_LINE, HIGH_LINE, HEARTBEAT_LINE};
        r->start = bit(v[START_LINE].number);
        r->stop = bit(v[STOP_LINE].number);
        r->pressure = bit(v[PRESSURE_LINE].number);
        r->inverted =
            (v[STOP_LEVEL].number > 0.0 ? r->stop : 0u) | (v[PRESSURE_LEVEL].number > 0.0 ? r->pressure : 0u);
        c->read_lines = r->stop | r->pressure | r->start;
        for (int k = 0; k < 6; k++) {
            r->lamp[k] = bit(v[lamps[k]].number);
            c->write_lines |= r->reads ? 0u : r->lamp[k];
        }
    }
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *v, ifd_arena *arena, ifd_note *note)
{
    comedi_rig *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    IFD_TRY(check_lists(rig, v, note));
    r->reads = rig->purpose == IFD_PURPOSE_READ;
    r->axes = rig->actuators;
    r->aux = v[AUX].given ? v[AUX].cols : 0;
    r->tick = rig->tick;
    r->watchdog = v[WATCHDOG].number;
    r->silent_for = ifd_rig_ticks(v[SILENT_FOR].number, rig->tick, v[SILENT_FOR].given ? 1 : 3);
    r->stop_above = v[STOP_ABOVE].number;
    choose_lines(v, r);
    for (int k = 0; k < 6; k++)
        rig->outputs |= r->lamp[k] ? 1u << k & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH) : 0u;
    for (int k = 0; k < r->card.inputs; k++) {
        r->saturated[k] =
            ifd_arena_print(arena, "input line %u of the card was at the end of its range", r->card.input[k]);
        if (!r->saturated[k])
            return IFD_NO_MEMORY;
    }
    ifd_status status = card_open(&r->card, v, rig->tick, note);
    if (status != IFD_OK)
        card_close(&r->card);
    else
        rig->data = r;
    return status;
}

static void stop(comedi_rig *r, const char *reason)
{
    if (!r->stopped)
        r->reason = reason;
    r->stopped = true;
}

/* The digital outputs of a command, in its tick. A rig that has stopped requests nothing, and its heartbeat ends. */
static bool light(comedi_rig *r, uint32_t outputs)
{
    unsigned lines = 0;
    for (int k = 0; k < 6; k++)
        lines |= !r->stopped && outputs >> k & 1u ? r->lamp[k] : 0u;
    card *c = &r->card;
    c->out[0] = c->write_lines;
    c->out[1] = lines & c->write_lines;
    if (!c->write_lines)
        return true;
    if (c->lines)
        return comedi_dio_bitfield2(c->lines, (unsigned)c->digital, c->out[0], &c->out[1], 0) >= 0;
    return comedi_do_insnlist(c->device, &c->switches) >= 1;
}

/* The outputs take the measured positions: nothing moves when the controller is switched to them. */
static void follow(comedi_rig *r, const double *volts)
{
    if (r->reads)
        return;
    for (int k = 0; k < r->axes; k++)
        if (!card_holds(&r->card, volts[2 * k])) /* also NAN */
            return;
    for (int k = 0; k < r->axes; k++) {
        r->set[k] = volts[2 * k];
        r->velocity[k] = 0.0;
    }
    (void)card_write(&r->card, r->set);
}

static int warm(ifd_rig *rig, ifd_note *note)
{
    comedi_rig *r = rig->data;
    double volts[CARD_INPUTS];
    unsigned lines;
    if (!card_read(&r->card, volts, &lines)) {
        (void)ifd_note_add(note, IFD_PEER, NULL, "the card does not answer: %s", comedi_strerror(comedi_errno()));
        return -1;
    }
    for (int k = 0; k < 2 * r->axes; k++)
        if (!isfinite(volts[k])) {
            (void)ifd_note_add(note, IFD_RANGE, NULL, "%s: is the sensor connected?", r->saturated[k]);
            return -1;
        }
    follow(r, volts);
    return 1;
}

/* Without commands the outputs brake with the limit of the acceleration, where it is known, otherwise within some
 * 20 ms; after the watchdog the rig has stopped. */
static double slower(double velocity, double acceleration, double tick)
{
    const double decay = 0.02; /* s */
    if (!(acceleration > 0.0))
        return velocity * exp(-tick / decay);
    return copysign(fmax(fabs(velocity) - acceleration * tick, 0.0), velocity);
}

static void come_to_rest(comedi_rig *r, const double *acceleration)
{
    r->quiet += r->tick;
    if (r->quiet > r->watchdog)
        stop(r, "no commands arrived for the time of the watchdog");
    if (r->stopped)
        (void)light(r, 0);
    double next[IFD_RIG_ACTUATORS];
    bool inside = true;
    for (int k = 0; k < r->axes; k++) {
        r->velocity[k] = slower(r->velocity[k], acceleration[k], r->tick);
        next[k] = r->set[k] + r->velocity[k] * r->tick;
        inside = inside && card_holds(&r->card, next[k]);
    }
    for (int k = 0; k < r->axes && inside; k++)
        r->set[k] = next[k];
    (void)card_write(&r->card, r->set);
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    comedi_rig *r = rig->data;
    double volts[CARD_INPUTS];
    unsigned lines;
    struct timespec now;
    (void)x;
    if (r->moved && !r->commanded)
        come_to_rest(r, rig->acceleration);
    r->commanded = false;
    if (!card_read(&r->card, volts, &lines)) {
        if (++r->failures >= r->silent_for)
            stop(r, "the card does not answer");
        out->inputs |= r->stopped ? IFD_INPUT_RIG_STOPPED : 0u;
        return false;
    }
    r->failures = 0;
    unsigned flows = lines ^ r->inverted; /* 1: current flows */
    bool released = !(~flows & r->stop) && (r->stop_at < 0 || volts[r->stop_at] > r->stop_above), /* false for NAN */
        pressure = !(~flows & r->pressure);
    clock_gettime(CLOCK_MONOTONIC, &now);
    *out =
        (ifd_measure){.tick = r->heard,
                      .time = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec,
                      .inputs = (released ? IFD_INPUT_NO_STOP : 0u) | (pressure ? IFD_INPUT_HYDRAULICS : 0u) |
                                (r->stopped ? IFD_INPUT_RIG_STOPPED : 0u) | (lines & r->start ? IFD_INPUT_START : 0u),
                      .actuators = (uint32_t)r->axes,
                      .aux = (uint32_t)r->aux,
                      .clock = IFD_CLOCK_MONOTONIC,
                      .taken = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec};
    for (int k = 0; k < r->axes; k++) {
        out->position[k] = volts[2 * k];
        out->force[k] = volts[2 * k + 1];
    }
    for (int k = 0; k < r->aux; k++)
        out->auxiliary[k] = volts[2 * r->axes + k];
    for (int k = 0; k < 2 * r->axes + r->aux && !r->reason; k++)
        r->reason = isnan(volts[k]) ? r->saturated[k] : NULL;
    if (!(out->inputs & IFD_INPUT_HYDRAULICS))
        follow(r, volts);
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    comedi_rig *r = rig->data;
    (void)x;
    r->commanded = true;
    r->quiet = 0.0;
    r->heard = c->tick;
    if (r->reads)
        return;
    if (r->stopped) {
        (void)light(r, 0);
        return;
    }
    for (int k = 0; k < r->axes && c->commanded; k++)
        if (!card_holds(&r->card, c->position[k])) {
            stop(r, "a command is outside the output range of the card");
            (void)light(r, 0);
            return;
        }
    for (int k = 0; k < r->axes; k++) {
        double next = c->commanded ? c->position[k] : r->set[k];
        r->velocity[k] = r->moved ? (next - r->set[k]) / r->tick : 0.0;
        r->set[k] = next;
    }
    r->moved = r->moved || c->commanded;
    if (!light(r, c->outputs) || (c->commanded && !card_write(&r->card, r->set)))
        stop(r, "the card does not accept outputs");
}

static void close_rig(ifd_rig *rig)
{
    comedi_rig *r = rig->data;
    if (!r)
        return;
    r->stopped = true;
    (void)light(r, 0);
    card_close(&r->card); /* the outputs keep their voltage; requests and the heartbeat end */
}

static const char *why(const ifd_rig *rig)
{
    const comedi_rig *r = rig->data;
    return r ? r->reason : NULL;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "comedi",
    .summary = "analogue and digital lines of a converter card, in volts (libcomedi)",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .close = close_rig,
    .warm = warm,
    .why = why,
};
