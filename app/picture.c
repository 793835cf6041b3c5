/* SPDX-License-Identifier: MIT */
/* Writes the picture of a structure as SVG. Lengths in it are pixels, y downwards. */
#include "displaced.h"

#include <math.h>
#include <stdlib.h>

#include <interfield/report.h>

enum {
    EDGE = 56,
    NEAR = 30,
    CURVE = 12 /* pieces of a bent member */,
    PLACES = 8,
    RINGS = 4,
    BOXES = 1200,
    ARROWS = 7,
    TONES = 6
};

/* px: free height of the caption; size of a letter, also of bold ones; length of a load arrow, and of a link to the
 * ground and to the soil */
static const double foot = 34, letter = 6.6, bold = 7.5, high = 13, reach = 26, away_ground = 42, away_soil = 24;
static const double pi = 3.14159265358979323846;

/* An area, or a line from 1 to 2. */
typedef struct box {
    double x1, y1, x2, y2;
} box;

typedef struct drawer {
    FILE *out;
    const structure *s;
    const picture_view *v;
    double scale, left, top; /* px per m; of the origin */
    int boxes, strokes, room;
    box box[BOXES]; /* of symbols and names */
    box *stroke;    /* lines, on which no name is placed */
} drawer;
/* On the page. */
static void page(const drawer *d, const double at[3], double out[2])
{
    structure_project(d->s, at, out);
    out[0] = d->left + d->scale * out[0];
    out[1] = d->top - d->scale * out[1];
}
/* px per m, at most, and of a structure without lengths. */
static double scale_of(const structure *s, double w, double h, double wide, double tall)
{
    double k = fmin(w > 0.0 ? wide / w : HUGE_VAL, h > 0.0 ? tall / h : HUGE_VAL);
    return isfinite(k) ? fmin(k, s->scaled ? HUGE_VAL : 48.0) : 1.0;
}

/* Free height above and below the structure, in which loads, links and the caption are. */
static void margins(const structure *s, const displaced *d, double out[2])
{
    out[0] = out[1] = NEAR;
    for (const line *l = s->line; l < s->line + s->lines; l++) {
        bool loaded = l->member && hypot(l->member->load[1], l->member->load[2]) > 0.0;
        if (l->shape == LINE_CARRIED || l->shape == LINE_TIE || loaded)
            out[0] = EDGE;
        if (l->to < 0 && l->shape != LINE_CARRIED && l->along == (s->space ? 2 : 1))
            out[1] = EDGE;
    }
    for (const spot *p = s->spot; p < s->spot + s->spots; p++)
        out[0] = p->down != 0.0 ? EDGE + reach : out[0];
    out[1] += d || !s->scaled ? foot : 0.0;
}

double picture_height(const structure *s, const displaced *d, double width)
{
    double low[2], top[2], beside[2];
    displaced_extent(s, d, low, top);
    margins(s, d, beside);
    double h = top[1] - low[1], k = scale_of(s, top[0] - low[0], h, width - 2 * EDGE, 0.7 * width);
    return ceil(fmax(k * h, NEAR) + beside[0] + beside[1]);
}

static void fit(drawer *d)
{
    double low[2], top[2], beside[2];
    displaced_extent(d->s, d->v->shape, low, top);
    margins(d->s, d->v->shape, beside);
    double wide = d->v->width - 2 * EDGE, tall = d->v->height - beside[0] - beside[1];
    double w = top[0] - low[0], h = top[1] - low[1];
    d->scale = scale_of(d->s, w, h, wide, tall);
    d->left = d->v->x + EDGE + 0.5 * (wide - d->scale * w) - d->scale * low[0];
    d->top = d->v->y + beside[0] + 0.5 * (tall - d->scale * h) + d->scale * top[1];
}

