/* SPDX-License-Identifier: MIT */
/* A test without a rig: one interface with its state, for rules that are called by themselves. Ticks of 1 s: rates
 * are exact. */
#pragma once

#include <string.h>

#include "hybrid/chain/effective_force.h"
#include "hybrid/hybrid.h"
#include "hybrid/orders.h"

enum {
    BARE_INTERFACE = IFD__DOUBLES(ifd__test_state),
    BARE_PUSHED = BARE_INTERFACE + IFD__DOUBLES(ifd__interface_state),
    BARE_LINE = BARE_PUSHED + IFD__DOUBLES(ifd__pushed),
    BARE_ORDERS = BARE_LINE + 8,
    BARE_SIZE = BARE_ORDERS + IFD__DOUBLES(ifd__orders)
};

static double bare_x[BARE_SIZE];
static ifd_hybrid bare;
static ifd__test_interface bare_interface;
static ifd_interface_options bare_options;

static ifd__interface_state *bare_begin(void)
{
    memset(bare_x, 0, sizeof bare_x);
    memset(&bare, 0, sizeof bare);
    ifd_interface_defaults(&bare_options);
    bare_interface = (ifd__test_interface){.o = &bare_options, .at = BARE_INTERFACE, .line_at = BARE_LINE};
    bare.interface = &bare_interface;
    bare.interfaces = 1;
    bare.x = bare_x;
    bare.orders_at = BARE_ORDERS;
    bare.size = BARE_LINE;
    bare.pace = &ifd__pace_scaled;
    bare.period = 1.0;
    ifd__hybrid_bind(&bare);
    return ifd__interface_of(&bare, 0);
}

static void bare_state(ifd_machine state)
{
    ifd__test_of(&bare)->state = state;
    ifd__test_of(&bare)->tick += 1.0;
    ifd__test_of(&bare)->fault = IFD_TRIP_NONE;
}
