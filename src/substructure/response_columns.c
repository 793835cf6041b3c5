/* SPDX-License-Identifier: MIT */
/* The columns of a response: names and sources. */
#include <string.h>

#include "model/equilibrium/relax.h"
#include "substructure/response.h"

enum { ENERGIES = IFD_COLUMN_ENERGY_NUMERICAL - IFD_COLUMN_ENERGY_INPUT + 2, DIRECTIONS = 3 }; /* and gravity */

bool ifd__dof_rotates(ifd_dof_kind kind)
{
    return kind != IFD_DOF_X && kind != IFD_DOF_Y && kind != IFD_DOF_Z && kind != IFD_DOF_DEFORMATION;
}

bool ifd__link_rotates(const ifd__substructure *s, const ifd__specimen_link *link)
{
    int dof = link->to >= 0 ? link->to : link->from;
    return dof >= 0 && ifd__dof_rotates(s->model[link->part].m->dof_kind[dof]);
}

static ifd_status column(ifd__response *r, ifd_arena *arena, const char *owner, ifd_quantity quantity, bool rotates,
                         ifd__column_place place)
{
    r->place[r->columns] = place;
    return owner ? ifd_column_make(arena, owner, quantity, 0, rotates, &r->column[r->columns++]) : IFD_NO_MEMORY;
}

static ifd__column_place gauged(int model, int gauge)
{
    return (ifd__column_place){.model = model, .index = gauge, .gauged = true};
}

/* "floor1", "tower.floor1". */
static const char *owner_of(ifd_arena *arena, const ifd__response_model *b, const char *what)
{
    return b->name ? ifd_arena_print(arena, "%s.%s", b->name, what) : what;
}

static const struct motion {
    ifd_quantity quantity;
    unsigned what;
} motions[] = {{IFD_COLUMN_DISPLACEMENT, IFD_RECORD_DISPLACEMENT},
               {IFD_COLUMN_VELOCITY, IFD_RECORD_VELOCITY},
               {IFD_COLUMN_ACCELERATION, IFD_RECORD_ACCELERATION},
               {IFD_COLUMN_ABSOLUTE_VELOCITY, IFD_RECORD_VELOCITY},
               {IFD_COLUMN_ABSOLUTE_ACCELERATION, IFD_RECORD_ACCELERATION}};
enum { MOTIONS = sizeof motions / sizeof *motions };

static bool driven(const ifd_model *m, ifd_dof_kind kind)
{
    return kind <= IFD_DOF_Z && m->ground[kind].signal;
}

bool ifd__response_selects(const ifd__response *r, int dof)
{
    for (int k = 0; k < r->opt.dofs; k++)
        if (r->opt.dof[k] == dof)
            return true;
    return r->opt.dofs == 0;
}

static ifd_status motion_columns(ifd__response *r, ifd_arena *arena, ifd_quantity quantity)
{
    bool absolute = quantity == IFD_COLUMN_ABSOLUTE_VELOCITY || quantity == IFD_COLUMN_ABSOLUTE_ACCELERATION;
    for (int p = 0; p < r->s->models; p++)
        for (int dof = 0; dof < r->model[p].m->n; dof++) {
            const ifd__response_model *b = &r->model[p];
            ifd_dof_kind kind = b->m->dof_kind[dof];
            if (ifd__response_selects(r, b->first_dof + dof) && (!absolute || driven(b->m, kind)))
                IFD_TRY(column(r, arena, owner_of(arena, b, b->m->dof_name[dof]), quantity, ifd__dof_rotates(kind),
                               (ifd__column_place){.model = p, .index = dof}));
        }
    return IFD_OK;
}

/* Displacements of dofs without mass that depend on a first-order state: they do not follow from the others. */
static ifd_status gone_columns(ifd__response *r, ifd_arena *arena)
{
    for (int p = 0, number = IFD__RECORD_GONE; p < r->s->models; p++)
        for (int i = 0; i < r->model[p].m->ngone; i++, number++) {
            const ifd__response_model *b = &r->model[p];
            if (b->m->relaxing && ifd__model_gone_moves(b->m, i) && ifd__response_selects(r, number))
                IFD_TRY(column(r, arena, owner_of(arena, b, b->m->gone[i]), IFD_COLUMN_DISPLACEMENT,
                               ifd__dof_rotates(b->m->gone_kind[i]),
                               (ifd__column_place){.model = p, .index = i, .condensed = true}));
        }
    return IFD_OK;
}

