# SPDX-License-Identifier: MIT
"""Finds libinterfield and declares its functions (include/interfield/embed.h)."""
from __future__ import annotations

import ctypes
import glob
import os
import re
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_long, c_uint, c_void_p)

ABI = "0.1"  # number of the soname: other libraries may have other structs

MASS, DAMPING, STIFFNESS = 0, 1, 2
GOING, DONE, FAULT = 0, 1, 2
TOPIC, FOUND, VERDICT, ADVICE = 0, 1, 2, 3


class Error(RuntimeError):
    """An error of the library with its message; `status` is the name of the code ("UNKNOWN_KEY")."""

    def __init__(self, text: str, status: str = "") -> None:
        super().__init__(text)
        self.status = status


class Channel(Structure):
    """ifd_column"""
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("group", c_char_p), ("owner", c_char_p), ("quantity", c_int),
                ("number", c_int)]


class StabilityMode(Structure):
    """ifd_stability_mode"""
    _fields_ = [("frequency", c_double), ("exact_damping", c_double), ("omega", c_double), ("resolved", c_bool),
                ("real", c_double), ("imag", c_double), ("damping", c_double), ("frequency_error", c_double)]


class Root(Structure):
    """ifd_root"""
    _fields_ = [("real", c_double), ("imag", c_double), ("mode", c_int)]


class StabilityFacts(Structure):
    """ifd_stability"""
    _fields_ = [("states", c_int), ("root", POINTER(Root)), ("radius", c_double), ("stable", c_bool), ("ones", c_int),
                ("zeros", c_int), ("rigid", c_int), ("defective", c_int), ("spurious", c_double), ("modes", c_int),
                ("mode", POINTER(StabilityMode)), ("step", c_double), ("coarse", c_double), ("omega", c_double),
                ("linearised", c_bool), ("reduced", c_int), ("relaxations", c_int), ("relaxation", POINTER(c_double)),
                ("reduced_bound", c_double), ("reduced_range", c_double), ("bounded", c_bool)]


# The structs above, by their names in C: a test compares sizes and offsets with those of the library.
MIRRORED = {"ifd_column": Channel, "ifd_stability_mode": StabilityMode, "ifd_root": Root,
            "ifd_stability": StabilityFacts}

FORCE_OF = CFUNCTYPE(c_double, c_void_p, c_double, c_double, c_double)
_doubles, _ints, _texts = POINTER(c_double), POINTER(c_int), POINTER(c_char_p)

_SIGNATURES = {
    "ifd_version": (c_char_p, []),
    "ifd_status_name": (c_char_p, [c_int]),
    "ifd_variants_open": (c_void_p, [c_char_p, c_int, _texts]),
    "ifd_variants_close": (None, [c_void_p]),
    "ifd_variants_message": (c_char_p, [c_void_p]),
    "ifd_variants_count": (c_long, [c_void_p]),
    "ifd_variants_base": (c_char_p, [c_void_p]),
    "ifd_variants_variable": (c_char_p, [c_void_p, c_int]),
    "ifd_variants_choice": (c_char_p, [c_void_p, c_int, c_int]),
    "ifd_variants_choose": (c_int, [c_void_p, c_long]),
    "ifd_variants_value": (c_double, [c_void_p, c_int]),
    "ifd_variants_setting": (c_char_p, [c_void_p, c_int]),
    "ifd_sim_open": (c_void_p, []),
    "ifd_sim_close": (None, [c_void_p]),
    "ifd_sim_message": (c_char_p, [c_void_p]),
    "ifd_sim_read": (c_int, [c_void_p, c_char_p, c_int, _texts]),
    "ifd_sim_read_text": (c_int, [c_void_p, c_char_p, c_char_p, c_int, _texts]),
    "ifd_sim_dof": (c_int, [c_void_p, c_char_p, c_char_p]),
    "ifd_sim_matrix": (c_int, [c_void_p, c_int, c_int, _doubles]),
    "ifd_sim_entries": (c_int, [c_void_p, c_int, c_int, _ints, _ints, _doubles]),
    "ifd_sim_ground": (c_int, [c_void_p, c_char_p, c_int, c_double, _doubles]),
    "ifd_sim_force": (c_int, [c_void_p, c_char_p, c_int, c_double, _doubles]),
    "ifd_sim_initial": (c_int, [c_void_p, c_char_p, c_double, c_double]),
    "ifd_sim_method": (c_int, [c_void_p, c_char_p, c_double, c_double]),
    "ifd_sim_parameter": (c_int, [c_void_p, c_char_p, c_double, c_char_p]),
    "ifd_sim_specimen": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, c_double, c_double]),
    "ifd_sim_answer": (c_int, [c_void_p, c_char_p, FORCE_OF, c_void_p]),
    "ifd_sim_record": (c_int, [c_void_p, c_int, c_uint]),
    "ifd_sim_make": (c_int, [c_void_p]),
    "ifd_sim_tick": (c_int, [c_void_p]),
    "ifd_sim_step": (c_int, [c_void_p]),
    "ifd_sim_take": (c_long, [c_void_p, c_long, _doubles, _doubles]),
    "ifd_sim_columns": (c_int, [c_void_p]),
    "ifd_sim_column": (POINTER(Channel), [c_void_p, c_int]),
    "ifd_sim_values": (_doubles, [c_void_p]),
    "ifd_sim_time": (c_double, [c_void_p]),
    "ifd_sim_rows": (c_long, [c_void_p]),
    "ifd_sim_fault": (c_char_p, [c_void_p]),
    "ifd_sim_cautions": (c_char_p, [c_void_p]),
    "ifd_sim_size": (c_int, [c_void_p]),
    "ifd_sim_save": (None, [c_void_p, _doubles]),
    "ifd_sim_load": (c_int, [c_void_p, _doubles]),
    "ifd_sim_parts": (c_int, [c_void_p]),
    "ifd_sim_part": (c_char_p, [c_void_p, c_int]),
    "ifd_sim_dofs": (c_int, [c_void_p, c_int]),
    "ifd_sim_dof_name": (c_char_p, [c_void_p, c_int, c_int]),
    "ifd_sim_dense": (c_int, [c_void_p, c_int, c_int, c_bool, _doubles]),
    "ifd_sim_stability": (c_int, [c_void_p, POINTER(StabilityFacts)]),
    "ifd_sim_preflight": (c_int, [c_void_p, POINTER(c_char_p), POINTER(c_int)]),
    "ifd_sim_check": (c_char_p, [c_void_p, c_int, c_int]),
}

