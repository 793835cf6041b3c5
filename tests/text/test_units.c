/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <interfield/arena.h>

#include "text/units.h"

#include <locale.h>
#include <string.h>

#define PI 3.14159265358979323846

TEST(quantities_become_si)
{
    static const struct {
        const char *text;
        ifd_dimension dim;
        double expected;
    } row[] = {
        {"1 ms", IFD_DIM_TIME, 0.001},
        {"3ms", IFD_DIM_TIME, 0.003},
        {"7 us", IFD_DIM_TIME, 7e-6},
        {"7 µs", IFD_DIM_TIME, 7e-6},
        {"2 min", IFD_DIM_TIME, 120},
        {"0.2 g", IFD_DIM_ACCELERATION, 0.2 * 9.80665},
        {"981 cm/s2", IFD_DIM_ACCELERATION, 9.81},
        {"981 cm/s/s", IFD_DIM_ACCELERATION, 9.81},
        {"100 Gal", IFD_DIM_ACCELERATION, 1},
        {"10 in/s2", IFD_DIM_ACCELERATION, 0.254},
        {"9.81 m/s^2", IFD_DIM_ACCELERATION, 9.81},
        {"9.81 m s^-2", IFD_DIM_ACCELERATION, 9.81},
        {"9.81 m/s²", IFD_DIM_ACCELERATION, 9.81},
        {"30 GPa", IFD_DIM_PRESSURE, 30e9},
        {"30e3 N/mm2", IFD_DIM_PRESSURE, 30e9},
        {"5 t", IFD_DIM_MASS, 5000},
        {"5 kN s2/m", IFD_DIM_MASS, 5000},
        {"9.80665 kN/g", IFD_DIM_MASS, 1000},
        {"6.67e7 N/m", IFD_DIM_STIFFNESS, 6.67e7},
        {"6.67e+1 kN/mm", IFD_DIM_STIFFNESS, 6.67e7},
        {"2.5 t/m3", IFD_DIM_DENSITY, 2500},
        {"12 Hz", IFD_DIM_FREQUENCY, 12},
        {"12", IFD_DIM_FREQUENCY, 12},
        {"6 rad/s", IFD_DIM_FREQUENCY, 6 / (2 * PI)},
        {"360 deg/s", IFD_DIM_FREQUENCY, 1},
        {"12 1/s", IFD_DIM_FREQUENCY, 12},
        {"12 Hz", IFD_DIM_ANGULAR_RATE, 24 * PI},
        {"1.5 rad/s", IFD_DIM_ANGULAR_RATE, 1.5},
        {"30 rpm", IFD_DIM_ANGULAR_RATE, PI},
        {"10 %", IFD_DIM_NONE, 0.1},
        {"10%", IFD_DIM_NONE, 0.1},
        {"60 deg", IFD_DIM_ANGLE, PI / 3},
        {"60°", IFD_DIM_ANGLE, PI / 3},
        {"-0.5", IFD_DIM_ANGLE, -0.5},
        {"12 mm", IFD_DIM_LENGTH, 0.012},
        {"2 in", IFD_DIM_LENGTH, 0.0508},
        {"12 kN", IFD_DIM_FORCE, 12000},
        {"1.5 MN", IFD_DIM_FORCE, 1.5e6},
        {"2 kip", IFD_DIM_FORCE, 2 * 4448.2216152605},
        {"40 N s/m", IFD_DIM_DAMPING, 40},
        {"40 N·s/m", IFD_DIM_DAMPING, 40},
        {"40 N*s/m", IFD_DIM_DAMPING, 40},
        {"40 Ns/m", IFD_DIM_DAMPING, 40},
        {"40 N/(m/s)", IFD_DIM_DAMPING, 40},
        {"2 kN s/m", IFD_DIM_DAMPING, 2000},
        {"3 kg m2", IFD_DIM_ROTATIONAL_INERTIA, 3},
        {"3 kN m/rad", IFD_DIM_ROTATIONAL_STIFFNESS, 3000},
        {"3 kNm/rad", IFD_DIM_ROTATIONAL_STIFFNESS, 3000},
        {"3 kN m", IFD_DIM_MOMENT, 3000},
        {"3 J", IFD_DIM_ENERGY, 3},
        {"8e4 cm4", IFD_DIM_INERTIA, 8e-4},
        {"5 t/m", IFD_DIM_MASS_PER_LENGTH, 5000},
        {"0.01 g2/Hz", IFD_DIM_SPECTRAL_ACCELERATION, 0.01 * 9.80665 * 9.80665},
        {"5 kN/m3", IFD_DIM_ANY, 5000},
        {".5", IFD_DIM_NONE, 0.5},
        {"+5.", IFD_DIM_NONE, 5},
        {"1D-3", IFD_DIM_NONE, 1e-3},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        double x = (double)NAN;
        assert_int_equal(ifd__quantity_read(row[i].text, row[i].dim, "x", NULL, &x, NULL), IFD_OK);
        assert_near_rel(x, row[i].expected, 4e-16, "%s", row[i].text);
    }
}

TEST(decimal_prefixes_give_the_nearest_double)
{
    for (int i = 1; i < 2000; i++) {
        char text[16];
        double x;
        snprintf(text, sizeof text, "%d ms", i);
        assert_int_equal(ifd__quantity_read(text, IFD_DIM_TIME, "x", NULL, &x, NULL), IFD_OK);
        assert_true(x == i / 1000.0);
    }
}

