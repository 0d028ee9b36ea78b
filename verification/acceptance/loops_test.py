#!/usr/bin/env python3
"""Closed loops from the command line: what check says, what assemble does, how runs stay closed.

usage: loops_test.py COUPLET   (the program under test)
"""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import time
import unittest

from in_folder import InFolder

COUPLET = str(pathlib.Path(sys.argv.pop(1)).resolve())
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
BENCHMARKS = MODELS / "benchmarks"
FOUR_BAR = MODELS / "four_bar.yaml"


def run(*words, **options):
    return subprocess.run([COUPLET, *map(str, words)], capture_output=True, text=True, timeout=120, **options)


BOX = "{mass: 1, shape: {box: [0.1, 0.1, 0.1]}}"
BAR = "{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {e: [1, 0, 0]}}"


def weld_loop(length):
    """A chain of welds over 0.5 m + length, closed by one to a body at 1 m."""
    return (f"couplet: 1\nbodies: {{a: {BOX}, b: {BOX}, c: {BOX}}}\npoints: {{P: [1, 0, 0]}}\njoints:\n"
            "  w1: {type: weld, from: world, to: a}\n"
            "  w2: {type: weld, from: {body: a, position: [0.5, 0, 0]}, to: b}\n"
            "  w3: {type: weld, from: world.P, to: c}\n"
            f"  w4: {{type: weld, from: {{body: b, position: [{length}, 0, 0]}}, to: c}}\n")


def triangle(first, second):
    """Two bars on a base of 1 m: a truss."""
    return (f"couplet: 1\nbodies: {{a: {BAR}, b: {BAR}}}\npoints: {{P: [1, 0, 0]}}\njoints:\n"
            f"  A: {{type: revolute, axis: y, from: world, to: a, {first}}}\n"
            f"  B: {{type: revolute, axis: y, from: world.P, to: b, {second}}}\n"
            "  C: {type: revolute, axis: y, from: a.e, to: b.e}\n")


def four_bar(a="", b="", c="", d=""):
    """Bars of 0.2, 0.5 and 0.4 m on a base of 0.5 m, with more keys of the joints; flat where they say nothing."""
    return ("couplet: 1\nbodies:\n"
            "  crank: {mass: 1, com: [0.1, 0, 0], shape: {rod: {length: 0.2, axis: x}}, points: {e: [0.2, 0, 0]}}\n"
            "  coupler: {mass: 1, com: [0.25, 0, 0], shape: {rod: {length: 0.5, axis: x}}, points: {e: [0.5, 0, 0]}}\n"
            "  rocker: {mass: 1, com: [0.2, 0, 0], shape: {rod: {length: 0.4, axis: x}}, points: {e: [0.4, 0, 0]}}\n"
            "points: {D: [0.5, 0, 0]}\njoints:\n"
            f"  A: {{type: revolute, axis: y, from: world, to: crank{a}}}\n"
            f"  B: {{type: revolute, axis: y, from: crank.e, to: coupler{b}}}\n"
            f"  C: {{type: revolute, axis: y, from: coupler.e, to: rocker.e{c}}}\n"
            f"  D: {{type: revolute, axis: y, from: world.D, to: rocker{d}}}\n")


class WithModel(InFolder):
    def model(self, text):
        path = self.folder / "model.yaml"
        path.write_text(text)
        return path

    def json(self, *words):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class WithoutFreedoms(WithModel):
    TWO_WELDS = f"couplet: 1\nbodies: {{a: {BOX}}}\njoints:\n  w1: {{type: weld, from: world, to: a}}\n" \
                "  w2: {type: weld, from: world, to: a}\n"

    def test_welds_that_close(self):
        for text in (self.TWO_WELDS, weld_loop(0.5)):
            model = self.model(text)
            about = self.json("check", model)
            self.assertEqual((about["degrees_of_freedom"], about["rank"]), (0, 0))
            self.assertTrue(self.json("compare", model)["agree"])
            for words in (("assemble", model), ("evaluate", model, "--reactions"),
                          ("run", model, "--until", 0.1, "--out", self.folder / "a.csv", "--overwrite")):
                done = run(*words)
                self.assertEqual(done.returncode, 0, (words[0], done.stderr))

    def test_welds_that_do_not_close(self):
        model = self.model(weld_loop(0.6))
        for words in (("check", model), ("assemble", model), ("run", model, "--out", self.folder / "a.csv")):
            done = run(*words)
            self.assertEqual(done.returncode, 1, (words[0], done.stderr))
            self.assertIn("stays open by", done.stdout + done.stderr)

    def test_all_joints_prescribed(self):
        about = self.json("compare", self.model(triangle("motion: -pi/3", "motion: -2*pi/3")))
        self.assertTrue(about["agree"])


