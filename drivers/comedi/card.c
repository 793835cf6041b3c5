/* SPDX-License-Identifier: MIT */
/* Reads and writes a converter card by libcomedi. */
#include "card.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
static ifd_status add_analogue(card *c, const card_options *o, bool out, const comedi_calibration_t *calibration,
                               ifd_note *note)
{
    const char *word = out ? "output" : "input";
    int given = out ? o->output_subdevice : o->input_subdevice, count = out ? o->outputs : o->inputs;
    int found = subdevice(c->device, given, out ? COMEDI_SUBD_AO : COMEDI_SUBD_AI);
    if (found < 0)
        return ifd_note_add(note, IFD_PEER, NULL, "%s has no analogue %ss%s", o->device, word,
                            given < 0 ? "" : " at this subdevice");
    unsigned sub = (unsigned)found;
    int lines = comedi_get_n_channels(c->device, sub);
    double volts = out ? o->range_out : o->range_in;
    for (int k = 0; k < count; k++) {
        unsigned line = out ? o->output[k] : o->input[k];
        comedi_polynomial_t *polynomial = out ? &c->to[k] : &c->from[k];
        if ((int)line >= lines)
            return ifd_note_add(note, IFD_RANGE, NULL, "%s has no %s line %u; expected 0 to %d", o->device, word,
                                line, lines - 1);
        int range = comedi_find_range(c->device, sub, line, UNIT_volt, -volts, volts);
        const comedi_range *ends = range < 0 ? NULL : comedi_get_range(c->device, sub, line, (unsigned)range);
        if (!ends)
            return ifd_note_add(note, IFD_RANGE, NULL, "%s has no %s range that contains +-%g V", o->device, word,
                                volts);
        lsampl_t full = comedi_get_maxdata(c->device, sub, line);
        *(out ? &c->full_out : &c->full[k]) = full;
        if (out) {
            c->low = k == 0 || ends->min > c->low ? ends->min : c->low;
            c->high = k == 0 || ends->max < c->high ? ends->max : c->high;
        }
        *(out ? &c->write[k] : &c->read[k]) =
            (comedi_insn){.insn = out ? INSN_WRITE : INSN_READ,
                          .n = 1,
                          .data = out ? &c->set[k] : &c->raw[k],
                          .subdev = sub,
                          .chanspec = CR_PACK(line, (unsigned)range, out ? AREF_GROUND : o->reference)};
        if (!calibration ||
            comedi_get_softcal_converter(sub, line, (unsigned)range, out ? COMEDI_FROM_PHYSICAL : COMEDI_TO_PHYSICAL,
                                         calibration, polynomial) < 0)
            nominal(polynomial, ends, full, out);
    }
    *(out ? &c->outputs : &c->inputs) = count;
    *(out ? &c->writes : &c->reads) =
        (comedi_insnlist){.n_insns = (unsigned)count, .insns = out ? c->write : c->read};
    return IFD_OK;
}

/* Lines that may be configured become inputs and outputs: a line that another program left as an output would report
 * its own value as the state of the emergency stop. */
static bool direct(comedi_t *device, const card_options *o)
{
    if (o->keep_direction || comedi_get_subdevice_type(device, (unsigned)o->digital) != COMEDI_SUBD_DIO)
        return true;
    for (unsigned line = 0; line < 32; line++) {
        if (o->read_lines >> line & 1u && comedi_dio_config(device, (unsigned)o->digital, line, COMEDI_INPUT) < 0)
            return false;
        if (o->write_lines >> line & 1u && comedi_dio_config(device, (unsigned)o->digital, line, COMEDI_OUTPUT) < 0)
            return false;
    }
    return true;
}

