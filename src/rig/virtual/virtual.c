/* SPDX-License-Identifier: MIT */
/* The virtual rig: actuators, specimens and sensors in one process. */
#include "rig/virtual/virtual.h"

#include <string.h>

#include "base/state_block.h"
#include "rig/virtual/block.h"
#include "rig/virtual/mounted.h"

/* A sensor and the offset of its state in that of the rig. */
typedef struct chain {
    ifd_sensor *sensor; /* NULL: none; of position and force: ideal */
    int at;
} chain;

typedef struct bench {
    ifd_actuator *actuator;
    bool has_specimen;
    ifd__ideal specimen;
    int pressed_by; /* as in the set-up */
    chain position, force, accelerometer, specimen_position, wall[2];
    double start;
    int block, seat;              /* its block and its index among the actuators of the block; -1: none */
    double bias;                  /* m, bias of its position sensor */
    int model, drive;             /* its model, or that on dof `seat`; index among its drives; -1: none */
    int actuator_at, specimen_at; /* offsets in the state of the rig */
} bench;

typedef struct laboratory {
    int channels;
    bench *bench;
    int models;
    ifd__mounted *model;
    int *model_at; /* offsets of their states */
    int blocks;
    ifd__block *block;
    int *block_at;
    const ifd_virtual_aux *aux;
    const ifd_channel_map *map;
    bool linear, ramps;
    int commands; /* offset of the newest command of every channel */
} laboratory;

/* State of the rig itself. */
typedef struct __attribute__((may_alias)) clock_state {
    double time, tick, fresh; /* s; of the newest command; whether a measurement is new */
} clock_state;

static ifd_status make_sensor(chain *c, ifd_rig *rig, ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    if (!values)
        return IFD_OK;
    IFD_TRY(ifd_sensor_make(arena, values, rig->tick, &c->sensor, note));
    c->at = rig->size;
    rig->size += c->sensor->size;
    return IFD_OK;
}

static void begin_sensor(const chain *c, double value, double *x)
{
    if (c->sensor)
        ifd_sensor_begin(c->sensor, value, x + c->at);
}

/* Displayed value; without a sensor the value itself. */
IFD_RT static double show_value(const chain *c, double value, bool linear, double *x)
{
    return c->sensor ? ifd_sensor_step(c->sensor, value, linear, x + c->at) : value;
}

static ifd_status make_bench(bench *b, ifd_rig *rig, const ifd_virtual_actuator *c, ifd_arena *arena, ifd_note *note)
{
    const ifd_actuator_kind *kind = c->actuator ? c->actuator : ifd_actuator_find("ideal");
    ifd_value preset[IFD_RIG_PARAMS];
    ifd_param_preset(kind->params, preset);
    IFD_TRY(ifd_actuator_make(arena, kind, c->actuator_values ? c->actuator_values : preset, rig->tick, &b->actuator,
                              note));
    b->start = c->start;
    b->model = b->block = -1;
    if (c->position_sensor)
        b->bias = ifd_param_get(ifd_sensor_params, c->position_sensor, "bias")->number;
    b->actuator_at = rig->size;
    rig->size += b->actuator->size;
    if (c->specimen) {
        b->has_specimen = true;
        /* a linear replacement of the specimen is not compressed */
        b->pressed_by = ifd_param_find(c->specimen->params, "watched") >= 0 ? c->pressed_by : 0;
        IFD_TRY((b->pressed_by ? ifd__ideal_make_pressed : ifd__ideal_make)(&b->specimen, arena, c->specimen,
                                                                            "specimen", c->specimen_values, note));
        b->specimen_at = rig->size;
        rig->size += ifd__ideal_size(&b->specimen);
    }
    IFD_TRY(make_sensor(&b->accelerometer, rig, c->accelerometer, arena, note));
    IFD_TRY(make_sensor(&b->specimen_position, rig, c->specimen_sensor, arena, note));
    for (int i = 0; i < 2; i++)
        IFD_TRY(make_sensor(&b->wall[i], rig, c->wall_sensor[i], arena, note));
    IFD_TRY(make_sensor(&b->position, rig, c->position_sensor, arena, note));
    return make_sensor(&b->force, rig, c->force_sensor, arena, note);
}

