/* SPDX-License-Identifier: MIT */
/* A small hybrid test goes through executor and ring into a result, which is read back. */
#include "check.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/result.h>
#include <interfield/virtual.h>

static const double step = 2e-3, tested = 2e5;

typedef struct stand {
    ifd_arena *arena, *books;
    ifd_note note;
    ifd_case c;
    ifd_value spring[8];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_hybrid_options opt;
    ifd_hybrid *test;
    char folder[SCRATCH_PATH];
} stand;

static ifd_model *oscillator(ifd_arena *arena)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1000.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 4e5);
    ifd_builder_initial(b, 0, 0.010, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(arena, b, &m, NULL), IFD_OK);
    return m;
}

static int begin(void **state)
{
    stand *s = calloc(1, sizeof *s);
    s->arena = ifd_arena_open();
    s->books = ifd_arena_open();
    ifd_note_init(&s->note, s->books);
    if (!scratch_make(s->folder))
        return -1;
    s->c = (ifd_case){.path = "a/b/spring.yaml", .title = "A spring tested", .text = "title: A spring tested\n"};
    s->c.run.model = oscillator(s->arena);
    s->c.run.end = 0.5;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), step, &s->c.run.step);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(tested);
    s->bench = (ifd_virtual_actuator){.specimen = spring, .specimen_values = s->spring};
    s->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &s->bench};
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = 0;
    s->channel.limits.low = -0.05;
    s->channel.limits.high = 0.05;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 100.0;
    ifd_hybrid_defaults(&s->opt);
    s->opt.model = s->c.run.model;
    s->opt.step = s->c.run.step;
    s->opt.end = s->c.run.end;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    s->opt.ramp_in = 0.5;
    s->opt.automatic = true;
    *state = s;
    return 0;
}

static int end(void **state)
{
    stand *s = *state;
    scratch_remove(s->folder);
    ifd_hybrid_close(s->test);
    ifd_arena_close(s->arena);
    ifd_arena_close(s->books);
    free(s);
    return 0;
}

/* Runs the test without a clock, or with one of 0.5 ms, giving an order at a tick. */
static ifd_result *run(stand *s, double period, ifd_order order, ifd_executor_report *report)
{
    ifd_result *res = NULL;
    ifd_executor_options o;
    ifd_executor *e;
    ifd_tick_record r;
    assert_int_equal(ifd_hybrid_make(s->arena, &s->opt, &s->test, &s->note), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(s->test);
    assert_int_equal(ifd_result_open_test(s->books, s->folder, &s->c, s->test, &res, &s->note), IFD_OK);
    ifd_executor_defaults(&o);
    o.period = period;
    o.lock_memory = false;
    assert_int_equal(ifd_executor_open(s->arena, &o, &t, &e, NULL), IFD_OK);
    if (order != IFD_ORDER_NONE)
        ifd_executor_order(e, order, IFD_SOURCE_HOLDER);
    for (bool last = false; !last; usleep(500)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r))
            assert_int_equal(ifd_result_append_record(res, &r), IFD_OK);
    }
    ifd_executor_close(e, report);
    const ifd_timing timing = {.ticks = report->ticks, .interrupted = order == IFD_ORDER_RAMP_OUT};
    assert_int_equal(ifd_result_close_test(res, report, &timing, &s->note), IFD_OK);
    return res;
}

static const double *column(const ifd_table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return t->value[i];
    print_error("no channel '%s'\n", name);
    fail();
    return NULL;
}

static ifd_table table_of(stand *s)
{
    ifd_table t;
    assert_int_equal(ifd_table_read(s->books, s->folder, &t, &s->note), IFD_OK);
    return t;
}

TEST_WITH(every_tick_is_a_row_at_its_instant, begin, end)
{
    stand *s = *state;
    ifd_executor_report report;
    ifd_result *res = run(s, 0, IFD_ORDER_NONE, &report);
    ifd_table t = table_of(s);
    assert_string_equal(ifd_result_outcome(res), "completed");
    assert_string_equal(t.outcome, "completed");
    assert_int_equal(t.rows, report.ticks);
    double period = ifd_hybrid_period(s->test);
    for (long i = 0; i < t.rows; i++)
        assert_near(t.wall_time[i], (double)i * period, 1e-12, "row %ld", i);
    assert_ptr_equal(column(&t, "wall time"), t.wall_time);
    const double *time = t.time, *late = column(&t, "late"), *x = column(&t, "spring deformation"),
                 *f = column(&t, "spring force");
    assert_near(time[t.rows - 1], 0.5, 1e-9, "the end");
    for (long i = 0; i < t.rows; i++) {
        assert_true(late[i] == 0);
        assert_near(f[i], tested * x[i], 1e-6, "row %ld", i);
    }
}

TEST_WITH(the_summary_tells_state_limits_and_punctuality, begin, end)
{
    stand *s = *state;
    ifd_executor_report report;
    const char *summary = ifd_result_summary(run(s, 0, IFD_ORDER_NONE, &report));
    const char *const words[] = {"\"outcome\": \"completed\"",
                                 "\"state\": \"stopped\"",
                                 "\"rig\"",
                                 "\"tracking\"",
                                 "\"granted\"",
                                 "\"fifo\": false",
                                 "\"clock\"",
                                 "\"fault\": null"};
    for (size_t k = 0; k < COUNT(words); k++)
        if (!strstr(summary, words[k])) {
            print_error("%s is not in %s\n", words[k], summary);
            fail();
        }
}

TEST_WITH(a_trip_is_told_with_tick_and_name, begin, end)
{
    stand *s = *state;
    s->channel.limits.force = 1000.0; /* reached half-way to the start at 10 mm */
    ifd_executor_report report;
    ifd_result *res = run(s, 0, IFD_ORDER_NONE, &report);
    assert_string_equal(ifd_result_outcome(res), "tripped");
    assert_int_equal(report.end, IFD_RUN_FAULT);
    ifd_trip_facts facts = ifd_hybrid_trip(s->test);
    char tick[40];
    snprintf(tick, sizeof tick, "\"tick\": %ld", facts.tick);
    assert_non_null(strstr(ifd_result_summary(res), "\"FORCE\""));
    assert_non_null(strstr(ifd_result_summary(res), tick));
    assert_non_null(strstr(ifd_result_summary(res), "\"owner\": \"spring\""));
    assert_non_null(strstr(ifd_result_summary(res), "\"limit\": 1000"));
    assert_string_equal(table_of(s).outcome, "tripped");
}

TEST_WITH(an_order_is_kept_in_the_row_of_its_tick, begin, end)
{
    stand *s = *state;
    ifd_executor_report report;
    s->opt.end = s->c.run.end = 1e6; /* never */
    s->opt.automatic = false;
    ifd_result *res = run(s, 5e-4, IFD_ORDER_TRIP, &report);
    assert_string_equal(ifd_result_outcome(res), "tripped");
    ifd_table t = table_of(s);
    const double *order = column(&t, "order");
    double all = 0;
    for (long i = 0; i < t.rows; i++)
        all += order[i];
    assert_near(all, IFD_ORDER_TRIP, 0, "the one order");
}

TESTS()
