/* SPDX-License-Identifier: MIT */
/* Settings: a YAML file of a driver, read with the reader of cases. Errors have file, line, column and source line.
 *
 *     ifd_settings *s;
 *     IFD_TRY(ifd_settings_read(arena, values[BUS].word, &s, note));          // a parameter with .file = true
 *     const ifd_setting *devices = ifd_setting_get(ifd_settings_root(s), "devices");
 *     for (const ifd_setting *d = ifd_setting_first(devices); d; d = ifd_setting_next(d))
 *         ifd_setting_params(arena, d, (ifd_setting_ask){device_params, "startup", "a device"}, v, note);
 *     return ifd_settings_end(s, note);                                       // IFD_OK, or the first error
 *
 * Functions accept NULL for an absent setting. Set-up only. */
#ifndef INTERFIELD_SETTINGS_H
#define INTERFIELD_SETTINGS_H

#include <interfield/arena.h>
#include <interfield/param.h>

IFD_BEGIN_DECLS

typedef struct ifd_settings ifd_settings;
typedef struct ifd_setting ifd_setting;
typedef enum ifd_setting_kind { IFD_SETTING_SCALAR, IFD_SETTING_LIST, IFD_SETTING_MAP } ifd_setting_kind;

/* `include`, anchors and the merge key are resolved. */
IFD_API ifd_status ifd_settings_read(ifd_arena *arena, const char *path, ifd_settings **out, ifd_note *note);
IFD_API const ifd_setting *ifd_settings_root(const ifd_settings *s);
/* Adds source lines to all findings of this file; the status of the first error since the file was read. */
IFD_API ifd_status ifd_settings_end(const ifd_settings *s, ifd_note *note);

IFD_API ifd_setting_kind ifd_setting_kind_of(const ifd_setting *s);
/* The value of a key of a mapping; NULL: absent. */
IFD_API const ifd_setting *ifd_setting_get(const ifd_setting *map, const char *key);
/* Items of a list or of a mapping, in order; NULL after the last. */
IFD_API const ifd_setting *ifd_setting_first(const ifd_setting *s);
IFD_API const ifd_setting *ifd_setting_next(const ifd_setting *s);
IFD_API int ifd_setting_count(const ifd_setting *s);
/* Its key in a mapping, else NULL; the text of a scalar, else "". */
IFD_API const char *ifd_setting_key(const ifd_setting *s);
IFD_API const char *ifd_setting_text(const ifd_setting *s);
/* For errors of the driver. */
IFD_API ifd_place ifd_setting_place(const ifd_setting *s);
/* A whole number, decimal or hexadecimal (0x6041); IFD_NUMBER, IFD_RANGE. */
IFD_API ifd_status ifd_setting_integer(const ifd_setting *s, long min, long max, long *out, ifd_note *note);

/* Reads a mapping by a list of parameters, as a case does: numbers with units, words, lists. Unknown keys are errors,
 * except those of `also` ("startup|pdo"; NULL: none). what: for messages, "device 2". */
typedef struct ifd_setting_ask {
    const ifd_param *params;
    const char *also, *what;
} ifd_setting_ask;
IFD_API ifd_status ifd_setting_params(ifd_arena *arena, const ifd_setting *map, ifd_setting_ask ask,
                                      ifd_value *values, ifd_note *note);

IFD_END_DECLS
#endif
