/* SPDX-License-Identifier: MIT */
/* Every number of every table row (elements, signals, methods, actuators, sensors, compensations, extrapolators,
 * rigs) has a range with two ends, and the reader keeps to it: what lies at an end is read; what lies beyond it, what
 * is no number and what is smaller than its dimension permits are refused with file, line, value, range and unit. */
#include <interfield/compensator.h>
#include <interfield/element.h>
#include <interfield/extrapolate.h>
#include <interfield/fmu.h>
#include <interfield/method.h>
#include <interfield/rig.h>
#include <interfield/signal.h>

#include <math.h>
#include <string.h>

#include "check.h"
#include "fixture.h"
#include "record/files.h"
#include "case/keys.h"
#include "text/yaml.h"
#include "case/rig/rigs.h"

enum { MOST_PARAMS = 64 };

static int rows, numbers;

static bool is_number(const ifd_param *p)
{
    return p->shape == IFD_SHAPE_SCALAR || p->shape == IFD_SHAPE_LIST || p->shape == IFD_SHAPE_MATRIX ||
           p->shape == IFD_SHAPE_CHOICE;
}

/* The first finding of what is read from {name: text}, in the shape the parameter has; NULL: it is accepted. */
static const ifd_finding *said_of(ifd_arena *a, const ifd_param *p, const char *text)
{
    static const char *const form[] = {[IFD_SHAPE_SCALAR] = "# a comment\n%s: %s\n",
                                       [IFD_SHAPE_LIST] = "# a comment\n%s: [%s]\n",
                                       [IFD_SHAPE_MATRIX] = "# a comment\n%s: [[%s]]\n",
                                       [IFD_SHAPE_CHOICE] = "# a comment\n%s: %s\n"};
    const ifd_param one[] = {*p, {0}};
    ifd_value value[1];
    ifd_note n;
    ifd__yaml doc;
    ifd_note_init(&n, a);
    const char *path = files_write("key.yaml", ifd_arena_print(a, form[p->shape], p->name, text));
    assert_int_equal(ifd__yaml_read_from(NULL, a, path, &doc, &n), IFD_OK);
    ifd__settings ask = {.map = doc.root, .params = one, .any = IFD_DIM_ANY, .what = "row"};
    ifd_status status = ifd__yaml_params(a, &ask, value, &n);
    assert_int_equal(status == IFD_OK, n.errors == 0);
    return n.errors ? n.first : NULL;
}

static void refused(const char *owner, const ifd_param *p, const char *text, const char *expected)
{
    ifd_arena *a = ifd_arena_open();
    const ifd_finding *e = said_of(a, p, text);
    if (!e || !strstr(e->text, expected))
        fail_msg("%s: '%s: %s' gives '%s', expected '%s'", owner, p->name, text, e ? e->text : "nothing", expected);
    assert_int_equal(e->place.line, 2);
    assert_non_null(strstr(e->place.file, "key.yaml"));
    ifd_arena_close(a);
}

static void accepted(const char *owner, const ifd_param *p, double x)
{
    ifd_arena *a = ifd_arena_open();
    const ifd_finding *e = said_of(a, p, ifd_arena_print(a, "%.17g", x));
    if (e)
        fail_msg("%s: '%s' at %g, inside its range: %s", owner, p->name, x, e->text);
    ifd_arena_close(a);
}

static double beyond(double x, double direction)
{
    return x == 0 ? direction : x + direction * 1e-6 * fabs(x);
}

