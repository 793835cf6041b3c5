/* SPDX-License-Identifier: MIT */
/* Stability over a range of settings. */
#include <math.h>
#include <string.h>

#include "analysis/stability.h"

/* A copy of the options with one changed setting; opt is not changed. */
typedef struct varied {
    ifd_run_options run;
    ifd_couple_options couple;
    ifd_part_options *part;
} varied;

static bool copy_options(ifd_arena *arena, const ifd_run_options *opt, varied *v)
{
    v->run = *opt;
    if (!opt->couple)
        return true;
    size_t parts = (size_t)opt->couple->parts;
    v->couple = *opt->couple;
    v->part = ifd_arena_array(arena, parts, sizeof *v->part);
    if (!v->part)
        return false;
    memcpy(v->part, opt->couple->part, parts * sizeof *v->part);
    v->couple.part = v->part;
    v->run.couple = &v->couple;
    return true;
}

/* The fine substructures: those not marked coarse; without marks, all but the first with the fewest subcycles. */
static bool is_fine(const ifd_couple_options *c, int p)
{
    int first = 0;
    bool marked = false;
    for (int i = 0; i < c->parts; i++) {
        marked = marked || c->part[i].coarse;
        first = c->part[i].subcycles < c->part[first].subcycles ? i : first;
    }
    return marked ? !c->part[p].coarse : p != first;
}

static ifd_status set_subcycles(varied *v, const ifd_run_options *opt, double value, ifd_note *note)
{
    if (!opt->couple)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "ss is a setting of coupled substructures; this case has one model");
    if (!(value >= 1.0) || value > 1e6 || value != rint(value))
        return ifd_note_add(note, IFD_RANGE, NULL, "ss is %g; expected an integer of at least 1", value);
    for (int p = 0; p < v->couple.parts; p++)
        if (is_fine(opt->couple, p))
            v->part[p].subcycles = (int)value;
    return IFD_OK;
}

static ifd_status set_parameter(varied *v, const char *name, double value, ifd_note *note)
{
    bool any = false;
    if (!v->run.couple)
        any = ifd_step_options_set(&v->run.step, name, ifd_number(value));
    for (int p = 0; v->run.couple && p < v->couple.parts; p++)
        any = ifd_step_options_set(&v->part[p].step, name, ifd_number(value)) || any;
    if (any)
        return IFD_OK;
    return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                        "'%s' cannot be swept; expected dt, omega, ss or a parameter of the method", name);
}

ifd_status ifd__stability_range(const ifd_run_options *opt, ifd__range *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_run_options rest;
    ifd__probed_run p = {0};
    ifd_assembly map;
    ifd__exact exact = {0};
    ifd_status status = scratch ? ifd__probe_options(scratch, opt, &rest) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = ifd__probe_run(scratch, &rest, &p, note);
    const ifd_model *m = opt->couple ? NULL : rest.model;
    if (status == IFD_OK && opt->couple) {
        status = ifd_couple_assemble(scratch, rest.couple, &map, note);
        m = map.model;
    }
    if (status == IFD_OK)
        status = ifd__exact_make(scratch, m, NULL, &exact, note);
    double h = opt->couple ? opt->couple->h : opt->step.h;
    *out = (ifd__range){.highest = exact.highest, .ratio = status == IFD_OK ? p.coarse / h : 1.0};
    for (int j = 0; j < exact.count && out->lowest == 0.0; j++)
        out->lowest = exact.imag[j] > 0.0 ? hypot(exact.real[j], exact.imag[j]) : 0.0;
    if (p.run)
        ifd_run_close(p.run);

    if (status == IFD_OK && out->lowest == 0.0)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "no mode of the structure oscillates: omega is not defined");
    return status;
}

static ifd_status set(varied *v, const ifd_run_options *opt, const char *what, double value, const ifd__range *r,
                      ifd_note *note)
{
    if (strcmp(what, "ss") == 0)
        return set_subcycles(v, opt, value, note);
    bool dt = strcmp(what, "dt") == 0;
    if (!dt && strcmp(what, "omega") != 0)
        return set_parameter(v, what, value, note);
    if (!(value > 0.0) || !isfinite(value))
        return ifd_note_add(note, IFD_RANGE, NULL, "%s is %g; expected a positive number", what, value);
    *(v->run.couple ? &v->couple.h : &v->run.step.h) = dt ? value : value / (r->lowest * r->ratio);
    return IFD_OK;
}

static ifd_status one_row(ifd_arena *arena, const ifd_run_options *opt, const char *what, const ifd__range *r,
                          ifd_stability_row *row, ifd_note *note)
{
    varied v;
    ifd_stability s;
    IFD__HAVE(copy_options(arena, opt, &v));
    IFD_TRY(set(&v, opt, what, row->value, r, note));
    IFD_TRY(ifd_stability_find(arena, &v.run, &s, note));
    const ifd_stability_mode *m = s.modes && s.mode[0].resolved ? &s.mode[0] : NULL;
    *row = (ifd_stability_row){.value = row->value,
                               .step = s.step,
                               .omega = s.omega,
                               .radius = s.radius,
                               .stable = s.stable,
                               .ones = s.ones,
                               .zeros = s.zeros,
                               .spurious = s.spurious,
                               .damping = m ? m->damping : (double)NAN,
                               .frequency_error = m ? m->frequency_error : (double)NAN};
    return IFD_OK;
}

ifd_status ifd_stability_sweep(const ifd_run_options *opt, const char *what, int count, const double *value,
                               ifd_stability_row *rows, ifd_note *note)
{
    ifd__range r = {0.0, 0.0, 1.0};
    if (strcmp(what, "omega") == 0)
        IFD_TRY(ifd__stability_range(opt, &r, note));
    for (int k = 0; k < count; k++) {
        ifd_arena *own IFD__CLOSED = ifd_arena_open();
        rows[k].value = value[k];
        IFD_TRY(own ? one_row(own, opt, what, &r, &rows[k], note) : IFD_NO_MEMORY);
    }
    return IFD_OK;
}