/* Whether a line intersects a box (line clipping of Liang and Barsky). */
static bool crosses(const box *b, const box *l)
{
    double d[2] = {l->x2 - l->x1, l->y2 - l->y1}, in = 0.0, out = 1.0;
    const double p[4] = {-d[0], d[0], -d[1], d[1]},
                 q[4] = {l->x1 - b->x1, b->x2 - l->x1, l->y1 - b->y1, b->y2 - l->y1};
    for (int k = 0; k < 4; k++) {
        if (p[k] == 0.0 && q[k] < 0.0)
            return false;
        if (p[k] < 0.0)
            in = fmax(in, q[k] / p[k]);
        else if (p[k] > 0.0)
            out = fmin(out, q[k] / p[k]);
    }
    return in <= out;
}

static bool free_place(const drawer *d, const box *b)
{
    const picture_view *v = d->v;
    bool ok = b->x1 > v->x && b->x2 < v->x + v->width && b->y1 > v->y && b->y2 < v->y + v->height;
    for (int k = 0; k < d->boxes && ok; k++) {
        const box *o = &d->box[k];
        ok = !(b->x1 < o->x2 && o->x1 < b->x2 && b->y1 < o->y2 && o->y1 < b->y2);
    }
    for (int k = 0; k < d->strokes && ok; k++)
        ok = !crosses(b, &d->stroke[k]);
    return ok;
}

static void take_place(drawer *d, double x1, double y1, double x2, double y2)
{
    if (d->boxes < BOXES)
        d->box[d->boxes++] = (box){x1, y1, x2, y2};
}

static void take_around(drawer *d, const double at[2], double size)
{
    take_place(d, at[0] - size, at[1] - size, at[0] + size, at[1] + size);
}

static void take_stroke(drawer *d, const double p[2], const double q[2])
{
    if (d->strokes < d->room)
        d->stroke[d->strokes++] = (box){p[0], p[1], q[0], q[1]};
}

static void put_text(FILE *out, const char *class, double x, double y, const char *text)
{
    fprintf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class,
            strcmp(class, "caption") == 0 ? "start" : "middle", x, y);
    ifd_html_print(text, out);
    fputs("</text>\n", out);
}

static void put_title(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    fputs("<title>", out);
    ifd_html_print(text ? text : "", out);
    fputs("</title>", out);
}

/* On the first free place beside a point, away px from it or further; omitted if there is none. */
static void put_name(drawer *d, const char *text, const double at[2], double away, const char *class)
{
    int letters = 0;
    for (const char *p = text; *p; p++)
        letters += ((unsigned char)*p & 0xc0) != 0x80;
    double w = (strstr(class, "tested") ? bold : letter) * letters;
    for (int k = 0; k < RINGS * PLACES && !d->v->bare; k++) {
        double far = away + k / PLACES * high, near = 0.7 * far;
        const double place[PLACES][2] = {
            {near, -near - high}, {-near - w, -near - high}, {near, near},          {-near - w, near},
            {far, -high / 2},     {-far - w, -high / 2},     {-w / 2, -far - high}, {-w / 2, far}};
        const double *from = place[k % PLACES], x = at[0] + from[0], y = at[1] + from[1];
        const box b = {x, y, x + w, y + high};
        if (!free_place(d, &b))
            continue;
        take_place(d, b.x1 - 3, b.y1, b.x2 + 3, b.y2);
        put_text(d->out, class, x + w / 2, b.y2 - 3, text);
        return;
    }
}

/* A member from end to end, or bent. */
static void put_member(drawer *d, const line *l, bool bends)
{
    const structure *s = d->s;
    double p[2], q[2], at[3], u[2][6] = {{0}};
    unsigned known[2] = {0};
    int pieces = bends && l->shape == LINE_MEMBER ? CURVE : 1;
    for (int k = 0; k < 2 && bends; k++) {
        known[k] = displaced_at(s, d->v->shape, k ? l->to : l->from, u[k]);
        for (int i = 0; i < 6; i++)
            u[k][i] *= d->v->shape->factor;
    }
    for (int k = 0; k <= pieces; k++) {
        displaced_member(s, l, (const double(*)[6])u, known, (double)k / pieces, at);
        page(d, at, q);
        fprintf(d->out, "%c%.1f %.1f", k ? 'L' : 'M', q[0], q[1]);
        if (k)
            take_stroke(d, p, q);
        memcpy(p, q, sizeof p);
    }
}

