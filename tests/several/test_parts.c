/* SPDX-License-Identifier: MIT */
/* A test divided among several rigs: drives, controlled forces, channels and accelerometers as on one rig; rehearsal;
 * the clock of one rig; the order of the farewell; wrong divisions. */
#include "check.h"

#include <string.h>

#include "hybrid/hybrid.h"
#include "rig/rig.h"
#include "several/bench.h"

static ifd_case *read_case(ifd_arena *arena, ifd_note *note, const char *file)
{
    ifd_case *c = NULL;
    ifd_status status =
        ifd_case_read(arena, ifd_arena_print(arena, IFD_SOURCE_DIR "/tests/several/%s", file), 0, NULL, &c, note);
    for (const ifd_finding *f = note->first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    return c;
}

/* Every value of the test on its rigs, and on one virtual rig. */
TEST(virtual_rigs_give_the_bits_of_one)
{
    static const char *const files[] = {"three.yaml", "mixed.yaml"};
    (void)state;
    for (size_t f = 0; f < COUNT(files); f++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        ifd_note_init(&note, arena);
        const ifd_case *c = read_case(arena, &note, files[f]);
        ifd_hybrid_options one = *c->test;
        ifd_hybrid *h[2];
        one.rig = &ifd_virtual_rig;
        one.rig_setup = c->laboratory;
        assert_int_equal(ifd_hybrid_make(arena, &one, &h[0], &note), IFD_OK);
        assert_int_equal(ifd_hybrid_make(arena, c->test, &h[1], &note), IFD_OK);
        ifd_ticked t[2] = {ifd_hybrid_ticked(h[0]), ifd_hybrid_ticked(h[1])};
        int columns, others;
        const ifd_column *column = ifd_hybrid_columns(h[0], &columns), *other = ifd_hybrid_columns(h[1], &others);
        assert_int_equal(others, columns + 10 * ifd_several_of(c->test->rig, c->test->rig_setup)->rigs);
        ifd_run_state last = IFD_RUN_GOING;
        for (int k = 0; k < 5000 && last == IFD_RUN_GOING; k++) {
            last = t[0].tick(t[0].self, &(ifd_tick_in){0});
            assert_int_equal(t[1].tick(t[1].self, &(ifd_tick_in){0}), last);
            for (int i = 0; i < columns; i++) {
                int j = ifd_column_find(other, others, column[i].owner, column[i].quantity);
                if (memcmp(&t[0].values(t[0].self)[i], &t[1].values(t[1].self)[j], sizeof(double)) != 0)
                    fail_msg("%s, tick %d: '%s' is %.17g on several rigs and %.17g on one", files[f], k + 1,
                             column[i].name, t[1].values(t[1].self)[j], t[0].values(t[0].self)[i]);
            }
        }
        assert_int_equal(last, IFD_RUN_DONE);
        ifd_hybrid_close(h[0]);
        ifd_hybrid_close(h[1]);
        ifd_arena_close(arena);
    }
}

/* Channels in the order of `specimens`, a drive at its first one; auxiliary inputs in the map of the rig. */
TEST(channels_are_numbered_within_a_rig)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_hybrid *h = NULL;
    ifd_note_init(&note, arena);
    const ifd_case *c = read_case(arena, &note, "mixed.yaml");
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    const ifd_rig_part *hall = &s->rig[0], *annex = &s->rig[1];
    assert_int_equal(hall->actuators, 3); /* gravity; left and right of the block */
    assert_true(hall->actuator[0] == 3 && hall->actuator[1] == 0 && hall->actuator[2] == 1);
    assert_true(annex->actuators == 1 && annex->actuator[0] == 2);
    assert_true(annex->aux == 3 && annex->input[0] == 2 && annex->input[1] == 4 && annex->input[2] == 5);
    assert_int_equal(annex->map->rows, 3);
    assert_true(annex->map->row[0].input == 0 && annex->map->row[0].actuator == 0);
    assert_true(annex->map->row[1].input == 0 && annex->map->row[2].input == 2);
    assert_int_equal(hall->map->rows, 1);
    assert_true(hall->map->row[0].input == 2 && hall->map->row[0].actuator == 2);
    assert_int_equal(hall->twin->blocks, 1);
    assert_int_equal(hall->twin->block[0].first, 1);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, &note), IFD_OK);
    const char *const name[] = {"first",   "alone",  "second", "gravity", "left", "right", "alone",
                                "gravity", "stroke", "top",    "strain",  "cell", "hall",  "annex"};
    const char *const rig[] = {"hall", "annex", "hall",  "hall",  "hall", "hall", "annex",
                               "hall", "annex", "annex", "annex", "hall", "hall", "annex"};
    for (int i = 0; i < (int)COUNT(name); i++) {
        assert_string_equal(ifd_hybrid_owner_name(h, i), name[i]);
        assert_string_equal(ifd_hybrid_rig_name(h, i), rig[i]);
    }
    assert_null(ifd_hybrid_owner_name(h, (int)COUNT(name)));
    assert_null(ifd_hybrid_rig_name(h, -1));
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

