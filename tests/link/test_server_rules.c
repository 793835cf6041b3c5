/* SPDX-License-Identifier: MIT */
/* Messages of the rig server, without thread, socket and clock. The outputs are checked: messages at its port, and
 * commands to its rig. Numbers with a limit are tried at both sides. Rig, port and clock share no code with the
 * library. */
#include "server_scene.h"

static ifd__message greeting(void)
{
    return (ifd__message){.kind = IFD__WIRE_HELLO, .session = SESSION, .time = tick, .actuators = 1};
}

static void welcome(ifd_rig_server *s, uint32_t word)
{
    ifd__message m = greeting();
    m.word = word;
    simulated = word & IFD__HELLO_LOCKSTEP;
    put(&m);
    ifd__server_hear(s);
    simulated = false;
    assert_int_equal(port.out[port.sent - 1].m.word, IFD__ANSWER_WELCOME);
    assert_int_equal(s->report.state, IFD_RIG_SERVER_SERVES);
}

static ifd__message order(double position, uint32_t heartbeat)
{
    ifd__message m = {.kind = IFD__WIRE_COMMAND,
                      .session = SESSION,
                      .tick = heartbeat,
                      .word = IFD_MACHINE_RUN,
                      .heartbeat = heartbeat,
                      .actuators = 1,
                      .commanded = 1};
    m.a[0] = position;
    return m;
}

TEST(a_greeting_is_answered_by_what_keeps_the_rig)
{
    enum { SERVES = IFD_RIG_SERVER_SERVES, STOPPED = IFD_RIG_SERVER_STOPPED };
    const double over = tick + ldexp(1.0, -30), under = tick - ldexp(1.0, -30);
    const struct {
        const char *name;
        int state;
        int64_t silence; /* ns */
        bool same, two, moving, lost, sealed, greets, lockstep, virtual;
        double time; /* 0: that of the rig */
        ifd__answer answer;
        int clients; /* accepted */
    } rows[] = {
        {.name = "free", .answer = IFD__ANSWER_WELCOME, .clients = 1},
        {.name = "another is served", .state = SERVES, .answer = IFD__ANSWER_BUSY},
        {.name = "greets again", .state = SERVES, .same = true, .answer = IFD__ANSWER_WELCOME},
        {.name = "stopped", .state = STOPPED, .silence = 20LL * SECOND - 1, .answer = IFD__ANSWER_BUSY},
        {.name = "stopped, the same", .state = STOPPED, .same = true, .answer = IFD__ANSWER_BUSY},
        {.name = "silent", .state = STOPPED, .silence = 20LL * SECOND, .answer = IFD__ANSWER_WELCOME, .clients = 1},
        {.name = "a recording", .sealed = true, .answer = IFD__ANSWER_GREET},
        {.name = "challenged", .sealed = true, .greets = true, .answer = IFD__ANSWER_WELCOME, .clients = 1},
        {.name = "channels", .two = true, .answer = IFD__ANSWER_ACTUATORS},
        {.name = "a longer tick", .time = over, .answer = IFD__ANSWER_WELCOME, .clients = 1},
        {.name = "too long", .time = nextafter(over, 1.0), .answer = IFD__ANSWER_TICK},
        {.name = "a shorter tick", .time = under, .answer = IFD__ANSWER_WELCOME, .clients = 1},
        {.name = "too short", .time = nextafter(under, 0.0), .answer = IFD__ANSWER_TICK},
        {.name = "iron, without a clock", .lockstep = true, .answer = IFD__ANSWER_CLOCK},
        {.name = "no iron", .lockstep = true, .virtual = true, .answer = IFD__ANSWER_WELCOME, .clients = 1},
        {.name = "moving", .moving = true, .answer = IFD__ANSWER_MOVING},
        {.name = "not found", .lost = true, .answer = IFD__ANSWER_MOVING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_rig_server s;
        begin(&s, 1);
        s.report.state = (ifd_rig_server_state)rows[i].state;
        s.stream.session = SESSION;
        s.heard = clock_at - rows[i].silence;
        s.g[0].w = rows[i].moving ? 1e-3 : 0.0;
        s.found = !rows[i].lost;
        port.base.seal = rows[i].sealed ? &port.seal : NULL;
        ifd__message m = greeting();
        m.session = rows[i].same ? SESSION : OTHER;
        m.actuators = rows[i].two ? 2 : 1;
        m.time = rows[i].time > 0.0 ? rows[i].time : tick;
        m.word = rows[i].lockstep ? IFD__HELLO_LOCKSTEP : 0;
        simulated = rows[i].virtual;
        put(&m)->greets = rows[i].greets;
        ifd__server_hear(&s);
        simulated = false;
        bool welcomed = rows[i].answer == IFD__ANSWER_WELCOME;
        if (port.sent != 1 || port.out[0].m.word != (uint32_t)rows[i].answer)
            fail_msg("%s: %d answers, the first %d, expected %d", rows[i].name, port.sent, (int)port.out[0].m.word,
                     (int)rows[i].answer);
        assert_int_equal(port.out[0].to, welcomed ? IFD__TO_PEER : IFD__TO_SENDER);
        assert_int_equal(port.out[0].m.session, rows[i].same ? SESSION : OTHER);
        assert_int_equal(port.out[0].m.actuators, 1);
        assert_near(port.out[0].m.time, tick, 0.0, "the tick of the rig");
        assert_int_equal(s.report.clients, rows[i].clients);
        assert_int_equal(port.adopted, rows[i].clients);
        assert_int_equal(port.seal.bound, rows[i].sealed && rows[i].greets);
        assert_int_equal(s.report.refused, !welcomed && rows[i].answer != IFD__ANSWER_GREET);
        assert_int_equal(s.report.state, welcomed ? SERVES : rows[i].state);
    }
}

TEST(an_answer_is_no_greeting)
{
    for (uint32_t word = IFD__ANSWER_WELCOME; word < IFD__ANSWER_END; word++) {
        ifd_rig_server s;
        begin(&s, 1);
        ifd__message m = greeting();
        m.word = word;
        put(&m);
        ifd__server_hear(&s);
        assert_int_equal(port.sent, 0);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_FREE);
    }
}

