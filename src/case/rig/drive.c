/* SPDX-License-Identifier: MIT */
/* Drives: the relation of the dofs of a test to the actuators of its rig. */
#include <string.h>

#include "analysis/variant.h"
#include "case/rig/channels.h"
#include "rig/compensator/compensator.h"

const ifd__section ifd__section_drives = {
    "drives", "drives: several actuators on specimens", "drives",
    "The actuators are defined by `matrix` or by their geometry. With a geometry, every actuator extends from a "
    "fixed `base` to a point `at` of a rigid block, and `dofs` are the displacements and rotations of the block at "
    "`point`. Displacements and rotations may be large. The limits of the actuators apply in addition to those of "
    "the specimens.",
    KEYS(TEXT("name", true, NULL, "name in messages"),
         FORM("dofs", true, "{axis: specimen} with axes x, y, z, rx, ry, rz; with a matrix: list of specimens", NULL,
              "dofs of the drive: specimens, or names of force-control"),
         FORM("point", false, "[x, y] or [x, y, z]", "the origin",
              "point of the block whose motion the dofs describe"),
         FORM("matrix", false, "list of rows, one per actuator", "from the geometry",
              "extensions of the actuators = matrix times dofs"),
         FORM("actuators", true, "list (help drive-actuator)", NULL, "actuators, at least as many as dofs"),
         FORM("compensation", false, "name, or {name: {parameters}} (help compensation)", "none",
              "compensation of all dofs of the drive, instead of those of its specimens"),
         FORM("sharing", false, "mapping (help sharing)", "none",
              "load sharing, for more actuators than dofs: reduces forces between the actuators"))};

const ifd__section ifd__section_sharing = {
    "sharing", "sharing: load sharing of a drive", "drives.sharing",
    "Load sharing moves the actuators in directions that move no dof until they no longer act against each other: d' "
    "= -2 pi bandwidth P f / stiffness. P f is the part of the measured forces f that loads no dof. The forces are "
    "then the smallest that load the specimen as required.",
    KEYS(NUMBER("stiffness", STIFFNESS, 1e-3, 1e15,
                "estimated stiffness of one actuator against the others through the block; it sets the gain"),
         WITHIN("bandwidth", FREQUENCY, 1e-6, 1e5, 1, NULL,
                "bandwidth of the control loop; below 1 / (8 delay), as for force-control"),
         NUMBER("limit", LENGTH, 1e-9, 100, "largest displacement of an actuator for load sharing"),
         WITHIN("twin", STIFFNESS, 1e-3, 1e15, 0, "the estimate", "stiffness on the virtual rig"))};

const ifd__section ifd__section_drive_actuator = {
    "drive-actuator", "drive-actuator: one actuator of a drive", "drives.actuators", "",
    KEYS(TEXT("name", true, NULL, "name in results and messages"),
         FORM("base", false, "[x, y] or [x, y, z]", NULL, "coordinates of the fixed end"),
         FORM("at", false, "[x, y] or [x, y, z]", NULL, "coordinates of the end at the block, at zero position"),
         FORM("limits", true, "mapping (help limits)", NULL, "limits of the extension, counted from zero position"),
         FORM("actuator", false, "name, or {name: {parameters}} (help actuator)", "ideal",
              "actuator of the virtual rig"),
         FORM("position-sensor", false, "mapping (help sensor)", "ideal", "position sensor of the virtual rig"),
         FORM("force-sensor", false, "mapping (help sensor)", "ideal", "force sensor of the virtual rig"))};

static const char *const no_name = "?";

static void read_point(ifd__reader *r, const ifd__node *node, double out[3])
{
    const double *x = NULL;
    int n = 0;
    if (ifd__yaml_list(r->arena, node, IFD_DIM_LENGTH, &x, &n, r->note) != IFD_OK || !node)
        return;
    if (n != 2 && n != 3) {
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'%s' has %d numbers, expected [x, y] or [x, y, z]", node->key,
                     n);
        return;
    }
    memcpy(out, x, sizeof *x * (size_t)n);
}

