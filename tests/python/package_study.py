# SPDX-License-Identifier: MIT
import builtins
import os
import tempfile
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from unittest import mock

import numpy

import interfield

CASE = """title: oscillator
time: {step: 10 ms, end: 2 s}
ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.1 Hz}
model: {dofs: [x], mass: 1 kg, damping: 0.8 N s/m, stiffness: 60 N/m}
"""
STUDY = """case: case.yaml
vary:
  amplitude: {key: ground.amplitude, list: [1 m/s2, 2 m/s2]}
  stiffness: {key: model.stiffness, as: factor, uniform: {from: 0.8, to: 1.2}}
  method: {key: method, choice: [lsrt2, lsrt1]}
sample: {method: sobol, members: 4, seed: 3, scramble: yes}
keep: {top: {peak: x displacement}}
"""


def top(variant):
    """A reduction of one's own."""
    return {"own": variant.run().peak("x displacement")[0]}


class Pool:
    """The interface of a Client of Dask: map gives futures, gather their results."""

    def __init__(self, pool):
        self.pool = pool

    def map(self, function, items):
        return [self.pool.submit(function, item) for item in items]

    def gather(self, futures):
        return [future.result() for future in futures]


class Studies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in (("case.yaml", CASE), ("study.yaml", STUDY)):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as f:
                f.write(text)
        self.path = os.path.join(self.folder.name, "study.yaml")

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def test_variants_are_a_sequence(self):
        study = interfield.Study(self.path)
        self.assertEqual(len(study), 8)
        self.assertEqual(study.variables, ["amplitude", "stiffness", "method"])
        self.assertEqual([v.number for v in study], list(range(8)))
        self.assertEqual([v.values["amplitude"] for v in study], 4 * [1.0, 2.0])
        self.assertEqual({v.values["method"] for v in study}, {"lsrt1", "lsrt2"})
        self.assertEqual(study[3].values["stiffness"], study[2].values["stiffness"])
        self.assertEqual(study[-1].number, 7)
        self.assertRaises(IndexError, lambda: study[8])

    def test_a_table_has_a_row_for_each_member(self):
        table = interfield.study(self.path, out=self.at("out"), jobs=2)
        self.assertEqual(list(table["member"]), list(range(8)))
        self.assertEqual(set(table["outcome"]), {"completed"})
        again = interfield.Study(self.path).run(self.at("out"))
        self.assertTrue(numpy.array_equal(table["top"], again["top"]))

    def test_a_reduction_here_and_in_processes_gives_the_same_bits(self):
        kept = interfield.study(self.path, out=self.at("out"))["top"]
        own = interfield.study(self.path, reduce=top)["own"]
        with ProcessPoolExecutor(2) as pool:
            spread = interfield.study(self.path, reduce=top, executor=pool)["own"]
        with ThreadPoolExecutor(2) as pool:
            gathered = interfield.Study(self.path).map(top, Pool(pool))["own"]
        for other in (own, spread, gathered):
            self.assertTrue(numpy.array_equal(kept, other))

    def test_a_reduction_that_fails_does_not_stop_the_others(self):
        table = interfield.Study(self.path, {"sample.members": 1}).map(lambda v: v.number if v.number else 1 / 0)
        self.assertEqual(table["error"][0], "division by zero")
        self.assertEqual(table["value"][1], 1)

    def test_a_wrong_study_has_a_message_with_its_place(self):
        with open(self.path, "a", encoding="utf-8") as f:
            f.write("colour: red\n")
        with self.assertRaisesRegex(interfield.Error, "study.yaml:8:1: unknown key 'colour'"):
            interfield.Study(self.path)

    def test_without_pandas_the_table_is_an_array(self):
        interfield.study(self.path, out=self.at("out"))
        real = builtins.__import__

        def without(name, *rest, **more):
            if name == "pandas":
                raise ImportError(name)
            return real(name, *rest, **more)
        with mock.patch("builtins.__import__", without):
            table = interfield.read_study(self.at("out"))
        self.assertIsInstance(table, numpy.ndarray)
        self.assertEqual(table["member"].tolist(), list(range(8)))
        self.assertTrue(set(table["method"]) <= {"lsrt1", "lsrt2"})


if __name__ == "__main__":
    unittest.main()
