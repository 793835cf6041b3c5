/* SPDX-License-Identifier: MIT */
/* Which rig a number of a fault belongs to, and whose reason the operator reads. */
#include "check.h"

#include <string.h>

#include "hybrid/hybrid.h"
#include "hybrid/rig_ready.h"
#include "rig/several.h"

enum { RIGS = 3, INTERFACES = 2, ACTUATORS = 4, ROWS = 5 };

/* Interface 0 has actuator 3, of rig 2; interface 1 is of rig 1. Rows of the map: a position, a force and three
 * auxiliary inputs. */
static ifd_channel_row row[ROWS] = {{.source = IFD_SOURCE_POSITION, .input = 3},
                                    {.source = IFD_SOURCE_FORCE, .input = 1},
                                    {.source = IFD_SOURCE_AUX, .input = 5},
                                    {.source = IFD_SOURCE_AUX, .input = 6},
                                    {.source = IFD_SOURCE_AUX, .input = 4}};
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
    const int of_actuator[ACTUATORS] = {1, 0, 1, 2};
    memcpy(h->rigs.of_actuator, of_actuator, sizeof of_actuator);
    h->rigs.of_interface[0] = 2;
    h->rigs.of_interface[1] = 1;
}

TEST(every_number_of_a_fault_has_its_rig)
{
    ifd_hybrid h;
    make(&h);
    const int rig[] = {2, 1, 1, 0, 1, 2, /* rows */ 2, 0, 2, 0, 2, /* rigs */ 0, 1, 2};
    for (int who = 0; who < (int)COUNT(rig); who++)
        assert_string_equal(ifd_hybrid_rig_name(&h, who), part[rig[who]].name);
    for (int who = 0; who < (int)COUNT(rig); who++)
        assert_int_equal(ifd__rigs_of(&h, who), rig[who]);
    assert_null(ifd_hybrid_rig_name(&h, -1));
    assert_null(ifd_hybrid_rig_name(&h, (int)COUNT(rig)));
    assert_int_equal(ifd__rigs_of(&h, -1), 0);
    h.opt.map = NULL;
    for (int r = 0; r < RIGS; r++)
        assert_string_equal(ifd_hybrid_rig_name(&h, INTERFACES + ACTUATORS + r), part[r].name);
    assert_null(ifd_hybrid_rig_name(&h, INTERFACES + ACTUATORS + RIGS));
    h.opt.map = &map;
    h.rigs.several = NULL;
    assert_null(ifd_hybrid_rig_name(&h, 0));
    assert_int_equal(ifd__rigs_of(&h, 0), 0);
    assert_int_equal(ifd__rigs_count(&h), 1);
    assert_int_equal(ifd__rigs_link(&h, 0).who, -1);  /* one rig has no number, */
    assert_int_equal(ifd__rigs_link(&h, 0).delay, 1); /* and its answer is used in the next tick */
}

/* A measurement counts as an answer once: when it comes into use, or when it arrives for a later tick. */
/* Of several rigs the first one whose operator has not typed allow; of one rig that one. */
TEST(a_rig_that_refuses_is_found)
{
    ifd_hybrid h;
    make(&h);
    assert_int_equal(ifd__rigs_refuse(&h), -1);
    for (int r = RIGS - 1; r >= 0; r--) {
        ((ifd__rig_state *)(h.x + h.rigs.at))[r].inputs = IFD_INPUT_NO_STOP | IFD_INPUT_NOT_ALLOWED;
        assert_int_equal(ifd__rigs_refuse(&h), r);
    }
    h.rigs.several = NULL;
    assert_int_equal(ifd__rigs_refuse(&h), -1);
    h.measure.inputs = IFD_INPUT_NOT_ALLOWED;
    assert_int_equal(ifd__rigs_refuse(&h), 0);
    h.measure.inputs = (uint32_t)~IFD_INPUT_NOT_ALLOWED;
    assert_int_equal(ifd__rigs_refuse(&h), -1);
}

