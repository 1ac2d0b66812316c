"""Files for planning programs and ParaView."""

import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import thinwire as tw

YAGI = """CE
GW 1 9 -0.16 -0.25 0 -0.16 0.25 0 0.002
GW 2 9 0 -0.24 0 0 0.24 0 0.002
GW 3 9 0.15 -0.215 0 0.15 0.215 0 0.002
GM 0 0 0 -30 20 0 0 0
GE 0
EX 0 2 5 0 1
FR 0 2 0 0 300 10
XQ
EN
"""
NEAR = YAGI.replace("0 2 0 0 300 10\nXQ", """0 1 0 0 300
NE 0 3 2 4 -1 -.5 .5 1 1 .25
NH 0 3 2 4 -1 -.5 .5 1 1 .25
NE 1 2 3 2 1 0 30 1 90 30""")


@pytest.fixture(scope="module")
def result():
    return tw.Deck(YAGI).solve()


@pytest.fixture(scope="module")
def near():
    return tw.Deck(NEAR).solve()


def planet(path):
    """Header, and the attenuations of both cuts by their angle."""
    lines = path.read_text().splitlines()
    header = dict(line.split(" ", 1) for line in lines[:lines.index("HORIZONTAL 360")])
    cuts = [np.array([line.split() for line in lines[at + 1:at + 361]], dtype=float)
            for at in (lines.index("HORIZONTAL 360"), lines.index("VERTICAL 360"))]
    assert len(lines) == len(header) + 722
    for cut in cuts:
        assert np.array_equal(cut[:, 0], np.arange(360))
    return header, cuts[0][:, 1], cuts[1][:, 1]


def voacap(path, blocks):
    """First nine columns of each block and its 91 gains, as VOACAP's format (9x,10f7.3) reads."""
    lines = path.read_text().splitlines()
    head = lines[:2 + int(lines[1].split()[0])]
    rows = lines[len(head):]
    assert len(rows) == 10 * blocks
    gains = [[float(row[9 + 7 * i:16 + 7 * i]) for row in rows[10 * b:10 * b + 10]
              for i in range(10) if row[9 + 7 * i:]] for b in range(blocks)]
    return head, [rows[10 * b][:9] for b in range(blocks)], np.array(gains)


def test_planet_cuts_go_through_the_main_lobe(result, tmp_path):
    result.save(tmp_path / "yagi.msi", frequency=310e6)
    header, horizontal, vertical = planet(tmp_path / "yagi.msi")
    gain, theta, phi = result.pattern(1, 1, index=1).peak
    assert theta < 90  # tilted upwards
    assert header["FREQUENCY"] == "310" and header["GAIN"] == f"{gain:.2f} dBi"
    assert f"azimuth 0 is phi = {phi:g};" in header["COMMENT"]
    assert horizontal[0] == 0 and vertical[int(theta - 90) % 360] == 0
    # A quarter turn clockwise, seen from above; 90 degrees down from the horizon.
    right = result.gain(theta, phi - 90)[1]
    assert horizontal[90] == pytest.approx(gain - right, abs=0.011)
    assert horizontal[270] == pytest.approx(gain - result.gain(theta, phi + 90)[1], abs=0.011)
    for angle, (t, p) in {90: (180, 0), 270: (0, 0), 180: (90, 180), 150: (120, 180),
                          200: (70, 180), 20: (110, 0), 340: (70, 0)}.items():
        expected = np.clip(gain - result.gain(t, phi + p)[1], 0, 99.9)
        assert vertical[angle] == pytest.approx(expected, abs=0.011), angle


def test_voacap_type_13_has_all_azimuths(result, tmp_path):
    result.save(tmp_path / "yagi.n13", index=0)
    head, names, gains = voacap(tmp_path / "yagi.n13", 360)
    assert [float(line.split()[0]) for line in head[2:]] == [0, 13, 0, 300]
    assert [int(name) for name in names] == list(range(360))
    _, _, phi = result.pattern(1, 1, index=0).peak
    for azimuth, elevation in ((0, 0), (0, 35), (90, 10), (123, 77), (270, 10), (10, 90)):
        expected = result.gain(90 - elevation, phi - azimuth)[0]
        assert gains[azimuth, elevation] == pytest.approx(expected, abs=1e-3)


