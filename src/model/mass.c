/* SPDX-License-Identifier: MIT */
/* The factor of the mass matrix. Most methods never use it, and it is as large as that of the method, so it is made
 * when it is first asked for. */
#include "model/model.h"

struct ifd__mass {
    ifd_arena *arena;
    ifd_solver *solver;
};

ifd_status ifd__model_mass_later(ifd_arena *arena, ifd_model *m)
{
    m->mass = ifd_arena_take(arena, sizeof *m->mass);
    if (!m->mass)
        return IFD_NO_MEMORY;
    m->mass->arena = arena;
    return IFD_OK;
}

ifd_status ifd__model_mass(ifd_arena *arena, const ifd_model *m, const ifd_solver **out, ifd_note *note)
{
    struct ifd__mass *own = m->mass;
    ifd_solver *solver = own ? own->solver : NULL;
    bool keep = own && !ifd_arena_sealed(own->arena);
    if (!solver)
        IFD_TRY(ifd__solver_make(keep ? own->arena : arena, &m->M, IFD__SOLVER_AUTO, &solver, note));
    if (keep)
        own->solver = solver;
    *out = solver;
    return IFD_OK;
}
