/* SPDX-License-Identifier: MIT */
/* Makes the rows of joined FMUs, and the memory of a joint. */
#include <math.h>

#include "fmi/join/joined.h"

enum { MOST_ROWS = 64 }; /* of one FMU: the number of variables that one call sets */

static const char *name_of(const ifd_fmu *f)
{
    return ifd_fmu_facts_of(f)->name;
}

static ifd_status check(const ifd_fmu_join_options *o, ifd_note *note)
{
    if (!(o->h > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL, "the step is %g s, expected a positive number", o->h);
    if (o->rule.softness > 1.0)
        return ifd_note_add(note, IFD_RANGE, NULL, "the softness is %g, expected 0 to 1", o->rule.softness);
    for (int p = 0; p < o->fmus; p++) {
        const ifd_fmu_facts *f = ifd_fmu_facts_of(o->fmu[p]);
        double steps = f->step > 0.0 ? o->h / f->step : 1.0;
        if (!f->variable_step && fabs(steps - fmax(round(steps), 1.0)) > 1e-6)
            return ifd_note_add(note, IFD_CONFLICT, NULL,
                                "the FMU '%s' only makes steps of %g s: the exchange step of %g s is not a "
                                "multiple of it",
                                f->name, f->step, o->h);
        if (f->rolls_back)
            continue;
        if (!o->rule.predict) {
            ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                         "the FMU '%s' cannot restore a stored state: it can be a specimen (force out), but not a "
                         "joined substructure",
                         f->name);
            ifd_note_hint(note, "no-rollback: predict (join: --predict) joins it without a guarantee of stability");
            return IFD_UNSUPPORTED;
        }
        if (!o->trial || !o->trial[p])
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "the FMU '%s' cannot restore a state and needs a second instance for trials",
                                f->name);
    }
    return IFD_OK;
}

/* The row of an end; several joints may share it. */
static ifd_status find_row(ifd_fmu_joined *j, const ifd_fmu_joint *joint, int side, int *out, ifd_note *note)
{
    const ifd_fmu_end *e = &joint->end[side];
    ifd__joined_part *part = &j->part[e->fmu];
    for (int r = 0; r < part->rows; r++)
        if (part->variable[r] == e->force) {
            *out = r;
            return part->variable[MOST_ROWS + r] == e->displacement
                       ? IFD_OK
                       : ifd_note_add(note, IFD_CONFLICT, NULL,
                                      "joint '%s': an input of '%s' is joined with two of its outputs", joint->name,
                                      name_of(part->f));
        }
    if (part->rows == MOST_ROWS)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "the FMU '%s' has more than %d joints", name_of(part->f),
                            MOST_ROWS);
    const ifd_fmu_facts *f = ifd_fmu_facts_of(part->f);
    bool rate = e->velocity >= 0 && f->variable[e->velocity].role == IFD_FMU_OUTPUT;
    *out = part->rows++;
    part->variable[*out] = e->force;
    part->variable[MOST_ROWS + *out] = e->displacement;
    part->variable[2 * MOST_ROWS + *out] = e->velocity;
    part->value[*out] = e->pushes ? 1.0 : -1.0;
    part->rates = part->rates && rate;
    return rate || !part->predicted
               ? IFD_OK
               : ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                              "joint '%s': the FMU '%s' cannot restore a state, and its prediction needs the "
                              "velocity ('y/u/w')",
                              joint->name, name_of(part->f));
}

static ifd_status make_parts(ifd_arena *arena, ifd_fmu_joined *j, ifd_note *note)
{
    const ifd_fmu_join_options *o = &j->o;
    for (int p = 0; p < j->fmus; p++) {
        bool back = ifd_fmu_facts_of(o->fmu[p])->rolls_back;
        j->part[p] = (ifd__joined_part){.f = o->fmu[p],
                                        .acting = back ? o->fmu[p] : o->trial[p],
                                        .predicted = !back,
                                        .remembers = o->remembers && o->remembers[p],
                                        .rates = true,
                                        .variable = ifd_arena_array(arena, 3 * MOST_ROWS, sizeof(int)),
                                        .value = ifd_arena_array(arena, MOST_ROWS, sizeof(double))};
        j->predicts = j->predicts || !back;
        if (!j->part[p].variable || !j->part[p].value)
            return IFD_NO_MEMORY;
    }
    for (int k = 0; k < j->joints; k++)
        for (int side = 0; side < 2; side++)
            IFD_TRY(find_row(j, &o->joint[k], side, &j->end[2 * k + side], note));
    for (int p = 0; p < j->fmus; p++) {
        j->part[p].first = j->rows;
        j->rows += j->part[p].rows;
        j->most = j->part[p].rows > j->most ? j->part[p].rows : j->most;
    }
    for (int k = 0; k < j->joints; k++)
        for (int side = 0; side < 2; side++)
            j->end[2 * k + side] += j->part[o->joint[k].end[side].fmu].first;
    return IFD_OK;
}

/* Rows of an FMU in the order of its variables; the variables are rearranged with them. */
static void make_rows(ifd_fmu_joined *j)
{
    for (int p = 0; p < j->fmus; p++) {
        ifd__joined_part *part = &j->part[p];
        for (int r = 0; r < part->rows; r++)
            j->row[part->first + r] = (ifd__joined_row){.fmu = p, .rank = r, .sign = part->value[r], .pulse = 1.0};
        for (int what = 1; what < 3; what++)
            for (int r = 0; r < part->rows; r++)
                part->variable[what * part->rows + r] = part->variable[what * MOST_ROWS + r];
    }
}

ifd_status ifd_fmu_join(ifd_arena *arena, const ifd_fmu_join_options *o, ifd_fmu_joined **out, ifd_note *note)
{
    IFD_TRY(check(o, note));
    size_t n = (size_t)o->joints;
    ifd_fmu_joined *j = ifd_arena_take(arena, sizeof *j);
    if (!j)
        return IFD_NO_MEMORY;
    *j = (ifd_fmu_joined){.o = *o, .fmus = o->fmus, .joints = o->joints, .h = o->h, .why = "", .starting = true};
    j->corrections = o->rule.corrections > 0 ? o->rule.corrections : 3;
    j->part = ifd_arena_array(arena, (size_t)o->fmus, sizeof *j->part);
    j->end = ifd_arena_array(arena, 2 * n, sizeof *j->end);
    if (!j->part || !j->end)
        return IFD_NO_MEMORY;
    IFD_TRY(make_parts(arena, j, note));
    j->softness = o->rule.softness >= 0.0 ? o->rule.softness : j->predicts ? 0.5 : 0.01;
    j->row = ifd_arena_array(arena, (size_t)j->rows, sizeof *j->row);
    j->pivot = ifd_arena_array(arena, n, sizeof *j->pivot);
    double **vector[] = {&j->lambda, &j->last, &j->before, &j->gap, &j->gap_last, &j->defect},
           **square[] = {&j->B, &j->S, &j->F};
    j->base = ifd_arena_array(arena, (size_t)j->rows, sizeof *j->base);
    j->answer = ifd_arena_array(arena, (size_t)j->rows * (size_t)j->most, sizeof *j->answer);
    bool good = j->row && j->pivot && j->base && j->answer;
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        good = (*vector[k] = ifd_arena_array(arena, n, sizeof(double))) && good;
    for (size_t k = 0; k < sizeof square / sizeof *square; k++)
        good = (*square[k] = ifd_arena_array(arena, n * n, sizeof(double))) && good;
    if (!good)
        return IFD_NO_MEMORY;
    make_rows(j);
    *out = j;
    return ifd__joined_start(j, note);
}
