/* SPDX-License-Identifier: MIT */
/* Keys and sections of what stands between a test and its hardware: channels, drives, controlled forces. */
#ifndef IFD_IO_KEYS_CHANNELS_H
#define IFD_IO_KEYS_CHANNELS_H

#include "io/keys_arm.h"
#include "io/keys_rows.h"

extern const ifd__key ifd__channels_keys[], ifd__channel_keys[], ifd__drive_keys[], ifd__drive_actuator_keys[];
extern const ifd__key ifd__force_control_keys[], ifd__sharing_keys[];

#define IFD__CHANNEL_CASE_KEYS                                                                                       \
    FORM("force-control", false, "a list (help force-control)", "none",                                              \
         "actuators of the rig whose force is prescribed: gravity, axial forces"),                                   \
        FORM("drives", false, "a list (help drives)", "each specimen has its own actuator",                          \
             "several actuators that move some specimens together"),                                                 \
        FORM("channels", false, "{name: channel} (help channels)", "the rig speaks m and N",                         \
             "what the hardware's inputs mean, their ranges and tares")

/* Rows of ifd__sections. */
#define IFD__CHANNEL_SECTIONS                                                                                        \
    {"force-control", "force-control: actuators whose force is prescribed",                                          \
     "An outer loop finds the position: p' = (r' + 2 pi bandwidth (r - f)) / stiffness, under the limits. The "      \
     "force is reached\n"                                                                                            \
     "in ramp-in, kept during hold, and is the last to go in ramp-out. Nothing is computed of such an actuator; "    \
     "its name may be\n"                                                                                             \
     "a dof of a drive. docs/channels.md says how to choose the bandwidth.",                                         \
     ifd__force_control_keys,                                                                                        \
     "    force-control:\n"                                                                                          \
     "      - name: gravity\n"                                                                                       \
     "        force: 200 kN\n"                                                                                       \
     "        stiffness: 50 MN/m\n"                                                                                  \
     "        twin: {spring: {stiffness: 60 MN/m}}\n"                                                                \
     "        limits: {stroke: 20 mm, velocity: 50 mm/s, acceleration: 5 m/s2, force: 400 kN}\n"},                   \
        {"drives", "drives: several actuators that move specimens together",                                         \
         "By `matrix`, extension = matrix times dofs, or by geometry: every actuator reaches from a fixed `base` "   \
         "to a point `at` of\n"                                                                                      \
         "a rigid block, and `dofs` are the block's displacements and rotations at `point`, however large. Limits "  \
         "of actuators hold\n"                                                                                       \
         "besides those of the specimens. There are as many actuators as dofs, or more.",                            \
         ifd__drive_keys,                                                                                            \
         "    drives:\n"                                                                                             \
         "      - name: block\n"                                                                                     \
         "        dofs: {x: sway, y: heave, rz: tilt}\n"                                                             \
         "        actuators:\n"                                                                                      \
         "          - {name: left, base: [-4 m, 0.1 m], at: [-0.2 m, 0.1 m], limits: {stroke: 0.5 m, velocity: 1 "   \
         "m/s, "                                                                                                     \
         "acceleration: 20 m/s2}}\n"                                                                                 \
         "          - {name: foot1, base: [-1.5 m, -3 m], at: [-1 m, 0.3 m], limits: {stroke: 0.5 m, velocity: 1 "   \
         "m/s, "                                                                                                     \
         "acceleration: 20 m/s2}}\n"                                                                                 \
         "          - {name: foot2, base: [1.7 m, -2.9 m], at: [1 m, 0.3 m], limits: {stroke: 0.5 m, velocity: 1 "   \
         "m/s, "                                                                                                     \
         "acceleration: 20 m/s2}}\n"},                                                                               \
        {"sharing", "drives / sharing: actuators that are more than the dofs",                                       \
         "d' = -2 pi bandwidth P f / stiffness moves the actuators along what moves no dof until they no longer "    \
         "push against each\n"                                                                                       \
         "other; the forces are then the smallest that carry the specimen.",                                         \
         ifd__sharing_keys, "    sharing: {stiffness: 80 MN/m, bandwidth: 1 Hz, limit: 2 mm}\n"},                    \
        {"drive-actuator", "drives / actuators: one actuator", "", ifd__drive_actuator_keys,                         \
         "    actuators: [{name: left, base: [-4 m, 0 m], at: [-1 m, 0 m], limits: {stroke: 250 mm, velocity: 1 "    \
         "m/s, "                                                                                                     \
         "acceleration: 20 m/s2}}]\n"},                                                                              \
        {"channels", "channels: what the hardware's inputs mean",                                                    \
         "value = sign sensitivity raw + offset - zero, in the channel's unit. Each is the position or the force "   \
         "of an actuator, or is\n"                                                                                   \
         "only recorded. Commands go back through the channel of the position. Raw numbers and values are both in "  \
         "the result.\n"                                                                                             \
         "`interfield channels` shows them live, `interfield zero` tares. Every name but `zero` is a channel (help " \
         "channel).",                                                                                                \
         ifd__channels_keys,                                                                                         \
         "    channels:\n"                                                                                           \
         "      zero: my.zero.yaml\n"                                                                                \
         "      stroke: {input: position 1, measures: position of bearing, unit: mm, sensitivity: 25, range: "       \
         "[-250, 250], "                                                                                             \
         "zero-limit: 2}\n"                                                                                          \
         "      cell: {input: force 1, measures: force of bearing, unit: kN, sensitivity: 10, sign: -1, range: "     \
         "[-100, 100]}\n"                                                                                            \
         "      top: {input: aux 1, unit: g, sensitivity: 0.5, range: [-2, 2], calibrated: 2026-09-01}\n"},          \
    {                                                                                                                \
        "channel", "channels: one channel", "", ifd__channel_keys,                                                   \
            "    top: {input: aux 1, unit: g, sensitivity: 0.5, zero-limit: 0.05}\n"                                 \
    }

#endif
