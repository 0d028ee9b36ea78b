#!/usr/bin/env python3
"""Whole runs: what is simulated, what is left when a run is killed, and how it goes on.

usage: simulation_test.py COUPLET   (the program under test)
"""
import csv
import json
import math
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

from in_folder import InFolder

COUPLET = str(pathlib.Path(sys.argv.pop(1)).resolve())
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
PENDULUM = MODELS / "double_pendulum.yaml"


def run(*words, **options):
    return subprocess.run([COUPLET, *map(str, words)], capture_output=True, text=True, timeout=120, **options)


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    names = [name.split(" [")[0] for name in rows[0]]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names)}


class Run(InFolder):
    def test_every_example_runs(self):
        for model in sorted([*MODELS.glob("*.yaml"), *MODELS.glob("*.urdf")]):
            with self.subTest(model=model.name):
                done = run("run", model, "--until", 0.2, "--out", self.folder / (model.stem + ".csv"), "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                summary = json.loads(done.stdout)
                self.assertEqual(summary["ending"], "done")
                self.assertAlmostEqual(summary["t_end"], 0.2)

    def test_implicit_rules_survive_stops_at_the_start(self):
        ends = []
        for rule in ("ida", "dop853"):
            out = self.folder / f"{rule}.csv"
            done = run("run", MODELS / "quadruped.urdf", "--integrator", rule, "--tolerance", 1e-7, "--until", 0.2, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            ends.append(columns(out))
        for name in ends[1]:
            if name.endswith(".q"):
                self.assertAlmostEqual(ends[0][name][-1], ends[1][name][-1], delta=1e-5)

    def test_summary_fits_a_screen_and_repeats(self):
        out = self.folder / "swing.csv"
        done = run("run", PENDULUM, "--until", 1, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(len(done.stdout.splitlines()), 24)
        for word in ("steps:", "energy:", "recorded:", "result:", "repeat:", "× real time"):
            self.assertIn(word, done.stdout)
        self.assertEqual(done.stderr, "")  # no progress bar in a pipe
        again = done.stdout.split("repeat:")[1].strip().split()
        first = out.read_bytes()
        done = subprocess.run([COUPLET, *again[1:], "--overwrite"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out.read_bytes().count(b"\n"), first.count(b"\n"))
        self.assertEqual(columns(out), columns(out))

    def test_energy_of_the_pendulum_is_kept(self):
        done = run("run", PENDULUM, "--until", 5, "--tolerance", 1e-10, "--out", self.folder / "a.csv", "--json")
        summary = json.loads(done.stdout)
        self.assertAlmostEqual(summary["energy_start"], summary["energy_end"], delta=1e-8)

    def test_the_ball_comes_to_rest(self):
        done = run("run", MODELS / "bouncing_ball.yaml", "--until", 6, "--out", self.folder / "b.csv", "--json")
        rests = json.loads(done.stdout)["rests"]
        self.assertEqual([rest["stop"] for rest in rests], ["fall, lower limit"])
        self.assertAlmostEqual(rests[0]["t"], 9 * math.sqrt(2 / 9.81), delta=1e-7)

    def test_formalisms_give_the_same_motion(self):
        for formalism in ("recursive", "kane"):
            run("run", PENDULUM, "--until", 2, "--tolerance", 1e-11, "--formalism", formalism, "--out",
                self.folder / f"{formalism}.h5")
        done = run("diff", self.folder / "recursive.h5", self.folder / "kane.h5", "--tolerance", 1e-8)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_real_time_holds_pace(self):
        begin = time.monotonic()
        done = run("run", PENDULUM, "--until", 1, "--step", 0.01, "--real-time", 2, "--out", self.folder / "c.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(time.monotonic() - begin, 0.5)
        self.assertRegex(done.stdout, "steps? late")

    def test_quantities_are_listed_and_chosen(self):
        done = run("run", PENDULUM, "--list")
        self.assertIn("elbow.q [rad]", done.stdout)
        self.assertIn("lower.tip.position.z [m]", done.stdout)
        out = self.folder / "d.csv"
        done = run("run", PENDULUM, "--until", 1, "--record", "elbow.*,lower.tip.position.z,2*elbow.q", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = columns(out)
        self.assertEqual([2 * q for q in data["elbow.q"]], data["2*elbow.q"])

    def test_forces_of_elements_are_recorded(self):
        """pull = k (l - l0) + d l', the motor's force as the file has it, and powers that change the energy."""
        model = MODELS / "slider_spring.yaml"
        self.assertIn("suspension.pull [N]", run("run", model, "--list").stdout)
        out = self.folder / "f.csv"
        done = run("run", model, "--until", 0.4, "--record", "suspension.*,rail.*", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = columns(out)
        for i, t in enumerate(data["t"]):
            q, v = data["rail.q"][i], data["rail.v"][i]
            self.assertAlmostEqual(data["suspension.length"][i], 0.15 + q, places=12)
            pull = 2000 * q + 15 * v
            self.assertAlmostEqual(data["suspension.pull"][i], pull, places=9)
            motor = 800 * (0.12 * min(2 * t, 1) - q) - 40 * v
            self.assertAlmostEqual(data["rail.effort"][i], motor, places=9)
            self.assertAlmostEqual(data["suspension.power"][i], -pull * v, places=9)
            self.assertAlmostEqual(2.5 * data["rail.vdot"][i], motor - pull, places=9)
        done = run("evaluate", model, "--forces")
        self.assertIn("force suspension: pull 40 N, length 0.17 m, rate 0 m/s, power -0 W\n", done.stdout)
        self.assertNotIn("suspension", run("evaluate", model).stdout)

    def test_a_run_can_begin_at_a_given_state(self):
        out = self.folder / "e.csv"
        state = self.folder / "state.json"
        state.write_text(json.dumps({"q": {"shoulder": 0.5, "elbow": -0.25}, "v": {"elbow": 2}}))
        done = run("run", PENDULUM, "--until", 1, "--state", state, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = columns(out)
        self.assertEqual((data["shoulder.q"][0], data["elbow.q"][0], data["elbow.v"][0]), (0.5, -0.25, 2))


class BadInput(InFolder):
    def test_mistakes_are_explained(self):
        for words, texts in {
            ("--integrator", "dopri"): ("there is no integrator 'dopri'", "dopri5"),
            ("--formalism", "kan"): ("there is no formalism 'kan'", "kane"),
            ("--record", "elbw.q"): ("there is no quantity 'elbw.q'", "did you mean 'elbow.q'"),
            ("--record", "x.*"): ("no quantity matches 'x.*'",),
            ("--step", "-1"): ("step",),
            ("--integrator", "rk4"): ("has no error estimate", "--step"),
            ("--tolerance", "0"): ("tolerances",),
            ("--until", "-1"): ("--until",),
            ("--until", "nan"): ("--until",),
            ("--interval", "0"): ("--interval",),
            ("--out", "result.xyz"): ("result.xyz", ".csv"),
            ("--integrator", "cvode-bdf", "--step", "0.1"): ("chooses its steps itself",),
            ("--checkpoint", "-3"): ("--checkpoint",),
        }.items():
            with self.subTest(words=words):
                self.fails(run("run", PENDULUM, *words, cwd=self.folder), 2, *texts)
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_result_that_exists_is_kept(self):
        out = self.folder / "a.csv"
        out.write_text("precious")
        self.fails(run("run", PENDULUM, "--out", out), 2, "a.csv", "--overwrite")
        self.assertEqual(out.read_text(), "precious")

    def test_folders_that_cannot_be_written(self):
        self.fails(run("run", PENDULUM, "--out", self.folder / "no" / "a.csv"), 2, "a.csv")
        self.fails(run("run", PENDULUM, "--out", "/proc/a.csv"), 2, "a.csv")

    def test_a_full_disk_keeps_what_is_there(self):
        for name in ("a.csv", "a.h5"):
            out = self.folder / name

            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

            done = run("run", PENDULUM, "--until", 1000, "--interval", 0.01, "--out", out, preexec_fn=limit)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(name, done.stderr)

    def test_a_pole_is_named_with_its_time(self):
        model = self.folder / "pole.yaml"
        model.write_text("couplet: 1\nbodies: {a: {mass: 1, particle: true}}\njoints:\n"
                         "  slide: {type: prismatic, from: world, to: a, axis: x, q: 1, v: 1, force: 2*slide.q*slide.v}\n")
        out = self.folder / "pole.csv"
        done = run("run", model, "--out", out)
        self.fails(done, 1, "at t = ", "slide", "pole.csv")
        self.assertAlmostEqual(columns(out)["t"][-1], 1, delta=0.02)


class Survival(InFolder):
    OPTIONS = ["--until", "1500", "--interval", "0.05", "--checkpoint", "15"]

    def reference(self, name, options):
        out = self.folder / ("whole_" + name)
        done = run("run", PENDULUM, *self.OPTIONS, *options, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def same(self, a, b):
        if a.suffix == ".csv":
            self.assertEqual([line for line in a.open() if not line.startswith("#")],
                             [line for line in b.open() if not line.startswith("#")])
        else:
            done = run("diff", a, b, "--tolerance", 0, "--absolute", 0)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sigkill_at_fifty_moments(self):
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        kinds = [("dopri5.csv", []), ("dopri5.h5", []), ("abm.csv", ["--integrator", "abm"]),
                 ("gbs.h5", ["--integrator", "gbs"]), ("cvode.csv", ["--integrator", "cvode-adams", "--tolerance", "1e-4"])]
        resumed = 0
        for name, options in kinds:
            begin = time.monotonic()
            whole = self.reference(name, options)
            duration = time.monotonic() - begin
            for k in range(10):
                out = self.folder / f"{k}_{name}"
                with self.subTest(seed=seed, name=name, k=k):
                    process = subprocess.Popen([COUPLET, "run", str(PENDULUM), *self.OPTIONS, *options, "--out", str(out)],
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    time.sleep(chance.uniform(0, duration))
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    if out.exists():  # readable up to the last flush
                        done = run("diff", out, whole, "--tolerance", 0, "--absolute", 0)
                        self.assertNotEqual(done.returncode, 2, done.stderr)
                    if not pathlib.Path(f"{out}.checkpoint").exists():
                        continue  # finished, or killed before the first checkpoint
                    done = run("resume", out)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.same(out, whole)
                    resumed += 1
        self.assertGreater(resumed, 5)  # kills must have hit runs that could go on

    def test_ctrl_c_leaves_a_checkpoint_to_go_on_from(self):
        whole = self.folder / "whole.csv"
        words = ["run", str(PENDULUM), "--until", "3000", "--interval", "0.05"]
        self.assertEqual(run(*words, "--out", whole).returncode, 0)
        out = self.folder / "a.csv"
        process = subprocess.Popen([COUPLET, *words, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("couplet resume", errors)
        self.assertEqual(run("resume", out).returncode, 0)
        self.same(out, whole)
        self.assertFalse(pathlib.Path(f"{out}.checkpoint").exists())

    def test_resume_refuses_what_does_not_fit(self):
        self.fails(run("resume", self.folder / "nothing.csv"), 2, "there is no checkpoint")
        model = self.folder / "model.yaml"
        model.write_text(PENDULUM.read_text())
        out = self.folder / "a.csv"
        process = subprocess.Popen([COUPLET, "run", str(model), "--until", "100000", "--checkpoint", "1", "--out", str(out)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checkpoint = pathlib.Path(f"{out}.checkpoint")
        while not checkpoint.exists():
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.fails(run("run", model, "--until", "200000", "--checkpoint", "1", "--out", out, "--resume"), 2, "had other options")
        model.write_text(PENDULUM.read_text() + "\n# changed\n")
        self.fails(run("resume", out), 2, "has changed since the checkpoint")
        model.write_text(PENDULUM.read_text())
        text = checkpoint.read_text()
        checkpoint.write_text(text[: len(text) // 2])
        self.fails(run("resume", out), 2, "damaged")


if __name__ == "__main__":
    unittest.main()
