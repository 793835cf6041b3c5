/* SPDX-License-Identifier: MIT */
#include "chart.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEFT = 62, RIGHT = 20, TOP = 24, KEY = 16, BOTTOM = 40, MOST_LOOP_POINTS = 4000 };

void html_put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    ifd_html_print(text, out);
    fputs(after, out);
}

/* One axis: data from low to high onto pixels from a to b. */
typedef struct axis {
    double low, high, factor;
    int a, b;
    bool log;
    double fixed; /* logarithmic: where it begins, whatever the data */
} axis;

static double place(const axis *x, double value)
{
    double v = value * x->factor;
    double s = x->log ? log(fmax(v, x->low) / x->low) / log(x->high / x->low) : (v - x->low) / (x->high - x->low);
    return x->a + s * (x->b - x->a);
}

static void widen(axis *x, const double *value, long count)
{
    for (long i = 0; i < count; i++) {
        double v = value[i] * x->factor;
        if (!isfinite(v) || (x->log && v <= 0))
            continue;
        x->low = fmin(x->low, v);
        x->high = fmax(x->high, v);
    }
}

/* 1, 2 or 5 times a power of ten, so that about `count` of them fit. */
static double nice_step(double span, int count)
{
    double raw = span / count, power = pow(10.0, floor(log10(raw))), m = raw / power;
    return power * (m <= 1.0 ? 1.0 : m <= 2.0 ? 2.0 : m <= 5.0 ? 5.0 : 10.0);
}

static void settle_axis(axis *x, bool room)
{
    if (!(x->high >= x->low)) {
        x->low = x->log ? 0.1 : -1.0;
        x->high = 1.0;
    }
    if (x->log) {
        x->low = x->fixed > 0 ? x->fixed : pow(10.0, floor(log10(x->low) + 1e-9));
        x->high = pow(10.0, ceil(log10(x->high) - 1e-9));
        x->high = x->high > x->low ? x->high : 10.0 * x->low;
        return;
    }
    double size = fmax(fabs(x->low), fabs(x->high)), least = size > 0 ? 1e-9 * size : 1.0;
    if (x->high - x->low < least) {
        x->low -= least;
        x->high += least;
    }
    if (room) {
        double step = nice_step(x->high - x->low, 5);
        x->low = step * floor(x->low / step + 1e-9);
        x->high = step * ceil(x->high / step - 1e-9);
    }
}

/* As many digits as tell one tick from the next; powers of ten beyond a thousand as such. */
static void put_number(FILE *out, const axis *me, double v, double step)
{
    if (me->log) {
        int power = (int)lround(log10(v));
        if (power > 3 || power < -3)
            fprintf(out, "10<tspan class=power dy=\"-4\">%d</tspan>", power);
        else
            fprintf(out, "%g", v);
        return;
    }
    int digits = step < 1.0 ? (int)ceil(-log10(step) - 1e-9) : 0;
    if (fabs(v) < 1e-9 * step)
        fputs("0", out);
    else if (digits <= 7 && fabs(v) < 1e6)
        fprintf(out, "%.*f", digits, v);
    else
        fprintf(out, "%.4g", v);
}

static void put_tick(FILE *out, const axis *x, const axis *y, double v, double step, bool across)
{
    double p = place(across ? x : y, v / (across ? x : y)->factor);
    if (across) {
        fprintf(out, "<line class=grid x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" />", p, p, y->a, y->b);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=middle>", p, y->a + 15);
    } else {
        fprintf(out, "<line class=grid x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" />", x->a, x->b, p, p);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=end>", x->a - 6, p + 4);
    }
    put_number(out, across ? x : y, v, step);
    fputs("</text>", out);
}

static void put_ticks(FILE *out, const axis *x, const axis *y, bool across)
{
    const axis *me = across ? x : y;
    if (me->log) {
        for (double v = pow(10.0, ceil(log10(me->low) - 1e-9)); v <= me->high * 1.0001; v *= 10.0)
            put_tick(out, x, y, v, 1.0, across);
        return;
    }
    double step = nice_step(me->high - me->low, across ? 6 : 5);
    for (double k = ceil(me->low / step - 1e-9); k * step <= me->high + 1e-9 * step; k++)
        put_tick(out, x, y, k * step, step, across);
}

