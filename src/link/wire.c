/* SPDX-License-Identifier: MIT */
/* Encodes and checks the messages of the rig link. */
#include "link/wire.h"

#include <math.h>
#include <string.h>

_Static_assert((int)IFD__WIRE_END == (int)IFD__WIRE_SIZE, "the fields fill a message");
_Static_assert((int)IFD__WIRE_AT_OUTPUTS - (int)IFD__WIRE_AT_A == (int)IFD__WIRE_TEXT, "a text fills the numbers");
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

/* An integer field. */
#define BYTES(field) (IFD__WIRE_LAST_##field - IFD__WIRE_AT_##field + 1)
#define PUT(out, field, value) ifd__wire_put((out) + IFD__WIRE_AT_##field, BYTES(field), value)
#define GET(bytes, field) ifd__wire_get((bytes) + IFD__WIRE_AT_##field, BYTES(field))

void ifd__wire_encode(const ifd__message *m, uint8_t out[IFD__WIRE_SIZE])
{
    memset(out, 0, IFD__WIRE_SIZE);
    memcpy(out, magic, sizeof magic);
    PUT(out, VERSION, IFD__WIRE_VERSION);
    PUT(out, KIND, (uint64_t)m->kind);
    PUT(out, SESSION, m->session);
    PUT(out, SEQUENCE, m->sequence);
    PUT(out, STAMP, (uint64_t)m->stamp);
    PUT(out, ECHO, (uint64_t)m->echo);
    PUT(out, TICK, m->tick);
    ifd__wire_put_number(out + IFD__WIRE_AT_TIME, m->time);
    PUT(out, WORD, m->word);
    PUT(out, HEARTBEAT, m->heartbeat);
    PUT(out, ACTUATORS, m->actuators);
    if (m->kind == IFD__WIRE_WHY)
        memcpy(out + IFD__WIRE_AT_A, m->text, IFD__WIRE_TEXT);
    for (uint32_t k = 0; m->kind != IFD__WIRE_WHY && k < m->actuators && k < IFD_RIG_ACTUATORS; k++) {
        ifd__wire_put_number(out + IFD__WIRE_AT_A + 8 * k, m->a[k]);
        ifd__wire_put_number(out + IFD__WIRE_AT_B + 8 * k, m->b[k]);
    }
    PUT(out, AUX, m->aux);
    for (uint32_t k = 0; k < m->aux && k < IFD_RIG_AUX; k++)
        ifd__wire_put_number(out + IFD__WIRE_AT_C + 8 * k, m->c[k]);
    PUT(out, OUTPUTS, m->outputs);
    PUT(out, COMMANDED, m->commanded);
    PUT(out, CRC, ifd__crc32(out, IFD__WIRE_AT_CRC));
}

unsigned ifd__wire_version(const uint8_t *bytes, size_t length)
{
    return length >= IFD__WIRE_AT_KIND && memcmp(bytes, magic, sizeof magic) == 0 ? (unsigned)GET(bytes, VERSION) : 0;
}