class Check(WithModel):
    def test_freedoms_come_from_the_rank(self):
        for model, freedoms, rank in [("bricard", 1, 4), ("andrews_squeezer", 1, 6), ("insulator_chain", 7, 2),
                                      ("rolling_disc", 3, 3)]:
            with self.subTest(model=model):
                about = self.json("check", BENCHMARKS / f"{model}.yaml")
                self.assertEqual(about["degrees_of_freedom"], freedoms)
                self.assertEqual(about["rank"], rank)

    def test_redundancy_is_named_with_a_suggestion(self):
        about = self.json("check", BENCHMARKS / "insulator_chain.yaml")
        self.assertEqual(about["redundant"], [{
            "element": "right end", "directions": ["translation along z", "rotation about x", "rotation about y"],
            "suggestion": "revolute → a constraint of type on-line"}])
        self.assertIn("left.j1", about["reactions_not_unique"])

    def test_a_split_body_is_told_as_the_joint_that_it_was_split_for(self):
        text = (MODELS / "slider_crank.yaml").read_text()
        about = self.json("check", MODELS / "slider_crank.yaml")
        self.assertEqual(about["split_bodies"][0]["joint"], "wrist")
        self.assertEqual(about["redundant"], [{
            "element": "wrist", "directions": ["translation along z", "rotation about x", "rotation about y"],
            "suggestion": "revolute → a constraint of type on-line, without coordinates"}])
        self.assertEqual(about["reactions_not_unique"], ["main", "big end", "wrist", "cylinder"])
        lines = [line for line in text.splitlines() if not line.startswith("  wrist:")]
        followed = self.json("check", self.model("\n".join(lines) + "\nconstraints:\n"
                                                 "  wrist: {type: on-line, point: rod.end, on: piston}\n"))
        self.assertEqual((followed["equations"], followed["rank"], followed["redundant"]), (2, 2, []))

    def test_a_joint_that_keeps_its_coordinates_follows_the_suggestion(self):
        text = (BENCHMARKS / "bricard.yaml").read_text()
        old = "j4: {type: revolute,"
        for other in ("cut: true", "cut: true, damping: 0.1"):
            about = self.json("check", self.model(text.replace(old, f"j4: {{type: revolute, {other},")))
            self.assertEqual(len(about["split_bodies"]), "damping" in other)
            self.assertEqual(about["redundant"], [{"element": "j4", "directions": ["translation along z"],
                                                   "suggestion": "revolute → cylindrical"}])
            self.assertEqual(about["reactions_not_unique"], ["j1", "j2", "j3", "j4", "j5", "j6"])
        followed = self.json("check", self.model(text.replace(old, "j4: {type: cylindrical, cut: true, damping: [0.1, 0.1],")))
        self.assertEqual(len(followed["split_bodies"]), 1)
        self.assertEqual((followed["equations"], followed["rank"], followed["redundant"]), (6, 6, []))

    def test_motions_that_depend_on_each_other_are_named(self):
        twice = self.model(f"couplet: 1\nbodies: {{a: {BOX}}}\njoints:\n"
                           "  A: {type: revolute, axis: y, from: world, to: a, motion: t}\n"
                           "  B: {type: revolute, axis: y, from: world, to: a, motion: t}\n")
        about = self.json("check", twice)
        self.assertEqual(about["dependent_motions"], [["A", "B"]])
        self.assertEqual([(r["element"], r["suggestion"]) for r in about["redundant"]], [("B", "leave this joint out")])
        self.assertNotIn("rotation about z", about["redundant"][0]["directions"])
        self.assertEqual(about["reactions_not_unique"], ["A", "B"])
        self.assertIn("the prescribed motions of 'A', 'B' depend on each other; leave one of these motions out\n",
                      run("check", twice).stdout)
        truss = self.json("check", self.model(triangle("motion: -pi/3", "motion: -2*pi/3")))  # would stand without them
        self.assertEqual(truss["dependent_motions"], [["A"], ["B"]])
        self.assertEqual(self.json("check", self.model(triangle("motion: -pi/3", "q: -120 deg")))["dependent_motions"], [["A"]])
        self.assertEqual(self.json("check", FOUR_BAR)["dependent_motions"], [])

    def test_friction_on_reactions_that_are_not_unique_is_named(self):
        model = self.folder / "rubbing.yaml"
        text = FOUR_BAR.read_text()  # spatial hinges of a planar loop: three equations too many
        model.write_text(text.replace("axis: y, q: rocker_angle,", "axis: y, friction: {coefficient: 0.1, radius: 1 cm}, q: rocker_angle,"))
        about = self.json("check", model)
        self.assertIn("D", about["reactions_not_unique"])
        self.assertEqual(about["friction_not_unique"], ["D"])
        self.assertIn("friction depends on reactions that are not unique; it follows from the smallest: D\n",
                      run("check", model).stdout)
        self.assertEqual(self.json("check", FOUR_BAR)["friction_not_unique"], [])
        done = run("run", model, "--until", "0.5", "--out", self.folder / "rubbing.csv")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_limits_are_judged_where_the_loops_close(self):
        angles = (", q: -60 deg", ", q: 40 deg", ", q: -90 deg")
        outside = self.model(four_bar(angles[0], angles[1], ", limits: {lower: -10 deg, upper: 10 deg}", angles[2]))
        self.assertIn("outside its limits", run("check", outside).stdout)
        done = run("run", outside, "--out", self.folder / "a.csv")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"model\.yaml:10:3: error: the motion begins beyond a stop")
        inside = self.model(four_bar(angles[0], angles[1], ", limits: {lower: -80 deg, upper: -45 deg}", angles[2]))
        self.assertNotIn("outside its limits", run("check", inside).stdout)

    def test_a_constraint_that_is_needed_is_not_to_be_left_out(self):
        about = self.json("check", self.model(
            "couplet: 1\nbodies:\n  wheel: {mass: 1, shape: {cylinder: {radius: 0.1, length: 0.02}}, points: {pin: [0.1, 0, 0]}}\n"
            "  slot: {mass: 1, shape: {box: [0.3, 0.3, 0.02]}}\njoints:\n"
            "  drive: {type: revolute, from: world, to: wheel}\n"
            "  out: {type: revolute, from: {body: world, position: [0.2, 0, 0]}, to: slot}\nconstraints:\n"
            '  pin: {type: on-curve, point: wheel.pin, on: slot, curve: ["-0.1-s", "0.3*s*s", 0], s: 0}\n'))
        self.assertEqual([r["suggestion"] for r in about["redundant"]], ["keep it: its other equations are needed"])

    def test_a_joint_that_moves_no_inertia_is_named_with_its_line(self):
        rod = "{mass: 1, com: [0.5, 0, 0], shape: {rod: {length: 1, axis: x}}, points: {e: [1, 0, 0]}}"
        done = run("check", self.model(f"couplet: 1\nbodies: {{a: {rod}, b: {rod}}}\npoints: {{P: [2, 0, 0]}}\njoints:\n"
                                       "  A: {type: spherical, from: world, to: a}\n  B: {type: spherical, from: a.e, to: b}\n"
                                       "  C: {type: spherical, from: b.e, to: world.P}\n"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"model\.yaml:6:3: .*'B\..*' is not determined: nothing that it moves has inertia\n"
                                      r"  fix: give body 'b' inertia")

    def test_a_singular_position_is_pointed_out(self):
        # Two equal cranks and a coupler as long as the base, all in one line: it may fold either way.
        model = self.folder / "flat.yaml"
        model.write_text("couplet: 1\nbodies:\n"
                         "  a: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12], points: {tip: [1, 0, 0]}}\n"
                         "  b: {mass: 1, com: [1, 0, 0], inertia: [0, 1/3, 1/3], points: {tip: [2, 0, 0]}}\n"
                         "  c: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12], points: {tip: [1, 0, 0]}}\n"
                         "points: {far: [2, 0, 0]}\njoints:\n"
                         "  j1: {type: revolute, axis: y, from: world, to: a}\n"
                         "  j2: {type: revolute, axis: y, from: a.tip, to: b}\n"
                         "  j3: {type: revolute, axis: y, from: world.far, to: c}\n"
                         "  j4: {type: revolute, axis: y, from: b.tip, to: c.tip}\n")
        done = run("check", model)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the initial position is singular", done.stdout)


class Assemble(WithModel):
    def guess(self, **q):
        path = self.folder / "guess.json"
        path.write_text(json.dumps({"q": q}))
        return path

    def test_a_rough_guess_is_closed_and_stays(self):
        start = self.folder / "start.json"
        done = run("assemble", FOUR_BAR, "--state", self.guess(A=0.9, B=-1.2, D=1.0), "--lock", "A", "--out", start)
        self.assertEqual(done.returncode, 0, done.stderr)
        state = json.loads(start.read_text())
        self.assertEqual(state["q"]["A"], 0.9)  # locked
        again = self.json("assemble", FOUR_BAR, "--state", start)
        self.assertTrue(again["closed"])
        self.assertLess(again["position_residual"], 1e-10)
        self.assertEqual(set(again["moved"]), {0.0})  # idempotent

    def test_a_flat_position_is_left(self):
        model, start = self.model(four_bar()), self.folder / "start.json"
        for words in ((), ("--lock", "A")):
            done = run("assemble", model, *words, "--out", start, "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            if words:
                self.assertEqual(json.loads(start.read_text())["q"]["A"], 0)
            again = self.json("assemble", model, "--state", start)
            self.assertEqual(set(again["moved"]), {0.0})
        self.assertEqual(run("check", model).returncode, 0)

    def test_speeds_that_contradict_are_no_lengths(self):
        model = self.model(triangle("motion: -pi/3", "motion: -2*pi/3 + 0.1*t"))
        done = run("assemble", model)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("'C' is torn open at a speed of 0.0866 m/s (translation along x)", done.stderr)
        self.assertIn("check how the prescribed motions change with time", done.stderr)
        self.assertNotIn("lengths", done.stderr)
        self.assertIn("0.0866 m/s", run("check", model).stdout)

    def test_weights_decide_who_moves(self):
        closed = self.json("assemble", FOUR_BAR)["q"]
        guess = self.guess(**{name: q + 0.05 for name, q in closed.items()})
        moved = []
        for weight in ("1", "1e6"):
            about = self.json("assemble", FOUR_BAR, "--state", guess, "--weight", f"D={weight}")
            moved.append(abs(about["moved"][about["dofs"].index("D")]))
        self.assertLess(moved[1], 1e-3 * moved[0])

    def test_what_cannot_be_closed_is_named(self):
        model = self.folder / "short.yaml"  # bars of 1 m that cannot reach across 3 m
        model.write_text("couplet: 1\nbodies:\n"
                         "  a: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12], points: {tip: [1, 0, 0]}}\n"
                         "  b: {mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12], points: {tip: [1, 0, 0]}}\n"
                         "points: {far: [3, 0, 0]}\njoints:\n"
                         "  j1: {type: revolute, axis: y, from: world, to: a, q: 1}\n"
                         "  j2: {type: revolute, axis: y, from: a.tip, to: b, q: 1}\n"
                         "  j3: {type: revolute, axis: y, from: b.tip, to: world.far}\n")
        done = run("assemble", model)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("'j3' stays open by", done.stderr)
        done = run("check", model)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("not usable: 'j3' cannot be closed", done.stdout)
        done = run("run", model, "--out", self.folder / "a.csv")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("cannot be assembled: 'j3' stays open", done.stderr)

    def test_a_relation_without_a_value_is_named(self):
        model = self.folder / "root.yaml"
        model.write_text("couplet: 1\nbodies: {a: {mass: 1, particle: true}, b: {mass: 1, particle: true}}\n"
                         "joints:\n  x: {type: prismatic, axis: x, from: world, to: a, q: -1}\n"
                         "  y: {type: prismatic, axis: x, from: world, to: b}\n"
                         "constraints: {tie: {type: relation, value: y.q - sqrt(x.q)}}\n")
        for words, output in [(("check", model), "stdout"), (("run", model, "--out", self.folder / "a.csv"), "stderr")]:
            done = run(*words)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("'tie' is not finite at the initial position", getattr(done, output))

    def test_a_frame_is_for_reactions(self):
        done = run("evaluate", FOUR_BAR, "--frame", "joint")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("add --reactions", done.stderr)

    def test_forces_of_constraints_are_reactions(self):
        reactions = self.json("evaluate", MODELS / "gear_train.yaml", "--reactions")["reactions"]
        self.assertAlmostEqual(reactions["belt"]["tau"]["motor"], -0.5 * reactions["belt"]["tau"]["fan"], places=12)
        self.assertAlmostEqual(reactions["teeth"]["tau"]["arm"], -0.025 * reactions["teeth"]["tau"]["lift"], places=12)
        model = BENCHMARKS / "pendulum.yaml"  # horizontal and at rest
        self.assertAlmostEqual(self.json("evaluate", model, "--reactions")["reactions"]["rod"]["force"], 0, places=12)
        self.assertIn("constraint rod: pulls with ", run("evaluate", model, "--reactions").stdout)

    def test_reactions_act_on_the_body_of_to(self):
        truss = triangle("q: -pi/3", "q: -2*pi/3")
        push = 9.81 / 4 / math.sin(math.pi / 3)  # of the bars against each other: half a weight each, at half the base
        for text, expected in [(truss, push), (triangle("q: -pi/3, cut: true", "q: -2*pi/3, cut: false"), push),
                               (triangle("q: -pi/3", "cut: true"), push),
                               (truss.replace("to: b.e", "to: b.e, damping: 1"), push),
                               (truss.replace("from: a.e, to: b.e", "from: b.e, to: a.e"), -push)]:
            model = self.model(text)
            for formalism in ("schur", "augmented", "partitioned", "dca"):
                force = self.json("evaluate", model, "--reactions", "--formalism", formalism)["reactions"]["C"]["force"]
                self.assertAlmostEqual(force[0], expected, places=9, msg=text)
                self.assertAlmostEqual(force[2], 0, places=9, msg=text)
            self.assertRegex(run("evaluate", model, "--reactions").stdout,
                             r"joint C: .* \(on b\)\n" if expected > 0 else r"joint C: .* \(on a\)\n")

    def test_inverse_dynamics_needs_motors_that_can_and_accelerations_that_fit(self):
        """A mass on a rod of 1 m, horizontal: it can only fall, and the rod carries nothing."""
        state = self.folder / "state.json"
        state.write_text('{"q": {"position": [-1, 0, 0]}, "vdot": {"position": [0, 1, 0]}}')
        about = self.json("evaluate", BENCHMARKS / "pendulum.yaml", "--state", state, "--reactions")
        mass = about["mass_matrix"][0][0]
        self.assertAlmostEqual(about["tau"][1] - mass, about["bias"][1], places=9)
        self.assertAlmostEqual(about["reactions"]["rod"]["force"], 0, places=9)
        for text, says in [('{"q": {"position": [-1, 0, 0]}, "vdot": {"position": [1, 0, 0]}}', "'rod' does not allow"),
                           ('{"vdot": {}, "actuators": ["nobody"]}', "names 'nobody', which is no joint"),
                           ('{"vdot": {}, "actuators": "position"}', "not a list of names"),
                           ('{"tau": {}, "actuators": ["position"]}', 'without "vdot"')]:
            state.write_text(text)
            done = run("evaluate", BENCHMARKS / "pendulum.yaml", "--state", state)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(says, done.stderr)

    def test_code_of_loops_is_refused_by_name(self):
        for model, name in [(FOUR_BAR, "the loop 'B' – 'A' – 'D' – 'C'"), (MODELS / "gear_train.yaml", "'sun mesh'"),
                            (BENCHMARKS / "andrews_squeezer.yaml", "'E3'"), (BENCHMARKS / "pendulum.yaml", "'rod'")]:
            done = run("generate", model, "--out", self.folder)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("would leave out", done.stderr)
            self.assertIn(name, done.stderr)

    def test_prescribed_joints_follow_their_motions(self):
        model = self.model(four_bar(", motion: 1 + 5*t", d=", q: 1"))
        given = self.guess(A=1.5)
        done = run("assemble", model, "--state", given, "--lock", "A")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stderr, "error: 'A' follows its prescribed motion and cannot be locked\n"
                                      "  fix: leave out --lock A, or remove `motion` at this joint\n")
        about = self.json("assemble", model, "--state", given)
        self.assertAlmostEqual(about["moved"][about["dofs"].index("A")], -0.5, delta=1e-15)
        self.assertEqual(about["q"]["A"], 1)
        self.assertRegex(run("assemble", model, "--state", given).stdout, r"\nA +-0\.5 .*  follows its prescribed motion\n")
        about = self.json("assemble", model, "--state", self.guess(D=1))  # says nothing about A
        self.assertEqual(about["moved"][about["dofs"].index("A")], 0)

    def test_bad_input(self):
        for words, text in [(("--lock", "C"), "closes a loop"), (("--lock", "nothing"), "there is no joint 'nothing'"),
                            (("--weight", "A"), "is not a weight"), (("--weight", "A=-1"), "is not a weight")]:
            done = run("assemble", FOUR_BAR, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(text, done.stderr)


def five_bar(*more):
    """Two cranks of 0.3 m, two bars of 0.6 m between them, on a base of 0.6 m: two degrees of freedom."""
    bar = "{{mass: 1, com: [{0}, 0, 0], shape: {{rod: {{length: {1}, axis: x}}}}, points: {{e: [{1}, 0, 0]}}}}"
    crank, long = bar.format(0.15, 0.3), bar.format(0.3, 0.6)
    a, b, c, d, e = (f", {text}" if text else "" for text in more)
    return ("couplet: 1\npoints: {E: [0.6, 0, 0]}\nbodies:\n"
            f"  left: {crank}\n  l: {long}\n  r: {long}\n  right: {crank}\njoints:\n"
            f"  A: {{type: revolute, axis: -y, from: world, to: left{a}}}\n"
            f"  B: {{type: revolute, axis: -y, from: left.e, to: l{b}}}\n"
            f"  C: {{type: revolute, axis: -y, from: l.e, to: r.e{c}}}\n"
            f"  D: {{type: revolute, axis: -y, from: right.e, to: r{d}}}\n"
            f"  E: {{type: revolute, axis: -y, from: world.E, to: right{e}}}\n")


CLOSED = 1e-11  # loops are closed to 1e-12; the first step takes the rest of that from all joints


class Given(WithModel):
    """Initial values that were given stay; what has to move is what was not given."""

    def starts(self, text, *words):
        out = self.folder / "start.csv"
        about = self.json("run", self.model(text), "--until", 1e-3, "--out", out, "--overwrite", *words)
        with open(out) as file:
            rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        names = [name.split(" ")[0] for name in rows[0]]
        return dict(zip(names, map(float, rows[1]))), about["warnings"]

    def test_they_stay_wherever_the_loop_is_cut(self):
        features = ["", "limits: {lower: -3, upper: 3}", "damping: 0.1", "cut: true", "cut: false"]
        given = {"A": "q: 100 deg, v: 2", "E": "q: 80 deg, v: 0"}
        for joint in range(1, 4):  # of those that nothing was said of
            for feature in features:
                more = [given["A"], "", "", "", given["E"]]
                more[joint] = feature
                with self.subTest(joint=joint, feature=feature):
                    start, warnings = self.starts(five_bar(*more))
                    self.assertEqual(warnings, [])
                    self.assertAlmostEqual(start["A.q"], math.radians(100), delta=CLOSED)
                    self.assertAlmostEqual(start["E.q"], math.radians(80), delta=CLOSED)
                    self.assertAlmostEqual(start["A.v"], 2, delta=CLOSED)
                    self.assertAlmostEqual(start["E.v"], 0, delta=CLOSED)  # a zero that was said

    def test_a_crank_alone_keeps_its_angle(self):
        for feature in ("", ", limits: {lower: -3, upper: 3}", ", damping: 1", ", cut: true"):
            start, warnings = self.starts(four_bar(", q: -60 deg, v: 3", d=feature))
            self.assertEqual(warnings, [])
            self.assertAlmostEqual(start["A.q"], -math.pi / 3, delta=CLOSED)
            self.assertAlmostEqual(start["A.v"], 3, delta=CLOSED)

    def test_those_that_cannot_stay_are_named(self):
        start, warnings = self.starts(four_bar(", q: -60 deg", ", q: 40 deg", "", ", q: -30 deg"))
        self.assertTrue(any(text.startswith("D.q is given as -0.523598776 rad and starts at ") for text in warnings))
        for verb in ("check", "evaluate", "assemble"):
            done = run(verb, self.folder / "model.yaml")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("D.q is given as -0.523598776 rad", done.stdout + done.stderr, verb)
        _, warnings = self.starts(four_bar(", q: -60 deg, v: 3", d=", v: 0"))
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], "^D.v is given as 0 rad/s and starts at ")

    def test_those_that_contradict_each_other_move_as_little_as_possible_wherever_the_loop_is_cut(self):
        crank, rocker = math.radians(-60), math.radians(-80)
        span = lambda a, d: math.hypot(0.5 + 0.4 * math.cos(d) - 0.2 * math.cos(a), 0.4 * math.sin(d) - 0.2 * math.sin(a))
        best = (1.0, 0, 0)  # how far from what was given, on the curve along which the coupler fits
        for i in range(-4000, 4001):
            a, d = crank + 5e-5 * i, rocker
            for _ in range(30):
                d -= (span(a, d) - 0.5) * 2e-7 / (span(a, d + 1e-7) - span(a, d - 1e-7))
            best = min(best, (math.hypot(a - crank, d - rocker), a, d))
        for feature in ("", ", limits: {lower: -3, upper: 3}", ", damping: 0.1", ", cut: true"):
            for joint in ("b", "c"):
                with self.subTest(joint=joint, feature=feature):
                    start, warnings = self.starts(four_bar(", q: -60 deg", d=", q: -80 deg", **{joint: feature}))
                    self.assertEqual([text.split(" is given")[0] for text in warnings], ["A.q", "D.q"])
                    self.assertAlmostEqual(start["A.q"], best[1], delta=5e-5)
                    self.assertAlmostEqual(start["D.q"], best[2], delta=5e-5)
                    self.assertLess(math.hypot(start["A.q"] - crank, start["D.q"] - rocker), best[0] + 1e-9)

    def test_those_of_a_state_file_stay(self):
        state = self.folder / "state.json"
        state.write_text('{"q": {"A": 1.7, "E": 1.3}, "v": {"A": 0, "E": -1}}')
        start, warnings = self.starts(five_bar("q: 100 deg", "", "", "", "q: 80 deg"), "--state", state)
        self.assertEqual(warnings, [])
        self.assertAlmostEqual(start["A.q"], 1.7, delta=CLOSED)
        self.assertAlmostEqual(start["E.q"], 1.3, delta=CLOSED)
        self.assertAlmostEqual(start["A.v"], 0, delta=CLOSED)
        self.assertAlmostEqual(start["E.v"], -1, delta=CLOSED)
        done = run("evaluate", self.folder / "model.yaml", "--state", state)
        self.assertIn("note: assembled: B.q 0 → ", done.stderr)


