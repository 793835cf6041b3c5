/* SPDX-License-Identifier: MIT */
/* Columns: recorded quantities. A column is a quantity of an owner: the displacement of the dof "tower.floor1", the
 * force at the interface "bearing". One table defines words, unit and group of every quantity. Names are printed and
 * parsed only with this table. A column is found by owner and quantity:
 *
 *     int k = ifd_column_find(column, columns, "bearing", IFD_COLUMN_INTERFACE_FORCE); // "bearing force" */
#ifndef INTERFIELD_COLUMN_H
#define INTERFIELD_COLUMN_H

#include <interfield/arena.h>

IFD_BEGIN_DECLS

/* ROW(quantity, group, words, unit, unit of a rotation, scope). OWNED: "bearing force"; LEVEL: likewise, and in a
 * result file the owner is a subgroup; EACH: likewise, numbered from 1 if the owner has several, "storey force 2";
 * WHOLE: one per record. */
#define IFD_QUANTITIES(ROW)                                                                                          \
    ROW(TIME, "time", "time", "s", "s", WHOLE)           /* simulated */                                             \
    ROW(WALL_TIME, "time", "wall time", "s", "s", WHOLE) /* since the first tick of a test */                        \
    ROW(CLOCK_LATE, "clock", "late", "s", "s", WHOLE)    /* lateness of the tick */                                  \
    ROW(CLOCK_DURATION, "clock", "duration", "s", "s", WHOLE)                                                        \
    ROW(CLOCK_ORDER, "clock", "order", "", "", WHOLE)                                                                \
    ROW(CLOCK_SENSE, "clock", "sense", "s", "s", WHOLE) /* this and the next three: stages of the tick */            \
    ROW(CLOCK_SOLVE, "clock", "solve", "s", "s", WHOLE)                                                              \
    ROW(CLOCK_SHAPE, "clock", "shape", "s", "s", WHOLE)                                                              \
    ROW(CLOCK_COMMAND, "clock", "command", "s", "s", WHOLE)                                                          \
    ROW(TEST_TIME, "test", "simulated time", "s", "s", WHOLE)                                                        \
    ROW(TEST_STATE, "test", "state", "", "", WHOLE)                                                                  \
    ROW(TEST_RATE, "test", "rate", "", "", WHOLE)                                                                    \
    ROW(TEST_FAULT, "test", "fault", "", "", WHOLE)                                                                  \
    ROW(TEST_COMMANDED, "test", "commanded", "", "", WHOLE)                                                          \
    ROW(TEST_WAITING, "test", "waiting", "", "", WHOLE)                                                              \
    ROW(TEST_WAITING_OWNER, "test", "waiting owner", "", "", WHOLE)                                                  \
    ROW(TEST_WAITING_VALUE, "test", "waiting value", "", "", WHOLE)                                                  \
    ROW(INTERFACE_TARGET, "specimen", "target", "m", "rad", LEVEL)                                                   \
    ROW(INTERFACE_COMMAND, "specimen", "command", "m", "rad", LEVEL)                                                 \
    ROW(INTERFACE_DEFORMATION, "specimen", "deformation", "m", "rad", LEVEL)                                         \
    ROW(INTERFACE_FORCE, "specimen", "force", "N", "N m", LEVEL)                                                     \
    ROW(INTERFACE_TRACKING, "specimen", "tracking error", "m", "rad", LEVEL)                                         \
    ROW(INTERFACE_ENERGY, "specimen", "tracking energy", "J", "J", LEVEL)                                            \
    ROW(ACTUATOR_COMMAND, "actuator", "command", "m", "m", LEVEL)                                                    \
    ROW(ACTUATOR_POSITION, "actuator", "position", "m", "m", LEVEL)                                                  \
    ROW(ACTUATOR_FORCE, "actuator", "force", "N", "N", LEVEL)                                                        \
    ROW(ACTUATOR_TRACKING, "actuator", "tracking error", "m", "m", LEVEL)                                            \
    ROW(ACTUATOR_SHARING, "actuator", "load sharing", "m", "m", LEVEL)                                               \
    ROW(CHANNEL_RAW, "channel", "raw", "", "", OWNED) /* of a channel map */                                         \
    ROW(CHANNEL_VALUE, "channel", "value", NULL, NULL, OWNED)                                                        \
    ROW(INDICATED_DELAY, "indicator", "delay", "s", "s", LEVEL)                                                      \
    ROW(INDICATED_AMPLITUDE, "indicator", "amplitude", "", "", LEVEL)                                                \
    ROW(INDICATED_RMS, "indicator", "tracking rms", "", "", LEVEL)                                                   \
    ROW(MASTER_TARGET, "master", "target number", "", "", WHOLE)                                                     \
    ROW(MASTER_TIME, "master", "target time", "s", "s", WHOLE)                                                       \
    ROW(MASTER_STEP, "master", "target begins a step", "", "", WHOLE)                                                \
    ROW(MASTER_PHASE, "master", "target phase", "", "", WHOLE)                                                       \
    ROW(MASTER_ENDED, "master", "master has ended", "", "", WHOLE)                                                   \
    ROW(DISPLACEMENT, "displacement", "displacement", "m", "rad", OWNED)                                             \
    ROW(VELOCITY, "velocity", "velocity", "m/s", "rad/s", OWNED)                                                     \
    ROW(ACCELERATION, "acceleration", "acceleration", "m/s2", "rad/s2", OWNED)                                       \
    ROW(ABSOLUTE_VELOCITY, "absolute-velocity", "absolute velocity", "m/s", "rad/s", OWNED)                          \
    ROW(ABSOLUTE_ACCELERATION, "absolute-acceleration", "absolute acceleration", "m/s2", "rad/s2", OWNED)            \
    ROW(STOREY_DRIFT, "storey-drift", "storey drift", "m", "rad", OWNED)                                             \
    ROW(ELEMENT_DEFORMATION, "element", "deformation", "m", "rad", EACH)                                             \
    ROW(ELEMENT_FORCE, "element", "force", "N", "N m", EACH)                                                         \
    ROW(ELEMENT_STATE, "element", "state", "", "", EACH)                                                             \
    ROW(JOINT_MULTIPLIER, "joint", "multiplier", "N", "N m", OWNED)                                                  \
    ROW(JOINT_FORCE, "joint", "force", "N", "N m", LEVEL)                                                            \
    ROW(JOINT_MEAN_FORCE, "joint", "force, mean of the last step", "N", "N", LEVEL)                                  \
    ROW(GAP_DISPLACEMENT, "joint", "gap displacement", "m", "m", WHOLE)                                              \
    ROW(GAP_VELOCITY, "joint", "gap velocity", "m/s", "m/s", WHOLE)                                                  \
    ROW(GAP_ACCELERATION, "joint", "gap acceleration", "m/s2", "m/s2", WHOLE)                                        \
    ROW(GROUND_X, "ground", "ground acceleration x", "m/s2", "m/s2", WHOLE)                                          \
    ROW(GROUND_Y, "ground", "ground acceleration y", "m/s2", "m/s2", WHOLE)                                          \
    ROW(GROUND_Z, "ground", "ground acceleration z", "m/s2", "m/s2", WHOLE)                                          \
    ROW(BASE_SHEAR_X, "base-shear", "base shear x", "N", "N", WHOLE)                                                 \
    ROW(BASE_SHEAR_Y, "base-shear", "base shear y", "N", "N", WHOLE)                                                 \
    ROW(BASE_SHEAR_Z, "base-shear", "base shear z", "N", "N", WHOLE)                                                 \
    ROW(ENERGY_INPUT, "energy", "energy input", "J", "J", WHOLE)                                                     \
    ROW(ENERGY_KINETIC, "energy", "energy kinetic", "J", "J", WHOLE)                                                 \
    ROW(ENERGY_STORED, "energy", "energy stored", "J", "J", WHOLE)                                                   \
    ROW(ENERGY_DISSIPATED, "energy", "energy dissipated", "J", "J", WHOLE)                                           \
    ROW(ENERGY_SPECIMENS, "energy", "energy specimens", "J", "J", WHOLE)                                             \
    ROW(ENERGY_JOINTS, "energy", "energy joints", "J", "J", WHOLE)                                                   \
    ROW(ENERGY_NUMERICAL, "energy", "energy numerical", "J", "J", WHOLE)                                             \
    ROW(SUPPORT_DISPLACEMENT, "support", "displacement", "m", "rad", LEVEL)                                          \
    ROW(SUPPORT_VELOCITY, "support", "velocity", "m/s", "rad/s", LEVEL)                                              \
    ROW(SUPPORT_ACCELERATION, "support", "acceleration", "m/s2", "rad/s2", LEVEL)                                    \
    ROW(HOLD_RELAXATION, "specimen", "hold relaxation", "", "", LEVEL) /* with `hold-relaxation` */                  \
    ROW(FACTOR_RESIDUAL, "method", "factor residual", "", "", OWNED)   /* with `factor: single` */                   \
    ROW(RIG_FRESH, "rig", "new measurement", "", "", LEVEL)            /* this and the next nine: of several rigs */ \
    ROW(RIG_ANSWERED, "rig", "answered command", "", "", LEVEL)                                                      \
    ROW(RIG_ARRIVED, "rig", "arrived answer", "", "", LEVEL)                                                         \
    ROW(RIG_INPUTS, "rig", "inputs", "", "", LEVEL)                                                                  \
    ROW(RIG_TIME, "rig", "rig time", "s", "s", LEVEL)                                                                \
    ROW(RIG_TAKEN, "rig", "taken", "s", "s", LEVEL)                                                                  \
    ROW(RIG_CLOCK, "rig", "taken by clock", "", "", LEVEL)                                                           \
    ROW(RIG_ROUND_TRIP, "rig", "round trip", "s", "s", LEVEL)                                                        \
    ROW(RIG_AGE, "rig", "age", "s", "s", LEVEL)                                                                      \
    ROW(RIG_LOST, "rig", "lost", "", "", LEVEL)                                                                      \
    ROW(IDENTIFIED, "identified", "identified", "", "", LEVEL) /* with `identify`: of a parameter */                 \
    ROW(IDENTIFIED_DEVIATION, "identified", "standard deviation", "", "", LEVEL)                                     \
    ROW(IDENTIFIED_IN_USE, "identified", "in use", "", "", LEVEL)                                                    \
    ROW(IDENTIFIED_INNOVATION, "identified", "innovation", "", "", LEVEL) /* of a specimen */                        \
    ROW(IDENTIFIED_UPDATES, "identified", "updates", "", "", LEVEL)                                                  \
    ROW(IDENTIFIED_FORCE_JUMPS, "identified", "force of updates", "N", "N m", LEVEL)                                 \
    ROW(ENERGY_UPDATES, "energy", "energy updates", "J", "J", WHOLE)                                                 \
    ROW(LOOP_DELAY, "monitor", "loop delay", "s", "s", LEVEL) /* with `monitor` */                                   \
    ROW(LOOP_AMPLITUDE, "monitor", "loop amplitude", "", "", LEVEL)                                                  \
    ROW(LOOP_DEFICIT, "monitor", "passivity", "J", "J", LEVEL)                                                       \
    ROW(LOOP_RATIO, "monitor", "loop energy ratio", "", "", WHOLE)                                                   \
    ROW(LOOP_LEVEL, "monitor", "loop level", "", "", WHOLE)                                                          \
    ROW(COMMANDED_FORCE, "specimen", "commanded force", "N", "N m", LEVEL) /* with `force-command` */                \
    ROW(SPECIMEN_POSITION, "specimen", "specimen position", "m", "rad", LEVEL)                                       \
    ROW(TEST_AGE, "test", "age of the answers", "s", "s", WHOLE)      /* with `elastic` */                           \
    ROW(ENERGY_GRAVITY, "energy", "energy gravity", "J", "J", WHOLE)  /* with P-Delta */                             \
    ROW(LOOP_FEI_DELAY, "monitor", "loop delay FEI", "s", "s", LEVEL) /* with `monitor` */                           \
    ROW(LOOP_FEI_AMPLITUDE, "monitor", "loop amplitude FEI", "", "", LEVEL)                                          \
    ROW(LOOP_GROWTH, "monitor", "loop growth", "", "", LEVEL)                                                        \
    ROW(WALL_FORCE, "specimen", "wall force", "N", "N m", LEVEL) /* with `force-command` and `wall` */               \
    ROW(LOAD_FACTOR, "element", "load factor", "", "", LEVEL)    /* of an element with `load-of` an actuator */      \
    ROW(LOOP_LEAD, "monitor", "loop lead", "s", "s", LEVEL)      /* with `monitor` that may retune, damp */          \
    ROW(LOOP_DAMPING, "monitor", "loop damping", "N", "N m", LEVEL)                                                  \
    ROW(LOOP_DAMPING_WORK, "monitor", "work of damping", "J", "J", LEVEL)                                            \
    ROW(WALL_FORCE_2, "specimen", "second wall force", "N", "N m", LEVEL)                                            \
    ROW(MEMBER_REMAINDER, "element", "remainder", "m", "rad", EACH) /* of a member with fibres, as the following */  \
    ROW(SECTION_STRAIN, "section", "axial strain", "", "", OWNED)                                                    \
    ROW(SECTION_CURVATURE, "section", "curvature", "1/m", "1/m", EACH)                                               \
    ROW(SECTION_FORCE, "section", "axial force", "N", "N", OWNED)                                                    \
    ROW(SECTION_MOMENT, "section", "moment", "N m", "N m", EACH)                                                     \
    ROW(FIBRE_STRAIN, "fibre", "strain", "", "", OWNED)                                                              \
    ROW(FIBRE_STRESS, "fibre", "stress", "Pa", "Pa", OWNED)

