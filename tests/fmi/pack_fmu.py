# SPDX-License-Identifier: MIT
"""Packs the spring of fmus/spring.c, or archives with something wrong.   pack_fmu.py KIND BINARY OUT.fmu, or KIND,KIND,... BINARY FOLDER"""
import os
import sys
import zipfile

XML = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="{version}" modelName="spring &amp; dashpot" guid="{guid}" variableNamingConvention="flat">
  <CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"{more}/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input" variability="continuous"><Real start="0" unit="m"/></ScalarVariable>
    <ScalarVariable name="w" valueReference="2" causality="input" variability="continuous"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="3" causality="output" variability="continuous" initial="calculated"><Real/></ScalarVariable>
    <ScalarVariable name="k" valueReference="4" causality="parameter" variability="fixed"><Real start="30"/></ScalarVariable>
    <ScalarVariable name="mode" valueReference="9" causality="parameter" variability="fixed"><Integer start="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="3"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def description(kind):
    facts = {"version": "2.0", "guid": "{spring}", "identifier": "spring", "more": ""}
    facts.update({
        "token": {"guid": "{other}"},
        "tool": {"more": ' needsExecutionTool="true"'},
        "version": {"version": "1.0"},
        "identifier": {"identifier": "../spring"},
    }.get(kind, {}))
    text = XML.format(**facts)
    if kind == "cut":
        text = text[: len(text) // 2]
    if kind == "entities":
        text = text.replace("?>\n", '?>\n<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n', 1)
    if kind == "deep":
        text = text.replace("<ModelVariables>", "<VendorAnnotations>" + "<a>" * 70 + "</a>" * 70 + "</VendorAnnotations><ModelVariables>")
    if kind == "matrix":
        text = text.replace('name="k"', 'name="k[1,2]"')
    if kind == "exchange":
        text = text.replace("<CoSimulation", "<ModelExchange")
    return text


def symbolic(name, target):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info, target


EXTRA = {  # entries that mean harm
    "traversal": ("../escaped.txt", "out"),
    "absolute": (os.path.abspath("escaped.txt"), "out"),
    "backslash": ("resources\\..\\..\\escaped.txt", "out"),
    "control": ("resources/\x1b[2Jgone", "out"),
    "link": symbolic("resources/link", "/etc/passwd"),
    "linked-folder": symbolic("resources", "/"),
}


def announce(data, name, size):
    """Another uncompressed size for an entry, in its local and in its central header."""
    for mark, size_at, name_at in ((b"PK\3\4", 22, 30), (b"PK\1\2", 24, 46)):
        at = data.find(mark)
        while at >= 0 and data[at + name_at : at + name_at + len(name)] != name:
            at = data.find(mark, at + 1)
        data[at + size_at : at + size_at + 4] = size.to_bytes(4, "little")


def fill(z, kind, text, binary):
    if kind == "empty":
        z.writestr("readme.txt", "nothing")
    elif kind == "zip64":
        with z.open("modelDescription.xml", "w", force_zip64=True) as f:
            f.write(text.encode())
    else:
        z.writestr("modelDescription.xml", text)
    if kind in EXTRA:
        z.writestr(*EXTRA[kind])
    if kind in ("bomb", "liar"):
        with z.open("resources/zeros", "w") as big:
            for _ in range(520 if kind == "bomb" else 20):
                big.write(bytes(1 << 20))
    if kind == "twice":
        z.writestr("modelDescription.xml", text)
    if kind == "crowd":
        for i in range(10001):
            z.writestr("resources/%d" % i, "")
    if kind != "nobinary":
        z.writestr("binaries/%s/spring.so" % ("win64" if kind == "windows" else "linux64"), binary)


def spoil(kind, data):
    if kind == "damaged":
        data[len(data) // 2] ^= 0xFF
    if kind == "huge":
        announce(data, b"modelDescription.xml", 65 << 20)
    if kind == "liar":
        announce(data, b"resources/zeros", 1000)
    if kind == "encrypted":  # the flag alone: nobody asks for the key of such an archive
        for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
            data[data.find(mark) + at] |= 1
    return b"this is no archive at all" if kind == "nozip" else data


def pack(kind, path, out):
    with open(path, "rb") as f:
        binary = bytearray(f.read())
    if kind == "machine":
        binary[18:20] = (183).to_bytes(2, "little")  # the ELF of an ARM
    how = zipfile.ZIP_LZMA if kind == "lzma" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(out, "w", how, compresslevel=1) as z:
        fill(z, kind, description(kind), bytes(binary))
    with open(out, "rb") as f:
        data = spoil(kind, bytearray(f.read()))
    with open(out, "wb") as f:
        f.write(data)


kinds, binary, out = sys.argv[1:4]
for kind in kinds.split(","):
    pack(kind, binary, out if out.endswith(".fmu") else "%s/%s.fmu" % (out, kind))
