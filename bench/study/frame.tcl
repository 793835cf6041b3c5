# SPDX-License-Identifier: MIT
# The variants of frame.study.yaml in one process: lines "scale motion" of variants.txt, peaks in peaks.txt.
set in [open variants.txt]
set out [open peaks.txt w]
while {[gets $in line] >= 0} {
    lassign $line scale motion
    model BasicBuilder -ndm 2 -ndf 3
    for {set storey 0} {$storey <= 10} {incr storey} {
        for {set axis 1} {$axis <= 4} {incr axis} {
            set columns [expr {$storey == 10 ? 1 : 2}]
            set beams [expr {$axis == 1 || $axis == 4 ? 1 : 2}]
            set mass [expr {2548.41997961264 * (0.25 * 1.5 * $columns + 0.18 * 3.0 * $beams)}]
            node [expr {10 * $storey + $axis}] [expr {6.0 * ($axis - 1)}] [expr {3.0 * $storey}] -mass $mass $mass 0.0
        }
    }
    for {set axis 1} {$axis <= 4} {incr axis} {fix $axis 1 1 1}
    geomTransf Linear 1
    set member 0
    for {set storey 1} {$storey <= 10} {incr storey} {
        for {set axis 1} {$axis <= 4} {incr axis} {
            set top [expr {10 * $storey + $axis}]
            element elasticBeamColumn [incr member] [expr {$top - 10}] $top 0.25 30.0e9 [expr {0.5 ** 4 / 12}] 1
            if {$axis < 4} {
                element elasticBeamColumn [incr member] $top [expr {$top + 1}] 0.18 30.0e9 [expr {0.3 * 0.6 ** 3 / 12}] 1
            }
        }
    }
    rayleigh 0.57 0.0 0.00145 0.0
    timeSeries Path 1 -dt 0.01 -filePath $motion -factor $scale
    pattern UniformExcitation 1 1 -accel 1
    recorder EnvelopeNode -file envelope.txt -precision 17 -node 101 -dof 1 disp
    constraints Plain
    numberer RCM
    system ProfileSPD
    algorithm Linear -factorOnce
    integrator Newmark 0.5 0.25
    analysis Transient
    if {[analyze 4000 0.005] != 0} {error "no solution"}
    wipe
    set envelope [open envelope.txt]
    puts $out [lindex [read $envelope] 2]
    close $envelope
}
close $out