/* Members of one class and substructure are one path; those whose ends have no known displacement stay. */
static void put_members(drawer *d, const char *class, bool bends)
{
    const structure *s = d->s;
    int most = 0;
    for (const line *l = s->line; l < s->line + s->lines; l++)
        most = l->shape <= LINE_SLAB && l->tone > most ? l->tone : most;
    for (int tone = TONE_SHARED; tone <= most; tone++) {
        bool any = false;
        for (const line *l = s->line; l < s->line + s->lines; l++) {
            if (l->shape > LINE_SLAB || l->tone != tone ||
                (bends && (!displaced_follows(s, d->v->shape, l->from) || !displaced_follows(s, d->v->shape, l->to))))
                continue;
            if (!any)
                fprintf(d->out, "<path class=\"%s%s\" d=\"", class,
                        tone == TONE_NONE     ? ""
                        : tone == TONE_SHARED ? " shared"
                                              : phrase(" p%d", tone % TONES).text);
            any = true;
            put_member(d, l, bends);
        }
        if (any)
            fputs("\"/>\n", d->out);
    }
}

/* Rigid bodies: the area or line between their nodes. */
static void put_bodies(drawer *d)
{
    for (const body *b = d->s->body; b < d->s->body + d->s->bodies; b++) {
        double(*p)[2] = ifd_arena_take(d->s->arena, (size_t)(b->count + 1) * sizeof *p);
        int from = 0, next = -1;
        for (int i = 0; p && i < b->count; i++) {
            page(d, d->s->spot[b->spot[i]].at, p[i]);
            from = p[i][0] < p[from][0] || (p[i][0] == p[from][0] && p[i][1] < p[from][1]) ? i : from;
        }
        if (!p || !b->count)
            continue;
        put_title(d->out, "<g class=\"tie\">", b->name);
        fputs("<path d=\"", d->out);
        for (int at = from, k = 0; k <= b->count && next != from; k++, at = next) { /* around their convex hull */
            fprintf(d->out, "%c%.1f %.1f", k ? 'L' : 'M', p[at][0], p[at][1]);
            next = (at + 1) % b->count;
            for (int i = 0; i < b->count; i++) {
                double a[2] = {p[next][0] - p[at][0], p[next][1] - p[at][1]};
                double o[2] = {p[i][0] - p[at][0], p[i][1] - p[at][1]}, turn = a[0] * o[1] - a[1] * o[0];
                next = turn < 0.0 || (turn == 0.0 && hypot(o[0], o[1]) > hypot(a[0], a[1])) ? i : next;
            }
        }
        fputs("Z\"/></g>\n", d->out);
    }
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
            const double at[2] = {p[0] + in * (q[0] - p[0]), p[1] + in * (q[1] - p[1])};
            fprintf(d->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
                    spring ? "release spring" : "release", at[0], at[1]);
            take_around(d, at, 5.0);
        }
}

static void put_support(drawer *d, const spot *p)
{
    unsigned moves = structure_translations(d->s), turns = d->s->space ? 56u : 32u;
    double at[2];
    page(d, p->at, at);
    const char *class = p->moves ? "support moving" : "support";
    enum { MANY = 8 };
    int like = 0; /* as all nodes of a beam that is held along it */
    for (int i = 0; i < d->s->spots; i++)
        like += d->s->spot[i].fixed == p->fixed && p->kind == SPOT_NODE;
    double size = like > MANY && (p->fixed & moves) != moves ? 0.5 : 1.0;
    if ((p->fixed & (moves | turns)) == (moves | turns) || p->kind == SPOT_FLOOR)
        fprintf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fh20m-2 0l-5 6m-1 -6l-5 6m-1 -6l-5 6m-1 -6l-5 6\"/>\n",
                class, at[0] - 10, at[1]);
    else if ((p->fixed & moves) == moves)
        fprintf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fl-7 12h14zm-10 12h20\"/>\n", class, at[0], at[1]);
    else if (p->fixed & moves) { /* some directions: a triangle on rollers, beside the node if it holds x only */
        bool aside = !(p->fixed & (d->s->space ? IFD_FIX_Z : IFD_FIX_Y));
        fprintf(d->out, "<path class=\"%s\" transform=\"translate(%.1f %.1f) rotate(%d)", class, at[0], at[1],
                aside ? 90 : 0);
        fprintf(d->out, " scale(%g)\" d=\"M0 0l-7 12h14zm-10 15h20\"/>\n", size);
    } else if (p->fixed)
        fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\"/>\n", class, at[0] - 4.5,
                at[1] - 4.5);
    take_place(d, at[0] - 10 * size, at[1], at[0] + 10 * size, at[1] + 14 * size);
}

