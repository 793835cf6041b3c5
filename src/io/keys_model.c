/* SPDX-License-Identifier: MIT */
/* The keys of a model: dofs and matrices, shear buildings, frames, damping, elements. */
#include <stddef.h>

#include "io/keys_rows.h"

const ifd__key ifd__model_keys[] = {
    FORM("dofs", false, "a list of names, or a number n for x1 ... xn", "what the structures below bring",
         "degrees of freedom, in the order of the matrices"),
    FORM("kinds", false, "{name: kind}; x, y, z, rx, ry, rz, angle, stretch", "x",
         "direction of a dof: its unit, and whether the ground drives it"),
    FORM("mass", false, "a list (the diagonal), a list of rows, or a Matrix Market file",
         "what the structures below bring", "mass matrix of the dofs; symmetric, positive"),
    FORM("damping", false, "as mass", "none", "damping matrix of the dofs"),
    FORM("stiffness", false, "as mass", "what the structures below bring", "stiffness matrix of the dofs"),
    FORM("shear-building", false, "a mapping (help shear-building)", "none", "storeys on top of each other"),
    FORM("frame", false, "a mapping (help frame)", "none", "beams and columns, planar or in space"),
    FORM("masses", false, "{name: mass}", "none",
         "point masses on a dof, on a support, or on all translations of a node of the frame; negative: taken away"),
    FORM("rayleigh", false, "a mapping (help rayleigh)", "none", "damping a M + b K"),
    FORM("modal-damping", false, "a ratio, or a list of ratios of the lowest modes", "none",
         "damping ratio of the modes; the last one holds for all above"),
    FORM("elements", false, "a list (help element)", "none", "springs, dashpots, hysteresis, pendulums, controllers"),
    FORM("supports", false, "{name: {displacement: signal}} or {name: {follows: part.dof}} (help support)", "none",
         "points with a prescribed displacement, to which elements are attached; also an angle of a pendulum"),
    FORM("condense", false, "{keep: [names]}", "nothing is condensed", "Guyan condensation: only these dofs stay"),
    END};

const ifd__key ifd__building_keys[] = {
    FORM("storeys", false, "a list of {mass, stiffness, damping, name}, from the bottom up", NULL,
         "each storey by itself (instead of the lists below)"),
    FORM("mass", false, "a list of masses, or one mass for all", NULL, "of the floors, from the bottom up"),
    FORM("stiffness", false, "a list of stiffnesses, or one for all", NULL, "of the storeys, from the bottom up"),
    FORM("damping", false, "a list of damping coefficients, or one for all", "none", "of the storeys"),
    WORD("direction", "x|y|z", "of the floors' displacements"),
    FORM("base", false, "the name of a support", "ground", "what the first storey stands on"),
    FORM("names", false, "a list of names", "floor1, floor2, ...", "of the floors, which are dofs"),
    END};

const ifd__key ifd__storey_keys[] = {
    NUMBER("mass", MASS, 1e-9, 1e12, "of the floor"),
    NUMBER("stiffness", STIFFNESS, 0, 1e18, "of the storey below it; 0 when an element stands there"),
    WITHIN("damping", DAMPING, 0, 1e18, 0, NULL, "of the storey below it"),
    TEXT("name", false, "floor1, floor2, ...", "of the floor"), END};

const ifd__key ifd__frame_keys[] = {
    WITHIN("dimension", NONE, 2, 3, 2, NULL,
           "2: in the plane x-y (y up), dofs x, y, rz; 3: in space (z up), six dofs"),
    WORD("mass", "consistent|lumped", "how the members' mass comes to the nodes"),
    FORM("material", true, "{young, poisson or shear, density}", NULL, "of all members (help material)"),
    FORM("sections", true, "{name: section} (help section)", NULL, "cross sections"),
    FORM("grid", false, "a mapping (help grid)", NULL, "a regular building frame (instead of nodes and members)"),
    FORM("nodes", false, "{name: [x, y]} or {name: [x, y, z]}", NULL, "where the nodes are"),
    FORM("members", false, "a list of [node, node, section]", NULL, "straight, rigidly joined"),
    FORM("supports", false, "{node: fixed | pinned | [x, y, ...] | {hold, x, y, z}} (help frame-support)",
         "of a grid: the base is fixed", "which displacements of which nodes are held"),
    END};

