/* SPDX-License-Identifier: MIT */
/* The certificate of a preflight beside a case, and a test that wants one. */
#ifndef APP_CERTIFIED_H
#define APP_CERTIFIED_H

#include "app.h"
#include "events.h"

#include <interfield/certificate.h>

/* Where its certificate stands, without ".certificate.json": beside the case, or in --out of a preflight. */
const char *certificate_stem(app *a, const ifd_case *c);

/* Before a test: finds the certificate, by itself or by --certificate, and says what is wrong with it. A test that
 * moves a real rig needs one that holds, or --without-preflight; false when it may not go on. What was found is noted
 * in the case. */
bool certified(app *a, ifd_case *c, bool rehearsal, ifd_certificate *out);
/* Its verdict into the log; what it warns of is shown as well. */
void certified_log(app *a, const ifd_case *c, const ifd_certificate *certificate, events *log);
/* Puts it into the folder of the result. */
bool certified_store(app *a, const ifd_certificate *certificate, const char *folder);

#endif
