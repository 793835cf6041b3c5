/* SPDX-License-Identifier: MIT */
/* Draws curves as SVG inside a page. */
#include "chart.h"

#include <float.h>
#include <math.h>

enum { HEIGHT = 150, MOST_LOOP_POINTS = 4000, LABELS_ON_A_PHONE = 6 };

void html_put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    ifd_html_print(text, out);
    fputs(after, out);
}

/* One axis: data from low to high onto coordinates from a to b. */
typedef struct axis {
    double low, high, factor;
    int a, b;
    bool log;
    double fixed; /* logarithmic: its start, independent of the data */
    int ticks;    /* approximate number */
    bool numbers; /* beside the ticks */
} axis;

/* 0 at the low end to 1 at the high end. */
static double share(const axis *x, double v)
{
    return x->log ? log(fmax(v, x->low) / x->low) / log(x->high / x->low) : (v - x->low) / (x->high - x->low);
}

static double place(const axis *x, double value)
{
    return x->a + share(x, value * x->factor) * (x->b - x->a);
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
        double step = nice_step(x->high - x->low, x->ticks);
        x->low = step * floor(x->low / step + 1e-9);
        x->high = step * ceil(x->high / step - 1e-9);
    }
}

static void put_power(FILE *out, int power)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", power < 0 ? -power : power);
    fputs(power < 0 ? "10\u207b" : "10", out);
    for (const char *d = digits; *d; d++)
        fputs(raised[*d - '0'], out);
}

/* Enough digits to distinguish adjacent ticks; powers of ten above a thousand in that form. */
static void put_number(FILE *out, const axis *me, double v, double step)
{
    if (me->log) {
        int power = (int)lround(log10(v));
        if (power > 3 || power < -3)
            put_power(out, power);
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

/* minor: its number is omitted if there is not enough space for all. */
static void put_tick(FILE *out, const axis *me, double v, double step, bool across, bool minor)
{
    double p = 100.0 * share(me, v);
    if (across) {
        fprintf(out, "<line class=grid x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\" />", p, p);
        if (!me->numbers)
            return;
        fprintf(out, "<text%s x=\"%.2f%%\" y=\"100%%\" dy=\"16\" text-anchor=middle>", minor ? " class=minor" : "",
                p);
    } else {
        fprintf(out, "<line class=grid x1=\"0\" x2=\"100%%\" y1=\"%.2f%%\" y2=\"%.2f%%\" />", 100.0 - p, 100.0 - p);
        fprintf(out, "<text x=\"-7\" y=\"%.2f%%\" dy=\"4\" text-anchor=end>", 100.0 - p);
    }
    put_number(out, me, v, step);
    fputs("</text>", out);
}

static void put_ticks(FILE *out, const axis *me, bool across)
{
    if (me->log) {
        int decades = (int)lround(log10(me->high / me->low)), every = across ? 1 : decades / me->ticks + 1, k = 0;
        for (double v = pow(10.0, ceil(log10(me->low) - 1e-9)); v <= me->high * 1.0001; v *= 10.0, k++)
            if (k % every == 0)
                put_tick(out, me, v, 1.0, across, false);
        return;
    }
    double step = nice_step(me->high - me->low, me->ticks);
    long first = lround(ceil(me->low / step - 1e-9)), last = lround(floor(me->high / step + 1e-9));
    long every = (last - first + LABELS_ON_A_PHONE) / LABELS_ON_A_PHONE;
    for (long k = first; k <= last; k++)
        put_tick(out, me, (double)k * step, step, across, k % (every > 0 ? every : 1) != 0);
}

/* Extremes of each pixel in their order, so that no peak is lost in a long record. */
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
        if (fabs(px - last_x) + fabs(py - last_y) < 1.0)
            continue;
        fprintf(out, "%.1f,%.1f ", px, py);
        last_x = px;
        last_y = py;
    }
}

static int colour_of(const chart_curve *c, int position)
{
    return (c->colour ? c->colour - 1 : position) % CHART_CURVES;
}

/* Title and names of the curves above the plot, in as many lines as needed. */
static void put_caption(FILE *out, const chart *c)
{
    html_put(out, "<figcaption><b>", c->title, "</b>");
    for (int k = 0; k < c->curves; k++) {
        if (!c->curve[k].name)
            continue;
        fprintf(out, " <span class=\"key k%d%s\">", colour_of(&c->curve[k], k),
                c->curve[k].line == LINE_DASHED ? " dash" : "");
        html_put(out, "", c->curve[k].name, "</span>");
    }
    fputs("</figcaption>", out);
}

static void put_points(FILE *out, const chart_curve *c, const axis *x, const axis *y)
{
    for (long i = 0; i < c->count; i++)
        if (isfinite(c->x[i]) && isfinite(c->y[i]))
            fprintf(out, "M%.1f %.1fh.01", place(x, c->x[i]), place(y, c->y[i]));
}

/* Along y and back along the other edge. */
static void put_band(FILE *out, const chart_curve *c, const axis *x, const axis *y)
{
    char move = 'M';
    for (int back = 0; back < 2; back++)
        for (long k = 0; k < c->count; k++) {
            long i = back ? c->count - 1 - k : k;
            if (!isfinite(c->x[i]) || !isfinite(c->y[i]) || !isfinite(c->end[i]))
                continue;
            fprintf(out, "%c%.1f %.1f", move, place(x, c->x[i]), place(y, back ? c->end[i] : c->y[i]));
            move = 'L';
        }
    if (move == 'L')
        fputc('Z', out);
}

