/* SPDX-License-Identifier: MIT */
/* The server of the live page: begins, sends frames, ends. */
#include "page.h"
#include "page_inside.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Opens the sockets of the live page and makes its token. */

static int listen_at(const struct addrinfo *at)
{
    int on = 1, s = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (s < 0)
        return -1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(s, at->ai_addr, at->ai_addrlen) == 0 && listen(s, SOMAXCONN) == 0)
        return s;
    int error = errno;
    close(s);
    errno = error;
    return -1;
}

static int listen_on(const struct addrinfo *list)
{
    int s = -1;
    for (const struct addrinfo *at = list; at && s < 0; at = at->ai_next)
        s = listen_at(at);
    return s;
}

/* Listens at o->host and o->port; returns the socket, or -1 with a note. */
static int page_listen(const page_options *o, ifd_note *note)
{
    const char *host = o->host ? o->host : "127.0.0.1";
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    char port[16];
    snprintf(port, sizeof port, "%d", o->port < 0 ? PAGE_PORT : o->port);
    int error = getaddrinfo(host, port, &hints, &list);
    if (error) {
        ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "the live page cannot be served at '%s': %s", host,
                     gai_strerror(error));
        return -1;
    }
    int s = listen_on(list);
    if (s < 0 && errno == EADDRINUSE && o->port < 0) {
        freeaddrinfo(list);
        if (getaddrinfo(host, "0", &hints, &list))
            return -1;
        s = listen_on(list);
    }
    if (s < 0) {
        int why = errno;
        ifd_note_add(note, IFD_CONFLICT, NULL, "the live page cannot be served at %s port %s: %s", host, port,
                     strerror(why));
        ifd_note_hint(note,
                      why == EADDRNOTAVAIL
                          ? "no network interface of this computer has that address; 'ip addr' lists the addresses"
                          : "choose another port; 0 selects any free port");
    }
    freeaddrinfo(list);
    return s;
}

enum {
    BETWEEN = 50000000, /* ns between frames */
    PATIENCE = 5,       /* s for which the connection of a browser may be full */
    STACK = 256 * 1024  /* bytes, of the server thread: locked in memory with the rest */
};

static void fill_address(page *p, int socket)
{
    struct sockaddr_storage at = {0};
    socklen_t length = sizeof at;
    getsockname(socket, (struct sockaddr *)&at, &length);
    int port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                              : ((struct sockaddr_in *)&at)->sin_port);
    const char *host = p->host ? p->host : "127.0.0.1";
    char machine[256] = "";
    bool all = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0; /* no address for a browser elsewhere */
    if (all && gethostname(machine, sizeof machine - 1) == 0)
        host = machine;
    bool bare6 = strchr(host, ':') != NULL;
    snprintf(p->address, sizeof p->address, "http://%s%s%s:%d/#%s", bare6 ? "[" : "", host, bare6 ? "]" : "", port,
             p->token);
}

/* The thread of the test handles signals: the server thread starts with all signals blocked. */
static struct MHD_Daemon *start(page *p, int socket)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
        NULL, NULL, page_answer, p, MHD_OPTION_CONNECTION_LIMIT, (unsigned)DOOR_INSIDE, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)PATIENCE, MHD_OPTION_NOTIFY_CONNECTION, door_notify, &p->door, MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)STACK, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    door *d = daemon ? door_open(daemon, socket) : NULL;
    if (daemon && !d) {
        MHD_stop_daemon(daemon);
        return NULL;
    }
    atomic_store(&p->door, d);
    return daemon;
}

ifd_status page_open(ifd_arena *arena, const page_options *o, const frame_plan *plan, page **out, ifd_note *note)
{
    size_t size = (size_t)1 << 21; /* more than a minute of a typical test */
    while (size < o->keep)
        size *= 2;
    page *p = ifd_arena_take(arena, sizeof *p);
    char *ring = ifd_arena_take(arena, size);
    if (!p || !ring || !(p->text = ifd_arena_take(arena, FRAME_TEXT)) || !(p->hello = frame_hello(arena, plan)) ||
        !samples_make(&p->samples, arena, plan->columns, o->samples) || !frame_begin(&p->frame, arena, plan))
        return IFD_NO_MEMORY;
    broadcast_make(&p->broadcast, ring, size);
    p->arena = arena;
    p->plan = plan;
    p->host = o->host;
    p->control = o->control;
    p->hello_length = strlen(p->hello);
    unsigned char random[TOKEN / 2];
    bool drawn = getrandom(random, sizeof random, 0) == (ssize_t)sizeof random;
    for (size_t i = 0; drawn && i < sizeof random; i++)
        snprintf(p->token + 2 * i, 3, "%02x", random[i]);
    if (!drawn)
        return ifd_note_add(note, IFD_INTERNAL, NULL,
                            "the kernel supplied no random numbers for the token of the live page");
    int socket = page_listen(o, note);
    if (socket < 0)
        return IFD_CONFLICT;
    fill_address(p, socket);
    pthread_mutex_init(&p->lock, NULL);
    p->daemon = start(p, socket);
    if (!p->daemon)
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the server of the live page could not be started");
    *out = p;
    return IFD_OK;
}

