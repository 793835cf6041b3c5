/* SPDX-License-Identifier: MIT */
/* The channel table of a run: what is recorded, under which name and unit. */

#include "run/run.h"

#include "model/relax.h"

static const char *const energy_names[] = {"energy input",      "energy kinetic",   "energy stored",
                                           "energy dissipated", "energy specimens", "energy joints",
                                           "energy numerical"};
enum { ENERGIES = 7, OF_SPECIMENS = 4, OF_JOINTS = 5 };

static bool rotates(ifd_dof_kind kind)
{
    return kind != IFD_DOF_X && kind != IFD_DOF_Y && kind != IFD_DOF_Z && kind != IFD_DOF_STRETCH;
}

static void column(ifd_run *r, const char *name, const char *unit, const char *group, ifd__column c)
{
    r->channel[r->channels] = (ifd_channel){.name = name, .unit = unit, .group = group};
    r->column[r->channels++] = c;
}

/* "floor1 displacement", "tower.floor1 displacement". */
static const char *name_of(ifd_arena *arena, const ifd__piece *b, const char *what, const char *suffix)
{
    return b->name ? ifd_arena_print(arena, "%s.%s %s", b->name, what, suffix)
                   : ifd_arena_print(arena, "%s %s", what, suffix);
}

typedef struct motion {
    ifd__source source;
    unsigned what;
    const char *group, *length_unit, *angle_unit;
} motion;

static const motion motions[] = {
    {FROM_DISPLACEMENT, IFD_RECORD_DISPLACEMENT, "displacement", "m", "rad"},
    {FROM_VELOCITY, IFD_RECORD_VELOCITY, "velocity", "m/s", "rad/s"},
    {FROM_ACCELERATION, IFD_RECORD_ACCELERATION, "acceleration", "m/s2", "rad/s2"},
    {FROM_TOTAL_ACCELERATION, IFD_RECORD_ACCELERATION, "total-acceleration", "m/s2", "rad/s2"},
};

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

static ifd_status motion_columns(ifd_run *r, ifd_arena *arena, const motion *what, const ifd_run_options *opt)
{
    for (int p = 0; p < r->pieces; p++)
        for (int dof = 0; dof < r->piece[p].m->n; dof++) {
            const ifd__piece *b = &r->piece[p];
            ifd_dof_kind kind = b->m->dof_kind[dof];
            if (!selected(opt, b->first_dof + dof))
                continue;
            if (what->source == FROM_TOTAL_ACCELERATION && !ground_of(b->m, kind))
                continue;
            const char *name = name_of(arena, b, b->m->dof_name[dof], what->group);
            if (!name)
                return IFD_NO_MEMORY;
            column(r, name, rotates(kind) ? what->angle_unit : what->length_unit, what->group,
                   (ifd__column){.source = what->source, .piece = p, .index = dof});
        }
    return IFD_OK;
}

/* Displacements of dofs without mass that have a share of a first-order state: they are no function of the others. */
static ifd_status gone_columns(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt)
{
    for (int p = 0, number = IFD__RECORD_GONE; p < r->pieces; p++)
        for (int i = 0; i < r->piece[p].m->ngone; i++, number++) {
            const ifd__piece *b = &r->piece[p];
            if (!b->m->relaxing || !ifd__model_gone_moves(b->m, i) || !selected(opt, number))
                continue;
            const char *name = name_of(arena, b, b->m->gone[i], "displacement");
            if (!name)
                return IFD_NO_MEMORY;
            column(r, name, rotates(b->m->gone_kind[i]) ? "rad" : "m", "displacement",
                   (ifd__column){.source = FROM_GONE, .piece = p, .index = i});
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
    const ifd__piece *b = &r->piece[p];
    const ifd_model *m = b->m;
    static const struct {
        ifd__source source;
        const char *word, *unit, *angle_unit;
    } of[] = {{FROM_DEFORMATION, "deformation", "m", "rad"},
              {FROM_FORCE, "force", "N", "N m"},
              {FROM_STATE, "state", "", ""}};
    for (int e = 0; e < m->ne; e++)
        for (int k = 0; k < 3 && m->element[e].ops != &ifd__relaxation; k++) {
            const int *start = of[k].source == FROM_STATE ? m->s_of : m->q_of;
            int count = start[e + 1] - start[e];
            for (int i = 0; i < count; i++) {
                const char *word = count == 1 ? of[k].word : ifd_arena_print(arena, "%s %d", of[k].word, i + 1);
                const char *name = word ? name_of(arena, b, m->element[e].name, word) : NULL;
                if (!name)
                    return IFD_NO_MEMORY;
                bool angle = of[k].source != FROM_STATE && coordinate_rotates(m, start[e] + i);
                column(r, name, angle ? of[k].angle_unit : of[k].unit, "element",
                       (ifd__column){.source = of[k].source, .piece = p, .index = start[e] + i});
            }
        }
    return IFD_OK;
}

static ifd_status specimen_columns(ifd_run *r, ifd_arena *arena)
{
    static const struct {
        int row;
        const char *word, *unit;
    } of[] = {{IFD__MEMBER_AT(ifd__ideal_state, q), "stretch", "m"},
              {IFD__MEMBER_AT(ifd__ideal_state, f), "measured force", "N"}};
    for (int k = 0; k < r->specimens; k++)
        for (int i = 0; i < 2; i++) {
            const char *name = ifd_arena_print(arena, "%s %s", r->specimen[k].name, of[i].word);
            if (!name)
                return IFD_NO_MEMORY;
            column(r, name, of[i].unit, "specimen",
                   (ifd__column){.source = FROM_X, .index = r->rig_at[k] + of[i].row});
        }
    return IFD_OK;
}

static ifd_status joint_columns(ifd_run *r, ifd_arena *arena, const ifd_couple_options *couple)
{
    for (int j = 0; j < couple->joints; j++) {
        const char *name = ifd_arena_print(arena, "%s multiplier", couple->joint[j].name);
        if (!name)
            return IFD_NO_MEMORY;
        column(r, name, "N", "joint", (ifd__column){.source = FROM_X, .index = r->coupled->lambda + j});
    }
    for (int l = 0; l < r->coupled->pulls; l++) {
        const char *name = ifd_arena_print(arena, "%s force", couple->rts->link[l].name);
        if (!name)
            return IFD_NO_MEMORY;
        column(r, name, "N", "joint", (ifd__column){.source = FROM_X, .index = r->coupled->pulled + l});
    }
    static const char *const gap[] = {"gap displacement", "gap velocity", "gap acceleration"};
    static const char *const unit[] = {"m", "m/s", "m/s2"};
    for (int k = 0; k < 3; k++)
        column(r, gap[k], unit[k], "joint",
               (ifd__column){.source = FROM_X, .index = r->own + IFD__MEMBER_AT(ifd__run_state, gap) + k});
    return IFD_OK;
}

static void ground_columns(ifd_run *r)
{
    static const char *const name[] = {"ground acceleration x", "ground acceleration y", "ground acceleration z"};
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < r->pieces; p++)
            if (r->piece[p].m->ground[d].signal) {
                column(r, name[d], "m/s2", "ground", (ifd__column){.source = FROM_GROUND, .piece = p, .index = d});
                break;
            }
}

