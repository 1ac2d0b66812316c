"""Every error says where, what and why, and is of the right class."""

import inspect
import os
import subprocess
import sys

import pytest

import thinwire as tw


def test_a_deck_names_file_and_line(tmp_path):
    file = tmp_path / "bad.nec"
    file.write_text("CE\nGW 1 9 0 0 0 0 0 1 -0.001\nGE\nEX 0 1 5 0 1\nEN\n")
    with pytest.raises(tw.GeometryError, match="radius") as error:
        tw.read_deck(file)
    assert (error.value.file, error.value.line, error.value.kind) == ("bad.nec", 2, "geometry")
    file.write_text("CE\nGW 1 9 0 0 0 0 0 x 0.001\nGE\nEN\n")
    with pytest.raises(tw.DeckError) as error:
        tw.read_deck(file)
    assert error.value.line == 2
    assert isinstance(error.value, ValueError)


def test_a_missing_file():
    with pytest.raises(tw.FileError, match="no.nec: cannot be opened"):
        tw.read_deck("no.nec")
    with pytest.raises(tw.FileError, match="no.h5"):
        tw.open("no.h5")


def test_files_without_a_result_are_refused_in_words_of_python(tmp_path):
    h5py = pytest.importorskip("h5py")
    for name, text in (("deck.nec", "CE\n"), ("short.h5", "\x89HDF"), ("empty.h5", "")):
        (tmp_path / name).write_text(text, encoding="latin-1")
    os.mkfifo(tmp_path / "fifo")
    for name, content in (("study.h5", "converge"), ("other.h5", "bench")):
        with h5py.File(tmp_path / name, "w") as file:
            file.attrs["format"], file.attrs["content"] = "thinwire", content
    paths = ["", tmp_path, *(tmp_path / name for name in (
        "missing.h5", "deck.nec", "short.h5", "empty.h5", "fifo", "study.h5", "other.h5"))]
    for path in paths:
        with pytest.raises(tw.FileError) as error:
            tw.open(path)
        assert "thinwire solve" not in str(error.value), path
    with pytest.raises(tw.FileError, match=r"tw\.read_deck\('.*deck.nec'\)\.solve\(\)\.save\("):
        tw.open(tmp_path / "deck.nec")


def test_an_antenna_names_the_line_of_python():
    antenna = tw.Antenna()
    wire = antenna.wire((0, 0, 0), (0, 0, 1), radius=1e-3, segments=11)
    antenna.port(wire)
    line = inspect.currentframe().f_lineno + 1
    antenna.wire((0, 1e-5, 0), (0, 1e-5, 1), radius=1e-3, segments=11)
    with pytest.raises(tw.Error, match="same piece of wire") as error:
        antenna.solve(100e6)
    assert error.value.file == __file__
    assert error.value.line == line
    assert "antenna:" not in str(error.value)


def test_warnings_name_the_line_of_python():
    antenna = tw.Antenna()
    antenna.port(antenna.wire((0, 0, 0), (0, 0, 1), radius=1e-3, segments=3))
    result = antenna.solve(100e6)
    assert result.warnings and not any("antenna:" in text for text in result.warnings)


@pytest.mark.parametrize("call, text", [
    (lambda a, w: a.wire((0, 0), (0, 0, 1), radius=1e-3, segments=3), "three numbers"),
    (lambda a, w: a.wire((0, 0, 0), (0, 0, 1), radius=0, segments=3), "radius must be positive"),
    (lambda a, w: a.wire((0, 0, 0), (0, 0, 1), radius=1, segments=0), "at least one segment"),
    (lambda a, w: a.wire((0, 0, 0), (0, 0, 1), radius=1, segments=-5), "at least one segment"),
    (lambda a, w: a.wire((0, 0, 0), (0, 0, float("nan")), radius=1, segments=3), "three numbers"),
    (lambda a, w: a.wire((0, 0, 0), (0, 0, 1), radius=(1, 0), segments=3), "radius must be pos"),
    (lambda a, w: a.arc(1, radius=1e-3, segments=2.5), "whole number"),
    (lambda a, w: a.port("w"), "wire or a segment"),
    (lambda a, w: a.ground("wet"), "one of perfect"),
    (lambda a, w: a.ground("perfect", permittivity=5), "no permittivity"),
    (lambda a, w: a.line(w[0], w[1], z0=-50), "z0 must be positive"),
    (lambda a, w: a.load(w, resistance=5, impedance=3), "contradicts"),
    (lambda a, w: a.solve(), "no frequencies"),
    (lambda a, w: a.solve(-1), "positive numbers of hertz"),
    (lambda a, w: a.solve([]), "one or more"),
    (lambda a, w: a.solve("x"), "number of hertz"),
    (lambda a, w: a.solve(3e8, solver="lu"), "solver must be one of auto, direct"),
    (lambda a, w: a.solve(3e8, solvr="lu"), "no option solvr"),
    (lambda a, w: a.solve(3e8, solver="direct", precond="block"), "contradicts"),
    (lambda a, w: a.solve(3e8, device="cpu", placement="graph"), "contradicts"),
    (lambda a, w: a.solve(3e8, placement="graph"), "on the CPU"),
    (lambda a, w: a.solve(3e8, operator="dense", operator_tolerance=1e-3), "no error to bound"),
    (lambda a, w: a.solve(3e8, tolerance=2), "tolerance must lie between"),
    (lambda a, w: a.solve(3e8, refine=3), "refinement must be"),
    (lambda a, w: a.solve(3e8, threads=-1), "threads must be"),
    (lambda a, w: a.solve(3e8, max_iterations=-1, solver="cocg"), "must not be negative"),
    (lambda a, w: a.solve(3e8, z0=0), "z0 must be"),
    (lambda a, w: a.solve(3e8, theta=7), "must divide"),
    (lambda a, w: a.solve(3e8, theta=[0, 1, 5]), "equally spaced"),
    (lambda a, w: a.solve(3e8).near_field([1, 2]), "points must be"),
    (lambda a, w: a.sweep(3e8, h=[1, 2]), "no symbols"),
    (lambda a, w: a.sweep(3e8), "one symbol at least"),
])
def test_what_is_refused(dipole, call, text):
    antenna, _ = dipole
    with pytest.raises(tw.Error, match=text) as error:
        call(antenna, antenna.wires[0])
    assert isinstance(error.value, ValueError)
    assert "\n" not in str(error.value)


def test_an_antenna_without_wires_or_ports():
    with pytest.raises(tw.UsageError, match="no wires"):
        tw.Antenna().solve(1e8)
    antenna = tw.Antenna()
    antenna.wire((0, 0, 0), (0, 0, 1), radius=1e-3, segments=11)
    with pytest.raises(tw.UsageError, match="not fed"):
        antenna.solve(1e8)


def test_a_missing_gpu_is_an_error(dipole):
    try:
        dipole[0].solve(300e6, device="cuda:99")
    except tw.DeviceError as error:
        assert error.kind == "device"
    else:
        pytest.fail("cuda:99 was there")


@pytest.mark.parametrize("module, call", [
    ("matplotlib", "r.plot_z()"), ("xarray", "r.dataset"), ("skrf", "r.s.to_network()"),
    ("scipy", "r.operator"), ("matplotlib", "r.pattern().plot_polar()")])
def test_a_missing_package_is_one_line_with_the_pip_command(module, call):
    code = f"""
import sys
sys.modules[{module!r}] = None
import thinwire as tw
a = tw.Antenna()
a.port(a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21))
r = a.solve(300e6)
try:
    {call}
except tw.MissingPackage as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert out.count("\n") == 1 and "pip install" in out
