/* SPDX-License-Identifier: MIT */
/* ctest: waits 25 s */
/* The program and the emulated devices over a pair of virtual network interfaces, in their own network namespace.
 * Skipped where namespaces are not permitted.
 *
 *     ethercat.veth COMMAND...      runs a command in this namespace: the devices are on the interface va */
#include "check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drivers/ethercat/rig.h"
#include "scratch.h"
#include "stage.h"

static const char *unavailable; /* the reason */
static char folder[SCRATCH_PATH];
static emulator *emu;
static int terminal = -1; /* where orders are typed */

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    if (fd >= 0) {
        (void)!write(fd, text, strlen(text));
        close(fd);
    }
}

/* A namespace with the interfaces va and vb. */
static void isolate(void)
{
    char map[64];
    int user = (int)geteuid(), group = (int)getegid();
    if (user != 0 && unshare(CLONE_NEWUSER) != 0)
        unavailable = "user namespaces are not permitted";
    if (!unavailable && user != 0) {
        write_text("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %d 1", user);
        write_text("/proc/self/uid_map", map);
        snprintf(map, sizeof map, "0 %d 1", group);
        write_text("/proc/self/gid_map", map);
    }
    if (!unavailable && unshare(CLONE_NEWNET) != 0)
        unavailable = "network namespaces are not permitted";
    if (!unavailable && system("PATH=$PATH:/sbin:/usr/sbin; { ip link add va type veth peer name vb && "
                               "ip link set va up && ip link set vb up; } 2>/dev/null") != 0)
        unavailable = "no virtual network interfaces: iproute2 is missing, or the kernel has no veth";
    if (!unavailable && !getenv("IFD_PROGRAM"))
        unavailable = "IFD_PROGRAM is not set";
}

static int raw_socket(const char *interface)
{
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(0x88a4)), on = 1;
    struct sockaddr_ll at = {
        .sll_family = AF_PACKET, .sll_protocol = htons(0x88a4), .sll_ifindex = (int)if_nametoindex(interface)};
    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    return fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 ? fd : -1;
}

