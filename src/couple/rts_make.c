/* SPDX-License-Identifier: MIT */
/* Set-up of coupling `rts`: copies of the models with prescribed supports and ghost masses, steppers for both phases,
 * and checks of stability and computation time. */
#include "couple/rts.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "method/stepper.h"
#include "model/gravity.h"
#include "model/equilibrium/release.h"

static ifd_status check_link(const ifd_couple_options *opt, int l, ifd_note *note)
{
    const ifd_rts_link *link = &opt->rts->link[l];
    bool measured = link->follower == IFD_RTS_SPECIMEN;
    if (link->leader < 0 || link->leader >= opt->parts || (!measured && link->follower < 0) ||
        link->follower >= opt->parts)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, &link->place,
                            "link '%s' refers to a substructure that does not exist", link->name);
    const ifd_part_options *leader = &opt->part[link->leader];
    if (link->dof < 0 || link->dof >= leader->model->n)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, &link->place,
                            "link '%s' refers to a dof that substructure '%s' does not have", link->name,
                            leader->name);
    if (measured)
        return IFD_OK;
    const ifd_part_options *follower = &opt->part[link->follower];
    if (link->support < 0 || link->support >= follower->model->nsupport)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, &link->place,
                            "link '%s' refers to a support that substructure '%s' does not have", link->name,
                            follower->name);
    if (link->follower <= link->leader)
        return ifd_note_advise(note, IFD_CONFLICT, &link->place,
                               "list the substructures in an order in which each follows only earlier ones",
                               "link '%s': substructure '%s' follows '%s', which comes later in the list", link->name,
                               follower->name, leader->name);
    if (!isfinite(link->ghost) || link->ghost < 0.0)
        return ifd_note_add(note, IFD_RANGE, &link->place, "link '%s' has a ghost mass of %g; expected zero or more",
                            link->name, link->ghost);
    for (int k = 0; k < l; k++)
        if (opt->rts->link[k].follower == link->follower && opt->rts->link[k].support == link->support)
            return ifd_note_add(note, IFD_CONFLICT, &link->place,
                                "links '%s' and '%s' move the same support: remove one of them",
                                opt->rts->link[k].name, link->name);
    return IFD_OK;
}

static ifd_status check(const ifd_couple_options *opt, ifd_note *note)
{
    ifd_status status = IFD_OK;
    if (!opt->rts || opt->rts->links < 1)
        return ifd_note_add(note, IFD_RANGE, &opt->place, "coupling rts needs at least one link");
    if (opt->joints)
        return ifd_note_add(note, IFD_UNSUPPORTED, &opt->place, "coupling rts has joints; it supports links only");
    for (int l = 0; l < opt->rts->links; l++) {
        ifd_status one = check_link(opt, l, note);
        status = status == IFD_OK ? one : status;
    }
    return status;
}

static ifd_status settle_options(ifd__rts *r, ifd_note *note)
{
    ifd_rts_options *o = &r->opt;
    int least = o->extrapolate.past - 1;
    o->start_steps = o->start_steps ? o->start_steps : least;
    o->start_grid = o->start_grid ? o->start_grid : 4;
    o->halvings = o->halvings ? o->halvings : 6;
    o->iterations = o->iterations ? o->iterations : 50;
    o->tolerance = o->tolerance != 0.0 ? o->tolerance : 1e-11;
    if (o->start_steps < least)
        return ifd_note_add(
            note, IFD_RANGE, NULL,
            "an iterative start of %d steps supplies %d forces; the extrapolator needs %d: use at least %d steps",
            o->start_steps, o->start_steps + 1, least + 1, least);
    if (o->start_grid < 1 || o->start_grid > IFD__RTS_GRID)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "the iterative start has %d sub-intervals per step; expected 1 to %d", o->start_grid,
                            IFD__RTS_GRID);
    if (o->iterations < 1)
        return ifd_note_add(note, IFD_RANGE, NULL, "the iterative start has %d iterations; expected 1 or more",
                            o->iterations);
    for (int k = 0; k < 3; k++)
        if (!(o->duration[k] >= 0.0))
            return ifd_note_add(note, IFD_RANGE, NULL, "a duration is %g s; expected zero or more", o->duration[k]);
    /* The polynomial of a block has degree 3 or more if enough values exist. */
    r->back = 3 - o->extrapolate.ahead > 0 ? 3 - o->extrapolate.ahead : 0;
    r->back = r->back < least ? r->back : least;
    r->kept = o->extrapolate.past < IFD__SUPPORT_TERMS ? o->extrapolate.past : IFD__SUPPORT_TERMS;
    r->kept = o->exchange == IFD_RTS_FORCE ? r->kept : 0;
    return IFD_OK;
}

