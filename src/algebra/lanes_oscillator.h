/* SPDX-License-Identifier: MIT */
/* Many steps of an oscillator (lanes.h) with its state in registers, for lanes_template.h. The operations are those
 * of ensemble.c with the other kernels, in the same order, so that the bits are the same. Two vectors are advanced
 * together: one alone would wait for the result of each of its operations. */

typedef struct moving {
    V u, v, z, sum;
} moving;

/* A product with a matrix of one entry. */
INLINE V entry_of(double entry, double alpha, V x, V y)
{
    return FMA(SET1(alpha), ADD(FMA(SET1(entry), x, ZERO), ZERO), y);
}

/* A block of one entry. */
INLINE V block_of(double entry, double alpha, V x, V y)
{
    return FMA(SET1(entry), MUL(SET1(alpha), x), y);
}

/* Force of the element; the rate of its state is stored. z0: state at the start of the step. */
INLINE V force_of(const ifd__oscillator_law law, const double *p, const V qv[2], const V z[2], V *rate)
{
    V force = ADD(MUL(LOAD(p), qv[0]), MUL(LOAD(p + IFD__LANES), z[0]));
    const V p2 = LOAD(p + 2 * IFD__LANES), p3 = LOAD(p + 3 * IFD__LANES);
    if (law == IFD__OSCILLATOR_SLIDER)
        *rate = SLIDE(qv[1], z[1], p2);
    else {
        V size = ABS(z[0]);
        V loss = ADD(MUL(MUL(p2, ABS(qv[1])), z[0]), MUL(MUL(p3, qv[1]), size));
        *rate = FMA(SET1(-1.0), law == IFD__OSCILLATOR_BOUC_WEN_2 ? MUL(size, loss) : loss, qv[1]);
    }
    return force;
}

/* k := the load of the ground motion, minus h (K w + D v), minus the force of the element, solved. */
INLINE V answer_of(const ifd__lane_oscillator *o, const double *ground, V w, V v, const V *f)
{
    V k = FMA(SET1(o->p), MUL(SET1(o->step.h), LOAD(ground)), ZERO);
    k = entry_of(o->K, -o->step.h, w, k);
    if (o->damped)
        k = entry_of(o->D, -o->step.h, v, k);
    if (f)
        k = FMA(SET1(o->B), MUL(SET1(-1.0), *f), k);
    return MUL(k, SET1(o->inverse));
}

/* f += c (K_e wq + r_s N^-1 rs), rs := N^-1 rs. */
INLINE V condense(const ifd__lane_oscillator *o, V wq, V f, V *rs)
{
    f = block_of(o->Ke, o->step.c, wq, f);
    *rs = FMA(SET1(o->N), *rs, ZERO);
    return block_of(o->rs, o->step.c, *rs, f);
}

INLINE V state_of(const ifd__lane_oscillator *o, V kq, V kv, V rs)
{
    return block_of(o->Xv, o->step.c, kv, block_of(o->Xq, o->step.c, kq, rs));
}

INLINE V settled(const ifd__oscillator_law law, const double *p, V z)
{
    return law == IFD__OSCILLATOR_SLIDER ? CLAMP(z, LOAD(p + 2 * IFD__LANES)) : z;
}

/* Coordinates of the element at the start of a step, and their increments and that of the state in stage 1. */
typedef struct stage {
    V q, qd, kq, kv, ks;
} stage;

INLINE V stage_1(const ifd__oscillator_law law, const ifd__lane_oscillator *o, const ifd__lane_motion *m,
                 const moving *x, stage *s)
{
    const double h = o->step.h, c = o->step.c;
    V f = ZERO, rs = ZERO, w = FMA(SET1(o->step.reach), x->v, x->u);
    if (law == IFD__OSCILLATOR_LINEAR)
        return answer_of(o, m->ground, w, x->v, NULL);
    s->q = FMA(SET1(o->B), x->u, ZERO);
    s->qd = FMA(SET1(o->B), x->v, ZERO);
    f = MUL(SET1(h), force_of(law, m->parameter, (const V[]){s->q, s->qd}, (const V[]){x->z, x->z}, &rs));
    rs = MUL(SET1(h), rs);
    f = condense(o, MUL(SET1(h), s->qd), f, &rs);
    V k = answer_of(o, m->ground, w, x->v, &f);
    s->kv = FMA(SET1(o->B), k, ZERO);
    s->kq = FMA(SET1(c), s->kv, MUL(SET1(h), s->qd));
    s->ks = state_of(o, s->kq, s->kv, rs);
    return k;
}

