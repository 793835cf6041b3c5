# SPDX-License-Identifier: MIT
# Takes the marked blocks out of a Markdown page, into files of the folder -v into=:
#     ```yaml file=NAME    steps gets "file NAME N": write block N as NAME
#     ```sh run            "run NAME N 0": commands; ```sh run status=1 for a block whose last command ends with that status
#     ```sh example=WHY    "example NAME N": commands that no test can run, and why (tests/ground/test_commands.sh)
#     ```text shows        "shows - N": what the commands before it print, ... standing for anything
# Other words of the info string choose the interpreter of a run: sh, python, octave.
/^ *```/ {
    if (inside) {
        inside = 0
        close(into "/" blocks)
    } else if (NF > 1) {
        inside = 1
        word = $2
        split(word, pair, "=")
        name = pair[1] == "file" ? pair[2] : substr($1, 4)
        printf "%s %s %d %d\n", pair[1], name, ++blocks, substr($3, 8) >(into "/steps")
        printf "" >(into "/" blocks)
    }
    next
}
inside { print >(into "/" blocks) }
