/* SPDX-License-Identifier: MIT */
#include "bus_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bus_reader.h"

/* A whole number, decimal or hexadecimal, from the start of a text; NULL: there is none up to `most`. */
static const char *whole(const char *text, uint32_t most, uint32_t *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)text[0]))
        return NULL;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned long long v = strtoull(text, &end, hexadecimal ? 16 : 10);
    *out = (uint32_t)v;
    return v <= most ? end : NULL;
}

static bool read_whole(bus_reader *r, const ifd__node *n, uint32_t least, uint32_t most, uint32_t *out)
{
    const char *end = n && n->kind == IFD__SCALAR ? whole(n->text, most, out) : NULL;
    if (!n || (end && !*end && *out >= least))
        return n != NULL;
    ifd_note_add(r->note, IFD_NUMBER, &n->place, "'%.40s' is not a whole number from %u to 0x%x",
                 n->kind == IFD__SCALAR ? n->text : "", (unsigned)least, (unsigned)most);
    return false;
}

/* "0x6040:0", or "0x6040:0/16" with bits: index << 16 | sub-index << 8 | bits. */
static bool read_object(bus_reader *r, const ifd__node *n, bool with_bits, uint32_t *out)
{
    uint32_t index = 0, sub = 0, bits = 0;
    const char *p = n && n->kind == IFD__SCALAR ? whole(n->text, 0xffff, &index) : NULL;
    p = p && *p == ':' ? whole(p + 1, 0xff, &sub) : NULL;
    if (with_bits)
        p = p && *p == '/' ? whole(p + 1, 64, &bits) : NULL;
    *out = index << 16 | sub << 8 | bits;
    if (!n || (p && !*p && (bits > 0 || !with_bits)))
        return n != NULL;
    ifd_note_add(r->note, IFD_SYNTAX, &n->place, "'%.40s' is not an object%s", n->kind == IFD__SCALAR ? n->text : "",
                 with_bits ? " with its bits, as 0x6040:0/16" : ", as 0x6040:0");
    return false;
}

int bus_device(bus_reader *r, const char *name, const ifd_place *place)
{
    const ec_line *line = &r->out->line;
    for (int i = 0; i < line->devices; i++)
        if (strcmp(line->device[i].name, name) == 0)
            return i;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, place, "no device '%.60s' in the list 'devices'", name);
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

static void read_startup(bus_reader *r, int device, const ifd__node *n)
{
    uint32_t object, bytes, value;
    ifd__yaml_keys(n, "object|bytes|value", "startup", r->note);
    bool good = read_object(r, ifd__yaml_need(n, "object", r->note), false, &object);
    good = read_whole(r, ifd__yaml_need(n, "bytes", r->note), 1, 4, &bytes) && good;
    if (!good || !read_whole(r, ifd__yaml_need(n, "value", r->note), 0, 0xffffffffu >> 8 * (4 - bytes), &value))
        return;
    const ec_sdo sdo = {(uint16_t)(object >> 16), (uint8_t)(object >> 8), (uint8_t)bytes, value};
    bus_startup(r, device, &sdo, &n->place);
}

