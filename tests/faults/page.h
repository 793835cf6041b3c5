/* SPDX-License-Identifier: MIT */
/* docs/reference/faults.md; its tables are checked line by line. */
#pragma once

/* 0: the page has this line, or one that begins with it; otherwise prints it and returns 1. */
int page_lacks(const char *line);
