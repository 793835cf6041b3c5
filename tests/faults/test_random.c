/* SPDX-License-Identifier: MIT */
/* Random faults, the same number in every state, each a separate test with the result of docs/reference/faults.md.
 * Two checks of the commands: that of the rig (bad_rig.c), and one without common code with the library (watcher.c).
 *
 * IFD_FAULTS: number (320; `make campaign` has 13,500); IFD_SEED: seed (1); IFD_FAULT: only this one, by its number.
 * Each runs in a separate process, so that a failure does not affect others. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/injected.h"

enum { SHORT = BRIEF ? 80 : 320 };
enum { WINDOW = 160, MOST_JOBS = 16 };

/* Sums of one process; shared with the parent. */
typedef struct tally {
    watcher_sums sums;
    long injected[WATCHER_STATES], faults[IFD_TRIP_COUNT], replayed, ticks, pairs, orders;
    char words[240];
} tally;

static char letter(const scene *s)
{
    return ifd_hybrid_state(s->h) <= IFD_MACHINE_TRIPPED ? FAULT_LETTERS[ifd_hybrid_state(s->h)] : 'b';
}

static int window_of(const fault_row *r)
{
    return r->window > 0 ? r->window : WINDOW;
}

/* Ticks while the state is unchanged; false: it changed. */
static bool stays(scene *s, ifd_machine state, int ticks)
{
    for (int k = 0; k < ticks && ifd_hybrid_state(s->h) == state; k++)
        scene_tick(s, IFD_ORDER_NONE);
    return ifd_hybrid_state(s->h) == state;
}

/* Into the state, and some ticks of it. */
static void bring(scene *s, injected *j)
{
    static const ifd_order last[FAULT_STATES] = {[IFD_MACHINE_HOLD] = IFD_ORDER_HOLD,
                                                 [IFD_MACHINE_RAMP_OUT] = IFD_ORDER_RAMP_OUT,
                                                 [IFD_MACHINE_TRIPPED] = IFD_ORDER_TRIP};
    if (j->onset < 0) {
        scene_bring(s, j->state);
        return;
    }
    scene_ticks(s, 5);
    if (j->state >= IFD_MACHINE_READY)
        scene_tick(s, IFD_ORDER_ARM);
    if (j->state >= IFD_MACHINE_RAMP_IN) {
        scene_ticks(s, injected_dice(j, 20));
        scene_tick(s, IFD_ORDER_RUN);
    }
    if (j->state >= IFD_MACHINE_RUN)
        scene_until(s, IFD_MACHINE_RUN);
    if (last[j->state])
        scene_ticks(s, 20 + injected_dice(j, 200));
    if (j->state == IFD_MACHINE_STOPPED)
        scene_until(s, IFD_MACHINE_STOPPED);
    if (last[j->state])
        scene_tick(s, last[j->state]);
    assert_true(stays(s, j->state, j->onset));
}

/* The first new state within the window. */
static char watch(scene *s, const injected *j)
{
    char first = letter(s);
    for (int k = 1; k < window_of(j->row); k++) {
        scene_tick(s, IFD_ORDER_NONE);
        if (first == FAULT_LETTERS[j->state])
            first = letter(s);
    }
    return first;
}

/* Whether the watcher still permits an actuator to move after a trip. */
static bool brakes(const scene *s)
{
    bool any = false;
    for (int k = 0; k < IFD_RIG_ACTUATORS; k++)
        any = any || bad.braking[k] > 0;
    return any && letter(s) == 't';
}

/* A hold brakes for `brake`, and after a slow run up to ten times as long (docs/reference/states.md). After a late
 * trip a brake may last. */
static void come_to_rest(scene *s)
{
    double most = 10.0 * s->opt.brake / ifd_hybrid_period(s->h);
    for (int k = 0; k < most && (letter(s) == 'h' || brakes(s)) && !bad.rest; k++)
        scene_tick(s, IFD_ORDER_NONE);
    assert_true(bad.rest);
}

static ifd_trip to_be_latched(const injected *j)
{
    const fault_row *r = j->row;
    bool alone = r->scene == REMOTE && j->state == IFD_MACHINE_IDLE; /* where the test ends immediately */
    if (j->state == IFD_MACHINE_TRIPPED)
        return IFD_TRIP_ORDERED;
    return alone || r->ends[j->state] != FAULT_LETTERS[j->state] ? r->fault : IFD_TRIP_NONE;
}

