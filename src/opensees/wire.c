/* SPDX-License-Identifier: MIT */
/* Encodes and checks the messages of OpenSees and OpenFresco. */
#include "opensees/wire.h"

#include <string.h>

#include "link/wire.h"

static const char *const texts[] = {
#define ROW(name, text) text,
    IFD__OSW_BAD_LIST(ROW)
#undef ROW
};

const char *ifd__osw_text(ifd__osw_bad bad)
{
    return (size_t)bad < sizeof texts / sizeof *texts ? texts[bad] : "unknown";
}

void ifd__osw_doubles_read(const uint8_t *bytes, int count, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = ifd__wire_get_number(bytes + 8 * i);
}

void ifd__osw_doubles_write(const double *in, int count, uint8_t *bytes)
{
    for (int i = 0; i < count; i++)
        ifd__wire_put_number(bytes + 8 * i, in[i]);
}

static int32_t sum(const int32_t count[IFD__OSW_QUANTITIES])
{
    int32_t all = 0;
    for (int i = 0; i < IFD__OSW_QUANTITIES; i++)
        all += count[i];
    return all;
}

int32_t ifd__osw_least(const ifd__osw_sizes *s, bool matrix)
{
    int32_t out = 1 + sum(s->ctrl), in = sum(s->daq), n = s->ctrl[IFD__OSW_DISP];
    int32_t least = out > in ? out : in;
    return matrix && n * n > least ? n * n : least;
}

static bool in_range(int32_t n)
{
    return n >= 1 && n <= IFD__OSW_LONGEST;
}

static ifd__osw_bad check(const ifd__osw_sizes *s)
{
    int32_t n = s->ctrl[IFD__OSW_DISP];
    for (int i = 0; i < IFD__OSW_QUANTITIES; i++)
        if (s->ctrl[i] < 0 || s->ctrl[i] > IFD__OSW_DOFS || s->daq[i] < 0 || s->daq[i] > IFD__OSW_DOFS)
            return IFD__OSW_BAD_COUNT;
    if (n == 0)
        return IFD__OSW_BAD_NO_COMMAND;
    for (int i = 0; i < IFD__OSW_TIME; i++) {
        bool command = s->ctrl[i] == 0 || s->ctrl[i] == n || i == IFD__OSW_FORCE;
        if (!command || (s->daq[i] != 0 && s->daq[i] != n))
            return IFD__OSW_BAD_MIXED;
    }
    if (s->ctrl[IFD__OSW_TIME] > 1 || s->daq[IFD__OSW_TIME] > 1)
        return IFD__OSW_BAD_MIXED;
    return s->n < ifd__osw_least(s, false) ? IFD__OSW_BAD_TOO_SHORT : IFD__OSW_BAD_FINE;
}

ifd__osw_bad ifd__osw_header_read(const uint8_t bytes[IFD__OSW_HEADER], ifd__osw_sizes *s)
{
    for (int i = 0; i < IFD__OSW_QUANTITIES; i++) {
        s->ctrl[i] = (int32_t)ifd__wire_get(bytes + 4 * i, 4);
        s->daq[i] = (int32_t)ifd__wire_get(bytes + 4 * (IFD__OSW_QUANTITIES + i), 4);
    }
    uint32_t n = (uint32_t)ifd__wire_get(bytes + 40, 4);
    s->n = (int32_t)n;
    if (!in_range(s->n))
        return in_range((int32_t)__builtin_bswap32(n)) ? IFD__OSW_BAD_BYTE_ORDER : IFD__OSW_BAD_LENGTH;
    return check(s);
}

void ifd__osw_header_write(const ifd__osw_sizes *s, uint8_t bytes[IFD__OSW_HEADER])
{
    for (int i = 0; i < IFD__OSW_QUANTITIES; i++) {
        ifd__wire_put(bytes + 4 * i, 4, (uint32_t)s->ctrl[i]);
        ifd__wire_put(bytes + 4 * (IFD__OSW_QUANTITIES + i), 4, (uint32_t)s->daq[i]);
    }
    ifd__wire_put(bytes + 40, 4, (uint32_t)s->n);
}

/* Truncated to an integer, as in every known listener. */
ifd__osw_bad ifd__osw_code_read(const uint8_t *bytes, ifd__osw_code *out)
{
    double x;
    ifd__osw_doubles_read(bytes, 1, &x);
    static const int known[] = {
#define ROW(name, number) number,
        IFD__OSW_CODES(ROW)
#undef ROW
    };
    if (!(x >= 1.0 && x < 100.0))
        return IFD__OSW_BAD_CODE;
    int code = (int)x;
    if (code == IFD__OSW_EXECUTE && x != 4.0)
        return IFD__OSW_BAD_SIMSIMULINK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == code) {
            *out = (ifd__osw_code)code;
            return IFD__OSW_BAD_FINE;
        }
    return IFD__OSW_BAD_CODE;
}

static void quantities_read(const int32_t count[IFD__OSW_QUANTITIES], const uint8_t *bytes, ifd__osw_request *out)
{
    memset(out->q, 0, sizeof out->q);
    out->time = 0.0;
    for (int i = 0; i < IFD__OSW_TIME; bytes += 8 * count[i], i++)
        ifd__osw_doubles_read(bytes, count[i], out->q[i]);
    if (count[IFD__OSW_TIME])
        ifd__osw_doubles_read(bytes, 1, &out->time);
}

