/* SPDX-License-Identifier: MIT */
/* Steps the FMUs of a test in a child process and judges whether they allocate memory. */
#include "fmu_fit.h"

#include <sys/mman.h>

#include <interfield/fmu.h>

#include "allocations.h"
#include "sandbox.h"

enum { STEPS = 400, PATIENCE = 60 /* s */ };

typedef struct trial {
    const ifd_case *c;
    const ifd_value *file, *parameters;
    double tick;
    ifd_fmu_quality *found; /* shared with the process of the trial */
} trial;

static int try(app *a, void *self)
{
    const trial *t = self;
    ifd_fmu *f;
    const int fd = SANDBOX_KEPT;
    const ifd_fmu_open_options how = {
        .allocate = allocations_calloc, .release = allocations_free, .file = t->file->data ? &fd : NULL};
    ifd_status status = ifd_fmu_open_as(a->arena, t->file->word, &how, &f, &a->note);
    if (status == IFD_OK)
        status = ifd_fmu_preset_text(f, t->parameters->word, &t->parameters->place, &a->note);
    if (status == IFD_OK)
        status = ifd_fmu_begin(f, 0.0, &a->note);
    APP_TRY(a, status);
    ifd_fmu_qualify(f, STEPS, t->tick, 1e-3, allocations_watch(ALLOCATIONS_OF_FMU) ? allocations : NULL, t->found);
    return EXIT_FINE;
}

static bool judge(app *a, const trial *t, const ifd_value *allowed)
{
    const ifd_fmu_quality *q = t->found;
    app_say(a, "fmu", "%s · %ld steps, median %s, worst %s · %ld allocations", t->file->word, q->steps,
            quantity(q->p50, "s").text, quantity(q->worst, "s").text, q->allocations);
    if (q->allocations <= 0 || allowed->number > 0)
        return true;
    ifd_note_add(&a->note, IFD_UNSUPPORTED, &t->file->place,
                 "the FMU '%s' allocates memory during steps, %ld times in %ld steps", t->file->word, q->allocations,
                 q->steps);
    ifd_note_hint(&a->note, "a tick may be delayed by it; add 'allocates: yes' beside 'file' to permit it in a test "
                            "in real time");
    ifd_case_quote(t->c, &a->note);
    (void)app_fail(a, IFD_UNSUPPORTED);
    return false;
}

static bool fits(app *a, const ifd_case *c, const ifd_param *params, const ifd_value *values, double tick)
{
    ifd_fmu_quality *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
        return app_fail(a, IFD_NO_MEMORY) == EXIT_FINE;
    trial t = {.c = c,
               .file = ifd_param_get(params, values, "file"),
               .parameters = ifd_param_get(params, values, "parameters"),
               .tick = tick,
               .found = found};
    int fd = t.file->data ? (int)*t.file->data : -1;
    bool good = sandbox_run(a, try, &t, PATIENCE, t.file->data ? &fd : NULL) == EXIT_FINE &&
                judge(a, &t, ifd_param_get(params, values, "allocates"));
    (void)munmap(found, sizeof *found);
    return good;
}

bool fmus_fit(app *a, const ifd_case *c, const ifd_hybrid_options *test, double tick)
{
    bool here =
        ifd_rigs_are_virtual(test->rig, test->rig_setup); /* for another rig they only describe its specimens */
    for (int k = 0; here && c->laboratory && k < c->laboratory->channels; k++) {
        const ifd_virtual_channel *b = &c->laboratory->channel[k];
        if (b->specimen == &ifd_fmu_element && !fits(a, c, ifd_fmu_element.params, b->specimen_values, tick))
            return false;
        if (b->actuator == &ifd_fmu_actuator && !fits(a, c, ifd_fmu_actuator.params, b->actuator_values, tick))
            return false;
    }
    return true;
}
