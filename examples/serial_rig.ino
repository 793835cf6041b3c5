/* SPDX-License-Identifier: MIT */
/* Firmware of a rig with one actuator, for boards with the functions of Arduino: it answers each command of the
 * driver `serial` with a measurement (docs/guide/serial.md). Adapt the parts "Hardware" and "Limits" to your board and your
 * rig; the rest can stay. The hardware watchdog is that of the Arduino UNO R4.
 *
 * The firmware has the functions that a program on a computer cannot have: two watchdogs, limits of its own, and the
 * refusal of a first command far from the present position. When one of them acts, the set point brakes and holds,
 * and commands are ignored until a restart.
 * An emergency stop cuts the power by wire; its line here is only a copy. */
#include <WDT.h>

/* Hardware: converters of 10 bits around their middle, 0.1 mm and 20 N for each code. Current flows = released, on:
 * contacts close to ground, so that an open wire reads "pressed" and "off". The amplifier needs a high ENABLE_LINE,
 * with a resistor to ground: without the firmware it is off. */
static const int POSITION_LINE = A0, FORCE_LINE = A1, VALVE_LINE = 9, STOP_LINE = 2, POWER_LINE = 3;
static const int ENABLE_LINE = 4, LOW_LINE = 5, HIGH_LINE = 6; /* outputs: amplifier, requests for pressure */
static const int START_LINE = 7;                               /* button to ground */
static const float MIDDLE = 512.0f, METRES = 1e-4f, NEWTONS = 20.0f;

/* Limits, of set points and of measurements. They are wider than those of the case and never come from the host. */
static const float STROKE = 0.045f;           /* m, of set point and position */
static const float VELOCITY = 0.6f;           /* m/s, of the set point */
static const float ACCELERATION = 30.0f;      /* m/s2, of the set point; the firmware brakes with it */
static const float FORCE = 4000.0f;           /* N */
static const float JUMP = 0.0005f;            /* m, of the first set point from the position */
static const float TICK = 0.005f;             /* s, between commands of the case */
static const unsigned long WATCHDOG = 100;    /* ms without a command; the host can only shorten it */
static const unsigned long RESET_AFTER = 250; /* ms without a pass of loop: the processor restarts */
static const unsigned long CONTROL = 1000;    /* us, between two passes of the limits */

static void hardware_setup()
{
    analogReadResolution(10);
    analogWriteResolution(10);
    pinMode(VALVE_LINE, INPUT); /* without a voltage until there is one that moves nothing */
    digitalWrite(ENABLE_LINE, LOW);
    digitalWrite(LOW_LINE, LOW);
    digitalWrite(HIGH_LINE, LOW);
    pinMode(ENABLE_LINE, OUTPUT);
    pinMode(LOW_LINE, OUTPUT);
    pinMode(HIGH_LINE, OUTPUT);
    pinMode(STOP_LINE, INPUT_PULLUP);
    pinMode(POWER_LINE, INPUT_PULLUP);
    pinMode(START_LINE, INPUT_PULLUP);
    WDT.begin(RESET_AFTER);
}

/* A code at either end is not a measurement: NAN reports it. */
static float converted(int code, float scale)
{
    return code <= 0 || code >= 1023 ? NAN : scale * ((float)code - MIDDLE);
}

static void hardware_read(float *position, float *force)
{
    *position = converted(analogRead(POSITION_LINE), METRES);
    *force = converted(analogRead(FORCE_LINE), NEWTONS);
}

static void hardware_write(float position)
{
    analogWrite(VALVE_LINE, (int)(position / METRES + MIDDLE + 0.5f));
}

static void hardware_release()
{
    digitalWrite(ENABLE_LINE, LOW);
    pinMode(VALVE_LINE, INPUT);
}

/* Frames. */
enum { CHANNELS = 1, COMMAND_SIZE = 14 + 4 * CHANNELS, MEASURE_SIZE = 22 + 8 * CHANNELS };
enum { COMMANDED = 1, INQUIRY = 8, ASKS_ENABLE = 16, ASKS_LOW = 32, ASKS_HIGH = 64 };
enum { RELEASED = 1, POWERED = 2, STOPPED = 4, START = 16 };
enum { WHY_NONE, WHY_WATCHDOG, WHY_LIMIT, WHY_JUMP, WHY_STOP, WHY_POWER };

