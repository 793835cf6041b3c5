/* SPDX-License-Identifier: MIT */
/* Drawing of the structure of a case: members in the tone of their substructure, elements, marked specimens. */
#include "sketch.h"

#include <math.h>
#include <stdlib.h>

enum { LABELS = 2 * SKETCH_MARKS, LABEL_HEIGHT = 13, TONES = 6, OVERHANG = 6 /* px, of a slab */ };
/* px, slightly more than the mean width of a character in a label; bold in those of specimens */
static const double letter = 6.4, bold = 7.4;

typedef struct box {
    double x1, y1, x2, y2;
} box;

typedef struct drawing {
    FILE *out;
    const sketch *s;
    int labels;
    box label[LABELS]; /* occupied areas */
    double bottom;     /* of the drawing */
} drawing;

static bool is_free(const drawing *d, const box *b)
{
    if (b->x1 < 2 || b->x2 > SKETCH_WIDTH - 2 || b->y1 < 2)
        return false;
    for (int k = 0; k < d->labels; k++) {
        const box *o = &d->label[k];
        if (b->x1 < o->x2 && o->x1 < b->x2 && b->y1 < o->y2 && o->y1 < b->y2)
            return false;
    }
    return true;
}

/* Whether a line intersects a box (line clipping of Liang and Barsky). */
static bool crosses(const box *b, const box *line)
{
    double d[2] = {line->x2 - line->x1, line->y2 - line->y1}, in = 0, out = 1;
    const double p[4] = {-d[0], d[0], -d[1], d[1]};
    const double q[4] = {line->x1 - b->x1, b->x2 - line->x1, line->y1 - b->y1, b->y2 - line->y1};
    for (int k = 0; k < 4; k++) {
        if (p[k] == 0 && q[k] < 0)
            return false;
        if (p[k] < 0)
            in = fmax(in, q[k] / p[k]);
        else if (p[k] > 0)
            out = fmin(out, q[k] / p[k]);
    }
    return in <= out;
}

/* Slabs and columns. */
static bool hits_building(const sketch *s, const box *b)
{
    bool hits = crosses(b, &(box){s->left, s->low, s->left, s->high}) ||
                crosses(b, &(box){s->right, s->low, s->right, s->high});
    for (int i = 0; i < s->spots && !hits; i++) {
        double y = s->spot[i].y;
        hits = s->spot[i].floor && crosses(b, &(box){s->left - OVERHANG, y, s->right + OVERHANG, y});
    }
    return hits;
}

static bool hits_line(const drawing *d, const box *b)
{
    const sketch *s = d->s;
    bool hits = s->building && hits_building(s, b);
    for (int i = 0; i < s->members && !s->building && !hits; i++) {
        const sketch_spot *from = &s->spot[s->member[i].from], *to = &s->spot[s->member[i].to];
        hits = crosses(b, &(box){from->x, from->y, to->x, to->y});
    }
    for (int k = 0; k < s->marks && !hits; k++)
        hits = crosses(b, &(box){s->mark[k].x1, s->mark[k].y1, s->mark[k].x2, s->mark[k].y2});
    return hits;
}

static void take_box(drawing *d, const box *b)
{
    if (d->labels < LABELS)
        d->label[d->labels++] = *b;
    d->bottom = fmax(d->bottom, b->y2);
}

/* A name at a point. */
typedef struct caption {
    const char *text;
    double x, y, away; /* distance from the point to a name beside it, px */
    bool tested;
    bool floor; /* only beside it, first on the left */
} caption;

/* On the first free place: right, left, below, above, or beside the point and somewhat higher or lower. Omitted if
 * none is free, as the list next to the drawing has the name. */
static void put_label(drawing *d, const caption *n)
{
    int letters = 0;
    for (const char *p = n->text; *p; p++)
        letters += ((unsigned char)*p & 0xc0) != 0x80;
    double w = (n->tested ? bold : letter) * letters, h = LABEL_HEIGHT, x = n->x, y = n->y - h / 2;
    double right = x + n->away, left = x - n->away - w;
    const double at[][2] = {{right, y},
                            {left, y},
                            {x - w / 2, n->y + n->away},
                            {x - w / 2, n->y - n->away - h},
                            {right, y - h},
                            {right, y + h},
                            {left, y - h},
                            {left, y + h}};
    int places = n->floor ? 2 : (int)(sizeof at / sizeof *at);
    for (int k = 0; k < places; k++) {
        const double *corner = at[n->floor ? 1 - k : k];
        const box b = {corner[0], corner[1], corner[0] + w, corner[1] + h};
        if (!is_free(d, &b) || hits_line(d, &b))
            continue;
        fprintf(d->out, "<text class=\"small%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=middle>",
                n->tested ? " tested" : "", 0.5 * (b.x1 + b.x2), b.y2 - 3);
        html_put(d->out, "", n->text, "</text>");
        take_box(d, &b);
        return;
    }
}

