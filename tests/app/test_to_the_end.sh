#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command ends: doctor with measurements of 1 s and 6 s on this machine; with IFD_EVERY=1 (make soak) each command with its default
# options, a quarter of an hour. A command that serves until it is told to stop ends by SIGTERM.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
LIMIT=1200 # s; none needs a tenth of it

# ends STATUSES WORDS...: the program ends by itself, with one of these exit statuses
ends() {
    statuses=$1
    shift
    timeout -k 10 $LIMIT "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    got=$?
    case " $statuses " in *" $got "*) echo "interfield $*: exit status $got" ;; *) fail "interfield $*: exit status $got, expected one of $statuses" ;; esac
}
# stops STATUSES LINE WORDS...: the program says a line, then SIGTERM ends it
stops() {
    statuses=$1
    line=$2
    shift 2
    : >out
    timeout -k 10 $LIMIT "$IFD_PROGRAM" "$@" >out 2>err </dev/null &
    until_says "$line"
    kill -TERM $!
    wait $!
    got=$?
    case " $statuses " in *" $got "*) echo "interfield $*: exit status $got after SIGTERM" ;; *) fail "interfield $*: exit status $got after SIGTERM, expected one of $statuses" ;; esac
}

# The thread that reads the clock pauses in the tenth part of every second: with 6 s its time ends within a pause, with 1 s it does not.
for measure in 1 6; do
    ends '0 1 2' doctor --measure $measure --json
    [ "$(at /wake_loaded/count)" -gt 0 ] || fail "doctor --measure $measure measured nothing"
done
[ "${IFD_EVERY:-0}" = 1 ] || { verdict 'doctor ends'; exit 0; }

cat >swing.csv <<'END'
0,0
0.01,1
0.02,-1
0.03,0
END
cat >column.yaml <<'END'
time: {step: 5 ms, end: 4 s}
method: newmark
ground: {motion: kanai-tajimi, peak: 0.3 g}
model: {shear-building: {mass: [3 t, 2 t], stiffness: 4 MN/m, damping: 8 kN s/m}}
END
free=runs/shear-pendulum-free-001
hybrid=runs/bridge-hybrid-001
# One line for each row of app/commands.def.
command_check() { ends 0 check bridge/hybrid; }
command_run() { ends 0 run shear-pendulum/free; }
command_static() { ends 0 static steel-frame/frame; }
command_modes() { ends 0 modes bridge/hybrid; }
command_reduce() { ends 0 reduce frame-10/frame --set 'model.rayleigh={ratio: 3 %, frequencies: [1 Hz, 20 Hz]}' --set 'model.reduce={frequency: 30 Hz}'; }
command_matrices() { ends 0 matrices frame-10/frame -o frame-matrices; }
command_motions() { ends 0 motions swing.csv; }
command_study() { ends 0 study oscillator/resonance; }
command_spectrum() { ends 0 spectrum lsrt2; }
command_stability() { ends 0 stability bridge/pg-alpha; }
command_converge() { ends 0 converge oscillator/free; }
command_extrapolator() { ends 0 extrapolator reproducing-kernel; }
command_doctor() { ends '0 1 2' doctor; }
command_channels() { stops '0 1 130 143' . channels bridge/hybrid; }
command_zero() { ends '0 1 2' zero bridge/hybrid; }
command_characterise() { ends '0 1 3' characterise bridge/hybrid; }
command_compensate() { ends '0 1 3' compensate bridge/hybrid; }
command_rig_check() { ends '0 1 3' rig-check trial --channels-of bridge/hybrid; }
command_key() { ends 0 key rig.key; }
command_preflight() { ends '0 1 3' preflight bridge/hybrid; }
command_test() { ends '0 1 3' test bridge/hybrid; }
command_rig() { stops '0 1 130 143' . rig bridge/hybrid; }
command_serve() { stops '0 1 130 143' . serve opensees opensees/hybrid; }
command_plot() { ends 0 plot $free; }
command_report() { ends 0 report $hybrid; }
command_live() { stops '0 1 130 143' . live $hybrid; }
command_compare() { ends '0 1' compare $free $free; }
command_energy() { ends 0 energy $free; }
command_export() { ends 0 export $hybrid --csv; }
command_replay() { ends 0 replay $hybrid; }
command_recover() { ends '0 1 2' recover $hybrid; }
command_export_fmu() { ends 0 export-fmu column.yaml --interface floor2 --out column.fmu; }
command_fmu() { ends '0 1' fmu column.fmu; }
command_join() { ends 0 join column.fmu column.fmu --joint 'A.d[1]=B.d[1]' --out joined.csv; }
command_reproduce() { ends 0 reproduce 004-fig17; }
command_benchmark() { ends '0 1' benchmark rths; }
command_list() { ends 0 list cases; }
command_docs() { ends 0 docs; }
command_help() { ends 0 help; }
for name in $(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$IFD_SOURCE_DIR/app/commands.def"); do
    command -v "command_$name" >/dev/null || { fail "no line for the command $name"; continue; }
    "command_$name"
done
verdict 'every command ends'