/* In a rehearsal every rig is commanded without positions in the state idle; the twins supply the response. */
TEST(a_rehearsal_moves_no_rig)
{
    benches b;
    benches_read(&b);
    b.opt.rehearse = b.c->laboratory;
    benches_make(&b);
    benches_bring(&b, IFD_MACHINE_RUN);
    int count;
    const ifd_column *column = ifd_hybrid_columns(b.h, &count);
    assert_true(fabs(b.t.values(b.t.self)[ifd_column_find(column, count, "lower", IFD_COLUMN_INTERFACE_FORCE)]) >
                1.0);
    benches_until(&b, IFD_MACHINE_STOPPED);
    for (int r = 0; r < BENCHES; r++)
        for (int k = 0; k < b.bench[r].commands; k++) {
            assert_int_equal(b.bench[r].seen[k].commanded, 0);
            assert_int_equal(b.bench[r].seen[k].state, IFD_MACHINE_IDLE);
        }
    benches_close(&b);
}

TEST(a_silent_rig_is_lost_in_a_rehearsal_too)
{
    benches b;
    benches_read(&b);
    b.opt.rehearse = b.c->laboratory;
    benches_make(&b);
    benches_bring(&b, IFD_MACHINE_RUN);
    b.bench[2].silent = true;
    play(&b.p, "12");
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(b.h).trip), "LOST");
    assert_string_equal(ifd_hybrid_rig_name(b.h, ifd_hybrid_trip(b.h).owner), "right");
    benches_close(&b);
}

static int waited;

static int64_t wait_once(ifd_rig *rig, int64_t latest)
{
    waited += rig->data != NULL;
    return latest - 7;
}

TEST(one_rig_leads_the_ticks)
{
    benches b;
    benches_read(&b);
    ifd_rig_ops clocked = *b.part[1].ops;
    clocked.wait = wait_once;
    b.part[1].ops = &clocked;
    benches_make(&b);
    assert_null(b.t.wait); /* nobody leads */
    benches_close(&b);
    for (int r = 0; r < BENCHES; r++) {
        benches_read(&b);
        b.part[r].ops = &clocked;
        b.part[r].leads = true;
        benches_make(&b);
        assert_non_null(b.t.wait);
        assert_true(b.t.wait(b.t.self, 1000) == 993);
        assert_int_equal(waited, r + 1);
        benches_close(&b);
    }
}

static int closings;
static int closed_as[BENCHES];

static void close_in_turn(ifd_rig *rig)
{
    bench *b = rig->data;
    closed_as[(int)(b->stiffness - 1.0)] = ++closings;
}

/* A rig that did not answer the last command is released last, as its farewell takes time. */
TEST(rigs_that_answer_are_released_first)
{
    for (int i = 0; i < 2 * BENCHES; i++) {
        int lost = i / 2, ticks = i % 2 ? 9 : 1;
        benches b;
        benches_read(&b);
        ifd_rig_ops ops = *b.part[0].ops;
        ops.close = close_in_turn;
        closings = 0;
        for (int r = 0; r < BENCHES; r++) {
            b.part[r].ops = &ops;
            b.bench[r].stiffness = 1.0 + r;
        }
        benches_make(&b);
        for (int k = 0; k < 20; k++) {
            b.bench[lost].silent = k >= 20 - ticks;
            benches_tick(&b, IFD_ORDER_NONE);
        }
        benches_close(&b);
        assert_int_equal(closings, BENCHES);
        assert_int_equal(closed_as[lost], BENCHES);
    }
}

