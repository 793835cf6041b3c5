/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "link/stand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os_linux.h"

void sleep_for(double seconds)
{
    ifd__clock_sleep(ifd__clock_now() + (int64_t)(1e9 * seconds));
}

static void watch_command(spy *w, const ifd_command *c, double tick)
{
    if (!c->commanded) { /* the next command starts again */
        w->known = 0;
        w->nothing++;
        return;
    }
    double p = c->position[0];
    if (w->known++ == 0) { /* from rest: the last measured position of the rig, or otherwise the first command */
        w->last = w->measured ? w->at : p;
        w->step = 0.0;
    }
    double step = p - w->last;
    w->worst_position = fmax(w->worst_position, fabs(p));
    w->last_velocity = c->velocity[0];
    w->worst_velocity = fmax(w->worst_velocity, fabs(step) / tick);
    w->worst_acceleration = fmax(w->worst_acceleration, fabs(step - w->step) / (tick * tick));
    w->step = step;
    w->last = p;
    w->count++;
}

void assert_limits_kept(const spy *w, const ifd_limits *l)
{
    assert_true(w->count > 10);
    assert_true(w->worst_position <= l->high * (1.0 + 1e-12));
    assert_true(w->worst_velocity <= l->velocity * (1.0 + 1e-9));
    assert_true(w->worst_acceleration <= l->acceleration * (1.0 + 1e-6));
}

/* One laboratory and one engine per process: the observed ops find theirs here. */
static spy *lab_watch;
static stand *engine;

static void lab_command(ifd_rig *rig, const ifd_command *c, double *x)
{
    watch_command(lab_watch, c, rig->tick);
    ifd_virtual_rig.command(rig, c, x);
}

static bool lab_sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    if (lab_watch->inputs)
        out->inputs = lab_watch->inputs;
    if (lab_watch->force_gain > 0.0)
        out->force[0] *= lab_watch->force_gain;
    lab_watch->at = out->position[0]; /* without the error of the next line */
    lab_watch->measured = true;
    out->position[0] += lab_watch->samples++ < lab_watch->wrong ? lab_watch->shift : 0.0;
    return fresh;
}

void lab_prepare(lab *l, spy *watch)
{
    static ifd_rig_ops ops;
    memset(l, 0, sizeof *l);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, l->spring);
    l->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(tested);
    l->bench = (ifd_virtual_actuator){.specimen = spring, .specimen_values = l->spring};
    l->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &l->bench};
    ifd_limits_defaults(&l->limits);
    l->limits.low = -0.05;
    l->limits.high = 0.05;
    l->limits.velocity = 1.0;
    l->limits.acceleration = 100.0;
    ifd_rig_server_defaults(&l->o);
    ops = ifd_virtual_rig;
    if (watch) {
        lab_watch = watch;
        ops.command = lab_command;
        ops.sense = lab_sense;
    }
    l->o.rig = &ops;
    l->o.setup = &l->laboratory;
    l->o.actuators = 1;
    l->o.tick = tick_length;
    l->o.limits = &l->limits;
    l->o.priority = 0;
    l->o.lock_memory = false;
}

static void *shared_page(size_t bytes)
{
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    return page;
}

/* The child: serves until the parent closes its end of `keep`. */
static void serve(const far *f, int keep, int tell, const char *shm)
{
    lab l;
    ifd_rig_server *server;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ifd_arena *arena = ifd_arena_open();
    lab_prepare(&l, f->watch);
    l.o.shm = shm;
    l.o.watchdog = 60.0; /* not used by the tests */
    l.o.priority = 85;
    int port = -1;
    if (ifd_rig_server_open(arena, &l.o, &server, NULL) == IFD_OK)
        port = ifd_rig_server_port(server);
    if (write(tell, &port, sizeof port) != sizeof port || port < 0)
        _exit(1);
    for (char byte; read(keep, &byte, 1) < 0 && errno == EAGAIN;) {
        ifd_rig_server_report_now(server, f->report);
        sleep_for(0.002);
    }
    ifd_rig_server_close(server);
    ifd_rig_server_report_now(server, f->report);
    ifd_arena_close(arena);
    _exit(0);
}

void far_open(far *f, const char *shm)
{
    int keep[2], tell[2];
    memset(f, 0, sizeof *f);
    f->watch = shared_page(sizeof *f->watch);
    f->report = shared_page(sizeof *f->report);
    assert_int_equal(pipe(keep), 0);
    assert_int_equal(pipe(tell), 0);
    f->pid = fork();
    assert_true(f->pid >= 0);
    if (f->pid == 0) {
        close(keep[1]);
        fcntl(keep[0], F_SETFL, O_NONBLOCK);
        serve(f, keep[0], tell[1], shm);
    }
    close(keep[0]);
    close(tell[1]);
    f->keep = keep[1];
    assert_int_equal(read(tell[0], &f->port, sizeof f->port), sizeof f->port);
    close(tell[0]);
    assert_true(f->port >= 0);
}

void far_kill(far *f)
{
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    close(f->keep);
}

void far_close(far *f)
{
    int status = -1;
    close(f->keep);
    waitpid(f->pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static ifd_model *oscillator(ifd_arena *arena)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, mass);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, stiffness);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, 0, damping);
    ifd_builder_initial(b, 0, start, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(arena, b, &m, NULL), IFD_OK);
    return m;
}

static void engine_command(ifd_rig *rig, const ifd_command *c, double *x)
{
    engine->rig = rig;
    watch_command(&engine->watch, c, rig->tick);
    engine->opt.rig_setup ? ifd_virtual_rig.command(rig, c, x)
                          : ifd_udp_rig.command(rig, c, x); /* the same for shm */
}

