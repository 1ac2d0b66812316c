#!/usr/bin/env python3
"""Counts what thinwire makes of all decks of some repositories and folders, and compares it with nec2c.

A place is a git repository (work tree or bare, named OWNER+NAME; the decks of its newest commit count) or a folder. Decks
that differ only in comments, blanks or case count once. Each deck is solved by `THINWIRE nec2c` and by nec2c, and the two
listings are compared as compare_listings.py does. Where gamma is beyond its bound, `THINWIRE converge` estimates the limit
of an infinitely fine mesh, and the program nearer to it is counted as the right one.

Results are appended to the state file, and a deck that is in it is not solved again (--again CAUSE: but those refused with
that word in their message, or `time`). --output replaces the section `## Census` of a page.
"""
import argparse
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here)]
import compare_listings as compare  # noqa: E402

SUFFIXES = {".nec", ".nec2", ".nec4", ".nec5", ".deck", ".maa", ".inp", ".txt", ".dat", ".in", ".tst", ""}
CARD = re.compile(r"\s*(GW|GA|GH|GF|SP|SM|SC|GE|EX|FR|RP|XQ|GM|GN|LD|EN|CM|CE|GS|GX|GR|TL|NT|SY|GC|NE|NH|PT|EK|GD)"
                  r"(?=[\s,\d+-]|$)", re.I)
SWEEP = re.compile(rb"(?im)^(\s*FR[\s,]*\d+[\s,]+)(\d+)")
GEOMETRY = {"GW", "GA", "GH", "GF", "SP", "SM"}
# Why decks are refused, by words of the message; the first that fits counts.
CAUSES = {
    "surface patches": r"surface patch",
    "files of other programs (`GF`)": r" GF|GF: ",
    "wires in the surface of a ground": r"lies in|dips into",
    "tags, segments or cards that do not exist": r"does not exist|is not a card|starts with two letters|count from 1",
    "what is no number": r"expected a (whole )?number|decimal comma",
    "cards before `GE`, or no `GE`": r"before GE|without a GE",
}


def is_deck(name, text):
    """Whether the text of a file is that of a deck."""
    lines = [line for line in text.splitlines() if line.strip()]
    suffix = pathlib.PurePath(name).suffix.lower()
    if suffix == ".maa":
        return any(line.strip() == "*" for line in lines[:6])
    cards = [match.group(1).upper() for match in map(CARD.match, lines) if match]
    if not GEOMETRY & set(cards):
        return False
    return suffix in (".nec", ".nec2", ".nec4", ".nec5", ".deck") or ("GE" in cards and len(cards) >= 0.8 * len(lines))


def key(text):
    """The hash of a deck without comments, blanks and case."""
    lines = (re.sub(r"[\s,]+", " ", re.split(r"[!'#](?!\d)", line)[0]).strip() for line in text.upper().splitlines())
    return hashlib.sha1("\n".join(line for line in lines if line and line[:2] not in ("CM", "CE")).encode()).hexdigest()[:12]


def git(place, *words):
    return subprocess.run(["git", "-c", "core.quotePath=false", "-C", place, *words], capture_output=True).stdout


def files_of(place):
    """(commit or "", [(name, bytes)]) of a place"""
    commit = git(place, "rev-parse", "--short=10", "HEAD").decode().strip()
    if not commit or not any((place / mark).exists() for mark in (".git", "HEAD")):
        found = sorted(p for p in place.rglob("*") if p.is_file()) if place.is_dir() else [place]
        return "", [(str(p), p.read_bytes()) for p in found if p.suffix.lower() in SUFFIXES]
    entries = (line.split("\t", 1) for line in git(place, "ls-tree", "-r", "-z", "HEAD").decode(errors="replace").split("\0"))
    blobs = [(name[0], head.split()[2]) for head, *name in entries
             if name and head.split()[1] == "blob" and pathlib.PurePath(name[0]).suffix.lower() in SUFFIXES]
    wanted = "\n".join(blob for _, blob in blobs).encode()
    said = subprocess.run(["git", "-C", place, "cat-file", "--batch"], input=wanted, capture_output=True).stdout
    files = []
    at = 0
    for name, _ in blobs:
        end = said.index(b"\n", at)
        head, at = said[at:end].split(), end + 1
        if len(head) == 3:  # else the snapshot lacks it
            files.append((name, said[at:at + int(head[2])]))
            at += int(head[2]) + 1
    return commit, files


