/* SPDX-License-Identifier: MIT */
/* From unknown devices to SAFE-OP. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire.h"

enum { SM_MAILBOX_OUT = 0x26, SM_MAILBOX_IN = 0x22, SM_WATCHDOG = 0x40 }; /* control bytes of sync managers */
enum {
    TYPE_OUTPUTS = 3,
    TYPE_INPUTS = 4,
    CATEGORY_SYNC_MANAGERS = 41,
    CATEGORY_INPUTS = 50,
    CATEGORY_OUTPUTS = 51,
    ASSIGNMENT = 0x1c10, /* of PDOs to sync managers */
    SII_READY = 0x8000,
    SII_ERRORS = 0x7000
};
enum { STATE_TRIES = 10000 };              /* of a millisecond */
enum { DIVIDER = 2498, WATCHDOG = 10000 }; /* 100 us in units of 40 ns, less 2; watchdog counts per s */

/* Objects of a device through its mailbox: CoE, SDOs of at most four bytes. */
enum {
    MAILBOX = EC_FRAME - EC_FIRST - EC_HEAD - EC_TAIL, /* 1486: the only datagram of a frame */
    COE = 3,
    SDO_REQUEST = 2,
    SDO_ANSWER = 3,
    PROTOCOL_COE = 4
};
enum { KIND = 0xe0, WRITTEN = 0x60, READ = 0x40, ABORT = 0x80 }; /* upper three bits of an answer */
enum { TRIES = 4000 }; /* of half a millisecond: the time of a device for one answer */

/* Whether a device has objects that its mailbox reaches (CoE). */
static bool has_objects(const ec_device *d)
{
    return d->protocols & PROTOCOL_COE && d->mailbox_out_size >= 16 && d->mailbox_in_size >= 16;
}

typedef struct code_text {
    uint32_t code;
    const char *text;
} code_text;

static const code_text aborts[] = {{0x05040000, "the device timed out"},
                                   {0x06010000, "access is not supported"},
                                   {0x06010001, "the object can only be written"},
                                   {0x06010002, "the object can only be read"},
                                   {0x06020000, "the object does not exist"},
                                   {0x06040041, "the object cannot be mapped"},
                                   {0x06040042, "the process data become too long"},
                                   {0x06070010, "the object has another length"},
                                   {0x06090011, "the sub-index does not exist"},
                                   {0x06090030, "the value is outside its range"},
                                   {0x08000021, "local control of the device prevents it"},
                                   {0x08000022, "the state of the device prevents it"},
                                   {0, "no text for this code"}};

static const code_text states[] = {{0x11, "invalid request of a state"},   {0x16, "invalid mailbox configuration"},
                                   {0x17, "invalid sync manager"},         {0x1a, "synchronisation error"},
                                   {0x1b, "watchdog of the sync manager"}, {0x1d, "invalid output configuration"},
                                   {0x1e, "invalid input configuration"},  {0x1f, "invalid watchdog configuration"},
                                   {0x2c, "fatal error of SYNC0"},         {0x30, "invalid configuration of SYNC0"},
                                   {0, "see the manual of the device"}};

/* The last row, with code 0, is for all others. */
static const char *text_of(const code_text *row, uint32_t code)
{
    while (row->code && row->code != code)
        row++;
    return row->text;
}

/* Why an SDO failed: an abort, an answer that is none, a mailbox, or silence. */
static const char *reason(const ec *m, int i, char text[120])
{
    const ec_device *d = &m->device[i];
    const uint8_t *a = m->answer;
    if (m->abort)
        snprintf(text, 120, "%s (abort code 0x%08x)", text_of(aborts, m->abort), (unsigned)m->abort);
    else if (m->answered)
        snprintf(text, 120, "the answer begins with %02x %02x %02x %02x, which is not expected", a[0], a[1], a[2],
                 a[3]);
    else if (!has_objects(d))
        snprintf(text, 120, "the device has no mailbox for objects (CoE)");
    else if (d->mailbox_out_size > MAILBOX || d->mailbox_in_size > MAILBOX)
        snprintf(text, 120, "its mailboxes have %d and %d bytes, at most %d are supported", d->mailbox_out_size,
                 d->mailbox_in_size, MAILBOX);
    else
        snprintf(text, 120, "the mailbox does not answer");
    return text;
}