_library = None


HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLE = os.path.join(HERE, "bundle")  # of a wheel that contains the library

try:
    from ._built import BUILDS, VERSION  # written by pip: build folders and version of the source tree
except ImportError:
    BUILDS, VERSION = [], None


def prefix() -> str | None:
    """The installation PREFIX if the package is in PREFIX/share/interfield/python; otherwise None."""
    parts = HERE.split(os.sep)
    return os.sep.join(parts[:-4]) or os.sep if parts[-4:-1] == ["share", "interfield", "python"] else None


def builds() -> list[str]:
    """Build folders to search: those known at installation by pip, or those of the source tree."""
    tree = os.path.dirname(os.path.dirname(HERE))
    in_tree = os.path.exists(os.path.join(tree, "include", "interfield", "embed.h"))
    return list(BUILDS) + ([os.path.join(tree, "build", word) for word in ("release", "gcc")] if in_tree else [])


def candidates() -> list[str]:
    """Paths to try, in order of preference: INTERFIELD_LIBRARY, the wheel, the PREFIX, the system, a build."""
    asked = os.environ.get("INTERFIELD_LIBRARY")
    if asked:
        return [asked]
    soname = "libinterfield.so." + ABI
    found = [path for path in [os.path.join(BUNDLE, soname)] if os.path.exists(path)]
    if prefix():
        for pattern in ("lib", "lib/*", "lib64"):
            found += sorted(glob.glob(os.path.join(prefix() or "", pattern, soname)))
    found.append(soname)
    return found + [path for path in (os.path.join(b, soname) for b in builds()) if os.path.exists(path)]


def library() -> ctypes.CDLL:
    """The library, loaded once. Error if it is missing or has another version."""
    global _library
    if _library is not None:
        return _library
    trouble = []
    for path in candidates():
        try:
            lib = ctypes.CDLL(path)
            break
        except OSError as e:
            trouble.append(str(e))
    else:
        raise Error("libinterfield could not be loaded; install it, or set INTERFIELD_LIBRARY to its path:\n    "
                    + "\n    ".join(trouble))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(lib, name, None)
        if function is None:
            raise Error(f"{path} has no function {name}: its version differs from that of this package ({ABI})")
        function.restype, function.argtypes = result, arguments
    version = lib.ifd_version().decode()
    if not version.startswith(ABI + "."):
        raise Error(f"{path} is version {version}, this package needs {ABI}")
    _library = lib
    return lib


def library_version() -> str:
    """The version of the library, as "0.1.0"."""
    return library().ifd_version().decode()


def version() -> str:
    """The version of this package: that of version.h at installation, of the header in the tree, or of the library."""
    if VERSION:
        return VERSION
    tree = os.path.dirname(os.path.dirname(HERE))
    for folder in filter(None, (tree, prefix())):
        try:
            with open(os.path.join(folder, "include", "interfield", "version.h"), encoding="utf-8") as f:
                found = re.search(r'#define IFD_VERSION "([^"]+)"', f.read())
        except OSError:
            continue
        if found:
            return found.group(1)
    return library_version()


def texts(words: list[str]) -> ctypes.Array:
    """A C array of texts."""
    return (c_char_p * max(len(words), 1))(*[w.encode() for w in words])
