/* SPDX-License-Identifier: MIT */
/* The columns of a run: what is recorded of whom. */

#include "run/run.h"

#include "model/equilibrium/relax.h"

enum { ENERGIES = IFD_COLUMN_ENERGY_NUMERICAL - IFD_COLUMN_ENERGY_INPUT + 1 };

static bool rotates(ifd_dof_kind kind)
{
    return kind != IFD_DOF_X && kind != IFD_DOF_Y && kind != IFD_DOF_Z && kind != IFD_DOF_DEFORMATION;
}

static ifd_status column(ifd_run *r, ifd_arena *arena, const char *owner, ifd_quantity quantity, bool rotates,
                         ifd__column_place place)
{
    r->place[r->columns] = place;
    return owner ? ifd_column_make(arena, owner, quantity, 0, rotates, &r->column[r->columns++]) : IFD_NO_MEMORY;
}

/* "floor1", "tower.floor1". */
static const char *owner_of(ifd_arena *arena, const ifd__run_model *b, const char *what)
{
    return b->name ? ifd_arena_print(arena, "%s.%s", b->name, what) : what;
}

static const struct motion {
    ifd_quantity quantity;
    unsigned what;
} motions[] = {{IFD_COLUMN_DISPLACEMENT, IFD_RECORD_DISPLACEMENT},
               {IFD_COLUMN_VELOCITY, IFD_RECORD_VELOCITY},
               {IFD_COLUMN_ACCELERATION, IFD_RECORD_ACCELERATION},
               {IFD_COLUMN_TOTAL_ACCELERATION, IFD_RECORD_ACCELERATION}};

static const ifd_signal *ground_of(const ifd_model *m, ifd_dof_kind kind)
{
    return kind <= IFD_DOF_Z ? m->ground[kind].signal : NULL;
}

static bool selected(const ifd_run_options *opt, int dof)
{
    for (int k = 0; k < opt->dofs; k++)
        if (opt->dof[k] == dof)
            return true;
    return opt->dofs == 0;
}

static ifd_status motion_columns(ifd_run *r, ifd_arena *arena, ifd_quantity quantity, const ifd_run_options *opt)
{
    for (int p = 0; p < r->models; p++)
        for (int dof = 0; dof < r->model[p].m->n; dof++) {
            const ifd__run_model *b = &r->model[p];
            ifd_dof_kind kind = b->m->dof_kind[dof];
            if (selected(opt, b->first_dof + dof) &&
                (quantity != IFD_COLUMN_TOTAL_ACCELERATION || ground_of(b->m, kind)))
                IFD_TRY(column(r, arena, owner_of(arena, b, b->m->dof_name[dof]), quantity, rotates(kind),
                               (ifd__column_place){.model = p, .index = dof}));
        }
    return IFD_OK;
}

/* Displacements of dofs without mass that have a share of a first-order state: they are no function of the others. */
static ifd_status gone_columns(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt)
{
    for (int p = 0, number = IFD__RECORD_GONE; p < r->models; p++)
        for (int i = 0; i < r->model[p].m->ngone; i++, number++) {
            const ifd__run_model *b = &r->model[p];
            if (b->m->relaxing && ifd__model_gone_moves(b->m, i) && selected(opt, number))
                IFD_TRY(column(r, arena, owner_of(arena, b, b->m->gone[i]), IFD_COLUMN_DISPLACEMENT,
                               rotates(b->m->gone_kind[i]),
                               (ifd__column_place){.model = p, .index = i, .condensed = true}));
        }
    return IFD_OK;
}

/* A coordinate is an angle when the dofs it is made of are. */
static bool coordinate_rotates(const ifd_model *m, int q)
{
    return m->b_start[q + 1] > m->b_start[q] && rotates(m->dof_kind[m->b_dof[m->b_start[q]]]);
}

