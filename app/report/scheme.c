/* SPDX-License-Identifier: MIT */
/* Diagram of the test: numerical substructures in rows of four, joints between them, and specimens with their
 * actuators below. */
#include "drawing.h"

#include <string.h>

#include <interfield/fmu.h>

enum { SCHEME_PARTS = 12, SCHEME_SPECIMENS = 8, SCHEME_LINKS = 32 };

typedef struct scheme_box {
    char name[64], below[80], last[160];
} scheme_box;

/* joints: their number in this line; word: their name. arrow: motion is passed from a to b. */
typedef struct scheme_link {
    int a, b, joints;
    const char *word;
    bool arrow;
} scheme_link;

typedef struct scheme {
    int parts, specimens, links;
    int parts_in_all, specimens_in_all; /* those that do not fit are only counted */
    scheme_box part[SCHEME_PARTS], specimen[SCHEME_SPECIMENS];
    int holds[SCHEME_SPECIMENS]; /* the substructure of a specimen */
    scheme_link link[SCHEME_LINKS];
    const char *rig; /* NULL: the specimens are computed */
    char caption[200];
} scheme;

enum { BOX_W = 190, BOX_H = 64, GAP = 76, EDGE = 12, ACROSS = 4, BETWEEN = 56, DOWN = 86, STUB = 18 };

/* Position of a box: substructures from row 0 on, specimens below the last of them. */
typedef struct corner {
    double x, y;
    int row;
} corner;

static corner part_at(int k)
{
    int row = k / ACROSS;
    return (corner){EDGE + k % ACROSS * (BOX_W + GAP), EDGE + row * (BOX_H + BETWEEN), row};
}

static corner specimen_at(const scheme *s, int k)
{
    int rows = (s->parts + ACROSS - 1) / ACROSS, row = k / ACROSS;
    double top = EDGE + rows * BOX_H + (rows - 1) * BETWEEN + DOWN;
    return (corner){EDGE + k % ACROSS * (BOX_W + GAP), top + row * (BOX_H + DOWN), rows + row};
}

/* Approximately the text that fits into a box; the case has the complete name. */
static void text(FILE *out, double x, double y, const char *class, const char *said, size_t room)
{
    char cut[200];
    size_t n = 0, characters = 0;
    for (; said[n] && n + 4 < sizeof cut; n++) {
        characters += ((unsigned char)said[n] & 0xc0) != 0x80;
        if (room && characters > room)
            break;
        cut[n] = said[n];
    }
    memcpy(cut + n, said[n] ? "…" : "", said[n] ? sizeof "…" : 1);
    fprintf(out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\" text-anchor=middle>", class, x, y);
    html_put(out, "", cut, "</text>");
}

static void put_box(FILE *out, corner at, const char *class, const scheme_box *b)
{
    double middle = at.x + BOX_W / 2.0;
    fprintf(out, "<g><title>");
    ifd_html_print(b->name, out);
    fprintf(out, "</title><rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"6\" />", class,
            at.x, at.y, BOX_W, BOX_H);
    text(out, middle, at.y + 21, "head", b->name, 25);
    text(out, middle, at.y + 38, "small", b->below, 31);
    text(out, middle, at.y + 54, "small", b->last, 31);
    fputs("</g>", out);
}

static void put_word(FILE *out, double x, double y, const scheme_link *l)
{
    text(out, x, y, "small", l->joints == 1 ? l->word : phrase("%d %ss", l->joints, l->word).text, 0);
}

/* towards: the remainder of a path that starts at the tip */
static void put_head(FILE *out, double x, double y, const char *towards)
{
    fprintf(out, "<path class=tip d=\"M%.0f %.0f%s\" />", x, y, towards);
}

/* Adjacent boxes are connected by a straight line; others by the free strip below the upper one, each in a separate
 * lane. */
static void put_link(FILE *out, const scheme_link *l, int lane)
{
    corner a = part_at(l->a), b = part_at(l->b);
    if (a.row == b.row && b.x - a.x == BOX_W + GAP) {
        double y = a.y + BOX_H / 2.0;
        fprintf(out, "<path class=joint d=\"M%.0f %.0fH%.0f\" />", a.x + BOX_W, y, b.x);
        put_word(out, a.x + BOX_W + GAP / 2.0, y - 6, l);
        if (l->arrow)
            put_head(out, b.x, y, "l-8 -4v8z");
        return;
    }
    double from = a.x + BOX_W / 2.0 + 14.0 * (1 + lane % 5), to = b.x + BOX_W / 2.0 - 14.0 * (1 + lane % 5);
    double y = a.y + BOX_H + 10 + 7.0 * (lane % 5), end = a.row == b.row ? b.y + BOX_H : b.y;
    if (b.row > a.row + 1) {
        double side = b.x + BOX_W + GAP / 2.0 + 4.0 * (lane % 5);
        fprintf(out, "<path class=joint d=\"M%.0f %.0fV%.0fH%.0fV%.0fH%.0fV%.0f\" />", from, a.y + BOX_H, y, side,
                b.y - 10, to, end);
    } else
        fprintf(out, "<path class=joint d=\"M%.0f %.0fV%.0fH%.0fV%.0f\" />", from, a.y + BOX_H, y, to, end);
    put_word(out, (from + to) / 2.0, y + 12, l);
    if (l->arrow)
        put_head(out, to, end, a.row == b.row ? "l-4 8h8z" : "l-4 -8h8z");
}

