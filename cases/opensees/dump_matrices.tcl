# SPDX-License-Identifier: MIT
# Brings a model from OpenSees to interfield. In your own script, when the model is built and gravity is applied:
#
#     source dump_matrices.tcl
#     interfieldDump mymodel
#
# writes mymodel_M.mtx, mymodel_C.mtx, mymodel_K.mtx (Matrix Market) and mymodel.yaml, a case that uses them: matrices at the
# present state, so that what is nonlinear must be replaced by elements or specimens of the case. Needs an OpenSees with the
# integrator GimmeMCK (3.1 or later); the present analysis is wiped.

proc interfieldMatrix {name m c k} {
    wipeAnalysis
    constraints Transformation
    numberer Plain
    system FullGeneral
    algorithm Linear
    integrator GimmeMCK $m $c $k 0.0
    analysis Transient
    analyze 1 0.0
    printA -file $name.txt
    set in [open $name.txt]
    set rows [split [string trim [read $in]] "\n"]
    close $in
    file delete $name.txt
    set n [llength $rows]
    set entries {}
    for {set i 0} {$i < $n} {incr i} {
        set row [regexp -all -inline {\S+} [lindex $rows $i]]
        if {[llength $row] != $n} {error "row $i of $name has [llength $row] numbers, expected $n"}
        for {set j 0} {$j < $n} {incr j} {
            if {[lindex $row $j] != 0.0} {lappend entries "[expr {$i + 1}] [expr {$j + 1}] [lindex $row $j]"}
        }
    }
    set out [open $name.mtx w]
    puts $out "%%MatrixMarket matrix coordinate real general"
    puts $out "$n $n [llength $entries]"
    if {[llength $entries]} {puts $out [join $entries "\n"]}
    close $out
    return $n
}

# Names of the equations in their order: n<node>.<direction>, by the number of dofs of the node.
proc interfieldNames {n} {
    array set of {}
    foreach tag [getNodeTags] {
        set dofs [nodeDOFs $tag]
        switch [llength $dofs] {
            1 {set letters x}
            2 {set letters {x y}}
            3 {set letters [expr {[llength [nodeCoord $tag]] == 3 ? {x y z} : {x y rz}}]}
            6 {set letters {x y z rx ry rz}}
            default {error "node $tag has [llength $dofs] dofs"}
        }
        foreach equation $dofs letter $letters {
            if {$equation >= 0} {set of($equation) "n$tag.$letter"}
        }
    }
    set names {}
    for {set i 0} {$i < $n} {incr i} {lappend names $of($i)}
    return $names
}

proc interfieldDump {prefix} {
    set n [interfieldMatrix ${prefix}_K 0.0 0.0 1.0]
    interfieldMatrix ${prefix}_C 0.0 1.0 0.0
    interfieldMatrix ${prefix}_M 1.0 0.0 0.0
    set names [interfieldNames $n]
    set kinds {}
    foreach name $names {
        set letter [lindex [split $name .] 1]
        if {$letter ne "x"} {lappend kinds "$name: $letter"}
    }
    set out [open $prefix.yaml w]
    puts $out "# From OpenSees, in the units of its script: scale them here if they are not SI."
    puts $out "title: $prefix, from OpenSees"
    puts $out "time: {step: 2 ms, end: 20 s}"
    puts $out "method: lsrt2"
    puts $out "model:"
    puts $out "  dofs: \[[join $names {, }]\]"
    if {[llength $kinds]} {puts $out "  kinds: {[join $kinds {, }]}"}
    puts $out "  mass: ${prefix}_M.mtx"
    puts $out "  damping: ${prefix}_C.mtx"
    puts $out "  stiffness: ${prefix}_K.mtx"
    puts $out "# ground: {record: my_motion.AT2}"
    puts $out "# specimen:"
    puts $out "#   - name: bearing"
    puts $out "#     bilinear: {between: \[ground, [lindex $names 0]\], stiffness: 1e6 N/m, yield: 10 kN, hardening: 0.1}"
    puts $out "#     limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 50 kN}"
    puts $out "# test: {rig: virtual}"
    close $out
    puts "$prefix.yaml: $n dofs"
}