class Run(WithModel):
    def test_every_benchmark_stays_closed(self):
        for model in sorted(BENCHMARKS.glob("*.yaml")):
            with self.subTest(model=model.name):
                until = 0.01 if "andrews" in model.name else 0.5
                about = self.json("run", model, "--until", until, "--out", self.folder / (model.stem + ".csv"))
                self.assertEqual(about["ending"], "done")
                self.assertLess(about["position_residual"], 1e-10)

    def test_formalisms_agree(self):
        for model in (FOUR_BAR, BENCHMARKS / "bricard.yaml", BENCHMARKS / "insulator_chain.yaml"):
            about = self.json("compare", model, "--states", 20)
            self.assertTrue(about["agree"], model)
            self.assertEqual([f["name"] for f in about["formalisms"]], ["schur", "augmented", "partitioned", "dca"])

    def test_formalisms_agree_on_a_truss(self):
        for angles in (("q: -55 deg", "q: -125 deg"), ("q: -60 deg", "q: -120 deg")):
            about = self.json("compare", self.model(triangle(*angles)))
            self.assertTrue(about["agree"], about)
            self.assertLess(about["largest_difference"], 1e-9)

    def test_every_verb_counts_the_same_degrees_of_freedom(self):
        motion = self.model(four_bar(", motion: 1 + t", d=", q: 1"))
        for model, expected in [(BENCHMARKS / "bricard.yaml", 1), (FOUR_BAR, 1), (MODELS / "gear_train.yaml", 1),
                                (motion, 0), (MODELS / "double_pendulum.yaml", 2), (MODELS / "gripper.urdf", None),
                                (MODELS / "pendulum_driven.yaml", None), (BENCHMARKS / "pendulum.yaml", None)]:
            with self.subTest(model=model.name):
                out = self.folder / (model.stem + ".csv")
                counts = [self.json("check", model)["degrees_of_freedom"],
                          self.json("compare", model, "--states", 2)["degrees_of_freedom"],
                          self.json("run", model, "--until", 0.02, "--out", out)["degrees_of_freedom"]]
                if expected in (1, 2):
                    counts.append(self.json("bench", "integrators", model, "--until", 0.02, "--budget", 0.2,
                                            "--integrators", "dopri5",
                                            "--out", self.folder / f"bench_{model.stem}.svg")["degrees_of_freedom"])
                self.assertEqual(len(set(counts)), 1, counts)
                if expected is not None:
                    self.assertEqual(counts[0], expected)
        done = run("run", BENCHMARKS / "bricard.yaml", "--until", 0.01, "--out", self.folder / "r.csv")
        self.assertIn(": 1 degree of freedom, schur formalism", done.stdout)

    def test_reactions_of_cut_joints_are_recorded(self):
        out = self.folder / "r.csv"
        done = run("run", FOUR_BAR, "--until", 0.1, "--record", "C.force.*,constraints.*", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, newline="") as file:
            header = next(csv.reader(file))
        self.assertEqual([name.split(" [")[0] for name in header],
                         ["t", "C.force.x", "C.force.y", "C.force.z", "constraints.position", "constraints.velocity"])

    def test_quantities_of_a_joint_that_closes_a_loop_say_so(self):
        for record in ("C.q", "2*C.q + A.q", "C.vdot", "sin(C.v)"):
            for verb in ("run", "assemble"):
                words = ("--record", record, "--out", self.folder / "a.csv") if verb == "run" else ("--lock", "C")
                done = run(verb, FOUR_BAR, *words)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertEqual(done.stderr, "error: joint 'C' closes a loop and has no coordinates of its own\n"
                                              "  fix: write `cut: false` at this joint, so that another one is cut\n")
        spaced = self.model(FOUR_BAR.read_text().replace("  C: {", "  far end: {"))
        for record in ("far end.q", "2*'far end'.q", "2*'far end.q'"):
            self.assertIn("joint 'far end' closes a loop", run("run", spaced, "--record", record, "--out", self.folder / "a.csv").stderr)
        self.assertIn("did you mean 'A.q'?", run("run", FOUR_BAR, "--record", "AA.q", "--out", self.folder / "a.csv").stderr)

    def test_models_that_name_a_joint_of_a_loop_keep_its_coordinates(self):
        for more in ("outputs: {bend: 2*C.q}", "constraints: {r: {type: relation, value: C.q - B.q}}",
                     "when: {far: {condition: C.q > 9, stop: true}}", "when: {slow: {at: 1, reset: {C.v: 0}}}",
                     "forces: {pull: {spring: {from: world.D, to: crank.e, length: 0.1, stiffness: 1 + C.q^2}}}"):
            done = run("check", self.model(four_bar() + more + "\n"))
            self.assertIn("loop 1: cut at", done.stdout, done.stderr)
            self.assertNotIn("cut at C", done.stdout)

    def test_a_constraint_that_is_not_finite_is_named_with_the_time(self):
        def run_into_cusp(q, s):
            return run("run", self.model("couplet: 1\ngravity: [0, -10, 0]\nbodies: {a: {mass: 1, shape: {box: [0.1, 0.1, 0.1]}}}\n"
                                         f"joints: {{A: {{type: xyz, from: world, to: a, q: {q}}}}}\nconstraints:\n"
                                         f"  track: {{type: on-curve, point: a, on: world, curve: [0.5+s^3, s^2, 0], s: {s}}}\n"),
                       "--until", 1, "--out", self.folder / "a.csv", "--overwrite")
        done = run_into_cusp([0.5, 0, 0], 0)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("t = 0: 'track' is not finite in its second derivative", done.stderr)
        done = run_into_cusp([0.625, 0.25, 0], 0.5)
        self.assertEqual(done.returncode, 1, done.stdout)
        found = re.search(r"t = (\S+): 'track' is not finite in its second derivative", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        # ∫ds/v from rest at s = 1/2, with s = sin(x)/2, by the midpoint rule
        angles = [math.pi / 2 * (k + 0.5) / 1000 for k in range(1000)]
        slide = sum(0.5 * math.sin(x) * math.sqrt(2.25 * math.sin(x)**2 + 4) for x in angles) * math.pi / 2000 / math.sqrt(20)
        self.assertAlmostEqual(float(found[1]), slide, delta=1e-5)

    def test_formalisms_for_trees_are_refused_with_those_for_loops(self):
        for formalism in ["generated", "fast", "recursive"]:
            done = run("run", MODELS / "slider_crank.yaml", "--formalism", formalism, "--out", self.folder / "no.csv")
            self.assertEqual(done.returncode, 2, formalism)
            self.assertIn("choose one of: schur, augmented, partitioned, dca", done.stderr)

    def test_friction_in_trees_is_the_same_in_generated_code(self):
        model = self.folder / "pendulum.yaml"
        model.write_text("couplet: 1\nbodies:\n"
                         "  a: {mass: 2, com: [0, 0, -0.6], inertia: [0.1, 0.1, 0.1], points: {tip: [0, 0, -1]}}\n"
                         "  b: {mass: 1, com: [0, 0, -0.3], inertia: [0.1, 0.1, 0.1]}\njoints:\n"
                         "  p: {type: revolute, from: world, to: a, axis: y, q: 1.2, friction: {coefficient: 0.4, radius: 0.1}}\n"
                         "  q: {type: revolute, from: a.tip, to: b, axis: y, friction: {coefficient: 0.2, radius: 0.1, stick-speed: 0.1}}\n")
        ends = []
        for formalism in ["recursive", "generated", "fast"]:
            done = run("run", model, "--until", "2", "--tolerance", "1e-9", "--formalism", formalism, "--out",
                       self.folder / f"{formalism}.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.folder / f"{formalism}.csv") as file:
                ends.append(float(list(csv.reader(file))[-1][1]))
        self.assertAlmostEqual(ends[1], ends[0], delta=1e-7)  # a hundred tolerances
        self.assertAlmostEqual(ends[2], ends[0], delta=1e-7)
        noted = run("generate", model, "--out", self.folder / "code")
        self.assertIn("note: the friction of joints is not in the code", noted.stderr)

    def goes_on(self, words, name):
        """A run that is killed after its first checkpoint and goes on has the rows of one that was not."""
        whole, cut = self.folder / f"{name}_whole.csv", self.folder / f"{name}_cut.csv"
        done = run(*words, "--out", whole)
        self.assertEqual(done.returncode, 0, done.stderr)
        process = subprocess.Popen([COUPLET, *map(str, words), "--out", str(cut)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checkpoint = pathlib.Path(f"{cut}.checkpoint")
        while not checkpoint.exists() and process.poll() is None:
            time.sleep(0.001)
        process.kill()
        process.wait()
        killed = checkpoint.exists()  # it was not done before
        if killed:
            done = run("resume", cut)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(whole.read_bytes(), cut.read_bytes())
        return killed

    def test_a_run_goes_on_with_the_same_bits(self):
        killed = [self.goes_on(["run", FOUR_BAR, "--formalism", formalism, "--integrator", rule, "--checkpoint", "0.5", "--until", "60"],
                               f"{formalism}_{rule}")
                  for formalism in ("schur", "augmented", "partitioned", "dca") for rule in ("dopri5", "ida", "radau5")]
        self.assertGreater(sum(killed), 3)

    def test_sticking_and_slipping_go_on_with_the_same_bits(self):
        self.goes_on(["run", MODELS / "slider_crank.yaml", "--until", "10", "--checkpoint", "0.3", "--interval", "0.05"], "rub")


if __name__ == "__main__":
    unittest.main()