static bool fetch(ec *m, int i, uint8_t box[MAILBOX])
{
    ec_device *d = &m->device[i];
    const ec_datagram in = {EC_FPRD, ec__place(d->address, d->mailbox_in), box, d->mailbox_in_size};
    uint8_t status;
    for (int k = 0; k < TRIES; k++) {
        memset(box, 0, MAILBOX);
        if (ec__read(m, i, EC_REG_SYNC_MANAGER + 8 + 5, &status, 1) && status & 8 && ec__exchange(m, &in, 1) == 1 &&
            (box[5] & 15) == COE &&
            (get16(box + 6) >> 12 == SDO_ANSWER || (get16(box + 6) >> 12 == SDO_REQUEST && (box[8] & KIND) == ABORT)))
            return true; /* an abort may have either service; others, such as an emergency message, are passed over */
        ec__rest(500);
    }
    return false;
}

/* The answer to one SDO request, 8 bytes or more; false also if the device aborts. */
static bool coe(ec *m, int i, uint8_t sdo[16])
{
    ec_device *d = &m->device[i];
    uint8_t box[MAILBOX] = {0};
    m->abort = 0;
    m->answered = false;
    if (!has_objects(d) || d->mailbox_out_size > MAILBOX || d->mailbox_in_size > MAILBOX)
        return false;
    d->counter = (uint8_t)(d->counter % 7 + 1);
    put16(box, 10);
    box[5] = (uint8_t)(COE | d->counter << 4);
    put16(box + 6, SDO_REQUEST << 12);
    memcpy(box + 8, sdo, 8);
    uint8_t asked[4];
    memcpy(asked, sdo, 4);
    const ec_datagram out = {EC_FPWR, ec__place(d->address, d->mailbox_out), box, d->mailbox_out_size};
    if (ec__exchange(m, &out, 1) != 1 || !fetch(m, i, box)) /* never repeated: the device might act twice */
        return false;
    memcpy(sdo, box + 8, 16);
    memcpy(m->answer, sdo, sizeof m->answer);
    m->answered = true;
    if (memcmp(sdo + 1, asked + 1, 3) != 0)
        return false; /* the answer to another request */
    if ((sdo[0] & KIND) == ABORT)
        m->abort = get32(sdo + 4);
    return (sdo[0] & KIND) != ABORT;
}

int ec_sdo_read(ec *m, int device, uint16_t index, uint8_t sub, uint32_t *value)
{
    uint8_t sdo[16] = {0x40};
    put16(sdo + 1, index);
    sdo[3] = sub;
    *value = 0;
    char text[120];
    if (!coe(m, device, sdo) || (sdo[0] & KIND) != READ) {
        ec__fail(m, "device %d (%s): object 0x%04x:%d cannot be read: %s", device + 1, m->line->device[device].name,
                 index, sub, reason(m, device, text));
        return -1;
    }
    bool expedited = sdo[0] & 2;
    uint32_t bytes = !expedited ? get32(sdo + 4) : sdo[0] & 1 ? 4u - (sdo[0] >> 2 & 3) : 4;
    if (bytes < 1 || bytes > 4) {
        ec__fail(m, "device %d (%s): object 0x%04x:%d has %u bytes, expected 1 to 4", device + 1,
                 m->line->device[device].name, index, sub, (unsigned)bytes);
        return -1;
    }
    *value = get32(expedited ? sdo + 4 : sdo + 8) & (0xffffffffu >> 8 * (4 - bytes));
    return (int)bytes;
}

bool ec_sdo_write(ec *m, int device, const ec_sdo *s)
{
    uint8_t sdo[16] = {(uint8_t)(0x23 | (4 - s->bytes) << 2)};
    put16(sdo + 1, s->index);
    sdo[3] = s->sub;
    put32(sdo + 4, s->value);
    char text[120];
    if (coe(m, device, sdo) && (sdo[0] & KIND) == WRITTEN)
        return true;
    return ec__fail(m, "device %d (%s): object 0x%04x:%d does not accept 0x%x: %s", device + 1,
                    m->line->device[device].name, s->index, s->sub, (unsigned)s->value, reason(m, device, text));
}

static bool sdo_verified(ec *m, int device, const ec_sdo *s)
{
    uint32_t back;
    uint32_t written = s->value & (0xffffffffu >> 8 * (4 - s->bytes));
    if (!ec_sdo_write(m, device, s) || ec_sdo_read(m, device, s->index, s->sub, &back) < 0)
        return false;
    if (back == written)
        return true;
    return ec__fail(m, "device %d (%s): object 0x%04x:%d is 0x%x after 0x%x was written", device + 1,
                    m->line->device[device].name, s->index, s->sub, (unsigned)back, (unsigned)written);
}

