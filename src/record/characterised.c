/* SPDX-License-Identifier: MIT */
/* Stores and reads what a characterisation found beside a case. */
#include <interfield/characterised.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <interfield/certificate.h>
#include <interfield/several.h>

#include "base/hash.h"
#include "record/evidence.h"
#include "record/result.h"

static const char list[] = "characterisations";
static const double certain = 3.0; /* standard errors */

static const struct {
    const char *key;
    size_t at;
} number[] = {{"delay", offsetof(ifd_characterised, delay)},
              {"stiffness", offsetof(ifd_characterised, stiffness)},
              {"stiffness_error", offsetof(ifd_characterised, stiffness_error)},
              {"misfit", offsetof(ifd_characterised, misfit)},
              {"force_lag", offsetof(ifd_characterised, force_lag)},
              {"loss", offsetof(ifd_characterised, loss)},
              {"verified", offsetof(ifd_characterised, verified)},
              {"reached", offsetof(ifd_characterised, reached)},
              {"needed", offsetof(ifd_characterised, needed)}};
enum { NUMBERS = sizeof number / sizeof *number };

static void mark_of(const ifd_case *c, char out[IFD_MARK_SIZE])
{
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    const ifd_rig_part one = {.ops = c->test->rig, .values = c->test->rig_values};
    uint64_t h = IFD__HASH_START;
    for (int r = 0; r < (s ? s->rigs : 1); r++)
        h = ifd__rig_mark(h, s ? &s->rig[r] : &one);
    snprintf(out, IFD_MARK_SIZE, "%016" PRIx64, h);
}

static const char *path_of(ifd_arena *arena, const ifd_case *c, const char *stem)
{
    const char *slash = strrchr(c->path, '/'), *dot = strrchr(c->path, '.');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - c->path) : strlen(c->path);
    return stem ? ifd_arena_print(arena, "%s.characterisation.json", stem)
                : ifd_arena_print(arena, "%.*s.characterisation.json", (int)length, c->path);
}

static bool of_rig(const ifd_json_node *record, const char *mark)
{
    return strcmp(ifd_json_text_at(record, "settings", ""), mark) == 0;
}

static void put_record(ifd_json *j, const ifd_case *c, const char *mark, const char *by,
                       const ifd_characterised *found)
{
    char date[32];
    ifd__time_of_day(date);
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("rig", c->test->rig->name), IFD_JSON("settings", mark), IFD_JSON("date", date),
                 IFD_JSON("operator", by));
    ifd_json_list(j, "specimens");
    for (int k = 0; k < c->test->interfaces; k++) {
        ifd_json_object(j, NULL);
        ifd_json_text(j, "name", c->test->interface[k].name);
        for (int i = 0; i < NUMBERS; i++) {
            double value;
            memcpy(&value, (const char *)&found[k] + number[i].at, sizeof value);
            ifd_json_number(j, number[i].key, value);
        }
        ifd_json_text(j, "refused", found[k].refused);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    ifd_json_end(j);
}

ifd_status ifd_characterised_write(ifd_arena *arena, const ifd_case *c, const char *stem, const char *by,
                                   const ifd_characterised *found, ifd_note *note)
{
    char mark[IFD_MARK_SIZE];
    const char *path = path_of(arena, c, stem);
    ifd_json j;
    int kept = 0;
    IFD__HAVE(path);
    mark_of(c, mark);
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    ifd_json_integer(&j, "schema", 1);
    ifd_json_list(&j, list);
    put_record(&j, c, mark, by, found);
    for (const ifd_json_node *r = ifd__evidence_read(arena, path, list); r && kept < IFD__EVIDENCE_KEPT; r = r->next)
        if (!of_rig(r, mark)) {
            ifd__evidence_put(&j, r);
            kept++;
        }
    ifd_json_end(&j);
    ifd_json_end(&j);
    return ifd__evidence_write(arena, path, ifd_json_done(&j), note);
}

