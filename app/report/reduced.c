/* SPDX-License-Identifier: MIT */
/* Superelements of a report: facts and transfer functions, reduced against full. */
#include "report.h"

#include <math.h>

enum { MOST_SHOWN = 3 };

static const double *differences(const report *r, const ifd_superelement_curve *c)
{
    double *y = ifd_arena_array(r->a->arena, (size_t)c->count, sizeof *y);
    double most = 0.0;
    for (int i = 0; i < c->count; i++)
        most = fmax(most, c->reduced[i]);
    for (int i = 0; i < c->count && y; i++)
        y[i] = fmax(fabs(c->reduced[i] - c->full[i]), 1e-14 * most);
    return y;
}

static void add(chart *c, const char *name, const ifd_superelement_curve *k, const double *y)
{
    bool reference = c->curves % 2 == 1;
    c->curve[c->curves++] = (chart_curve){.name = name,
                                          .count = k->count,
                                          .x = k->frequency,
                                          .y = y,
                                          .rising = true,
                                          .line = reference ? LINE_DASHED : LINE_SOLID};
}

static void draw(const report *r, const ifd_superelement_curve *k)
{
    double *bound = ifd_arena_array(r->a->arena, (size_t)k->count, sizeof *bound);
    const double *off = k->full ? differences(r, k) : NULL;
    const char *title = ifd_arena_print(r->a->arena, "from %s to displacement of %s", k->input_name, k->output_name);
    chart c = {.title = title ? title : k->output_name,
               .x.label = "frequency [Hz]",
               .y.label = "size [SI units]",
               .y.log = true};
    if (!bound)
        return;
    for (int i = 0; i < k->count; i++)
        bound[i] = k->bound;
    add(&c, "reduced model", k, k->reduced);
    if (off) {
        add(&c, "full model", k, k->full);
        add(&c, "difference", k, off);
    }
    add(&c, "error bound", k, bound);
    chart_put(r->a, r->out, &c);
}

static void put_model(const report *r, int part, const ifd_superelement *s)
{
    const ifd_reduced *found = ifd_model_reduced(case_part(r->c, part));
    const char *name = case_part_name(r->c, part);
    const char *text = ifd_arena_print(
        r->a->arena,
        "%d dofs reduced to %d, of which %d are interface dofs; error at most %.2g of the peak up to %g Hz%s",
        found->full, found->order, found->interfaces, found->bound, found->frequency,
        found->bound > 1.0 ? ": the accuracy is not proven" : "");
    fputs("<div class=facts>", r->out);
    report_fact(r, name, text);
    fputs("</div><div class=charts>", r->out);
    for (int i = 0; i < ifd_superelement_interfaces(s) && i < MOST_SHOWN; i++) {
        ifd_superelement_curve curve;
        if (ifd_superelement_transfer(r->a->arena, s, i, &curve) == IFD_OK)
            draw(r, &curve);
    }
    fputs("</div>", r->out);
}

void report_reduced(const report *r)
{
    int parts = r->c ? case_parts(r->c) : 0, shown = 0;
    for (int p = 0; p < parts; p++) {
        const ifd_model *m = case_part(r->c, p);
        const ifd_superelement *s = m ? ifd_model_superelement(m) : NULL;
        if (!s)
            continue;
        if (!shown++)
            report_begin(r, "Superelements", "superelements", false);
        put_model(r, p, s);
    }
    if (shown)
        report_end(r, false);
}
