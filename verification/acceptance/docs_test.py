#!/usr/bin/env python3
"""The tutorial and the recipes do what they say: every command in them ends as the page implies.

A page is a session in one folder. Blocks of a language whose first line is a comment with a file name (`# ball.yaml`) are
that file. Blocks without a language hold commands, `$ couplet …`; one ends with status 0, unless `$ echo $?` follows it
and the line after that says another one.

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
    """What a reader does, in order: ("file", name, text) or ("command", text, expected status)."""
    for language, lines in blocks(page):
        if language:
            named = re.match(r"(?:#|//|/\*) (\S+\.\w+)\b", lines[0]) if lines else None
            if named:
                yield "file", named[1], "\n".join(lines) + "\n"
            continue
        places = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        for i, following in zip(places, places[1:] + [None]):
            command = lines[i][2:]
            if command == "echo $?":
                continue
            asked = following is not None and lines[following] == "$ echo $?"
            yield "command", command, int(lines[following + 1]) if asked else 0


def table_commands(page):
    """What stands in the last column of a table, `couplet …`."""
    for command in re.findall(r"\| `(couplet [^`]*)` \|$", page, re.MULTILINE):
        yield "command", command, 0


class Docs(InFolder):
    def follow(self, name, times=1):
        """Does all that the page says; every command that ends otherwise is a failure."""
        if not (self.folder / "models").exists():
            shutil.copytree(ROOT / "models", self.folder / "models")
            (self.folder / "src").symlink_to(ROOT / "src")
            (self.folder / "build").mkdir()
            (self.folder / "build" / "release").symlink_to(COUPLET.parent)
        environment = dict(os.environ, PATH=f"{COUPLET.parent}:{os.environ['PATH']}")
        page = (ROOT / name).read_text(encoding="utf-8")
        commands = 0
        for kind, first, second in times * [*steps(page), *table_commands(page)]:
            if kind == "file":
                (self.folder / first).write_text(second, encoding="utf-8")
                continue
            with self.subTest(command=first):
                done = subprocess.run(["bash", "-c", first], cwd=self.folder, env=environment, capture_output=True,
                                      text=True, timeout=120)
                self.assertEqual(done.returncode, second, done.stdout + done.stderr)
            commands += 1
        return commands

    def test_the_tutorial(self):
        self.assertGreater(self.follow("docs/tutorial.md"), 15)

    def test_the_examples_of_the_readme_twice(self):
        self.assertGreater(self.follow("README.md", times=2), 40)

    def test_the_recipes(self):
        self.assertGreater(self.follow("docs/recipes.md"), 25)

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
        for name in ("tutorial.md", "recipes.md", "integrators.md", "conventions.md", "coming-from.md"):
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / "docs" / name).read_text(encoding="utf-8")):
                with self.subTest(page=name, link=link):
                    self.assertTrue((ROOT / "docs" / link).exists())


if __name__ == "__main__":
    unittest.main()
