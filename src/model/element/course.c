/* SPDX-License-Identifier: MIT */
#include "model/element/course.h"

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
    double *level = ifd_arena_array(arena, 2 * (size_t)out->rows, sizeof *level);
    if (!level)
        return IFD_NO_MEMORY;
    memcpy(level, rows->given ? rows->data : first, 2 * (size_t)out->rows * sizeof *level);
    out->level = level;
    return check_times(e, of->rows, out, &rows->place, note);
}

int ifd__course_row(const ifd__course *s, double t)
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

double ifd__course_held(const ifd__course *s, double t)
{
    return s->level[2 * ifd__course_row(s, t) + 1];
}

double ifd__course_linear(const ifd__course *s, double t, double *slope)
{
    int i = ifd__course_row(s, t);
    const double *at = s->level + 2 * i;
    *slope = 0.0;
    if (i == s->rows - 1 || t < at[0])
        return at[1];
    *slope = (at[3] - at[1]) / (at[2] - at[0]);
    return at[1] + *slope * (t - at[0]);
}

double ifd__course_root(const ifd__course *s, double t)
{
    int i = ifd__course_row(s, t);
    double since = i > 0 ? t - s->level[2 * i] : HUGE_VAL,
           until = i < s->rows - 1 ? s->level[2 * i + 2] - t : HUGE_VAL;
    return i % 2 ? -fmin(since, until) : fmin(since, until);
}

ifd_status ifd__voltage_make(const ifd_element *e, const ifd_param *params, const ifd_value *values, ifd_arena *arena,
                             ifd__voltage *out, ifd_note *note)
{
    const ifd__course_params of = {params, "schedule", "voltage", "V"};
    out->eta = ifd__element_number(params, values, "eta");
    out->most = ifd__element_number(params, values, "max-voltage");
    return ifd__course_make(e, &of, values, arena, &out->level, note);
}

double ifd__voltage_at(const ifd__voltage *v, double t)
{
    return fmax(0.0, fmin(ifd__course_held(&v->level, t), v->most));
}
