/* SPDX-License-Identifier: MIT */
#include "io/keys.h"

#include <assert.h>
#include <string.h>

#include "io/keys_channels.h"
#include "io/keys_day.h"
#include "io/keys_mounted.h"

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
     ifd__case_keys,
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
     "Of a structure in parts, the step is the time between two synchronisations (help substructures).",
     ifd__time_keys, "    time: {step: 1 ms, end: 20 s, record-every: 5}\n"},
    {"method", "method: how the model moves through time",
     "A name, or a name with parameters. `interfield list methods` says what each is good for.", no_keys,
     "    method: {lsrt2: {gamma: plus, jacobian: frozen}}\n"},
    {"ground", "ground: acceleration of the ground",
     "One of motion, record and signal. Displacements, velocities and accelerations of the result are relative to "
     "the ground. A list of\n"
     "such mappings drives several directions.",
     ifd__ground_keys,
     "    ground: {motion: kanai-tajimi, seed: 7, peak: 0.3 g}\n"
     "    ground: {record: my_motion.AT2, scale: 1.2, direction: y}\n"
     "    ground: {signal: {sine: {amplitude: 0.1 g, frequency: 2 Hz}}}\n"},
    {"signal", "Signals: numbers over time",
     "Written as `{name: {parameters}}`, as a list of these, which is summed, or as a single number, which is "
     "constant. Amplitudes have the\n"
     "unit of what the signal drives.",
     no_keys, "    force: {pulse: {amplitude: 2 kN, duration: 0.1 s}}\n"},
    {"model", "model: what moves",
     "Dofs and matrices, a shear building, a frame, or several of them together; elements join them.",
     ifd__model_keys,
     "    model:\n"
     "      dofs: [x1, x2]\n"
     "      mass: [1.5 kg, 10 kg]\n"
     "      stiffness: [[8000, -4000], [-4000, 4000]]\n"},
    {"shear-building", "model / shear-building", "", ifd__building_keys,
     "    shear-building: {mass: [2 t, 2 t, 1.5 t], stiffness: [4 MN/m, 3 MN/m, 2 MN/m]}\n"},
    {"storey", "model / shear-building / storeys: one storey", "", ifd__storey_keys,
     "    storeys: [{mass: 2 t, stiffness: 4 MN/m, name: first}, {mass: 1 t, stiffness: 3 MN/m, name: roof}]\n"},
    {"frame", "model / frame",
     "Euler-Bernoulli members. Dofs are named node.x, node.y, node.rz (in space also .z, .rx, .ry).", ifd__frame_keys,
     "    frame:\n"
     "      material: {young: 30 GPa, density: 2.5 t/m3}\n"
     "      sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
     "      grid: {bays: 3 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam}\n"},
    {"frame-support", "model / frame / supports: one node that is moved", "", ifd__frame_support_keys,
     "    supports: {a: fixed, b: {hold: pinned, x: table}}\n"},
    {"material", "model / frame / material", "", ifd__material_keys,
     "    material: {young: 210 GPa, poisson: 0.3, density: 7850 kg/m3}\n"},
    {"section", "model / frame / sections: one section", "A rectangle by width and depth, or the values themselves.",
     ifd__section_keys, "    sections: {column: {width: 0.5 m, depth: 0.5 m}, pier: {area: 2 m2, iz: 0.4 m4}}\n"},
    {"grid", "model / frame / grid",
     "Nodes are named `s<storey>c<column>` in the plane (s0c1 is the foot of the first column) and "
     "`s<storey>x<i>y<j>` in space.",
     ifd__grid_keys, "    grid: {bays: 3 x 6 m, storeys: [4 m, 9 x 3 m], columns: column, beams: beam}\n"},
    {"rayleigh", "model / rayleigh: damping a M + b K",
     "By a and b, or by a ratio at two frequencies or of two modes. a M acts relative to the ground.",
     ifd__rayleigh_keys, "    rayleigh: {ratio: 2 %, modes: [1, 3]}\n"},
    {"element", "model / elements",
     "Each element is a mapping with its kind as key, and its parameters, and where it is attached, under it. A name "
     "stands beside. An\n"
     "element of your own comes from a shared object that exports ifd_user_element (include/interfield/element.h).",
     ifd__element_keys,
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
    {"condense", "model / condense", "", ifd__condense_keys, "    condense: {keep: [deck1, deck6, deck11]}\n"},
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
     ifd__coupling_keys, "    coupling: {parallel: {threads: 2, drift: feedback}}\n"},
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
    {"loads", "loads: forces on dofs", "", ifd__load_keys,
     "    loads: [{at: x1, force: {sine: {amplitude: 10 N, frequency: 3 Hz}}}]\n"},
    {"initial", "initial: the state at the start", "", ifd__initial_keys,
     "    initial: {displacement: {x1: 1 mm}, velocity: {theta: 0.1 rad/s}}\n"},
    {"specimen", "specimen: what is measured",
     "An element of any kind that stands outside the model: its displacement is commanded and its force "
     "measured, at every stage of the method.\n"
     "Written like an element. `interfield run` takes it as ideal, without delay or noise; `interfield test` puts "
     "it on a rig (`help test`).\n"
     "The method must be able to measure (`interfield help method`). On a rotation, limits are in rad and N m: "
     "leave the unit out.\n"
     "In a structure in parts its ends are dofs of one part, `part.dof`, or the ground.\n"
     "Elements side by side are `parallel: [...]`, one behind the other `series: {between: [a, b], of: [...]}` "
     "without `between` inside.\n"
     "Instead of an element it may be a whole `model` with dofs, mass and hysteresis of its own: an actuator moves "
     "each of its supports\n"
     "that follows a dof, and the load cell there feels the reaction. A run then computes structure and specimen "
     "as one.\n"
     "Where the ground shakes, these actuators move with it too, so that the specimen's mass feels what it would; a "
     "specimen without mass\n"
     "may be tied to the ground. An element with mass, dofs of its own or several coordinates (mass, pendulum, "
     "block) is read as such a model,\n"
     "with a support for every dof that it names; each needs an actuator, and all but the first an entry of their "
     "own (`of`).",
     ifd__specimen_keys,
     "    specimen:\n"
     "      - name: bearing\n"
     "        spring: {between: [ground, x1], stiffness: 4000 N/m}\n"
     "        estimate: {stiffness: 3800 N/m}\n"
     "      - name: pendulum\n"
     "        model:\n"
     "          supports: {pivot: {follows: x1}}\n"
     "          elements: [{pendulum: {at: pivot, mass: 1 kg, length: 0.5 m, angle: theta}}]\n"},
    IFD__MASS_SECTION,
    {"estimate", "specimen / estimate", "", ifd__estimate_keys,
     "    estimate: {stiffness: 3800 N/m, damping: 2 N s/m}\n"},
    {"test", "test: the rig",
     "`interfield test` leads the specimens along their path on a rig, tick by tick, inside their limits; "
     "`interfield run`\n"
     "takes the same case with ideal specimens. The virtual rig is in this process; udp and shm reach `interfield "
     "rig`.",
     ifd__test_keys,
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
    {"output", "output: further result files", "", ifd__output_keys, "    output: {csv: yes}\n"},
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
