/* SPDX-License-Identifier: MIT */
/* interfield key: the shared key of a rig server and its test. */
#include "app.h"

#include <interfield/link.h>

static int run_command(app *a)
{
    APP_TRY(a, ifd_key_make(a->word[0], &a->note));
    if (a->json) {
        ifd_json j = app_json(a);
        ifd_json_text(&j, "key", a->word[0]);
        return app_put_json(a, &j, EXIT_FINE);
    }
    app_say(a, "key", "%s · for interfield rig CASE --key and rig: {udp: {key: FILE}}; keep it secret", a->word[0]);
    return EXIT_FINE;
}

const command command_key = {
    .name = "key",
    .words = "FILE",
    .summary = "make a key file for a rig that is served over a network",
    .details = "The file contains 64 random hexadecimal digits and has mode 0600. An existing file is not "
               "overwritten. The server of the rig and the test need the same file.",
    .examples = "interfield key rig.key",
    .see = "rig test security.md",
    .run = run_command,
};
