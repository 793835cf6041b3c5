# SPDX-License-Identifier: MIT
"""Reads a result.h5 without a checksum in a child process: libhdf5 crashes on some damaged files and never finishes
with others.

    python -m interfield._child BACKEND PATH

writes a length (8 bytes), that many bytes of JSON, and the numbers of the datasets in their order."""
import json
import os
import resource
import struct
import subprocess
import sys

import numpy

SECONDS, MEMORY = 60, 4 << 30  # s of processor time; bytes in addition to four times the file
PATIENCE = 600  # s of wall-clock time, on a busy machine


def _read(backend, path):
    if backend == "h5py":
        from .results import _by_h5py
        return _by_h5py(path)
    from ._hdf5 import read_file
    return read_file(path)


def main(backend, path):
    from . import results  # noqa: F401  (imports need memory)
    bytes_ = os.path.getsize(path)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + bytes_ // (4 << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + 4 * bytes_,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    root, datasets = _read(backend, path)
    heads, numbers = [], []
    for name, (value, facts) in datasets.items():
        text = value.decode() if isinstance(value, bytes) else value if isinstance(value, str) else None
        array = None if text is not None else numpy.ascontiguousarray(value)
        heads.append([name, facts, text, None if array is None else array.dtype.str, 0 if array is None else array.size])
        if array is not None:
            numbers.append(array)
    head = json.dumps([root, heads]).encode()
    out = sys.stdout.buffer
    out.write(struct.pack("<Q", len(head)) + head)
    for array in numbers:
        out.write(array.tobytes())
    out.flush()
    os._exit(0)  # closing may not finish in libhdf5


def read_apart(backend, path):
    """As _by_h5py and read_file; OSError if the file cannot be read."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
    try:
        done = subprocess.run([sys.executable, "-m", "interfield._child", backend, path], env=env, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise OSError(f"{path} is damaged: libhdf5 does not finish") from None
    if done.returncode:
        if done.returncode > 0:
            raise OSError(f"{path} cannot be read: it is not an HDF5 file, or it is damaged")
        raise OSError(f"{path} is damaged: libhdf5 crashes on it or does not finish")
    length, = struct.unpack_from("<Q", done.stdout)
    root, heads = json.loads(done.stdout[8:8 + length])
    datasets, at = {}, 8 + length
    for name, facts, text, dtype, size in heads:
        if text is not None:
            datasets[name] = (text, facts)
            continue
        kind = numpy.dtype(dtype)
        datasets[name] = (numpy.frombuffer(done.stdout, kind, size, at).copy(), facts)
        at += size * kind.itemsize
    return root, datasets


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
