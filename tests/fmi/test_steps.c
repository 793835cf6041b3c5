/* SPDX-License-Identifier: MIT */
/* Steps of a master that are not those of the method, the ground fed step by step, ranges of parameters, damaged
 * states, and refusals, which are the same whatever the version of FMI. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exported.h"
#include "model/model.h"

static const char *const methods[] = {"lsrt2", "newmark", "mg-alpha", "chang", "generalized-alpha"};

static peer another(const peer *p)
{
    peer q = *p;
    q.instance = peer_instantiate(&q, q.token);
    assert_non_null(q.instance);
    return q;
}

static void drop(const peer *p)
{
    void (*release)(void *);
    *(void **)&release = peer_symbol(p, "FreeInstance");
    release(p->instance);
}

static ifd_case *with_method(const char *name, const char *method, int version, int rows, const ifd_fmu_row *row,
                             peer *p)
{
    char text[60];
    const char *set_list[] = {text};
    snprintf(text, sizeof text, "method=%s", method);
    ifd_case *c = exported_case(name, 1, set_list);
    exported_open(c, version, rows, row, p);
    return c;
}

/* 100 communication steps of 1.37 h: what is seen between two instants of the grid follows from those instants alone,
 * and where the grid is met again the bits are those of a master that kept to it. */
TEST_WITH(points_off_the_grid_change_nothing_on_it, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    enum { GRID = 138, FAR = 100 };
    for (size_t which = 0; which < COUNT(methods); which++) {
        peer p;
        double d[GRID], v[GRID];
        ifd_case *c = with_method("shear-pendulum/bouc-wen-one", methods[which], which % 2 ? 3 : 2, 1,
                                  &(ifd_fmu_row){"top", IFD_GROUND, 1, NULL}, &p);
        uint32_t out[] = {exported_reference("d[1]"), exported_reference("v[1]")};
        double h = c->run.step.h;
        peer q = another(&p);
        peer_initialise(&p, 0.0);
        peer_initialise(&q, 0.0);
        for (int k = 0; k < GRID; k++) {
            d[k] = peer_get(&p, out[0]);
            v[k] = peer_get(&p, out[1]);
            assert_int_equal(peer_step(&p, h * k, h), FMI_OK);
        }
        for (int k = 0; k < FAR; k++) {
            double end = 1.37 * (k + 1), x = end - floor(end);
            int n = (int)floor(end);
            assert_int_equal(peer_step(&q, 1.37 * h * k, 1.37 * h), FMI_OK);
            assert_near(peer_get(&q, 0), h * end, 1e-12, "time");
            if (x < 1e-3 || x > 1.0 - 1e-3 || n + 1 >= GRID)
                continue;
            double cubic = d[n] + x * h * v[n] + x * x * (3 * (d[n + 1] - d[n]) - h * (2 * v[n] + v[n + 1])) +
                           x * x * x * (2 * (d[n] - d[n + 1]) + h * (v[n] + v[n + 1]));
            assert_near(peer_get(&q, out[0]), cubic, 1e-13, "%s: displacement at %g steps", methods[which], end);
            assert_true(fabs(peer_get(&q, out[1]) - v[n]) <= fabs(v[n + 1] - v[n]) + 1e-2 * h * 20.0);
        }
        assert_true(peer_get(&q, out[0]) == d[137] && peer_get(&q, out[1]) == v[137]);
        drop(&q);
        peer_close(&p);
    }
}

static double seconds_for(const peer *p, double step, int count)
{
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int k = 0; k < count; k++)
        assert_int_equal(peer_step(p, step * k, step), FMI_OK);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

/* A step off the grid makes at most one step of the method more; a factor of its own would take hundreds of times as
 * long. */
