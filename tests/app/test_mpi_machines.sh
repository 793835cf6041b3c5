#!/bin/sh
# SPDX-License-Identifier: MIT
# A study on two machines, which are namespaces with a cable between them: the files of one machine by MPI and by shards; when the cable is
# cut, the other machine computes the rest and says so.
set -u
mpi=$IFD_BUILD_DIR/interfield-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun nsenter ip >/dev/null; then
    echo 'skipped: interfield-mpi was not built, or mpirun, nsenter or ip is missing'
    exit 0
fi
if [ "${IFD_INSIDE-}" = '' ]; then
    enter='unshare --user --map-root-user --net --uts --mount --pid --fork --kill-child --mount-proc'
    if ! $enter ip link add one type veth peer name two 2>/dev/null; then
        echo 'skipped: this system permits no namespaces of network and processes'
        exit 0
    fi
    IFD_INSIDE=yes exec $enter sh "$0"
fi
. "$IFD_SOURCE_DIR/tests/app/program.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 NO_COLOR=1 INTERFIELD_MPI_PATIENCE=1

# This machine is 10.77.0.1, the second one 10.77.0.2.
unshare --net --uts sleep 1000 &
second=$!
there() { nsenter -t $second -n -u "$@"; }
until [ "$(readlink /proc/$second/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
hostname first
there hostname second
ip link add one type veth peer name two && ip link set two netns $second || fail 'no cable'
ip link set lo up && ip addr add 10.77.0.1/24 dev one && ip link set one up || fail 'no network'
there ip link set lo up && there ip addr add 10.77.0.2/24 dev two && there ip link set two up || fail 'no network there'
printf '#!/bin/sh\nshift\nexec nsenter -t %s -n -u sh -c "$*"\n' $second >agent
chmod +x agent

cat >oscillator.yaml <<'Y'
title: oscillator
time: {step: 2 ms, end: 4 s}
ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.1 Hz}
model:
  dofs: [x]
  mass: 1 kg
  damping: 0.8 N s/m
  elements: [{name: column, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}]
Y
cat >strength.yaml <<'Y'
case: oscillator.yaml
vary: {yield: {key: model.elements.0.bilinear.yield, range: {from: 10 mm, to: 30 mm, count: 200}}}
keep: {peak: {peak: x displacement}}
Y
# on_both FOLDER: one process on each machine
on_both() {
    mpirun --host 10.77.0.1:1,10.77.0.2:1 -n 2 -x INTERFIELD_MPI_PATIENCE --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self \
        --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
        sh -c 'hostname >"host-$OMPI_COMM_WORLD_RANK"; exec "$0" study strength.yaml --out "$1"' "$mpi" "$1" >out 2>err </dev/null
}
same() { cmp -s whole/study.h5 "$1/study.h5" || fail "$1/study.h5 differs from the study of one machine"; }

try 0 study strength.yaml --out whole
on_both both || fail 'a study on two machines fails'
[ "$(cat host-0 host-1 | tr '\n' ' ')" = 'first second ' ] || fail 'the processes are not on two machines'
same both

# Shards.
try 0 study strength.yaml --shard 1/2 --out shard-1
there "$IFD_PROGRAM" study strength.yaml --shard 2/2 --out shard-2 --quiet || fail 'a shard on the second machine'
try 0 study merge shard-2 shard-1 --out joined
same joined

# The cable is cut. mpirun itself waits for the machine; the study does not. Repeats if the study was over before.
sed 's/count: 200/count: 800/' strength.yaml >long.yaml && mv long.yaml strength.yaml
try 0 study strength.yaml --out whole --force
for try in 1 2 3 4 5; do
    rm -rf cut out
    ip link set one up
    on_both cut &
    run=$!
    until_says progress && ip link set one down
    until_says '800 completed'
    ! grep -q 'not answered' err || break
    kill $run 2>/dev/null
done
complains 'process 1 has not answered for 1 s; others compute its members'
until_says 'if mpirun waits for it now, Ctrl-C ends it' err
kill $run 2>/dev/null
same cut
verdict 'two machines give the files of one, also when one of them is lost'
