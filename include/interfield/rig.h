/* SPDX-License-Identifier: MIT */
/* The parts of a virtual laboratory: actuators, sensors and converters.
 *
 * A part is made once and never changes; all its state is a slice of the run's flat array, so that saving, restoring
 * and replaying are a copy. A tick of length h takes it from t to t + h with its command held, or linear in time:
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
 * An actuator carries a linear specimen of its own, f = m x'' + c x' + k x; whatever else pushes back (a hysteretic
 * specimen) is the load. Linear parts are stepped exactly, by the matrix exponential. */
#ifndef INTERFIELD_RIG_H
#define INTERFIELD_RIG_H

#include <interfield/method.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_RIG_PARAMS = 24, IFD_RIG_ROWS = 6 }; /* no part has more parameters, or rows in its table of states */

typedef struct ifd_actuator ifd_actuator;
typedef struct ifd_actuator_kind ifd_actuator_kind;

/* The first doubles of an actuator's state: what it does now. */
enum {
    IFD_ACTUATOR_X, /* displacement of the specimen, m */
    IFD_ACTUATOR_V, /* m/s */
    IFD_ACTUATOR_A, /* m/s2 */
    IFD_ACTUATOR_F, /* force that the load cell feels, N */
    IFD_ACTUATOR_OWN
};

typedef struct ifd_actuator_in {
    double u;      /* command at the end of the tick, m */
    double change; /* of the command during the tick, from u - change to u; 0 holds u all the time */
    double load;   /* force of the specimen against the actuator besides m x'' + c x' + k x, N */
    bool linear;   /* probing: no saturation, backlash or friction */
} ifd_actuator_in;

struct ifd_actuator_kind {
    const char *name;
    const char *summary;  /* one line */
    const char *equation; /* plain text */
    const ifd_param *params;
    bool kinematic; /* moves as its command says, whatever pushes back: the load is measured, not followed */
    ifd_status (*make)(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    /* The state zeroed and the row X written before: the rest of being at rest at x. */
    IFD_RT void (*begin)(const ifd_actuator *a, double x, double *s);
    IFD_RT void (*step)(const ifd_actuator *a, const ifd_actuator_in *in, double *s);
    /* x / u as a continuous system at the angular rate w, without what is not linear: real and imaginary part. */
    void (*response)(const ifd_actuator *a, double w, double out[2]);
};

struct ifd_actuator {
    const ifd_actuator_kind *kind;
    double h; /* tick, s */
    int size; /* doubles of state */
    int rows;
    ifd_state_row row[IFD_RIG_ROWS];
    const void *data;
};

IFD_API extern const ifd_actuator_kind *const ifd_actuators[];
IFD_API extern const int ifd_actuator_count;
IFD_API const ifd_actuator_kind *ifd_actuator_find(const char *name);

/* values: one per parameter, checked here. */
IFD_API ifd_status ifd_actuator_make(ifd_arena *arena, const ifd_actuator_kind *kind, ifd_value *values, double h,
                                     ifd_actuator **out, ifd_note *note);
/* At rest at x, with the command that keeps it there. */
IFD_API IFD_RT void ifd_actuator_begin(const ifd_actuator *a, double x, double *s);
IFD_API IFD_RT void ifd_actuator_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s);
IFD_API void ifd_actuator_response(const ifd_actuator *a, double w, double out[2]);

/* A converter of q = quantum and the range +-r, either 0 when it does not limit. A/D clips, then rounds (half away
 * from zero); D/A rounds, then clips. */
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

/* The first doubles of a sensor's state. */
enum {
    IFD_SENSOR_VALUE, /* what it shows */
    IFD_SENSOR_TICKS, /* since begin */
    IFD_SENSOR_LOST,  /* ticks whose value was not new: dropped out or stuck */
    IFD_SENSOR_OWN
};

IFD_API extern const ifd_param ifd_sensor_params[];
IFD_API ifd_status ifd_sensor_make(ifd_arena *arena, ifd_value *values, double h, ifd_sensor **out, ifd_note *note);
IFD_API IFD_RT void ifd_sensor_begin(const ifd_sensor *c, double value, double *s);
/* One tick: truth is the value of the quantity now. linear (probing): filter and gain only. Returns what is shown. */
IFD_API IFD_RT double ifd_sensor_step(const ifd_sensor *c, double truth, bool linear, double *s);

#ifdef __cplusplus
}
#endif
#endif
