/* SPDX-License-Identifier: MIT */
/* A shared object without an element, to be refused. */
extern const int something_else;
const int something_else = 1;
