#!/bin/sh
# SPDX-License-Identifier: MIT
# Exported FMUs against the rules of the standards, and against the validators that environment variables name.
set -eu
[ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ] || { echo 'skipped: builds with sanitizers have no runtime to export'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
fail() { echo "test_fmu_rules: $*" >&2; exit 1; }

rules=$IFD_SOURCE_DIR/tests/fmi/fmi_rules.py
for version in 2 3; do
    for name in bridge/hybrid frame-10/frame shear-pendulum/bouc-wen-one oscillator/specimen; do
        file=$(echo $name | tr '/' '-')-$version.fmu
        bare=--no-interface
        case $name in */hybrid | */specimen) bare= ;; esac
        "$IFD_PROGRAM" export-fmu "$IFD_SOURCE_DIR/cases/$name.yaml" -o "$file" --fmi $version $bare --quiet
        $python "$rules" "$file" || fail "$file"
        [ -z "${INTERFIELD_FMUSIM-}" ] || "$INTERFIELD_FMUSIM" --stop-time 0.5 "$file" || fail "fmusim $file"
        [ -z "${INTERFIELD_FMPY-}" ] || "$INTERFIELD_FMPY" validate "$file" || fail "FMPy $file"
        [ -z "${INTERFIELD_OMSIMULATOR-}" ] || "$INTERFIELD_OMSIMULATOR" --stopTime=0.5 "$file" || fail "OMSimulator $file"
        [ $version = 3 ] || [ -z "${INTERFIELD_FMUCHECK-}" ] || "$INTERFIELD_FMUCHECK" -e /dev/null "$file" || fail "fmuCheck $file"
        [ -z "${INTERFIELD_FMI_XSD-}" ] || { unzip -p "$file" modelDescription.xml >d.xml &&
            xmllint --noout --schema "$INTERFIELD_FMI_XSD/fmi$version/fmi${version}ModelDescription.xsd" d.xml; } || fail "schema $file"
    done
done
for version in 2 3; do
    $python "$rules" bridge-hybrid-$version.fmu --prove || fail 'the rules do not notice'
done
for name in FMUSIM FMPY OMSIMULATOR FMUCHECK FMI_XSD; do
    eval "[ -n \"\${INTERFIELD_$name-}\" ]" || echo "skipped: INTERFIELD_$name names no validator"
done

# The same case gives the same bytes.
"$IFD_PROGRAM" export-fmu "$IFD_SOURCE_DIR/cases/bridge/hybrid.yaml" -o again.fmu --fmi 2 --quiet
cmp again.fmu bridge-hybrid-2.fmu || fail 'not reproducible'
refused() {
    text=$1
    shift
    if "$IFD_PROGRAM" export-fmu "$@" 2>said; then fail "accepted: $*"; fi
    grep -q "$text" said || fail "'$text' was not said: $(cat said)"
}
refused 'cannot be written' "$IFD_SOURCE_DIR/cases/bridge/hybrid.yaml" -o again.fmu
refused 'coupled substructures cannot be exported' "$IFD_SOURCE_DIR/cases/bridge/pg-alpha.yaml" -o x.fmu
refused 'cannot be exported' "$IFD_SOURCE_DIR/cases/oscillator/free.yaml" --set method=exponential --no-interface -o x.fmu
refused 'not a C identifier' "$IFD_SOURCE_DIR/cases/oscillator/free.yaml" --no-interface --identifier '../x' -o x.fmu
refused "no dof 'nobody'" "$IFD_SOURCE_DIR/cases/oscillator/free.yaml" --interface nobody -o x.fmu
[ ! -e x.fmu ] || fail 'a refused export left a file'
echo fine
