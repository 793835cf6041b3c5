/* SPDX-License-Identifier: MIT */
/* Which rig a number of a fault belongs to, and whose reason the operator reads. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>

#include "hybrid/hybrid.h"
#include "hybrid/own_rig.h"
#include "hybrid/rig_ready.h"
#include "rig/several.h"

/* lone is on rig c, both dofs of the block on b, other on a. Rows of the map: a position, a force and three auxiliary
 * inputs. */
static const char text[] =
    "time: {step: 4 ms, end: 0.4 s}\n"
    "method: lsrt2\n"
    "model: {dofs: [x, y, z, w], mass: [1, 1, 1, 1]}\n"
    "specimen:\n"
    "  - {name: lone, spring: {at: x, stiffness: 1e5 N/m}, limits: &l {stroke: 50 mm, velocity: 0.5 m/s, "
    "acceleration: 30 m/s2, force: 10 kN, tracking: 10 mm}}\n"
    "  - {name: first, spring: {at: y, stiffness: 1e5 N/m}, limits: *l}\n"
    "  - {name: second, spring: {at: z, stiffness: 1e5 N/m}, limits: *l}\n"
    "  - {name: other, spring: {at: w, stiffness: 1e5 N/m}, limits: *l}\n"
    "drives:\n"
    "  - name: block\n"
    "    dofs: [first, second]\n"
    "    matrix: [[1, 0.5], [1, -0.5]]\n"
    "    actuators:\n"
    "      - {name: left, limits: &far {stroke: 80 mm, velocity: 1 m/s, acceleration: 60 m/s2, force: 10 kN, "
    "tracking: 10 mm}}\n"
    "      - {name: right, limits: *far}\n"
    "test:\n"
    "  rigs:\n"
    "    - {name: a, virtual: {}, specimens: [other]}\n"
    "    - {name: b, virtual: {}, specimens: [first, second]}\n"
    "    - {name: c, virtual: {}, specimens: [lone]}\n"
    "channels:\n"
    "  place: {input: c position 1, measures: position of lone}\n"
    "  cell: {input: b force 2, measures: force of right}\n"
    "  one: {input: c aux 1, unit: V, twin: force of lone}\n"
    "  two: {input: a aux 1, unit: V, twin: force of other}\n"
    "  three: {input: c aux 2, unit: V, twin: force of lone}\n";

enum { RIGS = 3, INTERFACES = 4, ACTUATORS = 4, ROWS = 5 };
static const char *const names[RIGS] = {"a", "b", "c"};

/* Rigs that report their name. */
static const char *reason(const ifd_rig *rig)
{
    return rig->data;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)x;
    *out = (ifd_measure){.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS, .actuators = (uint32_t)rig->actuators};
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig, (void)c, (void)x;
}

static const ifd_rig_ops speaks = {
    .abi = IFD_RIG_ABI, .name = "speaks", .open = own_rig_open, .sense = sense, .command = command, .why = reason};

static ifd_arena *arena;
static ifd_rig_part part[RIGS];
static ifd_several set;

/* With channels as in the text, or without; on the rigs of the case, or on one. */
static ifd_hybrid *make(bool mapped, bool several)
{
    ifd_note note;
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    ifd_status status =
        ifd_case_read_source(arena, &(ifd_case_source){.path = "edges.yaml", .text = text}, &c, &note);
    if (status == IFD_OK) {
        set = *ifd_several_of(c->test->rig, c->test->rig_setup);
        memcpy(part, set.rig, sizeof part);
        set.rig = part;
        for (int r = 0; r < RIGS; r++) {
            part[r].ops = &speaks;
            part[r].setup = (void *)(uintptr_t)names[r];
            part[r].map = NULL; /* as if these rigs read volts by themselves */
        }
        c->test->rig_setup = several ? (void *)&set : (void *)(uintptr_t) "alone";
        c->test->rig = several ? c->test->rig : &speaks;
        c->test->map = mapped ? c->test->map : NULL;
        status = ifd_hybrid_make(arena, c->test, &h, &note);
    }
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    return h;
}