static int begin(void **state)
{
    (void)state;
    if (unavailable)
        return 0;
    emu = emulator_open(raw_socket("vb"), 2e-3, false);
    emulator_start(emu);
    return scratch_make(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    if (unavailable)
        return 0;
    emulator_close(emu);
    return scratch_remove(folder);
}

static void need_network(void)
{
    if (!unavailable)
        return;
    print_message("skipped: %s\n", unavailable);
    skip();
}

/* Starts the program; its output goes to a file. */
static pid_t start(const char *const *words)
{
    const char *argv[40] = {getenv("IFD_PROGRAM")};
    char out[SCRATCH_PATH + 16];
    snprintf(out, sizeof out, "%s/out", folder);
    for (int k = 0; words[k]; k++)
        argv[k + 1] = words[k];
    int typed[2];
    if (terminal >= 0)
        close(terminal);
    if (pipe2(typed, O_CLOEXEC) != 0)
        fail();
    terminal = typed[1];
    pid_t child = fork();
    if (child == 0) {
        dup2(typed[0], 0);
        int fd = open(out, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(fd, 1);
        dup2(fd, 2);
        if (chdir(folder) == 0)
            execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(typed[0]);
    return child;
}

static const char *output(void)
{
    static char text[1 << 16];
    char path[SCRATCH_PATH + 16];
    snprintf(path, sizeof path, "%s/out", folder);
    FILE *in = fopen(path, "r");
    size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
    text[n] = '\0';
    if (in)
        fclose(in);
    return text;
}

static int ended(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define CASE IFD_SOURCE_DIR "/cases/ethercat/spring.yaml"

/* A test of a tick of 2 ms. How long it may be disturbed grows with the attempt: machines that test are busy. */
static pid_t start_test(int attempt)
{
    static const char *const rig[] = {"test.rig={ethercat: {interface: va, bus: " IFD_SOURCE_DIR
                                      "/cases/ethercat/bus.yml, watchdog: 0.3 s, silent-for: 0.1 s}}",
                                      "test.rig={ethercat: {interface: va, bus: " IFD_SOURCE_DIR
                                      "/cases/ethercat/bus.yml, watchdog: 1 s, silent-for: 0.6 s}}",
                                      "test.rig={ethercat: {interface: va, bus: " IFD_SOURCE_DIR
                                      "/cases/ethercat/bus.yml, watchdog: 4 s, silent-for: 2 s}}"};
    const char *const words[] = {"test",
                                 CASE,
                                 "--set",
                                 rig[attempt],
                                 "--set",
                                 "time.step=4ms",
                                 "--set",
                                 "time.end=60s",
                                 "--set",
                                 "test.overrun=extrapolate",
                                 "--set",
                                 "test.late-for=1000s",
                                 "--set",
                                 "test.stale-for=4s",
                                 "--set",
                                 "test.stale-share=1",
                                 "--set",
                                 "specimen.0.limits.tracking=100mm",
                                 "--out",
                                 "result",
                                 "--without-preflight",
                                 "--exit-on-trip",
                                 "--operator",
                                 "A. Smith",
                                 NULL};
    return start(words);
}

/* Types a word once the program asks for it. */
static void type(const char *asked, const char *word, bool *done)
{
    if (*done || !strstr(output(), asked))
        return;
    *done = true;
    (void)!write(terminal, word, strlen(word));
}

/* Gives the orders arm and run; waits until the drive moves, or the program has ended. */
static bool moves(pid_t child)
{
    for (bool armed = false, run = false;;) {
        type("Type arm", "arm\n", &armed);
        type("Type run", "run\n", &run);
        emulator_lock(emu);
        bool there =
            emu->log_count > 0 && emu->log[emu->log_count - 1].powered && fabs(emu->drive[0].velocity) > 5000;
        emulator_unlock(emu);
        if (there)
            return true;
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* Velocity 0.5 m/s and acceleration 20 m/s2 of the case, in increments per tick of 2 ms. */
static void judge(void)
{
    const stage s = {.emu = emu};
    emulator_lock(emu);
    stage_judge(&s, 1001, 20e6 * 4e-6 + 2);
    emulator_unlock(emu);
}

static void die(void)
{
    emu->dead = true;
}
static void cut(void)
{
    emu->cut = 1;
}
static void fault(void)
{
    emulator_fault(emu, 0, 0x8611);
}
static void leave(void)
{
    emulator_leave_op(emu, 0, 0x2c);
}
static void press(void)
{
    emu->stop_pressed = true;
}
static void unplug(void)
{
    if (system("PATH=$PATH:/sbin:/usr/sbin; ip link set vb down") != 0)
        fail();
}

static const struct row {
    const char *name;
    void (*act)(void);
    const char *fault, *why;
} rows[] = {
    {"the devices lose power", die, "RIG_STOPPED", "answers from the bus are missing"},
    {"the line is cut behind device 1", cut, "RIG_STOPPED", "the working counter is short (0x0003)"},
    {"the drive faults", fault, "RIG_STOPPED", "the drive reports fault 0x8611"},
    {"a device leaves OP", leave, "RIG_STOPPED", "a device left the state OP (AL status code 0x002c)"},
    {"the emergency stop is pressed", press, "STOP_PRESSED", ""},
    {"the cable is unplugged", unplug, "RIG_STOPPED", ""},
};

/* Each ends as docs/reference/faults.md states: tripped, and the operator reads the reason. */
static void each_fault_trips_the_test_with_its_reason(void **state)
{
    need_network();
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool good = false;
        for (int attempt = 0; attempt < 3 && !good; attempt++) {
            pid_t child = start_test(attempt);
            if (moves(child)) {
                emulator_lock(emu);
                rows[i].act();
                emulator_unlock(emu);
            }
            int status = ended(child);
            good = status == 1 && strstr(output(), rows[i].fault) && strstr(output(), rows[i].why);
            if (!good && attempt == 2)
                fail_msg("%s: status %d\n%s", rows[i].name, status, output());
            judge();
            (void)!system("PATH=$PATH:/sbin:/usr/sbin; ip link set vb up");
            end(state);
            assert_int_equal(begin(state), 0);
        }
    }
}

/* kill -9: no frame, no close. The watchdog of the devices stops the drive. */
static void a_killed_program_leaves_the_drive_at_rest(void **state)
{
    (void)state;
    need_network();
    pid_t child = start_test(0);
    assert_true(moves(child));
    kill(child, SIGKILL);
    assert_int_equal(ended(child), -SIGKILL);
    for (bool rest = false; !rest;) {
        emulator_lock(emu);
        const emu_device *d = &emu->device[0];
        rest = d->reg[0x130] == 0x14 && d->reg[0x134] == 0x1b && d->reg[0x440] == 0 &&
               fabs(emu->drive[0].velocity) < 1.0 && emu->drive[0].error == 0x7500;
        emulator_unlock(emu);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    judge();
}

/* The same with what an operator types. */
static pid_t start_typed(const char *const *words, const char *text)
{
    pid_t child = start(words);
    assert_int_equal(write(terminal, text, strlen(text)), (ssize_t)strlen(text));
    return child;
}

static void the_rig_meets_all_requirements(void **state)
{
    need_network();
    static const char *const watchdog[][2] = {{"watchdog=0.2", "0.6"}, {"watchdog=0.6", "1.5"}, {"watchdog=2", "4"}};
    for (int attempt = 0;; attempt++) {
        const char *const words[] = {"rig-check",  "ethercat",
                                     "--tick",     "0.002",
                                     "--param",    "interface=va",
                                     "--param",    "bus=" IFD_SOURCE_DIR "/cases/ethercat/bus.yml",
                                     "--param",    watchdog[attempt][0],
                                     "--watchdog", watchdog[attempt][1],
                                     "--param",    "silent-for=0.6",
                                     "--move",     "0.005",
                                     "--duration", "0.4",
                                     "--operator", "A. Smith",
                                     NULL};
        int status = ended(start_typed(words, "move\n"));
        /* With sanitizers allocations cannot be counted, which skips one. */
        const char *all = BRIEF ? "passed   16 of 17 requirements, 1 skipped" : "passed   17 of 17 requirements";
        if (status == 0 && strstr(output(), all))
            return;
        if (attempt == 2)
            fail_msg("status %d\n%s", status, output());
        end(state);
        assert_int_equal(begin(state), 0);
    }
}

static void an_interface_that_is_missing_is_named(void **state)
{
    (void)state;
    need_network();
    const char *const words[] = {"rig-check", "ethercat",
                                 "--param",   "interface=nowhere",
                                 "--param",   "bus=" IFD_SOURCE_DIR "/cases/ethercat/bus.yml",
                                 NULL};
    assert_true(ended(start(words)) != 0);
    assert_non_null(strstr(output(), "there is no network interface 'nowhere'"));
}

/* Reading sensors energises no drive. */
static void channels_are_read_without_power(void **state)
{
    (void)state;
    need_network();
    const char *const words[] = {"channels",
                                 CASE,
                                 "--once",
                                 "--set",
                                 "test.rig={ethercat: {interface: va, bus: " IFD_SOURCE_DIR
                                 "/cases/ethercat/bus.yml, watchdog: 1 s, silent-for: 0.6 s}}",
                                 NULL};
    int status = ended(start(words));
    if (status != 0)
        fail_msg("status %d\n%s", status, output());
    emulator_lock(emu);
    assert_true(emu->cyclic > 20);
    assert_int_equal(emu->words, 0);
    assert_int_equal(emu->states & EC_OP, 0);
    emulator_unlock(emu);
}

static int smaller(const void *a, const void *b)
{
    return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

/* Median of the time from a frame to the next SYNC0 of the drive, s, over the last n frames. */
static double before_sync(int n, int64_t tick)
{
    static int64_t ahead[EMU_LOG];
    uint64_t start = 0;
    memcpy(&start, emu->device[0].reg + 0x990, 8);
    assert_true(emu->log_count >= n);
    for (int k = 0; k < n; k++)
        ahead[k] = (tick + ((int64_t)start - emu->log[emu->log_count - 1 - k].time) % tick) % tick;
    qsort(ahead, (size_t)n, sizeof *ahead, smaller);
    return 1e-9 * (double)ahead[n / 2];
}

/* Ready for the order arm, which nobody gives; then the order quit. Frames are half a tick before SYNC0. */
static void a_test_without_an_order_enables_nothing(void **state)
{
    (void)state;
    need_network();
    pid_t child = start_test(2);
    for (bool asked = false; !asked && kill(child, 0) == 0;) {
        asked = strstr(output(), "Type arm");
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    line_cycled(emu, line_cycles(emu) + 2000);
    emulator_lock(emu);
    double ahead = before_sync(1000, 2000000);
    emulator_unlock(emu);
    bool done = false;
    type("Type arm", "quit\n", &done);
    int status = ended(child);
    if (!done || status != 1) /* aborted by the operator */
        fail_msg("status %d\n%s", status, output());
    emulator_lock(emu);
    assert_true(emu->states & EC_OP);
    assert_int_equal(emu->words, 0x06);
    emulator_unlock(emu);
    assert_near(ahead, 1e-3, 2e-4, "s: half a tick, within a tenth of it");
}

static int serve(char *const *command)
{
    if (unavailable && strcmp(unavailable, "IFD_PROGRAM is not set") != 0) {
        fprintf(stderr, "%s\n", unavailable);
        return 126;
    }
    emu = emulator_open(raw_socket("vb"), 1e-3, false);
    emulator_start(emu);
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    int status = ended(child);
    if (getenv("IFD_SHOW_SYNC") && emu->log_count > 1000)
        fprintf(stderr, "frames %.1f us before SYNC0 (median)\n",
                1e6 * before_sync(1000, (int64_t)(1e9 * atof(getenv("IFD_SHOW_SYNC")) + 0.5)));
    emulator_close(emu);
    return status < 0 ? 128 - status : status;
}

#define IN_LINE(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        IN_LINE(an_interface_that_is_missing_is_named),     IN_LINE(channels_are_read_without_power),
        IN_LINE(a_test_without_an_order_enables_nothing),   IN_LINE(the_rig_meets_all_requirements),
        IN_LINE(a_killed_program_leaves_the_drive_at_rest), IN_LINE(each_fault_trips_the_test_with_its_reason),
    };
    isolate();
    if (count > 1)
        return serve(words + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
