/* SPDX-License-Identifier: MIT */
/* A model as bytes, and back. */
#include "model/serialise.h"

#include <limits.h>
#include <string.h>

#include "model/equilibrium/massless.h"
#include "model/equilibrium/relax.h"
#include "model/fibre/stored.h"
#include "model/signal/wave.h"

enum { MOST = 1 << 24 }; /* limit of every count */

static ifd_status put_signal(const ifd_signal *s, const char *what, ifd__bytes *out, ifd_note *note)
{
    ifd__put_int(out, s ? s->count : -1);
    for (int i = 0; s && i < s->count; i++) {
        const ifd__wave *w = &s->wave[i];
        const ifd__wave_recipe *r = w->recipe;
        if (!r)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "%s depends on data outside the model and cannot be exported", what);
        ifd__put_double(out, w->factor);
        ifd__put_double(out, w->start);
        ifd__put_text(out, r->kind ? r->kind->name : NULL);
        if (r->kind) {
            ifd__put_values(out, r->kind->params, r->values);
            continue;
        }
        ifd__put_int(out, r->how);
        ifd__put_int(out, r->samples.count);
        ifd__put_double(out, r->samples.start);
        ifd__put_double(out, r->samples.dt);
        ifd__put_doubles(out, (size_t)r->samples.count, r->samples.value);
        ifd__put_doubles(out, (size_t)r->samples.count, r->samples.time);
    }
    return IFD_OK;
}

static void put_sparse(const ifd_sparse *A, ifd__bytes *out)
{
    size_t n = (size_t)A->n;
    ifd__put_int(out, A->n);
    ifd__put_int(out, A->symmetric);
    ifd__put_int(out, A->packed != NULL);
    ifd__put_int(out, A->p ? A->p[n] : -1);
    if (!A->p)
        return;
    ifd__put_ints(out, n + 1, A->p);
    ifd__put_ints(out, (size_t)A->p[n], A->i);
    ifd__put_doubles(out, (size_t)A->p[n], A->x);
    ifd__put_ints(out, n, A->block);
    ifd__put_int(out, A->rank);
    if (A->rank)
        ifd__put_doubles(out, n * (size_t)A->rank, A->Z);
    if (A->rank)
        ifd__put_doubles(out, 1, &A->weight);
}

static ifd_status put_elements(const ifd_model *m, ifd__bytes *out, ifd_note *note)
{
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        bool state = element->ops == &ifd__relaxation;
        if (ifd__relaxation_loaded(element))
            return ifd_note_advise(
                note, IFD_UNSUPPORTED, NULL, "give this dof mass, or apply the force to a dof with mass",
                "a force of the case acts on a dof without mass (%s): such a model cannot be exported",
                element->name);
        const ifd__fibre_member *fibres = ifd__fibre_member_of(element);
        if (!m->values || (!state && !fibres && ifd_element_find(element->ops->name) != element->ops))
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "element '%s' (%s) cannot be exported: %s",
                                element->name, element->ops->name,
                                !m->values ? "the model was divided into substructures"
                                : ifd__element_turns(element)
                                    ? "chords with 'geometry: large' are not supported there"
                                    : "its code is in a shared object");
        ifd__put_text(out, element->ops->name);
        ifd__put_text(out, element->name);
        ifd__put_int(out, element->nq);
        if (fibres)
            ifd__fibre_member_put(fibres, out);
        ifd__put_values(out, element->ops->params, m->values[e]);
    }
    size_t ne = (size_t)m->ne, nq = (size_t)m->nq;
    ifd__put_ints(out, ne + 1, m->q_of);
    ifd__put_ints(out, ne + 1, m->s_of);
    ifd__put_ints(out, ne + 1, m->mm_of);
    ifd__put_ints(out, nq + 1, m->b_start);
    ifd__put_ints(out, nq ? (size_t)m->b_start[nq] : 0, m->b_dof);
    ifd__put_doubles(out, nq ? (size_t)m->b_start[nq] : 0, m->b_value);
    ifd__put_ints(out, nq + 1, m->bs_start);
    ifd__put_ints(out, nq ? (size_t)m->bs_start[nq] : 0, m->bs_support);
    ifd__put_doubles(out, nq ? (size_t)m->bs_start[nq] : 0, m->bs_value);
    ifd__put_doubles(out, (size_t)m->mm_of[ne], m->m0);
    ifd__put_doubles(out, nq, m->origin);
    return IFD_OK;
}

