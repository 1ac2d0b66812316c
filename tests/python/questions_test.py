"""Exposure, radar cross sections, characteristic modes, noise temperatures, matching."""

import os
import subprocess
import sys

import numpy as np
import pytest

import thinwire as tw
from thinwire._exposure import icnirp_2020

ETA = 376.730313


def half_wave(height=0.0, ground=None, radius=1e-4):
    a = tw.Antenna()
    if ground:
        a.ground(ground)
    a.port(a.wire((0, 0, height - 0.24), (0, 0, height + 0.24), radius=radius, segments=21))
    return a


# Exposure.

def test_reference_levels_are_icnirps():
    # Health Physics 118 (2020), table 5; continuous at the ranges' ends but for rounding.
    assert icnirp_2020(1e6) == pytest.approx((300, 2.2))
    assert icnirp_2020(10e6, "occupational") == pytest.approx((660 / 10 ** 0.7, 0.49))
    assert icnirp_2020(145e6) == (27.7, 0.073)
    assert icnirp_2020(900e6) == pytest.approx((1.375 * 30, 0.0037 * 30))
    assert icnirp_2020(900e6, "occupational") == pytest.approx((90, 0.24))
    assert icnirp_2020(5e9) == pytest.approx((61.4, 0.163), rel=2e-3)  # 10 W/m^2
    assert icnirp_2020(5e9, "occupational").e == pytest.approx((50 * ETA) ** 0.5)
    for frequency in (30e6, 400e6, 2e9):
        for who in ("public", "occupational"):
            below, above = icnirp_2020(frequency, who), icnirp_2020(frequency * 1.0001, who)
            assert below == pytest.approx(above, rel=0.03)
    for wrong in ((1e3, "public"), (1e9, "me"), (1e12, "public")):
        with pytest.raises(tw.UsageError):
            icnirp_2020(*wrong)


def test_far_from_a_dipole_the_distance_follows_from_its_gain():
    r = half_wave().solve(300e6)
    x = r.exposure(1e4, step=45)
    gain = 10 ** (r.gain(90, 0)[0] / 10)
    assert x.distance.shape == (1, 8)
    # Of E, and of H of the plane wave, whichever reaches farther.
    expected = (30 * 1e4 * gain) ** 0.5 / min(27.7, 0.073 * ETA)
    assert x.distance == pytest.approx(expected, rel=1e-3)
    assert x.contours[0, 2] == pytest.approx((0, expected, 0), rel=1e-3, abs=1e-9)
    e = r.exposure(1e4, limits=(27.7, 1e9), step=90).distance
    assert e == pytest.approx((30 * 1e4 * gain) ** 0.5 / 27.7, rel=1e-3)
    # Four times the power, twice the distance; none where limits hold everywhere.
    assert r.exposure(4e4, step=180).distance == pytest.approx(2 * expected, rel=1e-3)
    assert np.all(r.exposure(1e-9, heights=[5, 9], step=180).distance == np.zeros((2, 2)))


def test_near_a_dipole_the_contour_is_where_the_field_has_the_limit():
    r = half_wave(height=1, ground="perfect").solve(300e6)
    x = r.exposure(1, limits="icnirp2020-occupational", heights=[0, 1, 1.4], step=120)
    assert x.distance.shape == (3, 3) and np.all(x.distance[1] > 0.05)
    field = np.linalg.norm(r.near_field(x.contours)[0], axis=-1) / (2 * r.input_power[0]) ** 0.5
    h = np.linalg.norm(r.near_field(x.contours, magnetic=True)[0], axis=-1) / (2 * r.input_power[0]) ** 0.5
    ratio = np.maximum(field / 61, h / 0.16)
    assert ratio[x.distance > 0] == pytest.approx(1, rel=1e-4)
    for wrong in ({"power": -1}, {"power": 1, "limits": "icnirp"}, {"power": 1, "limits": (1,)},
                  {"power": 1, "step": 7}):
        with pytest.raises(tw.UsageError):
            r.exposure(**wrong)


# Radar cross sections.

