"""Results for planning programs and ParaView."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import UsageError
from ._points import point_of
from ._source import FileSource

if TYPE_CHECKING:
    from ._result import Result

SUFFIXES = (".msi", ".n13", ".n14", ".vtp", ".vts", ".vti")


def exported(result: Result, file: Path, frequency: float | None, index: int | None) -> str:
    """The text of a file with one of SUFFIXES. Raises UsageError for what the result lacks."""
    if file.suffix == ".vtp":
        return _core.wires_file(
            result.segment_starts, result.segment_ends, result._mesh("radius_m"),
            result.segment_tags.astype(float),
            result.currents[point_of(result.frequency, frequency, index)])
    if file.suffix in (".vts", ".vti"):
        return _fields(result, file.suffix, frequency, index)
    computed = not isinstance(result._source, FileSource)
    for pattern in [result.pattern(1, 1)] if computed else result.patterns:
        which = (slice(None) if file.suffix == ".n14"
                 else [point_of(pattern.frequency, frequency, index)])
        text = _core.pattern_file(
            file.suffix, Path(getattr(result.model, "name", "")).stem or "antenna",
            pattern.frequency[which], pattern.theta, pattern.phi,
            np.ascontiguousarray(pattern.gain[which]),
            result.efficiency[pattern.index][which])
        if text:
            return text
    raise UsageError(f"save: {file.name} needs a pattern in all directions, which the result file "
                     "lacks. Solve with `thinwire solve --pattern 1`.")


def _fields(result: Result, suffix: str, frequency: float | None, index: int | None) -> str:
    """The first near field, and the other one of E and H at the same points."""
    source, position = result._source, None
    run_index = result._values("/run_index")
    fields: dict[str, tuple[str, str, np.ndarray]] = {}
    for group in (f"/near_field/{k}" for k in source.children("/near_field")):
        points = source.find(f"{group}/position_m")
        name, unit = (("e", "v_per_m") if source.find(f"{group}/e_v_per_m") is not None
                      else ("h", "a_per_m"))
        if position is not None and (name in fields or not np.array_equal(points, position)):
            continue
        position = points
        run = np.flatnonzero(run_index == source.attribute_integer(group, "run"))
        chosen = point_of(result.frequency[run], frequency, index)
        fields[name] = name, unit, source.find(f"{group}/{name}_{unit}")[chosen]
    if position is None:
        raise UsageError("save: the deck asked for no near field. Add an NE or NH card.")
    return _core.fields_file(suffix, position, list(fields.values()))
