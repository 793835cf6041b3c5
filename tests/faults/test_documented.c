/* SPDX-License-Identifier: MIT */
/* docs/reference/faults.md agrees with the campaign: each line of its two tables of faults is made here from the
 * lists of the program and the rows of the campaign, and must be identical. */
#include "check.h"

#include <string.h>

#include "faults/page.h"
#include "faults/table.h"

static bool has_set(const fault_row *r, const char *text)
{
    for (int i = 0; i < (int)COUNT(r->set) && r->set[i]; i++)
        if (strstr(r->set[i], text))
            return true;
    return false;
}

/* The resulting state of a fault from each state, by all rows of the campaign with this fault and one policy for
 * lateness. */
static bool merge(ifd_trip fault, bool stop, char ends[FAULT_STATES + 1])
{
    bool any = false;
    memset(ends, '-', FAULT_STATES);
    ends[FAULT_STATES] = '\0';
    for (int i = 0; i < fault_row_count; i++) {
        const fault_row *r = &fault_rows[i];
        bool tolerated = has_set(r, "overrun=extrapolate") && fault != IFD_TRIP_STANDSTILL;
        if (r->fault != fault || has_set(r, "overrun=stop") != stop || tolerated)
            continue;
        any = true;
        for (int m = 0; m < FAULT_STATES; m++) {
            if (r->ends[m] == '-')
                continue;
            if (ends[m] != '-' && ends[m] != r->ends[m])
                fail_msg("%s leads two ways from %s", ifd_trip_name(fault), ifd_machine_name((ifd_machine)m));
            ends[m] = r->ends[m];
        }
    }
    return any;
}

static void line_of(ifd_trip fault, bool stop, const char *ends, char *line, size_t size)
{
    static const char *const action[] = {"note", "hold", "ramp-out", "trip"};
    int used = snprintf(line, size, "| %s%s | %s |", ifd_trip_name(fault), stop ? ", `overrun: stop`" : "",
                        stop ? "ramp-out" : action[ifd_trip_action(fault)]);
    for (int m = 0; m < FAULT_STATES; m++) {
        const char *where = strchr(FAULT_LETTERS, ends[m]);
        const char *word = ends[m] == '-'               ? "-"
                           : where - FAULT_LETTERS == m ? "·"
                                                        : ifd_machine_name((ifd_machine)(where - FAULT_LETTERS));
        used += snprintf(line + used, size - (size_t)used, " %s |", word);
    }
}

TEST(the_page_says_where_each_fault_leads)
{
    char line[400], ends[FAULT_STATES + 1];
    int lacks = 0;
    for (int k = IFD_TRIP_NONE + 1; k < IFD_TRIP_COUNT; k++)
        for (int stop = 0; stop < 2; stop++) {
            bool any = merge((ifd_trip)k, stop, ends);
            if (k == IFD_TRIP_NOT_ARMED)
                continue; /* of a test with automatic arming: tests/hybrid/test_find.c */
            if (!any && !stop)
                fail_msg("no row of the campaign is about %s", ifd_trip_name((ifd_trip)k));
            if (!any)
                continue;
            line_of((ifd_trip)k, stop, ends, line, sizeof line);
            lacks += page_lacks(line);
        }
    assert_int_equal(lacks, 0);
}

TEST(the_page_says_what_each_fault_means)
{
    char line[400];
    int lacks = 0;
    for (int k = IFD_TRIP_NONE + 1; k < IFD_TRIP_COUNT; k++) {
        snprintf(line, sizeof line, "| %s | %s |", ifd_trip_name((ifd_trip)k), ifd_trip_text((ifd_trip)k));
        lacks += page_lacks(line);
    }
    assert_int_equal(lacks, 0);
}

TESTS()
