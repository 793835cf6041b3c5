/* SPDX-License-Identifier: MIT */
#include "link/auth.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/link.h>

#include "check.h"
#include "fixture.h"
#include "base/os_linux.h"
#include "scratch.h"

#include "../../fuzz/fuzz_auth.c"

static const uint8_t key[IFD__AUTH_KEY] = {1, 2, 3}, other[IFD__AUTH_KEY] = {1, 2, 4};

static void message(uint8_t bytes[IFD__AUTH_SIZE], uint64_t session, uint64_t sequence)
{
    const ifd__message m = {
        .kind = IFD__WIRE_HELLO, .session = session, .sequence = sequence, .time = 1e-3, .actuators = 1};
    memset(bytes, 0, IFD__AUTH_SIZE);
    ifd__wire_encode(&m, bytes);
}

/* Both sides, after the greeting of a session. */
static void agree(ifd__auth *server, ifd__auth *client, uint8_t greeting[IFD__AUTH_SIZE])
{
    uint8_t bytes[IFD__AUTH_SIZE];
    assert_true(ifd__auth_begin(client, key, false));
    message(bytes, 7, 1);
    ifd__auth_put(client, bytes, true);
    assert_true(ifd__auth_check(server, bytes, IFD__AUTH_SIZE));
    assert_false(server->greets); /* not with the open challenge: it could be a recording */
    message(bytes, 7, 1);
    ifd__auth_put(server, bytes, false);
    assert_true(ifd__auth_check(client, bytes, IFD__AUTH_SIZE));
    ifd__auth_bind(client);
    message(greeting, 7, 2);
    ifd__auth_put(client, greeting, true);
    assert_true(ifd__auth_check(server, greeting, IFD__AUTH_SIZE));
    assert_true(server->greets);
    ifd__auth_bind(server);
}

TEST_IN_ARENA(a_recorded_session_is_never_welcome_again)
{
    ifd__auth server, client;
    uint8_t greeting[IFD__AUTH_SIZE], command[IFD__AUTH_SIZE];
    assert_true(ifd__auth_begin(&server, key, true));
    agree(&server, &client, greeting);
    message(command, 7, 3);
    ifd__auth_put(&client, command, true);
    assert_true(ifd__auth_check(&server, command, IFD__AUTH_SIZE));
    assert_true(server.belongs);
    assert_true(ifd__auth_check(&server, greeting, IFD__AUTH_SIZE)); /* authentic, but */
    assert_false(server.greets);
    ifd__auth later;
    uint8_t again[IFD__AUTH_SIZE];
    agree(&server, &later, again); /* another session: commands of the first one do not belong to it */
    assert_true(ifd__auth_check(&server, command, IFD__AUTH_SIZE));
    assert_false(server.belongs);
    assert_false(server.greets);
    ifd__auth restarted;
    assert_true(ifd__auth_begin(&restarted, key, true));
    assert_true(ifd__auth_check(&restarted, greeting, IFD__AUTH_SIZE));
    assert_false(restarted.greets || restarted.belongs);
}

TEST_IN_ARENA(every_changed_bit_and_every_other_length_is_refused)
{
    ifd__auth server, client;
    uint8_t bytes[IFD__AUTH_SIZE];
    assert_true(ifd__auth_begin(&server, key, true));
    agree(&server, &client, bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(ifd__auth_check(&server, bytes, IFD__AUTH_SIZE));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t length = 0; length < 2 * sizeof bytes; length++)
        assert_true(ifd__auth_check(&server, bytes, length) == (length == IFD__AUTH_SIZE));
    assert_int_equal(server.forged, 8 * sizeof bytes + 2 * sizeof bytes - 1);
}

TEST_IN_ARENA(another_key_and_ones_own_echo_are_refused)
{
    ifd__auth server, client;
    uint8_t bytes[IFD__AUTH_SIZE];
    assert_true(ifd__auth_begin(&server, key, true) && ifd__auth_begin(&client, other, false));
    message(bytes, 7, 1);
    ifd__auth_put(&client, bytes, true);
    assert_false(ifd__auth_check(&server, bytes, IFD__AUTH_SIZE));
    ifd__auth_put(&server, bytes, false);
    assert_false(ifd__auth_check(&server, bytes, IFD__AUTH_SIZE)); /* reflected */
}

TEST_IN_ARENA(key_files_are_for_their_owner_only)
{
    char path[300], folder[SCRATCH_PATH];
    uint8_t read[IFD__AUTH_KEY];
    struct stat facts;
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/key", folder);
    assert_int_equal(ifd_key_make(path, &note), IFD_OK);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    assert_int_equal(ifd__key_read(path, read, &note), IFD_OK);
    assert_int_equal(ifd_key_make(path, &note), IFD_OUTPUT);
    static const mode_t bad[] = {0640, 0604, 0620, 0602, 0644, 0666};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(chmod(path, bad[i]), 0);
        assert_int_equal(ifd__key_read(path, read, &note), IFD_FILE);
    }
    assert_int_equal(chmod(path, 0600), 0);
    FILE *out = fopen(path, "w");
    fputs("abc\n", out);
    fclose(out);
    assert_int_equal(ifd__key_read(path, read, &note), IFD_FILE);
    assert_int_equal(scratch_remove(folder), 0);
}

/* Like the fuzzer, with a fixed sequence: random bytes of every length, and messages with a few changed bytes. */
TEST_IN_ARENA(nothing_without_the_key_is_heard)
{
    uint64_t seed = 11;
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[IFD__AUTH_SIZE + 16];
        bool random = round % 2 == 0;
        message(bytes, 7, (uint64_t)round);
        for (size_t i = 0; i < (random ? sizeof bytes : 3); i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[random ? i : (size_t)(seed >> 33) % IFD__AUTH_SIZE] = (uint8_t)(seed >> 56);
        }
        (void)LLVMFuzzerTestOneInput(bytes, random ? (size_t)round % sizeof bytes : IFD__AUTH_SIZE);
    }
}

/* Cost in a tick; the bound, on the fastest of many, permits a busy machine. */
TEST_IN_ARENA(a_seal_takes_microseconds)
{
    ifd__auth server, client;
    uint8_t bytes[IFD__AUTH_SIZE];
    int64_t best = INT64_MAX;
    assert_true(ifd__auth_begin(&server, key, true));
    agree(&server, &client, bytes);
    for (int i = 0; i < 20000; i++) {
        int64_t began = ifd__clock_now();
        ifd__auth_put(&client, bytes, true);
        (void)ifd__auth_check(&server, bytes, IFD__AUTH_SIZE);
        int64_t took = ifd__clock_now() - began;
        best = took < best ? took : best;
    }
    print_message("a seal put and checked: %lld ns\n", (long long)best);
    assert_true(best < 50000); /* 0.05 of a tick of 1 ms, also unoptimised and with sanitizers */
}

TESTS()