/* A coordinate is an angle if its dofs are rotations. */
static bool coordinate_rotates(const ifd_model *m, int q)
{
    return m->b_start[q + 1] > m->b_start[q] && ifd__dof_rotates(m->dof_kind[m->b_dof[m->b_start[q]]]);
}

static ifd_status element_columns(ifd__response *r, ifd_arena *arena, int p)
{
    const ifd__response_model *b = &r->model[p];
    const ifd_model *m = b->m;
    for (int e = 0; e < m->ne; e++)
        for (ifd_quantity what = IFD_COLUMN_ELEMENT_DEFORMATION; what <= IFD_COLUMN_ELEMENT_STATE; what++) {
            const int *start = what == IFD_COLUMN_ELEMENT_STATE ? m->s_of : m->q_of;
            const char *owner = owner_of(arena, b, m->element[e].name);
            int count = m->element[e].ops != &ifd__relaxation ? start[e + 1] - start[e] : 0;
            for (int i = 0; i < count; i++) {
                bool angle = what != IFD_COLUMN_ELEMENT_STATE && coordinate_rotates(m, start[e] + i);
                r->place[r->columns] = (ifd__column_place){.model = p, .index = start[e] + i};
                if (!owner)
                    return IFD_NO_MEMORY;
                IFD_TRY(ifd_column_make(arena, owner, what, count > 1 ? i + 1 : 0, angle, &r->column[r->columns++]));
            }
        }
    return IFD_OK;
}

/* Springs and dashpots in the matrices. */
static ifd_status spring_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->drifts; i++) {
        const ifd__response_drift *d = &r->drift[i];
        for (int force = 0; d->of->folded && force < 2; force++)
            IFD_TRY(column(r, arena, d->of->name, force ? IFD_COLUMN_ELEMENT_FORCE : IFD_COLUMN_ELEMENT_DEFORMATION,
                           d->turns, gauged(d->model, force ? d->force : d->deformation)));
    }
    return IFD_OK;
}

static ifd_status member_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->members; i++) {
        const ifd__response_member *m = &r->member[i];
        for (int k = 0; k < m->deformations + m->forces; k++) {
            int force = k - m->deformations;
            bool turns = force < 0 ? ifd__member_deformation_turns(m, k) : ifd__member_force_turns(m, force);
            ifd_quantity what = force < 0 ? IFD_COLUMN_ELEMENT_DEFORMATION : IFD_COLUMN_ELEMENT_FORCE;
            r->place[r->columns] = gauged(m->model, force < 0 ? m->deformation + k : m->force + force);
            IFD_TRY(
                ifd_column_make(arena, m->name, what, (force < 0 ? k : force) + 1, turns, &r->column[r->columns++]));
        }
    }
    return IFD_OK;
}

static ifd_status drift_columns(ifd__response *r, ifd_arena *arena)
{
    for (int i = 0; i < r->drifts; i++)
        if (r->drift[i].of->storey)
            IFD_TRY(column(r, arena, r->drift[i].of->name, IFD_COLUMN_STOREY_DRIFT, r->drift[i].turns,
                           gauged(r->drift[i].model, r->drift[i].deformation)));
    return IFD_OK;
}

/* A column with its value in the state array. */
static ifd_status state_column(ifd__response *r, ifd_arena *arena, const ifd__state_column *c)
{
    return column(r, arena, c->owner, c->quantity, c->rotates, (ifd__column_place){.index = c->at});
}

/* The multiplier of rotations is a moment; a lever arm, which makes a length of a rotation, connects it to a
 * displacement. */
static bool joint_rotates(const ifd__response *r, const ifd_joint *joint)
{
    for (int k = 0; k < joint->terms; k++)
        if (!ifd__dof_rotates(r->model[joint->term[k].part].m->dof_kind[joint->term[k].dof]))
            return false;
    return true;
}

