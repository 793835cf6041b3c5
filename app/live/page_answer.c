/* SPDX-License-Identifier: MIT */
/* Access control. A browser permits any web page to send a POST to this machine, and a foreign name can resolve to it
 * (DNS rebinding). Therefore
 *   - the Host of every request must be an address, localhost, or a name of this machine;
 *   - an Origin, which browsers send with every POST, must be that host, and a Sec-Fetch-Site must not name another
 * site;
 *   - orders: page_orders.c. */
#include "assets.h"
#include "page_inside.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                             "connect-src 'self'; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'";

static void add_headers(struct MHD_Response *response, const char *type)
{
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Connection", "close"); /* the next request passes the door again */
    MHD_add_response_header(response, "Content-Security-Policy", policy);
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

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
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
        enum MHD_Result result = page_stream(p, connection, page_browser(p, who));
        return result == MHD_YES ? result : say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many browsers\n");
    }
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
