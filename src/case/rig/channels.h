/* SPDX-License-Identifier: MIT */
/* Reading of channels, drives and force control of a case. */
#pragma once

#include <interfield/several.h>

#include "case/reader.h"
#include "rig/several.h"

/* Settings that specimens and actuators of drives have: limits; actuator and sensors of the virtual rig. */
/* rotation: lengths are angles and forces are moments. */
bool ifd__specimen_turns(const ifd__structure *st, const ifd_specimen *s);
/* Leaves `out` as it is without the mapping. */
void ifd__read_capacity(ifd__reader *r, const ifd__node *node, bool turns, ifd_capacity *out);
void ifd__read_limits(ifd__reader *r, const ifd__node *node, bool turns, ifd_limits *out);
/* Whether the limits of force and tracking are present. A virtual rig and the case of a record do not need them.
 * what: "specimen 'bearing'". */
void ifd__need_limits(ifd__reader *r, const char *what, const ifd__node *limits, const ifd_limits *l);
/* NULL after an error; what: its key. */
ifd_value *ifd__read_sensor(ifd__reader *r, const ifd__node *node, const char *what);
/* The compensator and its values; false after an error. */
bool ifd__read_compensation(ifd__reader *r, const ifd__node *node, ifd_interface_options *c);
void ifd__read_bench(ifd__reader *r, const ifd__node *item, ifd_virtual_actuator *bench);

/* `force-control`, `drives` and `channels`, in this order, after the test. NULL does nothing. */
void ifd__read_forces(ifd__reader *r, const ifd__node *list);
void ifd__read_drives(ifd__reader *r, const ifd__node *list);
/* The interface that a text names; -1 after an error, which begins with prefix. */
int ifd__interface_at(ifd__reader *r, const ifd__node *node, const char *prefix);

/* All three. */
void ifd__read_hardware(ifd__reader *r, const ifd__fields *top);
/* The mapping `elastic` of a test; NULL: none. */
void ifd__read_elastic(ifd__reader *r, const ifd__node *node, const ifd_value *stale_for, ifd_hybrid_options *o);
/* Whether the specimens depend on the rate of the motion, by their elements; the case may state otherwise. Sets
 * rate_dependent and rate_from. */
void ifd__find_rate(ifd__reader *r, const ifd_value *stated, const ifd_laboratory *lab, ifd_hybrid_options *o);
/* Reads the key `rig` of a rig in a shared object; false: it names another rig. */
bool ifd__read_object_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o);

/* `test: {rigs: [...]}`: several rigs, each with some of the specimens. */
typedef struct ifd__rig_list {
    ifd_several set;
    ifd_rig_part part[IFD__RIGS];
    const ifd__node *node[IFD__RIGS], *specimens[IFD__RIGS]; /* the entry, and its key `specimens` */
    bool ramps[IFD__RIGS];                                   /* of a virtual rig: `commands: linear` */
    int owner[IFD_RIG_ACTUATORS];                            /* rig of each actuator of the test; -1: none */
    bool refused;                                            /* an entry is not among them */
} ifd__rig_list;

/* The key `rig`; sets rig, rig_values and rig_setup. */
void ifd__read_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o, ifd_laboratory *laboratory);

/* The list, with names and kinds. */
void ifd__read_rigs(ifd__reader *r, const ifd__fields *test, ifd_hybrid_options *o, ifd_laboratory *laboratory);
/* After drives and force control: actuators of each rig, and auxiliary inputs in use. known: the specimens have no
 * errors. */
void ifd__assign_rigs(ifd__reader *r, bool known, const ifd__node *channels);
/* Whether a specimen has an accelerometer, and neither its `mass-on-rig` nor its compensator states the input. */
bool ifd__accelerometer_preset(const ifd__node *item, const ifd_interface_options *c);
/* Accelerometers and computed forces read separate auxiliary inputs. */
void ifd__check_inputs(ifd__reader *r);
/* "lab-b position 1" of a channel; whether it is on the rig of the actuator that it measures. */
void ifd__read_rig_input(ifd__reader *r, const ifd_value *v, bool known, ifd_channel_row *row);
void ifd__check_rig_input(ifd__reader *r, const ifd_value *v, const ifd_channel_row *row);
/* After the channels: the laboratory of each rig. */
void ifd__make_laboratories(ifd__reader *r);
/* The name of the first rig that is not virtual. */
const char *ifd__real_rig(const ifd__reader *r);
