# SPDX-License-Identifier: MIT
"""Rules of the FMI standards for modelDescription.xml of a co-simulation FMU and for its archive, written from the standards'
text and independent of the code that writes them.    fmi_rules.py FILE.fmu [--prove]

--prove spoils the description in many ways and wants every one of them noticed."""
import math
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

NAME = re.compile(r"^(der\()?[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*\)?$")
VARIABLE = "name valueReference description causality variability initial canHandleMultipleSetPerTimeInstant"
REAL = "declaredType quantity unit displayUnit relativeQuantity unbounded min max nominal start derivative reinit"
ROOT = "fmiVersion modelName description author version copyright license generationTool generationDateAndTime variableNamingConvention"
KIND = ("modelIdentifier needsExecutionTool canHandleVariableCommunicationStepSize maxOutputDerivativeOrder "
        "canBeInstantiatedOnlyOncePerProcess")
ATTRIBUTES = {  # what the schemas know, by version and element
    2: {
        "fmiModelDescription": ROOT + " guid numberOfEventIndicators",
        "CoSimulation": KIND + " canInterpolateInputs canRunAsynchronuously canNotUseMemoryManagementFunctions canGetAndSetFMUstate "
                               "canSerializeFMUstate providesDirectionalDerivative",
        "ScalarVariable": VARIABLE,
        "Real": REAL,
        "Unknown": "index dependencies dependenciesKind",
        "Outputs": "", "InitialUnknowns": "",
    },
    3: {
        "fmiModelDescription": ROOT + " instantiationToken",
        "CoSimulation": KIND + " canGetAndSetFMUState canSerializeFMUState providesDirectionalDerivatives providesAdjointDerivatives "
                               "providesPerElementDependencies fixedInternalStepSize recommendedIntermediateInputSmoothness "
                               "providesIntermediateUpdate mightReturnEarlyFromDoStep canReturnEarlyAfterIntermediateUpdate "
                               "hasEventMode providesEvaluateDiscreteStates",
        "Float64": VARIABLE + " " + REAL + " intermediateUpdate previous clocks",
        "Output": "valueReference dependencies dependenciesKind",
        "InitialUnknown": "valueReference dependencies dependenciesKind",
    },
}
for known in ATTRIBUTES.values():
    known.update({
        "UnitDefinitions": "", "Unit": "name", "BaseUnit": "kg m s A K mol cd rad factor offset", "LogCategories": "",
        "Category": "name description", "DefaultExperiment": "startTime stopTime tolerance stepSize", "ModelVariables": "",
        "ModelStructure": "",
    })
FUNCTIONS = {  # all that a binary exports, and nothing else
    2: """GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode
        ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean SetString GetFMUstate
        SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate GetDirectionalDerivative
        SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus GetIntegerStatus GetBooleanStatus
        GetStringStatus""".split(),
    3: """GetVersion SetDebugLogging InstantiateModelExchange InstantiateCoSimulation InstantiateScheduledExecution FreeInstance
        EnterInitializationMode ExitInitializationMode EnterEventMode Terminate Reset GetNumberOfVariableDependencies
        GetVariableDependencies GetFMUState SetFMUState FreeFMUState SerializedFMUStateSize SerializeFMUState DeserializeFMUState
        GetDirectionalDerivative GetAdjointDerivative EnterConfigurationMode ExitConfigurationMode GetIntervalDecimal
        GetIntervalFraction GetShiftDecimal GetShiftFraction SetIntervalDecimal SetIntervalFraction SetShiftDecimal SetShiftFraction
        EvaluateDiscreteStates UpdateDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates
        GetContinuousStateDerivatives GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates GetNumberOfEventIndicators
        GetNumberOfContinuousStates EnterStepMode GetOutputDerivatives DoStep ActivateModelPartition""".split()
    + [way + kind for way in ("Get", "Set") for kind in """Float32 Float64 Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Boolean
        String Binary Clock""".split()],
}
CAUSALITY = {"parameter", "calculatedParameter", "input", "output", "local", "independent"}
wrong = []


