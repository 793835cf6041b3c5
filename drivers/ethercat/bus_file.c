/* SPDX-License-Identifier: MIT */
/* Reads the bus file of a line of EtherCAT devices. */
#include "bus_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bus_reader.h"

static const long most32 = 0xffffffff;

static const ifd_param root_params[] = {IFD_WORD("clock", "tick|bus|none", "the clock that leads"),
                                        IFD_OPTION("shift", TIME, 1e-6, 1, 0, "of SYNC0 after the tick; half a tick"),
                                        {0}};

enum { CLOCK, SHIFT };
enum { NAME };
static const ifd_param device_params[] = {IFD_TEXT("name", "for axes, inputs and messages", .required = true),
                                          IFD_TEXT("vendor", "vendor in its SII", .required = true),
                                          IFD_TEXT("product", "product code in its SII", .required = true),
                                          IFD_TEXT("revision", "smallest revision"),
                                          {0}};

static const ifd_param startup_params[] = {IFD_TEXT("object", "0x2000:1", .required = true),
                                           IFD_TEXT("bytes", "its size, 1 to 4", .required = true),
                                           IFD_TEXT("value", "written and read back", .required = true),
                                           {0}};

static const ifd_param pdo_params[] = {IFD_TEXT("pdo", "0x1600 to 0x1BFF", .required = true), {0}};

enum { DEVICE, OBJECT, COUNTS, VALUES, SIGNAL_PARAMS };
static const ifd_param signal_params[] = {IFD_TEXT("device", "name of the device", .required = true),
                                          IFD_TEXT("object", "an input in its process data", .required = true),
                                          IFD_OPTION("counts", NONE, 1e-12, 1e12, 1, "increments per unit"),
                                          IFD_WORD("values", "signed|unsigned", "data type of the object"),
                                          {0}};

enum { BIT = 2 };
static const ifd_param output_params[] = {IFD_TEXT("device", "name of the device", .required = true),
                                          IFD_TEXT("object", "an output in its process data", .required = true),
                                          IFD_OPTION("bit", NONE, 0, 31, 0, "of the object"),
                                          {0}};

/* A whole number from the start of a text; NULL: there is none up to `most`. */
static const char *whole(const char *text, unsigned long most, uint32_t *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)text[0]))
        return NULL;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned long v = strtoul(text, &end, hexadecimal ? 16 : 10);
    *out = (uint32_t)v;
    return v <= most ? end : NULL;
}

/* "0x6040:0", or "0x6040:0/16" with bits: index << 16 | sub-index << 8 | bits. */
static bool read_object(bus_reader *r, const ifd_setting *s, bool with_bits, uint32_t *out)
{
    uint32_t index = 0, sub = 0, bits = 0;
    const char *p = whole(ifd_setting_text(s), 0xffff, &index);
    p = p && *p == ':' ? whole(p + 1, 0xff, &sub) : NULL;
    if (with_bits)
        p = p && *p == '/' ? whole(p + 1, 64, &bits) : NULL;
    *out = index << 16 | sub << 8 | bits;
    if (p && !*p && (bits > 0 || !with_bits))
        return true;
    ifd_place place = ifd_setting_place(s);
    ifd_note_add(r->note, IFD_SYNTAX, &place, "'%.40s' is not an object%s", ifd_setting_text(s),
                 with_bits ? " with its bits, as 0x6040:0/16" : ", as 0x6040:0");
    return false;
}

bool bus_read_whole(bus_reader *r, const ifd_setting *s, long least, long most, uint32_t *out)
{
    long v = 0;
    bool good = ifd_setting_integer(s, least, most, &v, r->note) == IFD_OK;
    *out = good ? (uint32_t)v : *out;
    return good;
}

static const ifd_setting *need(bus_reader *r, const ifd_setting *map, const char *key)
{
    const ifd_setting *s = ifd_setting_get(map, key);
    ifd_place place = ifd_setting_place(map);
    if (!s)
        ifd_note_add(r->note, IFD_MISSING_KEY, &place, "the bus file needs '%s'", key);
    return s;
}

bool bus_list(bus_reader *r, const ifd_setting *s, const char *what, int least, int most)
{
    if (!s)
        return false;
    ifd_place place = ifd_setting_place(s);
    int count = ifd_setting_count(s);
    if (ifd_setting_kind_of(s) != IFD_SETTING_LIST)
        ifd_note_add(r->note, IFD_SHAPE, &place, "expected a list [...] of %s", what);
    else if (count < least || count > most)
        ifd_note_add(r->note, IFD_SHAPE, &place, "%d %s, expected %d to %d", count, what, least, most);
    return ifd_setting_kind_of(s) == IFD_SETTING_LIST && count >= least && count <= most;
}

int bus_device(bus_reader *r, const ifd_value *name)
{
    const ec_line *line = &r->out->line;
    for (int i = 0; i < line->devices; i++)
        if (strcmp(line->device[i].name, name->word) == 0)
            return i;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &name->place, "no device '%.60s' in the list 'devices'", name->word);
    return -1;
}

