/* SPDX-License-Identifier: MIT */
/* Each reason for which a message is refused, in words with its byte and value. */
#include "check.h"

#include <string.h>

#include "link/refusal.h"

/* A message with some bytes replaced, as a peer would send it: with a right checksum unless that is the fault. */
static void damage(ifd__wire_kind kind, int at, int bytes, uint64_t value, uint8_t out[IFD__WIRE_SIZE])
{
    ifd__message m = {.kind = kind, .session = 5, .sequence = 1, .actuators = 2, .time = 1e-3};
    ifd__wire_encode(&m, out);
    ifd__wire_put(out + at, bytes, value);
    if (at < IFD__WIRE_AT_CRC)
        ifd__wire_put(out + IFD__WIRE_AT_CRC, 4, ifd__crc32(out, IFD__WIRE_AT_CRC));
}

TEST(every_reason_has_the_byte_and_the_value)
{
    const uint64_t nan_bits = 0x7ff8000000000000u, two = 0x4000000000000000u;
    const struct {
        ifd__wire_kind kind;
        int at, bytes;
        uint64_t value;
        size_t length;
        ifd__wire_fault fault;
        const char *text;
    } row[] = {
        {IFD__WIRE_MEASURE, 596, 4, 0x1f83b8adu, 600, IFD__WIRE_IS_CRC, "a wrong checksum (0x1f83b8ad, computed 0x"},
        {IFD__WIRE_MEASURE, 0, 1, 'I', 596, IFD__WIRE_IS_LENGTH, "a wrong length (596 bytes, expected 600)"},
        {IFD__WIRE_MEASURE, 0, 1, 'X', 600, IFD__WIRE_IS_MAGIC,
         "not a message of a rig (magic 0x47524658 at byte 0)"},
        {IFD__WIRE_MEASURE, 4, 2, 9, 600, IFD__WIRE_IS_VERSION, "another version (version 9 at byte 4)"},
        {IFD__WIRE_MEASURE, 6, 2, 9, 600, IFD__WIRE_IS_KIND, "an unknown kind (kind 9 at byte 6)"},
        {IFD__WIRE_MEASURE, 64, 4, 17, 600, IFD__WIRE_IS_ACTUATORS,
         "a wrong number of actuators or auxiliary inputs (actuators 17 at byte 64)"},
        {IFD__WIRE_MEASURE, 68, 4, 33, 600, IFD__WIRE_IS_ACTUATORS,
         "a wrong number of actuators or auxiliary inputs (auxiliary inputs 33 at byte 68)"},
        {IFD__WIRE_MEASURE, 60, 4, 7, 600, IFD__WIRE_IS_FIELD,
         "a field that does not belong to its kind (heartbeat 7 at byte 60)"},
        {IFD__WIRE_HELLO, 40, 8, 3, 600, IFD__WIRE_IS_FIELD,
         "a field that does not belong to its kind (tick 3 at byte 40)"},
        {IFD__WIRE_MEASURE, 24, 8, UINT64_MAX, 600, IFD__WIRE_IS_FIELD,
         "a field that does not belong to its kind (stamp -1 at byte 24)"},
        {IFD__WIRE_MEASURE, 88, 8, two, 600, IFD__WIRE_IS_FIELD,
         "a field that does not belong to its kind (positions 0x40 at byte 95)"},
        {IFD__WIRE_MEASURE, 592, 4, 1, 600, IFD__WIRE_IS_FIELD,
         "a field that does not belong to its kind (unused 1 at byte 592)"},
        {IFD__WIRE_MEASURE, 48, 8, nan_bits, 600, IFD__WIRE_IS_NUMBER,
         "a number that is not permitted (time nan at byte 48)"},
        {IFD__WIRE_COMMAND, 208, 8, nan_bits, 600, IFD__WIRE_IS_NUMBER,
         "a number that is not permitted (velocities or forces nan at byte 208)"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__refusals r = {.length = 0};
        ifd__message m;
        uint8_t bytes[IFD__WIRE_SIZE];
        char text[200];
        damage(row[i].kind, row[i].at, row[i].bytes, row[i].value, bytes);
        assert_false(ifd__refusal_print(&r, text, sizeof text));
        assert_int_equal(ifd__wire_decode(bytes, row[i].length, &m), row[i].fault);
        ifd__refusal_note(&r, row[i].fault, bytes, row[i].length, 0);
        ifd__refusal_note(&r, IFD__WIRE_IS_SEAL, bytes, 1, 0); /* counted; the text is that of the first */
        assert_true(ifd__refusal_print(&r, text, sizeof text));
        if (row[i].fault == IFD__WIRE_IS_CRC)
            text[strlen(row[i].text)] = 0;
        assert_string_equal(text, row[i].text);
        assert_true(r.count[row[i].fault] == 1 && r.count[IFD__WIRE_IS_SEAL] == 1);
    }
}

TEST(a_client_names_what_it_expects)
{
    const struct {
        ifd__wire_fault fault;
        uint64_t expected;
        const char *text;
    } row[] = {{IFD__WIRE_IS_SESSION, 0xf1e2d3c4u, "another session (session 0x5 at byte 8, expected 0xf1e2d3c4)"},
               {IFD__WIRE_IS_ACTUATORS, 3,
                "a wrong number of actuators or auxiliary inputs (actuators 2 at byte 64, expected 3)"},
               {IFD__WIRE_IS_SEAL, 0, "a wrong or missing seal"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__refusals r = {.length = 0};
        uint8_t bytes[IFD__WIRE_SIZE];
        char text[200];
        damage(IFD__WIRE_MEASURE, 0, 1, 'I', bytes);
        ifd__refusal_note(&r, row[i].fault, bytes, sizeof bytes, row[i].expected);
        assert_true(ifd__refusal_print(&r, text, sizeof text));
        assert_string_equal(text, row[i].text);
    }
}

TESTS()
