/* SPDX-License-Identifier: MIT */
/* Foreign code for a while: in a process of its own, in an empty network, with a folder of its
 * own that is removed afterwards. */
#ifndef APP_SANDBOX_H
#define APP_SANDBOX_H

#include "app.h"

enum { SANDBOX_KEPT = 3 };

/* What the child returns, as its exit status; EXIT_RUN_FAILED, after a complaint, when it could not be made or was
 * brought down. It is ended after the given seconds, unless it makes progress. It has no descriptor besides the three
 * of every program; kept: and this one, as SANDBOX_KEPT; NULL: none. */
int sandbox_run(app *a, int (*what)(app *a, void *self), void *self, unsigned seconds, const int *kept);
/* In the child: from here on it has these seconds again, and again whenever the count has changed; NULL: once. */
void sandbox_watch(const long *count);

#endif