static void put_bars(FILE *out, const chart_curve *c, const axis *x, const axis *y)
{
    for (long i = 0; i < c->count; i++)
        if (isfinite(c->x[i]) && isfinite(c->end[i]))
            fprintf(out, "M%.1f %.1fV%.1fH%.1fV%.1fZ", place(x, c->x[i]), place(y, c->y[i] - 0.3),
                    place(y, c->y[i] + 0.3), place(x, c->end[i]), place(y, c->y[i] - 0.3));
}

static void put_path(FILE *out, const chart_curve *c, int position, const axis *x, const axis *y)
{
    static void (*const put[])(FILE *, const chart_curve *, const axis *, const axis *) = {
        [CHART_POINTS] = put_points, [CHART_BAND] = put_band, [CHART_BARS] = put_bars};
    static const char *const class[] = {[CHART_LINE] = "line",
                                        [CHART_THIN] = "thin",
                                        [CHART_POINTS] = "dots",
                                        [CHART_BAND] = "band",
                                        [CHART_BARS] = "bars"};
    bool line = c->style == CHART_LINE || c->style == CHART_THIN;
    fprintf(out, "<%s class=\"%s k%d%s\" %s=\"", line ? "polyline" : "path", class[c->style], colour_of(c, position),
            c -> line == LINE_DASHED ? " dash" : "", line ? "points" : "d");
    if (!line)
        put[c->style](out, c, x, y);
    else if (c->rising)
        put_rising(out, c, x, y);
    else
        put_loop(out, c, x, y);
    fputs("\" />", out);
}

/* A curve widens both axes; the second edge of a band the vertical one, the other end of bars the horizontal one. */
static void widen_by(axis *x, axis *y, const chart_curve *c)
{
    widen(x, c->x, c->count);
    widen(y, c->y, c->count);
    if (c->style == CHART_BAND)
        widen(y, c->end, c->count);
    if (c->style == CHART_BARS)
        widen(x, c->end, c->count);
}

static void settle_axes(const chart *c, axis *x, axis *y)
{
    bool rising = true;
    for (int k = 0; k < c->curves; k++) {
        widen_by(x, y, &c->curve[k]);
        rising = rising && c->curve[k].rising;
    }
    for (long k = 0; k < c->many; k++)
        widen_by(x, y, &c->more[k]);
    if (c->x_to > c->x_from) {
        x->low = c->x_from * x->factor;
        x->high = c->x_to * x->factor;
    }
    if (c->y_to > c->y_from) {
        y->low = c->y_from * y->factor;
        y->high = c->y_to * y->factor;
    }
    double tick = rising && !x->log && x->high > x->low ? nice_step(x->high - x->low, x->ticks) : 0;
    double next = tick > 0 ? tick * ceil(x->high / tick - 1e-9) : 0;
    if (next > x->high && next - x->high < 0.01 * (x->high - x->low))
        x->high = next; /* a test ends one tick before its end; the axis does not */
    settle_axis(x, !rising);
    settle_axis(y, c->rows == 0);
}

void chart_put(FILE *out, const chart *c)
{
    int height = c->height ? c->height : HEIGHT;
    axis x = {DBL_MAX,          -DBL_MAX, c->x_factor != 0 ? c->x_factor : 1.0, 0, CHART_WIDE, c->log_x, 0,
              c->half ? 7 : 14, !c->open};
    axis y = {DBL_MAX,
              -DBL_MAX,
              c->y_factor != 0 ? c->y_factor : 1.0,
              CHART_HIGH,
              0,
              c->log_y,
              c->y_low,
              height > 170 ? 7 : 5,
              true};
    settle_axes(c, &x, &y);
    fprintf(out, "<figure class=\"chart%s%s\">", c->half ? " half" : "", c->open ? " open" : "");
    put_caption(out, c);
    fprintf(out, "<svg class=plot height=\"%d\" role=img aria-label=\"", height);
    ifd_html_print(c->title, out);
    fputs("\"><rect class=frame width=\"100%\" height=\"100%\" />", out);
    put_ticks(out, &x, true);
    for (int k = 0; k < c->rows; k++) { /* names of rows in place of numbers */
        fprintf(out, "<text x=\"-7\" y=\"%.2f%%\" dy=\"4\" text-anchor=end>", 100.0 - 100.0 * share(&y, k));
        html_put(out, "", c->row[k], "</text>");
    }
    if (!c->rows)
        put_ticks(out, &y, false);
    if (!c->open)
        html_put(out, "<text x=\"50%\" y=\"100%\" dy=\"33\" text-anchor=middle>", c->x_label, "</text>");
    fprintf(out, "<text transform=\"translate(-55 %d) rotate(-90)\" text-anchor=middle>", height / 2);
    html_put(out, "", c->y_label, "</text>");
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" height=\"100%%\" preserveAspectRatio=none>", CHART_WIDE,
            CHART_HIGH);
    for (long k = 0; k < c->many; k++)
        put_path(out, &c->more[k], 0, &x, &y);
    for (int k = 0; k < c->curves; k++)
        put_path(out, &c->curve[k], k, &x, &y);
    fputs("</svg></svg></figure>\n", out);
}