static ifd_status make_models(laboratory *l, ifd_rig *rig, const ifd_laboratory *setup, ifd_arena *arena,
                              ifd_note *note)
{
    l->models = setup->models;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->model, l->models), IFD__ARRAY(l->model_at, l->models)));
    for (int i = 0; i < l->models; i++) {
        const ifd_virtual_model *m = &setup->model[i];
        IFD_TRY(ifd__mounted_make(&l->model[i], arena, m, rig->tick, note));
        l->model_at[i] = rig->size;
        rig->size += l->model[i].size;
        for (int k = 0; k < m->drives; k++) {
            if (m->actuator[k] < 0 || m->actuator[k] >= l->channels)
                return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                                    "specimen '%s' uses actuator %d, but there are %d actuators", m->name,
                                    m->actuator[k], l->channels);
            l->bench[m->actuator[k]].model = i;
            l->bench[m->actuator[k]].drive = k;
        }
    }
    return IFD_OK;
}

static ifd_status make_blocks(laboratory *l, ifd_rig *rig, const ifd_laboratory *setup, ifd_arena *arena,
                              ifd_note *note)
{
    l->blocks = setup->blocks;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->block, l->blocks), IFD__ARRAY(l->block_at, l->blocks)));
    for (int i = 0; i < l->blocks; i++) {
        IFD_TRY(ifd__block_make(&l->block[i], arena, &setup->block[i], note));
        l->block_at[i] = rig->size;
        rig->size += l->block[i].size;
        for (int j = 0; j < setup->block[i].drive->actuators; j++) {
            bench *b = &l->bench[setup->block[i].first + j];
            if (b->model >= 0 && j >= setup->block[i].drive->dofs)
                return ifd_note_add(note, IFD_RANGE, NULL, "a model is on dof %d of drive '%s', which has %d", j + 1,
                                    setup->block[i].drive->name, setup->block[i].drive->dofs);
            if (b->actuator->loose)
                return ifd_note_add(note, IFD_CONFLICT, NULL,
                                    "an actuator of drive '%s' has 'play' or 'clearance', which the specimen of a "
                                    "drive cannot have; expected 'backlash'",
                                    setup->block[i].drive->name);
            b->block = i;
            b->seat = j;
        }
    }
    return IFD_OK;
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_laboratory *setup = rig->data;
    (void)values;
    if (!setup || setup->actuators != rig->actuators)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "the virtual rig has %d actuators, but the test has %d",
                            setup ? setup->actuators : 0, rig->actuators);
    laboratory *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    l->channels = rig->actuators;
    l->linear = setup->linear;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->bench, l->channels)));
    l->ramps = setup->ramps;
    l->commands = IFD__DOUBLES(clock_state);
    rig->size = IFD__DOUBLES(clock_state) + l->channels;
    for (int k = 0; k < l->channels; k++)
        IFD_TRY(make_bench(&l->bench[k], rig, &setup->actuator[k], arena, note));
    IFD_TRY(make_models(l, rig, setup, arena, note));
    IFD_TRY(make_blocks(l, rig, setup, arena, note));
    l->aux = setup->aux;
    l->map = setup->map;
    rig->data = l;
    return IFD_OK;
}

/* Position, velocity and acceleration of the specimen of an actuator. */
IFD_RT static const double *specimen_of(const bench *b, const double *x)
{
    return ifd_actuator_specimen(b->actuator, x + b->actuator_at);
}

/* The force of the specimen at the position of the actuator. */
IFD_RT static double push_back(const laboratory *l, int k, double *x)
{
    const bench *b = &l->bench[k];
    double f = b->has_specimen ? ((const ifd__ideal_state *)(x + b->specimen_at))->f : 0.0;
    if (b->block >= 0)
        return f + x[l->block_at[b->block] + IFD__BLOCK_SHARE + b->seat];
    return b->model < 0 ? f : f + ifd__mounted_force(x + l->model_at[b->model])[b->drive];
}

/* Position of the observed dof of the model on channel k. */
IFD_RT static double observed(const laboratory *l, int k, const double *x)
{
    const bench *b = &l->bench[k];
    const ifd__mounted *m = b->model < 0 ? NULL : &l->model[b->model];
    return m && m->m->n ? x[l->model_at[b->model] + ifd__mounted_stepper_at(m) + m->setup->observed] : 0.0;
}

/* Force of wall w on the model on channel k. */
IFD_RT static double wall_force(const laboratory *l, int k, int w, const double *x)
{
    int i = l->bench[k].model;
    return i >= 0 && l->model[i].setup->wall[w] ? x[l->model_at[i] + l->model[i].wall_at + w] : 0.0;
}

