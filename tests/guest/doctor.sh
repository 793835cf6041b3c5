# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# interfield doctor on two kernels: PREEMPT_RT with an isolated core, and an ordinary one without.
set -eu
. "$IFD_SOURCE_DIR/tests/guest/guest.sh"
stage
rows() { sed -n "s/^  \([A-Za-z].*[a-z)]\)  *\(ok\|note\|unknown\|change\|UNFIT\)  *\(.*\)/\1|\2|\3/p" said; }
is() { rows | grep -q "^$1 *|$2|.*$3" || fail "no line '$1' with '$2' and '$3'"; }

run 1 --cpus 2 --append 'isolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1' -- ./interfield doctor --measure 0
says 'kernel [0-9.]* PREEMPT_RT · core 1 of the tick'
is 'preemption model' ok 'PREEMPT_RT'
is 'virtual machine' change 'virtual machine'
is isolation ok 'core 1 is isolated'
is 'timer tick' ok 'off for core 1'
is 'RCU callbacks' ok 'rcu_nocbs=1'
is rights ok 'FIFO 80 granted'
lacks 'linux-image-rt'
lacks 'isolcpus='

run 1 --cpus 2 --flavour linux-image-amd64 -- ./interfield doctor --measure 0
lacks PREEMPT_RT.*core
is 'preemption model' change 'PREEMPT_DYNAMIC, mode [a-z]*;.*linux-image-rt'
is isolation change 'core 1 is shared'
is 'RCU callbacks' change 'rcu_nocbs=1'
says '^    .*isolcpus=managed_irq,domain,1.* rcu_nocbs=1'

# With a clock that counts instructions a wake-up every millisecond is in time, on any host.
run 1 --steady -- ./interfield doctor --measure 1s --json
says '"verdict": "something to do"'
says '"what": "wake-up, idle machine",'
latest=$(sed -n '/"wake_alone"/,/}/s/.*"max": \([0-9.e-]*\).*/\1/p' said)
awk -v x="$latest" 'BEGIN { exit !(x > 0 && x < 1e-4) }' || fail "an idle wake-up was $latest s late, expected less than 100 us"
echo "PREEMPT_RT and isolation recognised, and the contrary; idle wake-ups at most $latest s late by a counted clock"