/* A follower measures the motion of its leader relative to the same ground. */
static ifd_status share_ground(ifd_arena *arena, const ifd_couple_options *opt, const ifd_rts_link *link,
                               ifd_model *copy, ifd_note *note)
{
    const ifd_model *leader = opt->part[link->leader].model;
    for (int d = 0; d < 3; d++)
        if (leader->ground[d].signal != copy->ground[d].signal)
            return ifd_note_add(
                note, IFD_CONFLICT, &link->place,
                "the ground motion acts differently on substructures '%s' and '%s', which link '%s' connects",
                opt->part[link->leader].name, opt->part[link->follower].name, link->name);
    return ifd__model_share_ground(arena, copy, link->support, leader->dof_kind[link->dof]);
}

/* Copies of the model: m with prescribed supports, moved also with ghost masses. */
static ifd_status make_models(ifd__rts *r, ifd_arena *arena, const ifd_couple_options *opt, int p, ifd_note *note)
{
    ifd__rts_part *part = &r->part[p];
    const ifd_model *given = opt->part[p].model;
    size_t ns = (size_t)given->nsupport;
    const ifd_signal **signal = ifd_arena_array(arena, ns, sizeof *signal);
    ifd_model *copy;
    part->slot = ifd_arena_array(arena, ns, sizeof(ifd__support_motion *));
    if (!signal || !part->slot)
        return IFD_NO_MEMORY;
    for (int l = 0; l < r->links; l++) {
        const ifd_rts_link *link = &r->opt.link[l];
        part->leads = part->leads || link->leader == p;
        if (link->follower == p) {
            part->follows = true;
            IFD_TRY(ifd__support_motion_make(arena, &part->slot[link->support], &signal[link->support]));
        }
    }
    IFD_TRY(ifd__model_with_supports(arena, given, signal, &copy));
    for (int l = 0; l < r->links; l++)
        if (r->opt.link[l].follower == p)
            IFD_TRY(share_ground(arena, opt, &r->opt.link[l], copy, note));
    part->m = part->moved = copy;
    if (part->follows)
        IFD_TRY(ifd__model_reaction_check(copy, opt->part[p].name, note));
    for (int l = 0; l < r->links; l++)
        if (r->opt.link[l].leader == p && r->opt.link[l].ghost > 0.0) {
            IFD_TRY(ifd__model_with_mass(arena, part->moved, r->opt.link[l].dof, r->opt.link[l].ghost, &copy, note));
            part->moved = copy;
        }
    return IFD_OK;
}

