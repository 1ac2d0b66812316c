"""Results against the program's, and what a solve does to the process around it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import thinwire as tw


def of_json(value):
    return complex(*value)


@pytest.mark.parametrize("name", ["dipole", "yagi", "folded_dipole", "log_periodic"])
def test_same_numbers_as_the_program(program, examples, name):
    deck = examples / name / f"{name}.nec"
    mesh = "as-given" if name == "log_periodic" else "graded"  # the largest
    expected = program(deck, "--mesh", mesh)
    result = tw.read_deck(deck).solve(mesh=mesh)
    assert result.unknowns == expected["unknowns"]
    assert list(result.frequency) == [f["frequency_hz"] for f in expected["frequencies"]]
    for i, frequency in enumerate(expected["frequencies"]):
        for p, port in enumerate(frequency["ports"]):
            assert result.z[i, p] == of_json(port["impedance_ohm"])
            assert result.ports[p] == f"{port['tag']}/{port['segment']}"
        assert result.input_power[i] == frequency["input_power_w"]


def test_symbols_are_set_as_by_the_program(program, examples):
    deck = examples / "yagi" / "yagi.nec"
    expected = program(deck, "--set", "h2=0.48")
    result = tw.read_deck(deck).set(h2=0.48).solve()
    first = expected["frequencies"][0]["ports"][0]["impedance_ohm"]
    assert result.z[0, 0] == of_json(first)


def test_given_frequencies_replace_those_of_a_deck(examples):
    deck = tw.read_deck(examples / "yagi" / "yagi.nec")
    own, given = deck.solve(), deck.solve([145e6, 146e6])
    assert list(given.frequency) == [145e6, 146e6]  # its two runs are one antenna
    # Over another range near pairs are interpolated from other frequencies.
    assert given.z[0, 0] == pytest.approx(own.z[own.nearest(145e6), 0], rel=1e-9)
    assert len(given.patterns) == len(own.patterns)


def test_options_act_as_those_of_the_program(program, examples):
    deck = examples / "dipole" / "dipole.nec"
    expected = program(deck, "--mesh", "as-given", "--kernel", "reduced", "--solver", "cocg")
    result = tw.read_deck(deck).solve(mesh="as-given", kernel="reduced", solver="cocg")
    assert result.solver[0]["name"] == "cocg"
    assert result.z[0, 0] == of_json(expected["frequencies"][0]["ports"][0]["impedance_ohm"])


def test_z0_is_the_decks_unless_given(examples):
    text = (examples / "dipole" / "dipole.nec").read_text().replace("EN", "Z0 75\nEN")
    deck = tw.Deck(text)
    assert deck.solve().z0 == 75
    assert deck.solve(z0=100).z0 == 100


def test_large_arrays_are_views_of_the_solution(dipole):
    antenna, _ = dipole
    result = antenna.solve(300e6, save_matrix=True)
    solution = result._source
    for read in (lambda: result.array("/current/segment_current_a"),
                 lambda: solution.coefficients_a, lambda: solution.matrix_ohm):
        first, second = read(), read()
        assert first.__array_interface__["data"][0] == second.__array_interface__["data"][0]
        assert not first.flags.owndata and not first.flags.writeable
    starts = result.segment_starts
    assert starts.strides[0] == 64  # inside the array of segments
    del result, solution
    assert starts[0, 2] == -0.24  # they keep alive what they look into


def test_arrays_survive_their_result(dipole):
    currents = dipole[0].solve([299e6, 300e6]).currents
    again = dipole[0].solve([299e6, 300e6]).currents
    assert np.array_equal(currents, again)


def large(wires=60):
    """An antenna that takes a second at each frequency, or less with fewer wires."""
    antenna = tw.Antenna()
    for i in range(wires):
        wire = antenna.wire((0.5 * i, 0, -0.24), (0.5 * i, 0, 0.24), radius=1e-3, segments=21)
        if i == 0:
            antenna.port(wire)
    return antenna


def test_other_threads_run_meanwhile():
    steps, done = [], threading.Event()

    def count():
        while not done.is_set():
            steps.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    start = time.monotonic()
    large(20).solve([300e6, 310e6], operator="dense", solver="direct", threads=1)
    end = time.monotonic()
    done.set()
    thread.join()
    during = [s for s in steps if start < s < end]
    assert len(during) > 5
    assert max(np.diff(during)) < max(0.5 * (end - start), 0.05)


def test_threads_may_solve_at_once(dipole):
    antenna, feed = dipole
    frequencies = [280e6, 290e6, 300e6, 310e6]
    expected = [antenna.solve(f).z[0, feed] for f in frequencies]
    found = {}

    def solve(frequency):
        found[frequency] = antenna.solve(frequency).z[0, feed]

    threads = [threading.Thread(target=solve, args=(f,)) for f in frequencies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[f] for f in frequencies] == expected


def test_timings_add_up(dipole, examples, tmp_path):
    antenna, _ = dipole
    results = [antenna.solve(300e6), tw.read_deck(examples / "yagi" / "yagi.nec").solve(),
               large(4).solve(np.linspace(290e6, 310e6, 40), sweep="fast"),
               tw.Design(lambda h=0.24: antenna).sweep(300e6, h=[0.24, 0.25])[1]]
    for result in results:
        result.save(tmp_path / "r.h5")
        for timings in (result.timings, tw.open(tmp_path / "r.h5").timings):
            parts = dict(timings)
            total = parts.pop("total")
            assert min(parts.values()) >= 0 and parts["read"] > 0
            assert sum(parts.values()) == pytest.approx(total, rel=1e-9)


THREADS = """
import os
import thinwire as tw
antenna = tw.Antenna()
antenna.port(antenna.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments={segments}))
def threads():
    return len(os.listdir("/proc/self/task"))
