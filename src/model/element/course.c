/* SPDX-License-Identifier: MIT */
/* A quantity of an element over time, by rows or constant. */
#include "model/element/course.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 1000000 };

static ifd_status check_times(const ifd_element *e, const char *name, const ifd__course *s, const ifd_place *place,
                              ifd_note *note)
{
    for (int i = 1; i < s->rows; i++)
        if (!(s->level[2 * i] > s->level[2 * i - 2]))
            return ifd_note_add(note, IFD_RANGE, place,
                                "element '%s': the times of '%s' are not ascending (%g s after %g s)", e->name, name,
                                s->level[2 * i], s->level[2 * i - 2]);
    if (s->level[0] > 0.0)
        return ifd_note_add(note, IFD_RANGE, place,
                            "element '%s': '%s' begins at %g s; expected a first row at time 0", e->name, name,
                            s->level[0]);
    return IFD_OK;
}

ifd_status ifd__course_make(const ifd_element *e, const ifd__course_params *of, const ifd_value *values,
                            ifd_arena *arena, ifd__course *out, ifd_note *note)
{
    const ifd_value *rows = ifd_param_get(of->params, values, of->rows),
                    *constant = ifd_param_get(of->params, values, of->constant);
    double first[2] = {0.0, constant->number};
    if (rows->given && constant->given)
        return ifd_note_add(note, IFD_CONFLICT, &rows->place,
                            "element '%s' has both '%s' and '%s'; expected one of them", e->name, of->constant,
                            of->rows);
    if (rows->given && (rows->rows < 1 || rows->rows > MOST_ROWS || rows->cols != 2))
        return ifd_note_add(note, IFD_SHAPE, &rows->place,
                            "element '%s': '%s' has %d rows of %d numbers; expected 1 to %d rows [time, %s]", e->name,
                            of->rows, rows->rows, rows->cols, MOST_ROWS, of->unit);
    out->rows = rows->given ? rows->rows : 1;
    double *level;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(level, 2 * (size_t)out->rows)));
    memcpy(level, rows->given ? rows->data : first, 2 * (size_t)out->rows * sizeof *level);
    out->level = level;
    return check_times(e, of->rows, out, &rows->place, note);
}

/* The last row at or before t; the first row before its time. */
IFD_RT static int row_at(const ifd__course *s, double t)
{
    int low = 0;
    for (int high = s->rows; high - low > 1;) {
        int middle = low + (high - low) / 2;
        if (s->level[2 * middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double ifd__course_linear(const ifd__course *s, double t, double *slope)
{
    int i = row_at(s, t);
    const double *at = s->level + 2 * i;
    *slope = 0.0;
    if (i == s->rows - 1 || t < at[0])
        return at[1];
    *slope = (at[3] - at[1]) / (at[2] - at[0]);
    return at[1] + *slope * (t - at[0]);
}

double ifd__course_jump(const ifd__course *s, double t)
{
    int i = row_at(s, t);
    return i < s->rows - 1 ? s->level[2 * i + 2] : HUGE_VAL;
}

ifd_status ifd__voltage_make(ifd_element *e, const ifd_param *params, const ifd_value *values, ifd_arena *arena,
                             ifd__voltage *out, ifd_note *note)
{
    const ifd__course_params of = {params, "schedule", "voltage", "V"};
    const ifd_value *law = ifd_param_get(params, values, "law"), *other = ifd_param_get(params, values, "voltage");
    if (!other->given)
        other = ifd_param_get(params, values, "schedule");
    if (law->given && other->given)
        return ifd_note_add(note, IFD_CONFLICT, &other->place,
                            "element '%s' has both 'control' and '%s'; expected one of them", e->name,
                            ifd_param_get(params, values, "voltage")->given ? "voltage" : "schedule");
    IFD_TRY(ifd__course_make(e, &of, values, arena, &out->level, note));
    IFD_TRY(ifd__control_make(e, law, out->own, arena, &out->law, note));
    e->ns = out->own + out->law.ns;
    return IFD_OK;
}

double ifd__voltage_limited(const ifd__voltage *v, double V)
{
    return fmax(0.0, fmin(V, v->most));
}

double ifd__voltage_at(const ifd__voltage *v, const ifd_element_in *in)
{
    if (v->law.nin)
        return ifd__voltage_limited(v, ifd__control_output(&v->law, in));
    return ifd__voltage_limited(v, v->level.level[2 * row_at(&v->level, in->t) + 1]); /* held until the next row */
}

void ifd__voltage_rates(const ifd__voltage *v, const ifd_element *e, const ifd_element_in *in, int w,
                        const ifd_element_out *out)
{
    if (out->g)
        out->g[w] = -v->eta * (in->s[w] - ifd__voltage_at(v, in));
    if (out->g_s)
        out->g_s[w + w * e->ns] = -v->eta;
    if (!v->law.nin)
        return;
    double V = ifd__control_output(&v->law, in);
    ifd__control_rates(&v->law, e, in, out);
    if (V > 0.0 && V < v->most)
        ifd__control_gradient(&v->law, e, w, v->eta, out);
}

int ifd__voltage_roots(const ifd__voltage *v)
{
    return v->law.nin ? 2 : 0;
}

void ifd__voltage_events(const ifd__voltage *v, const ifd_element_in *in, double *root)
{
    if (!v->law.nin)
        return;
    root[0] = ifd__control_output(&v->law, in);
    root[1] = root[0] - v->most;
}
