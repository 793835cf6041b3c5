/* SPDX-License-Identifier: MIT */
/* The start of joined FMUs: their responses to pulses of force give the compliance of the joints, their softness,
 * and whether the structure can gain energy. The FMUs do not act on each other here, so all are tried in the same
 * run: (1 + rows of one FMU) times the number of observed exchange steps. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/join/joined.h"
#include "base/arena.h"

enum { PULSES = 48, FEWEST = 8, LARGEST = 1536, RAISES = 4 }; /* LARGEST: rows of the matrix of work */

static const double apart = 1e-9,       /* m, and of the displacements: distance of ends at the start */
    clear = 1e-5,                       /* of the other motion: a response above its round-off */
    visible = 1e-12,                    /* m: smallest response */
    linear = 1e-6,                      /* half the force gives half the response, within this */
    unsymmetric = 1e-6, passive = 1e-9, /* of the largest eigenvalue: work that is round-off */
    soft_fraction = 0.01;               /* softness over static compliance that is visible in the results */

typedef struct trial {
    ifd_fmu_joined *j;
    int steps;
    double *base; /* steps x rows: displacements without joint forces */
    double *D;    /* steps x most x rows: increments by a unit pulse */
    double *most; /* rows: largest |base| */
    double noise; /* round-off of the responses, relative */
    ifd_note *note;
} trial;

static const char *name_of(const ifd_fmu_joined *j, int p)
{
    return ifd_fmu_facts_of(j->part[p].f)->name;
}

static ifd_status failure(const trial *t)
{
    return ifd_note_add(t->note, IFD_PLUGIN, NULL, "the FMUs cannot be joined: %s", t->j->why);
}

static ifd_status begin(const trial *t, int p, ifd_fmu *f)
{
    ifd_fmu_joined *j = t->j;
    ifd_fmu *acting = j->part[p].acting;
    if (j->o.prepare)
        IFD_TRY(j->o.prepare(j->o.self, p, f, t->note));
    j->part[p].acting = f;
    bool fed = ifd__joined_connection(j, p, 0.0);
    j->part[p].acting = acting;
    return fed ? ifd_fmu_begin(f, 0.0, t->note) : failure(t);
}

static ifd_status begin_all(const trial *t)
{
    ifd_fmu_joined *j = t->j;
    for (int p = 0; p < j->fmus; p++) {
        const ifd__joined_part *part = &j->part[p];
        IFD_TRY(begin(t, p, part->f));
        if (part->predicted)
            IFD_TRY(begin(t, p, part->acting));
        else if (!ifd_fmu_save(part->f)) {
            j->why = ifd_fmu_why(part->f);
            return failure(t);
        }
        if (!ifd__joined_read(j, p))
            return failure(t);
    }
    return IFD_OK;
}

/* Back to the start, without force and without messages. */
static ifd_status restart(const trial *t)
{
    ifd_fmu_joined *j = t->j;
    for (int p = 0; p < j->fmus; p++) {
        const ifd__joined_part *part = &j->part[p];
        if (part->predicted) {
            IFD_TRY(ifd_fmu_again(part->acting, t->note));
            IFD_TRY(begin(t, p, part->acting));
        } else if (!ifd_fmu_restore(part->f)) {
            j->why = ifd_fmu_why(part->f);
            return failure(t);
        }
    }
    for (int i = 0; i < j->rows; i++)
        j->row[i].F = j->row[i].F_last = j->row[i].sent = 0.0;
    j->step = 0;
    return IFD_OK;
}

