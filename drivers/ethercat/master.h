/* SPDX-License-Identifier: MIT */
/* A small master for a line of EtherCAT devices: one raw socket, one frame per cycle.
 *
 *     ec_open         finds the devices, compares them with the expected line, configures them and brings them to
 *                     SAFE-OP with their process data mapped; waits; m->error contains the reason of a failure
 *     ec_sync         the phase of SYNC0; waits
 *     ec_send         one frame: outputs and inputs (LRW), clock of the reference device, states of all devices
 *     ec_receive      takes the answers that have arrived; never waits
 *     ec_close        state INIT; closes the socket
 *     ec_sdo_read     an object of a device, through its mailbox; waits
 *     ec_sdo_write    the same for writing
 *     ec_find         the place of an object in the process image
 *     ec_get, ec_put  its value there
 *
 * These ten functions are the border between the rig and the bus: another master can be put behind them. ec_send
 * and ec_receive take no memory, no lock and no thread. Every frame begins with a datagram without operation that
 * contains the number of the frame; only the answer to the last frame sent is taken. Objects are found by index,
 * never by a fixed offset. Registers and object indices are those of the ETG specifications. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <interfield/status.h>

enum {
    EC_DEVICES = 32, /* in a line */
    EC_ENTRIES = 64, /* objects in the process data of a device */
    EC_IMAGE = 1024, /* bytes of process data of all devices */
    EC_STARTUP = 48, /* SDOs of a device */
    EC_PDOS = 8,     /* of one direction of a device */
    EC_SYNC_MANAGERS = 8,
    EC_FRAME = 1514
};
enum { EC_INIT = 1, EC_PREOP = 2, EC_SAFEOP = 4, EC_OP = 8, EC_ERROR = 16 };

typedef struct ec_sdo {
    uint16_t index;
    uint8_t sub, bytes;
    uint32_t value;
    const char *absent; /* a device without the object: "" accepted, NULL refused, else refused with this key */
} ec_sdo;

/* PDOs of one direction that the master assigns, in order; count 0: as the device has them. */
typedef struct ec_pdo {
    uint16_t index;
    int entries;                /* 0: as the device has them */
    uint32_t entry[EC_ENTRIES]; /* index << 16 | sub-index << 8 | bits */
} ec_pdo;

typedef struct ec_expected { /* a device as the bus file describes it */
    const char *name;
    uint32_t vendor, product, revision; /* the smallest revision */
    int startups, pdos[2];              /* pdos: outputs, inputs */
    ec_sdo startup[EC_STARTUP];
    ec_pdo pdo[2][EC_PDOS];
} ec_expected;

typedef struct ec_line {
    const char *interface;
    int socket;      /* of a transport that is already open; -1: a raw socket on the interface */
    double watchdog; /* s, of the outputs of every device */
    double cycle;    /* s, of SYNC0; 0: without distributed clocks */
    double settle;   /* s, for the clocks to agree */
    double shift;    /* s, of SYNC0 after whole periods */
    bool steer;      /* the reference clock follows the clock of this machine */
    int devices;
    ec_expected *device; /* kept by the caller */
} ec_line;

typedef struct ec_entry { /* one object in the process image */
    uint16_t index;
    uint8_t sub, bits;
    bool input;
    int bit; /* from the beginning of the image */
} ec_entry;

typedef struct ec_device {
    uint32_t vendor, product, revision;
    uint16_t address, mailbox_out, mailbox_out_size, mailbox_in, mailbox_in_size, protocols;
    uint8_t counter; /* of mailbox messages */
    bool clock;
    int bytes[2], entries; /* bytes: outputs, inputs */
    int bits[2];           /* of a device without objects (CoE), from its SII: outputs, inputs */
    ec_entry entry[EC_ENTRIES];
    int sync_managers;
    struct ec_sync_manager {
        uint16_t start;
        uint8_t control, type;
    } sync_manager[EC_SYNC_MANAGERS];
} ec_device;

/* Frames sent, by the arrival of their answers. */
typedef struct ec_counts {
    uint64_t sent, not_sent;
    uint64_t in_time;  /* back before the next frame was sent */
    uint64_t late;     /* back after that: not taken */
    uint64_t never;    /* not back within 64 frames */
    uint64_t foreign;  /* answers that belong to no frame: doubled, older, damaged */
    uint64_t shortage; /* in time, with a short working counter */
} ec_counts;

typedef struct ec {
    const ec_line *line;
    int socket, devices, bytes[2]; /* bytes: all outputs, all inputs */
    int expected;                  /* working counter of the process data */
    int reference;                 /* device with the reference clock, or -1 */
    ec_device device[EC_DEVICES];
    uint8_t image[EC_IMAGE]; /* outputs, then inputs */
    uint8_t frame[EC_FRAME]; /* the cyclic frame */
    struct {
        int process, steer, clock, states, request, end; /* places of its datagrams; 0: none */
    } at;
    uint64_t number;  /* of the last frame */
    uint64_t pending; /* bit k: the frame number - k is not back */
    uint8_t request;  /* state to request in the next frames; 0: none */
    ec_counts counts;
    int counter;     /* working counter of the newest answer */
    int states;      /* states of all devices, combined by OR */
    int status_code; /* AL status codes, combined by OR */
    int64_t clock;   /* ns, of the reference device (or of this machine) in the newest answer */
    int64_t sent_at; /* ns, CLOCK_MONOTONIC */
    int64_t sync;    /* ns, of SYNC0 after a whole period on the clock of the reference device */
    uint32_t abort;  /* code of the last refused SDO; 0: none */
    bool answered;   /* the last SDO had an answer, with these first bytes */
    uint8_t answer[4];
    char error[320];
} ec;

typedef enum ec_answer { EC_NONE, EC_SHORT, EC_WHOLE } ec_answer;

bool ec_open(ec *m, const ec_line *line);
/* False: the network refuses the frame. */
IFD_RT bool ec_send(ec *m);
/* The answer to the last frame sent. EC_WHOLE: the image contains its inputs. At most 64 frames are taken. */
IFD_RT ec_answer ec_receive(ec *m);
void ec_close(ec *m);

/* Moves SYNC0 to this phase (ns, on the clock of the reference device); waits. Before the first cyclic frame. */
bool ec_sync(ec *m, int64_t phase);

/* Bytes of the object, or -1; the value is not sign-extended. device counts from 0. */
int ec_sdo_read(ec *m, int device, uint16_t index, uint8_t sub, uint32_t *value);
bool ec_sdo_write(ec *m, int device, const ec_sdo *sdo);

const ec_entry *ec_find(const ec *m, int device, uint16_t index, uint8_t sub, bool input);
IFD_RT int64_t ec_get(const ec *m, const ec_entry *e); /* sign-extended */
IFD_RT void ec_put(ec *m, const ec_entry *e, int64_t value);
