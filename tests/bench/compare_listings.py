#!/usr/bin/env python3
"""Holds thinwire's listings against nec2c's, deck by deck, block by block.

Runs `THINWIRE nec2c -i DECK -o OUT` and `NEC2C -i DECK -o OUT` on every deck and prints one line each:

  ok     within both bounds            OFF   beyond a bound, or blocks, ports or pattern points differ
  FAIL   thinwire refused or crashed   noref nec2c gave no results to hold against

  gamma  worst |Z1 - Z2| / |Z1 + conj(Z2)| over frequencies and ports: the mismatch that one impedance
         sees where it is matched to the other (0.05 is -26 dB). Where X is much larger than R it grows
         without anything being wrong: a deck that is OFF wants looking at, not more.
  dz     |Z1 - Z2| / |Z2| there
  gain   worst difference of total gain, dB, over pattern points within 20 dB of the strongest one

The near-field cards NE and NH are taken out of a copy of the deck before both runs.
Exit status: how many decks are OFF or FAIL, at most 120.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile
import time


def numbers(line):
    """The leading numbers of a row, empty where the first word is none."""
    row = []
    for word in line.split():
        try:
            row.append(float(word))
        except ValueError:
            break
    return row


class Block:
    """What a listing says at one frequency: impedances, and every pattern in order."""

    def __init__(self, frequency_mhz):
        self.frequency_mhz = frequency_mhz
        self.impedances_ohm = []
        self.patterns = []  # of {(theta, phi): gain dBi}


def read_listing(path):
    blocks, frequency_mhz, section = [], None, None
    for line in path.read_text(errors="replace").splitlines():
        upper = line.upper()
        if "FREQUENCY" in upper and "MHZ" in upper:
            tail = upper.replace(":", " ").replace("=", " ").split("FREQUENCY")[-1]
            frequency_mhz = (numbers(tail) or [frequency_mhz])[0]
        elif "ANTENNA INPUT PARAMETERS" in upper:
            section = "input"
            blocks.append(Block(frequency_mhz))
        elif "RADIATION PATTERNS" in upper:
            section = "pattern"
            if not blocks:
                blocks.append(Block(frequency_mhz))
            blocks[-1].patterns.append({})
        elif "-----" in line and len(line.split()) > 2 and not numbers(line):
            # Another heading ends a section; the rules between column titles do not.
            words = line.replace("-", " ").split()
            if "GAINS" not in words and "CURRENT" not in words:
                section = None
        else:
            row = numbers(line)
            if section == "input" and len(row) >= 11:
                blocks[-1].impedances_ohm.append(complex(row[6], row[7]))
            elif section == "pattern" and len(row) >= 5:
                blocks[-1].patterns[-1][(round(row[0], 2), round(row[1], 2))] = row[4]
    return blocks


def without_near_fields(deck):
    lines = deck.read_text(errors="replace").splitlines()
    return "\n".join(l for l in lines if l.strip()[:2].upper() not in ("NE", "NH")) + "\n"


def run(command, seconds):
    """(exit status or None when out of time, seconds, last line said)"""
    start = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, time.time() - start, "timed out"
    said = (done.stderr or done.stdout).strip().splitlines()
    return done.returncode, time.time() - start, said[-1] if said else ""


class Difference:
    """The worst differences between two listings and where they are."""

    def __init__(self, mine, reference):
        self.gamma = self.dz = self.gain_db = 0.0
        self.pair = self.at_mhz = self.gain_at = None
        self.notes = []
        if len(mine) != len(reference):
            self.notes.append(f"blocks {len(mine)}/{len(reference)}")
        for a, b in zip(mine, reference):
            self.impedances(a, b)
            self.patterns(a, b)

    def impedances(self, a, b):
        if len(a.impedances_ohm) != len(b.impedances_ohm):
            self.notes.append(f"ports {len(a.impedances_ohm)}/{len(b.impedances_ohm)} at {b.frequency_mhz}")
        for z1, z2 in zip(a.impedances_ohm, b.impedances_ohm):
            match = abs(z1 + z2.conjugate())
            gamma = abs(z1 - z2) / match if match else math.inf
            if not gamma <= self.gamma or self.pair is None:
                self.gamma, self.pair, self.at_mhz = gamma, (z1, z2), b.frequency_mhz
                self.dz = abs(z1 - z2) / abs(z2)

    def patterns(self, a, b):
        if len(a.patterns) != len(b.patterns):
            self.notes.append(f"patterns {len(a.patterns)}/{len(b.patterns)} at {b.frequency_mhz}")
        for p1, p2 in zip(a.patterns, b.patterns):
            top = max(p2.values(), default=0)
            strong = {key for key, gain in p2.items() if gain > max(top - 20, -900)}
            missing = strong - set(p1)
            if missing:
                self.notes.append(f"{len(missing)} pattern points missing at {b.frequency_mhz}")
            for key in strong & set(p1):
                difference = abs(p1[key] - p2[key])
                if not difference <= self.gain_db:
                    self.gain_db, self.gain_at = difference, (b.frequency_mhz, *key, p1[key], p2[key])

    def beyond(self, gamma, gain_db):
        return bool(self.notes) or not (self.gamma <= gamma and self.gain_db <= gain_db)

    def __str__(self):
        text = f"gamma {self.gamma:.4f}  dz {100 * self.dz:.1f}%  gain {self.gain_db:.2f} dB"
        if self.pair:
            text += f"  Z {self.pair[0]:.4g} / {self.pair[1]:.4g} at {self.at_mhz:g} MHz"
        if self.gain_at and self.gain_db > 0.3:
            text += "  gain {3} / {4} at theta {1} phi {2}, {0:g} MHz".format(*self.gain_at)
        return "  ".join([text] + self.notes[:3])


def decks_in(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix in (".nec", ".deck"))
        else:
            yield path


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("thinwire")
    ap.add_argument("decks", nargs="+", metavar="DECK_OR_FOLDER")
    ap.add_argument("--gamma", type=float, default=0.05)
    ap.add_argument("--gain-db", type=float, default=0.3)
    ap.add_argument("--timeout", type=float, default=200, help="seconds for each run")
    ap.add_argument("--nec2c", default="nec2c")
    ap.add_argument("--args", default="", help="further arguments for thinwire")
    opt = ap.parse_args()
    count = {"ok": 0, "OFF": 0, "FAIL": 0, "noref": 0}
    with tempfile.TemporaryDirectory() as folder:
        for path in decks_in(opt.decks):
            deck = pathlib.Path(folder) / path.name
            deck.write_text(without_near_fields(path))
            a, b = deck.with_suffix(".a.out"), deck.with_suffix(".b.out")
            _, their_time, _ = run([opt.nec2c, "-i", str(deck), "-o", str(b)], opt.timeout)
            code, my_time, said = run(
                [opt.thinwire, "nec2c", "-i", str(deck), "-o", str(a)] + opt.args.split(), opt.timeout)
            reference = read_listing(b) if b.exists() else []
            mine = read_listing(a) if a.exists() else []
            if code is None or code < 0 or (code > 1 and not mine):
                verdict, text = "FAIL", f"status {code}: {said}"
            elif not reference:
                verdict, text = "noref", f"status {code}: {said}"
            else:
                difference = Difference(mine, reference)
                verdict, text = "OFF" if difference.beyond(opt.gamma, opt.gain_db) else "ok", str(difference)
            count[verdict] += 1
            print(f"{verdict:5} {path.name}  {my_time:.2f}/{their_time:.2f} s  {text[:230]}", flush=True)
    print("  ".join(f"{n} {verdict}" for verdict, n in count.items()))
    sys.exit(min(count["OFF"] + count["FAIL"], 120))


if __name__ == "__main__":
    main()
