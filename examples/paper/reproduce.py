#!/usr/bin/env python3
"""reproduce.py [THINWIRE] [--max-n N]: figures 4, 5 and 8 of Katsuda et al. 2012, measured here.

Runs `thinwire tune` and `thinwire bench` with the paper's solver and tolerance, writes
figure4.html, figures.html and the tables behind them into the current folder, and prints what
comes out beside what the paper found. Needs a GPU; without one it exits with thinwire's own
message and status. Only Python's standard library is used.
"""
import argparse
import csv
import statistics
import subprocess
import sys


def table(path, name):
    """One table of a CSV file that thinwire wrote: a list of rows, each a dict."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [row for row in rows if row["table"] == name]


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, check=False)
    # 1: solved, but not everything to the tolerance.
    if result.returncode not in (0, 1):
        sys.exit(result.returncode)


def compare(title, paper, here):
    print(f"{title}\n  paper  {paper}\n  here   {here}\n")


def figure_4(rows):
    """Time against threads a block, with and without padding."""
    normal = [r for r in rows if r["access"] == "normal" and int(r["threads_per_block"]) >= 8]

    def typical(padded, eights):
        return 1e6 * statistics.median(
            float(r["median_s"]) for r in normal
            if (r["padded"] == "yes") == padded
            and (int(r["threads_per_block"]) % 8 == 0) == eights)

    compare("Figure 4: threads a block, N_T, and padding",
            "short where N and N_T are multiples of 8, so that accesses coalesce",
            f"padded: {typical(True, True):.0f} us where N_T is a multiple of 8, "
            f"{typical(True, False):.0f} us elsewhere; "
            f"not padded: {typical(False, True):.0f} and {typical(False, False):.0f} us")
    padded = {int(r["threads_per_block"]): 1e6 * float(r["median_s"])
              for r in normal if r["padded"] == "yes"}
    best = min(padded, key=padded.get)
    compare("Figure 4: the choice", "N_T = 64",
            f"N_T = 64 takes {padded[64]:.0f} us, the fastest, N_T = {best}, "
            f"{padded[best]:.0f} us")


def figure_5(products):
    """Normal against transposed access."""
    times = {(int(float(p["unknowns"])), p["what"]): float(p["median_s"]) for p in products}
    name = "GPU, one thread a row"
    ratios = [f"{times[n, name + ', transposed access'] / seconds:.2f} at N = {n}"
              for (n, what), seconds in times.items() if what == name]
    compare("Figure 5: transposed access against normal access", "4.7 times as long",
            "times as long: " + ", ".join(ratios))


def figure_8(solves):
    """One CPU, the product on the GPU (Case 1), nearly everything there (Case 2)."""
    times = {(int(float(s["unknowns"])), s["method"]):
             float(s["factor_s"]) + float(s["solve_s"]) for s in solves}
    cases = []
    speed_ups = []
    for n in sorted({n for n, _ in times}):
        one, two = times.get((n, "GPU, product")), times.get((n, "GPU, resident"))
        if one and two:
            cases.append(f"{one:.3g} and {two:.3g} s at N = {n}")
        cpu = times.get((n, "CPU, 1 thread"))
        if one and cpu:
            speed_ups.append(f"{cpu / one:.0f} at N = {n}")
    compare("Figure 8: Case 1 and Case 2", "about the same time, Case 1 a little less",
            ", ".join(cases) or "not measured")
    compare("Figure 8: Case 1 against one CPU", "about 100 times as fast",
            "times as fast as one CPU thread: " + (", ".join(speed_ups) or "not measured"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thinwire", nargs="?", default="thinwire", help="the program")
    parser.add_argument("--max-n", default="8000", help="most unknowns of figures 5 and 8")
    arguments = parser.parse_args()
    run(arguments.thinwire, "tune", "--csv", "figure4.csv", "--plot", "figure4.html")
    run(arguments.thinwire, "bench", "--solver", "cg", "--precond", "none", "--tolerance", "1e-4",
        "--repeats", "1", "--max-n", arguments.max_n, "--csv", "figures.csv",
        "--html", "figures.html")
    print()
    figure_4(table("figure4.csv", "row_kernel"))
    figure_5(table("figures.csv", "product"))
    figure_8(table("figures.csv", "solve"))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
