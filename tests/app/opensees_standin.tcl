# SPDX-License-Identifier: MIT
# As much of OpenSees as the scripts of cases/opensees use, so that they are run where there is no OpenSees: one direction of
# motion, springs, genericClient (TCP) and adapter elements as docs/reference/opensees-protocol.md describes their messages, NewmarkExplicit and a
# linear static step, in the order in which OpenSees 3.8 sends them; and, for printA, plane frames of elastic beams. What it writes to
# files and on the screen is what OpenSees writes. It shares nothing with the program it talks to.
#
#     tclsh opensees_standin.tcl SCRIPT

namespace eval fe {
    variable nodes {} springs {} clients {} beams {} shake 0 time 0.0 once 0 first 1
}

foreach word {model system numberer constraints analysis test geomTransf wipeAnalysis} {proc $word args {}}

proc option {words name otherwise} {
    set at [lsearch -exact $words $name]
    return [expr {$at < 0 ? $otherwise : [lindex $words [expr {$at + 1}]]}]
}

# The words behind a flag, up to the next one.
proc behind {words at} {
    set out {}
    foreach word [lrange $words [expr {$at + 1}] end] {
        if {[regexp {^-[a-zA-Z]} $word]} break
        lappend out $word
    }
    return $out
}

proc node {tag args} {
    lappend fe::nodes $tag
    set fe::coord($tag) [behind [concat -at $args] 0]
    set fe::mass($tag) [option $args -mass 0.0]
    set fe::masses($tag) [behind $args [lsearch -exact $args -mass]]
    set fe::fixed($tag) 0
    set fe::fixes($tag) {0 0 0}
    for {set dof 1} {$dof <= 3} {incr dof} {
        foreach what {u v a} {set fe::${what}($tag,$dof) 0.0}
    }
}
proc fix {tag flag args} {
    set fe::fixed($tag) $flag
    set fe::fixes($tag) [concat $flag $args]
}
proc setNodeDisp {tag dof value args} {set fe::u($tag,$dof) [expr {double($value)}]}
proc setNodeAccel {tag dof value args} {set fe::a($tag,$dof) [expr {double($value)}]}
proc nodeDisp {tag dof} {return $fe::u($tag,$dof)}
proc getTime {} {return $fe::time}
proc uniaxialMaterial {kind tag k {c 0.0}} {set fe::material($tag) [list $k $c]}
proc timeSeries {kind tag args} {set fe::series($tag) [list $kind $args]}
proc integrator {kind args} {
    set fe::integrator $kind
    set fe::settings $args
}
proc algorithm {kind args} {set fe::once [expr {"-factorOnce" in $args}]}

proc pattern {kind tag what args} {
    if {$kind eq "UniformExcitation"} {
        set fe::shake [option $args -accel 0]
    } else {
        eval [lindex $args 0]
    }
}
proc load {tag value} {set fe::load($tag) $value}

proc shaking {t} {
    if {!$fe::shake} {return 0.0}
    lassign $fe::series($fe::shake) kind words
    lassign $words start end period
    return [expr {[option $words -factor 1.0] * sin(8 * atan(1) * ($t - $start) / $period)}]
}

# Elements

proc element {kind tag args} {
    switch $kind {
        zeroLength {
            lassign $args from to
            lappend fe::springs [list $from $to {*}$fe::material([option $args -mat 0])]
        }
        elasticBeamColumn {lappend fe::beams [lrange $args 0 4]}
        genericClient {connect $args}
        adapter {listen $args}
    }
}

# {tag dof} in the order of -node, and within a node of its -dof.
proc dofs_of {words} {
    set tags [behind $words [lsearch -exact $words -node]]
    set out {}
    foreach at [lsearch -all -exact $words -dof] tag $tags {
        foreach dof [behind $words $at] {lappend out [list $tag $dof]}
    }
    return $out
}