/* Links between the same spots are side by side; returns the distance (px) from the line between the spots. */
static double beside(const drawer *d, const line *l, double p[2], double q[2])
{
    double length = hypot(q[0] - p[0], q[1] - p[1]);
    int before = 0, all = 0;
    for (const line *o = d->s->line; o < d->s->line + d->s->lines; o++)
        if (o->shape >= LINE_ELEMENT && o->shape <= LINE_SPECIMEN &&
            ((o->from == l->from && o->to == l->to && (l->to >= 0 || o->along == l->along)) ||
             (o->from == l->to && o->to == l->from))) {
            before += o < l;
            all++;
        }
    const double out = 18.0 * (before - 0.5 * (all - 1)),
                 across[2] = {(p[1] - q[1]) / length, (q[0] - p[0]) / length};
    for (int i = 0; i < 2 && length > 0.0; i++) {
        p[i] += out * across[i];
        q[i] += out * across[i];
    }
    return all > 1 ? out : 0.0;
}

/* The ends of a link; without a second spot it ends at the ground, beside or below the first. Returns as beside. */
static double link_ends(const drawer *d, const line *l, double p[2], double q[2])
{
    bool upright = l->along == (d->s->space ? 2 : 1), soil = l->shape == LINE_SOIL;
    double point[3];
    displaced_place(d->s, d->v->shape, l->from, point);
    page(d, point, p);
    if (l->to >= 0) {
        displaced_place(d->s, d->v->shape, l->to, point);
        page(d, point, q);
    } else if (l->shape == LINE_CARRIED) {
        q[0] = p[0];
        q[1] = p[1] - 0.8 * away_ground;
    } else {
        double side = p[0] > d->v->x + 0.5 * d->v->width && !soil ? 1.0 : -1.0;
        double away = soil ? away_soil : away_ground, oblique = d->s->space && l->along == 1 ? 0.55 : 0.0;
        q[0] = upright ? p[0] : p[0] + side * away;
        q[1] = upright ? p[1] + away : p[1] + side * oblique * away;
    }
    return soil || l->shape == LINE_CARRIED ? 0.0 : beside(d, l, p, q);
}

/* A symbol from the origin to x = length: a zigzag, or a box in the middle or at the end. */
static void put_symbol(FILE *out, line_shape shape, double length)
{
    double box_at = shape == LINE_CARRIED ? length : 0.5 * length, half = fmin(12.0, 0.35 * length);
    if (shape == LINE_SPECIMEN || shape == LINE_CARRIED)
        fprintf(out, "<path d=\"M0 0H%.1f\"/><rect x=\"%.1f\" y=\"-6\" width=\"26\" height=\"12\" rx=\"2\"/>", length,
                box_at - 13);
    else
        fprintf(out, "<path d=\"M0 0H%.1fl%.1f -4l%.1f 8l%.1f -8l%.1f 8l%.1f -4H%.1f\"/>", 0.5 * length - half,
                0.25 * half, 0.5 * half, 0.5 * half, 0.5 * half, 0.25 * half, length);
}

