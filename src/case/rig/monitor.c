/* SPDX-License-Identifier: MIT */
/* The monitor of stability of a test. */
#include "case/reader.h"

#define AFTER_HOLD "hold|trip|note|slow|retune|damp"
#define AFTER_NOTE "note|slow|hold|trip|retune|damp"

const ifd__section ifd__section_thresholds = {
    "thresholds", "thresholds: numbers of preflight for the monitor", "test.thresholds",
    "The command `interfield test` writes these numbers of the certificate into the record of a test with `monitor`, "
    "so that a replay uses the same numbers. A number of this section applies if `monitor` does not contain it.",
    KEYS(NUMBER("delay-margin", TIME, 0, 1e6, "smallest delay margin that preflight found"),
         WITHIN("frequency", FREQUENCY, 0, 1e9, 0, "none", "frequency of the oscillation with the least damping"),
         LIST("delays", TIME, true, NULL, "predicted delay of each specimen, in the order of the specimens"))};

const ifd__section ifd__section_monitor = {
    "monitor", "monitor: stability watched during the test", "test.monitor",
    "In every tick, observers judge whether the loop comes close to instability. docs/guide/monitor.md describes the "
    "rules of these observers and the actions.",
    KEYS(WORD("caution", AFTER_NOTE, "action at an energy ratio of 0.5, or a delay of 0.5 of its margin"),
         WORD("act", AFTER_NOTE, "action at an energy ratio of 0.85, or a delay of 0.75 of its margin"),
         WORD("hold", AFTER_HOLD, "action at an energy ratio of 1, or a delay of 0.9 of its margin"),
         WITHIN("window", TIME, 1e-3, 1e4, 1, NULL,
                "simulated time of the energy ratio; at least three periods of the lowest mode"),
         WITHIN("persist", TIME, 0, 100, 0.1, NULL, "wall-clock time that a level must last before its action"),
         WITHIN("level", NONE, 0, 1, 0.01, NULL,
                "root mean square of the target below which nothing is judged, as a fraction of the stroke"),
         LIMIT("delay-margin", TIME, 1e-6, 100, "that of the certificate",
               "delay margin; with `none`, or without a certificate, the delay is not judged"),
         WITHIN("expected-delay", TIME, -10, 10, 0, "that which preflight predicts; without certificate 0 s",
                "delay of the measured position behind the target that the margin assumes"),
         WORD("passivity", "none|" AFTER_NOTE,
              "action when a specimen seems to deliver more than a tenth of its stored energy"),
         LIMIT("growth-frequency", FREQUENCY, 1e-3, 1e4, "the least damped one of the certificate",
               "frequency of the oscillation whose growth is watched; with `none`, or without a certificate, no "
               "growth is watched"),
         WITHIN("most-lead", TIME, 0, 1, 5e-3, NULL, "largest lead that `retune` adds to a compensator in all"),
         WITHIN("most-damping", DAMPING, 0, 1e18, 0, "none; `damp` needs it",
                "largest damping coefficient of `damp`, at most 0.2 of the mass that the specimen moves, divided by "
                "the time between two forces and by the number of devices at its dofs"),
         WITHIN("damp-energy", NONE, 0, 1, 0.05, NULL,
                "largest work of `damp`, as a fraction of the work done at the specimen in either direction"))};

static const ifd_monitor_action first[2][6] = {
    {IFD_MONITOR_NOTE, IFD_MONITOR_SLOW, IFD_MONITOR_HOLD, IFD_MONITOR_TRIP, IFD_MONITOR_RETUNE, IFD_MONITOR_DAMP},
    {IFD_MONITOR_HOLD, IFD_MONITOR_TRIP, IFD_MONITOR_NOTE, IFD_MONITOR_SLOW, IFD_MONITOR_RETUNE, IFD_MONITOR_DAMP}};

static ifd_monitor_action action(const ifd__fields *f, const char *name, bool from_hold)
{
    return first[from_hold][ifd__field_word(f, name)];
}

/* What the case does not state itself. */
static void read_thresholds(ifd__reader *r, const ifd__node *node, int specimens, ifd_monitor_options *m)
{
    ifd__fields f;
    int errors = r->note->errors;
    if (!node)
        return;
    ifd__fields_read(r, node, &ifd__section_thresholds, "thresholds", &f);
    if (r->note->errors != errors)
        return;
    const ifd_value *delays = ifd__field(&f, "delays");
    if (delays->cols != specimens) {
        ifd_note_add(r->note, IFD_SHAPE, &delays->place, "'delays' has %d numbers, expected one per specimen: %d",
                     delays->cols, specimens);
        return;
    }
    double margin = ifd__field(&f, "delay-margin")->number;
    if (!m->stated.delay_margin && margin > 0.0)
        m->delay_margin = margin;
    if (!m->stated.frequency)
        m->frequency = ifd__field(&f, "frequency")->number;
    if (!m->stated.delay)
        m->expected_delays = delays->data;
}

void ifd__read_monitor(ifd__reader *r, const ifd__node *const part[2], int specimens, ifd_hybrid_options *o)
{
    const ifd__node *node = part[0];
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
    int passivity = ifd__field_word(&f, "passivity");
    m->passivity = passivity ? first[0][passivity - 1] : IFD_MONITOR_NONE;
    const ifd_value *frequency = ifd__field(&f, "growth-frequency");
    m->frequency = frequency->word || !frequency->given ? 0.0 : frequency->number;
    m->most_lead = ifd__field(&f, "most-lead")->number;
    m->most_damping = ifd__field(&f, "most-damping")->number;
    m->damp_energy = ifd__field(&f, "damp-energy")->number;
    m->stated.delay_margin = ifd__field(&f, "delay-margin")->given;
    m->stated.delay = ifd__field(&f, "expected-delay")->given;
    m->stated.frequency = frequency->given;
    read_thresholds(r, part[1], specimens, m);
    o->monitor = m;
}
