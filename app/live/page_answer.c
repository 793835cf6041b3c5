/* SPDX-License-Identifier: MIT */
/* Access control. A browser permits any web page to send a POST to this machine, and a foreign name can resolve to it
 * (DNS rebinding). Therefore
 *   - the Host of every request must be an address, localhost, or a name of this machine;
 *   - an Origin, which browsers send with every POST, must be that host, and a Sec-Fetch-Site must not name another
 * site;
 *   - orders: page_orders.c. */
#include "assets.h"
#include "page_inside.h"
#include "session/ears.h"
#include "session/supervised.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Orders of browsers. Each browser has an identity that it draws itself (X-Interfield-Client) and a name that its
 * user states (X-Interfield-Name). Everybody may stop and trip. All other orders need the token of this run, which is
 * part of the address in the terminal, and control. */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Constant time, independent of the number of correct characters. */
static bool knows_token(const page *p, struct MHD_Connection *connection)
{
    const char *token = header(connection, "X-Interfield-Token");
    if (!token || strlen(token) != TOKEN)
        return false;
    unsigned difference = 0;
    for (int i = 0; i < TOKEN; i++)
        difference |= (unsigned)(unsigned char)token[i] ^ (unsigned)(unsigned char)p->token[i];
    return difference == 0;
}

static void address_print(struct MHD_Connection *connection, char *out, size_t size)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *from = info ? info->client_addr : NULL;
    *out = '\0';
    if (from && from->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)from)->sin_addr, out, (socklen_t)size);
    if (from && from->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, out, (socklen_t)size);
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* A header contains ASCII only: the page encodes the name. Characters that act on a terminal or in JSON are left out,
 * bytes that are no UTF-8 too. */
static void name_read(const char *text, char *out, size_t size)
{
    size_t used = 0, expected = 0, began = 0;
    for (const char *p = text ? text : ""; *p && used + 1 < size; p++) {
        int high = *p == '%' && p[1] ? hex(p[1]) : -1, low = high >= 0 && p[2] ? hex(p[2]) : -1;
        unsigned char c = low >= 0 ? (unsigned char)(16 * high + low) : (unsigned char)*p;
        p += low >= 0 ? 2 : 0;
        bool follows = (c & 0xc0) == 0x80;
        if (expected > 0 && !follows) { /* cut */
            used = began;
            expected = 0;
        }
        if (c < ' ' || c == 127 || c == '"' || c == '\\' || (follows && expected == 0) || c >= 0xf5)
            continue;
        if (c >= 0xc2) {
            began = used;
            expected = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        } else if (follows)
            expected--;
        else if (c >= 0x80)
            continue;
        out[used++] = (char)c;
    }
    out[expected > 0 ? began : used] = '\0';
}

/* The number of a browser, from 1. A browser that does not identify itself is known by its address. The least recent
 * one is forgotten, except the holder. */
static uint32_t number_of(page *p, const char *identity)
{
    int place = 0;
    for (int i = 0; i < CLIENTS; i++)
        if (strcmp(p->client[i].identity, identity) == 0) {
            p->client[i].used = ++p->requests;
            return (uint32_t)i + 1;
        }
    for (int i = 1; i < CLIENTS; i++)
        if ((p->client[i].used < p->client[place].used && !control_holds(p->control, (uint32_t)i + 1)) ||
            control_holds(p->control, (uint32_t)place + 1))
            place = i;
    p->client[place].used = ++p->requests;
    snprintf(p->client[place].identity, sizeof p->client[place].identity, "%s", identity);
    snprintf(p->client[place].number, sizeof p->client[place].number, "%d", place + 1);
    return (uint32_t)place + 1;
}

static bool plain(const char *text)
{
    return text && *text && strspn(text, "0123456789abcdefABCDEF") == strlen(text) && strlen(text) <= TOKEN;
}

/* Without the token it is another one: control is never found by an address or an identity alone. */
static void giver_find(page *p, struct MHD_Connection *connection, giver *out)
{
    const char *identity = header(connection, "X-Interfield-Client");
    char known[GIVER_TEXT + 1];
    *out = (giver){0};
    address_print(connection, out->address, sizeof out->address);
    name_read(header(connection, "X-Interfield-Name"), out->name, sizeof out->name);
    snprintf(known, sizeof known, "%s%.70s", knows_token(p, connection) ? "" : "?",
             plain(identity) ? identity : out->address);
    out->number = number_of(p, known);
}

typedef struct page_reply {
    unsigned status;
    const char *text;
} page_reply;

