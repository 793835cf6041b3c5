/* SPDX-License-Identifier: MIT */
/* Specimens that are complete models, when the structure is made: a run computes them with it. */
#include <string.h>

#include <interfield/analysis.h>

#include "case/rig/mounted.h"

/* The substructure that a specimen follows; of several the first. */
static int leader_of(const ifd__reader *r, const ifd__mount *m)
{
    return r->c->run.specimen[m->channel[0]].part;
}

/* Number of links of a substructure, and of their specimens; -1: of all. */
static int links_of(const ifd__reader *r, const ifd__lab *lab, int leader, int *mounts)
{
    int links = 0;
    *mounts = 0;
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        if (leader < 0 || leader_of(r, m) == leader) {
            links += m->drives;
            (*mounts)++;
        }
    return links;
}

/* The specimen as substructure `number`, with the step of the first one that it follows; its links name the leaders
 * by `as`, -1: by their numbers. */
static bool follow(ifd__reader *r, const ifd__mount *m, int number, int as, ifd_part_options *part,
                   ifd_rts_link *link)
{
    part[number] = (ifd_part_options){.name = m->name,
                                      .model = m->whole ? m->whole : m->model.model,
                                      .step = part[as < 0 ? leader_of(r, m) : as].step,
                                      .subcycles = 1,
                                      .place = m->place};
    part[number].step.estimates = 0;
    for (int i = 0; i < m->drives; i++) {
        bool walls = m->push.law.walls > 0;
        const ifd_specimen *s = &r->c->run.specimen[m->channel[walls ? 0 : i]];
        link[i] = (ifd_rts_link){.leader = as < 0 ? s->part : as,
                                 .dof = walls && i + 1 < m->drives ? s->from : s->to,
                                 .follower = number,
                                 .support = m->number[i],
                                 .place = m->place};
        link[i].name = ifd_arena_print(r->arena, "%s.%s", m->name, m->support[i]->key);
        if (!link[i].name)
            return false;
    }
    return true;
}

/* Joins a model and the specimens at substructure p. The model is first, so that its dofs keep their numbers and
 * names. */
static ifd_status join(ifd__reader *r, const ifd__lab *lab, int p, const ifd_model **model)
{
    int mounts, links = links_of(r, lab, p, &mounts), n = 1, l = 0;
    ifd_part_options *part = ifd_arena_array(r->arena, (size_t)mounts + 1, sizeof *part);
    ifd_rts_link *link = ifd_arena_array(r->arena, (size_t)links, sizeof *link);
    ifd_assembly whole;
    if (!part || !link)
        return IFD_NO_MEMORY;
    if (!mounts)
        return IFD_OK;
    part[0] = (ifd_part_options){.name = "", .model = *model};
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        if (leader_of(r, m) == p) {
            if (!follow(r, m, n++, 0, part, link + l))
                return IFD_NO_MEMORY;
            l += m->drives;
        }
    const ifd_rts_options rts = {.links = links, .link = link};
    const ifd_couple_options couple = {.parts = mounts + 1, .part = part, .rts = &rts};
    IFD_TRY(ifd_couple_assemble(r->arena, &couple, &whole, r->note));
    *model = whole.model;
    return IFD_OK;
}

/* Estimates of the elements of a substructure; models need none, as they are part of it. */
static bool keep_estimates(ifd__reader *r, int p, ifd_step_options *step)
{
    const ifd_run_options *run = &r->c->run;
    ifd_estimate *e = ifd_arena_array(r->arena, (size_t)step->estimates, sizeof *e);
    int n = 0, from = 0;
    for (int k = 0; e && k < run->specimens; k++)
        if (run->specimen[k].part == p) {
            if (run->specimen[k].ops)
                e[n++] = step->estimate[from];
            from++;
        }
    step->estimates = n;
    step->estimate = e;
    return e != NULL;
}

/* In a run of coupled substructures, every specimen is part of the substructure that it follows. */
static ifd_status join_parts(ifd__reader *r, const ifd__lab *lab)
{
    const ifd_couple_options *old = r->c->run.couple;
    ifd_part_options *part = ifd_arena_array(r->arena, (size_t)old->parts, sizeof *part);
    ifd_couple_options *couple = ifd_arena_take(r->arena, sizeof *couple);
    ifd_assembly whole;
    if (!part || !couple)
        return IFD_NO_MEMORY;
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        for (int i = 1; i < m->channels; i++)
            if (r->c->run.specimen[m->channel[i]].part != leader_of(r, m)) {
                ifd_note_remark(
                    r->note, &m->place,
                    "specimen '%s' follows dofs of two substructures: only `interfield test` supports this", m->name);
                return IFD_UNSUPPORTED;
            }
    *couple = *old;
    couple->part = part;
    for (int p = 0; p < old->parts; p++) {
        part[p] = old->part[p];
        IFD_TRY(join(r, lab, p, &part[p].model));
        if (!keep_estimates(r, p, &part[p].step))
            return IFD_NO_MEMORY;
    }
    IFD_TRY(ifd_couple_assemble(r->arena, couple, &whole, r->note));
    r->c->run.couple = couple;
    r->c->run.model = whole.model;
    return IFD_OK;
}

