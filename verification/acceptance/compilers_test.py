#!/usr/bin/env python3
"""Whatever becomes of the C compiler, a run is a function of its command.

usage: compilers_test.py COUPLET [--all]   (the program under test; every integrator, not only some)
"""
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import time

from in_folder import InFolder

COUPLET = str(pathlib.Path(sys.argv.pop(1)).resolve())
ALL = "--all" in sys.argv and not sys.argv.remove("--all")
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
MODEL = MODELS / "manutec_r3.yaml"
WORDS = ["run", MODEL, "--until", 5, "--interval", 0.05, "--tolerance", 1e-8]
CC = shutil.which("cc")

COMPILERS = {  # as scripts
    "missing": None,
    "failing": "exit 1",
    "lying": "exit 0",  # without an output
    "crashing": "kill -SEGV $$",
    "slow": 'sleep 0.3; exec cc "$@"',
    "works": 'exec cc "$@"',
}


class Compilers(InFolder):
    def environment(self, kind, **more):
        script = self.folder / f"{kind}-cc"
        if COMPILERS.get(kind) and not script.exists():  # a run that has ended may still be starting its compiler
            script.write_text(f"#!/bin/sh\n{COMPILERS[kind]}\n")
            script.chmod(stat.S_IRWXU)
        cache = self.folder / f"cache-{kind}"
        cache.mkdir(exist_ok=True)
        return {**os.environ, "XDG_CACHE_HOME": str(cache), "COUPLET_CC": str(script), **more}

    def run_with(self, kind, *words, **more):
        return subprocess.run([COUPLET, *map(str, words)], capture_output=True, text=True, timeout=120,
                              env=self.environment(kind, **more))

    def bytes_of(self, kind, formalism, words=(), ending=".csv"):
        out = self.folder / ("a" + ending)
        done = self.run_with(kind, *WORDS, *words, "--formalism", formalism, "--out", out, "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_bytes(), done.stdout

    def kinds(self):
        return [kind for kind in COMPILERS if CC or kind not in ("slow", "works")]

    def test_generated_gives_the_same_bytes_with_every_compiler(self):
        """Twelve runs: on the tape, from the tape to compiled code at some moment, compiled from the start."""
        results = {self.bytes_of(kind, "generated")[0] for kind in self.kinds() for _ in range(12 if kind == "slow" else 2)}
        self.assertEqual(len(results), 1)

    def test_fast_gives_the_same_bytes_with_every_compiler(self):
        seen = set()
        for kind in self.kinds():
            with self.subTest(kind=kind):
                texts = [self.bytes_of(kind, "fast") for _ in range(4)]
                seen |= {content for content, _ in texts}
                self.assertIn("fast (generated code)", texts[0][1])
        self.assertEqual(len(seen), 1)
        self.assertIn("there is no C compiler", self.bytes_of("missing", "fast")[1])

    def test_the_result_says_what_it_was_computed_by(self):
        for kind, formalism, says in (("failing", "fast", "fast (generated code)"), ("missing", "fast", "fast (generated code)"),
                                      ("missing", "generated", "generated")):
            content, _ = self.bytes_of(kind, formalism, ending=".h5")
            self.assertTrue(says.encode() in content, (kind, says))

    def test_a_run_waits_for_no_compiler_and_says_that_there_is_none(self):
        COMPILERS["hanging"] = "exec sleep 3600"
        began = time.monotonic()
        _, text = self.bytes_of("hanging", "generated")
        self.assertLess(time.monotonic() - began, 60)
        self.assertIn("tape", text)
        del COMPILERS["hanging"]
        for kind, reason in (("missing", "there is no C compiler"), ("failing", "the C compiler failed")):
            if kind == "failing" or ALL:
                done = self.run_with(kind, *WORDS[:2], "--until", 200, "--formalism", "generated", "--out", self.folder / "b.csv", "--overwrite")
                self.assertIn(f"tape ({reason})", done.stdout)

    def test_doctor_tells_the_truth(self):
        def says(kind, **more):
            parts = json.loads(self.run_with(kind, "doctor", "--json", **more).stdout)["parts"]
            return {part["name"]: part for part in parts}

        for kind, reason in (("missing", "there is no C compiler"), ("failing", "the C compiler failed"), ("lying", "the C compiler failed")):
            part = says(kind)["generated code"]
            self.assertFalse(part["found"])
            self.assertIn(reason, part["detail"])
        if CC:
            while "not done" in (part := says("works")["generated code"])["detail"]:
                pass  # it waits for 10 s; the machine is busy
            self.assertTrue(part["found"], part)
        cache = self.folder / "cache-works" / "couplet" / "compiled"
        cache.mkdir(parents=True, exist_ok=True)
        cache.chmod(0o755)  # as other programs make folders
        parts = says("works")
        for name in ("generated code", "cache folder"):
            self.assertFalse(parts[name]["found"])
            self.assertIn("not private", parts[name]["detail"])
        parts = says("works", XDG_CACHE_HOME="/proc/nowhere")  # where nobody can write
        self.assertFalse(parts["cache folder"]["found"])
        self.assertFalse(parts["generated code"]["found"])

    def test_killed_and_resumed_with_another_compiler(self):
        integrators = ("dopri5", "rk4", "radau5") if not ALL else INTEGRATORS
        for name in integrators:
            for formalism in ("generated", "fast"):
                for ending in (".csv", ".h5") if ALL else (".csv",):
                    with self.subTest(integrator=name, formalism=formalism, ending=ending):
                        self.kill_and_resume(name, formalism, ending)

    def kill_and_resume(self, name, formalism, ending):
        out, whole = self.folder / ("k" + ending), self.folder / ("w" + ending)
        words = ["run", MODEL, "--integrator", name, "--formalism", formalism, "--interval", 0.01, "--checkpoint", 0.1]
        step, equations = ["--step", 0.002], ["--equations", "explicit"]  # without error estimate; of those that ask for a balance
        words += next(more for more in ([], step, equations, step + equations)
                      if self.run_with("works", *words, *more, "--until", 0, "--out", whole, "--overwrite").returncode == 0)
        until = 4
        while True:  # long enough to be hit
            began = time.monotonic()
            done = self.run_with("works", *words, "--until", until, "--out", whole, "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            if time.monotonic() - began > 0.3:
                break
            until *= 2
        shutil.rmtree(self.folder / "cache-slow", ignore_errors=True)
        process = subprocess.Popen([COUPLET, *map(str, words), "--until", str(until), "--out", str(out), "--overwrite"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment("slow"))
        while process.poll() is None and not (self.folder / (out.name + ".checkpoint")).exists():
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        if process.wait() != 0:  # else it was faster than the signal
            done = self.run_with("missing", "resume", out)  # the environment has changed, the run does not
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_with("works", "diff", out, whole, "--tolerance", 0, "--absolute", 0, "--strict")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def integrators():
    text = subprocess.run([COUPLET, "help", "run"], capture_output=True, text=True).stdout
    names = text.split("--integrator NAME")[1].split("--equations")[0].replace("(default)", "")
    return [name.strip() for name in " ".join(names.split()).split(",")]


INTEGRATORS = integrators()

if __name__ == "__main__":
    import unittest

    unittest.main()
