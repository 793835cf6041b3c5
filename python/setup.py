# SPDX-License-Identifier: MIT
"""Settings that pyproject.toml cannot contain: the version from version.h, the source tree of the build, and a wheel with
the library.

INTERFIELD_BUNDLE=1 copies the library, its module and the program into the wheel: the files in INTERFIELD_LIBRARY and
INTERFIELD_PROGRAM, those built in the tree, or the installed ones. Libraries that they need (HDF5, OpenBLAS, ...) must
be installed on the system."""
import glob
import os
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
PREFIX = os.path.abspath(os.path.join(HERE, "..", "..", ".."))  # of PREFIX/share/interfield/python
BUILDS = ("build/release", "build/gcc")
HEADER = "include/interfield/version.h"


def version():
    """From version.h, in the source tree or installed; from PKG-INFO in an archive of the package alone."""
    for path, pattern in ((os.path.join(TREE, HEADER), r'#define IFD_VERSION "([^"]+)"'),
                          (os.path.join(PREFIX, HEADER), r'#define IFD_VERSION "([^"]+)"'),
                          (os.path.join(HERE, "PKG-INFO"), r"(?m)^Version: (\S+)$")):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                found = re.search(pattern, f.read())
            if found:
                return found.group(1)
    raise SystemExit(f"setup.py: no {HEADER}. Install from a source tree, or from PREFIX/share/interfield/python.")


def is_tree():
    """Whether this file is in the source tree of interfield."""
    return all(os.path.exists(os.path.join(TREE, name)) for name in ("src", HEADER))


def libdir():
    """The folder of the installed library from pkg-config; None without one."""
    asked = ["pkg-config", "--variable=libdir", "interfield"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()


def folders():
    """Folders of library and program: the builds of the tree, or the PREFIX of the installed package."""
    if is_tree():
        return [os.path.join(TREE, b) for b in BUILDS]
    libraries = [p for word in ("lib", "lib/*", "lib64") for p in glob.glob(f"{PREFIX}/{word}/libinterfield.so")]
    return [os.path.dirname(p) for p in libraries] + [os.path.join(PREFIX, "bin")]


def find(asked, names, kind):
    """The file to bundle: from the environment, from a build of the tree, or installed."""
    if os.environ.get(asked):
        return os.environ[asked]
    for path in names:
        if path and os.path.isfile(path):
            return path
    raise SystemExit(f"setup.py: INTERFIELD_BUNDLE is set, but no {kind} was found. "
                     f"Build it (make demo), install it, or set {asked} to its path.")


def bundle(folder):
    """Copies library, module and program into one folder."""
    soname = "libinterfield.so." + ".".join(version().split(".")[:2])
    places = [*folders(), libdir()]
    library = find("INTERFIELD_LIBRARY", [os.path.join(f, soname) for f in places if f], "library")
    programs = [os.path.join(f, "interfield") for f in folders()] + [shutil.which("interfield")]
    program = find("INTERFIELD_PROGRAM", programs, "program")
    os.makedirs(folder)
    shutil.copy(os.path.realpath(library), os.path.join(folder, soname))
    shutil.copy(os.path.realpath(program), os.path.join(folder, "interfield"))
    for beside in ("cvode.so", "interfield/cvode.so"):
        module = os.path.join(os.path.dirname(os.path.realpath(library)), beside)
        if os.path.exists(module):
            shutil.copy(module, os.path.join(folder, "cvode.so"))  # both search for it in their own folder


class Build(build_py):
    """Writes _built.py, which a source tree does not have: the version, and the folders of library and program."""

    def run(self):
        super().run()
        package = os.path.join(self.build_lib, "interfield")
        with open(os.path.join(package, "_built.py"), "w", encoding="utf-8") as f:
            builds = [] if BUNDLE else folders()
            f.write(f'"""Written by setup.py."""\nVERSION = {version()!r}\nBUILDS = {builds!r}\n')
        shutil.rmtree(os.path.join(package, "bundle"), ignore_errors=True)
        if BUNDLE:
            bundle(os.path.join(package, "bundle"))


BUNDLE = os.environ.get("INTERFIELD_BUNDLE", "0") not in ("", "0")
commands = {"build_py": Build}
if BUNDLE:
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:  # before setuptools 70
        from wheel.bdist_wheel import bdist_wheel

    class Wheel(bdist_wheel):
        """For this kind of machine and any Python 3, because the library is called through ctypes."""

        def finalize_options(self):
            super().finalize_options()
            self.root_is_pure = False

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    commands["bdist_wheel"] = Wheel

setup(version=version(), cmdclass=commands)
