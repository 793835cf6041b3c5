/* SPDX-License-Identifier: MIT */
#include "method/stepper.h"
#include "method/tables.h"

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    (void)s, (void)arena, (void)opt;
    return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "the reference solution is not there yet");
}

static const ifd_param params[] = {
    {.name = "tolerance", .preset = 1e-10, .range = IFD_RANGE_WITHIN, .min = 1e-14, .max = 1e-2,
     .doc = "relative error of one internal step of a nonlinear model"},
    {0}};

const ifd_method ifd__reference = {
    .name = "reference",
    .title = "Reference solution",
    .citation = "exact exponential; Hindmarsh et al. (2005), SUNDIALS",
    .summary = "For comparison only: exact for linear models, otherwise CVODE with root-finding at kinks.",
    .order = 0, .stages = 1, .at = {1.0}, .offline = true, .params = params,
    .make = make,
};