static void put_specimen(FILE *out, const scheme *s, int k)
{
    corner part = part_at(s->holds[k]), at = specimen_at(s, k);
    double from = part.x + BOX_W / 2.0, to = at.x + BOX_W / 2.0, top = part.y + BOX_H;
    double turn = at.y - DOWN + STUB;
    if (at.row > part.row + 1) {
        double side = at.x + BOX_W + GAP / 2.0;
        fprintf(out, "<path class=joint d=\"M%.0f %.0fV%.0fH%.0fV%.0fH%.0fV%.0f\" />", from, top, top + STUB, side,
                turn, to, at.y);
    } else
        fprintf(out, "<path class=joint d=\"M%.0f %.0fV%.0fH%.0fV%.0f\" />", from, top, turn, to, at.y);
    if (s->rig) {
        double middle = (turn + at.y) / 2.0;
        fprintf(out, "<rect class=actuator x=\"%.0f\" y=\"%.0f\" width=\"16\" height=\"30\" rx=\"3\" />", to - 8,
                middle - 15);
        fprintf(out, "<text class=small x=\"%.0f\" y=\"%.0f\">", to + 14, middle + 4);
        html_put(out, "", s->rig, " rig</text>");
    }
    put_box(out, at, "specimen", &s->specimen[k]);
}

static void put_drawing(FILE *out, const scheme *s)
{
    int most = s->parts > s->specimens ? s->parts : s->specimens;
    int across = most < ACROSS ? most : ACROSS, lane = 0;
    corner last = s->specimens ? specimen_at(s, s->specimens - 1) : part_at(s->parts - 1);
    for (int k = 0; k < s->links; k++)
        lane += s->link[k].b != s->link[k].a + 1;
    bool lanes = lane > 0;
    double width = 2 * EDGE + across * (BOX_W + GAP) - GAP / 2.0;
    double height = last.y + BOX_H + EDGE + (lanes && !s->specimens ? 12 + 7.0 * (lane < 5 ? lane : 5) : 0);
    fprintf(out,
            "<svg class=scheme viewBox=\"0 0 %.0f %.0f\" style=\"max-width:%.0fpx\" role=img aria-label=\"scheme\">",
            width, height, width);
    lane = 0;
    for (int k = 0; k < s->links; k++)
        put_link(out, &s->link[k], s->link[k].b == s->link[k].a + 1 ? 0 : lane++);
    for (int k = 0; k < s->specimens; k++)
        put_specimen(out, s, k);
    for (int p = 0; p < s->parts; p++)
        put_box(out, part_at(p), "part", &s->part[p]);
    fputs("</svg>", out);
}

/* The substructures of a case, their joints and specimens, as boxes and links. */

static int fewer(int count, int room)
{
    return count < room ? count : room;
}

static void describe(scheme_box *b, const char *name, const ifd_model *m, const ifd_step_options *step, double h)
{
    int dofs = ifd_model_dofs(m), elements = ifd_model_elements(m);
    snprintf(b->name, sizeof b->name, "%s", name);
    snprintf(b->below, sizeof b->below, "%d dof%s", dofs, plural(dofs));
    if (elements)
        snprintf(b->below, sizeof b->below, "%d dof%s, %d element%s", dofs, plural(dofs), elements, plural(elements));
    snprintf(b->last, sizeof b->last, "%.111s · %s", method_text(step).text, page_quantity(h, "s").text);
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
                 couple->coupling->name, couple->rts->links, plural(couple->rts->links));
    else
        snprintf(s->caption, sizeof s->caption, "Coupling %s, %d joint%s.", couple->coupling->name, couple->joints,
                 plural(couple->joints));
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
                 page_quantity(f->h, "s").text);
    }
    for (int k = 0; k < f->ties; k++)
        join(s, fewer(f->tie[k].part[0], f->tie[k].part[1]),
             f->tie[k].part[0] > f->tie[k].part[1] ? f->tie[k].part[0] : f->tie[k].part[1], "joint", false);
    snprintf(s->caption, sizeof s->caption,
             "Coupling fmu, %d joint%s; forces are constant during each exchange step.", f->ties, plural(f->ties));
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
        const ifd_model *m = c->run.couple ? c->run.couple->part[sp->part].model : c->run.model;
        snprintf(b->below, sizeof b->below, "%s to %s", specimen_end(c, sp->name, m, sp->from, true),
                 specimen_end(c, sp->name, m, sp->to, false));
        snprintf(b->last, sizeof b->last, "%s", sp->ops ? sp->ops->name : "model");
        if (sp->factor > 0 && sp->factor != 1.0)
            snprintf(b->last, sizeof b->last, "%s, %.4g devices", sp->ops ? sp->ops->name : "model", sp->factor);
    }
}

static void scheme_take(const ifd_case *c, bool characterised, scheme *out)
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
            snprintf(out->part[0].last, sizeof out->part[0].last, "step %s", page_quantity(c->run.step.h, "s").text);
        } else
            describe(&out->part[0], "computed", c->run.model, &c->run.step, c->run.step.h);
    }
    take_specimens(c, out);
}

void report_scheme(const report *r)
{
    scheme s;
    if (!r->c || r->c->run.protocol) /* which computes no structure */
        return;
    scheme_take(r->c, r->characterised, &s);
    if (s.parts == 0)
        return;
    report_begin(r, "Structure", "scheme", false);
    put_drawing(r->out, &s);
    if (*s.caption)
        fprintf(r->out, "<p>%s</p>", s.caption);
    if (s.parts_in_all > s.parts || s.specimens_in_all > s.specimens)
        fprintf(r->out, "<p>%d of %d substructures and %d of %d specimens are drawn.</p>", s.parts, s.parts_in_all,
                s.specimens, s.specimens_in_all);
    report_end(r, false);
}