proc connect {words} {
    set dofs [dofs_of $words]
    set n [llength $dofs]
    lassign [behind $words [lsearch -exact $words -server]] port host
    set size [expr {max([option $words -dataSize 256], 3 * $n + 2, $n * $n)}]
    set s [socket $host $port]
    fconfigure $s -translation binary -buffering none
    puts -nonewline $s [binary format i11 [list $n $n $n 0 1 0 0 0 $n 0 $size]]
    set client [dict create s $s dofs $dofs n $n size $size]
    lappend fe::clients $client
    trial $client
}

# Every request carries the last trial.
proc request {client code} {
    set s [dict get $client s]
    puts -nonewline $s [binary format q[dict get $client size] [concat $code $fe::last($s)]]
}
proc trial {client} {
    set state {}
    foreach what {u v a} {
        foreach dof [dict get $client dofs] {lappend state [set fe::${what}([join $dof ,])]}
    }
    lappend state $fe::time
    set fe::last([dict get $client s]) [concat $state [lrepeat [expr {[dict get $client size] - [llength $state] - 1}] 0.0]]
    request $client 3
}
proc ask {client code} {
    request $client $code
    binary scan [read [dict get $client s] [expr {8 * [dict get $client size]}]] q* values
    return $values
}
proc everyone {command args} {foreach client $fe::clients {$command $client {*}$args}}

# Structure: free nodes in the direction 1

proc free {} {
    set out {}
    foreach tag $fe::nodes {if {!$fe::fixed($tag)} {lappend out $tag}}
    return $out
}
proc add {name i j x} {
    upvar $name A
    set A($i,$j) [expr {$A($i,$j) + $x}]
}
proc zeros {name tags} {
    upvar $name A
    foreach i $tags {foreach j $tags {set A($i,$j) 0.0}}
}

# Adds the matrix that the clients give for a code to A.
proc add_remote {name code} {
    upvar $name A
    foreach client $fe::clients {
        set values [ask $client $code]
        set column 0
        foreach to [dict get $client dofs] {
            set row 0
            foreach from [dict get $client dofs] {
                add A [lindex $from 0] [lindex $to 0] [lindex $values [expr {$column * [dict get $client n] + $row}]]
                incr row
            }
            incr column
        }
    }
}
proc add_springs {name which} {
    upvar $name A
    foreach spring $fe::springs {
        lassign $spring from to k c
        set x [expr {$which eq "k" ? $k : $c}]
        foreach {i j sign} [list $from $from 1 $to $to 1 $from $to -1 $to $from -1] {
            if {!$fe::fixed($i) && !$fe::fixed($j)} {add A $i $j [expr {$sign * $x}]}
        }
    }
}

# Resisting forces: own springs first, then what the clients measure.
proc resisting {name tags} {
    upvar $name r
    foreach i $tags {set r($i) 0.0}
    foreach spring $fe::springs {
        lassign $spring from to k c
        set f [expr {$k * ($fe::u($to,1) - $fe::u($from,1))}]
        if {!$fe::fixed($to)} {set r($to) [expr {$r($to) + $f}]}
        if {!$fe::fixed($from)} {set r($from) [expr {$r($from) - $f}]}
    }
    foreach client $fe::clients {
        foreach dof [dict get $client dofs] f [lrange [ask $client 10] 0 [expr {[dict get $client n] - 1}]] {
            set tag [lindex $dof 0]
            set r($tag) [expr {$r($tag) + $f}]
        }
    }
}

# Gauss, without looking for pivots.
proc solve {matrix tags name} {
    upvar $matrix A $name b
    foreach p $tags {
        foreach i $tags {
            if {$i == $p} continue
            set f [expr {$A($i,$p) / $A($p,$p)}]
            foreach j $tags {set A($i,$j) [expr {$A($i,$j) - $f * $A($p,$j)}]}
            set b($i) [expr {$b($i) - $f * $b($p)}]
        }
    }
    foreach p $tags {set b($p) [expr {$b($p) / $A($p,$p)}]}
}

