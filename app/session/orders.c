/* SPDX-License-Identifier: MIT */
/* Prints the answer of a test to an order. */
#include "orders.h"

/* "brace changed by -1200 N on hold, permitted are 480 N" */
static void about(const ifd_tick_trace *t, const ifd_hybrid_options *o, char *out, size_t size)
{
    out[0] = '\0';
    if (t->answer == IFD_ANSWER_RELAXED && t->answer_channel >= 0 && t->answer_channel < o->interfaces)
        snprintf(out, size, " (force of %s changed by %+.4g N, limit %.4g N: %g %% plus noise)",
                 o->interface[t->answer_channel].name, t->answer_value, t->answer_limit, 100 * o->hold_relaxation);
    if (t->answer == IFD_ANSWER_INTERLOCK && o->map && t->answer_channel >= 0 && t->answer_channel < o->map->rows) {
        const ifd_channel_row *row = &o->map->row[t->answer_channel];
        snprintf(out, size, ": '%s' is %.6g %s, permitted are %.6g to %.6g %s", row->name, t->answer_value, row->unit,
                 row->arm_low, row->arm_high, row->unit);
    }
}

bool answer_print(const ifd_tick_record *r, const ifd_hybrid_options *o, char *out, size_t size)
{
    ifd_answer answer = r->trace ? (ifd_answer)r->trace->answer : IFD_ANSWER_NONE;
    char more[160] = "", text[400] = "";
    if (r->trace) {
        about(r->trace, o, more, sizeof more);
        ifd_answer_print(r->trace, text, sizeof text);
    }
    bool asks = answer == IFD_ANSWER_QUIT_FREES; /* the same order again is executed */
    snprintf(out, size, "%s%s%s", ifd_answer_refuses(answer) && !asks ? "refused: " : "", text, more);
    return answer != IFD_ANSWER_NONE;
}
