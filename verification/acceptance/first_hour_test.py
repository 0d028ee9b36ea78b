#!/usr/bin/env python3
"""What a new user types in the first hour: streams, mistakes, studies, states of results, robots.

usage: first_hour_test.py COUPLET   (the program under test)
"""
import csv
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
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

MISSING = re.compile(r": error: (?:table 'f': )?file '\S+' does not exist\n  fix: check the path")


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

    def test_a_wrong_option_is_named_wherever_it_stands_on_every_verb(self):
        overview = self.couplet().stdout
        verbs = [line.split()[0] for line in overview.split("options]\n\n")[1].split("\n\n")[0].splitlines()]
        self.assertGreater(len(verbs), 18)
        for verb in verbs:
            for words in (["--jsno"], ["x", "--jsno"], ["--jsno", "x"], ["--jsno=x", "y"], ["x", "y", "z", "--jsno"]):
                with self.subTest(verb=verb, words=words):
                    self.assertEqual(self.couplet(verb, *words, status=2).stderr,
                                     "error: there is no option '--jsno'\n  fix: did you mean '--json'?\n")
        self.assertIn("write couplet check … --json", self.couplet("--json", "check", "osc.yaml", status=2).stderr)
        for typed, nearest in (("--verison", "--version"), ("--halp", "--help"), ("-v", "-V")):
            self.assertEqual(self.couplet(typed, status=2).stderr, f"error: there is no option '{typed}'\n  fix: did you mean '{nearest}'?\n")
        self.assertIn("--help takes no value", self.couplet("run", "--help=run", status=2).stderr)
        self.assertIn("'-x' stands before the verb", self.couplet("-x", status=2).stderr)
        self.assertIn("write --record=-x.q", self.couplet("run", "osc.yaml", "--record", "-x.q", status=2).stderr)
        self.assertIn("SECOND is missing", self.couplet("diff", "a.csv", status=2).stderr)
        self.couplet("run", "osc.yaml", "--until", "0.1", "-q", "-oa.csv")
        self.couplet("plot", "a.csv", "-o=a.svg", "-q")
        self.assertTrue((self.folder / "a.svg").exists())

    def test_with_json_every_verb_says_its_errors_as_json(self):
        for words in (["check", "no.yaml"], ["check", "No.Class"], ["run", "no.yaml"], ["resume", "no.csv"],
                      ["sweep", "no.yaml", "--vary", "a=1"], ["evaluate", "no.yaml"], ["assemble", "no.yaml"],
                      ["modes", "no.yaml"], ["compare", "no.yaml"], ["generate", "no.yaml"], ["export", "no.urdf"],
                      ["flatten", "No.Class"], ["translate", "No.Class"], ["test-library", "No", "--reference", "no"],
                      ["diff", "no.csv", "no.h5"], ["plot", "no.csv"], ["bench", "integrators", "no.yaml"], ["list", "nothing"],
                      ["doctor", "x"], ["completion", "tcsh"], ["man", "nothing"], ["nothing"]):
            with self.subTest(words=words):
                done = self.couplet(*words, "--json", status=2)
                said = json.loads(done.stderr)
                self.assertEqual(said["status"], 2)
                self.assertTrue(said["errors"][0]["what"])
                self.assertEqual(done.stdout, "")

    def test_with_json_every_line_of_standard_error_is_json(self):
        (self.folder / "guess.json").write_text('{"q": {"A": 1}}')
        for words, severity in ((("evaluate", MODELS / "four_bar.yaml", "--state", "guess.json"), "note"),
                                (("modes", "osc.yaml", "--json", "--set", "k=0"), None),
                                (("generate", "osc.yaml", "--overwrite"), "note")):
            done = self.couplet(*words, "--json")
            json.loads(done.stdout)
            said = [json.loads(line)["severity"] for line in done.stderr.splitlines()]
            self.assertEqual(set(said), {severity} if severity else set(said))

    def test_what_a_class_is_checked_without_is_refused(self):
        for words in (("--set", "R=1"), ("--gravity", "0,0,1"), ("--floating-base",)):
            self.assertIn(words[0], self.couplet("check", "Couplet.Examples.DoublePendulum", *words, status=2).stderr)
        self.assertIn("--all", self.couplet("check", "osc.yaml", "--all", status=2).stderr)

    def test_one_text_for_a_file_that_is_missing(self):
        for words in (("check", "no.yaml"), ("check", "no.urdf"), ("check", "no.mo"), ("run", "no"), ("check", "no.txt"), ("plot", "no.csv"),
                      ("diff", "no.csv", "no.h5"), ("evaluate", "osc.yaml", "--state", "no.json"),
                      ("run", "osc.yaml", "--state", "no.csv")):
            with self.subTest(words=words):
                self.assertRegex(self.couplet(*words, status=2).stderr, MISSING)

    def test_one_text_for_a_file_that_a_model_names_and_that_is_missing(self):
        for named in ("subsystems: {a: {file: no.urdf}}", "subsystems: {a: {file: no.yaml}}", "tables: {f: {file: no.csv}}",
                      "forces: {drag: {plugin: ./no.so}}"):
            with self.subTest(named=named):
                (self.folder / "names.yaml").write_text(OSCILLATOR + named + "\n")
                said = self.couplet("evaluate", "names.yaml", "--trust", status=2).stderr
                self.assertRegex(said, MISSING)
                self.assertIn("; it is relative to the file that names it\n", said)

    def test_a_table_that_cannot_be_read_is_one_mistake(self):
        for table in ("{file: no.csv}", "{x: [0, 1], y: [1]}", "{x: [0, 1], y: [0, 1], z: [[1, 2]]}", "3"):
            with self.subTest(table=table):
                call = "f(1, 2)" if "z" in table else "f(1)"
                (self.folder / "table.yaml").write_text(OSCILLATOR + f"tables: {{f: {table}}}\noutputs: {{y: {{value: '{call}'}}}}\n")
                said = self.couplet("check", "table.yaml", "--json", status=2).stderr
                self.assertEqual(len(json.loads(said)["errors"]), 1, said)

    def test_one_text_for_a_folder_that_is_missing_and_a_file_that_exists(self):
        self.couplet("run", "osc.yaml", "--until", "0.1", "--out", "a.csv")
        for words in (("run", "osc.yaml", "--until", "0.1"), ("plot", "a.csv"), ("assemble", "osc.yaml"),
                      ("export", MODELS / "gripper.urdf")):
            with self.subTest(words=words):
                name = {"run": "no/a.csv", "plot": "no/a.svg"}.get(words[0], "no/a.json")
                self.assertEqual(self.couplet(*words, "--out", name, "-q", status=2).stderr,
                                 f"{name}: error: there is no folder 'no'\n"
                                 "  fix: create it (mkdir -p no), or write elsewhere with --out\n")
        (self.folder / "there.json").write_text("{}")
        for words in (("run", "osc.yaml", "--until", "0.1", "--out", "b.csv"), ("modes", "osc.yaml", "-q")):
            with self.subTest(words=words):
                self.assertIn("choose another name with --end-state",
                              self.couplet(*words, "--end-state", "there.json", status=2).stderr)

    def test_streams(self):
        rows = self.couplet("run", "osc.yaml", "--until", "1", "--out", "-")
        self.assertTrue(rows.stdout.startswith("t [s],x.q [m]"))
        self.assertGreater(len(rows.stdout.splitlines()), 1001)
        self.assertIn("recorded:", rows.stderr)
        both = self.couplet("run", "osc.yaml", "--until", "1", "--out", "-", "--json")
        self.assertEqual(both.stdout, rows.stdout)
        self.assertEqual(json.loads(both.stderr)["ending"], "done")
        self.assertIn({"name": "x.q", "unit": "m"}, json.loads(self.couplet("run", "osc.yaml", "--list", "--json").stdout)["signals"])
        self.assertIn("<svg", self.couplet("plot", "-", "x.q", stdin=rows.stdout).stdout)
        self.couplet("run", "osc.yaml", "--until", "1", "--out", "a.csv")
        self.couplet("diff", "a.csv", "-", stdin=rows.stdout)
        self.couplet("run", "-", "--until", "1", "--out", "b.csv", stdin=OSCILLATOR)
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        # What goes through a stream has it for itself.
        end = self.couplet("run", "osc.yaml", "--until", "1", "--out", "c.csv", "--end-state", "-")
        self.assertEqual(json.loads(end.stdout)["t"], 1)
        self.assertIn("recorded:", end.stderr)
        for verb in ("modes", "equilibrium"):
            json.loads(self.couplet(verb, "osc.yaml", "--end-state", "-").stdout)
        self.assertTrue(self.couplet("scaling", MODELS / "chain_5.yaml", "--out", "-").stdout.endswith("</svg>\n"))
        self.assertIn("put one of them into a file", self.couplet("run", "osc.yaml", "--out", "-", "--end-state", "-", status=2).stderr)
        # The model comes through the stream once, and is there for each run of a sweep.
        self.couplet("sweep", "-", "--vary", "d=1,2", "--until", "0.1", "--out", "s.csv", stdin=OSCILLATOR)
        self.assertEqual(len(self.rows("s_table.csv")), 3)
        self.couplet("bench", "integrators", "-", "--until", "0.1", "--budget", "0.05", "--integrators", "dopri5,radau5", stdin=OSCILLATOR)
        self.assertTrue((self.folder / "model_work_precision.svg").exists())
        self.assertIn("standard input is the model already", self.couplet("run", "-", "--state", "-", stdin=OSCILLATOR, status=2).stderr)
        self.couplet("diff", "-", "-", stdin=rows.stdout, status=2)
        self.assertIn("standard input:1:1: error: this is not JSON", self.couplet("run", "osc.yaml", "--state", "-", stdin="x", status=2).stderr)
        self.assertIn("the result has no rows", self.couplet("plot", "-", stdin="t [s],x\n", status=2).stderr)
        with open("/dev/full", "w") as full:
            lost = subprocess.run([COUPLET, "run", "osc.yaml", "--until", "1", "--out", "-"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((lost.returncode, lost.stderr), (1, "error: standard output cannot be written: No space left on device\n"))
        decay = "// one state\nmodel Decay\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend Decay;\n"
        self.assertIn("Decay: 1 unknown", self.couplet("check", "-", stdin=decay).stdout)
        self.assertIn("der(x) = -x", self.couplet("flatten", "-", stdin=decay).stdout)
        self.assertIn("1 state", self.couplet("translate", "-", stdin=decay).stdout)
        self.assertEqual(json.loads(self.couplet("translate", "-", "--json", stdin=decay).stdout)["states"], 1)
        self.assertEqual(self.couplet("translate", "-", "-q", stdin=decay).stdout, "")
        self.couplet("run", "-", "--until", "1", "--out", "decay.csv", stdin=decay)
        self.assertAlmostEqual(float(self.rows("decay.csv")[-1][1]), math.exp(-1), delta=1e-5)
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

    def test_the_repeat_line_says_the_end_where_a_class_says_another_one(self):
        (self.folder / "E.mo").write_text("model E Real x(start=1, fixed=true); equation der(x) = -x; annotation(experiment(StopTime=0.5)); end E;")
        for until in ("0.5", "2", "10"):
            said = self.couplet("run", "E.mo", "--until", until, "--overwrite").stdout
            self.assertIn(f"repeat:       couplet run E.mo --until {until} --overwrite\n", said)

    def test_the_line_that_resumes_can_be_pasted(self):
        folder = self.folder / "it's here"
        folder.mkdir()
        run = subprocess.Popen([COUPLET, "run", "osc.yaml", "--real-time", "1", "--until", "30", "--out", "it's here/a b.csv"],
                               cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=30)[1]
        self.assertEqual(run.returncode, 130)
        line = said.split("go on with:")[1].strip()
        paste = subprocess.Popen(["bash", "-c", "exec " + line], cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True, env=dict(os.environ, PATH=f"{COUPLET.parent}:{os.environ['PATH']}"))
        time.sleep(1)
        paste.send_signal(signal.SIGINT)
        out, said = paste.communicate(timeout=30)
        self.assertEqual(paste.returncode, 130, said)
        # What the second part simulated over what it took is the real-time factor, 1; not all that there is.
        ran, seconds, factor = re.search(r"simulated (\S+) s in (\S+) s \((\S+)× real time\)", out).groups()
        reached = float(re.search(r"interrupted at t = (\S+) s", said)[1])
        self.assertLess(float(ran), reached - 0.5)
        self.assertAlmostEqual(float(ran) / float(seconds), float(factor), delta=0.02 * float(factor))

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
        self.couplet("plot", "s_1.csv", "s_2.csv", "x.q")
        picture = (self.folder / "s_1.svg").read_text()
        self.assertIn(">d = 1, k = 50 N/m</text>", picture)  # the legend says what was varied
        self.assertIn("overwrite", self.couplet("sweep", "osc.yaml", "--vary", "d=1", "--out", "s.csv", status=2).stderr)
        self.assertIn("--vary e=1: error: the model has no parameter",
                      self.couplet("sweep", "osc.yaml", "--vary", "e=1", "--out", "e.csv", status=2).stderr)
        self.assertIn("'1:3' is not a range", self.couplet("sweep", "osc.yaml", "--vary", "d=1:3", status=2).stderr)

    def test_a_study_goes_on_after_a_run_that_fails(self):
        (self.folder / "pole.yaml").write_text(OSCILLATOR.replace("d: 2 N*s/m", "d: 1").replace(
            "damping: d", 'force: "1/(d - t)^2"'))
        done = self.couplet("sweep", "pole.yaml", "--vary", "d=1,2,3", "--until", "1.5", status=1)
        self.assertIn("1 of 3 runs failed\n  d = 1: ", done.stderr)
        table = self.rows("pole_table.csv")
        self.assertEqual([row[0] for row in table], ["d", "1", "2", "3"])
        self.assertLess(float(table[1][1]), 1.0001)

    def test_a_sweep_that_is_interrupted_has_a_table_of_the_runs_that_ended(self):
        run = subprocess.Popen([COUPLET, "sweep", "osc.yaml", "--vary", "d=0,1,2", "--step", "1e-6", "--until", "2", "--record", "x.q"],
                               cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while not any(self.folder.glob("osc_2.csv*")) and run.poll() is None:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, out + said)
        table = self.rows("osc_table.csv")
        self.assertEqual([row[0] for row in table], ["d", "0"])
        self.assertAlmostEqual(float(table[1][2]), 0.1 * math.cos(20), delta=1e-6)  # √(k/m) = 10/s, after 2 s
        self.assertIn("interrupted after 1 run", said)
        self.assertIn("osc_table.csv", said)

    def test_the_summary_says_what_changes_the_energy(self):
        self.assertIn("changed by damping", self.couplet("run", "osc.yaml", "--until", "1").stdout)
        self.couplet("run", "osc.yaml", "--until", "1", "--overwrite", "--set", "d=0")
        free = OSCILLATOR.replace(", damping: d", "")
        self.assertNotIn("changed by", self.couplet("run", "-", "--until", "1", stdin=free).stdout)

    def test_the_summary_says_what_stops_take_of_the_energy(self):
        ball = ("couplet: 1\nbodies: {b: {mass: 1, particle: true}}\njoints: {z: {type: prismatic, from: world, to: b, q: 1, "
                "limits: {lower: 0, restitution: 0.5}}}\n")
        self.assertIn("changed by stops", self.couplet("run", "-", "--until", "1", stdin=ball).stdout)
        self.assertNotIn("changed by", self.couplet("run", "-", "--until", "0.4", "--overwrite", stdin=ball).stdout)
        switched = ball + "when: {mark: {condition: z.q < 0.5, set: {p: 1}}}\nparameters: {p: 0}\n"
        said = self.couplet("run", "-", "--until", "0.4", "--overwrite", stdin=switched).stdout
        self.assertIn("events:", said)  # one, and no stop was near
        self.assertNotIn("stops", said)
        self.assertNotIn("e+0", self.couplet("run", "osc.yaml", "--until", "1e3", "--interval", "100").stdout)

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
        # From the side, where the moment of the weight has no slope, and from a tangle: the same rods hang in the end.
        rod = "{mass: 2, com: [0, 0, -0.5], shape: {rod: {length: 1}}}"
        for first, second in (("90 deg", "0"), ("90 deg", "-90 deg"), ("130 deg", "100 deg")):
            two = self.modes(f"couplet: 1\nbodies: {{r: {rod}, s: {rod}}}\njoints:\n  h: {{type: revolute, axis: y, from: world, "
                             f"to: r, q: {first}}}\n  k: {{type: revolute, axis: y, from: {{body: r, position: [0, 0, -1]}}, to: s, "
                             f"q: {second}}}\n")
            # det(K - w² M) = 0 of rods of mass m, length L: K = m g L diag(3/2, 1/2), M = m L² [[4/3, 1/2], [1/2, 1/3]]
            g = 9.81
            a, b, c = 4 / 9 - 1 / 4, -g * (1.5 / 3 + 0.5 * 4 / 3), 0.75 * g * g
            for (frequency, _, _), sign in zip(two, (-1, 1)):
                w2 = (-b + sign * math.sqrt(b * b - 4 * a * c)) / (2 * a)
                self.assertAlmostEqual(frequency, math.sqrt(w2) / (2 * math.pi), delta=1e-6)
        # The same of a point on a rod, which is a constraint: sqrt(g/L), twice
        found = self.modes("couplet: 1\nbodies: {p: {mass: 2, particle: true}}\njoints: {j: {type: xyz, from: world, to: p, q: [0.3, 0.1, -1.9]}}\n"
                           "constraints: {rod: {type: distance, from: world, to: p, length: 2}}\n")
        self.assertEqual(len(found), 2)
        for frequency, damping, _ in found:
            self.assertAlmostEqual(frequency, math.sqrt(9.81 / 2) / (2 * math.pi), delta=1e-6)
        # Motions that nothing holds: eigenvalues are zero, twice each, and are written so.
        said = self.couplet("modes", "-", stdin="couplet: 1\ngravity: none\nbodies: {b: {mass: 1, particle: true}}\njoints: {j: {type: xyz, "
                            "from: world, to: b}}\nforces: {s: {joint: {joint: j, dof: z, stiffness: 100}}}\n").stdout
        self.assertEqual([line.split()[:3] for line in said.splitlines()[1:]], 4 * [["-", "0", "0"]] + [["1.59154943", "0", "0"]])
        self.assertIn("sticks at rest", self.couplet("modes", "-", status=2, stdin=OSCILLATOR.replace(
            "damping: d", "friction: {force: 1 N}")).stderr)

    def test_names_with_blanks_are_quoted_in_expressions(self):
        (self.folder / "blanks.yaml").write_text("""couplet: 1
bodies: {my ball: {mass: 1, particle: true}}
joints: {my joint: {type: prismatic, axis: x, from: world, to: my ball, stiffness: 3, q: 1}}
outputs: {my output: {value: "'my joint'.q*2 + 'my joint'.force.z"}}
subsystems: {my part: {model: {bodies: {b: {mass: 1, particle: true}}, joints: {j: {type: prismatic, from: world, to: b}}, outputs: {y: {value: j.q}}}}}
""")
        self.couplet("run", "blanks.yaml", "--until", "1", "--out", "b.csv", "--record",
                     "my joint.q,'my joint'.q - 'my joint.q','my output' - 2*'my joint'.q - 'my joint'.force.z,'my part'.y - 'my part'.j.q")
        self.assertEqual([float(x) for x in self.rows("b.csv")[-1][2:]], [0, 0, 0])
        for typed, fix in (("my joint.q*2", "write 'my joint'.q in it"), ("my jiont.q", "did you mean 'my joint.q'?"), ("2*x y", "")):
            said = self.couplet("run", "blanks.yaml", "--record", typed, status=2).stderr
            self.assertIn(f"'{typed}", said)
            self.assertIn(f"  fix: {fix}", said)

    def test_many_results_are_in_the_order_of_their_numbers(self):
        self.couplet("sweep", "osc.yaml", "--vary", "d=1:11:11", "--until", "0.1", "--record", "x.q", "--out", "s.csv")
        files = sorted(path.name for path in self.folder.glob("s_*[0-9].csv"))  # as a shell does: s_1, s_10, s_11, s_2, …
        self.assertEqual(files[1], "s_10.csv")
        self.couplet("plot", *files, "--out", "a.svg")
        self.couplet("plot", *(f"s_{k}.csv" for k in range(1, 12)), "--out", "b.svg")
        self.assertEqual((self.folder / "a.svg").read_text(), (self.folder / "b.svg").read_text())

    def test_what_happens_again_and_again_is_one_line(self):
        (self.folder / "ball.yaml").write_text(
            "couplet: 1\ngravity: none\nbodies: {b: {mass: 1, particle: true}}\njoints: {z: {type: prismatic, from: world, to: b, "
            "limits: [0, 1], force: 9*sin(4*t)}}\n")
        said = self.couplet("run", "ball.yaml", "--until", "10").stdout
        self.assertRegex(said, r"at rest: +z, lower limit at t = \S+ s and [2-9] times later, the last at \S+ s\n")
        self.assertEqual(said.count("at rest:"), 2)  # of the upper limit, too

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
        # The same from standard input; and a robot whose knees are bent at least by 0.6 begins there, as its run does.
        self.assertEqual(self.couplet("export", "-", stdin=(MODELS / "arm7.urdf").read_text()).stdout,
                         (self.folder / "arm7.yaml").read_text())
        self.assertIn("a run begins at -0.6", self.couplet("check", MODELS / "quadruped.urdf", "--floating-base").stdout)
        self.couplet("export", MODELS / "quadruped.urdf", "--floating-base", "--out", "dog.yaml")
        self.couplet("run", MODELS / "quadruped.urdf", "--floating-base", "--until", "0.2", "--tolerance", "1e-9", "--out", "a.csv")
        self.couplet("run", "dog.yaml", "--until", "0.2", "--tolerance", "1e-9", "--out", "b.csv")
        self.couplet("diff", "a.csv", "b.csv", "--tolerance", "1e-7", "--strict")
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
