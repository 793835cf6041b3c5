/* SPDX-License-Identifier: MIT */
/* Encodes and checks the messages of the rig link. */
#include "link/wire.h"

#include <math.h>
#include <string.h>

enum {
    AT_VERSION = 4,
    AT_KIND = 6,
    AT_SESSION = 8,
    AT_SEQUENCE = 16,
    AT_STAMP = 24,
    AT_ECHO = 32,
    AT_TICK = 40,
    AT_TIME = 48,
    AT_WORD = 56,
    AT_HEARTBEAT = 60,
    AT_CHANNELS = 64,
    AT_AUX = 68,
    AT_A = 72,
    AT_B = AT_A + 8 * IFD_RIG_CHANNELS,
    AT_C = AT_B + 8 * IFD_RIG_CHANNELS,
    AT_OUTPUTS = AT_C + 8 * IFD_RIG_AUX,
    AT_COMMANDED = AT_OUTPUTS + 4,
    AT_ZERO = AT_COMMANDED + 4,
    AT_CRC = AT_ZERO + 4
};
_Static_assert(AT_CRC + 4 == IFD__WIRE_SIZE, "the fields fill a message");
_Static_assert(AT_OUTPUTS - AT_A == IFD__WIRE_TEXT, "a text fills the numbers");
_Static_assert(sizeof(double) == 8, "a number is an IEEE 754 double");

static const uint8_t magic[4] = {'I', 'F', 'R', 'G'};