/* The force of the element in stage 2; wq and rs for the end of the step. */
INLINE V force_2(const ifd__oscillator_law law, const ifd__lane_oscillator *o, const double *p, const stage *s, V z,
                 V out[2])
{
    const V alpha = SET1(o->alpha), h = SET1(o->step.h);
    const V qv[2] = {FMA(alpha, s->kq, s->q), FMA(alpha, s->kv, s->qd)};
    const V at[2] = {settled(law, p, FMA(alpha, s->ks, z)), z};
    V rs, f = MUL(h, force_of(law, p, qv, at, &rs));
    rs = MUL(h, rs);
    f = block_of(o->rq, o->a, s->kq, f);
    f = block_of(o->rv, o->a, s->kv, f);
    f = block_of(o->rs, o->a, s->ks, f);
    rs = block_of(o->gq, o->a, s->kq, rs);
    rs = block_of(o->gv, o->a, s->kv, rs);
    rs = block_of(o->gs, o->a, s->ks, rs);
    out[0] = FMA(SET1(o->step.h * o->step.share), s->kv, MUL(h, s->qd));
    f = condense(o, out[0], f, &rs);
    out[1] = rs;
    return f;
}

INLINE void step_of(const ifd__oscillator_law law, const ifd__lane_oscillator *o, const ifd__lane_motion *m, int i,
                    moving *x)
{
    const ifd__lane_step *t = &o->step;
    const ifd__lane_motion now = {.parameter = m->parameter, .ground = m->ground + 2 * IFD__LANES * (size_t)i};
    stage s;
    V f = ZERO, end[2] = {ZERO, ZERO}, k1 = stage_1(law, o, &now, x, &s);
    if (law != IFD__OSCILLATOR_LINEAR)
        f = force_2(law, o, m->parameter, &s, x->z, end);
    V ku = FMA(SET1(t->c), k1, MUL(SET1(t->h), x->v)), vm = FMA(SET1(t->share), k1, x->v);
    V w = FMA(SET1(t->reach), vm, FMA(SET1(t->share), ku, x->u));
    V k = answer_of(o, now.ground + IFD__LANES, w, vm, law == IFD__OSCILLATOR_LINEAR ? NULL : &f);
    x->u = ADD(x->u, FMA(SET1(t->c), k, MUL(SET1(t->h), vm)));
    x->v = ADD(x->v, k);
    if (law != IFD__OSCILLATOR_LINEAR) {
        V kv = FMA(SET1(o->B), k, ZERO), kq = FMA(SET1(t->c), kv, end[0]);
        x->z = settled(law, m->parameter, FMA(SET1(o->b2), state_of(o, kq, kv, end[1]), x->z));
    }
    x->sum = FMA(x->v, x->v, FMA(x->u, x->u, x->sum));
    STORE(m->out + 2 * IFD__LANES * (size_t)i, x->u);
    STORE(m->out + 2 * IFD__LANES * (size_t)i + IFD__LANES, x->v);
}

INLINE moving moving_from(const ifd__lane_motion *m)
{
    return (moving){LOAD(m->u), LOAD(m->v), LOAD(m->z), ZERO};
}

INLINE void moving_to(const moving *x, const ifd__lane_motion *m)
{
    STORE(m->u, x->u);
    STORE(m->v, x->v);
    STORE(m->z, x->z);
    STORE(m->sum, x->sum);
}

INLINE void advance_of(const ifd__oscillator_law law, const ifd__lane_oscillator *o, int steps, int count,
                       const ifd__lane_motion *m)
{
    int k = 0;
    for (; k + 1 < count; k += 2) {
        moving x = moving_from(&m[k]), y = moving_from(&m[k + 1]);
        for (int i = 0; i < steps; i++) {
            step_of(law, o, &m[k], i, &x);
            step_of(law, o, &m[k + 1], i, &y);
        }
        moving_to(&x, &m[k]);
        moving_to(&y, &m[k + 1]);
    }
    for (; k < count; k++) {
        moving x = moving_from(&m[k]);
        for (int i = 0; i < steps; i++)
            step_of(law, o, &m[k], i, &x);
        moving_to(&x, &m[k]);
    }
}

TARGET static void oscillate(const ifd__lane_oscillator *o, int steps, int count, const ifd__lane_motion *motion)
{
    ifd__lane_motion m[2 * IFD__LANES];
    int vectors = 0;
    for (int k = 0; k < count && k < 2; k++)
        PASSES(at)
        {
            const ifd__lane_motion *b = &motion[k];
            m[vectors++] = (ifd__lane_motion){b->u + at,         b->v + at,      b->z + at,  b->sum + at,
                                              b->parameter + at, b->ground + at, b->out + at};
        }
    switch (o->law) {
    case IFD__OSCILLATOR_LINEAR:
        advance_of(IFD__OSCILLATOR_LINEAR, o, steps, vectors, m);
        break;
    case IFD__OSCILLATOR_SLIDER:
        advance_of(IFD__OSCILLATOR_SLIDER, o, steps, vectors, m);
        break;
    case IFD__OSCILLATOR_BOUC_WEN_1:
        advance_of(IFD__OSCILLATOR_BOUC_WEN_1, o, steps, vectors, m);
        break;
    default:
        advance_of(IFD__OSCILLATOR_BOUC_WEN_2, o, steps, vectors, m);
        break;
    }
}
