/* SPDX-License-Identifier: MIT */
/* The keys of a whole case, of its time, ground, loads, start and output. */
#include <stddef.h>

#include "io/keys_channels.h"

const ifd__key ifd__case_keys[] = {
    TEXT("title", false, "the file's name", "one line for reports and plots"),
    FORM("time", true, "a mapping (help time)", NULL, "step and length of the run"),
    FORM("method", false, "a name, or {name: {parameters}} (help method)", "lsrt2",
         "how the model moves through time"),
    FORM("ground", false, "a mapping, or a list of them (help ground)", "none",
         "acceleration of the ground; displacements are then relative to it"),
    FORM("model", false, "a mapping (help model)", NULL, "what moves; this or substructures"),
    FORM("substructures", false, "{name: part} (help substructures)", NULL,
         "a structure given in parts, each with its own model, method and step"),
    FORM("cut", false, "a mapping (help cut)", "the model is stepped as one", "how the model is cut into parts"),
    FORM("joints", false, "a list (help joints)", "none; those of a cut are made",
         "which dofs of the parts move together"),
    FORM("coupling", false, "a name, or {name: {settings}} (help coupling)", "staggered",
         "how the parts are advanced together"),
    FORM("loads", false, "a list (help loads)", "none", "forces on dofs"),
    FORM("initial", false, "a mapping (help initial)", "at rest", "displacements and velocities at the start"),
    FORM("specimen", false, "a list (help specimen)", "none", "pieces whose force is measured instead of computed"),
    FORM("test", false, "a mapping (help test)", "none: `interfield run` only",
         "the rig on which the specimens stand"),
    FORM("master", false, "{opensees: {...}} (help opensees)", "none: computed here",
         "another program that computes the structure, instead of model; `interfield serve`"),
    IFD__CHANNEL_CASE_KEYS,
    FORM("record", false, "'all', or a list (help record)",
         "all for models up to 50 dofs, no velocities and accelerations above", "what is written to the result"),
    FORM("output", false, "a mapping (help output)", "result.h5 and summary.json only", "further result files"),
    END};

const ifd__key ifd__time_keys[] = {
    NUMBER("step", TIME, 1e-7, 1e3, "step of the method"),
    NUMBER("end", TIME, 1e-6, 1e7, "the run goes from 0 to here, rounded to whole steps"),
    WITHIN("record-every", NONE, 1, 1e9, 1, NULL, "record each so many steps, of a test ticks; a whole number"), END};

const ifd__key ifd__ground_keys[] = {
    FORM("motion", false, "the name of a signal (help signal); its parameters stand beside it", NULL,
         "a formula or a generated earthquake"),
    FORM("record", false,
         "a file: PEER AT2, or CSV of one or two columns; the parameters of the signal 'record' stand beside it",
         NULL, "a recorded acceleration"),
    FORM("signal", false, "{name: {parameters}}, or a list of them that is summed (help signal)", NULL,
         "the same as motion, and sums"),
    WORD("direction", "x|y|z", "the dofs of this kind are driven"), END};

const ifd__key ifd__load_keys[] = {TEXT("at", true, NULL, "a dof"),
                                   FORM("force", true, "a signal (help signal)", NULL, "N, or N m on a rotation"),
                                   END};

const ifd__key ifd__initial_keys[] = {
    FORM("displacement", false, "{dof: value}", "0", "m, or rad of rotations and pendulums"),
    FORM("velocity", false, "{dof: value}", "0", "m/s, or rad/s"), END};

const ifd__key ifd__output_keys[] = {
    {.param = {.name = "csv", .shape = IFD_SHAPE_FLAG, .doc = "also write result.csv"}, .preset = "no"}, END};
