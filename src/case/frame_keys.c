/* SPDX-License-Identifier: MIT */
/* The keys that frame.c reads. */
#include "case/keys.h"

static const ifd__key frame_keys[] = {
    WITHIN("dimension", NONE, 2, 3, 2, NULL, "2: plane x-y (y up) with dofs x, y, rz; 3: space (z up) with six dofs"),
    WORD("mass", "consistent|lumped", "mass matrix of the members"),
    FORM("material", true, "{young, poisson or shear, density}", NULL, "material of all members (help material)"),
    FORM("sections", true, "{name: section} (help section)", NULL, "cross sections"),
    FORM("grid", false, "mapping (help grid)", NULL, "regular building frame; alternative: nodes and members"),
    FORM("nodes", false, "{name: [x, y]} or {name: [x, y, z]}", NULL, "coordinates of the nodes"),
    FORM("members", false, "list of [node, node, section] or [node, node, section, name]", NULL,
         "straight members with rigid connections; the name of recorded forces is 'node-node' unless given"),
    FORM("supports", false, "{node: fixed | pinned | [x, y, ...] | {hold, x, y, z}} (help frame-support)",
         "for a grid: fixed base", "fixed displacements of nodes"),
    WORD("geometry", "linear|p-delta",
         "p-delta adds the geometric stiffness of the axial forces under gravity (a static solution of the frame)"),
    WITHIN("gravity", ACCELERATION, 0, 1e3, 9.81, NULL,
           "with p-delta: acceleration that acts on the mass of members"),
    WORD("axial", "constant|current",
         "with p-delta: axial forces remain those under gravity, or follow the motion (an element p-delta-member for "
         "each member and plane of bending; needs mass at rotations, as `mass: consistent` has)"),
    FORM("gravity-loads", false, "{node: force}", "none", "with p-delta: further loads on nodes, downwards"),
    END};
const ifd__section ifd__section_frame = {
    "frame",
    "frame: beams and columns",
    "model.frame",
    "Euler-Bernoulli members. Dofs are named node.x, node.y, node.rz (in space also .z, .rx, .ry).",
    frame_keys,
    "model:\n"
    "  frame:\n"
    "    dimension: 2\n"
    "    mass: lumped\n"
    "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
    "    grid: {bays: 3 x 6 m, storeys: 4 x 3 m, columns: column, beams: beam}\n"
    "\n"
    "model:\n"
    "  frame:\n"
    "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
    "    sections: {post: {width: 0.2 m, depth: 0.2 m}}\n"
    "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
    "    members: [[a, b, post], [b, c, post], [c, d, post]]\n"
    "    supports: {a: fixed, d: pinned}\n"
    "    geometry: p-delta\n"
    "    gravity: 9.81 m/s2\n"
    "    axial: current\n"
    "    gravity-loads: {b: 200 kN, c: 200 kN}\n"};

static const ifd__key frame_support_keys[] = {
    FORM("hold", false, "fixed, pinned, or a list of x, y, z, rx, ry, rz", "fixed",
         "fixed displacements and rotations"),
    FORM("x", false, "name of a support of the model", "the ground", "support that moves the node along x"),
    FORM("y", false, "as x", "the ground", "support that moves the node along y"),
    FORM("z", false, "as x", "the ground", "support that moves the node along z"), END};
const ifd__section ifd__section_frame_support = {
    "frame-support",
    "frame-support: one moving node of a frame",
    "model.frame.supports.*",
    "",
    frame_support_keys,
    "model:\n"
    "  frame:\n"
    "    dimension: 3\n"
    "    material: {young: 210 GPa, poisson: 0.3, density: 7850 kg/m3}\n"
    "    sections: {post: {width: 0.2 m, depth: 0.2 m}}\n"
    "    nodes: {a: [0 m, 0 m, 0 m], b: [0 m, 0 m, 3 m]}\n"
    "    members: [[a, b, post]]\n"
    "    supports: {a: {hold: fixed, x: table, y: table, z: lift}}\n"
    "  supports:\n"
    "    table: {displacement: {sine: {amplitude: 1 mm, frequency: 2 Hz}}}\n"
    "    lift: {displacement: {sine: {amplitude: 0.2 mm, frequency: 3 Hz}}}\n"};

