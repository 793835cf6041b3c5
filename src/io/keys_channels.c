/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "io/keys_channels.h"

const ifd__key ifd__channels_keys[] = {
    TEXT("zero", false, "no tares", "the file that `interfield zero` wrote; it may not be there yet"), END};

const ifd__key ifd__channel_keys[] = {
    TEXT("input", true, NULL, "'position N', 'force N' or 'aux N' of the rig, N from 1"),
    TEXT("measures", false, "only recorded",
         "'position of ACTUATOR' or 'force of ACTUATOR': a specimen, or an actuator of a drive"),
    TEXT("unit", false, "m, N, or none when only recorded", "of value, offset, range and zero"),
    WITHIN("sensitivity", ANY, -1e12, 1e12, 1, NULL, "units per raw unit"),
    WITHIN("offset", ANY, -1e12, 1e12, 0, NULL, "units at raw 0, from the calibration"),
    WITHIN("sign", NONE, -1, 1, 1, NULL, "1 or -1: a force resists positive position"),
    FORM("range", false, "[low, high] in its unit", "none", "outside of it the test trips"),
    WITHIN("zero-limit", ANY, 0, 1e12, 0, "it is never tared", "units, the most that a tare may take away"),
    {.param = {.name = "closes-loop",
               .shape = IFD_SHAPE_FLAG,
               .preset = 1,
               .doc = "of a position: the controller's own sensor, so that a tare moves commands too"},
     .preset = "yes"},
    TEXT("calibrated", false, "unknown", "date of its calibration"),
    TEXT("twin", false, "0",
         "of the virtual rig, when only recorded: 'position|velocity|acceleration|force of ACTUATOR'"),
    END};

const ifd__key ifd__drive_keys[] = {
    TEXT("name", true, NULL, "for messages"),
    FORM("dofs", true, "{axis: specimen} of x, y, z, rx, ry, rz; with a matrix a list of specimens", NULL,
         "what it moves: specimens, or names of force-control"),
    FORM("point", false, "[x, y] or [x, y, z]", "the origin", "of the block, whose motion the dofs are"),
    FORM("matrix", false, "a list of rows, one per actuator", "by geometry",
         "extension of the actuators = matrix times dofs"),
    FORM("actuators", true, "a list (help drive-actuator)", NULL, "as many as dofs, or more"),
    FORM("sharing", false, "a mapping (help sharing)", "nothing is done",
         "of more actuators than dofs: they are kept from pushing against each other"),
    END};

const ifd__key ifd__sharing_keys[] = {
    NUMBER("stiffness", STIFFNESS, 1e-3, 1e15,
           "estimate, of an actuator against the others with the block between: sets the gain"),
    WITHIN("bandwidth", FREQUENCY, 1e-6, 1e5, 1, NULL,
           "of the loop; below 1 / (8 delay), like that of force-control"),
    NUMBER("limit", LENGTH, 1e-9, 100, "the most that an actuator is moved for it"),
    WITHIN("twin", STIFFNESS, 1e-3, 1e15, 0, "the estimate", "of the virtual rig"), END};

const ifd__key ifd__drive_actuator_keys[] = {
    TEXT("name", true, NULL, "for the result and for messages"),
    FORM("base", false, "[x, y] or [x, y, z]", NULL, "its fixed end"),
    FORM("at", false, "[x, y] or [x, y, z]", NULL, "its end at the block, where that stands at zero"),
    FORM("limits", true, "a mapping (help limits)", NULL, "of its extension from there"),
    FORM("actuator", false, "a name, or {name: {parameters}} (help actuator)", "ideal", "of the virtual rig"),
    FORM("position-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    FORM("force-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    END};

const ifd__key ifd__force_control_keys[] = {
    TEXT("name", true, NULL, "for the result and for messages"),
    FORM("force", true, "a force, or a signal of simulated time (help signal)", NULL,
         "that resists positive position; its value at t = 0 is reached in ramp-in"),
    NUMBER("stiffness", STIFFNESS, 1e-3, 1e15, "estimate of what resists: sets the gain"),
    WITHIN("bandwidth", FREQUENCY, 1e-6, 1e5, 2, NULL,
           "of the loop; below 1 / (8 delay) with a stiffness right within a factor of 2"),
    WITHIN("rate", ANY, 1e-9, 1e15, 0, "the force in a second", "N/s, fastest change of what the loop aims at"),
    WITHIN("tolerance", FORCE, 1e-9, 1e12, 0, "1 % of the force", "at which ramp-in has arrived"),
    LIMIT("error", FORCE, 1e-9, 1e12, "none", "measured minus aimed at; trips"),
    FORM("twin", false, "{element: {parameters}} (help element)", "nothing resists", "of the virtual rig"),
    FORM("limits", true, "a mapping (help limits)", NULL, "what must never be exceeded"),
    FORM("actuator", false, "a name, or {name: {parameters}} (help actuator)", "ideal", "of the virtual rig"),
    FORM("position-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    FORM("force-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    END};
