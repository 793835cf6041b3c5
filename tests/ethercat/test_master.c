/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/ethercat/master.h"
#include "fixture.h"
#include "line.h"

static emulator *emu;
static bus_file file;
static ec *bus;
static int far_end;

static int begin(void **state)
{
    open_arena(state);
    emu = line_emulator(&far_end);
    bus = calloc(1, sizeof *bus);
    assert_int_equal(line_read(arena, NULL, NULL, &file, &note), IFD_OK);
    file.line.socket = far_end;
    file.line.settle = 0.05;
    return 0;
}

static int end(void **state)
{
    if (bus->socket >= 0)
        close(bus->socket);
    emulator_close(emu);
    free(bus);
    return close_arena(state);
}

static void opened(void)
{
    emulator_start(emu);
    if (!ec_open(bus, &file.line))
        fail_msg("%s", bus->error);
}

static void refused(const char *why)
{
    emulator_start(emu);
    assert_false(ec_open(bus, &file.line));
    if (!strstr(bus->error, why))
        fail_msg("'%s' is not in '%s'", why, bus->error);
    for (int i = 0; i < EMU_DEVICES; i++)
        assert_true((emu->device[i].reg[0x130] & 15) < EC_OP);
}

static ec_answer cycle(void)
{
    long count = line_cycles(emu) + 1;
    assert_true(ec_send(bus));
    line_cycled(emu, count);
    return ec_receive(bus);
}

static void both_in_op(void)
{
    for (int k = 0; k < 5; k++)
        assert_int_equal(cycle(), EC_WHOLE);
    bus->request = EC_OP;
    cycle();
    bus->request = 0;
    cycle();
    assert_int_equal(bus->states, EC_OP);
}

static unsigned reg16(int device, int at)
{
    return emu->device[device].reg[at] | (unsigned)emu->device[device].reg[at + 1] << 8;
}

TEST_WITH(the_line_is_found_configured_and_cycled, begin, end)
{
    opened();
    assert_int_equal(bus->devices, 2);
    assert_int_equal(bus->expected, 1 + 2 + 1);
    assert_int_equal(bus->bytes[0], 7);
    assert_int_equal(bus->bytes[1], 9 + 5);
    assert_int_equal(bus->device[0].revision, EMU_REVISION);
    for (int i = 0; i < EMU_DEVICES; i++) {
        assert_int_equal(emu->device[i].reg[0x130], EC_SAFEOP);
        assert_int_equal(reg16(i, 0x400), 2498);
        assert_int_equal(reg16(i, 0x420), 1000);
        assert_int_equal(emu->device[i].reg[0x981], 3);
    }
    assert_true(emu->device[0].reg[0x814] & 0x40); /* the outputs trigger the watchdog */
    assert_int_equal(emu_object_find(&emu->device[0], 0x2000, 1)->value, 9);
    assert_int_equal(emu_object_find(&emu->device[0], 0x6060, 0)->value, 8);
    assert_int_equal(emu_object_find(&emu->device[0], 0x605a, 0)->value, 2);
    assert_int_equal(emu_object_find(&emu->device[0], 0x60c2, 1)->value, 1);
    assert_int_equal(emu_object_find(&emu->device[0], 0x60c2, 2)->value, 0xfd);
    assert_int_equal(emu_object_find(&emu->device[0], 0x6065, 0)->value, 20000);
    both_in_op();
    assert_true(bus->counts.in_time == bus->counts.sent && bus->counts.never == 0 && bus->counts.foreign == 0);
}

TEST_WITH(objects_are_found_by_index_and_keep_their_values, begin, end)
{
    opened();
    const ec_entry *target = ec_find(bus, 0, 0x607a, 0, false), *actual = ec_find(bus, 0, 0x6064, 0, true);
    const ec_entry *force = ec_find(bus, 1, 0x6000, 0x11, true), *stop = ec_find(bus, 1, 0x6010, 1, true);
    assert_true(target && actual && force && stop);
    assert_null(ec_find(bus, 0, 0x607a, 0, true));
    assert_null(ec_find(bus, 1, 0x607a, 0, false));
    assert_null(ec_find(bus, 2, 0x6064, 0, true));
    assert_null(ec_find(bus, -1, 0x6064, 0, true));
    for (int64_t v = -123456; v < 200000; v += 61728) {
        ec_put(bus, target, v);
        assert_int_equal(ec_get(bus, target), v);
    }
    emulator_lock(emu);
    emu->drive[0].position = -4321;
    emulator_unlock(emu);
    both_in_op();
    assert_int_equal(ec_get(bus, actual), -4321);
    assert_int_equal(ec_get(bus, force), -86); /* 24 bits, sign-extended: 0.02 * -4321 */
    assert_int_equal(ec_get(bus, stop), 1);
}

