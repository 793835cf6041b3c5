/* SPDX-License-Identifier: MIT */
/* Edges of elastic time: commands remembered at rest, after a trip and after a reset, kept forces beside each other,
 * and the last tick before rest. */
#include "hybrid/elastic/site.h"

#include <stdlib.h>

enum { LAMBDA = 40 };

static void order(scene *c, ifd_order what)
{
    (void)c->s.t.tick(c->s.t.self, &(ifd_tick_in){.order = what});
}

static void ticks(scene *c, int count)
{
    for (int i = 0; i < count; i++)
        one(c);
}

static void make(scene *c, int late)
{
    prepare(c, LAMBDA, late);
    c->s.opt.wait_tripped = true;
    stand_make(&c->s);
}

static void make_running(scene *c, int late)
{
    make(c, late);
    play(&c->s.p, "until run");
    ticks(c, 1500);
}

static ifd__elastic_state *elastic(const scene *c)
{
    return ifd__elastic_of(c->s.h);
}

static double *entry_of(const ifd__ring *r, const ifd__ring_state *s, int i)
{
    return r->entry + (((int)s->next - 1 - i + r->size) % r->size) * r->width;
}

static double *sent(const scene *c, int i)
{
    return entry_of(&c->s.h->elastic->sent, &elastic(c)->sent, i);
}

static double *kept(const scene *c, int i)
{
    return entry_of(&c->s.h->elastic->answers[0], &elastic(c)->rig.answers, i);
}

static void told(scene *c, uint64_t acknowledges, double force)
{
    c->site.written = true;
    c->site.answers = acknowledges;
    c->site.force = force;
    one(c);
}

static void hold(scene *c)
{
    order(c, IFD_ORDER_HOLD);
    for (int i = 0; i < 20000 && !(rate(c) == 0.0 && ifd__pace_elastic.complete(c->s.h)); i++)
        one(c);
    ticks(c, 20);
    assert_near(rate(c), 0.0, 0.0, "at rest");
}

/* Before arming nothing is commanded and nothing remembered. At rest a repeated command is remembered once; a moving
 * test, and a tripped one that brakes while its progress rests, remember each. */
TEST(every_new_command_is_remembered_once)
{
    scene c;
    make(&c, 5);
    one(&c);
    assert_int_equal(ifd_hybrid_state(c.s.h), IFD_MACHINE_IDLE);
    assert_true(elastic(&c)->sent.next == 0.0 && elastic(&c)->sent.count == 0.0);
    play(&c.s.p, "until ready"); /* the position where the rig was found */
    assert_true(elastic(&c)->sent.next == 1.0 && elastic(&c)->sent.count == 1.0);
    play(&c.s.p, "until run");
    ticks(&c, 1500);
    double next = elastic(&c)->sent.next;
    one(&c);
    assert_near(sent(&c, 0)[0], ifd__test_of(c.s.h)->tick, 0.0, "tick");
    assert_true(elastic(&c)->sent.next != next);
    hold(&c);
    next = elastic(&c)->sent.next;
    assert_true(sent(&c, 0)[2] != sent(&c, 1)[2]);
    ticks(&c, 100);
    assert_near(elastic(&c)->sent.next, next, 0.0, "at rest");
    order(&c, IFD_ORDER_RESUME);
    ticks(&c, 1500);
    double progress = elastic(&c)->progress, p = c.s.h->command.position[0];
    c.s.h->interface[0].bounds.acceleration = 0.01; /* it brakes slowly */
    order(&c, IFD_ORDER_TRIP);
    for (int i = 0; i < 10; i++) {
        one(&c);
        assert_true(c.s.h->command.position[0] != p);
        p = c.s.h->command.position[0];
        assert_near(sent(&c, 0)[0], ifd__test_of(c.s.h)->tick, 0.0, "tick of the brake");
        assert_near(sent(&c, 0)[1], progress, 0.0, "progress rests");
        assert_near(sent(&c, 0)[2], p, 0.0, "position");
    }
    ifd_arena_close(c.s.arena);
}

/* A reset forgets everything, arming begins at the position of the rig, and the next run at its start: an answer to a
 * command from before is not used, and the force at the start stays what the structure has seen. */