static bool to_state(ec *m, int i, uint8_t state)
{
    uint8_t b[6] = {state};
    ec__write(m, i, EC_REG_CONTROL, b, 2);
    for (int k = 0; k < STATE_TRIES; k++) {
        if (!ec__read(m, i, EC_REG_STATUS, b, 6))
            return ec__fail(m, "device %d (%s) does not answer", i + 1, m->line->device[i].name);
        if ((b[0] & 0x1f) == state)
            return true;
        if (b[0] & EC_ERROR)
            break;
        ec__rest(1000);
    }
    return ec__fail(m, "device %d (%s) does not reach state %d: state 0x%02x, AL status code 0x%04x (%s)", i + 1,
                    m->line->device[i].name, state, b[0], get16(b + 4), text_of(states, get16(b + 4)));
}

/* Two words of the SII. */
static bool sii(ec *m, int i, unsigned word, uint8_t out[4])
{
    uint8_t b[6] = {0, 1}, status[2];
    put32(b + 2, word);
    if (!ec__write(m, i, EC_REG_SII, b, 6))
        return false;
    for (int k = 0; k < 1000; k++) {
        if (!ec__read(m, i, EC_REG_SII, status, 2))
            return false;
        if (!(get16(status) & SII_READY))
            return !(get16(status) & SII_ERRORS) && ec__read(m, i, EC_REG_SII + 6, out, 4);
        ec__rest(200);
    }
    return false;
}

static bool sii32(ec *m, int i, unsigned word, uint32_t *out)
{
    uint8_t b[4];
    bool done = sii(m, i, word, b);
    *out = done ? get32(b) : 0;
    return done;
}

static bool sii16(ec *m, int i, unsigned word, uint16_t *low, uint16_t *high)
{
    uint32_t both;
    bool done = sii32(m, i, word, &both);
    *low = (uint16_t)both;
    *high = (uint16_t)(both >> 16);
    return done;
}

static bool sii_sync_managers(ec *m, int i, unsigned at, unsigned words)
{
    ec_device *d = &m->device[i];
    for (unsigned k = 0; k + 4 <= words && d->sync_managers < EC_SYNC_MANAGERS; k += 4) {
        struct ec_sync_manager *s = &d->sync_manager[d->sync_managers++];
        uint16_t size, control, enable;
        if (!sii16(m, i, at + k, &s->start, &size) || !sii16(m, i, at + k + 2, &control, &enable))
            return false;
        s->control = (uint8_t)control;
        s->type = (uint8_t)(enable >> 8);
    }
    return true;
}

/* PDOs of a device whose mapping is fixed: those that belong to a sync manager, in order. */
static bool sii_pdos(ec *m, int i, unsigned at, unsigned words, bool input)
{
    ec_device *d = &m->device[i];
    const uint16_t none = 0xff;
    for (unsigned k = 0, left; k + 4 <= words; k += 4u * (left + 1u)) {
        uint16_t index, counts, type, flags;
        if (!sii16(m, i, at + k, &index, &counts))
            return false;
        left = counts & 0xff;
        for (unsigned e = 1; e <= left && k + 4 * e + 4 <= words && counts >> 8 != none; e++) {
            uint16_t sub;
            if (!sii16(m, i, at + k + 4 * e, &index, &sub) || !sii16(m, i, at + k + 4 * e + 2, &type, &flags))
                return false;
            if (d->entries == EC_ENTRIES)
                return true; /* ec__map refuses it */
            d->entry[d->entries++] = (ec_entry){index, (uint8_t)sub, (uint8_t)(type >> 8), input, d->bits[input]};
            d->bits[input] += type >> 8;
        }
    }
    return true;
}

/* Identity, mailbox and sync managers of a device from its SII. */
static bool sii_read(ec *m, int i)
{
    ec_device *d = &m->device[i];
    uint16_t unused, kind, words;
    bool done = sii32(m, i, 0x08, &d->vendor) && sii32(m, i, 0x0a, &d->product) && sii32(m, i, 0x0c, &d->revision) &&
                sii16(m, i, 0x18, &d->mailbox_out, &d->mailbox_out_size) &&
                sii16(m, i, 0x1a, &d->mailbox_in, &d->mailbox_in_size) && sii16(m, i, 0x1c, &d->protocols, &unused);
    for (unsigned at = 0x40; done && at < 0x4000; at += 2u + words) {
        done = sii16(m, i, at, &kind, &words);
        if (!done || kind == 0 || kind == 0xffff)
            break;
        if (kind == CATEGORY_SYNC_MANAGERS)
            done = sii_sync_managers(m, i, at + 2, words);
        if ((kind == CATEGORY_INPUTS || kind == CATEGORY_OUTPUTS) && !has_objects(d))
            done = sii_pdos(m, i, at + 2, words, kind == CATEGORY_INPUTS);
    }
    return done || ec__fail(m, "device %d: its SII cannot be read", i + 1);
}

