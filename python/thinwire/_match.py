"""Networks that match an antenna to a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ._errors import UsageError
from ._geometry import Complexes, Floats, positive
from ._s_parameters import reflection, vswr

if TYPE_CHECKING:
    from ._result import Result


class Part(NamedTuple):
    """A coil or a capacitor: "series" or "shunt", "L" or "C", henry or farad, and its Q."""

    place: str
    kind: str
    value: float
    quality: float

    def __str__(self) -> str:
        unit, scale = ("uH", 1e6) if self.kind == "L" else ("pF", 1e12)
        return f"{self.place} {self.kind} {self.value * scale:.4g} {unit}"

    def impedance(self, frequency: Floats) -> Complexes:
        """Ohm, with a Q that holds at every frequency."""
        omega = 2 * np.pi * frequency
        reactance = omega * self.value if self.kind == "L" else -1 / (omega * self.value)
        values: Complexes = np.abs(reactance) / self.quality + 1j * reactance
        return values


@dataclass(frozen=True)
class Network:
    """A network between the line and the antenna.

    Attributes:
        parts: From the line to the antenna.
        frequency: Hz, [F].
        z: Impedance that the line sees, ohm, [F].
        vswr: On the line, [F].
        loss_db: What the parts turn to heat, [F].
    """

    parts: tuple[Part, ...]
    frequency: Floats
    z: Complexes
    vswr: Floats
    loss_db: Floats

    @property
    def worst(self) -> float:
        """The highest VSWR in the band."""
        return float(self.vswr.max())

    def __str__(self) -> str:
        return ", ".join(map(str, self.parts))


def _part(place: str, reactance: float, omega: float, coil_q: float, capacitor_q: float) -> Part:
    if reactance > 0:
        return Part(place, "L", reactance / omega, coil_q)
    return Part(place, "C", -1 / (omega * reactance), capacitor_q)


def _l_networks(load: complex, line: float) -> list[list[tuple[str, float]]]:
    """Places and reactances of lossless parts, from the line to the load (Pozar 2012, 5.1)."""
    found = []
    for sign in (1, -1):
        if load.real < line:
            total = sign * math.sqrt(load.real * (line - load.real))
            # The shunt part takes what is left of the susceptance: 1 / X = -B.
            found.append([("shunt", -load.real * line / total), ("series", total - load.imag)])
        g, b = (1 / load).real, (1 / load).imag
        if g < 1 / line:
            total = sign * math.sqrt(g * (1 / line - g))
            found.append([("series", total * line / g), ("shunt", -1 / (total - b) if total != b
                                                         else math.inf)])
    return found


def _pi_networks(load: complex, line: float, q: float) -> list[list[tuple[str, float]]]:
    """Two L networks back to back, on a resistance between them that gives the larger one q."""
    g, b = (1 / load).real, (1 / load).imag
    middle = max(1 / g, line) / (q * q + 1)
    if middle >= min(1 / g, line):
        return []
    found = []
    for sign in (1, -1):
        first = sign * math.sqrt((1 / middle - 1 / line) / line)
        second = sign * math.sqrt(g * (1 / middle - g))
        series = second * middle / g + first * middle * line
        found.append([("shunt", -1 / first), ("series", series),
                      ("shunt", -1 / (second - b) if second != b else math.inf)])
    return found


def _made(parts: tuple[Part, ...], frequency: Floats, load: Complexes, line: float) -> Network:
    z, kept = load.astype(complex), np.ones(len(frequency))
    for part in reversed(parts):
        own = part.impedance(frequency)
        if part.place == "series":
            kept *= z.real / (z + own).real
            z = z + own
        else:
            admittance = 1 / z
            kept *= admittance.real / (admittance + 1 / own).real
            z = 1 / (admittance + 1 / own)
    return Network(parts, frequency, z, vswr(reflection(z[:, np.newaxis], line))[:, 0],
                   -10 * np.log10(kept))


def match_of(result: Result, kind: Literal["l", "pi"], port: int, center: float | None,
             z0: float | None, coil_q: float, capacitor_q: float, q: float | None) -> list[Network]:
    if kind not in ("l", "pi"):
        raise UsageError(f"match: kind must be 'l' or 'pi' (got {kind!r}).")
    line = result.z0 if z0 is None else positive(z0, "z0", "ohm")
    if kind == "l" and q is not None:
        raise UsageError("match: an l network has no q to choose. Leave q out or ask for kind pi.")
    q = 5 if q is None else q
    for name, value in (("coil_q", coil_q), ("capacitor_q", capacitor_q), ("q", q)):
        positive(value, name, "a ratio")
    known = np.flatnonzero(~np.isnan(result.z[:, port]))
    if not known.size:
        raise UsageError("match: the antenna has no such port.")
    frequency, z = result.frequency[known], result.z[known, port]
    order = np.argsort(frequency)
    frequency, z = frequency[order], z[order]
    hertz = (frequency[0] + frequency[-1]) / 2 if center is None else positive(center, "center", "Hz")
    load = complex(np.interp(hertz, frequency, z.real), np.interp(hertz, frequency, z.imag))
    if not load.real > 0:
        raise UsageError(f"match: the resistance must be positive (got {load.real:g} ohm).")
    designs = _l_networks(load, line) if kind == "l" else _pi_networks(load, line, q)
    if not designs:
        raise UsageError("match: " + (
            f"{load:.4g} ohm is matched already." if kind == "l" else
            f"a pi network of {load:.4g} ohm on {line:g} ohm needs a larger q (got {q:g})."))
    omega = 2 * np.pi * hertz
    networks = []
    for design in designs:
        # A part that does nothing is none.
        parts = tuple(_part(place, x, omega, coil_q, capacitor_q) for place, x in design
                      if (abs(x) > 1e-9 * line if place == "series" else abs(x) < 1e9 * line))
        networks.append(_made(parts, frequency, z, line))
    return sorted(networks, key=lambda network: network.worst)