TEST(a_second_start_remembers_nothing_of_the_first)
{
    scene c;
    make_running(&c, 5);
    ticks(&c, 3000);
    double first = elastic(&c)->progress;
    order(&c, IFD_ORDER_TRIP);
    ticks(&c, 500);
    uint64_t old = c.site.newest - 10;
    order(&c, IFD_ORDER_RESET);
    assert_int_equal(ifd_hybrid_state(c.s.h), IFD_MACHINE_IDLE);
    const ifd__elastic_state *e = elastic(&c);
    assert_true(e->sent.next == 0.0 && e->sent.count == 0.0 && e->rig.answers.next == 0.0 &&
                e->rig.answers.count == 0.0);
    assert_true(e->progress == 0.0 && e->rig.answered == 0.0 && e->rig.acknowledged == ifd__test_of(c.s.h)->tick);
    assert_true(rate(&c) == 0.0);
    ticks(&c, 200);
    assert_true(e->sent.next == 0.0 && e->sent.count == 0.0);
    ifd__elastic_interface_of(c.s.h, 0)->answered_step = ifd__elastic_interface_of(c.s.h, 0)->answered = 1.0;
    order(&c, IFD_ORDER_ARM);
    assert_true(e->sent.next == 1.0 && e->sent.count == 1.0);
    assert_int_equal(ifd_hybrid_state(c.s.h), IFD_MACHINE_READY);
    const ifd__elastic_interface *i = ifd__elastic_interface_of(c.s.h, 0);
    double here = c.s.h->command.position[0];
    assert_true(here != 0.0);
    assert_near(i->answered, here, 0.0, "answered position");
    assert_near(i->answered_step, 0.0, 0.0, "its step");
    c.site.late = 0;
    told(&c, old, 0.0);
    assert_near(i->answered, here, 0.0, "an answer from before arming");
    assert_near(i->answered_step, 0.0, 0.0, "its step");
    assert_near(e->rig.answered, 0.0, 0.0, "answered");
    c.site.written = false;
    order(&c, IFD_ORDER_RUN);
    c.site.late = 50;
    play(&c.s.p, "until run");
    assert_true(e->progress > 100.0 && e->progress < first);
    assert_true(e->rig.answers.next == 1.0 && e->rig.answers.count == 1.0);
    assert_near(kept(&c, 0)[0], e->progress, 0.0, "progress at the start");
    assert_near(kept(&c, 0)[1], c.s.h->interface[0].factor * 100.0, 1e-9, "force at the start");
    double progress = kept(&c, 0)[0];
    told(&c, c.site.newest - 30, 77.0); /* still under way */
    assert_near(kept(&c, 0)[0], progress, 0.0, "progress at the start");
    assert_near(kept(&c, 0)[1], c.s.h->interface[0].factor * 100.0, 1e-9, "force at the start");
    c.site.written = false;
    for (int k = 0; k < 1000 && e->rig.answers.count < 2.0; k++)
        one(&c);
    assert_near(kept(&c, 1)[0], progress, 0.0, "the first one stays");
    ifd_arena_close(c.s.arena);
}

/* What the memory contains from before the run, here at its end, is no kept force. */
TEST(a_run_begins_with_the_force_at_its_start_only)
{
    scene c;
    make_running(&c, 5);
    const ifd__ring *r = &c.s.h->elastic->answers[0];
    r->entry[(r->size - 1) * r->width] = 1e9;
    ifd__pace_elastic.begin(c.s.h);
    assert_true(elastic(&c)->rig.answers.next == 1.0 && elastic(&c)->rig.answers.count == 1.0);
    double progress = kept(&c, 0)[0];
    assert_near(progress, elastic(&c)->progress, 0.0, "progress");
    for (int i = 0; i < 100 && kept(&c, 0)[0] == progress; i++)
        one(&c);
    assert_near(elastic(&c)->rig.answers.count, 2.0, 0.0, "kept forces");
    assert_near(kept(&c, 1)[0], progress, 0.0, "the first one stays");
    ifd_arena_close(c.s.arena);
}

/* At rest every command has the same progress: a measurement that was overtaken does not replace a newer one. */
TEST(an_overtaken_answer_at_rest_changes_nothing)
{
    scene c;
    make_running(&c, 5);
    hold(&c);
    double factor = c.s.h->interface[0].factor;
    uint64_t n = c.site.newest;
    told(&c, n - 2, 41.0);
    assert_near(kept(&c, 0)[1], factor * 41.0, 0.0, "newest force");
    told(&c, n - 3, 42.0);
    assert_near(kept(&c, 0)[1], factor * 41.0, 0.0, "overtaken");
    told(&c, n - 1, 43.0);
    assert_near(kept(&c, 0)[1], factor * 43.0, 0.0, "newer");
    ifd_arena_close(c.s.arena);
}