static ifd_status makes(benches *b)
{
    ifd_hybrid_options o = b->opt;
    b->note.errors = 0;
    ifd_status status = ifd_hybrid_make(b->arena, &o, &b->h, &b->note);
    if (status == IFD_OK)
        ifd_hybrid_close(b->h);
    return status;
}

TEST(wrong_divisions_are_refused)
{
    benches b;
    benches_read(&b);
    assert_int_equal(makes(&b), IFD_OK);
    b.part[0].actuator[0] = 3;
    assert_int_equal(makes(&b), IFD_CONFLICT);
    b.part[0].actuator[0] = -1;
    assert_int_equal(makes(&b), IFD_CONFLICT);
    b.part[0].actuator[0] = 1; /* twice */
    assert_int_equal(makes(&b), IFD_CONFLICT);
    b.part[0].actuator[0] = 0;
    b.set.rigs = 2; /* one actuator is left over */
    assert_int_equal(makes(&b), IFD_CONFLICT);
    b.set.rigs = 0;
    assert_int_equal(makes(&b), IFD_RANGE);
    b.set.rigs = BENCHES;
    b.part[0].actuators = 0;
    assert_int_equal(makes(&b), IFD_RANGE);
    b.part[0].actuators = 1;
    b.part[0].aux = 1;
    b.part[0].input[0] = IFD_RIG_AUX;
    assert_int_equal(makes(&b), IFD_RANGE);
    b.part[0].input[0] = -1;
    assert_int_equal(makes(&b), IFD_RANGE);
    b.part[0].input[0] = IFD_RIG_AUX - 1;
    assert_int_equal(makes(&b), IFD_OK);
    b.part[1].equalise = 0.9e-3; /* ticks of 2 ms */
    assert_int_equal(makes(&b), IFD_RANGE);
    b.part[1].equalise = 1.1e-3;
    assert_int_equal(makes(&b), IFD_OK);
    b.part[1].equalise = 10.0;
    assert_int_equal(makes(&b), IFD_RANGE);
    b.part[1].equalise = 0.0;
    ifd_rig_ops other = *b.part[2].ops;
    b.part[2].ops = &other;
    other.abi = IFD_RIG_ABI - 1;
    assert_int_equal(makes(&b), IFD_PLUGIN);
    other.abi = IFD_RIG_ABI + 1;
    assert_int_equal(makes(&b), IFD_PLUGIN);
    other.abi = IFD_RIG_ABI;
    other.wait = wait_once;
    b.part[2].leads = true;
    assert_int_equal(makes(&b), IFD_OK);
    b.part[0].ops = &other;
    b.part[0].leads = true;
    assert_int_equal(makes(&b), IFD_CONFLICT);
    ifd_arena_close(b.arena);
}

/* A checkpoint continues on rigs that are all in this process, without answers on their way, or all outside. */
TEST(rigs_of_both_kinds_are_not_continued)
{
    for (int own = 0; own < 8; own++)
        for (int late = 0; late < 2; late++) {
            benches b;
            benches_read(&b);
            const ifd_several *real = ifd_several_of(b.c->test->rig, b.c->test->rig_setup);
            for (int r = 0; r < BENCHES; r++)
                if (own >> r & 1)
                    b.part[r] = real->rig[r];
            b.part[1].equalise = late ? 10e-3 : 0.0;
            assert_int_equal(ifd_rigs_are_virtual(&ifd_several_rig, &b.set), own == 7);
            benches_make(&b);
            assert_int_equal(ifd__rigs_continue(b.h), own == 0 || (own == 7 && !late));
            benches_close(&b);
        }
}

TESTS()
