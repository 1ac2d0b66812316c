"""solve(gradient=...) against differences of whole solutions, and against the program."""

import json
import subprocess

import numpy as np
import pytest

import thinwire as tw

DECK = """CE
SY h=0.24, ratio=0.95, h2=h*ratio, d=15cm
GW 1 9 0 0 -h 0 0 h .001
GW 2 9 d 0 -h2 d 0 h2 .001
GE
EX 0 1 5 0 1 0
FR 0 2 0 0 300 5
RP 0 2 2 1000 70 20 40 180
EN
"""


def derivative_of(number, value):
    """By differences of fourth order."""
    step = 1e-4 * value
    return (8 * (number(value + step) - number(value - step))
            - (number(value + 2 * step) - number(value - 2 * step))) / (12 * step)


@pytest.mark.parametrize("name", ["h", "d"])
def test_derivatives_of_a_deck_are_differences(name):
    deck = tw.Deck(DECK, name="two.nec")
    r = deck.solve(gradient=["h", "d"])
    v, value = r.parameters.index(name), deck._value(name)
    expected = derivative_of(lambda x: deck.set(**{name: x}).solve().z[:, 0], value)
    assert r.z_derivatives.shape == (2, 1, 2)
    assert r.z_derivatives[:, 0, v] == pytest.approx(expected, rel=1e-6)
    derivatives = r.gain_derivatives()
    assert derivatives.frequency == pytest.approx([300e6, 305e6])

    def gain(x, phi):
        p = deck.set(**{name: x}).solve().patterns[0]
        theta = np.abs(p.theta - derivatives.theta[0]).argmin()
        return p.gain[:, theta, np.abs(p.phi - phi).argmin()]

    front = derivatives.phi[0]
    expected = derivative_of(lambda x: gain(x, front), value)
    assert derivatives.gain[:, v] == pytest.approx(expected, rel=1e-5)
    back = 40 + 180 if front == 40 else 40
    ratio = derivative_of(lambda x: gain(x, front) - gain(x, back), value)
    # Backwards is at 180 degrees - theta, which the grid's 90 degrees is its own.
    if derivatives.theta[0] == 90:
        assert derivatives.front_to_back[:, v] == pytest.approx(ratio, rel=1e-5)


def test_derivatives_of_a_design_are_differences():
    @tw.Design
    def dipole(h=0.24, inductance=1e-8, segments=11):
        a = tw.Antenna()
        w = a.wire((0, 0, -h), (0, 0, h), radius=1e-3, segments=segments)
        a.load(w[3], inductance=inductance)
        a.port(w)
        return a

    r = dipole.solve(300e6, gradient=True, theta=[90], phi=[0])
    assert r.parameters == ("h", "inductance")
    for v, (name, value) in enumerate({"h": 0.24, "inductance": 1e-8}.items()):
        expected = derivative_of(lambda x: dipole.set(**{name: x}).solve(300e6).z[0, 0], value)
        assert r.z_derivatives[0, 0, v] == pytest.approx(expected, rel=1e-6)
        expected = derivative_of(lambda x: dipole.set(**{name: x}).solve(300e6).gain(90, 0)[0], value)
        assert r.gain_derivatives().gain[0, v] == pytest.approx(expected, rel=1e-5)


def test_the_program_says_the_same(tmp_path, program_path):
    (tmp_path / "two.nec").write_text(DECK)
    run = subprocess.run([program_path, "solve", "two.nec", "--gradient", "d", "--gradient", "h", "--json",
                          "--quiet", "-o", "two.h5"], cwd=tmp_path, capture_output=True, text=True,
                         check=True)
    r = tw.read_deck(tmp_path / "two.nec").solve(gradient=("d", "h"))
    opened = tw.open(tmp_path / "two.h5")
    for result in (r, opened):
        assert result.parameters == ("d", "h")
        for f, at in enumerate(json.loads(run.stdout)["frequencies"]):
            for v, name in enumerate("dh"):
                re, im = at["impedance_derivatives_ohm"][name][0]
                assert result.z_derivatives[f, 0, v] == pytest.approx(complex(re, im), rel=1e-9)
                gain = at["gain_derivatives"][0]
                assert result.gain_derivatives().gain[f, v] == pytest.approx(
                    gain["gain_derivatives_db"][name], rel=1e-9)
                assert result.gain_derivatives().front_to_back[f, v] == pytest.approx(
                    gain["front_to_back_derivatives_db"][name], rel=1e-9)
            assert result.gain_derivatives().theta[f] == gain["theta_deg"]


def test_derivatives_are_in_dataset_and_file(tmp_path):
    pytest.importorskip("xarray")
    r = tw.Deck(DECK, name="two.nec").solve(gradient=["h"])
    data = r.dataset
    assert data.impedance_derivative.sel(parameter="h").values[:, 0] == pytest.approx(r.z_derivatives[:, 0, 0])
    assert data.impedance_derivative.attrs["units"] == "ohm"
    assert data.gain_derivative.sel(parameter="h").values == pytest.approx(r.gain_derivatives().gain[:, 0])
    assert data.front_to_back_derivative.dims == ("frequency", "parameter")
    r.save(tmp_path / "two.h5")
    again = tw.open(tmp_path / "two.h5")
    assert np.array_equal(again.z_derivatives, r.z_derivatives)
    assert np.array_equal(again.gain_derivatives().gain, r.gain_derivatives().gain)


def test_without_a_gradient_there_are_no_derivatives():
    r = tw.Deck(DECK, name="two.nec").solve()
    assert r.parameters == () and r.z_derivatives.shape == (2, 1, 0)
    with pytest.raises(tw.UsageError, match="gradient="):
        r.gain_derivatives()


def test_what_cannot_be_differentiated_is_refused(dipole):
    deck = tw.Deck(DECK, name="two.nec")
    with pytest.raises(tw.UsageError, match="no symbol 'x'. There are d, h"):
        deck.solve(gradient=["x"])
    antenna, _ = dipole
    for gradient in (True, ["h"]):
        with pytest.raises(tw.UsageError, match="tw.Design"):
            antenna.solve(300e6, gradient=gradient)
    ground = tw.Deck(DECK.replace("EX 0", "GN 2 0 0 0 13 .005\nEX 0"), name="two.nec")
    with pytest.raises(tw.UsageError, match="with wires in the ground"):
        ground.solve(gradient=["h"])
    with pytest.raises(tw.UsageError, match="pattern must be 0 to 0"):
        deck.solve(gradient=["h"]).gain_derivatives(1)
