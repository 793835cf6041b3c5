/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "hybrid/scenario.h"

#include <ctype.h>
#include <string.h>

#include "hybrid/pace/scaled.h"

enum { WORD = 96, PATIENCE = 200000 };

/* A script at its present place. Evaluation stops at the first error, which it reports. */
typedef struct reader {
    player *p;
    const char *at, *statement;
    bool wrong; /* a word is unknown, or an expectation does not hold */
} reader;

typedef struct word {
    const char *text;
    double value;
} word;

#define IFD_ROW(prefix, name) {#name, (double)prefix##name},
#define TRIP_ROW(name, ...) IFD_ROW(IFD_TRIP_, name)
#define WAIT_ROW(name, ...) IFD_ROW(IFD_WAIT_, name)
#define ANSWER_ROW(name, ...) IFD_ROW(IFD_ANSWER_, name)
#define STATE_ROW(name, word, ...) {word, (double)IFD_MACHINE_##name},
#define ORDER_ROW(name, word) {word, (double)IFD_ORDER_##name},
static const word trips[] = {IFD_TRIP_LIST(TRIP_ROW){NULL, 0.0}}, waits[] = {IFD_WAIT_LIST(WAIT_ROW){NULL, 0.0}},
                  answers[] = {IFD_ANSWER_LIST(ANSWER_ROW){NULL, 0.0}},
                  states[] = {IFD_MACHINE_LIST(STATE_ROW){NULL, 0.0}},
                  orders[] = {IFD_ORDER_LIST(ORDER_ROW){NULL, 0.0}},
                  results[] = {IFD_ROW(IFD_RUN_, GOING) IFD_ROW(IFD_RUN_, DONE) IFD_ROW(IFD_RUN_, FAULT){NULL, 0.0}},
                  sources[] = {{"holder", IFD_SOURCE_HOLDER},       {"signal", IFD_SOURCE_SIGNAL},
                               {"automatic", IFD_SOURCE_AUTOMATIC}, {"viewer", IFD_SOURCE_VIEWER},
                               {"another", IFD_SOURCE_VIEWER + 1},  {NULL, 0.0}},
                  inputs[] = {IFD_ROW(IFD_INPUT_, NO_STOP) IFD_ROW(IFD_INPUT_, HYDRAULICS)
                                  IFD_ROW(IFD_INPUT_, RIG_STOPPED) IFD_ROW(IFD_INPUT_, RIG_WAITING)
                                      IFD_ROW(IFD_INPUT_, START) IFD_ROW(IFD_INPUT_, UNPOWERED)
                                          IFD_ROW(IFD_INPUT_, NOT_ALLOWED) IFD_ROW(IFD_INPUT_, KEPT){NULL, 0.0}},
                  outputs[] = {IFD_ROW(IFD_OUTPUT_, TRIGGER) IFD_ROW(IFD_OUTPUT_, RUNNING)
                                   IFD_ROW(IFD_OUTPUT_, ENABLE) IFD_ROW(IFD_OUTPUT_, LOW) IFD_ROW(IFD_OUTPUT_, HIGH)
                                       IFD_ROW(IFD_OUTPUT_, BEAT){NULL, 0.0}},
                  gates[] = {IFD_ROW(IFD_GATE_, COMPARE) IFD_ROW(IFD_GATE_, PERIOD) IFD_ROW(IFD_GATE_, READY)
                                 IFD_ROW(IFD_GATE_, START) IFD_ROW(IFD_GATE_, LATE) IFD_ROW(IFD_GATE_, CHECKS)
                                     IFD_ROW(IFD_GATE_, CHECKED){NULL, 0.0}};

static const word *word_find(const word *list, const char *text)
{
    for (; list && list->text; list++)
        if (strcmp(list->text, text) == 0)
            return list;
    return NULL;
}

typedef struct shown {
    char text[40];
} shown;

/* A value by its name, if it has one. */
static shown show(const word *list, double value)
{
    shown out;
    while (list && list->text && list->value != value)
        list++;
    if (list && list->text)
        snprintf(out.text, sizeof out.text, "%s", list->text);
    else
        snprintf(out.text, sizeof out.text, "%.17g", value);
    return out;
}

