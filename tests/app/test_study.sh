#!/bin/sh
# SPDX-License-Identifier: MIT
# Studies of the program: a disturbed virtual rig against single tests, motions as files, interrupts, a full disk, shards, messages.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# column FILE NAME: the values of a column of a CSV file
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i } NR > 1 { print $k }' "$1"; }
# row FILE MEMBER NAME
row() { awk -F, -v m="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i } NR > 1 && $1 == m { print $k }' "$1"; }

# peak_of COLUMN: in the summary of a test, in the file out
peak_of() { awk -F'[:,]' -v name="\"$1\"" 'index($0, name) { found = 1 } found && /"value"/ { gsub(/ /, "", $2); print $2; exit }' out; }

# A rig with another delay, gain, noise and stiffness of the specimen in each member: the same numbers as a single test.
cp "$IFD_SOURCE_DIR/cases/split-mass-rig/rig.yaml" .
cat >rig.study.yaml <<'END'
case: rig.yaml
set: {time.end: 1 s}
compute: test
vary:
  delay: {key: specimen.0.actuator.second-order.frequency, uniform: {from: 12 Hz, to: 18 Hz}}
  gain: {key: specimen.0.actuator.second-order.gain, normal: {mean: 1, deviation: 0.01}}
  noise: {key: specimen.0.force-sensor.noise, list: [0.05 N, 0.2 N]}
  stiffness: {key: specimen.0.spring.stiffness, as: factor, normal: {mean: 1, cov: 5 %}}
  seed: {key: specimen.0.force-sensor.seed, list: [1, 2], with: noise}
sample: {method: sobol, members: 3, seed: 5, scramble: yes}
keep:
  peak: {peak: x displacement}
  tracking: {peak: spring tracking error}
END
try 0 study rig.study.yaml --out rigs
says '6; 6 completed'
for member in 0 4; do
    try 0 study write rig.study.yaml $member --out member-$member.yaml
    try 0 test member-$member.yaml --as-fast-as-possible --out alone-$member --json
    [ "$(peak_of 'x displacement')" = "$(row rigs/study.csv $member peak)" ] || fail "member $member has another peak alone"
    [ "$(peak_of 'spring tracking error')" = "$(row rigs/study.csv $member tracking)" ] || fail "member $member tracks otherwise alone"
done
[ "$(column rigs/study.csv seed | sort -u | tr '\n' ' ')" = '1 2 ' ] || fail 'seed does not advance with noise'

# An impossible stiffness trips or is refused in its own member only.
try 0 study rig.study.yaml --out tripped --set vary.noise.list='[1 kN, 2 kN]' --set sample.members=1
grep -q tripped tripped/study.csv || fail 'loud noise does not trip a test'

# Motions as files, times scale factors.
for k in 1 2; do awk -v k=$k 'BEGIN { for (i = 0; i <= 200; i++) printf "%.2f,%.6f\n", i / 100, k * sin(i / 10) }' >motion-$k.csv; done
cat >frame.yaml <<'END'
title: frame
time: {step: 5 ms, end: 3 s}
ground: {record: motion-1.csv}
model: {dofs: [x], mass: 1 kg, damping: 0.5 N s/m, stiffness: 60 N/m}
END
cat >motions.study.yaml <<'END'
case: frame.yaml
vary:
  motion: {key: ground.record, files: "motion-*.csv"}
  scale: {key: ground.scale, range: {from: 1, to: 4, count: 3, spacing: logarithmic}}
keep: {peak: {peak: x displacement}}
histories: ["* displacement"]
END
try 0 study motions.study.yaml
is_twice=$(awk -F, 'NR > 1 { p[$1] = $7 } END { d = p[3] / p[0] - 2; e = p[1] / p[0] - 2; print (d * d < 1e-12 && e * e < 1e-18) }' runs/motions.study/study.csv)
[ "$is_twice" = 1 ] || fail "twice the motion does not give twice the peak: $(cat runs/motions.study/study.csv)"
grep -q 'motion-2.csv' runs/motions.study/study.csv || fail 'the name of the motion is not in the result'

# Continued: nothing is computed again. Other folders, other processes and shards give the same bytes.
try 0 study motions.study.yaml --json
is computed 0
is finished 6
mkdir elsewhere
(cd elsewhere && "$IFD_PROGRAM" study ../motions.study.yaml --jobs 1 --out here --quiet) || fail 'a study from another folder'
cmp -s elsewhere/here/study.h5 runs/motions.study/study.h5 || fail 'the result depends on the folder'
for i in 1 2 3 4; do try 0 study motions.study.yaml --shard $i/4 --out part-$i; done
try 0 study merge part-3 part-1 part-4 part-2 --out joined
cmp -s joined/study.h5 runs/motions.study/study.h5 || fail 'merged shards differ from the whole study'
cmp -s joined/answer.json runs/motions.study/answer.json || fail 'the answer of merged shards differs from that of the whole study'
try 0 study merge part-3 part-1 --out half
says 'members *[0-9]* of 6'
mv motions.study.yaml gone.yaml
try 0 study merge part-1 part-2 part-3 part-4 --out without
says 'answer *none'
[ ! -e without/answer.json ] || fail 'an answer without its study'
mv gone.yaml motions.study.yaml

# A key that no case has is refused with its place; a study without a single result has failed.
printf 'case: frame.yaml\nvary:\n  a: {key: ground.scale, list: [1]}\n  b: {key: ground.skale, list: [1]}\nkeep: {peak: {peak: x displacement}}\n' >typo.study.yaml
try 2 study typo.study.yaml
complains 'typo.study.yaml:4:3: unknown key .skale.'
printf 'case: frame.yaml\nvary: {end: {key: time.end, list: [-1 s, -2 s]}}\nkeep: {peak: {peak: x displacement}}\n' >none.study.yaml
try 1 study none.study.yaml
says '0 completed, 2 refused'
complains 'no member could be computed'
try 0 study status part-1 --json
is shards 4
is finished 2
try 2 study merge part-1 rigs --out nonsense
complains 'different studies'
try 2 study merge part-1 --out joined
complains 'holds a study already'
try 2 study motions.study.yaml --shard 5/4
try 2 study motions.study.yaml --out rigs
complains 'another study'
try 2 study write motions.study.yaml 6
complains 'numbered from 0 to 5'

# A full disk: the journal keeps its members, and the study continues.
cat >long.study.yaml <<'END'
case: frame.yaml
vary: {scale: {key: ground.scale, range: {from: 1, to: 2, count: 40}}}
keep: {peak: {peak: x displacement}}
histories: [x displacement, x velocity]
END
try 0 study long.study.yaml --out long
(ulimit -f 300 && "$IFD_PROGRAM" study long.study.yaml --out full >out 2>err) && fail 'a full disk is not noticed'
complains 'could not be written'
try 0 study status full --json
kept=$(at finished)
[ "$kept" -gt 0 ] && [ "$kept" -lt 40 ] || fail "$kept members were kept on a full disk"
try 0 study long.study.yaml --out full --json
is computed $((40 - kept))
cmp -s full/study.h5 long/study.h5 || fail 'the study differs after a full disk'
# Also while the result is written: no half of it remains, and the members are not computed again.
rm full/study.h5
(ulimit -f 100 && "$IFD_PROGRAM" study long.study.yaml --out full >out 2>err)
[ $? = 1 ] || fail 'a result that cannot be written does not end with status 1'
complains 'study.h5.part. could not be written'
complains 'the same command writes the result'
[ "$(ls -A full | tr '\n' ' ')" = 'answer.json study.csv study.journal ' ] || fail "a full disk leaves $(ls -A full)"
try 0 study long.study.yaml --out full --json
is computed 0
cmp -s full/study.h5 long/study.h5 || fail 'the result differs after a full disk'

# Ctrl-C: ends with the finished members, and continues.
sed 's/count: 40/count: 3000/' long.study.yaml >longer.study.yaml
"$IFD_PROGRAM" study longer.study.yaml --out stopped --jobs 1 >out 2>err </dev/null &
pid=$!
until [ "$("$IFD_PROGRAM" study status stopped --json 2>/dev/null | ./json_ok finished 2>/dev/null || echo 0)" -gt 2 ] 2>/dev/null; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
done
kill -INT $pid
wait $pid
[ $? = 1 ] || fail 'an interrupted study does not end with status 1'
complains 'the same command continues'
[ -f stopped/study.h5 ] || fail 'an interrupted study has no result file'

try 2 study nowhere.yaml
try 2 study frame.yaml
complains 'unknown key'
verdict 'studies are computed, continued, divided and joined'