static ifd_status check_ends(const trial *t)
{
    ifd_fmu_joined *j = t->j;
    for (int k = 0; k < j->joints; k++) {
        const ifd__joined_row *a = &j->row[j->end[2 * k]], *b = &j->row[j->end[2 * k + 1]];
        double gap = fabs(a->u - b->u), rate = fabs(a->v - b->v);
        bool rates = j->part[a->fmu].rates && j->part[b->fmu].rates;
        j->largest = fmax(j->largest, fmax(fabs(a->u), fabs(b->u)));
        if (gap > apart * fmax(1.0, fmax(fabs(a->u), fabs(b->u))))
            return ifd_note_advise(t->note, IFD_CONFLICT, NULL, "start both substructures from the same displacement",
                                   "joint '%s': its ends are %g m apart at the start (%g and %g m)",
                                   j->o.joint[k].name, gap, a->u, b->u);
        if (rates && rate > apart * fmax(1.0, fmax(fabs(a->v), fabs(b->v))))
            ifd_note_remark(t->note, NULL, "joint '%s': its ends move apart by %g m/s at the start; %s",
                            j->o.joint[k].name, rate,
                            j->softness > 0.0 ? "the softness of the joint damps this"
                                              : "without softness this alternates without end");
    }
    return IFD_OK;
}

static ifd_status run_base(trial *t)
{
    ifd_fmu_joined *j = t->j;
    for (int k = 0; k < t->steps; k++) {
        if (!ifd__joined_try(j, -1))
            return failure(t);
        ifd__joined_commit(j);
        for (int i = 0; i < j->rows; i++) {
            t->base[k * j->rows + i] = j->row[i].u;
            t->most[i] = fmax(t->most[i], fabs(j->row[i].u));
        }
    }
    return IFD_OK;
}

/* Responses of the first step to pulses on the rows of this rank, row by row. */
static ifd_status first_answer(trial *t, int rank, double *answer)
{
    ifd_fmu_joined *j = t->j;
    IFD_TRY(restart(t));
    if (!ifd__joined_try(j, rank))
        return failure(t);
    for (int i = 0; i < j->rows; i++)
        answer[i] = j->row[i].u - t->base[i];
    return IFD_OK;
}

/* Chooses pulses with a visible and, for a linear FMU, proportional response; for a nonlinear one the smaller
 * pulse. */
static ifd_status choose_pulses(trial *t, int rank)
{
    ifd_fmu_joined *j = t->j;
    double *whole = j->base, half;
    bool again = true;
    for (int n = 0; n <= RAISES && again; n++) {
        IFD_TRY(first_answer(t, rank, whole));
        again = false;
        for (int i = 0; i < j->rows && n < RAISES; i++)
            if (j->row[i].rank == rank && fabs(whole[i]) < fmax(visible, clear * t->most[i])) {
                j->row[i].pulse *= 1e3;
                again = true;
            }
    }
    for (int i = 0; i < j->rows; i++)
        j->row[i].pulse *= j->row[i].rank == rank ? 0.5 : 1.0;
    IFD_TRY(restart(t));
    if (!ifd__joined_try(j, rank))
        return failure(t);
    for (int i = 0; i < j->rows; i++) {
        if (j->row[i].rank != rank)
            continue;
        half = j->row[i].u - t->base[i];
        if (fabs(2.0 * half - whole[i]) <= linear * fabs(whole[i]) + 64.0 * DBL_EPSILON * t->most[i])
            j->row[i].pulse *= 2.0;
        else
            ifd_note_remark(t->note, NULL,
                            "the FMU '%s' is not linear at its start: the check that its joints gain no energy "
                            "applies to this state only",
                            name_of(j, j->row[i].fmu));
    }
    return IFD_OK;
}

static ifd_status run_pulses(trial *t, int rank)
{
    ifd_fmu_joined *j = t->j;
    IFD_TRY(restart(t));
    memset(j->base, 0, sizeof *j->base * (size_t)j->rows);
    for (int k = 0; k < t->steps; k++) {
        if (!ifd__joined_try(j, k == 0 ? rank : -1))
            return failure(t);
        ifd__joined_commit(j);
        for (int i = 0; i < j->rows; i++) {
            const ifd__joined_part *part = &j->part[j->row[i].fmu];
            double pulse = rank < part->rows ? j->row[part->first + rank].pulse : 1.0;
            double u = rank < part->rows ? (j->row[i].u - t->base[k * j->rows + i]) / pulse : 0.0;
            t->D[(size_t)(k * j->most + rank) * (size_t)j->rows + (size_t)i] = u - j->base[i];
            j->base[i] = u;
            if (k == 0)
                j->answer[rank * j->rows + i] = u;
            if (k == 0 && j->row[i].rank == rank && u != 0.0)
                t->noise = fmax(t->noise, DBL_EPSILON * t->most[i] / fabs(u * pulse));
        }
    }
    return IFD_OK;
}

