# SPDX-License-Identifier: MIT
import os
import shutil
import tempfile
import unittest

import numpy as np

import interfield
from interfield import _hdf5

CASE = os.path.join(os.environ["IFD_SOURCE_DIR"], "cases", "oscillator", "specimen.yaml")

try:
    import h5py
except ImportError:
    h5py = None

try:
    import pandas
except ImportError:
    pandas = None
try:
    import matplotlib
    matplotlib.use("Agg")
except ImportError:
    matplotlib = None


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.temporary.name, "result")
        interfield.call("run", CASE, "--csv", "--set", "time.end=0.5 s", "--out", cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_numbers_are_those_of_the_csv_file(self):
        table = np.genfromtxt(os.path.join(self.folder, "result.csv"), delimiter=",", skip_header=1)
        r = interfield.read(self.folder, backend="ctypes")
        self.assertEqual(len(r), 501)
        np.testing.assert_array_equal(r.time, table[:, 0])
        for k, name in enumerate(r.columns):
            np.testing.assert_array_equal(r[name], table[:, k + 1], err_msg=name)

    def test_names_units_and_facts_come_along(self):
        r = interfield.read(os.path.join(self.folder, "result.h5"), backend="ctypes")
        self.assertEqual(r.units["spring force"], "N")
        self.assertEqual(r.groups["spring force"], "specimen")
        self.assertIs(r["specimen/spring/force"], r["spring force"])
        self.assertEqual(set(r.group("displacement")), {"x displacement"})
        self.assertEqual(r.attributes["outcome"], "completed")
        self.assertEqual(r.attributes["schema"], 1)
        self.assertEqual(r.attributes["step"], 1e-3)
        self.assertIn("spring: {between: [ground, x]", r.case)
        self.assertIn("x displacement", r)
        with self.assertRaisesRegex(KeyError, "no column 'y'; there are: x displacement"):
            r["y"]

    def test_an_unknown_column_is_answered_with_names_like_it(self):
        r = interfield.read(self.folder)
        for asked in ("x displacment", "X_Displacement", "displacement x", "x disp"):
            with self.assertRaisesRegex(KeyError, f"no column '{asked}'; did you mean 'x displacement'.* there are: "):
                r[asked]
        many = {f"roof{i} displacement": r.time for i in range(50)}
        big = interfield.Result(r.time, many, dict.fromkeys(many, "m"), dict.fromkeys(many, "displacement"), {})
        with self.assertRaisesRegex(KeyError, "did you mean 'roof7 displacement'.* there are: 50 columns, which .columns lists"):
            big["roof7 displacemnt"]
        with self.assertRaisesRegex(KeyError, "no column 'bridge'; there are: 50 columns"):
            big["bridge"]

    @unittest.skipUnless(h5py, "needs python3-h5py")
    def test_h5py_and_libhdf5_alone_read_the_same(self):
        a, b = (interfield.read(self.folder, backend=word) for word in ("h5py", "ctypes"))
        self.assertEqual(a.attributes, b.attributes)
        self.assertEqual((a.columns, a.units, a.groups, a.case), (b.columns, b.units, b.groups, b.case))
        for name in a.columns:
            np.testing.assert_array_equal(a[name], b[name], err_msg=name)

    @unittest.skipUnless(pandas, "needs python3-pandas")
    def test_a_data_frame_holds_the_numbers_with_time_as_its_index(self):
        r = interfield.read(self.folder)
        frame = r.to_dataframe()
        self.assertEqual((list(frame.columns), frame.index.name), (r.columns, "time"))
        np.testing.assert_array_equal(frame.index.to_numpy(), r.time)
        for name in r.columns:
            np.testing.assert_array_equal(frame[name].to_numpy(), r[name], err_msg=name)
        self.assertEqual(frame.attrs["units"], dict(r.units))
        self.assertEqual(frame.attrs["outcome"], "completed")
        few = r.to_dataframe(["specimen/spring/force"])
        self.assertEqual(few.attrs["units"], {"specimen/spring/force": "N"})
        with self.assertRaisesRegex(KeyError, "no column 'y'"):
            r.to_dataframe(["y"])

    @unittest.skipUnless(matplotlib, "needs python3-matplotlib")
    def test_a_plot_is_one_call(self):
        from matplotlib import pyplot
        r = interfield.read(self.folder)
        path = os.path.join(self.folder, "plot.png")
        figure = r.plot("x displacement", "spring force", path=path)
        upper, lower = figure.axes
        np.testing.assert_array_equal(upper.lines[0].get_ydata(), r["x displacement"])
        np.testing.assert_array_equal(lower.lines[0].get_xdata(), r.time)
        self.assertEqual([a.get_ylabel() for a in figure.axes], ["x displacement [m]", "spring force [N]"])
        self.assertEqual(lower.get_xlabel(), "Time [s]")
        with open(path, "rb") as f:
            self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
        loop = r.plot("spring force", against="x displacement")
        np.testing.assert_array_equal(loop.axes[0].lines[0].get_xdata(), r["x displacement"])
        self.assertEqual(loop.axes[0].get_xlabel(), "x displacement [m]")
        self.assertEqual([line.get_label() for line in r.plot().axes[0].lines], list(r.group("displacement")))
        twice = {"x1 displacement": r.time, "x2 displacement": r.time, "a drift": r.time, "bar force 1": r.time,
                 "bar force 2": r.time, "rate": r.time, "ratio": r.time}
        units = dict(zip(twice, ("m", "m", "m", "N", "N", "", "")))
        two = interfield.Result(r.time, twice, units, dict.fromkeys(twice, "displacement"), {})
        labels = [a.get_ylabel() for a in two.plot("x1 displacement", "x2 displacement", "bar force 1", "bar force 2").axes]
        self.assertEqual(labels, ["Displacement [m]", "Bar force [N]"])
        self.assertEqual([a.get_ylabel() for a in two.plot("x1 displacement", "a drift").axes], ["Displacement [m]"])
        self.assertEqual([a.get_ylabel() for a in two.plot("rate", "ratio").axes], [""])
        before = pyplot.get_fignums()
        with self.assertRaisesRegex(KeyError, "no column 'y'"):
            r.plot("y")
        self.assertEqual(pyplot.get_fignums(), before)
        pyplot.close("all")

    @unittest.skipUnless(matplotlib, "needs python3-matplotlib")
    def test_a_plot_of_a_test_has_its_target_dashed_while_simulated_time_goes_on(self):
        from matplotlib import pyplot
        wall, time = np.arange(6.0), np.array([0.0, 0.0, 1.0, 2.0, 2.0, 3.0])  # ramped in, held in the middle
        data = {"wall time": wall, "pier target": time, "pier deformation": 0.9 * time}
        r = interfield.Result(time, data, {"wall time": "s", "pier target": "m", "pier deformation": "m"},
                              {"wall time": "time", "pier target": "specimen", "pier deformation": "specimen"}, {})
        measured, target = sorted(r.plot("pier target", "pier deformation").axes[0].lines, key=lambda line: line.get_zorder())
        self.assertEqual([line.get_linestyle() for line in (target, measured)], ["--", "-"])
        np.testing.assert_array_equal(target.get_xdata(), [0.0, 1.0, 2.0, 3.0])
        np.testing.assert_array_equal(r.plot("pier target", against="wall time").axes[0].lines[0].get_xdata(), wall)
        pyplot.close("all")

    def test_what_cannot_be_read_is_refused(self):
        with self.assertRaises(FileNotFoundError):
            interfield.read(os.path.join(self.folder, "nothing"))
        with self.assertRaisesRegex(OSError, "not an HDF5 file"):
            interfield.read(os.path.join(self.folder, "summary.json"), backend="ctypes")

    @unittest.skipUnless(h5py, "needs python3-h5py")
    def test_another_layout_is_refused(self):
        path = os.path.join(self.folder, "next.h5")
        with h5py.File(path, "w") as f:
            f.attrs["schema"] = 2
        for backend in ("h5py", "ctypes"):
            with self.assertRaisesRegex(ValueError, "written by another version of interfield .schema 2; this version reads schema 1."):
                interfield.read(path, backend=backend)

    def test_reading_often_leaves_nothing_open(self):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            _hdf5.read_file(os.path.join(self.folder, "result.h5"))
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)


