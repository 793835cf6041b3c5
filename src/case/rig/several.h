/* SPDX-License-Identifier: MIT */
/* Reading of `test: {rigs: [...]}`: several rigs, each with some of the specimens. */
#ifndef IFD_CASE_SEVERAL_H
#define IFD_CASE_SEVERAL_H

#include <interfield/several.h>

#include "case/reader.h"
#include "rig/several.h"

typedef struct ifd__rig_list {
    ifd_several set;
    ifd_rig_part part[IFD__RIGS];
    const ifd__node *node[IFD__RIGS], *specimens[IFD__RIGS]; /* the entry, and its key `specimens` */
    bool ramps[IFD__RIGS];                                   /* of a virtual rig: `commands: linear` */
    int owner[IFD_RIG_CHANNELS];                             /* rig of each actuator of the test; -1: none */
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

#endif
