/* SPDX-License-Identifier: MIT */
/* Drawing of the structure of a case in its report, and displaced as at the largest displacement. */
#include "drawing.h"

#include <math.h>

enum { MOST = 20000 /* lines */, TONES = 6 };

/* The column of the displacement of a dof; -1: none. */
static int column_of(const ifd_table *t, const char *part, const char *dof)
{
    char owner[300];
    snprintf(owner, sizeof owner, "%s%s%s", part ? part : "", part ? "." : "", dof);
    int k = ifd_column_find(t->column, t->columns, owner, IFD_COLUMN_DISPLACEMENT);
    return k >= 0 ? k : ifd_column_find(t->column, t->columns, dof, IFD_COLUMN_DISPLACEMENT);
}

bool instant_value(const void *data, const char *part, const char *dof, double *out)
{
    const instant *at = data;
    int k = column_of(at->t, part, dof);
    if (k >= 0)
        *out = at->t->value[k][at->row];
    return k >= 0;
}

long instant_furthest(const structure *s, const ifd_table *t)
{
    static const char *const axis[3] = {"x", "y", "z"};
    int *column = ifd_arena_array(s->arena, 3 * (size_t)s->spots, sizeof *column), known = 0;
    double most = -1.0;
    long best = -1;
    for (int i = 0; column && i < 3 * s->spots; i++) {
        const spot *p = &s->spot[i / 3];
        const char *dof = p->kind == SPOT_NODE ? phrase("%s.%s", p->name, axis[i % 3]).text : i % 3 ? "" : p->name;
        column[i] = *dof ? column_of(t, p->part, dof) : -1;
        known += column[i] >= 0;
    }
    for (long row = 0; known && row < t->rows; row++)
        for (int i = 0; i < s->spots; i++) {
            double square = 0.0;
            for (int d = 0; d < 3; d++) {
                double u = column[3 * i + d] >= 0 ? t->value[column[3 * i + d]][row] : 0.0;
                square += u * u;
            }
            if (square > most) {
                most = square;
                best = row;
            }
        }
    return best;
}

static void put_picture(const report *r, const structure *s, const displaced *d, int width)
{
    double height = picture_height(s, d, width);
    fprintf(r->out,
            "<svg class=\"scheme structure\" viewBox=\"0 0 %d %.0f\" style=\"max-width:%dpx\" role=img "
            "aria-label=\"%s\">",
            width, height, width, d ? "largest displacement" : "structure");
    picture_put(r->out, s, &(picture_view){.width = width, .height = height, .shape = d});
    fputs("</svg>", r->out);
}

/* The structure, and displaced as at its largest displacement. */
static void put_pictures(const report *r, const structure *s, long row)
{
    enum { WIDTH = 420 /* px */ };
    instant at = {&r->t, row};
    displaced d = {.value = instant_value, .data = &at};
    put_picture(r, s, NULL, WIDTH);
    if (row < 0)
        return;
    const wording caption = phrase("t = %.4g s", r->t.time[row]);
    d.factor = displaced_factor(s, &d);
    d.caption = caption.text;
    put_picture(r, s, &d, WIDTH);
}

static void put_parts(const report *r)
{
    const ifd_couple_options *couple = structure_couple(r->c);
    for (int p = 0; couple && p < couple->parts; p++) {
        const ifd_part_options *part = &couple->part[p];
        fprintf(r->out, "<li class=\"swatch p%d\"><b>", p % TONES);
        html_put(r->out, "", part->name, "</b>: ");
        fprintf(r->out, "%d dofs, %s, step %s", ifd_model_dofs(part->model), part->step.method->name,
                page_quantity(r->c->run.step.h / (part->subcycles > 0 ? part->subcycles : 1), "s").text);
    }
    if (couple)
        return;
    const ifd_model *m = structure_model(r->c, 0);
    fprintf(r->out, "<li class=\"swatch whole\"><b>computed</b>: %d dof%s, %d element%s, %s, step %s",
            ifd_model_dofs(m), plural(ifd_model_dofs(m)), ifd_model_elements(m), plural(ifd_model_elements(m)),
            case_method(r->c).text, page_quantity(r->c->run.step.h, "s").text);
}

const char *specimen_end(const ifd_case *c, const char *name, const ifd_model *m, int dof, bool first)
{
    const ifd_case_chord *chord = structure_chord(c, NULL, name);
    const char *node = chord ? (first ? chord->from : chord->to) : NULL;
    return node                                                 ? node
           : !chord && m && dof >= 0 && dof < ifd_model_dofs(m) ? ifd_model_dof_name(m, dof)
           : chord || dof == IFD_GROUND                         ? "ground"
                                                                : "support";
}

static void put_specimen(const report *r, const char *name, const ifd_model *m, int from, int to)
{
    const ifd_specimen *sp = NULL;
    for (int k = 0; k < r->c->run.specimens; k++)
        sp = strcmp(r->c->run.specimen[k].name, name) == 0 ? &r->c->run.specimen[k] : sp;
    html_put(r->out, "<li class=\"swatch tested\"><b>", name, "</b>: ");
    html_put(r->out, sp ? "" : "a separate model on ", sp ? specimen_end(r->c, name, m, from, true) : "",
             sp ? " to " : "");
    html_put(r->out, "", specimen_end(r->c, name, m, to, false), "");
    if (sp && sp->ops)
        html_put(r->out, ", ", sp->ops->name, "");
    if (sp && sp->factor > 0 && sp->factor != 1.0)
        fprintf(r->out, ", represents %.4g devices", sp->factor);
    if (r->test && r->c->test)
        html_put(r->out, ", on the rig (", r->c->test->rig->name, ")");
    else
        fputs(", computed", r->out);
}

static void put_specimens(const report *r)
{
    const ifd_hybrid_options *t = r->c->test;
    for (int k = 0; k < (t ? t->interfaces : r->c->run.specimens); k++) {
        const ifd_interface_options *i = t ? &t->interface[k] : NULL;
        const ifd_specimen *sp = t ? NULL : &r->c->run.specimen[k];
        put_specimen(r, t ? i->name : sp->name, structure_model(r->c, t ? i->part : sp->part), t ? i->from : sp->from,
                     t ? i->to : sp->to);
    }
}

bool report_drawing(const report *r, structure *out, long *row)
{
    const ifd_case *c = r->characterised ? NULL : r->c;
    if (!c || c->run.external || c->opensees || (c->run.couple && c->run.couple->rts) || !structure_model(c, 0) ||
        !structure_take(r->a->arena, c, out) || !out->built || out->lines > MOST)
        return false;
    instant at = {&r->t, instant_furthest(out, &r->t)};
    const displaced d = {.value = instant_value, .data = &at};
    bool moved = at.row >= 0 && displaced_largest(out, &d, NULL) > 0.0 && 2 * displaced_lost(out, &d) <= out->spots;
    *row = moved ? at.row : -1;
    return true;
}

void report_structure(const report *r, const structure *s, long row)
{
    report_begin(r, "Structure", "scheme", false);
    fputs("<div class=beside>", r->out);
    put_pictures(r, s, row);
    fputs("<ul class=list>", r->out);
    put_parts(r);
    put_specimens(r);
    fputs("</ul></div>", r->out);
    report_end(r, false);
}