static void read_dofs(ifd__reader *r, const ifd__node *node, bool matrix, ifd_axis *axis, int *channel, int *count)
{
    if (!node)
        return;
    if (ifd__yaml_expect(node, matrix ? IFD__SEQUENCE : IFD__MAPPING, r->note) != IFD_OK)
        return;
    if (node->count < 1 || node->count > IFD_DRIVE_DOFS) {
        ifd_note_add(r->note, IFD_RANGE, &node->place, "a drive has 1 to %d dofs, found %d", IFD_DRIVE_DOFS,
                     node->count);
        return;
    }
    for (const ifd__node *n = node->first; n; n = n->next) {
        int which = matrix ? 0 : ifd_choice_find(ifd_axis_words(), n->key);
        if (which < 0) {
            ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &n->key_place, "'%s' is not an axis of a block", n->key);
            ifd_choice_hint(r->note, ifd_axis_words(), n->key);
            continue;
        }
        axis[*count] = (ifd_axis)which;
        channel[(*count)++] = ifd__interface_at(r, n, "drive: ");
    }
}

typedef struct drawn {
    double base[IFD_DRIVE_ACTUATORS][3], at[IFD_DRIVE_ACTUATORS][3];
    const char *name[IFD_DRIVE_ACTUATORS];
    ifd_limits limits[IFD_DRIVE_ACTUATORS];
    ifd_virtual_actuator bench[IFD_DRIVE_ACTUATORS];
    ifd_axis axis[IFD_DRIVE_DOFS];
    int interface[IFD_DRIVE_DOFS], dofs, actuators;
    double stiffness; /* N/m, between the actuators of the virtual rig */
} drawn;

static void read_actuator(ifd__reader *r, const ifd__node *item, bool matrix, drawn *d)
{
    ifd__fields f;
    int j = d->actuators++;
    ifd__fields_read(r, item, &ifd__section_drive_actuator, "an actuator of a drive", &f);
    const ifd__node *base = ifd__part(&f, "base"), *at = ifd__part(&f, "at"), *limits = ifd__part(&f, "limits");
    const ifd_value *name = ifd__field(&f, "name");
    d->name[j] = name->word ? name->word : no_name;
    if (!matrix && (!base || !at))
        ifd_note_add(r->note, IFD_MISSING_KEY, &item->place,
                     "actuator '%s' needs 'base' and 'at', the coordinates of its ends", d->name[j]);
    if (matrix && (base || at))
        ifd_note_add(r->note, IFD_CONFLICT, &item->place,
                     "actuator '%s' has 'base' or 'at', but its drive has a matrix", d->name[j]);
    read_point(r, base, d->base[j]);
    read_point(r, at, d->at[j]);
    if (limits)
        ifd__read_limits(r, limits, false, &d->limits[j]);
    ifd__need_limits(r, ifd_arena_print(r->arena, "actuator '%s'", d->name[j]), limits, &d->limits[j]);
    ifd__read_bench(r, item, &d->bench[j]);
}

static void read_matrix(ifd__reader *r, const ifd__node *node, const drawn *d, ifd_drive_options *o)
{
    ifd_value given = {0};
    if (!node || ifd__yaml_matrix(r->arena, node, IFD_DIM_ANY, &given, r->note) != IFD_OK)
        return;
    o->matrix = given.data;
    if (given.rows != d->actuators || given.cols != d->dofs)
        ifd_note_add(r->note, IFD_SHAPE, &node->place,
                     "the matrix is %d x %d, expected one row per actuator (%d) and one column per dof (%d)",
                     given.rows, given.cols, d->actuators, d->dofs);
}