def test_half_wave_wire_broadside():
    """About 0.86 squares of the wavelength at resonance (Knott, Shaeffer, Tuley, Radar Cross Section,
    2nd edition, section 3.3), of a thin wire as long as the resonance is."""
    a = tw.Antenna()
    a.wire((0, 0, -0.25), (0, 0, 0.25), radius=1e-5, segments=21)
    f = np.linspace(270e6, 310e6, 41)
    section = a.rcs(f, theta=[90], phi=[0])
    in_squares = section.total[:, 0, 0] * (f / 299792458) ** 2
    assert section.total.shape == (41, 1, 1)
    assert in_squares.max() == pytest.approx(0.86, abs=0.03)
    assert np.allclose(section.copolar, section.total)


def test_cross_section_is_that_of_a_deck_with_waves():
    """EX 1 and RP towards where the wave comes from: dB of the wavelength squared."""
    a = tw.Antenna()
    a.wire((0, 0, -0.2), (0.1, 0.05, 0.2), radius=1e-3, segments=15)
    section = a.rcs(300e6, theta=[20, 70], phi=[10, 100, 190], eta=30)
    wires = a._scatterer().to_nec([300e6]).split("GE")[0]
    for i, theta in enumerate(section.theta):
        for j, phi in enumerate(section.phi):
            deck = tw.Deck(f"{wires}GE 0\nFR 0 1 0 0 300\nEX 1 1 1 0 {theta} {phi} 30\n"
                           f"RP 0 1 1 1000 {theta} {phi} 0 0\nEN\n")
            gain = deck.solve().patterns[0].gain[0, 0, 0]
            assert section.total[0, i, j] == pytest.approx(
                10 ** (gain / 10) * (299792458 / 300e6) ** 2, rel=1e-4)


def test_polarisations_and_angles_of_a_cross_section():
    a = tw.Antenna()
    a.wire((-0.24, 0, 0), (0.24, 0, 0), radius=1e-3, segments=21)
    section = a.rcs([300e6, 310e6], theta=[30, 60, 90], phi=[0, 90], eta=90)
    assert section.total.shape == (2, 3, 2)
    assert np.array_equal(section.theta, [30, 60, 90]) and np.array_equal(section.phi, [0, 90])
    assert np.all(section.total[:, :, 0] < 1e-12)  # across the wire
    assert section.total[0, :, 1] == pytest.approx(section.total[0, 0, 1], rel=1e-6)
    # From phi = 0 a wave along theta sees the wire under its angle: most from above.
    theta = a.rcs(300e6, theta=[0, 40, 80], phi=[0]).total[0, :, 0]
    assert theta[0] > theta[1] > theta[2]
    # 45 degrees between: half the incident field along the wire, half of that seen again.
    half = a.rcs(300e6, theta=[90], phi=[90], eta=45)
    whole = section.total[0, 2, 1]
    assert half.total[0, 0, 0] == pytest.approx(whole / 2, rel=1e-6)
    assert half.copolar[0, 0, 0] == pytest.approx(whole / 4, rel=1e-6)
    # The same from a deck, whatever its source.
    deck = tw.Deck(a._scatterer().to_nec([300e6]))
    assert deck.rcs(theta=[30, 60, 90], phi=[0, 90], eta=90).total[0] == pytest.approx(section.total[0])


def mie_backscatter(x):
    """Cross section of a conducting sphere over pi a^2, x = k a, by Mie's series (Ruck, Radar Cross
    Section Handbook, 3.2)."""
    terms, far = 30, 60
    y = [-np.cos(x) / x, -np.cos(x) / x ** 2 - np.sin(x) / x]
    j = np.zeros(far + 2)
    j[far] = 1e-300
    for n in range(far, 0, -1):
        j[n - 1] = (2 * n + 1) / x * j[n] - j[n + 1]
    j *= np.sin(x) / x / j[0]
    for n in range(1, terms):
        y.append((2 * n + 1) / x * y[n] - y[n - 1])
    h = j[:terms + 1] - 1j * np.array(y)
    n = np.arange(1, terms + 1)
    electric = (x * j[n - 1] - n * j[n]) / (x * h[n - 1] - n * h[n])
    return abs(((-1) ** n * (2 * n + 1) * (electric - j[n] / h[n])).sum()) ** 2 / x ** 2


