/* SPDX-License-Identifier: MIT */
/* The rig that a case names, and what the file of its bus states. */
#pragma once

#include "app.h"

#include <interfield/preflight.h>
#include <interfield/settings.h>

/* What a test requires of its rig. The tick follows from method, step and lambda. */
typedef struct rig_of_case {
    double tick; /* s */
    int actuators;
    ifd_limits limits[IFD_RIG_ACTUATORS];
} rig_of_case;

ifd_status rig_of_case_find(app *a, const ifd_case *c, rig_of_case *out);

/* The rig of the option --rig of a case with several rigs, NULL of a case with one. False after an error: --rig is
 * missing, unknown, or given for one rig. */
bool rig_of_case_named(app *a, const ifd_case *c, const ifd_rig_part **out);
/* Its actuators only. */
void rig_of_case_part(rig_of_case *facts, const ifd_rig_part *part);

/* What the bus file of an EtherCAT rig states, before its driver is opened. */

/* The file of the bus of a rig; NULL: another rig, or an error, which its driver reports. */
const ifd_setting *bus_facts(const app *a, const ifd_rig_ops *rig, const ifd_value *values);
/* What becomes of the axes at the end of the test of this case. */
void bus_facts_end(const app *a, const ifd_case *c, ifd_preflight_options *o);
