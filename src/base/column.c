/* SPDX-License-Identifier: MIT */
/* Names, groups and units of recorded columns, and their search. */
#include "base/column.h"

#include <stdlib.h>
#include <string.h>

/* Descriptions of columns for result files, with sign and reference. */

static const char *const about[IFD_COLUMN_COUNT] = {
    [IFD_COLUMN_TIME] =
        "simulated time; in a test the end of the last step that the specimens have reached. The value repeats in "
        "ramps, on hold and where a step takes several ticks",
    [IFD_COLUMN_WALL_TIME] = "wall-clock time since the first tick: the scheduled instant of the tick",
    [IFD_COLUMN_CLOCK_LATE] = "lateness: the time from the scheduled instant of the tick to its start",
    [IFD_COLUMN_CLOCK_DURATION] = "duration of the computations of the tick",
    [IFD_COLUMN_CLOCK_ORDER] = "the order that the tick received, a code",
    [IFD_COLUMN_CLOCK_SENSE] = "part of the duration of the tick: reading the rig",
    [IFD_COLUMN_CLOCK_SOLVE] = "part of the duration of the tick: computing the structure",
    [IFD_COLUMN_CLOCK_SHAPE] = "part of the duration of the tick: computing the command",
    [IFD_COLUMN_CLOCK_COMMAND] = "part of the duration of the tick: sending the command",
    [IFD_COLUMN_TEST_TIME] = "simulated time: the end of the last step that the specimens have reached",
    [IFD_COLUMN_TEST_STATE] = "state of the test, a code",
    [IFD_COLUMN_TEST_RATE] = "simulated time per scaled wall-clock time: 1 while the test runs, 0 at rest",
    [IFD_COLUMN_TEST_FAULT] = "the fault that is latched, a code",
    [IFD_COLUMN_TEST_COMMANDED] = "1: the tick commanded the positions in command; 0: it commanded nothing",
    [IFD_COLUMN_TEST_WAITING] = "the condition that the test waits for in state idle, a code",
    [IFD_COLUMN_TEST_WAITING_OWNER] =
        "the specimen, actuator, rig or channel of that condition, counted from 0 in this order; -1: none",
    [IFD_COLUMN_TEST_WAITING_VALUE] = "the value that must change, in its unit",
    [IFD_COLUMN_INTERFACE_TARGET] = "position that the specimen should have in this tick: its second end relative "
                                    "to its first",
    [IFD_COLUMN_INTERFACE_COMMAND] = "the position that this tick sent, which the specimen should reach at the "
                                     "next tick",
    [IFD_COLUMN_INTERFACE_DEFORMATION] = "second end of the specimen relative to its first end: in a test the "
                                         "measured position in this tick, in a run the computed one",
    [IFD_COLUMN_INTERFACE_FORCE] = "force of the specimen, measured in a test and computed in a run, positive where "
                                   "it resists a positive deformation",
    [IFD_COLUMN_INTERFACE_TRACKING] = "deformation minus target",
    [IFD_COLUMN_INTERFACE_ENERGY] =
        "work of the measured force over the motion of deformation minus target, since the "
        "start",
    [IFD_COLUMN_ACTUATOR_COMMAND] =
        "the command that was valid when the position was measured, in the coordinate of the actuator",
    [IFD_COLUMN_ACTUATOR_POSITION] = "measured position in this tick, in the coordinate of the actuator",
    [IFD_COLUMN_ACTUATOR_FORCE] = "measured force of the actuator, positive where it resists a positive position",
    [IFD_COLUMN_ACTUATOR_TRACKING] = "measured position minus target of the actuator",
    [IFD_COLUMN_ACTUATOR_SHARING] = "displacement that is added to the command of the actuator for load sharing",
    [IFD_COLUMN_CHANNEL_RAW] = "the raw number of the hardware, before calibration",
    [IFD_COLUMN_CHANNEL_VALUE] = "the number after calibration",
    [IFD_COLUMN_INDICATED_DELAY] =
        "time by which the measured motion lags behind the target, an average that fades over 2 s of simulated time",
    [IFD_COLUMN_INDICATED_AMPLITUDE] =
        "amplitude of the measured motion divided by that of the target, an average that fades over 2 s of "
        "simulated time",
    [IFD_COLUMN_INDICATED_RMS] =
        "rms of the tracking error divided by the rms of the target, an average that fades over 2 s of simulated "
        "time",
    [IFD_COLUMN_MASTER_TARGET] = "number of the last target received from the program that computes the structure",
    [IFD_COLUMN_MASTER_TIME] = "time of that target in the other program",
    [IFD_COLUMN_MASTER_STEP] = "1: that target is the first of a step",
    [IFD_COLUMN_MASTER_PHASE] = "phase of the motion to that target, a code",
    [IFD_COLUMN_MASTER_ENDED] = "1: the other program has ended the test",
    [IFD_COLUMN_DISPLACEMENT] = "relative to the ground if ground acceleration drives the model",
    [IFD_COLUMN_VELOCITY] = "relative to the ground if ground acceleration drives the model",
    [IFD_COLUMN_ACCELERATION] = "relative to the ground if ground acceleration drives the model",
    [IFD_COLUMN_ABSOLUTE_VELOCITY] = "velocity plus that of the ground, which is integrated from rest",
    [IFD_COLUMN_ABSOLUTE_ACCELERATION] = "acceleration plus that of the ground",
    [IFD_COLUMN_STOREY_DRIFT] = "displacement of the upper floor relative to the lower floor, or relative "
                                "displacement of the ends of a spring",
    [IFD_COLUMN_ELEMENT_DEFORMATION] =
        "second end of the element relative to its first end, or an internal "
        "coordinate. Member of a frame in the plane: 1 elongation, 2 and 3 rotation of "
        "its first and second end relative to the chord; in space: 1 elongation, 2 twist, "
        "3 and 4 these rotations about local z, 5 and 6 about local y",
    [IFD_COLUMN_ELEMENT_FORCE] =
        "force of the element, positive where it resists a positive deformation. Member of a "
        "frame: force or moment at an end, positive where it resists a positive motion of "
        "that end; in the plane 1 axial, 2 shear, 3 moment of the first end, 4 to 6 of the "
        "second; in space 1 to 3 along local x, y, z, 4 to 6 moments about them, 7 to 12 at "
        "the second end",
    [IFD_COLUMN_MEMBER_REMAINDER] =
        "basic deformation that the passes of a member with fibres left over in this step",
    [IFD_COLUMN_SECTION_STRAIN] =
        "strain at the axis of a section; the number is that of its point, from the first end",
    [IFD_COLUMN_SECTION_CURVATURE] = "curvature of a section about z; in space 1 about z, 2 about y",
    [IFD_COLUMN_SECTION_FORCE] = "axial force of a section, positive in tension",
    [IFD_COLUMN_SECTION_MOMENT] = "moment of a section about z; in space 1 about z, 2 about y",
    [IFD_COLUMN_FIBRE_STRAIN] =
        "strain of a fibre; the numbers are those of the point and of the fibre in the section",
    [IFD_COLUMN_FIBRE_STRESS] = "stress of a fibre, positive in tension",
    [IFD_COLUMN_ELEMENT_STATE] = "internal variable of the element's law",
    [IFD_COLUMN_JOINT_MULTIPLIER] = "force that keeps two substructures together at the joint",
    [IFD_COLUMN_JOINT_FORCE] = "force that the joint transmits",
    [IFD_COLUMN_JOINT_MEAN_FORCE] = "force at the joint, mean over the last step",
    [IFD_COLUMN_GAP_DISPLACEMENT] = "largest difference of displacements of joined dofs, over all joints",
    [IFD_COLUMN_GAP_VELOCITY] = "largest difference of velocities of joined dofs, over all joints",
    [IFD_COLUMN_GAP_ACCELERATION] = "largest difference of accelerations of joined dofs, over all joints",
    [IFD_COLUMN_GROUND_X] = "acceleration of the ground in direction x",
    [IFD_COLUMN_GROUND_Y] = "acceleration of the ground in direction y",
    [IFD_COLUMN_GROUND_Z] = "acceleration of the ground in direction z",
    [IFD_COLUMN_BASE_SHEAR_X] = "sum of the forces of all supports in direction x, positive if they resist a "
                                "positive displacement",
    [IFD_COLUMN_BASE_SHEAR_Y] = "sum of the forces of all supports in direction y, positive if they resist a "
                                "positive displacement",
    [IFD_COLUMN_BASE_SHEAR_Z] = "sum of the forces of all supports in direction z, positive if they resist a "
                                "positive displacement",
    [IFD_COLUMN_ENERGY_INPUT] = "work of ground motion and loads since the start",
    [IFD_COLUMN_ENERGY_KINETIC] = "kinetic energy of the model",
    [IFD_COLUMN_ENERGY_STORED] = "strain energy and potential of the model",
    [IFD_COLUMN_ENERGY_DISSIPATED] = "energy dissipated by damping and hysteresis since the start",
    [IFD_COLUMN_ENERGY_SPECIMENS] = "work done on the specimens since the start",
    [IFD_COLUMN_ENERGY_JOINTS] = "work of the joints since the start",
    [IFD_COLUMN_ENERGY_NUMERICAL] =
        "residual of the energy balance: energy that the method added or removed since the start",
    [IFD_COLUMN_SUPPORT_DISPLACEMENT] = "prescribed displacement of the support",
    [IFD_COLUMN_SUPPORT_VELOCITY] = "derivative of the prescribed displacement of the support",
    [IFD_COLUMN_SUPPORT_ACCELERATION] = "second derivative of the prescribed displacement of the support",
    [IFD_COLUMN_HOLD_RELAXATION] =
        "relaxation on hold, which the key hold-relaxation bounds: change of the mean force since the actuators have "
        "settled, less the noise, divided by that force or by a tenth of the largest force; 0 before it is known",
    [IFD_COLUMN_TEST_AGE] = "with elastic: time since the newest command that the rig has answered was sent",
    [IFD_COLUMN_FACTOR_RESIDUAL] =
        "factor in single precision: largest residual of a solution so far, relative to the largest right-hand side "
        "so far; beyond 1e-5 it is a fault",
    [IFD_COLUMN_IDENTIFIED] = "identified value of the parameter of the specimen, relative to its value in the case",
    [IFD_COLUMN_IDENTIFIED_DEVIATION] =
        "standard deviation of the identified value by the covariance of the filter, relative to the value in the "
        "case",
    [IFD_COLUMN_IDENTIFIED_IN_USE] =
        "value of the parameter that the copies of the specimen have now, relative to its value in the case",
    [IFD_COLUMN_IDENTIFIED_INNOVATION] =
        "measured minus predicted force of the specimen over its predicted standard deviation; 0 while nothing is "
        "learned",
    [IFD_COLUMN_IDENTIFIED_UPDATES] =
        "updates of the copies: 0 on; other numbers are reasons why not (docs/guide/learning.md)",
    [IFD_COLUMN_IDENTIFIED_FORCE_JUMPS] =
        "sum of the absolute changes of the forces of the copies by updates since the start",
    [IFD_COLUMN_ENERGY_GRAVITY] =
        "work of gravity on the deformed structure (P-Delta), from the position without displacements; the stored "
        "energy contains its negative",
    [IFD_COLUMN_ENERGY_UPDATES] = "energy that updates of copies of specimens added to the structure since the start",
    [IFD_COLUMN_RIG_FRESH] = "one of several rigs: 1 in a tick with a new measurement, otherwise 0",
    [IFD_COLUMN_RIG_ANSWERED] = "one of several rigs: tick of the command that the measurement in use answers",
    [IFD_COLUMN_RIG_ARRIVED] =
        "one of several rigs: tick of the newest command that has been answered; with the key equalise its answer is "
        "used later",
    [IFD_COLUMN_RIG_INPUTS] =
        "one of several rigs: digital inputs, sum of 1 (no emergency stop), 2 (hydraulics), 4 (stopped by itself)",
    [IFD_COLUMN_RIG_TIME] = "one of several rigs: time of the measurement in use on the clock of the rig",
    [IFD_COLUMN_RIG_TAKEN] = "one of several rigs: stamp of the measurement in use",
    [IFD_COLUMN_RIG_CLOCK] =
        "one of several rigs: clock of the stamp, 0 none, 1 monotonic of this machine, 2 TAI, 3 of the rig",
    [IFD_COLUMN_RIG_ROUND_TRIP] =
        "one of several rigs: time from the last answered command to the tick in which its answer arrived",
    [IFD_COLUMN_RIG_AGE] =
        "one of several rigs: time from the command that the measurement in use answers to this tick",
    [IFD_COLUMN_RIG_LOST] = "one of several rigs: ticks without a new measurement so far",
    [IFD_COLUMN_LOOP_DELAY] = "delay of the measured position behind the target, of the last 0.5 s",
    [IFD_COLUMN_LOOP_AMPLITUDE] = "amplitude of the measured position relative to the target, of the last 0.5 s",
    [IFD_COLUMN_LOOP_DEFICIT] =
        "passivity observer: work done on the specimen less the energy of a spring of its estimated stiffness",
    [IFD_COLUMN_LOOP_RATIO] =
        "energy that the tracking error adds over the energy that is dissipated, in the window; 0: no verdict",
    [IFD_COLUMN_LOOP_FEI_DELAY] = "delay by the frequency evaluation index of the last 2 s; 0: none yet",
    [IFD_COLUMN_LOOP_FEI_AMPLITUDE] = "amplitude by the frequency evaluation index of the last 2 s; 0: none yet",
    [IFD_COLUMN_LOOP_GROWTH] = "growth of the watched oscillation from three periods to the next three; 0: none yet",
    [IFD_COLUMN_LOOP_LEAD] = "lead that the monitor has added to the compensator",
    [IFD_COLUMN_LOOP_DAMPING] = "damping force that the monitor adds to the force for the solver, of one device",
    [IFD_COLUMN_LOOP_DAMPING_WORK] = "work of this damping force since the start, of one device",
    [IFD_COLUMN_LOOP_LEVEL] = "largest level that the monitor has reached: 0 none, 1 caution, 2 act, 3 hold",
    [IFD_COLUMN_COMMANDED_FORCE] = "force that the specimen should have in this tick, with the sign of the force",
    [IFD_COLUMN_SPECIMEN_POSITION] = "measured position of a specimen that is loaded by a force",
    [IFD_COLUMN_LOAD_FACTOR] =
        "compression in use of a sliding bearing of the model, relative to its load in the case: the measured force "
        "of an actuator relative to its target at the start",
    [IFD_COLUMN_WALL_FORCE] = "measured force of the wall on a specimen that is loaded by a force",
    [IFD_COLUMN_WALL_FORCE_2] = "measured force of the second wall on a specimen between two walls",
    [IFD_COLUMN_OUTPUT] = "an output of another program, with its original name",
};

