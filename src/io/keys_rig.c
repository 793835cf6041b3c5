/* SPDX-License-Identifier: MIT */
/* The keys of what a rig may do, and of what a real one is like. */
#include <stddef.h>

#include "io/keys_rows.h"

const ifd__key ifd__limit_keys[] = {
    WITHIN(
        "stroke", LENGTH, 1e-9, 1e3, 0, "low and high",
        "to either side of zero; or low and high. Where a specimen turns, lengths here are angles, forces moments"),
    WITHIN("low", LENGTH, -1e3, 1e3, 0, "-stroke", "lower end of the stroke"),
    WITHIN("high", LENGTH, -1e3, 1e3, 0, "stroke", "upper end of the stroke"),
    NUMBER("velocity", VELOCITY, 1e-9, 1e4, "of the command"),
    NUMBER("acceleration", ACCELERATION, 1e-9, 1e6, "of the command"),
    LIMIT("force", FORCE, 1e-9, 1e12, "none; required unless the rig is virtual", "measured; trips"),
    LIMIT("force-rate", ANY, 1e-9, 1e15, "none", "N/s, of the measured force; trips"),
    LIMIT("tracking", LENGTH, 1e-9, 1e3, "none; required unless the rig is virtual",
          "measured minus wanted position; trips"),
    LIMIT("energy", ENERGY, 1e-12, 1e15, "none", "that bad tracking puts in; holds"),
    LIMIT("measured-velocity", VELOCITY, 1e-9, 1e5, "none", "of the measured position; trips"),
    LIMIT("measured-acceleration", ACCELERATION, 1e-9, 1e7, "none", "of the measured position; trips"),
    END};

const ifd__key ifd__twin_keys[] = {
    FORM("actuator", false, "a name, or {name: {parameters}} (help actuator)", "ideal", "what it is like"),
    FORM("position-sensor", false, "a mapping (help sensor)", "perfect", "what it is like"),
    FORM("force-sensor", false, "a mapping (help sensor)", "perfect", "what it is like"),
    WITHIN("delay", TIME, 0, 10, 0, NULL,
           "of commands and measurements on their way, besides the actuator's; udp and shm add a tick by themselves"),
    END};
