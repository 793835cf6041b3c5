/* SPDX-License-Identifier: MIT */
/* Writes what a characterisation found as lines of a case. */
#include <interfield/characterised.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Standard errors above which a value is written. */
static const double CERTAIN = 3.0;

static void put_coefficients(FILE *out, const char *name, int count, const double *a, const char *ahead)
{
    fprintf(out, "compensation: {%s: {coefficients: [", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.7g", i ? ", " : "", a[i]);
    fprintf(out, "]%s}}\n", ahead);
}

/* One line; which: index in IFD_CHARACTERISE_COMPENSATIONS. A force that is late needs a position that is early. */
static void put_compensation(FILE *out, const ifd_characterisation *f, int which)
{
    char ahead[40] = "";
    if (f->force_late)
        snprintf(ahead, sizeof ahead, ", look-ahead: %.4g s", f->force_lag);
    switch (which) {
    case 0:
        fprintf(out, "compensation: {polynomial: {delay: %.6g s, order: 3%s}}\n", f->delay, ahead);
        break;
    case 1:
        fprintf(out, "compensation: {taylor: {delay: %.6g s%s}}\n", f->delay, ahead);
        break;
    case 2:
        fprintf(out, "compensation: {inverse-1: {delay: %.6g s%s}}\n", f->first[1] / f->first[0], ahead);
        break;
    case 3:
        put_coefficients(out, "inverse-2", 3, f->second, ahead);
        break;
    case 4:
        put_coefficients(out, "inverse-3", 4, f->third, ahead);
        break;
    default:
        fputs("compensation: none\n", out);
        break;
    }
}

static void put_findings(FILE *out, bool turns, const ifd_characterisation *f)
{
    const char *damping = turns ? "N m s/rad" : "N s/m", *mass = turns ? "kg m2" : "kg";
    const char *motion = turns ? "rad" : "m", *force = turns ? "N m" : "N";
    fprintf(out, "# stiffness        %.6g %s, standard error %.2g\n", f->stiffness, turns ? "N m/rad" : "N/m",
            f->stiffness_error);
    if (f->damping_seen)
        fprintf(out, "# damping          %.4g %s, standard error %.2g\n", f->damping, damping, f->damping_error);
    else
        fprintf(out, "# damping          not detected, less than %.2g %s\n",
                fabs(f->damping) + 2.0 * f->damping_error, damping);
    if (f->mass > 3.0 * f->mass_error)
        fprintf(out, "# %s          %.4g %s, standard error %.2g\n", turns ? "inertia" : "mass   ", f->mass, mass,
                f->mass_error);
    else
        fprintf(out, "# %s          not detected, less than %.2g %s\n", turns ? "inertia" : "mass   ",
                fabs(f->mass) + 2.0 * f->mass_error, mass);
    fprintf(out, "# delay            %.4f ms, standard error %.2g\n", 1e3 * f->delay, 1e3 * f->delay_error);
    fprintf(out, "# gain at rest     %.5f\n", f->gain);
    fprintf(out, "# inverse plant    order 1: %.6g, %.6g (misfit %.2g)\n", f->first[0], f->first[1], f->misfit[0]);
    fprintf(out, "#                  order 2: %.6g, %.6g, %.6g (misfit %.2g)\n", f->second[0], f->second[1],
            f->second[2], f->misfit[1]);
    fprintf(out, "#                  order 3: %.6g, %.6g, %.6g, %.6g (misfit %.2g)\n", f->third[0], f->third[1],
            f->third[2], f->third[3], f->misfit[2]);
    fprintf(out, "# noise            position %.3g %s, force %.3g %s\n", f->position_noise, motion, f->force_noise,
            force);
    fprintf(out, "# offset           position %.3g %s, force %.3g %s\n", f->position_offset, motion, f->force_offset,
            force);
    fprintf(out, "# step             overshoot %.1f %%, within 2 %% after %.1f ms\n", 100.0 * f->overshoot,
            1e3 * f->settling);
}

/* Never zero: a value that is not certain is not written. */
static void put_estimate(FILE *out, const ifd_characterisation *f, double devices)
{
    bool stiff = fabs(f->stiffness) > CERTAIN * f->stiffness_error;
    if (stiff)
        fprintf(out, "estimate: {stiffness: %.6g}\n", devices * f->stiffness);
    else if (f->damping_seen)
        fprintf(out, "estimate: {damping: %.6g}\n", devices * f->damping);
    else
        fputs("# no estimate: neither stiffness nor damping exceeds three standard errors\n", out);
}

/* The noises of all sensors are independent. */
static void put_sensor(FILE *out, const char *key, const double noise_resolution_lag[3], int seed)
{
    static const char *const name[] = {"noise: %.4g", "resolution: %.4g", "lag: %.4g s"};
    const char *before = "";
    for (int i = 0; i < 3; i++)
        if (noise_resolution_lag[i] > 0.0) {
            fprintf(out, *before ? "%s" : "  %s: {", *before ? before : key);
            fprintf(out, name[i], noise_resolution_lag[i]);
            before = ", ";
        }
    if (*before)
        fprintf(out, ", seed: %d}\n", seed);
}

/* A specimen of the case that dissipates has its loss already. */
static bool rubs(const ifd_case *c, int channel, const ifd_characterisation *f)
{
    const ifd_virtual_actuator *bench = &c->laboratory->actuator[channel];
    bool elastic = !bench->specimen || (bench->specimen->flags & IFD_ELEMENT_LINEAR) != 0;
    return f->friction > 0.0 && !f->yields && elastic;
}

static void put_twin(FILE *out, const ifd_case *c, const ifd_characterisation *f, int channel)
{
    const ifd_found_twin *t = &f->twin;
    bool gap = c->test->interface[channel].loose; /* of the specimen of the case */
    const struct {
        const char *key;
        double value;
    } found[] = {{"friction", rubs(c, channel, f) ? f->friction : 0.0},
                 {"play", f->play},
                 {"clearance", f->loose && !gap ? f->clearance : 0.0},
                 {"velocity", t->velocity}};
    char also[120] = "";
    int used = 0;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i].value > 0.0)
            used += snprintf(also + used, sizeof also - (size_t)used, ", %s: %.4g", found[i].key, found[i].value);
    fputs("twin:\n", out);
    if (t->order == 0)
        fprintf(out, "  actuator: {delay: {delay: %.6g s%s}}\n", t->delay, also);
    else if (t->order == 1)
        fprintf(out, "  actuator: {first-order: {time-constant: %.6g s, gain: %.5f%s}}\n", t->time_constant, t->gain,
                also);
    else
        fprintf(out, "  actuator: {second-order: {frequency: %.5g Hz, damping-ratio: %.5g, gain: %.5f%s}}\n",
                t->frequency, t->damping_ratio, t->gain, also);
    if (t->order > 0 && t->delay > 0.0)
        fprintf(out, "  delay: %.6g s\n", t->delay);
    put_sensor(out, "position-sensor", (const double[]){f->position_noise, f->position_resolution, 0.0},
               2 * channel + 1);
    put_sensor(out, "force-sensor",
               (const double[]){f->force_noise, f->force_resolution, f->force_late ? f->force_lag : 0.0},
               2 * channel + 2);
}

