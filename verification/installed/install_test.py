#!/usr/bin/env python3
"""Installs to an empty folder and uses what is there: the program, its man page and completion, and a program of a user.

usage: install_test.py BUILD_FOLDER   (of Couplet)
"""
import pathlib
import subprocess
import sys
import tempfile

build, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).resolve().parent


def do(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    prefix, outside = pathlib.Path(folder) / "usr", pathlib.Path(folder) / "outside"
    do("cmake", "--install", build, "--prefix", prefix)
    assert do(prefix / "bin" / "couplet", "--version").startswith("couplet ")
    for path in ("share/man/man1/couplet.1", "share/man/man1/couplet-run.1", "share/bash-completion/completions/couplet",
                 "share/zsh/site-functions/_couplet", "share/fish/vendor_completions.d/couplet.fish",
                 "include/couplet/couplet.hpp", "share/couplet/modelica/Couplet/package.mo"):
        assert (prefix / path).stat().st_size > 0, path
    assert "balanced" in do(prefix / "bin" / "couplet", "check", "Couplet.Examples.DoublePendulum")
    assert not list((prefix / "include").rglob("tests")), "headers of tests are not part of the library"
    do("cmake", "-S", here, "-B", outside, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    do("cmake", "--build", outside)
    print(do(outside / "outside"))