static ifd_status put_loads(const ifd_model *m, ifd__bytes *out, ifd_note *note)
{
    size_t n = (size_t)m->n, k = (size_t)m->nsupport;
    for (int j = 0; j < m->nsupport; j++)
        IFD_TRY(put_signal(m->support[j], "a support", out, note));
    const double *const block[] = {m->Ms, m->Cs, m->Ks};
    const double *const own[] = {m->Mss, m->Css, m->Kss};
    for (int i = 0; i < 3; i++) {
        ifd__put_doubles(out, n * k, block[i]);
        ifd__put_doubles(out, k * k, own[i]);
    }
    for (int d = 0; d < 3; d++) {
        const ifd__ground *g = &m->ground[d];
        IFD_TRY(put_signal(g->signal, "the ground", out, note));
        ifd__put_doubles(out, n, g->p);
        ifd__put_doubles(out, (size_t)m->nq, g->q);
        ifd__put_double(out, g->mass);
    }
    for (int i = 0; i < m->nload; i++) {
        const ifd__load *l = &m->load[i];
        IFD_TRY(put_signal(l->signal, "a load", out, note));
        ifd__put_int(out, l->count);
        ifd__put_ints(out, (size_t)l->count, l->dof);
        ifd__put_doubles(out, (size_t)l->count, l->value);
    }
    return IFD_OK;
}

ifd_status ifd__model_serialise(const ifd_model *m, ifd__bytes *out, ifd_note *note)
{
    const int head[] = {m->n, m->nq, m->ns, m->ne, m->nsupport, m->nload, m->damped, m->symmetric, m->inertial};
    ifd__put_ints(out, sizeof head / sizeof *head, head);
    ifd__put_double(out, m->ray_m);
    ifd__put_double(out, m->ray_k);
    for (int i = 0; i < m->n; i++) {
        ifd__put_text(out, m->dof_name[i]);
        ifd__put_int(out, m->dof_kind[i]);
    }
    put_sparse(&m->M, out);
    put_sparse(&m->C, out);
    put_sparse(&m->K, out);
    IFD_TRY(put_elements(m, out, note));
    IFD_TRY(put_loads(m, out, note));
    ifd__put_doubles(out, (size_t)m->n, m->u0);
    ifd__put_doubles(out, (size_t)m->n, m->v0);
    ifd__put_doubles(out, (size_t)m->ns, m->s0);
    return out->failed ? IFD_NO_MEMORY : IFD_OK;
}

static const ifd_signal *take_wave(ifd__taking *in, ifd_note *note)
{
    const char *name = ifd__take_text(in);
    const ifd_signal_kind *kind = name ? ifd_signal_find(name) : NULL;
    const ifd_signal *s = NULL;
    if (in->bad || (name && (!kind || !kind->make)))
        return NULL;
    if (kind) {
        ifd_value *values = ifd__take_values(in, kind->params);
        bool made = !in->bad && values && ifd_signal_make(in->arena, kind, values, NULL, &s, note) == IFD_OK;
        return made ? s : NULL;
    }
    ifd_interpolation how = (ifd_interpolation)ifd__take_int(in, 0, IFD_INTERPOLATE_HELD);
    ifd_samples samples = {.count = (int)ifd__take_int(in, 2, MOST)};
    samples.start = ifd__take_double(in);
    samples.dt = ifd__take_double(in);
    samples.value = ifd__take_doubles(in, (size_t)samples.count);
    samples.time = ifd__take_doubles(in, (size_t)samples.count);
    bool made = !in->bad && samples.value && ifd_signal_make_table(in->arena, &samples, how, &s, note) == IFD_OK;
    return made ? s : NULL;
}

