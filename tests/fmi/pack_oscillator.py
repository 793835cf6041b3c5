# SPDX-License-Identifier: MIT
"""Packs fmus/oscillator.c.   pack_oscillator.py BINARY OUT.fmu [stays]: stays: it says that it cannot go back"""
import sys
import zipfile

binary, out, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
names = ["F", "x", "v", "m", "c", "k", "hard", "x0", "v0", "step"]
start = dict(m="1", k="100", step="1e-3")
rows = []
for reference, name in enumerate(names):
    causality = "input" if name == "F" else "output" if name in "xv" else "parameter"
    kind = "fixed" if causality == "parameter" else "continuous"
    value = "" if causality == "output" else ' start="%s"' % start.get(name, "0")
    rows.append('<ScalarVariable name="%s" valueReference="%d" causality="%s" variability="%s"><Real%s/></ScalarVariable>' % (name, reference, causality, kind, value))
xml = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="%s" guid="{oscillator}">
  <CoSimulation modelIdentifier="oscillator" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="%s"/>
  <ModelVariables>%s</ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/><Unknown index="3"/></Outputs></ModelStructure>
</fmiModelDescription>
""" % (out.rsplit("/", 1)[-1].removesuffix(".fmu"), "false" if "stays" in rest else "true", "".join(rows))
with zipfile.ZipFile(out, "w") as z:
    z.writestr("modelDescription.xml", xml)
    with open(binary, "rb") as f:
        z.writestr("binaries/linux64/oscillator.so", f.read())