/* Nothing of the previous test remains: arming, commands, tick, reason to stop. */
TEST(a_new_test_begins_anew)
{
    for (uint32_t lockstep = 0; lockstep < 2; lockstep++) {
        ifd_rig_server s;
        begin(&s, 1);
        s.report.stop = IFD_RIG_STOP_FORCE;
        s.commanded = s.armed = s.news = s.aligned = true;
        s.missed = 5;
        s.applied = 99;
        s.lockstep = !lockstep;
        s.heard = 1;
        welcome(&s, lockstep);
        assert_int_equal(s.report.stop, IFD_RIG_STOP_NONE);
        assert_false(s.commanded || s.armed || s.news || s.aligned);
        assert_int_equal(s.missed, 0);
        assert_int_equal(s.heard, clock_at);
        assert_int_equal(s.lockstep, lockstep);
        assert_int_equal(s.report.lockstep, lockstep);
        ifd__server_tell(&s); /* after its welcome */
        ifd__server_tell(&s); /* acknowledges nothing yet */
        assert_int_equal(port.out[port.sent - 1].m.kind, IFD__WIRE_MEASURE);
        assert_int_equal(port.out[port.sent - 1].m.tick, 0);
        ifd__message again = {.kind = IFD__WIRE_BYE, .session = SESSION, .sequence = 1, .actuators = 1};
        put(&again); /* the number of the greeting is already used */
        ifd__server_hear(&s);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
    }
}