/* Makes the waves again, then sets their factor and start in a sum, which already include those of the sum. */
static const ifd_signal *take_signal(ifd__taking *in, ifd_note *note)
{
    int64_t count = ifd__take_int(in, -1, MOST);
    const ifd_signal *sum = NULL;
    if (in->bad || count < 0)
        return NULL;
    const ifd_signal **term = ifd_arena_array(in->arena, (size_t)count, sizeof *term);
    double *factor = ifd_arena_array(in->arena, (size_t)count, sizeof *factor);
    double *start = ifd_arena_array(in->arena, (size_t)count, sizeof *start);
    for (int64_t i = 0; term && factor && start && i < count && !in->bad; i++) {
        factor[i] = ifd__take_double(in);
        start[i] = ifd__take_double(in);
        term[i] = take_wave(in, note);
        in->bad = in->bad || !term[i];
    }
    if (in->bad || !term || !factor || !start ||
        ifd_signal_make_sum(in->arena, (int)count, term, NULL, NULL, &sum) != IFD_OK) {
        in->bad = true;
        return NULL;
    }
    ifd_signal *out = ifd_arena_take(in->arena, sizeof *out);
    ifd__wave *wave = ifd_arena_array(in->arena, (size_t)count, sizeof *wave);
    in->bad = !out || !wave;
    for (int64_t i = 0; i < count && !in->bad; i++) {
        wave[i] = sum->wave[i];
        wave[i].factor = factor[i];
        wave[i].start = start[i];
    }
    if (in->bad)
        return NULL;
    *out = *sum;
    out->wave = wave;
    return out;
}

static void take_low_rank(ifd__taking *in, ifd_sparse *A)
{
    A->rank = (int)ifd__take_int(in, 0, A->n);
    if (in->bad || !A->rank)
        return;
    A->Z = ifd__take_doubles(in, (size_t)A->n * (size_t)A->rank);
    const double *weight = ifd__take_doubles(in, 1);
    in->bad = in->bad || !A->symmetric || !A->Z || !weight || !(*weight > 0.0);
    A->weight = in->bad ? 0.0 : *weight;
}

static void take_sparse(ifd__taking *in, int n, ifd_sparse *A)
{
    A->n = (int)ifd__take_int(in, n, n);
    A->symmetric = ifd__take_int(in, 0, 1) != 0;
    bool packed = ifd__take_int(in, 0, 1) != 0;
    int64_t count = ifd__take_int(in, -1, INT_MAX);
    if (in->bad || count < 0)
        return;
    A->p = ifd__take_ints(in, (size_t)n + 1, 0, (int)count);
    A->i = ifd__take_ints(in, (size_t)count, 0, n - 1);
    A->x = ifd__take_doubles(in, (size_t)count);
    A->block = ifd__take_ints(in, (size_t)n, INT_MIN, INT_MAX);
    take_low_rank(in, A);
    in->bad = in->bad || !A->p || !A->i || !A->x || A->p[0] != 0 || A->p[n] != count;
    for (int j = 0; !in->bad && j < n; j++)
        in->bad = A->p[j] > A->p[j + 1];
    if (!in->bad && packed)
        in->bad = ifd__sparse_pack(in->arena, A) != IFD_OK;
}

static const int *take_offsets(ifd__taking *in, int count, int last)
{
    int *at = ifd__take_ints(in, (size_t)count + 1, 0, last < 0 ? MOST : last);
    in->bad = in->bad || !at || at[0] != 0 || (last >= 0 && at[count] != last);
    for (int i = 0; !in->bad && i < count; i++)
        in->bad = at[i] > at[i + 1];
    return at;
}