/* In a run of coupling rts, the specimens are substructures that follow. */
static ifd_status append(ifd__reader *r, const ifd__lab *lab)
{
    const ifd_couple_options *old = r->c->run.couple;
    int mounts, links = links_of(r, lab, -1, &mounts), more = old->rts->links;
    ifd_part_options *part = ifd_arena_array(r->arena, (size_t)(old->parts + mounts), sizeof *part);
    ifd_rts_link *link = ifd_arena_array(r->arena, (size_t)(more + links), sizeof *link);
    ifd_couple_options *couple = ifd_arena_take(r->arena, sizeof *couple);
    ifd_rts_options *rts = ifd_arena_take(r->arena, sizeof *rts);
    ifd_assembly whole;
    if (!part || !link || !couple || !rts)
        return IFD_NO_MEMORY;
    memcpy(part, old->part, sizeof *part * (size_t)old->parts);
    memcpy(link, old->rts->link, sizeof *link * (size_t)more);
    int n = old->parts, l = more;
    for (const ifd__mount *m = lab->mounts; m; l += m->drives, m = m->next)
        if (!follow(r, m, n++, -1, part, link + l))
            return IFD_NO_MEMORY;
    *couple = *old;
    *rts = *old->rts;
    if (rts->rehearsed) { /* a run computes the specimens: its start has its own presets */
        rts->rehearsed = false;
        rts->iterations = 0;
        rts->tolerance = 0.0;
    }
    if (rts->exchange == IFD_RTS_EFFECTIVE) /* its restrictions are those of computed followers; motion agrees */
        rts->exchange = IFD_RTS_MOTION;
    rts->links = more + links;
    rts->link = link;
    couple->parts = old->parts + mounts;
    couple->part = part;
    couple->rts = rts;
    IFD_TRY(ifd_couple_assemble(r->arena, couple, &whole, r->note));
    r->c->run.couple = couple;
    r->c->run.model = whole.model;
    return IFD_OK;
}

/* Models are now part of the assembled structure; elements remain specimens. */
static void keep_elements(ifd__reader *r)
{
    ifd_run_options *run = &r->c->run;
    ifd_specimen *s = ifd_arena_array(r->arena, (size_t)run->specimens, sizeof *s);
    ifd_estimate *e = ifd_arena_array(r->arena, (size_t)run->specimens, sizeof *e);
    int n = 0;
    for (int k = 0; s && e && k < run->specimens; k++)
        if (run->specimen[k].ops) {
            s[n] = run->specimen[k];
            e[n++] = run->couple ? (ifd_estimate){0} : run->step.estimate[k];
        }
    run->specimens = n;
    run->step.estimates = run->couple ? 0 : n; /* else they belong to the substructures */
    run->specimen = s;
    run->step.estimate = e;
}

bool ifd__finish_mounted(ifd__reader *r, const ifd__lab *lab)
{
    if (!lab->mounts)
        return true;
    if (r->c->test && r->c->test->rate_dependent && r->c->test->lambda != 1.0)
        ifd_note_remark(
            r->note, &lab->mounts->place,
            "specimen '%s' is a model: at lambda %g its inertia and damping differ from those in real time",
            lab->mounts->name, r->c->test->lambda);
    for (const ifd__mount *m = lab->mounts; m; m = m->next, r->c->specimen_models++)
        for (int i = 0; i < m->channels; i++)
            if (r->c->run.specimen[m->channel[i]].factor > 1.0)
                ifd_note_remark(r->note, &m->place,
                                "specimen '%s' has 'devices' other than 1: a run computes only one device", m->name);
    ifd_status status = !r->c->run.couple       ? join(r, lab, 0, &r->c->run.model)
                        : r->c->run.couple->rts ? append(r, lab)
                                                : join_parts(r, lab);
    if (status == IFD_OK)
        keep_elements(r);
    return status == IFD_OK;
}
