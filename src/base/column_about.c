/* SPDX-License-Identifier: MIT */
/* What a column is: the sentence that a result file gives beside its name and unit, with sign and base. */
#include "base/column.h"

static const char *const about[IFD_COLUMN_COUNT] = {
    [IFD_COLUMN_TIME] =
        "simulated time; in a test the end of the last step at which the specimens have arrived: it repeats in "
        "ramps, on hold and where a step takes several ticks",
    [IFD_COLUMN_WALL_TIME] = "wall-clock time since the first tick: the instant of the tick on the grid of ticks",
    [IFD_COLUMN_CLOCK_LATE] = "how long after its time the tick began",
    [IFD_COLUMN_CLOCK_DURATION] = "how long the work of the tick took",
    [IFD_COLUMN_CLOCK_ORDER] = "the order that reached the tick, a code",
    [IFD_COLUMN_CLOCK_SENSE] = "of the tick's duration: reading the rig",
    [IFD_COLUMN_CLOCK_SOLVE] = "of the tick's duration: computing the structure",
    [IFD_COLUMN_CLOCK_SHAPE] = "of the tick's duration: making the command",
    [IFD_COLUMN_CLOCK_COMMAND] = "of the tick's duration: sending the command",
    [IFD_COLUMN_TEST_TIME] = "simulated time: the end of the last step at which the specimens have arrived",
    [IFD_COLUMN_TEST_STATE] = "state of the test, a code",
    [IFD_COLUMN_TEST_RATE] = "simulated time per scaled wall-clock time: 1 while the test runs, 0 at rest",
    [IFD_COLUMN_TEST_FAULT] = "the fault that is latched, a code",
    [IFD_COLUMN_TEST_COMMANDED] = "1: the positions in command were commanded; 0: nothing was",
    [IFD_COLUMN_TEST_WAITING] = "what the test waits for in state idle, a code",
    [IFD_COLUMN_TEST_WAITING_OWNER] = "the channel it waits for, counted from 0; -1: none",
    [IFD_COLUMN_TEST_WAITING_VALUE] = "the value it waits for to change, in the unit of that channel",
    [IFD_COLUMN_INTERFACE_TARGET] = "where the specimen should be in this tick: its second end relative to its first",
    [IFD_COLUMN_INTERFACE_COMMAND] = "the position that this tick sent, to be reached at the next",
    [IFD_COLUMN_INTERFACE_MEASURED] = "measured position in this tick, with the sign of the target",
    [IFD_COLUMN_INTERFACE_FORCE] = "measured force, positive where it resists a positive position",
    [IFD_COLUMN_INTERFACE_TRACKING] = "measured position minus target",
    [IFD_COLUMN_INTERFACE_ENERGY] = "work of the measured force over the motion of measured minus target, since the "
                                    "start",
    [IFD_COLUMN_ACTUATOR_COMMAND] =
        "the command that was in force when the position was measured, in the actuator's own "
        "length",
    [IFD_COLUMN_ACTUATOR_MEASURED] = "measured position in this tick, in the actuator's own length",
    [IFD_COLUMN_ACTUATOR_FORCE] = "measured force of the actuator, positive where it resists a positive position",
    [IFD_COLUMN_ACTUATOR_TRACKING] = "measured position minus target of the actuator",
    [IFD_COLUMN_ACTUATOR_SHARING] = "by how much the actuator is moved to share a load with others",
    [IFD_COLUMN_CHANNEL_RAW] = "the number that came from the hardware, before calibration",
    [IFD_COLUMN_CHANNEL_VALUE] = "the number after calibration",
    [IFD_COLUMN_INDICATED_DELAY] =
        "how late the measured motion is beside the target, fading over 2 s of simulated time",
    [IFD_COLUMN_INDICATED_AMPLITUDE] =
        "size of the measured motion over that of the target, fading over 2 s of simulated "
        "time",
    [IFD_COLUMN_INDICATED_RMS] =
        "rms of measured minus target over that of the target, fading over 2 s of simulated time",
    [IFD_COLUMN_MASTER_TARGET] =
        "number of the target that was taken last from the program that computes the structure",
    [IFD_COLUMN_MASTER_TIME] = "time of that target in the other program",
    [IFD_COLUMN_MASTER_STEP] = "1: that target is the first of a step",
    [IFD_COLUMN_MASTER_PHASE] = "where on the way to its target the specimen is, a code",
    [IFD_COLUMN_MASTER_ENDED] = "1: the other program has said good-bye",
    [IFD_COLUMN_DISPLACEMENT] = "relative to the ground where the ground's acceleration drives the model",
    [IFD_COLUMN_VELOCITY] = "relative to the ground where the ground's acceleration drives the model",
    [IFD_COLUMN_ACCELERATION] = "relative to the ground where the ground's acceleration drives the model",
    [IFD_COLUMN_ABSOLUTE_VELOCITY] = "velocity with that of the ground added, which is integrated from rest",
    [IFD_COLUMN_ABSOLUTE_ACCELERATION] = "acceleration with that of the ground added",
    [IFD_COLUMN_STOREY_DRIFT] = "displacement of the upper floor relative to the lower, or of the ends of a spring",
    [IFD_COLUMN_ELEMENT_DEFORMATION] = "second end of the element relative to its first, or a coordinate of its own",
    [IFD_COLUMN_ELEMENT_FORCE] = "force of the element, positive where it resists a positive deformation",
    [IFD_COLUMN_ELEMENT_STATE] = "internal variable of the element's law",
    [IFD_COLUMN_SPECIMEN_DEFORMATION] = "second end of the specimen relative to its first",
    [IFD_COLUMN_SPECIMEN_FORCE] = "force of the specimen, positive where it resists a positive deformation",
    [IFD_COLUMN_JOINT_MULTIPLIER] = "force that keeps two substructures together at the joint",
    [IFD_COLUMN_JOINT_FORCE] = "force that is passed on at the joint",
    [IFD_COLUMN_JOINT_MEAN_FORCE] = "force at the joint, mean of the last step",
    [IFD_COLUMN_GAP_DISPLACEMENT] = "largest difference of displacements of joined dofs, of all joints",
    [IFD_COLUMN_GAP_VELOCITY] = "largest difference of velocities of joined dofs, of all joints",
    [IFD_COLUMN_GAP_ACCELERATION] = "largest difference of accelerations of joined dofs, of all joints",
    [IFD_COLUMN_GROUND_X] = "acceleration of the ground in direction x",
    [IFD_COLUMN_GROUND_Y] = "acceleration of the ground in direction y",
    [IFD_COLUMN_GROUND_Z] = "acceleration of the ground in direction z",
    [IFD_COLUMN_BASE_SHEAR_X] = "sum of the forces of all supports in direction x, positive against a displacement",
    [IFD_COLUMN_BASE_SHEAR_Y] = "sum of the forces of all supports in direction y, positive against a displacement",
    [IFD_COLUMN_BASE_SHEAR_Z] = "sum of the forces of all supports in direction z, positive against a displacement",
    [IFD_COLUMN_ENERGY_INPUT] = "work of ground motion and loads since the start",
    [IFD_COLUMN_ENERGY_KINETIC] = "kinetic energy of the model",
    [IFD_COLUMN_ENERGY_STORED] = "strain energy and potential of the model",
    [IFD_COLUMN_ENERGY_DISSIPATED] = "energy that damping and hysteresis took since the start",
    [IFD_COLUMN_ENERGY_SPECIMENS] = "work done on the specimens since the start",
    [IFD_COLUMN_ENERGY_JOINTS] = "work of the joints since the start",
    [IFD_COLUMN_ENERGY_NUMERICAL] =
        "what is left of the balance: energy that the method made or took since the start",
    [IFD_COLUMN_OUTPUT] = "an output of a program of others, under its own name",
};

const char *ifd_column_description(ifd_quantity quantity)
{
    return (unsigned)quantity < IFD_COLUMN_COUNT && about[quantity] ? about[quantity] : "";
}
