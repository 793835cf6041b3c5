/* SPDX-License-Identifier: MIT */
/* Objects of the process image for axes and inputs, and the texts of stops. */
#include "rig.h"

#include <math.h>
#include <string.h>

/* Copies `text`, with the device, the axis and the code in place of %s, %d and
 * %x. No library function prints on the tick path. */
void bus_rig_compose(bus_rig *r, bus_stop reason, int axis, unsigned code)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        BUS_STOP_LIST(TEXT)
#undef TEXT
    };
    const char *device = r->file.line.device ? r->file.line.device[r->axis[axis].device].name : "";
    char *out = r->text, *end = r->text + sizeof r->text - 5;
    for (const char *p = texts[reason]; *p && out < end; p++) {
        if (*p != '%') {
            *out++ = *p;
            continue;
        }
        p++;
        if (*p == 's')
            for (const char *d = device; *d && out < end; d++)
                *out++ = *d;
        else if (*p == 'd') {
            if (axis >= 9)
                *out++ = '1';
            *out++ = (char)('0' + (axis + 1) % 10);
        } else
            for (int k = 12; k >= 0; k -= 4)
                *out++ = "0123456789abcdef"[code >> k & 15];
    }
    *out = '\0';
}

static ifd_status lacks(const bus_rig *r, int k, const char *objects, ifd_note *note)
{
    const bus_axis *a = &r->file.axis[k];
    ifd_note_add(note, IFD_PEER, &a->place, "axis %d: the process data of device '%s' do not contain %s", k + 1,
                 r->file.line.device[a->device].name, objects);
    ifd_note_hint(note, "give its PDOs in 'outputs' and 'inputs' of the device");
    return IFD_PEER;
}

static const ec_entry *find(const bus_rig *r, int k, int index, bool input)
{
    const bus_axis *a = &r->file.axis[k];
    return ec_find(&r->bus, a->device, (uint16_t)(index + a->offset), 0, input);
}

static ifd_status bind_axis(bus_rig *r, int k, ifd_note *note)
{
    const bus_axis *f = &r->file.axis[k];
    rig_axis *a = &r->axis[k];
    bool torque = f->mode == CIA402_TORQUE;
    *a = (rig_axis){.device = f->device, .mode = f->mode, .counts = f->counts};
    a->control = find(r, k, 0x6040, false);
    a->status = find(r, k, 0x6041, true);
    a->mode_out = find(r, k, 0x6060, false);
    a->mode_in = find(r, k, 0x6061, true);
    a->error = find(r, k, 0x603f, true);
    a->target = find(r, k, torque ? 0x6071 : 0x607a, false);
    a->actual = find(r, k, torque ? 0x6077 : 0x6064, true);
    a->speed = torque ? NULL : find(r, k, 0x60b1, false);
    if (!a->control || !a->status || !a->mode_in || !a->target || !a->actual)
        return lacks(r, k,
                     torque ? "0x6040 and 0x6071 (outputs), 0x6041, 0x6061 and 0x6077 (inputs)"
                            : "0x6040 and 0x607A (outputs), 0x6041, 0x6061 and 0x6064 (inputs)",
                     note);
    if (a->control->bits != 16 || a->status->bits != 16 || a->mode_in->bits != 8 || a->target->bits < 8 ||
        a->target->bits > 32 || a->actual->bits < 8 || a->actual->bits > 32)
        return lacks(r, k,
                     "objects of the expected size: 16 bits for control and status, 8 for the mode, 8 to 32 for "
                     "target and measured value",
                     note);
    if (a->speed && (a->speed->bits < 8 || a->speed->bits > 32))
        return lacks(r, k, "0x60B1 with 8 to 32 bits", note);
    a->most = ldexp(1.0, a->target->bits - 1) - 1.0;
    const cia402_settings s = {.tick = r->tick,
                               .grain = 1.0 / f->counts,
                               .jump = f->jump,
                               .low = f->low,
                               .high = f->high,
                               .brake = r->acceleration[k],
                               .brake_time = f->brake_time,
                               .quick_stop = f->quick_stop};
    cia402_start(&a->logic, &s);
    return IFD_OK;
}

