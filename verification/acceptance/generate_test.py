#!/usr/bin/env python3
"""Whole-tool runs of `couplet generate`, and of the formalisms that run generated code.

usage: generate_test.py COUPLET   (the program under test)
"""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

COUPLET = sys.argv.pop(1)
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
R3 = MODELS / "manutec_r3.yaml"


def run(*words, env=None, stdin=None):
    return subprocess.run([COUPLET, *map(str, words)], capture_output=True, text=True, timeout=120,
                          env=None if env is None else {**os.environ, **env}, input=stdin)


class Generate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def generate(self, *words):
        done = run("generate", *words, "--out", self.folder.name, "--overwrite", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @unittest.skipUnless(shutil.which("cc"), "SKIPPED: there is no C compiler `cc`")
    def test_inverse_dynamics_of_the_r3_in_c(self):
        result = self.generate(R3, "--what", "inverse")
        counts = result["functions"][0]
        self.assertLessEqual(counts["multiplications"], 269)  # Dymola's
        self.assertLessEqual(counts["additions"], 190)
        text = pathlib.Path(result["source"]).read_text()
        self.assertIn(f"{counts['multiplications']} multiplications", text[:400])
        library = self.folder.name + "/r3.so"
        subprocess.run(["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                        result["source"], "-o", library, "-lm"], check=True)
        double6 = ctypes.c_double * 6
        q, v = double6(0.3, -0.5, 0.8, 0.4, -0.6, 1.1), double6(1, -0.7, 1.5, 2, -1.2, 0.9)
        vdot, tau = double6(0.5, 1, -1.5, 2, 0.7, -3), double6()
        ctypes.CDLL(library).manutec_r3_inverse(q, v, vdot, tau)
        # Case B of the references: three algorithms agree to 6e-14.
        expected = (6.670339676145, 402.188398147084, 73.554169669624, 7.313424152674, 32.869988366558,
                    -0.155420783930)
        for ours, theirs in zip(tau, expected):
            self.assertAlmostEqual(ours, theirs, delta=1e-9)

    def test_forward_dynamics_stays_below_the_best_known_counts(self):
        counts = self.generate(R3)["functions"][0]
        self.assertLessEqual(counts["multiplications"], 524)
        self.assertLessEqual(counts["additions"], 384)
        self.assertIn("composite", counts["form"])

    @unittest.skipUnless(shutil.which("cc"), "SKIPPED: there is no C compiler `cc`")
    def test_everything_of_every_example_compiles(self):
        for model in ("double_pendulum.yaml", "every_joint.yaml"):
            for what in ("forward", "inverse", "mass-matrix", "bias", "kinematics", "jacobian"):
                with self.subTest(model=model, what=what):
                    result = self.generate(MODELS / model, "--what", what, "--keep", "mass,gravity",
                                           "--batch", 4)
                    subprocess.run(["cc", "-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-c",
                                    result["source"], "-o", os.devnull], check=True)

    def test_a_long_chain_says_what_it_costs_and_can_be_stopped(self):
        folder = pathlib.Path(self.folder.name)
        model, n = folder / "chain.yaml", 60
        model.write_text("couplet: 1\nbodies:\n" + "".join(
            f"  b{i}: {{mass: 1, com: [0.1, 0.2, 0.3], inertia: [1, 1.1, 1.2], points: {{tip: [0.1, 0.2, -1]}}}}\n" for i in range(n)) +
            "joints:\n" + "".join(f"  j{i}: {{type: revolute, axis: [1, {i % 7}, {i % 3}], from: "
                                  f"{f'b{i - 1}.tip' if i else 'world'}, to: b{i}}}\n" for i in range(n)))
        process = subprocess.Popen([COUPLET, "generate", str(model), "--what", "gradients", "--out", str(folder / "code")],
                                   stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        note = process.stderr.readline()
        self.assertIn("million operations", note)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertFalse((folder / "code").exists())

    def test_bad_input_says_what_and_how(self):
        for words, says in (
                (["--what", "forwards"], ["'forwards' cannot be generated", "forward"]),
                (["--keep", "masses"], ["'masses' cannot be kept", "mass"]),
                (["--batch", 3], ["batch of 3", "2, 4 or 8"]),
                (["--out", str(R3)], ["is no directory", "--out"])):
            with self.subTest(words=words):
                out = [] if "--out" in words else ["--out", self.folder.name]
                done = run("generate", R3, *out, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                for text in says:
                    self.assertIn(text, done.stderr)
        done = run("generate", MODELS / "gripper.urdf", "--out", self.folder.name)
        self.assertEqual(done.returncode, 2)
        self.assertIn("mimic", done.stderr)
        self.assertEqual(run("generate", "nowhere.yaml").returncode, 2)


class Formalisms(unittest.TestCase):
    STATE = json.dumps({"q": {"axis2": 0.5, "axis5": -1}, "v": {"axis1": 2}})

    def evaluate(self, formalism, env):
        done = run("evaluate", R3, "--json", "--state", "-", "--formalism", formalism, env=env, stdin=self.STATE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["vdot"]

    def test_generated_code_and_fast_agree_with_and_without_a_compiler(self):
        expected = self.evaluate("recursive", {})
        with tempfile.TemporaryDirectory() as cache:
            for env in ({"XDG_CACHE_HOME": cache}, {"XDG_CACHE_HOME": cache, "COUPLET_CC": "/nonexistent"},
                        {"XDG_CACHE_HOME": "/dev/null/nowhere"}):
                for formalism in ("generated", "fast"):
                    for ours, theirs in zip(self.evaluate(formalism, env), expected):
                        self.assertAlmostEqual(ours, theirs, delta=1e-10)
            done = run("compare", R3, "--json", env={"XDG_CACHE_HOME": cache, "COUPLET_CC": "/nonexistent"})
            rows = {row["name"]: row for row in json.loads(done.stdout)["formalisms"]}
            self.assertIn("tape", rows["generated"]["note"])
            self.assertIn("generated code, tape (there is no C compiler)", rows["fast"]["note"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