class Program(unittest.TestCase):
    def test_commands_give_objects(self):
        modes = interfield.call("modes", CASE.replace("specimen", "free"), "--count", 1)
        self.assertAlmostEqual(modes["modes"][0]["frequency"], np.sqrt(40.0) / (2 * np.pi), places=12)

    def test_a_failed_command_is_an_error_with_its_words(self):
        with self.assertRaisesRegex(interfield.Error, "nowhere.yaml") as caught:
            interfield.call("run", "nowhere.yaml")
        self.assertEqual(caught.exception.status, "FILE")
        with self.assertRaisesRegex(interfield.Error, "unknown command 'walk'"):
            interfield.call("walk")

    def test_an_unstable_case_is_no_error(self):
        said = interfield.call("stability", CASE.replace("specimen", "free"), "--set", "method=central-difference",
                               "--set", "time.step=1 s", "--set", "time.end=10 s")
        self.assertFalse(said["stable"])

    def test_preflight_stores_a_certificate_beside_the_case(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(os.path.dirname(CASE), "..", "steel-frame"), os.path.join(folder, "rig"))
            case = os.path.join(folder, "rig", "rig.yaml")
            said = interfield.preflight(case, "--set", "time.end=0.1 s")
            self.assertIn(said["verdict"], ("GO", "GO WITH CAUTION", "NO-GO"))
            self.assertTrue(os.path.exists(case.replace(".yaml", ".certificate.json")))


if __name__ == "__main__":
    unittest.main()