IFD_RT static void extensions(const laboratory *l, int block, int row, const double *x, double *s)
{
    const ifd_virtual_block *b = l->block[block].setup;
    for (int j = 0; j < b->drive->actuators; j++)
        s[j] = x[l->bench[b->first + j].actuator_at + row];
}

static void begin_models(const laboratory *l, double *x)
{
    for (int i = 0; i < l->models; i++) {
        double at[IFD_RIG_ACTUATORS];
        for (int k = 0; k < l->model[i].setup->drives; k++) {
            const bench *b = &l->bench[l->model[i].setup->actuator[k]];
            at[k] = b->block < 0 ? *specimen_of(b, x) : x[l->block_at[b->block] + IFD__BLOCK_POSE + b->seat];
        }
        ifd__mounted_begin(&l->model[i], at, x + l->model_at[i]);
    }
}

static void begin_blocks(const laboratory *l, double *x)
{
    for (int i = 0; i < l->blocks; i++) {
        double s[IFD_DRIVE_ACTUATORS];
        extensions(l, i, IFD_ACTUATOR_X, x, s);
        ifd__block_begin(&l->block[i], s, x + l->block_at[i]);
    }
}

/* Forces of elements and models on blocks, to their actuators. */
IFD_RT static void share(const laboratory *l, double *x)
{
    for (int i = 0; i < l->blocks; i++) {
        double s[IFD_DRIVE_ACTUATORS], f[IFD_DRIVE_DOFS] = {0.0};
        for (int q = 0; q < l->block[i].setup->drive->dofs; q++) {
            const bench *b = &l->bench[l->block[i].setup->first + q];
            f[q] = b->model < 0 ? 0.0 : ifd__mounted_force(x + l->model_at[b->model])[b->drive];
        }
        extensions(l, i, IFD_ACTUATOR_X, x, s);
        ifd__block_share(&l->block[i], s, f, x + l->block_at[i]);
    }
}

static void begin(ifd_rig *rig, double *x)
{
    const laboratory *l = rig->data;
    memset(x, 0, sizeof(double) * (size_t)rig->size);
    ((clock_state *)x)->fresh = 1.0;
    for (int k = 0; k < l->channels; k++)
        ifd_actuator_begin(l->bench[k].actuator, l->bench[k].start, x + l->bench[k].actuator_at);
    begin_blocks(l, x);
    begin_models(l, x);
    share(l, x);
    for (int k = 0; k < l->channels; k++) {
        const bench *b = &l->bench[k];
        x[l->commands + k] = b->start;
        if (b->has_specimen)
            ifd__ideal_begin(&b->specimen, 0.0, *specimen_of(b, x), 0.0, x + b->specimen_at);
        if (b->actuator->kind->kinematic)
            x[b->actuator_at + IFD_ACTUATOR_F] += push_back(l, k, x);
        begin_sensor(&b->position, b->start, x);
        begin_sensor(&b->accelerometer, 0.0, x);
        begin_sensor(&b->specimen_position, observed(l, k, x), x);
        for (int w = 0; w < 2; w++)
            begin_sensor(&b->wall[w], wall_force(l, k, w, x), x);
        begin_sensor(&b->force, x[b->actuator_at + IFD_ACTUATOR_F], x);
    }
}

/* Actual values of a bench, by ifd_virtual_quantity. */
static const int truth_row[] = {0, IFD_ACTUATOR_X, IFD_ACTUATOR_V, IFD_ACTUATOR_A, IFD_ACTUATOR_F};

/* Auxiliary inputs, and conversion of all values to raw numbers. */
IFD_RT static void show(const laboratory *l, double *x, ifd_measure *out)
{
    for (int i = 0; l->aux && i < IFD_RIG_AUX; i++) {
        const ifd_virtual_aux *a = &l->aux[i];
        const bench *b = &l->bench[a->actuator];
        if (a->what == IFD_VIRTUAL_NOTHING)
            continue;
        if (a->what == IFD_VIRTUAL_SPECIMEN)
            out->auxiliary[i] = show_value(&b->specimen_position, observed(l, a->actuator, x), l->linear, x);
        else if (a->what == IFD_VIRTUAL_WALL || a->what == IFD_VIRTUAL_WALL_2) {
            int w = a->what == IFD_VIRTUAL_WALL_2;
            out->auxiliary[i] = show_value(&b->wall[w], wall_force(l, a->actuator, w, x), l->linear, x);
        } else
            out->auxiliary[i] = x[b->actuator_at + truth_row[a->what]];
        out->aux = out->aux > (uint32_t)i ? out->aux : (uint32_t)i + 1;
    }
    if (l->map)
        ifd_channel_map_show(l->map, out);
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    const laboratory *l = rig->data;
    clock_state *clock = (clock_state *)x;
    bool fresh = clock->fresh > 0.0;
    *out = (ifd_measure){.tick = (uint64_t)clock->tick,
                         .time = clock->time,
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .actuators = (uint32_t)l->channels};
    for (int k = 0; k < l->channels; k++) {
        const bench *b = &l->bench[k];
        const double *a = x + b->actuator_at;
        out->position[k] = show_value(&b->position, a[IFD_ACTUATOR_X], l->linear, x);
        if (b->accelerometer.sensor) {
            out->aux = (uint32_t)k + 1;
            out->auxiliary[k] = show_value(&b->accelerometer, a[IFD_ACTUATOR_A], l->linear, x);
        }
        out->force[k] = show_value(&b->force, a[IFD_ACTUATOR_F], l->linear, x);
    }
    show(l, x, out);
    clock->fresh = 0.0;
    return fresh;
}

