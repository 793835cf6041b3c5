/* SPDX-License-Identifier: MIT */
/* Registers, states, SII, mailbox and clock of an emulated device. */
#include <string.h>
#include <time.h>

#include "emulator.h"

enum { BOX_OUT = 0x1000, BOX_IN = 0x1800, BOX = 0x80, DATA_OUT = 0x2000, DATA_IN = 0x2200 };

static unsigned word(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}
static uint32_t number(const uint8_t *p)
{
    return word(p) | (uint32_t)word(p + 2) << 16;
}
static void store(uint8_t *p, uint64_t v, int bytes)
{
    for (int k = 0; k < bytes; k++)
        p[k] = (uint8_t)(v >> 8 * k);
}
static uint64_t load(const uint8_t *p)
{
    return number(p) | (uint64_t)number(p + 4) << 32;
}

static void object(emu_device *d, int index, int sub, int bytes, uint32_t value, bool read_only)
{
    d->object[d->objects++] = (emu_object){(uint16_t)index, (uint8_t)sub, (uint8_t)bytes, read_only, value};
}

/* A list object: count, then rows; row 0 of rows is unused room up to `room`. */
static void list(emu_device *d, int index, int bytes, int room, const uint32_t *rows)
{
    int count = 0;
    while (rows[count])
        count++;
    object(d, index, 0, 1, (uint32_t)count, false);
    for (int k = 0; k < room; k++)
        object(d, index, k + 1, bytes, k < count ? rows[k] : 0, false);
}

