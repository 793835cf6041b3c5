/* SPDX-License-Identifier: MIT */
/* Components of a virtual rig: actuators, sensors and converters.
 *
 * A component is constant after its creation; its state is a slice of the flat array of the run, so that saving,
 * restoring and replaying are copies. A tick of length h advances it from t to t + h with its command held, or linear
 * in time:
 *
 *     const ifd_actuator_kind *kind = ifd_actuator_find("second-order");
 *     ifd_value v[IFD_RIG_PARAMS];
 *     ifd_param_preset(kind->params, v);
 *     v[ifd_param_find(kind->params, "frequency")] = ifd_number(20.0);          // Hz
 *     ifd_actuator *a;
 *     IFD_TRY(ifd_actuator_make(arena, kind, v, h, &a, note));
 *     double *s = ifd_arena_array(arena, (size_t)a->size, sizeof *s);
 *     ifd_actuator_begin(a, 0.0, s);
 *     for (each tick)
 *         ifd_actuator_step(a, &(ifd_actuator_in){.u = command, .load = specimen_force}, s);     // IFD_RT
 *     x = s[IFD_ACTUATOR_X];
 *
 * An actuator includes a linear specimen, f = m x'' + c x' + k x; other forces, such as those of a hysteretic
 * specimen, are the load. Linear components are advanced exactly, by the matrix exponential. */
#ifndef INTERFIELD_RIG_H
#define INTERFIELD_RIG_H

#include <interfield/method.h>

IFD_BEGIN_DECLS

/* Largest number of parameters, and of rows of states, of a component. */
enum { IFD_RIG_PARAMS = 24, IFD_RIG_ROWS = 6 };

typedef struct ifd_actuator ifd_actuator;
typedef struct ifd_actuator_kind ifd_actuator_kind;

/* First doubles of the state of an actuator. */
enum {
    IFD_ACTUATOR_X, /* displacement at the position sensor: that of the specimen, unless it is loose, m */
    IFD_ACTUATOR_V, /* m/s */
    IFD_ACTUATOR_A, /* m/s2 */
    IFD_ACTUATOR_F, /* force in the load cell, N */
    IFD_ACTUATOR_OWN
};

typedef struct ifd_actuator_in {
    double u;      /* command at the end of the tick, m */
    double change; /* change of the command during the tick, from u - change to u; 0: held */
    double load;   /* force of the specimen on the actuator in addition to m x'' + c x' + k x, N */
    bool linear;   /* probing: no saturation, backlash, clearance and friction */
} ifd_actuator_in;

struct ifd_actuator_kind {
    const char *name;
    const char *summary;  /* one line */
    const char *equation; /* plain text */
    const ifd_param *params;
    bool kinematic; /* follows its command independently of the load */
    ifd_status (*make)(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    /* Called with a zero state and row X set: sets the other rows for rest at x. */
    IFD_RT void (*begin)(const ifd_actuator *a, double x, double *s);
    IFD_RT void (*step)(const ifd_actuator *a, const ifd_actuator_in *in, double *s);
    /* x / u as a continuous system at the angular rate w, linear parts only: real and imaginary part. */
    void (*response)(const ifd_actuator *a, double w, double out[2]);
};

struct ifd_actuator {
    const ifd_actuator_kind *kind;
    double h; /* tick, s */
    int size; /* doubles of state */
    int rows;
    ifd_state_row row[IFD_RIG_ROWS];
    const void *data;
    double mass;            /* kg on which the load acts, for kinds that are not kinematic; 0: unknown */
    double play, clearance; /* m, between position sensor and specimen */
    int loose;              /* offset of the motion of a specimen behind them; 0: it is that of the sensor */
};

IFD_API extern const ifd_actuator_kind *const ifd_actuators[];
IFD_API extern const int ifd_actuator_count;
IFD_API const ifd_actuator_kind *ifd_actuator_find(const char *name);

/* values: one per parameter, checked here. */
IFD_API ifd_status ifd_actuator_make(ifd_arena *arena, const ifd_actuator_kind *kind, ifd_value *values, double h,
                                     ifd_actuator **out, ifd_note *note);
/* Starts at rest at x, with the command for x. */
IFD_API IFD_RT void ifd_actuator_begin(const ifd_actuator *a, double x, double *s);
IFD_API IFD_RT void ifd_actuator_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s);
/* Position, velocity and acceleration of the specimen. */
IFD_API IFD_RT const double *ifd_actuator_specimen(const ifd_actuator *a, const double *s);
IFD_API void ifd_actuator_response(const ifd_actuator *a, double w, double out[2]);

/* A converter with step q = quantum and range +-r; 0: unlimited. A/D clips, then rounds (half away from zero); D/A
 * rounds, then clips. */
typedef struct ifd_converter {
    double quantum, range;
} ifd_converter;

IFD_API IFD_RT double ifd_converter_in(ifd_converter c, double value);  /* A/D */
IFD_API IFD_RT double ifd_converter_out(ifd_converter c, double value); /* D/A */

/* A measuring chain: anti-alias filter, gain, bias, drift, white noise, saturation and rounding, dropout, stuck
 * value. */
typedef struct ifd_sensor {
    double h; /* s */
    int size;
    int rows;
    ifd_state_row row[IFD_RIG_ROWS];
    const void *data;
} ifd_sensor;

/* First doubles of the state of a sensor. */
enum {
    IFD_SENSOR_VALUE, /* displayed value */
    IFD_SENSOR_TICKS, /* since begin */
    IFD_SENSOR_LOST,  /* ticks without a new value: dropped out or stuck */
    IFD_SENSOR_OWN
};

IFD_API extern const ifd_param ifd_sensor_params[];
IFD_API ifd_status ifd_sensor_make(ifd_arena *arena, ifd_value *values, double h, ifd_sensor **out, ifd_note *note);
IFD_API IFD_RT void ifd_sensor_begin(const ifd_sensor *c, double value, double *s);
/* One tick: truth is the actual value of the quantity. linear (probing): filter and gain only. Returns the displayed
 * value. */
IFD_API IFD_RT double ifd_sensor_step(const ifd_sensor *c, double truth, bool linear, double *s);

IFD_END_DECLS
#endif
