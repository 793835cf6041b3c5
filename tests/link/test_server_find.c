/* SPDX-License-Identifier: MIT */
/* A rig server before service: refused options, and the search for the position of the rig, at both sides of the
 * permitted scatter, of the stroke and of the time limit. No position is commanded meanwhile. */
#include "server_scene.h"

/* Measured positions before service. A stroke of 12.5 m permits a scatter of 2^-4 m. */
static const double spread = 0.0625;

static double scatters(long i, int channel)
{
    return channel == 0 && i % 2 ? spread : 0.0;
}

static double scatters_more(long i, int channel)
{
    return channel == 0 && i % 2 ? nextafter(spread, 1.0) : 0.0;
}

static double second_scatters_more(long i, int channel)
{
    return channel == 1 && i % 2 ? -nextafter(spread, 1.0) : 0.0;
}

static double creeps(long i, int channel)
{
    return channel == 0 ? 0.0078125 * (double)i : 0.0;
}

static double jumps(long i, int channel)
{
    return channel == 0 && i >= 5 ? 1.0 : 0.0;
}

static double once_no_number(long i, int channel)
{
    return channel == 0 && i == 5 ? (double)NAN : 0.0;
}

static double another_no_number(long i, int channel)
{
    return channel == 1 && i == 5 ? (double)INFINITY : 0.0;
}

static double no_number(long i, int channel)
{
    return channel == 1 && i >= 0 ? (double)NAN : 0.0;
}

static double lowest(long i, int channel)
{
    return i < 0 || channel == 0 ? -4.0 : 8.5;
}

static double too_low(long i, int channel)
{
    return i < 0 || channel == 0 ? nextafter(-4.0, -5.0) : 0.0;
}

static double too_high(long i, int channel)
{
    return i < 0 || channel == 0 ? 0.0 : nextafter(8.5, 9.0);
}

/* A series lasts 0.1 s and has at least ten samples; the search ends without success after 2.1 s and four series. No
 * position is commanded meanwhile. */
