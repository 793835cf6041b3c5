/* SPDX-License-Identifier: MIT */
/* The messages of OpenSees, byte by byte: the examples are what a running OpenSees was seen to send. */
#include "check.h"

#include <string.h>

#include "opensees/wire.h"

static size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = 0;
    for (; *hex; hex++) {
        unsigned value;
        if (*hex == ' ')
            continue;
        assert_int_equal(sscanf(hex, "%2x", &value), 1);
        out[n++] = (uint8_t)value;
        hex++;
    }
    return n;
}

static const char header[] =
    "01000000 01000000 01000000 00000000 01000000 00000000 00000000 00000000 01000000 00000000 05000000";
static const char trial[] = "0000000000000840 9a9999999999b93f 0000000000000000 0000000000000000 7b14ae47e17a843f";
static const char reply[] = "2ad6960f2e950f40 0000000000000000 0000000000000000 0000000000000000 0000000000000000";

TEST(bytes_of_a_generic_client_are_understood_and_written_alike)
{
    uint8_t in[64], out[64];
    ifd__osw_sizes sizes;
    ifd__osw_request r;
    assert_int_equal(bytes_of(header, in), IFD__OSW_HEADER);
    assert_int_equal(ifd__osw_header_read(in, &sizes), IFD__OSW_BAD_FINE);
    ifd__osw_header_write(&sizes, out);
    assert_memory_equal(in, out, IFD__OSW_HEADER);
    assert_int_equal(bytes_of(trial, in), 40);
    assert_int_equal(ifd__osw_request_read(&sizes, in, &r), IFD__OSW_BAD_FINE);
    assert_int_equal(r.code, IFD__OSW_TRIAL);
    assert_true(r.q[IFD__OSW_DISP][0] == 0.1 && r.time == 0.01);
    ifd__osw_request_write(&sizes, &r, out);
    assert_memory_equal(in, out, 40);
    r.q[IFD__OSW_FORCE][0] = 39.4784176043574 * 0.1;
    bytes_of(reply, in);
    ifd__osw_response_write(&sizes, &r, out);
    assert_memory_equal(in, out, 40);
}

TEST(headers_are_checked_strictly)
{
    static const struct {
        int at;
        int32_t value;
        ifd__osw_bad expected;
    } rows[] = {{10, 0, IFD__OSW_BAD_LENGTH},    {10, -1, IFD__OSW_BAD_LENGTH},
                {10, 8193, IFD__OSW_BAD_LENGTH}, {10, 0x05000000, IFD__OSW_BAD_BYTE_ORDER},
                {10, 4, IFD__OSW_BAD_TOO_SHORT}, {0, 0, IFD__OSW_BAD_NO_COMMAND},
                {0, -1, IFD__OSW_BAD_COUNT},     {1, 65, IFD__OSW_BAD_COUNT},
                {1, 2, IFD__OSW_BAD_MIXED},      {4, 2, IFD__OSW_BAD_MIXED},
                {8, 2, IFD__OSW_BAD_MIXED},      {8, 0, IFD__OSW_BAD_FINE},
                {1, 0, IFD__OSW_BAD_FINE},       {4, 0, IFD__OSW_BAD_FINE}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t b[64];
        ifd__osw_sizes sizes;
        bytes_of(header, b);
        for (int k = 0; k < 4; k++)
            b[4 * rows[i].at + k] = (uint8_t)((uint32_t)rows[i].value >> (8 * k));
        assert_int_equal(ifd__osw_header_read(b, &sizes), rows[i].expected);
    }
}

TEST(length_of_messages_follows_from_the_counts)
{
    for (int n = 1; n <= 3; n++) { /* N = max(3 n + 2, n n) of genericClient */
        const ifd__osw_sizes s = {.ctrl = {n, n, n, 0, 1}, .daq = {0, 0, 0, n, 0}};
        assert_int_equal(ifd__osw_least(&s, true), 3 * n + 2);
    }
    const ifd__osw_sizes s = {.ctrl = {8, 8, 8, 0, 1}, .daq = {0, 0, 0, 8, 0}};
    assert_int_equal(ifd__osw_least(&s, true), 64);
}

