/* SPDX-License-Identifier: MIT */
/* The page that `interfield test --live` asks for, and what is said about it. */
#ifndef APP_PAGE_TEST_H
#define APP_PAGE_TEST_H

#include "session/listener.h"
#include "page.h"

/* *out stays NULL when the page was not asked for. port: as in page_options. */
ifd_status page_of_test(app *a, const ifd_hybrid *h, const ifd_case *c, int port, page **out);
/* It sees every record and sends its frames; of NULL, one that does nothing. */
listener page_listener(page *p);
/* Says the address; where nothing may be said on stdout, on stderr. */
void page_say(const app *a, const page *p);

#endif
