/* SPDX-License-Identifier: MIT */
/* A substitute for libcomedi with the functions that the driver uses: a card with 16 bits, a controller that moves
 * half of the way to its set point in each tick, and a spring. Without pressure the piston sinks. test_comedi.sh
 * compiles it as libcomedi.so.0.
 *
 * IFD_COMEDI_SCENE contains words: driver=NAME, start=VOLTS, inverted (contacts to ground), and events with the
 * number of read lists after the first motion of an output at which they begin (0: at once):
 * saturate@N (force), low@N (position at the lower end), stop@N, pressure@N, stuck@N (reads fail), brief@N
 * (three reads fail), mute@N (writes fail). IFD_COMEDI_LOG is a file that receives one line: counts, first output and
 * the read list after which it was written, last output, largest step, final distance of output and position. */
#include <comedilib.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FULL = 65535, LINES = 8, STOP = 1, PRESSURE = 2, BEAT = 4, TRIGGER = 8, ENABLE = 16, START = 32 };

struct comedi_t_struct {
    long reads, writes, beats, first_at, switches, edge; /* edge: read lists before the trigger */
    long moving;              /* reads since the output changed first: an operator starts a test whenever he likes */
    unsigned beat, ever;      /* digital outputs, and all that were ever set */
    unsigned inputs, outputs; /* directions of the digital lines */
    double position, set, first, jump;
};

static struct comedi_t_struct the;
static comedi_range ranges[] = {{.min = -5, .max = 5, .unit = UNIT_volt}, {.min = -10, .max = 10, .unit = UNIT_volt}};

static const char *scene(const char *word)
{
    const char *all = getenv("IFD_COMEDI_SCENE");
    const char *found = all ? strstr(all, word) : NULL;
    return found ? found + strlen(word) : NULL;
}

/* Whether an event has begun. */
static int now(const char *event)
{
    const char *at = scene(event);
    return at && (atol(at) == 0 || the.moving >= atol(at));
}

comedi_t *comedi_open(const char *name)
{
    const char *start = scene("start=");
    if (strcmp(name, "/dev/comedi9") == 0)
        return NULL;
    the.position = the.set = start ? atof(start) : 0.0;
    return &the;
}

/* The log counts what was done; nobody writes outputs when a card is closed. */
int comedi_close(comedi_t *c)
{
    const char *path = getenv("IFD_COMEDI_LOG");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file,
                "reads=%ld writes=%ld beats=%ld first=%.3f last=%.3f jump=%.3f off=%.3f at=%ld inputs=%u outputs=%u "
                "edge=%ld ever=%u left=%u switches=%ld\n",
                c->reads, c->writes, c->beats, c->first, c->set, c->jump, fabs(c->set - c->position), c->first_at,
                c->inputs, c->outputs, c->edge, c->ever, c->beat, c->switches);
        fclose(file);
    }
    return 0;
}

int comedi_loglevel(int level)
{
    return level;
}

int comedi_errno(void)
{
    return 5;
}

const char *comedi_strerror(int error)
{
    return error == 5 ? "Input/output error" : "unknown";
}

const char *comedi_get_driver_name(comedi_t *c)
{
    static char name[40];
    const char *given = scene("driver=");
    (void)c;
    snprintf(name, sizeof name, "%.*s", given ? (int)strcspn(given, " ") : 7, given ? given : "standin");
    return name;
}

int comedi_get_subdevice_type(comedi_t *c, unsigned sub)
{
    static const int kinds[] = {COMEDI_SUBD_AI, COMEDI_SUBD_AO, COMEDI_SUBD_DIO};
    (void)c;
    return sub < 3 ? kinds[sub] : -1;
}

int comedi_find_subdevice_by_type(comedi_t *c, int type, unsigned from)
{
    for (unsigned k = from; k < 3; k++)
        if (comedi_get_subdevice_type(c, k) == type)
            return (int)k;
    return -1;
}

int comedi_get_n_channels(comedi_t *c, unsigned sub)
{
    (void)c;
    return sub == 1 ? 2 : LINES;
}

/* The narrowest range that contains both ends, as the library does. */
int comedi_find_range(comedi_t *c, unsigned sub, unsigned line, unsigned unit, double low, double high)
{
    (void)c;
    (void)sub;
    (void)line;
    (void)unit;
    for (int k = 0; k < 2; k++)
        if (ranges[k].min <= low && ranges[k].max >= high)
            return k;
    return -1;
}