const ifd__key ifd__frame_support_keys[] = {
    FORM("hold", false, "fixed, pinned, or a list of x, y, z, rx, ry, rz", "fixed", "what is held"),
    FORM("x", false, "the name of a support of the model", "the ground", "what moves the node along x"),
    FORM("y", false, "as x", "the ground", "along y"), FORM("z", false, "as x", "the ground", "along z"), END};

const ifd__key ifd__material_keys[] = {
    NUMBER("young", PRESSURE, 1e-3, 1e15, "Young's modulus E"),
    WITHIN("poisson", NONE, 0, 0.5, 0.2, NULL, "Poisson's ratio; gives the shear modulus of frames in space"),
    WITHIN("shear", PRESSURE, 1e-3, 1e15, 0, "E / (2 (1 + poisson))", "shear modulus G"),
    WITHIN("density", DENSITY, 0, 1e7, 0, NULL, "mass per volume"), END};

const ifd__key ifd__section_keys[] = {
    WITHIN("width", LENGTH, 1e-6, 1e3, 0, "none", "of a rectangle: across the plane of bending"),
    WITHIN("depth", LENGTH, 1e-6, 1e3, 0, "none", "of a rectangle: in the plane of bending (vertical in a beam)"),
    WITHIN("area", AREA, 1e-12, 1e6, 0, "width depth", "cross section"),
    WITHIN("iz", INERTIA, 1e-24, 1e9, 0, "width depth^3 / 12", "second moment of area, bending in the plane"),
    WITHIN("iy", INERTIA, 1e-24, 1e9, 0, "depth width^3 / 12", "second moment of area, bending across (in space)"),
    WITHIN("j", INERTIA, 1e-24, 1e9, 0, "of the rectangle", "torsion constant (in space)"),
    END};

const ifd__key ifd__grid_keys[] = {
    FORM("bays", true, "a list of lengths; '3 x 6 m' stands for three of 6 m", NULL, "widths along x"),
    FORM("bays-y", false, "as bays", NULL, "widths along y; required in space"),
    FORM("storeys", true, "as bays", NULL, "heights, from the bottom up"),
    TEXT("columns", true, NULL, "name of their section"),
    TEXT("beams", true, NULL, "name of their section"),
    WITHIN("beam-mass", MASS_PER_LENGTH, 0, 1e9, 0, NULL, "added to every beam: slabs"),
    WORD("base", "fixed|pinned", "feet of the columns"),
    END};

const ifd__key ifd__rayleigh_keys[] = {
    WITHIN("mass", ANY, 0, 1e6, 0, NULL, "a, in 1/s"),
    WITHIN("stiffness", TIME, 0, 1e4, 0, NULL, "b, in s"),
    WITHIN("ratio", NONE, 1e-9, 10, 0, "none",
           "damping ratio at the two frequencies, or of the two modes (instead of a, b)"),
    FORM("frequencies", false, "[first, second]", NULL, "in Hz, where the ratio holds"),
    FORM("modes", false, "[first, second]", NULL, "numbers from 1, of the modes of the undamped model"),
    END};

const ifd__key ifd__element_keys[] = {
    TEXT("name", false, "its kind and number", "for the result and for messages"),
    FORM("between", false, "[from, to]", NULL,
         "a pair element acts on u(to) - u(from); each is a dof, a support or 'ground'"),
    FORM("at", false, "a name", "of a pendulum: the ground", "a pair element acts on u alone; a pendulum hangs here"),
    FORM("angle", false, "a name", "ELEMENT.angle", "of a pendulum: name of its own dof (also angle2, stretch)"),
    FORM("read", false, "a list of '[displacement|velocity] dof' or '[displacement|velocity] to - from'", NULL,
         "of a block: what it reads; displacement when neither is said"),
    FORM("apply", false, "a list of dofs, or of pairs [from, to]", NULL,
         "of a block: its force acts on the dof, or on 'to' and oppositely on 'from'"),
    TEXT("plugin", false, "none",
         "shared object with an element of your own, which is then written as 'element: {...}'"),
    END};

const ifd__key ifd__condense_keys[] = {FORM("keep", true, "a list of names", NULL, "dofs that stay"), END};
