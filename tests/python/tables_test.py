"""Results as files by their suffix, tables of pandas, networks of scikit-rf, and in notebooks."""

import os
import subprocess

import numpy as np
import pytest

import thinwire as tw

DECK = ("CE\nSY h=0.25\nGW 1 11 0 0 -h 0 0 h .001\nGE\nEX 0 1 6 0 1\nFR 0 3 0 0 290 10\n"
        "RP 0 7 5 1000 0 0 30 90\nEN\n")


@pytest.fixture
def saved(tmp_path):
    result = tw.Deck(DECK, name="d.nec").solve()
    result.save(tmp_path / "d.h5")
    return result, tw.open(tmp_path / "d.h5")


def test_files_are_those_of_the_program(tmp_path, program_path):
    (tmp_path / "d.nec").write_text(DECK)
    subprocess.run([program_path, "solve", "d.nec", "--csv", "p.csv", "--touchstone", "p.s1p", "-o", "none"],
                   cwd=tmp_path, check=True, capture_output=True)
    result = tw.read_deck(tmp_path / "d.nec").solve()
    for suffix in ("csv", "s1p"):
        result.save(tmp_path / f"r.{suffix}")
        assert (tmp_path / f"r.{suffix}").read_text() == (tmp_path / f"p.{suffix}").read_text(), suffix


def test_names_for_other_ports_and_forms_are_refused(saved, tmp_path):
    result, opened = saved
    with pytest.raises(tw.UsageError, match=r"x\.s2p is for 2 ports, and the antenna has 1"):
        result.save(tmp_path / "x.s2p")
    with pytest.raises(tw.FileError, match="saved as .h5, .nc, .csv, .s1p"):
        result.save(tmp_path / "x.txt")
    with pytest.raises(tw.FileError, match="cannot"):
        result.save(tmp_path / "none" / "x.csv")
    with pytest.raises(tw.UsageError, match=r"is a result file itself. Use to_network\(\)"):
        opened.save(tmp_path / "x.s1p")
    with pytest.raises(tw.UsageError, match=r"is a result file itself. Use to_dataframe\(\)"):
        opened.save(tmp_path / "x.csv")


def test_two_ports_need_their_matrix(tmp_path):
    a = tw.Antenna()
    for x in (0, 0.3):
        a.port(a.wire((x, 0, -0.24), (x, 0, 0.24), radius=1e-3, segments=11))
    with pytest.raises(tw.UsageError, match="port_matrix=True"):
        a.solve(300e6).save(tmp_path / "x.s2p")
    a.solve(300e6, port_matrix=True).save(tmp_path / "x.s2p")
    assert "# HZ S RI R 50" in (tmp_path / "x.s2p").read_text()


def test_a_network_of_scikit_rf(saved, tmp_path):
    skrf = pytest.importorskip("skrf")
    result, opened = saved
    result.save(tmp_path / "x.s1p")
    for network in (result.to_network(), opened.to_network(), skrf.Network(str(tmp_path / "x.s1p"))):
        assert np.array_equal(network.f, result.frequency)
        assert network.s == pytest.approx(np.asarray(result.s), rel=1e-8)


def test_a_data_frame_has_a_row_for_each_frequency_and_port(saved):
    pytest.importorskip("pandas")
    for result in saved:
        frame = result.to_dataframe()
        assert list(frame) == ["frequency", "run", "gain_max", "efficiency", "port", "r", "x", "vswr"]
        assert np.array_equal(frame.frequency, result.frequency)
        assert np.array_equal(frame.r + 1j * frame.x, result.z[:, 0])
        assert np.array_equal(frame.gain_max, result.patterns[0].gain.max(axis=(1, 2)))
        assert set(frame.port) == {"1/6"}
    a = tw.Antenna()
    for x in (0, 0.3):
        a.port(a.wire((x, 0, -0.24), (x, 0, 0.24), radius=1e-3, segments=11))
    r = a.solve([290e6, 300e6])
    frame = r.to_dataframe()
    assert list(frame.port) == ["1/6", "2/6"] * 2
    assert np.array_equal(frame.r, r.z.real.ravel()) and list(frame.frequency) == [290e6] * 2 + [300e6] * 2


