/* SPDX-License-Identifier: MIT */
/* The part of a summary about the program that computed the structure: its messages, its end, and refused clients. */
#include <stdio.h>

#include <interfield/opensees.h>

#include "record/result.h"

static const char *ending(uint32_t word)
{
    static const char *const text[] = {[IFD_REMOTE_END] = "ended",
                                       [IFD_REMOTE_LOST] = "lost",
                                       [IFD_REMOTE_WRONG] = "wrong target",
                                       [IFD_REMOTE_MISMATCH] = "mismatch",
                                       [IFD_REMOTE_EARLY] = "ended early"};
    return word < sizeof text / sizeof *text && text[word] ? text[word] : "still there";
}

static void put_messages(ifd_json *j, const ifd_opensees_report *r)
{
    ifd_json_object(j, "messages");
    for (int i = 0; i < IFD_OPENSEES_CODES; i++) {
        char code[12];
        snprintf(code, sizeof code, "%d", i == IFD_OPENSEES_CODES - 1 ? 99 : i);
        if (r->count[i])
            ifd_json_integer(j, code, (long)r->count[i]);
    }
    ifd_json_end(j);
}

static void put_reasons(ifd_json *j, const ifd_opensees_report *r)
{
    ifd_json_integer(j, "refused", (long)r->refused);
    ifd_json_list(j, "refusals");
    for (int i = 0; i < r->reasons; i++) {
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("reason", r->reason[i]), IFD_JSON("times", (long)r->times[i]));
    }
    ifd_json_end(j);
}

void ifd__summary_master(ifd_json *j, const ifd_opensees_report *r)
{
    if (!r)
        return;
    ifd_json_object(j, "master");
    IFD_JSON_PUT(j, IFD_JSON("program", "opensees"), IFD_JSON("ending", ending(r->word)),
                 IFD_JSON("reason", r->why[0] ? r->why : NULL), IFD_JSON("time", r->time),
                 IFD_JSON("steps", (long)r->steps), IFD_JSON("targets", (long)r->targets));
    put_messages(j, r);
    put_reasons(j, r);
    IFD_JSON_PUT(j, IFD_JSON("strays", (long)r->strays), IFD_JSON("answer_mean", r->answer_mean),
                 IFD_JSON("answer_max", r->answer_max));
    ifd_json_end(j);
}
