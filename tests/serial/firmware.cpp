// SPDX-License-Identifier: MIT
// The firmware examples/serial_rig.ino with its pins as functions and a clock of its own: firmware SCENE. A restart
// of the processor is a new start of this program at the same position. Frames are made from
// docs/reference/serial-frames.md; nothing is shared with the firmware or the driver but the numbers of its table of limits.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <unistd.h>
#include <vector>

typedef uint8_t byte;
enum { INPUT = 0, OUTPUT = 1, INPUT_PULLUP = 2, LOW = 0, HIGH = 1, A0 = 14, A1 = 15 };

namespace world {
double now = 1000.0;              // us
double fed = -1.0, patience;      // us, of the hardware watchdog; fed < 0: it is off
double piston = 0.0, force = 0.0; // m, N
bool broken_position = false, broken_force = false;
bool stop_wire = true, power_wire = true; // current flows
bool babbles = false;                     // bytes arrive without end
bool stuck = false;                       // Serial.write does not return
int mode[32], level[32];
bool driven = false;         // a value was written to the valve
std::vector<double> written; // m, values of the valve that the amplifier sees or would see
std::vector<double> at;      // us, of them
std::deque<byte> to_firmware;
std::vector<byte> from_firmware;
const char *program;
void restart();

void pass(double us)
{
    now += us;
    if (fed >= 0.0 && now - fed > patience)
        restart();
}
} // namespace world

static unsigned long micros()
{
    return (unsigned long)world::now;
}
static unsigned long millis()
{
    return (unsigned long)(world::now / 1000.0);
}
static void pinMode(int pin, int mode)
{
    world::mode[pin] = mode;
}
// A contact to ground: without current the pull-up wins.
static int digitalRead(int pin)
{
    bool current = pin == 2 ? world::stop_wire : pin == 3 ? world::power_wire : false;
    return current ? LOW : world::mode[pin] == INPUT_PULLUP ? HIGH : LOW;
}
static void digitalWrite(int pin, int level)
{
    world::level[pin] = level;
}
static void analogReadResolution(int)
{
}
static void analogWriteResolution(int)
{
}
static void analogWrite(int pin, int code)
{
    world::mode[pin] = OUTPUT; // as the functions of Arduino do
    world::driven = true;
    world::written.push_back(1e-4 * (code - 512));
    world::at.push_back(world::now);
}
static int analogRead(int pin)
{
    bool broken = pin == A0 ? world::broken_position : world::broken_force;
    double code = pin == A0 ? world::piston / 1e-4 : world::force / 20.0;
    return broken ? 1023 : (int)std::lround(512.0 + code);
}
struct port {
    void begin(long)
    {
    }
    int available()
    {
        return world::babbles ? 64 : (int)world::to_firmware.size();
    }
    int read()
    {
        if (world::babbles) {
            world::pass(10.0);
            return (int)(world::now / 10.0) % 251;
        }
        byte next = world::to_firmware.front();
        world::to_firmware.pop_front();
        return next;
    }
    size_t write(const byte *bytes, size_t size)
    {
        while (world::stuck)
            world::pass(1000.0);
        world::from_firmware.assign(bytes, bytes + size);
        return size;
    }
};
static port Serial;
struct watchdog_of_the_board {
    void begin(unsigned long ms)
    {
        world::patience = 1e3 * (double)ms;
        world::fed = world::now;
    }
    void refresh()
    {
        if (world::fed >= 0.0)
            world::fed = world::now;
    }
};
static watchdog_of_the_board WDT;

#include "serial_rig.ino"

static int failures = 0;
static void expect(bool right, const std::string &what)
{
    if (!right) {
        failures++;
        std::printf("FAILED   %s\n", what.c_str());
    }
}

