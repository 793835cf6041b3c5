/* SPDX-License-Identifier: MIT */
/* The live page of a test, served to browsers.
 *
 *     page *p;
 *     IFD_TRY(page_open(arena, &options, &plan, &p, note));   // the address is reserved before any motion
 *     ... page_add(p, &record); page_pulse(p, now) ...        // by the watching thread, never by the tick
 *     page_end(p, "completed", "runs/demo");
 *     page_close(p);
 *
 * The tick thread is independent of the page. The watching thread copies records into a frame and writes the frame as
 * text into a bounded broadcast buffer, about twenty times a second, under a mutex that the server thread holds only
 * while it copies. A browser that does not read is disconnected; it delays no other thread.
 *
 * Every function accepts NULL for a test without a page. */
#pragma once

#include "frame.h"
#include "session/control.h"
#include "session/progress.h"

enum { PAGE_PORT = 8765 };

typedef struct page_options {
    const char *host; /* network address; NULL: this computer only */
    int port;         /* 0: any free port; -1: PAGE_PORT, or any free port if it is in use */
    size_t keep;      /* bytes of text stored for new browsers; 0: more than a minute of an ordinary test */
    control *control; /* for orders; NULL: a replay */
    uint64_t samples; /* samples of every column stored for requests; 0: likewise */
} page_options;

typedef struct page page;

/* The arena must not be the one that is sealed for the test; it is used here and in page_end, never by the server
 * thread. */
ifd_status page_open(ifd_arena *arena, const page_options *o, const frame_plan *plan, page **out, ifd_note *note);
/* "http://127.0.0.1:8765/#3f..." with the token that permits orders. */
const char *page_address(const page *p);
void page_add(page *p, const ifd_tick_record *r);
/* Sends a frame if it is due. now: ns. */
void page_pulse(page *p, uint64_t now);
/* Whether a browser is connected, or was a moment ago. */
bool page_attended(page *p);
/* An alarm of the supervisor (session/supervised.h), or its end: a red band. */
void page_engine(page *p, const char *text, bool stopped);
/* Sends the outcome to the browsers. */
void page_end(page *p, const char *outcome, const char *folder);
/* Closes the page after a short wait, so that browsers receive the outcome. */
void page_close(page *p);

/* The page of `interfield test --live` and the message with its address. */

/* orders: who may give them. *out stays NULL if no page was requested. port: as in page_options. */
ifd_status page_of_test(app *a, const ifd_hybrid *h, const ifd_case *c, int port, control *orders, page **out);
/* Prints the address; on stderr if stdout is not for text. */
void page_say(const app *a, const page *p);