static void check_named(const scene *s, const injected *j, uint64_t struck)
{
    ifd_trip_facts facts = ifd_hybrid_trip(s->h);
    assert_string_equal(ifd_trip_name(facts.trip), ifd_trip_name(to_be_latched(j)));
    if (facts.trip != j->row->fault || j->state == IFD_MACHINE_TRIPPED || facts.trip == IFD_TRIP_NONE)
        return;
    assert_int_equal(facts.owner, j->channel);
    assert_true(facts.tick > (long)struck && facts.tick <= (long)struck + window_of(j->row));
    if (!isnan(j->limit))
        assert_near_rel(facts.limit, j->limit, 1e-12, "limit");
    if (facts.limit != 0.0 && facts.trip != IFD_TRIP_MASTER_EARLY && facts.trip != IFD_TRIP_MASTER_MISMATCH)
        assert_true(fabs(facts.value) > fabs(facts.limit));
}

/* Another fault after a trip: it remains tripped, at rest, and the first is reported. */
static void strike_again(scene *s, injected *j, tally *sum)
{
    const fault_row *r;
    ifd_trip first = ifd_hybrid_trip(s->h).trip;
    do
        r = &fault_rows[injected_dice(j, fault_row_count)];
    while (r->scene != SPRINGS || r->ends[IFD_MACHINE_TRIPPED] == '-');
    trouble t = r->t;
    t.who = injected_dice(j, ifd_hybrid_actuators(s->h));
    scene_break(s, &t);
    scene_ticks(s, 30);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), "tripped");
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s->h).trip), ifd_trip_name(first));
    assert_true(bad.rest);
    sum->injected[IFD_MACHINE_TRIPPED]++;
    sum->faults[r->fault]++;
    sum->pairs++;
}

/* While the cause is present a test cannot move. */
static void check_arming(scene *s, const injected *j)
{
    if (j->state != IFD_MACHINE_IDLE || ifd_trip_action(j->row->fault) != IFD_ACTION_TRIP || s->left == 0 ||
        j->row->fault == IFD_TRIP_ORDERED)
        return;
    scene_tick(s, IFD_ORDER_ARM);
    scene_ticks(s, 2);
    assert_true(letter(s) == 'i' || letter(s) == 't');
}

static ifd_order way_on(const scene *s, const injected *j)
{
    switch (ifd_hybrid_state(s->h)) {
    case IFD_MACHINE_IDLE:
        return IFD_ORDER_ARM;
    case IFD_MACHINE_READY:
        return j->kind == OF_THE_TABLE ? IFD_ORDER_RUN : IFD_ORDER_RAMP_OUT;
    case IFD_MACHINE_RUN:
        return s->kind == REMOTE ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE;
    case IFD_MACHINE_HOLD:
        return j->row && j->row->after ? j->row->after : IFD_ORDER_RESUME;
    case IFD_MACHINE_TRIPPED:
        return IFD_ORDER_RESET;
    default:
        return IFD_ORDER_NONE;
    }
}

/* An unloading of an unknown stiffness after a reset has the least acceleration. It ends within the time after which
 * UNLOADING trips (docs/guide/unloading.md): 25 s + 2 d/v + 6 sqrt(3.75 d/A), here for a path across half the stroke.
 */
static int unloading_ticks(const scene *s)
{
    double longest = 0.0;
    for (int k = 0; k < s->opt.interfaces; k++) {
        const ifd_limits *l = &s->opt.interface[k].limits;
        double d = fmax(fabs(l->low), fabs(l->high)), A = 1e-4 * l->acceleration;
        double v = fmin(s->opt.creep, s->opt.creep_fraction * l->velocity);
        if (isfinite(d) && isfinite(A))
            longest = fmax(longest, 25.0 + 2.0 * d / v + 6.0 * sqrt(3.75 * d / A));
    }
    return (int)(longest / ifd_hybrid_period(s->h));
}

/* After the repair a test can be completed: random orders for a while, then the correct ones. */
static void lead_to_the_end(scene *s, injected *j)
{
    bool unloads = false;
    for (int k = 0; k < j->orders && letter(s) != 's' && s->kind != REMOTE; k++) {
        ifd_order order = injected_dice(j, 8) ? IFD_ORDER_NONE : (ifd_order)injected_dice(j, IFD_ORDER_COUNT);
        bool ready = letter(s) == 'r';
        scene_tick(s, order);
        unloads = unloads || (ready && order == IFD_ORDER_UNLOAD && letter(s) == 'o');
    }
    int most = s->kind == WALL ? 24000 : 8000; /* shorter ticks */
    if (unloads)
        most += unloading_ticks(s);
    for (int k = 0; k < most && letter(s) != 's'; k++)
        scene_tick(s, k % 10 ? IFD_ORDER_NONE : way_on(s, j));
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), "stopped");
    scene_ticks(s, 5);
    assert_int_equal(s->last, IFD_RUN_DONE);
    assert_true(bad.rest);
    for (int i = 0; i < s->t.count; i++)
        assert_true(isfinite(s->t.values(s->t.self)[i]));
}

