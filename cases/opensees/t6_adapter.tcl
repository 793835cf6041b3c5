# SPDX-License-Identifier: MIT
# OpenSees as the driven side: a spring of 50 N/m, moved through an adapter element. It waits for the connection, and
# ends with status 255 at the end of the session.
if {![info exists port]} {set port 44000}
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0
node 2 0.0
fix 1 1
uniaxialMaterial Elastic 1 50.0
element zeroLength 10 1 2 -mat 1 -dir 1
element adapter 1 -node 2 -dof 1 -stif 1e8 $port
system FullGeneral
numberer Plain
constraints Plain
test NormDispIncr 1e-10 10 0
integrator LoadControl 1.0
algorithm Newton
analysis Static
analyze 1000000
