/* SPDX-License-Identifier: MIT */
/* The page of `interfield test --live` and the message with its address. */
#pragma once

#include "session/progress.h"
#include "page.h"

/* orders: who may give them. *out stays NULL if no page was requested. port: as in page_options. */
ifd_status page_of_test(app *a, const ifd_hybrid *h, const ifd_case *c, int port, control *orders, page **out);
/* Receives every record and sends the frames; for NULL a listener without functions. */
listener page_listener(page *p);
/* Prints the address; on stderr if stdout is not for text. */
void page_say(const app *a, const page *p);
