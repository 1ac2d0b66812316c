#!/usr/bin/env python3
"""thinwire optimize against Nelder and Mead's simplex on nec2c, with the same decks, bounds and goals.

usage: optimize_against_nec2c.py THINWIRE [--only NAME] [--limit EVALUATIONS] [--evaluations N] [--one-start]

Three published designs (tests/bench/optimize/*.nec, which name their sources). The simplex is scipy's, from the deck's own
values, in the unit cube of the bounds, restarted from its best until that gains nothing; it makes small what thinwire's
searches without constraints do (docs/guide/optimize.md): objective + 100 miss. thinwire searches from one start and from four, and
from one until it is as good as the simplex: what that drove to is a bound then. What either finds is solved by both programs
in the end. Seconds are processor time of the programs that solve, Python's not counted. Needs nec2c, numpy and scipy.
"""
import argparse
import json
import math
import pathlib
import re
import resource
import subprocess
import tempfile

import numpy
import scipy.optimize

FOLDER = pathlib.Path(__file__).parent / "optimize"
DESIGNS = {
    "yagi": {
        "vary": {"h1": (0.46, 0.54), "h2": (0.43, 0.5), "h3": (0.4, 0.48), "h4": (0.4, 0.48), "h5": (0.4, 0.48),
                 "h6": (0.4, 0.48), "x2": (0.25, 0.6), "x3": (0.7, 1.1), "x4": (1.2, 1.7), "x5": (1.75, 2.2)},
        "goals": ["gain(90,0) max"],
    },
    "log_periodic": {
        "vary": {"tau": (0.88, 0.96), "s": (0.5, 1.0), "z": (30, 120), "zt": (20, 200)},
        "goals": ["vswr min", "gain(90,0) > 7"],
    },
    "verticals": {
        "vary": {"h1": (8, 12), "h2": (8, 12), "d": (7, 14), "front": (15, 24), "back": (6, 14), "zl": (30, 100)},
        "goals": ["fb(70,0) > 25", "vswr < 1.05", "gain(70,0) max"],
    },
}


