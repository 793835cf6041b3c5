/* SPDX-License-Identifier: MIT */
/* Parameters of a table row (an element, a signal, a method).
 *
 * A row has a list of ifd_param; a row without a name ends it. The case reader, `interfield list` and the
 * documentation use that list. The make function of the row receives an array of ifd_value in the same order, one per
 * parameter:
 *
 *     typedef struct spring {
 *         double k, power;
 *         int form;
 *     } spring;
 *     static const ifd_param spring_params[] = {
 *         IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, stiffness", IFD_AT(spring, k)),
 *         IFD_OPTION("exponent", NONE, 1, 9, 1, "the power", IFD_AT(spring, power)),
 *         IFD_WORD("shape", "half-sine|rectangle", "form of the pulse", IFD_AT(spring, form)),
 *         {0}};
 *
 *     ifd_value v[3];
 *     ifd_param_preset(spring_params, v);                           // presets, given = false
 *     v[ifd_param_find(spring_params, "stiffness")] = ifd_number(2e5);
 *     IFD_TRY(ifd_param_check(spring_params, v, "spring", &place, note));
 *     ifd_param_store(spring_params, v, &s);                        // spring s: members of the rows with IFD_AT
 *
 * Numbers are in SI units: m, kg, s, N, rad. A frequency (IFD_DIM_FREQUENCY) is in Hz = cycles per second;
 * IFD_DIM_ANGULAR_RATE is in rad/s. */
#ifndef INTERFIELD_PARAM_H
#define INTERFIELD_PARAM_H

#include <stdbool.h>
#include <stddef.h>

#include <interfield/status.h>

IFD_BEGIN_DECLS

/* Physical dimensions: name, text, exponents of m, kg, s, suggested units. Angles are plain numbers. ANY is for a
 * dimension that depends on use, such as the amplitude of a signal. The reader substitutes the dimension, or accepts
 * any unit if there is none. */
#define IFD_DIMENSION_LIST(X)                                                                                        \
    X(NONE, "a plain number", 0, 0, 0, "no unit, or %")                                                              \
    X(LENGTH, "a length", 1, 0, 0, "m, cm, mm")                                                                      \
    X(TIME, "a time", 0, 0, 1, "s, ms, us")                                                                          \
    X(MASS, "a mass", 0, 1, 0, "kg, t")                                                                              \
    X(FORCE, "a force", 1, 1, -2, "N, kN, MN")                                                                       \
    X(STIFFNESS, "a stiffness", 0, 1, -2, "N/m, kN/m, N/mm")                                                         \
    X(DAMPING, "a damping coefficient", 0, 1, -1, "N s/m, kN s/m")                                                   \
    X(ACCELERATION, "an acceleration", 1, 0, -2, "m/s2, g, cm/s2, in/s2")                                            \
    X(VELOCITY, "a velocity", 1, 0, -1, "m/s, mm/s")                                                                 \
    X(FREQUENCY, "a frequency", 0, 0, -1, "Hz, kHz")                                                                 \
    X(ANGLE, "an angle", 0, 0, 0, "rad, deg")                                                                        \
    X(ANGULAR_RATE, "an angular rate", 0, 0, -1, "rad/s, deg/s")                                                     \
    X(ANGULAR_ACCELERATION, "an angular acceleration", 0, 0, -2, "rad/s2, deg/s2")                                   \
    X(PRESSURE, "a pressure or modulus", -1, 1, -2, "Pa, MPa, GPa")                                                  \
    X(DENSITY, "a mass density", -3, 1, 0, "kg/m3, t/m3")                                                            \
    X(AREA, "an area", 2, 0, 0, "m2, cm2, mm2")                                                                      \
    X(INERTIA, "a second moment of area", 4, 0, 0, "m4, cm4, mm4")                                                   \
    X(ROTATIONAL_INERTIA, "a rotational inertia", 2, 1, 0, "kg m2")                                                  \
    X(ROTATIONAL_STIFFNESS, "a rotational stiffness", 2, 1, -2, "N m/rad, kN m/rad")                                 \
    X(ROTATIONAL_DAMPING, "a rotational damping coefficient", 2, 1, -1, "N m s/rad")                                 \
    X(MASS_PER_LENGTH, "a mass per length", -1, 1, 0, "kg/m, t/m")                                                   \
    X(MOMENT, "a moment", 2, 1, -2, "N m, kN m")                                                                     \
    X(ENERGY, "an energy", 2, 1, -2, "J, kJ")                                                                        \
    X(SPECTRAL_ACCELERATION, "a power spectral density of acceleration", 2, 0, -3, "m2/s3")                          \
    X(ANY, "a quantity of any unit", 0, 0, 0, "any unit")                                                            \
    X(FORCE_PER_LENGTH, "a force per length", 0, 1, -2, "N/m, kN/m")