/* rest := K^-1 Ks; inertia := M rest - Ms. The damping must not depend on the rest: C rest = Cs. */
static ifd_status fill_effective(ifd__rts_part *part, ifd_arena *scratch, const char *name, ifd_note *note)
{
    const ifd_model *m = part->m;
    size_t n = (size_t)m->n, all = n * (size_t)m->nsupport;
    ifd_solver *K;
    double *zero = ifd_arena_array(scratch, 3 * n, sizeof *zero), *w = zero + n, *out = w + n;
    if (ifd__solver_make(scratch, &m->K, IFD__SOLVER_AUTO, &K, NULL) != IFD_OK)
        return ifd_note_add(note, IFD_SINGULAR, NULL,
                            "substructure '%s' has a singular stiffness matrix: its static displacement under "
                            "support motion is not defined",
                            name);
    double *solver = ifd_arena_array(scratch, ifd__solver_work(K), sizeof *solver);
    if (!zero || !solver)
        return IFD_NO_MEMORY;
    memcpy(part->rest, m->Ks, all * sizeof *part->rest);
    for (int j = 0; j < m->nsupport; j++) {
        double *rest = part->rest + (size_t)j * n, *inertia = part->inertia + (size_t)j * n, worst = 0.0, size = 0.0;
        ifd__solver_solve(K, rest, solver);
        ifd__sparse_mul_add(&part->moved->M, 1.0, rest, inertia);
        memset(out, 0, n * sizeof *out);
        ifd__model_linear(m, 1.0, zero, rest, w, out);
        for (size_t i = 0; i < n; i++) {
            inertia[i] -= m->Ms[(size_t)j * n + i];
            worst = fmax(worst, fabs(out[i] - m->Cs[(size_t)j * n + i]));
            size = fmax(size, fabs(m->Cs[(size_t)j * n + i]));
        }
        if (worst > 1e-6 * size)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, NULL,
                "the effective form neglects damping that is not proportional to stiffness; substructure '%s' "
                "has such damping",
                name);
    }
    return IFD_OK;
}

static ifd_status make_effective(ifd__rts *r, ifd_arena *arena, int p, const char *name, ifd_note *note)
{
    ifd__rts_part *part = &r->part[p];
    size_t all = (size_t)part->m->n * (size_t)part->m->nsupport;
    if (part->m->ne)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "substructure '%s' has elements; the effective form supports linear followers only",
                            name);
    const ifd_signal *still, **signal;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(part->rest, all), IFD__ARRAY(part->inertia, all),
                      IFD__ARRAY(signal, part->m->nsupport)));
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD_TRY(fill_effective(part, scratch, name, note));
    IFD_TRY(ifd_signal_make_sum(arena, 0, NULL, NULL, NULL, &still));
    for (int j = 0; j < part->m->nsupport; j++)
        signal[j] = still;
    ifd_model *copy;
    IFD_TRY(ifd__model_with_supports(arena, part->moved, signal, &copy));
    part->moved = copy;
    return IFD_OK;
}

static ifd_status make_part(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, int p, ifd_note *note)
{
    ifd__rts *r = c->data;
    ifd__rts_part *part = &r->part[p];
    ifd_step_options step = opt->part[p].step;
    IFD_TRY(make_models(r, arena, opt, p, note));
    const ifd_model *massive = part->moved, *m = part->m;
    if (r->opt.exchange == IFD_RTS_EFFECTIVE && part->follows)
        IFD_TRY(make_effective(r, arena, p, opt->part[p].name, note));
    part->subcycles = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
    for (int k = 0; k < IFD__RTS_STEPS; k++) {
        step.h = k == IFD__RTS_FINE ? r->length[k] : r->length[k] / part->subcycles;
        if (r->length[k] > 0.0)
            IFD_TRY(ifd_stepper_make(arena, &step, part->moved, &part->stepper[k], note));
    }
    IFD_TRY(ifd__tangent_make(arena, massive, &(ifd__tangent_options){.cm = 1.0}, &part->mass, note));
    size_t n = (size_t)m->n, grid = (size_t)ifd__exponential_grid(part->stepper[IFD__RTS_WHOLE]);
    size_t work = ifd__model_work(m) > ifd__model_reaction_work(m) ? ifd__model_work(m) : ifd__model_reaction_work(m);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(part->a, n), IFD__ARRAY(part->load, (grid + 1) * n),
                      IFD__ARRAY(part->reaction, (size_t)m->nsupport + 1), IFD__ARRAY(part->g, (size_t)m->ns + 1),
                      IFD__ARRAY(part->w, work)));
    int first = c->rows;
    part->at = ifd__coupled_stepper_rows(c, part->stepper[IFD__RTS_WHOLE]);
    for (int k = first; k < c->rows; k++) /* forces come from the links: measured forces of a stepper are zero */
        if (strcmp(c->row[k].name, "loads") == 0)
            c->row[k].kind = IFD_STATE_STAGE;
    c->member[p].at = part->at;
    c->member[p].h = opt->h / part->subcycles;
    c->member[p].model = part->m;
    return IFD_OK;
}