static ifd_status add_lines(card *c, const card_options *o, ifd_note *note)
{
    const char *name = o->digital_device ? o->digital_device : o->device;
    c->digital = o->digital;
    c->write_lines = o->write_lines;
    if (o->digital < 0)
        return IFD_OK;
    if (o->digital_device && !(c->lines = comedi_open(o->digital_device)))
        return ifd_note_add(note, IFD_PEER, NULL, "%s: %s", name, comedi_strerror(comedi_errno()));
    comedi_t *device = c->lines ? c->lines : c->device;
    int kind = comedi_get_subdevice_type(device, (unsigned)o->digital);
    if (kind != COMEDI_SUBD_DIO && kind != COMEDI_SUBD_DI)
        return ifd_note_add(note, IFD_RANGE, NULL, "%s: subdevice %d has no digital lines", name, o->digital);
    int lines = comedi_get_n_channels(device, (unsigned)o->digital);
    if (lines < 32 && (o->read_lines | o->write_lines) >> lines)
        return ifd_note_add(note, IFD_RANGE, NULL, "%s: subdevice %d has %d digital lines; a line above is given",
                            name, o->digital, lines);
    if (!direct(device, o))
        return ifd_note_add(note, IFD_PEER, NULL, "%s: the direction of the digital lines cannot be set: %s", name,
                            comedi_strerror(comedi_errno()));
    if (!c->lines) { /* in the same system call as the inputs */
        c->read[c->inputs] =
            (comedi_insn){.insn = INSN_BITS, .n = 2, .data = c->bits, .subdev = (unsigned)o->digital};
        c->reads.n_insns++;
        c->lamps = (comedi_insn){.insn = INSN_BITS, .n = 2, .data = c->out, .subdev = (unsigned)o->digital};
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

ifd_status card_open(card *c, const card_options *o, ifd_note *note)
{
    const double least_usb = 5e-3;
    comedi_loglevel(0);
    c->device = comedi_open(o->device);
    if (!c->device)
        return ifd_note_add(note, IFD_PEER, NULL, "%s: %s; the user needs the right to read and write it", o->device,
                            comedi_strerror(comedi_errno()));
    const char *driver = comedi_get_driver_name(c->device);
    if (slow(driver) && o->tick < least_usb)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "%s is a USB card (driver %s), which takes about 1 ms for each transfer; "
                            "the tick is %g ms, expected 5 ms or more",
                            o->device, driver, 1e3 * o->tick);
    comedi_calibration_t *calibration = o->calibration ? comedi_parse_calibration_file(o->calibration) : NULL;
    if (o->calibration && !calibration)
        return ifd_note_add(note, IFD_FILE, NULL, "the calibration file %s cannot be read", o->calibration);
    ifd_status status = add_analogue(c, o, false, calibration, note);
    if (status == IFD_OK)
        status = add_analogue(c, o, true, calibration, note);
    if (calibration)
        comedi_cleanup_calibration(calibration);
    return status == IFD_OK ? add_lines(c, o, note) : status;
}

void card_close(card *c)
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

bool card_switch(card *c, unsigned lines)
{
    c->out[0] = c->write_lines;
    c->out[1] = lines & c->write_lines;
    if (!c->write_lines)
        return true;
    if (c->lines)
        return comedi_dio_bitfield2(c->lines, (unsigned)c->digital, c->out[0], &c->out[1], 0) >= 0;
    return comedi_do_insnlist(c->device, &c->switches) >= 1;
}

bool card_read(card *c, double *volts, unsigned *lines)
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

bool card_holds(const card *c, double volts)
{
    return volts >= c->low && volts <= c->high;
}

bool card_write(card *c, const double *volts)
{
    for (int k = 0; k < c->outputs; k++) {
        if (!card_holds(c, volts[k]))
            return false;
        double code = floor(evaluate(&c->to[k], volts[k]) + 0.5);
        c->set[k] = (lsampl_t)fmin(fmax(code, 0.0), c->full_out); /* the calibration may shift the ends by a code */
    }
    return comedi_do_insnlist(c->device, &c->writes) >= (int)c->writes.n_insns;
}