/* Without an answer in a tick, no command was answered: a sensor that does not change is not stuck. */
TEST(a_tick_without_an_answer_has_no_step)
{
    scene c;
    make_running(&c, 5);
    const ifd__elastic_interface *i = ifd__elastic_interface_of(c.s.h, 0);
    assert_true(i->answered_step != 0.0);
    c.site.silent = true;
    one(&c);
    assert_near(i->answered_step, 0.0, 0.0, "step");
    ifd_arena_close(c.s.arena);
}

/* Entries half a tick of progress apart are kept, closer ones replaced; none is lost when the ring begins anew. */
TEST(kept_forces_are_half_a_tick_apart)
{
    static const double apart[] = {0.499, 0.5, 0.504, 1.0};
    for (size_t i = 0; i < COUNT(apart); i++) {
        scene c;
        make_running(&c, 5);
        uint64_t n = c.site.newest;
        double from = ceil(kept(&c, 0)[0]) + 8.0;
        for (int k = 0; k < 3; k++) /* the commands of the ticks n - 2, n - 1 and n */
            sent(&c, 2 - k)[1] = from + (k == 0 ? 0.0 : k == 1 ? apart[i] : 4.0);
        told(&c, n - 2, 1.0);
        told(&c, n - 1, 2.0);
        double factor = c.s.h->interface[0].factor;
        assert_near(kept(&c, 0)[0], from + apart[i], 0.0, "second");
        assert_near(kept(&c, 1)[0], from, 0.0, "first");
        told(&c, n, 3.0);
        assert_near(kept(&c, 0)[0], from + 4.0, 0.0, "third");
        assert_near(kept(&c, 0)[1], factor * 3.0, 0.0, "its force");
        assert_near(kept(&c, 1)[0], apart[i] < 0.5 ? from : from + apart[i], 0.0, "%g apart", apart[i]);
        ifd_arena_close(c.s.arena);
    }
    scene c;
    make_running(&c, 5);
    for (int k = 0; k < 2000; k++) {
        one(&c);
        for (int i = 0; i + 1 < (int)fmin(elastic(&c)->rig.answers.count, 5.0); i++)
            if (!(kept(&c, i)[0] - kept(&c, i + 1)[0] < 1.0 + 1e-6))
                fail_msg("tick %d: entries %g and %g", k, kept(&c, i)[0], kept(&c, i + 1)[0]);
    }
    ifd_arena_close(c.s.arena);
}

/* The force of a stage between two kept ones, at one, and past the newest. */
TEST(a_force_is_linear_between_two_answers)
{
    static const struct {
        double due, force;
    } rows[] = {{5.0, 1.0},  {10.0, 1.0},  {10.25, 1.5}, {10.5, 2.0},
                {11.0, 3.0}, {11.75, 6.0}, {12.0, 7.0},  {12.5, 7.0}};
    scene c;
    make_running(&c, 5);
    ifd__ring_state *s = &elastic(&c)->rig.answers;
    s->next = s->count = 3.0;
    const double entries[4][2] = {
        {10.0, 1.0}, {11.0, 3.0}, {12.0, 7.0}, {20.0, 100.0}}; /* the last one: from before */
    for (int i = 0; i < 4; i++)
        memcpy(c.s.h->elastic->answers[0].entry + 2 * i, entries[i], sizeof entries[i]);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__test_of(c.s.h)->phase = c.s.opt.ticks_per_stage;
        elastic(&c)->progress = rows[i].due + c.s.h->elastic->window;
        assert_near(ifd__pace_elastic.force(c.s.h, 0), rows[i].force, 1e-12, "due at %g", rows[i].due);
    }
    ifd_arena_close(c.s.arena);
}

/* The state before a tick with goal zero that ends with this rate. */
static double rate_before(const ifd__damped *f, double after)
{
    double y = after / (f->decay * (1.0 + f->w));
    for (int i = -200; i <= 200; i++) {
        double x = y * (1.0 + i * 1.1e-16), v = 0.0, start = x;
        ifd__damped_step(f, 0.0, &x, &v);
        if (x == after)
            return start;
    }
    fail_msg("no rate before %g", after);
    return y;
}

/* A millionth is the smallest rate; below it, a test that is to rest is at rest. */
TEST(a_rate_below_a_millionth_is_rest)
{
    static const double after[] = {0.999e-6, 1e-6, 1.005e-6};
    scene c;
    make_running(&c, 5);
    ifd__test_state *t = ifd__test_of(c.s.h);
    t->state = (double)IFD_MACHINE_HOLD;
    for (size_t i = 0; i < COUNT(after); i++) {
        t->rate = rate_before(&c.s.h->elastic->filter, after[i]);
        t->slope = 0.0;
        ifd__pace_elastic.steer(c.s.h);
        assert_near(t->rate, after[i] < 1e-6 ? 0.0 : after[i], 0.0, "rate %g", after[i]);
        assert_int_equal(t->slope == 0.0, after[i] < 1e-6);
    }
    ifd_arena_close(c.s.arena);
}

