/* SPDX-License-Identifier: MIT */
/* The engine inside another program: a frame of two storeys under ground motion, with a device on its first floor
 * whose force this program supplies.
 *
 *     cc embed.c -o embed $(pkg-config --cflags --libs interfield) -lm && ./embed */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <interfield/embed.h>

/* A friction damper: a spring that slides at a given force. */
typedef struct slider {
    double stiffness, friction; /* N/m, N */
    double slid;                /* m, sliding displacement */
} slider;

static double force_of(void *self, double t, double deformation, double rate)
{
    slider *s = self;
    double force = s->stiffness * (deformation - s->slid);
    (void)t, (void)rate;
    if (fabs(force) > s->friction) {
        force = copysign(s->friction, force);
        s->slid = deformation - force / s->stiffness;
    }
    return force;
}

/* ifd_sim_make returns the status of the first call that failed. */
static ifd_status build(ifd_sim *sim, slider *device)
{
    enum { SAMPLES = 400 };
    const double M[] = {1000, 0, 0, 1000}, K[] = {8e5, -4e5, -4e5, 4e5};
    double C[4], ground[SAMPLES];
    for (int i = 0; i < 4; i++)
        C[i] = 0.2 * M[i] + 1e-3 * K[i];
    for (int i = 0; i < SAMPLES; i++) {
        double t = 0.01 * i;
        ground[i] = 2.0 * sin(2 * 3.14159265358979 * 1.5 * t) * fmin(t, 1.0);
    }
    ifd_sim_dof(sim, "x1", "x");
    ifd_sim_dof(sim, "x2", "x");
    ifd_sim_matrix(sim, IFD_MASS, 2, M);
    ifd_sim_matrix(sim, IFD_DAMPING, 2, C);
    ifd_sim_matrix(sim, IFD_STIFFNESS, 2, K);
    ifd_sim_ground(sim, "x", SAMPLES, 0.01, ground);
    ifd_sim_specimen(sim, "slider", "ground", "x1", device->stiffness, 0.0);
    ifd_sim_answer(sim, "slider", force_of, device);
    ifd_sim_method(sim, "lsrt2", 0.002, 6.0);
    return ifd_sim_make(sim);
}

static int column(const ifd_sim *sim, const char *name)
{
    for (int k = 0; k < ifd_sim_columns(sim); k++)
        if (strcmp(ifd_sim_column(sim, k)->name, name) == 0)
            return k;
    return -1;
}

int main(void)
{
    slider device = {.stiffness = 4e5, .friction = 1500};
    ifd_sim *sim = ifd_sim_open();
    if (!sim || build(sim, &device) != IFD_OK) {
        fputs(sim ? ifd_sim_message(sim) : "out of memory\n", stderr);
        ifd_sim_close(sim);
        return 1;
    }
    int roof = column(sim, "x2 displacement");
    double peak = 0.0;
    ifd_run_state state = IFD_RUN_GOING;
    while (state == IFD_RUN_GOING) {
        state = ifd_sim_step(sim);
        peak = fmax(peak, fabs(ifd_sim_values(sim)[roof]));
    }
    printf("roof %.2f mm, final slip of the device %.2f mm\n", 1e3 * peak, 1e3 * device.slid);
    if (state == IFD_RUN_FAULT)
        fprintf(stderr, "%s\n", ifd_sim_fault(sim));
    ifd_sim_close(sim);
    return state == IFD_RUN_FAULT;
}
