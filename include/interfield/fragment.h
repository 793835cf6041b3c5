/* SPDX-License-Identifier: MIT */
/* Results of a characterisation as a fragment of a case file, for `include` in the mapping of the specimen.
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

IFD_BEGIN_DECLS

/* Writes estimate, compensation and twin of a channel of the case; other compensations and results are comments. An
 * existing file is refused: IFD_CONFLICT. period: s, tick for which the settings are valid. */
IFD_API ifd_status ifd_fragment_write(const char *path, const ifd_case *c, int channel,
                                      const ifd_characterisation *found, double period, ifd_note *note);

/* Line of a case with this compensator: "compensation: {taylor: {delay: 0.012 s}}", with every given value as an
 * exact decimal. NULL: out of memory. */
IFD_API const char *ifd_fragment_compensation(ifd_arena *arena, const ifd_compensator_kind *kind,
                                              const ifd_value *values);

IFD_END_DECLS
#endif
