/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "link/stream.h"

#include <stdlib.h>
#include <string.h>

#include "../../fuzz/fuzz_wire.c"

static ifd__message sample(ifd__wire_kind kind)
{
    ifd__message m = {.kind = kind,
                      .session = 0x1122334455667788u,
                      .sequence = 77,
                      .stamp = 123456789012345,
                      .echo = 42,
                      .actuators = 3,
                      .aux = kind == IFD__WIRE_MEASURE ? 2 : 0};
    m.time = kind == IFD__WIRE_HELLO ? 1e-3 : 0.0;
    if (kind == IFD__WIRE_COMMAND || kind == IFD__WIRE_MEASURE) {
        m.tick = ((uint64_t)5 << 32) + 99; /* beyond the 32 bits of a counter */
        m.time = 1.25;
        m.word = 3;
        for (int k = 0; k < 3; k++) {
            m.a[k] = 1e-3 * (k + 1);
            m.b[k] = -1e4 / (k + 1);
        }
    }
    m.heartbeat = kind == IFD__WIRE_COMMAND ? 5 : 0;
    m.outputs = kind == IFD__WIRE_COMMAND ? IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING : 0;
    m.commanded = kind == IFD__WIRE_COMMAND;
    for (uint32_t k = 0; k < m.aux; k++)
        m.c[k] = 0.5 + k;
    return m;
}

/* Corrects the checksum, so that only the change is wrong. */
static void seal(uint8_t *bytes)
{
    uint32_t crc = ifd__crc32(bytes, IFD__WIRE_SIZE - 4);
    for (int i = 0; i < 4; i++)
        bytes[IFD__WIRE_SIZE - 4 + i] = (uint8_t)(crc >> 8 * i);
}

static ifd__wire_fault changed(ifd__wire_kind kind, size_t at, uint8_t to)
{
    ifd__message m = sample(kind);
    uint8_t bytes[IFD__WIRE_SIZE];
    ifd__wire_encode(&m, bytes);
    bytes[at] = to;
    seal(bytes);
    return ifd__wire_decode(bytes, sizeof bytes, &m);
}

TEST(the_checksum_is_that_of_ieee_802_3)
{
    assert_int_equal(ifd__crc32((const uint8_t *)"123456789", 9), 0xcbf43926u);
    assert_int_equal(ifd__crc32(NULL, 0), 0);
}

/* The first bytes of a message are part of the format for other machines. */
TEST(fields_stand_where_the_format_says)
{
    static const uint8_t head[] = {'I',  'F',  'R',  'G',  3,    0,    2,    0, 0x88,
                                   0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 77};
    ifd__message m = sample(IFD__WIRE_COMMAND);
    uint8_t bytes[IFD__WIRE_SIZE];
    ifd__wire_encode(&m, bytes);
    assert_memory_equal(bytes, head, sizeof head);
    assert_int_equal(bytes[64], 3); /* channels */
    static const uint8_t one_and_a_quarter[] = {0, 0, 0, 0, 0, 0, 0xf4, 0x3f};
    assert_memory_equal(bytes + 48, one_and_a_quarter, 8);
}

TEST(every_kind_survives_the_way)
{
    for (ifd__wire_kind kind = IFD__WIRE_HELLO; kind <= IFD__WIRE_BYE; kind++) {
        ifd__message m = sample(kind), back;
        uint8_t bytes[IFD__WIRE_SIZE];
        memset(&back, 0, sizeof back);
        ifd__wire_encode(&m, bytes);
        assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_OK);
        assert_int_equal(back.kind, kind);
        assert_true(back.session == m.session && back.sequence == m.sequence && back.stamp == m.stamp);
        assert_true(back.echo == m.echo && back.tick == m.tick && back.time == m.time && back.word == m.word);
        assert_true(back.heartbeat == m.heartbeat && back.actuators == m.actuators);
        assert_memory_equal(back.a, m.a, sizeof m.a);
        assert_memory_equal(back.b, m.b, sizeof m.b);
        assert_memory_equal(back.c, m.c, sizeof m.c);
        assert_true(back.aux == m.aux && back.outputs == m.outputs && back.commanded == m.commanded);
    }
}