/* twin: the stiffness in the virtual rig, by default that of the loop. */
static void read_sharing(ifd__reader *r, const ifd__node *node, ifd_driven *driven, double *twin)
{
    const ifd_drive_options *drive = &driven->drive;
    ifd_sharing *out = ifd_arena_take(r->arena, sizeof *out);
    ifd__fields f;
    if (!node || !out)
        return;
    driven->sharing = out;
    ifd__fields_read(r, node, &ifd__section_sharing, "sharing", &f);
    const ifd_value *own = ifd__field(&f, "twin");
    *out = (ifd_sharing){.stiffness = ifd__field(&f, "stiffness")->number,
                         .bandwidth = ifd__field(&f, "bandwidth")->number,
                         .limit = ifd__field(&f, "limit")->number};
    *twin = own->given ? own->number : out->stiffness;
    if (drive->actuators > drive->dofs)
        return;
    ifd_note_add(r->note, IFD_CONFLICT, &node->key_place,
                 "drive '%s' has %d actuators for %d dofs: equilibrium determines the forces, sharing is impossible",
                 drive->name, drive->actuators, drive->dofs);
    ifd_note_hint(r->note, "remove 'sharing', or add the missing actuator");
}

static void read_drive(ifd__reader *r, const ifd__node *item, ifd_driven *out, drawn *d)
{
    ifd__fields f;
    ifd__fields_read(r, item, &ifd__section_drives, "a drive", &f);
    const ifd__node *matrix = ifd__part(&f, "matrix"), *list = ifd__part(&f, "actuators");
    const ifd_value *name = ifd__field(&f, "name");
    int errors = r->note->errors;
    read_dofs(r, ifd__part(&f, "dofs"), matrix != NULL, d->axis, d->interface, &d->dofs);
    if (list && ifd__yaml_expect(list, IFD__SEQUENCE, r->note) == IFD_OK)
        for (const ifd__node *n = list->first; n && d->actuators < IFD_DRIVE_ACTUATORS; n = n->next)
            read_actuator(r, n, matrix != NULL, d);
    out->drive = (ifd_drive_options){.name = name->word ? name->word : no_name,
                                     .dofs = d->dofs,
                                     .actuators = d->actuators,
                                     .axis = d->axis,
                                     .base = (const double(*)[3])d->base,
                                     .attachment = (const double(*)[3])d->at};
    read_point(r, ifd__part(&f, "point"), out->drive.point);
    read_matrix(r, matrix, d, &out->drive);
    read_sharing(r, ifd__part(&f, "sharing"), out, &d->stiffness);
    out->interface = d->interface;
    out->name = d->name;
    out->limits = d->limits;
    ifd_drive *tried = NULL;
    const ifd_finding *before = r->note->last;
    if (r->note->errors == errors && ifd_drive_make(r->arena, &out->drive, &tried, r->note) != IFD_OK)
        ifd__place_findings(r, before, &item->place);
}

/* The same on every dof; a compensator that couples the dofs has a row for each. */
static void read_compensation(ifd__reader *r, const ifd__node *node, const drawn *d)
{
    ifd_interface_options given = {0};
    if (!ifd__read_compensation(r, node, &given))
        return;
    int row = ifd_param_find(given.compensator->params, "row"),
        rows = row >= 0 ? ifd__decoupling_size(given.compensator_values) : d->dofs;
    if (rows != d->dofs)
        ifd_note_add(r->note, IFD_SHAPE, &node->key_place,
                     "compensation '%s': the matrices have %d row%s, expected %d, one per dof of the drive",
                     given.compensator->name, rows, rows == 1 ? "" : "s", d->dofs);
    for (int i = 0; i < d->dofs && d->interface[i] >= 0; i++) {
        ifd_interface_options *c = &r->interface[d->interface[i]];
        ifd_value *values = ifd_arena_array(r->arena, IFD_COMPENSATOR_PARAMS, sizeof *values);
        if (!values)
            return;
        if (c->compensator || c->force) {
            ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "'%s' %s, and its drive has a compensation",
                         c->name, c->force ? "is in force control" : "has a compensation");
            ifd_note_hint(r->note, c->force ? "write a compensation in each specimen instead" : "remove one of them");
            continue;
        }
        memcpy(values, given.compensator_values, sizeof *values * IFD_COMPENSATOR_PARAMS);
        if (row >= 0)
            values[row] = ifd_number(i + 1);
        c->compensator = given.compensator;
        c->compensator_values = values;
    }
}

