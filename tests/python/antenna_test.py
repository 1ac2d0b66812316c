"""Geometry, loads, networks and ground, against decks that say the same."""

import numpy as np
import pytest

import thinwire as tw


def solve(deck_cards, frequency=300e6):
    return tw.Deck("CE\n" + deck_cards + "EN\n").solve(frequency)


def points_of(result):
    return np.concatenate([result.segment_starts, result.segment_ends])


def same(antenna, cards, frequency=300e6, tolerance=1e-9):
    """The antenna's segments and impedance are the deck's."""
    mine, expected = antenna.solve(frequency), solve(cards, frequency)
    assert np.allclose(points_of(mine), points_of(expected), rtol=0, atol=1e-12)
    assert np.allclose(mine.z, expected.z, rtol=tolerance)


def test_arc():
    a = tw.Antenna()
    a.port(a.arc(0.1, 20, 250, radius=1e-3, segments=11))
    same(a, "GA 1 11 0.1 20 250 1e-3\nGE 0\nEX 0 1 6 0 1\n")


def test_a_whole_turn_is_closed():
    a = tw.Antenna()
    a.port(a.arc(0.16, radius=1e-3, segments=24)[0])
    same(a, "GA 1 24 0.16 0 360 1e-3\nGE 0\nEX 0 1 1 0 1\n")


@pytest.mark.parametrize("left", [False, True])
def test_helix(left):
    a = tw.Antenna()
    a.port(a.helix(0.05, 0.04, 3, radius=1e-3, segments=60, left_handed=left)[3])
    result = a.solve(300e6)
    sign = -1 if left else 1
    cards = "GH 1 60 0.04 0.12 0.05 0.05 0.05 0.05 1e-3\nGE 0\nEX 0 1 4 0 1\n"
    expected = solve(cards)
    assert np.allclose(points_of(result), points_of(expected) * [1, sign, 1], atol=1e-12)
    assert np.allclose(result.z, expected.z, rtol=1e-9)


def test_taper_grows_geometrically():
    a = tw.Antenna()
    wire = a.wire((0, 0, -0.24), (0, 0, 0.24), radius=(2e-3, 5e-4), segments=21)
    a.port(wire)
    same(a, "GW 1 21 0 0 -0.24 0 0 0.24 0\nGC 0 0 1 2e-3 5e-4\nGE 0\nEX 0 1 11 0 1\n")


def test_transforms():
    a = tw.Antenna()
    wire = a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=9)
    a.rotate(90, "y")
    assert np.array_equal(wire.start, [-0.24, 0, 0])  # right angles are exact
    a.rotate(90, "z")
    assert np.array_equal(wire.start, [0, -0.24, 0])
    a.rotate(30, (0, 0, 2), about=(0, -0.24, 0))
    assert np.allclose(wire.start, [0, -0.24, 0], atol=1e-16)
    assert np.allclose(wire.end, [-0.24, -0.24 + 0.48 * np.cos(np.pi / 6), 0])
    a.move((1, 2, 3), wire)
    assert np.allclose(wire.start, [1, 1.76, 3])
    a.scale(2)
    assert np.allclose(wire.start, [2, 3.52, 6]) and wire.radius[0] == 2e-3
    assert wire.length == pytest.approx(0.96)


def test_copies_and_images():
    a = tw.Antenna()
    w = a.wire((0.1, 0, 0.1), (0.1, 0, 0.58), radius=1e-3, segments=21)
    copies = a.copy(w, rotate=90, times=3)
    assert [c.tag for c in copies] == [2, 3, 4]
    assert np.allclose(copies[-1].start, [0, -0.1, 0.1])
    image, = a.reflect("z", copies[0])
    assert np.allclose(image.end, [0, 0.1, -0.58])
    a.port(w)
    assert len(a.solve(300e6).segment_tags) == 5 * 21


def test_places():
    a = tw.Antenna()
    w = a.wire((0, 0, 0), (0, 0, 1), radius=1e-3, segments=10)
    assert (w.middle.index, w[-1].index, w.at(0).index, w.at(1).index, w.at(0.55).index) == (
        4, 9, 0, 9, 5)
    assert len(list(w)) == 10 and w.points.shape == (11, 3)
    with pytest.raises(IndexError):
        w[10]
    with pytest.raises(tw.UsageError):
        w.at(1.5)


DIPOLE = "GW 1 21 0 0 -0.24 0 0 0.24 0.001\nGE 0\n"