TEST(every_single_changed_bit_is_found)
{
    ifd__message m = sample(IFD__WIRE_MEASURE);
    uint8_t bytes[IFD__WIRE_SIZE];
    ifd__wire_encode(&m, bytes);
    for (size_t i = 0; i < 8 * sizeof bytes; i++) {
        bytes[i / 8] = (uint8_t)(bytes[i / 8] ^ 1u << i % 8);
        assert_int_not_equal(ifd__wire_decode(bytes, sizeof bytes, &m), IFD__WIRE_IS_OK);
        bytes[i / 8] = (uint8_t)(bytes[i / 8] ^ 1u << i % 8);
    }
    assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &m), IFD__WIRE_IS_OK);
}

TEST(every_other_length_is_refused)
{
    ifd__message m = sample(IFD__WIRE_MEASURE);
    uint8_t bytes[IFD__WIRE_SIZE + 8] = {0};
    ifd__wire_encode(&m, bytes);
    for (size_t n = 0; n < sizeof bytes; n++)
        assert_int_equal(ifd__wire_decode(bytes, n, &m) == IFD__WIRE_IS_OK, n == IFD__WIRE_SIZE);
}

TEST(what_does_not_belong_is_refused_by_its_name)
{
    assert_int_equal(changed(IFD__WIRE_COMMAND, 0, 'X'), IFD__WIRE_IS_MAGIC);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 4, 1), IFD__WIRE_IS_VERSION);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 6, 0), IFD__WIRE_IS_KIND);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 6, 6), IFD__WIRE_IS_KIND);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 64, 0), IFD__WIRE_IS_ACTUATORS);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 64, 17), IFD__WIRE_IS_ACTUATORS);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 67, 1), IFD__WIRE_IS_ACTUATORS);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 64, 2), IFD__WIRE_IS_FIELD);  /* a third channel is not used */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 199, 1), IFD__WIRE_IS_FIELD); /* and a sixteenth */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 68, 1), IFD__WIRE_IS_FIELD);  /* a command has no inputs */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 328, 1), IFD__WIRE_IS_FIELD); /* unused bytes */
    assert_int_equal(changed(IFD__WIRE_MEASURE, 68, 33), IFD__WIRE_IS_ACTUATORS);
    assert_int_equal(changed(IFD__WIRE_MEASURE, 68, 1), IFD__WIRE_IS_FIELD);  /* a second input is not used */
    assert_int_equal(changed(IFD__WIRE_MEASURE, 584, 1), IFD__WIRE_IS_FIELD); /* a measure has no outputs */
    assert_int_equal(changed(IFD__WIRE_MEASURE, 588, 1), IFD__WIRE_IS_FIELD); /* nor a command */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 588, 2), IFD__WIRE_IS_FIELD); /* 0 or 1 */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 592, 1), IFD__WIRE_IS_FIELD); /* unused bytes */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 588, 0), IFD__WIRE_IS_OK);
    assert_int_equal(changed(IFD__WIRE_COMMAND, 16, 0), IFD__WIRE_IS_FIELD);    /* sequence 0 */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 31, 0x80), IFD__WIRE_IS_FIELD); /* a stamp below 0 */
    assert_int_equal(changed(IFD__WIRE_COMMAND, 56, 9), IFD__WIRE_IS_FIELD);    /* no such state */
    assert_int_equal(changed(IFD__WIRE_MEASURE, 57, 1), IFD__WIRE_IS_FIELD);    /* no such input */
    assert_int_equal(changed(IFD__WIRE_MEASURE, 56, 255), IFD__WIRE_IS_OK);
    assert_int_equal(changed(IFD__WIRE_MEASURE, 60, 1), IFD__WIRE_IS_FIELD); /* a heartbeat of a rig */
    assert_int_equal(changed(IFD__WIRE_HELLO, 56, 3), IFD__WIRE_IS_FIELD);   /* no such flag */
    assert_int_equal(changed(IFD__WIRE_HELLO, 56, 7), IFD__WIRE_IS_FIELD);   /* lockstep and elastic */
    assert_int_equal(changed(IFD__WIRE_HELLO, 56, 8), IFD__WIRE_IS_FIELD);   /* no such flag */
    assert_int_equal(changed(IFD__WIRE_HELLO, 56, 5), IFD__WIRE_IS_OK);      /* lockstep, and asks */
    assert_int_equal(changed(IFD__WIRE_HELLO, 56, 6), IFD__WIRE_IS_NUMBER);  /* elastic, without its times */
    assert_int_equal(changed(IFD__WIRE_HELLO, 60, 1), IFD__WIRE_IS_FIELD);   /* a heartbeat of a client */
    assert_int_equal(changed(IFD__WIRE_HELLO, 40, 1), IFD__WIRE_IS_FIELD);   /* a tick */
    assert_int_equal(changed(IFD__WIRE_BYE, 56, 1), IFD__WIRE_IS_FIELD);
}