/* A rig that answers irregularly has a delay, but no inverse. */
static void put_compensations(FILE *out, const ifd_characterisation *f, int chosen, bool late)
{
    enum { BY_DELAY = 3, ALL = 5 };
    put_compensation(out, f, !late ? ALL : f->twin.found || chosen < BY_DELAY ? chosen : 0);
    for (int k = 0; k < (f->twin.found ? ALL : BY_DELAY) && late; k++)
        if (k != chosen) {
            fputs("# or ", out);
            put_compensation(out, f, k);
        }
}

static void put_all(FILE *out, const ifd_case *c, int channel, const ifd_characterisation *f, double period)
{
    const ifd_interface_options *o = &c->test->interface[channel];
    char stamp[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(
        out,
        "# '%s', characterised %s with a tick of %g s. Use `include:` in the mapping of the specimen to apply it;\n",
        o->name, stamp, period);
    fputs("# keys beside `include` take precedence.\n", out);
    if (f->free)
        fputs("# without a specimen: only the actuator was measured\n", out);
    else {
        put_estimate(out, f, o->force_factor);
        put_compensations(out, f, c->day.characterise.compensation, f->delay > 0.05 * period);
    }
    if (!f->twin.found)
        fprintf(out, "# no twin (misfit %.2g %%): use only the delay\n", 100.0 * f->twin.misfit);
    else if (c->test->drives == 0)
        put_twin(out, c, f, channel);
    put_findings(out, o->turns, f);
}

ifd_status ifd_fragment_write(const char *path, const ifd_case *c, int channel, const ifd_characterisation *found,
                              double period, ifd_note *note)
{
    FILE *out = fopen(path, "wx");
    if (!out && errno == EEXIST)
        return ifd_note_advise(note, IFD_CONFLICT, NULL,
                               "an existing characterisation is not overwritten: choose another file",
                               "'%s' already exists", path);
    if (out)
        put_all(out, c, channel, found, period);
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0)
        good = false;
    return good ? IFD_OK : ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

/* The smallest number of digits, at least six, that is exact. */
static const char *exact(ifd_arena *arena, double x)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return ifd_arena_print(arena, "%s", text);
}

static const char *given_value(ifd_arena *arena, const ifd_param *p, const ifd_value *v)
{
    if (p->shape == IFD_SHAPE_WORD || p->shape == IFD_SHAPE_TEXT || (p->shape == IFD_SHAPE_CHOICE && v->word))
        return v->word;
    if (p->shape == IFD_SHAPE_FLAG)
        return v->number != 0.0 ? "yes" : "no";
    if (p->shape != IFD_SHAPE_LIST && p->shape != IFD_SHAPE_MATRIX) {
        const char *number = exact(arena, v->number);
        return number && p->dim == IFD_DIM_TIME ? ifd_arena_print(arena, "%s s", number) : number;
    }
    const char *text = p->shape == IFD_SHAPE_MATRIX ? "[[" : "[";
    for (int i = 0; text && i < v->cols * v->rows; i++) {
        const char *number = exact(arena, v->data[i]), *between = i == 0 ? "" : i % v->cols ? ", " : "], [";
        text = number ? ifd_arena_print(arena, "%s%s%s", text, between, number) : NULL;
    }
    return text ? ifd_arena_print(arena, p->shape == IFD_SHAPE_MATRIX ? "%s]]" : "%s]", text) : NULL;
}

const char *ifd_fragment_compensation(ifd_arena *arena, const ifd_compensator_kind *kind, const ifd_value *values)
{
    const char *settings = "";
    int row = ifd_param_find(kind->params, "row"); /* a drive sets it */
    for (const ifd_param *p = kind->params; settings && p->name; p++) {
        const ifd_value *v = &values[p - kind->params];
        const char *text = v->given ? given_value(arena, p, v) : "";
        if (!v->given || p - kind->params == row)
            continue;
        settings = text ? ifd_arena_print(arena, "%s%s%s: %s", settings, *settings ? ", " : "", p->name, text) : NULL;
    }
    if (!settings)
        return NULL;
    return *settings ? ifd_arena_print(arena, "compensation: {%s: {%s}}", kind->name, settings)
                     : ifd_arena_print(arena, "compensation: %s", kind->name);
}