TEST_WITH(the_clocks_have_one_time_along_the_line, begin, end)
{
    opened();
    emulator_lock(emu);
    assert_int_equal(reg16(0, 0x928) | reg16(0, 0x92a) << 16, 0);
    assert_int_equal(reg16(1, 0x928) | reg16(1, 0x92a) << 16, 700); /* the emulated way to device 2, ns */
    emulator_unlock(emu);
    both_in_op();
    int64_t before = bus->clock;
    cycle();
    assert_int_equal(bus->clock - before, 1000000);
}

/* The machine is interrupted while the devices latch their clocks: these have its time nevertheless. */
static void slow_latch(int which)
{
    emu->stepped = false;
    emu->slow = which;
    opened();
    emulator_lock(emu);
    int64_t off = 0;
    memcpy(&off, emu->device[0].reg + 0x920, 8);
    off += emu->device[0].hop + emu->device[0].skew;
    emulator_unlock(emu);
    assert_near((double)off, 0.0, 1e6, "ns; half of a slow latch would be 2 ms");
}

TEST_WITH(a_slow_first_latch_does_not_set_the_clocks_off, begin, end)
{
    slow_latch(1);
}

/* The one after those that show how short it can be. */
TEST_WITH(a_slow_last_latch_is_repeated, begin, end)
{
    slow_latch(11);
}

TEST_WITH(without_clocks_there_is_no_sync_and_the_time_is_ours, begin, end)
{
    file.line.cycle = 0.0;
    opened();
    assert_int_equal(emu->device[0].reg[0x981], 0);
    both_in_op();
    assert_int_equal(bus->clock, bus->sent_at);
}

static void steered(bool steer)
{
    file.line.steer = steer;
    opened();
    both_in_op();
    long before = emu->steered;
    for (int k = 0; k < 20; k++) {
        assert_int_equal(cycle(), EC_WHOLE);
        assert_true(!steer || emu->machine_time == (uint32_t)bus->sent_at);
    }
    assert_int_equal(emu->steered - before, steer ? 20 : 0);
    for (int wrong = 1; wrong >= 0; wrong--) {
        emulator_lock(emu);
        emu->unsteered = wrong;
        emulator_unlock(emu);
        assert_int_equal(cycle(), steer && wrong ? EC_SHORT : EC_WHOLE);
    }
}

/* Every frame contains the time at which it is sent. A reference clock that does not take it makes a frame short. */
TEST_WITH(the_reference_clock_is_steered_by_every_frame, begin, end)
{
    steered(true);
}

TEST_WITH(a_bus_that_leads_is_not_steered, begin, end)
{
    steered(false);
}

TEST_WITH(clocks_that_do_not_agree_are_refused, begin, end)
{
    emu->drift = true;
    refused("the clock of device 2 (input) differs by 5000 ns");
}

TEST_WITH(another_product_is_refused_with_what_was_found, begin, end)
{
    emu->device[1].sii[10] = 0x77;
    refused("device 2 is vendor 0x00001234, product 0x00000077, revision 0x00020001; expected 'input'");
    assert_int_equal(emu->device[0].reg[0x130] & 15, EC_INIT); /* nothing was configured */
}

TEST_WITH(another_vendor_is_refused, begin, end)
{
    emu->device[0].sii[8] = 0x4321;
    refused("device 1 is vendor 0x00004321");
}

TEST_WITH(an_older_revision_is_refused, begin, end)
{
    emu->device[0].sii[12] = 0, emu->device[0].sii[13] = 1;
    refused(
        "revision 0x00010000; expected 'drive': vendor 0x00001234, product 0x000000d1, revision 0x00020000 or later");
}

TEST_WITH(a_device_too_few_is_refused, begin, end)
{
    emu->cut = 1;
    refused("1 devices on 'socket', expected 2");
}

TEST_WITH(a_dead_line_is_refused, begin, end)
{
    emu->dead = true;
    refused("no device answers on 'socket'");
}