/* Only the welcome states whether the rig is simulated, with 1. */
TEST(a_welcome_can_be_that_of_a_simulated_rig)
{
    for (uint32_t word = 0; word < IFD__ANSWER_END; word++)
        for (uint32_t beat = 0; beat < 3; beat++) {
            bool known = word <= 2 || (word >= 4 && word <= 6) || word >= 16;
            bool good = known && beat <= (word == IFD__ANSWER_WELCOME ? 1 : 0);
            ifd__message m = sample(IFD__WIRE_HELLO), back;
            uint8_t bytes[IFD__WIRE_SIZE];
            m.word = word;
            m.heartbeat = beat;
            m.a[0] = m.b[0] = 1.0;
            ifd__wire_encode(&m, bytes);
            assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back),
                             good ? IFD__WIRE_IS_OK : IFD__WIRE_IS_FIELD);
        }
}

TEST(a_reason_is_text_and_nothing_else)
{
    ifd__message m = {.kind = IFD__WIRE_WHY, .session = 1, .sequence = 2, .actuators = 3}, back;
    uint8_t bytes[IFD__WIRE_SIZE];
    memcpy(m.text, "a force exceeded its limit: \xc3\xbc", 31);
    ifd__wire_encode(&m, bytes);
    assert_memory_equal(bytes + 72, "a force", 7);
    assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_OK);
    assert_string_equal(back.text, m.text);
    memset(m.text, 'x', sizeof m.text - 1);
    ifd__wire_encode(&m, bytes);
    assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_OK);
    assert_int_equal(strlen(back.text), 511);
    const struct {
        int at;
        uint8_t to;
    } bad[] = {{583, 'x'}, {80, 27}, {80, 127}, {100, 0}, {56, 1}, {40, 1}, {68, 1}, {584, 1}, {592, 1}};
    for (size_t i = 0; i < COUNT(bad); i++) { /* no end, control characters, text after its end, fields of others */
        ifd__wire_encode(&m, bytes);
        bytes[bad[i].at] = bad[i].to;
        seal(bytes);
        assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_FIELD);
    }
}

TEST(a_test_that_waits_says_how_long)
{
    const struct {
        double brake, give_up;
        ifd__wire_fault fault;
    } rows[] = {{0.2, 30.0, IFD__WIRE_IS_OK},      {0.0, 30.0, IFD__WIRE_IS_NUMBER},
                {0.2, 0.0, IFD__WIRE_IS_NUMBER},   {(double)NAN, 30.0, IFD__WIRE_IS_NUMBER},
                {-0.2, 30.0, IFD__WIRE_IS_NUMBER}, {0.2, (double)INFINITY, IFD__WIRE_IS_NUMBER}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__message m = sample(IFD__WIRE_HELLO), back;
        uint8_t bytes[IFD__WIRE_SIZE];
        m.word = IFD__HELLO_ELASTIC;
        m.a[0] = rows[i].brake;
        m.b[0] = rows[i].give_up;
        ifd__wire_encode(&m, bytes);
        assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), rows[i].fault);
    }
}

/* A measure can have any values, which the guard checks; a command is not checked later. */
TEST(numbers_that_are_not_finite_pass_in_a_measure_only)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++)
        for (int where = 0; where < 4; where++)
            for (ifd__wire_kind kind = IFD__WIRE_COMMAND; kind <= IFD__WIRE_MEASURE; kind++) {
                ifd__message m = sample(kind);
                uint8_t bytes[IFD__WIRE_SIZE];
                *(where == 0 ? &m.a[2] : where == 1 ? &m.b[0] : where == 2 ? &m.time : &m.c[1]) = bad[i];
                ifd__wire_encode(&m, bytes);
                if (where == 3 && kind != IFD__WIRE_MEASURE)
                    continue; /* not present */
                bool passes = kind == IFD__WIRE_MEASURE && where != 2;
                assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &m),
                                 passes ? IFD__WIRE_IS_OK : IFD__WIRE_IS_NUMBER);
            }
}