/* In shared memory a measurement would replace a welcome: none in that tick. A test that commands has read it. */
TEST(no_measurement_replaces_a_welcome)
{
    static const struct {
        bool commanded, other; /* greets: */
        ifd__answer answer;
        int measurements;
    } rows[] = {{false, false, IFD__ANSWER_WELCOME, 0},
                {true, false, IFD__ANSWER_WELCOME, 1},
                {false, true, IFD__ANSWER_BUSY, 1},
                {true, true, IFD__ANSWER_BUSY, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_rig_server s;
        begin(&s, 1);
        welcome(&s, 0);
        ifd__server_tell(&s);
        assert_int_equal(port.sent, 1); /* the welcome */
        ifd__message m = order(0.0, 1);
        if (rows[i].commanded)
            put(&m);
        ifd__server_hear(&s);
        m = greeting();
        m.session = rows[i].other ? OTHER : SESSION;
        put(&m);
        port.sent = 0;
        ifd__server_hear(&s);
        ifd__server_tell(&s);
        assert_int_equal(port.out[0].m.word, rows[i].answer);
        if (port.sent != 1 + rows[i].measurements)
            fail_msg("row %zu: %d messages", i, port.sent);
        ifd__server_tell(&s);
        assert_int_equal(port.sent, 2 + rows[i].measurements);
        assert_int_equal(port.out[port.sent - 1].m.kind, IFD__WIRE_MEASURE);
    }
}

/* A test that connects to a parked specimen asks for nothing yet: the pressure stays. It learns that both stages are
 * on; from its arming on they are its own. */
TEST(a_new_test_learns_that_pressure_was_kept)
{
    static const uint32_t kept[] = {0, IFD_OUTPUT_LOW, IFD_OUTPUT_HIGH, IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH};
    for (size_t i = 0; i < COUNT(kept); i++)
        for (int armed = 0; armed < 2; armed++) {
            ifd_rig_server s;
            begin(&s, 1);
            s.pressure = s.asked = kept[i];
            s.powered = true;
            s.measure.inputs = 3;
            welcome(&s, 0);
            ifd__message m = order(0.0, 1);
            m.word = armed ? IFD_MACHINE_READY : IFD_MACHINE_IDLE;
            m.commanded = (uint32_t)armed;
            m.outputs = armed ? IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH : 0;
            put(&m);
            ifd__server_hear(&s);
            ifd__server_move(&s);
            assert_int_equal(rig.last.outputs & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH), armed ? m.outputs : kept[i]);
            ifd__server_tell(&s);
            bool told = !armed && kept[i] == (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH);
            assert_int_equal(port.out[port.sent - 1].m.kind, IFD__WIRE_MEASURE);
            assert_int_equal(port.out[port.sent - 1].m.word, told ? 3 | IFD_INPUT_KEPT : 3);
        }
}

/* Commands that arm the rig, commands that it refuses, and the permitted difference of the first: a tracking limit of
 * 2^-3 m. */