static void take(ifd_arena *arena, const ifd_json_node *record, const ifd_json_node *specimen, ifd_characterised *out)
{
    const char *date = ifd_json_text_at(record, "date", ""), *day = ifd__day_of(arena, date);
    *out = (ifd_characterised){.known = true,
                               .day = day ? day : "",
                               .days = ifd__days_since(date),
                               .refused = ifd_json_text_at(specimen, "refused", NULL)};
    for (int i = 0; i < NUMBERS; i++) {
        double value = ifd_json_number_at(specimen, number[i].key, (double)NAN);
        memcpy((char *)out + number[i].at, &value, sizeof value);
    }
}

bool ifd_characterised_read(ifd_arena *arena, const ifd_case *c, const char *stem,
                            ifd_characterised out[IFD_RIG_ACTUATORS])
{
    char mark[IFD_MARK_SIZE];
    const char *path = path_of(arena, c, stem);
    const ifd_json_node *r = path ? ifd__evidence_read(arena, path, list) : NULL;
    memset(out, 0, sizeof *out * IFD_RIG_ACTUATORS);
    mark_of(c, mark);
    while (r && !of_rig(r, mark))
        r = r->next;
    const ifd_json_node *of = ifd_json_at(r, "specimens");
    for (const ifd_json_node *s = of ? of->first : NULL; s; s = s->next)
        for (int k = 0; k < c->test->interfaces; k++)
            if (strcmp(ifd_json_text_at(s, "name", ""), c->test->interface[k].name) == 0)
                take(arena, r, s, &out[k]);
    return r != NULL;
}

static const char *listed(ifd_arena *arena, const double *value, int count)
{
    const char *text = "";
    for (int k = 0; k < count && text; k++)
        text = ifd_arena_print(arena, "%s%s%.17g", text, k ? ", " : "", value[k]);
    return text;
}

ifd_status ifd_characterised_burst(ifd_arena *arena, const ifd_case *c, const ifd_burst *burst, ifd_case **out)
{
    int count = c->test->interfaces;
    ifd_case *own;
    double *velocity, *frequency;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(own, 1), IFD__ARRAY(velocity, count), IFD__ARRAY(frequency, count)));
    *own = *c;
    for (int k = 0; k < count; k++) {
        velocity[k] = burst[k].velocity;
        frequency[k] = burst[k].frequency > 0.0 ? burst[k].frequency : 1.0;
    }
    own->day.characterise.burst_velocity = velocity;
    own->day.characterise.burst_frequency = frequency;
    own->day.characterise.bursts = count;
    const char *v = listed(arena, velocity, count), *f = listed(arena, frequency, count);
    IFD__HAVE(v && f && (ifd__add_set(arena, own, ifd_arena_print(arena, "test.burst-velocity=[%s]", v))) &&
              (ifd__add_set(arena, own, ifd_arena_print(arena, "test.burst-frequency=[%s]", f))));
    *out = own;
    return IFD_OK;
}

/* What was measured beyond doubt. A controlled force has the stiffness of its loop. */
static bool sound(const ifd_characterised *f, const ifd_interface_options *o)
{
    return f->known && !f->refused && !o->force && isfinite(f->stiffness) &&
           fabs(f->stiffness) > certain * f->stiffness_error;
}

bool ifd_characterised_use(ifd_arena *arena, const char *stem, ifd_case *c)
{
    ifd_characterised found[IFD_RIG_ACTUATORS];
    int count = c->test->interfaces;
    double *k = ifd_arena_array(arena, (size_t)count + 1, sizeof *k);
    double *loss = ifd_arena_array(arena, (size_t)count + 1, sizeof *loss);
    bool any = false;
    if (!k || !loss || c->test->characterised || !ifd_characterised_read(arena, c, stem, found))
        return false;
    for (int i = 0; i < count; i++) {
        bool good = sound(&found[i], &c->test->interface[i]);
        k[i] = good ? found[i].stiffness : 0.0;
        loss[i] = good && found[i].loss > 0.0 ? found[i].loss : 0.0;
        any = any || good;
    }
    const char *stiff = listed(arena, k, count), *lost = listed(arena, loss, count);
    if (!any || !stiff || !lost ||
        !ifd__add_set(arena, c, ifd_arena_print(arena, "test.characterised-stiffness=[%s]", stiff)) ||
        !ifd__add_set(arena, c, ifd_arena_print(arena, "test.characterised-loss=[%s]", lost)))
        return false;
    c->test->characterised = k;
    c->test->characterised_loss = loss;
    return true;
}