static page_reply page_take_control(page *p, struct MHD_Connection *connection)
{
    giver who;
    if (!p->control)
        return (page_reply){MHD_HTTP_CONFLICT, "no test is running\n"};
    if (!knows_token(p, connection))
        return (page_reply){MHD_HTTP_FORBIDDEN, "control needs the token: open the address shown in the terminal\n"};
    giver_find(p, connection, &who);
    if (p->plan->real && !*who.name)
        return (page_reply){MHD_HTTP_FORBIDDEN, "control of a real rig needs a name\n"};
    /* Streams that were open before their browser took control are signs of it too: it is gone when they end. They
     * are opened, closed and counted by the thread of the server only. */
    bool taken = control_take(p->control, &who);
    for (int i = 0; i < STREAMS && taken; i++)
        if (p->stream[i].connection && p->stream[i].browser == who.number)
            control_seen(p->control, who.number, true);
    return (page_reply){MHD_HTTP_OK, p->client[who.number - 1].number};
}

static page_reply page_order(page *p, struct MHD_Connection *connection, const char *name)
{
    ifd_order order = order_find(name);
    giver who;
    if (order == IFD_ORDER_NONE)
        return (page_reply){MHD_HTTP_NOT_FOUND, "unknown order\n"};
    if (order != IFD_ORDER_STOP && order != IFD_ORDER_TRIP && !knows_token(p, connection))
        return (page_reply){MHD_HTTP_FORBIDDEN,
                            "this order needs the token: open the address shown in the terminal\n"};
    if (!p->control)
        return (page_reply){MHD_HTTP_CONFLICT, "no test is running\n"};
    giver_find(p, connection, &who);
    bool holder = control_holds(p->control, who.number);
    const char *why = control_order(p->control, order, &who);
    bool permitted = holder || why == not_executed;
    return (page_reply){!why ? MHD_HTTP_OK : permitted ? MHD_HTTP_CONFLICT : MHD_HTTP_FORBIDDEN, why ? why : ""};
}

/* With the token, of the holder; the reason of a refusal is constant. */
static page_reply page_check(page *p, struct MHD_Connection *connection, const char *line, bool done)
{
    giver who;
    char *end;
    long k = strtol(line, &end, 10);
    if (!knows_token(p, connection))
        return (page_reply){MHD_HTTP_FORBIDDEN,
                            "the checklist needs the token: open the address shown in the terminal\n"};
    if (!p->control || *end || end == line || k < 1 || k > CLEARANCE_LINES)
        return (page_reply){MHD_HTTP_NOT_FOUND, "the checklist has no such line\n"};
    giver_find(p, connection, &who);
    bool holder = control_holds(p->control, who.number);
    const char *why = control_check(p->control, (int)k - 1, done, &who);
    return (page_reply){!why ? MHD_HTTP_OK : holder ? MHD_HTTP_CONFLICT : MHD_HTTP_FORBIDDEN, why ? why : ""};
}

static page_reply page_confirm(page *p, struct MHD_Connection *connection)
{
    giver who;
    if (!knows_token(p, connection))
        return (page_reply){MHD_HTTP_FORBIDDEN,
                            "the confirmation needs the token: open the address shown in the terminal\n"};
    if (!p->control)
        return (page_reply){MHD_HTTP_CONFLICT, "no test is running\n"};
    giver_find(p, connection, &who);
    const char *why = control_confirm(p->control, who.name, &who);
    return (page_reply){why ? MHD_HTTP_CONFLICT : MHD_HTTP_OK, why ? why : ""};
}

static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                             "connect-src 'self'; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'";

/* A picture has its style inside, and nothing else. */
static const char picture_policy[] = "default-src 'none'; style-src 'unsafe-inline'";
static const char picture_type[] = "image/svg+xml";

static void add_headers(struct MHD_Response *response, const char *type)
{
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Connection", "close"); /* the next request passes the door again */
    MHD_add_response_header(response, "Content-Security-Policy", type == picture_type ? picture_policy : policy);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cache-Control", "no-store");
}

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *type, const void *data,
                             size_t size)
{
    /* All content sent here is constant. */
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)data, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    add_headers(response, type);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return reply(connection, status, "text/plain; charset=utf-8", text, strlen(text));
}

static bool is_address(int family, const char *name)
{
    struct in6_addr space;
    return inet_pton(family, name, &space) == 1;
}

/* "[::1]:8765" gives "::1". The port is ignored, as a tunnel can have another port at its other end. */
static bool split_host(const char *host, char *out, size_t size)
{
    bool bracket = *host == '[';
    size_t length = strcspn(host + bracket, bracket ? "]" : ":");
    if (length == 0 || length >= size || (bracket && host[1 + length] != ']'))
        return false;
    const char *port = host + length + 2 * (size_t)bracket;
    if (*port && (*port != ':' || port[1 + strspn(port + 1, "0123456789")] != '\0'))
        return false;
    memcpy(out, host + bracket, length);
    out[length] = '\0';
    return true;
}

