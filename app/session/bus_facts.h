/* SPDX-License-Identifier: MIT */
/* What the bus file of an EtherCAT rig states, before its driver is opened. */
#pragma once

#include "app.h"

#include <interfield/preflight.h>
#include <interfield/settings.h>

/* The file of the bus of a rig; NULL: another rig, or an error, which its driver reports. */
const ifd_setting *bus_facts(const app *a, const ifd_rig_ops *rig, const ifd_value *values);
/* What becomes of the axes at the end of the test of this case. */
void bus_facts_end(const app *a, const ifd_case *c, ifd_preflight_options *o);
