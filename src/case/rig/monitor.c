/* SPDX-License-Identifier: MIT */
/* The monitor of stability of a test. */
#include "case/reader.h"

#define AFTER_HOLD "hold|trip|note|slow"
#define AFTER_NOTE "note|slow|hold|trip"

static const ifd__key monitor_keys[] = {
    WORD("caution", AFTER_NOTE, "action at a ratio of 0.5, or a delay of 0.5 of its margin"),
    WORD("act", AFTER_NOTE, "action at a ratio of 0.85, or a delay of 0.75 of its margin"),
    WORD("hold", AFTER_HOLD, "action at a ratio of 1, or a delay of 0.9 of its margin"),
    WITHIN("window", TIME, 1e-3, 1e4, 1, NULL,
           "simulated time of the ratio of energies; at least three periods of the lowest mode"),
    WITHIN("persist", TIME, 0, 100, 0.1, NULL, "wall-clock time that a level must last before its action"),
    WITHIN("level", NONE, 0, 1, 0.01, NULL,
           "root mean square of the target below which nothing is judged, as a fraction of the stroke"),
    LIMIT("delay-margin", TIME, 1e-6, 100, "none; the delay is not judged", "delay margin that preflight states"),
    WITHIN("expected-delay", TIME, -10, 10, 0, NULL,
           "delay of the measured position behind the target that the margin assumes; zero with compensation"),
    END};
const ifd__section ifd__section_monitor = {
    "monitor",
    "monitor: stability watched during the test",
    "test.monitor",
    "Observers judge in every tick whether the loop comes close to instability: the energy that the tracking error "
    "adds to the structure relative to the energy that is dissipated, and the measured delay relative to the delay "
    "margin (docs/monitor.md). `slow` halves the rate of simulated time until the next resume.",
    monitor_keys,
    "test:\n"
    "  monitor:\n"
    "    caution: note\n"
    "    act: slow\n"
    "    hold: hold\n"
    "    window: 2 s\n"
    "    persist: 50 ms\n"
    "    level: 2 %\n"
    "    delay-margin: 4 ms\n"
    "    expected-delay: 1 ms\n"};

static ifd_monitor_action action(const ifd__fields *f, const char *name, bool from_hold)
{
    static const ifd_monitor_action first[2][4] = {
        {IFD_MONITOR_NOTE, IFD_MONITOR_SLOW, IFD_MONITOR_HOLD, IFD_MONITOR_TRIP},
        {IFD_MONITOR_HOLD, IFD_MONITOR_TRIP, IFD_MONITOR_NOTE, IFD_MONITOR_SLOW}};
    return first[from_hold][ifd__field_word(f, name)];
}

void ifd__read_monitor(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o)
{
    bool on = node != NULL;
    if (node && node->kind == IFD__SCALAR && ifd__yaml_flag(node, &on, r->note) != IFD_OK)
        return;
    if (!on)
        return;
    ifd_monitor_options *m = ifd_arena_take(r->arena, sizeof *m);
    if (!ifd__in_memory(r, m))
        return;
    ifd__fields f;
    ifd__fields_read(r, node->kind == IFD__SCALAR ? NULL : node, &ifd__section_monitor, "monitor", &f);
    ifd_monitor_defaults(m);
    m->caution = action(&f, "caution", false);
    m->act = action(&f, "act", false);
    m->hold = action(&f, "hold", true);
    m->window = ifd__field(&f, "window")->number;
    m->persist = ifd__field(&f, "persist")->number;
    m->level = ifd__field(&f, "level")->number;
    m->delay_margin = ifd__field_limit(&f, "delay-margin");
    m->expected_delay = ifd__field(&f, "expected-delay")->number;
    o->monitor = m;
}