static void thaw_element(ifd__taking *in, int e, ifd_element *element, ifd__change_values *change, void *who,
                         ifd_note *note)
{
    const char *kind = ifd__take_text(in);
    element->name = ifd__take_text(in);
    element->nq = (int)ifd__take_int(in, 1, MOST);
    element->ops = kind ? ifd_element_find(kind) : NULL;
    if (kind && strcmp(kind, ifd__relaxation.name) == 0)
        element->ops = &ifd__relaxation;
    if (kind && strcmp(kind, IFD__FIBRE_MEMBER) == 0)
        element->ops = ifd__fibre_member_take(in);
    if (in->bad || !element->ops || !element->name) {
        in->bad = true;
        return;
    }
    ifd_value *values = ifd__take_values(in, element->ops->params);
    if (in->bad || !values)
        return;
    if (change)
        change(who, e, element->ops, values);
    in->bad = ifd_param_check(element->ops->params, values, element->name, NULL, note) != IFD_OK ||
              element->ops->make(element, values, in->arena, note) != IFD_OK;
    const ifd__fibre_member *fibres = in->bad ? NULL : ifd__fibre_member_of(element);
    in->bad = in->bad || (fibres && ifd__fibre_basic(fibres) != element->nq);
}

static void take_elements(ifd__taking *in, ifd_model *m, ifd__change_values *change, void *who, ifd_note *note)
{
    ifd_element *element = ifd_arena_array(in->arena, (size_t)m->ne, sizeof *element);
    if (!element) {
        in->bad = true;
        return;
    }
    for (int e = 0; e < m->ne && !in->bad; e++)
        thaw_element(in, e, &element[e], change, who, note);
    m->element = element;
    m->q_of = take_offsets(in, m->ne, m->nq);
    m->s_of = take_offsets(in, m->ne, m->ns);
    m->mm_of = take_offsets(in, m->ne, -1);
    for (int e = 0; e < m->ne && !in->bad; e++)
        in->bad = m->q_of[e + 1] - m->q_of[e] != element[e].nq || m->s_of[e + 1] - m->s_of[e] != element[e].ns ||
                  m->mm_of[e + 1] - m->mm_of[e] != element[e].nq * element[e].nq;
    m->b_start = take_offsets(in, m->nq, -1);
    size_t refs = in->bad ? 0 : (size_t)m->b_start[m->nq];
    m->b_dof = ifd__take_ints(in, refs, 0, m->n - 1);
    m->b_value = ifd__take_doubles(in, refs);
    m->bs_start = take_offsets(in, m->nq, -1);
    refs = in->bad ? 0 : (size_t)m->bs_start[m->nq];
    m->bs_support = ifd__take_ints(in, refs, 0, m->nsupport - 1);
    m->bs_value = ifd__take_doubles(in, refs);
    m->m0 = ifd__take_doubles(in, in->bad ? 0 : (size_t)m->mm_of[m->ne]);
    m->origin = ifd__take_doubles(in, (size_t)m->nq);
    in->bad = in->bad || !m->b_dof || !m->b_value || !m->bs_support || !m->bs_value || !m->m0;
}

static void thaw_supports(ifd__taking *in, ifd_model *m, ifd_note *note)
{
    size_t n = (size_t)m->n, k = (size_t)m->nsupport;
    const ifd_signal **support = ifd_arena_array(in->arena, k, sizeof *support);
    const double **block[] = {&m->Ms, &m->Cs, &m->Ks}, **own[] = {&m->Mss, &m->Css, &m->Kss};
    in->bad = in->bad || !support;
    for (size_t j = 0; j < k && !in->bad; j++)
        in->bad = !(support[j] = take_signal(in, note)) || in->bad;
    m->support = support;
    for (int i = 0; i < 3; i++) {
        *block[i] = ifd__take_doubles(in, n * k);
        *own[i] = ifd__take_doubles(in, k * k);
        in->bad = in->bad || (k && (!*block[i] || !*own[i]));
    }
}

