/* SPDX-License-Identifier: MIT */
/* FMUs that move together at joints. In an exchange step n -> n+1 every FMU makes a step under a constant force Lam,
 * the defect d of the rule of the joint is computed, and the step is repeated from its start:
 *
 *     d = g + S Lam,   Lam := Lam - (B + S)^-1 d,    g: gap at the end,  B = d g / d Lam over both ends,  S = eps B_0
 *
 * One correction solves linear FMUs. The work done at the joints is Lam . (g_{n+1} - g_n) = -Lam . S (Lam - Lam_n)
 * = -1/2 [Lam . S Lam] - 1/2 dLam . S dLam: the energy of passive FMUs and of the softness together never grows.
 * With S = 0 and average acceleration in each FMU, this is the method on the whole structure. The joint then has an
 * undamped root -1, which the softness damps (-0.96 for free masses and eps = 0.01). The gap is O(h^2), as is the
 * error of the method.
 *
 * Gomes, Abbiati and Larsen (2021) note that FMI cannot correct a state after a free step; restoring the state and
 * repeating the step can. */
#include "fmi/join/joined.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"

/* Guards. A joint has diverged if it moves farther than any real joint and much farther than in the first steps, or
 * faster. The fastest growing motion is often the fastest that the step resolves; rates show it first. */
static const double grown = 1e6,
                    least_early = 1e-3, /* times as far as in the first steps; m, rad: then at least this far */
    absurd = 1e6,                       /* m, rad: no joint moves this far, not even in its first steps */
    fast = 1e4, faster = 1e3,           /* m/s, rad/s; times as fast as in the first steps */
    left_over = 1e-3,                   /* of the largest displacement: larger defects must not remain */
    solved = 1e-8, round_off = 1e-12;   /* of the largest displacement, and m: a smaller defect counts as zero */

void ifd_fmu_rule_defaults(ifd_fmu_rule *rule)
{
    *rule = (ifd_fmu_rule){.softness = -1.0};
}

void ifd__joined_forces_of(ifd_fmu_joined *j, const double *lambda)
{
    for (int i = 0; i < j->rows; i++)
        j->row[i].F = 0.0;
    for (int k = 0; k < j->joints; k++) {
        j->row[j->end[2 * k]].F += lambda[k];
        j->row[j->end[2 * k + 1]].F -= lambda[k];
    }
}

static bool failed(ifd_fmu_joined *j, ifd_fmu *f)
{
    j->why = ifd_fmu_why(f);
    j->diverged = j->largest > left_over * grown * fmax(j->early, least_early);
    return false;
}

bool ifd__joined_connection(ifd_fmu_joined *j, int p, double t)
{
    for (int k = 0; k < j->o.connections; k++) {
        const ifd_fmu_connection *f = &j->o.connection[k];
        double y[3];
        if (f->fmu != p)
            continue;
        ifd_signal_eval(f->signal, t, y);
        if (!ifd_fmu_set(j->part[p].acting, 1, &f->input, y))
            return failed(j, j->part[p].acting);
    }
    return true;
}

bool ifd__joined_read(ifd_fmu_joined *j, int p)
{
    ifd__joined_part *part = &j->part[p];
    const int *displacement = part->variable + part->rows, *velocity = displacement + part->rows;
    if (!ifd_fmu_get(part->acting, part->rows, displacement, part->value))
        return failed(j, part->acting);
    for (int r = 0; r < part->rows; r++)
        j->row[part->first + r].u = part->value[r];
    if (!part->rates)
        return true;
    if (!ifd_fmu_get(part->acting, part->rows, velocity, part->value))
        return failed(j, part->acting);
    for (int r = 0; r < part->rows; r++)
        j->row[part->first + r].v = part->value[r];
    return true;
}

static bool step_part(ifd_fmu_joined *j, int p, int extra)
{
    ifd__joined_part *part = &j->part[p];
    for (int r = 0; r < part->rows; r++) {
        ifd__joined_row *row = &j->row[part->first + r];
        double F = row->F + (r == extra ? row->pulse : 0.0);
        row->sending = part->remembers ? 2.0 * F - row->sent : F;
        part->value[r] = row->sign * row->sending;
    }
    if (!ifd_fmu_set(part->acting, part->rows, part->variable, part->value))
        return failed(j, part->acting);
    if (!ifd__joined_connection(j, p, j->h * (double)(j->step + 1)))
        return false;
    return ifd_fmu_step(part->acting, j->h * (double)j->step, j->h) ? ifd__joined_read(j, p)
                                                                    : failed(j, part->acting);
}

