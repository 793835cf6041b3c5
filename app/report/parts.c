/* SPDX-License-Identifier: MIT */
/* The substructures of a case, their joints and specimens, as boxes and links. */
#include "scheme.h"

#include <string.h>

#include <interfield/fmu.h>

static int fewer(int count, int room)
{
    return count < room ? count : room;
}

static void describe(scheme_box *b, const char *name, const ifd_model *m, const ifd_step_options *step, double h)
{
    char method[112];
    int dofs = ifd_model_dofs(m), elements = ifd_model_elements(m);
    snprintf(b->name, sizeof b->name, "%s", name);
    snprintf(b->below, sizeof b->below, "%d dof%s", dofs, dofs == 1 ? "" : "s");
    if (elements)
        snprintf(b->below, sizeof b->below, "%d dof%s, %d element%s", dofs, dofs == 1 ? "" : "s", elements,
                 elements == 1 ? "" : "s");
    method_print(method, sizeof method, step);
    snprintf(b->last, sizeof b->last, "%s · %s", method, quantity(h, "s").text);
}

/* Joints between the same two substructures are one line. */
static void join(scheme *s, int a, int b, const char *word, bool arrow)
{
    if (a == b || a >= s->parts || b >= s->parts)
        return;
    for (int k = 0; k < s->links; k++)
        if (s->link[k].a == a && s->link[k].b == b) {
            s->link[k].joints++;
            return;
        }
    if (s->links < SCHEME_LINKS)
        s->link[s->links++] = (scheme_link){a, b, 1, word, arrow};
}

static void take_joints(const ifd_couple_options *couple, scheme *s)
{
    for (int k = 0; k < couple->joints; k++) {
        const ifd_joint *j = &couple->joint[k];
        int low = j->terms ? j->term[0].part : 0, high = low;
        for (int i = 1; i < j->terms; i++) {
            low = fewer(j->term[i].part, low);
            high = j->term[i].part > high ? j->term[i].part : high;
        }
        join(s, low, high, "joint", false);
    }
    for (int k = 0; couple->rts && k < couple->rts->links; k++)
        if (couple->rts->link[k].follower != IFD_RTS_SPECIMEN)
            join(s, couple->rts->link[k].leader, couple->rts->link[k].follower, "link", true);
}

static void take_coupled(const ifd_couple_options *couple, double h, scheme *s)
{
    s->parts_in_all = couple->parts;
    s->parts = fewer(couple->parts, SCHEME_PARTS);
    for (int p = 0; p < s->parts; p++) {
        const ifd_part_options *part = &couple->part[p];
        describe(&s->part[p], part->name, part->model, &part->step, h / (part->subcycles > 0 ? part->subcycles : 1));
    }
    take_joints(couple, s);
    if (couple->rts)
        snprintf(s->caption, sizeof s->caption,
                 "Coupling %s, %d link%s: motion is passed along the arrow, the reaction against it.",
                 couple->coupling->name, couple->rts->links, couple->rts->links == 1 ? "" : "s");
    else
        snprintf(s->caption, sizeof s->caption, "Coupling %s, %d joint%s.", couple->coupling->name, couple->joints,
                 couple->joints == 1 ? "" : "s");
}

static void take_fmus(const ifd_fmu_structure *f, scheme *s)
{
    s->parts_in_all = f->parts;
    s->parts = fewer(f->parts, SCHEME_PARTS);
    for (int p = 0; p < s->parts; p++) {
        const ifd_fmu_part *part = &f->part[p];
        scheme_box *b = &s->part[p];
        if (!part->file) {
            describe(b, part->name, part->model, &part->step, f->h);
            continue;
        }
        const char *slash = strrchr(part->file, '/');
        snprintf(b->name, sizeof b->name, "%s", part->name);
        snprintf(b->below, sizeof b->below, "FMU %s", slash ? slash + 1 : part->file);
        snprintf(b->last, sizeof b->last, "%s · %s", part->isolated ? "child process" : "this process",
                 quantity(f->h, "s").text);
    }
    for (int k = 0; k < f->ties; k++)
        join(s, fewer(f->tie[k].part[0], f->tie[k].part[1]),
             f->tie[k].part[0] > f->tie[k].part[1] ? f->tie[k].part[0] : f->tie[k].part[1], "joint", false);
    snprintf(s->caption, sizeof s->caption,
             "Coupling fmu, %d joint%s; forces are constant during each exchange step.", f->ties,
             f->ties == 1 ? "" : "s");
}

static const char *end_name(const ifd_case *c, const ifd_specimen *sp, int dof)
{
    const ifd_couple_options *couple = c->run.couple;
    const ifd_model *m = couple ? couple->part[sp->part].model : c->run.model;
    return dof < 0 || dof >= ifd_model_dofs(m) ? "ground" : ifd_model_dof_name(m, dof);
}

static void take_specimens(const ifd_case *c, scheme *s)
{
    s->specimens_in_all = c->run.specimens;
    s->specimens = fewer(c->run.specimens, SCHEME_SPECIMENS);
    s->rig = c->test ? c->test->rig->name : NULL;
    for (int k = 0; k < s->specimens; k++) {
        const ifd_specimen *sp = &c->run.specimen[k];
        scheme_box *b = &s->specimen[k];
        s->holds[k] = sp->part < s->parts ? sp->part : s->parts - 1;
        snprintf(b->name, sizeof b->name, "%s", sp->name);
        snprintf(b->below, sizeof b->below, "%s to %s", end_name(c, sp, sp->from), end_name(c, sp, sp->to));
        snprintf(b->last, sizeof b->last, "%s", sp->ops ? sp->ops->name : "model");
        if (sp->factor > 0 && sp->factor != 1.0)
            snprintf(b->last, sizeof b->last, "%s, %.4g devices", sp->ops ? sp->ops->name : "model", sp->factor);
    }
}

void scheme_take(const ifd_case *c, bool characterised, scheme *out)
{
    memset(out, 0, sizeof *out);
    if (c->run.external) {
        if (c->run.external->open == ifd_fmu_structure_open)
            take_fmus(c->run.external->spec, out);
        return;
    }
    if (c->run.couple && !characterised)
        take_coupled(c->run.couple, c->run.step.h, out);
    else {
        out->parts = out->parts_in_all = 1;
        if (characterised) {
            snprintf(out->part[0].name, sizeof out->part[0].name, "prescribed motion");
            snprintf(out->part[0].below, sizeof out->part[0].below, "no structure is computed");
        } else if (c->opensees) {
            snprintf(out->part[0].name, sizeof out->part[0].name, "OpenSees");
            snprintf(out->part[0].below, sizeof out->part[0].below, "computes the structure");
            snprintf(out->part[0].last, sizeof out->part[0].last, "step %s", quantity(c->run.step.h, "s").text);
        } else
            describe(&out->part[0], "computed", c->run.model, &c->run.step, c->run.step.h);
    }
    take_specimens(c, out);
}