TEST_WITH(points_off_the_grid_are_reached_as_fast, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    peer p;
    ifd_case *c = with_method("frame-10/frame", "newmark", 2, 0, NULL, &p);
    double h = c->run.step.h;
    peer q = another(&p);
    peer_initialise(&p, 0.0);
    peer_initialise(&q, 0.0);
    double on = seconds_for(&p, h, 2000), off = seconds_for(&q, 0.7 * h, 2000);
    print_message("2000 steps on the grid %.3g s, off it %.3g s\n", on, off);
    assert_true(off < 20.0 * on + 1e-3);
    drop(&q);
    peer_close(&p);
}

/* A force for 0.37 of a step has 0.37 of its impulse; one that is set again and again is the one that stays. */
TEST_WITH(forces_off_the_grid_keep_their_impulse, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    for (size_t which = 0; which < COUNT(methods); which++) {
        peer p;
        ifd_case *c = with_method("oscillator/free", methods[which], which % 2 ? 2 : 3, 1,
                                  &(ifd_fmu_row){"x", IFD_GROUND, 0, NULL}, &p);
        uint32_t f = exported_reference("f[1]"), d = exported_reference("d[1]");
        double h = c->run.step.h;
        peer q = another(&p);
        peer_initialise(&p, 0.0);
        peer_initialise(&q, 0.0);
        for (int k = 0; k < 50; k++) {
            double push = k == 3 ? 40.0 : k > 20 ? 5.0 : 0.0;
            peer_set(&p, f, k == 3 ? 0.37 * push : push);
            assert_int_equal(peer_step(&p, h * k, h), FMI_OK);
            peer_set(&q, f, push);
            assert_int_equal(peer_step(&q, h * k, 0.37 * h), FMI_OK);
            peer_set(&q, f, k == 3 ? 0.0 : push);
            assert_int_equal(peer_step(&q, h * (k + 0.37), 0.63 * h), FMI_OK);
            assert_near(peer_get(&q, d), peer_get(&p, d), 1e-12, "%s, step %d", methods[which], k);
        }
        drop(&q);
        peer_close(&p);
    }
}

TEST_WITH(steps_that_are_none_are_refused, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    static const struct {
        double step;
        const char *text;
    } row[] = {{0.0, "not a positive"},      {-1e-3, "not a positive"},      {(double)NAN, "not a positive"},
               {HUGE_VAL, "not a positive"}, {1e300, "more than 1e9 steps"}, {1e9, "more than 1e9 steps"},
               {-1e300, "not a positive"}};
    for (int version = 2; version <= 3; version++) {
        peer p;
        exported_open(exported_case("oscillator/free", 0, NULL), version, 0, NULL, &p);
        peer_initialise(&p, 0.0);
        for (size_t k = 0; k < COUNT(row); k++) {
            assert_int_equal(peer_step(&p, 0.0, row[k].step), FMI_ERROR);
            if (!strstr(peer_message(), row[k].text))
                fail_msg("%g: '%s'", row[k].step, peer_message());
        }
        assert_int_equal(peer_step(&p, (double)NAN, 1e-3), FMI_ERROR);
        assert_int_equal(peer_step(&p, 0.0, 1e-3), FMI_OK); /* and none of them did harm */
        peer_close(&p);
    }
}

/* The ground of a case fed through ground.x, at the end of each step, instead of inside: the same motion. The signal
 * is sampled at the step, so that it is linear between. */
