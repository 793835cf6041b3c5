/* SPDX-License-Identifier: MIT */
/* Writes the picture of a structure as SVG. Lengths in it are pixels, y downwards. */
#include "structure.h"

#include <math.h>

#include <interfield/report.h>

enum { EDGE = 56, CURVE = 12 /* pieces of a bent member */, PLACES = 8, BOXES = 400, ARROWS = 7 };

/* px: free height of the caption, of a letter, of a load arrow */
static const double foot = 34, letter = 6.6, high = 13, reach = 26;

typedef struct box {
    double x1, y1, x2, y2;
} box;

typedef struct drawer {
    FILE *out;
    const structure *s;
    const picture_view *v;
    double scale, left, top; /* px per m; of the origin */
    int boxes;
    box box[BOXES]; /* of names */
} drawer;

static void project(const structure *s, const double at[3], double out[2])
{
    out[0] = s->space ? at[0] + 0.42 * at[1] : at[0];
    out[1] = s->space ? at[2] + 0.28 * at[1] : at[1];
}

/* On the page. */
static void page(const drawer *d, const double at[3], double out[2])
{
    project(d->s, at, out);
    out[0] = d->left + d->scale * out[0];
    out[1] = d->top - d->scale * out[1];
}

static bool displacement(const displaced *d, const char *part, const char *name, int direction, double *out)
{
    static const char *const suffix[] = {"x", "y", "z", "rx", "ry", "rz"};
    char dof[300];
    *out = 0.0;
    snprintf(dof, sizeof dof, "%s.%s", name, suffix[direction]);
    return d->value(d->data, part, dof, out);
}

/* Displacements and rotations of a spot; a floor or mass moves along its own dof. */
static bool moved(const structure *s, const displaced *d, int at, double out[6])
{
    const spot *p = &s->spot[at];
    bool known = false;
    memset(out, 0, 6 * sizeof *out);
    if (p->kind == SPOT_NODE) {
        for (int k = 0; k < 6; k++)
            known = displacement(d, p->part, p->name, k, &out[k]) || known;
        return known;
    }
    return *p->name && d->value(d->data, p->part, p->name, &out[0]);
}

double displaced_largest(const structure *s, const displaced *d, const spot **where)
{
    double most = 0.0, u[6];
    if (where)
        *where = NULL;
    for (int i = 0; i < s->spots; i++)
        if (moved(s, d, i, u)) {
            double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            if (size > most && where)
                *where = &s->spot[i];
            most = fmax(most, size);
        }
    return most;
}

/* Where a spot is, displaced if there is a shape. */
static void place(const structure *s, const displaced *d, int at, double out[3])
{
    double u[6];
    memcpy(out, s->spot[at].at, 3 * sizeof *out);
    for (int i = 0; d && i < 3 && moved(s, d, at, u); i++)
        out[i] += d->factor * u[i];
}

static void extent(const structure *s, const displaced *d, double low[2], double top[2])
{
    low[0] = low[1] = HUGE_VAL;
    top[0] = top[1] = -HUGE_VAL;
    for (int i = 0; i < 2 * s->spots; i++) {
        double at[2], point[3];
        place(s, i % 2 ? d : NULL, i / 2, point);
        project(s, point, at);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            top[k] = fmax(top[k], at[k]);
        }
    }
}

double displaced_factor(const structure *s, const displaced *d)
{
    double low[2], top[2], most = displaced_largest(s, d, NULL);
    extent(s, NULL, low, top);
    double size = fmax(fmax(top[0] - low[0], top[1] - low[1]), 1.0), wish = most > 0.0 ? 0.1 * size / most : 1.0;
    double ten = pow(10.0, floor(log10(wish)));
    return wish >= 5.0 * ten ? 5.0 * ten : wish >= 2.0 * ten ? 2.0 * ten : ten;
}

/* px per m, at most, and of a structure without lengths. */
static double scale_of(const structure *s, double w, double h, double wide, double tall)
{
    double k = fmin(w > 0.0 ? wide / w : HUGE_VAL, h > 0.0 ? tall / h : HUGE_VAL);
    return isfinite(k) ? fmin(k, s->scaled ? HUGE_VAL : 48.0) : 1.0;
}

double picture_height(const structure *s, const displaced *d, double width)
{
    double low[2], top[2];
    extent(s, d, low, top);
    double h = top[1] - low[1], k = scale_of(s, top[0] - low[0], h, width - 2 * EDGE, 0.7 * width);
    return ceil(fmax(k * h, 60.0) + 2 * EDGE + foot);
}