/* Finds a joint or FMU that does not respond, or responds in the wrong direction. */
static ifd_status check_answers(const trial *t)
{
    const ifd_fmu_joined *j = t->j;
    int n = j->joints;
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < j->rows; i++)
        if (j->answer[j->row[i].rank * j->rows + i] < 0.0)
            return ifd_note_advise(
                t->note, IFD_UNSUPPORTED, NULL,
                "an input resists its output, as f[1] does; 'y/-u' joins an input that acts along it",
                "the FMU '%s' moves against the force on its output '%s'", name_of(j, j->row[i].fmu),
                ifd_fmu_facts_of(j->part[j->row[i].fmu].f)
                    ->variable[j->part[j->row[i].fmu].variable[j->part[j->row[i].fmu].rows + j->row[i].rank]]
                    .name);
    for (int k = 0; k < n; k++) {
        if (!(j->B[k + k * n] > 0.0))
            return ifd_note_add(t->note, IFD_UNSUPPORTED, NULL,
                                "joint '%s' does not respond to its force within a step of %g s", j->o.joint[k].name,
                                j->h);
        for (int l = 0; l < n; l++) {
            difference = fmax(difference, fabs(j->B[k + l * n] - j->B[l + k * n]));
            size = fmax(size, fabs(j->B[k + l * n]));
        }
    }
    if (difference > unsymmetric * size)
        ifd_note_remark(t->note, NULL,
                        "the responses of the joints to each other are not symmetric (difference %.2g of the "
                        "largest response): an FMU is gyroscopic or active",
                        difference / size);
    return IFD_OK;
}

/* For a very light joint the gap due to the softness is visible next to its static deformation. */
static void remark_soft(const trial *t)
{
    const ifd_fmu_joined *j = t->j;
    int n = j->joints;
    for (int k = 0; k < n && t->steps == PULSES; k++) {
        double u = 0.0, step = 0.0, mean = 0.0; /* response to a pulse, to a constant force, and its mean */
        for (int s = 0; s < t->steps; s++) {
            for (int a = 0; a < 2; a++) {
                int i = j->end[2 * k + a];
                u += t->D[(size_t)(s * j->most + j->row[i].rank) * (size_t)j->rows + (size_t)i];
            }
            step += u;
            mean += step / t->steps;
        }
        double share = j->S[k + k * n] / mean;
        if (share > soft_fraction)
            ifd_note_remark(t->note, NULL,
                            "joint '%s' is so light that its softness is %.1f %% of its static compliance; a "
                            "shorter step or 'softness: 0' changes results by about that",
                            j->o.joint[k].name, 100.0 * share);
    }
}

static const char *sentence(ifd_arena *arena, const trial *t, const ifd__joined_work *w)
{
    if (w->part < 0)
        return "the joints can extract energy from all FMUs together, though not from a single one";
    return ifd_arena_print(arena,
                           "the FMU '%s' has a memory of the force of the last step, or is active: %.2g %% of the "
                           "work done on it at its joints can be extracted",
                           name_of(t->j, w->part), -100.0 * w->part_least);
}

