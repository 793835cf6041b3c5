/* SPDX-License-Identifier: MIT */
/* A builder on an arena with a note, and what the model tests share. */
#pragma once

#include "check.h"

#include <interfield/model.h>
#include <interfield/structures.h>

#include "model/model.h"

typedef struct scene {
    ifd_arena *arena;
    ifd_builder *builder;
    ifd_note note;
} scene;

int scene_open(void **state);
int scene_close(void **state);
#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, scene_open, scene_close)

/* A fresh builder and note on the same arena. */
void scene_restart(scene *s);

/* Fails the test with the note's text when status is not IFD_OK. */
void scene_good(const scene *s, ifd_status status);

ifd_model *scene_model(scene *s);

/* The model must be refused with code, by a text that holds words. */
void scene_refused(scene *s, ifd_status code, const char *words);

/* A remark that holds words; NULL when there is none. */
const char *scene_remark(const scene *s, const char *words);

const ifd_signal *scene_constant(scene *s, double value);
const ifd_signal *scene_sine(scene *s, double amplitude, double hertz);

/* Adds an element at coordinates q_i = dof[2i + 1] - dof[2i] (IFD_GROUND first: dof[2i + 1] alone).
 * values: name, number, ..., NULL. */
ifd_status scene_element(scene *s, const char *type, const char *name, int nq, const int *dof, ...);

/* Uniform in [-1, 1], the same sequence in every run. */
double scene_random(void);
