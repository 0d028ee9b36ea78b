#!/usr/bin/env python3
"""The pages do what they say: every command in them, in order and twice, prints what the page shows and ends as it implies.

A page is a session in one folder. Blocks of a language whose first line is a comment with a file name (`# ball.yaml`) are
that file. Blocks without a language hold commands, `$ couplet …`, and what they print; `…` alone is any number of lines. A
command ends with status 0, unless `$ echo $?` follows it and the line after that says another one. Numbers are those of the
page to three digits (counts of steps to a twentieth; what is below 1e-6 is round-off); the clock's are any.

usage: docs_test.py COUPLET   (the program under test)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from in_folder import InFolder

COUPLET = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "models" / "recipes"


def blocks(page):
    """(language, lines) of every fenced block, in order."""
    lines = iter(page.split("\n"))
    for line in lines:
        if line.startswith("```"):
            inside = []
            for text in lines:
                if text.startswith("```"):
                    break
                inside.append(text)
            yield line[3:].strip(), inside


def steps(page):
    """What a reader does, in order: ("file", name, text) or ("command", text, (status, lines that are shown))."""
    for language, lines in blocks(page):
        if language:
            named = re.match(r"(?:#|//|/\*) (\S+\.\w+)\b", lines[0]) if lines else None
            if named:
                yield "file", named[1], "\n".join(lines) + "\n"
            continue
        places = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        for i, following in zip(places, places[1:] + [len(lines)]):
            command = lines[i][2:]
            if command == "echo $?":
                continue
            asked = following < len(lines) and lines[following] == "$ echo $?"
            yield "command", command, (int(lines[following + 1]) if asked else 0, lines[i + 1:following])


NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|(?<=[, (])nan")
CLOCK = re.compile(r"in [\d.e+-]+ s \([\d.e+-]+× real time\)|\d+ steps? late .*|t = [0-2]\.\d+ s(?=;|, sim)|simulated [\d.]+ s")


def is_like(shown, printed, timed):
    """A line of the page and one of the program: the same words, and numbers that are close."""
    shown, printed = (" ".join(CLOCK.sub("#", line).split()) for line in (shown, printed))
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    slack = 0.05 if shown.startswith(("steps:", "implicit:")) else 1e-3
    pairs = list(zip(NUMBER.findall(shown), NUMBER.findall(printed)))
    for ours, theirs in [] if timed else pairs:
        a, b = float(ours), float(theirs)
        if abs(a - b) > max(slack * max(abs(a), abs(b)), 1e-6):
            return False
    return True


def missing_line(shown, printed, timed):
    """The first line of the page that the program did not print in its place; None where all are there."""
    at, anywhere = 0, not shown  # a page that shows nothing is silent about what is printed
    for line in shown:
        if line.strip() == "…":
            anywhere = True
            continue
        while anywhere and at < len(printed) and not is_like(line, printed[at], timed):
            at += 1
        if at == len(printed) or not is_like(line, printed[at], timed):
            return line
        at, anywhere = at + 1, False
    return None if anywhere or at == len(printed) else f"(nothing more), but there is: {printed[at]}"


def table_commands(page):
    """What stands in the last column of a table, `couplet …`."""
    for command in re.findall(r"\| `(couplet [^`]*)` \|$", page, re.MULTILINE):
        yield "command", command, (0, [])


def headings(page):
    """The anchors of a page: its headings in small letters, with hyphens for blanks and without punctuation."""
    titles = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


class Docs(InFolder):
    def follow(self, name, least):
        """Does all that the page says, twice; a command that ends otherwise or prints something else is a failure."""
        shutil.copytree(ROOT / "models", self.folder / "models")
        (self.folder / "src").symlink_to(ROOT / "src")
        (self.folder / "docs").mkdir()
        (self.folder / "build").mkdir()
        (self.folder / "build" / "release").symlink_to(COUPLET.parent)
        environment = dict(os.environ, PATH=f"{COUPLET.parent}:{os.environ['PATH']}")
        page = (ROOT / name).read_text(encoding="utf-8")
        commands = 0
        for kind, first, second in 2 * [*steps(page), *table_commands(page)]:
            if kind == "file":
                (self.folder / first).write_text(second, encoding="utf-8")
                continue
            with self.subTest(command=first):
                quick = re.sub(r"--budget [\d.]+", "--budget 0.1 --integrators dopri5,dop853,radau5", first)  # a benchmark takes as long as one lets it
                done = subprocess.run(["bash", "-c", quick], cwd=self.folder, env=environment, text=True, timeout=120,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                status, shown = second
                self.assertEqual(done.returncode, status, done.stdout)
                if quick == first:
                    missing = missing_line(shown, done.stdout.splitlines(), "couplet compare" in first)
                    self.assertIsNone(missing, f"{missing!r} is not what was printed:\n{done.stdout}")
            commands += 1
        self.assertGreaterEqual(commands, least)  # the reader of pages above has found them

    def test_page_readme(self):
        self.follow("README.md", 50)

    def test_page_tutorial(self):
        self.follow("docs/tutorial.md", 40)

    def test_page_recipes(self):
        self.follow("docs/recipes.md", 90)

    def test_page_command_line(self):
        self.follow("docs/command-line.md", 16)

    def test_page_simulation(self):
        self.follow("docs/simulation.md", 20)

    def test_page_results(self):
        self.follow("docs/results.md", 10)

    def test_page_evaluate(self):
        self.follow("docs/evaluate.md", 6)

    def test_page_model_format(self):
        self.follow("docs/model-format.md", 2)

    def test_page_loops(self):
        self.follow("docs/loops.md", 4)

    def test_page_substructures(self):
        self.follow("docs/substructures.md", 6)

    def test_page_generate(self):
        self.follow("docs/generate.md", 2)

    def test_page_modelica(self):
        self.follow("docs/modelica.md", 19)

    def test_page_modelica_library(self):
        self.follow("docs/modelica-library.md", 6)

    def test_every_model_of_the_recipes_is_without_faults(self):
        models = sorted(RECIPES.glob("*.yaml"))
        self.assertTrue(models)
        page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
        for model in models:
            with self.subTest(model=model.name):
                done = subprocess.run([str(COUPLET), "check", "--strict", str(model)], capture_output=True, text=True,
                                      timeout=120)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("no faults found", done.stdout)
                self.assertIn(f"models/recipes/{model.name}", page)  # no model without its recipe

    def test_links_between_the_pages_lead_somewhere(self):
        for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]:
            for link, place in re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, link=link + place):
                    there = page.parent / link if link else page
                    self.assertTrue(there.exists())
                    if place:
                        self.assertIn(place[1:], headings(there.read_text(encoding="utf-8")))


if __name__ == "__main__":
    unittest.main()
