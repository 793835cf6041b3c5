/* SPDX-License-Identifier: MIT */
/* The keys of structures in parts. */
#include <stddef.h>

#include "io/keys_rows.h"

#define PART_KEYS                                                                                                    \
    FORM("method", false, "as method of the case", "that of the case", "how this part moves through time"),          \
        WITHIN("subcycles", NONE, 1, 1e6, 1, NULL,                                                                   \
               "its steps in one step of the case; 1 or even in a staggered "                                        \
               "coupling"),                                                                                          \
        WITHIN("step", TIME, 1e-9, 1e3, 0, "step of the case over subcycles", "instead of subcycles"),               \
    {                                                                                                                \
        .param = {.name = "coarse",                                                                                  \
                  .shape = IFD_SHAPE_FLAG,                                                                           \
                  .doc = "belongs to the coarse side of a parallel coupling"},                                       \
        .preset = "the first part when no other says yes"                                                            \
    }

const ifd__key ifd__substructure_keys[] = {
    FORM("model", false, "a mapping (help model)", NULL, "what moves"),
    PART_KEYS,
    IFD__FMU_PART_KEYS,
    FORM("loads", false, "a list (help loads)", "none", "forces on its dofs"),
    FORM("initial", false, "a mapping (help initial)", "at rest", "its displacements and velocities at the start"),
    END};

const ifd__key ifd__cut_keys[] = {
    FORM("parts", true, "{name: part (help cut-part), or only what it holds}", NULL,
         "the pieces; what lies on a cut is named in each of them"),
    {.param = {.name = "mass-ratio",
               .range = IFD_RANGE_WITHIN,
               .min = 0.001,
               .max = 0.999,
               .preset = 0.5,
               .doc = "share of the first part in what lies on the cut alone: a floor's mass, the beams of a floor"}},
    END};

const ifd__key ifd__cut_part_keys[] = {
    FORM("holds", true, "'storeys 0 to 7', 'floor3', 's7c1', 'floor3 to floor7', 's*c1.x', or a list of these", NULL,
         "its dofs: storeys of a grid or of a shear building, a dof, a node, a range in the order of the dofs, a "
         "pattern"),
    PART_KEYS, END};

const ifd__key ifd__coupling_keys[] = {
    {.param = {.name = "drift",
               .shape = IFD_SHAPE_WORD,
               .words = "none|feedback|project",
               .doc =
                   "what keeps the joints from opening when only accelerations meet: feedback of the "
                   "gap at the ends of steps, or a projection at every synchronisation (lsrt2 with gamma plus only)"},
     .preset = "none"},
    WITHIN("drift-factor", NONE, 1e-9, 1e3, 0, "0.1; with gamma minus 0.02",
           "c of feedback: the share of a gap that a step of the coarse side takes away"),
    WITHIN("threads", NONE, 1, 64, 1, NULL, "2: the coarse side on a thread of its own; parallel and pg-alpha"),
    WORD("start", "refuse|project",
         "initial states that do not meet at a joint: an error, or moved to the nearest ones that do"),
    END};

const ifd__key ifd__fmu_keys[] = {
    WITHIN("corrections", NONE, 1, 20, 3, NULL, "of a step, at most (up to 20); linear parts need one"),
    WITHIN("softness", NONE, 0, 1, 0.01, "0.01; 0.5 where a part is predicted",
           "share of the joint's step compliance by which a joint gives way; it damps what alternates at joints and "
           "vanishes with the square of the step; 0: exact joints"),
    WORD("passivity", "refuse|remark",
         "parts from which joint forces can draw work, as the start finds: an error, or a remark"),
    WORD("no-rollback", "refuse|predict",
         "FMUs that cannot go back to a kept state: an error, or one step each, predicted before it is made; nothing "
         "is promised of its stability then"),
    END};

const ifd__key ifd__support_keys[] = {
    FORM("displacement", false, "a signal (help signal)", NULL, "in m; this or follows"),
    FORM("follows", false, "part.dof", NULL,
         "coupling rts: this support moves as that dof of an earlier part does, and its reaction loads it"),
    FORM("ghost-mass", false, "a mass (kg), or a rotational inertia (kg m2) where an angle is followed", "0",
         "of a support that follows: carried by the leader and taken out of the force that comes back; widens the "
         "limit of added mass"),
    END};

#define WHOLE(n, low, high, p, said, text)                                                                           \
    {                                                                                                                \
        .param = {.name = n, .range = IFD_RANGE_WITHIN, .min = low, .max = high, .preset = p, .doc = text},          \
        .preset = said                                                                                               \
    }

const ifd__key ifd__rts_keys[] = {
    WHOLE("past", 1, 64, 0, "10; degree + 1 of lagrange", "p, how many past forces are extrapolated from"),
    WHOLE("ahead", 1, 32, 1, NULL, "q, how many steps ahead; blocks of q steps are solved without news"),
    FORM("extrapolator", false, "a name, or {name: {parameters}} (help extrapolator)", "lagrange",
         "how forces are continued"),
    WORD("exchange", "motion|force|effective",
         "how the leader's motion reaches a follower during a step: as one smooth motion, as the force on it "
         "interpolated through the last p values, or as an effective force on a follower that stands still (linear "
         "ones); a test takes motion only"),
    FORM("start", false, "a mapping (help rts-start)", "as many steps as the extrapolator needs",
         "the iterative start; a test begins at rest and refuses it"),
    FORM("durations", false, "a mapping (help rts-durations)", "unknown",
         "what a step has to hold besides; a sum above the step is remarked on"),
    END};

const ifd__key ifd__rts_start_keys[] = {
    WHOLE("steps", 0, 1e6, 0, "past - 1", "that are iterated; past - 1 or more"),
    WHOLE("grid", 1, 8, 4, NULL, "sub-intervals of each of them"),
    WHOLE("iterations", 1, 1000, 50, NULL, "in each of them, at most"),
    WITHIN("tolerance", NONE, 1e-15, 1, 1e-11, NULL, "change of the forces, beside the largest, at which they end"),
    END};

const ifd__key ifd__rts_duration_keys[] = {WITHIN("compute", TIME, 0, 1e3, 0, NULL, "to solve the leaders"),
                                           WITHIN("actuate", TIME, 0, 1e3, 0, NULL, "to move the specimen there"),
                                           WITHIN("measure", TIME, 0, 1e3, 0, NULL, "to read and send the forces"),
                                           END};
