/* SPDX-License-Identifier: MIT */
/* What the server of a rig takes and refuses from a test, and its answers. */
#include <math.h>
#include <string.h>

#include "link/auth.h"
#include "link/server.h"
#include "base/os_linux.h"
#include "rig/rig.h"

/* Largest number of messages per tick, valid or not, so that a flood does not delay the tick. */
enum { MOST_AT_ONCE = 64 };
enum { TELL_WHY = 16 }; /* ticks between two of these messages */
/* Relative: larger differences between the ticks of test and rig are refused. 1e-6 is one tick in a quarter of an
 * hour at 1 kHz, which the bridging of missing commands covers. */
static const double SAME_TICK = 1e-6;

static const double most_give_up = 86400.0; /* s */

/* asked: whether the rig is simulated. */
static void greet(const ifd_rig_server *s, ifd__stream *stream, ifd__answer word, ifd__to to, bool asked)
{
    ifd__message m = {.kind = IFD__WIRE_HELLO,
                      .time = s->o.tick,
                      .word = (uint32_t)word,
                      .heartbeat = asked && ifd__rig_simulated(&s->rig),
                      .outputs = asked ? s->rig.outputs & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH) : 0u,
                      .actuators = (uint32_t)s->rig.actuators};
    ifd__stream_send(stream, &m, to);
}

/* An answer to the last sender. */
static void answer(ifd_rig_server *s, uint64_t session, ifd__answer word)
{
    ifd__stream once = {.port = s->stream.port, .session = session};
    greet(s, &once, word, IFD__TO_SENDER, false);
    if (word != IFD__ANSWER_WELCOME && word != IFD__ANSWER_GREET)
        s->report.refused++;
}

/* Without a seal, which its reader could not check; only information, without an effect. */
static void refuse_key(ifd_rig_server *s)
{
    s->stream.port->stranger = false;
    s->stream.port->plain = true;
    s->report.strangers++;
    answer(s, 0, IFD__ANSWER_KEY);
}

/* A stopped rig without messages is free: its test has ended. */
static bool taken(const ifd_rig_server *s)
{
    return ifd__server_serves(s) || (s->report.state == IFD_RIG_SERVER_STOPPED &&
                                     ifd__clock_now() - s->heard < ifd__server_freed(s, s->watchdog));
}

static ifd__answer verdict(const ifd_rig_server *s, const ifd__message *m)
{
    const ifd__auth *seal = s->stream.port->seal;
    if (taken(s))
        return IFD__ANSWER_BUSY;
    if (seal && !seal->greets) /* it can be a recording */
        return IFD__ANSWER_GREET;
    if (m->actuators != (uint32_t)s->rig.actuators)
        return IFD__ANSWER_ACTUATORS;
    if (!(fabs(m->time - s->o.tick) <= SAME_TICK * s->o.tick))
        return IFD__ANSWER_TICK;
    if (m->word & IFD__HELLO_LOCKSTEP &&
        !ifd__rig_simulated(&s->rig)) /* it would move as fast as the test computes */
        return IFD__ANSWER_CLOCK;
    return ifd__server_at_rest(s) && s->found ? IFD__ANSWER_WELCOME : IFD__ANSWER_MOVING;
}

static void welcome(ifd_rig_server *s, const ifd__message *m)
{
    ifd__stream_begin(&s->stream, m->session);
    (void)ifd__stream_newer(&s->stream, m);
    s->stream.port->ops->adopt(s->stream.port);
    if (s->stream.port->seal)
        ifd__auth_bind(s->stream.port->seal);
    s->report.state = IFD_RIG_SERVER_SERVES;
    s->report.stop = IFD_RIG_STOP_NONE;
    s->report.clients++;
    s->lockstep = s->report.lockstep = m->word & IFD__HELLO_LOCKSTEP;
    s->elastic = m->word & IFD__HELLO_ELASTIC;
    if (s->elastic) {
        s->give_up = (int64_t)(1e9 * fmin(m->b[0], most_give_up));
        ifd__follower_begin(&s->follower, fmax(m->a[0], s->o.tick));
    }
    s->commanded = s->armed = s->news = s->aligned = false;
    s->inherited = s->pressure != 0;
    s->asked = 0;
    s->missed = 0;
    s->applied = 0;
    s->heard = ifd__clock_now();
}

