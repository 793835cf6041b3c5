/* SPDX-License-Identifier: MIT */
/* Blocks of state: structs that contain only doubles and overlay a slice of the flat state array.
 *
 * A list names the members of a block once, with unit and owner. The struct and the table of members follow from it:
 *
 *     #define WHEEL(ONE, MANY, BLOCK) ONE(angle, "rad", OF_TEST) MANY(past, 3, "rad", OF_RIG)
 *     IFD__STATE_BLOCK(wheel, WHEEL);
 *     static const ifd__state_member members[] = {IFD__STATE_MEMBERS(WHEEL)};
 *
 *     wheel *w = (wheel *)(x + at);
 *     w->angle += 0.1;
 *
 * BLOCK(type, name, LIST) is a block inside a block. */
#pragma once

#include <assert.h>
#include <stddef.h>

/* The owner of a member if a test resumes from a checkpoint on a rig that has continued to operate: the test, the
 * rig, or the rig where a force is controlled and the position follows from it. */
typedef enum ifd__state_owner { IFD__OF_TEST, IFD__OF_RIG, IFD__OF_FORCE } ifd__state_owner;

typedef struct ifd__state_member {
    const char *name, *unit;
    int count; /* doubles */
    ifd__state_owner owner;
} ifd__state_member;

#define IFD__MEMBER_ONE(name, unit, owner) double name;
#define IFD__MEMBER_MANY(name, count, unit, owner) double name[count];
#define IFD__MEMBER_BLOCK(type, name, LIST) type name;

/* may_alias: otherwise the compiler may keep a value of the array in a register across a write through the struct. */
#define IFD__STATE_BLOCK(type, LIST)                                                                                 \
    typedef struct __attribute__((may_alias)) type {                                                                 \
        LIST(IFD__MEMBER_ONE, IFD__MEMBER_MANY, IFD__MEMBER_BLOCK)                                                   \
    } type;                                                                                                          \
    static_assert(sizeof(type) % sizeof(double) == 0 && _Alignof(type) == _Alignof(double), "doubles only")

#define IFD__ROW_ONE(name, unit, owner) {#name, unit, 1, IFD__##owner},
#define IFD__ROW_MANY(name, count, unit, owner) {#name, unit, count, IFD__##owner},
#define IFD__ROW_BLOCK(type, name, LIST) LIST(IFD__ROW_ONE, IFD__ROW_MANY, IFD__ROW_INNER)
#define IFD__ROW_INNER(type, name, LIST) LIST(IFD__ROW_ONE, IFD__ROW_MANY, IFD__ROW_NONE)
#define IFD__STATE_MEMBERS(LIST) LIST(IFD__ROW_ONE, IFD__ROW_MANY, IFD__ROW_BLOCK)

/* Number of doubles of a block; number of doubles before a member. */
#define IFD__DOUBLES(type) ((int)(sizeof(type) / sizeof(double)))
#define IFD__MEMBER_AT(type, member) ((int)(offsetof(type, member) / sizeof(double)))