TEST(a_hello_needs_a_tick)
{
    const double ticks[] = {0.0, -1e-3, (double)NAN};
    for (size_t i = 0; i < COUNT(ticks); i++) {
        ifd__message m = sample(IFD__WIRE_HELLO);
        uint8_t bytes[IFD__WIRE_SIZE];
        m.time = ticks[i];
        ifd__wire_encode(&m, bytes);
        assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &m), IFD__WIRE_IS_NUMBER);
    }
}

/* Random bytes, and valid messages with a few changed bytes and a corrected checksum, so that the code behind the
 * checksum is reached. */
TEST(random_bytes_never_pass_for_what_they_are_not)
{
    uint64_t seed = 7;
    for (int round = 0; round < 100000; round++) {
        uint8_t bytes[IFD__WIRE_SIZE + 16];
        ifd__message m = sample((ifd__wire_kind)(1 + round % 4));
        ifd__wire_encode(&m, bytes);
        size_t size = round % 8 ? IFD__WIRE_SIZE : (size_t)(round / 8) % sizeof bytes;
        int changes = round % 5 == 4 ? (int)sizeof bytes : 1 + round % 3;
        for (int i = 0; i < changes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t at = changes > 3 ? (size_t)i : (size_t)(seed >> 33) % IFD__WIRE_SIZE;
            bytes[at] = (uint8_t)(seed >> 56);
        }
        if (round % 5 != 4)
            seal(bytes);
        LLVMFuzzerTestOneInput(bytes, size);
    }
}

/* A port that returns its messages, for the counts. */
typedef struct loop {
    ifd__port base;
    uint8_t bytes[8][IFD__WIRE_SIZE];
    int in, out;
} loop;

static bool loop_send(ifd__port *p, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to)
{
    (void)to;
    memcpy(((loop *)p)->bytes[((loop *)p)->in++], bytes, IFD__WIRE_SIZE);
    return true;
}

static size_t loop_receive(ifd__port *p, uint8_t bytes[IFD__WIRE_SIZE])
{
    loop *l = (loop *)p;
    if (l->out == l->in)
        return 0;
    memcpy(bytes, l->bytes[l->out++], IFD__WIRE_SIZE);
    return IFD__WIRE_SIZE;
}

TEST(lost_doubled_and_overtaken_messages_are_told_apart)
{
    static const ifd__port_ops ops = {.send = loop_send, .receive = loop_receive};
    static const struct {
        uint64_t sequence;
        bool newer;
        uint64_t lost, doubled, overtaken;
    } story[] =
        {
            {1, true, 0, 0, 0},    {2, true, 0, 0, 0},  {2, false, 0, 1, 0}, {5, true, 2, 1, 0},
            {4, false, 1, 1, 1},   {4, false, 1, 2, 1}, {5, false, 1, 3, 1}, {200, true, 195, 3, 1},
            {5, false, 195, 3, 2}, /* older than the window: late, not lost */
        };
    loop l = {.base = {.ops = &ops}};
    ifd__stream s = {.port = &l.base};
    ifd__stream_begin(&s, 9);
    for (size_t i = 0; i < COUNT(story); i++) {
        ifd__message m = sample(IFD__WIRE_MEASURE);
        m.sequence = story[i].sequence;
        assert_int_equal(ifd__stream_newer(&s, &m), story[i].newer);
        assert_int_equal(s.count.lost, story[i].lost);
        assert_int_equal(s.count.doubled, story[i].doubled);
        assert_int_equal(s.count.overtaken, story[i].overtaken);
    }
    ifd__message m = sample(IFD__WIRE_MEASURE);
    ifd__stream_send(&s, &m, IFD__TO_PEER);
    l.bytes[0][100] ^= 1;
    assert_false(ifd__stream_next(&s, &m));
    assert_int_equal(s.count.damaged, 1);
}

TESTS()