static void fit(drawer *d)
{
    double low[2], top[2], wide = d->v->width - 2 * EDGE, tall = d->v->height - 2 * EDGE - foot;
    extent(d->s, d->v->shape, low, top);
    double w = top[0] - low[0], h = top[1] - low[1];
    d->scale = scale_of(d->s, w, h, wide, tall);
    d->left = d->v->x + EDGE + 0.5 * (wide - d->scale * w) - d->scale * low[0];
    d->top = d->v->y + EDGE + 0.5 * (tall - d->scale * h) + d->scale * top[1];
}

/* A point of a member at the fraction x, displaced: cubic across its axis with the rotations of its ends, linear
 * along it. A hinge turns by itself. */
static void bent(const structure *s, const line *l, const double u[2][6], double x, double out[3])
{
    const double *a = s->spot[l->from].at, *b = s->spot[l->to].at;
    double e[3], L = 0.0, turn[2][3], chord[3], along = 0.0;
    for (int i = 0; i < 3; i++)
        L += (b[i] - a[i]) * (b[i] - a[i]);
    L = sqrt(L);
    for (int i = 0; i < 3; i++) {
        e[i] = L > 0.0 ? (b[i] - a[i]) / L : 0.0;
        chord[i] = u[1][i] - u[0][i];
        along += e[i] * chord[i];
    }
    for (int end = 0; end < 2; end++) /* slope of the axis: rotation x e */
        for (int i = 0; i < 3; i++)
            turn[end][i] = L * (u[end][3 + (i + 1) % 3] * e[(i + 2) % 3] - u[end][3 + (i + 2) % 3] * e[(i + 1) % 3]);
    unsigned bends = s->space ? IFD_FIX_RY | IFD_FIX_RZ : IFD_FIX_RZ;
    bool free[2] = {l->member && (l->member->released[0] & bends) == bends && l->member->spring[0][2] == 0.0,
                    l->member && (l->member->released[1] & bends) == bends && l->member->spring[1][2] == 0.0};
    for (int i = 0; i < 3; i++) {
        double psi = chord[i] - along * e[i], t0 = turn[0][i], t1 = turn[1][i];
        double own0 = free[0] ? (free[1] ? psi : 1.5 * psi - 0.5 * t1) : t0;
        double own1 = free[1] ? (free[0] ? psi : 1.5 * psi - 0.5 * t0) : t1;
        out[i] = a[i] + x * (b[i] - a[i]) + u[0][i] + x * along * e[i];
        out[i] += psi * x * x * (3.0 - 2.0 * x) + own0 * x * (1.0 - x) * (1.0 - x) - own1 * x * x * (1.0 - x);
    }
}

static bool free_place(const drawer *d, const box *b)
{
    for (int k = 0; k < d->boxes; k++) {
        const box *o = &d->box[k];
        if (b->x1 < o->x2 && o->x1 < b->x2 && b->y1 < o->y2 && o->y1 < b->y2)
            return false;
    }
    return b->x1 > d->v->x && b->x2 < d->v->x + d->v->width;
}

static void take_place(drawer *d, double x1, double y1, double x2, double y2)
{
    if (d->boxes < BOXES)
        d->box[d->boxes++] = (box){x1, y1, x2, y2};
}

static void put_text(FILE *out, const char *class, double x, double y, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    ifd_html_print(text, out);
    fputs("</text>\n", out);
}

/* On the first free place beside a point, away px from it; omitted if there is none. */
static void put_name(drawer *d, const char *text, const double at[2], double away, const char *class)
{
    int letters = 0;
    for (const char *p = text; *p; p++)
        letters += ((unsigned char)*p & 0xc0) != 0x80;
    double w = letter * letters, near = 0.7 * away;
    const double place[PLACES][2] = {{at[0] + near, at[1] - near - high},  {at[0] - near - w, at[1] - near - high},
                                     {at[0] + near, at[1] + near},         {at[0] - near - w, at[1] + near},
                                     {at[0] + away, at[1] - high / 2},     {at[0] - away - w, at[1] - high / 2},
                                     {at[0] - w / 2, at[1] - away - high}, {at[0] - w / 2, at[1] + away}};
    for (int k = 0; k < PLACES && !d->v->bare; k++) {
        const box b = {place[k][0], place[k][1], place[k][0] + w, place[k][1] + high};
        if (!free_place(d, &b))
            continue;
        take_place(d, b.x1, b.y1, b.x2, b.y2);
        put_text(d->out, class, b.x1, b.y2 - 3, text);
        return;
    }
}