TEST(a_first_command_must_be_where_the_rig_stands)
{
    enum { RUN = IFD_MACHINE_RUN };
    static const struct {
        double off[2];
        int channels;
        uint32_t word, commanded;
        bool lost, stopped;
        ifd_rig_stop stop;
        bool armed, leads;
    } rows[] = {
        {{0.0}, 1, RUN, 1, false, false, IFD_RIG_STOP_NONE, true, true},
        {{0.125}, 1, RUN, 1, false, false, IFD_RIG_STOP_NONE, true, true},
        {{-0.125}, 1, RUN, 1, false, false, IFD_RIG_STOP_NONE, true, true},
        {{0x1.0000000000008p-3}, 1, RUN, 1, false, false, IFD_RIG_STOP_UNMATCHED, true, false},
        {{-0x1.0000000000008p-3}, 1, RUN, 1, false, false, IFD_RIG_STOP_UNMATCHED, true, false},
        {{0.0, 0.125}, 2, RUN, 1, false, false, IFD_RIG_STOP_NONE, true, true},
        {{0.5, 0.0}, 2, RUN, 1, false, false, IFD_RIG_STOP_UNMATCHED, true, false},
        {{0.0, 0.5}, 2, RUN, 1, false, false, IFD_RIG_STOP_UNMATCHED, true, false},
        {{0.0}, 1, IFD_MACHINE_IDLE, 1, false, false, IFD_RIG_STOP_NONE, false, false},
        {{0.0}, 1, RUN, 0, false, false, IFD_RIG_STOP_NONE, false, false},
        {{0.0}, 1, RUN, 1, true, false, IFD_RIG_STOP_UNMATCHED, true, false},
        {{0.0}, 1, RUN, 1, false, true, IFD_RIG_STOP_FORCE, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_rig_server s;
        begin(&s, rows[i].channels);
        s.report.state = IFD_RIG_SERVER_SERVES;
        s.stream.session = SESSION;
        if (rows[i].stopped)
            ifd__server_stop(&s, IFD_RIG_STOP_FORCE);
        s.found = !rows[i].lost;
        s.finding[0].at = 0.5;
        s.finding[1].at = -0.25;
        ifd__message m = order(0.5 + rows[i].off[0], 1);
        m.a[1] = -0.25 + rows[i].off[1];
        m.word = rows[i].word;
        m.commanded = rows[i].commanded;
        m.actuators = (uint32_t)rows[i].channels;
        put(&m);
        ifd__server_hear(&s);
        if (s.report.stop != rows[i].stop || s.armed != rows[i].armed || s.leads != rows[i].leads)
            fail_msg("row %zu: stop %d, armed %d, leads %d", i, (int)s.report.stop, s.armed, s.leads);
        ifd__server_move(&s);
        assert_int_equal(rig.last.commanded, rows[i].leads);
    }
}

/* The ticks move half way between the commands; those of a rig with a clock of their phase stay. */
TEST(the_first_command_aligns_the_ticks_of_a_rig_without_a_clock)
{
    for (int clock = 0; clock < 2; clock++) {
        ifd_rig_server s;
        begin(&s, 1);
        s.rig.late_after = clock ? 1e-4 : 0.0;
        s.report.state = IFD_RIG_SERVER_SERVES;
        s.stream.session = SESSION;
        ifd__message m = order(0.0, 1);
        put(&m);
        ifd__server_hear(&s);
        assert_int_equal(s.due, clock ? 77 : clock_at + s.period / 2);
    }
}

/* A rig outside its stroke is not armed. */
TEST(a_rig_outside_its_stroke_is_not_armed)
{
    ifd_rig_server s;
    begin(&s, 1);
    welcome(&s, 0);
    s.finding[0].at = 8.5625;
    ifd__message m = order(8.5, 1);
    put(&m);
    ifd__server_hear(&s);
    assert_int_equal(s.report.stop, IFD_RIG_STOP_UNMATCHED);
    assert_false(s.leads);
}

/* Ticks are half a period after the first command; later ones do not shift them. In lockstep there are none. */
TEST(commands_are_taken_when_they_are_new_and_fit)
{
    for (uint32_t lockstep = 0; lockstep < 2; lockstep++) {
        ifd_rig_server s;
        begin(&s, 1);
        welcome(&s, lockstep);
        s.due = 77;
        clock_at += 5;
        ifd__message m = order(0.0, 0); /* the first heartbeat may have any number */
        put(&m);
        ifd__server_hear(&s);
        assert_true(s.news && s.commanded && s.aligned);
        assert_int_equal(s.heard, clock_at);
        assert_int_equal(s.due, lockstep ? 77 : clock_at + SECOND / 8);
        int64_t heard = clock_at, due = s.due;
        s.news = false;
        clock_at += 5;
        put(&m); /* a repeated heartbeat */
        ifd__server_hear(&s);
        assert_false(s.news);
        assert_int_equal(s.heard, heard);
        assert_int_equal(s.stream.count.damaged, 1);
        m = order(0.0, 1);
        m.actuators = 2;
        put(&m);
        ifd__server_hear(&s);
        assert_false(s.news);
        assert_int_equal(s.stream.count.damaged, 2);
        m = order(0.0625, 1);
        m.tick = 31;
        put(&m);
        ifd__server_hear(&s);
        assert_true(s.news);
        assert_int_equal(s.heard, clock_at);
        assert_int_equal(s.due, due);
        assert_int_equal(s.stream.count.damaged, 2);
        m = (ifd__message){.kind = IFD__WIRE_MEASURE, .session = SESSION, .actuators = 1, .tick = 32};
        s.news = false;
        put(&m); /* no command */
        ifd__server_hear(&s);
        assert_false(s.news);
        assert_int_equal(s.stream.count.damaged, 2);
        s.news = true;
        m = order(0.125, 2);
        m.sequence = sequence; /* an old number */
        put(&m);
        ifd__server_hear(&s);
        ifd__server_move(&s);
        ifd__server_tell(&s);
        assert_int_equal(port.out[port.sent - 1].m.tick, 31);
    }
}

TEST(only_the_test_that_is_served_is_heard)
{
    static const struct {
        bool free, other, sealed, belongs, taken;
    } rows[] = {{false, false, false, false, true},
                {true, false, false, false, false},
                {false, true, false, false, false},
                {false, false, true, false, false},
                {false, false, true, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_rig_server s;
        begin(&s, 1);
        welcome(&s, 0);
        if (rows[i].free)
            s.report.state = IFD_RIG_SERVER_FREE;
        port.base.seal = rows[i].sealed ? &port.seal : NULL;
        ifd__message m = order(0.0, 1);
        m.session = rows[i].other ? OTHER : SESSION;
        put(&m)->belongs = rows[i].belongs;
        ifd__server_hear(&s);
        assert_int_equal(s.news, rows[i].taken);
        assert_int_equal(s.stream.count.foreign, !rows[i].taken);
    }
}

/* An end message frees the rig; an earlier reason of a stop is kept. After lockstep the clock of the server applies
 * again. */
TEST(a_farewell_frees_the_rig)
{
    for (int i = 0; i < 4; i++) {
        bool lockstep = i & 1, stopped = i & 2;
        ifd_rig_server s;
        begin(&s, 1);
        welcome(&s, lockstep);
        ifd__message m = order(0.0, 1), bye = {.kind = IFD__WIRE_BYE, .session = SESSION, .actuators = 1};
        put(&m);
        ifd__server_hear(&s);
        if (stopped)
            ifd__server_stop(&s, IFD_RIG_STOP_FORCE);
        s.lockstep = lockstep;
        s.due = 77;
        put(&bye);
        ifd__server_hear(&s);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_FREE);
        assert_int_equal(s.report.stop, stopped ? IFD_RIG_STOP_FORCE : IFD_RIG_STOP_FAREWELL);
        assert_int_equal(s.due, lockstep ? clock_at + s.period : 77);
        assert_false(s.lockstep || s.commanded || s.aligned);
        int sent = port.sent;
        assert_int_equal(port.out[sent - 1].m.kind, IFD__WIRE_BYE); /* acknowledged, */
        assert_int_equal(port.out[sent - 1].to, IFD__TO_PEER);
        bye.sequence = 0;
        put(&bye); /* also again: the acknowledgement can be lost */
        ifd__server_hear(&s);
        assert_int_equal(port.sent, sent + 1);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_FREE);
        bye.session++; /* not to others */
        bye.sequence = 0;
        put(&bye);
        ifd__server_hear(&s);
        assert_int_equal(port.sent, sent + 1);
    }
}

