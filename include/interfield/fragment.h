/* SPDX-License-Identifier: MIT */
/* What was found of a specimen as a piece of a case file, to be taken over by `include` in the specimen's mapping.
 *
 *     ifd_characterisation found;
 *     IFD_TRY(ifd_characterise(arena, program, 0, record, &found, note));
 *     IFD_TRY(ifd_fragment_write("device.yaml", c, 0, &found, ifd_hybrid_period(test), note));
 *
 *     specimen:                                             # in the case
 *       - {include: device.yaml, name: device, ...} */
#ifndef INTERFIELD_FRAGMENT_H
#define INTERFIELD_FRAGMENT_H

#include <interfield/case.h>
#include <interfield/compensator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Estimate and compensation of a channel of the case, the other compensations and all else that was found as
 * comments. A file that exists is not written over: IFD_CONFLICT. period: s, of the tick it holds for. */
IFD_API ifd_status ifd_fragment_write(const char *path, const ifd_case *c, int channel,
                                      const ifd_characterisation *found, double period, ifd_note *note);

/* The line of a case that gives a specimen this compensator: "compensation: {taylor: {delay: 0.012 s}}", with every
 * value that is given, in digits that read back to the same number. NULL when memory is out. */
IFD_API const char *ifd_fragment_compensation(ifd_arena *arena, const ifd_compensator_kind *kind,
                                              const ifd_value *values);

#ifdef __cplusplus
}
#endif
#endif
