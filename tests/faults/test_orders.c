/* SPDX-License-Identifier: MIT */
/* Every order in every state, at valid and invalid moments. */
#include "check.h"

#include <string.h>

#include "faults/page.h"
#include "faults/table.h"

/* The resulting state of an order from each state in motion; letters as in table.h. */
static const struct {
    ifd_order order;
    const char *ends;
} orders[] = {
    /*                        irnuhost */
    {IFD_ORDER_NONE, "irnuhost"},       {IFD_ORDER_ARM, "rrnuhost"},       {IFD_ORDER_RUN, "innuhost"},
    {IFD_ORDER_HOLD, "irohhost"},       {IFD_ORDER_RESUME, "irnuuost"},    {IFD_ORDER_RAMP_OUT, "isoooost"},
    {IFD_ORDER_TRIP, "tttttttt"},       {IFD_ORDER_RESET, "irnuhost"}, /* not before the brakes
                                                                        * have done their work */
    {IFD_ORDER_CHECKPOINT, "irnuhost"}, {IFD_ORDER_PARK, "irnhhost"},  /* ends when hold has come to rest */
    {IFD_ORDER_QUIT, "isnuhost"},                                      /* tripped: ends after the brake */
    {IFD_ORDER_RETURN, "irnuhost"},                                    /* only from outside the stroke */
    {IFD_ORDER_UPDATE_OFF, "irnuhost"}, {IFD_ORDER_UPDATE_ON, "irnuhost"}, {IFD_ORDER_SLOWER, "irnuhost"},
    {IFD_ORDER_FASTER, "irnuhost"},     {IFD_ORDER_STOP, "isohhtst"}, /* idle: ends; hold: ramp-out at rest */
    {IFD_ORDER_UNLOAD, "ionuoost"},     {IFD_ORDER_LOW, "irnuhost"},       {IFD_ORDER_HIGH, "irnuhost"},
    {IFD_ORDER_OFF, "itttttst"},
};

static char letter(const scene *s)
{
    return FAULT_LETTERS[ifd_hybrid_state(s->h)];
}

TEST(every_order_is_on_the_list)
{
    assert_int_equal(COUNT(orders), IFD_ORDER_COUNT);
    for (size_t i = 0; i < COUNT(orders); i++)
        assert_int_equal(orders[i].order, i);
}

TEST(an_order_leads_where_it_may_and_is_ignored_elsewhere)
{
    for (size_t i = 0; i < COUNT(orders); i++)
        for (int m = 0; m < FAULT_STATES; m++) {
            scene s;
            scene_open(&s, SPRINGS, NULL);
            scene_bring(&s, (ifd_machine)m);
            scene_tick(&s, orders[i].order);
            if (letter(&s) != orders[i].ends[m])
                fail_msg("%s in state %s leads to %s", ifd_order_name(orders[i].order),
                         ifd_machine_name((ifd_machine)m), ifd_machine_name(ifd_hybrid_state(s.h)));
            scene_ticks(&s, 100);
            assert_string_equal(bad.broke, "");
            scene_replays(&s);
            scene_close(&s);
        }
}

TEST(the_page_says_where_each_order_leads)
{
    int lacks = 0;
    for (size_t i = IFD_ORDER_NONE + 1; i < COUNT(orders); i++) {
        char line[300];
        bool acts = false;
        int used = snprintf(line, sizeof line, "| `%s` |", ifd_order_name(orders[i].order));
        for (int m = 0; m < FAULT_STATES; m++) {
            int to = (int)(strchr(FAULT_LETTERS, orders[i].ends[m]) - FAULT_LETTERS);
            used += snprintf(line + used, sizeof line - (size_t)used, " %s |",
                             to == m ? "·" : ifd_machine_name((ifd_machine)to));
            acts = acts || to != m;
        }
        lacks += acts && page_lacks(line); /* an order that changes no state has no row */
    }
    assert_int_equal(lacks, 0);
}

/* Orders that wait for rest, and orders that a case forbids. */
TEST(orders_that_wait_for_rest_act_when_it_has_come)
{
    static const struct {
        ifd_machine in;
        const char *set[3];
        ifd_order order;
        char end;
    } rows[] = {
        {IFD_MACHINE_HOLD, {NULL}, IFD_ORDER_PARK, 's'},
        {IFD_MACHINE_HOLD, {NULL}, IFD_ORDER_RESUME, 'u'},
        {IFD_MACHINE_HOLD, {NULL}, IFD_ORDER_RAMP_OUT, 'o'},
        {IFD_MACHINE_HOLD, {"test.rate-dependent=yes", NULL}, IFD_ORDER_RESUME, 'h'},
        {IFD_MACHINE_HOLD, {"test.rate-dependent=yes", "test.allow-resume=yes", NULL}, IFD_ORDER_RESUME, 'u'},
        {IFD_MACHINE_TRIPPED, {NULL}, IFD_ORDER_RESET, 'i'},
        {IFD_MACHINE_TRIPPED, {NULL}, IFD_ORDER_RESUME, 't'},
        {IFD_MACHINE_TRIPPED, {NULL}, IFD_ORDER_RUN, 't'},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene s;
        scene_open(&s, SPRINGS, rows[i].set);
        scene_bring(&s, rows[i].in);
        scene_ticks(&s, 100);
        assert_true(bad.rest);
        scene_tick(&s, rows[i].order);
        if (letter(&s) != rows[i].end)
            fail_msg("row %d: %s at rest leads to %s", (int)i, ifd_order_name(rows[i].order),
                     ifd_machine_name(ifd_hybrid_state(s.h)));
        scene_ticks(&s, 100);
        assert_string_equal(bad.broke, "");
        scene_replays(&s);
        scene_close(&s);
    }
}

/* The brake is a wall-clock time if it is longer than the motion requires (0.176 s, test_simulated_time_plan.c): 0.2
 * s of ticks of 2 ms, one more for the command, and some for the last stage. */
TEST(hold_comes_to_rest_within_the_brake)
{
    scene s;
    scene_open(&s, SPRINGS, (const char *const[]){"test.brake=0.2 s", NULL});
    scene_bring(&s, IFD_MACHINE_RUN);
    scene_tick(&s, IFD_ORDER_HOLD);
    int ticks = 0;
    for (; ticks < 500 && !bad.rest; ticks++)
        scene_tick(&s, IFD_ORDER_NONE);
    assert_in_range(ticks, 95, 115);
    scene_close(&s);
}

TESTS()