/* An element, a specimen, or the soil at a node; friction along a pile is two short lines beside it. */
static void put_link(drawer *d, const line *l)
{
    static const char *const class[] = {[LINE_ELEMENT] = "element",
                                        [LINE_SPECIMEN] = "specimen",
                                        [LINE_CARRIED] = "specimen carried",
                                        [LINE_SOIL] = "soil"};
    double p[2], q[2], ahead;
    double out = link_ends(d, l, p, q);
    double length = hypot(q[0] - p[0], q[1] - p[1]);
    bool friction = l->shape == LINE_SOIL && strstr(l->name, "t-z");
    put_title(d->out,
              phrase("<g class=\"%s\" transform=\"translate(%.1f %.1f) rotate(%.2f)\">", class[l->shape], p[0], p[1],
                     friction ? 0.0 : atan2(q[1] - p[1], q[0] - p[0]) * 180.0 / pi)
                  .text,
              l->name);
    if (friction)
        fputs("<path d=\"M5 -4v8m4 -8v8\"/>", d->out);
    else
        put_symbol(d->out, l->shape, length);
    if (out != 0.0)
        fprintf(d->out, "<path d=\"M0 0V%.1fM%.1f 0V%.1f\"/>", -out, length, -out);
    if (l->to < 0 && l->shape != LINE_CARRIED && !friction) {
        ahead = l->shape == LINE_SOIL ? 4 : 9;
        fprintf(d->out, "<path d=\"M%.1f -%.0fv%.0f", length, ahead, 2 * ahead);
        for (double y = 2 - ahead; y < ahead; y += 6)
            fprintf(d->out, "M%.1f %.0fl5 -4", length, y + 2);
        fputs("\"/>", d->out);
    }
    fputs("</g>\n", d->out);
    if (friction) {
        take_place(d, p[0], p[1] - 5, p[0] + 11, p[1] + 5);
        return;
    }
    take_stroke(d, p, q);
    ahead = l->shape == LINE_CARRIED ? 1.0 : 0.5;
    take_around(d, (double[2]){p[0] + ahead * (q[0] - p[0]), p[1] + ahead * (q[1] - p[1])}, 9.0);
    if (l->to < 0 && l->shape != LINE_CARRIED)
        take_around(d, q, 10.0);
}

static void name_link(drawer *d, const line *l)
{
    double p[2], q[2];
    link_ends(d, l, p, q);
    double x = l->shape == LINE_CARRIED ? 1.0 : 0.5;
    const double at[2] = {p[0] + x * (q[0] - p[0]), p[1] + x * (q[1] - p[1])};
    put_name(d, l->name, at, 14, l->shape == LINE_ELEMENT ? "name of-element" : "name tested");
}

/* An arrow that ends in a point, from a distance in its direction. */
static void put_arrow(drawer *d, const double from[2], const double to[2])
{
    double length = hypot(to[0] - from[0], to[1] - from[1]);
    if (!(length > 0.0))
        return;
    const double e[2] = {(to[0] - from[0]) / length, (to[1] - from[1]) / length};
    fprintf(d->out, "M%.1f %.1fL%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f", from[0], from[1], to[0], to[1],
            to[0] - 6 * e[0] - 3 * e[1], to[1] - 6 * e[1] + 3 * e[0], to[0], to[1], to[0] - 6 * e[0] + 3 * e[1],
            to[1] - 6 * e[1] - 3 * e[0]);
    take_stroke(d, from, to);
}

/* The direction on the page, of length 1, of a vector; false: it points to the reader. */
static bool on_page(const drawer *d, const double w[3], double e[2])
{
    double zero[3] = {0}, o[2], tip[2];
    structure_project(d->s, zero, o);
    structure_project(d->s, w, tip);
    double flat = hypot(tip[0], tip[1]);
    e[0] = flat > 0.0 ? tip[0] / flat : 0.0;
    e[1] = flat > 0.0 ? -tip[1] / flat : 0.0;
    return flat > 0.0;
}

