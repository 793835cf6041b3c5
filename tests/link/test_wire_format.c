/* SPDX-License-Identifier: MIT */
/* Every byte of a message, and every bound of a field from both sides. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/wire.h"

static void little(uint8_t *p, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++, value /= 256)
        p[i] = (uint8_t)(value % 256);
}

static void number(uint8_t *p, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    little(p, 8, bits);
}

/* With something in every field, also in those that are not sent. */
static ifd__message full(ifd__wire_kind kind)
{
    ifd__message m = {.kind = kind,
                      .session = 0xf1e2d3c4b5a69788u,
                      .sequence = 0xa1a2a3a4a5a6a7a8u,
                      .stamp = 0x7172737475767778,
                      .echo = 0x6162636465666768,
                      .tick = 0x5152535455565758u,
                      .time = 0.1,
                      .word = 0x41424344u,
                      .heartbeat = 0x31323334u,
                      .actuators = 3,
                      .aux = 2,
                      .outputs = 0x21222324u,
                      .commanded = 0x11121314u};
    for (int k = 0; k < IFD_RIG_ACTUATORS; k++) {
        m.a[k] = 0.3 + k;
        m.b[k] = -0.7 * k - 0.1;
    }
    for (int k = 0; k < IFD_RIG_AUX; k++)
        m.c[k] = 0.01 * k + 1e3;
    if (kind == IFD__WIRE_WHY)
        memset(m.text, 'x', sizeof m.text - 1);
    return m;
}

static void layout(const ifd__message *m, uint32_t channels, uint32_t aux, uint8_t *out)
{
    memset(out, 0, IFD__WIRE_SIZE);
    memcpy(out, "IFRG", 4);
    little(out + 4, 2, 3);
    little(out + 6, 2, (uint64_t)m->kind);
    little(out + 8, 8, m->session);
    little(out + 16, 8, m->sequence);
    little(out + 24, 8, (uint64_t)m->stamp);
    little(out + 32, 8, (uint64_t)m->echo);
    little(out + 40, 8, m->tick);
    number(out + 48, m->time);
    little(out + 56, 4, m->word);
    little(out + 60, 4, m->heartbeat);
    little(out + 64, 4, m->actuators);
    little(out + 68, 4, m->aux);
    for (uint32_t k = 0; k < channels; k++) {
        number(out + 72 + 8 * k, m->a[k]);
        number(out + 200 + 8 * k, m->b[k]);
    }
    if (m->kind == IFD__WIRE_WHY)
        memcpy(out + 72, m->text, 512);
    for (uint32_t k = 0; k < aux; k++)
        number(out + 328 + 8 * k, m->c[k]);
    little(out + 584, 4, m->outputs);
    little(out + 588, 4, m->commanded);
    little(out + 596, 4, ifd__crc32(out, 596));
}

TEST(every_byte_is_at_its_place)
{
    assert_int_equal(IFD__WIRE_SIZE, 600);
    static const uint32_t counts[][4] = {{3, 2, 3, 2}, {16, 32, 16, 32}, {17, 33, 16, 32}}; /* more are not sent */
    for (size_t i = 0; i < COUNT(counts); i++)
        for (ifd__wire_kind kind = IFD__WIRE_HELLO; kind <= IFD__WIRE_WHY; kind++) {
            ifd__message m = full(kind);
            uint8_t bytes[IFD__WIRE_SIZE], expected[IFD__WIRE_SIZE];
            bool why = kind == IFD__WIRE_WHY;
            m.actuators = counts[i][0];
            m.aux = why ? 0 : counts[i][1];
            layout(&m, why ? 0 : counts[i][2], why ? 0 : counts[i][3], expected);
            ifd__wire_encode(&m, bytes);
            assert_memory_equal(bytes, expected, sizeof bytes);
        }
}

