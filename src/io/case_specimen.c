/* SPDX-License-Identifier: MIT */
/* Specimens as pieces of the structure, and what the method may assume of them. */
#include "io/case_element.h"

/* Indices of the builder; the model's are put in place when it is made. */
static void read_specimen(ifd__reader *r, const ifd__node *item, const ifd__entry_of *e, ifd_specimen *s,
                          ifd_estimate *estimate)
{
    int from = IFD_GROUND, to = IFD_GROUND;
    bool rotational = false;
    ifd__fields f;
    ifd_value *values = ifd_arena_array(r->arena, IFD__ELEMENT_PARAMS, sizeof *values);
    if (e->ops->attach != IFD_ATTACH_PAIR) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &e->place, "%s: '%s' cannot be a specimen", e->what, e->ops->name);
        ifd_note_hint(r->note,
                      "a specimen acts between two points: spring, dashpot, gap, bilinear, sliders, bouc-wen");
        return;
    }
    bool placed = ifd__entry_pair(r, e, &from, &to, &rotational);
    if (placed && (from < IFD_GROUND || to < IFD_GROUND)) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &e->place, "%s is attached to a support: expected dofs or the ground",
                     e->what);
        return;
    }
    ifd__refuse_condensed(r, from, &e->place, e->what);
    ifd__refuse_condensed(r, to, &e->place, e->what);
    if (!values || !ifd__entry_params(r, e, "between|at", rotational, values) || !placed)
        return;
    *s = (ifd_specimen){.name = e->name, .ops = e->ops, .values = values, .from = from, .to = to};
    const ifd__node *devices = ifd__yaml_get(item, "devices");
    if (devices)
        ifd__yaml_number(devices, IFD_DIM_NONE, IFD_RANGE_POSITIVE, &s->factor, r->note);
    ifd__fields_read(r, ifd__yaml_get(item, "estimate"), "estimate", NULL, "estimate", &f);
    *estimate = (ifd_estimate){from, to, ifd__field(&f, "stiffness")->number, ifd__field(&f, "damping")->number};
}

void ifd__read_specimens(ifd__reader *r, const ifd__node *list)
{
    static const char keys[] = "name|estimate|devices|limits|actuator|compensation|position-sensor|force-sensor";
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    const ifd_method *method = r->c->run.step.method;
    if (method && !method->measures && list->count) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &list->key_place, "method '%s' cannot work with a specimen",
                     method->name);
        const char *name[32];
        int n = 0;
        for (int i = 0; i < ifd_method_count && n < 32; i++)
            if (ifd_methods[i]->measures)
                name[n++] = ifd_methods[i]->name;
        ifd_choice_hint(r->note, ifd__join(r->arena, n, name), "");
    }
    ifd_specimen *s = ifd_arena_array(r->arena, (size_t)list->count, sizeof *s);
    ifd_estimate *estimate = ifd_arena_array(r->arena, (size_t)list->count, sizeof *estimate);
    int n = 0;
    for (const ifd__node *item = list->first; item && s && estimate; item = item->next, n++) {
        ifd__entry_of e;
        if (ifd__entry_take(r, item, keys, "specimen", &e))
            read_specimen(r, item, &e, &s[n], &estimate[n]);
    }
    r->c->run.specimens = n;
    r->c->run.specimen = s;
    r->c->run.step.estimates = n;
    r->c->run.step.estimate = estimate;
}
