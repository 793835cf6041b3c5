/* SPDX-License-Identifier: MIT */
/* Keys of a specimen that is a whole model, and of what it or any other weighs. */
#ifndef IFD_IO_KEYS_MOUNTED_H
#define IFD_IO_KEYS_MOUNTED_H

#include "io/keys_rows.h"

#define IFD__MOUNTED_KEYS                                                                                            \
    FORM("model", false, "a mapping (help model)", "a pair element stands there",                                    \
         "a whole model; a support of it with `follows: dof` is what the actuator moves"),                           \
        FORM("method", false, "as method of the case", "lsrt2", "of the model, on the virtual rig"),                 \
        WITHIN("substeps", NONE, 1, 1000, 1, NULL, "steps of the model in a tick, on the virtual rig"),              \
        FORM("initial", false, "a mapping (help initial)", "at rest", "of the model"),                               \
        TEXT("of", false, "it is a specimen of its own",                                                             \
             "another channel of that specimen, for the next support of its model that follows a dof"),              \
        FORM("mass-on-rig", false, "a mapping (help mass-on-rig)", "none",                                           \
             "mass of the structure's model that stands on the rig and answers there"),                              \
        FORM("accelerometer", false, "a mapping (help sensor)", "none; perfect when mass-on-rig needs one",          \
             "of the virtual rig")

extern const ifd__key ifd__mass_keys[];

#define IFD__MASS_SECTION                                                                                            \
    {                                                                                                                \
        "mass-on-rig", "specimen / mass-on-rig: a specimen that carries mass",                                       \
            "The model of the case holds all mass, as if nothing were tested; here is said how much of it moves "    \
            "with the "                                                                                              \
            "actuator, so that\n"                                                                                    \
            "the load cell feels it. `left` takes it out of the computed part: the rig answers with its inertia. "   \
            "`taken-out` leaves the\n"                                                                               \
            "computed part whole and takes mass times measured acceleration out of the measured force. "             \
            "`interfield run` knows nothing of it.",                                                                 \
            ifd__mass_keys,                                                                                          \
            "    mass-on-rig: {mass: 1.8 kg, handled: left}\n"                                                       \
            "    mass-on-rig: {mass: 1.8 kg, handled: taken-out, input: 0}\n"                                        \
    }

#endif