TEST(a_rig_is_found_by_samples_that_agree)
{
    const struct {
        const char *name;
        double (*show)(long i, int channel);
        double period; /* s */
        long samples;  /* until it is found; 0: not found */
        double place;
        ifd_status status;
        bool silent, simulated;
    } rows[] = {
        {"at rest", at_zero, 0.015625, 10, 0.0, IFD_OK, false, false},
        {"at rest, fast", at_zero, 0.001953125, 52, 0.0, IFD_OK, false, false},
        {"ten fill the time", at_zero, 0.01, 10, 0.0, IFD_OK, false, false},
        {"eleven do", at_zero, 0.00999, 11, 0.0, IFD_OK, false, false},
        {"simulated", at_zero, 0.015625, 10, 0.0, IFD_OK, false, true},
        {"scatters", scatters, 0.015625, 10, 0.03125, IFD_OK, false, false},
        {"scatters too much", scatters_more, 0.015625, 0, 0.0, IFD_PEER, false, false},
        {"another one does", second_scatters_more, 0.015625, 0, 0.0, IFD_PEER, false, false},
        {"creeps", creeps, 0.015625, 0, 0.0, IFD_PEER, false, false},
        {"jumps once", jumps, 0.015625, 15, 1.0, IFD_OK, false, false},
        {"no number", no_number, 0.015625, 0, 0.0, IFD_PEER, false, false},
        {"one is no number", once_no_number, 0.015625, 16, 0.0, IFD_OK, false, false},
        {"one of another", another_no_number, 0.015625, 16, 0.0, IFD_OK, false, false},
        {"the time ends on a sample", scatters_more, 0.015, 0, 0.0, IFD_PEER, false, false},
        {"silent", at_zero, 0.015625, 0, 0.0, IFD_PEER, true, false},
        {"at both ends", lowest, 0.015625, 10, -4.0, IFD_OK, false, false},
        {"below", too_low, 0.015625, 10, nextafter(-4.0, -5.0), IFD_OK, false, false},
        {"above", too_high, 0.015625, 10, 0.0, IFD_OK, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_rig_server s;
        begin(&s, 2);
        memset(&rig, 0, sizeof rig);
        rig.show = rows[i].show;
        rig.silent = rows[i].silent;
        s.o.tick = s.rig.tick = rows[i].period;
        s.period = (int64_t)(1e9 * rows[i].period);
        s.rig.size = rows[i].simulated ? 1 : 0;
        s.found = s.report.rest = false;
        s.report.position[0] = s.report.position[1] = 99.0;
        s.samples = 0;
        clock_at = ifd__server_on_grid(&s, clock_at);
        int64_t start = clock_at;
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        ifd_note_init(&note, arena);
        ifd_status status = ifd__server_find(&s, &note);
        if (status != rows[i].status || (rows[i].samples && rig.senses != rows[i].samples))
            fail_msg("%s: status %d after %ld samples, expected %d after %ld", rows[i].name, (int)status, rig.senses,
                     (int)rows[i].status, rows[i].samples);
        if (status != IFD_OK) {
            const char *text = rows[i].silent ? "sends no position" : "do not agree within 0.005";
            assert_true(note.first && strstr(note.first->text, text));
        }
        ifd_arena_close(arena);
        assert_int_equal(s.found, rows[i].samples > 0);
        assert_true(s.report.rest);
        assert_int_equal(rig.commands, rig.senses);
        assert_int_equal(rig.last.commanded, 0);
        if (rows[i].samples) {
            assert_near(s.finding[0].at, rows[i].place, 1e-15, "%s: place", rows[i].name);
            for (int k = 0; k < 2; k++) /* values for the operator before the first client */
                assert_near(s.report.position[k], s.finding[k].at, 0.0, "%s: reported", rows[i].name);
            assert_int_equal(clock_at - start, rig.senses * (rows[i].simulated ? 1000 : s.period));
            continue;
        }
        /* the last poll is the first that ends after this time */
        int64_t longest = 2100000000 + 4 * 10 * s.period, lasted = clock_at - start;
        assert_true(lasted >= longest && lasted - s.period < longest);
    }
}

static double slow_call(long i, int channel)
{
    (void)i;
    clock_at += channel == 0 ? 30000 : 0;
    return 0.0;
}

/* The commands meanwhile are at the phase of the ticks, on which a bus with SYNC0 depends: calls take time. */
TEST(the_search_keeps_the_phase_of_the_ticks)
{
    ifd_rig_server s;
    begin(&s, 2);
    s.o.tick = s.rig.tick = 1e-3;
    s.period = 1000000;
    s.found = false;
    s.samples = 0;
    rig.show = slow_call;
    assert_int_equal(ifd__server_find(&s, NULL), IFD_OK);
    assert_true(rig.commands >= 100);
    assert_int_equal(rig.heard % s.period, s.period / 2 + 30000);
}

/* A found rig with another measured position is found again, at the new position; during a test its motion is
 * expected. */
TEST(a_rig_that_moves_by_itself_is_found_anew)
{
    static double where;
    ifd_rig_server s;
    begin(&s, 1);
    const double edges[] = {spread, -spread, spread + 1e-15, -spread - 1e-15};
    for (int i = 0; i < 4; i++)
        for (int leads = 0; leads < 2; leads++) {
            begin(&s, 1);
            s.finding[0].at = 0.5;
            where = 0.5 + edges[i];
            s.measure.position[0] = where;
            s.leads = leads;
            ifd__server_add_sample(&s);
            assert_int_equal(s.found, i < 2 && !leads);
            int looks = 1;
            for (s.leads = false; !s.found; looks++)
                ifd__server_add_sample(&s);
            for (int more = 0; more < 3; more++)
                ifd__server_add_sample(&s);
            assert_int_equal(s.samples, s.enough); /* the count is bounded */
            assert_int_equal(looks, leads ? s.enough + 1 : i < 2 ? 1 : s.enough);
            assert_near(s.finding[0].at, i < 2 && !leads ? 0.5 : where, 1e-15, "place");
        }
}

static double shown_now;

static double as_set(long i, int channel)
{
    (void)i, (void)channel;
    return shown_now;
}

/* A rig outside its stroke, at either end, is moved only by the order return, and never outward. */
TEST(a_rig_outside_its_stroke_is_led_inward_on_return_only)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        ifd_rig_server s;
        begin(&s, 1);
        double place = sign < 0 ? -4.5 : 9.0, edge = sign < 0 ? -4.0 : 8.5, last = place;
        s.finding[0].at = place;
        s.target.word = IFD_MACHINE_RUN;
        assert_false(ifd__server_begin(&s));
        s.target.word = IFD_MACHINE_RETURN;
        s.found = false;
        assert_false(ifd__server_begin(&s));
        s.found = true;
        assert_true(ifd__server_begin(&s));
        s.report.state = IFD_RIG_SERVER_SERVES;
        s.commanded = s.armed = true;
        s.target.commanded = 1;
        s.measure.inputs = 3;
        rig.show = as_set; /* 0.01 of the stroke, 0.125 m, beyond its position is tolerated */
        shown_now = place + sign * 0.125;
        assert_true(ifd__server_sense(&s));
        assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
        ifd_rig_server again = s;
        shown_now = nextafter(shown_now, sign * 99.0);
        assert_true(ifd__server_sense(&again));
        assert_int_equal(again.report.stop, IFD_RIG_STOP_POSITION);
        for (int k = 0; k < 12000; k++) { /* inward, outward again, inward */
            s.target.a[0] = k >= 300 && k < 600 ? sign * 99.0 : 0.0;
            s.news = true;
            ifd__server_move(&s);
            double p = rig.last.position[0];
            assert_int_equal(rig.last.commanded, 1);
            assert_true(sign * p <= fmax(sign * last, sign * edge));
            last = p;
        }
        assert_near(last, 0.0, 1e-12, "arrived");
    }
}

