"""The wheel for aarch64 (packaging/linux-aarch64/build), run by QEMU, against the program for this system.

usage: aarch64_test.py ROOT PROGRAM

Ends with 77 where there is no QEMU or no wheel in build-aarch64/.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROGRAM = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = ROOT / "build-aarch64"
WHEELS = list(BUILD.glob("repaired/*.whl"))
SYSTEM, SITE = BUILD / "python", BUILD / "site"
QEMU = shutil.which("qemu-aarch64-static")


def impedances(text):
    return [complex(*port["impedance_ohm"]) for frequency in json.loads(text)["frequencies"]
            for port in frequency["ports"]]


class Aarch64(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        shutil.copy(ROOT / "examples/dipole/dipole.nec", self.folder)

    def output(self, *words):
        run = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(SITE), "OMP_WAIT_POLICY": "passive"})
        self.assertEqual(run.returncode, 0, (words, run.stderr))
        return run.stdout

    def there(self, *words):
        return self.output(QEMU, "-L", SYSTEM, SITE / "thinwire/thinwire", *words)

    def here(self, *words):
        return self.output(PROGRAM, *words)

    def python(self, text):
        return self.output(QEMU, "-L", SYSTEM, SYSTEM / "usr/bin/python3", "-c", text)

    def close(self, ours, theirs, what):
        self.assertEqual(len(ours), len(theirs))
        for z, expected in zip(ours, theirs):
            self.assertLess(abs(z - expected), 1e-9 * abs(expected), what)

    def test_impedances_are_those_of_this_system(self):
        for example in ("dipole/dipole", "yagi/yagi", "dipole_height/dipole_height", "helix/helix"):
            words = ("solve", ROOT / f"examples/{example}.nec", "-o", "none", "--json", "--quiet")
            self.close(impedances(self.there(*words)), impedances(self.here(*words)), example)

    def test_results_are_read_on_the_other_system(self):
        self.there("solve", "dipole.nec", "-o", "there.h5", "--quiet")
        self.here("solve", "dipole.nec", "-o", "here.h5", "--quiet")
        for file in ("there.h5", "here.h5"):
            self.assertEqual(self.here("info", file), self.there("info", file))
        self.assertIn("sha256", (self.folder / "there.h5").read_bytes().decode("latin-1"))

    def test_python_package(self):
        self.here("solve", "dipole.nec", "-o", "here.h5", "--quiet")
        solved, read = json.loads(self.python(
            "import json, platform, thinwire as tw; assert platform.machine() == 'aarch64'\n"
            "z = tw.read_deck('dipole.nec').solve().z, tw.open('here.h5').z\n"
            "print(json.dumps([[[x.real, x.imag] for x in z.ravel().tolist()] for z in z]))"))
        self.close([complex(*z) for z in solved], [complex(*z) for z in read], "dipole")

    def test_optimisations(self):
        self.there("optimize", ROOT / "examples/yagi/yagi.nec", "--vary", "h2=.47:.5", "--goal", "vswr(145) < 1.5",
                   "-o", "optimized.h5", "--quiet")
        self.assertIn("h2", self.here("info", "optimized.h5"))

    def test_what_is_in_the_wheel(self):
        wheel, = WHEELS
        self.assertRegex(wheel.name, r"-cp312-abi3-manylinux_2_\d+_aarch64\.whl$")
        with zipfile.ZipFile(wheel) as packed:
            names = packed.namelist()
            for name in names:
                data = packed.read(name)
                self.assertFalse(f"{ROOT}/".encode() in data, f"{name} names the folder of the build")
                if data.startswith(b"\x7fELF"):
                    self.assertEqual(struct.unpack_from("<H", data, 18)[0], 183, f"{name} is not for aarch64")
        licences = {pathlib.PurePath(name).stem for name in names if ".dist-info/licenses/" in name}
        self.assertLessEqual({"LICENSE", "copyright", "nanobind", "libgfortran5", "GPL-3"}, licences)
        self.assertTrue(any(re.search(r"/man1/thinwire\.1$", name) for name in names))


if __name__ == "__main__":
    if not WHEELS or not QEMU:
        print("SKIPPED: no QEMU, or no wheel for aarch64 (packaging/linux-aarch64/build)")
        sys.exit(77)
    unittest.main()
