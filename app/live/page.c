/* SPDX-License-Identifier: MIT */
#include "page_inside.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    BETWEEN = 50000000,  /* ns between frames */
    PATIENCE = 5,        /* s a browser may leave its connection full */
    BACKLOG = 32 * 1024, /* bytes the kernel may hold for one browser */
    STACK = 256 * 1024   /* bytes, of the server's thread: locked in memory with the rest */
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
    bool all = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0; /* of no use to a browser elsewhere */
    if (all && gethostname(machine, sizeof machine - 1) == 0)
        host = machine;
    bool bare6 = strchr(host, ':') != NULL;
    snprintf(p->address, sizeof p->address, "http://%s%s%s:%d/#%s", bare6 ? "[" : "", host, bare6 ? "]" : "", port,
             p->token);
}

/* Signals are for the thread that runs the test: the server's inherits a mask without any. */
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
    size_t size = (size_t)1 << 21; /* more than a minute of an ordinary test */
    while (size < o->keep)
        size *= 2;
    page *p = ifd_arena_take(arena, sizeof *p);
    char *ring = ifd_arena_take(arena, size);
    if (!p || !ring || !(p->text = ifd_arena_take(arena, FRAME_TEXT)) || !(p->hello = frame_hello(arena, plan)))
        return IFD_NO_MEMORY;
    broadcast_make(&p->broadcast, ring, size);
    p->arena = arena;
    p->plan = plan;
    p->host = o->host;
    p->hello_length = strlen(p->hello);
    frame_begin(&p->frame, plan);
    if (!page_token(p->token))
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the kernel has no random numbers for the live page's token");
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

void page_attach(page *p, ifd_executor *e)
{
    if (p)
        atomic_store(&p->executor, e);
}

void page_add(page *p, const ifd_tick_record *r)
{
    if (!p)
        return;
    frame_add(&p->frame, r);
    atomic_store_explicit(&p->state, p->frame.now_state, memory_order_relaxed);
}

/* Puts text into the broadcast and wakes those who wait for it. After the last text streams end. */
static void tell(page *p, const char *text, size_t length, bool last)
{
    pthread_mutex_lock(&p->lock);
    broadcast_put(&p->broadcast, text, length);
    p->ended = p->ended || last;
    for (int i = 0; i < STREAMS; i++)
        if (p->stream[i].asleep) {
            p->stream[i].asleep = false;
            MHD_resume_connection(p->stream[i].connection);
        }
    pthread_mutex_unlock(&p->lock);
}

/* A browser that comes when the broadcast has lost its beginning still gets all of them. */
static void remember(page *p)
{
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->frame.events; i++) {
        uint64_t k = p->happened++ % HISTORY;
        p->history[k].event = p->frame.event[i];
        p->history[k].place = p->broadcast.head;
    }
    pthread_mutex_unlock(&p->lock);
}

static void send_frame(page *p, uint64_t now)
{
    p->sent = now;
    remember(p);
    tell(p, p->text, frame_write(&p->frame, now / 1000000, p->text), false);
}

void page_pulse(page *p, uint64_t now)
{
    if (p && now - p->sent >= BETWEEN && (p->frame.samples || p->frame.events))
        send_frame(p, now);
}

int page_stopped(const page *p)
{
    return p ? atomic_load(&p->stopped) : 0;
}

ifd_order page_given(page *p)
{
    return p ? (ifd_order)atomic_exchange(&p->given, IFD_ORDER_NONE) : IFD_ORDER_NONE;
}

bool page_attended(page *p)
{
    const uint64_t away = 10000000000u; /* ns that a browser may need to come back */
    if (!p)
        return false;
    pthread_mutex_lock(&p->lock);
    bool attended = p->listeners || (p->left && clock_now() - p->left < away);
    pthread_mutex_unlock(&p->lock);
    return attended;
}

void page_end(page *p, const char *outcome, const char *folder)
{
    if (!p)
        return;
    frame_finish(&p->frame);
    send_frame(p, p->sent + BETWEEN);
    ifd_json j;
    ifd_json_init(&j, p->arena);
    ifd_json_object(&j, NULL);
    ifd_json_text(&j, "outcome", outcome);
    ifd_json_text(&j, "folder", folder);
    ifd_json_end(&j);
    const char *event = frame_event_text(p->arena, "end", ifd_json_done(&j));
    tell(p, event ? event : "", event ? strlen(event) : 0, true);
}

