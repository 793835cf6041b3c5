/* SPDX-License-Identifier: MIT */
/* Takes an archive of stored entries apart, without the code that put it together. */
#pragma once

/* Writes every entry below the folder, whose folders are made; how many there were, -1 when it is no such archive. */
int unstore(const char *archive, const char *folder);
