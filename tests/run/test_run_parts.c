/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Runs of coupled substructures with ideal specimens. */
#include "hybrid/hybrid_chain.h"

#include "run/run.h"

static ifd_run *run_of(stand *s, ifd_specimen *specimen)
{
    ifd_note note;
    ifd_run *r = NULL;
    ifd_note_init(&note, s->arena);
    *specimen = (ifd_specimen){.name = "tested",
                               .ops = s->bench.specimen,
                               .values = s->bench.specimen_values,
                               .part = s->channel.part,
                               .from = s->channel.from,
                               .to = s->channel.to};
    const ifd_run_options opt = {
        .couple = &s->test->opt, .step.h = s->test->opt.h, .end = end, .specimens = 1, .specimen = specimen};
    assert_ok(ifd_run_make(s->arena, &opt, &r, &note), &note);
    return r;
}

TEST(an_ideal_specimen_answers_like_the_spring_it_is)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        stand s;
        ifd_specimen specimen;
        stand_prepare(&s, &schemes[i]);
        ifd_run *r = run_of(&s, &specimen);
        while (ifd_run_tick(r) == IFD_RUN_GOING) {
        }
        assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
        running truth = cut_run(s.whole, end);
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 4; k++)
                assert_near(r->x[r->response.model[p].at + k], cut_state(&truth, p)[k], (k < 2 ? 1.0 : 10.0) * 1e-13,
                            "%s, ss %d: number %d of part %d", schemes[i].coupling, schemes[i].ss, k, p);
        ifd_run_close(r);
        ifd_arena_close(s.arena);
    }
}

/* One step code: what a test does on an ideal rig is what a run does, whatever the specimen. */
TEST(a_run_is_the_test_on_an_ideal_rig)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        stand s;
        ifd_specimen specimen;
        stand_prepare(&s, &schemes[i]);
        stand_slide(&s, &schemes[i]);
        stand_make(&s);
        assert_int_equal(run_out(&s), IFD_RUN_DONE);
        ifd_run *r = run_of(&s, &specimen);
        while (ifd_run_tick(r) == IFD_RUN_GOING) {
        }
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 2; k++)
                assert_near(r->x[r->response.model[p].at + k], part_state(&s, p)[k], 1e-12,
                            "%s, ss %d: dof %d of part %d", schemes[i].coupling, schemes[i].ss, k, p);
        ifd_run_close(r);
        stand_close(&s);
    }
}

TEST(the_energy_of_a_run_counts_its_specimens)
{
    stand s;
    ifd_specimen specimen;
    stand_prepare(&s, &(scheme){"staggered", "lsrt2", 0.0005, 1});
    ifd_run *r = run_of(&s, &specimen);
    while (ifd_run_tick(r) == IFD_RUN_GOING) {
    }
    ifd_energy e = ifd_run_energy(r);
    const double *u = r->x + r->response.model[1].at;
    double stretch = u[1] - u[0], stored = 0.5 * tested * stretch * stretch;
    assert_near(e.specimens, stored, 1e-3 * e.scale, "work on a spring that began unstretched");
    assert_near(e.numerical, 0.0, 2e-3 * e.scale, "energy that the method made or took");
    ifd_run_close(r);
    ifd_arena_close(s.arena);
}

TESTS()
