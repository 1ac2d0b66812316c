"""The program that a wheel brings: what CMake installs for `pip install .`, away from the build tree."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

BUILD = os.environ.get("THINWIRE_BUILD")
pytestmark = pytest.mark.skipif(not BUILD or not os.environ.get("THINWIRE"),
                                reason="no build tree with the program")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A folder as a wheel fills it, and a run of its command `thinwire` there."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", str(folder)],
                   check=True, capture_output=True)

    def run(*words, command=(sys.executable, str(folder / "bin" / "thinwire")), cwd=folder,
            **changed):
        variables = {**os.environ, "PYTHONPATH": str(folder), **changed}
        return subprocess.run([*command, *words], cwd=cwd, env=variables, capture_output=True,
                              text=True)

    return folder, run


def test_the_command_solves(environment):
    folder, run = environment
    shutil.copy(pathlib.Path(os.environ["THINWIRE_SOURCE"]) / "examples/dipole/dipole.nec", folder)
    solved = run("solve", "dipole.nec", "-o", "dipole.h5")
    assert (solved.returncode, (folder / "dipole.h5").exists()) == (0, True), solved.stderr
    # As the program itself, exit status and all.
    itself = subprocess.run([os.environ["THINWIRE"], "version"], capture_output=True, text=True)
    assert run("version").stdout == itself.stdout
    assert run("solve", "no.nec").returncode == 5


def test_modules_are_beside_it(environment):
    folder, _ = environment
    built = pathlib.Path(BUILD) / "lib" / "thinwire"
    modules = {file.name for file in built.glob("libthinwire_*.so")}
    assert {file.name for file in (folder / "thinwire").glob("libthinwire_*.so")} == modules


def test_manual_and_completion_come_with_it(environment):
    folder, _ = environment
    for file in ("man/man1/thinwire.1", "bash-completion/completions/thinwire",
                 "zsh/site-functions/_thinwire", "fish/vendor_completions.d/thinwire.fish"):
        assert (folder / "share" / file).stat().st_size > 0


def test_report_needs_no_python(environment, tmp_path):
    folder, run = environment
    shutil.copy(pathlib.Path(os.environ["THINWIRE_SOURCE"]) / "examples/dipole/dipole.nec", tmp_path)
    program = (str(folder / "thinwire" / "thinwire"),)
    for words in (["solve", "dipole.nec"], ["report", "dipole.h5"]):
        done = run(*words, command=program, cwd=tmp_path, PATH="", PYTHONPATH="")
        assert done.returncode == 0, done.stderr
    page = (tmp_path / "dipole.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")


def test_the_package_run_as_a_module_is_the_program(environment):
    folder, run = environment
    module = run("version", command=(sys.executable, "-m", "thinwire"))
    assert module.stdout == run("version").stdout != ""


def test_a_link_named_nec2c_is_nec2c(environment):
    folder, run = environment
    (folder / "nec2c").symlink_to(folder / "bin" / "thinwire")
    deck = folder / "a.nec"
    deck.write_text("CE\nGW 1 9 0 0 -.25 0 0 .25 .001\nGE\nEX 0 1 5 0 1\nXQ\nEN\n")
    called = run("-i", "a.nec", command=(sys.executable, str(folder / "nec2c")))
    assert called.returncode == 0, called.stderr
    assert "ANTENNA INPUT PARAMETERS" in (folder / "a.out").read_text()


def test_a_program_that_is_gone_is_one_line(environment):
    folder, run = environment
    program = folder / "thinwire" / "thinwire"
    aside = program.rename(folder / "aside")
    try:
        gone = run("version")
    finally:
        aside.rename(program)
    assert gone.returncode == 5
    assert gone.stderr.count("\n") == 1 and f"{program}: cannot be started" in gone.stderr
    bare = (sys.executable, "-I", "-S", str(folder / "bin" / "thinwire"))
    nowhere = run("version", command=bare)
    assert nowhere.returncode == 5 and nowhere.stderr.count("\n") == 1
