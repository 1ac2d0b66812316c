"""Results as tables: of pandas, and in HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._optional import need

if TYPE_CHECKING:
    from ._result import Result

_MOST_ROWS = 20


def html_table(title: object, head: Sequence[str], rows: Sequence[Sequence[object]],
               notes: Iterable[str] = ()) -> str:
    """A table with what repr() says of `title` above and notes below; of many rows the first and
    the last."""
    def cells(row: Sequence[object], name: str = "td") -> str:
        return "".join(f"<{name}>{html.escape(str(cell))}</{name}>" for cell in row)

    shown = [f"<tr>{cells(row)}</tr>" for row in rows]
    if len(shown) > _MOST_ROWS:
        half = _MOST_ROWS // 2
        shown = [*shown[:half], f'<tr><td colspan="{len(head)}">…</td></tr>', *shown[-half:]]
    return (f"<p>{html.escape(repr(title))}</p><table><tr>{cells(head, 'th')}</tr>"
            f"{''.join(shown)}</table>" + "".join(f"<p>{html.escape(note)}</p>" for note in notes))


def frame_of(result: Result) -> Any:
    """What Result.to_dataframe() gives."""
    pandas = need("pandas", "to_dataframe")
    count = max(len(result.ports), 1)
    columns: dict[str, Any] = {"frequency": result.frequency, "run": result._values("/run_index")}
    if np.isfinite(result.waves).any():
        columns |= {"wave_theta": result.waves[:, 0], "wave_phi": result.waves[:, 1]}
    of_ports = {}
    if result.ports:
        of_ports = {"port": np.tile(result.ports, len(result.frequency)), "r": result.z.real.ravel(),
                    "x": result.z.imag.ravel(), "vswr": result.vswr().ravel()}
    if result.patterns:
        most = np.full(len(result.frequency), np.nan)
        for pattern in result.patterns:
            most[pattern.index] = np.fmax(most[pattern.index], pattern.gain.max(axis=(1, 2)))
        columns["gain_max"] = most
    if result.efficiency.size:
        columns["efficiency"] = result.efficiency
    return pandas.DataFrame({name: np.repeat(values, count) for name, values in columns.items()}
                            | of_ports)


def frame_of_variants(symbols: Iterable[dict[str, float]], results: Iterable[Result]) -> Any:
    """The tables of a sweep's variants behind one another, the symbols' values first."""
    pandas = need("pandas", "to_dataframe")
    frames = []
    for values, result in zip(symbols, results, strict=True):
        frame = frame_of(result)
        for place, (name, value) in enumerate(values.items()):
            frame.insert(place, name, value)
        frames.append(frame)
    return pandas.concat(frames, ignore_index=True)