TEST_WITH(a_refused_startup_object_is_reported_with_its_abort_code, begin, end)
{
    emu->abort_index = 0x2000;
    emu->abort_code = 0x06090030;
    refused("device 1 (drive): object 0x2000:1 does not accept 0x9: the value is outside its range "
            "(abort code 0x06090030)");
}

TEST_WITH(a_startup_object_that_is_not_kept_is_refused, begin, end)
{
    emu->forget_index = 0x2000;
    refused("object 0x2000:1 is 0x7 after 0x9 was written");
}

TEST_WITH(a_mapping_that_is_not_kept_is_refused, begin, end)
{
    emu->abort_index = 0x1a01;
    emu->abort_code = 0x06040041;
    refused("the object cannot be mapped");
}

TEST_WITH(a_state_that_is_not_reached_is_refused_with_its_code, begin, end)
{
    emu->device[1].refuse_state = EC_SAFEOP;
    refused("device 2 (input) does not reach state 4: state 0x12, AL status code 0x0026");
}

TEST_WITH(a_watchdog_of_zero_and_one_that_is_not_kept_are_refused, begin, end)
{
    file.line.watchdog = 0.0;
    assert_false(ec_open(bus, &file.line));
    assert_non_null(strstr(bus->error, "a watchdog of 0 s is not possible"));
    file.line.watchdog = 0.1;
    emu->no_watchdog_register = true;
    refused("device 1 (drive) does not accept its watchdog");
}

TEST_WITH(a_device_that_stays_in_an_error_state_is_acknowledged, begin, end)
{
    emu_al_error(&emu->device[0], EC_SAFEOP, 0x1b); /* of an earlier session that was killed */
    opened();
    both_in_op();
}

TEST_WITH(a_cut_line_gives_a_short_counter_and_keeps_the_inputs, begin, end)
{
    opened();
    both_in_op();
    const ec_entry *actual = ec_find(bus, 0, 0x6064, 0, true);
    int64_t before = ec_get(bus, actual);
    emulator_lock(emu);
    emu->cut = 1;
    emu->drive[0].position = 5000;
    emulator_unlock(emu);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(cycle(), EC_SHORT);
        assert_int_equal(bus->counter, 3);
        assert_int_equal(ec_get(bus, actual), before);
    }
    assert_int_equal(bus->counts.shortage, 3);
    emulator_lock(emu);
    emu->cut = 0;
    emulator_unlock(emu);
    assert_int_equal(cycle(), EC_WHOLE);
}

/* The three counters, and old answers that are not taken for new ones. */
TEST_WITH(late_doubled_and_lost_answers_are_counted_apart, begin, end)
{
    opened();
    both_in_op();
    ec_counts n = bus->counts;
    emulator_lock(emu);
    emu->late = 1;
    emulator_unlock(emu);
    for (int k = 0; k < 10; k++)
        assert_int_equal(cycle(), EC_NONE);
    assert_int_equal(bus->counts.late - n.late, 9);
    assert_int_equal(bus->counts.in_time, n.in_time);
    emulator_lock(emu);
    emu->late = 0;
    emulator_unlock(emu);
    assert_int_equal(cycle(), EC_WHOLE);
    assert_int_equal(bus->counts.late - n.late, 10);
    emulator_lock(emu);
    emu->doubled = true;
    emulator_unlock(emu);
    for (int k = 0; k < 5; k++)
        assert_int_equal(cycle(), EC_WHOLE);
    assert_int_equal(bus->counts.foreign - n.foreign, 5);
    emulator_lock(emu);
    emu->doubled = false;
    emu->dead = true;
    emulator_unlock(emu);
    for (int k = 0; k < 70; k++)
        assert_int_equal(cycle(), EC_NONE);
    assert_int_equal(bus->counts.never, 6); /* the others may still come */
    emulator_lock(emu);
    emu->dead = false;
    emulator_unlock(emu);
    for (int k = 0; k < 64; k++)
        assert_int_equal(cycle(), EC_WHOLE);
    assert_int_equal(bus->counts.never, 70);
    assert_int_equal(bus->counts.sent, bus->counts.in_time + bus->counts.late + bus->counts.never);
}