static ifd_status element_columns(ifd_run *r, ifd_arena *arena, int p)
{
    const ifd__run_model *b = &r->model[p];
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

/* What stands somewhere in the state array. */
static ifd_status state_column(ifd_run *r, ifd_arena *arena, const char *owner, ifd_quantity quantity, int at)
{
    return column(r, arena, owner, quantity, false, (ifd__column_place){.index = at});
}

static ifd_status specimen_columns(ifd_run *r, ifd_arena *arena)
{
    for (int k = 0; k < r->specimens; k++) {
        const char *name = r->specimen[k].name;
        int q = IFD__MEMBER_AT(ifd__ideal_state, q), f = IFD__MEMBER_AT(ifd__ideal_state, f);
        IFD_TRY(state_column(r, arena, name, IFD_COLUMN_SPECIMEN_DEFORMATION, r->rig_at[k] + q));
        IFD_TRY(state_column(r, arena, name, IFD_COLUMN_SPECIMEN_FORCE, r->rig_at[k] + f));
    }
    return IFD_OK;
}

static ifd_status joint_columns(ifd_run *r, ifd_arena *arena, const ifd_couple_options *couple)
{
    for (int j = 0; j < couple->joints; j++)
        IFD_TRY(state_column(r, arena, couple->joint[j].name, IFD_COLUMN_JOINT_MULTIPLIER,
                             r->numerical.coupled->lambda + j));
    for (int l = 0; l < r->numerical.coupled->pulls; l++)
        IFD_TRY(state_column(r, arena, couple->rts->link[l].name, IFD_COLUMN_JOINT_FORCE,
                             r->numerical.coupled->pulled + l));
    for (int k = 0; k < 3; k++)
        IFD_TRY(state_column(r, arena, "", (ifd_quantity)(IFD_COLUMN_GAP_DISPLACEMENT + k),
                             r->own + IFD__MEMBER_AT(ifd__run_state, gap) + k));
    return IFD_OK;
}

static ifd_status ground_columns(ifd_run *r, ifd_arena *arena)
{
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < r->models; p++)
            if (r->model[p].m->ground[d].signal) {
                IFD_TRY(column(r, arena, "", (ifd_quantity)(IFD_COLUMN_GROUND_X + d), false,
                               (ifd__column_place){.model = p, .index = d}));
                break;
            }
    return IFD_OK;
}

static ifd_status columns(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt)
{
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++)
        if (r->what & motions[k].what)
            IFD_TRY(motion_columns(r, arena, motions[k].quantity, opt));
    if (r->what & IFD_RECORD_DISPLACEMENT)
        IFD_TRY(gone_columns(r, arena, opt));
    for (int p = 0; p < r->models && r->what & IFD_RECORD_ELEMENTS; p++)
        IFD_TRY(element_columns(r, arena, p));
    IFD_TRY(specimen_columns(r, arena));
    if (r->numerical.coupled && r->what & IFD_RECORD_JOINTS)
        IFD_TRY(joint_columns(r, arena, opt->couple));
    if (r->what & IFD_RECORD_GROUND)
        IFD_TRY(ground_columns(r, arena));
    for (ifd_quantity e = IFD_COLUMN_ENERGY_INPUT; e <= IFD_COLUMN_ENERGY_NUMERICAL && r->what & IFD_RECORD_ENERGY;
         e++)
        if ((e != IFD_COLUMN_ENERGY_SPECIMENS || r->specimens) &&
            (e != IFD_COLUMN_ENERGY_JOINTS || r->numerical.coupled))
            IFD_TRY(column(r, arena, "", e, false, (ifd__column_place){0}));
    return IFD_OK;
}

static unsigned wanted(const ifd_run *r, const ifd_run_options *opt)
{
    enum { LARGE = 50 };
    int dofs = 0;
    for (int p = 0; p < r->models; p++)
        dofs += r->model[p].m->n;
    if (opt->what != IFD_RECORD_AUTO)
        return opt->what;
    if (dofs <= LARGE)
        return IFD_RECORD_EVERYTHING;
    return IFD_RECORD_DISPLACEMENT | IFD_RECORD_ENERGY | IFD_RECORD_GROUND | IFD_RECORD_ELEMENTS | IFD_RECORD_JOINTS;
}

static ifd_status piece_scratch(ifd__run_model *b, ifd_arena *arena, ifd_note *note)
{
    const ifd_model *m = b->m;
    size_t n = (size_t)m->n, nq = (size_t)m->nq, ns = (size_t)m->ns;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->a, n), IFD__ARRAY(b->load, n), IFD__ARRAY(b->q, nq), IFD__ARRAY(b->qd, nq),
                      IFD__ARRAY(b->r, nq), IFD__ARRAY(b->g, ns), IFD__ARRAY(b->w, ifd__model_work(m))));
    return ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &b->mass, note);
}

ifd_status ifd__publish_make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    size_t most = 2 * (size_t)r->specimens + 3 + ENERGIES + 3 +
                  (size_t)(opt->couple ? opt->couple->joints + r->numerical.coupled->pulls : 0);
    for (int p = 0; p < r->models; p++) {
        const ifd_model *m = r->model[p].m;
        most += 4 * (size_t)m->n + 2 * (size_t)m->nq + (size_t)m->ns + (size_t)m->ngone;
        IFD_TRY(piece_scratch(&r->model[p], arena, note));
    }
    r->what = wanted(r, opt);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->column, most), IFD__ARRAY(r->place, most), IFD__ARRAY(r->values, most)));
    return columns(r, arena, opt);
}