typedef enum ifd_dimension {
#define IFD_DIMENSION_ENUM(name, text, m, kg, s, units) IFD_DIM_##name,
    IFD_DIMENSION_LIST(IFD_DIMENSION_ENUM)
#undef IFD_DIMENSION_ENUM
        IFD_DIM_COUNT
} ifd_dimension;

/* "a length"; "m, cm, mm". */
IFD_API const char *ifd_dimension_text(ifd_dimension dim);
IFD_API const char *ifd_dimension_units(ifd_dimension dim);

/* Syntax of a parameter and its members of ifd_value. */
typedef enum ifd_shape {
    IFD_SHAPE_SCALAR, /* one number                                     value.number             */
    IFD_SHAPE_LIST,   /* numbers                                        value.data[cols], rows 1 */
    IFD_SHAPE_MATRIX, /* rows of equally many numbers, stored by rows   value.data[rows * cols]  */
    IFD_SHAPE_WORD,   /* one of words; the first is the preset          value.word, value.number = its index */
    IFD_SHAPE_FLAG,   /* yes or no                                      value.number 0 or 1      */
    IFD_SHAPE_CHOICE, /* a number, or a word instead of a number         value.word or else value.number */
    IFD_SHAPE_TEXT    /* free text: a name, a file                      value.word               */
} ifd_shape;

/* Permitted numbers, for every entry of a list or matrix. */
typedef enum ifd_range {
    IFD_RANGE_FREE,
    IFD_RANGE_POSITIVE,
    IFD_RANGE_NOT_NEGATIVE,
    IFD_RANGE_WITHIN /* min <= x <= max */
} ifd_range;

/* Both bounds of the range, in SI units. A test requires bounds for every number in the tables of the library. They
 * are wide: physically possible, not usual. A range from 0 permits 0, but no positive value below the smallest of its
 * dimension. */
#define IFD_WITHIN(low, high) .range = IFD_RANGE_WITHIN, .min = (low), .max = (high)

/* The member of a struct that a scalar, word or flag is stored in: a double, an int or a bool. For C. */
typedef enum ifd_member { IFD_MEMBER_NONE, IFD_MEMBER_DOUBLE, IFD_MEMBER_INT, IFD_MEMBER_BOOL } ifd_member;
#define IFD_AT(type, its_member)                                                                                     \
    .as = _Generic(((type *)0)->its_member, double                                                                   \
                   : IFD_MEMBER_DOUBLE, int                                                                          \
                   : IFD_MEMBER_INT, bool                                                                            \
                   : IFD_MEMBER_BOOL),                                                                               \
    .at = offsetof(type, its_member)

/* Rows: a number that must be given; one with a preset; numbers; a text, a word or a flag. The sentence of the row
 * comes last, with further members after it, such as IFD_AT. */
#define IFD_NEEDED(its_name, its_dim, low, high, ...)                                                                \
    {                                                                                                                \
        .name = (its_name), .dim = IFD_DIM_##its_dim, .required = true, IFD_WITHIN(low, high), .doc = __VA_ARGS__    \
    }
#define IFD_OPTION(its_name, its_dim, low, high, its_preset, ...)                                                    \
    {                                                                                                                \
        .name = (its_name), .dim = IFD_DIM_##its_dim, .preset = (its_preset), IFD_WITHIN(low, high),                 \
        .doc = __VA_ARGS__                                                                                           \
    }
#define IFD_LIST(its_name, its_dim, low, high, ...)                                                                  \
    {                                                                                                                \
        .name = (its_name), .dim = IFD_DIM_##its_dim, .shape = IFD_SHAPE_LIST, IFD_WITHIN(low, high),                \
        .doc = __VA_ARGS__                                                                                           \
    }
#define IFD_MATRIX(its_name, its_dim, low, high, ...)                                                                \
    {                                                                                                                \
        .name = (its_name), .dim = IFD_DIM_##its_dim, .shape = IFD_SHAPE_MATRIX, IFD_WITHIN(low, high),              \
        .doc = __VA_ARGS__                                                                                           \
    }
#define IFD_TEXT(its_name, ...)                                                                                      \
    {                                                                                                                \
        .name = (its_name), .shape = IFD_SHAPE_TEXT, .doc = __VA_ARGS__                                              \
    }
