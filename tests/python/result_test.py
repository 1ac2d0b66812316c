"""What follows from a solution: fields, datasets, files, operators, sweeps."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import thinwire as tw


def test_readme_example(dipole):
    antenna, feed = dipole
    r = antenna.solve(np.linspace(290e6, 310e6, 41))
    assert r.z[:, feed].shape == (41,)
    assert r.vswr(50).shape == (41, 1)
    assert "41 frequencies" in repr(r) and "<table>" in r._repr_html_()


def test_vswr_and_s_follow_from_z(dipole):
    antenna, feed = dipole
    r = antenna.solve([290e6, 310e6])
    gamma = (r.z[:, feed] - 75) / (r.z[:, feed] + 75)
    assert np.allclose(r.vswr(75)[:, feed], (1 + abs(gamma)) / (1 - abs(gamma)))
    assert np.allclose(antenna.solve([290e6, 310e6], z0=75).s[:, 0, 0], gamma)
    assert r.s.shape == (2, 1, 1) and np.asarray(r.s).shape == (2, 1, 1)


def two_ports():
    a = tw.Antenna()
    a.port(a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21))
    a.port(a.wire((0.3, 0, -0.2), (0.3, 0, 0.2), radius=1e-3, segments=21))
    return a


def test_s_parameters_of_two_ports():
    a = two_ports()
    with pytest.raises(tw.UsageError, match="port_matrix=True"):
        _ = a.solve(300e6).s
    s = a.solve([300e6, 310e6], port_matrix=True).s
    assert s.shape == (2, 2, 2)
    assert np.allclose(s[:, 0, 1], s[:, 1, 0], rtol=1e-9)  # reciprocal
    assert np.all(np.linalg.norm(s.values, axis=(1, 2), ord=2) < 1)  # passive
    skrf = pytest.importorskip("skrf")
    network = s.to_network()
    assert isinstance(network, skrf.Network) and np.array_equal(network.f, [300e6, 310e6])
    assert np.allclose(network.s, s.values)


def test_pattern_asked_for_later_is_that_of_the_solve(dipole):
    antenna, _ = dipole
    r = antenna.solve([290e6, 300e6], theta=10, phi=30)
    stored, later = r.patterns[0], r.pattern(theta=10, phi=30)
    assert stored.gain.shape == (2, 19, 13)
    for name in ("theta", "phi", "e_theta", "e_phi", "gain", "average_gain"):
        assert np.array_equal(getattr(stored, name), getattr(later, name)), name
    assert r.pattern(frequency=301e6).frequency == [300e6]


def test_gain_of_a_half_wave_dipole(dipole):
    p = dipole[0].solve(300e6).pattern(theta=1, phi=5)
    gain, theta, _ = p.peak
    assert gain == pytest.approx(2.13, abs=0.03) and theta == 90  # 2.15 dBi of a thin one
    assert p.average_gain[0] == pytest.approx(1, abs=2e-3)
    assert dipole[0].solve(300e6).gain(90, 17)[0] == pytest.approx(gain)


def test_over_ground_there_is_an_upper_half_only():
    a = tw.Antenna()
    a.ground("perfect")
    a.port(a.wire((0, 0, 0), (0, 0, 0.24), radius=1e-3, segments=21)[0])
    r = a.solve(300e6)
    p = r.pattern()
    assert p.theta[-1] == 90
    assert p.peak.gain == pytest.approx(5.16, abs=0.1)  # a dipole's and 3 dB


def test_cuts_of_a_pattern():
    r = two_ports().solve(300e6)
    p = r.pattern(theta=5, phi=5)
    angles, gain = p.cut("elevation")
    assert angles.min() == -90 and angles.max() == 270 and np.all(np.diff(angles) >= 0)
    assert gain.max() == p.peak.gain
    angles, gain = p.cut("azimuth")
    assert len(angles) == 73 and gain.max() == p.peak.gain


def test_near_field_far_away_is_the_far_field(dipole):
    antenna, _ = dipole
    r = antenna.solve(300e6)
    distance = 500.0
    field = r.near_field([[distance, 0, 0]])
    assert field.shape == (1, 1, 3)
    far = r.pattern([90], [0]).e_theta[0, 0, 0] / distance
    assert abs(field[0, 0, 2]) == pytest.approx(abs(far), rel=1e-4)
    magnetic = r.near_field([distance, 0, 0], magnetic=True)
    assert magnetic.shape == (1, 3)
    assert abs(field[0, 0, 2] / magnetic[0, 1]) == pytest.approx(376.73, rel=1e-4)


def test_near_field_is_that_of_the_deck(program, examples):
    cards = "CE\nGW 1 21 0 0 -0.24 0 0 0.24 0.001\nGE 0\nEX 0 1 11 0 1\n"
    a = tw.Deck(cards + "EN\n")
    points = np.array([[0.1, 0, 0], [0.2, 0, 0.05], [0.1, 0.3, -0.2]])
    field = a.solve([300e6]).near_field(points)
    for i, (x, y, z) in enumerate(points):
        deck = tw.Deck(f"{cards}FR 0 1 0 0 300\nNE 0 1 1 1 {x} {y} {z} 0 0 0\nEN\n")
        assert np.array_equal(deck.solve().near_field([x, y, z])[0], field[0, i])


def test_near_field_in_a_ground_of_coefficients_is_refused():
    a = tw.Antenna()
    a.ground("coefficients", permittivity=13, conductivity=5e-3)
    a.port(a.wire((0, 0, 1), (0, 0, 1.5), radius=1e-3, segments=21))
    with pytest.raises(tw.UsageError, match="in the ground"):
        a.solve(300e6).near_field([0, 0, -1])


def test_powers_balance(dipole):
    antenna, _ = dipole
    antenna.conductivity(1e5)
    r = antenna.solve(300e6)
    assert r.input_power[0] == pytest.approx(r.radiated_power[0] + r.loss_power[0], rel=1e-3)
    assert r.efficiency[0] == pytest.approx(r.radiated_power[0] / r.input_power[0])
    assert 0.5 < r.efficiency[0] < 0.99


def test_dataset(dipole):
    xarray = pytest.importorskip("xarray")
    r = dipole[0].solve([290e6, 300e6], theta=10, phi=30)
    d = r.dataset
    assert isinstance(d, xarray.Dataset)
    assert dict(d.sizes) == {"frequency": 2, "port": 1, "segment": 21, "xyz": 3, "theta": 19,
                             "phi": 13}
    assert d.impedance.dtype == complex and d.impedance.attrs["units"] == "ohm"
    assert all("units" in d[name].attrs for name in d.data_vars)
    assert d.impedance.sel(frequency=300e6, port="1/11").item() == r.z[1, 0]
    assert np.array_equal(d.gain, r.patterns[0].gain)
    assert np.array_equal(r.pattern(10, 30).dataset.gain, d.gain)


def test_dataset_of_several_runs_and_patterns(examples):
    pytest.importorskip("xarray")
    d = tw.read_deck(examples / "yagi" / "yagi.nec").solve().dataset
    assert {"gain_0", "gain_1", "gain_2", "gain_3"} <= set(d.data_vars)
    assert d.gain_0.shape[0] == d.sizes["frequency"]
    assert np.isnan(d.gain_1[0]).all() and not np.isnan(d.gain_1[-1]).any()


def test_model_error_of_a_fast_sweep(dipole, tmp_path):
    antenna, _ = dipole
    r = antenna.solve(np.linspace(280e6, 320e6, 101), sweep="fast")
    modelled = np.isfinite(r.model_error)
    assert modelled.any() and not modelled.all()
    assert r.model_error[modelled].max() < 1e-4
    assert np.isnan(r.array("/solver/relative_residual")[modelled]).all()
    for report, point, error in zip(r.solver, json.loads(r._source.json())["frequencies"],
                                    r.model_error, strict=True):
        assert np.array_equal([report["model_error"], point["solver"].get("model_error", np.nan)],
                              [error, error], equal_nan=True)
    r.save(tmp_path / "fast.h5")
    assert np.array_equal(tw.open(tmp_path / "fast.h5").model_error, r.model_error, equal_nan=True)


def test_saved_and_opened_again(dipole, tmp_path):
    antenna, feed = dipole
    r = antenna.solve([290e6, 300e6], theta=10, phi=30, save_matrix=True, z0=75)
    r.save(tmp_path / "dipole.h5")
    again = tw.open(tmp_path / "dipole.h5")
    for name in ("frequency", "z", "voltages", "port_currents", "powers", "currents", "charges",
                 "input_power", "radiated_power", "loss_power", "efficiency", "segment_starts",
                 "segment_ends", "segment_tags"):
        assert np.array_equal(getattr(again, name), getattr(r, name), equal_nan=True), name
    for name in ("ports", "z0", "unknowns", "device", "warnings", "solver"):
        assert getattr(again, name) == getattr(r, name), name
    assert np.array_equal(again.patterns[0].gain, r.patterns[0].gain)
    assert np.array_equal(again.s.values, r.s.values)
    assert set(again.timings) >= set(r.timings)
    with pytest.raises(tw.UsageError, match="Solve again"):
        again.pattern()
    fresh = again.model.solve(again.frequency)  # its deck says the same
    assert np.allclose(fresh.z, r.z, rtol=1e-12)


def test_a_file_that_changes_while_it_is_open_is_noticed(dipole, tmp_path):
    """HDF5 shares its state among all that have a file open, and reads zeros where it was cut."""
    antenna, _ = dipole
    r, other = antenna.solve([290e6, 300e6]), antenna.solve([250e6, 310e6], mesh="as-given")
    r.save(path := tmp_path / "a.h5")
    other.save(tmp_path / "b.h5")
    whole, replaced = path.read_bytes(), (tmp_path / "b.h5").read_bytes()
    for changed in (whole[:len(whole) // 2], whole[:-40], replaced):
        path.write_bytes(whole)
        earlier = tw.open(path)
        assert np.array_equal(earlier.z, r.z)
        path.write_bytes(changed)
        if changed == replaced:
            assert np.array_equal(tw.open(path).z, other.z)
        else:
            with pytest.raises(tw.FileError, match="a.h5"):
                tw.open(path)
        with pytest.raises(tw.FileError, match="changed while it was open: open it again"):
            earlier.charges  # noqa: B018


def test_the_programs_files_are_opened(examples, tmp_path):
    deck = tw.read_deck(examples / "yagi" / "yagi.nec")
    r = deck.solve()
    r.save(tmp_path / "yagi.h5")
    again = tw.open(str(tmp_path / "yagi.h5"))
    assert len(again.patterns) == len(r.patterns)
    assert np.array_equal(again.patterns[0].frequency, r.patterns[0].frequency)
    assert "Yagi" in again.model.text


def test_saved_for_xarray(dipole, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    r = dipole[0].solve([290e6, 300e6], theta=30, phi=30)
    r.save(tmp_path / "dipole.nc")
    with xarray.open_dataset(tmp_path / "dipole.nc", engine="h5netcdf") as d:
        assert np.array_equal(d.impedance, r.z)
        assert d.current.attrs["units"] == "A"


def test_other_files_are_refused(dipole, tmp_path):
    r = dipole[0].solve(300e6)
    with pytest.raises(tw.FileError, match="saved as"):
        r.save(tmp_path / "dipole.txt")
    with pytest.raises(tw.FileError):
        r.save(tmp_path / "no" / "dipole.h5")
    (tmp_path / "text.h5").write_text("no result")
    with pytest.raises(tw.FileError):
        tw.open(tmp_path / "text.h5")


def test_operator(dipole):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    antenna, _ = dipole
    antenna.load(antenna.wires[0][3], impedance=10 - 30j)
    op = antenna.operator(300e6)
    n = op.shape[0]
    x = np.arange(n) + 1j * np.arange(n)[::-1]
    assert np.allclose(op @ x, op.matrix @ x)
    assert np.allclose(op.H @ x, op.matrix.conj().T @ x) and np.allclose(op.T @ x, op @ x)
    assert np.allclose(op @ op.solution, op.excitation, atol=1e-9)
    current, failed = linalg.gmres(op, op.excitation, rtol=1e-10, maxiter=50, restart=n)
    assert failed == 0
    assert np.allclose(current, op.solution, rtol=0, atol=1e-8 * abs(op.solution).max())
    assert np.array_equal(antenna.solve([290e6, 300e6]).operator.matrix, op.matrix)


def test_operator_with_networks_gaps_and_waves(dipole):
    pytest.importorskip("scipy")
    wave = tw.Antenna()
    wave.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21)
    wave.plane_wave(60, 0)
    network = two_ports()
    network.line(network.wires[0][3], network.wires[1], z0=50)
    gap = tw.Antenna()
    gap.port(gap.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21), gap=True)
    current = tw.Antenna()
    current.port(current.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21), current=2)
    for a in (wave, network, gap, current):
        op = a.operator(300e6)
        assert np.abs(op.excitation).max() > 0
        assert np.allclose(op @ op.solution, op.excitation, atol=1e-9 * abs(op.excitation).max())


SWEPT = """CE
SY h=0.24, d=0.2
GW 1 11 0 0 -h 0 0 h 0.001
GW 2 11 d 0 -0.2 d 0 0.2 0.001
GE 0
EX 0 1 6 0 1
FR 0 2 0 0 300 10
EN
"""


def test_sweep_of_a_deck():
    deck = tw.Deck(SWEPT)
    s = deck.sweep(h=[0.23, 0.25], d=[0.1, 0.2, 0.3])
    assert s.z.shape == (2, 3, 2, 1) and s.vswr(50).shape == (2, 3, 2, 1)
    assert np.array_equal(s.z[1, 2], deck.set(h=0.25, d=0.3).solve().z)
    assert np.array_equal(s[0, 1].z, deck.set(h=0.23).solve().z)
    pytest.importorskip("xarray")
    d = s.dataset
    assert d.impedance.dims[:2] == ("h", "d")
    assert d.impedance.sel(h=0.25, d=0.3).values == pytest.approx(s.z[1, 2])


def test_sweep_of_a_function():
    @tw.Design
    def dipole(h=0.24, radius=1e-3):
        a = tw.Antenna()
        a.port(a.wire((0, 0, -h), (0, 0, h), radius=radius, segments=21))
        return a

    s = dipole.sweep(300e6, h=[0.23, 0.25])
    assert s.z.shape == (2, 1, 1)
    assert s.z[1, 0, 0] == dipole.set(h=0.25).solve(300e6).z[0, 0]
    assert "h=0.24" in repr(dipole) and "GW 1 21" in dipole.to_nec()
    with pytest.raises(tw.UsageError, match="no symbol x"):
        dipole.set(x=1)


def test_symbols_that_a_deck_does_not_have():
    with pytest.raises(tw.UsageError, match="x"):
        tw.Deck(SWEPT).set(x=1)


def test_fields_are_computed_fast(dipole):
    """41 frequencies times 65,341 directions."""
    import time
    r = dipole[0].solve(np.linspace(290e6, 310e6, 41))
    start = time.process_time()
    assert r.pattern(theta=1, phi=1).gain.shape == (41, 181, 361)
    assert time.process_time() - start < 20


def test_a_result_is_named_in_english(dipole):
    antenna, _ = dipole
    result = antenna.solve(300e6)
    assert repr(result).startswith("<Result: 1 frequency, 300 MHz, 1 port, ")
    assert repr(antenna.solve([290e6, 300e6])).startswith("<Result: 2 frequencies, ")
    assert repr(result.pattern(5, 5)).startswith("<Pattern: 1 frequency, ")


def test_what_is_counted_has_a_singular(dipole):
    antenna, _ = dipole
    texts = [repr(antenna), repr(antenna.solve(300e6))]
    assert not [text for text in texts if re.search(r"\b1 [a-z]+s\b", text)], texts


def test_counted_nouns_are_written_by_one_function():
    package = Path(tw.__file__).parent
    plural = re.compile(r"\{[^{}]*(?:len|size)\b[^{}]*\} "
                        r"(?:segment|wire|port|frequenc|variant)(?:s|ies)\b")
    found = [f"{path.name}: {line.strip()}" for path in package.rglob("*.py")
             for line in path.read_text().splitlines() if plural.search(line)]
    assert not found
