# SPDX-License-Identifier: MIT
"""Rules of the FMI standards for modelDescription.xml of a co-simulation FMU and for its archive, written from the standards'
text and independent of the code that writes them.    fmi_rules.py FILE.fmu"""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

NAME = re.compile(r"^(der\()?[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*\)?$")
CAUSALITY = {"parameter", "calculatedParameter", "input", "output", "local", "independent"}
wrong = []


def need(condition, text):
    if not condition:
        wrong.append(text)


def variables_of(root, version):
    out = []
    for node in root.find("ModelVariables"):
        if version == 2:
            need(node.tag == "ScalarVariable" and len(node) == 1, "FMI 2 has scalar variables of one type each")
            facts = dict(node.attrib)
            facts.update(node[0].attrib)
            need(node[0].tag == "Real", "type " + node[0].tag)
        else:
            facts = dict(node.attrib)
            need(node.tag == "Float64", "type " + node.tag)
        out.append(facts)
    return out


def check_variables(variables, units):
    names = [v["name"] for v in variables]
    need(len(set(names)) == len(names), "names are unique")
    references = [v["valueReference"] for v in variables]
    need(len(set(references)) == len(references), "value references are unique")
    need(sum(v.get("causality") == "independent" for v in variables) == 1, "time is declared once")
    for v in variables:
        name, kind, how = v["name"], v.get("causality"), v.get("variability")
        need(NAME.match(name), "structured name: " + name)
        need(kind in CAUSALITY, name + ": causality")
        if "unit" in v:
            need(v["unit"] in units, name + ": unit '%s' is not defined" % v["unit"])
        if kind == "input":
            need("start" in v and "initial" not in v and how == "continuous", name + ": input")
        elif kind == "parameter":
            need("start" in v and how in ("fixed", "tunable") and v.get("initial") == "exact", name + ": parameter")
        elif kind == "calculatedParameter":
            need("start" not in v and how == "fixed" and v.get("initial") == "calculated", name + ": calculated parameter")
        elif kind == "output":
            need("start" not in v and v.get("initial") == "calculated", name + ": output")
        elif kind == "independent":
            need("start" not in v and "initial" not in v and how == "continuous", name + ": independent")
        if "start" in v:
            need(float(v["start"]) == float(v["start"]), name + ": start is a number")


def unknowns(root, version, group):
    structure = root.find("ModelStructure")
    if version == 2:
        node = structure.find({"Output": "Outputs", "InitialUnknown": "InitialUnknowns"}[group])
        return [] if node is None else [(int(u.get("index")) - 1, u.get("dependencies")) for u in node]
    return [(int(u.get("valueReference")), u.get("dependencies")) for u in structure.findall(group)]


def check_structure(root, version, variables):
    key = {int(v["valueReference"]): i for i, v in enumerate(variables)}
    place = (lambda i: i) if version == 2 else (lambda i: key[i])
    outputs = {i for i, v in enumerate(variables) if v["causality"] == "output"}
    calculated = {i for i, v in enumerate(variables) if v["causality"] == "calculatedParameter"}
    listed = unknowns(root, version, "Output")
    need({place(i) for i, _ in listed} == outputs, "every output stands in ModelStructure, and nothing else")
    first = [i for i, _ in unknowns(root, version, "InitialUnknown")]
    need(first == sorted(first), "initial unknowns ascend")
    need({place(i) for i in first} == outputs | calculated, "initial unknowns are outputs and calculated parameters")
    inputs = {i for i, v in enumerate(variables) if v["causality"] == "input"}
    for i, dependencies in listed:
        on = [int(d) - (1 if version == 2 else 0) for d in (dependencies or "").split()]
        need({place(d) for d in on} <= inputs, "outputs depend on inputs only")
        motion = variables[place(i)]["name"].split("[")[0].split(".")[0]
        if motion in ("d", "v", "displacement", "velocity"):
            need(dependencies == "", variables[place(i)]["name"] + " has no feedthrough")


def check_root(root, version):
    order = [child.tag for child in root]
    wanted = ["CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure"]
    need(order == wanted, "order of the sections: %s" % order)
    need(root.tag == "fmiModelDescription" and root.get("modelName"), "root")
    need(root.get("guid" if version == 2 else "instantiationToken"), "token")
    identifier = root.find("CoSimulation").get("modelIdentifier")
    need(re.match(r"^[A-Za-z_]\w*$", identifier), "identifier")
    state = "state" if version == 2 else "State"
    for flag in ("canGetAndSetFMU" + state, "canSerializeFMU" + state):
        need(root.find("CoSimulation").get(flag) == "true", flag)
    return identifier


def check_archive(archive, identifier, version):
    folder = "binaries/linux64" if version == 2 else "binaries/x86_64-linux"
    names = archive.namelist()
    need(archive.testzip() is None, "checksums of the archive")
    need("modelDescription.xml" in names and "%s/%s.so" % (folder, identifier) in names, "files: %s" % names)
    for info in archive.infolist():
        need(info.compress_type in (0, 8) and not info.flag_bits & 1 and ".." not in info.filename, info.filename)
    with tempfile.NamedTemporaryFile(suffix=".so") as binary:
        binary.write(archive.read("%s/%s.so" % (folder, identifier)))
        binary.flush()
        lines = subprocess.run(["nm", "-D", "--defined-only", binary.name], capture_output=True, text=True).stdout.split("\n")
        names = [line.split()[-1] for line in lines if line]
        need(len(names) == (34 if version == 2 else 75), "%d exported names" % len(names))
        need(all(n.startswith("fmi%d" % version) for n in names), "only names of the standard are exported")
        needs = subprocess.run(["readelf", "-d", binary.name], capture_output=True, text=True).stdout
        libraries = re.findall(r"NEEDED.*\[(.*)\]", needs)
        need(set(libraries) <= {"libc.so.6", "libm.so.6"}, "self-contained: %s" % libraries)


def main(path):
    with zipfile.ZipFile(path) as archive:
        root = ET.fromstring(archive.read("modelDescription.xml"))
        version = int(root.get("fmiVersion")[0])
        identifier = check_root(root, version)
        units = {u.get("name") for u in root.find("UnitDefinitions")}
        variables = variables_of(root, version)
        check_variables(variables, units)
        check_structure(root, version, variables)
        check_archive(archive, identifier, version)
    for text in wrong:
        print("%s: %s" % (path, text))
    print("%s: FMI %d, %d variables, %d wrong" % (path, version, len(variables), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
