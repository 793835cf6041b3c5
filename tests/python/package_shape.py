# SPDX-License-Identifier: MIT
import inspect
import os
import re
import sys
import unittest
from unittest import mock

import interfield
from interfield import _library


def public():
    """(name, function) of everything a user may call."""
    for name in interfield.__all__:
        thing = getattr(interfield, name)
        if inspect.isclass(thing):
            for word, member in vars(thing).items():
                member = getattr(member, "fget", None) or getattr(member, "__func__", member)
                own = inspect.isfunction(member) and member.__module__.startswith("interfield")
                if own and (word == "__init__" or not word.startswith("_")):
                    yield f"{name}.{word}", member
        elif inspect.isfunction(thing):
            yield name, thing


class Shape(unittest.TestCase):
    def test_the_version_is_the_one_of_the_header_and_of_the_library(self):
        with open(os.path.join(os.environ["IFD_SOURCE_DIR"], "include/interfield/version.h"), encoding="utf-8") as f:
            header = re.search(r'IFD_VERSION "(.*)"', f.read()).group(1)
        self.assertEqual(interfield.__version__, header)
        self.assertEqual(interfield.library_version(), header)
        self.assertTrue(header.startswith(_library.ABI + "."))

    def test_everything_public_has_hints_and_a_docstring(self):
        seen = 0
        for name, function in public():
            seen += 1
            if not name.endswith("__init__"):
                self.assertTrue(function.__doc__, f"{name} has no docstring")
            signature = inspect.signature(function)
            self.assertIsNot(signature.return_annotation, inspect.Signature.empty, f"{name}: what it returns")
            for word, parameter in signature.parameters.items():
                if word not in ("self", "cls"):
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{name}: {word}")
        self.assertGreater(seen, 25)
        for name in interfield.__all__:
            if name != "__version__":
                self.assertTrue(getattr(interfield, name).__doc__, f"{name} has no docstring")
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(interfield.__file__), "py.typed")))

    def test_a_build_of_the_tree_around_the_package_is_looked_for(self):
        tree = os.environ["IFD_SOURCE_DIR"]
        with mock.patch.dict(os.environ):
            del os.environ["INTERFIELD_LIBRARY"]
            with mock.patch("os.path.exists", return_value=True):
                paths = _library.candidates()
        soname = "libinterfield.so." + _library.ABI
        self.assertIn(os.path.join(tree, "build", "release", soname), paths)
        self.assertIn(soname, paths)

    def test_a_result_without_pandas_or_matplotlib_says_what_to_install(self):
        result = interfield.Simulation(M=[1.0], K=[1.0], step=0.01, end=0.1).run()
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                result.to_dataframe()
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            with self.assertRaisesRegex(ImportError, "python3-matplotlib"):
                result.plot()
