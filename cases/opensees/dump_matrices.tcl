# SPDX-License-Identifier: MIT
# Brings a model from OpenSees to interfield. In your own script, when the model is built and gravity is applied:
#
#     source dump_matrices.tcl
#     interfieldDump mymodel
#
# writes mymodel_M.mtx, mymodel_C.mtx, mymodel_K.mtx (Matrix Market) and mymodel.yaml, a case that uses them: matrices at the
# present state, so that what is nonlinear must be replaced by elements or specimens of the case. Needs an OpenSees with the
# integrator GimmeMCK and `printA -precision` (3.8 has both); the present analysis is wiped.
#
# Six digits, the preset of printA, are another structure: the lowest frequency of a slender frame hangs on the last ones. So the
# digits that were written are counted, and symmetry and definiteness are judged by them.

set interfieldDigits 16      ;# asked for; 15 must be there, for a last digit may be a zero

# The numbers of A = m M + c C + k K, row by row.
proc interfieldRows {m c k} {
    global interfieldDigits
    wipeAnalysis
    constraints Transformation
    numberer Plain
    system FullGeneral
    algorithm Linear
    integrator GimmeMCK $m $c $k 0.0
    analysis Transient
    analyze 1 0.0
    set name interfield_printA.txt
    printA -file $name -precision $interfieldDigits
    set in [open $name]
    set rows {}
    foreach line [split [read $in] "\n"] {
        set row [regexp -all -inline {\S+} $line]
        if {[llength $row]} {lappend rows $row}
    }
    close $in
    file delete $name
    set n [llength $rows]
    for {set i 0} {$i < $n} {incr i} {
        if {[llength [lindex $rows $i]] != $n} {error "row $i of A has [llength [lindex $rows $i]] numbers, expected $n"}
    }
    return $rows
}

# Significant digits of a number as it is written.
proc interfieldLength {number} {
    regsub {[eE].*$} $number {} mantissa
    regsub -all {[-+.]} $mantissa {} digits
    return [string length [string trimleft $digits 0]]
}

# An OpenSees that does not know -precision ignores it, and writes six digits. A factor with many digits gives every entry as many.
proc interfieldCheckDigits {} {
    set most 0
    foreach row [interfieldRows 0.0 0.0 0.1234567890123457] {
        foreach number $row {
            set length [interfieldLength $number]
            if {$length > $most} {set most $length}
        }
    }
    if {$most < 15} {
        error "printA of this OpenSees writes $most digits, 15 are needed: the model would be another one. Use an OpenSees whose\
            printA knows -precision (3.8 does)"
    }
}

# Whether a(i,j) = a(j,i) within what was written and added up: a part of 1e-14 of the diagonal.
proc interfieldSymmetric {rows what} {
    set n [llength $rows]
    for {set i 0} {$i < $n} {incr i} {
        for {set j 0} {$j < $i} {incr j} {
            set a [lindex $rows $i $j]
            set b [lindex $rows $j $i]
            if {$a == $b} continue
            set scale [expr {sqrt(abs([lindex $rows $i $i] * [lindex $rows $j $j])) + abs($a) + abs($b)}]
            if {abs($a - $b) > 1e-14 * $scale} {
                if {$what eq "M"} {error "the mass matrix is not symmetric: $a and $b at ($i, $j) and ($j, $i)"}
                puts "note: $what is not symmetric at ($i, $j): $a and $b. It is written as it is"
                return 0
            }
        }
    }
    return 1
}

# Pivots of L D L^T within the envelope. Negative ones mean that the matrix is not definite; those within rounding mean
# that the digits do not tell: a mechanism, or a body that nothing holds.
proc interfieldDefinite {rows what names} {
    set n [llength $rows]
    for {set i 0} {$i < $n} {incr i} {
        set first($i) $i
        for {set j 0} {$j < $i} {incr j} {
            if {[lindex $rows $i $j] != 0.0} {
                set first($i) $j
                break
            }
        }
        for {set j $first($i)} {$j < $i} {incr j} {
            set x [expr {double([lindex $rows $i $j])}] ;# whole numbers are divided as such
            for {set k [expr {max($first($i), $first($j))}]} {$k < $j} {incr k} {
                set x [expr {$x - $L($i,$k) * $L($j,$k) * $D($k)}]
            }
            set L($i,$j) [expr {$D($j) != 0.0 ? $x / $D($j) : 0.0}]
        }
        set diagonal [expr {double([lindex $rows $i $i])}]
        set pivot $diagonal
        for {set j $first($i)} {$j < $i} {incr j} {set pivot [expr {$pivot - $L($i,$j) * $L($i,$j) * $D($j)}]}
        set doubt [expr {$n * 1e-15 * abs($diagonal)}]
        if {$pivot < -$doubt || $diagonal < 0.0} {
            error "$what is not positive definite in the present state: the pivot of '[lindex $names $i]' is $pivot"
        }
        if {$pivot <= $doubt} {
            if {$what eq "K"} {puts "note: K has no stiffness left at '[lindex $names $i]': a mechanism, or nothing holds it"}
            set pivot 0.0
        }
        set D($i) $pivot
    }
}

# Within rounding symmetric ones are written as their lower triangle.
proc interfieldWrite {name rows symmetric} {
    global interfieldDigits
    set n [llength $rows]
    set entries {}
    for {set i 0} {$i < $n} {incr i} {
        for {set j 0} {$j < ($symmetric ? $i + 1 : $n)} {incr j} {
            set x [lindex $rows $i $j]
            if {$x != 0.0} {lappend entries "[expr {$i + 1}] [expr {$j + 1}] $x"}
        }
    }
    set out [open $name.mtx w]
    puts $out "%%MatrixMarket matrix coordinate real [expr {$symmetric ? {symmetric} : {general}}]"
    puts $out "% from OpenSees, $interfieldDigits digits"
    puts $out "$n $n [llength $entries]"
    if {[llength $entries]} {puts $out [join $entries "\n"]}
    close $out
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
    interfieldCheckDigits
    set n [llength [interfieldRows 0.0 0.0 1.0]]
    set names [interfieldNames $n]
    foreach {what m c k} {K 0.0 0.0 1.0 C 0.0 1.0 0.0 M 1.0 0.0 0.0} {
        set rows [interfieldRows $m $c $k]
        set symmetric [interfieldSymmetric $rows $what]
        if {$symmetric && $what ne "C"} {interfieldDefinite $rows $what $names}
        interfieldWrite ${prefix}_$what $rows $symmetric
    }
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
    puts $out "#     bilinear: {between: \[ground, [lindex $names 0]\], stiffness: 1e6 N/m, yield: 10 mm, ratio: 0.1}"
    puts $out "#     limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 50 kN}"
    puts $out "# test: {rig: virtual}"
    close $out
    puts "$prefix.yaml: $n dofs"
}