def test_voacap_type_14_needs_its_frequencies(result, tmp_path):
    with pytest.raises(tw.UsageError, match="1, 2 .. 30 MHz"):
        result.save(tmp_path / "yagi.n14")
    a = tw.Antenna()
    a.ground("average")
    a.port(a.wire((0, -5, 10), (0, 5, 10), radius=1e-3, segments=11))
    r = a.solve(np.arange(1, 31) * 1e6)
    r.save(tmp_path / "dipole.n14")
    head, names, gains = voacap(tmp_path / "dipole.n14", 30)
    assert [float(line.split()[0]) for line in head[2:]] == [0, 14, 0]
    assert [int(name[:2]) for name in names] == list(range(1, 31))
    assert float(names[13][2:8]) == pytest.approx(10 * np.log10(r.efficiency[13]), abs=0.006)
    assert gains[13, 40] == pytest.approx(r.gain(50, r.pattern(1, 1, index=13).peak.phi)[13], abs=1e-3)
    assert gains[13, 0] == -99.999  # the horizon of real ground


def test_pattern_between_directions_of_a_file(result, tmp_path):
    tw.Deck(YAGI).solve(theta=5, phi=5).save(tmp_path / "coarse.h5")
    tw.open(tmp_path / "coarse.h5").save(tmp_path / "a.msi", index=1)
    result.save(tmp_path / "b.msi", index=1)
    coarse, fine = planet(tmp_path / "a.msi")[1], planet(tmp_path / "b.msi")[1]
    assert np.abs(coarse - fine)[np.abs(np.arange(-180, 180)) < 40].max() < 0.5
    result.save(tmp_path / "none.h5")
    with pytest.raises(tw.UsageError, match="--pattern 1"):
        tw.open(tmp_path / "none.h5").save(tmp_path / "a.msi", index=0)
    with pytest.raises(tw.UsageError, match="all frequencies"):
        result.save(tmp_path / "x.csv", index=0)


def arrays_of(path):
    root = ET.parse(path).getroot()
    return root, {array.get("Name"): np.array(array.text.split(), dtype=float)
                  .reshape(-1, int(array.get("NumberOfComponents")))
                  for array in root.iter("DataArray")}


def test_currents_for_paraview(result, tmp_path):
    result.save(tmp_path / "yagi.vtp", index=1)
    root, arrays = arrays_of(tmp_path / "yagi.vtp")
    assert root.get("type") == "PolyData" and root.find("PolyData/Piece").get("NumberOfLines") == "27"
    points = arrays["points_m"].reshape(-1, 2, 3)
    assert np.allclose(points[:, 0], result.segment_starts, rtol=1e-8, atol=1e-9)
    assert np.allclose(points[:, 1], result.segment_ends, rtol=1e-8, atol=1e-9)
    current = arrays["current_peak_a"] * np.exp(1j * np.deg2rad(arrays["current_phase_deg"]))
    assert np.allclose(current[:, 0], result.currents[1], rtol=1e-7)
    assert np.array_equal(arrays["tag"][:, 0], result.segment_tags)
    assert np.array_equal(arrays["connectivity"][:, 0], np.arange(54))
    assert np.array_equal(arrays["offsets"][:, 0], np.arange(2, 55, 2))


@pytest.mark.parametrize("suffix", ["vti", "vts"])
def test_near_fields_for_paraview(near, tmp_path, suffix):
    near.save(tmp_path / f"f.{suffix}", index=0)
    root, arrays = arrays_of(tmp_path / f"f.{suffix}")
    assert root[0].get("WholeExtent") == "0 2 0 1 0 3"
    if suffix == "vti":
        assert root[0].get("Origin") == "-1 -0.5 0.5" and root[0].get("Spacing") == "1 1 0.25"
    grid = np.array([[x, y, z] for z in (.5, .75, 1, 1.25) for y in (-.5, .5) for x in (-1, 0, 1)])
    if suffix == "vts":
        assert np.allclose(arrays["points_m"], grid)
    for name, magnetic in (("e_{}_v_per_m", False), ("h_{}_a_per_m", True)):
        field = near.near_field(grid, magnetic=magnetic, index=0)[0]
        stored = arrays[name.format("real")] + 1j * arrays[name.format("imag")]
        assert np.allclose(stored, field, rtol=1e-7)
        assert np.allclose(arrays[name.format("peak")][:, 0], np.linalg.norm(field, axis=1))