/* Actuator k over a tick, and the element that it deforms. */
IFD_RT static void move(const laboratory *l, int k, double u, double load, ifd__instant at, double *x)
{
    const bench *b = &l->bench[k];
    double *a = x + b->actuator_at, *last = &x[l->commands + k];
    const ifd_actuator_in in = {.u = u, .change = l->ramps ? u - *last : 0.0, .load = load, .linear = l->linear};
    ifd_actuator_step(b->actuator, &in, a);
    *last = u;
    const double *q = specimen_of(b, x);
    if (b->has_specimen && !b->pressed_by)
        ifd__ideal_tick(&b->specimen, at, q[0], q[1], x + b->specimen_at);
}

/* Specimens that another actuator compresses, after those actuators have moved. */
IFD_RT static void move_pressed(const laboratory *l, ifd__instant at, double *x)
{
    for (int k = 0; k < l->channels; k++) {
        const bench *b = &l->bench[k];
        const double *q = specimen_of(b, x);
        if (!b->pressed_by)
            continue;
        double f = push_back(l, (b->pressed_by > 0 ? b->pressed_by : -b->pressed_by) - 1, x);
        ifd__ideal_press(&b->specimen, b->pressed_by > 0 ? f : -f, x + b->specimen_at);
        ifd__ideal_tick(&b->specimen, at, q[0], q[1], x + b->specimen_at);
    }
}

/* Of the specimen, or of the dof of its block. */
IFD_RT static void motion_of(const laboratory *l, const bench *b, const double *x, double *out)
{
    double v[IFD_DRIVE_ACTUATORS], a[IFD_DRIVE_ACTUATORS];
    if (b->block < 0) {
        memcpy(out, specimen_of(b, x), sizeof *out * IFD__MOTION);
        return;
    }
    extensions(l, b->block, IFD_ACTUATOR_V, x, v);
    extensions(l, b->block, IFD_ACTUATOR_A, x, a);
    ifd__block_motion(&l->block[b->block], b->seat, v, a, x + l->block_at[b->block], out);
}

IFD_RT static void move_models(const laboratory *l, ifd__instant at, double *x)
{
    for (int i = 0; i < l->models; i++) {
        const ifd_virtual_model *m = l->model[i].setup;
        double to[IFD__MOTION * IFD_RIG_ACTUATORS];
        for (int k = 0; k < m->drives; k++)
            motion_of(l, &l->bench[m->actuator[k]], x, to + IFD__MOTION * k);
        ifd__mounted_step(&l->model[i], at.simulated - at.tick, to, x + l->model_at[i]);
    }
}

/* The load of the specimen at its new position. A load cell of a kinematic actuator measures it; otherwise the
 * acceleration changes. */
