"""Holds what `auto` chooses against every other choice of solver, operator and preconditioner.

usage: auto_choices.py THINWIRE [--devices cpu,cuda] [--decks FOLDER] [--max-unknowns N]
                       [--max-seconds S] [--match NAME ...] [--processor-time]

Cases: the decks of examples/, arrays, plates, hulls and dishes of examples/large, and the
decks of FOLDER, the longest files first, up to 60 in all. Each case is solved by `auto` and
by every choice that the program allows on the devices (default: cpu); a choice is stopped
once it is slower than the best so far, since then it cannot show a loss. Prints a table: what
auto took, what was fastest, and by how much auto lost; then the sums. A loss counts from
0.02 s on, below which runs of one choice differ. Seconds are those of the program's
timings_s.total, the least of several runs where they are short; with --processor-time, for
machines that others use too, those of the process on one thread.

The aim: at most a fifth in sum and 1.5 times in one case. Ends with status 1 where it is missed.
"""
import argparse
import glob
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LARGE = os.path.join(ROOT, "examples", "large", "decks.py")
CASES = 60
NOISE_S = 0.02
GENERATED = """
array 5|array 10|array 20|array 40|array 68|array 81
plane 100|plane 400|plane 1000|plane 2400|volume 100|volume 400|volume 1000
plate 12|plate 20|plate 30|plate 44|plate 60|plate 80|plate 120
plate 30 --cell 0.02|plate 60 --cell 0.02|plate 20 --ground|plate 44 --ground
ship 24|ship 32|ship 48|ship 64|ship 91|ship 32 --cell 0.02|ship 64 --cell 0.02
box 32|box 48|hull 24|hull 40|hull 64|reflector 24|reflector 40|reflector 80
"""


def choices(devices):
    """Options of every choice; most are refused for most decks."""
    operators = ("dense", "fft", "toeplitz")
    iterative = itertools.product(operators, ("cg", "cocg", "cocr", "gmres"),
                                  ("none", "block", "two-level", "overlap"))
    methods = [("dense", "direct", None), *iterative]
    # Those that win most often come first: they stop the others early.
    methods.sort(key=lambda m: (m[2] in ("none",), m[1] in ("cg", "cocr")))
    for device in devices:
        for operator, solver, precond in methods:
            options = ["--operator", operator, "--solver", solver, "--device", device]
            yield options + (["--precond", precond] if precond else [])


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Case:
    def __init__(self, name, deck, options):
        self.name, self.deck, self.options = name, deck, options

    def command(self, thinwire, *options):
        return [thinwire, "solve", self.deck, "--json", "--quiet", *self.options, *options]

    def plan(self, thinwire, device):
        run = subprocess.run(self.command(thinwire, "--dry-run", "--device", device), capture_output=True, text=True)
        return json.loads(run.stdout) if run.returncode == 0 else None

    def solve(self, thinwire, options, beat_s, processor_time):
        """Returns seconds and what was used; None where it is refused or does not converge. Runs that are slower than
        beat_s are not repeated, or are stopped."""
        least = None
        command = self.command(thinwire, "-o", "none", *options)
        for _ in range(5):
            try:
                if processor_time:
                    used_before = processor_s()
                    run = subprocess.run(
                        [*command, "--threads", "1"], capture_output=True, text=True,
                        preexec_fn=lambda: signal.setitimer(signal.ITIMER_PROF, beat_s))
                else:
                    run = subprocess.run(command, capture_output=True, text=True, timeout=beat_s + 0.5)
            except subprocess.TimeoutExpired:
                break
            if run.returncode == -signal.SIGPROF:
                break
            if run.returncode != 0:
                return None
            result = json.loads(run.stdout)
            solvers = [f["solver"] for f in result["frequencies"]]
            if not solvers or not all(s["converged"] for s in solvers):
                return None
            first = solvers[0]
            used = "/".join(filter(None, [result["device"].split()[0], first.get("operator", "dense"), first["name"],
                                          first.get("preconditioner")]))
            seconds = processor_s() - used_before if processor_time else result["timings_s"]["total"]
            least = (min(seconds, least[0]), used) if least else (seconds, used)
            if least[0] > min(0.5, 1.2 * beat_s):
                break
        return least


def cases(folder, decks_folder):
    for deck in sorted(glob.glob(os.path.join(ROOT, "examples", "*", "*.nec"))):
        yield Case("examples/" + os.path.basename(deck)[:-4], deck, [])
    for name in filter(None, re.split(r"[|\n]", GENERATED)):
        deck = os.path.join(folder, name.replace(" ", "_") + ".nec")
        with open(deck, "w") as file:
            subprocess.run([sys.executable, LARGE, *name.split()], stdout=file, check=True)
        yield Case(name, deck, ["--mesh", "as-given"])
    if decks_folder:
        found = glob.glob(os.path.join(decks_folder, "**", "*.nec"), recursive=True)
        for deck in sorted(found, key=os.path.getsize, reverse=True):
            yield Case(os.path.basename(deck)[:-4], deck, [])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("thinwire")
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--decks")
    parser.add_argument("--max-unknowns", type=int, default=10**9)
    parser.add_argument("--max-seconds", type=float, default=300)
    parser.add_argument("--match", nargs="*", default=[])
    parser.add_argument("--processor-time", action="store_true")
    arguments = parser.parse_args()
    devices = arguments.devices.split(",")
    of_auto = devices[0] if len(devices) == 1 else "auto"
    auto_s = best_s = worst = 0
    count = 0
    print(f"{'case':28} {'unknowns':>8} {'auto took':30} {'s':>8} {'predicted':>9}"
          f" {'fastest':30} {'s':>8} {'times':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(folder, arguments.decks):
            if count == CASES or (arguments.match and case.name not in arguments.match):
                continue
            plan = case.plan(arguments.thinwire, of_auto)
            if plan is None or plan["unknowns"] > arguments.max_unknowns:
                continue
            auto = case.solve(arguments.thinwire, ["--device", of_auto], arguments.max_seconds,
                              arguments.processor_time)
            if auto is None:
                print(f"{case.name:28} {plan['unknowns']:8} auto did not solve it in {arguments.max_seconds:g} s",
                      flush=True)
                continue
            best = auto
            for options in choices(devices):
                tried = case.solve(arguments.thinwire, options, best[0], arguments.processor_time)
                if tried and tried[0] < best[0]:
                    best = tried
            count += 1
            auto_s += auto[0]
            best_s += best[0]
            lost = auto[0] / best[0] if auto[0] - best[0] > NOISE_S else 1
            worst = max(worst, lost)
            print(f"{case.name:28} {plan['unknowns']:8} {auto[1]:30} {auto[0]:8.3f} {plan['predicted_seconds']:9.2g}"
                  f" {best[1]:30} {best[0]:8.3f} {lost:6.2f}", flush=True)
    print(f"{count} cases: auto {auto_s:.2f} s, fastest {best_s:.2f} s, {auto_s / max(best_s, 1e-9):.2f} times in sum,"
          f" {worst:.2f} times in one case")
    sys.exit(auto_s > 1.2 * best_s or worst > 1.5)


if __name__ == "__main__":
    main()
