# SPDX-License-Identifier: MIT
# Two masses of 2 kg on two remote storeys of 80 N/m: each mode keeps its shape and follows its own cosine. mode: 1 or 2.
if {![info exists port]} {set port 8090}
if {![info exists options]} {set options {}}
if {![info exists steps]} {set steps 1000}
if {![info exists mode]} {set mode 1}
set dt 0.01
set u0 0.05
set sign [expr {$mode == 1 ? -1.0 : 1.0}]
set w2 [expr {0.5 * (3.0 + $sign * sqrt(5.0)) * 80.0 / 2.0}]
set shape [list 1.0 [expr {0.5 * (1.0 - $sign * sqrt(5.0))}]]
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0 -mass 2.0
node 2 1.0 -mass 2.0
element genericClient 1 -node 1 2 -dof 1 -dof 1 -server $port 127.0.0.1 -noRayleigh {*}$options
foreach tag {1 2} f $shape {
    setNodeDisp $tag 1 [expr {$f * $u0}] -commit
    setNodeAccel $tag 1 [expr {-$w2 * $f * $u0}] -commit
}
system FullGeneral
numberer Plain
constraints Plain
integrator NewmarkExplicit 0.5
algorithm Linear
analysis Transient
set phi [expr {acos(1.0 - 0.5 * $w2 * $dt * $dt)}]
set worst 0.0
for {set n 1} {$n <= $steps} {incr n} {
    if {[analyze 1 $dt] != 0} {error "step $n failed"}
    foreach tag {1 2} f $shape {
        set off [expr {abs([nodeDisp $tag 1] - $f * $u0 * cos($n * $phi))}]
        if {!($off <= $worst)} {set worst $off}
    }
}
puts "T2 mode $mode worst $worst"
wipe
