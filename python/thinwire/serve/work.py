"""Long work that a page starts: each function answers one message, in a thread."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._deck import Deck
from .._errors import FileError, UsageError
from .._optimize import run as optimize_model
from .._report import page_of
from . import solving
from .document import Document
from .folder import Folder

if TYPE_CHECKING:
    from .session import Session

_NEC2C_S = 60
_MAX_FIELD_POINTS = 121


class Stopped(Exception):
    """The page wants nothing more of the work."""


def _deck(folder: Folder, message: Document) -> Deck:
    text = str(message["text"])
    folder.check(text)
    return solving.PageDeck(solving.without_requests(text), name=str(message.get("name") or "deck.nec"),
                folder=str(folder.root))


def _hertz(message: Document) -> list[float] | None:
    return solving.frequencies_of(str(message.get("band") or ""))


def _part(session: Session, step: str, k: int, count: int) -> Callable[[str, float], None]:
    """Progress of the part k of count, which a stop ends."""
    return lambda _, done: session.watch_work(step, (k + done) / count)


def optimize(session: Session, message: Document) -> Document:
    """Looks for values of symbols that reach goals; a stop keeps the best ones so far."""
    deck = _deck(session.folder, message)
    goals = [line.strip() for line in str(message["goals"]).splitlines() if line.strip()]
    bounds = {str(name): (float(low), float(high)) for name, (low, high) in message["bounds"].items()}
    try:
        best = optimize_model(deck, goals, _hertz(message), bounds, None, "auto", None,
                              int(message.get("evaluations") or 600), 0, 1e-4, session.watch_work, {})
        return {"best": best.values, "goals": best.goals, "ended": best.ended}
    except Stopped as stop:
        found = getattr(stop, "found", None)
        if found is None:
            raise
        values = found["variable_value"][found["best"]]
        return {"best": dict(zip(bounds, values.tolist(), strict=True)),
                "goals": dict(zip(goals, found["goal_value"][found["best"]].tolist(), strict=True)),
                "ended": "stopped"}


def fit(session: Session, message: Document) -> Document:
    """Fits symbols to measured impedances at one port, by least squares of the reflection
    coefficients (Levenberg and Marquardt's method with exact derivatives)."""
    deck = _deck(session.folder, message)
    names = [str(name) for name in message["bounds"]]
    low, high = np.array([message["bounds"][name] for name in names], dtype=float).T
    hertz = np.array(message["hz"], dtype=float)
    if not names or not len(hertz):
        raise UsageError("fit: nothing to fit. Choose symbols, and drop a measurement on the page.")
    wanted = np.array(message["r"], dtype=float) + 1j * np.array(message["x"], dtype=float)
    z0 = float(message.get("z0") or 50)
    target = (wanted - z0) / (wanted + z0)
    own = deck._values()
    at = np.clip([own[name.lower()] for name in names], low, high)

    rounds, round_, said = 30, 0, "fit"

    def residual(values: Any) -> tuple[Any, Any]:
        changed = deck.set(**dict(zip(names, values.tolist(), strict=True)))
        problem = changed._read(hertz)
        changed._add_parameters(problem, names, hertz)
        solution = _core.solve(problem, {"z0": z0}, _part(session, said, round_, rounds))
        z = np.asarray(solution.find("/port/impedance_ohm"))[:, 0]
        dz = np.asarray(solution.find("/port/impedance_derivative_ohm"))[:, 0, :]
        off = (z - z0) / (z + z0) - target
        slope = dz * (2 * z0 / (z + z0) ** 2)[:, np.newaxis] * (high - low)
        return np.concatenate([off.real, off.imag]), np.concatenate([slope.real, slope.imag])

    off, slope = residual(at)
    damping = 1e-2
    for round_ in range(rounds):
        said = f"fit, error {np.sqrt(np.mean(off ** 2)):.3g}"
        normal = slope.T @ slope
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-12), -slope.T @ off)
        tried = np.clip(at + step * (high - low), low, high)
        new_off, new_slope = residual(tried)
        if new_off @ new_off < off @ off:
            gained = 1 - (new_off @ new_off) / (off @ off)
            at, off, slope, damping = tried, new_off, new_slope, damping / 5
            if gained < 1e-6:
                break
        elif damping > 1e6:
            break
        else:
            damping *= 5
    error = float(np.sqrt(np.mean(off ** 2)))
    return {"best": dict(zip(names, at.tolist(), strict=True)), "goals": {"mean |difference of S11|": error},
            "ended": "fitted"}


def converge(session: Session, message: Document) -> Document:
    """Solves the shown frequency on meshes of one, two and four pieces a segment: of each figure
    the value that they lead to, and how far the page's is from it."""
    deck = _deck(session.folder, message)
    hz = float(message["hz"])
    rows = []
    for k, refine in enumerate((1, 2, 4)):
        result = deck.solve([hz], refine=refine, theta=5, phi=5, progress=_part(session, f"mesh {k + 1} of 3", k, 3))
        z = complex(np.asarray(result.array("/port/impedance_ohm")).flat[0]) if result.ports else 0j
        rows.append({"R / Ω": z.real, "X / Ω": z.imag, "Gain / dBi": float(result.patterns[0].gain.max())})
    figures = []
    for name in rows[0]:
        coarse, middle, fine = (row[name] for row in rows)
        # The last step at least; more where steps shrink slowly.
        ratio = abs((fine - middle) / (middle - coarse)) if middle != coarse else 0.0
        rest = abs(fine - middle) * max(1.0, min(10.0, ratio / max(1e-9, 1 - ratio)))
        figures.append([name, coarse, fine, max(rest, abs(coarse - fine))])
    return {"converged": figures, "hz": hz}


