/* SPDX-License-Identifier: MIT */
/* Files of superelements: used in the place of a reduction, alone, and refused where they do not fit. */
#include "check.h"

#include <interfield/method.h>

#include "fixture.h"
#include "superelement/stored.h"
#include "scratch.h"
#include "tower.h"

static ifd_model *make(ifd_builder *b)
{
    ifd_model *m;
    if (ifd_model_make(arena, b, &m, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    return m;
}

/* What is added to the structure: ground motion, a force on a watched dof, a spring, a mass, a dashpot and a Bouc-Wen
 * spring on interface dofs. */
static void load(ifd_builder *b)
{
    int x = ref_of(b, "s1x1y1.x"), y = ref_of(b, "s1x1y1.y"), roof = ref_of(b, "s2x2y2.x");
    ifd_builder_ground(b, IFD_DOF_X, sine(2.0, 3.0));
    ifd_builder_ground(b, IFD_DOF_Y, sine(1.0, 7.0));
    ifd_builder_force(b, roof, sine(1e4, 5.0));
    ifd_builder_spring(b, IFD_STIFFNESS, x, IFD_GROUND, 2e7);
    ifd_builder_spring(b, IFD_STIFFNESS, x, y, 1e7);
    ifd_builder_add(b, IFD_MASS, y, y, 3000.0);
    ifd_builder_spring(b, IFD_DAMPING, y, IFD_GROUND, 1e5);
    const ifd_element_ops *ops = ifd_element_find("bouc-wen");
    const double one = 1.0;
    const ifd_coordinate q = {.count = 1, .ref = &x, .coefficient = &one};
    ifd_value v[16];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "stiffness")] = ifd_number(2e7);
    v[ifd_param_find(ops->params, "beta")] = ifd_number(2000.0);
    v[ifd_param_find(ops->params, "gamma")] = ifd_number(2000.0);
    assert_int_equal(ifd_builder_element(b, ops, "spring", &(ifd_coordinates){1, &q}, v, &note), IFD_OK);
}

/* A frame of 48 dofs with all its modes; the interface has a dashpot of its own. */
static ifd_builder *plain(const ifd_superelement *stored)
{
    ifd_builder *b = tower_builder(arena, 1, 2);
    int interface[2] = {ref_of(b, "s1x1y1.x"), ref_of(b, "s1x1y1.y")}, watch = ref_of(b, "s2x2y2.x");
    ifd_builder_spring(b, IFD_DAMPING, interface[0], IFD_GROUND, 2e5);
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    how.order = how.most = 48;
    how.interfaces = 2;
    how.interface = interface;
    how.watched = 1;
    how.watch = &watch;
    how.stored = stored;
    ifd_builder_reduce(b, &how);
    return b;
}

static const ifd_superelement *made(void)
{
    return ifd_model_superelement(make(plain(NULL)));
}

static ifd_superelement_bytes bytes_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    ifd_superelement_bytes b = {.name = path};
    char *text = ifd_arena_array(arena, 1 << 20, 1);
    b.length = fread(text, 1, 1 << 20, f);
    b.bytes = text;
    fclose(f);
    return b;
}

static ifd_superelement_bytes stored_bytes(const ifd_superelement *s, const char *name)
{
    char folder[SCRATCH_PATH];
    assert_true(scratch_make(folder));
    const char *path = ifd_arena_print(arena, "%s/%s", folder, name);
    const ifd_superelement_check check = {.steps = 500, .step = 1e-3, .difference = 1e-5};
    assert_int_equal(ifd_superelement_write(s, &check, path, &note), IFD_OK);
    assert_int_equal(ifd_superelement_write(s, &check, path, NULL), IFD_FILE);
    ifd_superelement_bytes b = bytes_of(path);
    assert_int_equal(scratch_remove(folder), 0);
    return b;
}

static ifd_superelement *read_again(const ifd_superelement *s)
{
    ifd_superelement *out;
    ifd_superelement_bytes b = stored_bytes(s, "superelement.h5");
    assert_int_equal(ifd_superelement_read(arena, &b, &out, &note), IFD_OK);
    return out;
}

static void same_matrix(const ifd_sparse *a, const ifd_sparse *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->p, b->p, (size_t)(a->n + 1) * sizeof(int));
    assert_memory_equal(a->x, b->x, (size_t)a->p[a->n] * sizeof(double));
}