/* A farewell that comes late does not replace the reason for which the rig is free. */
TEST(a_late_farewell_changes_nothing)
{
    ifd_rig_server s;
    begin(&s, 1);
    welcome(&s, 0);
    ifd__server_release(&s, IFD_RIG_STOP_WATCHDOG);
    ifd__message bye = {.kind = IFD__WIRE_BYE, .session = SESSION, .actuators = 1};
    put(&bye);
    ifd__server_hear(&s);
    assert_int_equal(port.out[port.sent - 1].m.kind, IFD__WIRE_BYE);
    assert_int_equal(s.report.stop, IFD_RIG_STOP_WATCHDOG);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_FREE);
}

/* Nobody is answered before the first greeting, whatever session he names. */
TEST(before_a_greeting_there_is_no_session)
{
    for (uint64_t session = 0; session < 3; session++) {
        ifd_rig_server s;
        begin(&s, 1);
        ifd__message bye = {.kind = IFD__WIRE_BYE, .session = session, .actuators = 1};
        put(&bye);
        ifd__server_hear(&s);
        assert_int_equal(port.sent, 0);
        assert_int_equal(s.stream.count.foreign, 1);
        assert_int_equal(s.report.stop, IFD_RIG_STOP_NONE);
    }
}

/* 64 messages in a tick; the others wait for the next. */
TEST(a_flood_waits)
{
    ifd_rig_server s;
    begin(&s, 1);
    welcome(&s, 0);
    for (uint32_t i = 1; i <= 65; i++) {
        ifd__message m = order(0.0, i);
        put(&m);
    }
    ifd__server_hear(&s);
    assert_int_equal(s.target.tick, 64);
    ifd__server_hear(&s);
    assert_int_equal(s.target.tick, 65);
}

/* Another version and another key receive an answer without a session. After another version, the next message is
 * taken in the same tick; the answer to an unknown client has no seal. */
