# SPDX-License-Identifier: MIT
# The first message carries (node 2 dof 3, node 2 dof 1, node 1 dof 2) = (0.23, 0.21, 0.12).
if {![info exists port]} {set port 8090}
model BasicBuilder -ndm 2 -ndf 3
node 1 0.0 0.0
node 2 0.0 1.0
foreach tag {1 2} {
    foreach dof {1 2 3} {setNodeDisp $tag $dof [expr {0.1 * $tag + 0.01 * $dof}] -commit}
}
element genericClient 1 -node 2 1 -dof 3 1 -dof 2 -server $port 127.0.0.1 -dataSize 1
puts "T4 done"
wipe
