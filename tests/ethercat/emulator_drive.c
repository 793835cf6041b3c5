/* SPDX-License-Identifier: MIT */
/* The emulated drive and the input terminal: process data in and out of the memory of the device. */
#include <math.h>
#include <string.h>

#include "emulator.h"

/* Visits the objects of the process data of one direction: value of each from or into the memory at `base`. */
static void move_data(emu_device *d, int assignment, int base, bool into_memory)
{
    int bit = 0;
    for (uint32_t p = 1; p <= emu_object_find(d, assignment, 0)->value; p++) {
        int pdo = (int)emu_object_find(d, assignment, (int)p)->value;
        for (uint32_t k = 1; k <= emu_object_find(d, pdo, 0)->value; k++) {
            uint32_t entry = emu_object_find(d, pdo, (int)k)->value;
            emu_object *o = emu_object_find(d, (int)(entry >> 16), (int)(entry >> 8 & 255));
            int bits = (int)(entry & 255);
            if (o && !into_memory)
                o->value = 0;
            for (int b = 0; o && b < bits; b++) {
                uint8_t *byte = &d->reg[base + (bit + b) / 8], mask = (uint8_t)(1 << (bit + b) % 8);
                if (into_memory)
                    *byte = (uint8_t)(o->value >> b & 1 ? *byte | mask : *byte & ~mask);
                else
                    o->value |= *byte & mask ? 1u << b : 0;
            }
            bit += bits;
        }
    }
}

static uint32_t value(emulator *e, int axis, int index)
{
    return emu_object_find(&e->device[0], index + 0x800 * axis, 0)->value;
}
static void set(emulator *e, int axis, int index, uint32_t v)
{
    emu_object_find(&e->device[0], index + 0x800 * axis, 0)->value = v;
}

void emulator_fault(emulator *e, int axis, uint16_t code)
{
    e->drive[axis].error = code;
    e->drive[axis].moving = true;
}

void emulator_leave_op(emulator *e, int device, uint16_t code)
{
    emu_al_error(&e->device[device], 4, code);
}

/* Transitions of CiA-402 by the control word. Status: low bits of the state. stays: in quick stop active. */
static uint16_t next_status(emu_axis *e, uint16_t status, uint16_t control, bool stays)
{
    bool reset = control & 0x80 && !(e->control & 0x80);
    e->control = control;
    if (reset)
        e->resets++;
    if (e->error) {
        if (reset && !e->unreset) {
            e->error = 0;
            return 0x40;
        }
        return 0x08;
    }
    if (e->disabled)
        return 0x40;
    bool voltage = control & 2, quick = !(control & 4), on = control & 1, enable = control & 8;
    switch (status & 0x6f) {
    case 0x21:
        return !voltage || quick ? 0x40 : on ? 0x23 : 0x21;
    case 0x23:
        return !voltage || quick ? 0x40 : !on ? 0x21 : enable ? 0x27 : 0x23;
    case 0x27:
        if (!voltage)
            return 0x40;
        if (quick) {
            e->moving = true;
            return 0x07;
        }
        return !on ? 0x21 : enable ? 0x27 : 0x23;
    case 0x07:
        return !voltage || (!stays && fabs(e->velocity) < 1.0) ? 0x40 : 0x07;
    default:
        return voltage && !quick && !on ? 0x21 : 0x40;
    }
}

/* Follows the target with a lag; brakes by itself otherwise. */
static void move(emulator *e, int axis, bool powered, double seconds)
{
    emu_axis *d = &e->drive[axis];
    double before = d->position, fraction = 1.0 - exp(-seconds / d->lag);
    if (powered && value(e, axis, 0x6060) == 8) {
        d->position += fraction * ((double)(int32_t)value(e, axis, 0x607a) - d->position);
        d->velocity = (d->position - before) / seconds;
    } else {
        d->velocity *= exp(-seconds / 5e-3);
        d->position += d->velocity * seconds;
    }
    d->torque += (powered ? (double)(int16_t)value(e, axis, 0x6071) - d->torque : -d->torque) * fraction;
}

static void axis_cycle(emulator *e, int axis, double seconds, bool received)
{
    emu_axis *d = &e->drive[axis];
    bool op = e->device[0].reg[0x130] == 8;
    uint16_t status = (uint16_t)value(e, axis, 0x6041);
    if (received && op) {
        status = next_status(d, status, (uint16_t)value(e, axis, 0x6040), value(e, axis, 0x605a) >= 5);
    } else if (!op && (status & 0x6f) == 0x27) { /* communication lost: fault reaction */
        d->error = 0x7500;
        status = 0x08;
    } else if (!op && !d->error)
        status = 0x40;
    bool powered = op && (status & 0x6f) == 0x27;
    move(e, axis, powered, seconds);
    set(e, axis, 0x6041, status | 0x200u | (d->limited ? 0x800u : 0u));
    set(e, axis, 0x603f, d->error);
    set(e, axis, 0x6061, d->mode_shown >= 0 ? (uint32_t)d->mode_shown : value(e, axis, 0x6060));
    set(e, axis, 0x6064, (uint32_t)(int32_t)lround(d->position));
    set(e, axis, 0x6077, (uint16_t)(int16_t)lround(d->torque));
    if (received && e->log_count < EMU_LOG)
        (axis ? e->log_second : e->log)[e->log_count] =
            (emu_cycle){emulator_now(e),
                        (uint16_t)value(e, axis, 0x6040),
                        status,
                        (int32_t)value(e, axis, 0x607a),
                        (int32_t)lround(d->position),
                        powered,
                        (uint8_t)emu_object_find(&e->device[0], 0x7000, 1)->value,
                        (int32_t)value(e, axis, 0x60b1)};
}

void emu_drive_cycle(emulator *e, double seconds, bool received)
{
    emu_device *d = &e->device[0];
    e->states |= d->reg[0x130] & 15;
    if ((d->reg[0x130] & 15) < 4)
        return;
    if (received)
        e->words |= (uint16_t)(d->reg[0x2000] | d->reg[0x1101] << 8);
    if (received && d->reg[0x130] == 8)
        move_data(d, 0x1c12, 0x2000, false);
    for (int axis = 0; axis < EMU_AXES; axis++)
        axis_cycle(e, axis, seconds, received);
    move_data(d, 0x1c13, 0x2200, true);
    e->log_count += received && e->log_count < EMU_LOG;
}

void emu_input_cycle(emulator *e)
{
    emu_device *d = &e->device[1];
    if ((d->reg[0x130] & 15) < 4)
        return;
    for (int axis = 0; axis < EMU_AXES; axis++)
        emu_object_find(d, 0x6000, 0x11 + axis)->value =
            (uint32_t)(int32_t)lround(e->stiffness * e->drive[axis].position) & 0xffffff;
    emu_object_find(d, 0x6010, 1)->value = !e->stop_pressed;
    emu_object_find(d, 0x6010, 2)->value = !e->power_off;
    move_data(d, 0x1c13, 0x2200, true);
}
