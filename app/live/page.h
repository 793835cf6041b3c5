/* SPDX-License-Identifier: MIT */
/* The live page of a test, served to browsers.
 *
 *     page *p;
 *     IFD_TRY(page_open(arena, &options, &plan, &p, note));   // the address is taken before anything moves
 *     page_attach(p, executor);                               // from now on orders reach the test
 *     ... page_add(p, &record); page_pulse(p, now) ...        // by the watcher, never by the tick
 *     page_end(p, "done", "runs/demo");
 *     page_close(p);
 *
 * The tick's thread knows nothing of it. The watcher copies what is to be seen into a frame, and about twenty times a
 * second the frame as text into a bounded broadcast, under a mutex that the server's thread holds only for as long as
 * it copies from there. A browser that does not read is left behind, then dropped; it never makes anybody wait.
 *
 * Every function takes NULL for a page that nobody asked for. */
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include "frame.h"

enum { PAGE_PORT = 8765 };

typedef struct page_options {
    const char *host; /* the address to listen at; NULL: this machine only */
    int port;         /* 0: any that is free; -1: PAGE_PORT, or any when that is taken */
    size_t keep;      /* bytes of text kept for newcomers; 0: more than a minute of an ordinary test */
} page_options;

typedef struct page page;

/* The arena must not be the one that is sealed for the test; it is used here and in page_end, never by the server's
 * thread. */
ifd_status page_open(ifd_arena *arena, const page_options *o, const frame_plan *plan, page **out, ifd_note *note);
/* "http://127.0.0.1:8765/#3f..." with the token that allows to give orders. */
const char *page_address(const page *p);
void page_attach(page *p, ifd_executor *e);
void page_add(page *p, const ifd_tick_record *r);
/* Sends a frame when it is time. now: ns. */
void page_pulse(page *p, uint64_t now);
/* Whether somebody pressed stop: 1 + the state in which that was, or 0. */
int page_stopped(const page *p);
/* The order that a browser gave last, once. */
ifd_order page_given(page *p);
/* Whether somebody looks on who might give an order: a browser listens, or did a moment ago. */
bool page_attended(page *p);
/* Tells the browsers how it ended. */
void page_end(page *p, const char *outcome, const char *folder);
/* Waits a moment for browsers to hear the end. */
void page_close(page *p);

#endif
