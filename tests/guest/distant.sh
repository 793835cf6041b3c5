# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# A test and its rig server in two network namespaces, with the network emulation of the kernel between them: latency, jitter, loss,
# reordering and a cut. The result is that of the test beside the specimen.
set -eu
. "$IFD_SOURCE_DIR/tests/guest/guest.sh"
stage
cat >copy/site.yaml <<'END'
title: Column at a distant site
time: {step: 10 ms, end: 0.3 s}
method: lsrt2
model: {dofs: [x], mass: [10000], damping: [4000], stiffness: [2.0e+5]}
initial: {displacement: {x: 20 mm}}
specimen:
  - name: column
    spring: {between: [ground, x], stiffness: 150 kN/m}
    limits: {stroke: 50 mm, velocity: 500 mm/s, acceleration: 20 m/s2, force: 10 kN, tracking: 20 mm}
test:
  rig: {udp: {host: 10.9.0.2, port: 4711, key: site.key, timeout: 20 s}}
  lambda: 33
  ticks-per-stage: 80
  ramp-in: 0.5 s
  overrun: extrapolate
  late-for: 0.5 s
  elastic: {delay: 12 ms, brake: 0.2 s, patience: 0.5 s}
END
cat >copy/steps.sh <<'END'
set -eu
ip netns add site
ip link add va type veth peer name vb netns site
ip address add 10.9.0.1/24 dev va
ip link set va up
ip -n site address add 10.9.0.2/24 dev vb
ip -n site link set vb up
ip -n site link set lo up
./interfield key site.key
./interfield test site.yaml --as-fast-as-possible --without-preflight --set test.rig=virtual --out /run/beside
./interfield export /run/beside --csv -o /run/beside-csv >/dev/null
ip netns exec site ./interfield rig site.yaml --host 10.9.0.2 --port 4711 --key site.key --for 600 >/run/rig 2>&1 &
until grep -q '^serves' /run/rig; do sleep 0.1; done
one() { # NAME CUT NETEM...
    name=$1 cut=$2
    shift 2
    tc qdisc replace dev va root netem "$@"
    tc -n site qdisc replace dev vb root netem "$@"
    echo "== $name"
    ./interfield test site.yaml --start --without-preflight --out "/run/$name" &
    test=$!
    if [ "$cut" != 0 ]; then
        until grep -qs 'state run' "/run/$name/events.log"; do sleep 0.1; done
        ip link set va down
        sleep "$cut"
        ip link set va up
    fi
    wait "$test"
    ./interfield replay "/run/$name"
    ./interfield export "/run/$name" --csv -o "/run/$name-csv" >/dev/null
    awk -F, -v name="$name" '
        FNR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^"?time/ && !t) t = i; if ($i ~ /^"?x displacement/) x = i } next }
        { key = sprintf("%.4f", $t); if (key * 100 != int(key * 100 + 0.5)) next }
        NR == FNR { near[key] = $x; if ($x > peak || -$x > peak) peak = $x > 0 ? $x : -$x; next }
        key in near { far[key] = $x }
        END { for (k in near) if (k in far) { d = far[k] - near[k]; if (d < 0) d = -d; if (d > most) most = d; n++ }
              printf "difference %s %d steps %.2e\n", name, n, most / peak }' /run/beside-csv/columns.csv "/run/$name-csv/columns.csv"
}
one lan 0 delay 10ms
one wan 0 delay 50ms 5ms loss 1%
one far 3 delay 100ms 10ms loss 1% reorder 5%
cat /run/rig
END
run 0 --steady --shift 2 --timeout 900 --module veth --module sch_netem --package iproute2 --program awk --program nice -- sh steps.sh
[ "$(grep -c '^identical' said)" = 3 ] || fail 'three replays'
[ "$(grep -c '^difference' said)" = 3 ] || fail 'three results'
awk '/^difference/ && !($3 >= 25 && $5 < 1e-3) { exit 1 }' said || fail 'a result differs from the test beside the specimen'
says '^elastic .*at rest [0-9]* time'
echo "difference to the test beside the specimen: $(sed -n 's/^difference \([a-z]*\) [0-9]* steps/\1/p' said | tr '\n' ' ')"