/* A valid message of each kind. */
static ifd__message valid(ifd__wire_kind kind)
{
    ifd__message m = {.kind = kind, .session = 5, .sequence = 1, .actuators = 1};
    m.time = kind == IFD__WIRE_HELLO ? 1e-3 : 0.0;
    if (kind == IFD__WIRE_WHY)
        strcpy(m.text, "a reason");
    return m;
}

static ifd__wire_fault said(const ifd__message *m)
{
    uint8_t bytes[IFD__WIRE_SIZE];
    ifd__message back;
    ifd__wire_encode(m, bytes);
    return ifd__wire_decode(bytes, sizeof bytes, &back);
}

TEST(what_was_written_is_what_is_read)
{
    ifd__message m = full(IFD__WIRE_MEASURE), back;
    uint8_t bytes[IFD__WIRE_SIZE];
    m.word = 255;
    m.heartbeat = m.outputs = m.commanded = 0;
    m.actuators = IFD_RIG_ACTUATORS;
    m.aux = IFD_RIG_AUX;
    memset(&back, 0, sizeof back);
    ifd__wire_encode(&m, bytes);
    assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_OK);
    assert_memory_equal(back.a, m.a, sizeof m.a);
    assert_memory_equal(back.b, m.b, sizeof m.b);
    assert_memory_equal(back.c, m.c, sizeof m.c);
    assert_true(back.session == m.session && back.sequence == m.sequence && back.stamp == m.stamp);
    assert_true(back.echo == m.echo && back.tick == m.tick && back.time == m.time && back.word == 255);
    assert_true(back.actuators == m.actuators && back.aux == m.aux);
    m = full(IFD__WIRE_COMMAND);
    m.word = 1;
    m.aux = 0;
    m.commanded = 1;
    ifd__wire_encode(&m, bytes);
    assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_OK);
    assert_true(back.outputs == m.outputs && back.commanded == 1 && back.heartbeat == m.heartbeat);
}

TEST(the_version_is_that_of_a_message_of_any_length)
{
    uint8_t bytes[8] = {'I', 'F', 'R', 'G', 0x34, 0x12, 9, 9};
    assert_int_equal(ifd__wire_version(bytes, 6), 0x1234);
    assert_int_equal(ifd__wire_version(bytes, 8), 0x1234);
    assert_int_equal(ifd__wire_version(bytes, 5), 0);
    bytes[3] = 'X';
    assert_int_equal(ifd__wire_version(bytes, 8), 0);
    ifd__message back;
    uint8_t other[IFD__WIRE_SIZE] = {'I', 'F', 'R', 'G', 4};
    for (size_t length = 0; length < 8; length++) /* the version is checked before the length, if it is there */
        assert_int_equal(ifd__wire_decode(other, length, &back),
                         length < 6 ? IFD__WIRE_IS_LENGTH : IFD__WIRE_IS_VERSION);
    other[4] = 3;
    assert_int_equal(ifd__wire_decode(other, sizeof other - 1, &back), IFD__WIRE_IS_LENGTH);
    assert_int_equal(ifd__wire_decode(other, sizeof other, &back), IFD__WIRE_IS_CRC);
}

TEST(words_end_where_their_lists_end)
{
    static const struct {
        ifd__wire_kind kind;
        uint32_t word;
        ifd__wire_fault fault;
    } row[] = {{IFD__WIRE_HELLO, IFD__ANSWER_END - 1, IFD__WIRE_IS_OK},
               {IFD__WIRE_HELLO, IFD__ANSWER_END, IFD__WIRE_IS_FIELD},
               {IFD__WIRE_HELLO, IFD__ANSWER_WELCOME, IFD__WIRE_IS_OK},
               {IFD__WIRE_HELLO, IFD__ANSWER_WELCOME - 1, IFD__WIRE_IS_FIELD},
               {IFD__WIRE_COMMAND, IFD_MACHINE_COUNT - 1, IFD__WIRE_IS_OK},
               {IFD__WIRE_COMMAND, IFD_MACHINE_COUNT, IFD__WIRE_IS_FIELD},
               {IFD__WIRE_MEASURE, 255, IFD__WIRE_IS_OK},
               {IFD__WIRE_MEASURE, 256, IFD__WIRE_IS_FIELD},
               {IFD__WIRE_BYE, 0, IFD__WIRE_IS_OK},
               {IFD__WIRE_BYE, 1, IFD__WIRE_IS_FIELD},
               {IFD__WIRE_WHY, 0, IFD__WIRE_IS_OK},
               {IFD__WIRE_WHY, 1, IFD__WIRE_IS_FIELD}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__message m = valid(row[i].kind);
        m.word = row[i].word;
        assert_int_equal(said(&m), row[i].fault);
    }
}