@pytest.mark.parametrize("add, cards", [
    (lambda a, w: a.load(w, resistance=20, inductance=1e-8), "LD 0 1 11 11 20 1e-8 0"),
    (lambda a, w: a.load(w[3], resistance=500, capacitance=1e-12, parallel=True),
     "LD 1 1 4 4 500 0 1e-12"),
    (lambda a, w: a.load(w[0], impedance=5 - 20j), "LD 4 1 1 1 5 -20"),
    (lambda a, w: a.trap(w[5], quality=200, inductance=1e-7, capacitance=1e-12),
     "LD 6 1 6 6 200 1e-7 1e-12"),
    (lambda a, w: a.conductivity(5.8e7), "LD 5 0 0 0 5.8e7"),
    (lambda a, w: a.conductivity(1e6, w, relative_permeability=100), "LD 5 1 0 0 1e6 100"),
    (lambda a, w: a.insulation(2.3, 2e-3), "IS 0 0 0 0 2.3 0 2e-3"),
])
def test_loads(dipole, add, cards):
    antenna, _ = dipole
    add(antenna, antenna.wires[0])
    same(antenna, f"{DIPOLE}{cards}\nEX 0 1 11 0 1\n", tolerance=1e-13)


TWO = "GW 1 11 0 0 4 0 0 4.5 0.001\nGW 2 11 0.2 0 4 0.2 0 4.5 0.001\n"


@pytest.mark.parametrize("add, cards", [
    (lambda a, v, w: a.line(v, w, z0=75, length=0.3, crossed=True, shunts=(0.01, 0.02j)),
     "TL 1 6 2 6 -75 0.3 0.01 0 0 0.02"),
    (lambda a, v, w: a.network(v[0], w, y11=0.01j, y12=-0.02, y22=0.03),
     "NT 1 1 2 6 0 0.01 -0.02 0 0.03 0"),
    (lambda a, v, w: a.line(v, w, z0=75, length=3, velocity=0.66, loss=4, loss_frequency=30e6),
     "TL 1 6 2 6 75 3 0 0 0 0 4 30 0.66"),
    (lambda a, v, w: a.line(v, w, cable="RG-58", length=3, crossed=True), "TL 1 6 2 6 -RG-58 3"),
    (lambda a, v, w: a.transformer(v, w, turns=2), "LN 1 6 2 6 T 2"),
    (lambda a, v, w: a.ladder(v, w, tw.series(inductance=1e-8), tw.shunt(impedance=50 - 20j),
                              tw.series(quality=100, inductance=1e-8, capacitance=1e-12)),
     "LN 1 6 2 6 S0 0 1e-8 0 P4 50 -20 0 S6 100 1e-8 1e-12"),
    (lambda a, v, w: a.ground("perfect"), "GN 1"),
    (lambda a, v, w: a.ground("sommerfeld", permittivity=13, conductivity=5e-3),
     "GN 2 0 0 0 13 5e-3"),
    (lambda a, v, w: a.ground("mininec", permittivity=13, conductivity=5e-3),
     "GN 3 0 0 0 13 5e-3"),
    (lambda a, v, w: a.ground("coefficients", permittivity=5, conductivity=1e-3, radials=20,
                              radial_length=5, radial_radius=1e-3),
     "GN 0 20 0 0 5 1e-3 5 1e-3"),
])
def test_networks_and_ground(add, cards):
    a = tw.Antenna()
    v = a.wire((0, 0, 4), (0, 0, 4.5), radius=1e-3, segments=11)
    w = a.wire((0.2, 0, 4), (0.2, 0, 4.5), radius=1e-3, segments=11)
    a.port(v, voltage=2j)
    add(a, v, w)
    end = "GE 1" if cards.startswith("GN") else "GE 0"
    same(a, f"{TWO}{end}\n{cards}\nEX 0 1 6 0 0 2\n", tolerance=1e-13)


@pytest.mark.parametrize("how, card", [
    ({"current": 0.5}, "EX 6 1 11 0 0.5 0"), ({"gap": True}, "EX 5 1 11 0 1 0"),
    ({"gap": True, "current": 0.5j}, "EX 7 1 11 0 0 0.5"),
    ({"voltage": 3 + 4j}, "EX 0 1 11 0 3 4")])
def test_sources(how, card):
    a = tw.Antenna()
    a.port(a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21), **how)
    same(a, f"{DIPOLE}{card}\n", tolerance=1e-13)
    expected = solve(f"{DIPOLE}{card}\n")
    assert np.allclose(a.solve(300e6).port_currents, expected.port_currents, rtol=1e-13)


def test_ports_stand_for_their_numbers():
    a = tw.Antenna()
    near = a.port(a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21))
    far = a.port(a.wire((0.3, 0, -0.2), (0.3, 0, 0.2), radius=1e-3, segments=21), voltage=0.5)
    r = a.solve([300e6, 301e6])
    assert r.z.shape == (2, 2)
    assert np.array_equal(r.z[:, far], r.z[:, 1]) and not np.array_equal(r.z[:, near], r.z[:, far])
    assert r.ports == ("1/11", "2/11")