static ifd_status joint_columns(ifd__response *r, ifd_arena *arena)
{
    const ifd_couple_options *couple = r->opt.couple;
    const ifd__coupled *c = r->s->coupled;
    for (int j = 0; j < couple->joints; j++) {
        const ifd_joint *joint = &couple->joint[j];
        IFD_TRY(state_column(
            r, arena,
            &(ifd__state_column){joint->name, IFD_COLUMN_JOINT_MULTIPLIER, c->lambda + j, joint_rotates(r, joint)}));
    }
    for (int l = 0; l < c->pulls; l++) {
        const ifd_rts_link *link = &couple->rts->link[l];
        bool turns = ifd__dof_rotates(r->model[link->leader].m->dof_kind[link->dof]);
        IFD_TRY(
            state_column(r, arena, &(ifd__state_column){link->name, IFD_COLUMN_JOINT_FORCE, c->pulled + l, turns}));
    }
    for (int k = 0; k < 3; k++)
        IFD_TRY(
            state_column(r, arena,
                         &(ifd__state_column){"", (ifd_quantity)(IFD_COLUMN_GAP_DISPLACEMENT + k),
                                              r->opt.balance + IFD__MEMBER_AT(ifd__energy_state, gap) + k, false}));
    return IFD_OK;
}

static ifd_status ground_columns(ifd__response *r, ifd_arena *arena)
{
    for (int d = 0; d < DIRECTIONS; d++)
        for (int p = 0; p < r->s->models; p++)
            if (r->model[p].m->ground[d].signal) {
                IFD_TRY(column(r, arena, "", (ifd_quantity)(IFD_COLUMN_GROUND_X + d), false,
                               (ifd__column_place){.model = p, .index = d}));
                break;
            }
    return IFD_OK;
}

static ifd_status support_columns(ifd__response *r, ifd_arena *arena)
{
    for (int p = 0; p < r->s->models; p++) {
        const ifd__response_model *b = &r->model[p];
        for (int j = 0; b->m->support_name && j < b->m->nsupport; j++)
            for (ifd_quantity q = IFD_COLUMN_SUPPORT_DISPLACEMENT; q <= IFD_COLUMN_SUPPORT_ACCELERATION; q++)
                IFD_TRY(column(r, arena, owner_of(arena, b, b->m->support_name[j]), q, false,
                               (ifd__column_place){.model = p, .index = j}));
    }
    return IFD_OK;
}

