"""What a solve gives."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._angles import Angles, grid
from ._deck import Deck
from ._errors import FileError, UsageError
from ._geometry import Complexes, Floats
from ._model import Model
from ._optional import need
from ._options import SolveOptions
from ._pattern import Pattern
from ._points import point_of
from ._progress import ProgressBar
from ._s_parameters import SParameters, reflection, vswr
from ._source import FileSource

if TYPE_CHECKING:
    from ._operator import Operator


class Result:
    """Everything that follows from a solve: F frequencies, P ports, S segments.

    Made by Model.solve() and tw.open(). Arrays are read-only and never copied; amplitudes are
    peak values with the time factor exp(+j w t). The results of all runs of a deck stand behind
    one another along the frequency; a port that a run does not feed is NaN there.

    Attributes:
        model: What was solved; its deck where the result comes from a file.
    """

    def __init__(self, source: _core.Solution | FileSource, *, model: Model,
                 options: SolveOptions | None = None) -> None:
        self._source, self.model, self._options = source, model, options or {}

    # Ports.

    @cached_property
    def frequency(self) -> Floats:
        """Hz, [F]."""
        return self._source.frequency_hz

    @cached_property
    def waves(self) -> Floats:
        """Theta and phi that the incident wave comes from, degrees, [F, 2]; NaN without one."""
        source = self._source
        if not source.has_waves:
            return np.full((len(self.frequency), 2), np.nan)
        return np.stack([source.wave_theta_deg, source.wave_phi_deg], axis=-1)

    @cached_property
    def ports(self) -> tuple[str, ...]:
        """Tag and segment of each port, as cards and tables name it: "1/11"."""
        return tuple(f"{tag}/{segment}" for tag, segment in
                     zip(self._source.port_tag, self._source.port_segment, strict=True))

    @cached_property
    def z(self) -> Complexes:
        """Input impedances, ohm, [P, F]: `r.z[feed]`, or `r.z[0]` of the first port."""
        return self._source.impedance_ohm.T

    @cached_property
    def voltages(self) -> Complexes:
        """At the ports, volt, [P, F]."""
        return self._source.voltage_v.T

    @cached_property
    def port_currents(self) -> Complexes:
        """Into the ports, ampere, [P, F]."""
        return self._source.current_a.T

    @cached_property
    def powers(self) -> Floats:
        """Into the ports, watt, [P, F]."""
        return self._source.power_w.T

    @property
    def z0(self) -> float:
        """What reflections refer to, ohm, where nothing else is given."""
        return self._source.z0

    def reflection(self, z0: float | None = None) -> Complexes:
        """Reflection coefficients (Z - z0) / (Z + z0) of the ports, [P, F]. Of several ports fed
        at once these are the active ones; see `s` for each port alone."""
        return reflection(self.z, z0 or self.z0)

    def vswr(self, z0: float | None = None) -> Floats:
        """Voltage standing wave ratios on a line of z0 ohm, [P, F]; inf where all is
        reflected."""
        return vswr(self.reflection(z0))

    @cached_property
    def s(self) -> SParameters:
        """S-parameters, [F, P, P]; of several ports after solve(port_matrix=True)."""
        if not self.ports:
            raise UsageError("s: the antenna has no ports.")
        if len(self.ports) == 1:
            values = self.reflection().T[:, :, np.newaxis]
        else:
            matrix = self._source.port_matrix_ohm
            if len(matrix) == 0:
                raise UsageError("s: the impedances between the ports were not computed. Solve "
                                 "with port_matrix=True.")
            line = self.z0 * np.eye(len(self.ports))
            values = np.linalg.solve(matrix + line, matrix - line).astype(complex)
        return SParameters(values, self.frequency, self.z0)

    # Currents and power.

    @cached_property
    def currents(self) -> Complexes:
        """At the segments' centres, from start to end, ampere, [F, S]."""
        return self._source.segment_current_a

    @cached_property
    def charges(self) -> Complexes:
        """There, C/m, [F, S]."""
        return self._source.segment_charge_c_per_m

    @cached_property
    def input_power(self) -> Floats:
        """Into all ports, watt, [F]."""
        return self._source.input_power_w

    @cached_property
    def radiated_power(self) -> Floats:
        """Through the far sphere, watt, [F]; NaN where not computed."""
        return self._source.radiated_power_w

    @cached_property
    def loss_power(self) -> Floats:
        """In conductors, loads and networks, watt, [F]."""
        return self._source.loss_power_w + self._source.network_loss_w

    @cached_property
    def efficiency(self) -> Floats:
        """Radiated over input power, [F]; NaN where not computed."""
        return self._source.efficiency

    # The structure and the solver.

    @property
    def _geometry(self) -> Any:
        return self._source if isinstance(self._source, FileSource) else self._source.problem

    @property
    def segment_starts(self) -> Floats:
        """Metres, [S, 3]."""
        starts: Floats = self._geometry.start_m
        return starts

    @property
    def segment_ends(self) -> Floats:
        """Metres, [S, 3]."""
        ends: Floats = self._geometry.end_m
        return ends

    @property
    def segment_tags(self) -> npt.NDArray[np.int64]:
        """Tags of the segments' wires, [S]."""
        return np.asarray(self._geometry.tag, dtype=np.int64)

    @property
    def unknowns(self) -> int:
        """Of the linear system."""
        return self._source.unknowns

    @property
    def device(self) -> str:
        """Where it was solved: "cpu", "cuda:0"."""
        return self._source.device

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to look at, a line each."""
        return tuple(map(self.model._in_user_terms, self._source.warnings))

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of each stage."""
        return self._source.timings_s

    @property
    def solver(self) -> list[_core.SolverReport]:
        """What the linear solver did at each frequency."""
        return self._source.solver

    # Fields.

    def nearest(self, frequency: float) -> int:
        """Index of the frequency nearest to this one, Hz; of several waves or runs the first's."""
        return int(np.abs(self.frequency - frequency).argmin())

    def _which(self, frequency: float | None, index: int | None) -> list[int]:
        if frequency is None and index is None:
            return list(range(len(self.frequency)))
        return [point_of(self.frequency, frequency, index)]

    def _solution(self, what: str) -> _core.Solution:
        if isinstance(self._source, FileSource):
            raise UsageError(f"{what}: {self._source.path} keeps no coefficients of the currents. "
                             "Solve again: result.model.solve(...).")
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
        stored = (self._source.stored_patterns() if isinstance(self._source, FileSource)
                  else _core.stored_patterns(self._source))
        return tuple(Pattern(arrays, self.frequency, self.waves, arrays["index"])
                     for arrays in stored)

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
        at = np.asarray(points, dtype=float)
        if at.ndim < 1 or at.shape[-1] != 3 or not np.isfinite(at).all():
            raise UsageError("points must be x, y, z in metres, [..., 3] (got shape "
                             f"{at.shape}).")
        which = self._which(frequency, index)
        with ProgressBar(progress) as bar:
            field = _core.near_field(self._solution("near_field"), which, magnetic,
                                     np.ascontiguousarray(at.reshape(-1, 3)), bar)
        return field.reshape(len(which), *at.shape)

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all results: to .h5 as `thinwire solve` does, to .nc through xarray (complex
        numbers as h5netcdf or netCDF4 write them)."""
        file = Path(path)
        if file.suffix == ".h5":
            self._solution("save").save(str(file))
        elif file.suffix == ".nc":
            for module in ("xarray", "h5netcdf", "h5py"):
                need(module, "save to .nc")
            self.dataset.to_netcdf(file, engine="h5netcdf", invalid_netcdf=True)
        else:
            raise FileError(f"{file}: results are saved as .h5 or .nc (got '{file.suffix}').")

    def report(self, path: str | os.PathLike[str], *, title: str | None = None,
               others: Mapping[str, Result] | None = None, force: bool = False) -> None:
        """Writes a page (.html) that shows the result: antenna and currents in space, patterns,
        impedance, power, solver, deck. It is one file and needs no network. Where no pattern
        over the sphere was asked for, one is computed, unless the result comes from a file.

        Args:
            title: Of the page; None: the deck's or design's name.
            others: Results that the page compares with this one, by name.
            force: Write over a file that is no page of thinwire's.

        Raises MissingPackage without plotly, FileError where the page cannot be written.
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
        write_report([(name, self), *(others or {}).items()], path, title, force=force)

    def __repr__(self) -> str:
        mhz = self.frequency / 1e6
        low, high = mhz.min(), mhz.max()
        span = f"{low:g} MHz" if low == high else f"{low:g}-{high:g} MHz"
        return (f"<Result: {len(mhz)} frequencies, {span}, {len(self.ports)} ports, "
                f"{self.unknowns} unknowns, {len(self.warnings)} warnings>")

    def _repr_html_(self) -> str:
        """A table of impedances, for notebooks."""
        most = 20
        head = "".join(f"<th>{name}</th>" for name in
                       ("MHz", "port", "R / Ω", "X / Ω", f"VSWR ({self.z0:g} Ω)"))
        ratio = self.vswr()
        rows = [f"<tr><td>{f / 1e6:g}</td><td>{port}</td><td>{self.z[p, i].real:.5g}</td>"
                f"<td>{self.z[p, i].imag:.5g}</td><td>{ratio[p, i]:.2f}</td></tr>"
                for i, f in enumerate(self.frequency) for p, port in enumerate(self.ports)]
        if len(rows) > most:
            rows = [*rows[:most // 2], "<tr><td>…</td></tr>", *rows[-most // 2:]]
        notes = "".join(f"<p>warning: {html.escape(text)}</p>" for text in self.warnings)
        table = f"<table><tr>{head}</tr>{''.join(rows)}</table>"
        return f"<p>{html.escape(repr(self))}</p>{table}{notes}"

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


def open(path: str | os.PathLike[str]) -> Result:
    """Opens a result file (.h5) of `thinwire solve` or Result.save().

    Raises FileError for what is none, or is damaged.
    """
    source = FileSource(os.fspath(path))
    return Result(source, model=Deck(source.deck_text, name=source.deck_name,
                                     folder=str(Path(path).parent)))