TEST_WITH(ground_that_is_fed_moves_as_the_case_does, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    for (size_t which = 0; which < COUNT(methods); which++) {
        peer p;
        ifd_case *c = with_method("bearing/ground", methods[which], which % 2 ? 3 : 2, 0, NULL, &p);
        uint32_t ground = exported_reference("ground.x"), scale = exported_reference("ground_scale"),
                 d = exported_channel(c->run.model, 0);
        double h = c->run.step.h, most = 0.0, error = 0.0, y[3];
        const ifd_signal *signal = c->run.model->ground[0].signal;
        peer q = another(&p);
        assert_int_equal(peer_set(&q, scale, 0.0), FMI_OK);
        ifd_signal_eval(signal, 0.0, y);
        assert_int_equal(peer_set(&q, ground, y[0]), FMI_OK);
        peer_initialise(&p, 0.0);
        peer_initialise(&q, 0.0);
        for (int k = 0; k < 4000; k++) {
            ifd_signal_eval(signal, h * (k + 1), y);
            assert_int_equal(peer_set(&q, ground, y[0]), FMI_OK);
            assert_true(peer_step(&p, h * k, h) == FMI_OK && peer_step(&q, h * k, h) == FMI_OK);
            most = fmax(most, fabs(peer_get(&p, d)));
            error = fmax(error, fabs(peer_get(&q, d) - peer_get(&p, d)));
        }
        print_message("%s: fed %.1e of the peak of %.3g m\n", methods[which], error / most, most);
        assert_true(most > 1e-3 && error < 1e-4 * most);
        drop(&q);
        peer_close(&p);
    }
}

TEST_WITH(parameters_have_the_ranges_and_units_of_the_case, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    static const struct {
        const char *name, *says[2];
        double good, bad;
    } row[] = {{"element.bearing.scale", {"unit=\"1\"", "start=\"1\""}, 2.0, -3.0},
               {"element.bearing.scale", {" min=\"", " max=\""}, 3.0, 0.0},
               {"element.bearing.spring", {"unit=\"N/m\"", "start=\"500000\""}, 1e5, -1.0},
               {"element.bearing.spring", {" min=\"0\"", " max=\""}, 0.0, 1e40}};
    for (int version = 2; version <= 3; version++) {
        char path[400], wanted[100], *text = NULL;
        size_t size = 0;
        peer p;
        exported_open(exported_case("bearing/ground", 0, NULL), version, 0, NULL, &p);
        snprintf(path, sizeof path, "%s/fmu/modelDescription.xml", exported_folder);
        FILE *in = fopen(path, "r");
        assert_true(in && getdelim(&text, &size, '\0', in) > 0);
        fclose(in);
        for (size_t k = 0; k < COUNT(row); k++) {
            snprintf(wanted, sizeof wanted, "name=\"%s\"", row[k].name);
            const char *at = strstr(text, wanted);
            assert_non_null(at);
            char line[600];
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
            for (int i = 0; i < 2; i++)
                if (!strstr(line, row[k].says[i]))
                    fail_msg("'%s' lacks %s", line, row[k].says[i]);
            uint32_t vr = exported_reference(row[k].name);
            assert_int_equal(peer_set(&p, vr, row[k].good), FMI_OK);
            assert_int_equal(peer_set(&p, vr, row[k].bad), FMI_ERROR);
            assert_non_null(strstr(peer_message(), "outside its range"));
        }
        free(text);
        peer_close(&p);
    }
}

typedef fmi_status size_of(void *instance, void *state, size_t *size);
typedef fmi_status to_bytes(void *instance, void *state, unsigned char *bytes, size_t size);
typedef fmi_status from_bytes(void *instance, const unsigned char *bytes, size_t size, void **state);

