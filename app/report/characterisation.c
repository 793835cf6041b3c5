/* SPDX-License-Identifier: MIT */
/* What a characterisation found, as text, picture and JSON. */
#include "characterisation.h"

#include <math.h>

#include "figure.h"

static bool stiff(const ifd_characterisation *f)
{
    return fabs(f->stiffness) > 3 * f->stiffness_error;
}

/* Caution: a specimen that yields within the cycle, forces below the noise, or another size than expected. */
static void doubt(app *a, const ifd_characterisation *f, double expected)
{
    double ratio = expected != 0.0 ? f->stiffness / expected : 1.0;
    if (stiff(f) && (ratio > 3.0 || (ratio > 0.0 && ratio < 1.0 / 3.0)))
        app_say(a, "CAUTION",
                "the stiffness is %.3g times that of the case: check unit and calibration of the load cell, then the "
                "case",
                ratio);
    if (f->stiffness_error > 0.05 * fabs(f->stiffness) && !f->damping_seen)
        app_say(a, "CAUTION",
                "the stiffness is uncertain: the force is not proportional to the position (a specimen that "
                "yields: lower stroke-share; noise: raise it)");
}

wording characterisation_motion(bool turns, double value)
{
    double x = fabs(value);
    if (!turns)
        return phrase("%s", quantity(value, "m").text);
    if (x >= 1.0 || x == 0.0)
        return phrase("%.3g rad", value);
    return x >= 1e-4 ? phrase("%.3g mrad", 1e3 * value) : phrase("%.3g urad", 1e6 * value);
}

static void say_twin(app *a, const ifd_found_twin *t, double transport)
{
    char lag[100] = "", also[80] = "";
    if (t->order == 1)
        snprintf(lag, sizeof lag, "time constant %s, gain %.4f, ", quantity(t->time_constant, "s").text, t->gain);
    if (t->order == 2)
        snprintf(lag, sizeof lag, "%.4g Hz, damping ratio %.3f, gain %.4f, ", t->frequency, t->damping_ratio,
                 t->gain);
    if (transport > 0.0)
        snprintf(also, sizeof also, " beside %s of the connection", quantity(transport, "s").text);
    app_say(a, "", "twin: %sdelay %s%s · misfit %.2g %%", lag, quantity(t->delay, "s").text, also, 100 * t->misfit);
}

static void say_losses(app *a, bool turns, const ifd_characterisation *f)
{
    if (f->force_late)
        app_say(a, "CAUTION",
                "force lags position by %s, or more, if the specimen is damped: look-ahead and the twin contain it",
                quantity(f->force_lag, "s").text);
    if (f->friction > 0.0)
        app_say(a, "", "loss %s at rest (friction, or the specimen)",
                quantity(f->friction, unit_of_turn("N", turns)).text);
    if (f->play > 0.0)
        app_say(a, "CAUTION", "play %s behind the position sensor", characterisation_motion(turns, f->play).text);
    if (f->loose)
        app_say(a, "CAUTION", "clearance %s", characterisation_motion(turns, f->clearance).text);
    if (f->yields)
        app_say(a, "", "the specimen yields: the stiffness is that of a quarter of the amplitude");
}