static ifd_status make_rows(ifd__coupled *c, ifd_arena *arena)
{
    ifd__rts *r = c->data;
    size_t links = (size_t)r->links, grid = (size_t)r->opt.start_grid + 1;
    int p = r->opt.extrapolate.past, q = r->opt.extrapolate.ahead;
    r->forces = ifd__coupled_row(c, "forces", p * r->links, IFD_STATE_HISTORY);
    r->nodes = ifd__coupled_row(c, "block", (r->back + 1 + q) * r->links, IFD_STATE_HISTORY);
    r->motion = ifd__coupled_row(c, "motions", 3 * r->kept * r->links, IFD_STATE_HISTORY);
    r->step = ifd__coupled_row(c, "start-up", 1, IFD_STATE_INTEGER);
    r->most = ifd__coupled_row(c, "most iterations", 1, IFD_STATE_INTEGER);
    r->all = ifd__coupled_row(c, "iterations", 1, IFD_STATE_INTEGER);
    if (r->opt.rehearsed && r->measured) {
        int rows = (r->opt.start_steps + 1) * r->links;
        r->guessed = ifd__coupled_row(c, "start forces", rows, IFD_STATE_HISTORY);
        r->answered = ifd__coupled_row(c, "measured start forces", rows, IFD_STATE_HISTORY);
        r->rehearsals = ifd__coupled_row(c, "rehearsals", 1, IFD_STATE_INTEGER);
        c->rehearsed = r->opt.start_steps;
    }
    if (r->opt.variable > 0.0)
        IFD_TRY(ifd__rts_variable_make(c, arena));
    c->pulled = ifd__coupled_row(c, "pulls", r->links, IFD_STATE_STAGE);
    c->pulls = r->links - r->measured;
    r->state = c->size;
    c->period = r->times ? 1 : q;
    c->started = r->opt.start_steps;
    ifd__pull *pull;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(pull, links), IFD__ARRAY(r->guess, grid * links),
                      IFD__ARRAY(r->answer, grid * links), IFD__ARRAY(r->saved, r->state), IFD__ARRAY(r->G, links),
                      IFD__ARRAY(r->from, 3 * links), IFD__ARRAY(r->to, 3 * links)));
    for (int l = 0; l < r->links; l++)
        pull[l] = (ifd__pull){r->opt.link[l].leader, r->opt.link[l].dof};
    c->pull = pull;
    return IFD_OK;
}

/* Reaction at the support of a link at the initial state, with acceleration a of the dof of its leader. */
static double reaction_under(ifd__rts *r, const ifd_rts_link *link, double a, const double *x)
{
    const ifd_model *leader = r->part[link->leader].m;
    const double y[3] = {leader->u0[link->dof], leader->v0[link->dof], a};
    ifd__support_motion_point(r->part[link->follower].slot[link->support], y);
    (void)ifd__rts_acceleration(r, link->follower, 0.0, NULL, x);
    ifd__rts_reaction(r, link->follower, 0.0, x);
    return r->part[link->follower].reaction[link->support];
}

/* mu of a link: inertia of the follower at the support divided by that of the leader at the dof, with ghost
 * masses. */