// A host, from docs/reference/serial-frames.md.
namespace host {
uint32_t count = 0;
int flags, reason, boot; // of the newest measurement
float position;

unsigned check(const byte *p, size_t n) // bit by bit, with a register of 17 bits
{
    unsigned long r = 0xffff;
    for (size_t i = 0; i < 8 * n; i++) {
        unsigned in = p[i / 8] >> (7 - i % 8) & 1u;
        bool top = (r >> 15 & 1u) != in;
        r = (r << 1 & 0xffffu) ^ (top ? 0x1021u : 0u);
    }
    return (unsigned)r;
}

void send(int command_flags, float target, unsigned limit, uint32_t step = 1)
{
    byte b[18] = {0xa5, 0x5a, 'C', 1};
    count += step;
    std::memcpy(b + 4, &count, 4);
    b[8] = (byte)command_flags;
    b[10] = (byte)(limit & 255u);
    b[11] = (byte)(limit >> 8);
    std::memcpy(b + 12, &target, 4);
    unsigned crc = check(b + 2, 14);
    b[16] = (byte)(crc & 255u);
    b[17] = (byte)(crc >> 8);
    world::to_firmware.insert(world::to_firmware.end(), b, b + 18);
}

// Lets time pass in loops of 100 us; the piston follows an amplifier that is on.
void wait(double us)
{
    for (double end = world::now + us; world::now < end;) {
        loop();
        world::pass(100.0);
        if (world::driven && world::mode[9] == OUTPUT && world::level[4] == HIGH)
            world::piston = world::written.back();
    }
    if (world::from_firmware.size() == 30) {
        flags = world::from_firmware[16];
        reason = world::from_firmware[18];
        boot = world::from_firmware[19];
        std::memcpy(&position, world::from_firmware.data() + 20, 4);
    }
}
void tick(int command_flags, double target, unsigned limit = 100)
{
    send(command_flags, (float)target, limit);
    wait(5000.0);
}
const int MOVE = 1 + 16, ASK = 8;
bool stopped()
{
    send(ASK, 0.0f, 100);
    wait(1000.0);
    return flags & 4;
}
// At rest where it is, enabled.
void start()
{
    for (int k = 0; k < 5; k++)
        tick(0, 0.0);
    for (int k = 0; k < 30; k++)
        tick(MOVE, world::piston);
    expect(!stopped() && world::level[4] == HIGH && world::mode[9] == OUTPUT, "a command at the position enables it");
    tick(MOVE, world::piston); // after the inquiry
}
// From rest to velocity v with acceleration a, then constant; returns the last target.
double run_to(double from, double v, double a, int ticks)
{
    double x = from, now = 0.0;
    for (int k = 0; k < ticks; k++) {
        double change = std::fmax(-a * 5e-3, std::fmin(a * 5e-3, v - now));
        now += change;
        x += now * 5e-3;
        tick(MOVE, x);
    }
    return x;
}
} // namespace host

// The set point as written: braked with at most the limit, at rest afterwards, within the stroke.
static void expect_braked(const char *what, size_t from)
{
    host::wait(300e3);
    double last = world::written.back(), most = 0.0;
    for (size_t k = 0; k < world::written.size(); k++)
        most = std::fmax(most, std::fabs(world::written[k]));
    expect(most <= 0.045 + 1e-9, std::string(what) + ": an output beyond the stroke");
    // 30 m/s2 from at most 0.6 m/s: 6 mm, and a tick of travel.
    double travel = std::fabs(last - world::written[from]);
    expect(travel <= 0.6 * 0.6 / 60.0 + 0.6 * 5e-3 + 1e-4, std::string(what) + ": it brakes too late");
    for (size_t k = from + 1; k < world::written.size(); k++) {
        double v = std::fabs(world::written[k] - world::written[k - 1]) / ((world::at[k] - world::at[k - 1]) * 1e-6);
        expect(v <= 0.6 + 2e-4 / 1e-3, std::string(what) + ": it jumps instead of braking");
    }
    size_t count = world::written.size();
    for (int k = 0; k < 50; k++)
        host::tick(host::MOVE, last - 2e-4 * k);
    expect(host::stopped(), std::string(what) + ": not stopped until a restart");
    expect(world::written.size() == count, std::string(what) + ": it follows commands after its stop");
}

// Each limit, both signs: `sign` 1 or -1.
static void limits(double sign)
{
    const std::string kind = world::program;
    host::start();
    size_t from;
    if (kind.find("stroke") == 0) { // 44.9 mm is permitted, 45.2 mm is not
        double x = world::piston;
        for (; std::fabs(x) < 0.0449 - 1e-9; x += sign * 1e-4)
            host::tick(host::MOVE, x);
        expect(!host::stopped(), "44.9 mm are within the stroke");
        from = world::written.size() - 1;
        host::tick(host::MOVE, sign * 0.0452);
    } else if (kind.find("position") == 0) {
        from = world::written.size() - 1;
        world::piston = sign * 0.0452;
        world::driven = false; // the piston does not follow
        host::tick(host::MOVE, world::written.back());
    } else if (kind.find("velocity") == 0) {
        double x = host::run_to(world::piston, sign * 0.55, 25.0, 8);
        expect(!host::stopped(), "0.55 m/s are permitted");
        from = world::written.size() - 1;
        host::run_to(x, sign * 0.0, 1.0, 0);
        host::tick(host::MOVE,
                   x + sign * 2 * 0.55 * 5e-3 + sign * 2 * 0.11 * 5e-3); // two frames: the count includes an inquiry
    } else if (kind.find("acceleration") == 0) {
        host::tick(host::MOVE, world::piston + sign * 0.9 * 30.0 * 25e-6);
        expect(!host::stopped(), "27 m/s2 are permitted");
        from = world::written.size() - 1;
        double v = 0.9 * 30.0 * 5e-3, next = v + 1.2 * 30.0 * 10e-3; // an inquiry was between: 10 ms
        host::tick(host::MOVE, world::written.back() + sign * next * 10e-3);
    } else { // force
        world::force = sign * 3900.0;
        host::tick(host::MOVE, world::piston);
        expect(!host::stopped(), "3.9 kN are permitted");
        from = world::written.size() - 1;
        world::force = sign * 4100.0;
        host::tick(host::MOVE, world::piston);
    }
    expect(host::stopped() && host::reason == 2, kind + ": the limit does not stop it");
    expect_braked(kind.c_str(), from);
}

