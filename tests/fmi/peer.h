/* SPDX-License-Identifier: MIT */
/* One instance of an exported FMU, as another program would drive it: both versions of FMI behind one face. */
#pragma once

#include "fmi/fmi_types.h"

typedef struct peer {
    int version;
    void *library, *instance;
    char token[80], resources[400];
    fmi2_set_real *set2;
    fmi2_get_real *get2;
    fmi2_do_step *step2;
    fmi3_set_float64 *set3;
    fmi3_get_float64 *get3;
    fmi3_do_step *step3;
    fmi_get_state *get_state;
    fmi_set_state *set_state, *free_state;
} peer;

/* A function of the binary by its name without fmi2 or fmi3; fails the test when there is none. */
void *peer_symbol(const peer *p, const char *name);
/* NULL when the binary refuses; peer_message then has its sentence. */
void *peer_instantiate(const peer *p, const char *token);
const char *peer_message(void);
void peer_initialise(peer *p, double start);
double peer_get(const peer *p, uint32_t vr);
fmi_status peer_set(const peer *p, uint32_t vr, double value);
fmi_status peer_step(const peer *p, double now, double h);
/* Frees the instance and unloads the binary. */
void peer_close(peer *p);