void ifd__wire_put(uint8_t *p, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

uint64_t ifd__wire_get(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

void ifd__wire_put_number(uint8_t *p, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    ifd__wire_put(p, 8, bits);
}

double ifd__wire_get_number(const uint8_t *p)
{
    uint64_t bits = ifd__wire_get(p, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Four bits at a time: the table of the reflected polynomial EDB88320 fits in one cache line. */
uint32_t ifd__crc32(const uint8_t *bytes, size_t length)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc = crc >> 4 ^ table[(crc ^ bytes[i]) & 15u];
        crc = crc >> 4 ^ table[(crc ^ (uint32_t)bytes[i] >> 4) & 15u];
    }
    return ~crc;
}

/* A field goes to the beginning of the next one. */
static void put(uint8_t *out, int from, int to, uint64_t value)
{
    ifd__wire_put(out + from, to - from, value);
}

static uint64_t get(const uint8_t *bytes, int from, int to)
{
    return ifd__wire_get(bytes + from, to - from);
}

void ifd__wire_encode(const ifd__message *m, uint8_t out[IFD__WIRE_SIZE])
{
    memset(out, 0, IFD__WIRE_SIZE);
    memcpy(out, magic, sizeof magic);
    put(out, AT_VERSION, AT_KIND, IFD__WIRE_VERSION);
    put(out, AT_KIND, AT_SESSION, (uint64_t)m->kind);
    put(out, AT_SESSION, AT_SEQUENCE, m->session);
    put(out, AT_SEQUENCE, AT_STAMP, m->sequence);
    put(out, AT_STAMP, AT_ECHO, (uint64_t)m->stamp);
    put(out, AT_ECHO, AT_TICK, (uint64_t)m->echo);
    put(out, AT_TICK, AT_TIME, m->tick);
    ifd__wire_put_number(out + AT_TIME, m->time);
    put(out, AT_WORD, AT_HEARTBEAT, m->word);
    put(out, AT_HEARTBEAT, AT_CHANNELS, m->heartbeat);
    put(out, AT_CHANNELS, AT_AUX, m->channels);
    if (m->kind == IFD__WIRE_WHY)
        memcpy(out + AT_A, m->text, IFD__WIRE_TEXT);
    for (uint32_t k = 0; m->kind != IFD__WIRE_WHY && k < m->channels && k < IFD_RIG_CHANNELS; k++) {
        ifd__wire_put_number(out + AT_A + 8 * k, m->a[k]);
        ifd__wire_put_number(out + AT_B + 8 * k, m->b[k]);
    }
    put(out, AT_AUX, AT_A, m->aux);
    for (uint32_t k = 0; k < m->aux && k < IFD_RIG_AUX; k++)
        ifd__wire_put_number(out + AT_C + 8 * k, m->c[k]);
    put(out, AT_OUTPUTS, AT_COMMANDED, m->outputs);
    put(out, AT_COMMANDED, AT_ZERO, m->commanded);
    put(out, AT_CRC, IFD__WIRE_SIZE, ifd__crc32(out, AT_CRC));
}

unsigned ifd__wire_version(const uint8_t *bytes, size_t length)
{
    return length >= AT_KIND && memcmp(bytes, magic, sizeof magic) == 0 ? (unsigned)get(bytes, AT_VERSION, AT_KIND)
                                                                        : 0;
}

static bool all_zero(const uint8_t *p, size_t count)
{
    uint8_t any = 0;
    for (size_t i = 0; i < count; i++)
        any = (uint8_t)(any | p[i]);
    return any == 0;
}

/* No control characters, and nothing after the end. */
static bool text_fits(const char *text)
{
    bool over = false, fits = text[IFD__WIRE_TEXT - 1] == 0;
    for (int i = 0; i < IFD__WIRE_TEXT; i++) {
        unsigned char c = (unsigned char)text[i];
        fits = fits && (over ? c == 0 : c == 0 || (c >= ' ' && c != 127));
        over = over || c == 0;
    }
    return fits;
}

/* Unused fields must be zero. */
static bool nothing_hidden(const uint8_t *bytes, const ifd__message *m)
{
    if (m->kind == IFD__WIRE_WHY)
        return text_fits(m->text) && all_zero(bytes + AT_ZERO, AT_CRC - AT_ZERO);
    size_t used = 8 * (size_t)m->channels, room = 8 * IFD_RIG_CHANNELS, aux = 8 * (size_t)m->aux;
    return all_zero(bytes + AT_A + used, room - used) && all_zero(bytes + AT_B + used, room - used) &&
           all_zero(bytes + AT_C + aux, 8 * IFD_RIG_AUX - aux) && all_zero(bytes + AT_ZERO, AT_CRC - AT_ZERO);
}

static bool word_fits(const ifd__message *m)
{
    switch (m->kind) {
    case IFD__WIRE_HELLO:
        return (m->word & ~(uint32_t)IFD__HELLO_ASKS) <= IFD__HELLO_ELASTIC ||
               (m->word >= IFD__ANSWER_WELCOME && m->word < IFD__ANSWER_END);
    case IFD__WIRE_COMMAND:
        return m->word < IFD_MACHINE_COUNT;
    case IFD__WIRE_MEASURE:
        return m->word <= (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_RIG_STOPPED | IFD_INPUT_RIG_WAITING |
                           IFD_INPUT_START | IFD_INPUT_UNPOWERED | IFD_INPUT_NOT_ALLOWED | IFD_INPUT_KEPT);
    case IFD__WIRE_BYE:
    case IFD__WIRE_WHY:
        break;
    }
    return m->word == 0;
}

static bool fields_fit(const ifd__message *m)
{
    bool moves = m->kind == IFD__WIRE_COMMAND || m->kind == IFD__WIRE_MEASURE;
    bool ok = m->sequence > 0 && m->stamp >= 0 && m->echo >= 0 && word_fits(m);
    const uint32_t pressure = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
    bool welcome = m->kind == IFD__WIRE_HELLO && m->word == IFD__ANSWER_WELCOME;
    if (m->kind != IFD__WIRE_COMMAND)
        ok = ok && m->heartbeat <= (welcome ? 1 : 0) && (m->outputs & ~(welcome ? pressure : 0u)) == 0 &&
             m->commanded == 0;
    if (m->kind != IFD__WIRE_MEASURE)
        ok = ok && m->aux == 0;
    return ok && m->commanded <= 1 && (moves || m->tick == 0);
}

static bool numbers_fit(const ifd__message *m)
{
    bool ok = isfinite(m->time);
    if (m->kind == IFD__WIRE_HELLO)
        ok = ok && m->time > 0.0;
    if (m->kind == IFD__WIRE_HELLO && m->word < IFD__ANSWER_WELCOME && m->word & IFD__HELLO_ELASTIC)
        ok = ok && m->a[0] > 0.0 && m->b[0] > 0.0;
    for (uint32_t k = 0; m->kind != IFD__WIRE_MEASURE && m->kind != IFD__WIRE_WHY && k < m->channels; k++)
        ok = ok && isfinite(m->a[k]) && isfinite(m->b[k]);
    return ok;
}

static ifd__wire_fault check_frame(const uint8_t *bytes, size_t length)
{
    if (length < AT_KIND)
        return IFD__WIRE_IS_LENGTH;
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return IFD__WIRE_IS_MAGIC;
    if (get(bytes, AT_VERSION, AT_KIND) != IFD__WIRE_VERSION)
        return IFD__WIRE_IS_VERSION; /* before the length, which can change with the version */
    if (length != IFD__WIRE_SIZE)
        return IFD__WIRE_IS_LENGTH;
    return get(bytes, AT_CRC, IFD__WIRE_SIZE) == ifd__crc32(bytes, AT_CRC) ? IFD__WIRE_IS_OK : IFD__WIRE_IS_CRC;
}

static ifd__message unpack(const uint8_t *bytes)
{
    ifd__message m = {.kind = (ifd__wire_kind)get(bytes, AT_KIND, AT_SESSION),
                      .session = get(bytes, AT_SESSION, AT_SEQUENCE),
                      .sequence = get(bytes, AT_SEQUENCE, AT_STAMP),
                      .stamp = (int64_t)get(bytes, AT_STAMP, AT_ECHO),
                      .echo = (int64_t)get(bytes, AT_ECHO, AT_TICK),
                      .tick = get(bytes, AT_TICK, AT_TIME),
                      .time = ifd__wire_get_number(bytes + AT_TIME),
                      .word = (uint32_t)get(bytes, AT_WORD, AT_HEARTBEAT),
                      .heartbeat = (uint32_t)get(bytes, AT_HEARTBEAT, AT_CHANNELS),
                      .channels = (uint32_t)get(bytes, AT_CHANNELS, AT_AUX),
                      .aux = (uint32_t)get(bytes, AT_AUX, AT_A),
                      .outputs = (uint32_t)get(bytes, AT_OUTPUTS, AT_COMMANDED),
                      .commanded = (uint32_t)get(bytes, AT_COMMANDED, AT_ZERO)};
    if (m.kind == IFD__WIRE_WHY) {
        memcpy(m.text, bytes + AT_A, IFD__WIRE_TEXT);
        return m;
    }
    for (int k = 0; k < IFD_RIG_CHANNELS; k++) {
        m.a[k] = ifd__wire_get_number(bytes + AT_A + 8 * k);
        m.b[k] = ifd__wire_get_number(bytes + AT_B + 8 * k);
    }
    for (int k = 0; k < IFD_RIG_AUX; k++)
        m.c[k] = ifd__wire_get_number(bytes + AT_C + 8 * k);
    return m;
}

ifd__wire_fault ifd__wire_decode(const uint8_t *bytes, size_t length, ifd__message *m)
{
    ifd__wire_fault frame = check_frame(bytes, length);
    if (frame != IFD__WIRE_IS_OK)
        return frame;
    uint64_t kind = get(bytes, AT_KIND, AT_SESSION);
    if (kind < IFD__WIRE_HELLO || kind > IFD__WIRE_WHY)
        return IFD__WIRE_IS_KIND;
    ifd__message got = unpack(bytes);
    if (got.channels < 1 || got.channels > IFD_RIG_CHANNELS || got.aux > IFD_RIG_AUX)
        return IFD__WIRE_IS_CHANNELS;
    if (!nothing_hidden(bytes, &got) || !fields_fit(&got))
        return IFD__WIRE_IS_FIELD;
    if (!numbers_fit(&got))
        return IFD__WIRE_IS_NUMBER;
    *m = got;
    return IFD__WIRE_IS_OK;
}
