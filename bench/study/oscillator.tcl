# SPDX-License-Identifier: MIT
# The variants of oscillator.study.yaml in one process: lines "yield motion" of variants.txt, peaks in peaks.txt.
set in [open variants.txt]
set out [open peaks.txt w]
while {[gets $in line] >= 0} {
    lassign $line yield motion
    model BasicBuilder -ndm 1 -ndf 1
    node 1 0.0
    node 2 0.0 -mass 1.0
    fix 1 1
    uniaxialMaterial Steel01 1 [expr {61.6850275068 * $yield}] 61.6850275068 0.03
    element zeroLength 1 1 2 -mat 1 -dir 1
    rayleigh 0.785398163397448 0.0 0.0 0.0
    timeSeries Path 1 -dt 0.01 -filePath $motion
    pattern UniformExcitation 1 1 -accel 1
    recorder EnvelopeNode -file envelope.txt -precision 17 -node 2 -dof 1 disp
    constraints Plain
    numberer Plain
    system ProfileSPD
    test NormDispIncr 1.0e-10 10
    algorithm Newton
    integrator Newmark 0.5 0.25
    analysis Transient
    if {[analyze 4000 0.005] != 0} {error "no convergence"}
    wipe
    set envelope [open envelope.txt]
    puts $out [lindex [read $envelope] 2]
    close $envelope
}
close $out
