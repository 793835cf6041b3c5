/* SPDX-License-Identifier: MIT */
/* Checks of the network card of the rig; they need its name. */
#include "realtime/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(char *out, size_t size, const char *between, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? between : "", text);
}

void ifd__check_card(ifd__patient *d, ifd_doctor_row *row)
{
    const char *card = d->o->interface;
    if (!card)
        return;
    const char *link = ifd__patient_read(d, "/sys/class/net/%s/carrier", card),
               *speed = ifd__patient_read(d, "/sys/class/net/%s/speed", card),
               *answer = ifd__patient_probe(d, "card");
    const char *driver = ifd__patient_word(d, answer, "driver");
    char advice[300] = "", found[300] = "";
    static const struct {
        const char *name, *command;
        double most;
    } rows[] = {{"rx-usecs", "ethtool -C %s rx-usecs 0", 10.0},
                {"gro", "ethtool -K %s gro off", 0.0},
                {"lro", "ethtool -K %s lro off", 0.0},
                {"eee", "ethtool --set-eee %s eee off", 0.0}};
    bool up = link && atoi(link) != 0;
    add(found, sizeof found, ", ", up ? "link up" : "no link");
    if (up && speed)
        add(found, sizeof found, ", ", ifd__patient_print(d, "%s Mbit/s", speed));
    if (driver)
        add(found, sizeof found, ", ", driver);
    if (!up)
        add(advice, sizeof advice, "; ", ifd__patient_print(d, "ip link set %s up, and check the cable", card));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = ifd__patient_number(d, answer, rows[i].name, -1.0);
        if (value < 0.0)
            continue;
        add(found, sizeof found, ", ", ifd__patient_print(d, "%s %g", rows[i].name, value));
        if (value > rows[i].most) {
            char command[80];
            const char *at = strstr(rows[i].command, "%s");
            snprintf(command, sizeof command, "%.*s%s%s", (int)(at - rows[i].command), rows[i].command, card, at + 2);
            add(advice, sizeof advice, "; ", command);
        }
    }
    if (*advice)
        ifd__row(d, row, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "%s", advice), "%s", found);
    else if (!answer)
        ifd__row(d, row, IFD_DOCTOR_UNKNOWN, ifd__patient_print(d, "ethtool -c %s; ethtool -k %s", card, card),
                 "%s; the card does not answer", found);
    else
        ifd__row(d, row, IFD_DOCTOR_FINE, NULL, "%s", found);
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

void ifd__check_card_users(ifd__patient *d, ifd_doctor_row *row)
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
        ifd__row(d, row, IFD_DOCTOR_UNKNOWN, "ip route", "/proc/net/route cannot be read");
    else if (way == 2)
        ifd__row(d, row, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "ip route del default dev %s", card),
                 "the default route of the machine");
    else if (manager && !(state && strstr(state, "managed=false")))
        ifd__row(d, row, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "nmcli dev set %s managed no", card),
                 "NetworkManager");
    else if (way == 1 || (six && strstr(six, card)))
        ifd__row(d, row, IFD_DOCTOR_NOTE, NULL, "it has an address: right for a rig by UDP, not for a field bus");
    else
        ifd__row(d, row, known ? IFD_DOCTOR_FINE : IFD_DOCTOR_UNKNOWN, known ? NULL : "ip address", "%s",
                 known ? "none" : "processes of others are hidden");
}