const char *page_address(const page *p)
{
    return p ? p->address : "";
}

void page_add(page *p, const ifd_tick_record *r)
{
    if (!p)
        return;
    frame_add(&p->frame, r);
}

/* Appends text to the broadcast and wakes its readers. After the last text streams end. */
static void tell(page *p, const char *text, size_t length, bool last)
{
    HOLD(&p->lock);
    broadcast_put(&p->broadcast, text, length);
    p->ended = p->ended || last;
    for (int i = 0; i < STREAMS; i++) {
        if (p->stream[i].asleep) {
            p->stream[i].asleep = false;
            MHD_resume_connection(p->stream[i].connection);
        }
        if (p->column_stream[i].asleep) {
            p->column_stream[i].asleep = false;
            MHD_resume_connection(p->column_stream[i].connection);
        }
    }
}

/* A browser that connects after the broadcast has lost its beginning still receives all events. */
static void remember(page *p)
{
    HOLD(&p->lock);
    samples_put(&p->samples, p->frame.value, p->frame.samples);
    for (int i = 0; i < p->frame.events; i++) {
        uint64_t k = p->happened++ % HISTORY;
        p->history[k].event = p->frame.event[i];
        p->history[k].place = p->broadcast.head;
    }
}

static void send_frame(page *p, uint64_t now)
{
    p->sent = now;
    remember(p);
    tell(p, p->text, frame_write(&p->frame, now / 1000000, p->text), false);
}

/* Every frame states who has control. */
static void show_control(page *p)
{
    char who[sizeof p->holder];
    uint32_t number;
    if (!p->control)
        return;
    control_holder(p->control, who, sizeof who, &number);
    if (strcmp(who, p->holder) != 0 || number != p->frame.holder) {
        snprintf(p->holder, sizeof p->holder, "%s", who);
        p->frame.control = p->holder;
        p->frame.holder = number;
    }
    if (p->plan->real) {
        clearance_json(control_clearance(p->control), p->cleared, sizeof p->cleared);
        p->frame.cleared = p->cleared;
    }
}

void page_pulse(page *p, uint64_t now)
{
    if (p)
        show_control(p);
    if (p && now - p->sent >= BETWEEN && (p->frame.samples || p->frame.events))
        send_frame(p, now);
}

bool page_attended(page *p)
{
    const uint64_t away = 10000000000u; /* ns in which a browser can reconnect */
    if (!p)
        return false;
    HOLD(&p->lock);
    return p->listeners || (p->left && clock_now() - p->left < away);
}

void page_engine(page *p, const char *text, bool stopped)
{
    if (!p)
        return;
    ifd_json j;
    ifd_json_init(&j, p->arena);
    IFD_JSON_OBJECT(&j, NULL, IFD_JSON("text", text), IFD_JSON("stopped", stopped));
    const char *event = frame_event_text(p->arena, "engine", ifd_json_done(&j));
    tell(p, event ? event : "", event ? strlen(event) : 0, false);
}

void page_end(page *p, const char *outcome, const char *folder)
{
    if (!p)
        return;
    frame_finish(&p->frame);
    send_frame(p, p->sent + BETWEEN);
    ifd_json j;
    ifd_json_init(&j, p->arena);
    IFD_JSON_OBJECT(&j, NULL, IFD_JSON("outcome", outcome), IFD_JSON("folder", folder));
    const char *event = frame_event_text(p->arena, "end", ifd_json_done(&j));
    tell(p, event ? event : "", event ? strlen(event) : 0, true);
}

static bool empty(page *p)
{
    HOLD(&p->lock);
    return p->listeners == 0 && p->column_listeners == 0;
}

void page_close(page *p)
{
    if (!p)
        return;
    tell(p, "", 0, true); /* no reader may sleep when the server ends */
    for (int i = 0; i < 50 && !empty(p); i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    door_shut(p->door);
    MHD_stop_daemon(p->daemon);
    door_close(p->door);
    pthread_mutex_destroy(&p->lock);
}
