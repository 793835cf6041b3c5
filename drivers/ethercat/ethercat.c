/* SPDX-License-Identifier: MIT */
/* The driver: CiA-402 drives and input terminals for EtherCAT
 * (docs/ethercat.md). */
#include <string.h>

#include <interfield/exchange.h>

#include "rig.h"

enum { INTERFACE, BUS, WATCHDOG, SILENT_FOR };

static const ifd_param params[] = {
    IFD_TEXT("interface", "network interface of the bus, as eth1; nothing else may use it", .required = true),
    IFD_TEXT("bus", "file that describes devices, axes, forces and inputs", .required = true, .file = true),
    IFD_OPTION("watchdog", TIME, 1e-4, 6.5535, 0.1,
               "time without a frame after which the devices stop, and without a "
               "command "
               "after which the rig stops; it cannot be switched off"),
    IFD_OPTION("silent-for", TIME, 1e-5, 60, 5e-3,
               "time without a whole answer after which the rig stops; if not given, at "
               "least 3 ticks"),
    {0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *v, ifd_arena *arena, ifd_note *note)
{
    bus_rig *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    IFD_TRY(bus_file_read(arena, v[BUS].word, rig->tick, &r->file, note));
    r->file.line.interface = v[INTERFACE].word;
    r->file.line.socket = -1;
    r->file.line.watchdog = v[WATCHDOG].number;
    r->silent_for = (int)ifd_rig_ticks(v[SILENT_FOR].number, rig->tick, v[SILENT_FOR].given ? 1 : 3);
    r->reads = rig->purpose == IFD_PURPOSE_READ;
    memcpy(r->acceleration, rig->acceleration, sizeof r->acceleration);
    IFD_TRY(bus_rig_open(r, rig->channels, rig->tick, note));
    for (int k = 0; k < rig->channels; k++)
        rig->free_at_end |= r->file.axis[k].brake ? 0 : 1u << k;
    rig->late_after = bus_rig_late_after(r);
    for (int k = 0; k < BUS_OUTPUT_COUNT; k++)
        rig->outputs |= r->file.output[k].given ? 1u << k & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH) : 0u;
    rig->data = r;
    rig->size = 0;
    return IFD_OK;
}

static int warm(ifd_rig *rig, ifd_note *note)
{
    bus_rig *r = rig->data;
    r->grid = rig->grid;
    return bus_rig_warm(r, note);
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)x;
    return bus_rig_sense(rig->data, out);
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)x;
    bus_rig_command(rig->data, c);
}

static int64_t wait_for_sample(ifd_rig *rig, int64_t latest)
{
    return bus_rig_wait(rig->data, latest);
}

static const char *why(const ifd_rig *rig)
{
    bus_rig *r = rig->data;
    return atomic_load_explicit(&r->why, memory_order_acquire);
}

static void close_rig(ifd_rig *rig)
{
    bus_rig_close(rig->data);
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "ethercat",
    .summary = "CiA-402 drives and input terminals for EtherCAT",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .close = close_rig,
    .wait = wait_for_sample,
    .warm = warm,
    .why = why,
};