static bool ours(const page *p, const char *host)
{
    char name[256], machine[256] = "";
    if (!host || !split_host(host, name, sizeof name))
        return false;
    if (*host == '[') /* brackets contain only an IPv6 address */
        return is_address(AF_INET6, name);
    gethostname(machine, sizeof machine - 1);
    return is_address(AF_INET, name) || strcasecmp(name, "localhost") == 0 ||
           (p->host && strcasecmp(name, p->host) == 0) || (*machine && strcasecmp(name, machine) == 0);
}

/* Programs other than browsers send neither of the two. */
static bool own_origin(struct MHD_Connection *connection, const char *host)
{
    const char *origin = header(connection, "Origin"), *site = header(connection, "Sec-Fetch-Site");
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return false;
    if (!origin)
        return true;
    const char *after = strstr(origin, "://");
    return after && strcasecmp(after + 3, host) == 0;
}

static enum MHD_Result respond(struct MHD_Connection *connection, page_reply r)
{
    return say(connection, r.status, r.text);
}

/* "3,17,4": indices of columns in the description, at most COLUMNS; returns their number, 0: not a list. */
static int read_list(const char *text, int end, int out[COLUMNS])
{
    for (int count = 0; text && count < COLUMNS;) {
        char *after;
        if (*text < '0' || *text > '9')
            return 0;
        unsigned long number = strtoul(text, &after, 10);
        if (number >= (unsigned long)end)
            return 0;
        out[count++] = (int)number;
        if (!*after)
            return count;
        text = *after == ',' ? after + 1 : NULL;
    }
    return 0;
}

static enum MHD_Result show(page *p, struct MHD_Connection *connection, const char *url)
{
    if (strcmp(url, "/columns") == 0) {
        int column[COLUMNS];
        const char *list = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "c");
        int columns = read_list(list, p->plan->columns, column);
        if (!columns)
            return say(connection, MHD_HTTP_BAD_REQUEST,
                       "expected GET /columns?c=3,17 with at most 40 column numbers of the description\n");
        enum MHD_Result result = page_columns(p, connection, column, columns);
        return result == MHD_YES ? result : say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many browsers\n");
    }
    if (strcmp(url, "/events") == 0) {
        const char *who = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "client");
        enum MHD_Result result = page_stream(p, connection, plain(who) && p->control ? number_of(p, who) : 0);
        return result == MHD_YES ? result : say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many browsers\n");
    }
    if (strcmp(url, "/structure.svg") == 0 && p->plan->picture)
        return reply(connection, MHD_HTTP_OK, picture_type, p->plan->picture, p->plan->picture_length);
    for (const asset *a = live_assets; a->path; a++)
        if (strcmp(url, a->path) == 0)
            return reply(connection, MHD_HTTP_OK, a->type, a->data, a->size);
    return say(connection, MHD_HTTP_NOT_FOUND, "not found\n");
}

enum MHD_Result page_answer(void *self, struct MHD_Connection *connection, const char *url, const char *method,
                            const char *version, const char *upload, size_t *upload_size, void **context)
{
    static const char prefix[] = "/order/", checked[] = "/check/", unchecked[] = "/uncheck/";
    page *p = self;
    const char *host = header(connection, "Host");
    (void)version;
    (void)upload;
    if (!*context) { /* only the headers have arrived */
        const char *length = header(connection, "Content-Length"), *coding = header(connection, "Transfer-Encoding");
        *context = p;
        if (coding || (length && strspn(length, "0 ") != strlen(length))) /* the server does not wait for a body */
            return say(connection, MHD_HTTP_CONTENT_TOO_LARGE, "requests with a body are not accepted\n");
        return MHD_YES;
    }
    if (*upload_size) { /* no request has a relevant body */
        *upload_size = 0;
        return MHD_YES;
    }
    if (!ours(p, host))
        return say(connection, MHD_HTTP_FORBIDDEN, "wrong host name\n");
    if (!own_origin(connection, host) && strcmp(url, "/") != 0) /* a link from another site can lead to the page */
        return say(connection, MHD_HTTP_FORBIDDEN, "requests from other sites are not accepted\n");
    if (strcmp(method, "GET") == 0)
        return show(p, connection, url);
    if (strcmp(method, "POST") != 0)
        return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "expected GET or POST\n");
    if (strcmp(url, "/control") == 0)
        return respond(connection, page_take_control(p, connection));
    if (strcmp(url, "/confirm") == 0)
        return respond(connection, page_confirm(p, connection));
    if (strncmp(url, checked, sizeof checked - 1) == 0)
        return respond(connection, page_check(p, connection, url + sizeof checked - 1, true));
    if (strncmp(url, unchecked, sizeof unchecked - 1) == 0)
        return respond(connection, page_check(p, connection, url + sizeof unchecked - 1, false));
    if (strncmp(url, prefix, sizeof prefix - 1) != 0)
        return say(connection, MHD_HTTP_NOT_FOUND, "not found\n");
    return respond(connection, page_order(p, connection, url + sizeof prefix - 1));
}
