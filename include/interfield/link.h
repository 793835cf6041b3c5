/* SPDX-License-Identifier: MIT */
/* Rigs outside this program: in another process, on another machine, or in a shared object of a laboratory.
 *
 *     ifd_rig rig = {.ops = &ifd_udp_rig, .actuators = 1, .tick = 1e-3};
 *     ifd_value v[IFD_LINK_PARAMS];
 *     ifd_param_preset(ifd_udp_rig.params, v);
 *     v[ifd_param_find(ifd_udp_rig.params, "port")] = ifd_number(4711);
 *     IFD_TRY(rig.ops->open(&rig, v, arena, note));       // agrees with the server on version, actuators and tick
 *
 * The peer is rig_server.h. Messages have sequence numbers, time stamps and a checksum; the newest is used. Lost,
 * duplicate, overtaken and damaged messages are counted. Sense and command make one or two system calls (none with
 * shared memory), never block and allocate nothing. Only `lockstep` waits, for free-running tests: the rig then moves
 * one tick per command, and the results are bit-identical to those with the same rig in this process.
 *
 * With a clock the rig ticks independently: a command takes effect at the next tick of the rig. A measurement
 * therefore answers a command one tick later than with a rig in this process. */
#ifndef INTERFIELD_LINK_H
#define INTERFIELD_LINK_H

#include <interfield/exchange.h>

IFD_BEGIN_DECLS

enum { IFD_LINK_PARAMS = 12 }; /* largest number of parameters of these rigs */

IFD_API extern const ifd_rig_ops ifd_udp_rig; /* params: host, port, local-port, timeout, lockstep, commands, key */
IFD_API extern const ifd_rig_ops ifd_shm_rig; /* params: name, timeout, lockstep, commands */

/* A model or a laboratory connected by OpenSees or OpenFresco (docs/guide/opensees.md). One exchange takes at least
 * about 50 us, so they are for tests slower than real time, or in lockstep. */
IFD_API extern const ifd_rig_ops ifd_opensees_adapter_rig; /* host, port, transport, handshake, timeout, lockstep */
IFD_API extern const ifd_rig_ops ifd_openfresco_rig;       /* also server, version, tag */

/* Message counts of one side. */
typedef struct ifd_link_counts {
    uint64_t sent, unsent;       /* unsent: refused by the operating system */
    uint64_t heard;              /* valid messages of this session */
    uint64_t lost;               /* sequence numbers that never arrived */
    uint64_t doubled, overtaken; /* arrived twice; arrived after a newer one */
    uint64_t damaged, foreign;   /* not a valid message; not of this session */
    double round_trip;           /* s, from a message to its first acknowledgement, newest value */
} ifd_link_counts;

/* Of a rig opened with ifd_udp_rig or ifd_shm_rig; of any other rig 0. */
IFD_API IFD_RT ifd_link_counts ifd_link_counted(const ifd_rig *rig);
/* How many messages of such a rig were refused for a reason, counted from 0. Returns the name of the reason
 * ("checksum", "length"); NULL after the last one, and for any other rig. From any thread. */
IFD_API const char *ifd_link_refused(const ifd_rig *rig, int reason, uint64_t *count);
/* The first of them, with the place and the value of its fault, from any thread; false: none. */
IFD_API bool ifd_link_refusal_print(const ifd_rig *rig, char *out, size_t size);

/* Age of the answers of a rig in each tick: time since the newest command that it has answered, at least one tick. */
typedef struct ifd_echo {
    long ticks;
    double median, p99, most; /* s, in steps of a tick */
    double loss;              /* fraction of the messages that never arrived */
} ifd_echo;

/* Opens the rig with ops, actuators and tick of `rig`, sends commands without a position for this time and measures.
 * Nothing moves. */
IFD_API ifd_status ifd_rig_echo(const ifd_rig *rig, const ifd_value *values, double seconds, ifd_echo *out,
                                ifd_note *note);

/* Writes a random key file of mode 0600 for rig: {udp: {key: FILE}} and the options of the server. Both sides use the
 * same file. IFD_OUTPUT: the file already exists. */
IFD_API ifd_status ifd_key_make(const char *path, ifd_note *note);

/* Loads the rig of a laboratory from a shared object that exports `const ifd_rig_ops ifd_user_rig`. It remains loaded
 * until the process ends. A path without a slash is a file in the working folder. IFD_PLUGIN, with a hint in note: it
 * cannot be loaded, was built for another IFD_RIG_ABI, lacks a function, or has the name of a built-in rig. */
IFD_API ifd_status ifd_rig_plugin_open(const char *path, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                                       const ifd_place *place);

/* The same by its name, for a built-in rig such as "udp" or a driver: a rig that ships with the program as a plug-in
 * (`interfield list rigs`). */
IFD_API ifd_status ifd_rig_named_open(const char *name, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                                      const ifd_place *place);

IFD_END_DECLS
#endif
