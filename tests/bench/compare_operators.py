"""Input impedance by the operators without a matrix beside the dense matrix's.

usage: compare_operators.py THINWIRE [--device D] [--unknowns N] [STRUCTURE ...]

Solves large structures of examples/large (all, or those named: plate ship reflector plane
volume array) of about N unknowns (default 30,000) by LDL^T of the dense matrix and by every
class of the fft operator, the array by toeplitz too, and prints by how much Z_in differs.
docs/theory/operators-fft.md holds what it printed.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

DECKS = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "large", "decks.py")

# structure -> (size as decks.py takes it from the number of unknowns, cells)
STRUCTURES = {
    "plate": (lambda n: round(math.sqrt(n / 3.03)), []),
    "ship": (lambda n: round(91 * math.sqrt(n / 31300)), []),
    "reflector": (lambda n: round(120 * math.sqrt(n / 33400)), ["--cell", "0.05"]),
    "plane": (lambda n: n // 20, []),
    "volume": (lambda n: n // 20, []),
    "array": (lambda n: round(math.sqrt(n / 20)), []),
}


def solve(thinwire, deck, options):
    run = subprocess.run([thinwire, "solve", deck, "--mesh", "as-given", "-o", "none", "--json",
                          "--quiet", *options], capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"{' '.join(options)}: {run.stderr.strip()}")
    result = json.loads(run.stdout)
    frequency = result["frequencies"][0]
    return complex(*frequency["ports"][0]["impedance_ohm"]), frequency["solver"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("thinwire")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--unknowns", type=int, default=30000)
    parser.add_argument("structure", nargs="*")
    arguments = parser.parse_intermixed_args()
    print(f"{'structure':10} {'operator':9} {'class':>7} {'iterations':>10} {'Z_in':>36} {'differs':>9}"
          f" {'operator error':>14}")
    for name in arguments.structure or STRUCTURES:
        size, cells = STRUCTURES[name]
        with tempfile.TemporaryDirectory() as folder:
            deck = os.path.join(folder, "deck.nec")
            with open(deck, "w") as file:
                subprocess.run([sys.executable, DECKS, name, str(size(arguments.unknowns)), *cells],
                               stdout=file, check=True)
            runs = [("dense", "-", ["--solver", "direct"])]
            runs += [("fft", error, ["--operator-tolerance", error]) for error in ("1e-4", "1e-5", "1e-6")]
            if name == "array":
                runs.append(("toeplitz", "-", []))
            dense = None
            for operator, error, options in runs:
                got, solver = solve(
                    arguments.thinwire, deck,
                    ["--operator", operator, "--tolerance", "1e-10", "--device", arguments.device, *options])
                dense = dense or got
                print(f"{name if operator == 'dense' else '':10} {operator:9} {error:>7}"
                      f" {solver.get('iterations') or '-':>10} {got:36.10f} {abs(got - dense) / abs(dense):9.1e}"
                      f" {solver.get('operator_error') or 0:14.1e}", flush=True)


if __name__ == "__main__":
    main()
