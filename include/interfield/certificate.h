/* SPDX-License-Identifier: MIT */
/* Certificate: what a preflight found, as one page, and what it holds for.
 *
 *     IFD_TRY(ifd_certificate_write(arena, "bridge", c, &preflight, &certificate, note));
 *         // bridge.certificate.txt, .json and .html
 *     ...
 *     IFD_TRY(ifd_certificate_read(arena, "bridge.certificate.json", &certificate, note));
 *     const char *reason = ifd_certificate_stale(&certificate, c);      // NULL: it holds
 *
 * It holds for this case (every file it is read from, and its overrides), this program, these channels and rig, and
 * this machine, and for nothing else: each has a mark, a hash that changes when it does. Marks find changes, not
 * malice. */
#ifndef INTERFIELD_CERTIFICATE_H
#define INTERFIELD_CERTIFICATE_H

#include <interfield/case.h>
#include <interfield/json.h>
#include <interfield/preflight.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a certificate holds for: name, and what is said when it is another. */
#define IFD_MARK_LIST(X)                                                                                             \
    X(CASE, "case", "the case, a file it is read from, or an override is another")                                   \
    X(PROGRAM, "program", "the program is another")                                                                  \
    X(CHANNELS, "channels", "the rig, a channel or a limit is another")                                              \
    X(MACHINE, "machine", "the machine or its kernel is another")

typedef enum ifd_mark {
#define IFD_MARK_ENUM(name, word, text) IFD_MARK_##name,
    IFD_MARK_LIST(IFD_MARK_ENUM)
#undef IFD_MARK_ENUM
        IFD_MARK_COUNT
} ifd_mark;

enum { IFD_MARK_SIZE = 17 }; /* 16 hexadecimal digits and the end */

typedef struct ifd_certificate {
    char number[IFD_MARK_SIZE];
    char made[32]; /* UTC, ISO 8601 */
    ifd_verdict verdict;
    char mark[IFD_MARK_COUNT][IFD_MARK_SIZE];
    const char *json; /* the whole of it */
} ifd_certificate;

/* What ifd_preflight_run is asked of the test of a case. */
IFD_API ifd_preflight_options ifd_preflight_of(const ifd_case *c);

/* The marks of a case as it is here and now. IFD_FILE when the program cannot be read. */
IFD_API ifd_status ifd_certificate_marks(ifd_arena *arena, const ifd_case *c,
                                         char mark[IFD_MARK_COUNT][IFD_MARK_SIZE], ifd_note *note);

/* Writes stem.certificate.txt, .json and .html. */
IFD_API ifd_status ifd_certificate_write(ifd_arena *arena, const char *stem, const ifd_case *c,
                                         const ifd_preflight *p, ifd_certificate *out, ifd_note *note);

/* IFD_FILE when there is none, IFD_SYNTAX when it is damaged or was changed. */
IFD_API ifd_status ifd_certificate_read(ifd_arena *arena, const char *path, ifd_certificate *out, ifd_note *note);

/* Why it does not hold for this case, here and now; NULL when it does. */
IFD_API const char *ifd_certificate_stale(ifd_arena *arena, const ifd_certificate *certificate, const ifd_case *c);

/* A summary.json, its checksum verified. *sealed: whether it has one; those of earlier versions have none. IFD_FILE
 * when it cannot be read, IFD_DAMAGED when its checksum does not hold. */
IFD_API ifd_status ifd_summary_read(ifd_arena *arena, const char *path, bool *sealed, ifd_json_node **out,
                                    ifd_note *note);

/* What summary.json of a finished test says of the delay (s) and amplitude of a channel's measured over its wanted
 * motion. False when it does not. */
IFD_API bool ifd_summary_tracking(ifd_arena *arena, const char *path, const char *channel, double *delay,
                                  double *amplitude);

#ifdef __cplusplus
}
#endif
#endif
