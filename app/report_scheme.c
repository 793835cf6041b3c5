/* SPDX-License-Identifier: MIT */
/* What was tested, drawn: computed parts in a row, joints between them, specimens below with their actuators. */
#include "report.h"

#include <string.h>

enum { BOX_W = 190, BOX_H = 64, GAP = 70, EDGE = 12, ROW = 150, MOST_BOXES = 8 };

static void text(FILE *out, double x, double y, const char *class, const char *words)
{
    fprintf(out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\" text-anchor=middle>", class, x, y);
    html_put(out, words);
    fputs("</text>", out);
}

static void box(FILE *out, double x, double y, const char *class, const char *name, const char *below,
                const char *last)
{
    fprintf(out, "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"6\" />", class, x, y,
            BOX_W, BOX_H);
    text(out, x + BOX_W / 2.0, y + 21, "head", name);
    text(out, x + BOX_W / 2.0, y + 38, "small", below);
    text(out, x + BOX_W / 2.0, y + 54, "small", last);
}

static double part_x(int part)
{
    return EDGE + part * (BOX_W + GAP);
}

static void put_model(FILE *out, int at, const char *name, const ifd_model *m, const ifd_step_options *step, double h)
{
    char size[80], method[160], last[256], shown[40];
    snprintf(size, sizeof size, "%d dofs, %d elements", ifd_model_dofs(m), ifd_model_elements(m));
    method_print(method, sizeof method, step);
    quantity_print(shown, sizeof shown, h, "s");
    snprintf(last, sizeof last, "%s · %s", method, shown);
    box(out, part_x(at), EDGE, "part", name, size, last);
}

static void put_joints(FILE *out, const ifd_couple_options *couple)
{
    int stacked[MOST_BOXES] = {0};
    for (int k = 0; k < couple->joints; k++) {
        const ifd_joint *j = &couple->joint[k];
        int low = j->term[0].part, high = low;
        for (int i = 1; i < j->terms; i++) {
            low = j->term[i].part < low ? j->term[i].part : low;
            high = j->term[i].part > high ? j->term[i].part : high;
        }
        if (high == low || high >= MOST_BOXES || stacked[low] > 3)
            continue;
        double y = EDGE + 14 + 14.0 * stacked[low]++;
        fprintf(out, "<line class=joint x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\" />", part_x(low) + BOX_W,
                part_x(high), y, y);
    }
    for (int p = 0; p < MOST_BOXES; p++)
        if (stacked[p])
            text(out, part_x(p) + BOX_W + GAP / 2.0, EDGE + 14.0 * stacked[p] + 16, "small", "joint");
}

static const char *end_name(const report *r, const ifd_specimen *s, int dof)
{
    const ifd_couple_options *couple = r->c->run.couple;
    const ifd_model *m = couple ? couple->part[s->part].model : r->c->run.model;
    return dof < 0 || dof >= ifd_model_dofs(m) ? "ground" : ifd_model_dof_name(m, dof);
}

static void put_specimen(const report *r, int k, double x, double y)
{
    const ifd_specimen *s = &r->c->run.specimen[k];
    FILE *out = r->out;
    char ends[160], what[160];
    int part = s->part < MOST_BOXES ? s->part : MOST_BOXES - 1;
    double from = part_x(part) + BOX_W / 2.0, to = x + BOX_W / 2.0, top = EDGE + BOX_H;
    snprintf(ends, sizeof ends, "%s to %s", end_name(r, s, s->from), end_name(r, s, s->to));
    snprintf(what, sizeof what, "%s%s", s->ops ? s->ops->name : "model", s->factor > 1 ? ", stands for several" : "");
    fprintf(out, "<path class=joint d=\"M%.0f %.0f V%.0f H%.0f V%.0f\" />", from, top, top + 18.0, to, y);
    if (r->c->test) {
        double cy = (top + 18.0 + y) / 2.0;
        fprintf(out, "<rect class=actuator x=\"%.0f\" y=\"%.0f\" width=\"16\" height=\"30\" rx=\"3\" />", to - 8,
                cy - 15);
        fprintf(out, "<text class=small x=\"%.0f\" y=\"%.0f\">", to + 14, cy + 4);
        html_put(out, r->c->test->rig->name);
        fputs(" rig</text>", out);
    }
    box(out, x, y, "specimen", s->name, ends, what);
}

void report_scheme(const report *r)
{
    const ifd_case *c = r->c;
    if (!c || c->run.outside)
        return;
    const ifd_couple_options *couple = c->run.couple;
    int parts = couple ? (couple->parts < MOST_BOXES ? couple->parts : MOST_BOXES) : 1;
    int specimens = c->run.specimens < MOST_BOXES ? c->run.specimens : MOST_BOXES;
    int across = parts > specimens ? parts : specimens;
    double width = 2 * EDGE + across * (BOX_W + GAP) - GAP, height = 2 * EDGE + BOX_H + (specimens ? ROW : 0);
    report_heading(r, "What was tested", "scheme");
    fprintf(r->out,
            "<svg class=scheme viewBox=\"0 0 %.0f %.0f\" style=\"max-width:%.0fpx\" role=img aria-label=\"scheme\">",
            width, height, width);
    for (int p = 0; p < parts; p++)
        if (couple)
            put_model(r->out, p, couple->part[p].name, couple->part[p].model, &couple->part[p].step,
                      c->run.step.h / (couple->part[p].subcycles > 0 ? couple->part[p].subcycles : 1));
        else
            put_model(r->out, p, "computed", c->run.model, &c->run.step, c->run.step.h);
    if (couple)
        put_joints(r->out, couple);
    for (int k = 0; k < specimens; k++)
        put_specimen(r, k, part_x(k), EDGE + ROW);
    fputs("</svg>", r->out);
    if (couple)
        fprintf(r->out, "<p>Coupling %s, %d joints.</p>", couple->coupling->name, couple->joints);
    report_end_section(r);
}