IFD_RT static void reload(const laboratory *l, int k, double before, double *x)
{
    const bench *b = &l->bench[k];
    double change = push_back(l, k, x) - before;
    if (b->actuator->kind->kinematic)
        x[b->actuator_at + IFD_ACTUATOR_F] += change;
    else if (b->actuator->mass > 0.0)
        x[b->actuator_at + IFD_ACTUATOR_A] -= change / b->actuator->mass;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    const laboratory *l = rig->data;
    clock_state *clock = (clock_state *)x;
    double before[IFD_RIG_ACTUATORS];
    clock->time += rig->tick;
    clock->tick = (double)c->tick;
    clock->fresh = 1.0;
    const ifd__instant at = {.rig = clock->time, .simulated = c->time, .tick = rig->tick};
    for (int k = 0; k < l->channels; k++) {
        before[k] = push_back(l, k, x);
        double u = x[l->commands + k]; /* without a command it holds */
        if (c->commanded)
            u = l->map ? ifd_channel_map_position(l->map, k, c->position[k], l->bench[k].bias) : c->position[k];
        move(l, k, u, before[k], at, x);
    }
    for (int i = 0; i < l->blocks; i++) {
        double s[IFD_DRIVE_ACTUATORS];
        extensions(l, i, IFD_ACTUATOR_X, x, s);
        ifd__block_move(&l->block[i], at, s, x + l->block_at[i]);
    }
    move_models(l, at, x);
    move_pressed(l, at, x);
    share(l, x);
    for (int k = 0; k < l->channels; k++)
        reload(l, k, before[k], x);
}

void ifd_virtual_actual(const ifd_rig *rig, const double *x, int channel, double *position, double *force)
{
    const laboratory *l = rig->data;
    const double *a = x + l->bench[channel].actuator_at;
    *position = a[IFD_ACTUATOR_X];
    *force = a[IFD_ACTUATOR_F];
}

/* State on which the next tick depends: real numbers and past values. */
static int add_rows(int rows, const ifd_state_row *row, int at, int *state, int count)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < row[r].count && (row[r].kind == IFD_STATE_REAL || row[r].kind == IFD_STATE_HISTORY); i++)
            state[count++] = at + row[r].offset + i;
    return count;
}

static int add_sensor(const chain *c, int at, int *state, int count)
{
    return c->sensor ? add_rows(c->sensor->rows, c->sensor->row, at + c->at, state, count) : count;
}

static int add_specimen(const ifd__ideal *specimen, int at, int *state, int count)
{
    for (int i = IFD__MEMBER_AT(ifd__ideal_state, q); i < ifd__ideal_size(specimen); i++)
        state[count++] = at + i;
    return count;
}

/* The pose is only a guess for the next one. */
static int add_block(const ifd__block *b, int at, int *state, int count)
{
    for (int i = 0; i < b->setup->drive->actuators; i++)
        state[count++] = at + i;
    for (int d = 0; d < IFD_DRIVE_DOFS; d++)
        if (b->setup->specimen[d])
            count = add_specimen(&b->specimen[d], at + b->specimen_at[d], state, count);
    return count;
}

int ifd__virtual_states(const ifd_rig *rig, int at, int *state)
{
    const laboratory *l = rig->data;
    int count = 0;
    for (int k = 0; k < l->channels; k++) {
        const bench *b = &l->bench[k];
        count = add_rows(b->actuator->rows, b->actuator->row, at + b->actuator_at, state, count);
        if (b->has_specimen)
            count = add_specimen(&b->specimen, at + b->specimen_at, state, count);
        count = add_sensor(&b->position, at, state, count);
        count = add_sensor(&b->accelerometer, at, state, count);
        count = add_sensor(&b->specimen_position, at, state, count);
        count = add_sensor(&b->wall[0], at, state, count);
        count = add_sensor(&b->wall[1], at, state, count);
        count = add_sensor(&b->force, at, state, count);
        if (l->ramps)
            state[count++] = at + l->commands + k;
    }
    for (int i = 0; i < l->models; i++) {
        const ifd__mounted *m = &l->model[i];
        int rows, first = ifd__mounted_stepper_at(m);
        const ifd_state_row *row = ifd_stepper_states(m->stepper, &rows);
        for (int q = 0; q < first; q++)
            state[count++] = at + l->model_at[i] + q;
        count = add_rows(rows, row, at + l->model_at[i] + first, state, count);
    }
    for (int i = 0; i < l->blocks; i++)
        count = add_block(&l->block[i], at + l->block_at[i], state, count);
    return count;
}

static const ifd_param params[] = {
    IFD_WORD("commands", "hold|linear", "command between two ticks: constant, or linear"),
    {0},
};

bool ifd__rig_always_simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

const ifd_rig_ops ifd_virtual_rig = {
    .abi = IFD_RIG_ABI,
    .name = "virtual",
    .summary = "the program itself simulates actuators, specimens and sensors",
    .params = params,
    .open = open_rig,
    .begin = begin,
    .sense = sense,
    .command = command,
    .simulated = ifd__rig_always_simulated,
};

bool ifd_rig_is_virtual(const ifd_rig_ops *rig)
{
    return strcmp(rig->name, ifd_virtual_rig.name) == 0;
}