/* Extremes of each pixel, in the order they came: no peak is lost however long the record. */
static void put_rising(FILE *out, const chart_curve *c, const axis *x, const axis *y)
{
    for (long i = 0; i < c->count;) {
        long least = -1, most = -1;
        int pixel = (int)place(x, c->x[i]);
        long j = i;
        for (; j < c->count && (int)place(x, c->x[j]) == pixel; j++) {
            if (!isfinite(c->y[j]))
                continue;
            least = least < 0 || c->y[j] < c->y[least] ? j : least;
            most = most < 0 || c->y[j] > c->y[most] ? j : most;
        }
        long first = least < most ? least : most, second = least < most ? most : least;
        if (first >= 0)
            fprintf(out, "%.1f,%.1f ", place(x, c->x[first]), place(y, c->y[first]));
        if (second > first)
            fprintf(out, "%.1f,%.1f ", place(x, c->x[second]), place(y, c->y[second]));
        i = j;
    }
}

static void put_loop(FILE *out, const chart_curve *c, const axis *x, const axis *y)
{
    double last_x = -1, last_y = -1;
    long every = c->count / MOST_LOOP_POINTS + 1;
    for (long i = 0; i < c->count; i += every) {
        if (!isfinite(c->x[i]) || !isfinite(c->y[i]))
            continue;
        double px = place(x, c->x[i]), py = place(y, c->y[i]);
        if (fabs(px - last_x) + fabs(py - last_y) < 0.7)
            continue;
        fprintf(out, "%.1f,%.1f ", px, py);
        last_x = px;
        last_y = py;
    }
}

static bool has_legend(const chart *c)
{
    for (int k = 0; k < c->curves; k++)
        if (c->curve[k].name)
            return true;
    return false;
}

/* Names in a row below the title; what does not fit is left out rather than drawn over. */
static void put_legend(FILE *out, const chart *c, int width)
{
    double x = LEFT;
    for (int k = 0; k < c->curves; k++) {
        double room = c->curve[k].name ? 6.3 * (double)strlen(c->curve[k].name) + 12.0 : 0.0;
        if (room == 0.0 || x + room > width + 12)
            continue;
        fprintf(out, "<text class=\"key k%d\" x=\"%.0f\" y=\"31\">", k, x);
        html_put(out, "", c->curve[k].name, "</text>");
        x += room;
    }
}

void chart_put(FILE *out, const chart *c)
{
    int width = c->width ? c->width : 460, height = c->height ? c->height : 240;
    axis x = {DBL_MAX, -DBL_MAX, c->x_factor != 0 ? c->x_factor : 1.0, LEFT, width - RIGHT, c->log_x, 0};
    axis y = {
        DBL_MAX,  -DBL_MAX, c->y_factor != 0 ? c->y_factor : 1.0, height - BOTTOM, TOP + (has_legend(c) ? KEY : 0),
        c->log_y, c->y_low};
    bool rising = true;
    for (int k = 0; k < c->curves; k++) {
        widen(&x, c->curve[k].x, c->curve[k].count);
        widen(&y, c->curve[k].y, c->curve[k].count);
        rising = rising && c->curve[k].rising;
    }
    settle_axis(&x, !rising);
    settle_axis(&y, true);
    fprintf(out, "<svg class=chart viewBox=\"0 0 %d %d\" role=img aria-label=\"", width, height);
    ifd_html_print(c->title, out);
    html_put(out, "\"><title>", c->title, "</title>");
    put_ticks(out, &x, &y, true);
    put_ticks(out, &x, &y, false);
    fprintf(out, "<text class=head x=\"%d\" y=\"15\">", LEFT);
    ifd_html_print(c->title, out);
    fprintf(out, "</text><text x=\"%d\" y=\"%d\" text-anchor=middle>", (LEFT + width - RIGHT) / 2, height - 7);
    ifd_html_print(c->x_label, out);
    fprintf(out, "</text><text transform=\"translate(13 %d) rotate(-90)\" text-anchor=middle>",
            (TOP + height - BOTTOM) / 2);
    html_put(out, "", c->y_label, "</text>");
    for (int k = 0; k < c->curves; k++) {
        fprintf(out, "<polyline class=\"line k%d\" points=\"", k);
        if (c->curve[k].rising)
            put_rising(out, &c->curve[k], &x, &y);
        else
            put_loop(out, &c->curve[k], &x, &y);
        fputs("\" />", out);
    }
    put_legend(out, c, width);
    fputs("</svg>\n", out);
}
