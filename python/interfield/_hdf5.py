# SPDX-License-Identifier: MIT
"""Reads an HDF5 file with libhdf5 and numpy only: the numbers and texts of result.h5.

For computers without h5py. libinterfield always needs libhdf5."""
import ctypes
import ctypes.util
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_uint, c_void_p

import numpy

_id = c_int64  # hid_t since 1.10
_VISIT = ctypes.CFUNCTYPE(c_int, _id, c_char_p, c_void_p, c_void_p)

_SIGNATURES = {
    "H5open": (c_int, []),
    "H5Eset_auto2": (c_int, [_id, c_void_p, c_void_p]),
    "H5Fopen": (_id, [c_char_p, c_uint, _id]),
    "H5Fclose": (c_int, [_id]),
    "H5Oopen": (_id, [_id, c_char_p, _id]),
    "H5Oclose": (c_int, [_id]),
    "H5Iget_type": (c_int, [_id]),
    "H5Literate": (c_int, [_id, c_int, c_int, c_void_p, _VISIT, c_void_p]),
    "H5Aiterate2": (c_int, [_id, c_int, c_int, c_void_p, _VISIT, c_void_p]),
    "H5Aopen": (_id, [_id, c_char_p, _id]),
    "H5Aclose": (c_int, [_id]),
    "H5Aget_type": (_id, [_id]),
    "H5Aget_space": (_id, [_id]),
    "H5Aread": (c_int, [_id, _id, c_void_p]),
    "H5Dget_type": (_id, [_id]),
    "H5Dget_space": (_id, [_id]),
    "H5Dread": (c_int, [_id, _id, _id, _id, _id, c_void_p]),
    "H5Sget_simple_extent_npoints": (c_int64, [_id]),
    "H5Sclose": (c_int, [_id]),
    "H5Tget_class": (c_int, [_id]),
    "H5Tget_size": (c_size_t, [_id]),
    "H5Tis_variable_str": (c_int, [_id]),
    "H5Tclose": (c_int, [_id]),
    "H5free_memory": (c_int, [c_void_p]),
}
_H5I_GROUP, _H5I_DATASET = 2, 5
_H5T_INTEGER, _H5T_FLOAT, _H5T_STRING = 0, 1, 3
_library = None


def _load():
    global _library
    if _library is not None:
        return _library
    for name in ("hdf5", "hdf5_serial", "hdf5-103"):
        path = ctypes.util.find_library(name)
        if path:
            lib = ctypes.CDLL(path)
            break
    else:
        from ._library import library
        lib = library()  # it is linked with libhdf5 and gives access to its functions
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(lib, name, None) or getattr(lib, name + "1", None)  # H5Literate is versioned since 1.12
        if function is None:
            raise OSError(f"libhdf5 has no function {name}")
        function.restype, function.argtypes = result, arguments
        setattr(lib, "ifd_" + name, function)
    lib.ifd_H5open()
    lib.ifd_H5Eset_auto2(0, None, None)  # failures are returned as numbers, without output
    _library = lib
    return lib


def _native(lib, kind):
    return _id.in_dll(lib, f"H5T_NATIVE_{kind}_g")


class _Reader:
    def __init__(self, lib, path):
        self.lib, self.path = lib, path

    def check(self, number):
        if number < 0:
            raise OSError(f"{self.path} cannot be read: it is not an HDF5 file, or it is damaged")
        return number

    def names(self, iterate, where):
        found = []

        def visit(_, name, __, ___):
            found.append(name)
            return 0

        self.check(iterate(where, 0, 0, None, _VISIT(visit), None))
        return found

    def value(self, kind, points, fetch):
        """Numbers as an array, a text as a text; kind is the type in the file."""
        lib = self.lib
        what = lib.ifd_H5Tget_class(kind)
        if what == _H5T_STRING:
            return self.text(kind, fetch)
        size = lib.ifd_H5Tget_size(kind)
        if what == _H5T_FLOAT:
            array, native = numpy.empty(points), _native(lib, "DOUBLE")
        elif what == _H5T_INTEGER and size == 1:
            array, native = numpy.empty(points, dtype=numpy.uint8), _native(lib, "UCHAR")
        elif what == _H5T_INTEGER:
            array, native = numpy.empty(points, dtype=numpy.int64), _native(lib, "INT64")
        else:
            raise OSError(f"{self.path} contains a type that this reader does not support")
        self.check(fetch(native, array.ctypes.data_as(c_void_p)))
        return array

    def text(self, kind, fetch):
        lib = self.lib
        if lib.ifd_H5Tis_variable_str(kind) > 0:
            pointer = c_void_p()
            self.check(fetch(kind, byref(pointer)))
            said = ctypes.string_at(pointer.value).decode() if pointer.value else ""
            lib.ifd_H5free_memory(pointer)
            return said
        buffer = ctypes.create_string_buffer(lib.ifd_H5Tget_size(kind) + 1)
        self.check(fetch(kind, buffer))
        return buffer.value.decode()

    def attributes(self, where):
        lib, out = self.lib, {}
        for name in self.names(lib.ifd_H5Aiterate2, where):
            a = self.check(lib.ifd_H5Aopen(where, name, 0))
            kind, space = self.check(lib.ifd_H5Aget_type(a)), self.check(lib.ifd_H5Aget_space(a))
            points = self.check(lib.ifd_H5Sget_simple_extent_npoints(space))
            value = self.value(kind, points, lambda native, into, a=a: lib.ifd_H5Aread(a, native, into))
            out[name.decode()] = value if isinstance(value, str) else value[0].item() if points == 1 else value.tolist()
            lib.ifd_H5Sclose(space)
            lib.ifd_H5Tclose(kind)
            lib.ifd_H5Aclose(a)
        return out

    def dataset(self, d):
        lib = self.lib
        kind, space = self.check(lib.ifd_H5Dget_type(d)), self.check(lib.ifd_H5Dget_space(d))
        points = self.check(lib.ifd_H5Sget_simple_extent_npoints(space))
        value = self.value(kind, points, lambda native, into: lib.ifd_H5Dread(d, native, 0, 0, 0, into))
        lib.ifd_H5Sclose(space)
        lib.ifd_H5Tclose(kind)
        return value

    def walk(self, where, path, out):
        lib = self.lib
        for name in self.names(lib.ifd_H5Literate, where):
            item = self.check(lib.ifd_H5Oopen(where, name, 0))
            below = f"{path}{name.decode()}"
            if lib.ifd_H5Iget_type(item) == _H5I_DATASET:
                out[below] = (self.dataset(item), self.attributes(item))
            elif lib.ifd_H5Iget_type(item) == _H5I_GROUP:
                self.walk(item, below + "/", out)
            lib.ifd_H5Oclose(item)


def read_file(path):
    """({attribute: value} of the root, {path: (value, {attribute: value})} of every dataset)"""
    lib = _load()
    reader, out = _Reader(lib, path), {}
    f = reader.check(lib.ifd_H5Fopen(path.encode(), 0, 0))
    try:
        root = reader.check(lib.ifd_H5Oopen(f, b"/", 0))
        attributes = reader.attributes(root)
        reader.walk(root, "", out)
        lib.ifd_H5Oclose(root)
    finally:
        lib.ifd_H5Fclose(f)
    return attributes, out