static void put_ground(drawing *d, double x, double y, bool wall)
{
    fprintf(d->out,
            wall ? "<path class=ground d=\"M%.1f %.1fv18m0 -18l-5 6m5 0l-5 6m5 0l-5 6\" />"
                 : "<path class=ground d=\"M%.1f %.1fh18m0 0l-6 5m0 -5l-6 5m0 -5l-6 5\" />",
            wall ? x : x - 9, wall ? y - 9 : y);
    take_box(d, &(box){x - 10, y - 10, x + 10, y + 10});
}

/* Members of one tone are one path. */
static void put_members(drawing *d, int tone)
{
    const sketch *s = d->s;
    if (tone == SKETCH_SHARED)
        fputs("<path class=\"member shared\" d=\"", d->out);
    else
        fprintf(d->out, "<path class=\"member p%d\" d=\"", s->parts ? tone % TONES : 0);
    for (int i = 0; i < s->members; i++) {
        const sketch_spot *a = &s->spot[s->member[i].from], *b = &s->spot[s->member[i].to];
        if ((s->parts ? s->member[i].tone : 0) != tone)
            continue;
        if (!s->building)
            fprintf(d->out, "M%.1f %.1fL%.1f %.1f", a->x, a->y, b->x, b->y);
        else
            fprintf(d->out, "M%.1f %.1fV%.1fM%.1f %.1fV%.1f", s->left, a == b ? s->high : a->y, b->y, s->right,
                    a == b ? s->high : a->y, b->y);
    }
    fputs("\" />", d->out);
}

static void put_structure(drawing *d)
{
    const sketch *s = d->s;
    for (int tone = SKETCH_SHARED; tone < (s->parts ? s->parts : 1); tone++)
        if (tone >= 0 || s->parts)
            put_members(d, tone);
    for (int i = 0; i < s->spots; i++) {
        const sketch_spot *p = &s->spot[i];
        if (p->support)
            fprintf(d->out, "<path class=held d=\"M%.1f %.1fl-6 9h12z\" />", p->x, p->y);
        if (p->floor)
            fprintf(d->out, "<path class=slab d=\"M%.1f %.1fH%.1f\" />", s->left - OVERHANG, p->y,
                    s->right + OVERHANG);
        d->bottom = fmax(d->bottom, p->y + (p->support ? 10 : 0));
    }
    if (s->building) {
        put_ground(d, s->left, s->high, false);
        put_ground(d, s->right, s->high, false);
    }
}

/* A specimen is thick, with its actuator; an element is thin. */
static void put_mark(drawing *d, const sketch_mark *m)
{
    double x = 0.5 * (m->x1 + m->x2), y = 0.5 * (m->y1 + m->y2);
    double turn = atan2(m->y2 - m->y1, m->x2 - m->x1) * 180.0 / 3.14159265358979323846;
    fprintf(d->out, "<g class=\"%s\"><title>", m->specimen ? "tested" : "element");
    ifd_html_print(m->name, d->out);
    if (m->carried) {
        x = m->x2;
        y = m->y2;
    }
    fprintf(d->out, "</title><path d=\"M%.1f %.1fL%.1f %.1f\" />", m->x1, m->y1, m->x2, m->y2);
    fprintf(d->out,
            "<rect x=\"-9\" y=\"-4.5\" width=\"18\" height=\"9\" rx=\"2\" transform=\"translate(%.1f %.1f) "
            "rotate(%.1f)\" /></g>",
            x, y, turn);
    if (m->ground)
        put_ground(d, m->x2, m->y2, fabs(m->x2 - m->x1) > fabs(m->y2 - m->y1));
    take_box(d, &(box){x - 8, y - 8, x + 8, y + 8});
}

static void name_mark(drawing *d, const sketch_mark *m)
{
    const sketch *s = d->s;
    caption n = {m->name, 0.5 * (m->x1 + m->x2), 0.5 * (m->y1 + m->y2), 13, m->specimen, false};
    if (m->carried) {
        n.x = m->x2;
        n.y = m->y2;
    } else if (m->brace) { /* without space in its storey */
        n.x = 0.5 * (s->left + s->right);
        n.away = 0.5 * (s->right - s->left) + 12;
    }
    put_label(d, &n);
}

/* Names of specimens first, as the most important; then masses next to the structure, floors, and others if there is
 * space. */
static void put_names(drawing *d)
{
    const sketch *s = d->s;
    for (int k = 0; k < s->marks; k++)
        if (s->mark[k].specimen)
            name_mark(d, &s->mark[k]);
    for (int i = 0; i < s->spots; i++) {
        const sketch_spot *p = &s->spot[i];
        if (p->square || p->floor)
            put_label(d, &(caption){.text = p->name,
                                    .x = p->x,
                                    .y = p->y,
                                    .away = p->floor ? 0.5 * (s->right - s->left) + 12 : 9,
                                    .floor = p->floor});
    }
    for (int k = 0; k < s->marks; k++)
        if (!s->mark[k].specimen && s->marks <= 12)
            name_mark(d, &s->mark[k]);
}