static bool identity(ec *m, int i)
{
    const ec_device *d = &m->device[i];
    const ec_expected *e = &m->line->device[i];
    if (d->vendor == e->vendor && d->product == e->product && d->revision >= e->revision)
        return true;
    return ec__fail(
        m,
        "device %d is vendor 0x%08x, product 0x%08x, revision 0x%08x; expected '%s': vendor 0x%08x, product "
        "0x%08x, revision 0x%08x or later",
        i + 1, (unsigned)d->vendor, (unsigned)d->product, (unsigned)d->revision, e->name, (unsigned)e->vendor,
        (unsigned)e->product, (unsigned)e->revision);
}

static bool write_sync_manager(ec *m, int i, int k, uint16_t start, int size, uint8_t control)
{
    uint8_t b[8] = {0};
    put16(b, start);
    put16(b + 2, (uint32_t)size);
    b[4] = control;
    b[6] = size > 0;
    return ec__write(m, i, EC_REG_SYNC_MANAGER + 8 * k, b, 8);
}

static bool write_fmmu(ec *m, int i, int k, int logical, int size, bool input)
{
    uint8_t b[16] = {0};
    int manager = 0;
    while (m->device[i].sync_manager[manager].type != (input ? TYPE_INPUTS : TYPE_OUTPUTS))
        manager++;
    put32(b, (uint32_t)logical);
    put16(b + 4, (uint32_t)size);
    b[7] = 7;
    put16(b + 8, m->device[i].sync_manager[manager].start);
    b[11] = input ? 1 : 2;
    b[12] = 1;
    return ec__write(m, i, EC_REG_FMMU + 16 * k, b, 16);
}

/* All devices to INIT with nothing configured; counts them and gives them addresses. */
static bool find_devices(ec *m)
{
    uint8_t b[2] = {0}, zero[256] = {0};
    const ec_datagram count = {EC_BRD, ec__place(0, 0), b, 1};
    int found = ec__exchange(m, &count, 10);
    if (found <= 0)
        return ec__fail(m, "no device answers on '%s': cable, power, another interface?", m->line->interface);
    if (found != m->line->devices)
        return ec__fail(m, "%d devices on '%s', expected %d", found, m->line->interface, m->line->devices);
    m->devices = found;
    b[0] = EC_INIT | EC_ERROR; /* errors acknowledged */
    bool done = ec__broadcast(m, EC_REG_CONTROL, b, 2) == found;
    done =
        done && ec__broadcast(m, EC_REG_FMMU, zero, 256) >= 0 && ec__broadcast(m, EC_REG_SYNC_MANAGER, zero, 64) >= 0;
    b[0] = 2; /* the SII is taken from the device's own processor */
    done = done && ec__broadcast(m, EC_REG_SII_OWNER, b, 1) >= 0;
    b[0] = 0;
    done = done && ec__broadcast(m, EC_REG_SII_OWNER, b, 1) >= 0;
    for (int i = 0; i < found && done; i++) {
        m->device[i].address = (uint16_t)(0x1001 + i);
        put16(b, m->device[i].address);
        const ec_datagram name = {EC_APWR, ec__place((uint16_t)-i, EC_REG_ADDRESS), b, 2};
        if (ec__exchange(m, &name, 10) != 1)
            return ec__fail(m, "device %d does not accept an address", i + 1);
    }
    return done || ec__fail(m, "the devices do not accept the state INIT");
}

/* The process data of a device: PDOs assigned to its sync managers, and the objects in them. */
static bool set(ec *m, int i, int index, int sub, uint32_t value, int bytes)
{
    const ec_sdo s = {.index = (uint16_t)index, .sub = (uint8_t)sub, .bytes = (uint8_t)bytes, .value = value};
    return ec_sdo_write(m, i, &s);
}

