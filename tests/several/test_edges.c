/* SPDX-License-Identifier: MIT */
/* Which rig a number of a fault belongs to, and whose reason the operator reads. */
#include "check.h"

#include <string.h>

#include "hybrid/hybrid.h"
#include "hybrid/warm.h"
#include "rig/several.h"

enum { RIGS = 3, INTERFACES = 2, ACTUATORS = 4, ROWS = 4 };

/* Interface 0 has actuator 3, of rig 2; interface 1 is of rig 1. Rows of the map: a position, a force and two
 * auxiliary inputs. */
static ifd_channel_row row[ROWS] = {{.source = IFD_SOURCE_POSITION, .input = 3},
                                    {.source = IFD_SOURCE_FORCE, .input = 1},
                                    {.source = IFD_SOURCE_AUX, .input = 5},
                                    {.source = IFD_SOURCE_AUX, .input = 6}};
static const ifd_channel_map map = {.rows = ROWS, .row = row};
static const ifd_rig_part part[RIGS] = {
    {.name = "a", .aux = 1, .input = {6}}, {.name = "b"}, {.name = "c", .aux = 2, .input = {4, 5}}};
static const ifd_several set = {.rigs = RIGS, .rig = part};

static void make(ifd_hybrid *h)
{
    static double x[IFD__DOUBLES(ifd__test_state) + RIGS * IFD__DOUBLES(ifd__rig_state)];
    memset(x, 0, sizeof x);
    *h = (ifd_hybrid){.x = x, .interfaces = INTERFACES, .actuators = ACTUATORS};
    h->opt.map = &map;
    h->rigs.several = &set;
    h->rigs.at = IFD__DOUBLES(ifd__test_state);
    const int of_actuator[ACTUATORS] = {0, 1, 1, 2};
    memcpy(h->rigs.of_actuator, of_actuator, sizeof of_actuator);
    h->rigs.of_interface[0] = 2;
    h->rigs.of_interface[1] = 1;
}

static void every_number_of_a_fault_has_its_rig(void **state)
{
    (void)state;
    ifd_hybrid h;
    make(&h);
    const int rig[] = {2, 1, 0, 1, 1, 2, /* rows */ 2, 1, 2, 0, /* rigs */ 0, 1, 2};
    for (int who = 0; who < (int)COUNT(rig); who++)
        assert_string_equal(ifd_hybrid_rig_name(&h, who), part[rig[who]].name);
    for (int who = 0; who < INTERFACES + ACTUATORS + ROWS; who++)
        assert_int_equal(ifd__rigs_of(&h, who), rig[who]);
    assert_null(ifd_hybrid_rig_name(&h, -1));
    assert_null(ifd_hybrid_rig_name(&h, (int)COUNT(rig)));
    assert_int_equal(ifd__rigs_of(&h, -1), 0);
    assert_int_equal(ifd__rigs_of(&h, INTERFACES + ACTUATORS + ROWS), 0);
    h.opt.map = NULL;
    assert_int_equal(ifd__rigs_of(&h, INTERFACES + ACTUATORS), 0);
    assert_string_equal(ifd_hybrid_rig_name(&h, INTERFACES + ACTUATORS), "a");
    assert_null(ifd_hybrid_rig_name(&h, INTERFACES + ACTUATORS + RIGS));
    h.opt.map = &map;
    h.rigs.several = NULL;
    assert_null(ifd_hybrid_rig_name(&h, 0));
    assert_int_equal(ifd__rigs_of(&h, 0), 0);
    assert_int_equal(ifd__rigs_count(&h), 1);
}

/* A measurement counts as an answer once: when it comes into use, or when it arrives for a later tick. */
static void an_answer_counts_when_it_is_new(void **state)
{
    (void)state;
    static const struct {
        double fresh, arrived, acknowledged;
        bool answers;
    } rows[] = {{0, 5, 5, false}, {0, 6, 5, true}, {0, 4, 5, false}, {1, 5, 5, true}, {1, 4, 5, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_hybrid h;
        make(&h);
        ifd__rig_state *b = (ifd__rig_state *)(h.x + h.rigs.at) + 1;
        b->fresh = rows[i].fresh;
        b->arrived = rows[i].arrived;
        b->acknowledged = rows[i].acknowledged;
        const ifd__rig_link link = ifd__rigs_link(&h, 1);
        assert_int_equal(link.answers, rows[i].answers);
        assert_int_equal(link.fresh, rows[i].fresh > 0);
        assert_int_equal(link.who, INTERFACES + ACTUATORS + ROWS + 1);
    }
}

/* Rigs that report their name. */
static const char *reason(const ifd_rig *rig)
{
    return rig->data;
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    rig->size = 0;
    return IFD_OK;
}

static const ifd_rig_ops speaks = {.abi = IFD_RIG_ABI, .name = "speaks", .open = open_rig, .why = reason};

static void the_reason_is_that_of_the_rig_of_the_fault(void **state)
{
    (void)state;
    static char texts[RIGS][4] = {"a", "b", "c"};
    ifd_rig_part own[RIGS];
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid h;
    make(&h);
    for (int r = 0; r < RIGS; r++) {
        own[r] = part[r];
        own[r].ops = &speaks;
        own[r].setup = texts[r];
        own[r].channels = 1;
        own[r].actuator[0] = r;
    }
    ifd_several all = {.rigs = RIGS, .rig = own};
    h.rigs.several = &all;
    h.rig = (ifd_rig){.ops = &ifd_several_rig, .channels = RIGS, .tick = 1e-3, .data = &all};
    assert_int_equal(h.rig.ops->open(&h.rig, NULL, arena, NULL), IFD_OK);
    const char *const why[] = {"c", "b", "a", "b", "b", "c", "c", "b", "c", "a", "a", "b", "c"};
    for (int who = 0; who < (int)COUNT(why); who++) {
        ifd__test_of(&h)->fault_owner = who;
        ifd__why_keep(&h, true);
        assert_string_equal(ifd_hybrid_why(&h), why[who]);
        assert_int_equal(ifd_hybrid_faulty(&h), who);
    }
    ifd__test_of(&h)->fault_owner = -1.0; /* of no rig: late ticks, an order */
    ifd__why_keep(&h, true);
    h.closed = true;
    assert_null(ifd_hybrid_why(&h));
    ifd_arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_fault_has_its_rig),
        cmocka_unit_test(an_answer_counts_when_it_is_new),
        cmocka_unit_test(the_reason_is_that_of_the_rig_of_the_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