/* Arrows of a member load along its direction, ending on the member, and its size. */
static void put_load(drawer *d, const line *l, bool name)
{
    const double *w = l->member->load;
    double e[2], p[2], q[2], at[2], from[2], size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    page(d, d->s->spot[l->from].at, p);
    page(d, d->s->spot[l->to].at, q);
    if (!on_page(d, w, e))
        return;
    if (name) {
        at[0] = 0.5 * (p[0] + q[0]) - (reach + 2) * e[0];
        at[1] = 0.5 * (p[1] + q[1]) - (reach + 2) * e[1];
        put_name(d, phrase("%.4g kN/m", 1e-3 * size).text, at, 4, "name of-load");
        return;
    }
    const double top[2][2] = {{p[0] - reach * e[0], p[1] - reach * e[1]}, {q[0] - reach * e[0], q[1] - reach * e[1]}};
    fprintf(d->out, "<path class=\"load\" d=\"M%.1f %.1fL%.1f %.1f", top[0][0], top[0][1], top[1][0], top[1][1]);
    take_stroke(d, top[0], top[1]);
    for (int k = 0; k < ARROWS; k++) {
        double x = (double)k / (ARROWS - 1);
        for (int i = 0; i < 2; i++) {
            at[i] = p[i] + x * (q[i] - p[i]) - 3 * e[i];
            from[i] = at[i] - (reach - 3) * e[i];
        }
        put_arrow(d, from, at);
    }
    fputs("\"/>\n", d->out);
}

/* The weight on a node: an arrow, above the load of members there, and its size. */
static void put_weight(drawer *d, const spot *p, bool name)
{
    double at[2];
    bool loaded = false;
    for (const line *l = d->s->line; l < d->s->line + d->s->lines; l++)
        loaded = loaded || (l->member && (&d->s->spot[l->from] == p || &d->s->spot[l->to] == p) &&
                            hypot(l->member->load[1], l->member->load[2]) > 0.0);
    page(d, p->at, at);
    const double tip[2] = {at[0], at[1] - (loaded ? reach : 4)}, from[2] = {at[0], tip[1] - reach};
    if (name) {
        put_name(d, quantity(p->down, "N").text, from, 4, "name of-load");
        return;
    }
    fputs("<path class=\"load weight\" d=\"", d->out);
    put_arrow(d, p->down > 0.0 ? from : tip, p->down > 0.0 ? tip : from);
    fputs("\"/>\n", d->out);
}

/* A force over time, a moment, or a roller on a slope. */
static void put_mark(drawer *d, const mark *m)
{
    double at[2], e[2];
    if (m->at < 0)
        return;
    page(d, d->s->spot[m->at].at, at);
    bool flat = on_page(d, m->along, e);
    if (m->kind == MARK_SLOPE) {
        double turn = atan2(e[0] < 0.0 ? -e[1] : e[1], fabs(e[0])) * 180.0 / pi;
        put_title(
            d->out,
            phrase("<g class=\"slope\" transform=\"translate(%.1f %.1f) rotate(%.2f)\">", at[0], at[1], turn).text,
            m->name);
        fputs("<path class=\"support\" d=\"M0 0l-7 12h14zm-12 15h24\"/></g>\n", d->out);
        take_around(d, at, 14.0);
        return;
    }
    put_title(d->out, "<g class=\"force\">", m->name);
    fputs("<path class=\"load\" d=\"", d->out);
    if (m->kind == MARK_FORCE && flat) { /* away from the structure: towards the point or from it */
        double from = e[0] > 0.0 && at[0] > d->v->x + 0.5 * d->v->width ? 6.0 : -reach - 8.0;
        put_arrow(d, (double[2]){at[0] + from * e[0], at[1] + from * e[1]},
                  (double[2]){at[0] + (from + reach) * e[0], at[1] + (from + reach) * e[1]});
    } else {
        fprintf(d->out, "M%.1f %.1fa11 11 0 1 1 -11 -11l-4 -4m4 4l-4 4", at[0] + 11, at[1]);
        take_around(d, at, 12.0);
    }
    fputs("\"/></g>\n", d->out);
}