/* The rate is reduced when it could otherwise not come to rest at 0.95 of the window past the newest answer. */
TEST(a_twentieth_of_the_window_is_kept_in_reserve)
{
    scene c;
    prepare(&c, LAMBDA, 5);
    c.elastic.patience = 8.0; /* nothing but the window brakes */
    c.s.opt.end = 1e3;
    stand_make(&c.s);
    play(&c.s.p, "until run");
    ticks(&c, 1500);
    const ifd__elastic *k = c.s.h->elastic;
    ifd__elastic_state *e = elastic(&c);
    ifd__test_state *t = ifd__test_of(c.s.h);
    for (int side = -1; side <= 1; side++) {
        double rate = t->rate = 0.5, slope = t->slope = 0.0, goal = 0.95 * k->window / (6.0 + 2.0 / k->filter.w);
        e->progress = 0.0;
        e->rig.acknowledged = t->tick - 6.0;
        ifd__damped_step(&k->filter, fmin(1.0, goal), &rate, &slope);
        double way = rate + ifd__damped_way(&k->filter, rate, slope), answered = way - 0.95 * k->window;
        for (int i = -2000; i < 2000; i++) { /* to the last bit */
            double x = answered + i * 1.4e-14, left = x + k->window - 0.0;
            if (left - (1.0 - 0.95) * k->window == way) {
                answered = x;
                break;
            }
        }
        assert_true(answered + k->window - 0.0 - (1.0 - 0.95) * k->window == way);
        e->rig.answered = answered + side * 1e-9;
        ifd__pace_elastic.steer(c.s.h);
        assert_int_equal(t->rate == rate, side >= 0);
        assert_true(side >= 0 || t->rate < 0.5);
    }
    ticks(&c, 1);
    ifd_arena_close(c.s.arena);

    make_running(&c, 5); /* the same in a complete test: silence */
    c.s.h->elastic->patience = 1e9;
    c.s.h->opt.stale_limit = 1000000;
    c.site.silent = true;
    ticks(&c, 6000);
    assert_true(elastic(&c)->progress <= elastic(&c)->rig.answered + 0.95 * c.s.h->elastic->window + 1e-9);
    assert_true(elastic(&c)->progress > elastic(&c)->rig.answered + 0.9 * c.s.h->elastic->window);
    ifd_arena_close(c.s.arena);
}

/* A checkpoint is restored into a test whose rig has seen more progress, or less: progress never decreases. Commands
 * under way are those of this rig; the kept forces move with the progress. */
TEST(a_continued_test_keeps_commands_and_moves_forces)
{
    for (int more = 0; more < 2; more++) {
        scene c;
        make_running(&c, 5);
        size_t size = (size_t)c.s.h->size * sizeof(double);
        double *old = malloc(size), now = elastic(&c)->progress, newest = kept(&c, 0)[0], second = kept(&c, 1)[0];
        memcpy(old, c.s.h->x, size);
        ifd__elastic_state *before = (ifd__elastic_state *)(old + ((double *)elastic(&c) - c.s.h->x));
        before->progress = more ? now + 600.0 : now - 600.0;
        before->sent.count = 7.0;
        old[c.s.h->elastic->sent.entry - c.s.h->x] = 4711.0;
        elastic(&c)->rig.answered = -1.0;
        elastic(&c)->rig.acknowledged = -1.0;
        ifd__pace_elastic.continues(c.s.h, old);
        double shift = more ? 600.0 : 0.0;
        assert_near(elastic(&c)->progress, now + shift, 0.0, "progress");
        assert_near(elastic(&c)->rig.answered, now + shift, 0.0, "answered");
        assert_near(elastic(&c)->rig.acknowledged, ifd__test_of(c.s.h)->tick, 0.0, "acknowledged");
        assert_near(kept(&c, 0)[0], newest + shift, 1e-9, "newest force");
        assert_near(kept(&c, 1)[0], second + shift, 1e-9, "force before it");
        assert_near(elastic(&c)->sent.count, 7.0, 0.0, "commands under way");
        assert_near(c.s.h->elastic->sent.entry[0], 4711.0, 0.0, "a command under way");
        free(old);
        ifd_arena_close(c.s.arena);
    }
}

TESTS()