/* In every direction in which a dof moves, or a force acts on a condensed dof. */
static ifd_status base_columns(ifd__response *r, ifd_arena *arena)
{
    bool moves[DIRECTIONS] = {false};
    for (int p = 0; p < r->s->models; p++) {
        const ifd_model *m = r->model[p].m;
        for (int d = 0; d < DIRECTIONS; d++)
            moves[d] = moves[d] || m->ground[d].along;
        for (int i = 0; i < m->n; i++)
            if (m->dof_kind[i] <= IFD_DOF_Z)
                moves[m->dof_kind[i]] = true;
        for (int l = 0; l < m->nload; l++)
            for (int d = 0; d < DIRECTIONS; d++)
                moves[d] = moves[d] || m->load[l].past[d] != 0.0;
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (moves[d])
            IFD_TRY(column(r, arena, "", (ifd_quantity)(IFD_COLUMN_BASE_SHEAR_X + d), false,
                           (ifd__column_place){.index = d}));
    return IFD_OK;
}

static ifd_status energy_columns(ifd__response *r, ifd_arena *arena)
{
    for (ifd_quantity e = IFD_COLUMN_ENERGY_INPUT; e <= IFD_COLUMN_ENERGY_NUMERICAL; e++)
        if ((e != IFD_COLUMN_ENERGY_SPECIMENS || r->opt.links) && (e != IFD_COLUMN_ENERGY_JOINTS || r->s->coupled))
            IFD_TRY(column(r, arena, "", e, false, (ifd__column_place){0}));
    for (int p = 0; p < r->s->models; p++)
        if (r->model[p].m->gravity)
            return column(r, arena, "", IFD_COLUMN_ENERGY_GRAVITY, false, (ifd__column_place){0});
    return IFD_OK;
}

/* Model that owns offset `at` of the state. */
static const char *owner_at(const ifd__response *r, int at)
{
    int owner = 0;
    for (int p = 1; p < r->s->models; p++)
        if (r->model[p].at <= at && r->model[p].at > r->model[owner].at)
            owner = p;
    return r->s->models > 1 ? r->model[owner].name : "model";
}

/* Of every factor in single precision. */
static ifd_status factor_columns(ifd__response *r, ifd_arena *arena)
{
    for (int k = 0; k < r->s->rows; k++) {
        const ifd_state_row *row = &r->s->row[k];
        if (strcmp(row->name, IFD__LAST_ROW) == 0)
            IFD_TRY(column(r, arena, owner_at(r, row->offset), IFD_COLUMN_FACTOR_RESIDUAL, false,
                           (ifd__column_place){.index = row->offset + IFD__LAST_RESIDUAL}));
    }
    return IFD_OK;
}

static ifd_status columns(ifd__response *r, ifd_arena *arena)
{
    unsigned what = r->opt.what;
    for (int k = 0; k < MOTIONS; k++)
        if (what & motions[k].what)
            IFD_TRY(motion_columns(r, arena, motions[k].quantity));
    if (what & IFD_RECORD_DISPLACEMENT)
        IFD_TRY(gone_columns(r, arena));
    if (what & IFD_RECORD_DRIFT)
        IFD_TRY(drift_columns(r, arena));
    for (int p = 0; p < r->s->models && what & IFD_RECORD_ELEMENTS; p++)
        IFD_TRY(element_columns(r, arena, p));
    if (what & IFD_RECORD_ELEMENTS)
        IFD_TRY(spring_columns(r, arena));
    IFD_TRY(member_columns(r, arena));
    for (int i = 0; i < r->opt.states; i++)
        IFD_TRY(state_column(r, arena, &r->opt.state[i]));
    if (r->s->coupled && what & IFD_RECORD_JOINTS)
        IFD_TRY(joint_columns(r, arena));
    if (what & IFD_RECORD_GROUND)
        IFD_TRY(ground_columns(r, arena));
    if (what & IFD_RECORD_GROUND)
        IFD_TRY(support_columns(r, arena));
    if (what & IFD_RECORD_BASE_SHEAR)
        IFD_TRY(base_columns(r, arena));
    if (what & IFD_RECORD_ENERGY)
        IFD_TRY(energy_columns(r, arena));
    return factor_columns(r, arena);
}

unsigned ifd__response_what(const ifd__substructure *s, unsigned asked, unsigned large)
{
    enum { LARGE = 50 };
    int dofs = 0;
    for (int p = 0; p < s->models; p++)
        dofs += s->model[p].m->n;
    if (asked != IFD_RECORD_AUTO)
        return asked;
    return dofs <= LARGE ? IFD_RECORD_EVERYTHING : large;
}

static ifd_status make_model(ifd__response *r, ifd_arena *arena, int p, int first_dof, ifd_note *note)
{
    const ifd__numerical_model *of = &r->s->model[p];
    const ifd_model *m = of->m;
    ifd__response_model *b = &r->model[p];
    size_t n = (size_t)m->n, nq = (size_t)m->nq, ns = (size_t)m->ns;
    *b = (ifd__response_model){.name = of->name, .m = m, .at = of->at, .first_dof = first_dof};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->a, n), IFD__ARRAY(b->load, n), IFD__ARRAY(b->q, nq), IFD__ARRAY(b->qd, nq),
                      IFD__ARRAY(b->r, nq), IFD__ARRAY(b->g, ns), IFD__ARRAY(b->w, ifd__model_work(m))));
    if (r->opt.balanced)
        IFD_TRY(ifd__forms_make(arena, m, &b->forms));
    return ifd__response_inertia(r, arena, p, note);
}

ifd_status ifd__response_make(ifd_arena *arena, const ifd__substructure *s, const ifd__response_options *opt,
                              ifd__response *r, ifd_note *note)
{
    *r = (ifd__response){.s = s, .opt = *opt};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->model, s->models)));
    size_t most = (size_t)opt->states + 3 + 2 * DIRECTIONS + ENERGIES +
                  (size_t)(opt->couple ? opt->couple->joints + s->coupled->pulls : 0);
    for (int p = 0, dof = 0; p < s->models; p++) {
        const ifd_model *m = s->model[p].m;
        IFD_TRY(make_model(r, arena, p, dof, note));
        most += 1 + MOTIONS * (size_t)m->n + 2 * (size_t)m->nq + (size_t)m->ns + (size_t)m->ngone +
                3 * (size_t)m->nsupport;
        dof += m->n;
    }
    IFD_TRY(ifd__gauges_make(r, arena));
    most += (size_t)(r->drifts + r->gauge.count);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->column, most), IFD__ARRAY(r->place, most)));
    bool supported = false;
    for (int p = 0; p < s->models; p++)
        supported = supported || s->model[p].m->nsupport > 0;
    if (!supported)
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->smooth, 2)));
    return columns(r, arena);
}