void bus_startup(bus_reader *r, int device, const ec_sdo *sdo, const ifd_place *place)
{
    ec_expected *e = &r->out->line.device[device];
    if (e->startups == EC_STARTUP)
        ifd_note_add(r->note, IFD_TOO_LARGE, place, "more than %d startup objects for device '%s'", EC_STARTUP,
                     e->name);
    else
        e->startup[e->startups++] = *sdo;
}

static void read_startup(bus_reader *r, int device, const ifd_setting *s)
{
    ifd_value v[3];
    uint32_t object, bytes = 4, value = 0;
    ifd_place place = ifd_setting_place(s);
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){startup_params, NULL, "startup"}, v, r->note) != IFD_OK)
        return;
    bool good = read_object(r, ifd_setting_get(s, "object"), false, &object);
    good = bus_read_whole(r, ifd_setting_get(s, "bytes"), 1, 4, &bytes) && good;
    if (!bus_read_whole(r, ifd_setting_get(s, "value"), 0, most32 >> 8 * (4 - bytes), &value) || !good)
        return;
    const ec_sdo sdo = {
        .index = (uint16_t)(object >> 16), .sub = (uint8_t)(object >> 8), .bytes = (uint8_t)bytes, .value = value};
    bus_startup(r, device, &sdo, &place);
}

/* {pdo: 0x1600, entries: [0x6040:0/16, ...]} */
static void read_pdo(bus_reader *r, ec_pdo *p, const ifd_setting *s)
{
    ifd_value v[1];
    uint32_t index = 0;
    const ifd_setting *entries = ifd_setting_get(s, "entries");
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){pdo_params, "entries", "a PDO"}, v, r->note) != IFD_OK)
        return;
    if (bus_read_whole(r, ifd_setting_get(s, "pdo"), 0x1600, 0x1bff, &index))
        p->index = (uint16_t)index;
    if (!bus_list(r, entries, "entries", 1, EC_ENTRIES))
        return;
    for (const ifd_setting *c = ifd_setting_first(entries); c; c = ifd_setting_next(c))
        if (read_object(r, c, true, &p->entry[p->entries]))
            p->entries++;
}

static void read_device(bus_reader *r, int i, const ifd_setting *s)
{
    static const char *const lists[2] = {"outputs", "inputs"};
    ec_expected *e = &r->out->line.device[i];
    ifd_value v[4];
    const ifd_setting_ask ask = {device_params, "startup|outputs|inputs", "a device"};
    e->name = "";
    if (ifd_setting_params(r->arena, s, ask, v, r->note) != IFD_OK)
        return;
    e->name = v[NAME].word;
    for (int k = 0; k < i; k++)
        if (strcmp(e->name, r->out->line.device[k].name) == 0)
            ifd_note_add(r->note, IFD_DUPLICATE, &v[NAME].place, "two devices have the name '%.60s'", e->name);
    bus_read_whole(r, ifd_setting_get(s, "vendor"), 0, most32, &e->vendor);
    bus_read_whole(r, ifd_setting_get(s, "product"), 0, most32, &e->product);
    bus_read_whole(r, ifd_setting_get(s, "revision"), 0, most32, &e->revision);
    const ifd_setting *startup = ifd_setting_get(s, "startup");
    if (bus_list(r, startup, "startup objects", 0, EC_STARTUP))
        for (const ifd_setting *c = ifd_setting_first(startup); c; c = ifd_setting_next(c))
            read_startup(r, i, c);
    for (int input = 0; input < 2; input++) {
        const ifd_setting *list = ifd_setting_get(s, lists[input]);
        if (bus_list(r, list, "PDOs", 1, EC_PDOS))
            for (const ifd_setting *c = ifd_setting_first(list); c; c = ifd_setting_next(c))
                read_pdo(r, &e->pdo[input][e->pdos[input]++], c);
    }
}

static void read_devices(bus_reader *r, const ifd_setting *list)
{
    ec_line *line = &r->out->line;
    if (!bus_list(r, list, "devices", 1, EC_DEVICES))
        return;
    line->device = ifd_arena_array(r->arena, (size_t)ifd_setting_count(list), sizeof *line->device);
    if (!line->device)
        ifd_note_add(r->note, IFD_NO_MEMORY, NULL, "no memory for the devices");
    for (const ifd_setting *c = ifd_setting_first(list); c && line->device; c = ifd_setting_next(c))
        read_device(r, line->devices++, c);
}

/* {device: input, object: 0x6000:0x11, counts: 100} */
static void read_signal(bus_reader *r, bus_signal *out, const ifd_setting *s)
{
    ifd_value v[SIGNAL_PARAMS];
    uint32_t object;
    if (!s ||
        ifd_setting_params(r->arena, s, (ifd_setting_ask){signal_params, NULL, "an input"}, v, r->note) != IFD_OK)
        return;
    *out = (bus_signal){.device = bus_device(r, &v[DEVICE]),
                        .counts = v[COUNTS].number,
                        .without_sign = v[VALUES].number != 0.0,
                        .place = ifd_setting_place(s),
                        .given = true};
    if (read_object(r, ifd_setting_get(s, "object"), false, &object)) {
        out->index = (uint16_t)(object >> 16);
        out->sub = (uint8_t)(object >> 8);
    }
}