TEST(an_answer_counts_when_it_is_new)
{
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

static int opened, closed;

static ifd_status count_open(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    opened++;
    return open_rig(rig, values, arena, note);
}

static ifd_status refuse_open(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig, (void)values, (void)arena;
    return ifd_note_add(note, IFD_PEER, NULL, "it is locked");
}

static ifd_status refuse_silently(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig, (void)values, (void)arena, (void)note;
    return IFD_PEER;
}

static void count_close(ifd_rig *rig)
{
    (void)rig;
    closed++;
}

static int64_t wait_until(ifd_rig *rig, int64_t latest)
{
    (void)rig;
    return latest;
}

static const ifd_rig_ops paced = {
    .abi = IFD_RIG_ABI, .name = "paced", .open = count_open, .close = count_close, .wait = wait_until, .why = reason};

TEST(the_reason_is_that_of_the_rig_of_the_fault)
{
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
    const char *const why[] = {"c", "b", "b", "a", "b", "c", "c", "a", "c", "a", "c", "a", "b", "c"};
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

/* Set-ups at both sides of every rule: a change of one valid set of three rigs on three actuators. */
typedef struct wrong {
    const char *name;
    void (*change)(ifd_several *s, ifd_rig_part *p, ifd_rig *rig);
    ifd_status status;
    const char *says; /* the last error; NULL: not judged */
} wrong;

#define CHANGE(function, ...)                                                                                        \
    static void function(ifd_several *s, ifd_rig_part *p, ifd_rig *rig)                                              \
    {                                                                                                                \
        (void)s, (void)p, (void)rig;                                                                                 \
        __VA_ARGS__;                                                                                                 \
    }
CHANGE(nothing, (void)0)
CHANGE(no_rigs, s->rigs = 0)
CHANGE(too_many_rigs, s->rigs = IFD__RIGS + 1)
CHANGE(
    most_rigs, s->rigs = rig->channels = IFD__RIGS; for (int r = RIGS; r < IFD__RIGS; r++) {
        p[r] = p[0];
        p[r].actuator[0] = r;
    })
CHANGE(no_channels, p[1].channels = 0)
CHANGE(most_aux, p[1].aux = IFD_RIG_AUX)
CHANGE(too_many_aux, p[1].aux = IFD_RIG_AUX + 1)
CHANGE(negative_aux, p[1].aux = -1)
CHANGE(last_input, p[1].aux = 1; p[1].input[0] = IFD_RIG_AUX - 1)
CHANGE(input_beyond, p[1].aux = 1; p[1].input[0] = IFD_RIG_AUX)
CHANGE(negative_input, p[1].aux = 1; p[1].input[0] = -1)
CHANGE(twice, p[1].actuator[0] = 0)
CHANGE(actuator_beyond, p[2].actuator[0] = 3)
CHANGE(negative_actuator, p[2].actuator[0] = -1)
CHANGE(one_beyond, p[2].channels = 2; p[2].actuator[1] = 3)
CHANGE(one_unowned, rig->channels = 4)
CHANGE(first_unowned, rig->channels = 4; p[0].actuator[0] = 3)
CHANGE(one_leads, p[0].leads = true)
CHANGE(two_lead, p[0].leads = p[2].leads = true)
CHANGE(older_interface, ((ifd_rig_ops *)p[1].ops)->abi = IFD_RIG_ABI - 1)
CHANGE(newer_interface, ((ifd_rig_ops *)p[1].ops)->abi = IFD_RIG_ABI + 1)
CHANGE(half_a_tick, p[1].equalise = 0.51e-3)
CHANGE(less_than_half_a_tick, p[1].equalise = 0.49e-3)
CHANGE(no_twin, s->rehearse = true)
CHANGE(refuses, ((ifd_rig_ops *)p[2].ops)->open = refuse_open)
CHANGE(refuses_silently, ((ifd_rig_ops *)p[2].ops)->open = refuse_silently)

static const wrong set_ups[] = {
    {"as it should be", nothing, IFD_OK, NULL},
    {"no rigs", no_rigs, IFD_RANGE, "a test has 1 to 16 rigs"},
    {"as many rigs as there are", most_rigs, IFD_OK, NULL},
    {"too many rigs", too_many_rigs, IFD_RANGE, "a test has 1 to 16 rigs"},
    {"no channels", no_channels, IFD_RANGE, "rig 'b' has no channels, or too many"},
    {"as many auxiliary inputs as there are", most_aux, IFD_OK, NULL},
    {"one more", too_many_aux, IFD_RANGE, NULL},
    {"a negative number", negative_aux, IFD_RANGE, NULL},
    {"the last input", last_input, IFD_OK, NULL},
    {"an input beyond", input_beyond, IFD_RANGE, NULL},
    {"a negative input", negative_input, IFD_RANGE, NULL},
    {"an actuator twice", twice, IFD_CONFLICT, "rig 'b': each actuator of a test belongs to exactly one rig"},
    {"an actuator beyond", actuator_beyond, IFD_CONFLICT, NULL},
    {"an actuator beyond, beside all others", one_beyond, IFD_CONFLICT, NULL},
    {"a negative actuator", negative_actuator, IFD_CONFLICT, NULL},
    {"an actuator without a rig", one_unowned, IFD_CONFLICT, "actuator 4 of the test belongs to no rig"},
    {"the first one", first_unowned, IFD_CONFLICT, "actuator 1 of the test belongs to no rig"},
    {"one clock", one_leads, IFD_OK, NULL},
    {"two clocks", two_lead, IFD_CONFLICT, "2 rigs have 'pace: rig', expected at most one"},
    {"an older interface", older_interface, IFD_PLUGIN, NULL},
    {"a newer one", newer_interface, IFD_PLUGIN, NULL},
    {"half a tick", half_a_tick, IFD_OK, NULL},
    {"less", less_than_half_a_tick, IFD_RANGE, NULL},
    {"a rehearsal without a twin", no_twin, IFD_INTERNAL, NULL},
    {"a rig that does not open", refuses, IFD_PEER, "rig 'c' of the case does not open"},
    {"a rig that does not say why", refuses_silently, IFD_PEER, "rig 'c' of the case does not open"},
};

TEST(a_set_of_rigs_is_checked)
{
    for (size_t i = 0; i < COUNT(set_ups); i++) {
        static char text[] = "?";
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        ifd_rig_ops ops[RIGS];
        ifd_rig_part own[IFD__RIGS + 1] = {0};
        ifd_several all = {.rigs = RIGS, .rig = own};
        ifd_rig rig = {.ops = &ifd_several_rig, .channels = RIGS, .tick = 1e-3, .data = &all};
        ifd_note_init(&note, arena);
        opened = closed = 0;
        for (int r = 0; r < RIGS; r++) {
            ops[r] = paced;
            own[r] = (ifd_rig_part){.name = part[r].name, .ops = &ops[r], .setup = text, .channels = 1};
            own[r].actuator[0] = r;
        }
        set_ups[i].change(&all, own, &rig);
        ifd_status status = rig.ops->open(&rig, NULL, arena, &note);
        if (status != set_ups[i].status)
            fail_msg("%s: status %d, expected %d", set_ups[i].name, (int)status, (int)set_ups[i].status);
        assert_int_equal(note.errors > 0, status != IFD_OK);
        if (set_ups[i].says)
            assert_string_equal(note.last->text, set_ups[i].says);
        if (status == IFD_OK) {
            assert_int_equal(opened, all.rigs);
            rig.ops->close(&rig);
        }
        assert_int_equal(closed, opened); /* also of those that were open when one failed */
        ifd_arena_close(arena);
    }
}

/* One rig that is virtual does not make all virtual; a clock of any of them leads. */
TEST(some_are_not_all)
{
    ifd_rig_part own[2] = {{.ops = &ifd_virtual_rig}, {.ops = &ifd_virtual_rig}};
    ifd_several all = {.rigs = 2, .rig = own};
    assert_true(ifd_rigs_are_virtual(&ifd_several_rig, &all));
    assert_true(ifd_rigs_are_virtual(&ifd_virtual_rig, NULL));
    assert_false(ifd_rigs_are_virtual(&paced, NULL));
    assert_false(ifd__several_leads(&all));
    for (int r = 0; r < 2; r++) {
        own[r].ops = &paced;
        own[r].leads = true;
        assert_false(ifd_rigs_are_virtual(&ifd_several_rig, &all));
        assert_true(ifd__several_leads(&all));
        own[r].ops = &ifd_virtual_rig;
        own[r].leads = false;
    }
    assert_null(ifd_several_rig.params[0].name); /* no settings of its own */
    assert_null(ifd_several_of(&paced, &all));
    assert_ptr_equal(ifd_several_of(&ifd_several_rig, &all), &all);
}

TESTS()
