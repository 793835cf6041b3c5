# SPDX-License-Identifier: MIT
# K = [[3, 1], [0, 2]] and the load (1, 2) give u = (0, 1); a server that sends rows gives (0.3333, 0.8333).
if {![info exists port]} {set port 8090}
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0
node 2 1.0
element genericClient 1 -node 1 2 -dof 1 -dof 1 -server $port 127.0.0.1
timeSeries Linear 1
pattern Plain 1 1 {
    load 1 1.0
    load 2 2.0
}
system FullGeneral
numberer Plain
constraints Plain
integrator LoadControl 1.0
algorithm Linear
analysis Static
analyze 1
puts "T3 u [nodeDisp 1 1] [nodeDisp 2 1]"
wipe
