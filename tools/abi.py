#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints structs and enumerations from the debugging information of an object file, and prototypes of headers, one per line."""
import re
import subprocess
import sys


# Text of readelf before a value: "(strp) (offset: 0x8c8): ", "(indirect string, offset: 0x8c8): ", "(data1) ".
FORM = re.compile(r"^(\(\w+\) )?(\((indirect string, )?offset: 0x\w+\): )?")


def entries(path):
    """Each entry of .debug_info: (offset, depth, tag, {attribute: text})."""
    command = ["readelf", "--debug-dump=info", "--wide", path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    out = []
    for line in text.splitlines():
        head = re.match(r"\s*<(\w+)><(\w+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)", line)
        if head:
            out.append((int(head.group(2), 16), int(head.group(1), 16), head.group(3)[7:], {}))
            continue
        fact = re.match(r"\s*<\w+>\s+DW_AT_(\w+)\s*: (.*?)\s*$", line)
        if fact and out:
            out[-1][3][fact.group(1)] = FORM.sub("", fact.group(2))
    return out


def target(facts):
    """The offset of the type that an entry points to; None for void."""
    return int(re.search(r"<0x(\w+)>", facts["type"]).group(1), 16) if "type" in facts else None


def number(text, default=0):
    return int(text.split()[0], 0) if text is not None else default


class Types:
    def __init__(self, dies):
        self.by_offset = {offset: (k, tag, facts) for k, (offset, _, tag, facts) in enumerate(dies)}
        self.dies = dies

    def children(self, k):
        depth = self.dies[k][1]
        for offset, d, tag, facts in self.dies[k + 1:]:
            if d <= depth:
                return
            if d == depth + 1:
                yield offset, tag, facts

    def size(self, facts):
        """Bytes of the type that an entry points to."""
        if target(facts) is None:
            return 0
        k, tag, own = self.by_offset[target(facts)]
        if tag == "array_type":
            count = 1
            for _, t, f in self.children(k):
                if t == "subrange_type":
                    count *= number(f["count"]) if "count" in f else number(f.get("upper_bound"), -1) + 1
            return count * self.size(own)
        return number(own["byte_size"]) if "byte_size" in own else self.size(own)

    def name(self, facts):
        """The type as C would write it, roughly: enough to see that it changed."""
        if target(facts) is None:
            return "void"
        k, tag, own = self.by_offset[target(facts)]
        if tag == "pointer_type":
            return self.name(own) + "*"
        if tag == "const_type":
            return "const-" + self.name(own)
        if tag == "array_type":
            return self.name(own) + "[]"
        if tag == "subroutine_type":
            words = [self.name(f) for _, t, f in self.children(k) if t == "formal_parameter"]
            return f"{self.name(own)}({','.join(words)})"
        return own.get("name", tag).replace(" ", "-")


def lines_of_types(dies):
    types, out = Types(dies), set()
    named = {}  # anonymous structs that a typedef names
    for _, _, tag, facts in dies:
        if tag == "typedef" and "type" in facts:
            named.setdefault(target(facts), facts["name"])
    for k, (offset, _, tag, facts) in enumerate(dies):
        name = facts.get("name", named.get(offset, ""))
        if tag == "enumeration_type":
            for _, t, f in types.children(k):
                if t == "enumerator" and f["name"].startswith("IFD_"):
                    out.add(f"enum {f['name']} {number(f['const_value'])}")
        if tag != "structure_type" or not name.startswith("ifd_") or "declaration" in facts:
            continue
        out.add(f"struct {name} {number(facts.get('byte_size'))}")
        for _, t, f in types.children(k):
            if t == "member":
                at = number(f.get("data_member_location"))
                out.add(f"struct {name}.{f.get('name', '?')} {at} {types.size(f)} {types.name(f)}")
    return out


def prototypes(path):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    for found in re.findall(r"^IFD_API\b(.*?);", text, re.M | re.S):
        words = re.sub(r"\b(IFD_RT|extern)\b|IFD_PRINTF\([^)]*\)", " ", found)
        yield "prototype " + re.sub(r"\s+", " ", words).strip()


def main(obj, headers):
    for line in sorted(lines_of_types(entries(obj))):
        print(line)
    for line in sorted({p for h in headers for p in prototypes(h)}):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