TEST_IN_ARENA(a_file_gives_the_bits_of_a_new_reduction)
{
    const ifd_model *fresh = make(plain(NULL)), *again = make(plain(read_again(made())));
    same_matrix(&fresh->M, &again->M);
    same_matrix(&fresh->C, &again->C);
    same_matrix(&fresh->K, &again->K);
    for (int d = 0; d < 3; d++) {
        assert_memory_equal(fresh->ground[d].p, again->ground[d].p, (size_t)fresh->n * sizeof(double));
        assert_memory_equal(fresh->ground[d].along, again->ground[d].along, (size_t)fresh->n * sizeof(double));
        assert_true(fresh->ground[d].mass == again->ground[d].mass);
    }
    assert_int_equal(fresh->ngone, again->ngone);
    assert_false(ifd_model_reduced(again)->alone);
    assert_int_equal(ifd_model_reduced(again)->full, 48);
}

/* Displacements of the interface and of the watched roof after each step. */
static void steps_of(const ifd_model *m, int steps, double *u)
{
    const double h = 2e-3;
    static const char *const names[] = {"s1x1y1.x", "s1x1y1.y", "s2x2y2.x"};
    ifd_step_options opt;
    ifd_stepper *s;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &opt);
    assert_int_equal(ifd_stepper_make(arena, &opt, m, &s, &note), IFD_OK);
    double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x);
    ifd_stepper_initial(s, x);
    ifd_stepper_start(s, 0.0, NULL, x);
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < ifd_stepper_stages(s); i++)
            ifd_stepper_stage(s, i, h * k, NULL, x);
        for (int i = 0; i < 3; i++) {
            int dof = ifd_model_find_dof(m, names[i]);
            for (int g = 0; g < m->ngone && dof < 0; g++)
                if (strcmp(m->gone[g], names[i]) == 0)
                    u[3 * k + i] = ifd__model_gone(m, g, h * (k + 1), x, x + 2 * m->n);
            if (dof >= 0)
                u[3 * k + i] = x[dof];
        }
    }
}

/* Against the full frame with the same additions, step by step. */
TEST_IN_ARENA(a_superelement_alone_moves_as_the_full_structure)
{
    enum { STEPS = 300 };
    ifd_builder *full = tower_builder(arena, 1, 2), *alone = ifd_builder_make(arena);
    double *a = ifd_arena_array(arena, (size_t)(3 * STEPS), sizeof *a), peak[3] = {0}, off[3] = {0};
    double *b = ifd_arena_array(arena, (size_t)(3 * STEPS), sizeof *b);
    ifd_builder_spring(full, IFD_DAMPING, ref_of(full, "s1x1y1.x"), IFD_GROUND, 2e5);
    ifd_builder_superelement(alone, read_again(made()));
    load(full);
    load(alone);
    /* The Rayleigh damping of the tower, 0.3 M + 6e-4 K, does not act on what is added to a superelement. */
    int x = ref_of(full, "s1x1y1.x"), y = ref_of(full, "s1x1y1.y");
    ifd_builder_spring(full, IFD_DAMPING, x, IFD_GROUND, -6e-4 * 2e7);
    ifd_builder_spring(full, IFD_DAMPING, x, y, -6e-4 * 1e7);
    ifd_builder_add(full, IFD_DAMPING, y, y, -0.3 * 3000.0);
    ifd_model *whole = make(full), *small = make(alone);
    assert_true(ifd_model_reduced(small)->alone);
    for (int d = 0; d < 3; d++)
        assert_near_rel(small->ground[d].mass, whole->ground[d].mass, 1e-12, "mass %d", d);
    steps_of(whole, STEPS, a);
    steps_of(small, STEPS, b);
    for (int k = 0; k < 3 * STEPS; k++) {
        peak[k % 3] = fmax(peak[k % 3], fabs(a[k]));
        off[k % 3] = fmax(off[k % 3], fabs(a[k] - b[k]));
    }
    for (int i = 0; i < 3; i++) {
        print_message("difference %.1e of %.1e\n", off[i], peak[i]);
        assert_true(peak[i] > 1e-5 && off[i] < 1e-7 * peak[i]);
    }
}

