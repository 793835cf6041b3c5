# SPDX-License-Identifier: MIT
# Free vibration of a mass whose spring is remote, compared at every step with the exact solution of the difference equation
#     d_n = u0 cos(n phi),   cos phi = 1 - (w dt)^2 / 2      (NewmarkExplicit 0.5)
if {![info exists port]} {set port 8090}
if {![info exists options]} {set options {-dataSize 1}}
if {![info exists steps]} {set steps 1000}
set dt 0.01
set k 39.4784176043574
set u0 0.1
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0 -mass 1.0
element genericClient 1 -node 1 -dof 1 -server $port 127.0.0.1 -noRayleigh {*}$options
setNodeDisp 1 1 $u0 -commit
setNodeAccel 1 1 [expr {-$k * $u0}] -commit
system FullGeneral
numberer Plain
constraints Plain
integrator NewmarkExplicit 0.5
algorithm Linear -factorOnce
analysis Transient
set phi [expr {acos(1.0 - 0.5 * $k * $dt * $dt)}]
set worst 0.0
for {set n 1} {$n <= $steps} {incr n} {
    if {[analyze 1 $dt] != 0} {error "step $n failed"}
    set off [expr {abs([nodeDisp 1 1] - $u0 * cos($n * $phi))}]
    if {!($off <= $worst)} {set worst $off}
}
puts "T1 worst $worst after $steps steps"
wipe
