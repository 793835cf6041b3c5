# SPDX-License-Identifier: MIT
# A mass on a spring of 40 N/m with a dashpot, and a second spring of 60 N/m: remote (remote 1), or in the model (remote 0).
# Writes time and displacement to t5_<remote>.out; the two files must be equal.
if {![info exists port]} {set port 8090}
if {![info exists remote]} {set remote 1}
if {![info exists steps]} {set steps 2000}
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0
node 2 0.0 -mass 1.0
fix 1 1
uniaxialMaterial Elastic 1 40.0 0.8
element zeroLength 10 1 2 -mat 1 -dir 1
if {$remote} {
    element genericClient 1 -node 2 -dof 1 -server $port 127.0.0.1 -dataSize 1 -noRayleigh
} else {
    uniaxialMaterial Elastic 2 60.0
    element zeroLength 11 1 2 -mat 2 -dir 1
}
timeSeries Trig 1 0.0 1000.0 1.0 -factor 3.0
pattern UniformExcitation 1 1 -accel 1
system FullGeneral
numberer Plain
constraints Plain
integrator NewmarkExplicit 0.5
algorithm Linear
analysis Transient
set out [open t5_$remote.out w]
for {set n 1} {$n <= $steps} {incr n} {
    analyze 1 0.005
    puts $out [format "%.17g %.17g" [getTime] [nodeDisp 2 1]]
}
close $out
puts "T5 done"
wipe
