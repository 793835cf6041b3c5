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
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "fmi/join/joined.h"

/* The work that joint forces can extract from FMUs, from their responses to pulses. A force Lam_k held over exchange
 * step k does the work Lam_k . (g_k - g_{k-1}); with the increments D_1, D_2, ... of the gap after a unit pulse this
 * is Lam . W Lam, W block lower triangular and Toeplitz. The softness adds Lam_k . S (Lam_k - Lam_{k-1}), J = S (I -
 * Z). If sym(W) + sym(J) is positive semidefinite, no sequence of forces gains energy. */

/* Increment of gap k in step `step` by a unit joint force l in step 0; for one FMU, or for all (-1). */
static double gap_answer(const ifd_fmu_joined *j, const double *D, int step, int part, int k, int l)
{
    double sum = 0.0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            int i = j->end[2 * k + a];
            const ifd__joined_row *by = &j->row[j->end[2 * l + b]];
            if (j->row[i].fmu == by->fmu && (part < 0 || by->fmu == part))
                sum += (a == b ? 1.0 : -1.0) * D[(size_t)(step * j->most + by->rank) * (size_t)j->rows + (size_t)i];
        }
    return sum;
}

/* Lower triangle of sym(W), with joints scaled so that B has ones on its diagonal; soft: with sym(J). */
static void build(const ifd_fmu_joined *j, int steps, const double *D, int part, bool soft, double *W)
{
    int n = j->joints;
    size_t N = (size_t)n * (size_t)steps;
    for (int s = 0; s < steps; s++)
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) {
                double scale = 1.0 / sqrt(j->B[k + k * n] * j->B[l + l * n]), w = gap_answer(j, D, s, part, k, l);
                if (s == 0)
                    w = 0.5 * (w + gap_answer(j, D, s, part, l, k));
                if (soft && s < 2)
                    w += (s == 0 ? 1.0 : -1.0) * j->S[k + l * n];
                for (int t = 0; t + s < steps; t++)
                    W[(size_t)((t + s) * n + k) + N * (size_t)(t * n + l)] = (s == 0 ? 1.0 : 0.5) * scale * w;
            }
}

static ifd_status extremes(int n, double *A, double *root, double *least, double *most)
{
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, root) != 0)
        return IFD_NO_MEMORY;
    *least = root[0];
    *most = root[n - 1];
    return IFD_OK;
}

ifd_status ifd__joined_work_find(const ifd_fmu_joined *j, int steps, const double *D, ifd__joined_work *out)
{
    int N = j->joints * steps;
    double least, most, soft_most, *W, *root;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(W, (size_t)N * (size_t)N), IFD__ARRAY(root, N)));
    *out = (ifd__joined_work){.part = -1};
    build(j, steps, D, -1, false, W);
    IFD_TRY(extremes(N, W, root, &least, &most));
    build(j, steps, D, -1, true, W);
    IFD_TRY(extremes(N, W, root, &out->least, &soft_most));
    out->least /= most;
    for (int p = 0; p < j->fmus; p++) {
        build(j, steps, D, p, false, W);
        IFD_TRY(extremes(N, W, root, &least, &most));
        if (least < out->part_least * most) {
            out->part = p;
            out->part_least = least / most;
        }
    }
    return IFD_OK;
}

/* sym(B) may be nearly singular where joints act on one rigid body: the eigenvalues of its correlation form are
 * raised to 1e-6. */
ifd_status ifd__joined_soften(ifd_fmu_joined *j)
{
    const double least = 1e-6;
    int n = j->joints;
    double *C, *root;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(C, n * n), IFD__ARRAY(root, n)));
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            C[k + l * n] = 0.5 * (j->B[k + l * n] + j->B[l + k * n]) / sqrt(j->B[k + k * n] * j->B[l + l * n]);
    int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, C, n, root);
    for (int k = 0; k < n && info == 0; k++)
        for (int l = 0; l <= k; l++) {
            double sum = 0.0;
            for (int r = 0; r < n; r++)
                sum += fmax(root[r], least) * C[k + r * n] * C[l + r * n];
            j->S[k + l * n] = j->S[l + k * n] = j->softness * sum * sqrt(j->B[k + k * n] * j->B[l + l * n]);
        }
    return info == 0 ? IFD_OK : IFD_NO_MEMORY;
}

/* Detects slow divergence of joined FMUs without a guarantee of stability at the start. Size alone does not
 * distinguish it from a motion that loads drive; energy does.
 *
 * A joint that satisfies its rule g = -S Lam never adds energy: Lam . (g_n - g_{n-1}) sums up to at most -1/2
 * Lam.S.Lam (join.c). The rule does not hold where an FMU is predicted. The energy that the joints have added is
 * then the sum, with the energy of the softness. A run is driven by its joints if they have added more than half of
 * the largest energy that entered one of the FMUs, and if its motion has outgrown that of its first steps.
 *
 * An FMU with a memory of forces adds energy internally, where it is not observed. The growing motion is then the
 * fastest that the exchange resolves: joint forces that change their sign within two steps. Physical forces are
 * smooth over a step, or the step is too long. */