/* Predicts an FMU that cannot restore a state: continuation of its motion, plus its response to the change of the
 * forces. */
static void predict(ifd_fmu_joined *j, const ifd__joined_part *part)
{
    for (int r = 0; r < part->rows; r++) {
        ifd__joined_row *row = &j->row[part->first + r];
        row->u = row->kept_u + j->h * row->v + 0.5 * j->h * (row->v - row->v_last);
        for (int l = 0; l < part->rows; l++) {
            const ifd__joined_row *by = &j->row[part->first + l];
            row->u += j->answer[l * j->rows + part->first + r] * (by->F - by->F_last);
        }
    }
}

bool ifd__joined_try(ifd_fmu_joined *j, int extra)
{
    for (int p = 0; p < j->fmus; p++) {
        if (j->part[p].predicted && !j->starting)
            predict(j, &j->part[p]);
        else if (!step_part(j, p, extra))
            return false;
    }
    for (int k = 0; k < j->joints; k++)
        j->gap[k] = j->row[j->end[2 * k]].u - j->row[j->end[2 * k + 1]].u;
    return true;
}

void ifd__joined_commit(ifd_fmu_joined *j)
{
    for (int i = 0; i < j->rows; i++) {
        j->row[i].sent = j->row[i].sending;
        j->row[i].F_last = j->row[i].F;
    }
    j->step++;
}

bool ifd__joined_factor(ifd_fmu_joined *j)
{
    int n = j->joints;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double sum = 0.0;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    const ifd__joined_row *by = &j->row[j->end[2 * l + b]];
                    int i = j->end[2 * k + a];
                    if (j->row[i].fmu == by->fmu)
                        sum += (a == b ? 1.0 : -1.0) * j->answer[by->rank * j->rows + i];
                }
            j->B[k + l * n] = sum;
            j->F[k + l * n] = sum + j->S[k + l * n];
        }
    return ifd__lu_factor(n, j->F, j->pivot);
}

static bool all(ifd_fmu_joined *j, bool (*what)(ifd_fmu *f))
{
    for (int p = 0; p < j->fmus; p++)
        if (!j->part[p].predicted && !what(j->part[p].f))
            return failed(j, j->part[p].f);
    return true;
}

/* B at the present state of the FMUs, by pulses in addition to the forces of the present trial. */
static bool identify(ifd_fmu_joined *j)
{
    for (int i = 0; i < j->rows; i++)
        j->base[i] = j->row[i].u;
    for (int l = 0; l < j->most; l++) {
        if (!all(j, ifd_fmu_restore) || !ifd__joined_try(j, l))
            return false;
        for (int i = 0; i < j->rows; i++) {
            const ifd__joined_part *part = &j->part[j->row[i].fmu];
            if (l < part->rows && !part->predicted)
                j->answer[l * j->rows + i] = (j->row[i].u - j->base[i]) / j->row[part->first + l].pulse;
        }
    }
    j->slow = 0;
    j->why = "a joint no longer responds to its force";
    return ifd__joined_factor(j);
}

/* d = g + S Lam; its largest entry. */
static double find_defect(ifd_fmu_joined *j)
{
    double largest = 0.0;
    memcpy(j->defect, j->gap, sizeof *j->gap * (size_t)j->joints);
    ifd__mul_add(j->joints, j->joints, 1.0, j->S, j->lambda, j->defect);
    for (int k = 0; k < j->joints; k++)
        largest = fmax(largest, fabs(j->defect[k]));
    return largest;
}

/* Corrects until the defect is solved; identifies B again if corrections do not converge. Returns the remaining
 * defect, or a negative number if an FMU failed. */
