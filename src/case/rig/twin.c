/* SPDX-License-Identifier: MIT */
/* The twin of a real rig, used by `interfield preflight` instead of the rig. */
#include <math.h>
#include <string.h>

#include "case/rig/channels.h"

const ifd__section ifd__section_twin = {
    "twin", "twin: model of a real rig", "specimen.twin",
    "The twin is a model of a real rig (udp, shm, plugin). `interfield preflight` uses this model, because preflight "
    "cannot move the rig. Either all specimens of a case have a twin, or none.",
    KEYS(FORM("actuator", false, "name, or {name: {parameters}} (help actuator)", "ideal", "actuator of the rig"),
         FORM("position-sensor", false, "mapping (help sensor)", "ideal", "position sensor of the rig"),
         FORM("force-sensor", false, "mapping (help sensor)", "ideal", "force sensor of the rig"),
         WITHIN("delay", TIME, 0, 10, 0, NULL,
                "delay of commands and measurements, besides that of the actuator; udp and shm add one tick "
                "themselves"))};

/* The specimen is the same; the twin has other actuators and sensors. */
static void read_twin(ifd__reader *r, const ifd__node *node, ifd_virtual_actuator *bench)
{
    ifd__fields f;
    ifd__fields_read(r, node, &ifd__section_twin, "twin", &f);
    bench->actuator = NULL;
    bench->actuator_values = NULL;
    bench->position_sensor = bench->force_sensor = NULL;
    ifd__read_bench(r, node, bench);
    r->c->twin_delay = fmax(r->c->twin_delay, ifd__field(&f, "delay")->number);
}

static int count_twins(const ifd__node *specimens)
{
    int count = 0;
    for (const ifd__node *item = specimens->first; item; item = item->next)
        count += ifd__yaml_get(item, "twin") != NULL;
    return count;
}

/* Index k of a specimen is its channel only without a drive. */
static bool may_have_twins(ifd__reader *r, const ifd__node *specimens)
{
    if (!r->c->laboratory || !specimens || specimens->kind != IFD__SEQUENCE || count_twins(specimens) == 0)
        return false;
    if (r->c->test->drives == 0)
        return true;
    ifd_note_add(
        r->note, IFD_CONFLICT, &specimens->place,
        "'twin' is only for specimens with their own actuator; the actuators of a drive have their own models");
    return false;
}

void ifd__read_twins(ifd__reader *r)
{
    const ifd__node *specimens = ifd__yaml_get(r->doc.root, "specimen");
    const ifd_laboratory *rig = r->c->laboratory;
    int k = 0;
    if (!may_have_twins(r, specimens))
        return;
    ifd_laboratory *twin = ifd_arena_take(r->arena, sizeof *twin);
    ifd_virtual_actuator *bench = ifd_arena_array(r->arena, (size_t)rig->actuators, sizeof *bench);
    if (!twin || !bench)
        return;
    memcpy(bench, rig->actuator, (size_t)rig->actuators * sizeof *bench);
    for (const ifd__node *item = specimens->first; item && k < rig->actuators; item = item->next, k++) {
        const ifd__node *node = ifd__yaml_get(item, "twin");
        if (node)
            read_twin(r, node, &bench[k]);
        else if (r->c->run.specimen[k].name)
            ifd_note_add(
                r->note, IFD_MISSING_KEY, &item->place,
                "specimen '%s' has no 'twin', but others have: expected a twin for all specimens or for none",
                r->c->run.specimen[k].name);
    }
    *twin = *rig;
    twin->actuator = bench;
    r->c->twin = twin;
}