static void inject_row(scene *s, injected *j, tally *sum)
{
    const fault_row *r = j->row;
    bring(s, j);
    long before = ifd_hybrid_count(s->h, r->fault);
    uint64_t struck = s->ticks;
    scene_break(s, &j->t);
    char end = watch(s, j), wanted = r->ends[j->state];
    if (!(end == 's' && wanted == 'o' && j->state == IFD_MACHINE_RAMP_OUT)) /* it may have arrived by then */
        assert_int_equal(end, wanted);
    if (r->fault != IFD_TRIP_NONE)
        assert_true(ifd_hybrid_count(s->h, r->fault) > before);
    check_named(s, j, struck);
    if (end == 't' || end == 'h' || end == 's')
        come_to_rest(s);
    sum->faults[r->fault]++;
    if (j->second && letter(s) == 't')
        strike_again(s, j, sum);
    else
        check_arming(s, j);
    scene_repair(s);
    if (s->last != IFD_RUN_FAULT)
        lead_to_the_end(s, j);
}

/* Wrong positions before arming: no order causes motion before they are correct. */
static void inject_unfound(scene *s, injected *j)
{
    scene_break(s, &j->t);
    int most = j->t.ticks ? 8 : 20 + j->onset; /* a series of ten agrees with the tenth correct one at the earliest */
    for (int k = 0; k < most; k++) {
        scene_tick(s, k % 2 ? IFD_ORDER_ARM : IFD_ORDER_RUN);
        assert_int_equal(letter(s), 'i');
    }
    assert_int_equal(bad.eye.sums.commands[IFD_MACHINE_IDLE] + bad.eye.sums.commands[IFD_MACHINE_READY], 0);
    scene_repair(s);
    lead_to_the_end(s, j);
}

/* Outside the stroke: not armed, but returning. */
static void begin_return(scene *s, const injected *j)
{
    scene_break(s, &j->t);
    scene_ticks(s, 20);
    scene_tick(s, IFD_ORDER_ARM);
    assert_int_equal(letter(s), 'i');
    scene_tick(s, IFD_ORDER_RETURN);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), "return");
}

/* A fault that trips in every state also trips during the return, and leaves the rig at rest at any position. */
static void strike_return(scene *s, injected *j, tally *sum)
{
    begin_return(s, j);
    assert_true(stays(s, IFD_MACHINE_RETURN, j->onset));
    uint64_t struck = s->ticks;
    scene_break(s, &j->strikes);
    for (int k = 1; k < window_of(j->row); k++)
        scene_tick(s, IFD_ORDER_NONE);
    ifd_trip_facts facts = ifd_hybrid_trip(s->h);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), "tripped");
    assert_string_equal(ifd_trip_name(facts.trip), ifd_trip_name(j->row->fault));
    assert_int_equal(facts.owner, j->channel);
    assert_true(facts.tick > (long)struck && facts.tick <= (long)struck + window_of(j->row));
    assert_true(bad.rest);
    sum->faults[j->row->fault]++;
    scene_break(s, &j->t);
    scene_ticks(s, 20);
    scene_tick(s, IFD_ORDER_RESET);
    scene_ticks(s, 20);
    assert_int_equal(letter(s), 'i');
}

/* If it is stopped during the return, it remains where it comes to rest. */
static void inject_outside(scene *s, injected *j)
{
    bool stop = injected_dice(j, 2);
    begin_return(s, j);
    for (int k = 0; k < (stop ? j->onset : 20000) && letter(s) == 'b'; k++)
        scene_tick(s, IFD_ORDER_NONE);
    if (stop && letter(s) == 'b') {
        bad.t.clear = IFD_INPUT_NO_STOP;
        scene_ticks(s, 60);
        assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), "tripped");
        assert_true(bad.rest);
        bad.t.clear = 0;
        scene_tick(s, IFD_ORDER_RESET);
        scene_ticks(s, 20);
        assert_int_equal(letter(s), 'i');
        return;
    }
    assert_int_equal(letter(s), 'i');
    scene_ticks(s, 20);
    lead_to_the_end(s, j);
}

/* One fault as a separate test. */
typedef struct task {
    long number;
    uint64_t seed;
    tally *sum;
} task;