/* The softness that makes the structure passive: the requested one, or a larger one. */
static ifd_status judge(ifd_arena *arena, trial *t)
{
    static const double larger[] = {0.02, 0.05, 0.125};
    ifd_fmu_joined *j = t->j;
    ifd__joined_work work;
    double asked = j->softness, tolerance = passive + 4.0 * t->steps * t->noise;
    IFD_TRY(ifd__joined_soften(j));
    if (t->steps == 1 || j->predicts)
        return IFD_OK;
    IFD_TRY(ifd__joined_work_find(j, t->steps, t->D, &work));
    for (size_t k = 0; k < sizeof larger / sizeof *larger && work.least < -tolerance; k++) {
        if (larger[k] <= j->softness)
            continue;
        j->softness = larger[k];
        IFD_TRY(ifd__joined_soften(j));
        IFD_TRY(ifd__joined_work_find(j, t->steps, t->D, &work));
    }
    const char *why = sentence(arena, t, &work);
    if (!why)
        return IFD_NO_MEMORY;
    if (work.least >= -tolerance) {
        if (j->softness > asked)
            ifd_note_remark(t->note, NULL, "the softness of the joints is raised from %g to %g: %s", asked,
                            j->softness, why);
        return IFD_OK;
    }
    if (!j->o.rule.anyway)
        return ifd_note_advise(
            t->note, IFD_UNSUPPORTED, NULL,
            "exchange at its own step, or give it a method that holds its input; 'memory: yes' (join: "
            "--memory) is for Newmark's method exchanged at its own step",
            "%s; the joined run would gain energy", why);
    j->softness = asked;
    snprintf(j->caution, sizeof j->caution, "joined without a guarantee of stability: %s", why);
    ifd_note_remark(t->note, NULL, "%s", j->caution);
    return ifd__joined_soften(j);
}

static void remark_predicted(const trial *t)
{
    ifd_fmu_joined *j = t->j;
    for (int p = 0; p < j->fmus; p++)
        if (j->part[p].predicted) {
            snprintf(j->caution, sizeof j->caution,
                     "the FMU '%.200s' cannot restore a state and is predicted: stable only for steps below about "
                     "0.7 / (its highest angular frequency)",
                     name_of(j, p));
            ifd_note_remark(t->note, NULL, "%s", j->caution);
        }
}

static ifd_status run_trial(ifd_arena *arena, trial *t)
{
    ifd_fmu_joined *j = t->j;
    size_t rows = (size_t)j->rows, steps = (size_t)t->steps;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(t->base, steps * rows), IFD__ARRAY(t->D, steps * rows * (size_t)j->most),
                      IFD__ARRAY(t->most, rows)));
    IFD_TRY(begin_all(t));
    IFD_TRY(check_ends(t));
    IFD_TRY(run_base(t));
    for (int rank = 0; rank < j->most; rank++) {
        IFD_TRY(choose_pulses(t, rank));
        IFD_TRY(run_pulses(t, rank));
    }
    (void)ifd__joined_factor(j); /* only B; S follows */
    IFD_TRY(check_answers(t));
    IFD_TRY(judge(arena, t));
    remark_soft(t);
    remark_predicted(t);
    if (!ifd__joined_factor(j))
        return ifd_note_add(t->note, IFD_UNSUPPORTED, NULL,
                            "the forces of the joints are not independent: two joints act on the same rigid body");
    return restart(t);
}

ifd_status ifd__joined_start(ifd_fmu_joined *j, ifd_note *note)
{
    int fit = LARGEST / (j->joints > 0 ? j->joints : 1), steps = j->o.rule.pulses > 0 ? j->o.rule.pulses : PULSES;
    trial t = {.j = j, .note = note, .steps = steps < fit ? steps : fit > FEWEST ? fit : FEWEST};
    t.steps = steps < t.steps ? steps : t.steps;
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd_status status = run_trial(arena, &t);
    j->starting = false;
    for (int p = 0; p < j->fmus && status == IFD_OK; p++) {
        j->part[p].acting = j->part[p].f;
        if (!ifd__joined_read(j, p))
            status = failure(&t);
    }
    for (int i = 0; i < j->rows; i++)
        j->row[i].v_last = j->row[i].v;
    return status;
}
