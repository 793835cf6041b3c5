/* SPDX-License-Identifier: MIT */
/* FMUs that move together at joints, without iteration when they are linear: every FMU makes its step with the joint
 * forces it had, the gaps that opened are closed by the forces that the step compliances ask for, and all make the
 * step again from where they were. With average acceleration in each, this is the method on the joined whole.
 *
 *     gap = B lam + gap_free,   B = sum of G over both sides,   lam := lam - B^-1 gap
 *
 * Gomes, Abbiati and Larsen (2021) note that FMI cannot correct a state after a free step; going
 * back and stepping again can. */
#include <math.h>
#include <stdlib.h>

#include <interfield/fmu.h>

#include "base/dense.h"

struct ifd_fmu_joined {
    int fmus, joints;
    ifd_fmu **fmu;
    const ifd_fmu_joint *joint;
    double h;
    long step;
    double *B, *lambda, *gap; /* joints x joints; joints */
    int *pivot;
    int corrections;
    int feeds;
    const ifd_fmu_feed *feed;
    double worst; /* gap after a step */
    const char *why;
};

/* Every FMU sums the joint forces on each of its rows; rows are told apart by their input. */
static bool push(ifd_fmu_joined *j)
{
    for (int k = 0; k < j->joints; k++)
        for (int side = 0; side < 2; side++) {
            const ifd_fmu_end *e = &j->joint[k].end[side];
            double sum = 0.0;
            for (int l = 0; l < j->joints; l++)
                for (int other = 0; other < 2; other++)
                    if (j->joint[l].end[other].fmu == e->fmu && j->joint[l].end[other].force == e->force)
                        sum += (other == 0 ? -1.0 : 1.0) * j->lambda[l]; /* the input resists the stretch */
            if (!ifd_fmu_set(j->fmu[e->fmu], 1, &e->force, &sum)) {
                j->why = ifd_fmu_why(j->fmu[e->fmu]);
                return false;
            }
        }
    return true;
}

/* What follows a signal, at t. */
static bool feed(ifd_fmu_joined *j, double t)
{
    for (int k = 0; k < j->feeds; k++) {
        const ifd_fmu_feed *f = &j->feed[k];
        double y[3];
        ifd_signal_eval(f->signal, t, y);
        if (!ifd_fmu_set(j->fmu[f->fmu], 1, &f->input, y)) {
            j->why = ifd_fmu_why(j->fmu[f->fmu]);
            return false;
        }
    }
    return true;
}

static bool all(ifd_fmu_joined *j, bool (*what)(ifd_fmu *f))
{
    for (int i = 0; i < j->fmus; i++)
        if (!what(j->fmu[i])) {
            j->why = ifd_fmu_why(j->fmu[i]);
            return false;
        }
    return true;
}

static bool step_all(ifd_fmu_joined *j)
{
    if (!push(j) || !feed(j, j->h * (double)(j->step + 1)))
        return false;
    for (int i = 0; i < j->fmus; i++)
        if (!ifd_fmu_step(j->fmu[i], j->h * (double)j->step, j->h)) {
            j->why = ifd_fmu_why(j->fmu[i]);
            return false;
        }
    for (int k = 0; k < j->joints; k++) {
        double d[2];
        for (int side = 0; side < 2; side++) {
            const ifd_fmu_end *e = &j->joint[k].end[side];
            if (!ifd_fmu_get(j->fmu[e->fmu], 1, &e->displacement, &d[side])) {
                j->why = ifd_fmu_why(j->fmu[e->fmu]);
                return false;
            }
        }
        j->gap[k] = d[0] - d[1];
    }
    return true;
}

/* How gaps answer joint forces held for a step, by differences: exact for linear FMUs, the
 * tangent at the start for others. */
static bool find_compliance(ifd_fmu_joined *j)
{
    const double unit = 1.0;
    size_t n = (size_t)j->joints;
    double *free_gap = malloc(sizeof *free_gap * n);
    bool good = free_gap && all(j, ifd_fmu_save) && step_all(j);
    for (size_t k = 0; k < n && good; k++)
        free_gap[k] = j->gap[k];
    for (size_t l = 0; l < n && good; l++) {
        j->lambda[l] += unit;
        good = all(j, ifd_fmu_restore) && step_all(j);
        j->lambda[l] -= unit;
        for (size_t k = 0; k < n && good; k++)
            j->B[k + l * n] = (j->gap[k] - free_gap[k]) / unit;
    }
    good = good && all(j, ifd_fmu_restore);
    free(free_gap);
    if (good && !ifd__lu_factor(j->joints, j->B, j->pivot)) {
        j->why = "a joint does not answer its force: the compliance is singular";
        return false;
    }
    return good;
}