static void take_loads(ifd__taking *in, ifd_model *m, ifd_note *note)
{
    thaw_supports(in, m, note);
    for (int d = 0; d < 3; d++) {
        ifd__ground *g = &m->ground[d];
        g->signal = take_signal(in, note);
        g->p = ifd__take_doubles(in, (size_t)m->n);
        g->q = ifd__take_doubles(in, (size_t)m->nq);
        g->mass = ifd__take_double(in);
        in->bad = in->bad || (g->signal && (!g->p || !g->q));
    }
    ifd__load *load = ifd_arena_array(in->arena, (size_t)m->nload, sizeof *load);
    in->bad = in->bad || !load;
    for (int i = 0; i < m->nload && !in->bad; i++) {
        load[i].signal = take_signal(in, note);
        load[i].count = (int)ifd__take_int(in, 0, m->n);
        load[i].dof = ifd__take_ints(in, (size_t)load[i].count, 0, m->n - 1);
        load[i].value = ifd__take_doubles(in, (size_t)load[i].count);
        in->bad = in->bad || !load[i].signal || !load[i].dof || !load[i].value;
    }
    m->load = load;
}

static void thaw_names(ifd__taking *in, ifd_model *m)
{
    const char **name = ifd_arena_array(in->arena, (size_t)m->n, sizeof *name);
    ifd_dof_kind *kind = ifd_arena_array(in->arena, (size_t)m->n, sizeof *kind);
    for (int i = 0; name && kind && i < m->n; i++) {
        name[i] = ifd__take_text(in);
        kind[i] = (ifd_dof_kind)ifd__take_int(in, IFD_DOF_X, IFD_DOF_DEFORMATION);
        in->bad = in->bad || !name[i];
    }
    in->bad = in->bad || !name || !kind;
    m->dof_name = name;
    m->dof_kind = kind;
}

ifd_status ifd__model_deserialise(ifd_arena *arena, ifd__taking *in, ifd__change_values *change, void *who,
                                  ifd_model **out, ifd_note *note)
{
    ifd_model *m = ifd_arena_take(arena, sizeof *m);
    const int *head = ifd__take_ints(in, 9, 0, MOST);
    if (!m)
        return IFD_NO_MEMORY;
    if (in->bad || !head || head[0] < 1)
        return ifd_note_add(note, IFD_FILE, NULL, "the data is not an exported model");
    m->n = head[0];
    m->nq = head[1];
    m->ns = head[2];
    m->ne = head[3];
    m->nsupport = head[4];
    m->nload = head[5];
    m->damped = head[6] != 0;
    m->symmetric = head[7] != 0;
    m->inertial = head[8] != 0;
    m->ray_m = ifd__take_double(in);
    m->ray_k = ifd__take_double(in);
    thaw_names(in, m);
    ifd_sparse *matrix[] = {&m->M, &m->C, &m->K};
    for (int i = 0; i < 3; i++)
        take_sparse(in, m->n, matrix[i]);
    if (!in->bad)
        take_elements(in, m, change, who, note);
    if (!in->bad)
        take_loads(in, m, note);
    m->u0 = ifd__take_doubles(in, (size_t)m->n);
    m->v0 = ifd__take_doubles(in, (size_t)m->n);
    m->s0 = ifd__take_doubles(in, (size_t)m->ns);
    if (in->bad || !m->M.p || !m->u0 || !m->v0 || !m->s0)
        return ifd_note_add(note, IFD_FILE, NULL, "the exported model is damaged, or an element refuses its values");
    *out = m;
    const ifd_solver *factor;
    IFD_TRY(ifd__massless_find(arena, m));
    IFD_TRY(ifd__model_mass_later(arena, m));
    return ifd__model_mass(arena, m, &factor, note);
}
