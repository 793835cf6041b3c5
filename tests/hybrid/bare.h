/* SPDX-License-Identifier: MIT */
/* A test without a rig: interfaces and drives with their state, for rules that are called by themselves. No other
 * test fills an ifd_hybrid by hand. */
#pragma once

#include <string.h>

#include "hybrid/chain/effective_force.h"
#include "hybrid/hybrid.h"
#include "hybrid/orders.h"

enum {
    BARE_MOST = 5,   /* interfaces */
    BARE_DRIVES = 2, /* of at most BARE_ACTUATORS each */
    BARE_ACTUATORS = 4,
    BARE_INTERFACE = IFD__DOUBLES(ifd__test_state),
    BARE_DRIVE = BARE_INTERFACE + BARE_MOST * IFD__DOUBLES(ifd__interface_state),
    BARE_EACH = 1 + BARE_ACTUATORS * IFD__DOUBLES(ifd__actuator_state),
    BARE_PUSHED = BARE_DRIVE + BARE_DRIVES * BARE_EACH,
    BARE_LINE = BARE_PUSHED + IFD__DOUBLES(ifd__pushed),
    BARE_ORDERS = BARE_LINE + 8,
    BARE_SIZE = BARE_ORDERS + IFD__DOUBLES(ifd__orders)
};

static double bare_x[BARE_SIZE];
static ifd_hybrid bare;
static ifd__test_interface bare_interface[BARE_MOST];
static ifd_interface_options bare_option[BARE_MOST];
static ifd__driven bare_drive[BARE_DRIVES];

/* All numbers 0, defaults for the interfaces; s, of a tick. */
static void bare_make(int interfaces, double period)
{
    memset(bare_x, 0, sizeof bare_x);
    memset(&bare, 0, sizeof bare);
    for (int k = 0; k < interfaces; k++) {
        ifd_interface_defaults(&bare_option[k]);
        bare_interface[k] = (ifd__test_interface){.o = &bare_option[k]};
        bare.each[k] = (ifd__interface_state *)(bare_x + BARE_INTERFACE) + k;
        bare.line[k] = bare_x + BARE_LINE;
    }
    bare.interface = bare_interface;
    bare.interfaces = interfaces;
    bare.drive = bare_drive;
    bare.x = bare_x;
    bare.test = (ifd__test_state *)bare_x;
    bare.orders = (ifd__orders *)(bare_x + BARE_ORDERS);
    bare.size = BARE_LINE;
    bare.pace = &ifd__pace_scaled;
    bare.ramps = bare.period = period;
    ifd__hybrid_bind(&bare);
}

/* Drives with these options; m/s2, of each of their actuators. */
__attribute__((unused)) static void bare_drives(int drives, const ifd_driven *o, double acceleration)
{
    bare.drives = drives;
    for (int d = 0; d < drives; d++) {
        bare_drive[d] = (ifd__driven){.o = o};
        bare.pose[d] = bare_x + BARE_DRIVE + d * BARE_EACH;
        for (int j = 0; j < o->drive.actuators; j++)
            bare_drive[d].bounds[j].acceleration = acceleration;
    }
    ifd__hybrid_bind(&bare);
}

/* One interface, and ticks of 1 s: rates are exact. */
__attribute__((unused)) static ifd__interface_state *bare_begin(void)
{
    bare_make(1, 1.0);
    return ifd__interface_of(&bare, 0);
}

__attribute__((unused)) static void bare_state(ifd_machine state)
{
    ifd__test_of(&bare)->state = state;
    ifd__test_of(&bare)->tick += 1.0;
    ifd__test_of(&bare)->fault = IFD_TRIP_NONE;
}
