/* SPDX-License-Identifier: MIT */
/* interfield key: the secret that a rig's server and its test share. */
#include "app.h"

#include <interfield/link.h>

int command_key(app *a)
{
    ifd_status status = ifd_key_make(a->word[0], &a->note);
    if (status != IFD_OK)
        return app_fail(a, status);
    if (a->json) {
        ifd_json j;
        ifd_json_init(&j, a->arena);
        ifd_json_object(&j, NULL);
        ifd_json_text(&j, "key", a->word[0]);
        ifd_json_end(&j);
        return app_put_json(a, &j, EXIT_FINE);
    }
    app_say(a, "key", "%s · for interfield rig CASE --key and rig: {udp: {key: FILE}}; keep it secret", a->word[0]);
    return EXIT_FINE;
}