static void put_drawing(const report *r, const sketch *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size); /* its height is known at the end */
    if (!memory)
        return;
    drawing d = {.out = memory, .s = s};
    put_structure(&d);
    for (int k = 0; k < s->marks; k++)
        put_mark(&d, &s->mark[k]);
    for (const sketch_spot *p = s->spot; p < s->spot + s->spots; p++)
        if (p->square) {
            fprintf(memory, "<rect class=mass x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" />", p->x - 6,
                    p->y - 6);
            take_box(&d, &(box){p->x - 7, p->y - 7, p->x + 7, p->y + 7});
        }
    put_names(&d);
    fclose(memory);
    fprintf(r->out,
            "<svg class=scheme viewBox=\"0 0 %d %.0f\" style=\"max-width:%dpx\" role=img "
            "aria-label=\"structure\">%s</svg>",
            SKETCH_WIDTH, d.bottom + 12, SKETCH_WIDTH, text ? text : "");
    free(text);
}

static void put_parts(const report *r, const sketch *s)
{
    const ifd_couple_options *couple = r->c->test ? r->c->test->couple : r->c->run.couple;
    for (int p = 0; couple && p < couple->parts; p++) {
        const ifd_part_options *part = &couple->part[p];
        fprintf(r->out, "<li class=\"swatch p%d\"><b>", p % TONES);
        html_put(r->out, "", part->name, "</b>: ");
        fprintf(r->out, "%d dofs, %s, step %s", ifd_model_dofs(part->model), part->step.method->name,
                page_quantity(r->c->run.step.h / (part->subcycles > 0 ? part->subcycles : 1), "s").text);
    }
    if (couple)
        return;
    const ifd_model *m = sketch_model(s->c, 0);
    fprintf(r->out, "<li class=\"swatch p0\"><b>computed</b>: %d dofs, %d elements, %s, step %s", ifd_model_dofs(m),
            ifd_model_elements(m), case_method(r->c).text, page_quantity(r->c->run.step.h, "s").text);
}

static const char *end_of(const ifd_model *m, int dof)
{
    return dof >= 0 && dof < ifd_model_dofs(m) ? ifd_model_dof_name(m, dof)
           : dof == IFD_GROUND                 ? "ground"
                                               : "support";
}

static void put_specimen(const report *r, const char *name, const ifd_model *m, int from, int to)
{
    const ifd_specimen *sp = sketch_specimen(r->c, name);
    html_put(r->out, "<li class=\"swatch tested\"><b>", name, "</b>: ");
    const ifd_case_chord *chord = sketch_chord(r->c, name);
    if (sp)
        html_put(r->out, "", chord ? sketch_end(chord->from) : end_of(m, from), " to ");
    else
        fputs("a separate model on ", r->out);
    html_put(r->out, "", chord ? sketch_end(chord->to) : end_of(m, to), "");
    if (sp && sp->ops)
        html_put(r->out, ", ", sp->ops->name, "");
    if (sp && sp->factor > 0 && sp->factor != 1.0)
        fprintf(r->out, ", represents %.4g devices", sp->factor);
    if (r->test && r->c->test)
        html_put(r->out, ", on the rig (", r->c->test->rig->name, ")");
    else
        fputs(", computed", r->out);
}

/* Returns their number. */
static int put_specimens(const report *r)
{
    const ifd_hybrid_options *t = r->c->test;
    int count = t ? t->interfaces : r->c->run.specimens;
    for (int k = 0; k < count; k++) {
        const ifd_interface_options *i = t ? &t->interface[k] : NULL;
        const ifd_specimen *sp = t ? NULL : &r->c->run.specimen[k];
        put_specimen(r, t ? i->name : sp->name, sketch_model(r->c, t ? i->part : sp->part), t ? i->from : sp->from,
                     t ? i->to : sp->to);
    }
    return count;
}

bool report_drawing(const report *r)
{
    sketch *s = r->c && !r->characterised ? ifd_arena_take(r->a->arena, sizeof *s) : NULL;
    if (!s || !sketch_take(r->a->arena, r->c, s))
        return false;
    report_begin(r, "Structure", "scheme", false);
    fputs("<div class=beside>", r->out);
    put_drawing(r, s);
    fputs("<ul class=list>", r->out);
    put_parts(r, s);
    int specimens = put_specimens(r);
    fputs("</ul></div>", r->out);
    if (s->placed < specimens)
        fprintf(r->out, "<p>%d of %d specimens are drawn; the others act on dofs without coordinates.</p>", s->placed,
                specimens);
    report_end(r, false);
    return true;
}