TEST(strangers_get_an_answer_and_nothing_else)
{
    ifd_rig_server s;
    begin(&s, 1);
    welcome(&s, 0);
    ifd__message m = order(0.0, 1);
    put(&m)->version = true;
    put(&m);
    ifd__server_hear(&s);
    assert_true(s.news);
    assert_int_equal(port.sent, 2);
    assert_int_equal(port.out[1].m.word, IFD__ANSWER_VERSION);
    assert_int_equal(port.out[1].m.session, 0);
    assert_int_equal(port.out[1].to, IFD__TO_SENDER);
    assert_false(port.out[1].plain);
    assert_int_equal(s.report.refused, 1);
    assert_int_equal(s.report.strangers, 0);
    put(&m)->stranger = true;
    ifd__server_hear(&s);
    assert_int_equal(port.sent, 3);
    assert_int_equal(port.out[2].m.word, IFD__ANSWER_KEY);
    assert_int_equal(port.out[2].m.session, 0);
    assert_int_equal(port.out[2].to, IFD__TO_SENDER);
    assert_true(port.out[2].plain);
    assert_int_equal(s.report.refused, 2);
    assert_int_equal(s.report.strangers, 1);
    ifd__server_hear(&s); /* and no second one */
    assert_int_equal(port.sent, 3);
}