proc explicit {dt} {
    set tags [free]
    set fe::time [expr {$fe::time + $dt}]
    foreach i $tags {
        set fe::u($i,1) [expr {$fe::u($i,1) + $dt * $fe::v($i,1) + 0.5 * $dt * $dt * $fe::a($i,1)}]
        set fe::v($i,1) [expr {$fe::v($i,1) + 0.5 * $dt * $fe::a($i,1)}]
        set fe::a($i,1) 0.0
    }
    everyone trial
    if {$fe::first || !$fe::once} {
        zeros fe::C $tags
        add_springs fe::C c
        add_remote fe::C 14
    }
    if {$fe::first} {
        zeros fe::M $tags
        foreach i $tags {add fe::M $i $i $fe::mass($i)}
        add_remote fe::M 15
    }
    set fe::first 0
    resisting r $tags
    zeros damping $tags
    add_remote damping 14
    add_springs damping c
    zeros A $tags
    foreach i $tags {
        set b($i) [expr {-$fe::mass($i) * [shaking $fe::time] - $r($i)}]
        foreach j $tags {
            set A($i,$j) [expr {$fe::M($i,$j) + 0.5 * $dt * $fe::C($i,$j)}]
            set b($i) [expr {$b($i) - $damping($i,$j) * $fe::v($j,1)}]
        }
    }
    solve A $tags b
    foreach i $tags {
        set fe::a($i,1) $b($i)
        set fe::v($i,1) [expr {$fe::v($i,1) + 0.5 * $dt * $b($i)}]
    }
    everyone trial
    everyone request 5
}

proc static {} {
    set tags [free]
    set fe::time [expr {$fe::time + 1.0}]
    zeros A $tags
    add_springs A k
    add_remote A 13
    resisting r $tags
    foreach i $tags {set b($i) [expr {[info exists fe::load($i)] ? $fe::load($i) * $fe::time - $r($i) : -$r($i)}]}
    solve A $tags b
    foreach i $tags {set fe::u($i,1) [expr {$fe::u($i,1) + $b($i)}]}
    everyone trial
    everyone request 5
}

proc analyze {count {dt 0.0}} {
    if {[info exists fe::master]} {follow $count}
    if {$fe::integrator eq "GimmeMCK"} {return 0}
    for {set k 0} {$k < $count} {incr k} {
        if {$fe::integrator eq "NewmarkExplicit"} {explicit $dt} else {static}
    }
    return 0
}

# The adapter: waits in its command for the one who leads it.

proc listen {words} {
    set fe::penalty [option $words -stif 0.0]
    puts stderr "\nChannel successfully created: Waiting for ECSimAdapter experimental control..."
    set listener [socket -server {apply {{s args} {set fe::master $s}}} -myaddr 127.0.0.1 [lindex $words end]]
    vwait fe::master
    close $listener
    fconfigure $fe::master -translation binary -buffering none -blocking 1
    binary scan [read $fe::master 44] i11 header
    set n [llength [dofs_of $words]]
    foreach count [lrange $header 0 9] {
        if {$count != 0 && $count != $n} { ;# then OpenSees reads into a vector that it has not made, and crashes
            puts stderr "Adapter::Adapter() - wrong data sizes != $n received"
            exec kill -SEGV [pid]
        }
    }
    puts stderr "\nAdapter element 1 now running..."
    set fe::size [lindex $header 10]
}

proc follow {count} {
    set k [lindex $fe::springs 0 2]
    set reply {0.0 0.0}
    set asked 0
    for {set i 0} {$i < $count} {} {
        binary scan [read $fe::master [expr {8 * $fe::size}]] q* values
        switch [expr {int([lindex $values 0])}] {
            3 {
                set u [expr {$fe::penalty * [lindex $values 1] / ($k + $fe::penalty)}]
                set reply [list $u [expr {$fe::penalty * ([lindex $values 1] - $u)}]]
                incr i
                set asked 0
            }
            10 {
                if {$asked} {error "wrong action received: expecting 3 but got 10"}
                set asked 1
                puts -nonewline $fe::master [binary format q$fe::size [concat $reply [lrepeat [expr {$fe::size - 2}] 0.0]]]
            }
            99 {exit 255}
            default {error "code [lindex $values 0]"}
        }
    }
}