static void put_points(drawer *d)
{
    enum { MANY = 200 };
    const structure *s = d->s;
    double at[2];
    for (int i = 0; i < s->spots; i++) {
        const spot *p = &s->spot[i];
        page(d, p->at, at);
        if (p->kind == SPOT_MASS) {
            put_title(d->out, "<g>", p->name);
            fprintf(d->out, "<rect class=\"mass\" x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"16\" rx=\"2\"/></g>\n",
                    at[0] - 8, at[1] - 8);
            take_around(d, at, 8.0);
        } else if (p->kind == SPOT_NODE) {
            fprintf(d->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">", p->master ? "master" : "node",
                    at[0], at[1],
                    p->master         ? "5"
                    : s->spots > MANY ? "1"
                                      : "2.4");
            put_title(d->out, "", p->name);
            fputs("</circle>\n", d->out);
            take_around(d, at, p->master ? 6.0 : 3.0);
        }
        if (p->fixed)
            put_support(d, p);
    }
}

static void put_line(drawer *d, const line *l)
{
    double p[2], q[2];
    page(d, d->s->spot[l->from].at, p);
    page(d, d->s->spot[l->to].at, q);
    if (l->shape == LINE_JOINT) {
        fprintf(d->out, "<path class=\"joint\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", p[0], p[1], q[0], q[1]);
        take_stroke(d, p, q);
        return;
    }
    double length = hypot(q[0] - p[0], q[1] - p[1]), out = fmin(0.2, 40.0 / fmax(length, 1.0)); /* beside a member */
    const double bow[2] = {0.5 * (p[0] + q[0]) + out * (q[1] - p[1]), 0.5 * (p[1] + q[1]) - out * (q[0] - p[0])};
    put_title(d->out, "<g class=\"tie equal\">", l->name);
    fprintf(d->out, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/></g>\n", p[0], p[1], bow[0], bow[1], q[0], q[1]);
    const double middle[2] = {0.25 * (p[0] + 2 * bow[0] + q[0]), 0.25 * (p[1] + 2 * bow[1] + q[1])};
    take_stroke(d, p, middle);
    take_stroke(d, middle, q);
}

/* What acts on the structure, or the names of it. */
static void put_loads(drawer *d, bool names)
{
    const structure *s = d->s;
    for (const line *l = s->line; l < s->line + s->lines; l++)
        if (l->member)
            put_load(d, l, names);
    for (const spot *p = s->spot; p < s->spot + s->spots; p++)
        if (p->down != 0.0)
            put_weight(d, p, names);
    for (const mark *m = s->mark; m < s->mark + s->marks && !names; m++)
        put_mark(d, m);
}

/* The most important first: specimens, nodes, loads, elements. */
static void put_names(drawer *d)
{
    const structure *s = d->s;
    enum { MOST_ELEMENTS = 60 };
    int elements = 0;
    double at[2];
    for (const line *l = s->line; l < s->line + s->lines; l++) {
        if (l->shape == LINE_SPECIMEN || l->shape == LINE_CARRIED)
            name_link(d, l);
        elements += l->shape == LINE_ELEMENT;
    }
    for (int kind = 1; kind >= 0; kind--) /* masters before nodes */
        for (int i = 0; i < s->spots; i++)
            if (s->spot[i].named && *s->spot[i].name && s->spot[i].master == (kind == 1)) {
                page(d, s->spot[i].at, at);
                put_name(d, s->spot[i].name, at, s->spot[i].kind == SPOT_MASS ? 14 : 8, "name");
            }
    if (!d->v->shape)
        put_loads(d, true);
    for (const line *l = s->line; l < s->line + s->lines && elements <= MOST_ELEMENTS; l++)
        if (l->shape == LINE_ELEMENT && l->name)
            name_link(d, l);
}

static void put_caption(drawer *d)
{
    const structure *s = d->s;
    const displaced *v = d->v->shape;
    const spot *where;
    char text[400] = "";
    if (v) {
        double most = displaced_largest(s, v, &where);
        int lost = displaced_lost(s, v);
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
    int room = (CURVE + 2) * s->lines + s->spots + s->marks;
    if (!d)
        return;
    *d = (drawer){.out = out, .s = s, .v = v, .room = room};
    d->stroke = ifd_arena_array(s->arena, (size_t)room, sizeof *d->stroke);
    d->room = d->stroke ? room : 0;
    fit(d);
    if (!v->shape)
        put_bodies(d);
    put_members(d, v->shape ? "member still" : "member", false);
    for (const line *l = s->line; l < s->line + s->lines; l++)
        if (l->shape == LINE_JOINT || (l->shape == LINE_TIE && !v->shape))
            put_line(d, l);
    for (const line *l = s->line; l < s->line + s->lines; l++)
        if (l->shape >= LINE_ELEMENT && l->shape <= LINE_SOIL)
            put_link(d, l);
    put_points(d);
    put_releases(d);
    if (!v->shape)
        put_loads(d, false);
    if (v->shape)
        put_members(d, "member moved", true);
    put_names(d);
    put_caption(d);
}

void picture_begin(FILE *out, double width, double height, const char *title, bool adapts)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
            "role=\"img\"><title>",
            width, height, width, height);
    ifd_html_print(title, out);
    fputs(adapts ? "</title><style>\n@media (prefers-color-scheme:dark){svg{filter:invert(.92) hue-rotate(180deg)}}\n"
                 : "</title><style>\n",
          out);
    fputs(
        "text{font:12px sans-serif;fill:#1f2937} .caption{fill:#4b5563} .tested{font-weight:bold;fill:#b45309}\n"
        ".of-element{fill:#1d4ed8} .of-load{fill:#6d28d9}\n"
        "path,rect,circle{fill:none;stroke:#1f2937;stroke-linecap:round;stroke-linejoin:round}\n"
        ".member{stroke-width:2.4} .shared{stroke-dasharray:4 4} .p0{stroke:#1f6fb4} .p1{stroke:#22774a}\n"
        ".p2{stroke:#8d4fb0} .p3{stroke:#856600} .p4{stroke:#b0335b} .p5{stroke:#566474}\n"
        ".still{stroke:#9ca3af;stroke-width:1.2} .moved{stroke:#1d4ed8;stroke-width:2.4}\n"
        ".node{fill:#1f2937;stroke:none} .mass{fill:#e5e7eb;stroke-width:1.4} .support{stroke-width:1.2}\n"
        ".moving{stroke:#0f766e;stroke-width:2} .release{fill:#fff;stroke-width:1.4} .spring{stroke-dasharray:2 3}\n"
        ".load{stroke:#6d28d9;stroke-width:1} .weight,.force .load{stroke-width:2}\n"
        ".joint{stroke:#6b7280;stroke-dasharray:5 4}\n"
        ".tie path{stroke:#0d9488;stroke-width:9;stroke-opacity:.22;fill:#0d9488;fill-opacity:.08}\n"
        ".equal path{stroke-width:1.6;stroke-opacity:1;stroke-dasharray:2 4;fill:none}\n"
        ".master{fill:#fff;stroke:#0d9488;stroke-width:2} .slope path{stroke:#0d9488}\n"
        ".element path{stroke:#1d4ed8;stroke-width:1.4} .specimen path{stroke:#b45309;stroke-width:2.4}\n"
        ".soil path{stroke:#92400e;stroke-width:1} .specimen rect{fill:#fde68a;stroke:#b45309;stroke-width:1.8}\n"
        "</style><rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n",
        out);
}

void picture_end(FILE *out)
{
    fputs("</svg>\n", out);
}

char *picture_text(ifd_arena *arena, const ifd_case *c, size_t *length)
{
    enum { WIDTH = 900, MOST = 20000 };
    structure s;
    char *text = NULL, *kept = NULL;
    *length = 0;
    FILE *out = structure_take(arena, c, &s) && s.lines <= MOST ? open_memstream(&text, length) : NULL;
    if (!out)
        return NULL;
    const picture_view v = {.width = WIDTH, .height = picture_height(&s, NULL, WIDTH)};
    picture_begin(out, v.width, v.height, *c->title ? c->title : c->path, false);
    picture_put(out, &s, &v);
    picture_end(out);
    if (fclose(out) == 0 && (kept = ifd_arena_take(arena, *length)))
        memcpy(kept, text, *length);
    free(text);
    return kept;
}
