#!/bin/sh
# SPDX-License-Identifier: MIT
# A study over several processes: the files of one process, also after a process was killed; members that crash; messages.
set -u
mpi=$IFD_BUILD_DIR/interfield-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo 'skipped: interfield-mpi was not built, because there is no MPI'
    exit 0
fi
. "$IFD_SOURCE_DIR/tests/app/program.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 NO_COLOR=1

cat >oscillator.yaml <<'Y'
title: oscillator
time: {step: 2 ms, end: 10 s}
ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.1 Hz}
model:
  dofs: [x]
  mass: 1 kg
  damping: 0.8 N s/m
  elements: [{name: column, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}]
Y
cat >strength.yaml <<'Y'
case: oscillator.yaml
vary:
  amplitude: {key: ground.amplitude, list: [1 m/s2, 2 m/s2, 0.3 g]}
  yield: {key: model.elements.0.bilinear.yield, lognormal: {median: 20 mm, dispersion: 0.3}}
sample: {method: latin-hypercube, members: 40, seed: 2}
keep: {peak: {peak: x displacement}}
histories: [x displacement]
history-every: 100
Y

# together STATUS PROCESSES WORDS...
together() {
    wanted=$1
    processes=$2
    shift 2
    mpirun --oversubscribe -n "$processes" "$mpi" study "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "$processes processes, $*: exit status $got, expected $wanted"
}
same() {
    for file in study.h5 study.csv answer.json; do
        cmp -s "whole/$file" "$1/$file" || fail "$1/$file differs from the study of one process"
    done
}
# struck FOLDER SIGNALS OPTIONS...: three processes. When members are dealt out, SEGV ends a process that computes, KILL a rank. Repeats if the
# study was over before. The status of mpirun is in $got.
struck() {
    folder=$1
    signals=$2
    shift 2
    for try in 1 2 3 4 5 6 7 8; do
        rm -rf "$folder"
        mpirun --oversubscribe "$@" -n 3 "$mpi" study strength.yaml --out "$folder" >out 2>err </dev/null &
        run=$!
        while ! grep -q progress out && kill -0 $run 2>/dev/null; do sleep 0.02; done
        for signal in $signals; do
            victim=$(pgrep -P $run -n)
            [ "$signal" = KILL ] || victim=$(pgrep -P "$(pgrep -P $run -o)" -n)
            [ -z "$victim" ] || kill -s "$signal" "$victim"
        done
        wait $run
        got=$?
        ! grep -qi 'not answered\|signal 9\|killed' err || return
    done
    fail 'the study was always over before a process was killed'
}

try 0 study strength.yaml --out whole
together 0 3 strength.yaml --out three --jobs 2
says '120; 120 completed'
says 'progress'
same three

# A process that is killed ends the others; the members that were finished are not repeated.
for attempt in 1 2 3 4 5; do # on a machine that stalls every member can be finished before the kill
    rm -rf killed
    struck killed KILL
    [ $got != 0 ] || fail 'a study with a killed process ended with status 0'
    grep -qi 'signal 9\|killed' err out || fail 'nothing names the process that was killed'
    try 0 study status killed --json
    finished=$(grep -o '"finished": [0-9]*' out | grep -o '[0-9]*')
    [ "$finished" = 120 ] || break
    echo "attempt $attempt came too late"
done
[ "$finished" -gt 0 ] && [ "$finished" -lt 120 ] || fail "the process was killed after $finished of 120 members"
together 0 2 strength.yaml --out killed --json
is finished 120
is computed $((120 - finished))
same killed

# Where MPI lets the others live, they compute its members. A member that crashes costs itself only.
if mpirun --help all 2>/dev/null | grep -q -e '--continuous'; then
    export INTERFIELD_MPI_PATIENCE=1
    struck alive 'SEGV KILL' --continuous
    [ $got = 0 ] || fail 'a process was killed, and the others did not finish'
    complains 'has not answered for 1 s; others compute its members'
    says '119 completed, 1 crashed\|120 completed'
    try 0 study strength.yaml --out alive
    says '120; 120 completed'
    same alive
fi

# A shard; several shards are joined as those of one process.
together 0 2 strength.yaml --shard 2/2 --out second
try 0 study strength.yaml --shard 1/2 --out first
try 0 study merge second first --out joined
cmp -s joined/study.h5 whole/study.h5 || fail 'merged shards differ from the whole study'

# One message, and no process waits for another.
together 2 2 status whole
complains "'study status' is a command of one process"
elsewhere() { # process 1 works in another folder
    mpirun --oversubscribe -n 2 sh -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || cd other; exec "$0" study strength.yaml --out none' "$mpi" >out 2>err </dev/null
}
mkdir other
sed 's/0.8 N/0.9 N/' oscillator.yaml >other/oscillator.yaml
cp strength.yaml other
elsewhere
[ $? = 2 ] || fail 'processes with different files compute a study'
complains 'process 1 reads another study than process 0'
rm other/strength.yaml
elsewhere
[ $? = 2 ] || fail 'a process without the study does not end the others'
complains 'process 1: '
[ ! -e none ] || fail 'a study that was not begun has a folder'
verdict 'several processes give the files of one, whichever of them is killed'