TEST(matrices_are_written_by_columns)
{
    const double rows[] = {3, 1, 0, 2}, wanted[] = {3, 0, 1, 2, 0};
    double got[5];
    uint8_t b[40];
    const ifd__osw_sizes fits = {.n = 5}, short_one = {.n = 3};
    assert_true(ifd__osw_matrix_write(&fits, 2, rows, b));
    ifd__osw_doubles_read(b, 5, got);
    assert_memory_equal(got, wanted, sizeof got);
    assert_false(ifd__osw_matrix_write(&short_one, 2, rows, b));
}

TEST(codes_are_truncated_and_others_refused)
{
    static const struct {
        double code;
        ifd__osw_bad expected;
    } rows[] = {{2.5, IFD__OSW_BAD_FINE},        {3.999, IFD__OSW_BAD_FINE}, {4.1, IFD__OSW_BAD_SIMSIMULINK},
                {99, IFD__OSW_BAD_FINE},         {0.5, IFD__OSW_BAD_CODE},   {-1, IFD__OSW_BAD_CODE},
                {16, IFD__OSW_BAD_CODE},         {98, IFD__OSW_BAD_CODE},    {1e300, IFD__OSW_BAD_CODE},
                {(double)NAN, IFD__OSW_BAD_CODE}};
    const ifd__osw_sizes sizes = {.ctrl = {1}, .daq = {0, 0, 0, 1}, .n = 2};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double v[] = {rows[i].code, 0.0};
        uint8_t b[16];
        ifd__osw_request r;
        ifd__osw_doubles_write(v, 2, b);
        assert_int_equal(ifd__osw_request_read(&sizes, b, &r), rows[i].expected);
    }
}

/* A header, two lines of an init file and a vector, in pieces of any size. */
TEST(pieces_of_any_size_make_the_same_messages)
{
    static uint8_t stream[IFD__OSW_HEADER + 2 * IFD__OSW_LINE + 40], room[IFD__OSW_ROOM];
    bytes_of(header, stream);
    stream[IFD__OSW_HEADER] = stream[IFD__OSW_HEADER + IFD__OSW_LINE] = IFD__OSW_SETUP;
    bytes_of(trial, stream + IFD__OSW_HEADER + 2 * IFD__OSW_LINE);
    static const size_t pieces[] = {1, 7, 40, 512, 9126, 65536};
    for (size_t k = 0; k < COUNT(pieces); k++) {
        static const ifd__osw_event wanted[] = {IFD__OSW_GREETING, IFD__OSW_TEXT, IFD__OSW_TEXT, IFD__OSW_VECTOR};
        ifd__osw_reader r;
        ifd__osw_bad why;
        size_t seen = 0;
        ifd__osw_reader_begin(&r, room);
        for (size_t at = 0; at < sizeof stream;) {
            size_t left = sizeof stream - at, take = ifd__osw_reader_room(&r);
            take = take < left ? take : left;
            take = take < pieces[k] ? take : pieces[k];
            memcpy(r.bytes + r.have, stream + at, take);
            at += take;
            ifd__osw_event event = ifd__osw_reader_took(&r, take, &why);
            if (event != IFD__OSW_NOTHING)
                assert_int_equal(event, wanted[seen++]);
        }
        assert_int_equal(seen, 4);
    }
}

TEST(datagram_beyond_its_message_is_refused)
{
    static uint8_t room[IFD__OSW_ROOM], b[128];
    ifd__osw_reader r;
    ifd__osw_bad why = IFD__OSW_BAD_FINE;
    bytes_of(header, b);
    ifd__osw_reader_begin(&r, room);
    assert_int_equal(ifd__osw_reader_datagram(&r, b, IFD__OSW_HEADER, &why), IFD__OSW_GREETING);
    bytes_of(trial, b);
    assert_int_equal(ifd__osw_reader_datagram(&r, b, 17, &why), IFD__OSW_NOTHING);
    assert_int_equal(ifd__osw_reader_datagram(&r, b + 17, 23, &why), IFD__OSW_VECTOR);
    assert_int_equal(ifd__osw_reader_datagram(&r, b, 41, &why), IFD__OSW_BAD);
    assert_int_equal(why, IFD__OSW_BAD_ACROSS);
    assert_string_equal(ifd__osw_text(why), "a datagram extends beyond the end of its message");
}

TESTS()