def test_plane_wave_is_reciprocal(dipole):
    """A dipole's open-circuit voltage over its pattern is the same in all directions."""
    antenna, _ = dipole
    pattern = antenna.solve(300e6).pattern([30, 60, 90], [0])
    received = []
    for theta in (30, 60, 90):
        a = tw.Antenna()
        a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21)
        a.plane_wave(theta, 0)
        r = a.solve(300e6)
        received.append(r.currents[0, 10])
        assert r.array("/incident/theta_deg")[0] == theta
    ratio = np.array(received) / pattern.e_theta[0, :, 0]
    assert np.allclose(ratio, ratio[0], rtol=1e-3)


def test_a_wire_in_the_deck_of_a_rotated_antenna_is_one_card():
    a = tw.Antenna("two\nlines")
    a.port(a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21))
    a.rotate(33, "x")
    deck = a.to_nec([290e6, 300e6, 310e6, 400e6])
    assert deck.startswith("CM two\nCM lines\nCE\nGW 1 21 ")
    assert deck.count("GW") == 1 and deck.count("FR") == 2 and deck.count("XQ") == 2


# Uneven frequencies take several FR cards: runs whose near pairs are interpolated over other
# ranges.
@pytest.mark.parametrize("frequencies, tolerance", [
    ([290e6, 300e6, 310e6], 0), ([290e6, 300e6, 310e6, 333e6], 1e-8)])
def test_to_nec_gives_the_same_numbers(program, dipole, tmp_path, frequencies, tolerance):
    antenna, feed = dipole
    antenna.load(antenna.wires[0][2], resistance=3)
    antenna.copy(antenna.wires[0], by=(0.2, 0, 0))
    antenna.rotate(20, "y")
    file = tmp_path / "dipole.nec"
    file.write_text(antenna.to_nec(frequencies))
    mine, document = antenna.solve(frequencies), program(file)
    z = [complex(*f["ports"][0]["impedance_ohm"]) for f in document["frequencies"]]
    assert np.allclose(mine.z[:, feed], z, rtol=tolerance, atol=0)


@pytest.mark.parametrize("name", ["dipole", "yagi", "helix", "log_periodic", "folded_dipole",
                                  "monopole_radials", "dipole_height"])
def test_decks_of_the_examples_survive_to_nec(examples, name):
    deck = tw.read_deck(examples / name / f"{name}.nec")
    own, again = deck.solve(), tw.Deck(deck.to_nec()).solve()
    assert np.allclose(own.z, again.z, rtol=1e-7)  # ten digits, as nec2c reads them


def test_a_cable_to_a_node():
    """The end of a cable sees the antenna's impedance over a lossy line (Pozar 2012, 2.91)."""
    def dipole():
        a = tw.Antenna()
        return a, a.wire((0, 0, -1.4), (0, 0, 1.4), radius=1e-3, segments=21)

    a, w = dipole()
    a.port(w)
    load = a.solve(50e6).z[0, 0]
    b, w = dipole()
    end = b.node()
    b.line(end, w, cable="RG-213", length=30.48)
    b.port(end)
    r = b.solve(50e6)
    beta = 2 * np.pi * 50e6 / 299792458 / 0.66
    # Of conductors and dielectric (Codan: 1.50 dB together).
    losses = np.array([0.1974 * np.sqrt(50), 0.002089 * 50]) / 30.48 / (20 / np.log(10))
    in_series, across = 2 * losses + 1j * beta
    assert losses.sum() * 30.48 * 20 / np.log(10) == pytest.approx(1.50, abs=1e-3)
    z0, t = 50 * np.sqrt(in_series / across), np.tanh(np.sqrt(in_series * across) * 30.48)
    assert r.z[0, 0] == pytest.approx(z0 * (load + z0 * t) / (z0 + load * t), rel=1e-4)


def test_contradictions_of_lines_and_ladders():
    a = tw.Antenna()
    w = a.wire((0, 0, 0), (0, 0, 1), radius=1e-3, segments=3)
    for wrong in (lambda: a.line(w, w), lambda: a.line(w, w, z0=50, cable="RG-58"),
                  lambda: a.line(w, w, cable="RG-58", velocity=0.7),
                  lambda: a.line(w, w, cable="RG 58"), lambda: a.ladder(w, w),
                  lambda: tw.series(quality=100, resistance=1),
                  lambda: tw.shunt(impedance=50, inductance=1)):
        with pytest.raises(tw.UsageError):
            wrong()