void characterisation_say(app *a, const char *name, bool turns, const ifd_characterisation *f, double expected,
                          double transport)
{
    const char *damping = unit_of_turn("N s/m", turns), *mass = unit_of_turn("kg", turns);
    wording c, m, k;
    if (stiff(f))
        k = phrase("stiffness %.5g %s (+- %.2g %%)", f->stiffness, unit_of_turn("N/m", turns),
                   100 * f->stiffness_error / fabs(f->stiffness));
    else
        k = phrase("no stiffness detected (less than %.2g %s)", fabs(f->stiffness) + 3 * f->stiffness_error,
                   unit_of_turn("N/m", turns));
    app_say(a, name, "%s · delay %s (+- %s) · gain %.4f", k.text, quantity(f->delay, "s").text,
            quantity(f->delay_error, "s").text, f->gain);
    if (f->damping_seen)
        c = phrase("damping %.4g %s (+- %.2g %%)", f->damping, damping, 100 * f->damping_error / fabs(f->damping));
    else if (f->force_late)
        c = phrase("damping hidden by the lag of the force");
    else
        c = phrase("no damping detected (less than %.2g %s)", fabs(f->damping) + 2 * f->damping_error, damping);
    if (f->mass > 3 * f->mass_error)
        m = phrase("%s %.4g %s (+- %.2g %%)", turns ? "inertia" : "mass", f->mass, mass,
                   100 * f->mass_error / f->mass);
    else
        m = phrase("no %s detected (less than %.2g %s)", turns ? "inertia" : "mass",
                   fabs(f->mass) + 2 * f->mass_error, mass);
    app_say(a, "", "%s · %s", c.text, m.text);
    app_say(a, "",
            "noise %s, %s · step overshoot %.1f %%, settling %.1f ms · fit error of orders 1, 2, 3: %.1g, %.1g, %.1g",
            characterisation_motion(turns, f->position_noise).text,
            quantity(f->force_noise, unit_of_turn("N", turns)).text, 100 * f->overshoot, 1e3 * f->settling,
            f->misfit[0], f->misfit[1], f->misfit[2]);
    if (f->twin.found)
        say_twin(a, &f->twin, transport);
    else
        app_say(a, "CAUTION", "no twin (misfit %.2g %%): use only the delay", 100 * f->twin.misfit);
    if (f->free)
        app_say(a, "", "without a specimen: only the twin of the actuator is written");
    else {
        say_losses(a, turns, f);
        doubt(a, f, expected);
    }
}

const char *characterisation_refused(ifd_arena *arena, const ifd_characterisation *f, double expected)
{
    ifd_sensor_doubt doubt = ifd_characterise_doubt(f, expected);
    if (doubt != IFD_SENSOR_DOUBT_NONE)
        return ifd_sensor_doubt_text(doubt);
    if (f->scatters)
        return ifd_arena_print(arena, "irregular lag (misfit %.2g %%): it scatters by %s, more than itself",
                               100 * f->twin.misfit, quantity(f->lag_scatter, "s").text);
    if (!f->twin.found && f->twin.misfit <= IFD_TWIN_MISFIT)
        return ifd_arena_print(arena, "no model of an actuator fits (misfit %.2g %%): the rig answers irregularly",
                               100 * f->twin.misfit);
    if (!f->twin.found)
        return ifd_arena_print(arena, "poor fit (%.0f %%): the rig answers irregularly", 100 * f->twin.misfit);
    return NULL;
}

/* Bars of three standard errors as a curve: from below to above, and a gap. */
enum { BAR = 3 };
typedef struct bars {
    double frequency[BAR * IFD_CHARACTERISE_POINTS], gain[BAR * IFD_CHARACTERISE_POINTS],
        lag[BAR * IFD_CHARACTERISE_POINTS];
} bars;

static void make_bars(const ifd_characterisation *f, bars *b)
{
    for (int i = 0; i < f->points; i++) {
        double e = 3 * f->error_at[i], w = 2 * M_PI * f->frequency[i];
        for (int n = 0; n < BAR; n++) {
            double side = n == 0 ? -1 : n == 1 ? 1 : (double)NAN;
            b->frequency[BAR * i + n] = f->frequency[i];
            b->gain[BAR * i + n] = f->gain_at[i] * (1 + side * e);
            b->lag[BAR * i + n] = f->lag_at[i] + side * e / w;
        }
    }
}

