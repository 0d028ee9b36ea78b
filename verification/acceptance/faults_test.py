#!/usr/bin/env python3
"""Faults of a run: nothing that was computed is lost, and nothing wrong takes its place.

usage: faults_test.py COUPLET [--all]   (the program under test; every integrator, not only some)
"""
import json
import os
import pathlib
import pty
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

from in_folder import InFolder

COUPLET = str(pathlib.Path(sys.argv.pop(1)).resolve())
ALL = "--all" in sys.argv and not sys.argv.remove("--all")
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
PENDULUM = MODELS / "double_pendulum.yaml"
FORMATS = (".csv", ".h5")


def run(*words, **options):
    return subprocess.run([COUPLET, *map(str, words)], capture_output=True, text=True, timeout=120, **options)


# Whoever runs tests in the background may ignore interrupts and hang-ups, and what they start would.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(*words, **options):
    return subprocess.Popen([COUPLET, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for(path, process):
    while not path.exists():
        if process.poll() is not None:
            raise AssertionError(f"it ended before {path.name} was there: {process.communicate()}")
        time.sleep(0.005)


def end(process, how=signal.SIGKILL):
    process.send_signal(how)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


class WithResults(InFolder):
    def rows(self, path):
        """As this program reads them; complains when it cannot."""
        done = run("diff", path, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def last_time(self, path):
        return json.loads(run("diff", path, path, "--json").stdout)["to"]

    def same(self, a, b):
        done = run("diff", a, b, "--tolerance", 0, "--absolute", 0, "--strict")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class OneWriter(WithResults):
    """While a run writes a result, nobody else does."""

    LONG = ["--until", 1e7, "--interval", 1, "--checkpoint", 1]

    def test_a_second_run_and_a_resume_are_refused(self):
        for ending in FORMATS:
            out = self.folder / ("a" + ending)
            link = self.folder / ("link" + ending)
            link.symlink_to(out.name)
            first = start("run", PENDULUM, *self.LONG, "--out", out)
            wait_for(self.folder / (out.name + ".checkpoint"), first)
            for words in (["resume", out], ["run", PENDULUM, "--out", out], ["run", PENDULUM, "--out", out, "--overwrite"],
                          ["run", PENDULUM, *self.LONG, "--out", out, "--resume"], ["run", PENDULUM, "--out", link, "--overwrite"]):
                with self.subTest(words=words):
                    done = run(*words)
                    self.fails(done, 2, words[-1 if words[0] == "resume" else words.index("--out") + 1].name,
                               f"another run (process {first.pid}) is writing this result", "--out" if words[0] == "run" else "wait")
            self.rows(out)  # readers are not kept out
            self.assertIsNone(first.poll(), "the first run goes on")
            self.assertEqual(end(first, signal.SIGTERM)[0], 143)
            self.assertFalse((self.folder / (out.name + ".lock")).exists())
            self.rows(out)

    def test_before_the_first_rows_are_there_too(self):
        out = self.folder / "a.csv"
        first = start("run", PENDULUM, "--until", 100, "--step", 0.01, "--real-time", 1e-6, "--out", out)
        wait_for(self.folder / "a.csv.lock", first)
        self.fails(run("run", PENDULUM, "--out", out), 2, "a.csv", "is writing this result")
        end(first)

    def test_a_file_in_the_place_of_the_lock_is_left_alone(self):
        out, lock = self.folder / "a.csv", self.folder / "a.csv.lock"
        lock.write_text("precious")
        self.fails(run("run", PENDULUM, "--until", 1, "--out", out), 2, lock.name)
        self.assertEqual(lock.read_text(), "precious")
        self.assertFalse(out.exists())

    def test_the_dead_keep_no_lock(self):
        for ending in FORMATS:
            out, whole = self.folder / ("a" + ending), self.folder / ("whole" + ending)
            words = ["run", PENDULUM, "--until", 400, "--interval", 0.05, "--checkpoint", 1]
            self.assertEqual(run(*words, "--out", whole).returncode, 0)
            first = start(*words, "--out", out)
            wait_for(self.folder / (out.name + ".checkpoint"), first)
            end(first)
            self.assertTrue((self.folder / (out.name + ".lock")).exists())
            done = run("resume", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.same(out, whole)
            self.assertFalse((self.folder / (out.name + ".lock")).exists())


class OneResult(WithResults):
    """A checkpoint goes on with the rows it was written for, and no others."""

    def killed(self, out, *words):
        """A run that was killed when it had written a checkpoint, or with --overwrite its first rows."""
        before = out.stat().st_ino if out.exists() else None
        process = start("run", PENDULUM, "--until", 1e6, "--interval", 0.01, "--out", out, *words)
        wait_for(out if before else self.folder / (out.name + ".checkpoint"), process)
        while before and out.stat().st_ino == before:
            time.sleep(0.005)
        end(process)

    def test_a_run_that_overwrites_takes_the_checkpoint_with_it(self):
        for ending in FORMATS:
            out = self.folder / ("a" + ending)
            self.killed(out, "--checkpoint", 1)
            self.killed(out, "--gravity", "0,0,-1", "--overwrite", "--checkpoint", 1e5)
            before = out.read_bytes()
            self.fails(run("resume", out), 2, "there is no checkpoint")
            self.assertEqual(out.read_bytes(), before)

    def test_rows_of_another_run_are_not_continued(self):
        for ending in FORMATS:
            out, other = self.folder / ("a" + ending), self.folder / ("b" + ending)
            self.killed(out, "--checkpoint", 1)
            self.killed(other, "--gravity", "0,0,-1", "--checkpoint", 5)
            other.replace(out)  # whatever brought it there
            before = out.read_bytes()
            self.fails(run("resume", out), 2, out.name, "the checkpoint", "start again")  # other numbers, or too few rows
            self.assertEqual(out.read_bytes(), before)

    def test_a_result_that_was_copied_or_renamed_is_itself_continued(self):
        for ending in FORMATS:
            out, copy, whole = (self.folder / (name + ending) for name in ("a", "copy", "whole"))
            words = ["run", PENDULUM, "--until", 100, "--interval", 0.05, "--checkpoint", 1]
            self.assertEqual(run(*words, "--out", whole).returncode, 0)
            process = start(*words, "--out", out)
            wait_for(self.folder / (out.name + ".checkpoint"), process)
            end(process)
            for suffix in ("", ".checkpoint"):
                (self.folder / (copy.name + suffix)).write_bytes((self.folder / (out.name + suffix)).read_bytes())
            before = out.read_bytes()
            self.assertEqual(run("resume", copy.name, cwd=self.folder).returncode, 0)
            self.assertEqual(out.read_bytes(), before)
            self.same(copy, whole)
            moved = self.folder / "elsewhere"
            moved.mkdir(exist_ok=True)
            for suffix in ("", ".checkpoint"):
                (self.folder / (out.name + suffix)).rename(moved / (out.name + suffix))
            self.assertEqual(run("resume", moved / out.name).returncode, 0)
            self.same(moved / out.name, whole)

    def test_a_result_that_was_edited_is_not_continued(self):
        out = self.folder / "a.csv"
        self.killed(out, "--checkpoint", 1)
        lines = out.read_text().splitlines(keepends=True)
        for edit in (lambda: lines[:5] + lines[6:], lambda: lines[:5] + lines[5:6] + lines[5:],
                     lambda: [*lines[:5], lines[5].replace("1", "2", 1) if "1" in lines[5] else lines[6], *lines[6:]]):
            out.write_text("".join(edit()))
            before = out.read_bytes()
            self.fails(run("resume", out), 2, "a.csv", "the checkpoint")  # other numbers, or too few rows
            self.assertEqual(out.read_bytes(), before)

    def test_an_old_result_keeps_its_checkpoint_when_it_is_not_overwritten(self):
        out = self.folder / "a.csv"
        self.killed(out, "--checkpoint", 1)
        checkpoint = self.folder / "a.csv.checkpoint"
        before = checkpoint.read_bytes()
        self.fails(run("run", PENDULUM, "--out", out), 2, "there is a result of this name already")
        self.assertEqual(checkpoint.read_bytes(), before)

    def test_links_in_the_way_of_a_checkpoint_are_not_followed(self):
        precious = self.folder / "precious"
        precious.write_text("precious")
        for name in ("a.csv.checkpoint", "a.csv.checkpoint.new"):
            (self.folder / name).symlink_to(precious)
        self.killed(self.folder / "a.csv", "--checkpoint", 1)
        self.assertEqual(precious.read_text(), "precious")


def integrators():
    """Their names, as help lists them; without --all, one of each kind."""
    text = subprocess.run([COUPLET, "help", "run"], capture_output=True, text=True).stdout
    names = text.split("--integrator NAME")[1].split("--equations")[0].replace("(default)", "")
    names = [name.strip() for name in " ".join(names.split()).split(",")]
    return names if ALL else [name for name in ("dopri5", "rk4", "cvode-bdf", "generalised-alpha", "radau5") if name in names]


class EveryIntegrator(WithResults):
    """Killed, interrupted or hung up at any moment, a run with checkpoints goes on to the same bits."""

    counts = {}

    @classmethod
    def tearDownClass(cls):
        print("; ".join(f"{count} {what}" for what, count in sorted(cls.counts.items())), file=sys.stderr)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def test_goes_on_to_the_same_bits(self):
        chance = random.Random(1)
        for name in integrators():
            for ending in FORMATS:
                with self.subTest(integrator=name, ending=ending):
                    self.faults(name, ending, chance)
        for how in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"):
            self.assertGreater(self.counts.get(f"{how}: resumed to the same bits", 0), 0, "no fault came in time")

    def faults(self, name, ending, chance):
        whole = self.folder / (name + ending)
        words = ["run", PENDULUM, "--integrator", name, "--interval", 0.01, "--checkpoint", 0.2]
        if run(*words, "--until", 0, "--out", self.folder / "try.csv", "--overwrite").returncode == 2:
            words += ["--step", 0.001]  # has no error estimate
        until = 2.0
        while True:  # long enough to be hit
            begin = time.monotonic()
            done = run(*words, "--until", until, "--out", whole, "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            duration = time.monotonic() - begin
            if duration > 0.4:
                break
            until *= 2
        self.count("integrators and formats")
        for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            out = self.folder / f"{name}-{how.name}{ending}"
            process = start(*words, "--until", until, "--out", out)
            checkpoint = self.folder / (out.name + ".checkpoint")
            wait_for(checkpoint, process)
            time.sleep(chance.uniform(0, 0.4 * duration))
            status, _, errors = end(process, how)
            if status == 0:
                self.count("ended before the fault")
                continue
            self.assertEqual(status, -how if how == signal.SIGKILL else 128 + how, errors)
            self.rows(out)
            if not checkpoint.exists():  # it was on its way out
                self.same(out, whole)
                self.count("done, but for its end")
                continue
            done = run("resume", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.same(out, whole)
            self.assertFalse(checkpoint.exists())
            self.count(f"{how.name}: resumed to the same bits")


class Interrupts(WithResults):
    WORDS = ["run", PENDULUM, "--until", 3000, "--interval", 0.05]

    def test_every_polite_signal_leaves_a_checkpoint(self):
        for ending in FORMATS:
            whole = self.folder / ("whole" + ending)
            self.assertEqual(run(*self.WORDS, "--out", whole).returncode, 0)
            for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(ending=ending, how=how):
                    out = self.folder / f"{how.name}{ending}"
                    process = start(*self.WORDS, "--out", out)
                    wait_for(self.folder / (out.name + ".lock"), process)
                    time.sleep(0.1)
                    status, _, errors = end(process, how)
                    self.assertEqual(status, 128 + how)
                    self.assertIn("couplet resume", errors)
                    self.assertEqual(run("resume", out).returncode, 0)
                    self.same(out, whole)

    def test_a_signal_that_is_ignored_stays_ignored(self):
        out = self.folder / "a.csv"
        process = start(*self.WORDS, "--out", out, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        wait_for(self.folder / "a.csv.lock", process)
        status, _, errors = end(process, signal.SIGHUP)
        self.assertEqual(status, 0, errors)

    def test_the_first_signal_ends_what_never_gets_to_the_end_of_a_step(self):
        for name, words in {"a step that waits": ["--step", 0.01, "--real-time", 1e-6],
                            "a flood of rows": ["--step", 0.5, "--interval", 1e-8, "--record", "elbow.q"]}.items():
            with self.subTest(name=name):
                out = self.folder / (name.replace(" ", "_") + ".csv")
                process = start("run", PENDULUM, "--until", 1, *words, "--out", out)
                wait_for(out, process)
                status, _, errors = end(process, signal.SIGTERM)
                self.assertEqual(status, 143)
                self.assertIn(out.name, errors)
                with out.open() as rows:
                    self.assertTrue(rows.readline().startswith("t [s],"))

    def test_a_file_that_gets_too_large_is_a_message(self):
        for ending in FORMATS:
            out = self.folder / ("a" + ending)
            done = run("run", PENDULUM, "--until", 1000, "--interval", 0.01, "--out", out,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000)))
            self.fails(done, 1, out.name, "File too large")
            if out.exists():
                self.rows(out)


class ReadOnly(WithResults):
    def test_a_folder_that_cannot_be_written_to_is_a_message_before_the_run(self):
        closed = self.folder / "closed"
        closed.mkdir()
        result = self.folder / "r.csv"
        result.write_text("t,x\n0,0\n1,1\n")
        closed.chmod(0o555)
        folder = closed if os.geteuid() else pathlib.Path("/sys")  # permissions do not stop root
        for words in (["run", PENDULUM, "--out", folder / "a.csv"], ["run", PENDULUM, "--out", folder / "a.h5"],
                      ["assemble", PENDULUM, "--out", folder / "a.json"], ["plot", result, "--out", folder / "a.svg"],
                      ["generate", PENDULUM, "--out", folder]):
            with self.subTest(words=words):
                self.fails(run(*words), 2, str(folder))
        closed.chmod(0o755)

    def test_a_folder_in_the_way_of_the_checkpoint_is_a_message(self):
        for ending in FORMATS:
            out = self.folder / ("a" + ending)
            (self.folder / (out.name + ".checkpoint")).mkdir()
            (self.folder / (out.name + ".checkpoint") / "x").touch()
            self.fails(run("run", PENDULUM, "--checkpoint", 1, "--out", out), 2, out.name + ".checkpoint", "in the way")
            self.assertFalse(out.exists())


class Terminal(WithResults):
    def on_terminal(self, *words):
        """What a terminal gets, standard output and standard error."""
        terminal, inner = pty.openpty()
        process = subprocess.Popen([COUPLET, *map(str, words)], stdout=inner, stderr=inner, stdin=subprocess.DEVNULL,
                                   env=dict(os.environ, NO_COLOR="1"))  # colours are its own
        os.close(inner)
        text = b""
        try:
            while block := os.read(terminal, 65536):
                text += block
        except OSError:  # its last writer has gone
            pass
        os.close(terminal)
        process.wait(timeout=60)
        return text

    def test_names_of_strangers_cannot_control_it(self):
        evil = ("\x1b]0;title\x07", "\x1b[2J", "\x7f", "\u009b31m", "\x08")
        model, robot, result = self.folder / "m.yaml", self.folder / "r.urdf", self.folder / "r.csv"
        model.write_text("couplet: 1\nname: " + json.dumps("a" + "".join(evil)) + "\n" + BALL[len("couplet: 1\n"):])
        robot.write_text("<robot name='é'><link name='a&#155;b'/><odd\x7f/></robot>")
        result.write_text("t,x" + "".join(evil) + "\n0,0\n1,1\n")
        for words in (["check", model], ["run", model, "--until", 1, "--out", self.folder / "a.csv"], ["check", robot],
                      ["diff", result, result], ["plot", result, "--out", "-"], ["check", self.folder / ("none" + evil[0] + ".yaml")]):
            with self.subTest(words=words):
                text = self.on_terminal(*words).replace(b"\r\n", b"\n")
                self.assertTrue(text)
                bad = [c for c in text if (c < 32 and c not in b"\n\t") or c == 127]
                self.assertEqual(bad, [], text)
                self.assertNotIn("\u009b".encode(), text)
        self.assertIn("a\\x1b]0;title".encode(), self.on_terminal("check", model))


class Endless(WithResults):
    """What cannot end, or not fit, is refused before it begins; what gets nowhere ends."""

    def test_extreme_inertias_are_a_message_with_a_name_and_a_time(self):
        """Shorter and shorter steps from t = 0 end, whatever the matrix of the equations is like."""
        model, out = self.folder / "m.yaml", self.folder / "a.csv"
        model.write_text("couplet: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], points: {tip: [0, 0, -1]}}\n"
                         "  b: {mass: 1e-50, inertia: [1e-100, 1e-100, 1e-100]}\njoints:\n"
                         "  j: {type: revolute, axis: y, from: world, to: a, q: 0.3}\n"
                         "  k: {type: revolute, axis: x, from: a.tip, to: b, q: 0.3}\n")
        for name in ("radau5", "generalised-alpha", "ida"):
            with self.subTest(name=name):
                self.fails(run("run", model, "--integrator", name, "--out", out, "--overwrite"), 1, "t = 0 s", "'k.", "a.csv")
                self.rows(out)

    def test_times_that_are_not_possible_are_refused(self):
        for words, says in ((["--step", "1e-300"], "--step"), (["--step", "1e-17"], "--step"), (["--until", "1e308"], "--until"),
                            (["--until", "1e19"], "--until"), (["--real-time", "1e-300"], "--real-time"), (["--interval", "1e-300"], "--interval"),
                            (["--checkpoint", "1e-300"], "--checkpoint")):
            with self.subTest(words=words):
                self.fails(run("run", PENDULUM, *words, "--out", self.folder / "a.csv"), 2, says)
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_more_rows_than_the_disk_holds_are_refused(self):
        for ending in FORMATS:
            done = run("run", PENDULUM, "--interval", "1e-13", "--out", self.folder / ("a" + ending))
            self.fails(done, 2, "a" + ending, "GB", "--interval")
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_energy_that_is_not_finite_is_a_failure(self):
        model = self.folder / "m.yaml"
        model.write_text("couplet: 1\nbodies: {b: {mass: 1, particle: true}}\n"
                         "joints: {j: {type: prismatic, axis: x, from: world, to: b, v: 1, force: 400*j.v}}\n")
        done = run("run", model, "--step", 0.001, "--until", 1, "--out", self.folder / "a.csv")
        self.fails(done, 1, "energy is not finite", "a.csv")

    def test_a_run_without_progress_ends(self):
        model = self.folder / "m.yaml"
        model.write_text("couplet: 1\nbodies: {b: {mass: 1, particle: true}}\n"
                         "joints: {j: {type: prismatic, axis: x, from: world, to: b, q: 1, force: -1e30*j.q}}\n")
        done = run("run", model, "--until", 10, "--out", self.folder / "a.csv")
        self.fails(done, 1, "no progress", "a.csv")


class Memory(WithResults):
    def peak(self, verb, bodies):
        """Bytes that a verb takes at most."""
        part, model = self.folder / "part.yaml", self.folder / "m.yaml"
        part.write_text("couplet: 1\nbodies:\n" + "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}\n" for i in range(500)) +
                        "joints:\n" + "".join(f"  j{i}: {{type: revolute, axis: y, from: world, to: b{i}}}\n" for i in range(500)))
        model.write_text("couplet: 1\nsubsystems:\n" + "".join(f"  s{i}: {{file: part.yaml}}\n" for i in range(bodies // 500)))
        words = ["--until", "0.01", "--out", str(self.folder / "a.csv"), "--record", "energy.total", "--overwrite"] if verb == "run" else []
        process = subprocess.Popen([COUPLET, verb, str(model), *words], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        return used.ru_maxrss * 1024

    def test_a_body_takes_a_few_kilobytes(self):
        """As measured, and a fifth; what grows faster than the number of bodies shows as well."""
        few, many = 10000, 40000
        for verb, most in (("evaluate", 2700), ("run", 3300), ("check", 3600)):
            with self.subTest(verb=verb):
                self.assertLess((self.peak(verb, many) - self.peak(verb, few)) / (many - few), most)


class Files(WithResults):
    """What is there is never replaced without a word, and an input never at all."""

    def outputs(self):
        """Every verb that writes a file, with the files that it writes."""
        model, result, state = self.folder / "foo.yaml", self.folder / "r.csv", self.folder / "s.json"
        model.write_text(PENDULUM.read_text())
        swept = self.folder / "swept.yaml"
        swept.write_text("couplet: 1\nparameters: {k: 1 N/m}\nbodies: {b: {mass: 1, particle: true}}\n"
                         "joints: {j: {type: prismatic, axis: x, from: world, to: b, force: '-k*q'}}\n")
        if not result.exists():
            self.assertEqual(run("run", model, "--until", 0.1, "--out", result).returncode, 0)
        f = self.folder
        return [(["run", model, "--until", 0.1, "--out", f / "a.csv"], [f / "a.csv"]),
                (["run", model, "--until", 0.1, "--out", f / "a.h5"], [f / "a.h5"]),
                (["assemble", model, "--out", state], [state]),
                (["generate", model, "--out", f], [f / "foo.c", f / "foo.h"]),
                (["plot", result, "--out", f / "p.svg"], [f / "p.svg"]),
                (["plot", result, "--out", f / "p.png"], [f / "p.png"]),
                (["bench", "integrators", model, "--integrators", "rk4", "--until", 0.1, "--budget", 0.1, "--out", f / "b.svg"],
                 [f / "b.svg", f / "b.csv"]),
                (["sweep", swept, "--vary", "k=1,2", "--until", 0.1, "--out", f / "w.csv"], [f / "w_1.csv", f / "w_2.csv", f / "w_table.csv"]),
                (["run", model, "--until", 0.1, "--out", f / "e.csv", "--end-state", f / "e.json"], [f / "e.csv", f / "e.json"]),
                (["modes", swept, "--end-state", f / "rest.json"], [f / "rest.json"]),
                (["export", MODELS / "arm7.urdf", "--out", f / "arm.yaml"], [f / "arm.yaml"]),
                (["man", "--out", f], [f / "couplet.1", f / "couplet-run.1"])]

    def test_existing_files_are_replaced_only_when_asked_to(self):
        for words, files in self.outputs():
            for precious in files:
                with self.subTest(words=words, precious=precious.name):
                    for each in files:
                        each.unlink(missing_ok=True)
                    precious.write_text("precious")
                    before = set(self.folder.iterdir())
                    self.fails(run(*words), 2, precious.name, "already", "--overwrite")
                    self.assertEqual(precious.read_text(), "precious")
                    self.assertEqual(set(self.folder.iterdir()), before)  # of several files none is written
            done = run(*words, "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(precious.read_bytes(), b"precious")

    def test_an_input_is_never_replaced(self):
        model, part, table = self.folder / "m.yaml", self.folder / "part.yaml", self.folder / "t.csv"
        part.write_text("couplet: 1\nbodies: {b: {mass: 1, particle: true}}\n"
                        "joints: {j: {type: prismatic, axis: x, from: world, to: b, force: 'f(j.q) - k*j.q'}}\n"
                        "parameters: {k: 1 N/m}\n"
                        "tables: {f: {file: t.csv}}\n")
        table.write_text("x,y\n0,0\n1,1\n")
        named_as_a_sweep = self.folder / "t_of_2.csv"
        named_as_a_sweep.write_text(table.read_text())
        model.write_text("couplet: 1\nsubsystems: {p: {file: part.yaml}}\ntables: {g: {file: t_of_2.csv}}\n")
        state = self.folder / "s.json"
        state.write_text("{}")
        start = self.folder / "start.csv"
        self.assertEqual(run("run", model, "--until", 0.1, "--out", start).returncode, 0)
        result = self.folder / "r.svg"  # a result by its content
        result.write_text("t,x\n0,0\n1,1\n")
        (self.folder / "link.json").symlink_to(model)
        for words, precious in ((["assemble", model, "--out", model], model), (["assemble", model, "--out", part], part),
                                (["assemble", model, "--state", state, "--out", state], state),
                                (["assemble", model, "--out", self.folder / "link.json"], model),
                                (["run", model, "--until", 1, "--out", table], table),
                                (["run", model, "--until", 1, "--state", start, "--out", start], start),
                                (["run", model, "--until", 1, "--end-state", model], model),
                                (["run", model, "--until", 1, "--state", f"{start}@0.05", "--end-state", start], start),
                                (["modes", model, "--end-state", part], part),
                                (["modes", model, "--state", state, "--end-state", state], state),
                                (["sweep", model, "--vary", "p.k=1,2", "--out", self.folder / "t_of.csv"], named_as_a_sweep),
                                (["plot", result, "--out", result], result)):
            with self.subTest(words=words):
                before = precious.read_bytes()
                self.fails(run(*words, "--overwrite"), 2, "made from this file")
                self.assertEqual(precious.read_bytes(), before)

    def test_a_picture_that_fails_leaves_the_old_one(self):
        old, result = self.folder / "p.svg", self.folder / "r.csv"
        old.write_text("precious")
        result.write_text("t,x\n0,0\n1,1\n")
        self.fails(run("plot", result, "none", "--out", old, "--overwrite"), 2)
        self.assertEqual(old.read_text(), "precious")

    def test_standard_output_that_cannot_be_written(self):
        model, result = self.folder / "m.yaml", self.folder / "r.csv"
        model.write_text(PENDULUM.read_text())
        self.assertEqual(run("run", model, "--until", 0.1, "--out", result).returncode, 0)
        mo = MODELS / "modelica" / "Circuit.mo"
        verbs = (["help"], ["help", "run"], ["--version"], ["check", model], ["check", model, "--json"], ["evaluate", model],
                 ["evaluate", model, "--json"], ["compare", model, "--states", 2], ["assemble", model], ["run", model, "--list"],
                 ["run", model, "--until", 0.1, "--out", self.folder / "a.csv", "--overwrite"], ["diff", result, result],
                 ["plot", result, "--out", "-"], ["doctor"], ["completion", "bash"], ["completion", "zsh"], ["man", "run"],
                 ["assemble", model, "--out", "-"],
                 ["generate", model, "--out", self.folder, "--overwrite"], ["flatten", f"{mo}:Circuit.Main"])
        for words in verbs:
            with self.subTest(words=words):
                with open("/dev/full", "w") as full:
                    done = subprocess.run([COUPLET, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("standard output cannot be written: No space left on device", done.stderr)
        self.assertFalse(pathlib.Path("-").exists())
        # A closed standard output is not given to the next file that is opened.
        out = self.folder / "b.csv"
        done = subprocess.run(f"'{COUPLET}' run '{model}' --until 0.1 --out '{out}' >&-", shell=True, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output cannot be written", done.stderr)
        self.same(out, result)


    def test_standard_error_that_cannot_be_written_changes_nothing(self):
        model, out = self.folder / "m.yaml", self.folder / "a.csv"
        model.write_text("couplet: 1\nbodies: {b: {mass: 1, particle: true}}\n"
                         "joints: {j: {type: prismatic, axis: x, from: world, to: b, q: 3, limits: [0, 1]}}\n")
        verbs = (["run", "none.yaml"], ["check", model], ["run", PENDULUM, "--until", 0.1, "--out", out, "--overwrite"],
                 ["run", model, "--until", 0.1, "--out", self.folder / "b.csv", "--overwrite"], ["evaluate", model, "--state", "none"])
        for words in verbs:
            with self.subTest(words=words):
                wanted = run(*words)
                with open("/dev/full", "w") as full:
                    done = subprocess.run([COUPLET, *map(str, words)], stdout=subprocess.PIPE, stderr=full, text=True, timeout=60)
                self.assertIn(done.returncode, (0, 1, 2))
                self.assertEqual(done.returncode, wanted.returncode)
        self.rows(out)

    def test_standard_input_without_an_end_is_refused(self):
        for words in (["check", "-"], ["evaluate", PENDULUM, "--state", "-"]):
            with self.subTest(words=words), open("/dev/zero") as endless:
                self.fails(run(*words, stdin=endless), 2, "standard input", "the limit is")

    def test_standard_input_that_is_not_kept_is_not_read_in_part(self):
        text = run("run", PENDULUM, "--until", 10, "--out", "-").stdout
        done = run("plot", "-", "--out", self.folder / "p.svg", input=text, env=dict(os.environ, TMPDIR=str(self.folder)),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.fails(done, 2, "standard input", "File too large", "TMPDIR")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_dash_is_standard_output(self):
        text = run("assemble", PENDULUM, "--out", "-", cwd=self.folder).stdout
        self.assertIn("shoulder", json.loads(text)["q"])
        self.assertEqual(list(self.folder.iterdir()), [])


DRAG = """
#include <couplet/forces/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <pthread.h>
static void mark(void) __attribute__((constructor));
static void mark(void) { FILE* f = fopen(MARK, "w"); if (f) fclose(f); }
int couplet_plugin_version(void) { return COUPLET_PLUGIN_VERSION; }
void* couplet_plugin_create(int n, const char* const* b, int m, const char* const* o, const double* v, char* e, int s) { return malloc(1); }
int couplet_plugin_calc(void* self, double t, const couplet_body* bodies, couplet_force* forces) { CALC; return 0; }
void couplet_plugin_destroy(void* self) { free(self); }
"""
BALL = ("couplet: 1\ngravity: none\nbodies: {ball: {mass: 2, shape: {sphere: 0.1}}}\n"
        "joints: {air: {type: xyz, from: world, to: ball, q: [1, 2, 3]}}\n")


class NativeCode(WithResults):
    def build(self, path, calc="forces[1].force[0] += 1", compiler="cc"):
        mark = self.folder / "loaded"
        include = pathlib.Path(__file__).resolve().parents[2] / "src"
        source = self.folder / ("p.c" if compiler == "cc" else "p.cpp")
        source.write_text((DRAG if compiler == "cc" else 'extern "C" {' + DRAG.replace("#include <math.h>", "") + "}")
                          .replace("CALC", calc).replace("MARK", f'"{mark}"'))
        subprocess.run([compiler, "-shared", "-fPIC", f"-I{include}", str(source), "-o", str(path), "-lm"], check=True)
        return mark

    def model(self, path, plugin):
        path.write_text(BALL + f"forces: {{f: {{plugin: '{plugin}'}}}}\n")
        return path

    def verbs(self, model):
        return [["check", model], ["evaluate", model], ["assemble", model], ["compare", model, "--states", 2],
                ["generate", model, "--out", self.folder / "code", "--overwrite"], ["run", model, "--list"],
                ["run", model, "--until", 1, "--out", self.folder / "a.csv", "--overwrite"],
                ["bench", "integrators", model, "--integrators", "rk4", "--until", 0.1, "--budget", 0.1, "--out",
                 self.folder / "b.svg", "--overwrite"]]

    def test_nothing_is_loaded_without_consent(self):
        mark = self.build(self.folder / "x.so")
        inner = self.model(self.folder / "inner.yaml", "./x.so")
        outer = self.folder / "outer.yaml"
        outer.write_text("couplet: 1\nsubsystems: {s: {file: inner.yaml}}\n")
        for model in (inner, self.model(self.folder / "bare.yaml", "x.so"), outer):
            for words in self.verbs(model):
                with self.subTest(words=words):
                    done = run(*words)
                    evaluates = words[0] in ("evaluate", "compare", "bench") or "--until" in words
                    if evaluates:
                        self.fails(done, 2, "native code", "x.so", "--trust")
                    else:
                        self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertFalse(mark.exists(), "it was loaded")
                    self.assertFalse((self.folder / "a.csv").exists())
            done = run("evaluate", model, "--trust", "--json", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(mark.exists())
            mark.unlink()
        self.assertIn("native code", run("check", inner).stdout)

    def test_a_bare_name_is_a_file_beside_the_model(self):
        """Not whatever the loader finds: libm.so.6 is on its way, and is not the plug-in."""
        model = self.model(self.folder / "m.yaml", "libm.so.6")
        for cwd in (self.folder, "/"):
            done = run("evaluate", "m.yaml" if cwd == self.folder else model, "--trust", cwd=cwd)
            self.fails(done, 2, "libm.so.6' does not exist", "relative to the file that names it")
        mark = self.build(self.folder / "libx.so")
        self.model(model, "libx.so")
        done = run("evaluate", "m.yaml", "--trust", cwd=self.folder, env={**os.environ, "LD_LIBRARY_PATH": "/nonexistent"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(mark.exists())

    def test_files_outside_the_folder_need_consent(self):
        home = self.folder / "home"
        home.mkdir()
        mark = self.build(self.folder / "x.so")
        (self.folder / "part.yaml").write_text(BALL)
        (self.folder / "secret.csv").write_text("root:x:0,y\nhidden,1\n")
        (home / "link.yaml").symlink_to("../part.yaml")
        models = {"plugin: ../x.so": "forces: {f: {plugin: ../x.so}}", f"plugin: absolute": f"forces: {{f: {{plugin: {self.folder}/x.so}}}}",
                  "file": "subsystems: {s: {file: ../part.yaml}}", "link": "subsystems: {s: {file: link.yaml}}",
                  "shadow": "subsystems: {s: {file: /etc/passwd}}", "table": "tables: {f: {file: ../secret.csv}}"}
        for name, text in models.items():
            model = home / "m.yaml"
            model.write_text(BALL + text + "\n")
            for words in self.verbs(model):
                with self.subTest(name=name, words=words):
                    done = run(*words)
                    self.fails(done, 2, "m.yaml:", "outside the folder of the model", "--trust")
                    for hidden in ("hidden", "root:", "daemon"):
                        self.assertNotIn(hidden, done.stdout + done.stderr)
                    self.assertFalse(mark.exists())
            if name in ("file", "link"):
                self.assertEqual(run("check", model, "--trust").returncode, 0)
        model.write_text(BALL + models["plugin: ../x.so"] + "\n")
        self.assertEqual(run("evaluate", model, "--trust").returncode, 0)

    def test_resume_notices_a_changed_plug_in_before_it_loads_it(self):
        mark = self.build(self.folder / "x.so")
        model, out = self.model(self.folder / "m.yaml", "x.so"), self.folder / "a.csv"
        process = start("run", model, "--until", 1e5, "--interval", 0.01, "--checkpoint", 1, "--trust", "--out", out)
        wait_for(self.folder / "a.csv.checkpoint", process)
        status, _, errors = end(process, signal.SIGTERM)
        self.assertEqual(status, 143)
        self.assertIn("couplet resume " + str(out) + " --trust", errors)
        mark.unlink()
        self.fails(run("resume", out), 2, "native code", "--trust")  # the checkpoint is no consent
        self.assertFalse(mark.exists())
        self.build(self.folder / "x.so", "forces[1].force[0] += 2")
        mark.unlink(missing_ok=True)
        self.fails(run("resume", out, "--trust"), 2, "has changed since the checkpoint")
        self.assertFalse(mark.exists())

    def test_a_plug_in_that_fails_is_named(self):
        model = self.model(self.folder / "m.yaml", "x.so")
        faults = {"cc": {"int* p = 0; if (t > 0.5) *p = 1": "memory that is not its own", "if (t > 0.5) abort()": "abort()",
                         "volatile int zero = 0; if (t > 0.5) forces[1].force[0] += 7 / zero": "by zero",
                         "if (t > 0.5) exit(0)": "it called exit()", "pthread_t p; if (t > 0.5) for (pthread_create(&p, 0, (void* (*)(void*))1, 0);;) ;": "crashed outside of it",
                         "if (t > 0.5) return 7": "status 7", "if (t > 0.5) forces[1].force[0] = NAN": "not finite"},
                  "c++": {"if (t > 0.5) throw 1": "threw", 'if (t > 0.5) throw "oops"': "threw"}}
        for compiler, each in faults.items():
            for calc, says in each.items():
                with self.subTest(calc=calc):
                    self.build(self.folder / "x.so", calc, compiler)
                    for out in (self.folder / "a.csv", self.folder / "a.h5"):
                        done = run("run", model, "--until", 1, "--step", 0.01, "--trust", "--out", out, "--overwrite")
                        self.fails(done, 1, "plug-in '", says, out.name)
                        # Every step of 0.01 s before 0.5 s, for those that come a stage too early one less.
                        self.assertGreaterEqual(self.last_time(out), 0.49 - 1e-9)
                        out.unlink()

    def test_a_plug_in_that_does_not_return_can_be_interrupted(self):
        self.build(self.folder / "x.so", "while (t > 0.5) ;")
        process = start("run", self.model(self.folder / "m.yaml", "x.so"), "--until", 1, "--step", 0.01, "--trust",
                        "--out", self.folder / "a.csv")
        wait_for(self.folder / "a.csv", process)  # the rows before it are on disk
        status, _, errors = end(process, signal.SIGTERM)
        self.assertEqual(status, 143)
        self.assertIn("x.so', which does not return", errors)
        self.rows(self.folder / "a.csv")

    def test_pipes_and_devices_are_refused_not_waited_for(self):
        os.mkfifo(self.folder / "pipe")
        os.mkfifo(self.folder / "pipe.yaml")
        os.mkfifo(self.folder / "pipe.urdf")
        os.mkfifo(self.folder / "pipe.csv")
        model = self.folder / "m.yaml"
        for text in ("forces: {f: {plugin: pipe}}", "subsystems: {s: {file: pipe.yaml}}", "tables: {f: {file: pipe.csv}}"):
            model.write_text(BALL + text + "\n")
            self.fails(run("check", model), 2, "pipe")
        model.write_text(BALL)
        for words in (["check", self.folder / "pipe.yaml"], ["check", self.folder / "pipe.urdf"],
                      ["evaluate", model, "--state", self.folder / "pipe"], ["diff", self.folder / "pipe.csv", self.folder / "pipe.csv"],
                      ["plot", self.folder / "pipe.csv"], ["resume", self.folder / "pipe.csv"],
                      ["run", model, "--out", self.folder / "pipe.csv"], ["assemble", model, "--out", self.folder / "pipe"]):
            with self.subTest(words=words):
                self.fails(run(*words), 2, "pipe")

    def test_pipes_that_modelica_classes_name_are_not_waited_for(self):
        os.mkfifo(self.folder / "pipe")
        source = self.folder / "R.mo"
        source.write_text("""package R
  function readLine
    input String fileName; input Integer lineNumber; output String string; output Boolean endOfFile;
    external "C" string = ModelicaInternal_readLine(fileName, lineNumber, endOfFile);
  end readLine;
  function length
    input String string; output Integer n;
    external "C" n = ModelicaStrings_length(string);
  end length;
  model M
    parameter Integer n = length(readLine("%s", 1)) annotation(Evaluate=true);
    Real x[n];
  equation
    x = zeros(n);
  end M;
end R;
""" % (self.folder / "pipe"))
        self.fails(run("check", f"{source}:R.M"), 2, "pipe", "not a regular file")
        package = self.folder / "P"
        package.mkdir()
        (package / "package.mo").write_text("package P model M Real x; equation x = 1; end M; end P;\n")
        os.mkfifo(package / "package.order")
        self.assertEqual(run("check", f"{package / 'package.mo'}:P.M").returncode, 0)


if __name__ == "__main__":
    unittest.main()