before = threads()
for _ in range(5):
    antenna.solve(300e6{options})
    print(threads() - before)
child = os.fork()
if child == 0:
    os._exit(antenna.solve(300e6).unknowns == 0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("options", ["", ", threads=1"])
@pytest.mark.parametrize("segments, kept", [(21, 0), (61, 1)])
def test_short_solves_take_one_kept_thread_at_most_and_no_team(options, segments, kept):
    code = THREADS.format(options=options, segments=segments)
    run = subprocess.run([sys.executable, "-c", code],
                         env={**os.environ, "OMP_NUM_THREADS": "4"}, capture_output=True,
                         text=True, timeout=60, check=True)
    # And after a fork, which leaves it behind, another is made.
    assert run.stdout.split() == [str(kept)] * 5 + ["0"]


INTERRUPTED = """
import sys, time
sys.path.insert(0, {tests!r})
import numpy as np
from solve_test import large
antenna = large()
print("ready", flush=True)
try:
    antenna.solve(np.linspace(250e6, 350e6, 100000), operator="dense", solver="direct")
except KeyboardInterrupt:
    print("stopped", time.time(), flush=True)
print(abs(antenna.solve(300e6).z[0, 0]) > 0, flush=True)
"""


def test_ctrl_c_stops_within_a_second():
    code = INTERRUPTED.format(tests=os.path.dirname(__file__))
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ready\n"
    time.sleep(1.0)
    sent = time.time()
    run.send_signal(signal.SIGINT)
    word, at = run.stdout.readline().split()
    assert word == "stopped" and float(at) - sent < 1
    assert run.stdout.readline() == "True\n"  # and the next solve works
    assert run.wait() == 0


def test_an_exception_of_the_progress_bar_stops(dipole):
    problem = large()._read(np.linspace(250e6, 350e6, 100000))

    def refuse(step, fraction):
        raise RuntimeError(step)

    with pytest.raises(RuntimeError):
        tw._core.solve(problem, {}, refuse)


def test_a_bar_is_shown_for_long_work(capsys, monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr("thinwire._progress._PATIENCE_S", 0)
    large(20).solve(np.linspace(290e6, 310e6, 5), operator="dense", progress=True)
    assert "%" in capsys.readouterr().err


def test_json_of_the_solution_is_the_programs(program, examples):
    deck = examples / "dipole" / "dipole.nec"
    mine = json.loads(tw.read_deck(deck).solve()._source.json())
    for one, other in zip(mine["frequencies"], program(deck)["frequencies"], strict=True):
        one["solver"].pop("why"), other["solver"].pop("why")  # times, measured or not
        assert one == other
