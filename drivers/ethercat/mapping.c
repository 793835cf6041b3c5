/* SPDX-License-Identifier: MIT */
/* The process data of a device: PDOs assigned to its sync managers, and the objects in them. */
#include "wire.h"

enum { ASSIGNMENT = 0x1c10, OUTPUTS = 3, INPUTS = 4 }; /* types of sync managers in the SII */

static bool set(ec *m, int i, int index, int sub, uint32_t value, int bytes)
{
    const ec_sdo s = {.index = (uint16_t)index, .sub = (uint8_t)sub, .bytes = (uint8_t)bytes, .value = value};
    return ec_sdo_write(m, i, &s);
}

/* A list object takes its count last: 0, the rows, the count. */
static bool write_pdo(ec *m, int i, const ec_pdo *p)
{
    if (p->entries == 0)
        return true;
    bool done = set(m, i, p->index, 0, 0, 1);
    for (int k = 0; done && k < p->entries; k++)
        done = set(m, i, p->index, k + 1, p->entry[k], 4);
    return done && ec__sdo_verified(m, i, &(ec_sdo){.index = p->index, .bytes = 1, .value = (uint32_t)p->entries});
}

static bool write_assignment(ec *m, int i, int manager, bool input)
{
    const ec_expected *e = &m->line->device[i];
    int count = e->pdos[input], list = ASSIGNMENT + manager;
    if (count == 0)
        return true;
    bool done = set(m, i, list, 0, 0, 1);
    for (int k = 0; done && k < count; k++)
        done = write_pdo(m, i, &e->pdo[input][k]) && set(m, i, list, k + 1, e->pdo[input][k].index, 2);
    return done && ec__sdo_verified(m, i, &(ec_sdo){.index = (uint16_t)list, .bytes = 1, .value = (uint32_t)count});
}

static bool read_pdo(ec *m, int i, uint16_t pdo, bool input, int *bits)
{
    ec_device *d = &m->device[i];
    uint32_t count, e;
    if (ec_sdo_read(m, i, pdo, 0, &count) < 0)
        return false;
    for (uint32_t s = 1; s <= count; s++) {
        if (ec_sdo_read(m, i, pdo, (uint8_t)s, &e) < 0)
            return false;
        if (d->entries == EC_ENTRIES)
            return ec__fail(m, "device %d (%s) has more than %d objects in its process data", i + 1,
                            m->line->device[i].name, EC_ENTRIES);
        d->entry[d->entries++] = (ec_entry){(uint16_t)(e >> 16), (uint8_t)(e >> 8), (uint8_t)e, input, *bits};
        *bits += (int)(e & 255);
    }
    return true;
}

static bool read_assignment(ec *m, int i, int manager, bool input)
{
    uint32_t count, pdo;
    int bits = 8 * m->device[i].bytes[input];
    if (ec_sdo_read(m, i, (uint16_t)(ASSIGNMENT + manager), 0, &count) < 0)
        return false;
    for (uint32_t k = 1; k <= count; k++)
        if (ec_sdo_read(m, i, (uint16_t)(ASSIGNMENT + manager), (uint8_t)k, &pdo) < 0 ||
            !read_pdo(m, i, (uint16_t)pdo, input, &bits))
            return false;
    m->device[i].bytes[input] = (bits + 7) / 8;
    return true;
}

bool ec__map(ec *m, int i)
{
    ec_device *d = &m->device[i];
    bool seen[2] = {false, false}, fixed = !ec__has_objects(d);
    if (fixed && d->entries == EC_ENTRIES)
        return ec__fail(m, "device %d (%s) has %d objects or more in its process data", i + 1,
                        m->line->device[i].name, EC_ENTRIES);
    for (int k = 0; k < 2 && fixed; k++)
        d->bytes[k] = (d->bits[k] + 7) / 8;
    for (int k = 0; k < d->sync_managers; k++) {
        bool input = d->sync_manager[k].type == INPUTS;
        if (d->sync_manager[k].type != OUTPUTS && !input)
            continue;
        if (seen[input])
            return ec__fail(m, "device %d (%s) has two sync managers for its %s: not supported", i + 1,
                            m->line->device[i].name, input ? "inputs" : "outputs");
        seen[input] = true;
        if (fixed)
            continue;
        if (!write_assignment(m, i, k, input) || !read_assignment(m, i, k, input))
            return false;
    }
    return true;
}
