/* SPDX-License-Identifier: MIT */
/* The response of the structure in a test, as its columns show it.
 *
 * A row shows the structure at the end of a whole step, at the simulated time of the row. Forces of the specimens at
 * that instant are measured when the next step is about to be solved: the specimens have arrived there. So the row of
 * that tick is the first that shows it, and all columns of it are of one instant, what was measured too; until the
 * next one is known they stand still. The end of the last step is never reached by the specimens: it is shown in the
 * tick after, with the forces measured last. */
#ifndef IFD_HYBRID_RESPONSE_H
#define IFD_HYBRID_RESPONSE_H

#include "hybrid/hybrid.h"

ifd_status ifd__response_of_test(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
/* Nothing has moved. */
IFD_RT void ifd__response_restart(ifd_hybrid *h);
/* The specimens stand at the start, with the forces that were just loaded. */
IFD_RT void ifd__response_begin(ifd_hybrid *h);
/* The forces of an exchange were loaded: their work; at the first one of a step also its row. */
IFD_RT void ifd__response_exchange(ifd_hybrid *h);
/* Nothing is solved in this tick: rest on hold, and the end of the last step. */
IFD_RT void ifd__response_idle(ifd_hybrid *h);
/* s, simulated, of the row. */
IFD_RT double ifd__response_time(const ifd_hybrid *h);
/* out: where the columns of the response begin. */
IFD_RT void ifd__response_publish(ifd_hybrid *h, double *out);

IFD_RT static inline ifd__response_state *ifd__response_state_of(const ifd_hybrid *h)
{
    return (ifd__response_state *)(h->x + h->response_at);
}

IFD_RT static inline ifd__work *ifd__work_of(const ifd_hybrid *h, int k)
{
    return (ifd__work *)(ifd__response_state_of(h) + 1) + k;
}

#endif
