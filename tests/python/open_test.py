"""tw.open() of what `thinwire sweep` and `thinwire optimize` wrote."""

import subprocess

import numpy as np
import pytest

import thinwire as tw

DECK = """CE
SY h=0.24, h2=0.23, d=0.15, idle=0.5
GW 1 9 0 0 -h 0 0 h .001
GW 2 9 d 0 -h2 d 0 h2 .001
GE
EX 0 1 5 0 1 0
FR 0 2 0 0 295 5
RP 0 1 2 1000 90 0 0 180
EN
"""


@pytest.fixture
def written(tmp_path, program_path):
    """Runs the program on the deck and gives the path of what it wrote."""
    (tmp_path / "two.nec").write_text(DECK)

    def run(*words):
        subprocess.run([program_path, words[0], "two.nec", "-o", "out.h5", *words[1:]], cwd=tmp_path,
                       capture_output=True, text=True, check=True)
        return tmp_path / "out.h5"

    return run


def test_sweep_has_an_axis_for_each_symbol(written):
    path = written("sweep", "--vary", "h2=0.22,0.23,0.24", "--vary", "d=0.1:0.2:2")
    s = tw.open(path)
    assert isinstance(s, tw.SweepFile) and s.shape == (3, 2) and list(s.symbols) == ["h2", "d"]
    same = tw.Deck(DECK, name="two.nec").sweep(h2=[0.22, 0.23, 0.24], d=[0.1, 0.2])
    assert s.z.shape == same.z.shape == (3, 2, 2, 1)
    assert s.z == pytest.approx(same.z, rel=1e-9)
    assert s.vswr(75) == pytest.approx(same.vswr(75), rel=1e-9)
    assert s.frequency[1, 1] == pytest.approx(same.frequency)
    one = s[2, -1]
    assert one.z == pytest.approx(same[2, 1].z, rel=1e-9)
    assert one.currents == pytest.approx(same[2, 1].currents, rel=1e-9)
    assert one.model.solve().z == pytest.approx(one.z, rel=1e-9)
    assert "6 variants, h2: 3 from 0.22 to 0.24; d: 2" in repr(s)


def test_damaged_settings_of_a_sweep_are_one_line(written):
    path = written("sweep", "--vary", "h2=0.22,0.23")
    whole = path.read_bytes()[:-33]  # without the checksum, as other programs leave it
    for right, wrong in ((b'"options":', b'"options",'), (b'"options":', b'"optionz":')):
        path.write_bytes(whole.replace(right, wrong))
        with pytest.raises(tw.FileError, match=r"/input/settings is damaged: .* Solve its deck again\.$"):
            tw.open(path)


def test_sweep_as_a_dataset(written):
    pytest.importorskip("xarray")
    s = tw.open(written("sweep", "--vary", "h2=0.22,0.23,0.24", "--vary", "d=0.1:0.2:2"))
    data, same = s.dataset, tw.Deck(DECK).sweep(h2=[0.22, 0.23, 0.24], d=[0.1, 0.2]).dataset
    assert data.impedance.dims == ("h2", "d", "frequency", "port")
    at = {"h2": 0.24, "d": 0.1, "frequency": 300e6, "port": "1/5"}
    assert data.impedance.sel(at).item() == pytest.approx(same.impedance.sel(at).item(), rel=1e-9)
    assert data.impedance.attrs["units"] == "ohm"
    assert data.gain_max.sel(h2=0.22, d=0.2).values == pytest.approx(
        same.gain.sel(h2=0.22, d=0.2).max(["theta", "phi"]).values, abs=1e-9)
    assert data.current.sel(h2=0.22, d=0.2).values == pytest.approx(
        same.current.sel(h2=0.22, d=0.2).values, rel=1e-9)


def test_frequencies_that_are_swept(written):
    pytest.importorskip("xarray")
    data = tw.open(written("sweep", "--vary", "f=290:300:3")).dataset
    assert data.frequency.values == pytest.approx([290e6, 295e6, 300e6])
    assert data.impedance.dims == ("frequency", "port")


def test_history_of_a_search(written):
    goals = ["vswr(300) < 1.6", "gain(90,0) max"]
    path = written("optimize", "--vary", "h=0.22:0.25", "--vary", "d=0.1:0.2", "--vary",
                   "h2=0.2:0.24", "--goal", goals[0], "--goal", goals[1], "--starts", "2",
                   "--evaluations", "60", "--output-deck", "none")
    found = tw.open(path)
    assert type(found) is tw.History
    assert list(found.values) == ["h", "d", "h2"] and list(found.goals) == goals
    assert found.lower == pytest.approx([0.22, 0.1, 0.2]) and found.upper[2] == 0.24
    assert set(found.search) == {0, 1}
    again = found.model.solve([295e6, 300e6])
    assert again.vswr()[1, 0] == pytest.approx(found.goals[goals[0]], rel=1e-6)
    assert again.gain(90, 0).min() == pytest.approx(found.goals[goals[1]], abs=1e-6)
    assert "History" in repr(found) and found.ended in repr(found)


def test_history_as_a_dataset(written):
    pytest.importorskip("xarray")
    found = tw.open(written("optimize", "--vary", "d=0.1:0.2", "--vary", "h=0.2:0.25", "--goal",
                            "gain(90,0) max", "--starts", "1", "--output-deck", "none"))
    data = found.dataset
    assert data.value.sel(variable="d", evaluation=found.best + 1).item() == found.values["d"]
    assert data.goal_value.dims == ("evaluation", "goal")
    best = data.where(data.miss == 0).objective.idxmin().item()
    assert best == data.attrs["best_evaluation"]


def test_warnings_of_the_best_are_in_python_and_in_the_file(written):
    best = tw.Deck(DECK, name="two.nec").optimize("gain(90,0) max", starts=1, h2=(0.2, 0.24),
                                                  idle=(0, 1))
    assert any("idle" in text for text in best.warnings)
    found = tw.open(written("optimize", "--vary", "h2=0.2:0.24", "--vary", "idle=0:1", "--goal",
                            "gain(90,0) max", "--starts", "1", "--output-deck", "none"))
    assert any("idle" in text for text in found.warnings)
