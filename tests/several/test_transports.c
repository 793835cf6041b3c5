/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The shipped case on three rigs of different kinds, one in this process, one behind datagrams, one driver: without a
 * clock every value has the bits of the same test on one virtual rig. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/link.h>
#include <interfield/rig_server.h>

static ifd_case *read_case(const char *name, int sets, const char *const *set)
{
    ifd_case *c = NULL;
    ifd_status status = ifd_case_read(arena, ifd_arena_print(arena, IFD_SOURCE_DIR "/cases/several-rigs/%s", name),
                                      sets, set, &c, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    return c;
}

static ifd_hybrid *make(const ifd_case *c)
{
    ifd_hybrid *h = NULL;
    ifd_hybrid_options o = *c->test;
    o.automatic = true;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_OK);
    return h;
}

/* The rig annex on a thread of this process. */
static ifd_rig_server *serve(const ifd_case *c, const ifd_hybrid *one, ifd_arena *own)
{
    static ifd_limits limits;
    const ifd_rig_part *annex = &ifd_several_of(c->test->rig, c->test->rig_setup)->rig[1];
    ifd_rig_server *server = NULL;
    ifd_rig_server_options o;
    ifd_rig_server_defaults(&o);
    assert_string_equal(annex->name, "annex");
    assert_int_equal(annex->actuators, 1);
    ifd_hybrid_rig_limits(one, annex->actuator[0], &limits);
    o.rig = &ifd_virtual_rig;
    o.setup = (void *)annex->twin;
    o.actuators = annex->actuators;
    o.tick = ifd_hybrid_period(one);
    o.limits = &limits;
    o.watchdog = 60.0;
    o.lock_memory = false;
    assert_int_equal(ifd_rig_server_open(own, &o, &server, &note), IFD_OK);
    return server;
}

/* Largest difference of the values in common, relative to the largest of their column, over the whole test. */
static double compare(ifd_hybrid *one, ifd_hybrid *three)
{
    static double off[200], size[200];
    int columns, others;
    const ifd_column *column = ifd_hybrid_columns(one, &columns), *other = ifd_hybrid_columns(three, &others);
    assert_int_equal(others, columns + 3 * 10);
    assert_true(columns <= 200);
    memset(off, 0, sizeof off);
    memset(size, 0, sizeof size);
    ifd_ticked a = ifd_hybrid_ticked(one), b = ifd_hybrid_ticked(three);
    assert_true(!b.warm || b.warm(b.self) == 1);
    ifd_run_state last = IFD_RUN_GOING;
    for (int k = 0; k < 20000 && last == IFD_RUN_GOING; k++) {
        last = a.tick(a.self, &(ifd_tick_in){0});
        assert_int_equal(b.tick(b.self, &(ifd_tick_in){0}), last);
        for (int i = 0; i < columns; i++) {
            int j = ifd_column_find(other, others, column[i].owner, column[i].quantity);
            assert_true(j >= 0);
            size[i] = fmax(size[i], fabs(a.values(a.self)[i]));
            off[i] = fmax(off[i], fabs(a.values(a.self)[i] - b.values(b.self)[j]));
        }
    }
    assert_int_equal(last, IFD_RUN_DONE);
    double most = 0.0;
    for (int i = 0; i < columns; i++)
        most = fmax(most, off[i] / (size[i] > 0.0 ? size[i] : 1.0));
    return most;
}

/* driver: the third rig is the driver of the case; otherwise it is virtual too. */
static double difference(bool driver)
{
    ifd_hybrid *one = make(read_case("one.yaml", 0, NULL));
    const char *set[] = {"test.rigs.1.udp.lockstep=yes", "test.rigs.1.udp.timeout=60s",
                         driver ? "test.rigs.2.trial.watchdog=60s"
                                : "test.rigs.2={name: bench, virtual: {}, specimens: [brace]}",
                         NULL};
    ifd_arena *own = ifd_arena_open();
    ifd_rig_server *server = serve(read_case("rigs.yaml", 3, set), one, own);
    set[3] = ifd_arena_print(arena, "test.rigs.1.udp.port=%d", ifd_rig_server_port(server));
    ifd_hybrid *three = make(read_case("rigs.yaml", 4, set));
    double off = compare(one, three);
    ifd_hybrid_close(three);
    ifd_rig_server_report report;
    ifd_rig_server_close(server);
    ifd_rig_server_report_now(server, &report);
    assert_int_equal(report.clients, 1);
    assert_int_equal(report.stops, 0);
    ifd_hybrid_close(one);
    ifd_arena_close(own);
    return off;
}

TEST_IN_ARENA(rigs_in_two_processes_give_the_bits_of_one_rig)
{
    assert_true(difference(false) == 0.0);
}

/* The driver computes k x; the virtual rig adds up changes of k x, which differ by rounding. */
TEST_IN_ARENA(a_driver_beside_them_differs_by_rounding_only)
{
    double off = difference(true);
    assert_true(off > 0.0);
    assert_near(off, 0.0, 1e-12, "difference of three rigs and one");
}

TESTS()