/* The specimen of an earlier dof of any drive; -1: every dof has its own. */
static int shared(const drawn *const *d, int drives, int *drive)
{
    bool seen[IFD_RIG_ACTUATORS] = {false};
    for (*drive = 0; *drive < drives; ++*drive)
        for (int q = 0; q < d[*drive]->dofs; q++) {
            int k = d[*drive]->interface[q];
            if (k >= 0 && seen[k])
                return k;
            if (k >= 0)
                seen[k] = true;
        }
    return -1;
}

static bool refuse_shared(ifd__reader *r, drawn *const *d, const ifd_driven *driven, int n, const ifd__node *list)
{
    int drive, k = shared((const drawn *const *)d, n, &drive);
    if (k < 0)
        return false;
    ifd_note_add(r->note, IFD_CONFLICT, &list->key_place,
                 "'%s' of drive '%s' is already a dof of a drive: expected each specimen in one drive, once",
                 r->c->test->interface[k].name, driven[drive].drive.name);
    return true;
}

/* Accelerometers without an `input` have the number of their actuator. A dof of a drive has no actuator. */
static void renumber_accelerometers(ifd__reader *r, const ifd__node *list, const int *actuator, const int *drive)
{
    const ifd_hybrid_options *o = r->c->test;
    const ifd__node *item = ifd__yaml_get(r->doc.root, "specimen");
    ifd_interface_options *channel = r->interface;
    item = item ? item->first : NULL;
    for (int k = 0; k < o->interfaces && item; k++, item = item->next) {
        if (!ifd__accelerometer_preset(item, &channel[k]))
            continue;
        channel[k].accelerometer = actuator[k];
        if (drive[k] >= 0)
            ifd_note_add(r->note, IFD_MISSING_KEY, &list->key_place,
                         "specimen '%s' is a dof of drive '%s' and needs an accelerometer: expected its 'input' in "
                         "'mass-on-rig'",
                         channel[k].name, o->drive[drive[k]].drive.name);
    }
}

/* A dof of a drive has no actuator and no sensors of its own, which would be ignored. */
static void refuse_own(ifd__reader *r, const ifd__node *item, const char *name, const char *drive)
{
    for (const ifd__node *k = item->kind == IFD__MAPPING ? item->first : NULL; k; k = k->next) {
        if (ifd_choice_find("actuator|position-sensor|force-sensor", k->key) < 0)
            continue;
        ifd_note_add(r->note, IFD_CONFLICT, &k->key_place,
                     "'%s' of '%s' is never used: '%s' is a dof of drive '%s', which has its own actuators", k->key,
                     name, name, drive);
        ifd_note_hint(r->note, "remove it here, and write it for each actuator of the drive (help drive-actuator)");
    }
}

static void check_own(ifd__reader *r, const int *drive)
{
    const ifd_hybrid_options *o = r->c->test;
    static const char *const lists[] = {"specimen", "force-control"};
    int k = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const ifd__node *list = ifd__yaml_get(r->doc.root, lists[i]);
        for (const ifd__node *item = list ? list->first : NULL; item && k < o->interfaces; item = item->next, k++)
            if (drive[k] >= 0)
                refuse_own(r, item, o->interface[k].name, o->drive[drive[k]].drive.name);
    }
}

/* Models and auxiliary inputs: from numbers of interfaces to numbers of actuators. */
static void renumber(ifd__reader *r, const int *actuator)
{
    ifd_laboratory *lab = r->c->laboratory;
    ifd_virtual_model *model = ifd_arena_array(r->arena, (size_t)lab->models, sizeof *model);
    ifd_virtual_aux *aux = ifd_arena_array(r->arena, IFD_RIG_AUX, sizeof *aux);
    for (int i = 0; model && i < lab->models; i++) {
        int *channel = ifd_arena_array(r->arena, (size_t)lab->model[i].drives, sizeof *channel);
        model[i] = lab->model[i];
        for (int k = 0; channel && k < model[i].drives; k++)
            channel[k] = actuator[lab->model[i].actuator[k]];
        model[i].actuator = channel;
    }
    for (int i = 0; aux && lab->aux && i < IFD_RIG_AUX; i++) {
        aux[i] = lab->aux[i];
        bool of_model = aux[i].what >= IFD_VIRTUAL_SPECIMEN;
        aux[i].actuator = of_model ? actuator[aux[i].actuator] : aux[i].actuator;
    }
    lab->model = model;
    lab->aux = lab->aux ? aux : NULL;
}

