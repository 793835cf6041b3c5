/* SPDX-License-Identifier: MIT */
/* Frames of the serial driver: the check value of the CRC, frames in any portions and between other bytes, and random
 * bytes, of which none is taken for a measurement. */
#include "check.h"

#include "drivers/serial/frame.h"

#include <string.h>

static void put_16(uint8_t *out, unsigned value)
{
    out[0] = (uint8_t)(value % 256);
    out[1] = (uint8_t)(value / 256 % 256);
}

static void put_32(uint8_t *out, uint32_t value)
{
    put_16(out, value % 65536);
    put_16(out + 2, value / 65536);
}

/* A measurement of two actuators and one auxiliary input, by the table of docs/reference/serial-frames.md. */
static int put_measure(uint8_t *out, uint32_t sequence)
{
    static const float values[] = {1.5f, -2.0f, 1e3f, -4e3f, 0.25f};
    int size = frame_measure_size(2, 1);
    memset(out, 0, (size_t)size);
    memcpy(out, "\xa5\x5aM\x02", 4);
    put_32(out + 4, sequence);
    put_32(out + 8, 7);
    put_32(out + 12, 0xfffffff0u);
    memcpy(out + 16, "\x03\x01\x02\x63", 4);
    for (int k = 0; k < 5; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], 4);
        put_32(out + 20 + 4 * k, bits);
    }
    put_16(out + size - 2, frame_crc(out + 2, size - 4));
    return size;
}

TEST(the_checksum_has_its_published_value)
{
    assert_int_equal(frame_crc((const uint8_t *)"123456789", 9), 0x29b1);
}

TEST(a_frame_arrives_in_any_portions_between_other_bytes)
{
    uint8_t bytes[200] = {0xa5, 0x00, 0xa5, 0x5a, 'M', 0xa5};
    (void)state;
    for (int portion = 1; portion < 100; portion++) {
        frame_parser p = {.count = 0};
        frame_measure m;
        int total = 6 + put_measure(bytes + 6, 41), found = 0;
        total += put_measure(bytes + total, 42);
        for (int at = 0; at < total; at += portion) {
            int now = total - at < portion ? total - at : portion;
            assert_true(frame_room(&p) >= now);
            memcpy(p.byte + p.count, bytes + at, (size_t)now);
            p.count += now;
            while (frame_next(&p, &m))
                assert_int_equal(m.sequence, 41 + found++);
        }
        assert_int_equal(found, 2);
        assert_int_equal(m.actuators, 2);
        assert_int_equal(m.aux, 1);
        assert_int_equal(m.answered, 7);
        assert_int_equal(m.flags, 3);
        assert_int_equal(m.why, 2);
        assert_int_equal(m.boot, 0x63);
        assert_near((double)m.position[1], -2.0, 0.0, "position");
        assert_near((double)m.force[1], -4e3, 0.0, "force");
        assert_near((double)m.auxiliary[0], 0.25, 0.0, "auxiliary input");
    }
}

/* A changed bit is always detected: the polynomial has more than one term. */
TEST(every_changed_bit_is_detected)
{
    uint8_t bytes[200];
    int size = put_measure(bytes, 1);
    (void)state;
    for (int bit = 0; bit < 8 * size; bit++) {
        frame_parser p = {.count = size};
        frame_measure m;
        memcpy(p.byte, bytes, (size_t)size);
        p.byte[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(frame_next(&p, &m));
    }
}

/* With every head that random bytes can have the buffer is emptied again. */
TEST(random_bytes_never_fill_the_buffer)
{
    frame_parser p = {.count = 0};
    frame_measure m;
    unsigned seed = 1;
    (void)state;
    for (int k = 0; k < 20000; k++) {
        int room = frame_room(&p), now = room < 64 ? room : 64;
        assert_true(room > 0);
        for (int i = 0; i < now; i++) {
            seed = seed * 1664525u + 1013904223u;
            static const uint8_t likely[] = {0xa5, 0x5a, 'M', 16, 32, 0, 255, 1};
            p.byte[p.count++] = likely[seed >> 29];
        }
        while (frame_next(&p, &m))
            assert_true(m.actuators <= IFD_RIG_ACTUATORS && m.aux <= IFD_RIG_AUX);
    }
}

TESTS()
