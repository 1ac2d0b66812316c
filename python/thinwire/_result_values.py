"""What a result has of its solution: impedances, currents, power, derivatives."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._geometry import Complexes, Floats, positive
from ._model import Model
from ._options import SolveOptions
from ._s_parameters import SParameters, reflection, vswr
from ._derivatives import GainDerivatives, gain_derivatives_of
from ._source import FileSource, port_names
from ._words import in_python


class ResultValues:
    """The base of Result: what the solution, or the file that keeps it, has ready."""

    def __init__(self, source: _core.Solution | FileSource, *, model: Model,
                 options: SolveOptions | None = None) -> None:
        self._source, self.model, self._options = source, model, options or {}

    def array(self, path: str) -> Any:
        """Any array of the result by its path in a result file: "/solver/model_error". The
        reference of file formats has a table of them; texts come as a list.

        Raises UsageError where the result has none of that path.
        """
        path = "/" + "/".join(part for part in path.split("/") if part)
        source = self._source
        if path == "/input/deck":
            return source.deck_text if isinstance(source, FileSource) else source.problem.deck_text
        # Texts that only a file has are no arrays.
        values = None if path.startswith("/input/") else source.find(path)
        if values is None and path == "/warnings" and source.warnings:
            values = list(source.warnings)
        if values is None and path.startswith("/timing/"):
            seconds = source.timings_s.get(path.removeprefix("/timing/"))
            values = None if seconds is None else np.asarray(seconds)
        if values is None:
            raise UsageError(f"array: the result has no {path}. Paths are those of datasets in a "
                             "result file.")
        return values

    def _values(self, path: str, *shape: int) -> npt.NDArray[Any]:
        """An array; an empty one where the result has none."""
        values: npt.NDArray[Any] | None = self._source.find(path)
        if values is None:
            return np.empty(shape or (len(self.frequency), 0), dtype=complex)
        return values

    # Ports.

    @cached_property
    def frequency(self) -> Floats:
        """Hz, [F]."""
        return self._values("/frequency_hz")

    @cached_property
    def waves(self) -> Floats:
        """Theta and phi that the incident wave comes from, degrees, [F, 2]; NaN without one."""
        source = self._source
        if not source.has_waves:
            return np.full((len(self.frequency), 2), np.nan)
        return np.stack([self.array("/incident/theta_deg"), self.array("/incident/phi_deg")], axis=-1)

    @cached_property
    def ports(self) -> tuple[str, ...]:
        """Tag and segment of each port, as tables name it: "1/11", or "1/11 end" for a gap there."""
        return port_names(self._values("/port/tag", 0), self._values("/port/segment", 0),
                          self._source.find("/port/gap"))

    @cached_property
    def z(self) -> Complexes:
        """Input impedances, ohm, [F, P]: `r.z[:, feed]`, or `r.z[:, 0]` of the first port."""
        return self._values("/port/impedance_ohm")

    @cached_property
    def voltages(self) -> Complexes:
        """At the ports, volt, [F, P]."""
        return self._values("/port/voltage_v")

    @cached_property
    def port_currents(self) -> Complexes:
        """Into the ports, ampere, [F, P]."""
        return self._values("/port/current_a")

    @cached_property
    def powers(self) -> Floats:
        """Into the ports, watt, [F, P]."""
        return self._values("/port/power_w")

    @property
    def z0(self) -> float:
        """What reflections refer to, ohm, where nothing else is given."""
        return self._source.z0

    def reflection(self, z0: float | None = None) -> Complexes:
        """Reflection coefficients (Z - z0) / (Z + z0) of the ports, [F, P]. Of several ports fed
        at once these are the active ones; see `s` for each port alone."""
        return reflection(self.z, self.z0 if z0 is None else positive(z0, "z0", "ohm"))

    def vswr(self, z0: float | None = None) -> Floats:
        """Voltage standing wave ratios on a line of z0 ohm, [F, P]; inf where all is
        reflected."""
        return vswr(self.reflection(z0))

    @cached_property
    def s(self) -> SParameters:
        """S-parameters, [F, P, P]; of several ports after solve(port_matrix=True)."""
        if not self.ports:
            raise UsageError("s: the antenna has no ports.")
        if len(self.ports) == 1:
            values = self.reflection()[:, :, np.newaxis]
        else:
            matrix = self._values("/port/impedance_matrix_ohm")
            if matrix.size == 0:
                raise UsageError("s: the impedances between the ports were not computed. Solve "
                                 "with port_matrix=True.")
            line = self.z0 * np.eye(len(self.ports))
            values = np.linalg.solve(matrix + line, matrix - line).astype(complex)
        return SParameters(values, self.frequency, self.z0)

    # Currents and power.

    @cached_property
    def currents(self) -> Complexes:
        """At the segments' centres, from start to end, ampere, [F, S]."""
        return self._values("/current/segment_current_a")

    @cached_property
    def charges(self) -> Complexes:
        """There, C/m, [F, S]."""
        return self._values("/current/segment_charge_c_per_m")

    @cached_property
    def input_power(self) -> Floats:
        """Into all ports, watt, [F]."""
        return self._values("/power/input_w")

    @cached_property
    def radiated_power(self) -> Floats:
        """Through the far sphere, watt, [F]; NaN where not computed."""
        return self._values("/power/radiated_w")

    @cached_property
    def loss_power(self) -> Floats:
        """In conductors, loads and networks, watt, [F]."""
        loss: Floats = self._values("/power/loss_w") + self._values("/power/network_loss_w")
        return loss

    @cached_property
    def efficiency(self) -> Floats:
        """Radiated over input power, [F]; NaN where not computed."""
        return self._values("/power/efficiency")

    # The structure and the solver.

    @property
    def segment_starts(self) -> Floats:
        """Metres, [S, 3]."""
        return self._mesh("start_m")

    @property
    def segment_ends(self) -> Floats:
        """Metres, [S, 3]."""
        return self._mesh("end_m")

    @property
    def segment_tags(self) -> npt.NDArray[np.int64]:
        """Tags of the segments' wires, [S]."""
        return np.asarray(self._mesh("tag"), dtype=np.int64)

    def _mesh(self, name: str) -> npt.NDArray[Any]:
        if isinstance(self._source, FileSource):
            return self._values(f"/mesh/{name}")
        values: npt.NDArray[Any] = getattr(self._source.problem, name)
        return values

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
        return tuple(in_python(self.model._in_user_terms(text)) for text in self._source.warnings)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of each stage; all but "total" add up to it."""
        return self._source.timings_s

    @property
    def solver(self) -> list[dict[str, Any]]:
        """What the linear solver did at each frequency, by the names of the arrays in /solver
        that have values: `model_error` after a fast sweep."""
        if self._source.find("/solver/name") is None:
            return []
        columns = {field["path"].removeprefix("/solver/"):
                   np.asarray(self.array(field["path"]), field["type"]).tolist()
                   for field in _core.fields if field["path"].startswith("/solver/")
                   and field["axes"] == "F"}
        known = {name: values for name, values in columns.items()
                 if any(value == value for value in values)}
        return [dict(zip(known, row, strict=True)) for row in zip(*known.values(), strict=True)]

    @cached_property
    def model_error(self) -> Floats:
        """Estimated relative error of the currents where a fast sweep modelled them, [F]; NaN
        where they were solved."""
        return self._values("/solver/model_error")

    # Derivatives.

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols that derivatives are by, V of them: those of solve(gradient=...)."""
        return tuple(self._source.find("/parameter") or ())

    @cached_property
    def z_derivatives(self) -> Complexes:
        """Derivatives of `z` by the parameters, ohm for each unit of the symbol, [F, P, V]:
        `r.z_derivatives[:, feed]`. V is 0 without solve(gradient=...)."""
        return self._values("/port/impedance_derivative_ohm", len(self.frequency),
                            len(self.ports), 0)

    def gain_derivatives(self, pattern: int = 0) -> GainDerivatives:
        """Derivatives of the gain towards the maximum of a pattern, and of its front-to-back
        ratio.

        Args:
            pattern: Which of `patterns`.

        Raises UsageError where the solve had no such pattern or no gradient.
        """
        return gain_derivatives_of(self, pattern)

    def _stored_patterns(self) -> list[dict[str, Any]]:
        """Arrays of each pattern, by their names in its group, and `index`: of which results."""
        source, run_index = self._source, self._values("/run_index")
        return [{name: source.find(f"/pattern/{k}/{name}") for name in
                 source.children(f"/pattern/{k}")}
                | {"index": np.flatnonzero(
                    run_index == source.attribute_integer(f"/pattern/{k}", "run")).tolist()}
                for k in source.children("/pattern")]