@pytest.mark.filterwarnings("ignore::thinwire.ModelWarning")
def test_a_data_frame_of_waves_has_their_directions():
    pytest.importorskip("pandas")
    a = tw.Antenna()
    a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=11)
    a.plane_wave(60, 20)
    frame = a.solve(300e6).to_dataframe()
    assert len(frame) == 1 and frame.wave_theta[0] == 60 and frame.wave_phi[0] == 20


def test_a_data_frame_of_a_sweep_has_the_symbols(tmp_path):
    pytest.importorskip("pandas")
    sweep = tw.Deck(DECK).sweep(h=[0.23, 0.25])
    frame = sweep.to_dataframe()
    assert list(frame)[:2] == ["h", "frequency"] and len(frame) == 6
    chosen = frame[(frame.h == 0.25) & (frame.frequency == 300e6)]
    assert chosen.r.item() == sweep.z[1, 1, 0].real
    program = os.environ.get("THINWIRE")
    if program:
        (tmp_path / "d.nec").write_text(DECK)
        subprocess.run([program, "sweep", "d.nec", "--vary", "h=.23,.25", "--quiet"], cwd=tmp_path,
                       check=True, capture_output=True)
        again = tw.open(tmp_path / "d-sweep.h5").to_dataframe()
        assert np.allclose(again.r, frame.r) and list(again.h) == list(frame.h)


def test_notebooks_show_tables():
    a = tw.Antenna()
    w = a.wire((0, 0, -0.24), (0, 0, 0.24), radius=1e-3, segments=21)
    a.port(w)
    a.ground("average")
    r = tw.Deck(DECK, name="<d>.nec").solve()
    for shown, part in ((a, "<td>0.48</td>"), (r, "<td>1/6</td>"), (r.patterns[0], "dBi</td>"),
                        (tw.Deck(DECK).sweep(h=[0.23, 0.25]), "<td>0.23</td>")):
        page = shown._repr_html_()
        assert part in page and "<table>" in page and page.count("<table>") == page.count("</table>")
        assert "<Antenna" not in page and "<Result" not in page  # repr() is escaped
    many = tw.Deck(DECK).sweep(h=np.linspace(0.2, 0.25, 40))._repr_html_()
    assert many.count("<tr>") == 22 and "…" in many


# Arrays by their paths.

def test_a_result_in_memory_and_its_file_answer_alike(saved, tmp_path):
    result, opened = saved
    import h5py
    paths = []
    with h5py.File(tmp_path / "d.h5") as file:
        file.visititems(lambda name, thing: paths.append((name, isinstance(thing, h5py.Dataset))))
    for name, is_dataset in paths:
        for spelling in ("/" + name, name, f"/{name}/", name.replace("/", "//")):
            if not is_dataset or name == "input/options":
                for each in saved:
                    with pytest.raises(tw.UsageError, match="the result has no"):
                        each.array(spelling)
                continue
            values = opened.array(spelling)
            mine = result.array(spelling)
            assert type(mine) is type(values), spelling
            assert np.shape(mine) == np.shape(values), spelling
            if name.startswith("timing/"):
                continue  # those of the file count the writing
            assert np.array_equal(mine, values, equal_nan=np.asarray(values).dtype.kind in "fc"), spelling


@pytest.mark.filterwarnings("ignore::thinwire.ModelWarning")
def test_warnings_are_an_array(dipole, tmp_path):
    a, _ = dipole
    a.wire((5, 0, -0.24), (5, 0, 0.24), radius=1e-3, segments=1)
    r = a.solve(900e6)
    assert r.array("/warnings") == list(r._source.warnings) and r.array("/warnings")
    r.save(tmp_path / "w.h5")
    assert tw.open(tmp_path / "w.h5").array("warnings") == r.array("warnings")


def test_a_file_of_a_newer_format_is_refused(saved, tmp_path):
    import h5py
    with h5py.File(tmp_path / "d.h5") as old, h5py.File(tmp_path / "new.h5", "w") as new:
        for name, value in old.attrs.items():
            new.attrs[name] = value
        new.attrs["format_version"] = old.attrs["format_version"] + 1
        for name in old:
            old.copy(old[name], new, name=name)
    with pytest.raises(tw.FileError, match="has format version 3, this program reads up to 2") as error:
        tw.open(tmp_path / "new.h5")
    assert "\n" not in str(error.value)
