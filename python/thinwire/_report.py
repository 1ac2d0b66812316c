"""The report: results as one HTML page, which the library makes from their files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import FileError, UsageError
from ._source import FileSource
from ._words import in_python

if TYPE_CHECKING:
    from ._result import Result

# Where a result in memory has no pattern over the sphere: frequencies that get one, and
# directions times segments times frequencies that this may cost.
_MAX_NEW_PATTERNS = 21
_MAX_TERMS = 3e9


def _new_pattern(result: Result) -> list[_core._GridPattern]:
    """A pattern over the sphere, for a result in memory that has none."""
    if any(len(p["theta_deg"]) >= 7 and len(p["phi_deg"]) >= 7 and np.ptp(p["phi_deg"]) > 345
           and np.ptp(p["theta_deg"]) > 85 for p in result._stored_patterns()):
        return []
    step = 3.0 if len(result.segment_tags) < 2000 else 5.0
    terms = len(result.segment_tags) * (180 / step) * (360 / step)
    count = min(len(result.frequency), max(1, min(_MAX_NEW_PATTERNS, int(_MAX_TERMS / terms))))
    points = ([len(result.frequency) // 2] if count == 1 else
              np.round(np.linspace(0, len(result.frequency) - 1, count)).astype(int).tolist())
    pattern = result._pattern(step, step, points, progress=False)
    return [(pattern.theta, pattern.phi, pattern.gain, points)]


def page_of(results: Sequence[tuple[str, Result]], title: str | None = None) -> str:
    """The page of named results as HTML.

    Args:
        results: Names, which stand in legends, and results: the first is what others are
            compared with.
        title: Of the page; None: the first result's name.

    Raises UsageError without a result.
    """
    if not results:
        raise UsageError("report: there is no result to show. Give one at least.")
    with TemporaryDirectory(prefix="thinwire-") as folder:
        shown: list[_core._ShownResult] = []
        for k, (name, result) in enumerate(results):
            source = result._source
            if isinstance(source, FileSource):
                shown.append((name, source.path, getattr(source, "number", None), []))
            else:
                path = str(Path(folder) / f"{k}.h5")
                source.save(path)
                shown.append((name, path, None, _new_pattern(result)))
        return _core.report_page(shown, title or results[0][0])


def write_report(results: Sequence[tuple[str, Result]], path: str | os.PathLike[str],
                 title: str | None = None, *, force: bool = False) -> None:
    """Writes the page of page_of() to a file, under its name only once it is whole.

    Raises UsageError for an empty name, FileError where that is no page of thinwire's (unless
    `force`), what a result comes from, or cannot be written.
    """
    if not os.fspath(path):
        raise UsageError("report: the page has no name. Give one: page.html.")
    inputs = [result._source.path for _, result in results
              if isinstance(result._source, FileSource)]
    try:
        _core.check_page(os.fspath(path), force, inputs)
        _core.write_page(os.fspath(path), page_of(results, title))
    except FileError as error:
        raise FileError(in_python(str(error))) from None
