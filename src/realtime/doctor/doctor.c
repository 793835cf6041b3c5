/* SPDX-License-Identifier: MIT */
/* Runs the checks of a machine and joins them to a verdict. */
#include "realtime/doctor/doctor.h"

#include <string.h>

static const struct row {
    ifd__check *look;
    const char *what, *expected;
} rows[] = {
#define CHECK(name, what, expected) {ifd__check_##name, what, expected},
#include "realtime/doctor/checks.def"
#undef CHECK
};

static const char *const states[] = {
#define STATE(name, word) word,
    IFD_DOCTOR_STATE_LIST(STATE)
#undef STATE
};

const char *ifd_doctor_state_name(ifd_doctor_state state)
{
    return (unsigned)state < IFD_DOCTOR_STATE_COUNT ? states[state] : "unknown";
}

const char *ifd_doctor_verdict(const ifd_doctor *d)
{
    return d->verdict == IFD_DOCTOR_UNFIT ? "unfit" : d->verdict == IFD_DOCTOR_CHANGE ? "something to do" : "fine";
}

void ifd_doctor_defaults(ifd_doctor_options *o)
{
    memset(o, 0, sizeof *o);
    o->core = -1;
    o->tick = 1e-3;
}

/* As in a test: a wake-up is late after half a tick. Rare late ones suit a test that extrapolates. */
static void judge_wake(ifd__patient *d, const ifd_doctor_times *t)
{
    double share = t->max / d->o->tick, usual = t->p999 / d->o->tick;
    if (!d->out->measured)
        return;
    ifd__row(d,
             share <= IFD_LATE_AFTER   ? IFD_DOCTOR_FINE
             : usual <= IFD_LATE_AFTER ? IFD_DOCTOR_CHANGE
                                       : IFD_DOCTOR_UNFIT,
             usual <= IFD_LATE_AFTER ? "rare late ticks: fit with test: {overrun: extrapolate}; the rows below help"
                                     : "not fit for this tick: the rows below, or a longer tick",
             "%.1f / %.1f / %.1f us late (p50 / p99.9 / maximum of %ld), %.3g %% of the tick", 1e6 * t->p50,
             1e6 * t->p999, 1e6 * t->max, t->count, 100.0 * share);
}

void ifd__check_wake_alone(ifd__patient *d)
{
    judge_wake(d, &d->out->wake[0]);
}

void ifd__check_wake_loaded(ifd__patient *d)
{
    judge_wake(d, &d->out->wake[1]);
}

void ifd__check_firmware(ifd__patient *d)
{
    const ifd_doctor_times *alone = &d->out->gap[0], *loaded = &d->out->gap[1];
    if (!d->out->measured)
        return;
    if (!ifd__patient_word(d, d->measured, "gap-alone-max")) {
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "hwlatdetect", "not measured on a machine with one core");
        return;
    }
    bool brief = alone->max < 10e-6;
    ifd__row(d, ifd__fine_if(brief), "firmware: switch off legacy USB and power management; as root: hwlatdetect",
             "longest %.1f us, %ld above 5 us; beside a load %.1f us, %ld", 1e6 * alone->max, alone->count,
             1e6 * loaded->max, loaded->count);
}

static void take_times(ifd__patient *d, const char *name, ifd_doctor_times *out)
{
    const char *w = d->measured;
    out->count = (long)ifd__patient_number(d, w, ifd__patient_print(d, "%s-count", name), 0.0);
    out->p50 = ifd__patient_number(d, w, ifd__patient_print(d, "%s-p50", name), 0.0);
    out->p999 = ifd__patient_number(d, w, ifd__patient_print(d, "%s-p999", name), 0.0);
    out->max = ifd__patient_number(d, w, ifd__patient_print(d, "%s-max", name), 0.0);
}

static ifd_status measure(ifd__patient *d, ifd_note *note)
{
    char text[1024] = "";
    if (d->o->measure <= 0.0)
        return IFD_OK;
    if (d->o->root) {
        d->measured = ifd__patient_read(d, "/probe/measured");
    } else {
        IFD_TRY(ifd__doctor_measure(d->o, d->core, text, sizeof text, note));
        d->measured = ifd__patient_print(d, "%s", text);
    }
    d->out->measured = d->measured != NULL;
    take_times(d, "wake-alone", &d->out->wake[0]);
    take_times(d, "wake-loaded", &d->out->wake[1]);
    take_times(d, "gap-alone", &d->out->gap[0]);
    take_times(d, "gap-loaded", &d->out->gap[1]);
    return IFD_OK;
}

/* The core of the options; otherwise the first isolated one, otherwise the last. */
static ifd_status choose_core(ifd__patient *d, ifd_note *note)
{
    d->online = ifd__patient_read(d, "/sys/devices/system/cpu/online");
    const char *isolated = ifd__patient_read(d, "/sys/devices/system/cpu/isolated");
    d->core = d->o->core;
    if (d->core >= 0 && d->online && !ifd__patient_listed(d->online, d->core))
        return ifd_note_add(note, IFD_RANGE, NULL, "core %d is not in use; expected one of %s", d->core, d->online);
    for (int core = 0; d->core < 0 && isolated && core < 4096; core++)
        d->core = ifd__patient_listed(isolated, core) ? core : -1;
    for (int core = 4095; d->core < 0 && d->online && core >= 0; core--)
        d->core = ifd__patient_listed(d->online, core) ? core : -1;
    d->out->core = d->core;
    return IFD_OK;
}

static void judge(ifd_doctor *out)
{
    for (int i = 0; i < out->rows; i++) {
        const ifd_doctor_row *r = &out->row[i];
        ifd_doctor_state now = r->state == IFD_DOCTOR_UNFIT ? IFD_DOCTOR_UNFIT
                               : r->state == IFD_DOCTOR_CHANGE || (r->state == IFD_DOCTOR_UNKNOWN && r->expected)
                                   ? IFD_DOCTOR_CHANGE
                                   : IFD_DOCTOR_FINE;
        out->verdict = now > out->verdict ? now : out->verdict;
    }
}

ifd_status ifd_doctor_examine(ifd_arena *arena, const ifd_doctor_options *o, ifd_doctor **out, ifd_note *note)
{
    _Static_assert(sizeof rows / sizeof *rows <= IFD_DOCTOR_ROWS, "more rows than space");
    ifd_doctor *result = *out = ifd_arena_take(arena, sizeof *result);
    if (!result)
        return IFD_NO_MEMORY;
    *result = (ifd_doctor){.core = -1, .kernel = "unknown", .boot = "", .limits = ""};
    ifd__patient d = {.arena = arena, .o = o, .out = result};
    IFD_TRY(choose_core(&d, note));
    if (o->interface && ifd__patient_folder(&d, "/sys/class/net") &&
        !ifd__patient_folder(&d, "/sys/class/net/%s", o->interface))
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "there is no network card '%s'", o->interface);
    d.words = ifd__patient_read(&d, "/proc/cmdline");
    IFD_TRY(measure(&d, note));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        d.row = (ifd_doctor_row){.what = rows[i].what, .expected = rows[i].expected, .state = IFD_DOCTOR_UNKNOWN};
        rows[i].look(&d);
        if (d.row.found)
            result->row[result->rows++] = d.row;
    }
    judge(result);
    return d.no_memory ? IFD_NO_MEMORY : IFD_OK;
}