/* One that takes steps of its own size only names it, as a rule, as that of its default experiment. */
static void remark_step(const ifd_fmu_facts *f, double h, ifd_note *note)
{
    double steps = f->step > 0.0 ? h / f->step : 1.0;
    if (!f->variable_step && fabs(steps - fmax(round(steps), 1.0)) > 1e-6)
        ifd_note_remark(
            note, NULL,
            "the FMU '%s' names a step of %g s and takes steps of one size only: %g s is no multiple of it", f->name,
            f->step, h);
}

static ifd_status check(const ifd_fmu_join_options *o, ifd_note *note)
{
    for (int i = 0; i < o->fmus; i++)
        remark_step(ifd_fmu_facts_of(o->fmu[i]), o->h, note);
    for (int i = 0; i < o->fmus; i++)
        if (!ifd_fmu_facts_of(o->fmu[i])->rolls_back)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, NULL,
                "the FMU '%s' cannot go back to a kept state: it can be a specimen (force out), not a joined part",
                ifd_fmu_facts_of(o->fmu[i])->name);
    return o->h > 0.0 ? IFD_OK
                      : ifd_note_add(note, IFD_RANGE, NULL, "the step is %g s, expected a positive number", o->h);
}

ifd_status ifd_fmu_join(ifd_arena *arena, const ifd_fmu_join_options *o, ifd_fmu_joined **out, ifd_note *note)
{
    IFD_TRY(check(o, note));
    size_t n = (size_t)o->joints;
    ifd_fmu_joined *j = ifd_arena_take(arena, sizeof *j);
    if (!j)
        return IFD_NO_MEMORY;
    *j = (ifd_fmu_joined){
        .fmus = o->fmus, .joints = o->joints, .fmu = o->fmu, .joint = o->joint, .h = o->h, .why = ""};
    j->corrections = o->corrections > 0 ? o->corrections : 1;
    j->feeds = o->feeds;
    j->feed = o->feed;
    j->B = ifd_arena_array(arena, n * n, sizeof *j->B);
    j->lambda = ifd_arena_array(arena, n, sizeof *j->lambda);
    j->gap = ifd_arena_array(arena, n, sizeof *j->gap);
    j->pivot = ifd_arena_array(arena, n, sizeof *j->pivot);
    if (!j->B || !j->lambda || !j->gap || !j->pivot)
        return IFD_NO_MEMORY;
    bool good = feed(j, 0.0);
    for (int i = 0; i < o->fmus && good; i++)
        IFD_TRY(ifd_fmu_begin(o->fmu[i], 0.0, note));
    *out = j;
    return good && find_compliance(j) ? IFD_OK
                                      : ifd_note_add(note, IFD_PLUGIN, NULL, "the FMUs cannot be joined: %s", j->why);
}

bool ifd_fmu_joined_step(ifd_fmu_joined *j)
{
    bool good = all(j, ifd_fmu_save) && step_all(j);
    for (int c = 0; c < j->corrections && good; c++) {
        ifd__lu_solve(j->joints, j->B, j->pivot, 1, j->gap);
        for (int k = 0; k < j->joints; k++)
            j->lambda[k] -= j->gap[k];
        good = all(j, ifd_fmu_restore) && step_all(j);
    }
    for (int k = 0; k < j->joints; k++)
        j->worst = fmax(j->worst, fabs(j->gap[k]));
    j->step++;
    return good;
}

double ifd_fmu_joined_time(const ifd_fmu_joined *j)
{
    return j->h * (double)j->step;
}

const double *ifd_fmu_joined_forces(const ifd_fmu_joined *j)
{
    return j->lambda;
}

double ifd_fmu_joined_gap(const ifd_fmu_joined *j)
{
    return j->worst;
}

const char *ifd_fmu_joined_why(const ifd_fmu_joined *j)
{
    return j->why;
}
