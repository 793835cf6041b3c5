/* SPDX-License-Identifier: MIT */
/* Emulated EtherCAT devices: 64 KiB of registers each, SII, mailbox with expedited SDOs, FMMUs, states, watchdog,
 * clock. Device 1 is a CiA-402 drive with a lag, device 2 an input terminal with a force and two digital inputs.
 * The objects of a second axis of the drive are 0x800 higher. Its PDOs 0x1610 and 0x1A10, and 0x1A11 of its
 * force, are not assigned at first. They share no code with the master.
 *
 *     int fd[2];  socketpair(...);            // or two raw sockets on a veth pair
 *     emulator *e = emulator_open(fd[1], 1e-3, true);
 *     e->...                                  // settings before the start
 *     emulator_start(e);                      // a thread answers every frame
 *     emulator_lock(e); e->cut = 1; emulator_unlock(e);
 *     emulator_close(e);
 *
 * With a stepped clock the time of the devices advances by one tick with each cyclic frame, so that a slow machine
 * does not change the result; emulator_pass lets time pass without frames. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { EMU_DEVICES = 2, EMU_AXES = 2, EMU_OBJECTS = 128, EMU_LOG = 1 << 16, EMU_QUEUE = 64 };
enum { EMU_VENDOR = 0x1234, EMU_DRIVE = 0xd1, EMU_INPUT = 0xa1, EMU_REVISION = 0x00020001 };

typedef struct emu_object {
    uint16_t index;
    uint8_t sub, bytes;
    bool read_only;
    uint32_t value;
} emu_object;

typedef struct emu_device {
    uint8_t reg[65536];
    uint16_t sii[128];
    emu_object object[EMU_OBJECTS];
    int objects, out_bits, in_bits;
    int64_t skew, fed, hop; /* ns: local clock, last output data; way of a frame up to this device */
    bool outputs;           /* output data arrived since SAFE-OP */
    uint16_t refuse_state;  /* answers a request of this state with an error */
    bool fixed;             /* no mailbox: sync manager 0 has the inputs */
    int process_errors;     /* mailbox messages that were not understood */
} emu_device;

/* What the drive received in one cycle, and its state after it. */
typedef struct emu_cycle {
    int64_t time;
    uint16_t control, status;
    int32_t target, position;
    bool powered;  /* it follows the target */
    uint8_t lines; /* digital outputs, object 0x7000:1 */
    int32_t speed; /* velocity offset, object 0x60B1 */
} emu_cycle;

typedef struct emu_axis { /* in increments */
    double position, velocity, lag, torque;
    int mode_shown;          /* -1: as requested */
    bool moving;             /* it brakes by itself */
    bool disabled;           /* it cannot be enabled */
    bool limited;            /* status bit 11 */
    uint16_t error, control; /* fault; last control word */
    bool unreset;            /* the fault remains after a reset */
    int resets;              /* rising edges of the reset bit */
} emu_axis;

typedef struct emulator {
    int fd;
    double tick;
    bool stepped;
    pthread_t thread;
    pthread_mutex_t lock;
    bool running, quit;
    int64_t now, moved; /* ns: of the stepped clock; when the drive last moved */
    emu_device device[EMU_DEVICES];
    emu_axis drive[EMU_AXES];
    double stiffness; /* of the specimen: force increments per increment of position */
    bool stop_pressed, power_off;
    /* what it does wrong */
    bool dead, doubled, drift, no_watchdog_register;
    bool strange_mailbox; /* answers SDOs with another index */
    int slow;             /* this latch of the clocks, from 1, comes 4 ms later */
    int64_t aside;        /* ns by which frames pass later than they do */
    int late;             /* answers are sent so many frames later */
    bool unsteered;       /* the reference clock takes no time */
    int cut;              /* the line ends behind this device; 0: whole */
    uint8_t flags;        /* further bits in the first byte of an answer to a written SDO */
    uint16_t abort_index; /* this object is refused */
    uint32_t abort_code;
    uint16_t forget_index; /* this object accepts a value and does not keep it */
    /* what it has seen */
    long frames, cyclic;
    uint16_t words;        /* all control words on the bus, combined by OR, also those that the drive ignores */
    uint8_t states;        /* all states of the drive, combined by OR */
    long steered;          /* times of the machine that the reference clock received */
    uint32_t machine_time; /* ns, the last one */
    int log_count;
    emu_cycle *log, *log_second; /* of each axis */
    struct {
        uint8_t b[1600];
        long n;
    } queue[EMU_QUEUE];
    long queued, released;
} emulator;

emulator *emulator_open(int fd, double tick, bool stepped);
void emulator_start(emulator *e);
void emulator_lock(emulator *e);
void emulator_unlock(emulator *e);
void emulator_pass(emulator *e, double seconds); /* stepped clock; takes the lock */
void emulator_close(emulator *e);

void emulator_fault(emulator *e, int axis, uint16_t code);
void emulator_leave_op(emulator *e, int device, uint16_t code);
int64_t emulator_now(const emulator *e);

/* Parts of the emulator. */
void emu_device_make(emu_device *d, bool drive);
void emu_device_fix(emu_device *d); /* the input terminal without a mailbox: its mapping is in its SII */
emu_object *emu_object_find(emu_device *d, int index, int sub);
int emu_read(emulator *e, int device, int at, uint8_t *data, int size);        /* working counter */
int emu_write(emulator *e, int device, int at, const uint8_t *data, int size); /* working counter */
int emu_logical(emulator *e, int device, uint32_t logical, uint8_t *data, int size);
void emu_al_request(emulator *e, int device, uint16_t request);
void emu_al_error(emu_device *d, int state, uint16_t code);
void emu_mailbox(emulator *e, int device);
void emu_watch(emulator *e); /* watchdogs */
void emu_drive_cycle(emulator *e, double seconds, bool received);
void emu_input_cycle(emulator *e);
