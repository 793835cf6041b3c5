/* SPDX-License-Identifier: MIT */
/* What a characterisation found, said, drawn and as JSON. */
#ifndef APP_FOUND_H
#define APP_FOUND_H

#include "app.h"

#include <interfield/characterise.h>
#include <interfield/json.h>

void found_say(app *a, const char *name, const ifd_found *f);
/* Gain and lag over frequency, as NAME.png in the folder. */
void found_draw(app *a, ifd_arena *arena, const char *name, const ifd_found *f, const char *folder);
void found_json(ifd_json *j, const ifd_found *f);

/* Of all channels together (ifd_characterise_stiffness). */
typedef struct matrix {
    int channels;
    const ifd_channel_options *channel;
    double *K, *error, symmetry;
} matrix;

void matrix_say(app *a, const matrix *m);
void matrix_json(ifd_json *j, const matrix *m);

#endif
