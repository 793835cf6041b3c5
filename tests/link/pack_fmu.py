# SPDX-License-Identifier: MIT
"""Packs the spring of fmus/spring.c, or an archive with something wrong.   pack_fmu.py KIND BINARY OUT"""
import sys
import zipfile

KIND, BINARY, OUT = sys.argv[1:4]
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
facts = {"version": "2.0", "guid": "{spring}", "identifier": "spring", "more": ""}
if KIND == "token":
    facts["guid"] = "{other}"
if KIND == "tool":
    facts["more"] = ' needsExecutionTool="true"'
if KIND == "version":
    facts["version"] = "1.0"
if KIND == "identifier":
    facts["identifier"] = "../spring"
xml = XML.format(**facts)
if KIND == "cut":
    xml = xml[: len(xml) // 2]
if KIND == "entities":
    xml = xml.replace("?>\n", '?>\n<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n', 1)
if KIND == "exchange":
    xml = xml.replace("<CoSimulation", "<ModelExchange")
with zipfile.ZipFile(OUT, "w", zipfile.ZIP_DEFLATED) as z:
    if KIND == "empty":
        z.writestr("readme.txt", "nothing")
    else:
        z.writestr("modelDescription.xml", xml)
    if KIND == "traversal":
        z.writestr("../escaped.txt", "out")
    if KIND == "absolute":
        z.writestr("/tmp/escaped.txt", "out")
    if KIND == "link":
        info = zipfile.ZipInfo("resources/link")
        info.create_system = 3
        info.external_attr = 0o120777 << 16
        z.writestr(info, "/etc/passwd")
    if KIND == "bomb":
        with z.open("resources/zeros", "w", force_zip64=True) as big:
            for _ in range(600):
                big.write(b"\0" * (1 << 20))
    if KIND != "nobinary":
        z.write(BINARY, "binaries/linux64/spring.so")
if KIND == "damaged":
    data = bytearray(open(OUT, "rb").read())
    data[len(data) // 2] ^= 0xFF
    open(OUT, "wb").write(data)
if KIND == "nozip":
    open(OUT, "wb").write(b"this is no archive at all")
