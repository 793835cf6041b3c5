# SPDX-License-Identifier: MIT
"""Mutants of one file in one object (for tools/mutate).

Every mutant of a function is a clone of it. The function begins with a switch over the number of the chosen mutant and
calls that clone. A clone has its own static variables and labels; a recursive call reaches the switch again.

The compiler calls a function at the beginning of every block of the code (-fsanitize-coverage=trace-pc). Here each of
these calls gets a number of its own, and the lines of its block are read from the assembly code.
"""
import re

ENTRY = "__sanitizer_cov_trace_pc"
WHOLE = "whole"  # the name that lines outside clones have for the compiler
FUNCTION = re.compile(r"^(?P<kind>[A-Za-z_][^;{}#=]*?)\b(?P<name>\w+)\((?P<args>[^;{}]*)\)\n(?P<body>\{\n.*?^\})",
                      re.M | re.S)


def line_at(code, at):
    return code.count("\n", 0, at) + 1


class Function:
    """A function that clones can replace."""
    def __init__(self, m):
        self.name, self.kind, self.start, self.end = m.group("name"), m.group("kind"), m.start(), m.end()
        self.name_at, self.body = m.start("name"), m.start("body")
        self.names = names_of(m.group("args"))

    def lines(self, code):
        return range(line_at(code, self.start), line_at(code, self.end) + 1)

    def call(self, number):
        call, nothing = "%s__m%d(%s);" % (self.name, number, ", ".join(self.names)), re.search(r"\bvoid\s*$", self.kind)
        return " case %d: %s" % (number, call + " return;" if nothing else "return " + call)


def names_of(args):
    """Names of the arguments; None: more arguments may follow ("...")."""
    parts, depth, at = [], 0, 0
    for i, c in enumerate(args + ","):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(args[at:i].strip())
            at = i + 1
    if parts in (["void"], [""]):
        return []
    names = [re.search(r"\(\*\s*(\w+)\s*\)|(\w+)\s*(?:\[[^\]]*\]\s*)*$", p) for p in parts]
    return [n.group(1) or n.group(2) for n in names] if all(names) else None


def functions_of(clean):
    return [Function(m) for m in FUNCTION.finditer(clean)]


def owner_of(functions, m):
    """The function whose body contains the mutant, or None."""
    return next((f for f in functions if f.body <= m.start < f.end), None)


def source(code, functions, mutants):
    """The file with clones of these mutants. For the compiler, the lines of mutant 7 are those of a file m7."""
    out, at = ['#line 1 "%s"\n' % WHOLE], 0
    for f in functions:
        mine = [m for m in mutants if f.body <= m.start < f.end]
        if not mine:
            continue
        head, rest = code[f.start:f.name_at] + f.name, code[f.name_at + len(f.name):f.body]
        scope = "" if re.search(r"\bstatic\b", f.kind) else "static "
        out += [code[at:f.start], head, rest.rstrip(), ";\n"]
        for m in mine:
            out += ['#line %d "m%d"\n' % (line_at(code, f.start), m.number), scope, head, "__m%d" % m.number, rest,
                    code[f.body:m.start], m.text, code[m.end:f.end], "\n"]
        out += ['#line %d "%s"\n' % (line_at(code, f.start), WHOLE), code[f.start:f.body], "{ switch (ifd_mutant) {"]
        out += [f.call(m.number) for m in mine]
        out += [" default: break; }\n"]
        at = code.index("\n", f.body) + 1
    return "extern int ifd_mutant;\n" + "".join(out) + code[at:]


def refused(errors):
    """Numbers of mutants in these messages of the compiler, and lines outside clones."""
    found = re.findall(r"^(m\d+|%s):(\d+):(?:\d+:)? (?:fatal )?error" % WHOLE, errors, re.M)
    return {int(name[1:]) for name, _ in found if name != WHOLE}, {int(line) for name, line in found if name == WHOLE}


class Region:
    """Code between two labels or calls of ENTRY. Without a number it runs after the regions that lead to it."""
    def __init__(self, number=None):
        self.number, self.lines, self.before, self.goes_on = number, set(), set(), True


def numbered(assembly, first):
    """The assembly code with a call of its own for each block outside clones, and the lines of each of these blocks."""
    out, regions, labels, names, line, count, now = [], [], {}, {}, None, 0, Region()
    for text in assembly.split("\n"):
        word = text.split(None, 3)
        label = re.match(r"(\.L\w+):", text)
        if word[:1] == [".file"]:
            names[word[1]] = text.rsplit('"', 2)[-2]
        elif word[:1] == [".loc"]:
            line = int(word[2]) if names.get(word[1]) == WHOLE else None
        elif re.match(r"[A-Za-z_]", text):
            line, now = None, Region()  # the next function
        elif label:
            following = labels.setdefault(label.group(1), Region())
            following.before |= {now} if now.goes_on else set()
            regions.append(following)
            now = following
        elif ENTRY in text and not text.lstrip().startswith("."):
            if line is None:
                continue
            now = Region(first + count)
            now.lines.add(line)
            regions.append(now)
            text = text.replace(ENTRY, "ifd_reach_%d" % now.number)
            count += 1
        elif word and text[0] == "\t" and word[0][0] != ".":
            now.lines |= set() if line is None else {line}
            for target in re.findall(r"\.L\w+", text):
                labels.setdefault(target, Region()).before.add(now)
            now.goes_on = not re.match(r"jmp|ud2|ret|b$|br$", word[0])
        out.append(text)
    blocks = [set() for _ in range(count)]
    for before, region in zip(regions, regions[1:]):
        region.before = region.before or {before}  # from a table of addresses
    for region in regions:
        for number in origins(region) if region.lines else ():
            blocks[number - first] |= region.lines
    return "\n".join(out), blocks


def origins(region):
    """Numbers of the blocks after which this region may run."""
    found, seen, left = set(), {region}, [region]
    while left:
        r = left.pop()
        if r.number is not None:
            found.add(r.number)
            continue
        left += r.before - seen
        seen |= r.before
    return found


def lines_of(clean, functions, m, known):
    """Lines of the mutant: those of its statement up to it; without code there, those of its function."""
    f = owner_of(functions, m)
    begin = max(clean.rfind(c, 0, m.start) for c in ";{}") + 1
    begin += len(clean[begin:]) - len(clean[begin:].lstrip())
    lines = known & set(range(line_at(clean, min(begin, m.start)), m.line + 1))
    return lines or known & set(f.lines(clean))


def runtime(blocks):
    """Functions that the blocks call."""
    one = "void ifd_reach_%d(void);\nvoid ifd_reach_%d(void)\n{\n    ifd_reached[%d] = 1;\n}\n"
    return "extern unsigned char *ifd_reached;\n" + "".join(one % (i, i, i) for i in range(blocks))
