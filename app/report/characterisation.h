/* SPDX-License-Identifier: MIT */
/* The result of a characterisation as text, drawing and JSON. */
#pragma once

#include "app.h"

#include <interfield/characterise.h>
#include <interfield/json.h>

/* turns: angles and moments; expected: N/m, of the case; transport: s, of the connection, beside the twin. */
void characterisation_say(app *a, const char *name, bool turns, const ifd_characterisation *f, double expected,
                          double transport);
/* Why nothing may be concluded from it; NULL: no reason. */
const char *characterisation_refused(ifd_arena *arena, const ifd_characterisation *f, double expected);
/* Gain, lag and coherence over frequency with error bars, as NAME.png in the folder. */
void characterisation_draw(app *a, ifd_arena *arena, const char *name, ifd_characterisation *f, const char *folder);
void characterisation_json(ifd_json *j, bool turns, const ifd_characterisation *f);
/* Whether the actuator follows the velocity of the test. */
void burst_say(app *a, bool turns, const ifd_burst *b);
void burst_json(ifd_json *j, const ifd_burst *b);
/* "1.5 mm", "20 um", of a rotation "1.5 mrad", "20 urad". */
wording characterisation_motion(bool turns, double value);

/* The stiffness matrix of all interfaces (ifd_characterise_stiffness). */
void matrix_say(app *a, const ifd_interface_options *interface, const ifd_stiffness_matrix *m);
void matrix_json(ifd_json *j, const ifd_stiffness_matrix *m);
