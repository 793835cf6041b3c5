# SPDX-License-Identifier: MIT
import os
import re
import tempfile
import unittest

import numpy as np

import interfield
from interfield import _library

SOURCE = os.environ["IFD_SOURCE_DIR"]


def exact_free(M, C, K, u0, times):
    """u(t) of M u'' + C u' + K u = 0 from rest at u0, by the eigenvalues of the first-order system."""
    n = len(u0)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    w, V = np.linalg.eig(A)
    a = np.linalg.solve(V, np.concatenate([u0, np.zeros(n)]).astype(complex))
    return np.array([(V @ (np.exp(w * t) * a)).real[:n] for t in times])


M = np.array([[3.0, 0.5], [0.5, 2.0]])
K = np.array([[500.0, -200.0], [-200.0, 300.0]])
C = 0.1 * M + 1e-3 * K
START = np.array([0.01, -0.02])


def limit(h, T):
    """Of the error of LSRT2 after T: e^z - R(z) = -0.0404 z^3 + ... of the fastest mode, at the largest amplitude."""
    w = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.max())
    amplitude = np.sqrt(START @ M @ START / np.linalg.eigvalsh(M).min())
    return 0.0405 * (w * h) ** 2 * w * T * amplitude


def plain(**more):
    given = {"initial": {"x1": 0.01, "x2": -0.02}, "step": 1e-3, "end": 1.0}
    given.update(more)
    return interfield.Simulation(M, C, K, **given)


class Arrays(unittest.TestCase):
    def test_free_motion_converges_to_the_exact_one_at_second_order(self):
        errors = []
        for h in (4e-3, 2e-3, 1e-3):
            r = plain(step=h).run()
            exact = exact_free(M, C, K, START, r.time)
            got = np.column_stack([r["x1 displacement"], r["x2 displacement"]])
            errors.append(np.abs(got - exact).max())
        self.assertLess(errors[-1], limit(1e-3, 1.0))
        for coarse, fine in zip(errors, errors[1:]):
            self.assertAlmostEqual(np.log2(coarse / fine), 2.0, delta=0.1)

    def test_the_exact_method_is_exact(self):
        r = plain(method="exponential", step=0.05).run()
        exact = exact_free(M, C, K, START, r.time)
        np.testing.assert_allclose(r["x1 displacement"], exact[:, 0], atol=1e-13)

    def test_a_diagonal_is_a_matrix(self):
        one = interfield.Simulation([2.0, 3.0], None, K, step=0.01, end=0.1).matrices()
        np.testing.assert_array_equal(one[0], np.diag([2.0, 3.0]))
        np.testing.assert_array_equal(one[1], np.zeros((2, 2)))

    def test_a_sparse_matrix_is_a_matrix(self):
        class Sparse:
            """What scipy's matrices have in common."""

            def __init__(self, dense):
                self.shape, (self.row, self.col) = dense.shape, np.nonzero(dense)
                self.data = dense[self.row, self.col]

            def tocoo(self):
                return self

        sparse = interfield.Simulation(Sparse(M), Sparse(C), Sparse(K), step=0.01, end=0.1)
        for got, given in zip(sparse.matrices(), (M, C, K)):
            np.testing.assert_array_equal(got, given)
        with self.assertRaisesRegex(ValueError, "K is 3 x 3"):
            interfield.Simulation(Sparse(M), None, Sparse(np.eye(3)), step=0.01, end=0.1)

    def test_matrices_come_back(self):
        mass, damping, stiffness, dofs = plain(dofs=["low", "high"], initial={}).matrices()
        np.testing.assert_array_equal(mass, M)
        np.testing.assert_array_equal(damping, C)
        np.testing.assert_array_equal(stiffness, K)
        self.assertEqual(dofs, ["low", "high"])

    def test_ground_motion_is_an_effective_force(self):
        t = np.arange(0, 1.001, 0.01)
        a = np.sin(12 * t)
        shaken = plain(initial={}, ground=(0.01, a)).run()
        load = -M @ np.ones(2)
        pushed = plain(initial={}, forces={"x1": (0.01, load[0] * a), "x2": (0.01, load[1] * a)}).run()
        np.testing.assert_allclose(shaken["x2 displacement"], pushed["x2 displacement"], rtol=0, atol=1e-15)
        self.assertGreater(shaken.peak("x2 displacement")[0], 1e-3)

    def test_parameters_of_a_method_are_taken(self):
        rough = plain(method=("generalized-alpha", {"rho": 0.0}), step=0.05).run()["x1 displacement"]
        fine = plain(method=("generalized-alpha", {"rho": 1.0}), step=0.05).run()["x1 displacement"]
        self.assertGreater(np.abs(rough - fine).max(), 1e-5)

    def test_what_is_recorded_can_be_chosen(self):
        sim = plain(record=["displacement"], every=10)
        self.assertEqual(sim.columns, ["x1 displacement", "x2 displacement"])
        self.assertEqual(len(sim.run()), 101)
        with self.assertRaisesRegex(ValueError, "'speed' is unknown, expected one of displacement"):
            plain(record=["speed"]).make()
        text = "time: {step: 1 ms, end: 1 s, record-every: 50}\nmethod: lsrt2\nmodel: {dofs: [x], mass: 1 kg}\n"
        kept = interfield.Simulation.from_text(text, record=["velocity"])
        self.assertEqual(kept.columns, ["x velocity"])
        self.assertEqual(len(kept.run()), 21)

    def test_modes_of_stability_are_those_of_numpy(self):
        v = plain().stability()
        w2 = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
        zeta = 0.5 * (0.1 / np.sqrt(w2) + 1e-3 * np.sqrt(w2))
        frequency = np.sqrt(w2 * (1 - zeta**2)) / (2 * np.pi)
        np.testing.assert_allclose([m.frequency for m in v.modes], frequency, rtol=1e-10)
        self.assertTrue(v.stable)
        self.assertAlmostEqual(v.radius, abs(v.roots[0]), places=14)

    def test_an_explicit_method_beyond_its_limit_is_unstable(self):
        limit = 2 / np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.max())
        bare = {"initial": {}, "method": "central-difference", "end": 10.0}
        self.assertTrue(interfield.Simulation(M, None, K, step=0.99 * limit, **bare).stability().stable)
        self.assertFalse(interfield.Simulation(M, None, K, step=1.01 * limit, **bare).stability().stable)