/* A spot with a known displacement, or held. */
static bool follows(const structure *s, const displaced *d, int at)
{
    double u[6];
    return moved(s, d, at, u) || s->spot[at].fixed;
}

/* Members of one class are one path; those whose ends have no known displacement are not displaced. */
static void put_members(drawer *d, const char *class, bool bends)
{
    const structure *s = d->s;
    double p[2], q[2], at[3], u[2][6];
    fprintf(d->out, "<path class=\"%s\" d=\"", class);
    for (const line *l = s->line; l < s->line + s->lines; l++) {
        if (l->shape > LINE_SLAB)
            continue;
        if (!bends) {
            page(d, s->spot[l->from].at, p);
            page(d, s->spot[l->to].at, q);
            fprintf(d->out, "M%.1f %.1fL%.1f %.1f", p[0], p[1], q[0], q[1]);
            continue;
        }
        if (!follows(s, d->v->shape, l->from) || !follows(s, d->v->shape, l->to))
            continue;
        moved(s, d->v->shape, l->from, u[0]);
        moved(s, d->v->shape, l->to, u[1]);
        for (int k = 0; k < 12; k++)
            u[k / 6][k % 6] *= d->v->shape->factor;
        int pieces = l->shape == LINE_SLAB ? 1 : CURVE;
        for (int k = 0; k <= pieces; k++) {
            bent(s, l, (const double(*)[6])u, (double)k / pieces, at);
            page(d, at, p);
            fprintf(d->out, "%c%.1f %.1f", k ? 'L' : 'M', p[0], p[1]);
        }
    }
    fputs("\"/>\n", d->out);
}

/* Open circles at released ends, a little inside the member. */
static void put_releases(drawer *d)
{
    const structure *s = d->s;
    double p[2], q[2];
    for (const line *l = s->line; l < s->line + s->lines; l++)
        for (int end = 0; end < 2; end++) {
            unsigned turns = l->member ? l->member->released[end] : 0;
            if (!turns)
                continue;
            page(d, s->spot[end ? l->to : l->from].at, p);
            page(d, s->spot[end ? l->from : l->to].at, q);
            double length = hypot(q[0] - p[0], q[1] - p[1]),
                   in = length > 0.0 ? fmin(9.0, 0.3 * length) / length : 0.0;
            bool spring = l->member->spring[end][0] + l->member->spring[end][1] + l->member->spring[end][2] > 0.0;
            fprintf(d->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
                    spring ? "release spring" : "release", p[0] + in * (q[0] - p[0]), p[1] + in * (q[1] - p[1]));
        }
}

static void put_support(drawer *d, const spot *p)
{
    unsigned moves = IFD_FIX_X | IFD_FIX_Y | (d->s->space ? IFD_FIX_Z : 0u), turns = d->s->space ? 56u : 32u;
    double at[2];
    page(d, p->at, at);
    const char *class = p->moves ? "support moving" : "support";
    if ((p->fixed & (moves | turns)) == (moves | turns) || p->kind == SPOT_FLOOR)
        fprintf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fh20m-2 0l-5 6m-1 -6l-5 6m-1 -6l-5 6m-1 -6l-5 6\"/>\n",
                class, at[0] - 10, at[1]);
    else if ((p->fixed & moves) == moves)
        fprintf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fl-7 12h14zm-10 12h20\"/>\n", class, at[0], at[1]);
    else if (p->fixed & moves) { /* some directions: a triangle on rollers, beside the node if it holds x only */
        bool aside = !(p->fixed & (d->s->space ? IFD_FIX_Z : IFD_FIX_Y));
        fprintf(d->out,
                "<path class=\"%s\" transform=\"translate(%.1f %.1f) rotate(%d)\" d=\"M0 0l-7 12h14zm-10 15h20\"/>\n",
                class, at[0], at[1], aside ? 90 : 0);
    } else if (p->fixed)
        fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\"/>\n", class, at[0] - 4.5,
                at[1] - 4.5);
    take_place(d, at[0] - 10, at[1], at[0] + 10, at[1] + 14);
}

/* Links between the same spots are side by side. */
static void beside(const drawer *d, const line *l, double p[2], double q[2])
{
    double length = hypot(q[0] - p[0], q[1] - p[1]);
    int before = 0;
    for (const line *o = d->s->line; o < l; o++)
        before += o->shape >= LINE_ELEMENT && o->shape <= LINE_SPECIMEN &&
                  ((o->from == l->from && o->to == l->to && (l->to >= 0 || o->along == l->along)) ||
                   (o->from == l->to && o->to == l->from));
    const double across[2] = {(p[1] - q[1]) / length, (q[0] - p[0]) / length};
    for (int i = 0; i < 2 && length > 0.0; i++) {
        p[i] += 18.0 * before * across[i];
        q[i] += 18.0 * before * across[i];
    }
}