static const double made_most = 0.5, /* of the energy that entered an FMU */
    outgrown = 4.0,                  /* times the largest displacement of the first steps: 16 times their energy */
    fade = 1.0 - 1.0 / 64.0,         /* of the sums, per step */
    kinked = 4.0,       /* second differences over forces: below four steps per cycle, (2 sin 45 deg)^4 */
    kinks_grown = 64.0; /* times their energy in the first steps: 8 times their size */

/* Lam.B.Lam with the diagonal of B: an energy, so that joints of different units can be added. */
static double weigh(const ifd_fmu_joined *j, int k, double force)
{
    return fabs(j->B[k + k * j->joints]) * force * force;
}

static void account_forces(ifd_fmu_joined *j)
{
    j->forces *= fade;
    j->kinks *= fade;
    for (int k = 0; k < j->joints; k++) {
        j->forces += weigh(j, k, j->lambda[k]);
        j->kinks += weigh(j, k, j->lambda[k] - 2.0 * j->last[k] + j->before[k]);
    }
    if (j->step < IFD__JOINED_FIRST)
        j->early_kinks = fmax(j->early_kinks, j->kinks);
}

static double softness_energy(const ifd_fmu_joined *j)
{
    double sum = 0.0;
    for (int k = 0; k < j->joints; k++)
        for (int l = 0; l < j->joints; l++)
            sum += 0.5 * j->lambda[k] * j->S[k + l * j->joints] * j->lambda[l];
    return sum;
}

/* Accounts for the energies of the accepted step; returns a sentence if they show divergence, otherwise NULL. */
IFD_RT static const char *joined_account(ifd_fmu_joined *j, double size)
{
    account_forces(j);
    for (int k = 0; k < j->joints; k++) {
        j->made += j->lambda[k] * (j->gap[k] - j->gap_last[k]);
        j->gap_last[k] = j->gap[k];
    }
    for (int i = 0; i < j->rows; i++) {
        ifd__joined_part *part = &j->part[j->row[i].fmu];
        part->work += j->row[i].F * (j->row[i].u - j->row[i].kept_u);
        j->through = fmax(j->through, fabs(part->work));
    }
    if (j->step < IFD__JOINED_FIRST || !*j->caution)
        return NULL;
    if (j->made + softness_energy(j) > made_most * j->through && size > outgrown * j->early)
        return "the joined run diverged: its joints added more than half of the energy that entered an FMU";
    if (j->kinks > kinked * j->forces && j->kinks > kinks_grown * j->early_kinks && j->kinks > 0.0)
        return "the joined run diverged: joint forces that alternate from step to step have outgrown all others";
    return NULL;
}

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

/* F of all rows from the forces of the joints. */
IFD_RT static void joined_forces_of(ifd_fmu_joined *j, const double *lambda)
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
        joined_forces_of(j, j->lambda);
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
    const char *energy = joined_account(j, size);
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
    joined_forces_of(j, j->lambda);
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

/* Makes the rows of joined FMUs, and the memory of a joint. */

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
        if (!o->rule.predict)
            return ifd_note_advise(
                note, IFD_UNSUPPORTED, NULL,
                "no-rollback: predict (join: --predict) joins it without a guarantee of stability",
                "the FMU '%s' cannot restore a stored state: it can be a specimen (force out), but not a "
                "joined substructure",
                f->name);
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
                                        .rates = true};
        j->predicts = j->predicts || !back;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(j->part[p].variable, 3 * MOST_ROWS),
                          IFD__ARRAY(j->part[p].value, MOST_ROWS)));
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
    ifd_fmu_joined *j;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(j, 1)));
    *j = (ifd_fmu_joined){.o = *o, .fmus = o->fmus, .joints = o->joints, .h = o->h, .why = "", .starting = true};
    j->corrections = o->rule.corrections > 0 ? o->rule.corrections : 3;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(j->part, o->fmus), IFD__ARRAY(j->end, 2 * n)));
    IFD_TRY(make_parts(arena, j, note));
    j->softness = o->rule.softness >= 0.0 ? o->rule.softness : j->predicts ? 0.5 : 0.01;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(j->row, j->rows), IFD__ARRAY(j->pivot, n), IFD__ARRAY(j->base, j->rows),
                      IFD__ARRAY(j->answer, (size_t)j->rows * (size_t)j->most), IFD__ARRAY(j->lambda, n),
                      IFD__ARRAY(j->last, n), IFD__ARRAY(j->before, n), IFD__ARRAY(j->gap, n),
                      IFD__ARRAY(j->gap_last, n), IFD__ARRAY(j->defect, n), IFD__ARRAY(j->B, n * n),
                      IFD__ARRAY(j->S, n * n), IFD__ARRAY(j->F, n * n)));
    make_rows(j);
    *out = j;
    return ifd__joined_start(j, note);
}
