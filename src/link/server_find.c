/* SPDX-License-Identifier: MIT */
/* Position of a served rig before motion: the rule of a test (hybrid/position_search.h), applied by the server. */
#include <math.h>

#include "link/server.h"
#include "rig/limits.h"
#include "base/os_linux.h"

/* s for the first measurements of the hardware, in addition to the time of a series. */
static const double patience = 2.0;

static void begin_series(ifd_rig_server *s)
{
    for (int k = 0; k < s->rig.actuators; k++)
        ifd__finding_begin(&s->finding[k], s->measure.position[k]);
    s->samples = 1;
    s->found = false;
}

static bool agrees(ifd_rig_server *s)
{
    bool all = true;
    for (int k = 0; k < s->rig.actuators; k++) {
        double most = IFD__ARM_SPREAD * (s->bounds[k].high - s->bounds[k].low);
        all = ifd__finding_add(&s->finding[k], s->measure.position[k], s->found) <= most && all;
    }
    return all;
}

void ifd__server_add_sample(ifd_rig_server *s)
{
    bool finite = true;
    for (int k = 0; k < s->rig.actuators; k++)
        finite = finite && isfinite(s->measure.position[k]);
    if (s->leads || !finite) {
        s->samples = 0;
        s->found = false;
        return;
    }
    if (s->samples == 0 || !agrees(s))
        begin_series(s);
    else if (!s->found)
        s->samples++;
    if (s->found || s->samples < s->enough)
        return;
    for (int k = 0; k < s->rig.actuators; k++)
        ifd__finding_end(&s->finding[k], s->samples);
    s->found = true;
}

void ifd__server_let_go(ifd_rig_server *s)
{
    s->leads = s->armed = s->found = false;
    s->samples = 0;
    for (int k = 0; k < s->rig.actuators; k++)
        s->g[k].w = s->command.velocity[k] = 0.0;
}

bool ifd__server_begin(ifd_rig_server *s)
{
    bool inside = s->found, back = s->target.word == IFD_MACHINE_RETURN;
    for (int k = 0; k < s->rig.actuators; k++) {
        s->now[k] = s->bounds[k];
        double place = s->finding[k].at;
        if (back && s->found) { /* from there inward; ifd__server_move moves the bound */
            s->now[k].low = fmin(s->bounds[k].low, place);
            s->now[k].high = fmax(s->bounds[k].high, place);
        }
        inside = ifd__governor_begin(&s->now[k], place, &s->g[k]) && inside;
    }
    s->leads = inside;
    s->report.rest = true;
    return inside;
}

/* No position is commanded meanwhile, but the rig receives heartbeats. A rig outside its limits is served: only the
 * order return of a test moves it. */
ifd_status ifd__server_find(ifd_rig_server *s, ifd_note *note)
{
    s->enough = (int)fmax(IFD__ARM_SAMPLES, ceil(IFD__ARM_TIME / s->o.tick));
    bool heard = false;
    int64_t end = ifd__clock_now() + (int64_t)(1e9 * (patience + IFD__ARM_TIME)) + 4 * s->enough * s->period;
    while (!s->found && ifd__clock_now() < end) {
        heard = ifd__server_sense(s) || heard;
        ifd__server_move(s);
        ifd__clock_sleep(s->rig.size > 0 ? ifd__clock_now() : ifd__server_on_grid(s, ifd__clock_now()));
    }
    if (!heard)
        return ifd_note_add(note, IFD_PEER, NULL, "rig '%s' sends no position", s->rig.ops->name);
    if (!s->found)
        return ifd_note_add(
            note, IFD_PEER, NULL,
            "the position of rig '%s' is not known: its measured positions are not finite, or do not agree within %g "
            "of the stroke. Bring it to rest and check its position sensors",
            s->rig.ops->name, IFD__ARM_SPREAD);
    for (int k = 0; k < s->rig.actuators; k++)
        s->report.position[k] = s->finding[k].at;
    s->report.rest = true;
    return IFD_OK;
}
