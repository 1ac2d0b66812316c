"""Pictures are drawn, with what they should show. THINWIRE_PICTURES names a folder to keep
them in."""

import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader

import numpy as np
import pytest

import thinwire as tw
from conftest import SOURCE

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from figure_texts import collisions  # noqa: E402: needs matplotlib


@pytest.fixture(scope="module")
def yagi():
    examples = os.path.join(os.environ.get("THINWIRE_SOURCE", "."), "examples")
    return tw.read_deck(os.path.join(examples, "yagi", "yagi.nec")).solve(
        np.linspace(142e6, 148e6, 25))


@pytest.fixture
def keep(request, tmp_path):
    def save(axes):
        folder = os.environ.get("THINWIRE_PICTURES", tmp_path)
        name = request.node.name.replace("[", "-").replace("]", "")
        file = os.path.join(folder, f"{name}.png")
        axes.figure.savefig(file, dpi=80)
        assert os.path.getsize(file) > 5000
        assert collisions(axes.figure) == []
        matplotlib.pyplot.close(axes.figure)

    return save


def test_plot_z(yagi, keep):
    axes = yagi.plot_z()
    assert np.array_equal(axes.lines[0].get_ydata(), yagi.z[:, 0].real)
    keep(axes)


def test_plot_vswr(yagi, keep):
    axes = yagi.plot_vswr(50)
    assert np.array_equal(axes.lines[0].get_ydata(), yagi.vswr(50)[:, 0])
    keep(axes)


def test_plot_smith(yagi, keep):
    axes = yagi.plot_smith()
    curve = axes.lines[-1]
    assert np.array_equal(curve.get_xdata() + 1j * curve.get_ydata(), yagi.reflection()[:, 0])
    keep(axes)


@pytest.mark.parametrize("scale, ring", [("arrl", 0.89 ** 1.5), ("linear", 10 ** -0.15),
                                         ("db", 1 - 3 / 40)])
def test_plot_polar(yagi, keep, scale, ring):
    axes = yagi.pattern(theta=5, phi=2).plot_polar(scale)
    assert max(axes.lines[0].get_ydata()) == pytest.approx(1)
    assert sorted(axes.get_yticks())[-2] == pytest.approx(ring)  # 3 dB down
    keep(axes)


def test_plot_polar_elevation(yagi, keep):
    keep(yagi.pattern(theta=2, phi=5).plot_polar(cut="elevation", frequency=144e6))


def test_plot_3d(yagi, keep):
    axes = yagi.plot_3d()
    assert axes.collections[0].get_array().max() == pytest.approx(
        1e3 * abs(yagi.currents[12]).max())
    keep(axes)


def test_plot_pattern_3d(yagi, keep):
    keep(yagi.pattern(theta=3, phi=3, frequency=145e6).plot_3d())


def test_plots_into_given_axes(yagi):
    figure, axes = matplotlib.pyplot.subplots()
    assert yagi.plot_z(axes) is axes
    matplotlib.pyplot.close(figure)


def test_unknown_scales_are_refused(yagi):
    pattern = yagi.pattern(theta=[90], phi=10)
    with pytest.raises(tw.UsageError, match="scale must be"):
        pattern.plot_polar("log")
    with pytest.raises(tw.UsageError, match="cut must be"):
        pattern.plot_polar(cut="e")


def script(name, path):
    """A script as a module."""
    spec = importlib.util.spec_from_loader(name, SourceFileLoader(name, str(SOURCE / path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["dipole", "helix", "log_periodic", "monopole_radials",
                                  "phased_verticals", "yagi"])
def test_texts_of_the_gallery_do_not_collide(name):
    gallery = script("gallery", "scripts/gallery")
    frequencies, parts = gallery.PICTURES[name]
    deck = tw.read_deck(SOURCE / "examples" / name / f"{name}.nec")
    result = deck.solve(1e6 * np.asarray(frequencies)[[0, len(frequencies) // 2, -1]],
                        mesh="as-given", z0=gallery.LINES.get(name))
    figure = gallery.picture(result, parts, 1)
    assert collisions(figure) == []
    matplotlib.pyplot.close(figure)


# Scripts beside the examples, with fewer solves than they need for their curves.
STUDIES = {
    "beverage/study.py": {"TERMINATIONS": [0.001, 450, 1e7], "GROUNDS": {}},
    "buried_radials/radials.py": {"RADIALS": {"buried 5 cm": (-0.05, [2]), "elevated 2 m": (2, [2])},
                                  "SOILS": {"dry soil, 4, 0.001 S/m": (4, 0.001)}},
    "dipole_height/sweep.py": {"HEIGHTS": [0.02, 0.2, 1.5]},
    "phased_verticals/design.py": {},
    "receiving_flag/reciprocity.py": {},
}


@pytest.mark.parametrize("name", STUDIES)
def test_texts_of_the_examples_pictures_do_not_collide(name, monkeypatch, tmp_path, program_path):
    pytest.importorskip("h5py")
    pytest.importorskip("scipy")
    study = script("study", f"examples/{name}")
    for constant, value in STUDIES[name].items():
        assert hasattr(study, constant)
        monkeypatch.setattr(study, constant, value)
    monkeypatch.setattr(sys, "argv", [name, program_path, str(tmp_path / "picture.png")])
    study.main()
    assert (tmp_path / "picture.png").exists()
    assert collisions(matplotlib.pyplot.gcf()) == []
    matplotlib.pyplot.close()


def test_all_studies_that_draw_are_looked_at():
    assert set(STUDIES) == {str(file.relative_to(SOURCE / "examples"))
                            for file in (SOURCE / "examples").glob("*/*.py")
                            if "savefig" in file.read_text(encoding="utf-8")}


def test_texts_that_collide_are_found():
    figure, axes = matplotlib.pyplot.subplots()
    axes.text(0.5, 0.5, "one")
    assert collisions(figure) == []
    axes.text(0.51, 0.5, "two")
    assert collisions(figure) == ["'one' and 'two'"]
    matplotlib.pyplot.close(figure)


def test_an_antenna_is_drawn_without_the_nodes_of_its_networks():
    deck = tw.read_deck(SOURCE / "examples" / "phased_verticals" / "phased_verticals.nec")
    axes = deck.solve(7.1e6, mesh="as-given").plot_3d()
    assert axes.get_zlim()[1] < 12  # the node is 42 m up
    matplotlib.pyplot.close(axes.figure)