static double added_mass(ifd__rts *r, const ifd_rts_link *link, const double *x)
{
    ifd__rts_part *leader = &r->part[link->leader];
    const double *u = x + leader->at, *v = u + leader->m->n, *s = v + leader->m->n;
    double inertia = reaction_under(r, link, 1.0, x) - reaction_under(r, link, 0.0, x) - link->ghost;
    memset(leader->a, 0, sizeof(double) * (size_t)leader->m->n);
    leader->a[link->dof] = 1.0;
    (void)ifd__tangent_update(leader->mass, &(ifd__point){.u = u, .v = v, .s = s});
    ifd__tangent_solve(leader->mass, leader->a);
    return inertia * leader->a[link->dof];
}

/* Reports configurations that are unstable or too slow. */
static ifd_status judge(ifd__coupled *c, const ifd_couple_options *opt, ifd_note *note)
{
    ifd__rts *r = c->data;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    double *x = scratch ? ifd_arena_array(scratch, (size_t)c->size, sizeof *x) : NULL;
    for (int p = 0; x && p < c->parts; p++)
        ifd__model_initial(r->part[p].m, x + r->part[p].at);
    for (int l = 0; x && l < r->links - r->measured; l++) {
        double mu = added_mass(r, &r->opt.link[l], x), radius = ifd_extrapolation_radius(r->e, mu);
        r->added_mass = fmax(r->added_mass, fabs(mu));
        r->radius = fmax(r->radius, radius);
        if (radius > 1.0 && note)
            ifd_note_remark(
                note, &opt->place,
                "link '%s': the follower has %.3g of the inertia of the leader; extrapolation by %s (p %d, q "
                "%d) is stable up to %.3g. The motion will grow; use a ghost mass or a lower degree",
                r->opt.link[l].name, mu, r->e->extrapolator->name, r->e->past, r->e->ahead, r->e->added_mass);
    }
    double late = r->opt.duration[0] + r->opt.duration[1] + r->opt.duration[2];
    if (late > opt->h && note)
        ifd_note_remark(
            note, &opt->place,
            "computation, actuation and measurement take %g s, more than the step of %g s; extrapolation by %d "
            "step%s allows %g s",
            late, opt->h, r->e->ahead, r->e->ahead > 1 ? "s" : "", opt->h * r->e->ahead);
    return x ? IFD_OK : IFD_NO_MEMORY;
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    IFD_TRY(check(opt, note));
    ifd__rts *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    c->data = r;
    r->opt = *opt->rts;
    r->links = opt->rts->links;
    ifd_rts_link *link;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(link, r->links), IFD__ARRAY(r->part, c->parts)));
    memcpy(link, opt->rts->link, sizeof *link * (size_t)r->links);
    r->opt.link = link;
    for (int l = 0; l < r->links; l++)
        r->measured += link[l].follower == IFD_RTS_SPECIMEN;
    IFD_TRY(ifd_extrapolation_make(arena, &r->opt.extrapolate, &r->e, note));
    IFD_TRY(settle_options(r, note));
    IFD_TRY(ifd__rts_variable_check(r, opt, note));
    r->length[IFD__RTS_WHOLE] = opt->h;
    r->length[IFD__RTS_FINE] = opt->h / r->opt.start_grid;
    for (int k = 0; r->opt.variable > 0.0 && k <= r->opt.halvings; k++)
        r->length[IFD__RTS_SHORT + k] = opt->h / (r->opt.extrapolate.ahead * (double)(1 << k));
    IFD_TRY(ifd__coupled_interface(c, arena, opt, 0.0, note));
    for (int p = 0; p < c->parts; p++)
        IFD_TRY(make_part(c, arena, opt, p, note));
    IFD_TRY(make_rows(c, arena));
    c->ticks = 1;
    return judge(c, opt, note);
}

/* Errors without a position in the case file get the position of the coupling. */
ifd_status ifd__rts_make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    const ifd_finding *before = note ? note->last : NULL;
    ifd_status status = make(c, arena, opt, note);
    for (ifd_finding *f = !note ? NULL : before ? before->next : note->first; f; f = f->next)
        if (!f->place.file)
            f->place = opt->place;
    return status;
}