static void hello(ifd_rig_server *s, const ifd__message *m)
{
    if (m->word >= IFD__ANSWER_WELCOME)
        return; /* an answer, not to this server */
    bool again = ifd__server_serves(s) && m->session == s->stream.session;
    ifd__answer word = again ? IFD__ANSWER_WELCOME : verdict(s, m);
    if (word == IFD__ANSWER_WELCOME && !again)
        welcome(s, m);
    s->greeted = word == IFD__ANSWER_WELCOME && !s->commanded;
    if (word == IFD__ANSWER_WELCOME)
        greet(s, &s->stream, word, IFD__TO_PEER, m->word & IFD__HELLO_ASKS);
    else
        answer(s, m->session, word);
}

/* The first command must be at the found position: no jump to a start. */
static bool matches(const ifd_rig_server *s, const ifd__message *m)
{
    bool near = true;
    for (int k = 0; k < s->rig.actuators; k++)
        near = near && fabs(m->a[k] - s->finding[k].at) <= s->match[k];
    return near;
}

/* A rig that waits follows commands again that are close to the position where it rests. */
static bool resumes(const ifd_rig_server *s, const ifd__message *m)
{
    bool near = true;
    for (int k = 0; k < s->rig.actuators && s->leads && m->commanded; k++)
        near = near && fabs(m->a[k] - s->g[k].p) <= s->match[k];
    return near;
}

/* The first position of an arming is not reached by a step from those of an earlier one. */
static void begin_following(ifd_rig_server *s, const ifd__message *m)
{
    ifd__follower_forget(&s->follower);
    memcpy(s->followed, m->a, sizeof s->followed);
}

static void follow(ifd_rig_server *s, const ifd__message *m)
{
    ifd__followed c = {.progress = m->time, .tick = m->tick};
    memcpy(c.position, m->a, sizeof c.position);
    if (!ifd__follower_take(&s->follower, &c))
        s->stream.count.damaged++;
}

/* A command without a new heartbeat is ignored. */
static void command(ifd_rig_server *s, const ifd__message *m)
{
    bool beats = !s->commanded || m->heartbeat != s->target.heartbeat;
    if (m->actuators != (uint32_t)s->rig.actuators || !beats) {
        s->stream.count.damaged++;
        return;
    }
    if (s->report.state == IFD_RIG_SERVER_WAITING && !resumes(s, m))
        return; /* and it gives up in time */
    if (s->report.state == IFD_RIG_SERVER_WAITING)
        s->report.state = IFD_RIG_SERVER_SERVES;
    s->heard = ifd__clock_now();
    s->target = *m;
    s->greeted = false;
    s->news = true;
    if (!s->commanded && !s->lockstep && !(s->rig.late_after > 0.0))
        s->due = s->heard + s->period / 2;
    s->commanded = s->aligned = true;
    bool led = s->report.state == IFD_RIG_SERVER_SERVES && m->word != IFD_MACHINE_IDLE && m->commanded;
    if (led && s->elastic && !s->armed)
        begin_following(s, m);
    if (led && s->elastic)
        follow(s, m);
    if (!led || s->armed)
        return;
    s->armed = true;
    if (!ifd__server_allowed(s))
        ifd__server_stop(s, IFD_RIG_STOP_NOT_ALLOWED);
    else if (!s->found || !matches(s, m) || !ifd__server_begin(s))
        ifd__server_stop(s, IFD_RIG_STOP_UNMATCHED);
}

void ifd__server_release(ifd_rig_server *s, ifd_rig_stop why)
{
    if (s->report.state != IFD_RIG_SERVER_STOPPED) /* the reason of a stop is kept */
        s->report.stop = why;
    s->report.state = IFD_RIG_SERVER_FREE;
    if (s->lockstep)
        s->due = ifd__clock_now() + s->period; /* by the clock of the server again */
    s->lockstep = s->commanded = s->aligned = false;
}

