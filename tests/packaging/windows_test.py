"""The program for Windows (packaging/windows/build), run by Wine, against the one for Linux.

usage: windows_test.py ROOT PROGRAM

Ends with 77 where there is no Wine or no build in build-windows/.
"""
import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = ROOT / "build-windows"
WINE = "/usr/lib/wine/wine64"
# As Wine shows Linux's files.
DRIVE = "Z:"
ENVIRONMENT = {"WINEPREFIX": str(BUILD / "wine"), **os.environ, "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8",
               "OMP_WAIT_POLICY": "passive"}


def seats(folder):
    """Places the program and its library in a folder, under the names of other engines too."""
    for name in ("thinwire.exe", "nec2dxs11k.exe", "NEC5.exe"):
        os.symlink(BUILD / "build/cli/thinwire.exe", folder / name)
    library = BUILD / "source/openblas/scipy_openblas32/lib/libscipy_openblas.dll"
    os.symlink(library, folder / library.name)


class Windows(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        seats(self.folder)
        shutil.copy(ROOT / "examples/dipole/dipole.nec", self.folder)

    def wine(self, *words, code=0, program="thinwire.exe", given=""):
        run = subprocess.run([WINE, program, *words], cwd=self.folder, env=ENVIRONMENT, input=given.encode(),
                             capture_output=True)
        self.assertEqual(run.returncode, code, (words, run.stderr.decode(errors="replace")))
        return run.stdout.decode(), run.stderr.decode()

    def linux(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, env=ENVIRONMENT, check=True,
                              capture_output=True, text=True).stdout

    def impedances(self, text):
        return [complex(*port["impedance_ohm"]) for frequency in json.loads(text)["frequencies"]
                for port in frequency["ports"]]

    def test_impedances_are_those_of_linux(self):
        for example in ("dipole/dipole", "yagi/yagi", "dipole_height/dipole_height", "helix/helix"):
            words = ("solve", str(ROOT / f"examples/{example}.nec"), "-o", "none", "--json", "--quiet")
            ours, theirs = self.impedances(self.wine(*words)[0]), self.impedances(self.linux(*words))
            self.assertEqual(len(ours), len(theirs))
            for z, expected in zip(ours, theirs):
                self.assertLess(abs(z - expected), 1e-9 * abs(expected), example)

    def test_results_are_read_on_the_other_system(self):
        self.wine("solve", "dipole.nec", "--quiet")
        self.assertEqual(self.linux("info", "dipole.h5"), self.wine("info", "dipole.h5")[0])
        shutil.move(self.folder / "dipole.h5", self.folder / "windows.h5")
        self.linux("solve", "dipole.nec", "--quiet")
        self.wine("report", "dipole.h5", "windows.h5", "-o", "page.html")
        self.assertIn("<html", (self.folder / "page.html").read_text(encoding="utf-8"))

    def test_names_of_files(self):
        (self.folder / "Öfen").mkdir()
        deck = self.folder / "Öfen" / "λ dipole.nec"
        deck.write_bytes((self.folder / "dipole.nec").read_bytes().replace(b"\n", b"\r\n"))
        _, notes = self.wine("solve", "Öfen\\λ dipole.nec", "-o", "Öfen\\π.h5")
        self.assertTrue((self.folder / "Öfen" / "π.h5").exists(), notes)
        self.wine("check", DRIVE + str(deck).replace("/", "\\"))
        error = self.wine("solve", "C:\\nowhere\\a.nec", code=5)[1]
        self.assertIn("C:\\nowhere\\a.nec: ", error)
        self.wine("solve", "dipole.nec", "-o", "Öfen\\π.h5", "--force", "--quiet")
        self.assertEqual([path.name for path in self.folder.rglob("*.part")], [])

    def test_other_programs_call_it(self):
        deck = (self.folder / "dipole.nec").read_bytes().replace(b"\n", b"\r\n")
        (self.folder / "dipole.nec").write_bytes(deck)
        self.wine(program="nec2dxs11k.exe", given="dipole.nec\r\ndipole.out\r\n")
        self.wine("dipole.nec", "NEC5.OUT", program="NEC5.exe")
        for name, dialect in (("dipole.out", "auto"), ("NEC5.OUT", "nec5")):
            self.linux("nec2c", "-i", "dipole.nec", "-o", "linux.out", "--layout", "nec2", "--dialect", dialect)
            ours, theirs = (re.findall(rb"- ANTENNA INPUT PARAMETERS .*\r\n\r\n.*\r\n.*\r\n(.{120})\r\n",
                                       (self.folder / file).read_bytes()) for file in (name, "linux.out"))
            self.assertEqual(len(ours), 22)
            self.assertEqual(ours, theirs)

    def test_sweeps_and_optimisations(self):
        yagi = str(ROOT / "examples/yagi/yagi.nec")
        for words in (("sweep", yagi, "--vary", "h2=.47:.5:3"),
                      ("optimize", yagi, "--vary", "h2=.47:.5", "--goal", "vswr(145) < 1.5")):
            self.wine(*words, "-o", "windows.h5", "--quiet", "--force")
            self.assertIn("h2", self.linux("info", "windows.h5"))

    def test_ctrl_c(self):
        wires = "".join(f"GW {i} 41 {.3 * i} 0 -.25 {.3 * i} .2 .25 .001\n" for i in range(1, 41))
        (self.folder / "slow.nec").write_text(f"{wires}GE\nFR 0 4000 0 0 250 .025\nEX 0 1 21 0 1\nXQ\nEN\n")
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(WINE, [WINE, "thinwire.exe", "solve", "slow.nec"], ENVIRONMENT)
        os.read(terminal, 1)
        time.sleep(5)
        os.write(terminal, b"\x03")
        text = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(terminal, 65536):
                text += piece
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 130)
        self.assertIn(b"thinwire: interrupted.", re.sub(rb"\x1b\[[?0-9]*[A-Za-z]", b"", text))
        self.assertEqual([path.name for path in self.folder.glob("slow.h5*") if path.suffix != ".journal"], [])

    def test_commands_of_python_name_what_is_missing(self):
        self.assertIn("cannot be started", self.wine("rcs", "dipole.nec", code=5)[1])


if __name__ == "__main__":
    if not (BUILD / "build/cli/thinwire.exe").exists() or not pathlib.Path(WINE).exists():
        print("SKIPPED: no Wine, or no program for Windows (packaging/windows/build)")
        sys.exit(77)
    unittest.main()
