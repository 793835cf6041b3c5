/* SPDX-License-Identifier: MIT */
/* What is learnt with several rigs: each specimen from its own rig, and not from a measurement that its rig did not
 * send, although the other one did. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/several.h>
#include <interfield/virtual.h>

#include "hybrid/hybrid.h"
#include "hybrid/update.h"

#define CASE IFD_SOURCE_DIR "/tests/several/copies.yaml"

static bool lose; /* the measurements of the second rig */

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    ifd_measure m = *out;
    bool fresh = ifd_virtual_rig.sense(r, &m, x);
    if (fresh && !lose)
        *out = m;
    return fresh && !lose;
}

typedef struct stand {
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_rig_ops ops;
    ifd_rig_part part[2];
    ifd_several set;
} stand;

static void begin(stand *s)
{
    ifd_case *c;
    ifd_status status = ifd_case_read(arena, CASE, 0, NULL, &c, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    ifd_hybrid_options o = *c->test;
    const ifd_several *set = ifd_several_of(o.rig, o.rig_setup);
    assert_true(set && set->rigs == 2);
    memcpy(s->part, set->rig, sizeof s->part);
    s->ops = *s->part[1].ops;
    s->ops.sense = sense;
    s->part[1].ops = &s->ops;
    s->set = *set;
    s->set.rig = s->part;
    o.rig_setup = &s->set;
    lose = false;
    assert_int_equal(ifd_hybrid_make(arena, &o, &s->h, &note), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
    while (ifd_hybrid_state(s->h) != IFD_MACHINE_RUN)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
}

static const ifd__estimate *estimate(const stand *s, int i)
{
    return &((const ifd__updating *)(s->h->x + s->h->updates[i].at))->estimate;
}

static void coefficients(const stand *s, int k, double out[4])
{
    const ifd_compensator *c = s->h->interface[k].compensator;
    c->kind->coefficients(c, ifd__compensator_of(s->h, k), out);
}

/* Every 37th tick two measurements of the right rig are lost. */
static void each_specimen_is_learnt_from_its_own_rig(void **state)
{
    (void)state;
    stand s;
    double first[4], now[4];
    int losses = 0;
    begin(&s);
    coefficients(&s, 1, first);
    for (int k = 0; k < 1300; k++) {
        const ifd__estimate before[2] = {*estimate(&s, 0), *estimate(&s, 1)};
        lose = k % 37 < 2;
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        losses += lose;
        assert_true(memcmp(&before[0], estimate(&s, 0), sizeof before[0]) != 0);
        assert_true((memcmp(&before[1], estimate(&s, 1), sizeof before[1]) == 0) == lose);
        coefficients(&s, 1, now);
        assert_memory_equal(now, first, sizeof now); /* the filter of 20 Hz forgets a loss after 48 ticks */
    }
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_true(losses > 60);
    coefficients(&s, 0, now);
    assert_true(now[1] < 0.5 * first[1]); /* the ideal actuator of the left rig is learnt: 0 */
    /* 2e5/1.6e5 and 1e5/1.2e5 */
    print_message("lower %.4f, upper %.4f\n", estimate(&s, 0)->x[1], estimate(&s, 1)->x[1]);
    assert_near(estimate(&s, 0)->x[1], 1.25, 0.0125, "stiffness of the lower spring");
    assert_near(estimate(&s, 1)->x[1], 1.0 / 1.2, 0.0085, "stiffness of the upper spring");
    ifd_hybrid_close(s.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_specimen_is_learnt_from_its_own_rig, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
