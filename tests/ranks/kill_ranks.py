#!/usr/bin/env python3
"""kill_ranks.py THINWIRE COUNT MPIRUN...: kills ranks of a solve at random moments.

Each time one rank, or mpirun itself, gets a signal that ends it: the others must be gone within seconds, mpirun must not
report success, and what is left of a result must be whole; the next solve goes on from the journal. In the end the
result must be that of one process. Prints a line a kill; exits 1 at the first that goes wrong.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 3
SIGNALS_TO_MPIRUN = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV]
SECONDS_TO_END = 20  # on a machine that has other work; a second otherwise
DECK = """CE many frequencies
GW 1 201 0 0 -12 0 0 12 0.001
GE 0
EX 0 1 101 0 1 0
FR 0 200 0 0 100 1
XQ
EN
"""


def ranks_of(mpirun, program):
    """The ids of the ranks: processes of the program whose parent is mpirun."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == mpirun and os.readlink(folder / "exe") == program:
                found.append(int(folder.name))
        except (OSError, ValueError):
            pass
    return found


def is_there(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def frequencies(text):
    document = json.loads(text)
    return document["frequencies"]


def main():
    program, count, *mpirun = os.path.realpath(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
    seed = int(os.environ.get("SEED", time.time()))
    print(f"seed {seed}")
    chance = random.Random(seed)
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("d.nec").write_text(DECK)
        solve = [program, "solve", "d.nec", "--quiet", "--json", "--threads", "1"]
        start = time.monotonic()
        right = frequencies(subprocess.run([*solve, "-o", "none"], check=True, capture_output=True).stdout)
        alone = time.monotonic() - start
        kills = resumed = 0
        while kills < count:
            resume = ["--resume"] if os.path.exists("r.h5.journal") else []
            resumed += bool(resume)
            run = subprocess.Popen([*mpirun, "-n", str(RANKS), *solve, "-o", "r.h5", "--force", *resume],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while len(ranks := ranks_of(run.pid, program)) < RANKS and run.poll() is None:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, alone))
            if run.poll() is not None:  # it came to its end first
                out, err = run.communicate()
                assert run.returncode == 0, err
                assert frequencies(out) == right, "other results than one process"
                os.remove("r.h5")
                continue
            victim = chance.choice([*range(RANKS), "mpirun"])
            number = chance.choice(SIGNALS_TO_MPIRUN if victim == "mpirun" else SIGNALS)
            try:
                os.kill(run.pid if victim == "mpirun" else ranks[victim], number)
            except ProcessLookupError:
                pass  # it has just come to its end
            killed = time.monotonic()
            try:
                out, err = run.communicate(timeout=SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                assert not any(map(is_there, ranks)), "a rank is left"
                run.kill()  # mpiexec of Open MPI 4.1 may wait for ever for a lock in its own PMIx_server_finalize
                out, err = run.communicate()
            while any(map(is_there, ranks)):
                assert time.monotonic() - killed < SECONDS_TO_END, "a rank is left"
                time.sleep(0.01)
            took = time.monotonic() - killed
            if run.returncode == 0:  # killed on its way out
                assert frequencies(out) == right, "other results than one process"
                os.remove("r.h5")
                continue
            if os.path.exists("r.h5"):  # killed after it was written: then it is whole
                subprocess.run([program, "info", "r.h5"], check=True, capture_output=True)
                os.remove("r.h5")
            kept = len(open("r.h5.journal").readlines()) - 1 if os.path.exists("r.h5.journal") else 0
            kills += 1
            print(f"kill {kills}: {number.name} to rank {victim}, {took:.2f} s, {kept} frequencies kept", flush=True)
        resume = ["--resume"] if os.path.exists("r.h5.journal") else []
        last = subprocess.run([*mpirun, "-n", str(RANKS), *solve, "-o", "r.h5", "--force", *resume],
                              check=True, capture_output=True)
        assert frequencies(last.stdout) == right, "other results than one process"
        assert not os.path.exists("r.h5.journal")
        print(f"{kills} kills, {resumed} runs resumed, the result is that of one process")


main()
