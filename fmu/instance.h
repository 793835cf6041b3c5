/* SPDX-License-Identifier: MIT */
/* An instance, internal to the runtime: the data from the image, and the block that contains all state. */
#pragma once

#include <interfield/method.h>
#include <xmmintrin.h>

#include "algebra/factors.h"
#include "base/state_block.h"
#include "fmi/image.h"
#include "method/stepper.h"
#include "method/tangent.h"
#include "model/dof_pair.h"
#include "model/serialise.h"
#include "runtime.h"

/* Reads resources/model.bin (layout in fmi/image.h). */

typedef struct fmu_row {
    ifd__ends ends;
    double devices; /* number of devices; the input is the force of one */
} fmu_row;

typedef struct fmu_variable {
    ifd__fmu_class kind;
    int index;
    double start;
    ifd_range range; /* of inputs and parameters, with min and max */
    double min, max;
} fmu_variable;

typedef struct fmu_image {
    ifd_arena *arena; /* of the following members */
    unsigned char *bytes;
    size_t length, body; /* start of factors and model */
    uint64_t identity;   /* hash of the token */
    int dofs, coordinates, rows, grounds, channels, tunables, variables;
    const fmu_row *row;
    const int *ground; /* directions */
    const ifd__fmu_channel *channel;
    const ifd__fmu_tunable *tunable;
    const fmu_variable *variable;
} fmu_image;

/* resources: a folder, or a file: URI of one. */
bool fmu_image_open(fmu_image *image, const char *resources, const char *token, const char **why);
void fmu_image_close(fmu_image *image);
/* Model and options of the method, in an arena. */
bool fmu_image_model(const fmu_image *image, ifd_arena *arena, ifd__change_values *change, void *who, ifd_model **m,
                     ifd_step_options *opt);

/* The head of the block. The following parts are: inputs, parameters, the state of the method, the compliance, the
 * forces last used, the ground at the last communication point, the impulse of forces in an incomplete step, and the
 * values observed in it. part: fraction of the next step at the communication point; 0: on the grid. */
#define FMU_HEAD(ONE, MANY, BLOCK)                                                                                   \
    ONE(mode, "1", OF_TEST) ONE(steps, "1", OF_TEST) ONE(base, "s", OF_TEST) ONE(part, "1", OF_TEST)
IFD__STATE_BLOCK(fmu_head, FMU_HEAD);

struct fmu {
    fmu_image image;
    ifd_arena *arena; /* of all data that depend on the parameters */
    ifd_stepper *s;
    ifd__tangent *mass;
    int inputs, parameters, size; /* of the block */
    double *block;
    double *load, *a, *g, *w, *du; /* scratch */
    double *q, *r;                 /* of the elements: deformation and force */
    double *G;                     /* the compliance, during its computation */
    double *jump;                  /* change of the forces */
    double *force;                 /* forces that act in a step */
    double from, to;               /* s: the present communication step */
    double *built;                 /* parameters of the present model */
    double *other;                 /* a second block, for the compliance */
    bool stale;                    /* accelerations do not match the present state and inputs */
    bool elements_stale;           /* q and r do not match the present state */
    const char *why;
};

/* Sets the floating-point mode of the engine: round to nearest, denormals kept, all exceptions masked. Returns the
 * mode of the caller, for _mm_setcsr. */
static inline unsigned fmu_arithmetic(void)
{
    unsigned was = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return was;
}

/* The parts of the block. */
static inline fmu_head *fmu_head_of(const fmu *f)
{
    return (fmu_head *)f->block;
}

static inline double *fmu_inputs(const fmu *f)
{
    return f->block + IFD__DOUBLES(fmu_head);
}

static inline double *fmu_parameters(const fmu *f)
{
    return fmu_inputs(f) + f->inputs;
}

static inline double *fmu_state(const fmu *f)
{
    return fmu_parameters(f) + f->parameters;
}

static inline double *fmu_compliance(const fmu *f)
{
    return fmu_state(f) + ifd_stepper_size(f->s);
}

/* Interface forces with which the state of the method was last advanced. */
static inline double *fmu_held(const fmu *f)
{
    return fmu_compliance(f) + f->image.rows * f->image.rows;
}

static inline double *fmu_ground(const fmu *f)
{
    return fmu_held(f) + f->image.rows;
}

/* Sum of step fraction times force, for the step that contains the communication point. */
static inline double *fmu_impulse(const fmu *f)
{
    return fmu_ground(f) + f->image.grounds;
}

/* Displacements, velocities and memory at the communication point. */
static inline double *fmu_between(const fmu *f)
{
    return fmu_impulse(f) + f->image.rows;
}

/* Source of outputs: the state of the method on its grid, otherwise the interpolated values. */
static inline const double *fmu_seen(const fmu *f)
{
    return fmu_head_of(f)->part > 0.0 ? fmu_between(f) : fmu_state(f);
}

static inline int fmu_input_row(const fmu *f, const fmu_variable *v)
{
    return v->kind == IFD__FMU_FORCE ? v->index : f->image.rows + v->index;
}

/* The deformation of row k of the interface in u. */
static inline double fmu_deformation(const fmu *f, int k, const double *u)
{
    return ifd__deformation(f->image.row[k].ends, u);
}

/* Makes model and method with the present parameters. */
bool fmu_build(fmu *f);

/* External forces as loads; NULL if all are zero, so that a model without them makes the same steps as elsewhere. */
const double *fmu_loads(fmu *f);
/* A step of the method from its present state with these interface forces; before it, the memory of the method is
 * changed to these forces. */
void fmu_one_step(fmu *f, const double *force);
void fmu_hold(fmu *f, const double *force);
