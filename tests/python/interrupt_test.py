"""Ctrl-C and progress bars of sweeps and searches, in processes of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from itertools import groupby

import pytest

import thinwire as tw

START = """
import sys, time
import numpy as np
import thinwire as tw

@tw.Design
def pair(h=0.24, d=0.15):
    a = tw.Antenna()
    driven = a.wire((0, 0, -h), (0, 0, h), radius=1e-3, segments=41)
    a.wire((d, 0, -0.25), (d, 0, 0.25), radius=1e-3, segments=41)
    a.port(driven)
    return a

print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt as stop:
    at = time.time()
    print("stopped", at, flush=True)
    {then}
print(abs(pair.solve(300e6).z[0, 0]) > 0, flush=True)
"""
SWEEP = "pair.sweep(np.linspace(280e6, 320e6, 20), h=np.linspace(0.2, 0.28, 3000))"
SEARCH = ("pair.optimize('gain(90,0,290:310) max', h=(0.2, 0.28), d=(0.05, 0.3), method={!r}, "
          "starts={}, evaluations=1000000)")


def interrupted(work, then, shown):
    """Returns what a process prints that gets SIGINT once its errors have this pattern."""
    code = START.format(work=work, then=then)
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ready\n"
    printed = ""
    while not re.search(shown, printed):
        letter = run.stderr.read(1)
        assert letter, printed
        printed += letter
    sent = time.time()
    run.send_signal(signal.SIGINT)
    word, at = run.stdout.readline().split()
    assert word == "stopped" and float(at) - sent < 1
    out, err = run.stdout.read(), run.stderr.read()
    assert run.wait() == 0, err
    *printed, solves = out.splitlines()
    assert solves == "True"  # and the next solve works
    return printed


def test_a_sweep_keeps_what_was_solved():
    pytest.importorskip("tqdm")
    printed = interrupted(f"tw._progress._PATIENCE_S = 0\n    {SWEEP[:-1]}, progress=True)",
                       "done = [r for r in stop.results if r is not None]\n"
                       "    print(stop.results.shape, len(done), done[0].z.shape)", r"variants: +[1-9]\d*%")
    count = int(re.fullmatch(r"\(3000,\) (\d+) \(20, 1\)", printed[0])[1])
    assert 0 < count < 3000


@pytest.mark.parametrize("method, starts", [("slsqp", 10000), ("cobyla", 4), ("cma-es", 1)])
def test_a_search_keeps_the_best(method, starts):
    progress = ", progress=lambda step, _: print(step, file=sys.stderr, flush=True))"
    printed = interrupted(SEARCH.format(method, starts)[:-1] + progress,
                       "print(stop.best.ended, len(stop.best.objective), *stop.best.values.values())\n"
                       "    print(stop.best.model.solve(300e6).z.shape)", r"([2-9]|\d\d) evaluations")
    ended, count, h, d = printed[0].rsplit(" ", 3)
    assert ended == "interrupted" and int(count) > 1
    assert 0.2 <= float(h) <= 0.28 and 0.05 <= float(d) <= 0.3
    assert printed[1] == "(1, 1)"


def test_progress_can_stop_work_that_reports_nothing_new():
    class Enough(Exception):
        pass

    seen = []

    def progress(step, done):
        seen.append((step, done))
        if seen[-1:] == seen[-2:-1]:
            raise Enough

    @tw.Design
    def dipole(h=0.25):
        a = tw.Antenna()
        a.port(a.wire((0, 0, -h), (0, 0, h), radius=1e-4, segments=201))
        return a

    with pytest.raises(Enough):  # within the first evaluation, which takes a second
        dipole.optimize("mean_r(280:320:401) max", h=(0.2, 0.3), starts=1, evaluations=2, progress=progress)
    assert seen[-1] == ("", 0)


@pytest.mark.parametrize("work", [SWEEP.replace("3000", "400").replace("320e6, 20", "320e6, 2"),
                                  SEARCH.format("cma-es", 1).replace("1000000", "150")])
def test_bars_move_and_show_the_time_left(work):
    pytest.importorskip("tqdm")
    work = work[:-1] + ", progress=True)"
    code = START.format(work=f"tw._progress._PATIENCE_S = 0\n    {work}", then="pass")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={**os.environ, "TQDM_MININTERVAL": "0"})
    bars = re.findall(r"([^\r\n]*?) *(\d+)%\|[^|]*\| \d\d:\d\d<(\d\d:\d\d|\?)", run.stderr)
    steps = [[int(done) for _, done, _ in step]
             for _, step in groupby(bars, lambda bar: re.sub("[^a-z]", "", bar[0]))]
    assert max(len(set(step)) for step in steps) > 3, run.stderr
    assert all(step == sorted(step) for step in steps), run.stderr
    assert any(left != "?" for _, _, left in bars)


def test_a_bar_begins_anew_with_each_step():
    pytest.importorskip("tqdm")
    with tw._progress.ProgressBar(True) as bar:
        bar._start = 0
        for step, done in [("mesh", 0.5), ("mesh", 0.9), ("variants", 0.2), ("variants", 0.6)]:
            bar(step, done)
            assert bar._bar.n == pytest.approx(done) and bar._bar.desc == f"{step}: "
