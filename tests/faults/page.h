/* SPDX-License-Identifier: MIT */
/* docs/faults.md, whose tables are checked line by line. */
#ifndef TESTS_FAULTS_PAGE_H
#define TESTS_FAULTS_PAGE_H

/* 0 when the page has this line, or what begins like it; otherwise says so and returns 1. */
int page_lacks(const char *line);

#endif
