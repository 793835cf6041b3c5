/* SPDX-License-Identifier: MIT */
/* Checks of the network card of the rig; they need its name. */
#include "realtime/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