/* A zigzag (element) or a box (specimen) from p to q, and the ground at q. */
static void put_link(drawer *d, const line *l)
{
    double p[2], q[2], middle[2], point[3];
    place(d->s, d->v->shape, l->from, point);
    page(d, point, p);
    if (l->to >= 0) {
        place(d->s, d->v->shape, l->to, point);
        page(d, point, q);
    } else {
        double side = p[0] > d->v->x + 0.5 * d->v->width ? 1.0 : -1.0;
        q[0] = l->along == 0 || (d->s->space && l->along == 1) ? p[0] + side * 46 : p[0];
        q[1] = q[0] == p[0] ? p[1] + 46 : p[1];
    }
    beside(d, l, p, q);
    double length = hypot(q[0] - p[0], q[1] - p[1]),
           turn = atan2(q[1] - p[1], q[0] - p[0]) * 180.0 / 3.14159265358979323846;
    bool specimen = l->shape == LINE_SPECIMEN;
    fprintf(d->out, "<g class=\"%s\" transform=\"translate(%.1f %.1f) rotate(%.2f)\"><title>",
            specimen ? "specimen" : "element", p[0], p[1], turn);
    ifd_html_print(l->name ? l->name : "", d->out);
    if (specimen)
        fprintf(d->out,
                "</title><path d=\"M0 0H%.1f\"/><rect x=\"%.1f\" y=\"-6\" width=\"26\" height=\"12\" rx=\"2\"/>",
                length, 0.5 * length - 13);
    else
        fprintf(d->out, "</title><path d=\"M0 0H%.1fl3 -5l6 10l6 -10l6 10l3 -5H%.1f\"/>", 0.5 * length - 12, length);
    if (l->to < 0)
        fprintf(d->out, "<path d=\"M%.1f -9v18m0 -16l6 -4m-6 10l6 -4m-6 10l6 -4\"/>", length);
    fputs("</g>\n", d->out);
    middle[0] = 0.5 * (p[0] + q[0]);
    middle[1] = 0.5 * (p[1] + q[1]);
    take_place(d, middle[0] - 8, middle[1] - 6, middle[0] + 8, middle[1] + 6);
    if (l->name && (specimen || d->s->lines < 200))
        put_name(d, l->name, middle, 12, specimen ? "name tested" : "name of-element");
}

/* Arrows of a member load along its direction, ending on the member, and its size. */
static void put_load(drawer *d, const line *l)
{
    const double *w = l->member->load;
    double zero[3] = {0}, o[2], tip[2], p[2], q[2], at[2], size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    project(d->s, zero, o);
    project(d->s, w, tip);
    double flat = hypot(tip[0], tip[1]);
    page(d, d->s->spot[l->from].at, p);
    page(d, d->s->spot[l->to].at, q);
    if (size == 0.0 || flat == 0.0)
        return;
    double e[2] = {tip[0] / flat, -tip[1] / flat};
    fputs("<path class=\"load\" d=\"", d->out);
    fprintf(d->out, "M%.1f %.1fL%.1f %.1f", p[0] - reach * e[0], p[1] - reach * e[1], q[0] - reach * e[0],
            q[1] - reach * e[1]);
    for (int k = 0; k < ARROWS; k++) {
        double x = (double)k / (ARROWS - 1);
        at[0] = p[0] + x * (q[0] - p[0]) - 3 * e[0];
        at[1] = p[1] + x * (q[1] - p[1]) - 3 * e[1];
        fprintf(d->out, "M%.1f %.1fL%.1f %.1f", at[0] - (reach - 3) * e[0], at[1] - (reach - 3) * e[1], at[0], at[1]);
        fprintf(d->out, "L%.1f %.1fM%.1f %.1fL%.1f %.1f", at[0] - 6 * e[0] - 3 * e[1], at[1] - 6 * e[1] + 3 * e[0],
                at[0], at[1], at[0] - 6 * e[0] + 3 * e[1], at[1] - 6 * e[1] - 3 * e[0]);
    }
    fputs("\"/>\n", d->out);
    at[0] = 0.5 * (p[0] + q[0]) - (reach + 2) * e[0];
    at[1] = 0.5 * (p[1] + q[1]) - (reach + 2) * e[1];
    put_name(d, phrase("%.4g kN/m", 1e-3 * size).text, at, 4, "name of-load");
}

