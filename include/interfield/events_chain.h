/* SPDX-License-Identifier: MIT */
/* Chain of events.log: each line ends with two blanks, '#' and the first 16 hexadecimal digits of
 *
 *     h_n = SHA-256(h_(n-1) || bytes of line n before the two blanks),     h_0 = 32 zero bytes.
 *
 * The whole last hash is in summary.json and result.h5 (events_chain). A line that is edited, removed or added is
 * detected. A person who computes all hashes again and also changes both files is not.
 *
 *     ifd_events_chain chain = {0};
 *     char mark[IFD_CHAIN_MARK + 1];
 *     ifd_events_chain_add(&chain, line, strlen(line), mark);     // write line, mark, newline
 *     ...
 *     IFD_TRY(ifd_events_check(arena, "runs/demo", &check));
 *     if (check.wrong) puts(check.wrong);                         // "events.log: line 14 was changed" */
#ifndef INTERFIELD_EVENTS_CHAIN_H
#define INTERFIELD_EVENTS_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <interfield/arena.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

enum {
    IFD_CHAIN_MARK = 19, /* characters after a line */
    IFD_CHAIN_TEXT = 64, /* hexadecimal digits of a whole hash */
};

/* {0} before the first line. */
typedef struct ifd_events_chain {
    unsigned char hash[32];
} ifd_events_chain;

/* Adds a line without its end; mark: what follows it. Takes no memory and no lock. */
IFD_API void ifd_events_chain_add(ifd_events_chain *c, const char *line, size_t length,
                                  char mark[IFD_CHAIN_MARK + 1]);
IFD_API void ifd_events_chain_print(const ifd_events_chain *c, char out[IFD_CHAIN_TEXT + 1]);

typedef struct ifd_events_checked {
    bool found;             /* there is a log, or a hash of one */
    bool bare;              /* no line has a hash: it cannot be verified */
    long lines;             /* complete ones */
    bool cut;               /* the last line has no end: the program ended while it wrote; it is not counted */
    bool ended;             /* the whole last hash is recorded, and it is that of the last line */
    const char *wrong;      /* what was changed; NULL: nothing */
    ifd_events_chain chain; /* of the complete lines, up to the first changed one */
} ifd_events_checked;

/* path: the folder of a result, or a file in it. Only a lack of memory is an error. */
IFD_API ifd_status ifd_events_check(ifd_arena *arena, const char *path, ifd_events_checked *out);

IFD_END_DECLS
#endif