/* {device: lamps, object: 0x7000:1, bit: 0} */
static void read_output(bus_reader *r, const ifd_setting *s)
{
    ifd_value v[3];
    uint32_t object = 0;
    ifd_place place = ifd_setting_place(s);
    int word = ifd_choice_find(BUS_OUTPUTS, ifd_setting_key(s));
    if (word < 0) {
        ifd_choice_note(r->note, &place, "the bus file", "outputs", BUS_OUTPUTS, ifd_setting_key(s));
        return;
    }
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){output_params, NULL, "an output"}, v, r->note) != IFD_OK ||
        !read_object(r, ifd_setting_get(s, "object"), false, &object))
        return;
    r->out->output[word] = (bus_signal){.device = bus_device(r, &v[DEVICE]),
                                        .index = (uint16_t)(object >> 16),
                                        .sub = (uint8_t)(object >> 8),
                                        .bit = (int)v[BIT].number,
                                        .place = place,
                                        .given = true};
}

/* An object, or a counter of frames. */
static void read_aux(bus_reader *r, bus_signal *out, const ifd_setting *s)
{
    static const char words[] = "late|never|side|limit";
    ifd_place place = ifd_setting_place(s);
    int word = ifd_choice_find(words, ifd_setting_text(s));
    if (ifd_setting_kind_of(s) == IFD_SETTING_MAP)
        read_signal(r, out, s);
    else if (word < 0)
        ifd_choice_note(r->note, &place, "the bus file", "aux", words, ifd_setting_text(s));
    else
        *out = (bus_signal){.kind = BUS_AUX_LATE + word, .given = true};
}

/* The ticks are whole periods of CLOCK_MONOTONIC, and SYNC0 is `shift` after each. */
static void read_shift(bus_reader *r, const ifd_setting *root, const ifd_value *shift)
{
    double ns = 1e9 * r->tick;
    ifd_place place = ifd_setting_place(root);
    r->out->line.shift = shift->given ? shift->number : 0.5 * r->tick;
    if (r->out->clock == BUS_CLOCK_TICK && fabs(ns - round(ns)) > 1e-6)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &place, "a tick of %.9g ns is not a whole number: use `clock: bus`",
                     ns);
    if (shift->given && !(shift->number >= 0.2 * r->tick && shift->number <= 0.8 * r->tick))
        ifd_note_add(r->note, IFD_RANGE, &shift->place, "shift is %g s, expected 20 to 80 %% of the tick of %g s",
                     shift->number, r->tick);
}

static void read_root(bus_reader *r, const ifd_setting *root)
{
    bus_file *b = r->out;
    ifd_value v[2];
    const ifd_setting_ask ask = {root_params, "devices|axes|forces|stop-input|power-input|aux|outputs",
                                 "the bus file"};
    if (ifd_setting_params(r->arena, root, ask, v, r->note) != IFD_OK)
        return;
    b->clock = (int)v[CLOCK].number;
    read_shift(r, root, &v[SHIFT]);
    int errors = r->note->errors;
    read_devices(r, need(r, root, "devices"));
    if (r->note->errors != errors) /* the other keys name devices */
        return;
    bus_read_axes(r, need(r, root, "axes"));
    const ifd_setting *forces = need(r, root, "forces"), *aux = ifd_setting_get(root, "aux");
    if (bus_list(r, forces, "forces", 1, IFD_RIG_CHANNELS))
        for (const ifd_setting *c = ifd_setting_first(forces); c; c = ifd_setting_next(c))
            read_signal(r, &b->force[b->forces++], c);
    if (bus_list(r, aux, "auxiliary inputs", 0, BUS_AUX))
        for (const ifd_setting *c = ifd_setting_first(aux); c; c = ifd_setting_next(c))
            read_aux(r, &b->aux[b->auxes++], c);
    for (const ifd_setting *c = ifd_setting_first(ifd_setting_get(root, "outputs")); c; c = ifd_setting_next(c))
        read_output(r, c);
    read_signal(r, &b->stop, need(r, root, "stop-input"));
    read_signal(r, &b->power, ifd_setting_get(root, "power-input"));
}

ifd_status bus_file_read(ifd_arena *arena, const char *path, double tick, bus_file *out, ifd_note *note)
{
    ifd_settings *s;
    bus_reader r = {arena, tick, out, note};
    memset(out, 0, sizeof *out);
    IFD_TRY(ifd_settings_read(arena, path, &s, note));
    read_root(&r, ifd_settings_root(s));
    out->line.cycle = out->clock == BUS_CLOCK_NONE ? 0.0 : tick;
    out->line.steer = out->clock == BUS_CLOCK_TICK;
    out->line.settle = 10.0;
    return ifd_settings_end(s, note);
}