static void put_points(drawer *d)
{
    const structure *s = d->s;
    double at[2];
    for (int i = 0; i < s->spots; i++) {
        const spot *p = &s->spot[i];
        page(d, p->at, at);
        if (p->kind == SPOT_MASS) {
            fprintf(d->out, "<rect class=\"mass\" x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"16\" rx=\"2\"/>\n",
                    at[0] - 8, at[1] - 8);
            take_place(d, at[0] - 8, at[1] - 8, at[0] + 8, at[1] + 8);
        }
        if (p->kind == SPOT_NODE)
            fprintf(d->out, "<circle class=\"node\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\"/>\n", at[0], at[1]);
        if (p->fixed)
            put_support(d, p);
    }
}

static void put_caption(drawer *d)
{
    const structure *s = d->s;
    const displaced *v = d->v->shape;
    const spot *where;
    char text[400] = "";
    if (v) {
        double most = displaced_largest(s, v, &where);
        int lost = 0;
        for (int i = 0; i < s->spots; i++)
            lost += !follows(s, v, i);
        text_add(text, sizeof text, "%s; displacements x %.4g", v->caption, v->factor);
        if (lost)
            text_add(text, sizeof text, "; not recorded at %d points", lost);
        if (where && !d->v->bare)
            text_add(text, sizeof text, ", largest %s at %s", quantity(most, "m").text, where->name);
    } else if (!s->scaled)
        text_add(text, sizeof text, "not to scale");
    put_text(d->out, "caption", d->v->x + 12, d->v->y + d->v->height - 12, text);
}

void picture_put(FILE *out, const structure *s, const picture_view *v)
{
    drawer *d = ifd_arena_take(s->arena, sizeof *d);
    if (!d)
        return;
    *d = (drawer){.out = out, .s = s, .v = v};
    fit(d);
    put_members(d, v->shape ? "member still" : "member", false);
    for (const line *l = s->line; l < s->line + s->lines; l++)
        if (l->shape == LINE_JOINT) {
            double p[2], q[2];
            page(d, s->spot[l->from].at, p);
            page(d, s->spot[l->to].at, q);
            fprintf(out, "<path class=\"joint\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", p[0], p[1], q[0], q[1]);
        }
    put_points(d);
    put_releases(d);
    for (const line *l = s->line; l < s->line + s->lines && !v->shape; l++)
        if (l->member)
            put_load(d, l);
    for (const line *l = s->line; l < s->line + s->lines; l++)
        if (l->shape == LINE_SPECIMEN || l->shape == LINE_ELEMENT)
            put_link(d, l);
    if (v->shape)
        put_members(d, "member moved", true);
    for (int i = 0; i < s->spots; i++)
        if (s->spot[i].named && *s->spot[i].name) {
            double at[2];
            page(d, s->spot[i].at, at);
            put_name(d, s->spot[i].name, at, s->spot[i].kind == SPOT_MASS ? 14 : 8, "name");
        }
    put_caption(d);
}

void picture_begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
            "role=\"img\"><title>",
            width, height, width, height);
    ifd_html_print(title, out);
    fputs(
        "</title><style>\n"
        "@media (prefers-color-scheme:dark){svg{filter:invert(.92) hue-rotate(180deg)}}\n"
        "text{font:12px sans-serif;fill:#1f2937} .caption{fill:#4b5563} .tested{font-weight:bold;fill:#b45309}\n"
        ".of-element{fill:#1d4ed8} .of-load{fill:#6d28d9}\n"
        "path,rect,circle{fill:none;stroke:#1f2937;stroke-linecap:round;stroke-linejoin:round}\n"
        ".member{stroke-width:2.4} .still{stroke:#9ca3af;stroke-width:1.2} .moved{stroke:#1d4ed8;stroke-width:2.4}\n"
        ".node{fill:#1f2937;stroke:none} .mass{fill:#e5e7eb;stroke-width:1.4} .support{stroke-width:1.2}\n"
        ".moving{stroke:#0f766e;stroke-width:2} .release{fill:#fff;stroke-width:1.4} .spring{stroke-dasharray:2 3}\n"
        ".load{stroke:#6d28d9;stroke-width:1} .joint{stroke:#6b7280;stroke-dasharray:5 4}\n"
        ".element path{stroke:#1d4ed8;stroke-width:1.4} .specimen path{stroke:#b45309;stroke-width:2.4}\n"
        ".specimen rect{fill:#fde68a;stroke:#b45309;stroke-width:1.8}\n"
        "</style><rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n",
        out);
}

void picture_end(FILE *out)
{
    fputs("</svg>\n", out);
}
