/* SPDX-License-Identifier: MIT */
/* The engine inside the loop of another program, which has its own clock, hardware and memory
 * and computes a structure stage by stage. At each stage it receives the target of the specimen, moves
 * the specimen there, and returns the force.
 *
 *     cc loop.c -o loop $(pkg-config --cflags --libs interfield) -lm && ./loop
 *
 * After the arena is sealed no memory is allocated: `stage` and `aim` may be called on a real-time thread. */
#include <math.h>
#include <stdio.h>

#include <interfield/method.h>

/* Here: send the position, wait for the actuator, read the load cell. */
static double move_and_measure(double position)
{
    const double stiffness = 80.0; /* N/m */
    return stiffness * position;
}

/* m = 2 kg and c = 1.2 N s/m are computed, the spring is measured; initial displacement 10 mm. */
static ifd_status make(ifd_arena *arena, double h, ifd_stepper **stepper, ifd_note *note)
{
    /* in the Jacobian only */
    static const ifd_estimate estimate[] = {{.from = IFD_GROUND, .to = 0, .stiffness = 80.0}};
    ifd_model *model;
    ifd_step_options opt;
    ifd_builder *b = ifd_builder_make(arena);
    if (!b)
        return IFD_NO_MEMORY;
    int x = ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, 2.0);
    ifd_builder_add(b, IFD_DAMPING, x, x, 1.2);
    ifd_builder_initial(b, x, 0.01, 0.0);
    IFD_TRY(ifd_model_make(arena, b, &model, note));
    ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &opt);
    opt.estimates = 1;
    opt.estimate = estimate;
    return ifd_stepper_make(arena, &opt, model, stepper, note);
}

/* The displacement at the end of `steps` steps. */
static double go(const ifd_stepper *s, long steps, double *x)
{
    double h = ifd_stepper_step(s), load, u, v;
    ifd_stepper_initial(s, x);
    load = -move_and_measure(x[0]); /* u, v and the rest of the state: ifd_stepper_states */
    ifd_stepper_start(s, 0.0, &load, x);
    for (long k = 0; k < steps; k++) {
        double t = h * (double)k;
        /* Here: wait for the next period of the clock. */
        for (int i = 0; i < ifd_stepper_stages(s); i++) {
            ifd_stepper_aim(s, i, t, x, &u, &v);
            load = -move_and_measure(u);
            ifd_stepper_stage(s, i, t, &load, x);
        }
    }
    return x[0];
}

int main(void)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_stepper *s = NULL;
    ifd_note note;
    double *x = NULL;
    if (!arena)
        return 1;
    ifd_note_init(&note, arena);
    ifd_status status = make(arena, 0.001, &s, &note);
    if (status == IFD_OK)
        x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x);
    if (!x) {
        fprintf(stderr, "%s\n", note.first ? note.first->text : ifd_status_text(status));
        ifd_arena_close(arena);
        return 1;
    }
    ifd_arena_seal(arena);
    double w = sqrt(40.0 - 0.09), exact = 0.01 * exp(-0.3) * (cos(w) + 0.3 / w * sin(w));
    printf("after 1 s: %.6f mm, exact: %.6f mm\n", 1e3 * go(s, 1000, x), 1e3 * exact);
    ifd_arena_close(arena);
    return 0;
}
