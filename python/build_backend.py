# SPDX-License-Identifier: MIT
"""The backend of pip (PEP 517): that of setuptools, which is downloaded only where it is not installed.

pip hides installed modules from a build. The setuptools of this Python, or of the one below a venv, is used here, so that
`pip install ./python` needs no network; without one pip is told to download it."""
import importlib
import os
import site
import sys

NEEDED = "setuptools>=61"


def _folders():
    """Folders of installed modules: of this Python, of its user, of the Python below a venv."""
    word = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    below = [f"{sys.base_prefix}/lib/{word}/site-packages"]
    if sys.base_prefix == "/usr":  # that of Debian
        below += [f"/usr/local/lib/{word}/dist-packages", "/usr/lib/python3/dist-packages"]
    own = [*site.getsitepackages(), site.getusersitepackages()]
    return [f for f in dict.fromkeys([*own, *below]) if os.path.isdir(f)]


def _found():
    """The backend of setuptools; None without one that is new enough."""
    before = list(sys.path)
    sys.path += [f for f in _folders() if f not in sys.path]
    try:
        importlib.import_module("setuptools.config.pyprojecttoml")  # since 61; its number is not always known
        return importlib.import_module("setuptools.build_meta")
    except Exception:  # noqa: BLE001 - none, or one that this Python cannot import
        sys.path[:] = before
        return None


_backend = _found()


def _missing(wheel):
    """What pip must download: nothing where it is installed."""
    if _backend is None:
        return [NEEDED]
    try:
        importlib.import_module("setuptools.command.bdist_wheel")  # since setuptools 70.1
    except ImportError:
        try:
            importlib.import_module("wheel")
        except ImportError:
            return ["wheel"] if wheel else []
    return []


def get_requires_for_build_wheel(config_settings=None):
    return _missing(wheel=True)


def get_requires_for_build_editable(config_settings=None):
    return _missing(wheel=True)


def get_requires_for_build_sdist(config_settings=None):
    return _missing(wheel=False)


def _call(name, *arguments):
    """One step of the build; a sentence instead of a traceback where its tools are missing."""
    backend = _backend or _found()
    missing = [NEEDED] if backend is None else _missing(wheel=name != "build_sdist")
    if missing:
        raise SystemExit(f"building interfield needs {' and '.join(missing)}, which is not installed for {sys.executable}. "
                         "Install it (Debian: apt install python3-setuptools python3-wheel), or use the package in place: "
                         "export PYTHONPATH=.../python")
    return getattr(backend, name)(*arguments)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _call("build_wheel", wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _call("build_editable", wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    return _call("build_sdist", sdist_directory, config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _call("prepare_metadata_for_build_wheel", metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    return _call("prepare_metadata_for_build_editable", metadata_directory, config_settings)