const char *ifd_column_description(ifd_quantity quantity)
{
    return (unsigned)quantity < IFD_COLUMN_COUNT && about[quantity] ? about[quantity] : "";
}

enum { OWNED, LEVEL, EACH, WHOLE };

#define ROW(quantity, group, words, unit, angle, of) {group, words, {unit, angle}, of},
static const struct {
    const char *group, *words, *unit[2];
    int of;
} rows[IFD_COLUMN_OUTPUT] = {IFD_QUANTITIES(ROW)};

ifd_status ifd_column_make(ifd_arena *arena, const char *owner, ifd_quantity quantity, int number, bool rotates,
                           ifd_column *out)
{
    const char *words = rows[quantity].words, *name = words;
    owner = ifd_arena_text(arena, owner);
    if (owner && number > 0)
        name = ifd_arena_print(arena, "%s %s %d", owner, words, number);
    else if (owner && *owner)
        name = ifd_arena_print(arena, "%s %s", owner, words);
    *out = (ifd_column){.name = name,
                        .unit = rows[quantity].unit[rotates],
                        .group = rows[quantity].group,
                        .owner = owner,
                        .quantity = quantity,
                        .number = number};
    return name && owner ? IFD_OK : IFD_NO_MEMORY;
}

/* Length of the owner's name in `name` if the rest is the given words and the quantity fits; otherwise -1. */
static long owner_in(const char *name, const char *words, int of, int *number)
{
    const char *last = strrchr(name, ' ');
    size_t n = strlen(name), w = strlen(words);
    *number = 0;
    if (of == WHOLE)
        return strcmp(name, words) == 0 ? 0 : -1;
    if (of == EACH && last && strspn(last + 1, "0123456789") == strlen(last + 1) && last[1]) {
        *number = atoi(last + 1);
        n = (size_t)(last - name);
    }
    return n > w && name[n - w - 1] == ' ' && strncmp(name + n - w, words, w) == 0 ? (long)(n - w - 1) : -1;
}