comedi_range *comedi_get_range(comedi_t *c, unsigned sub, unsigned line, unsigned range)
{
    (void)c;
    (void)sub;
    (void)line;
    return range < 2 ? &ranges[range] : NULL;
}

lsampl_t comedi_get_maxdata(comedi_t *c, unsigned sub, unsigned line)
{
    (void)c;
    (void)line;
    return sub == 2 ? 1 : FULL;
}

int comedi_dio_config(comedi_t *c, unsigned sub, unsigned line, unsigned direction)
{
    *(direction == COMEDI_INPUT ? &c->inputs : &c->outputs) |= 1u << line;
    return sub == 2 ? 0 : -1;
}

comedi_calibration_t *comedi_parse_calibration_file(const char *path)
{
    (void)path;
    return NULL;
}

void comedi_cleanup_calibration(comedi_calibration_t *c)
{
    (void)c;
}

int comedi_get_softcal_converter(unsigned sub, unsigned line, unsigned range, enum comedi_conversion_direction way,
                                 const comedi_calibration_t *from, comedi_polynomial_t *to)
{
    (void)sub;
    (void)line;
    (void)range;
    (void)way;
    (void)from;
    (void)to;
    return -1;
}

/* A converter returns its last code beyond the end of its range. */
static lsampl_t code_of(double volts, const comedi_range *r)
{
    double code = (volts - r->min) / (r->max - r->min) * FULL;
    return (lsampl_t)fmin(fmax(floor(code + 0.5), 0.0), FULL);
}

static void read_line(comedi_t *c, const comedi_insn *i)
{
    const comedi_range *r = &ranges[CR_RANGE(i->chanspec)];
    double volts[LINES] = {c->position, 0.25 * c->position, 1.5, now("stop@") ? 0.0 : 5.0};
    if (now("saturate@"))
        volts[1] = 99.0;
    if (now("low@"))
        volts[0] = -99.0;
    *i->data = code_of(volts[CR_CHAN(i->chanspec)], r);
}

static void bits(comedi_t *c, const comedi_insn *i)
{
    unsigned mask = i->data[0] & c->outputs, lines = i->data[1] & mask, stop = STOP, pressure = PRESSURE;
    if (scene("inverted")) /* a closed contact pulls the line low */
        stop = pressure = 0;
    c->beats += mask && ((lines ^ c->beat) & BEAT);
    c->switches += mask != 0;
    if (lines & ~c->beat & TRIGGER)
        c->edge = c->reads;
    c->beat = mask ? lines : c->beat;
    c->ever |= c->beat;
    i->data[1] = (now("stop@") ? stop ^ STOP : stop) | (now("pressure@") ? pressure ^ PRESSURE : pressure) |
                 (now("start@") ? START : 0u) | c->beat;
}

static void write_line(comedi_t *c, const comedi_insn *i)
{
    const comedi_range *r = &ranges[CR_RANGE(i->chanspec)];
    double volts = r->min + (r->max - r->min) * *i->data / FULL;
    c->jump = c->writes ? fmax(c->jump, fabs(volts - c->set)) : 0.0;
    if (c->writes++ == 0) {
        c->first = volts;
        c->first_at = c->reads;
    }
    c->set = volts;
}

int comedi_do_insnlist(comedi_t *c, comedi_insnlist *list)
{
    if (list->insns[0].insn == INSN_BITS) { /* digital outputs alone */
        bits(c, &list->insns[0]);
        return 1;
    }
    if (list->insns[0].insn == INSN_WRITE) {
        if (now("mute@"))
            return -1;
        write_line(c, &list->insns[0]);
        return (int)list->n_insns;
    }
    c->reads++;
    c->moving += c->jump > 0.0;
    if (now("stuck@") || (now("brief@") && c->moving < atol(scene("brief@")) + 3))
        return -1;
    c->position += now("pressure@") ? -0.005 : 0.5 * (c->set - c->position);
    for (unsigned k = 0; k < list->n_insns; k++) {
        if (list->insns[k].insn == INSN_READ)
            read_line(c, &list->insns[k]);
        else
            bits(c, &list->insns[k]);
    }
    return (int)list->n_insns;
}

int comedi_dio_bitfield2(comedi_t *c, unsigned sub, unsigned mask, unsigned *lines, unsigned base)
{
    comedi_insn i = {.data = (lsampl_t[]){mask, *lines}};
    (void)sub;
    (void)base;
    bits(c, &i);
    *lines = i.data[1];
    return 0;
}
