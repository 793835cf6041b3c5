/* SPDX-License-Identifier: MIT */
/* Elastic simulated time, for rigs far away. */
#include "case/reader.h"
#include "case/rig/channels.h"

const ifd__section ifd__section_elastic = {
    "elastic", "elastic: simulated time that waits for a rig far away", "test.elastic",
    "If answers of the rig are late, simulated time slows down and stops; when answers arrive, simulated time "
    "continues. The structure always uses the force that belongs to the command sent `delay` earlier in simulated "
    "time. Transmission times therefore have no effect on the result.",
    KEYS(NUMBER("delay", TIME, 1e-6, 10,
                "constant delay of the forces in simulated time; compensate it (in wall-clock time it is delay x "
                "lambda)"),
         WITHIN("brake", TIME, 1e-3, 60, 0.2, NULL, "time in which simulated time comes to rest"),
         WITHIN("patience", TIME, 1e-3, 600, 1, NULL,
                "time without an answer after which simulated time comes to "
                "rest"),
         WITHIN("give-up", TIME, 1e-2, 86400, 30, NULL,
                "time without an answer after which the test trips and the rig stops"),
         FLAG("allow-rate-dependent", 0, "no", "permits specimens whose force depends on the rate of motion"))};

void ifd__read_elastic(ifd__reader *r, const ifd__node *node, const ifd_value *stale_for, ifd_hybrid_options *o)
{
    ifd__fields f;
    if (!node)
        return;
    ifd__fields_read(r, node, &ifd__section_elastic, "elastic", &f);
    ifd_elastic *e = ifd_arena_take(r->arena, sizeof *e);
    if (!ifd__in_memory(r, e))
        return;
    ifd_elastic_defaults(e);
    e->delay = ifd__field(&f, "delay")->number;
    e->brake = ifd__field(&f, "brake")->number;
    e->patience = ifd__field(&f, "patience")->number;
    e->give_up = ifd__field(&f, "give-up")->number;
    e->allow_rate_dependent = ifd__field(&f, "allow-rate-dependent")->number > 0.0;
    o->elastic = e;
    if (stale_for->given)
        ifd_note_add(r->note, IFD_CONFLICT, &stale_for->place,
                     "'stale-for' and 'elastic: give-up' both define when communication is lost: expected one of "
                     "them");
    if (o->rate_dependent && !e->allow_rate_dependent)
        ifd_note_advise(r->note, IFD_CONFLICT, &node->key_place,
                        "if this effect is small, permit it with `elastic: {allow-rate-dependent: yes}`",
                        "'elastic' changes the rate of the motion with the network, and the specimens are "
                        "rate-dependent: their forces would be wrong");
}