def decks_of(places):
    """({key: (name, bytes)}, [(place, commit, decks, decks that no earlier place has)])"""
    decks, sources = {}, []
    for place in map(pathlib.Path, places):
        commit, files = files_of(place)
        mine = {}
        for name, data in files:
            text = data.decode(errors="replace")
            if len(data) < 4e6 and b"\0" not in data and is_deck(name, text):
                mine.setdefault(key(text), (name, data))
        if mine:
            sources.append((place.name.replace("+", "/"), commit, len(mine), len(mine.keys() - decks.keys())))
        decks = {**mine, **decks}
    return decks, sources


def dialect(name, text, warnings):
    """The dialect that a deck shows."""
    cards = set(re.findall(r"(?m)^\s*([A-Z]{2})", text.upper()))
    if name.lower().endswith(".maa"):
        return "MMANA-GAL"
    if "of NEC-5's decks" in warnings or "of a NEC-5 deck" in warnings:
        return "NEC-5"
    if {"IS", "CW", "UM"} & cards or re.search(r"(?mi)^\s*GC[\s,]+[12]\b", text):
        return "NEC-4"
    if "SY" in cards or re.search(r"(?mi)^\s*(EX[\s,]*6|LD[\s,]*[67]|GN[\s,]*3)\b", text):
        return "4nec2"
    return "NEC-2"


def limit_of(arguments, deck, blocks, options):
    """Who is nearer to the limit of an infinitely fine mesh: distances in % of both programs, or why there is no limit."""
    command = [arguments.thinwire, "converge", "--structure", "1", str(deck), "--json", "--quiet", *options]
    code, _, said, out, _ = run(command, arguments.converge, deck.parent)
    if code is None:
        return {"no_limit": "out of time"}
    if code:
        return {"no_limit": said}
    report = json.loads(out)
    port = report["ports"][0]
    if port["bar_ohm"] is None:
        return {"no_limit": "one mesh only"}
    limit = complex(*port["impedance_ohm"])
    mine = next(complex(*m["impedance_ohm"][0]) for m in report["meshes"]
                if m["mesh"] == "graded" and m["refinement"] == 1)
    blocks = [b for b in blocks if b.impedances_ohm and b.frequency_mhz]
    near = min(blocks, key=lambda b: abs(b.frequency_mhz - report["frequency_hz"] / 1e6))
    off = [100 * abs(z - limit) / abs(limit) for z in (mine, near.impedances_ohm[0])]
    return {"limit": [limit.real, limit.imag], "bar": 100 * port["bar_ohm"] / abs(limit), "off": off}


def run(command, seconds, folder):
    """(exit status or None when out of time, seconds, first error or last line said, output, errors and warnings)"""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))  # noqa: E731
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, preexec_fn=limit, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode < 0 and spent > 0.9 * seconds:
        return None, spent, "out of time", "", done.stderr
    lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
    errors = [line for line in lines if "warning" not in line]
    return done.returncode, spent, (errors or lines[-1:] or [""])[0], done.stdout, done.stderr


def row(arguments, name, data, folder):
    """What the programs make of one deck."""
    deck = folder / ("deck" + (pathlib.PurePath(name).suffix if name.lower().endswith(".maa") else ".nec"))
    deck.write_bytes(SWEEP.sub(lambda m: m[1] + str(min(int(m[2]), arguments.frequencies)).encode(), data))
    a, b = folder / "a.out", folder / "b.out"
    for listing in (a, b):
        listing.unlink(missing_ok=True)
    options = ["--patches", "grid"] if arguments.patches else []
    code, seconds, said, _, warnings = run([arguments.thinwire, "nec2c", "-i", str(deck), "-o", str(a), *options], arguments.timeout,
                                          folder)
    text = data.decode(errors="replace")
    found = {"name": name, "dialect": dialect(name, text, warnings), "seconds": round(seconds, 1), "code": code,
             "said": said.replace(str(deck), "deck")}
    if code is None or name.lower().endswith(".maa"):
        return found
    their_code, _, their_said, _, _ = run(["nec2c", "-i", str(deck), "-o", str(b)], arguments.nec2c, folder)
    reference = compare.read_listing(b) if b.exists() else []
    if not any(block.impedances_ohm or block.patterns for block in reference):
        found["no_reference"] = "out of time" if their_code is None else their_said or f"status {their_code}"
        return found
    if code not in (0, 1):
        return found
    difference = compare.Difference(compare.read_listing(a), reference)
    found |= {"gamma": difference.gamma, "gain_db": difference.gain_db, "notes": difference.notes[:3]}
    if difference.gamma > arguments.gamma and arguments.converge and any(x.impedances_ohm for x in reference):
        # As `thinwire nec2c` does, and nec2c.
        in_order = ["--dialect", "nec2"] if "where NEC-2 ignores it" in warnings else []
        found |= limit_of(arguments, deck, reference, options + in_order)
    return found


