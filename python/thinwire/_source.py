"""A result file in the place of a solution in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._errors import FileError
from ._geometry import Floats


# Attributes of a Solution, and the datasets that hold them (docs/reference/formats.md).
_DOUBLES = {
    "frequency_hz": "/frequency_hz", "power_w": "/port/power_w",
    "input_power_w": "/power/input_w", "radiated_power_w": "/power/radiated_w",
    "loss_power_w": "/power/loss_w", "network_loss_w": "/power/network_loss_w",
    "efficiency": "/power/efficiency", "wave_theta_deg": "/incident/theta_deg",
    "wave_phi_deg": "/incident/phi_deg", "start_m": "/mesh/start_m", "end_m": "/mesh/end_m",
    "radius_m": "/mesh/radius_m"}
_INTEGERS = {"run_index": "/run_index", "port_tag": "/port/tag", "port_segment": "/port/segment",
             "tag": "/mesh/tag"}
_COMPLEXES = {
    "voltage_v": "/port/voltage_v", "current_a": "/port/current_a",
    "impedance_ohm": "/port/impedance_ohm", "port_matrix_ohm": "/port/impedance_matrix_ohm",
    "segment_current_a": "/current/segment_current_a",
    "segment_charge_c_per_m": "/current/segment_charge_c_per_m",
    "matrix_ohm": "/matrix/impedance_ohm", "impedance_derivative_ohm": "/port/impedance_derivative_ohm"}
# What a file may be without, and the shape it then has.
_EMPTY = {"port_matrix_ohm": (0, 0, 0), "matrix_ohm": (0, 0), "impedance_derivative_ohm": (0, 0, 0),
          "port_tag": (0,), "port_segment": (0,)}


# Files of thinwire that hold no result, by the root attribute `content`: what they are, and
# what to do instead.
_NO_RESULTS = {
    "converge": ("holds a mesh study of thinwire converge, not a result. Give a file that "
                 "`thinwire solve` wrote."),
}


def content_of(file: _core.File) -> str:
    """What a file of thinwire holds, by its root attribute: "" for results."""
    try:
        return file.attribute_text("/", "content")
    except FileError:
        return ""


def _is_thinwires(file: _core.File) -> bool:
    try:
        return file.attribute_text("/", "format") == "thinwire"
    except FileError:
        return False


class FileSource:
    """A result file of thinwire, with a solution's attributes, read when asked. Raises
    FileError."""

    def __init__(self, path: str, content: str = "") -> None:
        self._file, self.path = _core.File(path), path
        found = content_of(self._file)
        thinwires = _is_thinwires(self._file)
        if thinwires and found != content and found in _NO_RESULTS:
            raise FileError(f"{path}: {_NO_RESULTS[found].format(path=path)}")
        if not thinwires or found != content or not self._file.exists("/frequency_hz"):
            raise FileError(f"{path}: holds no result"
                            + (f" (content: {found})" if found else "")
                            + ". Give a file that `thinwire solve` wrote.")

    def __getattr__(self, name: str) -> Any:
        for names, read in ((_DOUBLES, self._file.doubles), (_INTEGERS, self._file.integers),
                            (_COMPLEXES, self._file.complexes)):
            if name in names:
                if self._file.exists(names[name]):
                    return read(names[name])
                shape = _EMPTY.get(name, (len(self._file.doubles("/frequency_hz")), 0))
                return np.empty(shape, dtype=complex if names is _COMPLEXES else float)
        raise AttributeError(name)

    def attribute(self, name: str) -> str:
        """A text that says where the file comes from (docs/reference/formats.md)."""
        return self._file.attribute_text("/", name)

    @property
    def deck_text(self) -> str:
        return self._file.text("/input/deck")

    @property
    def deck_name(self) -> str:
        return self._file.attribute_text("/input/deck", "file_name")

    @property
    def unknowns(self) -> int:
        return self._file.attribute_integer("/", "unknowns")

    @property
    def device(self) -> str:
        return self._file.attribute_text("/", "device")

    @property
    def z0(self) -> float:
        if not self._file.exists("/port"):
            return 50.0
        return self._file.attribute_real("/port", "reference_impedance_ohm")

    @property
    def parameters(self) -> list[str]:
        return self._file.strings("/parameter") if self._file.exists("/parameter") else []

    @property
    def has_waves(self) -> bool:
        return self._file.exists("/incident")

    @property
    def warnings(self) -> list[str]:
        return self._file.strings("/warnings") if self._file.exists("/warnings") else []

    @property
    def timings_s(self) -> dict[str, float]:
        return {name: float(self._file.doubles(f"/timing/{name}").ravel()[0])
                for name in self._file.children("/timing")}

    @property
    def solver(self) -> list[_core.SolverReport]:
        file = self._file
        columns = (file.strings("/solver/name"), file.strings("/solver/preconditioner"),
                   file.strings("/solver/operator"), file.strings("/solver/why"),
                   file.integers("/solver/iterations"), file.doubles("/solver/relative_residual"),
                   file.integers("/solver/converged"))
        return [{"name": name, "preconditioner": precond, "operator": operator, "why": why,
                 "iterations": int(n), "relative_residual": float(r), "converged": bool(c)}
                for name, precond, operator, why, n, r, c in zip(*columns, strict=True)]

    def stored_patterns(self) -> list[_core.StoredPattern]:
        if not self._file.exists("/pattern"):
            return []
        patterns: list[_core.StoredPattern] = []
        for k in self._file.children("/pattern"):
            group = f"/pattern/{k}"
            run = self._file.attribute_integer(group, "run")
            doubles, complexes = self._file.doubles, self._file.complexes
            index = np.flatnonzero(self.run_index == run).tolist()

            def derivatives(name: str, *shape: int, group: str = group) -> Floats:
                path = f"{group}/{name}"
                return self._file.doubles(path) if self._file.exists(path) else np.empty(shape)

            patterns.append({
                "theta_deg": doubles(f"{group}/theta_deg"), "phi_deg": doubles(f"{group}/phi_deg"),
                "e_theta_v": complexes(f"{group}/e_theta_v"),
                "e_phi_v": complexes(f"{group}/e_phi_v"), "gain_dbi": doubles(f"{group}/gain_dbi"),
                "average_gain": doubles(f"{group}/average_gain"),
                "gain_derivative_theta_deg": derivatives("gain_derivative_theta_deg", len(index)),
                "gain_derivative_phi_deg": derivatives("gain_derivative_phi_deg", len(index)),
                "gain_derivative_db": derivatives("gain_derivative_db", len(index), 0),
                "front_to_back_derivative_db": derivatives("front_to_back_derivative_db", len(index), 0),
                "index": index})
        return patterns
