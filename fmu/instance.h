/* SPDX-License-Identifier: MIT */
/* An instance as the files of the runtime see it: what was made of the image, and the block
 * that holds all that changes. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <xmmintrin.h>

#include "algebra/factors.h"
#include "image.h"
#include "method/stepper.h"
#include "method/tangent.h"
#include "model/dof_pair.h"
#include "runtime.h"

/* Rows at the head of the block. Inputs, parameters, the state of the method, the compliance, the forces that it has
 * last used, the ground at the last communication point, what forces have done in a step that is not over, and what
 * is seen in it follow. */
enum {
    FMU_ROW_MODE,
    FMU_ROW_STEPS,
    FMU_ROW_BASE,
    FMU_ROW_PART, /* of the next step, that the communication point stands in; 0: on the grid */
    FMU_ROW_FIXED
};

struct fmu {
    fmu_image image;
    ifd_arena *arena; /* of what depends on the parameters */
    ifd_stepper *s;
    ifd__tangent *mass;
    int inputs, parameters, size; /* of the block */
    double *block;
    double *load, *a, *g, *w, *du; /* scratch */
    double *q, *r;                 /* of the elements: stretch and force */
    double *G;                     /* the compliance, while it is found */
    double *jump;                  /* by how much the forces changed */
    double *force;                 /* that act in a step */
    double from, to;               /* s: the communication step that is being made */
    double *built;                 /* parameters that the model was made with */
    double *other;                 /* a second block, for the compliance */
    bool stale;                    /* accelerations are not those of the present state and inputs */
    bool elements_stale;           /* q and r are not those of the present state */
    const char *why;
};

/* Arithmetic as the engine has it, whatever the caller's: to nearest, denormals kept, all exceptions masked. Returns
 * the caller's, for _mm_setcsr. */
static inline unsigned fmu_arithmetic(void)
{
    unsigned was = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return was;
}

/* The parts of the block. */
static inline double *fmu_inputs(const fmu *f)
{
    return f->block + FMU_ROW_FIXED;
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

/* Forces at the interface that the state of the method was last advanced with. */
static inline double *fmu_held(const fmu *f)
{
    return fmu_compliance(f) + f->image.rows * f->image.rows;
}

static inline double *fmu_ground(const fmu *f)
{
    return fmu_held(f) + f->image.rows;
}

/* Sum of share of a step times force, of the step that the communication point stands in. */
static inline double *fmu_impulse(const fmu *f)
{
    return fmu_ground(f) + f->image.grounds;
}

/* Displacements, velocities and memory there. */
static inline double *fmu_between(const fmu *f)
{
    return fmu_impulse(f) + f->image.rows;
}

/* Where outputs are taken from: the state of the method on its grid, otherwise what is between. */
static inline const double *fmu_seen(const fmu *f)
{
    return f->block[FMU_ROW_PART] > 0.0 ? fmu_between(f) : fmu_state(f);
}

static inline int fmu_input_row(const fmu *f, const fmu_variable *v)
{
    return v->kind == IFD__FMU_FORCE ? v->index : f->image.rows + v->index;
}

/* The deformation of row k of the interface in u. */
static inline double fmu_deformation(const fmu *f, int k, const double *u)
{
    return ifd__deformation(f->image.row[k].from, f->image.row[k].to, u);
}

/* Model and method with the parameters as they stand. */
bool fmu_build(fmu *f);

/* What stands outside, as loads; NULL when nothing pushes, so that a model alone steps as it does anywhere else. */
const double *fmu_loads(fmu *f);
/* A step of the method from where its state stands, with these forces at the interface; and what the method remembers
 * of others brought to them before it. */
void fmu_one_step(fmu *f, const double *force);
void fmu_hold(fmu *f, const double *force);

#endif
