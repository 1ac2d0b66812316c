"""What a solve gives."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from . import _core
from ._angles import Angles, grid
from ._counted import counted
from ._errors import FileError, UsageError
from ._export import SUFFIXES, exported
from ._geometry import Complexes, Floats, real
from ._optional import need
from ._pattern import Pattern
from ._points import point_of
from ._progress import ProgressBar
from ._result_values import ResultValues
from ._source import FileSource
from ._tables import frame_of, html_table
from ._words import in_python

if TYPE_CHECKING:
    from ._exposure import Exposure
    from ._match import Network
    from ._operator import Operator
    from ._temperature import Sky


def _write(file: Path, text: str) -> None:
    try:
        _core.write_page(str(file), text)
    except FileError as error:
        raise FileError(in_python(str(error))) from None


class Result(ResultValues):
    """Everything that follows from a solve: F frequencies, P ports, S segments.

    Made by Model.solve() and tw.open(). Arrays are read-only and never copied; amplitudes are
    peak values with the time factor exp(+j w t). The results of all runs of a deck stand behind
    one another along the frequency; a port that a run does not feed is NaN there.

    Attributes:
        model: What was solved; its deck where the result comes from a file.
    """

    # Fields.

    def nearest(self, frequency: float) -> int:
        """Index of the frequency nearest to this one, Hz; of several waves or runs the first's."""
        return int(np.abs(self.frequency - real(frequency, "frequency")).argmin())

    def _which(self, frequency: float | None, index: int | None) -> list[int]:
        if frequency is None and index is None:
            return list(range(len(self.frequency)))
        return [point_of(self.frequency, frequency, index)]

    def _solution(self, what: str, instead: str = "") -> _core.Solution:
        if isinstance(self._source, FileSource):
            raise UsageError(f"{what}: {self._source.path} "
                             + (f"is a result file itself. Use {instead}." if instead else
                                "keeps no coefficients of the currents. Solve again: "
                                "result.model.solve(...)."))
        return self._source

    def pattern(self, theta: Angles | None = None, phi: Angles | None = None, *,
                frequency: float | None = None, index: int | None = None,
                progress: bool | None = None) -> Pattern:
        """The far field, computed from the currents, without solving again.

        Args:
            theta: A step in degrees over all directions (of the upper half over ground), or
                equally spaced angles in degrees from +z (default: 5).
            phi: A step in degrees, or angles from +x towards +y (default: 5).
            frequency: Hz, the nearest one that was solved; None: all.
            index: Or one of `frequency` by its place there: of several incident waves or runs.
            progress: As Model.solve() has it.

        Raises UsageError where several waves or runs have that frequency and there is no index.
        """
        return self._pattern(theta, phi, self._which(frequency, index), progress)

    def _pattern(self, theta: Angles | None, phi: Angles | None, which: list[int],
                 progress: bool | None) -> Pattern:
        solution = self._solution("pattern")
        steps = grid(theta, phi, solution.problem.has_ground)
        with ProgressBar(progress) as bar:
            arrays = _core.pattern(solution, which, *steps, bar)
        return Pattern(arrays, self.frequency, self.waves, which)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Those that were asked for before the solve: by theta and phi, by RP cards."""
        return tuple(Pattern(arrays, self.frequency, self.waves, arrays["index"])
                     for arrays in self._stored_patterns())

    def gain(self, theta: float, phi: float) -> Floats:
        """Towards one direction, degrees: dBi, [F]."""
        gain: Floats = self.pattern([theta], [phi]).gain[:, 0, 0]
        return gain

    def near_field(self, points: npt.ArrayLike, *, magnetic: bool = False,
                   frequency: float | None = None, index: int | None = None,
                   progress: bool | None = None) -> Complexes:
        """The electric field, V/m, or the magnetic, A/m, computed from the currents.

        Args:
            points: x, y, z in metres, [..., 3].
            magnetic: Which of the two.
            frequency, index: The point, as pattern() has it; None: all.

        Returns:
            x, y and z components at each frequency and point, [F, ..., 3].
        """
        try:
            at = np.asarray(points, dtype=float)
        except (TypeError, ValueError):
            raise UsageError(f"points must be x, y, z in metres, [..., 3] (got {points!r}).") from None
        if at.ndim < 1 or at.shape[-1] != 3 or not np.isfinite(at).all():
            raise UsageError("points must be x, y, z in metres, [..., 3] (got shape "
                             f"{at.shape}).")
        which = self._which(frequency, index)
        with ProgressBar(progress) as bar:
            field = _core.near_field(self._solution("near_field"), which, magnetic,
                                     np.ascontiguousarray(at.reshape(-1, 3)), bar)
        return field.reshape(len(which), *at.shape)

    def exposure(self, power: float, *, limits: str | tuple[float, float] = "icnirp2020-public",
                 heights: npt.ArrayLike | None = None, step: float = 5,
                 frequency: float | None = None, index: int | None = None) -> Exposure:
        """How far around the antenna fields exceed the limits of human exposure.

        Args:
            power: Into the antenna, watt.
            limits: "icnirp2020-public", "icnirp2020-occupational" (reference levels for the whole
                body of ICNIRP 2020, above 2 GHz those of a plane wave; below 10 MHz the levels of
                2010 apply besides), or rms values, (V/m, A/m).
            heights: z of the horizontal planes, metres (default: the antenna's centre).
            step: Between azimuths, degrees.
            frequency, index: The point, as Pattern.peak_at() has it.
        """
        from ._exposure import exposure_of

        return exposure_of(self, power, limits, heights, step, frequency, index)

    def antenna_temperature(self, sky: Sky, *, ground: float = 290,
                            physical: float = 290) -> Floats:
        """Noise temperature at the terminals, kelvin, [F].

        Args:
            sky: Brightness above the horizon in kelvin: a number, a function of theta and phi in
                degrees (arrays), or "galactic": the mean of ITU-R P.372, good from 10 MHz on.
            ground: Kelvin, of what is below the horizon.
            physical: Kelvin, of conductors, loads and networks.
        """
        from ._temperature import temperature_of

        return temperature_of(self, sky, ground, physical)

    def match(self, kind: Literal["l", "pi"] = "l", *, port: int = 0, center: float | None = None,
              z0: float | None = None, coil_q: float = 200, capacitor_q: float = 1000,
              q: float | None = None) -> list[Network]:
        """Networks of coils and capacitors that match a port to a line: without losses exactly at
        one frequency; their values over the band have losses. The one with the lowest VSWR in the
        band comes first.

        Args:
            kind: "l", two parts, or "pi", three.
            port: Which of `ports`; others keep their sources.
            center: Hz, where the match is exact (default: the middle of the band).
            z0: Ohm, of the line (default: that of the result).
            coil_q, capacitor_q: Quality of the parts.
            q: Of the larger resistance of a pi network.
        """
        from ._match import match_of

        return match_of(self, kind, port, center, z0, coil_q, capacitor_q, q)

    @cached_property
    def operator(self) -> Operator:
        """The impedance matrix at the last frequency: `op @ x`, for scipy's solvers. Solves that
        frequency again where the matrix was not kept (solve(save_matrix=True)).

        Raises MissingPackage without scipy.
        """
        from ._operator import Operator

        solution = self._solution("operator")
        if len(solution.matrix_ohm) == 0:
            return self.model.operator(float(self.frequency[-1]), **self._options)
        return Operator(solution)

    # As data, files and pictures.

    @cached_property
    def dataset(self) -> Any:
        """Everything as an xarray.Dataset over frequency, port, segment, theta and phi, with
        units in the attributes. Raises MissingPackage."""
        from ._dataset import dataset_of

        return dataset_of(self)

    def save(self, path: str | os.PathLike[str], *, frequency: float | None = None,
             index: int | None = None) -> None:
        """Writes the results to a file, in the form that its name's end stands for.

        Args:
            path: .h5: all, as `thinwire solve` writes it; .nc: the dataset, through xarray
                (complex numbers as h5netcdf or netCDF4 write them); .csv: the table of `thinwire
                solve --csv`; .s1p, .s2p and so on: S-parameters (Touchstone), of several ports
                after solve(port_matrix=True); .msi (Planet), .n13 and .n14 (VOACAP): pattern;
                .vtp: wires and currents, .vts and .vti: near fields of the deck, for ParaView.
            frequency, index: Of files with one point (.msi, .n13, .v..), which, as
                Pattern.peak_at() has it.

        Raises FileError for other names and where the file cannot be written, UsageError where the
        number of ports is another, and for .h5, .csv and .s1p of a result that comes from a file.
        """
        file = Path(path)
        if (frequency, index) != (None, None) and (file.suffix not in SUFFIXES or file.suffix == ".n14"):
            raise UsageError(f"save: {file.name} holds all frequencies. Leave frequency and index out.")
        if file.suffix == ".h5":
            self._solution("save").save(str(file))
        elif file.suffix == ".csv":
            _write(file, self._solution("save", "to_dataframe().to_csv() or save to .nc").csv())
        elif ports := re.fullmatch(r"\.s(\d+)p", file.suffix.lower()):
            if int(ports[1]) != len(self.ports):
                raise UsageError(f"save: {file.name} is for {counted(int(ports[1]), 'port')}, and the "
                                 f"antenna has {len(self.ports)}. Name it .s{len(self.ports)}p.")
            _ = self.s  # raises where there are none
            solution = self._solution("save", "to_network().write_touchstone()")
            for name, text in solution.touchstone(str(file)):
                _write(Path(name), text)
        elif file.suffix in SUFFIXES:
            _write(file, exported(self, file, frequency, index))
        elif file.suffix == ".nc":
            for module in ("xarray", "h5netcdf", "h5py"):
                need(module, "save to .nc")
            try:
                self.dataset.to_netcdf(file, engine="h5netcdf", invalid_netcdf=True)
            except OSError as error:
                raise FileError(f"{file}: cannot be written ({os.strerror(error.errno or 5)}). "
                                "Write elsewhere.") from None
        else:
            raise FileError(f"{file}: results are saved as .h5, .nc, .csv, .s1p, {', '.join(SUFFIXES)} "
                            f"(got '{file.suffix}').")

    def to_network(self) -> Any:
        """The S-parameters as a Network of scikit-rf, whose own constructor takes files only. Raises
        MissingPackage, and what `s` raises."""
        return self.s.to_network()

    def to_dataframe(self) -> Any:
        """As a pandas.DataFrame, a row for each frequency and port: frequency in Hz, run, port, r
        and x in ohm, vswr; the greatest gain of the patterns in dBi, and the efficiency. Raises
        MissingPackage."""
        return frame_of(self)

    def report(self, path: str | os.PathLike[str], *, title: str | None = None,
               others: Mapping[str, Result] | None = None, force: bool = False) -> None:
        """Writes a page (.html) that shows the result: antenna and currents in space, patterns,
        impedance, power, solver, deck. It is one file and needs no network. Where no pattern
        over the sphere was asked for, one is computed, unless the result comes from a file.

        Args:
            title: Of the page; None: the deck's or design's name.
            others: Results that the page compares with this one, by name.
            force: Write over a file that is no page of thinwire's.

        Raises FileError where the page cannot be written.
        """
        from ._report import write_report

        if title is not None and not isinstance(title, str):
            raise UsageError(f"report: title must be a text (got {title!r}).")
        if others is not None and not (isinstance(others, Mapping) and all(
                isinstance(key, str) and isinstance(value, Result)
                for key, value in others.items())):
            raise UsageError("report: others must be results by name: "
                             'others={"longer": result}.')
        name = Path(getattr(self.model, "name", "")).stem or "antenna"
        results = [(name, self), *(others or {}).items()]
        write_report(results, path, title, force=force)

    def __reduce__(self) -> NoReturn:
        raise UsageError("a Result cannot be pickled: it looks into memory of the library. Write it "
                         'by save("r.h5") and read that by tw.open().')

    def __repr__(self) -> str:
        mhz = self.frequency / 1e6
        low, high = mhz.min(), mhz.max()
        span = f"{low:g} MHz" if low == high else f"{low:g}-{high:g} MHz"
        return (f"<Result: {counted(len(mhz), 'frequency')}, {span}, "
                f"{counted(len(self.ports), 'port')}, {counted(self.unknowns, 'unknown')}, "
                f"{counted(len(self.warnings), 'warning')}>")

    def _repr_html_(self) -> str:
        """A table of impedances, for notebooks."""
        ratio = self.vswr()
        rows = [[f"{f / 1e6:g}", port, f"{self.z[i, p].real:.5g}", f"{self.z[i, p].imag:.5g}",
                 f"{ratio[i, p]:.2f}"]
                for i, f in enumerate(self.frequency) for p, port in enumerate(self.ports)]
        return html_table(self, ["MHz", "port", "R / Ω", "X / Ω", f"VSWR ({self.z0:g} Ω)"], rows,
                          [f"warning: {text}" for text in self.warnings])

    def plot_z(self, ax: Any = None) -> Any:
        """Resistance and reactance over frequency. Returns matplotlib's axes."""
        from ._plots import plot_z

        return plot_z(self, ax)

    def plot_vswr(self, z0: float | None = None, ax: Any = None) -> Any:
        """VSWR over frequency. Returns matplotlib's axes."""
        from ._plots import plot_vswr

        return plot_vswr(self, z0, ax)

    def plot_smith(self, z0: float | None = None, ax: Any = None) -> Any:
        """The ports' reflection coefficients in a Smith chart. Returns matplotlib's axes."""
        from ._plots import plot_smith

        return plot_smith(self, z0, ax)

    def plot_3d(self, frequency: float | None = None, ax: Any = None, *,
                index: int | None = None) -> Any:
        """The antenna in space, its currents as colours, at the frequency nearest to this one
        (default: the middle), or at that with this index. Returns matplotlib's axes.

        Raises UsageError where several waves or runs have that frequency and there is no index.
        """
        from ._plots import plot_antenna

        return plot_antenna(self, point_of(self.frequency, frequency, index), ax)
