/* SPDX-License-Identifier: MIT */
/* Code that shows that it was loaded: its constructor writes the file that IFD_MARKER names. It is an element and a
 * rig besides, so that a program that loads it can continue. */
#include <interfield/element.h>
#include <interfield/exchange.h>

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void mark(void)
{
    const char *name = getenv("IFD_MARKER");
    FILE *out = name ? fopen(name, "w") : NULL;
    if (out)
        fclose(out);
}

static const ifd_param no_params[] = {{0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)e;
    (void)values;
    (void)arena;
    (void)note;
    return IFD_OK;
}

static void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    (void)e;
    if (out->r)
        out->r[0] = 100.0 * in->q[0];
    if (out->r_q)
        out->r_q[0] = 100.0;
}

IFD_API const ifd_element_ops ifd_user_element = {
    .abi = IFD_ELEMENT_ABI,
    .name = "marker",
    .params = no_params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
    .eval = eval,
};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig;
    (void)values;
    (void)arena;
    return ifd_note_add(note, IFD_PEER, NULL, "there is no hardware behind this rig");
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)rig;
    (void)out;
    (void)x;
    return false;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig;
    (void)c;
    (void)x;
}

/* It moves no iron. */
static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "marker",
                                          .params = no_params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command,
                                          .simulated = simulated};