#define IFD_QUANTITY_ENUM(quantity, group, words, unit, angle, of) IFD_COLUMN_##quantity,
typedef enum ifd_quantity {
    IFD_QUANTITIES(IFD_QUANTITY_ENUM) IFD_COLUMN_OUTPUT, /* of another program, with its name */
    IFD_COLUMN_COUNT
} ifd_quantity;

typedef struct ifd_column {
    const char *name;  /* "floor1 displacement", "storey1 force 2", "energy input" */
    const char *unit;  /* "m", "rad/s", "N", "J" */
    const char *group; /* as in the table; "output" */
    const char *owner; /* "floor1", "tower.floor1", "storey1"; "" for WHOLE */
    ifd_quantity quantity;
    int number; /* index among several of the owner, from 1; 0: only one */
} ifd_column;

/* The column of a quantity. number: 0 or the index among several; rotates: the unit is that of a rotation. owner is
 * copied. */
IFD_API ifd_status ifd_column_make(ifd_arena *arena, const char *owner, ifd_quantity quantity, int number,
                                   bool rotates, ifd_column *out);
/* The column for a name in a record. A name not in the table is an output with itself as owner. */
IFD_API ifd_status ifd_column_read(ifd_arena *arena, const char *name, const char *unit, const char *group,
                                   ifd_column *out);
/* Description of a quantity in one sentence, with sign and reference. */
IFD_API const char *ifd_column_description(ifd_quantity quantity);
/* Index of the first match; -1: none. owner is "" for a quantity with scope WHOLE. */
IFD_API int ifd_column_find(const ifd_column *column, int columns, const char *owner, ifd_quantity quantity);

IFD_END_DECLS
#endif
