"""What is given wrongly is refused in a line that names it."""

import copy
import pickle

import numpy as np
import pytest

import thinwire as tw

NAN = float("nan")
DECK = "CE\nSY h=0.24\nGW 1 9 0 0 -h 0 0 h .001\nGE\nEX 0 1 5 0 1\nFR 0 1 0 0 300\nXQ\nEN\n"


def wire(antenna, **more):
    return antenna.wire(**{"start": (0, 0, -0.24), "end": (0, 0, 0.24), "radius": 1e-3,
                           "segments": 9, **more})


def test_decks_in_latin_1_are_read_kept_and_drawn(tmp_path):
    deck = tmp_path / "latin.nec"
    deck.write_bytes(b"CM caf\xe9\n" + DECK.encode())
    read = tw.read_deck(deck)
    assert "caf\u00e9" in read.to_nec()
    saved = tmp_path / "latin.h5"
    read.solve().save(saved)
    opened = tw.open(saved)
    assert "caf\u00e9" in opened.model.to_nec()
    opened.report(tmp_path / "page.html")
    assert "caf\u00e9" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.fixture
def result(dipole):
    return dipole[0].solve(300e6)


@pytest.mark.parametrize("work, text", [
    (lambda a: wire(a, radius="1mm"), "radius must be a finite number .got '1mm'"),
    (lambda a: wire(a, radius=(1, 2, 3)), "radius must be a number of metres, or two"),
    (lambda a: wire(a, radius=NAN), "radius must be a finite number"),
    (lambda a: a.rotate(NAN), "an angle must be a finite number"),
    (lambda a: a.port(wire(tw.Antenna())), "is no wire of this antenna"),
    (lambda a: a.load(wire(tw.Antenna())[0], resistance=5), "is no wire of this antenna"),
    (lambda a: a.line(wire(a), wire(tw.Antenna()), z0=50, length=1), "is no wire of this antenna"),
])
def test_geometry(work, text):
    with pytest.raises(tw.UsageError, match=text):
        work(tw.Antenna())


@pytest.mark.parametrize("options, text", [
    ({"threads": "2"}, "threads must be a whole number .got '2'"),
    ({"threads": 2.5}, "threads must be a whole number .got 2.5"),
    ({"kernel": 3}, "kernel must be a text .got 3"),
    ({"tolerance": "x"}, "tolerance must be a number .got 'x'"),
    ({"save_matrix": "yes"}, "save_matrix must be True or False"),
    ({"z0": 50 + 1j}, "z0 must be a finite number"),
    ({"z0": 0}, "z0 must be a positive number of ohm"),
    ({"gradient": 5}, "gradient must be True, or symbols"),
])
def test_options(dipole, options, text):
    with pytest.raises(tw.UsageError, match=text):
        dipole[0].solve(300e6, **options)


@pytest.mark.parametrize("ask, text", [
    (lambda r: r.vswr(0), "z0 must be a positive number of ohm"),
    (lambda r: r.reflection(-50), "z0 must be a positive number of ohm"),
    (lambda r: r.pattern("x"), "theta must be a step or a list of angles"),
    (lambda r: r.gain("a", 0), "theta must be a step or a list of angles"),
    (lambda r: r.pattern(frequency=NAN), "frequency must be a finite number"),
    (lambda r: r.nearest(NAN), "frequency must be a finite number"),
    (lambda r: r.near_field("abc"), "points must be x, y, z"),
    (pickle.dumps, "cannot be pickled.* save"),
    (copy.deepcopy, "cannot be pickled.* save"),
])
def test_questions_to_a_result(result, ask, text):
    with pytest.raises(tw.UsageError, match=text):
        ask(result)


@pytest.mark.parametrize("arguments, text", [
    ({"goals": [1]}, "goals are texts"),
    ({"evaluations": 10.5}, "evaluations must be a whole number, 1 to 1e8 .got 10.5"),
    ({"starts": "4"}, "starts must be a whole number, 1 to 10000 .got '4'"),
    ({"seconds": NAN}, "seconds must be a finite number"),
])
def test_searches(arguments, text):
    with pytest.raises(tw.UsageError, match=text):
        tw.Deck(DECK).optimize(**{"goals": "vswr < 2", "h": (0.2, 0.3), **arguments})


def test_a_deck_is_a_text():
    with pytest.raises(tw.UsageError, match="a deck is a text .got bytes"):
        tw.Deck(DECK.encode())


def test_a_dataset_that_cannot_be_written(result, tmp_path):
    pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with pytest.raises(tw.FileError, match="cannot be written .No such file"):
        result.save(tmp_path / "none" / "x.nc")


def test_networks_have_ascending_frequencies(dipole):
    pytest.importorskip("skrf")
    r = dipole[0].solve([310e6, 290e6, 300e6])
    network = r.s.to_network()
    assert network.f.tolist() == [290e6, 300e6, 310e6]
    assert np.array_equal(network.s, np.asarray(r.s)[[1, 2, 0]])
    with pytest.raises(tw.UsageError, match="3e.08 Hz is there twice"):
        dipole[0].solve([300e6, 300e6]).s.to_network()
