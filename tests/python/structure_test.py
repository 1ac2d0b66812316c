"""Soils by name, segments by frequency, pictures before a solve."""

import numpy as np
import pytest

import thinwire as tw
from thinwire._soils import SOILS


def dipole(segments, half=0.24):
    a = tw.Antenna()
    wire = a.wire((0, 0, -half), (0, 0, half), radius=1e-3, segments=segments)
    a.port(wire)
    return a


def test_segments_follow_the_highest_frequency():
    auto = dipole("auto")
    for frequencies, count in ((300e6, 11), ([100e6, 600e6], 21), (10e6, 5)):
        r = auto.solve(frequencies)
        assert len(r.segment_tags) == count
        assert np.array_equal(r.z, dipole(count).solve(frequencies).z)
    assert "segments by frequency" in repr(auto) and "auto" in auto._repr_html_()
    assert "GW 1 11 " in auto.to_nec(300e6)


def test_segments_stay_longer_than_two_diameters():
    a = tw.Antenna()
    a.port(a.wire((0, 0, -0.05), (0, 0, 0.05), radius=5e-3, segments="auto"))
    assert "GW 1 5 " in a.to_nec(1e9)


def test_places_on_a_wire_of_segments_by_frequency():
    def loaded(segments, place):
        a = dipole(segments)
        w = a.wires[0]
        a.load(place(w), resistance=50)
        a.line(w, place(w), z0=300)
        return a.solve(300e6).z

    for place in (lambda w: w.at(0.3), lambda w: w[0], lambda w: w[-1], lambda w: w.middle):
        assert np.array_equal(loaded("auto", place), loaded(11, place))
    wire = dipole("auto").wires[0]
    for ask in (len, lambda w: w[3], list):
        with pytest.raises(tw.UsageError, match="divided at the solve"):
            ask(wire)


def test_copies_and_mirrors_are_divided_alike():
    a = dipole("auto")
    a.copy(by=(1, 0, 0))
    a.reflect("x", a.wires[1])
    assert np.bincount(a.solve(300e6).segment_tags).tolist() == [0, 11, 11, 11]


def test_a_tapered_wire_needs_a_number():
    with pytest.raises(tw.UsageError, match="tapers"):
        tw.Antenna().wire((0, 0, 0), (0, 0, 1), radius=(1e-3, 2e-3), segments="auto")
    with pytest.raises(tw.UsageError, match="whole number"):
        tw.Antenna().wire((0, 0, 0), (0, 0, 1), radius=1e-3, segments="many")


@pytest.mark.parametrize("name", SOILS)
def test_a_soil_is_its_values(name):
    def over(**values):
        a = dipole(11)
        a.move((0, 0, 1))
        a.ground(**values)
        return a.to_nec(300e6)

    epsilon, sigma = SOILS[name]
    assert over(kind=name) == over(kind="sommerfeld", permittivity=epsilon, conductivity=sigma)


def test_the_docstring_has_the_soils_values():
    text = " ".join(tw.Antenna.ground.__doc__.split())
    for name, (epsilon, sigma) in SOILS.items():
        assert f'"{name}" ({epsilon:g}, {sigma:g})' in text


def test_soils_take_no_other_values():
    a = dipole(11)
    with pytest.raises(tw.UsageError, match="of its own"):
        a.ground("average", permittivity=5)
    with pytest.raises(tw.UsageError, match="one of perfect, .*average"):
        a.ground("mud")


def test_an_antenna_is_drawn_before_it_is_solved():
    pytest.importorskip("matplotlib")
    a = tw.Antenna()
    wire = a.wire((0, 0, 1), (0, 0, 2), radius=1e-3, segments="auto")
    a.wire((1, 0, 1), (1, 0, 2), radius=1e-3, segments=7)
    axes = a.plot_3d()  # not fed yet
    lines, = axes.collections
    assert len(lines._segments3d) == 12 and not axes.lines
    a.port(wire)
    a.ground("average")
    axes = a.plot_3d()
    port, = axes.lines
    assert np.allclose(np.ravel(port.get_data_3d()), [0, 0, 1.5])
    assert "ports red" in axes.get_title()
    deck = tw.Deck(a.to_nec(100e6))
    assert len(deck.plot_3d().lines) == 1
    assert len(tw.Design(lambda h=1: a).plot_3d().lines) == 1
    with pytest.raises(tw.UsageError, match="no wires"):
        tw.Antenna().plot_3d()
