#!/usr/bin/env python3
"""Whole-tool runs: what a user types, what comes out, and with which exit status.

usage: command_line_test.py COUPLET   (the program under test)
"""
import csv
import json
import math
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

COUPLET = sys.argv.pop(1)
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def run(*words, stdin=None):
    return subprocess.run([COUPLET, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=120)


def evaluate(model, state=None, *words):
    extra = ["--state", "-"] if state is not None else []
    done = run("evaluate", model, "--json", *extra, *words, stdin=None if state is None else json.dumps(state))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Models(unittest.TestCase):
    def test_every_example_is_checked_and_agrees(self):
        for model in sorted([*MODELS.glob("*.yaml"), *MODELS.glob("*.urdf")]):
            with self.subTest(model=model.name):
                done = run("check", model)
                self.assertEqual(done.returncode, 0, done.stderr)
                if model.suffix == ".yaml":  # a URDF has no initial state to be inside its limits
                    self.assertIn("no faults found", done.stdout)
                done = run("compare", model, "--states", 20, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout)["agree"])

    def test_parameters_can_be_set(self):
        done = run("check", MODELS / "two_arms.yaml", "--set", "left.nonsense=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)


class DivideAndConquer(unittest.TestCase):
    def test_one_processor_and_many(self):
        report = json.loads(run("scaling", MODELS / "humanoid.yaml", "--json", "--processors", 64).stdout)
        self.assertEqual([line["processors"] for line in report["lines"]], [1, 2, 4, 8, 16, 32, 64])
        for before, after in zip(report["lines"], report["lines"][1:]):
            self.assertEqual(before["seconds"]["recursive"], after["seconds"]["recursive"])
        self.assertTrue(report["verdicts"])

    def test_check_says_how_a_model_is_divided(self):
        report = json.loads(run("check", MODELS / "humanoid.yaml", "--json").stdout)["divide_and_conquer"]
        self.assertIn(f"divide and conquer: {report['parts']} parts joined in {report['levels']} levels, with at most 2 handles",
                      run("check", MODELS / "humanoid.yaml").stdout)
        self.assertLess(report["levels"], report["parts"] / 2)

    def test_messages_that_take_long_are_not_worth_it(self):
        report = json.loads(run("scaling", MODELS / "slider_crank.yaml", "--json", "--latency", 1).stdout)
        self.assertEqual(report["verdicts"], ["schur is the fastest throughout"])

    def test_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "scaling.svg"
            done = run("scaling", MODELS / "chain_5.yaml", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("dca", out.read_text())
            self.assertEqual(run("scaling", MODELS / "chain_5.yaml", "--out", out).returncode, 2)

    def test_what_makes_no_sense_is_refused(self):
        for words in (("--latency", -1), ("--bandwidth", 0), ("--processors", 0)):
            self.assertEqual(run("scaling", MODELS / "chain_5.yaml", *words).returncode, 2, words)


class Evaluate(unittest.TestCase):
    R3 = MODELS / "manutec_r3.yaml"
    Q = dict(zip([f"axis{i}" for i in range(1, 7)], (0.3, -0.5, 0.8, 0.4, -0.6, 1.1)))
    V = dict(zip([f"axis{i}" for i in range(1, 7)], (1, -0.7, 1.5, 2, -1.2, 0.9)))
    A = dict(zip([f"axis{i}" for i in range(1, 7)], (0.5, 1, -1.5, 2, 0.7, -3)))

    def test_torques_of_the_manutec_r3(self):
        # Case B of the references: three algorithms agree to 6e-14.
        expected = (6.670339676145, 402.188398147084, 73.554169669624, 7.313424152674, 32.869988366558,
                    -0.155420783930)
        result = evaluate(self.R3, {"q": self.Q, "v": self.V, "vdot": self.A})
        self.assertEqual(result["dofs"], list(self.Q))
        for ours, theirs in zip(result["tau"], expected):
            self.assertAlmostEqual(ours, theirs, delta=1e-9)

    def test_forward_after_inverse_and_the_equations(self):
        inverse = evaluate(self.R3, {"q": self.Q, "v": self.V, "vdot": self.A})
        tau = dict(zip(inverse["dofs"], inverse["tau"]))
        for formalism in ("recursive", "composite", "kane", "dca"):
            forward = evaluate(self.R3, {"q": self.Q, "v": self.V, "tau": tau}, "--formalism", formalism)
            for i, (ours, start) in enumerate(zip(forward["vdot"], self.A.values())):
                self.assertAlmostEqual(ours, start, delta=1e-9)
                row = sum(m * a for m, a in zip(forward["mass_matrix"][i], forward["vdot"]))
                self.assertAlmostEqual(row + forward["bias"][i], forward["tau"][i], delta=1e-9)

    def test_missing_values_are_zero_or_the_identity(self):
        robot = MODELS / "quadruped.urdf"
        result = evaluate(robot, {}, "--floating-base")
        self.assertEqual(result["dofs"][:6], [f"floating_base.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz")])
        self.assertAlmostEqual(result["vdot"][5], -9.81, places=9)  # falls as a whole
        self.assertEqual(result["kinetic_energy"], 0)

    def test_gravity_can_be_written_in_three_ways(self):
        for words in (["--gravity", "0,0,-1.62"], ["--gravity", "0 0 -1.62"], ["--gravity", "0", "0", "-1.62"],
                      ["--gravity=0,0,-1.62"]):
            with self.subTest(words=words):
                result = evaluate(MODELS / "quadruped.urdf", {}, "--floating-base", *words)
                self.assertAlmostEqual(result["vdot"][5], -1.62, places=9)

    def test_a_large_model_leaves_its_mass_matrix_out_and_says_so(self):
        bodies = "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}\n" for i in range(5001))
        joints = "".join(f"  j{i}: {{type: prismatic, from: world, to: b{i}, axis: z}}\n" for i in range(5001))
        done = run("evaluate", "-", "--json", stdin="couplet: 1\nbodies:\n" + bodies + "joints:\n" + joints)
        answer = json.loads(done.stdout)
        self.assertNotIn("mass_matrix", answer)
        self.assertEqual(answer["vdot"][5000], -9.81)
        self.assertIn("left out: the model has 5001 freedoms", done.stderr)

    def test_points_and_reactions(self):
        result = evaluate(MODELS / "chain_5.yaml", None, "--points", "rod5.tip", "--reactions")
        self.assertEqual(result["points"]["rod5.tip"]["position"], [5, 0, 0])
        self.assertEqual(set(result["reactions"]), {f"joint{i}" for i in range(1, 6)})

    def test_numbers_read_back_exactly(self):
        first = evaluate(self.R3, {"q": self.Q, "v": self.V})
        tau = dict(zip(first["dofs"], first["tau"]))
        self.assertEqual(first, evaluate(self.R3, {"q": self.Q, "v": self.V, "tau": tau}))