TEST_WITH(damaged_states_are_refused, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    for (int version = 2; version <= 3; version++) {
        peer p;
        ifd_case *c = exported_case("oscillator/free", 0, NULL);
        exported_open(c, version, 0, NULL, &p);
        peer_initialise(&p, 0.0);
        assert_int_equal(peer_step(&p, 0.0, c->run.step.h), FMI_OK);
        size_of *size_call;
        to_bytes *write;
        from_bytes *read;
        *(void **)&size_call = peer_symbol(&p, version == 2 ? "SerializedFMUstateSize" : "SerializedFMUStateSize");
        *(void **)&write = peer_symbol(&p, version == 2 ? "SerializeFMUstate" : "SerializeFMUState");
        *(void **)&read = peer_symbol(&p, version == 2 ? "DeSerializeFMUstate" : "DeserializeFMUState");
        void *saved = NULL, *back = NULL;
        unsigned char bytes[4000];
        size_t size = 0;
        assert_int_equal(p.get_state(p.instance, &saved), FMI_OK);
        assert_true(size_call(p.instance, saved, &size) == FMI_OK && size <= sizeof bytes);
        assert_int_equal(write(p.instance, saved, bytes, size), FMI_OK);
        for (size_t i = 0; i < size; i++) {
            bytes[i] ^= 0x10;
            assert_int_equal(read(p.instance, bytes, size, &back), FMI_ERROR);
            if (i >= 32)
                assert_non_null(strstr(peer_message(), "checksum"));
            assert_null(back);
            bytes[i] ^= 0x10;
        }
        assert_int_equal(read(p.instance, bytes, size, &back), FMI_OK);
        assert_int_equal(p.set_state(p.instance, back), FMI_OK);
        p.free_state(p.instance, (void *)&saved);
        p.free_state(p.instance, (void *)&back);
        peer_close(&p);
    }
}

typedef fmi_status any_type(void *instance, const uint32_t *vr, size_t n, void *value, size_t values);

/* One wrong call each; out of order ones first. */
static fmi_status wrong_call(peer *p, int which)
{
    const uint32_t none = 60000;
    double value = 0.0;
    fmi2_mode *call;
    any_type *type;
    bool two = p->version == 2;
    switch (which) {
    case 0:
        return peer_step(p, 0.0, 1e-3);
    case 1:
        *(void **)&call = peer_symbol(p, "Terminate");
        return call(p->instance);
    case 2:
        *(void **)&call = peer_symbol(p, "ExitInitializationMode");
        return call(p->instance);
    case 3:
        peer_initialise(p, 0.0);
        if (two) {
            *(void **)&call = peer_symbol(p, "EnterInitializationMode");
            return call(p->instance);
        }
        fmi3_enter *enter;
        *(void **)&enter = peer_symbol(p, "EnterInitializationMode");
        return enter(p->instance, false, 0, 0, false, 0);
    case 4:
        return two ? p->get2(p->instance, &none, 1, &value) : p->get3(p->instance, &none, 1, &value, 1);
    case 5:
        return peer_set(p, none, 1.0);
    case 6:
        return peer_set(p, exported_reference("ground.x"), (double)NAN);
    case 7:
        return peer_set(p, exported_reference("ground_scale"), 2.0);
    case 8:
        return peer_set(p, 0, 2.0);
    case 9:
        *(void **)&type = peer_symbol(p, two ? "GetInteger" : "GetInt32");
        return type(p->instance, &none, 1, &value, 1);
    case 10:
        *(void **)&type = peer_symbol(p, "SetString");
        return type(p->instance, &none, 1, &value, 1);
    case 11:
        return p->set_state(p->instance, NULL);
    case 12:
        return peer_step(p, 1.0, 1e-3);
    case 13:
        return peer_step(p, 0.0, 1e300);
    case 14:
        return peer_step(p, 0.0, 0.0);
    }
    return FMI_OK;
}

TEST_WITH(versions_refuse_alike, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    enum { CALLS = 15 };
    char said[2][CALLS][200];
    ifd_case *c = exported_case("bearing/ground", 0, NULL);
    for (int version = 2; version <= 3; version++) {
        peer p;
        exported_open(c, version, 0, NULL, &p);
        assert_null(peer_instantiate(&p, "{another}")); /* leaves a message that none of the calls gives */
        for (int k = 0; k < CALLS; k++) {
            assert_int_equal(wrong_call(&p, k), FMI_ERROR);
            snprintf(said[version - 2][k], sizeof said[0][0], "%s", peer_message());
            if (strstr(said[version - 2][k], "token"))
                fail_msg("FMI %d, call %d: nothing was said", version, k);
        }
        peer_close(&p);
    }
    for (int k = 0; k < CALLS; k++)
        assert_string_equal(said[0][k], said[1][k]);
}

TESTS()