# Matrices of a plane frame, as GimmeMCK and printA have them

proc getNodeTags {} {return $fe::nodes}
proc nodeCoord {tag} {return $fe::coord($tag)}
# Equations of a node, -1 where it is fixed, in the order of the nodes (numberer Plain).
proc nodeDOFs {tag} {
    set next 0
    foreach other $fe::nodes {
        set out {}
        foreach flag $fe::fixes($other) {lappend out [expr {$flag ? -1 : $next}]; incr next [expr {!$flag}]}
        if {$other == $tag} {return $out}
    }
}

# Stiffness of a beam in the global directions of its two nodes, by its axial and its bending part.
proc beam_stiffness {from to A E I} {
    lassign $fe::coord($from) x1 y1
    lassign $fe::coord($to) x2 y2
    set l [expr {hypot($x2 - $x1, $y2 - $y1)}]
    set c [expr {($x2 - $x1) / $l}]
    set s [expr {($y2 - $y1) / $l}]
    set axial [list [expr {-$c}] [expr {-$s}] 0.0 $c $s 0.0]
    set w [list [expr {-$s}] $c 0.0 [expr {$s}] [expr {-$c}] 0.0] ;# transverse: w1 - w2
    set k {}
    for {set i 0} {$i < 6} {incr i} {
        for {set j 0} {$j < 6} {incr j} {
            set wi [lindex $w $i]; set wj [lindex $w $j]
            set ri [expr {$i == 2 || $i == 5}]; set rj [expr {$j == 2 || $j == 5}]
            set bending [expr {12.0 * $wi * $wj / ($l * $l) + 6.0 * ($wi * $rj + $wj * $ri) / $l +
                               ($ri && $rj ? ($i == $j ? 4.0 : 2.0) : 0.0)}]
            lappend k [expr {$E * $A / $l * [lindex $axial $i] * [lindex $axial $j] + $E * $I / $l * $bending}]
        }
    }
    return $k
}

# As operator << of its Matrix: an empty line, rows with a blank behind each number, an empty line. Six digits unless -precision says
# otherwise; releases that do not know it ignore it.
proc printA {args} {
    lassign $fe::settings m c k
    set digits [expr {[info exists ::ignore_precision] ? 6 : [option $args -precision 6]}]
    set n 0
    foreach tag $fe::nodes {foreach e [nodeDOFs $tag] {incr n [expr {$e >= 0}]}}
    for {set i 0} {$i < $n} {incr i} {set A($i) [lrepeat $n 0.0]}
    foreach tag $fe::nodes {
        foreach e [nodeDOFs $tag] mass $fe::masses($tag) {
            if {$e >= 0 && $mass ne ""} {lset A($e) $e [expr {[lindex $A($e) $e] + $m * $mass}]}
        }
    }
    foreach beam $fe::beams {
        lassign $beam from to
        set equations [concat [nodeDOFs $from] [nodeDOFs $to]]
        set at -1
        set stiffness [beam_stiffness {*}$beam]
        foreach i $equations {
            foreach j $equations {
                incr at
                if {$i >= 0 && $j >= 0} {lset A($i) $j [expr {[lindex $A($i) $j] + $k * [lindex $stiffness $at]}]}
            }
        }
    }
    set out [open [option $args -file ""] w]
    puts $out ""
    for {set i 0} {$i < $n} {incr i} {
        set row ""
        foreach x $A($i) {append row [format %.${digits}g $x] " "}
        puts $out $row
    }
    puts $out ""
    close $out
    return 0
}

proc wipe {} {
    foreach client $fe::clients {
        request $client 99
        close [dict get $client s]
    }
    set fe::clients {}
}

source [lindex $argv 0]
wipe