def test_sphere_of_triangles_scatters_as_mies(command, tmp_path):
    """An icosahedron whose faces were cut twice, in millimetres, as a grid of wires."""
    g = (1 + 5 ** 0.5) / 2
    corners = np.array([(s * a, t * b, 0) for s in (1, -1) for t in (1, -1) for a, b in ((1, g),)])
    corners = np.concatenate([np.roll(corners, shift, axis=1) for shift in range(3)])
    near = np.isclose(np.linalg.norm(corners[:, None] - corners, axis=-1), 2)
    triangles = [(a, b, c) for a in range(12) for b in range(a) for c in range(b)
                 if near[a, b] and near[b, c] and near[a, c]]
    assert len(triangles) == 20
    faces = corners[np.array(triangles)]
    for _ in range(2):
        a, b, c = faces[:, 0], faces[:, 1], faces[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        faces = np.concatenate([np.stack(f, axis=1) for f in
                                ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        faces /= np.linalg.norm(faces, axis=-1, keepdims=True)
    (tmp_path / "sphere.stl").write_text("solid sphere\n" + "".join(
        f"vertex {x} {y} {z}\n" for x, y, z in 1000 * faces.reshape(-1, 3)) + "endsolid\n")
    hertz = 299792458 / (2 * np.pi)  # k a = 1
    done = command(f"convert sphere.stl sphere.nec --scale 1e-3 --frequency {hertz / 1e6}")
    assert done.returncode == 0, done.stderr
    section = tw.read_deck(tmp_path / "sphere.nec").rcs(theta=[0, 50], phi=[0], mesh="as-given")
    assert section.total / np.pi == pytest.approx(mie_backscatter(1), rel=0.02)


# Characteristic modes.

def test_modes_of_a_half_wave_dipole():
    a = half_wave()
    m = a.modes(300e6, count=4)
    result = a._scatterer().solve(300e6, save_matrix=True)
    z = result._source.matrix_ohm
    r, x, j = z.real, z.imag, m.coefficients
    assert m.currents.shape == (4, 21) and j.shape == (4, len(z))
    # Each satisfies X J = eigenvalue R J and radiates 1 W; they are orthogonal.
    for eigenvalue, mode in zip(m.eigenvalues, j):
        residual = x @ mode - eigenvalue * (r @ mode)
        assert np.linalg.norm(residual) < 1e-5 * np.linalg.norm(x @ mode)
    power = j @ r @ j.T / 2
    assert np.diag(power) == pytest.approx(1, rel=1e-6)
    assert np.abs(power - np.diag(np.diag(power)))[:3, :3].max() < 1e-4
    # The first is the half wave's cosine, nearly resonant; the second is odd; the third is a
    # wave and a half.
    assert abs(m.eigenvalues[0]) < 0.6 and m.significance[0] > 0.85
    assert m.eigenvalues[1] < -10 and m.eigenvalues[2] < m.eigenvalues[1]
    centres = (result.segment_starts + result.segment_ends)[:, 2] / 2
    first = m.currents[0] / m.currents[0, 10]
    assert first == pytest.approx(np.cos(np.pi * centres / 0.48), abs=0.05)  # nearly
    assert m.currents[1] == pytest.approx(-m.currents[1, ::-1], rel=1e-6, abs=1e-8)
    # At the resonance of the input impedance the first eigenvalue passes through zero.
    f = np.linspace(280e6, 320e6, 9)
    eigenvalues = np.array([a.modes(hertz, count=1).eigenvalues[0] for hertz in f])
    zero = np.interp(0, eigenvalues, f)
    reactance = a.solve(f).z[:, 0].imag
    assert zero == pytest.approx(np.interp(0, reactance, f), rel=3e-3)
    with pytest.raises(tw.UsageError, match="count"):
        a.modes(300e6, count=0)


# Noise temperatures.

def test_the_same_temperature_everywhere_is_the_antennas():
    a = half_wave()
    a.conductivity(1e4)
    r = a.solve([290e6, 300e6])
    assert r.efficiency[0] < 0.95
    assert r.antenna_temperature(290) == pytest.approx(290, rel=1e-9)
    assert half_wave(0.5, "average").solve(300e6).antenna_temperature(290) == pytest.approx(290)


def test_temperatures_with_known_integrals():
    short = tw.Antenna()
    short.port(short.wire((0, 0, -5e-3), (0, 0, 5e-3), radius=1e-5, segments=5))
    r = short.solve(300e6)
    # Half of what it sees is ground.
    assert r.antenna_temperature(100, ground=0) == pytest.approx(50, rel=1e-3)
    assert r.antenna_temperature(0, ground=300) == pytest.approx(150, rel=1e-3)
    # cos^2 over sin^2 dipole: a fifth, above the horizon half of it.
    zenith = r.antenna_temperature(lambda theta, phi: 1000 * np.cos(np.deg2rad(theta)) ** 2, ground=0)
    assert zenith == pytest.approx(100, rel=2e-3)
    # cos^2(phi) of an antenna that is round: half.
    around = r.antenna_temperature(lambda theta, phi: 1000 * np.cos(np.deg2rad(phi)) ** 2, ground=0)
    assert around == pytest.approx(250, rel=2e-3)
    over = half_wave(0.24 + 1e-3, "perfect").solve(300e6)
    assert over.antenna_temperature(100, ground=0) == pytest.approx(100, rel=1e-3)
    # Losses: (1 - efficiency) of the physical temperature.
    short.conductivity(1e5)
    lossy = short.solve(300e6)
    assert lossy.antenna_temperature(0, ground=0, physical=300) == pytest.approx(
        300 * (1 - lossy.efficiency), rel=1e-2)


def test_the_galactic_sky_is_that_of_p372():
    r = half_wave(0.24 + 1e-3, "perfect").solve([100e6, 300e6])
    # Fam = 52 - 23 log10 f: 6 dB at 100 MHz.
    assert r.antenna_temperature("galactic", ground=0)[0] == pytest.approx(
        290 * 10 ** 0.6 + 2.7, rel=1e-2)
    with pytest.raises(tw.UsageError, match="galactic"):
        r.antenna_temperature("cosmic")


def test_temperature_of_a_file(tmp_path):
    a = half_wave()
    a.solve(300e6, theta=1, phi=5).save(tmp_path / "a.h5")
    stored = tw.open(tmp_path / "a.h5").antenna_temperature(100, ground=0)
    assert stored == pytest.approx(50, rel=1e-3)
    a.solve(300e6).save(tmp_path / "b.h5")
    with pytest.raises(tw.UsageError, match="--pattern 1"):
        tw.open(tmp_path / "b.h5").antenna_temperature(100)


# Matching networks.

def test_l_networks_are_those_of_pozars_example():
    """Microwave Engineering, 4th edition, example 5.1: 200 - j100 on 100 ohm at 500 MHz."""
    from thinwire._match import _l_networks, _part

    omega = 2 * np.pi * 500e6
    found = {tuple((place, kind, round(value * 1e12 if kind == "C" else value * 1e9, 1))
                   for place, kind, value, _ in
                   (_part(place, x, omega, 1e9, 1e9) for place, x in network))
             for network in _l_networks(200 - 100j, 100)}
    assert found == {(("series", "L", 39.0), ("shunt", "C", 0.9)),
                     (("series", "C", 2.6), ("shunt", "L", 46.1))}


@pytest.mark.parametrize("kind", ["l", "pi"])
def test_networks_match_in_the_middle_of_the_band(kind):
    a = tw.Antenna()
    a.port(a.wire((0, 0, -4), (0, 0, 4), radius=1e-3, segments=21))  # short: capacitive
    r = a.solve(np.linspace(14e6, 14.35e6, 15))
    q = 12 if kind == "pi" else None
    ideal = r.match(kind, coil_q=1e9, capacitor_q=1e9, q=q)
    assert len(ideal) == (4 if kind == "l" else 2)
    for network in ideal:
        assert network.vswr[7] == pytest.approx(1, abs=2e-3)  # interpolated there
        assert network.loss_db.max() < 1e-4
        assert network.worst == network.vswr.max() and str(network).count("series") == 1
    assert [n.worst for n in ideal] == sorted(n.worst for n in ideal)
    # Losses by the parts' Q: power into the antenna over power into the network.
    lossy = r.match(kind, coil_q=50, q=q)[0]
    network = lossy.parts
    current, voltage = 1 + 0j, r.z[7, 0]
    for part in reversed(network):
        own = part.impedance(r.frequency[7])
        if part.place == "series":
            voltage = voltage + current * own
        else:
            current = current + voltage / own
    assert lossy.z[7] == pytest.approx(voltage / current)
    assert lossy.loss_db[7] == pytest.approx(
        10 * np.log10((voltage * np.conj(current)).real / r.z[7, 0].real))
    assert lossy.loss_db[7] > 0.1


def test_matching_what_needs_none_is_refused():
    a = tw.Antenna()
    a.port(a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21))
    r = a.solve([290e6, 310e6])
    for wrong in ({"kind": "t"}, {"coil_q": 0}, {"z0": -1}, {"kind": "pi", "q": 0.1}, {"kind": "l", "q": 3}):
        with pytest.raises(tw.UsageError, match="match|positive"):
            r.match(**wrong)


# On the command line.

DECK = "CE\nSY l=.24\nGW 1 21 0 0 -l 0 0 l 1e-3\nGE\nEX 0 1 11 0 1\nFR 0 1 0 0 300\nXQ\nEN\n"


@pytest.fixture
def command(tmp_path, program_path):
    (tmp_path / "d.nec").write_text(DECK)

    def run(words, **more):
        return subprocess.run([program_path, *words.split()], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "THINWIRE_PYTHON": sys.executable}, **more)

    return run


def rows_of(done):
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
    return lines[0], np.array(lines[1:], dtype=float)


def test_commands_print_what_the_methods_give(command):
    deck = tw.Deck(DECK)
    names, rows = rows_of(command("exposure d.nec --power 100 --height 0,0.5 --step 90"))
    x = deck.solve().exposure(100, heights=[0, 0.5], step=90)
    assert names == ["z_m", "phi_deg", "distance_m", "x_m", "y_m"]
    assert rows[:, 2] == pytest.approx(x.distance.ravel(), rel=1e-5)
    names, rows = rows_of(command("rcs d.nec --theta 0:90:4 --phi 0 --frequency 300,310"))
    assert rows.shape == (8, 6) and list(rows[:4, 1]) == [0, 30, 60, 90]
    assert rows[3, 3] == pytest.approx(deck.rcs(theta=[90], phi=[0]).total.item(), rel=1e-5)
    names, rows = rows_of(command("modes - --count 2 --set l=.23", input=DECK))
    assert rows[:, 2] == pytest.approx(deck.set(l=.23).modes(300e6, count=2).eigenvalues, rel=1e-5)
    matched = command("match d.nec --kind pi --z0 75")
    matched.stdout = matched.stdout[:matched.stdout.index("#", 1)]  # the best one
    names, rows = rows_of(matched)
    assert names == ["mhz", "r_ohm", "x_ohm", "vswr", "loss_db"]
    assert rows[0, 3] == pytest.approx(deck.solve().match("pi", z0=75)[0].vswr[0], rel=1e-5)
    names, rows = rows_of(command("temperature d.nec --sky 100 --ground 0"))
    assert rows[0, 1] == pytest.approx(50, rel=1e-3)


def test_commands_refuse_in_one_line(command):
    for words, code, text in (
            ("exposure d.nec", 2, "power"), ("exposure d.nec --power 0", 2, "power must be a positive"),
            ("exposure d.nec --power 1 --limits 3", 2, "--limits must be a word or E,H"),
            ("rcs", 2, "needs a deck"), ("rcs d.nec --theta 1:2", 2, "START:STOP:COUNT"),
            ("modes d.nec --count x", 2, "count"), ("modes no.nec", 5, "no.nec"),
            ("temperature d.nec --set q=1", 2, "q"), ("temperature d.nec --sky blue", 2, "--sky")):
        done = command(words)
        assert (done.returncode, done.stderr.count("\n")) == (code, 1), (words, done)
        assert done.stderr.startswith("thinwire: ") and text in done.stderr, (words, done.stderr)