static void quantities_write(const int32_t count[IFD__OSW_QUANTITIES], const ifd__osw_request *in, uint8_t *bytes)
{
    for (int i = 0; i < IFD__OSW_TIME; bytes += 8 * count[i], i++)
        ifd__osw_doubles_write(in->q[i], count[i], bytes);
    if (count[IFD__OSW_TIME])
        ifd__osw_doubles_write(&in->time, 1, bytes);
}

ifd__osw_bad ifd__osw_request_read(const ifd__osw_sizes *s, const uint8_t *bytes, ifd__osw_request *out)
{
    quantities_read(s->ctrl, bytes + 8, out);
    return ifd__osw_code_read(bytes, &out->code);
}

void ifd__osw_request_write(const ifd__osw_sizes *s, const ifd__osw_request *in, uint8_t *bytes)
{
    double code = in->code;
    memset(bytes, 0, 8 * (size_t)s->n);
    ifd__osw_doubles_write(&code, 1, bytes);
    quantities_write(s->ctrl, in, bytes + 8);
}

void ifd__osw_response_write(const ifd__osw_sizes *s, const ifd__osw_request *in, uint8_t *bytes)
{
    memset(bytes, 0, 8 * (size_t)s->n);
    quantities_write(s->daq, in, bytes);
}

void ifd__osw_response_read(const ifd__osw_sizes *s, const uint8_t *bytes, ifd__osw_request *out)
{
    quantities_read(s->daq, bytes, out);
}

bool ifd__osw_matrix_write(const ifd__osw_sizes *s, int n, const double *rows, uint8_t *bytes)
{
    memset(bytes, 0, 8 * (size_t)s->n);
    if (n * n > s->n)
        return false;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            ifd__osw_doubles_write(&rows[i * n + j], 1, bytes + 8 * (j * n + i));
    return true;
}

void ifd__osw_reader_begin(ifd__osw_reader *r, uint8_t *room)
{
    *r = (ifd__osw_reader){.want = IFD__OSW_HEADER, .bytes = room};
}

size_t ifd__osw_reader_room(const ifd__osw_reader *r)
{
    return r->want - r->have;
}

/* A first byte of 2 marks a line of an init file: no code as a little-endian double begins with it. The first byte
 * is therefore read separately until a vector has arrived. */
static void next_message(ifd__osw_reader *r)
{
    r->have = 0;
    r->want = r->spoken ? 8 * (size_t)r->sizes.n : 1;
}

/* A valid header of OpenSees except for its number of dofs: its messages can still be separated. */
static bool too_many_dofs(const ifd__osw_sizes *s)
{
    int32_t n = s->ctrl[IFD__OSW_DISP];
    return n > IFD__OSW_DOFS && n <= IFD__OSW_LONGEST && s->ctrl[IFD__OSW_VEL] == n && s->ctrl[IFD__OSW_ACC] == n &&
           s->ctrl[IFD__OSW_FORCE] == 0 && s->daq[IFD__OSW_FORCE] == n && s->n >= 3 * n + 2;
}

ifd__osw_event ifd__osw_reader_took(ifd__osw_reader *r, size_t count, ifd__osw_bad *why)
{
    r->have += count;
    if (r->have < r->want)
        return IFD__OSW_NOTHING;
    if (!r->greeted) {
        *why = ifd__osw_header_read(r->bytes, &r->sizes);
        r->greeted = *why == IFD__OSW_BAD_FINE || (*why == IFD__OSW_BAD_COUNT && too_many_dofs(&r->sizes));
        if (!r->greeted)
            return IFD__OSW_BAD;
        next_message(r);
        return *why == IFD__OSW_BAD_FINE ? IFD__OSW_GREETING : IFD__OSW_BAD;
    }
    if (r->want == 1) {
        r->want = r->bytes[0] == IFD__OSW_SETUP ? IFD__OSW_LINE : 8 * (size_t)r->sizes.n;
        return IFD__OSW_NOTHING;
    }
    if (!r->spoken && r->bytes[0] == IFD__OSW_SETUP && r->want == IFD__OSW_LINE) {
        r->bytes[IFD__OSW_LINE - 1] = 0;
        next_message(r);
        return IFD__OSW_TEXT;
    }
    r->spoken = true;
    next_message(r);
    return IFD__OSW_VECTOR;
}

ifd__osw_event ifd__osw_reader_datagram(ifd__osw_reader *r, const uint8_t *bytes, size_t length, ifd__osw_bad *why)
{
    ifd__osw_event event = IFD__OSW_NOTHING;
    for (size_t used = 0; used < length;) {
        size_t room = ifd__osw_reader_room(r), take = length - used < room ? length - used : room;
        if (event != IFD__OSW_NOTHING) {
            *why = IFD__OSW_BAD_ACROSS;
            return IFD__OSW_BAD;
        }
        memcpy(r->bytes + r->have, bytes + used, take);
        used += take;
        event = ifd__osw_reader_took(r, take, why);
        if (event == IFD__OSW_BAD)
            return event;
    }
    return event;
}