/* 256 frames back the 8-bit index of a datagram is the same. */
TEST_WITH(an_answer_256_frames_old_is_not_taken, begin, end)
{
    uint8_t old[1600];
    opened();
    both_in_op();
    long count = line_cycles(emu) + 1;
    assert_true(ec_send(bus));
    line_cycled(emu, count);
    long n = (long)recv(far_end, old, sizeof old, MSG_DONTWAIT);
    assert_true(n > 0);
    for (int k = 0; k < 255; k++)
        assert_int_equal(cycle(), EC_WHOLE);
    emulator_lock(emu);
    emu->dead = true;
    emulator_unlock(emu);
    uint64_t foreign = bus->counts.foreign;
    count = line_cycles(emu) + 1;
    assert_true(ec_send(bus));
    line_cycled(emu, count);
    assert_true(send(emu->fd, old, (size_t)n, 0) == n);
    assert_int_equal(ec_receive(bus), EC_NONE);
    assert_int_equal(bus->counts.foreign, foreign + 1);
}

TEST_WITH(a_damaged_answer_is_not_taken, begin, end)
{
    static const uint8_t junk[][40] = {{0}, {1, 2, 3}, {[12] = 0x88, [13] = 0xa4}};
    opened();
    both_in_op();
    for (size_t k = 0; k < COUNT(junk); k++) {
        uint64_t foreign = bus->counts.foreign;
        assert_true(send(emu->fd, junk[k], sizeof junk[k], 0) == sizeof junk[k]);
        assert_int_equal(ec_receive(bus), EC_NONE);
        assert_int_equal(bus->counts.foreign, foreign + 1);
    }
    long count = line_cycles(emu) + 1;
    uint8_t back[1600];
    assert_true(ec_send(bus));
    line_cycled(emu, count);
    long n = (long)recv(far_end, back, sizeof back, MSG_DONTWAIT);
    assert_true(n > bus->at.end - 1);
    assert_true(send(emu->fd, back, (size_t)bus->at.end - 1, 0) == bus->at.end - 1); /* cut short */
    assert_int_equal(ec_receive(bus), EC_NONE);
    assert_true(send(emu->fd, back, (size_t)n, 0) == n);
    assert_int_equal(ec_receive(bus), EC_WHOLE);
}

TEST_WITH(a_device_that_leaves_op_is_seen_with_its_code, begin, end)
{
    opened();
    both_in_op();
    emulator_lock(emu);
    emulator_leave_op(emu, 0, 0x2c);
    emulator_unlock(emu);
    cycle();
    assert_int_equal(bus->states, EC_OP | EC_SAFEOP | EC_ERROR);
    assert_int_equal(bus->status_code, 0x2c);
}

TEST_WITH(without_frames_the_watchdog_of_the_devices_stops_them, begin, end)
{
    opened();
    both_in_op();
    emulator_pass(emu, 0.099);
    assert_int_equal(emu->device[0].reg[0x130], EC_OP);
    emulator_pass(emu, 0.003);
    assert_int_equal(emu->device[0].reg[0x130], EC_SAFEOP | EC_ERROR);
    assert_int_equal(reg16(0, 0x134), 0x1b);
    assert_int_equal(emu->device[0].reg[0x440], 0);
}

TEST_WITH(closing_leaves_the_devices_in_init, begin, end)
{
    opened();
    both_in_op();
    ec_close(bus);
    for (int i = 0; i < EMU_DEVICES; i++)
        assert_int_equal(emu->device[i].reg[0x130], EC_INIT);
}

TEST_WITH(objects_of_the_mailbox_are_read_and_written_in_op, begin, end)
{
    uint32_t v;
    opened();
    both_in_op();
    assert_int_equal(ec_sdo_read(bus, 0, 0x6076, 0, &v), 4);
    assert_int_equal(v, 1270);
    assert_false(ec_sdo_write(bus, 0, &(ec_sdo){.index = 0x6076, .bytes = 4, .value = 1}));
    assert_int_equal(bus->abort, 0x06010002);
    assert_int_equal(ec_sdo_read(bus, 1, 0x5555, 0, &v), -1);
    assert_non_null(strstr(bus->error, "the object does not exist"));
    emu->strange_mailbox = true;
    assert_int_equal(ec_sdo_read(bus, 0, 0x6076, 0, &v), -1); /* the answer to another question */
    assert_int_equal(cycle(), EC_WHOLE);
}

TESTS()