class Specimens(unittest.TestCase):
    def hybrid(self, answer=None, **more):
        """The spring between x1 and the ground taken out of K."""
        sim = interfield.Simulation(M, C, K - np.diag([300.0, 0.0]), initial={"x1": 0.01, "x2": -0.02}, step=1e-3,
                                    end=1.0, specimens={"spring": ("ground", "x1", 300.0)}, **more)
        return sim.specimen("spring", answer) if answer else sim

    def test_a_spring_in_python_is_the_spring_of_the_model(self):
        h = self.hybrid(lambda t, stretch, rate: 300.0 * stretch).run()
        exact = exact_free(M, C, K, START, h.time)
        self.assertLess(np.abs(h["x1 displacement"] - exact[:, 0]).max(), limit(1e-3, 1.0))
        np.testing.assert_array_equal(h["x1 displacement"], self.hybrid().run()["x1 displacement"])

    def test_the_answer_is_asked_once_per_exchange_in_order(self):
        asked = []
        self.hybrid(lambda t, stretch, rate: asked.append((t, stretch)) or 300.0 * stretch).run()
        self.assertEqual(len(asked), 2002)
        self.assertTrue(all(a[0] <= b[0] for a, b in zip(asked, asked[1:])))
        self.assertEqual(asked[0], (0.0, 0.01))

    def test_an_exception_comes_out(self):
        def answer(t, stretch, rate):
            if t > 0.5:
                raise ZeroDivisionError("the device broke")
            return 300.0 * stretch

        sim = self.hybrid(answer)
        with self.assertRaisesRegex(ZeroDivisionError, "the device broke"):
            sim.run()
        self.assertAlmostEqual(sim.time, 0.5, delta=2e-3)
        self.assertIn("specimen", sim.fault)

    def test_no_number_is_a_fault(self):
        r = self.hybrid(lambda t, stretch, rate: np.nan if t > 0.2 else 0.0).run()
        self.assertEqual(r.attributes["outcome"], "failed")
        self.assertLess(len(r), 210)

    def test_two_simulations_do_not_disturb_each_other(self):
        a, b = (self.hybrid(lambda t, stretch, rate: 300.0 * stretch) for _ in range(2))
        x, y = [], []
        for p, q in zip(a, b):
            x.append(p["x1 displacement"])
            y.append(q["x1 displacement"])
        self.assertEqual(x, y)
        self.assertEqual(len(x), 1001)


