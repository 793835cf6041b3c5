/* SPDX-License-Identifier: MIT */
/* Checks of interrupts, their threads and programs that move them, and of the network card of the rig. */
#include "realtime/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

/* The next line of /proc/interrupts that has a number; its number and its last word, the name of its user. */
static bool next_interrupt(ifd__patient *d, const char **table, int *number, const char **name)
{
    for (const char *line = *table; line && *line;) {
        char *end;
        long n = strtol(line, &end, 10);
        int length = (int)strcspn(line, "\n"), start = length;
        const char *next = line + length + (line[length] == '\n');
        if (end > line && *end == ':') {
            while (start > 0 && line[start - 1] != ' ')
                start--;
            *name = ifd__patient_print(d, "%.*s", length - start, line + start);
            *number = (int)n;
            *table = next;
            return true;
        }
        line = next;
    }
    return false;
}

static bool of_card(const ifd__patient *d, const char *name)
{
    return d->o->interface && strncmp(name, d->o->interface, strlen(d->o->interface)) == 0;
}

void ifd__check_interrupts(ifd__patient *d)
{
    const char *numbers = ifd__patient_folder(d, "/proc/irq"), *table = ifd__patient_read(d, "/proc/interrupts"),
               *name;
    if (d->core < 0 || !numbers || !table) {
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "cat /proc/interrupts", "/proc/irq or /proc/interrupts cannot be read");
        return;
    }
    const char *found = "", *moved = "";
    int count = 0, unread = 0, n;
    while (next_interrupt(d, &table, &n, &name)) {
        const char *where = ifd__patient_read(d, "/proc/irq/%d/effective_affinity_list", n);
        if (!where)
            where = ifd__patient_read(d, "/proc/irq/%d/smp_affinity_list", n);
        unread += !where;
        if (!ifd__patient_listed(where, d->core) || of_card(d, name))
            continue;
        if (count++ < 4)
            found = ifd__patient_join(d, found, ", ", ifd__patient_print(d, "%d %s", n, name));
        moved = ifd__patient_print(d, "%s %d", moved, n);
    }
    double rate = ifd__patient_number(d, d->measured, "irq", -1.0);
    const char *seen = rate >= 0.0 ? ifd__patient_print(d, "; %.0f per s", rate) : "";
    if (!count && unread)
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "grep . /proc/irq/*/smp_affinity_list",
                 "the cores of %d interrupts cannot be read", unread);
    else if (!count)
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "none%s", seen);
    else
        ifd__row(d, IFD_DOCTOR_CHANGE,
                 ifd__patient_print(d, "for i in%s; do echo %s > /proc/irq/$i/smp_affinity_list; done", moved,
                                    ifd__patient_others(d)),
                 "%d on core %d: %s%s%s", count, d->core, found, count > 4 ? ", ..." : "", seen);
}

void ifd__check_daemons(ifd__patient *d)
{
    static const struct {
        const char *comm, *service; /* the kernel keeps 15 characters of a name */
    } known[] = {{"irqbalance", "irqbalance"},
                 {"tuned", "tuned"},
                 {"thermald", "thermald"},
                 {"power-profiles-", "power-profiles-daemon"}};
    const char *settings = ifd__patient_read(d, "/etc/default/irqbalance");
    const char *banned = settings ? strstr(settings, "IRQBALANCE_BANNED_CPULIST=") : NULL;
    bool spared =
        banned && (banned == settings || banned[-1] == '\n') &&
        ifd__patient_listed(banned + strlen("IRQBALANCE_BANNED_CPULIST=") + (strchr(banned, '"') != NULL), d->core);
    const char *found = "";
    bool seen = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int id;
        if (ifd__patient_runs(d, known[i].comm, &seen, &id) && !(i == 0 && spared))
            found = ifd__patient_join(d, found, " ", known[i].service);
    }
    if (*found)
        ifd__row(d, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "systemctl disable --now %s", found), "%s", found);
    else if (!seen)
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "ps -A", "processes of others are hidden");
    else
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "none%s", spared ? "; irqbalance leaves the core alone" : "");
}

