"""Commands of the program that this package computes: tables on standard output."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._deck import Deck, read_deck
from ._errors import Error, UsageError
from ._geometry import Floats
from ._model import Model
from ._result import Result

_EXIT = {"usage": 2, "deck": 3, "geometry": 3, "device": 4, "memory": 4, "file": 5}


def _numbers(option: str, text: str) -> Floats:
    """"0,1.8" or "0:90:10", from, to and how many."""
    values: list[float] = []
    try:
        for part in text.split(","):
            start, *rest = part.split(":")
            if rest:
                stop, count = rest
                values += np.linspace(float(start), float(stop), int(count)).tolist()
            else:
                values.append(float(start))
    except ValueError:
        raise UsageError(f"--{option} must be numbers or START:STOP:COUNT (got '{text}').") from None
    return np.array(values)


def _deck_of(words: dict[str, Any]) -> Deck:
    deck = (Deck(sys.stdin.read(), name="standard input", dialect=words.get("dialect", "auto"))
            if words["deck"] == "-" else read_deck(words["deck"], dialect=words.get("dialect", "auto")))
    pairs = [text.partition("=") for text in words.get("set", [])]
    for name, sign, _ in pairs:
        if not name or not sign:
            raise UsageError(f"--set must be NAME=VALUE (got '{name}{sign}').")
    return deck.set(**{name: value for name, _, value in pairs}) if pairs else deck


def _solved(model: Model, words: dict[str, Any]) -> Result:
    return model.solve(words.get("frequency"))


def _table(heading: str, rows: Iterable[Iterable[float]]) -> None:
    """Columns as wide as their names, ten places at least."""
    names = heading.split()
    print(" ".join(f"{name:>10}" for name in names))
    for row in rows:
        print(" ".join(f"{value:{max(10, len(name))}.6g}" for name, value in zip(names, row, strict=True)))


def _exposure(words: dict[str, Any]) -> None:
    limits: Any = words["limits"]
    if not limits.startswith("icnirp"):
        limits = tuple(_numbers("limits", limits))
        if len(limits) != 2:
            raise UsageError(f"--limits must be a word or E,H (got '{words['limits']}').")
    heights = _numbers("height", words["height"]) if "height" in words else None
    result = _solved(_deck_of(words), words)
    for index in range(len(result.frequency)):
        x = result.exposure(words["power"], limits=limits, heights=heights, step=words["step"],
                            index=index)
        print(f"# {x.frequency / 1e6:g} MHz: {x.limits.e:.4g} V/m and {x.limits.h:.4g} A/m (rms) are "
              f"exceeded up to {x.distance.max():.4g} m from x = {x.centre[0]:g} m, y = {x.centre[1]:g} m")
        _table("z_m phi_deg distance_m x_m y_m", (
            (z, phi, distance, *place[:2])
            for z, distances, places in zip(x.heights, x.distance, x.contours, strict=True)
            for phi, distance, place in zip(x.azimuth, distances, places, strict=True)))


def _rcs(words: dict[str, Any]) -> None:
    section = _deck_of(words).rcs(words.get("frequency"), theta=_numbers("theta", words["theta"]),
                                  phi=_numbers("phi", words["phi"]), eta=words["eta"])
    with np.errstate(divide="ignore"):
        columns = (section.total, 10 * np.log10(section.total), 10 * np.log10(section.copolar))
    _table("mhz theta_deg phi_deg rcs_m2 rcs_dbsm copolar_dbsm", (
        (f / 1e6, theta, phi, *(values[i, j, k] for values in columns))
        for i, f in enumerate(section.frequency) for j, theta in enumerate(section.theta)
        for k, phi in enumerate(section.phi)))


def _modes(words: dict[str, Any]) -> None:
    deck = _deck_of(words)
    frequencies = words.get("frequency") or list(dict.fromkeys(deck._read(None).frequencies_hz))
    found = [deck.modes(f, count=words["count"]) for f in frequencies]
    _table("mhz mode eigenvalue significance angle_deg", (
        (m.frequency / 1e6, n + 1, *values) for m in found
        for n, values in enumerate(zip(m.eigenvalues, m.significance, m.angles, strict=True))))


def _temperature(words: dict[str, Any]) -> None:
    sky = words["sky"] if words["sky"] == "galactic" else _numbers("sky", words["sky"])[0]
    result = _solved(_deck_of(words), words)
    kelvin = result.antenna_temperature(sky, ground=words["ground"], physical=words["physical"])
    _table("mhz kelvin", zip(result.frequency / 1e6, kelvin, strict=True))


def _match(words: dict[str, Any]) -> None:
    result = _solved(_deck_of(words), words)
    for network in result.match(words["kind"], z0=words.get("z0"), coil_q=words["coil-q"],
                                capacitor_q=words["capacitor-q"], q=words.get("q")):
        print(f"# {network}: VSWR up to {network.worst:.4g}, loss up to {network.loss_db.max():.3g} dB")
        _table("mhz r_ohm x_ohm vswr loss_db", zip(
            network.frequency / 1e6, network.z.real, network.z.imag, network.vswr, network.loss_db,
            strict=True))


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    for line in str(message).splitlines():
        print(f"warning: {line}", file=sys.stderr)


def main() -> None:
    """Computes what the JSON in sys.argv[1] asks for, as the program checked it."""
    warnings.simplefilter("always")
    warnings.showwarning = _print_warning
    words = json.loads(sys.argv[1])
    command = words["command"]
    try:
        {"exposure": _exposure, "rcs": _rcs, "modes": _modes,
         "temperature": _temperature, "match": _match}[command](words)
    except Error as error:
        text = str(error)
        named = f"{command}: " if error.kind == "usage" and not text.startswith(command) else ""
        print(f"thinwire: {named}{text}", file=sys.stderr)
        sys.exit(_EXIT.get(error.kind, 1))
    except BrokenPipeError:
        sys.exit(5)
    except KeyboardInterrupt:
        sys.exit(130)
