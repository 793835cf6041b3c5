/* SPDX-License-Identifier: MIT */
/* Counts refused messages, and describes the first with the place and the value of its fault. */
#include "link/refusal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ifd__refusal_note(ifd__refusals *r, ifd__wire_fault fault, const uint8_t *bytes, size_t length,
                       uint64_t expected)
{
    atomic_fetch_add_explicit(&r->count[fault], 1, memory_order_relaxed);
    if (atomic_load_explicit(&r->first, memory_order_relaxed)) /* another thread may be reading it */
        return;
    memcpy(r->bytes, bytes, length < IFD__WIRE_SIZE ? length : IFD__WIRE_SIZE);
    r->length = length;
    r->expected = expected;
    atomic_store_explicit(&r->first, (int)fault, memory_order_release);
}

typedef struct field {
    int at, last;
    const char *name;
} field;

static field field_of(int at)
{
    static const field fields[] = {
#define ROW(name, bytes, text) {IFD__WIRE_AT_##name, IFD__WIRE_LAST_##name, text},
        IFD__WIRE_FIELDS(ROW)
#undef ROW
    };
    int i = 0;
    while (at > fields[i].last)
        i++;
    return fields[i];
}

/* " (heartbeat 7 at byte 60)". Numbers of a list have their own places; of an unused byte the value is that byte. */
static void print_value(const uint8_t *bytes, int at, bool number, char *out, size_t size)
{
    const field f = field_of(at);
    const int length = f.last - f.at + 1;
    char value[40];
    if (f.at == IFD__WIRE_AT_TIME || number)
        snprintf(value, sizeof value, "%g", ifd__wire_get_number(bytes + at));
    else if (f.at == IFD__WIRE_AT_STAMP || f.at == IFD__WIRE_AT_ECHO)
        snprintf(value, sizeof value, "%" PRId64, (int64_t)ifd__wire_get(bytes + at, 8));
    else if (f.at == IFD__WIRE_AT_SESSION || f.at == IFD__WIRE_AT_MAGIC)
        snprintf(value, sizeof value, "0x%" PRIx64, ifd__wire_get(bytes + at, length));
    else if (length > 8)
        snprintf(value, sizeof value, "0x%02x", bytes[at]);
    else
        snprintf(value, sizeof value, "%" PRIu64, ifd__wire_get(bytes + f.at, length));
    snprintf(out, size, " (%s %s at byte %d", f.name, value, at);
}

static int place(ifd__wire_fault fault, const uint8_t *bytes)
{
    switch (fault) {
    case IFD__WIRE_IS_MAGIC:
        return IFD__WIRE_AT_MAGIC;
    case IFD__WIRE_IS_VERSION:
        return IFD__WIRE_AT_VERSION;
    case IFD__WIRE_IS_KIND:
        return IFD__WIRE_AT_KIND;
    case IFD__WIRE_IS_SESSION:
        return IFD__WIRE_AT_SESSION;
    default:
        return ifd__wire_wrong(bytes);
    }
}

bool ifd__refusal_print(const ifd__refusals *r, char *out, size_t size)
{
    static const char *const words[] = {
#define ROW(name, word, text) text,
        IFD__WIRE_FAULTS(ROW)
#undef ROW
    };
    char where[120] = "", rest[60] = "";
    const ifd__wire_fault fault = (ifd__wire_fault)atomic_load_explicit(&r->first, memory_order_acquire);
    int at = -1;
    if (fault == IFD__WIRE_IS_LENGTH)
        snprintf(where, sizeof where, " (%zu bytes, expected %d)", r->length, IFD__WIRE_SIZE);
    else if (fault == IFD__WIRE_IS_CRC)
        snprintf(where, sizeof where, " (0x%08" PRIx64 ", computed 0x%08" PRIx32 ")",
                 ifd__wire_get(r->bytes + IFD__WIRE_AT_CRC, 4), ifd__crc32(r->bytes, IFD__WIRE_AT_CRC));
    else if (fault != IFD__WIRE_IS_OK && fault != IFD__WIRE_IS_SEAL)
        at = place(fault, r->bytes);
    if (r->expected && fault == IFD__WIRE_IS_ACTUATORS)
        at = IFD__WIRE_AT_ACTUATORS;
    if (at >= 0) {
        print_value(r->bytes, at, fault == IFD__WIRE_IS_NUMBER, where, sizeof where);
        snprintf(rest, sizeof rest, r->expected > 99 ? ", expected 0x%" PRIx64 : ", expected %" PRIu64, r->expected);
        snprintf(where + strlen(where), sizeof where - strlen(where), "%s)", r->expected ? rest : "");
    }
    snprintf(out, size, "%s%s", words[fault], where);
    return fault != IFD__WIRE_IS_OK;
}