static ifd_status bind_signal(const bus_rig *r, const bus_signal *s, const ec_entry **out, ifd_note *note)
{
    *out = s->given && s->kind == BUS_AUX_OBJECT ? ec_find(&r->bus, s->device, s->index, s->sub, true) : NULL;
    if (*out && ((*out)->bits < 1 || (*out)->bits > 64))
        return ifd_note_add(note, IFD_PEER, &s->place, "object 0x%04x:%d has %d bits, expected 1 to 64", s->index,
                            s->sub, (int)(*out)->bits);
    if (*out || !s->given || s->kind != BUS_AUX_OBJECT)
        return IFD_OK;
    return ifd_note_add(note, IFD_PEER, &s->place,
                        "object 0x%04x:%d is not an input in the process data of device '%s'", s->index, s->sub,
                        r->file.line.device[s->device].name);
}

static ifd_status bind_output(bus_rig *r, int k, ifd_note *note)
{
    const bus_signal *s = &r->file.output[k];
    const ec_entry *e = s->given ? ec_find(&r->bus, s->device, s->index, s->sub, false) : NULL;
    if (!s->given)
        return IFD_OK;
    if (!e || s->bit >= e->bits)
        return ifd_note_add(note, IFD_PEER, &s->place,
                            "bit %d of object 0x%04x:%d is not an output in the process data of device '%s'", s->bit,
                            s->index, s->sub, r->file.line.device[s->device].name);
    for (int a = 0; a < r->axes; a++)
        if (e == r->axis[a].control || e == r->axis[a].target || e == r->axis[a].mode_out || e == r->axis[a].speed)
            return ifd_note_add(note, IFD_CONFLICT, &s->place, "object 0x%04x:%d belongs to axis %d", s->index,
                                s->sub, a + 1);
    r->output[k] = *e;
    r->output[k].bit += s->bit;
    r->output[k].bits = 1;
    return IFD_OK;
}

ifd_status bus_rig_bind(bus_rig *r, ifd_note *note)
{
    for (int k = 0; k < r->axes; k++) {
        IFD_TRY(bind_axis(r, k, note));
        IFD_TRY(bind_signal(r, &r->file.force[k], &r->axis[k].force, note));
    }
    for (int k = 0; k < r->file.auxes; k++)
        IFD_TRY(bind_signal(r, &r->file.aux[k], &r->aux[k], note));
    for (int k = 0; k < BUS_OUTPUT_COUNT; k++)
        IFD_TRY(bind_output(r, k, note));
    IFD_TRY(bind_signal(r, &r->file.stop, &r->stop_input, note));
    return bind_signal(r, &r->file.power, &r->power_input, note);
}

ifd_status bus_rig_open(bus_rig *r, int channels, double tick, ifd_note *note)
{
    r->axes = channels;
    r->tick = tick;
    r->watchdog = r->file.line.watchdog;
    if (r->file.axes != channels || r->file.forces != channels)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "the bus file has %d axes and %d forces, the test has "
                            "%d actuators: one axis and one force "
                            "for each",
                            r->file.axes, r->file.forces, channels);
    if (r->watchdog < 3.0 * tick)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "a watchdog of %g s is shorter than three ticks of %g s",
                            r->watchdog, tick);
    ifd_status status = IFD_OK;
    if (!ec_open(&r->bus, &r->file.line))
        status = ifd_note_add(note, IFD_PEER, NULL, "EtherCAT: %s", r->bus.error);
    if (status == IFD_OK)
        status = bus_rig_bind(r, note);
    if (status != IFD_OK)
        ec_close(&r->bus);
    return status;
}