def need(condition, text):
    if not condition:
        wrong.append(text)


def is_number(text):
    try:
        return math.isfinite(float(text)) and text.strip() == text
    except ValueError:
        return False


def check_schema(root, version):
    """Elements and attributes that the schema knows, of the types it wants."""
    numbers = {"start", "min", "max", "nominal", "startTime", "stopTime", "stepSize", "tolerance", "fixedInternalStepSize", "factor"}
    whole = {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "maxOutputDerivativeOrder", "numberOfEventIndicators", "index"}
    for node in root.iter():
        known = ATTRIBUTES[version].get(node.tag)
        need(known is not None, "FMI %d knows no element %s here" % (version, node.tag))
        for key, text in node.attrib.items():
            need(key in (known or "").split(), "%s has no attribute %s" % (node.tag, key))
            if key in numbers:
                need(is_number(text), "%s.%s is no number: %s" % (node.tag, key, text))
            elif key in whole:
                need(re.match(r"^-?\d+$", text), "%s.%s is no whole number: %s" % (node.tag, key, text))
            elif key == "valueReference":
                need(re.match(r"^\d+$", text) and int(text) < 1 << 32, "%s.valueReference: %s" % (node.tag, text))
            elif re.match(r"^(can|provides|needs|has|might)[A-Z]", key):
                need(text in ("true", "false"), "%s.%s is neither true nor false" % (node.tag, key))
    units = [u.get("name") for u in root.find("UnitDefinitions")]
    need(len(set(units)) == len(units), "units are defined once")
    need(root.get("variableNamingConvention") in ("flat", "structured"), "naming convention")
    need(root.find("CoSimulation").get("canHandleVariableCommunicationStepSize") == "false", "its step is fixed, and it says so")


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
    need(len(listed) == len(set(listed)), "outputs stand there once")
    need({place(i) for i, _ in listed} == outputs, "every output stands in ModelStructure, and nothing else")
    first = [i for i, _ in unknowns(root, version, "InitialUnknown")]
    need(first == sorted(first), "initial unknowns ascend")
    need({place(i) for i in first} == outputs | calculated, "initial unknowns are outputs and calculated parameters")
    inputs = {i for i, v in enumerate(variables) if v["causality"] == "input"}
    for i, dependencies in listed:
        on = [int(d) - (1 if version == 2 else 0) for d in (dependencies or "").split()]
        need({place(d) for d in on} <= inputs, "outputs depend on inputs only")
        need(on == sorted(set(on)), "dependencies ascend")
        motion = variables[place(i)]["name"].split("[")[0].split(".")[0]
        if motion in ("a", "acceleration"):
            need({place(d) for d in on} == inputs, variables[place(i)]["name"] + " feels every input")
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