def test_a_spherical_grid_is_no_image(tmp_path):
    r = tw.Deck("\n".join(line for line in NEAR.splitlines() if line[:4] not in ("NE 0", "NH 0"))).solve()
    r.save(tmp_path / "f.vts", index=0)
    assert len(arrays_of(tmp_path / "f.vts")[1]["points_m"]) == 12
    with pytest.raises(tw.UsageError, match=r"\.vts"):
        r.save(tmp_path / "f.vti", index=0)
    with pytest.raises(tw.UsageError, match="NE or NH"):
        tw.Deck(YAGI).solve().save(tmp_path / "f.vti", index=0)


def test_vtk_reads_what_is_written(near, tmp_path):
    """With VTK itself, where `pip install vtk` was run."""
    xml = pytest.importorskip("vtkmodules.vtkIOXML", reason="no vtk: pip install vtk")
    readers = {"vtp": xml.vtkXMLPolyDataReader, "vti": xml.vtkXMLImageDataReader,
               "vts": xml.vtkXMLStructuredGridReader}
    for suffix, make in readers.items():
        near.save(tmp_path / f"x.{suffix}", index=0)
        reader = make()
        reader.SetFileName(str(tmp_path / f"x.{suffix}"))
        reader.Update()
        data = reader.GetOutput()
        assert not reader.GetErrorCode()
        if suffix == "vtp":
            assert data.GetNumberOfCells() == 27
            peak = data.GetCellData().GetArray("current_peak_a")
            assert peak.GetValue(13) == pytest.approx(abs(near.currents[0, 13]))
        else:
            assert data.GetNumberOfPoints() == 24 and data.GetPoint(4) == pytest.approx((0, .5, .5))
            field = data.GetPointData().GetArray("e_real_v_per_m").GetTuple(4)
            assert field == pytest.approx(
                near.near_field([0, .5, .5], index=0)[0].real, rel=1e-7)


def test_the_program_writes_the_same(result, tmp_path, program_path):
    (tmp_path / "yagi.nec").write_text(YAGI)

    def run(*words):
        return subprocess.run([program_path, *words], cwd=tmp_path, capture_output=True, text=True)

    assert run("solve", "yagi.nec", "--pattern", "1", "--quiet").returncode == 0
    (tmp_path / "near.nec").write_text(NEAR)
    assert run("solve", "near.nec", "--quiet").returncode == 0
    for suffix in ("msi", "n13", "vtp", "vti", "vts"):
        file = "near.h5" if suffix in ("vti", "vts") else "yagi.h5"
        done = run("convert", file, f"yagi.{suffix}", "--frequency", "300")
        assert done.returncode == 0, done.stderr
        assert ("it holds 300 MHz" in done.stderr) == (file == "yagi.h5")
        assert ("1 near field with other points" in done.stderr) == (file == "near.h5")
        tw.open(tmp_path / file).save(tmp_path / f"python.{suffix}", index=0)
        mine, theirs = [(tmp_path / f"{name}.{suffix}").read_text().splitlines()
                        for name in ("yagi", "python")]
        assert mine == theirs
        assert run("convert", file, f"yagi.{suffix}").returncode == 0  # its own again
    assert "it holds 310 MHz" in run("convert", "yagi.h5", "yagi.msi").stderr
    for words, code, text in (
            (("yagi.h5", "a.n14"), 2, "1:30:30"), (("yagi.nec", "a.msi"), 5, "thinwire solve"),
            (("yagi.h5", "a.msi", "--set", "a=1"), 2, "--set is not for results"),
            (("yagi.nec", "a.nec", "--frequency", "1"), 2, "--frequency is not for decks"),
            (("yagi.h5", "yagi.nec"), 5, "--force")):
        done = run("convert", *words)
        assert done.returncode == code and text in done.stderr, (words, done)