TEST(errors_say_what_was_found_and_expected)
{
    static const struct {
        const char *text;
        ifd_dimension dim;
        ifd_status code;
        const char *says, *hint;
    } row[] = {
        {"3 mm", IFD_DIM_FORCE, IFD_UNIT, "found a length (mm), expected a force (N, kN, MN)", NULL},
        {"3 g", IFD_DIM_MASS, IFD_UNIT, "found an acceleration (g), expected a mass (kg, t)",
         "acceleration of gravity"},
        {"3 KN", IFD_DIM_FORCE, IFD_UNIT, "unknown unit 'KN'", "did you mean 'kN'?"},
        {"3 Kn/m", IFD_DIM_STIFFNESS, IFD_UNIT, "unknown unit 'Kn'", "did you mean 'kN/m'?"},
        {"3 sec", IFD_DIM_TIME, IFD_UNIT, "unknown unit 'sec'", NULL},
        {"3 N/", IFD_DIM_FORCE, IFD_UNIT, "unknown unit", NULL},
        {"3 m^", IFD_DIM_LENGTH, IFD_UNIT, "unknown unit", NULL},
        {"3 m22", IFD_DIM_LENGTH, IFD_UNIT, "unknown unit", NULL},
        {"3 (m", IFD_DIM_LENGTH, IFD_UNIT, "unknown unit", NULL},
        {"3 ((((m))))", IFD_DIM_LENGTH, IFD_UNIT, "unknown unit", NULL},
        {"3 m)", IFD_DIM_LENGTH, IFD_UNIT, "unknown unit", NULL},
        {"3 4", IFD_DIM_LENGTH, IFD_UNIT, "unknown unit '4'", NULL},
        {"1,5", IFD_DIM_LENGTH, IFD_NUMBER, "found '1,5', expected a decimal point, not a comma", NULL},
        {"0,002 s", IFD_DIM_TIME, IFD_NUMBER, "expected a decimal point", NULL},
        {"3 m/s", IFD_DIM_NONE, IFD_UNIT, "found a velocity (m/s), expected a plain number", NULL},
        {"abc", IFD_DIM_LENGTH, IFD_NUMBER, "found 'abc', expected a length (m, cm, mm)", NULL},
        {"", IFD_DIM_NONE, IFD_NUMBER, "found '', expected a plain number", NULL},
        {"kN", IFD_DIM_FORCE, IFD_NUMBER, "found 'kN'", NULL},
        {"-", IFD_DIM_FORCE, IFD_NUMBER, "found '-'", NULL},
        {".", IFD_DIM_FORCE, IFD_NUMBER, "found '.'", NULL},
        {"nan", IFD_DIM_NONE, IFD_NOT_FINITE, "not a finite number", NULL},
        {".nan", IFD_DIM_NONE, IFD_NOT_FINITE, "not a finite number", NULL},
        {"-.inf", IFD_DIM_NONE, IFD_NOT_FINITE, "not a finite number", NULL},
        {"Infinity", IFD_DIM_NONE, IFD_NOT_FINITE, "not a finite number", NULL},
        {"1e400", IFD_DIM_NONE, IFD_NOT_FINITE, "too large", NULL},
        {"1e308 GPa", IFD_DIM_PRESSURE, IFD_NOT_FINITE, "too large", NULL},
    };
    ifd_arena *arena = ifd_arena_open();
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_note note;
        ifd_note_init(&note, arena);
        double x;
        assert_int_equal(ifd__quantity_read(row[i].text, row[i].dim, "x", NULL, &x, &note), row[i].code);
        assert_int_equal(note.errors, 1);
        if (!strstr(note.first->text, row[i].says))
            fail_msg("'%s': '%s' does not say '%s'", row[i].text, note.first->text, row[i].says);
        if (row[i].hint && (!note.first->hint || !strstr(note.first->hint, row[i].hint)))
            fail_msg("'%s': hint '%s' does not say '%s'", row[i].text, note.first->hint, row[i].hint);
    }
    ifd_arena_close(arena);
}

TEST(numbers_stop_where_the_next_begins)
{
    const char *text = "-.1234567E-03-.2345678D-03 7", *at = text;
    double x;
    assert_true(ifd__number_read(&at, text + strlen(text), &x));
    assert_near(x, -.1234567e-3, 0, "first");
    assert_true(ifd__number_read(&at, text + strlen(text), &x));
    assert_near(x, -.2345678e-3, 0, "second");
    assert_false(ifd__number_read(&at, text + strlen(text), &x));
    assert_int_equal(at - text, 26);
    at = "12345";
    const char *end = at + 3;
    assert_true(ifd__number_read(&at, end, &x));
    assert_near(x, 123, 0, "up to the limit");
}

TEST(numbers_do_not_depend_on_the_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "it_IT.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < COUNT(names) && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    double x;
    assert_int_equal(ifd__quantity_read("1.5 kN", IFD_DIM_FORCE, "x", NULL, &x, NULL), IFD_OK);
    setlocale(LC_NUMERIC, "C");
    assert_near(x, 1500, 0, "1.5 kN");
    if (!found)
        skip(); /* no locale with a decimal comma is installed */
}

TESTS()