static void try_ends(const char *owner, const ifd_param *p)
{
    ifd_arena *a = ifd_arena_open();
    const char *units = p->dim == IFD_DIM_NONE || p->dim == IFD_DIM_ANY ? "" : ifd_dimension_units(p->dim);
    const char *expected = ifd_arena_print(a, "expected %g to %g%s%.*s", p->min, p->max, *units ? " " : "",
                                           (int)strcspn(units, ","), units);
    /* Where the dimension ends before the range does, its message is as good. */
    for (int side = 0; side < 2; side++) {
        double end = side ? p->max : p->min, least, most;
        ifd__yaml_magnitude(p->dim, &least, &most);
        if (fabs(end) > most || (end != 0 && fabs(end) < least))
            fail_msg("%s: '%s' ends at %g, which its dimension does not permit", owner, p->name, end);
        accepted(owner, p, end);
        accepted(owner, p, end == 0 ? end : end - (side ? 1 : -1) * 1e-6 * fabs(end));
        bool list = p->shape == IFD_SHAPE_LIST || p->shape == IFD_SHAPE_MATRIX;
        double outside = beyond(end, side ? 1 : -1);
        refused(owner, p, ifd_arena_print(a, "%.17g", outside), list && fabs(outside) > most ? "expected" : expected);
    }
    refused(owner, p, "1e-300", "expected");
    refused(owner, p, "1e300", "expected");
    refused(owner, p, "-1e300", "expected");
    refused(owner, p, ".nan", "not a finite number");
    refused(owner, p, ".inf", "not a finite number");
    refused(owner, p, "-.inf", "not a finite number");
    ifd_arena_close(a);
}

static void walk(const char *kind, const char *name, const ifd_param *params)
{
    char owner[96];
    snprintf(owner, sizeof owner, "%s '%s'", kind, name);
    rows++;
    assert_true(ifd_param_count(params) < MOST_PARAMS);
    for (const ifd_param *p = params; p->name; p++) {
        if (!is_number(p))
            continue;
        if (p->range != IFD_RANGE_WITHIN || !(p->min < p->max) || !isfinite(p->min) || !isfinite(p->max))
            fail_msg("%s: '%s' has no range: its row needs IFD_WITHIN(low, high)", owner, p->name);
        bool list = p->shape == IFD_SHAPE_LIST || p->shape == IFD_SHAPE_MATRIX;
        if (!p->required && !list && p->preset != 0 && !(p->preset >= p->min && p->preset <= p->max))
            fail_msg("%s: '%s' is %g when it is not given, outside its range", owner, p->name, p->preset);
        numbers++;
        if (!ifd__param_hidden(p))
            try_ends(owner, p);
    }
}

TEST(every_number_of_every_row_has_a_range_with_two_ends)
{
    for (int i = 0; i < ifd_element_count; i++)
        walk("element", ifd_elements[i]->name, ifd_elements[i]->params);
    for (int i = 0; i < ifd_signal_kind_count; i++)
        walk("signal", ifd_signal_kinds[i]->name, ifd_signal_kinds[i]->params);
    for (int i = 0; i < ifd_method_count; i++)
        walk("method", ifd_methods[i]->name, ifd_methods[i]->params);
    for (int i = 0; i < ifd_actuator_count; i++)
        walk("actuator", ifd_actuators[i]->name, ifd_actuators[i]->params);
    for (int i = 0; i < ifd_compensator_count; i++)
        walk("compensation", ifd_compensators[i]->name, ifd_compensators[i]->params);
    for (int i = 0; i < ifd_extrapolator_count; i++)
        walk("extrapolator", ifd_extrapolators[i]->name, ifd_extrapolators[i]->params);
    for (int i = 0; ifd__rigs[i]; i++)
        walk("rig", ifd__rigs[i]->name, ifd__rigs[i]->params);
    walk("sensor", "sensor", ifd_sensor_params);
    walk("element", "fmu", ifd_fmu_element.params);
    walk("actuator", "fmu", ifd_fmu_actuator.params);
    print_message("%d rows, %d numbers\n", rows, numbers);
    assert_true(rows > 60 && numbers > 150);
}

/* 1.2e-17 is the sine of 3.14159... that a program wrote; alone it is a wrong unit. */
TEST(a_sample_of_rounding_is_read_as_it_is)
{
    const ifd_signal_kind *table = ifd_signal_find("table");
    const ifd_param *values = &table->params[ifd_param_find(table->params, "values")],
                    *times = &table->params[ifd_param_find(table->params, "times")];
    ifd_arena *a = ifd_arena_open();
    assert_null(said_of(a, values, "0, 1, 1.2e-31, -1e-300"));
    assert_non_null(said_of(a, values, "0, 1.2e-31"));
    assert_non_null(said_of(a, times, "0, 1e-17, 1"));
    ifd_arena_close(a);
}

TESTS_WITH(files_open, files_close)