/* Also again, when the acknowledgement was lost and the rig is free already. */
static void part(ifd_rig_server *s)
{
    ifd__message bye = {.kind = IFD__WIRE_BYE, .actuators = (uint32_t)s->rig.actuators};
    if (s->report.state != IFD_RIG_SERVER_FREE)
        ifd__server_release(s, IFD_RIG_STOP_FAREWELL);
    ifd__stream_send(&s->stream, &bye, IFD__TO_PEER);
}

static void take(ifd_rig_server *s, const ifd__message *m)
{
    if (m->kind == IFD__WIRE_HELLO) {
        hello(s, m);
        return;
    }
    const ifd__auth *seal = s->stream.port->seal;
    bool over = s->report.state == IFD_RIG_SERVER_FREE && m->kind != IFD__WIRE_BYE;
    if (over || s->stream.session == 0 || m->session != s->stream.session || (seal && !seal->belongs)) {
        s->stream.count.foreign++;
        return;
    }
    if (!ifd__stream_newer(&s->stream, m))
        return;
    if (m->kind == IFD__WIRE_COMMAND)
        command(s, m);
    if (m->kind == IFD__WIRE_BYE)
        part(s);
}

void ifd__server_hear(ifd_rig_server *s)
{
    ifd__message m;
    for (uint64_t i = 0; i < MOST_AT_ONCE; i++) {
        uint64_t damaged = s->stream.count.damaged;
        bool got = ifd__stream_next(&s->stream, &m);
        i += s->stream.count.damaged - damaged;
        if (s->stream.port->stranger)
            refuse_key(s);
        if (s->stream.version) {
            s->stream.version = 0;
            answer(s, 0, IFD__ANSWER_VERSION);
            continue;
        }
        if (!got)
            return;
        take(s, &m);
    }
}

/* Why the rig has stopped, now and then, as messages can be lost. True: instead of a measurement, which would replace
 * it in shared memory. */
static bool tell_why(ifd_rig_server *s)
{
    ifd__message m = {.kind = IFD__WIRE_WHY, .actuators = (uint32_t)s->rig.actuators};
    if (s->report.state != IFD_RIG_SERVER_STOPPED || s->told++ % TELL_WHY != 0)
        return false;
    const char *parts[] = {ifd_rig_stop_text(s->report.stop), s->report.why ? ": " : "",
                           s->report.why ? s->report.why : ""};
    for (size_t i = 0, at = 0; i < sizeof parts / sizeof *parts; i++)
        for (const char *c = parts[i]; *c && at + 1 < sizeof m.text; c++)
            m.text[at++] = (unsigned char)*c >= ' ' && *c != 127 ? *c : ' ';
    ifd__stream_send(&s->stream, &m, IFD__TO_PEER);
    return s->told != 1; /* the first one, beside a measurement */
}

void ifd__server_tell(ifd_rig_server *s)
{
    bool greeted = s->greeted;
    s->greeted = false;
    if (s->report.state == IFD_RIG_SERVER_FREE || tell_why(s) || greeted)
        return; /* in shared memory a measurement would replace the welcome */
    ifd__message m = {.kind = IFD__WIRE_MEASURE,
                      .tick = s->applied,
                      .time = s->measure.time,
                      .word = s->measure.inputs &
                              (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_START | IFD_INPUT_UNPOWERED),
                      .actuators = (uint32_t)s->rig.actuators,
                      .aux = s->measure.aux < IFD_RIG_AUX ? s->measure.aux : IFD_RIG_AUX};
    if (s->report.state == IFD_RIG_SERVER_STOPPED)
        m.word |= IFD_INPUT_RIG_STOPPED;
    if (s->report.state == IFD_RIG_SERVER_WAITING)
        m.word |= IFD_INPUT_RIG_WAITING;
    if (!ifd__server_allowed(s))
        m.word |= IFD_INPUT_NOT_ALLOWED;
    if (s->inherited && s->pressure == (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH))
        m.word |= IFD_INPUT_KEPT;
    memcpy(m.a, s->measure.position, sizeof m.a);
    memcpy(m.b, s->measure.force, sizeof m.b);
    memcpy(m.c, s->measure.auxiliary, sizeof m.c);
    ifd__stream_send(&s->stream, &m, IFD__TO_PEER);
}