class BadInput(unittest.TestCase):
    def refuse(self, *words, stdin=None, says=(), status=2):
        done = run(*words, stdin=stdin)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        for part in says:
            self.assertIn(part, done.stderr)

    def test_command_line(self):
        self.refuse("evalute", "x.yaml", says=["there is no verb 'evalute'", "did you mean 'evaluate'?"])
        self.refuse("check", says=["model"])
        self.refuse("check", "nowhere.yaml", says=["nowhere.yaml"])
        self.refuse("check", __file__, says=["the ending says no known format"])
        self.refuse("check", MODELS, says=["is a directory"])
        self.refuse("check", MODELS / "chain_5.yaml", "--jsn", says=["--jsn"])
        self.refuse("compare", MODELS / "chain_5.yaml", "--states", "0", says=["--states"])
        self.refuse("evaluate", MODELS / "chain_5.yaml", "--formalism", "kanes", says=["did you mean 'kane'?"])
        self.refuse("evaluate", MODELS / "chain_5.yaml", "--formalism", "particles", says=["does not apply"])
        self.refuse("evaluate", MODELS / "chain_5.yaml", "--points", "rod5.tp", says=["rod5.tip"])
        self.refuse("check", MODELS / "arm7.urdf", "--gravity", "down", says=["--gravity"])
        self.refuse("check", MODELS / "chain_5.yaml", "--floating-base", says=["URDF"])
        self.refuse("check", MODELS / "chain_5.yaml", "--set", "k", says=["--set name=value"])
        self.assertEqual(run("--help").returncode, 0)
        self.assertEqual(run("--version").returncode, 0)
        for verb in ("check", "evaluate", "compare", "flatten"):
            self.assertIn("Examples:", run(verb, "--help").stdout)

    def test_options_are_named_as_they_were_typed(self):
        self.refuse("check", MODELS / "chain_5.yaml", "--tolerence", "1e-8", says=["there is no option '--tolerence'"])
        self.refuse("run", MODELS / "chain_5.yaml", "--tolerence", "1e-8", says=["did you mean '--tolerance'?"])
        self.refuse("check", MODELS / "chain_5.yaml", "--json=1", says=["--json takes no value"])
        self.refuse("compare", MODELS / "chain_5.yaml", "--states", says=["--states has no value", "--states N"])
        self.refuse("compare", MODELS / "chain_5.yaml", "--states", "many", says=["'many' is not a number"])
        self.refuse("compare", MODELS / "chain_5.yaml", "more.yaml", says=["'more.yaml' was not expected"])
        self.refuse("evaluate", MODELS / "chain_5.yaml", "--frame", "joint", says=["add --reactions, or leave out --frame"])
        self.refuse("check", MODELS / "arm7.urdf", "--set", "tol.mass=1", says=["did you mean 'tool.mass'?"])

    def test_errors_are_json_where_json_is_asked_for(self):
        done = run("check", MODELS / "nowhere.yaml", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        error = json.loads(done.stderr)
        self.assertEqual(error["status"], 2)
        self.assertIn("nowhere.yaml", json.dumps(error["errors"]))

    def test_state_files(self):
        model = MODELS / "chain_5.yaml"
        cases = [
            ("{", "not JSON"),
            ("[1]", "not a JSON object"),
            ('{"Q": {}}', "did you mean 'q'?"),
            ('{"q": {"join1": 1}}', "did you mean 'joint1'?"),
            ('{"q": {"joint1": [1, 2]}}', "needs 1 number, got 2"),
            ('{"q": {"joint1": "x"}}', "not a finite number"),
            ('{"q": {"joint1": 1e999}}', "out of range"),
            ('{"q": 3}', "not an object"),
            ('{"t": null}', '"t" is not a finite number'),
            ('{"tau": {}, "vdot": {}}', "both"),
            ("[" * 100000, "nested too deeply"),
            ("\x00\x01\x02", "not JSON"),
        ]
        for text, says in cases:
            with self.subTest(text=text[:40]):
                self.refuse("evaluate", model, "--state", "-", stdin=text, says=[says])
        self.refuse("evaluate", model, "--state", "nowhere.json", says=["nowhere.json"])
        self.refuse("evaluate", model, "--state", MODELS, says=["is a directory"])
        self.refuse("evaluate", MODELS / "quadruped.urdf", "--floating-base", "--state", "-",
                    stdin='{"q": {"floating_base": [0, 0, 0, 0, 0, 0, 0]}}', says=["quaternion"])

    def test_impossible_inertia_is_an_error_in_yaml_and_a_warning_in_urdf(self):
        with tempfile.TemporaryDirectory() as folder:
            yaml = pathlib.Path(folder) / "bad.yaml"
            yaml.write_text("couplet: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 3]}\n"
                            "joints:\n  j: {type: revolute, from: world, to: a}\n")
            self.refuse("check", yaml, says=["bad.yaml:3:", "triangle inequality", "3 > 1 + 1"])
            urdf = pathlib.Path(folder) / "bad.urdf"
            urdf.write_text('<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1"/>'
                            '<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                            '<joint name="j" type="continuous"><parent link="w"/><child link="a"/></joint></robot>')
            done = run("check", urdf)
            self.assertEqual(done.returncode, 0)
            self.assertIn("triangle inequality", done.stderr)
            self.refuse("check", urdf, "--strict", says=["triangle inequality"])

    def test_topology(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.yaml"
            bodies = "couplet: 1\nbodies:\n  a: {mass: 1, shape: {sphere: 1}}\n  b: {mass: 1, shape: {sphere: 1}}\n"
            path.write_text(bodies + "joints:\n  j: {type: revolute, from: world, to: a}\n")
            self.refuse("check", path, says=["m.yaml:4:", "no chain of joints connects body 'b'", "free"])
            path.write_text(bodies + "joints:\n  j: {type: revolute, from: world, to: a}\n"
                            "  k: {type: revolute, from: a, to: b}\n  l: {type: revolute, from: b, to: world}\n")
            done = run("check", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("loop 1: cut at k (revolute), it leaves 5 equations\n  j – l – k\n", done.stdout)
            path.write_text(path.read_text().replace("revolute", "revolute, cut: false"))
            self.refuse("check", path, says=["m.yaml:7:", "joints 'k', 'l', 'j' form a loop, and none of them may be cut",
                                             "remove `cut: false` from one of them"])
            path.write_text(bodies + "joints:\n  j: {type: free, from: a, to: world}\n"
                            "  k: {type: revolute, from: a, to: b}\n")
            self.refuse("check", path, says=["m.yaml:6:", "swap `from` and `to`"])

    def test_loops_are_told(self):
        found = json.loads(run("check", MODELS / "slider_crank.yaml", "--json").stdout)
        self.assertEqual((found["bodies"], found["joints"]), (3, 4))  # as they are written
        self.assertAlmostEqual(found["mass"], 2.7)
        self.assertEqual(found["split_bodies"], [{"body": "piston", "joint": "wrist", "reason": "it has friction"}])
        self.assertEqual(found["loops"][0]["cut"], "piston (split)")
        self.assertEqual(found["loops"][0]["joints"], ["cylinder", "main", "big end", "wrist", "piston (split)"])
        found = json.loads(run("check", MODELS / "gear_train.yaml", "--json").stdout)
        self.assertEqual(found["loops"], [])
        self.assertEqual(found["constraints"][0], {"name": "sun mesh", "type": "coupler"})

    def test_a_cut_joint_has_no_coordinates_in_a_state_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "state.json"
            path.write_text('{"q": {"C": 0.1}}')
            self.refuse("evaluate", MODELS / "four_bar.yaml", "--state", path,
                        says=["joint 'C', which closes a loop and has no coordinates of its own", "cut: false"])

    def test_a_freedom_without_inertia_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.yaml"
            path.write_text("couplet: 1\nbodies:\n  a: {mass: 1, shape: {sphere: 1}}\n  ghost: {mass: 0}\n"
                            "joints:\n  j: {type: revolute, from: world, to: a}\n"
                            "  k: {type: revolute, from: a, to: ghost}\n")
            self.assertIn("'k' moves nothing", run("check", path).stdout)
            self.refuse("evaluate", path, says=["'k'", "inertia"], status=1)


class Plausible(unittest.TestCase):
    """What can hardly be meant is said with its numbers; what run refuses, check has said."""
    BODY = "{mass: 2 kg, shape: {sphere: 0.1}}"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "m.yaml"

    def write(self, body=BODY, joint="", more=""):
        self.path.write_text(f"couplet: 1\nparameters: {{k: 3 N/m, L: 20 cm, W: 2 kg, c: 1.5}}\nbodies:\n  a: {body}\n"
                             f"joints:\n  j: {{type: revolute, from: world, to: a{joint}}}\n{more}")
        return self.path

    def test_warnings_have_numbers_and_are_counted(self):
        for body, joint, says in [
                ("{mass: 2, inertia: [1200, 1200, 1200]}", "", ["body 'a' of 2 kg", "1200 kg m²", "kg/m³"]),
                ("{mass: 2, shape: {box: [300, 300, 300]}}", "", ["body 'a' of 2 kg", "kg/m³"]),
                ("{mass: 2, shape: {box: [300, 1, 1]}}", "", ["body 'a' of 2 kg"]),
                (self.BODY, ", q: 30", ["q of joint 'j' is 30 rad, 4.775 turns", "write 30 deg"]),
                (self.BODY, ", limits: [-180, 180]", ["the upper limit of joint 'j' is 180 rad", "the lower limit"]),
                ("{mass: 2, particle: true}", "", ["'j'"]),  # turns about itself
                ("{mass: 2, inertia: [1200, 1200, 1200]}", ", q: 30", ["body 'a'", "q of joint 'j'"])]:
            with self.subTest(body=body, joint=joint):
                done = run("check", self.write(body, joint))
                self.assertEqual(done.returncode, 0, done.stderr)
                for text in says:
                    self.assertIn(text, done.stdout)
                count = done.stdout.count("warning: ")
                self.assertGreater(count, 0)
                self.assertEqual(done.stdout.splitlines()[-1], f"{count} warning{'' if count == 1 else 's'}")
                self.assertEqual(run("check", self.path, "--strict").returncode, 2)
        self.assertEqual(run("check", self.write(), "--strict").returncode, 0)

    def test_what_run_refuses_is_said(self):
        point = "{mass: 1, particle: true}"
        chain = (f"couplet: 1\nbodies: {{a: {point}, b: {point}}}\njoints:\n"
                 "  j: {type: revolute, axis: y, from: world, to: a}\n"
                 "  k: {type: revolute, axis: y, from: {body: a, position: [1, 0, 0]}, to: b}\n")
        beyond = self.write(joint=", limits: [1, 2]").read_text()
        rule = self.write(more="outputs: {o: {value: nothing.q}}\n").read_text()
        pole = self.write(joint=", torque: 1/q").read_text()
        for text, says in ((chain, "a run cannot start: t = 0: the acceleration of 'k'"), (beyond, "outside its limits"),
                           (pole, "a run cannot start: t = 0: accelerations are not finite"), (rule, "nothing")):
            with self.subTest(text=text):
                self.path.write_text(text)
                refused = run("run", self.path, "--until", 1, "--out", self.path.with_suffix(".csv"))
                self.assertNotEqual(refused.returncode, 0, refused.stdout)
                done = run("check", self.path)
                self.assertNotIn("no faults found", done.stdout)
                self.assertIn(says, done.stdout + done.stderr)

    def test_whatever_a_run_refuses_at_once_check_says(self):
        """Joints, motions, rates, tables, rules and outputs that cannot be; and some that can."""
        slope = "tables: {f: {x: [1, 2], y: [0, 1]}}\n"
        bad = [(', torque: "sqrt(q - 1)"', ""), (', torque: "exp(1000 + q)"', ""), (', torque: "f(q)"', slope),
               (', torque: "if q == 1 then 1 else 0"', ""), (', motion: "1/t"', ""), (', motion: "log(t)"', ""),
               ("", 'states: {x: {rate: "1/x"}}\n'), ("", slope + 'states: {x: {rate: "f(x)", start: 3}}\n'),
               ("", 'outputs: {o: "if j.q == 1 then 1 else 0"}\n'), ("", 'outputs: {o: "j.q + nothing"}\n'),
               ("", 'when: {a: {condition: j.q, set: {c: 1}}}\n'), ("", 'when: {a: {condition: j.q == 1, set: {c: 1}}}\n'),
               ("", "when: {a: {at: 1, set: {k: L}}}\n"), ("", "when: {a: {at: 1, reset: {j.v: L}}}\n"),
               (', motion: "t"', "when: {a: {at: 1, reset: {j.v: 2}}}\n"), (', q: c, limits: [0, 1]', ""),
               (', limits: {upper: c}', "when: {a: {at: 1, set: {c: 2}}}\n"), (', torque: "sin(W)"', "")]
        good = [("", ""), (', torque: "-c*q"', "when: {a: {at: 1, set: {c: 2, k: 2*k, L: 1 cm}, reset: {j.v: 2 rad/s}}}\n"),
                (', motion: "sin(t)"', ""), (', torque: "f(q + 1.5)"', slope)]
        for joint, more in bad + good:
            with self.subTest(joint=joint, more=more):
                self.write(joint=joint, more=more)
                done = run("run", self.path, "--until", 0.01, "--out", self.path.with_suffix(".csv"), "--overwrite")
                self.assertEqual(done.returncode == 0, (joint, more) in good, done.stderr)
                said = run("check", self.path, "--strict")
                self.assertEqual(said.returncode == 0, done.returncode == 0, said.stdout + said.stderr)

    def test_terms_that_cannot_be_added_are_refused(self):
        for expression, says in [("-k*q + L + 5 kg", "kg and m cannot be added"), ("L + W", "m and kg cannot be"),
                                 ("k*L + W*9.81 m/s^2 + L", "cannot be added"), ("k*L", "expected a torque (N*m)"),
                                 ("if q > 0 then L else W", "m and kg cannot be one value"),
                                 ("min(L, W)", "m and kg cannot be compared"), ("2 kg - L", "kg and m"),
                                 ("sqrt(L*L) + W", "kg and m"), ("sin(t)*k + L^2", "kg/s^2 and m^2"),
                                 ("exp(W)*L*k", "there is no exp of kg"), ("atan2(L, W)", "m and kg cannot be compared")]:
            with self.subTest(expression=expression):
                done = run("check", self.write(joint=f', torque: "{expression}"'))
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(says, done.stderr)
                self.assertIn("m.yaml:6:", done.stderr)

    def test_what_may_be_meant_is_not(self):
        for expression in ("-c*q - 0.1*v", "5*sin(3*t)", "sin(t)", "-q", "k*L^2*q", "k*L*0.1 + 2", "c + k*L*L", "2*L + 3*W",
                           "0.6*(1 - v/30)", "k*L*L*cos(q) + W*9.81*L", "(L/L + 5)*k*L*L", "if t < 1 s then 2 else c*t",
                           "k*L*(q*L)", "1e-3 N*m*sign(v)", "k*L*sqrt(L^2)", "10 N*L + 3 Nm"):
            with self.subTest(expression=expression):
                done = run("check", self.write(joint=f', torque: "{expression}"'))
                self.assertIn("no faults found", done.stdout, done.stderr)


class Help(unittest.TestCase):
    def test_every_verb_explains_itself_in_every_form(self):
        overview = run()
        self.assertEqual((overview.returncode, overview.stderr), (0, ""))
        self.assertEqual(overview.stdout, run("help").stdout)
        self.assertEqual(overview.stdout, run("--help").stdout)
        verbs = [line.split()[0] for line in overview.stdout.split("options]\n\n")[1].split("\n\n")[0].splitlines()]
        self.assertIn("run", verbs)
        self.assertFalse([line for line in overview.stdout.splitlines() if len(line) > 80])
        for verb in verbs:
            with self.subTest(verb=verb):
                text = run("help", verb)
                self.assertEqual(text.returncode, 0)
                self.assertEqual(text.stdout, run(verb, "--help").stdout)
                self.assertIn(f"usage: couplet {verb}", text.stdout)
                self.assertIn("Examples:", text.stdout)
                self.assertFalse([line for line in text.stdout.split("\nExamples:")[0].splitlines() if len(line) > 80])
                for internals in ("ENUM", "->", "TEXT ...", "FLOAT", "REQUIRED"):
                    self.assertNotIn(internals, text.stdout)
                page = run("man", verb).stdout
                self.assertIn(".SH SYNOPSIS", page)
                for shell in ("bash", "zsh", "fish"):
                    self.assertIn(verb, run("completion", shell).stdout)
        self.assertEqual(run("-V").stdout, run("--version").stdout)
        self.assertEqual(run("help", "nothing").returncode, 2)

    def test_man_pages_are_groff(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("man", "--out", folder).returncode, 0)
            pages = sorted(pathlib.Path(folder).iterdir())
            self.assertIn("couplet-run.1", [page.name for page in pages])
            for page in pages:
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-K", "utf8", page], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    def test_bash_completes(self):
        script = run("completion", "bash").stdout + """
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _couplet; echo "${COMPREPLY[@]}"; }
            complete_words couplet ev
            complete_words couplet run --toler
            complete_words couplet plot --theme d
            complete_words couplet plot --theme = d
            complete_words couplet help ev
            complete_words couplet man ev
            complete_words couplet run --integrator dop
            complete_words couplet run model.yaml -q --equations res
            complete_words couplet list bush
            complete_words couplet bench integ
            complete_words couplet run --until 1"""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.splitlines(), [
            "evaluate", "--tolerance", "dark", "dark", "evaluate", "evaluate", "dopri5 dop853", "residual", "bushing",
            "integrators", ""])

    def test_bash_completes_names_of_files_with_blanks(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my model.yaml").touch()
            (pathlib.Path(folder) / "completion").write_text(run("completion", "bash").stdout)
            for typed, expected in (("run my", "run my\\ model.yaml "), ("run 'my m", "run 'my model.yaml' "),
                                    ("bench integrators my", "bench integrators my\\ model.yaml "),
                                    ("run --out my", "run --out my\\ model.yaml "), ("run --state=my", "run --state=my\\ model.yaml "),
                                    ("run --until my", "run --until my"), ("run --integrator my", "run --integrator my")):
                with self.subTest(typed=typed):
                    self.assertEqual(self.completed(folder, "couplet " + typed), "couplet " + expected)

    def completed(self, folder, line):
        """What stands on the line of a bash on a terminal after the key TAB, and a mark that is typed behind it."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="", INPUTRC="/dev/null")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        os.write(terminal, b"source completion; PS1=re''ady:\n")
        printed = b""
        while b"ready:" not in printed:  # the prompt: from here on keys are its own
            printed += os.read(terminal, 4096)
        os.write(terminal, line.encode() + b"\t#end")
        while b"#end" not in printed:
            printed += os.read(terminal, 4096)
        os.write(terminal, b"\x15exit\n")
        os.waitpid(pid, 0)
        os.close(terminal)
        return printed.decode().split("ready:")[-1].split("#end")[0].replace("\a", "")

    def test_zsh_and_fish_accept_their_completion(self):
        for shell in ("zsh", "fish"):
            with self.subTest(shell=shell):
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is not installed")
                done = subprocess.run([shell, "-n"], input=run("completion", shell).stdout, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        for line, expected in (("couplet ev", ["evaluate"]), ("couplet help ev", ["evaluate"]),
                               ("couplet plot --theme d", ["dark"]), ("couplet run --integrator dop", ["dop853", "dopri5"])):
            asked = subprocess.run(["fish", "-c", f"couplet completion fish | source; complete -C '{line}'"], text=True,
                                   capture_output=True, env=dict(os.environ, PATH=f"{pathlib.Path(COUPLET).resolve().parent}:"
                                                                                  f"{os.environ['PATH']}"))
            self.assertEqual(sorted(found.split("\t")[0] for found in asked.stdout.splitlines()), expected, line)

    def test_quiet_says_only_errors(self):
        done = run("check", MODELS / "arm7.urdf", "-q")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


class Modelica(unittest.TestCase):
    CIRCUIT = f"{MODELS / 'modelica' / 'Circuit.mo'}:Circuit.Main"

    def test_a_circuit_is_balanced(self):
        done = run("check", self.CIRCUIT, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertTrue(result["balanced"])
        self.assertEqual(result["unknowns"], 17)  # three parts with 5, the ground with 2

    def test_what_is_not_for_classes_is_refused_by_name(self):
        for words, says in ((("evaluate", self.CIRCUIT), "names a Modelica class"), (("export", self.CIRCUIT, "--yaml"), "names a Modelica class"),
                            (("run", self.CIRCUIT, "--gravity", "0,0,0"), "no option --gravity"),
                            (("check", self.CIRCUIT, "--set", "R=2"), "no option --set"),
                            (("check", self.CIRCUIT, "--floating-base"), "no option --floating-base"),
                            (("modes", self.CIRCUIT, "--state", "a.json"), "no option --state"),
                            (("equilibrium", self.CIRCUIT, "--end-state", "a.json"), "no option --end-state"),
                            (("inverse", self.CIRCUIT), "nothing is prescribed"),
                            (("inverse", str(MODELS / "double_pendulum.yaml"), "--prescribe", "q=t"), "for Modelica classes"),
                            (("linearize", str(MODELS / "double_pendulum.yaml"), "--inputs", "u"), "--inputs is for Modelica")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(says, done.stderr)

    def test_other_questions_to_the_same_class(self):
        # R C v' = V sin t - v with R = 100 Ω, C = 1 mF
        linear = json.loads(run("linearize", self.CIRCUIT, "--inputs", "source.V", "--outputs", "resistor.v", "--json").stdout)
        self.assertEqual((linear["states"], linear["inputs"], linear["outputs"]), (["capacitor.v"], ["source.V"], ["resistor.v"]))
        self.assertAlmostEqual(linear["A"][0][0], -10, 9)
        self.assertAlmostEqual(linear["C"][0][0], -1, 9)
        modes = json.loads(run("modes", self.CIRCUIT, "--json").stdout)["modes"]
        self.assertAlmostEqual(modes[0]["real"], -10, 9)
        rest = json.loads(run("equilibrium", self.CIRCUIT, "--json").stdout)
        self.assertEqual(rest["values"], {"capacitor.v": 0})
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "v.csv"
            done = run("inverse", self.CIRCUIT, "--prescribe", "capacitor.v=1", "--solve-for", "source.V",
                       "--until", "1", "--out", out)
            self.assertEqual(done.returncode, 1)  # at t = 0 no amplitude gives 1 V
            self.assertIn("source.V", done.stderr)
            done = run("inverse", self.CIRCUIT, "--prescribe", "capacitor.v=2*sin(t)", "--solve-for", "resistor.R",
                       "--until", "1", "--out", out, "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out) as file:
                rows = list(csv.DictReader(file))
            self.assertAlmostEqual(float(rows[-1]["resistor.R"]), 3 * math.tan(1) / 2e-3, 8)
            self.assertIn("couplet inverse", done.stdout)

    def test_check_says_what_run_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "Late.mo"
            model.write_text("model Late\n  Real x = delay(sin(time), 1), y;\nequation\n  y = der(x);\nend Late;\n")
            checked, ran = run("check", model, "--json"), run("run", model)
            self.assertEqual((checked.returncode, ran.returncode), (0, 2))
            for said in (json.loads(checked.stdout)["messages"][0], ran.stderr):
                self.assertIn("Late.mo:2", said)
                self.assertIn("where its derivative is needed", said)

    def test_parameters_that_shape_a_class_are_translated_again(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "Shaped.mo"
            model.write_text("model Shaped parameter Integer n = 2; final parameter Real k = 1; Real x[n](each start = 1, each fixed = true);"
                             " equation der(x) = k*x; annotation(experiment(StartTime = 1, StopTime = 2)); end Shaped;")
            out = pathlib.Path(folder) / "x.csv"
            done = run("run", f"{model}:Shaped", "--set", "n=3", "--out", out)
            self.assertIn("'n' shapes the model, which was translated again", done.stderr)
            with open(out) as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0], ["t [s]", "x[1]", "x[2]", "x[3]"])
            self.assertEqual((float(rows[1][0]), float(rows[-1][0])), (1, 2))
            self.assertAlmostEqual(float(rows[-1][3]), math.e, 4)
            self.assertIn("is final", run("run", f"{model}:Shaped", "--set", "k=3").stderr)
            done = run("sweep", f"{model}:Shaped", "--vary", "n=1,2", "--out", pathlib.Path(folder) / "s.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            table = (pathlib.Path(folder) / "s_table.csv").read_text().splitlines()
            self.assertEqual(table[0], "n,t [s],x[1],x[2],result")
            self.assertEqual(table[1].count(","), 4)

    def test_the_own_library_is_found_and_its_examples_balance(self):
        done = run("check", "--all", "Couplet", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        models = json.loads(done.stdout)
        self.assertIn("Couplet.Examples.ManutecR3.PointToPointRecursive", [model["name"] for model in models])
        for model in models:
            self.assertTrue(model["balanced"], model)
            self.assertEqual(model["messages"], [], model["name"])

    def test_flat_modelica_translates_again(self):
        flat = run("flatten", self.CIRCUIT)
        self.assertEqual(flat.returncode, 0, flat.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "Flat.mo"
            path.write_text(flat.stdout)
            done = run("check", path, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["unknowns"], 17)

    def test_passes_can_be_listed_and_left_out(self):
        listed = run("flatten", "--list-passes")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("instantiate", listed.stdout)
        whole, part = run("flatten", self.CIRCUIT), run("flatten", self.CIRCUIT, "--without", "connections")
        self.assertEqual(part.returncode, 0, part.stderr)
        self.assertLess(len(part.stdout), len(whole.stdout))
        self.assertEqual(run("flatten", self.CIRCUIT, "--without", "variables").returncode, 2)

    def test_flatten_warns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "M.mo"
            path.write_text("model W parameter Real g = 9; end W; model A outer W w; Real x = w.g; end A; model M A a; end M;")
            done = run("flatten", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("declare 'inner W w;'", done.stderr)

    def test_asking_twice_gives_the_same(self):
        for arguments in (("flatten", self.CIRCUIT), ("check", self.CIRCUIT), ("check", self.CIRCUIT, "--json")):
            self.assertEqual(run(*arguments).stdout, run(*arguments).stdout)

    def test_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "Bad.mo"
            for text, says in (("model A Real x equation x = 1; end A;", "Bad.mo:1:"),
                               ("model A Reel x; equation x = 1; end A;", "Reel"),
                               ("model A Real x; end A;", ""),
                               ("((((" * 50000, "Bad.mo:1:")):
                with self.subTest(text=text[:30]):
                    path.write_text(text)
                    done = run("check", path)
                    self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                    self.assertIn(says, done.stdout + done.stderr)
        self.assertIn("'Couplet' is there, but not this class in it", run("check", "Couplet.Examples.doublePendulum").stderr)
        # Names that start with a lower-case letter are classes, too, with or without the standard library at hand.
        for name, says in (("No.Such.Class", "No"), ("Modelica.No.such", "Modelica"), ("Couplet.Examples.no", "no")):
            done = run("check", name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)
            self.assertNotIn("format", done.stderr)


class Plugins(unittest.TestCase):
    def test_a_force_in_c(self):
        with tempfile.TemporaryDirectory() as folder:
            source = MODELS / "plugins" / "drag.c"
            library = pathlib.Path(folder) / "libdrag.so"
            include = pathlib.Path(__file__).resolve().parents[2] / "src"
            subprocess.run(["cc", "-shared", "-fPIC", f"-I{include}", str(source), "-o", str(library)], check=True)
            path = pathlib.Path(folder) / "ball.yaml"
            text = ("couplet: 1\ngravity: none\nbodies:\n  ball: {mass: 2, shape: {sphere: 0.1}}\n"
                    "joints:\n  air: {type: xyz, from: world, to: ball}\n"
                    "forces:\n  drag: {plugin: LIBRARY, options: {coefficient: 0.5}}\n")
            path.write_text(text.replace("LIBRARY", "./libdrag.so"))
            result = evaluate(path, {"v": {"air": [3, 0, -4]}}, "--trust")
            # f = -c |v| v with |v| = 5
            for ours, expected in zip(result["vdot"], (-0.5 * 5 * 3 / 2, 0, 0.5 * 5 * 4 / 2)):
                self.assertAlmostEqual(ours, expected, places=12)
            path.write_text(text.replace("LIBRARY", "./nowhere.so"))
            done = run("evaluate", path)
            self.assertEqual(done.returncode, 2)
            self.assertIn("nowhere.so' does not exist", done.stderr)
            path.write_text(text.replace("LIBRARY", "./libdrag.so").replace("coefficient", "coeff"))
            done = run("evaluate", path, "--trust")
            self.assertEqual(done.returncode, 2)
            self.assertIn("refuses", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