def said_by(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_binary(path, version):
    with open(path, "rb") as f:
        head = f.read(20)
    need(head[:5] == b"\x7fELF\x02" and struct.unpack("<H", head[18:20])[0] == 62, "a binary for x86-64")
    names = {line.split()[-1] for line in said_by("nm", "-D", "--defined-only", path).split("\n") if line}
    wanted = {"fmi%d%s" % (version, name) for name in FUNCTIONS[version]}
    need(names == wanted, "exported names: missing %s, too many %s" % (sorted(wanted - names), sorted(names - wanted)))
    dynamic = said_by("readelf", "-d", path)
    libraries = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    need(set(libraries) <= {"libc.so.6", "libm.so.6"}, "self-contained: %s" % libraries)
    need("RPATH" not in dynamic and "RUNPATH" not in dynamic and "TEXTREL" not in dynamic, "nothing of the machine it was built on")
    need("BIND_NOW" in dynamic, "bound when loaded, not in a step")
    need(not re.search(r"GNU_STACK.* RWE ", said_by("readelf", "-lW", path)), "no executable stack")
    glibc = [tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", said_by("nm", "-D", "--undefined-only", path))]
    need(max(glibc) <= (2, 31), "runs with glibc 2.31: %s" % (max(glibc),))


def check_archive(archive, identifier, version):
    folder = "binaries/linux64" if version == 2 else "binaries/x86_64-linux"
    names = archive.namelist()
    need(archive.testzip() is None, "checksums of the archive")
    need(sorted(names) == sorted(["modelDescription.xml", "%s/%s.so" % (folder, identifier), "resources/model.bin"]), "files: %s" % names)
    for info in archive.infolist():
        need(info.compress_type in (0, 8) and not info.flag_bits & 1 and info.extract_version <= 20, info.filename)
    with tempfile.NamedTemporaryFile(suffix=".so") as binary:
        binary.write(archive.read("%s/%s.so" % (folder, identifier)))
        binary.flush()
        check_binary(binary.name, version)


def check_description(text):
    root = ET.fromstring(text)
    version = int(root.get("fmiVersion")[0])
    need(root.get("fmiVersion") in ("2.0", "3.0"), "version")
    identifier = check_root(root, version)
    check_schema(root, version)
    variables = variables_of(root, version)
    check_variables(variables, {u.get("name") for u in root.find("UnitDefinitions")})
    check_structure(root, version, variables)
    return version, identifier, len(variables)


# Text that is replaced, once, and what by.
SPOILED = [
    (r'name="v\[1\]"', 'name="d[1]"'), (r'name="f\[1\]"', 'name="f 1"'), (r' start="0"', ""), (r' unit="m/s2"', ' unit="furlong"'),
    (r'causality="output"', 'causality="result"'), (r'<Unit name="N">', '<Unit name="m">'), (r' initial="exact"', ""),
    (r'(<Unknown index|<Output valueReference)="\d+" dependencies=""/>', ""), (r'stepSize="[^"]*"', 'stepSize="soon"'),
    (r'(<Unknown index|<Output valueReference)(="\d+") dependencies=""', r'\1\2 dependencies="2"'), (r'="true"', '="yes"'),
    (r'canHandleVariableCommunicationStepSize="false"', 'canHandleVariableCommunicationStepSize="true"'), (r"<LogCategories>", "<Log>"),
    (r' variability="continuous"', ' varies="always"'), (r'valueReference="2"', 'valueReference="1"'), (r'modelIdentifier="', 'modelIdentifier="1-'),
    (r'(<InitialUnknowns>\s*<Unknown[^>]*>|<InitialUnknown [^>]*>)', ""), (r'canSerializeFMU', 'canSerialiseFMU'),
]


def prove(text):
    for what, instead in SPOILED:
        del wrong[:]
        spoiled, count = re.subn(what, instead, text, count=1)
        if spoiled.count("<LogCategories>") != spoiled.count("</LogCategories>"):
            spoiled = spoiled.replace("</LogCategories>", "</Log>")
        if "<InitialUnknowns>" in text and "<InitialUnknowns>" not in spoiled:
            spoiled = spoiled.replace("</Outputs>", "</Outputs><InitialUnknowns>")
        try:
            check_description(spoiled)
        except (KeyError, IndexError, ValueError, TypeError, AttributeError) as found:
            wrong.append(repr(found))
        if count != 1 or not wrong:
            print("not noticed: %s" % what)
            return 1
    print("%d spoiled descriptions noticed" % len(SPOILED))
    return 0


def main(path, proving):
    with zipfile.ZipFile(path) as archive:
        text = archive.read("modelDescription.xml").decode()
        if proving:
            return prove(text)
        version, identifier, variables = check_description(text)
        check_archive(archive, identifier, version)
    for text in wrong:
        print("%s: %s" % (path, text))
    print("%s: FMI %d, %d variables, %d wrong" % (path, version, variables, len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--prove" in sys.argv))
