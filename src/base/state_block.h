/* SPDX-License-Identifier: MIT */
/* Blocks of state: structs whose members are all double, overlaid on a slice of the flat array.
 *
 * A list names the members of a block once, with unit and owner; the struct and the table of its members are made
 * of it:
 *
 *     #define WHEEL(ONE, MANY, BLOCK) ONE(angle, "rad", OF_TEST) MANY(past, 3, "rad", OF_RIG)
 *     IFD__STATE_BLOCK(wheel, WHEEL);
 *     static const ifd__state_member members[] = {IFD__STATE_MEMBERS(WHEEL)};
 *
 *     wheel *w = (wheel *)(x + at);
 *     w->angle += 0.1;
 *
 * BLOCK(type, name, LIST) is a block inside a block. */
#ifndef IFD_BASE_STATE_BLOCK_H
#define IFD_BASE_STATE_BLOCK_H

#include <assert.h>
#include <stddef.h>

/* Whose a member is when a test is continued from a checkpoint on a rig that went on living: the test's, the rig's,
 * or the rig's where a force is controlled and the position follows from it. */
typedef enum ifd__state_owner { IFD__OF_TEST, IFD__OF_RIG, IFD__OF_FORCE } ifd__state_owner;

typedef struct ifd__state_member {
    const char *name, *unit;
    int count; /* doubles */
    ifd__state_owner owner;
} ifd__state_member;

#define IFD__MEMBER_ONE(name, unit, owner) double name;
#define IFD__MEMBER_MANY(name, count, unit, owner) double name[count];
#define IFD__MEMBER_BLOCK(type, name, LIST) type name;

/* Without may_alias the compiler may keep a value of the array in a register across a write through the struct. */
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

/* Doubles of a block; doubles before a member of it. */
#define IFD__DOUBLES(type) ((int)(sizeof(type) / sizeof(double)))
#define IFD__MEMBER_AT(type, member) ((int)(offsetof(type, member) / sizeof(double)))

#endif