TEST(a_measurement_says_that_the_rig_stopped)
{
    static const struct {
        ifd_rig_server_state state;
        uint32_t inputs, aux, word, told;
    } rows[] = {
        {IFD_RIG_SERVER_FREE, 3, 0, 0, 0},
        {IFD_RIG_SERVER_SERVES, 3, 0, 3, 0},
        {IFD_RIG_SERVER_SERVES, 2, 31, 2, 31},
        {IFD_RIG_SERVER_SERVES, 255, 32, 3 | IFD_INPUT_START | IFD_INPUT_UNPOWERED, 32},
        {IFD_RIG_SERVER_SERVES, 1, 33, 1, 32},
        {IFD_RIG_SERVER_STOPPED, 3, 0, 3 | IFD_INPUT_RIG_STOPPED, 0},
        {IFD_RIG_SERVER_WAITING, 3, 0, 3 | IFD_INPUT_RIG_WAITING, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_rig_server s;
        begin(&s, 1);
        s.report.state = rows[i].state;
        s.stream.session = SESSION;
        s.applied = 12;
        s.measure = (ifd_measure){.inputs = rows[i].inputs, .aux = rows[i].aux, .time = 2.5};
        s.measure.position[0] = 0.5;
        s.measure.force[0] = -3.0;
        s.measure.auxiliary[0] = 4.0;
        s.report.stop = IFD_RIG_STOP_FORCE;
        s.report.why = "load cell\n7";
        ifd__server_tell(&s);
        bool stopped = rows[i].state == IFD_RIG_SERVER_STOPPED;
        assert_int_equal(port.sent, (rows[i].state != IFD_RIG_SERVER_FREE) + stopped);
        if (!port.sent)
            continue;
        const ifd__message *m = &port.out[port.sent - 1].m;
        if (stopped) { /* the reason is there before the stop, so that the fault has it */
            assert_int_equal(port.out[0].m.kind, IFD__WIRE_WHY);
            assert_string_equal(port.out[0].m.text, "a force exceeded its limit: load cell 7");
        }
        assert_int_equal(port.out[0].to, IFD__TO_PEER);
        assert_int_equal(m->kind, IFD__WIRE_MEASURE);
        assert_int_equal(m->session, SESSION);
        assert_int_equal(m->word, rows[i].word);
        assert_int_equal(m->aux, rows[i].told);
        assert_int_equal(m->tick, 12);
        assert_true(m->a[0] == 0.5 && m->b[0] == -3.0 && m->time == 2.5 && m->c[0] == (rows[i].told ? 4.0 : 0.0));
    }
}

/* With the stop, and in every 16th tick, as messages can be lost; later instead of a measurement. */
TEST(the_reason_of_a_stop_is_repeated)
{
    ifd_rig_server s;
    begin(&s, 1);
    welcome(&s, 0);
    s.greeted = false;
    ifd__server_stop(&s, IFD_RIG_STOP_FORCE);
    for (int k = 0; k < 49; k++) {
        port.sent = 0;
        ifd__server_tell(&s);
        bool why = k % 16 == 0;
        assert_int_equal(port.sent, k == 0 ? 2 : 1);
        assert_int_equal(port.out[0].m.kind, why ? IFD__WIRE_WHY : IFD__WIRE_MEASURE);
        assert_int_equal(port.out[port.sent - 1].m.kind, why && k > 0 ? IFD__WIRE_WHY : IFD__WIRE_MEASURE);
    }
}

/* Text in UTF-8 without control characters, 511 bytes at most: its reader refuses any other (wire.h). */
TEST(the_reason_of_a_rig_arrives_as_text)
{
    char longest[600], expected[IFD__WIRE_TEXT] = "the rig stopped by itself: ";
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    memset(expected + strlen(expected), 'x', sizeof expected - 1 - strlen(expected));
    const struct {
        const char *why, *told;
    } rows[] = {{NULL, "the rig stopped by itself"},
                {"", "the rig stopped by itself: "},
                {"a\x7f~ b\tc\x1f!\n", "the rig stopped by itself: a ~ b c ! "},
                {"\xc3\x96ldruck 3 \xc2\xb5m", "the rig stopped by itself: \xc3\x96ldruck 3 \xc2\xb5m"},
                {longest, expected}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_rig_server s;
        begin(&s, 1);
        welcome(&s, 0);
        ifd__server_stop(&s, IFD_RIG_STOP_RIG);
        s.report.why = rows[i].why;
        port.sent = 0;
        ifd__server_tell(&s);
        assert_int_equal(port.out[0].m.kind, IFD__WIRE_WHY);
        assert_string_equal(port.out[0].m.text, rows[i].told);
    }
}

/* With the reason at once, also after an earlier stop of which it told. */
TEST(a_rig_that_stops_without_a_measurement_stops_an_armed_test)
{
    for (int row = 0; row < 4; row++) {
        bool armed = row & 1, stops = row & 2;
        ifd_rig_server s;
        begin(&s, 1);
        welcome(&s, 0);
        s.armed = armed;
        s.greeted = false;
        s.told = 5;
        rig.silent = true;
        rig.stops = stops ? IFD_INPUT_RIG_STOPPED : 0;
        assert_false(ifd__server_sense(&s));
        assert_int_equal(s.report.state, armed && stops ? IFD_RIG_SERVER_STOPPED : IFD_RIG_SERVER_SERVES);
        assert_int_equal(s.report.stop, armed && stops ? IFD_RIG_STOP_RIG : IFD_RIG_STOP_NONE);
        port.sent = 0;
        ifd__server_tell(&s);
        assert_int_equal(port.out[0].m.kind, armed && stops ? IFD__WIRE_WHY : IFD__WIRE_MEASURE);
    }
}

/* Power of the drives: a test that was armed takes it back in idle and tripped. */
TEST(drives_keep_their_power_until_an_armed_test_takes_it_back)
{
    for (uint32_t word = IFD_MACHINE_IDLE; word <= IFD_MACHINE_TRIPPED; word++)
        for (int row = 0; row < 4; row++) {
            bool armed = row & 1, asked = row & 2, rests = word == IFD_MACHINE_IDLE || word == IFD_MACHINE_TRIPPED;
            ifd_rig_server s;
            begin(&s, 1);
            welcome(&s, 0);
            s.leads = s.powered = s.commanded = true;
            s.armed = armed;
            s.measure.inputs = 3;
            s.target = (ifd__message){.word = word, .commanded = 1, .outputs = asked ? IFD_OUTPUT_ENABLE : 0};
            ifd__server_move(&s);
            bool powered = !(armed && !asked && rests);
            assert_int_equal(rig.last.outputs & IFD_OUTPUT_ENABLE, powered ? IFD_OUTPUT_ENABLE : 0);
            assert_int_equal(s.powered, powered);
        }
}

/* What it reports, moves and passes on, before and after its operator allowed this connection. */
static uint32_t told(ifd_rig_server *s)
{
    ifd__server_hear(s);
    ifd__server_sense(s);
    ifd__server_move(s);
    assert_int_equal(rig.last.commanded, s->leads);
    return rig.last.state;
}

/* A test that is connected, silent or without positions, is in no state of motion for the rig. */
TEST(a_rig_is_in_idle_until_positions_are_commanded)
{
    static const uint32_t words[] = {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, IFD_MACHINE_HOLD};
    for (size_t i = 0; i < COUNT(words); i++) {
        ifd_rig_server s;
        begin(&s, 1);
        assert_int_equal(told(&s), IFD_MACHINE_IDLE);
        welcome(&s, 0);
        assert_int_equal(told(&s), IFD_MACHINE_IDLE);
        ifd__message m = order(0.0, 1);
        m.word = words[i];
        m.commanded = 0;
        put(&m);
        assert_int_equal(told(&s), IFD_MACHINE_IDLE);
        s.report.state = IFD_RIG_SERVER_WAITING; /* silence of a line that may wait */
        assert_int_equal(told(&s), IFD_MACHINE_IDLE);
        s.report.state = IFD_RIG_SERVER_SERVES;
        m = order(0.0, 2);
        m.word = words[i];
        put(&m);
        assert_int_equal(told(&s), words[i]);
        s.report.state = IFD_RIG_SERVER_WAITING;
        assert_int_equal(told(&s), IFD_MACHINE_HOLD);
        ifd__server_stop(&s, IFD_RIG_STOP_WATCHDOG);
        assert_int_equal(told(&s), IFD_MACHINE_TRIPPED);
    }
    ifd_rig_server s; /* a test that trips, or a rig that stops, without positions */
    begin(&s, 1);
    welcome(&s, 0);
    ifd__message m = order(0.0, 1);
    m.word = IFD_MACHINE_TRIPPED;
    m.commanded = 0;
    put(&m);
    assert_int_equal(told(&s), IFD_MACHINE_TRIPPED);
    ifd__server_stop(&s, IFD_RIG_STOP_INPUTS);
    assert_int_equal(told(&s), IFD_MACHINE_TRIPPED);
}

TEST(a_connection_is_allowed_by_its_operator)
{
    for (int row = 0; row < 4; row++) {
        bool asks = row != 0, allowed = row == 2, before = row == 3; /* 3: the connection before this one */
        ifd_rig_server s;
        begin(&s, 1);
        s.asks = asks;
        s.report.clients = 4;
        ifd_rig_server_report r = s.report;
        assert_false(ifd_rig_server_asks(&s, &r)); /* free */
        assert_int_equal(ifd_rig_server_asks(&s, NULL), asks);
        if (before)
            ifd_rig_server_allow(&s, &r);
        welcome(&s, 0);
        r = s.report;
        assert_int_equal(ifd_rig_server_asks(&s, &r), asks);
        if (allowed)
            ifd_rig_server_allow(&s, &r);
        bool may = !asks || allowed;
        assert_int_equal(ifd_rig_server_asks(&s, &r), !may);
        s.measure.inputs = 3;
        s.greeted = false;
        ifd__server_tell(&s);
        assert_int_equal(port.out[port.sent - 1].m.word, may ? 3 : 3 | IFD_INPUT_NOT_ALLOWED);
        ifd__message m = order(0.0, 1);
        m.word = IFD_MACHINE_IDLE;
        m.commanded = 0;
        m.outputs = IFD_OUTPUT_ENABLE | IFD_OUTPUT_LOW;
        put(&m);
        ifd__server_hear(&s);
        ifd__server_move(&s);
        assert_int_equal(rig.last.outputs, may ? m.outputs | IFD_OUTPUT_BEAT : 0); /* its own beat */
        assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
        m = order(0.0, 2);
        m.outputs = IFD_OUTPUT_ENABLE;
        put(&m);
        ifd__server_hear(&s);
        ifd__server_move(&s);
        assert_int_equal(s.report.state, may ? IFD_RIG_SERVER_SERVES : IFD_RIG_SERVER_STOPPED);
        assert_int_equal(rig.last.commanded, may);
        assert_int_equal(rig.last.outputs, may ? IFD_OUTPUT_ENABLE : 0);
        if (!may)
            assert_int_equal(s.report.stop, IFD_RIG_STOP_NOT_ALLOWED);
    }
}

TESTS()