static void wires()
{
    host::tick(0, 0.0);
    expect((host::flags & 3) == 3, "closed contacts read released and on");
    world::stop_wire = false;
    host::tick(0, 0.0);
    expect((host::flags & 3) == 2, "an open stop wire reads pressed");
    world::stop_wire = true;
    world::power_wire = false;
    host::tick(0, 0.0);
    expect((host::flags & 3) == 1, "an open power wire reads off");
}

static void first_value()
{
    world::piston = 0.0123;
    host::wait(500e3);
    for (int k = 0; k < 50; k++)
        host::tick(0, 0.0);
    expect(!world::driven && world::mode[9] == INPUT && world::level[4] == LOW, "an output before the first command");
    host::tick(host::MOVE, 0.0124);
    expect(world::driven && std::fabs(world::written[0] - 0.0123) <= 1e-4, "the first value is not the position");
    expect(world::level[4] == HIGH, "the first accepted command does not enable it");
    host::tick(0, 0.0);
    expect(world::mode[9] == INPUT && world::level[4] == LOW, "it stays on after the request to enable has ended");
    world::piston = 0.02;
    size_t before = world::written.size();
    host::tick(host::MOVE, 0.02);
    expect(world::written.size() > before && std::fabs(world::written[before] - 0.02) <= 1e-4,
           "enabled again: the first value is not the position");
}

static void refused()
{
    world::piston = 0.01;
    host::tick(0, 0.0);
    host::tick(host::MOVE, 0.0);
    expect(host::stopped() && host::reason == 3 && !world::driven, "a first command far away is not refused");
}

static void not_a_number()
{
    host::start();
    host::run_to(world::piston, 0.1, 10.0, 8);
    size_t from = world::written.size() - 1;
    host::tick(host::MOVE, (double)NAN);
    expect(host::stopped() && host::reason == 2, "NaN as a set point");
    expect_braked("NaN", from);
    for (size_t k = 0; k < world::written.size(); k++)
        expect(std::isfinite(world::written[k]) && std::fabs(world::written[k]) < 0.045, "NaN at the output");
}

static void sensor()
{
    host::start();
    size_t from = world::written.size() - 1;
    (std::string(world::program) == "sensor-position" ? world::broken_position : world::broken_force) = true;
    host::tick(host::MOVE, world::written.back());
    expect(host::stopped() && host::reason == 2, "a converter at its end");
    expect_braked("sensor", from);
}

// The host asks for 65 s; the firmware has 100 ms. `limit`: what the host sends, `wanted`: ms until the stop.
static void silence(unsigned limit, double wanted, bool inquiries)
{
    host::start();
    double x = host::run_to(world::piston, 0.1, 10.0, 10);
    host::send(host::MOVE, (float)(x + 5e-4), limit);
    double began = world::now;
    size_t from = world::written.size();
    while (!stopped && world::now - began < 1e6) {
        if (inquiries)
            host::send(host::ASK, 0.0f, 65535);
        host::wait(1000.0);
    }
    double took = 1e-3 * (world::now - began);
    expect(took >= wanted - 2.0 && took <= wanted + 4.0, "stopped after " + std::to_string(took) + " ms");
    expect(host::stopped() && host::reason == 1, "the reason is not the watchdog");
    expect_braked("watchdog", from);
}

// 0.5 m/s and 30 m/s2: 4.2 mm.
static void press()
{
    host::start();
    (void)host::run_to(world::piston, 0.5, 20.0, 10);
    size_t from = world::written.size() - 1;
    world::stop_wire = false;
    host::wait(3e3);
    world::stop_wire = true;
    expect(host::stopped() && host::reason == 4, "the stop input does not stop it");
    expect((host::flags & 1) == 1, "after release the input reads released");
    expect_braked("stop input", from);
    double travel = world::written.back() - world::written[from];
    expect(travel > 3.5e-3 && travel < 5e-3, "it does not brake with 30 m/s2: " + std::to_string(travel) + " m");
}

// 0.31 m/s at the end of the stroke: the path of the brake does not leave it.
static void outward()
{
    host::start();
    double x = host::run_to(world::piston, 0.31, 20.0, 30);
    size_t from = world::written.size() - 1;
    host::tick(host::MOVE, x + 0.31 * 5e-3);
    expect(host::stopped() && host::reason == 2 && x < 0.045 && x > 0.0435, "the end of the stroke");
    expect_braked("end of the stroke", from);
}

