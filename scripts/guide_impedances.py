#!/usr/bin/env python3
"""Writes a section of docs/measurements/validation.md: impedances of the NEC-2 user's guide against finer meshes.

usage: guide_impedances.py THINWIRE FOLDER, the folder with example5_guide.nec

Every case is solved by nec2c on the guide's mesh and on a finer one with the same source, and by `thinwire converge`, whose limit
is that of an infinitely fine mesh. Two straight wires have a reference that shares nothing with either: Hallen's equation by
tests/golden/tube_impedance.py, which is taken where NumPy is there.
"""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
METRES_MHZ = 299.792458


def dipole(mesh, load="", mhz=299.8):
    """Example 1: 7 segments of one radius; the voltage over the middle seventh, whatever the mesh."""
    sources = "".join(f"EX 0 0 {3 * mesh + 1 + i} 0 {1 / mesh:.17g} 0\n" for i in range(mesh))
    return f"CE\nGW 0 {7 * mesh} 0 0 -.25 0 0 .25 .001\nGE\n{load}FR 0 1 0 0 {mhz}\n{sources}XQ\nEN\n"


def thin_dipole(mesh, mhz, load=""):
    """Example 2: 8 segments and a gap without width (EX 5); finer, an ever narrower segment with the voltage."""
    wire, source = (8, "EX 5 0 5 0 1") if mesh == 1 else (9 * mesh, f"EX 0 0 {(9 * mesh + 1) // 2} 0 1")
    return f"CE\nGW 0 {wire} 0 0 -.25 0 0 .25 .00001\nGE\n{load}FR 0 1 0 0 {mhz}\n{source}\nXQ\nEN\n"


def thick_vertical(ground, mhz=30.0):
    """Example 3: segments of 1.9 radii, which NEC-2 cannot have finer."""
    return f"CE\nGW 0 9 0 0 2 0 0 7 .3\nGE {1 if ground else 0}\nEK\nFR 0 1 0 0 {mhz}\nEX 0 0 5 0 1\n{ground}XQ\nEN\n"


def log_periodic(decks):
    return (decks / "example5_guide.nec").read_text()


def cases(tube):
    """(name, what the guide prints, its deck, the deck on a finer mesh with how fine, reference or None)"""
    aluminium = "LD 5 0 0 0 3.72E7\n"
    stretched = 299.8 / METRES_MHZ  # of example 1's frequency
    example1 = tube(0.5 * stretched, 0.001 * stretched, 7) if tube else None
    free3 = tube(0.5, 0.03, 9) if tube else None
    return [
        ("1", 82.698 + 46.306j, dipole(1), ("9 times", dipole(9)), example1),
        ("2, 200 MHz", 26.576 - 632.06j, thin_dipole(1, 200), ("243 segments", thin_dipole(27, 200)), None),
        ("2, 250 MHz", 47.143 - 272.37j, thin_dipole(1, 250), ("243 segments", thin_dipole(27, 250)), None),
        ("2, 300 MHz", 80.551 + 45.714j, thin_dipole(1, 300), ("243 segments", thin_dipole(27, 300)), None),
        ("2, aluminium", 112.43 + 65.43j, thin_dipole(1, 300, aluminium), None, None),
        ("3, GN 1", 106.437 + 9.906j, thick_vertical("GN 1\n"), None, None),
        ("3, GN 0", 111.117 + 11.008j, thick_vertical("GN 0 0 0 0 6 .001\n"), None, None),
        ("3 without ground, 10 m", None, thick_vertical("", METRES_MHZ / 10), None, free3),
        ("5, log-periodic", 42.325 - 0.449j, None, None, None),
    ]


def tube_reference():
    """(length, radius in wavelengths, one segment of how many is the gap) -> ohm, or None without NumPy."""
    try:
        spec = importlib.util.spec_from_file_location("tube", here.parent / "tests/golden/tube_impedance.py")
        tube = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tube)
    except ImportError:
        return None
    return lambda length, radius, of: tube.impedance(length, radius, (length * (of - 1) / 2 / of, length * (of + 1) / 2 / of))


def nec2c(text):
    """The first run's voltage over the mean current of all its sources, or None."""
    with tempfile.TemporaryDirectory() as folder:
        deck, listing = pathlib.Path(folder) / "d.nec", pathlib.Path(folder) / "d.out"
        deck.write_text(text)
        subprocess.run(["nec2c", "-i", str(deck), "-o", str(listing)], capture_output=True)
        blocks = listing.read_text(errors="replace").split("ANTENNA INPUT PARAMETERS") if listing.exists() else []
    if len(blocks) < 2:
        return None
    rows = [row.split() for row in blocks[1].splitlines()]
    rows = [[float(x) for x in row] for row in rows if len(row) == 11 and re.fullmatch(r"\d+", row[0])]
    return sum(complex(*row[2:4]) for row in rows) * len(rows) / sum(complex(*row[4:6]) for row in rows)


def converge(thinwire, text):
    """thinwire's impedance on its default mesh, the limit and its error bar."""
    done = subprocess.run([thinwire, "converge", "-", "--json", "--quiet"], input=text, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    mine = next(complex(*m["impedance_ohm"][0]) for m in report["meshes"] if m["mesh"] == "graded" and m["refinement"] == 1)
    return mine, complex(*report["ports"][0]["impedance_ohm"]), report["ports"][0]["bar_ohm"]


def ohm(z):
    return "-" if z is None else f"{z.real:.2f} {'-' if z.imag < 0 else '+'} {abs(z.imag):.2f}j"


def section(thinwire, decks):
    """Markdown. decks: the folder with the guide's examples."""
    rows = []
    for name, printed, text, finer, reference in cases(tube_reference()):
        text = text or log_periodic(decks)
        mine, limit, bar = converge(thinwire, text)

        def off(z):
            return "-" if z is None else f"{100 * abs(z - limit) / abs(limit):.2g} %"

        shown = nec2c(text) if printed is None else printed
        fine = nec2c(finer[1]) if finer else None
        rows.append([name, ohm(shown), off(shown), ohm(mine), off(mine), f"{ohm(limit)} +- {bar:.2g}",
                     f"{finer[0]}: {ohm(fine)}, {off(fine)}" if finer else "-", f"{ohm(reference)}, {off(reference)}" if reference else "-"])
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"""## The NEC-2 user's guide

Impedances that the guide prints, ohm, and their distance ("off") from the limit of an infinitely fine mesh (`thinwire
converge`). The reference is Hallen's equation with the exact kernel (`tests/golden/tube_impedance.py`).

- nec2c reproduces the guide's numbers to their last digit, except aluminium (106.58 + 68.54j), where its internal impedance
  is wrong. Finer meshes with the same source bring it to thinwire's limit.
- The source of example 2, a jump of the current's derivative (`EX 5`), does not improve with the mesh: the finer one has the
  voltage on one segment in 243.

| example | guide | off | thinwire | off | limit | nec2c, finer mesh | reference |
|---|---|---|---|---|---|---|---|
{table}
"""


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: guide_impedances.py THINWIRE FOLDER")
    print(section(sys.argv[1], pathlib.Path(sys.argv[2])), end="")