/* Released: at rest, unarmed, without commands, to be found again. */
TEST(a_rig_that_is_let_go_is_commanded_nothing)
{
    ifd_rig_server s;
    begin(&s, 2);
    assert_true(ifd__server_begin(&s));
    assert_true(s.leads && s.report.rest);
    s.armed = true;
    s.g[0].w = s.g[1].w = s.command.velocity[1] = 1e-3;
    ifd__server_let_go(&s);
    assert_false(s.leads || s.armed || s.found);
    assert_int_equal(s.samples, 0);
    assert_true(ifd__server_at_rest(&s) && s.command.velocity[1] == 0.0);
    ifd__server_move(&s);
    assert_int_equal(rig.last.commanded, 0);
}

static ifd_status shut(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)r, (void)values, (void)arena, (void)note;
    return IFD_PLUGIN;
}

static const ifd_rig_ops shut_ops = {.abi = IFD_RIG_ABI, .name = "shut", .open = shut};

/* Result of a server with these options; IFD_OK: accepted, up to the rig, which refuses to open. */
static ifd_status served(const ifd_rig_server_options *o, char *said, size_t size)
{
    ifd_rig_server *server = NULL;
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_rig_server_open(arena, o, &server, &note);
    snprintf(said, size, "%s", note.first ? note.first->text : "");
    ifd_arena_close(arena);
    return status == IFD_PLUGIN ? IFD_OK : status;
}

/* Channels, tick and watchdog at both limits exactly; limits of every channel; access from the network. */
TEST(only_a_rig_with_sound_options_is_served)
{
    enum { NO = IFD_RANGE, YES = IFD_OK, DOOR = IFD_CONFLICT };
    const double least = 1e-5, most = 10.0, third = 3.0 * 0.25;
    static ifd_limits l[IFD_RIG_ACTUATORS + 1];
    char said[256];
    const struct {
        int channels;
        double tick, watchdog;
        int expected;
    } rows[] = {{0, 0.25, 1.0, NO},
                {1, 0.25, 1.0, YES},
                {IFD_RIG_ACTUATORS, 0.25, 1.0, YES},
                {IFD_RIG_ACTUATORS + 1, 0.25, 1.0, NO},
                {1, least, 1.0, YES},
                {1, nextafter(least, 0.0), 1.0, NO},
                {1, most, 40.0, YES},
                {1, nextafter(most, 11.0), 40.0, NO},
                {1, (double)NAN, 1.0, NO},
                {1, 0.25, third, YES},
                {1, 0.25, nextafter(third, 0.0), NO},
                {1, 0.25, 60.0, YES},
                {1, 0.25, nextafter(60.0, 61.0), NO}};
    for (int k = 0; k <= IFD_RIG_ACTUATORS; k++) {
        ifd_limits_defaults(&l[k]);
        l[k].low = -(l[k].high = l[k].velocity = l[k].acceleration = 1.0);
    }
    ifd_rig_server_options o;
    ifd_rig_server_defaults(&o);
    o.rig = &shut_ops;
    o.limits = l;
    for (size_t i = 0; i < COUNT(rows); i++) {
        o.actuators = rows[i].channels;
        o.tick = rows[i].tick;
        o.watchdog = rows[i].watchdog;
        if (served(&o, said, sizeof said) != (ifd_status)rows[i].expected)
            fail_msg("row %d: %s", (int)i, said);
    }
    o.watchdog = 1.0;
    o.actuators = 2;
    for (int k = 0; k < 2; k++) {
        l[k].velocity = 0.0;
        assert_int_equal(served(&o, said, sizeof said), IFD_RANGE);
        assert_non_null(strstr(said, k ? "actuator 2 " : "actuator 1 "));
        l[k].velocity = 1.0;
    }
    const struct {
        const char *host, *shm, *key;
        bool insecure;
        int expected;
    } doors[] = {{"127.0.0.1", NULL, NULL, false, YES}, {"127.5.6.7", NULL, NULL, false, YES},
                 {"localhost", NULL, NULL, false, YES}, {NULL, NULL, NULL, false, YES},
                 {"0.0.0.0", NULL, NULL, false, DOOR},  {"128.0.0.1", NULL, NULL, false, DOOR},
                 {"0.0.0.0", "rig", NULL, false, YES},  {"0.0.0.0", NULL, "rig.key", false, YES},
                 {"0.0.0.0", NULL, NULL, true, YES}};
    for (size_t i = 0; i < COUNT(doors); i++) {
        o.host = doors[i].host;
        o.shm = doors[i].shm;
        o.key = doors[i].key;
        o.insecure = doors[i].insecure;
        if (served(&o, said, sizeof said) != (ifd_status)doors[i].expected)
            fail_msg("door %d: %s", (int)i, said);
    }
}

TESTS()