static void a_fault_ends_as_documented(void **state)
{
    const task *task_of = *state;
    tally *sum = task_of->sum;
    injected j;
    scene s;
    injected_draw(&j, task_of->seed, task_of->number);
    snprintf(sum->words, sizeof sum->words, "%s", j.words);
    scene_open(&s, j.row ? j.row->scene : SPRINGS, j.set);
    if (j.kind == UNFOUND)
        inject_unfound(&s, &j);
    else if (j.kind == OUTSIDE)
        inject_outside(&s, &j);
    else if (j.kind == RETURNED)
        strike_return(&s, &j, sum);
    else
        inject_row(&s, &j, sum);
    assert_string_equal(bad.broke, "");
    assert_string_equal(bad.eye.broke, "");
    scene_replays(&s);
    sum->injected[j.state]++;
    sum->replayed++;
    sum->ticks += (long)s.ticks;
    sum->orders += bad.orders;
    watcher_add(&sum->sums, &bad.eye.sums);
    scene_close(&s);
}

static int inject(long number, uint64_t seed, tally *sum)
{
    task t = {number, seed, sum};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(a_fault_ends_as_documented, &t)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every n-th fault, one process after the other. Returns the number of failures. */
static int work(long first, long count, long jobs, uint64_t seed, tally *sum)
{
    int failed = 0;
    for (long i = first; i < count; i += jobs) {
        int status;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            (void)!freopen("/dev/null", "w", stdout); /* failures are printed on stderr */
            _exit(inject(i, seed, sum));
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            printf("fault %ld of seed %lu: %s\n", i, (unsigned long)seed, sum->words);
            failed++;
        }
    }
    return failed > 250 ? 250 : failed;
}

static void print_states(const tally *t)
{
    printf("\n| state | faults injected | commands | no command | of the stroke | of the velocity | "
           "of the acceleration |\n"
           "|---|---|---|---|---|---|---|\n");
    for (int m = 0; m < WATCHER_STATES; m++)
        printf("| %s | %ld | %ld | %ld | %.4f | %.4f | %.4f |\n", watcher_state_names[m], t->injected[m],
               t->sums.commands[m], t->sums.nothing[m], t->sums.stroke[m], t->sums.velocity[m],
               t->sums.acceleration[m]);
}

static void print_sums(const tally *t, int failed)
{
    long faults = 0, commands = 0;
    print_states(t);
    for (int m = 0; m < WATCHER_STATES; m++)
        faults += t->injected[m];
    for (int m = 0; m < WATCHER_STATES; m++)
        commands += t->sums.commands[m] + t->sums.nothing[m];
    printf("\nfaults injected %ld, of them on top of another %ld; tests %ld; failed %d\n"
           "messages watched %ld, outside limits %ld; bit-identical replays %ld of %ld tests, %ld ticks\n"
           "motions begun by their order %ld; one without it fails its test\n\nby fault:",
           faults, t->pairs, t->replayed + failed, failed, commands, t->sums.outside, t->replayed,
           t->replayed + failed, t->ticks, t->orders);
    for (int k = 0; k < IFD_TRIP_COUNT; k++)
        printf(" %s %ld%s", k ? ifd_trip_name((ifd_trip)k) : "none", t->faults[k],
               k + 1 < IFD_TRIP_COUNT ? "," : "\n");
}

static void add(tally *to, const tally *from)
{
    watcher_add(&to->sums, &from->sums);
    for (int m = 0; m < WATCHER_STATES; m++)
        to->injected[m] += from->injected[m];
    for (int k = 0; k < IFD_TRIP_COUNT; k++)
        to->faults[k] += from->faults[k];
    to->replayed += from->replayed;
    to->ticks += from->ticks;
    to->pairs += from->pairs;
    to->orders += from->orders;
}

static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

int main(void)
{
    long count = number_of("IFD_FAULTS", SHORT), only = number_of("IFD_FAULT", -1);
    long jobs = only >= 0 ? 1 : number_of("IFD_JOBS", 1);
    uint64_t seed = (uint64_t)number_of("IFD_SEED", 1);
    tally *sums = mmap(NULL, MOST_JOBS * sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sums == MAP_FAILED || jobs < 1 || jobs > MOST_JOBS)
        return 1;
    if (only >= 0) {
        int failed = inject(only, seed, &sums[0]);
        printf("%s\n", sums[0].words);
        return failed;
    }
    for (long k = 0; k < jobs; k++) {
        fflush(stdout);
        if (fork() == 0)
            exit(work(k, count, jobs, seed, &sums[k]));
    }
    int failed = 0, status;
    while (wait(&status) > 0)
        failed += WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    tally *all = &(tally){0};
    for (long k = 0; k < jobs; k++)
        add(all, &sums[k]);
    print_sums(all, failed);
    for (int m = 0; m < WATCHER_STATES; m++)
        if (all->injected[m] < count / 20)
            failed++;
    return failed ? 1 : 0;
}