static byte frame[COMMAND_SIZE];
static int filled = 0;
static uint32_t answered = 0, sequence = 0;
static byte why = WHY_NONE, boot;
static bool stopped = false, moving = false; /* moving: the output has a voltage and the amplifier is on */
static bool seen_released = false, was_enabled = false;
static unsigned long heard_at = 0, watchdog = WATCHDOG; /* ms */
static unsigned long passed_at = 0, credited_at = 0;    /* us */
static float credit = 0.0f;                             /* ticks that the host may use */
static float set_point = 0.0f, velocity = 0.0f;
static uint32_t moved_with = 0; /* sequence of the newest set point */

static uint16_t crc_16(const byte *bytes, int count)
{
    uint16_t crc = 0xffff;
    for (int i = 0; i < count; i++) {
        crc = (uint16_t)(crc ^ ((uint16_t)bytes[i] << 8));
        for (int k = 0; k < 8; k++)
            crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
    }
    return crc;
}

static bool released()
{
    return digitalRead(STOP_LINE) == LOW;
}

static bool powered()
{
    return digitalRead(POWER_LINE) == LOW;
}

/* The set point brakes in brake(); requests for pressure end. */
static void stop_moving(byte reason)
{
    if (!stopped)
        why = reason;
    stopped = true;
    digitalWrite(LOW_LINE, LOW);
    digitalWrite(HIGH_LINE, LOW);
}

/* Without a voltage and off: the next accepted command starts at the position measured then. */
static void release()
{
    hardware_release();
    moving = false;
    velocity = 0.0f;
}

static void send_measure(float position, float force)
{
    byte out[MEASURE_SIZE];
    const uint32_t now = (uint32_t)micros();
    sequence++;
    out[0] = 0xa5;
    out[1] = 0x5a;
    out[2] = 'M';
    out[3] = CHANNELS;
    memcpy(out + 4, &sequence, 4); /* these processors are little-endian, as the frames are */
    memcpy(out + 8, &answered, 4);
    memcpy(out + 12, &now, 4);
    out[16] = (byte)((released() ? RELEASED : 0) | (powered() ? POWERED : 0) | (stopped ? STOPPED : 0) |
                     (digitalRead(START_LINE) == LOW ? START : 0));
    out[17] = 0; /* auxiliary inputs */
    out[18] = why;
    out[19] = boot;
    memcpy(out + 20, &position, 4);
    memcpy(out + 24, &force, 4);
    const uint16_t crc = crc_16(out + 2, MEASURE_SIZE - 4);
    memcpy(out + MEASURE_SIZE - 2, &crc, 2);
    Serial.write(out, MEASURE_SIZE);
}

/* Ticks since the last set point, by the count of the host. The clock here must confirm them, within a tenth and the
 * time of the watchdog: a host that counts too fast would move faster than its steps say. */
static float ticks_since()
{
    const uint32_t count = answered - moved_with;
    const unsigned long now = micros();
    const float most = 1e-3f * (float)WATCHDOG / TICK;
    credit = fminf(credit + 1.1e-6f * (float)(now - credited_at) / TICK, most);
    credited_at = now;
    credit -= (float)count;
    return count == 0 || !(credit >= 0.0f) ? NAN : (float)count;
}

/* A set point within the limits becomes that of the output; false: it is not. A comparison with NAN is false. */
static bool follow(float target)
{
    const float ticks = ticks_since();
    const float next = (target - set_point) / (ticks * TICK), change = next - velocity;
    if (!(fabsf(target) <= STROKE) || !(fabsf(next) <= VELOCITY) || !(fabsf(change) <= ACCELERATION * ticks * TICK))
        return false;
    set_point = target;
    velocity = next;
    hardware_write(set_point);
    return true;
}