static void press_before()
{
    host::tick(0, 0.0);
    world::stop_wire = false;
    host::tick(0, 0.0);
    world::stop_wire = true;
    for (int k = 0; k < 5; k++)
        host::tick(host::MOVE, 0.0);
    expect(host::stopped() && !world::driven, "pressed and released before the first command: it moves");
}

static void power()
{
    host::start();
    host::run_to(world::piston, 0.1, 10.0, 10);
    world::power_wire = false;
    host::wait(2e3);
    expect(world::level[4] == LOW && world::mode[9] == INPUT, "without power the output stays");
    world::power_wire = true;
    size_t count = world::written.size();
    for (int k = 0; k < 10; k++)
        host::tick(host::MOVE, world::written.back());
    expect(host::stopped() && host::reason == 5 && world::written.size() == count, "power returns: it moves");
}

// A host that counts ten ticks in the time of one.
static void too_fast()
{
    host::start();
    double x = world::piston;
    for (int k = 0; k < 100 && !stopped; k++) {
        host::send(host::MOVE, (float)(x += 2.5e-3 * 0.1), 100);
        host::wait(500.0);
    }
    expect(host::stopped() && host::reason == 2, "commands ten times too fast are followed");
    expect(std::fabs(world::written.back()) < 0.02, "it stops too late");
}

// A host that never ends a frame cannot keep the watchdog from acting.
static void babble()
{
    host::start();
    double began = world::now;
    world::babbles = true;
    while (!stopped && world::now - began < 1e6) {
        loop();
        world::pass(100.0);
    }
    expect(stopped && world::now - began <= 104e3, "bytes without end keep the watchdog from acting");
}

static void in_motion(bool by_watchdog)
{
    host::start();
    double x = world::piston;
    for (int k = 0; k < 1000 && x < 0.03; k++)
        host::tick(host::MOVE, x += 1e-4);
    world::piston = 0.03;
    std::printf("began %.0f\n", world::now);
    std::fflush(stdout);
    if (!by_watchdog)
        world::restart();
    world::stuck = true;
    double began = world::now;
    host::send(host::ASK, 0.0f, 100);
    setenv("IFD_BEGAN", std::to_string(began).c_str(), 1);
    host::wait(1e6);
    expect(false, "the loop is stuck, but nothing restarts the processor");
}

// After a restart at 30 mm: no output, then 30 mm.
static void restarted()
{
    const char *began = std::getenv("IFD_BEGAN");
    if (began)
        expect(world::now - atof(began) <= 500e3, "the restart took more than 0.5 s");
    expect(!world::driven && world::mode[9] == INPUT && world::level[4] == LOW, "an output at the restart");
    host::wait(50e3);
    for (int k = 0; k < 10; k++)
        host::tick(0, 0.0);
    expect(!world::driven, "an output after the restart, without a command");
    host::tick(host::MOVE, 0.03);
    expect(world::driven && std::fabs(world::written[0] - 0.03) <= 1e-4 + 1e-9, "the first value is not 30 mm");
    expect(!host::stopped(), "after a restart it accepts a command at its position");
}

void world::restart()
{
    execl("/proc/self/exe", "firmware", "restarted", std::to_string(piston).c_str(), std::to_string(now).c_str(),
          (char *)NULL);
    _exit(9);
}

static void table()
{
    const std::string s = world::program;
    if (s == "wires")
        wires();
    else if (s == "first")
        first_value();
    else if (s == "refused")
        refused();
    else if (s == "nan")
        not_a_number();
    else if (s.find("sensor") == 0)
        sensor();
    else if (s == "watchdog-65s")
        silence(65000, 100.0, false);
    else if (s == "watchdog-30ms")
        silence(30, 30.0, false);
    else if (s == "watchdog-inquiries")
        silence(100, 100.0, true);
    else if (s == "press")
        press();
    else if (s == "outward")
        outward();
    else if (s == "press-before")
        press_before();
    else if (s == "power")
        power();
    else if (s == "fast")
        too_fast();
    else if (s == "babble")
        babble();
    else if (s == "reset")
        in_motion(false);
    else if (s == "stuck")
        in_motion(true);
    else if (s == "restarted")
        restarted();
    else
        limits(s.back() == '-' ? -1.0 : 1.0);
}

int main(int count, char **words)
{
    world::program = words[1];
    if (count > 3) {
        world::piston = atof(words[2]);
        world::now = atof(words[3]);
    }
    setup();
    expect(world::fed >= 0.0 && world::patience <= 500e3, "there is no hardware watchdog of at most 0.5 s");
    table();
    std::printf("%s: %d failures\n", words[1], failures);
    return failures != 0;
}
