#!/bin/sh
# SPDX-License-Identifier: MIT
# The command doctor on made-up machines: its three exit statuses, its lines, its united advice; and what a test and its preflight say
# of this machine. The rows are tested in realtime.doctor. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

put() { mkdir -p "good/${1%/*}" && printf '%s\n' "$2" >"good/$1"; }
cpu=sys/devices/system/cpu
while IFS='|' read -r path text; do put "$path" "$(printf '%b' "$text")"; done <<END
sys/kernel/realtime|1
proc/sys/kernel/osrelease|6.1.0-40-rt-amd64
proc/sys/kernel/version|#1 SMP PREEMPT_RT Debian
proc/cpuinfo|flags : fpu
proc/cmdline|quiet isolcpus=managed_irq,domain,3 nohz_full=3 rcu_nocbs=3
proc/self/limits|Max locked memory  unlimited  unlimited\nMax realtime priority  95  95
proc/self/cgroup|0::/
proc/self/timerslack_ns|50000
proc/1/comm|systemd
proc/interrupts|     CPU0 CPU1 CPU2 CPU3\n 24: 1 2 3 4 x nvme0q1
proc/irq/24/effective_affinity_list|0
proc/sys/kernel/sched_rt_runtime_us|950000
proc/sys/kernel/sched_rt_period_us|1000000
proc/sys/kernel/timer_migration|0
proc/sys/kernel/nmi_watchdog|0
proc/sys/vm/stat_interval|120
proc/swaps|Filename
proc/loadavg|0.1 0 0 1/2 3
proc/meminfo|MemAvailable: 8000000 kB
sys/kernel/mm/transparent_hugepage/enabled|always [madvise] never
$cpu/online|0-3
$cpu/isolated|3
$cpu/nohz_full|3
$cpu/cpu3/cpufreq/scaling_governor|performance
$cpu/cpu3/topology/thread_siblings_list|3
sys/devices/system/clocksource/clocksource0/current_clocksource|tsc
probe/rights|fifo=1 mlock=1
probe/awake|writable=1
probe/disk|network=none sync=0.01
probe/adjtimex|synchronised=1 maxerror=9
probe/measured|wake-alone-max=2e-5 wake-loaded-max=4e-5 gap-alone-max=2e-6 steal=0 timer=1 irq=0
END

export IFD_DOCTOR_ROOT=$PWD/good
find good -type f -newer good/probe/measured >changed
try 0 doctor
says 'kernel 6.1 PREEMPT_RT · core 3 of the tick'
says 'verdict  fine: 0 settings to change for real time, 1 unknown' # turbo only informs
! grep -q 'kernel command line' out || fail 'a good machine needs no other command line'
find good -type f -newer good/probe/measured | cmp -s - changed || fail 'doctor changed a file'
try 0 doctor --measure 0
says 'wake-ups were not measured'

# What cannot be read is not fine.
rm good/$cpu/cpu3/cpufreq/scaling_governor
try 1 doctor
says 'frequency governor  *unknown'
says 'verdict  something to do'

# In the order of effect: first the kernel, then the core.
rm good/sys/kernel/realtime good/$cpu/isolated good/$cpu/nohz_full
put proc/sys/kernel/version '#1 SMP PREEMPT_DYNAMIC'
put proc/cmdline quiet
put $cpu/isolated ''
put $cpu/nohz_full ''
put proc/self/limits 'Max locked memory  65536  65536'
put probe/rights 'fifo=0 mlock=0'
try 1 doctor --core 3
says 'preemption model  *change  6.1 PREEMPT_DYNAMIC, mode unknown; expected: PREEMPT_RT; do: apt-get install linux-image-rt-'
says '^    preempt=full isolcpus=managed_irq,domain,3 nohz_full=3 rcu_nocbs=3$'
says '^    @realtime  -  rtprio   95$'
grep -n 'preemption\|rights  \|isolation  ' out | sed 's/.*  \(preemption\|rights\|isolation\) .*/\1/' | tr '\n' ' ' >order
[ "$(cat order)" = 'preemption rights isolation ' ] || fail "the order is $(cat order)"
try 1 doctor --json
is /verdict 'something to do'
is /preempt_rt false
is /wake_loaded/max 4e-05

# Unfit only by what was measured, against the tick.
put probe/measured 'wake-alone-max=2e-5 wake-loaded-max=4e-4 wake-loaded-p999=3e-4'
try 1 doctor
try 2 doctor --tick 0.5ms
says 'UNFIT'
says 'verdict  unfit'
try 2 doctor --core 9
complains 'core 9 is not in use; expected one of 0-3'
try 2 doctor --tick 1s
complains 'expected 10 us to 50 ms'
unset IFD_DOCTOR_ROOT

# A test prints the kernel and records what was found; free-running there is no clock to speak of.
cat >spring.yaml <<'END'
time: {step: 1 ms, end: 0.05 s}
method: lsrt2
model: {dofs: [x], mass: [100 kg], elements: []}
specimen: [{name: s, spring: {at: x, stiffness: 1e4 N/m}, limits: {stroke: 10 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 1 kN, tracking: 5 mm}}]
test: {rig: virtual, ramp-in: 0.01 s, settle: 0.01 s, overrun: extrapolate, late-for: 1000 s, frozen-for: 200 s}
END
certify spring.yaml
says '^[a-zA-Z]*  *machine  *kernel [0-9.]* .*: [0-9]* to change, [0-9]* unknown'
try 0 test spring.yaml --out clocked
says '^kernel  *[0-9]*\.[0-9]* '
case $(at /host/verdict clocked/summary.json) in fine | 'something to do') ;; *) fail 'summary.json has no verdict of the machine' ;; esac
[ "$(at /host/kernel clocked/summary.json)" = "$("$IFD_PROGRAM" doctor --measure 0 --json >out; at /kernel)" ] || fail 'another kernel'
is /host/checks/0/what 'preemption model' clocked/summary.json
try 0 test spring.yaml --as-fast-as-possible --out free
! grep -q '^kernel' out || fail 'a free-running test needs no real-time kernel'
verdict 'doctor'
