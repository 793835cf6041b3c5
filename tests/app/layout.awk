# SPDX-License-Identifier: MIT
# The header of an HDF5 file as h5dump -H prints it, one line per dataset and attribute: path, type, shape. Attributes of a dataset
# stand in its own line. Sizes are left out.
function name_of(line) { sub(/^[^"]*"/, "", line); sub(/"[^"]*$/, "", line); return line }
function flush() { if (row != "") print row; row = "" }
function say(  word)
{
    word = what " " type " " space
    if (what == "")
        return
    if (owned) {
        row = row "  @" word
    } else {
        flush()
        row = word
    }
    what = ""
}
/^HDF5/ { next }
/(GROUP|DATASET) "/ {
    say()
    depth++
    here[depth] = name_of($0) == "/" ? "" : here[depth - 1] "/" name_of($0)
    dataset[depth] = $1 == "DATASET"
    owned = 0
    if (dataset[depth])
        what = here[depth]
    next
}
/ATTRIBUTE "/ {
    say()
    owned = dataset[depth]
    what = (owned ? "" : here[depth] "/@") name_of($0)
    here[depth + 1] = here[depth]
    dataset[depth + 1] = dataset[depth]
    depth++
    next
}
/DATATYPE/ {
    type = $2 == "H5T_IEEE_F64LE" ? "double" : $2 == "H5T_STD_I64LE" ? "int64" : $2 == "H5T_STD_U8LE" ? "uint8" : $2
    if (/\{$/) {
        here[depth + 1] = here[depth]
        dataset[depth + 1] = dataset[depth]
        depth++
    }
    next
}
/STRSIZE/ { type = /VARIABLE/ ? "text" : "fixed-text" }
/CSET H5T_CSET_UTF8/ { type = type "-utf8" }
/DATASPACE/ { space = $2 == "SCALAR" ? "scalar" : /H5S_UNLIMITED/ ? "grows" : "fixed"; next }
/^ *\}$/ { if (depth) depth--; next }
END { say(); flush() }