static bool varies(const double *y, int count)
{
    double low = y[0], high = y[0];
    for (int i = 1; i < count; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    return high - low >= 1e-9;
}

/* Gain and lag with their errors, and coherence, over frequency. A rig without lag has no curve, one without noise no
 * coherence. */
void characterisation_draw(app *a, ifd_arena *arena, const char *name, ifd_characterisation *f, const char *folder)
{
    static const ifd_column head[] = {{.name = "frequency", .unit = "Hz", .group = "plant", .owner = ""},
                                      {.name = "gain", .unit = "", .group = "plant", .owner = ""},
                                      {.name = "lag", .unit = "s", .group = "plant", .owner = ""},
                                      {.name = "coherence", .unit = "", .group = "plant", .owner = ""}};
    static const char *const label[] = {"Gain", "Lag [ms]", "Coherence"};
    bars *b = ifd_arena_take(arena, sizeof *b);
    if (!b || !varies(f->gain_at, f->points))
        return;
    make_bars(f, b);
    double *column[] = {f->frequency, f->gain_at, f->lag_at, f->coherence_at},
           *bar[] = {b->frequency, b->gain, b->lag};
    const ifd_table t[] = {
        {.title = name, .rows = f->points, .columns = 4, .time = f->frequency, .column = head, .value = column},
        {.rows = BAR * f->points, .columns = 3, .time = b->frequency, .column = head, .value = bar}};
    figure drawn = {.title = ifd_arena_print(arena, "%s: measured position over command", name),
                    .panels = varies(f->coherence_at, f->points) ? 3 : 2};
    for (int i = 0; i < drawn.panels; i++)
        drawn.panel[i] = (panel){.x.label = "Frequency [Hz]",
                                 .y.label = label[i],
                                 .x.factor = 1,
                                 .y.factor = i == 1 ? 1e3 : 1,
                                 .curves = i < 2 ? 2 : 1,
                                 .curve = {{.x = 0, .y = i + 1, .name = head[i + 1].name},
                                           {.x = 0, .y = i + 1, .of = i < 2 ? 1 : 0, .name = "3 standard errors"}}};
    canvas c = {.terminal = "pngcairo", .file = ifd_arena_print(arena, "%s/%s.png", folder, name)};
    chart of[MOST_PANELS];
    figure_charts(&drawn, t, of);
    if (drawn.title && c.file &&
        picture_draw(&(picture){.title = drawn.title, .count = drawn.panels, .chart = of}, &c) == 0)
        app_say(a, "picture", "%s", c.file);
}

void characterisation_json(ifd_json *j, bool turns, const ifd_characterisation *f)
{
    IFD_JSON_PUT(
        j, IFD_JSON("motion_unit", unit_of_turn("m", turns)), IFD_JSON("force_unit", unit_of_turn("N", turns)),
        IFD_JSON("stiffness", f->stiffness), IFD_JSON("stiffness_error", f->stiffness_error),
        IFD_JSON("damping", f->damping), IFD_JSON("damping_error", f->damping_error),
        IFD_JSON("damping_seen", f->damping_seen), IFD_JSON("loss", f->loss), IFD_JSON("force_lag", f->force_lag),
        IFD_JSON("force_lag_error", f->force_lag_error), IFD_JSON("rest", f->rest),
        IFD_JSON("rest_error", f->rest_error), IFD_JSON("friction", f->friction), IFD_JSON("play", f->play),
        IFD_JSON("clearance", f->clearance), IFD_JSON("clearance_error", f->clearance_error),
        IFD_JSON("yields", f->yields), IFD_JSON("work", f->work), IFD_JSON("work_error", f->work_error),
        IFD_JSON("mass", f->mass), IFD_JSON("mass_error", f->mass_error), IFD_JSON("delay", f->delay),
        IFD_JSON("delay_error", f->delay_error), IFD_JSON("gain", f->gain), IFD_JSON("slow_gain", f->slow_gain));
    ifd_json_numbers(j, "inverse_1", 2, f->first);
    ifd_json_numbers(j, "inverse_2", 3, f->second);
    ifd_json_numbers(j, "inverse_3", 4, f->third);
    ifd_json_numbers(j, "misfit", 3, f->misfit);
    IFD_JSON_PUT(j, IFD_JSON("position_noise", f->position_noise), IFD_JSON("force_noise", f->force_noise),
                 IFD_JSON("position_offset", f->position_offset), IFD_JSON("force_offset", f->force_offset),
                 IFD_JSON("overshoot", f->overshoot), IFD_JSON("settling", f->settling),
                 IFD_JSON("coherence", f->coherence), IFD_JSON("lag_scatter", f->lag_scatter));
    ifd_json_numbers(j, "frequency", f->points, f->frequency);
    ifd_json_numbers(j, "gain_at", f->points, f->gain_at);
    ifd_json_numbers(j, "lag_at", f->points, f->lag_at);
    ifd_json_numbers(j, "error_at", f->points, f->error_at);
    ifd_json_numbers(j, "coherence_at", f->points, f->coherence_at);
    IFD_JSON_PUT(j, IFD_JSON("position_resolution", f->position_resolution),
                 IFD_JSON("force_resolution", f->force_resolution));
    IFD_JSON_OBJECT(j, "twin", IFD_JSON("found", f->twin.found), IFD_JSON("order", f->twin.order),
                    IFD_JSON("frequency", f->twin.frequency), IFD_JSON("damping_ratio", f->twin.damping_ratio),
                    IFD_JSON("time_constant", f->twin.time_constant), IFD_JSON("gain", f->twin.gain),
                    IFD_JSON("delay", f->twin.delay), IFD_JSON("misfit", f->twin.misfit));
}

void burst_say(app *a, bool turns, const ifd_burst *b)
{
    const char *unit = unit_of_turn("m/s", turns);
    if (b->undone) {
        app_say(a, "CAUTION", "velocity %s not verified: %s",
                b->needed > 0.0 ? quantity(b->needed, unit).text : "of the test", b->undone);
        if (b->amplitude > b->permitted)
            app_say(a, "", "It needs %s to either side; %s are permitted",
                    characterisation_motion(turns, b->amplitude).text,
                    characterisation_motion(turns, b->permitted).text);
        if (b->remedy)
            app_say(a, "", "%s", b->remedy);
    } else if (ifd_burst_saturates(b))
        app_say(a, "CAUTION", "the actuator reaches %s; the test needs %s", quantity(b->reached, unit).text,
                quantity(b->needed, unit).text);
    else if (b->share > 0.0)
        app_say(a, "", "velocity %s of the test reached (%.3f of it, %.3g Hz)", quantity(b->velocity, unit).text,
                b->share, b->frequency);
}

void burst_json(ifd_json *j, const ifd_burst *b)
{
    IFD_JSON_OBJECT(j, "velocity", IFD_JSON("needed", b->needed), IFD_JSON("commanded", b->velocity),
                    IFD_JSON("frequency", b->frequency), IFD_JSON("share", b->share), IFD_JSON("reached", b->reached),
                    IFD_JSON("amplitude", b->amplitude), IFD_JSON("permitted", b->permitted),
                    IFD_JSON("undone", b->undone));
}

void matrix_say(app *a, const ifd_interface_options *interface, const ifd_stiffness_matrix *m)
{
    int n = m->n;
    app_say(a, "matrix",
            "force of the row per motion of the column, N/m (N/rad, N m/m, N m/rad for rotations); 0: below "
            "three standard errors; "
            "symmetric within %.2g %%",
            100 * m->symmetry);
    for (int i = 0; i < n; i++) {
        char text[16 * IFD_RIG_ACTUATORS + 1] = "";
        for (int j = 0; j < n; j++)
            text_add(text, sizeof text, " %12.5g",
                     fabs(m->K[i * n + j]) > 3 * m->error[i * n + j] ? m->K[i * n + j] : 0.0);
        app_say(a, interface[i].name, "%s", text);
    }
}

void matrix_json(ifd_json *j, const ifd_stiffness_matrix *m)
{
    int n = m->n;
    ifd_json_list(j, "stiffness_matrix");
    for (int i = 0; i < n; i++)
        ifd_json_numbers(j, NULL, n, m->K + i * n);
    ifd_json_end(j);
    ifd_json_list(j, "stiffness_matrix_error");
    for (int i = 0; i < n; i++)
        ifd_json_numbers(j, NULL, n, m->error + i * n);
    ifd_json_end(j);
    ifd_json_number(j, "asymmetry", m->symmetry);
}