static const ifd__key material_keys[] = {
    NUMBER("young", PRESSURE, 1e-3, 1e15, "Young's modulus E"),
    WITHIN("poisson", NONE, 0, 0.5, 0.2, NULL, "Poisson's ratio, for the shear modulus of a frame in space"),
    WITHIN("shear", PRESSURE, 1e-3, 1e15, 0, "E / (2 (1 + poisson))", "shear modulus G"),
    WITHIN("density", DENSITY, 0, 1e7, 0, NULL, "mass density"), END};
const ifd__section ifd__section_material = {"material",
                                            "material: material of a frame",
                                            "model.frame.material",
                                            "",
                                            material_keys,
                                            "model:\n"
                                            "  frame:\n"
                                            "    material: {young: 210 GPa, poisson: 0.3, density: 7850 kg/m3}\n"
                                            "    sections: {all: {width: 0.2 m, depth: 0.3 m}}\n"
                                            "    grid: {bays: 6 m, storeys: 3 m, columns: all, beams: all}\n"
                                            "\n"
                                            "model:\n"
                                            "  frame:\n"
                                            "    material: {young: 210 GPa, shear: 81 GPa, density: 7850 kg/m3}\n"
                                            "    sections: {all: {width: 0.2 m, depth: 0.3 m}}\n"
                                            "    grid: {bays: 6 m, storeys: 3 m, columns: all, beams: all}\n"};

static const ifd__key section_keys[] = {
    WITHIN("width", LENGTH, 1e-6, 1e3, 0, "none", "dimension of a rectangle perpendicular to the plane of bending"),
    WITHIN("depth", LENGTH, 1e-6, 1e3, 0, "none",
           "dimension of a rectangle in the plane of bending (vertical in a beam)"),
    WITHIN("area", AREA, 1e-12, 1e6, 0, "width depth", "area"),
    WITHIN("iz", INERTIA, 1e-24, 1e9, 0, "width depth^3 / 12", "second moment of area for bending in the plane"),
    WITHIN("iy", INERTIA, 1e-24, 1e9, 0, "depth width^3 / 12",
           "second moment of area for bending out of the plane (in space)"),
    WITHIN("j", INERTIA, 1e-24, 1e9, 0, "that of the rectangle", "torsion constant (in space)"),
    END};
const ifd__section ifd__section_section = {"section",
                                           "section: one cross section of a frame",
                                           "model.frame.sections.*",
                                           "A rectangle with `width` and `depth`, or the section properties.",
                                           section_keys,
                                           "model:\n"
                                           "  frame:\n"
                                           "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
                                           "    sections:\n"
                                           "      beam: {width: 0.3 m, depth: 0.6 m}\n"
                                           "      column: {area: 0.25 m2, iz: 0.005 m4, iy: 0.005 m4, j: 0.009 m4}\n"
                                           "    grid: {bays: 6 m, storeys: 2 x 3 m, columns: column, beams: beam}\n"};

static const ifd__key grid_keys[] = {
    FORM("bays", true, "list of lengths; '3 x 6 m' means three of 6 m", NULL, "widths of the bays along x"),
    FORM("bays-y", false, "as bays", NULL, "widths of the bays along y; required in space"),
    FORM("storeys", true, "as bays", NULL, "heights of the storeys, from the bottom"),
    TEXT("columns", true, NULL, "name of the section"),
    TEXT("beams", true, NULL, "name of the section"),
    WITHIN("beam-mass", MASS_PER_LENGTH, 0, 1e9, 0, NULL, "additional mass of every beam, such as a slab"),
    WORD("base", "fixed|pinned", "supports of the columns"),
    END};
const ifd__section ifd__section_grid = {
    "grid",
    "grid: regular building frame",
    "model.frame.grid",
    "Nodes are named `s<storey>c<column>` in the plane (s0c1 is the base of the first column) and "
    "`s<storey>x<i>y<j>` in space.",
    grid_keys,
    "model:\n"
    "  frame:\n"
    "    dimension: 3\n"
    "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
    "    grid:\n"
    "      bays: 2 x 6 m\n"
    "      bays-y: [5 m]\n"
    "      storeys: [4 m, 2 x 3 m]\n"
    "      columns: column\n"
    "      beams: beam\n"
    "      beam-mass: 1.5 t/m\n"
    "      base: pinned\n"};
