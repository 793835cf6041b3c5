/* SPDX-License-Identifier: MIT */
/* Orders of browsers. Each browser has an identity that it draws itself (X-Interfield-Client) and a name that its
 * user states (X-Interfield-Name). Everybody may stop and trip. All other orders need the token of this run, which is
 * part of the address in the terminal, and control. */
#include "page_inside.h"
#include "session/ears.h"
#include "session/supervised.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

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

uint32_t page_browser(page *p, const char *identity)
{
    return plain(identity) && p->control ? number_of(p, identity) : 0;
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

/* Streams that were open before their browser took control are signs of it too: it is gone when they end. They are
 * opened, closed and counted by the thread of the server only. */
static void streams_count(page *p, uint32_t browser)
{
    for (int i = 0; i < STREAMS; i++)
        if (p->stream[i].connection && p->stream[i].browser == browser)
            control_seen(p->control, browser, true);
}

page_reply page_take_control(page *p, struct MHD_Connection *connection)
{
    giver who;
    if (!p->control)
        return (page_reply){MHD_HTTP_CONFLICT, "no test is running\n"};
    if (!knows_token(p, connection))
        return (page_reply){MHD_HTTP_FORBIDDEN, "control needs the token: open the address shown in the terminal\n"};
    giver_find(p, connection, &who);
    if (p->plan->real && !*who.name)
        return (page_reply){MHD_HTTP_FORBIDDEN, "control of a real rig needs a name\n"};
    if (control_take(p->control, &who))
        streams_count(p, who.number);
    return (page_reply){MHD_HTTP_OK, p->client[who.number - 1].number};
}

page_reply page_order(page *p, struct MHD_Connection *connection, const char *name)
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
page_reply page_check(page *p, struct MHD_Connection *connection, const char *line, bool done)
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

page_reply page_confirm(page *p, struct MHD_Connection *connection)
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
