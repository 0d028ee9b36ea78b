#!/usr/bin/env python3
"""couplet bench: what precision costs, as a table, a CSV file and a picture.

usage: bench_test.py COUPLET   (the program under test)
"""
import csv
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COUPLET = str(pathlib.Path(sys.argv.pop(1)).resolve())
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
PENDULUM = MODELS / "double_pendulum.yaml"
FOUR_BAR = MODELS / "four_bar.yaml"


def bench(*words, **options):
    words = [COUPLET, "bench", "integrators", *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, timeout=250, **options)


class Integrators(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_errors_decrease_with_the_tolerance(self):
        out = self.folder / "pendulum.svg"
        done = bench(PENDULUM, "--until", 1, "--integrators", "dopri5,rk4", "--budget", 0.5, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("reference:", "agrees with it to", "dopri5", "rk4", "milliseconds for an error", str(out)):
            self.assertIn(text, done.stdout)
        xml.etree.ElementTree.parse(out)
        self.assertIn(">rk4<", out.read_text())
        rows = [row for row in self.rows("pendulum.csv") if not row["left_out"]]
        for rule, setting in (("dopri5", "tolerance"), ("rk4", "step [s]")):
            mine = [row for row in rows if row["integrator"] == rule]
            self.assertGreater(len(mine), 4)
            settings = [float(row[setting]) for row in mine]
            self.assertEqual(settings, sorted(settings, reverse=True))
            self.assertLess(float(mine[-1]["error_position"]), 1e-4 * float(mine[0]["error_position"]))
            self.assertGreater(int(mine[-1]["evaluations"]), int(mine[0]["evaluations"]))

    def test_closed_loops_have_implicit_rules_too(self):
        done = bench(FOUR_BAR, "--until", 0.2, "--integrators", "hem5,ida", "--budget", 0.5, "--json",
                     "--out", self.folder / "loop.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertLess(told["reference"]["agreement_position"], 1e-8)
        ida = [p for p in told["points"] if p["integrator"] == "ida" and not p["left_out"]]
        self.assertGreater(len(ida), 2)
        self.assertGreater(ida[-1]["jacobians"], 0)

    def test_bad_input_has_status_2_and_writes_nothing(self):
        for words, text in ((["--integrators", "dopri5,rk44"], "there is no integrator 'rk44'"),
                            (["--until", "-1"], "not possible"), (["--budget", "0"], "not possible"),
                            (["--out", "picture.gif"], "not a picture format"),
                            (["--formalism", "magic"], "magic")):
            done = bench(PENDULUM, *words, cwd=self.folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
            self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(subprocess.run([COUPLET, "bench"], capture_output=True).returncode, 2)

    def test_ctrl_c_leaves_what_is_there(self):
        out = self.folder / "a.svg"
        process = subprocess.Popen([COUPLET, "bench", "integrators", str(PENDULUM), "--until", "1", "--budget", "60",
                                    "--integrators", "rk4,euler", "--out", str(out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3)  # forward Euler goes on for minutes
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        self.assertIn("rk4", out.with_suffix(".csv").read_text())


if __name__ == "__main__":
    unittest.main()