class Cases(unittest.TestCase):
    def test_a_case_runs_as_the_program_runs_it(self):
        path = os.path.join(SOURCE, "cases", "shear-pendulum", "free.yaml")
        mine = interfield.Simulation.from_case(path, {"time.end": "0.5 s"}).run()
        with tempfile.TemporaryDirectory() as folder:
            interfield.call("run", path, "--set", "time.end=0.5 s", "--out", os.path.join(folder, "r"))
            kept = interfield.read(os.path.join(folder, "r"))
        self.assertEqual(mine.columns, kept.columns)
        self.assertEqual(mine.units, kept.units)
        for name in kept.columns:
            np.testing.assert_array_equal(mine[name], kept[name], err_msg=name)

    def test_a_text_names_files_beside_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            frame = os.path.join(SOURCE, "cases", "frame-10", "frame.yaml")
            interfield.call("matrices", frame, "-o", os.path.join(folder, "f"))
            text = "time: {step: 1 ms, end: 5 ms}\nmethod: lsrt2\nmodel: {include: f/model.yaml}\n"
            mass, _, _, dofs = interfield.Simulation.from_text(text, folder=folder).matrices()
        self.assertEqual(mass.shape, (len(dofs), len(dofs)))
        self.assertEqual(len(dofs), 120)
        with self.assertRaises(interfield.Error):
            interfield.Simulation.from_text(text, folder="/nowhere")

    def test_a_structure_of_others_is_refused(self):
        with self.assertRaisesRegex(interfield.Error, "another program computes"):
            interfield.Simulation.from_case(os.path.join(SOURCE, "cases", "opensees", "sdof.yaml"))

    def test_parts_have_their_own_matrices(self):
        sim = interfield.Simulation.from_case(os.path.join(SOURCE, "cases", "split-mass", "staggered.yaml"))
        self.assertGreater(len(sim.parts), 1)
        for p, _ in enumerate(sim.parts):
            mass = sim.matrices(p)[0]
            self.assertTrue((np.linalg.eigvalsh(mass) > 0).all())
        with self.assertRaises(IndexError):
            sim.matrices(len(sim.parts))

    def test_preflight_says_go(self):
        path = os.path.join(SOURCE, "cases", "steel-frame", "rig.yaml")
        p = interfield.Simulation.from_case(path, {"time.end": "0.2 s"}).preflight()
        self.assertIn(p.verdict, ("GO", "GO WITH CAUTION", "NO-GO"))
        stability = [c for c in p.checks if c.topic == "stability"]
        self.assertEqual(stability[0].verdict, "GO")


class Refusals(unittest.TestCase):
    def refused(self, words, status, make):
        with self.assertRaises(interfield.Error) as caught:
            make()
        self.assertIn(words, str(caught.exception))
        self.assertEqual(caught.exception.status, status)

    def test_the_library_says_what_is_wrong(self):
        self.refused("no method 'euler'", "UNKNOWN_CHOICE", lambda: plain(method="euler"))
        self.refused("no dof 'x9'", "UNKNOWN_NAME", lambda: plain(initial={"x9": 1.0}))
        self.refused("not positive definite", "NOT_POSITIVE",
                     lambda: interfield.Simulation([[1, 2], [2, 1]], step=1, end=1).make())
        self.refused("no specimen 'damper'", "UNKNOWN_NAME", lambda: plain().specimen("damper", abs))
        self.refused("text.yaml:1:8: unknown key 'stop'", "UNKNOWN_KEY",
                     lambda: interfield.Simulation.from_text("time: {stop: 1 s}\n"))
        self.refused("cannot be restored", "UNSUPPORTED",
                     lambda: (lambda s: s.load(s.save()))(plain(method="reference", step=0.1, end=0.1)))

    def test_a_caution_is_an_outcome(self):
        text = ("time: {step: 10 ms, end: 2 s}\nmethod: {newmark: {gamma: %s}}\n"
                "model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m}\ninitial: {displacement: {x: 10 mm}}\n")
        doubtful, sound = (interfield.Simulation.from_text(text % gamma).run() for gamma in ("0.4416", "0.4527"))
        self.assertEqual((doubtful.attributes["outcome"], len(doubtful.cautions)), ("completed with caution", 1))
        self.assertIn("more than one tenth", doubtful.cautions[0])
        self.assertEqual((sound.attributes["outcome"], sound.cautions), ("completed", []))

    def test_arrays_of_a_wrong_shape_are_refused(self):
        with self.assertRaisesRegex(ValueError, "K is 3 x 3, expected 2 x 2"):
            interfield.Simulation([1.0, 1.0], None, np.eye(3), step=1, end=1)
        with self.assertRaisesRegex(ValueError, "needs step and end"):
            interfield.Simulation([1.0])
        with self.assertRaisesRegex(ValueError, "not a state"):
            plain().load(np.zeros(3))


class Structs(unittest.TestCase):
    def test_structs_are_laid_out_as_the_library_has_them(self):
        with open(os.path.join(SOURCE, "tests", "ground", "abi.txt"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        for name, struct in _library.MIRRORED.items():
            size = [m for m in (re.match(rf"struct {name} (\d+)$", line) for line in lines) if m]
            self.assertEqual(int(size[0].group(1)), _library.ctypes.sizeof(struct), name)
            offsets = {m.group(1): int(m.group(2)) for m in
                       (re.match(rf"struct {name}\.(\w+) (\d+) ", line) for line in lines) if m}
            mine = {field[0]: getattr(struct, field[0]).offset for field in struct._fields_}
            self.assertEqual(offsets, mine, name)


if __name__ == "__main__":
    unittest.main()