TEST(fields_of_other_kinds_are_zero)
{
    for (ifd__wire_kind kind = IFD__WIRE_HELLO; kind <= IFD__WIRE_WHY; kind++)
        for (int welcome = 0; welcome < (kind == IFD__WIRE_HELLO ? 2 : 1); welcome++) {
            bool command = kind == IFD__WIRE_COMMAND, moves = command || kind == IFD__WIRE_MEASURE;
            ifd__message m = valid(kind), was;
            m.word = welcome ? IFD__ANSWER_WELCOME : 0;
            was = m;
            assert_int_equal(said(&m), IFD__WIRE_IS_OK);
            m.heartbeat = 1;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, command || welcome);
            m.heartbeat = 2;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, command);
            m = was;
            m.outputs = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, command || welcome);
            m.outputs = IFD_OUTPUT_TRIGGER;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, command);
            m = was;
            m.commanded = 1;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, command);
            m.commanded = 2;
            assert_int_equal(said(&m), IFD__WIRE_IS_FIELD);
            m = was;
            m.aux = 1;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, kind == IFD__WIRE_MEASURE);
            m = was;
            m.tick = 1;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, moves);
            m = was;
            m.sequence = 0;
            assert_int_equal(said(&m), IFD__WIRE_IS_FIELD);
            m = was;
            m.stamp = -1;
            assert_int_equal(said(&m), IFD__WIRE_IS_FIELD);
            m = was;
            m.echo = -1;
            assert_int_equal(said(&m), IFD__WIRE_IS_FIELD);
        }
}

TEST(numbers_are_finite_except_those_of_a_measure)
{
    for (ifd__wire_kind kind = IFD__WIRE_HELLO; kind <= IFD__WIRE_BYE; kind++)
        for (int last = 0; last < 2; last++) {
            ifd__message m = valid(kind);
            m.actuators = IFD_RIG_ACTUATORS;
            m.a[last ? IFD_RIG_ACTUATORS - 1 : 0] = (double)NAN;
            assert_int_equal(said(&m), kind == IFD__WIRE_MEASURE ? IFD__WIRE_IS_OK : IFD__WIRE_IS_NUMBER);
            m = valid(kind);
            m.actuators = IFD_RIG_ACTUATORS;
            m.b[last ? IFD_RIG_ACTUATORS - 1 : 0] = (double)INFINITY;
            assert_int_equal(said(&m), kind == IFD__WIRE_MEASURE ? IFD__WIRE_IS_OK : IFD__WIRE_IS_NUMBER);
            m = valid(kind);
            m.time = (double)INFINITY;
            assert_int_equal(said(&m), IFD__WIRE_IS_NUMBER);
        }
    for (uint32_t word = 0; word <= IFD__ANSWER_WELCOME + 2; word += 2) { /* times of a client that waits only */
        ifd__message m = valid(IFD__WIRE_HELLO);
        m.word = word;
        if (word <= 6 || word >= IFD__ANSWER_WELCOME)
            assert_int_equal(said(&m), word == 2 || word == 6 ? IFD__WIRE_IS_NUMBER : IFD__WIRE_IS_OK);
    }
    ifd__message m = valid(IFD__WIRE_COMMAND);
    m.word = IFD__HELLO_ELASTIC;
    assert_int_equal(said(&m), IFD__WIRE_IS_OK);
    m.time = -1.0;
    assert_int_equal(said(&m), IFD__WIRE_IS_OK);
}

