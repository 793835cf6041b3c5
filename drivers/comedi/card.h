/* SPDX-License-Identifier: MIT */
/* A converter card by libcomedi, in volts. All inputs of a tick are one system call, all outputs another. */
#pragma once

#include <comedilib.h>

#include <interfield/exchange.h>

enum { CARD_INPUTS = 2 * IFD_RIG_CHANNELS + IFD_RIG_AUX + 2, CARD_OUTPUTS = IFD_RIG_CHANNELS };

typedef struct card_options {
    const char *device, *calibration;      /* calibration NULL: nominal ranges */
    int input_subdevice, output_subdevice; /* -1: the first of its kind */
    int inputs, outputs;                   /* number of lines, and which */
    unsigned input[CARD_INPUTS], output[CARD_OUTPUTS];
    double range_in, range_out;       /* V */
    unsigned reference;               /* AREF_... of the inputs */
    const char *digital_device;       /* NULL: the same card */
    int digital;                      /* subdevice of digital lines; -1: none */
    unsigned read_lines, write_lines; /* bits in use */
    bool keep_direction;              /* do not configure the digital lines */
    double tick;                      /* s */
} card_options;

typedef struct card {
    comedi_t *device, *lines; /* lines: NULL unless they are on another card */
    int digital;
    unsigned write_lines;
    int inputs, outputs;
    comedi_insn read[CARD_INPUTS + 1], write[CARD_OUTPUTS], lamps; /* lamps: the digital outputs */
    comedi_insnlist reads, writes, switches;
    lsampl_t raw[CARD_INPUTS], set[CARD_OUTPUTS], bits[2], out[2];
    lsampl_t full[CARD_INPUTS], full_out; /* largest codes */
    comedi_polynomial_t from[CARD_INPUTS], to[CARD_OUTPUTS];
    double low, high; /* V, of the outputs */
} card;

/* Refuses what the card does not have, with what it has instead. */
ifd_status card_open(card *c, const card_options *o, ifd_note *note);
void card_close(card *c);
/* Volts of the inputs; NAN for a converter at either end of its range. lines: digital inputs. False: the card does
 * not answer. */
IFD_RT bool card_read(card *c, double *volts, unsigned *lines);
/* Sets all lines of write_lines at once, before it returns. False: the card does not answer. */
IFD_RT bool card_switch(card *c, unsigned lines);
/* False: the card does not answer, or a value is outside its range; nothing is written then. */
IFD_RT bool card_write(card *c, const double *volts);
IFD_RT bool card_holds(const card *c, double volts);