#define IFD_WORD(its_name, its_words, ...)                                                                           \
    {                                                                                                                \
        .name = (its_name), .shape = IFD_SHAPE_WORD, .words = (its_words), .doc = __VA_ARGS__                        \
    }
#define IFD_FLAG(its_name, ...)                                                                                      \
    {                                                                                                                \
        .name = (its_name), .shape = IFD_SHAPE_FLAG, .doc = __VA_ARGS__                                              \
    }

typedef struct ifd_param {
    const char *name; /* as in a case file; NULL ends the list */
    ifd_dimension dim;
    ifd_shape shape;
    bool required;
    bool file;         /* of a matrix: rows [time, value], or the name of a file with two columns. Of a text of a rig
                    * plug-in: the name of a file, which the reader makes relative to the case and records with it */
    unsigned char as;  /* ifd_member: what is at the offset `at` of the struct that ifd_param_store fills */
    unsigned short at; /* IFD_AT sets both */
    double preset; /* of a scalar or flag not given; of a matrix: the last number of a row without it, 0: refused */
    ifd_range range;
    double min, max;
    const char
        *words;      /* permitted words, "half-sine|rectangle". Of a matrix with IFD_DIM_ANY: SI units of its columns,
                        * "s|N|1"; an empty one, and columns beyond the last, have any unit */
    const char *doc; /* one sentence without its full stop */
} ifd_param;

typedef struct ifd_value {
    double number; /* SI */
    int rows, cols;
    const double *data; /* SI, by rows; for a hashed file of an FMU its descriptor, in one number */
    const char *word;
    ifd_place place;
    bool given;
} ifd_value;

/* Values set by a program: given is true, without place. */
IFD_API ifd_value ifd_number(double number);
IFD_API ifd_value ifd_word(const char *word);
IFD_API ifd_value ifd_flag(bool on);
IFD_API ifd_value ifd_list(const double *data, int count);
IFD_API ifd_value ifd_matrix(const double *data, int rows, int cols);

/* Number of parameters before the end row; index of a name, or -1. */
IFD_API int ifd_param_count(const ifd_param *params);
IFD_API int ifd_param_find(const ifd_param *params, const char *name);

/* Writes the preset of every parameter to values, given = false. */
IFD_API void ifd_param_preset(const ifd_param *params, ifd_value *values);

/* The value of a parameter by its name, which must be in the list (assert). */
IFD_API const ifd_value *ifd_param_get(const ifd_param *params, const ifd_value *values, const char *name);

/* Stores the values in the members of *out that the rows name. Other members are left as they are. */
IFD_API void ifd_param_store(const ifd_param *params, const ifd_value *values, void *out);

/* Checks required, range, finiteness and choice of every value and writes the index of each word into its number.
 * what is the owner in messages ("signal 'sine'"); place is its location, for missing parameters. Adds every error to
 * note and returns the code of the first. */
IFD_API ifd_status ifd_param_check(const ifd_param *params, ifd_value *values, const char *what,
                                   const ifd_place *place, ifd_note *note);

/* Reads a number with an optional unit of dim, in SI; the text must end there. what is the name in messages
 * ("--step"). Errors: IFD_NUMBER, IFD_NOT_FINITE, IFD_UNIT. */
IFD_API ifd_status ifd_quantity_read(const char *text, ifd_dimension dim, const char *what, double *out,
                                     ifd_note *note);

/* Reads a number, word or flag by its row. Lists and matrices are refused. */
IFD_API ifd_status ifd_param_read(const ifd_param *p, const char *text, const char *what, ifd_value *out,
                                  ifd_note *note);

/* The index of word among choices "a|b|c", or -1. */
IFD_API int ifd_choice_find(const char *choices, const char *word);

/* Copies the choice most similar to word to out ("" if none is similar); returns whether there is one. */
IFD_API bool ifd_choice_nearest(const char *choices, const char *word, char *out, int out_size);

/* Adds the hint "did you mean '...'?" and the line "known: ..." to the last error of note. */
IFD_API void ifd_choice_hint(ifd_note *note, const char *choices, const char *word);

/* Adds the error IFD_UNKNOWN_CHOICE, with a hint, for a word not among the choices of parameter name of what. */
IFD_API ifd_status ifd_choice_note(ifd_note *note, const ifd_place *place, const char *what, const char *name,
                                   const char *choices, const char *word);

IFD_END_DECLS
#endif