/* The virtual rig in the order of the actuators of the rig: that of the interfaces, a drive at the position of
 * its first one. */
static void seat(ifd__reader *r, const ifd__node *list, drawn *const *d, ifd_virtual_block *block)
{
    ifd_hybrid_options *o = r->c->test;
    ifd_laboratory *lab = r->c->laboratory;
    ifd_virtual_actuator *bench = ifd_arena_array(r->arena, IFD_RIG_ACTUATORS + IFD_DRIVE_ACTUATORS, sizeof *bench);
    int n = 0, actuator[IFD_RIG_ACTUATORS] = {0}, drive[IFD_RIG_ACTUATORS] = {0};
    for (int k = 0; k < o->interfaces && bench && n <= IFD_RIG_ACTUATORS; k++) {
        int dof, g = drive[k] = ifd__drive_of(o, k, &dof);
        if (g < 0) {
            actuator[k] = n;
            bench[n++] = lab->actuator[k];
            continue;
        }
        block[g].specimen[dof] = lab->actuator[k].specimen;
        block[g].specimen_values[dof] = lab->actuator[k].specimen_values;
        if (!block[g].drive) {
            block[g].drive = &o->drive[g].drive;
            block[g].stiffness = d[g]->stiffness;
            block[g].first = n;
            for (int j = 0; j < d[g]->actuators; j++)
                bench[n++] = d[g]->bench[j];
        }
        actuator[k] = block[g].first + dof;
        bench[actuator[k]].specimen_sensor = lab->actuator[k].specimen_sensor;
        memcpy(bench[actuator[k]].wall_sensor, lab->actuator[k].wall_sensor, sizeof bench->wall_sensor);
    }
    if (n > IFD_RIG_ACTUATORS)
        ifd_note_add(r->note, IFD_TOO_LARGE, &list->key_place, "%d actuators, a rig has at most %d", n,
                     IFD_RIG_ACTUATORS);
    lab->actuator = bench;
    lab->actuators = n;
    lab->blocks = o->drives;
    lab->block = block;
    renumber_accelerometers(r, list, actuator, drive);
    check_own(r, drive);
    if (lab->models)
        renumber(r, actuator);
}

void ifd__read_drives(ifd__reader *r, const ifd__node *list)
{
    ifd_hybrid_options *o = r->c->test;
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    for (int k = 0; k < r->c->laboratory->actuators; k++)
        if (r->c->laboratory->actuator[k].pressed_by) {
            ifd_note_add(r->note, IFD_UNSUPPORTED, &list->key_place,
                         "'presses' of force-control cannot be combined with 'drives': expected actuators of their "
                         "own");
            return;
        }
    ifd_driven *driven = ifd_arena_array(r->arena, (size_t)list->count, sizeof *driven);
    ifd_virtual_block *block = ifd_arena_array(r->arena, (size_t)list->count, sizeof *block);
    drawn **d = ifd_arena_array(r->arena, (size_t)list->count, sizeof *d);
    int n = 0, errors = r->note->errors;
    for (const ifd__node *item = list->first; item && driven && block && d; item = item->next, n++) {
        d[n] = ifd_arena_take(r->arena, sizeof **d);
        if (!d[n])
            return;
        read_drive(r, item, &driven[n], d[n]);
        const ifd__node *compensation = ifd__yaml_get(item, "compensation");
        if (compensation)
            read_compensation(r, compensation, d[n]);
    }
    if (refuse_shared(r, d, driven, n, list))
        return;
    o->drives = n;
    o->drive = driven;
    if (r->note->errors == errors)
        seat(r, list, d, block);
}
