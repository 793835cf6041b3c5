/* SPDX-License-Identifier: MIT */
/* The sentences of answers with their numbers, as people read them, and the orders that a state permits. */
#include "check.h"

#include <string.h>

#include "hybrid/states.h"

TEST(numbers_of_answers_have_the_units_of_their_sentences)
{
    static const struct {
        ifd_answer answer;
        double value, limit; /* m, N, s, fractions; axis and kN */
        const char *text;
    } rows[] = {
        {IFD_ANSWER_STOP_BACK, 0.36, 0.0, "the emergency stop is released since 0.4 s; type arm again after 1 s"},
        {IFD_ANSWER_CHANGED_POSITION, 0.0123456, -0.002,
         "a specimen is at 12.35 mm, the checkpoint at -2 mm. Accept this with --accept-change, or begin a new test"},
        {IFD_ANSWER_CHANGED_FORCE, 12345.6, -2e6,
         "a specimen has 12.35 kN, the checkpoint -2000 kN. Accept this with --accept-change, or begin a new test"},
        {IFD_ANSWER_LOW_MOVED, 0.0012345, 0.0005,
         "off again: a position moved by 1.234 mm at low pressure, permitted are 0.5 mm (arm-spread)"},
        {IFD_ANSWER_LOW_LOADED, 5432.1, 2000.0,
         "off again: a force changed by 5.432 kN at low pressure, permitted are 2 kN"},
        {IFD_ANSWER_LOW_SILENT, 0.12345, 0.1,
         "off again: no measurement for 0.123 s at low pressure, permitted are 0.1 s (stale-for). Type low when they "
         "arrive"},
        {IFD_ANSWER_QUIT_FREES, 2.0, 3.26, "switches axis 2 off: 3.3 kN are released. Type quit again"},
        {IFD_ANSWER_QUIT_FREES, 99.0, 99.4, "switches axis 99 off: 99 kN are released. Type quit again"},
        {IFD_ANSWER_QUIT_FREED, 100.0, 99.5, "switches axis 100 off: 100 kN are released"},
        {IFD_ANSWER_QUIT_FREED, 12.0, 1534.2, "switches axis 12 off: 1534 kN are released"},
        {IFD_ANSWER_POWER_CANCELLED, 1.0, 2.0, "the order that waited for power on every axis is cancelled"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[400];
        const ifd_tick_trace t = {
            .answer = rows[i].answer, .answer_value = rows[i].value, .answer_limit = rows[i].limit};
        ifd_answer_print(&t, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

/* The share of ticks: both numbers are percentages, of three digits. */
TEST(shares_are_percentages)
{
    char text[400];
    const ifd_tick_trace t = {.answer = IFD_ANSWER_STALE, .answer_value = 0.12345, .answer_limit = 0.905};
    ifd_answer_print(&t, text, sizeof text);
    assert_non_null(
        strstr(text, "12.3 % of the ticks of the last second had a new measurement, 90.5 % are required"));
}

/* Any size: the text is cut, ends with a zero, and nothing behind it is written, also in the middle of a number. */
TEST(a_sentence_is_cut_by_its_buffer)
{
    static const char whole[] = "switches axis 12 off: 1534 kN are released";
    const ifd_tick_trace t = {.answer = IFD_ANSWER_QUIT_FREED, .answer_value = 12.0, .answer_limit = 1534.2};
    for (size_t size = 0; size <= sizeof whole + 2; size++) {
        char text[sizeof whole + 4];
        memset(text, '!', sizeof text);
        ifd_answer_print(&t, text, size);
        size_t used = size < sizeof whole ? size : sizeof whole;
        if (size > 0) {
            assert_memory_equal(text, whole, used - 1);
            assert_int_equal(text[used - 1], 0);
        }
        for (size_t i = used; i < sizeof text; i++)
            if (i >= size)
                assert_int_equal(text[i], '!');
    }
}

/* What a page or a terminal offers: orders of a test at rest whose rig is ready. */
TEST(permitted_orders_are_those_of_the_state)
{
    static const struct {
        ifd_machine state;
        ifd_order order;
        bool permitted;
    } rows[] = {{IFD_MACHINE_IDLE, IFD_ORDER_ARM, true},        {IFD_MACHINE_IDLE, IFD_ORDER_RUN, false},
                {IFD_MACHINE_READY, IFD_ORDER_RUN, true},       {IFD_MACHINE_HOLD, IFD_ORDER_RESUME, true},
                {IFD_MACHINE_HOLD, IFD_ORDER_CHECKPOINT, true}, {IFD_MACHINE_IDLE, IFD_ORDER_CHECKPOINT, false},
                {IFD_MACHINE_RUN, IFD_ORDER_SLOWER, true},      {IFD_MACHINE_IDLE, IFD_ORDER_SLOWER, false},
                {IFD_MACHINE_TRIPPED, IFD_ORDER_RESET, true},   {IFD_MACHINE_RUN, IFD_ORDER_RESET, false},
                {IFD_MACHINE_IDLE, IFD_ORDER_RETURN, true},     {IFD_MACHINE_RUN, IFD_ORDER_NONE, false},
                {IFD_MACHINE_RUN, IFD_ORDER_COUNT, false}};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (ifd_order_permitted(rows[i].state, rows[i].order) != rows[i].permitted)
            fail_msg("row %zu: %s in %s", i, ifd_order_name(rows[i].order), ifd_machine_name(rows[i].state));
}

TESTS()