def near_field(session: Session, message: Document) -> Document:
    """The magnitude of the electric or magnetic field on a plane at the shown frequency."""
    solved = session.solved
    if solved is None:
        raise UsageError("near field: the deck is not solved. Mend it first.")
    count = min(_MAX_FIELD_POINTS, max(5, int(message.get("count") or 61)))
    axes = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}[str(message["plane"])]
    starts, ends = solved.result.segment_starts, solved.result.segment_ends
    low, high = np.minimum(starts, ends).min(axis=0), np.maximum(starts, ends).max(axis=0)
    reach = 0.6 * float(np.linalg.norm(high - low))
    middle = (low + high) / 2
    u, v = (np.linspace(middle[a] - reach, middle[a] + reach, count) for a in axes[:2])
    solution = solved.result._solution("near field")
    if solution.problem.has_ground and axes[1] == 2:
        v = v[v >= 0] if (v >= 0).sum() > 4 else np.linspace(0, 2 * reach, count)
    points = np.empty((len(v), len(u), 3))
    points[..., axes[0]], points[..., axes[1]] = u[np.newaxis, :], v[:, np.newaxis]
    points[..., axes[2]] = float(message.get("at") or 0)
    field = _core.near_field(solution, [int(message["point"])],
                             bool(message.get("magnetic")), points.reshape(-1, 3), session.watch_work)
    size = np.sqrt((abs(np.asarray(field)[0]) ** 2).sum(axis=-1)).reshape(len(v), len(u))
    return {"field": size.tolist(), "u": u.tolist(), "v": v.tolist(), "plane": message["plane"],
            "magnetic": bool(message.get("magnetic"))}


def nec2c(session: Session, message: Document) -> Document:
    """The impedances that nec2c finds of the same deck, where it is installed."""
    program = shutil.which("nec2c")
    if program is None:
        raise FileError("nec2c is not installed. Install it (Debian: apt install nec2c), and try again.")
    expanded = _deck(session.folder, message).to_nec()
    if re.search(r"^\s*(GF|WG)", expanded, re.M):
        raise UsageError("nec2c reads no kept matrix (GF, WG). Leave it out.")
    if not re.search(r"^(XQ|RP)", expanded, re.M):
        expanded = re.sub(r"^EN.*", "", expanded, flags=re.M) + "XQ\nEN\n"
    session.watch_work("nec2c", 0)
    with tempfile.TemporaryDirectory(prefix="thinwire-") as folder:
        source, listing = Path(folder) / "deck.nec", Path(folder) / "deck.out"
        source.write_text(expanded)
        try:
            done = subprocess.run([program, "-i", str(source), "-o", str(listing)], cwd=folder,
                                  capture_output=True, text=True, timeout=_NEC2C_S)
        except subprocess.TimeoutExpired:
            raise UsageError(f"nec2c took more than {_NEC2C_S} s. Try fewer frequencies.") from None
        said = listing.read_text(errors="replace") if listing.exists() else ""
    mhz: list[float] = []
    z: list[complex] = []
    for part in re.split(r"FREQUENCY\s*:", said)[1:]:
        frequency = re.match(r"\s*([-+.\dEe]+)", part)
        table = re.search(r"ANTENNA INPUT PARAMETERS.*?\n((?:\s*\d+\s+\d+\s+[-+.\dEe ]+\n)+)", part, re.S)
        if frequency and table:
            words = table[1].splitlines()[0].split()
            mhz.append(float(frequency[1]))
            z.append(complex(float(words[6]), float(words[7])))
    if not z:
        why = (done.stderr or done.stdout).strip().splitlines()
        raise UsageError(f"nec2c found no impedance{f' ({why[-1][:120]})' if why else ''}. Look at the deck's cards.")
    return {"measured": {"name": "nec2c", "hz": [1e6 * f for f in mhz], "r": [value.real for value in z],
                         "x": [value.imag for value in z]}}


def report(session: Session, message: Document) -> Document:
    """The report's page of the deck and of those pinned, as one HTML file."""
    decks = list(message["decks"])[:16]
    results = []
    for k, one in enumerate(decks):
        deck = _deck(session.folder, one)
        problem = deck._read(None if (hertz := _hertz(one)) is None else np.array(hertz))
        count = len(problem.frequencies_hz)
        results.append((str(one["name"]), deck.solve(
            hertz, sweep="fast" if count > 8 else "full",
            progress=_part(session, f"solving {one['name']}", k, len(decks) + 1))))
    session.watch_work("drawing", len(decks) / (len(decks) + 1))
    return {"page": page_of(results, str(message.get("title") or decks[0]["name"]))}


Work = Callable[["Session", Document], dict[str, Any]]

LONG: dict[str, Work] = {"optimize": optimize, "fit": fit, "converge": converge, "near": near_field,
                         "nec2c": nec2c, "report": report}
"""By what the page asks for."""
