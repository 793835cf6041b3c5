/* SPDX-License-Identifier: MIT */
/* Objects of a device through its mailbox: CoE, SDOs of at most four bytes. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "wire.h"

enum {
    MAILBOX = EC_FRAME - EC_FIRST - EC_HEAD - EC_TAIL, /* 1486: the only datagram of a frame */
    COE = 3,
    SDO_REQUEST = 2,
    SDO_ANSWER = 3,
    PROTOCOL_COE = 4
};
enum { KIND = 0xe0, WRITTEN = 0x60, READ = 0x40, ABORT = 0x80 }; /* upper three bits of an answer */
enum { TRIES = 4000 }; /* of half a millisecond: the time of a device for one answer */

static const char *abort_text(uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *text;
    } known[] = {{0x05040000, "the device timed out"},
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
                 {0x08000022, "the state of the device prevents it"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            return known[i].text;
    return "no text for this code";
}

/* Why an SDO failed: an abort, an answer that is none, a mailbox, or silence. */
static const char *reason(const ec *m, int i, char text[120])
{
    const ec_device *d = &m->device[i];
    const uint8_t *a = m->answer;
    if (m->abort)
        snprintf(text, 120, "%s (abort code 0x%08x)", abort_text(m->abort), (unsigned)m->abort);
    else if (m->answered)
        snprintf(text, 120, "the answer begins with %02x %02x %02x %02x, which is not expected", a[0], a[1], a[2],
                 a[3]);
    else if (!ec__has_objects(d))
        snprintf(text, 120, "the device has no mailbox for objects (CoE)");
    else if (d->mailbox_out_size > MAILBOX || d->mailbox_in_size > MAILBOX)
        snprintf(text, 120, "its mailboxes have %d and %d bytes, at most %d are supported", d->mailbox_out_size,
                 d->mailbox_in_size, MAILBOX);
    else
        snprintf(text, 120, "the mailbox does not answer");
    return text;
}

bool ec__has_objects(const ec_device *d)
{
    return d->protocols & PROTOCOL_COE && d->mailbox_out_size >= 16 && d->mailbox_in_size >= 16;
}

/* One message there and one back. A message is never repeated: the device might act twice. */
static bool post(ec *m, int i, uint8_t box[MAILBOX])
{
    ec_device *d = &m->device[i];
    const ec_datagram out = {EC_FPWR, ec__place(d->address, d->mailbox_out), box, d->mailbox_out_size};
    return ec__exchange(m, &out, 1) == 1;
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
    if (!ec__has_objects(d) || d->mailbox_out_size > MAILBOX || d->mailbox_in_size > MAILBOX)
        return false;
    d->counter = (uint8_t)(d->counter % 7 + 1);
    put16(box, 10);
    box[5] = (uint8_t)(COE | d->counter << 4);
    put16(box + 6, SDO_REQUEST << 12);
    memcpy(box + 8, sdo, 8);
    uint8_t asked[4];
    memcpy(asked, sdo, 4);
    if (!post(m, i, box) || !fetch(m, i, box))
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

bool ec__sdo_verified(ec *m, int device, const ec_sdo *s)
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
