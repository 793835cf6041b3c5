/* SPDX-License-Identifier: MIT */
/* Certificate: the results of a preflight on one page, and the conditions of its validity.
 *
 *     IFD_TRY(ifd_certificate_write(arena, "bridge", c, &preflight, &certificate, note));
 *         // bridge.certificate.txt, .json and .html
 *     ...
 *     IFD_TRY(ifd_certificate_read(arena, "bridge.certificate.json", &certificate, note));
 *     const char *reason = ifd_certificate_stale(&certificate, c);      // NULL: valid
 *
 * It is valid for this case (with all source files and overrides), this program, these channels and rig, and this
 * machine. Each of these has a mark, a hash that detects changes. Marks do not protect against forgery. */
#ifndef INTERFIELD_CERTIFICATE_H
#define INTERFIELD_CERTIFICATE_H

#include <interfield/case.h>
#include <interfield/json.h>
#include <interfield/preflight.h>

IFD_BEGIN_DECLS

/* Conditions of validity: name, and the sentence for a mismatch. */
#define IFD_MARK_LIST(X)                                                                                             \
    X(CASE, "case", "the case, one of its source files or an override has changed")                                  \
    X(PROGRAM, "program", "the program has changed")                                                                 \
    X(CHANNELS, "channels", "the rig, a channel or a limit has changed")                                             \
    X(MACHINE, "machine", "the machine or its kernel has changed")

typedef enum ifd_mark {
#define IFD_MARK_ENUM(name, word, text) IFD_MARK_##name,
    IFD_MARK_LIST(IFD_MARK_ENUM)
#undef IFD_MARK_ENUM
        IFD_MARK_COUNT
} ifd_mark;

enum { IFD_MARK_SIZE = 17 }; /* 16 hexadecimal digits and the terminating zero */

typedef struct ifd_certificate {
    char number[IFD_MARK_SIZE];
    char made[32]; /* UTC, ISO 8601 */
    ifd_verdict verdict;
    char mark[IFD_MARK_COUNT][IFD_MARK_SIZE];
    const char *json; /* complete text */
} ifd_certificate;

/* Preflight options for the test of a case. */
IFD_API ifd_preflight_options ifd_preflight_of(const ifd_case *c);

/* The current marks of a case. IFD_FILE: the program file cannot be read. */
IFD_API ifd_status ifd_certificate_marks(ifd_arena *arena, const ifd_case *c,
                                         char mark[IFD_MARK_COUNT][IFD_MARK_SIZE], ifd_note *note);

/* Writes stem.certificate.txt, .json and .html. */
IFD_API ifd_status ifd_certificate_write(ifd_arena *arena, const char *stem, const ifd_case *c,
                                         const ifd_preflight *p, ifd_certificate *out, ifd_note *note);

/* IFD_FILE: no such file; IFD_SYNTAX: damaged or modified. */
IFD_API ifd_status ifd_certificate_read(ifd_arena *arena, const char *path, ifd_certificate *out, ifd_note *note);

/* The reason why it is not valid for this case now; NULL: valid. */
IFD_API const char *ifd_certificate_stale(ifd_arena *arena, const ifd_certificate *certificate, const ifd_case *c);

/* Thresholds of the certificate for the monitor of the test of c (docs/guide/monitor.md): smallest delay margin (s),
 * frequency of the oscillation with the least damping (Hz; 0: unknown). They become part of c and of its bundle, as
 * `test.thresholds`. False: the test has no monitor that uses them, or the certificate does not have them. */
typedef struct ifd_thresholds {
    double delay_margin, frequency;
} ifd_thresholds;
IFD_API bool ifd_certificate_thresholds(ifd_arena *arena, const ifd_certificate *certificate, ifd_case *c,
                                        ifd_thresholds *out);

/* Reads a summary.json and verifies its checksum. *sealed: whether it has one. IFD_FILE: it cannot be read;
 * IFD_DAMAGED: wrong checksum. */
IFD_API ifd_status ifd_summary_read(ifd_arena *arena, const char *path, bool *sealed, ifd_json_node **out,
                                    ifd_note *note);

/* Delay (s) and amplitude of measured over target motion of a specimen in the summary.json of a finished test. False:
 * not present. */
IFD_API bool ifd_summary_tracking(ifd_arena *arena, const char *path, const char *specimen, double *delay,
                                  double *amplitude);

IFD_END_DECLS
#endif
