/* SPDX-License-Identifier: MIT */
/* A test and its rig on separate threads allocate nothing on a tick, with every kind of link. */
#include "check.h"

#include <interfield/hybrid.h>
#include <interfield/rig_server.h>
#include <interfield/virtual.h>

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "rt/alloc_count.h"
#include "scratch.h"

enum { TICKS = 400 };
typedef enum { UDP, UDP_KEYED, SHM } talk;
static const double tick_length = 0.001;

typedef struct both {
    ifd_arena *rig_arena, *arena;
    ifd_value spring[8], link[IFD_LINK_PARAMS];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_limits limits;
    ifd_rig_server *server;
    ifd_interface_options channel;
    ifd_hybrid *h;
    char name[40];
    char folder[SCRATCH_PATH], key[SCRATCH_PATH + 8]; /* of the key file */
} both;

static void make_key(both *b)
{
    assert_true(scratch_make(b->folder));
    snprintf(b->key, sizeof b->key, "%s/key", b->folder);
    assert_int_equal(ifd_key_make(b->key, NULL), IFD_OK);
}

static void open_server(both *b, talk how)
{
    ifd_rig_server_options o;
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, b->spring);
    b->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(2e5);
    b->bench = (ifd_virtual_actuator){.specimen = spring, .specimen_values = b->spring};
    b->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &b->bench};
    ifd_limits_defaults(&b->limits);
    b->limits.low = -0.05;
    b->limits.high = 0.05;
    b->limits.velocity = 1.0;
    b->limits.acceleration = 100.0;
    ifd_rig_server_defaults(&o);
    o.rig = &ifd_virtual_rig;
    o.setup = &b->laboratory;
    o.actuators = 1;
    o.tick = tick_length;
    o.limits = &b->limits;
    o.watchdog = 60.0; /* not used: a busy machine can stall */
    snprintf(b->name, sizeof b->name, "rt-%d", (int)getpid());
    o.shm = how == SHM ? b->name : NULL;
    o.key = how == UDP_KEYED ? b->key : NULL;
    b->rig_arena = ifd_arena_open();
    assert_int_equal(ifd_rig_server_open(b->rig_arena, &o, &b->server, NULL), IFD_OK);
}

static void open_test(both *b, talk how)
{
    const ifd_rig_ops *ops = how == SHM ? &ifd_shm_rig : &ifd_udp_rig;
    ifd_param_preset(ops->params, b->link);
    if (how == SHM)
        b->link[ifd_param_find(ops->params, "name")] = ifd_word(b->name);
    else
        b->link[ifd_param_find(ops->params, "port")] = ifd_number(ifd_rig_server_port(b->server));
    if (how == UDP_KEYED)
        b->link[ifd_param_find(ops->params, "key")] = ifd_word(b->key);
    b->arena = ifd_arena_open();
    ifd_builder *builder = ifd_builder_make(b->arena);
    ifd_builder_dof(builder, "x", IFD_DOF_X);
    ifd_builder_add(builder, IFD_MASS, 0, 0, 1000.0);
    ifd_builder_spring(builder, IFD_STIFFNESS, IFD_GROUND, 0, 4e5);
    ifd_builder_spring(builder, IFD_DAMPING, IFD_GROUND, 0, 800.0);
    ifd_builder_initial(builder, 0, 0.005, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(b->arena, builder, &m, NULL), IFD_OK);
    ifd_interface_defaults(&b->channel);
    b->channel.name = "spring";
    b->channel.from = IFD_GROUND;
    b->channel.to = 0;
    b->channel.limits = b->limits;
    b->channel.limits.force = 1e6;
    b->channel.limits.tracking = 0.02;
    ifd_hybrid_options o;
    ifd_hybrid_defaults(&o);
    o.model = m;
    o.end = 100.0;
    o.ramp_in = 0.05;
    o.settle = 0.01;
    o.interfaces = 1;
    o.interface = &b->channel;
    o.rig = ops;
    o.rig_values = b->link;
    o.automatic = true;
    o.stale_limit = 1000000;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 2.0 * tick_length, &o.step);
    assert_int_equal(ifd_hybrid_make(b->arena, &o, &b->h, NULL), IFD_OK);
    ifd_arena_seal(b->arena);
}

static void count_ticks(talk how)
{
    both b;
    if (how == UDP_KEYED)
        make_key(&b);
    open_server(&b, how);
    open_test(&b, how);
    if (how == UDP_KEYED)
        assert_int_equal(scratch_remove(b.folder), 0);
    ifd_ticked t = ifd_hybrid_ticked(b.h);
    ifd_rig_server_report r = {0};
    long elsewhere = alloc_elsewhere();
    alloc_arm();
    for (int k = 0; k < TICKS || (k < 100 * TICKS && r.link.heard <= TICKS / 2); k++) {
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * tick_length)}, NULL);
        t.tick(t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        ifd_rig_server_report_now(b.server, &r);
    }
    long calls = alloc_disarm();
    elsewhere = alloc_elsewhere() - elsewhere;
    assert_int_equal(ifd_hybrid_state(b.h), IFD_MACHINE_RUN); /* so that all of it was covered */
    assert_int_equal(r.state, IFD_RIG_SERVER_SERVES);
    assert_true(r.link.heard > TICKS / 2);
    ifd_hybrid_close(b.h);
    ifd_rig_server_close(b.server);
    ifd_arena_close(b.arena);
    ifd_arena_close(b.rig_arena);
    if (calls || elsewhere)
        print_error("%ld on the test's tick, %ld on the rig's\n", calls, elsewhere);
    assert_int_equal(calls, 0);
    assert_int_equal(elsewhere, 0);
}

TEST(datagrams_take_no_memory)
{
    count_ticks(UDP);
}

TEST(authenticated_datagrams_take_no_memory)
{
    count_ticks(UDP_KEYED);
}

TEST(shared_memory_takes_no_memory)
{
    count_ticks(SHM);
}

TESTS()