static ifd_status columns(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt)
{
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++)
        if (r->what & motions[k].what)
            IFD_TRY(motion_columns(r, arena, &motions[k], opt));
    if (r->what & IFD_RECORD_DISPLACEMENT)
        IFD_TRY(gone_columns(r, arena, opt));
    for (int p = 0; p < r->pieces && r->what & IFD_RECORD_ELEMENTS; p++)
        IFD_TRY(element_columns(r, arena, p));
    IFD_TRY(specimen_columns(r, arena));
    if (r->coupled && r->what & IFD_RECORD_JOINTS)
        IFD_TRY(joint_columns(r, arena, opt->couple));
    if (r->what & IFD_RECORD_GROUND)
        ground_columns(r);
    for (int k = 0; k < ENERGIES && r->what & IFD_RECORD_ENERGY; k++)
        if ((k != OF_SPECIMENS || r->specimens) && (k != OF_JOINTS || r->coupled))
            column(r, energy_names[k], "J", "energy", (ifd__column){.source = FROM_ENERGY, .index = k});
    return IFD_OK;
}

static unsigned wanted(const ifd_run *r, const ifd_run_options *opt)
{
    enum { LARGE = 50 };
    int dofs = 0;
    for (int p = 0; p < r->pieces; p++)
        dofs += r->piece[p].m->n;
    if (opt->what != IFD_RECORD_AUTO)
        return opt->what;
    if (dofs <= LARGE)
        return IFD_RECORD_EVERYTHING;
    return IFD_RECORD_DISPLACEMENT | IFD_RECORD_ENERGY | IFD_RECORD_GROUND | IFD_RECORD_ELEMENTS | IFD_RECORD_JOINTS;
}

static ifd_status piece_scratch(ifd__piece *b, ifd_arena *arena, ifd_note *note)
{
    const ifd_model *m = b->m;
    size_t n = (size_t)m->n, nq = (size_t)m->nq, ns = (size_t)m->ns;
    double *pool = ifd_arena_array(arena, 2 * n + 3 * nq + ns + ifd__model_work(m), sizeof *pool);
    if (!pool)
        return IFD_NO_MEMORY;
    b->a = pool;
    b->load = b->a + n;
    b->q = b->load + n;
    b->qd = b->q + nq;
    b->r = b->qd + nq;
    b->g = b->r + nq;
    b->w = b->g + ns;
    return ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &b->mass, note);
}

ifd_status ifd__publish_make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    size_t most = 2 * (size_t)r->specimens + 3 + ENERGIES + 3 +
                  (size_t)(opt->couple ? opt->couple->joints + r->coupled->pulls : 0);
    for (int p = 0; p < r->pieces; p++) {
        const ifd_model *m = r->piece[p].m;
        most += 4 * (size_t)m->n + 2 * (size_t)m->nq + (size_t)m->ns + (size_t)m->ngone;
        IFD_TRY(piece_scratch(&r->piece[p], arena, note));
    }
    r->what = wanted(r, opt);
    r->channel = ifd_arena_array(arena, most, sizeof *r->channel);
    r->column = ifd_arena_array(arena, most, sizeof *r->column);
    r->values = ifd_arena_array(arena, most, sizeof *r->values);
    if (!r->channel || !r->column || !r->values)
        return IFD_NO_MEMORY;
    return columns(r, arena, opt);
}
