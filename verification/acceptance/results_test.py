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

COUPLET = sys.argv.pop(1)


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
        for other, message in (("none.csv", "No such file"), ("text.csv", "text.csv:2:3"), ("broken.h5", "damaged")):
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


if __name__ == "__main__":
    unittest.main(verbosity=1)
