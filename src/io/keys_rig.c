/* SPDX-License-Identifier: MIT */
/* The keys of what a rig may do, and of what a real one is like. */
#include <stddef.h>

#include "io/keys_rows.h"

const ifd__key ifd__limit_keys[] = {
    OPTION(
        "stroke", LENGTH, POSITIVE, 0, "low and high",
        "to either side of zero; or low and high. Where a specimen turns, lengths here are angles, forces moments"),
    OPTION("low", LENGTH, FREE, 0, "-stroke", "lower end of the stroke"),
    OPTION("high", LENGTH, FREE, 0, "stroke", "upper end of the stroke"),
    NUMBER("velocity", VELOCITY, POSITIVE, "of the command"),
    NUMBER("acceleration", ACCELERATION, POSITIVE, "of the command"),
    LIMIT("force", FORCE, "none; required unless the rig is virtual", "measured; trips"),
    LIMIT("force-rate", ANY, "none", "N/s, of the measured force; trips"),
    LIMIT("tracking", LENGTH, "none; required unless the rig is virtual", "measured minus wanted position; trips"),
    LIMIT("energy", ENERGY, "none", "that bad tracking puts in; holds"),
    LIMIT("measured-velocity", VELOCITY, "none", "of the measured position; trips"),
    LIMIT("measured-acceleration", ACCELERATION, "none", "of the measured position; trips"),
    END};

const ifd__key ifd__twin_keys[] = {
    FORM("actuator", false, "a name, or {name: {parameters}} (help actuator)", "ideal", "what it is like"),
    FORM("position-sensor", false, "a mapping (help sensor)", "perfect", "what it is like"),
    FORM("force-sensor", false, "a mapping (help sensor)", "perfect", "what it is like"),
    OPTION("delay", TIME, NOT_NEGATIVE, 0, NULL,
           "of commands and measurements on their way, besides the actuator's; udp and shm add a tick by themselves"),
    END};
