/* SPDX-License-Identifier: MIT */
/* Scenarios: a script of orders, faults and expectations is played on a real test, tick by tick, without a clock.
 *
 *     play(&s.p, "300; arm; is ready; run: NONE; until run; silent := 1; 40; is run; 1; fault LOST");
 *
 * Statements are divided by semicolons or new lines. A count is in ticks or, with a unit, in seconds of the test (s).
 *
 *     300                      ticks without an order; `300 quiet` demands that no order is answered in any of them,
 *                              `300 with outputs = 0` that this is so after each
 *     arm                      a tick with an order; `arm: RIG_NOT_READY` demands its answer, `5 arm` gives it in
 *                              five ticks, `stop by viewer` names its source (holder, signal, automatic, viewer,
 *                              another)
 *     until run                ticks until a state, a comparison or an `answer`, which must come: at most 200000, or
 *                              as many as `until run within 50` permits; `waited` is their number
 *     until the end            ticks until the test ends, `result` is its result
 *     is run                   the present state; `passed ready ramp-in run` all states since the beginning, or since
 *                              the last of these statements, in their order
 *     fault LOST               the latched fault; so wait, answer, answer.order, result (GOING, DONE, FAULT)
 *     commands = 0             a comparison: = != < <= > >=, `x = 0.5 +- 1e-3`, `x in 59..61`
 *     shift := 0.02            sets a quantity of the rig, or keeps a number under a new name
 *     clear := NO_STOP         inputs, outputs, gate: names of their bits, added
 *
 * An expression is evaluated from left to right, its signs between blanks: `before + 2 * period`. Quantities of every
 * test: ticks, waited, time, period, rests (1: on hold), fault.channel .value .limit .tick, wait.channel .value .low
 * .high .seconds, answer.channel .value .limit, count.LOST, [name of a column]; to be set: gate, wall, patience, late
 * and job_late of the next ticks. Those of a scene and its rig are a table. */
#pragma once

#include <interfield/hybrid.h>

/* What a script reads and sets: a member of a rig or of a scene, or a function of the test. */
typedef struct quantity {
    const char *name;
    char kind; /* of the member */
    void *at;
    double (*of)(const ifd_hybrid *h);
} quantity;

#define QUANTITY_KIND(member)                                                                                        \
    _Generic((member), double : 'd', bool : 'b', int : 'i', long : 'l', uint32_t : 'w', uint64_t : 'c')
#define QUANTITY(object, member)                                                                                     \
    {                                                                                                                \
        .name = #member, .kind = QUANTITY_KIND((object).member), .at = &(object).member                              \
    }

enum { PLAY_KEPT = 16, PLAY_PASSED = 64, PLAY_REPORT = 1024 };

typedef struct player {
    ifd_hybrid *h;
    ifd_ticked t;
    const quantity *own; /* of its scene, up to one without a name; NULL: none */
    /* A tick of the scene; NULL: of the test alone. Called after each tick; NULL: nothing. */
    ifd_run_state (*tick)(void *scene, const ifd_tick_in *in);
    void (*after)(void *scene);
    void *scene;
    ifd_tick_in in; /* of the next ticks */
    ifd_run_state last;
    long ticks, waited;
    ifd_machine passed[PLAY_PASSED];
    int passes;
    struct {
        char name[24];
        double value;
    } kept[PLAY_KEPT];
    int keeps;
    char report[PLAY_REPORT]; /* of the first statement that fails */
} player;

/* A test at its beginning. */
void player_begin(player *p, ifd_hybrid *h, const quantity *own);
ifd_run_state player_tick(player *p, ifd_order order);

/* Plays a script, a printf format with its values. The test fails, in the line of the caller, if an expectation does
 * not hold, with both values, or if a word is unknown. */
#define play(p, ...) play_at((p), __FILE__, __LINE__, __VA_ARGS__)
__attribute__((format(printf, 4, 5))) void play_at(player *p, const char *file, int line, const char *format, ...);
/* False: it does not hold, p->report has the reason. */
bool play_holds(player *p, const char *script);
/* The present value of a column, which must exist; of an expression. */
double test_column(ifd_hybrid *h, const char *name);
double play_value(player *p, const char *expression);

/* Options of a test before it is made: `end := 2; brake := 0.1`, of the rows of a table. NULL: none. */
void quantities_set(const quantity *rows, const char *set);

/* A table of scenarios, each of which is a test with its sentence as name. `open` makes the test with the set-up of
 * the row (quantities_set, or what the file states) and returns its player, `close` ends it. */
typedef struct scenario {
    const char *name, *set, *script;
} scenario;

#define SCENARIOS(rows, open, close)                                                                                 \
    static void play_##rows(void **state)                                                                            \
    {                                                                                                                \
        const scenario *row = *state;                                                                                \
        play(open(row->set), "%s", row->script);                                                                     \
        close();                                                                                                     \
    }                                                                                                                \
    __attribute__((constructor)) static void add_##rows(void)                                                        \
    {                                                                                                                \
        for (size_t i = 0; i < COUNT(rows); i++)                                                                     \
            test_add((struct CMUnitTest){rows[i].name, play_##rows, NULL, NULL, (void *)&rows[i]}, __LINE__);        \
    }