def processor_seconds():
    """Of all children so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def symbols_of(text, values):
    names = {}
    for line in text.splitlines():
        if line.startswith("SY"):
            for part in line[2:].split(","):
                name, formula = part.split("=")
                names[name.strip()] = values.get(name.strip(), eval(formula, {}, names))
    return names


def plain_deck(text, values):
    """The deck without SY cards, as nec2c reads it."""
    names = symbols_of(text, values)
    lines = []
    for line in text.splitlines():
        card, *fields = line.split()
        if card == "SY":
            continue
        if card not in ("CM", "CE"):
            fields = [f"{eval(f, {}, names):.10g}" if re.search("[a-z]", f, re.I) else f for f in fields]
        lines.append(" ".join([card, *fields]))
    return "\n".join(lines) + "\n"


def nec2c(text, values, folder, program=("nec2c",)):
    """Impedances, and gains in the directions of the RP card, of each frequency."""
    (folder / "n.nec").write_text(plain_deck(text, values))
    subprocess.run([*program, "-i", folder / "n.nec", "-o", folder / "n.out"], capture_output=True)
    impedances, gains, rows = [], [], 0
    for line in (folder / "n.out").read_text(errors="replace").splitlines():
        words = line.split()
        if "ANTENNA INPUT PARAMETERS" in line:
            rows = 1
        elif rows and len(words) == 11 and words[0].isdigit():
            impedances.append(complex(float(words[6]), float(words[7])))
            rows = 0
        elif "RADIATION PATTERNS" in line:
            gains.append([])
        elif gains and len(words) >= 11 and re.match(r"^ +-?\d+\.\d\d +-?\d+\.\d\d +-?\d", line):
            gains[-1].append(float(words[4]))
    return numpy.array(impedances), numpy.array(gains)


def vswr(impedances):
    magnitude = abs((impedances - 50) / (impedances + 50))
    return (1 + magnitude) / numpy.maximum(1 - magnitude, 1e-6)


def merit(goals, impedances, gains):
    """What the goals come to, and objective + 100 miss."""
    values, objective, miss = [], 0.0, 0.0
    for goal in goals:
        if goal.startswith("gain"):
            value = gains[:, 0].min()
        elif goal.startswith("fb"):
            value = (gains[:, 0] - gains[:, 1]).min()
        else:
            value = vswr(impedances).max()
        values.append(float(value))
        bound = float(goal.split()[-1]) if goal.split()[-1] not in ("min", "max") else None
        if bound is None:
            objective += value if goal.endswith("min") else -value
        elif goal.startswith("vswr"):
            miss = max(miss, (value - 1) / (value + 1) - (bound - 1) / (bound + 1))
        else:
            miss = max(miss, (bound - value) / 10)
    return values, objective + 100 * miss


def simplex(design, text, folder, limit):
    names = list(design["vary"])
    lower, upper = numpy.array(list(design["vary"].values())).T
    own = symbols_of(text, {})
    history = []

    def function(unit):
        if len(history) >= limit:
            raise StopIteration
        values = dict(zip(names, lower + numpy.clip(unit, 0, 1) * (upper - lower)))
        try:
            result = merit(design["goals"], *nec2c(text, values, folder))[1]
        except (ValueError, IndexError):
            result = 1e6
        result = float(result) if math.isfinite(result) else 1e6
        history.append((result, values))
        return result

    start = processor_seconds()
    best = (numpy.array([own[n] for n in names]) - lower) / (upper - lower)
    before = math.inf
    try:
        while True:
            found = scipy.optimize.minimize(function, best, method="Nelder-Mead", bounds=[(0, 1)] * len(names),
                                            options={"xatol": 1e-4, "fatol": 1e-4, "maxfev": limit, "adaptive": True})
            if found.fun > before - 1e-3:
                break
            before, best = found.fun, found.x
    except StopIteration:
        pass
    seconds = processor_seconds() - start
    return min(history, key=lambda h: h[0])[1], len(history), seconds


def as_bounds(goals, reached):
    """The goals, with those to drive, and bounds that were missed, as bounds of what was reached."""
    bounds = []
    for goal, value in zip(goals, reached):
        function, *aim = goal.split()
        least = function.startswith(("gain", "fb"))
        limit = value if aim[0] in ("min", "max") else (min if least else max)(float(aim[-1]), value)
        bounds.append(f"{function} {'>' if least else '<'} {limit:.6f}")
    return bounds


def thinwire(program, design, deck, folder, *more):
    """The best values, and what they took."""
    command = [program, "optimize", deck, "--json", "--quiet", "--output-deck", folder / "t.nec", "-o", folder / "t.h5",
               *more]
    for name, (low, high) in design["vary"].items():
        command += ["--vary", f"{name}={low}:{high}"]
    for goal in design["goals"]:
        command += ["--goal", goal]
    start = processor_seconds()
    run = subprocess.run(command, capture_output=True, text=True)
    seconds = processor_seconds() - start
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr)
    document = json.loads(run.stdout)
    return {v["name"]: v["best"] for v in document["variables"]}, document["evaluations"], seconds


def judged(program, design, text, values, folder):
    """What the goals come to in nec2c, and in thinwire."""
    return (merit(design["goals"], *nec2c(text, values, folder)),
            merit(design["goals"], *nec2c(text, values, folder, (program, "nec2c"))))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("thinwire")
    arguments.add_argument("--only", choices=list(DESIGNS))
    arguments.add_argument("--limit", type=int, default=20000, help="evaluations of the simplex at most")
    arguments.add_argument("--evaluations", default="2000", help="of thinwire at most")
    arguments.add_argument("--one-start", action="store_true", help="no searches from four")
    given = arguments.parse_args()
    for name, design in DESIGNS.items():
        if given.only not in (None, name):
            continue
        deck = FOLDER / f"{name}.nec"
        text = deck.read_text()
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            print(f"{name}: {'; '.join(design['goals'])}")

            def show(way, values, evaluations, seconds):
                by_nec2c, by_thinwire = judged(given.thinwire, design, text, values, folder)
                print(f"  {way:<31} {evaluations:>6} evaluations {seconds:9.2f} s   nec2c "
                      + " ".join(f"{v:8.3f}" for v in by_nec2c[0]) + f" merit {by_nec2c[1]:8.3f}   thinwire "
                      + " ".join(f"{v:8.3f}" for v in by_thinwire[0]) + f" merit {by_thinwire[1]:8.3f}", flush=True)
                return by_nec2c[0]

            show("as published", symbols_of(text, {}), 1, 0.0)
            found = simplex(design, text, folder, given.limit)
            until = design | {"goals": as_bounds(design["goals"], show("simplex on nec2c", *found))}
            for mesh in ("graded", "as-given"):
                for way, wanted, more in (("as good as that", until, ("--starts", "1")),
                                          ("1 start", design, ("--starts", "1")), ("4 starts", design, ())):
                    if way == "4 starts" and given.one_start:
                        continue
                    result = thinwire(given.thinwire, wanted, deck, folder, "--mesh", mesh, "--evaluations",
                                      given.evaluations, *more)
                    show(f"thinwire, {mesh}, {way}", *result)
                    print(f"    the simplex takes {found[2] / result[2]:.1f} times as long", flush=True)


if __name__ == "__main__":
    main()