/* The names that the values of a quantity have; NULL: they are numbers. */
static const word *names_of(const char *name)
{
    static const struct {
        const char *name;
        const word *list;
    } rows[] = {{"is", states},     {"fault", trips},         {"wait", waits},    {"answer", answers},
                {"gate", gates},    {"answer.order", orders}, {"set", inputs},    {"clear", inputs},
                {"inputs", inputs}, {"outputs", outputs},     {"power", outputs}, {"pressure", outputs},
                {"state", states},  {"result", results}};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].list;
    return NULL;
}

static void complain(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(reader *r, const char *format, ...)
{
    player *p = r->p;
    int used, length = (int)strcspn(r->statement, ";\n");
    if (r->wrong)
        return;
    r->wrong = true;
    used = snprintf(p->report, sizeof p->report, "'%.*s', in %s (%s) after %ld ticks:\n    ", length, r->statement,
                    ifd_machine_name(ifd_hybrid_state(p->h)), ifd_trip_name(ifd_hybrid_trip(p->h).trip), p->ticks);
    va_list args;
    va_start(args, format);
    vsnprintf(p->report + used, sizeof p->report - (size_t)used, format, args);
    va_end(args);
}

static void blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

static bool ends(reader *r)
{
    blanks(r);
    return *r->at == ';' || *r->at == '\n' || *r->at == '\0';
}

/* Letters, digits, points and strokes; or a column in brackets. */
static bool take_word(reader *r, char out[WORD])
{
    size_t n = 0;
    blanks(r);
    if (*r->at == '[')
        n = strchr(r->at, ']') ? strcspn(r->at, "]") + 1 : 0;
    else if (isalpha((unsigned char)*r->at))
        while (isalnum((unsigned char)r->at[n]) || (r->at[n] && strchr("_.-", r->at[n])))
            n++;
    if (n == 0 || n >= WORD)
        return false;
    memcpy(out, r->at, n);
    out[n] = '\0';
    r->at += n;
    return true;
}

static bool accept(reader *r, const char *text)
{
    blanks(r);
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        return false;
    if (isalpha((unsigned char)*text) && isalnum((unsigned char)r->at[n]))
        return false; /* the beginning of a longer word */
    r->at += n;
    return true;
}

/* NULL: there is none of this name, of so many letters. */
static const double *find_column(ifd_hybrid *h, const char *name, size_t length)
{
    int count;
    const ifd_column *column = ifd_hybrid_columns(h, &count);
    const ifd_ticked t = ifd_hybrid_ticked(h);
    for (int i = 0; i < count; i++)
        if (strlen(column[i].name) == length && memcmp(column[i].name, name, length) == 0)
            return &t.values(t.self)[i];
    return NULL;
}

double test_column(ifd_hybrid *h, const char *name)
{
    const double *value = find_column(h, name, strlen(name));
    if (!value)
        fail_msg("there is no column '%s'", name);
    return *value;
}

static double column_of(reader *r, const char *name)
{
    const double *value = find_column(r->p->h, name + 1, strlen(name) - 2);
    if (!value)
        complain(r, "there is no column %s", name);
    return value ? *value : 0.0;
}

static double member_of(const quantity *q, const ifd_hybrid *h)
{
    switch (q->of ? 'f' : q->kind) {
    case 'f':
        return q->of(h);
    case 'b':
        return *(const bool *)q->at;
    case 'i':
        return *(const int *)q->at;
    case 'l':
        return (double)*(const long *)q->at;
    case 'w':
        return *(const uint32_t *)q->at;
    case 'c':
        return (double)*(const uint64_t *)q->at;
    default:
        return *(const double *)q->at;
    }
}

static void set_member(const quantity *q, double value)
{
    switch (q->kind) {
    case 'b':
        *(bool *)q->at = value != 0.0;
        break;
    case 'i':
        *(int *)q->at = (int)value;
        break;
    case 'l':
        *(long *)q->at = (long)value;
        break;
    case 'w':
        *(uint32_t *)q->at = (uint32_t)value;
        break;
    case 'c':
        *(uint64_t *)q->at = (uint64_t)value;
        break;
    default:
        *(double *)q->at = value;
    }
}

/* What a player has of every test. */
static bool general(const player *p, const char *name, double *out)
{
    const ifd_trip_facts f = ifd_hybrid_trip(p->h);
    const ifd_wait_facts w = ifd_hybrid_wait(p->h);
    const ifd_tick_trace *t = p->t.trace(p->t.self);
    const word rows[] = {{"is", ifd_hybrid_state(p->h)},
                         {"fault", f.trip},
                         {"fault.channel", f.owner},
                         {"fault.value", f.value},
                         {"fault.limit", f.limit},
                         {"fault.tick", (double)f.tick},
                         {"wait", w.wait},
                         {"wait.channel", w.owner},
                         {"wait.value", w.value},
                         {"wait.low", w.low},
                         {"wait.high", w.high},
                         {"wait.seconds", w.seconds},
                         {"answer", t->answer},
                         {"answer.order", (double)t->answer_order},
                         {"answer.channel", (double)t->answer_owner},
                         {"answer.value", t->answer_value},
                         {"answer.limit", t->answer_limit},
                         {"result", p->last},
                         {"ticks", (double)p->ticks},
                         {"waited", (double)p->waited},
                         {"time", ifd_hybrid_time(p->h)},
                         {"period", ifd_hybrid_period(p->h)},
                         {NULL, 0.0}};
    const word *found = word_find(rows, name);
    if (found)
        *out = found->value;
    return found != NULL;
}

/* The part of its own tables that a script may set; a copy of the row, as the inputs belong to the player. */
static bool settable(player *p, const char *name, quantity *out)
{
    const quantity of_tick[] = {QUANTITY(p->in, gate), QUANTITY(p->in, late), QUANTITY(p->in, wall),
                                QUANTITY(p->in, patience), QUANTITY(p->in, job_late)};
    for (const quantity *q = p->own; q && q->name; q++)
        if (strcmp(q->name, name) == 0) {
            *out = *q;
            return true;
        }
    for (size_t i = 0; i < COUNT(of_tick); i++)
        if (strcmp(of_tick[i].name, name) == 0) {
            *out = of_tick[i];
            return true;
        }
    return false;
}

static double named(reader *r, const char *name)
{
    player *p = r->p;
    quantity q;
    double value = 0.0;
    if (name[0] == '[')
        return column_of(r, name);
    if (settable(p, name, &q))
        return member_of(&q, p->h);
    if (general(p, name, &value))
        return value;
    if (strcmp(name, "rests") == 0)
        return ifd__time_rests(p->h);
    for (int i = 0; i < p->keeps; i++)
        if (strcmp(p->kept[i].name, name) == 0)
            return p->kept[i].value;
    const word *fault = strncmp(name, "count.", 6) == 0 ? word_find(trips, name + 6) : NULL;
    if (fault)
        return (double)ifd_hybrid_count(p->h, (ifd_trip)(int)fault->value);
    complain(r, "'%s' is no word of scenarios and no quantity of this test", name);
    return 0.0;
}

/* A number, a name of the list, or a quantity. */
static double term(reader *r, const word *list)
{
    char name[WORD], *end;
    blanks(r);
    bool signed_number = *r->at == '-' || *r->at == '+' || *r->at == '.' || isdigit((unsigned char)*r->at);
    bool special = strncmp(r->at, "nan", 3) == 0 || strncmp(r->at, "inf", 3) == 0;
    if (signed_number || special) {
        double value = strtod(r->at, &end);
        if (end == r->at)
            complain(r, "no number at '%s'", r->at);
        r->at = end;
        return value;
    }
    if (!take_word(r, name)) {
        complain(r, "no value at '%s'", r->at);
        return 0.0;
    }
    const word *constant = word_find(list, name);
    return constant ? constant->value : named(r, name);
}

static double expression(reader *r, const word *list)
{
    double value = term(r, list);
    for (;;) {
        blanks(r);
        char sign = *r->at;
        if (r->wrong || !sign || !strchr("+-*/", sign) || (sign == '+' && r->at[1] == '-'))
            return value;
        r->at++;
        double next = term(r, list);
        value = sign == '+' ? value + next : sign == '-' ? value - next : sign == '*' ? value * next : value / next;
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* quantity [sign] value; of quantities with names the sign may be missing. False with the reason in `why`. */
static bool comparison(reader *r, char why[PLAY_REPORT])
{
    static const char *const signs[] = {"!=", "<=", ">=", "=", "<", ">"};
    char name[WORD];
    if (!take_word(r, name)) {
        complain(r, "no statement begins like this");
        return false;
    }
    const word *list = names_of(name);
    double value = named(r, name), tolerance = 0.0;
    if (accept(r, "in")) { /* "59..61": strtod reads "59." */
        char *end, *last;
        double low = strtod(r->at, &end), high = strtod(end + strspn(end, "."), &last);
        if (end == r->at || last == end)
            complain(r, "no bounds such as 59..61");
        r->at = last;
        snprintf(why, PLAY_REPORT, "%s is %.17g, expected %.17g to %.17g", name, value, low, high);
        return value >= low && value <= high;
    }
    const char *sign = NULL;
    for (size_t i = 0; i < COUNT(signs) && !sign; i++)
        sign = accept(r, signs[i]) ? signs[i] : NULL;
    if (!sign && !list)
        complain(r, "'%s' is not followed by a comparison", name);
    if (r->wrong)
        return false;
    sign = sign ? sign : "=";
    double limit = expression(r, list);
    if (accept(r, "+-"))
        tolerance = expression(r, NULL);
    snprintf(why, PLAY_REPORT, "%s is %s, expected %s %s", name, show(list, value).text, sign,
             show(list, limit).text);
    switch (sign[0]) {
    case '!':
        return !same(value, limit);
    case '<':
        return sign[1] ? value <= limit : value < limit;
    case '>':
        return sign[1] ? value >= limit : value > limit;
    default:
        return same(value, limit) || fabs(value - limit) <= tolerance;
    }
}

static void expect(reader *r)
{
    char why[PLAY_REPORT] = "";
    if (!comparison(r, why))
        complain(r, "%s", why);
}

ifd_run_state player_tick(player *p, ifd_order order)
{
    ifd_machine before = ifd_hybrid_state(p->h), now;
    p->in.order = order;
    p->last = p->tick ? p->tick(p->scene, &p->in) : p->t.tick(p->t.self, &p->in);
    p->ticks++;
    now = ifd_hybrid_state(p->h);
    if (now != before && p->passes++ < PLAY_PASSED)
        p->passed[p->passes - 1] = now;
    if (p->after)
        p->after(p->scene);
    return p->last;
}

static uint32_t answer_of(const player *p)
{
    return p->t.trace(p->t.self)->answer;
}

/* What each of the ticks must fulfil, from here to the end of the statement. */
static void counted(reader *r, long count)
{
    char name[WORD];
    const char *from = r->at;
    bool quiet = false, with = false;
    const word *order = NULL, *source = NULL, *answer = NULL;
    if (accept(r, "quiet"))
        quiet = true;
    else if (accept(r, "with"))
        with = true;
    else if (!ends(r)) {
        if (!take_word(r, name) || !(order = word_find(orders, name)))
            complain(r, "no order at '%s'", from);
        if (accept(r, "by") && (!take_word(r, name) || !(source = word_find(sources, name))))
            complain(r, "no source of an order");
        if (accept(r, ":") && (!take_word(r, name) || !(answer = word_find(answers, name))))
            complain(r, "no answer of that name");
    }
    const char *condition = r->at;
    for (long k = 0; k < count && !r->wrong; k++) {
        r->at = condition;
        r->p->in.source = source ? (uint32_t)source->value : IFD_SOURCE_HOLDER;
        player_tick(r->p, order ? (ifd_order)(int)order->value : IFD_ORDER_NONE);
        uint32_t said = answer_of(r->p);
        if (answer && said != answer->value)
            complain(r, "the answer is %s, expected %s", show(answers, said).text, answer->text);
        if (quiet && said)
            complain(r, "the answer %s in tick %ld of %ld", show(answers, said).text, k + 1, count);
        if (with)
            expect(r);
    }
    r->p->in.source = IFD_SOURCE_HOLDER;
    if ((with || quiet) && count == 0)
        complain(r, "a condition of no tick");
}

/* until STATE, until the end, until answer, until COMPARISON; with `within TICKS`. */
static void until(reader *r)
{
    player *p = r->p;
    char name[WORD], why[PLAY_REPORT] = "";
    const char *condition = r->at;
    const word *state = NULL;
    bool reached = false, end = accept(r, "the end"),
         answer = !end && accept(r, "answer") && (ends(r) || accept(r, "within"));
    r->at = condition;
    if (end)
        accept(r, "the end");
    else if (answer)
        accept(r, "answer");
    else if (take_word(r, name) && (state = word_find(states, name)) == NULL) {
        r->at = condition;
        (void)comparison(r, why); /* to its end */
    }
    double most = accept(r, "within") ? expression(r, NULL) : PATIENCE;
    reader after = *r;
    for (p->waited = 0; !r->wrong; p->waited++) {
        r->at = condition;
        reached = end      ? p->last != IFD_RUN_GOING
                  : answer ? p->waited > 0 && answer_of(p) != IFD_ANSWER_NONE
                  : state  ? (double)ifd_hybrid_state(p->h) == state->value
                           : comparison(r, why);
        if (reached || (double)p->waited >= most)
            break;
        player_tick(p, IFD_ORDER_NONE);
    }
    r->at = after.at;
    if (!reached)
        complain(r, "not within %ld ticks; %s", p->waited, why);
}

static void passed(reader *r)
{
    player *p = r->p;
    char name[WORD];
    int i = 0;
    if (p->passes > PLAY_PASSED)
        complain(r, "%d states, more than are kept", p->passes);
    for (; !ends(r) && !r->wrong; i++) {
        const word *state = take_word(r, name) ? word_find(states, name) : NULL;
        if (!state)
            complain(r, "no state at '%s'", r->at);
        else if (i >= p->passes || p->passed[i] != (ifd_machine)(int)state->value)
            complain(r, "state %d is %s, expected %s", i + 1, i < p->passes ? ifd_machine_name(p->passed[i]) : "none",
                     state->text);
    }
    if (i < p->passes && !r->wrong)
        complain(r, "then also %s", ifd_machine_name(p->passed[i]));
    p->passes = 0;
}

static void assign(reader *r, const char *name)
{
    player *p = r->p;
    quantity q;
    int i = 0;
    const word *list = names_of(name);
    double value = expression(r, list);
    if (settable(p, name, &q)) {
        if (q.of)
            complain(r, "'%s' is read only", name);
        else
            set_member(&q, value);
        return;
    }
    while (i < p->keeps && strcmp(p->kept[i].name, name) != 0)
        i++;
    if (i == PLAY_KEPT || strlen(name) >= sizeof p->kept[i].name || general(p, name, &(double){0.0})) {
        complain(r, "'%s' cannot be set", name);
        return;
    }
    strcpy(p->kept[i].name, name);
    p->kept[i].value = value;
    p->keeps = i < p->keeps ? p->keeps : i + 1;
}

static void statement(reader *r)
{
    char name[WORD];
    const char *from = r->at;
    if (isdigit((unsigned char)*from)) {
        double count = expression(r, NULL);
        count = accept(r, "s") ? round(count / ifd_hybrid_period(r->p->h)) : count;
        counted(r, (long)count);
        return;
    }
    if (!take_word(r, name))
        complain(r, "no statement begins like this");
    else if (strcmp(name, "until") == 0)
        until(r);
    else if (strcmp(name, "passed") == 0)
        passed(r);
    else if (accept(r, ":="))
        assign(r, name);
    else {
        r->at = from;
        if (word_find(orders, name))
            counted(r, 1);
        else
            expect(r);
    }
}

bool play_holds(player *p, const char *script)
{
    reader r = {.p = p, .at = script, .statement = script};
    while (!r.wrong) {
        while (*r.at == ';' || *r.at == '\n' || *r.at == ' ')
            r.at++;
        if (!*r.at)
            break;
        r.statement = r.at;
        statement(&r);
        if (!r.wrong && !ends(&r))
            complain(&r, "nothing is known of '%.*s'", (int)strcspn(r.at, ";\n"), r.at);
    }
    return !r.wrong;
}

void quantities_set(const quantity *rows, const char *set)
{
    char name[WORD];
    double value;
    for (int used = 0; set && *set; set += used + (int)strspn(set + used, "; ")) {
        const quantity *q = rows;
        if (sscanf(set, " %95[^ :] := %lf%n", name, &value, &used) != 2)
            fail_msg("'%s' sets nothing", set);
        while (q->name && strcmp(q->name, name) != 0)
            q++;
        if (!q->name)
            fail_msg("'%s' is no option of this test", name);
        set_member(q, value);
    }
}

double play_value(player *p, const char *text)
{
    reader r = {.p = p, .at = text, .statement = text};
    double value = expression(&r, NULL);
    if (r.wrong || *r.at)
        fail_msg("%s", p->report);
    return value;
}

void play_at(player *p, const char *file, int line, const char *format, ...)
{
    char script[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(script, sizeof script, format, args);
    va_end(args);
    assert_in_range(length, 1, sizeof script - 1);
    if (play_holds(p, script))
        return;
    print_error("%s\n", p->report);
    _fail(file, line);
}

void player_begin(player *p, ifd_hybrid *h, const quantity *own)
{
    *p = (player){
        .h = h, .t = ifd_hybrid_ticked(h), .own = own, .tick = p->tick, .after = p->after, .scene = p->scene};
}