/* A list object takes its count last: 0, the rows, the count. */
static bool write_pdo(ec *m, int i, const ec_pdo *p)
{
    if (p->entries == 0)
        return true;
    bool done = set(m, i, p->index, 0, 0, 1);
    for (int k = 0; done && k < p->entries; k++)
        done = set(m, i, p->index, k + 1, p->entry[k], 4);
    return done && sdo_verified(m, i, &(ec_sdo){.index = p->index, .bytes = 1, .value = (uint32_t)p->entries});
}

static bool write_assignment(ec *m, int i, int manager, bool input)
{
    const ec_expected *e = &m->line->device[i];
    int count = e->pdos[input], list = ASSIGNMENT + manager;
    if (count == 0)
        return true;
    bool done = set(m, i, list, 0, 0, 1);
    for (int k = 0; done && k < count; k++)
        done = write_pdo(m, i, &e->pdo[input][k]) && set(m, i, list, k + 1, e->pdo[input][k].index, 2);
    return done && sdo_verified(m, i, &(ec_sdo){.index = (uint16_t)list, .bytes = 1, .value = (uint32_t)count});
}

static bool read_pdo(ec *m, int i, uint16_t pdo, bool input, int *bits)
{
    ec_device *d = &m->device[i];
    uint32_t count, e;
    if (ec_sdo_read(m, i, pdo, 0, &count) < 0)
        return false;
    for (uint32_t s = 1; s <= count; s++) {
        if (ec_sdo_read(m, i, pdo, (uint8_t)s, &e) < 0)
            return false;
        if (d->entries == EC_ENTRIES)
            return ec__fail(m, "device %d (%s) has more than %d objects in its process data", i + 1,
                            m->line->device[i].name, EC_ENTRIES);
        d->entry[d->entries++] = (ec_entry){(uint16_t)(e >> 16), (uint8_t)(e >> 8), (uint8_t)e, input, *bits};
        *bits += (int)(e & 255);
    }
    return true;
}

static bool read_assignment(ec *m, int i, int manager, bool input)
{
    uint32_t count, pdo;
    int bits = 8 * m->device[i].bytes[input];
    if (ec_sdo_read(m, i, (uint16_t)(ASSIGNMENT + manager), 0, &count) < 0)
        return false;
    for (uint32_t k = 1; k <= count; k++)
        if (ec_sdo_read(m, i, (uint16_t)(ASSIGNMENT + manager), (uint8_t)k, &pdo) < 0 ||
            !read_pdo(m, i, (uint16_t)pdo, input, &bits))
            return false;
    m->device[i].bytes[input] = (bits + 7) / 8;
    return true;
}

static bool map_process_data(ec *m, int i)
{
    ec_device *d = &m->device[i];
    bool seen[2] = {false, false}, fixed = !has_objects(d);
    if (fixed && d->entries == EC_ENTRIES)
        return ec__fail(m, "device %d (%s) has %d objects or more in its process data", i + 1,
                        m->line->device[i].name, EC_ENTRIES);
    for (int k = 0; k < 2 && fixed; k++)
        d->bytes[k] = (d->bits[k] + 7) / 8;
    for (int k = 0; k < d->sync_managers; k++) {
        bool input = d->sync_manager[k].type == TYPE_INPUTS;
        if (d->sync_manager[k].type != TYPE_OUTPUTS && !input)
            continue;
        if (seen[input])
            return ec__fail(m, "device %d (%s) has two sync managers for its %s: not supported", i + 1,
                            m->line->device[i].name, input ? "inputs" : "outputs");
        seen[input] = true;
        if (fixed)
            continue;
        if (!write_assignment(m, i, k, input) || !read_assignment(m, i, k, input))
            return false;
    }
    return true;
}

/* A startup object was refused: whether the device may do without it. */
static bool may_be_absent(ec *m, int i, const ec_sdo *s)
{
    const uint32_t absent = 0x06020000;
    if (m->abort != absent || !s->absent)
        return false;
    return !*s->absent || ec__fail(m, "device %d (%s) has no object 0x%04x: add `%s` to its axis", i + 1,
                                   m->line->device[i].name, s->index, s->absent);
}