ifd_status ifd_column_read(ifd_arena *arena, const char *name, const char *unit, const char *group, ifd_column *out)
{
    *out = (ifd_column){.name = name, .unit = unit, .group = group, .owner = name, .quantity = IFD_COLUMN_OUTPUT};
    long most = 0, length = 0;
    int number = 0;
    for (int q = 0; q < IFD_COLUMN_OUTPUT; q++) { /* "wall force" before "force": the shortest owner */
        if (strcmp(group, rows[q].group) != 0 || (length = owner_in(name, rows[q].words, rows[q].of, &number)) < 0 ||
            (out->quantity != IFD_COLUMN_OUTPUT && length >= most))
            continue;
        most = length;
        out->quantity = (ifd_quantity)q;
        out->number = number;
    }
    if (out->quantity != IFD_COLUMN_OUTPUT)
        out->owner = ifd_arena_text_n(arena, name, (size_t)most);
    return out->owner ? IFD_OK : IFD_NO_MEMORY;
}

int ifd_column_find(const ifd_column *column, int columns, const char *owner, ifd_quantity quantity)
{
    for (int i = 0; i < columns; i++)
        if (column[i].quantity == quantity && strcmp(column[i].owner, owner) == 0)
            return i;
    return -1;
}

/* Number of letters of a name that repeat its group, as "absolute acceleration" in group absolute-acceleration. 0:
 * none. */