static void drive_objects(emu_device *d)
{
    list(d, 0x1c12, 2, 2, (const uint32_t[]){0x1600, 0});
    list(d, 0x1c13, 2, 2, (const uint32_t[]){0x1a00, 0});
    list(d, 0x1610, 4, 6, (const uint32_t[]){0x68400010, 0x68600008, 0x687a0020, 0});
    list(d, 0x1a10, 4, 6, (const uint32_t[]){0x68410010, 0x68610008, 0x68640020, 0});
    list(d, 0x1600, 4, 6, (const uint32_t[]){0x60400010, 0x60600008, 0x607a0020, 0});
    list(d, 0x1601, 4, 2, (const uint32_t[]){0x70000108, 0});
    list(d, 0x1a00, 4, 6, (const uint32_t[]){0x60410010, 0x60610008, 0x60640020, 0});
    list(d, 0x1a01, 4, 2, (const uint32_t[]){0x60770010, 0x603f0010, 0});
    static const struct {
        int index, sub, bytes;
        uint32_t value;
        bool read_only;
    } rows[] = {{0x6040, 0, 2, 0, 0}, {0x6041, 0, 2, 0, 1}, {0x603f, 0, 2, 0, 1}, {0x6060, 0, 1, 0, 0},
                {0x6061, 0, 1, 0, 1}, {0x607a, 0, 4, 0, 0}, {0x60b1, 0, 4, 0, 0}, {0x6064, 0, 4, 0, 1},
                {0x6071, 0, 2, 0, 0}, {0x6077, 0, 2, 0, 1}, {0x605a, 0, 2, 2, 0}, {0x605c, 0, 2, 0, 0},
                {0x605e, 0, 2, 1, 0}, {0x60c2, 1, 1, 0, 0}, {0x60c2, 2, 1, 0, 0}, {0x6065, 0, 4, 100, 0},
                {0x6066, 0, 2, 0, 0}, {0x607f, 0, 4, 0, 0}, {0x6080, 0, 4, 0, 0}, {0x6076, 0, 4, 1270, 1},
                {0x2000, 1, 2, 7, 0}, {0x7000, 1, 1, 0, 0}};
    for (int a = 0; a < EMU_AXES; a++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            object(d, rows[k].index + 0x800 * a, rows[k].sub, rows[k].bytes, rows[k].value, rows[k].read_only);
}

static void input_objects(emu_device *d)
{
    list(d, 0x1c12, 2, 1, (const uint32_t[]){0});
    list(d, 0x1c13, 2, 3, (const uint32_t[]){0x1a00, 0x1a10, 0});
    list(d, 0x1a11, 4, 1, (const uint32_t[]){0x60001218, 0});
    list(d, 0x1a00, 4, 2, (const uint32_t[]){0x60000108, 0x60001118, 0});
    list(d, 0x1a10, 4, 3, (const uint32_t[]){0x60100101, 0x60100201, 0x00000006, 0});
    object(d, 0x6000, 1, 1, 0, true);
    object(d, 0x6000, 0x11, 4, 0, true);
    object(d, 0x6000, 0x12, 4, 0, true);
    object(d, 0x6010, 1, 1, 0, true);
    object(d, 0x6010, 2, 1, 0, true);
}

void emu_device_make(emu_device *d, bool drive)
{
    uint16_t *s = d->sii;
    memset(s, 0xff, sizeof d->sii);
    s[8] = EMU_VENDOR, s[9] = 0, s[10] = drive ? EMU_DRIVE : EMU_INPUT, s[11] = 0;
    s[12] = EMU_REVISION & 0xffff, s[13] = EMU_REVISION >> 16;
    s[0x18] = BOX_OUT, s[0x19] = BOX, s[0x1a] = BOX_IN, s[0x1b] = BOX, s[0x1c] = 4;
    uint16_t *c = s + 0x40;
    *c++ = 30, *c++ = 3, c += 3; /* a category that is passed over */
    *c++ = 41, *c++ = 16;
    static const uint16_t places[] = {BOX_OUT, BOX_IN, DATA_OUT, DATA_IN}, control[] = {0x26, 0x22, 0x24, 0x20};
    for (int k = 0; k < 4; k++) {
        *c++ = places[k], *c++ = 0, *c++ = control[k], *c++ = (uint16_t)((k + 1) << 8 | 1);
    }
    d->reg[0] = 4;
    d->reg[8] = 4; /* distributed clocks */
    d->reg[0x130] = 1;
    d->reg[0x110] = 1;
    if (drive)
        drive_objects(d);
    else
        input_objects(d);
}

void emu_device_fix(emu_device *d)
{
    static const uint16_t entries[][3] = {
        {0x6000, 1, 8}, {0x6000, 0x11, 24}, {0x6010, 1, 1}, {0x6010, 2, 1}, {0, 0, 6}};
    uint16_t *c = d->sii + 0x40;
    memset(d->sii + 0x18, 0, 10);
    d->fixed = true;
    *c++ = 41, *c++ = 4; /* one sync manager, of the inputs */
    *c++ = DATA_IN, *c++ = 0, *c++ = 0x20, *c++ = 4 << 8 | 1;
    *c++ = 50, *c++ = 4 * 9;
    *c++ = 0x1a00, *c++ = 2, *c++ = 0, *c++ = 0; /* sync manager 0 */
    for (int k = 0; k < 2; k++)
        *c++ = entries[k][0], *c++ = entries[k][1], *c++ = (uint16_t)(entries[k][2] << 8), *c++ = 0;
    *c++ = 0x1a20, *c++ = 0xff << 8 | 1, *c++ = 0, *c++ = 0; /* not assigned */
    *c++ = 0x7777, *c++ = 1, *c++ = 8 << 8, *c++ = 0;
    *c++ = 0x1a10, *c++ = 3, *c++ = 0, *c++ = 0;
    for (int k = 2; k < 5; k++)
        *c++ = entries[k][0], *c++ = entries[k][1], *c++ = (uint16_t)(entries[k][2] << 8), *c++ = 0;
    *c++ = 0xffff;
}

emu_object *emu_object_find(emu_device *d, int index, int sub)
{
    for (int k = 0; k < d->objects; k++)
        if (d->object[k].index == index && d->object[k].sub == sub)
            return &d->object[k];
    return NULL;
}

/* Bits of the process data of one direction, by the objects of the assignment. */
static int mapped_bits(emu_device *d, int assignment)
{
    emu_object *count = emu_object_find(d, assignment, 0);
    int bits = 0;
    for (uint32_t p = 1; count && p <= count->value; p++) {
        int pdo = (int)emu_object_find(d, assignment, (int)p)->value;
        for (uint32_t k = 1; k <= emu_object_find(d, pdo, 0)->value; k++)
            bits += (int)(emu_object_find(d, pdo, (int)k)->value & 255);
    }
    return bits;
}

void emu_al_error(emu_device *d, int state, uint16_t code)
{
    d->reg[0x130] = (uint8_t)(state | 16);
    store(d->reg + 0x134, code, 2);
}

static bool manager_is(const emu_device *d, int k, unsigned start, unsigned size)
{
    const uint8_t *m = d->reg + 0x800 + 8 * k;
    return size == 0 ? !(m[6] & 1) : word(m) == start && word(m + 2) == size && m[6] & 1;
}

/* The AL status code that forbids a transition; 0: none. */
static uint16_t forbidden(emu_device *d, int from, int to)
{
    if (to == d->refuse_state)
        return 0x26;
    if (to > from && to != 2 * from)
        return 0x11;
    if (to == 2 && from == 1 && !d->fixed &&
        !(manager_is(d, 0, BOX_OUT, d->sii[0x19]) && manager_is(d, 1, BOX_IN, d->sii[0x1b])))
        return 0x16;
    if (to == 4 && from == 2) {
        d->out_bits = mapped_bits(d, 0x1c12);
        d->in_bits = mapped_bits(d, 0x1c13);
        if (!d->fixed && !manager_is(d, 2, DATA_OUT, (unsigned)(d->out_bits + 7) / 8))
            return 0x1d;
        if (!manager_is(d, d->fixed ? 0 : 3, DATA_IN, (unsigned)(d->in_bits + 7) / 8))
            return 0x1e;
        d->outputs = false;
    }
    if (to == 8 && d->out_bits > 0 && !d->outputs)
        return 0x1b;
    return 0;
}

void emu_al_request(emulator *e, int device, uint16_t request)
{
    emu_device *d = &e->device[device];
    int to = request & 15, from = d->reg[0x130] & 15;
    if (d->reg[0x130] & 16 && !(request & 16))
        return; /* an error must be acknowledged */
    uint16_t code = forbidden(d, from, to);
    if (code) {
        emu_al_error(d, from, code);
        return;
    }
    d->reg[0x130] = (uint8_t)to;
    store(d->reg + 0x134, 0, 2);
    d->fed = emulator_now(e);
}

static int64_t system_time(const emulator *e, int i)
{
    const emu_device *d = &e->device[i];
    return emulator_now(e) + d->hop + d->skew + (int64_t)load(d->reg + 0x920);
}

static void latch(emulator *e, int i)
{
    emu_device *d = &e->device[i];
    int64_t at = emulator_now(e) + d->hop + d->skew, behind = 2 * (e->device[EMU_DEVICES - 1].hop - d->hop);
    store(d->reg + 0x900, (uint64_t)at, 4);
    store(d->reg + 0x904, (uint64_t)(at + behind), 4);
    store(d->reg + 0x918, (uint64_t)at, 8);
}

/* The difference of the own clock to a distributed time. */
static void compare_time(emulator *e, int i, const uint8_t *data)
{
    emu_device *d = &e->device[i];
    int64_t difference = system_time(e, i) - (int64_t)(load(data) + number(d->reg + 0x928));
    if (e->drift && i > 0)
        difference += 5000;
    uint32_t sign = difference < 0 ? 0x80000000u : 0;
    store(d->reg + 0x92c, sign | ((uint32_t)(difference < 0 ? -difference : difference) & 0x7fffffff), 4);
}

int emu_read(emulator *e, int i, int at, uint8_t *data, int size)
{
    emu_device *d = &e->device[i];
    bool box = at == BOX_IN && size == d->sii[0x1b];
    if (box && !(d->reg[0x80d] & 8))
        return 0; /* the mailbox is empty */
    if (at == 0x910) {
        int64_t time = system_time(e, i), tick = (int64_t)(1e9 * e->tick + 0.5);
        bool cycles = d->reg[0x130] >= 4; /* with a stepped clock frames pass at whole ticks */
        store(d->reg + 0x910, (uint64_t)(time - (cycles && e->stepped ? time % tick : 0) + (cycles ? e->aside : 0)),
              8);
    }
    memcpy(data, d->reg + at, (size_t)size);
    if (box)
        d->reg[0x80d] &= 0xf7;
    return 1;
}

static void read_sii(emu_device *d)
{
    unsigned at = number(d->reg + 0x504);
    d->reg[0x503] &= 0x7e;
    for (unsigned k = 0; k < 2; k++)
        store(d->reg + 0x508 + 2 * k, at + k < 128 ? d->sii[at + k] : 0xffff, 2);
}

int emu_write(emulator *e, int i, int at, const uint8_t *data, int size)
{
    emu_device *d = &e->device[i];
    if (at == 0x910) {
        if (size == 8)
            compare_time(e, i, data);
        if (size == 4 && e->unsteered)
            return 0;
        e->steered += size == 4;
        e->machine_time = size == 4 ? number(data) : e->machine_time;
        return 1;
    }
    if (at == 0x420 && e->no_watchdog_register)
        return 1;
    if (at == BOX_OUT && (d->reg[0x130] & 15) < 2)
        return 0;
    memcpy(d->reg + at, data, (size_t)size);
    if (at == 0x120)
        emu_al_request(e, i, (uint16_t)word(data));
    else if (at == 0x502 && d->reg[0x503] & 1)
        read_sii(d);
    else if (at == 0x900) {
        if (i == 0 && e->slow > 0 && --e->slow == 0)
            nanosleep(&(struct timespec){.tv_nsec = 4000000}, NULL);
        latch(e, i);
    } else if (at == BOX_OUT && size == d->sii[0x19])
        emu_mailbox(e, i);
    return 1;
}

/* FMMUs: the logical address range that overlaps this datagram. Read counts 1, write 2. */
int emu_logical(emulator *e, int i, uint32_t logical, uint8_t *data, int size)
{
    emu_device *d = &e->device[i];
    int counter = 0;
    if ((d->reg[0x130] & 15) < 4)
        return 0;
    for (int k = 0; k < 16; k++) {
        const uint8_t *f = d->reg + 0x600 + 16 * k;
        int from = (int)(number(f) - logical), bytes = (int)word(f + 4), physical = (int)word(f + 8);
        if (!(f[12] & 1) || from < 0 || from + bytes > size)
            continue;
        if (f[11] & 1) {
            memcpy(data + from, d->reg + physical, (size_t)bytes);
            counter += 1;
        }
        if (f[11] & 2) {
            memcpy(d->reg + physical, data + from, (size_t)bytes);
            d->outputs = true;
            d->fed = emulator_now(e);
            counter += 2;
        }
    }
    return counter;
}

/* The watchdog of the outputs runs in OP, when the sync manager triggers it and its time is not 0. */
void emu_watch(emulator *e)
{
    for (int i = 0; i < EMU_DEVICES; i++) {
        emu_device *d = &e->device[i];
        int64_t time = (int64_t)word(d->reg + 0x420) * (int64_t)(word(d->reg + 0x400) + 2) * 40;
        bool guarded = d->reg[0x814] & 0x40 && time > 0 && d->out_bits > 0;
        bool over = guarded && emulator_now(e) - d->fed > time;
        d->reg[0x440] = !over;
        if (d->reg[0x130] == 8 && over)
            emu_al_error(d, 4, 0x1b);
    }
}

static uint32_t sdo(emulator *e, emu_device *d, const uint8_t *q, uint8_t *a)
{
    int index = (int)word(q + 1), sub = q[3];
    emu_object *o = emu_object_find(d, index, sub);
    memcpy(a + 1, q + 1, 3);
    if (e->abort_index == index)
        return e->abort_code;
    if (!o)
        return emu_object_find(d, index, 0) || emu_object_find(d, index, 1) ? 0x06090011 : 0x06020000;
    if (q[0] == 0x40) {
        a[0] = (uint8_t)(0x43 | (4 - o->bytes) << 2);
        store(a + 4, o->value, o->bytes);
        return 0;
    }
    bool list_row = index >= 0x1600 && index < 0x1d00;
    int bytes = 4 - (q[0] >> 2 & 3);
    if ((q[0] & 0xe3) != 0x23)
        return 0x05040001;
    if (o->read_only)
        return 0x06010002;
    if (bytes != o->bytes)
        return 0x06070010;
    if (list_row && sub > 0 && emu_object_find(d, index, 0)->value != 0)
        return 0x06010000; /* the count must be 0 while rows are written */
    if (e->forget_index != index)
        o->value = number(q + 4) & (0xffffffffu >> 8 * (4 - bytes));
    a[0] = 0x60;
    return 0;
}

void emu_mailbox(emulator *e, int i)
{
    emu_device *d = &e->device[i];
    const uint8_t *in = d->reg + BOX_OUT;
    uint8_t *out = d->reg + BOX_IN;
    if ((in[5] & 15) != 3 || word(in + 6) >> 12 != 2 || word(in) < 10) {
        d->process_errors++;
        return;
    }
    memset(out, 0, BOX);
    store(out, 10, 2);
    out[5] = in[5];
    store(out + 6, 3 << 12, 2);
    uint32_t abort = sdo(e, d, in + 8, out + 8);
    if (abort) {
        out[8] = 0x80;
        store(out + 12, abort, 4);
    }
    if (out[8] == 0x60)
        out[8] |= e->flags;
    out[9] = (uint8_t)(out[9] ^ e->strange_mailbox);
    d->reg[0x80d] |= 8;
}
