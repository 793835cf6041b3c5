/* SPDX-License-Identifier: MIT */
/* Several rigs in one test, as one rig in front of the engine.
 *
 * Each actuator of the test belongs to one rig, with a number there. In each tick all rigs are sensed in their
 * order, then all are commanded. Positions, forces and auxiliary inputs of the common measurement are side by side.
 * Its emergency stop and hydraulics are those of all rigs, and it has stopped if one rig has. A rig without a new
 * measurement keeps its last values; the engine counts for each rig separately how long this lasts (hybrid.h).
 *
 *     ifd_several several = {.rigs = 2, .rig = parts};
 *     options.rig = &ifd_several_rig;
 *     options.rig_setup = &several;                  // must outlive the test */
#ifndef INTERFIELD_SEVERAL_H
#define INTERFIELD_SEVERAL_H

#include <interfield/virtual.h>

IFD_BEGIN_DECLS

typedef struct ifd_rig_part {
    const char *name;
    const ifd_rig_ops *ops;
    const ifd_value *values;
    void *setup; /* input of its open function in rig->data (virtual: an ifd_laboratory of its actuators) */
    int actuators;
    int actuator[IFD_RIG_ACTUATORS]; /* of the test, per actuator of the rig */
    int aux;                         /* number of its auxiliary inputs in use, */
    int input[IFD_RIG_AUX];          /* and the auxiliary input of the test of each */
    double stale_time;    /* s without new measurements or acknowledged commands before a trip; 0: that of the test */
    double equalise;      /* s: a measurement is used at this age of the command that it answers; 0: on arrival */
    bool leads;           /* its clock leads the ticks; of at most one rig */
    ifd_laboratory *twin; /* of its actuators, for a rehearsal; NULL: none */
    const ifd_channel_map *map; /* of its channels, for its server; NULL: m and N */
} ifd_rig_part;

typedef struct ifd_several {
    int rigs;
    const ifd_rig_part *rig;
    bool rehearse; /* no position is commanded; the twins supply the response */
} ifd_several;

IFD_API extern const ifd_rig_ops ifd_several_rig;

/* The rigs of a test; NULL: it has one. */
IFD_API const ifd_several *ifd_several_of(const ifd_rig_ops *rig, const void *setup);
/* Whether a rig, or each of several, is simulated in this process. */
IFD_API bool ifd_rigs_are_virtual(const ifd_rig_ops *rig, const void *setup);

/* The channels of one rig in a laboratory and in a channel map of all actuators, numbered within the rig. Fails if a
 * model or a block is only partly on the rig. */
IFD_API ifd_status ifd_laboratory_part(ifd_arena *arena, const ifd_laboratory *all, const ifd_rig_part *part,
                                       ifd_laboratory **out, ifd_note *note);
IFD_API ifd_status ifd_channel_map_part(ifd_arena *arena, const ifd_channel_map *all, const ifd_rig_part *part,
                                        const ifd_channel_map **out);

IFD_END_DECLS
#endif
