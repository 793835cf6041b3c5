# SPDX-License-Identifier: MIT
"""Packs the FMU of fmus/vector.c.   pack_vector.py BINARY OUT.fmu"""
import sys
import zipfile

XML = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="vector" instantiationToken="{vector}">
  <CoSimulation modelIdentifier="vector" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true"/>
  <ModelVariables>
    <Float64 name="u" valueReference="1" causality="input" start="0 0"><Dimension valueReference="9"/></Float64>
    <Float64 name="y" valueReference="2" causality="output"><Dimension start="2"/></Float64>
    <Float64 name="K" valueReference="3" causality="parameter" variability="fixed" start="10 2 3 20"><Dimension start="2"/><Dimension start="2"/></Float64>
    <Float32 name="w" valueReference="4" causality="input" start="0"/>
    <Float32 name="s" valueReference="5" causality="output"/>
    <Float64 name="huge" valueReference="6" causality="local"><Dimension start="1000"/><Dimension start="1000000000000"/></Float64>
    <Float64 name="unknown" valueReference="7" causality="local"><Dimension valueReference="77"/></Float64>
    <Float64 name="large" valueReference="10" causality="output"><Dimension start="65"/></Float64>
    <Float64 name="many" valueReference="11" causality="parameter" variability="fixed" start="1"><Dimension start="13"/><Dimension start="5"/></Float64>
    <UInt64 name="n" valueReference="9" causality="structuralParameter" variability="fixed" start="2"/>
  </ModelVariables>
  <ModelStructure><Output valueReference="2"/><Output valueReference="5"/></ModelStructure>
</fmiModelDescription>
"""

with open(sys.argv[1], "rb") as f:
    binary = f.read()
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("modelDescription.xml", XML)
    z.writestr("binaries/x86_64-linux/vector.so", binary)
