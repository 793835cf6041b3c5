/* SPDX-License-Identifier: MIT */
/* The keys of a structure that another program computes. */
#include <stddef.h>

#include <interfield/remote.h>

#include "io/keys_rows.h"

const ifd__key ifd__opensees_keys[] = {
    FORM("elements", true, "a list of elements (help opensees-element), or of lists of dofs", NULL,
         "the genericClient elements of the script, in the order of their commands"),
    FORM("kinds", false, "{name: kind}; x, y, z, rx, ry, rz, angle, stretch", "x", "direction of a dof"),
    {.param = {.name = "port",
               .range = IFD_RANGE_WITHIN,
               .min = 0,
               .max = 65535,
               .preset = 8090,
               .doc = "where the script finds this program; 0: one that is free"}},
    TEXT("host", false, "127.0.0.1", "the address to listen at"),
    WORD("transport", "tcp|udp", "udp is for loopback and links of their own: what is lost stops the test"),
    {.param = {.name = "order",
               .range = IFD_RANGE_WITHIN,
               .min = 0,
               .max = 3,
               .preset = 3,
               .doc =
                   "of the polynomial that continues the motion until the next target; 0, and rest at every target, "
                   "for schemes that iterate"}},
    WITHIN("length", LENGTH, 1e-9, 1e6, 1, NULL, "the script's unit, as `1 in`, `1 mm`"),
    WITHIN("force", FORCE, 1e-9, 1e12, 1, NULL, "the script's unit, as `1 kN`, `4.4482216 kN` for a kip"),
    WITHIN("patience", TIME, 1e-3, 1e7, 300, NULL,
           "silence after which the script counts as lost, once it has made a step"),
    {.param = {.name = "trials",
               .range = IFD_RANGE_WITHIN,
               .min = 1,
               .max = IFD_REMOTE_TRIALS,
               .preset = 1,
               .doc = "displacements that the script tries in each step, spread over it evenly: with integrators "
                      "...HSFixedNumIter and `test FixedNumIter N`"}},
    WITHIN("stall", TIME, 1e-3, 1e7, 5, NULL, "that a message may take to arrive"),
    END};

const ifd__key ifd__opensees_element_keys[] = {
    FORM("dofs", true, "a list of names", NULL, "in the order of -node, and of -dof within each node"),
    FORM("stiffness", false, "a list (the diagonal) or a list of rows", "by the estimates of the specimens",
         "the answer when the script asks for a stiffness; only implicit schemes use it"),
    FORM("damping", false, "as stiffness", "zero",
         "is added to the structure by the script: the measured force already has the specimen's own"),
    FORM("mass", false, "as stiffness", "zero", "is added to the structure by the script"), END};
