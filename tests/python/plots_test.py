"""Pictures are drawn, with what they should show. THINWIRE_PICTURES names a folder to keep
them in."""

import os

import numpy as np
import pytest

import thinwire as tw

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


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
        matplotlib.pyplot.close(axes.figure)

    return save


def test_plot_z(yagi, keep):
    axes = yagi.plot_z()
    assert np.array_equal(axes.lines[0].get_ydata(), yagi.z[0].real)
    keep(axes)


def test_plot_vswr(yagi, keep):
    axes = yagi.plot_vswr(50)
    assert np.array_equal(axes.lines[0].get_ydata(), yagi.vswr(50)[0])
    keep(axes)


def test_plot_smith(yagi, keep):
    axes = yagi.plot_smith()
    curve = axes.lines[-1]
    assert np.array_equal(curve.get_xdata() + 1j * curve.get_ydata(), yagi.reflection()[0])
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
