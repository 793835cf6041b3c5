/* SPDX-License-Identifier: MIT */
/* A step of a frame with fibres takes no memory and evaluates every member equally often, whatever its fibres do: ten
 * storeys of reinforced concrete, shaken until they yield, with every Jacobian. */
#include "method/fixtures.h"

#include <interfield/case.h>

#include "alloc_count.h"
#include "model/model.h"

enum { STEPS = 400, MEMBERS = 30 };

static long evaluations;
static const ifd_element_ops *member;

static void count(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    evaluations++;
    member->eval(e, in, out);
}

/* The members report their evaluations. */
static const ifd_model *counting(ifd_arena *arena, const ifd_model *m)
{
    ifd_model *own = ifd_arena_take(arena, sizeof *own);
    ifd_element *element = ifd_arena_array(arena, (size_t)m->ne, sizeof *element);
    ifd_element_ops *ops = ifd_arena_array(arena, (size_t)m->ne, sizeof *ops);
    member = m->element[0].ops;
    for (int e = 0; e < m->ne; e++) {
        assert_ptr_equal(m->element[e].ops->eval, member->eval);
        ops[e] = *m->element[e].ops;
        ops[e].eval = count;
        element[e] = m->element[e];
        element[e].ops = &ops[e];
    }
    *own = *m;
    own->element = element;
    return own;
}

TEST(a_frame_of_ten_storeys_has_a_step_of_fixed_cost_without_memory)
{
    static const char *const jacobian[] = {"exact", "frozen", "bounded", "refactor"};
    static const char *const set[] = {"model.frame.grid={bays: 5 m, storeys: 10 x 3 m, columns: column, beams: beam, "
                                      "beam-load: 20 kN/m, beam-mass: 4 t/m}",
                                      "model.masses={s10c2: 1 t}"};
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = NULL;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/frame.yaml", 2, set, &c, NULL), IFD_OK);
    assert_int_equal(ifd_model_elements(c->run.model), MEMBERS);
    for (size_t k = 0; k < COUNT(jacobian); k++) {
        const ifd_step_options opt = options("lsrt2", 5e-3, (const pair[4]){{"jacobian", 0, jacobian[k]}, {0}});
        ifd_stepper *s = stepper_of(arena, &opt, counting(arena, c->run.model));
        double *x = state_of(arena, s), u[64], v[64], least = (double)INFINITY, most = 0.0;
        ifd_stepper_initial(s, x);
        ifd_stepper_start(s, 0, NULL, x);
        alloc_arm();
        for (long i = 0; i < STEPS; i++) {
            evaluations = 0;
            for (int j = 0; j < ifd_stepper_stages(s); j++) {
                ifd_stepper_aim(s, j, opt.h * (double)i, x, u, v);
                ifd_stepper_stage(s, j, opt.h * (double)i, NULL, x);
            }
            least = fmin(least, (double)evaluations);
            most = fmax(most, (double)evaluations);
        }
        assert_int_equal(alloc_disarm(), 0);
        assert_true(least > 0.0 && least == most);
        double roof = x[ifd_model_find_dof(c->run.model, "s10c2.x")];
        print_message("%s: %g evaluations of a member in a step, roof at %g m\n", jacobian[k], most / MEMBERS, roof);
        assert_true(isfinite(roof) && fabs(roof) > 1e-3 && fabs(roof) < 1.0);
    }
    ifd_arena_close(arena);
}

TESTS()