static void end(ifd_hybrid *h)
{
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

static ifd__rig_state *rig_state(ifd_hybrid *h, int r)
{
    return &h->rigs.block[r];
}

TEST(every_number_of_a_fault_has_its_rig)
{
    ifd_hybrid *h = make(true, true);
    const int rig[] = {2, 1, 1, 0, 2, 1, 1, 0, /* rows */ 2, 1, 2, 0, 2, /* rigs */ 0, 1, 2};
    assert_int_equal(COUNT(rig), INTERFACES + ACTUATORS + ROWS + RIGS);
    for (int who = 0; who < (int)COUNT(rig); who++) {
        assert_string_equal(ifd_hybrid_rig_name(h, who), names[rig[who]]);
        assert_int_equal(ifd__rigs_of(h, who), rig[who]);
    }
    assert_null(ifd_hybrid_rig_name(h, -1));
    assert_null(ifd_hybrid_rig_name(h, (int)COUNT(rig)));
    assert_int_equal(ifd__rigs_of(h, -1), 0);
    end(h);
    h = make(false, true);
    for (int r = 0; r < RIGS; r++)
        assert_string_equal(ifd_hybrid_rig_name(h, INTERFACES + ACTUATORS + r), names[r]);
    assert_null(ifd_hybrid_rig_name(h, INTERFACES + ACTUATORS + RIGS));
    end(h);
    h = make(true, false);
    assert_null(ifd_hybrid_rig_name(h, 0));
    assert_int_equal(ifd__rigs_of(h, 0), 0);
    assert_int_equal(ifd__rigs_count(h), 1);
    assert_int_equal(ifd__rigs_link(h, 0).who, -1);  /* one rig has no number, */
    assert_int_equal(ifd__rigs_link(h, 0).delay, 1); /* and its answer is used in the next tick */
    assert_null(h->rigs.heard);                      /* it reports to the test itself */
    end(h);
}

/* Of several rigs the first one whose operator has not typed allow; of one rig that one. */
TEST(a_rig_that_refuses_is_found)
{
    ifd_hybrid *h = make(true, true);
    assert_int_equal(ifd__rigs_refuse(h), -1);
    for (int r = RIGS - 1; r >= 0; r--) {
        rig_state(h, r)->inputs = IFD_INPUT_NO_STOP | IFD_INPUT_NOT_ALLOWED;
        assert_int_equal(ifd__rigs_refuse(h), r);
    }
    end(h);
    h = make(true, false);
    assert_int_equal(ifd__rigs_refuse(h), -1);
    h->test->rig.inputs = IFD_INPUT_NOT_ALLOWED;
    assert_int_equal(ifd__rigs_refuse(h), 0);
    h->test->rig.inputs = (uint32_t)~IFD_INPUT_NOT_ALLOWED;
    assert_int_equal(ifd__rigs_refuse(h), -1);
    end(h);
}

/* A measurement counts as an answer once: when it comes into use, or when it arrives for a later tick. */
TEST(an_answer_counts_when_it_is_new)
{
    static const struct {
        double fresh, arrived, acknowledged;
        bool answers;
    } rows[] = {{0, 5, 5, false}, {0, 6, 5, true}, {0, 4, 5, false}, {1, 5, 5, true}, {1, 4, 5, true}};
    ifd_hybrid *h = make(true, true);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__rig_state *b = rig_state(h, 1);
        b->fresh = rows[i].fresh;
        b->arrived = rows[i].arrived;
        b->acknowledged = rows[i].acknowledged;
        const ifd__rig_link link = ifd__rigs_link(h, 1);
        assert_int_equal(link.answers, rows[i].answers);
        assert_int_equal(link.fresh, rows[i].fresh > 0);
        assert_int_equal(link.who, INTERFACES + ACTUATORS + ROWS + 1);
    }
    end(h);
    h = make(true, false); /* one rig answers with a new measurement only */
    for (size_t i = 0; i < COUNT(rows); i++) {
        h->test->rig.fresh = rows[i].fresh;
        h->test->rig.arrived = rows[i].arrived;
        h->test->rig.acknowledged = rows[i].acknowledged;
        assert_int_equal(ifd__rigs_link(h, 0).answers, rows[i].fresh > 0);
    }
    end(h);
}

