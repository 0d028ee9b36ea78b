#!/usr/bin/env python3
"""Whole-tool runs of the verbs that look at results, on small files written by hand.

usage: results_test.py COUPLET   (the program under test)
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

COUPLET = os.path.abspath(sys.argv.pop(1))


def run(*words, env=None):
    return subprocess.run([COUPLET, *map(str, words)], capture_output=True, timeout=120, text=True,
                          env=None if env is None else {**os.environ, **env})


class WithFiles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="couplet-results-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, header, rows):
        path = self.folder / name
        path.write_text(header + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
        return path

    def swing(self, name, n=200, error=0.0):
        rows = [(10 * i / n, math.cos(10 * i / n) + error * i / n, 0.3 * math.sin(20 * i / n), 5.0 - 1e-9 * i)
                for i in range(n + 1)]
        return self.write(name, "t [s],pivot.q [rad],rail.q [m],energy [J]", rows)


class Diff(WithFiles):
    def test_equal_results_agree(self):
        a = self.swing("a.csv")
        done = run("diff", a, a)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the results agree", done.stdout)

    def test_the_largest_difference_and_its_time(self):
        done = run("diff", self.swing("a.csv"), self.swing("b.csv", error=1e-3), "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        answer = json.loads(done.stdout)
        self.assertFalse(answer["agree"])
        worst = {each["name"]: each for each in answer["signals"]}
        self.assertAlmostEqual(worst["pivot.q"]["difference"], 1e-3, delta=1e-12)
        self.assertEqual(worst["pivot.q"]["t"], 10)
        self.assertFalse(worst["pivot.q"]["inside"])
        self.assertEqual(worst["rail.q"]["difference"], 0)

    def test_the_tube_decides(self):
        a, b = self.swing("a.csv"), self.swing("b.csv", error=1e-3)
        self.assertEqual(run("diff", a, b, "--tolerance", "1e-2").returncode, 0)
        self.assertEqual(run("diff", a, b, "--absolute", "2e-3").returncode, 0)
        self.assertEqual(run("diff", a, b, "--signals", "rail*", "energy").returncode, 0)
        # On other time grids lines are drawn between the rows: cos deviates by h²/8.
        self.assertEqual(run("diff", a, self.swing("c.csv", n=170), "--tolerance", "2e-3").returncode, 0)

    def test_what_only_one_has(self):
        a = self.write("a.csv", "t [s],x [m],y [m]", [(0, 1, 2), (1, 1, 2)])
        b = self.write("b.csv", "t [s],x [m],z [m]", [(0, 1, 2), (2, 1, 2)])
        done = run("diff", a, b)
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("only in the first: y", "only in the second: z", "compared from 0 to 1 s"):
            self.assertIn(text, done.stdout)
        self.assertEqual(run("diff", a, b, "--strict").returncode, 1)

    def test_wrong_input(self):
        a = self.swing("a.csv")
        (self.folder / "text.csv").write_text("t,x\n0,abc\n")
        (self.folder / "broken.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
        for other, message in (("none.csv", "none.csv' does not exist"), ("text.csv", "text.csv:2:3"), ("broken.h5", "damaged")):
            done = run("diff", a, self.folder / other)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(message, done.stderr)
        done = run("diff", a, a, "--signals", "pivto.q")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'pivot.q'", done.stderr)
        self.assertEqual(run("diff", a, a, "--tolerance", "-1").returncode, 2)

    def test_a_file_that_was_cut_off_is_read_with_a_warning(self):
        a = self.swing("a.csv")
        b = self.folder / "b.csv"
        b.write_text(a.read_text()[:-5])
        done = run("diff", a, b)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: the last line was cut off", done.stderr)


class Plot(WithFiles):
    def test_an_svg_with_axes_and_names(self):
        a, out = self.swing("a.csv"), self.folder / "a.svg"
        done = run("plot", a, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.etree.ElementTree.parse(out).getroot()
        texts = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
        self.assertLessEqual({"t [s]", "q [rad]", "q [m]", "pivot.q", "rail.q"}, texts)
        self.assertNotIn("energy", texts)  # positions are what one looks at first
        self.assertIn("prefers-color-scheme:dark", out.read_text())

    def test_two_results_and_their_difference(self):
        a, b = self.swing("a.csv"), self.swing("b.csv", error=1e-3)
        done = run("plot", a, b, "pivot", "--out", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("largest difference 0.00100 rad (pivot.q at 10.00 s)", done.stdout)

    def test_the_result_gives_the_name(self):
        a = self.swing("swing.csv")
        done = subprocess.run([COUPLET, "plot", a, "energy"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stdout, "swing.svg\n")
        self.assertTrue((self.folder / "swing.svg").exists())

    @unittest.skipUnless(shutil.which("rsvg-convert"), "PNG pictures need rsvg-convert (librsvg2-bin)")
    def test_a_png(self):
        a, out = self.swing("a.csv"), self.folder / "a.png"
        done = run("plot", a, "rail.q", "--against", "pivot.q", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out.read_bytes()[:4], b"\x89PNG")
        done = run("plot", a, "--out", self.folder / "none" / "a.png")
        self.assertEqual(done.returncode, 2)

    def test_a_png_without_the_converter_is_a_message(self):
        done = run("plot", self.swing("a.csv"), "--out", self.folder / "a.png", env={"PATH": "/nonexistent"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt install librsvg2-bin", done.stderr)

    def test_wrong_input(self):
        a = self.swing("a.csv")
        for words, message in (((a, "pivto.q"), "did you mean 'pivot.q'"),
                               ((a, "--out", self.folder / "a.gif"), "choose .svg or .png"),
                               ((a, "--out", self.folder / "none" / "a.svg"), "there is no folder"),
                               (("pivot.q",), "name a .csv or .h5 file"),
                               ((a, "--against", "nothing"), "no signal is called 'nothing'"),
                               ((a, "--from", "20"), "no rows to draw")):
            done = run("plot", *words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(message, done.stderr)


class Doctor(WithFiles):
    def test_versions_and_parts(self):
        done = run("doctor", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        for name in ("version", "compiler", "kernels", "Eigen", "HDF5", "SUNDIALS", "yaml-cpp", "pugixml"):
            self.assertRegex(answer[name], r"\d|portable")
        self.assertTrue(next(part for part in answer["parts"] if part["name"] == "result files")["found"])

    def test_what_is_missing_comes_with_a_fix(self):
        done = run("doctor", env={"PATH": "/nonexistent", "MODELICAPATH": str(self.folder / "none")})
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("apt install librsvg2-bin", "apt install gcc", "there is no folder"):
            self.assertIn(text, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1)
