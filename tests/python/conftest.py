"""Fixtures. The program is in the environment's THINWIRE, the repository in THINWIRE_SOURCE."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import thinwire as tw
from thinwire._report import page_of

SOURCE = pathlib.Path(os.environ.get("THINWIRE_SOURCE", pathlib.Path(__file__).parents[2]))


def contents_of(results):
    """The document in the page of named results."""
    page = page_of(results)
    return json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])


@pytest.fixture
def examples():
    return SOURCE / "examples"


@pytest.fixture
def dipole():
    """The antenna of the package's first example, and its port."""
    antenna = tw.Antenna()
    wire = antenna.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21)
    return antenna, antenna.port(wire)


@pytest.fixture(scope="session")
def program_path():
    return os.environ.get("THINWIRE") or pytest.skip("THINWIRE does not name the program")


@pytest.fixture
def program(program_path):
    """Runs `thinwire solve --json` and gives its document."""
    def solve(deck, *options):
        run = subprocess.run([program_path, "solve", str(deck), "-o", "none", "--json", "--quiet",
                              *options], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    return solve


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all pages, whose WebGL needs no graphics card."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        pytest.skip("no Chromium: install it, or set CHROMIUM to its path")
    with playwright.sync_playwright() as p:
        yield p.chromium.launch(executable_path=chromium, args=[
            "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