static bool to_preop(ec *m, int i)
{
    ec_device *d = &m->device[i];
    const ec_expected *e = &m->line->device[i];
    if (d->mailbox_out_size > 0 &&
        !(write_sync_manager(m, i, 0, d->mailbox_out, d->mailbox_out_size, SM_MAILBOX_OUT) &&
          write_sync_manager(m, i, 1, d->mailbox_in, d->mailbox_in_size, SM_MAILBOX_IN)))
        return ec__fail(m, "device %d (%s) does not accept its mailbox", i + 1, e->name);
    if (!to_state(m, i, EC_PREOP))
        return false;
    if (!has_objects(d) && (e->startups > 0 || e->pdos[0] > 0 || e->pdos[1] > 0))
        return ec__fail(m,
                        "device %d (%s) has no objects (CoE), its process data are fixed: no 'startup', 'outputs', "
                        "'inputs' or axis",
                        i + 1, e->name);
    for (int k = 0; k < e->startups; k++)
        if (!sdo_verified(m, i, &e->startup[k]) && !may_be_absent(m, i, &e->startup[k]))
            return false;
    return map_process_data(m, i);
}

/* Read back: a device with another watchdog would not stop its drive when this program is killed. */
static bool set_watchdog(ec *m, int i)
{
    uint8_t b[2];
    uint32_t time = (uint32_t)(m->line->watchdog * WATCHDOG + 0.5);
    put16(b, DIVIDER);
    bool done = ec__write(m, i, EC_REG_DIVIDER, b, 2) && ec__read(m, i, EC_REG_DIVIDER, b, 2) && get16(b) == DIVIDER;
    put16(b, time);
    done =
        done && ec__write(m, i, EC_REG_WATCHDOG, b, 2) && ec__read(m, i, EC_REG_WATCHDOG, b, 2) && get16(b) == time;
    return done || ec__fail(m, "device %d (%s) does not accept its watchdog", i + 1, m->line->device[i].name);
}

/* Process data of one direction: sync manager, FMMU, places of the objects in the image. */
static bool place_data(ec *m, int i, bool input, int *fmmu, int *at)
{
    ec_device *d = &m->device[i];
    int size = d->bytes[input];
    bool done = true;
    if (size == 0)
        return true;
    for (int k = 0; k < d->sync_managers; k++) {
        const struct ec_sync_manager *s = &d->sync_manager[k];
        if (s->type == (input ? TYPE_INPUTS : TYPE_OUTPUTS))
            done = done &&
                   write_sync_manager(m, i, k, s->start, size, (uint8_t)(s->control | (input ? 0 : SM_WATCHDOG)));
    }
    done = done && write_fmmu(m, i, (*fmmu)++, *at, size, input);
    for (int e = 0; e < d->entries; e++)
        if (d->entry[e].input == input)
            d->entry[e].bit += 8 * *at;
    *at += size;
    m->expected += input ? 1 : 2;
    return done || ec__fail(m, "device %d (%s) does not accept its process data", i + 1, m->line->device[i].name);
}

static bool to_safeop(ec *m)
{
    int out = 0, in = m->bytes[0];
    for (int i = 0; i < m->devices; i++) {
        int fmmu = 0;
        if (!place_data(m, i, false, &fmmu, &out) || !place_data(m, i, true, &fmmu, &in) || !set_watchdog(m, i) ||
            !to_state(m, i, EC_SAFEOP))
            return false;
    }
    return true;
}

bool ec_open(ec *m, const ec_line *line)
{
    memset(m, 0, sizeof *m);
    m->line = line;
    m->socket = m->reference = -1;
    if (!(line->watchdog * WATCHDOG >= 1.0 && line->watchdog * WATCHDOG <= 65535.0))
        return ec__fail(m,
                        "a watchdog of %g s is not possible, expected 0.0001 to 6.5535 s: without it the drives do "
                        "not stop when this program is killed",
                        line->watchdog);
    if (!ec__connect(m))
        return false;
    m->number = (uint64_t)ec__now() << 8; /* answers to an earlier session belong to no frame of this one */
    bool done = find_devices(m);
    for (int i = 0; done && i < m->devices; i++)
        done = sii_read(m, i) && identity(m, i);
    for (int i = 0; done && i < m->devices; i++) {
        done = to_preop(m, i);
        m->bytes[0] += m->device[i].bytes[0];
        m->bytes[1] += m->device[i].bytes[1];
    }
    if (done && m->bytes[0] + m->bytes[1] > EC_IMAGE)
        done = ec__fail(m, "%d bytes of process data, at most %d", m->bytes[0] + m->bytes[1], EC_IMAGE);
    return done && ec__clocks(m) && to_safeop(m) && ec__cycle_begin(m);
}

void ec_close(ec *m)
{
    uint8_t b[2] = {EC_INIT};
    if (m->socket < 0)
        return;
    if (m->devices > 0)
        ec__broadcast(m, EC_REG_CONTROL, b, 2);
    close(m->socket);
    m->socket = -1;
}