static double solve(ifd_fmu_joined *j)
{
    if (!all(j, ifd_fmu_save) || !ifd__joined_try(j, -1))
        return -1.0;
    double tolerance = solved * j->largest + round_off, size = find_defect(j), last = size;
    for (int c = 0; c < j->corrections && (c == 0 || size > tolerance); c++) {
        if (c > 0)
            j->slow = size > last / 3.0 ? j->slow + 1 : 0;
        if (c > 0 && (size > last || j->slow >= 2) && !identify(j))
            return -1.0;
        ifd__lu_solve(j->joints, j->F, j->pivot, 1, j->defect);
        for (int k = 0; k < j->joints; k++)
            j->lambda[k] -= j->defect[k];
        ifd__joined_forces_of(j, j->lambda);
        if (!all(j, ifd_fmu_restore) || !ifd__joined_try(j, -1))
            return -1.0;
        last = size;
        size = find_defect(j);
    }
    return size;
}

/* FMUs that cannot restore a state make their step now, once. */
static bool follow(ifd_fmu_joined *j)
{
    for (int p = 0; p < j->fmus; p++) {
        const ifd__joined_part *part = &j->part[p];
        if (!part->predicted)
            continue;
        for (int r = part->first; r < part->first + part->rows; r++)
            j->row[r].v_last = j->row[r].v;
        if (!step_part(j, p, -1))
            return false;
    }
    for (int k = 0; k < j->joints; k++)
        j->gap[k] = j->row[j->end[2 * k]].u - j->row[j->end[2 * k + 1]].u;
    return true;
}

static bool guard(ifd_fmu_joined *j, double left)
{
    double size = 0.0, rate = 0.0;
    for (int i = 0; i < j->rows; i++) {
        size = fmax(size, fabs(j->row[i].u));
        rate = fmax(rate, fabs(j->row[i].u - j->row[i].kept_u) / j->h);
    }
    j->largest = fmax(j->largest, size);
    if (j->step < IFD__JOINED_FIRST) {
        j->early = fmax(j->early, size);
        j->early_rate = fmax(j->early_rate, rate);
    }
    for (int k = 0; k < j->joints; k++)
        j->worst = fmax(j->worst, fabs(j->gap[k]));
    const char *energy = ifd__joined_account(j, size);
    if (left > left_over * j->largest + round_off)
        j->why = "the joined run diverged: corrections do not close a joint (use more corrections, or a shorter "
                 "step)";
    else if (size > absurd || size > grown * fmax(j->early, least_early))
        j->why =
            "the joined run diverged: a joint moves beyond 1e6 m, or a million times as far as in its first steps";
    else if (rate > fast && rate > faster * j->early_rate)
        j->why =
            "the joined run diverged: a joint moves beyond 1e4 m/s, a thousand times as fast as in its first steps";
    else if (energy)
        j->why = energy;
    else
        return true;
    j->diverged = true;
    return false;
}

bool ifd_fmu_joined_step(ifd_fmu_joined *j)
{
    for (int i = 0; i < j->rows; i++)
        j->row[i].kept_u = j->row[i].u;
    for (int k = 0; k < j->joints; k++) /* first trial state of nonlinear FMUs */
        j->lambda[k] = j->step >= 2 ? 2.0 * j->last[k] - j->before[k] : j->last[k];
    ifd__joined_forces_of(j, j->lambda);
    double left = solve(j);
    if (left < 0.0 || !follow(j))
        return false;
    if (!guard(j, left))
        return false;
    memcpy(j->before, j->last, sizeof *j->last * (size_t)j->joints);
    memcpy(j->last, j->lambda, sizeof *j->last * (size_t)j->joints);
    ifd__joined_commit(j);
    return true;
}

double ifd_fmu_joined_time(const ifd_fmu_joined *j)
{
    return j->h * (double)j->step;
}

const double *ifd_fmu_joined_forces(const ifd_fmu_joined *j)
{
    return j->last;
}

double ifd_fmu_joined_gap(const ifd_fmu_joined *j)
{
    return j->worst;
}

double ifd_fmu_joined_softness(const ifd_fmu_joined *j)
{
    return j->softness;
}

bool ifd_fmu_joined_diverged(const ifd_fmu_joined *j)
{
    return j->diverged;
}

const char *ifd_fmu_joined_caution(const ifd_fmu_joined *j)
{
    return j->caution[0] ? j->caution : NULL;
}

const char *ifd_fmu_joined_why(const ifd_fmu_joined *j)
{
    return j->why;
}