static void refused(ifd_builder *b, const char *words)
{
    ifd_model *m;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_model_make(arena, b, &m, &note), IFD_CONFLICT);
    if (!strstr(note.first->text, words))
        fail_msg("'%s' is not in '%s'", words, note.first->text);
}

static ifd_builder *alone_builder(const ifd_superelement *s)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_superelement(b, s);
    return b;
}

TEST_IN_ARENA(what_does_not_fit_is_refused)
{
    const ifd_superelement *s = read_again(made());
    ifd_builder *b = plain(s);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1.0);
    refused(b, "other mass, damping or stiffness matrices");
    b = plain(s);
    ifd_builder_spring(b, IFD_DAMPING, ref_of(b, "s2x1y1.x"), IFD_GROUND, 1.0);
    refused(b, "s2x1y1.x");
    b = plain(s);
    ifd_builder_initial(b, 3, 1e-3, 0.0);
    refused(b, "initial displacement");
    b = plain(s);
    ifd_builder_force(b, ref_of(b, "s2x1y2.y"), sine(1.0, 1.0));
    refused(b, "dof s2x1y2.y");
    b = alone_builder(s);
    ifd_builder_add(b, IFD_MASS, ref_of(b, "s2x2y2.x"), ref_of(b, "s2x2y2.x"), 1.0);
    refused(b, "s2x2y2.x");
    b = alone_builder(s);
    ifd_builder_rayleigh(b, 0.1, 0.0);
    refused(b, "Rayleigh");
    b = alone_builder(s);
    ifd_builder_initial(b, 0, 1e-3, 0.0);
    refused(b, "initial state");
}

/* With all modes both are the same structure, which has a dashpot; with few the bound holds. The full one comes from
 * LAPACK's modes, the reduced one from its matrices. */
TEST_IN_ARENA(transfer_functions_are_within_their_bound)
{
    ifd_superelement_curve c;
    const ifd_superelement *s = made();
    assert_int_equal(ifd_superelement_interfaces(s), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ifd_superelement_transfer(arena, s, i, &c), IFD_OK);
        assert_string_equal(c.output_name, i ? "s1x1y1.y" : "s1x1y1.x");
        assert_string_equal(c.input_name, "ground x");
        assert_non_null(c.full);
        for (int k = 0; k < c.count; k++)
            assert_near(c.reduced[k], c.full[k], 1e-9 * c.full[0] + 1e-9 * c.full[k], "at %g Hz", c.frequency[k]);
    }
    ifd_builder *b = tower_builder(arena, 2, 5);
    int roof = ref_of(b, "s5x2y2.x");
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    how.order = 40;
    how.interfaces = 1;
    how.interface = &roof;
    ifd_builder_reduce(b, &how);
    ifd_builder_spring(b, IFD_DAMPING, roof, IFD_GROUND, 3e5);
    s = ifd_model_superelement(make(b));
    assert_int_equal(ifd_superelement_transfer(arena, s, 0, &c), IFD_OK);
    double worst = 0.0;
    for (int k = 0; k < c.count; k++)
        worst = fmax(worst, fabs(c.reduced[k] - c.full[k]));
    print_message("difference %.1e, bound %.1e of %.1e\n", worst, c.bound, c.full[0]);
    assert_true(worst > 0.0 && worst <= c.bound && c.bound < 1e6 * worst);
    assert_int_equal(ifd_superelement_transfer(arena, read_again(s), 0, &c), IFD_OK);
    assert_null(c.full);
}

TEST_IN_ARENA(damage_is_found)
{
    ifd_superelement_bytes b = stored_bytes(made(), "damaged.h5");
    unsigned char *bytes = ifd_arena_array(arena, b.length, 1);
    ifd_superelement *out;
    for (size_t at = 0; at < b.length; at += 97) {
        memcpy(bytes, b.bytes, b.length);
        bytes[at] = (unsigned char)(bytes[at] ^ 0x55u);
        ifd_superelement_bytes changed = {.name = "damaged.h5", .bytes = bytes, .length = b.length};
        assert_int_equal(ifd_superelement_read(arena, &changed, &out, NULL), IFD_FILE);
    }
    for (size_t length = 0; length < b.length; length += b.length / 16) {
        ifd_superelement_bytes cut = {.name = "cut.h5", .bytes = b.bytes, .length = length};
        assert_int_equal(ifd_superelement_read(arena, &cut, &out, NULL), IFD_FILE);
    }
}

TESTS()
