/* SPDX-License-Identifier: MIT */
#include "io/keys.h"

#include <assert.h>
#include <string.h>

#include "io/keys_channels.h"
#include "io/keys_day.h"
#include "io/keys_mounted.h"

static const ifd__key case_keys[] = {
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

static const ifd__key time_keys[] = {
    NUMBER("step", TIME, POSITIVE, "step of the method"),
    NUMBER("end", TIME, POSITIVE, "the run goes from 0 to here, rounded to whole steps"),
    OPTION("record-every", NONE, POSITIVE, 1, NULL, "record each so many steps, of a test ticks; a whole number"),
    END};

static const ifd__key ground_keys[] = {
    FORM("motion", false, "the name of a signal (help signal); its parameters stand beside it", NULL,
         "a formula or a generated earthquake"),
    FORM("record", false,
         "a file: PEER AT2, or CSV of one or two columns; the parameters of the signal 'record' stand beside it",
         NULL, "a recorded acceleration"),
    FORM("signal", false, "{name: {parameters}}, or a list of them that is summed (help signal)", NULL,
         "the same as motion, and sums"),
    WORD("direction", "x|y|z", "the dofs of this kind are driven"), END};

static const ifd__key model_keys[] = {
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

static const ifd__key building_keys[] = {
    FORM("storeys", false, "a list of {mass, stiffness, damping, name}, from the bottom up", NULL,
         "each storey by itself (instead of the lists below)"),
    FORM("mass", false, "a list of masses, or one mass for all", NULL, "of the floors, from the bottom up"),
    FORM("stiffness", false, "a list of stiffnesses, or one for all", NULL, "of the storeys, from the bottom up"),
    FORM("damping", false, "a list of damping coefficients, or one for all", "none", "of the storeys"),
    WORD("direction", "x|y|z", "of the floors' displacements"),
    FORM("base", false, "the name of a support", "ground", "what the first storey stands on"),
    FORM("names", false, "a list of names", "floor1, floor2, ...", "of the floors, which are dofs"),
    END};

static const ifd__key storey_keys[] = {
    NUMBER("mass", MASS, POSITIVE, "of the floor"),
    NUMBER("stiffness", STIFFNESS, NOT_NEGATIVE, "of the storey below it; 0 when an element stands there"),
    OPTION("damping", DAMPING, NOT_NEGATIVE, 0, NULL, "of the storey below it"),
    TEXT("name", false, "floor1, floor2, ...", "of the floor"), END};

static const ifd__key frame_keys[] = {
    OPTION("dimension", NONE, POSITIVE, 2, NULL,
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

static const ifd__key frame_support_keys[] = {
    FORM("hold", false, "fixed, pinned, or a list of x, y, z, rx, ry, rz", "fixed", "what is held"),
    FORM("x", false, "the name of a support of the model", "the ground", "what moves the node along x"),
    FORM("y", false, "as x", "the ground", "along y"), FORM("z", false, "as x", "the ground", "along z"), END};

static const ifd__key material_keys[] = {
    NUMBER("young", PRESSURE, POSITIVE, "Young's modulus E"),
    OPTION("poisson", NONE, NOT_NEGATIVE, 0.2, NULL, "Poisson's ratio; gives the shear modulus of frames in space"),
    OPTION("shear", PRESSURE, POSITIVE, 0, "E / (2 (1 + poisson))", "shear modulus G"),
    OPTION("density", DENSITY, NOT_NEGATIVE, 0, NULL, "mass per volume"), END};

static const ifd__key section_keys[] = {
    OPTION("width", LENGTH, POSITIVE, 0, "none", "of a rectangle: across the plane of bending"),
    OPTION("depth", LENGTH, POSITIVE, 0, "none", "of a rectangle: in the plane of bending (vertical in a beam)"),
    OPTION("area", AREA, POSITIVE, 0, "width depth", "cross section"),
    OPTION("iz", INERTIA, POSITIVE, 0, "width depth^3 / 12", "second moment of area, bending in the plane"),
    OPTION("iy", INERTIA, POSITIVE, 0, "depth width^3 / 12", "second moment of area, bending across (in space)"),
    OPTION("j", INERTIA, POSITIVE, 0, "of the rectangle", "torsion constant (in space)"),
    END};

static const ifd__key grid_keys[] = {
    FORM("bays", true, "a list of lengths; '3 x 6 m' stands for three of 6 m", NULL, "widths along x"),
    FORM("bays-y", false, "as bays", NULL, "widths along y; required in space"),
    FORM("storeys", true, "as bays", NULL, "heights, from the bottom up"),
    TEXT("columns", true, NULL, "name of their section"),
    TEXT("beams", true, NULL, "name of their section"),
    OPTION("beam-mass", MASS_PER_LENGTH, NOT_NEGATIVE, 0, NULL, "added to every beam: slabs"),
    WORD("base", "fixed|pinned", "feet of the columns"),
    END};

static const ifd__key rayleigh_keys[] = {
    OPTION("mass", ANY, NOT_NEGATIVE, 0, NULL, "a, in 1/s"),
    OPTION("stiffness", TIME, NOT_NEGATIVE, 0, NULL, "b, in s"),
    OPTION("ratio", NONE, POSITIVE, 0, "none",
           "damping ratio at the two frequencies, or of the two modes (instead of a, b)"),
    FORM("frequencies", false, "[first, second]", NULL, "in Hz, where the ratio holds"),
    FORM("modes", false, "[first, second]", NULL, "numbers from 1, of the modes of the undamped model"),
    END};

static const ifd__key element_keys[] = {
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

static const ifd__key condense_keys[] = {FORM("keep", true, "a list of names", NULL, "dofs that stay"), END};

static const ifd__key load_keys[] = {TEXT("at", true, NULL, "a dof"),
                                     FORM("force", true, "a signal (help signal)", NULL, "N, or N m on a rotation"),
                                     END};

static const ifd__key initial_keys[] = {
    FORM("displacement", false, "{dof: value}", "0", "m, or rad of rotations and pendulums"),
    FORM("velocity", false, "{dof: value}", "0", "m/s, or rad/s"), END};

static const ifd__key specimen_keys[] = {
    TEXT("name", false, "its kind and number", "for the result and for messages"),
    FORM("estimate", false, "{stiffness, damping}", "zero",
         "what the method may assume of it in its Jacobian; never enters the force"),
    OPTION("devices", NONE, POSITIVE, 1, NULL, "how many equal devices the tested one stands for"),
    FORM("limits", false, "a mapping (help limits)", "none; a test needs them", "what must never be exceeded"),
    FORM("actuator", false, "a name, or {name: {parameters}} (help actuator)", "ideal", "of the virtual rig"),
    FORM("compensation", false, "a name, or {name: {parameters}} (help compensation)", "none",
         "of the actuator's delay"),
    FORM("position-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    FORM("force-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    IFD__FORCE_OFFSET_KEY,
    IFD__MOUNTED_KEYS,
    FORM("twin", false, "a mapping (help twin)", "none",
         "of a real rig: what it is like, for `interfield preflight`"),
    END};

static const ifd__key test_keys[] = {
    FORM("rig", false,
         "virtual, {udp: {...}}, {shm: {...}}, {plugin: {file: ...}}, {opensees-adapter: {...}}, {openfresco: {...}}",
         "virtual", "who moves the specimens"),
    WITHIN("lambda", NONE, 1e-3, 1e6, 1, NULL, "wall clock per simulated time: 1 real time, 50 to 200 pseudodynamic"),
    WITHIN("ticks-per-stage", NONE, 1, 1000, 1, NULL, "exchanges with the rig between two stages of the method"),
    WITHIN("ramp-in", TIME, 1e-6, 86400, 2, NULL, "time to the starting position"),
    WITHIN("settle", TIME, 1e-6, 86400, 0.2, NULL, "rest at the end of a ramp"),
    WITHIN("brake", TIME, 1e-6, 3600, 0.2, NULL, "in which hold comes to rest; longer after a slow run"),
    OPTION("creep", VELOCITY, POSITIVE, (double)INFINITY, "a tenth of the velocity limit", "of ramp-out"),
    WORD("leave", "stay|start|zero-force",
         "where ramp-out leaves the specimens; a yielded one must not go to its start"),
    WORD("overrun", "hold|extrapolate|stop", "what late ticks do"),
    WITHIN("late-limit", NONE, 1, 1e9, 5, NULL, "late ticks in a row that extrapolate tolerates"),
    WITHIN("stale-limit", NONE, 1, 1e9, 10, "10, and those of 10 ms at least", "silent ticks in a row before a trip"),
    IFD__ARM_KEYS,
    WORD("force-stuck", "noise|bits|off", "a force that stays the same in motion trips: after noise; always; never"),
    WITHIN("error-bound", NONE, 1e-9, 1e6, 0.1, NULL, "rms error that preflight may predict before it warns"),
    {.param = {.name = "allow-resume", .shape = IFD_SHAPE_FLAG, .doc = "after hold, with a rate-dependent specimen"},
     .preset = "no"},
    {.param = {.name = "rate-dependent", .shape = IFD_SHAPE_FLAG, .doc = "the specimens feel velocity"},
     .preset = "no"},
    WORD(
        "limits", "act|observe",
        "observe, on the virtual rig only: what would have tripped, held or been held back is counted, nothing acts"),
    IFD__DAY_KEYS,
    END};

static const ifd__key estimate_keys[] = {
    OPTION("stiffness", STIFFNESS, NOT_NEGATIVE, 0, NULL, "between the specimen's two ends"),
    OPTION("damping", DAMPING, NOT_NEGATIVE, 0, NULL, "between the specimen's two ends"), END};

static const ifd__key output_keys[] = {
    {.param = {.name = "csv", .shape = IFD_SHAPE_FLAG, .doc = "also write result.csv"}, .preset = "no"}, END};

static const ifd__key no_keys[] = {END};

const ifd__section ifd__sections[] = {
    {"case", "The whole file",
     "One YAML file says what to run. Numbers may carry a unit (`1 ms`, `0.2 g`, `30 GPa`, `5 t`); without one they "
     "are in SI units\n"
     "(m, kg, s, N, rad). Things are named, not numbered. `include: file.yaml` in any mapping takes over the keys of "
     "another file; keys\n"
     "written beside it win. Paths are relative to the file they stand in. Unknown keys are errors, and all errors "
     "of a file are reported\n"
     "at once.",
     case_keys,
     "    title: Two storeys\n"
     "    time: {step: 1 ms, end: 20 s}\n"
     "    method: lsrt2\n"
     "    ground: {motion: kanai-tajimi, seed: 7, peak: 0.3 g}\n"
     "    model:\n"
     "      shear-building:\n"
     "        storeys:\n"
     "          - {mass: 2 t, stiffness: 4 MN/m}\n"
     "          - {mass: 2 t, stiffness: 3 MN/m}\n"
     "      modal-damping: 2 %\n"},
    {"time", "time: step and length",
     "Of a structure in parts, the step is the time between two synchronisations (help substructures).", time_keys,
     "    time: {step: 1 ms, end: 20 s, record-every: 5}\n"},
    {"method", "method: how the model moves through time",
     "A name, or a name with parameters. `interfield list methods` says what each is good for.", no_keys,
     "    method: {lsrt2: {gamma: plus, jacobian: frozen}}\n"},
    {"ground", "ground: acceleration of the ground",
     "One of motion, record and signal. Displacements, velocities and accelerations of the result are relative to "
     "the ground. A list of\n"
     "such mappings drives several directions.",
     ground_keys,
     "    ground: {motion: kanai-tajimi, seed: 7, peak: 0.3 g}\n"
     "    ground: {record: my_motion.AT2, scale: 1.2, direction: y}\n"
     "    ground: {signal: {sine: {amplitude: 0.1 g, frequency: 2 Hz}}}\n"},
    {"signal", "Signals: numbers over time",
     "Written as `{name: {parameters}}`, as a list of these, which is summed, or as a single number, which is "
     "constant. Amplitudes have the\n"
     "unit of what the signal drives.",
     no_keys, "    force: {pulse: {amplitude: 2 kN, duration: 0.1 s}}\n"},
    {"model", "model: what moves",
     "Dofs and matrices, a shear building, a frame, or several of them together; elements join them.", model_keys,
     "    model:\n"
     "      dofs: [x1, x2]\n"
     "      mass: [1.5 kg, 10 kg]\n"
     "      stiffness: [[8000, -4000], [-4000, 4000]]\n"},
    {"shear-building", "model / shear-building", "", building_keys,
     "    shear-building: {mass: [2 t, 2 t, 1.5 t], stiffness: [4 MN/m, 3 MN/m, 2 MN/m]}\n"},
    {"storey", "model / shear-building / storeys: one storey", "", storey_keys,
     "    storeys: [{mass: 2 t, stiffness: 4 MN/m, name: first}, {mass: 1 t, stiffness: 3 MN/m, name: roof}]\n"},
    {"frame", "model / frame",
     "Euler-Bernoulli members. Dofs are named node.x, node.y, node.rz (in space also .z, .rx, .ry).", frame_keys,
     "    frame:\n"
     "      material: {young: 30 GPa, density: 2.5 t/m3}\n"
     "      sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
     "      grid: {bays: 3 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam}\n"},
    {"frame-support", "model / frame / supports: one node that is moved", "", frame_support_keys,
     "    supports: {a: fixed, b: {hold: pinned, x: table}}\n"},
    {"material", "model / frame / material", "", material_keys,
     "    material: {young: 210 GPa, poisson: 0.3, density: 7850 kg/m3}\n"},
    {"section", "model / frame / sections: one section", "A rectangle by width and depth, or the values themselves.",
     section_keys, "    sections: {column: {width: 0.5 m, depth: 0.5 m}, pier: {area: 2 m2, iz: 0.4 m4}}\n"},
    {"grid", "model / frame / grid",
     "Nodes are named `s<storey>c<column>` in the plane (s0c1 is the foot of the first column) and "
     "`s<storey>x<i>y<j>` in space.",
     grid_keys, "    grid: {bays: 3 x 6 m, storeys: [4 m, 9 x 3 m], columns: column, beams: beam}\n"},
    {"rayleigh", "model / rayleigh: damping a M + b K",
     "By a and b, or by a ratio at two frequencies or of two modes.", rayleigh_keys,
     "    rayleigh: {ratio: 2 %, modes: [1, 3]}\n"},
    {"element", "model / elements",
     "Each element is a mapping with its kind as key, and its parameters, and where it is attached, under it. A name "
     "stands beside. An\n"
     "element of your own comes from a shared object that exports ifd_user_element (include/interfield/element.h).",
     element_keys,
     "    elements:\n"
     "      - name: storey1\n"
     "        bouc-wen: {between: [ground, x1], stiffness: 4000 N/m, beta: 5, gamma: 3}\n"
     "      - pendulum: {at: x2, mass: 0.1 kg, length: 0.2 m, angle: theta}\n"
     "      - low-pass: {read: [velocity x2], apply: [x2], gain: -50, cutoff: 5 Hz}\n"
     "      - {plugin: ./my_damper.so, element: {between: [x1, x2], constant: 3}}\n"},
    {"support", "model / supports: one support",
     "The signal is the displacement; its derivatives are used too. Tables and records are splines here unless they "
     "say otherwise.\n"
     "In a structure of parts a support may follow a dof instead (help rts).",
     ifd__support_keys,
     "    supports: {table: {displacement: {cosine: {amplitude: 1 mm, frequency: 5 rad/s}}}}\n"
     "    supports: {pivot: {follows: tower.floor3}}\n"},
    {"condense", "model / condense", "", condense_keys, "    condense: {keep: [deck1, deck6, deck11]}\n"},
    {"substructures", "substructures: one part of a structure that is given in parts",
     "Ground motion is that of the case and the same for all parts. The step of the case is the time between two "
     "synchronisations: the step\n"
     "of the coarse part in `staggered` and `pg-alpha`; in `parallel` the coarse side takes steps of four times "
     "that, one in every step.\n"
     "A part that no joint reaches moves on its own, which is said. Channels are named `part.dof`.",
     ifd__substructure_keys,
     "    substructures:\n"
     "      tower: {model: {shear-building: {mass: [2 t, 2 t], stiffness: 4 MN/m}}, coarse: yes}\n"
     "      top:\n"
     "        model: {dofs: [base, mast], mass: [200 kg, 50 kg], stiffness: [[1e6, -1e6], [-1e6, 1e6]]}\n"
     "        method: {lsrt2: {gamma: plus}}\n"
     "        subcycles: 10\n"
     "    joints: [tower.floor2 = top.base]\n"},
    {"cut", "cut: a model given whole, cut into parts",
     "A dof that several parts hold lies on the cut: it appears in each, and joints are made. A member, spring or "
     "element goes to the part\n"
     "that holds all its dofs. What lies on the cut alone is shared by mass-ratio: the mass of a floor, and whole "
     "beams of a floor that is\n"
     "cut. A matrix that was given by its numbers is cut as a net of springs. Modal damping and condensed models "
     "cannot be cut.",
     ifd__cut_keys,
     "    model: {shear-building: {mass: [2 t, 2 t, 2 t, 1 t], stiffness: 4 MN/m}}\n"
     "    cut:\n"
     "      mass-ratio: 0.6\n"
     "      parts: {lower: storeys 1 to 3, upper: {holds: storeys 3 to 4, subcycles: 10}}\n"},
    {"cut-part", "cut / parts: one part", "A text or a list instead of a mapping says what it holds.",
     ifd__cut_part_keys, "    upper: {holds: [storeys 7 to 10], method: {lsrt2: {gamma: plus}}, subcycles: 10}\n"},
    {"joints", "joints: which dofs move together",
     "Each joint is an equation between dofs written `part.dof`: one on either side, or sums with coefficients, "
     "which stand for signs,\n"
     "levers and rigid links. A coefficient with a unit of length multiplies a rotation. Of a frame, `part.node` "
     "on both sides joins all\n"
     "dofs that the two nodes have in common. Any number of parts may meet; no joint may follow from others. A dof "
     "in a joint needs mass.",
     no_keys,
     "    joints:\n"
     "      - tower.floor5 = top.base\n"
     "      - tower.x = -1 * top.x + 0.5 m * top.rz\n"},
    {"coupling", "coupling: how the parts are advanced together",
     "A name, or a name with settings. The forces in the joints are found without iteration; gaps, and the energy "
     "that the joints make or\n"
     "lose, are in every result. Which method, subcycles and step to choose: docs/stability.md; `interfield "
     "stability` says what a case\n"
     "will do. `{opensees-adapter: {port: N}}` joins one model to OpenSees, without parts (help opensees-adapter).",
     ifd__coupling_keys, "    coupling: {parallel: {threads: 2, drift: baumgarte}}\n"},
    IFD__FMU_SECTION,
    {"rts", "coupling / rts: parts that follow others, by extrapolated forces",
     "No joints: a support of a part follows a dof of a part that is listed before it, and the reaction there, "
     "extrapolated, loads that\n"
     "dof. A part may follow several and lead several. When to use it, and the limit of added mass: "
     "docs/extrapolation.md.",
     ifd__rts_keys,
     "    substructures:\n"
     "      cart: {model: {dofs: [x], mass: 15 kg, stiffness: 1 kN/m}}\n"
     "      pendulum:\n"
     "        model:\n"
     "          supports: {pivot: {follows: cart.x}}\n"
     "          elements: [{pendulum: {at: pivot, mass: 1 kg, length: 0.5 m, angle: theta}}]\n"
     "        method: {mtl: {order: 4}}\n"
     "    coupling: {rts: {past: 10, ahead: 3, extrapolator: {reproducing-kernel: {degree: 4, dilation: 0.16 "
     "s}}}}\n"},
    {"rts-start", "coupling / rts / start: the iterative start", "", ifd__rts_start_keys,
     "    start: {steps: 9, tolerance: 1e-9}\n"},
    {"rts-durations", "coupling / rts / durations: what a step has to hold",
     "The budget of the scheme is step >= compute + actuate + measure.", ifd__rts_duration_keys,
     "    durations: {compute: 0.2 ms, actuate: 6 ms, measure: 1 ms}\n"},
    {"extrapolator", "coupling / rts / extrapolator",
     "`interfield extrapolator NAME` prints the matrix, its noise gain and its limit of added mass. A dilation is in "
     "steps, or a time when\n"
     "it has a unit.",
     no_keys, "    extrapolator: {lagrange: {degree: 3}}\n"},
    {"loads", "loads: forces on dofs", "", load_keys,
     "    loads: [{at: x1, force: {sine: {amplitude: 10 N, frequency: 3 Hz}}}]\n"},
    {"initial", "initial: the state at the start", "", initial_keys,
     "    initial: {displacement: {x1: 1 mm}, velocity: {theta: 0.1 rad/s}}\n"},
    {"specimen", "specimen: what is measured",
     "A pair element that stands outside the model: its displacement is commanded and its force measured, at every "
     "stage of the method.\n"
     "Written like an element. `interfield run` takes it as ideal, without delay or noise; `interfield test` puts "
     "it on a rig (`help test`).\n"
     "The method must be able to measure (`interfield help method`). On a rotation, limits are in rad and N m: "
     "leave the unit out.\n"
     "In a structure in parts its ends are dofs of one part, `part.dof`, or the ground.\n"
     "Instead of an element it may be a whole `model` with dofs, mass and hysteresis of its own: an actuator moves "
     "each of its supports\n"
     "that follows a dof, and the load cell there feels the reaction. A run then computes structure and specimen "
     "as one.\n"
     "Where the ground shakes, these actuators move with it too, so that the specimen's mass feels what it would.",
     specimen_keys,
     "    specimen:\n"
     "      - name: bearing\n"
     "        spring: {between: [ground, x1], stiffness: 4000 N/m}\n"
     "        estimate: {stiffness: 3800 N/m}\n"
     "      - name: pendulum\n"
     "        model:\n"
     "          supports: {pivot: {follows: x1}}\n"
     "          elements: [{pendulum: {at: pivot, mass: 1 kg, length: 0.5 m, angle: theta}}]\n"},
    IFD__MASS_SECTION,
    {"estimate", "specimen / estimate", "", estimate_keys, "    estimate: {stiffness: 3800 N/m, damping: 2 N s/m}\n"},
    {"test", "test: the rig",
     "`interfield test` leads the specimens along their path on a rig, tick by tick, inside their limits; "
     "`interfield run`\n"
     "takes the same case with ideal specimens. The virtual rig is in this process; udp and shm reach `interfield "
     "rig`.",
     test_keys,
     "    specimen:\n"
     "      - name: bearing\n"
     "        sliders: {between: [pier, deck], sliders: [[6.67e7 N/m, 1.5 mm]], spring: 5e5 N/m}\n"
     "        estimate: {stiffness: 6.7e7 N/m}\n"
     "        devices: 2\n"
     "        actuator: {second-order: {frequency: 20 Hz}}\n"
     "        compensation: {polynomial: {delay: 8 ms}}\n"
     "        limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
     "    test: {lambda: 1, ticks-per-stage: 2, leave: zero-force}\n"},
    {"preload", "test / preload: static equilibrium before t = 0",
     "Loads and ground accelerations that are constant (a plain number) act before t = 0: the numerical part is "
     "solved for them, the\n"
     "specimens are ramped there, and the solution is corrected with the forces they answer until it stands still.",
     ifd__preload_keys, "    test: {preload: {tolerance: 5 um}}\n"},
    {"characterise", "test / characterise: small motions that tell what stands on the rig",
     "A rest, a slow cycle, a step and a periodic sweep of each specimen in turn, all under its limits "
     "(docs/test-day.md).",
     ifd__characterise_keys, "    test: {characterise: {stroke-share: 1 %, fastest: 20 Hz}}\n"},
    IFD__CHANNEL_SECTIONS,
    {"limits", "specimen / limits", "", ifd__limit_keys,
     "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2}\n"},
    {"actuator", "specimen / actuator: of the virtual rig", "", no_keys, "    actuator: {delay: {delay: 12 ms}}\n"},
    {"compensation", "specimen / compensation", "", no_keys, "    compensation: {polynomial: {delay: 12 ms}}\n"},
    {"sensor", "specimen / position-sensor, force-sensor: of the virtual rig", "", no_keys,
     "    force-sensor: {noise: 2 N, seed: 7}\n"},
    {"opensees", "master / opensees: OpenSees computes the structure",
     "`interfield serve opensees CASE` waits for the script; its genericClient elements connect, and the specimens "
     "move as it says\n"
     "(docs/opensees.md). `time: step` is the time step of the script.",
     ifd__opensees_keys,
     "    master:\n"
     "      opensees: {port: 8090, elements: [[top], {dofs: [deck, pier], stiffness: [[3e6, -3e6], [-3e6, "
     "3e6]]}]}\n"},
    {"opensees-element", "master / opensees / elements", "", ifd__opensees_element_keys,
     "    elements: [{dofs: [deck, pier], stiffness: [[3e6, -3e6], [-3e6, 3e6]]}]\n"},
    {"twin", "specimen / twin: what a real rig is like",
     "`interfield preflight` cannot move a real rig (udp, shm, plugin): it takes this model of it. All specimens of "
     "a case have one,\nor none has.",
     ifd__twin_keys, "    twin: {actuator: {second-order: {frequency: 12 Hz}}, force-sensor: {noise: 200 N}}\n"},
    {"record", "record: what is written to the result",
     "`all`, or a list of displacement, velocity, acceleration, elements, energy, ground, joints, stages, and names "
     "of dofs. "
     "Dofs that are named\n"
     "are recorded alone, otherwise all of them are. A dof of a part is `part.dof`; without its part it stands for "
     "that of every part.\n"
     "The result of a test always holds its clock, its state and its rig, besides what is chosen of displacements "
     "and joints, and\nwith `stages` how long each stage of a tick took; "
     "the journal beside it holds every tick whole (docs/record.md).",
     no_keys, "    record: [displacement, energy, floor3]\n"},
    {"output", "output: further result files", "", output_keys, "    output: {csv: yes}\n"},
    {"units", "Units",
     "A number may carry a unit of its dimension: products and quotients of known units with SI prefixes, "
     "exponents as in `m2` or `m^2`. `g` is the acceleration of gravity, 9.80665 m/s2. A frequency is in Hz; "
     "written in rad/s it is divided by 2 pi.",
     no_keys, "    stiffness: 4 kN/mm\n"},
    {0}};

const ifd__section *ifd__section_find(const char *topic)
{
    for (const ifd__section *s = ifd__sections; s->topic; s++)
        if (strcmp(s->topic, topic) == 0)
            return s;
    return NULL;
}

const ifd__section *ifd__section_of(const char *topic)
{
    const ifd__section *s = ifd__section_find(topic);
    assert(s && "no such section");
    return s;
}

const ifd__key *ifd__key_find(const ifd__key *keys, const char *name)
{
    for (; keys->param.name; keys++)
        if (strcmp(keys->param.name, name) == 0)
            return keys;
    return NULL;
}

bool ifd__param_hidden(const ifd_param *p)
{
    return p->doc && strncmp(p->doc, "set from ", 9) == 0;
}