TEST(the_reason_is_that_of_the_rig_of_the_fault)
{
    ifd_hybrid *h = make(true, true);
    const char *const why[] = {"c", "b", "b", "a", "c", "b", "b", "a", "c", "b", "c", "a", "c", "a", "b", "c"};
    for (int who = 0; who < (int)COUNT(why); who++) {
        ifd__test_of(h)->fault_owner = who;
        ifd__why_keep(h, true);
        assert_string_equal(ifd_hybrid_why(h), why[who]);
        assert_int_equal(ifd_hybrid_faulty(h), who);
    }
    ifd__test_of(h)->fault_owner = -1.0; /* of no rig: late ticks, an order */
    ifd__why_keep(h, true);
    ifd_hybrid_close(h);
    assert_null(ifd_hybrid_why(h));
    ifd_arena_close(arena);
}

static int opened, closed;

static ifd_status count_open(ifd_rig *rig, const ifd_value *values, ifd_arena *memory, ifd_note *note)
{
    opened++;
    return own_rig_open(rig, values, memory, note);
}

static ifd_status refuse_open(ifd_rig *rig, const ifd_value *values, ifd_arena *memory, ifd_note *note)
{
    (void)rig, (void)values, (void)memory;
    return ifd_note_add(note, IFD_PEER, NULL, "it is locked");
}

static ifd_status refuse_silently(ifd_rig *rig, const ifd_value *values, ifd_arena *memory, ifd_note *note)
{
    (void)rig, (void)values, (void)memory, (void)note;
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
    most_rigs, s->rigs = rig->actuators = IFD__RIGS; for (int r = RIGS; r < IFD__RIGS; r++) {
        p[r] = p[0];
        p[r].actuator[0] = r;
    })
CHANGE(no_channels, p[1].actuators = 0)
CHANGE(most_aux, p[1].aux = IFD_RIG_AUX)
CHANGE(too_many_aux, p[1].aux = IFD_RIG_AUX + 1)
CHANGE(negative_aux, p[1].aux = -1)
CHANGE(last_input, p[1].aux = 1; p[1].input[0] = IFD_RIG_AUX - 1)
CHANGE(input_beyond, p[1].aux = 1; p[1].input[0] = IFD_RIG_AUX)
CHANGE(negative_input, p[1].aux = 1; p[1].input[0] = -1)
CHANGE(twice, p[1].actuator[0] = 0)
CHANGE(actuator_beyond, p[2].actuator[0] = 3)
CHANGE(negative_actuator, p[2].actuator[0] = -1)
CHANGE(one_beyond, p[2].actuators = 2; p[2].actuator[1] = 3)
CHANGE(one_unowned, rig->actuators = 4)
CHANGE(first_unowned, rig->actuators = 4; p[0].actuator[0] = 3)
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
    {"no channels", no_channels, IFD_RANGE, "rig 'b' has no actuators, or too many"},
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
        static char word[] = "?";
        ifd_note note;
        ifd_rig_ops ops[RIGS];
        ifd_rig_part own[IFD__RIGS + 1] = {0};
        ifd_several all = {.rigs = RIGS, .rig = own};
        ifd_rig rig = {.ops = &ifd_several_rig, .actuators = RIGS, .tick = 1e-3, .data = &all};
        arena = ifd_arena_open();
        ifd_note_init(&note, arena);
        opened = closed = 0;
        for (int r = 0; r < RIGS; r++) {
            ops[r] = paced;
            own[r] = (ifd_rig_part){.name = names[r], .ops = &ops[r], .setup = word, .actuators = 1};
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