/* Field 40 of /proc/PID/stat, real-time priority; the name in field 2 may contain blanks. -1: unreadable. */
static int priority_of(ifd__patient *d, int id)
{
    const char *stat = ifd__patient_read(d, "/proc/%d/stat", id);
    const char *p = stat ? strrchr(stat, ')') : NULL;
    for (int field = 2; p && *p && field < 40; field++) {
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    return p && *p ? atoi(p) : -1;
}

void ifd__check_irq_threads(ifd__patient *d)
{
    const char *table = ifd__patient_read(d, "/proc/interrupts"), *name;
    int n, id;
    bool seen;
    if (!d->o->interface)
        return;
    while (next_interrupt(d, &table, &n, &name)) {
        if (!of_card(d, name) || !ifd__patient_runs(d, ifd__patient_print(d, "irq/%d-", n), &seen, &id))
            continue;
        int priority = priority_of(d, id);
        if (priority < 0)
            break;
        ifd__row(d, ifd__fine_if(priority > 50), ifd__patient_print(d, "chrt -f -p 90 %d", id),
                 "irq/%d %s has priority %d", n, name, priority);
        return;
    }
    ifd__row(d, d->out->preempt_rt ? IFD_DOCTOR_UNKNOWN : IFD_DOCTOR_NOTE,
             d->out->preempt_rt ? "ps -A -o pid,rtprio,comm" : NULL, "no thread for interrupts of %s",
             d->o->interface);
}

void ifd__check_card(ifd__patient *d)
{
    static const struct {
        const char *name, *before, *after; /* of the card in a command */
        double most;
    } rows[] = {{"rx-usecs", "ethtool -C", "rx-usecs 0", 10.0},
                {"gro", "ethtool -K", "gro off", 0.0},
                {"lro", "ethtool -K", "lro off", 0.0},
                {"eee", "ethtool --set-eee", "eee off", 0.0}};
    const char *card = d->o->interface;
    if (!card)
        return;
    const char *link = ifd__patient_read(d, "/sys/class/net/%s/carrier", card),
               *speed = ifd__patient_read(d, "/sys/class/net/%s/speed", card),
               *answer = ifd__patient_probe(d, "card");
    bool up = link && atoi(link) != 0;
    const char *found = up ? "link up" : "no link",
               *advice = up ? "" : ifd__patient_print(d, "ip link set %s up, and check the cable", card);
    if (up && speed)
        found = ifd__patient_print(d, "%s, %s Mbit/s", found, speed);
    found = ifd__patient_join(d, found, ", ", ifd__patient_word(d, answer, "driver"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = ifd__patient_number(d, answer, rows[i].name, -1.0);
        if (value < 0.0)
            continue;
        found = ifd__patient_print(d, "%s, %s %g", found, rows[i].name, value);
        if (value > rows[i].most)
            advice = ifd__patient_join(d, advice, "; ",
                                       ifd__patient_print(d, "%s %s %s", rows[i].before, card, rows[i].after));
    }
    if (*advice || answer)
        ifd__row(d, ifd__fine_if(!*advice), advice, "%s", found);
    else
        ifd__row(d, IFD_DOCTOR_UNKNOWN, ifd__patient_print(d, "ethtool -c %s; ethtool -k %s", card, card),
                 "%s; the card does not answer", found);
}

/* Lines of /proc/net/route of the card: 0 none, 1 its own network, 2 the way to everywhere. */
static int routes(const char *table, const char *card)
{
    int found = 0;
    for (const char *line = table; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\t ");
        if (length != strlen(card) || strncmp(line, card, length) != 0)
            continue;
        int now = strncmp(line + length + 1, "00000000", 8) == 0 ? 2 : 1;
        found = now > found ? now : found;
    }
    return found;
}

void ifd__check_card_users(ifd__patient *d)
{
    const char *card = d->o->interface;
    if (!card)
        return;
    const char *table = ifd__patient_read(d, "/proc/net/route"), *six = ifd__patient_read(d, "/proc/net/if_inet6"),
               *index = ifd__patient_read(d, "/sys/class/net/%s/ifindex", card);
    bool known, manager;
    int id, way = routes(table, card);
    manager = ifd__patient_runs(d, "NetworkManager", &known, &id);
    const char *state = index ? ifd__patient_read(d, "/run/NetworkManager/devices/%s", index) : NULL;
    if (!table)
        ifd__row_unread(d, "ip route", "/proc/net/route");
    else if (way == 2)
        ifd__row(d, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "ip route del default dev %s", card),
                 "the default route of the machine");
    else if (manager && !(state && strstr(state, "managed=false")))
        ifd__row(d, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "nmcli dev set %s managed no", card), "NetworkManager");
    else if (way == 1 || (six && strstr(six, card)))
        ifd__row(d, IFD_DOCTOR_NOTE, NULL, "it has an address: right for a rig by UDP, not for a field bus");
    else
        ifd__row(d, known ? IFD_DOCTOR_FINE : IFD_DOCTOR_UNKNOWN, known ? NULL : "ip address", "%s",
                 known ? "none" : "processes of others are hidden");
}
