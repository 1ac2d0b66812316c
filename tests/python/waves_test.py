"""Several incident waves at one frequency are told apart, in Python and in the report."""

import numpy as np
import pytest

import thinwire as tw
from conftest import contents_of

DECK = """CE
GW 1 9 0 0 -0.25 0.1 0 0.25 0.001
GE
FR 0 1 0 0 300 0
EX 1 3 1 0 10 0 0 40 0
RP 0 19 37 1000 0 0 10 10
EN
"""


@pytest.fixture(scope="module")
def scattered():
    return tw.Deck(DECK).solve()


def test_each_wave_has_its_peak_and_cuts(scattered):
    pattern = scattered.patterns[0]
    assert np.array_equal(pattern.waves, [[10, 0], [50, 0], [90, 0]])
    greatest = pattern.gain.max(axis=(1, 2))
    assert greatest[1] > greatest[0] + 3
    for index in range(3):
        assert pattern.peak_at(index=index).gain == greatest[index]
        assert pattern.cut("elevation", index=index)[1].max() == greatest[index]
    assert pattern.peak_at(index=-1) == pattern.peak_at(index=2)
    again = scattered.pattern(10, 10, index=1)
    assert np.allclose(again.gain[0].max(), greatest[1], rtol=1e-9)
    assert again.waves.tolist() == [[50, 0]]


def test_a_frequency_of_several_waves_needs_an_index(scattered):
    pattern = scattered.patterns[0]
    for call in (pattern.peak_at, lambda f=None: pattern.cut("azimuth", f),
                 lambda f=None: scattered.plot_3d(f), lambda f=3e8: scattered.pattern(frequency=f),
                 lambda f=3e8: scattered.near_field([0, 0, 1], frequency=f)):
        for arguments in ((), (3e8,)):
            with pytest.raises(tw.UsageError, match="3 points are at 300 MHz.*index=0, index=1"):
                call(*arguments)
    with pytest.raises(tw.UsageError, match="index=0"):
        assert pattern.peak
    with pytest.raises(tw.UsageError, match="index must be 0 to 2"):
        pattern.peak_at(index=3)
    with pytest.raises(tw.UsageError, match="contradicts"):
        pattern.peak_at(3e8, index=1)
    with pytest.raises(tw.UsageError, match="whole number"):
        pattern.peak_at(index=1.5)
    assert "dB of λ²" in repr(pattern)


def test_plots_show_the_wave_and_its_unit(scattered):
    pytest.importorskip("matplotlib").use("Agg")
    pattern = scattered.patterns[0]
    for axes in (pattern.plot_polar(cut="elevation", index=1), pattern.plot_3d(index=1)):
        title = axes.get_title()
        assert "300 MHz, wave from θ 50°, φ 0°" in title
        assert f"{pattern.gain[1].max():.2f} dB of λ²" in title and "dBi" not in title
    axes = scattered.plot_3d(index=2)
    assert axes.collections[0].get_array().max() == pytest.approx(
        1e3 * abs(scattered.currents[2]).max())
    assert "θ 90°" in axes.get_title()


def test_impedances_without_ports_are_refused(scattered):
    for plot in (scattered.plot_z, scattered.plot_vswr, scattered.plot_smith):
        with pytest.raises(tw.UsageError, match="no ports"):
            plot()


@pytest.mark.parametrize("deck", [DECK, DECK.replace("RP 0 19 37 1000 0 0 10 10", "XQ")])
def test_the_report_keeps_each_wave(deck):
    result = tw.Deck(deck).solve()
    pattern = result.pattern(10, 10)
    contents = contents_of([("rod", result)])["results"][0]
    assert contents["wave_theta_deg"] == [10, 50, 90] and contents["wave_phi_deg"] == [0, 0, 0]
    (shown,) = contents["patterns"]
    assert shown["at"] == [0, 1, 2]
    for point, gain, *_ in shown["peaks"]:
        assert gain == pytest.approx(pattern.gain[point].max(), abs=0.05)