def percent(part, all_of):
    return f"{100 * part / all_of:.1f} %" if all_of else "-"


def section(arguments, rows, sources):
    """The page's section about the rows."""
    solved = [r for r in rows if r["code"] in (0, 1)]
    late = [r for r in rows if r["code"] is None]
    refused = [r for r in rows if r["code"] not in (0, 1, None)]
    cause = {r["key"]: next((c for c, words in CAUSES.items() if re.search(words, r["said"])), "others") for r in refused}
    counts = collections.Counter(cause.values())
    apart = list(CAUSES)[:2]
    wires = len(rows) - sum(counts[c] for c in apart)
    both = sum(r.get("no_reference", "") not in ("", "out of time") for r in refused)
    compared = [r for r in solved if "gamma" in r and r["dialect"] in ("NEC-2", "4nec2")]
    near = [r for r in compared if r["gamma"] <= arguments.gamma and r["gain_db"] <= arguments.gain_db]
    studied = [r for r in compared if "off" in r]
    right = sum(r["off"][0] < r["off"][1] for r in studied)
    text = f"""## Census

Of {len(rows):,} distinct decks of {len(sources)} public repositories ([list](census.csv)) thinwire solves {len(solved):,}:
{percent(len(solved), wires)} of those that have wires only. `tests/bench/census.py THINWIRE CLONES...` repeats it.

| dialect | decks | solved | refused | out of time |
|---|---|---|---|---|
"""
    for name in ("NEC-2", "4nec2", "NEC-4", "NEC-5", "MMANA-GAL"):
        of = [sum(r["dialect"] == name for r in part) for part in (rows, solved, refused, late)]
        text += f"| {name} | " + " | ".join(f"{x:,}" for x in of) + " |\n"
    text += "\n| refused for | decks |\n|---|---|\n"
    for name in [*CAUSES, "others"]:
        if counts[name]:
            text += f"| {name} | {counts[name]} |\n"
    text += f"""
nec2c refuses {both} of these, too. Of {len(compared):,} decks that both solve, {len(near):,} agree within gamma {arguments.gamma:g} and
{arguments.gain_db:g} dB. In {len(studied)} of the others mesh studies have a limit; thinwire is nearer to it in {right}.
"""
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thinwire")
    parser.add_argument("places", nargs="+")
    parser.add_argument("--state", type=pathlib.Path, default=pathlib.Path("census.jsonl"))
    parser.add_argument("--timeout", type=float, default=60, help="seconds of processor time for each run")
    parser.add_argument("--nec2c", type=float, default=60, help="the same for each run of nec2c")
    parser.add_argument("--converge", type=float, default=60, help="the same for each mesh study; 0: none")
    parser.add_argument("--frequencies", type=int, default=5, help="frequencies of a sweep, at most")
    parser.add_argument("--gamma", type=float, default=0.05)
    parser.add_argument("--gain-db", type=float, default=0.3)
    parser.add_argument("--output", type=pathlib.Path, help="page whose last section, Census, is replaced")
    parser.add_argument("--patches", action="store_true", help="solve patches as grids of wires")
    parser.add_argument("--again", help="solve decks again whose message has this word")
    arguments = parser.parse_args()
    arguments.thinwire = str(pathlib.Path(arguments.thinwire).resolve())
    decks, sources = decks_of(arguments.places)
    rows = {}
    if arguments.state.exists():
        rows = {r["key"]: r for r in map(json.loads, arguments.state.read_text().splitlines())}
    if arguments.again:
        rows = {k: r for k, r in rows.items() if not re.search(arguments.again, r["said"])}
    with tempfile.TemporaryDirectory() as folder, arguments.state.open("a") as state:
        for number, (k, (name, data)) in enumerate(sorted(decks.items(), key=lambda deck: len(deck[1][1]))):
            unstudied = arguments.converge and k in rows and rows[k].get("gamma", 0) > arguments.gamma and \
                not rows[k].keys() & {"off", "no_limit"}
            if k not in rows or unstudied:
                rows[k] = {"key": k, **row(arguments, name, data, pathlib.Path(folder))}
                state.write(json.dumps(rows[k]) + "\n")
                state.flush()
                print(f"{number + 1}/{len(decks)} {k} {name}: {rows[k]['code']} {rows[k]['said'][:150]}", file=sys.stderr)
    text = section(arguments, [rows[k] for k in decks], sources)
    print(text)
    if arguments.output:
        page = arguments.output.read_text().split("\n## Census\n")[0].rstrip() + "\n\n"
        arguments.output.write_text(page + text)
        with arguments.output.with_name("census.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("repository", "commit", "decks", "new"), *sources])


if __name__ == "__main__":
    main()
