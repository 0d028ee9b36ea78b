#!/usr/bin/env python3
"""What a new user types in the first hour: streams, mistakes, studies, states of results, robots.

usage: first_hour_test.py COUPLET   (the program under test)
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

from in_folder import InFolder

COUPLET = pathlib.Path(sys.argv.pop(1)).resolve()
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

OSCILLATOR = """couplet: 1
name: oscillator
parameters: {m: 1 kg, k: 100 N/m, d: 2 N*s/m}
bodies: {a: {mass: m, particle: true}}
joints: {x: {type: prismatic, axis: x, from: world, to: a, q: 10 cm, stiffness: k, damping: d}}
states: {way: {rate: abs(x.v), start: 0 m}}
"""


class FirstHour(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "osc.yaml").write_text(OSCILLATOR)

    def couplet(self, *words, stdin=None, status=0, **environment):
        done = subprocess.run([COUPLET, *map(str, words)], cwd=self.folder, input=stdin, capture_output=True, text=True,
                              timeout=120, env=dict(os.environ, **environment))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def rows(self, name):
        with open(self.folder / name, encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_a_wrong_option_is_named_before_a_word_too_many(self):
        done = self.couplet("run", "osc.yaml", "1e-8", "--tolerence", status=2)
        self.assertEqual(done.stderr, "error: there is no option '--tolerence'\n  fix: did you mean '--tolerance'?\n")

    def test_one_text_for_a_file_that_is_missing(self):
        for words in (("check", "no.yaml"), ("check", "no.urdf"), ("check", "no.mo"), ("plot", "no.csv"),
                      ("diff", "no.csv", "no.h5"), ("evaluate", "osc.yaml", "--state", "no.json"),
                      ("run", "osc.yaml", "--state", "no.csv")):
            with self.subTest(words=words):
                self.assertIn(": error: the file does not exist\n  fix: check the path\n",
                              self.couplet(*words, status=2).stderr)

    def test_streams(self):
        rows = self.couplet("run", "osc.yaml", "--until", "1", "--out", "-")
        self.assertTrue(rows.stdout.startswith("t [s],x.q [m]"))
        self.assertGreater(len(rows.stdout.splitlines()), 1001)
        self.assertIn("recorded:", rows.stderr)
        self.assertIn("<svg", self.couplet("plot", "-", "x.q", stdin=rows.stdout).stdout)
        self.couplet("run", "osc.yaml", "--until", "1", "--out", "a.csv")
        self.couplet("diff", "a.csv", "-", stdin=rows.stdout)
        self.couplet("run", "-", "--until", "1", "--out", "b.csv", stdin=OSCILLATOR)
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        robot = (MODELS / "gripper.urdf").read_text()
        self.assertIn("degrees of freedom", self.couplet("check", "-", stdin=robot).stdout)

    def test_the_repeat_line_can_be_pasted(self):
        done = self.couplet("run", "osc.yaml", "--until", "1", "--set", "d=1 N*s/m", "--record", "-x.q,max(x.q, x.v)",
                            status=2)  # -x.q looks like an option
        done = self.couplet("run", "osc.yaml", "--until", "1", "--set", "d=1 N*s/m", "--record=-x.q,max(x.q, x.v)")
        line = next(line for line in done.stdout.splitlines() if "repeat:" in line).split("repeat:")[1].strip()
        self.assertEqual(self.rows("osc.csv")[0], ["t [s]", "-x.q", "max(x.q, x.v)"])
        before = (self.folder / "osc.csv").read_text()
        again = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, timeout=120,
                               env=dict(os.environ, PATH=f"{COUPLET.parent}:{os.environ['PATH']}"))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "osc.csv").read_text(), before)

    def test_a_run_begins_where_another_one_ended(self):
        self.couplet("run", "osc.yaml", "--until", "2", "--tolerance", "1e-10", "--out", "whole.csv")
        self.couplet("run", "osc.yaml", "--until", "1", "--interval", "0.002", "--tolerance", "1e-10", "--out", "half.csv",
                     "--end-state", "end.json")
        self.couplet("run", "osc.yaml", "--until", "1", "--record", "x.q", "--out", "little.csv")
        for number, start in enumerate(("half.csv", "half.csv@1", "whole.csv@1", "end.json", "half.csv@0.5")):
            with self.subTest(start=start):
                self.couplet("run", "osc.yaml", "--state", start, "--until", "2", "--tolerance", "1e-10", "--out",
                             f"rest{number}.csv")
                for ours, theirs in zip(self.rows(f"rest{number}.csv")[-1], self.rows("whole.csv")[-1]):
                    self.assertAlmostEqual(float(ours), float(theirs), delta=1e-8)
        self.assertIn("does not hold x.v, way",
                      self.couplet("run", "osc.yaml", "--state", "little.csv", "--until", "2", status=2).stderr)
        self.assertIn("the nearest is at 0.5",
                      self.couplet("run", "osc.yaml", "--state", "half.csv@0.5001", "--until", "2", status=2).stderr)

    def test_a_study(self):
        self.couplet("sweep", "osc.yaml", "--vary", "d=1:3:3", "--vary", "k=50 N/m,100 N/m", "--until", "1", "--record",
                     "x.q", "--out", "s.csv")
        table = self.rows("s_table.csv")
        self.assertEqual(table[0], ["d", "k", "t [s]", "x.q [m]", "result"])
        self.assertEqual(len(table), 7)
        self.couplet("run", "osc.yaml", "--set", "d=2", "--set", "k=100", "--until", "1", "--record", "x.q", "--out", "one.csv")
        self.assertEqual(table[4][:2], ["2", "100 N/m"])
        self.assertEqual(self.rows(table[4][4])[-1], self.rows("one.csv")[-1])
        self.assertIn("overwrite", self.couplet("sweep", "osc.yaml", "--vary", "d=1", "--out", "s.csv", status=2).stderr)
        self.assertIn("no parameter", self.couplet("sweep", "osc.yaml", "--vary", "e=1", "--out", "e.csv", status=2).stderr)

    def test_the_summary_says_what_changes_the_energy(self):
        self.assertIn("changed by damping", self.couplet("run", "osc.yaml", "--until", "1").stdout)
        self.couplet("run", "osc.yaml", "--until", "1", "--overwrite", "--set", "d=0")
        free = OSCILLATOR.replace(", damping: d", "")
        self.assertNotIn("changed by", self.couplet("run", "-", "--until", "1", stdin=free).stdout)

    def modes(self, text):
        done = self.couplet("modes", "-", "--equilibrium", "--json", stdin=text)
        return [(mode["frequency"], mode["damping"], mode["shape"]) for mode in json.loads(done.stdout)["modes"]]

    def test_frequencies(self):
        # m x'' + d x' + k x = 0, and a state that only follows
        (_, fading, _), (frequency, damping, shape) = self.modes(OSCILLATOR.replace("rate: abs(x.v)", "rate: x.q - 3*way"))
        self.assertAlmostEqual(damping, 2 / (2 * 10), delta=1e-8)
        self.assertAlmostEqual(frequency, 10 * math.sqrt(1 - 0.01) / (2 * math.pi), delta=1e-7)
        self.assertAlmostEqual(fading, 1, delta=1e-8)
        self.assertEqual(shape["x"], 1)
        # A pendulum of a rod, hanging, from a start 40 degrees off: sqrt(3 g/2 L)
        (frequency, damping, _), = self.modes("couplet: 1\nbodies: {r: {mass: 2, com: [0, 0, -0.5], shape: {rod: {length: 1}}}}\n"
                                              "joints: {h: {type: revolute, axis: y, from: world, to: r, q: 40 deg}}\n")
        self.assertAlmostEqual(frequency, math.sqrt(1.5 * 9.81) / (2 * math.pi), delta=1e-7)
        self.assertAlmostEqual(damping, 0, delta=1e-8)
        # The same of a point on a rod, which is a constraint: sqrt(g/L), twice
        found = self.modes("couplet: 1\nbodies: {p: {mass: 2, particle: true}}\njoints: {j: {type: xyz, from: world, to: p, q: [0.3, 0.1, -1.9]}}\n"
                           "constraints: {rod: {type: distance, from: world, to: p, length: 2}}\n")
        self.assertEqual(len(found), 2)
        for frequency, damping, _ in found:
            self.assertAlmostEqual(frequency, math.sqrt(9.81 / 2) / (2 * math.pi), delta=1e-6)
        self.assertIn("sticks at rest", self.couplet("modes", "-", status=2, stdin=OSCILLATOR.replace(
            "damping: d", "friction: {force: 1 N}")).stderr)

    def test_counts_are_singular_or_plural(self):
        said = self.couplet("check", "osc.yaml").stdout
        self.assertIn("1 body, 1 joint, 1 force element,", said)
        self.assertIn("a tree of 1 moving link\n", said)

    def test_a_robot_in_yaml(self):
        (self.folder / "arm7.urdf").write_text((MODELS / "arm7.urdf").read_text())
        self.couplet("export", "arm7.urdf", "--yaml", "--out", "arm7.yaml")
        for words in (("arm7.urdf",), ("arm7.yaml",)):
            self.couplet("run", *words, "--until", "0.5", "--tolerance", "1e-9", "--out", words[0] + ".csv")
        self.couplet("diff", "arm7.urdf.csv", "arm7.yaml.csv", "--tolerance", "1e-7")
        self.couplet("run", "arm7.urdf", "--until", "0.1", "--set", "tool.mass=2 kg", "--set", "elbow.friction=5")
        self.couplet("run", MODELS / "arm7_at_work.yaml", "--until", "0.2", "--set", "arm.tool.mass=1", "--out", "w.csv")

    def test_colours_are_for_terminals_that_want_them(self):
        def on_terminal(**environment):
            done = subprocess.run(["script", "-qec", f"{COUPLET} check no.yaml", "/dev/null"], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60, env=dict(os.environ, **environment))
            return done.stdout
        self.assertIn("\x1b[1;31merror:\x1b[0m", on_terminal(TERM="xterm", NO_COLOR=""))
        self.assertNotIn("\x1b", on_terminal(TERM="xterm", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.couplet("check", "no.yaml", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
