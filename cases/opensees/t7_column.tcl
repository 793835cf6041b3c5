# SPDX-License-Identifier: MIT
# The mass on top of a steel column of 3 m, shaken: the column is remote (remote 1), or a force-based fibre element of the model
# (remote 0). Writes time, displacements and rotation of the top to t7_<remote>.out. The files agree to round-off up to the first
# reversal of the yielding column; after it the specimen has moved on a smooth path through the turning point, the element by steps.
if {![info exists port]} {set port 8090}
if {![info exists remote]} {set remote 1}
if {![info exists steps]} {set steps 3000}
model BasicBuilder -ndm 2 -ndf 3
node 1 0.0 0.0
node 2 0.0 3.0 -mass 1.0e5 1.0e5 500.0
fix 1 1 1 1
if {$remote} {
    element genericClient 1 -node 2 -dof 1 2 3 -server $port 127.0.0.1 -dataSize 1 -noRayleigh
} else {
    uniaxialMaterial Steel02 1 350.0e6 200.0e9 0.02 20.0 0.925 0.15
    section Fiber 1 {patch rect 1 10 1 -0.1 -0.1 0.1 0.1}
    geomTransf Linear 1
    element forceBeamColumn 1 1 2 5 1 1
}
timeSeries Trig 1 0.0 1000.0 [expr {2.0 / 3.0}] -factor 2.5
pattern UniformExcitation 1 1 -accel 1
system FullGeneral
numberer Plain
constraints Plain
integrator NewmarkExplicit 0.5
algorithm Linear
analysis Transient
set out [open t7_$remote.out w]
for {set n 1} {$n <= $steps} {incr n} {
    analyze 1 0.002
    puts $out [format "%.17g %.17g %.17g %.17g" [getTime] [nodeDisp 2 1] [nodeDisp 2 2] [nodeDisp 2 3]]
}
close $out
puts "T7 done"
wipe
