/* SPDX-License-Identifier: MIT */
/* Legends of columns with codes, from the lists of the engine. */
#include "record/result.h"

#include <stddef.h>

#include <interfield/hybrid.h>

#define WORD_OF_STATE(name, word, text) word,
#define TEXT_OF_STATE(name, word, text) text,
#define WORD_OF_ORDER(name, word) word,
#define WORD_OF_FAULT(name, action, text) #name,
#define TEXT_OF_FAULT(name, action, text) text,
#define WORD_OF_WAIT(name, text) #name,
#define TEXT_OF_WAIT(name, text) text,

static const char *const state_word[] = {IFD_MACHINE_LIST(WORD_OF_STATE)};
static const char *const state_text[] = {IFD_MACHINE_LIST(TEXT_OF_STATE)};
static const char *const order_word[] = {IFD_ORDER_LIST(WORD_OF_ORDER)};
static const char *const fault_word[] = {IFD_TRIP_LIST(WORD_OF_FAULT)};
static const char *const fault_text[] = {IFD_TRIP_LIST(TEXT_OF_FAULT)};
static const char *const wait_word[] = {IFD_WAIT_LIST(WORD_OF_WAIT)};
static const char *const wait_text[] = {IFD_WAIT_LIST(TEXT_OF_WAIT)};
/* of a target of a remote master: hybrid/pace/master.h */
static const char *const phase_word[] = {"start", "rest", "prediction", "braking", "correction"};

ifd__legend ifd__legend_of(ifd_quantity quantity)
{
    switch (quantity) {
    case IFD_COLUMN_TEST_STATE:
        return (ifd__legend){IFD_MACHINE_COUNT, state_word, state_text};
    case IFD_COLUMN_TEST_FAULT:
        return (ifd__legend){IFD_TRIP_COUNT, fault_word, fault_text};
    case IFD_COLUMN_TEST_WAITING:
        return (ifd__legend){IFD_WAIT_COUNT, wait_word, wait_text};
    case IFD_COLUMN_CLOCK_ORDER:
        return (ifd__legend){IFD_ORDER_COUNT, order_word, NULL};
    case IFD_COLUMN_MASTER_PHASE:
        return (ifd__legend){sizeof phase_word / sizeof *phase_word, phase_word, NULL};
    default:
        return (ifd__legend){0};
    }
}