/* Of a record with every unused byte set in turn. */
TEST(no_unused_byte_is_taken)
{
    for (ifd__wire_kind kind = IFD__WIRE_HELLO; kind <= IFD__WIRE_WHY; kind++)
        for (int at = 72; at < 596; at++) {
            ifd__message m = valid(kind), back;
            uint8_t bytes[IFD__WIRE_SIZE];
            bool measure = kind == IFD__WIRE_MEASURE;
            m.actuators = 2;
            m.aux = measure ? 2 : 0;
            ifd__wire_encode(&m, bytes);
            bool unused =
                at >= 592 || (kind == IFD__WIRE_WHY ? at >= 72 + 9 && at < 584
                                                    : (at >= 72 + 16 && at < 200) || (at >= 200 + 16 && at < 328) ||
                                                          (at >= 328 + (measure ? 16 : 0) && at < 584));
            if (!unused)
                continue;
            bytes[at] = 1;
            little(bytes + 596, 4, ifd__crc32(bytes, 596));
            assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_FIELD);
        }
}

TEST(a_reason_has_printable_characters_up_to_its_end)
{
    for (int c = 1; c < 256; c++)
        for (int at = 0; at < 3; at++) {
            ifd__message m = valid(IFD__WIRE_WHY);
            m.text[at] = (char)c;
            assert_int_equal(said(&m) == IFD__WIRE_IS_OK, c >= 32 && c != 127);
        }
    ifd__message m = valid(IFD__WIRE_WHY);
    memset(m.text, 'x', sizeof m.text - 1);
    m.text[IFD__WIRE_TEXT - 1] = 'x';
    assert_int_equal(said(&m), IFD__WIRE_IS_FIELD);
    m.text[IFD__WIRE_TEXT - 1] = 0;
    assert_int_equal(said(&m), IFD__WIRE_IS_OK);
}

/* CRC-32 by zlib, from the fields of the specification of the link. */
TEST(checksums_are_those_of_another_program)
{
    const uint64_t session = 0x0123456789abcdefu;
    const struct {
        ifd__message m;
        uint32_t crc;
    } row[] = {{{.kind = IFD__WIRE_HELLO, .sequence = 1, .stamp = 1000, .time = 1e-3}, 0x718f34f4u},
               {{.kind = IFD__WIRE_HELLO, .sequence = 1, .stamp = 5000, .echo = 1000, .time = 1e-3, .word = 16},
                0x11e5bf05u},
               {{.kind = IFD__WIRE_HELLO, .sequence = 1, .stamp = 1000, .time = 1e-3, .word = 4}, 0x0f803d33u},
               {{.kind = IFD__WIRE_HELLO,
                 .sequence = 1,
                 .stamp = 5000,
                 .echo = 1000,
                 .time = 1e-3,
                 .word = 16,
                 .heartbeat = 1},
                0xcadc8aefu},
               {{.kind = IFD__WIRE_COMMAND,
                 .sequence = 2,
                 .stamp = 2000,
                 .echo = 5000,
                 .tick = 7,
                 .time = 0.0035,
                 .word = 3,
                 .heartbeat = 7,
                 .outputs = 3,
                 .commanded = 1,
                 .a = {0.0125, -0.25},
                 .b = {0.1, -0.5}},
                0x530ee892u},
               {{.kind = IFD__WIRE_MEASURE,
                 .sequence = 2,
                 .stamp = 6000,
                 .echo = 2000,
                 .tick = 7,
                 .time = 1.5,
                 .word = 3,
                 .aux = 1,
                 .a = {0.0124, -0.2499},
                 .b = {2500, -50000},
                 .c = {0.75}},
                0xee9b9dc8u},
               {{.kind = IFD__WIRE_BYE, .sequence = 3, .stamp = 7000, .echo = 6000}, 0x7b4f500fu}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__message m = row[i].m, back;
        uint8_t bytes[IFD__WIRE_SIZE];
        m.session = session;
        m.actuators = 2;
        ifd__wire_encode(&m, bytes);
        assert_int_equal(ifd__wire_get(bytes + 596, 4), row[i].crc);
        assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &back), IFD__WIRE_IS_OK);
    }
}