static bool empty(page *p)
{
    pthread_mutex_lock(&p->lock);
    bool nobody = p->listeners == 0;
    pthread_mutex_unlock(&p->lock);
    return nobody;
}

void page_close(page *p)
{
    if (!p)
        return;
    tell(p, "", 0, true); /* nobody may be asleep when the server ends */
    for (int i = 0; i < 50 && !empty(p); i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    door_shut(p->door);
    MHD_stop_daemon(p->daemon);
    door_close(p->door);
    pthread_mutex_destroy(&p->lock);
}

/* The description first, then what happened before the stream's place in the broadcast, then the broadcast from there
 * on. */
static ssize_t next_bytes(stream *s, char *out, size_t size)
{
    page *p = s->page;
    if (s->greeted < p->hello_length + s->past_length) {
        bool hello = s->greeted < p->hello_length;
        const char *text = hello ? p->hello + s->greeted : s->past + (s->greeted - p->hello_length);
        size_t left = p->hello_length + (hello ? 0 : s->past_length) - s->greeted, length = left < size ? left : size;
        memcpy(out, text, length);
        s->greeted += length;
        return (ssize_t)length;
    }
    size_t length = broadcast_take(&p->broadcast, &s->place, out, size);
    if (length == BROADCAST_LOST)
        return MHD_CONTENT_READER_END_OF_STREAM; /* too slow: the browser asks again and begins anew */
    if (length)
        return (ssize_t)length;
    if (p->ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    s->asleep = true;
    MHD_suspend_connection(s->connection);
    return 0;
}

static ssize_t read_stream(void *self, uint64_t position, char *out, size_t size)
{
    (void)position;
    stream *s = self;
    pthread_mutex_lock(&s->page->lock);
    ssize_t length = next_bytes(s, out, size);
    pthread_mutex_unlock(&s->page->lock);
    return length;
}

static void leave_stream(void *self)
{
    stream *s = self;
    pthread_mutex_lock(&s->page->lock);
    s->connection = NULL;
    s->asleep = false;
    free(s->past);
    s->past = NULL;
    s->page->listeners--;
    s->page->left = clock_now();
    pthread_mutex_unlock(&s->page->lock);
}

/* The events before a place in the broadcast, as one event of the stream. */
static char *past_print(const page *p, uint64_t place, size_t *length)
{
    static const char head[] = "event: past\ndata: {\"events\":[", tail[] = "]}\n\n";
    uint64_t first = p->happened > HISTORY ? p->happened - HISTORY : 0;
    char *text = malloc(sizeof head + sizeof tail + FRAME_EVENT_TEXT * (size_t)(p->happened - first));
    *length = 0;
    if (!text)
        return NULL;
    size_t used = sizeof head - 1;
    memcpy(text, head, used);
    for (uint64_t i = first; i < p->happened && p->history[i % HISTORY].place < place; i++) {
        if (i > first)
            text[used++] = ',';
        used += (size_t)frame_event_print(&p->history[i % HISTORY].event, text + used, FRAME_EVENT_TEXT - 1);
    }
    memcpy(text + used, tail, sizeof tail - 1);
    *length = used + sizeof tail - 1;
    return text;
}

static stream *join_stream(page *p, struct MHD_Connection *connection)
{
    stream *found = NULL;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < STREAMS && !found; i++)
        if (!p->stream[i].connection)
            found = &p->stream[i];
    if (found) {
        *found = (stream){.page = p, .connection = connection, .place = broadcast_newcomer(&p->broadcast)};
        if (found->place > 0)
            found->past = past_print(p, found->place, &found->past_length);
        p->listeners++;
    }
    pthread_mutex_unlock(&p->lock);
    return found;
}

enum MHD_Result page_stream(page *p, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    stream *s = join_stream(p, connection);
    if (!s)
        return MHD_NO;
    if (info) {
        int backlog = BACKLOG, on = 1;
        setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &backlog, sizeof backlog);
        setsockopt(info->connect_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * 1024, read_stream, s, leave_stream);
    if (!response) {
        leave_stream(s);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Connection", "close");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}
