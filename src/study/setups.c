/* SPDX-License-Identifier: MIT */
/* Set-ups that members share. The structure of a member depends on the variables with keys of `model`, its ground
 * motion on those with keys of `ground`: the case is read once for each combination of either, not for each member.
 * The scale of the ground motion is a factor, for which nothing is read. Only for structures of one dof that are
 * swept: a step of all others takes so long that reading does not matter. */
#include <math.h>
#include <string.h>

#include "algebra/factors.h"
#include "run/ensemble.h"
#include "study/member.h"
#include "text/units.h"

enum { KEPT = 2 * IFD__STUDY_BLOCK + 32 }; /* a member of a block uses two at most */

typedef struct setup {
    ifd_arena *arena;       /* NULL: none */
    ifd__computing m;       /* of the member for which it was made */
    ifd_run *run;           /* at its start */
    ifd__run_motion ground; /* without values: not evaluated yet */
    double value[IFD_STUDY_VARIABLES];
    uint64_t files;
    long used; /* last block that used it */
} setup;

struct ifd__setups {
    bool off; /* members have another form */
    bool of_ground[IFD_STUDY_VARIABLES];
    int scale; /* variable that is the factor of the ground motion; -1: none */
    int variables;
    long block;
    setup kept[KEPT];
};

static bool all_begin(const ifd__variable *v, const char *section)
{
    bool all = true;
    for (int k = 0; k < v->keys; k++)
        all = all && strncmp(v->key[k], section, strlen(section)) == 0;
    return all;
}

/* Numbers name no file. */
static bool in_numbers(const ifd__variable *v)
{
    return v->number || !v->items;
}

/* A number without unit: the case reads the same number. */
static bool is_scale(const ifd__variable *v)
{
    bool plain = in_numbers(v) && v->keys == 1 && strcmp(v->key[0], "ground.scale") == 0;
    for (int i = 0; i < v->shown.choices && plain; i++) {
        const char *at = v->shown.choice[i];
        double number;
        plain = ifd__number_read(&at, at + strlen(at), &number) && !*at && number == v->number[i];
    }
    return plain && v->applied == IFD__AS_VALUE && !(v->suffix && *v->suffix);
}

ifd__setups *ifd__setups_make(ifd_arena *arena, const ifd_study *study)
{
    ifd__setups *s = ifd_arena_take(arena, sizeof *s);
    if (!s)
        return NULL;
    s->scale = -1;
    s->variables = study->variables;
    for (int i = 0; i < study->variables; i++) {
        const ifd__variable *v = &study->variable[i];
        s->of_ground[i] = all_begin(v, "ground.");
        s->scale = is_scale(v) ? i : s->scale;
        s->off = s->off || !(s->of_ground[i] || (all_begin(v, "model.") && in_numbers(v)));
    }
    return s;
}

static void discard(setup *e)
{
    if (e->run)
        ifd_run_close(e->run);
    ifd_arena_close(e->arena);
    memset(e, 0, sizeof *e);
}

void ifd__setups_close(ifd__setups *s)
{
    for (int i = 0; s && i < KEPT; i++)
        discard(&s->kept[i]);
}

void ifd__setups_turn(ifd__setups *s)
{
    if (s)
        s->block++;
}

/* A set-up with the same values of the variables of the ground motion, or of the others. */
static setup *find(ifd__setups *s, bool ground, const double *value)
{
    for (int k = 0; k < KEPT; k++) {
        setup *e = &s->kept[k];
        bool same = e->arena != NULL;
        for (int i = 0; i < s->variables && same; i++)
            same = s->of_ground[i] != ground || i == s->scale || memcmp(&e->value[i], &value[i], sizeof *value) == 0;
        if (same)
            return e;
    }
    return NULL;
}

/* The place of a new set-up: that which was not used for the longest time, never in this block. */
static setup *oldest(ifd__setups *s)
{
    setup *found = NULL;
    for (int k = 0; k < KEPT; k++) {
        setup *e = &s->kept[k];
        if (!e->arena)
            return e;
        found = found && found->used <= e->used ? found : e;
    }
    return found;
}

static bool sweeps(const setup *e)
{
    const int *column;
    int columns = ifd__watch_columns(&e->m.watch, e->arena, &column);
    return columns >= 0 && ifd__run_sweeps(e->run, columns, column);
}

/* Reads a member. NULL: it cannot be computed; the reason is found when it is read again. */
static setup *make(ifd__setups *s, const ifd__computing *m)
{
    setup *e = oldest(s);
    discard(e);
    e->arena = ifd_arena_open();
    memcpy(e->value, m->out.value, (size_t)s->variables * sizeof *e->value);
    bool good = e->arena && ifd__factors_make(e->arena) &&
                ifd__computing_begin(&e->m, m->runner, e->arena, m->out.number, e->value) &&
                ifd__computing_read(&e->m) == IFD_OK;
    e->files = good ? ifd__member_files(m->runner->study) : 0;
    good = good && ifd__computing_make_run(&e->m, &e->run) == IFD_OK;
    if (good && (ifd__run_refuses(e->run) || !ifd__run_single(e->run) || !sweeps(e))) {
        s->off = true;
        good = false;
    }
    if (!good)
        discard(e);
    return good ? e : NULL;
}

/* The values of the ground motion; false: it has another form, or its factor is not the scale. */
static bool evaluate(ifd__setups *s, setup *e)
{
    if (e->ground.values)
        return true;
    e->ground = ifd__run_ground(e->arena, e->run);
    s->off = !e->ground.values || (s->scale >= 0 && e->ground.factor != e->value[s->scale]);
    return !s->off;
}

bool ifd__setups_share(ifd__setups *s, ifd__computing *m, ifd_run **run, ifd__run_motion *ground)
{
    if (!s || s->off || (s->scale >= 0 && !(fabs(m->out.value[s->scale]) <= 1e9))) /* as in the case */
        return false;
    setup *structure = find(s, false, m->out.value), *motion = find(s, true, m->out.value);
    if (structure)
        structure->used = s->block;
    if (motion)
        motion->used = s->block;
    setup *made = structure && motion ? NULL : make(s, m);
    structure = structure ? structure : made;
    motion = motion ? motion : made;
    if (!structure || !motion)
        return false;
    structure->used = motion->used = s->block;
    if (!evaluate(s, motion))
        return false;
    *run = ifd__run_copy(m->arena, structure->run);
    *ground = motion->ground;
    if (s->scale >= 0)
        ground->factor = m->out.value[s->scale];
    m->c = structure->m.c;
    m->out.hash = ifd__member_hash(m->arena, m->runner->study, m->out.value, motion->files);
    return *run && ifd__watch_copy(m->arena, &structure->m.watch, &m->watch) == IFD_OK;
}