/* Cell k of a row "| a | b |", from 0, without blanks around it; false: there is none. */
static bool cell(const char *row, int k, char out[80])
{
    const char *p = row;
    for (int i = 0; i <= k && p; i++)
        p = strchr(p + (i > 0), '|');
    const char *end = p ? strchr(p + 1, '|') : NULL;
    if (!end)
        return false;
    snprintf(out, 80, "%.*s", (int)(end - p - 1), p + 1);
    size_t length = strlen(out);
    while (length > 0 && out[length - 1] == ' ')
        out[--length] = 0;
    memmove(out, out + strspn(out, " "), strlen(out + strspn(out, " ")) + 1);
    return true;
}

/* Whether a message of a column of the page is refused with this value in this field, of 4 bytes or the first 8. */
static bool refuses(int column, int at, int bytes, uint64_t value)
{
    static const ifd__wire_kind kind[] = {IFD__WIRE_HELLO,   IFD__WIRE_HELLO, IFD__WIRE_COMMAND,
                                          IFD__WIRE_MEASURE, IFD__WIRE_BYE,   IFD__WIRE_WHY};
    ifd__message m = valid(kind[column]), back;
    uint8_t out[IFD__WIRE_SIZE];
    m.word = column == 1 ? IFD__ANSWER_WELCOME : 0;
    ifd__wire_encode(&m, out);
    little(out + at, bytes < 8 ? bytes : 8, value);
    little(out + 596, 4, ifd__crc32(out, 596));
    return ifd__wire_decode(out, sizeof out, &back) != IFD__WIRE_IS_OK;
}

TEST(the_page_has_the_fields_of_every_kind)
{
    static const struct {
        int at, bytes;
        const char *name;
    } field[] = {
#define ROW(name, bytes, text) {IFD__WIRE_AT_##name, bytes, text},
        IFD__WIRE_FIELDS(ROW)
#undef ROW
    };
    FILE *page = fopen(IFD_SOURCE_DIR "/docs/reference/udp-wire.md", "r");
    char line[2000], text[80];
    size_t rows = 0, zeros = 0;
    assert_non_null(page);
    while (rows < COUNT(field) && fgets(line, sizeof line, page)) {
        char *end;
        if (!cell(line, 0, text) || strtol(text, &end, 10) != field[rows].at || end == text)
            continue;
        int at = field[rows].at, bytes = field[rows].bytes;
        assert_true(cell(line, 1, text) && atoi(text) == bytes);
        assert_true(cell(line, 2, text));
        assert_string_equal(text, field[rows].name);
        bool first =
            at >= IFD__WIRE_AT_A && at < IFD__WIRE_AT_OUTPUTS; /* places of the first actuator, and of inputs */
        for (int column = 0; column < 6 && at >= IFD__WIRE_AT_TICK && at != IFD__WIRE_AT_TIME &&
                             at != IFD__WIRE_AT_ACTUATORS && at != IFD__WIRE_AT_CRC;
             column++) {
            assert_true(cell(line, 3 + column, text));
            bool zero = strcmp(text, "0") == 0;
            uint64_t value = at == IFD__WIRE_AT_OUTPUTS ? IFD_OUTPUT_LOW : 1;
            zeros += zero;
            if (zero)
                assert_true(refuses(column, at, bytes, value));
            else if (!first && !(column == 1 && at == IFD__WIRE_AT_WORD)) /* of a welcome 16 only */
                assert_false(refuses(column, at, bytes, value));
        }
        rows++;
    }
    fclose(page);
    assert_int_equal(rows, COUNT(field));
    assert_int_equal(zeros, 4 + 2 + 4 + 5 + 4 + 4 + 5 + 6); /* from tick to unused */
}

TESTS()
