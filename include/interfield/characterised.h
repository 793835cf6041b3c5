/* SPDX-License-Identifier: MIT */
/* The newest characterisation of a rig, in STEM.characterisation.json beside the case; preflight compares the twin of
 * the case with it.
 *
 *     ifd_characterised found[IFD_RIG_ACTUATORS];
 *     ifd_preflight_options o = ifd_preflight_of(c);
 *     if (ifd_characterised_read(arena, c, NULL, found))
 *         o.characterised = found;
 *
 * A record has a mark of the settings of its rigs. Records of other settings are kept, but do not count.
 *
 * The results are also a fragment of a case file, for `include` in the mapping of the specimen.
 *
 *     ifd_characterisation found;
 *     IFD_TRY(ifd_characterise(arena, program, 0, record, &found, note));
 *     IFD_TRY(ifd_fragment_write("device.yaml", c, 0, &found, ifd_hybrid_period(test), note));
 *
 *     specimen:                                             # in the case
 *       - {include: device.yaml, name: device, ...} */
#ifndef INTERFIELD_CHARACTERISED_H
#define INTERFIELD_CHARACTERISED_H

#include <interfield/case.h>
#include <interfield/characterise.h>
#include <interfield/compensator.h>
#include <interfield/preflight.h>

IFD_BEGIN_DECLS

/* stem: path of the file without its ending; NULL: that of the case. by: the operator, or NULL. The interfaces are
 * those of the test of c; members about age are not used. */
IFD_API ifd_status ifd_characterised_write(ifd_arena *arena, const ifd_case *c, const char *stem, const char *by,
                                           const ifd_characterised *found, ifd_note *note);

/* False: this rig has no characterisation. */
IFD_API bool ifd_characterised_read(ifd_arena *arena, const ifd_case *c, const char *stem,
                                    ifd_characterised out[IFD_RIG_ACTUATORS]);

/* The measured stiffness and loss of the specimens become part of the case c, as `test.characterised-stiffness` and
 * `test.characterised-loss`, so that a replay has them. False: there are none, or the case states its own. */
IFD_API bool ifd_characterised_use(ifd_arena *arena, const char *stem, ifd_case *c);

/* The case with these bursts as its motions, as `test.burst-velocity` and `test.burst-frequency`, so that a
 * replay has them. */
IFD_API ifd_status ifd_characterised_burst(ifd_arena *arena, const ifd_case *c, const ifd_burst *burst,
                                           ifd_case **out);

/* Writes estimate, compensation and twin of a specimen of the case; other compensations and results are comments. An
 * existing file is refused: IFD_CONFLICT. period: s, tick for which the settings are valid. */
IFD_API ifd_status ifd_fragment_write(const char *path, const ifd_case *c, int specimen,
                                      const ifd_characterisation *found, double period, ifd_note *note);

/* Line of a case with this compensator: "compensation: {taylor: {delay: 0.012 s}}", with every given value as an
 * exact decimal. NULL: out of memory. */
IFD_API const char *ifd_fragment_compensation(ifd_arena *arena, const ifd_compensator_kind *kind,
                                              const ifd_value *values);

IFD_END_DECLS
#endif