/* The first value of the output is the measured position: nothing moves when the amplifier is switched on. */
static void begin_moving(float position, float force, float target)
{
    if (!(fabsf(position) <= STROKE) || !(fabsf(force) <= FORCE) || !(fabsf(target) <= STROKE)) {
        stop_moving(WHY_LIMIT);
        return;
    }
    if (!(fabsf(target - position) <= JUMP)) {
        stop_moving(WHY_JUMP);
        return;
    }
    set_point = position;
    velocity = 0.0f;
    hardware_write(set_point);
    pinMode(VALVE_LINE, OUTPUT);
    digitalWrite(ENABLE_LINE, HIGH);
    moving = true;
    credited_at = micros();
    credit = 1e-3f * (float)WATCHDOG / TICK;
}

static void take_command(float position, float force)
{
    const byte flags = frame[8];
    float target;
    uint16_t limit;
    memcpy(&answered, frame + 4, 4);
    memcpy(&limit, frame + 10, 2);
    memcpy(&target, frame + 12, 4);
    if (flags & INQUIRY) /* it is answered and is no sign of life of the test */
        return;
    heard_at = millis();
    watchdog = limit < WATCHDOG ? limit : WATCHDOG;
    if (stopped)
        return;
    digitalWrite(LOW_LINE, flags & ASKS_LOW ? HIGH : LOW);
    digitalWrite(HIGH_LINE, flags & ASKS_HIGH ? HIGH : LOW);
    if (was_enabled && !(flags & ASKS_ENABLE))
        release();
    was_enabled = flags & ASKS_ENABLE;
    if (!(flags & COMMANDED))
        velocity = 0.0f; /* keeps the last set point */
    else if (!moving)
        begin_moving(position, force, target);
    else if (!follow(target))
        stop_moving(WHY_LIMIT);
    moved_with = answered;
}

/* The bytes of a command, one at a time; true after the last one. A wrong checksum is not answered. */
static bool command_complete(byte next)
{
    if ((filled == 0 && next != 0xa5) || (filled == 1 && next != 0x5a) || (filled == 2 && next != 'C') ||
        (filled == 3 && next != CHANNELS))
        filled = next == 0xa5 ? 0 : -1;
    if (filled < 0) {
        filled = 0;
        return false;
    }
    frame[filled++] = next;
    if (filled < COMMAND_SIZE)
        return false;
    filled = 0;
    uint16_t crc;
    memcpy(&crc, frame + COMMAND_SIZE - 2, 2);
    return crc == crc_16(frame + 2, COMMAND_SIZE - 4);
}

/* The set point comes to rest within the stroke, whatever the host sends. */
static void brake(float dt)
{
    const float slower = ACCELERATION * dt;
    if (velocity == 0.0f)
        return;
    velocity = fabsf(velocity) <= slower ? 0.0f : velocity - (velocity > 0.0f ? slower : -slower);
    set_point = fminf(fmaxf(set_point + velocity * dt, -STROKE), STROKE);
    hardware_write(set_point);
}

/* Limits, stop and watchdog, also without a host. */
static void supervise(float dt)
{
    float position, force;
    hardware_read(&position, &force);
    if (seen_released && !released())
        stop_moving(WHY_STOP); /* also after release, until a restart */
    seen_released = seen_released || released();
    if (!moving)
        return;
    if (!powered()) { /* it sinks; when power returns, nothing may pull it back */
        stop_moving(WHY_POWER);
        release();
        return;
    }
    if (!(fabsf(position) <= STROKE) || !(fabsf(force) <= FORCE))
        stop_moving(WHY_LIMIT);
    if (millis() - heard_at > watchdog)
        stop_moving(WHY_WATCHDOG);
    if (stopped)
        brake(dt);
}

void setup()
{
    Serial.begin(1000000);
    hardware_setup();
    boot = (byte)(micros() ^ (unsigned long)analogRead(FORCE_LINE)); /* another number after a restart */
    passed_at = micros();
}

void loop()
{
    float position, force;
    WDT.refresh(); /* here and nowhere else: a pass that does not end restarts the processor */
    for (int i = 0; i < COMMAND_SIZE && Serial.available() > 0; i++) /* a host that never ends cannot stop the rest */
        if (command_complete((byte)Serial.read())) {
            hardware_read(&position, &force);
            take_command(position, force);
            send_measure(position, force);
        }
    const unsigned long since = micros() - passed_at;
    if (since >= CONTROL) {
        passed_at += since;
        supervise(1e-6f * (float)since);
    }
}