void stand_prepare(stand *s)
{
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    ifd_note_init(&s->note, s->arena);
    lab_prepare(&s->near, NULL);
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = 0;
    s->channel.limits = s->near.limits;
    s->channel.limits.force = 1e6; /* required for a rig that is not virtual; far above the forces here */
    s->channel.limits.tracking = 0.02;
    ifd_hybrid_defaults(&s->opt);
    s->opt.model = oscillator(s->arena);
    s->opt.end = 1.0;
    s->opt.ramp_in = 0.3;
    s->opt.settle = 0.1;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.automatic = true;
    s->opt.stale_limit = 1000000;
    s->opt.stale_fraction = 1.0;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 2.0 * tick_length, &s->opt.step);
    s->estimate = (ifd_estimate){.from = IFD_GROUND, .to = 0, .stiffness = tested};
    s->opt.step.estimates = 1;
    s->opt.step.estimate = &s->estimate;
}

static void use(stand *s, const ifd_rig_ops *ops)
{
    s->ops = *ops;
    s->ops.command = engine_command;
    s->opt.rig = &s->ops;
    s->opt.rig_values = s->link;
}

void stand_near(stand *s, bool delayed)
{
    use(s, &ifd_virtual_rig);
    s->opt.rig_setup = &s->near.laboratory;
    if (!delayed)
        return;
    s->near.bench.actuator = ifd_actuator_find("delay");
    ifd_param_preset(s->near.bench.actuator->params, s->actuator);
    s->actuator[ifd_param_find(s->near.bench.actuator->params, "delay")] = ifd_number(tick_length);
    s->near.bench.actuator_values = s->actuator;
}

static void link_values(stand *s, const ifd_rig_ops *ops, bool lockstep)
{
    use(s, ops);
    ifd_param_preset(ops->params, s->link);
    s->link[ifd_param_find(ops->params, "lockstep")] = ifd_flag(lockstep);
    s->link[ifd_param_find(ops->params, "timeout")] = ifd_number(60.0);
}

void stand_udp(stand *s, int port, bool lockstep)
{
    link_values(s, &ifd_udp_rig, lockstep);
    s->link[ifd_param_find(ifd_udp_rig.params, "port")] = ifd_number(port);
}

void stand_shm(stand *s, const char *name, bool lockstep)
{
    link_values(s, &ifd_shm_rig, lockstep);
    s->link[ifd_param_find(ifd_shm_rig.params, "name")] = ifd_word(name);
}

ifd_status stand_make(stand *s)
{
    engine = s;
    ifd_status status = ifd_hybrid_make(s->arena, &s->opt, &s->h, &s->note);
    if (status == IFD_OK)
        s->t = ifd_hybrid_ticked(s->h);
    return status;
}

/* Successive ticks without a new measurement have the weights 1, 2, 3 ..., the age of the force. */
static void weigh(stand *s, long *stale, int *row)
{
    long now = ifd_hybrid_count(s->h, IFD_TRIP_STALE);
    *row = now > *stale ? *row + 1 : 0;
    *stale = now;
    if (ifd_hybrid_state(s->h) == IFD_MACHINE_RUN)
        s->irregular += *row;
}

ifd_run_state stand_run(stand *s, long most, bool clock)
{
    const int64_t period = (int64_t)(1e9 * ifd_hybrid_period(s->h));
    int64_t due = ifd__clock_now() + period;
    ifd_run_state r = IFD_RUN_GOING;
    long stale = ifd_hybrid_count(s->h, IFD_TRIP_STALE);
    int row = 0;
    if (clock)
        ifd__thread_schedule(80); /* with this right, other programs do not disturb */
    for (long k = 0; r == IFD_RUN_GOING && k < most; k++, due += period) {
        if (clock)
            ifd__clock_sleep(due);
        for (int64_t now = ifd__clock_now(); clock && due + period <= now; due += period)
            s->irregular += 1.0;
        r = s->t.tick(s->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        weigh(s, &stale, &row);
        int count;
        if (ifd_hybrid_state(s->h) == IFD_MACHINE_RUN && s->ticks < MOST_TICKS)
            s->u[s->ticks++] = ifd_hybrid_save_area(s->h, &count)[0];
    }
    if (clock)
        ifd__thread_schedule(0);
    return r;
}

void stand_close(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

stand *stand_take(void)
{
    stand *s = malloc(sizeof *s);
    assert_non_null(s);
    stand_prepare(s);
    return s;
}

stand *stand_here(bool delayed)
{
    stand *s = stand_take();
    stand_near(s, delayed);
    assert_int_equal(stand_make(s), IFD_OK);
    assert_int_equal(stand_run(s, 100000, false), IFD_RUN_DONE);
    assert_true(s->ticks > 400);
    return s;
}

void stand_leave(stand *s)
{
    stand_close(s);
    free(s);
}

double worst_difference(const stand *a, const stand *b)
{
    double worst = 0.0;
    assert_int_equal(a->ticks, b->ticks);
    for (int i = 0; i < a->ticks; i++)
        worst = fmax(worst, fabs(a->u[i] - b->u[i]));
    return worst;
}

double of_one_irregular_tick(void)
{
    return 2.0 * 4.0 * tested * start * tick_length * tick_length / mass;
}

double irregular_ticks(const stand *s, const far *f)
{
    return s->irregular + (double)(f->report->bridged + f->report->skipped);
}

void stand_through(stand *s, bool clock, ifd_link_counts *counts)
{
    assert_int_equal(stand_make(s), IFD_OK);
    assert_int_equal(stand_run(s, 100000, clock), IFD_RUN_DONE);
    *counts = ifd_link_counted(s->rig);
    ifd_hybrid_close(s->h);
}