/* The first byte from `from` up to `to` that is not zero; -1: all are. */
static int first_set(const uint8_t *bytes, int from, int to)
{
    for (int i = from; i < to; i++)
        if (bytes[i])
            return i;
    return -1;
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

/* Unused bytes must be zero. */
static int hidden_byte(const uint8_t *bytes, const ifd__message *m)
{
    const int used = 8 * (int)m->actuators, aux = 8 * (int)m->aux;
    const int range[][2] = {{IFD__WIRE_AT_A + used, IFD__WIRE_AT_B},
                            {IFD__WIRE_AT_B + used, IFD__WIRE_AT_C},
                            {IFD__WIRE_AT_C + aux, IFD__WIRE_AT_OUTPUTS},
                            {IFD__WIRE_AT_ZERO, IFD__WIRE_AT_CRC}};
    bool why = m->kind == IFD__WIRE_WHY;
    int at = why && !text_fits(m->text) ? IFD__WIRE_AT_A : -1;
    for (int i = why ? 3 : 0; i < 4 && at < 0; i++)
        at = first_set(bytes, range[i][0], range[i][1]);
    return at;
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

static int wrong_field(const ifd__message *m)
{
    const uint32_t pressure = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
    bool command = m->kind == IFD__WIRE_COMMAND, measure = m->kind == IFD__WIRE_MEASURE;
    bool welcome = m->kind == IFD__WIRE_HELLO && m->word == IFD__ANSWER_WELCOME;
    uint32_t most_heartbeat = command ? UINT32_MAX : welcome, outputs = command ? UINT32_MAX : welcome ? pressure : 0;
    if (m->sequence == 0)
        return IFD__WIRE_AT_SEQUENCE;
    if (m->stamp < 0 || m->echo < 0)
        return m->stamp < 0 ? IFD__WIRE_AT_STAMP : IFD__WIRE_AT_ECHO;
    if (m->tick > 0 && !command && !measure)
        return IFD__WIRE_AT_TICK;
    if (!word_fits(m))
        return IFD__WIRE_AT_WORD;
    if (m->heartbeat > most_heartbeat)
        return IFD__WIRE_AT_HEARTBEAT;
    if (m->aux > 0 && !measure)
        return IFD__WIRE_AT_AUX;
    if (m->outputs & ~outputs)
        return IFD__WIRE_AT_OUTPUTS;
    return m->commanded > command ? IFD__WIRE_AT_COMMANDED : -1;
}

static int wrong_number(const ifd__message *m)
{
    bool hello = m->kind == IFD__WIRE_HELLO;
    bool elastic = hello && m->word < IFD__ANSWER_WELCOME && m->word & IFD__HELLO_ELASTIC;
    if (!isfinite(m->time) || (hello && !(m->time > 0.0)))
        return IFD__WIRE_AT_TIME;
    if (elastic && !(m->a[0] > 0.0 && m->b[0] > 0.0))
        return m->a[0] > 0.0 ? IFD__WIRE_AT_B : IFD__WIRE_AT_A;
    for (uint32_t k = 0; m->kind != IFD__WIRE_MEASURE && m->kind != IFD__WIRE_WHY && k < m->actuators; k++)
        if (!isfinite(m->a[k]) || !isfinite(m->b[k]))
            return (isfinite(m->a[k]) ? IFD__WIRE_AT_B : IFD__WIRE_AT_A) + 8 * (int)k;
    return -1;
}

static int wrong_count(const ifd__message *m)
{
    if (m->actuators < 1 || m->actuators > IFD_RIG_ACTUATORS)
        return IFD__WIRE_AT_ACTUATORS;
    return m->aux > IFD_RIG_AUX ? IFD__WIRE_AT_AUX : -1;
}

static ifd__wire_fault check_frame(const uint8_t *bytes, size_t length)
{
    if (length < IFD__WIRE_AT_KIND)
        return IFD__WIRE_IS_LENGTH;
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return IFD__WIRE_IS_MAGIC;
    if (GET(bytes, VERSION) != IFD__WIRE_VERSION)
        return IFD__WIRE_IS_VERSION; /* before the length, which can change with the version */
    if (length != IFD__WIRE_SIZE)
        return IFD__WIRE_IS_LENGTH;
    return GET(bytes, CRC) == ifd__crc32(bytes, IFD__WIRE_AT_CRC) ? IFD__WIRE_IS_OK : IFD__WIRE_IS_CRC;
}

static ifd__message unpack(const uint8_t *bytes)
{
    ifd__message m = {.kind = (ifd__wire_kind)GET(bytes, KIND),
                      .session = GET(bytes, SESSION),
                      .sequence = GET(bytes, SEQUENCE),
                      .stamp = (int64_t)GET(bytes, STAMP),
                      .echo = (int64_t)GET(bytes, ECHO),
                      .tick = GET(bytes, TICK),
                      .time = ifd__wire_get_number(bytes + IFD__WIRE_AT_TIME),
                      .word = (uint32_t)GET(bytes, WORD),
                      .heartbeat = (uint32_t)GET(bytes, HEARTBEAT),
                      .actuators = (uint32_t)GET(bytes, ACTUATORS),
                      .aux = (uint32_t)GET(bytes, AUX),
                      .outputs = (uint32_t)GET(bytes, OUTPUTS),
                      .commanded = (uint32_t)GET(bytes, COMMANDED)};
    if (m.kind == IFD__WIRE_WHY) {
        memcpy(m.text, bytes + IFD__WIRE_AT_A, IFD__WIRE_TEXT);
        return m;
    }
    for (int k = 0; k < IFD_RIG_ACTUATORS; k++) {
        m.a[k] = ifd__wire_get_number(bytes + IFD__WIRE_AT_A + 8 * k);
        m.b[k] = ifd__wire_get_number(bytes + IFD__WIRE_AT_B + 8 * k);
    }
    for (int k = 0; k < IFD_RIG_AUX; k++)
        m.c[k] = ifd__wire_get_number(bytes + IFD__WIRE_AT_C + 8 * k);
    return m;
}

ifd__wire_fault ifd__wire_decode(const uint8_t *bytes, size_t length, ifd__message *m)
{
    ifd__wire_fault frame = check_frame(bytes, length);
    if (frame != IFD__WIRE_IS_OK)
        return frame;
    uint64_t kind = GET(bytes, KIND);
    if (kind < IFD__WIRE_HELLO || kind > IFD__WIRE_WHY)
        return IFD__WIRE_IS_KIND;
    ifd__message got = unpack(bytes);
    if (wrong_count(&got) >= 0)
        return IFD__WIRE_IS_ACTUATORS;
    if (hidden_byte(bytes, &got) >= 0 || wrong_field(&got) >= 0)
        return IFD__WIRE_IS_FIELD;
    if (wrong_number(&got) >= 0)
        return IFD__WIRE_IS_NUMBER;
    *m = got;
    return IFD__WIRE_IS_OK;
}

int ifd__wire_wrong(const uint8_t bytes[IFD__WIRE_SIZE])
{
    const ifd__message m = unpack(bytes);
    int at = wrong_count(&m);
    if (at < 0)
        at = wrong_field(&m);
    if (at < 0)
        at = hidden_byte(bytes, &m);
    return at < 0 ? wrong_number(&m) : at;
}