/* {pdo: 0x1600, entries: [0x6040:0/16, ...]} */
static void read_pdo(bus_reader *r, ec_pdo *p, const ifd__node *n)
{
    uint32_t index;
    ifd__yaml_keys(n, "pdo|entries", "a PDO", r->note);
    if (read_whole(r, ifd__yaml_need(n, "pdo", r->note), 0x1600, 0x1bff, &index))
        p->index = (uint16_t)index;
    const ifd__node *entries = ifd__yaml_get(n, "entries");
    if (!entries || ifd__yaml_expect(entries, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (entries->count > EC_ENTRIES) {
        ifd_note_add(r->note, IFD_TOO_LARGE, &entries->place, "%d entries, at most %d", entries->count, EC_ENTRIES);
        return;
    }
    for (const ifd__node *c = entries->first; c; c = c->next)
        if (read_object(r, c, true, &p->entry[p->entries]))
            p->entries++;
}

static void read_pdos(bus_reader *r, ec_expected *e, bool input, const ifd__node *list)
{
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (list->count > EC_PDOS) {
        ifd_note_add(r->note, IFD_TOO_LARGE, &list->place, "%d PDOs, at most %d", list->count, EC_PDOS);
        return;
    }
    for (const ifd__node *c = list->first; c; c = c->next)
        read_pdo(r, &e->pdo[input][e->pdos[input]++], c);
}

static void read_device(bus_reader *r, int i, const ifd__node *n)
{
    ec_expected *e = &r->out->line.device[i];
    e->name = "";
    if (ifd__yaml_keys(n, "name|vendor|product|revision|startup|outputs|inputs", "a device", r->note) == IFD_SHAPE)
        return;
    const ifd__node *name = ifd__yaml_need(n, "name", r->note);
    ifd__yaml_text(name, &e->name, r->note);
    for (int k = 0; k < i; k++)
        if (name && strcmp(e->name, r->out->line.device[k].name) == 0)
            ifd_note_add(r->note, IFD_DUPLICATE, &name->place, "two devices have the name '%.60s'", e->name);
    read_whole(r, ifd__yaml_need(n, "vendor", r->note), 0, UINT32_MAX, &e->vendor);
    read_whole(r, ifd__yaml_need(n, "product", r->note), 0, UINT32_MAX, &e->product);
    read_whole(r, ifd__yaml_get(n, "revision"), 0, UINT32_MAX, &e->revision);
    const ifd__node *startup = ifd__yaml_get(n, "startup");
    if (startup && ifd__yaml_expect(startup, IFD__SEQUENCE, r->note) == IFD_OK)
        for (const ifd__node *c = startup->first; c; c = c->next)
            read_startup(r, i, c);
    read_pdos(r, e, false, ifd__yaml_get(n, "outputs"));
    read_pdos(r, e, true, ifd__yaml_get(n, "inputs"));
}

static void read_devices(bus_reader *r, const ifd__node *list)
{
    ec_line *line = &r->out->line;
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (list->count < 1 || list->count > EC_DEVICES) {
        ifd_note_add(r->note, IFD_SHAPE, &list->place, "%d devices, expected 1 to %d", list->count, EC_DEVICES);
        return;
    }
    line->device = ifd_arena_array(r->arena, (size_t)list->count, sizeof *line->device);
    if (!line->device) {
        ifd_note_add(r->note, IFD_NO_MEMORY, &list->place, "not enough memory");
        return;
    }
    for (const ifd__node *c = list->first; c; c = c->next)
        read_device(r, line->devices++, c);
}

/* {device: input, object: 0x6000:0x11, counts: 100} */
static void read_signal(bus_reader *r, bus_signal *s, const ifd__node *n, bool scaled)
{
    const char *name = NULL;
    uint32_t object;
    if (!n)
        return;
    *s = (bus_signal){.device = -1, .counts = 1.0, .place = n->place, .given = true};
    if (ifd__yaml_keys(n, scaled ? "device|object|counts" : "device|object", "an input", r->note) == IFD_SHAPE)
        return;
    const ifd__node *device = ifd__yaml_need(n, "device", r->note);
    if (ifd__yaml_text(device, &name, r->note) == IFD_OK && name)
        s->device = bus_device(r, name, &device->place);
    if (read_object(r, ifd__yaml_need(n, "object", r->note), false, &object)) {
        s->index = (uint16_t)(object >> 16);
        s->sub = (uint8_t)(object >> 8);
    }
    if (scaled)
        ifd__yaml_number(ifd__yaml_get(n, "counts"), IFD_DIM_NONE, IFD_RANGE_POSITIVE, &s->counts, r->note);
}

static int read_signals(bus_reader *r, bus_signal *s, int most, const ifd__node *list)
{
    int count = 0, kind;
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return 0;
    if (list->count > most) {
        ifd_note_add(r->note, IFD_TOO_LARGE, &list->place, "%d inputs, at most %d", list->count, most);
        return 0;
    }
    for (const ifd__node *c = list->first; c; c = c->next, count++) {
        if (c->kind == IFD__MAPPING)
            read_signal(r, &s[count], c, true);
        else if (s == r->out->aux && ifd__yaml_word(c, "late|never", &kind, r->note) == IFD_OK)
            s[count] = (bus_signal){.kind = kind ? BUS_AUX_NEVER : BUS_AUX_LATE, .given = true};
        else if (s != r->out->aux)
            ifd__yaml_expect(c, IFD__MAPPING, r->note);
    }
    return count;
}

static void read_root(bus_reader *r, const ifd__node *root)
{
    bus_file *b = r->out;
    if (ifd__yaml_keys(root, "clock|devices|axes|forces|stop-input|power-input|aux", "the bus file", r->note) ==
        IFD_SHAPE)
        return;
    ifd__yaml_word(ifd__yaml_get(root, "clock"), "tick|bus|none", &b->clock, r->note);
    read_devices(r, ifd__yaml_need(root, "devices", r->note));
    if (r->note->errors) /* the other keys name devices */
        return;
    bus_read_axes(r, ifd__yaml_need(root, "axes", r->note));
    b->forces = read_signals(r, b->force, IFD_RIG_CHANNELS, ifd__yaml_need(root, "forces", r->note));
    read_signal(r, &b->stop, ifd__yaml_need(root, "stop-input", r->note), false);
    read_signal(r, &b->power, ifd__yaml_get(root, "power-input"), false);
    b->auxes = read_signals(r, b->aux, BUS_AUX, ifd__yaml_get(root, "aux"));
}

ifd_status bus_file_read(ifd_arena *arena, const char *path, double tick, bus_file *out, ifd_note *note)
{
    ifd__yaml doc;
    int before = note->errors;
    bus_reader r = {arena, tick, out, note};
    memset(out, 0, sizeof *out);
    IFD_TRY(ifd__yaml_read_from(NULL, arena, path, &doc, note));
    read_root(&r, doc.root);
    out->line.cycle = out->clock == BUS_CLOCK_NONE ? 0.0 : tick;
    out->line.steer = out->clock == BUS_CLOCK_TICK;
    out->line.settle = 10.0;
    ifd__yaml_source_lines(&doc, note);
    return note->errors == before ? IFD_OK : note->last->code;
}