static size_t group_in(const char *name, const char *group)
{
    size_t n = 0;
    while (group[n] && (name[n] == group[n] || (name[n] == ' ' && group[n] == '-')))
        n++;
    return group[n] ? 0 : n;
}

char *ifd__column_path(ifd_arena *arena, const ifd_column *c)
{
    bool known = c->quantity != IFD_COLUMN_OUTPUT;
    int of = known ? rows[c->quantity].of : WHOLE;
    size_t g = strlen(c->group);
    if (c->quantity == IFD_COLUMN_TIME || c->quantity == IFD_COLUMN_WALL_TIME) /* both are at the top level of the
                                                                                * file */
        return ifd_arena_text(arena, c->quantity == IFD_COLUMN_TIME ? "/time" : "/wall_time");
    const char *words = known ? rows[c->quantity].words : "";
    const char *place = known && of == OWNED && group_in(words, c->group) == strlen(words) ? c->owner : c->name;
    bool begins = place == c->name && group_in(place, c->group) && place[g] == ' '; /* the name begins with the name
                                                                                     * of its group */
    char *path = ifd_arena_print(arena, "/%s/%s", c->group, place + (begins ? g + 1 : 0));
    if (!path)
        return NULL;
    char *own = path + g + 2;
    for (char *p = own; *p; p++)
        if (*p == ' ' || *p == '/')
            *p = '_';
    if ((of == LEVEL || of == EACH) && !begins)
        own[strlen(c->owner)] = '/';
    if (*own == '.')
        *own = '_';
    return path;
}
